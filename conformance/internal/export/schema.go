package export

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/lists"
	"dynaproof/fixtures"
)

// object is a JSON object whose members are few.
type object = map[string]any

// fieldTypes are the types of fields in schema.json, by those of attributes.
var fieldTypes = map[dynamo.Type]string{
	dynamo.String: "string", dynamo.Number: "decimal", dynamo.Boolean: "boolean", dynamo.Map: "object",
	dynamo.List: "array", dynamo.StringSet: "array", dynamo.NumberSet: "array",
}

// ofPython are words that no field and no parameter can have as its name, because the generated code is Python.
var ofPython = strings.Fields("and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield None True False")

var identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// schemaEntity is an entity with the fields that it has in schema.json.
type schemaEntity struct {
	entity   *accesspatterns.Entity
	name     string
	fields   []object
	has      map[string]string // the fields, with their types
	patterns []object
	// keyed are the fields that are parts of keys alone.
	keyed map[string]bool
}

// Schema is a design as schema.json and usage_data.json of AWS's modelling tools.
func Schema(design *accesspatterns.Design, set *fixtures.Set, environment string) (schema, usage any, left []string, err error) {
	tell := func(format string, args ...any) { left = append(left, fmt.Sprintf(format, args...)) }
	entities := map[string]*schemaEntity{}
	if len(design.Entities) == 0 {
		return nil, nil, nil, fmt.Errorf("expected entities in the contract of %s, for schema.json has no table without one, found none; --format data-model writes the tables alone", design.Name)
	}
	samples := object{}
	for i := range design.Entities {
		e := newSchemaEntity(design, &design.Entities[i], set, tell)
		for n, base := 2, e.name; samples[e.name] != nil; n++ { // two ids may be the name of one class
			e.name = base + strconv.Itoa(n)
		}
		entities[e.entity.ID] = e
		data, err := e.usage(set)
		if err != nil {
			return nil, nil, nil, err
		}
		samples[e.name] = data
	}
	number := 0
	for pattern := range lists.Each(design.Patterns) {
		of, written := schemaPattern(design, entities, pattern)
		if written == nil {
			tell("access pattern %s", pattern.ID)
			continue
		}
		if puts := func(other object) bool { return other["operation"] == "PutItem" }; puts(written) && !slices.ContainsFunc(of.patterns, puts) {
			tell("%s: %s", of.entity.ID, of.generated())
		}
		number++
		written["pattern_id"], written["name"], written["description"] = number, strings.ReplaceAll(pattern.ID, "-", "_"), pattern.Title
		of.patterns = append(of.patterns, written)
	}
	tables := []object{}
	for table := range lists.Each(design.Tables) {
		config := object{"table_name": table.Name.In(environment), "partition_key": table.PartitionKey.Attribute}
		if table.SortKey != nil {
			config["sort_key"] = table.SortKey.Attribute
		}
		of := object{"table_config": config}
		members := object{}
		for j := range design.Entities {
			if e := entities[design.Entities[j].ID]; e.entity.Table == table.ID {
				members[e.name] = e.written(table)
			}
		}
		if of["entities"] = members; len(members) == 0 {
			tell("table %s, for it has no entity", table.ID)
			continue
		}
		var indexes []object
		for index := range lists.Each(table.Indexes) {
			if index.Local {
				tell("%s: local index %s", table.ID, index.Name)
				continue
			}
			partition, sort := index.AllKeys()
			written := object{"name": index.Name, "partition_key": oneOrAll(partition.Names()), "projection": string(index.Projection)}
			if len(sort) > 0 {
				written["sort_key"] = oneOrAll(sort.Names())
			}
			if len(index.NonKeyAttributes) > 0 {
				written["included_attributes"] = index.NonKeyAttributes
			}
			indexes = append(indexes, written)
		}
		if len(indexes) > 0 {
			of["gsi_list"] = indexes
		}
		tables = append(tables, of)
	}
	return object{"tables": tables}, object{"entities": samples}, append(leftOf(design, "time to live", "stream", "deletion protection", "table class", "billing mode"), left...), nil
}

// oneOrAll is one name alone, or the list.
func oneOrAll(names []string) any {
	if len(names) == 1 {
		return names[0]
	}
	return names
}

// className is an id as a name of a class: squash-match is SquashMatch.
func className(id string) (name string) {
	for _, word := range strings.FieldsFunc(id, func(r rune) bool { return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9') }) {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return cmp.Or(name, "Entity")
}

func newSchemaEntity(design *accesspatterns.Design, entity *accesspatterns.Entity, set *fixtures.Set, tell func(string, ...any)) *schemaEntity {
	e := &schemaEntity{entity: entity, name: className(entity.ID), has: map[string]string{}, keyed: map[string]bool{}}
	add := func(name, kind string, required bool) {
		if e.has[name] != "" {
			return
		}
		e.has[name] = kind
		field := object{"name": name, "type": kind, "required": required}
		if kind == "array" {
			field["item_type"] = cmp.Or(fieldTypes[onlyType(set, entity.ID, name, true)], "string")
		}
		e.fields = append(e.fields, field)
	}
	for a := range lists.Each(entity.Attributes) {
		kind, known := fieldTypes[a.Type]
		switch {
		case strings.ContainsAny(a.Name, ".[*"):
			continue // within another
		case !identifier.MatchString(a.Name) || slices.Contains(ofPython, a.Name) || a.Type == dynamo.Binary || a.Type == dynamo.BinarySet || a.Type == dynamo.Null:
			tell("%s: attribute %s", entity.ID, a.Name)
			continue
		case !known:
			kind = cmp.Or(fieldTypes[onlyType(set, entity.ID, a.Name, false)], "string")
			tell("%s: attribute %s of any type, which is written as %s", entity.ID, a.Name, kind)
		case a.Type == dynamo.StringSet || a.Type == dynamo.NumberSet:
			tell("%s: attribute %s of type %s, which is written as a list", entity.ID, a.Name, a.Type)
		}
		add(a.Name, kind, a.Presence == accesspatterns.Required)
	}
	for k := range lists.Each(entity.Keys) {
		for _, parameter := range k.Template.Parameters() {
			if name := e.fieldOf(k, parameter); e.has[name] == "" {
				kind := "string"
				if k.ValueType() == dynamo.Number {
					kind = "decimal"
				}
				add(name, kind, !k.Optional)
				e.keyed[name] = true
			}
		}
	}
	table, _ := design.Table(entity.Table)
	for i := range entity.Keys { // the generator writes a key of an index only where it is a field
		if k := &entity.Keys[i]; !table.Keys().Has(k.Attribute) && identifier.MatchString(k.Attribute) {
			add(k.Attribute, fieldTypes[k.ValueType()], !k.Optional)
		}
	}
	return e
}

// generated says what a generated repository writes, and the contract does not have: fields that are parts of a key alone, and the version
// that it counts.
func (e *schemaEntity) generated() string {
	undocumented := lists.Where(append(slices.Sorted(maps.Keys(e.keyed)), "version"), func(name string) bool {
		_, known := e.entity.TypeOf(name)
		return !known
	})
	said := "a generated repository writes " + strings.Join(undocumented, ", ") + ", which the contract does not have"
	if len(undocumented) == 0 {
		said = ""
	}
	if e.has["version"] != "" {
		said = strings.TrimPrefix(said+"; ", "; ") + "a generated repository sets version, which the contract has, to 1"
	}
	return said
}

// onlyType is the type that an attribute has in all items of an entity, or its elements; empty where that is not one. NULL is none.
func onlyType(set *fixtures.Set, entity, name string, elements bool) (only dynamo.Type) {
	for item := range lists.Each(set.Items) {
		if item.Entity != entity {
			continue
		}
		all := []types.AttributeValue{item.Item[name]}
		if list, is := all[0].(*types.AttributeValueMemberL); elements {
			if all = nil; is {
				all = list.Value
			}
		}
		for _, value := range all {
			switch kind := dynamo.TypeOf(value); {
			case value == nil || kind == dynamo.Null:
			case only != "" && kind != only:
				return ""
			default:
				only = kind
			}
		}
	}
	return only
}

// fieldOf is the field that holds a parameter of a key's template. It has a name of its own where an attribute with the parameter's name
// holds something else.
func (e *schemaEntity) fieldOf(k *accesspatterns.KeyAttribute, parameter string) string {
	if bound := k.Bound(parameter); bound != "" && identifier.MatchString(bound) {
		if _, is := e.entity.Attribute(bound); is {
			return bound
		}
	}
	_, attribute := e.entity.Attribute(parameter)
	if of, key := e.entity.Key(parameter); attribute || key && string(of.Template) != "{"+parameter+"}" {
		return parameter + "_part"
	}
	return parameter
}

// template is the template of a key attribute with the fields as its parameters; empty where the entity has none.
func (e *schemaEntity) template(attribute string) string {
	k, has := e.entity.Key(attribute)
	if !has {
		return ""
	}
	text := string(k.Template)
	for _, parameter := range k.Template.Parameters() {
		text = strings.ReplaceAll(text, "{"+parameter+"}", "{"+e.fieldOf(k, parameter)+"}")
	}
	return text
}

func (e *schemaEntity) templates(keys []accesspatterns.Key) (all []string) {
	for _, key := range keys {
		if text := e.template(key.Attribute); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// written is the entity as schema.json has it.
func (e *schemaEntity) written(table *accesspatterns.Table) object {
	of := object{"entity_type": strings.ToUpper(strings.ReplaceAll(e.entity.ID, "-", "_")), "pk_template": e.template(table.PartitionKey.Attribute), "fields": append([]object{}, e.fields...), "access_patterns": append([]object{}, e.patterns...)}
	if table.SortKey != nil {
		of["sk_template"] = e.template(table.SortKey.Attribute)
	}
	var mappings []object
	for i := range table.Indexes {
		partition, sort := table.Indexes[i].AllKeys()
		pk, sk := e.templates(partition), e.templates(sort)
		if table.Indexes[i].Local || len(pk) < len(partition) || len(sk) < len(sort) {
			continue // the entity is not in it
		}
		mapping := object{"name": table.Indexes[i].Name, "pk_template": oneOrAll(pk)}
		if len(sk) > 0 {
			mapping["sk_template"] = oneOrAll(sk)
		}
		mappings = append(mappings, mapping)
	}
	if len(mappings) > 0 {
		of["gsi_mappings"] = mappings
	}
	return of
}

// usage is the usage data: the fields of the first two items, or of the only one.
func (e *schemaEntity) usage(set *fixtures.Set) (object, error) {
	items := set.LoadedOf(e.entity.ID)
	if len(items) == 0 {
		return nil, fmt.Errorf("entity %s: expected an item that is loaded, found none", e.entity.ID)
	}
	sample, update := e.values(items[0]), object{}
	for _, name := range slices.Sorted(maps.Keys(sample)) {
		inKey := slices.ContainsFunc(e.entity.Keys, func(k accesspatterns.KeyAttribute) bool {
			return strings.Contains(e.template(k.Attribute), "{"+name+"}")
		})
		if !inKey && len(update) == 0 {
			update[name] = sample[name]
		}
	}
	return object{"sample_data": sample, "access_pattern_data": e.values(items[min(1, len(items)-1)]), "update_data": update}, nil
}

// values are the fields of an item.
func (e *schemaEntity) values(item *fixtures.Item) object {
	values := object{}
	for name := range e.has {
		if value, has := item.Item[name]; has && !e.keyed[name] && dynamo.TypeOf(value) != dynamo.Null {
			values[name] = plain(value)
		}
	}
	for k := range lists.Each(e.entity.Keys) {
		found, err := k.Template.Parse(dynamo.ScalarText(item.Item[k.Attribute]))
		if err != nil {
			continue // it lacks the key
		}
		for _, parameter := range k.Template.Parameters() {
			name := e.fieldOf(k, parameter)
			if _, has := values[name]; has {
				continue
			}
			if values[name] = found[parameter]; e.has[name] == "decimal" {
				values[name] = json.Number(found[parameter])
			}
		}
	}
	return values
}

func plain(value types.AttributeValue) any {
	switch v := value.(type) {
	case *types.AttributeValueMemberN:
		return json.Number(v.Value)
	case *types.AttributeValueMemberBOOL:
		return v.Value
	case *types.AttributeValueMemberNULL:
		return nil
	case *types.AttributeValueMemberSS:
		return v.Value
	case *types.AttributeValueMemberNS:
		return lists.Map(v.Value, func(each string) json.Number { return json.Number(each) })
	case *types.AttributeValueMemberL:
		all := []any{}
		all = append(all, lists.Map(v.Value, plain)...)
		return all
	case *types.AttributeValueMemberM:
		all := object{}
		for name, each := range v.Value {
			all[name] = plain(each)
		}
		return all
	}
	return dynamo.ScalarText(value)
}

// schemaPattern is an access pattern of one request as schema.json has it, with the entity that it belongs to; nil for what schema.json cannot say.
func schemaPattern(design *accesspatterns.Design, entities map[string]*schemaEntity, pattern *accesspatterns.Pattern) (*schemaEntity, object) {
	if len(pattern.Steps) != 1 || pattern.Steps[0].ForEach != nil {
		return nil, nil
	}
	step := &pattern.Steps[0]
	parameters := []object{}
	var of *schemaEntity
	take := func(attribute string, template accesspatterns.KeyTemplate) bool {
		k, isKey := of.entity.Key(attribute)
		for _, name := range template.Parameters() {
			if isKey && k.Template == template {
				name = of.fieldOf(k, name)
			}
			kind := cmp.Or(of.has[name], "string")
			if slices.Contains(ofPython, name) {
				name += "_"
			}
			parameters = append(parameters, object{"name": name, "type": kind})
		}
		return true
	}
	whole := func(attribute string, value accesspatterns.KeyTemplate) bool {
		k, has := of.entity.Key(attribute)
		return has && k.Template == value && take(attribute, value)
	}
	result := func(operation, returns string) (*schemaEntity, object) {
		return of, object{"operation": operation, "return_type": returns, "parameters": parameters}
	}
	if r := step.Read; r != nil {
		if len(pattern.Returns) == 0 || r.Together != "" || len(r.Filter)+len(r.Projection) > 0 || r.Operation == dynamo.Scan {
			return nil, nil
		}
		of = entities[pattern.Returns[0]]
		if r.Operation == dynamo.GetItem {
			if !whole(r.Partition.Attribute, r.Partition.Value.Template) || r.Sort != nil && !whole(r.Sort.Attribute, r.Sort.Value.Template) {
				return nil, nil
			}
			return result("GetItem", "single_entity")
		}
		if !whole(r.Partition.Attribute, r.Partition.Value.Template) || len(parameters) == 0 {
			return nil, nil
		}
		ranged := ""
		if r.Sort != nil {
			k, has := of.entity.Key(r.Sort.Attribute)
			if !has {
				return nil, nil
			}
			head, _, _ := strings.Cut(string(k.Template), "{")
			text := string(r.Sort.Value.Template)
			names := r.Sort.Value.Template.Parameters()
			switch {
			case r.Sort.Operator == expression.BeginsWith && text == head:
			case r.Sort.Operator == expression.Equal && string(k.Template) == text:
				take(k.Attribute, k.Template)
			case len(names) == 1 && text == head+"{"+names[0]+"}" && len(parameters) == 1 && r.Sort.Operator != expression.Equal:
				take("", r.Sort.Value.Template)
				if ranged = string(r.Sort.Operator); r.Sort.Operator == expression.Between {
					ranged = "between"
					take("", r.Sort.High.Template)
				}
			default:
				return nil, nil
			}
		}
		_, written := result("Query", "entity_list")
		if r.Index != "" {
			written["index_name"] = r.Index
		}
		if ranged != "" {
			written["range_condition"] = ranged
		}
		return of, written
	}
	if len(step.Write) != 1 || step.Batch > 0 || len(step.Write[0].Condition) > 0 {
		return nil, nil
	}
	a := &step.Write[0]
	if a.Kind == accesspatterns.Put {
		of = entities[a.Entity]
		parameters = append(parameters, object{"name": strings.ReplaceAll(a.Entity, "-", "_"), "type": "entity", "entity_type": of.name})
		return result("PutItem", "single_entity")
	}
	for i := range design.Entities {
		e := entities[design.Entities[i].ID]
		if e.entity.Table == a.Table && !slices.ContainsFunc(a.Key, func(part accesspatterns.Equality) bool {
			k, has := e.entity.Key(part.Attribute)
			return !has || k.Template != part.Value.Template
		}) {
			of = e
		}
	}
	if of == nil || a.Kind == accesspatterns.ConditionCheck || len(a.Remove) > 0 {
		return nil, nil
	}
	for _, part := range a.Key {
		take(part.Attribute, part.Value.Template)
	}
	if a.Kind == accesspatterns.Delete {
		return result("DeleteItem", "success_flag")
	}
	for _, set := range a.Set {
		if string(set.Value.Template) != "{"+set.Attribute+"}" || set.Operator != "" || of.has[set.Attribute] == "" {
			return nil, nil
		}
		take("", set.Value.Template)
	}
	for _, name := range a.Edits {
		if of.has[name] == "" {
			return nil, nil
		}
		take("", accesspatterns.KeyTemplate("{"+name+"}"))
	}
	return result("UpdateItem", "single_entity")
}
