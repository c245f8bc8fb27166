package accesspatterns_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/accesspatterns/tabletest"
)

// Every field of the SDK that says what is read or written is looked at. A field that a new
// SDK brings has to be added here, after Writes or Lookups was taught what it means.
func TestEveryFieldIsKnown(t *testing.T) {
	const (
		metrics = "ReturnConsumedCapacity ReturnItemCollectionMetrics "
		written = "TableName ConditionExpression ExpressionAttributeNames ExpressionAttributeValues ReturnValuesOnConditionCheckFailure "
		single  = written + metrics + "ReturnValues Expected ConditionalOperator "
		several = "TableName IndexName FilterExpression ProjectionExpression ExpressionAttributeNames ExpressionAttributeValues ExclusiveStartKey Limit Select ConsistentRead ReturnConsumedCapacity AttributesToGet ConditionalOperator "
	)
	for _, row := range []struct {
		of     any
		fields string
	}{
		{dynamodb.PutItemInput{}, single + "Item"},
		{dynamodb.UpdateItemInput{}, single + "Key UpdateExpression AttributeUpdates"},
		{dynamodb.DeleteItemInput{}, single + "Key"},
		{dynamodb.BatchWriteItemInput{}, metrics + "RequestItems"},
		{dynamodb.TransactWriteItemsInput{}, metrics + "TransactItems ClientRequestToken"},
		{types.WriteRequest{}, "PutRequest DeleteRequest"},
		{types.PutRequest{}, "Item"},
		{types.DeleteRequest{}, "Key"},
		{types.TransactWriteItem{}, "Put Update Delete ConditionCheck"},
		{types.Put{}, written + "Item"},
		{types.Update{}, written + "Key UpdateExpression"},
		{types.Delete{}, written + "Key"},
		{types.ConditionCheck{}, written + "Key"},
		{dynamodb.GetItemInput{}, "TableName Key ProjectionExpression ExpressionAttributeNames ConsistentRead ReturnConsumedCapacity AttributesToGet"},
		{dynamodb.QueryInput{}, several + "KeyConditionExpression ScanIndexForward KeyConditions QueryFilter"},
		{dynamodb.ScanInput{}, several + "Segment TotalSegments ScanFilter"},
		{dynamodb.BatchGetItemInput{}, "RequestItems ReturnConsumedCapacity"},
		{types.KeysAndAttributes{}, "Keys ProjectionExpression ExpressionAttributeNames ConsistentRead AttributesToGet"},
		{dynamodb.TransactGetItemsInput{}, "TransactItems ReturnConsumedCapacity"},
		{types.TransactGetItem{}, "Get"},
		{types.Get{}, "TableName Key ProjectionExpression ExpressionAttributeNames"},
	} {
		var found []string
		for _, field := range reflect.VisibleFields(reflect.TypeOf(row.of)) {
			if field.IsExported() {
				found = append(found, field.Name)
			}
		}
		want := strings.Fields(row.fields)
		slices.Sort(want)
		slices.Sort(found)
		assert.True(t, slices.Equal(found, want), "%T: expected the fields %v, found %v", row.of, want, found)
	}
}

// aWrite is a write of a kind in which every field is set.
func aWrite(kind accesspatterns.ActionKind) sdk.Write {
	key := accesspatterns.Item{"PK": &types.AttributeValueMemberS{Value: "x"}}
	write := sdk.Write{
		Kind: kind, Table: "notes", Condition: aws.String("#n0 = :v0"), Names: map[string]string{"#n0": "PK"}, Values: accesspatterns.Item{":v0": key["PK"]},
		ReturnsOnFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
	switch kind {
	case accesspatterns.Put:
		write.Item = key
	case accesspatterns.Update:
		write.Update = aws.String("REMOVE #n0")
		fallthrough
	default:
		write.Key = key
	}
	return write
}

func TestWritesAreReadBack(t *testing.T) {
	for _, kind := range []accesspatterns.ActionKind{accesspatterns.Put, accesspatterns.Update, accesspatterns.Delete, accesspatterns.ConditionCheck} {
		write := aWrite(kind)
		for _, input := range []any{write.Input(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{write.Element()}}} {
			assert.Equal(t, []sdk.Write{write}, tabletest.Must(sdk.Writes(input))(t), "%s as %T", kind, input)
		}
		assert.Len(t, write.Place(), 1, "%s: expected its key to stand somewhere", kind)
	}
	put, remove := aWrite(accesspatterns.Put), aWrite(accesspatterns.Delete)
	batch := &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{
		"b": {{DeleteRequest: &types.DeleteRequest{Key: remove.Key}}},
		"a": {{PutRequest: &types.PutRequest{Item: put.Item}}, {DeleteRequest: &types.DeleteRequest{Key: remove.Key}}},
	}}
	got, err := sdk.Writes(batch)
	assert.True(t, err == nil && len(got) == 3 && got[0].Kind == accesspatterns.Put && got[0].Table == "a" && got[1].Kind == accesspatterns.Delete && got[2].Table == "b",
		"expected three writes by table, found %+v and %v", got, err)
	assert.Empty(t, tabletest.Must(sdk.Writes(&dynamodb.QueryInput{}))(t), "expected a read to write nothing")
}

func TestWritesRefuseAndNameWhatIsLegacy(t *testing.T) {
	put := aWrite(accesspatterns.Put)
	two := put.Element()
	two.Delete = &types.Delete{}
	for name, input := range map[string]any{
		"an empty element":        &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{}}},
		"two writes in one":       &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{two}},
		"an empty request":        &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"a": {{}}}},
		"two requests in one":     &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"a": {{PutRequest: &types.PutRequest{}, DeleteRequest: &types.DeleteRequest{}}}}},
		"a good one and an empty": &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{put.Element(), {}}},
	} {
		got, err := sdk.Writes(input)
		assert.Error(t, err, "%s: expected an error, found %+v", name, got)
	}
	expected := map[string]types.ExpectedAttributeValue{}
	for want, input := range map[string]any{
		"Expected":            &dynamodb.PutItemInput{Expected: expected},
		"AttributeUpdates":    &dynamodb.UpdateItemInput{AttributeUpdates: map[string]types.AttributeValueUpdate{}, Expected: expected},
		"ConditionalOperator": &dynamodb.DeleteItemInput{ConditionalOperator: types.ConditionalOperatorOr},
	} {
		assert.Equal(t, want, tabletest.Must(sdk.Writes(input))(t)[0].Legacy, "the legacy parameter")
	}
}
