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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// room is what the files of a folder may import of this module and never import; beside that, what their tests alone may import of
// this module, and of other modules, which the product never links; and which packages of others it may import alone, where it says so.
type room struct{ may, never, tests, unlinked, others []string }

// rooms are the folders of the packages.
var rooms = map[string]room{
	// The contract knows nobody, and the fixtures know the contract alone: an expectation must never come from what it is compared with.
	"accesspatterns": {may: []string{"dynaproof/accesspatterns"}, never: []string{"github.com/pulumi"}},
	"fixtures":       {may: []string{"dynaproof/accesspatterns", "dynaproof/fixtures"}, never: []string{"github.com/pulumi"}},
	// The harness deploys by a command, by dynaproof/conformance/internal/deploy: it links neither the programs nor Pulumi's engine.
	// Terratest links the clients of 21 services of AWS: a third of what `make verify` would compile.
	"conformance": {may: []string{"dynaproof"}, never: []string{"dynaproof/stacks", "github.com/pulumi"}, unlinked: []string{"github.com/gruntwork-io/terratest"}},
	// What is deployed comes from the documents, never from the contract that it is checked against: a fact is written out from the document.
	// What reads tables of tests from files, and JSON by exact names, knows no contract.
	"stacks": {may: []string{"dynaproof/stacks", "dynaproof/accesspatterns/input"}, tests: []string{"dynaproof/accesspatterns/tabletest"}},
	// A program is readable on its own by somebody who knows Pulumi and the document.
	"stacks/commitcollect": program, "stacks/fusmain": program, "stacks/osemladders": program, "stacks/personalos": program, "stacks/rollmodel": program,
	// The reader witnesses against contracts: it must not know them.
	"accesspatterns/document/reader": {may: []string{"dynaproof/accesspatterns/document/reader", "dynaproof/accesspatterns/document/internal/lazyregexp"}, tests: []string{"dynaproof/accesspatterns/tabletest"}},
}

// program is what the program of a design may import.
var program = room{
	may:    []string{"dynaproof/stacks/environment", "dynaproof/stacks/policy"},
	others: []string{"github.com/pulumi/pulumi/sdk/v3/go/pulumi", "github.com/pulumi/pulumi-aws/sdk/v6/go/aws", "github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"},
}

// eachFile parses the Go files of a room, but for modules of others.
func eachFile(t *testing.T, room string, mode parser.Mode, look func(path string, file *ast.File)) {
	t.Helper()
	files := 0
	require.NoError(t, filepath.WalkDir(filepath.Join("..", room), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "testdata":
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		files++
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, mode)
		if err == nil {
			look(path, file)
		}
		return err
	}))
	assert.NotZero(t, files, "%s: found no Go files", room)
}

func TestRoomsKnowOnlyWhomTheyMay(t *testing.T) {
	for room, of := range rooms {
		eachFile(t, room, parser.ImportsOnly, func(path string, file *ast.File) {
			may, never := of.may, of.never
			if strings.HasSuffix(path, "_test.go") {
				may = slices.Concat(may, of.tests)
			} else {
				never = slices.Concat(never, of.unlinked)
			}
			for _, spec := range file.Imports {
				name, err := strconv.Unquote(spec.Path.Value)
				require.NoError(t, err)
				if strings.HasPrefix(name, "dynaproof/") && !within(name, may) || within(name, never) {
					t.Errorf("%s: expected imports of %s only and none of %s, found %s", path, strings.Join(may, " and "), strings.Join(never, " and "), name)
				}
				if of.others != nil && strings.Contains(name, ".") && !slices.Contains(of.others, name) {
					t.Errorf("%s: expected imports of others of %s only, found %s", path, strings.Join(of.others, " and "), name)
				}
			}
		})
	}
}

// decodes are the files that read JSON otherwise than by input.Exactly, with the reason why names in other letters do no harm there.
var decodes = map[string]string{
	"accesspatterns/input/input.go": "it is input.Exactly", "accesspatterns/strict/strict.go": "compares names itself", "accesspatterns/contract/importer/importer.go": "cuts values apart for package strict",
	"accesspatterns/dynamo/value.go": "no struct", "accesspatterns/sdk/serialise.go": "no struct", "accesspatterns/validate/validate.go": "no struct", "fixtures/written.go": "no struct",
	"conformance/report/words.go": "no struct", "conformance/lab/mutants/policies.go": "no struct", "conformance/evidence/contradiction.go": "no struct: asked input.Named before",
	"conformance/evidence/file.go": "a run of many requests, each of which goes to input.Exactly",
	"stacks/dryrun/dryrun.go":      "no struct", "stacks/localaws/config.go": "no struct", "stacks/localaws/policies.go": "no struct",
	"stacks/localaws/tables.go":            "values of this process, in Pulumi's names",
	"conformance/internal/trail/record.go": "AWS's own records have either case", "conformance/internal/tables/spec.go": "what a program of this process asks for, in Pulumi's names",
}

// encoding/json takes a name in other letters for the member, and the last of two. Who reads what comes from outside so reads what nobody else does.
func TestJSONIsReadByExactNames(t *testing.T) {
	found := map[string]bool{}
	for _, room := range []string{"accesspatterns", "conformance", "fixtures", "stacks"} {
		eachFile(t, room, parser.SkipObjectResolution, func(path string, file *ast.File) {
			ast.Inspect(file, func(node ast.Node) bool {
				of, is := node.(*ast.SelectorExpr)
				if is && !strings.HasSuffix(path, "_test.go") && slices.Contains([]string{"json.Unmarshal", "json.NewDecoder"}, types.ExprString(of)) {
					found[strings.TrimPrefix(filepath.ToSlash(path), "../")] = true
				}
				return true
			})
		})
	}
	for path := range found {
		assert.Contains(t, decodes, path, "read JSON with input.Exactly or input.Strictly")
	}
	for path := range decodes {
		assert.Contains(t, found, path, "listed, and does not read JSON any more: take it off the list")
	}
}

// mostMethods is how many methods a type may have: one with more is several.
const mostMethods = 30

// crowded are the types that have more. One that no longer has leaves the list.
var crowded = []string{
	"accesspatterns/contract.builder", "accesspatterns/contract/importer.draft", "accesspatterns/document/reader.reader", "accesspatterns/explore.explorer",
	"accesspatterns/document/review.looker", "accesspatterns/guard.Guard", "conformance/internal/replay.Replay",
	"conformance/internal/safewrite.Protection",
}

func TestNoTypeIsARoom(t *testing.T) {
	methods := map[string]int{}
	for _, room := range []string{"accesspatterns", "conformance", "fixtures", "stacks"} {
		eachFile(t, room, parser.SkipObjectResolution, func(path string, file *ast.File) {
			if strings.HasSuffix(path, "_test.go") {
				return
			}
			for _, declared := range file.Decls {
				if function, is := declared.(*ast.FuncDecl); is && function.Recv != nil {
					name := strings.TrimLeft(types.ExprString(function.Recv.List[0].Type), "*")
					name, _, _ = strings.Cut(name, "[")
					methods[strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../")+"."+name]++
				}
			}
		})
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
		assert.NotZero(t, methods[name], "%s is listed as crowded, and no such type has methods: take it off the list", name)
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
