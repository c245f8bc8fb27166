package drafter_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/document/drafter"
	"dynaproof/accesspatterns/document/reader"
)

// FuzzDraft reads any text as a design document. What is one gives a draft, and a draft that
// holds a table loads.
func FuzzDraft(f *testing.F) {
	documents, err := filepath.Glob("../reader/testdata/*.[mt]*")
	if err != nil || len(documents) == 0 {
		f.Fatal("expected the reader's documents", err)
	}
	for _, name := range documents {
		content, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		document, err := reader.Read(content)
		if err != nil {
			if !errors.Is(err, reader.ErrNoDocument) {
				t.Fatal(err)
			}
			return
		}
		drafter.Draft("draft", "document.md", "reads", content, document)
	})
}
