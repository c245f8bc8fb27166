package importer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"go.yaml.in/yaml/v3"

	ap "dynaproof/accesspatterns"
)

// sample is an item of a source, in DynamoDB's JSON.
type sample struct {
	Name   string         `json:"name"`
	Entity string         `json:"entity"`
	Source string         `json:"source"`
	Held   bool           `json:"held,omitempty"`
	Item   map[string]any `json:"item"`

	table *table
	at    map[string]*yaml.Node // the names of its attributes, where they stand
	node  *yaml.Node
	read  ap.Item // once values was called
}

// typesOfValues are the descriptors of DynamoDB's JSON.
var typesOfValues = []string{"S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"}

// sampled reads an item of a table. kind is the name that the source gives to such
// items; empty where it gives none.
func (d *draft) sampled(t *table, node *yaml.Node, kind string) {
	if node.Kind != yaml.MappingNode {
		d.report(node, "expected an item of table %s in DynamoDB's JSON, found %s", t.id, shown(node))
		return
	}
	s := &sample{Entity: kind, Source: "own", Item: map[string]any{}, table: t, at: map[string]*yaml.Node{}, node: node}
	for name, value := range members(node) {
		typed, ok := typedValue(value)
		if !ok {
			d.report(value, "%s of an item of table %s: expected a value with one of the types %s, found %s", name.Value, t.id, strings.Join(typesOfValues, ", "), shownType(value))
			return
		}
		s.Item[name.Value], s.at[name.Value] = typed, name
	}
	whole := true
	need := func(attribute, kind string, must bool) {
		value, has := s.Item[attribute]
		switch {
		case !has && must:
			d.report(node, "item of table %s: expected key attribute %s, found none", t.id, attribute)
			whole = false
		case has && value.(map[string]any)[kind] == nil:
			d.report(s.at[attribute], "item of table %s: expected key attribute %s of type %s, found another", t.id, attribute, kind)
			whole = false
		}
	}
	for _, attribute := range t.keys() {
		need(attribute, t.types[attribute], true)
	}
	for i := range t.indexes {
		for attribute, kind := range t.indexes[i].types {
			need(attribute, kind, false)
		}
	}
	for _, other := range d.samples {
		if other.table == t && other.key() == s.key() {
			return // facets show an item again and again
		}
	}
	if whole {
		d.samples = append(d.samples, s)
	}
}

func shownType(node *yaml.Node) string {
	if node.Kind == yaml.MappingNode && len(node.Content) == 2 {
		return "type " + node.Content[0].Value
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
	kind, value := node.Content[0].Value, node.Content[1]
	switch {
	case kind == "M" && value.Kind == yaml.MappingNode:
		typed := map[string]any{}
		for name, each := range members(value) {
			typed[name.Value] = inner(each)
		}
		return map[string]any{kind: typed}, true
	case strings.HasSuffix(kind, "S") && kind != "S" && value.Kind == yaml.SequenceNode, kind == "L" && value.Kind == yaml.SequenceNode:
		list := []any{}
		for _, each := range value.Content {
			if kind == "L" {
				list = append(list, inner(each))
			} else {
				list = append(list, each.Value)
			}
		}
		return map[string]any{kind: list}, true
	case (kind == "BOOL" || kind == "NULL") && value.Kind == yaml.ScalarNode:
		return map[string]any{kind: value.Value == "true"}, true
	case slices.Contains([]string{"S", "N", "B"}, kind) && value.Kind == yaml.ScalarNode:
		return map[string]any{kind: value.Value}, true
	}
	return nil, false
}

// text is the text of a String or the digits of a Number.
func (s *sample) text(attribute string) (string, bool) {
	value, _ := s.Item[attribute].(map[string]any)
	for _, kind := range []string{"S", "N", "B"} {
		if text, is := value[kind].(string); is {
			return text, true
		}
	}
	return "", false
}

// values are the item's values.
func (s *sample) values() ap.Item {
	if s.read == nil {
		text, err := json.Marshal(s.Item)
		if err == nil {
			s.read, err = attributevalue.UnmarshalMapJSON(text)
		}
		if err != nil {
			s.read = ap.Item{} // the item's mistakes were reported
		}
	}
	return s.read
}

func (s *sample) key() string {
	partition, _ := s.text(s.table.partition)
	sort, _ := s.text(s.table.sort)
	return partition + "\n" + sort
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

// kinds makes entities of the samples: those with the same forms of the primary key.
func (d *draft) kinds() {
	if len(d.samples) == 0 {
		return
	}
	byForm := map[string]*entity{}
	of := map[string][]*sample{}
	for _, s := range d.samples {
		forms := s.forms()
		form := s.table.id + "\n" + forms[0] + "\n" + forms[1]
		e := byForm[form]
		if e == nil {
			e = &entity{table: s.table.id, node: s.node, id: d.entityName(s, forms)}
			e.at = d.cite(s.at[s.table.partition])
			for i, name := range s.table.keys() {
				e.keys = append(e.keys, attribute{name: name, template: forms[i], kind: s.table.types[name], at: d.cite(s.at[name]), unbound: true})
			}
			byForm[form], d.entities = e, append(d.entities, e)
		}
		of[e.id] = append(of[e.id], s)
		s.Entity, s.Name = e.id, fmt.Sprintf("%s-%d", strings.ToLower(idForm.ReplaceAllString(e.id, "-")), len(of[e.id]))
	}
	for _, e := range d.entities {
		d.describe(e, of[e.id])
	}
}

// forms are the templates of the primary key.
func (s *sample) forms() [2]string {
	var forms [2]string
	for i, attribute := range s.table.keys() {
		text, _ := s.text(attribute)
		if s.table.types[attribute] == "N" {
			forms[i] = "{" + parameterOf(attribute) + "}"
			continue
		}
		forms[i], _ = formOf(text, parameterOf(attribute), i == 1)
	}
	return forms
}

// parameterOf is a name for the rest of a key.
func parameterOf(attribute string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' {
			return r
		}
		return '_'
	}, attribute)
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
	if name == "" {
		name = s.table.id
	}
	name = strings.ToLower(strings.Trim(idForm.ReplaceAllString(strings.ReplaceAll(name, " ", "-"), "-"), "-."))
	return unique(name, func(name string) bool {
		return slices.ContainsFunc(d.entities, func(e *entity) bool { return e.id == name })
	})
}

// unique is a name, with a number behind it where it is taken.
func unique(name string, taken func(name string) bool) string {
	base := name
	for n := 2; taken(name); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name
}

// describe gives an entity the keys of indexes and the attributes that its items have.
func (d *draft) describe(e *entity, samples []*sample) {
	t := d.table(e.table)
	indexKeys := map[string]string{}
	for i := range t.indexes {
		maps.Copy(indexKeys, t.indexes[i].types)
	}
	with := map[string][]*sample{} // by attribute
	kinds := map[string]string{}
	for _, s := range samples {
		for name, value := range s.Item {
			with[name] = append(with[name], s)
			for kind := range value.(map[string]any) {
				if before, known := kinds[name]; known && before != kind {
					kind = "" // any
				}
				kinds[name] = kind
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(with)) {
		if name == t.partition || name == t.sort {
			continue
		}
		optional, at := len(with[name]) < len(samples), d.cite(with[name][0].at[name])
		if kind, is := indexKeys[name]; is {
			e.keys = append(e.keys, attribute{name: name, template: "{" + parameterOf(name) + "}", kind: kind, at: at, optional: optional, unbound: parameterOf(name) != name})
			continue
		}
		if strings.ContainsAny(name, ".[]*") {
			d.note("%s of %s was left out of the contract: no attribute of a contract has such a name", name, e.id)
			for _, s := range samples {
				delete(s.Item, name)
			}
			continue
		}
		e.attributes = append(e.attributes, attribute{name: name, kind: kinds[name], optional: optional, at: at, seen: true})
	}
}

// listed writes a list, one element a line.
func listed[T any](all []T) ([]byte, error) {
	var out strings.Builder
	out.WriteString("[")
	for i, each := range all {
		text, err := json.Marshal(each)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteString(",")
		}
		out.WriteString("\n  " + string(text))
	}
	out.WriteString("\n]\n")
	return []byte(out.String()), nil
}
