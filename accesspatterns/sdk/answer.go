package sdk

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	ap "dynaproof/accesspatterns"
)

// EachItem goes through the places in which an answer of the SDK holds items: those that a read returns, in order but for a batch, and
// what a write returns. Where there is none a place holds nil.
func EachItem(output any, do func(place *ap.Item)) {
	all := func(items []ap.Item) {
		for i := range items {
			do(&items[i])
		}
	}
	switch answer := output.(type) {
	case *dynamodb.GetItemOutput:
		do(&answer.Item)
	case *dynamodb.QueryOutput:
		all(answer.Items)
	case *dynamodb.ScanOutput:
		all(answer.Items)
	case *dynamodb.ExecuteStatementOutput:
		all(answer.Items)
	case *dynamodb.BatchGetItemOutput:
		for _, items := range answer.Responses {
			all(items)
		}
	case *dynamodb.TransactGetItemsOutput:
		for i := range answer.Responses {
			do(&answer.Responses[i].Item)
		}
	case *dynamodb.PutItemOutput:
		do(&answer.Attributes)
	case *dynamodb.UpdateItemOutput:
		do(&answer.Attributes)
	case *dynamodb.DeleteItemOutput:
		do(&answer.Attributes)
	}
}
