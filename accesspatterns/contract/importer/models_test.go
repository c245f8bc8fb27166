package importer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns/contract/importer"
	"dynaproof/accesspatterns/tabletest"
)

// What comes along of models of AWS's tools: every index, every read that is no Scan, every write.
func TestModels(t *testing.T) {
	const folder = "../../../../shared/models"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("the models of AWS's tools are not beside this repository, in ../shared/models")
	}
	for name, want := range map[string][]int{ // listed, reads, writes, indexes, left
		"ecommerce":          {24, 13, 11, 0, 0},
		"gaming_leaderboard": {12, 8, 3, 2, 1},
		"user_analytics":     {10, 10, 0, 4, 0},
	} {
		t.Run(name, func(t *testing.T) {
			read := func(file string) *importer.Source {
				return &importer.Source{Name: file, Text: tabletest.Must(os.ReadFile(filepath.Join(folder, name+"_"+file)))(t)}
			}
			result := tabletest.Must(importer.Import(name, "", *read("schema.json"), read("usage_data.json")))(t)
			design := loaded(t, result)
			indexes := 0
			for _, table := range design.Tables {
				indexes += len(table.Indexes)
			}
			assert.Equal(t, want, []int{result.Listed, result.Reads, result.Writes, indexes, len(result.NotCheckable)}, "left: %q", result.NotCheckable)
			for _, left := range result.NotCheckable {
				assert.Contains(t, left, "it is a Scan")
			}
		})
	}
}

// A faulty schema is refused with a line for each fault.
func TestFaultySchemas(t *testing.T) {
	text := tabletest.Must(os.ReadFile("testdata/desk.schema.json"))(t)
	for _, row := range tabletest.Read[[][3]string](t, "faulty_schemas.yaml") {
		faulty := strings.Replace(string(text), row[0], row[1], 1)
		_, err := importer.Import("desk", "", importer.Source{Name: "schema.json", Text: []byte(faulty)}, nil)
		assert.NotEqual(t, string(text), faulty, row[0])
		assert.ErrorContains(t, err, row[2], row[1])
		assert.Regexp(t, "^schema.json:", err, row[1])
	}
}
