package policy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
)

func TestConditions(t *testing.T) {
	got := Partitions("USER#" + UserTag).And(Projected()).And(Written("PK", "SK"))
	want := Condition{
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
	tables := Tables{"T": "arn:aws:dynamodb:eu-west-1:111122223333:table/T"}
	for _, row := range []struct {
		name       string
		statements []Statement
		want, err  string
	}{
		{
			name:       "no scans",
			statements: NoScans(tables.Table("T")),
			want: `{"Version":"2012-10-17","Statement":[` +
				`{"Sid":"NoScan","Effect":"Deny","Principal":"*","Action":["dynamodb:Scan"],"Resource":["T","T/index/*"]},` +
				`{"Sid":"NoFullTableScanByPartiQL","Effect":"Deny","Principal":"*","Action":["dynamodb:PartiQLSelect"],"Resource":["T","T/index/*"],` +
				`"Condition":{"Bool":{"dynamodb:FullTableScan":["true"]}}}]}`,
		},
		{
			name:       "no scans but by one role",
			statements: NoScansButBy("admin", tables.Table("T")),
			want: `{"Version":"2012-10-17","Statement":[` +
				`{"Sid":"NoScan","Effect":"Deny","Principal":"*","Action":["dynamodb:Scan"],"Resource":["T"],` +
				`"Condition":{"StringNotEquals":{"aws:PrincipalTag/role":["admin"]}}},` +
				`{"Sid":"NoScanOfIndexes","Effect":"Deny","Principal":"*","Action":["dynamodb:Scan"],"Resource":["T/index/*"]},` +
				`{"Sid":"NoFullTableScanByPartiQL","Effect":"Deny","Principal":"*","Action":["dynamodb:PartiQLSelect"],"Resource":["T","T/index/*"],` +
				`"Condition":{"Bool":{"dynamodb:FullTableScan":["true"]}}}]}`,
		},
		{
			name:       "a table that the stack has not",
			statements: []Statement{{Sid: "S", Effect: Allow, Action: []string{"dynamodb:Query"}, Resource: []string{tables.Index("U", "I")}}},
			err:        `policy of role r, statement S: expected the ARN of a table of this stack, found "no table U/index/I"`,
		},
		{
			name:       "more than AWS takes",
			statements: []Statement{{Sid: strings.Repeat("s", maxRolePolicy)}},
			err:        "expected at most 6144 characters",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := document("role r", maxRolePolicy, row.statements)
			if row.err != "" {
				if err == nil || !strings.Contains(err.Error(), row.err) {
					t.Errorf("expected an error with %q, found %v", row.err, err)
				}
				return
			}
			if got = strings.ReplaceAll(got, tables["T"], "T"); err != nil || got != row.want {
				t.Errorf("expected %s, found %s, %v", row.want, got, err)
			}
		})
	}
}
