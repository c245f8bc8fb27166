package replay

import (
	"strings"
	"testing"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
)

// A claim of the manifest that the contract no longer has did not pass, whatever
// the others did.
func TestAForgottenClaimIsNoPass(t *testing.T) {
	run, err := Start(t.Context(), Options{Designs: []string{"roll-model"}, Documents: "none"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := run.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	design := run.Designs()[0]
	gone := design.Name + "/pattern/" + design.Patterns[0].ID
	design.Patterns = design.Patterns[1:]
	for _, claim := range manifest.Claims(design) {
		run.add(evidence.Result{ID: claim.ID, Design: design.Name, Verdict: evidence.Pass})
	}
	seen := run.Evidence(false)
	if code := seen.ExitCode(); code != evidence.Conforms {
		t.Fatalf("expected the claims that are left to conform, found exit code %d", code)
	}
	run.Undecided(func(manifest.Claim) bool { return true }, evidence.Error, "not examined")
	seen = run.Evidence(false)
	results := seen.Results()
	if last := results[len(results)-1]; last.ID != gone || last.Verdict != evidence.Error || !strings.Contains(last.Problems[0].Found, "the contract no longer does") {
		t.Errorf("expected an error of %s, found %+v", gone, last)
	}
	if code := seen.ExitCode(); code != evidence.CouldNotTell {
		t.Errorf("expected exit code 3, found %d", code)
	}
}
