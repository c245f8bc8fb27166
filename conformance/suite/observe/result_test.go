package observe

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/batch"
	"dynaproof/conformance/suite/failures"
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

// sources parses this package without its tests.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	set := token.NewFileSet()
	all, err := parser.ParseDir(set, ".", func(file fs.FileInfo) bool { return !strings.HasSuffix(file.Name(), "_test.go") }, 0) //nolint:staticcheck // one folder, no build tags
	require.NoError(t, err)
	return all["observe"].Files
}

// Every claim without a decision has a sentence that says what to do.
func TestEveryFailureSaysWhatToDo(t *testing.T) {
	files := sources(t)
	for failure := failures.Unanswered; failure <= failures.Withheld; failure++ {
		if failure != failures.Refused { // which is a problem of its own
			sentence(t, "a request's failure", unansweredRequests[failure])
		}
	}
	for _, verdict := range evidence.Verdicts() {
		if !verdict.Held() && verdict != evidence.Fail {
			sentence(t, string(verdict), undecidedClaims[verdict])
		}
	}
	for name, of := range constants(files, "declared") {
		sentence(t, name, unanswerable[of])
	}
}

// constants are the texts of the constants whose names begin so, exported or not.
func constants(files map[string]*ast.File, prefix string) map[string]string {
	found := map[string]string{}
	for _, file := range files {
		for name, object := range file.Scope.Objects {
			spec, is := object.Decl.(*ast.ValueSpec)
			if object.Kind != ast.Con || !is || !strings.HasPrefix(strings.ToLower(name), prefix) {
				continue
			}
			if text, literal := spec.Values[0].(*ast.BasicLit); literal {
				found[name] = strings.Trim(text.Value, `"`)
			}
		}
	}
	return found
}

// sentence fails what is no sentence.
func sentence(t *testing.T, of, text string) {
	t.Helper()
	if len(text) < 20 || !unicode.IsUpper(rune(text[0])) || !strings.HasSuffix(text, ".") {
		t.Errorf("%s: expected a sentence that says what to do, found %q", of, text)
	}
}
