package guardtest

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGuardKnowsTheContractOnly keeps the guard usable in production code: what it links is the standard library, the AWS SDK and the
// contract's types, which link no more themselves: nothing that reads documents, loads contracts or lists claims.
func TestGuardKnowsTheContractOnly(t *testing.T) {
	const room = "dynaproof/accesspatterns"
	listed, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", room+"/guard").Output()
	require.NoError(t, err)
	linked := strings.Fields(string(listed))
	assert.Contains(t, linked, room)
	for _, name := range linked {
		part := strings.TrimPrefix(name, room)
		if !strings.HasPrefix(name, "github.com/aws/") && !strings.HasPrefix(part, "/internal/") && !slices.Contains([]string{"", "/guard", "/dynamo", "/expression", "/sdk", "/validate"}, part) {
			t.Errorf("expected no more than the contract and the AWS SDK, found %s", name)
		}
	}
}
