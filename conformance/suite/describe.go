package suite

import (
	"context"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	gtypes "github.com/onsi/ginkgo/v2/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/session"
)

// Plan says what [Describe] declares and where its verdicts go.
type Plan struct {
	Designs []*accesspatterns.Design
	// Open deploys a design and returns its session.
	Open func(ctx context.Context, design *accesspatterns.Design) (*session.Session, error)
	// Decide decides a claim; nil means [Spec.Run].
	Decide func(ctx context.Context, spec Spec, session *session.Session, failure error) evidence.Result
	// Close removes what Open deployed. session is nil when Open failed.
	Close func(ctx context.Context, design *accesspatterns.Design, session *session.Session) error
	// Record receives every verdict, in the order of the claims.
	Record func(evidence.Result)
}

// Describe declares one Ginkgo spec for each claim of each design. The specs of
// a design run in order on one deployment, and one that fails stops no other.
//
// Labels: design:<name>, kind:<kind>, id:<claim id with dots for slashes>.
func Describe(plan Plan) {
	// Ginkgo shuffles containers at the top level; within one they keep their
	// order.
	ginkgo.Describe("dynaproof", func() {
		for i, design := range plan.Designs {
			describe(plan, design, i)
		}
	})
}

func describe(plan Plan, design *accesspatterns.Design, position int) {
	// Ginkgo sorts containers by their place in the source and then by their text.
	// Designs that share a place would run in the order of their names, and not in
	// that of the plan, in which they are deployed ahead.
	place := gtypes.CodeLocation{FileName: "designs", LineNumber: position + 1}
	decide := plan.Decide
	if decide == nil {
		decide = func(ctx context.Context, spec Spec, session *session.Session, failure error) evidence.Result {
			return spec.Run(ctx, session, failure)
		}
	}
	ginkgo.Describe(design.Name, place, ginkgo.Ordered, ginkgo.ContinueOnFailure, ginkgo.Label("design:"+design.Name), func() {
		var session *session.Session
		var failure error
		ginkgo.BeforeAll(func(ctx ginkgo.SpecContext) {
			session, failure = plan.Open(ctx, design)
			// A design that cannot be deployed is an error of each of its
			// claims, not a reason to leave them out.
		})
		for _, spec := range Specs(design) {
			ginkgo.It(spec.Claim.ID, Labels(spec.Claim), func(ctx ginkgo.SpecContext) {
				ginkgo.By(spec.Claim.Title + " (" + spec.Claim.Cite + ")")
				result := decide(ctx, spec, session, failure)
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

// Labels returns the Ginkgo labels of a claim. Ginkgo's filter language uses the
// slash, so ids are written with dots there.
func Labels(claim manifest.Claim) ginkgo.Labels {
	return ginkgo.Label("kind:"+string(claim.Kind), "id:"+strings.ReplaceAll(claim.ID, "/", "."))
}

// conclude turns a verdict into Ginkgo's outcome. Only what held passes.
func conclude(result evidence.Result) {
	switch {
	case result.Verdict.Held():
	case result.Verdict == evidence.Unsupported:
		ginkgo.Skip(Message(result))
	default:
		ginkgo.Fail(Message(result))
	}
}

// Message says why a claim did not pass, one problem a paragraph.
func Message(result evidence.Result) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s (%s)", result.Verdict, result.Title, result.Cite)
	for _, problem := range result.Problems {
		fmt.Fprintf(&text, "\n  at       %s\n  expected %s\n  found    %s\n  document %s", problem.Where, problem.Expected, problem.Found, problem.Cite)
		if problem.Do != "" {
			fmt.Fprintf(&text, "\n  do       %s", problem.Do)
		}
	}
	return text.String()
}
