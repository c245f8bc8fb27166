package localaws

import (
	"slices"
	"strings"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
)

const (
	denying = `{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Action":"dynamodb:Scan","Resource":["a","b"]}]}`
	shown   = `{"Statement":{"Resource":["b","a"],"Action":["dynamodb:Scan"],"Effect":"Deny"},"Version":"2012-10-17"}`
)

func TestSameDocument(t *testing.T) {
	for _, row := range []struct {
		name, a, b string
		want       bool
	}{
		{"the same", denying, denying, true},
		{"other order, a text for a list of one", denying, shown, true},
		{"another action", denying, strings.Replace(denying, "Scan", "Query", 1), false},
		{"one resource less", denying, strings.Replace(denying, `["a","b"]`, `"a"`, 1), false},
		{"no JSON on either side", "x", "x", true},
		{"no JSON on one side", denying, "x", false},
	} {
		assert.Equal(t, row.want, sameDocument(row.a, row.b), row.name)
	}
}

func TestCheckPolicies(t *testing.T) {
	const arn = "arn:aws:dynamodb:eu-west-1:000000000000:table/orders"
	c := dialServer(t, startServer(t))
	type row struct {
		Name, Token string
		Inputs      map[string]any
		Property    string // empty when there is no failure
		Words       string
	}
	for _, row := range append(tabletest.Read[[]row](t, "policies.yaml"), []row{
		{"white space counts for a table", tablePolicyToken, map[string]any{"resourceArn": arn, "policy": denying + strings.Repeat(" ", 20*1024)}, "policy", "at most 20480"},
		{"white space does not count for a role", rolePolicyToken, map[string]any{"policy": denying + strings.Repeat(" ", 7000)}, "", ""},
		{"too long for a role", rolePolicyToken, map[string]any{"policy": strings.Replace(denying, "Deny", strings.Repeat("D", 6144), 1)}, "policy", "at most 6144"},
		{"description", rolePolicyToken, map[string]any{"policy": denying, "description": strings.Repeat("d", 1001)}, "description", "at most 1000"},
	}...) {
		t.Run(row.Name, func(t *testing.T) {
			answer, err := c.Check(t.Context(), &pulumirpc.CheckRequest{
				Urn: "urn:pulumi:s::p::" + row.Token + "::r", News: structOf(t, row.Inputs), RandomSeed: []byte("seed"),
			})
			require.NoError(t, err)
			switch {
			case row.Property == "" && len(answer.Failures) > 0:
				t.Errorf("expected no failure, found %v", answer.Failures)
			case row.Property != "" && (len(answer.Failures) != 1 || answer.Failures[0].Property != row.Property || !strings.Contains(answer.Failures[0].Reason, row.Words)):
				t.Errorf("expected one failure of %s with %q, found %v", row.Property, row.Words, answer.Failures)
			}
		})
	}
}

func TestDiffPolicies(t *testing.T) {
	c := dialServer(t, startServer(t))
	role := map[string]any{"name": "n", "path": "/", "description": "d", "policy": denying}
	table := map[string]any{"resourceArn": "a", "policy": denying}
	with := func(m map[string]any, key string, value any) map[string]any {
		changed := map[string]any{}
		for k, v := range m {
			changed[k] = v
		}
		if changed[key] = value; value == nil {
			delete(changed, key)
		}
		return changed
	}
	for _, row := range []struct {
		name, token     string
		state, inputs   map[string]any
		diffs, replaces []string
		kind            string // of the first difference
	}{
		{"nothing", rolePolicyToken, role, role, nil, nil, ""},
		{"the same in other words", rolePolicyToken, role, with(role, "policy", shown), nil, nil, ""},
		{"a policy", rolePolicyToken, role, with(role, "policy", "{}"), []string{"policy"}, nil, "UPDATE"},
		{"a name", rolePolicyToken, role, with(role, "name", "m"), []string{"name"}, []string{"name"}, "UPDATE_REPLACE"},
		{"a path", rolePolicyToken, role, with(role, "path", "/m/"), []string{"path"}, []string{"path"}, "UPDATE_REPLACE"},
		{"a first description", rolePolicyToken, with(role, "description", nil), role, []string{"description"}, []string{"description"}, "ADD_REPLACE"},
		{"no description any more", rolePolicyToken, role, with(role, "description", nil), []string{"description"}, []string{"description"}, "DELETE_REPLACE"},
		{"the policy of a table", tablePolicyToken, table, with(table, "policy", "{}"), []string{"policy"}, nil, "UPDATE"},
		{"another table", tablePolicyToken, table, with(table, "resourceArn", "b"), []string{"resourceArn"}, []string{"resourceArn"}, "UPDATE_REPLACE"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d, err := c.Diff(t.Context(), &pulumirpc.DiffRequest{
				Urn: "urn:pulumi:s::p::" + row.token + "::r", Olds: structOf(t, row.state), News: structOf(t, row.inputs),
			})
			require.NoError(t, err)
			if !slices.Equal(d.Diffs, row.diffs) || !slices.Equal(d.Replaces, row.replaces) {
				t.Errorf("expected %v, replacing by %v, found %v and %v", row.diffs, row.replaces, d.Diffs, d.Replaces)
			}
			if row.kind != "" && d.DetailedDiff[row.diffs[0]].GetKind().String() != row.kind {
				t.Errorf("expected the kind %s, which speaks of a side that has the property, found %v", row.kind, d.DetailedDiff)
			}
			if changed := d.Changes == pulumirpc.DiffResponse_DIFF_SOME; changed != (len(row.diffs) > 0) {
				t.Errorf("expected changes %t, found %v", len(row.diffs) > 0, d.Changes)
			}
		})
	}
}
