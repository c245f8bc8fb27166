package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/conformance/evidence"
)

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
	if _, err := AuthorOf(run, "other", nil); err == nil || !strings.Contains(err.Error(), "found one of shop, depot") {
		t.Errorf("expected the designs of the run to be named, found %v", err)
	}
	run.Designs[0].Results = []evidence.Result{run.Designs[0].Results[0]}
	if _, err := AuthorOf(run, "shop", lines); err == nil || !strings.Contains(err.Error(), "an audit does not") {
		t.Errorf("expected a run without findings to be refused, found %v", err)
	}
}
