package designs_test

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/accesspatterns/integrity"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/requests"
	"dynaproof/accesspatterns/tabletest"
)

func TestContractsFitTogether(t *testing.T) {
	for _, design := range designs.All() {
		t.Run(design.Name, func(t *testing.T) {
			assert.NoError(t, integrity.Check(design))
		})
	}
}

// documents is the folder of the design documents, relative to this package.
func documents() string {
	return cmp.Or(os.Getenv("DYNAPROOF_DOCUMENTS"), "../../../shared/designs")
}

func TestChosen(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name        string
		Names, Want []string
		Problem     string
	}](t, "chosen.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			chosen, err := designs.Chosen(row.Names)
			var names []string
			for _, design := range chosen {
				names = append(names, design.Name)
			}
			assert.Equal(t, row.Want, names)
			if row.Problem == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, row.Problem)
			}
		})
	}
}

func TestKindsOfClaims(t *testing.T) {
	seen := map[manifest.Kind]bool{}
	for _, design := range designs.All() {
		for _, claim := range manifest.Claims(design) {
			seen[claim.Kind] = true
			assert.Contains(t, manifest.Kinds(), claim.Kind, "%s: expected one of the listed kinds", claim.ID)
		}
	}
	for _, kind := range manifest.Kinds() {
		assert.True(t, seen[kind], "kind %s is listed, and no design has a claim of it", kind)
	}
}

func TestCitationsStandInTheDocuments(t *testing.T) {
	for _, design := range designs.All() {
		t.Run(design.Name, func(t *testing.T) {
			source, err := coverage.Read(documents(), design.Document)
			if errors.Is(err, coverage.ErrNoDocument) {
				t.Skipf("citations are not proven: %v", err)
			}
			require.NoError(t, err)
			assert.Equal(t, design.Document.SHA256, source.SHA256, "%s: expected SHA-256 %s", design.Document.File, design.Document.SHA256)
			for _, cited := range manifest.Citations(design) {
				assert.NoError(t, source.Prove(cited.Citation), cited.Element)
			}
		})
	}
}

func TestADesignOfTheCallers(t *testing.T) {
	restore := designs.Use(designs.Brought{Contract: func() *accesspatterns.Design {
		cite := designtest.Line(1, "x")
		return &accesspatterns.Design{Name: "mine", Level: accesspatterns.LevelSchema, Tables: []accesspatterns.Table{{ID: "T", Cite: cite, KeyCite: cite, IndexesCite: cite}}}
	}})
	assert.True(t, !designs.Shipped() && slices.Equal(designs.Names(), []string{"mine"}) && len(designs.All()) == 1,
		"expected the caller's design alone, found %q", designs.Names())
	_, err := designs.Find("fus-main")
	assert.Error(t, err, "expected no shipped design beside the caller's")
	committed, err := designs.Manifest()
	assert.True(t, err == nil && len(committed) != 0 && committed[0].Design == "mine", "expected the claims of the caller's design, found %v, %v", committed, err)
	restore()
	assert.True(t, designs.Shipped(), "expected the shipped designs again, found %q", designs.Names())
	assert.GreaterOrEqual(t, len(designs.Names()), 2, "expected the shipped designs again, found %q", designs.Names())
}

// An author can act on a finding of weight: it says in one sentence what to write.
func TestFindingsSayWhatToWriteInstead(t *testing.T) {
	seen := map[string]string{}
	for _, design := range designs.All() {
		for _, finding := range design.Findings {
			at, sentence := design.Name+"/"+finding.ID, finding.Instead
			switch {
			case finding.Severity == accesspatterns.Low && sentence == "":
				continue
			case !strings.HasPrefix(sentence, "Write ") || !strings.HasSuffix(sentence, ".") || !strings.Contains(sentence, " instead of "):
				t.Errorf("%s: expected a sentence such as \"Write ... instead of ...\" for the author, found %q", at, sentence)
			case seen[sentence] != "":
				t.Errorf("%s: expected a sentence of its own, found that of %s", at, seen[sentence])
			}
			seen[sentence] = at
		}
	}
}

// TestRequests holds the guard to requests that were written from the documents alone, and to the same with other values.
func TestRequests(t *testing.T) {
	for _, design := range designs.All() {
		all, err := designs.Requests(design.Name)
		require.NoError(t, err, "%s", design.Name)
		require.NotEmpty(t, all, "%s: expected requests, found %d, %v", design.Name, len(all), err)
		t.Run(design.Name, func(t *testing.T) {
			judge := requests.NewJudge(design)
			for _, problem := range append(judge.Problems(all), judge.Varied(all)...) {
				t.Error(problem)
			}
		})
	}
}
