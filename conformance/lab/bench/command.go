//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// measurement is what a command took: seconds, and the peak of its resident memory in MB. Processes that it
// started are not counted.
type measurement struct {
	seconds, peak float64
	out           []byte
}

func measured(ctx context.Context, name string, args ...string) (measurement, error) {
	var out, problems bytes.Buffer
	command := exec.CommandContext(ctx, name, args...)
	command.Stdout, command.Stderr = &out, &problems
	began := time.Now()
	if err := command.Start(); err != nil {
		return measurement{}, err
	}
	ended := make(chan struct{})
	peak := make(chan float64, 1)
	go func() { peak <- watched(command.Process.Pid, ended) }()
	err := command.Wait()
	seconds := time.Since(began).Seconds()
	close(ended)
	seen := <-peak
	if err != nil {
		return measurement{}, fmt.Errorf("%s: %w\n%s%s", command, err, problems.String(), out.String())
	}
	if usage, known := command.ProcessState.SysUsage().(*syscall.Rusage); known && runtime.GOOS == "darwin" {
		seen = float64(usage.Maxrss) // in bytes
	}
	return measurement{seconds, seen / 1e6, out.Bytes()}, nil
}

// watched looks at the peak of a process's resident memory, in bytes, until it has ended. What Linux tells
// of a process that has ended counts also the memory of the one that started it, which is this one's.
func watched(pid int, ended <-chan struct{}) float64 {
	peak := 0.0
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	for {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if _, behind, told := bytes.Cut(status, []byte("VmHWM:")); err == nil && told {
			if fields := bytes.Fields(behind); len(fields) > 0 {
				if kib, err := strconv.ParseFloat(string(fields[0]), 64); err == nil {
					peak = max(peak, kib*1024)
				}
			}
		}
		select {
		case <-ended:
			return peak
		case <-look.C:
		}
	}
}

// inFolder does something with a folder that is removed afterwards.
func inFolder(do func(folder string) error) (err error) {
	folder, err := os.MkdirTemp("", "dynaproof-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	return do(folder)
}
