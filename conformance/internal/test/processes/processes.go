// Package processes tells which processes a process has started, for tests that look at what is left of them. It reads what the kernel of
// Linux shows; elsewhere it finds none.
package processes

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Children are the processes that a process has started and that have not been waited for.
func Children(pid int) (found []int) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the form is right
	for _, path := range threads {
		text, _ := os.ReadFile(path) // a thread that has ended has none
		for _, word := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				found = append(found, child)
			}
		}
	}
	return found
}

// Name is the name of a process's program, "" where it has ended.
func Name(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)) // one that has ended has no name
	return strings.TrimSpace(string(text))
}
