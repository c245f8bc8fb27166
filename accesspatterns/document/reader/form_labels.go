package reader

import (
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// Labels: "Partition key: `id` (String)", as a list item, a line, a bold line, a row of a table of
// settings, a heading over a fence with one value, or a line of a fence. The label is one of the
// words of the field, and the place says of what: a table's section, or an index's.

// statement is a label with its value.
type statement struct {
	label string
	value inline
	line  int
	// equals is set for "pk = X".
	equals bool
	frame  *frame
}

var (
	labelled = lazyregexp.New(`^([\pL][\pL\d .,/()&'’‑_-]{0,45}?)\s*:\s+(\S.*)$`)
	assigned = lazyregexp.New(`^([A-Za-z_][A-Za-z0-9_.-]*)\s*=\s*(\S.*)$`)
)

// split takes a line apart at the colon or equals sign behind its label.
func split(text inline) (label string, value inline, equals, is bool) {
	if len(text.spans) > 0 && text.spans[0].from == 0 && !strings.ContainsAny(text.part(text.spans[0]), "={#") {
		first := text.spans[0]
		marked, rest := strings.TrimSpace(text.part(first)), text.text[first.to:]
		trimmedRest := strings.TrimLeft(rest, " ")
		switch {
		case strings.HasSuffix(marked, ":") && !first.code:
			return marked, trimmed(text.slice(first.to, len(text.text))), false, true
		case strings.HasPrefix(trimmedRest, ":"), strings.HasPrefix(trimmedRest, "= "):
			at := len(text.text) - len(trimmedRest) + 1
			return marked, trimmed(text.slice(at, len(text.text))), trimmedRest[0] == '=', true
		case strings.HasPrefix(trimmedRest, "— "), strings.HasPrefix(trimmedRest, "– "), strings.HasPrefix(trimmedRest, "- "):
			at := len(text.text) - len(trimmedRest) + strings.IndexByte(trimmedRest, ' ')
			return marked, trimmed(text.slice(at, len(text.text))), false, true
		case strings.HasPrefix(trimmedRest, "("):
			if end := strings.Index(trimmedRest, "):"); end > 0 {
				at := len(text.text) - len(trimmedRest) + end + 2
				return marked + " " + trimmedRest[:end+1], trimmed(text.slice(at, len(text.text))), false, true
			}
		}
	}
	for _, form := range []*lazyregexp.Regexp{labelled, assigned} {
		if at := form.FindStringSubmatchIndex(text.text); at != nil {
			return text.text[at[2]:at[3]], text.slice(at[4], len(text.text)), form == assigned, true
		}
	}
	return "", inline{}, false, false
}

// segments are the statements of a line between its bars: "Table: `a` | Keys: PK, SK". Behind the name of a table
// they need no label.
func segments(line inline) []inline {
	var all []inline
	from, ofTable := 0, false
	for _, part := range strings.Split(line.text, " | ") {
		segment := trimmed(line.slice(from, from+len(part)))
		if label, _, _, is := split(segment); (!is || wordOf(label) == "") && len(all) == 0 || len(all) > 0 && !is && !ofTable {
			return []inline{line}
		} else if len(all) == 0 {
			ofTable = wordOf(label) == wTable
		}
		all, from = append(all, segment), from+len(part)+3
	}
	return all
}

// lines are the lines of a block that can be statements: of a fence those where all lines are.
func (b *block) lines() []inline {
	switch b.kind {
	case textBlock:
		return []inline{b.text}
	case itemBlock:
		if len(b.parts) > 1 {
			all := slices.Clone(b.parts)
			for i := 1; i < len(all); i++ {
				if _, _, _, is := split(all[i]); !is {
					return []inline{b.text}
				}
			}
			return all
		}
		return []inline{b.text}
	case codeBlock:
		var all []inline
		for n, line := range b.code {
			text := strings.TrimSpace(line)
			if text == "" {
				continue
			}
			line := inline{line: b.line + n, text: strings.TrimLeft(text, "-*• ")}
			if _, _, _, is := split(line); !is {
				return nil
			}
			all = append(all, line)
		}
		return all
	}
	return nil
}

// single returns the one line of a fence, and whether there is only one.
func (b *block) single() (inline, bool) {
	filled := slices.DeleteFunc(slices.Clone(b.code), func(line string) bool { return strings.TrimSpace(line) == "" })
	if b.kind != codeBlock || len(filled) != 1 {
		return inline{}, false
	}
	n := slices.Index(b.code, filled[0])
	return inline{line: b.line + n, text: strings.TrimSpace(filled[0])}, true
}

// statements returns all labels of a document with their values.
func (r *reader) statements() []statement {
	var all []statement
	for n, b := range r.blocks {
		if b.frame.foreign() {
			continue
		}
		switch b.kind {
		case headingBlock, gridBlock:
		default:
			if b.kind == codeBlock && (b.frame.asks() || definesTable(b)) {
				continue
			}
			for _, line := range b.lines() {
				for _, part := range segments(line) {
					if label, value, equals, is := split(part); is {
						all = append(all, statement{label, value, line.line, equals, b.frame})
					}
				}
			}
		}
		// A heading or label over one value.
		if f := b.frame; (b.kind == headingBlock || b.kind == textBlock && f.level == labelLevel && f.title.line == b.line) && n+1 < len(r.blocks) {
			next := r.blocks[n+1]
			value, is := next.single()
			if w := wordOf(f.title.text); next.kind == textBlock && next.alone && next.frame == f && (w == wBilling || w == wProjection || w == wRegion || w == wTable && len(next.text.spans) == 1 && next.text.part(next.text.spans[0]) == next.text.text) {
				value, is = next.text, true
			}
			if is && wordOf(f.title.text) != "" {
				all = append(all, statement{f.title.text, value, value.line, false, f})
			}
		}
		if b.kind == gridBlock {
			all = append(all, r.settingRows(b)...)
		}
	}
	return all
}

// settingRows are the rows of a table of two columns, a setting and its value.
func (r *reader) settingRows(b *block) []statement {
	c := columnsOf(b)
	var all []statement
	if len(b.header) != 2 && !(len(b.header) == 3 && c.word(2) == wSilent) || c.word(0) != wSetting && c.word(0) != wEntity && c.word(0) != wAttribute && c.word(0) != wRole {
		return nil
	}
	if second := c.word(1); second != wValue && second != wSilent && second != wPattern && second != wSetting {
		return nil
	}
	for _, row := range b.rows {
		if len(row) < 2 {
			continue
		}
		switch w := wordOf(row[0].text); w {
		case wHash, wRange, wTable, wIndex, wLocal, wProjection, wBilling, wTTL, wStream, wPITR, wRegion, wName, wPrimary:
			all = append(all, statement{row[0].text, row[1], row[0].line, false, b.frame})
		}
	}
	return all
}

// tables finds what the tables are called: in headings, labels, lists of tables and definitions.
func (r *reader) tables() {
	for _, b := range r.blocks {
		if b.frame.foreign() {
			continue
		}
		if f := b.frame; b.kind == headingBlock || b.kind == textBlock && f.level == labelLevel && f.title.line == b.line {
			name, weak := tableTitle(b.text)
			if f.parent != nil && name == "" && f.level < labelLevel && tablesTitle.MatchString(cleanTitle(f.parent.title.text)) && namesTable(cleanTitle(b.text.text)) && wordOf(b.text.text) == "" {
				name, weak = cleanTitle(b.text.text), len(b.text.code()) == 0
			}
			if name != "" && f.table == nil {
				f.table = r.addTable(name, At{b.line, f.sure()})
				if weak && f.table.Line == b.line {
					r.weak[f.table] = true
				}
				r.done[b.line] = true
			}
		}
		if b.kind == gridBlock {
			r.tableGrid(b)
		}
		if match := tickedTable.FindStringSubmatch(strings.TrimRight(ticked(b.text), ". ")); match != nil && b.kind == textBlock && match[1] != "" {
			r.named[r.addTable(match[1], At{b.line, b.frame.sure()})] = true
			r.done[b.line] = true
		}
	}
	for _, b := range r.blocks {
		if !b.frame.foreign() {
			r.tableSentences(b)
		}
	}
	for _, s := range r.statements() {
		if wordOf(s.label) == wTable && !s.equals && r.indexPlace(s.frame) == nil {
			r.nameTable(s)
		}
	}
}

// tablesTitle matches the heading of a part whose headings are tables.
var tablesTitle = lazyregexp.New(`(?i)^(?:dynamodb )?tables?(?: designs?| definitions?| schemas?| list)?$`)

// nameTable reads "Table name: `orders`".
func (r *reader) nameTable(s statement) {
	name := strings.Trim(s.value.text, "\"' .,;")
	if codes := s.value.code(); len(codes) > 0 && strings.HasPrefix(s.value.text, codes[0]) {
		name = codes[0]
	} else if marked := s.value.marked(); marked != "" && strings.HasPrefix(s.value.text, marked) {
		name = marked
	} else if before, _, found := strings.Cut(name, " | "); found {
		name = before
	} else if before, _, found := strings.Cut(name, " ("); found {
		name = before
	}
	if !namesTable(name) {
		return
	}
	r.done[s.line] = true
	section := s.frame.up(func(f *frame) bool { return f.table != nil })
	if section != nil {
		// What only a heading named has this name.
		if table := section.table; !r.named[table] && r.known(name) == nil {
			table.Also, table.Name = append(table.Also, table.Name), name
			r.named[table] = true
			delete(r.weak, table)
			return
		}
	}
	table := r.addTable(name, At{s.line, s.frame.sure()})
	r.named[table] = true
	delete(r.weak, table)
	if at := s.frame.heading(); at != nil && at.table == nil && section == nil && at.level > 1 {
		for at.parent != nil && (at.level >= labelLevel || wordOf(at.title.text) != "" || at.topic == topicKeys) && at.parent.level > 1 {
			at = at.parent
		}
		if at.level > 1 && at.level < labelLevel {
			at.table = table
		}
	}
}

// schema reads keys, indexes and settings.
func (r *reader) schema() {
	for _, b := range r.blocks {
		f := b.frame
		if f.foreign() {
			continue
		}
		if b.kind == headingBlock || f.level >= labelLevel && f.title.line == b.line && (b.kind == textBlock || b.kind == itemBlock) {
			r.indexHeading(b)
		}
		r.indexSentences(b)
		switch b.kind {
		case gridBlock:
			r.schemaGrid(b)
		case codeBlock:
			if !r.definition(b) {
				r.keyNamesInFence(b)
			}
		}
	}
	r.dataModel()
	// Under a heading of something else an index is that of the lines that follow without a gap.
	var running *Index
	last := statement{}
	for _, s := range r.statements() {
		if running != nil && (s.frame != last.frame || s.line != last.line+1) {
			running = nil
		}
		before := s.frame.index
		if running != nil {
			s.frame.index = running
		}
		r.state(s)
		if running != nil && s.frame.index == running {
			s.frame.index = before
		}
		if before == nil && s.frame.index != nil && s.frame.level < labelLevel && s.frame.topic != topicIndexes && wordOf(s.frame.title.text) != wIndex {
			running, s.frame.index = s.frame.index, nil
		}
		last = s
	}
	for _, b := range r.blocks {
		if b.frame.foreign() {
			continue
		}
		if b.kind == headingBlock || b.kind == itemBlock {
			r.billingAlone(b)
		}
		if b.kind == textBlock || b.kind == itemBlock {
			r.said(b)
		}
	}
	for _, b := range r.blocks {
		if b.kind == textBlock || b.kind == itemBlock {
			for _, line := range b.lines() {
				for _, part := range segments(line) {
					if done := r.done[line.line]; !b.frame.foreign() && (!done || part.text != line.text) {
						delete(r.done, line.line)
						r.keyLine(b, part)
						r.done[line.line] = done || r.done[line.line]
					}
				}
			}
		}
	}
	for _, b := range r.blocks {
		r.headerIndexes(b)
	}
}

var modeAlone = lazyregexp.New(`(?i)^(?:pay[- _]per[- _]request|on[- ]demand|provisioned)(?: billing| capacity| mode)*(?: \(.*\))?$`)

// billingAlone reads a heading or list item that is a billing mode and nothing else: of the table of
// its section, or of all.
func (r *reader) billingAlone(b *block) {
	text := cleanTitle(b.text.text)
	if !modeAlone.MatchString(text) || b.kind == headingBlock && !strings.HasSuffix(strings.ToLower(text), "billing") || b.frame.foreign() || b.frame.sure() != Said {
		return
	}
	of := r.all
	if table := r.table(b.frame); table != nil {
		of = []*Table{table}
	}
	for _, table := range of {
		if len(table.Billing) == 0 {
			table.Billing = append(table.Billing, Setting{At{b.line, Said}, billingOf(text)})
		}
	}
	r.done[b.line] = true
}

// indexPlace is the nearest place that is an index's, below the nearest that is a table's.
func (r *reader) indexPlace(f *frame) *frame {
	at := f.up(func(f *frame) bool { return f.index != nil || f.table != nil })
	if at == nil || at.index == nil {
		return nil
	}
	return at
}

// indexHeading reads "GSI1: by-owner", "by-owner (GSI1)" and the like.
func (r *reader) indexHeading(b *block) {
	f := b.frame
	title := ticked(b.text)
	if b.kind == itemBlock {
		// The title of an item is what is marked, or all of it where it ends with a colon.
		switch {
		case strings.HasSuffix(strings.TrimSpace(b.text.text), ":"):
		case b.text.marked() != "" && strings.HasPrefix(b.text.text, b.text.marked()):
			title = "`" + b.text.marked() + "`"
			if _, rest, is := strings.Cut(b.text.text, b.text.marked()); is && strings.HasPrefix(rest, " (") {
				if end := strings.IndexByte(rest, ')'); end > 0 {
					title = b.text.marked() + rest[:end+1]
				}
			}
		default:
			return
		}
	}
	parent := noTopic
	if f.parent != nil {
		parent = f.parent.about()
	}
	if parent == topicPatterns || parent == topicExamples || f.topic == topicPatterns {
		return
	}
	name, also := indexTitle(title)
	if name == "" && parent == topicIndexes && f.names() {
		if bare := strings.Trim(cleanTitle(title), "`:* "); identifier.MatchString(bare) && !notIndexNames.MatchString(bare) && !genericKey.MatchString(bare) && (namedLike.MatchString(bare) || b.text.marked() == bare) {
			name = bare
		}
	}
	if name == "" || f.table != nil && !r.weak[f.table] {
		return
	}
	if b.kind == itemBlock && parent != topicIndexes && !numberedIndex.MatchString(name) && len(also) == 0 && !indexNamed.MatchString(name) && !strings.HasSuffix(strings.ToLower(name), "index") {
		return
	}
	table := r.table(f)
	if table == nil {
		if b.kind == headingBlock {
			f.index = &Index{At: At{b.line, f.sure()}, Name: name} // what its section says is of no table
			r.doc.Loose = append(r.doc.Loose, f.index)
		}
		r.unread(b.line, name, "an index, and no line says of which table")
		return
	}
	f.index = table.addIndex(name, At{b.line, f.sure()}, also...)
	f.index.Local = f.index.Local || strings.Contains(strings.ToLower(title), "lsi") || strings.Contains(strings.ToLower(title), "local secondary")
	r.done[b.line] = r.done[b.line] || b.kind != itemBlock
}

// namedLike matches names that are no words: by-status, ByStatus.
var namedLike = lazyregexp.New(`[a-z][A-Z]|[-_]`)

// state reads one statement on a table or an index.
func (r *reader) state(s statement) {
	f, value := s.frame, s.value.text
	index := r.indexPlace(f)
	switch w := wordOf(s.label); w {
	case wIndex, wLocal, wName:
		r.nameIndex(s, w)
	case wHash, wRange:
		if f.asks() {
			return
		}
		role := Hash
		if w == wRange {
			role = Range
		}
		r.stateKey(s, role)
	case wPrimary:
		if !f.asks() {
			r.primaryKey(s)
		}
	case wAttribute, wType:
		// "Attribute name: `id`" under the heading "Partition key".
		at := f.up(func(f *frame) bool { w := wordOf(f.title.text); return w == wHash || w == wRange })
		if at == nil || isNone(value) {
			return
		}
		role := Hash
		if wordOf(at.title.text) == wRange {
			role = Range
		}
		if w == wAttribute {
			if token, _, is := valueAt(ticked(s.value)); is && identifier.MatchString(token) {
				r.setKey(f, Key{At: At{s.line, f.sure()}, Name: token, Role: role})
				r.done[s.line] = true
			}
			return
		}
		if kind := keyType(value); kind != "" {
			if keys := r.keysAt(f); keys != nil {
				for i := range *keys {
					if (*keys)[i].Role == role {
						(*keys)[i].Type, r.done[s.line] = kind, true
					}
				}
			}
		}
	case wIndexes:
		if table := r.table(f); table != nil && isNone(value) {
			table.NoIndexes, r.done[s.line] = keep(table.NoIndexes, At{s.line, f.sure()}, value), true
		}
	case wProjection:
		if index != nil {
			r.project(index.index, s.value)
		}
	case wBilling, wTTL, wStream, wPITR, wRegion:
		if table := r.table(f); table != nil && (index == nil || w == wTTL) && !f.asks() {
			r.setting(table, w, s)
		}
	case "":
		if name, also := indexTitle(s.label); name != "" && !f.asks() && f.about() != topicExamples {
			if items, _ := keyItems(ticked(s.value), true); len(items) > 0 {
				r.indexOf(s, name, also, items)
			} else if ready := r.table(f); ready != nil && f.about() == topicIndexes && isNone(value) {
				return
			}
			return
		}
		if role := roleOfName(s.label); role != "" && !f.asks() && f.about() != topicExamples {
			r.genericLabel(s, strings.Trim(s.label, "`* :"), role)
		}
	}
}

// indexOf reads "GSI1: `gsi1pk` (PK), `gsi1sk` (SK)".
func (r *reader) indexOf(s statement, name string, also []string, items []keyItem) {
	table := r.keyed(s.frame, s.line)
	if table == nil {
		r.unread(s.line, name, "an index, and no line says of which table")
		return
	}
	if slices.ContainsFunc(items, func(i keyItem) bool { return i.name == "" && !i.none }) {
		return // forms of values: no name of an attribute
	}
	index := table.addIndex(name, At{s.line, s.frame.sure()}, also...)
	if s.frame.level >= labelLevel && s.frame.title.line == s.line {
		s.frame.index = index
	}
	for _, item := range items {
		if !item.none {
			index.Keys = r.addKey(index.Keys, Key{At: At{s.line, s.frame.sure()}, Name: item.name, Type: item.kind, Role: item.role}, index.Name)
		}
	}
	if at := strings.Index(strings.ToLower(s.value.text), "projection"); at >= 0 {
		r.project(index, s.value.slice(at, len(s.value.text)))
	}
	_, rest := keyItems(ticked(s.value), true)
	r.done[s.line] = len(rest) < 4 || index.Projection.Value != ""
}

// nameIndex reads "Index name: `by-owner`", in the place of an index or where one begins.
func (r *reader) nameIndex(s statement, w word) {
	f := s.frame
	if f.asks() || s.equals {
		return
	}
	token, _, is := valueAt(ticked(s.value))
	if items, _ := keyItems(ticked(s.value), true); len(items) > 0 && strings.Contains(s.value.text, "(") && w == wIndex {
		return
	}
	if !is || !identifier.MatchString(token) || notIndexNames.MatchString(token) || isNone(s.value.text) {
		return
	}
	at := f.up(func(f *frame) bool {
		title := wordOf(f.title.text)
		return f.index != nil || f.level <= labelLevel && (title == wIndex || title == wLocal || f.topic == topicIndexes) && s.label != f.title.text
	})
	table := r.table(f)
	if section := f.up(func(f *frame) bool { return f.table != nil }); at == nil && w == wName && section != nil && f.level < itemLevel+2 && !r.named[section.table] && namesTable(token) {
		return // a table's: its heading names it
	}
	if at == nil && w == wName || table == nil {
		return
	}
	r.done[s.line] = true
	if at != nil && at.index != nil && numberedIndex.MatchString(at.index.Name) && !numberedIndex.MatchString(token) {
		at.index.Also, at.index.Name = append(at.index.Also, at.index.Name), token
		return
	}
	index := table.addIndex(token, At{s.line, f.sure()})
	index.Local = index.Local || w == wLocal
	if at == nil || at.topic == topicIndexes && at.level < labelLevel && f.level >= itemLevel {
		at = f
		if f.level >= itemLevel && f.parent != nil && wordOf(s.label) != "" && f.title.line == s.line && f.parent.level >= labelLevel {
			at = f.parent
		}
	}
	at.index = index
}

// keysAt are the keys of the index or table that a place speaks of.
func (r *reader) keysAt(f *frame) *[]Key {
	if at := r.indexPlace(f); at != nil {
		return &at.index.Keys
	}
	if table := r.table(f); table != nil {
		return &table.Keys
	}
	return nil
}

// setKey gives the index or table of a place a key attribute.
func (r *reader) setKey(f *frame, key Key) bool {
	r.keyLines[key.Line] = true
	if at := r.indexPlace(f); at != nil {
		at.index.Keys = r.addKey(at.index.Keys, key, at.index.Name)
		return true
	}
	if f.about() == topicIndexes {
		return false // of an index that no line names
	}
	if at := f.up(func(f *frame) bool {
		return f.table != nil || f.level < itemLevel || f.title.line != key.Line && wordOf(f.title.text) == "" && topicOf(f.title.text) == noTopic && (strings.HasSuffix(f.title.text, ":") || f.title.marked() != "" && strings.HasPrefix(f.title.text, f.title.marked()))
	}); at != nil && at.level >= itemLevel && at.table == nil {
		return false // of what the item above is called
	}
	table := r.keyed(f, key.Line)
	if table == nil {
		return false
	}
	delete(r.weak, table)
	table.Keys = r.addKey(table.Keys, key, nameOr(table))
	return true
}

func nameOr(t *Table) string {
	if t.Name == "" {
		return "the table"
	}
	return t.Name
}

// stateKey reads "Partition key: `id` (String)" and "PK: `USER#{id}`".
func (r *reader) stateKey(s statement, role string) {
	given := strings.Trim(s.label, "`* :")
	text := ticked(s.value)
	if isNone(s.value.text) {
		r.done[s.line] = true
		return
	}
	item, rest, is := keyItem{role: role}.valued(text)
	spelt := given
	if inside := bracket.FindStringSubmatch(strings.TrimLeft(given, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")); inside != nil && genericKey.MatchString(inside[1]) {
		spelt = inside[1] // "Partition Key (PK)"
	}
	before, _, _ := strings.Cut(spelt, " ")
	attribute := genericKey.MatchString(before) && roleOfName(before) == role
	switch {
	case !is:
		return
	case item.form != "" || attribute && r.literalKey(s.frame, before, role) && r.usesAttribute(before) && item.kind == "" && item.name != "" && !genericKey.MatchString(item.name):
		if attribute {
			r.setKey(s.frame, Key{At: At{s.line, s.frame.sure()}, Name: before, Role: role})
			delete(r.keyLines, s.line)
		}
		return // the form is that of a kind of item
	}
	others, _ := keyItems(rest, false)
	if !r.setKey(s.frame, Key{At: At{s.line, s.frame.sure()}, Name: item.name, Type: item.kind, Role: role}) {
		return
	}
	for _, other := range others {
		if other.name != "" && other.role != role {
			r.setKey(s.frame, Key{At: At{s.line, s.frame.sure()}, Name: other.name, Type: other.kind, Role: other.role})
		}
	}
	r.done[s.line] = true
}

// literalKey reports whether PK can be the name of an attribute here, and not the word for the role:
// the table's own key is called so, or has no name yet.
func (r *reader) literalKey(f *frame, name, role string) bool {
	table := r.table(f)
	if table == nil {
		return true
	}
	own, has := table.Key(role)
	if at := r.indexPlace(f); at != nil {
		if key, is := at.index.Key(role); is {
			return key.Name == name
		}
		own, has = table.Key(Hash)
		return !has || genericKey.MatchString(own.Name)
	}
	return !has || own.Name == name
}

// usesAttribute reports whether the document uses a name as that of an attribute: in a comparison
// or an item.
func (r *reader) usesAttribute(name string) bool {
	form := lazyregexp.New("(?:^|[^A-Za-z0-9_])" + name + `["'` + "`" + `]?(?:\s*=[^=>]|"\s*:|\s+begins_with|['"]\)\.)|\(` + name + `,`)
	return slices.ContainsFunc(r.doc.Text, func(line string) bool { return strings.Contains(line, name) && form.MatchString(line) })
}

// primaryKey reads "Primary key: `PK` (string), `SK` (string)".
func (r *reader) primaryKey(s statement) {
	text := ticked(s.value)
	items, rest := keyItems(text, true)
	if len(items) == 0 {
		// One name is the partition key.
		item, after, is := keyItem{role: Hash}.valued(text)
		if !is || item.name == "" || s.equals {
			return
		}
		items, rest = []keyItem{item}, after
	}
	for _, item := range items {
		if item.name != "" {
			r.setKey(s.frame, Key{At: At{s.line, s.frame.sure()}, Name: item.name, Type: item.kind, Role: item.role})
		}
	}
	r.done[s.line] = len(strings.Trim(rest, " .")) < 2
}

// genericLabel reads "GSI1PK: `TAG#{tag}`": a label that can only be the name of a key attribute.
func (r *reader) genericLabel(s statement, name, role string) {
	if strings.HasPrefix(strings.ToLower(name), "pk") || strings.HasPrefix(strings.ToLower(name), "sk") {
		if s.equals && !s.frame.asks() && r.indexPlace(s.frame) == nil {
			if _, _, is := templateOf(firstValue(s.value)); is {
				r.setKey(s.frame, Key{At: At{s.line, s.frame.sure()}, Name: name, Role: role})
				delete(r.keyLines, s.line)
			}
		}
		return
	}
	number := strings.ToUpper(strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(name), "pk"), "sk"), "_-"))
	if at := r.indexPlace(s.frame); at != nil {
		if at.index.names(number) || roleless(at.index, role) && !strings.ContainsAny(number, "0123456789") || len(r.table(s.frame).Indexes) == 1 {
			at.index.Keys = r.addKey(at.index.Keys, Key{At: At{s.line, s.frame.sure()}, Name: name, Role: role}, at.index.Name)
		}
		return
	}
	if s.frame.about() == topicIndexes || indexWord.MatchString(s.frame.sectionTitle()) {
		if table := r.table(s.frame); table != nil && strings.ContainsAny(number, "0123456789") {
			index := table.addIndex(number, At{s.line, s.frame.sure()})
			index.Keys = r.addKey(index.Keys, Key{At: At{s.line, s.frame.sure()}, Name: name, Role: role}, index.Name)
		}
	}
}

var indexWord = lazyregexp.New(`(?i)\b(?:GSIs?|LSIs?|index(?:es)?)\b`)

func roleless(x *Index, role string) bool { _, has := keyOf(x.Keys, role); return !has }

func firstValue(value inline) string {
	token, _, _ := valueAt(ticked(value))
	return token
}

// setting reads billing, TTL, stream, recovery and region of a table.
func (r *reader) setting(table *Table, w word, s statement) {
	at := At{s.line, s.frame.sure()}
	value := strings.Trim(s.value.text, "`\"' ")
	switch w {
	case wBilling:
		if mode := billingOf(value); mode != "" {
			table.Billing = append(table.Billing, Setting{at, mode})
			r.done[s.line] = true
		}
	case wTTL:
		token, _, is := valueAt(ticked(s.value))
		given := bracket.FindStringSubmatch(strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(value), "yes"), "enabled"))
		marked := s.value.code()
		switch {
		case isNone(value):
		case len(marked) > 0 && identifier.MatchString(marked[0]):
			table.TTL = keep(table.TTL, at, marked[0])
		case given != nil && identifier.MatchString(given[1]):
			table.TTL = keep(table.TTL, at, given[1])
		case is && identifier.MatchString(token) && !ttlWords.MatchString(token) && (clauseEnd.MatchString(strings.TrimPrefix(s.value.text, token)) || strings.HasPrefix(strings.TrimPrefix(s.value.text, token), " (")):
			table.TTL = keep(table.TTL, at, token)
		default:
			table.TTL = keep(table.TTL, at, "")
			return
		}
		r.done[s.line] = true
	case wStream:
		if view := viewWord.FindString(value); view != "" {
			table.Stream, r.done[s.line] = keep(table.Stream, at, view), true
		} else if isNone(value) {
			r.done[s.line] = true
		}
	case wPITR:
		switch {
		case isNone(value):
			table.PITR = keep(table.PITR, at, "disabled")
		case strings.HasPrefix(strings.ToLower(value), "enabled"), strings.HasPrefix(strings.ToLower(value), "yes"), strings.HasPrefix(strings.ToLower(value), "on"), strings.HasPrefix(strings.ToLower(value), "true"):
			table.PITR = keep(table.PITR, at, "enabled")
		default:
			return
		}
		r.done[s.line] = true
	case wRegion:
		if found := regionWord.FindStringIndex(value); found != nil && found[0] < 2 {
			table.Region, r.done[s.line] = keep(table.Region, at, regionWord.FindString(value)), true
		}
	}
}

var ttlWords = lazyregexp.New(`(?i)^(yes|no|none|enabled|disabled|true|false|on|off|optional|\d.*|epoch|unix|the|by|set|n)$`)

// keep returns a setting that another line gave before, or this one; a value fills an empty one.
func keep(old *Setting, at At, value string) *Setting {
	if old == nil || old.Value == "" && value != "" {
		return &Setting{at, value}
	}
	return old
}

var (
	projectionHead = lazyregexp.New(`(?i)^(?:projection(?: type)?\s*:?\s*)?(?:all\b|keys[_ -]only\b|include\b)`)
	listed         = lazyregexp.New("`([A-Za-z_][A-Za-z0-9_.-]*)`|([A-Za-z_][A-Za-z0-9_.-]*)")
)

// project reads what an index projects: ALL, KEYS_ONLY, or INCLUDE with a list that is nothing but
// names.
func (r *reader) project(index *Index, value inline) {
	head := projectionHead.FindString(value.text)
	if head == "" || index.Projection.Value != "" {
		return
	}
	kind := strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToUpper(head))
	for _, name := range []string{"ALL", "KEYS_ONLY", "INCLUDE"} {
		if strings.HasSuffix(kind, name) {
			kind = name
		}
	}
	index.Projection = Setting{At{value.line, Said}, kind}
	if kind != "INCLUDE" {
		r.done[value.line] = true
		return
	}
	rest := strings.TrimLeft(ticked(value.slice(len(head), len(value.text))), " :([")
	for rest != "" {
		at := listed.FindStringSubmatchIndex(rest)
		if at == nil || at[0] != 0 {
			break
		}
		name := strings.Trim(rest[:at[1]], "`")
		after := strings.TrimLeft(rest[at[1]:], " ")
		if !strings.HasPrefix(rest, "`") && after != "" && strings.IndexByte(",)]", after[0]) < 0 {
			break // a word of a sentence
		}
		index.Include = append(index.Include, name)
		if !strings.HasPrefix(after, ",") {
			rest = after
			break
		}
		rest = strings.TrimLeft(after, ", ")
	}
	r.done[value.line] = len(index.Include) > 0
}

// keyLine reads a line that is keys and nothing else: "`PK` (Partition Key)", "Partition key: **PK**
// (String). Sort key: **SK** (String)."
func (r *reader) keyLine(b *block, line inline) {
	f := b.frame
	if f.asks() || f.about() == topicExamples || r.done[line.line] {
		return
	}
	text := ticked(line)
	if match := numberedKeys.FindStringSubmatch(strings.ReplaceAll(text, "`", "")); match != nil {
		// "GSI1 (GSI1PK, GSI1SK)"
		items := []keyItem{{role: Hash, name: match[2]}}
		if match[3] != "" {
			items = append(items, keyItem{role: Range, name: match[3]})
		}
		r.indexOf(statement{"", inline{line: line.line}, line.line, false, f}, match[1], nil, items)
		return
	}
	if name, rest, is := dashed(line); is {
		if items, after := keyItems(rest, false); len(items) > 0 && allNamed(items) {
			if index, also := indexTitle(name); index == "" && (f.about() == topicIndexes || strings.HasPrefix(strings.ToUpper(rest), "GSI")) && identifier.MatchString(name) {
				r.indexOf(statement{"", line, line.line, false, f}, name, nil, items)
				r.done[line.line] = len(after) < 4
				return
			} else if index != "" {
				r.indexOf(statement{"", line, line.line, false, f}, index, also, items)
				return
			}
		}
	}
	if given := bracket.FindStringSubmatch(strings.TrimPrefix(text, nameHead.FindString(text))); given != nil && wordOf(given[1]) == wTTL && nameHead.MatchString(text) {
		if table := r.table(f); table != nil { // "expiresAt (TTL attribute)"
			table.TTL = keep(table.TTL, At{line.line, f.sure()}, nameHead.FindStringSubmatch(text)[1])
		}
		return
	}
	if w := wordOf(f.title.text); w == wTTL && ttlLine.MatchString(text) {
		if table := r.table(f); table != nil { // "The `ttl` attribute ..." under the heading TTL
			table.TTL = keep(table.TTL, At{line.line, f.sure()}, ttlLine.FindStringSubmatch(text)[1])
		}
		return
	}
	ofTable := f.parent != nil && f.parent.table != nil && r.indexPlace(f) == nil && len(text) < 40
	positional := ofTable || f.topic == topicKeys && f.level < labelLevel || wordOf(f.title.text) == wPrimary || f.parent != nil && f.level >= itemLevel && wordOf(f.parent.title.text) == wPrimary
	items, rest := keyItems(text, genericKeys.MatchString(text))
	if len(items) == 0 && positional && b.kind == itemBlock {
		if one, after := keyItems(strings.Replace(text, "`", "`", 1), true); len(one) == 1 && one[0].kind != "" && roleOfName(one[0].name) != "" {
			one[0].role, items, rest = roleOfName(one[0].name), one, after
		} else if len(one) == 1 && one[0].kind != "" && f.parent != nil && wordOf(f.heading().title.text) == wPrimary && r.table(f) != nil {
			// "`id` (String): ..." below "Primary key": the first is the partition key.
			one[0].role, items, rest = Hash, one, ""
			if _, has := r.table(f).Key(Hash); has {
				one[0].role = Range
			}
		}
	}
	if len(items) == 0 || !allNamed(items) || strings.HasPrefix(strings.TrimSpace(rest), "=") {
		return
	}
	for _, item := range items {
		if item.name != "" && !r.setKey(f, Key{At: At{line.line, f.sure()}, Name: item.name, Type: item.kind, Role: item.role}) {
			return
		}
	}
	r.done[line.line] = true
	if len(strings.Trim(rest, " .—–-")) > 3 {
		delete(r.done, line.line)
		r.done[line.line] = !strings.Contains(rest, "`")
	}
}

var numberedKeys = lazyregexp.New(`(?i)^((?:GSI|LSI)[-_ ]?\d+) \(((?:GSI|LSI)[-_]?\d*[-_]?PK)(?:[,/ +]+((?:GSI|LSI)[-_]?\d*[-_]?SK))?\)\W*$`)

var ttlLine = lazyregexp.New("(?i)^(?:the )?`([A-Za-z_][\\w.-]*)` (?:attribute|field)\\b")

// genericKeys matches keys with their types and nothing else: "PK (String) + SK (String)".
var genericKeys = lazyregexp.New("(?i)^`?PK`? \\((?:S|N|B|String|Number|Binary)\\)\\s*[+,/]\\s*`?SK`? \\((?:S|N|B|String|Number|Binary)\\)$")

func allNamed(items []keyItem) bool {
	return !slices.ContainsFunc(items, func(i keyItem) bool { return i.name == "" && !i.none })
}

// dashed takes "`by-date` — GSI PK `date`" apart at its dash or colon.
func dashed(line inline) (name, rest string, is bool) {
	if len(line.spans) == 0 || line.spans[0].from != 0 {
		return "", "", false
	}
	end := line.spans[0].to
	for _, s := range line.spans {
		if s.from == 0 {
			end = max(end, s.to)
		}
	}
	name = strings.Trim(line.text[:end], "` :")
	rest = strings.TrimSpace(ticked(line.slice(end, len(line.text))))
	for _, mark := range []string{"—", "–", "- ", ":"} {
		if after, found := strings.CutPrefix(rest, mark); found {
			return name, strings.TrimSpace(after), true
		}
	}
	return name, rest, strings.HasSuffix(line.text[:end], ":")
}

// keyNamesInFence reads a fence of bare names under "Primary key:" or "Global secondary indexes:",
// where each name tells its role.
func (r *reader) keyNamesInFence(b *block) {
	w, about := wordOf(b.frame.title.text), b.frame.topic
	if w != wPrimary && about != topicIndexes && w != wIndexes {
		return
	}
	var names []inline
	for n, line := range b.code {
		text := strings.TrimSpace(line)
		if text == "" {
			continue
		}
		if roleOfName(text) == "" {
			return
		}
		names = append(names, inline{line: b.line + n, text: text})
	}
	for _, name := range names {
		s := statement{name.text, name, name.line, false, b.frame}
		if lower := strings.ToLower(name.text); strings.HasPrefix(lower, "pk") || strings.HasPrefix(lower, "sk") {
			if w == wPrimary {
				r.setKey(b.frame, Key{At: At{name.line, b.frame.sure()}, Name: name.text, Role: roleOfName(name.text)})
				r.done[name.line] = true
			}
			continue
		}
		r.genericLabel(s, name.text, roleOfName(name.text))
		r.done[name.line] = true
	}
}
