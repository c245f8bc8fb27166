package importer_test

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/contract/importer"
	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/accesspatterns/document/witness"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/tabletest"
)

// The same table in each notation.
var sources = func() map[string]string {
	all := map[string]string{}
	for _, name := range []string{"describe.json", "template.yaml", "state.json", "stack.json", "workbench.json", "dynamodb_data_model.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", "orders", name))
		if err != nil {
			panic(err)
		}
		all[name] = string(text)
	}
	return all
}()

// loaded is the design that an import wrote.
func loaded(t *testing.T, result *importer.Result) *ap.Design {
	t.Helper()
	folder := fstest.MapFS{}
	for name, text := range result.Files {
		folder[name] = &fstest.MapFile{Data: text}
	}
	design, err := contract.Load(folder)
	require.NoError(t, err, "%s", result.Files["contract.yaml"])
	return design
}

// design imports a source and loads what it wrote, with all its citations proven.
func design(t *testing.T, name, text string, usage *importer.Source) (*ap.Design, *importer.Result) {
	t.Helper()
	result := tabletest.Must(importer.Import("orders", "", importer.Source{Name: name, Text: []byte(text)}, usage))(t)
	folder := t.TempDir()
	for file, text := range result.Files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, file), text, 0o600))
	}
	for _, note := range result.Notes {
		assert.Regexp(t, `line \d|^entities and access patterns were left out`, note, "expected the line that it is about")
	}
	design := loaded(t, result)
	source := tabletest.Must(coverage.Read(folder, design.Document))(t)
	assert.Equal(t, design.Document.SHA256, source.SHA256, "expected the digest of the source")
	for _, problem := range coverage.CitedFor(design, source) {
		t.Error(problem)
	}
	objections, _, err := witness.Of(design, folder)
	assert.NoError(t, err)
	for _, objection := range witness.Open(objections) {
		t.Errorf("%s: %s", objection.ID, objection.Message)
	}
	for _, proof := range coverage.Of(design, source, nil).Citations {
		assert.Empty(t, proof.Problem, "%s: %s", proof.Element, proof.Problem)
	}
	return design, result
}

func TestTheSameTableOfEachSource(t *testing.T) {
	for name, text := range sources {
		t.Run(name, func(t *testing.T) {
			loaded, _ := design(t, name, text, nil)
			require.Len(t, loaded.Tables, 1)
			_, found, _ := strings.Cut(tableText(&loaded.Tables[0]), " ")
			assert.Equal(t, "orders-prod: HASH pk (S), RANGE at (N); by-status local=false HASH status (S), RANGE at (N) INCLUDE [total]; PAY_PER_REQUEST", found)
		})
	}
}

var (
	//go:embed testdata/games.schema.json
	schema string
	//go:embed testdata/games.usage_data.json
	usage string
)

func TestSchemaWithUsageData(t *testing.T) {
	loaded, result := design(t, "schema.json", schema, &importer.Source{Name: "usage_data.json", Text: []byte(usage)})
	table := loaded.Tables[0]
	assert.True(t, result.Level == "reads" && len(loaded.Entities) == 1 && table.SortKey.Type == dynamo.Number && table.Indexes[0].PartitionKey.Type == dynamo.String,
		"expected an entity and keys of the types of its fields, found %+v", loaded)
	for _, words := range []string{`"score":{"N":"7"}`, `"player_pk":{"S":"PLAYER#p1"}`, `"extra":{"M":{"deep":{"L":[{"N":"1"},{"BOOL":true}]}}}`, `"name":"entry-other"`} {
		assert.Contains(t, string(result.Files["items.json"]), words)
	}
	other := strings.Replace(usage, `{"deep": [1, true]}`, `"deep"`, 1)
	loaded, result = design(t, "schema.json", schema, &importer.Source{Name: "usage_data.json", Text: []byte(other)})
	assert.Empty(t, loaded.Entities[0].Attributes[3].Type, "expected an open type")
	assert.Contains(t, strings.Join(result.Notes, "\n"), "extra of Entry: the schema says type M, and this is deep; the type is left open; usage_data.json line 2")
	other = strings.Replace(usage, `, "extra": {"deep": [1, true]}`, "", 1)
	loaded, result = design(t, "schema.json", schema, &importer.Source{Name: "usage_data.json", Text: []byte(other)})
	assert.Len(t, loaded.Entities[0].Attributes, 4)
	assert.Contains(t, strings.Join(result.Notes, "\n"), "extra of Entry: no sample has it; an item that is made of entry carries it")
	assert.Contains(t, string(result.Files["items.json"]), `"name":"entry-made"`)
	twice := strings.Replace(schema, `{"Entry": {`, `{"ENTRY": {"entity_type": "O", "pk_template": "O#{id}", "sk_template": "{n}", "fields": [{"name": "id", "type": "string", "required": true}, {"name": "n", "type": "integer", "required": true}]}, "Entry": {`, 1)
	_, result = design(t, "schema.json", twice, &importer.Source{Name: "usage_data.json", Text: []byte(strings.Replace(usage, `{"Entry"`, `{"ENTRY": {"sample_data": {"id": "1", "n": 1}}, "Entry"`, 1))})
	assert.Equal(t, 1, strings.Count(string(result.Files["items.json"]), `"name":"entry",`), "items of entities whose names differ in capitals have names of their own")
	loaded, result = design(t, "schema.json", schema, nil)
	assert.Equal(t, ap.Level("schema"), result.Level)
	assert.Empty(t, loaded.Entities, "expected the tables alone, found level %s", result.Level)
}

// What is wrong with a source is named with its line, and nothing is drafted.
func TestMistakesInSources(t *testing.T) {
	for name, row := range tabletest.Read[map[string]struct {
		File, Old, New string
		Found          []string
	}](t, "mistakes.yaml") {
		t.Run(name, func(t *testing.T) {
			text, file, with := sources[row.File], row.File, (*importer.Source)(nil)
			switch row.File {
			case "schema.json":
				text = schema
			case "usage_data.json":
				text, file = schema, "schema.json"
				with = &importer.Source{Name: row.File, Text: []byte(strings.Replace(usage, row.Old, row.New, 1))}
			}
			if with == nil {
				require.Contains(t, text, row.Old)
				text = strings.Replace(text, row.Old, row.New, 1)
			}
			_, err := importer.Import("orders", "", importer.Source{Name: file, Text: []byte(text)}, with)
			require.Error(t, err)
			for _, words := range row.Found {
				assert.Contains(t, err.Error(), words)
			}
		})
	}
}

// The lines of another encoding are not those that a contract cites.
func TestAnotherEncoding(t *testing.T) {
	_, err := importer.Import("orders", "", importer.Source{Name: "describe.json", Text: []byte("\xff\xfe{\x00}\x00")}, nil)
	assert.EqualError(t, err, "describe.json:1: expected text in UTF-8, found other bytes; convert the file")
}

// No source ends in a crash.
func FuzzImport(f *testing.F) {
	for _, text := range sources {
		f.Add(text)
	}
	f.Add(schema)
	f.Add(model)
	f.Add(shop)
	f.Fuzz(func(_ *testing.T, text string) {
		_, _ = importer.Import("fuzzed", "", importer.Source{Name: "source", Text: []byte(text)}, nil)
	})
}
