package importer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.yaml.in/yaml/v3"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/validate"
)

// sample is an item of a source, or one that was made of it.
type sample struct {
	Name   string          `json:"name"`
	Entity string          `json:"entity"`
	Source string          `json:"source"`
	Held   bool            `json:"held,omitempty"`
	Note   string          `json:"note,omitempty"`
	Item   json.RawMessage `json:"item"`

	item  ap.Item
	table *table
	at    map[string]*yaml.Node // the names of its attributes, where they stand
	node  *yaml.Node
	of    *draft // whose file the node stands in
}

// MarshalJSON writes the item in DynamoDB's JSON, its attributes in order.
func (s *sample) MarshalJSON() ([]byte, error) {
	type plain sample
	out := plain(*s)
	out.Source, out.Item = "own", inJSON(s.item)
	return json.Marshal(out)
}

// anyText is the text of a value, or of the first that is in it.
func anyText(value types.AttributeValue) string {
	switch v := value.(type) {
	case *types.AttributeValueMemberBOOL:
		return strconv.FormatBool(v.Value)
	case *types.AttributeValueMemberL:
		return dynamo.ScalarText(slices.Concat(v.Value, []types.AttributeValue{nil})[0])
	case *types.AttributeValueMemberSS:
		return slices.Concat(v.Value, []string{""})[0]
	}
	return dynamo.ScalarText(value)
}

func inJSON(item ap.Item) json.RawMessage { return json.RawMessage(dynamo.ShowItem(item)) }

// typesOfValues are the descriptors of DynamoDB's JSON.
var typesOfValues = []string{"S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"}

// sampled reads an item of a table. kind is the name that the source gives to such
// items; empty where it gives none.
func (d *draft) sampled(t *table, node *yaml.Node, kind string) {
	if node.Kind != yaml.MappingNode {
		d.report(node, "expected an item of table %s in DynamoDB's JSON, found %s", t.id, shown(node))
		return
	}
	taken(node)
	s := &sample{Entity: kind, table: t, at: map[string]*yaml.Node{}, node: node, of: d}
	all := map[string]any{}
	for name, value := range members(node) {
		typed, ok := typedValue(value)
		if !ok {
			d.report(value, "%s of an item of table %s: expected a value with one of the types %s, found %s", name.Value, t.id, strings.Join(typesOfValues, ", "), shownType(value))
			return
		}
		all[name.Value], s.at[name.Value] = typed, name
	}
	var err error
	if s.item, err = itemOf(all); err != nil {
		d.report(node, "item of table %s: %v", t.id, err)
		return
	}
	kinds, keys := t.types(), t.keys()
	for _, attribute := range slices.Sorted(maps.Keys(kinds)) {
		switch value, has := s.item[attribute]; {
		case !has && slices.Contains(keys, attribute):
			d.report(node, "item of table %s: expected key attribute %s, found none", t.id, attribute)
		case has && string(dynamo.TypeOf(value)) != kinds[attribute]:
			d.report(s.at[attribute], "item of table %s: expected key attribute %s of type %s, found another", t.id, attribute, kinds[attribute])
		case has && kinds[attribute] == string(dynamo.Binary):
			d.noteAt(node, "item of table %s: its key attribute %s is a Binary, which no entity of a contract has; it is left out", t.id, attribute)
			return
		case has && dynamo.ScalarText(value) == "":
			d.report(s.at[attribute], "item of table %s: expected key attribute %s with a value, found an empty text", t.id, attribute)
		}
	}
	switch other := d.sample(t, s.item); {
	case other == nil:
		d.add(s)
	case !dynamo.EqualItems(other.item, s.item): // facets show an item again and again
		d.noteAt(node, "item of table %s: another with its key stands in line %d, and other values; it is left out", t.id, other.node.Line)
	}
}

// sample is the item of a table with the key of another; nil where there is none.
func (d *draft) sample(t *table, item ap.Item) *sample { return d.keyed[t.place(item)] }

func (d *draft) add(s *sample) { d.samples, d.keyed[s.table.place(s.item)] = append(d.samples, s), s }

// place is the table and the primary key of an item of it.
func (t *table) place(item ap.Item) string {
	key := ap.Item{}
	for _, name := range t.keys() {
		key[name] = item[name]
	}
	return t.id + " " + dynamo.KeyID(key)
}

// unstored reports items that DynamoDB does not store.
func (d *draft) unstored() {
	for _, s := range d.samples {
		table, _ := d.design.Table(s.table.id)
		if err := validate.Unstored(table, s.item); err != nil {
			d.mistakes = append(d.mistakes, s.of.mistake(s.node, "item of table %s: %v", s.table.id, err))
		}
	}
}

func itemOf(all map[string]any) (ap.Item, error) {
	text, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	return attributevalue.UnmarshalMapJSON(text)
}

func shownType(node *yaml.Node) string {
	if node.Kind == yaml.MappingNode && len(node.Content) == 2 {
		return shown(node.Content[1]) + " of type " + node.Content[0].Value
	}
	return shown(node)
}

// typedValue is a value of DynamoDB's JSON. What stands within a map or list may be
// plain JSON, as NoSQL Workbench writes it.
func typedValue(node *yaml.Node) (any, bool) {
	if node.Kind != yaml.MappingNode || len(node.Content) != 2 || !slices.Contains(typesOfValues, node.Content[0].Value) {
		return nil, false
	}
	inner := func(node *yaml.Node) any {
		if typed, ok := typedValue(node); ok {
			return typed
		}
		return attributeValue(node)
	}
	kind, value, list := node.Content[0].Value, node.Content[1], []any{}
	isText := func(node *yaml.Node) bool { return node.Kind == yaml.ScalarNode && node.Tag != "!!null" }
	switch kind {
	case "M":
		typed := map[string]any{}
		for name, each := range members(value) {
			typed[name.Value] = inner(each)
		}
		return map[string]any{kind: typed}, value.Kind == yaml.MappingNode
	case "BOOL", "NULL":
		return map[string]any{kind: value.Value == "true"}, value.Value == "true" || value.Value == "false"
	case "S", "N", "B":
		return map[string]any{kind: value.Value}, isText(value)
	}
	whole := value.Kind == yaml.SequenceNode
	for _, each := range value.Content {
		if kind == "L" {
			list = append(list, inner(each))
			continue
		}
		list, whole = append(list, each.Value), whole && isText(each)
	}
	return map[string]any{kind: list}, whole
}

// attributeValue is a plain value in DynamoDB's JSON.
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

const separators = "#:|/~"

// formOf is the template of a key's value and what its parameter is: the text before
// the first separator stays, as does a word in capitals.
func formOf(value, parameter string, mayBeWord bool) (template, rest string) {
	at := strings.IndexAny(value, separators)
	head := ""
	if at >= 0 && isWord(value[:at]) {
		head = value[:at+1]
	}
	rest = value[len(head):]
	if strings.ContainsAny(head, "{}") || rest == "" || head == "" && mayBeWord && isWord(rest) {
		return value, ""
	}
	return head + "{" + parameter + "}", rest
}

// isWord reports whether a text is a constant and no id: letters alone, all of one
// case.
func isWord(text string) bool {
	letters := func(r rune) bool { return !unicode.IsLetter(r) && r != '_' && r != '-' }
	return text != "" && strings.IndexFunc(text, letters) < 0 && (text == strings.ToUpper(text) || text == strings.ToLower(text) && len(text) <= 12)
}

var notInParameters = regexp.MustCompile(`[^\pL\p{Nd}_]`)

// parameterOf is a name for the rest of a key.
func parameterOf(attribute string) string {
	return notInParameters.ReplaceAllString(attribute, "_")
}

// forms are the templates of the primary key.
func (s *sample) forms() [2]string {
	var forms [2]string
	for i, attribute := range s.table.keys() {
		if dynamo.TypeOf(s.item[attribute]) == dynamo.Number {
			forms[i] = "{" + parameterOf(attribute) + "}"
			continue
		}
		forms[i], _ = formOf(dynamo.ScalarText(s.item[attribute]), parameterOf(attribute), i == 1)
	}
	return forms
}

// kinds makes entities of the samples: those with the same forms of the primary key.
func (d *draft) kinds() {
	byForm := map[string]string{}
	of := map[string][]*sample{}
	for _, s := range d.samples {
		forms := s.forms()
		form := s.table.id + "\n" + forms[0] + "\n" + forms[1]
		id, known := byForm[form]
		if !known {
			id = d.entityName(s, forms)
			byForm[form] = id
			e := ap.Entity{ID: id, Title: id, Table: s.table.id, Cite: d.cite(s.at[s.table.keys()[0]])}
			for i, name := range s.table.keys() {
				e.Keys = append(e.Keys, keyEntry(name, forms[i], s.table.types()[name], d.cite(s.at[name]), true))
			}
			d.contract.Entities = append(d.contract.Entities, e)
		}
		of[id] = append(of[id], s)
		s.Entity, s.Name = id, fmt.Sprintf("%s-%d", strings.ToLower(idForm.ReplaceAllString(id, "-")), len(of[id]))
	}
	for i := range d.contract.Entities {
		d.describe(&d.contract.Entities[i], of[d.contract.Entities[i].ID])
	}
}

// keyEntry is a key of an entity; no attribute holds what its parameters are where it is unbound.
func keyEntry(name, template, kind string, at ap.Citation, unbound bool) ap.KeyAttribute {
	k := ap.KeyAttribute{Attribute: name, Template: ap.KeyTemplate(template), Cite: at}
	if kind != string(dynamo.String) {
		k.Type = dynamo.Type(kind)
	}
	if unbound {
		k.Binds = map[string]string{}
		for _, parameter := range k.Template.Parameters() {
			k.Binds[parameter] = ""
		}
	}
	return k
}

// entityName is the name of a new entity: that of the facet, or what its key begins with.
func (d *draft) entityName(s *sample, forms [2]string) string {
	name := s.Entity
	for _, form := range []string{forms[1], forms[0]} {
		literal, _, _ := strings.Cut(form, "{")
		if literal = strings.Trim(literal, separators); name == "" && literal != "" {
			name = literal
		}
	}
	name = strings.ReplaceAll(cmp.Or(name, s.table.id), " ", "-")
	name = cmp.Or(strings.ToLower(strings.Trim(idForm.ReplaceAllString(name, "-"), "-.")), "item")
	return unique(name, "-", func(name string) bool { _, is := d.contract.Entity(name); return is })
}

// describe gives an entity the keys of indexes and the attributes that its items have.
func (d *draft) describe(e *ap.Entity, samples []*sample) {
	t := samples[0].table
	with := map[string][]*sample{} // by attribute
	for _, s := range samples {
		for name := range s.item {
			with[name] = append(with[name], s)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(with)) {
		optional, at := len(with[name]) < len(samples), d.cite(with[name][0].at[name])
		valued := lists.Where(with[name], func(s *sample) bool { return dynamo.TypeOf(s.item[name]) != dynamo.Null })
		var typed dynamo.Type
		for _, s := range valued {
			of := dynamo.TypeOf(s.item[name])
			if typed = cmp.Or(typed, of); typed != of {
				d.noteAt(s.at[name], "%s of %s: its items have several types, so the type is left open", name, e.Title)
				typed = "" // any
				break
			}
		}
		switch kind, isKey := t.types()[name]; {
		case slices.Contains(t.keys(), name):
		case isKey:
			k := keyEntry(name, "{"+parameterOf(name)+"}", kind, at, parameterOf(name) != name)
			k.Optional = optional
			e.Keys = append(e.Keys, k)
		case strings.ContainsAny(name, ".[]*"):
			for _, s := range with[name] {
				d.note(s.at[name], "%s of %s was left out of the contract: no attribute of a contract has such a name", name, e.Title)
				delete(s.item, name)
			}
		default:
			a := ap.Attribute{Name: name, Type: typed, Cite: at}
			switch {
			case len(valued) < len(with[name]):
				a.Presence = ap.Nullable
			case optional:
				a.Presence = ap.Optional
			}
			e.Attributes = append(e.Attributes, a)
		}
	}
}

// made makes an item of an entity of another: each parameter of one of its keys, or of all where none is named, has another value,
// and so have the attributes that hold them.
func made(e *ap.Entity, of ap.Item, only string) ap.Item {
	item, values := maps.Clone(of), ap.Params{}
	for _, vary := range []bool{true, false} { // the parameters first, then the keys that are made of them
		for k := range lists.Each(e.Keys) {
			params, err := k.Template.Parse(dynamo.ScalarText(of[k.Attribute]))
			if err != nil {
				continue // it lacks the key
			}
			for name, value := range params {
				bound := k.Bound(name)
				switch {
				case values[name] != "":
					params[name] = values[name]
				case vary && (only == "" || only == k.Attribute):
					values[name] = another(value, k.ValueType() == dynamo.Number || dynamo.TypeOf(of[bound]) == dynamo.Number)
					if of[bound] != nil {
						item[bound] = dynamo.Scalar(dynamo.TypeOf(of[bound]), values[name])
					}
				}
			}
			if text, err := k.Template.Format(params); err == nil && !vary {
				item[k.Attribute] = dynamo.Scalar(k.ValueType(), text)
			}
		}
	}
	return item
}

// longKey is how much of a text stays in another, so that a key of both is no longer than DynamoDB takes.
const longKey = 900

func another(value string, number bool) string {
	if number {
		if n, err := strconv.Atoi(value); err == nil {
			return strconv.Itoa(n + 1)
		}
		return "1" + strings.TrimPrefix(value, "-")
	}
	return strings.ToValidUTF8(value[:min(len(value), longKey)], "") + "-new"
}
