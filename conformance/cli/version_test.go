package cli_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// `make build` notes the commit also where the user's own settings of Go turn that off.
func TestMakeNotesTheCommit(t *testing.T) {
	text, err := exec.Command("make", "-n", "-C", "../..", "build").CombinedOutput()
	if err != nil {
		t.Fatalf("make -n build: %v\n%s", err, text)
	}
	assert.Contains(t, string(text), "go build -buildvcs=auto ")
}

// A binary that `go install` has put somewhere works without the checkout: everything that it needs is embedded.
func TestInstalledBinaryWorksOutsideTheRepository(t *testing.T) {
	t.Parallel()
	checkout, err := filepath.Abs("../..")
	require.NoError(t, err)
	if strings.HasPrefix(binary, checkout+string(filepath.Separator)) {
		t.Fatalf("expected the command outside of the checkout, found %s", binary)
	}
	text := run(t, "", 0, "--version").stdout.String()
	if !strings.HasPrefix(text, "dynaproof version "+linkedVersion+" ") || !strings.Contains(text, "go1.") {
		t.Errorf("expected the version of the linker and that of Go, found %q", text)
	}
	says(t, "summary", run(t, "", 0, "verify", "roll-model", "--label-filter", "kind:pattern").stdout.String(), "PASS")
}
