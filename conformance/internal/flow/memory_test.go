package flow

import (
	"errors"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/sdk"
)

// Memory refuses what no table stores as DynamoDB does: a write alone as a request, one of a transaction by its reason. Nothing changes then.
func TestMemoryStoresWhatDynamoDBStores(t *testing.T) {
	text := func(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }
	key := accesspatterns.Item{"pk": text("a")}
	m := &Memory{Tables: evaluate.Tables{"t": {}}, Design: &accesspatterns.Design{Tables: []accesspatterns.Table{{
		ID: "t", PartitionKey: accesspatterns.Key{Attribute: "pk", Type: dynamo.String},
		Indexes: []accesspatterns.Index{{Name: "by-state", PartitionKey: accesspatterns.Key{Attribute: "state", Type: dynamo.String}}},
	}}}}
	change := types.Update{TableName: aws.String("t"), Key: key, UpdateExpression: aws.String("SET #s = :s"), ExpressionAttributeNames: map[string]string{"#s": "state"}}
	change.ExpressionAttributeValues = map[string]types.AttributeValue{":s": text("")}
	alone := &dynamodb.UpdateItemInput{
		TableName: change.TableName, Key: key, UpdateExpression: change.UpdateExpression, ExpressionAttributeNames: change.ExpressionAttributeNames, ExpressionAttributeValues: change.ExpressionAttributeValues,
	}
	var many []types.TransactWriteItem
	for i := range sdk.MaxTransaction + 1 {
		many = append(many, types.TransactWriteItem{Put: &types.Put{TableName: aws.String("t"), Item: accesspatterns.Item{"pk": text(fmt.Sprint(i))}}})
	}
	code := func(request any) string {
		var refused smithy.APIError
		require.ErrorAs(t, m.Write(t.Context(), request), &refused)
		require.Empty(t, m.Stored("t"))
		return refused.ErrorCode()
	}
	require.Equal(t, "ValidationException", code(alone))
	require.Equal(t, "ValidationException", code(&dynamodb.TransactWriteItemsInput{TransactItems: many}))
	put := types.Put{TableName: aws.String("t"), Item: accesspatterns.Item{"pk": text("")}, ConditionExpression: aws.String("attribute_exists(pk)")}
	require.Equal(t, "ValidationException", code(&dynamodb.PutItemInput{TableName: put.TableName, Item: put.Item, ConditionExpression: put.ConditionExpression}))
	var unstored *types.TransactionCanceledException
	require.ErrorAs(t, m.Write(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{Put: &put}}}), &unstored)
	require.Equal(t, "ValidationError", *unstored.CancellationReasons[0].Code)
	both := &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{Update: &change}, many[0]}}
	require.Equal(t, "TransactionCanceledException", code(both))
	var cancelled *types.TransactionCanceledException
	require.True(t, errors.As(m.Write(t.Context(), both), &cancelled))
	require.Equal(t, []string{"ValidationError", "None"}, []string{*cancelled.CancellationReasons[0].Code, *cancelled.CancellationReasons[1].Code})
	alone.ExpressionAttributeValues = map[string]types.AttributeValue{":s": text("open")}
	require.NoError(t, m.Write(t.Context(), alone))
}
