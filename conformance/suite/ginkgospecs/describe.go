// Package ginkgospecs declares the specs of a plan to Ginkgo, for `go test` and `ginkgo`.
package ginkgospecs

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

// Describe declares one Ginkgo spec for each claim of each design. The specs of
// a design run in order on one deployment, and one that fails stops no other.
//
// Labels: design:<name>, kind:<kind>, id:<claim id with dots for slashes>.
func Describe(plan suite.Plan) {
	// Ginkgo shuffles containers at the top level; within one they keep their
	// order.
	ginkgo.Describe("dynaproof", func() {
		for i, design := range plan.Designs {
			describe(plan, design, i)
		}
	})
}

func describe(plan suite.Plan, design *accesspatterns.Design, position int) {
	// Ginkgo sorts containers by their place in the source and then by their text.
	// Designs that share a place would run in the order of their names, and not in
	// that of the plan.
	place := gtypes.CodeLocation{FileName: "designs", LineNumber: position + 1}
	ginkgo.Describe(design.Name, place, ginkgo.Ordered, ginkgo.ContinueOnFailure, ginkgo.Label("design:"+design.Name), func() {
		var session *session.Session
		var failure error
		ginkgo.BeforeAll(func(ctx ginkgo.SpecContext) {
			session, failure = plan.Open(ctx, design)
			// A design that cannot be deployed is an error of each of its
			// claims, not a reason to leave them out.
		})
		for _, claim := range manifest.InOrder(design) {
			ginkgo.It(claim.ID, ginkgo.Label(suite.Labels(claim)...), func(ctx ginkgo.SpecContext) {
				ginkgo.By(claim.Title + " (" + claim.Cite + ")")
				result := suite.Decide(ctx, claim, session, failure)
				plan.Record(result)
				conclude(result)
			})
		}
		ginkgo.AfterAll(func(ctx ginkgo.SpecContext) {
			if err := plan.Close(ctx, design, session); err != nil {
				ginkgo.Fail(fmt.Sprintf("removing the deployment of %s: %v", design.Name, err))
			}
		})
	})
}

// conclude turns a verdict into Ginkgo's outcome. Only what held passes.
func conclude(result evidence.Result) {
	switch {
	case result.Verdict.Held():
	case result.Verdict == evidence.Unsupported:
		ginkgo.Skip(suite.Message(result))
	default:
		ginkgo.Fail(suite.Message(result))
	}
}
