//go:build unix

package watchdog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// hasEnded reports whether a process is gone. A zombie counts: how soon an orphan is reaped is up to the machine's init.
func hasEnded(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, found := strings.Cut(string(stat), ") ")
	return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || err == nil && found && strings.HasPrefix(state, "Z")
}

// What a program started ends with it, however it ends.
func TestWhatTheProgramStartedGoesWithIt(t *testing.T) {
	ends := map[string]func(*Process) error{
		"asked to end":    func(p *Process) error { return p.End(t.Context()) },
		"killed":          func(p *Process) error { p.Kill(); return nil },
		"program killed":  func(p *Process) error { return syscall.Kill(p.PID, syscall.SIGKILL) },
		"watchdog killed": func(p *Process) error { return syscall.Kill(p.Group, syscall.SIGKILL) },
		"stopped": func(p *Process) error {
			cancelled, cancel := context.WithCancel(t.Context())
			cancel()
			if err := syscall.Kill(-p.Group, syscall.SIGSTOP); err != nil {
				return err
			}
			if err := p.End(cancelled); !errors.Is(err, context.Canceled) {
				return fmt.Errorf("expected an end by force, found %w", err)
			}
			return nil
		},
	}
	for name, script := range map[string]string{
		"child":           `sleep 1000 & echo "$!"; wait`,
		"session":         `setsid sh -c 'echo "$$"; exec sleep 1000' & wait`,
		"session, unread": `env -i setsid sh -c 'echo "$$"; exec sleep 1000' & wait`,
	} {
		for how, end := range ends {
			switch {
			case runtime.GOOS != "linux" && name != "child":
				continue // nothing tells there what has left the group
			case name == "session, unread" && how != "asked to end" && how != "program killed":
				continue // without its watchdog a process is known by its environment alone
			}
			t.Run(name+", "+how, func(t *testing.T) {
				from, to := io.Pipe()
				running, err := Start([]string{"/bin/sh", "-c", script}, os.Environ(), to)
				require.NoError(t, err)
				t.Cleanup(running.Kill)
				var child int
				_, err = fmt.Fscanln(from, &child)
				require.NoError(t, err)
				go func() { _, _ = io.Copy(io.Discard, from) }()
				require.NoError(t, end(running))
				<-running.Done()
				poll := time.NewTicker(5 * time.Millisecond)
				defer poll.Stop()
				for !hasEnded(child) {
					select {
					case <-poll.C:
					case <-t.Context().Done():
						t.Fatal("expected the child to be gone, and it still runs")
					}
				}
			})
		}
	}
}

// How a program ended is told as a shell tells it.
func TestStatus(t *testing.T) {
	for script, status := range map[string]int{"exit 0": 0, "exit 7": 7, "kill -9 $$": 137, "no-such-program": 127} {
		running, err := Start([]string{"/bin/sh", "-c", script}, os.Environ(), io.Discard)
		require.NoError(t, err)
		if <-running.Done(); running.Status != status || running.Asked() {
			t.Errorf("%s: expected %d, found %d: %s", script, status, running.Status, running.Ending())
		}
	}
	printed := &strings.Builder{}
	running, err := Start([]string{"/no/such/program"}, os.Environ(), printed)
	require.NoError(t, err)
	if <-running.Done(); running.Status != 127 || running.PID != 0 || !strings.Contains(printed.String(), "no such file") {
		t.Errorf("expected no program, found %d and %q", running.Status, printed)
	}
}
