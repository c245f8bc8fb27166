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

func listedClaims(t *testing.T, args ...string) (all []listing) {
	t.Helper()
	c := run(t, "", 0, append([]string{"claims", "--json"}, args...)...)
	require.NoError(t, json.Unmarshal(c.stdout.Bytes(), &all))
	return all
}

func TestClaims(t *testing.T) {
	all := listedClaims(t)
	assert.Len(t, all, len(claims(t, func(manifest.Claim) bool { return true })), "the claims of the manifest")
	for _, claim := range all {
		if claim.Verdict != "unchecked" || claim.Grade != "" {
			t.Fatalf("expected no verdict without a run, found %+v", claim)
		}
	}

	report := olderEvidence(t)
	assert.Len(t, listedClaims(t, "--report", report, "--verdict", "fail"), 5, "the failed claims of the run")
	var ids []string
	for _, claim := range listedClaims(t, "osem-ladders", "roll-model", "--report", report, "--kind", "pattern,guardrail", "--verdict", "fail,waived", "--grade", "engine,static") {
		ids = append(ids, claim.ID)
	}
	assert.ElementsMatch(t, []string{"osem-ladders/guardrail/soft-delete-only", "osem-ladders/pattern/list-teams", "osem-ladders/pattern/list-users", "osem-ladders/pattern/soft-delete-team"}, ids)
	assert.Empty(t, listedClaims(t, "--report", report, "--grade", "aws"), "claims with evidence from AWS")

	run(t, "", 0, "claims", "--report", report, "--verdict", "waived").
		prints(t, "waived  engine  osem-ladders/pattern/list-users", "osem-ladders.md:63   stated\n", "2 claims (last run ", ", evidence.json.gz): 2 waived\n")
	run(t, "", 0, "claims", "--kind", "document").prints(t, "no run yet; `dynaproof verify` makes one", "unchecked")
}

func TestClaimsAreSorted(t *testing.T) {
	report := olderEvidence(t)
	sorted := func(by string, of func(listing) string) (seen []string) {
		for _, claim := range listedClaims(t, "--report", report, "--sort", by) {
			seen = append(seen, of(claim))
		}
		return slices.Compact(seen)
	}
	verdict, grade := func(l listing) string { return l.Verdict }, func(l listing) string { return l.Grade }
	assert.Equal(t, strings.Fields("fail unsupported unchecked waived shown told pass"), sorted("verdict", verdict))
	assert.Equal(t, []string{"", "static", "engine"}, sorted("grade", grade), "the weakest evidence first")
	assert.True(t, slices.IsSorted(sorted("id", func(l listing) string { return l.ID })), "by id")
	assert.True(t, slices.IsSorted(sorted("kind", func(l listing) string { return l.Kind })), "by kind")
	slowest := func(a, b listing) int { return int(b.Microseconds - a.Microseconds) }
	assert.True(t, slices.IsSortedFunc(listedClaims(t, "--report", report, "--sort", "time"), slowest), "the slowest first")
}

// What an audit found is the latest word on its claims, and what verify found on all others.
func TestClaimsAndExplanationsKnowTheAudit(t *testing.T) {
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
	require.GreaterOrEqual(t, at, 0, "expected a row of %s, found %v", id, rows)
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
	if found := len(listedClaims(t, "--severity", "high")); found != high || high == 0 {
		t.Errorf("expected the %d findings of high severity, found %d", high, found)
	}
	for basis, want := range of {
		if found := len(listedClaims(t, "--basis", basis)); found != want {
			t.Errorf("expected %d claims that are %s, found %d", want, basis, found)
		}
	}
}

// firstEvidence is the stored evidence of the first release, and olderEvidence a folder in which it is the last run's.
var firstEvidence = absolute("../evidence/testdata/evidence-v2-first.json")

func olderEvidence(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	write(t, folder, "evidence.json.gz", content(t, firstEvidence))
	return folder
}
