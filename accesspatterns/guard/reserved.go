package guard

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns/expression"
)

// reservedWord returns the first reserved word that stands as it is in an expression of a call, and the table of that expression;
// both are empty where there is none.
func reservedWord(input any) (word, table string) {
	in := func(of *string, expressions ...*string) {
		for _, text := range expressions {
			if word == "" && text != nil {
				word, table = expression.ReservedWord(*text), aws.ToString(of)
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
	case *dynamodb.PutItemInput:
		in(sent.TableName, sent.ConditionExpression)
	case *dynamodb.UpdateItemInput:
		in(sent.TableName, sent.UpdateExpression, sent.ConditionExpression)
	case *dynamodb.DeleteItemInput:
		in(sent.TableName, sent.ConditionExpression)
	case *dynamodb.TransactWriteItemsInput:
		for i := range sent.TransactItems {
			inWrite(&sent.TransactItems[i], in)
		}
	}
	if word == "" {
		table = ""
	}
	return word, table
}

func inWrite(item *types.TransactWriteItem, in func(of *string, expressions ...*string)) {
	switch {
	case item.Put != nil:
		in(item.Put.TableName, item.Put.ConditionExpression)
	case item.Update != nil:
		in(item.Update.TableName, item.Update.UpdateExpression, item.Update.ConditionExpression)
	case item.Delete != nil:
		in(item.Delete.TableName, item.Delete.ConditionExpression)
	case item.ConditionCheck != nil:
		in(item.ConditionCheck.TableName, item.ConditionCheck.ConditionExpression)
	}
}
