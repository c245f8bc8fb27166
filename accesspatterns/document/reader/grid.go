package reader

import (
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// columns are the roles of a grid's columns, by their headers.
type columns []string

var columnRoles = []struct {
	form *lazyregexp.Regexp
	role string
}{
	{lazyregexp.New(`(?i)^((gsi|lsi)[-_ ]?\d+[-_ ]*(pk|sk|partition key|sort key|hash key|range key))\b`), "indexkey"},
	{lazyregexp.New(`(?i)^\$?(pk|partition[_ ]key|hash[_ ]key|partition)( \(.*\))?( value| pattern| format)?$`), "pk"},
	{lazyregexp.New(`(?i)^\$?(sk|sort[_ ]key|range[_ ]key|sort)( \(.*\))?( value| pattern| format)?$`), "sk"},
	{lazyregexp.New(`(?i)^(gsi|lsi|index)( name| used)?$`), "index"},
	{lazyregexp.New(`(?i)^table ?/ ?(gsi|lsi|index)( ?/ ?(gsi|lsi|index))*( used)?$|^(gsi|index) ?/ ?table$|^table or index$`), "tableindex"},
	{lazyregexp.New(`(?i)^tables?( name)?$`), "table"},
	{lazyregexp.New(`(?i)^(attribute|field|column|property|attr)s?( name)?$|^key( attribute)?$`), "name"},
	{lazyregexp.New(`(?i)^(data ?|dynamodb )?type$`), "type"},
	{lazyregexp.New(`(?i)^(entity|entities|item|record|model|object)( type| name)?s?$`), "entity"},
	{lazyregexp.New(`(?i)^(access )?patterns?( name)?$|^access$|^(use[- ]?case|query|question|need|scenario|action|endpoint|requirement)$`), "pattern"},
	{lazyregexp.New(`(?i)^(dynamodb )?(operations?|method|api( call)?|query type|op)$|^dynamodb operations?$`), "operation"},
	{lazyregexp.New(`(?i)^(key )?conditions?( expression)?$|^(keys? used|how|implementation|query pattern|key pattern|dynamodb query|solution|key expression)$`), "condition"},
	{lazyregexp.New(`(?i)^projection( type)?$`), "projection"},
	{lazyregexp.New(`(?i)^(attributes?|fields|other attributes|key attributes|main attributes|data)\b.*$`), "attributes"},
	{lazyregexp.New(`(?i)^(pattern|format|value|template|key|key (pattern|format|structure))$`), "key"},
	{lazyregexp.New(`(?i)^#$|^(pattern )?(#|no\.?|id|number)$|^pattern #$`), "number"},
	{lazyregexp.New(`(?i)^(description|purpose|notes?|meaning|details?|comment|example|examples?|usage|used (by|for|when)|remarks?|required|populated.*|serves.*)$`), "note"},
}

func columnsOf(header []inline) columns {
	var roles columns
	for at, cell := range header {
		text := strings.Trim(cell.text, "` *")
		role := ""
		for _, entry := range columnRoles {
			if entry.form.MatchString(text) && (entry.role != "name" || at == 0) {
				role = entry.role
				break
			}
		}
		if role == "pattern" && len(roles) > 0 && (roles[0] == "key" || roles[0] == "name") {
			role = "key" // the form of a key, not a pattern of access
		}
		roles = append(roles, role)
	}
	return roles
}

func (c columns) is(role string, at int) bool { return at < len(c) && c[at] == role }
func (c columns) has(role string) bool        { return slices.Contains(c, role) }

// cell returns the cell of the first column with that role.
func (c columns) cell(row []inline, role string) (inline, bool) {
	at := slices.Index(c, role)
	if at < 0 || at >= len(row) {
		return inline{}, false
	}
	return row[at], true
}

// gridKind says what the rows of a grid are.
type gridKind int

const (
	otherGrid gridKind = iota
	indexGrid
	tableGrid
	attributeGrid
	entityGrid
	patternGrid
	itemGrid
)

func (r *reader) kindOf(b *block) gridKind {
	c := columnsOf(b.header)
	about := b.frame.about()
	switch {
	case len(c) < 2 || len(b.rows) == 0:
		return otherGrid
	case slices.ContainsFunc(b.header, func(cell inline) bool { return costWord.MatchString(cell.text) }) && !c.has("condition") && !c.has("pk"):
		return otherGrid // what the patterns cost
	case c.is("index", 0) && (c.has("pk") || c.has("key")):
		return indexGrid
	case c.is("table", 0) && c.has("pk"):
		return tableGrid
	case c.has("pattern") && (c.has("pk") || c.has("condition") || c.has("operation") || c.has("index") || c.has("tableindex") || c.has("key") || about == topicPatterns):
		return patternGrid
	case about == topicPatterns && (c.has("pk") || c.has("condition") || c.has("operation") || c.has("index") || c.has("tableindex")):
		return patternGrid
	case c.has("operation") && (c.has("condition") || c.has("pk") || c.has("index") || c.has("tableindex")):
		return patternGrid
	case c.has("pk"):
		return entityGrid
	case c.is("name", 0) && (c.has("type") || c.has("note") || c.has("key")):
		return attributeGrid
	case len(c) > 1 && c[1] == "type" && c[0] != "pattern":
		return attributeGrid
	}
	for i := range b.header {
		if r.isKey(strings.Trim(b.header[i].text, "` *")) {
			return itemGrid
		}
	}
	return otherGrid
}

// firstName is the name with which a cell begins.
func firstName(cell inline) string {
	name, _ := nameIn(cell)
	if marked := cell.marked(); marked != "" && strings.HasPrefix(cell.text, marked) && !strings.Contains(marked, " ") {
		return marked
	}
	return name
}

var (
	costWord      = lazyregexp.New(`(?i)\b(costs?|prices?)\b`)
	partitionWord = lazyregexp.New(`(?i)\b(partition key|hash key|partition|HASH|PK)\b`)
	sortWord      = lazyregexp.New(`(?i)\b(sort key|range key|sort|RANGE|SK)\b`)
	indexWord     = lazyregexp.New(`(?i)\b(?:(GSI|LSI)[-_ ]?(\d*)|(?:global |local )?secondary index(?: (\d+))?)`)
	dashOnly      = lazyregexp.New(`^(?i)\W*$|^(n/a|none)$`)
)

// schemaGrid reads tables, indexes and keys out of a grid.
func (r *reader) schemaGrid(b *block) {
	c := columnsOf(b.header)
	if r.roleRows(b) {
		return
	}
	switch r.kindOf(b) {
	case indexGrid:
		for _, row := range b.rows {
			r.indexRow(b, c, row)
		}
	case tableGrid:
		for _, row := range b.rows {
			r.tableRow(c, row)
		}
	case attributeGrid:
		for n, row := range b.rows {
			if label := propertyLabel.FindString(strings.Trim(row[0].text, "` ")); label != "" && len(row) > 1 {
				// A table of properties: "Partition key | `GSI1PK` (String)".
				line := &block{kind: gridBlock, line: row[0].line, frame: b.frame, text: inline{line: row[0].line, text: row[0].text + ": " + row[1].text}}
				r.labelled(line, strings.ToLower(label), "", row[1], false)
				continue
			}
			r.keyRow(b, c, row, n)
		}
	case entityGrid:
		r.keyColumns(b, c)
	}
}

var roleCell = lazyregexp.New("(?i)^(partition|hash|sort|range) key(?: \\((?:pk|sk)\\))?$")

// roleRows reads a grid with a row for each key: "Partition key (PK) | userId".
func (r *reader) roleRows(b *block) bool {
	keys := []Key{}
	for _, row := range b.rows {
		role := roleCell.FindStringSubmatch(strings.Trim(row[0].text, "` *"))
		if role == nil || len(row) < 2 || propertyTitle.MatchString(strings.Trim(b.header[0].text, "` *")) {
			return false
		}
		name, kind := nameIn(row[1])
		if name == "" || isTemplate(name) && !isPlainKeyName(name) {
			return false
		}
		part := Range
		if strings.ContainsAny(role[1][:1], "pPhH") {
			part = Hash
		}
		keys = append(keys, Key{At{row[0].line, Said}, name, kind, part})
	}
	for _, key := range keys {
		r.key(b, indexOf(b.frame), key)
	}
	return len(keys) > 0
}

var propertyTitle = lazyregexp.New(`(?i)^(property|attribute|field|item)s?$`)

// indexOfKey returns the index that a numbered key attribute (GSI1PK) belongs to.
func (t *Table) indexOfKey(name string, line int) *Index {
	for _, index := range t.Indexes {
		for _, key := range index.Keys {
			if strings.EqualFold(key.Name, name) {
				return index
			}
		}
	}
	return t.addIndex(strings.ToUpper(numberedKey.FindStringSubmatch(name)[1]), At{line, Guessed})
}

func (r *reader) indexRow(b *block, c columns, row []inline) {
	cell, _ := c.cell(row, "index")
	name := firstName(cell)
	if name == "" {
		r.unread(cell.line, cell.text, "expected the name of an index in the first cell")
		return
	}
	table, _ := r.table(b.frame, b.line)
	if owner, is := c.cell(row, "table"); is {
		if known := r.known(firstName(owner)); known != nil {
			table = known
		}
	}
	at := At{cell.line, Said}
	index := table.addIndex(name, at)
	for _, role := range []string{Hash, Range} {
		cell, is := c.cell(row, map[string]string{Hash: "pk", Range: "sk"}[role])
		if !is || dashOnly.MatchString(cell.text) {
			continue
		}
		attribute, kind := nameIn(cell)
		if attribute != "" && !isTemplate(attribute) || isPlainKeyName(attribute) {
			index.Keys = addKey(index.Keys, Key{at, attribute, kind, role})
			continue
		}
		// The cell gives the form of the key: its name follows the index's.
		attribute = name + map[string]string{Hash: "PK", Range: "SK"}[role]
		index.Keys = addKey(index.Keys, Key{At{cell.line, Guessed}, attribute, "", role})
		if form, guessed, is := templateOf(cellValue(cell)); is {
			index.Templates = append(index.Templates, EntityKey{sureAt(cell.line, guessed), attribute, form})
		}
	}
	if cell, is := c.cell(row, "projection"); is {
		r.projection(index, cell.text, at)
	}
}

func sureAt(line int, guessed bool) At {
	if guessed {
		return At{line, Guessed}
	}
	return At{line, Said}
}

func (r *reader) tableRow(c columns, row []inline) {
	cell, _ := c.cell(row, "table")
	table := r.known(firstName(cell))
	if table == nil {
		return
	}
	for _, role := range []string{Hash, Range} {
		cell, is := c.cell(row, map[string]string{Hash: "pk", Range: "sk"}[role])
		if name, kind := nameIn(cell); is && name != "" && !dashOnly.MatchString(cell.text) {
			table.Keys = addKey(table.Keys, Key{At{cell.line, Said}, name, kind, role})
		}
	}
}

// keyRow reads one row of an attribute table for what it says of keys and TTL.
func (r *reader) keyRow(b *block, c columns, row []inline, n int) {
	name := firstName(row[0])
	if name == "" || !identifier.MatchString(name) {
		return
	}
	kind := ""
	if cell, is := c.cell(row, "type"); is {
		kind = keyType(cell.text)
	}
	note := strings.TrimSpace(strings.TrimPrefix(strings.Trim(row[0].text, "` "), name))
	for i, cell := range row[1:] {
		if !c.is("type", i+1) {
			note += " " + cell.text
		}
	}
	at := At{row[0].line, Said}
	index := indexOf(b.frame)
	role, sure := "", Said
	partition, sort := partitionWord.MatchString(note), sortWord.MatchString(note)
	switch number := numberedKey.FindStringSubmatch(name); {
	case partition && !sort:
		role = Hash
	case sort && !partition:
		role = Range
	case number != nil && strings.EqualFold(number[2], "pk"), index != nil && strings.HasSuffix(strings.ToLower(name), "pk"):
		role, sure = Hash, Guessed
	case number != nil, index != nil && strings.HasSuffix(strings.ToLower(name), "sk"):
		role, sure = Range, Guessed
	case index != nil && len(b.rows) <= 2:
		role, sure = []string{Hash, Range}[n], Guessed
	}
	if index != nil && sure == Guessed {
		// The section is the index's: its grid lists the index's key.
		sure = Said
	}
	word := indexWord.FindStringSubmatch(note)
	number := numberedKey.FindStringSubmatch(name)
	switch {
	case role == "":
	case index != nil:
		index.Keys = addKey(index.Keys, Key{At{at.Line, sure}, name, kind, role})
	case number != nil:
		table, _ := r.table(b.frame, b.line)
		found := table.indexOfKey(name, at.Line)
		found.Keys = addKey(found.Keys, Key{At{at.Line, sure}, name, kind, role})
	case word != nil:
		// "(GSI key)": whose key it is, the index itself says.
	case sure == Said && attributeWord.MatchString(note):
		r.key(b, nil, Key{at, name, kind, role})
	}
	if role == "" && index == nil && isPlainKeyName(name) && number == nil {
		role := Hash
		if strings.EqualFold(name, "sk") {
			role = Range
		}
		r.key(b, nil, Key{At{at.Line, Guessed}, name, kind, role})
	}
	if ttlMention.MatchString(note+" "+name) && (kind == "N" || kind == "" && strings.EqualFold(name, "ttl")) && index == nil {
		table, tableSure := r.table(b.frame, b.line)
		if !strings.EqualFold(name, "ttl") && !lazyregexp.New(`(?i)\bTTL\b|time[- ]to[- ]live|auto-?delet`).MatchString(note) {
			tableSure = Guessed
		}
		table.TTL = keep(table.TTL, At{at.Line, tableSure}, name)
	}
}

var propertyLabel = lazyregexp.New(`(?i)^(partition key|hash key|sort key|range key|projection(?: type)?|region|index name)$`)

var attributeWord = lazyregexp.New(`(?i)\b(partition key|hash key|sort key|range key|PK|SK|HASH|RANGE)\b`)

// keyColumns takes the headers of a grid of items for the names of the keys.
func (r *reader) keyColumns(b *block, c columns) {
	for i, cell := range b.header {
		name := strings.Trim(cell.text, "` *")
		switch {
		case c[i] == "indexkey":
			number := numberedKey.FindStringSubmatch(strings.ReplaceAll(name, " ", ""))
			if number == nil {
				continue
			}
			table, _ := r.table(b.frame, b.line)
			index := table.indexOfKey(strings.ReplaceAll(name, " ", ""), b.line)
			role := Hash
			if strings.EqualFold(number[2], "sk") {
				role = Range
			}
			index.Keys = addKey(index.Keys, Key{At{b.line, Said}, strings.ReplaceAll(name, " ", ""), "", role})
		case (c[i] == "pk" || c[i] == "sk") && isPlainKeyName(name):
			role := Hash
			if c[i] == "sk" {
				role = Range
			}
			table, _ := r.table(b.frame, b.line)
			table.Keys = addKey(table.Keys, Key{At{b.line, Guessed}, name, "", role})
		}
	}
}

// cellValue is the value that a cell gives: its code, or its text.
func cellValue(cell inline) string {
	if codes := cell.code(); len(codes) == 1 && strings.HasPrefix(cell.text, codes[0]) {
		return codes[0]
	}
	return cell.text
}

// form reads a cell that holds nothing but the form of a key. A name with a
// type behind it is an attribute that is the key as it stands.
func form(cell inline) (found Template, at At, is bool) {
	if dashOnly.MatchString(cell.text) {
		return "", At{}, false
	}
	raw := cellValue(cell)
	if name, _ := nameIn(inline{text: cell.text}); name != "" && identifierCase.MatchString(name) && !strings.ContainsAny(raw, "{<#:$") {
		return Template("{" + name + "}"), At{cell.line, Said}, true
	}
	if before, _, cut := strings.Cut(raw, " ("); cut && !strings.ContainsAny(before, " ") {
		raw = before
	}
	if !isTemplate(raw) && !(strings.HasPrefix(raw, `"`) && strings.HasSuffix(raw, `"`)) {
		return "", At{}, false
	}
	found, guessed, is := templateOf(raw)
	return found, sureAt(cell.line, guessed), is
}
