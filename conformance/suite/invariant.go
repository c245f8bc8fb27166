package suite

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/flow"
	"dynaproof/fixtures"
)

// checkInvariant tries to break an invariant: with clients that race, and with a
// client that dies after each of its requests and begins again.
func checkInvariant(ctx context.Context, s *Session, o *Observation) {
	at := slices.IndexFunc(s.Design.Invariants, func(i accesspatterns.Invariant) bool { return i.ID == o.claim.Subject })
	if at < 0 {
		o.cannot(evidence.Error, "no invariant %s in the contract", o.claim.Subject)
		return
	}
	invariant := s.Design.Invariants[at]
	o.invariant = &evidence.Invariant{Flow: invariant.Flow, Layer: string(invariant.Layer)}
	if invariant.Law != nil && !s.Unexplored {
		o.explored()
	}
	if s.protection != nil {
		o.unsupported(declaredExisting, needsEphemeral)
		return
	}
	for i, stress := range s.Fixtures.StressOf(invariant.ID) {
		t := &stressed{s: s, o: o, invariant: invariant, stress: stress, where: fmt.Sprintf("attempt %d", i+1)}
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
				t := &stressed{s: s, o: o, invariant: invariant, stress: pair, where: fmt.Sprintf("%s, two clients, pair %d", t.where, j+1)}
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

// stressed is one attempt on an invariant in progress.
type stressed struct {
	s         *Session
	o         *Observation
	invariant accesspatterns.Invariant
	stress    fixtures.Stress
	where     string
	touched   []touchedKey
	// succeeded counts the runs that did; uncertain those of which it is not
	// known, because an attempt of a write had no answer.
	succeeded, uncertain int
}

// over reports whether the time of the claim is, so that the attempt is not made.
func (t *stressed) over(ctx context.Context) bool {
	if ctx.Err() == nil {
		return false
	}
	t.o.cannot(evidence.Indeterminate, "%s: %s", t.where, why(ctx.Err()))
	return true
}

// restore undoes what the attempt wrote.
func (t *stressed) restore(ctx context.Context) {
	if err := (loader{t.s}).restore(ctx, t.touched); err != nil {
		t.o.broken(t.where, err)
	}
	t.touched, t.succeeded, t.uncertain = nil, 0, 0
}

// load writes the generated items and reports whether it could.
func (t *stressed) load(ctx context.Context) bool {
	if t.stress.Bulk == nil {
		return true
	}
	keys, err := loader{t.s}.bulk(ctx, t.stress.Bulk)
	t.touched = append(t.touched, keys...)
	if err != nil {
		t.o.request(t.where+", generated items", err)
	}
	return err == nil
}

// run prepares one use of a flow. n is the number of the run, or 0 outside of a
// race.
func (t *stressed) run(use fixtures.Use, n int) (flow.Execution, error) {
	id := use.Pattern
	if id == "" {
		id = t.invariant.Flow
	}
	pattern, known := t.s.Design.Pattern(id)
	if !known {
		return flow.Execution{}, fmt.Errorf("no access pattern %s in the contract", id)
	}
	run := flow.Execution{Pattern: pattern, Params: use.Params}
	if n > 0 {
		run.Params = use.Numbered(n)
	}
	playing := t.s.Fixtures.Playing(use.Items)
	run.Items = func(role string) ([]accesspatterns.Item, error) {
		items, err := playing(role)
		for i := range items {
			if n > 0 {
				items[i] = fixtures.Numbered(items[i], n)
			}
		}
		return items, err
	}
	return run, nil
}

// touch notes the keys that requests wrote to, so that they can be restored.
func (t *stressed) touch(written []any) {
	for _, request := range written {
		t.touched = append(t.touched, t.s.touched(request)...)
	}
}

// unreached reports a flow that ended before its writes. An index may show later
// what it needed; a table does not.
func (t *stressed) unreached(where string, done *flow.Done) {
	if done.OnIndex {
		t.o.cannot(evidence.Indeterminate, "%s: step %s saw nothing in an index, which may show it later", where, done.Stopped)
		return
	}
	t.o.saw()
	t.o.fail(where, "the flow to reach its writes", "it ended at step "+done.Stopped, reachWrites)
}

// record keeps an attempt for the evidence.
func (t *stressed) record(stress evidence.Stress) {
	stress.Why = t.stress.Why
	for _, code := range slices.Sorted(maps.Keys(stress.Refused)) {
		t.o.note("%s: %d runs were refused with %s", t.where, stress.Refused[code], code)
	}
	t.o.invariant.Attempts = append(t.o.invariant.Attempts, stress)
}
