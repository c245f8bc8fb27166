package schema

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/ledgertest"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/session"
)

// treated says what becomes of every field that DynamoDB describes of a table, by what becomes of it: which
// claim compares it, that it is noted, or why it is not compared. A field that a new
// SDK brings and that is missing here fails a test.
var treated = map[reflect.Type]map[string]string{
	reflect.TypeFor[types.TableDescription](): {
		"compared: attributes": "AttributeDefinitions",
		"compared: billing":    "BillingModeSummary ProvisionedThroughput",
		"compared: indexes":    "GlobalSecondaryIndexes LocalSecondaryIndexes",
		"compared: key":        "KeySchema", "compared: encryption": "SSEDescription", "compared: stream": "StreamSpecification", "compared: region": "TableArn",
		"compared: exists": "TableName TableStatus", "compared: extras": "VectorIndexes",
		"compared: deletion-protection, or noted": "DeletionProtectionEnabled",
		"noted": "GlobalTableWitnesses OnDemandThroughput Replicas", "compared: table-class, or noted": "TableClassSummary",
		"not compared: an archived table is not active, which is compared":   "ArchivalSummary",
		"not compared: AWS owns it":                                          "CreationDateTime ItemCount TableSizeBytes WarmThroughput",
		"not compared: a setting of global tables, whose replicas are noted": "DisassociationProtectionEnabled GlobalTableSettingsReplicationMode GlobalTableVersion MultiRegionConsistency",
		"not compared: it outlives the stream, which is compared":            "LatestStreamArn LatestStreamLabel",
		"not compared: where the data came from is not the schema":           "RestoreSummary",
		"not compared: it tells tables apart within a run":                   "TableId",
	},
	reflect.TypeFor[types.GlobalSecondaryIndexDescription](): {
		"compared: indexes": "IndexName", "compared: index": "IndexStatus KeySchema", "compared: projection": "Projection", "noted": "OnDemandThroughput",
		"not compared: an index that is filled is not active, which is compared":          "Backfilling",
		"not compared: it is made of the table's and the index's names":                   "IndexArn",
		"not compared: AWS owns it":                                                       "IndexSizeBytes ItemCount WarmThroughput",
		"not compared: no document names units of an index; the billing mode is compared": "ProvisionedThroughput",
	},
	reflect.TypeFor[types.LocalSecondaryIndexDescription](): {
		"compared: indexes": "IndexName", "compared: index": "KeySchema", "compared: projection": "Projection",
		"not compared: it is made of the table's and the index's names": "IndexArn",
		"not compared: AWS owns it":                                     "IndexSizeBytes ItemCount",
	},
	reflect.TypeFor[types.AttributeDefinition](): {"compared: attributes": "AttributeName AttributeType"},
	reflect.TypeFor[types.KeySchemaElement]():    {"compared: key": "AttributeName KeyType"},
	reflect.TypeFor[types.Projection]():          {"compared: projection": "ProjectionType NonKeyAttributes"},
	reflect.TypeFor[types.StreamSpecification](): {"compared: stream": "StreamEnabled StreamViewType"},
	reflect.TypeFor[types.Tag]():                 {"compared: tags": "Key Value"},
	reflect.TypeFor[types.OnDemandThroughput]():  {"noted": "MaxReadRequestUnits MaxWriteRequestUnits"},
	reflect.TypeFor[types.BillingModeSummary]():  {"compared: billing": "BillingMode", "not compared: AWS owns it": "LastUpdateToPayPerRequestDateTime"},
	reflect.TypeFor[types.ProvisionedThroughputDescription](): {
		"compared: billing":         "ReadCapacityUnits WriteCapacityUnits",
		"not compared: AWS owns it": "LastDecreaseDateTime LastIncreaseDateTime NumberOfDecreasesToday",
	},
	reflect.TypeFor[types.TableClassSummary](): {"noted": "TableClass", "not compared: AWS owns it": "LastUpdateDateTime"},
	reflect.TypeFor[dynamodb.GetResourcePolicyOutput](): {
		"compared: policy, where the document speaks of roles or scans; else noted": "Policy",
		"not compared: it counts changes of the policy, which is compared":          "RevisionId",
		"not compared: it is the SDK's":                                             "ResultMetadata",
	},
	reflect.TypeFor[dynamodb.DescribeContributorInsightsOutput](): {
		"noted": "ContributorInsightsStatus",
		"not compared: what is contributed is a setting of Contributor Insights, which are noted": "ContributorInsightsMode",
		"not compared: AWS makes the rules": "ContributorInsightsRuleList",
		"not compared: the status is noted": "FailureException", "not compared: it was asked for the table": "IndexName",
		"not compared: AWS owns it": "LastUpdateDateTime", "not compared: it was asked for": "TableName", "not compared: it is the SDK's": "ResultMetadata",
	},
	reflect.TypeFor[types.VectorIndexDescription](): {
		"compared: extras, of which no document has one": "IndexName",
		"not compared: no document has a vector index":   "Backfilling Dimensions DistanceFunction IndexArn IndexSizeBytes IndexStatus ItemCount Projection SearchSchema VectorAttribute",
	},
	reflect.TypeFor[types.TimeToLiveDescription](): {"compared: ttl": "AttributeName TimeToLiveStatus"},
	reflect.TypeFor[types.ContinuousBackupsDescription](): {
		"compared: pitr": "PointInTimeRecoveryDescription", "not compared: it is always on": "ContinuousBackupsStatus",
	},
	reflect.TypeFor[types.PointInTimeRecoveryDescription](): {
		"compared: pitr, where the document speaks of it; else noted": "PointInTimeRecoveryStatus",
		"not compared: AWS owns it":                                   "EarliestRestorableDateTime LatestRestorableDateTime",
		"noted":                                                       "RecoveryPeriodInDays",
	},
	reflect.TypeFor[types.SSEDescription](): {
		"compared: encryption, where the document speaks of it; else noted":      "KMSMasterKeyArn",
		"not compared: a table without its key is not active, which is compared": "InaccessibleEncryptionDateTime",
		"not compared: KMS is the only one":                                      "SSEType", "not compared: the key is compared": "Status",
	},
	reflect.TypeFor[types.KinesisDataStreamDestination](): {
		"compared: extras": "DestinationStatus StreamArn",
		"not compared: no document has a destination":          "ApproximateCreationDateTimePrecision",
		"not compared: words on the status, which is compared": "DestinationStatusDescription",
	},
}

// Every field that the SDK knows of a description is compared, noted, or left out
// for a reason; none is forgotten, and none is made up.
func TestEveryDescribedFieldIsTreated(t *testing.T) {
	for described, of := range treated {
		open := map[string]reflect.Type{}
		for field := range described.Fields() {
			if field.IsExported() {
				open[field.Name] = field.Type
			}
		}
		for treatment, names := range of {
			assert.True(t, treatment == "noted" || strings.HasPrefix(treatment, "compared: ") || strings.HasPrefix(treatment, "not compared: "),
				"%s: expected compared, noted or not compared with a reason, found %q", described.Name(), treatment)
			for _, name := range strings.Fields(names) {
				inner := open[name]
				if inner == nil {
					t.Errorf("%s.%s: the SDK has no such field, or it is treated twice", described.Name(), name)
					continue
				}
				delete(open, name)
				for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
					inner = inner.Elem()
				}
				if strings.HasSuffix(inner.PkgPath(), "/dynamodb/types") && inner.Kind() == reflect.Struct && strings.HasPrefix(treatment, "compared: ") && treated[inner] == nil {
					t.Errorf("%s.%s is compared: expected to be told what becomes of the fields of %s", described.Name(), name, inner.Name())
				}
			}
		}
		for name := range open {
			t.Errorf("%s.%s: expected to be told what becomes of it", described.Name(), name)
		}
	}
}

// Among tables of others the name alone tells whose a table could be, whatever the form of the template.
func TestNamesOfOtherTables(t *testing.T) {
	const ours, elsewhere, theirs = "ours", "of another stage", "somebody else's"
	for _, row := range []struct {
		template accesspatterns.NameTemplate
		name     string
		want     string
	}{
		{"osem-{env}-Users", "osem-dev-Extra", ours},
		{"osem-{env}-Users", "osem-dev-Users-old", ours},
		{"osem-{env}-Users", "osem-prod-Users", elsewhere},
		{"osem-{env}-Users", "osem-prod-Extra", elsewhere},
		{"osem-{env}-Users", "osemble", theirs},
		{"osem-{env}Users", "osem-dev2Users", elsewhere},
		{"{env}-Users", "dev-Users2", ours},
		{"{env}-Users", "prod-Users", elsewhere},
		{"{env}-Users", "dev-payroll", theirs},
		{"Users", "UsersCopy", ours},
		{"Users", "payroll-Users", theirs},
	} {
		s := &session.Session{Input: session.Input{Design: &accesspatterns.Design{Tables: []accesspatterns.Table{{ID: "Users", Name: row.template}}}, Environment: "dev"}}
		found := theirs
		switch {
		case couldBeOurs(&s.Input, row.name):
			found = ours
		case inAnotherStage(row.template, row.name):
			found = elsewhere
		}
		assert.Equal(t, row.want, found, "%s in dev: expected table %s to be %s", row.template, row.name, row.want)
	}
}

// The local engine does not encrypt, so the claim rests on what the stack asked for.
func TestEncryptionIsWhatTheStackAskedFor(t *testing.T) {
	for _, row := range []struct {
		name, request string
		want          evidence.Verdict
		grade         evidence.Grade
		found         string
	}{
		{"no key asked for", `{"TableName": "t"}`, evidence.Pass, evidence.Static, ""},
		{"the key that AWS manages", `{"SSESpecification": {"Enabled": true, "SSEType": "KMS"}}`, evidence.Pass, evidence.Static, ""},
		{"a customer's key", `{"SSESpecification": {"Enabled": true, "KMSMasterKeyId": "alias/ours"}}`, evidence.Fail, evidence.Static, "alias/ours"},
		{"created by somebody else", "", evidence.Unsupported, evidence.Static, "does not say how it encrypts"},
	} {
		var ledger ledgertest.Entries
		if row.request != "" {
			ledger = ledgertest.Entries{{Seq: 7, Operation: "CreateTable", Tables: []string{"t"}, Status: 200, Request: json.RawMessage(row.request)}}
		}
		s := &session.Session{Input: session.Input{Ledger: ledger, Deployment: session.Deployment{Tables: map[string]string{"T": "t"}}, Grade: evidence.Engine}}
		o := &observe.Observation{Claim: manifest.Claim{ID: "d/table/T/encryption"}, Session: s}
		tableCheck{o}.encryptionAsked("table T", "T")
		result := o.Result()
		assert.True(t, result.Verdict == row.want && result.Grade == row.grade,
			"%s: expected %s on evidence of grade %s, found %s on %s", row.name, row.want, row.grade, result.Verdict, result.Grade)
		assert.True(t, row.found == "" || strings.Contains(result.Problems[0].Found, row.found), "%s: expected %q, found %+v", row.name, row.found, result.Problems)
	}
}
