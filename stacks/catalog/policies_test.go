package catalog_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/stacks/catalog"
	"dynaproof/stacks/dryrun"
	"dynaproof/stacks/environment"
	"dynaproof/stacks/policy"
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

// documentOf returns the policy of role r, beside a table T, that a stack attaches.
func documentOf(statements func(policy.Tables) []policy.Statement) (string, error) {
	result, err := dryrun.Run(func(ctx *pulumi.Context) error {
		settings, err := environment.Read(ctx, closed)
		if err != nil {
			return err
		}
		table, err := dynamodb.NewTable(ctx, "T", &dynamodb.TableArgs{Name: pulumi.String("T")})
		if err != nil {
			return err
		}
		none := func(string, policy.Tables) []policy.Statement { return nil }
		return policy.Attach(ctx, settings, map[string]*dynamodb.Table{"T": table}, policy.Guardrails{
			Roles: []policy.Role{{Name: "r", Statements: statements}}, Table: none,
		})
	}, "closed.dev", map[string]string{"dynaproof:guardrails": "enforce"})
	text, _ := result.Policies["closed-r"]["policy"].(string)
	return text, err
}

func TestConditions(t *testing.T) {
	got := policy.Partitions("USER#" + policy.UserTag).And(policy.Projected()).And(policy.Written("PK", "SK"))
	want := policy.Condition{
		"ForAllValues:StringEquals": {
			"dynamodb:LeadingKeys": {"USER#${aws:PrincipalTag/userId}"},
			"dynamodb:Attributes":  {"PK", "SK"},
		},
		"StringEquals":    {"dynamodb:Select": {"SPECIFIC_ATTRIBUTES"}},
		"StringNotEquals": {"dynamodb:ReturnValues": {"ALL_OLD", "ALL_NEW"}},
		"Null":            {"dynamodb:LeadingKeys": {"false"}, "dynamodb:Attributes": {"false"}},
	}
	assert.Empty(t, cmp.Diff(want, got), "condition (-want +got)")
}

func TestDocument(t *testing.T) {
	for _, row := range []struct {
		name       string
		statements func(policy.Tables) []policy.Statement
		want, err  string
	}{
		{
			name:       "no scans",
			statements: func(tables policy.Tables) []policy.Statement { return policy.NoScans(tables.Table("T")) },
			want: `{"Version":"2012-10-17","Statement":[` +
				`{"Sid":"NoScan","Effect":"Deny","Principal":"*","Action":["dynamodb:Scan"],"Resource":["T","T/index/*"]},` +
				`{"Sid":"NoFullTableScanByPartiQL","Effect":"Deny","Principal":"*","Action":["dynamodb:PartiQLSelect"],"Resource":["T","T/index/*"],` +
				`"Condition":{"Bool":{"dynamodb:FullTableScan":["true"]}}}]}`,
		},
		{
			name:       "no scans but by one role",
			statements: func(tables policy.Tables) []policy.Statement { return policy.NoScansButBy("admin", tables.Table("T")) },
			want: `{"Version":"2012-10-17","Statement":[` +
				`{"Sid":"NoScan","Effect":"Deny","Principal":"*","Action":["dynamodb:Scan"],"Resource":["T"],` +
				`"Condition":{"StringNotEquals":{"aws:PrincipalTag/role":["admin"]}}},` +
				`{"Sid":"NoScanOfIndexes","Effect":"Deny","Principal":"*","Action":["dynamodb:Scan"],"Resource":["T/index/*"]},` +
				`{"Sid":"NoFullTableScanByPartiQL","Effect":"Deny","Principal":"*","Action":["dynamodb:PartiQLSelect"],"Resource":["T","T/index/*"],` +
				`"Condition":{"Bool":{"dynamodb:FullTableScan":["true"]}}}]}`,
		},
		{
			name: "a table that the stack has not",
			statements: func(tables policy.Tables) []policy.Statement {
				return []policy.Statement{{Sid: "S", Effect: policy.Allow, Action: []string{"dynamodb:Query"}, Resource: []string{tables.Index("U", "I")}}}
			},
			err: `policy of role r, statement S: expected the ARN of a table of this stack, found "no table U/index/I"`,
		},
		{
			name:       "more than AWS takes",
			statements: func(policy.Tables) []policy.Statement { return []policy.Statement{{Sid: strings.Repeat("s", 6144)}} },
			err:        "expected at most 6144 characters",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := documentOf(row.statements)
			if row.err != "" {
				if err == nil || !strings.Contains(err.Error(), row.err) {
					t.Errorf("expected an error with %q, found %v", row.err, err)
				}
				return
			}
			if got = strings.ReplaceAll(got, "arn:aws:dynamodb:"+dryrun.Region+":111122223333:table/T", "T"); err != nil || got != row.want {
				t.Errorf("expected %s, found %s, %v", row.want, got, err)
			}
		})
	}
}
