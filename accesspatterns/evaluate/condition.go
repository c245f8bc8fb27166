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
		value = Size(value)
	}
	by, comparable := Compare(value, low)
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
		above, both := Compare(value, high)
		is = comparable && both && by >= 0 && above <= 0
	case expression.BeginsWith:
		is = comparable && dynamo.TypeOf(value) == dynamo.String && strings.HasPrefix(dynamo.ScalarText(value), dynamo.ScalarText(low))
	case expression.IsType:
		is = value != nil && low != nil && string(dynamo.TypeOf(value)) == dynamo.ScalarText(low)
	case expression.Contains:
		is = value != nil && low != nil && contains(value, low)
	}
	return is != negated
}

// Size is the size of a value as a Number; nil for what has none.
func Size(value types.AttributeValue) types.AttributeValue {
	n := 0
	switch value := value.(type) {
	case *types.AttributeValueMemberS:
		n = len(value.Value)
	case *types.AttributeValueMemberB:
		n = len(value.Value)
	case *types.AttributeValueMemberSS:
		n = len(value.Value)
	case *types.AttributeValueMemberNS:
		n = len(value.Value)
	case *types.AttributeValueMemberBS:
		n = len(value.Value)
	case *types.AttributeValueMemberL:
		n = len(value.Value)
	case *types.AttributeValueMemberM:
		n = len(value.Value)
	default:
		return nil
	}
	return &types.AttributeValueMemberN{Value: strconv.Itoa(n)}
}

// Compare compares two Strings, Numbers or Binaries as DynamoDB does.
func Compare(a, b types.AttributeValue) (by int, comparable bool) {
	if dynamo.TypeOf(a) != dynamo.TypeOf(b) {
		return 0, false
	}
	switch a := a.(type) {
	case *types.AttributeValueMemberS:
		return strings.Compare(a.Value, b.(*types.AttributeValueMemberS).Value), true
	case *types.AttributeValueMemberB:
		return bytes.Compare(a.Value, b.(*types.AttributeValueMemberB).Value), true
	case *types.AttributeValueMemberN:
		x, isNumber := dynamo.Decimal(a.Value)
		y, both := dynamo.Decimal(b.(*types.AttributeValueMemberN).Value)
		if isNumber && both {
			return x.Cmp(y), true
		}
	}
	return 0, false
}

func contains(value, member types.AttributeValue) bool {
	text := dynamo.ScalarText(member)
	switch value := value.(type) {
	case *types.AttributeValueMemberS:
		return dynamo.TypeOf(member) == dynamo.String && strings.Contains(value.Value, text)
	case *types.AttributeValueMemberSS:
		return dynamo.TypeOf(member) == dynamo.String && slices.Contains(value.Value, text)
	case *types.AttributeValueMemberNS:
		return slices.ContainsFunc(value.Value, func(n string) bool { return dynamo.Equal(&types.AttributeValueMemberN{Value: n}, member) })
	case *types.AttributeValueMemberL:
		return slices.ContainsFunc(value.Value, func(each types.AttributeValue) bool { return dynamo.Equal(each, member) })
	}
	return false
}
