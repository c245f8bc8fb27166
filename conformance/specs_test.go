package conformance_test

import (
	"fmt"

	"github.com/onsi/ginkgo/v2"
	gtypes "github.com/onsi/ginkgo/v2/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/session"
)

// describe declares one Ginkgo spec for each claim of each design. The specs of a design run in order on one deployment, and one that
// fails stops no other.
//
// Labels: design:<name>, kind:<kind>, id:<claim id with dots for slashes>.
func describe(plan suite.Plan) {
	// Ginkgo shuffles containers at the top level; within one they keep their order: that of their places in the source, then of their texts.
	ginkgo.Describe("dynaproof", func() {
		for i, design := range plan.Designs {
			place := gtypes.CodeLocation{FileName: "designs", LineNumber: i + 1}
			ginkgo.Describe(design.Name, place, ginkgo.Ordered, ginkgo.ContinueOnFailure, ginkgo.Label("design:"+design.Name), func() { specs(plan, design) })
		}
	})
}

func specs(plan suite.Plan, design *accesspatterns.Design) {
	var session *session.Session
	var failure error // of each claim
	ginkgo.BeforeAll(func(ctx ginkgo.SpecContext) { session, failure = plan.Open(ctx, design) })
	for _, claim := range manifest.InOrder(design) {
		ginkgo.It(claim.ID, ginkgo.Label(suite.Labels(claim)...), func(ctx ginkgo.SpecContext) {
			ginkgo.By(claim.Title + " (" + claim.Cite + ")")
			result := suite.Decide(ctx, claim, session, failure)
			plan.Record(result)
			switch {
			case result.Verdict.Held():
			case result.Verdict == evidence.Unsupported:
				ginkgo.Skip(suite.Message(result))
			default:
				ginkgo.Fail(suite.Message(result))
			}
		})
	}
	ginkgo.AfterAll(func(ctx ginkgo.SpecContext) {
		if err := plan.Close(ctx, design, session); err != nil {
			ginkgo.Fail(fmt.Sprintf("removing the deployment of %s: %v", design.Name, err))
		}
	})
}
