package document_test

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/accesspatterns/document/drafter"
	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/document/witness"
	"dynaproof/accesspatterns/tabletest"
)

// draft drafts a document, and loads the draft beside it.
func draft(t *testing.T, content []byte, level string) (*drafter.Result, *ap.Design, *reader.Document) {
	t.Helper()
	document, err := reader.Read(content)
	require.NoError(t, err)
	result := drafter.Draft("draft", "document.md", level, content, document)
	if result.Level == "" {
		return result, nil, document
	}
	folder := t.TempDir()
	for name, text := range map[string][]byte{"contract.yaml": result.Contract, "document.md": content} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), text, 0o600))
	}
	design, err := contract.Load(os.DirFS(folder))
	if err != nil {
		t.Fatalf("expected a draft that loads, found %v in\n%s", err, result.Contract)
	}
	source, err := coverage.Read(folder, design.Document)
	require.NoError(t, err)
	for _, proof := range coverage.Of(design, source, nil).Citations {
		if proof.Problem != "" {
			t.Errorf("%s: %s", proof.Element, proof.Problem)
		}
	}
	return result, design, document
}

// TestDraftsOfFive: the drafts of the five documents load, every citation stands, and the
// tables are those of the contracts that people wrote, but for what a draft marks.
func TestDraftsOfFive(t *testing.T) {
	folder := os.Getenv("DYNAPROOF_DOCUMENTS")
	if folder == "" {
		folder = "../../../shared/designs"
	}
	for _, design := range designs.All() {
		content, err := os.ReadFile(filepath.Join(folder, design.Document.File))
		if errors.Is(err, os.ErrNotExist) {
			t.Skip("the design documents are not here; set DYNAPROOF_DOCUMENTS to their folder")
		}
		require.NoError(t, err)
		result, drafted, document := draft(t, content, "reads")
		unnamed := strings.Contains(string(result.Contract), "no line names the attribute of the TTL")
		result.Contract = nil
		t.Logf("%s: %+v", design.Name, *result)
		if len(drafted.Tables) != len(design.Tables) {
			t.Errorf("%s: expected %d tables, found %d", design.Name, len(design.Tables), len(drafted.Tables))
			continue
		}
		for i := range design.Tables {
			want := &design.Tables[i]
			at := slices.IndexFunc(drafted.Tables, func(found ap.Table) bool { return found.Name == want.Name })
			if at < 0 {
				t.Errorf("%s: expected the table %s, found none", design.Name, want.Name)
				continue
			}
			found := &drafted.Tables[at]
			if !slices.Equal(found.Keys(), want.Keys()) || found.TTL != nil && (want.TTL == nil || found.TTL.Attribute != want.TTL.Attribute) && !unnamed {
				t.Errorf("%s: expected the key %v and TTL %v, found %v and %v", want.Name, want.Keys(), want.TTL, found.Keys(), found.TTL)
			}
			for j := range found.Indexes {
				if own, has := want.Index(found.Indexes[j].Name); !has || !slices.Equal(own.Keys(), found.Indexes[j].Keys()) {
					t.Errorf("%s: the index %s is not that of the contract: %v", want.Name, found.Indexes[j].Name, found.Indexes[j].Keys())
				}
			}
		}
		// The reader, who drafted it, has nothing against it but what contradicts itself.
		for _, o := range witness.Open(witness.Object(drafted, document)) {
			known := slices.ContainsFunc(design.Findings, func(f ap.Finding) bool { return f.Cite.First <= o.Line && o.Line <= f.Cite.Last })
			if o.Kind == witness.Differs && !known {
				t.Errorf("%s: %s: %s", design.Name, o.ID, o.Message)
			}
		}
	}
}

func TestDrafts(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name, Document, Level string
		Says, Never, Once     []string
		Finds                 map[string]any
		Patterns, Marked      int
		Own                   bool
	}](t, "drafts.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			result, design, document := draft(t, []byte(row.Document), cmp.Or(row.Level, "reads"))
			text := string(result.Contract)
			for _, want := range row.Says {
				assert.Contains(t, text, want)
			}
			for _, other := range row.Never {
				assert.NotContains(t, text, other)
			}
			for _, once := range row.Once {
				assert.Equal(t, 1, strings.Count(text, once), "%q in\n%s", once, text)
			}
			tabletest.Finds(t, "result", result, row.Finds)
			if row.Patterns > 0 {
				assert.Len(t, design.Patterns, row.Patterns)
			}
			if row.Marked > 0 { // a person who has compared a line removes its mark
				assert.Len(t, drafter.Marked(result.Contract), row.Marked)
				assert.Len(t, drafter.Marked([]byte(strings.Replace(text, "  "+drafter.Mark, "", 1))), row.Marked-1)
			}
			if row.Own {
				for _, o := range witness.Object(design, document) {
					assert.NotEqual(t, witness.Elsewhere, o.Kind, "%s: %s", o.ID, o.Message)
				}
			}
		})
	}
}

// TestDraftsOfAllForms: of each page of the reader's forms a draft loads, its citations stand, and the rules on contracts end.
func TestDraftsOfAllForms(t *testing.T) {
	pages, err := filepath.Glob("reader/testdata/*.[mt]*")
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	asking := 0
	for _, page := range pages {
		content, err := os.ReadFile(page)
		require.NoError(t, err)
		t.Run(filepath.Base(page), func(t *testing.T) {
			if _, design, document := draft(t, content, "reads"); design != nil {
				assert.NotPanics(t, func() {
					witness.Hazards(design)
					witness.Object(design, document)
				})
				asking += len(design.Patterns)
			}
		})
	}
	assert.Positive(t, asking)
}

// FuzzDraft reads any text as a design document. What is one gives a draft, and a draft that
// holds a table loads.
func FuzzDraft(f *testing.F) {
	documents, err := filepath.Glob("reader/testdata/*.[mt]*")
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
