package designs_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/designtest"
)

var update = flag.Bool("update", false, "write the manifest anew")

func TestManifestIsCommitted(t *testing.T) {
	generated, err := designs.GenerateManifest()
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile("manifest.json", generated, 0o644))
		return
	}
	committed, err := os.ReadFile("manifest.json")
	require.NoError(t, err)
	if !bytes.Equal(generated, committed) {
		t.Error("manifest.json differs from the contracts; run `make manifest`, and review which claims came and went")
	}
}

// What the files of a contract mean is frozen: another decoder reads the same designs out of them. A
// contract that is changed changes its lines.
func TestDesignsAreFrozen(t *testing.T) {
	var lines []string
	for _, design := range designs.All() {
		value := reflect.ValueOf(*design)
		for i := range value.NumField() {
			written, err := json.Marshal(value.Field(i).Interface())
			require.NoError(t, err)
			lines = append(lines, fmt.Sprintf("%s %s %x", design.Name, value.Type().Field(i).Name, sha256.Sum256(written)))
		}
	}
	designtest.Frozen(t, "testdata/designs.txt", lines, *update)
}

// The designs' own numbers, counted by hand in the documents.
func TestNumbersOfTheDocuments(t *testing.T) {
	want := map[string]struct{ tables, indexes int }{
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
		if got := want[design.Name]; got.tables != len(design.Tables) || got.indexes != indexes {
			t.Errorf("%s: expected %d tables and %d indexes, found %d and %d", design.Name, got.tables, got.indexes, len(design.Tables), indexes)
		}
	}
}
