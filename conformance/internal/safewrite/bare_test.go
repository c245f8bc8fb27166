package safewrite

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/sdk"
)

// What is left of a conditioned request without the protection's conditions is what the caller asked
// for.
func TestConditionsAreTakenBack(t *testing.T) {
	item := func(words ...string) accesspatterns.Item {
		made := accesspatterns.Item{}
		for _, word := range words {
			made[word] = &types.AttributeValueMemberS{Value: word}
		}
		return made
	}
	for _, theirs := range []string{"", "attribute_not_exists(#k)", "#v = :v OR #w = :w", "(#v = :v) AND (#w = :w)", "#v = :v"} {
		for _, allowed := range [][]accesspatterns.Item{{nil}, {item("PK")}, {item("PK", "SK")}, {nil, item("PK")}, {nil, item("PK", "SK")}, {item("PK", "SK"), item("PK")}} {
			w := sdk.Write{
				Kind:   accesspatterns.Put,
				Names:  map[string]string{"#k": "PK", "#v": "version", "#w": "words"},
				Values: map[string]types.AttributeValue{":v": &types.AttributeValueMemberN{Value: "1"}},
			}
			if theirs != "" {
				w.Condition = &theirs
			}
			require(&w, "PK", allowed)
			conditioned := aws.ToString(w.Condition)
			put := WithoutConditions(w.Input()).(*dynamodb.PutItemInput)
			if found := aws.ToString(put.ConditionExpression); found != theirs || len(put.ExpressionAttributeNames) != 3 || len(put.ExpressionAttributeValues) != 1 {
				t.Errorf("%s: expected %q, found %q with %v, %v", conditioned, theirs, found, put.ExpressionAttributeNames, put.ExpressionAttributeValues)
			}
		}
	}
}
