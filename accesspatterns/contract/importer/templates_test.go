package importer_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract/importer"
	"dynaproof/accesspatterns/tabletest"
)

// tableText is all that a contract says of a table, but for its citations.
func tableText(t *ap.Table) string {
	text := fmt.Sprintf("%s %s: %s", t.ID, t.Name, t.ShowKey())
	for i := range t.Indexes {
		index := &t.Indexes[i]
		text += fmt.Sprintf("; %s local=%t %s %s %v", index.Name, index.Local, index.ShowKey(), index.Projection, index.NonKeyAttributes)
	}
	text += "; " + string(t.Billing)
	if t.Units != nil {
		text += fmt.Sprint(*t.Units)
	}
	if t.TTL != nil {
		text += "; ttl " + t.TTL.Attribute
	}
	if t.Stream != nil {
		text += "; stream " + t.Stream.View
	}
	if t.Class != nil {
		text += "; class " + t.Class.Class
	}
	for _, promise := range []struct {
		name string
		is   *ap.Promise
	}{{"pitr", t.PITR}, {"protected", t.Protection}, {"encrypted", t.Encryption}} {
		if promise.is != nil {
			text += "; " + promise.name
		}
	}
	if len(t.Tags) > 0 {
		text += fmt.Sprint("; ", t.Tags)
	}
	return text
}

// What others' templates, plans and answers hold is resolved, or left open and told.
func TestTemplates(t *testing.T) {
	for name, row := range tabletest.Read[map[string]struct {
		File, Text string
		Tables     []string
		Notes      []string
		Deployed   bool
	}](t, "templates.yaml") {
		t.Run(name, func(t *testing.T) {
			loaded, result := design(t, row.File, row.Text, nil)
			var found []string
			for i := range loaded.Tables {
				found = append(found, tableText(&loaded.Tables[i]))
			}
			for _, want := range row.Tables {
				assert.Contains(t, "\n"+strings.Join(found, "\n")+"\n", "\n"+want+"\n")
			}
			assert.True(t, len(found) == len(row.Tables) && loaded.Document.Deployed == row.Deployed && result.Deployed == row.Deployed,
				"expected %d tables, deployed %t, found %d, %t", len(row.Tables), row.Deployed, len(found), loaded.Document.Deployed)
			for _, want := range row.Notes {
				assert.Contains(t, strings.Join(result.Notes, "\n"), want)
			}
			assert.NotContains(t, strings.Join(result.Notes, "\n"), "one moment: id", "a key attribute of that name")
		})
	}
}

// A parameter has the value that is given, or else its default. One that has neither is named where a table cannot be read without it.
func TestParametersOfTemplates(t *testing.T) {
	table := tabletest.Read[struct {
		Template string
		Rows     []struct {
			Name, Source string
			Given        map[string]string
			Refused      []string
		}
	}](t, "parameters.yaml")
	for _, row := range table.Rows {
		file, text := cmp.Or(row.Source, "template.yaml"), cmp.Or(sources[row.Source], table.Template)
		result, err := importer.Import("orders", "", importer.Source{Name: file, Text: []byte(text), Parameters: row.Given}, nil)
		if row.Refused != nil {
			assert.EqualError(t, err, strings.Join(row.Refused, "\n"), row.Name)
			continue
		}
		require.NoError(t, err, row.Name)
		made := string(result.Files["contract.yaml"])
		assert.Contains(t, made, "name: shop-orders")
		assert.Contains(t, made, "pk: S")
		assert.NotContains(t, strings.Join(result.Notes, "\n"), "--table")
	}
}

// What a source says and no contract does is told once, with all its lines, however deep it stands, and in one order in every run.
func TestWhatNoContractSaysIsTold(t *testing.T) {
	for name, row := range tabletest.Read[map[string]struct {
		File, Text, Usage string
		Notes             []string
	}](t, "untold.yaml") {
		t.Run(name, func(t *testing.T) {
			var usage *importer.Source
			if row.Usage != "" {
				usage = &importer.Source{Name: "usage_data.json", Text: []byte(row.Usage)}
			}
			_, result := design(t, row.File, row.Text, usage)
			told := slices.DeleteFunc(slices.Clone(result.Notes), func(note string) bool { return !slices.Contains(row.Notes, note) })
			assert.Equal(t, row.Notes, told)
		})
	}
}

// What comes along goes up to the level that is asked for, and no further.
func TestLevels(t *testing.T) {
	for level, want := range map[ap.Level]string{"": "writes", "schema": "schema", "items": "items", "reads": "reads", "writes": "writes"} {
		result := tabletest.Must(importer.Import("shop", level, importer.Source{Name: "shop.json", Text: []byte(shop)}, nil))(t)
		_, items := result.Files["items.json"]
		_, cases := result.Files["cases.json"]
		assert.True(t, string(result.Level) == want && items == (want != "schema") && cases == (want == "reads" || want == "writes"),
			"%s: expected level %s, found %s with items %t and cases %t", level, want, result.Level, items, cases)
		_, err := importer.Import("orders", ap.LevelReads, importer.Source{Name: "describe.json", Text: []byte(sources["describe.json"])}, nil)
		assert.ErrorContains(t, err, "expected at most --level schema", "expected a level that does not come along to be refused")
	}
}
