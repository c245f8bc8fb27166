package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/tabletest"
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
	assert.Len(t, paper.Lines[6].Findings, 1, "expected the finding beside its first line")
	assert.Len(t, paper.Lines[8].About, 1, "expected it to be named at its other one")
	_, err = AuthorOf(run, "other", nil)
	assert.ErrorContains(t, err, "found one of shop, depot", "expected the designs of the run to be named")
	run.Designs[0].Results = []evidence.Result{run.Designs[0].Results[0]}
	_, err = AuthorOf(run, "shop", lines)
	assert.ErrorContains(t, err, "an audit does not", "expected a run without findings to be refused")
}

// standings are how lines stand, and what differences put at risk.
type standings struct {
	Results any
	Rows    []struct {
		Name    string
		Results []any
		Want    Standing
		Worst   string
	}
	Risks []struct{ Aspect, Expected, Found, Want string }
}

func TestStandings(t *testing.T) {
	for _, row := range tabletest.Read[standings](t, "standings.yaml").Rows {
		var results []evidence.Result
		for _, result := range row.Results {
			results = append(results, tabletest.As[evidence.Result](t, result))
		}
		assert.Equal(t, row.Want, StandingOf(results), row.Name)
		if row.Worst != "" {
			assert.Equal(t, row.Worst, worstFinding(results), row.Name)
		}
	}
}

// What is at risk follows from what differs: an index that is missing loses answers, one too many costs, and a time to live that nobody
// documented loses items.
func TestRiskFollowsFromTheDifference(t *testing.T) {
	for _, row := range tabletest.Read[standings](t, "standings.yaml").Risks {
		got := riskOf(evidence.Result{
			ID: "shop/table/Orders/" + row.Aspect, Kind: "schema", Verdict: evidence.Fail,
			Problems: []evidence.Problem{{Expected: row.Expected, Found: row.Found}},
		})
		assert.True(t, strings.HasPrefix(got.Word, row.Want), "%s: expected %s, found %s: a risk of %q", row.Aspect, row.Expected, row.Found, got.Word)
	}
	committed, err := designs.Manifest()
	require.NoError(t, err)
	for _, claim := range committed {
		got := riskOf(evidence.Result{ID: claim.ID, Kind: string(claim.Kind), Verdict: evidence.Fail})
		assert.True(t, claim.Kind != "schema" || got.Word != "", "expected what a difference of %s puts at risk", claim.ID)
	}
}
