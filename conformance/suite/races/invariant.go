// Package races tries to break invariants: with clients that race, and with clients that die.
package races

import (
	"context"
	"fmt"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/patterns"
	"dynaproof/conformance/suite/session"
)

// Check tries to break an invariant: with clients that race, and with a
// client that dies after each of its requests and begins again.
func Check(ctx context.Context, s *session.Session, o *observe.Observation, invariant *accesspatterns.Invariant) {
	o.Report.Invariant = &evidence.Invariant{Flow: invariant.Flow, Layer: string(invariant.Layer)}
	if invariant.Law != nil && !s.Unexplored {
		patterns.Explored(ctx, o)
	}
	if s.Protection != nil {
		o.Unsupported(observe.DeclaredExisting, observe.NeedsEphemeral)
		return
	}
	for i, stress := range s.Fixtures.StressOf(invariant.ID) {
		t := &stressed{s: s, o: o, invariant: *invariant, stress: stress, where: fmt.Sprintf("attempt %d", i+1)}
		if t.over(ctx) {
			return
		}
		switch {
		case stress.Race != nil:
			t.where += " (race)"
			t.race(ctx)
			if s.RacesOnly {
				continue
			}
			for j, pair := range stress.Pairs() {
				t := &stressed{s: s, o: o, invariant: *invariant, stress: pair, where: fmt.Sprintf("%s, two clients, pair %d", t.where, j+1)}
				if t.over(ctx) {
					return
				}
				t.race(ctx)
			}
		case !s.RacesOnly:
			t.where += " (interruption)"
			t.interruption(ctx)
		}
	}
	patterns.CompareLayer(o, invariant.Layer)
	o.Report.Invariant.KeptBy = o.KeptBy
}
