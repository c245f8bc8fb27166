//go:build unix

package target

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// watchdog is the shell script that stands between this process and the engine, so that the engine ends with us however
// we end. "$@" is the engine's command line.
//
// A pipe is the shell's standard input; its only writing end is ours, and the kernel closes it when we are gone, for
// whatever reason. A subshell waits for that end of file (we never write) and kills the engine. The shell itself waits
// for the engine, so it also ends when the engine dies first, tells how, and takes down what is left of the process
// group: the subshell and anything that the engine started. Should the shell be killed, the subshell still ends the
// engine with us.
//
// Standard output carries the shell's two lines ("pid N", "exit N"), standard error what the engine prints.
const watchdog = `
exec 3<&0
"$@" </dev/null >&2 3<&- &
engine=$!
(
	while read -r line <&3; do :; done
	kill -KILL "$engine"
) >/dev/null 2>&1 &
echo "pid $engine"
wait "$engine" 2>/dev/null
echo "exit $?"
exec 2>/dev/null
kill -KILL 0
`

// drainTimeout bounds the wait for output after the process group was killed. It is reached only when a process that
// the engine started left the group and keeps the pipe open.
const drainTimeout = 2 * time.Second

// process is an engine behind its watchdog.
type process struct {
	// pid is the engine's process id.
	pid int
	// output is what the engine printed.
	output *output
	// done is closed when the engine is gone and its port free.
	done chan struct{}
	// asked tells whether the end was asked for; valid once done is closed.
	asked bool

	// group is the process group of the watchdog, the engine and all that the engine starts.
	group int
	// lifeline is the writing end of the watchdog's standard input.
	lifeline io.Closer
	stopping atomic.Bool
	// status is the engine's exit status as a shell tells it, -1 when the watchdog did not get to tell; valid once
	// done is closed.
	status int
}

// startProcess starts an engine behind a watchdog and returns once it has a process id. The engine prints word when it
// listens. Whether the engine could be
// executed shows in done and ending.
func startProcess(word, path string, arguments ...string) (*process, error) {
	command := exec.Command("/bin/sh", append([]string{"-c", watchdog, "dynaproof-engine", path}, arguments...)...) //nolint:noctx // the engine outlives the context: it is needed to tear down, and its watchdog ends it
	// A group of its own: a Ctrl-C in the terminal reaches us and not the engine, which is still needed to tear
	// down. It also makes the whole family killable at once.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// The engine takes its settings from its command line alone.
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	lifeline, err := command.StdinPipe()
	if err != nil {
		return nil, startError(err.Error(), err)
	}
	// Files rather than writers, so that Wait returns when the shell ends, even if somebody still holds a pipe.
	words, wordsEnd, err := os.Pipe()
	if err != nil {
		return nil, startError(err.Error(), err)
	}
	printed, printedEnd, err := os.Pipe()
	if err != nil {
		closeAll(words, wordsEnd)
		return nil, startError(err.Error(), err)
	}
	command.Stdout, command.Stderr = wordsEnd, printedEnd
	err = command.Start()
	closeAll(wordsEnd, printedEnd)
	if err != nil {
		closeAll(words, printed)
		return nil, startError(err.Error(), err)
	}
	p := &process{
		output: newOutput(word), done: make(chan struct{}), group: command.Process.Pid, lifeline: lifeline, status: -1,
	}
	started := make(chan struct{})
	go p.supervise(command, words, printed, started)
	<-started
	return p, nil
}

// supervise follows a watchdog from its first word to its end. It closes started when the engine's process id is known
// or never will be.
func (p *process) supervise(command *exec.Cmd, words, printed *os.File, started chan<- struct{}) {
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(p.output, printed)
	}()

	lines := bufio.NewScanner(words)
	for lines.Scan() {
		what, number, _ := strings.Cut(lines.Text(), " ")
		value, err := strconv.Atoi(number)
		switch {
		case err != nil:
		case what == "pid":
			p.pid = value
			close(started)
		case what == "exit":
			p.status = value
		}
	}
	if p.pid == 0 {
		close(started)
	}
	asked := p.stopping.Load()
	_ = command.Wait() // how the shell ended says nothing; it kills itself with its group
	if p.status < 0 {
		// The watchdog was killed and could not clean up.
		p.signalGroup()
	}
	select {
	case <-drained:
	case <-time.After(drainTimeout):
	}
	closeAll(words, printed)
	p.asked = asked
	close(p.done)
}

// stop asks the watchdog to end the engine; done tells when that has happened. It may be called again.
func (p *process) stop() {
	if p.stopping.CompareAndSwap(false, true) {
		_ = p.lifeline.Close()
	}
}

// kill ends the engine and its watchdog at once.
func (p *process) kill() {
	p.stop()
	p.signalGroup()
}

// crash kills the engine without having asked it to end, and returns when it is gone.
func (p *process) crash() {
	p.signalGroup()
	<-p.done
}

// signalGroup kills the watchdog, the engine and all that it started. Nothing left to kill is no error.
func (p *process) signalGroup() {
	select {
	case <-p.done: // the group's number may belong to somebody else by now
	default:
		_ = syscall.Kill(-p.group, syscall.SIGKILL)
	}
}

// ending says in words how the engine ended; valid once done is closed.
func (p *process) ending() string {
	// A shell tells a signal as 128 and its number.
	const signalled = 128
	how := fmt.Sprintf("it ended with exit status %d", p.status)
	switch {
	case p.status < 0:
		how = "its watchdog was killed"
	case p.status > signalled:
		how = fmt.Sprintf("it was ended by signal %d (%v)", p.status-signalled, syscall.Signal(p.status-signalled))
	}
	if text := p.output.text(); text != "" {
		how += fmt.Sprintf(" after printing %q", text)
	}
	return how
}

// closeAll closes pipes whose errors nobody could act on.
func closeAll(files ...*os.File) {
	for _, file := range files {
		_ = file.Close()
	}
}
