package mutants

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// children lists the names of the processes that this one has started and that
// still run.
func children(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	require.NoError(t, err)
	var found []string
	for _, entry := range entries {
		text, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue // no process, or one that has just ended
		}
		// "123 (name) S 1 ...": state and parent follow the name.
		head, rest, _ := strings.Cut(string(text), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) {
			found = append(found, head)
		}
	}
	return found
}
