//go:build unix

package replay

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// nannyName is the name by which this executable, started once more, is the nanny of a command.
const nannyName = "dynaproof: what a command starts"

// marker is the variable that holds the mark of all that one command starts.
const marker = "DYNAPROOF_TOOL"

// drainTime bounds the wait for a nanny that was told to end, and for output after it has. It is reached only when the command
// keeps one of them from it.
const drainTime = 2 * time.Second

func init() {
	if len(os.Args) == 3 && os.Args[0] == nannyName {
		nanny(os.Args[1], os.Args[2])
	}
}

// nanny runs a command for /bin/sh, and ends all that it started when it ends, or the process that wants it does: standard input
// is a pipe whose only writing end is that process's. Then it says on descriptor 3 how the command ended. What is left of its own
// process group ends with it.
func nanny(command, mark string) {
	adopt()
	syscall.CloseOnExec(3)
	said := os.NewFile(3, "said")
	run := exec.Command("/bin/sh", "-c", command) //nolint:noctx // its end is that of standard input
	run.Env, run.Stdout, run.Stderr = append(os.Environ(), marker+"="+mark), os.Stdout, os.Stderr
	how := make(chan string, 2)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		how <- "not at all"
	}()
	go func() {
		err := run.Run()
		var exit *exec.ExitError
		if status, is := run.ProcessState.Sys().(syscall.WaitStatus); errors.As(err, &exit) && is && status.Signaled() {
			how <- fmt.Sprint(128 + int(status.Signal())) // as a shell says it
		} else if err == nil || exit != nil {
			how <- fmt.Sprint(run.ProcessState.ExitCode())
		} else {
			how <- err.Error()
		}
	}()
	found := <-how
	endChildren()
	_, _ = fmt.Fprint(said, found)
	_ = syscall.Kill(0, syscall.SIGKILL)
}

// runGroup runs a command for /bin/sh, and ends all that it started when it ends, or the context does. On Linux that is every
// process that descends from it, wherever it went; elsewhere it is the command's process group.
func runGroup(ctx context.Context, command string, environment []string, output io.Writer) error {
	self, err := executable()
	if err != nil {
		return err
	}
	var pipes []*os.File
	defer func() {
		for _, each := range pipes {
			_ = each.Close() // those of the child are closed twice
		}
	}()
	for range 3 {
		from, to, err := os.Pipe()
		if err != nil {
			return err
		}
		pipes = append(pipes, from, to)
	}
	lifeline, printed, said := pipes[0:2], pipes[2:4], pipes[4:6]
	mark := rand.Text()
	run := exec.CommandContext(ctx, self, command, mark)
	run.Args[0] = nannyName
	run.Env, run.Stdin, run.Stdout, run.Stderr, run.ExtraFiles = environment, lifeline[0], printed[1], printed[1], []*os.File{said[1]}
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	run.Cancel, run.WaitDelay = lifeline[1].Close, drainTime
	if err := run.Start(); err != nil {
		return err
	}
	for _, child := range []*os.File{lifeline[0], printed[1], said[1]} {
		_ = child.Close()
	}
	drained := make(chan struct{})
	go func() { defer close(drained); _, _ = io.Copy(output, printed[0]) }()
	ended := run.Wait() // it kills itself with its group: how it ended says nothing
	status, err := io.ReadAll(said[0])
	if len(status) == 0 { // it was killed before
		_ = syscall.Kill(-run.Process.Pid, syscall.SIGKILL)
		endMarked(marker + "=" + mark)
	}
	select {
	case <-drained:
	case <-time.After(drainTime):
	}
	switch how := strings.TrimSpace(string(status)); {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return err
	case how == "0":
		return nil
	case how == "":
		return fmt.Errorf("what runs it killed: %w", ended)
	default:
		return fmt.Errorf("exit status %s", how)
	}
}
