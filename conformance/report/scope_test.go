package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
)

func holds(t *testing.T, page string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		assert.Contains(t, page, want)
	}
}

func lacks(t *testing.T, page string, others ...string) {
	t.Helper()
	for _, other := range others {
		assert.NotContains(t, page, other)
	}
}

// What an author is given: each finding beside its first line, and named at its others.
func TestAuthorsAreFrozen(t *testing.T) {
	run := sample()
	lines := shopDocument.Documents["shop.md"]
	for i := range run.Designs[0].Results {
		if finding := run.Designs[0].Results[i].Finding; finding != nil && finding.Severity == "high" {
			finding.Instead = "Write 01 instead of 1."
			run.Designs[0].Results[i].Cite = "shop.md:7, 9"
		}
	}
	paper, err := AuthorOf(run, "shop", lines)
	require.NoError(t, err)
	var page, markdown strings.Builder
	require.NoError(t, paper.HTML(&page))
	require.NoError(t, paper.Markdown(&markdown))
	frozen(t, "author.md", markdown.String())
	holds(t, page.String(), "1 high", "title of finding/day-is-text", "sorts as text", "Write 01 instead of 1.", "no items", lines[0])
	lacks(t, page.String()+markdown.String(), "pads the day", "pattern/orders-of-a-day", ">pass<", "engine, 1") // what this project does, and its verdicts
	if line := paper.Lines[6]; len(line.Findings) != 1 || len(paper.Lines[8].About) != 1 {
		t.Errorf("expected the finding beside its first line, and named at its other one, found %+v and %+v", line, paper.Lines[8])
	}
	_, err = AuthorOf(run, "other", nil)
	assert.ErrorContains(t, err, "found one of shop, depot", "expected the designs of the run to be named")
	run.Designs[0].Results = []evidence.Result{run.Designs[0].Results[0]}
	_, err = AuthorOf(run, "shop", lines)
	assert.ErrorContains(t, err, "an audit does not", "expected a run without findings to be refused")
}

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

// What is at risk follows from what differs: an index that is missing loses answers, one too many costs, and a time to live that nobody
// documented loses items.
func TestRiskFollowsFromTheDifference(t *testing.T) {
	for _, row := range []struct {
		aspect, expected, found string
		want                    risk
	}{
		{"indexes", "GSI1, GSI2", "GSI1", riskReads},
		{"indexes", "GSI1", "none", riskReads},
		{"indexes", "GSI1", "GSI2", riskReads},
		{"indexes", "GSI1", "GSI1, GSI2", riskCost},
		{"indexes", "none", "GSI1", riskCost},
		{"ttl", "off", "on, by attribute ttl", riskData},
		{"ttl", "on, by attribute ttl", "off", riskCost},
		{"exists", "table Orders", "no such table", riskData},
		{"tags", "a", "b", riskNames},
	} {
		got := riskOf(evidence.Result{
			ID: "shop/table/Orders/" + row.aspect, Kind: "schema", Verdict: evidence.Fail,
			Problems: []evidence.Problem{{Expected: row.expected, Found: row.found}},
		})
		if got != row.want {
			t.Errorf("%s: expected %s, found %s: expected the risk %q, found %q", row.aspect, row.expected, row.found, row.want.Word, got.Word)
		}
	}
	committed, err := designs.Manifest()
	require.NoError(t, err)
	for _, claim := range committed {
		if got := riskOf(evidence.Result{ID: claim.ID, Kind: string(claim.Kind), Verdict: evidence.Fail}); claim.Kind == "schema" && got.Word == "" {
			t.Errorf("expected what a difference of %s puts at risk", claim.ID)
		}
	}
}
