// Package attacks lists what was tried against the tool, each attack beside the tests
// that try it again.
package attacks

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

var named = regexp.MustCompile("`([a-z/]+)`|((?:Test|Fuzz)[A-Za-z0-9]+)(?:/([^,|]+))?")

// TestEveryAttackHasItsTest reads the list: each line names a test, and each test that
// is named is there, with the row that is named.
func TestEveryAttackHasItsTest(t *testing.T) {
	list, err := os.ReadFile("README.md")
	require.NoError(t, err)
	attacks, seen, read := 0, map[string]bool{}, map[string]tests{}
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
			if read[room].declared == nil {
				read[room] = testsOf(t, room)
			}
			if row := strings.TrimSpace(match[3]); read[room].declared[match[2]] == nil {
				t.Errorf("line %d: expected test %s in %s, found none", n+1, match[2], room)
			} else if row != "" && !slices.Contains(read[room].rows(t, match[2]), row) {
				t.Errorf("line %d: expected test %s of %s to have the row %q, found none", n+1, match[2], room, row)
			}
		}
		assert.NotZero(t, count, "line %d: expected a test", n+1)
	}
	assert.GreaterOrEqual(t, attacks, 70, "expected the whole list, found %d attacks", attacks)
}

// tests are what the test files of a package declare, by name; methods of several types stand together.
type tests struct {
	folder   string
	declared map[string][]ast.Node
}

// testsOf reads the tests of a package given by its folder.
func testsOf(t *testing.T, room string) tests {
	t.Helper()
	read := tests{filepath.Join("..", "..", "..", "..", room), map[string][]ast.Node{}}
	files, err := filepath.Glob(filepath.Join(read.folder, "*_test.go"))
	require.NoError(t, err)
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, declared := range parsed.Decls {
			switch declared := declared.(type) {
			case *ast.FuncDecl:
				read.declared[declared.Name.Name] = append(read.declared[declared.Name.Name], declared)
			case *ast.GenDecl:
				for _, spec := range declared.Specs {
					if values, is := spec.(*ast.ValueSpec); is {
						for _, name := range values.Names {
							read.declared[name.Name] = append(read.declared[name.Name], values)
						}
					}
				}
			}
		}
	}
	return read
}

// rows returns the texts of a test, and those of the functions and values that it names, directly or through others, with the names of the
// rows in the tables that these open.
func (s tests) rows(t *testing.T, test string) []string {
	t.Helper()
	var texts []string
	seen := map[string]bool{}
	var walk func(name string)
	walk = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		for _, declared := range s.declared[name] {
			ast.Inspect(declared, func(node ast.Node) bool {
				switch node := node.(type) {
				case *ast.Ident:
					walk(node.Name)
				case *ast.BasicLit:
					if node.Kind == token.STRING {
						text, err := strconv.Unquote(node.Value)
						require.NoError(t, err)
						texts = append(texts, text)
					}
				case *ast.CallExpr:
					if file := opens(node); file != "" {
						texts = append(texts, rowsIn(t, filepath.Join(s.folder, "testdata", file))...)
					}
				}
				return true
			})
		}
	}
	walk(test)
	return texts
}

// opens returns the file of the table that a call of tabletest reads, if it is one.
func opens(call *ast.CallExpr) string {
	of, generic := call.Fun.(*ast.IndexExpr)
	if !generic || types.ExprString(of.X) != "tabletest.Read" || len(call.Args) != 2 {
		return ""
	}
	name, written := call.Args[1].(*ast.BasicLit)
	if !written {
		return ""
	}
	file, _ := strconv.Unquote(name.Value)
	return file
}

// rowsIn returns the names of the rows in a table.
func rowsIn(t *testing.T, file string) (names []string) {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	var read any
	require.NoError(t, yaml.Unmarshal(content, &read))
	lists, _ := read.(map[string]any)
	all, _ := read.([]any)
	for key, list := range lists {
		rows, _ := list.([]any)
		names, all = append(names, key), append(all, rows...)
	}
	for _, row := range all {
		row, _ := row.(map[string]any)
		for _, name := range []string{"name", "reason", "call", "honest", "never"} {
			if text, is := row[name].(string); is {
				names = append(names, text)
			}
		}
	}
	return names
}

// openers are the functions that open files or folders by a name.
var openers = map[string][]string{
	"os":       {"ReadFile", "Open", "OpenFile", "OpenInRoot", "OpenRoot", "DirFS", "ReadDir"},
	"ioutil":   {"ReadFile", "ReadDir"},
	"filepath": {"Walk", "WalkDir"},
}

// own are the files that open what this program wrote itself, or what the system says, with the reason.
var own = map[string]string{
	"accesspatterns/designtest/frozen.go":              "a committed list of a test",
	"accesspatterns/input/input.go":                    "all input is opened here",
	"accesspatterns/tabletest/tabletest.go":            "a table of a test",
	"conformance/internal/replay/items.go":             "the run's journal of items, which it writes",
	"conformance/internal/test/processes/processes.go": "what /proc says of processes that a test started",
	"conformance/internal/wholefile/wholefile.go":      "the folder of a file that was written, to sync it",
	"conformance/internal/watchdog/watchdog_linux.go":  "what /proc says of processes below this one",
	"conformance/internal/watchdog/watchdog_unix.go":   "the null device, for a process of its own",
	"conformance/report/check.go":                      "the folder of a report, to list the names in it",
	"conformance/target/install.go":                    "what was installed, to digest it",
	"stacks/deploy/lock.go":                            "locks of Pulumi's backend",
	"stacks/deploy/plugin.go":                          "the installed plugin, to digest it",
}

// TestOnlyInputOpensFiles lists every place that opens a file: of what somebody hands to the program, none does but package input.
func TestOnlyInputOpensFiles(t *testing.T) {
	const root = "../../../.."
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		if err != nil || entry.IsDir() && (name == ".git" || name == "build" || name == "testdata") {
			if err == nil {
				err = filepath.SkipDir
			}
			return err
		}
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		path = filepath.ToSlash(strings.TrimPrefix(path, root+"/"))
		ast.Inspect(file, func(node ast.Node) bool {
			selected, is := node.(*ast.SelectorExpr)
			if !is {
				return true
			}
			if of, is := selected.X.(*ast.Ident); is && slices.Contains(openers[of.Name], selected.Sel.Name) {
				found[path] = true
			}
			return true
		})
		return nil
	})
	require.NoError(t, err)
	for _, path := range slices.Sorted(maps.Keys(found)) {
		assert.NotEmpty(t, own[path], "%s: expected that it opens files with package input, found that it opens one itself", path)
	}
	for _, path := range slices.Sorted(maps.Keys(own)) {
		assert.True(t, found[path], "%s: expected that it opens %s, found that it opens nothing; take it off the list", path, own[path])
	}
}
