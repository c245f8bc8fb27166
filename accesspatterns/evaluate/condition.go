package evaluate

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
)

// Holds reports whether a value fulfils one term of a condition. What an item lacks is nil, as
// value and as operand; high is the upper bound of BETWEEN.
func Holds(operator expression.Operator, value, low, high types.AttributeValue) bool {
	negated, size, op := operator.Parts()
	if size {
		length, has := dynamo.Length(value)
		if value = nil; has {
			value = &types.AttributeValueMemberN{Value: strconv.Itoa(length)}
		}
	}
	by, comparable := dynamo.Compare(value, low)
	is := false
	switch op {
	case expression.Exists:
		is = value != nil
	case expression.NotExists:
		is = value == nil
	case expression.Equal:
		is = value != nil && low != nil && dynamo.Equal(value, low)
	case expression.NotEqual:
		is = value == nil || low == nil || !dynamo.Equal(value, low)
	case expression.Less:
		is = comparable && by < 0
	case expression.LessOrEqual:
		is = comparable && by <= 0
	case expression.Greater:
		is = comparable && by > 0
	case expression.GreaterOrEqual:
		is = comparable && by >= 0
	case expression.Between:
		above, both := dynamo.Compare(value, high)
		is = comparable && both && by >= 0 && above <= 0
	case expression.BeginsWith:
		is = comparable && beginsWith(value, low)
	case expression.IsType:
		is = value != nil && low != nil && string(dynamo.TypeOf(value)) == dynamo.ScalarText(low)
	case expression.Contains:
		is = value != nil && low != nil && contains(value, low)
	}
	return is != negated
}

// beginsWith compares two values of one type.
func beginsWith(value, beginning types.AttributeValue) bool {
	switch value := value.(type) {
	case *types.AttributeValueMemberS:
		return strings.HasPrefix(value.Value, dynamo.ScalarText(beginning))
	case *types.AttributeValueMemberB:
		return bytes.HasPrefix(value.Value, beginning.(*types.AttributeValueMemberB).Value)
	}
	return false
}

func contains(value, member types.AttributeValue) bool {
	text := dynamo.ScalarText(member)
	binary, isBinary := member.(*types.AttributeValueMemberB)
	switch value := value.(type) {
	case *types.AttributeValueMemberS:
		return dynamo.TypeOf(member) == dynamo.String && strings.Contains(value.Value, text)
	case *types.AttributeValueMemberSS:
		return dynamo.TypeOf(member) == dynamo.String && slices.Contains(value.Value, text)
	case *types.AttributeValueMemberNS:
		return dynamo.TypeOf(member) == dynamo.Number && slices.ContainsFunc(value.Value, func(n string) bool { return dynamo.EqualNumbers(n, text) })
	case *types.AttributeValueMemberB:
		return isBinary && bytes.Contains(value.Value, binary.Value)
	case *types.AttributeValueMemberBS:
		return isBinary && slices.ContainsFunc(value.Value, func(each []byte) bool { return bytes.Equal(each, binary.Value) })
	case *types.AttributeValueMemberL:
		return slices.ContainsFunc(value.Value, func(each types.AttributeValue) bool { return dynamo.Equal(each, member) })
	}
	return false
}
