package reader

import (
	"slices"
	"sort"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// resolve puts together what was read in different places.
func (r *reader) resolve() {
	doc := r.doc
	doc.Tables = slices.DeleteFunc(doc.Tables, func(t *Table) bool {
		return t.Name == "" && len(t.Keys)+len(t.Indexes) == 0 && !slices.ContainsFunc(doc.Entities, func(e *Entity) bool { return e.Table == t && len(e.Keys) > 0 })
	})
	for _, table := range doc.Tables {
		if line := r.keysOfSome[table]; line > 0 && len(table.Indexes) == 0 {
			doc.Counts = append(doc.Counts, Count{At: At{line, Guessed}, What: "indexes", Table: table.Name, Value: 1})
		}
		if own := r.own[table]; own != nil && own.listsKeys(table) {
			r.simpleTable(table)
		}
	}
	for _, example := range doc.Examples {
		r.fromExample(example)
	}
	for _, table := range doc.Tables {
		r.simpleTable(table)
	}
	for _, entity := range doc.Entities {
		if len(entity.Keys) > 0 {
			r.keyed[entity.Table]++
		}
	}
	for _, entity := range doc.Entities {
		for _, a := range r.drawn[plain(entity.Title)] {
			entity.attribute(a)
		}
	}
	for section, all := range r.inSection {
		r.named(section, all)
	}
	for table, own := range r.own {
		// What stands with a table of one kind of item is said of that kind.
		if len(own.Keys) > 0 || r.keyed[table] != 1 {
			continue
		}
		for _, entity := range doc.Entities {
			if entity.Table == table && len(entity.Keys) > 0 {
				if entity.derived && table.Name != "" {
					entity.Title = table.Name
				}
				for _, a := range own.Attributes {
					entity.attribute(a)
				}
				own.Attributes = nil
			}
		}
	}
	doc.Entities = slices.DeleteFunc(doc.Entities, func(e *Entity) bool {
		if !slices.Contains(doc.Tables, e.Table) {
			return true
		}
		sampled := !slices.ContainsFunc(e.Keys, func(key EntityKey) bool { return key.Sure == Said })
		if e.Title == "" && (e.asItStands() || sampled && len(e.Keys) > 0) && r.others(e) {
			// Attributes of the table, not of one of its entities.
			doc.Common = append(doc.Common, e.Attributes...)
			return true
		}
		return len(e.Keys) == 0 || r.formsOfIndex(e)
	})
	for _, entity := range doc.Entities {
		r.indexKeys(entity)
		if entity.Title == "" {
			entity.Title = entity.Table.Name
		}
		entity.In = entity.Table.Name
		whole := !slices.ContainsFunc(entity.Table.Keys, func(k Key) bool { _, has := entity.Key(k.Name); return !has })
		at := r.blockAt(entity.Line)
		planned := at != nil && at.frame.sure() == Guessed
		if whole && !planned && entity.Title != "" && slices.ContainsFunc(entity.Keys, func(k EntityKey) bool { return k.Sure == Said }) {
			entity.Sure = Said
		}
	}
	r.keyTypes()
	for _, pattern := range doc.Patterns {
		r.roleAttributes(pattern)
		r.impliedKeys(pattern)
	}
}

// named gives the only kind of item of a section its title, and what the section
// says of its attributes.
func (r *reader) named(section *frame, all []*Entity) {
	if len(all) != 1 || !all[0].derived {
		return
	}
	entity, title := all[0], entityTitle(section.title.text)
	other := section.entity
	if other == entity || other != nil && len(other.Keys) > 0 {
		return
	}
	entity.Title = title
	if other == nil {
		return
	}
	for _, a := range other.Attributes {
		entity.attribute(a)
	}
	other.Attributes = nil // without keys it is left out
}

var indexTitleWord = lazyregexp.New(`(?i)\b(gsis?|lsis?|index(es)?|indices)\b`)

// formsOfIndex gives an index the forms of its keys, where a section about an
// index was taken for a kind of item.
func (r *reader) formsOfIndex(e *Entity) bool {
	if !indexTitleWord.MatchString(e.Title) || len(e.Attributes) > 0 {
		return false
	}
	if slices.ContainsFunc(e.Keys, func(key EntityKey) bool { _, is := e.Table.KeyNamed(key.Attribute); return is }) {
		return false
	}
	for _, index := range e.Table.Indexes {
		for _, key := range e.Keys {
			if slices.ContainsFunc(index.Keys, func(k Key) bool { return k.Name == key.Attribute }) {
				index.Templates = append(index.Templates, key)
			}
		}
	}
	return true
}

// asItStands reports whether the entity gives no form of a key: its keys, if it
// has any, are attributes as they stand.
func (e *Entity) asItStands() bool {
	return !slices.ContainsFunc(e.Keys, func(k EntityKey) bool { return string(k.Template) != "{"+k.Attribute+"}" })
}

// listsKeys reports whether the key attributes of the table are among the
// entity's attributes.
func (e *Entity) listsKeys(table *Table) bool {
	return len(table.Keys) > 0 && !slices.ContainsFunc(table.Keys, func(k Key) bool {
		_, has := e.Attribute(k.Name)
		return !has || isPlainKeyName(k.Name)
	})
}

// impliedKeys guesses which entities an access pattern finds through an index,
// where nobody gives them its keys: those of the kind that the partition key
// names, or those that have the attribute that it is made of.
func (r *reader) impliedKeys(p *Pattern) {
	table := r.known(p.Table)
	if table == nil || p.Index == "" {
		return
	}
	index, is := table.Index(p.Index)
	if !is {
		return
	}
	fixed := func(role string) (Key, Template) {
		key, is := index.Key(role)
		c, _ := first(p.Conditions, func(c Condition) bool { return is && c.Attribute == key.Name && c.Operator == "=" })
		return key, c.Value
	}
	hash, partition := fixed(Hash)
	sortKey, sort := fixed(Range)
	names := partition.Parameters()
	if partition == "" || len(names) > 0 && partition.Shape() != "{}" {
		return
	}
	if len(names) == 1 && !numberedKey.MatchString(hash.Name) {
		return // a key that is an attribute of its own: who has it says so
	}
	for _, entity := range r.doc.Entities {
		if _, has := entity.Key(hash.Name); has || entity.Table != table {
			continue
		}
		applies := false
		if len(names) == 1 {
			_, applies = entity.Attribute(names[0])
		} else if key, is := table.Key(Range); is {
			own, _ := entity.Key(key.Name)
			applies = strings.TrimRight(own.Template.Prefix(), "#:|/_") == string(partition) && len(own.Template.Parameters()) == 1 && entity.says(string(partition))
		}
		if !applies {
			continue
		}
		entity.set(EntityKey{At{p.Line, Guessed}, hash.Name, partition})
		if sort != "" {
			entity.set(EntityKey{At{p.Line, Guessed}, sortKey.Name, entity.filled(sort)})
		}
	}
}

// says reports whether an attribute of the entity is a constant of that value.
func (e *Entity) says(value string) bool {
	return slices.ContainsFunc(e.Attributes, func(a Attribute) bool { return a.constant() == value })
}

// constant is the value of an attribute that every item has alike: one in
// quotes, "" for none.
func (a Attribute) constant() string {
	if len(a.Note) > 2 && a.Note[0] == '"' && strings.IndexByte(a.Note[1:], '"') == len(a.Note)-2 {
		return a.Note[1 : len(a.Note)-1]
	}
	return ""
}

// filled replaces the parameters that are constants of the entity.
func (e *Entity) filled(t Template) Template {
	for _, name := range t.Parameters() {
		if a, has := e.Attribute(name); has && a.constant() != "" {
			t = Template(strings.ReplaceAll(string(t), "{"+name+"}", a.constant()))
		}
	}
	return t
}

// blockAt returns the first block that does not begin before a line.
func (r *reader) blockAt(line int) *block {
	at := sort.Search(len(r.blocks), func(i int) bool { return r.blocks[i].line >= line })
	if at == len(r.blocks) {
		return nil
	}
	return r.blocks[at]
}

// indexByKey returns the index whose partition key the conditions fix, where
// they do not fix the table's.
func indexByKey(table *Table, conditions []Condition) string {
	fixed := func(name string) bool {
		return slices.ContainsFunc(conditions, func(c Condition) bool { return c.Attribute == name && c.Operator == "=" })
	}
	if key, is := table.Key(Hash); !is || fixed(key.Name) {
		return ""
	}
	for _, index := range table.Indexes {
		if key, is := index.Key(Hash); is && fixed(key.Name) {
			return index.Name
		}
	}
	return ""
}

// roleAttributes replaces "PK" and "SK" in a pattern's conditions by the key
// attributes of its index or table, where these have other names.
func (r *reader) roleAttributes(p *Pattern) {
	table := r.known(p.Table)
	if table == nil {
		return
	}
	if p.Index == "" {
		p.Index = indexByKey(table, p.Conditions)
	}
	keys := table.Keys
	if index, is := table.Index(p.Index); is {
		keys = index.Keys
	}
	for i := range p.Conditions {
		c := &p.Conditions[i]
		c.Value, c.High = r.bareValue(c.Value), r.bareValue(c.High)
		byRole := strings.EqualFold(c.Attribute, "pk") || strings.EqualFold(c.Attribute, "sk")
		if !byRole || slices.ContainsFunc(keys, func(k Key) bool { return strings.EqualFold(k.Name, c.Attribute) }) {
			continue // as it is spelt, be it otherwise than the key
		}
		if key, is := keyOf(keys, roleOf(c.Attribute)); is {
			c.Attribute = key.Name
		}
	}
}

// bareValue takes a value for a parameter that is the name of a key attribute,
// of an id, or a single capital letter.
func (r *reader) bareValue(value Template) Template {
	text := string(value)
	if r.isKey(text) || camelSegment.MatchString(text) && !strings.HasPrefix(text, "YYYY") || len(text) == 1 && text >= "A" && text <= "Z" {
		return Template("{" + text + "}")
	}
	return value
}

// others reports whether the entity's table has further entities with keys.
func (r *reader) others(e *Entity) bool {
	return r.keyed[e.Table] > 1 || r.keyed[e.Table] == 1 && len(e.Keys) == 0
}

// fromExample guesses an entity from an item that is written out, where the
// document gives no form for its keys: a value of another attribute that stands
// in the key is a parameter.
func (r *reader) fromExample(x *Example) {
	at := r.blockAt(x.Line)
	if at == nil || x.Row {
		return
	}
	table, _ := r.table(at.frame, x.Line)
	var keys []EntityKey
	for _, key := range table.Keys {
		member, has := x.Member(key.Name)
		if !has || member.Text == "" {
			return
		}
		keys = append(keys, EntityKey{At{member.Line, Guessed}, key.Name, generalised(member.Text, key.Name, x.Members)})
	}
	if len(keys) == 0 {
		return
	}
	for _, entity := range r.doc.Entities {
		same := entity.Table == table || entity.isIn(x)
		if same && entity.Table != table {
			return // an item of another table, written out elsewhere
		}
		for _, key := range keys {
			known, has := entity.Key(key.Attribute)
			member, _ := x.Member(key.Attribute)
			same = same && has && (known.Template.Shape() == key.Template.Shape() || known.Template.Matches(member.Text))
		}
		if same {
			return
		}
	}
	entity := &Entity{At: At{x.Line, Guessed}, Title: entityTitle(x.Heading), Table: table, Keys: keys}
	for _, index := range table.Indexes {
		for _, key := range index.Keys {
			if member, has := x.Member(key.Name); has && member.Text != "" {
				entity.set(EntityKey{At{member.Line, Guessed}, key.Name, generalised(member.Text, key.Name, x.Members)})
			}
		}
	}
	for _, member := range x.Members {
		entity.attribute(Attribute{At{member.Line, Guessed}, member.Name, member.Type, ""})
	}
	r.addEntity(entity)
}

// isIn reports whether an example has the keys of the entity.
func (e *Entity) isIn(x *Example) bool {
	for _, key := range e.Table.Keys {
		own, has := e.Key(key.Name)
		member, is := x.Member(key.Name)
		if !has || !is || strings.Trim(own.Template.Shape(), "{}") == "" || !own.Template.Matches(member.Text) {
			return false
		}
	}
	return len(e.Table.Keys) > 0
}

// generalised replaces the values of other attributes in a key by parameters,
// and a whole value that is none by the key's own name.
func generalised(value, key string, members []Member) Template {
	out := value
	for _, member := range members {
		if member.Name != key && len(member.Text) > 2 && strings.Contains(out, member.Text) && !strings.Contains(member.Text, "#") && !capitals.MatchString(member.Text) {
			out = strings.Replace(out, member.Text, "{"+member.Name+"}", 1)
		}
	}
	if out == value && !strings.ContainsAny(value, "#|:/") && !capitals.MatchString(value) {
		return Template("{" + key + "}")
	}
	return Template(out)
}

// simpleTable gives a table of one kind of item its entity: the forms that the
// table's section gives, or the key attributes as they stand.
func (r *reader) simpleTable(table *Table) {
	own := r.own[table]
	for _, entity := range r.doc.Entities {
		if entity.Table == table && entity != own && len(entity.Keys) > 0 {
			return
		}
	}
	if len(table.Keys) == 0 || len(r.doc.Tables) > 1 && own == nil && table.Sure == Guessed {
		return
	}
	if own == nil {
		own = r.addEntity(&Entity{At: At{table.Line, Guessed}, Table: table})
	}
	for _, key := range r.templates[table] {
		own.set(key)
	}
	for _, key := range table.Keys {
		if _, has := own.Key(key.Name); has || isPlainKeyName(key.Name) {
			continue
		}
		own.set(EntityKey{key.At, key.Name, Template("{" + key.Name + "}")})
	}
}

// indexKeys gives an entity the keys of the indexes that it is in: those whose
// attributes it has, and those whose form the document gives with the index
// where the table has no other entity.
func (r *reader) indexKeys(e *Entity) {
	for _, index := range e.Table.Indexes {
		for _, key := range index.Keys {
			if _, has := e.Key(key.Name); has {
				continue
			}
			// GSI1PK says nothing of its values, and a list may name it as not used.
			if a, has := e.Attribute(key.Name); has && !numberedKey.MatchString(key.Name) {
				e.set(EntityKey{a.At, key.Name, Template("{" + key.Name + "}")})
				continue
			}
			if r.others(e) {
				continue
			}
			for _, form := range index.Templates {
				if form.Attribute == key.Name {
					e.set(form)
				}
			}
		}
	}
}

// keyTypes fills in the types of keys that stand with the attributes.
func (r *reader) keyTypes() {
	known := map[*Table]map[string]string{}
	for _, entity := range r.doc.Entities {
		if known[entity.Table] == nil {
			known[entity.Table] = map[string]string{}
		}
		for _, a := range entity.Attributes {
			if kind := keyType(a.Type); kind != "" && known[entity.Table][a.Name] == "" {
				known[entity.Table][a.Name] = kind
			}
		}
	}
	for _, table := range r.doc.Tables {
		table.typed(known[table])
	}
}

// String is a short form of a pattern's conditions, for people.
func (c Condition) String() string {
	switch c.Operator {
	case "begins_with":
		return strings.TrimSpace("begins_with(" + strings.Join([]string{c.Attribute, string(c.Value)}, ", ") + ")")
	case "BETWEEN":
		return c.Attribute + " BETWEEN " + string(c.Value) + " AND " + string(c.High)
	}
	return c.Attribute + " " + c.Operator + " " + string(c.Value)
}
