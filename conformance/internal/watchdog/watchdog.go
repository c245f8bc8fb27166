// Package watchdog runs programs that end with the run, however the run ends: engines, and the commands that deploy to them.
//
// Between the run and the program stands the run's own executable, started once more as the program's watchdog. Its standard
// input is a pipe whose only writing end is the run's; the kernel closes that when the run is gone, for whatever reason. At this
// end of file, or when the program has ended, the watchdog ends all that the program has started. On Linux that is every process
// that descends from it, wherever it went, and the program ends also with a watchdog that is killed. Elsewhere it is the
// program's process group, and what is killed together with the watchdog is the run's to end.
package watchdog

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// name is what this executable is called where it is a watchdog.
const name = "dynaproof-watchdog"

// marker is the variable that holds the mark of all that one program starts.
const marker = "DYNAPROOF_WATCHDOG"

// drainTime bounds the wait for output after the watchdog's end. It is reached only when a process that the program started has
// left all that ends it and keeps the pipe open.
const drainTime = 2 * time.Second

// The packages that this one imports are few and early, so that it is initialised, and becomes a watchdog, before those that take
// milliseconds.
func init() {
	if len(os.Args) > 1 && os.Args[0] == name {
		watch(os.Args[1:])
	}
}

// watch runs a program and ends all that it started when it ends, or the run does. On descriptor 3 it says the program's process
// id, and how it ended as a shell tells it. What is left of its own process group ends with it.
func watch(arguments []string) {
	adopt()
	syscall.CloseOnExec(3)
	said := os.NewFile(3, "said")
	null, err := os.Open(os.DevNull)
	var program *os.Process
	if err == nil {
		program, err = os.StartProcess(arguments[0], arguments, &os.ProcAttr{Files: []*os.File{null, os.Stdout, os.Stderr}, Sys: endsWithParent()})
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		_, _ = fmt.Fprintln(said, "exit 127")
		os.Exit(0)
	}
	_, _ = fmt.Fprintln(said, "pid", program.Pid)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = program.Kill() // it may have ended
	}()
	state, err := program.Wait()
	endChildren()
	if err == nil {
		status := state.ExitCode()
		if how, is := state.Sys().(syscall.WaitStatus); is && how.Signaled() {
			status = signalled + int(how.Signal())
		}
		_, _ = fmt.Fprintln(said, "exit", status)
	}
	_ = syscall.Kill(0, syscall.SIGKILL)
}

// signalled is what a shell adds to the number of the signal that ended a process.
const signalled = 128

// Process is a program behind its watchdog.
type Process struct {
	// PID is the program's process id, 0 where it could not be executed. Group is the process group of the watchdog, the program and
	// what it starts.
	PID, Group int
	// Status is the program's exit status as a shell tells it, -1 where the watchdog did not get to tell; valid once Done is closed.
	Status int

	mark     string
	done     chan struct{}
	stopping atomic.Bool
	asked    bool
	// lifeline is the writing end of the watchdog's standard input.
	lifeline io.Closer
}

// Start runs a program with an environment and nothing to read, and returns once it has a process id. What it prints goes to
// output. Whether it could be executed shows in its end.
func Start(arguments, environment []string, output io.Writer) (*Process, error) {
	self, err := executable()
	if err != nil {
		return nil, err
	}
	// Files rather than writers, so that the end of the watchdog is seen even if somebody still holds a pipe.
	var pipes []*os.File
	for range 3 {
		from, to, err := os.Pipe()
		if err != nil {
			closeAll(pipes...)
			return nil, err
		}
		pipes = append(pipes, from, to)
	}
	lifeline, printed, said := pipes[0:2], pipes[2:4], pipes[4:6]
	mark := fmt.Sprintf("%s=%x-%x", marker, rand.Uint64(), rand.Uint64())
	watchdog, err := os.StartProcess(self, append([]string{name}, arguments...), &os.ProcAttr{
		Env:   append(environment[:len(environment):len(environment)], mark),
		Files: []*os.File{lifeline[0], printed[1], printed[1], said[1]},
		// A group of its own: a Ctrl-C in the terminal reaches the run and not the program, which may still be needed to tear down. It also
		// makes the whole family killable at once.
		Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	closeAll(lifeline[0], printed[1], said[1])
	if err != nil {
		closeAll(lifeline[1], printed[0], said[0])
		return nil, err
	}
	p := &Process{Group: watchdog.Pid, Status: -1, mark: mark, done: make(chan struct{}), lifeline: lifeline[1]}
	started := make(chan struct{})
	go p.supervise(watchdog, output, printed[0], said[0], started)
	<-started
	return p, nil
}

// supervise follows a watchdog from its first word to its end. It closes started when the program's process id is known or never
// will be.
func (p *Process) supervise(watchdog *os.Process, output io.Writer, printed, said *os.File, started chan<- struct{}) {
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(output, printed)
	}()
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		what, number, _ := strings.Cut(lines.Text(), " ")
		value, err := strconv.Atoi(number)
		switch {
		case err != nil:
		case what == "pid":
			p.PID = value
			close(started)
		case what == "exit":
			p.Status = value
		}
	}
	if p.PID == 0 {
		close(started)
	}
	p.asked = p.stopping.Load()
	_, _ = watchdog.Wait() // how it ended says nothing; it kills itself with its group
	if p.Status < 0 {
		// It was killed and could not clean up.
		p.signalGroup()
		endMarked(p.mark)
	}
	select {
	case <-drained:
	case <-time.After(drainTime):
	}
	closeAll(printed, said)
	p.stop() // the lifeline goes too
	close(p.done)
}

// Done is closed when the program is gone with all that it started.
func (p *Process) Done() <-chan struct{} { return p.done }

// Asked tells whether the end was asked for; valid once Done is closed.
func (p *Process) Asked() bool { return p.asked }

// stop asks the watchdog to end the program. It may be called again.
func (p *Process) stop() {
	if p.stopping.CompareAndSwap(false, true) {
		_ = p.lifeline.Close()
	}
}

// End ends the program, and returns when it is gone with all that it started. Where that takes longer than the context it is ended
// by force, and the context's error says so.
func (p *Process) End(ctx context.Context) error {
	p.stop()
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
	}
	p.Kill()
	return ctx.Err()
}

// Kill ends the program and its watchdog at once, as a crash would, and returns when they are gone.
func (p *Process) Kill() {
	p.signalGroup()
	<-p.done
}

// signalGroup kills the watchdog, the program and all of their group. Nothing left to kill is no error.
func (p *Process) signalGroup() {
	select {
	case <-p.done: // the group's number may belong to somebody else by now
	default:
		_ = syscall.Kill(-p.Group, syscall.SIGKILL)
	}
}

// Ending says in words how the program ended; valid once Done is closed.
func (p *Process) Ending() string {
	switch {
	case p.Status < 0:
		return "its watchdog was killed"
	case p.Status > signalled:
		return fmt.Sprintf("it was ended by signal %d (%v)", p.Status-signalled, syscall.Signal(p.Status-signalled))
	}
	return fmt.Sprintf("it ended with exit status %d", p.Status)
}

// closeAll closes pipes whose errors nobody could act on.
func closeAll(files ...*os.File) {
	for _, file := range files {
		_ = file.Close()
	}
}
