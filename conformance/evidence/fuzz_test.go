package evidence_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/conformance/evidence"
)

// FuzzRead reads any file as evidence. What it accepts can be written, and read
// again to the same verdicts.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"version":"dynaproof/evidence/v0"}`))
	f.Add([]byte(`{"version":"dynaproof/evidence/v2"}`))
	f.Add([]byte(`{"version":"dynaproof/evidence/v2","command":"c","started":"2026-01-01T00:00:00Z","finished":"2026-01-01T00:00:00Z","target":{"kind":"embedded","grade":"engine","url":"u"},"modules":{},"designs":[],"phases":[],"ledger":[]}`))
	f.Add([]byte("[\xff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "evidence.json")
		require.NoError(t, os.WriteFile(path, text, 0o600))
		run, err := evidence.ReadValid(path)
		if err != nil {
			return
		}
		require.NoError(t, run.Write(path), "accepted, and cannot be written")
		again, err := evidence.ReadValid(path)
		require.NoError(t, err, "written, and not accepted")
		if run.ExitCode() != again.ExitCode() || len(run.Results()) != len(again.Results()) {
			t.Fatalf("expected %d verdicts and exit code %d, found %d and %d", len(run.Results()), run.ExitCode(), len(again.Results()), again.ExitCode())
		}
	})
}
