//go:build unix

package cli_test

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/conformance/lab/scale"
)

// The next run removes what a killed load left, and then measures what a load that nobody
// killed measures. An interrupted load removes what it loaded.
func TestScaleAfterAKill(t *testing.T) {
	t.Parallel()
	running := engine(t)
	args := []string{"scale", "roll-model", "--items", "20", "--json"}
	folder := t.TempDir()
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		stopped := prepare(t, nil, append(args, "--endpoint", running.URL())...)
		stopped.Dir = folder
		stopped.starts(t)
		stopped.signalled(t, signal, "items that are loaded", func() bool { return strings.Count(everything(t, running.URL()), "\n") > 50 })
		stopped.ends(t)
		if left := tables(t, running.URL()); (len(left) > 0) != (signal == syscall.SIGKILL) {
			t.Errorf("%v: expected tables to be left by a kill alone, found %v", signal, left)
		}
	}
	var figures [2][]scale.Pattern
	for i, each := range [][]string{append(args, "--endpoint", running.URL()), args} {
		again := prepare(t, nil, each...)
		again.Dir = folder
		again.expect(t, 0)
		var report scale.Report
		require.NoError(t, json.Unmarshal(again.stdout.Bytes(), &report))
		figures[i] = report.Designs[0].Patterns
	}
	assert.Empty(t, cmp.Diff(figures[1], figures[0]), "figures of the run after a kill (-undisturbed +after the kill)")
	if left := tables(t, running.URL()); len(left) > 0 {
		t.Errorf("expected nothing to be left, found %v", left)
	}
}
