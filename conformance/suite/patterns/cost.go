package patterns

import (
	"context"
	"errors"
	"fmt"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/recorder"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// measuring is the claim of requests that are sent to learn what they cost.
const measuring = "measure"

// StepCost is what the wire saw of one step of a case: every request that the
// step sent, a repeated attempt not counted, and how its result compares with the
// case.
type StepCost struct {
	Step    accesspatterns.Step
	Entries []wire.Entry
	// Missing are the names of expected items that did not come, and Others is
	// the number of items that came beyond those expected. Writes have neither.
	Missing []string
	Others  int
}

// Measure replays a case of an access pattern once, as documented, and returns
// what each of its steps cost. What the steps wrote is undone. The error says
// that the case could not be replayed; what it returned is for the caller to
// judge, because other data may rightly be among it.
func Measure(ctx context.Context, s *session.Session, pattern *accesspatterns.Pattern, c fixtures.Case) ([]StepCost, error) {
	o := &observe.Observation{Session: s}
	r := newReplay(o, pattern, c)
	var steps []StepCost
	var unread error // what it cost says nothing; refused writes are part of many cases
	r.traced = func(step accesspatterns.Step, expected []session.ExpectedItem, got *session.Answer, err error) {
		if err != nil {
			unread = fmt.Errorf("step %s: expected an answer, found %w", step.Name, err)
			return
		}
		cost := StepCost{Step: step}
		if step.Read != nil {
			compared := session.Compare(expected, got.Items, false)
			cost.Missing, cost.Others = compared.Missing, len(compared.Unexpected)
		}
		for _, id := range got.Invocations {
			cost.Entries = append(cost.Entries, decisive(s.Ledger.Find(id))...)
		}
		steps = append(steps, cost)
	}
	r.run(recorder.WithClaim(ctx, measuring))
	err := errors.Join(unread, s.Restore(ctx, r.touched))
	if o.Instead == evidence.Error || ctx.Err() != nil {
		err = errors.Join(errors.New(o.Reason), err)
	}
	return steps, err
}

// decisive returns the one attempt of a call that counts: the first that the
// engine carried out, for a client may lose an answer and ask again; else the
// last.
func decisive(attempts []wire.Entry) []wire.Entry {
	for i := range attempts {
		if attempts[i].ErrorType == "" && attempts[i].Failure == "" {
			return attempts[i : i+1]
		}
	}
	return attempts[max(0, len(attempts)-1):]
}
