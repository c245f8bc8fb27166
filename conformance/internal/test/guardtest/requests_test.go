package guardtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/sdk"
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
	roles   fixtures.Roles
}

// needed says for each write of a transaction of the step whether the step is
// another one without it.
func (r *documentedRequest) needed() []bool {
	var needed []bool
	for _, action := range r.step.Write {
		n := 1
		if action.Item != "" {
			n = len(r.roles[action.Item])
		}
		for range n {
			needed = append(needed, !action.Times.Allows(n-1))
		}
	}
	return needed
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
func requestsOf(t testing.TB, design *accesspatterns.Design) (all []documentedRequest) {
	t.Helper()
	set, err := fixtures.Load(design.Name, time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	for _, c := range set.Cases {
		pattern, known := design.Pattern(c.Pattern)
		require.True(t, known, "no pattern %s", c.Pattern)
		_, err := pattern.Walk(c.Params, map[string][]accesspatterns.Item{}, func(step *accesspatterns.Step, repetitions []accesspatterns.Params, err error) ([]accesspatterns.Item, bool) {
			request := documentedRequest{design: design, set: set, pattern: pattern, step: *step, roles: c.Items,
				where: fmt.Sprintf("%s/%s (%s), step %s", design.Name, pattern.ID, c.Name, step.Name)}
			if err != nil && step.ForEach.Step == "" {
				repetitions, err = nil, nil // they are refused before anything is sent
			}
			require.NoError(t, err, request.where)
			for _, input := range compile(t, request, repetitions) {
				request.input = input
				all = append(all, request)
			}
			names, interpreted := c.Sees[step.Name]
			if !interpreted {
				names = c.Steps[step.Name]
			}
			saw, err := set.Playing(fixtures.Roles{"": names})("")
			require.NoError(t, err)
			return saw, true
		})
		require.NoError(t, err)
	}
	return all
}

// compile returns the requests of a step.
func compile(t testing.TB, r documentedRequest, repetitions []accesspatterns.Params) (inputs []any) {
	t.Helper()
	if r.step.Read == nil {
		inputs, err := sdk.StepWrites(&r.step, sdk.Names{
			Table: func(id string) (string, error) { return tableName(r.design, id) },
			Items: r.set.Playing(r.roles),
		}, repetitions)
		require.NoError(t, err, r.where)
		return inputs
	}
	for _, params := range repetitions {
		table, _ := r.design.Table(r.step.Read.Table)
		input, err := sdk.Read(r.step.Read, table, table.Name.In(environment), params)
		require.NoError(t, err, r.where)
		// A read with a budget is sent with a Limit, as the budget is in items.
		if query, is := input.(*dynamodb.QueryInput); is && r.step.Read.InspectBudget > 0 {
			query.Limit = aws.Int32(r.step.Read.InspectBudget)
		}
		inputs = append(inputs, input)
	}
	return inputs
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
	require.NoError(t, err)
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

// TestDocumentedRequestsPass sends every request of every documented case past a guard for each role. It passes for those of its
// pattern; for every other it is refused, or is a documented request of that role as well. A step of one action is the same documented write
// as a transaction.
func TestDocumentedRequestsPass(t *testing.T) {
	refused, singles := 0, 0
	eachRequest(t, func(t *testing.T, r documentedRequest) {
		asked := map[string]bool{}
		for i := range r.design.Patterns {
			for _, role := range r.design.Patterns[i].Roles {
				if asked[role] {
					continue
				}
				asked[role] = true
				own, ctx := slices.Contains(r.pattern.Roles, role), t.Context()
				if own && r.step.Read != nil && r.step.Read.InspectBudget == 0 {
					ctx, _ = guard.NewRead(ctx, r.pattern.ID)
				}
				decision, err := guardFor(t, r.design, role).Check(ctx, r.input)
				pattern, _ := r.design.Pattern(decision.Pattern)
				switch {
				case own && r.step.Read == nil && len(r.step.Write) == 1:
					singles++
					as, alone := guardFor(t, r.design, role).Check(ctx, transaction(writesOf(t, r.input)))
					if err != nil || alone != nil || as.Pattern == "" {
						t.Errorf("%s, role %s: expected it to pass, alone and as a transaction, found %q, %v and %v", r.where, role, as.Pattern, err, alone)
					}
				case own:
					assert.NoError(t, err, "%s, role %s: expected it to pass", r.where, role)
				case err != nil:
					assert.ErrorIs(t, err, guard.ErrRefused, "%s, role %s", r.where, role)
					refused++
				case pattern == nil:
					t.Errorf("%s, role %s: expected a refusal or a documented request, found it open", r.where, role)
				case !slices.Contains(pattern.Roles, role):
					t.Errorf("%s, role %s: passed as %s, which is documented for %s", r.where, role, pattern.ID, joined(pattern.Roles))
				}
			}
		}
	})
	if refused == 0 || singles == 0 {
		t.Errorf("expected refusals and steps of one action, found %d and %d", refused, singles)
	}
}
