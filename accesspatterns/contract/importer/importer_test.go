package importer_test

import (
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
)

// The same table in each notation.
var sources = map[string]string{
	"describe.json": `{"Table": {
  "TableName": "orders-prod",
  "TableStatus": "ACTIVE",
  "AttributeDefinitions": [
    {"AttributeName": "pk", "AttributeType": "S"},
    {"AttributeName": "at", "AttributeType": "N"},
    {"AttributeName": "status", "AttributeType": "S"}],
  "KeySchema": [
    {"AttributeName": "at", "KeyType": "RANGE"},
    {"AttributeName": "pk", "KeyType": "HASH"}],
  "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
  "GlobalSecondaryIndexes": [{
    "IndexName": "by-status",
    "KeySchema": [{"AttributeName": "status", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}],
    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["total"]}}]
}}`,
	"template.yaml": `Resources:
  Bucket: {Type: AWS::S3::Bucket}
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: orders-prod
      AttributeDefinitions:
        - {AttributeName: pk, AttributeType: S}
        - {AttributeName: at, AttributeType: N}
        - {AttributeName: status, AttributeType: S}
      KeySchema: [{AttributeName: pk, KeyType: HASH}, {AttributeName: at, KeyType: RANGE}]
      BillingMode: PAY_PER_REQUEST
      GlobalSecondaryIndexes:
        - IndexName: by-status
          KeySchema: [{AttributeName: status, KeyType: HASH}, {AttributeName: at, KeyType: RANGE}]
          Projection: {ProjectionType: INCLUDE, NonKeyAttributes: [total]}
`,
	"state.json": `{"format_version": "1.0", "values": {"root_module": {"resources": [{"type": "aws_s3_bucket", "values": {}}], "child_modules": [{"resources": [{
  "type": "aws_dynamodb_table",
  "values": {
    "name": "orders-prod", "hash_key": "pk", "range_key": "at", "billing_mode": "PAY_PER_REQUEST",
    "attribute": [{"name": "pk", "type": "S"}, {"name": "at", "type": "N"}, {"name": "status", "type": "S"}],
    "global_secondary_index": [
      {"name": "by-status", "hash_key": "status", "range_key": "at", "projection_type": "INCLUDE", "non_key_attributes": ["total"]}],
    "ttl": [{"attribute_name": "", "enabled": false}], "point_in_time_recovery": [{"enabled": false}], "tags": null
  }}]}]}}}`,
	"stack.json": `{"version": 3, "deployment": {"resources": [{"type": "pulumi:pulumi:Stack"}, {
  "type": "aws:dynamodb/table:Table",
  "outputs": {"name": "orders-prod", "hashKey": "pk", "rangeKey": "at", "billingMode": "PAY_PER_REQUEST",
    "attributes": [{"name": "pk", "type": "S"}, {"name": "at", "type": "N"}, {"name": "status", "type": "S"}],
    "globalSecondaryIndexes": [{"name": "by-status", "hashKey": "status", "rangeKey": "at", "projectionType": "INCLUDE", "nonKeyAttributes": ["total"]}]}}]}}`,
	"workbench.json": `{"ModelName": "Orders", "DataModel": [{
  "TableName": "orders-prod",
  "KeyAttributes": {
    "PartitionKey": {"AttributeName": "pk", "AttributeType": "S"},
    "SortKey": {"AttributeName": "at", "AttributeType": "N"}},
  "GlobalSecondaryIndexes": [{
    "IndexName": "by-status",
    "KeyAttributes": {"PartitionKey": {"AttributeName": "status", "AttributeType": "S"}, "SortKey": {"AttributeName": "at", "AttributeType": "N"}},
    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["total"]}}],
  "BillingMode": "PAY_PER_REQUEST"}]}`,
	"dynamodb_data_model.json": `{"tables": [{
  "TableName": "orders-prod",
  "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "at", "AttributeType": "N"}, {"AttributeName": "status", "AttributeType": "S"}],
  "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}],
  "BillingMode": "PAY_PER_REQUEST",
  "GlobalSecondaryIndexes": [{"IndexName": "by-status",
    "KeySchema": [{"AttributeName": "status", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}],
    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["total"]}}]}],
  "items": {}, "access_patterns": []}`,
}

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

const schema = `{"tables": [{
 "table_config": {"table_name": "Games", "partition_key": "game_id", "sort_key": "score"},
 "gsi_list": [{"name": "ByPlayer", "partition_key": "player_pk", "sort_key": "score"}],
 "entities": {"Entry": {
  "entity_type": "SCORE",
  "pk_template": "{game_id}",
  "sk_template": "{score}",
  "gsi_mappings": [{"name": "ByPlayer", "pk_template": "PLAYER#{player_id}", "sk_template": "{score}"}],
  "fields": [
   {"name": "game_id", "type": "string", "required": true},
   {"name": "score", "type": "integer", "required": true},
   {"name": "player_id", "type": "string", "required": true},
   {"name": "extra", "type": "object", "required": false}],
  "access_patterns": [
   {"pattern_id": 1, "name": "by_player", "description": "By player", "operation": "Query", "index_name": "ByPlayer", "return_type": "entity_list", "parameters": [{"name": "player_id", "type": "string"}]}]}}}]}`

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
	for name, row := range map[string]struct {
		file, old, new string
		found          []string
	}{
		"no hash key":                     {"describe.json", `"KeyType": "HASH"}],` + "\n  \"Billing", `"KeyType": "RANGE"}],` + "\n  \"Billing", []string{"describe.json:10: expected at most 1 RANGE key attributes", "describe.json:8: expected a KeySchema with a HASH key, found none"}},
		"no key schema":                   {"dynamodb_data_model.json", `"KeySchema": [{"AttributeName": "pk"`, `"Keys": [{"AttributeName": "pk"`, []string{"dynamodb_data_model.json:1: expected a KeySchema with a HASH key"}},
		"an unknown type":                 {"describe.json", `"at", "AttributeType": "N"`, `"at", "AttributeType": "NUMBER"`, []string{"describe.json:6: key attribute at: expected the type S, N or B, found NUMBER"}},
		"an undefined key":                {"template.yaml", "        - {AttributeName: status, AttributeType: S}\n", "", []string{"template.yaml:14: key attribute status: expected it among the attribute definitions, found at, pk"}},
		"an unknown projection":           {"workbench.json", "INCLUDE", "SOME", []string{"workbench.json:9: projection of by-status: expected ALL, KEYS_ONLY or INCLUDE, found SOME"}},
		"no name":                         {"state.json", `"name": "orders-prod", `, "", []string{"state.json:3: expected name here, found none"}},
		"CloudFormation without hash key": {"template.yaml", "[{AttributeName: pk, KeyType: HASH}, {AttributeName: at,", "[{AttributeName: at,", []string{"template.yaml:11: expected a KeySchema with a HASH key, found none"}},
		"CloudFormation, unknown type":    {"template.yaml", "{AttributeName: at, AttributeType: N}", "{AttributeName: at, AttributeType: NUMBER}", []string{"template.yaml:9: key attribute at: expected the type S, N or B, found NUMBER"}},
		"Terraform without hash key":      {"state.json", `"hash_key": "pk", "range_key"`, `"range_key"`, []string{"state.json:3: expected hash_key here, found none"}},
		"Terraform, unknown type":         {"state.json", `{"name": "at", "type": "N"}`, `{"name": "at", "type": "NUMBER"}`, []string{"state.json:5: key attribute at: expected the type S, N or B, found NUMBER"}},
		"Pulumi without hash key":         {"stack.json", `"hashKey": "pk", "rangeKey"`, `"rangeKey"`, []string{"stack.json:3: expected hashKey here, found none"}},
		"Pulumi, unknown type":            {"stack.json", `{"name": "at", "type": "N"}`, `{"name": "at", "type": "NUMBER"}`, []string{"stack.json:4: key attribute at: expected the type S, N or B, found NUMBER"}},
		"Workbench, unknown type":         {"workbench.json", `"AttributeName": "pk", "AttributeType": "S"`, `"AttributeName": "pk", "AttributeType": "TEXT"`, []string{"workbench.json:4: key attribute pk: expected the type S, N or B, found TEXT"}},
		"a data model, unknown type":      {"dynamodb_data_model.json", `{"AttributeName": "at", "AttributeType": "N"}`, `{"AttributeName": "at", "AttributeType": "NUMBER"}`, []string{"dynamodb_data_model.json:3: key attribute at: expected the type S, N or B, found NUMBER"}},
		"schema.json without keys":        {"schema.json", `"partition_key"`, `"key"`, []string{"schema.json:2: expected partition_key here, found none"}},
		"a name that is a number":         {"stack.json", `"name": "orders-prod"`, `"name": 7`, []string{"stack.json:3: name: expected text, found 7"}},
		"no partition key":                {"workbench.json", `"PartitionKey": {"AttributeName": "pk"`, `"HashKey": {"AttributeName": "pk"`, []string{"workbench.json:1: expected KeyAttributes.PartitionKey here, found none"}},
		"another billing mode":            {"template.yaml", "PAY_PER_REQUEST", "ON_DEMAND", []string{"template.yaml:12: billing mode: expected PAY_PER_REQUEST or PROVISIONED, found ON_DEMAND"}},
		"no JSON":                         {"state.json", `"values": {`, `"values": {{`, []string{"state.json:1: expected JSON: invalid character '{'"}},
		"JSON with a comma too many":      {"describe.json", `"KeyType": "HASH"}],` + "\n  \"Billing", `"KeyType": "HASH"},],` + "\n  \"Billing", []string{"describe.json:10: expected JSON: invalid character ']'"}},
		"no YAML":                         {"template.yaml", "  Orders:", "  Orders: [", []string{"template.yaml:", "expected JSON or YAML"}},
		"no tables":                       {"stack.json", "aws:dynamodb/table:Table", "aws:s3/bucket:Bucket", []string{"stack.json:1: expected at least one DynamoDB table in Pulumi's exported state, found none"}},
		"nothing that is known":           {"workbench.json", "DataModel", "Data", []string{"workbench.json:1: expected describe-table output or the input of create-table, CloudFormation, `terraform"}},
		"a simple table's key":            {"template.yaml", "  Bucket: {Type: AWS::S3::Bucket}", "  Small: {Type: AWS::Serverless::SimpleTable, Properties: {TableName: small, PrimaryKey: {Name: id, Type: Text}}}", []string{"template.yaml:2: Type: expected String, Number or Binary, found Text"}},
		"an index without a name":         {"dynamodb_data_model.json", `"IndexName"`, `"Name"`, []string{"dynamodb_data_model.json:6: expected IndexName here, found none"}},
		"a pattern without index":         {"schema.json", `"index_name": "ByPlayer"`, `"index_name": "ByScore"`, []string{"schema.json:15: access pattern by_player of Entry: expected an index of table Games, found no index ByScore"}},
		"an entity without its key":       {"schema.json", `"pk_template": "{game_id}"`, `"pk": "{game_id}"`, []string{"schema.json:4: expected pk_template here, found none"}},
		"a mapping without index":         {"schema.json", `"gsi_mappings": [{"name": "ByPlayer"`, `"gsi_mappings": [{"name": "ByScore"`, []string{"schema.json:8: Entry is mapped to index ByScore"}},
		"a template without field":        {"schema.json", "PLAYER#{player_id}", "PLAYER#{user_id}", []string{"schema.json:8: template PLAYER#{user_id} of Entry: expected its fields, found no field user_id"}},
		"an unknown field type":           {"schema.json", `"type": "integer"`, `"type": "int"`, []string{"schema.json:11: type: expected string, integer, "}},
		"a sample of another type":        {"usage_data.json", `"score": 7`, `"score": "7"`, []string{"usage_data.json:2: score: expected a value of type N, found 7"}},
		"a sample without its key":        {"usage_data.json", `"game_id": "g1", "score": 8`, `"score": 8`, []string{"usage_data.json:3: access_pattern_data of Entry: expected the fields of {game_id}"}},
		"a name twice":                    {"schema.json", `"sort_key": "score"}`, `"sort_key": "score", "sort_key": "day"}`, []string{"schema.json:2: sort_key stands twice; keep one"}},
		"a name twice beside the tables":  {"template.yaml", "  Bucket: {Type: AWS::S3::Bucket}", "  Bucket: {Type: AWS::S3::Bucket, Properties: {A: 1, A: 2, A: 3}}\n  Small: {Type: AWS::DynamoDB::Table, Properties: {TableName: small, TableName: smaller}}", []string{"template.yaml:3: TableName stands twice; keep one"}},
		"an attribute twice":              {"describe.json", `"AttributeName": "pk", "AttributeType": "S"},`, `"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "pk", "AttributeType": "N"},`, []string{"describe.json:5: attribute pk is defined twice; keep one"}},
		"one attribute in both keys":      {"template.yaml", "{AttributeName: at, KeyType: RANGE}]\n      Billing", "{AttributeName: pk, KeyType: RANGE}]\n      Billing", []string{"template.yaml:11: key attribute pk stands twice in one key"}},
		"an attribute of no key":          {"describe.json", `"AttributeName": "pk", "AttributeType": "S"},`, `"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "day", "AttributeType": "S"},`, []string{"describe.json:5: attribute day: expected it in the key of the table or of an index"}},
		"an alias":                        {"template.yaml", "KeyType: RANGE}]\n      BillingMode: PAY_PER_REQUEST", "KeyType: &mode RANGE}]\n      BillingMode: *mode", []string{"template.yaml:12: expected a value, found the alias *mode; write out"}},
		"a template of another entity":    {"schema.json", `"name": "ByPlayer", "pk_template": "PLAYER#{player_id}", "sk_template": "{score}"`, `"name": "ByPlayer", "pk_template": "PLAYER#{player_id}", "sk_template": "S#{score}"`, []string{"schema.json:8: template S#{score} of Entry: expected {score}, for key attribute score has it in another key"}},
		"serverless.yml":                  {"template.yaml", "Resources:\n", "service: shop\nprovider: {name: aws}\nresources:\n", []string{"template.yaml:1: expected a template of CloudFormation, found serverless.yml; import the template that `serverless package` makes of it"}},
		"a loop":                          {"template.yaml", "Resources:\n", "Resources:\n  Fn::ForEach::Tables: [Name, [a], {'T${Name}': {Type: AWS::DynamoDB::Table}}]\n", []string{"template.yaml:2: Fn::ForEach::Tables: expected what the loop makes, found the loop; import the template as it is deployed"}},
		"a loop in a table":               {"template.yaml", "      BillingMode: PAY_PER_REQUEST\n", "      Fn::ForEach::Settings: [Setting, [DeletionProtectionEnabled], {'${Setting}': true}]\n", []string{"template.yaml:12: Fn::ForEach::Settings: expected what the loop makes"}},
		"a condition of no template":      {"template.yaml", "  Orders:\n", "  Orders:\n    Condition: Prod\n", []string{"template.yaml:4: resource Orders: expected a condition of the template, found Prod"}},
		"a local index of another key":    {"template.yaml", "      GlobalSecondaryIndexes:", "      LocalSecondaryIndexes:", []string{"template.yaml:14: local secondary index by-status: expected the table's HASH key pk, found status"}},
		"a sample of no field":            {"usage_data.json", `"extra": {`, `"more": {`, []string{"usage_data.json:2: sample_data of Entry: expected a field of the schema, found more"}},
	} {
		t.Run(name, func(t *testing.T) {
			text, file, with := sources[row.file], row.file, (*importer.Source)(nil)
			switch row.file {
			case "schema.json":
				text = schema
			case "usage_data.json":
				text, file = schema, "schema.json"
				with = &importer.Source{Name: row.file, Text: []byte(strings.Replace(usage, row.old, row.new, 1))}
			}
			if with == nil {
				require.Contains(t, text, row.old)
				text = strings.Replace(text, row.old, row.new, 1)
			}
			result, err := importer.Import("orders", "", importer.Source{Name: file, Text: []byte(text)}, with)
			if err == nil {
				t.Fatalf("expected a mistake, found %s", result.Files["contract.yaml"])
			}
			for _, words := range row.found {
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
