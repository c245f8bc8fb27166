// Package attacks lists what was tried against the tool, each attack beside the tests
// that try it again.
package attacks

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var named = regexp.MustCompile("`([a-z/]+)`|((?:Test|Fuzz)[A-Za-z0-9]+)(?:/([^,|]+))?")

// TestEveryAttackHasItsTest reads the list: each line names a test, and each test that
// is named is there, with the row that is named.
func TestEveryAttackHasItsTest(t *testing.T) {
	list, err := os.ReadFile("README.md")
	require.NoError(t, err)
	attacks, seen, read := 0, map[string]bool{}, map[string]string{}
	for n, line := range strings.Split(string(list), "\n") {
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| what is tried") {
			continue
		}
		if len(cells) != 3 {
			t.Errorf("line %d: expected an attack, what must hold, and its tests, found %q", n+1, line)
			continue
		}
		if seen[cells[0]] {
			t.Errorf("line %d: expected each attack once, found %q again", n+1, cells[0])
		}
		attacks, seen[cells[0]] = attacks+1, true
		room, count := "", 0
		for _, match := range named.FindAllStringSubmatch(strings.TrimSuffix(cells[2], " |"), -1) {
			if match[1] != "" {
				room = match[1]
				continue
			}
			count++
			if read[room] == "" {
				read[room] = testsOf(t, room)
			}
			if !strings.Contains(read[room], "\nfunc "+match[2]+"(") {
				t.Errorf("line %d: expected test %s in %s, found none", n+1, match[2], room)
			}
			row := strings.TrimSpace(match[3])
			if quoted := strconv.Quote(row); !strings.Contains(read[room], row) && !strings.Contains(read[room], quoted[1:len(quoted)-1]) {
				t.Errorf("line %d: expected the tests of %s to have the row %q, found none", n+1, room, row)
			}
		}
		if count == 0 {
			t.Errorf("line %d: expected a test, found none", n+1)
		}
	}
	if attacks < 70 {
		t.Errorf("expected the whole list, found %d attacks", attacks)
	}
}

// testsOf are the texts of the tests of a package, given by its folder, and of their tables.
func testsOf(t *testing.T, room string) string {
	t.Helper()
	var text strings.Builder
	for _, form := range []string{"*_test.go", "testdata/*.yaml"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "..", "..", room, form))
		require.NoError(t, err)
		for _, file := range files {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			text.WriteString(string(content))
		}
	}
	return text.String()
}
