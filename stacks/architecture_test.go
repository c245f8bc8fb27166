package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// importsOf returns the import paths of every Go file below dir by file, tests included.
func importsOf(t *testing.T, dir string) map[string][]string {
	t.Helper()
	imports := map[string][]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports[path] = append(imports[path], name)
		}
		return nil
	})
	require.NoError(t, err)
	return imports
}

// TestProgramsKnowOnlyPulumi keeps each program readable on its own by somebody who knows Pulumi and the document.
func TestProgramsKnowOnlyPulumi(t *testing.T) {
	allowed := []string{
		"github.com/pulumi/pulumi/sdk/v3/go/pulumi",
		"github.com/pulumi/pulumi-aws/sdk/v6/go/aws",
		"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb",
		"dynaproof/stacks/environment",
		"dynaproof/stacks/policy",
	}
	for _, dir := range []string{"rollmodel", "commitcollect", "fusmain", "osemladders", "personalos"} {
		for file, names := range importsOf(t, dir) {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, name := range names {
				standard := !strings.Contains(name, ".") && !strings.HasPrefix(name, "dynaproof/")
				if !standard && !slices.Contains(allowed, name) {
					t.Errorf("%s: expected no import but Pulumi's, dynaproof/stacks/environment and dynaproof/stacks/policy, found %s", file, name)
				}
			}
		}
	}
}
