package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
)

// summary renders a run as it would look in a pipe.
func summary(run *evidence.Run) string {
	var out bytes.Buffer
	Terminal(&out, run, false)
	return out.String()
}

// decided returns the results of a design with one verdict for all claims, and
// another for those that match.
func decided(t *testing.T, name string, change func(*evidence.Result)) []evidence.Result {
	t.Helper()
	design, err := designs.Find(name)
	require.NoError(t, err)
	var results []evidence.Result
	for _, claim := range manifest.Claims(design) {
		result := evidence.Result{
			ID: claim.ID, Design: claim.Design, Kind: string(claim.Kind), Title: claim.Title, Cite: claim.Cite,
			Verdict: evidence.Pass, Grade: evidence.Engine, Observations: 1,
		}
		change(&result)
		results = append(results, result)
	}
	return results
}

func fail(result *evidence.Result, where, expected, found string) {
	result.Verdict = evidence.Fail
	result.Problems = []evidence.Problem{{Where: where, Expected: expected, Found: found, Cite: result.Cite}}
}

// in returns where each text stands in a summary, in order; it fails the test for
// one that is not there or stands before the one in front of it.
func in(t *testing.T, text string, words ...string) {
	t.Helper()
	at := 0
	for _, word := range words {
		next := strings.Index(text[at:], word)
		if next < 0 {
			t.Fatalf("expected %q after %q in\n%s", word, text[:at], text)
		}
		at += next + len(word)
	}
}

func TestSummaryOfAPass(t *testing.T) {
	run := &evidence.Run{Designs: []evidence.Design{{
		Name: "roll-model", Read: true, Tables: map[string]string{"RollModel": "RollModel"},
		Results: decided(t, "roll-model", func(*evidence.Result) {}),
	}}}
	text := summary(run)
	in(t, text, "roll-model", "lack evidence from AWS", "PASS  ")
	lacks(t, text, "not run,", "FAIL", "not read", "\x1b")
}

// A schema that fails takes its patterns with it: it comes first, and they are
// counted, not written out.
func TestSummaryPutsTheRootCauseFirst(t *testing.T) {
	run := &evidence.Run{Ledger: []wire.Entry{{Seq: 1, Operation: "Query", Tables: []string{"RollModel"}}}}
	fallen := 0
	results := decided(t, "roll-model", func(result *evidence.Result) {
		switch {
		case result.ID == "roll-model/table/RollModel/key":
			fail(result, "table RollModel, primary key", "HASH PK, RANGE SK", "HASH PK")
		case result.Kind == string(manifest.KindPattern):
			fallen++
			fail(result, "case 1", "an answer", "ValidationException: no sort key")
			result.Requests = []int{1}
		}
	})
	run.Designs = []evidence.Design{{Name: "roll-model", Read: true, Tables: map[string]string{"RollModel": "RollModel"}, Results: results}}
	text := summary(run)
	in(t, text, "FAIL  roll-model/table/RollModel/key", "expected  HASH PK, RANGE SK", "found     HASH PK", "document  roll-model.md:",
		fmt.Sprintf("with it   %d other claims do not hold, such as roll-model/pattern/", fallen), "FAIL  the deployment does not conform")
	if shown := strings.Count(text, "FAIL  roll-model/"); shown != 1 {
		t.Errorf("expected the cause alone to be written out, found %d claims in\n%s", shown, text)
	}

	var all bytes.Buffer
	Terminal(&all, run, true)
	assert.Equal(t, 1+fallen, strings.Count(all.String(), "FAIL  roll-model/"), "with everything written out, expected %d claims", 1+fallen)
}

// Claims that fail for reasons of their own are all shown.
func TestSummaryKeepsUnrelatedFailures(t *testing.T) {
	run := &evidence.Run{Designs: []evidence.Design{{Name: "osem-ladders", Read: true, Results: decided(t, "osem-ladders", func(result *evidence.Result) {
		switch result.ID {
		case "osem-ladders/table/Users/key", "osem-ladders/table/Teams/key":
			fail(result, "primary key", "HASH id", "HASH other")
		}
	})}}}
	in(t, summary(run), "FAIL  osem-ladders/table/Users/key", "FAIL  osem-ladders/table/Teams/key")
}

// A reason that many claims share is told once, over all designs.
func TestSummaryTellsASharedReasonOnce(t *testing.T) {
	undecided := func(verdict evidence.Verdict, found string) func(*evidence.Result) {
		return func(result *evidence.Result) {
			result.Verdict = verdict
			result.Problems = []evidence.Problem{{Expected: result.Title, Found: found, Where: result.ID, Cite: result.Cite, Do: "do something about " + found}}
		}
	}
	const gone = "embedded engine: ended by signal 9"
	run := &evidence.Run{Designs: []evidence.Design{
		{Name: "roll-model", Failure: gone, Results: decided(t, "roll-model", undecided(evidence.Error, gone))},
		{Name: "fus-main", Results: decided(t, "fus-main", undecided(evidence.Error, gone))},
		{Name: "personal-os", Results: decided(t, "personal-os", undecided(evidence.Unsupported, "no such operation"))},
	}}
	text := summary(run)
	total := len(run.Designs[0].Results) + len(run.Designs[1].Results)
	in(t, text, fmt.Sprintf("ERROR  %d claims, such as roll-model/document", total), "found     "+gone, "do        do something about "+gone, "UNSUPPORTED", "no such operation", "could not tell")
	told := strings.Count(text, "found     "+gone)
	assert.Equal(t, 1, told, "expected the reason once, found it %d times in\n%s", told, text)
}

// A design that could not be deployed is told as one failure, not claim by claim.
func TestSummaryTellsADesignThatCouldNotBeExamined(t *testing.T) {
	const why = "up of fus-main.dev: table exists already"
	run := &evidence.Run{Designs: []evidence.Design{{Name: "fus-main", Failure: why, Results: decided(t, "fus-main", func(result *evidence.Result) {
		result.Verdict = evidence.Error
		result.Problems = []evidence.Problem{{Found: "not checked: " + why}}
	})}}}
	text := summary(run)
	in(t, text, "ERROR  fus-main could not be examined", why)
	told := strings.Count(text, why)
	assert.Equal(t, 1, told, "expected the reason once, found it %d times in\n%s", told, text)
}

// Claims without a verdict are counted against the manifest, and never as passed.
func TestSummaryCountsWhatWasNotRun(t *testing.T) {
	some := decided(t, "fus-main", func(*evidence.Result) {})[:3]
	run := &evidence.Run{Designs: []evidence.Design{{Name: "fus-main", Results: some}, {Name: "roll-model"}}}
	left := len(decided(t, "fus-main", func(*evidence.Result) {})) + len(decided(t, "roll-model", func(*evidence.Result) {})) - 3
	in(t, summary(run), fmt.Sprintf("%d claims of the manifest were not run", left), "3 of 3 passed claims")
}

// Phases that add up to more than the run took went on at once, and the summary says
// so.
func TestPhasesAtOnce(t *testing.T) {
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		took time.Duration
		want string
	}{
		{3 * time.Second, "time: 3s in all (deploy 1s, replay 2s); 0 requests\n"},
		{2500 * time.Millisecond, "time: 2.5s in all (deploy 1s, replay 2s, of different designs at once); 0 requests\n"},
	} {
		text := summary(&evidence.Run{
			Started: began, Finished: began.Add(row.took),
			Phases: []evidence.Phase{{Name: "deploy", Microseconds: 1_000_000}, {Name: "replay", Microseconds: 2_000_000}},
		})
		assert.Contains(t, text, row.want)
	}
}

// A pass names what it says nothing about.
func TestPassNamesWhatItLeavesOpen(t *testing.T) {
	run := &evidence.Run{Designs: []evidence.Design{{Name: "roll-model", Results: []evidence.Result{
		{ID: "roll-model/tables", Design: "roll-model", Verdict: evidence.Pass},
		{ID: "roll-model/document", Design: "roll-model", Verdict: evidence.Unsupported, Declared: "documents"},
	}}}}
	missing := notRun(run)["roll-model"]
	if got, want := passed(run), fmt.Sprintf("1 claim held at level schema for tables as they stand at an endpoint on this machine, by their descriptions alone; claims that cannot be answered here: 1; claims of the manifest that were not run: %d", missing); missing == 0 || got != want {
		t.Errorf("expected %q, found %q", want, got)
	}
}

// The first line and the last say what was looked at, so that nobody takes a pass on an emulator for one on AWS.
func TestSummarySaysWhatWasLookedAt(t *testing.T) {
	run := sample()
	text := summary(run)
	first, _, _ := strings.Cut(text, "\n")
	want := "looked at: an emulator of DynamoDB in memory on the machine of the run"
	assert.True(t, strings.HasPrefix(first, want), "expected a first line that begins with %q, found %q", want, first)
	want = "on tables that this run made in an emulator and removed; no environment of yours was looked at"
	assert.Contains(t, passed(run), want, "expected %q in %q", want, passed(run))
}

// Each difference that fails nothing has its line, and a name that is not shown a hint.
func TestSummaryNamesWhatIsNoted(t *testing.T) {
	run := &evidence.Run{Designs: []evidence.Design{{Name: "osem-ladders", Results: decided(t, "osem-ladders", func(result *evidence.Result) {
		switch result.ID {
		case "osem-ladders/table/Users/extras":
			result.Noted = []string{"table Users, deletion protection: on, of which the document does not speak"}
		case "osem-ladders/table/Users/ttl":
			result.Verdict, result.Noted = evidence.Waived, []string{"the document leaves this open: by which attribute"}
		}
	})}}}
	text := summary(run)
	in(t, text, "noted: ", "osem-ladders/table/Users/ttl (", "the document leaves this open: by which attribute",
		"osem-ladders/table/Users/extras (", "deletion protection: on")
	assert.NotContains(t, text, "--unredacted")
	fail(&run.Designs[0].Results[1], "ListTables", "only documented tables", "table [table]")
	in(t, summary(run), "table [table]", "--unredacted")
}

func TestSummaryCountsGuardrailsByLayer(t *testing.T) {
	held := func(id, layer string, verdict evidence.Verdict) evidence.Result {
		return evidence.Result{ID: id, Design: "roll-model", Kind: "guardrail", Verdict: verdict, Guardrail: &evidence.Guardrail{Layer: layer}}
	}
	kept := func(id, layer string, verdict evidence.Verdict) evidence.Result {
		return evidence.Result{ID: id, Design: "roll-model", Kind: "invariant", Verdict: verdict, Invariant: &evidence.Invariant{Layer: layer}}
	}
	run := &evidence.Run{Designs: []evidence.Design{
		{Name: "roll-model", Results: []evidence.Result{
			held("roll-model/guardrail/a", "guard", evidence.Pass), held("roll-model/guardrail/b", "engine", evidence.Fail),
			held("roll-model/guardrail/c", "policy", evidence.Unsupported), kept("roll-model/invariant/d", "engine", evidence.Pass),
			held("roll-model/guardrail/e", "policy", evidence.Waived),
			{ID: "roll-model/document", Design: "roll-model", Kind: "document", Verdict: evidence.Pass},
		}},
		{Name: "fus-main", Results: []evidence.Result{{ID: "fus-main/document", Design: "fus-main", Kind: "document", Verdict: evidence.Pass}}},
	}}
	text := summary(run)
	begin, end := strings.Index(text, "guardrails"), strings.Index(text, "how many held")
	require.GreaterOrEqual(t, begin, 0, "expected a table of guardrails in\n%s", text)
	require.GreaterOrEqual(t, end, begin, "expected a table of guardrails in\n%s", text)
	rows := regexp.MustCompile(` +`).ReplaceAllString(text[begin:end], " ")
	const want = "guardrails invariants | guard engine contract deployment policy\n roll-model 1+1w/3 1 | 1 1/2 - - 0+1w\n"
	assert.Equal(t, want, rows, "expected\n%sfound\n%s", want, rows)
	assert.NotContains(t, summary(&evidence.Run{Designs: run.Designs[1:]}), "guardrails")
}

// What fails among the items is not added up with what stands in the deployment.
func TestFiguresKeepSubjectsApart(t *testing.T) {
	of := func(kind manifest.Kind, verdict evidence.Verdict) evidence.Result {
		return evidence.Result{ID: "d/" + string(kind) + "/" + string(verdict), Design: "d", Kind: string(kind), Verdict: verdict}
	}
	run := &evidence.Run{Designs: []evidence.Design{{Name: "d", Results: []evidence.Result{
		of(manifest.KindSchema, evidence.Pass), of(manifest.KindPolicy, evidence.Waived), of(manifest.KindLedger, evidence.Pass),
		of(manifest.KindEntity, evidence.Fail), of(manifest.KindExample, evidence.Pass), of(manifest.KindFinding, evidence.Told),
	}}}}
	var markdown bytes.Buffer
	require.NoError(t, writeText(&markdown, "summary.md.tmpl", run))
	aligned := strings.Join(strings.Fields(summary(run)), " ")
	for _, words := range []string{"about deployment and access 3 claims: 2 pass, 1 waived", "about items 2 claims: 1 pass, 1 fail", "about the document 1 claim: 1 told"} {
		assert.Contains(t, aligned, words)
		listed := strings.Replace(strings.Replace(words, " 3 c", ": 3 c", 1), " 2 c", ": 2 c", 1)
		listed = "- " + strings.Replace(listed, "document 1 c", "document: 1 c", 1)
		assert.Contains(t, markdown.String(), listed, "expected %q in the summary", listed)
	}
}
