package suite

import (
	"context"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/patterns"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// checkFinding shows a finding: the literal form has the surprise that the
// finding describes, the resolved form is exact, and the claims that the
// resolution rests on passed.
func checkFinding(ctx context.Context, s *session.Session, o *observe.Observation, finding *accesspatterns.Finding) {
	o.Report.Finding = &evidence.Finding{Static: finding.Static} // the verdict fills in what the contract says
	patterns.ReplayTrials(ctx, o, "finding/"+finding.ID)
	o.Claims(finding.Claims)
	for _, lack := range finding.Lacks {
		id, attribute, _ := strings.Cut(lack, ".")
		itemCheck{o}.lacks(ctx, id, attribute)
	}
	if finding.Static != "" {
		proveStatic(o, finding.Cite)
		o.Note("no request can show this finding: %s", finding.Static)
	}
}

// proveStatic proves the cited places of a finding that no request can show.
func proveStatic(o *observe.Observation, cite accesspatterns.Citation) {
	if o.Session.Source == nil {
		o.Unsupported(observe.DeclaredDocuments, "the cited places are not proven: %v", o.Session.SourceProblem)
		return
	}
	o.Rested = append(o.Rested, evidence.Static)
	o.Saw()
	if err := o.Session.Source.Prove(cite); err != nil {
		o.Fail("the document", "the cited tokens on the cited lines", strings.ReplaceAll(err.Error(), "\n", "; "), remedy.Citation)
	}
}

// lacks holds when no stored item of the entity carries the attribute.
func (o itemCheck) lacks(ctx context.Context, entity, attribute string) {
	o.eachStored(ctx, entity, func(item *fixtures.Item, stored accesspatterns.Item) {
		o.Saw()
		if value, has := stored[attribute]; has {
			o.Fail("item "+item.Name, "no attribute "+attribute, dynamo.Show(value), remedy.NoSuchAttribute)
		}
	}, func(*fixtures.Item, string, remedy.Advice) {}) // the entity's own claim tells of lost items
}
