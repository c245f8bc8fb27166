package sdk_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/sdk"
)

// A read of a key is the same whether it is sent alone, in a batch or in a transaction.
func TestLookupsLookTheSame(t *testing.T) {
	table, key := aws.String("t"), accesspatterns.Item{"PK": &types.AttributeValueMemberS{Value: "1"}}
	projection, names := aws.String("#a"), map[string]string{"#a": "a"}
	alone, err := sdk.Lookups(&dynamodb.GetItemInput{TableName: table, Key: key, ProjectionExpression: projection, ExpressionAttributeNames: names})
	require.NoError(t, err)
	require.Len(t, alone, 1)
	transaction := &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
		{Get: &types.Get{TableName: table, Key: key, ProjectionExpression: projection, ExpressionAttributeNames: names}},
	}}
	for _, input := range []any{transaction, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		"t": {Keys: []map[string]types.AttributeValue{key}, ProjectionExpression: projection, ExpressionAttributeNames: names},
	}}} {
		found, err := sdk.Lookups(input)
		require.NoError(t, err)
		assert.Equal(t, alone, found, sdk.Operation(input))
	}
	transaction.TransactItems = append([]types.TransactGetItem{{}}, transaction.TransactItems...)
	found, err := sdk.Lookups(transaction)
	require.ErrorContains(t, err, "expected a Get in each element of a transaction, found none")
	assert.Equal(t, alone, found, "beside an element that reads nothing")
	found, err = sdk.Lookups(&dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		"none": {ProjectionExpression: projection},
		"t":    {Keys: []map[string]types.AttributeValue{key}, ProjectionExpression: projection, ExpressionAttributeNames: names},
	}})
	require.ErrorContains(t, err, "expected a key in each table of a batch, found none for none")
	assert.Equal(t, alone, found, "beside a table that nothing is read of")
}
