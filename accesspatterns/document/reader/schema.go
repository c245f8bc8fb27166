package reader

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// schema reads tables, keys, indexes and settings.
func (r *reader) schema() {
	// Names first: a property of a table may stand above the table's heading.
	for _, b := range r.blocks {
		r.names(b)
	}
	r.namedElsewhere()
	for _, b := range r.blocks {
		if b.kind != textBlock || b.first {
			r.paragraphIndex = nil
		}
		switch b.kind {
		case headingBlock, textBlock, itemBlock:
			r.indexTitle(b)
			r.proseIndex(b)
			r.statements(b)
		case gridBlock:
			r.schemaGrid(b)
		case codeBlock:
			r.schemaCode(b)
		}
	}
	for _, apply := range r.everywhere {
		for _, table := range r.doc.Tables {
			apply(table)
		}
	}
}

var nameLabel = lazyregexp.New("(?i)(?:^|[\\s|*,;(-])(?:dynamodb )?table(?: name)?\\s*(?:[:=]|\\bis\\b)\\s*`?\"?([A-Za-z0-9_.{}<>$\\[\\]-]{2,80})")

// foreignTable is what stands before the name of a table in some other languages.
var foreignTable = lazyregexp.New(`(?i)(?:테이블|テーブル|数据表|資料表|表名|\btabla|\btabela|\bbảng|\btabelle|\bтаблица)[^:：]{0,10}[:：]\s*$`)

var (
	lineName = lazyregexp.New(`(?i)^(?:the )?(?:dynamodb )?table:?\s+([A-Za-z0-9_.{}<>$-]+)\.?$`)
	itemName = lazyregexp.New(`(?i)^name\s*[:=]\s*([A-Za-z0-9_.{}<>$-]+)(?:\s+\(.*\))?$`)
)

// names finds the tables, by headings and by labels.
func (r *reader) names(b *block) {
	switch b.kind {
	case headingBlock, textBlock, itemBlock:
		if b.frame.title.line == b.line && (b.kind == headingBlock || b.frame.level == labelLevel) {
			if name := tableIn(b.text); name != "" {
				b.frame.table = r.addTable(name, At{b.line, Said})
				return
			}
		}
		for _, match := range nameLabel.FindAllStringSubmatchIndex(b.text.text, -1) {
			name := b.text.text[match[2]:match[3]]
			end := match[3]
			if !namesTable(name) || strings.HasSuffix(name, ".") && len(name) < 4 {
				continue
			}
			name = strings.TrimRight(name, ".")
			// "Table: users and their orders" is a sentence, not a name.
			after := strings.TrimLeft(b.text.text[end:], "`\".")
			marked := slices.ContainsFunc(b.text.spans, func(s span) bool { return s.from <= match[2] && s.to >= end })
			if !marked && after != "" && !strings.ContainsAny(after[:1], "|,;(") && strings.TrimSpace(after) != "" {
				continue
			}
			r.nameTable(b.frame, name, At{b.line, Said})
		}
		if match := lineName.FindStringSubmatch(b.text.text); match != nil && b.kind == textBlock && len(b.text.code()) == 1 && namesTable(match[1]) {
			r.nameTable(b.frame, match[1], At{b.line, Said})
		}
		if match := itemName.FindStringSubmatch(b.text.text); match != nil && b.kind == itemBlock && namesTable(match[1]) && b.frame.parent != nil {
			if title := b.frame.parent.title.text; tableWord.MatchString(title) && !indexWord.MatchString(title) {
				r.nameTable(b.frame, match[1], At{b.line, Said})
			}
		}
		for _, s := range b.text.spans {
			if name := b.text.part(s); s.code && foreignTable.MatchString(b.text.text[:s.from]) && namesTable(name) {
				r.nameTable(b.frame, name, At{b.line, Said})
			}
		}
		if strings.HasSuffix(strings.ToLower(b.text.text), "table name:") {
			r.nameFollows(b)
		}
	case gridBlock:
		columns := b.columns()
		if columns.tableColumn() >= 0 && columns.has("pk") {
			for _, row := range b.rows {
				cell, _ := columns.cell(row, "table")
				name := firstName(cell)
				if namesTable(name) {
					r.addTable(name, At{cell.line, Said})
				}
			}
		}
	case codeBlock:
		for n, line := range b.code {
			if hclTable.MatchString(line) {
				r.hclNamed(b, n)
			}
			if match := codeTableName.FindStringSubmatch(line); match != nil && namesTable(match[1]) && definesTable(b) {
				r.nameTable(b.frame, match[1], At{b.line + n, Said})
			}
		}
	}
}

// nameFollows reads a name that stands in the code block below its label.
func (r *reader) nameFollows(label *block) {
	at := slices.Index(r.blocks, label)
	if at+1 < len(r.blocks) && r.blocks[at+1].kind == codeBlock && len(r.blocks[at+1].code) == 1 {
		if name := strings.TrimSpace(r.blocks[at+1].code[0]); namesTable(name) {
			r.nameTable(label.frame, name, At{r.blocks[at+1].line, Said})
		}
	}
}

var (
	codeTableName = lazyregexp.New(`(?:TableName["']?\s*[:=]\s*(?:!Sub\s+)?|--table-name\s+|tableName["']?\s*:\s*)["'` + "`" + `]?([A-Za-z0-9_.{}<>$-]{2,80})`)
	definitions   = lazyregexp.New(`KeySchema|AttributeDefinitions|create-table|partitionKey\s*:|--key-schema|hash_key`)
)

func definesTable(b *block) bool {
	return slices.ContainsFunc(b.code, definitions.MatchString)
}

// nameTable names the table of a section. A heading's name stays as a further
// one.
func (r *reader) nameTable(f *frame, name string, at At) {
	if owner := f.up(func(f *frame) bool { return f.table != nil }); owner != nil {
		table := owner.table
		if strings.Contains(plain(name), plain(table.Name)) || table.Sure == Guessed {
			if table.Name != "" && plain(table.Name) != plain(name) {
				table.Also = append(table.Also, table.Name)
			}
			table.Name, table.At = name, at
			return
		}
		if r.known(name) != nil {
			return
		}
	}
	table := r.addTable(name, at)
	// It owns the section in which it is named, unless it is the only section.
	if section := f.heading(); section != nil && section.table == nil && section.level > 1 {
		section.table = table
	}
}

// known returns the table that a name means, however it is spelt; nil for none.
func (r *reader) known(name string) *Table {
	same := func(other string) bool { return plain(other) == plain(name) }
	table, _ := first(r.doc.Tables, func(t *Table) bool { return same(t.Name) || slices.ContainsFunc(t.Also, same) })
	return table
}

// indexTitle gives a place its index.
func (r *reader) indexTitle(b *block) {
	if b.frame.title.line != b.line || b.kind == textBlock && b.frame.level != labelLevel {
		return
	}
	listed := b.kind == itemBlock && b.frame.parent.about() == topicIndexes
	if b.kind == itemBlock && !listed && !numberedIndex.MatchString(cleanTitle(b.text.text)) {
		return
	}
	if b.kind == itemBlock && b.frame.parent.about() == topicPatterns {
		return
	}
	if listed && b.frame.parent.up(func(f *frame) bool { return f.index != nil && f.level >= itemLevel }) != nil {
		return
	}
	name, local := indexIn(b.text, listed)
	if name == "" {
		return
	}
	table := r.tableOf(b)
	for _, other := range r.doc.Tables { // "GSI1 on `Orders`"
		if other.Name != name && HasWord(b.text.text, other.Name) {
			table = other
		}
	}
	b.frame.index = table.addIndex(name, At{b.line, Said})
	b.frame.index.Local = b.frame.index.Local || local
}

// indexOf is the index that a place speaks of, nil for none.
func indexOf(f *frame) *Index {
	if at := f.up(func(f *frame) bool { return f.index != nil || f.table != nil }); at != nil {
		return at.index
	}
	return nil
}

var labels = lazyregexp.New(`(?i)(?:^|[\s|(,;•-])(partition key|hash key|pk|sort key|range key|sk|primary keys?|projection(?: type)?|billing(?: mode)?|capacity mode|pitr|point-in-time recovery(?: \(pitr\))?|region|encryption|(?:dynamodb )?streams?|(?:global |local )?secondary indexes|gsis?|ttl|name|index name)\s*(?:\((string|number|binary|s|n|b|[A-Za-z_]\w*)\))?\s*(?::\s+|:$|\s=\s|=|\s(?:—|–|--?-?)\s)`)

var (
	nameAndType = lazyregexp.New("`?([A-Za-z_][A-Za-z0-9_.-]*)`?\\s*(?:\\(([^()]*)\\))?")
	roleInside  = lazyregexp.New("(?i)`?([A-Za-z_][A-Za-z0-9_.-]*)`?\\s+\\((?:[^()]*[\\s,])?(partition key|partition|hash key|hash|pk|sort key|sort|range key|range|sk)\\b([^()]*)\\)")
	tableWord   = lazyregexp.New(`(?i)\btable\b`)
	roleBefore  = lazyregexp.New(`(?i)\b(pk|sk|partition key|sort key|hash key|range key) ([A-Za-z_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?)`)
	plainKeys   = lazyregexp.New(`\b(PK|SK|pk|sk)\b\s*\((?i:(string|number|binary|s|n|b))\)`)
	indexPair   = lazyregexp.New(`(?i)\b((?:GSI|LSI)[-_ ]?\d+)\b[^()|\n]{0,60}\(\s*([A-Za-z_]\w*)\s*(?:[,+/&]\s*([A-Za-z_]\w*)\s*)?\)`)
)

// statements reads what one line says of a table or index.
func (r *reader) statements(b *block) {
	text := b.text
	found := labels.FindAllStringSubmatchIndex(text.text, -1)
	for i, at := range found {
		end := len(text.text)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		label := strings.ToLower(text.text[at[2]:at[3]])
		given := ""
		if at[4] >= 0 {
			given = text.text[at[4]:at[5]]
		}
		r.labelled(b, label, given, trimmed(text.slice(at[1], end)), strings.Contains(text.text[at[3]:at[1]], "="))
	}
	about := b.frame.about()
	if about != topicPatterns && about != topicRules {
		r.roles(b)
	}
	r.settings(b)
	r.counts(b)
	r.rules(b)
}

// labelled reads one "label: value".
func (r *reader) labelled(b *block, label, given string, value inline, equals bool) {
	if value.text == "" {
		return
	}
	at := At{b.line, Said}
	switch label {
	case "partition key", "hash key", "pk", "sort key", "range key", "sk":
		r.keyLabel(b, label, given, value, equals)
	case "primary key", "primary keys":
		r.primaryKey(b, value)
	case "projection", "projection type":
		if index := r.indexAt(b); index != nil {
			r.projection(index, value.text, at)
		}
	case "name", "index name":
		r.indexNamed(b, label, value)
		if label == "index name" && b.kind == textBlock && indexOf(b.frame) == nil {
			r.indexOfParagraph(b, value)
		}
	case "region":
		if region := regionForm.FindString(value.text); region != "" {
			r.setting(b, func(t *Table, at At) { t.Region = keep(t.Region, at, region) })
		}
	case "pitr", "point-in-time recovery", "point-in-time recovery (pitr)":
		r.recovery(b)
	case "gsis", "global secondary indexes", "secondary indexes":
		if none.MatchString(value.text) {
			table := r.tableOf(b)
			table.NoIndexes = keep(table.NoIndexes, at, "none")
		}
	}
}

var none = lazyregexp.New(`(?i)^(none|no\b|n/a|-|0\b)`)

// keyLabel reads "partition key: userId (String)" and takes "PK: USER#{id}" for
// what it says of the attribute PK.
func (r *reader) keyLabel(b *block, label, given string, value inline, equals bool) {
	role, short := roleOf(label), label == "pk" || label == "sk"
	name, keyKind := nameIn(value)
	if given != "" && keyType(given) == "" && keyType(value.text) != "" && !strings.Contains(value.text, "#") {
		// "Partition Key (PK): String"
		r.key(b, r.indexAt(b), Key{At{b.line, Said}, given, keyType(value.text), role})
		return
	}
	words := strings.Fields(value.text)
	isForm := name == "" || isTemplate(name) && !isPlainKeyName(name) || strings.ContainsAny(words[0][:1], "\"'") ||
		isTemplate(strings.Trim(words[0], ".,;")) && !isPlainKeyName(strings.Trim(words[0], "`.,;"))
	index := r.indexAt(b)
	if (isForm || formsFollow.MatchString(name) && role == Range) && !short && !equals && index == nil {
		// "Partition key: `USER#<id>`" gives the form, and no line may name the attribute.
		r.formOfKey(b, role, value)
		return
	}
	if isForm || equals {
		if short && index == nil {
			table := r.tableOf(b)
			table.Keys = addKey(table.Keys, Key{At{b.line, Guessed}, originalCase(b.text.text, label), "", role})
		}
		return
	}
	if short && !identifierCase.MatchString(name) && !slices.Contains(value.code(), name) && !isPlainKeyName(name) {
		return
	}
	if notKeyNames.MatchString(name) {
		return
	}
	r.key(b, index, Key{At{b.line, Said}, name, cmp.Or(keyKind, keyType(given)), role})
}

// formsFollow are words with which a label speaks of several forms of the sort key.
var formsFollow = lazyregexp.New(`(?i)^(?:one|each|varies|various|depends|multiple|overloaded)$`)

// formOfKey takes the form of a table's key from a label. An attribute that no line names is
// called after its role.
func (r *reader) formOfKey(b *block, role string, value inline) {
	table := r.tableOf(b)
	key, named := table.Key(role)
	if !named {
		key = Key{At{b.line, Guessed}, map[string]string{Hash: "PK", Range: "SK"}[role], "", role}
	}
	if codes := value.code(); len(codes) == 1 {
		if form, is := keyOfForm(key.Name, codes[0], b.line); is {
			table.Keys = addKey(table.Keys, key)
			r.templates[table] = append(r.templates[table], form)
			return
		}
	}
	if !named && role == Range && len(table.Keys) > 0 {
		table.Keys = addKey(table.Keys, key) // its forms may follow
	}
}

var (
	identifierCase = lazyregexp.New(`^[a-z]+([A-Z_-][A-Za-z0-9_-]*)*$|^[A-Z][a-z]+[A-Za-z]*$`)
	notKeyNames    = lazyregexp.New(`(?i)^(the|a|an|one|each|varies|various|depends|multiple|overloaded|see|none|no|composite|string|number|generic|each|use|uses|used|for|same|all|unique|single|simple|optional|any|entity|primary|yes|this|by|user|is|not|n)$`)
)

func isPlainKeyName(name string) bool {
	return strings.EqualFold(name, "pk") || strings.EqualFold(name, "sk") || numberedKey.MatchString(name)
}

var numberedKey = lazyregexp.New(`(?i)^((?:gsi|lsi)[-_]?\d+)[-_]?(pk|sk)$`)

// originalCase is the label as it is written: PK or pk.
func originalCase(text, label string) string {
	if at := strings.Index(strings.ToLower(text), label); at >= 0 {
		return text[at : at+len(label)]
	}
	return label
}

// nameIn reads "`userId` (String) - ...": a name and its type.
func nameIn(value inline) (name, kind string) {
	text := value.text
	match := nameAndType.FindStringSubmatchIndex(text)
	if match == nil {
		return "", ""
	}
	lead := strings.Trim(text[:match[0]], " `\"'")
	if lead != "" {
		return "", ""
	}
	name = strings.TrimRight(text[match[2]:match[3]], ".-")
	if match[4] >= 0 {
		kind = keyType(text[match[4]:match[5]])
	}
	return name, kind
}

// key adds a key attribute to the index or table that a place speaks of.
func (r *reader) key(b *block, index *Index, key Key) {
	if index != nil {
		index.Keys = addKey(index.Keys, key)
		return
	}
	table, sure := r.table(b.frame, b.line)
	if sure == Guessed && len(r.doc.Tables) > 1 {
		key.Sure = Guessed
	}
	table.Keys = addKey(table.Keys, key)
}

// primaryKey reads "primary key: `PK` (string), `SK` (string)".
func (r *reader) primaryKey(b *block, value inline) {
	names := value.code()
	if len(names) == 0 {
		for _, match := range nameAndType.FindAllStringSubmatch(value.text, 2) {
			if match[2] != "" || identifierCase.MatchString(match[1]) && len(strings.Fields(value.text)) == 1 || isPlainKeyName(match[1]) {
				names = append(names, match[1])
			}
		}
	}
	names = names[:min(len(names), 2)]
	if roleInside.MatchString(value.text) && !lazyregexp.New(`(?i)\((string|number)`).MatchString(value.text) {
		return // roles() reads it
	}
	for i, name := range names {
		if !identifier.MatchString(name) || notKeyNames.MatchString(name) || isTemplate(name) && !isPlainKeyName(name) {
			return
		}
		kind := ""
		if at := strings.Index(value.text, name); at >= 0 {
			_, kind = nameIn(value.slice(at, len(value.text)))
		}
		r.key(b, indexOf(b.frame), Key{At{b.line, Said}, name, kind, []string{Hash, Range}[i]})
	}
}

// roles reads key attributes by what stands in brackets behind them: "PK
// (Partition Key)", "event_id (PK)", "PK (String)", "GSI1 (GSI1PK + GSI1SK)".
func (r *reader) roles(b *block) {
	text, at := b.text.text, At{b.line, Said}
	index := indexOf(b.frame)
	both := func(hash, sort, said string) {
		kind := ""
		if bothStrings.MatchString(said) {
			kind = "S"
		}
		r.key(b, nil, Key{at, hash, kind, Hash})
		r.key(b, nil, Key{at, sort, kind, Range})
	}
	pairs := indexPair.FindAllStringSubmatch(text, -1)
	if match := indexOn.FindStringSubmatch(text); match != nil && slices.Contains(b.text.code(), match[2]) {
		pairs = append(pairs, match)
	}
	for _, match := range pairs {
		if keyType(match[2]) != "" && !isPlainKeyName(match[2]) {
			continue
		}
		named := r.tableOf(b).addIndex(strings.Join(strings.Fields(match[1]), ""), at)
		if notKeyNames.MatchString(match[2]) || roleWord.MatchString(match[2]) {
			continue
		}
		named.Keys = addKey(named.Keys, Key{at, match[2], "", Hash})
		if match[3] != "" {
			named.Keys = addKey(named.Keys, Key{at, match[3], "", Range})
		}
	}
	if match := indexLine.FindStringSubmatch(text); match != nil && index == nil && roleInside.MatchString(text) {
		index = r.tableOf(b).addIndex(strings.Join(strings.Fields(match[1]), ""), at)
	}
	for _, match := range roleInside.FindAllStringSubmatchIndex(text, -1) {
		name := text[match[2]:match[3]]
		word := strings.ToLower(text[match[4]:match[5]])
		if bareRole.MatchString(word) && !roleAlone.MatchString(text[match[3]:match[4]]) {
			continue // "(found by its hash)" is no role
		}
		if strings.HasPrefix(strings.TrimLeft(text[match[5]:], " `"), "=") {
			continue // "the user (PK=USER#1)" gives a value
		}
		inside := text[strings.LastIndexByte(text[:match[4]], '(')+1 : match[1]]
		if two := bothKeys.FindStringSubmatch(inside); two != nil {
			// "a composite key (PK/SK, both strings)" names the two.
			if isPlainKeyName(two[1]) && isPlainKeyName(two[2]) && index == nil {
				both(two[1], two[2], inside)
			}
			continue
		}
		if notKeyNames.MatchString(name) || roleWord.MatchString(name) && !isPlainKeyName(name) || strings.EqualFold(name, "key") || lazyregexp.New(`(?i)^(gsi|lsi)\d*$`).MatchString(name) {
			continue
		}
		if capitals.MatchString(name) && !isPlainKeyName(name) && len(name) > 3 {
			continue
		}
		target := index
		if numberedKey.MatchString(name) {
			target = r.tableOf(b).indexOfKey(name, b.line)
		} else if b.kind == itemBlock && index == nil && lazyregexp.New(`(?i)\bGSI|\bindex`).MatchString(text[match[4]:match[1]]) {
			continue
		}
		r.key(b, target, Key{at, name, keyType(strings.Trim(text[match[6]:match[7]], " ,-")), roleOf(word)})
	}
	if match := keyPair.FindStringSubmatch(text); match != nil && index == nil && b.frame.about() != topicPatterns {
		both(match[1], match[2], match[3])
	}
	if match := numberedLine.FindStringSubmatch(text); match != nil {
		target := r.tableOf(b).indexOfKey(match[1], b.line)
		target.Keys = addKey(target.Keys, Key{at, match[1], keyType(match[3]), roleOf(match[2])})
	}
	if above := b.frame.parent; b.kind == itemBlock && above != nil && primaryTitle.MatchString(cleanTitle(above.title.text)) && len(b.text.spans) > 0 && b.text.spans[0].from == 0 && b.text.spans[0].code {
		// A list of the parts of the primary key: "`userId` string".
		name := b.text.part(b.text.spans[0])
		table := r.tableOf(b)
		role := Hash
		if sortWord.MatchString(text) || len(table.Keys) > 0 && !partitionWord.MatchString(text) && table.Keys[0].Line < b.line && table.Keys[0].Line > above.title.line {
			role = Range
		}
		if identifier.MatchString(name) && !isTemplate(name) {
			r.key(b, index, Key{at, name, keyType(strings.Trim(text[b.text.spans[0].to:], " ():,-–—")), role})
		}
	}
	for _, match := range roleBefore.FindAllStringSubmatchIndex(text, -1) {
		name := text[match[4]:match[5]]
		marked := slices.ContainsFunc(b.text.spans, func(s span) bool { return s.code && s.from == match[4] && s.to == match[5] })
		ofTable := tableWord.MatchString(text) && !indexTitleWord.MatchString(text)
		if !marked || b.kind != itemBlock && index == nil && !ofTable || isTemplate(name) && !isPlainKeyName(name) {
			continue
		}
		r.key(b, index, Key{at, name, "", roleOf(text[match[2]:match[3]])})
	}
	for _, match := range plainKeys.FindAllStringSubmatch(text, -1) {
		r.key(b, index, Key{at, match[1], keyType(match[2]), roleOf(match[1])})
	}
}

var (
	indexLine = lazyregexp.New(`(?i)^((?:GSI|LSI)[-_ ]?\d+)(?:\s*\([^()]*\))?\s*:\s`)
	bareRole  = lazyregexp.New(`^(?:partition|hash|sort|range)$`)
	// roleAlone is what stands between a name and the word of its role.
	roleAlone = lazyregexp.New("(?i)^`?\\s*\\((?:[^()]*,)?\\s*(?:(?:GSI|LSI)[-_ ]?\\d*\\s+)?$")
)

var primaryTitle = lazyregexp.New(`(?i)^(?:primary|table) keys?$`)

var bothKeys = lazyregexp.New(`(?i)^(pk|partition key|hash key)\s*(?:/|\+|,|&|and)\s*(sk|sort key|range key)\b`)

var bothStrings = lazyregexp.New(`(?i)\bstrings?\b`)

// indexOn is "GSI-1 on `gsi1pk` / `gsi1sk`".
var indexOn = lazyregexp.New(`(?i)^((?:GSI|LSI)[-_ ]?\d+)\s+(?:is\s+)?on\s+([A-Za-z_]\w*)(?:\s*[,+/&]\s*([A-Za-z_]\w*))?`)

// keyPair is "generic `pk`/`sk` string keys".
var keyPair = lazyregexp.New(`\b(PK|pk)\s*/\s*(SK|sk)\b((?:\s+\w+)?\s+keys\b)`)

var numberedLine = lazyregexp.New(`(?i)^((?:GSI|LSI)[-_]?\d+[-_]?(pk|sk))\s*:\s*(string|number|binary|s|n|b)\b`)

var roleWord = lazyregexp.New(`(?i)^(pk|sk|partition|sort|hash|range|key|attribute|table|index)$`)

func (r *reader) indexNamed(b *block, label string, value inline) {
	if indexOf(b.frame) != nil && indexOf(b.frame).Name != "" {
		return
	}
	parent := b.frame.parent
	if parent == nil || !lazyregexp.New(`(?i)\b(GSI|LSI|secondary index)\b`).MatchString(parent.title.text) || parent.level < labelLevel && label != "index name" {
		return
	}
	name := strings.Trim(value.marked(), "`: ")
	if name == "" {
		name = strings.TrimSpace(value.text)
	}
	if !identifier.MatchString(name) {
		return
	}
	parent.index = r.tableOf(b).addIndex(name, At{b.line, Said})
}

// indexOfParagraph gives the lines of a paragraph below "Index name: by-owner" their
// index, where no title does.
func (r *reader) indexOfParagraph(b *block, value inline) {
	name := strings.Trim(value.text, "`*. ")
	if !identifier.MatchString(name) {
		return
	}
	r.paragraphIndex = r.tableOf(b).addIndex(name, At{b.line, Said})
}

// indexAt is the index that a line speaks of, nil for none.
func (r *reader) indexAt(b *block) *Index {
	if index := indexOf(b.frame); index != nil {
		return index
	}
	return r.paragraphIndex
}

func (r *reader) projection(index *Index, text string, at At) {
	upper := strings.ToUpper(strings.NewReplacer("-", "_", "`", "").Replace(text))
	kind := ""
	switch {
	case strings.HasPrefix(upper, "ALL"):
		kind = "ALL"
	case strings.HasPrefix(upper, "KEYS_ONLY"), strings.HasPrefix(upper, "KEYS ONLY"):
		kind = "KEYS_ONLY"
	case strings.HasPrefix(upper, "INCLUDE"):
		kind = "INCLUDE"
	default:
		return
	}
	if index.Projection.Value == "" {
		index.Projection = Setting{at, kind}
	}
	if kind == "INCLUDE" {
		for _, name := range lazyregexp.New(attributeName).FindAllString(text, -1) {
			if !strings.EqualFold(name, "include") && strings.Contains(text, name) && identifierCase.MatchString(name) && !slices.Contains(index.Include, name) {
				index.Include = append(index.Include, name)
			}
		}
	}
}

var (
	regionForm    = lazyregexp.New(`\b(?:us|eu|ap|sa|ca|me|af|il|mx|cn)-(?:gov-)?(?:north|south|east|west|central|northeast|southeast|northwest|southwest)-\d\b`)
	onDemand      = lazyregexp.New(`(?i)\bPAY_PER_REQUEST\b|\b(?:billing|capacity|mode)\b[^.|]{0,30}\bon[- ]demand\b|\bon[- ]demand\b[^.|]{0,30}\b(?:billing|capacity|mode)\b|\bpay[- ]per[- ]request\b|\bbilled (?:as )?on[- ]demand\b`)
	provisioned   = lazyregexp.New(`(?i)\b(?:billing|capacity|mode)\b[^.|]{0,20}\bprovisioned\b|\bprovisioned (?:mode|capacity|billing)\b`)
	recoveryOn    = lazyregexp.New(`(?i)(?:\bPITR|point-in-time recovery)\b[^.|]{0,20}\b(?:enabled|on|yes|true|✅)\b|\b(?:enable|with) (?:PITR|point-in-time recovery)`)
	recoveryOff   = lazyregexp.New(`(?i)(?:\bPITR|point-in-time recovery)\b[^.|]{0,20}\b(?:disabled|off|no|false|not)\b|\b(?:no|without|disable) (?:PITR|point-in-time)`)
	encryption    = lazyregexp.New(`(?i)\bencrypt(?:ion|ed)\b.{0,30}\b(AWS[- ](?:managed|owned)|customer[- ]managed|KMS|SSE)|\b(AWS[- ](?:managed|owned)|customer[- ]managed)\b.{0,20}\bencrypt|\bencryption at rest\b()()`)
	recoveryItem  = lazyregexp.New(`(?i)^(?:point-in-time recovery|PITR)(?: \(PITR\))?$`)
	streamMention = lazyregexp.New(`(?i:\bstreams?\b)[^.|]{0,40}\b(NEW_AND_OLD_IMAGES|NEW_IMAGE|OLD_IMAGE|KEYS_ONLY)\b`)
	priced        = lazyregexp.New(`(?i)\b(?:pric(?:e|es|ing)|costs?|estimates?)\b`)
	allTables     = lazyregexp.New(`(?i)\b(?:all|every|each|both) (?:the )?(?:tables|table|\d+ tables)\b`)

	ttlInside  = lazyregexp.New("(?i)`?([A-Za-z_][A-Za-z0-9_]*)`?\\s*\\((?:[^()]*\\b)?(?:TTL|time[- ]to[- ]live)\\b[^()]*\\)")
	ttlNames   = lazyregexp.New("(?i)\\b(?:TTL|time[- ]to[- ]live)(?: attribute| field)?(?: name)?\\s*(?::|=|\\bon\\b|\\bvia\\b|\\busing\\b|\\bis\\b|—|–|-)?\\s*(?:enabled )?(?:on )?(?:the )?(?:attribute )?`([A-Za-z_][A-Za-z0-9_]*)`")
	ttlPeriod  = lazyregexp.New(`(?i)^\W*(?:TTL|time[- ]to[- ]live)\W{1,4}(\d+)[ -]?(days?|hours?|minutes?|weeks?|d|h)\b`)
	ttlBare    = lazyregexp.New("(?i)(?:^|[|,;(•-]\\s*)TTL(?: attribute)?\\s*[:=]\\s*([a-z][A-Za-z0-9_]*)\\b")
	ttlSum     = lazyregexp.New(`(?i)\bTTL(?: attribute)?\s*[:=]\s*[a-z]\w*\s*[+-]`) // "TTL: now + 90 days" names no attribute
	ttlTitle   = lazyregexp.New(`(?i)^(?:TTL|time[- ]to[- ]live)\b`)
	ttlMention = lazyregexp.New(`(?i)\bTTL\b|time[- ]to[- ]live|auto[- ]?(?:delet|expir)|expir`)
)

// keep is a setting that is set once: a guess never displaces what was read.
func keep(old *Setting, at At, value string) *Setting {
	if old != nil && (old.Sure == Said || at.Sure == Guessed) {
		if old.Value == "" && value != "" {
			return &Setting{at, value}
		}
		return old
	}
	return &Setting{at, value}
}

// setting applies to the table of the place, or to all where the place is no
// table's or the text speaks of all.
func (r *reader) setting(b *block, apply func(*Table, At)) {
	at, all := At{b.line, Said}, allTables.MatchString(b.text.text)
	if owner := b.frame.up(func(f *frame) bool { return f.table != nil }); owner != nil && !all {
		apply(owner.table, at)
		return
	}
	r.everywhere = append(r.everywhere, func(t *Table) {
		if !all && len(r.doc.Tables) > 1 {
			at.Sure = Guessed
		}
		apply(t, at)
	})
}

func (r *reader) settings(b *block) {
	text := b.text.text
	bill := func(mode string) {
		if b.kind == headingBlock {
			return
		}
		r.setting(b, func(t *Table, at At) {
			for _, earlier := range t.Billing {
				if earlier.Value == mode && (earlier.Line == at.Line || at.Sure == Guessed) {
					return
				}
			}
			t.Billing = append(t.Billing, Setting{at, mode})
		})
	}
	switch {
	case onDemand.MatchString(text):
		bill("PAY_PER_REQUEST")
	case provisioned.MatchString(text):
		bill("PROVISIONED")
	}
	if match := regionForm.FindString(text); match != "" && strings.Contains(strings.ToLower(text), "region") && !priced.MatchString(text) && b.frame.up(func(f *frame) bool { return priced.MatchString(f.title.text) }) == nil {
		r.setting(b, func(t *Table, at At) { t.Region = keep(t.Region, at, match) })
	}
	if match := streamMention.FindStringSubmatch(text); match != nil {
		r.setting(b, func(t *Table, at At) { t.Stream = keep(t.Stream, at, match[1]) })
	}
	r.recovery(b)
	if match := encryption.FindStringSubmatch(text); match != nil {
		r.setting(b, func(t *Table, at At) { t.Encryption = keep(t.Encryption, at, strings.ToUpper(match[1]+match[2])) })
	}
	r.ttl(b)
}

func (r *reader) recovery(b *block) {
	value := ""
	switch {
	case recoveryOff.MatchString(b.text.text):
		value = "disabled"
	case recoveryOn.MatchString(b.text.text), b.kind == itemBlock && recoveryItem.MatchString(b.text.text):
		value = "enabled"
	default:
		return
	}
	r.setting(b, func(t *Table, at At) { t.PITR = keep(t.PITR, at, value) })
}

func (r *reader) ttl(b *block) {
	text := b.text.text
	found := ttlIn(b.text)
	if match := ttlNames.FindStringSubmatch(text); match != nil && found == "" {
		found = match[1]
	}
	if found == "" && !ttlPeriod.MatchString(text) {
		if found = cmp.Or(proseTTL(b.text), bareTTL(text), ttlSection(b)); found == "" {
			return
		}
	}
	table, sure := r.table(b.frame, b.line)
	table.TTL = keep(table.TTL, At{b.line, sure}, found)
}

// bareTTL returns the attribute of "TTL: expiresAt", where it stands without marks.
func bareTTL(text string) string {
	match := ttlBare.FindStringSubmatch(text)
	if match == nil || notTTL.MatchString(match[1]) || ttlSum.MatchString(text) {
		return ""
	}
	return match[1]
}

var attributeLike = lazyregexp.New(`^(?i:ttl|expir\w*)$|[a-z][A-Z]|_`)

// ttlIn returns the name in front of "(TTL)": one in backticks, or one that reads like
// an attribute and not like a word.
func ttlIn(text inline) string {
	at := ttlInside.FindStringSubmatchIndex(text.text)
	if at == nil {
		return ""
	}
	name := text.text[at[2]:at[3]]
	marked := slices.ContainsFunc(text.spans, func(s span) bool { return s.from <= at[2] && at[3] <= s.to })
	if notKeyNames.MatchString(name) || !marked && !attributeLike.MatchString(name) {
		return ""
	}
	return name
}

// ttlSection returns the attribute with which a line begins below a title such as
// "TTL": "`expiresAt` attribute, set a month after creation".
func ttlSection(b *block) string {
	section := b.frame.heading()
	if section == nil || !ttlTitle.MatchString(cleanTitle(section.title.text)) || b.kind == headingBlock || len(b.text.spans) == 0 {
		return ""
	}
	first := b.text.spans[0]
	name, after := b.text.part(first), strings.ToLower(strings.TrimSpace(b.text.text[first.to:]))
	if !first.code || first.from > 0 || !identifier.MatchString(name) || isTemplate(name) || !attributeLike.MatchString(name) && !strings.HasPrefix(after, "attribute") && !strings.HasPrefix(after, "field") {
		return ""
	}
	return name
}

var notTTL = lazyregexp.New(`(?i)^(none|no|enabled|disabled|yes|not|n|auto|after|set|for|days?|automatic|seconds?|optional|on|off|null|true|false|at)$`)

var countForm = lazyregexp.New(`(?i)\btotal (tables|gsis|global secondary indexes|indexes)\W{0,4}(\d+)\b|\b(?:the )?(\d+|two|three|four|five|six|seven|eight|nine|ten) (?:dynamodb )?(tables|gsis|global secondary indexes)\b`)

var numberWords = map[string]int{"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}

func (r *reader) counts(b *block) {
	for _, match := range countForm.FindAllStringSubmatch(b.text.text, -1) {
		what, number := match[1]+match[4], match[2]+match[3]
		value, err := strconv.Atoi(number)
		if err != nil {
			value = numberWords[strings.ToLower(number)]
		}
		count := Count{At: At{b.line, Said}, What: "indexes", Value: value}
		if strings.EqualFold(what, "tables") {
			count.What = "tables"
		}
		if match[1] == "" {
			count.Sure = Guessed
		}
		if count.What == "indexes" {
			if owner := b.frame.up(func(f *frame) bool { return f.table != nil }); owner != nil {
				count.Table = owner.table.Name
			}
		}
		r.doc.Counts = append(r.doc.Counts, count)
	}
	if match := countedNames.FindStringSubmatch(b.text.text); match != nil {
		table, sure := r.table(b.frame, b.line)
		names := strings.Split(match[1], ",")
		if slices.ContainsFunc(names, func(name string) bool {
			name = strings.TrimSpace(name)
			return !identifier.MatchString(name) || notIndexNames.MatchString(name)
		}) {
			return
		}
		for _, name := range names {
			table.addIndex(strings.TrimSpace(name), At{b.line, sure})
		}
	}
}

var countedNames = lazyregexp.New(`(?i)\b(?:gsis|global secondary indexes)\s*\(([A-Za-z][^()]*)\)`)

var noScans = lazyregexp.New(`(?i)\b(?:no|never|without|zero) (?:full[- ]table |table |cross-\w+ )?scans?\b|\bscans? (?:is|are) (?:not |never )(?:permitted|allowed|used)|\bavoid(?:s|ing)? (?:full )?(?:table )?scans?\b`)

func (r *reader) rules(b *block) {
	if noScans.MatchString(b.text.text) {
		r.doc.Rules = append(r.doc.Rules, Rule{At{b.line, Said}, "no scans"})
	}
}

// learnKeys collects the names of the key attributes, and gives a table without
// any the usual ones that its text uses.
func (r *reader) learnKeys() {
	for _, table := range r.doc.Tables {
		for _, key := range table.Keys {
			r.keyNames[key.Name] = true
		}
		for _, index := range table.Indexes {
			for _, key := range index.Keys {
				r.keyNames[key.Name] = true
			}
		}
	}
	for _, usual := range []string{"PK", "SK", "pk", "sk"} {
		r.keyNames[usual] = true
	}
	for _, table := range r.doc.Tables {
		hash, has := table.Key(Hash)
		if !has || len(r.doc.Tables) == 1 && hash.Sure == Guessed && isPlainKeyName(hash.Name) {
			r.usualKeys(table)
		}
	}
}

var usualKey = lazyregexp.New(`(?:^|[\s"'` + "`" + `(*])(PK|pk|SK|sk)["'` + "`" + `*]*(?:\s*[:=]|\s+begins_with\b)`)

// usualKeys gives a table the key attributes PK and SK, as the text spells them
// where it gives them values.
func (r *reader) usualKeys(table *Table) {
	for n, line := range r.doc.Text {
		for _, match := range usualKey.FindAllStringSubmatch(line, -1) {
			if _, has := table.Key(roleOf(match[1])); !has {
				table.Keys = addKey(table.Keys, Key{At{n + 1, Guessed}, match[1], "", roleOf(match[1])})
			}
		}
	}
}

// isKey reports whether a name is that of a key attribute, known or by its form.
func (r *reader) isKey(name string) bool {
	return r.keyNames[name] || numberedKey.MatchString(name)
}
