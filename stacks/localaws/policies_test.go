package localaws

import (
	"slices"
	"strings"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	for _, row := range []struct {
		name, token string
		inputs      map[string]any
		property    string // empty when there is no failure
		words       string
	}{
		{"a good policy of a table", tablePolicyToken, map[string]any{"resourceArn": arn, "policy": denying}, "", ""},
		{"the default said outright", tablePolicyToken, map[string]any{"resourceArn": arn, "policy": denying, "confirmRemoveSelfResourceAccess": false}, "", ""},
		{"another than the default", tablePolicyToken, map[string]any{"resourceArn": arn, "policy": denying, "confirmRemoveSelfResourceAccess": true}, "confirmRemoveSelfResourceAccess", "default false only"},
		{"an index", tablePolicyToken, map[string]any{"resourceArn": arn + "/index/i", "policy": denying}, "resourceArn", "expected the ARN of a table"},
		{"a stream", tablePolicyToken, map[string]any{"resourceArn": arn + "/stream/2026", "policy": denying}, "resourceArn", "expected the ARN of a table"},
		{"no table", tablePolicyToken, map[string]any{"policy": denying}, "resourceArn", "expected the ARN of a table"},
		{"no policy", tablePolicyToken, map[string]any{"resourceArn": arn}, "policy", "found none"},
		{"no JSON", tablePolicyToken, map[string]any{"resourceArn": arn, "policy": "Deny"}, "policy", "expected a JSON object"},
		{"white space counts for a table", tablePolicyToken, map[string]any{"resourceArn": arn, "policy": denying + strings.Repeat(" ", 20*1024)}, "policy", "at most 20480"},
		{"misspelt", tablePolicyToken, map[string]any{"resourceArn": arn, "policy": denying, "policies": "x"}, "policies", "no such property"},
		{"an object for a text", tablePolicyToken, map[string]any{"resourceArn": arn, "policy": map[string]any{}}, "policy", "expected a string"},
		{"a good policy of a role", rolePolicyToken, map[string]any{"policy": denying, "path": "/a/", "name": "n", "description": "d"}, "", ""},
		{"white space does not count for a role", rolePolicyToken, map[string]any{"policy": denying + strings.Repeat(" ", 7000)}, "", ""},
		{"too long for a role", rolePolicyToken, map[string]any{"policy": strings.Replace(denying, "Deny", strings.Repeat("D", 6144), 1)}, "policy", "at most 6144"},
		{"path", rolePolicyToken, map[string]any{"policy": denying, "path": "a"}, "path", "begins and ends with '/'"},
		{"name", rolePolicyToken, map[string]any{"policy": denying, "name": "a/b"}, "name", `found "a/b"`},
		{"description", rolePolicyToken, map[string]any{"policy": denying, "description": strings.Repeat("d", 1001)}, "description", "at most 1000"},
		{"tags", rolePolicyToken, map[string]any{"policy": denying, "tags": map[string]any{"a": "b"}}, "", ""},
		{"a tag that is no text", rolePolicyToken, map[string]any{"policy": denying, "tags": map[string]any{"a": true}}, "tags.a", "expected a string"},
		{"a text for the tags", rolePolicyToken, map[string]any{"policy": denying, "tags": "a"}, "tags", "expected a map of strings"},
	} {
		t.Run(row.name, func(t *testing.T) {
			answer, err := c.Check(t.Context(), &pulumirpc.CheckRequest{
				Urn: "urn:pulumi:s::p::" + row.token + "::r", News: structOf(t, row.inputs), RandomSeed: []byte("seed"),
			})
			require.NoError(t, err)
			switch {
			case row.property == "" && len(answer.Failures) > 0:
				t.Errorf("expected no failure, found %v", answer.Failures)
			case row.property != "" && (len(answer.Failures) != 1 || answer.Failures[0].Property != row.property || !strings.Contains(answer.Failures[0].Reason, row.words)):
				t.Errorf("expected one failure of %s with %q, found %v", row.property, row.words, answer.Failures)
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
