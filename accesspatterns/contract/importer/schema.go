package importer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.yaml.in/yaml/v3"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/contract/file"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/lists"
)

// modelEntity is an entity of schema.json, whose fields are its attributes.
type modelEntity struct {
	ap.Entity
	table *table
	node  *yaml.Node
	// templates are the key attributes of the table, and by index.
	templates map[string][]ap.KeyAttribute
	// updates are the values of update_data, and filters those of filter_values by parameter.
	updates, filters *yaml.Node
	// unseen are the fields that no sample has, of which from is the first.
	unseen []ap.Attribute
	from   *sample
}

func (e *modelEntity) field(name string) *ap.Attribute {
	found, _ := e.Attribute(name)
	return found
}

// fieldTypes are the types of fields in schema.json.
var fieldTypes = map[string]dynamo.Type{
	"string": "S", "uuid": "S", "integer": "N", "decimal": "N", "boolean": "BOOL", "array": "L", "object": "M",
}

// fits reports where a value is not of a shape. What the shape does not have is told as left out.
func (d *draft) fits(named string, node *yaml.Node, shape string) {
	parts, is := known().Shapes[shape]
	within := strings.Trim(shape, "[]{}")
	expected := ""
	switch {
	case shape == "any":
	case is && node.Kind == yaml.MappingNode:
		for _, name := range slices.Sorted(maps.Keys(parts)) {
			if name, required := strings.CutSuffix(name, "!"); required && get(node, name) == nil {
				d.report(node, "expected %s here, found none", name)
			}
		}
		for name, value := range members(node) {
			switch of := cmp.Or(parts[name.Value], parts[name.Value+"!"]); {
			case value.Tag == "!!null":
			case of != "":
				d.fits(name.Value+": ", value, of)
			case shape == "usage" || shape == "samples":
				d.report(name, "%sexpected one of %s, found %s", named, strings.ReplaceAll(strings.Join(slices.Sorted(maps.Keys(parts)), ", "), "!", ""), name.Value)
			default:
				d.noteAt(name, "%s is left out, for a contract says nothing of it", name.Value)
			}
		}
	case is || strings.HasPrefix(shape, "{") && node.Kind != yaml.MappingNode:
		expected = "an object"
	case strings.HasPrefix(shape, "{"):
		for name, value := range members(node) {
			if value.Tag != "!!null" {
				d.fits(name.Value+": ", value, within)
			}
		}
	case strings.HasPrefix(shape, "[") && node.Kind != yaml.SequenceNode:
		expected = "a list"
	case shape == "names" && node.Kind == yaml.SequenceNode && (len(node.Content) == 0 || len(node.Content) > contract.MaxKeyParts):
		d.report(node, "%sexpected text, or a list of one to four, found a list of %d", named, len(node.Content))
	case strings.HasPrefix(shape, "["), shape == "names" && node.Kind == yaml.SequenceNode:
		for _, each := range node.Content {
			d.fits(named, each, strings.Replace(within, "names", "text", 1))
		}
	case shape == "number" && node.Tag != "!!int":
		expected = "a number"
	case shape == "bool" && node.Tag != "!!bool":
		expected = "true or false"
	case shape == "number", shape == "bool":
	case node.Tag != "!!str" || strings.TrimSpace(node.Value) == "":
		expected = "text"
	case strings.Contains(shape, "|") && !slices.Contains(strings.Split(shape, "|"), node.Value):
		expected = orList(strings.Split(shape, "|"))
	}
	if expected != "" {
		d.report(node, "%sexpected %s, found %s", named, expected, shown(node))
	}
}

// keyNames are the attributes of a key, or the templates of them.
func keyNames(node *yaml.Node, name string) []*yaml.Node {
	value := get(node, name)
	switch {
	case value == nil:
		return nil
	case value.Kind == yaml.SequenceNode:
		taken(value)
		return value.Content
	}
	return []*yaml.Node{value}
}

// modelSchema reads schema.json: tables, and entities with the templates of their keys,
// which say the types of the tables' keys.
func (d *draft) modelSchema(root *yaml.Node) {
	d.schema = []*modelEntity{}
	d.fits("", root, "schema")
	seen := map[string]int{}
	for _, each := range d.list(root, "tables") {
		config := get(each, "table_config")
		if textOf(config, "table_name") == "" {
			continue
		}
		t := d.newTable(get(config, "table_name"), each)
		named := func(node *yaml.Node) *key {
			return &key{names: [2][]*yaml.Node{keyNames(node, "partition_key"), keyNames(node, "sort_key")}}
		}
		k, indexes := map[string]*key{"": named(config)}, map[string]int{}
		for gsi, index := range d.indexes(t, each, "gsi_list", "name") {
			if d.once(indexes, index, "index %s of table %s", index.Value, t.id) {
				k[index.Value] = named(gsi)
			}
		}
		entities := get(each, "entities")
		d.refuse(entities != nil && len(entities.Content) == 0, each, "table %s: expected entities, found none", t.id)
		for name, node := range members(entities) {
			if d.once(seen, name, "entity %s", name.Value) {
				d.modelEntity(t, name, node, k)
			}
		}
		for _, gsi := range d.list(each, "gsi_list") {
			name := word(gsi, "name")
			of := k[name.Value]
			if name.Value == "" || of == nil {
				continue
			}
			d.untyped(of, name)
			d.index(t, false, name, *of, get(gsi, "projection"), get(gsi, "included_attributes"))
		}
		t.PartitionKey, t.SortKey, t.KeyCite = k[""].partition, k[""].sort, k[""].at
		d.tables = append(d.tables, t)
	}
	d.modelPatterns(root)
	d.access = func() { d.schemaPatterns(d.list(root, "cross_table_access_patterns")) }
}

// untyped takes text for what no entity has of the key of an index, and tells it.
func (d *draft) untyped(of *key, name *yaml.Node) {
	for i, into := range of.parts() {
		for _, each := range of.names[i] {
			if !slices.Contains(into.Names(), each.Value) {
				d.noteAt(name, "index %s: no entity maps its whole key, so its type is taken to be S", name.Value)
				*into = append(*into, file.Pair{Name: each.Value, Value: "S"})
				of.at = of.at.Join(d.cite(each))
			}
		}
	}
}

func (d *draft) modelEntity(t *table, name, node *yaml.Node, keys map[string]*key) {
	of := ap.Entity{ID: name.Value, Title: name.Value, Table: t.id, Cite: d.cite(name)}
	e := &modelEntity{Entity: of, table: t, node: node, templates: map[string][]ap.KeyAttribute{}}
	for _, each := range d.list(node, "fields") {
		name, kind := word(each, "name"), word(each, "type")
		switch {
		case kind.Value == "array" && get(each, "item_type") == nil:
			d.report(each, "field %s of %s: expected item_type beside the type array, found none", name.Value, e.ID)
		case e.field(name.Value) != nil:
			d.report(name, "field %s of %s stands twice", name.Value, e.ID)
		}
		f := ap.Attribute{Name: name.Value, Type: fieldTypes[kind.Value], Cite: d.cite(name, kind)}
		if textOf(each, "required") != "true" {
			f.Presence = ap.Optional
		}
		e.Attributes = append(e.Attributes, f)
	}
	d.modelKey(e, "", node, keys[""])
	for _, mapping := range d.list(node, "gsi_mappings") {
		gsi := word(mapping, "name")
		if keys[gsi.Value] == nil || gsi.Value == "" {
			d.report(gsi, "%s is mapped to index %s: expected an index of gsi_list, found none of that name", e.ID, gsi.Value)
			continue
		}
		d.modelKey(e, gsi.Value, mapping, keys[gsi.Value])
	}
	d.schema = append(d.schema, e)
}

// modelKey reads the templates of a key: of the table, or of an index.
func (d *draft) modelKey(e *modelEntity, index string, node *yaml.Node, k *key) {
	for i, property := range []string{"pk_template", "sk_template"} {
		templates, wants := keyNames(node, property), len(k.names[i])
		switch {
		case len(templates) == 0 && (i == 0 || index != "" || wants == 0): // fits says what must be there
		case len(templates) == 0:
			d.report(node, "%s: expected sk_template, for its table has a sort key, found none", e.ID)
		case wants == 0:
			d.noteAt(templates[0], "%s has %s, and its key has no sort key; it is left out", e.ID, property)
		case len(templates) != wants:
			d.report(templates[0], "%s of %s: expected a template for each of the %d attributes of the key, found %d", property, e.ID, wants, len(templates))
		default:
			for n, template := range templates {
				d.modelTemplate(e, index, k.names[i][n], template, k.parts()[i], k)
			}
		}
	}
}

// modelTemplate reads the template of a key attribute, which gives it its type.
func (d *draft) modelTemplate(e *modelEntity, index string, attribute, template *yaml.Node, into *file.Pairs, k *key) {
	parsed := ap.KeyTemplate(template.Value)
	if err := parsed.Validate(); err != nil || strings.Contains(template.Value, "{}") {
		d.report(template, "template %s of %s: expected fields in braces, found %v", template.Value, e.ID, err)
		return
	}
	kind, optional := "S", false
	for _, name := range parsed.Parameters() {
		f := e.field(name)
		if f == nil {
			d.report(template, "template %s of %s: expected its fields, found no field %s", template.Value, e.ID, name)
			return
		}
		optional = optional || f.Presence != ap.Required
		if "{"+name+"}" == template.Value && f.Type == dynamo.Number {
			kind = "N"
		}
	}
	entry := keyEntry(attribute.Value, template.Value, kind, d.cite(template), false)
	entry.Optional = optional && index != ""
	e.templates[index] = append(e.templates[index], entry)
	switch before, is := e.Key(attribute.Value); {
	case !is:
		e.Keys = append(e.Keys, entry)
	case template.Value == "{"+attribute.Value+"}": // the attribute as it is
	case before.Template != parsed:
		d.report(template, "template %s of %s: expected %s, for key attribute %s has it in another key, found another", template.Value, e.ID, before.Template, attribute.Value)
	}
	at := slices.IndexFunc(*into, func(entry file.Pair) bool { return entry.Name == attribute.Value })
	switch {
	case at < 0:
		*into = append(*into, file.Pair{Name: attribute.Value, Value: kind})
		k.at = k.at.Join(d.cite(attribute, template))
	case (*into)[at].Value != kind:
		d.report(template, "key attribute %s: expected the type %s, as of another entity, found %s", attribute.Value, (*into)[at].Value, kind)
	}
}

// usage makes items of usage data: the keys from the templates, and the fields as they stand there.
func (d *draft) usage(usage Source) error {
	root, u, err := parse(usage)
	if err != nil {
		return err
	}
	d.used, d.usageData, u.before = u, root, u.file+" "
	u.fits("", root, "usage")
	for name := range members(get(root, "entities")) {
		u.refuse(d.modelOf(name.Value) == nil, name, "expected an entity of the schema, found %s", name.Value)
	}
	for _, e := range d.schema {
		data := get(root, "entities", e.ID)
		if data == nil {
			u.report(root, "expected usage data of entity %s, found none", e.ID)
			continue
		}
		var samples []*sample
		for _, section := range []string{"sample_data", "access_pattern_data", "update_data"} {
			values := get(data, section)
			for name := range members(values) {
				u.refuse(e.field(name.Value) == nil, name, "%s of %s: expected a field of the schema, found %s", section, e.ID, name.Value)
			}
			u.refuse(section == "sample_data" && values != nil && len(values.Content) == 0 && len(e.Attributes) > 0, data, "%s: expected sample_data with the fields of an item, found none", e.ID)
			if values != nil && section != "update_data" && len(u.mistakes) == 0 {
				taken(values)
				if s := d.usageItem(u, e, section, values); s != nil {
					samples = append(samples, s)
				}
			}
		}
		e.updates, e.filters = get(data, "update_data"), get(data, "filter_values")
		d.modelAttributes(u, e, samples)
		d.contract.Entities = append(d.contract.Entities, e.Entity)
	}
	d.mistakes = append(d.mistakes, u.mistakes...)
	return nil
}

// usageItem is the item of a section; nil where it has the key of another.
func (d *draft) usageItem(u *draft, e *modelEntity, section string, values *yaml.Node) *sample {
	all, params := map[string]any{}, ap.Params{}
	for name, value := range members(values) {
		if f := e.field(name.Value); f != nil {
			typed := attributeValue(value)
			if _, is := typed[string(f.Type)]; f.Type != "" && !is && typed["NULL"] == nil {
				if slices.ContainsFunc(e.Keys, func(k ap.KeyAttribute) bool { return strings.Contains(string(k.Template), "{"+f.Name+"}") }) {
					u.report(value, "%s: expected a value of type %s, found %s", f.Name, f.Type, shown(value))
				} else {
					u.note(value, "%s of %s: the schema says type %s, and this is %s; the type is left open", f.Name, e.ID, f.Type, shown(value))
					f.Type = ""
				}
			}
			all[f.Name] = typed
			if value.Kind == yaml.ScalarNode && value.Tag != "!!null" {
				params[f.Name] = value.Value
			}
		}
	}
	for _, k := range e.Keys {
		text, err := k.Template.Format(params)
		if err != nil {
			u.refuse(!k.Optional, values, "%s of %s: expected the fields of %s, found not all of them", section, e.ID, k.Template)
			continue
		}
		all[k.Attribute] = map[string]any{string(k.ValueType()): text}
	}
	s := &sample{Entity: e.ID, Name: d.itemName(strings.ToLower(e.ID) + map[string]string{"access_pattern_data": "-other"}[section]), table: e.table, node: values, of: u}
	var err error
	if s.item, err = itemOf(all); err != nil {
		u.report(values, "%s of %s: %v", section, e.ID, err)
	}
	if other := d.sample(e.table, s.item); other != nil {
		u.note(values, "%s of %s has the key of %s and was left out", section, e.ID, other.Name)
		return nil
	}
	d.add(s)
	return s
}

// modelAttributes says of the fields of an entity which of them each sample has. One that none has is carried by an item that is made.
func (d *draft) modelAttributes(u *draft, e *modelEntity, samples []*sample) {
	for f := range lists.Each(e.Attributes) {
		null, carried := false, 0
		for _, s := range samples {
			value := s.item[f.Name]
			if value != nil {
				carried++
			}
			null = null || dynamo.TypeOf(value) == dynamo.Null
		}
		if f.Presence == ap.Required && (null || carried < len(samples)) {
			u.note(samples[0].node, "%s of %s: the schema requires it, and not every sample has it; it is optional", f.Name, e.ID)
			f.Presence = ap.Optional
		}
		if null {
			f.Presence = ap.Nullable
		}
		if carried == 0 && len(samples) > 0 {
			e.unseen, e.from = append(e.unseen, *f), samples[0]
		}
	}
}

// carried makes an item of a sample for the fields that no sample has.
func (d *draft) carried(of *modelEntity) {
	e, _ := d.design.Entity(of.ID)
	item := made(e, of.from.item, "")
	var names []string
	for _, f := range of.unseen {
		names = append(names, f.Name)
		item[f.Name] = map[dynamo.Type]types.AttributeValue{
			"S": &types.AttributeValueMemberS{Value: "x"}, "N": &types.AttributeValueMemberN{Value: "1"}, "BOOL": &types.AttributeValueMemberBOOL{Value: true}, "L": &types.AttributeValueMemberL{}, "M": &types.AttributeValueMemberM{Value: ap.Item{}},
		}[f.Type]
	}
	d.used.note(of.from.node, "%s of %s: no sample has it; an item that is made of %s carries it", strings.Join(names, ", "), e.ID, of.from.Name)
	d.add(&sample{Name: d.itemName(strings.ToLower(e.ID) + "-made"), Entity: e.ID, item: item, table: of.from.table, Note: "made by the import of " + of.from.Name + ", with the fields that no sample has"})
}

// term is a condition on a key attribute in a contract's words.
func term(attribute string, op expression.Operator, values ...string) expression.Term {
	t := expression.Term{Path: pathSaid(attribute), Op: op, Low: expression.Operand{Text: values[0]}}
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
