package cli_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
)

// listedClaims are the claims that `dynaproof claims --json` prints.
func listedClaims(t *testing.T, args ...string) (all []any) {
	t.Helper()
	c := run(t, "", 0, append([]string{"claims", "--json"}, args...)...)
	require.NoError(t, json.Unmarshal(c.stdout.Bytes(), &all))
	return all
}

func TestClaimsBySeverityAndBasis(t *testing.T) {
	assert.Len(t, listedClaims(t), len(claims(t, func(manifest.Claim) bool { return true })), "the claims of the manifest")
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
	require.NotZero(t, high)
	assert.Len(t, listedClaims(t, "--severity", "high"), high, "findings of high severity")
	for basis, want := range of {
		assert.Len(t, listedClaims(t, "--basis", basis), want, basis)
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
