package accesspatterns_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/validate"
)

// The bounds are those of https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
func TestUnstored(t *testing.T) {
	table := &ap.Table{
		ID: "notes", PartitionKey: ap.Key{Attribute: "pk", Type: dynamo.String}, SortKey: &ap.Key{Attribute: "sk", Type: dynamo.Binary},
		Indexes: []ap.Index{{Name: "by-stars", PartitionKey: ap.Key{Attribute: "stars", Type: dynamo.Number}, SortKey: &ap.Key{Attribute: "a", Type: dynamo.String}, MoreSort: []ap.Key{{Attribute: "b", Type: dynamo.String}}}},
	}
	within := func(levels int) (value types.AttributeValue) {
		value = text("x")
		for range levels {
			value = &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberM{Value: ap.Item{"m": value}}}}
		}
		return value
	}
	for _, row := range []struct {
		name, want string
		change     func(ap.Item)
	}{
		{"as it is", "", func(ap.Item) {}},
		{"in no index", "", func(i ap.Item) { delete(i, "stars") }},
		{"an empty text that is no key", "", func(i ap.Item) { i["x"] = text("") }},
		{"an empty text in a set", "", func(i ap.Item) { i["x"] = &types.AttributeValueMemberSS{Value: []string{""}} }},
		{"400 KB", "", func(i ap.Item) { i["x"] = text(strings.Repeat("x", 400<<10-dynamo.Size(i)-1)) }},
		{"a byte more", "expected an item of at most 409600 bytes (400 KB), names and values, found about 409601", func(i ap.Item) { i["x"] = text(strings.Repeat("x", 400<<10-dynamo.Size(i))) }},
		{"without a sort key", "expected a value of key attribute sk, found none", func(i ap.Item) { delete(i, "sk") }},
		{"a key of another type", `sk: expected a key of type B that is not empty, found {"S":"x"}`, func(i ap.Item) { i["sk"] = text("x") }},
		{"an empty key", `pk: expected a key of type S that is not empty, found {"S":""}`, func(i ap.Item) { i["pk"] = text("") }},
		{"an index key that is NULL", `stars: expected a key of type N that is not empty, found {"NULL":true}`, func(i ap.Item) { i["stars"] = &types.AttributeValueMemberNULL{Value: true} }},
		{"the longest partition key", "", func(i ap.Item) { i["pk"] = text(strings.Repeat("x", 2048)) }},
		{"a partition key with a byte more", "pk: expected a key of at most 2048 bytes, found 2049", func(i ap.Item) { i["pk"] = text(strings.Repeat("x", 2047) + "é") }},
		{"a long sort key", "sk: expected a key of at most 1024 bytes, found 1025", func(i ap.Item) { i["sk"] = &types.AttributeValueMemberB{Value: make([]byte, 1025)} }},
		{"a sort key of several attributes", "a: expected a key of at most 1024 bytes, found 1025", func(i ap.Item) { i["a"], i["b"] = text(strings.Repeat("x", 512)), text(strings.Repeat("x", 513)) }},
		{"no name", "expected attributes with names of 1 to 65535 bytes, found one of 0", func(i ap.Item) { i[""] = text("x") }},
		{"a long name", "expected attributes with names of 1 to 65535 bytes, found one of 65536", func(i ap.Item) { i[strings.Repeat("n", 65536)] = text("x") }},
		{"the deepest", "", func(i ap.Item) { i["x"] = within(16) }},
		{"too deep", "expected at most 32 maps and lists in each other, found more", func(i ap.Item) { i["x"] = &types.AttributeValueMemberL{Value: []types.AttributeValue{within(16)}} }},
		{"a number that is none", "x: m: expected a Number of at most 38 digits, from 1E-130 to 9.99E+125, found 1e126", func(i ap.Item) { i["x"] = &types.AttributeValueMemberM{Value: ap.Item{"m": digits("1e126")}} }},
		{"a number of a set that is none", "x: expected a Number of at most 38 digits", func(i ap.Item) { i["x"] = &types.AttributeValueMemberNS{Value: []string{"one"}} }},
		{"a number twice", "x: expected each member of a set once, found 1.0 twice", func(i ap.Item) { i["x"] = &types.AttributeValueMemberNS{Value: []string{"1", "1.0"}} }},
		{"a text twice", "x: expected each member of a set once, found a twice", func(i ap.Item) { i["x"] = &types.AttributeValueMemberSS{Value: []string{"a", "b", "a"}} }},
		{"bytes twice", "x: expected each member of a set once, found [1] twice", func(i ap.Item) { i["x"] = &types.AttributeValueMemberBS{Value: [][]byte{{1}, {1}}} }},
		{"an empty set in a list", "x: expected a set with members, found none", func(i ap.Item) {
			i["x"] = &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberSS{}}}
		}},
		{"a NULL that is false", "x: expected NULL to be true, found false", func(i ap.Item) { i["x"] = &types.AttributeValueMemberNULL{} }},
	} {
		t.Run(row.name, func(t *testing.T) {
			item := ap.Item{"pk": text("x"), "sk": &types.AttributeValueMemberB{Value: []byte{1}}, "stars": digits("5"), "a": text("x"), "b": text("y")}
			row.change(item)
			err := validate.Unstored(table, item)
			if row.want == "" {
				require.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, row.want)
		})
	}
}
