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
// but those that are slow to compile or to run with it. It links no package that has benchmarks and no test.
func TestRacedPackagesAreThoseThatStartGoroutines(t *testing.T) {
	listed := exec.CommandContext(t.Context(), "go", "list", "-test", "-json=ImportPath,Dir,ForTest,GoFiles,TestGoFiles,XTestGoFiles,Deps", "./...")
	listed.Dir = root
	text := tabletest.Must(listed.Output())(t)
	slow, starts, tests := map[string]bool{}, map[string]bool{}, map[string]bool{}
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
				tests[each.ImportPath] = tests[each.ImportPath] || hasTest.MatchString(read(t, filepath.Join(strings.TrimPrefix(each.ImportPath, "dynaproof"), file)))
				starts[each.ImportPath] = starts[each.ImportPath] || startsGoroutines(t, filepath.Join(each.Dir, file))
			}
		}
	}
	want := map[string][]string{}
	for name, slow := range slow {
		list := map[bool]string{true: "RACE", false: "MEASURED"}[tests[name]]
		if !tests[name] || starts[name] && !slow {
			want[list] = append(want[list], "./"+strings.TrimPrefix(name, "dynaproof/"))
		}
	}
	for _, list := range []string{"RACE", "MEASURED"} {
		line := regexp.MustCompile(`(?m)^` + list + ` := ((?:.*\\\n)*.*)$`).FindStringSubmatch(read(t, "Makefile"))
		require.NotNil(t, line, "expected a line %s := in the Makefile", list)
		d := cmp.Diff(slices.Sorted(slices.Values(want[list])), slices.Sorted(slices.Values(strings.Fields(strings.ReplaceAll(line[1], "\\\n", " ")))))
		assert.Empty(t, d, "%s in the Makefile (-packages that belong there +%s)", list, list)
	}
	assert.GreaterOrEqual(t, len(want["RACE"]), 5)
}

// hasTest finds what go test runs without being asked for benchmarks.
var hasTest = regexp.MustCompile(`(?m)^func (?:Test|Fuzz|Example)\w*\(`)

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
