package suite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/flow"
	"dynaproof/fixtures"
)

// invariantCheck tries to break an invariant: with clients that race, and with a
// client that dies after each of its requests and begins again.
func invariantCheck(claim accesspatterns.Claim) func(context.Context, *Session, *Observation) {
	return func(ctx context.Context, s *Session, o *Observation) {
		at := slices.IndexFunc(s.Design.Invariants, func(i accesspatterns.Invariant) bool { return i.ID == claim.Subject })
		if at < 0 {
			o.cannot(evidence.Error, "no invariant %s in the contract", claim.Subject)
			return
		}
		invariant := s.Design.Invariants[at]
		o.invariant = &evidence.Invariant{Flow: invariant.Flow, Layer: string(invariant.Layer)}
		if s.guard != nil {
			o.cannot(evidence.Unsupported, "clients that race and die need an ephemeral stack: on an existing stack one client alone writes, under the condition that nobody else does")
			return
		}
		for i, stress := range s.Fixtures.StressOf(invariant.ID) {
			t := &stressed{s: s, o: o, invariant: invariant, stress: stress, where: fmt.Sprintf("attempt %d", i+1)}
			switch {
			case stress.Race != nil:
				t.where += " (race)"
				t.race(ctx)
			case !s.RacesOnly:
				t.where += " (interruption)"
				t.interruption(ctx)
			}
		}
	}
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

// restore undoes what the attempt wrote.
func (t *stressed) restore(ctx context.Context) {
	if err := t.s.restore(withClaim(context.WithoutCancel(ctx), restoring), t.touched); err != nil {
		t.o.broken(t.where, err)
	}
	t.touched, t.succeeded, t.uncertain = nil, 0, 0
}

// load writes the generated items and reports whether it could.
func (t *stressed) load(ctx context.Context) bool {
	if t.stress.Bulk == nil {
		return true
	}
	keys, err := t.s.bulk(ctx, t.stress.Bulk)
	t.touched = append(t.touched, keys...)
	if err != nil {
		t.o.request(t.where+", generated items", err)
	}
	return err == nil
}

// run prepares one use of a flow. n is the number of the run, or 0 outside of a
// race.
func (t *stressed) run(use fixtures.Use, n int) (flow.Run, error) {
	id := use.Pattern
	if id == "" {
		id = t.invariant.Flow
	}
	pattern, known := t.s.Design.Pattern(id)
	if !known {
		return flow.Run{}, fmt.Errorf("no access pattern %s in the contract", id)
	}
	run := flow.Run{Pattern: pattern, Params: use.Params}
	if n > 0 {
		run.Params = use.Numbered(n)
	}
	run.Item = func(role string) (accesspatterns.Item, error) {
		item, err := t.s.fixtureItem(use.Items[role])
		if n > 0 {
			item = fixtures.Numbered(item, n)
		}
		return item, err
	}
	return run, nil
}

func (t *stressed) race(ctx context.Context) {
	if t.s.NoRaces != "" {
		t.o.cannot(evidence.Unsupported, "%s: %s", t.where, t.s.NoRaces)
		return
	}
	defer t.restore(ctx)
	if !t.load(ctx) {
		return
	}
	race := t.stress.Race
	var runs []flow.Run
	for _, contender := range race.Contenders {
		for n := 1; n <= contender.Times; n++ {
			run, err := t.run(contender.Use, n)
			if err != nil {
				t.o.broken(t.where, err)
				return
			}
			run.Turn = turnOf(race, contender)
			runs = append(runs, run)
		}
	}
	refusals, stopped := map[string]int{}, map[string]int{}
	sent := make([]calls, len(runs))
	runner := t.s.runner()
	runner.Tag = func(ctx context.Context, run int) context.Context { return withCalls(ctx, &sent[run]) }
	late := 0
	outcomes := runner.Race(ctx, t.s.Seed, race.Clients, runs, race.Retry)
	for _, outcome := range outcomes { // all of them, whatever the first may show
		for _, request := range outcome.Written {
			t.touched = append(t.touched, t.s.touched(request)...)
		}
	}
	for i, outcome := range outcomes {
		where := fmt.Sprintf("%s, run %d", t.where, i+1)
		switch {
		case outcome.OnIndex:
			late++
		case outcome.Stopped != "" && slices.Contains(race.Stops, outcome.Stopped):
			t.o.saw()
			stopped[outcome.Stopped]++
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
			return
		default:
			code, message := codeOf(outcome.Err)
			refusals[code]++
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
	t.record(evidence.Stress{Kind: "race", Clients: race.Clients, Runs: len(runs), Seed: t.s.Seed, Succeeded: t.succeeded, Refused: refusals})
	for _, step := range slices.Sorted(maps.Keys(stopped)) {
		t.o.note("%s: %d runs ended at step %s without writing", t.where, stopped[step], step)
	}
	if late > 0 {
		t.o.note("%s: %d runs ended at a read of an index, which did not show yet what they needed", t.where, late)
	}
	switch {
	case race.Succeed != nil && t.uncertain > 0 && t.succeeded <= *race.Succeed && *race.Succeed <= t.succeeded+t.uncertain:
		t.o.note("%s: of %d runs it is not known whether they succeeded, because an attempt had no answer", t.where, t.uncertain)
	case race.Succeed != nil && late > 0 && t.succeeded < *race.Succeed, race.Succeed == nil && t.succeeded == 0 && t.uncertain+late > 0:
		t.o.cannot(evidence.Indeterminate, "%s: %d runs saw nothing in an index and %d had no answer, so how many should have succeeded is not known", t.where, late, t.uncertain)
		return
	case race.Succeed != nil:
		t.o.equal(t.where+", runs that succeeded", fmt.Sprint(*race.Succeed), fmt.Sprint(t.succeeded), "the condition of the write must let exactly these through")
	case t.succeeded == 0:
		t.o.fail(t.where+", runs that succeeded", "at least 1", "0", "at least one of the racing clients must get through")
	}
	t.together(ctx, t.where, race.Together)
	t.inTheEnd(ctx, t.where)
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

// interruption runs the flow once to count its requests, then again with a client
// that dies after none of them, after one, and so on to the last, and each time
// runs it again from the beginning.
func (t *stressed) interruption(ctx context.Context) {
	cut := t.stress.Interruption
	requests := 0
	if !t.cut(ctx, t.where+", without interruption", func() error { requests++; return nil }, false) {
		return
	}
	t.record(evidence.Stress{Kind: "interruption", Runs: requests + 1, Seed: t.s.Seed})
	for after := 0; after <= requests; after++ {
		if !t.cut(ctx, fmt.Sprintf("%s after request %d of %d", t.where, after, requests), flow.DieAfter(after), true) {
			return
		}
	}
	if requests == 0 {
		t.o.fail(t.where, "a flow that sends requests", "none", "compare the attempt with the flow")
	}
	if len(cut.Again) > 0 {
		t.o.note("%s: the second run may be refused with %s", t.where, strings.Join(cut.Again, ", "))
	}
}

// cut runs the flow with a hook, looks at what is there, and with again runs it
// once more. It reports whether anything can be told.
func (t *stressed) cut(ctx context.Context, where string, hook func() error, again bool) bool {
	defer t.restore(ctx)
	undecided := t.o.undecided
	if !t.load(ctx) {
		return false
	}
	run, err := t.run(t.stress.Interruption.Use, 0)
	if err != nil {
		t.o.broken(where, err)
		return false
	}
	runner := t.s.runner()
	runner.Before = hook
	var sent calls
	done, err := runner.Run(withCalls(ctx, &sent), run)
	for _, request := range done.Written {
		t.touched = append(t.touched, t.s.touched(request)...)
	}
	if t.blurred(where, err, &sent) {
		return false
	}
	if done.Stopped != "" && !again {
		t.unreached(where, done)
		return false
	}
	if err != nil && !errors.Is(err, flow.ErrDead) {
		t.o.request(where, err)
		return t.o.undecided == undecided
	}
	t.halfway(ctx, where)
	late := false
	if again {
		var sent calls
		done, err := t.s.runner().Run(withCalls(ctx, &sent), run)
		for _, request := range done.Written {
			t.touched = append(t.touched, t.s.touched(request)...)
		}
		if t.blurred(where+", run again", err, &sent) {
			return false
		}
		late = done.OnIndex
		code := ""
		if err != nil {
			code, _ = codeOf(err)
		}
		if err != nil && !slices.Contains(t.stress.Interruption.Again, code) {
			t.o.request(where+", run again", err)
		}
		if t.o.undecided != undecided {
			return false // what it left says nothing
		}
		where += ", run again"
	}
	problems := len(t.o.problems)
	t.inTheEnd(ctx, where)
	if late && len(t.o.problems) > problems {
		t.o.problems = t.o.problems[:problems]
		t.o.cannot(evidence.Indeterminate, "%s: the flow ended at a read of an index, which may show later what it needed", where)
	}
	return t.o.undecided == undecided
}

// unreached reports a flow that ended before its writes. An index may show later
// what it needed; a table does not.
func (t *stressed) unreached(where string, done *flow.Done) {
	if done.OnIndex {
		t.o.cannot(evidence.Indeterminate, "%s: step %s saw nothing in an index, which may show it later", where, done.Stopped)
		return
	}
	t.o.saw()
	t.o.fail(where, "the flow to reach its writes", "it ended at step "+done.Stopped, "compare the items in the attempt with the flow")
}

// blurred reports whether it cannot be told what a run came to, because an
// attempt of a write had no answer and the next was refused.
func (t *stressed) blurred(where string, err error, sent *calls) bool {
	if err == nil || errors.Is(err, flow.ErrDead) || classify(err) != refused || !t.s.uncertain(sent.ids) {
		return false
	}
	code, _ := codeOf(err)
	t.o.cannot(evidence.Indeterminate, "%s: an attempt had no answer, so the refusal of the next (%s) may be its own work", where, code)
	return true
}

// halfway looks at the items that must be there or be gone together.
func (t *stressed) halfway(ctx context.Context, where string) {
	t.together(ctx, where, t.stress.Interruption.Together)
	t.oneOf(ctx, where)
	for _, while := range t.stress.Interruption.While {
		item, ok := t.present(ctx, where, while.Item)
		needs, also := t.present(ctx, where, while.Needs)
		if !ok || !also {
			return
		}
		t.o.saw()
		if item && !needs {
			t.o.fail(where, while.Needs+" as long as "+while.Item+" is there", while.Item+" alone", doTogether)
		}
	}
}

const doTogether = "write the items in one transaction, or change the order of the steps"

// together looks whether each group of items is there whole or not at all.
func (t *stressed) together(ctx context.Context, where string, groups [][]string) {
	for _, names := range groups {
		var there, gone []string
		for _, name := range names {
			switch present, ok := t.present(ctx, where, name); {
			case !ok:
				return
			case present:
				there = append(there, name)
			default:
				gone = append(gone, name)
			}
		}
		t.o.saw()
		if len(there) > 0 && len(gone) > 0 {
			t.o.fail(where, showNames(names)+" together", "only "+showNames(there), doTogether)
		}
	}
}

// oneOf looks at the states of which exactly one must be there.
func (t *stressed) oneOf(ctx context.Context, where string) {
	for _, states := range t.stress.OneOf {
		var there []string
		for _, name := range states {
			present, ok := t.present(ctx, where, name)
			if !ok {
				return
			}
			if present {
				there = append(there, name)
			}
		}
		t.o.equal(where+", which of "+showNames(states)+" are there", "1", fmt.Sprint(len(there)), "write what belongs together in one request")
	}
}

// present reports whether an item is there with exactly the fixture's content.
func (t *stressed) present(ctx context.Context, where, name string) (present, ok bool) {
	item, got, ok := t.look(ctx, where, name)
	return ok && got != nil && accesspatterns.EqualItems(item, got), ok
}

func (t *stressed) look(ctx context.Context, where, name string) (item, got accesspatterns.Item, ok bool) {
	fixture, known := t.s.Fixtures.Item(name)
	if !known {
		t.o.broken(where, fmt.Errorf("the fixtures have no item %q", name))
		return nil, nil, false
	}
	table, err := t.s.tableOf(fixture)
	if err != nil {
		t.o.broken(where, err)
		return nil, nil, false
	}
	item = accesspatterns.Item(fixture.Item)
	if got, err = t.s.get(ctx, table, t.s.keyOf(table, item)); err != nil {
		t.o.request(where+", item "+name, err)
		return nil, nil, false
	}
	return item, got, true
}

// inTheEnd looks at what must hold when all runs are over.
func (t *stressed) inTheEnd(ctx context.Context, where string) {
	const do = "compare the conditions and transactions of the flow with the document"
	for _, name := range t.stress.Present {
		item, got, ok := t.look(ctx, where, name)
		if !ok {
			return
		}
		t.o.saw()
		if got == nil {
			t.o.fail(where, "item "+name, "no such item", do)
			continue
		}
		for _, difference := range accesspatterns.Differences(item, got) {
			t.o.fail(where, "item "+name, difference, do)
		}
	}
	for _, name := range t.stress.Absent {
		_, got, ok := t.look(ctx, where, name)
		if !ok {
			return
		}
		t.o.saw()
		if got != nil {
			t.o.fail(where, "no item "+name, accesspatterns.ShowItem(got), do)
		}
	}
	t.oneOf(ctx, where)
	for _, number := range t.stress.Numbers {
		_, got, ok := t.look(ctx, where, number.Item)
		if !ok {
			return
		}
		var counted []string
		matches := false
		for succeeded := t.succeeded; succeeded <= t.succeeded+t.uncertain; succeeded++ {
			want := &types.AttributeValueMemberN{Value: fmt.Sprint(number.Start + number.Step*succeeded)}
			counted = append(counted, want.Value)
			matches = matches || accesspatterns.Equal(want, got[number.Attribute])
		}
		t.o.saw()
		if !matches {
			t.o.fail(fmt.Sprintf("%s, %s of %s after %d runs that succeeded", where, number.Attribute, number.Item, t.succeeded),
				strings.Join(counted, " or "), accesspatterns.Show(got[number.Attribute]), do)
		}
	}
	for _, read := range t.stress.Reads {
		t.finalRead(ctx, where+", "+read.Pattern, read)
	}
}

func (t *stressed) finalRead(ctx context.Context, where string, read fixtures.FinalRead) {
	pattern, known := t.s.Design.Pattern(read.Pattern)
	if !known || pattern.Read == nil {
		t.o.broken(where, fmt.Errorf("no pattern %s of one read", read.Pattern))
		return
	}
	expected, err := t.s.expect(read.Expect)
	if err != nil {
		t.o.broken(where, err)
		return
	}
	ask := func() (*answer, error) {
		return t.s.read(ctx, pattern.Read, []accesspatterns.Params{read.Params}, 0)
	}
	if direct := ask; pattern.Read.Index != "" && read.Count != nil {
		ask = func() (*answer, error) { return t.s.awaitedCount(ctx, *read.Count, direct) }
	} else if pattern.Read.Index != "" {
		ask = func() (*answer, error) { return t.s.awaited(ctx, expected, direct) }
	}
	got, err := ask()
	if err != nil {
		t.o.request(where, err)
		return
	}
	const do = "compare the conditions and transactions of the flow with the document"
	if read.Count != nil {
		t.o.equal(where+", items", fmt.Sprint(*read.Count), fmt.Sprint(len(got.Items)), do)
		return
	}
	t.o.judge(where, expected, got.Items, pattern.Read.Order != accesspatterns.AnyOrder, nil, do)
}

// record keeps an attempt for the evidence.
func (t *stressed) record(stress evidence.Stress) {
	stress.Why = t.stress.Why
	for _, code := range slices.Sorted(maps.Keys(stress.Refused)) {
		t.o.note("%s: %d runs were refused with %s", t.where, stress.Refused[code], code)
	}
	t.o.invariant.Attempts = append(t.o.invariant.Attempts, stress)
}
