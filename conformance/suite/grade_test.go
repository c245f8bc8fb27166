package suite

import (
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
	"dynaproof/fixtures"
)

// A waiver whose last day is over covers nothing.
func TestAnExpiredWaiverFails(t *testing.T) {
	now := time.Now().UTC()
	for until, want := range map[string]evidence.Verdict{
		"": evidence.Waived, now.Format(time.DateOnly): evidence.Waived, now.AddDate(0, 0, 1).Format(time.DateOnly): evidence.Waived,
		now.AddDate(0, 0, -2).Format(time.DateOnly): evidence.Fail,
	} {
		design := &accesspatterns.Design{Name: "d", Waivers: []accesspatterns.Waiver{{ID: "w", Owner: "the admins", Until: until}}}
		o := Observation{claim: manifest.Claim{ID: "d/pattern/p", Waiver: "w"}, session: &Session{Input: Input{Design: design}}, count: 1}
		result := o.result()
		if result.Verdict != want {
			t.Errorf("until %q: expected %s, found %s", until, want, result.Verdict)
		}
		if want == evidence.Fail && (len(result.Problems) != 1 || result.Problems[0].Found != "one of the admins that expired after "+until) {
			t.Errorf("expected the owner and the last day, found %+v", result.Problems)
		}
	}
}

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
		var ledger fixedLedger
		if row.request != "" {
			ledger = fixedLedger{{Seq: 7, Operation: "CreateTable", Tables: []string{"t"}, Status: 200, Request: json.RawMessage(row.request)}}
		}
		s := &Session{Input: Input{Ledger: ledger, Deployment: Deployment{Tables: map[string]string{"T": "t"}}, Grade: evidence.Engine}}
		o := &Observation{claim: manifest.Claim{ID: "d/table/T/encryption"}, session: s}
		tableCheck{o}.encryptionAsked("table T", "T")
		result := o.result()
		if result.Verdict != row.want || result.Grade != row.grade {
			t.Errorf("%s: expected %s on evidence of grade %s, found %s on %s", row.name, row.want, row.grade, result.Verdict, result.Grade)
		}
		if row.found != "" && !strings.Contains(result.Problems[0].Found, row.found) {
			t.Errorf("%s: expected %q, found %+v", row.name, row.found, result.Problems)
		}
	}
}

// What the guard refuses has reached no engine, and is not evidence of one.
func TestARefusalOfTheGuardIsOfTheLibrary(t *testing.T) {
	design, err := designs.Find("fus-main")
	if err != nil {
		t.Fatal(err)
	}
	table := design.Tables[0].ID
	client := dynamodb.New(dynamodb.Options{Region: "eu-west-1"}, guard.Enforce(design, guard.WithTables(map[string]string{table: "t"}), guard.AnyRole(), guard.WithLogger(slog.New(slog.DiscardHandler))))
	name := "t"
	input := &dynamodb.ScanInput{TableName: &name}
	_, err = client.Scan(t.Context(), input)
	var refusal *guard.Refusal
	if !errors.As(err, &refusal) {
		t.Fatalf("expected the guard to refuse a Scan, found %v", err)
	}
	s := &Session{Input: Input{Ledger: fixedLedger{}, Grade: evidence.Engine}, recorder: &recorder{}}
	o := &Observation{claim: manifest.Claim{ID: "d/guardrail/g"}, session: s, rested: []evidence.Grade{evidence.Engine}}
	trialCheck{o}.refusedByGuard(t.Context(), "here", client, input, &fixtures.Expectation{Refused: string(refusal.Rule)}, remedy{})
	if result := o.result(); result.Verdict != evidence.Pass || result.Grade != evidence.Library {
		t.Errorf("expected a pass on evidence of grade library, found %s on %s: %+v", result.Verdict, result.Grade, result.Problems)
	}
}

// Every Scan stands in the notes under the class that it belongs to; one of no class fails.
func TestEveryScanIsAccountedFor(t *testing.T) {
	design := &accesspatterns.Design{
		Name:     "d",
		Patterns: []accesspatterns.Pattern{{ID: "all", Waiver: "w", Steps: []accesspatterns.Step{{Name: "read", Read: &accesspatterns.Read{Operation: accesspatterns.OpScan, Table: "T"}}}}, {ID: "other"}},
		Waivers:  []accesspatterns.Waiver{{ID: "w"}},
		Findings: []accesspatterns.Finding{{ID: "late", Kind: accesspatterns.Hazard}, {ID: "scans", Kind: accesspatterns.Contradiction}},
	}
	var ledger byInvocation
	s := &Session{Input: Input{Design: design, Grade: evidence.Engine, Deployment: Deployment{Tables: map[string]string{"T": "t"}}}, recorder: &recorder{}}
	for i, claim := range []string{"d/pattern/all", "d/finding/late", "d/finding/scans", "d/pattern/other"} {
		id := string(rune('a' + i))
		ledger = append(ledger, wire.Entry{Seq: i + 1, Operation: "Scan", Tables: []string{"t"}, InvocationID: id, Status: 200})
		s.recorder.calls = append(s.recorder.calls, call{claim: claim, operation: "Scan", invocation: id})
	}
	s.Ledger = ledger
	o := &Observation{claim: manifest.Claim{ID: "d/ledger/no-scan"}, session: s}
	checkNoScan(t.Context(), s, o)
	notes := strings.Join(o.notes, "\n")
	for _, want := range []string{"waived: 1 by waiver w", "hazard shown: request 2, Scan on t, of d/finding/late", "negative control: request 3, Scan on t, the documented form that d/finding/scans objects to"} {
		if !strings.Contains(notes, want) {
			t.Errorf("expected %q, found\n%s", want, notes)
		}
	}
	if len(o.problems) != 1 || !strings.Contains(o.problems[0].Where, "request 4 (d/pattern/other)") {
		t.Errorf("expected the Scan of no class to fail, found %+v", o.problems)
	}
}

// byInvocation is a ledger that finds entries by their invocation.
type byInvocation []wire.Entry

func (l byInvocation) Len() int                   { return len(l) }
func (l byInvocation) Entries(n int) []wire.Entry { return l[n:] }
func (l byInvocation) Find(id string) []wire.Entry {
	var found []wire.Entry
	for _, entry := range l {
		if entry.InvocationID == id {
			found = append(found, entry)
		}
	}
	return found
}
