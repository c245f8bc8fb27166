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
	"dynaproof/accesspatterns/input"
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
		if entry.IsDir() {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		if filepath.Ext(path) == ".tmp" { // a lock that is being written: it gets its name within moments, or its owner has ended
			there := func() bool { _, err := os.Lstat(path); return err == nil }
			if outlives(ctx, there) {
				err := ctx.Err()
				if err == nil {
					err = os.Remove(path)
				}
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("deploy: cannot remove the lock of stack %s that somebody began to write: %w", stack, err)
				}
			}
			continue
		}
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // its owner ended meanwhile
		}
		if err != nil {
			return fmt.Errorf("deploy: cannot read the lock of stack %s: %w", stack, err)
		}
		var lock lockFile
		if err := input.Exactly(content, &lock); err != nil {
			return fmt.Errorf("deploy: expected a lock of stack %s in %s, found other content: delete the file when nothing works on the stack", stack, path)
		}
		if lock.Hostname != host {
			return fmt.Errorf("deploy: stack %s is in use by process %d of %s on %s since %s: wait for it, or delete %s when it is gone", stack, lock.Pid, lock.Username, lock.Hostname, lock.Timestamp.Format(time.RFC3339), path)
		}
		if lock.Pid != os.Getpid() && outlives(ctx, func() bool { return alive(lock.Pid) }) {
			return fmt.Errorf("deploy: stack %s is in use by process %d of %s since %s: wait for it to end, or use another state folder than %s", stack, lock.Pid, lock.Username, lock.Timestamp.Format(time.RFC3339), stateDir)
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("deploy: cannot remove the lock that process %d left on stack %s: %w", lock.Pid, stack, err)
		}
	}
	return nil
}

// statePath is where the file backend keeps the state, and keptPath where its text from before an operation stays until that has ended.
func (s *Stack) statePath() string {
	return filepath.Join(s.options.StateDir, ".pulumi", "stacks", dynaproof.Project, s.name+".json")
}
func (s *Stack) keptPath() string { return s.statePath() + ".before" }

// keep keeps the state from before an operation: where a disk is full the file backend puts a text in its place that was cut off. A second
// name of a file takes no room, and where a file can have none the state is as safe as Pulumi makes it.
func (s *Stack) keep() {
	_ = os.Remove(s.keptPath())
	_ = os.Link(s.statePath(), s.keptPath())
}

// putBack puts the state from before an operation in place of one that was cut off.
func (s *Stack) putBack(ctx context.Context) error {
	whole := func(path string) bool { text, err := os.ReadFile(path); return err == nil && json.Valid(text) }
	if _, err := os.Stat(s.statePath()); err != nil || whole(s.statePath()) || !whole(s.keptPath()) {
		return nil
	}
	if err := clearStaleLocks(ctx, s.options.StateDir, s.name); err != nil {
		return err
	}
	return os.Rename(s.keptPath(), s.statePath())
}

// lockPatience is how long the owner of a lock may take to end. A process that deploys for another one ends with it, on a busy
// machine seconds later.
var lockPatience = 20 * time.Second

// outlives reports whether something is there after that time, or when ctx ends.
func outlives(ctx context.Context, there func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	for there() {
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
