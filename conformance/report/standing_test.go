package report

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dynaproof/conformance/evidence"
)

func TestStandings(t *testing.T) {
	stated := evidence.Result{Verdict: evidence.Pass, Basis: "stated"}
	implied := evidence.Result{Verdict: evidence.Pass, Basis: "implied"}
	otherwise := evidence.Result{Verdict: evidence.Pass, Basis: "stated", Departs: []string{"d/finding/f"}}
	waived := evidence.Result{Verdict: evidence.Waived, Basis: "stated"}
	contradiction := evidence.Result{Verdict: evidence.Told, Finding: &evidence.Finding{Kind: "contradiction", Severity: "low"}}
	hazard := evidence.Result{ID: "d/finding/f", Verdict: evidence.Shown, Finding: &evidence.Finding{Kind: "hazard", Severity: "high"}}
	for _, row := range []struct {
		name    string
		results []evidence.Result
		want    Standing
	}{
		{"nothing rests on it", nil, ""},
		{"its words were held", []evidence.Result{stated, implied, hazard}, Held},
		{"what passed is not stated", []evidence.Result{implied, {Verdict: evidence.Pass, Basis: "chosen"}, hazard}, Implied},
		{"another form passed", []evidence.Result{stated, otherwise, hazard}, HeldOtherwise},
		{"another form passed, because of another line", []evidence.Result{stated, otherwise}, Held},
		{"a waiver", []evidence.Result{stated, waived}, "waived"},
		{"a finding alone is no pass", []evidence.Result{hazard}, FindingOnly},
		{"contradicted", []evidence.Result{hazard, contradiction}, Contradicted},
		{"a failure beside passes", []evidence.Result{stated, {Verdict: evidence.Unsupported}, {Verdict: evidence.Fail}}, "fail"},
		{"not run", []evidence.Result{stated, {}}, NotRun},
	} {
		assert.Equal(t, row.want, StandingOf(row.results), row.name)
	}
	assert.Equal(t, "high", worstFinding([]evidence.Result{stated, contradiction, hazard}), "expected the highest severity")
}
