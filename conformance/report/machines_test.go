package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/onsi/ginkgo/v2/reporters"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/report"
	"dynaproof/conformance/target"
)

// stored is evidence as the first release wrote it: see the schema's tests.
const stored = "../evidence/testdata/evidence-v2-first.json"

func older(t *testing.T) *evidence.Run {
	t.Helper()
	run, err := evidence.ReadValid(stored)
	require.NoError(t, err)
	return run
}

// sample has one claim of every verdict, with text that each format must escape
// and an account id that none may show.
func sample() *evidence.Run {
	began := time.Date(2026, 2, 19, 12, 0, 0, 0, time.UTC)
	problem := evidence.Problem{
		Expected: "HASH PK (S)", Found: "a|b `c` <d> & arn:aws:dynamodb:eu-west-1:123456789012:table/T\x01", Where: "table T, primary key",
		Cite: "d.md:5-7, 9", Do: "run `pulumi up` again",
	}
	claim := func(path, kind string, verdict evidence.Verdict, problems ...evidence.Problem) evidence.Result {
		return evidence.Result{
			ID: "d/" + path, Design: "d", Kind: kind, Title: "title of " + path, Cite: "d.md:5-7, 9", Verdict: verdict, Grade: evidence.Engine,
			Problems: problems, Observations: 2, Microseconds: 1500,
		}
	}
	waived := claim("pattern/scan-users", "pattern", evidence.Waived)
	waived.Waiver = "scan-users"
	finding := claim("finding/prefix", "finding", evidence.Shown)
	finding.Finding = &evidence.Finding{Kind: "hazard", Severity: "high", Literal: "matches longer ids", Resolved: "ends with #", Instead: "Write ID# instead of ID."}
	return &evidence.Run{
		Version: evidence.Version, Command: "dynaproof verify d", Started: began, Finished: began.Add(3 * time.Second),
		Target:  target.Description{Kind: target.KindEmbedded, Engine: "dynoxide", Version: "1.2.1", URL: "http://127.0.0.1:1", Grade: "engine"},
		Modules: map[string]string{"dynaproof": "v1.0.0", evidence.Executable: "sha256:" + strings.Repeat("ab", 32)},
		Designs: []evidence.Design{{
			Name: "d", Stack: "d.dev", Document: "d.md", SHA256: strings.Repeat("cd", 32), Read: true, Region: "eu-west-1",
			Tables:  map[string]string{"T": "t-dev", "A": "a&dev"},
			Waivers: []evidence.Waiver{{ID: "scan-users", Reason: "admins only", Cite: "d.md:63", Requests: 6}},
			Results: []evidence.Result{
				claim("pattern/list", "pattern", evidence.Fail, problem),
				claim("table/T/key", "schema", evidence.Fail, problem, problem),
				waived,
				claim("table/T/pitr", "schema", evidence.Unsupported, evidence.Problem{Found: "the engine does not know the operation"}),
				claim("entity/e", "entity", evidence.Indeterminate, problem),
				claim("example/e", "example", evidence.Error, problem),
				finding,
				claim("ledger/no-scan", "ledger", evidence.Pass),
			},
		}},
	}
}

// format returns the writer of a format.
func format(name string) func(io.Writer, *evidence.Run) error {
	formats := report.Formats()
	return formats[slices.IndexFunc(formats, func(f report.Format) bool { return f.Name == name })].Write
}

func render(t *testing.T, run *evidence.Run, write func(io.Writer, *evidence.Run) error) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, write(&out, run))
	return out.String()
}

func TestJUnit(t *testing.T) {
	var file reporters.JUnitTestSuites
	require.NoError(t, xml.Unmarshal([]byte(render(t, sample(), format("junit"))), &file))
	if got, want := []int{file.Tests, file.Failures, file.Errors, file.Disabled}, []int{8, 2, 2, 0}; !slices.Equal(got, want) {
		t.Errorf("expected tests, failures, errors and disabled %v, got %v", want, got)
	}
	cases := file.TestSuites[0].TestCases
	if finding := cases[6]; finding.Skipped == nil || finding.Skipped.Message != "finding of severity high, shown: title of finding/prefix" {
		t.Errorf("expected a finding not to be a passed test, and its severity, got %+v", finding)
	}
	if cases[0].Name != "d/pattern/list" || cases[0].Classname != "d" || cases[0].Time != 0.0015 {
		t.Errorf("expected the claim's id, its design and 0.0015 s, got %+v", cases[0])
	}
	failure := cases[0].Failure
	for _, part := range []string{"table T, primary key", "expected HASH PK (S)", "found a|b `c` <d> & arn:aws:dynamodb:eu-west-1:[account]:table/T", "(d.md:5-7, 9)"} {
		if failure == nil || !strings.Contains(failure.Message, part) {
			t.Errorf("expected %q in the message, got %+v", part, failure)
		}
	}
	if failure == nil || !strings.Contains(failure.Description, "do       run `pulumi up` again") {
		t.Errorf("expected what to do in the text, got %+v", failure)
	}
	if failure := cases[1].Failure; failure == nil || !strings.HasSuffix(failure.Message, "; and 1 more") {
		t.Errorf("expected the number of further problems, got %+v", failure)
	}
	if skipped := cases[2].Skipped; skipped == nil || skipped.Message != "waived: scan-users (d.md:63): admins only" {
		t.Errorf("expected the waiver, got %+v", skipped)
	}
	if skipped := cases[3].Skipped; skipped == nil || skipped.Message != "unsupported: the engine does not know the operation" {
		t.Errorf("expected the reason, got %+v", skipped)
	}
	for i, want := range map[int]string{4: "indeterminate", 5: "error"} {
		if found := cases[i].Error; found == nil || found.Type != want {
			t.Errorf("%s: expected an error of type %s, got %+v", cases[i].Name, want, found)
		}
	}
	if passed := cases[7]; passed.Failure != nil || passed.Error != nil || passed.Skipped != nil {
		t.Errorf("expected a passed test, got %+v", passed)
	}
}

// The library holds the schema that OASIS publishes for SARIF 2.1.0.
func TestSARIFFitsTheSchema(t *testing.T) {
	empty := &evidence.Run{Version: evidence.Version}
	failed := &evidence.Run{Designs: []evidence.Design{{Name: "d", Failure: "no engine"}}}
	for name, run := range map[string]*evidence.Run{"sample": sample(), "older": older(t), "empty": empty, "failed": failed} {
		for _, options := range []report.SARIFOptions{{}, {DocumentsURI: "designs/", Passed: true}} {
			text := render(t, run, func(w io.Writer, run *evidence.Run) error { return report.SARIF(w, run, options) })
			log, err := sarif.FromBytes([]byte(text), sarif.WithStrictValidation())
			require.NoError(t, err)
			assert.NoError(t, log.Validate(), name)
		}
	}
	log, err := sarif.FromBytes([]byte(render(t, sample(), format("sarif"))))
	require.NoError(t, err)
	log.Runs[0].Results[0].Message = nil
	log.Runs[0].Results[1].Level = "fatal"
	if err := log.Validate(); err == nil || !strings.Contains(err.Error(), "message is required") || !strings.Contains(err.Error(), "level must be one of") {
		t.Errorf("expected the schema to refuse a result without message and an unknown level, got %v", err)
	}
}

func TestSARIF(t *testing.T) {
	text := render(t, sample(), func(w io.Writer, run *evidence.Run) error {
		return report.SARIF(w, run, report.SARIFOptions{DocumentsURI: "designs/"})
	})
	log, err := sarif.FromBytes([]byte(text))
	require.NoError(t, err)
	run := log.Runs[0]
	var got []string
	for _, result := range run.Results {
		got = append(got, strings.Join([]string{result.Level, *result.RuleID, result.Properties.Properties["claim"].(string)}, " "))
		if rule := run.Tool.Driver.Rules[result.RuleIndex]; *rule.ID != *result.RuleID {
			t.Errorf("rule index of %s leads to %s", *result.RuleID, *rule.ID)
		}
	}
	want := []string{
		"error schema/key d/table/T/key", "error pattern d/pattern/list", // cause before consequence
		"note schema/pitr d/table/T/pitr", "warning example d/example/e", "warning entity d/entity/e", "note pattern d/pattern/scan-users",
		"error design-finding/hazard d/finding/prefix",
	}
	assert.Empty(t, cmp.Diff(want, got), "results (-want +got)")
	first := run.Results[0]
	place := first.Locations[0].PhysicalLocation
	if *place.ArtifactLocation.URI != "designs/d.md" || *place.Region.StartLine != 5 || *place.Region.EndLine != 7 {
		t.Errorf("expected designs/d.md, lines 5 to 7, got %s, %d to %d", *place.ArtifactLocation.URI, *place.Region.StartLine, *place.Region.EndLine)
	}
	if related := first.RelatedLocations; len(related) != 1 || *related[0].PhysicalLocation.Region.StartLine != 9 {
		t.Errorf("expected line 9 as related, got %+v", related)
	}
	assert.Equal(t, "schema/key:d/table/T/key", first.PartialFingerprints["dynaproofClaim/v1"], "expected a fingerprint of rule and claim")
	if suppressions := run.Results[5].Suppressions; len(suppressions) != 1 || !strings.Contains(*suppressions[0].Justification, "admins only") {
		t.Errorf("expected the waiver as a suppression, got %+v", suppressions)
	}
	if message := *run.Results[6].Message.Text; !strings.Contains(message, "severity high, shown") || !strings.Contains(message, "to the letter: matches longer ids") || !strings.Contains(message, "this project reads it as: ends with #") || !strings.Contains(message, "to the author: Write ID# instead of ID.") {
		t.Errorf("expected the finding in full, got %q", message)
	}
	assert.Equal(t, strings.Repeat("cd", 32), run.Artifacts[0].Hashes["sha-256"], "expected the document's digest")
	if code := run.Invocations[0].ExitCode; code == nil || *code != 1 {
		t.Errorf("expected exit code 1, got %v", code)
	}
}

func TestMarkdown(t *testing.T) {
	text := render(t, sample(), format("markdown"))
	order := []string{
		"## dynaproof: does not conform; the document has 1 finding, 1 high\n", "8 claims: 1 pass, 2 fail, 1 waived, 1 unsupported, 1 indeterminate, 1 error, 1 shown.", "### Not passed",
		"**fail** `d/table/T/key`", "expected `HASH PK (S)`, found `` a|b `c` <d> & arn", "; and 1 more", "run \\`pulumi up\\` again", "**fail** `d/pattern/list`",
		"| design | claims | pass | fail |", "| d | 8 | 1 | 2 | 1 | 1 | 1 | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 0 |",
		"- `d/scan-users` (d.md:63): 6 requests; admins only", "1 of 1 passed claims lack evidence from AWS.", "Reproduce: `dynaproof verify d`",
	}
	rest := text
	for _, part := range order {
		at := strings.Index(rest, part)
		if at < 0 {
			t.Fatalf("expected %q next, found\n%s", part, rest)
		}
		rest = rest[at+len(part):]
	}
}

// A broken run must stay readable in a comment.
func TestMarkdownIsShort(t *testing.T) {
	run := sample()
	for range 500 {
		run.Designs[0].Results = append(run.Designs[0].Results, run.Designs[0].Results[0])
	}
	text := render(t, run, format("markdown"))
	if len(text) > 8_000 || !strings.Contains(text, "… and 495 more in the evidence") {
		t.Errorf("expected at most 8,000 bytes and the number left out, got %d bytes", len(text))
	}
}

func TestCompare(t *testing.T) {
	older, newer := sample(), sample()
	change := func(id string, verdict evidence.Verdict, grade evidence.Grade) {
		for i := range newer.Designs[0].Results {
			if result := &newer.Designs[0].Results[i]; result.ID == id {
				result.Verdict, result.Grade = verdict, grade
			}
		}
	}
	change("d/ledger/no-scan", evidence.Fail, evidence.Engine)
	change("d/pattern/list", evidence.Pass, evidence.Engine)
	change("d/pattern/scan-users", evidence.Pass, evidence.Engine) // waived before, which was no failure
	change("d/entity/e", evidence.Unsupported, evidence.Engine)
	change("d/finding/prefix", evidence.Shown, evidence.Emulated)
	results := newer.Designs[0].Results
	results[slices.IndexFunc(results, func(r evidence.Result) bool { return r.ID == "d/example/e" })].ID = "d/example/f"
	newer.Designs[0].SHA256 = strings.Repeat("ef", 32)
	newer.Target.Version = "1.3.0"

	c := report.Compare(older, newer)
	got := map[string][]string{}
	for name, changes := range map[string][]report.Change{
		"failing": c.NewlyFailing, "passing": c.NewlyPassing, "verdict": c.OtherVerdict, "grade": c.OtherGrade, "gone": c.Gone, "new": c.New, "still": c.StillFailing,
	} {
		for _, change := range changes {
			got[name] = append(got[name], change.ID+" "+string(change.From)+">"+string(change.To))
		}
	}
	want := map[string][]string{
		"failing": {"d/ledger/no-scan pass>fail"}, "passing": {"d/pattern/list fail>pass"}, "verdict": {"d/pattern/scan-users waived>pass", "d/entity/e indeterminate>unsupported"},
		"grade": {"d/finding/prefix shown>shown"}, "gone": {"d/example/e error>"}, "new": {"d/example/f >error"}, "still": {"d/table/T/key fail>fail"},
	}
	assert.Empty(t, cmp.Diff(want, got), "(-want +got)")
	assert.Equal(t, 1, c.Same, "expected 1 claim the same")
	ground := []string{"target: embedded dynoxide 1.3.0, was embedded dynoxide 1.2.1", "d.md, pinned SHA-256: " + strings.Repeat("ef", 32) + ", was " + strings.Repeat("cd", 32)}
	assert.Empty(t, cmp.Diff(ground, c.Ground), "ground (-want +got)")
	summary := "1 newly failing, 1 still failing, 2 other verdict, 1 gone, 1 newly passing, 1 other strength of evidence, 1 new, 1 the same"
	var terminal, markdown bytes.Buffer
	require.NoError(t, c.Write(&terminal))
	require.NoError(t, c.Markdown(&markdown))
	for name, text := range map[string]string{"terminal": terminal.String(), "markdown": markdown.String()} {
		for _, part := range []string{summary, "fail (engine), was pass (engine)", "shown (emulated), was shown (engine)", "was error (engine)", "dynoxide 1.3.0"} {
			assert.Contains(t, text, part, name)
		}
		if strings.Contains(text, "123456789012") {
			t.Errorf("%s: the account id is shown", name)
		}
	}
	text, err := json.Marshal(c)
	if err != nil || !strings.Contains(string(text), `"newlyFailing":[{"id":"d/ledger/no-scan"`) {
		t.Errorf("JSON: %s, %v", text, err)
	}
}

func TestCompareARunWithItself(t *testing.T) {
	c := report.Compare(older(t), older(t))
	if len(c.NewlyFailing)+len(c.NewlyPassing)+len(c.OtherVerdict)+len(c.OtherGrade)+len(c.Gone)+len(c.New)+len(c.Ground) > 0 || len(c.StillFailing) != 5 || c.Same != 68 {
		t.Errorf("expected 5 claims still failing and 68 the same, got %+v", c)
	}
}
