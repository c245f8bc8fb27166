package reader

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// Access patterns: rows of a table of patterns, items of a list ("title → request"), headings with
// "Operation:" and "Key:" below, fences of key lines, and requests in code. A title without a
// request is no pattern: it is named as not read.

func (r *reader) patterns() {
	for _, b := range r.blocks {
		if w := wordOf(b.frame.title.text); b.kind == codeBlock && b.frame.level == labelLevel && (slices.Contains(fields, w) || w == wSilent) {
			r.parted[b.frame.parent] = true
		}
	}
	for n, b := range r.blocks {
		f := b.frame
		listed := f.about() == topicPatterns
		switch b.kind {
		case gridBlock:
			if r.kindOf(b) == patternsGrid {
				r.patternRows(b)
			}
		case codeBlock:
			if !definesTable(b) && !r.doneFence(b) && !r.partOf(b) {
				r.requests(b)
				if !r.doneFence(b) {
					r.spelled(b, r.blocks[:n])
				}
			}
		case itemBlock, textBlock:
			r.patternLine(b, listed)
		}
	}
	r.impliedIndexes()
	for _, p := range r.doc.Patterns {
		r.resolve(p)
	}
}

func (r *reader) doneFence(b *block) bool {
	return slices.ContainsFunc(b.filled(), func(line inline) bool { return r.done[line.line] })
}

var (
	operationHead = lazyregexp.New("(?i)^`?(" + operationWords + "|Get|Put|Update|Delete)\\b`?")
	shortHead     = lazyregexp.New("(?i)^(?:get|put|update|delete)$")
	stops         = lazyregexp.New(`(?: — | – |\. |; | \*?or\*? | \(e\.g|, sort(?:ed)? by| then |, where)`)
	another       = lazyregexp.New("(?i)^(?: [—–-] )?\\s*\\*?or\\b\\*? ")
	limitWord     = lazyregexp.New(`(?i)\blimit\s*[:=]?\s*(\d+)\b`)
	descending    = lazyregexp.New(`(?i)ScanIndexForward["']?\s*[:=]\s*"?(?:false)|\bscan_?(?:index_?)?forward\s*[:=]\s*false|\bdesc(?:ending)?\b`)
	ascending     = lazyregexp.New(`(?i)ScanIndexForward["']?\s*[:=]\s*"?(?:true)|\basc(?:ending)?\b`)
	consistent    = lazyregexp.New(`(?i)\bConsistentRead["']?\s*[:=]\s*"?true\b|\bstrongly consistent\b|\bconsistent read\b`)
	filterWord    = lazyregexp.New(`(?i)\bfilter(?:ed|s|expression)?\b`)
	otherRequest  = lazyregexp.New("(?:/|\\b(?i:then|and|or|y|e|o|et|ou|und|oder)|[,;+]) *(?:[a-z]+ )?`?(?:" + commandWords + ")(?:Items?)?\\b")
	namedFunction = lazyregexp.New("=\\s*[\"'](?i:begins_with|between)[\"']") // SK="begins_with", "A#": no value of SK
	ofSeveral     = lazyregexp.New("(?i)^`?(?:batch|transact)")               // its requests are its own
	numberAlone   = lazyregexp.New(`(?i)\b(?:GSI|LSI)[-_ ]?\d+\b`)
	sdkCommand    = lazyregexp.New(`\b(` + commandWords + `)Command\b`)
)

// request reads a request at the beginning of a text into a pattern: its operation, index and
// conditions. It returns false where the text is none.
func (r *reader) request(p *Pattern, text string, line int) bool {
	text = strings.TrimSpace(text)
	if otherRequest.MatchString(text) && !ofSeveral.MatchString(text) || namedFunction.MatchString(text) {
		return false
	}
	numbers := map[string]bool{}
	for _, number := range numberAlone.FindAllString(text, -1) {
		numbers[plain(number)] = true
	}
	if len(numbers) > 1 {
		return false // one of several indexes
	}
	table := r.tableOf(p.Table)
	if before, after, found := strings.Cut(text, ": "); found && !strings.ContainsAny(before, " =") && r.indexIn(p, table, before) {
		text = after
	}
	rest := text
	head := operationHead.FindStringSubmatch(text)
	if head != nil {
		rest = strings.TrimSpace(text[len(head[0]):])
		if shortHead.MatchString(head[1]) && !strings.HasPrefix(rest, "(") {
			return false
		}
		p.Operation = operationNames[strings.ToLower(head[1])]
	}
	given, filter := rest, ""
	if at := stops.FindStringIndex(rest); at != nil {
		given = rest[:at[0]]
		if another.MatchString(rest[at[0]:]) {
			return false // or another request: which of them is not said
		}
	} else if another.MatchString(rest) {
		return false
	}
	if at := filterWord.FindStringIndex(given); at != nil {
		given, filter = given[:at[0]], given[at[1]:]
	}
	found := r.conditionsOf(given, line)
	bare := strings.TrimLeft(text, "`")
	if head == nil && (len(found) == 0 || !HasWord(bare[:min(len(bare), len(found[0].Attribute)+1)], found[0].Attribute) && !strings.HasPrefix(text, "begins_with")) {
		return false // comparisons alone have to be all of it
	}
	p.Conditions = append(p.Conditions, found...)
	r.filtered(p, filter, line)
	r.arguments(p, given, line)
	if head != nil {
		r.indexIn(p, table, given)
	}
	r.limits(p, rest)
	p.Consistent = p.Consistent || consistent.MatchString(rest)
	return true
}

func (r *reader) tableOf(name string) *Table {
	table, _ := first(r.all, func(t *Table) bool { return t.Name == name })
	return table
}

// compare adds a comparison of a key to a pattern.
func (p *Pattern) compare(line int, attribute, operator string, value Template) {
	p.Conditions = append(p.Conditions, Condition{Line: line, Attribute: attribute, Operator: operator, Value: value})
}

func (r *reader) limits(p *Pattern, text string) {
	if match := limitWord.FindStringSubmatch(text); match != nil {
		p.Limit, _ = strconv.Atoi(match[1])
	}
	switch {
	case descending.MatchString(text):
		p.Order = "descending"
	case ascending.MatchString(text):
		p.Order = cmp.Or(p.Order, "ascending")
	}
}

var (
	betweenWords  = lazyregexp.New("(?i)(?:^|[ ,`])([A-Za-z_][\\w.-]*)`? between [a-z ]+$")
	severalPlaces = lazyregexp.New(`(?i)[+,/&]| (?:and|or|then) ` + "`?(?:the )?(?:gsi|lsi|table|base|main|[\\w-]*index)")
	baseTable     = lazyregexp.New(`^(main|table|base table|primary|base|main table|primary key|table pk|-|none|primary table|base table pk|pk|primary index|—|–)\b`)
	follows       = lazyregexp.New(`->|→| \+ |, then`)
	trailing      = lazyregexp.New(`\(([A-Z][A-Za-z]+)\)\s*$`)
	keyUsed       = lazyregexp.New("(?i)^(?:GSI `([^`]+)`|(?:table )?PK \\((?:`([^`]+)`(?: = .*)?|[^`)]*)\\)|table PK)(?:\\s*(?:via|→|->) .*)?$")
	// operatorWord matches an operator in the cell of a key, in any case.
	operatorWord = lazyregexp.New("(?i)^[` ]*(?:begins_with|between)\\b|\\(begins_with\\)")
	operatorHead = lazyregexp.New("^[` ]*(begins_with\\b|between\\b|>=|<=|=|>|<)")
	arrow        = lazyregexp.New(`\s(?:→|->|=>|⇒)\s`)
	// keyColon matches the name of a key attribute before its value: "PK: ORDER#{id}, SK: META".
	keyColon     = lazyregexp.New("(?i)(^|[`,+ ])((?:(?:gsi|lsi)[-_]?\\d*[-_]?)?[ps]k): ")
	accessTitle  = lazyregexp.New(`(?i)\b(?:access|look-?up|quer(?:y|ies)|search)\b`)
	commentLine  = lazyregexp.New(`^\s*(?://|#|--|/\*)\s*(.+?)(?:\*/)?\s*$`)
	askedLine    = lazyregexp.New(`(?i)^\s*(query|get|scan)(?:\s+(table|[A-Za-z][\w-]*))?(?:\s+where\s+(.+)|\s*:\s*(.*))$`)
	keyLineForm  = lazyregexp.New("^\\s*([A-Za-z_][\\w.-]*)\\s*(:?)\\s*(.+?)[;,]?\\s*$")
	queriesHead  = lazyregexp.New(`(?i)^(?:Query|Scan|GetItem)\b`)
	throughIndex = lazyregexp.New("(?i)\\b(?:using|via|through|on|index) `?([\\w.-]+)`?\\W*$")
)

// assignments matches what an update sets, up to its condition.
var assignments = lazyregexp.New(`\b(?:SET|Set) .*?(\b[Cc]ondition|\bif\b|\bwhere\b|$)`)

// conditionsOf are the comparisons of a text, those with words for values among them.
func (r *reader) conditionsOf(text string, line int) []Condition {
	text = assignments.ReplaceAllString(text, "$1")
	found := conditions(text, line)
	if match := betweenWords.FindStringSubmatch(strings.TrimSpace(text)); match != nil && !slices.ContainsFunc(found, func(c Condition) bool { return c.Attribute == match[1] }) {
		found = append(found, Condition{Line: line, Attribute: match[1], Operator: "BETWEEN"})
	}
	return slices.DeleteFunc(found, func(c Condition) bool { return c.Attribute == "" })
}

// filtered adds the comparisons of a filter.
func (r *reader) filtered(p *Pattern, text string, line int) {
	for _, c := range r.conditionsOf(text, line) {
		c.Filter = true
		p.Conditions = append(p.Conditions, c)
	}
}

// arguments reads keys that are named without a value: "GetItem(userId)", "DeleteItem PK+SK".
func (r *reader) arguments(p *Pattern, text string, line int) {
	if inside := bracket.FindStringSubmatch(text); inside != nil {
		for _, name := range strings.Split(inside[1], ",") {
			r.keysNamed(p, name, line)
		}
	} else if strings.Contains(text, "+") {
		r.keysNamed(p, text, line)
	}
}

// indexIn finds the one index that a text names.
func (r *reader) indexIn(p *Pattern, table *Table, text string) bool {
	var found *Index
	var of *Table
	spelt := ""
	if table == nil { // "orders by-day"
		table, _ = first(r.all, func(t *Table) bool { return HasWord(text, t.Name) })
	}
	for _, t := range r.all {
		for _, index := range t.Indexes {
			for _, name := range append([]string{index.Name}, index.Also...) {
				switch {
				case table != nil && t != table || !HasWord(text, name):
				case found == nil || len(name) > len(spelt) && strings.Contains(name, spelt):
					found, of, spelt = index, t, index.Name
				case found != index && (of != t || !strings.Contains(spelt, name)):
					return false // or of another table
				}
			}
		}
	}
	if found == nil {
		// "Query(by-owner-index, ...)" of an index that no form read.
		argument, _, _ := strings.Cut(strings.Trim(text, "( `"), ",")
		named, number := indexNamed.MatchString(strings.Trim(argument, "` )")), numberedIndex.FindStringSubmatch(strings.TrimLeft(text, "( `"))
		switch {
		case number != nil:
			p.Index = number[1]
		case named:
			p.Index = strings.Trim(argument, "` )")
		}
		return number != nil || named
	}
	p.Index = found.Name
	if p.Table == "" {
		p.Table = of.Name
	}
	return true
}

// HasWord reports whether a name stands in a text as a word of its own: no letter, digit, hyphen or underscore goes on with it. Signs of
// languages that write no blanks between words are no letters here.
func HasWord(text, name string) bool {
	joins := func(r rune) bool {
		return r < utf8.RuneSelf && nameByte(byte(r)) || r >= utf8.RuneSelf && unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic)
	}
	first, _ := utf8.DecodeRuneInString(name)
	last, _ := utf8.DecodeLastRuneInString(name)
	for from := 0; name != "" && from < len(text); {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		start, end := from+at, from+at+len(name)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		behind, _ := utf8.DecodeRuneInString(text[end:])
		if (start == 0 || !joins(before) || !joins(first)) && (end == len(text) || !joins(behind) || !joins(last)) {
			return true
		}
		from = start + 1
	}
	return false
}

func nameByte(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// addPattern adds a pattern that a form has read.
func (r *reader) addPattern(p *Pattern) *Pattern {
	p.Last = max(p.Last, p.Line)
	if !slices.Contains(r.doc.Patterns, p) {
		r.doc.Patterns = append(r.doc.Patterns, p)
	}
	return p
}

// newPattern is a pattern of a place.
func (r *reader) newPattern(f *frame, title string, line int, listed bool) *Pattern {
	p := &Pattern{At: f.at(line), Title: strings.Trim(strings.ReplaceAll(cleanTitle(title), "`", ""), "* :"), Listed: listed, Last: line}
	if table := r.table(f); table != nil {
		p.Table = table.Name
	}
	return p
}

// patternRows reads a table of access patterns.
func (r *reader) patternRows(b *block) {
	c := columnsOf(b)
	titleAt := c.at(wPattern)
	if other := c.at(wOperation); other >= 0 && titleAt >= 0 && !slices.ContainsFunc(b.rows, func(row []inline) bool {
		return operations.MatchString(row[other].text) || other > titleAt && !operationHead.MatchString(ticked(row[titleAt]))
	}) {
		titleAt, c[titleAt], c[other] = other, wOperation, wPattern // the two headers are the other way round
	}
	if titleAt < 0 {
		titleAt = c.at(wOperation)
	}
	// Of a sort key's form, in a column in which no cell has an operator, it is not said how it is compared.
	sort := c.at(wRange)
	forms := sort >= 0 && !c.has(wOperation) && !slices.ContainsFunc(b.rows, func(row []inline) bool {
		text := ticked(row[sort])
		return operatorWord.MatchString(text) || operatorHead.MatchString(text) && !angled.MatchString(strings.Trim(text, "` ")) || strings.Contains(text, "*")
	})
	for _, row := range b.rows {
		line, sound := rowLine(row), true
		p := r.newPattern(b.frame, row[titleAt].text, line, true)
		p.Text = rowText(row)
		said, placed := false, true // something of where it reads, or how; and all that is said of where
		for _, words := range fieldOrder {
			for i, cell := range row {
				if forms && i == sort && placeholder.MatchString(cell.text) {
					sound = false
				} else if slices.Contains(words, c[i]) && i != titleAt && cell.text != "" {
					read := r.field(p, c[i], cell, b.header[i].text)
					sound, said = sound && read, said || read && !isNone(cell.text)
					keys := keyPair.FindStringSubmatch(ticked(cell)) // "PK: userId" names no other place
					placed = placed && (read || c[i] != wIndex && c[i] != wSource || keys != nil && roleOfName(keys[1]) != "")
				}
			}
		}
		for i := range p.Conditions {
			if c := &p.Conditions[i]; p.shown && !placeholder.MatchString(string(c.Value)) {
				c.Value = "" // beside the value of one item: STATE#MO, CLAUSE#09
			}
		}
		values, owners := "", map[string]bool{}
		for _, c := range p.Conditions {
			values += string(c.Value) + string(c.High)
			if genericKey.MatchString(c.Attribute) {
				owners[numberOf(c.Attribute)] = true
			}
		}
		placed = placed && len(owners) < 2 && strings.ContainsFunc(p.Title, unicode.IsLetter)                           // one request has the keys of one place, and a title
		sound = sound && strings.Count(p.Text, "#")-strings.Count(row[titleAt].text, "#") <= strings.Count(values, "#") // or a value is not read
		asked := len(p.Conditions) > 0 || p.Operation != ""
		if placed && (asked || said || p.Index != "") {
			r.addPattern(p)
		}
		if r.done[line] = sound && asked && placed; !r.done[line] {
			r.unread(line, rowText(row), "of this access pattern a cell is read in part, or gives no request in a form that is read")
			r.doc.Unread[len(r.doc.Unread)-1].Asked = true
		}
	}
	r.unknown(b, c, wPattern, wOperation, wCondition, wPrimary, wSource, wTable, wIndex, wHash, wRange, wOrder, wLimit, wFilter, wType)
}

// source reads where a pattern reads: a table, an index, "Base table (GetItem)".
func (r *reader) source(p *Pattern, cell inline, w word) bool {
	text, spelt := strings.Trim(ticked(cell), " "), spell(cell.text)
	if w == wTable {
		name := strings.TrimSuffix(strings.Trim(cell.text, "`* \"'"), " table")
		r.names(p, name)
		return p.Table != "" || r.indexIn(p, nil, name)
	} else if w == wSource && !baseTable.MatchString(spelt) {
		p.Table = ""
	}
	if given := bracket.FindStringSubmatch(strings.TrimLeft(text, "`abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. ")); given != nil {
		if operation := operationNames[strings.ToLower(given[1])]; operation != "" && operations.MatchString(given[1]) {
			p.Operation = operation
			text = strings.TrimSpace(strings.Replace(text, given[0], "", 1))
			spelt = spell(text)
		}
	}
	bare := strings.Trim(strings.TrimSpace(bracketed.ReplaceAllString(text, "")), "`")
	for _, suffix := range []string{" table", " Table", " (table)"} {
		if known := r.known(strings.TrimSuffix(bare, suffix)); known != nil {
			p.Table = known.Name
			return true
		}
	}
	if baseTable.MatchString(spelt) {
		return len(strings.Fields(spelt)) <= 2
	}
	if severalPlaces.MatchString(bare) {
		return false
	}
	name := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(bare, " GSI"), " index"), " LSI")
	name = strings.TrimPrefix(strings.TrimPrefix(strings.Trim(name, "`"), "GSI `"), "GSI ")
	return r.indexIn(p, r.tableOf(p.Table), name)
}

// requestCell reads a cell that gives the operation, the keys, or both.
func (r *reader) requestCell(p *Pattern, cell inline, w word) bool {
	text := ticked(cell)
	if match := sdkCommand.FindStringSubmatch(text); match != nil {
		p.Operation = operationNames[strings.ToLower(match[1])]
	}
	// "Table PK (`id`)" and "GSI `by-email`".
	if match := keyUsed.FindStringSubmatch(text); match != nil && w == wCondition {
		if table := r.tableOf(p.Table); match[1] != "" {
			r.indexIn(p, table, match[1])
		} else if match[2] != "" {
			p.Conditions = append(p.Conditions, Condition{Line: cell.line, Attribute: match[2], Operator: "="})
		}
		return true
	}
	all := operations.FindAllString(text, -1)
	if at := follows.FindStringIndex(text); at != nil && (len(all) > 1 || !strings.HasPrefix(text[at[0]:], " +") && len(r.conditionsOf(text[at[1]:], cell.line)) > 0) {
		return false // several requests
	}
	if r.request(p, text, cell.line) {
		if given := trailing.FindStringSubmatch(text); given != nil && p.Operation == "" && len(all) == 1 {
			p.Operation = operationNames[strings.ToLower(given[1])]
		}
		at := stops.FindStringIndex(text)
		filtered := filterWord.MatchString(text) && !slices.ContainsFunc(p.Conditions, func(c Condition) bool { return c.Filter })
		return (at == nil || len(text)-at[1] < 3) && !filtered // or a filter that is not read
	}
	return false
}

// keyCell reads the value of a key in a cell under its name or role.
func (r *reader) keyCell(p *Pattern, table *Table, cell inline, w word, header string) bool {
	name, _, _ := strings.Cut(strings.Trim(header, "` "), " ")
	if number := numberOf(name); number != "" && p.Index == "" { // the column is that of an index's key
		p.Index = number
	}
	if !genericKey.MatchString(name) || !r.keyNames[name] && len(r.all) > 0 && numberOf(name) == "" {
		name = ""
	}
	if _, keys := p.place(table); table != nil {
		if key, has := keyOf(keys, roles[w]); has {
			name = key.Name
		} else if p.Index != "" && numberOf(name) == "" {
			name = ""
		}
	}
	text := operatorWord.ReplaceAllStringFunc(ticked(cell), strings.ToLower)
	whole := strings.Trim(text, "`")
	if found := r.conditionsOf(whole, cell.line); len(found) == 1 && (strings.HasPrefix(whole, found[0].Attribute) || strings.HasPrefix(whole, "begins_with")) && (r.keyNames[found[0].Attribute] || genericKey.MatchString(found[0].Attribute)) { // "PK=ORDER#<id>", whatever the column
		p.Conditions = append(p.Conditions, found[0])
		return found[0].Value != ""
	}
	head := operatorHead.FindStringSubmatch(text)
	switch {
	case name == "" || bareNumber.MatchString(whole): // or an index
		return false
	case head != nil && len(head[1]) > 2: // begins_with, between
		c, is := r.keyCondition(name, whole, cell.line)
		if is {
			p.Conditions = append(p.Conditions, c)
		}
		return is && c.Value != ""
	}
	operator := "="
	if strings.Contains(text, "begins_with)") || strings.HasSuffix(whole, "*") {
		operator = "begins_with"
	}
	if head != nil && !(head[1] == "<" && angled.MatchString(text)) {
		operator, text = head[1], text[len(head[0]):]
	}
	token, used, is := valueAt(text)
	rest := strings.TrimSpace(strings.TrimPrefix(text[max(used, 0):], "`"))
	form, fits := FormOf(token)
	p.shown = p.shown || slices.ContainsFunc(strings.Split(unquoted(token), "#"), exampleSegment.MatchString)
	if !is || !fits || rest != "" && !strings.HasPrefix(rest, "(") && !strings.HasPrefix(rest, ",") {
		return false
	}
	if !isTemplate(token) && identifier.MatchString(token) {
		form = itself(token)
	}
	p.compare(cell.line, name, operator, form)
	return true
}

// keyCondition reads what stands behind the name of a key: an operator with its values, or a value alone.
func (r *reader) keyCondition(name, text string, line int) (c Condition, is bool) {
	if head := operatorHead.FindStringSubmatch(text); head == nil {
		text = "= " + text
	} else if strings.HasPrefix(head[1], "b") {
		text = strings.Replace(text, "(", " ", 1)
	}
	found := r.conditionsOf(name+" "+text, line)
	if len(found) != 1 {
		return c, false
	}
	return found[0], true
}

// patternLine reads "Orders of a customer → Query PK = ...", and the labels of a pattern that has
// its parts in lines.
func (r *reader) patternLine(b *block, listed bool) {
	f := b.frame
	about := f.about()
	for _, line := range b.lines() {
		if r.patternField(b, line) {
			continue
		}
		text := ticked(line)
		title, request := "", ""
		if at := arrow.FindStringIndex(text); at != nil {
			title, request = text[:at[0]], text[at[1]:]
		} else if label, value, equals, is := split(line); is && operationHead.MatchString(label) && strings.HasSuffix(label, ")") {
			title, request = value.text, label // "`Query(shop)` — its carts"
		} else if is && !equals && wordOf(label) == "" {
			title, request = label, ticked(value)
		} else if operationHead.MatchString(text) && (wordOf(f.title.text) == wOperation || f.parent != nil && wordOf(f.parent.title.text) == wOperation) {
			title, request = f.up(func(f *frame) bool { return f.level < labelLevel }).sectionTitle(), text
		}
		if label := f.parent; request == "" && listed && b.kind == itemBlock && operationHead.MatchString(text) && label != nil && label.level == labelLevel && label.topic == noTopic && wordOf(label.title.text) == "" && len(r.conditionsOf(text, line.line)) > 0 {
			title, request = label.title.text, text // "`GetItem` with `PK = CART#<id>`" below "A cart:"
		}
		named := len(r.conditionsOf(request, line.line)) > 0 && b.kind == itemBlock
		whole := operationHead.MatchString(request) && (strings.ContainsAny(request, "(=`") || named)
		switch {
		case request == "" || title == "" || isIndexTitle(title), b.kind == textBlock && !whole && len(conditions(request, line.line)) == 0, !listed && !(whole && b.kind == itemBlock && len(r.all) > 0),
			about == topicOther || about == topicAttributes || about == topicExamples || about == topicKeys && !listed:
			continue
		}
		p := r.newPattern(f, title, b.line, true)
		p.Text = text
		bare := operationHead.FindString(request) // "a -> query of the customers" is a sentence
		if r.request(p, request, line.line) && (len(p.Conditions) > 0 || p.Index != "" || bare != strings.ToLower(bare) || !arrow.MatchString(text)) && (p.Operation != "" || len(p.Conditions) > 0) {
			r.addPattern(p)
			at := stops.FindStringIndex(request)
			r.done[line.line] = (at == nil || len(request)-at[1] < 3) && (len(p.Conditions) > 0 || !keyed[p.Operation])
		}
	}
}

// keyed are the operations that name a key.
var keyed = map[string]bool{"GetItem": true, "Query": true, "UpdateItem": true, "DeleteItem": true}

// partOf reads a fence below "Operation:" or "Key condition:", of a section in which each part of a
// pattern has such a label. Other fences there are no requests.
func (r *reader) partOf(b *block) bool {
	f, lines := b.frame, b.filled()
	at := f.up(func(f *frame) bool { return f.level < labelLevel })
	if f.level != labelLevel || at == nil || at.topic == topicPatterns || at.about() != topicPatterns || !r.parted[at] {
		return false
	}
	if w := wordOf(f.title.text); len(lines) > 0 && (w != wCondition && len(lines) == 1 || strings.Contains(spell(f.title.text), "key")) { // a condition alone is that of a write
		text := make([]string, len(lines))
		for n, line := range lines {
			text[n] = line.text
		}
		if value := (inline{line: lines[0].line, text: strings.Join(text, " AND ")}); r.patternPart(f, value, f.title.text, value) && r.done[value.line] {
			r.covered(b, 0, len(b.code)-1)
		}
	}
	return true
}

// patternField reads "**Operation:** GetItem" and the like under the heading of a pattern.
func (r *reader) patternField(b *block, line inline) bool {
	label, value, equals, is := split(line)
	if !is || equals { // "`PK = CART#<id>`" below "Key:"
		label = ""
	}
	return (label != "" || b.kind == itemBlock) && r.patternPart(b.frame, line, label, value)
}

func (r *reader) patternPart(f *frame, line inline, label string, value inline) bool {
	at := f.up(func(f *frame) bool { return f.level < labelLevel })
	if at == nil || at.about() != topicPatterns || at.table != nil && HasWord(at.title.text, at.table.Name) || at.topic == topicPatterns && at.pattern == nil {
		return false
	}
	w, p := wordOf(label), at.pattern
	if c, is := r.keyLineOf(strings.Replace(line.text, "begins_with:", "begins_with", 1), line.line); is && p != nil { // "GSI1PK: SENDER#{id}"
		p.Conditions, r.done[line.line] = append(p.Conditions, c), true
		return true
	}
	if !slices.Contains(fields, w) && w != wPattern {
		return false
	}
	if p == nil {
		if w == wOrder || w == wLimit || w == wFilter || (w == wOperation || w == wPattern) && !operationHead.MatchString(ticked(value)) {
			return false
		}
		p = r.addPattern(r.newPattern(at, at.title.text, at.title.line, true))
		at.pattern = p
	}
	p.Last = max(p.Last, line.line)
	p.Text += "\n" + line.text
	r.done[line.line] = r.field(p, w, value, label)
	return true
}

var (
	// fields are the words for the parts of a pattern, of which the first six begin one.
	fields = []word{wTable, wIndex, wCondition, wOperation, wSource, wPrimary, wOrder, wLimit, wFilter}
	// fieldOrder are the words for columns of a table of patterns, each after those that tell what it is of.
	fieldOrder = [][]word{{wTable}, {wSource, wIndex}, {wType, wOperation, wCondition, wPrimary}, {wHash, wRange}, {wFilter, wLimit, wOrder}}
)

// field reads a part of a pattern, a cell or what stands behind a label, and returns false where it reads it in part.
func (r *reader) field(p *Pattern, w word, value inline, called string) bool {
	text := ticked(value)
	switch {
	case isNone(value.text):
	case w == wTable, w == wIndex, w == wSource:
		return r.source(p, value, w)
	case w == wType, w == wOperation, w == wPattern:
		return r.requestCell(p, value, w)
	case w == wCondition, w == wPrimary:
		given := inline{line: value.line, text: keyColon.ReplaceAllString(text, "$1$2 = ")}
		return r.requestCell(p, given, w) || r.keysNamed(p, text, value.line)
	case w == wHash, w == wRange:
		return r.keyCell(p, r.tableOf(p.Table), value, w, called)
	case w == wFilter:
		r.filtered(p, text, value.line)
	case w == wLimit:
		r.limits(p, "limit "+text)
		return strings.Trim(text, "0123456789 ") == ""
	case w == wOrder:
		r.limits(p, text)
		if attribute, _, is := strings.Cut(text, " "); is && identifier.MatchString(attribute) {
			p.sortedBy = attribute
		}
	}
	return true
}

// keysNamed reads keys without their values: "PK and SK".
func (r *reader) keysNamed(p *Pattern, text string, line int) bool {
	var names []string
	for _, token := range strings.FieldsFunc(bracketed.ReplaceAllString(text, ""), func(c rune) bool { return strings.ContainsRune("`,+& ", c) }) {
		if r.keyNames[token] {
			names = append(names, token)
		} else if token != "and" {
			return false
		}
	}
	for _, name := range names {
		p.compare(line, name, "=", "")
	}
	return len(names) > 0
}

// spelling is a request that is spelled in lines of a fence.
type spelling struct {
	*Pattern
	values      map[string]string
	expressions []statement
	labels      []string
}

// spelled reads a fence of requests in lines: "Table: ...", "GSI: ...", "PK = ...", the members of a request with the
// values of its placeholders. A comment, an empty line or a line that asks begins another.
func (r *reader) spelled(b *block, above []*block) {
	f, about, whole := b.frame, b.frame.about(), strings.Join(b.code, "\n")
	expressed := spelledKey.MatchString(whole)
	called, _, _ := strings.Cut(f.sectionTitle(), " (")
	asked := expressed || slices.ContainsFunc(b.code, askedLine.MatchString) || accessTitle.MatchString(called) && !indexWord.MatchString(f.sectionTitle())
	if keys, _ := b.item(); keys != nil || about != topicPatterns && !asked || isIndexTitle(strings.TrimSpace(b.code[0])) && !strings.Contains(b.code[0], "=") ||
		about == topicAttributes || about == topicEntities || about == topicKeys && wordOf(f.title.text) == wPrimary {
		return
	}
	operation := ""
	if f.requests() { // "Query:" below the heading of an index
		operation, f = operationNames[spell(f.title.text)], f.parent
	}
	title, line, section := f.sectionTitle(), b.line, r.newPattern(f, f.sectionTitle(), 0, true).Title
	if len(above) > 0 && above[len(above)-1].kind == itemBlock && above[len(above)-1].frame == f {
		title, line = above[len(above)-1].text.text, above[len(above)-1].line
	}
	var s *spelling
	var found []*spelling
	begin := func(number int) {
		if s == nil {
			s = &spelling{Pattern: r.newPattern(f, title, line, about == topicPatterns || !expressed), values: map[string]string{}}
			if at := f.heading(); at != nil && at.pattern != nil && len(found) == 0 && len(at.pattern.Conditions) == 0 {
				s.Pattern = at.pattern // "**Access pattern**: Query GSI1" above
			}
			s.from, s.Last, s.Operation = number, number, cmp.Or(s.Operation, operation)
			found = append(found, s)
		}
	}
	for _, each := range b.filled() {
		n, text := each.line-b.line, b.code[each.line-b.line]
		if n > 0 && strings.TrimSpace(b.code[n-1]) == "" && s != nil && len(s.Conditions)+len(s.expressions) > 0 {
			s = nil
		}
		label, value, _, labelled := split(each)
		value.text = strings.TrimRight(value.text, ",")
		w := wordOf(label)
		if spell(label) == "range" {
			w = wCondition
		}
		c, keyed := r.keyLineOf(text, each.line)
		bound := spelledValue.FindStringSubmatch(each.text)
		switch comment, asks := commentLine.FindStringSubmatch(text), askedLine.FindStringSubmatch(text); {
		case comment != nil && len(spelledKey.FindAllString(whole, 2)) == 1: // of the one request
			continue
		case comment != nil:
			if title, line, s = comment[1], each.line, nil; !expressed {
				line++
			}
			if queriesHead.MatchString(title) { // "// Query on GSI1"
				begin(each.line)
				s.Title = section
				r.headed(s.Pattern, title)
			}
			continue
		case asks != nil && (asks[4] == "" || !strings.EqualFold(asks[1], "get")): // "Get user: ..." is a title
			s, line = nil, each.line
			begin(each.line)
			if s.Text = text; !strings.EqualFold(asks[1], "get") || strings.EqualFold(asks[2], "table") {
				s.Operation = operationNames[strings.ToLower(asks[1])]
			}
			if asks[2] != "" && !strings.EqualFold(asks[2], "table") {
				r.indexIn(s.Pattern, r.tableOf(s.Table), asks[2])
			}
			s.Conditions = append(s.Conditions, r.conditionsOf(asks[3]+asks[4], each.line)...)
		case labelled && about == topicPatterns && isIndexTitle(label) && len(r.conditionsOf(value.text, each.line)) > 0: // "GSI1: GSI1PK = ..."
			s, line = nil, each.line
			begin(each.line)
			r.indexIn(s.Pattern, r.tableOf(s.Table), label)
			s.Conditions = r.conditionsOf(value.text, each.line)
		case queriesHead.MatchString(each.text) && !labelled && s == nil:
			begin(each.line)
			r.headed(s.Pattern, each.text)
		case strings.HasSuffix(each.text, ":") && n == 0:
			title, line = strings.TrimSuffix(each.text, ":"), each.line
			continue
		case labelled && (w == wCondition || w == wFilter) && strings.HasSuffix(spell(label), "expression"):
			begin(each.line)
			s.keyed, s.expressions = true, append(s.expressions, statement{label: label, value: value, line: each.line})
		case keyed:
			begin(each.line)
			s.Conditions = append(s.Conditions, c)
		case labelled && slices.Contains(fields, w):
			if begin(each.line); slices.Contains(s.labels, label) {
				return // two requests, and no line between them
			}
			s.labels = append(s.labels, label)
			r.field(s.Pattern, w, value, label)
		case bound != nil && s != nil:
			s.values[bound[1]] = "\"" + unquoted(bound[2]) + "\""
		case labelled && s != nil && (expressed || len(s.labels) > 1):
			r.unread(each.line, each.text, "no form reads a line of that label in an access pattern")
		case s == nil && !expressed, labelled && identifier.MatchString(label) && w == "" && !limitWord.MatchString(each.text) && !notAttributes.MatchString(label) && !expressed:
			return // an item, with its other attributes
		case s != nil:
			r.limits(s.Pattern, text)
			continue
		}
		if s != nil {
			s.Last, s.Text = each.line, s.Text+"\n"+text
		}
	}
	for _, s := range found {
		for _, e := range s.expressions {
			s.Conditions = append(s.Conditions, r.filled(e.value.text, s.values, e.line, wordOf(e.label) == wFilter)...)
		}
		asked := slices.ContainsFunc(s.Conditions, func(c Condition) bool { return !c.Filter }) || s.Operation != "" // more than a filter
		if len(s.Conditions) > 0 && asked || len(s.labels) > 1 {
			if at := f.heading(); s.Title == section && (len(s.expressions) > 0 || len(s.labels) > 1) && s.Listed && at != nil && at.level < labelLevel && at.title.line > b.line-8 {
				s.Line = at.title.line
			}
			r.addPattern(s.Pattern)
			r.covered(b, s.from-b.line, s.Last-b.line)
		}
	}
}

// headed reads the line above a request: "Query on orders using by-state".
func (r *reader) headed(p *Pattern, text string) {
	p.Operation = operationOf(text)
	if match := throughIndex.FindStringSubmatch(text); match != nil && isIndexTitle(match[1]) {
		p.Index = match[1]
	}
	for _, table := range r.all {
		if HasWord(text, table.Name) {
			p.Table = table.Name
		}
	}
	r.indexIn(p, r.tableOf(p.Table), text)
}

// keyLineOf reads "SK begins_with ORDER#" and "SK: begins_with("ORDER#");".
func (r *reader) keyLineOf(text string, line int) (c Condition, is bool) {
	match := keyLineForm.FindStringSubmatch(text)
	if match == nil || !r.keyNames[match[1]] && !genericKey.MatchString(match[1]) || match[2] == "" && !operatorHead.MatchString(match[3]) || match[2] != "" && match[3][0] == '=' {
		return c, false
	}
	if match[2] != "" && numberOf(match[1]) != "" && roleOfName(match[1]) == Range && placeholder.MatchString(match[3]) && !operatorHead.MatchString(match[3]) {
		return c, false // "GSI1SK: DAY#{day}#{id}" is what the items have, and no request
	}
	return r.keyCondition(match[1], match[3], line)
}

// impliedIndexes reads the keys of an index that a table of patterns alone names: what all its rows
// compare by equality is the partition key, for DynamoDB takes no other, and what they compare
// beside it is the sort key.
func (r *reader) impliedIndexes() {
	r.doc.Loose = slices.DeleteFunc(r.doc.Loose, r.adopted)
	type named struct {
		table *Table
		index string
	}
	asking := map[named][]*Pattern{}
	var order []named
	for _, p := range r.doc.Patterns {
		name := named{r.tableOf(p.Table), p.Index}
		if p.Index == "" || name.table == nil || !p.Listed || len(p.Conditions) == 0 {
			continue
		}
		if _, is := name.table.Index(p.Index); !is {
			if asking[name] == nil {
				order = append(order, name)
			}
			asking[name] = append(asking[name], p)
		}
	}
	for _, name := range order {
		all, hashes, sorts := asking[name], map[string]bool{}, map[string]bool{}
		for _, p := range all {
			if len(p.Conditions) == 1 && p.Conditions[0].Operator == "=" {
				hashes[p.Conditions[0].Attribute] = true
			}
		}
		if first := all[0].Conditions; len(hashes) == 0 && len(first) == 2 && first[1].Operator != "=" {
			hashes[first[0].Attribute] = true
		}
		for _, p := range all {
			for _, c := range append(slices.Clone(p.Conditions), Condition{Attribute: p.sortedBy}) {
				if !c.Filter && c.Attribute != "" && !hashes[c.Attribute] {
					sorts[c.Attribute] = true
				}
			}
		}
		hash, sort := strings.Join(slices.Collect(maps.Keys(hashes)), ""), strings.Join(slices.Collect(maps.Keys(sorts)), "")
		role := len(hash) == 2 && genericKey.MatchString(hash) && !r.keyNames[hash]              // or the name of a role
		if len(hashes) == 1 && len(sorts) < 2 && (sort != "" || numberOf(hash) == "") && !role { // GSI1PK goes with another key; rows that say different things say nothing
			at := all[0].At
			index := name.table.addIndex(name.index, at)
			r.give(&index.Keys, index.Name, at, keyItem{role: Hash, name: hash}, keyItem{role: Range, name: sort})
		}
	}
	r.learnKeys()
}

// indexBy is the one index through which a Query by the partition key of an index can go, "" for none.
func (t *Table) indexBy(p *Pattern) string {
	all := slices.DeleteFunc(slices.Clone(t.Indexes), func(x *Index) bool {
		hash, has := x.Key(Hash)
		_, own := t.KeyNamed(hash.Name)
		return !has || own || !slices.ContainsFunc(p.Conditions, func(c Condition) bool { return c.Attribute == hash.Name && c.Operator == "=" })
	})
	if len(all) != 1 || p.Operation != "" && p.Operation != "Query" {
		return "" // which of several is not said
	}
	return all[0].Name
}

// adopted gives an index of which no line says the table to the one table through which patterns read it.
func (r *reader) adopted(x *Index) bool {
	var all []*Table
	for _, p := range r.doc.Patterns {
		if table := r.tableOf(p.Table); table != nil && x.names(p.Index) && !slices.Contains(all, table) {
			all = append(all, table)
		}
	}
	if len(all) != 1 {
		return false
	}
	if of := all[0]; !slices.ContainsFunc(of.Indexes, func(own *Index) bool { return own.names(x.Name) }) {
		of.Indexes = append(of.Indexes, x)
		r.doc.Unread = slices.DeleteFunc(r.doc.Unread, func(u Unread) bool { return u.Line == x.Line && u.Why == noTableOf })
	}
	return true
}

// place are the index and the keys through which a pattern reads a table.
func (p *Pattern) place(table *Table) (*Index, []Key) {
	if table == nil || p.Index == "" {
		return nil, cmp.Or(table, &Table{}).Keys
	}
	index, is := first(table.Indexes, func(x *Index) bool { return x.names(p.Index) })
	if !is {
		return nil, nil
	}
	return index, index.Keys
}

// resolve gives the conditions of a pattern the names of the keys where it gives their roles:
// "PK = status" of an index whose partition key is status.
func (r *reader) resolve(p *Pattern) {
	if p.Table == "" && p.Index != "" {
		r.indexIn(p, nil, p.Index)
	}
	table := r.tableOf(p.Table)
	if table == nil {
		table = &Table{}
	}
	if p.Index == "" && p.Listed {
		p.Index = table.indexBy(p)
	}
	index, keys := p.place(table)
	if index != nil {
		p.Index = index.Name
	}
	own := func(name string) bool { return slices.ContainsFunc(keys, func(k Key) bool { return k.Name == name }) }
	for i := range p.Conditions {
		c := &p.Conditions[i]
		if c.Value == "" && p.Listed && strings.Contains(r.doc.Line(c.Line), "#") {
			r.unread(c.Line, strings.TrimSpace(r.doc.Line(c.Line)), "of a value in this access pattern no form tells what is literal in it")
		}
		key, has := keyOf(keys, roles[wordOf(c.Attribute)])
		if has && !own(c.Attribute) && !r.keyNames[c.Attribute] && (p.Listed || !genericKey.MatchString(c.Attribute)) {
			if c.Attribute = key.Name; string(c.Value) == key.Name || c.Value == itself(key.Name) {
				c.Value = ""
			}
		}
	}
	if !p.keyed && (p.Operation == "Query" || p.Operation == "") && slices.ContainsFunc(p.Conditions, func(c Condition) bool { return own(c.Attribute) }) {
		for i := range p.Conditions {
			c := &p.Conditions[i]
			_, is := table.AnyKey(c.Attribute)
			c.Filter = c.Filter || !is && !r.keyNames[c.Attribute] && !genericKey.MatchString(c.Attribute) // beside the keys, and of none
		}
	}
	p.Conditions = slices.DeleteFunc(p.Conditions, func(c Condition) bool {
		key, is := table.AnyKey(c.Attribute)
		return is && key.Type == "N" && capitals.MatchString(string(c.Value)) // "timestamp = MAX" names no value
	})
	hash, has := keyOf(keys, Hash)
	_, fixed := first(p.Conditions, func(c Condition) bool { return c.Attribute == hash.Name && !c.Filter })
	switch {
	case has && !fixed && p.Listed && (p.Operation == "Query" || p.Operation == "" || p.Operation == "GetItem" || len(p.Conditions) > 0):
		r.unread(p.Line, p.Title, "no form reads the value of the partition key "+hash.Name+" of this access pattern")
	case !has && p.Listed && keyed[p.Operation] && !slices.ContainsFunc(p.Conditions, func(c Condition) bool { return c.Operator == "=" && !c.Filter }):
		r.unread(p.Line, p.Title, "no form reads the key condition of this access pattern")
	case p.Operation == "" && p.Listed:
		r.unread(p.Line, p.Title, "no form reads the operation of this access pattern")
	}
}

// String writes a condition as DynamoDB's expressions do.
func (c Condition) String() string {
	switch c.Operator {
	case "begins_with":
		return strings.TrimSpace("begins_with(" + strings.Join([]string{c.Attribute, string(c.Value)}, ", ") + ")")
	case "BETWEEN":
		return c.Attribute + " BETWEEN " + string(c.Value) + " AND " + string(c.High)
	}
	return c.Attribute + " " + c.Operator + " " + string(c.Value)
}
