package importer_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract/importer"
	"dynaproof/accesspatterns/tabletest"
)

// Models of a tool, in which mistakes are made.
var (
	//go:embed testdata/shop.json
	shop string
	//go:embed testdata/garage.json
	model string
)

// What a model says becomes entities, items, patterns and cases that the contract's own loader takes. Writes, filters and conditions become patterns
// with cases that succeed and that are refused; what a contract cannot say becomes not checkable, with its line and a reason.
func TestModelsAreImported(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Model, Usage, Notes string
		Figures             map[string]any `yaml:",inline"`
		Files               map[string][]string
		Left                []string
	}](t, "imported.yaml") {
		t.Run(row.Model, func(t *testing.T) {
			read := func(name string) *importer.Source {
				return &importer.Source{Name: name, Text: tabletest.Must(os.ReadFile(filepath.Join("testdata", name)))(t)}
			}
			var usage *importer.Source
			if row.Usage != "" {
				usage = read(row.Usage)
			}
			result := tabletest.Must(importer.Import("m", "", *read(row.Model), usage))(t)
			design := loaded(t, result)
			var items []any
			require.NoError(t, json.Unmarshal(result.Files["items.json"], &items))
			figures := map[string]any{
				"level": string(result.Level), "entities": len(design.Entities), "patterns": len(design.Patterns), "items": len(items),
				"listed": result.Listed, "reads": result.Reads, "writes": result.Writes, "indexes": len(design.Tables[0].Indexes),
			}
			for name, want := range row.Figures {
				assert.Equal(t, want, figures[name], name)
			}
			for file, parts := range row.Files {
				for _, part := range parts {
					assert.Contains(t, string(result.Files[file]), part, file)
				}
			}
			require.Len(t, result.NotCheckable, len(row.Left))
			for i, want := range row.Left {
				assert.Contains(t, result.NotCheckable[i], want)
				_, says, _ := strings.Cut(result.NotCheckable[i], ", ")
				says, _, _ = strings.Cut(says, ":")
				assert.True(t, slices.ContainsFunc(design.NotCheckable, func(n ap.NotCheckable) bool { return n.Says == says }), "expected %s in the contract, found %v", says, design.NotCheckable)
			}
			assert.Contains(t, strings.Join(result.Notes, "\n"), row.Notes)
			cases := string(result.Files["cases.json"])
			assert.Equal(t, []int{result.Computed, result.Computed}, []int{strings.Count(cases, `"computed":true`), strings.Count(cases, `"pattern"`)}, "every case is marked as computed")
		})
	}
}

// A mistake in an item, a read, a write or a filter is named with its line.
func TestMistakesInModels(t *testing.T) {
	for file, model := range map[string]string{"mistakes_in_patterns.yaml": model, "mistakes_in_writes.yaml": shop} {
		for _, row := range tabletest.Read[[]struct{ Name, From, To, At, Want string }](t, file) {
			t.Run(row.Name, func(t *testing.T) {
				require.Equal(t, 1, strings.Count(model, row.From), "expected %q once in the model", row.From)
				text := strings.Replace(model, row.From, row.To, 1)
				before, _, found := strings.Cut(text, row.At)
				require.True(t, found, "expected %q in the model", row.At)
				_, err := importer.Import("m", "", importer.Source{Name: "m.json", Text: []byte(text)}, nil)
				want := fmt.Sprintf("m.json:%d: ", 1+strings.Count(before, "\n"))
				assert.True(t, slices.ContainsFunc(strings.Split(fmt.Sprint(err), "\n"), func(mistake string) bool {
					return strings.HasPrefix(mistake, want) && strings.Contains(mistake, row.Want)
				}), "expected %s... %s, found %v", want, row.Want, err)
			})
		}
	}
}

// A table that stands beside a line is that of the line, also of one whose request names its tables itself.
func TestTablesBesideLines(t *testing.T) {
	for _, title := range []string{"Import orders", "Order and count", "Cancel an order"} {
		of := `"description": "` + title + `",`
		result, err := importer.Import("shop", "", importer.Source{Name: "m.json", Text: []byte(strings.Replace(shop, of, of+` "table": "Shop",`, 1))}, nil)
		require.NoError(t, err, "%s", title)
		require.Equal(t, 1, strings.Count(shop, of), "%s", title)
		assert.NotContains(t, strings.Join(result.Notes, "\n"), "table is left out", "%s: expected the table to be read", title)
	}
}
