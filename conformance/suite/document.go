package suite

import (
	"context"
	"strings"

	"dynaproof/conformance/evidence"
)

// checkDocument holds when the document is the one that was transcribed and
// every citation of the contract stands in it.
func checkDocument(_ context.Context, s *Session, o *Observation) {
	if s.Source == nil {
		o.cannot(evidence.Unsupported, "citations are not proven: %v", s.SourceProblem)
		return
	}
	o.equal(s.Source.File+", SHA-256", s.Design.Document.SHA256, s.Source.SHA256,
		"the document changed since it was transcribed: compare it with the contract, then pin the new digest")
	for _, cited := range s.Design.Citations() {
		o.saw()
		if err := s.Source.Prove(cited.Citation); err != nil {
			o.fail(cited.Element, "the cited tokens on the cited lines", strings.ReplaceAll(err.Error(), "\n", "; "), "correct the citation or the contract")
		}
	}
}
