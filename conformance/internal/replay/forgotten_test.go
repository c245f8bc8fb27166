package replay

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
)

// A claim of the manifest that the contract no longer has did not pass, whatever
// the others did.
func TestAForgottenClaimIsNoPass(t *testing.T) {
	run, err := Start(t.Context(), Options{Designs: []string{"roll-model"}, Documents: "none"})
	require.NoError(t, err)
	defer func() {
		assert.NoError(t, run.Close(t.Context()))
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
	assert.Equal(t, evidence.CouldNotTell, seen.ExitCode(), "expected exit code 3")
}
