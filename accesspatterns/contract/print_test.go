package contract_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/contract/file"
	"dynaproof/accesspatterns/strict"
)

// What is printed and read again is the same, for every file of every contract here.
func TestPrintedIsReadAgain(t *testing.T) {
	files, err := filepath.Glob("../*/*.yaml")
	more, _ := filepath.Glob("testdata/*/*.yaml")
	if files = append(files, more...); err != nil || len(files) < 20 {
		t.Fatalf("expected the contracts of this repository, found %d files: %v", len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		var first, second file.Contract
		if err := strict.YAML(name, text, &first); err != nil {
			continue // a contract with mistakes, for other tests
		}
		printed := file.Print(&first)
		if err := strict.YAML(name, printed, &second); err != nil {
			t.Errorf("%s: %v\n%s", name, err, printed)
			continue
		}
		assert.Empty(t, cmp.Diff(first, second, cmpopts.IgnoreTypes(strict.At{}), cmpopts.EquateEmpty(), cmp.Exporter(func(reflect.Type) bool { return true })), "%s (-written +printed)", name)
	}
}
