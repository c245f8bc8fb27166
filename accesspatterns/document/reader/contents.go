package reader

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// contents reads entities, attributes, access patterns and examples.
func (r *reader) contents() {
	for _, b := range r.blocks {
		switch b.kind {
		case textBlock, itemBlock:
			r.line(b)
		case gridBlock:
			r.contentGrid(b)
		case codeBlock:
			r.contentCode(b)
		}
	}
}

// entityAt returns the entity that a place speaks of: that of the nearest
// heading that is no topic; the table's own where there is none below it.
func (r *reader) entityAt(f *frame, line int) *Entity {
	at := f.up(func(f *frame) bool {
		return f.entity != nil || f.table != nil || f.index != nil || f.level > 1 && f.names()
	})
	table, _ := r.table(f, line)
	if at == nil || at.table != nil || at.index != nil {
		if entity := r.own[table]; entity != nil {
			return entity
		}
		entity := r.addEntity(&Entity{At: At{line, Guessed}, Table: table})
		if at != nil && at.index == nil {
			entity.Line = at.title.line
		}
		return entity
	}
	if at.entity == nil {
		title := entityTitle(at.title.text)
		if known := r.entities(title); len(known) > 0 {
			at.entity = known[0]
			return at.entity
		}
		at.entity = r.addEntity(&Entity{At: At{at.title.line, Guessed}, Title: title, Table: table})
	}
	return at.entity
}

var entityWords = lazyregexp.New(`(?i)^(?:item type|entity type|entity|item|record)s?\s*(?:\d+)?\s*[:—–-]+\s*|\s+(?:entity|items?|record)$`)

func entityTitle(title string) string {
	return strings.Trim(entityWords.ReplaceAllString(strings.ReplaceAll(cleanTitle(title), "`", ""), ""), " :")
}

// addEntity adds an entity, and remembers it by its title and keys.
func (r *reader) addEntity(e *Entity) *Entity {
	r.doc.Entities = append(r.doc.Entities, e)
	if e.Title == "" {
		r.own[e.Table] = e
		return e
	}
	full := plain(e.Title)
	r.titles[full] = append(r.titles[full], e)
	if bare := bareTitle(e.Title); bare != full {
		r.titles["("+bare] = append(r.titles["("+bare], e)
	}
	return e
}

// bareTitle is a title without what stands in brackets behind it.
func bareTitle(title string) string { before, _, _ := strings.Cut(title, " ("); return plain(before) }

// entities returns the entities of that title; where there are none, those
// whose title is the same without what stands in brackets.
func (r *reader) entities(title string) []*Entity {
	if found := r.titles[plain(title)]; len(found) > 0 {
		return found
	}
	bare := bareTitle(title)
	return append(slices.Clip(r.titles[bare]), r.titles["("+bare]...)
}

// set gives an entity the form of a key. A guess never displaces what was read.
func (e *Entity) set(key EntityKey) {
	for i := range e.Keys {
		if e.Keys[i].Attribute == key.Attribute {
			if e.Keys[i].Sure == Guessed && key.Sure == Said {
				e.Keys[i] = key
			}
			return
		}
	}
	e.Keys = append(e.Keys, key)
}

// attribute adds an attribute, or fills in its type.
func (e *Entity) attribute(a Attribute) {
	for i := range e.Attributes {
		if e.Attributes[i].Name == a.Name {
			e.Attributes[i].Type = cmp.Or(e.Attributes[i].Type, a.Type)
			return
		}
	}
	e.Attributes = append(e.Attributes, a)
}

var (
	keyForm   = lazyregexp.New("(^|[\\s(`,;|{*\"'-])([A-Za-z_][A-Za-z0-9_.-]*)[`\"'*]*\\s*(?:\\((?i:hash|range|partition|sort|hash key|range key|partition key|sort key|string|s|number|n)\\)[*]*\\s*)?(=|:)")
	listTitle = lazyregexp.New(`^([^:` + "`" + `=]{2,80}):\s`)
)

// objectValue is an object of a programming language where a form could stand.
var objectValue = lazyregexp.New(`^\s*\{\s*[A-Za-z_]\w*\s*:`)

// keyForms reads "PK = USER#{id}, SK = META" for key attributes.
func (r *reader) keyForms(text string, line int, code bool) []EntityKey {
	var found []EntityKey
	for _, at := range keyForm.FindAllStringSubmatchIndex(text, -1) {
		name := text[at[4]:at[5]]
		if !r.isKey(name) {
			continue
		}
		raw, _, is := valueAt(text[at[1]:])
		if !is || objectValue.MatchString(text[at[1]:]) {
			continue
		}
		quoted := strings.HasPrefix(raw, `"`) || strings.HasPrefix(raw, "'")
		if !quoted && !isTemplate(raw) && !code {
			continue
		}
		template, guessed, is := templateOf(raw)
		if !is || isPlainKeyName(string(template)) || typeOf(raw) != "" && !quoted && !strings.Contains(raw, "#") {
			continue
		}
		if !quoted && !isTemplate(raw) {
			if !identifier.MatchString(raw) {
				continue
			}
			template = Template("{" + raw + "}")
		}
		found = append(found, EntityKey{sureAt(line, guessed), name, template})
	}
	return found
}

// line reads one line of text or one list item.
func (r *reader) line(b *block) {
	about := b.frame.about()
	if about == topicRules {
		return
	}
	text := b.text
	title, body := "", text.text
	if match := listTitle.FindStringSubmatch(text.text + " "); match != nil {
		title, body = strings.TrimSpace(match[1]), strings.TrimSpace(text.text[min(len(text.text), len(match[0])):])
	}
	if bold, rest := boldTitle(text); bold != "" && b.kind == itemBlock && about == topicPatterns {
		title, body = bold, rest
	}
	if about == topicPatterns && r.field(b, strings.Trim(title, "* "), body) {
		return
	}
	if about == topicPatterns && notPatterns.MatchString(title) {
		return
	}
	notPattern := notPatterns.MatchString(title) || keyProperty.MatchString(title)
	isPattern := b.kind == itemBlock && (about == topicPatterns || !notPattern && title != "" && topicOf(title) == noTopic && operations.MatchString(text.text) && about != topicOther)
	if isPattern && r.pattern(b, title, about == topicPatterns) {
		return
	}
	if strings.EqualFold(title, "access pattern") {
		r.pattern(b, "", true)
		return
	}
	if about == topicPatterns && b.kind == itemBlock {
		return
	}
	if sortForms.MatchString(title) && indexOf(b.frame) == nil {
		r.sortForms(b)
		return
	}
	if above := b.frame.parent; b.kind == itemBlock && above != nil && sortFormsTitle.MatchString(cleanTitle(above.title.text)) && indexOf(b.frame) == nil {
		r.sortForm(b, title)
		return
	}
	if attributeList.MatchString(title) && indexOf(b.frame) == nil && body != "" {
		entity := r.entityAt(b.frame, b.line)
		for _, entry := range entries(trimmed(text.slice(len(text.text)-len(body), len(text.text)))) {
			r.entry(entity, entry, b.line)
		}
		return
	}
	keys := r.keyForms(text.text, b.line, false)
	if len(keys) > 0 {
		r.entityLine(b, title, keys)
		return
	}
	if b.kind == itemBlock && about == topicAttributes {
		r.attributeItem(b)
	}
}

// boldTitle is the bold type with which a line begins, where the line goes on behind a dash, an
// arrow or a colon.
func boldTitle(text inline) (title, rest string) {
	if len(text.spans) == 0 || text.spans[0].code || text.spans[0].from > 0 {
		return "", ""
	}
	title, rest = strings.Trim(text.part(text.spans[0]), " :"), strings.TrimSpace(text.text[text.spans[0].to:])
	after := strings.TrimLeft(rest, ":-–—→ ")
	if after == rest && !strings.HasSuffix(text.part(text.spans[0]), ":") || after == "" {
		return "", ""
	}
	return title, after
}

// field reads a list item that is one part of the access pattern that its heading
// names, the first of which is the operation:
//
//	### Links of a tenant
//	- **Operation**: Query on GSI1
//	- **GSI1PK**: `TENANT#{tenantId}`
//	- **GSI1SK begins_with**: `LINK#`
func (r *reader) field(b *block, title, body string) bool {
	section := b.frame
	if b.kind == itemBlock {
		section = b.frame.parent
	}
	if section == nil || section.level > labelLevel || !section.names() || title == "" {
		return false
	}
	p := r.fields[section]
	rest := inline{line: b.line, text: body, spans: b.text.slice(len(b.text.text)-len(body), len(b.text.text)).spans}
	if named := strings.EqualFold(operationOf(title), title); p == nil && (named || operationField.MatchString(title) && operationOf(body) != "") {
		p = &Pattern{At: At{section.title.line, b.frame.sure()}, Title: patternNumber.ReplaceAllString(cleanTitle(section.title.text), ""), Listed: true, Last: b.line}
		if named {
			p.Operation = operationOf(title)
		}
		r.more(p, section, rest)
		r.fields[section] = p
		r.doc.Patterns = append(r.doc.Patterns, p)
		return true
	}
	if p == nil {
		return false
	}
	p.Last = b.line
	attribute, begins := strings.CutSuffix(title, " begins_with")
	switch value, _, is := valueAt(body); {
	case r.isKey(attribute) && is:
		template, guessed, is := templateOf(value)
		if !is {
			r.unread(b.line, b.text.text, "expected the value of the key "+attribute)
			break
		}
		operator := map[bool]string{false: "=", true: "begins_with"}[begins]
		p.Conditions = append(p.Conditions, Condition{Line: b.line, Attribute: attribute, Operator: operator, Value: template})
		if table := r.known(p.Table); table != nil && p.Index == "" && p.Operation != "Query" {
			r.keyOfField(b, table, EntityKey{sureAt(b.line, guessed), attribute, template})
		}
	case fieldCondition.MatchString(title):
		r.conditionCell(p, rest)
	}
	return true
}

// keyOfField adds the kind of items that a pattern gives the whole key of.
func (r *reader) keyOfField(b *block, table *Table, key EntityKey) {
	partition, sort := roleNames(table.Keys)
	switch {
	case key.Attribute == partition && sort == "":
		r.newEntity(b, table, "", key)
	case key.Attribute == partition:
		b.frame.parent.partition = &key
	case key.Attribute == sort && b.frame.parent.partition != nil:
		r.newEntity(b, table, "", *b.frame.parent.partition, key)
	}
}

var patternNumber = lazyregexp.New(`(?i)^(?:access )?pattern\s*#?\d+\s*[:.–—-]+\s*`)

var (
	operationField = lazyregexp.New(`(?i)^(?:dynamodb )?(?:operation|api|request)$`)
	fieldCondition = lazyregexp.New(`(?i)^(?:key )?conditions?(?: expression)?$|^filter(?: expression)?$`)
)

var (
	attributeList = lazyregexp.New(`(?i)^(key |other |main )?(attributes|attrs|fields)$`)
	sortForms     = lazyregexp.New(`(?i)^(sk|sort key) (taxonomy|prefixes|patterns|types|values)$`)
)

// sortForms reads the forms of the sort key of a table, each of which is an
// entity; the partition key is the attribute as it stands.
func (r *reader) sortForms(b *block) {
	table := r.tableOf(b)
	partition, sort := roleNames(table.Keys)
	if partition == "" || sort == "" {
		r.unread(b.line, b.text.text, "forms of a sort key, of a table without one")
		return
	}
	var forms []EntityKey
	for _, raw := range b.text.code() {
		if form, is := keyOfForm(sort, raw, b.line); is {
			forms = append(forms, form)
		}
	}
	key, _ := table.Key(Hash)
	whole := EntityKey{key.At, partition, Template("{" + partition + "}")}
	if len(forms) == 1 {
		entity := r.entityAt(b.frame, b.line)
		entity.set(whole)
		entity.set(forms[0])
		return
	}
	for _, form := range forms {
		r.newEntity(b, table, "", whole, form)
	}
}

// sortFormsTitle is the title, or the label, of a list of forms of the sort key.
var sortFormsTitle = lazyregexp.New(`(?i)^(?:sk|sort key|range key)(?:s? (?:formats?|taxonomy|prefixes|patterns|types|values|structure))?(?:\s*:.*)?$`)

// sortForm reads an item of a list of forms of the sort key, each of which is a kind of items.
func (r *reader) sortForm(b *block, title string) {
	table := r.tableOf(b)
	partition, sort := roleNames(table.Keys)
	if partition == "" || sort == "" {
		return
	}
	key, _ := table.Key(Hash)
	whole := EntityKey{key.At, partition, Template("{" + partition + "}")}
	if shared := r.sharedPartition(b); shared != nil {
		whole = *shared
	}
	for _, raw := range b.text.code() {
		if form, is := keyOfForm(sort, raw, b.line); is {
			r.newEntity(b, table, title, whole, form)
		}
	}
}

var notPatterns = lazyregexp.New(`(?i)^(pk|sk|partition key|sort key|hash key|range key|projection( type)?|use cases?|purpose|index(es)?|notes?|keys?|name|type|cost|example|result|returns?|why|guarantee)$`)

// keyProperty are titles of what is said of a table or index, after AWS's own
// modelling tools.
var keyProperty = lazyregexp.New(`(?i)^(aggregate boundary|bounded read strategy|access patterns served|capacity planning|sparse|multi-attribute key decision|per-pattern projected attributes|(sk|sort key) taxonomy|attributes)$`)

// entityLine reads the key forms of one line.
func (r *reader) entityLine(b *block, title string, keys []EntityKey) {
	index := indexOf(b.frame)
	table := r.tableOf(b)
	partition, sort := roleNames(table.Keys)
	var entity *Entity
	pk, hasPartition := first(keys, func(k EntityKey) bool { return k.Attribute == partition })
	sk, hasSort := first(keys, func(k EntityKey) bool { return k.Attribute == sort })
	if number := numberedIndex.FindStringSubmatch(cleanTitle(b.text.text)); number != nil && index == nil {
		// "GSI1: PK = X, SK = Y" gives the index's key of the entity above.
		for _, key := range keys {
			key.Attribute = r.indexKeyName(table, number[1], key.Attribute, partition)
			r.entityAt(b.frame, b.line).set(key)
		}
		return
	}
	switch {
	case hasPartition && hasSort && index == nil:
		entity = r.newEntity(b, table, title, pk, sk)
	case hasPartition && index == nil:
		if _, composite := table.Key(Range); !composite {
			entity = r.newEntity(b, table, title, pk)
			break
		}
		b.frame.partition = &pk
		if section := b.frame.heading(); section != nil {
			section.partition = &pk
		}
		return
	case hasSort && index == nil:
		at := b.frame.up(func(f *frame) bool { return f.partition != nil })
		if at == nil {
			r.unread(b.line, b.text.text, "a sort key without a partition key")
			return
		}
		entity = r.newEntity(b, table, "", *at.partition, sk)
	}
	for _, key := range keys {
		switch {
		case key.Attribute == partition && index == nil || key.Attribute == sort && index == nil:
		case index != nil:
			index.Templates = append(index.Templates, key)
			role := Hash
			if number := numberedKey.FindStringSubmatch(key.Attribute); number != nil && strings.EqualFold(number[2], "sk") || strings.EqualFold(key.Attribute, "sk") {
				role = Range
			}
			index.Keys = addKey(index.Keys, Key{At{b.line, Said}, key.Attribute, "", role})
		case entity != nil:
			entity.set(key)
		case numberedKey.MatchString(key.Attribute) && b.frame.up(func(f *frame) bool { return indexWord.MatchString(f.title.text) }) != nil:
			// "GSI for the list of projects: GSI1PK = ..."
			of := table.indexOfKey(key.Attribute, b.line)
			role := roleOf(numberedKey.FindStringSubmatch(key.Attribute)[2])
			of.Keys = addKey(of.Keys, Key{At{b.line, Said}, key.Attribute, "", role})
			of.Templates = append(of.Templates, key)
		default:
			r.entityAt(b.frame, b.line).set(key)
		}
	}
}

// indexKeyName is the name of an index's key attribute, where a line calls it by
// the role alone.
func (r *reader) indexKeyName(table *Table, index, role, partition string) string {
	index = strings.Join(strings.Fields(index), "")
	want := Range
	if role == partition || strings.EqualFold(role, "pk") {
		want = Hash
	}
	if known, is := table.Index(index); is {
		if key, is := known.Key(want); is {
			return key.Name
		}
	}
	return strings.ToUpper(index) + strings.ToUpper(role)
}

// roleNames are the names of the key attributes of a table or index, "" for one that is not known.
func roleNames(keys []Key) (partition, sort string) {
	hash, _ := keyOf(keys, Hash)
	last, _ := keyOf(keys, Range)
	return hash.Name, last.Name
}

// plainTitle is an item of a list that names what the items below it describe.
var plainTitle = lazyregexp.New(`^[\p{L}][\p{L}\p{N} _/()-]{1,60}$`)

// newEntity adds an entity that a line describes. One with the same keys is
// known already.
func (r *reader) newEntity(b *block, table *Table, title string, keys ...EntityKey) *Entity {
	id := keysID(table, keys)
	if known := r.byKeys[id]; known != nil {
		return known
	}
	at := At{b.line, b.frame.sure()}
	if title = entityTitle(title); title == "" || r.isKey(title) {
		// Named after its key, or after the section where that says nothing.
		title = strings.Trim(keys[len(keys)-1].Template.Prefix(), "#:|/_")
		at.Sure = Guessed
		if section := b.frame.heading(); section != nil && section.topic == noTopic && section.table == nil && section.index == nil && b.kind != itemBlock {
			title = entityTitle(section.title.text)
		}
		if above := b.frame.parent; b.kind == itemBlock && above != nil && above.level >= itemLevel && plainTitle.MatchString(above.title.text) && above.entity == nil {
			title, at = entityTitle(above.title.text), At{above.title.line, b.frame.sure()}
		}
	}
	entity := &Entity{At: at, Title: title, Table: table, derived: at.Sure == Guessed}
	for _, key := range keys {
		entity.set(key)
	}
	r.byKeys[id] = entity
	r.addEntity(entity)
	if above := b.frame.parent; above != nil && at.Line == above.title.line {
		above.entity = entity
	}
	if section := b.frame.heading(); section != nil && section.names() && section.level > 1 {
		r.inSection[section] = append(r.inSection[section], entity)
	}
	return entity
}

var (
	attributeEntry = lazyregexp.New(`^([A-Za-z_][A-Za-z0-9_.]*)(\?)?\s*(?:\(([^()]*(?:\([^()]*\))?[^()]*)\))?\s*(?:=\s*(\S+))?(?:\s*[:—–-]\s+(.*))?`)
)

// attributeItem reads the attributes of a list item under "Attributes".
func (r *reader) attributeItem(b *block) {
	if strings.HasSuffix(b.text.text, ":") {
		return
	}
	var owners []*Entity
	section := b.frame.up(func(f *frame) bool {
		return f.level <= labelLevel && f.topic == noTopic && f.table == nil && f.level > 1
	})
	if section != nil {
		owners = r.entities(entityTitle(section.title.text))
	}
	if len(owners) == 0 {
		owners = []*Entity{r.entityAt(b.frame, b.line)}
	}
	// What stands below an attribute is a member of it.
	if above := b.frame.parent; above != nil && above.level >= itemLevel && !strings.HasSuffix(above.title.text, ":") {
		if owner, _ := nameIn(above.title); owner != "" && slices.ContainsFunc(owners, func(e *Entity) bool { _, has := e.Attribute(owner); return has }) {
			return
		}
	}
	for _, owner := range owners {
		for _, entry := range entries(b.text) {
			r.entry(owner, entry, b.line)
		}
	}
}

// entries are the parts of a text between commas outside of brackets.
func entries(text inline) []inline {
	var found []inline
	depth, from := 0, 0
	for i := 0; i <= len(text.text); i++ {
		if i == len(text.text) || text.text[i] == ',' && depth == 0 {
			if part := trimmed(text.slice(from, i)); part.text != "" {
				found = append(found, part)
			}
			from = i + 1
			continue
		}
		switch text.text[i] {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			depth--
		}
	}
	return found
}

// entry reads one attribute: "tags (list)", "entityType=SITE", "`note?`".
func (r *reader) entry(entity *Entity, entry inline, line int) {
	match := attributeEntry.FindStringSubmatch(strings.ReplaceAll(entry.text, "`", ""))
	if match == nil || notKeyNames.MatchString(match[1]) {
		return
	}
	name, note, given := match[1], match[3], match[4]
	if rest := strings.TrimSpace(strings.TrimPrefix(entry.text, match[0])); strings.Contains(rest, " ") && note == "" && len(entry.spans) == 0 {
		return // a sentence
	}
	kind := cmp.Or(typeOf(note), typeOf(match[5]))
	entity.attribute(Attribute{At{line, Said}, name, kind, strings.TrimSpace(note + " " + match[5])})
	if !r.keyNames[name] || entity.Table == nil {
		return
	}
	if given != "" {
		if template, guessed, is := templateOf(given); is {
			entity.set(EntityKey{sureAt(line, guessed), name, template})
		}
		return
	}
	entity.set(EntityKey{At{line, Said}, name, Template("{" + name + "}")})
}

// contentGrid reads entities, attributes and patterns out of a grid.
func (r *reader) contentGrid(b *block) {
	c := b.columns()
	switch r.kindOf(b) {
	case entityGrid:
		for _, row := range b.rows {
			r.entityRow(b, c, row)
		}
	case attributeGrid:
		r.attributeRows(b, c)
	case patternGrid:
		for _, row := range b.rows {
			r.patternRow(b, c, row)
		}
	case itemGrid:
		for _, row := range b.rows {
			r.itemRow(b, row)
		}
	}
}

// entityRow reads a row that gives the keys of an entity.
func (r *reader) entityRow(b *block, c columns, row []inline) {
	table := r.tableOf(b)
	partition, sort := roleNames(table.Keys)
	if index := indexOf(b.frame); index != nil {
		r.indexEntityRow(b, c, row, table, index)
		return
	}
	entity := &Entity{At: At{row[0].line, b.frame.sure()}, Table: table}
	for i, cell := range row[:min(len(row), len(c))] {
		attribute := ""
		switch c[i] {
		case "pk":
			attribute = partition
		case "sk":
			attribute = sort
		case "indexkey":
			attribute = strings.ReplaceAll(strings.Trim(b.header[i].text, "` *"), " ", "")
		default:
			if name := strings.Trim(b.header[i].text, "` *"); r.keyNames[name] {
				attribute = name
			}
		}
		if attribute == "" || dashOnly.MatchString(cell.text) {
			continue
		}
		template, at, is := form(cell)
		if !is {
			r.unread(cell.line, cell.text, "expected the form of the key "+attribute)
			continue
		}
		entity.set(EntityKey{at, attribute, template})
	}
	if len(entity.Keys) == 0 {
		return
	}
	if shared := r.sharedPartition(b); shared != nil && !c.has("pk") {
		entity.set(EntityKey{At{shared.Line, Guessed}, shared.Attribute, shared.Template})
	}
	for i, cell := range row {
		if (c.is("entity", i) || c.is("", i) && i == 0 || c.is("type", i) && i == 0) && entity.Title == "" {
			entity.Title = entityTitle(cell.text)
		}
	}
	if entity.Title == "" {
		if section := b.frame.heading(); len(b.rows) == 1 && section != nil && section.topic == noTopic && section.level > 1 {
			entity.Title = entityTitle(section.title.text)
			section.entity = entity
		} else if note, is := c.cell(row, "note"); is {
			entity.Title, entity.Sure = note.text, Guessed
		}
	}
	if cell, is := c.cell(row, "attributes"); is {
		for _, entry := range entries(cell) {
			r.entry(entity, entry, cell.line)
		}
	}
	if cell, is := c.cell(row, "note"); is && !c.has("attributes") {
		r.listedInNote(entity, cell)
	}
	if known := r.byKeys[keysID(table, entity.Keys)]; known != nil && len(known.Attributes) == 0 && entity.Title != "" {
		// A sentence gave the keys before; the row gives the item its name.
		delete(r.byKeys, keysID(table, entity.Keys))
		r.doc.Entities = slices.DeleteFunc(r.doc.Entities, func(e *Entity) bool { return e == known })
		for title, all := range r.titles {
			r.titles[title] = slices.DeleteFunc(all, func(e *Entity) bool { return e == known })
		}
	}
	r.addEntity(entity)
}

// indexEntityRow reads a row of a grid about an index: it gives the index's keys of an
// item that another grid has described.
func (r *reader) indexEntityRow(b *block, c columns, row []inline, table *Table, index *Index) {
	var titled []*Entity
	for i, cell := range row {
		if i < len(c) && (c.is("entity", i) || c.is("", i) && i == 0) && len(titled) == 0 {
			titled = r.entities(entityTitle(cell.text))
		}
	}
	for i, cell := range row {
		if i >= len(c) || c[i] != "pk" && c[i] != "sk" || dashOnly.MatchString(cell.text) {
			continue
		}
		template, at, is := form(cell)
		if !is {
			r.unread(cell.line, cell.text, "expected the form of a key of "+index.Name)
			continue
		}
		key, known := index.Key(roleOf(c[i]))
		if !known {
			// No line names the attribute: it is called after the index.
			key = Key{At{b.line, Guessed}, strings.ToUpper(index.Name) + strings.ToUpper(c[i]), "", roleOf(c[i])}
			index.Keys = addKey(index.Keys, key)
			r.keyNames[key.Name] = true
		}
		if key.Sure == Guessed {
			at.Sure = Guessed
		}
		index.Templates = append(index.Templates, EntityKey{at, key.Name, template})
		for _, entity := range titled {
			if entity.Table == table {
				entity.set(EntityKey{at, key.Name, template})
			}
		}
	}
}

// listedInNote takes a note that lists names for the attributes of an item: "name,
// address, lastSeenAt".
func (r *reader) listedInNote(entity *Entity, cell inline) {
	var names []string
	for _, entry := range entries(cell) {
		name := strings.Trim(entry.text, "` ")
		if !identifierCase.MatchString(name) {
			break
		}
		names = append(names, name)
	}
	if len(names) < 2 {
		return
	}
	for _, name := range names {
		entity.attribute(Attribute{At: At{cell.line, Guessed}, Name: name})
	}
}

// keysID is what two entities of a table with the same primary key share.
func keysID(table *Table, keys []EntityKey) string {
	id := fmt.Sprintf("%p", table)
	for _, key := range keys {
		if _, is := table.KeyNamed(key.Attribute); is {
			id += " " + key.Attribute + "=" + key.Template.Shape()
		}
	}
	return id
}

// attributeRows reads a table of attributes.
func (r *reader) attributeRows(b *block, c columns) {
	index := indexOf(b.frame)
	var entity *Entity
	about := b.frame.about()
	general := false
	for _, row := range b.rows {
		name := firstName(row[0])
		if name == "" || !identifier.MatchString(name) {
			continue
		}
		note, kind := "", ""
		for i, cell := range row[1:] {
			if c.is("type", i+1) {
				kind = typeOf(cell.text)
				continue
			}
			note = strings.TrimSpace(note + " " + cell.text)
		}
		key, found := EntityKey{}, false
		if r.isKey(name) {
			key, found = formInRow(b, c, row, name)
		}
		if index != nil {
			if found {
				index.Templates = append(index.Templates, key)
			}
			continue
		}
		if found && about == topicKeys {
			table := r.tableOf(b)
			r.templates[table] = append(r.templates[table], key)
			general = true
			continue
		}
		if about == topicKeys && r.isKey(name) || general {
			continue
		}
		if entity == nil {
			entity = r.entityAt(b.frame, b.line)
		}
		entity.attribute(Attribute{At{row[0].line, Said}, name, kind, note})
		if found {
			entity.set(key)
		}
	}
}

// formInRow is the form of a key attribute's value that a row of a table of attributes gives.
func formInRow(b *block, c columns, row []inline, name string) (key EntityKey, is bool) {
	for i, cell := range row[1:] {
		if c.is("type", i+1) {
			continue
		}
		raw, codes := cellValue(cell), cell.code()
		if i+1 < len(b.header) && exampleColumn.MatchString(strings.Trim(b.header[i+1].text, "` *")) {
			if sample, is := sampleForm(raw, name); is && isTemplate(raw) {
				return EntityKey{At{cell.line, Guessed}, name, sample}, true
			}
			continue
		}
		if len(codes) == 1 && (partitionWord.MatchString(cell.text) || sortWord.MatchString(cell.text)) && strings.HasSuffix(cell.text, codes[0]) {
			if key, is := keyOfForm(name, codes[0], cell.line); is { // "partition key, `USER#{id}`"
				return key, true
			}
		}
		if !strings.HasPrefix(cell.text, raw) || len(codes) > 1 || strings.Contains(raw, " ") && !placeholder.MatchString(raw) {
			continue
		}
		if isTemplate(raw) && (len(cell.spans) > 0 || len(strings.Fields(cell.text)) == 1) || strings.HasPrefix(raw, `"`) {
			if template, guessed, is := templateOf(raw); is {
				return EntityKey{sureAt(cell.line, guessed), name, template}, true
			}
		}
	}
	return EntityKey{}, false
}

// keyOfForm is the value of a key attribute that has the form of a text, where that is one.
func keyOfForm(attribute, raw string, line int) (key EntityKey, is bool) {
	template, guessed, is := templateOf(raw)
	return EntityKey{sureAt(line, guessed), attribute, template}, is && isTemplate(raw)
}

var exampleColumn = lazyregexp.New(`(?i)^(?:examples?|samples?|sample values?|example values?)$`)

// sampleForm makes a form of a sample of a key: "SAR#374", of the attribute PK, is SAR#{sar}. What
// is in capitals stays.
func sampleForm(sample, attribute string) (Template, bool) {
	literal := strings.ToLower(attribute)
	segments := strings.Split(sample, "#")
	used := map[string]int{}
	for i, segment := range segments {
		if capitals.MatchString(segment) && !strings.ContainsAny(segment, "0123456789") {
			literal = strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(segment))
			continue
		}
		name := literal
		if used[literal]++; used[literal] > 1 {
			name += strconv.Itoa(used[literal])
		}
		segments[i] = "{" + name + "}"
	}
	template, _, is := templateOf(strings.Join(segments, "#"))
	return template, is
}

// itemRow reads a row of sample items whose headers are the attributes.
func (r *reader) itemRow(b *block, row []inline) {
	example := &Example{At: At{row[0].line, Said}, Last: row[0].line, Heading: b.frame.headingTitle(), Row: true}
	for i, cell := range row {
		if i >= len(b.header) || dashOnly.MatchString(cell.text) {
			continue
		}
		name := strings.Trim(b.header[i].text, "` *$")
		if identifier.MatchString(name) {
			example.Members = append(example.Members, Member{Line: cell.line, Name: name, Text: unquoted(cellValue(cell))})
		}
	}
	r.doc.Examples = append(r.doc.Examples, example)
}

var (
	limitForm   = lazyregexp.New(`(?i)\blimit\s*(?:=|:|of)?\s*(\d+)`)
	consistent  = lazyregexp.New(`(?i)\bConsistentRead\b\W{1,3}true|\bstrong(?:ly)?[- ]consisten\w*`)
	callForm    = lazyregexp.New(`(?i)\b(GetItem|Query|PutItem|UpdateItem|DeleteItem) ?\(([^()]*(?:\([^()]*\)[^()]*)*)\)`)
	prefixAfter = lazyregexp.New(`(?i)^\W*(?:prefix|\.\.\.)`)
)

// pattern reads an access pattern out of a list item. It returns false for an
// item that is none.
func (r *reader) pattern(b *block, title string, listed bool) bool {
	if b.kind == itemBlock && listed {
		// Nested items say more of the one above.
		if above := b.frame.parent; above != nil && above.level >= itemLevel {
			if n := len(r.doc.Patterns); n > 0 && r.doc.Patterns[n-1].Line >= above.title.line {
				r.more(r.doc.Patterns[n-1], b.frame, b.text)
				return true
			}
		}
	}
	p := &Pattern{At: At{b.line, b.frame.sure()}, Title: title, Listed: true, Last: b.line}
	if title == "" {
		p.Title = b.text.text
		for _, cut := range []string{" → ", " - ", " – ", " — "} {
			if before, after, found := strings.Cut(p.Title, cut); found && (cut == " → " || conditions(after, 0) != nil) {
				p.Title = before
			}
		}
	}
	if len(b.parts) > 0 {
		p.Last = b.parts[len(b.parts)-1].line
	}
	r.more(p, b.frame, b.text)
	if !listed && (p.Operation == "" || len(p.Conditions)+len(p.Values) == 0) {
		return false // a sentence that speaks of queries
	}
	if p.Operation == "" && len(p.Conditions)+len(p.Values) == 0 {
		p.Sure = Guessed
	}
	r.doc.Patterns = append(r.doc.Patterns, p)
	return true
}

// more reads what a text says of a pattern.
func (r *reader) more(p *Pattern, f *frame, text inline) {
	table, _ := r.table(f, text.line)
	p.Text = strings.TrimSpace(p.Text + " " + text.text)
	p.Table = cmp.Or(p.Table, table.Name)
	p.Operation = cmp.Or(p.Operation, operationOf(text.text))
	p.Conditions = append(p.Conditions, conditions(text.text, text.line)...)
	r.arguments(p, text)
	p.Index = cmp.Or(p.Index, r.indexNamedIn(table, text.text))
	if index := indexOf(f); index != nil && p.Index == "" {
		p.Index = index.Name
	}
	if match := limitForm.FindStringSubmatch(text.text); match != nil && p.Limit == 0 {
		p.Limit, _ = strconv.Atoi(match[1])
	}
	p.Consistent = p.Consistent || consistent.MatchString(text.text)
	r.values(p, text, table)
}

// arguments reads the key attributes that a call names without a value:
// GetItem(userId, sk=PROFILE).
func (r *reader) arguments(p *Pattern, text inline) {
	for _, match := range callForm.FindAllStringSubmatch(text.text, -1) {
		for _, argument := range strings.Split(match[2], ",") {
			argument = strings.Trim(argument, " `")
			if r.keyNames[argument] && !slices.ContainsFunc(p.Conditions, func(c Condition) bool { return c.Attribute == argument }) {
				p.Conditions = append(p.Conditions, Condition{Line: text.line, Attribute: argument, Operator: "=", Value: Template("{" + argument + "}")})
			}
		}
	}
}

// compared reports whether a condition of the pattern has that value.
func (p *Pattern) compared(t Template) bool {
	return slices.ContainsFunc(p.Conditions, func(c Condition) bool { return c.Value == t || c.High == t })
}

// values reads key values that stand without an attribute: `USER#{id}`,
// `ENTRY#{id}/META`, "with `KW#{token}` prefix".
func (r *reader) values(p *Pattern, text inline, table *Table) {
	_, sort := roleNames(table.Keys)
	add := func(raw, after string) {
		if !isTemplate(raw) || capitals.MatchString(raw) && len(p.Values) == 0 || operationOf(raw) != "" {
			return
		}
		switch t, _, is := templateOf(raw); {
		case !is || p.compared(t):
		case prefixAfter.MatchString(after) && sort != "":
			p.Conditions = append(p.Conditions, Condition{Line: text.line, Attribute: sort, Operator: "begins_with", Value: t})
		default:
			p.Values = append(p.Values, t)
		}
	}
	for _, s := range text.spans {
		part := text.part(s)
		if !s.code || conditions(part, 0) != nil {
			continue
		}
		for _, raw := range strings.Split(part, "/") {
			add(raw, text.text[s.to:])
		}
	}
	if len(text.spans) == 0 {
		for _, word := range strings.Fields(text.text) {
			if strings.Contains(word, "#") {
				add(strings.Trim(word, ",.;()"), "")
			}
		}
	}
}

var numberedInText = lazyregexp.New(`(?i)\b(?:GSI|LSI)[-_ ]?\d+\b`)

// indexNamedIn returns the index of the table that a text names.
func (r *reader) indexNamedIn(table *Table, text string) string {
	best := ""
	for _, index := range table.Indexes {
		if HasWord(text, index.Name) && len(index.Name) > len(best) {
			best = index.Name
		}
	}
	number := strings.Join(strings.Fields(numberedInText.FindString(text)), "")
	if best != "" || number == "" {
		return best
	}
	for _, index := range table.Indexes {
		if plain(index.Name) == plain(number) || numbered(index.Name, number) {
			return index.Name
		}
	}
	return number
}

// HasWord reports whether a name stands in a text as a word of its own.
func HasWord(text, name string) bool {
	for from := 0; name != ""; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(name)
		if (at == 0 || !nameByte(text[at-1])) && (end == len(text) || !nameByte(text[end])) {
			return true
		}
		from = at + 1
	}
	return false
}

func nameByte(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// patternRow reads a row of a table of access patterns.
func (r *reader) patternRow(b *block, c columns, row []inline) {
	table := r.tableOf(b)
	p := &Pattern{At: At{row[0].line, b.frame.sure()}, Listed: true, Last: row[0].line}
	p.Title = row[0].text
	for _, role := range []string{"note", "pattern"} {
		if cell, is := c.cell(row, role); is {
			p.Title = cell.text
		}
	}
	if cell, is := c.cell(row, "operation"); is && operationOf(cell.text) == "" && operationOf(p.Title) != "" {
		p.Title = cell.text // "Operation | Access pattern", with what is asked for in the first
	}
	for i := range row {
		p.Text = strings.TrimSpace(p.Text + " " + row[i].text)
	}
	for _, role := range []string{"tableindex", "table", "index"} {
		cell, is := c.cell(row, role)
		if !is || dashOnly.MatchString(cell.text) {
			continue
		}
		name := strings.Trim(cell.text, "` ")
		if known := r.known(name); known != nil && role != "index" {
			table = known
			continue
		}
		if index := r.indexNamedIn(table, name); index != "" {
			p.Index = index
			continue
		}
		for _, other := range r.doc.Tables {
			if index := r.indexNamedIn(other, name); index != "" && other != table {
				table, p.Index = other, index
				break
			}
		}
		if role == "index" && p.Index == "" && !lazyregexp.New(`(?i)^(table|main|base|primary)\b`).MatchString(name) && identifier.MatchString(name) {
			p.Index = name
		}
	}
	p.Table = table.Name
	partition, sort := roleNames(table.Keys)
	if index, is := table.Index(p.Index); is {
		hash, last := roleNames(index.Keys)
		partition, sort = cmp.Or(hash, partition), last
	}
	for i, cell := range row {
		if i >= len(c) || dashOnly.MatchString(cell.text) {
			continue
		}
		switch c[i] {
		case "pk", "sk":
			attribute := partition
			if c[i] == "sk" {
				attribute = sort
			}
			if match := indexInCell.FindStringSubmatch(cell.text); match != nil && p.Index == "" {
				p.Index = match[1] // "GSI by-status PK=..."
			}
			r.keyCell(p, cell, attribute)
		case "operation":
			p.Operation = cmp.Or(p.Operation, operationOf(cell.text))
			if index := indexOf(b.frame); index != nil && p.Index == "" {
				p.Index = index.Name
			}
			r.conditionCell(p, cell)
		case "type":
			p.Operation = cmp.Or(operationOf(cell.text), p.Operation)
		case "condition", "key", "note":
			r.conditionCell(p, cell)
		}
	}
	p.Operation = cmp.Or(p.Operation, operationOf(p.Text))
	if p.Operation == "" && oneItem.MatchString(p.Text) {
		p.Operation = "GetItem"
	}
	if cell, is := c.cell(row, "pattern"); is && cell.text != p.Title {
		r.conditionCell(p, cell)
		if index, is := table.Index(p.Index); is {
			if key, is := index.Key(Hash); is {
				partition = key.Name
			}
		}
		if p.Operation == "Query" && len(p.Conditions)+len(p.Values) == 0 && HasWord(cell.text, partition) {
			p.Conditions = []Condition{{Line: cell.line, Attribute: partition, Operator: "=", Value: Template("{" + partition + "}")}}
		}
	}
	p.Consistent = consistent.MatchString(p.Text)
	r.doc.Patterns = append(r.doc.Patterns, p)
}

var oneItem = lazyregexp.New(`(?i)\b(?:single|one) item\b`)

var indexInCell = lazyregexp.New(`(?i)^(?:GSI|LSI|(?:secondary )?index)[:\s]+([A-Za-z_][A-Za-z0-9_.-]*)\s+(?:PK|SK|partition key|sort key)\b`)

func (r *reader) conditionCell(p *Pattern, cell inline) {
	if table := r.known(p.Table); table != nil {
		p.Index = cmp.Or(p.Index, r.indexNamedIn(table, cell.text))
	}
	found := conditions(cell.text, cell.line)
	p.Conditions = append(p.Conditions, found...)
	for _, key := range labelledKeys(cell) {
		// Of a Query a sort key without a value is the order alone.
		if len(found) == 0 && r.keyNames[key.Name] && (key.Role == Hash || operationOf(p.Text) != "Query") {
			p.Conditions = append(p.Conditions, Condition{Line: cell.line, Attribute: key.Name, Operator: "=", Value: Template("{" + key.Name + "}")})
		}
	}
	r.arguments(p, cell)
	if match := limitForm.FindStringSubmatch(cell.text); match != nil && p.Limit == 0 {
		p.Limit, _ = strconv.Atoi(match[1])
	}
	for _, raw := range cell.code() {
		if conditions(raw, 0) == nil && isTemplate(raw) && !capitals.MatchString(raw) {
			if t, _, is := templateOf(raw); is && !p.compared(t) {
				p.Values = append(p.Values, t)
			}
		}
	}
}

var (
	operatorCell = lazyregexp.New(`(?i)^(?:begins_?with|begins with|starts with|between|<=|>=|<|>|=)[\s(]`)
	prefixCell   = lazyregexp.New(`(?i)^(\S+?)(?:\*|\s*\((?:prefix|begins_?with|begins with|starts with)\)|\*\s*\((?:prefix|begins_?with|begins with|starts with)\))$`)
)

// keyCell reads the cell of a pattern that gives one key's condition.
func (r *reader) keyCell(p *Pattern, cell inline, attribute string) {
	if attribute != "" && operatorCell.MatchString(cell.text) {
		// "begins_with `ORDER#`", "between A and B", ">= A": the column gives the attribute.
		if found := conditions(attribute+" "+cell.text, cell.line); len(found) > 0 && found[0].Attribute == attribute {
			p.Conditions = append(p.Conditions, found[0])
			return
		}
	}
	if match := prefixCell.FindStringSubmatch(cell.text); match != nil && attribute != "" {
		if template, _, is := templateOf(match[1]); is {
			p.Conditions = append(p.Conditions, Condition{Line: cell.line, Attribute: attribute, Operator: "begins_with", Value: template})
			return
		}
	}
	if found := conditions(cell.text, cell.line); len(found) > 0 {
		for _, condition := range found {
			if condition.Attribute == "" {
				condition.Attribute = attribute
			}
			p.Conditions = append(p.Conditions, condition)
		}
		return
	}
	if template, _, is := form(cell); is {
		p.Conditions = append(p.Conditions, Condition{Line: cell.line, Attribute: attribute, Operator: "=", Value: template})
		return
	}
	r.unread(cell.line, cell.text, "expected a condition on the key "+attribute)
}
