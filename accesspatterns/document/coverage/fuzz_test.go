package coverage_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/document/coverage"
)

// FuzzCitation proves any citation against any document: it never panics, and it
// holds exactly when the lines exist and hold the token.
func FuzzCitation(f *testing.F) {
	f.Add("one\ntwo\nthree\n", 1, 2, "two")
	f.Add("", 1, 1, "x")
	f.Add("one", -5, 1<<40, "")
	f.Add("a\r\nb", 2, 2, "b")
	f.Fuzz(func(t *testing.T, content string, first, last int, token string) {
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "d.md"), []byte(content), 0o600))
		source, err := coverage.Read(folder, accesspatterns.Document{File: "d.md"})
		require.NoError(t, err)
		err = source.Prove(designtest.Lines(first, last, token))
		var cited []string
		for number := first; number <= last && number <= source.Len(); number++ {
			cited = append(cited, source.Line(number))
		}
		stands := first >= 1 && last >= first && last <= source.Len() && strings.Contains(strings.Join(cited, "\n"), token)
		if stands != (err == nil) {
			t.Fatalf("lines %d-%d of %q, token %q: expected it to stand %v, found %v", first, last, content, token, stands, err)
		}
	})
}
