package deploy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"dynaproof"
)

// lockFile is what the file backend writes about the process that works on a stack.
type lockFile struct {
	Pid       int       `json:"pid"`
	Username  string    `json:"username"`
	Hostname  string    `json:"hostname"`
	Timestamp time.Time `json:"timestamp"`
}

// clearStaleLocks removes the locks of processes that are gone, and returns an error for one that may still work on the
// stack. The caller has the turn of this process, so a lock of this process is a leftover of an earlier one with
// the same number.
func clearStaleLocks(ctx context.Context, stateDir, stack string) error {
	dir := filepath.Join(stateDir, ".pulumi", "locks", "organization", dynaproof.Project, stack) // where the file backend keeps them
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("deploy: cannot read the locks of stack %s: %w", stack, err)
	}
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("deploy: cannot tell this machine's name, needed to judge the lock of stack %s: %w", stack, err)
	}
	for _, entry := range entries {
		if entry.IsDir() || filepath.Ext(entry.Name()) != ".json" {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // its owner ended meanwhile
		}
		if err != nil {
			return fmt.Errorf("deploy: cannot read the lock of stack %s: %w", stack, err)
		}
		var lock lockFile
		if err := json.Unmarshal(content, &lock); err != nil {
			return fmt.Errorf("deploy: expected a lock of stack %s in %s, found other content: delete the file when nothing works on the stack", stack, path)
		}
		if lock.Hostname != host {
			return fmt.Errorf("deploy: stack %s is in use by process %d of %s on %s since %s: wait for it, or delete %s when it is gone", stack, lock.Pid, lock.Username, lock.Hostname, lock.Timestamp.Format(time.RFC3339), path)
		}
		if lock.Pid != os.Getpid() && outlives(ctx, lock.Pid) {
			return fmt.Errorf("deploy: stack %s is in use by process %d of %s since %s: wait for it to end, or use another state folder than %s", stack, lock.Pid, lock.Username, lock.Timestamp.Format(time.RFC3339), stateDir)
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("deploy: cannot remove the lock that process %d left on stack %s: %w", lock.Pid, stack, err)
		}
	}
	return nil
}

// lockPatience is how long the owner of a lock may take to end. A process that deploys for another one ends with it, on a busy
// machine seconds later.
var lockPatience = 20 * time.Second

// outlives reports whether a process exists after that time, or when ctx ends.
func outlives(ctx context.Context, pid int) bool {
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	for alive(pid) {
		select {
		case <-ctx.Done():
			return true
		case <-time.After(10 * time.Millisecond):
		}
	}
	return false
}

// alive reports whether a process with this number exists. When that cannot be told it is taken to exist. One that has ended, and that its
// parent does not wait for, works on nothing: in a container whose first process reaps no others it stays for good.
func alive(pid int) bool {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil { // Linux: "42 (name) Z ..."
		if _, state, _ := strings.Cut(string(stat), ") "); strings.HasPrefix(state, "Z") {
			return false
		}
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = process.Signal(syscall.Signal(0))
	return !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH)
}
