package workflows

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
)

// The race detector has something to find in a package that starts goroutines, in its
// tests or in what they test, and nowhere else. `make test` takes all of these packages
// but those that are slow to compile or to run with it.
func TestRacedPackagesAreThoseThatStartGoroutines(t *testing.T) {
	listed := exec.CommandContext(t.Context(), "go", "list", "-test", "-json=ImportPath,Dir,ForTest,GoFiles,TestGoFiles,XTestGoFiles,Deps", "./...")
	listed.Dir = root
	text := tabletest.Must(listed.Output())(t)
	slow, starts := map[string]bool{}, map[string]bool{}
	long := []string{"dynaproof/conformance/report", "dynaproof/conformance/internal/test/exploretest"} // minutes under the detector: in `make races`
	for packages := json.NewDecoder(bytes.NewReader(text)); ; {
		var each struct {
			ImportPath, Dir, ForTest           string
			GoFiles, TestGoFiles, XTestGoFiles []string
			Deps                               []string
		}
		if err := packages.Decode(&each); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		tested, isTest := strings.CutSuffix(each.ImportPath, ".test")
		switch {
		case isTest:
			slow[tested] = slices.Contains(long, tested) || slices.ContainsFunc(each.Deps, func(name string) bool {
				return strings.HasPrefix(name, "github.com/pulumi/pulumi/") || name == "dynaproof/conformance/suite/session"
			})
		case each.ForTest == "":
			for _, file := range slices.Concat(each.GoFiles, each.TestGoFiles, each.XTestGoFiles) {
				starts[each.ImportPath] = starts[each.ImportPath] || startsGoroutines(t, filepath.Join(each.Dir, file))
			}
		}
	}
	var want []string
	for name, does := range starts {
		if slow, tested := slow[name]; does && tested && !slow {
			want = append(want, "./"+strings.TrimPrefix(name, "dynaproof/"))
		}
	}
	slices.Sort(want)
	line := regexp.MustCompile(`(?m)^RACE := ((?:.*\\\n)*.*)$`).FindStringSubmatch(read(t, "Makefile"))
	require.NotNil(t, line, "expected a line RACE := in the Makefile")
	found := strings.Fields(strings.ReplaceAll(line[1], "\\\n", " "))
	slices.Sort(found)
	d := cmp.Diff(want, found)
	assert.True(t, d == "" && len(want) >= 5, "RACE in the Makefile (-packages that start goroutines +RACE):\n%s", d)
}

// startsGoroutines reports whether a file has a go statement, or calls what starts one:
// Go of a group, SideBySide of a laboratory, or Parallel and RunParallel of a test.
func startsGoroutines(t *testing.T, path string) (does bool) {
	t.Helper()
	ast.Inspect(tabletest.Must(parser.ParseFile(token.NewFileSet(), path, nil, 0))(t), func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.GoStmt:
			does = true
		case *ast.SelectorExpr:
			does = does || slices.Contains([]string{"Go", "Parallel", "RunParallel", "SideBySide"}, node.Sel.Name)
		}
		return !does
	})
	return does
}
