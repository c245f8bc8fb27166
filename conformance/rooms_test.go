package conformance_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
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
			if err != nil {
				t.Fatal(err)
			}
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
		if err != nil {
			t.Fatal(err)
		}
	}
	if files == 0 {
		t.Error("found no Go files")
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
