package watchdog

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
)

func executable() (string, error) { return "/proc/self/exe", nil } // also when it was replaced meanwhile

// endsWithParent makes a process end with its parent's thread. A watchdog starts its program on the thread that lasts as long as it
// does: the one that initialises packages.
func endsWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// adopt makes this process the parent of every process that descends from it and whose own parent ends.
// https://man7.org/linux/man-pages/man2/PR_SET_CHILD_SUBREAPER.2const.html
func adopt() {
	const setChildSubreaper = 36
	_, _, _ = syscall.RawSyscall6(syscall.SYS_PRCTL, setChildSubreaper, 1, 0, 0, 0, 0) // without it, as on a kernel before 3.4, orphans stay
}

// endChildren ends all that descends from this process. What a process starts before it is killed becomes a child of this one,
// which looks again whenever one has ended, until there is none.
func endChildren() {
	for {
		for _, pid := range descendants(os.Getpid()) {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
		}
		if _, err := syscall.Wait4(-1, nil, 0, nil); err != nil && err != syscall.EINTR {
			return // no child
		}
	}
}

// descendants are the processes that descend from one.
func descendants(of int) (all []int) {
	children := map[int][]int{}
	for _, pid := range processes() {
		if fields := statOf(pid); len(fields) > 1 {
			parent, _ := strconv.Atoi(string(fields[1]))
			children[parent] = append(children[parent], pid)
		}
	}
	all = children[of]
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all
}

// endMarked ends the processes with an entry in their environment, and what they start meanwhile. One that is executing another program
// has no environment until that is loaded, so it is looked at again; what takes longer than drainTime to load is left.
func endMarked(entry string) {
	until := time.Now().Add(drainTime)
	for again := true; again && time.Now().Before(until); {
		again = false
		for _, pid := range processes() {
			environment, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ") // none of those of other users, and of what has ended
			switch {
			case err != nil:
			case len(environment) == 0:
				again = again || isExecuting(pid)
			case bytes.Contains(environment, []byte(entry)) && syscall.Kill(pid, syscall.SIGKILL) == nil:
				again = true
			}
		}
	}
}

// isExecuting reports whether a process that had no environment had none yet: it has memory (vsize), and its environment has no place
// (env_end), or is there by now and not empty. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
func isExecuting(pid int) bool {
	const vsize, start, end = 23 - 3, 50 - 3, 51 - 3 // the first field behind the name is the third
	fields := statOf(pid)
	return len(fields) > end && string(fields[vsize]) != "0" && (string(fields[end]) == "0" || !bytes.Equal(fields[start], fields[end]))
}

// statOf are the fields of a process's status behind its name; none of one that has ended.
func statOf(pid int) [][]byte {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
}

func processes() (pids []int) {
	entries, _ := os.ReadDir("/proc") // what was read of it, if not all
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
