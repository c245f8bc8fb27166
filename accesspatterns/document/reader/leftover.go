package reader

import (
	"cmp"
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// speaks matches a line that says something of keys, indexes, items or requests.
var speaks = lazyregexp.New("(?i)`|\\b(?:pk|sk|gsis?\\d*\\w*|lsis?\\d*|partitions?|sort key|range key|hash key|primary key|index(?:es)?|tables?|dynamodb|ttl|time to live|expir\\w+|stream\\w*|billing|on-demand|pay[- ]per[- ]\\w+|provisioned|projections?|projects|query|queries|scans?|getitem|putitem|updateitem|deleteitem|batch\\w*|transact\\w*|begins_with|attributes?|keys?|filter\\w*|limit\\w*|unique\\w*|sparse|items?|pitr|point-in-time)\\b|(?-i:[a-z]Tables?)\\b|\\((?:hash|range)\\b|#[A-Za-z{<]|[A-Z]#")

// nameForm matches a line that is a name with placeholders and nothing else: {stage}-orders.
var nameForm = lazyregexp.New(`^[\w.-]*\{\w+\}[\w.-]*[_.-][\w.{}-]*$`)

// patternLabel matches the label of a purpose that is asked of the tables: "Write pattern: keep the calls of a client".
var patternLabel = lazyregexp.New(`(?i)\b(?:access|read|write|query) patterns?$`)

// formsLost are the rows of attributes whose cells have the form of a key that is read of no kind of items: they are not read, whatever else they say.
func (r *reader) formsLost() {
	read := map[int]bool{}
	for _, e := range r.doc.Entities {
		for _, key := range e.Keys {
			read[key.Line] = true
		}
	}
	for _, table := range r.all {
		for _, index := range table.Indexes {
			for _, key := range index.Templates {
				read[key.Line] = true
			}
		}
	}
	for _, b := range r.blocks {
		formed := func(row []inline) bool { return strings.Contains(rowText(row), "#") && !read[rowLine(row)] }
		if b.kind != gridBlock || !slices.ContainsFunc(b.rows, formed) || r.kindOf(b) != attributesGrid {
			continue
		}
		at := max(columnsOf(b).at(wAttribute, wName), 0)
		for _, row := range b.rows {
			if name, _ := leadOf(row[at]); formed(row) && (r.keyNames[name] || genericKey.MatchString(name)) {
				delete(r.done, rowLine(row))
			}
		}
	}
}

// leftover names every line that says something and that no form read, or read in part.
func (r *reader) leftover() {
	r.formsLost()
	for _, b := range r.blocks {
		say := func(line int, text, why string) {
			if line > 0 && !r.done[line] && strings.TrimSpace(text) != "" {
				if phrase("unnamedIndex").MatchString(strings.ReplaceAll(text, "`", "")) {
					why = "an index that no line names: no form reads it"
				}
				r.unread(line, strings.TrimSpace(text), why)
			}
		}
		switch b.kind {
		case headingBlock:
			read := slices.ContainsFunc(r.doc.Patterns, func(p *Pattern) bool { return p.Line == b.line })
			if !read && isIndexTitle(ticked(b.text)) || !read && speaks.MatchString(ticked(b.text)) && wordOf(b.text.text) == "" && topicOf(b.text.text) == noTopic {
				say(b.line, b.text.text, "no form reads this heading")
			}
		case textBlock:
			label, value, _, is := split(b.text)
			if titles := b.titles() && (wordOf(b.text.text) != "" || topicOf(b.text.text) != noTopic); !titles && is && !r.done[b.line] && value.text != "" && b.frame.asks() && patternLabel.MatchString(label) {
				r.notAsked(b.line, b.text.text, "no form reads what this label says of an access pattern")
			} else if speaks.MatchString(ticked(b.text)) && !titles {
				say(b.line, b.text.text, "a sentence: no form reads it")
			}
		case itemBlock:
			about := b.frame.about()
			for _, part := range b.parts {
				if speaks.MatchString(ticked(part)) || tablesOf.MatchString(b.frame.sectionTitle()) || about != noTopic && about != topicExamples && about != topicOther {
					known := len(r.doc.Unread)
					say(part.line, part.text, "no form reads this line of a list")
					if len(r.doc.Unread) > known {
						r.doc.Unread[known].Asked = about == topicPatterns
					}
				}
			}
		case gridBlock:
			told := slices.ContainsFunc(columnsOf(b), func(w word) bool { return w != "" && w != wSilent })
			for _, row := range b.rows {
				if !told && !speaks.MatchString(rowText(row)) && len(joined(row).code()) == 0 {
					continue // of something else
				}
				say(rowLine(row), rowText(row), "no form reads a row of this table: its header cells are "+rowText(b.header))
			}
		case codeBlock:
			told := b.frame.about() == topicPatterns || definesTable(b)
			for _, line := range b.filled() {
				if _, _, _, is := split(line); !told && !is && !speaks.MatchString(line.text) && !strings.Contains(line.text, "\":") && !nameForm.MatchString(line.text) {
					continue // of something else
				}
				say(line.line, line.text, "no form reads this line of a fence")
			}
		}
	}
	for n, line := range r.doc.Text {
		if !r.done[n+1] && strings.TrimSpace(line) != "" {
			r.doc.Rest = append(r.doc.Rest, n+1)
		}
	}
	r.titlesOfKeys()
	r.titleLists()
	r.restated()
	slices.SortStableFunc(r.doc.Unread, func(a, b Unread) int { return cmp.Compare(a.Line, b.Line) })
}

// titlesOfKeys names the titles below which a line speaks of keys, and no form reads it: each may be that of a table, an index or a kind of item.
func (r *reader) titlesOfKeys() {
	var title *block
	for _, b := range append(slices.Clone(r.blocks), &block{kind: headingBlock, line: len(r.doc.Text) + 1}) {
		if b.kind != headingBlock {
			continue
		}
		if title != nil && title.frame.level > 1 && !r.done[title.line] && slices.ContainsFunc(r.doc.Unread, func(u Unread) bool {
			return u.Line > title.line && u.Line < b.line && keyWord.MatchString(u.Text)
		}) {
			r.unread(title.line, title.text.text, "no form reads this heading, below which a line speaks of keys")
		}
		title = b
	}
}

var (
	// asking matches a title that says "access patterns".
	asking = lazyregexp.New(`(?i)` + accessPatterns + `|` + moreAccessPatterns + `|\b(?:table|index|design|schema|model|we) (?:\w+ )?(?:supports?|allows?|answers?|serves?) (?:the following|these) queries\W*$|\bqueries (?:like|such as)\W*$`)
	// requestWord matches what only a request of DynamoDB has.
	requestWord = lazyregexp.New(`(?i)\bKeyConditionExpression\b|\bTableName\b|--table-name\b|\bdynamodb\b|\b(?:get|put|update|delete)_?item\b|\b(?:query|scan|batchget|batchwrite|transactwrite|transactget)(?:items?)?command\b|\b(?:gsi\d*_?)?[ps]k\b["']?\s*(?:[=:]|begins_with)|^(?:GET|POST|PUT|PATCH|DELETE) (?:/[a-z{:][\w{}:?=&.-]*)+$`)
	// queriesTitle matches a title over headings of queries.
	queriesTitle = lazyregexp.New(`(?i)\b(?:query|read) patterns?\b|\bquery(?:ing)? examples?\b|\b(?:example|common|key|main|sample|supported) queries\b`)
	// asksByVerb matches a title that begins with what is done to items, and not with a word that may be a noun.
	asksByVerb = lazyregexp.New(`(?i)^(?:(?:get|find|fetch|retrieve|busca\w*|create|add|insert|save|update|delete|remove|register|assign|cancel) [^ /]+.*|(?:list|query|search|scan|store|count|look ?up) .*\b(?:by|for|of|from|in|all|an?|the|new|with)\b.*)$`)
	// usedBy matches a remark on the access pattern above it.
	usedBy = lazyregexp.New(`(?i)^used (?:by|for|in|to|when)\b`)
	// crossed matches an item of a list that is open, or crossed out, and checked the sign of one that is done.
	crossed = lazyregexp.New(`^(?:\[ \]|~~)`)
	checked = lazyregexp.New(`^\[[xX]\] `)
)

// asksFor reports whether a text is not of what may be, is not asked, or another store answers.
func asksFor(text inline) bool {
	return !weighs(text.text) && !phrase("denied").MatchString(text.text) && !phrase("notYet").MatchString(text.text) && !phrase("unasked").MatchString(text.text) && !ofOther(text)
}

// titleLists reads the lists right below titles that say "access patterns": of an item of which no form reads the request it is certain
// that the document asks for it, and nothing else.
func (r *reader) titleLists() {
	var places []*frame
	lists, doubted := map[*frame][]int{}, map[*frame]bool{} // the items of a place, by their blocks
	for n, b := range r.blocks {
		at := b.frame.parent
		if n > 0 && r.blocks[n-1].kind == textBlock && weighs(r.blocks[n-1].text.text) {
			doubted[at] = true // by the words above the list
		}
		titles := b.titles() && asksByVerb.MatchString(cleanTitle(b.text.text)) && callsRequest(b.text) && !phrase("ofDesign").MatchString(b.text.text) && n+1 < len(r.blocks) && r.showsRequest(r.blocks[n+1])
		if b.kind != itemBlock && !titles || !at.listsTitles(titles) && !(r.ofTable(at) && asksOf(b.text)) && !(r.byVerbs(at) && b.kind == itemBlock) || doubted[at] || r.flows[at] || !b.frame.meant() || r.advises(b) {
			continue
		}
		if lists[at] == nil {
			places = append(places, at)
		}
		lists[at] = append(lists[at], n)
	}
	read := make([]bool, len(r.doc.Text)+1) // the lines of the patterns that are read
	for _, p := range r.doc.Patterns {
		for line := p.Line; line <= p.Last; line++ {
			read[line] = true
		}
	}
	for _, at := range places {
		asked := slices.ContainsFunc(lists[at], func(n int) bool { return read[r.blocks[n].line] })
		sentence := func(n int) bool {
			_, ofTitles := listedTitle(r.blocks[n].text, asked)
			return !ofTitles && !read[r.blocks[n].line]
		}
		if r.byVerbs(at) || slices.ContainsFunc(lists[at], sentence) {
			all := len(lists[at])
			lists[at] = slices.DeleteFunc(lists[at], func(n int) bool {
				title := strings.TrimLeft(cleanTitle(checked.ReplaceAllString(r.blocks[n].text.text, "")), "✅✔☑✓\ufe0f ")
				return sentence(n) || !asksByVerb.MatchString(title) && !narrows.MatchString(title) && !toldByWho.MatchString(title)
			})
			if asked := len(lists[at]); asked < 2 || asked*3 < all*2 {
				continue
			}
		}
		for _, p := range r.titlesOf(lists[at], read, asked) {
			r.addPattern(p)
		}
	}
	slices.SortStableFunc(r.doc.Patterns, func(a, b *Pattern) int { return cmp.Compare(a.Line, b.Line) })
}

// showsRequest reports whether a block is a fence with a request of DynamoDB: with one of its words, the name of an index, or a key that only its tables have,
// or a route of HTTP.
func (r *reader) showsRequest(b *block) bool {
	return b.kind == codeBlock && !definesTable(b) && slices.ContainsFunc(b.filled(), func(line inline) bool {
		return requestWord.MatchString(line.text) || slices.ContainsFunc(r.all, func(t *Table) bool {
			return slices.ContainsFunc(t.Indexes, func(x *Index) bool { return HasWord(line.text, x.Name) })
		})
	})
}

// listsTitles reports whether what stands right below a place, the items of a list or titles, are access patterns by its title, nil for none.
func (f *frame) listsTitles(titles bool) bool {
	return f != nil && f.level > 1 && f.topic == topicPatterns && (asking.MatchString(f.title.text) || titles && queriesTitle.MatchString(f.title.text)) && !phrase("unasked").MatchString(f.title.text)
}

// narrows matches a title that says by what is searched, beside others.
var narrows = lazyregexp.New(`(?i)^(?:search|filter|sort|check) (?:by|for|the)\b`)

// partOfTitles reports whether a place is a part right below a title that says "access patterns", of no table by its name and no index: "Bookings", "**Reads**".
func (r *reader) partOfTitles(f *frame) bool {
	return f != nil && f.level > 1 && (f.level < labelLevel || f.level == labelLevel && !f.listsTitles(false)) && (f.topic == noTopic || f.topic == topicPatterns) && f.parent.listsTitles(false) && !r.ofTable(f) &&
		!isIndexTitle(ticked(f.title)) && wordOf(f.title.text) == "" && asksFor(f.title) && !phrase("unasked").MatchString(f.title.text)
}

// byVerbs reports whether nearly all that a list in a place asks begins with a verb: in a part of access patterns by any name, and below a title on queries.
func (r *reader) byVerbs(f *frame) bool {
	return r.partOfTitles(f) || !f.listsTitles(false) && f.listsTitles(true)
}

// ofTable reports whether a place is a part on a table by its name, right below a title that says "access patterns".
func (r *reader) ofTable(f *frame) bool {
	return f != nil && f.level < labelLevel && f.parent.listsTitles(false) && (r.known(f.title.text) != nil || r.known(f.title.text+"s") != nil)
}

// asksOf reports whether a text says by a verb what is done to items.
func asksOf(text inline) bool {
	return asksByVerb.MatchString(text.text) || phrase("reads").MatchString(text.text) || phrase("changes").MatchString(text.text)
}

// titlesOf are the patterns of the items of a list of titles whose lines are not read.
func (r *reader) titlesOf(items []int, read []bool, asked bool) (all []*Pattern) {
	for _, n := range items {
		b, end := r.blocks[n], len(read)
		for i, other := range r.blocks[n+1:] {
			if i == 0 && other.kind == codeBlock {
				continue // right below its title
			}
			if other.line > b.line && other.frame.up(func(above *frame) bool { return above == b.frame }) == nil {
				end = other.line
				break
			}
		}
		if slices.Contains(read[b.line:end], true) {
			continue
		}
		title, _ := listedTitle(b.text, asked)
		if title == "" {
			continue
		}
		p := r.newPattern(b.frame, title, b.line, true)
		p.Text = ticked(b.text)
		if of := r.indexPlace(b.frame); of != nil {
			p.Index = of.index.Name
		} else if told := usesIndex.FindStringSubmatch(p.Text); told != nil && r.indexIn(p, nil, told[1]) && phrase("reads").MatchString(p.Title) {
			p.Operation = "Query"
		}
		all = append(all, p)
	}
	return all
}

// usesIndex matches a remark behind an arrow that names the index and nothing else: "Orders of a day → Uses `by-day-index`".
var usesIndex = lazyregexp.New("(?i)(?:→|->|=>) (?:uses?|using|via) `?([\\w.-]+)`?$")

// stateVerb matches the verb of a clause within a title: "Find how often a quay is used".
var stateVerb = lazyregexp.New(`(?i)\b(?:is|are|has|have)\b`)

// toldByVerb matches what is asked in a whole sentence that begins with its verb, or two: "Create/list the seasons of a league".
var toldByVerb = lazyregexp.New(`(?i)^(?:get|find|fetch|read|retrieve|list|query|search|look ?up|create|add|insert|save|store|update|delete|remove|register|assign|cancel|link|grant|count|check|record|mark|replace|continue|move|close|publish|write|put|upsert|set|show|load|scan|rename|archive|restore|verify|resolve)(?:/[a-z]+)? [^,;:]+$`)

// toldByWho matches what is asked in a sentence on who does it: "A member reads the scores of a group".
var toldByWho = lazyregexp.New(`(?i)^((?:an? |the |each |every )?(?:\pL[\pL-]*/?(?: |\pL* )){1,2}?)(?:reads|writes|creates|lists|views|sees|gets|fetches|finds|updates|deletes|removes|adds|joins|loads|saves|stores|searches|checks|submits|publishes)(?:/[a-z]+)? `)

// firstClause matches the first clause of an item, and what goes on behind it.
var firstClause = lazyregexp.New(`^(.+?)(?:\.|[.;] (.+))$`)

// readByVerb matches what reads things of something, whatever they are called: "list keys and workloads of a mill".
var readByVerb = lazyregexp.New(`(?i)^(?:get|fetch|list|query|find) .+ (?:for|of|by) (?:an? |the )?\pL+(?: \pL+)?\.?$`)

// methodBehind matches how a request is made, behind what it is for: "by `id` with a consistent read".
var methodBehind = lazyregexp.New(`(?i) (?:using|with an? (?:strongly )?consistent read|by querying)\b.*$`)

// viaIndex matches a remark that an index answers: "List the carts (via GSI)".
var viaIndex = lazyregexp.New(`(?i) \((?:via|using|through|uses?) [^()]*\)$`)

// listedTitle is the title of an access pattern that an item of a list is; empty for what is not asked, or has a remark in place of a
// request, where its title does not begin with a verb beside items with a request. A sentence, a label, or what is said of the tables says that the list is
// none of titles.
func listedTitle(text inline, asked bool) (title string, ofTitles bool) {
	title, behind, _, is := split(text)
	if before, _, inside := strings.Cut(title, " ("); inside && !strings.Contains(title, ")") { // "newest first (ScanIndexForward: false)"
		title, behind = before, inline{}
	}
	if at := arrow.FindStringIndex(text.text); !is && at != nil {
		title, behind = text.text[:at[0]], text.slice(at[1], len(text.text))
	} else if !is {
		title = text.text
	}
	if told := firstClause.FindStringSubmatch(title); behind.text == "" && told != nil && (toldByVerb.MatchString(told[1]) && told[2] == "" || toldByWho.MatchString(told[1])) {
		title = told[1]
	}
	bold := len(text.spans) > 0 && !text.spans[0].code && text.spans[0].from == 0 && titled.MatchString(text.part(text.spans[0])) && !phrase("ofSystem").MatchString(title) && !phrase("otherTime").MatchString(title) && !phrase("answered").MatchString(behind.text)
	beside := asked && asksByVerb.MatchString(title) && !phrase("otherTime").MatchString(title) && !phrase("answered").MatchString(behind.text)
	done := toldByWho.ReplaceAllString(title, "$1")
	remarks := behind.text != "" && len(behind.code()) == 0 && !operations.MatchString(behind.text) && !bold && !beside
	switch {
	case !strings.Contains(title, " ") && !(relates.MatchString(title) && asksOf(text)), !asksFor(text), crossed.MatchString(text.text), remarks, usedBy.MatchString(title), strings.HasPrefix(toldByWho.ReplaceAllString(title, ""), "no "):
		return "", true
	case phrase("ofDesign").MatchString(methodBehind.ReplaceAllString(viaIndex.ReplaceAllString(done, ""), "")) && !readByVerb.MatchString(title) && !((asksByVerb.MatchString(title) || done != title) && !phrase("ofDesign").MatchString(stateVerb.ReplaceAllString(done, ""))), wordOf(title) != "", strings.HasPrefix(ticked(text), "`"), strings.HasSuffix(title, "."), !titled.MatchString(title):
		return "", false
	}
	return title, true
}
