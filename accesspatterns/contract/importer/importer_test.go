package importer_test

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"testing"

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

// design imports a source and loads what it wrote, with all its citations proven.
func design(t *testing.T, name, text string, usage *importer.Source) (*ap.Design, *importer.Result) {
	t.Helper()
	result, err := importer.Import("orders", "", importer.Source{Name: name, Text: []byte(text)}, usage)
	require.NoError(t, err)
	folder := t.TempDir()
	for file, text := range result.Files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, file), text, 0o600))
	}
	loaded, err := contract.Load(os.DirFS(folder))
	if err != nil {
		t.Fatalf("%v\n%s", err, result.Files["contract.yaml"])
	}
	source, err := coverage.Read(folder, loaded.Document)
	require.NoError(t, err)
	if source.SHA256 != loaded.Document.SHA256 {
		t.Errorf("expected the digest of the source, found %s", loaded.Document.SHA256)
	}
	for _, problem := range coverage.CitedFor(loaded, source) {
		t.Error(problem)
	}
	objections, _, err := witness.Of(loaded, folder)
	assert.NoError(t, err)
	for _, objection := range witness.Open(objections) {
		t.Errorf("%s: %s", objection.ID, objection.Message)
	}
	for _, proof := range coverage.Of(loaded, source, nil).Citations {
		if proof.Problem != "" {
			t.Errorf("%s: %s", proof.Element, proof.Problem)
		}
	}
	return loaded, result
}

func TestTheSameTableOfEachSource(t *testing.T) {
	for name, text := range sources {
		t.Run(name, func(t *testing.T) {
			loaded, _ := design(t, name, text, nil)
			if len(loaded.Tables) != 1 || len(loaded.Tables[0].Indexes) != 1 {
				t.Fatalf("expected a table with an index, found %+v", loaded.Tables)
			}
			table := loaded.Tables[0]
			index := table.Indexes[0]
			if table.Name != "orders-prod" || table.PartitionKey != (ap.Key{Attribute: "pk", Type: dynamo.String}) || *table.SortKey != (ap.Key{Attribute: "at", Type: dynamo.Number}) ||
				table.Billing != dynamo.OnDemand || table.TTL != nil || table.PITR != nil || len(table.Tags) > 0 {
				t.Errorf("expected the table, found %+v", table)
			}
			if index.Name != "by-status" || index.PartitionKey.Attribute != "status" || index.SortKey.Attribute != "at" || index.Projection != dynamo.ProjectInclude || len(index.NonKeyAttributes) != 1 || index.NonKeyAttributes[0] != "total" {
				t.Errorf("expected the index, found %+v", index)
			}
		})
	}
}

func TestSettingsOfTables(t *testing.T) {
	loaded, result := design(t, "template.json", `{"Resources": {
 "OrdersTable9A": {"Type": "AWS::DynamoDB::Table", "Properties": {
  "TableName": {"Ref": "Name"},
  "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
  "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
  "TimeToLiveSpecification": {"AttributeName": "expires", "Enabled": true},
  "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true},
  "Tags": [{"Key": "team", "Value": "it's ours"}],
  "BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 1},
  "DeletionProtectionEnabled": true, "TableClass": "STANDARD_INFREQUENT_ACCESS",
  "StreamSpecification": {"StreamViewType": "NEW_IMAGE"}}}}}`, nil)
	table := loaded.Tables[0]
	if table.ID != "OrdersTable9A" || table.TTL == nil || table.TTL.Attribute != "expires" || table.PITR == nil || table.Tags["team"] != "it's ours" {
		t.Errorf("expected the settings, found %+v", table)
	}
	if table.Stream == nil || table.Stream.View != "NEW_IMAGE" || table.Protection == nil || table.Class == nil || table.Class.Class != "STANDARD_INFREQUENT_ACCESS" || table.Units == nil || *table.Units != (ap.Capacity{ReadUnits: 3, WriteUnits: 1}) {
		t.Errorf("expected the promises, found %+v", table)
	}
	if notes := strings.Join(result.Notes, "\n"); !strings.Contains(notes, "--table OrdersTable9A=NAME") {
		t.Errorf("expected a note of the name, found %s", notes)
	}
}

func TestLocalIndexes(t *testing.T) {
	for name, text := range map[string]string{
		"describe.json": `{"Table": {"TableName": "orders", "AttributeDefinitions": [
 {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}, {"AttributeName": "day", "AttributeType": "N"}],
 "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
 "StreamSpecification": {"StreamEnabled": false},
 "LocalSecondaryIndexes": [{"IndexName": "by-day", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "day", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "KEYS_ONLY"}}]}}`,
		"state.json": `{"format_version": "1.0", "values": {"root_module": {"resources": [{"type": "aws_dynamodb_table", "values": {
 "name": "orders", "hash_key": "pk", "range_key": "sk", "billing_mode": "PAY_PER_REQUEST", "read_capacity": 0, "write_capacity": 0, "stream_enabled": false, "table_class": "",
 "attribute": [{"name": "pk", "type": "S"}, {"name": "sk", "type": "S"}, {"name": "day", "type": "N"}],
 "local_secondary_index": [{"name": "by-day", "range_key": "day", "projection_type": "KEYS_ONLY"}]}}]}}}`,
		"workbench.json": `{"DataModel": [{"TableName": "orders", "KeyAttributes": {"PartitionKey": {"AttributeName": "pk", "AttributeType": "S"}, "SortKey": {"AttributeName": "sk", "AttributeType": "S"}},
 "LocalSecondaryIndexes": [{"IndexName": "by-day", "KeyAttributes": {"PartitionKey": {"AttributeName": "pk", "AttributeType": "S"}, "SortKey": {"AttributeName": "day", "AttributeType": "N"}}, "Projection": {"ProjectionType": "KEYS_ONLY"}}]}]}`,
	} {
		loaded, _ := design(t, name, text, nil)
		table := loaded.Tables[0]
		index, is := table.Index("by-day")
		if !is || !index.Local || index.PartitionKey.Attribute != "pk" || *index.SortKey != (ap.Key{Attribute: "day", Type: dynamo.Number}) || index.Projection != dynamo.ProjectKeysOnly || table.Stream != nil || table.Units != nil || table.Class != nil {
			t.Errorf("%s: expected the local index, found %+v", name, table)
		}
	}
}

//go:embed testdata/games.schema.json
var schema string

const usage = `{"entities": {"Entry": {
 "sample_data": {"game_id": "g1", "score": 7, "player_id": "p1", "extra": {"deep": [1, true]}},
 "access_pattern_data": {"game_id": "g1", "score": 8, "player_id": "p2"}}}}`

func TestSchemaWithUsageData(t *testing.T) {
	loaded, result := design(t, "schema.json", schema, &importer.Source{Name: "usage_data.json", Text: []byte(usage)})
	if result.Level != "reads" || len(loaded.Entities) != 1 || loaded.Tables[0].SortKey.Type != dynamo.Number || loaded.Tables[0].Indexes[0].PartitionKey.Type != dynamo.String {
		t.Errorf("expected an entity and keys of the types of its fields, found %+v", loaded)
	}
	for _, words := range []string{`"score":{"N":"7"}`, `"player_pk":{"S":"PLAYER#p1"}`, `"extra":{"M":{"deep":{"L":[{"N":"1"},{"BOOL":true}]}}}`, `"name":"entry-other"`} {
		assert.Contains(t, string(result.Files["items.json"]), words)
	}
	other := strings.Replace(usage, `{"deep": [1, true]}`, `"deep"`, 1)
	loaded, result = design(t, "schema.json", schema, &importer.Source{Name: "usage_data.json", Text: []byte(other)})
	if notes := strings.Join(result.Notes, "\n"); loaded.Entities[0].Attributes[3].Type != "" || !strings.Contains(notes, "extra of Entry: the schema says type M, and usage_data.json:2 has deep; the type is left open") {
		t.Errorf("expected an open type, found %+v, %s", loaded.Entities[0].Attributes, notes)
	}
	other = strings.Replace(usage, `, "extra": {"deep": [1, true]}`, "", 1)
	loaded, result = design(t, "schema.json", schema, &importer.Source{Name: "usage_data.json", Text: []byte(other)})
	if notes := strings.Join(result.Notes, "\n"); len(loaded.Entities[0].Attributes) != 4 || !strings.Contains(notes, "extra of Entry: no sample has it; an item that is made of entry carries it") || !strings.Contains(string(result.Files["items.json"]), `"name":"entry-made"`) {
		t.Errorf("expected an item for the attribute that no sample has, found %+v, %s", loaded.Entities[0].Attributes, notes)
	}
	loaded, result = design(t, "schema.json", schema, nil)
	if result.Level != "schema" || len(loaded.Entities) != 0 {
		t.Errorf("expected the tables alone, found level %s", result.Level)
	}
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
			result, err := importer.Import("orders", "", importer.Source{Name: file, Text: []byte(text)}, with)
			if err == nil {
				t.Fatalf("expected a mistake, found %s", result.Files["contract.yaml"])
			}
			for _, words := range row.Found {
				assert.Contains(t, err.Error(), words)
			}
		})
	}
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
