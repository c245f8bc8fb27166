package importer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract/file"
	"dynaproof/accesspatterns/expression"
)

// modelEntity is an entity of schema.json
// (https://github.com/awslabs/mcp/blob/main/src/dynamodb-mcp-server/awslabs/dynamodb_mcp_server/repo_generation_tool/docs/SCHEMA_VALIDATION.md).
type modelEntity struct {
	id     string
	table  *table
	node   *yaml.Node
	fields []*field
	// templates are those of the key attributes of the table, and by index.
	templates map[string][]keyPart
	// updates are the values of update_data, and filters those of filter_values by parameter.
	updates, filters map[string]*yaml.Node
}

type field struct {
	name, kind string
	required   bool
	at         file.Citation
}

// keyPart is a key attribute with its template in an entity.
type keyPart struct {
	attribute string
	template  ap.KeyTemplate
}

func (e *modelEntity) field(name string) *field {
	at := slices.IndexFunc(e.fields, func(f *field) bool { return f.name == name })
	if at < 0 {
		return nil
	}
	return e.fields[at]
}

// fieldTypes are the types of fields in schema.json.
var fieldTypes = map[string]string{
	"string": "S", "uuid": "S", "integer": "N", "decimal": "N", "boolean": "BOOL", "array": "L", "object": "M",
}

// keyNames are the attributes of a key: one, or a list of up to four where an index may have several.
func (d *draft) keyNames(node *yaml.Node, name string, several bool) (all []*yaml.Node) {
	value := get(node, name)
	if value == nil {
		return nil
	}
	if value.Kind != yaml.SequenceNode {
		return slices.DeleteFunc([]*yaml.Node{d.text(node, name)}, func(each *yaml.Node) bool { return each == nil })
	}
	if n := len(value.Content); !several || n == 0 || n > maxParts {
		d.report(value, "%s: expected %s, found a list of %d", name, map[bool]string{true: "text, or a list of one to four", false: "text"}[several], n)
		return nil
	}
	for _, each := range value.Content {
		if each.Tag != "!!str" || strings.TrimSpace(each.Value) == "" {
			d.report(each, "%s: expected text in the list, found %s", name, shown(each))
			return nil
		}
	}
	return d.scalars(value)
}

// modelSchema reads schema.json: tables, and entities with the templates of their keys,
// which say the types of the tables' keys.
func (d *draft) modelSchema(root *yaml.Node) {
	d.schema = []*modelEntity{}
	seen := map[string]int{}
	for _, each := range d.list(root, "tables") {
		config := get(each, "table_config")
		if config == nil {
			d.report(each, "expected table_config here, found none")
			continue
		}
		name := d.text(config, "table_name")
		if name == nil || d.text(config, "partition_key") == nil {
			continue
		}
		t := d.newTable(name, each)
		k := map[string]*key{"": {}}
		attributes := map[string][2][]*yaml.Node{"": {d.keyNames(config, "partition_key", false), d.keyNames(config, "sort_key", false)}}
		var indexes []*yaml.Node
		for gsi, index := range d.indexes(t, each, "gsi_list", "name") {
			if _, twice := k[index.Value]; twice {
				d.report(index, "index %s of table %s stands twice", index.Value, t.id)
				continue
			}
			if get(gsi, "partition_key") == nil {
				d.report(gsi, "expected partition_key here, found none")
			}
			indexes, k[index.Value] = append(indexes, gsi), &key{}
			attributes[index.Value] = [2][]*yaml.Node{d.keyNames(gsi, "partition_key", true), d.keyNames(gsi, "sort_key", true)}
		}
		entities := get(each, "entities")
		if entities == nil || entities.Kind != yaml.MappingNode || len(entities.Content) == 0 {
			d.report(each, "table %s: expected entities, found none", t.id)
			continue
		}
		for name, node := range members(entities) {
			if line, twice := seen[name.Value]; twice {
				d.report(name, "entity %s stands twice, first in line %d", name.Value, line)
				continue
			}
			seen[name.Value] = name.Line
			d.modelEntity(t, name, node, attributes, k)
		}
		for _, gsi := range indexes {
			name := get(gsi, "name")
			of := k[name.Value]
			if len(of.partition) < len(attributes[name.Value][0]) || len(of.sort) < len(attributes[name.Value][1]) {
				d.untyped(of, name, attributes[name.Value])
			}
			d.index(t, false, name, *of, get(gsi, "projection"), get(gsi, "included_attributes"))
		}
		t.PartitionKey, t.SortKey, t.KeyCite = k[""].partition, k[""].sort, k[""].at
		d.tables = append(d.tables, t)
	}
	if at, list := member(root, "cross_table_access_patterns"); list != nil {
		d.cross = d.list(root, "cross_table_access_patterns")
		if !d.patternsAt.Given() {
			d.patternsAt = d.cite(at)
		}
	}
	d.modelPatterns()
	d.unread("", root, []string{"access_patterns", "cross_table_access_patterns", "description"})
}

// untyped takes text for the key of an index that no entity is in, and tells it.
func (d *draft) untyped(of *key, name *yaml.Node, attributes [2][]*yaml.Node) {
	d.noteAt(name, "index %s: no entity maps its whole key, so its type is taken to be S", name.Value)
	for i, into := range []*file.Ordered[string]{&of.partition, &of.sort} {
		for _, each := range attributes[i] {
			if !slices.Contains(into.Names(), each.Value) {
				*into = append(*into, file.Entry[string]{Name: each.Value, Value: "S"})
				of.at = and(of.at, d.cite(each))
			}
		}
	}
}

// modelEntity reads an entity of a table.
func (d *draft) modelEntity(t *table, name, node *yaml.Node, attributes map[string][2][]*yaml.Node, keys map[string]*key) {
	e := &modelEntity{id: name.Value, table: t, node: node, templates: map[string][]keyPart{}}
	of := file.Entity{Title: e.id, Table: t.id, Cite: d.cite(name)}
	if get(node, "entity_type") == nil {
		d.report(name, "%s: expected entity_type, found none", e.id)
	}
	if get(node, "fields") == nil {
		d.report(name, "%s: expected fields, found none", e.id)
	}
	for _, each := range d.list(node, "fields") {
		fieldName, kind := d.text(each, "name"), d.text(each, "type")
		if fieldName == nil || kind == nil {
			continue
		}
		written, known := fieldTypes[kind.Value]
		required := get(each, "required")
		switch {
		case !known:
			d.report(kind, "field %s of %s: expected the type string, integer, decimal, boolean, array, object or uuid, found %s", fieldName.Value, e.id, kind.Value)
			e.fields = append(e.fields, &field{name: fieldName.Value})
		case required == nil || required.Tag != "!!bool":
			d.report(each, "field %s of %s: expected required, true or false, found none", fieldName.Value, e.id)
		case kind.Value == "array" && get(each, "item_type") == nil:
			d.report(each, "field %s of %s: expected item_type beside the type array, found none", fieldName.Value, e.id)
		case e.field(fieldName.Value) != nil:
			d.report(fieldName, "field %s of %s stands twice", fieldName.Value, e.id)
		default:
			e.fields = append(e.fields, &field{fieldName.Value, written, required.Value == "true", d.cite(fieldName, kind)})
		}
	}
	d.modelKey(e, &of, "", node, attributes[""], keys[""])
	for _, mapping := range d.list(node, "gsi_mappings") {
		gsi := d.text(mapping, "name")
		switch {
		case gsi == nil:
		case keys[gsi.Value] == nil || gsi.Value == "":
			d.report(gsi, "%s is mapped to index %s: expected an index of gsi_list, found none of that name", e.id, gsi.Value)
		default:
			d.modelKey(e, &of, gsi.Value, mapping, attributes[gsi.Value], keys[gsi.Value])
		}
	}
	d.schema = append(d.schema, e)
	d.contract.Entities = append(d.contract.Entities, file.Entry[file.Entity]{Name: e.id, Value: of})
}

// modelKey reads the templates of a key: of the table, or of an index.
func (d *draft) modelKey(e *modelEntity, of *file.Entity, index string, node *yaml.Node, attributes [2][]*yaml.Node, k *key) {
	for i, property := range []string{"pk_template", "sk_template"} {
		at := get(node, property)
		switch {
		case at == nil && i == 0:
			d.report(node, "%s: expected %s here, found none", e.id, property)
			continue
		case at == nil && index == "" && len(attributes[i]) > 0:
			d.report(node, "%s: expected sk_template, for its table has a sort key, found none", e.id)
			continue
		case at == nil:
			continue
		case len(attributes[i]) == 0 && i == 1:
			d.noteAt(at, "%s has %s, and its key has no sort key; it is left out", e.id, property)
			continue
		}
		templates := d.keyNames(node, property, index != "")
		if len(templates) > 0 && len(attributes[i]) > 0 && len(templates) != len(attributes[i]) {
			d.report(at, "%s of %s: expected a template for each of the %d attributes of the key, found %d", property, e.id, len(attributes[i]), len(templates))
			continue
		}
		for n, template := range templates {
			if n < len(attributes[i]) {
				d.modelTemplate(e, of, index, attributes[i][n], template, []*file.Ordered[string]{&k.partition, &k.sort}[i], k)
			}
		}
	}
}

// modelTemplate reads the template of a key attribute, which gives it its type.
func (d *draft) modelTemplate(e *modelEntity, of *file.Entity, index string, attribute, template *yaml.Node, into *file.Ordered[string], k *key) {
	parsed := ap.KeyTemplate(template.Value)
	if err := parsed.Validate(); err != nil || strings.Contains(template.Value, "{}") {
		d.report(template, "template %s of %s: expected fields in braces, found %v", template.Value, e.id, err)
		return
	}
	kind, optional := "S", false
	for _, name := range parsed.Parameters() {
		f := e.field(name)
		if f == nil {
			d.report(template, "template %s of %s: expected its fields, found no field %s", template.Value, e.id, name)
			return
		}
		optional = optional || !f.required
		if "{"+name+"}" == template.Value && f.kind == "N" {
			kind = "N"
		}
	}
	e.templates[index] = append(e.templates[index], keyPart{attribute.Value, parsed})
	entry := keyEntry(attribute.Value, template.Value, kind, d.cite(template), false)
	entry.Value.Optional = optional && index != ""
	if !slices.Contains(of.Keys.Names(), attribute.Value) {
		of.Keys = append(of.Keys, entry)
	}
	at := slices.IndexFunc(*into, func(entry file.Entry[string]) bool { return entry.Name == attribute.Value })
	switch {
	case at < 0:
		*into = append(*into, file.Entry[string]{Name: attribute.Value, Value: kind})
		k.at = and(k.at, d.cite(attribute, template))
	case (*into)[at].Value != kind:
		d.report(template, "key attribute %s: expected the type %s, as of another entity, found %s", attribute.Value, (*into)[at].Value, kind)
	}
}

// usageSections are what usage data has of each entity.
var usageSections = []string{"sample_data", "access_pattern_data", "update_data", "filter_values"}

// usage makes items of usage data: the keys from the templates, and the fields as they stand there.
func (d *draft) usage(usage Source) error {
	root, u, err := parse(usage)
	if err != nil {
		return err
	}
	for name := range members(get(root, "entities")) {
		if !slices.ContainsFunc(d.schema, func(e *modelEntity) bool { return e.id == name.Value }) {
			u.report(name, "expected an entity of the schema, found %s", name.Value)
		}
	}
	for name := range members(root) {
		if name.Value != "entities" {
			u.report(name, "expected entities, found %s", name.Value)
		}
	}
	for i, e := range d.schema {
		data := get(root, "entities", e.id)
		if data == nil {
			u.report(root, "expected usage data of entity %s, found none", e.id)
			continue
		}
		for section, values := range members(data) {
			if !slices.Contains(usageSections, section.Value) {
				u.report(section, "%s: expected one of %s, found %s", e.id, strings.Join(usageSections, ", "), section.Value)
			}
			for name := range members(values) {
				if e.field(name.Value) == nil && section.Value != "filter_values" {
					u.report(name, "%s of %s: expected a field of the schema, found %s", section.Value, e.id, name.Value)
				}
			}
		}
		if values := get(data, "sample_data"); values == nil || len(values.Content) == 0 {
			u.report(data, "%s: expected sample_data with the fields of an item, found none", e.id)
		}
		e.updates, e.filters = maps.Collect(texted(get(data, "update_data"))), maps.Collect(texted(get(data, "filter_values")))
		of := &d.contract.Entities[i].Value
		var samples []*sample
		for _, section := range usageSections[:2] {
			if values := get(data, section); values != nil && len(u.mistakes) == 0 {
				if s := d.usageItem(u, e, of, section, values); s != nil {
					samples = append(samples, s)
				}
			}
		}
		d.modelAttributes(u, e, of, samples)
	}
	d.notes = append(d.notes, u.notes...)
	d.mistakes = append(d.mistakes, u.mistakes...)
	return nil
}

func texted(node *yaml.Node) func(func(string, *yaml.Node) bool) {
	return func(yield func(string, *yaml.Node) bool) {
		for name, value := range members(node) {
			if !yield(name.Value, value) {
				return
			}
		}
	}
}

// usageItem is the item of a section; nil where it has the key of another.
func (d *draft) usageItem(u *draft, e *modelEntity, of *file.Entity, section string, values *yaml.Node) *sample {
	all, params := map[string]any{}, ap.Params{}
	for name, value := range members(values) {
		if f := e.field(name.Value); f != nil {
			typed := attributeValue(value)
			if _, is := typed[f.kind]; f.kind != "" && !is && typed["NULL"] == nil {
				if slices.ContainsFunc(of.Keys, func(k file.Entry[file.Key]) bool { return strings.Contains(k.Value.Template, "{"+f.name+"}") }) {
					u.report(value, "%s: expected a value of type %s, found %s", f.name, f.kind, shown(value))
				} else {
					u.note("%s of %s: the schema says type %s, and %s:%d has %s; the type is left open", f.name, e.id, f.kind, u.file, value.Line, shown(value))
					f.kind = ""
				}
			}
			all[f.name] = typed
			if value.Kind == yaml.ScalarNode && value.Tag != "!!null" {
				params[f.name] = value.Value
			}
		}
	}
	for _, k := range of.Keys {
		text, err := ap.KeyTemplate(k.Value.Template).Format(params)
		if err != nil {
			if !k.Value.Optional {
				u.report(values, "%s of %s: expected the fields of %s, found not all of them", section, e.id, k.Value.Template)
			}
			continue
		}
		all[k.Name] = map[string]any{cmp.Or(k.Value.Type, "S"): text}
	}
	s := &sample{Entity: e.id, Name: strings.ToLower(e.id) + map[string]string{usageSections[1]: "-other"}[section], table: e.table, node: values}
	var err error
	if s.item, err = itemOf(all); err != nil {
		u.report(values, "%s of %s: %v", section, e.id, err)
	}
	if other := d.sample(e.table, s.item); other != nil {
		u.note("%s of %s has the key of %s and was left out", section, e.id, other.Name)
		return nil
	}
	d.samples = append(d.samples, s)
	return s
}

// modelAttributes gives an entity its fields. One that no sample has is carried by an item that is made.
func (d *draft) modelAttributes(u *draft, e *modelEntity, of *file.Entity, samples []*sample) {
	var unseen []*field
	for _, f := range e.fields {
		a := file.Attribute{Type: f.kind, Cite: f.at}
		null := false
		carried := 0
		for _, s := range samples {
			value := s.item[f.name]
			if value != nil {
				carried++
			}
			null = null || ap.TypeOf(value) == ap.Null
		}
		switch {
		case null:
			a.Presence = "nullable"
		case !f.required || carried < len(samples):
			a.Presence = "optional"
		}
		if f.required && (null || carried < len(samples)) {
			u.note("%s of %s: the schema requires it, and not every sample has it; it is optional", f.name, e.id)
		}
		if carried == 0 {
			unseen = append(unseen, f)
		}
		of.Attributes = append(of.Attributes, file.Entry[file.Attribute]{Name: f.name, Value: a})
	}
	if len(unseen) == 0 || len(samples) == 0 || len(u.mistakes) > 0 {
		return
	}
	from := samples[0]
	item := maps.Clone(from.item)
	var names []string
	for _, f := range unseen {
		names = append(names, f.name)
		value, _ := itemOf(map[string]any{f.name: map[string]any{"S": map[string]any{"S": "x"}, "N": map[string]any{"N": "1"}, "BOOL": map[string]any{"BOOL": true}, "L": map[string]any{"L": []any{}}, "M": map[string]any{"M": map[string]any{}}}[f.kind]})
		maps.Copy(item, value)
	}
	fields := ap.Params{}
	for name, value := range item {
		fields[name] = ap.ScalarText(value)
	}
	for _, part := range e.templates[""] {
		for _, name := range part.template.Parameters() {
			if !strings.HasSuffix(fields[name], "-made") {
				fields[name] = map[bool]string{true: another(fields[name], true), false: fields[name] + "-made"}[e.field(name).kind == "N"]
			}
			item[name] = like(item[name], fields[name])
		}
	}
	for _, k := range of.Keys {
		if text, err := ap.KeyTemplate(k.Value.Template).Format(fields); err == nil {
			item[k.Name] = like(cmp.Or(item[k.Name], from.item[k.Name]), text)
		}
	}
	u.note("%s of %s: no sample has it; an item that is made of %s carries it", strings.Join(names, ", "), e.id, from.Name)
	d.samples = append(d.samples, &sample{Name: strings.ToLower(e.id) + "-made", Entity: e.id, item: item, table: e.table, Note: "made by the import of " + from.Name + ", with the fields that no sample has"})
}

// term is a condition on a key attribute in a contract's words.
func term(attribute string, op expression.Operator, values ...string) expression.Term {
	t := expression.Term{Path: quotedName(attribute), Op: op, Low: expression.Operand{Text: values[0]}}
	if len(values) > 1 {
		t.High.Text = values[1]
	}
	return t
}

// smaller and larger are values before and behind another.
func smaller(value string, number bool) string {
	if number {
		return "-" + strings.TrimPrefix(value, "-") + "1"
	}
	runes := []rune(value)
	if len(runes) < 2 {
		return "!"
	}
	return string(runes[:len(runes)-1])
}

func larger(value string, number bool) string {
	if number {
		return fmt.Sprintf("9%s", strings.TrimPrefix(value, "-"))
	}
	return value + "~"
}
