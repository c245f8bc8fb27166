package suite

import (
	"reflect"

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
		"DeletionProtectionEnabled": "noted", "GlobalTableWitnesses": "noted", "OnDemandThroughput": "noted", "Replicas": "noted", "TableClassSummary": "noted",
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
		"IndexName":      "compared: indexes, of which no document has a local one",
		"IndexArn":       "not compared: no document has a local index",
		"IndexSizeBytes": "not compared: no document has a local index",
		"ItemCount":      "not compared: no document has a local index",
		"KeySchema":      "not compared: no document has a local index",
		"Projection":     "not compared: no document has a local index",
	},
	reflect.TypeFor[types.TimeToLiveDescription](): {"AttributeName": "compared: ttl", "TimeToLiveStatus": "compared: ttl"},
	reflect.TypeFor[types.ContinuousBackupsDescription](): {
		"PointInTimeRecoveryDescription": "compared: pitr",
		"ContinuousBackupsStatus":        "not compared: it is always on",
	},
	reflect.TypeFor[types.PointInTimeRecoveryDescription](): {
		"PointInTimeRecoveryStatus":  "compared: pitr",
		"EarliestRestorableDateTime": "not compared: AWS owns it",
		"LatestRestorableDateTime":   "not compared: AWS owns it",
		"RecoveryPeriodInDays":       "not compared: the documents name no period",
	},
	reflect.TypeFor[types.SSEDescription](): {
		"KMSMasterKeyArn":                "compared: encryption",
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
