package racetest

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPulumiIsNotLinked keeps this package, and with it the suite, quick to
// build under the race detector.
func TestPulumiIsNotLinked(t *testing.T) {
	listed, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-test", ".").Output()
	require.NoError(t, err)
	packages := strings.Fields(string(listed))
	if len(packages) == 0 {
		t.Fatal("expected packages, found none")
	}
	for _, name := range packages {
		assert.NotContains(t, name, "pulumi/")
	}
}
