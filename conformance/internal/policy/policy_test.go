package policy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
)

const (
	tableARN = "arn:aws:dynamodb:eu-west-1:111122223333:table/T"
)

// one is a document of one statement, whose elements are given as JSON members.
func one(members string) string {
	return `{"Version": "2012-10-17", "Statement": [{` + members + `}]}`
}

func allow(resource, condition string) string {
	members := fmt.Sprintf(`"Sid": "S", "Effect": "Allow", "Action": "dynamodb:Query", "Resource": %q`, resource)
	if condition != "" {
		members += `, "Condition": ` + condition
	}
	return one(members)
}

func kindOf(ofTable bool) Kind {
	if ofTable {
		return Resource
	}
	return Identity
}

func TestParseRefusesWhatIAMRefuses(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name, Text string
		Table      bool // attached to a table, and not to a role
		Want       string
	}](t, "refused.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			if _, err := Parse(row.Text, kindOf(row.Table)); err == nil || !strings.Contains(err.Error(), row.Want) {
				t.Errorf("expected an error with %q, found %v", row.Want, err)
			}
		})
	}
}

// What IAM accepts and is not known here leaves the requests undecided that turn on it, and no others.
func TestWhatIsNotKnownIsUndecided(t *testing.T) {
	const rest = `"Action": "dynamodb:Query", "Resource": "*"`
	_, err := Parse(one(`"Effect": "Allow", "Action": "dynamodb:Query", "Resource": "*", "Condition": {"StringEquals": {"dynamodb:Select": "x"}}`), Identity)
	require.NoError(t, err)
	for _, row := range tabletest.Read[[]struct {
		Name, Text string
		Table      bool // attached to a table, and not to a role
		Want       string
	}](t, "undecided.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			document, err := Parse(row.Text, kindOf(row.Table))
			require.NoError(t, err)
			decide := func(action string, besides ...string) Outcome {
				documents := []*Document{document}
				for _, text := range besides {
					other, err := Parse(text, Identity)
					require.NoError(t, err)
					documents = append(documents, other)
				}
				return Evaluate(Request{Action: action, Resource: tableARN}, documents...)
			}
			if got := decide("dynamodb:Query"); got.Decision != Undecided || got.Denied() || !strings.Contains(got.String(), row.Want) {
				t.Errorf("expected it undecided with %q, found %s", row.Want, got)
			}
			if got := decide("dynamodb:Scan"); got.Decision != ImplicitDeny {
				t.Errorf("expected what it does not speak of to be denied, found %s", got)
			}
			if got := decide("dynamodb:Query", allow("*", "")); got.Decision != Allowed {
				t.Errorf("expected what another statement allows to be allowed, found %s", got)
			}
			if got := decide("dynamodb:Query", one(`"Effect": "Deny", `+rest)); got.Decision != ExplicitDeny {
				t.Errorf("expected what another statement denies to be denied, found %s", got)
			}
			text := strings.Replace(row.Text, `"Allow"`, `"Deny"`, 1)
			if document, err = Parse(text, kindOf(row.Table)); err != nil {
				t.Fatal(err)
			}
			if got := decide("dynamodb:Query", allow("*", "")); got.Decision != Undecided {
				t.Errorf("expected a denial of what is allowed to be undecided, found %s", got)
			}
			if got := decide("dynamodb:Query"); got.Decision != ImplicitDeny {
				t.Errorf("expected a denial of what nobody allows to be denied, found %s", got)
			}
		})
	}
}

// Several problems are one error, so that one run shows them all.
func TestParseCollects(t *testing.T) {
	_, err := Parse(one(`"Effect": "x", "Action": "a", "Resource": "T"`), Identity)
	for _, want := range []string{`found "x"`, `found "a"`, `found "T"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("expected an error with %q, found %v", want, err)
		}
	}
}

func TestEvaluate(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name, Version      string
		Identity, Attached map[string]any // the statement of the policy
		Resource           string
		Context            Context
		Want               Decision
	}](t, "evaluated.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			parse := func(statement map[string]any, kind Kind) *Document {
				policy := map[string]any{"Version": cmp.Or(row.Version, "2012-10-17"), "Statement": []any{statement}}
				if row.Version == "none" {
					delete(policy, "Version")
				}
				text, err := json.Marshal(policy)
				require.NoError(t, err)
				document, err := Parse(string(text), kind)
				require.NoError(t, err)
				return document
			}
			documents := []*Document{parse(row.Identity, Identity)}
			if row.Attached != nil {
				documents = append(documents, parse(row.Attached, Resource))
			}
			got := Evaluate(Request{Action: "dynamodb:Query", Resource: cmp.Or(row.Resource, tableARN), Context: row.Context}, documents...)
			if got.Decision != row.Want {
				t.Errorf("expected %s, found %s", row.Want, got)
			}
			if row.Want != ImplicitDeny && got.Statement == "" {
				t.Error("expected the statement that decides, found none")
			}
		})
	}
}
