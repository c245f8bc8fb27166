package cli_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"dynaproof/accesspatterns"
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
	if err := json.Unmarshal(c.stdout.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestClaims(t *testing.T) {
	everything := claims(t, func(accesspatterns.Claim) bool { return true })
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
	says(t, "list", c.stdout.String(), "waived  engine  osem-ladders/pattern/list-users", "osem-ladders.md:63\n", "2 claims (last run ", "): 2 waived\n")
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
	if got, want := verdicts(listed(t, "--report", report, "--sort", "verdict")), "fail unsupported unchecked waived pass"; got != want {
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
	for flag, word := range map[string]string{"--kind": "guardrail", "--verdict": "unchecked", "--grade": "emulated", "--sort": "manifest"} {
		run(t, "", 2, "claims", flag, "nothing").oneError(t, flag+": expected one of ", word, `found "nothing"`)
	}
	run(t, "", 2, "claims", "nothing").oneError(t, `unknown design "nothing"`, "roll-model, commit-collect")
}
