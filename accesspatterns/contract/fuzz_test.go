package contract_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/manifest"
)

// Whatever stands in a file, it is a contract or a mistake, and never a panic. A
// contract that is read gives its claims.
func FuzzLoad(f *testing.F) {
	text, err := os.ReadFile("testdata/notes/contract.yaml")
	require.NoError(f, err)
	f.Add(string(text))
	for _, change := range []string{"", "title: [", "{", "1", "a: &b 1\nc: *b", "steps:", "get: note", "key: {}", "'", "tables: {T: }", "design: x\n---\n"} {
		f.Add(change)
		f.Add(strings.Replace(string(text), "      - use: notes-of-customer\n", "      - {"+change+"}\n", 1))
	}
	f.Fuzz(func(_ *testing.T, text string) {
		if design, err := contract.Load(fstest.MapFS{"contract.yaml": {Data: []byte(text)}}); err == nil {
			manifest.Claims(design)
		}
	})
}
