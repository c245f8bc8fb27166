package importer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/contract/importer"
)

// What comes along of models of AWS's tools: every index, every read that is no Scan, every write.
func TestModels(t *testing.T) {
	const folder = "../../../../shared/models"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("the models of AWS's tools are not beside this repository, in ../shared/models")
	}
	for name, want := range map[string]struct{ listed, reads, writes, indexes, left int }{
		"ecommerce":          {24, 13, 11, 0, 0},
		"gaming_leaderboard": {12, 8, 3, 2, 1},
		"user_analytics":     {10, 10, 0, 4, 0},
	} {
		t.Run(name, func(t *testing.T) {
			read := func(file string) *importer.Source {
				text, err := os.ReadFile(filepath.Join(folder, name+"_"+file))
				if err != nil {
					t.Fatal(err)
				}
				return &importer.Source{Name: file, Text: text}
			}
			result, err := importer.Import(name, "", *read("schema.json"), read("usage_data.json"))
			if err != nil {
				t.Fatal(err)
			}
			files := fstest.MapFS{}
			for name, text := range result.Files {
				files[name] = &fstest.MapFile{Data: text}
			}
			design, err := contract.Load(files)
			if err != nil {
				t.Fatal(err)
			}
			indexes := 0
			for _, table := range design.Tables {
				indexes += len(table.Indexes)
			}
			if result.Listed != want.listed || result.Reads != want.reads || result.Writes != want.writes || indexes != want.indexes || len(result.NotCheckable) != want.left {
				t.Errorf("expected %+v, found %d listed, %d reads, %d writes, %d indexes, left: %s", want, result.Listed, result.Reads, result.Writes, indexes, strings.Join(result.NotCheckable, "\n"))
			}
			for _, left := range result.NotCheckable {
				if !strings.Contains(left, "it is a Scan") {
					t.Errorf("expected nothing but Scans to be left, found %s", left)
				}
			}
		})
	}
}
