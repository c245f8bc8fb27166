package schema

import (
	"encoding/json"
	"strings"
	"testing"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/ledgertest"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/session"
)

// The local engine does not encrypt, so the claim rests on what the stack asked for.
func TestEncryptionIsWhatTheStackAskedFor(t *testing.T) {
	for _, row := range []struct {
		name, request string
		want          evidence.Verdict
		grade         evidence.Grade
		found         string
	}{
		{"no key asked for", `{"TableName": "t"}`, evidence.Pass, evidence.Static, ""},
		{"the key that AWS manages", `{"SSESpecification": {"Enabled": true, "SSEType": "KMS"}}`, evidence.Pass, evidence.Static, ""},
		{"a customer's key", `{"SSESpecification": {"Enabled": true, "KMSMasterKeyId": "alias/ours"}}`, evidence.Fail, evidence.Static, "alias/ours"},
		{"created by somebody else", "", evidence.Unsupported, evidence.Static, "does not say how it encrypts"},
	} {
		var ledger ledgertest.Entries
		if row.request != "" {
			ledger = ledgertest.Entries{{Seq: 7, Operation: "CreateTable", Tables: []string{"t"}, Status: 200, Request: json.RawMessage(row.request)}}
		}
		s := &session.Session{Input: session.Input{Ledger: ledger, Deployment: session.Deployment{Tables: map[string]string{"T": "t"}}, Grade: evidence.Engine}}
		o := &observe.Observation{Claim: manifest.Claim{ID: "d/table/T/encryption"}, Session: s}
		tableCheck{o}.encryptionAsked("table T", "T")
		result := o.Result()
		if result.Verdict != row.want || result.Grade != row.grade {
			t.Errorf("%s: expected %s on evidence of grade %s, found %s on %s", row.name, row.want, row.grade, result.Verdict, result.Grade)
		}
		if row.found != "" && !strings.Contains(result.Problems[0].Found, row.found) {
			t.Errorf("%s: expected %q, found %+v", row.name, row.found, result.Problems)
		}
	}
}
