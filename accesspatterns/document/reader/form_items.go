package reader

import (
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// Items: the forms of the keys of kinds of items, their attributes, and items that are written out.

// pendingKey is a form of a partition key for which no sort key was given yet.
type pendingKey struct {
	frame *frame
	table *Table
	key   EntityKey
	used  *bool
}

// contents reads kinds of items.
func (r *reader) contents() {
	for n, b := range r.blocks {
		if b.frame.foreign() {
			continue
		}
		about := b.frame.about()
		switch b.kind {
		case gridBlock:
			switch r.kindOf(b) {
			case attributesGrid:
				r.attributeRows(b, columnsOf(b))
			case itemsGrid:
				r.itemRows(b, columnsOf(b))
			case rolesGrid:
				r.roleForms(b, columnsOf(b))
				if len(b.rows) > 2 {
					r.attributeRows(b, columnsOf(b))
				}
			case formsGrid:
				r.keyFormRows(b, columnsOf(b))
			case settingsGrid:
				r.done[b.line] = true
			case noGrid:
				r.modelRows(b)
			}
		case textBlock, itemBlock:
			for _, line := range b.lines() {
				if about != topicPatterns && r.keyForms(b, line, false) {
					continue
				}
				if b.kind == itemBlock {
					r.attributeItem(b)
				}
			}
		case codeBlock:
			if !definesTable(b) && (n == 0 || !r.formsOfKinds(b, r.blocks[n-1])) {
				r.fence(b)
			}
		}
	}
	r.wholePartitions()
	for _, x := range r.doc.Examples {
		for _, m := range x.Members {
			if genericKey.MatchString(m.Name) && !r.keyNames[m.Name] {
				r.unread(m.Line, m.Name+" = "+m.Text, "named like a key, and no line makes it one")
			}
		}
		r.fromExample(x)
	}
}

// formsOfKinds reads a fence of "Orders: {date}#{orderId}" below a line that names one key attribute.
func (r *reader) formsOfKinds(b, above *block) bool {
	table := r.table(b.frame)
	attribute := ""
	for _, name := range strings.FieldsFunc(above.text.text, func(c rune) bool { return c > 127 || !nameByte(byte(c)) }) {
		if (r.keyNames[name] || numberOf(name) != "") && name != attribute {
			if attribute != "" {
				return false
			}
			attribute = name
		}
	}
	if attribute == "" || table == nil || above.kind == codeBlock {
		return false
	}
	var found []*Entity
	for _, line := range b.lines() {
		label, value, equals, is := split(line)
		token, _, valued := valueAt(value.text)
		form, fits := FormOf(token)
		if !is || equals || !valued || !fits || !isTemplate(token) || r.keyOfLabel(table, label) != "" || ofKeys[wordOf(label)] {
			return false
		}
		at := b.frame.at(line.line)
		found = append(found, &Entity{At: at, Title: label, Table: table, Keys: []EntityKey{{at, attribute, form}}})
	}
	for _, entity := range found {
		r.doc.Entities, r.done[entity.Line] = append(r.doc.Entities, entity), true
	}
	return len(found) > 0
}

// modelRows reads items that are written out as rows under the names of all key attributes.
func (r *reader) modelRows(b *block) {
	table := r.table(b.frame)
	if table == nil || len(table.Keys) == 0 || len(b.header) < 3 {
		return
	}
	names := map[int]string{}
	for i, cell := range b.header {
		if name := strings.Trim(cell.text, "`* "); r.keyNames[name] {
			names[i] = name
		}
	}
	if _, has := names[0]; has {
		r.sampleRows(b, names)
	}
}

// entityAt returns the kind of item that a place speaks of, new or known.
func (r *reader) entityAt(f *frame, table *Table, line int) *Entity {
	at := f.up(func(f *frame) bool { return f.names() && f.index == nil || f.table != nil })
	if at == nil {
		at = f.up(func(f *frame) bool { return f.parent == nil })
	}
	if at.entity != nil && at.entity.Table == table {
		return at.entity
	}
	title := nameOr(table)
	if at.table == nil && at.names() {
		title = entityTitle(at.title.text)
	}
	at.entity = &Entity{At: f.at(line), Title: title, Table: table}
	r.doc.Entities = append(r.doc.Entities, at.entity)
	return at.entity
}

// entityTitle is the title of a kind of item without a remark in brackets.
func entityTitle(title string) string {
	before, _, _ := strings.Cut(cleanTitle(title), " (")
	return strings.Trim(before, "` :")
}

func (e *Entity) set(key EntityKey) {
	for i := range e.Keys {
		if e.Keys[i].Attribute == key.Attribute {
			return
		}
	}
	e.Keys = append(e.Keys, key)
}

func (e *Entity) attribute(a Attribute) {
	for i := range e.Attributes {
		if own := &e.Attributes[i]; own.Name == a.Name {
			if own.Type == "" {
				own.Type = a.Type
			}
			return
		}
	}
	e.Attributes = append(e.Attributes, a)
}

// keyOfLabel is the key attribute that a label names, spelt as the table does or as "PK" does.
func (r *reader) keyOfLabel(table *Table, label string) string {
	name := strings.Trim(label, "`* :\"'")
	before, inside, _ := strings.Cut(name, " (")
	if table == nil {
		return ""
	}
	for n, each := range []string{name, before, strings.Trim(inside, ")")} {
		if _, own := table.AnyKey(each); own && (n == 0 || genericKey.MatchString(each)) {
			return each
		}
	}
	switch wordOf(name) {
	case wHash:
		key, _ := table.Key(Hash)
		return key.Name
	case wRange:
		key, _ := table.Key(Range)
		return key.Name
	}
	return ""
}

var keyPair = lazyregexp.New("^`?([A-Za-z_][A-Za-z0-9_.-]*)`?\\s*(?:=|:)\\s*")

// pairs reads "`PK = USER#{id}`, `SK = PROFILE`": forms of key attributes and nothing else.
func (r *reader) pairs(table *Table, text string, line int) (keys []EntityKey, rest string) {
	rest = text
	for {
		at := strings.TrimLeft(rest, " ,;·+&|")
		at = strings.TrimPrefix(at, "and ")
		match := keyPair.FindStringSubmatch(at)
		if match == nil {
			return keys, rest
		}
		name := r.keyOfLabel(table, match[1])
		after := at[len(match[0]):]
		token, used, is := valueAt(after)
		form, fits := FormOf(token)
		if name == "" || !is || !fits || isNone(token) || strings.HasPrefix(strings.ToLower(after), "begins_with") {
			return keys, rest
		}
		if genericKey.MatchString(token) {
			return keys, rest
		}
		if !strings.ContainsAny(token, "#{<[:\"'") && !capitals.MatchString(token) {
			if !identifier.MatchString(token) || formats.MatchString(token) {
				return keys, rest
			}
			form = Template("{" + token + "}")
		}
		keys = append(keys, EntityKey{At: At{line, Said}, Attribute: name, Template: form})
		rest = strings.TrimPrefix(after[used:], "`")
	}
}

// ofKeys are words that are no kind of item where keys stand behind them, as "Order" and "Note" are.
var ofKeys = map[word]bool{wHash: true, wRange: true, wPrimary: true, wTable: true, wIndex: true, wLocal: true, wCondition: true, wOperation: true, wSource: true, wPattern: true, wExample: true, wValue: true, wFilter: true, wIndexes: true}

func isIndexTitle(label string) bool { name, _ := indexTitle(label); return name != "" }

// keyForms reads a line of forms: with a title before them, or one or more that stand alone.
func (r *reader) keyForms(b *block, line inline, code bool) bool {
	f := b.frame
	if (f.about() == topicPatterns || f.about() == topicExamples) && !code {
		return false
	}
	table := r.table(f)
	if table == nil || r.keyLines[line.line] {
		return false
	}
	text := strings.TrimRight(ticked(line), ";,")
	if label, value, equals, is := split(line); is && !equals && r.keyOfLabel(table, label) == "" {
		if keys, rest := r.pairs(table, ticked(value), line.line); len(keys) > 0 && (clauseEnd.MatchString(rest) || strings.HasPrefix(rest, " (")) && !isIndexTitle(label) && !ofKeys[wordOf(label)] {
			entity := &Entity{At: f.at(line.line), Title: strings.Trim(cleanTitle(label), "`* "), Table: table}
			for _, key := range keys {
				entity.set(key)
			}
			r.doc.Entities = append(r.doc.Entities, entity)
			r.done[line.line] = len(rest) < 4
			return true
		}
		return false
	}
	label, value, _, is := split(line)
	var keys []EntityKey
	rest := ""
	if is {
		name := r.keyOfLabel(table, label)
		token, used, valued := valueAt(ticked(value))
		form, fits := FormOf(token)
		if name == "" || !valued || !fits || isNone(value.text) || genericKey.MatchString(token) && roleOfName(token) != "" {
			return false
		}
		if !isTemplate(token) && !strings.ContainsAny(token, "#{<[:\"'") {
			if !genericKey.MatchString(name) || !identifier.MatchString(token) {
				return false
			}
			if !capitals.MatchString(token) {
				form = Template("{" + token + "}")
			}
		}
		if form == "" || strings.Contains(token, ":") && !strings.ContainsAny(token, "{<#") {
			return false
		}
		keys = []EntityKey{{At: f.at(line.line), Attribute: name, Template: form}}
		after := strings.TrimPrefix(ticked(value)[used:], "`")
		if more, left := r.pairs(table, after, line.line); len(more) > 0 {
			keys, after = append(keys, more...), left
		}
		rest = strings.TrimSpace(after)
		if strings.HasPrefix(rest, "or ") || strings.HasPrefix(rest, "ou ") || strings.HasPrefix(rest, "/ ") {
			return false
		}
	} else {
		keys, rest = r.pairs(table, text, line.line)
	}
	if len(keys) == 0 {
		return false
	}
	for _, key := range keys {
		r.form(f, table, key)
	}
	r.done[line.line] = len(strings.Trim(rest, " .`")) < 3 || strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "—") || strings.HasPrefix(rest, "//")
	return true
}

// form gives the kind of item of a place the form of a key attribute.
func (r *reader) form(f *frame, table *Table, key EntityKey) {
	key.Sure = f.sure()
	if at := r.indexPlace(f); at != nil {
		if slices.ContainsFunc(at.index.Keys, func(k Key) bool { return k.Name == key.Attribute }) {
			at.index.Templates = append(at.index.Templates, key)
			return
		}
	}
	if f.about() == topicIndexes || indexWord.MatchString(f.sectionTitle()) {
		for _, index := range table.Indexes {
			if slices.ContainsFunc(index.Keys, func(k Key) bool { return k.Name == key.Attribute }) {
				index.Templates = append(index.Templates, key)
				return
			}
		}
	}
	home := f
	if f.level >= itemLevel && f.parent != nil {
		home = f.parent
	}
	own, isKey := table.KeyNamed(key.Attribute)
	_, sorted := table.Key(Range)
	switch {
	case isKey && own.Role == Hash && sorted:
		home.partition = &key
		used := false
		r.pending = append(r.pending, pendingKey{home, table, key, &used})
		home.entity = nil
		if f != home {
			// what is nested below this item
			f.partition = &key
		}
	case isKey:
		var keys []EntityKey
		if sorted {
			at := f.up(func(f *frame) bool { return f.partition != nil })
			if at == nil {
				return
			}
			keys = append(keys, *at.partition)
			for i := range r.pending {
				if r.pending[i].key == *at.partition {
					*r.pending[i].used = true
				}
			}
		}
		entity := &Entity{At: f.at(key.Line), Table: table, Keys: append(keys, key)}
		entity.Title = r.titleOf(home, table, entity)
		if entity.Line > entity.Keys[0].Line {
			entity.Line = entity.Keys[0].Line
		}
		home.entity = entity
		r.doc.Entities = append(r.doc.Entities, entity)
	default:
		if at := f.up(func(f *frame) bool { return f.entity != nil || f.level < labelLevel }); at != nil && at.entity != nil && len(at.entity.Keys) > 0 && at.entity.Table == table {
			at.entity.set(key)
		} else {
			r.entityAt(f, table, key.Line).set(key)
		}
	}
}

// titleOf calls a kind of item after its section, or after the literal text of its key.
func (r *reader) titleOf(home *frame, table *Table, entity *Entity) string {
	if r.caption != "" {
		return r.caption
	}
	if home.level >= itemLevel && !strings.ContainsAny(home.title.text, "=#{") && len(home.title.text) < 40 && home.title.text != "" {
		return entityTitle(home.title.text)
	}
	at := home.up(func(f *frame) bool { return f.names() || f.level < labelLevel && f.topic != topicKeys })
	if at != nil && at.names() && at.table == nil && !slices.ContainsFunc(r.doc.Entities, func(e *Entity) bool { return e.Title == entityTitle(at.title.text) && !sameKeys(e, entity) }) {
		return entityTitle(at.title.text)
	}
	for i := len(entity.Keys) - 1; i >= 0; i-- {
		if literal := strings.Trim(entity.Keys[i].Template.Prefix(), "#:|/_"); literal != "" {
			return strings.ToLower(literal)
		}
	}
	return nameOr(table)
}

// wholePartitions makes kinds of items of partition keys that no sort key followed.
func (r *reader) wholePartitions() {
	for _, p := range r.pending {
		if *p.used {
			continue
		}
		entity := &Entity{At: p.key.At, Table: p.table, Keys: []EntityKey{p.key}}
		entity.Title = r.titleOf(p.frame, p.table, entity)
		r.doc.Entities = append(r.doc.Entities, entity)
	}
}

// itemRows reads "Entity | PK | SK": each row is a kind of item.
func (r *reader) itemRows(b *block, c columns) {
	table := r.table(b.frame)
	if cell := c.at(wTable); table == nil && cell < 0 || b.frame.about() == topicPatterns {
		return
	}
	index := r.indexPlace(b.frame)
	names := map[int]string{}
	if table != nil {
		for i, cell := range b.header {
			if name := r.keyOfLabel(table, strings.Fields(cell.text + " -")[0]); name != "" && index == nil {
				names[i] = name
			} else if w := c[i]; index != nil && (w == wHash || w == wRange) {
				if key, has := index.index.Key(roles[w]); has {
					names[i] = key.Name
				}
			} else if w == wHash || w == wRange {
				if key, has := table.Key(roles[w]); has {
					names[i] = key.Name
				}
			}
		}
	}
	if len(names) == 0 {
		return
	}
	if r.sampleRows(b, names) {
		return
	}
	r.done[b.line] = true
	for _, row := range b.rows {
		title := c.cell(row, wEntity)
		entity := &Entity{At: b.frame.at(rowLine(row)), Title: entityTitle(title.text), Table: table}
		sound := true
		for i, cell := range row {
			name := names[i]
			if name == "" || isNone(cell.text) {
				continue
			}
			token, used, is := valueAt(ticked(cell))
			form, fits := FormOf(token)
			rest := strings.TrimSpace(strings.TrimPrefix(ticked(cell)[max(used, 0):], "`"))
			if !is || !fits || rest != "" && !strings.HasPrefix(rest, "(") && !strings.HasPrefix(rest, "—") {
				sound = false
				continue
			}
			if !isTemplate(token) && identifier.MatchString(token) {
				switch {
				case beginsAnother(b, token):
				case camelSegment.MatchString(token) || strings.HasPrefix(strings.TrimLeft(ticked(cell), " "), "`"):
					form = Template("{" + token + "}")
				default:
					sound = false
					continue
				}
			}
			entity.set(EntityKey{At: b.frame.at(cell.line), Attribute: name, Template: form})
		}
		if len(entity.Keys) == 0 {
			continue
		}
		if cell := c.cell(row, wAttributes); cell.text != "" {
			r.listedIn(entity, cell)
		}
		if entity.Title == "" {
			entity.Title = r.titleOf(b.frame, table, entity)
		}
		r.doc.Entities = append(r.doc.Entities, entity)
		r.done[rowLine(row)] = sound
		if !sound {
			r.unread(rowLine(row), rowText(row), "of this row a cell is read in part")
		}
	}
	r.unknown(b, c, wEntity, wHash, wRange, wAttributes, wPattern, wExample, wTable, wSetting)
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

// sampleRows takes rows of values without any parameter for items that are written out.
func (r *reader) sampleRows(b *block, names map[int]string) bool {
	if len(b.header) < 3 || columnsOf(b).has(wEntity) {
		return false
	}
	for _, row := range b.rows {
		for i := range names {
			if i < len(row) && placeholder.MatchString(row[i].text) {
				return false
			}
		}
	}
	for _, row := range b.rows {
		x := &Example{At: At{rowLine(row), Said}, Last: rowLine(row), Heading: b.frame.sectionTitle(), Row: true}
		for i, cell := range row {
			if i < len(b.header) && cell.text != "" && cell.text != "..." {
				x.Members = append(x.Members, Member{Line: cell.line, Name: strings.Trim(b.header[i].text, "` "), Text: strings.Trim(cell.text, "` ")})
			}
		}
		r.doc.Examples = append(r.doc.Examples, x)
		r.done[rowLine(row)] = true
	}
	r.done[b.line] = true
	return true
}

var entryHead = lazyregexp.New("^`?([A-Za-z_][A-Za-z0-9_.]*(?:\\[\\])?)`?(\\?)?(?:\\s*\\(([^()]*)\\))?(?:\\s*=\\s*(\\S+))?$")

// listedIn reads attributes in a cell, between commas.
func (r *reader) listedIn(entity *Entity, cell inline) {
	depth, from := 0, 0
	text := ticked(cell) + ","
	for i, c := range text {
		switch {
		case c == '(' || c == '{':
			depth++
		case c == ')' || c == '}':
			depth--
		case c == ',' && depth <= 0:
			r.entry(entity, strings.TrimSpace(text[from:i]), cell.line)
			from = i + 1
		}
	}
}

func (r *reader) entry(entity *Entity, text string, line int) {
	match := entryHead.FindStringSubmatch(text)
	if match == nil {
		return
	}
	_, own := entity.Table.AnyKey(match[1])
	if form, is := FormOf(match[4]); is && match[4] != "" && own {
		if isTemplate(match[4]) {
			entity.set(EntityKey{At: At{line, Said}, Attribute: match[1], Template: form})
		}
		return
	}
	if own && !genericKey.MatchString(match[1]) {
		entity.set(EntityKey{At: At{line, Said}, Attribute: match[1], Template: Template("{" + match[1] + "}")})
	}
	entity.attribute(Attribute{At: At{line, Said}, Name: strings.TrimSuffix(match[1], "[]"), Type: typeOf(match[3]), Note: match[3]})
}

// attributeItem reads an attribute of a list: "`name` (String): what it is", or several.
func (r *reader) attributeItem(b *block) {
	f := b.frame.parent
	bare := entryHead.MatchString(b.text.text)
	if f == nil || f.about() != topicAttributes || !bare && (len(b.text.spans) == 0 || b.text.spans[0].from != 0) {
		return
	}
	table := r.table(b.frame)
	if table == nil {
		return
	}
	entity := r.entityAt(f, table, b.line)
	head := ticked(b.text)
	for _, mark := range []string{": ", " - ", " — ", " – "} {
		head, _, _ = strings.Cut(head, mark)
	}
	known := len(entity.Attributes)
	r.listedIn(entity, inline{line: b.line, text: head})
	if bare {
		r.done[b.line] = true
		return
	}
	if token := b.text.part(b.text.spans[0]); len(entity.Attributes) == known && identifier.MatchString(strings.Trim(token, ": ")) {
		entity.attribute(Attribute{At: At{b.line, Said}, Name: strings.Trim(token, ": "), Note: b.text.text})
	}
	r.done[b.line] = len(entity.Attributes) > known
}

// fence reads what a fence writes out: items, or forms of keys.
func (r *reader) fence(b *block) {
	if found := literals(b.code, b.line); len(found) > 0 {
		for _, x := range found {
			x.Heading = b.frame.itemTitle()
			r.doc.Examples = append(r.doc.Examples, x)
			for line := x.Line; line <= x.Last; line++ {
				r.done[line] = true
			}
		}
		return
	}
	if b.frame.topic == topicAttributes {
		r.namesInFence(b)
		return
	}
	if b.frame.about() == topicPatterns || b.frame.about() == topicIndexes && r.indexPlace(b.frame) == nil {
		return
	}
	lines := b.lines()
	table := r.table(b.frame)
	if len(lines) == 0 || table == nil {
		return
	}
	for _, line := range lines {
		if label, value, _, _ := split(line); wordOf(label) == wEntity {
			r.caption, r.done[line.line] = value.text, true // of the forms that follow
			continue
		}
		r.keyForms(b, line, true)
	}
	r.caption = ""
}

// namesInFence reads a fence that is names of attributes and nothing else.
func (r *reader) namesInFence(b *block) {
	table := r.table(b.frame)
	if table == nil || slices.ContainsFunc(b.code, func(line string) bool {
		return strings.TrimSpace(line) != "" && !identifier.MatchString(strings.TrimSpace(line))
	}) {
		return
	}
	entity := r.entityAt(b.frame, table, b.line)
	for n, line := range b.code {
		if name := strings.TrimSpace(line); name != "" {
			entity.attribute(Attribute{At: b.frame.at(b.line + n), Name: name})
			r.done[b.line+n] = true
		}
	}
}

// fromExample makes a kind of item of one that is written out, where each part of its keys is a
// word in capitals or the value of one of its own members.
func (r *reader) fromExample(x *Example) {
	for _, table := range r.all {
		if len(table.Keys) == 0 || x.Row {
			continue
		}
		entity := &Entity{At: At{x.Line, Said}, Title: entityTitle(x.Heading), Table: table}
		complete := true
		names := map[string]bool{}
		for _, key := range table.Keys {
			names[key.Name] = true
			member, has := x.Member(key.Name)
			form, is := generalised(member, x)
			if has && !is && !x.Row && genericKey.MatchString(key.Name) {
				r.unread(member.Line, member.Name+" = "+member.Text, "a key of an example: its form cannot be told from the item's other attributes")
			}
			complete = complete && has && is
			entity.Keys = append(entity.Keys, EntityKey{At: At{member.Line, Said}, Attribute: key.Name, Template: form})
		}
		if !complete || slices.ContainsFunc(r.doc.Entities, func(e *Entity) bool { return e.Table == table && e.holds(x, table) }) {
			continue
		}
		for _, index := range table.Indexes {
			for _, key := range index.Keys {
				if member, has := x.Member(key.Name); has && !names[key.Name] && genericKey.MatchString(key.Name) {
					names[key.Name] = true
					form, is := generalised(member, x)
					if !is {
						r.unread(member.Line, member.Name+" = "+member.Text, "a key of an example: its form cannot be told from the item's other attributes")
						entity.attribute(Attribute{At: At{member.Line, Said}, Name: member.Name, Type: member.Type})
					} else {
						entity.Keys = append(entity.Keys, EntityKey{At: At{member.Line, Said}, Attribute: key.Name, Template: form})
					}
				}
			}
		}
		for _, m := range x.Members {
			if !names[m.Name] {
				entity.attribute(Attribute{At: At{m.Line, Said}, Name: m.Name, Type: m.Type})
			}
		}
		r.doc.Entities = append(r.doc.Entities, entity)
	}
}

// holds reports whether an example is of that kind.
func (e *Entity) holds(x *Example, table *Table) bool {
	for _, key := range table.Keys {
		own, known := e.Key(key.Name)
		member, has := x.Member(key.Name)
		if !known || !has || !own.Template.Matches(member.Text) {
			return false
		}
	}
	return true
}

// generalised is the form of a key's value, of which the parts are words in capitals or values of
// exactly one other member.
func generalised(member Member, x *Example) (Template, bool) {
	if member.Type != "S" || !genericKey.MatchString(member.Name) || member.Text == "" {
		return "", false
	}
	separator := "#"
	if !strings.Contains(member.Text, "#") && strings.Contains(member.Text, ":") && !strings.Contains(member.Text, "T") {
		separator = ":"
	}
	parts := strings.Split(member.Text, separator)
	for i, part := range parts {
		if capitals.MatchString(part) && !strings.ContainsAny(part, "0123456789") {
			continue
		}
		name, several, called := "", false, i > 0 && capitals.MatchString(parts[i-1])
		for _, other := range x.Members {
			if other.Text == part && part != "" && (other.Type == "S" || other.Type == "N") && !genericKey.MatchString(other.Name) {
				// Of two with that value it is the one that the part before it names.
				if called && plain(other.Name) == plain(parts[i-1]) {
					name, several = other.Name, false
					break
				}
				name, several = other.Name, name != ""
			}
		}
		if name == "" || several {
			return "", false
		}
		parts[i] = "{" + name + "}"
	}
	return Template(strings.Join(parts, separator)), true
}

// roleForms reads the forms of keys in a table "Key | Attribute | Format".
func (r *reader) roleForms(b *block, c columns) {
	table := r.table(b.frame)
	at := c.at(wAttribute, wName)
	if table == nil || at < 0 {
		return
	}
	var keys []EntityKey
	for _, row := range b.rows {
		if at >= len(row) {
			continue
		}
		name := strings.Trim(row[at].text, "` ")
		if _, is := table.KeyNamed(name); !is {
			continue
		}
		found := Template("")
		for i, cell := range row {
			if i == at || c[i] == wType || c[i] == wExample || (c[i] == wRole || c[i] == wPrimary) && !strings.Contains(cell.text, "=") {
				continue
			}
			if form, is := r.formOf(withoutLead(cell)); is {
				found = form
			}
		}
		if found == "" {
			return
		}
		keys = append(keys, EntityKey{At: b.frame.at(row[at].line), Attribute: name, Template: found})
	}
	if len(keys) == len(table.Keys) {
		entity := r.entityAt(b.frame, table, b.line)
		for _, key := range keys {
			entity.set(key)
		}
	}
}

// withoutLead takes "Composite key: `${a}:${b}`" for what stands behind its colon.
func withoutLead(cell inline) inline {
	if _, value, equals, is := split(cell); is && !equals && strings.HasPrefix(ticked(value), "`") {
		return value
	}
	if role, _, is := strings.Cut(cell.text, " = "); is && roleIn(role) != "" {
		return trimmed(cell.slice(len(role)+3, len(cell.text)))
	}
	return cell
}
