package file

import (
	"encoding/json"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.yaml.in/yaml/v3"

	"dynaproof/accesspatterns/strict"
)

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
