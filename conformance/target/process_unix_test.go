//go:build unix

package target

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mustEnd fails unless the target ends within the tests' bound.
func mustEnd(t *testing.T, ending Target) {
	t.Helper()
	select {
	case <-ending.Done():
	case <-time.After(testTimeout):
		t.Fatal("expected the engine to end")
	}
}

// That nothing is left of a program, however it ends, is held by the tests of package watchdog.
func TestCloseEndsTheEngine(t *testing.T) {
	engine := startForTest(t)
	require.NoError(t, syscall.Kill(engine.PID, 0), "expected the engine to run")
	mustClose(t, engine)
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

func TestWatchdogThatIsKilledIsNoticed(t *testing.T) {
	engine := startForTest(t)
	require.NoError(t, syscall.Kill(engine.Group, syscall.SIGKILL))
	mustEnd(t, engine)
	mustBeOneLine[*UnavailableError](t, engine.Err(), "watchdog was killed")
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
