package watchdog

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
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
		text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat") // none of a process that has ended meanwhile
		if fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]); len(fields) > 1 {
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

// endMarked ends the processes with an entry in their environment, and what they start meanwhile.
func endMarked(entry string) {
	for again := true; again; {
		again = false
		for _, pid := range processes() {
			environment, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ") // none of those of other users, and of what has ended
			if bytes.Contains(environment, []byte(entry)) && syscall.Kill(pid, syscall.SIGKILL) == nil {
				again = true
			}
		}
	}
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
