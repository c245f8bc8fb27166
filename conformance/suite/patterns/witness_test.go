package patterns

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/ledgertest"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/session"
)

func TestShowPartition(t *testing.T) {
	const names, values = `"ExpressionAttributeNames": {"#n0": "PK", "#n1": "SK"}`, `"ExpressionAttributeValues": {":v0": {"S": "a"}, ":v1": {"S": "b"}}`
	const one = "PK equal to one value"
	for _, row := range []struct{ name, condition, given, want string }{
		{"partition alone", "#n0 = :v0", names + `, ` + values, one},
		{"with a prefix", "#n0 = :v0 AND begins_with(#n1, :v1)", names + `, ` + values, one},
		{"with an exact sort key", "#n1 = :v1 AND (#n0 = :v0)", names + `, ` + values, one},
		{"names as they are", "PK = :v0", values, one},
		{"no equality", "#n0 BETWEEN :v0 AND :v1", names + `, ` + values, "no value for PK"},
		{"the sort key alone", "#n1 = :v0", names + `, ` + values, "no value for PK"},
		{"no condition", "", names + `, ` + values, "no value for PK"},
		{"two values", "#n0 = :v0 AND #n0 = :v1", names + `, ` + values, "expected one value for PK, found two"},
		{"either of two values", "#n0 = :v0 OR #n0 = :v1", names + `, ` + values, "joined by AND"},
		{"a value within another", "#n1 <> :v0 AND NOT #n0 = :v1", names + `, ` + values, "joined by AND"},
		{"a value that is not given", "#n0 = :v2", names + `, ` + values, "every :value"},
		{"no JSON", "#n0 = :v0", `"`, "unexpected end"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := ShowPartition(wire.Entry{KeyConditionExpression: row.condition, Request: fmt.Appendf(nil, `{"KeyConditionExpression": %q, %s}`, row.condition, row.given)}, "PK"); !strings.Contains(got, row.want) || (got == one) != (row.want == one) {
				t.Errorf("expected %q, found %q", row.want, got)
			}
		})
	}
}

// Text that must not be in any response is not absent from a response that the
// ledger does not hold.
func TestNotReturned(t *testing.T) {
	for _, row := range []struct {
		name     string
		response string
		want     evidence.Verdict
	}{
		{"without the text", `{"Items": []}`, evidence.Pass},
		{"with the text", `{"Items": [{"note": {"S": "secret"}}]}`, evidence.Fail},
		{"with the text, escaped", `{"Items": [{"note": {"M": {"deep": {"S": "d\u00e9prim\u00e9: \"s\u0065cret\"\n"}}}}]}`, evidence.Fail},
		{"with the text as a name", `{"Items": [{"secret": {"S": "x"}}]}`, evidence.Fail},
		{"a response that was not kept", "", evidence.Indeterminate},
	} {
		t.Run(row.name, func(t *testing.T) {
			entry := wire.Entry{Seq: 1, InvocationID: "x"}
			if row.response != "" {
				entry.Response = []byte(row.response)
			}
			session := &session.Session{Input: session.Input{Ledger: ledgertest.Entries{entry}}}
			o := &observe.Observation{Session: session}
			r := &replay{s: session, o: o}
			r.c.NotReturned = []string{"secret"}
			r.unseen("here", []string{"x"})
			assert.Equal(t, row.want, o.Result().Verdict)
		})
	}
}

// A request in the form from before expressions has filters that no expression
// shows.
func TestWitnessedSeesLegacyParameters(t *testing.T) {
	table := &accesspatterns.Table{ID: "t", PartitionKey: accesspatterns.Key{Attribute: "PK", Type: dynamo.String}}
	read := &accesspatterns.Read{Operation: dynamo.Query, Table: "t", Partition: designtest.Equals("PK", "x")}
	entry := wire.Entry{
		Operation: "Query", Tables: []string{"t"}, KeyConditionExpression: "PK = :v", Request: []byte(`{}`), LegacyParameters: []string{"QueryFilter"},
	}
	o := &observe.Observation{}
	witnessedEntry(o, "here", read, table, "t", entry)
	if got := fmt.Sprint(o.Result().Problems); !strings.Contains(got, "QueryFilter") {
		t.Errorf("expected the legacy parameter to be named, got %s", got)
	}
}
