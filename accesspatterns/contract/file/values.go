package file

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.yaml.in/yaml/v3"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/strict"
)

// Ordered is a mapping whose order is kept.
type Ordered[T any] []Entry[T]

// Entry is a name of a mapping with its value.
type Entry[T any] struct {
	Name  string
	At    At
	Value T
}

// JSONSchemaAlias describes the mapping to JSON Schema.
func (Ordered[T]) JSONSchemaAlias() any { return map[string]T{} }

// Names are the names in their order.
func (o Ordered[T]) Names() (names []string) {
	for _, entry := range o {
		names = append(names, entry.Name)
	}
	return names
}

// Map is the mapping without its order; nil where it is empty.
func (o Ordered[T]) Map() (all map[string]T) {
	for _, entry := range o {
		if all == nil {
			all = map[string]T{}
		}
		all[entry.Name] = entry.Value
	}
	return all
}

func (o *Ordered[T]) Decode(d *strict.Decoder, node *yaml.Node) {
	d.Pairs(node, func(name, value *yaml.Node) {
		names := []string{name.Value}
		if reflect.TypeFor[T]() == reflect.TypeFor[Attribute]() {
			names = strings.Split(name.Value, ", ") // alike in all but the name
		}
		for i, each := range names {
			entry := Entry[T]{Name: each, At: d.At(name)}
			if i == 0 || !d.Wrong() {
				d.Into(value, &entry.Value)
			}
			if field := reflect.ValueOf(&entry.Value).Elem(); field.Kind() == reflect.Struct && field.FieldByName("Cite").IsValid() {
				field.FieldByName("Cite").Addr().Interface().(*ap.Citation).Named(each)
			}
			*o = append(*o, entry)
		}
	})
}

// Words are one text or a list of texts.
type Words []string

func (w *Words) Decode(d *strict.Decoder, node *yaml.Node) { *w = d.Words(node) }

// Lines are lines and ranges of lines.
type Lines []Range

// Range is a range of lines, both ends included.
type Range struct{ First, Last int }

func (l *Lines) Decode(d *strict.Decoder, node *yaml.Node) {
	for _, node := range strict.Elements(node) {
		first, last, ok := strict.Lines(node.Value)
		if !ok || node.Kind != yaml.ScalarNode {
			d.Report(node, "expected a line or a range of lines such as 24 or 24-26, found %s", d.KindOf(node))
			continue
		}
		*l = append(*l, Range{first, last})
	}
}

// Value is a value in DynamoDB's JSON, written as YAML: {S: text}, {L: []}.
type Value struct{ types.AttributeValue }

func (v *Value) Decode(d *strict.Decoder, node *yaml.Node) {
	const expected = "expected a value in DynamoDB's JSON such as {S: text}, {N: '1'} or {L: []}"
	var plain map[string]any
	if err := node.Decode(&plain); err != nil || len(plain) != 1 {
		d.Report(node, expected+", found %s", d.KindOf(node))
		return
	}
	text, err := json.Marshal(plain)
	if err == nil {
		v.AttributeValue, err = attributevalue.UnmarshalJSON(text)
	}
	if err != nil {
		d.Report(node, expected+": %v", err)
	}
}
