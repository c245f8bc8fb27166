package reader

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// Items: the forms of the keys of kinds of items, their attributes, and items that are written out.

// contents reads kinds of items.
func (r *reader) contents() {
	for _, w := range []word{wSparse, wAttributes, wTaxonomy} {
		for _, b := range r.blocks {
			if r.ofModel && b.kind == itemBlock {
				r.modelLine(b, w)
			}
		}
	}
	for n, b := range r.blocks {
		switch b.kind {
		case gridBlock:
			c := columnsOf(b)
			switch r.kindOf(b) {
			case attributesGrid, rolesGrid:
				r.attributeRows(b, c)
			case itemsGrid:
				r.itemRows(b, c)
			case settingsGrid:
				r.done[b.line] = true
				for _, s := range r.settingRows(b) {
					r.keyForms(b, s, false)
				}
			}
		case headingBlock:
			if !weighs(inTicks.ReplaceAllString(ticked(b.text), "")) && !phrase("asksTitle").MatchString(cleanTitle(b.text.text)) {
				r.keyForms(b, statementOf(b.frame, b.text), false)
			}
		case textBlock, itemBlock:
			for _, line := range b.lines() {
				line = r.inTwoKeys(b, line)
				if !r.kindBelowKey(b) && !r.keyForms(b, statementOf(b.frame, line), false) && b.kind == itemBlock {
					r.attributeItem(b)
				}
			}
		case codeBlock:
			if table := r.table(b.frame); definesTable(b) && table != nil {
				r.builtKinds(table, b)
			} else if !definesTable(b) && (n == 0 || !r.formsOfKinds(b, r.blocks[n-1]) && !r.formBelow(b, r.blocks[n-1])) {
				r.fence(b)
			}
		}
	}
	r.keysOfExamples()
	for _, x := range r.doc.Examples {
		for _, m := range x.Members {
			if genericKey.MatchString(m.Name) && !r.keyNames[m.Name] {
				r.unread(m.Line, m.Name+" = "+m.Text, "named like a key, and no line makes it one")
			}
		}
		r.fromExample(x, false)
	}
	for _, x := range r.shapes {
		r.fromExample(x, false)
		for n := x.Line; n <= x.Last && slices.ContainsFunc(r.doc.Entities, func(e *Entity) bool { return e.Line == x.Line }); n++ {
			r.done[n] = true
		}
	}
	r.doc.Entities = slices.DeleteFunc(r.doc.Entities, func(e *Entity) bool {
		asks := asksByVerb.MatchString(e.Title) || len(e.Keys) > 0 && ofAnyKind.MatchString(string(e.Keys[0].Template))
		for _, key := range e.Keys {
			r.done[key.Line] = r.done[key.Line] && !asks
		}
		return asks // the title of a request or a rule on forms, and no kind of item
	})
}

// twoForms matches the forms of both keys of a kind of item, and nothing else: "`CART#{id}` / `META`".
var twoForms = lazyregexp.New("^`([^`]+)` ?(?:/|,|\\+|&|\\||→|->|and) ?`([^`]+)`[.;]?$")

// inTwoKeys is the line of a list that has the forms of both keys alone, below a title on kinds of items or keys, with the names of the table's keys before them.
func (r *reader) inTwoKeys(b *block, line inline) inline {
	head, of := inline{line: line.line}, line
	if label, value, equals, is := split(line); is && !equals && (wordOf(label) == "" || wordOf(label) == wOrder) && roleOfName(label) == "" {
		head, of = inline{line: line.line, text: label + ": "}, value // "Cart: `CART#{id}` / `META`"
	}
	forms, table := twoForms.FindStringSubmatch(ticked(of)), r.tableOfKinds(b.frame)
	if b.kind != itemBlock || forms == nil || table == nil || !ofForms.MatchString(b.frame.heading().title.text) {
		return line
	}
	hash, has := table.Key(Hash)
	sort, both := table.Key(Range)
	for _, form := range forms[1:] {
		if !isTemplate(form) || genericKey.MatchString(form) || keyPair.MatchString(form) {
			return line
		}
	}
	if !has || !both || !strings.Contains(forms[1], "#") {
		return line
	}
	sign := ": "
	if head.text != "" {
		sign = "="
	}
	return head.followedBy(hash.Name+sign, line.inCode(forms[1])).followedBy(", "+sort.Name+sign, line.inCode(forms[2]))
}

// ofForms matches a title on the forms of keys: "Entity patterns", "Key patterns", "Items".
var ofForms = lazyregexp.New(`(?i)\b(?:entit(?:y|ies)|items?|keys?|records?)(?: (?:key|item|record))?(?: (?:patterns?|shapes?|types?|layouts?|formats?|schemas?|design|structure))?$`)

// keysOfExamples gives a table of which no line names a key those that its items have, PK and SK, where two or more are written out and each has both.
func (r *reader) keysOfExamples() {
	for _, table := range r.all {
		given, items := map[string]Member{}, 0
		one := len(table.Keys) == 0 // all items have both keys, and each by one name
		for _, x := range r.doc.Examples {
			own := map[string]Member{}
			for _, m := range x.Members {
				if role := roleOfName(m.Name); x.Of == table && len(m.Name) == 2 && role != "" && m.Type == "S" {
					own[role] = m
				}
			}
			for role, m := range own {
				if known, again := given[role]; !again {
					given[role] = m
				} else {
					one = one && known.Name == m.Name
				}
				one = one && len(own) == 2
			}
			items += len(own) / 2
		}
		if one && items > 1 {
			for _, role := range []string{Hash, Range} {
				r.keyTable(table, At{given[role].Line, Said}, keyItem{role: role, name: given[role].Name})
			}
			r.learnKeys()
		}
	}
}

// ofAnyKind matches the form of a partition key that stands for those of all kinds.
var ofAnyKind = lazyregexp.New(`(?i)^\{(?:(?:entity|item|object|record|table)[_-]?(?:type|kind|name|upper)?|type|kind|prefix)\}[#:|/]`)

// numberedKeys gives tables the indexes that only the keys of their items name: GSI1PK and GSI1SK are the keys of GSI1, and LSI1SK is the sort key of LSI1.
func (r *reader) numberedKeys() {
	give := func(f *frame, line int, item keyItem, text string) {
		name, table, number := item.name, r.table(f), numberOf(item.name)
		if number == "" || strings.Contains(name, "-") && !r.isCompared(name) || table == nil || table.NoIndexes != nil || f.about() == topicExamples || !f.meant() || weighs(inTicks.ReplaceAllString(text, "")) {
			return
		}
		index, known := first(table.Indexes, func(x *Index) bool { return x.names(number) })
		_, has := table.AnyKey(name)
		if known && !has {
			_, has = index.Key(roleOfName(name))
		}
		apart := known && len(index.Keys) == 1 && strings.HasPrefix(r.doc.Line(index.Line), "#") && r.indexPlace(f) == nil // its own section gives one key
		hash, keyed := table.Key(Hash)
		item.role = roleOfName(name)
		switch local := strings.HasPrefix(number, "LSI"); {
		case has, apart:
		case local && keyed && !known && item.role == Range: // which has the partition key of its table
			r.keyIndex(table, number, f.at(line), keyItem{role: Hash, name: hash.Name, kind: hash.Type, line: hash.Line}, item)
			table.Indexes[len(table.Indexes)-1].Local = true
		case known, item.role == Hash:
			r.keyIndex(table, number, f.at(line), item)
		}
	}
	for _, b := range r.blocks {
		if b.kind != gridBlock || b.frame.asks() && !b.writesKinds() {
			continue
		}
		switch c := columnsOf(b); r.kindOf(b) {
		case itemsGrid:
			for i, cell := range b.header {
				if slices.ContainsFunc(b.rows, func(row []inline) bool { return !isNone(row[i].text) }) { // of the key that no item has there is none
					give(b.frame, cell.line, keyItem{name: strings.Trim(firstField(cell.text), "`* ")}, cell.text)
				}
			}
			for _, row := range b.rows { // a column of "GSI1PK=DAY#<day>, GSI1SK=<at>"
				said := strings.Replace(ticked(joined(row)), ticked(c.cell(row, wAttributes)), "", 1) // "state (DRAFT|SENT)" weighs nothing
				for _, item := range pairItems(ticked(row[max(c.at(wIndex, wIndexes), 0)])) {
					give(b.frame, rowLine(row), keyItem{name: item.name}, said)
				}
			}
		case attributesGrid:
			for _, row := range b.rows {
				if name, _ := headOf(row[c.at(wAttribute, wName)]); len(row[c.at(wAttribute, wName)].code()) < 2 { // or both keys of an index
					give(b.frame, rowLine(row), keyItem{name: name}, r.doc.Line(rowLine(row)))
				}
			}
		}
	}
	for _, b := range r.blocks {
		if members := b.members(); len(members) > 0 && r.ofDesign(b) { // of a type
			table := r.table(b.frame)
			for _, line := range members {
				s := statementOf(b.frame, line)
				name, kind := s.typedName()
				kind = cmp.Or(kind, keyType(s.value.text))
				if of := (typed{table, name}); table != nil && r.types[of] == "" {
					r.types[of] = kind
				}
				give(b.frame, line.line, keyItem{name: name, kind: kind}, strings.ReplaceAll(r.doc.Line(line.line), "e.g.", ""))
			}
		}
	}
	for _, s := range r.labelled {
		if s.frame.asks() {
			continue
		}
		if both := bothOfLabel.FindStringSubmatch(s.label); both != nil && r.bothOfIndex(s.frame, s.line, s.value.text, both[1:]) {
			continue
		}
		token, _, _ := valueAt(ticked(s.value))
		if _, is := keyForm(token); is && (isTemplate(token) || len(s.value.code()) > 0) {
			give(s.frame, s.line, keyItem{name: strings.Trim(s.label, "`* :")}, r.doc.Line(s.line))
		}
		items := pairItems(strings.TrimLeft(ticked(s.value), "`"))
		if roleOfName(s.label) == Hash { // "PK=CART#{id} SK=META GSI1PK=DAY#{day}"
			items = pairItems(s.label + "=" + ticked(s.value))
		}
		ofKind := len(items) == 2 && numberOf(items[0].name) == numberOf(s.label) && numberOf(items[1].name) == numberOf(s.label) || len(items) > 2 && numberOf(items[0].name)+numberOf(items[1].name) == "" && !isIndexTitle(s.label) // "Cart: PK = .., SK = .., GSI1PK = .."
		if r.indexPlace(s.frame) != nil || ofKind {
			for _, item := range items {
				give(s.frame, s.line, keyItem{name: item.name}, r.doc.Line(s.line))
			}
		}
	}
}

// isCompared reports whether a line compares an attribute of that name, or of the other key of its index, which is no role then: "GSI1-PK = DAY#{day}".
func (r *reader) isCompared(name string) bool {
	stem := name[:len(name)-2]
	is, known := r.compared[stem]
	if !known {
		is = slices.ContainsFunc(r.doc.Text, func(line string) bool {
			_, behind, has := strings.Cut(line, stem)
			return has && len(behind) > 2 && roleOfName(stem+behind[:2]) != "" && strings.HasPrefix(strings.TrimLeft(behind[2:], "` "), "=")
		})
		r.compared[stem] = is
	}
	return is
}

// kind adds a kind of item; one without a title is called after a place.
func (r *reader) kind(entity *Entity, home *frame) *Entity {
	if entity.Title == "" {
		entity.Title = r.titleOf(home, entity.Table, entity)
	}
	r.doc.Entities = append(r.doc.Entities, entity)
	return entity
}

// itself is the form of a key whose value is that of an attribute.
func itself(name string) Template { return Template("{" + name + "}") }

// formsOfKinds reads a fence of "Orders: {date}#{orderId}" below a line that names one key attribute.
func (r *reader) formsOfKinds(b, above *block) bool {
	named := slices.DeleteFunc(strings.FieldsFunc(above.text.text, func(c rune) bool { return c > 127 || !nameByte(byte(c)) }), func(name string) bool { return !r.keyNames[name] && numberOf(name) == "" })
	slices.Sort(named)
	named = slices.Compact(named)
	table := r.table(b.frame)
	if len(named) != 1 || table == nil {
		return false
	}
	var found []*Entity
	for _, line := range b.lines() {
		e, _ := r.kindOfLine(table, named[0], b.frame.at(line.line), line)
		if e == nil {
			return false
		}
		found = append(found, e)
	}
	for _, e := range found {
		r.done[e.Line] = true
	}
	r.doc.Entities = append(r.doc.Entities, found...)
	return len(found) > 0
}

// kindBelowKey reads a line of a list below the line of a key, with the form that this key has in one kind of items: "Sort key: `SK`" over
// "Orders: `ORDER#{id}`".
func (r *reader) kindBelowKey(b *block) bool {
	above, table := b.frame.parent, r.table(b.frame)
	if b.kind != itemBlock || above == nil || above.level < itemLevel || table == nil || r.indexPlace(b.frame) != nil || !above.meant() || above.asks() {
		return false
	}
	of, _, _, _ := split(above.title)
	key, has := table.Key(cmp.Or(roles[wordOf(of)], roleOfName(strings.Trim(of, "`* "))))
	others := func(name string) bool { k, is := table.AnyKey(name); return is && k.Name != key.Name }
	if !has || slices.ContainsFunc(above.title.code(), others) || weighs(b.text.text) || phrase("outOfDesign").MatchString(b.text.text) {
		return false
	}
	e, rest := r.kindOfLine(table, key.Name, b.frame.at(b.line), b.text)
	if e == nil || !remarkAlone(rest) || topicOf(e.Title) != noTopic || phrase("notYet").MatchString(e.Title) {
		return false
	}
	r.doc.Entities, r.done[b.line] = append(r.doc.Entities, e), true
	return true
}

// kindOfLine is the kind of items that a line gives the form of a key, with what stands behind the form: "Orders: `ORDER#{id}`".
func (r *reader) kindOfLine(table *Table, key string, at At, line inline) (e *Entity, rest string) {
	label, value, equals, labels := split(line)
	if behind := formAhead.FindStringSubmatch(ticked(line)); behind != nil && !labels { // "`ORDER#{id}` - Orders"
		label, value = behind[2], inline{line: line.line, text: behind[1]}
	}
	token, used, _ := valueAt(value.text)
	form, is := keyForm(token)
	if !is || equals || !isTemplate(token) || r.keyOfLabel(table, label) != "" || wordOf(label) != "" {
		return nil, ""
	}
	return &Entity{At: at, Title: strings.Trim(cleanTitle(label), "`* "), Table: table, Keys: []EntityKey{{at, key, form}}}, strings.TrimSpace(value.text[used:])
}

// formAhead matches the form of a key before what has it.
var formAhead = lazyregexp.New("^`([^`]*#[^`]*)` (?:-|–|—) (\\pL[\\pL\\d '/-]{1,60})$")

// formTold matches words that end where the form of a key follows.
var formTold = lazyregexp.New(`(?i)\b(?:format|form|pattern|structure|layout|composed|composite|built)\b.*:$`)

// formBelow reads a fence that is the form of one key, below the words that name that key.
func (r *reader) formBelow(b, above *block) bool {
	lines, table := b.filled(), r.table(b.frame)
	if len(lines) != 1 || table == nil || above.kind == gridBlock || above.kind == codeBlock || !r.ofDesign(b) || !formTold.MatchString(above.text.text) {
		return false
	}
	named := slices.DeleteFunc(above.text.code(), func(name string) bool { _, own := table.AnyKey(name); return !own || genericKey.MatchString(name) })
	if len(named) == 1 {
		r.formatOf(statement{frame: b.frame, line: lines[0].line}, named[0], "format: `"+lines[0].text+"`")
	}
	return len(named) == 1
}

// entityAt returns the kind of item that a place speaks of, new or known.
func (r *reader) entityAt(f *frame, table *Table, line int) *Entity {
	at := f.up(func(f *frame) bool { return f.names() && f.index == nil || f.table != nil })
	if at == nil {
		at = f.up(func(f *frame) bool { return f.parent == nil })
	}
	if at.entity == nil || at.entity.Table != table {
		title := table.Called()
		if at.table == nil && at.names() {
			title = entityTitle(at.title.text)
		}
		at.entity = r.kind(&Entity{At: f.at(line), Title: title, Table: table}, f)
	}
	return at.entity
}

// entityTitle is the title of a kind of item without a remark in brackets.
func entityTitle(title string) string {
	before, _, _ := strings.Cut(cleanTitle(title), " (")
	if label, called, is := strings.Cut(before, ": "); is && wordOf(label) == wEntity { // "Entity: Session"
		before = called
	}
	return strings.Trim(before, "` :")
}

func (e *Entity) set(keys ...EntityKey) {
	for _, key := range keys {
		if valueFormat.MatchString(strings.Trim(string(key.Template), "{}")) && !genericKey.MatchString(key.Attribute) {
			key.Template = itself(key.Attribute) // "`day`: `YYYY-MM-DD`" says what the attribute is like
		}
		if _, has := e.Key(key.Attribute); !has {
			e.Keys = append(e.Keys, key)
		}
	}
}

// itself gives a kind of item the form of a key that is an attribute by a name of its own.
func (e *Entity) itself(at At, name string) {
	if _, isKey := e.Table.AnyKey(name); isKey && !genericKey.MatchString(name) {
		e.set(EntityKey{At: at, Attribute: name, Template: itself(name)})
	}
}

// typed gives a kind of item an attribute with what stands behind its name.
func (e *Entity) typed(at At, name, note string) {
	e.itself(at, name)
	e.attribute(Attribute{At: at, Name: name, Type: TypeOf(note), Note: note})
}

func (e *Entity) attribute(a Attribute) {
	if _, has := e.Attribute(a.Name); !has {
		e.Attributes = append(e.Attributes, a)
	}
}

// keyOfLabel is the key attribute that a label names, spelt as the table does or as "PK" does.
func (r *reader) keyOfLabel(table *Table, label string) string {
	name := strings.Trim(strings.ReplaceAll(label, "`", ""), "* :\"'")
	before, inside, _ := strings.Cut(name, " (")
	for n, each := range []string{name, before, strings.Trim(inside, ")")} {
		if _, own := table.AnyKey(each); own && (n == 0 || genericKey.MatchString(each)) {
			return each
		}
	}
	key, has := first(table.AllKeys(), func(k Key) bool { return genericKey.MatchString(before) && strings.EqualFold(k.Name, before) })
	if !has {
		key, _ = table.Key(roles[wordOf(name)])
	}
	return key.Name
}

var (
	keyPair = lazyregexp.New("^`?([A-Za-z_][A-Za-z0-9_.-]*)`?\\s*(?:=|:)\\s*")
	// joinsInWords matches what goes on with a value in words: "`CART#` and the id".
	joinsInWords = lazyregexp.New("(?i)^`? (?:and|plus) (?:the|an?|its) ")
	// pairEnd is what can stand behind the value of a key: nothing, a sign, or another key.
	pairEnd     = lazyregexp.New(`(?i)^\s*(?:$|[,;·+&|(→/#—–.]|- |->|=>|and\b|(?:(?:gsi|lsi)[-_]?\d*[-_]?)?[ps]k\d?\s*[=:]|[a-z_]\w*=\S)`)
	anotherForm = lazyregexp.New("^(?:(?:or|ou|oder|o|/) |[,|] *`[^`=]*`)")
	// attributeWord matches names that attributes have and constants do not.
	attributeWord = lazyregexp.New(`(?:^|_)(?:id|uuid|name|email|date|day|time|timestamp|at|key|code|number|slug|token|hash|sub)$|[a-z](?:I[dD]|Name|Email|Date|Day|Time|Timestamp|At|Key|Code|Number|Slug|Token|Hash|Sub)$`)
	// listEntry matches what stands between commas that no bracket holds.
	listEntry = lazyregexp.New(`(?:[^,(){}]|\((?:[^()]|\([^()]*\))*\)|\{[^{}]*\})+`)
	entryHead = lazyregexp.New("^`?([A-Za-z_][A-Za-z0-9_.]*(?:\\[\\])?)`?(\\?)?(?:\\s*\\(([^()]*)\\))?(?:\\s*=\\s*(\\S+))?$")
	remark    = lazyregexp.New(`: | - | — | – `)
	// kindOfItem matches the names of attributes that say which kind of item it is.
	kindOfItem  = lazyregexp.New(`(?i)(?:type|kind|entity)$`)
	writtenType = lazyregexp.New(`(?i)^(?:string|number|boolean|integer)\b`)
)

// pairs reads "`PK = USER#{id}`, `SK = PROFILE`": forms of key attributes and nothing else. The name of the first may
// be given, where its label has other words.
func (r *reader) pairs(table *Table, name, text string, line int) (keys []EntityKey, rest string) {
	rest = text
	for {
		after := rest
		if name == "" {
			at := strings.TrimPrefix(strings.TrimLeft(rest, " ,;·+&|"), "and ")
			match := keyPair.FindStringSubmatch(at)
			if match == nil {
				return keys, rest
			}
			name, after = r.keyOfLabel(table, match[1]), at[len(match[0]):]
		}
		token, used, is := valueAt(after)
		form, fits := formBeside(token, text)
		if name == "" || !is || !fits || form == "" || isNone(token) || strings.HasPrefix(strings.ToLower(after), "begins_with") || genericKey.MatchString(token) {
			return keys, rest
		}
		behind := after[used:]
		if strings.HasSuffix(token, ":") || strings.HasSuffix(string(form), "#") && joinsInWords.MatchString(behind) || strings.HasPrefix(behind, " ") && !pairEnd.MatchString(behind) {
			return nil, rest // a part of a value, or a sentence
		}
		if !strings.ContainsAny(token, "#{<[:\"'") && !capitals.MatchString(token) {
			if !identifier.MatchString(token) || formats.MatchString(token) || keyType(token) != "" || !attributeWord.MatchString(token) {
				return keys, rest
			}
			form = itself(token)
		}
		keys = append(keys, EntityKey{At: At{line, Said}, Attribute: name, Template: form})
		name, rest = "", strings.TrimPrefix(behind, "`")
	}
}

// constantBeside matches a value whose second part is a word in small letters, which is no parameter where those of its line are marked.
var constantBeside = lazyregexp.New(`^[A-Z][A-Z_]*#[a-z]+(?:_[a-z]+)*$`)

// formBeside is [keyForm] of a value in a line or row that marks its parameters: SETTINGS#risk_weights beside TENANT#{id}.
func formBeside(token, text string) (Template, bool) {
	form, fits := keyForm(token)
	if !fits && constantBeside.MatchString(token) && strings.ContainsAny(text, "{<") {
		return Template(token), true
	}
	return form, fits
}

// ofKeys are words that are no kind of item where keys stand behind them, as "Order" and "Note" are.
var ofKeys = map[word]bool{wHash: true, wRange: true, wPrimary: true, wTable: true, wIndex: true, wLocal: true, wCondition: true, wOperation: true, wSource: true, wPattern: true, wExample: true, wValue: true, wFilter: true, wIndexes: true}

func isIndexTitle(label string) bool { name, _ := indexTitle(label); return name != "" }

// ofIndex reports whether a line of a fence stands below the title of an index, "GSI1:", with no empty line between.
func (b *block) ofIndex(line int) bool {
	for n := line - b.line - 1; n >= 0 && n < len(b.code) && strings.TrimSpace(b.code[n]) != ""; n-- {
		if text := strings.TrimSpace(b.code[n]); strings.HasSuffix(text, ":") && isIndexTitle(text) {
			return true
		}
	}
	return false
}

// itemOperation matches an operation that is called after what it reads or writes: no kind of item is called so.
var itemOperation = lazyregexp.New("^`?(?:(?:Batch|Transact)?(?:Get|Write)|Put|Update|Delete)Items?`?$")

// keyForms reads a line of forms: with a title before them, or one or more that stand alone.
func (r *reader) keyForms(b *block, line statement, code bool) bool {
	f, table, label, value, equals := b.frame, r.tableOfKinds(b.frame), line.label, line.value, line.equals
	if label == "" || itemOperation.MatchString(label) || (f.asks() || f.about() == topicExamples) && !code || table == nil || r.keyLines[line.line] || f.unnamedIndex() || f.belowAnother(line.line) || numberOf(label) == "" && b.ofIndex(line.line) {
		return false
	}
	name := r.keyOfLabel(table, label)
	if at, role := r.indexPlace(f), roles[wordOf(label)]; at != nil && role != "" { // "SK" of an index is none of the table
		key, own := keyNamed(at.index.Keys, strings.Trim(label, "`* ")) // "PK" of an index whose sort key it is
		if !own {
			key, _ = at.index.Key(role)
		}
		if name = key.Name; name == "" || strings.Contains(label, "(") {
			return false
		}
	}
	keys, rest := r.pairs(table, name, ticked(value), line.line)
	if f.about() == topicExamples && len(keys) > 0 && !slices.ContainsFunc(keys, func(k EntityKey) bool { return len(k.Template.Parameters()) > 0 || genericKey.MatchString(k.Attribute) }) {
		return false // `class: "sensor"` is one of many
	}
	if rest = strings.TrimSpace(rest); name == "" {
		if title, _ := indexTitle(label); title != "" && !equals {
			return r.formsOf(table, title, keys, f.parent)
		}
		of := r.kindCalled(table, label)
		if spell(label) == "index keys" {
			of = f.entity // of the kind of item whose place it is
		}
		if of != nil && len(keys) > 0 && !equals && b.frame.meant() && !weighs(rest) && remarkOfKind.MatchString(rest) && !strings.Contains(rest, "=") && !slices.ContainsFunc(keys, func(k EntityKey) bool { _, own := table.KeyNamed(k.Attribute); return own }) {
			of.set(keys...) // "Cart: `GSI1PK = DAY#{day}` (only if open)"
			r.done[line.line] = len(rest) < 4
			return true
		}
		if at := r.indexPlace(f); at != nil && clauseEnd.MatchString(rest) && (wordOf(label) == wPrimary || !ofKeys[wordOf(label)] && topicOf(label) == noTopic) && !weighs(label) && at.index.formed(keys) { // "Orders by day: `GSI1PK = DAY#{day}`, `GSI1SK = {at}`"
			r.done[line.line] = len(rest) < 4
			return true
		}
		hash, _ := table.Key(Hash)
		half := hash.Name == "" || slices.ContainsFunc(table.Keys, func(k Key) bool { _, has := entityKey(keys, k.Name); return !has })
		// "Keys: PK = CART#{id}, SK = META" below the title of a kind.
		ofPlace := wordOf(label) == wPrimary && spell(label) != "key" && r.indexPlace(f) == nil && !r.requested(f)
		if equals || len(keys) == 0 || half || !clauseEnd.MatchString(rest) && !strings.HasPrefix(rest, "(") && !holdsBeside.MatchString(rest) || ofKeys[wordOf(label)] && (!ofPlace || weighs(rest)) || strings.Contains(rest, "=") { // or a key that is not read
			return false
		}
		title, home := strings.Trim(cleanTitle(label), "`* "), f
		if ofPlace {
			title, home = "", f.home()
		}
		home.entity = r.kind(&Entity{At: f.at(line.line), Title: title, Table: table, Keys: keys}, home)
		r.done[line.line] = len(rest) < 4
		return true
	}
	known := len(r.doc.Entities)
	others, behind := r.alternatives(table, keys, rest)
	keys, rest = append(keys, others...), behind
	if len(keys) > 0 && keys[0].Template.Shape() == "{}" && !genericKey.MatchString(name) || anotherForm.MatchString(rest) || keyOfItem.MatchString(rest) && len(table.Keys) > 1 {
		return false // an attribute of another name, one of two forms, or the other key, whose form is not read
	}
	if len(keys) == 0 || b.kind == textBlock && !remarkAlone(rest) {
		return false
	}
	sound := remarkAlone(rest)
	for _, key := range keys {
		key.At = f.at(line.line)
		sound = r.form(f, table, key) && sound
	}
	if len(others) > 0 {
		for _, kind := range r.doc.Entities[known:] { // the place is that of all of them
			kind.Title = cmp.Or(kind.called(table), kind.Title)
		}
	}
	r.done[line.line] = sound
	return true
}

// requested reports whether a line of the list in which a place is says what a request does.
func (r *reader) requested(f *frame) bool {
	return slices.ContainsFunc(r.labelled, func(s statement) bool {
		return s.frame.parent == f.parent && slices.Contains([]word{wOperation, wCondition, wFilter}, wordOf(s.label))
	})
}

// belowAnother reports whether a place stands below the item of a list whose title says that it is of no table, or shown so that nobody does it.
func (f *frame) belowAnother(line int) bool {
	return f.up(func(f *frame) bool {
		return f.level >= itemLevel && f.title.line != line && (phrase("warning").MatchString(f.title.text) || phrase("notInTable").MatchString(f.title.text))
	}) != nil
}

// holdsBeside matches what an item holds beside its keys: "`SK = META` with the total".
var holdsBeside = lazyregexp.New("^(?:with|holding|containing|storing|stores|holds) [^#`=]*$")

// remarkOfKind matches nothing, or what can stand behind the forms of a kind: a bracket, or what an index is for.
var remarkOfKind = lazyregexp.New(`^[ .;,]*(?:$|\(|→|->|=>|—|–|- )`)

// kindCalled is the only kind of item of a table with that title, nil for none or several.
func (r *reader) kindCalled(table *Table, title string) (found *Entity) {
	for _, e := range r.doc.Entities {
		if e.Table == table && e.Title == strings.Trim(cleanTitle(title), "`* ") {
			if found != nil {
				return nil
			}
			found = e
		}
	}
	return found
}

// alternatives are the other forms of a sort key that stand behind the first: "`META` or `LINE#{n}`", "META | LINE#{n}".
func (r *reader) alternatives(table *Table, keys []EntityKey, rest string) (others []EntityKey, behind string) {
	if len(keys) == 0 {
		return nil, rest
	}
	last := keys[len(keys)-1]
	if own, is := table.KeyNamed(last.Attribute); !is || own.Role != Range {
		return nil, rest
	}
	behind = bracketed.ReplaceAllStringFunc(rest, func(inside string) string { // "`META` (now) or `LINE#{n}` (each line)"
		if weighs(inside) || phrase("otherTime").MatchString(strings.Trim(inside, " (")) || strings.ContainsAny(inside, "#`{<0123456789") {
			return inside
		}
		return ""
	})
	others, behind = formsBehind(last, behind)
	kinds := map[string]bool{} // by the words that their forms begin with
	for _, key := range append([]EntityKey{last}, others...) {
		word, _, _ := strings.Cut(string(key.Template), "#")
		kinds[word] = true
	}
	if len(kinds) <= len(others) || strings.Trim(behind, " .`") != "" {
		return nil, rest // or values of one kind, and what a remark takes out
	}
	return others, behind
}

// alternative matches what stands between two forms of one key.
var alternative = lazyregexp.New("^`? ?(?:or |[|] |, or |, (?:and )?`)`?")

// formed gives the index forms that are those of all its keys, by names that only keys have, and of nothing else.
func (x *Index) formed(keys []EntityKey) bool {
	all := len(keys) > 0 && len(keys) == len(x.Keys) && !slices.ContainsFunc(x.Keys, func(own Key) bool {
		_, has := entityKey(keys, own.Name)
		return !has || !genericKey.MatchString(own.Name)
	})
	if all = all && slices.ContainsFunc(keys, func(key EntityKey) bool { return len(key.Template.Parameters()) > 0 }); all {
		x.Templates = append(x.Templates, keys...)
	}
	return all
}

// called is a kind of item by what its sort key begins with, or its partition key where that says of each item that it is the main one.
func (e *Entity) called(table *Table) (title string) {
	for _, key := range slices.Backward(table.Keys) {
		if form, has := e.Key(key.Name); has && (title == "" || mainOne.MatchString(title)) {
			title = cmp.Or(literalTitle(form.Template), title)
		}
	}
	for _, key := range slices.Backward(e.Keys) {
		title = cmp.Or(title, literalTitle(key.Template))
	}
	return title
}

// mainOne matches the sort key of an item that is the main one of its partition.
var mainOne = lazyregexp.New(`^(?:meta|metadata|info|details?|data|record|root|main|self)$`)

// formsOfIndex reads a fence of the forms of all keys of the index of its place, which a request has no need of.
func (r *reader) formsOfIndex(table *Table, b *block) bool {
	at, all := r.indexPlace(b.frame), []EntityKey{}
	for _, line := range b.filled() {
		keys, rest := r.pairs(table, "", line.text, line.line)
		if rest != "" {
			return false
		}
		all = append(all, keys...)
	}
	if at == nil || !b.frame.meant() || !at.index.formed(all) {
		return false
	}
	for _, key := range all {
		r.done[key.Line] = true
	}
	return true
}

// formsOf gives the index of a title the forms that stand behind it, or the kind of item in whose list they stand.
func (r *reader) formsOf(table *Table, title string, keys []EntityKey, list *frame) bool {
	index, is := first(table.Indexes, func(x *Index) bool { return x.names(title) })
	if !is || len(keys) == 0 || slices.ContainsFunc(keys, func(k EntityKey) bool { _, own := keyNamed(index.Keys, k.Attribute); return !own }) {
		return false
	}
	if list != nil && weighs(list.title.text) {
		return false
	}
	if is = len(index.Templates) == 0; is {
		index.Templates = keys
	}
	return is
}

// remarkAlone reports whether nothing but a remark stands behind the forms of a line: in a sentence they are of whatever
// it speaks of.
func remarkAlone(rest string) bool {
	return len(strings.Trim(rest, " .`")) < 3 || strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "—") || strings.HasPrefix(rest, "//")
}

// form gives the kind of item of a place the form of a key attribute, and returns false where no
// line says the rest of its key.
func (r *reader) form(f *frame, table *Table, key EntityKey) bool {
	of := table.Indexes
	if f.about() != topicIndexes && !indexWord.MatchString(f.sectionTitle()) {
		of = nil
	}
	if at := r.indexPlace(f); at != nil {
		of = append([]*Index{at.index}, of...)
	}
	if index, is := first(of, func(x *Index) bool {
		return slices.ContainsFunc(x.Keys, func(k Key) bool { return k.Name == key.Attribute })
	}); is {
		index.Templates = append(index.Templates, key)
		return true
	}
	home := f.home()
	own, isKey := table.KeyNamed(key.Attribute)
	_, sorted := table.Key(Range)
	switch {
	case isKey && own.Role == Hash && sorted:
		home.entity, home.partition = nil, &key
		f.partition = &key // of what is nested below this item
	case isKey:
		keys, line := []EntityKey{key}, key.Line
		if sorted {
			partition, ofAll := r.partitionOver(f, table, key.Line)
			if partition.Template == "" {
				return false
			}
			if keys = []EntityKey{partition, key}; !ofAll {
				line = min(line, partition.Line)
			}
		}
		home.entity = r.kind(&Entity{At: f.at(line), Table: table, Keys: keys}, home)
	default:
		at := f.up(func(f *frame) bool { return f.entity != nil || f.level < labelLevel })
		if at == nil || at.entity == nil || len(at.entity.Keys) == 0 || at.entity.Table != table {
			if f.about() == topicPatterns {
				return false // of which kind of item is not said
			}
			r.entityAt(f, table, key.Line).set(key)
			return true
		}
		at.entity.set(key)
	}
	return true
}

// partitionOver is the form of the partition key above a line of its place, where no line between begins with another, which no form reads; below an item
// that has none it is that of all kinds, which the part on keys has.
func (r *reader) partitionOver(f *frame, table *Table, line int) (form EntityKey, ofAll bool) {
	at := f.up(func(f *frame) bool { return f.partition != nil })
	if at == nil {
		if hash, _ := table.Key(Hash); f.level > itemLevel {
			form = r.formats[typed{table, hash.Name}]
		}
		return form, true
	}
	if slices.ContainsFunc(r.doc.Between(at.partition.Line+1, line-1), func(line string) bool {
		head := nameHead.FindStringSubmatch(strings.TrimLeft(line, " \t-*•"))
		return head != nil && strings.EqualFold(head[1], at.partition.Attribute)
	}) {
		return form, false
	}
	return *at.partition, false
}

// titleOf calls a kind of item after its section, or after the literal text of its key.
func (r *reader) titleOf(home *frame, table *Table, entity *Entity) string {
	if home.level >= itemLevel && home.topic == topicAttributes {
		return cmp.Or(entity.called(table), table.Called()) // "Attributes:"
	}
	called := cmp.Or(nameOfItem(home.title), home.title.text) // "**Lock records**: what they are for"
	if title := entityTitle(called); home.level >= itemLevel && !strings.ContainsAny(home.title.text, "=#{") && len(title) < 40 && title != "" {
		return title
	}
	at := home.up(func(f *frame) bool { return f.names() || f.level < labelLevel && f.topic != topicKeys })
	if at != nil && at.names() && at.level > 1 && at.table == nil && !slices.ContainsFunc(r.doc.Entities, func(e *Entity) bool { return e.Title == entityTitle(at.title.text) && !sameKeys(e, entity) }) {
		return entityTitle(at.title.text)
	}
	return cmp.Or(entity.called(table), table.Called())
}

// tableOfKinds is the table of the kinds of items in a place. Where no line names it, and all tables have keys of the same names, one without a name that has
// these keys stands for it.
func (r *reader) tableOfKinds(f *frame) *Table {
	if table := r.table(f); table != nil {
		return table
	}
	keyless := func(t *Table) bool {
		return len(t.Keys) == 0 || !slices.EqualFunc(t.Keys, r.all[0].Keys, func(a, b Key) bool { return a.Role == b.Role && a.Name == b.Name })
	}
	if len(r.all) < 2 || slices.ContainsFunc(r.all, keyless) || f.up(func(f *frame) bool { return f.index != nil || f.level > 1 && calledTable.MatchString(f.title.text) }) != nil {
		return nil
	}
	if r.shared == nil {
		r.shared = &Table{At: At{f.title.line, Said}, Keys: slices.Clone(r.all[0].Keys)}
	}
	return r.shared
}

// itemRows reads "Entity | PK | SK": each row is a kind of item.
func (r *reader) itemRows(b *block, c columns) {
	table, index, names := r.tableOfKinds(b.frame), r.indexPlace(b.frame), map[int]string{}
	gone := b.frame.titledBy(phrase("notBuilt").MatchString)
	options := slices.ContainsFunc(b.header, func(cell inline) bool { return phrase("ofOptions").MatchString(cell.text) })
	if table == nil || b.frame.asks() && !b.writesKinds() || gone || options || b.frame.sure() != Said {
		return
	}
	for i, cell := range b.header {
		if strings.Contains(cell.text, " / ") { // both keys, and cells that are no pairs
			r.unreadColumn(b, i, "no form reads a column of several keys")
			continue
		}
		name := r.keyOfLabel(table, strings.Fields(cell.text + " -")[0])
		key, has := table.Key(roles[c[i]])
		if index != nil {
			name = ""
			if key, has = keyNamed(index.index.Keys, strings.Trim(cell.text, "`* ")); !has { // of an inverted index PK is the sort key
				key, has = index.index.Key(roles[c[i]])
			}
		}
		if head := strings.Trim(cell.text, "`* "); genericKey.MatchString(head) && len(head) > 2 && name == "" && index == nil {
			r.unreadColumn(b, i, "named like a key, and no line makes it one")
		} else if name = cmp.Or(name, key.Name); name != "" && (has || index == nil) {
			names[i] = name
			if c[i] == "" { // "GSI1PK pattern"
				c[i] = wValue
			}
		}
	}
	forms := c.at(wIndex, wIndexes) // the column of pairs
	ofPairs := b.ofPairs(c.at(wValue, wPrimary))
	if ofPairs {
		forms = c.at(wValue, wPrimary)
	}
	if len(names) == 0 && !b.ofPairs(forms) || areValues(b, names) {
		return
	}
	rows, several := b.eachForm(names, table)
	beside := make([][]inline, len(rows)) // the other cells of a row, and of the rows below it that go on with it: "| — | — | GSI1PK `DAY#{day}` |"
	at := 0
	for n, row := range rows {
		own := false
		for i, cell := range row {
			own = own || names[i] != "" && !isNone(cell.text)
		}
		if own || ofPairs {
			at = n
		}
		for i, cell := range row {
			if names[i] == "" && i != forms {
				beside[at] = append(beside[at], withIndex(b.header[i], cell))
			}
		}
	}
	for n, row := range rows {
		if phrase("outOfDesign").MatchString(c.cell(row, wEntity).text) {
			continue
		}
		entity := &Entity{At: b.frame.at(rowLine(row)), Title: entityTitle(c.cell(row, wEntity).text), Table: table}
		sound := true
		for i, cell := range row {
			if names[i] == "" || isNone(cell.text) {
				continue
			}
			text := ticked(cell)
			token, used, is := valueAt(text)
			form, fits := formBeside(token, rowText(row))
			rest := strings.TrimSpace(strings.TrimPrefix(text[max(used, 0):], "`"))
			plain := !isTemplate(token) && identifier.MatchString(token) && !beginsAnother(b, token)
			if !is || !fits || plain || rest != "" && !strings.HasPrefix(rest, "(") && !strings.HasPrefix(rest, "—") {
				sound = false
				continue
			}
			entity.set(EntityKey{At: b.frame.at(cell.line), Attribute: names[i], Template: form})
		}
		if cell := row[max(forms, 0)]; forms >= 0 && !isNone(cell.text) {
			keys, rest := r.pairs(table, "", ticked(cell), cell.line)
			if ofIndex := withIndex(b.header[forms], cell); len(keys) == 0 && len(r.indexForms(table, ofIndex)) > 0 {
				beside[n] = append(beside[n], ofIndex)
			} else {
				entity.set(keys...)
				sound = sound && len(strings.Trim(rest, " .")) == 0
			}
		}
		if len(entity.Keys) > 0 && index == nil {
			for _, cell := range beside[n] {
				entity.set(r.indexForms(table, cell)...)
			}
		}
		whole := index != nil || !slices.ContainsFunc(table.Keys, func(k Key) bool { _, has := entity.Key(k.Name); return !has })
		if len(entity.Keys) > 0 && (sound && !ofPairs || whole) { // a row whose key is read in part is no kind of item
			r.listedIn(entity, c.cell(row, wAttributes))
			if several[rowLine(row)] {
				entity.Title = entity.called(table)
			} else if !c.has(wEntity) && len(b.rows) > 1 {
				if entity.Title = entity.called(table); names[0] == "" && (row[0].bold() || c[0] == wSilent && fewWords.MatchString(row[0].text)) { // its section is that of other kinds too
					entity.Title = cleanTitle(row[0].text)
				}
			}
			if index != nil && !c.has(wEntity) {
				sound = index.index.formed(entity.Keys) && sound // of whatever is in the index
			} else {
				r.kind(entity, b.frame)
			}
			r.sound(row, sound)
		}
	}
	r.unknown(b, c, wEntity, wHash, wRange, wValue, wPrimary, wAttributes, wPattern, wExample, wTable, wSetting, wIndex, wIndexes)
}

var (
	// keysOfIndex matches the forms of both keys of an index in a remark: "GSI2 keys `SHIP#{id}` / `DAY#{day}`", "GSI1: `PILOT#{id}` / the same sort key".
	keysOfIndex = lazyregexp.New("\\b([GL]SI-?\\d+)(?: keys?| uses)?:? `([^`]+)` / (?:`([^`]+)`|(the same sort key))")
	// keyAhead matches the name of an index's key before its form, without a sign between.
	keyAhead = lazyregexp.New("(^|[,;|(] ?|and )`?((?:GSI|LSI)[-_]?\\d+[-_]?[PS]K)`?:? `")
)

// withIndex is a cell that has the forms of both keys of an index, below GSI1 "`DAY#{day}` / `SACK#{id}`", with the index before them; any other as it stands.
func withIndex(head, cell inline) inline {
	told := joined([]inline{head, cell})
	if told.line = cell.line; bareNumber.MatchString(head.text) && keysOfIndex.MatchString(ticked(told)) {
		return told
	}
	return cell
}

// indexForms are the forms of keys of indexes in a cell beside the keys of the table.
func (r *reader) indexForms(table *Table, cell inline) (all []EntityKey) {
	text, sort := ticked(cell), ""
	for _, told := range keysOfIndex.FindAllStringSubmatch(text, -1) {
		index, _ := first(table.Indexes, func(x *Index) bool { return x.names(told[1]) })
		if index == nil {
			continue
		}
		if told[4] == "" {
			sort = told[3]
		}
		hash, _ := index.Key(Hash)
		ranged, _ := index.Key(Range)
		of, is := keyForm(told[2])
		by, fits := keyForm(sort)
		if is && fits && hash.Name != "" && ranged.Name != "" { // of half a key nothing is said
			at := At{cell.line, Said}
			all = append(all, EntityKey{At: at, Attribute: hash.Name, Template: of}, EntityKey{At: at, Attribute: ranged.Name, Template: by})
		}
	}
	if len(all) == 0 { // each key in its own pair of backticks, with words between: "every state: `GSI2PK=STATE#<state>`, `GSI2SK=<at>`"
		for _, part := range cell.code() {
			name, value, is := strings.Cut(part, "=")
			form, fits := keyForm(strings.TrimSpace(value))
			if _, known := table.AnyKey(strings.TrimSpace(name)); is && known && fits && numberOf(name) != "" {
				all = append(all, EntityKey{At: At{cell.line, Said}, Attribute: strings.TrimSpace(name), Template: form})
			}
		}
	}
	if at := keyAhead.FindStringSubmatchIndex(text); at != nil && len(all) == 0 {
		all, _ = r.pairs(table, "", keyAhead.ReplaceAllString(text[at[4]:], "$1$2=`"), cell.line)
	}
	return all
}

// fewWords matches a title of a few words in a column of purposes.
var fewWords = lazyregexp.New(`^[A-Z][a-z]+(?: [\w-]+){1,4}$`)

// formsApart matches a cell of several forms and nothing else: "`META` · `LINE#<n>`".
var formsApart = lazyregexp.New("^`[^`]+`(?:(?: (?:·|\\||/|or|and) |, )`[^`]+`)+$")

// eachForm are the rows of a table, that with several forms of the sort key once for each of them, and the lines of those: they are of so many kinds.
func (b *block) eachForm(names map[int]string, table *Table) (rows [][]inline, several map[int]bool) {
	several = map[int]bool{}
	for _, row := range b.rows {
		at := slices.IndexFunc(row, func(cell inline) bool { return formsApart.MatchString(ticked(cell)) })
		key, _ := table.KeyNamed(names[at])
		ofIndex := false
		for i, cell := range row {
			_, own := table.KeyNamed(names[i])
			ofIndex = ofIndex || names[i] != "" && !own && !isNone(cell.text)
		}
		if at < 0 || key.Role != Range || ofIndex {
			rows = append(rows, row)
			continue
		}
		for _, form := range row[at].code() {
			one := slices.Clone(row)
			one[at] = inline{line: row[at].line, text: form, spans: []span{{to: len(form), code: true}}}
			rows, several[rowLine(row)] = append(rows, one), true
		}
	}
	return rows, several
}

// beginsAnother reports whether a word is the literal beginning of another form of a table: "user"
// beside "user:{id}".
func beginsAnother(b *block, word string) bool {
	return slices.ContainsFunc(slices.Concat(b.rows...), func(cell inline) bool {
		rest, is := strings.CutPrefix(strings.Trim(cell.text, "` "), word)
		return is && rest != "" && strings.IndexByte(":#|/", rest[0]) >= 0
	})
}

func rowLine(row []inline) int {
	for _, cell := range row {
		if cell.line > 0 {
			return cell.line
		}
	}
	return 0
}

// areValues reports whether the rows of a table are single items, without any parameter: of no kind, or several of one that have numbers. Words
// alone are constants.
func areValues(b *block, names map[int]string) bool {
	c, kinds, numbers := columnsOf(b), map[string]bool{}, false
	for _, row := range b.rows {
		kinds[c.cell(row, wEntity).text] = true
		for i := range names {
			numbers = numbers || strings.ContainsAny(row[i].text, "0123456789")
		}
	}
	return len(b.header) > 2 && (!c.has(wEntity) || numbers && len(kinds) < len(b.rows)) && !slices.ContainsFunc(b.rows, func(row []inline) bool {
		for i := range names {
			if form, is := keyForm(row[i].text); is && strings.Contains(string(form), "#{") || placeholder.MatchString(row[i].text) {
				return true
			}
		}
		return false
	})
}

// listedIn reads attributes in a cell, between commas.
func (r *reader) listedIn(entity *Entity, cell inline) {
	text := ticked(cell)
	if strings.Trim(listEntry.ReplaceAllString(text, ""), ",") != "" {
		return // a bracket that is not closed
	}
	for _, each := range listEntry.FindAllString(text, -1) {
		r.entry(entity, strings.TrimSpace(each), cell.line)
	}
}

func (r *reader) entry(entity *Entity, text string, line int) {
	match := entryHead.FindStringSubmatch(text)
	if match == nil {
		return
	}
	key, own := entity.Table.AnyKey(match[1])
	form, is := keyForm(match[4])
	for _, remark := range strings.Split(match[3], ",") {
		if wordOf(remark) == wTTL {
			entity.Table.TTL = keep(entity.Table.TTL, At{line, Said}, match[1])
		} else if HasWord(remark, "TTL") {
			r.unread(line, text, "no form reads what is said of TTL")
		}
	}
	switch {
	case own && is:
		if isTemplate(match[4]) {
			entity.set(EntityKey{At: At{line, Said}, Attribute: match[1], Template: form})
		}
		if match[3] == "" {
			return
		}
	case own && match[4] != "":
		r.unread(line, text, "no form reads the value of this key")
	case !composed.MatchString(r.doc.Line(key.Line)):
		entity.itself(At{line, Said}, match[1])
	}
	entity.attribute(Attribute{At: At{line, Said}, Name: strings.TrimSuffix(match[1], "[]"), Type: TypeOf(match[3]), Note: match[3]})
}

// whole reports whether the value of a key is that of its attribute: neither its line nor a fence of
// the table has it as a part.
func (r *reader) whole(table *Table, key Key) bool {
	return !composed.MatchString(r.doc.Line(key.Line)) && !constantPart.MatchString(r.doc.Line(key.Line)) && !slices.ContainsFunc(r.blocks, func(b *block) bool {
		return HasWord(b.frame.sectionTitle(), table.Name) && strings.Contains(strings.Join(b.code, "\n"), "#{"+key.Name+"}")
	})
}

// constantPart matches a value of which a part is literal: `DAY#2026-08-15`.
var constantPart = lazyregexp.New("`[A-Z][A-Z_]*#\\w")

// ttlItem matches an attribute that is called ttl, and what is said of it.
var ttlItem = lazyregexp.New(`(?i)^([a-z_]\w*)(?: \((?:number|N)\))? ?[-–—:(] ?(.*)$`)

// attributeItem reads an attribute of a list: "`name` (String): what it is", or several.
func (r *reader) attributeItem(b *block) {
	f, table := b.frame.parent, r.table(b.frame)
	bare := entryHead.MatchString(b.text.text)
	if f == nil || f.about() != topicAttributes || table == nil || f.level >= itemLevel && strings.HasPrefix(ticked(f.title), "`") {
		return // or a value or member of the attribute above
	}
	if match := ttlItem.FindStringSubmatch(b.text.text); match != nil && !table.expires() && deletesBy(match[1], "N", match[2]) && f.meant() && !weighs(match[2]) {
		table.TTL = keep(table.TTL, b.frame.at(b.line), match[1])
	}
	if label, value, equals, is := split(b.text); is && !equals && identifier.MatchString(label) && TypeOf(value.text) != "" {
		r.entityAt(f, table, b.line).typed(b.frame.at(b.line), label, value.text)
		r.done[b.line] = true
		return
	}
	if !bare && (len(b.text.spans) == 0 || b.text.spans[0].from != 0) {
		return
	}
	entity := r.entityAt(f, table, b.line)
	head, known := ticked(b.text), len(entity.Attributes)
	if at := remark.FindStringIndex(head); at != nil {
		head = head[:at[0]]
	}
	r.listedIn(entity, inline{line: b.line, text: head})
	r.done[b.line] = bare || len(entity.Attributes) > known
}

// fence reads what a fence writes out: items, or forms of keys.
func (r *reader) fence(b *block) {
	found := slices.DeleteFunc(b.literals(), func(x *Example) bool {
		if _, request := x.Member("TableName"); request {
			return true // the input of a request is no item
		}
		ofTypes := x.ofTypes()
		if ofTypes && r.ofDesign(b) {
			x.Heading, x.Of = b.frame.itemTitle(), r.table(b.frame)
			r.shapes = append(r.shapes, x.typed())
		}
		return ofTypes
	})
	for _, x := range found {
		x.Heading, x.Of = b.frame.itemTitle(), r.table(b.frame)
		r.doc.Examples = append(r.doc.Examples, x)
		r.covered(b, x.Line-b.line, x.Last-b.line)
	}
	about, table := b.frame.about(), r.tableOfKinds(b.frame)
	keys, attributes := b.item()
	switch {
	case len(found) > 0 || table == nil:
	case keys != nil:
		r.itemFence(b, keys, attributes)
	case r.formsOfIndex(table, b):
	case about == topicPatterns || b.frame.requests() || about == topicIndexes && r.indexPlace(b.frame) == nil:
	case r.builtKinds(table, b):
	case len(b.members()) > 0:
		members := b.members()
		if !r.ofDesign(b) {
			return
		}
		for _, line := range members {
			s := statementOf(b.frame, line)
			if name, _ := s.typedName(); r.keyOfLabel(table, name) == name && name != "" {
				r.keyForms(b, s, true)
			}
		}
	case r.writtenOut(table, b.lines()):
		x := &Example{At: b.frame.at(b.line), Last: b.line + len(b.code) - 1, Heading: b.frame.itemTitle(), Of: table}
		for _, line := range b.lines() {
			x.member(statementOf(b.frame, line))
		}
		r.doc.Examples = append(r.doc.Examples, x)
		r.covered(b, 0, len(b.code)-1)
	default:
		for _, line := range b.lines() {
			r.keyForms(b, statementOf(b.frame, line), true)
		}
	}
}

var (
	// builtKind matches an object that a program calls by a name, or that a function of a name returns: const user = {, userKey: (id) => ({.
	builtKind = lazyregexp.New(`\b(\w+)(?: *: *[\w.<>, ]+)?\s*[=:]\s*(?:\([^()]*\)(?:\s*:[^={}\n]*)?\s*=>\s*)?\(?\{|\b(?:function|def) (\w+)\([^()]*\)[^{}]*\{(?:\s*return\s*\{)?`)
	// builtBeside matches the words of such a name that do not call the kind: get user key, order record. ofRequest matches what calls a request, or
	// what a request or a test has.
	builtBeside = lazyregexp.New(`(?i)^(?:get|build|make|create|compute|to|new) | (?:keys?|record)$`)
	ofRequest   = lazyregexp.New(`^(?:[kK]eys?|Item)$|\bTableName\b`)
	inRequest   = lazyregexp.New(`(?i)\b(?:cursor|start|last|exclusive|from|filter|before|after|expected|response|request|query|params?|input|next|prev\w*|page|where|args?|options?|config)\b`)
)

// builtKinds reads the kinds of items of which a program builds the keys: an object with a form for each key of the table, and no request.
func (r *reader) builtKinds(table *Table, b *block) bool {
	text, known := strings.Join(b.code, "\n"), len(r.doc.Entities)
	if !builtKind.MatchString(text) || !r.ofDesign(b) {
		return false
	}
	calls := sdkCall.MatchString(text) // which have their own form
	for _, at := range builtKind.FindAllStringSubmatchIndex(text, -1) {
		name, object := text[max(at[2], at[4]):max(at[3], at[5])], balanced(text[at[1]-1:])
		words := strings.ReplaceAll(inWord.ReplaceAllString(name, "$1 $2"), "_", " ")
		if line := b.line + strings.Count(text[:at[1]], "\n"); !ofRequest.MatchString(name) && !ofRequest.MatchString(object) && !weighs(words) && !phrase("operating").MatchString(words) && !inRequest.MatchString(words) {
			e := &Entity{At: b.frame.at(line), Title: builtBeside.ReplaceAllString(builtBeside.ReplaceAllString(words, ""), ""), Table: table}
			for _, match := range keyEntry.FindAllStringSubmatch(object, -1) {
				_, own := table.AnyKey(match[1])
				if _, again := e.Key(match[1]); again {
					e.Keys = nil // of several objects within this one
					break
				} else if form, is := keyForm(quotedValue(match[2])); own && is {
					e.set(EntityKey{At{line, Said}, match[1], form})
				}
			}
			hash, _ := table.Key(Hash)
			own, _ := e.Key(hash.Name)
			if own.Template.Prefix() != "" && len(own.Template.Parameters()) > 0 && !slices.ContainsFunc(table.Keys, func(k Key) bool { _, has := e.Key(k.Name); return !has }) {
				e.Title = cmp.Or(e.Title, e.called(table))
				if r.kind(e, b.frame); !calls {
					r.covered(b, line-b.line, line-b.line+strings.Count(object, "\n"))
				}
			}
		}
	}
	return len(r.doc.Entities) > known
}

// member adds a line of an item that is written out: "total: 7  # of all lines".
func (x *Example) member(s statement) {
	text := strings.Trim(remarked.ReplaceAllString(s.value.text, ""), " ,;")
	m := Member{Line: s.line, Name: strings.Trim(s.label, "\"'`"), Type: "S", Text: unquoted(text)}
	if number.MatchString(text) {
		m.Type = "N"
	} else if first, behind, is := strings.Cut(text, " + "); is { // "1712300000 + 7776000 (90 days)"
		one, err := strconv.Atoi(first)
		other, wrong := strconv.Atoi(firstField(behind))
		if err == nil && wrong == nil {
			m.Type, m.Text = "N", strconv.Itoa(one+other)
		}
	}
	if text != "null" {
		x.Members = append(x.Members, m)
	}
}

// writtenOut reports whether lines give the values of one item, with those of its other attributes: which part of a key
// they all have is not said.
func (r *reader) writtenOut(table *Table, lines []inline) bool {
	others := slices.ContainsFunc(lines, func(line inline) bool { label, _, _, _ := split(line); return r.keyOfLabel(table, label) == "" })
	defines := func(line inline) bool {
		label, _, _, is := split(line)
		w := wordOf(label)
		return is && (isIndexTitle(label) || w == wPrimary || w == wTable || roles[w] != "" && !genericKey.MatchString(label))
	}
	return others && !slices.ContainsFunc(lines, func(line inline) bool { return placeholder.MatchString(line.text) || defines(line) })
}

// fromExample makes a kind of item of one that is written out, where each part of its keys is a
// word in capitals or the value of one of its own members.
func (r *reader) fromExample(x *Example, asked bool) {
	for _, table := range r.all {
		if len(table.Keys) == 0 || x.Of != table {
			continue // of another table, or no line says of which
		}
		entity, complete, names := &Entity{At: At{x.Line, Said}, Title: entityTitle(x.Heading), Table: table}, true, map[string]bool{}
		for n, key := range table.AllKeys() {
			member, has := x.Member(key.Name)
			ofIndex := n >= len(table.Keys)
			if ofIndex && (!has || names[key.Name] || !genericKey.MatchString(key.Name)) {
				continue
			}
			form, is := generalised(member, x)
			if is && form.ofSample() {
				if told, has := r.formAsked(table, key.Name, member.Text); has && told.Shape() == form.Shape() {
					form = told // by the name that other lines have for it
				}
			}
			if !is && has && asked && genericKey.MatchString(key.Name) {
				form, is = r.formAsked(table, key.Name, member.Text)
			}
			if names[key.Name] = true; is {
				entity.Keys = append(entity.Keys, EntityKey{At: At{member.Line, Said}, Attribute: key.Name, Template: form})
				continue
			}
			if complete = complete && ofIndex; has && genericKey.MatchString(key.Name) && !asked {
				r.unread(member.Line, member.Name+" = "+member.Text, ofExample+"its form cannot be told from the item's other attributes")
			}
			if ofIndex {
				entity.attribute(Attribute{At: At{member.Line, Said}, Name: member.Name, Type: member.Type})
			}
		}
		kinds := slices.DeleteFunc(slices.Clone(r.doc.Entities), func(e *Entity) bool { return e.Table != table || !e.holds(x, table) })
		if complete && len(kinds) == 1 {
			kinds[0].merge(entity) // the keys of indexes
		}
		if !complete || len(kinds) > 0 {
			for _, key := range entity.Keys {
				if member, _ := x.Member(key.Attribute); len(kinds) == 0 && !placeholder.MatchString(member.Text) && !asked {
					r.unread(key.Line, key.Attribute+" = "+member.Text, ofExample+"the form of another key of the item cannot be told")
				}
			}
			continue
		}
		for _, m := range x.Members {
			if !names[m.Name] {
				entity.attribute(Attribute{At: At{m.Line, Said}, Name: m.Name, Type: m.Type})
			}
		}
		if asked {
			r.doc.Unread = slices.DeleteFunc(r.doc.Unread, func(u Unread) bool {
				return x.Line <= u.Line && u.Line <= x.Last && strings.HasPrefix(u.Why, ofExample)
			})
		}
		if slices.ContainsFunc(r.doc.Entities, func(e *Entity) bool { return e.Table == table && e.Title == entity.Title && !sameKeys(e, entity) }) {
			entity.Title = cmp.Or(entity.called(table), entity.Title) // the heading is that of the first
		}
		r.doc.Entities = append(r.doc.Entities, entity)
	}
}

// ofExample begins what is said of a key of an example whose form is not known.
const ofExample = "a key of an example: "

// formAsked is the form that requests of a list, or other kinds of items, give of a key with such a value; none where two of them do.
func (r *reader) formAsked(table *Table, attribute, text string) (found Template, is bool) {
	one := func(form Template, whole bool) {
		fits := form.Matches(text) && strings.Count(string(form), "#") == strings.Count(text, "#") && form.Prefix() != "" && (whole || len(form.Parameters()) > 0)
		if fits && found != "" && found.Shape() != form.Shape() {
			is = false
		} else if fits && found == "" {
			found, is = form, true
		}
	}
	for _, p := range r.doc.Patterns {
		formed := slices.ContainsFunc(p.Conditions, func(c Condition) bool { return len(c.Value.Parameters()) > 0 }) // and no request for one item
		for _, c := range p.Conditions {
			if p.Listed && p.Table == table.Name && c.Attribute == attribute && !c.Filter && c.Operator == "=" {
				one(c.Value, formed)
			}
		}
	}
	for _, e := range r.doc.Entities {
		if key, has := e.Key(attribute); has && e.Table == table {
			one(key.Template, false)
		}
	}
	return found, is
}

// ofTypes reports whether an object gives the types of members and no item: "id": "string (UUID)".
func (x *Example) ofTypes() bool {
	typed := slices.DeleteFunc(slices.Clone(x.Members), func(m Member) bool { return m.Type != "S" && m.Type != "" || !writtenType.MatchString(m.Text) })
	return len(typed) > 1
}

// typed is an object that gives the types of members, with these types in place of the texts that name them.
func (x *Example) typed() *Example {
	with := *x
	with.Members = slices.Clone(x.Members)
	for i, m := range with.Members {
		if kind := TypeOf(m.Text); (m.Type == "S" || m.Type == "") && kind != "" && !genericKey.MatchString(m.Name) {
			with.Members[i] = Member{Name: m.Name, Type: kind, Line: m.Line}
		}
	}
	return &with
}

// holds reports whether an example is of that kind.
func (e *Entity) holds(x *Example, table *Table) bool {
	return !slices.ContainsFunc(table.Keys, func(key Key) bool {
		own, known := e.Key(key.Name)
		member, has := x.Member(key.Name)
		return !known || !has || !own.Template.Matches(member.Text) || strings.Count(string(own.Template), "#") != strings.Count(member.Text, "#")
	})
}

// itemFence reads a fence that writes out a kind of item.
func (r *reader) itemFence(b *block, keys, attributes []inline) {
	known, shown := len(r.doc.Entities), sampled{}
	for _, line := range keys {
		_, value, _ := strings.Cut(line.text, ": ")
		shown.add(strings.Trim(value, "\"'"))
	}
	for _, line := range keys {
		if name, value, is := strings.Cut(line.text, ": "); is {
			if form, is := shown.form(strings.Trim(value, "\"'")); is { // "PK: SACK#sack123"
				line.text = name + ": " + string(form)
			}
		}
		r.keyForms(b, statementOf(b.frame, line), true)
	}
	if len(r.doc.Entities) == known {
		return
	}
	entity, depth := r.doc.Entities[len(r.doc.Entities)-1], 0
	indent := func(line inline) int {
		raw := b.code[line.line-b.line]
		return len(raw) - len(strings.TrimLeft(raw, " \t"))
	}
	if len(attributes) > 0 && attributesOf.MatchString(attributes[0].text) { // "Attributes: total, state," and lines that go on
		end := 1
		for end < len(attributes) && indent(attributes[end]) > indent(attributes[0]) {
			end++
		}
		_, listed, _, _ := split(joined(attributes[:end]))
		r.listedIn(entity, listed)
		for _, line := range attributes[:end] {
			r.done[line.line] = len(entity.Attributes) > 0
		}
		attributes = attributes[end:]
	}
	for _, line := range attributes {
		deeper := strings.Count(line.text, "{") + strings.Count(line.text, "[") - strings.Count(line.text, "}") - strings.Count(line.text, "]")
		if text := strings.TrimLeft(line.text, "-*• "); depth == 0 && keyOfItem.MatchString(text) {
			r.keyForms(b, statementOf(b.frame, inline{line: line.line, text: text}), true)
		}
		if match := attributeLine.FindStringSubmatch(line.text); match != nil && depth == 0 && !r.keyNames[match[1]] && indent(line) <= indent(attributes[0]) {
			entity.attribute(Attribute{At: b.frame.at(line.line), Name: match[1], Type: TypeOf(strings.TrimRight(match[3], "{[")), Note: match[3]})
			r.done[line.line] = deeper == 0
		}
		depth += deeper
	}
}

// generalised is the form of a key's value, of which the parts are words in capitals or values of
// exactly one other member.
func generalised(member Member, x *Example) (Template, bool) {
	shown := sampled{}
	for _, m := range x.Members {
		if genericKey.MatchString(m.Name) {
			shown.add(m.Text)
		}
	}
	if member.Type != "S" || !genericKey.MatchString(member.Name) || member.Text == "" {
		return "", false
	}
	if form, is := FormOf(member.Text); is && placeholder.MatchString(member.Text) {
		return form, true
	}
	parts, told := strings.Split(member.Text, "#"), false // by something else than samples
	for i, part := range parts {
		word := capitals.MatchString(part) && !strings.ContainsAny(part, "0123456789")
		if i == 0 && len(parts) > 1 && (word || part == "") {
			if slices.ContainsFunc(x.Members, func(m Member) bool {
				return word && m.Text == part && !kindOfItem.MatchString(m.Name) && !genericKey.MatchString(m.Name)
			}) {
				return "", false // or a state that another item does not have
			}
			told = true
			continue // the kind of item
		}
		if _, is := x.Member(part); is && !genericKey.MatchString(part) { // "USER#userId" beside userId
			parts[i], told = "{"+part+"}", true
			continue
		}
		name, several, called := "", false, i > 0 && capitals.MatchString(parts[i-1])
		ofKind := word && slices.ContainsFunc(x.Members, func(m Member) bool { return kindOfItem.MatchString(m.Name) && Plain(m.Text) == Plain(part) })
		for _, other := range flat(x.Members) {
			alike := other.Text == part || word && Plain(other.Text) == Plain(part) // PENDING beside the state "pending"
			if !alike || part == "" || other.Type != "S" && other.Type != "N" || genericKey.MatchString(other.Name) || word && kindOfItem.MatchString(other.Name) {
				continue
			}
			if ofKind {
				return "", false // the kind, or that value
			}
			// Of two with that value it is the one that the part before it names.
			if called && (Plain(other.Name) == Plain(parts[i-1]) || Plain(other.Name) == Plain(parts[i-1])+"id") {
				name, several = other.Name, false
				break
			}
			name, several = other.Name, name != ""
		}
		sample := shown[part]
		told = told || sample == ""
		switch {
		case name != "" && !several:
			parts[i], told = "{"+name+"}", true
		case sample != "":
			parts[i] = "{" + sample + "}"
		case !word || several, called && i == len(parts)-1 && !ofKind && !HasWord(strings.ToUpper(x.Heading), part): // or the value of CITY in CITY#OSLO
			return "", false
		}
	}
	return Template(strings.Join(parts, "#")), told
}

// flat are members with those of maps among them.
func flat(members []Member) (all []Member) {
	for _, m := range members {
		if all = append(all, m); m.Type == "M" {
			all = append(all, flat(m.Members)...)
		}
	}
	return all
}

// timestampAlone matches a timestamp of one item.
var timestampAlone = lazyregexp.New(`^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?$`)

type sample struct {
	form *lazyregexp.Regexp
	name string
}

// samples are the forms of what stands for a value that differs from item to item, and is no constant of a key, with what it is called then: the
// word before the digits of an id, or what kind of value it is.
var samples = []sample{
	{timestampAlone, "timestamp"},
	{lazyregexp.New(`^\d{4}-\d\d-\d\d$`), "date"},
	{lazyregexp.New(`(?i)^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$`), "uuid"},
	{lazyregexp.New(`^[\w.+-]+@\w+(?:[.-]\w+)*\.\w+$`), "email"},
	{lazyregexp.New(`^([a-z]+)(?:\d{3,}|[-_]\d{2,})$`), ""},
	{lazyregexp.New(`^([A-Z]{2,}?)-?\d{3,}$`), ""},
	{lazyregexp.New(`^\d{10,13}$`), "timestamp"},
	{lazyregexp.New(`^\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?$`), "time"},
}

// namesValue matches the name of an attribute in place of its value, as a constant is not written: user_id, startedAt.
var namesValue = lazyregexp.New(`^[a-z][a-z0-9]*(?:_(?:id|uuid|at|date|name|email|slug|timestamp)|Id|ID|Uuid|At|Date|Name|Email|Slug|Timestamp)$`)

// ofSample reports whether a form calls a parameter after what kind of value it is, and by no name of the text.
func (t Template) ofSample() bool {
	return slices.ContainsFunc(t.Parameters(), func(name string) bool {
		return slices.ContainsFunc(samples, func(s sample) bool { return s.name == name })
	})
}

// standard matches the number of a standard, which says of a part what it is like.
var standard = lazyregexp.New(`^(?:ISO|RFC|SHA|AES|RSA|BASE)-?\d+$`)

// sampled are the parts of the keys of one item that are its values, with the name of each: user123 is one and the same in all of them.
type sampled map[string]string

// add finds the samples of a key: user of USER#user123, and timestamp, but the second of two with one name is user2.
func (shown sampled) add(key string) {
	before := ""
	for _, part := range strings.Split(key, "#") {
		if namesValue.MatchString(part) {
			shown[part] = part
		}
		for _, sample := range samples {
			match := sample.form.FindStringSubmatch(part)
			if match == nil || shown[part] != "" || standard.MatchString(part) {
				continue
			}
			name := cmp.Or(sample.name, strings.ToLower(match[len(match)-1]))
			switch word := strings.ToLower(before); {
			case sample.name != "" || !capitals.MatchString(before):
			case strings.HasPrefix(word, name) || strings.HasPrefix(name, word) && len(word) > 2:
				name = word // COMPANY for comp in COMPANY#comp-01
			case len(name) < 4: // USER#abc123
				name = word + "Id"
			}
			taken := 1
			for _, other := range shown {
				if strings.TrimRight(other, "0123456789") == name {
					taken++
				}
			}
			if taken > 1 {
				name += strconv.Itoa(taken)
			}
			shown[part] = name
		}
		before = part
	}
}

// form is that of a key of which one part at least is a sample, and each other part, one at least, a word in capitals.
func (shown sampled) form(key string) (Template, bool) {
	parts, found, told := strings.Split(key, "#"), false, false
	for i, part := range parts {
		if name := shown[part]; name != "" {
			parts[i], found = "{"+name+"}", true
		} else if part != "" && (!capitals.MatchString(part) || strings.ContainsAny(part, "0123456789")) {
			return "", false
		} else {
			told = true
		}
	}
	return Template(strings.Join(parts, "#")), found && told
}
