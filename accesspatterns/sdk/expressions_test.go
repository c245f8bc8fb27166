package sdk_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/sdk"
)

func textOf(text string) types.AttributeValue { return &types.AttributeValueMemberS{Value: text} }

func TestBoundKeys(t *testing.T) {
	for condition, want := range map[string]string{
		"#p = :a AND begins_with(SK, :b)": `{"PK":{"S":"a"}}`,
		"(SK = :b) and #p=:a":             `{"PK":{"S":"a"},"SK":{"S":"b"}}`,
		"#p BETWEEN :a AND :b":            `{}`,
		"#p = :a AND PK = :b":             "expected one value for PK, found two",
		"#p = :a OR #p = :b":              "joined by AND",
		"#p = :c":                         "every :value",
		"":                                `key condition ""`,
	} {
		bound, err := sdk.BoundKeys(&dynamodb.QueryInput{
			KeyConditionExpression: &condition, ExpressionAttributeNames: map[string]string{"#p": "PK"},
			ExpressionAttributeValues: accesspatterns.Item{":a": textOf("a"), ":b": textOf("b")},
		})
		found := dynamo.ShowItem(bound)
		if err != nil {
			found = err.Error()
		}
		assert.Contains(t, found, want, "%q", condition)
	}
}

func TestAttributesOf(t *testing.T) {
	names := map[string]string{"#a": "sections", "#b": "private", "#c": "owner"}
	found := sdk.AttributesOf(names, aws.String("NOT attribute_type(#a.#b, :s)"), nil, aws.String("SET #c = :c, n = #a"))
	assert.Equal(t, "n owner sections", strings.Join(found, " "))
}
