package coverage_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/document/coverage"
)

func source(t *testing.T, content string) *coverage.Source {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "d.md"), []byte(content), 0o600))
	read, err := coverage.Read(folder, accesspatterns.Document{File: "d.md"})
	require.NoError(t, err)
	return read
}

func TestProve(t *testing.T) {
	document := source(t, "first `PK`\nsecond `SK`\nthird\n")
	for _, row := range []struct {
		name, wantErr string
		cite          accesspatterns.Citation
	}{
		{"token on its line", "", designtest.Line(1, "PK")},
		{"tokens on different lines of a range", "", designtest.Lines(1, 2, "PK", "SK")},
		{"further place", "", designtest.Line(1, "PK").And(designtest.Line(3, "third"))},
		{"token on another line", `expected "SK" on these lines, found it on line 2`, designtest.Line(1, "SK")},
		{"further place that fails", `expected "fourth"`, designtest.Line(1, "PK").And(designtest.Line(3, "fourth"))},
		{"no token", "names no token", designtest.Line(1)},
		{"line behind the end", "the document has lines 1 to 3", designtest.Line(4, "x")},
		{"no line", "the document has lines", accesspatterns.Citation{Tokens: []string{"x"}}},
		{"range backwards", "the document has lines", designtest.Lines(2, 1, "x")},
	} {
		t.Run(row.name, func(t *testing.T) {
			err := document.Prove(row.cite)
			if row.wantErr == "" && err != nil || row.wantErr != "" && (err == nil || !strings.Contains(err.Error(), row.wantErr)) {
				t.Errorf("expected an error with %q, got %v", row.wantErr, err)
			}
		})
	}
}

func TestReadDocumentThatIsNotThere(t *testing.T) {
	_, err := coverage.Read(t.TempDir(), accesspatterns.Document{File: "d.md"})
	assert.ErrorIs(t, err, coverage.ErrNoDocument)
}
