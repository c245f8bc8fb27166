//go:build unix

package target

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// roleVariable makes the test binary play another part than running tests.
const roleVariable = "DYNAPROOF_TARGET_TEST_ROLE"

// TestMain runs the tests, or, as a child of TestEngineIsGoneWhenTheRunIsKilled, a run that only holds an engine.
func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) == "run" {
		holdEngine()
	}
	os.Exit(m.Run())
}

// holdEngine starts an engine, tells its process id and waits to be killed.
func holdEngine() {
	started, err := Embedded(context.Background(), EmbeddedOptions{})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	running := started.(*embedded)
	fmt.Println(running.PID, running.Group, started.URL())
	select {}
}

// hasEnded reports whether a process is gone. A zombie counts: it holds nothing, and how soon an orphan is reaped is up to
// the machine's init.
func hasEnded(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	// Where there is a /proc (Linux), the state follows the command's name in parentheses.
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, found := strings.Cut(string(stat), ") ")
	return err == nil && found && strings.HasPrefix(state, "Z")
}

// mustVanish fails unless a process has ended within the tests' bound.
func mustVanish(t *testing.T, pid int) {
	t.Helper()
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	bound := time.After(testTimeout)
	for !hasEnded(pid) {
		select {
		case <-poll.C:
		case <-bound:
			t.Fatalf("expected process %d to be gone, and it still runs", pid)
		}
	}
}

// mustEnd fails unless the target ends within the tests' bound.
func mustEnd(t *testing.T, ending Target) {
	t.Helper()
	select {
	case <-ending.Done():
	case <-time.After(testTimeout):
		t.Fatal("expected the engine to end")
	}
}

// mustBecomeFree fails unless the engine's port can be listened on within the tests' bound. An orphan's first thread may be
// over a moment before the others, which still hold the port.
func mustBecomeFree(t *testing.T, url string) {
	t.Helper()
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	bound := time.After(testTimeout)
	for {
		err := free(url)
		if err == nil {
			return
		}
		select {
		case <-poll.C:
		case <-bound:
			t.Fatalf("expected the port to become free: %v", err)
		}
	}
}

func TestCloseEndsTheEngine(t *testing.T) {
	engine := startForTest(t)
	require.NoError(t, syscall.Kill(engine.PID, 0), "expected the engine to run")
	mustClose(t, engine)
	mustVanish(t, engine.PID)
	mustBeFree(t, engine.URL())
	mustEnd(t, engine)
	assert.NoError(t, engine.Err(), "expected no error after an end that was asked for")
	mustClose(t, engine)
}

func TestCloseInNoTimeKills(t *testing.T) {
	engine := startForTest(t)
	// Stopped, the watchdog cannot do its work; only force helps.
	require.NoError(t, syscall.Kill(-engine.Group, syscall.SIGSTOP))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	mustBeOneLine[*UnavailableError](t, engine.Close(ctx), "killed by force")
	mustVanish(t, engine.PID)
	mustBecomeFree(t, engine.URL())
}

func TestEngineThatCrashesIsNoticed(t *testing.T) {
	engine := startForTest(t)
	require.NoError(t, syscall.Kill(engine.PID, syscall.SIGKILL))
	mustEnd(t, engine)
	mustBeOneLine[*UnavailableError](t, engine.Err(), "signal 9", "Dynoxide listening on", "--endpoint URL")
	mustBeFree(t, engine.URL())
	mustClose(t, engine)
	assert.Error(t, engine.Err(), "expected Close not to hide that the engine had died before")
}

func TestWatchdogThatIsKilledTakesTheEngineAlong(t *testing.T) {
	engine := startForTest(t)
	require.NoError(t, syscall.Kill(engine.Group, syscall.SIGKILL))
	mustEnd(t, engine)
	mustVanish(t, engine.PID)
	mustBeOneLine[*UnavailableError](t, engine.Err(), "watchdog was killed")
}

func TestEngineIsGoneWhenTheRunIsKilled(t *testing.T) {
	startForTest(t) // skips or fails here, with a reason, when there is no engine
	for _, test := range []struct {
		name string
		// prepare makes things harder before the run is killed.
		prepare func(t *testing.T, group int)
	}{
		{"kill -9 of the run", func(*testing.T, int) {}},
		{"kill -9 of the run and of the watchdog", func(t *testing.T, group int) {
			require.NoError(t, syscall.Kill(group, syscall.SIGKILL))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			run := exec.Command(os.Args[0])
			run.Env = append(os.Environ(), roleVariable+"=run")
			run.Stderr = t.Output()
			output, err := run.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, run.Start())
			t.Cleanup(func() { _ = run.Process.Kill() })
			line, err := bufio.NewReader(output).ReadString('\n')
			require.NoError(t, err)
			var pid, group int
			var url string
			_, err = fmt.Sscan(line, &pid, &group, &url)
			require.NoError(t, err)
			// The run is stopped first, so that it cannot react to what is prepared.
			require.NoError(t, run.Process.Signal(syscall.SIGSTOP))
			require.NoError(t, syscall.Kill(pid, 0), "expected the engine to run before")
			test.prepare(t, group)
			require.NoError(t, run.Process.Kill())
			_ = run.Wait() // reports the kill
			mustVanish(t, pid)
			mustBecomeFree(t, url)
		})
	}
}

// silent holds a port of loopback until the test ends, and does not listen: nobody else can answer there.
func silent(t *testing.T) int {
	t.Helper()
	held, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Close(held) })
	require.NoError(t, syscall.Bind(held, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	bound, err := syscall.Getsockname(held)
	require.NoError(t, err)
	return bound.(*syscall.SockaddrInet4).Port
}

func TestEndpointUnreachable(t *testing.T) {
	port := silent(t)
	_, err := Endpoint(t.Context(), fmt.Sprintf("http://127.0.0.1:%d", port))
	mustBeOneLine[*UnavailableError](t, err, "an engine that listens there", "connection refused", fmt.Sprint(port))
}
