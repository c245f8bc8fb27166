// Package attacks lists what was tried against the tool, each attack beside the tests
// that try it again.
package attacks

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

var named = regexp.MustCompile("`([a-z/]+)`|((?:Test|Fuzz)[A-Za-z0-9]+)(?:/([^,|]+))?")

// TestEveryAttackHasItsTest reads the list: each line names a test, and each test that
// is named is there, with the row that is named.
func TestEveryAttackHasItsTest(t *testing.T) {
	list, err := os.ReadFile("README.md")
	require.NoError(t, err)
	attacks, seen := 0, map[string]bool{}
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
		room, tests := "", 0
		for _, match := range named.FindAllStringSubmatch(strings.TrimSuffix(cells[2], " |"), -1) {
			if match[1] != "" {
				room = match[1]
				continue
			}
			tests++
			if text, found := test(t, room, match[2]); !found {
				t.Errorf("line %d: expected test %s in %s, found none", n+1, match[2], room)
			} else if row := strings.TrimSpace(match[3]); row != "" && !strings.Contains(text, strconv.Quote(row)) && !slices.Contains(rows(t, room, text), row) {
				t.Errorf("line %d: expected test %s of %s to have the row %q, found none", n+1, match[2], room, row)
			}
		}
		if tests == 0 {
			t.Errorf("line %d: expected a test, found none", n+1)
		}
	}
	if attacks < 70 {
		t.Errorf("expected the whole list, found %d attacks", attacks)
	}
}

// test returns the text of all tests of a package given by its folder, where one of them has a name: rows may stand beside it.
func test(t *testing.T, room, name string) (text string, found bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "..", room, "*_test.go"))
	require.NoError(t, err)
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, source, 0)
		require.NoError(t, err)
		for _, declared := range parsed.Decls {
			if function, is := declared.(*ast.FuncDecl); is && function.Recv == nil && function.Name.Name == name {
				found = true
			}
		}
		text += string(source)
	}
	return text, found
}

// table is a table that a test reads from a file.
var table = regexp.MustCompile(`\(t, "([a-z_-]+\.yaml)"\)`)

// rows returns the names of the rows in the tables that the text of a test reads.
func rows(t *testing.T, room, text string) (names []string) {
	t.Helper()
	for _, file := range table.FindAllStringSubmatch(text, -1) {
		content, err := os.ReadFile(filepath.Join("..", "..", "..", "..", room, "testdata", file[1]))
		require.NoError(t, err)
		var read any
		require.NoError(t, yaml.Unmarshal(content, &read))
		switch read := read.(type) {
		case map[string]any:
			names = slices.AppendSeq(names, maps.Keys(read))
		case []any:
			for _, row := range read {
				row, _ := row.(map[string]any)
				for _, name := range []string{"name", "call"} {
					if text, is := row[name].(string); is {
						names = append(names, text)
					}
				}
			}
		}
	}
	return names
}
