package importer_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract/importer"
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
	for name, row := range map[string]struct {
		file, text string
		tables     []string
		notes      []string
		deployed   bool
	}{
		"intrinsic functions": {"template.yaml", `
Parameters:
  Stage: {Type: String}
  Team: {Type: String, Default: shop}
  Mode: {Type: String, Default: PAY_PER_REQUEST}
  Key: {Type: 'AWS::SSM::Parameter::Value<String>', Default: /keys/name}
  Suffix: {Type: String}
  Protect: {Type: String, Default: 'true'}
  Views: {Type: CommaDelimitedList, Default: 'NEW_IMAGE, OLD_IMAGE'}
Mappings:
  Names: {dev: {table: ledger}}
Conditions:
  Protected: !Equals [!Ref Protect, 'true']
  Never: !And [!Condition Protected, !Not [!Condition Protected]]
  Open: !Equals [!Ref Suffix, x]
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    DeletionPolicy: Retain
    Properties:
      TableName: !Sub '${Team}-orders-${Stage}'
      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}, {AttributeName: at, AttributeType: N}]
      KeySchema: [{AttributeName: pk, KeyType: HASH}]
      LocalSecondaryIndexes: !If [Never, [], !Ref AWS::NoValue]
      GlobalSecondaryIndexes:
        - {IndexName: !Join ['-', [by, at]], KeySchema: [{AttributeName: at, KeyType: HASH}], Projection: {ProjectionType: !If [Never, ALL, KEYS_ONLY]}}
      BillingMode: !Ref Mode
      DeletionProtectionEnabled: !If [Protected, true, false]
      StreamSpecification: {StreamViewType: !Select [1, !Ref Views]}
      SSESpecification: {SSEEnabled: true}
      PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: !If [Open, true, false]}
      TimeToLiveSpecification: {AttributeName: !Select [0, !Split [':', 'expires:x']], Enabled: true}
      KinesisStreamSpecification: {StreamArn: !GetAtt Stream.Arn}
      Tags: [{Key: team, Value: !Ref Team}, {Key: stage, Value: !Ref Stage}]
  Ledger:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !FindInMap [Names, dev, table]
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
      ProvisionedThroughput: {ReadCapacityUnits: '5', WriteCapacityUnits: '2'}
      BillingMode: PROVISIONED
      Tags: [{Key: stack, Value: !Ref AWS::StackName}]
  Extra:
    Type: AWS::DynamoDB::Table
    Condition: Never
    Properties: {TableName: extra, AttributeDefinitions: [{AttributeName: id, AttributeType: S}], KeySchema: [{AttributeName: id, KeyType: HASH}]}
  Keyed:
    Type: AWS::DynamoDB::Table
    Condition: Open
    Properties: {TableName: !Sub 'keyed-${Suffix}', AttributeDefinitions: [{AttributeName: id, AttributeType: S}], KeySchema: [{AttributeName: id, KeyType: HASH}]}
  Simple: {Type: AWS::Serverless::SimpleTable}
`, []string{
			"shop-orders shop-orders-{Stage}: HASH pk (S); by-at local=false HASH at (N) KEYS_ONLY []; PAY_PER_REQUEST; ttl expires; stream OLD_IMAGE; protected; encrypted; map[stage:{Stage} team:shop]",
			"ledger ledger: HASH id (S); PROVISIONED{5 2}",
			"Keyed Keyed: HASH id (S); ",
			"Simple Simple: HASH id (S); PAY_PER_REQUEST",
		}, []string{
			"parameter Team: its default shop is taken", "PointInTimeRecoveryEnabled is ${If Open}, which the template does not give; it is left out",
			"StreamArn is ${Stream.Arn}", "table ledger: its tags are left out, for one of them has no value that is known",
			"table Extra is left out, for condition Never does not hold with the template's values", "table Keyed is made only under condition Open, which the template leaves open; it is taken",
			"table Keyed: its name is keyed-${Suffix}; audit it with --table Keyed=NAME", "table Simple: the template gives it no fixed name",
		}, false},
		"a global table as CDK makes it": {"template.json", `{"Resources": {"OrdersF1": {"Type": "AWS::DynamoDB::GlobalTable", "Properties": {
 "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "N"}],
 "BillingMode": "PAY_PER_REQUEST",
 "GlobalSecondaryIndexes": [{"IndexName": "many", "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}], "Projection": {"NonKeyAttributes": ["x"], "ProjectionType": "INCLUDE"}}],
 "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
 "Replicas": [
  {"Region": {"Ref": "AWS::Region"}, "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}, "Tags": [{"Key": "k", "Value": "v"}], "TableClass": "STANDARD_INFREQUENT_ACCESS", "DeletionProtectionEnabled": true},
  {"Region": "eu-west-1"}],
 "SSESpecification": {"SSEEnabled": false},
 "StreamSpecification": {"StreamViewType": "NEW_AND_OLD_IMAGES"},
 "TimeToLiveSpecification": {"AttributeName": "ttl", "Enabled": true}}}}}`, []string{
			"OrdersF1 OrdersF1: HASH pk (S); many local=false HASH a (S), HASH pk (S), RANGE b (N) INCLUDE [x]; PAY_PER_REQUEST; ttl ttl; stream NEW_AND_OLD_IMAGES; class STANDARD_INFREQUENT_ACCESS; pitr; protected; map[k:v]",
		}, []string{"table OrdersF1 has 2 replicas", "--table OrdersF1=NAME"}, false},
		"a plan of Terraform": {"plan.json", `{"format_version": "1.2", "terraform_version": "1.11.4",
 "planned_values": {"root_module": {"resources": [
  {"address": "aws_dynamodb_table.shard[0]", "mode": "managed", "type": "aws_dynamodb_table", "index": 0, "values": {"name": "shard-0", "hash_key": "pk", "attribute": [{"name": "pk", "type": "S"}], "billing_mode": "PAY_PER_REQUEST", "range_key": null, "server_side_encryption": [], "replica": []}},
  {"address": "aws_dynamodb_table.shard[1]", "mode": "managed", "type": "aws_dynamodb_table", "index": 1, "values": {"name": "shard-1", "hash_key": "pk", "attribute": [{"name": "pk", "type": "S"}], "billing_mode": "PROVISIONED", "read_capacity": 3, "write_capacity": 4}},
  {"address": "data.aws_dynamodb_table.other", "mode": "data", "type": "aws_dynamodb_table", "values": {"name": "other"}},
  {"address": "aws_dynamodb_table.each[\"blue\"]", "mode": "managed", "type": "aws_dynamodb_table", "index": "blue", "values": {"hash_key": "pk", "attribute": [{"name": "pk", "type": "S"}, {"name": "q", "type": "S"}], "on_demand_throughput": [{"max_read_request_units": 10}],
   "global_secondary_index": [{"name": "gsi", "key_schema": [{"attribute_name": "q", "key_type": "HASH"}, {"attribute_name": "pk", "key_type": "HASH"}], "projection_type": "ALL"}], "tags_all": {"a": "b"}, "tags": null, "ttl": [{"enabled": true, "attribute_name": "t"}], "point_in_time_recovery": [{"enabled": true}]}}],
  "child_modules": [{"address": "module.m", "resources": [{"address": "module.m.aws_dynamodb_table_item.i", "mode": "managed", "type": "aws_dynamodb_table_item", "values": {}}]}]}},
 "prior_state": {"values": {"root_module": {}}}}`, []string{
			"shard-0 shard-0: HASH pk (S); PAY_PER_REQUEST", "shard-1 shard-1: HASH pk (S); PROVISIONED{3 4}",
			"each-blue each-blue: HASH pk (S); gsi local=false HASH pk (S), HASH q (S) ALL []; ; ttl t; pitr; map[a:b]",
		}, []string{"table each-blue: the plan gives it no name", "on_demand_throughput is left out", "module.m.aws_dynamodb_table_item.i is left out"}, false},
		"describe-table of several": {"tables.json", `{"Table": {"TableName": "one", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "SSEDescription": {"Status": "ENABLED", "SSEType": "KMS", "KMSMasterKeyArn": "arn:aws:kms:x"}}}
{"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}}
{"ContinuousBackupsDescription": {"PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "ENABLED"}}}
{"Tags": [{"Key": "a", "Value": "b"}, {"Key": "aws:cloudformation:stack-name", "Value": "s"}]}
{"Table": {"TableName": "two", "TableStatus": "ACTIVE", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "B"}], "OnDemandThroughput": {"MaxReadRequestUnits": 5}}}`, []string{
			"one one: HASH pk (S); ; ttl ttl; pitr; map[a:b]", "two two: HASH pk (B); ",
		}, []string{"table two: describe-table does not tell time to live", "table two: OnDemandThroughput is left out", "table one: its encryption with the key arn:aws:kms:x is left out"}, true},
		"a table of an id of one letter": {"template.yaml", `
Resources:
  B:
    Type: AWS::DynamoDB::Table
    Properties: {TableName: !Sub '${AWS::StackName}-b', AttributeDefinitions: [{AttributeName: id, AttributeType: S}], KeySchema: [{AttributeName: id, KeyType: HASH}], ProvisionedThroughput: {ReadCapacityUnits: 2, WriteCapacityUnits: 1}}
`, []string{"B-table B-table: HASH id (S); PROVISIONED{2 1}"}, []string{"audit it with --table B-table=NAME"}, false},
		"a template that says neither key nor mode": {"template.yaml", `
Resources:
  Widgets: {Type: AWS::Serverless::SimpleTable, Properties: {TableName: widgets-valid}}
  Bucket: {Type: AWS::S3::Bucket, Properties: {Name: a, Name: b}}
`, []string{"widgets-valid widgets-valid: HASH id (S); PAY_PER_REQUEST"}, []string{"left out, for they are no tables of DynamoDB: AWS::S3::Bucket"}, false},
		"keys of encryption and vector indexes": {"template.yaml", `
Resources:
  Kept:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: kept
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}, {AttributeName: year, AttributeType: N}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
      BillingMode: PAY_PER_REQUEST
      SSESpecification: {SSEEnabled: true, KMSMasterKeyId: !GetAtt Key.Arn}
      VectorIndexes: [{IndexName: near, SearchSchema: [{AttributeName: year, SearchSchemaElementType: INLINE_FILTER}]}]
  Spread:
    Type: AWS::DynamoDB::GlobalTable
    Properties:
      TableName: spread
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
      BillingMode: PAY_PER_REQUEST
      SSESpecification: {SSEEnabled: true, SSEType: KMS}
      Replicas: [{Region: eu-west-1, SSESpecification: {KMSMasterKeyId: 'arn:aws:kms:x'}}]
`, []string{"kept kept: HASH id (S); PAY_PER_REQUEST", "spread spread: HASH id (S); PAY_PER_REQUEST"}, []string{
			"table kept: its encryption with the key ${Key.Arn} is left out", "table spread: its encryption with the key arn:aws:kms:x is left out", "table kept: VectorIndexes is left out",
		}, false},
		"what create-table is given": {"tables.json", `{"TableName": "one", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "BillingMode": "PAY_PER_REQUEST"}`, []string{"one one: HASH pk (S); PAY_PER_REQUEST"}, nil, false},
		"a list of answers":          {"tables.json", `[{"TableName": "one", "TableStatus": "ACTIVE", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}]`, []string{"one one: HASH pk (S); "}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			loaded, result := design(t, row.file, strings.TrimPrefix(row.text, "\n"), nil)
			var found []string
			for i := range loaded.Tables {
				found = append(found, tableText(&loaded.Tables[i]))
			}
			for _, want := range row.tables {
				assert.Contains(t, "\n"+strings.Join(found, "\n")+"\n", "\n"+want+"\n")
			}
			if len(found) != len(row.tables) || loaded.Document.Deployed != row.deployed || result.Deployed != row.deployed {
				t.Errorf("expected %d tables, deployed %t, found %d, %t", len(row.tables), row.deployed, len(found), loaded.Document.Deployed)
			}
			for _, want := range row.notes {
				assert.Contains(t, strings.Join(result.Notes, "\n"), want)
			}
		})
	}
}

// A parameter has the value that is given, or else its default. One that has neither is named where a table cannot be read without it.
func TestParametersOfTemplates(t *testing.T) {
	const text = `Parameters:
  Hash: {Type: String}
  Mode: {Type: String, Default: PAY_PER_REQUEST, AllowedValues: [PAY_PER_REQUEST, PROVISIONED]}
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub '${AWS::StackName}-orders'
      AttributeDefinitions: [{AttributeName: !Ref Hash, AttributeType: S}]
      KeySchema: [{AttributeName: !Ref Hash, KeyType: HASH}]
      BillingMode: !Ref Mode
`
	given := map[string]string{"Hash": "pk", "AWS::StackName": "shop"}
	with := func(name, value string) map[string]string {
		all := maps.Clone(given)
		all[name] = value
		return all
	}
	for _, row := range []struct {
		file, text string
		given      map[string]string
		want       []string
	}{
		{"template.yaml", text, given, nil},
		{"template.yaml", text, nil, []string{
			"template.yaml:9: AttributeName: expected text, found ${Hash}, whose value the template does not give; --parameters Hash=VALUE gives it",
			"template.yaml:10: AttributeName: expected text, found ${Hash}, whose value the template does not give; --parameters Hash=VALUE gives it",
		}},
		{"template.yaml", text, with("Hush", "x"), []string{"template.yaml:1: --parameters: expected a parameter of the template, found Hush"}},
		{"template.yaml", text, with("Mode", "SOME"), []string{"template.yaml:3: parameter Mode: expected one of its AllowedValues, found SOME", "template.yaml:11: billing mode: expected PAY_PER_REQUEST or PROVISIONED, found SOME"}},
		{"describe.json", sources["describe.json"], given, []string{"describe.json:1: --parameters: expected a CloudFormation template, found describe-table output; leave them out"}},
	} {
		result, err := importer.Import("orders", "", importer.Source{Name: row.file, Text: []byte(row.text), Parameters: row.given}, nil)
		if row.want != nil {
			if err == nil || err.Error() != strings.Join(row.want, "\n") {
				t.Errorf("%v: expected %s, found %v", row.given, strings.Join(row.want, "\n"), err)
			}
			continue
		}
		if err != nil || !strings.Contains(string(result.Files["contract.yaml"]), "name: shop-orders") || !strings.Contains(string(result.Files["contract.yaml"]), "pk: S") || strings.Contains(strings.Join(result.Notes, "\n"), "--table") {
			t.Errorf("expected the given values, found %v, %v\n%s", err, result.Notes, result.Files["contract.yaml"])
		}
	}
}

// What a source says and no contract does is told once, with all its lines, however deep it stands.
func TestWhatNoContractSaysIsTold(t *testing.T) {
	for name, row := range map[string]struct {
		file, text, usage string
		notes             []string
	}{
		"a template": {"template.json", `{"Resources": {"G": {"Type": "AWS::DynamoDB::GlobalTable", "Properties": {"TableName": "games",
 "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "g", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
 "GlobalSecondaryIndexes": [{"IndexName": "byG", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}, "ContributorInsightsSpecification": {"Enabled": true}}],
 "Replicas": [{"Region": "eu-west-1", "ReadProvisionedThroughputSettings": {"ReadCapacityUnits": 5}}],
 "SSESpecification": {"SSEEnabled": true, "SSEType": "KMS"}}},
 "Old": {"Type": "AWS::DynamoDB::Tabel", "Properties": {}},
 "Scale": {"Type": "AWS::ApplicationAutoScaling::ScalableTarget", "Properties": {"ServiceNamespace": "dynamodb"}}}}`, "", []string{
			"table games: GlobalSecondaryIndexes.byG.ContributorInsightsSpecification is left out, for a contract says nothing of it; line 3",
			"table games: ReadProvisionedThroughputSettings is left out, for a contract says nothing of it; line 4", "table games: SSESpecification.SSEType is left out, for a contract says nothing of it; line 5",
			"resource Old of type AWS::DynamoDB::Tabel is left out; line 6", "resource Scale of type AWS::ApplicationAutoScaling::ScalableTarget is left out; line 7",
		}},
		"answers about a table": {"tables.json", `{"Table": {"TableName": "music", "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}], "Replicas": [{"RegionName": "us-east-1"}]}}
{"ContinuousBackupsDescription": {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "ENABLED", "RecoveryPeriodInDays": 7}}}
{"Tags": [{"Key": "a", "Value": "b"}], "NextToken": "more"}
{"ContributorInsightsStatus": "ENABLED"}`, "", []string{
			"table music: Replicas is left out, for a contract says nothing of it; line 1",
			"table music: ContinuousBackupsDescription.PointInTimeRecoveryDescription.RecoveryPeriodInDays is left out, for a contract says nothing of it; line 2",
			"table music: its tags are left out, for this is not the last page of them; line 3", "table music: ContributorInsightsStatus is left out, for a contract says nothing of it; line 4",
		}},
		"a state with what others make": {"stack.json", `{"deployment": {"resources": [{"type": "aws:dynamodb/table:Table", "outputs": {"name": "logs", "hashKey": "id", "attributes": [{"name": "id", "type": "S"}], "replicas": [{"regionName": "us-east-1"}]}},
 {"urn": "urn:2", "type": "aws-native:dynamodb:Table", "outputs": {}}]}}`, "", []string{
			"table logs: replicas is left out, for a contract says nothing of it; line 1", "urn:2 of type aws-native:dynamodb:Table is left out; line 2",
		}},
		"a model of Workbench": {"workbench.json", `{"DataModel": [{"TableName": "Emp", "KeyAttributes": {"PartitionKey": {"AttributeName": "PK", "AttributeType": "S"}},
 "NonKeyAttributes": [{"AttributeName": "age", "AttributeType": "N"}, {"AttributeName": "nobody", "AttributeType": "SS"}],
 "TableFacets": [{"FacetName": "Team", "TableData": []}],
 "TableData": [{"PK": {"S": "EMP#1"}, "age": {"N": "1"}},
  {"PK": {"S": "EMP#1"}, "age": {"N": "2"}},
  {"PK": {"S": "EMP#2"}, "age": {"S": "x"}}],
 "ProvisionedCapacitySettings": {"AutoScalingRead": {"ScalableTargetRequest": {"MinCapacity": 1}}}}]}`, "", []string{
			"facet Team of table Emp is left out, for it has no items; line 3", "item of table Emp: another with its key stands in line 4, and other values; it is left out; line 5",
			"table Emp: its attribute age is of type N, and not in every item; line 2", "table Emp: its attribute nobody of type SS is left out, for no item has it; line 2",
			"table Emp: ProvisionedCapacitySettings is left out, for a contract says nothing of it; line 7",
		}},
		"a data model": {"model.json", `{"tables": [{"TableName": "Stock", "AttributeDefinitions": [{"AttributeName": "sku", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "sku", "KeyType": "HASH"}]}],
 "items": {"Stock": [{"PutRequest": {"Item": {"sku": {"S": "k1"}, "n": {"N": "3"}}}}]}, "extra_section": {"a": 1},
 "access_patterns": [{"pattern": "1", "description": "Of a sku", "frequency": "10/s", "implementation": "aws dynamodb get-item --table-name Stock --key '{\"sku\":{\"S\":\"k1\"}}'"},
  {"pattern": "2", "description": "Again", "frequency": "1/s", "implementation": "aws dynamodb query --select ALL_ATTRIBUTES --table-name Stock --key-condition-expression 'sku = :s' --expression-attribute-values '{\":s\":{\"S\":\"k1\"}}'"}]}`, "", []string{
			"left out, for a contract says nothing of it: extra_section", "access patterns: frequency is left out, for a contract says nothing of it; line 3, 4",
		}},
		"a schema with a transaction": {"schema.json", `{"tables": [{"table_config": {"table_name": "Users", "partition_key": "uid"}, "entities": {"User": {"entity_type": "U", "pk_template": "{uid}",
  "fields": [{"name": "uid", "type": "string", "required": true}, {"name": "n", "type": "integer", "required": true}],
  "access_patterns": [{"pattern_id": 1, "name": "latest", "description": "m", "operation": "Query", "return_type": "entity_list", "parameters": [{"name": "uid", "type": "string"}], "scan_index_forward": false}]}}},
 {"table_config": {"table_name": "Notes", "partition_key": "id"}, "entities": {"Note": {"entity_type": "N", "pk_template": "{id}", "fields": [{"name": "id", "type": "string", "required": true}], "access_patterns": []}}}],
 "cross_table_access_patterns": [{"pattern_id": 2, "name": "write", "description": "m", "operation": "TransactWrite", "return_type": "boolean", "parameters": [{"name": "uid", "type": "string"}],
  "entities_involved": [{"table": "Notes", "entity": "Note", "action": "Put"}, {"table": "Users", "entity": "User", "action": "Update", "update_expression": "SET n = n + :one"}]}]}`,
			`{"entities": {"User": {"sample_data": {"uid": "u1", "n": 1}, "access_pattern_data": {"uid": "u2", "n": 2}, "update_data": {"n": 5}}, "Note": {"sample_data": {"id": "1"}}}}`, []string{
				"scan_index_forward is left out, for a contract says nothing of it; line 3", "update_expression is left out, for a contract says nothing of it; line 6",
			}},
	} {
		t.Run(name, func(t *testing.T) {
			var usage *importer.Source
			if row.usage != "" {
				usage = &importer.Source{Name: "usage_data.json", Text: []byte(row.usage)}
			}
			_, result := design(t, row.file, row.text, usage)
			for _, want := range row.notes {
				assert.Contains(t, result.Notes, want)
			}
		})
	}
}

// What comes along goes up to the level that is asked for, and no further.
func TestLevels(t *testing.T) {
	for level, want := range map[ap.Level]string{"": "writes", "schema": "schema", "items": "items", "reads": "reads", "writes": "writes"} {
		result, err := importer.Import("shop", level, importer.Source{Name: "shop.json", Text: []byte(shop)}, nil)
		require.NoError(t, err)
		_, items := result.Files["items.json"]
		_, cases := result.Files["cases.json"]
		if string(result.Level) != want || items != (want != "schema") || cases != (want == "reads" || want == "writes") {
			t.Errorf("%s: expected level %s, found %s with items %t and cases %t", level, want, result.Level, items, cases)
		}
		if _, err := importer.Import("orders", ap.LevelReads, importer.Source{Name: "describe.json", Text: []byte(sources["describe.json"])}, nil); err == nil || !strings.Contains(err.Error(), "expected at most --level schema") {
			t.Errorf("expected a level that does not come along to be refused, found %v", err)
		}
	}
}
