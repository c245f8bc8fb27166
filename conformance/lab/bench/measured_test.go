//go:build unix

package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// measurement is what a command took: seconds, and the peak of the resident memory of
// the command and of the dynaproof processes that it started, in MB.
type measurement struct{ seconds, peak float64 }

func measured(ctx context.Context, name string, args ...string) (measurement, error) {
	var out bytes.Buffer
	command := exec.CommandContext(ctx, name, args...)
	command.Stdout, command.Stderr = &out, &out
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
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", command, err, out.String())
	}
	return measurement{seconds, <-peak / 1e6}, err
}

// watched adds up the peaks of the resident memory of a process and of dynaproof-local
// below it, in bytes, until the process has ended. It is 0 where there is no /proc.
func watched(pid int, ended <-chan struct{}) float64 {
	peaks := map[string]float64{}
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	for {
		for _, id := range append([]string{strconv.Itoa(pid)}, below(pid)...) {
			status, _ := os.ReadFile(filepath.Join("/proc", id, "status"))
			_, behind, _ := bytes.Cut(status, []byte("VmHWM:"))
			if fields := strings.Fields(string(behind)); len(fields) > 0 {
				kib, _ := strconv.ParseFloat(fields[0], 64)
				peaks[id] = max(peaks[id], kib*1024)
			}
		}
		select {
		case <-ended:
			sum := 0.0
			for _, peak := range peaks {
				sum += peak
			}
			return sum
		case <-look.C:
		}
	}
}

// below are the processes of dynaproof-local that a process started.
func below(pid int) []string {
	var found []string
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, id := range strings.Fields(string(text)) {
			if name, _ := os.ReadFile(filepath.Join("/proc", id, "comm")); strings.HasPrefix(string(name), "dynaproof-local") {
				found = append(found, id)
			}
		}
	}
	return found
}

// benchmarks runs Go benchmarks of a package several times and returns their metrics, by
// name and unit: the lowest of each, because what else the machine does can only add to them.
func benchmarks(ctx context.Context, pattern, folder string) (map[string]map[string]float64, error) {
	text, err := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", pattern, "-benchmem", "-benchtime", "100ms", "-count", "7", folder).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("benchmarks of %s: %w\n%s", folder, err, text)
	}
	found := map[string]map[string]float64{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := fields[0]
		if at := strings.LastIndex(name, "-"); at > 0 { // the number of processors
			name = name[:at]
		}
		if found[name] == nil {
			found[name] = map[string]float64{}
		}
		for i := 2; i+1 < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if before, known := found[name][fields[i+1]]; err == nil && (!known || value < before) {
				found[name][fields[i+1]] = value
			}
		}
	}
	return found, nil
}
