package racetest

import (
	"os/exec"
	"strings"
	"testing"
)

// TestPulumiIsNotLinked keeps this package, and with it the suite, quick to
// build under the race detector.
func TestPulumiIsNotLinked(t *testing.T) {
	listed, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-test", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(listed))
	if len(packages) == 0 {
		t.Fatal("expected packages, found none")
	}
	for _, name := range packages {
		if strings.Contains(name, "pulumi/") {
			t.Errorf("expected no package of Pulumi, found %s", name)
		}
	}
}
