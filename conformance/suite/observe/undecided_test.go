package observe

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/failures"
)

// sources parses this package without its tests.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	set := token.NewFileSet()
	all, err := parser.ParseDir(set, ".", func(file fs.FileInfo) bool { return !strings.HasSuffix(file.Name(), "_test.go") }, 0) //nolint:staticcheck // one folder, no build tags
	require.NoError(t, err)
	return all["observe"].Files
}

// Every claim without a decision has a sentence that says what to do.
func TestEveryFailureSaysWhatToDo(t *testing.T) {
	files := sources(t)
	for failure := failures.Unanswered; failure <= failures.Withheld; failure++ {
		if failure != failures.Refused { // which is a problem of its own
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

// constants are the texts of the constants whose names begin so, exported or not.
func constants(files map[string]*ast.File, prefix string) map[string]string {
	found := map[string]string{}
	for _, file := range files {
		for name, object := range file.Scope.Objects {
			spec, is := object.Decl.(*ast.ValueSpec)
			if object.Kind != ast.Con || !is || !strings.HasPrefix(strings.ToLower(name), prefix) {
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
