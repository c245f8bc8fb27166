package races

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/flow"
	"dynaproof/conformance/suite/failures"
	"dynaproof/conformance/suite/patterns"
	"dynaproof/conformance/suite/recorder"
	"dynaproof/conformance/suite/remedy"
)

// interruption runs the flow once to count its requests, then again with a client
// that dies after none of them, after one, and so on to the last, and each time
// runs it again from the beginning. Where the input bounds the places, they are
// spread over the flow, and what is left out is named in the evidence.
func (t *stressed) interruption(ctx context.Context) {
	cut := t.stress.Interruption
	requests := 0
	if !t.cut(ctx, t.where+", without interruption", func(any) error { requests++; return nil }, false, false) {
		return
	}
	after := places(requests, t.s.Interruptions)
	tried := evidence.Stress{Kind: "interruption", Runs: len(after), Seed: t.s.Seed, Cut: len(after) <= requests}
	t.record(tried)
	if tried.Cut {
		t.o.Note("%s: interrupted at %d of %d places", t.where, len(after), requests+1)
	}
	for _, after := range after {
		if !t.cut(ctx, fmt.Sprintf("%s after request %d of %d", t.where, after, requests), flow.DieAfter(after), true, after < requests) {
			return
		}
	}
	if requests == 0 {
		t.o.Fail(t.where, "a flow that sends requests", "none", remedy.FlowSends)
	}
	if len(cut.Again) > 0 {
		t.o.Note("%s: the second run may be refused with %s", t.where, strings.Join(cut.Again, ", "))
	}
}

// places lists after how many of a flow's requests its client dies: after none, after
// each, or after as many as are asked for, from the first to the last; 0 means all.
func places(requests, most int) []int {
	if all := requests + 1; most <= 0 || most > all {
		most = all
	}
	after := make([]int, most)
	for i := range after {
		after[i] = i * requests / max(most-1, 1)
	}
	return after
}

// cut runs the flow with a hook, looks at what is there, and with again runs it
// once more. Where the client dies, nothing can be told of a flow that ended before it
// did: it was not interrupted there. It reports whether anything can be told.
func (t *stressed) cut(ctx context.Context, where string, hook func(any) error, again, dies bool) bool {
	defer t.restore(ctx)
	undecided := t.o.Undecided
	if !t.load(ctx) {
		return false
	}
	run, err := t.run(t.stress.Interruption.Use, 0)
	if err != nil {
		t.o.Broken(where, err)
		return false
	}
	runner := t.s.Runner()
	runner.Before = hook
	done, told, err := t.once(ctx, where, runner, run)
	if !told {
		return false
	}
	if done.Stopped != "" && !again {
		t.unreached(where, done)
		return false
	}
	if err != nil && !errors.Is(err, flow.ErrDead) {
		t.o.Request(where, err)
		return t.o.Undecided == undecided
	}
	if dies && !errors.Is(err, flow.ErrDead) {
		t.o.Cannot(evidence.Indeterminate, "%s: the client was to die there, and the flow ended before with fewer requests than without interruption", where)
		return false
	}
	t.halfway(ctx, where)
	if !again {
		t.inTheEnd(ctx, where)
		return t.o.Undecided == undecided
	}
	where += ", run again"
	done, told, err = t.once(ctx, where, t.s.Runner(), run)
	if !told {
		return false
	}
	if err != nil && !t.mayBeRefused(err) {
		t.o.Request(where, err)
	}
	if t.o.Undecided != undecided {
		return false // what it left says nothing
	}
	t.afterwards(ctx, where, done.OnIndex)
	return t.o.Undecided == undecided
}

// once runs the flow and notes what it touched. It reports whether it can be told
// what the run came to.
func (t *stressed) once(ctx context.Context, where string, runner *flow.Runner, run flow.Execution) (done *flow.Done, told bool, err error) {
	var sent recorder.Recorder
	done, err = runner.Execute(recorder.Also(ctx, &sent), run)
	t.touch(done.Written)
	patterns.KeptInFlow(t.o, done.Written, err)
	return done, !t.blurred(where, err, &sent), err
}

// mayBeRefused reports whether a second run may end with this error.
func (t *stressed) mayBeRefused(err error) bool {
	code, _ := failures.CodeOf(err)
	return failures.Classify(err) == failures.Refused && slices.Contains(t.stress.Interruption.Again, code)
}

// afterwards looks at what must hold after a second run. One that ended at a read
// of an index may have come too early, and then what is wrong decides nothing.
func (t *stressed) afterwards(ctx context.Context, where string, onIndex bool) {
	problems := len(t.o.Problems)
	t.inTheEnd(ctx, where)
	if onIndex && len(t.o.Problems) > problems {
		t.o.Problems = t.o.Problems[:problems]
		t.o.Cannot(evidence.Indeterminate, "%s: the flow ended at a read of an index, which may show later what it needed", where)
	}
}

// blurred reports whether it cannot be told what a run came to, because an
// attempt of a write had no answer and the next was refused.
func (t *stressed) blurred(where string, err error, sent *recorder.Recorder) bool {
	if err == nil || errors.Is(err, flow.ErrDead) || failures.Classify(err) != failures.Refused || !t.s.Uncertain(sent.Invocations(0)) {
		return false
	}
	code, _ := failures.CodeOf(err)
	t.o.Cannot(evidence.Indeterminate, "%s: an attempt had no answer, so the refusal of the next (%s) may be its own work", where, code)
	return true
}

// halfway looks at the items that must be there or be gone together.
func (t *stressed) halfway(ctx context.Context, where string) {
	t.together(ctx, where, t.stress.Interruption.Together)
	t.oneOf(ctx, where)
	for _, while := range t.stress.Interruption.While {
		there, _, ok := t.o.There(ctx, where, []string{while.Item, while.Needs})
		if !ok {
			return
		}
		t.o.Must(!slices.Contains(there, while.Item) || slices.Contains(there, while.Needs), where, while.Needs+" as long as "+while.Item+" is there", while.Item+" alone", remedy.DoTogether)
	}
}
