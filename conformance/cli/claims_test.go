package cli_test

import (
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
)

// listing is what `dynaproof claims --json` prints of a claim.
type listing struct {
	ID, Design, Kind, Verdict, Grade string
	Microseconds                     int64
}

func listed(t *testing.T, args ...string) []listing {
	t.Helper()
	c := run(t, "", 0, append([]string{"claims", "--json"}, args...)...)
	var all []listing
	require.NoError(t, json.Unmarshal(c.stdout.Bytes(), &all))
	return all
}

func TestClaims(t *testing.T) {
	t.Parallel()
	everything := claims(t, func(manifest.Claim) bool { return true })
	all := listed(t)
	if len(all) != len(everything) {
		t.Errorf("expected the %d claims of the manifest, found %d", len(everything), len(all))
	}
	for _, claim := range all {
		if claim.Verdict != "unchecked" || claim.Grade != "" {
			t.Fatalf("expected no verdict without a run, found %+v", claim)
		}
	}

	report := olderEvidence(t)
	failed := listed(t, "--report", report, "--verdict", "fail")
	if len(failed) != 5 {
		t.Errorf("expected the 5 failed claims of the run, found %+v", failed)
	}
	some := listed(t, "osem-ladders", "roll-model", "--report", report, "--kind", "pattern,guardrail", "--verdict", "fail,waived", "--grade", "engine,static")
	var ids []string
	for _, claim := range some {
		ids = append(ids, claim.ID)
	}
	slices.Sort(ids)
	want := []string{"osem-ladders/guardrail/soft-delete-only", "osem-ladders/pattern/list-teams", "osem-ladders/pattern/list-users", "osem-ladders/pattern/soft-delete-team"}
	if !slices.Equal(ids, want) {
		t.Errorf("expected %v, found %v", want, ids)
	}
	if none := listed(t, "--report", report, "--grade", "aws"); len(none) != 0 {
		t.Errorf("expected no claim with evidence from AWS, found %+v", none)
	}

	c := run(t, "", 0, "claims", "--report", report, "--verdict", "waived")
	says(t, "list", c.stdout.String(), "waived  engine  osem-ladders/pattern/list-users", "osem-ladders.md:63   stated\n", "2 claims (last run ", ", evidence.json.gz): 2 waived\n")
	says(t, "list without a run", run(t, "", 0, "claims", "--kind", "document").stdout.String(), "no run yet; `dynaproof verify` makes one", "unchecked")
}

func TestClaimsAreSorted(t *testing.T) {
	report := olderEvidence(t)
	verdicts := func(all []listing) string {
		var seen []string
		for _, claim := range all {
			seen = append(seen, claim.Verdict)
		}
		return strings.Join(slices.Compact(seen), " ")
	}
	if got, want := verdicts(listed(t, "--report", report, "--sort", "verdict")), "fail unsupported unchecked waived shown told pass"; got != want {
		t.Errorf("by verdict: expected %s, found %s", want, got)
	}
	var grades []string
	for _, claim := range listed(t, "--report", report, "--sort", "grade") {
		grades = append(grades, claim.Grade)
	}
	if got := slices.Compact(grades); !slices.Equal(got, []string{"", "static", "engine"}) {
		t.Errorf("by grade: expected the weakest evidence first, found %v", got)
	}
	if !slices.IsSortedFunc(listed(t, "--report", report, "--sort", "time"), func(a, b listing) int { return int(b.Microseconds - a.Microseconds) }) {
		t.Error("by time: expected the slowest first")
	}
	if !slices.IsSortedFunc(listed(t, "--sort", "id"), func(a, b listing) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("by id: expected the order of the alphabet")
	}
	if !slices.IsSortedFunc(listed(t, "--sort", "kind"), func(a, b listing) int { return strings.Compare(a.Kind, b.Kind) }) {
		t.Error("by kind: expected the order of the alphabet")
	}
}

func TestClaimsWrongly(t *testing.T) {
	t.Parallel()
	for flag, word := range map[string]string{"--kind": "guardrail", "--verdict": "unchecked", "--grade": "emulated", "--basis": "chosen", "--severity": "medium", "--sort": "manifest"} {
		run(t, "", 2, "claims", flag, "nothing").oneError(t, flag+": expected one of ", word, `found "nothing"`)
	}
	run(t, "", 2, "claims", "nothing").oneError(t, `unknown design "nothing"`, "roll-model, commit-collect")
}

// What an audit found is the latest word on its claims, and what verify found on all others.
func TestClaimsAndExplanationsKnowTheAudit(t *testing.T) {
	t.Parallel()
	folder := olderEvidence(t)
	verified, err := evidence.Read(filepath.Join(folder, "evidence.json.gz"))
	require.NoError(t, err)
	const id = "osem-ladders/pattern/list-users" // waived by verify
	problem := evidence.Problem{Expected: "pages of 25", Found: "-1 page", Where: "table Users", Cite: "osem-ladders.md:63"}
	audit := evidence.Run{Version: evidence.Version, Command: "dynaproof audit osem-ladders", Finished: verified.Finished.Add(time.Hour), Designs: []evidence.Design{{
		Name: "osem-ladders", Results: []evidence.Result{{ID: id, Design: "osem-ladders", Kind: "pattern", Verdict: evidence.Fail, Grade: evidence.Engine, Problems: []evidence.Problem{problem}, Requests: []int{3, 4}}},
	}}}
	require.NoError(t, audit.Write(filepath.Join(folder, "audit.json")))
	c := run(t, "", 0, "claims", "osem-ladders", "--report", folder, "--verdict", "fail,waived")
	says(t, "claims", c.stdout.String(), "fail    engine  osem-ladders/pattern/list-users", "last run "+audit.Finished.Format(time.RFC3339)+", audit.json, last run ", ", evidence.json.gz)")
	c = run(t, "", 0, "explain", id, "--report", folder)
	says(t, "explanation", c.stdout.String(), "last run  fail on evidence of grade engine", "(dynaproof audit osem-ladders)", "ledger    requests 3–4\n", "found     -1 page")

	c = run(t, "", 0, "claims", "osem-ladders", "--report", folder, "--verdict", "fail", "--csv")
	rows, err := csv.NewReader(&c.stdout).ReadAll()
	require.NoError(t, err)
	at := slices.IndexFunc(rows, func(row []string) bool { return row[0] == id })
	if at < 0 {
		t.Fatalf("expected a row of %s, found %v", id, rows)
	}
	got := map[string]string{}
	for i, column := range rows[0] {
		got[column] = rows[at][i]
	}
	for column, want := range map[string]string{"verdict": "fail", "basis": "stated", "document": "osem-ladders.md:63", "found": "'-1 page", "requests": "3 4", "run": "audit.json"} {
		assert.Equal(t, want, got[column], column)
	}
}

func TestClaimsBySeverityAndBasis(t *testing.T) {
	high, of := 0, map[string]int{}
	for _, design := range designs.All() {
		for _, finding := range design.Findings {
			if finding.Severity == accesspatterns.High {
				high++
			}
		}
		for _, claim := range manifest.Claims(design) {
			of[claim.Basis.String()]++
		}
	}
	if found := len(listed(t, "--severity", "high")); found != high || high == 0 {
		t.Errorf("expected the %d findings of high severity, found %d", high, found)
	}
	for basis, want := range of {
		if found := len(listed(t, "--basis", basis)); found != want {
			t.Errorf("expected %d claims that are %s, found %d", want, basis, found)
		}
	}
}
