package accesspatterns_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/sdk"
)

// DynamoDB keeps a Number as its value, so that "1" and "1.0" are one key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
func TestKeyTextIsThatOfEqualKeys(t *testing.T) {
	table := &ap.Table{ID: "t", PartitionKey: ap.Key{Attribute: "pk", Type: dynamo.String}, SortKey: &ap.Key{Attribute: "sk", Type: dynamo.Number}}
	key := func(pk, sk types.AttributeValue) ap.Item { return ap.Item{"pk": pk, "sk": sk} }
	text := func(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }
	number := func(value string) types.AttributeValue { return &types.AttributeValueMemberN{Value: value} }
	all := []ap.Item{
		key(text("a"), number("1")), key(text("a"), number("1.0")), key(text("a"), number("1E0")), key(text("a"), number("1.5")), key(text("a"), number("15e-1")), key(text("1"), number("1")),
		key(text("a"), number("0")), key(text("a"), number("-0.0")), key(text("a"), number("1e-130")), key(text("a"), number("9.9e125")), key(text("a"), number("99e124")),
		key(text("a"), text("1")), key(text("a"), number("none")), key(text(`a"} {"S":"b`), number("1")),
	}
	for i, one := range all {
		for _, other := range all[i:] {
			equal := dynamo.EqualItems(one, other) || dynamo.ShowItem(one) == dynamo.ShowItem(other)
			assert.Equal(t, equal, evaluate.KeyText(table, one) == evaluate.KeyText(table, other), "%s and %s", dynamo.ShowItem(one), dynamo.ShowItem(other))
			assert.Equal(t, equal, dynamo.KeyID(one) == dynamo.KeyID(other), "%s and %s", dynamo.ShowItem(one), dynamo.ShowItem(other))
		}
	}
	put := func(item ap.Item) sdk.Write { return sdk.Write{Kind: ap.Put, Table: "t", Item: item} }
	known := func(string) (*ap.Table, bool) { return table, true }
	require.ErrorIs(t, evaluate.Tables{"t": {}}.Apply(known, []sdk.Write{put(all[0]), put(all[1])}), evaluate.ErrTwice)
	require.ErrorIs(t, evaluate.Tables{"t": {}}.Apply(known, []sdk.Write{put(key(text(""), number("1")))}), evaluate.ErrNotStored)
}
