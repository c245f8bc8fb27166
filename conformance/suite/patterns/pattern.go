// Package patterns replays access patterns, trials and counterexamples, and keeps what a report shows of them.
package patterns

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/failures"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/recorder"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// Check replays an access pattern for each of its cases: once as
// documented, and each read of many items once more page by page.
func Check(ctx context.Context, s *session.Session, o *observe.Observation, pattern *accesspatterns.Pattern) {
	o.Report.Pattern = describePattern(pattern)
	seen := NewEntities(pattern)
	for _, c := range s.Fixtures.CasesOf(pattern.ID) {
		replay := newReplay(o, pattern, c)
		replay.entities = seen
		replay.run(ctx)
		if c.Computed {
			o.Note("%s: its expectations were computed, and prove nothing", replay.where)
		}
		o.Report.Pattern.Cases = append(o.Report.Pattern.Cases, replay.recorded())
		if err := s.Restore(ctx, replay.touched); err != nil {
			o.Broken(replay.where, err)
			return // the next case would rest on what this one left
		}
	}
	seen.Judge(o, pattern)
}

// replay is one case of a pattern in progress.
type replay struct {
	s       *session.Session
	o       *observe.Observation
	pattern *accesspatterns.Pattern
	c       fixtures.Case
	where   string
	// results holds the items of every read step so far.
	results map[string][]accesspatterns.Item
	touched []session.TouchedKey
	// addressed are the keys that the flow's writes were sent for, whatever came of them.
	addressed []session.TouchedKey
	// wrote says that a write step was reached, whatever came of it.
	wrote bool
	// reached and viewed are the steps that the flow came to, and those whose items
	// the reader judged; sent counts the requests of each step.
	reached, viewed map[string]bool
	sent            map[string]int
	// steps and unexpected are recorded for the evidence.
	steps      []evidence.Step
	unexpected []accesspatterns.Item
	// entities are those of the items that were returned and written; nil where
	// nobody asks.
	entities *Entities
	// traced, when set, is told which requests a step sent, or why a read was not answered. Reads are then
	// replayed as documented alone, not page by page as well.
	traced func(step accesspatterns.Step, expected []session.ExpectedItem, got *session.Answer, unread error)
	// before, when set, is told which step comes next.
	before func(step *accesspatterns.Step, repetitions []accesspatterns.Params)
	// interfered is what another client left, by its key; nil where it deleted.
	interfered map[string]accesspatterns.Item
}

func newReplay(o *observe.Observation, pattern *accesspatterns.Pattern, c fixtures.Case) *replay {
	return &replay{
		s: o.Session, o: o, pattern: pattern, c: c, where: strings.TrimSpace("case " + c.Name), results: map[string][]accesspatterns.Item{},
		reached: map[string]bool{}, viewed: map[string]bool{}, sent: map[string]int{}, interfered: map[string]accesspatterns.Item{},
	}
}

func (r *replay) run(ctx context.Context) {
	undecided := r.o.Undecided
	interfered := true
	_, err := r.pattern.Walk(r.c.Params, r.results, func(step *accesspatterns.Step, repetitions []accesspatterns.Params, err error) (saw []accesspatterns.Item, goesOn bool) {
		r.reached[step.Name] = true
		if interfered = r.interfere(ctx, step.Name); !interfered {
			return nil, false
		}
		if r.before != nil {
			r.before(step, repetitions)
		}
		if step.Read == nil {
			return nil, r.write(ctx, *step, repetitions, err)
		}
		goesOn = r.read(ctx, *step, repetitions, err)
		return r.results[step.Name], goesOn
	})
	if err != nil {
		r.o.Broken(r.where, err)
	}
	if !interfered {
		return
	}
	if r.o.Undecided == undecided {
		r.views()
		r.unmet()
		r.afterwards(ctx)
	} // else a step was not answered, and what it left behind says nothing
}

// views judges what the reader makes of the items of steps that the flow came to.
func (r *replay) views() {
	for view := range lists.Each(r.pattern.Views) {
		where := r.where + ", view " + view.Name
		do := remedy.RepairView
		names, said := r.c.Views[view.Name]
		if missing := slices.IndexFunc(view.Of, func(step string) bool { _, reached := r.results[step]; return !reached }); missing >= 0 {
			if said {
				r.o.Refute(where, "the flow to reach step "+view.Of[missing], "it ended before", do)
			}
			continue
		}
		expected, err := r.s.Expect(names)
		if err != nil {
			r.o.Broken(where, err)
			continue
		}
		for i := range expected {
			expected[i].Rank = dynamo.Show(expected[i].Item[view.By])
		}
		items, err := view.Items(r.results)
		if err != nil {
			r.o.Refute(where, observe.ShowNames(names), err.Error(), do)
			continue
		}
		r.o.Judge(where, expected, items, view.By != "", nil, do)
	}
}

// unmet reports what the case names and the flow did not come to: steps, views,
// requests, refusals. A flow that ended early would else pass by what it never did.
func (r *replay) unmet() {
	do := remedy.RepairSteps
	miss := func(step, expected, found string) { r.o.Fail(r.where+", step "+step, expected, found, do) }
	steps := r.pattern.Steps
	last := ""
	for _, step := range steps {
		if r.reached[step.Name] {
			last = step.Name
		}
	}
	ended := "the flow ended at step " + last
	r.o.Saw()
	for _, name := range slices.Sorted(maps.Keys(r.c.Steps)) {
		if !r.reached[name] {
			miss(name, "the flow to reach this step", ended)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.c.Sees)) {
		if !r.viewed[name] {
			miss(name, "a reader that judges the items of this step", ended)
		}
	}
	if before := r.c.Interfere; before != nil && !r.reached[before.Before] {
		miss(before.Before, "the flow to reach this step, before which another client interferes", ended)
	}
	if r.c.ReaderError != "" && len(r.viewed) == 0 {
		miss(last, "a reader that refuses what it reads: "+r.c.ReaderError, "no reader judged anything")
	}
	refusable, over := false, r.c.ReaderError != ""
	for _, step := range steps {
		idle := slices.Contains(r.c.Idle, step.Name)
		_, named := r.c.Steps[step.Name]
		switch requests := r.sent[step.Name]; {
		case idle && requests > 0:
			miss(step.Name, "no request", fmt.Sprintf("%d requests", requests))
		case idle || requests > 0 || over || step.Read != nil && !named:
		default:
			miss(step.Name, "a request", "none was sent: "+ended+", or had nothing to repeat the step for")
		}
		if step.Read == nil && r.c.ErrorAt(step.Name) != "" {
			refusable = refusable || r.sent[step.Name] > 0
			over = over || !step.MayFail
		}
	}
	if r.c.Error != "" && !refusable {
		r.o.Fail(r.where, "a write that is refused with "+r.c.Error, "no such write was sent: "+ended, do)
	}
}

func (r *replay) at(step accesspatterns.Step) string {
	if len(r.pattern.Steps) == 1 {
		return r.where
	}
	return r.where + ", step " + step.Name
}

// read replays a read step and reports whether the flow may go on; seen are then its results.
func (r *replay) read(ctx context.Context, step accesspatterns.Step, params []accesspatterns.Params, repetitions error) bool {
	where := r.at(step)
	names, reached := r.c.Steps[step.Name]
	if !reached { // a step that the case does not name must not be reached
		r.o.Refute(where, "the flow to end before this step", "the flow reached it", remedy.StopEarlier)
		return false
	}
	expected, err := r.s.ExpectOf(step.Read, names)
	if err = cmp.Or(err, repetitions); err != nil {
		r.o.Broken(where, err)
		return false
	}
	look := func(pageSize int32) (*session.Answer, error) {
		return r.s.Read(ctx, step.Read, params, pageSize)
	}
	r.sent[step.Name] += len(params)
	documented, err := r.look(ctx, step, expected, func() (*session.Answer, error) { return look(0) })
	if r.traced != nil {
		r.traced(step, expected, documented, err)
	}
	if err != nil {
		r.o.Request(where, err)
		return false
	}
	if r.traced == nil {
		r.recordRead(step, expected, documented)
	}
	decoys := lists.Index(r.c.Decoys, func(decoy fixtures.Decoy) (string, string) { return decoy.Item, decoy.Why })
	ordered := step.Read.Order != accesspatterns.AnyOrder
	r.o.Judge(where, expected, documented.Items, ordered, decoys, remedy.RepairPattern)
	r.seeEntities(step, expected, documented.Items)
	r.inspected(where, step.Read, documented)
	r.o.ReadBehind(step.Read)
	witnessed(r.o, where, step.Read, documented.All())
	r.unseen(where, documented.All())
	// A read with a limit is one page, and a guard refuses any further one.
	if step.Read.Operation != dynamo.GetItem && step.Read.Limit <= 1 && r.traced == nil {
		paged, err := r.look(ctx, step, expected, func() (*session.Answer, error) { return look(1) })
		if err != nil {
			r.o.Request(where+", page by page", err)
			return false
		}
		r.recordSinglePages(expected, paged)
		if len(step.Read.Filter) == 0 {
			r.inspected(where+", page by page", step.Read, paged)
		}
		if !slices.EqualFunc(paged.Items, documented.Items, dynamo.EqualItems) { // else it was judged above, and paging changes nothing
			r.o.Judge(where+", page by page", expected, paged.Items, ordered, decoys, remedy.PageByPage)
		}
		witnessed(r.o, where+", page by page", step.Read, paged.All())
		r.unseen(where+", page by page", paged.All())
	}
	seen, ok := r.seen(where, step, documented.Items)
	r.results[step.Name] = seen
	return ok
}

// look asks once for a consistent read, and waits for an index to catch up.
func (r *replay) look(ctx context.Context, step accesspatterns.Step, expected []session.ExpectedItem, ask func() (*session.Answer, error)) (*session.Answer, error) {
	if step.Read.Index != "" && r.traced != nil {
		return r.s.AwaitedAmong(ctx, expected, ask)
	}
	return r.s.Shown(ctx, step.Read.Index, expected, nil, ask)
}

// seen judges what the reader makes of the items that a read returned, and
// reports whether it could make anything of them.
func (r *replay) seen(where string, step accesspatterns.Step, items []accesspatterns.Item) ([]accesspatterns.Item, bool) {
	if !step.Read.Interprets() {
		interprets := slices.ContainsFunc(r.pattern.Steps, func(s accesspatterns.Step) bool { return s.Read != nil && s.Read.Interprets() })
		if names, interpreted := r.c.Sees[step.Name]; interpreted || r.c.ReaderError != "" && !interprets {
			r.o.Refute(where, "a reader that sees items "+observe.ShowNames(names), "one that takes every item as it comes", remedy.ReaderRules)
		}
		return items, true
	}
	r.viewed[step.Name] = true
	where += ", as the reader sees it"
	do := remedy.RepairReader
	seen, err := step.Read.Seen(items, r.s.Fixtures.At.Unix())
	if err != nil || r.c.ReaderError != "" {
		r.o.Saw()
		if err == nil || r.c.ReaderError == "" || !strings.Contains(err.Error(), r.c.ReaderError) {
			r.o.Fail(where, cmp.Or(r.c.ReaderError, "none"), fmt.Sprint(err), do)
		}
		return nil, false
	}
	expected, err := r.s.ExpectOf(step.Read, r.c.Sees[step.Name])
	if err != nil {
		r.o.Broken(where, err)
		return nil, false
	}
	r.o.Judge(where, expected, seen, step.Read.Order != accesspatterns.AnyOrder, nil, do)
	return seen, true
}

// inspected holds a read to its promise: each page counts its items, and without a declared filter it inspects exactly what it
// returns.
func (r *replay) inspected(where string, read *accesspatterns.Read, got *session.Answer) {
	r.o.Must(got.Miscounted == 0, where+", count", "a Count that is the number of items on each page", fmt.Sprintf("another on %d of %d pages", got.Miscounted, got.Pages), remedy.RepairPattern)
	if len(read.Filter) > 0 {
		r.o.Note("%s: the declared filter kept %d of %d inspected items", where, len(got.Items), got.Scanned)
		return
	}
	r.o.Equal(where+", scanned count", fmt.Sprint(len(got.Items)), fmt.Sprint(got.Scanned), remedy.FilterOrKey)
}

// holds reports whether any value or name in an answer contains a text. It looks at
// what the JSON says and not at its bytes, in which a quote, a line break or any
// letter may be written otherwise.
func holds(response []byte, text string) bool {
	var answer any
	if input.Exactly(response, &answer) != nil {
		return bytes.Contains(response, []byte(text))
	}
	var in func(value any) bool
	in = func(value any) bool {
		switch value := value.(type) {
		case string:
			return strings.Contains(value, text)
		case []any:
			return slices.ContainsFunc(value, in)
		case map[string]any:
			for name, member := range value {
				if strings.Contains(name, text) || in(member) {
					return true
				}
			}
		}
		return false
	}
	return in(answer)
}

// unseen searches the responses for text that must not be in any.
func (r *replay) unseen(where string, invocations []string) {
	for _, text := range r.c.NotReturned {
		for _, id := range invocations {
			for _, entry := range r.s.Ledger.Find(id) {
				if entry.Response == nil {
					r.o.Cannot(evidence.Indeterminate, "%s: the ledger does not hold response %d, so what it contained is unknown", where, entry.Seq)
					continue
				}
				r.o.Must(!holds(entry.Response, text), fmt.Sprintf("%s, response %d", where, entry.Seq), fmt.Sprintf("a response without %q", text), "the text",
					remedy.ProjectOut)
			}
		}
	}
}

// interfere deletes and puts items as another client would.
func (r *replay) interfere(ctx context.Context, step string) bool {
	requests, err := r.s.Interfering(&r.c, step)
	var lacks *session.LacksError
	switch {
	case errors.As(err, &lacks):
		r.o.Missing(r.where, lacks.Table, err)
	case err != nil:
		r.o.Broken(r.where, err)
	}
	for _, request := range requests {
		r.touched = append(r.touched, r.s.Touched(request)...)
		if err = r.s.Carrier().Write(recorder.WithClaim(ctx, recorder.Interfering), request); err != nil {
			r.o.Request(r.where+", interfering", err)
			break
		}
		r.s.Addressed(request, func(kind accesspatterns.ActionKind, table *accesspatterns.Table, item accesspatterns.Item) {
			if kind == accesspatterns.Delete {
				r.interfered[evaluate.KeyIn(table, item)] = nil
				return
			}
			r.interfered[evaluate.KeyIn(table, item)] = item
		})
	}
	return err == nil
}

// looking is the context of requests that look at what the pattern's requests left.
func looking(ctx context.Context) context.Context {
	return recorder.WithClaim(ctx, recorder.ClaimOf(ctx)+recorder.LookingAfter)
}

// Rehearse replays a case on a session in memory, each request once, and returns what was seen. entities note what the requests return and
// write, if not nil; before is told which step comes next.
func Rehearse(s *session.Session, pattern *accesspatterns.Pattern, c fixtures.Case, entities *Entities, before func(*accesspatterns.Step, []accesspatterns.Params)) *observe.Observation {
	o := &observe.Observation{Session: s}
	r := newReplay(o, pattern, c)
	r.where = strings.TrimSpace("case of " + pattern.ID + " " + c.Name)
	r.before, r.entities, r.traced = before, entities, func(accesspatterns.Step, []session.ExpectedItem, *session.Answer, error) {}
	r.run(context.Background())
	return o
}

// together looks, after a write request, whether the items that are written
// together are all there or all not there: a client that stops here must leave
// no half behind.
func (r *replay) together(ctx context.Context, where string) {
	for _, group := range r.c.Together {
		there, missing, ok := r.o.There(looking(ctx), where+", items written together", group)
		if !ok {
			return
		}
		r.o.Must(len(there) == 0 || len(missing) == 0, where, "all of "+observe.ShowNames(group)+", or none", observe.ShowNames(there)+" without "+observe.ShowNames(missing),
			remedy.OneTransaction)
	}
}

// write replays a write step and reports whether the flow goes on.
func (r *replay) write(ctx context.Context, step accesspatterns.Step, repetitions []accesspatterns.Params, err error) bool {
	where := r.at(step)
	if err != nil {
		r.o.Broken(where, err)
		return false
	}
	r.wrote = true
	requests, err := r.s.Compiled(&step, r.c.Items, repetitions)
	if err != nil {
		r.o.Broken(where, err)
		return false
	}
	for _, request := range requests {
		r.sent[step.Name]++
		r.addressed = append(r.addressed, r.s.Touched(request)...)
		before := r.s.Recorder.Len()
		err := r.s.Carrier().Write(ctx, request)
		invocations := r.s.Recorder.Invocations(before)
		if r.traced != nil {
			r.traced(step, nil, &session.Answer{Invocations: invocations}, nil)
		}
		r.recordWrite(step, request, invocations, err)
		if err == nil && r.entities != nil {
			r.s.Written(request, func(table *accesspatterns.Table, item accesspatterns.Item) {
				for _, entity := range entitiesOf(&r.s.Input, table, item, nil) {
					r.entities.written[entity] = true
				}
			})
		}
		if r.s.MayHaveWritten(err, invocations) {
			r.touched = append(r.touched, r.s.Touched(request)...)
		}
		judgeOutcome(r.o, where, err, r.c.ErrorAt(step.Name), r.c.Reasons, invocations)
		r.together(ctx, where)
		if err != nil {
			if step.MayFail {
				found, _ := failures.CodeOf(err)
				r.o.Note("%s: failed with %s, and the flow goes on", where, found)
			}
			return step.MayFail
		}
	}
	return true
}

// afterwards looks for what the flow must have left behind.
func (r *replay) afterwards(ctx context.Context) {
	where := r.where + ", afterwards"
	if !r.o.LeftBehind(looking(ctx), where, r.c.Present, r.c.Absent, remedy.WholeWrite, remedy.NothingLeft) {
		return
	}
	r.unnamed(ctx, where)
	if len(slices.Concat(r.c.Present, r.c.Absent)) == 0 && r.wrote && r.c.Interfere == nil {
		r.o.Fail(r.where, "a case that says what a write leaves behind", "neither present nor absent items", remedy.CasePresence)
	}
}

// unnamed holds the items that the flow's writes were sent for, and that the case does not name, to what was loaded, or left by another client.
func (r *replay) unnamed(ctx context.Context, where string) {
	seen := map[string]bool{}
	for _, name := range slices.Concat(r.c.Present, r.c.Absent) {
		if item, table, err := r.s.Fixture(name); err == nil {
			seen[evaluate.KeyIn(table, item)] = true
		}
	}
	for _, touch := range r.addressed {
		id := evaluate.KeyIn(touch.Table, touch.Key)
		if seen[id] {
			continue
		}
		seen[id] = true
		got, err := r.s.Get(looking(ctx), touch.Table, touch.Key)
		if err != nil {
			r.o.Request(where, err)
			return
		}
		before, other := r.interfered[id]
		if !other {
			before = r.s.Loaded[id]
		}
		found := strings.Join(dynamo.Differences(before, got), "; ")
		switch {
		case before == nil:
			found = "an item in a place where none was"
		case got == nil:
			found = "no item"
		}
		r.o.Must(dynamo.EqualItems(before, got), where, "the item of "+touch.Table.ID+" with the key "+dynamo.ShowItem(touch.Key)+" as it was, because the case does not name it",
			found, remedy.UnnamedChange)
	}
}
