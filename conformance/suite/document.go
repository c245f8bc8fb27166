package suite

import (
	"context"
	"fmt"
	"strings"

	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
)

// checkDocument holds when the document is the one that was transcribed, every
// citation of the contract stands in it, and every line of it is accounted for.
func checkDocument(_ context.Context, s *session.Session, o *observe.Observation) {
	if s.Source == nil {
		o.Unsupported(observe.DeclaredDocuments, "citations are not proven: %v", s.SourceProblem)
		return
	}
	o.Equal(s.Source.File+", SHA-256", s.Design.Document.SHA256, s.Source.SHA256,
		remedy.ChangedDocument)
	covered := coverage.Of(s.Design, s.Source, s.PinnedLines)
	for _, proof := range covered.Citations {
		o.Must(proof.Problem == "", proof.Element, "the cited tokens on the cited lines", strings.ReplaceAll(proof.Problem, "\n", "; "),
			remedy.Citation)
	}
	for _, line := range covered.Lines {
		o.Must(line.Status != coverage.LineUnaccounted, fmt.Sprintf("%s:%d", s.Source.File, line.Line),
			"a line that a claim cites or that is listed as narrative", line.Reason, remedy.CiteOrNarrative)
	}
	if pending := covered.Count()[coverage.LinePending]; pending > 0 {
		o.Note("%d of %d lines are not transcribed yet; the contract's level is %s", pending, len(covered.Lines), s.Design.Level)
	}
	if titles := covered.Generated(); titles > 0 {
		o.Note("generated as narrative: %d headings, labels and header rows above cited lines", titles)
	}
	for _, stale := range covered.Stale {
		o.Fail(s.Source.File, "a narrative list that fits the document", stale, remedy.NarrativeList)
	}
}
