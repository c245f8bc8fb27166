package replay_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/suite/session"
)

// TestRunsLeaveNothingBehind replays a design twice, and deploys two that are apart. What the first run starts for
// the whole process may stay; the second must end everything that it started:
// goroutines, processes, files.
func TestRunsLeaveNothingBehind(t *testing.T) {
	apart := func(t *testing.T) {
		run := startApart(t.Context(), t, nil)
		sessions := []*session.Session{opened(t, run, 0), opened(t, run, 1)}
		for at, session := range sessions {
			assert.NoError(t, run.Remove(t.Context(), run.Designs()[at], session))
		}
		closed(t, run)
	}
	for _, row := range []struct {
		name          string
		first, second func(*testing.T)
	}{
		{"a design", func(t *testing.T) { intact(t) }, func(t *testing.T) { examined(t, nil) }},
		{"designs apart", apart, apart},
	} {
		t.Run(row.name, func(t *testing.T) {
			scratch := t.TempDir()
			t.Setenv("TMPDIR", scratch)
			row.first(t)
			before := goleak.IgnoreCurrent()
			row.second(t)
			deploy.Close() // it lives as long as the process
			assert.NoError(t, goleak.Find(before), "expected no goroutine that the second run started")
			assert.Empty(t, children(t), "expected no process")
			if left, err := filepath.Glob(filepath.Join(scratch, "*")); err != nil || len(left) > 0 {
				t.Errorf("expected no temporary file, found %v, %v", left, err)
			}
		})
	}
}

// children names the processes that this one has started and that still run.
func children(t *testing.T) []string {
	t.Helper()
	deploy.Close() // it lives as long as the process
	if runtime.GOOS != "linux" {
		t.Log("children of the process are looked for on Linux alone")
		return nil
	}
	lists, err := filepath.Glob("/proc/self/task/*/children")
	require.NoError(t, err)
	var names []string
	for _, list := range lists {
		pids, err := os.ReadFile(list)
		if err != nil {
			continue // a thread that has ended
		}
		for _, pid := range strings.Fields(string(pids)) {
			if name, err := os.ReadFile("/proc/" + pid + "/comm"); err == nil {
				names = append(names, strings.TrimSpace(string(name))+" "+pid)
			}
		}
	}
	return names
}
