package reader

import (
	"slices"
	"strconv"
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
	{lazyregexp.New(`(?i)^\$?(pk|partition[_ ]key|hash[_ ]key|partition)( \(.*\))?( value| pattern| format)?$|^pk \p{L}+$`), "pk"},
	{lazyregexp.New(`(?i)^\$?(sk|sort[_ ]key|range[_ ]key|sort)( \(.*\))?( value| pattern| format)?$|^sk \p{L}+$`), "sk"},
	{lazyregexp.New(`(?i)^(gsi|lsi|index)( name| used)?$`), "index"},
	{lazyregexp.New(`(?i)^table ?/ ?(gsi|lsi|index)( ?/ ?(gsi|lsi|index))*( used)?$|^(gsi|index) ?/ ?table$|^table or index$`), "tableindex"},
	{lazyregexp.New(`(?i)^tables?( name)?( \(.*\))?$`), "table"},
	{lazyregexp.New(`(?i)^(gsis|lsis|indexes|indices|(global |local )?secondary (index|indexes|indices))$`), "indexes"},
	{lazyregexp.New(`(?i)^(ttl|time to live)( attribute| field)?$`), "ttl"},
	{lazyregexp.New(`(?i)^(billing|capacity)( mode)?$`), "billing"},
	{lazyregexp.New(`(?i)^(dynamodb )?streams?( view type)?$`), "stream"},
	{lazyregexp.New(`(?i)^(attribute|field|column|property|attr)s?( name)?$|^key( attribute)?$`), "name"},
	{lazyregexp.New(`(?i)^(data ?|dynamodb )?type$`), "type"},
	{lazyregexp.New(`(?i)^(entity|entities|item|record|model|object)( type| name)?s?$`), "entity"},
	{lazyregexp.New(`(?i)^(access )?patterns?( name)?$|^access$|^(use[- ]?case|query|question|need|scenario|action|endpoint|requirement)$`), "pattern"},
	{lazyregexp.New(`(?i)^(dynamodb )?(operations?|method|api( call)?|query type|op)$|^dynamodb operations?$`), "operation"},
	{lazyregexp.New(`(?i)^(key )?conditions?( expression)?$|^(keys? used|how|implementation|query pattern|key pattern|dynamodb query|solution|key expression|key ?/ ?(index|gsi))$`), "condition"},
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

// columns are the roles of a grid's columns: by their headers, and where no header is known
// by what stands in them, because types are the same in every language.
func (b *block) columns() columns {
	c := columnsOf(b.header)
	if len(c) == 0 || len(b.rows) == 0 || slices.ContainsFunc(c, func(role string) bool { return role != "" && role != "note" }) {
		return c
	}
	all := func(at int, is func(cell inline) bool) bool {
		return !slices.ContainsFunc(b.rows, func(row []inline) bool { return at >= len(row) || !is(row[at]) })
	}
	if !all(0, func(cell inline) bool { return identifier.MatchString(strings.Trim(cell.text, "` ")) }) {
		return c
	}
	for at := 1; at < len(c); at++ {
		if all(at, func(cell inline) bool { return typeOf(strings.Trim(cell.text, "` ")) != "" }) {
			c[0], c[at] = "name", "type"
			break
		}
	}
	return c
}

// tableColumn is the column of a list of tables that names them, -1 for a grid of another kind.
func (c columns) tableColumn() int {
	at := slices.Index(c, "table")
	if at == 0 || at == 1 && c[0] == "number" {
		return at
	}
	return -1
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
	c := b.columns()
	about := b.frame.about()
	reads := c.has("pk") || c.has("condition") || c.has("index") || c.has("tableindex")
	switch {
	case len(c) < 2 || len(b.rows) == 0:
		return otherGrid
	case slices.ContainsFunc(b.header, func(cell inline) bool { return costWord.MatchString(cell.text) }) && !c.has("condition") && !c.has("pk"):
		return otherGrid // what the patterns cost
	case c.is("index", 0) && (c.has("pk") || c.has("key")):
		return indexGrid
	case c.tableColumn() >= 0 && c.has("pk"):
		return tableGrid
	case c.has("entity") && c.has("pk") && !c.has("pattern") && !c.has("condition") && (c.is("entity", 0) || !c.has("operation")):
		return entityGrid
	case c.has("pattern") && (reads || c.has("operation") || c.has("key") || about == topicPatterns),
		about == topicPatterns && (reads || c.has("operation")), c.has("operation") && reads:
		return patternGrid
	case c.has("pk"), c.has("sk") && r.sharedPartition(b) != nil:
		return entityGrid
	case c.is("name", 0) && (c.has("type") || c.has("note") || c.has("key")):
		return attributeGrid
	case c[1] == "type" && c[0] != "pattern":
		return attributeGrid
	case slices.ContainsFunc(b.header, func(cell inline) bool { return r.isKey(strings.Trim(cell.text, "` *")) }):
		return itemGrid
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
	c := b.columns()
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
	case patternGrid:
		r.keyColumns(b, c)
		for _, row := range b.rows {
			r.patternKeys(b, c, row)
		}
	}
}

var roleCell = lazyregexp.New("(?i)^(partition|hash|sort|range) key(?: \\((?:pk|sk)\\))?$")

// roleRows reads a grid with a row for each key: "Partition key (PK) | userId".
func (r *reader) roleRows(b *block) bool {
	var keys []Key
	var forms []EntityKey
	for _, row := range b.rows {
		role := roleCell.FindStringSubmatch(strings.Trim(row[0].text, "` *"))
		if role == nil || len(row) < 2 || propertyTitle.MatchString(strings.Trim(b.header[0].text, "` *")) {
			return false
		}
		name, kind := nameIn(row[1])
		if name == "" || isTemplate(name) && !isPlainKeyName(name) {
			return false
		}
		keys = append(keys, Key{At{row[0].line, Said}, name, kind, roleOf(role[1])})
		if len(row) > 2 {
			if codes := row[2].code(); len(codes) > 0 && strings.HasPrefix(row[2].text, codes[0]) {
				if form, is := keyOfForm(name, codes[0], row[2].line); is {
					forms = append(forms, form)
				}
			}
		}
	}
	index := indexOf(b.frame)
	for _, key := range keys {
		r.key(b, index, key)
	}
	if index == nil {
		table := r.tableOf(b)
		r.templates[table] = append(r.templates[table], forms...)
	}
	return len(keys) > 0
}

// sharedPartition is the form of the partition key that all items of a grid have, because it
// stands with their table; nil for none.
func (r *reader) sharedPartition(b *block) *EntityKey {
	table := r.tableOf(b)
	partition, _ := roleNames(table.Keys)
	at := slices.IndexFunc(r.templates[table], func(form EntityKey) bool { return form.Attribute == partition })
	if at < 0 {
		return nil
	}
	return &r.templates[table][at]
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
	number := strings.ToUpper(numberedKey.FindStringSubmatch(name)[1])
	for _, index := range t.Indexes {
		if numbered(index.Name, number) {
			return index
		}
	}
	return t.addIndex(number, At{line, Guessed})
}

func (r *reader) indexRow(b *block, c columns, row []inline) {
	cell, _ := c.cell(row, "index")
	name := firstName(cell)
	if name == "" {
		r.unread(cell.line, cell.text, "expected the name of an index in the first cell")
		return
	}
	table := r.tableOf(b)
	if owner, is := c.cell(row, "table"); is {
		if known := r.known(firstName(owner)); known != nil {
			table = known
		}
	}
	at := At{cell.line, Said}
	index := table.addIndex(name, at)
	for _, column := range []string{"pk", "sk"} {
		cell, is := c.cell(row, column)
		if !is || dashOnly.MatchString(cell.text) {
			continue
		}
		attribute, kind := nameIn(cell)
		if attribute != "" && !isTemplate(attribute) || isPlainKeyName(attribute) {
			index.Keys = addKey(index.Keys, Key{at, attribute, kind, roleOf(column)})
			continue
		}
		// The cell gives the form of the key: its name follows the index's.
		attribute = name + strings.ToUpper(column)
		index.Keys = addKey(index.Keys, Key{At{cell.line, Guessed}, attribute, "", roleOf(column)})
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
	for _, column := range []string{"pk", "sk"} {
		cell, is := c.cell(row, column)
		if name, kind := nameIn(cell); is && name != "" && !dashOnly.MatchString(cell.text) {
			table.Keys = addKey(table.Keys, Key{At{cell.line, Said}, name, kind, roleOf(column)})
		}
	}
	for i, cell := range row[:min(len(row), len(c))] {
		at := At{cell.line, Said}
		nothing := dashOnly.MatchString(cell.text) || none.MatchString(cell.text)
		switch role := c[i]; {
		case (role == "indexes" || role == "index") && nothing && !ticked.MatchString(cell.text):
			table.NoIndexes = keep(table.NoIndexes, at, "none")
		case role == "indexes" || role == "index":
			r.indexCell(table, cell)
		case role == "stream" && (ticked.MatchString(cell.text) || !nothing):
			table.Stream = keep(table.Stream, at, streamView.FindString(cell.text))
		case nothing:
		case role == "ttl":
			if name := ttlCell(cell); name != "" {
				table.TTL = keep(table.TTL, at, name)
			}
		case role == "billing" && billedOnDemand.MatchString(cell.text):
			table.Billing = append(table.Billing, Setting{at, "PAY_PER_REQUEST"})
		case role == "billing" && strings.Contains(strings.ToLower(cell.text), "provisioned"):
			table.Billing = append(table.Billing, Setting{at, "PROVISIONED"})
		}
	}
}

var (
	ticked         = lazyregexp.New(`(?i)✓|✔|✅|☑|^(?:yes|on|enabled)\b`)
	streamView     = lazyregexp.New(`\b(?:NEW_AND_OLD_IMAGES|NEW_IMAGE|OLD_IMAGE|KEYS_ONLY)\b`)
	billedOnDemand = lazyregexp.New(`(?i)\bon[- ]?demand\b|\bpay[-_ ]per[-_ ]request\b`)
	insideBrackets = lazyregexp.New("^[^()]*\\(\\s*`?([A-Za-z_][A-Za-z0-9_]*)`?\\s*\\)$")
	indexEntry     = lazyregexp.New(`^(?:(GSI|LSI)s?[:\s]+)?([A-Za-z_][A-Za-z0-9_.-]*[A-Za-z0-9])\s*(.*)$`)
	keyParts       = lazyregexp.New(`\s*(?:,|\+|/|&|→|->|\band\b)\s*`)
	keyPart        = lazyregexp.New(`^(?i:(pk|sk|hash|range|partition|sort)(?:[ _-]?key)?\s*[:=]?\s+)?([A-Za-z_][A-Za-z0-9_.-]*)(?:\s*\((\w+)\))?$`)
)

// ttlCell is the attribute that a cell of a column of TTLs names: "`ttl`, 30 days", "yes
// (expires_at)". Empty for a period alone.
func ttlCell(cell inline) string {
	if match := insideBrackets.FindStringSubmatch(cell.text); match != nil && attributeLike.MatchString(match[1]) {
		return match[1]
	}
	name := firstName(cell)
	if codes := cell.code(); len(codes) == 1 && identifier.MatchString(codes[0]) {
		return codes[0]
	}
	if !attributeLike.MatchString(name) || notTTL.MatchString(name) {
		return ""
	}
	return name
}

// indexCell reads the indexes of a table that one cell lists: "`by-email` (hash: `email`)",
// "by-state: state → changedAt", "LSI by-day (day), by-size".
func (r *reader) indexCell(table *Table, cell inline) {
	if number, err := strconv.Atoi(strings.TrimSpace(cell.text)); err == nil {
		r.doc.Counts = append(r.doc.Counts, Count{At: At{cell.line, Said}, What: "indexes", Table: table.Name, Value: number})
		return
	}
	at := At{cell.line, Said}
	var last *Index
	for _, entry := range entries(cell) {
		text := strings.NewReplacer("`", "", "*", "").Replace(entry.text)
		if rest, is := strings.CutPrefix(strings.ToLower(text), "projection"); is && last != nil {
			r.projection(last, strings.TrimLeft(rest, " :="), at)
			continue
		}
		match := indexEntry.FindStringSubmatch(text)
		if match == nil || match[3] != "" && !strings.ContainsAny(match[3][:1], "(:→—–-") && !strings.HasPrefix(match[3], "on ") {
			r.unread(cell.line, entry.text, "expected the name of an index, and its keys in brackets")
			continue
		}
		last = table.addIndex(match[2], at)
		last.Local = last.Local || match[1] == "LSI"
		for _, key := range keysOf(match[3], last.Local) {
			key.At = at
			last.Keys = addKey(last.Keys, key)
		}
		if last.Local {
			if hash, has := table.Key(Hash); has {
				last.Keys = addKey(last.Keys, hash)
			}
		}
	}
}

// keysOf reads the keys behind the name of an index: "(PK: state, SK: changedAt)", ": state →
// changedAt", "on state". What is no list of at most two attributes gives none.
func keysOf(text string, local bool) []Key {
	text = strings.TrimPrefix(strings.Trim(text, " ():→—–-"), "on ")
	if text == "" {
		return nil
	}
	var keys []Key
	for i, part := range keyParts.Split(text, -1) {
		match := keyPart.FindStringSubmatch(part)
		if match == nil || i > 1 {
			return nil
		}
		role := []string{Hash, Range}[i]
		switch {
		case match[1] != "":
			role = roleOf(match[1])
		case local:
			role = Range
		}
		keys = append(keys, Key{Name: match[2], Type: keyType(match[3]), Role: role})
	}
	return keys
}

var roleLabel = lazyregexp.New("(?i:\\b(PK|SK|partition key|sort key|hash key|range key))\\s*[:=]\\s*`?([a-z][A-Za-z0-9_]*)`?\\s*(?:$|[,;(|])")

// labelledKeys are the key attributes that a cell of an access pattern names by their role:
// "PK: userId, SK: sentAt (desc)".
func labelledKeys(cell inline) []Key {
	var keys []Key
	for _, match := range roleLabel.FindAllStringSubmatch(cell.text, -1) {
		if !isPlainKeyName(match[2]) && keyType(match[2]) == "" && !notKeyNames.MatchString(match[2]) {
			keys = append(keys, Key{At{cell.line, Guessed}, match[2], "", roleOf(match[1])})
		}
	}
	return keys
}

// patternKeys takes the keys of a table from a row about an access pattern, which names them.
func (r *reader) patternKeys(b *block, c columns, row []inline) {
	table := r.tableOf(b)
	if cell, is := c.cell(row, "table"); is {
		if table = r.known(strings.Trim(cell.text, "` ")); table == nil {
			return
		}
	}
	cell, is := c.cell(row, "condition")
	if index, has := c.cell(row, "index"); !is || has && !dashOnly.MatchString(index.text) || r.indexNamedIn(table, cell.text) != "" {
		return
	}
	for _, key := range labelledKeys(cell) {
		table.Keys = addKey(table.Keys, key)
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
	number := numberedKey.FindStringSubmatch(name)
	switch {
	case partition && !sort:
		role = Hash
	case sort && !partition:
		role = Range
	case number != nil && strings.EqualFold(number[2], "pk"), index != nil && strings.HasSuffix(strings.ToLower(name), "pk"):
		role, sure = Hash, Guessed
	case number != nil, index != nil && strings.HasSuffix(strings.ToLower(name), "sk"):
		role, sure = Range, Guessed
	case index == nil && namedIndex.MatchString(note):
		role = Hash
	case index != nil && len(b.rows) <= 2:
		role, sure = []string{Hash, Range}[n], Guessed
	}
	if index != nil {
		sure = Said // the section is the index's: its grid lists the index's key
	}
	word := indexWord.FindStringSubmatch(note)
	switch {
	case role == "":
	case index != nil:
		index.Keys = addKey(index.Keys, Key{At{at.Line, sure}, name, kind, role})
	case number != nil:
		found := r.tableOf(b).indexOfKey(name, at.Line)
		found.Keys = addKey(found.Keys, Key{At{at.Line, sure}, name, kind, role})
	case word != nil && namedIndex.MatchString(note):
		found := r.tableOf(b).addIndex(namedIndex.FindStringSubmatch(note)[1], at)
		found.Keys = addKey(found.Keys, Key{at, name, kind, role})
	case word != nil:
		// "(GSI key)": whose key it is, the index itself says, where there is one.
		table := r.tableOf(b)
		if r.keysOfSome[table] == 0 {
			r.keysOfSome[table] = at.Line
		}
	case sure == Said && attributeWord.MatchString(note):
		r.key(b, nil, Key{at, name, kind, role})
	}
	if role == "" && index == nil && isPlainKeyName(name) && number == nil {
		r.key(b, nil, Key{At{at.Line, Guessed}, name, kind, roleOf(name)})
	}
	if ttlMention.MatchString(note+" "+name) && (kind == "N" || kind == "" && strings.EqualFold(name, "ttl")) && index == nil {
		table, tableSure := r.table(b.frame, b.line)
		if !strings.EqualFold(name, "ttl") && !lazyregexp.New(`(?i)\bTTL\b|time[- ]to[- ]live|auto-?delet`).MatchString(note) {
			tableSure = Guessed
		}
		table.TTL = keep(table.TTL, At{at.Line, tableSure}, name)
	}
}

// namedIndex is an index that a note names in brackets: "GSI (email-index)".
var namedIndex = lazyregexp.New(`(?i)\b(?:GSI|LSI)[^()]{0,20}\(\s*([A-Za-z_][A-Za-z0-9_]*(?:[-.][A-Za-z0-9_]+)+|[A-Za-z_]\w*Index)\s*\)`)

var propertyLabel = lazyregexp.New(`(?i)^(partition key|hash key|sort key|range key|projection(?: type)?|region|index name)$`)

var attributeWord = lazyregexp.New(`(?i)\b(partition key|hash key|sort key|range key|PK|SK|HASH|RANGE)\b`)

// keyColumns takes the headers of a grid of items for the names of the keys.
func (r *reader) keyColumns(b *block, c columns) {
	for i, cell := range b.header {
		name := strings.Trim(cell.text, "` *")
		if first, _, more := strings.Cut(name, " "); more && (strings.EqualFold(first, "pk") || strings.EqualFold(first, "sk")) {
			name = first // "SK condition"
		}
		switch {
		case c[i] == "indexkey":
			number := numberedKey.FindStringSubmatch(strings.ReplaceAll(name, " ", ""))
			if number == nil {
				continue
			}
			index := r.tableOf(b).indexOfKey(number[0], b.line)
			index.Keys = addKey(index.Keys, Key{At{b.line, Said}, number[0], "", roleOf(number[2])})
		case (c[i] == "pk" || c[i] == "sk") && isPlainKeyName(name):
			table := r.tableOf(b)
			table.Keys = addKey(table.Keys, Key{At{b.line, Guessed}, name, "", roleOf(c[i])})
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
