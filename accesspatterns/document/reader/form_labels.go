package reader

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// Labels: "Partition key: `id` (String)", as a list item, a line, a bold line, a row of a table of
// settings, a heading over a fence with one value, or a line of a fence. The label is one of the
// words of the field, and the place says of what: a table's section, or an index's.

// titles reports whether a block is the title of its place.
func (b *block) titles() bool {
	return b.kind == headingBlock || b.kind == textBlock && (b.frame.level == labelLevel || b.frame.level == overLabels) && b.frame.title.line == b.line
}

// leadOf is the name that a text begins with, in backticks or without.
func leadOf(text inline) (string, bool) {
	name, _, is := valueAt(ticked(text))
	return name, is && identifier.MatchString(name)
}

func (s statement) at() At { return s.frame.at(s.line) }

// ofOwnHash reports whether a statement gives a partition key by a name that other attributes have too.
func (s statement) ofOwnHash() bool {
	item, _, is := keyItem{}.valued(ticked(s.value))
	return is && roles[wordOf(s.label)] == Hash && !genericKey.MatchString(s.label) && item.name != "" && !genericKey.MatchString(item.name)
}

// statement is a label with its value.
type statement struct {
	label string
	value inline
	line  int
	// equals is set for "pk = X".
	equals bool
	frame  *frame
	// item is set for a line of a kind of item that is written out.
	item bool
}

var (
	labelled = lazyregexp.New(`^([\pL][\pL\d .,/()&+'’‑_-]{0,60}?)\s*:\s+(\S.*)$`)
	// beforeForms matches a title and the dash behind it: "Order — `pk=ORDER#{id}`".
	beforeForms   = lazyregexp.New(`^\pL[\pL\d ,/()&+'’_-]{0,60}? ` + dashes + ` `)
	assigned      = lazyregexp.New(`^([A-Za-z_][A-Za-z0-9_.-]*)\s*=\s*(\S.*)$`)
	keyOfItem     = lazyregexp.New(`(?i)^(?:(?:gsi|lsi)[-_]?\d*[-_]?)?(?:pk|sk)\d?(?:: +|\s*=\s*)\S`)
	constantLine  = lazyregexp.New(`^[A-Za-z]*[Tt]ype: ["']?[A-Za-z]\w*["']?$`)
	attributesOf  = lazyregexp.New(`(?i)^(?:[a-z]+ )?attributes:(?:$| )`)
	attributeLine = lazyregexp.New(`^[-*•] ([A-Za-z_]\w*)(\?)?: *(.*)$`)
	// tablesTitle matches the heading of a part whose headings are tables.
	tablesTitle = lazyregexp.New(`(?i)^(?:dynamodb )?(?:tables(?: designs?| definitions?| schemas?| list| overview)?|schemas|table (?:designs|definitions|schemas|list|overview))$`)
	// tablesOf matches the heading of a part whose headings in backticks are tables.
	tablesOf = lazyregexp.New(`(?i)\btables\W*$`)
	// styleOfTables matches what is no name of a table.
	styleOfTables = lazyregexp.New(`(?i)^(?:single|multi|multiple)-tables?$`)
	modeAlone     = lazyregexp.New(`(?i)^(?:pay[- _]per[- _]request|on[- ]demand|provisioned)(?: billing| capacity| mode)*(?: \d+ RCU.*)?(?: \(.*\))?$`)
	// remarkOfRole matches a word that is a role beside the name of a key, and a remark beside that of another attribute.
	remarkOfRole = lazyregexp.New(`(?i)^\W*(?:hash|range|partition|sort)\W*$`)
	capitalRole  = lazyregexp.New(`\b(?:HASH|RANGE)\b`)
	// ofOneTable matches the heading of a section of one table.
	ofOneTable = lazyregexp.New(`(?i)\btable$|(?:テーブル|테이블)$|^(?:the )?(?:dynamodb |physical )?table(?: name)?$`)
	// ofAllTables matches a setting of every table.
	ofAllTables = lazyregexp.New(`(?i)\b(all|both|every|each|todas las|todas as|toda|cada|tutte le|toutes les|allen?|beide[nr]?|ambas|les deux|cả hai|tất cả(?: các)?)` + countOfTables + ` (?:tables?\b|tablas?\b|tabelas?\b|tabelle\b|tabellen\b|bảng)|(?:すべて|全て)のテーブル|全テーブル`)
	// generalTitle matches a title of what all tables have, beside those that say so.
	generalTitle = lazyregexp.New(`(?i)\((?:apply|applies) to all tables\)$|^(?:billing|cost|capacity|backups?|recovery|common|shared|general|global)(?: (?:settings|mode|configuration|considerations|properties|features|(?:and|&) \w+(?: \w+)?))?$|^(?:dynamodb )?tables? (?:creation|defaults|initiali[sz]ation|provisioning|setup)$|^(?:data protection|backup strategy|(?:key |main )?features)$|^(?:dynamodb |table |database )?(?:settings|configuration|features|properties|capacity)$`)
	// titlesTables matches the title of a document on several tables.
	titlesTables = lazyregexp.New(`(?i)\bDynamoDB tables\b`)
	// severalTables matches a setting of all tables, or of some of them.
	severalTables = lazyregexp.New(`(?i)\b(?:(?:all|both|every)\b.*\btables?|todas (?:las|as)\b.*\bta(?:blas|belas)|tutte le\b.*\btabelle|toutes les\b.*\btables|allen?\b.*\btabellen)\b|(?:すべて|全て|全)の?テーブル`)
	localWord     = lazyregexp.New(`(?i)\blsi|local secondary`)
	// namedLike matches names that are no words: by-status, ByStatus.
	namedLike = lazyregexp.New(`[a-z][A-Z]|[-_]`)
	// calledBy matches the name of an index that says by what it is: by-status, orders_by_day, ordersByDay.
	calledBy = lazyregexp.New(`(?i:^|[-_])(?i:by)[-_]|(?:^[Bb]y|[a-z]By)[A-Z]`)
	// numberedRemark matches the number of an index before what it is for.
	numberedRemark = lazyregexp.New(`(?i)^(?:GSI|LSI)[-_ ]?\d+ ?[（(]`)
	// ofNamed matches the table that the title of an index names.
	ofNamed = lazyregexp.New("(?i)^(?:[^ ]+(?: index)?(?: \\([^()]*\\))? |[^()]*\\((?:(?:(?:global|local) )?secondary index |GSI |LSI )?)(on|of|for) (?:the )?(?:(`)|(table) )?([\\w.{}$<>-]+)`?(?: table)?\\)?$")
	onNamed = lazyregexp.New("^`[\\w.-]+` on (?:the )?`([\\w.-]+)`")
	// ownerAhead matches the name of a table before the number of its index: "shop-orders GSI1".
	ownerAhead = lazyregexp.New("^`?([a-z][a-z0-9]*(?:[-_][a-z0-9]+)+)`? ((?:GSI|LSI)[-_ ]?\\d+)$")
	// ofIndex matches the title of a section of an index.
	ofIndex = lazyregexp.New(`(?i)^(?:global |local )?secondary index\b|^(?:global|local) index\b|^(?:GSI|LSI)[-_ ]?\d*\b`)
	// typeName matches what is a type wherever it stands; a date is also the name of an attribute.
	typeName  = lazyregexp.New(`(?i)^(?:string|number|binary|[SNB])$`)
	indexWord = lazyregexp.New(`(?i)\b(?:GSIs?|LSIs?|index(?:es)?)\b`)
	// expiresIn matches a time to live without an attribute: "Enabled", "30 days".
	composite = lazyregexp.New(`(?i)^(?:simple|composite|compound)(?: primary)?(?: keys?)?(?:\s*\((.*)\)|\s*[:—–-]\s*(.*))?$`)
	expiresIn = lazyregexp.New(`(?i)^(?:enabled|yes|on|true)\b|\b\d+[- ]?(?:minute|hour|day|week|month|year)`)
	// ttlGiven matches its attribute in a bracket: "Enabled (attribute: gone)".
	ttlGiven = lazyregexp.New("(?i)^(?:yes|enabled)?\\s*\\((?:(?:on|by|attribute|field)(?: name)?:? ){0,2}([A-Za-z_][\\w.-]*)\\)")
	// ttlAlone matches what is said of an attribute by which DynamoDB deletes, and of nothing else.
	ttlAlone       = lazyregexp.New(`(?i)^(?:dynamodb )?TTL(?: attribute| field| timestamp)?(?: for (?:auto(?:matic)?[- ])?(?:expir\w+|deletion|clean-?up))?\W*$`)
	turnedOff      = lazyregexp.New(`(?i)\b(?:disabled|not (?:yet )?(?:enabled|used))(?: yet| now| today)?\W*$`)
	offInBracket   = lazyregexp.New(`(?i)\((?:currently |still |now )?(?:disabled|inactive|not (?:yet )?(?:enabled|used|active|in production|live)|(?:turned |switched )?off)\b`)
	turnedOn       = lazyregexp.New(`(?i)^(?:enabled|yes|on|true|habilitad[oa]|activad[oa]|ativad[oa]|aktiviert)\b|^activée?(?:\PL|$)|^(?:全テーブルで)?(?:有効(?:化)?|オン|활성화|사용|(?:已)?(?:启用|啟用|开启|開啟))(?:[ （(。]|$)`)
	ttlWords       = lazyregexp.New(`(?i)^(yes|no|none|enabled|disabled|true|false|on|off|optional|time[- ]to[- ]live|\d.*|epoch|unix|the|by|set|n)$`)
	projectionHead = lazyregexp.New(`(?i)^(?:([\pL ]+?)[\s:]*)?\b(all|keys[_ -]only|include)\b|^(?:すべて|全て|全部|전체|모두)(?:の属性)?$`)
	// projectionAlone matches a projection as the API calls it, and projectionBehind one behind the keys of an index.
	projectionAlone  = lazyregexp.New(`^(?:ALL|KEYS_ONLY)$`)
	projectionBehind = lazyregexp.New(`^\W*(?:\(|(?i:projection|projects)\W|(?:ALL|KEYS_ONLY)\W*$)`)
	included         = lazyregexp.New("^(?:`([A-Za-z_][A-Za-z0-9_.-]*)`|([A-Za-z_][A-Za-z0-9_.-]*) *(?:$|[,)\\]])) *,? *")
	// genericKeys matches keys with their types and nothing else: "PK (String) + SK (String)".
	genericKeys = lazyregexp.New("(?i)^`?PK`? \\((?:S|N|B|String|Number|Binary)\\)\\s*[+,/]\\s*`?SK`? \\((?:S|N|B|String|Number|Binary)\\)$")
)

// split takes a line apart at the colon or equals sign behind its label, or at the dash before the forms of keys.
func split(text inline) (label string, value inline, equals, is bool) {
	if sign := approved.FindString(text.text); sign != "" { // "✅ Table name: `orders`"
		label, value, equals, is = split(trimmed(text.slice(len(sign), len(text.text))))
		w := wordOf(label)
		switch {
		case weighs(value.text):
		case w == wPITR && keptFor.MatchString(value.text) && !offInBracket.MatchString(value.text):
			return label, inline{line: text.line, text: "enabled"}, equals, is // "✅ Point-in-time recovery: 35 days"
		case w == wPITR, w == wStream && viewOf(value.text) != "":
			return label, value, equals, is
		}
		return label, value, equals, is && (w != "" || isIndexTitle(label)) && stated(value)
	}
	if at := beforeForms.FindStringIndex(text.text); at != nil && len(text.spans) > 0 {
		if last := text.spans[len(text.spans)-1]; text.spans[0].code && text.spans[0].from == at[1] && last.to == len(text.text) && len(pairItems(text.text[at[1]:])) > 0 {
			return text.text[:strings.LastIndexAny(text.text[:at[1]-1], " ")], text.slice(at[1], len(text.text)), false, true
		}
	}
	if len(text.spans) > 0 && text.spans[0].from == 0 && !strings.ContainsAny(text.part(text.spans[0]), "={#") {
		first := text.spans[0]
		marked, rest := strings.TrimSpace(text.part(first)), text.text[first.to:]
		trimmedRest := strings.TrimLeft(rest, " ")
		switch {
		case strings.HasSuffix(marked, ":") && !first.code:
			return strings.TrimRight(marked, ": "), trimmed(text.slice(first.to, len(text.text))), false, true
		case strings.HasPrefix(trimmedRest, ":"), strings.HasPrefix(trimmedRest, "= "):
			at := len(text.text) - len(trimmedRest) + 1
			return marked, trimmed(text.slice(at, len(text.text))), trimmedRest[0] == '=', true
		case slices.Contains([]string{"—", "–", "-", "→", "->"}, firstField(trimmedRest)):
			at := len(text.text) - len(trimmedRest) + strings.IndexByte(trimmedRest, ' ')
			if inside := strings.Index(marked, ": "); inside > 0 && !first.code { // "**Billing: on demand** — what it costs"
				return marked[:inside], text.slice(first.from+inside+2, len(text.text)), false, true
			}
			return marked, trimmed(text.slice(at, len(text.text))), false, true
		}
	}
	for _, form := range []*lazyregexp.Regexp{labelled, assigned} {
		if at := form.FindStringSubmatchIndex(text.text); at != nil {
			return ticked(text.slice(at[2], at[3])), text.slice(at[4], len(text.text)), form == assigned, true
		}
	}
	return "", inline{}, false, false
}

// keptFor matches for how long, or how, backups are kept: "35-day backup window", "continuous backups".
var keptFor = lazyregexp.New(`(?i)^(?:\d+[- ]days?\b|(?:continuous|automatic|daily) backups?\b|backups?\b)`)

// stated reports whether a value behind a sign of what was done is one: a name in backticks, a mode, or keys, and at most a bracket.
func stated(value inline) bool {
	text := ticked(value)
	items, rest := keyItems(text, true)
	sum := bareSum.FindStringSubmatch(text)
	return tickedAlone.MatchString(text) || modeAlone.MatchString(value.text) || len(items) > 0 && rest == "" && strings.Contains(text, "(") || sum != nil && purpose.MatchString(sum[3])
}

// isValue reports whether a line is a name and at most a bracket, in backticks or one word that says nothing else: `userId` (String), createdAt. Of what
// is no key a word of several parts alone is a name.
func isValue(line inline, of word) bool {
	word, _, _ := strings.Cut(line.text, " (")
	bare := variable.MatchString(line.text) && (roles[of] != "" || of == wPrimary || namedLike.MatchString(word)) && !isNone(word) && TypeOf(word) == "" && Presence(word) == "" && !phrase("undecided").MatchString(word) && !phrase("noName").MatchString(word)
	return bare || tickedAlone.MatchString(ticked(line))
}

// variable matches a word as names of attributes and tables are spelt, and at most a bracket.
var variable = lazyregexp.New(`^[a-z][\w.-]*(?: \([^()]*\))?$`)

var tickedAlone = lazyregexp.New("^`[^`]+`(?: \\([^()]*\\))?$")

// statementOf is the statement that a line is, without a label where it is none.
func statementOf(f *frame, line inline) statement {
	label, value, equals, is := split(line)
	if !is {
		label = ""
	}
	return statement{label, value, line.line, equals, f, false}
}

// segments are the statements of a line between its bars: "Table: `a` | Keys: PK, SK". Behind the name of a table
// they need no label.
func segments(line inline) []inline {
	all, ofTable := line.split(" | "), false
	for n, segment := range all {
		label, _, _, is := split(segment)
		if n == 0 && (!is || wordOf(label) == "" || wordOf(label) == wOrder) || n > 0 && !is && !ofTable {
			return line.settingsBehind()
		}
		ofTable = ofTable || wordOf(label) == wTable
	}
	return all
}

// settingsBehind are a line, and the settings of tables that are sentences of their own behind another: "Keys are frozen. Capacity: on demand for all tables".
func (i inline) settingsBehind() []inline {
	all, sentences := []inline{i}, i.split(". ")
	for _, sentence := range sentences[1:] {
		if label, _, equals, is := split(sentence); is && !equals && slices.Contains(settable, wordOf(label)) {
			all = append(all, sentence)
		}
	}
	return all
}

// indexAtFirst matches a line on an index, with its partition key: what follows in its paragraph goes on with it.
var indexAtFirst = lazyregexp.New(`(?i)^(?:the )?(?:gsi|lsi|(?:(?:global|local) )?secondary index)\b.*\b(?:pk|partition key|hash key)\b`)

// statements are all labels of a document with their values. They are looked for once, for what is read changes none of them.
func (r *reader) statements() (all []statement) {
	for n, b := range r.blocks {
		keys, _ := b.item()
		if b.kind == codeBlock && (b.frame.asks() && keys == nil || definesTable(b)) || b.goesOn {
			continue
		}
		for _, line := range b.lines() {
			for _, part := range segments(line) {
				label, value, equals, is := split(part)
				if spell(label) == "base table" && identifier.MatchString(value.text) && !genericKey.MatchString(value.text) {
					label = string(wTable) // "Base table: `orders`", and not "Base table: `PK`, `SK`"
				}
				if w := wordOf(label); is && (roles[w] != "" || slices.Contains(settings, w) || isIndexTitle(label)) && phrase("undecided").MatchString(ticked(value)) {
					r.unread(line.line, part.text, "nobody decided between values, or whether this is so")
				} else if is {
					all = append(all, statement{label, value, line.line, equals, b.frame, keys != nil})
				}
			}
		}
		if _, forms, _, is := split(b.text); is && b.kind == headingBlock && len(pairItems(forms.text)) > 0 {
			all = append(all, statementOf(b.frame, forms))
		}
		// A heading or label over one value.
		if f := b.frame; b.titles() && n+1 < len(r.blocks) {
			next := r.blocks[n+1]
			value, is := inline{}, false
			if lines := next.filled(); len(lines) == 1 {
				value, is = lines[0], true
			} else if next.kind == textBlock && next.alone && (next.text.marked() == next.text.text || wordOf(f.title.text) == wBilling && billingOf(next.text.text) != "" || slices.Contains(settable, wordOf(f.title.text)) && wordOf(f.title.text) != wTTL && len(strings.Fields(next.text.text)) < 4 && !weighs(next.text.text) || isValue(next.text, wordOf(f.title.text)) && !slices.Contains([]string{"key", "keys"}, spell(f.title.text))) ||
				next.kind == itemBlock && next.frame.parent == f && (slices.Contains(settable, wordOf(f.title.text)) || roles[wordOf(f.title.text)] != "") && len(next.text.code()) == 1 {
				value, is = next.text, true // "TTL" over "- Enabled on `gone`"
			}
			if is && wordOf(f.title.text) != "" {
				all = append(all, statement{f.title.text, value, value.line, false, f, false})
			}
		}
		if b.kind == gridBlock {
			all = append(all, r.settingRows(b)...)
		}
	}
	return all
}

// settable are the words of settings of a table.
var settable = []word{wBilling, wTTL, wStream, wPITR, wRegion}

// settings are the words of a table of settings.
var settings = []word{wHash, wRange, wTable, wIndex, wLocal, wProjection, wBilling, wTTL, wStream, wPITR, wRegion, wName, wPrimary}

// settingRows are the rows of a table of two columns, a setting and its value.
func (r *reader) settingRows(b *block) []statement {
	c := columnsOf(b)
	if all := b.cellStatements(); all != nil {
		return all
	}
	if r.isForms(b, c) {
		return r.formRows(b, c)
	}
	bare := len(c) == 2 && b.header[0].text+b.header[1].text == "" && isIndexTitle(ticked(b.frame.heading().title))
	rows := b.rows
	if len(c) == 2 && (c[0] == wName || c[0] == wTable) && c[1] == "" && len(rows) > 0 && roles[wordOf(rows[0][0].text)] == Hash && tableWord.MatchString(b.frame.heading().title.text) {
		bare, rows = true, slices.Concat([][]inline{{b.header[0].inCode("Table name"), b.header[1]}}, rows) // "Name | orders" over "Partition key | id"
	}
	if len(c) != 2 && !(len(c) == 3 && c[2] == wSilent) || !bare && (!slices.Contains([]word{wSetting, wEntity, wAttribute, wRole}, c[0]) && spell(b.header[0].text) != "resource" && !headless(b) || !slices.Contains([]word{wValue, wSilent, wPattern, wSetting}, c[1])) {
		return nil
	}
	var all []statement
	for _, row := range rows {
		if headless(b) && len(row[1].code()) == 0 {
			continue // "entity-prefixed, see below"
		}
		if _, role := keyOfIndex(row[0].text); role != "" || roleOfName(strings.Trim(row[0].text, "` ")) != "" || slices.Contains(settings, wordOf(row[0].text)) || isIndexTitle(ticked(row[0])) {
			all = append(all, statement{row[0].text, row[1], row[0].line, false, b.frame, false})
		}
	}
	return all
}

// headless reports whether the first column of a table has no head, and the words for the roles of keys below it: "| | Pattern |".
func headless(b *block) bool {
	return b.header[0].text == "" && len(b.rows) > 0 && !slices.ContainsFunc(b.rows, func(row []inline) bool { return roles[wordOf(row[0].text)] == "" })
}

// cellStatements are those that the first cells of a table of two columns are: "`PK`: `USER#{id}` | the user".
func (b *block) cellStatements() (all []statement) {
	for _, row := range b.rows {
		s := statementOf(b.frame, row[0])
		if len(b.header) == 2 && s.label != "" && (roles[wordOf(s.label)] != "" || roleOfName(s.label) != "") {
			all = append(all, s)
		}
	}
	return all
}

// formRows are the rows of key attributes with their types and forms: a statement for each cell but examples.
func (r *reader) formRows(b *block, c columns) (all []statement) {
	for _, row := range b.rows {
		if shown := strings.ContainsAny(rowText(row[1:]), "#{<") || phrase("fixedValue").MatchString(rowText(row[1:])); !shown { // a remark, or "(not used)"
			r.done[row[0].line] = true
		}
		var told []statement
		forms := 0
		for i, cell := range row {
			if i > 0 && c[i] != wExample && !isNone(cell.text) {
				told = append(told, statement{row[0].text, cell, cell.line, false, b.frame, false})
				if _, is := r.formOf(cell); is {
					forms++
				}
			}
		}
		if forms < 2 { // one of two is an example, and no header says which
			all = append(all, told...)
		}
	}
	return all
}

// schema reads keys, indexes and settings.
func (r *reader) schema() {
	// A table without a name is there before the indexes that stand above its keys.
	paired := r.pairedKeys()
	if len(r.all) == 0 && len(paired) > 0 {
		r.all = append(r.all, &Table{At: At{paired[0].line, Said}})
	} else if len(r.all) == 0 {
		if at, is := first(r.labelled, func(s statement) bool {
			return s.ofTable() || s.equals && s.frame.about() == topicKeys && len(s.label) == 2 && roleOfName(s.label) == Hash
		}); is {
			r.all = append(r.all, &Table{At: at.at()})
		} else if at, is := first(r.blocks, func(b *block) bool { // "Primary key:" over "`id` (HASH)"
			items, _ := keyItems(ticked(b.text), true) // with its role, or alone with its type
			told, _ := keyItems(ticked(b.text), false)
			return b.kind == itemBlock && len(items) == 1 && items[0].role == Hash && (len(told) > 0 || items[0].kind != "" && r.saysAnyDynamo()) && wordOf(b.frame.parent.title.text) == wPrimary && !r.relational && !b.frame.asks() && b.frame.about() != topicIndexes && b.frame.meant()
		}); is {
			r.all = append(r.all, &Table{At: at.frame.at(at.line)})
		}
	}
	for n, b := range r.blocks {
		if f := b.frame; b.kind == headingBlock || f.level >= labelLevel && f.title.line == b.line && (b.kind == textBlock || b.kind == itemBlock) {
			r.indexHeading(b, n)
		}
		switch b.kind {
		case gridBlock:
			r.schemaGrid(b)
		case codeBlock:
			if !r.definition(b) {
				r.keyNamesInFence(b)
			}
		}
	}
	// Under a heading of something else an index is that of the lines that follow without a gap.
	var running *Index
	var settings []statement // of a table without a name, which its keys make one
	last := statement{}
	for _, s := range r.labelled {
		if s.frame != last.frame || s.line != last.line+1 {
			running = nil
		}
		before := s.frame.index
		s.frame.index = cmp.Or(running, before)
		if slices.Contains(settable, wordOf(s.label)) {
			settings = append(settings, s)
		} else {
			r.state(s)
		}
		if running != nil && s.frame.index == running {
			s.frame.index = before
		}
		if before == nil && s.frame.index != nil && s.frame.level < labelLevel && s.frame.topic != topicIndexes && wordOf(s.frame.title.text) != wIndex {
			running, s.frame.index = s.frame.index, nil
		}
		last = s
	}
	for _, b := range r.blocks {
		if at := r.indexPlace(b.frame); b.kind == gridBlock && at != nil && len(at.index.Keys) == 0 && r.kindOf(b) == rolesGrid {
			r.schemaGrid(b) // of an index that a line between its title and its keys names
		}
		r.keySentences(inProse(b))
		r.memberKeys(b)
		r.genericRows(b)
	}
	if len(r.all) == 1 && len(r.all[0].Keys) == 0 {
		r.give(&r.all[0].Keys, r.all[0].Called(), r.all[0].At, paired...)
		r.all[0].weak = r.all[0].weak && len(paired) == 0
	}
	for _, general := range []bool{false, true} { // those of one table first
		for _, s := range settings {
			if r.general(s) == general {
				r.state(s)
			}
		}
	}
	for _, b := range r.blocks {
		r.settingSentences(inProse(b))
		r.settingsOfTables(b)
		for _, table := range r.all {
			if table.Line == b.line && table.Name != "" {
				r.settingsBehind(b, table)
			}
		}
	}
	for _, b := range r.blocks {
		var lines []inline
		switch {
		case (b.kind == textBlock || b.kind == itemBlock) && !b.goesOn:
			lines = b.lines()
		case b.kind == codeBlock && r.indexPlace(b.frame) != nil: // a fence of keys of an index
			lines = b.filled()
		}
		for _, line := range lines {
			for _, part := range segments(line) {
				if done := r.done[line.line]; !done || part.text != line.text {
					r.keyLine(b, part)
					r.done[line.line] = done || r.done[line.line]
				}
			}
		}
	}
}

// ofTable reports whether a statement gives a partition key, and no place says that it is an index's.
func (s statement) ofTable() bool {
	f := s.frame
	return roles[wordOf(s.label)] == Hash && !s.equals && !isNone(s.value.text) && !f.asks() && f.about() != topicIndexes && !f.unnamedIndex() &&
		f.up(func(f *frame) bool { return f.title.line != s.line && isIndexTitle(ticked(f.title)) }) == nil
}

// introduction is the line that a list begins with: "For production, consider:".
func (r *reader) introduction(b *block) string {
	at := slices.Index(r.blocks, b)
	for at > 0 && r.blocks[at].kind == itemBlock {
		at--
	}
	if text := r.blocks[max(at, 0)]; b.kind == itemBlock && text.kind == textBlock && strings.HasSuffix(text.text.text, ":") {
		return text.text.text
	}
	return ""
}

// typedName is the name of an attribute that a label is, and its type: "day (Number)". The name is empty for another label.
func (s statement) typedName() (name, kind string) {
	label := strings.ReplaceAll(s.label, "`", "")
	name, given := headOf(inline{text: label})
	switch {
	case name == label:
		return name, ""
	case label == name+" ("+given+")" && TypeOf(given) != "":
		return name, keyType(given)
	}
	return "", ""
}

// state reads one statement on a table or an index.
func (r *reader) state(s statement) {
	f, value := s.frame, s.value.text
	index, table := r.indexPlace(f), r.table(f)
	told := bracketed.ReplaceAllString(value, "")
	name, kind := s.typedName()
	marked := strings.HasPrefix(ticked(f.title), "`"+name+"`")
	called := wordOf(name) == "" || name == "id" || marked
	named := kind != "" || marked && r.ofOneTable() && !phrase("ofTeaching").MatchString(r.doc.Title)
	attribute := name != "" && (index != nil || called && !genericKey.MatchString(name) || named && roleOfName(name) == roles[wordOf(told)] && len(name) == 2) // "PK (String): Partition key"
	if role := roles[wordOf(told)]; role != "" && attribute && !genericKey.MatchString(told) && !s.equals && !f.asks() {
		if remarkOfRole.MatchString(told) && !(capitalRole.MatchString(told) && f.about() != topicAttributes && strings.HasPrefix(ticked(f.title), "`"+s.label+"`")) {
			return // "password: hash", "price: range"
		}
		kind = cmp.Or(kind, typeIn(strings.Trim(strings.TrimPrefix(value, told), "() ")))
		r.done[s.line] = r.setKey(f, s.line, keyItem{role: role, name: name, kind: kind}) // "`day`: sort key (Number)", "`day` (Number): sort key"
		return
	}
	if alone := marked && ttlAlone.MatchString(value); name != "" && (kind == "N" || kind == "" && alone) && table != nil && !table.expires() && !f.asks() && f.meant() && (alone || deletesBy(name, kind, value)) {
		table.TTL = keep(table.TTL, s.at(), name) // "`gone` (Number): TTL attribute"
		r.done[s.line] = true
		return
	}
	w := wordOf(s.label)
	if spell(s.label) == "primary" && genericPair.MatchString(value) {
		w = wPrimary // "Primary: PK, SK" beside "GSI1: GSI1PK, GSI1SK"
	}
	if w == wName && f.keyRole() != "" && f.level >= itemLevel {
		w = wAttribute // "Name: `id`" below "Partition key:"
	}
	switch w {
	case wIndexes:
		if r.indexSaid(ticked(s.value)).name != "" && table != nil && !f.asks() && !weighs(inTicks.ReplaceAllString(value, "")) { // "Indexes: `by-day` (partition key `day`)"
			r.done[s.line] = r.indexCell(table, s.value)
		} else if value == "" {
			r.done[s.line] = true
		} else if table != nil && isNone(value) {
			table.NoIndexes, r.done[s.line] = keep(table.NoIndexes, s.at(), value), true
		}
	case wIndex, wLocal, wName:
		r.nameIndex(s, w)
	case wHash, wRange:
		if !f.asks() || s.item {
			r.stateKey(s, roles[w])
		}
	case wPrimary:
		if !f.asks() {
			r.primaryKey(s)
		}
	case wAttribute, wType:
		if w == wAttribute && index != nil && projectionOf(value) == "ALL" { // "属性: すべて"
			r.project(index.index, s.value)
			return
		}
		if at := f.heading(); w == wAttribute && at != nil && wordOf(at.title.text) == wTTL && table != nil && tickedName.MatchString(ticked(s.value)) && r.ttlOfTable(at) { // below "TTL configuration"
			r.setting(table, wTTL, s)
			return
		}
		// "Attribute name: `id`" under the heading "Partition key".
		role := f.keyRole()
		if role == "" || isNone(value) {
			return
		}
		if name, is := leadOf(s.value); w == wAttribute && is {
			r.setKey(f, s.line, keyItem{role: role, name: name})
			r.done[s.line] = true
		} else if w == wType && keyType(value) != "" && table != nil && index == nil {
			for i := range table.Keys {
				if key := &table.Keys[i]; key.Role == role {
					key.Type, r.done[s.line] = keyType(value), true
				}
			}
		}
	case wValue: // "Format: `{shop}#{till}`" below the key
		if f.parent != nil && f.parent.level >= itemLevel {
			of := statementOf(f.parent, f.parent.title)
			if item, _, is := (keyItem{}).valued(ticked(of.value)); is && item.name != "" && roles[wordOf(of.label)] != "" {
				r.formatOf(s, item.name, s.label+": "+ticked(s.value))
			}
		}
	case wProjection:
		if index != nil {
			r.project(index.index, s.value)
		}
	case wBilling, wTTL, wStream, wPITR, wRegion:
		if w == wTTL && s.label == f.title.text && !r.ttlOfTable(f) {
			return
		}
		of, general := []*Table{table}, r.general(s) && (wholly.MatchString(value) || w == wTTL && tickedName.MatchString(ticked(s.value)))
		if all := r.ofAll(ofAllTables, value); !all && severalTables.MatchString(value) {
			of = nil // "on demand for all tables except `orders`"
		} else if table == nil && (all || general) {
			of = r.all
		}
		for _, each := range of {
			onDemand := w == wBilling && billingOf(value) == "PAY_PER_REQUEST" // which no index has apart from its table
			if each != nil && (index == nil || w == wTTL || onDemand) && !f.asks() && !(general && w == wBilling && len(each.Billing) > 0) {
				r.setting(each, w, s)
			}
		}
	case "":
		if f.asks() || f.about() == topicExamples {
			return
		}
		named := r.known(s.label)
		if mode, _, _ := strings.Cut(strings.NewReplacer(" -- ", " — ", " - ", " — ").Replace(value), " — "); named != nil && modeAlone.MatchString(mode) && !weighs(value) { // "Orders: on demand — few writes"
			r.setting(named, wBilling, s)
			return
		}
		names := strings.Split(strings.ReplaceAll(bracketed.ReplaceAllString(value, ""), ";", ","), ",")
		if named != nil && f.about() == topicIndexes && !slices.ContainsFunc(names, func(name string) bool { return !indexNamed.MatchString(strings.TrimSpace(name)) }) {
			for _, name := range names { // "orders: day-index, mail-index"
				named.addIndex(strings.TrimSpace(name), s.at())
			}
			r.done[s.line] = true
			return
		}
		if name, also := indexTitle(s.label); name != "" && f.level >= itemLevel && r.below[f] && identifier.MatchString(strings.TrimRight(value, " .")) && table != nil {
			if called := strings.TrimRight(value, " ."); s.namesIndex(called) {
				f.index = table.addIndex(called, s.at(), name) // "GSI1: by-day", with its keys below
				r.done[s.line] = true
			} else {
				f.index = table.addIndex(name, s.at(), also...) // "GSI1: sparse"
			}
		} else if name != "" && (!bareSum.MatchString(ticked(s.value)) || f.about() == topicIndexes || r.indexPlace(f) != nil || f.about() != topicOther && purpose.MatchString(bareSum.FindStringSubmatch(ticked(s.value))[3])) { // not "GSI2: storage + writes" among the costs
			items, behind := keyItems(ticked(s.value), true)
			if isGone(behind) {
				return
			}
			if own := genericName.FindAllString(value, -1); len(items) == 0 && len(own) == 2 && numberOf(own[0]) == strings.ToUpper(name) && numberOf(own[1]) == strings.ToUpper(name) && roleOfName(own[0]) == Hash && roleOfName(own[1]) == Range && !strings.Contains(value, "=") {
				items = inOrder(own...) // "GSI1: another way in, with GSI1PK and GSI1SK"
			}
			told := r.indexSaid(ticked(s.value)) // "GSI1: by-day (PK: day, SK: at)"
			if told.also = []string{name}; len(told.keys) == 0 || !bareNumber.MatchString(name) {
				told = r.indexSaid("`" + name + "`: " + ticked(s.value))
				told.also = also
			}
			if len(told.keys) > 0 {
				r.indexOf(s, told)
				return
			}
			if pairs := pairItems(ticked(s.value)); len(items) == 0 && len(pairs) > 0 {
				r.indexOf(s, indexLine{name: name, also: also, keys: r.calledByRole(pairs)})
				return
			}
			if len(items) > 0 {
				r.indexOf(s, indexLine{name: name, also: also, keys: items})
			} else if table != nil && f.about() == topicIndexes && (indexNamed.MatchString(name) || bareNumber.MatchString(name)) && r.indexPlace(f) == nil && f.meant() && !weighs(strings.Replace(value, "e.g.", "", 1)) && !phrase("notYet").MatchString(value) {
				table.addIndex(name, s.at(), also...) // "by-day-index: the orders of a day", whose keys are not said
			}
		} else if role := roleOfName(s.label); role != "" {
			r.genericLabel(f, s.line, keyItem{role: role, name: strings.Trim(s.label, "`* :"), kind: typeName.FindString(firstField(value))})
		}
	}
}

// ttlOfTable reports whether no line right below a title on TTL speaks of a store beside the table, or of what is to come.
func (r *reader) ttlOfTable(at *frame) bool {
	return at.meant() && !slices.ContainsFunc(r.blocks, func(b *block) bool {
		return b.frame.heading() == at && (ofOther(b.text) || phrase("besideTable").MatchString(b.text.text) || phrase("toCome").MatchString(b.text.text))
	}) && !at.titledBy(phrase("besideTable").MatchString)
}

// genericPair matches the names that only keys have, and nothing else.
var genericPair = lazyregexp.New(`^(?i:pk ?[,+/] ?sk)$`)

var tickedName = lazyregexp.New("^`[A-Za-z_][\\w.-]*`")

// deletesBy reports whether DynamoDB deletes by an attribute: what is said of it says so, or it is a number that is called so.
func deletesBy(name, kind, said string) bool {
	called := strings.EqualFold(name, "ttl") && kind == "N" && phrase("ttlTold").MatchString(said) && !phrase("besideTable").MatchString(said)
	return (called || ttlRemark.MatchString(said)) && !phrase("noneOf").MatchString(said)
}

// keyRole is the role of the key whose place it is, below "Partition key:", "" for none.
func (f *frame) keyRole() string {
	if at := f.up(func(f *frame) bool { return roles[wordOf(f.title.text)] != "" }); at != nil {
		return roles[wordOf(at.title.text)]
	}
	return ""
}

// general reports whether a statement is of all tables by the title of its place: "Capacity", "All tables have:". Another title may be that of a table,
// and a title that does not say that it is of all says nothing of what deletes their items.
func (r *reader) general(s statement) bool {
	title, w := s.frame.sectionTitle(), wordOf(s.label)
	ofAll := r.ofAll(ofAllTables, title)
	general := ofAll || generalTitle.MatchString(title) || s.frame.heading().level == 1 && titlesTables.MatchString(title) || spell(title) == "overview" && titlesTables.MatchString(r.doc.Title)
	return general && (w == wBilling || w == wPITR || w == wTTL && ofAll) && !phrase("exception").MatchString(title) && !phrase("optional").MatchString(title) && s.frame.sure() == Said &&
		s.frame.up(func(f *frame) bool { return f.table != nil }) == nil
}

// namesIndex reports whether the value beside the number of an index is its name: it stands in backticks, or is called as indexes are.
func (s statement) namesIndex(value string) bool {
	marked := strings.HasPrefix(ticked(s.value), "`") || indexNamed.MatchString(value) || calledBy.MatchString(value)
	return marked && !notIndexNames.MatchString(value) && projectionOf(value) == "" && billingOf(value) == ""
}

// setKey gives the index or table of a place key attributes.
func (r *reader) setKey(f *frame, line int, items ...keyItem) bool {
	r.keyLines[line] = true
	if at := r.indexPlace(f); at != nil {
		r.give(&at.index.Keys, at.index.Name, f.at(line), items...)
		return true
	}
	if r.above[f] != nil {
		return false // of an index of a table that no line names
	}
	if of := items[0].of; of != "" { // "GSI1 PK = `day`"
		table := r.table(f)
		if table == nil || !numberedIndex.MatchString(of) || f.about() == topicPatterns {
			return false
		}
		r.keyIndex(table, strings.Join(strings.Fields(of), ""), f.at(line), items...)
		return true
	}
	at := f.up(func(f *frame) bool {
		return f.table != nil || f.level < itemLevel || f.title.line != line && wordOf(f.title.text) == "" && topicOf(f.title.text) == noTopic && (strings.HasSuffix(f.title.text, ":") || f.title.marked() != "" && strings.HasPrefix(f.title.text, f.title.marked()))
	})
	ofKind := items[0].label && len(items[0].name) == 2 && f.about() == topicKeys && at != nil && !indexWord.MatchString(at.title.text) && !HasWord(at.title.text, "table") // "Cart:" over "PK = CART#{id}"
	of := f.sectionTitle()
	if at != nil && at.level >= itemLevel && r.ofAll(ofAllTables, at.title.text) {
		at, of = nil, at.title.text // "Each table has a composite key:"
	}
	if f.about() == topicIndexes && !r.listedKey(f, items) || f.unnamedIndex() || at != nil && at.level >= itemLevel && at.table == nil && !ofKind {
		return false // of an index that no line names, or of what the item above is called
	}
	if (unifiedKeys.MatchString(of) || r.ofAll(ofAllTables, of)) && len(r.all) > 1 && r.table(f) == nil {
		for _, each := range r.all {
			r.keyTable(each, f.at(line), items...)
			each.weak = false
		}
		return true
	}
	table := r.keyed(f, line)
	if table == nil || slices.ContainsFunc(items, func(i keyItem) bool { return numberOf(i.name) != "" }) {
		return false // GSI1PK is the key of no table
	}
	if hash, has := table.Key(Hash); has && table.Name == "" && hash.Line < line-1 && items[0].role == Hash && !genericKey.MatchString(items[0].name) {
		r.several = true // of another table, which no line names either
	}
	r.keyTable(table, f.at(line), items...)
	return true
}

// unifiedKeys matches a title over the keys of all tables that does not name the tables.
var unifiedKeys = lazyregexp.New(`(?i)^(?:unified|uniform) (?:primary |table )?(?:keys?|key (?:schema|structure|pattern|convention|design))s?$`)

// listedKey reports whether a list of the indexes of a table begins with its own key: "Indexes: Primary key, Sort key, GSI1".
func (r *reader) listedKey(f *frame, items []keyItem) bool {
	if f.level != itemLevel+1 || r.table(f) == nil {
		return false
	}
	label, _, _, _ := split(f.title)
	hash, has := r.table(f).Key(Hash)
	listed, first, index := 0, "", false
	for _, s := range r.labelled {
		if s.frame.parent == f.parent {
			if listed++; listed == 1 {
				first = s.label
			}
			index = index || isIndexTitle(s.label)
		}
	}
	if !secondary.MatchString(f.sectionTitle()) && listed > 1 && roles[wordOf(first)] == Hash && index {
		return true // "PK: `day`, GSI1: `mill`"
	}
	return spell(f.sectionTitle()) == "indexes" && (wordOf(label) == wPrimary || spell(label) == "primary" || has && items[0].role == Range && hash.Line == f.title.line-1)
}

// secondary matches the title of indexes among which the key of the table is none.
var secondary = lazyregexp.New(`(?i)\b(?:secondary|secund\pL+|GSIs?|LSIs?)\b`)

// unnamedIndex reports whether a place is in a section of an index that no form names.
func (f *frame) unnamedIndex() bool {
	own := f
	at := f.up(func(f *frame) bool {
		listed := f != own && f.level >= itemLevel && (topicOf(f.title.text) == topicIndexes || isIndexTitle(f.title.text)) // "GSIs" over "PK: `day`"
		return f.table != nil || f.index != nil || listed || f.level <= labelLevel && ofIndex.MatchString(f.title.text)
	})
	return at != nil && at.table == nil && at.index == nil
}

// stateKey reads "Partition key: `id` (String)" and "PK: `USER#{id}`".
func (r *reader) stateKey(s statement, role string) {
	ofIndex := indexWord.MatchString(firstField(spell(s.label))) && r.indexPlace(s.frame) == nil // "GSI PK": of which is not said
	if token, _ := leadOf(s.value); phrase("formatWord").MatchString(s.label) && strings.Contains(token+firstField(s.value.text), "#") {
		return // "SK format: `type#id`"
	}
	spelt := strings.Trim(strings.ReplaceAll(s.label, "`", ""), "* :")
	inside := bracket.FindStringSubmatch(strings.TrimLeft(spelt, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ "))
	if inside != nil && !genericKey.MatchString(inside[1]) {
		inside = nil // and no name of a key
	}
	if s.value.text == "" && inside != nil && len(inside[1]) == 2 && r.formsFollow(s) {
		r.setKey(s.frame, s.line, keyItem{role: role, name: inside[1], label: true}) // "Sort key (SK):" over the forms of the kinds of items
		r.done[s.line] = true
		return
	}
	if isNone(s.value.text) || ofIndex {
		r.done[s.line] = !ofIndex
		return
	}
	item, rest, is := keyItem{role: role}.valued(ticked(s.value))
	if pair := assigned.FindStringSubmatch(s.value.text); pair != nil && s.line != s.frame.title.line && !s.equals && wordOf(pair[1]) == "" && roleOfName(pair[1]) == "" { // "Partition key:" over "device = {user}#{serial}"
		item, rest, is = keyItem{role: role, name: pair[1]}, " (format: "+pair[2]+")", true
	}
	below := inline{} // "Sort key: by kind:" over "`SK = META`"
	if b := r.firstBelow(s); b != nil && strings.HasSuffix(s.value.text, ":") {
		below = b.text
	}
	for _, said := range []inline{s.value, below} {
		name, _, assigns := strings.Cut(strings.TrimPrefix(ticked(said), "`"), " = ")
		if assigns && ticked(said)[0] == '`' && len(name) == 2 && roleOfName(name) == role && !genericKey.MatchString(spelt) {
			r.setKey(s.frame, s.line, keyItem{role: role, name: name, label: true, line: said.line}) // "Partition key: `PK = <mail>`"
			return
		}
	}
	if s.equals && !s.item && genericKey.MatchString(s.label) && item.form == "" {
		return // "pk = recommendation" is a value
	}
	if label := strings.Trim(s.label, "`* "); strings.Contains(item.name, "#") && genericKey.MatchString(label) {
		if strings.HasPrefix(strings.TrimSpace(r.doc.Line(s.line)), "|") && len(label) == 2 {
			r.setKey(s.frame, s.line, keyItem{role: role, name: label, label: true}) // "pk | till#day", in a table of attributes
			delete(r.keyLines, s.line)
		}
		return // of "pk: till#day" it is not said whether that is the name
	}
	if inside != nil {
		spelt = inside[1]                 // "Partition Key (PK)"
		if numberOf(spelt) != "" && !is { // "Hash key (gsi1_pk): what it is for"
			item, rest, is = keyItem{role: role, name: spelt}, "", true
		} else if len(spelt) > 2 && item.name != "" && item.name != spelt && keyType(item.name) == "" {
			return // "Partition key (gsi1pk): `country`": which is the attribute, and which the value, is not said
		} else if len(spelt) == 2 && item.name != "" && item.name != spelt && keyType(item.name) == "" && r.listsAttribute(spelt) {
			item, rest = keyItem{role: role, name: spelt, kind: item.kind}, "" // "Partition key (pk): `till#day` (String)", and `pk` among the attributes
		}
	}
	before, behind, _ := strings.Cut(spelt, " ")
	told := roleIn(strings.Trim(behind, "()")) == role // "PK (partition key): the kind of item and its id"
	if strings.HasSuffix(s.label, ")") && behind == "" {
		told = r.pairLabel(s) // "Partition key (PK): the kind of item and its id"
	}
	told = told || wordOf(s.frame.home().title.text) == wPrimary && slices.Contains(s.frame.title.code(), before) && r.ofOneTable() // "`PK`: what it is", below "Primary key"
	if !is && told && len(before) == 2 && genericKey.MatchString(before) && !r.otherwise(before) {
		r.setKey(s.frame, s.line, keyItem{role: role, name: before, label: true})
		return
	}
	attribute := genericKey.MatchString(before) && roleOfName(before) == role
	if attribute && typeName.MatchString(item.name) && (item.kind == "" || item.name != strings.ToLower(item.name)) { // "PK: String", "PK: `String (S)`", and not "SK: `number` (N)"
		item.name, item.kind = before, keyType(item.name)
	}
	switch {
	case !is, orNone.MatchString(rest):
		return
	case attribute && len(before) == 2 && item.form == "" && roleOfName(item.name) == "" && r.besideForm(s): // "SK: shortCode" below "PK: user#{id}"
		r.setKey(s.frame, s.line, keyItem{role: role, name: before, label: true})
		delete(r.keyLines, s.line)
		return
	case andWords.MatchString(rest) && !strings.HasPrefix(ticked(s.value), "`") && !roleHead().MatchString(strings.TrimPrefix(rest, " and ")):
		return // "SK: Time and shelf"
	case item.form != "":
		if table := r.table(s.frame); s.equals && !s.item && table != nil && r.indexPlace(s.frame) == nil {
			if _, has := table.Key(role); has {
				return // an assignment names no other key
			}
		}
		if attribute && (len(before) > 2 || r.indexPlace(s.frame) == nil) { // of an index the attribute has another name
			named := []keyItem{{role: role, name: before, label: true}}
			if given := bracket.FindStringSubmatch(rest); given != nil { // "PK: CART#<id> (String)"
				named[0].kind = typeIn(given[1])
			}
			if other := keyPair.FindStringSubmatch(strings.TrimLeft(rest, " ,;|")); other != nil && role == Hash && roleOfName(other[1]) == Range {
				named = append(named, keyItem{role: Range, name: other[1], label: true}) // "PK: A#{a}  SK: B#{b}"
			}
			r.setKey(s.frame, s.line, named...)
			delete(r.keyLines, s.line)
			if of := r.table(s.frame); of != nil && remarkAlone(rest) && len(before) == 2 && len(item.form.Parameters()) > 0 && s.frame.heading().topic == topicKeys { // that of all kinds
				r.formats[typed{of, before}] = EntityKey{s.at(), before, item.form}
			}
		}
		return // the form is that of a kind of item
	}
	if at := r.indexPlace(s.frame); at != nil && numberOf(item.name) != "" && roleOfName(item.name) == role { // "PK: `GSI1PK` (millId)"
		_, behind, _ := strings.Cut(ticked(s.value), item.name)
		if of := bracket.FindStringSubmatch(strings.TrimLeft(behind, "`")); of != nil && attributeWord.MatchString(of[1]) && identifier.MatchString(of[1]) && wordOf(of[1]) == "" && keyType(of[1]) == "" {
			at.index.Templates = append(at.index.Templates, EntityKey{s.at(), item.name, itself(of[1])})
		}
	}
	others, rest := keyItems(rest, false)
	others = slices.DeleteFunc(others, func(other keyItem) bool { return other.role == role })
	r.done[s.line] = r.setKey(s.frame, s.line, append([]keyItem{item}, others...)...) && !keyWord.MatchString(rest) && !composed.MatchString(rest) && !strings.HasPrefix(strings.TrimSpace(rest), "=") && allNamed(others) || r.done[s.line]
	if behind := strings.TrimPrefix(ticked(s.value), "`"+item.name+"`"); formInBracket.MatchString(behind) {
		rest = behind
	}
	r.formatOf(s, item.name, rest)
}

// listsAttribute reports whether a list of attributes has one of that name.
func (r *reader) listsAttribute(name string) bool {
	return slices.ContainsFunc(r.labelled, func(s statement) bool {
		return strings.Trim(s.label, "`* ") == name && s.frame.about() == topicAttributes
	})
}

// formsFollow reports whether the list below a label begins with the form of a key.
func (r *reader) formsFollow(s statement) bool {
	first := r.firstBelow(s)
	return first != nil && isTemplate(first.text.marked()) && len(first.text.code()) > 0
}

// firstBelow is the first of the list below a label; nil where there is none.
func (r *reader) firstBelow(s statement) *block {
	next, _ := slices.BinarySearchFunc(r.blocks, s.line+1, func(b *block, line int) int { return cmp.Compare(b.line, line) })
	if next < len(r.blocks) && r.blocks[next].frame.parent == s.frame {
		return r.blocks[next]
	}
	return nil
}

var (
	// formBehind matches a form that stands alone behind the name of a key, and formInBracket one in a bracket.
	formBehind    = lazyregexp.New("^\\s*(?:-|—|–|:|→|=)\\s*(`[^`]+`|\"[^\"]+\")$")
	formInBracket = lazyregexp.New("^\\s*\\((`[^`]+`|\"[^\"]+\"|[A-Z][A-Z_]*#[<{$][^\\s()]*[>}])\\)$")
)

// besideForm reports whether the other key of a list, by the name that only keys have, is given the form of its values, as this one is then.
func (r *reader) besideForm(s statement) bool {
	return len(s.value.code()) == 0 && slices.ContainsFunc(r.labelled, func(other statement) bool {
		if other.line != s.line-1 && other.line != s.line+1 || other.frame.parent != s.frame.parent {
			return false
		}
		label := strings.Trim(other.label, "`* ")
		return len(label) == 2 && roleOfName(label) != "" && strings.Contains(other.value.text, "#") && placeholder.MatchString(other.value.text)
	})
}

// andWords matches words that go on from the first of a value.
var andWords = lazyregexp.New(`^ and \pL`)

// orNone matches what stands behind a key that only some have.
var orNone = lazyregexp.New(`(?i)^ or (?:none|nothing|no)\b`)

// otherKeys matches a line that gives the keys of what it names: "carts: shop(hash), day(range)".
var otherKeys = lazyregexp.New(`(?i)^\s*[a-z_]\w*(?: \([^)]*\))?: .*\w\((?:hash|partition key)\b`)

// keysOfOthers reports whether the document gives the keys of several tables, each behind its name, and this line has none.
func (r *reader) keysOfOthers(line int) bool {
	return r.keysByName && !otherKeys.MatchString(r.doc.Line(line))
}

// formatOf reads the form of a key's values behind its name and type: "`place` (String) - Format: `{shop}#{till}`".
func (r *reader) formatOf(s statement, name, behind string) {
	label, value, _, is := split(inline{line: s.line, text: strings.TrimLeft(behind, " -–—,;(")})
	if alone := formBehind.FindStringSubmatch(behind); !is && alone != nil { // "`place` (String) - `PLACE#{id}`"
		label, value.text, is = "format", alone[1], placeholder.MatchString(alone[1])
	}
	inside := formInBracket.FindStringSubmatch(behind)
	if inside != nil { // "`place` (`PLACE#{id}`)", "`part` (`META`)"
		label, value.text, is = "format", inside[1], placeholder.MatchString(inside[1]) || capitals.MatchString(strings.Trim(inside[1], "`\""))
	}
	token, used, _ := valueAt(value.text)
	form, whole := keyForm(token)
	if !is || wordOf(label) != wValue {
		return
	}
	if alike := formsOfKey(s.at(), name, ticked(value)); len(alike) > 1 && r.indexPlace(s.frame) == nil {
		r.formsBeside[typed{r.table(s.frame), name}] = alike
		return
	}
	if !whole || inside == nil && (form.Shape() == "{}" || len(form.Parameters()) == 0) || !formatEnd.MatchString(value.text[used:]) {
		return
	}
	key := EntityKey{s.at(), name, form}
	if at := r.indexPlace(s.frame); at != nil {
		if _, own := keyNamed(at.index.Keys, name); own && len(at.index.Templates) < len(at.index.Keys) {
			at.index.Templates = append(at.index.Templates, key)
			r.done[s.line] = true
		}
		return
	}
	of := typed{r.table(s.frame), name}
	if known, has := r.formats[of]; has && known.Template != form {
		key.Template = "" // of several kinds of items
	}
	r.formats[of] = key
}

// formsOfKey are the forms of a key that a text gives, one for each kind of items, and nothing else: "`META` or `LINE#{n}`".
func formsOfKey(at At, name, text string) (all []EntityKey) {
	text = strings.TrimSuffix(text, ".")
	form, behind, is := formAt(text)
	if !is {
		return nil
	}
	all, behind = formsBehind(EntityKey{at, name, form}, behind)
	if behind != "" {
		return nil
	}
	return append([]EntityKey{{at, name, form}}, all...)
}

// formAt is the whole form of a key that a text begins with, a template or a word in capitals, and what stands behind it.
func formAt(text string) (form Template, behind string, is bool) {
	token, used, is := valueAt(text)
	form, whole := keyForm(token)
	if !is || !whole || !isTemplate(token) && !capitals.MatchString(token) {
		return "", text, false
	}
	return form, strings.TrimPrefix(text[used:], "`"), true
}

// formsBehind are the forms of the same key that stand behind one, each behind "or" or a bar, and the text behind the last.
func formsBehind(key EntityKey, text string) (all []EntityKey, behind string) {
	for {
		before := alternative.FindString(text)
		form, behind, is := formAt(text[len(before):])
		if before == "" || !is {
			return all, text
		}
		all, text = append(all, EntityKey{key.At, key.Attribute, form}), behind
	}
}

// formatEnd matches what can stand behind a format: a bracket that ends, or an example.
var formatEnd = lazyregexp.New("(?i)^[` .)]*$|^`?[,;]? *\\(?(?:e\\.g\\.|for example|example|such as)")

// primaryKey reads "Primary key: `PK` (string), `SK` (string)".
func (r *reader) primaryKey(s statement) {
	items, rest := primaryItems(ticked(s.value))
	if pairs, table := pairItems(ticked(s.value)), r.table(s.frame); len(items) == 0 && len(pairs) == 2 && pairs[0].role == Hash && pairs[1].role == Range && table != nil && r.indexPlace(s.frame) == nil {
		if len(table.Keys) == 0 && len(pairs[0].name)+len(pairs[1].name) == 4 {
			r.setKey(s.frame, s.line, pairs...) // "Keys: `pk = CART#<id>`, `sk = META`"
			delete(r.keyLines, s.line)
		}
		return
	}
	if len(items) == 0 || s.equals || spell(s.label) == "key" && variableName.MatchString(items[0].name) && !genericKey.MatchString(items[0].name) { // "Key: `KMS_KEY`" is a variable
		return
	}
	r.setKey(s.frame, s.line, items...)
	if len(items) == 1 { // "Primary key: `PK` (String) - `USER#{id}`"
		r.formatOf(s, items[0].name, rest)
	}
	r.done[s.line] = len(strings.Trim(rest, " .")) < 2
}

// primaryItems are the keys of a primary key, and what follows them; one name is the partition key.
func primaryItems(text string) (items []keyItem, rest string) {
	if match := composite.FindStringSubmatch(text); match != nil {
		text = match[1] + match[2] // "Composite (PK + SK)"
	}
	if items, rest = keyItems(text, true); len(items) > 0 {
		return items, rest
	}
	if item, after, is := (keyItem{role: Hash}).valued(text); is && item.name != "" && clauseEnd.MatchString(after) {
		return []keyItem{item}, after
	}
	return nil, text
}

// genericLabel reads "GSI1PK: `TAG#{tag}`", or a name alone: what can only be the name of a key attribute.
func (r *reader) genericLabel(f *frame, line int, item keyItem) bool {
	at, number, lower := r.indexPlace(f), numberOf(item.name), strings.ToLower(item.name)
	item.kind = keyType(item.kind)
	switch table := r.table(f); {
	case strings.HasPrefix(lower, "pk") || strings.HasPrefix(lower, "sk"):
		return wordOf(f.title.text) == wPrimary && r.setKey(f, line, item)
	case at != nil:
		ofOther := table != nil && len(table.Indexes) > 1 && slices.ContainsFunc(table.Indexes, func(x *Index) bool { return x != at.index && x.names(number) })
		another := number != "" && !at.index.names(number) && slices.ContainsFunc(append(at.index.Also, at.index.Name), bareNumber.MatchString)
		if _, has := at.index.Key(item.role); !another && (at.index.names(number) || !has && !ofOther || table != nil && len(table.Indexes) == 1) {
			r.give(&at.index.Keys, at.index.Name, f.at(line), item)
		}
	case table != nil && number != "" && (f.about() == topicIndexes || indexWord.MatchString(f.sectionTitle())):
		r.keyIndex(table, number, f.at(line), item)
	case table != nil && item.kind != "": // "GSI1PK: String" among the attributes
		r.types[typed{table, item.name}], r.done[line] = item.kind, true
	}
	return true
}

// pairItems are the key attributes of the forms that a text begins with: "GSI1PK=DAY#<day>, GSI1SK=<at>".
func pairItems(text string) (items []keyItem) {
	for {
		text = text[len(separators.FindString(text)):]
		match := keyPair.FindStringSubmatch(text)
		if match == nil || roleOfName(match[1]) == "" {
			return items
		}
		token, used, is := valueAt(text[len(match[0]):])
		if !is {
			return items
		}
		items = append(items, keyItem{role: roleOfName(match[1]), name: match[1], form: Template(unquoted(token))})
		text = strings.TrimPrefix(text[len(match[0])+used:], "`")
	}
}

// calledByRole gives those keys of an index which a line calls by their roles the names of the attributes that it gives: "PK = mail". What is no attribute
// is the form of a value, and the key has a name that the line does not say.
func (r *reader) calledByRole(items []keyItem) []keyItem {
	lists := func(name string) bool {
		return slices.ContainsFunc(r.doc.Grids, func(g Grid) bool {
			return slices.ContainsFunc(g.Rows, func(row GridRow) bool { return slices.Contains(strings.Split(row.Cells[0], ", "), name) })
		}) || slices.ContainsFunc(r.labelled, func(s statement) bool { return strings.Trim(firstField(s.label), "`*:") == name })
	}
	var named []keyItem
	for _, item := range items {
		if len(item.name) > 2 {
			named = append(named, item)
		} else if name := string(item.form); identifier.MatchString(name) && lists(name) {
			named = append(named, keyItem{role: item.role, name: name})
		}
	}
	return named
}

// setting reads billing, TTL, stream, recovery and region of a table.
func (r *reader) setting(table *Table, w word, s statement) {
	value := strings.Trim(s.value.text, "`\"' ")
	if !strings.ContainsAny(value, "⛔🚫❌✗✖") { // "✅ Enabled"
		value = cmp.Or(withoutSigns(value), value)
	}
	done := isNone(value)
	if phrase("partly").MatchString(value) || phrase("toBe").MatchString(value) {
		return // of one environment, or of what is to come
	}
	switch w {
	case wBilling:
		if mode := billingOf(value); mode != "" && !eitherMode.MatchString(value) {
			table.Billing, done = append(table.Billing, Setting{s.at(), mode}), true
		}
	case wTTL:
		if turnedOff.MatchString(value) || offInBracket.MatchString(value) {
			return
		}
		token, is := leadOf(s.value)
		after := strings.TrimPrefix(s.value.text, token)
		given := ttlGiven.FindStringSubmatch(value)
		name := ""
		switch marked := s.value.code(); {
		case s.label == "TTL" && keyType(typeName.FindString(firstField(value))) == "N" && (len(strings.Fields(value)) == 1 || deletesBy(s.label, "N", value)): // "TTL: Number" among the attributes
			name = s.label
		case done:
			r.done[s.line] = true
			return
		case s.equals && s.label == "ttl" && !(tickedAlone.MatchString(ticked(s.value)) && identifier.MatchString(s.value.marked())):
			name = s.label // "`ttl` = `writtenAt + 3600`": by what its value is computed
		case len(marked) > 0 && variableName.MatchString(marked[0]): // of the environment
		case len(marked) > 0 && identifier.MatchString(marked[0]), spell(s.label) == "ttl attribute" && oddName.MatchString(ticked(s.value)):
			name = marked[0]
		case given != nil:
			name = given[1]
		case is && !ttlWords.MatchString(token) && TypeOf(token) == "" && (clauseEnd.MatchString(after) || strings.HasPrefix(after, " (")):
			name = token
		}
		if done = name != ""; done || expiresIn.MatchString(value) {
			table.TTL = keep(table.TTL, s.at(), name)
		}
	case wStream:
		if view := viewOf(value); view != "" && !done {
			table.Stream, done = keep(table.Stream, s.at(), view), true
		}
	case wPITR:
		if done = done || turnedOn.MatchString(value) || tickAlone.MatchString(value); done {
			table.PITR = keep(table.PITR, s.at(), map[bool]string{true: "disabled", false: "enabled"}[isNone(value)])
		}
	case wRegion:
		done = false
		if found := regionWord.FindStringIndex(value); found != nil && found[0] < 2 {
			table.Region, done = keep(table.Region, s.at(), regionWord.FindString(value)), true
		}
	}
	r.done[s.line] = r.done[s.line] || done
}

// eitherMode matches a choice of two modes: "PROVISIONED or PAY_PER_REQUEST".
var eitherMode = lazyregexp.New(`(?i)^(?:provisioned|pay[- _]per[- _]request|on[- ]demand)\W{1,4}(?:or\W{1,4})?(?:provisioned|pay[- _]per[- _]request|on[- ]demand)\b(?: \(default|$)`)

// oddName matches the name of an attribute that begins with a digit: "`14DayTTL`".
var oddName = lazyregexp.New("^`\\d+[A-Za-z]\\w*`$")

// keep returns a setting that another line gave before, or this one; a value fills an empty one.
func keep(old *Setting, at At, value string) *Setting {
	if old == nil || old.Value == "" && value != "" {
		return &Setting{at, value}
	}
	return old
}

// keyLine reads a line that is keys and nothing else: "`PK` (Partition Key)", "Partition key: **PK**
// (String). Sort key: **SK** (String)."
func (r *reader) keyLine(b *block, line inline) {
	f, text := b.frame, inQuote.ReplaceAllString(ticked(line), "`$1` (")
	table := r.table(f)
	if f.asks() || f.about() == topicExamples || strings.Count(text, ")") > strings.Count(text, "(") {
		return // or within a bracket that a line above begins
	}
	listed := b.kind == itemBlock && f.parent.about() == topicIndexes && r.indexPlace(f.parent) == nil
	if told := r.indexSaid(text); told.name != "" && f.about() != topicOther && (listed || isIndexTitle(told.name) || isIndexTitle(strings.SplitN(text, " (", 2)[0]) || len(told.also) > 0) { // "GSI1 (GSI1PK, GSI1SK)"
		r.indexOf(statement{line: line.line, frame: f}, told)
		return
	}
	if pair := pairOfIndex.FindStringSubmatch(text); pair != nil && r.bothOfIndex(f, line.line, text, pair[1:]) { // "`GSI1PK`, `GSI1SK` for the login"
		return
	}
	if name := line.marked(); name == line.text && numberOf(name) != "" && r.indexPlace(f) != nil && b.kind == itemBlock { // "- `GSI1PK`" below "GSI1"
		if r.genericLabel(f, line.line, keyItem{role: roleOfName(name), name: name}) {
			r.done[line.line] = true
		}
		return
	}
	if name, given := headOf(line); name != "" && wordOf(given) == wTTL && wordOf(name) == "" { // "expiresAt (TTL attribute)"
		if table != nil {
			table.TTL = keep(table.TTL, f.at(line.line), name)
		}
		return
	}
	head := text
	if at := remark.FindStringIndex(text); at != nil {
		head = text[:at[0]]
	}
	ofTable := f.parent != nil && f.parent.table != nil && r.indexPlace(f) == nil && len(head) < 40
	positional := ofTable || f.topic == topicKeys && f.level < labelLevel || wordOf(f.title.text) == wPrimary || f.parent != nil && f.level >= itemLevel && wordOf(f.parent.title.text) == wPrimary
	items, rest := keyItems(text, genericKeys.MatchString(text))
	if one, after := keyItems(text, true); len(items) == 0 && positional && b.kind == itemBlock && len(one) == 1 && one[0].kind != "" {
		if role := roleOfName(one[0].name); role != "" {
			one[0].role, items, rest = role, one, after
		} else if f.parent != nil && (wordOf(f.heading().title.text) == wPrimary || wordOf(f.parent.title.text) == wPrimary) && table != nil && !indexWord.MatchString(after) {
			// "`id` (String): ..." below "Primary key": the first is the partition key.
			one[0].role, items, rest = Hash, one, ""
			if hash, has := table.Key(Hash); has && hash.Name != one[0].name {
				one[0].role = Range
			}
		}
	}
	sentence := strings.HasPrefix(rest, " ") && strings.IndexFunc(rest, unicode.IsLetter) == 1 // "With a partition key `day` all rows ..."
	assigned := strings.HasPrefix(strings.TrimSpace(rest), "=")
	if generic := len(items) == 1 && genericKey.MatchString(items[0].name); len(items) > 0 && allNamed(items) && !sentence && !(table == nil && r.keysOfOthers(line.line)) && (!assigned || strings.HasPrefix(rest, " = `") || generic && strings.HasPrefix(rest, " = ")) && r.setKey(f, line.line, items...) {
		if assigned && generic {
			r.formatOf(statement{line: line.line, frame: f}, items[0].name, rest) // "Partition key `PK` = `CART#{id}`"
		}
		r.done[line.line] = len(strings.Trim(rest, " .—–-")) <= 3 || !strings.Contains(rest, "`")
		if strings.HasPrefix(rest, ": ") {
			delete(r.keyLines, line.line) // "GSI1PK (Hash): `EMAIL#{email}`" has its form too
		}
	}
}

// inQuote matches a name that stands in quotes, and the bracket behind it: "'sack_id' (partition key)".
var inQuote = lazyregexp.New(`^['"]([a-z][a-z0-9]*(?:[_A-Z]\w*)?)['"] \(`)

// pairOfIndex matches two names in backticks, and at most what they are for.
var pairOfIndex = lazyregexp.New("^`(\\w+)`(?:,| and| \\+|,? &| /) `(\\w+)`(?:$|:? for | ?[:(—–]| - )")

// bothOfLabel matches the names of both keys before a colon: "`GSI1PK`/`GSI1SK`: lists by type".
var bothOfLabel = lazyregexp.New("^`?(\\w+)`? ?[/,+&] ?`?(\\w+)`?$")

// bothOfIndex gives the index of a number both its keys, where a part on indexes names them.
func (r *reader) bothOfIndex(f *frame, line int, text string, names []string) bool {
	number, table, at := numberOf(names[0]), r.table(f), r.indexPlace(f)
	if number == "" || number != numberOf(names[1]) || roleOfName(names[0]) != Hash || roleOfName(names[1]) != Range || table == nil || weighs(text) || phrase("takenBack").MatchString(text) ||
		f.about() != topicIndexes && !indexWord.MatchString(f.heading().title.text) || at != nil && !at.index.names(number) {
		return false
	}
	r.keyIndex(table, number, f.at(line), inOrder(names...)...)
	r.done[line] = true
	return true
}

// allNamed reports whether each key has a name: "PK=same" has none.
func allNamed(items []keyItem) bool {
	return !slices.ContainsFunc(items, func(i keyItem) bool { return i.name == "" || i.name == "same" })
}

// keyNamesInFence reads a fence of bare names under "Primary key:" or "Global secondary indexes:",
// where each name tells its role.
func (r *reader) keyNamesInFence(b *block) {
	w := wordOf(b.frame.title.text)
	names := b.filled()
	if w != wPrimary && b.frame.topic != topicIndexes && w != wIndexes && r.indexPlace(b.frame) == nil || slices.ContainsFunc(names, func(name inline) bool { return roleOfName(name.text) == "" }) {
		return
	}
	for _, name := range names {
		if r.genericLabel(b.frame, name.line, keyItem{role: roleOfName(name.text), name: name.text}) {
			r.done[name.line] = true
		}
	}
}
