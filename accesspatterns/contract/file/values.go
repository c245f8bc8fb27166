package file

import (
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
