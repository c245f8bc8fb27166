package patterns

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/session"
)

// ShowPartition says to how many values a Query's key condition binds the partition
// key, or why that is not known.
func ShowPartition(entry wire.Entry, partition string) string {
	if entry.KeyConditionExpression == "" {
		return "no value for " + partition
	}
	input, err := session.Recorded("Query", entry.Request)
	if err != nil {
		return err.Error()
	}
	bound, err := sdk.BoundKeys(input.(*dynamodb.QueryInput))
	switch {
	case err != nil:
		return err.Error()
	case bound[partition] == nil:
		return "no value for " + partition
	}
	return partition + " equal to one value"
}
