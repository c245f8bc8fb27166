package races

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/flow"
	"dynaproof/conformance/suite/failures"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// together looks whether each group of items is there whole or not at all.
func (t *stressed) together(ctx context.Context, where string, groups [][]string) {
	for _, names := range groups {
		there, _, ok := t.o.There(ctx, where, names)
		if !ok {
			return
		}
		t.o.Must(len(there) == 0 || len(there) == len(names), where, observe.ShowNames(names)+" together", "only "+observe.ShowNames(there), remedy.DoTogether)
	}
}

// oneOf looks at the states of which exactly one must be there.
func (t *stressed) oneOf(ctx context.Context, where string) {
	for _, states := range t.stress.OneOf {
		there, _, ok := t.o.There(ctx, where, states)
		if !ok {
			return
		}
		t.o.Equal(where+", which of "+observe.ShowNames(states)+" are there", "1", fmt.Sprint(len(there)), remedy.OneRequest)
	}
}

// inTheEnd looks at what must hold when all runs are over.
func (t *stressed) inTheEnd(ctx context.Context, where string) {
	if !t.o.LeftBehind(ctx, where, t.stress.Present, t.stress.Absent, remedy.RepairFlow, remedy.RepairFlow) {
		return
	}
	t.oneOf(ctx, where)
	for _, number := range t.stress.Numbers {
		_, got, ok := t.o.LookAt(ctx, where, number.Item)
		if !ok {
			return
		}
		var counted []string
		matches := false
		for succeeded := t.succeeded; succeeded <= t.succeeded+t.uncertain; succeeded++ {
			want := &types.AttributeValueMemberN{Value: fmt.Sprint(number.Start + number.Step*succeeded)}
			counted = append(counted, want.Value)
			matches = matches || dynamo.Equal(want, got[number.Attribute])
		}
		t.o.Must(matches, fmt.Sprintf("%s, %s of %s after %d runs that succeeded", where, number.Attribute, number.Item, t.succeeded),
			strings.Join(counted, " or "), dynamo.Show(got[number.Attribute]), remedy.RepairFlow)
	}
	for _, read := range t.stress.Reads {
		t.finalRead(ctx, where+", "+read.Pattern, read)
	}
}

func (t *stressed) finalRead(ctx context.Context, where string, final fixtures.FinalRead) {
	pattern, known := t.s.Design.Pattern(final.Pattern)
	if !known || pattern.OnlyRead() == nil {
		t.o.Broken(where, fmt.Errorf("no pattern %s of one read", final.Pattern))
		return
	}
	read := pattern.OnlyRead()
	expected, err := t.s.Expect(final.Expect)
	if err != nil {
		t.o.Broken(where, err)
		return
	}
	got, err := t.s.Shown(ctx, read.Index, expected, final.Count, func() (*session.Answer, error) {
		return t.s.Read(ctx, read, []accesspatterns.Params{final.Params}, 0)
	})
	if err != nil {
		t.o.Request(where, err)
		return
	}
	t.o.ReadBehind(read)
	if final.Count != nil {
		t.o.Equal(where+", items", fmt.Sprint(*final.Count), fmt.Sprint(len(got.Items)), remedy.RepairFlow)
		return
	}
	t.o.Judge(where, expected, got.Items, read.Order != accesspatterns.AnyOrder, nil, remedy.RepairFlow)
}

// stressed is one attempt on an invariant in progress.
type stressed struct {
	s         *session.Session
	o         *observe.Observation
	invariant accesspatterns.Invariant
	stress    fixtures.Stress
	where     string
	touched   []session.TouchedKey
	// succeeded counts the runs that did; uncertain those of which it is not
	// known, because an attempt of a write had no answer.
	succeeded, uncertain int
}

// over reports whether the time of the claim is, so that the attempt is not made.
func (t *stressed) over(ctx context.Context) bool {
	if ctx.Err() == nil {
		return false
	}
	t.o.Cannot(evidence.Indeterminate, "%s: %s", t.where, failures.Why(ctx.Err()))
	return true
}

// restore undoes what the attempt wrote.
func (t *stressed) restore(ctx context.Context) {
	if err := t.s.Restore(ctx, t.touched); err != nil {
		t.o.Broken(t.where, err)
	}
	t.touched, t.succeeded, t.uncertain = nil, 0, 0
}

// load writes the generated items and reports whether it could.
func (t *stressed) load(ctx context.Context) bool {
	if t.stress.Bulk == nil {
		return true
	}
	keys, err := t.s.Bulk(ctx, t.stress.Bulk)
	t.touched = append(t.touched, keys...)
	if err != nil {
		t.o.Request(t.where+", generated items", err)
	}
	return err == nil
}

// run prepares one use of a flow. n is the number of the run, or 0 outside of a
// race.
func (t *stressed) run(use fixtures.Use, n int) (flow.Execution, error) {
	id := cmp.Or(use.Pattern, t.invariant.Flow)
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
		t.touched = append(t.touched, t.s.Touched(request)...)
	}
}

// unreached reports a flow that ended before its writes. An index may show later
// what it needed; a table does not.
func (t *stressed) unreached(where string, done *flow.Done) {
	if done.OnIndex {
		t.o.Cannot(evidence.Indeterminate, "%s: step %s saw nothing in an index, which may show it later", where, done.Stopped)
		return
	}
	t.o.Refute(where, "the flow to reach its writes", "it ended at step "+done.Stopped, remedy.ReachWrites)
}

// record keeps an attempt for the evidence.
func (t *stressed) record(stress evidence.Stress) {
	stress.Why = t.stress.Why
	for _, code := range slices.Sorted(maps.Keys(stress.Refused)) {
		t.o.Note("%s: %d runs were refused with %s", t.where, stress.Refused[code], code)
	}
	t.o.Report.Invariant.Attempts = append(t.o.Report.Invariant.Attempts, stress)
}
