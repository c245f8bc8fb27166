package witness_test

import (
	"testing"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/document/witness"
)

// TestFive: the reader has no open objection to the five contracts.
func TestFive(t *testing.T) {
	for _, design := range designs.All() {
		document := read(t, design)
		all := witness.Object(design, document)
		for _, o := range witness.Open(all) {
			t.Errorf("%s:%d %s: %s", design.Document.File, o.Line, o.ID, o.Message)
		}
		for _, o := range all {
			if o.Answer != "" {
				t.Logf("%s:%d %s: %s (answered: %s)", design.Document.File, o.Line, o.ID, o.Message, o.Answer)
			}
		}
	}
}
