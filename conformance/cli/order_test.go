//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A report that cannot be written costs no verdict: what was found is printed before, and
// the exit code says that the reports are missing. Engines and scale print and write in
// the same way.
func TestVerdictsComeBeforeFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "reports", "mutants.json", "taken"), 0o755))
	c := run(t, folder, 3, "mutants", "roll-model", "--only", "roll-model/pulumi/RollModel/pitr-off", "--report", "reports")
	says(t, "output", c.stdout.String(), "KILLED  roll-model/pulumi")
	says(t, "errors", c.stderr.String(), "mutants.json")
	lacks(t, "output", c.stdout.String(), "report: ")
}

// So it is with verify.
func TestVerifyPrintsBeforeItWrites(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "reports", "evidence.json.gz", "taken"), 0o755))
	c := run(t, folder, 3, "verify", "fus-main", "--label-filter", "id:fus-main.table.fus-main.ttl", "--report", "reports")
	says(t, "output", c.stdout.String(), "PASS  1 claim held")
	says(t, "errors", c.stderr.String(), "evidence.json.gz")
}
