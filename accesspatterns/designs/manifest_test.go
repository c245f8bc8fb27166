package designs_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/accesspatterns/tabletest"
)

var update = flag.Bool("update", false, "write the manifest anew")

func TestManifestIsCommitted(t *testing.T) {
	generated := tabletest.Must(designs.GenerateManifest())(t)
	isCommitted(t, "manifest.json", generated, "the contracts; run `make manifest`, and review which claims came and went")
}

// isCommitted holds a generated file against the committed one, or writes it anew.
func isCommitted(t *testing.T, name string, generated []byte, differs string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(name, generated, 0o644))
		return
	}
	assert.True(t, bytes.Equal(generated, tabletest.Must(os.ReadFile(name))(t)), "%s differs from %s", name, differs)
}

// What the files of a contract mean is frozen: another decoder reads the same designs out of them. A
// contract that is changed changes its lines.
func TestDesignsAreFrozen(t *testing.T) {
	var lines []string
	for _, design := range designs.All() {
		value := reflect.ValueOf(*design)
		for i := range value.NumField() {
			written := tabletest.Must(json.Marshal(value.Field(i).Interface()))(t)
			lines = append(lines, fmt.Sprintf("%s %s %x", design.Name, value.Type().Field(i).Name, sha256.Sum256(written)))
		}
	}
	designtest.Frozen(t, "testdata/designs.txt", lines, *update)
}

// The designs' own numbers, counted by hand in the documents.
func TestNumbersOfTheDocuments(t *testing.T) {
	want := map[string][2]int{ // tables and indexes
		"roll-model":     {1, 0},
		"commit-collect": {4, 3},
		"fus-main":       {1, 5},
		"osem-ladders":   {6, 8},
		"personal-os":    {1, 2},
	}
	for _, design := range designs.All() {
		indexes := 0
		for _, table := range design.Tables {
			indexes += len(table.Indexes)
		}
		assert.Equal(t, want[design.Name], [2]int{len(design.Tables), indexes}, design.Name)
	}
}

// digestsPerRow keeps lines.json short, and a difference of it small.
const digestsPerRow = 10

// generateLines writes the digests of the lines of all documents. It refuses a
// document whose digest is not the pinned one: its lines are pinned after the
// contract was compared with it.
func generateLines(folder string) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("[")
	for i, design := range designs.All() {
		source, err := coverage.Read(folder, design.Document)
		if err != nil {
			return nil, err
		}
		if source.SHA256 != design.Document.SHA256 {
			return nil, fmt.Errorf("%s: expected SHA-256 %s, found %s; compare the document with the contract and pin its digest there first",
				design.Document.File, design.Document.SHA256, source.SHA256)
		}
		if i > 0 {
			out.WriteString(",")
		}
		fmt.Fprintf(&out, "\n{\"file\": %q, \"sha256\": %q, \"lines\": [", source.File, source.SHA256)
		for n, digest := range source.LineDigests() {
			switch {
			case n == 0:
				out.WriteString("\n ")
			case n%digestsPerRow == 0:
				out.WriteString(",\n ")
			default:
				out.WriteString(", ")
			}
			fmt.Fprintf(&out, "%q", digest)
		}
		out.WriteString("\n]}")
	}
	out.WriteString("\n]\n")
	return out.Bytes(), nil
}

func TestLinesAreCommitted(t *testing.T) {
	generated, err := generateLines(documents())
	if errors.Is(err, coverage.ErrNoDocument) {
		t.Skipf("the digests of the lines are not compared with the documents: %v", err)
	}
	require.NoError(t, err)
	isCommitted(t, "lines.json", generated, "the documents; run `go test ./accesspatterns/designs -run TestLinesAreCommitted -update`")
}

// Needs no document: a contract that pins another digest than lines.json was
// transcribed from another version.
func TestEveryDesignHasPinnedLines(t *testing.T) {
	for _, design := range designs.All() {
		lines := tabletest.Must(designs.Lines(design.Document))(t)
		assert.NotEmpty(t, lines, "%s: expected the digests of the lines of %s (SHA-256 %s) in lines.json", design.Name, design.Document.File, design.Document.SHA256)
	}
	other := accesspatterns.Document{File: designs.All()[0].Document.File, SHA256: strings.Repeat("0", 64)}
	assert.Empty(t, tabletest.Must(designs.Lines(other))(t), "lines for another version of the document")
}

func TestLinesOfAnotherDocumentAreNotPinned(t *testing.T) {
	folder := t.TempDir()
	for _, design := range designs.All() {
		require.NoError(t, os.WriteFile(filepath.Join(folder, design.Document.File), []byte("another\n"), 0o600))
	}
	_, err := generateLines(folder)
	assert.ErrorContains(t, err, "pin its digest there first", "expected a refusal")
}
