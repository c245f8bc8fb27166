package mutants

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns/dynamo"
)

// place is where one value of an item stands: "sections.private", or
// "categories[0].name".
type place string

// nested reports whether the place is inside an attribute.
func (p place) nested() bool { return strings.ContainsAny(string(p), ".[") }

// retyped returns a value of a type that is neither the present nor the
// documented one.
func retyped(value types.AttributeValue, documented dynamo.Type) types.AttributeValue {
	for _, other := range []types.AttributeValue{
		&types.AttributeValueMemberN{Value: "7"}, &types.AttributeValueMemberS{Value: "mutant"}, &types.AttributeValueMemberBOOL{Value: true},
	} {
		if kind := dynamo.TypeOf(other); kind != documented && kind != dynamo.TypeOf(value) {
			return other
		}
	}
	return nil
}
