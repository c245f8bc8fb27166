package review

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/document/reader"
)

// FuzzReview reads whatever comes and applies every rule. A message is whole, and its
// line is one of the document.
func FuzzReview(f *testing.F) {
	for _, pattern := range []string{"testdata/*/breaks.md", "../reader/testdata/*.md", "../reader/testdata/*.txt"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			f.Fatalf("%s: expected documents, found none (%v)", pattern, err)
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			require.NoError(f, err)
			f.Add(content)
		}
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		document, err := reader.Read(content)
		if err != nil {
			assert.NotContains(t, err.Error(), "\n")
			return
		}
		for _, hit := range Look(document) {
			if hit.Line < 1 || hit.Line > document.Lines || strings.Contains(hit.Message, "%!") && !strings.Contains(string(content), "%!") {
				t.Errorf("malformed: %+v", hit)
			}
		}
	})
}
