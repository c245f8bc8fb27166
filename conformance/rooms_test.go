package conformance_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The contract knows nobody, and the fixtures know the contract alone: an
// expectation must never come from what it is compared with. The stacks have a
// test of their own.
func TestRoomsKnowOnlyWhomTheyMay(t *testing.T) {
	for room, may := range map[string][]string{
		"accesspatterns": {"dynaproof/accesspatterns"},
		"fixtures":       {"dynaproof/accesspatterns", "dynaproof/fixtures"},
		// The reader witnesses against contracts: it must not know them.
		"accesspatterns/document/reader": {"dynaproof/accesspatterns/document/reader", "dynaproof/accesspatterns/document/internal/lazyregexp"},
	} {
		t.Run(room, func(t *testing.T) {
			files := 0
			err := filepath.WalkDir(filepath.Join("..", room), func(path string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
					return err
				}
				files++
				file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
				if err != nil {
					return err
				}
				for _, spec := range file.Imports {
					name, err := strconv.Unquote(spec.Path.Value)
					if err != nil {
						return err
					}
					if strings.HasPrefix(name, "dynaproof/") && !within(name, may) {
						t.Errorf("%s: expected imports of %s only, found %s", path, strings.Join(may, " and "), name)
					}
				}
				return nil
			})
			require.NoError(t, err)
			if files == 0 {
				t.Error("found no Go files")
			}
		})
	}
}

// The harness deploys by a command: no package of it, and no test, links the programs or Pulumi's engine.
func TestNoRoomKnowsTheStacks(t *testing.T) {
	files := 0
	for _, room := range []string{"accesspatterns", "conformance", "fixtures"} {
		err := filepath.WalkDir(filepath.Join("..", room), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() && entry.Name() == "testdata" {
				return filepath.SkipDir // modules of others
			}
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
				return err
			}
			files++
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, spec := range file.Imports {
				name, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					return err
				}
				if within(name, []string{"dynaproof/stacks", "github.com/pulumi"}) {
					t.Errorf("%s: expected no import of the stacks or of Pulumi, found %s; ask the command, by dynaproof/conformance/internal/deploy", path, name)
				}
			}
			return nil
		})
		require.NoError(t, err)
	}
	if files == 0 {
		t.Error("found no Go files")
	}
}

// mostMethods is how many methods a type may have: one with more is several.
const mostMethods = 30

// crowded are the types that have more. One that no longer has leaves the list.
var crowded = []string{
	"accesspatterns/contract.builder", "accesspatterns/contract/importer.draft", "accesspatterns/document/reader.reader", "accesspatterns/explore.explorer",
	"accesspatterns/document/review.looker", "accesspatterns/guard.Guard", "conformance/internal/replay.Replay",
	"conformance/internal/safewrite.Protection", "conformance/lab/mutants.generator",
}

func TestNoTypeIsARoom(t *testing.T) {
	methods := map[string]int{}
	for _, room := range []string{"accesspatterns", "conformance", "fixtures", "stacks"} {
		err := filepath.WalkDir(filepath.Join("..", room), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() && entry.Name() == "testdata" {
				return filepath.SkipDir // modules of others
			}
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, declared := range file.Decls {
				if function, is := declared.(*ast.FuncDecl); is && function.Recv != nil {
					name := strings.TrimLeft(types.ExprString(function.Recv.List[0].Type), "*")
					name, _, _ = strings.Cut(name, "[")
					methods[strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../")+"."+name]++
				}
			}
			return nil
		})
		require.NoError(t, err)
	}
	for name, count := range methods {
		switch listed := slices.Contains(crowded, name); {
		case count > mostMethods && !listed:
			t.Errorf("%s: expected at most %d methods, found %d: it is several types", name, mostMethods, count)
		case count <= mostMethods && listed:
			t.Errorf("%s: expected more than %d methods of a type that is listed as crowded, found %d: take it off the list", name, mostMethods, count)
		}
	}
	for _, name := range crowded {
		if methods[name] == 0 {
			t.Errorf("%s is listed as crowded, and no such type has methods: take it off the list", name)
		}
	}
}

func within(name string, rooms []string) bool {
	for _, room := range rooms {
		if name == room || strings.HasPrefix(name, room+"/") {
			return true
		}
	}
	return false
}
