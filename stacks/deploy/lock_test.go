package deploy

import (
	"context"
	"os"
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
