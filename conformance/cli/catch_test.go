//go:build unix

package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// catch lets a run go on for a moment at a time until it is where a look wants it, and does something while the run stands still:
// it cannot have gone on, or ended, between the look and the deed.
func (c *child) catch(t *testing.T, what string, look func() bool, do func() error) {
	t.Helper()
	ended := false
	eventually(t, what+", or the end of the run", func() bool {
		require.NoError(t, c.Process.Signal(syscall.SIGSTOP))
		state := ""
		eventually(t, "the run to stand still", func() bool {
			state = stateOf(t, c.Process.Pid)
			return state == "T" || state == "Z"
		})
		if ended = state == "Z"; ended {
			return true
		}
		there := look()
		if there {
			require.NoError(t, do())
		}
		require.NoError(t, c.Process.Signal(syscall.SIGCONT))
		return there
	})
	require.False(t, ended, "expected %s in the run, found that it has ended\n%s%s", what, c.stdout.String(), c.stderr.String())
}

// signalled is [child.catch] with a signal to the run.
func (c *child) signalled(t *testing.T, signal syscall.Signal, what string, look func() bool) {
	t.Helper()
	c.catch(t, what, look, func() error { return c.Process.Signal(signal) })
}

// stateOf is the state of a process: T when it stands still, Z when it has ended.
func stateOf(t *testing.T, pid int) string {
	t.Helper()
	if text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil {
		behind := text[bytes.LastIndexByte(text, ')')+1:] // the name may hold anything
		return string(bytes.TrimSpace(behind)[:1])
	}
	text, err := exec.CommandContext(t.Context(), "ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output() // without /proc
	if err != nil || len(text) == 0 {
		return "Z"
	}
	return string(text[:1])
}
