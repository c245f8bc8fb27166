package guard

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/sdk"
)

// reservedWord returns the first reserved word that stands as it is in an expression of a call, and the table of that expression;
// both are empty where there is none.
func reservedWord(input any) (word, table string) {
	in := func(of *string, expressions ...*string) {
		for _, text := range expressions {
			if found := expression.ReservedWord(aws.ToString(text)); word == "" && found != "" {
				word, table = found, aws.ToString(of)
			}
		}
	}
	switch sent := input.(type) {
	case *dynamodb.GetItemInput:
		in(sent.TableName, sent.ProjectionExpression)
	case *dynamodb.QueryInput:
		in(sent.TableName, sent.KeyConditionExpression, sent.FilterExpression, sent.ProjectionExpression)
	case *dynamodb.ScanInput:
		in(sent.TableName, sent.FilterExpression, sent.ProjectionExpression)
	case *dynamodb.BatchGetItemInput:
		for name, keys := range sent.RequestItems {
			in(&name, keys.ProjectionExpression)
		}
	case *dynamodb.TransactGetItemsInput:
		for _, item := range sent.TransactItems {
			if item.Get != nil {
				in(item.Get.TableName, item.Get.ProjectionExpression)
			}
		}
	default:
		writes, _ := sdk.Writes(input) // what is no write is refused whatever it says
		for i := range writes {
			in(&writes[i].Table, writes[i].Update, writes[i].Condition)
		}
	}
	return word, table
}
