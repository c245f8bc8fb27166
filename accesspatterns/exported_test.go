package accesspatterns_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns/tabletest"
)

// mostNames is how many exported types, functions, constants and variables the
// contract's types may be: more than that nobody holds in mind.
const mostNames = 119

func TestContractStaysSmall(t *testing.T) {
	paths := tabletest.Must(filepath.Glob("*.go"))(t)
	set := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		files = append(files, tabletest.Must(parser.ParseFile(set, path, nil, 0))(t))
	}
	exported := tabletest.Must(doc.NewFromFiles(set, files, "dynaproof/accesspatterns"))(t)
	names := 0
	count := func(values ...*doc.Value) {
		for _, value := range values {
			for _, name := range value.Names {
				if token.IsExported(name) {
					names++
				}
			}
		}
	}
	count(exported.Consts...)
	count(exported.Vars...)
	names += len(exported.Funcs) + len(exported.Types)
	for _, of := range exported.Types {
		count(of.Consts...)
		count(of.Vars...)
		names += len(of.Funcs)
	}
	assert.True(t, names != 0 && names <= mostNames,
		"expected from 1 to %d exported names, found %d; what is no type of the contract belongs in a package of its own", mostNames, names)
}
