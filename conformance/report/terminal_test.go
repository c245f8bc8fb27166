package report

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
)

// summary renders a run as it would look in a pipe.
func summary(run *evidence.Run) string {
	var out bytes.Buffer
	Terminal(&out, run, false)
	return out.String()
}

// decided is a run of designs in which all claims pass.
func decided(t *testing.T, of []string) *evidence.Run {
	t.Helper()
	run := &evidence.Run{}
	for _, name := range of {
		design, err := designs.Find(name)
		require.NoError(t, err)
		examined := evidence.Design{Name: name}
		for _, claim := range manifest.Claims(design) {
			examined.Results = append(examined.Results, evidence.Result{
				ID: claim.ID, Design: claim.Design, Kind: string(claim.Kind), Title: claim.Title, Cite: claim.Cite,
				Verdict: evidence.Pass, Grade: evidence.Engine, Observations: 1,
			})
		}
		run.Designs = append(run.Designs, examined)
	}
	return run
}

// words are what jq says of claims in short.
const words = `
	def results: .designs[].results[];
	def fails(where; expected; found): .verdict = "fail" | .problems = [{where: where, expected: expected, found: found, cite: .cite}];
	def found(verdict; severity): {kind: "finding", verdict: verdict, finding: {kind: "hazard", severity: severity, literal: "", resolved: ""}};
	def claim(id; change): (results | select(.id == id)) |= change;
`

func TestWhatIsSaidOfRuns(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Reason                                 string
		Of                                     []string
		Shop, All, Documents                   bool
		Run, N                                 string
		Says, Never, Once                      []string
		Aligned, Markdown                      []string
		Often, Passed, Passes, Begins, Outcome string
		Evidence                               string
		Page, Unpaged, Scans, Causes           []string
		Open, Only                             map[string]string
		Shown                                  map[string][]string
	}](t, "runs.yaml") {
		t.Run(row.Reason, func(t *testing.T) {
			before := decided(t, row.Of)
			if row.Shop {
				before = sample()
			}
			run := tabletest.As[*evidence.Run](t, tabletest.JQ(t, words+cmp.Or(row.Run, "."), before))
			var out, markdown bytes.Buffer
			Terminal(&out, run, row.All)
			require.NoError(t, writeText(&markdown, "summary.md.tmpl", run))
			text, aligned := out.String(), strings.Join(strings.Fields(out.String()), " ")
			n := tabletest.JQ(t, words+cmp.Or(row.N, "0"), before)
			rest, counted := text, strings.NewReplacer("{n}", fmt.Sprint(n))
			for _, word := range row.Says {
				_, behind, stands := strings.Cut(rest, counted.Replace(word))
				require.True(t, stands, "expected %q behind the words before it in\n%s", counted.Replace(word), text)
				rest = behind
			}
			lacks(t, text, row.Never...)
			for _, word := range row.Once {
				assert.Equal(t, 1, strings.Count(text, word), "%q in\n%s", word, text)
			}
			for _, word := range row.Aligned {
				assert.Contains(t, aligned, word)
			}
			for _, line := range row.Markdown {
				assert.Contains(t, markdown.String(), line)
			}
			if row.Often != "" {
				assert.EqualValues(t, n, strings.Count(text, row.Often), row.Often)
			}
			if row.Passed != "" {
				assert.Equal(t, counted.Replace(row.Passed), said("passed", run))
			}
			assert.Contains(t, said("passed", run), row.Passes)
			assert.True(t, strings.HasPrefix(text, row.Begins), text)
			if row.Outcome != "" {
				assert.Equal(t, row.Outcome, concluded(run).Outcome)
			}
			if len(row.Page)+len(row.Unpaged)+len(row.Shown) > 0 {
				options := map[bool]HTMLOptions{true: shopDocument}[row.Documents]
				options.Evidence = row.Evidence
				page := render(t, run, options)
				holds(t, page, row.Page...)
				lacks(t, page, row.Unpaged...)
				for name, texts := range row.Shown {
					shown := shownIn(t, page, name)
					holds(t, shown, texts...)
					if only := row.Only[name]; only != "" {
						assert.Equal(t, 1, strings.Count(shown, only), only)
					}
				}
				if row.Evidence == "" {
					differences, _ := differing(t, page, run)
					assert.Empty(t, differences)
				}
			}
			points := map[string]string{}
			for _, point := range openPoints(run) {
				if points[point.Label] = point.Value; point.Accepted != "" {
					points[point.Label] += ", accepted " + point.Accepted
				}
			}
			for label, want := range row.Open {
				assert.Equal(t, want, points[label], label)
			}
			if row.Scans != nil {
				var scans []string
				for _, scan := range scanRows(run) {
					scans = append(scans, strings.Join([]string{scan.Class, scan.Claim, scan.Value, scan.Requests}, " "))
				}
				assert.Equal(t, row.Scans, scans)
			}
			if row.Causes != nil {
				page := newPage(run, HTMLOptions{}, false)
				var causes []string
				for _, cause := range append(page.RootCauses, page.Unanswered...) {
					text := cause.Claim.ID
					for _, consequence := range cause.Consequences {
						text += " > " + consequence.Short
					}
					causes = append(causes, text)
				}
				assert.Equal(t, row.Causes, causes)
			}
		})
	}
}

// shownIn is the text of the elements of a page that have a name, or of the one that has an id.
func shownIn(t *testing.T, page, name string) (text string) {
	t.Helper()
	for _, node := range elements(t, page, func(n *html.Node) bool { return n.Data == name || "#"+attribute(n, "id") == name }) {
		text += content(node) + "\n"
	}
	return text
}

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
