package suite

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/session"
)

// Plan says which designs are replayed, and where their verdicts go.
type Plan struct {
	Designs []*accesspatterns.Design
	// Open deploys a design and returns its session.
	Open func(ctx context.Context, design *accesspatterns.Design) (*session.Session, error)
	// Close removes what Open deployed. session is nil when Open failed. Several designs may be closed at once.
	Close func(ctx context.Context, design *accesspatterns.Design, session *session.Session) error
	// Record receives every verdict, those of one design in the order of the claims.
	Record func(evidence.Result)
}

// Replay decides the selected claims, so many designs at once, each of which has to be deployed on an engine of its own
// then. A design that cannot be deployed is an error of each of its claims, and one without a selected claim is not
// deployed. When the context ends, no further claim is decided, and nothing is on its way any more when the designs are
// removed; closing is the context of that.
func (p Plan) Replay(ctx, closing context.Context, atOnce int, selected func(manifest.Claim) bool) {
	var work sync.WaitGroup
	var mu sync.Mutex // Record is asked once at a time
	waiting := make(chan *accesspatterns.Design, len(p.Designs))
	var left []func()
	for range atOnce {
		work.Go(func() {
			for design := range waiting {
				claims := slices.DeleteFunc(manifest.InOrder(design), func(claim manifest.Claim) bool { return !selected(claim) })
				if len(claims) == 0 || ctx.Err() != nil {
					continue
				}
				session, failure := p.Open(ctx, design)
				for _, claim := range claims {
					if ctx.Err() != nil {
						break
					}
					if result, decided := decide(ctx, claim, session, failure); decided {
						mu.Lock()
						p.Record(result)
						mu.Unlock()
					}
				}
				remove := func() { _ = p.Close(closing, design, session) } // which says itself what it could not remove
				if ctx.Err() == nil {
					remove()
					continue
				}
				mu.Lock()
				left = append(left, remove)
				mu.Unlock()
			}
		})
	}
	for _, design := range p.Designs {
		waiting <- design
	}
	close(waiting)
	work.Wait()
	for _, remove := range left {
		work.Go(remove)
	}
	work.Wait()
}

// decide is [Decide]. A check that panics decides nothing, and those behind it go on.
func decide(ctx context.Context, claim manifest.Claim, session *session.Session, failure error) (result evidence.Result, decided bool) {
	defer func() { decided = recover() == nil }()
	return Decide(ctx, claim, session, failure), true
}

// Labels are what a filter selects a claim by. Ginkgo's filter language uses the slash, so ids are written with dots
// there.
func Labels(claim manifest.Claim) []string {
	return []string{"kind:" + string(claim.Kind), "id:" + strings.ReplaceAll(claim.ID, "/", ".")}
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
