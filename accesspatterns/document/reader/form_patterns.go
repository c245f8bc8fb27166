package reader

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// Access patterns: rows of a table of patterns, items of a list ("title → request"), headings with
// "Operation:" and "Key:" below, fences of key lines, and requests in code. A title without a
// request is no pattern: it is named as not read.

func (r *reader) patterns() {
	for n, b := range r.blocks {
		f := b.frame
		if f.foreign() {
			continue
		}
		listed := f.about() == topicPatterns
		switch b.kind {
		case gridBlock:
			if r.kindOf(b) == patternsGrid {
				r.patternRows(b)
			}
		case codeBlock:
			if !definesTable(b) && !r.doneFence(b) {
				r.requests(b)
				if !r.doneFence(b) {
					r.spelled(b, r.blocks[:n])
				}
			}
		case itemBlock, textBlock:
			if f.level == labelLevel && f.title.line == b.line && b.kind == textBlock && !strings.Contains(b.text.text, " ") {
				continue
			}
			r.patternLine(b, listed)
		}
	}
	r.impliedIndexes()
	for _, p := range r.doc.Patterns {
		r.resolve(p)
	}
}

func (r *reader) doneFence(b *block) bool {
	for n := range b.code {
		if r.done[b.line+n] {
			return true
		}
	}
	return false
}

var (
	operationHead = lazyregexp.New("(?i)^`?(GetItem|BatchGetItem|BatchGet|TransactGetItems|PutItem|UpdateItem|DeleteItem|BatchWriteItem|BatchWrite|TransactWriteItems|TransactWrite|Query|Scan|Get|Put|Update|Delete)\\b`?")
	lookup        = lazyregexp.New("(?i)^(?:(?:table )?(?:PK|primary key|partition key) lookup)(?: on `([^`]+)`)?\\s*$")
	indexOn       = lazyregexp.New("(?i)^GSI (?:query |scan |lookup )?on `([^`]+)`(?:\\s*\\+\\s*`([^`]+)`(?: range)?)?\\s*$")
	stops         = lazyregexp.New(`(?: — | – |\. |; | \*?or\*? | \(e\.g|, sort(?:ed)? by| then |, where)`)
	another       = lazyregexp.New("(?i)^(?: [—–-] )?\\s*\\*?or\\b\\*? ")
	limitWord     = lazyregexp.New(`(?i)\blimit\s*[:=]?\s*(\d+)\b`)
	descending    = lazyregexp.New(`(?i)ScanIndexForward["']?\s*[:=]\s*"?(?:false)|\bscan_?(?:index_?)?forward\s*[:=]\s*false|\bdesc(?:ending)?\b`)
	ascending     = lazyregexp.New(`(?i)ScanIndexForward["']?\s*[:=]\s*"?(?:true)|\basc(?:ending)?\b`)
	consistent    = lazyregexp.New(`(?i)\bConsistentRead["']?\s*[:=]\s*"?true\b|\bstrongly consistent\b|\bconsistent read\b`)
	filterWord    = lazyregexp.New(`(?i)\bfilter(?:ed|s|expression)?\b`)
	plus          = lazyregexp.New("^`?([A-Za-z_][\\w.-]*)`?\\s*\\+\\s*`?([A-Za-z_][\\w.-]*)`?\\s*$")
	sdkCommand    = lazyregexp.New(`\b(Get|Put|Update|Delete|Query|Scan|BatchGet|BatchWrite|TransactWrite|TransactGet)Command\b`)
)

// request reads a request at the beginning of a text into a pattern: its operation, index and
// conditions. It returns false where the text is none.
func (r *reader) request(p *Pattern, text string, line int) bool {
	text = strings.TrimSpace(text)
	table := r.tableOf(p.Table)
	if match := lookup.FindStringSubmatch(strings.TrimRight(text, ".")); match != nil {
		if match[1] != "" {
			p.Conditions = append(p.Conditions, Condition{Line: line, Attribute: match[1], Operator: "="})
		} else if hash, has := keyOf(keysOf(table), Hash); has && len(table.Keys) == 1 {
			p.Conditions = append(p.Conditions, Condition{Line: line, Attribute: hash.Name, Operator: "="})
		}
		return true
	}
	if match := indexOn.FindStringSubmatch(strings.TrimRight(text, ".")); match != nil {
		return r.onIndex(p, table, match[1], match[2], line)
	}
	if before, after, found := strings.Cut(text, ": "); found && !strings.ContainsAny(before, " =") && r.indexIn(p, table, before) {
		text = after
	}
	rest := text
	head := operationHead.FindStringSubmatch(text)
	if head != nil {
		rest = strings.TrimSpace(text[len(head[0]):])
		operation := operationNames[strings.ToLower(head[1])]
		short := len(head[1]) < 7 && !strings.EqualFold(head[1], "query") && !strings.EqualFold(head[1], "scan")
		if short && !strings.HasPrefix(rest, "(") {
			return false
		}
		p.Operation = operation
	}
	given := rest
	if at := stops.FindStringIndex(rest); at != nil {
		given = rest[:at[0]]
		if another.MatchString(rest[at[0]:]) {
			return false // or another request: which of them is not said
		}
	}
	filter := ""
	if at := filterWord.FindStringIndex(given); at != nil {
		given, filter = given[:at[0]], given[at[1]:]
	}
	found := r.conditionsOf(given, line)
	if head == nil && len(found) == 0 {
		return false
	}
	if head == nil {
		// Comparisons alone have to be all of it.
		if pairs := keyPair.FindString(text); pairs == "" && !strings.HasPrefix(text, "begins_with") {
			return false
		}
	}
	p.Conditions = append(p.Conditions, found...)
	r.filtered(p, filter, line)
	r.arguments(p, table, given, line)
	if head != nil {
		r.indexIn(p, table, given)
	}
	r.limits(p, rest)
	p.Consistent = p.Consistent || consistent.MatchString(rest)
	return true
}

func keysOf(t *Table) []Key {
	if t == nil {
		return nil
	}
	return t.Keys
}

func (r *reader) tableOf(name string) *Table {
	table, _ := first(r.all, func(t *Table) bool { return t.Name == name })
	return table
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

// onIndex reads "GSI on `a` + `b`" of a table that has one index: those are its keys.
func (r *reader) onIndex(p *Pattern, table *Table, hash, sort string, line int) bool {
	conditions := r.conditionsOf(hash, line)
	if len(conditions) == 0 && identifier.MatchString(hash) {
		conditions = []Condition{{Line: line, Attribute: hash, Operator: "="}}
	}
	if table == nil || len(table.Indexes) != 1 || len(conditions) != 1 {
		return false
	}
	index := table.Indexes[0]
	p.Index, p.Conditions = index.Name, append(p.Conditions, conditions...)
	if len(index.Keys) == 0 || index.Keys[0].Name == conditions[0].Attribute {
		index.Keys = r.addKey(index.Keys, Key{At: At{line, Said}, Name: conditions[0].Attribute, Role: Hash}, index.Name)
		if identifier.MatchString(sort) {
			index.Keys = r.addKey(index.Keys, Key{At: At{line, Said}, Name: sort, Role: Range}, index.Name)
		}
	}
	if identifier.MatchString(sort) {
		r.unread(line, sort, "the comparison of the sort key is not given in a form that is read")
	}
	return true
}

var betweenWords = lazyregexp.New("(?i)(?:^|[ ,`])([A-Za-z_][\\w.-]*)`? between [a-z ]+$")

// conditionsOf are the comparisons of a text, those with words for values among them.
func (r *reader) conditionsOf(text string, line int) []Condition {
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
func (r *reader) arguments(p *Pattern, table *Table, text string, line int) {
	add := func(name string) {
		name = strings.Trim(name, "` ")
		role := ""
		if table != nil {
			if key, is := table.KeyNamed(name); is {
				role = key.Role
			}
		}
		if role == "" && !r.keyNames[name] || slices.ContainsFunc(p.Conditions, func(c Condition) bool { return c.Attribute == name }) {
			return
		}
		p.Conditions = append(p.Conditions, Condition{Line: line, Attribute: name, Operator: "="})
	}
	if inside := bracket.FindStringSubmatch(text); inside != nil {
		for _, part := range strings.Split(inside[1], ",") {
			if identifier.MatchString(strings.Trim(part, "` ")) {
				add(part)
			}
		}
		return
	}
	if match := plus.FindStringSubmatch(text); match != nil {
		add(match[1])
		add(match[2])
	}
}

// indexIn finds the one index that a text names.
func (r *reader) indexIn(p *Pattern, table *Table, text string) bool {
	var found *Index
	var of *Table
	for _, t := range r.all {
		if table != nil && t != table {
			continue
		}
		for _, index := range t.Indexes {
			for _, name := range append([]string{index.Name}, index.Also...) {
				if HasWord(text, name) && (found == nil || len(name) > len(found.Name) && strings.Contains(name, found.Name)) {
					found, of = index, t
				} else if HasWord(text, name) && found != index && !strings.Contains(found.Name, name) {
					return false
				}
			}
		}
	}
	if found == nil {
		if match := numberedIndex.FindStringSubmatch(strings.TrimLeft(text, "( `")); match != nil {
			p.Index = match[1]
			return true
		}
		return false
	}
	p.Index = found.Name
	if p.Table == "" {
		p.Table = of.Name
	}
	return true
}

// isIndex reports whether a text is the name of an index.
func (r *reader) isIndex(title string) bool {
	title = strings.Trim(cleanTitle(title), "`* :")
	return isIndexTitle(title) || slices.ContainsFunc(r.all, func(t *Table) bool {
		return slices.ContainsFunc(t.Indexes, func(x *Index) bool { return x.names(title) })
	})
}

// HasWord reports whether a name stands in a text as a word of its own.
func HasWord(text, name string) bool {
	for from := 0; name != "" && from < len(text); {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		start, end := from+at, from+at+len(name)
		if (start == 0 || !nameByte(text[start-1]) || !nameByte(name[0])) && (end == len(text) || !nameByte(text[end]) || !nameByte(name[len(name)-1])) {
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
	r.doc.Patterns = append(r.doc.Patterns, p)
	return p
}

// newPattern is a pattern of a place.
func (r *reader) newPattern(f *frame, title string, line int, listed bool) *Pattern {
	p := &Pattern{At: At{line, f.sure()}, Title: strings.Trim(cleanTitle(title), "`* :"), Listed: listed, Last: line}
	if table := r.table(f); table != nil {
		p.Table = table.Name
	}
	return p
}

// patternRows reads a table of access patterns.
func (r *reader) patternRows(b *block) {
	c := columnsOf(b)
	r.done[b.line] = true
	titleAt := slices.Index(c.words, wPattern)
	if c.count(wPattern) > 1 && len(b.header) > titleAt+1 {
		for i, w := range c.words {
			if spelt := spell(b.header[i].text); w == wPattern && (strings.Contains(spelt, "pattern") || strings.Contains(spelt, "description") && !strings.Contains(spell(b.header[titleAt].text), "pattern")) {
				titleAt = i
				break
			}
		}
	}
	if other := slices.Index(c.words, wOperation); other >= 0 && titleAt >= 0 && !slices.ContainsFunc(b.rows, func(row []inline) bool {
		return max(other, titleAt) >= len(row) || !operationHead.MatchString(ticked(row[titleAt])) || operationHead.MatchString(ticked(row[other]))
	}) {
		// The two headers are the other way round.
		titleAt, c.words = other, slices.Clone(c.words)
		for i, w := range c.words {
			switch w {
			case wPattern:
				c.words[i] = wOperation
			case wOperation:
				c.words[i] = wPattern
			}
		}
	}
	if titleAt < 0 {
		titleAt = slices.Index(c.words, wOperation)
	}
	used := []word{wPattern, wOperation, wCondition, wSource, wTable, wIndex, wHash, wRange, wOrder, wLimit, wFilter, wType}
	for _, row := range b.rows {
		if titleAt >= len(row) {
			continue
		}
		line := rowLine(row)
		p := r.newPattern(b.frame, row[titleAt].text, line, true)
		p.Text = rowText(row)
		sound := true
		if cell := c.cell(row, wTable); cell.text != "" && !isNone(cell.text) {
			p.Table = ""
			if known := r.known(strings.Trim(cell.text, "`* ")); known != nil {
				p.Table = known.Name
			} else {
				sound = r.indexIn(p, nil, strings.Trim(cell.text, "`* "))
			}
		}
		for _, w := range []word{wSource, wIndex} {
			if cell := c.cell(row, w); cell.text != "" {
				if w == wSource && !baseTable.MatchString(spell(cell.text)) {
					p.Table = ""
				}
				sound = r.sourceCell(p, cell) && sound
			}
		}
		table := r.tableOf(p.Table)
		for _, w := range []word{wType, wOperation, wCondition} {
			for i, cell := range row {
				if c.word(i) != w || i == titleAt || isNone(cell.text) {
					continue
				}
				sound = r.requestCell(p, cell, w) && sound
			}
		}
		for _, w := range []word{wHash, wRange} {
			if cell := c.cell(row, w); cell.text != "" && !isNone(cell.text) {
				sound = r.keyCell(p, table, cell, w, b.header[slices.Index(c.words, w)].text) && sound
			}
		}
		if cell := c.cell(row, wFilter); cell.text != "" && !isNone(cell.text) {
			r.filtered(p, ticked(cell), line)
		}
		if cell := c.cell(row, wLimit); strings.Trim(cell.text, "0123456789 ") == "" && cell.text != "" && spell(b.header[slices.Index(c.words, wLimit)].text) != "items" {
			p.Limit, _ = strconv.Atoi(strings.TrimSpace(cell.text))
		}
		order := c.cell(row, wOrder)
		r.limits(p, order.text)
		sound = sound && (len(p.Conditions) > 0 || p.Operation != "")
		r.addPattern(p)
		r.done[line] = sound
		if !sound {
			r.unread(line, rowText(row), "of this access pattern a cell is read in part, or gives no request in a form that is read")
		}
		if attribute, _, is := strings.Cut(order.text, " "); is && identifier.MatchString(attribute) && p.Index != "" {
			p.sortedBy = strings.Trim(attribute, "`")
		}
	}
	r.unknown(c, used...)
}

var baseTable = lazyregexp.New(`^(main|table|base table|primary|base|main table|primary key|table pk|-|none|primary table|base table pk|pk|primary index|—|–)\b`)

// sourceCell reads where a pattern reads: a table, an index, "Base table (GetItem)".
func (r *reader) sourceCell(p *Pattern, cell inline) bool {
	text := strings.Trim(ticked(cell), " ")
	spelt := spell(cell.text)
	if given := bracket.FindStringSubmatch(strings.TrimLeft(text, "`abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. ")); given != nil {
		if operation := operationNames[strings.ToLower(given[1])]; operation != "" && operations.MatchString(given[1]) {
			p.Operation = operation
			text = strings.TrimSpace(strings.Replace(text, given[0], "", 1))
			spelt = spell(text)
		}
	}
	if isNone(cell.text) {
		return true
	}
	bare := strings.Trim(strings.TrimSpace(bracketed.ReplaceAllString(text, "")), "`")
	for _, suffix := range []string{" table", " Table", " (table)"} {
		if known := r.known(strings.TrimSuffix(bare, suffix)); known != nil {
			p.Table = known.Name
			return true
		}
	}
	if baseTable.MatchString(spelt) {
		if len(strings.Fields(spelt)) <= 2 {
			if p.Table == "" {
				if strong := r.table(&frame{}); strong != nil {
					p.Table = strong.Name
				}
			}
			return true
		}
		return false
	}
	if strings.ContainsAny(bare, "+,/&") {
		return false // several
	}
	name := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(bare, " GSI"), " index"), " LSI")
	name = strings.TrimPrefix(strings.TrimPrefix(strings.Trim(name, "`"), "GSI `"), "GSI ")
	if r.indexIn(p, r.tableOf(p.Table), name) {
		return true
	}
	if identifier.MatchString(name) && !strings.ContainsAny(name, " ") {
		p.Index = name
		return true
	}
	return false
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
	if len(all) > 1 && (strings.Contains(text, "->") || strings.Contains(text, "→") || strings.Contains(text, " + ") || strings.Contains(text, ", then")) {
		return false // several requests
	}
	if r.request(p, text, cell.line) {
		if given := trailing.FindStringSubmatch(text); given != nil && p.Operation == "" && len(all) == 1 {
			p.Operation = operationNames[strings.ToLower(given[1])]
		}
		at := stops.FindStringIndex(text)
		return at == nil || len(text)-at[1] < 3
	}
	return false
}

var trailing = lazyregexp.New(`\(([A-Z][A-Za-z]+)\)\s*$`)

var keyUsed = lazyregexp.New("(?i)^(?:GSI `([^`]+)`|(?:table )?PK \\((?:`([^`]+)`(?: = .*)?|[^`)]*)\\)|table PK)(?:\\s*(?:via|→|->) .*)?$")

// keyCell reads the value of a key in a cell under its name or role.
func (r *reader) keyCell(p *Pattern, table *Table, cell inline, w word, header string) bool {
	role := map[word]string{wHash: Hash, wRange: Range}[w]
	name := strings.Trim(header, "` ")
	if before, _, _ := strings.Cut(name, " "); genericKey.MatchString(before) && (r.keyNames[before] || len(r.all) == 0) {
		name = before
	} else {
		name = ""
	}
	if table != nil {
		keys := table.Keys
		if index, is := table.Index(p.Index); is {
			keys = index.Keys
		}
		if key, has := keyOf(keys, role); has {
			name = key.Name
		} else if p.Index != "" {
			name = ""
		}
	}
	text := ticked(cell)
	if found := r.conditionsOf(text, cell.line); len(found) == 1 && r.keyNames[found[0].Attribute] {
		p.Conditions = append(p.Conditions, found...)
		return true
	}
	if name == "" {
		return false
	}
	c := Condition{Line: cell.line, Attribute: name, Operator: "="}
	lower := strings.ToLower(text)
	switch {
	case strings.HasPrefix(strings.Trim(lower, "`"), "begins_with"):
		at := strings.Index(lower, "begins_with") + len("begins_with")
		token, _, is := valueAt(strings.TrimLeft(text[at:], "( `"))
		c.Operator, c.Value = "begins_with", value(token)
		p.Conditions = append(p.Conditions, c)
		return is
	case strings.Contains(lower, "begins_with)"), strings.HasSuffix(strings.Trim(text, "`"), "*"):
		c.Operator = "begins_with"
	case strings.HasPrefix(lower, "between "):
		c, used := bounds(Condition{Line: cell.line, Attribute: name, Operator: "BETWEEN"}, text[len("between "):], value)
		if used > 0 {
			p.Conditions = append(p.Conditions, c)
		}
		return used > 0
	}
	for _, operator := range []string{">=", "<=", "=", ">", "<"} {
		if rest, is := strings.CutPrefix(strings.TrimLeft(text, "` "), operator); is && !(operator == "<" && angled.MatchString(text)) {
			c.Operator, text = operator, rest
			break
		}
	}
	token, used, is := valueAt(text)
	rest := strings.TrimSpace(strings.TrimPrefix(text[max(used, 0):], "`"))
	form, _, fits := templateOf(token)
	if !is || !fits || rest != "" && !strings.HasPrefix(rest, "(") && !strings.HasPrefix(rest, ",") {
		return false
	}
	if !isTemplate(token) && identifier.MatchString(token) {
		if token == name {
			form = ""
		} else {
			form = Template("{" + token + "}")
		}
	}
	c.Value = form
	p.Conditions = append(p.Conditions, c)
	return true
}

var arrow = lazyregexp.New(`\s(?:→|->|=>|⇒)\s`)

// patternLine reads "Orders of a customer → Query PK = ...", and the labels of a pattern that has
// its parts in lines.
func (r *reader) patternLine(b *block, listed bool) {
	f := b.frame
	for _, line := range b.lines() {
		text := ticked(line)
		if r.patternField(b, line) {
			continue
		}
		title, request := "", ""
		switch at := arrow.FindStringIndex(text); {
		case at != nil:
			title, request = text[:at[0]], text[at[1]:]
		default:
			if label, value, equals, is := split(line); is && !equals && wordOf(label) == "" {
				title, request = label, ticked(value)
			} else if operationHead.MatchString(text) && wordOf(f.title.text) == wOperation || f.parent != nil && wordOf(f.parent.title.text) == wOperation && operationHead.MatchString(text) {
				title, request = f.up(func(f *frame) bool { return f.level < labelLevel }).sectionTitle(), text
			}
		}
		if request == "" || title == "" || r.isIndex(title) {
			continue
		}
		p := r.newPattern(f, title, b.line, true)
		p.Text = text
		named := len(r.conditionsOf(request, line.line)) > 0 && b.kind == itemBlock
		whole := operationHead.MatchString(request) && (strings.ContainsAny(request, "(=`") || named) || lookup.MatchString(request) || indexOn.MatchString(request)
		if !listed && !(whole && b.kind == itemBlock && (operationHead.MatchString(request) && len(r.doc.Tables)+len(r.all) > 0)) {
			continue
		}
		if f.about() == topicOther || f.about() == topicAttributes || f.about() == topicExamples || f.about() == topicKeys && !listed {
			continue
		}
		if r.request(p, request, line.line) && (p.Operation != "" || len(p.Conditions) > 0) {
			r.addPattern(p)
			at := stops.FindStringIndex(request)
			r.done[line.line] = at == nil || len(request)-at[1] < 3
		}
	}
}

// patternField reads "**Operation:** GetItem" and the like under the heading of a pattern.
func (r *reader) patternField(b *block, line inline) bool {
	label, value, equals, is := split(line)
	if !is && strings.HasSuffix(strings.TrimSpace(line.text), ":") {
		return false
	}
	if !is || equals {
		return false
	}
	at := b.frame.up(func(f *frame) bool { return f.level < labelLevel })
	if at == nil || at.about() != topicPatterns || at.topic == topicPatterns && at.pattern == nil {
		return false
	}
	w := wordOf(label)
	text := ticked(value)
	before, _, _ := strings.Cut(strings.Trim(label, "`* "), " ")
	if w == "" || genericKey.MatchString(before) {
		// "GSI1PK: `SENDER#{id}`" and "GSI1SK begins_with: `X#`".
		if !r.keyNames[before] || at.pattern == nil {
			return false
		}
		token, _, is := valueAt(text)
		form, _, fits := templateOf(token)
		if !is || !fits {
			return false
		}
		operator := "="
		if strings.HasSuffix(strings.ToLower(label), "begins_with") {
			operator = "begins_with"
		}
		if strings.HasPrefix(strings.ToLower(text), "begins_with") {
			at.pattern.Conditions = append(at.pattern.Conditions, r.conditionsOf(before+" "+strings.Replace(text, "(", " ", 1), line.line)...)
		} else {
			at.pattern.Conditions = append(at.pattern.Conditions, Condition{Line: line.line, Attribute: before, Operator: operator, Value: form})
		}
		r.done[line.line] = true
		return true
	}
	switch w {
	case wOperation, wCondition, wIndex, wTable, wSource, wOrder, wLimit, wFilter, wPrimary, wPattern:
	default:
		return false
	}
	p := at.pattern
	if p == nil {
		if w == wOrder || w == wLimit || w == wFilter || w == wOperation && !operationHead.MatchString(text) || w == wPattern && !operationHead.MatchString(text) {
			return false
		}
		p = r.addPattern(r.newPattern(at, at.title.text, at.title.line, true))
		at.pattern = p
	}
	p.Last = max(p.Last, line.line)
	p.Text += "\n" + line.text
	r.field(p, w, text, line)
	return true
}

// field reads one part of a pattern.
func (r *reader) field(p *Pattern, w word, text string, line inline) {
	sound := true
	switch w {
	case wOperation, wPattern:
		sound = r.request(p, text, line.line)
	case wCondition, wPrimary:
		found := r.conditionsOf(text, line.line)
		p.Conditions = append(p.Conditions, found...)
		if len(found) == 0 {
			token, _, is := valueAt(text)
			if sound = is && identifier.MatchString(token) && r.keyNames[token]; sound {
				p.Conditions = append(p.Conditions, Condition{Line: line.line, Attribute: token, Operator: "="})
			}
		}
	case wIndex, wSource, wTable:
		sound = r.sourceCell(p, line.sliceFrom(text))
	case wOrder, wLimit:
		r.limits(p, string(w)+" "+text)
	case wFilter:
		r.filtered(p, text, line.line)
	}
	r.done[line.line] = sound
}

// sliceFrom is a text on the line of another.
func (i inline) sliceFrom(text string) inline {
	return inline{line: i.line, text: strings.ReplaceAll(text, "`", "")}
}

var (
	accessTitle = lazyregexp.New(`(?i)\b(?:access|look-?up|quer(?:y|ies)|search)\b`)
	commentLine = lazyregexp.New(`^\s*(?://|#|--|/\*)\s*(.+?)(?:\*/)?\s*$`)
	askedLine   = lazyregexp.New(`(?i)^\s*(query|get|scan)\s+(table|[A-Za-z][\w-]*)(?:\s+where\s+(.+)|\s*:)\s*$`)
	keyLineForm = lazyregexp.New("^\\s*([A-Za-z_][\\w.-]*)\\s*(?:(:)\\s*(>=|<=|>|<)?|(=|>=|<=|>|<)|\\s(begins_with|between)\\b)\\s*(.+?)[;,]?\\s*$")
)

// spelled reads a fence of key lines under a title: a label, a comment, or its first line.
func (r *reader) spelled(b *block, above []*block) {
	f := b.frame
	asked := slices.ContainsFunc(b.code, askedLine.MatchString) || accessTitle.MatchString(f.sectionTitle()) && !indexWord.MatchString(f.sectionTitle())
	if f.about() != topicPatterns && !asked || isIndexTitle(strings.TrimSpace(b.code[0])) {
		return
	}
	if f.about() == topicAttributes || f.about() == topicEntities || f.about() == topicKeys && wordOf(f.title.text) == wPrimary {
		return
	}
	title, line := f.sectionTitle(), b.line
	if len(above) > 0 {
		if last := above[len(above)-1]; last.kind == itemBlock && last.frame == f {
			title, line = last.text.text, last.line
		}
	}
	fields := b.lines()
	if len(fields) > 1 {
		// "Table: ...", "GSI: ...", "Key: ...".
		known := 0
		for _, each := range fields {
			label, _, _, _ := split(each)
			switch wordOf(label) {
			case wTable, wIndex, wCondition, wOperation, wSource, wPrimary:
				known++
			}
		}
		if known > 1 {
			if at := f.heading(); at != nil && at.level < labelLevel && at.title.line > b.line-8 {
				line = at.title.line
			}
			p := r.newPattern(f, title, line, true)
			p.Text, p.Last = strings.Join(b.code, "\n"), b.line+len(b.code)-1
			for _, each := range fields {
				label, value, _, _ := split(each)
				w := wordOf(label)
				if spell(label) == "range" {
					w = wCondition
				}
				switch w {
				case wTable, wIndex, wCondition, wOperation, wSource, wPrimary, wOrder, wLimit, wFilter:
					if w == wTable {
						p.Table = ""
					}
					r.field(p, w, value.text, each)
				default:
					r.unread(each.line, each.text, "no form reads a line of that label in an access pattern")
				}
			}
			r.addPattern(p)
			return
		}
	}
	var p *Pattern
	flush := func() {
		if p != nil && len(p.Conditions) > 0 {
			r.addPattern(p)
			for n := p.from; n <= p.Last; n++ {
				r.done[n] = true
			}
		}
		p = nil
	}
	for n, text := range b.code {
		number := b.line + n
		switch asked, comment := askedLine.FindStringSubmatch(text), commentLine.FindStringSubmatch(text); {
		case strings.TrimSpace(text) == "":
			if p != nil && len(p.Conditions) > 0 {
				flush()
			}
		case comment != nil:
			flush()
			title, line = comment[1], number+1
		case asked != nil:
			flush()
			p = r.newPattern(f, title, number, true)
			p.Operation, p.from = operationNames[strings.ToLower(asked[1])], number
			if strings.EqualFold(asked[1], "get") && !strings.EqualFold(asked[2], "table") {
				p.Operation = ""
			}
			p.Text, p.Last = text, number
			if !strings.EqualFold(asked[2], "table") {
				r.indexIn(p, r.tableOf(p.Table), asked[2])
			}
			p.Conditions = append(p.Conditions, r.conditionsOf(asked[3], number)...)
		case strings.HasSuffix(strings.TrimSpace(text), ":") && n == 0:
			title, line = strings.TrimSuffix(strings.TrimSpace(text), ":"), number
		default:
			c, is := r.keyLineOf(text, number)
			if !is {
				if p != nil {
					r.limits(p, text)
					continue
				}
				return
			}
			if p == nil {
				p = r.newPattern(f, title, line, true)
				p.from = number
			}
			p.Conditions = append(p.Conditions, c)
			p.Last, p.Text = number, p.Text+"\n"+text
		}
	}
	flush()
}

// keyLineOf reads "SK begins_with ORDER#" and "SK: begins_with("ORDER#");".
func (r *reader) keyLineOf(text string, line int) (Condition, bool) {
	match := keyLineForm.FindStringSubmatch(text)
	if match == nil || !r.keyNames[match[1]] && !genericKey.MatchString(match[1]) {
		return Condition{}, false
	}
	source := strings.TrimRight(strings.TrimSpace(text), ";,")
	if match[2] != "" {
		operator := cmp.Or(match[3], "=")
		if strings.HasPrefix(match[6], "begins_with") {
			operator = ""
			match[6] = strings.Replace(match[6], "(", " ", 1)
		}
		source = match[1] + " " + operator + " " + match[6]
	}
	found := r.conditionsOf(source, line)
	if len(found) != 1 {
		return Condition{}, false
	}
	return found[0], true
}

// impliedIndexes reads the keys of an index that a table of patterns alone names: what all its rows
// compare by equality is the partition key, for DynamoDB takes no other, and what they compare
// beside it is the sort key.
func (r *reader) impliedIndexes() {
	byIndex := map[string][]*Pattern{}
	var order []string
	for _, p := range r.doc.Patterns {
		table := r.tableOf(p.Table)
		if p.Index == "" || table == nil || !p.Listed {
			continue
		}
		if _, is := table.Index(p.Index); is || len(p.Conditions) == 0 {
			continue
		}
		name := p.Table + "\x00" + p.Index
		if byIndex[name] == nil {
			order = append(order, name)
		}
		byIndex[name] = append(byIndex[name], p)
	}
	for _, name := range order {
		all := byIndex[name]
		hash, sort := "", ""
		sound := true
		for _, p := range all {
			if len(p.Conditions) == 1 && p.Conditions[0].Operator == "=" {
				sound = sound && (hash == "" || hash == p.Conditions[0].Attribute)
				hash = p.Conditions[0].Attribute
			}
		}
		for _, p := range all {
			for _, c := range p.Conditions {
				if c.Filter || c.Attribute == hash {
					continue
				}
				if hash == "" && len(all[0].Conditions) == 2 && all[0].Conditions[1].Operator != "=" {
					hash = all[0].Conditions[0].Attribute
					if c.Attribute == hash {
						continue
					}
				}
				sound = sound && (sort == "" || sort == c.Attribute)
				sort = c.Attribute
			}
			if p.sortedBy != "" && p.sortedBy != hash {
				sound = sound && (sort == "" || sort == p.sortedBy)
				sort = p.sortedBy
			}
		}
		if !sound || hash == "" {
			continue
		}
		table := r.tableOf(all[0].Table)
		at := all[0].At
		index := table.addIndex(all[0].Index, at)
		index.Keys = []Key{{At: at, Name: hash, Role: Hash}}
		if sort != "" {
			index.Keys = append(index.Keys, Key{At: at, Name: sort, Role: Range})
		}
	}
	r.learnKeys()
}

// resolve gives the conditions of a pattern the names of the keys where it gives their roles:
// "PK = status" of an index whose partition key is status.
func (r *reader) resolve(p *Pattern) {
	table := r.tableOf(p.Table)
	if table == nil {
		if p.Table == "" && p.Index != "" {
			r.indexIn(p, nil, p.Index)
			table = r.tableOf(p.Table)
		}
		if table == nil {
			return
		}
	}
	keys := table.Keys
	if p.Index != "" {
		index, is := first(table.Indexes, func(x *Index) bool { return x.names(p.Index) })
		if !is {
			return
		}
		p.Index, keys = index.Name, index.Keys
	}
	hash, has := keyOf(keys, Hash)
	defer func() {
		_, fixed := first(p.Conditions, func(c Condition) bool { return c.Attribute == hash.Name && !c.Filter })
		switch {
		case has && !fixed && p.Listed && (p.Operation == "Query" || p.Operation == "" || p.Operation == "GetItem" || len(p.Conditions) > 0):
			r.unread(p.Line, p.Title, "no form reads the value of the partition key "+hash.Name+" of this access pattern")
		case p.Operation == "" && p.Listed:
			r.unread(p.Line, p.Title, "no form reads the operation of this access pattern")
		}
	}()
	for i := range p.Conditions {
		c := &p.Conditions[i]
		role := map[word]string{wHash: Hash, wRange: Range}[wordOf(c.Attribute)]
		key, has := keyOf(keys, role)
		if role == "" || !has || !p.Listed && genericKey.MatchString(c.Attribute) || slices.ContainsFunc(keys, func(k Key) bool { return k.Name == c.Attribute }) || r.keyNames[c.Attribute] {
			continue
		}
		c.Attribute = key.Name
		if string(c.Value) == key.Name {
			c.Value = ""
		}
	}
	if p.Operation == "Query" || p.Operation == "" {
		for i := range p.Conditions {
			c := &p.Conditions[i]
			if _, is := table.AnyKey(c.Attribute); !is && len(keys) > 0 && len(p.Conditions) > 1 && !r.keyNames[c.Attribute] && slices.ContainsFunc(p.Conditions, func(o Condition) bool {
				return slices.ContainsFunc(keys, func(k Key) bool { return k.Name == o.Attribute })
			}) {
				c.Filter = true // beside the keys, and of none
			}
		}
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
