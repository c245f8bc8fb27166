package importer

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/expression"
)

// entity is an entity of schema.json, or a kind of the source's samples.
type entity struct {
	id, table  string
	at         cite
	keys       []attribute
	attributes []attribute
	node       *yaml.Node
}

type attribute struct {
	name, kind string // no kind: any
	optional   bool
	at         cite
	seen       bool   // a sample has it
	template   string // of a key
	unbound    bool   // no attribute holds what the template's parameter is
}

// all are the attributes, those of keys first.
func (e *entity) all() (all []*attribute) {
	for i := range e.keys {
		all = append(all, &e.keys[i])
	}
	for i := range e.attributes {
		all = append(all, &e.attributes[i])
	}
	return all
}

// primary are the attributes of the primary key.
func (e *entity) primary(t *table) []attribute {
	return slices.DeleteFunc(slices.Clone(e.keys), func(k attribute) bool { return !slices.Contains(t.keys(), k.name) })
}

// fieldTypes are the types of fields in schema.json.
var fieldTypes = map[string]string{
	"string": "S", "uuid": "S", "integer": "N", "decimal": "N", "boolean": "BOOL", "array": "L", "object": "M",
}

var placeholder = regexp.MustCompile(`\{([^{}]*)\}`)

// modelSchema reads schema.json: tables, and entities with the templates of their keys,
// which say the types of the tables' keys.
func (d *draft) modelSchema(root *yaml.Node) {
	for _, each := range d.list(root, "tables") {
		config := get(each, "table_config")
		if config == nil {
			d.report(each, "expected table_config here, found none")
			continue
		}
		name, partition := d.text(config, "table_name"), d.text(config, "partition_key")
		if name == nil || partition == nil {
			continue
		}
		t := d.newTable(name, each)
		t.partition, t.keyAt = partition.Value, d.cite(partition)
		if sort := get(config, "sort_key"); sort != nil {
			t.sort, t.keyAt = sort.Value, t.keyAt.and(d.cite(sort))
		}
		if at, list := member(each, "gsi_list"); list != nil && len(list.Content) > 0 {
			t.indexesAt = d.cite(at)
		}
		for _, gsi := range d.list(each, "gsi_list") {
			name, partition := d.text(gsi, "name"), d.text(gsi, "partition_key")
			if name == nil || partition == nil {
				continue
			}
			i := index{name: name.Value, at: d.cite(name), key: key{partition: partition.Value, keyAt: d.cite(partition), types: map[string]string{}}}
			if sort := get(gsi, "sort_key"); sort != nil {
				i.sort, i.keyAt = sort.Value, i.keyAt.and(d.cite(sort))
			}
			i.projection, i.projectionAt, i.chosen = "ALL", d.cite(name), "the source names no projection"
			if kind := get(gsi, "projection"); kind != nil {
				i.chosen = ""
				d.projected(&i, kind, d.list(gsi, "included_attributes"))
			}
			t.indexes = append(t.indexes, i)
		}
		entities := get(each, "entities")
		if entities == nil || entities.Kind != yaml.MappingNode || len(entities.Content) == 0 {
			d.report(each, "table %s: expected entities, found none", t.id)
			continue
		}
		for name, node := range members(entities) {
			d.entity(t, name, node)
		}
		d.tables = append(d.tables, t)
	}
}

// entity reads an entity of a table.
func (d *draft) entity(t *table, name, node *yaml.Node) {
	e := &entity{id: name.Value, table: t.id, at: d.cite(name), node: node}
	kinds := map[string]attribute{}
	for _, field := range d.list(node, "fields") {
		fieldName, kind := d.text(field, "name"), d.text(field, "type")
		if fieldName == nil || kind == nil {
			continue
		}
		written, known := fieldTypes[kind.Value]
		if !known {
			d.report(kind, "field %s of %s: expected the type string, integer, decimal, boolean, array, object or uuid, found %s", fieldName.Value, name.Value, kind.Value)
			continue
		}
		a := attribute{name: fieldName.Value, kind: written, optional: textOf(field, "required") != "true", at: d.cite(fieldName, kind)}
		kinds[a.name] = a
		e.attributes = append(e.attributes, a)
	}
	keyOf := func(k *key, of string, from *yaml.Node, property string) {
		template := d.text(from, property)
		if template == nil || of == "" {
			return
		}
		made := attribute{name: of, template: template.Value, kind: "S", at: d.cite(template)}
		for _, found := range placeholder.FindAllStringSubmatch(template.Value, -1) {
			field, known := kinds[found[1]]
			if !known {
				d.report(template, "template %s of %s: expected its fields, found no field %s", template.Value, name.Value, found[1])
				return
			}
			made.optional = made.optional || field.optional
			if found[0] == template.Value {
				made.kind = field.kind
			}
		}
		if before := k.types[of]; before != "" && before != made.kind {
			d.report(template, "key attribute %s: expected the type %s, as of another entity, found %s", of, before, made.kind)
		}
		k.types[of], k.typesAt = made.kind, k.typesAt.and(made.at)
		if !slices.ContainsFunc(e.keys, func(other attribute) bool { return other.name == of }) {
			e.keys = append(e.keys, made)
		}
	}
	keyOf(&t.key, t.partition, node, "pk_template")
	if t.sort != "" {
		keyOf(&t.key, t.sort, node, "sk_template")
	}
	for _, mapping := range d.list(node, "gsi_mappings") {
		gsi := d.text(mapping, "name")
		if gsi == nil {
			continue
		}
		i := t.index(gsi.Value)
		if i == nil {
			d.report(gsi, "%s is mapped to index %s: expected an index of gsi_list, found none of that name", name.Value, gsi.Value)
			continue
		}
		keyOf(&i.key, i.partition, mapping, "pk_template")
		if i.sort != "" {
			keyOf(&i.key, i.sort, mapping, "sk_template")
		}
	}
	d.accessPatterns(t, name.Value, node)
	d.entities = append(d.entities, e)
}

// accessPatterns refuses patterns that no table can answer.
func (d *draft) accessPatterns(t *table, of string, node *yaml.Node) {
	for _, each := range d.list(node, "access_patterns") {
		if at := get(each, "index_name"); at != nil && t.index(at.Value) == nil {
			d.report(at, "access pattern %s of %s: expected an index of table %s, found no index %s", cmp.Or(textOf(each, "name"), "without a name"), of, t.id, at.Value)
		}
	}
}

// schemaPatterns reads the access patterns of an entity that get and query. What they
// are given are the values of the entity's first sample.
func (d *draft) schemaPatterns(e *entity) {
	t := d.table(e.table)
	at := slices.IndexFunc(d.samples, func(s *sample) bool { return s.Entity == e.id })
	if node, list := member(e.node, "access_patterns"); list != nil && d.patternsAt == nil {
		d.patternsAt = d.cite(node)
	}
	for _, each := range d.list(e.node, "access_patterns") {
		name, operation := d.text(each, "name"), d.text(each, "operation")
		if name == nil || operation == nil {
			continue
		}
		d.listed++
		left := func(why string) {
			d.cannot(name.Value+" of "+e.id, d.cite(name), "%s; transcribe it with the cases that it needs", why)
		}
		if operation.Value != "GetItem" && operation.Value != "Query" {
			left("its operation is " + operation.Value)
			continue
		}
		index := textOf(each, "index_name")
		keys, _ := t.keysOf(index) // refused above where there is none
		p := &pattern{title: name.Value, at: d.cite(name), table: t, params: map[string]string{}, get: operation.Value == "GetItem", sort: keys[len(keys)-1]}
		if why := p.ofSchema(d, e, each, keys, at); why != "" {
			left(why)
			continue
		}
		p.finish(index)
		p.id = d.newID(p.title)
		d.patterns = append(d.patterns, p)
	}
}

// ofSchema takes the conditions over, or says why it cannot.
func (p *pattern) ofSchema(d *draft, e *entity, node *yaml.Node, keys []string, first int) string {
	if first < 0 {
		return "the entity has no sample"
	}
	var parameters []string
	for _, each := range d.list(node, "parameters") {
		if name := get(each, "name"); name != nil {
			parameters = append(parameters, name.Value)
		}
	}
	take := func(attribute string, op expression.Operator, templates ...string) bool {
		value, has := d.samples[first].text(attribute)
		if !has {
			return false
		}
		var texts []string
		for _, template := range templates {
			found, err := ap.KeyTemplate(template).Parse(value)
			if err != nil {
				return false
			}
			for name, text := range found {
				at := slices.Index(parameters, name)
				if at < 0 {
					return false
				}
				p.params[name] = text
			}
			texts = append(texts, literal(template))
		}
		for name := range p.params {
			parameters = slices.DeleteFunc(parameters, func(each string) bool { return each == name })
		}
		exact := operand{value: d.samples[first].values()[attribute]}
		p.where = append(p.where, term{place: attributeAt(attribute), op: op, low: exact, high: exact})
		p.say(attribute, op, texts)
		return true
	}
	form := func(name string) string {
		at := slices.IndexFunc(e.keys, func(k attribute) bool { return k.name == name })
		if at < 0 {
			return ""
		}
		return e.keys[at].template
	}
	const unclear = "its parameters are not those of the key"
	if !take(keys[0], expression.Equal, form(keys[0])) {
		return unclear
	}
	condition := get(node, "range_condition")
	switch {
	case condition == nil && (p.get && len(keys) > 1 || len(parameters) > 0):
		if len(keys) < 2 || !take(keys[1], expression.Equal, form(keys[1])) {
			return unclear
		}
	case condition != nil && len(keys) > 1 && len(parameters) > 0:
		head, _, _ := strings.Cut(form(keys[1]), "{")
		var templates []string
		for _, name := range parameters {
			templates = append(templates, head+"{"+name+"}")
		}
		op := expression.Operator(strings.Replace(condition.Value, "between", "BETWEEN", 1))
		if len(templates) > 2 || (op == expression.Between) != (len(templates) == 2) || !take(keys[1], op, templates...) {
			return unclear
		}
	}
	if len(parameters) > 0 {
		return unclear
	}
	return ""
}

// write writes an entity of the contract.
func (e *entity) write(line func(depth int, format string, args ...any)) {
	line(1, "%s:", quote(e.id))
	line(2, "title: %s", quote(e.id))
	line(2, "table: %s", quote(e.table))
	line(2, "cite: %s", e.at)
	line(2, "keys:")
	for _, k := range e.keys {
		options := ""
		if k.kind != "S" {
			options += ", type: " + k.kind
		}
		if k.optional {
			options += ", optional: true"
		}
		if _, rest, has := strings.Cut(k.template, "{"); has && k.unbound {
			name, _, _ := strings.Cut(rest, "}")
			options += ", binds: {" + quote(name) + ": ''}"
		}
		line(3, "%s: {template: %s%s, cite: %s}", quote(k.name), quote(k.template), options, k.at)
	}
	if len(e.attributes) > 0 {
		line(2, "attributes:")
	}
	for _, a := range e.attributes {
		options := ""
		if a.kind != "" {
			options = "type: " + a.kind + ", "
		}
		if a.optional {
			options += "presence: optional, "
		}
		line(3, "%s: {%scite: %s}", quote(a.name), options, a.at)
	}
}

// items makes items of usage data: the keys from the templates, and the fields as
// they stand there.
func (d *draft) items(usage Source) error {
	root, u, err := parse(usage)
	if err != nil {
		return err
	}
	keys := map[string]string{}
	for _, e := range d.entities {
		data := get(root, "entities", e.id)
		if data == nil {
			u.report(root, "expected usage data of entity %s, found none", e.id)
			continue
		}
		for _, kind := range []string{"sample_data", "access_pattern_data"} {
			values := get(data, kind)
			if values == nil {
				continue
			}
			item := map[string]any{}
			for name, value := range members(values) {
				at := slices.IndexFunc(e.attributes, func(a attribute) bool { return a.name == name.Value })
				if at < 0 {
					u.report(name, "%s of %s: expected a field of the schema, found %s", kind, e.id, name.Value)
					continue
				}
				item[name.Value] = u.value(value, e, &e.attributes[at])
			}
			key := e.table
			for _, k := range e.keys {
				text, whole := fill(k.template, values)
				if !whole {
					if !k.optional {
						u.report(values, "%s of %s: expected the fields of %s, found not all of them", kind, e.id, k.template)
					}
					continue
				}
				item[k.name] = map[string]any{k.kind: text}
				if table := d.table(e.table); k.name == table.partition || k.name == table.sort {
					key += "\n" + text
				}
			}
			name := strings.ToLower(e.id) + map[string]string{"sample_data": "", "access_pattern_data": "-other"}[kind]
			if other, taken := keys[key]; taken {
				u.note("%s of %s has the key of %s and was left out", kind, e.id, other)
				continue
			}
			keys[key] = name
			d.samples = append(d.samples, &sample{Name: name, Entity: e.id, Source: "own", Item: item, table: d.table(e.table)})
		}
	}
	for _, e := range d.entities {
		e.attributes = slices.DeleteFunc(e.attributes, func(a attribute) bool {
			if !a.seen {
				u.note("%s of %s was left out, for no sample has it", a.name, e.id)
			}
			return !a.seen
		})
	}
	d.notes = append(d.notes, u.notes...)
	d.mistakes = append(d.mistakes, u.mistakes...)
	if len(d.mistakes) == 0 {
		for _, e := range d.entities {
			d.schemaPatterns(e)
		}
	}
	return nil
}

func (d *draft) table(id string) *table {
	return d.tables[slices.IndexFunc(d.tables, func(t *table) bool { return t.id == id })]
}

// fill fills a template with the fields of a sample.
func fill(template string, values *yaml.Node) (text string, whole bool) {
	whole = true
	text = placeholder.ReplaceAllStringFunc(template, func(found string) string {
		value := get(values, found[1:len(found)-1])
		if value == nil || value.Kind != yaml.ScalarNode {
			whole = false
			return found
		}
		return value.Value
	})
	return text, whole
}

// value is a value in DynamoDB's JSON. Where it is of another type than its field, the
// type is left open, but not that of a key.
func (d *draft) value(node *yaml.Node, of *entity, field *attribute) any {
	value := attributeValue(node)
	field.seen = true
	if _, is := value[field.kind]; is || field.kind == "" {
		return value
	}
	if slices.ContainsFunc(of.keys, func(k attribute) bool { return strings.Contains(k.template, "{"+field.name+"}") }) {
		d.report(node, "%s: expected a value of type %s, found %s", field.name, field.kind, shown(node))
		return value
	}
	d.note("%s of %s: the schema says type %s, and %s:%d has %s; the type is left open", field.name, of.id, field.kind, d.file, node.Line, shown(node))
	field.kind = ""
	return value
}

// attributeValue is a value in DynamoDB's JSON.
func attributeValue(node *yaml.Node) map[string]any {
	switch {
	case node.Kind == yaml.SequenceNode:
		list := []any{}
		for _, each := range node.Content {
			list = append(list, attributeValue(each))
		}
		return map[string]any{"L": list}
	case node.Kind == yaml.MappingNode:
		object := map[string]any{}
		for name, value := range members(node) {
			object[name.Value] = attributeValue(value)
		}
		return map[string]any{"M": object}
	case node.Tag == "!!int" || node.Tag == "!!float":
		return map[string]any{"N": node.Value}
	case node.Tag == "!!bool":
		return map[string]any{"BOOL": node.Value == "true"}
	case node.Tag == "!!null":
		return map[string]any{"NULL": true}
	}
	return map[string]any{"S": node.Value}
}
