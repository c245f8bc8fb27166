package reads

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/fixtures"
)

// Unrefused is the text by which [Cases] names a condition: no case is refused because of it. It is no mistake of a case.
const Unrefused = "no case is refused because the condition on "

// Cases runs the cases of a design's patterns in memory, on the loaded items, and returns what of them cannot hold: items that a
// read does not return, a refusal that does not come, or comes, an item that a flow does not leave, and an item that a flow changes and
// the case does not name. It returns the conditions too that no case refuses. What it does not know, such as a value that an
// index cannot take, it leaves to an engine.
func Cases(design *ap.Design, set *fixtures.Set) []*fixtures.Problem {
	var all []*fixtures.Problem
	for i := range design.Patterns {
		all = append(all, CasesOf(design, set, &design.Patterns[i])...)
	}
	return all
}

// CasesOf is [Cases] for one pattern.
func CasesOf(design *ap.Design, set *fixtures.Set, pattern *ap.Pattern) (all []*fixtures.Problem) {
	cases := set.CasesOf(pattern.ID)
	if len(cases) == 0 {
		return nil // what is missing, the fixtures' own check says
	}
	refused := map[string]bool{}
	for _, c := range cases {
		r := replayOf(design, set, pattern, c)
		r.refused = refused
		r.run()
		all = append(all, r.problems...)
	}
	for _, step := range pattern.Steps {
		for a, action := range step.Write {
			for n, condition := range action.Condition {
				if !refused[conditionID(step.Name, a, n)] {
					all = append(all, &fixtures.Problem{Place: cases[0].Place, Design: design.Name, Needs: ap.LevelWrites, Text: fmt.Sprintf(
						"pattern %s, step %s, action %d, %s of %s: "+Unrefused+"%s does not hold", pattern.ID, step.Name, a+1, action.Kind, action.Table, condition.Attribute)})
				}
			}
		}
	}
	return all
}

func conditionID(step string, action, condition int) string {
	return fmt.Sprint(step, "/", action, "/", condition)
}

// replay is one case in progress.
type replay struct {
	design   *ap.Design
	set      *fixtures.Set
	pattern  *ap.Pattern
	c        fixtures.Case
	tables   evaluate.Tables
	returned map[string][]ap.Item
	reached  map[string]bool
	// refused are the conditions that were seen not to hold, of all cases.
	refused map[string]bool
	// written are the keys that the flow writes, and before is what stood there.
	written []stand
	before  map[stand]ap.Item
	// unknown says that it is not known what an engine would do.
	unknown  bool
	problems []*fixtures.Problem
}

// stand is a key of a table.
type stand struct{ table, key string }

func (r *replay) report(format string, args ...any) {
	owner := strings.TrimSpace("case of " + r.pattern.ID + " " + r.c.Name)
	r.problems = append(r.problems, &fixtures.Problem{Place: r.c.Place, Design: r.design.Name, Text: owner + ": " + fmt.Sprintf(format, args...)})
}

// item returns a fixture item and where it stands; ok is false for one that is not known, of which `check` tells.
func (r *replay) item(name string) (item ap.Item, at stand, ok bool) {
	fixture, known := r.set.Item(name)
	if !known {
		return nil, at, false
	}
	return r.placed(fixture)
}

func (r *replay) placed(fixture *fixtures.Item) (item ap.Item, at stand, ok bool) {
	table, err := r.set.TableOf(r.design, fixture)
	if err != nil {
		return nil, at, false
	}
	return fixture.Item, stand{table.ID, evaluate.KeyText(table, fixture.Item)}, true
}

func (r *replay) put(item ap.Item, at stand, ok bool) {
	if !ok {
		return
	}
	if r.tables[at.table] == nil {
		r.tables[at.table] = map[string]ap.Item{}
	}
	r.tables[at.table][at.key] = item
}

// replayOf is a replay on the loaded items.
func replayOf(design *ap.Design, set *fixtures.Set, pattern *ap.Pattern, c fixtures.Case) *replay {
	r := &replay{design: design, set: set, pattern: pattern, c: c, tables: evaluate.Tables{}, returned: map[string][]ap.Item{}, reached: map[string]bool{}, before: map[stand]ap.Item{}}
	for i := range set.Items {
		if !set.Items[i].Held {
			r.put(r.placed(&set.Items[i]))
		}
	}
	return r
}

// interfere deletes and puts items as another client does.
func (r *replay) interfere() {
	for _, name := range r.c.Interfere.Delete {
		if _, at, ok := r.item(name); ok {
			delete(r.tables[at.table], at.key)
		}
	}
	for _, name := range r.c.Interfere.Put {
		r.put(r.item(name))
	}
}

// stored are the items of a table.
func (r *replay) stored(table string) (items []ap.Item) {
	for _, key := range slices.Sorted(maps.Keys(r.tables[table])) {
		items = append(items, r.tables[table][key])
	}
	return items
}

func (r *replay) run() {
	known := parametersOf(r.design, r.pattern)
	for _, name := range slices.Sorted(maps.Keys(r.c.Params)) {
		if !known[name] {
			r.report("no template of the pattern has the parameter %s", name)
		}
	}
	if r.c.Error != "" && !slices.Contains(refusals, r.c.Error) {
		r.report("expected an error code of DynamoDB, found %s; it refuses writes with %s", r.c.Error, strings.Join(refusals, ", "))
		return
	}
	refused := false
	_, err := r.pattern.Walk(r.c.Params, r.returned, func(step *ap.Step, repetitions []ap.Params, err error) (seen []ap.Item, goesOn bool) {
		r.reached[step.Name] = true
		if before := r.c.Interfere; before != nil && before.Before == step.Name {
			r.interfere()
		}
		if step.Read != nil {
			return r.read(step, repetitions, err)
		}
		if r.unknown = err != nil; r.unknown {
			return nil, false
		}
		goesOn, failed := r.write(step, repetitions)
		refused = refused || failed
		return nil, goesOn
	})
	if err != nil {
		r.report("%v", err)
	}
	if r.unknown || err != nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(r.c.Steps)) {
		if !r.reached[name] {
			r.report("says what step %s returns, and the flow ends before it", name)
		}
	}
	if r.c.Error != "" && !refused {
		r.report("expected a write that is refused with %s, and none is", r.c.Error)
	}
	r.views()
	r.afterwards()
}

func (r *replay) read(step *ap.Step, repetitions []ap.Params, err error) (seen []ap.Item, goesOn bool) {
	names, named := r.c.Steps[step.Name]
	if !named {
		r.report("the flow reaches step %s, and the case does not say what it returns", step.Name)
		return nil, false
	}
	table, known := r.design.Table(step.Read.Table)
	if !known || err != nil {
		r.unknown = true
		return nil, false
	}
	stored := r.stored(table.ID)
	var found []ap.Item
	for _, params := range repetitions {
		for _, name := range step.Read.Parameters() {
			if params[name] == "" {
				r.report("step %s: the case gives no value for {%s}, and no earlier step binds it", step.Name, name)
				r.unknown = true
				return nil, false
			}
		}
		items, err := evaluate.Read(step.Read, table, stored, params)
		if err != nil {
			r.unknown = true
			return nil, false
		}
		for _, item := range items {
			together := step.Read.Together != "" && slices.ContainsFunc(found, func(other ap.Item) bool { return evaluate.KeyText(table, other) == evaluate.KeyText(table, item) })
			if !together {
				found = append(found, item)
			}
		}
	}
	if step.Read.InspectBudget > 0 && len(found) > int(step.Read.InspectBudget) {
		found = found[:step.Read.InspectBudget]
	}
	shown := make([]ap.Item, len(found))
	for i, item := range found {
		if shown[i] = evaluate.Carried(table, step.Read.Index, item); len(step.Read.Projection) > 0 {
			shown[i] = evaluate.Project(item, step.Read.Projection)
		}
	}
	r.same("step "+step.Name, table, step.Read, names, shown)
	seen = shown
	if step.Read.Interprets() {
		if seen, err = step.Read.Seen(shown, r.set.At.Unix()); err != nil || r.c.ReaderError != "" {
			if err == nil || r.c.ReaderError == "" || !strings.Contains(err.Error(), r.c.ReaderError) {
				r.report("step %s: expected the reader's error %q, found %v", step.Name, r.c.ReaderError, err)
			}
			return nil, false
		}
		r.same("step "+step.Name+", as its reader sees it", table, step.Read, r.c.Sees[step.Name], seen)
	}
	return seen, true
}

// same compares returned items with those that a case names, as they are carried.
func (r *replay) same(where string, table *ap.Table, read *ap.Read, names []string, found []ap.Item) {
	var missing []string
	open := slices.Clone(found)
	var expected []ap.Item
	for _, name := range names {
		item, _, ok := r.item(name)
		if !ok {
			return // `check` says so
		}
		if len(read.Projection) == 0 {
			item = evaluate.Carried(table, read.Index, item)
		}
		expected = append(expected, item)
		if at := slices.IndexFunc(open, func(other ap.Item) bool { return dynamo.EqualItems(item, other) }); at < 0 {
			missing = append(missing, name)
		} else {
			open = slices.Delete(open, at, at+1)
		}
	}
	var also []string
	for _, item := range open {
		also = append(also, r.nameOf(table, item))
	}
	if len(missing) > 0 {
		r.report("%s: does not return %s", where, strings.Join(missing, ", "))
	}
	if len(also) > 0 {
		r.report("%s: returns also %s; name it under expect where the document's sentence returns it, or give the item what keeps it out", where, strings.Join(also, ", "))
	}
	keys, _ := table.KeysOf(read.Index)
	if len(missing)+len(also) > 0 || read.Order == ap.AnyOrder || len(keys) < 2 {
		return
	}
	sorted := func(items []ap.Item) (values []string) {
		for _, item := range items {
			values = append(values, dynamo.Show(item[keys[1].Attribute]))
		}
		return values
	}
	if !slices.Equal(sorted(expected), sorted(found)) {
		r.report("%s: returns its items in another order than %s", where, strings.Join(names, ", "))
	}
}

func (r *replay) nameOf(table *ap.Table, item ap.Item) string {
	key := evaluate.KeyText(table, item)
	for i := range r.set.Items {
		if _, at, ok := r.placed(&r.set.Items[i]); ok && at.table == table.ID && at.key == key && !r.set.Items[i].Held {
			return r.set.Items[i].Name
		}
	}
	return "an item that the fixtures do not know, " + dynamo.ShowItem(item)
}

// write carries out a step, and reports whether the flow goes on, and whether the step was refused as the case wants it.
func (r *replay) write(step *ap.Step, repetitions []ap.Params) (goesOn, refused bool) {
	names := sdk.Names{Table: func(id string) (string, error) { return id, nil }, Items: r.set.Playing(r.c.Items)}
	requests, err := sdk.StepWrites(step, names, repetitions)
	if err != nil {
		r.report("step %s: %v", step.Name, err)
		r.unknown = true
		return false, false
	}
	if idle := slices.Contains(r.c.Idle, step.Name); idle != (len(requests) == 0) {
		r.report("step %s sends %d requests; expected one or more, or the step among idle", step.Name, len(requests))
	}
	want := r.c.ErrorAt(step.Name)
	r.unheld(step, names, repetitions, want)
	for _, request := range requests {
		writes, err := sdk.Writes(request)
		if err != nil {
			r.unknown = true
			return false, false
		}
		for i := range writes {
			if table, known := r.design.Table(writes[i].Table); known && writes[i].Kind != ap.ConditionCheck {
				at := stand{table.ID, evaluate.KeyText(table, writes[i].Place())}
				if !slices.Contains(r.written, at) {
					r.written, r.before[at] = append(r.written, at), r.tables[at.table][at.key]
				}
			}
		}
		reasons := r.reasons(writes)
		err = r.tables.Apply(r.design.Table, writes)
		found := codeOf(err, len(writes) > 1)
		if err != nil && !evaluate.Refused(err) && want == "" {
			r.report("step %s: %v", step.Name, err)
		}
		if err != nil && !evaluate.Refused(err) || err == nil && want != "" && want != conditional && want != cancelled {
			r.unknown = true // what DynamoDB would make of it is for an engine to say
			return false, false
		}
		switch {
		case found != want && want == "":
			r.report("step %s: expected it to succeed, and it is refused with %s", step.Name, found)
		case found != want && found == "":
			r.report("step %s: expected %s, and it succeeds", step.Name, want)
		case found != want:
			r.report("step %s: expected %s, and it is refused with %s", step.Name, want, found)
		case len(r.c.Reasons) > 0 && found == cancelled && !slices.Equal(reasons, r.c.Reasons):
			r.report("step %s: expected the cancellation reasons %s, found %s", step.Name, strings.Join(r.c.Reasons, ", "), strings.Join(reasons, ", "))
		}
		if found != "" || want != "" {
			return step.MayFail && found != "", found == want
		}
	}
	return true, false
}

// refusals are the codes by which DynamoDB refuses a write for what it says.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
var refusals = []string{conditional, cancelled, "ValidationException", "ItemCollectionSizeLimitExceededException", "ResourceNotFoundException"}

var parameter = regexp.MustCompile(`\{([A-Za-z0-9_]+)\}`)

// parametersOf are the names that a case can give values for: all that stand in the pattern, and in the keys of what it puts.
func parametersOf(design *ap.Design, pattern *ap.Pattern) map[string]bool {
	known := map[string]bool{}
	var walk func(value reflect.Value)
	walk = func(value reflect.Value) {
		switch value.Kind() {
		case reflect.String:
			known[value.String()] = true
			for _, found := range parameter.FindAllStringSubmatch(value.String(), -1) {
				known[found[1]] = true
			}
		case reflect.Pointer:
			if !value.IsNil() {
				walk(value.Elem())
			}
		case reflect.Struct:
			for i := range value.NumField() {
				walk(value.Field(i))
			}
		case reflect.Slice:
			for i := range value.Len() {
				walk(value.Index(i))
			}
		}
	}
	walk(reflect.ValueOf(pattern.Steps))
	for _, step := range pattern.Steps {
		for _, action := range step.Write {
			if entity, is := design.Entity(action.Entity); is {
				walk(reflect.ValueOf(entity.Keys))
			}
		}
	}
	return known
}

const conditional, cancelled = "ConditionalCheckFailedException", "TransactionCanceledException"

// codeOf is the error code of a refusal; empty for none.
func codeOf(err error, transaction bool) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, evaluate.ErrTwice) || !transaction && errors.Is(err, evaluate.ErrNotOfItem):
		return "ValidationException"
	case transaction:
		return cancelled
	}
	return conditional
}

// reasons are the cancellation reasons of a transaction.
func (r *replay) reasons(writes []sdk.Write) (codes []string) {
	for i := range writes {
		table, known := r.design.Table(writes[i].Table)
		if !known {
			continue
		}
		_, err := evaluate.After(&writes[i], r.tables[table.ID][evaluate.KeyText(table, writes[i].Place())])
		switch {
		case errors.Is(err, evaluate.ErrCondition):
			codes = append(codes, "ConditionalCheckFailed")
		case errors.Is(err, evaluate.ErrNotOfItem):
			codes = append(codes, "ValidationError")
		default:
			codes = append(codes, "None")
		}
	}
	return codes
}

// unheld notes the conditions of a step that do not hold, where the case wants the step refused.
func (r *replay) unheld(step *ap.Step, names sdk.Names, repetitions []ap.Params, want string) {
	if want == "" && !step.MayFail {
		return
	}
	for a := range step.Write {
		alone := &ap.Step{Name: step.Name, Write: step.Write[a : a+1 : a+1]}
		requests, err := sdk.StepWrites(alone, names, repetitions)
		if err != nil {
			return
		}
		for _, request := range requests {
			writes, _ := sdk.Writes(request)
			for i := range writes {
				table, known := r.design.Table(writes[i].Table)
				if !known || writes[i].Condition == nil {
					continue
				}
				for n, holds := range each(&writes[i], r.tables[table.ID][evaluate.KeyText(table, writes[i].Place())]) {
					if !holds {
						r.refused[conditionID(step.Name, a, n)] = true
					}
				}
			}
		}
	}
}

// each says of each condition of a write, alternatives together, whether it holds.
func each(w *sdk.Write, item ap.Item) (holds []bool) {
	source := expression.Source{Names: w.Names, Values: w.Values}
	var parsed expression.Conjunction
	if expression.ParseCondition(aws.ToString(w.Condition), source, &parsed) != nil {
		return nil
	}
	for terms := parsed.All(); len(terms) > 0; {
		n := 1
		for terms[0].Group > 0 && n < len(terms) && terms[n].Group == terms[0].Group {
			n++
		}
		var one expression.Conjunction
		one.N = copy(one.Terms[:], terms[:n])
		is, err := evaluate.Condition(&one, source, item)
		holds = append(holds, err != nil || is)
		terms = terms[n:]
	}
	return holds
}

func (r *replay) views() {
	for i := range r.pattern.Views {
		view := &r.pattern.Views[i]
		if slices.ContainsFunc(view.Of, func(step string) bool { _, came := r.returned[step]; return !came }) {
			if _, said := r.c.Views[view.Name]; said {
				r.report("says what view %s shows, and the flow ends before it", view.Name)
			}
			continue
		}
		items, err := view.Items(r.returned)
		if err != nil {
			r.report("view %s: %v", view.Name, err)
			continue
		}
		names := r.c.Views[view.Name]
		for _, name := range names {
			item, _, ok := r.item(name)
			if at := slices.IndexFunc(items, func(other ap.Item) bool { return dynamo.EqualItems(item, other) }); ok && at >= 0 {
				items = slices.Delete(items, at, at+1)
			} else if ok {
				r.report("view %s does not show %s", view.Name, name)
			}
		}
		if len(items) > 0 {
			r.report("view %s shows %d items beside %s", view.Name, len(items), strings.Join(names, ", "))
		}
	}
}

// afterwards compares what the flow leaves with what the case says of it.
func (r *replay) afterwards() {
	said := map[stand]bool{}
	for _, name := range r.c.Present {
		item, at, ok := r.item(name)
		if !ok {
			continue
		}
		said[at] = true
		if got := r.tables[at.table][at.key]; got == nil {
			r.report("expected %s to be present, and the flow leaves no such item", name)
		} else if differences := dynamo.Differences(item, got); len(differences) > 0 {
			r.report("expected %s to be present, and the flow leaves it with %s", name, strings.Join(differences, "; "))
		}
	}
	for _, name := range r.c.Absent {
		if _, at, ok := r.item(name); ok {
			said[at] = true
			if r.tables[at.table][at.key] != nil {
				r.report("expected %s to be absent, and it is there", name)
			}
		}
	}
	for _, group := range r.c.Together {
		for _, name := range group {
			if _, at, ok := r.item(name); ok {
				said[at] = true
			}
		}
	}
	for _, at := range r.written {
		if before, after := r.before[at], r.tables[at.table][at.key]; !said[at] && (before == nil) != (after == nil) || !said[at] && !dynamo.EqualItems(before, after) {
			said[at] = true
			r.report("the flow changes the item of %s with the key %s, and the case names it neither present nor absent", at.table, at.key)
		}
	}
}
