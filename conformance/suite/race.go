package suite

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/flow"
	"dynaproof/fixtures"
)

// race lets the clients of an attempt race, and looks at how many came through and
// at what they left.
func (t *stressed) race(ctx context.Context) {
	if t.s.NoRaces != "" {
		t.o.unsupported(declaredRaces, "%s: %s", t.where, t.s.NoRaces)
		return
	}
	defer t.restore(ctx)
	if !t.load(ctx) {
		return
	}
	race := t.stress.Race
	runs, err := t.contenders(race)
	if err != nil {
		t.o.broken(t.where, err)
		return
	}
	sent := make([]calls, len(runs))
	runner := t.s.runner()
	runner.Tag = func(ctx context.Context, run int) context.Context { return withCalls(ctx, &sent[run]) }
	outcomes := runner.Race(ctx, t.s.Seed, race.Clients, runs, race.Retry)
	for _, outcome := range outcomes { // all of them, whatever the first may show
		t.touch(outcome.Written)
	}
	counted, told := t.count(race, outcomes, sent)
	if !told {
		return
	}
	t.record(evidence.Stress{Kind: "race", Clients: race.Clients, Runs: len(runs), Seed: t.s.Seed, Succeeded: t.succeeded, Refused: counted.refused})
	counted.note(t)
	if !t.judge(race, counted.late) {
		return
	}
	t.together(ctx, t.where, race.Together)
	t.inTheEnd(ctx, t.where)
}

// contenders prepares the runs of a race.
func (t *stressed) contenders(race *fixtures.Race) ([]flow.Run, error) {
	var runs []flow.Run
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
	return flow.AfterThose
}

// tally is what the runs of a race came to, beside those that succeeded.
type tally struct {
	// refused counts the runs whose write was refused, by error code.
	refused map[string]int
	// stopped counts the runs that ended at a read and wrote nothing, by step.
	stopped map[string]int
	// late counts the runs that ended at a read of an index, which did not show
	// yet what they needed.
	late int
}

// note writes down what does not decide the verdict.
func (c tally) note(t *stressed) {
	for _, step := range slices.Sorted(maps.Keys(c.stopped)) {
		t.o.note("%s: %d runs ended at step %s without writing", t.where, c.stopped[step], step)
	}
	if c.late > 0 {
		t.o.note("%s: %d runs ended at a read of an index, which did not show yet what they needed", t.where, c.late)
	}
}

// count looks at each outcome of a race. It reports whether the whole
// can be told.
func (t *stressed) count(race *fixtures.Race, outcomes []flow.Outcome, sent []calls) (tally, bool) {
	all := tally{refused: map[string]int{}, stopped: map[string]int{}}
	for i, outcome := range outcomes {
		where := fmt.Sprintf("%s, run %d", t.where, i+1)
		switch {
		case outcome.OnIndex:
			all.late++
		case outcome.Stopped != "" && slices.Contains(race.Stops, outcome.Stopped):
			t.o.saw()
			all.stopped[outcome.Stopped]++
			if t.s.uncertain(sent[i].ids) {
				t.uncertain++ // what it saw may be its own work
			}
		case outcome.Stopped != "":
			t.unreached(where, &flow.Done{Stopped: outcome.Stopped})
		case outcome.Err == nil:
			t.o.saw()
			t.succeeded++
			if outcome.Attempts > 1 && t.s.uncertain(sent[i].ids) {
				t.uncertain += outcome.Attempts - 1 // the refusals before may be its own work
			}
		case classify(outcome.Err) != refused:
			t.o.request(where, outcome.Err)
			return all, false
		default:
			code, message := codeOf(outcome.Err)
			all.refused[code]++
			t.o.saw()
			if t.s.uncertain(sent[i].ids) {
				t.uncertain++
				continue
			}
			if !slices.Contains(race.Refusals, code) {
				t.o.fail(where, orNone(strings.Join(race.Refusals, " or ")), code+": "+message, "compare the conditions of the flow with the document")
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
		t.o.note("%s: of %d runs it is not known whether they succeeded, because an attempt had no answer", t.where, t.uncertain)
	case race.Succeed != nil && late > 0 && t.succeeded < *race.Succeed, race.Succeed == nil && t.succeeded == 0 && t.uncertain+late > 0:
		t.o.cannot(evidence.Indeterminate, "%s: %d runs saw nothing in an index and %d had no answer, so how many should have succeeded is not known", t.where, late, t.uncertain)
		return false
	case race.Succeed != nil:
		t.o.equal(t.where+", runs that succeeded", fmt.Sprint(*race.Succeed), fmt.Sprint(t.succeeded), "the condition of the write must let exactly these through")
	case t.succeeded == 0:
		t.o.fail(t.where+", runs that succeeded", "at least 1", "0", "at least one of the racing clients must get through")
	}
	return true
}
