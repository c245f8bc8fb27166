package guardtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestGuardKnowsTheContractOnly keeps the guard usable in production code: what
// it imports is the standard library, the AWS SDK and the contract. No file
// below accesspatterns, tests included, imports another room.
func TestGuardKnowsTheContractOnly(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..", "accesspatterns")
	files := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		files++
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		inGuard := filepath.Base(filepath.Dir(path)) == "guard" && !strings.HasSuffix(path, "_test.go")
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if problem := forbidden(name, inGuard); problem != "" {
				t.Errorf("%s: expected no import of %s, found %s", path, problem, name)
			}
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("expected Go files below %s, found %d: %v", root, files, err)
	}
}

// forbidden says what is wrong with an import; empty when nothing is.
func forbidden(name string, inGuard bool) string {
	module, path, _ := strings.Cut(name, "/")
	switch {
	case module == "dynaproof" && !strings.HasPrefix(path, "accesspatterns"):
		return "another room"
	case !inGuard || name == "dynaproof/accesspatterns" || strings.HasPrefix(name, "dynaproof/accesspatterns/internal/") || strings.HasPrefix(name, "github.com/aws/"):
		return ""
	case module == "dynaproof" || strings.Contains(module, "."):
		return "more than the contract and the AWS SDK"
	}
	return ""
}

func TestForbiddenImports(t *testing.T) {
	for _, c := range []struct {
		name    string
		inGuard bool
		allowed bool
	}{
		{"fmt", true, true}, {"log/slog", true, true}, {"dynaproof/accesspatterns", true, true}, {"github.com/aws/smithy-go/middleware", true, true},
		{"dynaproof/fixtures", true, false}, {"dynaproof/accesspatterns/rollmodel", true, false}, {"pgregory.net/rapid", true, false},
		{"dynaproof/fixtures", false, false}, {"dynaproof/conformance/internal/wire", false, false}, {"pgregory.net/rapid", false, true},
	} {
		if got := forbidden(c.name, c.inGuard) == ""; got != c.allowed {
			t.Errorf("%s (guard %v): expected %v, found %v", c.name, c.inGuard, c.allowed, got)
		}
	}
}
