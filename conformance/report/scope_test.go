package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/target"
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

// The first page says what the paper is about, what a pass does not say, and what is left open.
func TestTheFirstPageSaysItsLimits(t *testing.T) {
	run := sample()
	run.Guardrails = "enforce"
	failed := run.Designs[0].Results[3] // a finding that was not as described stays one of high severity
	failed.ID, failed.Verdict = "shop/finding/other", evidence.Fail
	failed.Problems = run.Designs[0].Results[0].Problems
	run.Designs[0].Results = append(run.Designs[0].Results, failed)
	run.Designs[1].Results[0].Basis = "chosen"
	run.Designs[1].Results[0].Departs = []string{"depot/finding/no-unit"}
	page := render(t, run, shopDocument)
	holds(t, page, "an emulator of DynamoDB in memory on the machine of the run (dynoxide 1.2.1)", "nothing of AWS took part", "guardrails: enforce", "one moment, not a period",
		"encryption, deletion of expired items", "Read by ____", "departures", `what was asked is not what the lines say, because of <a href="#/claim/depot/finding/no-unit">no-unit</a>`)
	values := map[string]string{}
	for _, point := range openPoints(run) {
		values[point.Label] = point.Value
	}
	for label, want := range map[string]string{"findings of high severity": "2", "waived": "1", "departures": "1", "chosen": "1", "unsupported": "1", "evidence of grade emulated": "1"} {
		assert.Equal(t, want, values[label], label)
	}
	differences, _ := differing(t, page, run)
	assert.Empty(t, differences, "%s", strings.Join(differences, "\n"))
}

// An audit asks a part, looks at no findings, and is stored under another name: its page must say so, and show no zeros.
func TestThePageOfAnAudit(t *testing.T) {
	run := sample()
	run.Target.Kind = target.KindEndpoint
	run.Designs = run.Designs[:1]
	run.Designs[0].Name, run.Designs[0].Stack = "fus-main", ""
	run.Designs[0].Results = run.Designs[0].Results[4:5]
	run.Designs[0].Results[0].ID, run.Designs[0].Results[0].Design = "fus-main/table/fus-main/key", "fus-main"
	page := render(t, run, HTMLOptions{Evidence: "audit.json"})
	holds(t, page, "tables as they stand at an endpoint on this machine", "more of these designs were not asked", "This run did not look at the findings in the documents", "Rendered from audit.json alone")
	lacks(t, page, "evidence.json.gz", "Findings in the documents", highFindings)
	holds(t, page, "|length&#39; audit.json</code>")
}

// Every Scan of the ledger stands in the table under its class, and one of no class stands first.
func TestScansByClass(t *testing.T) {
	run := sample()
	waived := &run.Designs[0].Results[5]
	waived.Waiver = "scan-orders"
	run.Designs[0].Waivers[0].Requests = 2
	for i, claim := range []string{waived.ID, waived.ID, "shop/finding/day-is-text", "shop/index/Orders/byDay", "depot/finding/no-unit"} {
		run.Ledger = append(run.Ledger, wire.Entry{Seq: 4 + i, Operation: "Scan", Claim: claim})
	}
	var found []string
	for _, row := range scanRows(run) {
		found = append(found, row.Class+" "+row.Claim+" "+row.Value+" "+row.Requests)
	}
	want := []string{"not accounted for shop/index/Orders/byDay 1 7", "waived shop/pattern/all-orders 2 4–5", "negative control depot/finding/no-unit 1 8", "hazard shown shop/finding/day-is-text 1 6"}
	if strings.Join(found, "\n") != strings.Join(want, "\n") {
		t.Errorf("expected\n%s\nfound\n%s", strings.Join(want, "\n"), strings.Join(found, "\n"))
	}
	page := render(t, run, HTMLOptions{})
	holds(t, page, "<td>hazard shown<th", "<td>negative control<th")
	differences, _ := differing(t, page, run)
	assert.Empty(t, differences, "%s", strings.Join(differences, "\n"))
}

// A step before which another client writes is told as that, not as a deletion.
func TestAnotherClientThatWritesDoesNotDelete(t *testing.T) {
	run := sample()
	kase := &run.Designs[0].Results[1].Pattern.Cases[0]
	kase.DeletedBefore = "read"
	holds(t, render(t, run, HTMLOptions{}), "Just before step read, another client writes; its requests stand in the ledger.")
	kase.Deleted = []string{"order-1"}
	holds(t, render(t, run, HTMLOptions{}), "Just before step read, another client deletes order-1.")
}

func TestTheHeadlineNamesTheFindings(t *testing.T) {
	for _, row := range []struct {
		results []evidence.Result
		want    string
	}{
		{[]evidence.Result{{Verdict: evidence.Pass}}, "conforms"},
		{[]evidence.Result{{Verdict: evidence.Pass}, {Verdict: evidence.Shown, Finding: &evidence.Finding{Severity: "high"}}, {Verdict: evidence.Told, Finding: &evidence.Finding{Severity: "low"}}}, "conforms; the document has 2 findings, 1 high"},
		{[]evidence.Result{{Verdict: evidence.Fail}, {Verdict: evidence.Told, Finding: &evidence.Finding{Severity: "low"}}}, "does not conform; the document has 1 finding, 0 high"},
		{[]evidence.Result{{Verdict: evidence.Shown, Finding: &evidence.Finding{Severity: "high"}}}, "could not tell; the document has 1 finding, 1 high"},
	} {
		assert.Equal(t, row.want, concluded(&evidence.Run{Designs: []evidence.Design{{Results: row.results}}}).Outcome)
	}
}

// What is cut off a long answer stands in the file that the run is stored in.
func TestALongAnswerNamesTheFileOfTheRun(t *testing.T) {
	for file, want := range map[string]string{"": EvidenceFile, AuditFile: AuditFile} {
		run := sample()
		run.Ledger[0].Response = json.RawMessage(`"` + strings.Repeat("a", 2*answerBytes) + `"`)
		holds(t, render(t, run, HTMLOptions{Evidence: file}), "bytes more; see request 1 in "+want)
	}
}

// A Scan that belongs to no claim is told as that, and leads nowhere.
func TestAScanOfNoClaimLeadsNowhere(t *testing.T) {
	run := sample()
	run.Ledger = append(run.Ledger, wire.Entry{Seq: 4, Operation: "Scan"})
	page := render(t, run, HTMLOptions{})
	holds(t, page, `<td>not accounted for<th scope="row">no claim<td>1<td>4`)
	assert.NotContains(t, page, `href="#/claim/"`)
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
