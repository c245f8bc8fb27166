package reads

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/patterns"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// Cases replays the cases of a design's patterns as `verify` does, on the loaded items in memory, and returns what of them cannot hold,
// and which writes of them the pattern's guard refuses.
// It returns too what no case tells from something else, which is missing and no mistake of a case: it has the level that needs it. What it does not know, such as how large a collection of items is, it leaves to
// an engine.
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
	loaded, known, refused, left := session.InMemory(design, set), parametersOf(design, pattern), conditions{}, effects{}
	own, wrong := session.GuardOf(loaded, pattern)
	if wrong != nil {
		return []*fixtures.Problem{{Place: cases[0].Place, Text: fmt.Sprintf("pattern %s: %v", pattern.ID, wrong)}}
	}
	entities, alike := patterns.NewEntities(pattern), likes{}
	for _, c := range cases {
		report := func(text string) {
			all = append(all, &fixtures.Problem{Place: c.Place, Text: text})
		}
		owner := strings.TrimSpace("case of " + pattern.ID + " " + c.Name)
		for _, name := range slices.Sorted(maps.Keys(c.Params)) {
			if !known[name] {
				report(fmt.Sprintf("%s: no template of the pattern has the parameter %s", owner, name))
			}
		}
		if c.Error != "" && !slices.Contains(refusals, c.Error) {
			report(fmt.Sprintf("%s: expected an error code of DynamoDB, found %s; it refuses writes with %s", owner, c.Error, strings.Join(refusals, ", ")))
			continue
		}
		s := session.Anew(loaded)
		seen := patterns.Rehearse(s, pattern, c, entities, func(step *ap.Step, repetitions []ap.Params) {
			if c.ErrorAt(step.Name) == "" {
				alike.tell(repetitions)
				left.tell(s, step, &c, repetitions)
			}
			if step.MayFail || c.ErrorAt(step.Name) != "" {
				refused.unheld(s, step, &c, repetitions)
			}
			refused.edged(s, step, &c, repetitions)
			if step.Read != nil {
				return
			}
			requests, _ := s.Compiled(step, c.Items, repetitions) // what cannot be compiled, the replay says
			for _, request := range requests {
				if _, err := own.Check(context.Background(), request); err != nil {
					report(fmt.Sprintf("%s: expected a request that the access pattern documents, found %v", owner, err))
				}
			}
		})
		for _, problem := range seen.Problems {
			if problem.Found == patterns.Success && c.Error == ofCollections {
				break // memory does not know how large a collection is
			}
			text := fmt.Sprintf("%s: expected %s, found %s", problem.Where, problem.Expected, problem.Found)
			if _, named := set.Item(strings.TrimPrefix(problem.Found, "also ")); named {
				text += "; name it under expect where the document's sentence returns it, or give the item what keeps it out"
			}
			if problem.Found == patterns.Success && c.Error == ofRequests {
				text += "; memory refuses with it what a table does not store, an update that does not fit its item, and a transaction of one item twice or of more than 100 actions: " +
					"correct the case, or show another refusal by a trial of a finding"
			}
			report(text)
		}
		if seen.Instead == evidence.Error {
			report(seen.Reason)
		}
	}
	if len(all) == 0 {
		o := &observe.Observation{}
		entities.Judge(o, pattern)
		for _, problem := range o.Problems {
			all = append(all, &fixtures.Problem{Place: fixtures.Place{File: pattern.Written.File, Line: pattern.Written.Line}, Text: fmt.Sprintf(
				"pattern %s: expected returns: %s, found %s; correct them, or add a case that returns one", pattern.ID, problem.Expected, problem.Found)})
		}
	}
	untold := func(needs ap.Level, format string, args ...any) {
		all = append(all, &fixtures.Problem{Place: cases[0].Place, Needs: needs, Text: "pattern " + pattern.ID + fmt.Sprintf(format, args...)})
	}
	for _, names := range slices.SortedFunc(maps.Keys(alike), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		if alike[names] && known[names[0]] && known[names[1]] && !bound(design, pattern, names[0], names[1]) && !bound(design, pattern, names[1], names[0]) {
			untold(ap.LevelReads, ": every case that succeeds gives {%s} and {%s} one value, so that nothing tells the one from the other; give them different ones", names[0], names[1])
		}
	}
	for _, step := range pattern.Steps {
		for a, action := range step.Write {
			for n, set := range action.Set {
				if other := left[effectOf{step.Name, a, n}].like(&set); other != "" {
					untold(ap.LevelWrites, ", step %s, action %d, %s of %s: every case that succeeds %s; add one of another item that has another value", step.Name, a+1, action.Kind, action.Table, other)
				}
			}
			for n, condition := range action.Condition {
				lacks := func(edge int, how, so string) {
					if !refused[conditionOf{step.Name, a, n, edge}] {
						untold(ap.LevelWrites, ", step %s, action %d, %s of %s: no case is %s because the condition on %s", step.Name, a+1, action.Kind, action.Table, how, so)
					}
				}
				lacks(0, "refused", condition.Attribute+" does not hold")
				for _, at := range edgesOf(&condition) {
					how, so := "refused", "does not hold"
					if at.holds {
						how, so = "carried out", "holds"
					}
					lacks(at.nth, how, fmt.Sprintf("%s %s where it is exactly %s", at.attribute, so, at.exactly))
				}
			}
		}
	}
	return all
}

// refusals are the codes by which DynamoDB refuses a write for what it says. Memory knows all but that of collections.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
var refusals = []string{"ConditionalCheckFailedException", "TransactionCanceledException", ofRequests, ofCollections}

const (
	ofRequests    = "ValidationException"
	ofCollections = "ItemCollectionSizeLimitExceededException"
)

// parametersOf are the names that a case can give values for: those of the pattern's requests and repetitions, and of the keys of what it puts.
func parametersOf(design *ap.Design, pattern *ap.Pattern) map[string]bool {
	known := map[string]bool{}
	add := func(names ...string) {
		for _, name := range names {
			known[name] = true
		}
	}
	for step := range lists.Each(pattern.Steps) {
		if step.Read != nil {
			add(step.Read.Parameters()...)
		}
		add(step.Given(func(string) bool { return false })...)
		for action := range lists.Each(step.Write) {
			add(action.Parameters()...)
			if entity, is := design.Entity(action.Entity); is {
				for _, key := range entity.Keys {
					add(key.Template.Parameters()...)
				}
			}
		}
	}
	return known
}

// conditionOf is a condition of an action of a step, or the edge of one of its comparisons.
type conditionOf struct {
	step                    string
	action, condition, edge int
}

// conditions are those without which, or with another edge of which, a case would end otherwise, of all cases.
type conditions map[conditionOf]bool

// bound reports whether a parameter is bound to what another one has asked for, so that the two have one value whatever the items are.
func bound(design *ap.Design, pattern *ap.Pattern, parameter, asked string) bool {
	return slices.ContainsFunc(pattern.Steps, func(step ap.Step) bool {
		each := step.ForEach
		if each == nil {
			return false
		}
		at := slices.IndexFunc(each.Bind, func(b ap.Binding) bool { return b.Parameter == parameter })
		source, is := pattern.Step(each.Step)
		if at < 0 || !is || source.Read == nil {
			return false
		}
		attribute := each.Bind[at].Attribute
		return slices.ContainsFunc(append(source.Read.KeyConditions(), source.Read.Filter...), func(c ap.Condition) bool {
			return c.Attribute == attribute && c.Operator == expression.Equal && c.Value.Template == ap.KeyTemplate("{"+asked+"}")
		}) || slices.Contains(source.Read.Parameters(), asked) && slices.ContainsFunc(design.ReturnedBy(source.Read), func(e *ap.Entity) bool {
			return slices.ContainsFunc(e.Keys, func(key ap.KeyAttribute) bool {
				return slices.Contains(key.Template.Parameters(), asked) && key.Bound(asked) == attribute
			})
		})
	})
}

// likes are pairs of parameters, by name, and whether they have had one value wherever both had one.
type likes map[[2]string]bool

// tell notes which parameters have one value in the repetitions of a step.
func (all likes) tell(repetitions []ap.Params) {
	for _, params := range repetitions {
		for one, value := range params {
			for other, second := range params {
				if one < other {
					at := [2]string{one, other}
					same, known := all[at]
					all[at] = (same || !known) && value == second
				}
			}
		}
	}
}

// effectOf is an assignment of an action of a step.
type effectOf struct {
	step           string
	action, effect int
}

// effect is what an attribute was before an assignment and behind it, as text, in the cases that succeed; nothing where the item lacked it.
type effect struct{ was, is map[string]bool }

type effects map[effectOf]effect

// tell notes what the assignments of a step do to the items as they are.
func (all effects) tell(s *session.Session, step *ap.Step, c *fixtures.Case, repetitions []ap.Params) {
	for a := range step.Write {
		alone := *step
		alone.Write = step.Write[a : a+1 : a+1]
		for _, w := range slices.Concat(written(s, &alone, c.Items, repetitions)...) {
			before := s.Memory.At(w.Table, w.Place())
			after, err := evaluate.After(&w, before)
			if err != nil {
				continue
			}
			for n, set := range step.Write[a].Set {
				at := effectOf{step.Name, a, n}
				if all[at].was == nil {
					all[at] = effect{map[string]bool{}, map[string]bool{}}
				}
				whole, _, _ := strings.Cut(set.Attribute, ".") // a member of a map is told with the map
				all[at].was[shown(before[whole])], all[at].is[shown(after[whole])] = true, true
			}
		}
	}
}

func shown(value types.AttributeValue) string {
	if value == nil {
		return ""
	}
	return cmp.Or(dynamo.ScalarText(value), dynamo.Show(value))
}

// like says in which way an assignment does the same as another one in all cases that there are; nothing where it does not. The numbers 0 and 1
// are flags, and nobody takes them for a sum.
func (e effect) like(set *ap.Assignment) string {
	one := func(of map[string]bool) (text string, is bool) {
		for text = range of {
		}
		return text, len(of) == 1
	}
	was, alike := one(e.was)
	is, same := one(e.is)
	switch sum := set.Operator == "+" || set.Operator == "-"; {
	case sum && same:
		return fmt.Sprintf("leaves %s at %s, so that nothing tells the sum from that value", set.Attribute, is)
	case set.Operator == ap.Keep && alike && was == "":
		return fmt.Sprintf("finds an item without %s, so that nothing tells if_not_exists from an assignment", set.Attribute)
	case set.Operator == "" && set.Value.Type == dynamo.Number && len(set.Value.Template.Parameters()) == 0 && set.Value.Template != "0" && set.Value.Template != "1" && alike && same && was != "" && was != is:
		return fmt.Sprintf("finds %s at %s, so that nothing tells %s from a sum", set.Attribute, was, is)
	}
	return ""
}

// edged notes the comparisons of a step that are decided otherwise on the items as they are where their edge is another one.
func (all conditions) edged(s *session.Session, step *ap.Step, c *fixtures.Case, repetitions []ap.Params) {
	held := sync.OnceValue(func() []bool { return holding(s, step, c.Items, repetitions) })
	for a, action := range step.Write {
		for n := range action.Condition {
			for _, at := range edgesOf(&action.Condition[n]) {
				conditions := slices.Clone(action.Condition)
				conditions[n] = at.other
				if !slices.Equal(held(), holding(s, having(step, a, conditions), c.Items, repetitions)) {
					all[conditionOf{step.Name, a, n, at.nth}] = true
				}
			}
		}
	}
}

// having is a step of which one action has other conditions.
func having(step *ap.Step, action int, conditions []ap.Condition) *ap.Step {
	other := *step
	other.Write = slices.Clone(step.Write)
	other.Write[action].Condition = conditions
	return &other
}

// unheld notes the conditions of a step without which it would be carried out on the items as they are or, where the case names reasons, its
// action would be none of them.
func (all conditions) unheld(s *session.Session, step *ap.Step, c *fixtures.Case, repetitions []ap.Params) {
	for a := range step.Write {
		of, at := *step, a
		if len(c.Reasons) > 0 {
			of.Write, at = step.Write[a:a+1:a+1], 0
		}
		held := holding(s, &of, c.Items, repetitions)
		for n := range of.Write[at].Condition {
			less := having(&of, at, slices.Delete(slices.Clone(of.Write[at].Condition), n, n+1))
			for i, holds := range holding(s, less, c.Items, repetitions) {
				if holds && i < len(held) && !held[i] {
					all[conditionOf{step.Name, a, n, 0}] = true
				}
			}
		}
	}
}

// written are the writes of each request of a step.
func written(s *session.Session, step *ap.Step, items fixtures.Roles, repetitions []ap.Params) [][]sdk.Write {
	requests, _ := s.Compiled(step, items, repetitions) // what cannot be compiled, the replay says
	return lists.Map(requests, func(request any) []sdk.Write {
		writes, _ := sdk.Writes(request)
		return writes
	})
}

// holding says of each request of a step whether all its conditions hold on the items as they are.
func holding(s *session.Session, step *ap.Step, items fixtures.Roles, repetitions []ap.Params) []bool {
	return lists.Map(written(s, step, items, repetitions), func(writes []sdk.Write) bool {
		return !slices.ContainsFunc(writes, func(w sdk.Write) bool {
			_, err := evaluate.After(&w, s.Memory.At(w.Table, w.Place()))
			return errors.Is(err, evaluate.ErrCondition)
		})
	})
}
