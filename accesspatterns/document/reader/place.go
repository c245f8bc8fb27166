package reader

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// frame is a place in the document: a heading, a label that stands alone, or a
// list item, with all that stands below it.
type frame struct {
	parent *frame
	// level is 1 to 6 for headings, labelLevel for labels, itemLevel and more
	// for list items.
	level int
	title inline
	topic topic
	table *Table
	index *Index
	// partition is the last form of a partition key that was given here, for
	// sort keys that follow by themselves.
	partition *EntityKey
	entity    *Entity
	// told are the tables that lines right below the document's own title name.
	told    []*Table
	pattern *Pattern
	// out says that the title takes back what stands in the place, or is of another database, and planned that it is of what is to come.
	out, planned bool
	// state says that the title is a state of what the items are of, and takes nothing back.
	state bool
	// considers says that a line right below the title says to consider what follows: "Consider enabling:".
	considers bool
	// gives is the line below a title that can name a table which gives its partition key, 0 where none does.
	gives int
}

const (
	overLabels = 49 // of a label over others
	labelLevel = 50
	itemLevel  = 100
)

// up returns the nearest place, this one included, that the test accepts.
func (f *frame) up(test func(*frame) bool) *frame {
	for ; f != nil; f = f.parent {
		if test(f) {
			return f
		}
	}
	return nil
}

// about is the topic of the nearest place that has one.
func (f *frame) about() topic {
	if at := f.up(func(f *frame) bool { return f.topic != noTopic }); at != nil {
		return at.topic
	}
	return noTopic
}

// asks reports whether the place is in a part on access patterns; the document's own title makes none.
func (f *frame) asks() bool {
	at := f.up(func(f *frame) bool { return f.topic != noTopic })
	return at != nil && at.topic == topicPatterns && at.level > 1
}

// requests reports whether the place's title is a word for a request: what stands below is no item.
func (f *frame) requests() bool {
	return f.level == labelLevel && slices.Contains([]word{wCondition, wOperation, wPattern}, wordOf(f.title.text)) && topicOf(f.title.text) != topicPatterns
}

// isPart reports whether a title is the word for a part of a request: "Operation", "Key condition", "Partition key".
func (f *frame) isPart() bool {
	w := wordOf(f.title.text)
	return slices.Contains(fields, w) || roles[w] != ""
}

// names reports whether the place's title can name a kind of item: a heading or
// bold label that is no topic.
func (f *frame) names() bool {
	if f.topic != noTopic || f.title.text == "" || f.level >= labelLevel && !slices.ContainsFunc(f.title.spans, func(s span) bool { return !s.code && s.from == 0 }) {
		return false
	}
	w := wordOf(f.title.text)
	return w == "" || (f.level < labelLevel || f.level == labelLevel+1) && !slices.Contains(settings, w) && !slices.Contains([]word{wAttributes, wIndexes, wAttribute, wType, wEntity}, w) // "Order" and "Note" are kinds of items too
}

// sure is how sure a fact of this place is: one of a plan is planned.
func (f *frame) sure() Sure {
	if f.up(func(f *frame) bool { return f.planned }) != nil {
		return Planned
	}
	return Said
}

// wasBuilt matches what a title says of what is there since: "What was implemented".
var wasBuilt = lazyregexp.New(`(?i)\bwhat (?:has )?changed\b|^changes (?:applied|made|implemented)$|\b(?:was|were|had) (?:added|built|created|deployed|done|implemented)\b`)

// doubted reports whether a text says what may be, or was.
func doubted(text string) bool {
	return phrase("doubtful").MatchString(wasBuilt.ReplaceAllString(text, ""))
}

// titledBy reports whether a title above, other than the document's own, is of a kind.
func (f *frame) titledBy(is func(title string) bool) bool {
	return f.up(func(f *frame) bool { return f.level > 1 && f.level <= labelLevel && !f.state && is(f.title.text) }) != nil
}

// meant reports whether no title above says that what stands in the place is none of the design.
func (f *frame) meant() bool {
	return f.sure() == Said && f.up(func(f *frame) bool {
		return f.level <= labelLevel && !f.state && weighs(settled(unplanned.ReplaceAllString(f.title.text, "")))
	}) == nil
}

// settled is a text without the words of a decision and the examples in brackets, which leave nothing open: "We will use one table (e.g. ...)".
func settled(text string) string {
	return decided.ReplaceAllString(forInstance.ReplaceAllString(text, ""), "")
}

// canBeAsked matches a title over what the tables can be asked, which nobody has doubts of.
var canBeAsked = lazyregexp.New(`(?i)^possible (?:queries|(?:access|query|read) patterns?)\b`)

// weighs reports whether a text says what may be, was, or is not done.
func weighs(text string) bool {
	return doubted(text) || phrase("notBuilt").MatchString(text)
}

// at is where a fact of the place stands.
func (f *frame) at(line int) At { return At{line, f.sure()} }

// takes notes what the title of a place says of all that stands in it: that it is of another database, gone, not chosen or not to be done, or to come.
// What is proposed is to come where another title says what there is today, and what was before is gone where one says what there is since.
func (f *frame) takes(present, since bool) {
	clean := cleanTitle(f.title.text)
	if f.level > 1 {
		parts := titleParts(f.title, f.level > labelLevel)
		f.out = saysOnly(parts, phrase("outOfDesign")) && !phrase("chosen").MatchString(f.title.text) || since && saysOnly(parts, phrase("earlier"))
		proposed := saysOnly(parts, phrase("proposed"))
		some := f.level <= labelLevel && phrase("notYet").MatchString(clean) && !phrase("asksTitle").MatchString(clean)
		f.planned = saysOnly(parts, phrase("toBe")) && !canBeAsked.MatchString(clean) || proposed && present || some && !proposed
	}
	f.out = f.out || f.level <= labelLevel && (phrase("warning").MatchString(clean) ||
		ofOther(f.title) && ofOther(unnamed(f.title)) && (!phrase("ours").MatchString(f.title.text) || strings.Contains(f.title.text, "/")))
}

// isState reports whether a title is that of a state of things, as one beside it is that takes nothing back, "Rejected" beside "Pending", and none above is
// on decisions.
func (r *reader) isState(f *frame) bool {
	at := slices.IndexFunc(r.blocks, func(b *block) bool { return b.line == f.title.line })
	is := func(parts []string) bool { return phrase("states").MatchString(strings.Join(parts, "")) }
	for _, step := range []int{-1, 1} {
		for n := at + step; at >= 0 && n >= 0 && n < len(r.blocks) && is(titleParts(f.title, f.level > labelLevel)); n += step {
			b, own := r.blocks[n], r.blocks[at]
			if b.kind == headingBlock && (own.kind != headingBlock || b.level < own.level) {
				break
			}
			if parts := titleParts(b.text, b.kind == itemBlock); b.kind == own.kind && b.level == own.level && is(parts) && !saysOnly(parts, phrase("outOfDesign")) {
				return f.parent.up(func(f *frame) bool { return phrase("ofDecisions").MatchString(f.title.text) }) == nil
			}
		}
	}
	return false
}

// saysOnly reports whether a part of a title has words of a list, and beside them words of designs alone: "Rejected", "Patterns we gave up" and
// "GSI2 (removed in v2)", and not "Rejected orders".
func saysOnly(parts []string, of *lazyregexp.Regexp) bool {
	return slices.ContainsFunc(parts, func(part string) bool {
		return of.MatchString(part) && !strings.ContainsFunc(phrase("designWords").ReplaceAllString(of.ReplaceAllString(part, ""), ""), unicode.IsLetter)
	})
}

// takenAway reports whether a part of a title says that what stands below it is out of the design, or is to come.
func takenAway(parts []string) bool {
	return saysOnly(parts, phrase("outOfDesign")) || saysOnly(parts, phrase("toBe"))
}

// titleParts are the parts of a title that can say something of all below it. An item of a list says it before a colon, if at all, and in a word
// that is no name of an attribute.
func titleParts(of inline, item bool) []string {
	title := cleanTitle(ticked(of))
	if item {
		before, _, labels := strings.Cut(arrow.ReplaceAllString(title+" ", ": "), ": ")
		if first, _ := utf8.DecodeRuneInString(title); !unicode.IsUpper(first) && first != '`' || !labels && partsTitle.MatchString(title) {
			return nil
		}
		title = before
	}
	return partsTitle.Split(title, -1)
}

// partsTitle matches what parts a title: brackets, dashes, colons, and "in" of "Spades, in the future".
var partsTitle = lazyregexp.New(`[()\[\]:]| ` + dashes + ` |, in `)

// unnamed is a title without the name of the table that it gives, whose words say nothing.
func unnamed(title inline) inline {
	if name, weak := tableTitle(title); !weak {
		return inline{text: strings.Replace(ticked(title), name, "", 1)}
	}
	return title
}

// heading is the nearest heading or label, or the place without a title that a document begins with: never nil.
func (f *frame) heading() *frame {
	return f.up(func(f *frame) bool { return f.level <= labelLevel })
}

// home is the place whose list an item is of, or the place itself.
func (f *frame) home() *frame {
	if f.level >= itemLevel && f.parent != nil {
		return f.parent
	}
	return f
}

// sectionTitle is the title of the nearest heading or label.
func (f *frame) sectionTitle() string {
	if at := f.heading(); at != nil {
		return cleanTitle(at.title.text)
	}
	return ""
}

// itemTitle is the title of the nearest heading or label that can name a kind of item, and else of the nearest.
func (f *frame) itemTitle() string {
	if at := f.up(func(f *frame) bool { return f.level <= labelLevel && f.names() }); at != nil && at.level > 1 {
		return cleanTitle(at.title.text)
	}
	return f.sectionTitle()
}

// places gives every block its place, and reads titles.
func (r *reader) places() {
	titled := func(says *lazyregexp.Regexp) bool {
		return slices.ContainsFunc(r.blocks, func(b *block) bool { return b.kind == headingBlock && saysOnly(titleParts(b.text, false), says) })
	}
	present, since := titled(phrase("present")), titled(phrase("since"))
	var top *frame
	pop := func(level int) {
		for top != nil && top.level >= level {
			top = top.parent
		}
	}
	push := func(level int, title inline) {
		if top = (&frame{parent: top, level: level, title: title}); !top.requests() {
			top.topic = topicOf(title.text)
		}
		if top.takes(present, since); top.out && r.isState(top) {
			top.out, top.state = false, true
		}
		if match := numberedIndex.FindStringSubmatch(cleanTitle(title.text)); match != nil && level <= labelLevel && (top.parent.about() == topicIndexes || strings.HasPrefix(match[2], ":")) {
			top.topic = noTopic // whatever it is for
		}
		if top.topic == topicKeys && (level >= labelLevel && top.parent.about() == topicPatterns || top.parent.asks() && top.isPart()) {
			top.topic = noTopic // the keys of a request
		}
	}
	r.nest()
	over := r.tablesBelowOneTitle()
	var last *block
	var all []*block
	place := func(b, next *block) {
		switch b.kind {
		case headingBlock:
			level := b.level
			if r.ofModel && isIndexTitle(ticked(b.text)) {
				level++ // an index stands below the table that it follows
			}
			pop(level)
			push(level, b.text)
			if r.doc.Title == "" && b.level <= 2 {
				r.doc.Title = b.text.text
			}
		case textBlock:
			if b.level == 0 {
				pop(itemLevel)
			}
			switch {
			case over[b]:
				pop(overLabels)
				push(overLabels, b.text)
			case isLabel(b) || next != nil && next.kind != textBlock && next.kind != headingBlock && (b.titlesNext() || namesIndexOver(b, next)):
				pop(labelLevel)
				if top != nil && top.level == overLabels && top.topic == topicIndexes && !beginsKeys(next) && !isIndexTitle(ticked(b.text)) {
					pop(overLabels)
				}
				if topicOf(b.text.text) == topicIndexes && next != nil && next.kind == textBlock && isLabel(next) {
					push(overLabels, b.text) // "**Indexes:**" over "**by-day**" and its keys
				} else {
					push(labelLevel, b.text)
				}
			case b.level == 0 && b.first && last != nil && last.kind != textBlock && last.kind != headingBlock:
				pop(labelLevel)
			}
		case itemBlock:
			pop(itemLevel + b.level)
			push(itemLevel+b.level, b.text)
			if !strings.HasSuffix(b.text.text, ":") {
				top.topic = noTopic
			}
		case gridBlock, codeBlock:
			pop(itemLevel + b.level + 1) // the item in which it stands remains
			b.ofKind = b.ofKind || b.kind == codeBlock && writesKind(b, top.up(func(f *frame) bool { return f.level < labelLevel }))
		}
		b.frame = top
		if b.kind == textBlock && phrase("toConsider").MatchString(b.text.text) && top.up(func(f *frame) bool { return f.out }) == nil {
			top.considers = true
			if top.parent != nil {
				top.parent.considers = true
			}
		}
		b.goesOn = b.kind == textBlock && !b.first && last != nil && !indexAtFirst.MatchString(b.text.text) && (last.goesOn || last.kind == textBlock && indexAtFirst.MatchString(last.text.text))
		all, last = append(all, b), b
	}
	if len(r.blocks) > 0 && r.blocks[0].kind != headingBlock {
		push(0, inline{}) // every place stands below a heading, this one where there is none
	}
	for n, b := range r.blocks {
		var outline []*block
		if !definesTable(b) {
			outline = b.outline()
		}
		if outline != nil && weighed(top, last, outlinesTable(outline)) {
			r.unread(b.line, outline[0].text.text, "an outline of what may be, was, or is advised against")
			continue
		}
		if b.inFence && weighed(top, last, false) {
			r.unread(b.line, rowText(b.header), "a table of what may be, was, or is advised against")
			continue
		}
		if parts, beside := b.kinds(top.asks()); parts != nil && top.meant() && !weighed(top, last, false) {
			pop(itemLevel + b.level + 1)
			for _, line := range beside {
				all = append(all, &block{kind: textBlock, line: line.line, text: line, frame: top})
			}
			for _, part := range parts {
				if part.title.text != "" {
					push(labelLevel+1, part.title)
				}
				part.frame = top
				all = append(all, part.block)
				pop(labelLevel + 1)
			}
			last = b
			continue
		}
		if items := b.listed(top.asks()); items != nil && top.meant() && !weighed(top, last, false) {
			outline = items
		} else if b.kind != codeBlock || outline == nil || top.asks() {
			outline = []*block{b}
		}
		var next *block
		if n+1 < len(r.blocks) {
			next = r.blocks[n+1]
		}
		for _, each := range outline {
			place(each, next)
		}
	}
	r.blocks = all
}

// dotted matches the number of a section: 5, 5.1.
var dotted = lazyregexp.New(`^(\d+(?:\.\d+)*)\.? `)

// nest puts a section below the one that its number says, where both have headings of one level: "## 5.1 Orders" below "## 5. Access patterns".
func (r *reader) nest() {
	var shifts [7]int // by how much headings below one of a level are deeper
	type section struct{ level, shift int }
	sections := map[string]section{} // by their numbers
	for _, b := range r.blocks {
		if b.kind != headingBlock {
			continue
		}
		level, number := b.level, ""
		if match := dotted.FindStringSubmatch(b.text.text); match != nil {
			number = match[1]
		}
		shift := shifts[level-1]
		if above, has := sections[number[:max(strings.LastIndexByte(number, '.'), 0)]]; has && above.level == level {
			shift = above.shift + 1
		}
		for deeper := level; deeper < len(shifts); deeper++ {
			shifts[deeper] = shift
		}
		if number != "" {
			sections[number] = section{level, shift}
		}
		b.level += shift
	}
}

// weighed reports whether the titles above an outline, or the text before it, say that it is none of the design. What is said of
// each of several tables says nothing against an outline that names its own.
func weighed(top *frame, before *block, named bool) bool {
	doubts := func(text string) bool {
		return doubted(text) || phrase("warning").MatchString(text) || phrase("otherwise").MatchString(text) || !named && phrase("general").MatchString(text)
	}
	return before != nil && before.kind == textBlock && doubts(before.text.text) ||
		top.titledBy(func(title string) bool { return doubts(cleanTitle(title)) })
}

// outlinesTable reports whether an outline names a table.
func outlinesTable(outline []*block) bool {
	return slices.ContainsFunc(outline, func(b *block) bool {
		label, value, _, is := split(b.text)
		return is && wordOf(label) == wTable && namesTable(value.text)
	})
}

// isLabel reports whether a line stands alone as the title of what follows: it
// is bold as a whole, short and ends in a colon, or the number of an index and its name.
func isLabel(b *block) bool {
	text := strings.TrimRight(b.text.text, " ")
	if text == "" || len(text) > 80 && indexLeads.FindString(ticked(b.text)) == "" || b.level > 0 {
		return false
	}
	if strings.HasSuffix(text, ":") {
		return !strings.ContainsAny(numbering.ReplaceAllString(text, ""), ".,;")
	}
	label, value, _, is := split(b.text)
	return b.alone && (b.text.bold() || boldTitle(b.text) || is && bareNumber.MatchString(label) && identifier.MatchString(value.text) || indexRemark(b.text))
}

// indexLeads matches a sentence on one index over its keys: "A global secondary index (`by-day`) lists the days:".
var indexLeads = lazyregexp.New("(?i)^(?:an?|the|one) (?:(?:global|local) secondary index|GSI|LSI) \\(?`([\\w.-]+)`\\)? [^.;`]*:$")

// boldTitle reports whether a line is a title in bold type and a bracket behind it: "**GSI1: open-index** (sparse)".
func boldTitle(text inline) bool {
	return slices.ContainsFunc(text.spans, func(s span) bool {
		return !s.code && s.from == 0 && len(text.part(s)) > 1 && strings.TrimRight(bracketed.ReplaceAllString(text.text[s.to:], ""), " :") == ""
	})
}

// boldTable matches a name in backticks, and at most the word for a table.
var boldTable = lazyregexp.New("^`([\\w.-]+)`(?: (?i:" + tableIn + "))?$")

// tablesBelowOneTitle are the lines that name a table each, where several do below one title: what follows such a line is of its table.
func (r *reader) tablesBelowOneTitle() map[*block]bool {
	over, names, lines := map[*block]bool{}, map[string]bool{}, []*block(nil)
	for n, b := range append(slices.Clone(r.blocks), &block{kind: headingBlock}) {
		if b.kind == headingBlock {
			for _, line := range lines {
				over[line] = len(names) > 1 && len(names) == len(lines)
			}
			names, lines = map[string]bool{}, nil
			continue
		}
		if b.kind != textBlock || b.level > 0 || !b.first || n+1 >= len(r.blocks) || r.blocks[n+1].kind == headingBlock {
			continue
		}
		label, value, equals, is := split(b.text)
		if is && !equals && wordOf(label) == wTable && tickedAlone.MatchString(ticked(value)) {
			names[value.marked()], lines = true, append(lines, b) // "**Table:** `orders`"
		} else if name := boldTable.FindStringSubmatch(cleanTitle(ticked(b.text))); name != nil && b.text.bold() && namesTable(name[1]) {
			names[name[1]], lines = true, append(lines, b) // "**1. `orders` table**"
		}
	}
	return over
}

// namesIndexOver reports whether a line alone is the name of an index, and the next begins the list of its keys: "Secondary index: `by-day`".
func namesIndexOver(b, next *block) bool {
	label, value, _, is := split(b.text)
	return b.alone && is && slices.Contains([]word{wIndex, wLocal}, wordOf(label)) && tickedAlone.MatchString(ticked(value)) && beginsKeys(next)
}

// beginsKeys reports whether a block, or none, is the first line of a list of keys.
func beginsKeys(b *block) bool {
	if b == nil || b.kind != itemBlock {
		return false
	}
	label, _, _, is := split(b.text)
	return is && (roles[wordOf(label)] != "" || wordOf(label) == wPrimary || roleOfName(strings.Trim(label, "`* ")) != "")
}

// titlesNext reports whether a line alone, without any mark, is the title of the list, table or fence right below it: a word of the field, a topic, or the
// number of an index.
func (b *block) titlesNext() bool {
	if !b.alone {
		return false
	}
	text, topic := cleanTitle(b.text.text), topicOf(b.text.text)
	told := wordOf(text) != "" && wordOf(text) != wSilent || numberedIndex.MatchString(text) && isIndexTitle(ticked(b.text)) || topic != noTopic && topic != topicOther || tablesTitle.MatchString(text)
	_, _, _, labels := split(b.text)
	takes := takenAway(titleParts(b.text, false))
	return indexTicked.MatchString(ticked(b.text)) || (takes || told && !labels) && len(b.text.code()) == 0 && len(strings.Fields(text)) < 9 && !strings.ContainsAny(text[max(len(text)-1, 0):], ".!?") && !strings.ContainsAny(text, "=;,")
}

// indexRemark reports whether a line is the title of an index in bold type, and a remark: "**GSI1-ByMail**: for the login".
func indexRemark(text inline) bool {
	label, value, _, is := split(text)
	return is && label == text.marked() && isIndexTitle(label) && len(value.code()) == 0 && strings.Contains(value.text, " ") && !strings.Contains(value.text, "=") && !weighs(value.text)
}

const dashes = `(?:—|–|-{1,3})`

// tableIn are the words for a table in titles.
const tableIn = `table|bảng|tabelle|tabla|tabela|tabel|tabell|tabella|テーブル|테이블`

var (
	tableName   = lazyregexp.New("^`?([A-Za-z0-9_.$\\[\\]<>-]*(?:\\$?\\{[^{}]*\\}[A-Za-z0-9_.-]*)*)`?$")
	afterTable  = lazyregexp.New("(?i)^(?:(?:primary|main|dynamodb|base|core|single|메인|기본) |メイン)*(?:" + tableIn + ")(?: name| principale?| de \\pL+)?(?:\\s*#?\\d+)?\\s*(?::|" + dashes + "\\s)\\s*(.+)$")
	beforeTable = lazyregexp.New("(?i)^(?:dynamodb )?(`[^`]+`|[\\w.{}$<>-]+(?: [\\w-]+){0,2})(?: table| ?(?:テーブル|테이블))(?:設計|定義|構成)?(?: schema| design| structure| definition| streams?| keys| indexes)?(?:\\s*(?::|" + dashes + ")\\s*(.+)|\\s*\\(.*\\))?$")
	// ofTableAPI matches the operations of DynamoDB on tables.
	ofTableAPI = lazyregexp.New(`^(?:Create|Update|Delete|Describe)Table$`)
	// countBehind matches the count of the tables that a title is over.
	countBehind = lazyregexp.New(`\(\d+\)$`)
	// tableWords matches a title that calls a table: Orders table: `prod-orders`, Orders table items.
	tableWords  = lazyregexp.New(`(?i)^(\w+(?: [\w-]+){0,2}) (?:table|テーブル|테이블)(?::.*|(?: (?:access|attributes|design|entit(?:y|ies)|gsis|index(?:es)?|items?|keys?|patterns?|records?|schema|settings|shapes?|structure|types?))*)$`)
	tickedTable = lazyregexp.New("(?i)^(?:dynamodb )?(?:`aws_dynamodb_table\\.(\\w+)`|(?:" + tableIn + ")\\s+`([^`]+)`(?: \\([^()]*\\))?|dynamodb(?: schema| table| design)?\\s*(?::|" + dashes + ")\\s*(?:`([^`]+)`|([a-z0-9]+(?:[-_][a-z0-9]+)+))|[\\w /&-]+ table \\(`([^`]+)`\\)|[\\w -]+" + dashes + " `([^`]+)` table|(?:dynamodb|single[- ]table)[\\w -]*(?: " + dashes + "|:) ((?-i:[A-Z]\\w*[a-z]Table)))$")
	// tableBefore matches a title that is the word for a table and a name that no word is: Tabela shop-orders.
	tableBefore = lazyregexp.New(`^(?i:` + tableIn + `) ((?i:[a-z0-9]+(?:[-_][a-z0-9]+)+)|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+)$`)
	// bracketTable matches a name and a bracket that calls it a table.
	bracketTable = lazyregexp.New("^`?([\\w.-]+)`? \\(((?:[\\w-]+ ){0,2})(?i:" + tableIn + ")\\)$")
	// insideOther matches the words that such a bracket begins with where what it names is in a table: "Lines (in orders table)".
	insideOther = lazyregexp.New(`(?i)^(?:in|inside|within|of|on|from|part|see|same|shares?|uses?|like)\b`)
	notTables   = strings.Fields("base local main primary single the this dynamodb a an one each per lookup hash access pattern patterns attribute attributes summary schema key keys entity data multi design global same separate comparison partition sort index gsi structure configuration name names settings definition definitions overview creation class details information level item items query field fields reference and or vs of in for to mapping new existing second first all decision cost physical logical runtime core unified shared production deployed current proposed example sample final actual required recommended suggested additional supporting initial full complete basic simple our my la une cette notre")

	// besideName matches words that name no table, and are part of a name beside one that does: API Keys, Order Items.
	besideName = lazyregexp.New(`(?i)^(?:access|configuration|current|data|details|entity|fields?|index|information|items?|keys?|levels?|lookup|mapping|names?|query|references?|settings)$`)

	numberedIndex = lazyregexp.New(`(?i)^((?:GSI|LSI)[-_ ]?\d+)\b\s*(.*)$`)
	indexInside   = lazyregexp.New(`(?i)\b(?:GSI|LSI)[-_ ]?\d+\b`)
	indexBefore   = lazyregexp.New("(?i)^`?([A-Za-z0-9_.-]+)`?\\s*\\((?:((?:GSI|LSI)[-_ ]?\\d*)|global secondary index|local secondary index)(?: on [\\w.-]+)?\\)$")
	indexAfter    = lazyregexp.New("(?i)^`?([A-Za-z][A-Za-z0-9_.-]+)`?\\s+(?:\\(?(?:GSI|LSI|global secondary index|local secondary index|secondary index|index)\\)?)(?: table)?$")
	indexLabelled = lazyregexp.New("(?i)^(?:GSI|LSI|(?:global |local )?secondary index|index(?: name)?)\\s*(?:#?\\d+\\s*)?(?::|\\s" + dashes + "\\s)\\s*`?([A-Za-z0-9_.-]+)`?(?:\\s*\\(.*\\))?$")
	indexTicked   = lazyregexp.New("(?i)^(?:GSI|LSI|(?:(?:global|local) )?(?:secondary )?index) `([A-Za-z0-9_.-]+)`(?: \\(.*\\))?$")
	indexBracket  = lazyregexp.New(`(?i)\bsecondary index(?: ?#?\d+)?\s*\(((?:GSI|LSI)[-_ ]?\d+)\)(?:$|\s*[:—–-])`)
	// bareNumber matches what only numbers an index, and gives way to its name.
	bareNumber = lazyregexp.New(`(?i)^(?:GSI|LSI)[-_ ]?\d*$`)
	// namedAsIndex matches the name of an index, and indexInBracket words with it behind them: Orders by Day Index (orders-day-index).
	namedAsIndex   = `(?i:(?:GSI|LSI)[-_][A-Z][\w.-]*|[A-Z][\w.-]*[-_](?:index|gsi|lsi|idx)|[A-Za-z]+Index)`
	indexInBracket = lazyregexp.New(`^[\w .:/-]+ \((` + namedAsIndex + `)\)$`)
	indexNamed     = lazyregexp.New(`^(` + namedAsIndex + `)$`)
	// indexAhead matches the word before a name that is one of an index: GSI `ByDayIndex`.
	indexAhead = lazyregexp.New(`^(?:GSI|LSI) ([A-Za-z]+Index|by[A-Z]\w*|(?i:(?:[a-z]\w*[-_])?by[-_]\w[\w.-]*)|(?i:[A-Z][\w.-]*[-_](?:index|gsi|lsi|idx)))$`)
	// indexCalled matches a name that begins with the word, and what the index is for behind a sign: GSI_EMAIL — login.
	indexCalled   = lazyregexp.New(`^((?:GSI|LSI)[-_][A-Za-z][\w.-]*|[A-Z][\w-]*[-_](?:GSI|LSI))(?: ?[:(]| ` + dashes + ` ).*$`)
	indexForms    = []*lazyregexp.Regexp{indexBracket, indexAhead, indexCalled, indexInBracket, indexNamed, indexBefore, indexLabelled, indexAfter}
	notIndexNames = lazyregexp.New(`(?i)^(gsis?|lsis?|pk|sk|partition|sort|hash|range|projection|purpose|none|name|key|keys|use|type|sparse|billing|table|secondary|keyword|inverted|search|local|global|lookup|this|the|existing|current|each|an|optional|no|index|indexes|primary|required|query|scan|getitem|putitem|yes|true|deleted|dropped|removed|planned|todo|tbd|(?:gsi|lsi|index)_(?:names?|arns?|keys?))$`)
)

// ticked is a text with backticks around what stood in them.
func ticked(i inline) string {
	var out strings.Builder
	at := 0
	for _, s := range i.spans {
		if s.code && s.from >= at {
			out.WriteString(i.text[at:s.from] + "`" + i.text[s.from:s.to] + "`")
			at = s.to
		}
	}
	return out.String() + i.text[at:]
}

// nameParts are the words of a name between hyphens, underscores and blanks, in lower case.
func nameParts(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return c == '-' || c == '_' || c == ' ' })
}

// namesTable reports whether a text can be the name of a table.
func namesTable(name string) bool {
	name = strings.Trim(name, "`")
	return name != "" && tableName.MatchString(name) && !strings.HasPrefix(name, "aws_dynamodb_table") && slices.ContainsFunc(nameParts(name), func(part string) bool { return !slices.Contains(notTables, part) }) && strings.ContainsFunc(name, isLetter)
}

func isLetter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// tableTitle reads the name of a table out of a heading or label. It is weak where the title only
// calls itself a table ("Users Table"): the section has to give its key.
func tableTitle(title inline) (name string, weak bool) {
	clean := strings.TrimRightFunc(cleanTitle(ticked(title)), func(c rune) bool { return c == ' ' || c == '\ufe0f' || unicode.Is(unicode.So, c) }) // "Orders table ✅"
	first := func(rest string) string {
		if rest, _, _ = strings.Cut(rest, " ("); namesTable(rest) {
			return strings.Trim(rest, "`")
		}
		return ""
	}
	for _, form := range []*lazyregexp.Regexp{tickedTable, tableBefore} {
		if match := form.FindStringSubmatch(clean); match != nil {
			return strings.Join(match[1:], ""), false
		}
	}
	if match := bracketTable.FindStringSubmatch(clean); match != nil && namesTable(match[1]) && !insideOther.MatchString(match[2]) { // "Orders (main table)"
		return match[1], true
	}
	if bare, _, _ := strings.Cut(strings.ReplaceAll(clean, "`", ""), " ("); endsInTable.MatchString(bare) && !ofTableAPI.MatchString(bare) { // "OrdersTable (what was bought)"
		return bare, true
	}
	after, before := afterTable.FindStringSubmatch(clean), beforeTable.FindStringSubmatch(clean)
	label, called, _ := strings.Cut(clean, ": ")
	switch words := strings.Fields(label); {
	case after != nil:
		return first(after[1]), false
	case before == nil && strings.HasPrefix(called, "`") && len(words) > 0 && wordOf(words[len(words)-1]) == wTable: // the word for a table in any language
		return first(called), false
	case before == nil, countBehind.MatchString(clean): // "CORE TABLE (1)" is over those of a kind
		return "", false
	case first(before[2]) != "":
		return first(before[2]), false
	}
	name = strings.Trim(before[1], "`")
	words := strings.Fields(name)
	if !slices.ContainsFunc(words, namesTable) || slices.ContainsFunc(words, func(each string) bool { return !namesTable(each) && !besideName.MatchString(each) }) {
		return "", false
	}
	return name, true
}

// indexTitle reads the name of an index out of a heading, a label or the title of a list item, with
// its other names.
func indexTitle(title string) (name string, also []string) {
	clean := strings.Trim(cleanTitle(title), ":* ")
	if match := indexTicked.FindStringSubmatch(clean); match != nil {
		return match[1], nil
	}
	if match := indexLeads.FindStringSubmatch(clean + ":"); match != nil {
		return match[1], nil
	}
	clean = strings.ReplaceAll(clean, "`", "")
	if genericKey.MatchString(clean) {
		return "", nil // GSI1-PK
	}
	if match := numberedIndex.FindStringSubmatch(clean); match != nil && !indexBracket.MatchString(clean) {
		number := strings.Join(strings.Fields(match[1]), "")
		rest := strings.Trim(match[2], " :-–—")
		if joinedName.MatchString(match[2]) {
			return strings.Trim(match[1]+match[2], "`"), nil // GSI1-by-owner
		}
		before, _, _ := strings.Cut(rest, " (")
		// "GSI1 enables" is no name: a sign stands between, or the name is none of the words.
		apart := match[2] == "" || strings.ContainsAny(match[2][:1], "`(-:") || match[2][0] > 127
		bare := strings.Trim(before, "`() ")
		if strings.HasPrefix(match[2], "(") && !namedLike.MatchString(bare) && !strings.Contains(title, "`"+bare+"`") {
			return number, nil // "GSI1 (id)": by what it finds
		}
		if (apart || namedLike.MatchString(bare)) && identifier.MatchString(bare) && !notIndexNames.MatchString(bare) && !genericKey.MatchString(bare) {
			return bare, []string{number}
		}
		return number, nil
	}
	for _, form := range indexForms {
		if match := form.FindStringSubmatch(clean); match != nil && !notIndexNames.MatchString(match[1]) && !genericKey.MatchString(match[1]) {
			if len(match) > 2 && strings.ContainsAny(match[2], "0123456789") { // "GSI" alone is the name of none
				also = []string{strings.Join(strings.Fields(match[2]), "")}
			}
			return match[1], also
		}
	}
	return "", nil
}

var (
	// joinedName is what follows the number in GSI1-by-owner.
	joinedName = lazyregexp.New(`^-[A-Za-z][\w.-]*` + "`?$")
	// genericKey matches names that key attributes alone have.
	genericKey = lazyregexp.New(`(?i)^(?:(?:[a-z]+[-_])*(?:gsi|lsi|gs\d)[-_]?\d*[-_]?(?:[a-z]+[-_])*)?(?:pk|sk)\d?$|^(?:pk|sk)[-_]?(?:gsi|lsi)[-_]?\d*$`)
)

// roleOfName is the role that a generic name tells, "" for none.
func roleOfName(name string) string {
	switch lower := strings.ToLower(name); {
	case !genericKey.MatchString(name):
		return ""
	case strings.Contains(lower, "pk"):
		return Hash
	}
	return Range
}
