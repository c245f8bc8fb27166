package explore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/tabletest"
)

// A cone leaves out what a law does not rest on: on small contracts of any kind the search finds the same without it.
func TestAConeChangesNothing(t *testing.T) {
	broken, kept := 0, 0
	for seed := range uint64(20) {
		d, items, law := generated(seed)
		search := func(whole bool) *Law {
			x := tabletest.Must(newExplorer(d, BasesOf(d, items)))(t)
			c := x.coneOf(law.reads)
			if whole { // every write, every attribute
				c = &cone{of: map[string]map[string]role{}, steps: x.steps, core: c.core}
				for _, e := range d.Entities {
					c.add(e.ID, ofLaw)
					for _, a := range e.Attributes {
						c.add(e.ID, ofLaw, a.Name)
					}
				}
			}
			return x.within(c, "invariant/law", law, Budget{Depth: 2, Deeper: 2})
		}
		with, without := search(false), search(true)
		found := func(law *Law) [][]string { return [][]string{law.Breakers(), law.Keepers, law.Unmoved} }
		assert.Equal(t, found(without), found(with), "contract %d: expected the same with a cone and without, found\n%s\n%s\n%s", seed, with, without, without.Broken)
		broken, kept = broken+len(with.Breakers()), kept+len(with.Keepers)
	}
	assert.GreaterOrEqual(t, broken, 10)
	assert.GreaterOrEqual(t, kept, 10, "expected contracts with patterns that break their law and others")
}

// A formula that nothing breaks says nothing: one that is always true, as one that asks for what every item has. One that some item would
// break says something, also where every pattern keeps it.
func TestAFormulaThatNothingBreaks(t *testing.T) {
	for seed := range uint64(20) {
		for name, row := range map[string]struct {
			holds   func(before, after map[string][]any) bool
			vacuous bool
		}{
			"always true":        {func(_, _ map[string][]any) bool { return true }, true},
			"what each item has": {func(_, after map[string][]any) bool { return len(after["a"]) >= 0 }, true},
			"a value of another": {func(_, after map[string][]any) bool {
				return !slices.ContainsFunc(after["a"], func(i any) bool { return dynamo.ScalarText(i.(ap.Item)["status"]) == "lost" })
			}, false},
			"what no pattern can take": {func(before, after map[string][]any) bool { return len(before["a"]) == 0 || len(after["a"]) > 0 }, false},
		} {
			d, items, law := generated(seed)
			law.Keeps, law.reads, law.constants = name == "what no pattern can take", map[string][]string{"a": {"status"}}, map[string][]string{"a.status": {"lost"}}
			law.Holds = func(before, after map[string][]any, _, _ string) (bool, error) { return row.holds(before, after), nil }
			x := tabletest.Must(newExplorer(d, BasesOf(d, items)))(t)
			found := x.within(x.coneOf(law.reads), "invariant/law", law, Budget{Depth: 1, Deeper: 1})
			require.Equal(t, row.vacuous, found.Vacuous, "contract %d, %s", seed, name)
			require.Equal(t, row.vacuous, strings.Contains(strings.Join(found.problems(&ap.Law{Broken: found.Breakers()}), "\n"), "nothing breaks the formula"))
		}
	}
}

// Where there is no item to take away or to change, nothing was tried, so that a formula which nothing breaks may say something still.
func TestAFormulaOfNoItemsIsNotVacuous(t *testing.T) {
	for name, row := range map[string]struct {
		reads   []string
		without []string
		vacuous bool
	}{
		"items of both":       {[]string{"a", "b"}, nil, true},
		"no items":            {[]string{"a", "b"}, []string{"a", "b", "c"}, false},
		"none that it reads":  {[]string{"a"}, []string{"a"}, false},
		"none of one of them": {[]string{"a", "b"}, []string{"b"}, false},
		"none of another":     {[]string{"a"}, []string{"c"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			d, items, law := generated(1)
			d.Patterns = nil // what writes an item makes one to try
			reads := map[string][]string{}
			for _, entity := range row.reads {
				reads[entity] = []string{"status"}
			}
			law.Keeps = false
			law.Read = func() (of, constants map[string][]string, acts bool, err error) { return reads, nil, false, nil }
			law.Holds = func(_, _ map[string][]any, _, _ string) (bool, error) { return true, nil }
			d.Invariants = []ap.Invariant{{ID: "law", Law: law.Law}}
			items = slices.DeleteFunc(items, func(of Item) bool { return slices.Contains(row.without, of.Entity) })
			found := tabletest.Must(One(d, BasesOf(d, items), Budget{Depth: 1, Deeper: 1}, "invariant/law"))(t)
			require.Equal(t, row.vacuous, found.Vacuous, "%s", found)
		})
	}
}

// A condition reads all that it compares, the upper bound of BETWEEN too.
func TestAConeHasWhatAConditionCompares(t *testing.T) {
	d, items, law := generated(1)
	x := tabletest.Must(newExplorer(d, BasesOf(d, items)))(t)
	c := x.coneOf(law.reads)
	between := ap.Condition{Attribute: "flag", Operator: expression.Between, Value: ap.Operand{Attribute: "kind"}, High: ap.Operand{Attribute: "map.member"}}
	update := ap.Action{
		Kind: ap.Update, Table: "table", Item: "a", Condition: []ap.Condition{between}, Set: []ap.Assignment{{Attribute: "status"}},
		Key: []ap.Equality{{Attribute: "pk", Value: ap.Operand{Type: dynamo.String, Template: "a#{aId}"}}},
	}
	x.conditions(&ap.Step{Write: []ap.Action{update}}, c, ofLaw)
	for _, name := range []string{"flag", "kind", "map"} {
		require.NotZero(t, c.of["a"][name], name)
	}
}

// A claim is explored with the requests of some patterns, also where these have none to try.
func TestAClaimIsOfTheWholeDesign(t *testing.T) {
	d, items, _ := generated(1)
	for _, only := range [][]string{nil, {}} {
		require.Equal(t, only == nil, tabletest.Must(One(d, BasesOf(d, items), Budget{Only: only}, Validity))(t).Moves > 0)
	}
}

// generated is a contract of three entities and eight patterns with a law, and items of it.
func generated(seed uint64) (*ap.Design, []Item, *formula) {
	random := rand.New(rand.NewPCG(seed, 1))
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	d := &ap.Design{Name: fmt.Sprintf("generated-%d", seed), Tables: []ap.Table{{ID: "table", Name: "table", PartitionKey: ap.Key{Attribute: "pk", Type: dynamo.String}}}}
	d.Policies.Roles = []ap.Role{{ID: "user"}}
	var items []Item
	for _, id := range []string{"a", "b", "c"} {
		d.Entities = append(d.Entities, ap.Entity{
			ID: id, Table: "table", Keys: []ap.KeyAttribute{{Attribute: "pk", Template: ap.KeyTemplate(id + "#{" + id + "Id}")}},
			Attributes: []ap.Attribute{
				{Name: "status", Type: dynamo.String, Allowed: []string{"open", "done"}}, {Name: "flag", Type: dynamo.Boolean}, {Name: "kind", Type: dynamo.String, Allowed: []string{"x", "y"}},
			},
		})
		items = append(items, Item{id, ap.Item{"pk": dynamo.Scalar(dynamo.String, id+"#1"), "status": dynamo.Scalar(dynamo.String, "open"), "flag": dynamo.Scalar(dynamo.Boolean, "false"), "kind": dynamo.Scalar(dynamo.String, "x")}})
	}
	for n := range 8 {
		var actions []ap.Action
		for _, i := range random.Perm(3)[:1+random.IntN(2)] {
			e := &d.Entities[i]
			a := ap.Action{Kind: []ap.ActionKind{ap.Put, ap.Update, ap.Delete, ap.ConditionCheck}[random.IntN(4)], Table: "table", Item: e.ID}
			if len(actions) == 0 && a.Kind == ap.ConditionCheck {
				a.Kind = ap.Put
			}
			condition := ap.Condition{Attribute: "status", Operator: expression.Equal, Value: ap.Operand{Type: dynamo.String, Template: ap.KeyTemplate(one("open", "done"))}}
			switch {
			case a.Kind == ap.Put && random.IntN(2) == 0:
				condition = ap.Condition{Attribute: "pk", Operator: expression.NotExists}
			case random.IntN(3) == 0:
				condition = ap.Condition{Attribute: "kind", Operator: expression.Equal, Value: ap.Operand{Type: dynamo.String, Template: "x"}}
			}
			if a.Kind == ap.ConditionCheck || a.Kind == ap.Update || random.IntN(2) == 0 {
				a.Condition = []ap.Condition{condition}
			}
			switch a.Kind {
			case ap.Put:
				a.Entity = e.ID
			default:
				a.Key = []ap.Equality{{Attribute: "pk", Value: ap.Operand{Type: dynamo.String, Template: e.Keys[0].Template}}}
			}
			if a.Kind == ap.Update {
				set := ap.Assignment{Attribute: "status", Value: ap.Operand{Type: dynamo.String, Template: ap.KeyTemplate(one("open", "done"))}}
				if random.IntN(3) == 0 {
					set = ap.Assignment{Attribute: "kind", Value: ap.Operand{Type: dynamo.String, Template: ap.KeyTemplate(one("x", "y"))}}
				}
				a.Set = []ap.Assignment{set}
			}
			actions = append(actions, a)
		}
		d.Patterns = append(d.Patterns, ap.Pattern{ID: fmt.Sprintf("p%d", n), Roles: []string{"user"}, Steps: []ap.Step{{Name: "write", Write: actions}}})
	}
	is := func(item any, name, value string) bool { return dynamo.ScalarText(item.(ap.Item)[name]) == value }
	law := &formula{Law: &ap.Law{Text: "generated", See: func(_ string, item ap.Item) any { return item }}, constants: map[string][]string{"a.status": {"done"}}}
	some := func(items []any, status string) bool {
		return slices.ContainsFunc(items, func(item any) bool { return is(item, "status", status) })
	}
	switch random.IntN(3) {
	case 0: // an a that is done needs a b
		law.reads = map[string][]string{"a": {"status"}, "b": nil}
		law.Holds = func(_, after map[string][]any, _, _ string) (bool, error) {
			return !some(after["a"], "done") || len(after["b"]) > 0, nil
		}
	case 1: // an a and a b are not both done
		law.reads = map[string][]string{"a": {"status"}, "b": {"status"}}
		law.constants["b.status"] = []string{"done"}
		law.Holds = func(_, after map[string][]any, _, _ string) (bool, error) {
			return !some(after["a"], "done") || !some(after["b"], "done"), nil
		}
	default: // an a that is done stays
		law.Keeps = true
		law.reads = map[string][]string{"a": {"key.aId", "status"}}
		law.Holds = func(before, after map[string][]any, _, _ string) (bool, error) {
			for _, item := range before["a"] {
				key := item.(ap.Item)["pk"].(*types.AttributeValueMemberS).Value
				if is(item, "status", "done") && !slices.ContainsFunc(after["a"], func(other any) bool { return is(other, "pk", key) && is(other, "status", "done") }) {
					return false, nil
				}
			}
			return true, nil
		}
	}
	return d, items, law
}
