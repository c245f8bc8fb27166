package catalog_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/stacks/catalog"
	"dynaproof/stacks/dryrun"
)

// roles are those that each document names or implies, by design.
var roles = map[string][]string{
	"roll-model":     {"athlete", "coach", "system", "user"},
	"commit-collect": {"operator", "system", "user"},
	"fus-main":       {"admin", "everyone", "manager", "squash-member", "superadmin", "user"},
	"osem-ladders":   {"admin", "manager", "team_member"},
	"personal-os":    {"user"},
}

// demanded are the designs whose document forbids scans (commit-collect.md:18, 175).
var demanded = []string{"commit-collect"}

func TestGuardrailsByDefault(t *testing.T) {
	for _, design := range catalog.Designs() {
		for setting, want := range map[string]bool{"": slices.Contains(demanded, design), "enforce": true, "off": false} {
			result := dryRun(t, design, "dev", map[string]string{"dynaproof:guardrails": setting})
			policies, tables := 0, 0
			if want {
				policies, tables = len(roles[design]), len(result.Tables)
			}
			if len(result.Policies) != policies || len(result.TablePolicies) != tables {
				t.Errorf("%s with %q: expected %d policies of roles and %d of tables, found %d and %d",
					design, setting, policies, tables, len(result.Policies), len(result.TablePolicies))
			}
			if got, want := result.Outputs["guardrails"], map[bool]string{true: "enforce", false: "off"}[want]; got != want {
				t.Errorf("%s with %q: expected the output %s, found %v", design, setting, want, got)
			}
		}
	}
}

// TestPolicies looks at what is easy to get wrong in every statement of every program.
func TestPolicies(t *testing.T) {
	for _, design := range catalog.Designs() {
		result := dryRun(t, design, "dev", map[string]string{"dynaproof:guardrails": "enforce"})
		outputs, _ := result.Outputs["rolePolicies"].(map[string]any)
		for _, role := range roles[design] {
			registered := result.Policies[design+"-"+role]
			if registered == nil || registered["policy"] != outputs[role] {
				t.Errorf("%s: expected the policy of role %s, and it among the outputs, found %v and %v", design, role, registered, outputs[role])
				continue
			}
			if path := registered["path"]; path != "/dynaproof/"+design+".dev/" {
				t.Errorf("%s, role %s: expected the stack in the path, found %v", design, role, path)
			}
			examine(t, design+" "+role, registered["policy"].(string), result)
		}
		for id := range result.Tables {
			if arn := result.TablePolicies[id]["resourceArn"]; !strings.HasSuffix(arn.(string), ":table/"+result.Tables[id]["name"].(string)) {
				t.Errorf("%s: expected the policy of %s on its table, found %v", design, id, arn)
			}
		}
	}
}

// examine reads a role's policy statement by statement.
func examine(t *testing.T, owner, text string, result *dryrun.Result) {
	t.Helper()
	var document struct {
		Statement []struct {
			Sid              string
			Effect           string
			Action, Resource []string
			Condition        map[string]map[string][]string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text), &document))
	seen := map[string]bool{}
	for _, statement := range document.Statement {
		where := owner + ", statement " + statement.Sid
		if seen[statement.Sid] || statement.Sid == "" || statement.Effect != "Allow" {
			t.Errorf("%s: expected a Sid of its own and Allow", where)
		}
		seen[statement.Sid] = true
		for _, action := range statement.Action {
			assert.NotContains(t, action, "*", where)
		}
		for _, resource := range statement.Resource {
			_, name, _ := strings.Cut(resource, ":table/")
			name, _, _ = strings.Cut(name, "/")
			known := false
			for _, table := range result.Tables {
				known = known || table["name"] == name
			}
			if !known || strings.Contains(resource, "*") {
				t.Errorf("%s: expected a table or an index of the stack, found %s", where, resource)
			}
		}
		for operator, keys := range statement.Condition {
			for key := range keys {
				conditioned := slices.Equal(statement.Condition["Null"][key], []string{"false"})
				if strings.HasPrefix(operator, "ForAllValues:") && !conditioned {
					t.Errorf("%s: expected a Null condition on %s, because %s is true when the key is absent", where, key, operator)
				}
			}
		}
	}
}
