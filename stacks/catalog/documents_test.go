package catalog_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"

	"dynaproof/stacks/dryrun"
	"dynaproof/stacks/environment"
	"dynaproof/stacks/policy"
)

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
