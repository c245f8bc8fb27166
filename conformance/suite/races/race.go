// Package races tries to break invariants: with clients that race, and with clients that die.
package races

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/flow"
	"dynaproof/conformance/suite/failures"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/patterns"
	"dynaproof/conformance/suite/recorder"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// race lets the clients of an attempt race, and looks at how many came through and
// at what they left.
func (t *stressed) race(ctx context.Context) {
	if t.s.NoRaces != "" {
		t.o.Unsupported(observe.DeclaredRaces, "%s: %s", t.where, t.s.NoRaces)
		return
	}
	race := t.stress.Race
	runs, err := t.contenders(race)
	if err != nil {
		t.o.Broken(t.where, err)
		return
	}
	if len(runs) == 2 {
		if t.s.RacesOnly {
			return
		}
		t.everyOrder(ctx, race, runs)
		return
	}
	shares := flow.Shares(t.s.Seed, race.Clients, runs)
	counted, _ := t.inOrder(ctx, race, runs, flow.BySeed(t.s.Seed), shares)
	t.record(evidence.Stress{Kind: "race", Clients: len(shares), Runs: len(runs), Seed: t.s.Seed, Succeeded: counted.succeeded, Refused: counted.refused, Violation: counted.violation})
	counted.note(t)
}

// MostOrders bounds how many orders of two clients' requests are tried for one
// attempt, unless the input says otherwise. What it cuts off is named in the evidence.
const MostOrders = 1000

// everyOrder lets two clients race in each order in which their requests can
// follow one another, and ends at the first in which the invariant is broken.
func (t *stressed) everyOrder(ctx context.Context, race *fixtures.Race, runs []flow.Execution) {
	explorer := &flow.Explorer{}
	tried, succeeded, more := evidence.Stress{Kind: "race", Clients: 2, Runs: 2, Refused: map[string]int{}}, map[int]bool{}, true
	for more && tried.Orders < cmp.Or(t.s.Orders, MostOrders) && ctx.Err() == nil {
		counted, held := t.inOrder(ctx, race, runs, explorer.Next, [][]int{{0}, {1}})
		if explorer.Err != nil {
			t.o.Cannot(evidence.Error, "%s: its orders cannot be made again: %v", t.where, explorer.Err)
			return
		}
		if !explorer.Redundant {
			tried.Orders++
		}
		for code, times := range counted.refused {
			tried.Refused[code] += times
		}
		succeeded[counted.succeeded] = true
		if !held {
			tried.Violation = counted.violation
			break
		}
		more = explorer.Advance()
	}
	if len(succeeded) == 0 { // the time was over before the first
		t.over(ctx)
		return
	}
	tried.Succeeded = slices.Max(slices.Collect(maps.Keys(succeeded)))
	if tried.Cut = more && tried.Violation == nil; tried.Cut {
		t.o.Note("%s: %d orders of the two clients' requests were tried, and there are more", t.where, tried.Orders)
	} else if tried.Violation == nil {
		t.o.Note("%s: held in each of the %d orders of the two clients' requests", t.where, tried.Orders)
	}
	t.record(tried)
}

// inOrder lets clients race in one order, and looks at how many came through and at
// what they left. It reports whether all held and could be told.
func (t *stressed) inOrder(ctx context.Context, race *fixtures.Race, runs []flow.Execution, order flow.Order, shares [][]int) (counted tally, held bool) {
	defer t.restore(ctx)
	problems, undecided := len(t.o.Problems), t.o.Undecided
	if !t.load(ctx) {
		return counted, false
	}
	calls := make([]recorder.Recorder, len(runs))
	runner := t.s.Runner()
	runner.Tag = func(ctx context.Context, run int) context.Context { return recorder.Also(ctx, &calls[run]) }
	outcomes, sent := runner.Race(ctx, order, shares, runs, race.Retry)
	for _, outcome := range outcomes { // all of them, whatever the first may show
		t.touch(outcome.Written)
		patterns.KeptInFlow(t.o, outcome.Written, outcome.Err)
	}
	counted, told := t.count(race, outcomes, calls)
	counted.succeeded = t.succeeded
	if told && t.judge(race, counted.late) {
		t.together(ctx, t.where, race.Together)
		t.inTheEnd(ctx, t.where)
	}
	if len(t.o.Problems) > problems {
		counted.violation = sequence(sent)
	}
	return counted, len(t.o.Problems) == problems && t.o.Undecided == undecided
}

// sequence is the order of a race's requests for the evidence.
func sequence(sent []*flow.Request) []evidence.Sent {
	return lists.Map(sent, func(request *flow.Request) evidence.Sent {
		return evidence.Sent{Client: request.Client + 1, Operation: request.Operation, Place: request.Place, Refused: request.Refused}
	})
}

// contenders prepares the runs of a race.
func (t *stressed) contenders(race *fixtures.Race) ([]flow.Execution, error) {
	var runs []flow.Execution
	for _, contender := range race.Contenders {
		for n := 1; n <= contender.Times; n++ {
			run, err := t.run(contender.Use, n)
			if err != nil {
				return nil, err
			}
			run.Turn = turnOf(race, contender)
			runs = append(runs, run)
		}
	}
	return runs, nil
}

// turnOf says when the runs of a contender may write.
func turnOf(race *fixtures.Race, contender fixtures.Contender) flow.Turn {
	switch ahead := func(c fixtures.Contender) bool { return c.Ahead }; {
	case !race.AllRead:
		return flow.AtOnce
	case contender.Ahead || !slices.ContainsFunc(race.Contenders, ahead):
		return flow.WhenAllRead
	}
	return flow.AfterWriters
}

// tally is what the runs of a race came to.
type tally struct {
	succeeded int
	// violation is the order of the requests, where it broke the invariant.
	violation []evidence.Sent
	// refused counts the runs whose write was refused, by error code.
	refused map[string]int
	// stopped counts the runs that ended at a read and wrote nothing, by step.
	stopped map[string]int
	// failed counts the writes that failed without ending their run, by step and code.
	failed map[string]int
	// late counts the runs that ended at a read of an index, which did not show
	// yet what they needed.
	late int
}

// note writes down what does not decide the verdict.
func (c tally) note(t *stressed) {
	for _, step := range slices.Sorted(maps.Keys(c.stopped)) {
		t.o.Note("%s: %d runs ended at step %s without writing", t.where, c.stopped[step], step)
	}
	for _, what := range slices.Sorted(maps.Keys(c.failed)) {
		t.o.Note("%s: in %d runs %s, and the flow went on", t.where, c.failed[what], what)
	}
	if c.late > 0 {
		t.o.Note("%s: %d runs ended at a read of an index, which did not show yet what they needed", t.where, c.late)
	}
}

// count looks at each outcome of a race. It reports whether the whole
// can be told.
func (t *stressed) count(race *fixtures.Race, outcomes []flow.Outcome, sent []recorder.Recorder) (tally, bool) {
	all := tally{refused: map[string]int{}, stopped: map[string]int{}, failed: map[string]int{}}
	for i, outcome := range outcomes {
		where := fmt.Sprintf("%s, run %d", t.where, i+1)
		for _, failure := range outcome.Failed {
			code, _ := failures.CodeOf(failure.Err)
			all.failed[fmt.Sprintf("step %s failed with %s", failure.Step, code)]++
		}
		switch {
		case outcome.OnIndex:
			all.late++
		case outcome.Stopped != "" && slices.Contains(race.Stops, outcome.Stopped):
			t.o.Saw()
			all.stopped[outcome.Stopped]++
			if t.s.Uncertain(sent[i].Invocations(0)) {
				t.uncertain++ // what it saw may be its own work
			}
		case outcome.Stopped != "":
			t.unreached(where, &flow.Done{Stopped: outcome.Stopped})
		case outcome.Err == nil:
			t.o.Saw()
			t.succeeded++
			if outcome.Attempts > 1 && t.s.Uncertain(sent[i].Invocations(0)) {
				t.uncertain += outcome.Attempts - 1 // the refusals before may be its own work
			}
		case failures.Classify(outcome.Err) != failures.Refused:
			t.o.Request(where, outcome.Err)
			return all, false
		default:
			code, message := failures.CodeOf(outcome.Err)
			all.refused[code]++
			t.o.Saw()
			if t.s.Uncertain(sent[i].Invocations(0)) {
				t.uncertain++
				continue
			}
			if !slices.Contains(race.Refusals, code) {
				t.o.Fail(where, cmp.Or(strings.Join(race.Refusals, " or "), "none"), code+": "+message, remedy.RaceRefusals)
			}
		}
	}
	return all, true
}

// judge compares how many runs succeeded with how many must. It reports whether
// that is known, so that the items can be looked at.
func (t *stressed) judge(race *fixtures.Race, late int) bool {
	switch {
	case race.Succeed != nil && t.uncertain > 0 && t.succeeded <= *race.Succeed && *race.Succeed <= t.succeeded+t.uncertain:
		t.o.Note("%s: of %d runs it is not known whether they succeeded, because an attempt had no answer", t.where, t.uncertain)
	case race.Succeed != nil && late > 0 && t.succeeded < *race.Succeed, race.Succeed == nil && t.succeeded == 0 && t.uncertain+late > 0:
		t.o.Cannot(evidence.Indeterminate, "%s: %d runs saw nothing in an index and %d had no answer, so how many should have succeeded is not known", t.where, late, t.uncertain)
		return false
	case race.Succeed != nil:
		t.o.Equal(t.where+", runs that succeeded", fmt.Sprint(*race.Succeed), fmt.Sprint(t.succeeded), remedy.RaceSucceeds)
	case t.succeeded == 0:
		t.o.Fail(t.where+", runs that succeeded", "at least 1", "0", remedy.RaceStuck)
	}
	return true
}

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
