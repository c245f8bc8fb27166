package suite

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/ledgertest"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/recorder"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// Every Scan stands in the notes under the class that it belongs to; one of no class fails.
func TestEveryScanIsAccountedFor(t *testing.T) {
	design := &accesspatterns.Design{
		Name:     "d",
		Patterns: []accesspatterns.Pattern{{ID: "all", Waiver: "w", Steps: []accesspatterns.Step{{Name: "read", Read: &accesspatterns.Read{Operation: dynamo.Scan, Table: "T"}}}}, {ID: "other"}},
		Waivers:  []accesspatterns.Waiver{{ID: "w"}},
		Findings: []accesspatterns.Finding{{ID: "late", Kind: accesspatterns.Hazard}, {ID: "scans", Kind: accesspatterns.Contradiction}},
	}
	var ledger ledgertest.Entries
	var calls []recorder.Call
	s := &session.Session{Input: session.Input{Design: design, Grade: evidence.Engine, Deployment: session.Deployment{Tables: map[string]string{"T": "t"}}}}
	for i, claim := range []string{"d/pattern/all", "d/finding/late", "d/finding/scans", "d/pattern/other"} {
		id := string(rune('a' + i))
		ledger = append(ledger, wire.Entry{Seq: i + 1, Operation: "Scan", Tables: []string{"t"}, InvocationID: id, Status: 200})
		calls = append(calls, recorder.Call{Claim: claim, Operation: "Scan", Invocation: id})
	}
	s.Ledger, s.Recorder = ledger, recorder.New(calls...)
	o := &observe.Observation{Claim: manifest.Claim{ID: "d/ledger/no-scan"}, Session: s}
	checkNoScan(t.Context(), s, o)
	notes := strings.Join(o.Report.Notes, "\n")
	for _, want := range []string{"waived: 1 by waiver w", "hazard shown: request 2, Scan on t, of d/finding/late", "negative control: request 3, Scan on t, the documented form that d/finding/scans objects to"} {
		assert.Contains(t, notes, want)
	}
	if len(o.Problems) != 1 || !strings.Contains(o.Problems[0].Where, "request 4 (d/pattern/other)") {
		t.Errorf("expected the Scan of no class to fail, found %+v", o.Problems)
	}
}

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

// A design that could not be deployed is an error of each claim, with the
// reason.
func TestRunWithoutASession(t *testing.T) {
	result := Decide(t.Context(), manifest.Claim{ID: "d/x"}, nil, errors.New("on purpose"))
	if result.Verdict != evidence.Error || !strings.Contains(Message(result), "on purpose") {
		t.Errorf("expected an error with its reason, got %s", Message(result))
	}
}

func TestNumbered(t *testing.T) {
	got := fixtures.Numbered(accesspatterns.Item{
		"SK": &types.AttributeValueMemberS{Value: "WORKOUT#{n}"}, "n": &types.AttributeValueMemberN{Value: "{n}"}, "ok": &types.AttributeValueMemberBOOL{Value: true},
	}, 7)
	want := accesspatterns.Item{
		"SK": &types.AttributeValueMemberS{Value: "WORKOUT#7"}, "n": &types.AttributeValueMemberN{Value: "7"}, "ok": &types.AttributeValueMemberBOOL{Value: true},
	}
	if differences := dynamo.Differences(want, got); len(differences) > 0 {
		t.Error(differences)
	}
}
