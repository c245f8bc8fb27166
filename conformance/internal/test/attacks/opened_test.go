package attacks

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// openers are the functions that open files or folders by a name.
var openers = map[string][]string{
	"os":       {"ReadFile", "Open", "OpenFile", "OpenInRoot", "OpenRoot", "DirFS", "ReadDir"},
	"ioutil":   {"ReadFile", "ReadDir"},
	"filepath": {"Walk", "WalkDir"},
}

// own are the files that open what this program wrote itself, or what the system says, with the reason.
var own = map[string]string{
	"accesspatterns/designtest/frozen.go":             "a committed list of a test",
	"accesspatterns/input/input.go":                   "all input is opened here",
	"accesspatterns/tabletest/tabletest.go":           "a table of a test",
	"conformance/internal/replay/items.go":            "the run's journal of items, which it writes",
	"conformance/internal/wholefile/wholefile.go":     "the folder of a file that was written, to sync it",
	"conformance/internal/watchdog/watchdog_linux.go": "what /proc says of processes below this one",
	"conformance/internal/watchdog/watchdog_unix.go":  "the null device, for a process of its own",
	"conformance/lab/bench/run.go":                    "what /proc says of a process that was started",
	"conformance/report/check.go":                     "the folder of a report, to list the names in it",
	"conformance/target/install.go":                   "what was installed, to digest it",
	"stacks/deploy/lock.go":                           "locks of Pulumi's backend",
	"stacks/deploy/plugin.go":                         "the installed plugin, to digest it",
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
		if own[path] == "" {
			t.Errorf("%s: expected that it opens files with package input, found that it opens one itself", path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(own)) {
		if !found[path] {
			t.Errorf("%s: expected that it opens %s, found that it opens nothing; take it off the list", path, own[path])
		}
	}
}
