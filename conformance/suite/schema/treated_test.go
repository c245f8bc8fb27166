package schema

import (
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// fields says what becomes of every field that DynamoDB describes of a table: which
// claim compares it, that it is noted, or why it is not compared. A field that a new
// SDK brings and that is missing here fails a test.
var fields = map[reflect.Type]map[string]string{
	reflect.TypeFor[types.TableDescription](): {
		"AttributeDefinitions": "compared: attributes", "BillingModeSummary": "compared: billing", "GlobalSecondaryIndexes": "compared: indexes",
		"KeySchema": "compared: key", "LocalSecondaryIndexes": "compared: indexes", "SSEDescription": "compared: encryption", "StreamSpecification": "compared: stream",
		"TableArn": "compared: region", "TableName": "compared: exists", "TableStatus": "compared: exists", "VectorIndexes": "compared: extras",
		"DeletionProtectionEnabled": "compared: deletion-protection, or noted", "GlobalTableWitnesses": "noted", "OnDemandThroughput": "noted", "Replicas": "noted", "TableClassSummary": "compared: table-class, or noted",
		"ArchivalSummary":                    "not compared: an archived table is not active, which is compared",
		"CreationDateTime":                   "not compared: AWS owns it",
		"DisassociationProtectionEnabled":    "not compared: a setting of global tables, whose replicas are noted",
		"GlobalTableSettingsReplicationMode": "not compared: a setting of global tables, whose replicas are noted",
		"GlobalTableVersion":                 "not compared: a setting of global tables, whose replicas are noted",
		"ItemCount":                          "not compared: AWS owns it",
		"LatestStreamArn":                    "not compared: it outlives the stream, which is compared",
		"LatestStreamLabel":                  "not compared: it outlives the stream, which is compared",
		"MultiRegionConsistency":             "not compared: a setting of global tables, whose replicas are noted",
		"ProvisionedThroughput":              "compared: billing",
		"RestoreSummary":                     "not compared: where the data came from is not the schema",
		"TableId":                            "not compared: it tells tables apart within a run",
		"TableSizeBytes":                     "not compared: AWS owns it",
		"WarmThroughput":                     "not compared: AWS owns it",
	},
	reflect.TypeFor[types.GlobalSecondaryIndexDescription](): {
		"IndexName": "compared: indexes", "IndexStatus": "compared: index", "KeySchema": "compared: index", "Projection": "compared: projection",
		"OnDemandThroughput":    "noted",
		"Backfilling":           "not compared: an index that is filled is not active, which is compared",
		"IndexArn":              "not compared: it is made of the table's and the index's names",
		"IndexSizeBytes":        "not compared: AWS owns it",
		"ItemCount":             "not compared: AWS owns it",
		"ProvisionedThroughput": "not compared: no document names units of an index; the billing mode is compared",
		"WarmThroughput":        "not compared: AWS owns it",
	},
	reflect.TypeFor[types.LocalSecondaryIndexDescription](): {
		"IndexName": "compared: indexes", "KeySchema": "compared: index", "Projection": "compared: projection",
		"IndexArn":       "not compared: it is made of the table's and the index's names",
		"IndexSizeBytes": "not compared: AWS owns it",
		"ItemCount":      "not compared: AWS owns it",
	},
	reflect.TypeFor[types.AttributeDefinition](): {"AttributeName": "compared: attributes", "AttributeType": "compared: attributes"},
	reflect.TypeFor[types.KeySchemaElement]():    {"AttributeName": "compared: key", "KeyType": "compared: key"},
	reflect.TypeFor[types.Projection]():          {"ProjectionType": "compared: projection", "NonKeyAttributes": "compared: projection"},
	reflect.TypeFor[types.StreamSpecification](): {"StreamEnabled": "compared: stream", "StreamViewType": "compared: stream"},
	reflect.TypeFor[types.Tag]():                 {"Key": "compared: tags", "Value": "compared: tags"},
	reflect.TypeFor[types.OnDemandThroughput]():  {"MaxReadRequestUnits": "noted", "MaxWriteRequestUnits": "noted"},
	reflect.TypeFor[types.BillingModeSummary](): {
		"BillingMode":                       "compared: billing",
		"LastUpdateToPayPerRequestDateTime": "not compared: AWS owns it",
	},
	reflect.TypeFor[types.ProvisionedThroughputDescription](): {
		"ReadCapacityUnits": "compared: billing", "WriteCapacityUnits": "compared: billing",
		"LastDecreaseDateTime":   "not compared: AWS owns it",
		"LastIncreaseDateTime":   "not compared: AWS owns it",
		"NumberOfDecreasesToday": "not compared: AWS owns it",
	},
	reflect.TypeFor[types.TableClassSummary](): {
		"TableClass":         "noted",
		"LastUpdateDateTime": "not compared: AWS owns it",
	},
	reflect.TypeFor[dynamodb.GetResourcePolicyOutput](): {
		"Policy":         "compared: policy, where the document speaks of roles or scans; else noted",
		"RevisionId":     "not compared: it counts changes of the policy, which is compared",
		"ResultMetadata": "not compared: it is the SDK's",
	},
	reflect.TypeFor[dynamodb.DescribeContributorInsightsOutput](): {
		"ContributorInsightsStatus":   "noted",
		"ContributorInsightsMode":     "not compared: what is contributed is a setting of Contributor Insights, which are noted",
		"ContributorInsightsRuleList": "not compared: AWS makes the rules",
		"FailureException":            "not compared: the status is noted",
		"IndexName":                   "not compared: it was asked for the table",
		"LastUpdateDateTime":          "not compared: AWS owns it",
		"TableName":                   "not compared: it was asked for",
		"ResultMetadata":              "not compared: it is the SDK's",
	},
	reflect.TypeFor[types.VectorIndexDescription](): {
		"IndexName":        "compared: extras, of which no document has one",
		"Backfilling":      "not compared: no document has a vector index",
		"Dimensions":       "not compared: no document has a vector index",
		"DistanceFunction": "not compared: no document has a vector index",
		"IndexArn":         "not compared: no document has a vector index",
		"IndexSizeBytes":   "not compared: no document has a vector index",
		"IndexStatus":      "not compared: no document has a vector index",
		"ItemCount":        "not compared: no document has a vector index",
		"Projection":       "not compared: no document has a vector index",
		"SearchSchema":     "not compared: no document has a vector index",
		"VectorAttribute":  "not compared: no document has a vector index",
	},
	reflect.TypeFor[types.TimeToLiveDescription](): {"AttributeName": "compared: ttl", "TimeToLiveStatus": "compared: ttl"},
	reflect.TypeFor[types.ContinuousBackupsDescription](): {
		"PointInTimeRecoveryDescription": "compared: pitr",
		"ContinuousBackupsStatus":        "not compared: it is always on",
	},
	reflect.TypeFor[types.PointInTimeRecoveryDescription](): {
		"PointInTimeRecoveryStatus":  "compared: pitr, where the document speaks of it; else noted",
		"EarliestRestorableDateTime": "not compared: AWS owns it",
		"LatestRestorableDateTime":   "not compared: AWS owns it",
		"RecoveryPeriodInDays":       "noted",
	},
	reflect.TypeFor[types.SSEDescription](): {
		"KMSMasterKeyArn":                "compared: encryption, where the document speaks of it; else noted",
		"InaccessibleEncryptionDateTime": "not compared: a table without its key is not active, which is compared",
		"SSEType":                        "not compared: KMS is the only one",
		"Status":                         "not compared: the key is compared",
	},
	reflect.TypeFor[types.KinesisDataStreamDestination](): {
		"DestinationStatus": "compared: extras", "StreamArn": "compared: extras",
		"ApproximateCreationDateTimePrecision": "not compared: no document has a destination",
		"DestinationStatusDescription":         "not compared: words on the status, which is compared",
	},
}

// Every field that the SDK knows of a description is compared, noted, or left out
// for a reason; none is forgotten, and none is made up.
func TestEveryDescribedFieldIsTreated(t *testing.T) {
	for described, treated := range fields {
		known := map[string]bool{}
		for i := range described.NumField() {
			field := described.Field(i)
			if !field.IsExported() {
				continue
			}
			known[field.Name] = true
			treatment := treated[field.Name]
			inner := field.Type
			for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
				inner = inner.Elem()
			}
			if strings.HasSuffix(inner.PkgPath(), "/dynamodb/types") && inner.Kind() == reflect.Struct && strings.HasPrefix(treatment, "compared: ") && fields[inner] == nil {
				t.Errorf("%s.%s is compared: expected to be told what becomes of the fields of %s", described.Name(), field.Name, inner.Name())
			}
			if treatment != "noted" && !strings.HasPrefix(treatment, "compared: ") && !strings.HasPrefix(treatment, "not compared: ") {
				t.Errorf("%s.%s: expected compared, noted or not compared with a reason, found %q", described.Name(), field.Name, treatment)
			}
		}
		for name := range treated {
			if !known[name] {
				t.Errorf("%s.%s: the SDK has no such field", described.Name(), name)
			}
		}
	}
}
