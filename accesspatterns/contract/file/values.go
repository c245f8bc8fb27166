package file

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.yaml.in/yaml/v3"

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
			named(each, reflect.ValueOf(&entry.Value).Elem())
			*o = append(*o, entry)
		}
	})
}

// named gives the name of an element to the lines that it cites without words.
func named(name string, element reflect.Value) {
	if element.Kind() != reflect.Struct {
		return
	}
	field := element.FieldByName("Cite")
	if !field.IsValid() {
		return
	}
	citation := field.Addr().Interface().(*Citation)
	for i := range citation.Places {
		if citation.Places[i].Tokens == nil {
			citation.Places[i].Tokens = []string{name}
		}
	}
}

// elements are those of a list, or a value alone.
func elements(node *yaml.Node) []*yaml.Node {
	if node.Kind == yaml.SequenceNode {
		return node.Content
	}
	return []*yaml.Node{node}
}

// Words are one text or a list of texts.
type Words []string

func (w *Words) Decode(d *strict.Decoder, node *yaml.Node) {
	nodes := elements(node)
	*w = make(Words, 0, len(nodes))
	for _, node := range nodes {
		if text, ok := d.Text(node); ok {
			*w = append(*w, text)
		}
	}
}

// Citation maps lines of the document to the tokens that must stand on them, and
// says how they carry the element: they state it, unless it says otherwise.
type Citation struct {
	Places []Place
	// Implied is the reason why the lines cannot mean anything else. Chosen names
	// the ruling or the finding that decided where they are silent.
	Implied, Chosen string
}

// Place is one place of a citation.
type Place struct {
	First, Last int
	Tokens      []string
}

// Given reports whether there is a citation.
func (c Citation) Given() bool { return len(c.Places) > 0 }

func (c *Citation) Decode(d *strict.Decoder, node *yaml.Node) {
	if node.Kind == yaml.ScalarNode {
		first, last, ok := lines(node.Value)
		if !ok {
			d.Report(node, "expected a line or a range of lines such as 24 or 24-26 where the element's own name stands, or lines with words such as {24: [token]}, found %s", d.KindOf(node))
			return
		}
		c.Places = []Place{{First: first, Last: last}}
		return
	}
	d.Pairs(node, func(name, value *yaml.Node) {
		switch name.Value {
		case "implied":
			d.Into(value, &c.Implied)
			return
		case "chosen":
			d.Into(value, &c.Chosen)
			return
		}
		place := Place{}
		var ok bool
		if place.First, place.Last, ok = lines(name.Value); !ok {
			d.Report(name, "expected a line or a range of lines such as 24 or 24-26, implied or chosen, found %s", name.Value)
			return
		}
		var tokens Words
		tokens.Decode(d, value)
		place.Tokens = tokens
		c.Places = append(c.Places, place)
	})
	switch {
	case c.Implied != "" && c.Chosen != "":
		d.Report(node, "expected implied or chosen, found both; keep the one that says where the element comes from")
	case !c.Given() && node.Kind == yaml.MappingNode:
		d.Report(node, "a citation names at least one line: {24: [token]}")
	}
}

// Lines are lines and ranges of lines.
type Lines []Range

// Range is a range of lines, both ends included.
type Range struct{ First, Last int }

func (l *Lines) Decode(d *strict.Decoder, node *yaml.Node) {
	for _, node := range elements(node) {
		first, last, ok := lines(node.Value)
		if !ok || node.Kind != yaml.ScalarNode {
			d.Report(node, "expected a line or a range of lines such as 24 or 24-26, found %s", d.KindOf(node))
			continue
		}
		*l = append(*l, Range{first, last})
	}
}

func lines(text string) (first, last int, ok bool) {
	from, to, isRange := strings.Cut(text, "-")
	first, err := strconv.Atoi(from)
	if err != nil || first < 1 {
		return 0, 0, false
	}
	if !isRange {
		return first, first, true
	}
	last, err = strconv.Atoi(to)
	return first, last, err == nil && last > first
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
