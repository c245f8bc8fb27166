package sdk_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns/sdk"
)

// Two who send one transaction each send a request of their own: DynamoDB answers the second of two with one token, and changes nothing.
func TestBodyLeavesItsInputAlone(t *testing.T) {
	key := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "a"}}
	input := &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{Delete: &types.Delete{TableName: aws.String("Tickets"), Key: key}}}}
	body, err := sdk.Body(input)
	if want := `{"TransactItems":[{"Delete":{"Key":{"pk":{"S":"a"}},"TableName":"Tickets"}}]}`; err != nil || string(body) != want {
		t.Errorf("expected %s, found %s, %v", want, body, err)
	}
	if input.ClientRequestToken != nil {
		t.Errorf("expected an input without a token, found %s", *input.ClientRequestToken)
	}
}
