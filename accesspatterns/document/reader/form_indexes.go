package reader

import (
	"cmp"
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// What indexes are called, in headings, items and labels, the keys behind their names, and what they project.

// indexPlace is the nearest place that is an index's, below the nearest that is a table's.
func (r *reader) indexPlace(f *frame) *frame {
	at := f.up(func(f *frame) bool { return f.index != nil || f.table != nil })
	if at == nil || at.index == nil {
		return nil
	}
	return at
}

// indexHeading reads "GSI1: by-owner", "by-owner (GSI1)" and the like.
func (r *reader) indexHeading(b *block, at int) {
	f, title, marked := b.frame, ticked(b.text), b.text.marked()
	begins := marked != "" && strings.HasPrefix(b.text.text, marked)
	on := unnamedOn.FindStringSubmatch(title)
	keyed := indexNamed.MatchString(strings.TrimPrefix(b.text.text, "GSI ")) && r.hasHash(f) // "GSI by-mail" over "PK: mail"
	holds := b.kind == itemBlock && (keyed || strings.HasSuffix(strings.TrimSpace(b.text.text), ":")) || r.below[f] && numberedRemark.MatchString(title)
	if on == nil && b.kind == itemBlock && !begins && !holds {
		return
	}
	if on != nil {
		begins = false
	} else if b.kind == textBlock && begins && !b.text.bold() && indexRemark(b.text) || b.kind == itemBlock && !holds {
		// The title of a line is what is marked, or all of it where it ends with a colon.
		title = "`" + marked + "`"
		if inside := bracket.FindString(b.text.text[len(marked):]); isIndexTitle(marked + inside) {
			title = marked + inside
		}
	}
	parent := f.parent.about()
	if parent == topicPatterns && !f.parent.asks() {
		parent = noTopic // by the document's own title
	}
	name, also := indexTitle(title)
	owner := ownerAhead.FindStringSubmatch(cleanTitle(title))
	if owner != nil {
		name = owner[2]
	}
	if known := r.indexNamed(f, strings.ReplaceAll(cleanTitle(title), "`", "")); name == "" && b.kind == headingBlock {
		name = known
	}
	if name == "" && on != nil && r.known(on[1]) == nil && asksFor(b.text) && !phrase("optional").MatchString(b.text.text) {
		name = "GSI on " + on[1] // what its writer calls it
	} else {
		on = nil
	}
	own := marked
	if word := cleanTitle(b.text.text); b.kind == headingBlock && !begins && namedLike.MatchString(word) {
		own, begins = word, true
	}
	coded := strings.HasPrefix(ticked(b.text), "`")
	if name == "" && parent == topicIndexes && begins && (coded || namedLike.MatchString(own)) && r.indexPlace(f.parent) == nil && b.text.bare(own) && r.hasHash(f) && r.known(own) == nil {
		name = own // "`by-user`", or the heading ByUser, over "PK: `user`"
	}
	if numberedIndex.MatchString(name) && len(also) == 0 && b.kind == itemBlock && strings.HasPrefix(b.text.text, marked) { // "**GSI 1**: ByState - what it is for"
		if token := firstField(strings.TrimLeft(b.text.text[len(marked):], ": ")); indexNamed.MatchString(token) {
			name, also = token, []string{name}
		}
	}
	if name == "" || f.table != nil && !f.table.weak || parent == topicExamples || f.topic == topicPatterns || parent == topicPatterns && !r.defined(f, at) ||
		on == nil && b.kind == itemBlock && parent != topicIndexes && !numberedIndex.MatchString(name) && len(also) == 0 && !indexNamed.MatchString(name) && !strings.HasSuffix(strings.ToLower(name), "index") ||
		b.kind == itemBlock && parent != topicIndexes && (parent == topicAttributes || positionName.MatchString(name) || capitals.MatchString(name) && !numberedIndex.MatchString(name)) && !r.hasHash(f) || // an attribute, or the value of an entity type: BIB_INDEX
		b.kind == itemBlock && f.parent.level >= itemLevel && phrase("otherService").MatchString(f.parent.title.text) && !ofDynamo.MatchString(f.parent.title.text) {
		return
	}
	table := r.table(f)
	if match := ofNamed.FindStringSubmatch(title); match != nil && (table == nil || match[1] != "for" && match[2]+match[3] != "") { // "GSI1 on `orders`"
		if named := r.known(match[4]); named != nil {
			table, f.table = named, cmp.Or(f.table, named)
		}
	}
	if match := onNamed.FindStringSubmatch(ticked(b.text)); match != nil { // "`by-owner` on `Boards` to list those of an owner"
		if named := r.known(match[1]); named != nil {
			table, f.table = named, cmp.Or(f.table, named)
		}
	}
	if owner != nil {
		if named := r.known(owner[1]); named != nil || f.up(func(f *frame) bool { return f.table != nil }) == nil {
			table = named // "shop-orders GSI1", also where shop-orders is not read
		}
	}
	if table == nil {
		if b.kind == headingBlock {
			f.index = &Index{At: f.at(b.line), Name: name} // what its section says is of no table
			r.doc.Loose = append(r.doc.Loose, f.index)
		}
		r.unread(b.line, name, noTableOf)
		return
	}
	f.index = table.addIndex(name, f.at(b.line), also...)
	f.index.Local = f.index.Local || localWord.MatchString(title)
	r.done[b.line] = r.done[b.line] || b.kind != itemBlock || keyed
}

// positionName matches the name of an index that may as well be that of an attribute: source_index.
var positionName = lazyregexp.New(`^[a-z]+(?:_[a-z]+)*_index$`)

// unnamedOn matches what a text says of an index that has no name: "GSI on `email`".
var unnamedOn = lazyregexp.New("(?i)^(?:(?:a|one) )?(?:global secondary index|GSI) on `([A-Za-z_]\\w*)`(?:$|[:*]| \\(| [—–-] )")

// bare reports whether a text is a name in backticks or bold type, and at most what a bracket says of it.
func (i inline) bare(name string) bool {
	rest := strings.Trim(strings.TrimPrefix(i.text, name), " :")
	return identifier.MatchString(name) && wordOf(name) == "" && topicOf(name) == noTopic && roleOfName(name) == "" && (rest == "" || strings.HasPrefix(rest, "(") && strings.HasSuffix(rest, ")") && !weighs(rest))
}

// hasHash reports whether a line of the list below an item gives a partition key.
func (r *reader) hasHash(f *frame) bool {
	return slices.ContainsFunc(r.labelled, func(s statement) bool {
		if s.frame.parent != f || s.frame.level <= f.level {
			return false
		}
		items, _ := keyItems(ticked(s.value), false)
		both := wordOf(s.label) == wPrimary && len(items) > 0 && items[0].role == Hash // "Keys: `mail` (PK), `day` (SK)"
		return both || roles[wordOf(s.label)] == Hash && !isNone(s.value.text)
	})
}

// defined reports whether a table of keys with their roles stands in the place of a heading, which is that of no request then.
func (r *reader) defined(f *frame, at int) bool {
	for _, b := range r.blocks[at+1:] {
		if b.frame != f {
			return false
		}
		if b.kind == gridBlock {
			return r.kindOf(b) == rolesGrid
		}
	}
	return false
}

// indexNamed is the name of an index of a place's table with which a title begins.
func (r *reader) indexNamed(f *frame, title string) string {
	table := r.table(f)
	if table == nil {
		return ""
	}
	known, _ := first(table.Indexes, func(x *Index) bool {
		rest, is := strings.CutPrefix(title, x.Name)
		return is && (clauseEnd.MatchString(rest) || strings.HasPrefix(rest, ":"))
	})
	if known == nil {
		return ""
	}
	return known.Name
}

// ofBetween matches what joins an index with its key in other languages: "GSI1 的 Sort Key".
var ofBetween = lazyregexp.New(`(?i)^((?:GSI|LSI)[-_ ]?\d+) ?(?:的|の|의|'s) ?`)

// keyOfIndex reads the label "GSI1 partition key".
func keyOfIndex(label string) (number, role string) {
	if match := numberedIndex.FindStringSubmatch(ofBetween.ReplaceAllString(strings.TrimSpace(label), "$1 ")); match != nil && match[2] != "" {
		number, role = strings.Join(strings.Fields(match[1]), ""), roles[wordOf(match[2])]
		if strings.EqualFold(strings.TrimSpace(match[2]), "sort") { // beside "GSI1 partition"
			role = Range
		}
	}
	return number, role
}

const noTableOf = "an index, and no line says of which table"

// indexOf reads "GSI1: `gsi1pk` (PK), `gsi1sk` (SK)".
func (r *reader) indexOf(s statement, told indexLine) {
	table, items := r.keyed(s.frame, s.line), told.keys
	if table == nil {
		r.unread(s.line, told.name, noTableOf)
		return
	}
	if !allNamed(items) { // forms of values: no name of an attribute
		if bareNumber.MatchString(told.name) && s.frame.meant() && !weighs(s.value.text) && (len(items) == 2 || items[0].role == Hash) {
			table.addIndex(told.name, s.at(), told.also...)
		}
		return
	}
	if len(items) == 2 && items[0].role == Range && items[1].role == Hash && len(items[0].name)+len(items[1].name) == 4 {
		return // of "SK / PK" the names say one thing, and the order another
	}
	index, rest := r.takeIndex(table, s.at(), told)
	if index.Local = index.Local || localWord.MatchString(s.label); !told.whole {
		_, rest = keyItems(ticked(s.value), true)
		rest = r.projectBehind(index, s.line, rest)
	}
	r.done[s.line] = len(rest) < 4
}

// takeIndex gives a table the index that a text says, and returns what behind its keys is not read.
func (r *reader) takeIndex(table *Table, at At, told indexLine) (index *Index, rest string) {
	index = table.addIndex(told.name, at, told.also...)
	if hash, has := table.Key(Hash); told.local {
		if index.Local = true; has && told.keys[0].role == Range {
			r.give(&index.Keys, index.Name, at, keyItem{role: Hash, name: hash.Name, kind: hash.Type, line: hash.Line})
		}
	}
	r.give(&index.Keys, index.Name, at, told.keys...)
	if told.projection != "" && index.Projection.Value == "" {
		index.Projection = Setting{at, told.projection}
	}
	return index, r.projectBehind(index, at.Line, told.behind)
}

// projectBehind reads what an index projects behind its keys, and returns what else stands there.
func (r *reader) projectBehind(index *Index, line int, rest string) string {
	behind := strings.Trim(rest, " ,;:().—–-`")
	label, _, _, _ := split(inline{text: behind})
	if (projectionBehind.MatchString(rest) || wordOf(label) == wProjection) && projectionOf(behind) != "" { // "`day` + `at` (KEYS_ONLY)"
		r.project(index, inline{line: line, text: behind})
		rest = rest[strings.Index(rest, behind)+len(projectionHead.FindString(behind)):]
	}
	return rest
}

// indexLine is what a line, a cell or a value says of an index behind its name.
type indexLine struct {
	name string
	also []string
	keys []keyItem
	// projection is what it projects right behind its keys, and behind what stands there else, where whole says that this was looked at. The
	// keys are roled where each has its role beside it.
	projection, behind  string
	whole, roled, local bool
}

// stemOfKey matches the end of a name that is no part of what it names.
var stemOfKey = lazyregexp.New(`(?:[_-](?:id|at|name)|I[dD]|At|Name)$`)

// nameIndex reads "Index name: `by-owner`", in the place of an index or where one begins.
func (r *reader) nameIndex(s statement, w word) {
	f := s.frame
	name, is := leadOf(s.value)
	told := r.indexSaid(ticked(s.value))
	others, _ := keyItems(ticked(s.value), true)
	if rest := strings.TrimPrefix(s.value.text, name); !strings.HasPrefix(ticked(s.value), "`") {
		is = is && (told.whole || clauseEnd.MatchString(rest) || strings.HasPrefix(rest, " (")) // "GSI: at most 20" names none
	}
	if f.asks() || s.equals || !is || notIndexNames.MatchString(name) || isNone(s.value.text) || told.name == "" && len(others) > 0 && strings.Contains(s.value.text, "(") && w == wIndex {
		return
	}
	if f.level < itemLevel && s.label == f.title.text && f.parent != nil && f.parent.level > 1 && f.parent.table == nil && wordOf(f.parent.title.text) == "" {
		f = f.parent // "#### Index name" over it: the keys stand beside that
	}
	at := f.up(func(f *frame) bool {
		title := wordOf(f.title.text)
		return f.index != nil || f.level <= labelLevel && (title == wIndex || title == wLocal || f.topic == topicIndexes || ofIndex.MatchString(f.title.text)) && s.label != f.title.text
	})
	table := r.table(f)
	if at == nil && w == wName || table == nil {
		return // a table's: its heading names it
	}
	r.done[s.line] = true
	if told.name != "" {
		r.indexOf(s, told)
		return
	}
	if at != nil && at.index != nil && (bareNumber.MatchString(at.index.Name) && !bareNumber.MatchString(name) || name != at.index.Name && strings.Contains(Plain(name), Plain(at.index.Name))) { // of "by-state" below it is the whole name "orders-by-state"
		r.rename(table, at.index, name)
		return
	}
	index := table.addIndex(name, s.at())
	index.Local = index.Local || w == wLocal
	if at == nil || at.topic == topicIndexes && at.level < labelLevel && f.level >= itemLevel {
		at = f
		if up := f.parent; up != nil && up.level >= itemLevel && w == wIndex && up.table == nil && (topicOf(up.title.text) == topicIndexes || indexWord.MatchString(up.title.text)) {
			at = up // "Global secondary index:" over its name, and beside that its keys
		}
	}
	at.index = index
	for _, below := range r.named[f] {
		if at == f && below.index == nil {
			below.index = index
		}
	}
}

// nameOfIndex matches the label of an index's name.
var nameOfIndex = lazyregexp.New(`(?i)^(?:(?:global |local )?(?:secondary )?index|gsi|lsi)[ -]?name$`)

// namesAbove finds the items that name the index of what is listed below them: "Index name: `by-day`".
func (r *reader) namesAbove() {
	last := map[*frame]*frame{} // by the list
	for _, b := range r.blocks {
		if b.kind != itemBlock {
			clear(last)
			continue
		}
		if name := last[b.frame.parent]; name != nil {
			r.above[b.frame], r.named[name] = name, append(r.named[name], b.frame)
		}
		if label, value, _, is := split(b.text); is && (nameOfIndex.MatchString(label) || spell(label) == "name" && b.frame.about() == topicIndexes) && !isNone(value.text) {
			last[b.frame.parent] = b.frame
		} else if is && wordOf(label) == wTable {
			delete(last, b.frame.parent)
		}
	}
}

// projectionOf is the projection that a text begins with, alone or behind the word for it in any language: "Proyección: ALL".
func projectionOf(text string) string {
	head := projectionHead.FindStringSubmatch(text)
	if head == nil || head[1] != "" && wordOf(head[1]) != wProjection {
		return ""
	}
	return cmp.Or(strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToUpper(head[2])), "ALL")
}

// besideKeys matches what adds attributes to the keys that an index projects.
var besideKeys = lazyregexp.New("^(?:\\+|plus|and|with) ?`")

// project reads what an index projects: ALL, KEYS_ONLY, or INCLUDE with a list that is nothing but
// names.
func (r *reader) project(index *Index, value inline) {
	head, kind := "", projectionOf(value.text)
	switch marked := value.code(); {
	case kind != "":
		head = projectionHead.FindString(value.text)
	case len(marked) > 0 && strings.ReplaceAll(strings.Join(marked, ","), ", ", ",") == strings.ReplaceAll(value.text, ", ", ","): // a list and nothing else
		kind = "INCLUDE"
	case len(marked) == 1 && projectionAlone.MatchString(marked[0]): // "all attributes in another language (`ALL`)"
		head, kind = value.text, marked[0]
	}
	if kind == "" || index.Projection.Value != "" {
		return
	}
	rest := strings.TrimLeft(ticked(value.slice(len(head), len(value.text))), " :([")
	if more := besideKeys.FindString(rest); more != "" && kind == "KEYS_ONLY" { // "KEYS_ONLY + `state`"
		kind, rest = "INCLUDE", rest[len(more)-1:]
	}
	index.Projection = Setting{At{value.line, Said}, kind}
	if marked := value.code(); len(marked) == 1 && strings.Contains(marked[0], ", ") {
		rest = strings.Trim(rest, "`") // "`state, amount`", all in one
	}
	for kind == "INCLUDE" {
		match := included.FindStringSubmatch(rest) // a name that is no word of a sentence
		if match == nil {
			break
		}
		index.Include, rest = append(index.Include, match[1]+match[2]), rest[len(match[0]):]
		if !strings.Contains(match[0], ",") {
			break
		}
	}
	r.done[value.line] = kind != "INCLUDE" || len(index.Include) > 0
}
