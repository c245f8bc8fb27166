package suite

import (
	"encoding/json"
	"strings"
	"testing"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/ledgertest"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/session"
)

// A table is whole when the request that created it named all of its indexes.
func TestTablesAreCreatedWhole(t *testing.T) {
	entry := func(seq int, operation, request string) wire.Entry {
		return wire.Entry{Seq: seq, Operation: operation, Tables: []string{"t"}, Status: 200, Request: json.RawMessage(request)}
	}
	both := entry(1, "CreateTable", `{"GlobalSecondaryIndexes": [{"IndexName": "b"}, {"IndexName": "a"}]}`)
	one := entry(1, "CreateTable", `{"GlobalSecondaryIndexes": [{"IndexName": "a"}]}`)
	later := entry(2, "UpdateTable", `{"GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "b"}}]}`)
	refused := later
	refused.Status = 400
	for _, row := range []struct {
		name   string
		ledger ledgertest.Entries
		want   evidence.Verdict
		found  string
	}{
		{"with its indexes", ledgertest.Entries{both}, evidence.Pass, ""},
		{"without one of them", ledgertest.Entries{one}, evidence.Fail, "a"},
		{"without one that came later", ledgertest.Entries{one, later}, evidence.Fail, "b, by request 2"},
		{"with them, and changed later", ledgertest.Entries{both, later}, evidence.Fail, "b, by request 2"},
		{"with them, and a change that was refused", ledgertest.Entries{both, refused}, evidence.Pass, ""},
		{"with them, and deletion protection", ledgertest.Entries{both, entry(2, "UpdateTable", `{"DeletionProtectionEnabled": true}`)}, evidence.Pass, ""},
		{"made by another than was removed", ledgertest.Entries{one, later, entry(3, "CreateTable", string(both.Request))}, evidence.Pass, ""},
		{"before the run", nil, evidence.Unsupported, "saw no request that created the table"},
	} {
		s := &session.Session{Input: session.Input{Ledger: row.ledger, Deployment: session.Deployment{Tables: map[string]string{"T": "t"}}, Grade: evidence.Engine}}
		o := &observe.Observation{Claim: manifest.Claim{ID: "d/guardrail/g"}, Session: s}
		createdWhole(o, &accesspatterns.Table{ID: "T", Indexes: []accesspatterns.Index{{Name: "a"}, {Name: "b"}}})
		result := o.Result()
		if result.Verdict != row.want || row.found != "" && !strings.Contains(result.Problems[len(result.Problems)-1].Found, row.found) {
			t.Errorf("%s: expected %s with %q, found %s: %+v", row.name, row.want, row.found, result.Verdict, result.Problems)
		}
	}
}
