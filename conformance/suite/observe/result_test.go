package observe

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/batch"
	"dynaproof/conformance/suite/session"
)

// A waiver whose last day is over covers nothing.
func TestAnExpiredWaiverFails(t *testing.T) {
	now := time.Now().UTC()
	for until, want := range map[string]evidence.Verdict{
		"": evidence.Waived, now.Format(time.DateOnly): evidence.Waived, now.AddDate(0, 0, 1).Format(time.DateOnly): evidence.Waived,
		now.AddDate(0, 0, -2).Format(time.DateOnly): evidence.Fail,
	} {
		design := &accesspatterns.Design{Name: "d", Waivers: []accesspatterns.Waiver{{ID: "w", Owner: "the admins", Until: until}}}
		o := Observation{Claim: manifest.Claim{ID: "d/pattern/p", Waiver: "w"}, Session: &session.Session{Input: session.Input{Design: design}}, Count: 1}
		result := o.Result()
		assert.Equal(t, want, result.Verdict, "until %q", until)
		if want == evidence.Fail && (len(result.Problems) != 1 || result.Problems[0].Found != "one of the admins that expired after "+until) {
			t.Errorf("expected the owner and the last day, found %+v", result.Problems)
		}
	}
}

// A claim that nothing was observed for never passes, and a weaker witness
// never looks like a stronger one.
func TestResult(t *testing.T) {
	claim := manifest.Claim{ID: "d/x", Title: "x", Cite: "d.md:1"}
	waived := claim
	waived.Waiver = "w"
	finding := claim
	finding.Kind = manifest.KindFinding
	for _, row := range []struct {
		name string
		o    Observation
		want evidence.Verdict
	}{
		{"nothing observed", Observation{Claim: claim}, evidence.Indeterminate},
		{"observed", Observation{Claim: claim, Count: 1}, evidence.Pass},
		{"observed under a waiver", Observation{Claim: waived, Count: 1}, evidence.Waived},
		{"nothing observed under a waiver", Observation{Claim: waived}, evidence.Indeterminate},
		{"a problem", Observation{Claim: claim, Count: 1, Problems: []evidence.Problem{{}}}, evidence.Fail},
		{"a problem under a waiver", Observation{Claim: waived, Count: 1, Problems: []evidence.Problem{{}}}, evidence.Fail},
		{"a problem and something that broke", Observation{Claim: claim, Count: 1, Problems: []evidence.Problem{{}}, Instead: evidence.Error}, evidence.Fail},
		{"something that broke after an observation", Observation{Claim: claim, Count: 1, Instead: evidence.Error}, evidence.Error},
		{"a finding that requests have shown", Observation{Claim: finding, Count: 1, Report: evidence.Result{Finding: &evidence.Finding{}}}, evidence.Shown},
		{"a finding that the text alone tells", Observation{Claim: finding, Count: 1, Report: evidence.Result{Finding: &evidence.Finding{Static: "the text is absent"}}}, evidence.Told},
		{"a finding of which nothing was observed", Observation{Claim: finding, Report: evidence.Result{Finding: &evidence.Finding{}}}, evidence.Indeterminate},
		{"a finding that is not so", Observation{Claim: finding, Count: 1, Problems: []evidence.Problem{{}}}, evidence.Fail},
		{"an engine that cannot answer", Observation{Claim: claim, Instead: evidence.Unsupported}, evidence.Unsupported},
	} {
		t.Run(row.name, func(t *testing.T) {
			assert.Equal(t, row.want, row.o.Result().Verdict)
		})
	}
	o := Observation{Claim: claim, Count: 1, Weaker: evidence.Emulated}
	assert.Equal(t, evidence.Emulated, o.Result().Grade, "expected the weaker grade")
}

// A batch of which a part is never done says that the table is throttled, and decides nothing.
func TestAnUnprocessedBatchDecidesNothing(t *testing.T) {
	o := Observation{}
	o.Request("a batch", fmt.Errorf("2 for table t of a batch %w after 50 attempts", batch.ErrUnprocessed))
	assert.Equal(t, evidence.Indeterminate, o.Result().Verdict)
}

// A pass of a pattern that asks for something else than the text says must say so.
func TestDepartures(t *testing.T) {
	design := &accesspatterns.Design{Name: "d", Findings: []accesspatterns.Finding{
		{ID: "scan", Claims: []string{"pattern/list", "pattern/get"}, Departs: []string{"pattern/list"}},
		{ID: "order", Claims: []string{"pattern/list"}, Departs: []string{"pattern/list"}},
	}}
	s := &session.Session{Input: session.Input{Design: design}}
	for id, want := range map[string][]string{"d/pattern/list": {"d/finding/scan", "d/finding/order"}, "d/pattern/get": nil} {
		o := Observation{Claim: manifest.Claim{ID: id, Kind: manifest.KindPattern}, Session: s, Count: 1}
		if result := o.Result(); !slices.Equal(result.Departs, want) || result.Verdict != evidence.Pass {
			t.Errorf("%s: expected a pass that departs because of %v, found %s, %v", id, want, result.Verdict, result.Departs)
		}
	}
}
