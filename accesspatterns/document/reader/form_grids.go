package reader

import (
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// Tables of Markdown, by their header cells: each cell is a word of the field, in any order. A
// column whose header is no word is named as not read.

// columns are the words of a table's header.
type columns struct {
	words []word
	block *block
}

func columnsOf(b *block) columns {
	c := columns{block: b}
	for _, cell := range b.header {
		w := wordOf(cell.text)
		if w == "" && genericKey.MatchString(strings.Trim(cell.text, "` ")) {
			w = map[string]word{Hash: wHash, Range: wRange}[roleOfName(strings.Trim(cell.text, "` "))]
		}
		c.words = append(c.words, w)
	}
	return c
}

func (c columns) word(at int) word {
	if at < len(c.words) {
		return c.words[at]
	}
	return ""
}

func (c columns) has(w word) bool { return slices.Contains(c.words, w) }

func (c columns) count(w word) (n int) {
	for _, each := range c.words {
		if each == w {
			n++
		}
	}
	return n
}

// cell is the first cell of a row under a word; its text is empty where there is none.
func (c columns) cell(row []inline, w word) inline {
	if at := slices.Index(c.words, w); at >= 0 && at < len(row) {
		return row[at]
	}
	return inline{}
}

// unknown names the columns that are not read, those that other forms take left out.
func (r *reader) unknown(c columns, taken ...word) {
	for i, w := range c.words {
		text := strings.TrimSpace(c.block.header[i].text)
		if text != "" && w != wSilent && !slices.Contains(taken, w) && i < len(c.block.header) {
			r.unread(c.block.line, "column "+text, "no form reads a column of that name here")
		}
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
	formsGrid
)

func (r *reader) kindOf(b *block) gridKind {
	c := columnsOf(b)
	keyed := c.has(wCondition) || c.has(wOperation) || c.has(wSource) || c.has(wHash) || c.has(wIndex)
	about := b.frame.about()
	if about == topicOther && !c.has(wHash) && !c.has(wAttribute) && !(c.has(wPattern) && (c.has(wSource) || c.has(wCondition))) {
		return noGrid
	}
	switch {
	case c.has(wPattern) && c.has(wHash) && !c.has(wTable) && strings.Contains(spell(b.header[slices.Index(c.words, wPattern)].text), "pattern") && !strings.Contains(spell(b.header[slices.Index(c.words, wPattern)].text), "key"):
		return patternsGrid
	case r.isForms(b, c):
		return formsGrid
	case r.settingRows(b) != nil:
		return settingsGrid
	case c.has(wRole) && (c.has(wAttribute) || c.has(wName)) && !c.has(wPattern), c.has(wPrimary) && (c.has(wAttribute) || c.has(wName)) && r.rolesIn(b, slices.Index(c.words, wPrimary)):
		return rolesGrid
	case c.has(wPrimary) && c.has(wType) && len(b.header) <= 4 && r.rolesIn(b, slices.Index(c.words, wType)):
		return rolesGrid
	case c.has(wPattern) && keyed && (about == topicPatterns || c.has(wCondition) || c.has(wSource) || c.has(wOperation)) && !c.has(wAttribute):
		if c.has(wIndex) && c.has(wHash) && about != topicPatterns && slices.Index(c.words, wIndex) < slices.Index(c.words, wPattern) {
			return indexesGrid // a use case is a remark
		}
		return patternsGrid
	case about == topicPatterns && keyed && !c.has(wAttribute) && (c.has(wOperation) || c.has(wCondition)):
		return patternsGrid
	case c.word(0) == wHash && genericKey.MatchString(strings.Trim(b.header[0].text, "` ")) && !c.has(wPattern) && len(b.header) > 1 && roleOfName(strings.Trim(b.header[1].text, "` ")) == Range:
		return itemsGrid
	case c.has(wTable) && c.has(wHash) && !c.has(wEntity) && !c.has(wIndex):
		return tablesGrid
	case (c.has(wIndex) || c.has(wLocal) || c.has(wName) && (about == topicIndexes)) && c.has(wHash):
		return indexesGrid
	case c.has(wAttribute) && (c.has(wType) || len(b.header) > 1) && !c.has(wHash), c.has(wName) && c.has(wType):
		return attributesGrid
	case c.has(wHash) && c.has(wRange), c.has(wEntity) && (c.has(wHash) || c.has(wRange)):
		return itemsGrid
	}
	return noGrid
}

// rolesIn reports whether a column says in its rows which key an attribute is.
func (r *reader) rolesIn(b *block, at int) bool {
	return at >= 0 && slices.ContainsFunc(b.rows, func(row []inline) bool { return at < len(row) && roleIn(row[at].text) != "" })
}

// tableGrid reads a list of tables: "Table | Partition key | Sort key | GSIs".
func (r *reader) tableGrid(b *block) {
	if b.frame.foreign() || r.kindOf(b) != tablesGrid {
		return
	}
	c := columnsOf(b)
	for _, row := range b.rows {
		name := c.cell(row, wTable)
		token, _, _ := valueAt(ticked(name))
		if codes := name.code(); len(codes) > 0 {
			token = codes[0]
		}
		if !namesTable(token) {
			continue
		}
		table := r.known(token)
		if table == nil {
			table = r.addTable(token, At{name.line, b.frame.sure()})
			r.named[table] = true
		}
		var sound bool
		table.Keys, sound = r.keyCells(b, c, row, table.Keys, table.Name)
		for _, w := range []word{wBilling, wTTL, wStream, wPITR, wRegion} {
			if cell := c.cell(row, w); cell.text != "" {
				r.done[cell.line] = true
				r.setting(table, w, statement{string(w), cell, cell.line, false, b.frame})
				sound = sound && (r.done[cell.line] || isNone(cell.text))
			}
		}
		if cell := c.cell(row, wIndexes); cell.text != "" && !isNone(cell.text) {
			sound = r.indexCell(table, cell) && sound
		} else if cell.text != "" {
			table.NoIndexes = keep(table.NoIndexes, At{cell.line, Said}, cell.text)
		}
		r.done[name.line] = sound
		if !sound {
			r.unread(name.line, rowText(row), "of this row a cell is read in part")
		}
	}
	r.unknown(c, wTable, wHash, wRange, wBilling, wTTL, wStream, wPITR, wRegion, wIndexes)
	r.done[b.line] = true
}

// keyCells reads the cells of a row that name keys, and returns whether it read all that they say.
func (r *reader) keyCells(b *block, c columns, row []inline, keys []Key, where string) (all []Key, sound bool) {
	sound = true
	for _, w := range []word{wHash, wRange} {
		cell := c.cell(row, w)
		if isNone(cell.text) {
			continue
		}
		item, rest, is := keyItem{role: map[word]string{wHash: Hash, wRange: Range}[w]}.valued(ticked(cell))
		if header := strings.Trim(b.header[slices.Index(c.words, w)].text, "` "); is && item.form != "" && genericKey.MatchString(header) && len(header) > 2 {
			item.name = header
		} else if !is || item.name == "" {
			sound = false
			continue
		}
		keys = r.addKey(keys, Key{At: At{cell.line, b.frame.sure()}, Name: item.name, Type: item.kind, Role: item.role}, where)
		sound = sound && len(rest) < 3
	}
	return keys, sound
}

func rowText(row []inline) string {
	var cells []string
	for _, cell := range row {
		if cell.text != "" {
			cells = append(cells, cell.text)
		}
	}
	return strings.Join(cells, " | ")
}

// indexCell reads names of indexes in a cell: each in backticks, with its keys in brackets, or
// without them.
func (r *reader) indexCell(table *Table, cell inline) bool {
	if strings.Trim(cell.text, "0123456789 ") == "" {
		return false
	}
	sound := true
	rest := ticked(cell)
	if len(cell.code()) == 0 && !identifier.MatchString(rest) {
		return false
	}
	for rest != "" {
		match := nameHead.FindStringSubmatch(rest)
		if match == nil || notIndexNames.MatchString(match[1]) {
			return false
		}
		index := table.addIndex(match[1], At{cell.line, Said})
		rest = rest[len(match[0]):]
		if given := bracket.FindStringSubmatch(rest); given != nil {
			items, after := keyItems(given[1], false)
			sound = sound && len(items) > 0 && after == "" && allNamed(items)
			for _, item := range items {
				if item.name != "" {
					index.Keys = r.addKey(index.Keys, Key{At: At{cell.line, Said}, Name: item.name, Type: item.kind, Role: item.role}, index.Name)
				}
			}
			rest = rest[len(given[0]):]
		}
		trimmed := strings.TrimLeft(rest, ",; ")
		if trimmed == rest && rest != "" || trimmed != "" && !strings.HasPrefix(trimmed, "`") {
			return false
		}
		rest = trimmed
	}
	return sound
}

// schemaGrid reads tables of keys, of indexes and of attributes that say which key they are.
func (r *reader) schemaGrid(b *block) {
	c := columnsOf(b)
	switch r.kindOf(b) {
	case rolesGrid:
		r.roleRows(b, c)
	case indexesGrid:
		r.indexRows(b, c)
	case attributesGrid:
		r.keyMarks(b, c)
	case itemsGrid:
		r.headerKeys(b)
	case formsGrid:
		for _, row := range b.rows {
			name := nameHead.FindStringSubmatch(ticked(row[0]))[1]
			role := ""
			if given := bracket.FindStringSubmatch(strings.TrimPrefix(ticked(row[0]), nameHead.FindString(ticked(row[0])))); given != nil {
				role = roleIn(given[1])
			}
			kind := keyType(c.cell(row, wType).text)
			if role == "" && kind != "" {
				role = roleOfName(name)
			}
			if role != "" && r.setKey(b.frame, Key{At: At{row[0].line, b.frame.sure()}, Name: name, Type: kind, Role: role}) {
				r.done[row[0].line] = true
			}
		}
	}
}

// isForms reports whether the rows of a table are key attributes with the forms or types of their
// values: "PK (partition key) | `ROOM#{id}`", "PK | String".
func (r *reader) isForms(b *block, c columns) bool {
	if len(b.header) < 2 || len(b.rows) > 6 || len(b.rows) == 0 || len(b.header) > 3 || c.has(wPattern) && c.word(0) != wRole && c.word(0) != wPrimary && c.word(0) != wAttribute {
		return false
	}
	return !slices.ContainsFunc(b.rows, func(row []inline) bool {
		return len(row) < 2 || nameHead.FindStringSubmatch(ticked(row[0])) == nil || !genericKey.MatchString(nameHead.FindStringSubmatch(ticked(row[0]))[1]) ||
			roleIn(strings.Join(cellTexts(row[1:]), ";")) != ""
	})
}

func cellTexts(row []inline) []string {
	var all []string
	for _, cell := range row {
		all = append(all, cell.text)
	}
	return all
}

// keyFormRows reads the forms of such a table.
func (r *reader) keyFormRows(b *block, c columns) {
	table := r.table(b.frame)
	if table == nil {
		return
	}
	for _, row := range b.rows {
		name := nameHead.FindStringSubmatch(ticked(row[0]))[1]
		for i, cell := range row[1:] {
			if w := c.word(i + 1); w == wType || w == wExample || !r.keyNames[name] {
				continue
			}
			if form, is := r.formOf(cell); is {
				if at := r.indexPlace(b.frame); at != nil {
					at.index.Templates = append(at.index.Templates, EntityKey{At{cell.line, b.frame.sure()}, name, form})
				} else {
					r.entityAt(b.frame, table, cell.line).set(EntityKey{At{cell.line, b.frame.sure()}, name, form})
				}
				r.done[cell.line] = true
				break
			}
		}
	}
	r.done[b.line] = true
}

// roleRows reads "Key | Attribute | Type": each row is a key.
func (r *reader) roleRows(b *block, c columns) {
	roleAt := slices.IndexFunc(c.words, func(w word) bool { return w == wRole || w == wPrimary })
	nameAt := slices.IndexFunc(c.words, func(w word) bool { return w == wAttribute || w == wName })
	if nameAt < 0 || !r.rolesIn(b, roleAt) {
		// "Key | Type" with rows "PK | Partition key".
		nameAt, roleAt = roleAt, slices.Index(c.words, wType)
		if !r.rolesIn(b, roleAt) {
			return
		}
	}
	r.done[b.line] = true
	for _, row := range b.rows {
		if max(roleAt, nameAt) >= len(row) {
			continue
		}
		role, name := roleIn(row[roleAt].text), row[nameAt]
		token, _, is := valueAt(ticked(name))
		if role == "" || !is || indexWord.MatchString(row[roleAt].text) || isNone(name.text) || !identifier.MatchString(token) {
			continue
		}
		r.sectionTable(b.frame, token, role)
		kind := ""
		if at := slices.Index(c.words, wType); at != roleAt {
			kind = keyType(c.cell(row, wType).text)
		}
		if given := bracket.FindStringSubmatch(strings.TrimPrefix(ticked(name), "`"+token+"`")); given != nil && kind == "" {
			kind = typeIn(given[1])
		}
		if r.setKey(b.frame, Key{At: At{name.line, b.frame.sure()}, Name: token, Type: kind, Role: role}) {
			r.done[name.line] = true
		}
	}
	r.unknown(c, wRole, wPrimary, wAttribute, wName, wType, wPattern, wValue, wExample, wRequired)
}

// indexRows reads "Index | Partition key | Sort key | Projection".
func (r *reader) indexRows(b *block, c columns) {
	nameAt := slices.IndexFunc(c.words, func(w word) bool { return w == wIndex || w == wLocal || w == wName })
	r.done[b.line] = true
	for _, row := range b.rows {
		if nameAt >= len(row) {
			continue
		}
		table := r.keyed(b.frame, row[nameAt].line)
		if cell := c.cell(row, wTable); cell.text != "" {
			table = r.known(strings.Trim(cell.text, "`* "))
		}
		name, also := indexTitle(ticked(row[nameAt]))
		if token, _, is := valueAt(ticked(row[nameAt])); name == "" && is && identifier.MatchString(token) && !notIndexNames.MatchString(token) {
			name = token
		}
		if table == nil || name == "" {
			r.unread(row[nameAt].line, rowText(row), "an index, and no line says of which table")
			continue
		}
		line := row[nameAt].line
		index := table.addIndex(name, At{line, b.frame.sure()}, also...)
		index.Local = index.Local || c.word(nameAt) == wLocal
		var sound bool
		index.Keys, sound = r.keyCells(b, c, row, index.Keys, index.Name)
		if cell := c.cell(row, wProjection); cell.text != "" {
			r.done[line] = false
			r.project(index, cell)
			sound = sound && r.done[line]
		}
		r.done[line] = sound
		if !sound {
			r.unread(line, rowText(row), "of this row a cell is read in part")
		}
	}
	r.unknown(c, wIndex, wLocal, wName, wHash, wRange, wProjection, wTable, wPattern, wType)
}

// keyMarks reads which attributes of a list are keys: "`id` (PK)", or a cell that says nothing else.
func (r *reader) keyMarks(b *block, c columns) {
	at := slices.IndexFunc(c.words, func(w word) bool { return w == wAttribute || w == wName })
	for _, row := range b.rows {
		if at >= len(row) {
			continue
		}
		token, used, is := valueAt(ticked(row[at]))
		if !is || !identifier.MatchString(token) {
			continue
		}
		role := ""
		if given := bracket.FindStringSubmatch(strings.TrimPrefix(ticked(row[at])[used:], "`")); given != nil {
			role = roleIn(given[1])
		}
		for i, cell := range row {
			w := wordOf(cell.text)
			first, _, _ := strings.Cut(strings.ReplaceAll(cell.text, ";", ","), ",")
			switch {
			case i == at || role != "" || c.word(i) == wAttribute:
			case w == wHash || w == wRange, c.word(i) == wRole || c.word(i) == wPrimary, (wordOf(first) == wHash || wordOf(first) == wRange) && strings.Contains(first, "ey") || strings.HasPrefix(first, "primary key"):
				if role = roleIn(cell.text); wordOf(cell.text) == wPrimary {
					role = Hash
				}
				if role == "" {
					role = map[word]string{wHash: Hash, wRange: Range}[wordOf(first)]
				}
			case strings.HasSuffix(cell.text, ", partition key"):
				role = Hash
			case strings.HasSuffix(cell.text, ", sort key"):
				role = Range
			}
		}
		if role == "" {
			// In the section of keys of a table or index the names tell.
			if f := b.frame; (f.topic == topicKeys || f.index != nil) && roleOfName(token) != "" && len(b.rows) <= 2 {
				role = roleOfName(token)
			}
		}
		if role == "" || r.indexOnly(row, at) {
			continue
		}
		r.sectionTable(b.frame, token, role)
		r.setKey(b.frame, Key{At: At{row[at].line, b.frame.sure()}, Name: token, Type: keyType(c.cell(row, wType).text), Role: role})
	}
}

// sectionTable makes a table of a section whose list of attributes has a partition key, where no line
// names any table.
func (r *reader) sectionTable(at *frame, key, role string) {
	f := at.heading()
	if r.table(at) != nil || f == nil || f.level >= labelLevel || !f.names() || genericKey.MatchString(key) || role != Hash || len(r.all) > 0 && !r.sections[r.all[0]] {
		return
	}
	f.table = &Table{At: At{f.title.line, f.sure()}, Name: entityTitle(f.title.text)}
	r.all = append(r.all, f.table)
	r.sections[f.table] = true
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
	for i, cell := range b.header {
		name := strings.Trim(strings.Split(cell.text, " ")[0], "`* ")
		if role := roleOfName(name); role != "" && (len(name) == 2 || i == 1 && strings.HasPrefix(strings.ToLower(name), "sk")) && i < 3 {
			table.Keys = r.addKey(table.Keys, Key{At: At{cell.line, b.frame.sure()}, Name: name, Role: role}, nameOr(table))
			delete(r.weak, table)
		}
	}
}

// headerIndexes takes the keys of indexes that no other line gives out of the header of items: "GSI1PK | GSI1SK".
func (r *reader) headerIndexes(b *block) {
	table := r.table(b.frame)
	if b.kind != gridBlock || table == nil || b.frame.foreign() || r.kindOf(b) != itemsGrid || b.frame.about() == topicIndexes {
		return
	}
	for _, cell := range b.header {
		name := strings.Trim(cell.text, "`* ")
		number := numberOf(name)
		_, known := table.AnyKey(name)
		if number == "" || known || !slices.ContainsFunc(r.doc.Text, func(line string) bool { return HasWord(line, number) }) {
			continue
		}
		index := table.addIndex(number, At{cell.line, b.frame.sure()})
		index.Keys = r.addKey(index.Keys, Key{At: At{cell.line, b.frame.sure()}, Name: name, Role: roleOfName(name)}, number)
	}
}

// numberOf is the index that a key's name has in it: GSI1 of GSI1PK, "" for none.
func numberOf(name string) string {
	match := keyNumber.FindStringSubmatch(name)
	if match == nil {
		return ""
	}
	return strings.ToUpper(match[1])
}

var keyNumber = lazyregexp.New(`(?i)^((?:GSI|LSI)\d+)[-_]?[PS]K$`)

// attributeRows reads a list of attributes, and the forms of keys that it gives.
func (r *reader) attributeRows(b *block, c columns) {
	at := slices.IndexFunc(c.words, func(w word) bool { return w == wAttribute || w == wName })
	table := r.table(b.frame)
	if table == nil {
		return
	}
	entity := &Entity{}
	index := r.indexPlace(b.frame)
	if index == nil {
		entity = r.entityAt(b.frame, table, b.line)
	}
	r.done[b.line] = true
	for _, row := range b.rows {
		if at >= len(row) {
			continue
		}
		token, _, is := valueAt(ticked(row[at]))
		if !is || !identifier.MatchString(token) {
			continue
		}
		line := row[at].line
		var others []inline
		for i, cell := range row {
			if i != at && c.word(i) != wType {
				others = append(others, cell)
			}
		}
		note := rowText(others)
		a := Attribute{At: At{line, b.frame.sure()}, Name: token, Type: typeOf(c.cell(row, wType).text), Note: note}
		if _, is := table.AnyKey(token); is {
			given := ""
			for i, cell := range row {
				if i == at || c.word(i) == wType || c.word(i) == wExample || c.word(i) == wRequired {
					continue
				}
				if form, is := r.formOf(cell); is {
					if given == "" {
						entity.set(EntityKey{At: At{line, b.frame.sure()}, Attribute: token, Template: form})
					}
					given = string(form)
				}
			}
		}
		if _, own := table.AnyKey(token); own && !slices.ContainsFunc(table.Keys, func(k Key) bool { return k.Name == token }) && !genericKey.MatchString(token) {
			entity.set(EntityKey{At: At{line, b.frame.sure()}, Attribute: token, Template: Template("{" + token + "}")})
		}
		for i, cell := range row {
			if i != at && !r.keyNames[token] && c.word(i) != wExample {
				a.Allowed = append(a.Allowed, listOfValues(cell)...)
			}
		}
		switch word := strings.ToLower(strings.Trim(c.cell(row, wRequired).text, " *`")); {
		case word == "yes", word == "true", word == "required", word == "y", word == "✓", word == "✅", word == "mandatory":
			a.Required = "yes"
		case word == "no", word == "false", word == "optional", word == "n", word == "❌", word == "✗":
			a.Required = "no"
		}
		if at := slices.Index(c.words, wRequired); at >= 0 && slices.Contains([]string{"optional", "nullable"}, spell(b.header[at].text)) {
			a.Required = map[string]string{"yes": "no", "no": "yes"}[a.Required]
		}
		entity.attribute(a)
		// What a remark says of TTL in the words of DynamoDB, or of an attribute that is called so.
		if (ttlRemark.MatchString(note) || strings.EqualFold(token, "ttl") && a.Type == "N" && epochRemark.MatchString(note)) && table.TTL == nil {
			table.TTL = keep(table.TTL, At{line, b.frame.sure()}, token)
		}
		r.done[line] = true
	}
	r.unknown(c, wAttribute, wName, wType, wRequired, wPattern, wExample, wValue, wRole, wPrimary, wSetting)
	if index != nil {
		index.index.Templates = append(index.index.Templates, entity.Keys...)
		return
	}
	r.alternatives(b, at, table, entity)
}

// alternatives reads a sort key of several forms ("`TASK#{id}` or `PROFILE`"): each is a kind of item
// of the same partition.
func (r *reader) alternatives(b *block, at int, table *Table, entity *Entity) {
	sort, has := table.Key(Range)
	hash, _ := table.Key(Hash)
	partition, known := entity.Key(hash.Name)
	if _, own := entity.Key(sort.Name); !has || !known || own {
		return
	}
	for _, row := range b.rows {
		if token, _, _ := valueAt(ticked(row[min(at, len(row)-1)])); token != sort.Name {
			continue
		}
		for i, cell := range row {
			forms := alternativeForms(cell)
			if i == at || len(forms) < 2 {
				continue
			}
			for n, form := range forms {
				key := EntityKey{At: At{cell.line, b.frame.sure()}, Attribute: sort.Name, Template: form}
				if n == 0 {
					entity.set(key)
					continue
				}
				one := &Entity{At: key.At, Title: strings.ToLower(strings.Trim(form.Prefix(), "#:|/_")), Table: table, Keys: []EntityKey{partition, key}}
				r.doc.Entities = append(r.doc.Entities, one)
			}
			return
		}
	}
}

var between2 = lazyregexp.New(`(?i)^\s*(?:or|ou|oder|o|,|/|\|)\s*$`)

// listOfValues are the values of which a cell consists: in backticks, joined by bars or "or".
func listOfValues(cell inline) []string {
	var all []string
	last := 0
	for n, s := range cell.spans {
		if value := strings.Trim(cell.part(s), "\"'"); !s.code || !identifier.MatchString(value) || n == 0 && s.from != 0 || n > 0 && !valueJoin.MatchString(cell.text[last:s.from]) {
			return nil
		} else {
			all = append(all, value)
		}
		last = s.to
	}
	if len(all) < 2 || strings.TrimSpace(cell.text[last:]) != "" {
		return nil
	}
	return all
}

var valueJoin = lazyregexp.New(`(?i)^\s*(?:or|ou|oder|\|)\s*$`)

// alternativeForms are the forms in backticks of which a cell consists, joined by "or".
func alternativeForms(cell inline) []Template {
	var all []Template
	last := 0
	for n, s := range cell.spans {
		form, _, is := templateOf(cell.part(s))
		if !s.code || !is || !isTemplate(cell.part(s)) || n == 0 && s.from != 0 || n > 0 && !between2.MatchString(cell.text[last:s.from]) {
			return nil
		}
		all, last = append(all, form), s.to
	}
	if rest := strings.TrimSpace(cell.text[last:]); rest != "" && !strings.HasPrefix(rest, "(") {
		return nil
	}
	return all
}

// ttlRemark is what a remark on an attribute says where DynamoDB deletes by it.
var ttlRemark = lazyregexp.New(`(?i)^(?:[^|]*\| )?TTL\s*[:—–]|^(?:[^.|]*\| )?[^.|]{0,40}\bDynamoDB TTL (attribute|field)\b|^(?:[^.|]*\| )?\W*TTL (attribute|field)\b|\(TTL attribute\)`)

var epochRemark = lazyregexp.New(`(?i)epoch|expir|unix|seconds`)

// formOf reads the form of a key's value that a cell is: all of it, or what it begins with.
func (r *reader) formOf(cell inline) (Template, bool) {
	text := ticked(cell)
	var found []Template
	for rest := text; ; {
		token, used, is := valueAt(rest)
		if !is {
			return "", false
		}
		coded := strings.HasPrefix(strings.TrimLeft(rest, " "), "`") || strings.HasPrefix(strings.TrimLeft(rest, "` "), "\"")
		form, _, fits := templateOf(token)
		if !fits || !isTemplate(token) && !(coded && strings.ContainsAny(token, "{:") && placeholder.MatchString(token)) || formats.MatchString(strings.Trim(token, "\"`")) || strings.Contains(token, ":") && !coded && !strings.Contains(token, "#") {
			return "", false
		}
		if !coded && !strings.ContainsAny(token, "#{<") && len(strings.Fields(cell.text)) > 1 {
			return "", false
		}
		found = append(found, form)
		rest = strings.TrimLeft(strings.TrimPrefix(rest[used:], "`"), " ")
		switch {
		case rest == "" || strings.HasPrefix(rest, "("), strings.HasPrefix(rest, "—"), strings.HasPrefix(rest, "- "), strings.HasPrefix(rest, "."), strings.HasPrefix(rest, ","), strings.HasPrefix(rest, "composite"):
			return found[0], true
		default:
			return "", false // or another form
		}
	}
}
