package guardtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/guard"
	"dynaproof/fixtures"
)

const environment = "test"

// documentedRequest is one request of a documented case.
type documentedRequest struct {
	design  *accesspatterns.Design
	set     *fixtures.Set
	pattern *accesspatterns.Pattern
	step    accesspatterns.Step
	where   string
	input   any
}

func tableName(design *accesspatterns.Design, id string) (string, error) {
	table, known := design.Table(id)
	if !known {
		return "", fmt.Errorf("no table %s", id)
	}
	return table.Name.In(environment), nil
}

// requestsOf compiles every request of every case of a design. What a flow binds
// from an earlier step is taken from the items that the case expects there.
func requestsOf(t testing.TB, design *accesspatterns.Design) []documentedRequest {
	t.Helper()
	set, err := fixtures.Load(design.Name, time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	var all []documentedRequest
	for _, c := range set.Cases {
		pattern, known := design.Pattern(c.Pattern)
		if !known {
			t.Fatalf("no pattern %s", c.Pattern)
		}
		for _, step := range pattern.Steps() {
			for _, params := range repetitions(t, set, c, step) {
				request := documentedRequest{design: design, set: set, pattern: pattern, step: step,
					where: fmt.Sprintf("%s/%s (%s), step %s", design.Name, pattern.ID, c.Name, step.Name)}
				request.input = compile(t, request, c, params)
				all = append(all, request)
			}
			if step.StopWhenEmpty && len(c.Steps[step.Name]) == 0 {
				break // the flow ends here
			}
		}
	}
	return all
}

func compile(t testing.TB, r documentedRequest, c fixtures.Case, params accesspatterns.Params) any {
	t.Helper()
	if r.step.Read == nil {
		input, err := accesspatterns.CompileWrite(r.step.Write, accesspatterns.Names{
			Table: func(id string) (string, error) { return tableName(r.design, id) },
			Item: func(role string) (accesspatterns.Item, error) {
				item, known := r.set.Item(c.Items[role])
				if !known {
					return nil, fmt.Errorf("no item %s", role)
				}
				return accesspatterns.Item(item.Item), nil
			},
		}, params)
		if err != nil {
			t.Fatalf("%s: %v", r.where, err)
		}
		return input
	}
	table, _ := r.design.Table(r.step.Read.Table)
	input, err := r.step.Read.Compile(table, table.Name.In(environment), params)
	if err != nil {
		t.Fatalf("%s: %v", r.where, err)
	}
	// A read with a budget is sent with a Limit, as the budget is in items.
	if query, is := input.(*dynamodb.QueryInput); is && r.step.Read.InspectBudget > 0 {
		query.Limit = aws.Int32(r.step.Read.InspectBudget)
	}
	return input
}

func repetitions(t testing.TB, set *fixtures.Set, c fixtures.Case, step accesspatterns.Step) []accesspatterns.Params {
	t.Helper()
	with := func(name, value string) accesspatterns.Params {
		params := accesspatterns.Params{name: value}
		for key, known := range c.Params {
			params[key] = known
		}
		return params
	}
	each := step.ForEach
	switch {
	case each == nil:
		return []accesspatterns.Params{c.Params}
	case each.Step == "":
		var all []accesspatterns.Params
		first, err := time.Parse(time.DateOnly, c.Params[each.From])
		last, err2 := time.Parse(time.DateOnly, c.Params[each.To])
		if err != nil || err2 != nil {
			return nil // a case of a range that is refused before it is sent
		}
		for day := first; !day.After(last) && len(all) < each.MaxDays; day = day.AddDate(0, 0, 1) {
			all = append(all, with(each.Parameter, day.Format(time.DateOnly)))
		}
		return all
	}
	var all []accesspatterns.Params
	for _, name := range c.Steps[each.Step] {
		item, known := set.Item(name)
		if !known {
			t.Fatalf("no item %s", name)
		}
		if value, is := item.Item[each.Attribute].(*types.AttributeValueMemberS); is {
			all = append(all, with(each.Parameter, value.Value))
		}
	}
	return all
}

// guards are those that were made, by design and roles. The tests of this
// package do not run in parallel.
var guards = map[string]*guard.Guard{}

// guardFor makes a guard of the design for roles; none means any role.
func guardFor(t testing.TB, design *accesspatterns.Design, roles ...string) *guard.Guard {
	t.Helper()
	key := design.Name + "/" + joined(roles)
	if g, made := guards[key]; made {
		return g
	}
	options := []guard.Option{guard.InEnvironment(environment), guard.AnyRole()}
	if len(roles) > 0 {
		options[1] = guard.ForRole(roles...)
	}
	g, err := guard.New(design, options...)
	if err != nil {
		t.Fatal(err)
	}
	guards[key] = g
	return g
}

// eachRequest runs a test for every documented request of every design.
func eachRequest(t *testing.T, test func(t *testing.T, r documentedRequest)) {
	t.Helper()
	for _, design := range designs.All() {
		t.Run(design.Name, func(t *testing.T) {
			requests := requestsOf(t, design)
			if len(requests) < len(design.Patterns) {
				t.Fatalf("expected a request for each of %d patterns, found %d", len(design.Patterns), len(requests))
			}
			for _, r := range requests {
				test(t, r)
			}
		})
	}
}

func sortedCopy(values []string) []string { return slices.Sorted(slices.Values(values)) }

func joined(values []string) string { return strings.Join(values, ", ") }
