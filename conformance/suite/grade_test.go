package suite

import (
	"strings"
	"testing"

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
