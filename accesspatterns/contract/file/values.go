package file

import (
	"go.yaml.in/yaml/v3"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/strict"
)

// Lines are lines and ranges of lines.
type Lines []ap.NarrativeLines

func (l *Lines) Decode(d *strict.Decoder, node *yaml.Node) {
	for _, node := range strict.Elements(node) {
		first, last, ok := strict.Lines(node.Value)
		if !ok || node.Kind != yaml.ScalarNode {
			d.Report(node, "expected a line or a range of lines such as 24 or 24-26, found %s", d.KindOf(node))
			continue
		}
		*l = append(*l, ap.NarrativeLines{First: first, Last: last})
	}
}
