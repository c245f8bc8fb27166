package guardtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGuardKnowsTheContractOnly keeps the guard usable in production code: what
// it imports is the standard library, the AWS SDK and the contract's types,
// which import no more themselves: nothing that reads documents, loads contracts
// or lists claims. No file below accesspatterns, tests included, imports another
// room.
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
		inGuard := linked(root, path) && !strings.HasSuffix(path, "_test.go")
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			problem := forbidden(name, inGuard)
			assert.Empty(t, problem, "%s: expected no import of %s, found %s", path, problem, name)
		}
		return nil
	})
	require.NoError(t, err)
	require.NotZero(t, files, "expected Go files below %s", root)
}

// parts are the rooms that the contract's types and the guard are made of, beside themselves.
var parts = []string{"dynamo", "expression", "lists", "sdk", "validate"}

// linked reports whether a service that uses the guard links the file: it is of the guard, of the contract's types, or of what only these
// two may import.
func linked(root, path string) bool {
	room, err := filepath.Rel(root, filepath.Dir(path))
	return err == nil && (room == "guard" || room == "." || slices.Contains(parts, room) || strings.HasPrefix(room, "internal"+string(filepath.Separator)))
}

// forbidden says what is wrong with an import; empty when nothing is.
func forbidden(name string, inGuard bool) string {
	module, path, _ := strings.Cut(name, "/")
	switch {
	case module == "dynaproof" && !strings.HasPrefix(path, "accesspatterns"):
		return "another room"
	case !inGuard || name == "dynaproof/accesspatterns" || slices.Contains(parts, strings.TrimPrefix(name, "dynaproof/accesspatterns/")) || strings.HasPrefix(name, "dynaproof/accesspatterns/internal/") || strings.HasPrefix(name, "github.com/aws/"):
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
		{"dynaproof/accesspatterns/validate", true, true}, {"dynaproof/accesspatterns/designtest", true, false}, {"dynaproof/fixtures", true, false}, {"dynaproof/accesspatterns/rollmodel", true, false}, {"dynaproof/accesspatterns/manifest", true, false},
		{"github.com/sergi/go-diff/diffmatchpatch", true, false}, {"dynaproof/accesspatterns/document/coverage", true, false}, {"pgregory.net/rapid", true, false},
		{"dynaproof/fixtures", false, false}, {"dynaproof/conformance/internal/wire", false, false}, {"pgregory.net/rapid", false, true},
	} {
		assert.Equal(t, c.allowed, forbidden(c.name, c.inGuard) == "", "%s (guard %v)", c.name, c.inGuard)
	}
}
