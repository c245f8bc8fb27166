package accesspatterns_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
)

// The sizes are counted by hand after AWS's page on item sizes.
func TestSize(t *testing.T) {
	for _, row := range []struct {
		name string
		item accesspatterns.Item
		want int
	}{
		{"text counts its bytes, not its letters", accesspatterns.Item{"a": text("é")}, 1 + 2},
		{"a number counts its significant digits", accesspatterns.Item{"n": digits("27")}, 1 + 2},
		{"an odd number of digits", accesspatterns.Item{"n": digits("123")}, 1 + 3},
		{"trailing zeros are not stored", accesspatterns.Item{"n": digits("12000")}, 1 + 2},
		{"nor leading ones", accesspatterns.Item{"n": digits("0.0012")}, 1 + 2},
		{"a sign takes a byte", accesspatterns.Item{"n": digits("-27")}, 1 + 3},
		{"zero", accesspatterns.Item{"n": digits("0")}, 1 + 1},
		{"a Boolean and NULL", accesspatterns.Item{"b": &types.AttributeValueMemberBOOL{}, "z": &types.AttributeValueMemberNULL{Value: true}}, 4},
		{"an empty map", accesspatterns.Item{"m": &types.AttributeValueMemberM{}}, 1 + 3},
		{"a list of two", accesspatterns.Item{"l": &types.AttributeValueMemberL{Value: []types.AttributeValue{text("ab"), text("c")}}}, 1 + 3 + 2 + 1 + 2},
		{"a set", accesspatterns.Item{"s": &types.AttributeValueMemberSS{Value: []string{"ab", "c"}}}, 1 + 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := dynamo.Size(row.item); got != row.want {
				t.Errorf("expected %d bytes, found %d", row.want, got)
			}
		})
	}
}
