package drafter

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
	"dynaproof/accesspatterns/document/reader"
)

var (
	marks        = lazyregexp.New(`\$?\{[^{}]*\}|<[^<>]*>|\[[^\[\]]*\]`)
	environments = lazyregexp.New(`(?i)^(env|environment|stage)$`)
)

// tableID is the logical id of a table: its name without placeholders.
func (d *draft) tableID(table *reader.Table) string {
	name := table.Name
	if name == "" {
		name = d.design
	}
	return strings.Trim(strings.ReplaceAll(marks.ReplaceAllString(name, ""), "--", "-"), "-_.")
}

// deployedName is the name with its placeholder in braces, as a contract writes it. It
// returns false for a placeholder that is no environment.
func deployedName(name string) (string, bool) {
	known := true
	name = marks.ReplaceAllStringFunc(name, func(mark string) string {
		inner := strings.Trim(mark, "${}<>[]")
		known = known && environments.MatchString(inner)
		return "{" + inner + "}"
	})
	return name, known
}

func (d *draft) tables() {
	for _, table := range d.doc.Tables {
		if table.Sure == reader.Planned {
			continue
		}
		b := &block{section: tables, line: table.Line}
		d.blocks = append(d.blocks, b)
		id := d.tableID(table)
		hash, has := table.Key(reader.Hash)
		if !has {
			b.todo = fmt.Sprintf("table %s: no line names its partition key", id)
			continue
		}
		b.add(1, "%s:", quote(id))
		name, known := deployedName(table.Name)
		switch {
		case table.Name == "":
			b.add(2, "name: %s", quote(d.design))
			b.decide(table.Line, "no line names the table")
			b.add(2, "cite: %s", d.cite("chosen: no line names the table", place{table.Line, ""}))
		case !known:
			b.todo = fmt.Sprintf("table %s: a placeholder of a table's name stands for the environment, and this one does not say so", table.Name)
			b.add(2, "cite: %s", d.cite("", d.named(table, id)))
		default:
			b.add(2, "name: %s", quote(name))
			b.mark()
			b.add(2, "cite: %s", d.cite("", d.named(table, id)))
		}
		sort, hasSort := table.Key(reader.Range)
		b.add(2, "partition-key: {%s: %s}", quote(hash.Name), keyType(hash))
		b.key(hash)
		keys := []place{{hash.Line, hash.Name}}
		if hasSort {
			b.add(2, "sort-key: {%s: %s}", quote(sort.Name), keyType(sort))
			b.key(sort)
			keys = append(keys, place{sort.Line, sort.Name})
		}
		unnamed := ""
		for _, key := range keys {
			if !strings.Contains(d.doc.Line(key.line), key.token) {
				unnamed = "chosen: no line names the attribute of a key"
			}
		}
		b.add(2, "key-cite: %s", d.cite(unnamed, keys...))
		if hash.Type == "" || hasSort && sort.Type == "" {
			b.add(2, "types-cite: %s", d.cite("chosen: no line gives the type of a key", keys...))
		}
		d.indexes(b, table)
		d.settings(b, table)
	}
}

// key marks the last line, a key, and says what no line gives of it.
func (b *block) key(key reader.Key) {
	if key.Type == "" {
		b.decide(key.Line, "no line gives the type of "+key.Name+": S is chosen")
		return
	}
	b.mark()
}

// named is where a table's name stands.
func (d *draft) named(table *reader.Table, id string) place {
	line := d.doc.Line(table.Line)
	for _, token := range []string{table.Name, id} {
		if strings.Contains(line, token) {
			return place{table.Line, token}
		}
	}
	return place{table.Line, ""}
}

func keyType(key reader.Key) string { return cmp.Or(key.Type, "S") }

func (d *draft) indexes(b *block, table *reader.Table) {
	var drawn, spoken []place
	for _, local := range []bool{false, true} {
		head := false
		for _, index := range table.Indexes {
			if index.Local != local || index.Sure == reader.Planned {
				continue
			}
			spoken = append(spoken, place{index.Line, index.Name})
			keys, why := d.indexKeys(index)
			if why != "" {
				b.add(2, "# TODO line %d: index %s: %s", index.Line, index.Name, why)
				continue
			}
			if !head {
				b.add(2, "%s:", map[bool]string{false: "indexes", true: "local-indexes"}[local])
				head = true
			}
			drawn = append(drawn, place{index.Line, index.Name})
			d.index(b, index, keys)
		}
	}
	switch {
	case len(drawn) > 0:
		b.add(2, "indexes-cite: %s", d.cite("", drawn...))
	case len(spoken) > 0:
		b.add(2, "indexes-cite: %s", d.cite("", spoken...))
	case table.NoIndexes != nil:
		b.add(2, "indexes-cite: %s", d.cite("", d.named(table, d.tableID(table)), place{table.NoIndexes.Line, ""}))
	default:
		b.add(2, "indexes-cite: %s", d.cite("implied: no line gives an index", d.named(table, d.tableID(table))))
		b.decide(table.Line, "no form read an index")
	}
}

// indexKeys are the keys of an index that a contract gives: of a local one the sort key alone.
func (d *draft) indexKeys(index *reader.Index) (keys []reader.Key, why string) {
	hash, hasHash := index.Key(reader.Hash)
	sort, hasSort := index.Key(reader.Range)
	switch {
	case index.Local && !hasSort:
		return nil, "no line names its sort key"
	case index.Local:
		return []reader.Key{sort}, ""
	case !hasHash:
		return nil, "no line names its partition key"
	case hasSort:
		return []reader.Key{hash, sort}, ""
	}
	return []reader.Key{hash}, ""
}

func (d *draft) index(b *block, index *reader.Index, keys []reader.Key) {
	b.add(3, "%s:", quote(index.Name))
	at := []place{{index.Line, index.Name}}
	for _, key := range keys {
		b.add(4, "%s: {%s: %s}", map[string]string{reader.Hash: "partition-key", reader.Range: "sort-key"}[key.Role], quote(key.Name), keyType(key))
		b.key(key)
		at = append(at, place{key.Line, key.Name})
	}
	b.projection(d, index, at)
}

func (b *block) projection(d *draft, index *reader.Index, at []place) {
	projection := index.Projection.Value
	if projection == "" || projection == "INCLUDE" && len(index.Include) == 0 {
		b.add(4, "projection: ALL")
		b.decide(index.Line, "no line gives the projection: ALL is chosen")
		b.add(4, "cite: %s", d.cite("", at...))
		b.add(4, "projection-cite: %s", d.cite("chosen: no line gives the projection", place{index.Line, index.Name}))
		return
	}
	b.add(4, "projection: %s", projection)
	b.mark()
	if projection == "INCLUDE" {
		b.add(4, "non-key-attributes: [%s]", quotedList(index.Include))
		b.mark()
	}
	b.add(4, "cite: %s", d.cite("", at...))
	b.add(4, "projection-cite: %s", d.cite("", place{index.Projection.Line, d.asWritten(index.Projection.Line, projection)}))
}

// asWritten is the first of the words that the line has, as it spells it. Case is
// ignored.
func (d *draft) asWritten(line int, words ...string) string {
	text := d.doc.Line(line)
	for _, word := range words {
		if at := strings.Index(strings.ToLower(text), strings.ToLower(word)); at >= 0 && at+len(word) <= len(text) {
			return text[at : at+len(word)]
		}
	}
	return ""
}

func quotedList(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, quote(name))
	}
	return strings.Join(all, ", ")
}

func (d *draft) settings(b *block, table *reader.Table) {
	if len(table.Billing) > 0 {
		mode := table.Billing[0]
		b.add(2, "billing: {mode: %s, cite: %s}", mode.Value, d.cite("", place{mode.Line, d.asWritten(mode.Line, mode.Value, "on-demand", "on demand")}))
		b.mark()
		if other := slices.IndexFunc(table.Billing, func(s reader.Setting) bool { return s.Value != mode.Value }); other > 0 {
			b.add(2, "# TODO line %d: and %s here; which of the two is deployed?", table.Billing[other].Line, table.Billing[other].Value)
		}
	}
	if ttl := table.TTL; ttl != nil {
		if ttl.Value == "" {
			b.add(2, "# TODO line %d: items expire, and no line names the attribute of the TTL", ttl.Line)
		} else {
			b.add(2, "ttl: {attribute: %s, cite: %s}", quote(ttl.Value), d.cite("", place{ttl.Line, ttl.Value}))
			b.mark()
		}
	}
	if pitr := table.PITR; pitr != nil && pitr.Value == "enabled" {
		b.add(2, "pitr: {cite: %s}", d.cite("", place{pitr.Line, d.asWritten(pitr.Line, "point-in-time recovery", "PITR", "pointInTimeRecovery")}))
		b.mark()
	}
	if stream := table.Stream; stream != nil {
		if stream.Value == "" {
			b.add(2, "# TODO line %d: the table has a stream, and no line gives its view", stream.Line)
		} else {
			b.add(2, "stream: {view: %s, cite: %s}", stream.Value, d.cite("", place{stream.Line, stream.Value}))
			b.mark()
		}
	}
	if region := table.Region; region != nil {
		b.add(2, "region: {name: %s, cite: %s}", region.Value, d.cite("", place{region.Line, region.Value}))
		b.mark()
	}
	if len(table.Tags) > 0 {
		var at []place
		b.add(2, "tags:")
		b.add(3, "values:")
		seen := map[string]bool{}
		for _, tag := range table.Tags {
			if value, known := deployedName(tag.Value); known && !seen[tag.Name] {
				seen[tag.Name] = true
				b.add(4, "%s: %s", quote(tag.Name), quote(value))
				at = append(at, place{tag.Line, tag.Name})
			}
		}
		b.add(3, "cite: %s", d.cite("", at...))
	}
}

// written finds a key's form on a line in the document's own notation.
func (d *draft) written(line int, t reader.Template) string {
	if name := strings.Trim(string(t), "{}"); t.Shape() == "{}" && strings.Contains(d.doc.Line(line), name) {
		return name // an attribute that is the key as it stands
	}
	form := regexp.QuoteMeta(t.Shape())
	form = strings.ReplaceAll(form, `\{\}`, "(?:\\$?\\{\\{?[^{}]+\\}\\}?|<[^<>]+>|\\[[^\\[\\]]+\\]|:?[A-Za-z0-9_.-]+)")
	pattern, err := regexp.Compile(form)
	if err != nil {
		return ""
	}
	return pattern.FindString(d.doc.Line(line))
}

func (d *draft) entities() {
	for _, entity := range d.doc.Entities {
		if entity.Sure == reader.Planned {
			continue
		}
		b := &block{section: entities, line: entity.Line}
		d.blocks = append(d.blocks, b)
		id := d.id("entity", entity.Title)
		d.entityIDs[entity] = id
		b.add(1, "%s:", id)
		b.add(2, "title: %s", quote(entity.Title))
		b.add(2, "table: %s", quote(d.tableID(entity.Table)))
		at := []place{{entity.Line, entity.Title}}
		if !strings.Contains(d.doc.Line(entity.Line), entity.Title) { // of items below the head of a table the keys tell
			at = nil
			for _, key := range entity.Keys {
				at = append(at, place{key.Line, d.written(key.Line, key.Template)})
			}
		}
		b.add(2, "cite: %s", d.cite("", at...))
		var lacks []string
		for _, key := range entity.Table.Keys {
			if _, has := entity.Key(key.Name); !has {
				lacks = append(lacks, key.Name)
			}
		}
		if len(lacks) > 0 {
			b.todo = fmt.Sprintf("%s: no line gives the form of its key %s", entity.Title, strings.Join(lacks, ", "))
			delete(d.entityIDs, entity) // no pattern of the draft rests on it
		}
		b.add(2, "keys:")
		keys := map[string]bool{}
		for _, key := range entity.Keys {
			keys[key.Attribute] = true
			kind := ""
			if defined, _ := entity.Table.AnyKey(key.Attribute); defined.Type == "N" || defined.Type == "B" {
				kind = ", type: " + defined.Type
			}
			b.add(3, "%s: {template: %s%s, cite: %s}", quote(key.Attribute), quote(string(key.Template)), kind, d.cite("", place{key.Line, d.written(key.Line, key.Template)}))
			b.mark()
		}
		d.attributes(b, entity, keys)
	}
}

func (d *draft) attributes(b *block, entity *reader.Entity, keys map[string]bool) {
	head := false
	all := slices.Clone(entity.Attributes)
	if ttl := entity.Table.TTL; ttl != nil && ttl.Value != "" && !slices.ContainsFunc(d.doc.Entities, func(e *reader.Entity) bool {
		_, listed := e.Attribute(ttl.Value) // where some list it, the others do not expire
		return e.Table == entity.Table && listed
	}) {
		all = append(all, reader.Attribute{At: ttl.At, Name: ttl.Value, Type: "N"}) // a TTL is always a Number
	}
	for _, a := range all {
		if keys[a.Name] || !plainText.MatchString(a.Name) {
			continue
		}
		keys[a.Name] = true // each once
		if !head {
			b.add(2, "attributes:")
			head = true
		}
		kind := ""
		if a.Type != "" {
			kind = "type: " + a.Type + ", "
		}
		presence := "optional"
		if a.Required == "yes" {
			presence = "required"
		}
		b.add(3, "%s: {%spresence: %s, cite: %s}", quote(a.Name), kind, presence, d.cite("", place{a.Line, a.Name}))
		b.mark()
	}
}

// patternPart is the part of the document that lists access patterns.
func (d *draft) patternPart() (first, last int, token string) {
	for _, p := range d.doc.Patterns {
		if !p.Listed {
			continue
		}
		if first == 0 {
			first = p.Line
		}
		first, last = min(first, p.Line), max(last, p.Last)
	}
	if first == 0 && len(d.doc.Patterns) > 0 {
		first, last = d.doc.Patterns[0].Line, d.doc.Patterns[0].Line
	}
	return first, last, words(d.doc.Line(first))
}

func (d *draft) patterns() {
	for _, p := range d.doc.Patterns {
		if p.Sure == reader.Planned {
			continue
		}
		b := &block{section: patterns, line: p.Line}
		d.blocks = append(d.blocks, b)
		before, _, _ := strings.Cut(p.Title, " (")
		id := d.id("pattern", before)
		b.add(1, "%s:", id)
		title := cmp.Or(p.Title, fmt.Sprintf("%s, line %d", cmp.Or(p.Operation, "Request"), p.Line))
		b.add(2, "title: %s", quote(title))
		b.add(2, "cite: %s", d.cite("", place{p.Line, p.Title}))
		step, why := d.step(p)
		if why != "" {
			b.todo = fmt.Sprintf("%s: %s", title, why)
			if found := d.returned(p); p.Operation == "PutItem" && len(found) == 1 {
				b.add(2, "steps:")
				b.add(3, "- {put: %s}", found[0])
			}
			continue
		}
		b.add(2, "steps:")
		b.add(3, "- %s", step)
		b.mark()
		if found := d.returned(p); len(found) > 0 {
			b.add(2, "returns: [%s]", strings.Join(found, ", "))
		}
	}
}

var (
	writeTitle = lazyregexp.New(`(?i)^(?:[A-Z]+-?\d+[:.]?\s+)?(?:create|register|add|put|insert|save|store|record|update|edit|change|set|mark|delete|remove|cancel)\b`)
)

// wholeKey reports whether a pattern without an operation gives the whole key of a table.
func (d *draft) wholeKey(p *reader.Pattern, keys []reader.Key, values map[string]string) bool {
	return p.Operation == "" && p.Index == "" && len(keys) > 0 && len(values) == len(keys) &&
		!slices.ContainsFunc(p.Conditions, func(c reader.Condition) bool { return c.Operator != "=" || c.Filter })
}

// step writes the one request of a pattern, or says why it cannot.
func (d *draft) step(p *reader.Pattern) (step, why string) {
	table := d.doc.Table(p.Table)
	if table == nil {
		return "", "no line says which table it reads"
	}
	keys, source := table.Keys, d.tableID(table)
	if p.Index != "" {
		index, is := table.Index(p.Index)
		if !is {
			return "", "no line defines the index " + p.Index
		}
		keys, source = index.Keys, source+"/"+index.Name
	}
	var conditions, filters []string
	values := map[string]string{}
	take := func(c reader.Condition) {
		values[c.Attribute] = string(c.Value)
		conditions = append(conditions, expression(c))
	}
	for _, key := range keys {
		for _, c := range p.Conditions {
			if c.Attribute == key.Name && !c.Filter && values[key.Name] == "" {
				take(c)
			}
		}
	}
	for _, c := range p.Conditions {
		if c.Filter {
			filters = append(filters, expression(c))
		}
	}
	operation := p.Operation
	switch {
	case operation == "" && writeTitle.MatchString(p.Title):
		return "", "it writes, by its title: write what it writes, under which condition"
	case d.wholeKey(p, keys, values):
		return "", "the whole key is given, and no line says whether it is a GetItem or a Query"
	case slices.ContainsFunc(p.Conditions, func(c reader.Condition) bool { return c.Value == "" }):
		return "", "no line gives the value of " + p.Conditions[slices.IndexFunc(p.Conditions, func(c reader.Condition) bool { return c.Value == "" })].Attribute
	}
	switch operation {
	case "GetItem":
		if len(values) < len(keys) || p.Index != "" {
			var names, given []string
			for _, k := range keys {
				names = append(names, k.Name)
			}
			for _, c := range p.Conditions {
				given = append(given, c.Attribute)
			}
			return "", "a GetItem needs the whole key of the table, " + strings.Join(names, " and ") + "; the lines give " + cmp.Or(strings.Join(given, " and "), "no attribute")
		}
		var key []string
		for _, k := range keys {
			key = append(key, quote(k.Name)+": "+quote(values[k.Name]))
		}
		return fmt.Sprintf("{get: %s, key: {%s}}", quote(source), strings.Join(key, ", ")), ""
	case "Query", "":
		if len(keys) == 0 || values[keys[0].Name] == "" {
			return "", "no line gives the value of the partition key"
		}
		step = fmt.Sprintf("{query: %s, where: %s", quote(source), quote(strings.Join(conditions, " AND ")))
		if len(filters) > 0 {
			step += ", filter: " + quote(strings.Join(filters, " AND "))
		}
		if p.Order == "descending" {
			step += ", order: descending"
		}
		if p.Limit > 0 {
			step += fmt.Sprintf(", limit: %d", p.Limit)
		}
		return step + "}", ""
	case "BatchGetItem", "TransactGetItems":
		return "", fmt.Sprintf("a %s: write the keys that it reads", p.Operation)
	case "Scan":
		return "", "a Scan needs a waiver: who accepts it, and why"
	}
	return "", fmt.Sprintf("a %s: write what it writes, under which condition", p.Operation)
}

func expression(c reader.Condition) string {
	value := func(t reader.Template) string {
		if lazyregexp.New(`^[A-Za-z0-9_#:|/.{}-]+$`).MatchString(string(t)) {
			return string(t)
		}
		return "'" + strings.ReplaceAll(string(t), "'", "''") + "'"
	}
	switch c.Operator {
	case "begins_with":
		return fmt.Sprintf("begins_with(%s, %s)", c.Attribute, value(c.Value))
	case "BETWEEN":
		return fmt.Sprintf("%s BETWEEN %s AND %s", c.Attribute, value(c.Value), value(c.High))
	}
	return fmt.Sprintf("%s %s %s", c.Attribute, c.Operator, value(c.Value))
}

// returned are the kinds of items that a read finds, by their keys.
func (d *draft) returned(p *reader.Pattern) []string {
	var found []string
	for _, entity := range d.doc.Entities {
		fits := entity.Table != nil && entity.Table.Name == p.Table && d.entityIDs[entity] != ""
		asked := 0
		for _, c := range p.Conditions {
			if _, isKey := entity.Table.AnyKey(c.Attribute); !isKey || c.Filter {
				continue
			}
			asked++
			key, has := entity.Key(c.Attribute)
			own, value := key.Template.Shape(), c.Value.Shape()
			switch {
			case !has:
				fits = false
			case c.Operator == "=":
				fits = fits && (own == value || key.Template.Matches(string(c.Value)) && !strings.Contains(value, "{}"))
			default:
				fits = fits && (strings.HasPrefix(own, value) || strings.HasPrefix(value, own))
			}
		}
		if fits && asked > 0 {
			found = append(found, d.entityIDs[entity])
		}
	}
	return found
}
