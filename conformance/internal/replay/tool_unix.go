//go:build unix

package replay

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// sweep is a shell function that ends every process with a mark, $1, in its environment, also one that has left the process group
// for a session of its own. It finds them in /proc, so on systems without it, such as macOS, these stay; and so does, anywhere, what
// has left the group and taken an empty environment.
const sweep = `
sweep() {
	tries=0
	while [ "$tries" -lt 50 ]; do
		found=$(grep -lsF "$1" /proc/[0-9]*/environ) # its status tells of processes that have ended meanwhile
		[ -n "$found" ] || break
		for each in $found; do
			each=${each#/proc/}
			kill -KILL "${each%/environ}"
		done
		tries=$((tries + 1))
	done
}
`

// marker is the variable that holds the mark.
const marker = "DYNAPROOF_TOOL"

// nanny is the shell script that runs a command, $1, in a process group of its own. The
// group ends with the command, whatever that left in the background, and with this
// process: a pipe is the script's standard input, whose only writing end is ours, and a
// subshell waits for its end. The command's exit status comes on descriptor 3. $2 is the mark.
const nanny = sweep + `
exec 4<&0
` + marker + `="$2" /bin/sh -c "$1" </dev/null 3>&- 4<&- &
command=$!
(
	exec 3>&- >/dev/null 2>&1
	while read -r line <&4; do :; done
	sweep "$2"
	kill -KILL 0
) &
wait "$command"
echo "$?" >&3
kill -KILL 0
`

// drainTime bounds the wait for output after the group was killed. It is reached only
// when a process that the command started left the group and keeps the output open.
const drainTime = 2 * time.Second

// runGroup runs a command for /bin/sh, and ends all that it started when it ends, or the
// context does.
func runGroup(ctx context.Context, command string, environment []string, output io.Writer) error {
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
	run := exec.CommandContext(ctx, "/bin/sh", "-c", nanny, "dynaproof-tool", command, mark)
	run.Env, run.Stdin, run.Stdout, run.Stderr, run.ExtraFiles = environment, lifeline[0], printed[1], printed[1], []*os.File{said[1]}
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	run.Cancel = func() error { return syscall.Kill(-run.Process.Pid, syscall.SIGKILL) }
	if err := run.Start(); err != nil {
		return err
	}
	for _, child := range []*os.File{lifeline[0], printed[1], said[1]} {
		_ = child.Close()
	}
	drained := make(chan struct{})
	go func() { defer close(drained); _, _ = io.Copy(output, printed[0]) }()
	ended := run.Wait() // the script kills itself with its group: how it ended says nothing
	// After the group, so that nothing of it starts more. Without a context: nothing that was started may stay.
	if err := exec.CommandContext(context.WithoutCancel(ctx), "/bin/sh", "-c", sweep+`sweep "$1" 2>/dev/null`, "dynaproof-tool", mark).Run(); err != nil {
		return fmt.Errorf("ending what the command started: %w", err)
	}
	status, err := io.ReadAll(said[0])
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
		return fmt.Errorf("its shell killed: %w", ended)
	default:
		return fmt.Errorf("exit status %s", how)
	}
}
