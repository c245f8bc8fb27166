package suite

import (
	"context"
	"fmt"

	"dynaproof/conformance/evidence"
)

// checkInvariant tries to break an invariant: with clients that race, and with a
// client that dies after each of its requests and begins again.
func checkInvariant(ctx context.Context, s *Session, o *Observation) {
	invariant, known := s.Design.Invariant(o.claim.Subject)
	if !known {
		o.cannot(evidence.Error, "no invariant %s in the contract", o.claim.Subject)
		return
	}
	o.invariant = &evidence.Invariant{Flow: invariant.Flow, Layer: string(invariant.Layer)}
	if invariant.Law != nil && !s.Unexplored {
		o.explored(ctx)
	}
	if s.protection != nil {
		o.unsupported(declaredExisting, needsEphemeral)
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
	layerCheck{o}.layer(invariant.Layer)
	o.invariant.KeptBy = o.keptBy
}
