package reader

import (
	"cmp"
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// Tables of Markdown, by their header cells: each cell is a word of the field, in any order. A
// column whose header is no word is named as not read.

// wordOfRole is the word of the field for a role.
var wordOfRole = map[string]word{Hash: wHash, Range: wRange}

// columns are the words of a table's header.
type columns []word

// ofPatterns matches the head of a column of the access patterns of something.
var ofPatterns = lazyregexp.New(`^(?:\pL+ ){1,2}access patterns?$`)

func columnsOf(b *block) (c columns) {
	for _, cell := range b.header {
		w := wordOf(cell.text)
		if name := strings.Trim(cell.text, "` "); w == "" && genericKey.MatchString(name) {
			w = wordOfRole[roleOfName(name)]
		} else if w == "" && ofPatterns.MatchString(spell(cell.text)) {
			w = wPattern // "Job access pattern"
		}
		c = append(c, w)
	}
	base := func(row []inline) bool { return phrase("baseTable").MatchString(spell(row[0].text)) }
	unnamed := func(row []inline) bool { return !isIndexTitle(ticked(row[0])) && !base(row) }
	if c.has(wHash) && !c.has(wIndex) && b.header[0].text == "" && len(b.rows) > 0 && !slices.ContainsFunc(b.rows, unnamed) {
		c[0] = wIndex // "| | Partition key | Sort key |"
		if slices.ContainsFunc(b.rows, base) {
			c[0] = wSource // over "Base table" as well
		}
	}
	if at := c.at(wAttributes, wAttribute); at >= 0 && c.has(wHash) && !c.has(wProjection) && len(b.rows) > 0 && !slices.ContainsFunc(b.rows, func(row []inline) bool { return projectionOf(row[at].text) == "" }) {
		c[at] = wProjection // "Attributes", over ALL
	}
	if at := c.at(wPrimary); at >= 0 && c.has(wRange) && c.has(wEntity) && !c.has(wHash) {
		c[at] = wHash // "Primary key" beside "Sort key"
	}
	if len(c) > 1 && c[0] == wType && !c.has(wEntity) && b.ofPairs(c.at(wPrimary)) && !slices.ContainsFunc(b.rows, func(row []inline) bool { return TypeOf(row[0].text) != "" }) {
		c[0] = wEntity // "Type | Key", over the forms of kinds of items
	}
	if at := c.at(wSetting); at >= 0 && c.at(wAttribute, wName) < 0 && c.has(wType) && (c.at(wPrimary, wRole) >= 0 || len(b.rows) > 1 && !slices.ContainsFunc(b.rows, func(row []inline) bool {
		return TypeOf(row[c.at(wType)].text) == "" && roleIn(row[c.at(wType)].text) == ""
	})) {
		c[at] = wAttribute // what it is called in other languages, and "Property | Type"
	}
	return c
}

// asAbove matches a cell that has what the one above it has.
var asAbove = lazyregexp.New("(?i)^(?:\\(?(?:same(?: as above| PK| SK)?|as above|ditto)\\)?|〃|″|同上)$")

// repeated gives the cells of keys that say that they are as the one above what that has.
func (b *block) repeated() {
	for at, w := range columnsOf(b) {
		for n := 1; n < len(b.rows) && roles[w] != ""; n++ {
			if cell := b.rows[n][at]; asAbove.MatchString(cell.text) && len(cell.code()) == 0 {
				b.rows[n][at] = b.rows[n-1][at]
				b.rows[n][at].line = cell.line
			}
		}
	}
}

// at is the first column under one of the words, -1 for none.
func (c columns) at(any ...word) int {
	return slices.IndexFunc(c, func(w word) bool { return slices.Contains(any, w) })
}

func (c columns) has(w word) bool { return c.at(w) >= 0 }

// cell is the first cell of a row under a word; its text is empty where there is none.
func (c columns) cell(row []inline, w word) inline {
	if at := c.at(w); at >= 0 {
		return row[at]
	}
	return inline{}
}

// unknown names the columns that are not read.
func (r *reader) unknown(b *block, c columns, taken ...word) {
	r.done[b.line] = true
	for i, w := range c {
		if w != wSilent && !slices.Contains(taken, w) {
			r.unreadColumn(b, i, "no form reads a column of that name here")
		}
	}
}

// unreadColumn names a column that is not read, and what its cells have in backticks.
func (r *reader) unreadColumn(b *block, at int, why string) {
	text := strings.TrimSpace(b.header[at].text)
	if text == "" {
		return
	}
	r.unread(b.line, "column "+text, why)
	for _, row := range b.rows {
		if cell := row[at]; len(cell.code()) > 0 && !isNone(cell.text) {
			r.unread(cell.line, cell.text, "in the column "+text+", which no form reads")
		}
	}
}

// sound notes whether all was read that a row says.
func (r *reader) sound(row []inline, sound bool) {
	r.done[rowLine(row)] = sound
	if !sound {
		r.unread(rowLine(row), rowText(row), "of this row a cell is read in part")
	}
}

// gridKind is what the rows of a table are.
type gridKind int

const (
	noGrid gridKind = iota
	tablesGrid
	indexesGrid
	patternsGrid
	rolesGrid
	settingsGrid
	attributesGrid
	itemsGrid
)

func (r *reader) kindOf(b *block) gridKind {
	c := columnsOf(b)
	about := b.frame.about()
	pattern, named := c.has(wPattern), c.has(wAttribute) || c.has(wName)
	asked := c.has(wCondition) || c.has(wOperation) || c.has(wSource)
	asks := pattern || c.has(wCondition) || c.has(wOperation)
	request := func(w word) bool {
		return slices.Contains([]word{wOperation, wCondition, wSource, wTable, wIndex, wHash}, w)
	}
	beside := false // a column of requests, or of places, beside that of the titles
	if pattern || about == topicPatterns {
		all, at := r.columnsAsked(b) // whatever its header says
		asked = asked || all.has(wOperation) && (about == topicPatterns || all[at] == wPattern)
		for i, w := range all {
			beside = beside || i != at && request(w)
		}
	}
	title := ""
	if pattern {
		title = spell(b.header[c.at(wPattern)].text)
	}
	generic := func(at int, role string) bool {
		return at < len(c) && roleOfName(strings.Trim(b.header[at].text, "` ")) == role
	}
	keysNamed := pattern && r.namesKeys(b, c)
	switch {
	case slices.ContainsFunc(b.rows, func(row []inline) bool { return strings.Contains(rowText(row), "dynamodb:") }), // what a policy allows
		title == "requirement" && about != topicPatterns, // of what is built
		len(b.rows) > 0 && !slices.ContainsFunc(b.rows, func(row []inline) bool { return !capitals.MatchString(row[0].text) }) && slices.ContainsFunc(b.rows, func(row []inline) bool { return variableName.MatchString(row[0].text) }) && !c.has(wHash) && !c.has(wRange) && c[0] == "", // variables of an environment
		about == topicOther && !c.has(wHash) && !c.has(wAttribute) && !(pattern && (c.has(wSource) || c.has(wCondition))) && !(len(c) == 2 && r.areRequests(b, 1)):
		return noGrid
	case c[0] == wEntity && b.asksBeside() && b.writesKinds():
		return itemsGrid
	case pattern && c.has(wHash) && !c.has(wTable) && strings.Contains(title, "pattern") && !strings.Contains(title, "key"):
		return patternsGrid
	case r.settingRows(b) != nil:
		return settingsGrid
	case c.has(wRole) && named && !pattern && (r.rolesIn(b, c.at(wRole)) || !c.has(wType)), named && r.rolesIn(b, c.at(wPrimary)), (c.has(wPrimary) || len(c) == 2) && len(c) <= 4 && r.rolesIn(b, c.at(wType)):
		return rolesGrid
	case pattern && !c.has(wAttribute) && !c.typed(b) && !(c[0] == wIndex && keysTold(b, c.at(wPrimary))) && !keysNamed && (asked || about == topicPatterns && (c.has(wHash) || c.has(wIndex) || c.has(wTable))):
		if c.has(wIndex) && c.has(wHash) && about != topicPatterns && c.at(wIndex) < c.at(wPattern) {
			return indexesGrid // a use case is a remark
		}
		return patternsGrid
	case about == topicPatterns && !c.has(wAttribute) && asked && beside:
		return patternsGrid
	case c[0] == wSilent && c.has(wOperation) && !slices.ContainsFunc(b.rows, func(row []inline) bool { return r.numbered[row[0].text] == "" }):
		return patternsGrid // the requests of a numbered list
	case generic(0, Hash) && generic(1, Range) && !pattern:
		return itemsGrid
	case c[0] == wTable && !c.has(wHash) && !asks && !c.has(wIndex) && (keysTold(b, c.at(wPrimary)) || c.has(wPrimary) && c.has(wIndexes)),
		c[0] == wTable && !c.has(wHash) && !asks && b.ofPairs(c.at(wPrimary)),
		c.has(wTable) && c.has(wHash) && !c.has(wEntity) && (!c.has(wIndex) || c[0] == wTable && c.at(wIndex) > c.at(wHash)):
		return tablesGrid
	case keysNamed, (c[0] == wIndex || c[0] == wName && about == topicIndexes) && c.has(wPrimary) && !c.has(wHash) && about != topicPatterns && (!pattern || keysTold(b, c.at(wPrimary))), c.has(wHash) && (!c.has(wEntity) || c.has(wProjection)) && (c.has(wIndex) || c.has(wLocal) || c.has(wName) && about == topicIndexes || c.has(wSource) && !asks):
		return indexesGrid
	case c.has(wAttribute) && len(c) > 1 && !c.has(wHash), c.has(wName) && c.has(wType):
		return attributesGrid
	case c.has(wHash) && c.has(wRange), c.has(wEntity) && (c.has(wHash) || c.has(wRange)), c.has(wEntity) && b.ofPairs(c.at(wValue, wPrimary)):
		return itemsGrid
	}
	return noGrid
}

// namesKeys reports whether a table in a part on indexes gives each its keys by their names alone, and beside them what it is asked for:
// "Table | GSI | Keys | Access pattern".
func (r *reader) namesKeys(b *block, c columns) bool {
	at, keys := c.at(wIndex), c.at(wPrimary)
	return at >= 0 && at < keys && keys < c.at(wPattern) && (b.frame.about() == topicIndexes || indexWord.MatchString(b.frame.heading().title.text)) && !slices.ContainsFunc(b.rows, func(row []inline) bool {
		return !isNone(row[keys].text) && !keyNamesAlone.MatchString(ticked(row[keys]))
	})
}

// keyNamesAlone matches one or two names of attributes and nothing else.
var keyNamesAlone = lazyregexp.New("^`?[a-z]\\w*`?(?: ?[,+/] ?`?[a-z]\\w*`?)?$")

// keysTold reports whether a cell of a column names a key with its role or type behind it, as a schema does and no request: "`day` (HASH)".
func keysTold(b *block, at int) bool {
	return roleBehind(b, at) || at >= 0 && slices.ContainsFunc(b.rows, func(row []inline) bool { _, given := headOf(row[at]); return keyType(given) != "" })
}

// asksBeside reports whether a table has a column of access patterns by that name, or with an operation in half of its cells.
func (b *block) asksBeside() bool {
	at, calls := columnsOf(b).at(wPattern), 0
	if at <= 0 {
		return false
	} else if strings.Contains(spell(b.header[at].text), "pattern") {
		return true
	}
	for _, row := range b.rows {
		if operations.MatchString(row[at].text) {
			calls++
		}
	}
	return calls*2 >= len(b.rows)
}

// typed reports whether each row gives a type of DynamoDB's keys: a description beside it is a remark, and no request.
func (c columns) typed(b *block) bool {
	at := c.at(wType)
	return at >= 0 && !slices.ContainsFunc(b.rows, func(row []inline) bool { return keyType(row[at].text) == "" })
}

// writesKinds reports whether each row of a table writes out a kind of item of its own, whatever the part is about: both its keys are whole
// forms. A request for several items gives a beginning: "ORDER#".
func (b *block) writesKinds() bool {
	c, titles := columnsOf(b), map[string]bool{}
	if len(b.rows) < 2 || !c.has(wEntity) || !c.has(wHash) || !c.has(wRange) {
		return false
	}
	for _, row := range b.rows {
		hash, sort := strings.Trim(c.cell(row, wHash).text, "` "), strings.Trim(c.cell(row, wRange).text, "` ")
		if !formAlone.MatchString(hash) || !formAlone.MatchString(sort) || !placeholder.MatchString(hash) && !capitals.MatchString(hash) || !placeholder.MatchString(sort) && !capitals.MatchString(strings.TrimLeft(sort, "#")) || strings.HasSuffix(sort, "#") {
			return false
		}
		titles[c.cell(row, wEntity).text] = true
	}
	return len(titles) == len(b.rows)
}

// ofPairs reports whether each cell of a column gives the forms of keys: "PK=CART#{id}, SK=META".
func (b *block) ofPairs(at int) bool {
	return at >= 0 && !slices.ContainsFunc(b.rows, func(row []inline) bool { return len(pairItems(ticked(row[at]))) == 0 }) &&
		slices.ContainsFunc(b.rows, func(row []inline) bool { return placeholder.MatchString(row[at].text) }) // or single items
}

// rolesIn reports whether a column says in its rows which key an attribute is.
func (r *reader) rolesIn(b *block, at int) bool {
	return at >= 0 && slices.ContainsFunc(b.rows, func(row []inline) bool {
		_, ofIndex := roleOfIndex(row[at].text)
		return roleIn(row[at].text)+ofIndex != ""
	})
}

// roleOfIndex reads a cell that says which key of an index an attribute is: "GSI1 partition key", "GSI1PK".
func roleOfIndex(cell string) (number, role string) {
	if name := strings.Trim(cell, "`* "); genericKey.MatchString(name) && numberOf(name) != "" {
		return numberOf(name), roleOfName(name)
	}
	return keyOfIndex(cell)
}

// namesHash reports whether a table of attributes says which of them is the partition key.
func (r *reader) namesHash(b *block) bool {
	switch c := columnsOf(b); r.kindOf(b) {
	case rolesGrid:
		return true
	case attributesGrid: // as schemas of other databases have them too
		at := c.at(wAttribute, wName)
		told := slices.ContainsFunc(b.rows, func(row []inline) bool { return c.rowRole(row, at) == Hash && !r.indexOnly(row, at) })
		return (roleBehind(b, at) || told) && !r.relational
	}
	return false
}

// roleBehind reports whether a cell of a column gives the role of its key in a bracket: "`state` (PK)".
func roleBehind(b *block, at int) bool {
	return at >= 0 && slices.ContainsFunc(b.rows, func(row []inline) bool { _, given := headOf(row[at]); return roleIn(given) != "" })
}

// tableGrid reads a list of tables: "Table | Partition key | Sort key | GSIs".
func (r *reader) tableGrid(b *block) {
	c, taken := columnsOf(b), append(slices.Clone(settable), wTable, wHash, wRange, wPrimary, wIndexes, wIndex)
	for _, row := range b.rows {
		name := c.cell(row, wTable)
		token, _ := leadOf(name)
		if !namesTable(token) {
			continue
		}
		table := r.known(token)
		if table == nil {
			table = r.addTable(token, b.frame.at(name.line))
			ours := c.has(wHash) || c.has(wPrimary) || tablesOfDynamo.MatchString(b.frame.sectionTitle())
			table.named, table.weak = ours, !ours // a list of names alone may be one of another database
		}
		sound := r.keyCells(b, c, row, &table.Keys, table.Name)
		sound = r.settingCells(b, c, row, table) && sound
		cell := c.cell(row, wIndexes)
		if !c.has(wIndexes) {
			cell = c.cell(row, wIndex)
		}
		if cell.text != "" && !isNone(cell.text) {
			sound = r.indexCell(table, cell) && sound
		} else if cell.text != "" {
			table.NoIndexes = keep(table.NoIndexes, At{cell.line, Said}, cell.text)
		}
		r.sound(row, sound)
	}
	r.unknown(b, c, taken...)
}

// keyCells reads the cells of a row that name keys, and returns whether it read all that they say.
func (r *reader) keyCells(b *block, c columns, row []inline, keys *[]Key, where string) bool {
	sound, formed := true, false
	for _, w := range []word{wHash, wRange} {
		cell := c.cell(row, w)
		if isNone(cell.text) {
			continue
		}
		item, rest, is := keyItem{role: roles[w]}.valued(ticked(cell))
		formed = formed || item.name == "" && strings.Contains(cell.text, "#")
		is = is && !(formed && strings.Contains(item.name, "#")) // "`TENANT#id` | `sha#env`": two forms
		if sound = sound && is && item.name != "" && len(rest) < 3; is && item.name != "" {
			r.give(keys, where, b.frame.at(cell.line), item)
		}
	}
	if cell := c.cell(row, wPrimary); !c.has(wHash) && !isNone(cell.text) { // "`day`, `at`"
		items, rest := pairItems(ticked(cell)), "" // "`PK=CART#{id}`, `SK=META`"
		if len(items) == 0 {
			items, rest = primaryItems(ticked(cell))
		}
		bare := slices.ContainsFunc(items, func(i keyItem) bool { return !slices.Contains(cell.code(), i.name) && !genericKey.MatchString(i.name) })
		if sound = len(items) > 0 && allNamed(items) && !bare && len(rest) < 3; sound {
			r.give(keys, where, b.frame.at(cell.line), items...)
		}
	}
	return sound
}

func rowText(row []inline) string {
	return strings.Join(slices.DeleteFunc(cellTexts(row), func(text string) bool { return text == "" }), " | ")
}

var (
	// calledInCode matches an index with its keys in one pair of backticks: `by-day(till, day)`.
	calledInCode = lazyregexp.New("`([A-Za-z_][\\w.-]*) ?\\(([^()`]*)\\)`")
	// indexWithForms matches an index by its number, and what stands in a bracket behind it: "GSI1 (the list: `GSI1PK=CARTS`, `GSI1SK=<day>`)".
	indexWithForms = lazyregexp.New(`\b([GL]SI\d+)\b(?: ?\(([^()]*)\))?`)
	// keyInside matches a key of an index with its form.
	keyInside = lazyregexp.New("\\b((?:GSI|LSI)\\d+_?[PS]K) ?= ?([^`,]+)")
)

// indexCell reads names of indexes in a cell: each in backticks, with its keys in brackets, or
// without them.
func (r *reader) indexCell(table *Table, cell inline) bool {
	if numbered := indexWithForms.FindAllStringSubmatch(ticked(cell), -1); numbered != nil && strings.Trim(indexWithForms.ReplaceAllString(ticked(cell), ""), " ,;+&") == "" {
		for _, one := range numbered {
			index := table.addIndex(one[1], At{cell.line, Said})
			for _, key := range keyInside.FindAllStringSubmatch(one[2], -1) {
				if form, fits := keyForm(strings.Trim(key[2], `"'`)); numberOf(key[1]) == one[1] && fits {
					r.give(&index.Keys, index.Name, index.At, keyItem{role: roleOfName(key[1]), name: key[1]})
					index.Templates = append(index.Templates, EntityKey{index.At, key[1], form})
				}
			}
		}
		return true
	}
	sound, rest := true, calledInCode.ReplaceAllString(ticked(cell), "`$1` ($2)")
	at := At{cell.line, Said}
	for rest != "" {
		name, told := nameHead.FindStringSubmatch(rest), r.indexSaid(rest)
		switch {
		case told.name != "":
			_, rest = r.takeIndex(table, at, told)
		case name == nil, notIndexNames.MatchString(name[1]), genericKey.MatchString(name[1]), name[0] == name[1] && name[0] != rest && !indexNamed.MatchString(name[1]):
			return false
		default:
			table.addIndex(name[1], at)
			rest = rest[len(name[0]):]
			given := bracket.FindString(rest)
			sound, rest = sound && given == "", rest[len(given):]
		}
		behind := rest
		if rest = strings.TrimLeft(rest, ",;)] "); rest == behind && rest != "" || rest != "" && !strings.HasPrefix(rest, "`") && !indexNamed.MatchString(rest) && r.indexSaid(rest).name == "" {
			return false
		}
	}
	return sound
}

// schemaGrid reads tables of keys, of indexes and of attributes that say which key they are.
func (r *reader) schemaGrid(b *block) {
	c := columnsOf(b)
	switch r.kindOf(b) {
	case rolesGrid, attributesGrid:
		if len(r.all) == 0 && r.relational && !b.listsSortKey(c) {
			return // a schema of another kind of database
		}
		r.rowKeys(b, c, r.kindOf(b))
	case indexesGrid:
		r.indexRows(b, c)
	case itemsGrid:
		r.headerKeys(b)
	}
}

// headOf is the name that a cell begins with, and what stands in the bracket behind it.
func headOf(cell inline) (name, given string) {
	match := nameHead.FindStringSubmatch(ticked(cell))
	if match == nil {
		return "", ""
	}
	if inside := bracket.FindStringSubmatch(ticked(cell)[len(match[0]):]); inside != nil {
		given = inside[1]
	}
	return match[1], given
}

// isForms reports whether the rows of a table are key attributes with the forms or types of their
// values: "PK (partition key) | `ROOM#{id}`", "PK | String".
func (r *reader) isForms(b *block, c columns) bool {
	if len(c) < 2 || len(c) > 3 || (c[0] == wRole || c[0] == wPrimary) && c.at(wAttribute, wName) > 0 || len(b.rows) > 6 || len(b.rows) == 0 || c.has(wPattern) && c[0] != wRole && c[0] != wPrimary && c[0] != wAttribute {
		return false
	}
	return !slices.ContainsFunc(b.rows, func(row []inline) bool {
		name, _ := headOf(row[0])
		return !genericKey.MatchString(name) || roleIn(strings.Join(cellTexts(row[1:]), ";")) != ""
	})
}

func cellTexts(row []inline) []string {
	var all []string
	for _, cell := range row {
		all = append(all, cell.text)
	}
	return all
}

var (
	sparseWord = lazyregexp.New(`(?i)^sparse `)
	// gone matches what a row says of an index that is not there any more, or not yet.
	gone        = lazyregexp.New(`(?i)\| (?:(?:was |is |has been |to be )?(?:deleted|dropped|removed|retired|planned)(?: (?:in|on|since|with|for) (?:\w+ )?(?:v?\d[\d.-]*|phase \w+|q\d|january|february|march|april|may|june|july|august|september|october|november|december)(?: \d{4})?)?\W*$|(?:under review|disabled|proposed|pending|rejected|to delete)\W*$|not (?:yet )?(?:built|created|deployed)\b)`)
	joinedKey   = lazyregexp.New(`^[a-z][A-Za-z0-9_]*(?:#[a-z][A-Za-z0-9_]*)+$`)
	keyNumber   = lazyregexp.New(`(?i)^((?:GSI?|LSI)[-_]?\d+)[-_]?[PS]K$`)
	joinsValues = lazyregexp.New(`(?i)^\s*(?:or|ou|oder|\|)\s*$`)
	// ttlRemark is what a remark on an attribute says where DynamoDB deletes by it.
	ttlRemark  = lazyregexp.New(`(?i)^\W*TTL\W*$|^TTL\s*(?:[:,—–]|- |\((?:attribute|epoch|unix|エポック))|^[^.|]{0,40}\bDynamoDB TTL (attribute|field)\b|^\W*TTL (attribute|field|timestamp)\b|^\W*(?:unix|epoch) (?:timestamp|seconds?|time) for TTL\b|^TTL (?:for|para|pour|für|per) (?:the )?(?:auto|expir|soft[- ]delet|clean|limp|delet|borr|elimin|suppr|lösch|cancel)|\(TTL attribute\)|TTL ?属性`)
	unusedCell = lazyregexp.New(`(?i)^\(?not (?:used|set|present)\)?$`)
	// formatAhead matches the words before the form of a key in a remark: "Of the till - format: `{shop}#{till}`".
	formatAhead = lazyregexp.New("(?i)^(?:[^`]*(?:—|–|-|\\(|\\.|,|;) ?)?format: +")
	// ofPart matches what says of a value in a remark that it is a part, or that of some items.
	ofPart = lazyregexp.New(`(?i)^types?\b|\b(?:prefix|suffix|default|starts?|begins?|contains|parts?|like|same|see|or|either|references?)\b`)
	// tablesOfDynamo matches the title of a list of tables.
	tablesOfDynamo = lazyregexp.New(`(?i)\bdynamodb tables\b`)
	// constantTold matches what says the only value of a key, and copyTold what says of which attribute it is that.
	constantTold = lazyregexp.New("(?i)^(?:an? )?(?:(?:fixed|constant|static|literal|hard-?coded)(?: (?:value|string|text))?|always(?: set to| the value)?)(?::| =| is| of)? ?[\"'`]+([\\w#:.-]+)[\"'`]+(?:$|[.;)]| [(—–-]| for | so )")
	copyTold     = lazyregexp.New("(?i)^(?:a )?(?:copy|duplicate) of `?([A-Za-z_]\\w*)`?(?:$|[.,;)]| [(—–-]| (?:for|as|to|so)\\b)")
	// wordsAhead matches what a form is of: "Till identifier: `TILL#{id}`".
	wordsAhead = lazyregexp.New("^(?:\\pL+ ){0,3}\\pL+(?:: |, )[`\"]")
	formEnd    = lazyregexp.New(`^(?:$|\(|—|- |// |\.|,|;|composite|e\.g\.)`)
)

// joined reports whether a cell is the name of a key attribute that joins names with #: the row has a
// type and CreateTable's own word for the role. A value such as USER#id has a prefix in capitals.
func (c columns) joined(row []inline, cell inline) bool {
	role := c.cell(row, wRole).text
	return (role == Hash || role == Range) && keyType(c.cell(row, wType).text) != "" &&
		ticked(cell) == "`"+cell.text+"`" && joinedKey.MatchString(cell.text)
}

// rowKeys reads the rows of a table that name key attributes. The role stands in a column of roles ("Key | Attribute |
// Type"), behind the name ("`id` (PK)"), in a cell of its own, or in a name that only keys have.
func (r *reader) rowKeys(b *block, c columns, kind gridKind) {
	nameAt, roleAt := r.keyColumns(b, c, kind)
	if kind == rolesGrid {
		r.unknown(b, c, wRole, wPrimary, wAttribute, wName, wType, wPattern, wValue, wExample, wRequired, wIndex)
	}
	for _, row := range b.rows {
		name := row[nameAt]
		token, is := leadOf(name)
		if !is && c.joined(row, name) {
			token, is = name.text, true
		}
		item := keyItem{name: token}
		if at := c.at(wType); at >= 0 {
			item.kind = keyType(row[at].text)
			if before, inside, is := strings.Cut(row[at].text, " ("); is && item.kind == "" && roles[wordOf(before)] != "" { // "PK (S)"
				item.kind = keyType(strings.TrimSuffix(inside, ")"))
			}
		}
		_, given := headOf(name)
		if own, _, whole := (keyItem{role: roleOfName(token)}).valued(ticked(c.cell(row, wType))); kind == attributesGrid && whole && own.kind != "" && !typeName.MatchString(own.name) && len(token) == 2 && own.role != "" { // "PK | `id` (String)"
			if r.setKey(b.frame, name.line, own) {
				r.done[name.line] = true
			}
			continue
		}
		switch {
		case roleAt >= 0 && !indexWord.MatchString(row[roleAt].text):
			item.role = roleIn(row[roleAt].text)
		case kind == rolesGrid:
			item.role = roleIn(given)
		case kind == attributesGrid && !r.indexOnly(row, nameAt):
			item.role = cmp.Or(roleIn(given), c.rowRole(row, nameAt))
			if f := b.frame; item.role == "" && ((f.topic == topicKeys || f.index != nil) && len(b.rows) <= 2 || len(token) == 2 && item.kind == "" && formAlone.MatchString(c.cell(row, wType).text)) {
				item.role = roleOfName(token) // in the section of keys of a table or index the names tell, and beside a form in the column of types: "PK | `CART#<id>`"
			}
		}
		table := r.table(b.frame)
		index, named := leadOf(c.cell(row, wIndex))
		named = named && c.at(wIndex) != nameAt
		ofTable := phrase("baseTable").FindString(spell(index)) == spell(index) || table != nil && r.known(index) == table
		if roleAt >= 0 && is && table != nil && !weighs(rowText(row)) && !gone.MatchString(rowText(row)) { // "state | S | GSI2 PK"
			if number, role := roleOfIndex(row[roleAt].text); role != "" {
				item.role = role
				r.keyIndex(table, number, b.frame.at(name.line), item)
				r.done[name.line] = true
				continue
			}
		}
		if kind == attributesGrid && roleAt < 0 && is && table != nil && item.role == "" && !weighs(rowText(row)) && !gone.MatchString(rowText(row)) {
			for i, cell := range row { // "state | S | GSI2 partition key"
				if number, role := keyOfIndex(strings.TrimRight(cell.text, ".")); i != nameAt && role != "" && (numberOf(token) == "" || numberOf(token) == strings.ToUpper(number)) {
					item.role = role
					r.keyIndex(table, number, b.frame.at(name.line), item)
					item.role, r.done[name.line] = "", true
				}
			}
		}
		switch {
		case !is || item.role == "" || isNone(name.text):
		case named && !ofTable && !isNone(index): // of an index
		case r.setKey(b.frame, name.line, item):
			r.done[name.line] = true
		}
	}
}

// listsSortKey reports whether a list of attributes has one called SK: no table of another database has a sort key.
func (b *block) listsSortKey(c columns) bool {
	at := c.at(wAttribute, wName)
	return at >= 0 && slices.ContainsFunc(b.rows, func(row []inline) bool { name, _ := leadOf(row[at]); return strings.EqualFold(name, "SK") })
}

// genericRows gives a table of which no other form gives a key those that a list of attributes calls PK and SK.
func (r *reader) genericRows(b *block) {
	table := r.table(b.frame)
	if b.kind != gridBlock || table == nil || r.kindOf(b) != attributesGrid || b.frame.about() == topicIndexes || r.indexPlace(b.frame) != nil {
		return
	}
	c := columnsOf(b)
	at := c.at(wAttribute, wName)
	if r.relational && !b.listsSortKey(c) {
		return
	}
	for _, row := range b.rows {
		name, _ := leadOf(row[at])
		role, kind := roleOfName(name), keyType(c.cell(row, wType).text)
		if _, has := table.Key(role); role != "" && kind != "" && len(name) == 2 && !has && !r.otherwise(name) && !r.indexOnly(row, at) {
			r.setKey(b.frame, row[at].line, keyItem{role: role, name: name, kind: kind})
			r.done[row[at].line] = true
		}
	}
}

// keyColumns are the columns with the names and with the roles of attributes, -1 for none.
func (r *reader) keyColumns(b *block, c columns, kind gridKind) (nameAt, roleAt int) {
	nameAt, roleAt = c.at(wAttribute, wName), -1
	if kind == rolesGrid {
		if roleAt = c.at(wRole, wPrimary); roleBehind(b, nameAt) && !r.rolesIn(b, roleAt) {
			roleAt = -1
		} else if nameAt < 0 || !r.rolesIn(b, roleAt) {
			nameAt, roleAt = max(roleAt, nameAt, 0), c.at(wType) // "Key | Type" with rows "PK | Partition key"
		}
	}
	return nameAt, roleAt
}

// roleLast matches the role of a key behind what else a cell says of it.
var roleLast = lazyregexp.New(`[,;] (?:table )?(?:partition|sort) key$`)

// rowRole is the role that a cell beside a name gives.
func (c columns) rowRole(row []inline, at int) (role string) {
	for i, cell := range row {
		first, _, _ := strings.Cut(strings.NewReplacer(";", ",", ": ", ",", " — ", ",", " – ", ",", " - ", ",", ". ", ",", "，", ",", "、", ",").Replace(cell.text), ",")
		sentence, _, _ := strings.Cut(cell.text, ". ") // "PK. Sent with each request"
		own, begins := roles[wordOf(strings.TrimRight(sentence, "."))], roles[wordOf(first)]
		switch primary := strings.HasPrefix(first, "primary key") || spell(first) == "primarykey"; {
		case i == at || role != "" || c[i] == wAttribute:
		case own != "", primary, begins != "" && strings.Contains(first, "ey"):
			if role = cmp.Or(roleIn(cell.text), own, begins); primary && wordOf(cell.text) == wPrimary {
				role = Hash
			}
		case c[i] == wType && typeIn(cell.text) != "": // "String (Partition Key)"
			role = roleIn(cell.text)
		case roleLast.MatchString(cell.text):
			role = roleIn(cell.text)
		}
	}
	return role
}

// indexRows reads "Index | Partition key | Sort key | Projection".
func (r *reader) indexRows(b *block, c columns) {
	nameAt := c.at(wIndex, wLocal, wName, wSource)
	if c[nameAt] == wIndex && slices.ContainsFunc(b.rows, func(row []inline) bool {
		return placeholder.MatchString(row[nameAt].text) && !isIndexTitle(row[nameAt].text)
	}) {
		return // the values of its partition key
	}
	for _, row := range b.rows {
		line := row[nameAt].line
		table := r.keyed(b.frame, line)
		if cell := c.cell(row, wTable); cell.text != "" {
			name := strings.Trim(cell.text, "`* ")
			table = cmp.Or(r.known(name), r.shortly(name))
		}
		base := phrase("baseTable").MatchString(spell(row[nameAt].text)) && !isIndexTitle(ticked(row[nameAt]))
		if table != nil && (c[nameAt] == wSource && (base || r.known(row[nameAt].text) == table) || c[nameAt] == wIndex && base && !c.has(wName) && !numberedIndex.MatchString(row[nameAt].text)) {
			r.sound(row, r.keyCells(b, c, row, &table.Keys, table.Called()))
			continue
		}
		if gone.MatchString(rowText(row)) {
			r.unread(line, rowText(row), "an index that is not there any more, or not yet")
			continue
		}
		row[nameAt] = row[nameAt].without(sparseWord)
		name, also := indexTitle(ticked(row[nameAt]))
		whole := func(token string) bool { // the first word of a sentence is no name
			return strings.HasPrefix(ticked(row[nameAt]), "`") || token == strings.Trim(bracketed.ReplaceAllString(row[nameAt].text, ""), " ")
		}
		if token, is := leadOf(row[nameAt]); name == "" && is && whole(token) && !notIndexNames.MatchString(token) {
			name = token
		}
		if table == nil || name == "" {
			r.unread(line, rowText(row), noTableOf)
			continue
		}
		index := table.addIndex(name, b.frame.at(line), also...)
		index.Local = index.Local || c[nameAt] == wLocal
		sound := r.keyCells(b, c, row, &index.Keys, index.Name)
		for i, cell := range row { // the form beside the names of both keys
			role := roles[wordOf(b.header[i].text)]
			token, _, is := valueAt(ticked(cell))
			form, fits := keyForm(token)
			if key, has := index.Key(role); role != "" && has && is && fits && isTemplate(token) && !genericKey.MatchString(token) && token != key.Name {
				index.Templates = append(index.Templates, EntityKey{b.frame.at(cell.line), key.Name, form})
			}
		}
		if cell := c.cell(row, wProjection); cell.text != "" {
			r.done[line] = false
			r.project(index, cell)
			sound = sound && r.done[line]
		}
		r.sound(row, sound)
	}
	r.unknown(b, c, wIndex, wLocal, wName, wSource, wHash, wRange, wPrimary, wProjection, wTable, wPattern, wType, wEntity)
}

// indexOnly reports whether a row says that its attribute is a key of an index that it names.
func (r *reader) indexOnly(row []inline, at int) bool {
	return slices.ContainsFunc(row, func(cell inline) bool { return cell.text != row[at].text && indexWord.MatchString(cell.text) }) ||
		indexWord.MatchString(strings.TrimPrefix(row[at].text, row[at].marked()))
}

// headerKeys takes the keys of a table out of the header of its items: "Entity | PK | SK".
func (r *reader) headerKeys(b *block) {
	table := r.keyed(b.frame, b.line)
	if table == nil || r.indexPlace(b.frame) != nil || len(table.Keys) > 0 || b.frame.about() == topicIndexes {
		return
	}
	headName := func(cell inline) string {
		if name := strings.Trim(roleBracket.FindString(cell.text), "() `"); roles[wordOf(cell.text)] != "" && genericKey.MatchString(name) {
			return name // "Partition key (PK)"
		}
		return strings.Trim(strings.Split(cell.text, " ")[0], "`* ")
	}
	if slices.ContainsFunc(b.header, func(cell inline) bool { return r.otherwise(headName(cell)) }) || !columnsOf(b).has(wEntity) && areValues(b, map[int]string{0: "", 1: ""}) {
		return // the words for the roles, or rows of single items
	}
	bracketed := r.headsName(b)
	for i, cell := range b.header {
		name := headName(cell)
		empty := !slices.ContainsFunc(b.rows, func(row []inline) bool { return i < len(row) && !isNone(row[i].text) })
		if bracketed {
			name = cmp.Or(attributeOf(cell), name)
		}
		if role := roleOfName(headName(cell)); role != "" && !empty && (len(headName(cell)) == 2 || i == 1 && strings.HasPrefix(strings.ToLower(name), "sk")) && i < 3 {
			_, given := headOf(cell) // "PK (String)"
			r.keyTable(table, b.frame.at(cell.line), keyItem{role: role, name: name, kind: keyType(given), headed: true})
		}
	}
}

// roleBracket matches the bracket that ends the head of a column.
var roleBracket = lazyregexp.New("\\(`?[A-Za-z0-9_-]+`?\\)$")

// headedAs matches the head of a column of keys with the attribute's name: "PK (`orderId`)".
var headedAs = lazyregexp.New("(?i)^`?[ps]k`? \\(`([A-Za-z_][\\w.-]*)`\\)$")

// attributeOf is the attribute that the head of a column of keys names, "" where it gives the role alone.
func attributeOf(cell inline) string {
	if match := headedAs.FindStringSubmatch(ticked(cell)); match != nil {
		return match[1]
	}
	return ""
}

// headsName reports whether the brackets in the head of columns of keys are the names of attributes, and not the words for roles or types, what
// the forms below are made of, or what other lines say otherwise.
func (r *reader) headsName(b *block) bool {
	for i, cell := range b.header {
		name := attributeOf(cell)
		made := name != "" && slices.ContainsFunc(b.rows, func(row []inline) bool { return i < len(row) && madeOf(row[i:i+1], name) })
		if made || isWord(name) {
			return false
		}
	}
	return !slices.ContainsFunc(r.labelled, func(s statement) bool {
		return roles[wordOf(s.label)] != "" && s.frame.up(func(f *frame) bool { return f.index != nil }) == nil
	})
}

// otherwise reports whether the document spells the name of a key in other capitals.
func (r *reader) otherwise(name string) bool {
	other := strings.ToLower(name)
	if other == name {
		other = strings.ToUpper(name)
	}
	is, known := r.capitals[other]
	if !known {
		is = roleOfName(name) != "" && slices.ContainsFunc(r.doc.Text, func(line string) bool {
			return strings.Contains(line, "`"+other+"`") || HasWord(line, other+" (string)") || HasWord(line, other+" (S)")
		})
		r.capitals[other] = is
	}
	return is
}

// numberOf is the index that a key's name has in it: GSI1 of GSI1PK, "" for none.
func numberOf(name string) string {
	if match := keyNumber.FindStringSubmatch(name); match != nil {
		return strings.ToUpper(match[1])
	}
	return ""
}

// attributeRows reads a list of attributes, and the forms of keys that it gives.
func (r *reader) attributeRows(b *block, c columns) {
	table, index, kind := r.table(b.frame), r.indexPlace(b.frame), r.kindOf(b)
	at, _ := r.keyColumns(b, c, kind)
	if table == nil || at < 0 || len(b.rows) == 0 {
		return
	}
	// Rows of keys alone list no attributes, and make a kind of item where they give the forms of all keys of the table.
	forms, line := kind == rolesGrid && len(b.rows) <= 2, b.line
	if forms {
		line = rowLine(b.rows[0])
	}
	entity := &Entity{At: b.frame.at(line), Table: table}
	if index == nil && !forms {
		entity = r.entityAt(b.frame, table, line)
	}
	for _, row := range b.rows {
		token, is := leadOf(row[at])
		is = is && !cutShort(row[at], token)
		_, isKey := table.AnyKey(token)
		_, ofTable := table.KeyNamed(token)
		unused := isKey && slices.ContainsFunc(row, func(cell inline) bool { return unusedCell.MatchString(cell.text) })
		if r.done[row[at].line] = unused; !is || unused {
			continue
		}
		a := Attribute{At: b.frame.at(row[at].line), Name: token, Type: TypeOf(c.cell(row, wType).text)}
		var others []inline
		shown, formed := false, false // a form of the key's value, and whether it is read
		for i, cell := range row {
			if i == at || c[i] == wType && !(isKey && isTemplate(strings.Trim(cell.text, "`"))) { // "PK | `USER#<id>`" in the column of types
				continue
			}
			others, shown = append(others, cell), shown || c[i] != wExample && strings.ContainsAny(cell.text, "#{<")
			form, is := r.formOf(cell)
			if of := copyTold.FindStringSubmatch(ticked(cell)); of != nil && !is && slices.ContainsFunc(b.rows, func(row []inline) bool { name, _ := leadOf(row[at]); return name == of[1] }) {
				form, is = itself(of[1]), true // "Copy of `seenAt`"
			}
			if isKey && is && (c[i] != wExample || len(form.Parameters()) > 0 && !form.bare()) && c[i] != wRequired && (!slices.Contains([]word{"", wSilent, wPattern}, c[i]) || ofTable || genericKey.MatchString(token) || strings.ContainsAny(string(form), "#{")) && !formed {
				if key := (EntityKey{a.At, token, form}); index != nil {
					index.index.Templates = append(index.index.Templates, key)
				} else {
					entity.set(key)
				}
				formed = true
			}
			if !r.keyNames[token] && c[i] != wExample {
				a.Allowed = append(a.Allowed, listOfValues(cell)...)
			}
		}
		a.Note = rowText(others)
		if _, own := table.KeyNamed(token); !own && !phrase("fixedValue").MatchString(a.Note) {
			entity.itself(a.At, token)
		}
		a.Required = Presence(c.cell(row, wRequired).text)
		if at := c.at(wRequired); at >= 0 && slices.Contains([]string{"optional", "nullable"}, spell(b.header[at].text)) {
			a.Required = map[string]string{"yes": "no", "no": "yes"}[a.Required]
		}
		all := row[at].code()
		listed := strings.Join(all, ", ") == row[at].text // "`width`, `height`"
		if !forms {
			entity.attribute(a)
			for i := 0; listed && i < len(all); i++ {
				entity.attribute(Attribute{At: a.At, Name: all[i], Type: a.Type, Note: a.Note})
			}
		}
		// What a remark says of TTL in the words of DynamoDB, or of an attribute that is called so.
		if !table.expires() && !b.frame.titledBy(ofRequests) && slices.ContainsFunc(others, func(cell inline) bool { return deletesBy(token, a.Type, cell.text) }) {
			table.TTL = keep(table.TTL, a.At, token)
		}
		r.done[a.Line] = formed || isKey && !shown && !phrase("fixedValue").MatchString(a.Note) || !isKey && !forms && (listed || !severalNames.MatchString(ticked(row[at])))
	}
	if forms && index == nil && !slices.ContainsFunc(table.Keys, func(k Key) bool { _, has := entity.Key(k.Name); return !has }) {
		r.entityAt(b.frame, table, line).merge(entity)
	}
	r.unknown(b, c, wAttribute, wName, wType, wRequired, wPattern, wExample, wValue, wRole, wPrimary, wSetting)
}

// severalNames matches what joins two names.
var severalNames = lazyregexp.New("` *(?:/|and|&|or) *`")

// cutShort reports whether a name is but the beginning of one: first of "first name", and it of "it's". A type or a role may follow it.
func cutShort(cell inline, name string) bool {
	text := strings.TrimLeft(ticked(cell), "` ")
	rest, is := strings.CutPrefix(text, name)
	word := nameBehind.FindString(rest)
	return is && word != "" && TypeOf(strings.Trim(word, " ")) == "" && roleIn(word) == ""
}

// nameBehind matches what goes on behind the first word of a name.
var nameBehind = lazyregexp.New(`^(?:'| [a-z][A-Za-z0-9_]*$| [a-z][A-Za-z0-9_]*` + "`" + `)`)

// ofRequests reports whether a title is on what goes over the wire: "POST /links", "Response".
func ofRequests(title string) bool {
	return route.MatchString(title) || phrase("ofWire").MatchString(cleanTitle(title)) || HasWord(title, "API")
}

// literalTitle calls a kind of item after the literal text of its key.
func literalTitle(form Template) string { return strings.ToLower(strings.Trim(form.Prefix(), "#:|/_")) }

// listOfValues are the values of which a cell consists: in backticks, joined by bars or "or".
func listOfValues(cell inline) (all []string) {
	last := 0
	for n, s := range cell.spans {
		value := strings.Trim(cell.part(s), "\"'")
		if !s.code || n == 0 && s.from != 0 || n > 0 && !joinsValues.MatchString(cell.text[last:s.from]) || !identifier.MatchString(value) {
			return nil
		}
		all, last = append(all, value), s.to
	}
	if len(all) < 2 || strings.TrimSpace(cell.text[last:]) != "" {
		return nil
	}
	return all
}

// formOf reads the form of a key's value that a cell is: all of it, or what it begins with.
func (r *reader) formOf(cell inline) (Template, bool) {
	text := ticked(cell)
	if told := constantTold.FindStringSubmatch(text); told != nil {
		return Template(told[1]), true
	}
	if role, form, is := strings.Cut(text, " = "); is && roleIn(role) != "" { // "Partition key = `USER#{id}`"
		text = form
	}
	if at := formatAhead.FindStringIndex(text); at != nil {
		text = text[at[1]:]
	} else if words := wordsAhead.FindString(text); words != "" && !weighs(words) && !indexWord.MatchString(words) && !ofPart.MatchString(words) {
		if form := text[len(words)-1:]; !strings.ContainsAny(strings.Trim(form, "`\" ."), "`\" ") { // or one of several, or part of a sentence
			text = form
		}
	}
	token, used, is := valueAt(text)
	coded := strings.HasPrefix(strings.TrimLeft(text, " "), "`") || strings.HasPrefix(strings.TrimLeft(text, "` "), "\"")
	form, fits := keyForm(token)
	switch {
	case !is || !fits,
		!isTemplate(token) && !(coded && strings.ContainsAny(token, "{:") && placeholder.MatchString(token)),
		formats.MatchString(strings.Trim(token, "\"`")), genericKey.MatchString(strings.Trim(token, "\"`")),
		strings.Contains(token, ":") && !coded && !strings.Contains(token, "#"),
		!coded && !strings.ContainsAny(token, "#{<") && len(strings.Fields(cell.text)) > 1:
		return "", false
	}
	rest := strings.TrimLeft(strings.TrimPrefix(text[used:], "`"), " ")
	return form, formEnd.MatchString(rest) && !strings.HasPrefix(rest, ", `") && !strings.HasPrefix(rest, "; `") // or another form follows
}
