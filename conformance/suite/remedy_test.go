package suite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
	"testing"
	"unicode"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
)

// sources parses this package without its tests.
func sources(t *testing.T) (*token.FileSet, map[string]*ast.File) {
	t.Helper()
	set := token.NewFileSet()
	all, err := parser.ParseDir(set, ".", func(file fs.FileInfo) bool { return !strings.HasSuffix(file.Name(), "_test.go") }, 0) //nolint:staticcheck // one folder, no build tags
	if err != nil {
		t.Fatal(err)
	}
	return set, all["suite"].Files
}

// Every way to fail has a sentence that says what to do, and every sentence stands in one file: none is made where a claim fails.
func TestEveryFailureSaysWhatToDo(t *testing.T) {
	set, files := sources(t)
	sentences := 0
	for name, file := range files {
		ast.Inspect(file, func(node ast.Node) bool {
			made, is := node.(*ast.CompositeLit)
			if !is {
				return true
			}
			if of, named := made.Type.(*ast.Ident); named && of.Name == "remedy" {
				sentences++
				if name != "remedy.go" {
					t.Errorf("%s: expected what to do to stand in remedy.go", set.Position(made.Pos()))
				}
			}
			return true
		})
	}
	if sentences < 50 {
		t.Errorf("expected the sentences of remedy.go, found %d", sentences)
	}
	for failure := unanswered; failure <= withheld; failure++ {
		if failure != refused { // which is a problem of its own
			sentence(t, "a request's failure", unansweredRequests[failure])
		}
	}
	for _, verdict := range evidence.Verdicts() {
		if !verdict.Held() && verdict != evidence.Fail {
			sentence(t, string(verdict), undecidedClaims[verdict])
		}
	}
	for name, of := range constants(files, "declared") {
		sentence(t, name, unanswerable[of])
	}
}

// constants are the texts of the constants whose names begin so.
func constants(files map[string]*ast.File, prefix string) map[string]string {
	found := map[string]string{}
	for _, file := range files {
		for name, object := range file.Scope.Objects {
			spec, is := object.Decl.(*ast.ValueSpec)
			if object.Kind != ast.Con || !is || !strings.HasPrefix(name, prefix) {
				continue
			}
			if text, literal := spec.Values[0].(*ast.BasicLit); literal {
				found[name] = strings.Trim(text.Value, `"`)
			}
		}
	}
	return found
}

// sentence fails what is no sentence.
func sentence(t *testing.T, of, text string) {
	t.Helper()
	if len(text) < 20 || !unicode.IsUpper(rune(text[0])) || !strings.HasSuffix(text, ".") {
		t.Errorf("%s: expected a sentence that says what to do, found %q", of, text)
	}
}

// What to do about a table fits what differs: each aspect that a contract speaks of has a sentence, an index too many is not added, and
// whoever audits is told how a tool comes to see the difference.
func TestWhatToDoFitsTheDifference(t *testing.T) {
	all, err := designs.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, committed := range all {
		if committed.Kind != manifest.KindSchema && committed.Kind != manifest.KindIndex {
			continue
		}
		design, err := designs.Find(committed.Design)
		if err != nil {
			t.Fatal(err)
		}
		for _, claim := range manifest.Claims(design) {
			if claim.ID != committed.ID {
				continue
			}
			o := &Observation{claim: claim}
			for _, sides := range [][2]string{{"a", "none"}, {"none", "a"}, {"a", "b"}} {
				if told := o.deployed(sides[0], sides[1]).text; strings.HasPrefix(told, byProgram) && claim.Aspect != manifest.AspectExtras {
					t.Errorf("%s: expected a sentence of its own about %s, found %q", claim.ID, claim.Aspect, told)
				}
			}
		}
	}
	indexes := &Observation{claim: manifest.Claim{Kind: manifest.KindSchema, Aspect: manifest.AspectIndexes}, session: &Session{Input: Input{ReadOnly: true}}}
	for _, row := range []struct{ expected, found, says string }{
		{"none", "GSI1", "Remove the index"}, {"GSI1", "GSI1, GSI2", "Remove the index"}, {"GSI1, GSI2", "GSI1", "Add the index"},
		{"GSI1", "none", "Add the index"}, {"GSI1", "GSI2", "Add the index that is missing, and remove"},
	} {
		if told := indexes.deployed(row.expected, row.found).text; !strings.HasPrefix(told, row.says) || !strings.HasSuffix(told, byTool) {
			t.Errorf("indexes %s expected, %s found: expected %q and how to change a table of others, found %q", row.expected, row.found, row.says, told)
		}
	}
	key := &Observation{claim: manifest.Claim{Kind: manifest.KindSchema, Aspect: manifest.AspectKey}}
	if told := key.deployed("HASH PK (S)", "HASH id (S)").text; !strings.Contains(told, "Make the table anew") || !strings.HasSuffix(told, byProgram) {
		t.Errorf("expected a key that cannot be changed, found %q", told)
	}
}
