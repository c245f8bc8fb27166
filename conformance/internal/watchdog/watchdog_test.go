package watchdog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hasEnded reports whether a process is gone. A zombie counts: how soon an orphan is reaped is up to the machine's init.
func hasEnded(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, found := strings.Cut(string(stat), ") ")
	return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || err == nil && found && strings.HasPrefix(state, "Z")
}

// mustEnd waits for a process to end.
func mustEnd(t *testing.T, pid int) {
	t.Helper()
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for !hasEnded(pid) {
		select {
		case <-poll.C:
		case <-t.Context().Done():
			t.Fatalf("expected process %d to be gone, and it still runs", pid)
		}
	}
}

// asRun makes the test binary a run that starts a program, says its process id and its group, and waits to be killed.
const asRun = "DYNAPROOF_TEST_RUN"

func TestMain(m *testing.M) {
	if os.Getenv(asRun) == "" {
		os.Exit(m.Run())
	}
	running, err := Start([]string{"/bin/sh", "-c", "exec sleep 1000"}, os.Environ(), io.Discard)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(running.PID, running.Group)
	select {}
}

// A program ends with the run that started it: a killed run asks for nothing, and its watchdog may be killed before.
func TestTheProgramEndsWithAKilledRun(t *testing.T) {
	for _, watched := range []bool{true, false} {
		t.Run(fmt.Sprintf("watched %t", watched), func(t *testing.T) {
			run := exec.Command(os.Args[0])
			run.Env, run.Stderr = append(os.Environ(), asRun+"=1"), t.Output()
			printed, err := run.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, run.Start())
			t.Cleanup(func() { _ = run.Process.Kill() })
			var pid, group int
			_, err = fmt.Fscanln(printed, &pid, &group)
			require.NoError(t, err)
			// The run is stopped first, so that it cannot react.
			require.NoError(t, run.Process.Signal(syscall.SIGSTOP))
			require.NoError(t, syscall.Kill(pid, 0), "expected the program to run before")
			if !watched {
				require.NoError(t, syscall.Kill(group, syscall.SIGKILL))
			}
			require.NoError(t, run.Process.Kill())
			_ = run.Wait() // reports the kill
			mustEnd(t, pid)
		})
	}
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
		"child":            `sleep 1000 & echo "$!"; wait`,
		"session":          `setsid sh -c 'echo "$$"; exec sleep 1000' & wait`,
		"session, loading": `export again='exec sh -c "$again"'; setsid sh -c 'echo "$$"; eval "$again"' & wait`, // itself, for ever
		"session, unread":  `env -i setsid sh -c 'echo "$$"; exec sleep 1000' & wait`,
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
				mustEnd(t, child)
			})
		}
	}
}

// How a program ended is told as a shell tells it.
func TestStatus(t *testing.T) {
	for script, status := range map[string]int{"exit 0": 0, "exit 7": 7, "kill -9 $$": 137, "no-such-program": 127} {
		running, err := Start([]string{"/bin/sh", "-c", script}, os.Environ(), io.Discard)
		require.NoError(t, err)
		<-running.Done()
		assert.Equal(t, status, running.Status, "%s: %s", script, running.Ending())
		assert.False(t, running.Asked(), script)
	}
	printed := &strings.Builder{}
	running, err := Start([]string{"/no/such/program"}, os.Environ(), printed)
	require.NoError(t, err)
	<-running.Done()
	assert.Equal(t, []int{127, 0}, []int{running.Status, running.PID}, "expected no program")
	assert.Contains(t, printed.String(), "no such file")
}
