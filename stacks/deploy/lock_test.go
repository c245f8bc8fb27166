package deploy

import (
	"context"
	"io"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// Without it the test would wait for an hour.
func TestAnInterruptEndsTheWaitForALock(t *testing.T) {
	defer func(usual time.Duration) { lockPatience = usual }(lockPatience)
	lockPatience = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if !outlives(ctx, os.Getpid()) {
		t.Error("expected this process to live when the wait ends")
	}
}

// TestAnEndedProcessHoldsNoLock: one that has ended, and for which nobody waits, works on nothing.
func TestAnEndedProcessHoldsNoLock(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems do not tell the state of a process in a file")
	}
	defer func(usual time.Duration) { lockPatience = usual }(lockPatience)
	lockPatience = time.Hour
	command := exec.Command("true")
	output, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = command.Wait() }()
	if _, err = io.Copy(io.Discard, output); err != nil { // until it has ended, or is about to
		t.Fatal(err)
	}
	if outlives(t.Context(), command.Process.Pid) {
		t.Errorf("process %d has ended, and is taken to work on", command.Process.Pid)
	}
}
