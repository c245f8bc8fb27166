package patterns

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
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
	r.traced = func(step accesspatterns.Step, expected []session.ExpectedItem, got *session.Answer) {
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
	before := s.Recorder.Len()
	r.run(recorder.WithClaim(ctx, measuring))
	err := errors.Join(unread(s, before), s.Restore(ctx, r.touched))
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

// reading are the operations of reads.
var reading = []dynamo.Operation{dynamo.GetItem, dynamo.Query, dynamo.Scan, dynamo.BatchGetItem, dynamo.TransactGetItems}

// unread reports reads after the first n calls that were not answered with
// items: what they cost says nothing. Refused writes are part of many cases.
func unread(s *session.Session, n int) error {
	for _, sent := range s.Recorder.Since(n) {
		entries := decisive(s.Ledger.Find(sent.Invocation))
		if sent.Claim != measuring || !slices.Contains(reading, dynamo.Operation(sent.Operation)) || len(entries) == 0 {
			continue
		}
		if last := entries[0]; last.ErrorType != "" || last.Failure != "" {
			return fmt.Errorf("%s: expected an answer, found %s %s%s", sent.Operation, last.ErrorType, last.ErrorMessage, last.Failure)
		}
	}
	return nil
}
