// Package sdk turns the reads and writes of a contract into inputs of the AWS SDK, and
// takes the writes and keys out of such inputs.
package sdk

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
)

// Operation returns the API operation of an SDK input, "Query" for *dynamodb.QueryInput; empty for nil.
func Operation(input any) string {
	if input == nil {
		return ""
	}
	name := reflect.TypeOf(input).String()
	return strings.TrimSuffix(name[strings.LastIndexByte(name, '.')+1:], "Input")
}

// Write is one write, or one condition check, of a request: whatever operation sends
// it, it looks the same.
type Write struct {
	Kind ap.ActionKind
	// Table is the table's name or ARN as it is sent.
	Table string
	// Item is the item that a Put writes; Key is the primary key of every other
	// write.
	Item, Key ap.Item
	// Condition and Update are expressions; nil where the request has none.
	Condition, Update *string
	Names             map[string]string
	Values            map[string]types.AttributeValue
	// Returns and ReturnsOnFailure say what the request asks to be told of the
	// stored item.
	Returns          types.ReturnValue
	ReturnsOnFailure types.ReturnValuesOnConditionCheckFailure
	// Legacy names a parameter from before expressions that the request has.
	Legacy string
}

// Place is the item of a Put or the key of another write: where its key stands.
func (w *Write) Place() ap.Item {
	if w.Kind == ap.Put {
		return w.Item
	}
	return w.Key
}

// Writes returns the writes of an SDK input, in order, those of a batch by table
// name: of a *dynamodb.PutItemInput, UpdateItemInput, DeleteItemInput,
// BatchWriteItemInput or TransactWriteItemsInput. Any other input has none. It fails
// when an element of a batch or transaction is not exactly one write.
func Writes(input any) ([]Write, error) {
	switch in := input.(type) {
	case *dynamodb.PutItemInput:
		return []Write{{
			Kind: ap.Put, Table: aws.ToString(in.TableName), Item: in.Item, Condition: in.ConditionExpression,
			Names: in.ExpressionAttributeNames, Values: in.ExpressionAttributeValues,
			Returns: in.ReturnValues, ReturnsOnFailure: in.ReturnValuesOnConditionCheckFailure,
			Legacy: Used("Expected", in.Expected != nil, "ConditionalOperator", in.ConditionalOperator != ""),
		}}, nil
	case *dynamodb.UpdateItemInput:
		return []Write{{
			Kind: ap.Update, Table: aws.ToString(in.TableName), Key: in.Key, Condition: in.ConditionExpression, Update: in.UpdateExpression,
			Names: in.ExpressionAttributeNames, Values: in.ExpressionAttributeValues,
			Returns: in.ReturnValues, ReturnsOnFailure: in.ReturnValuesOnConditionCheckFailure,
			Legacy: Used("AttributeUpdates", in.AttributeUpdates != nil, "Expected", in.Expected != nil, "ConditionalOperator", in.ConditionalOperator != ""),
		}}, nil
	case *dynamodb.DeleteItemInput:
		return []Write{{
			Kind: ap.Delete, Table: aws.ToString(in.TableName), Key: in.Key, Condition: in.ConditionExpression,
			Names: in.ExpressionAttributeNames, Values: in.ExpressionAttributeValues,
			Returns: in.ReturnValues, ReturnsOnFailure: in.ReturnValuesOnConditionCheckFailure,
			Legacy: Used("Expected", in.Expected != nil, "ConditionalOperator", in.ConditionalOperator != ""),
		}}, nil
	case *dynamodb.BatchWriteItemInput:
		var writes []Write
		for _, table := range slices.Sorted(maps.Keys(in.RequestItems)) {
			for _, request := range in.RequestItems[table] {
				switch put, remove := request.PutRequest, request.DeleteRequest; {
				case (put == nil) == (remove == nil):
					return nil, errors.New("expected a put or a delete request in each element of a batch, found none or both")
				case put != nil:
					writes = append(writes, Write{Kind: ap.Put, Table: table, Item: put.Item})
				default:
					writes = append(writes, Write{Kind: ap.Delete, Table: table, Key: remove.Key})
				}
			}
		}
		return writes, nil
	case *dynamodb.TransactWriteItemsInput:
		var writes []Write
		for i := range in.TransactItems {
			of := transacted(&in.TransactItems[i])
			if len(of) != 1 {
				return nil, fmt.Errorf("expected one put, update, delete or condition check in each element of a transaction, found %d", len(of))
			}
			writes = append(writes, of[0])
		}
		return writes, nil
	}
	return nil, nil
}

// Used returns the first name that is followed by true; empty where none is.
func Used(namesAndUses ...any) string {
	for i := 0; i+1 < len(namesAndUses); i += 2 {
		if namesAndUses[i+1] == true {
			return namesAndUses[i].(string)
		}
	}
	return ""
}

func transacted(element *types.TransactWriteItem) []Write {
	var of []Write
	if in := element.Put; in != nil {
		of = append(of, Write{Kind: ap.Put, Table: aws.ToString(in.TableName), Item: in.Item, Condition: in.ConditionExpression,
			Names: in.ExpressionAttributeNames, Values: in.ExpressionAttributeValues, ReturnsOnFailure: in.ReturnValuesOnConditionCheckFailure})
	}
	if in := element.Update; in != nil {
		of = append(of, Write{Kind: ap.Update, Table: aws.ToString(in.TableName), Key: in.Key, Condition: in.ConditionExpression, Update: in.UpdateExpression,
			Names: in.ExpressionAttributeNames, Values: in.ExpressionAttributeValues, ReturnsOnFailure: in.ReturnValuesOnConditionCheckFailure})
	}
	if in := element.Delete; in != nil {
		of = append(of, Write{Kind: ap.Delete, Table: aws.ToString(in.TableName), Key: in.Key, Condition: in.ConditionExpression,
			Names: in.ExpressionAttributeNames, Values: in.ExpressionAttributeValues, ReturnsOnFailure: in.ReturnValuesOnConditionCheckFailure})
	}
	if in := element.ConditionCheck; in != nil {
		of = append(of, Write{Kind: ap.ConditionCheck, Table: aws.ToString(in.TableName), Key: in.Key, Condition: in.ConditionExpression,
			Names: in.ExpressionAttributeNames, Values: in.ExpressionAttributeValues, ReturnsOnFailure: in.ReturnValuesOnConditionCheckFailure})
	}
	return of
}

// Input returns the request of the write alone: *dynamodb.PutItemInput,
// UpdateItemInput or DeleteItemInput, and for a condition check, which no operation
// sends alone, a *dynamodb.TransactWriteItemsInput.
func (w *Write) Input() any {
	switch w.Kind {
	case ap.Put:
		return &dynamodb.PutItemInput{
			TableName: &w.Table, Item: w.Item, ConditionExpression: w.Condition, ExpressionAttributeNames: w.Names, ExpressionAttributeValues: w.Values,
			ReturnValues: w.Returns, ReturnValuesOnConditionCheckFailure: w.ReturnsOnFailure, ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
		}
	case ap.Update:
		return &dynamodb.UpdateItemInput{
			TableName: &w.Table, Key: w.Key, UpdateExpression: w.Update, ConditionExpression: w.Condition, ExpressionAttributeNames: w.Names, ExpressionAttributeValues: w.Values,
			ReturnValues: w.Returns, ReturnValuesOnConditionCheckFailure: w.ReturnsOnFailure, ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
		}
	case ap.Delete:
		return &dynamodb.DeleteItemInput{
			TableName: &w.Table, Key: w.Key, ConditionExpression: w.Condition, ExpressionAttributeNames: w.Names, ExpressionAttributeValues: w.Values,
			ReturnValues: w.Returns, ReturnValuesOnConditionCheckFailure: w.ReturnsOnFailure, ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
		}
	}
	return &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{w.Element()}, ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes}
}

// Elements are the writes as elements of a transaction.
func Elements(writes []Write) []types.TransactWriteItem {
	return lists.Map(writes, func(w Write) types.TransactWriteItem { return w.Element() })
}

// Element returns the write as an element of a transaction.
func (w *Write) Element() types.TransactWriteItem {
	switch w.Kind {
	case ap.Put:
		return types.TransactWriteItem{Put: &types.Put{TableName: &w.Table, Item: w.Item, ConditionExpression: w.Condition,
			ExpressionAttributeNames: w.Names, ExpressionAttributeValues: w.Values, ReturnValuesOnConditionCheckFailure: w.ReturnsOnFailure}}
	case ap.Update:
		return types.TransactWriteItem{Update: &types.Update{TableName: &w.Table, Key: w.Key, UpdateExpression: w.Update, ConditionExpression: w.Condition,
			ExpressionAttributeNames: w.Names, ExpressionAttributeValues: w.Values, ReturnValuesOnConditionCheckFailure: w.ReturnsOnFailure}}
	case ap.Delete:
		return types.TransactWriteItem{Delete: &types.Delete{TableName: &w.Table, Key: w.Key, ConditionExpression: w.Condition,
			ExpressionAttributeNames: w.Names, ExpressionAttributeValues: w.Values, ReturnValuesOnConditionCheckFailure: w.ReturnsOnFailure}}
	}
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: &w.Table, Key: w.Key, ConditionExpression: w.Condition,
		ExpressionAttributeNames: w.Names, ExpressionAttributeValues: w.Values, ReturnValuesOnConditionCheckFailure: w.ReturnsOnFailure}}
}

// Batch returns the request of writes together, which have neither conditions nor updates.
func Batch(writes []Write) (*dynamodb.BatchWriteItemInput, error) {
	items := map[string][]types.WriteRequest{}
	for _, w := range writes {
		request := types.WriteRequest{PutRequest: &types.PutRequest{Item: w.Item}}
		if w.Kind == ap.Delete {
			request = types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: w.Key}}
		}
		if w.Condition != nil || w.Kind != ap.Put && w.Kind != ap.Delete {
			return nil, errors.New("expected a Put or Delete without condition in a batch, found another write")
		}
		items[w.Table] = append(items[w.Table], request)
	}
	return &dynamodb.BatchWriteItemInput{RequestItems: items, ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes}, nil
}
