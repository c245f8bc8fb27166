package reads

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/expression"
)

// SortHolds says whether a sort key fulfils the condition on it.
func SortHolds(condition *accesspatterns.SortCondition, value types.AttributeValue, params accesspatterns.Params) (bool, error) {
	if condition == nil {
		return true, nil
	}
	low, err := condition.Value.Resolve(params)
	if err != nil {
		return false, err
	}
	switch condition.Operator {
	case expression.BeginsWith:
		return strings.HasPrefix(accesspatterns.ScalarText(value), accesspatterns.ScalarText(low)), nil
	case expression.Between:
		high, err := condition.High.Resolve(params)
		return err == nil && Compare(low, value) <= 0 && Compare(value, high) <= 0, err
	}
	return holds(condition.Operator, Compare(value, low)), nil
}

// holds says whether a comparison that ended so fulfils its operator.
func holds(operator expression.Operator, compared int) bool {
	switch operator {
	case expression.NotEqual:
		return compared != 0
	case expression.Less:
		return compared < 0
	case expression.LessOrEqual:
		return compared <= 0
	case expression.Greater:
		return compared > 0
	case expression.GreaterOrEqual:
		return compared >= 0
	}
	return compared == 0
}

// FilterHolds says whether an item passes a declared filter. It fails for a condition on
// a size, and where a parameter has no value.
func FilterHolds(filter []accesspatterns.Condition, item accesspatterns.Item, params accesspatterns.Params) (bool, error) {
	for _, condition := range filter {
		any := false
		for _, one := range condition.Alternatives() {
			is, err := conditionHolds(&one, item, params)
			if err != nil {
				return false, err
			}
			any = any || is
		}
		if !any {
			return false, nil
		}
	}
	return true, nil
}

// conditionHolds says whether an item fulfils a condition without alternatives. It
// fails for one that the model of the engine does not know.
func conditionHolds(condition *accesspatterns.Condition, item accesspatterns.Item, params accesspatterns.Params) (bool, error) {
	value, present := item[condition.Attribute]
	var bounds []types.AttributeValue
	for _, operand := range condition.Operands() {
		bound := item[operand.Attribute]
		if operand.Attribute == "" {
			var err error
			if bound, err = operand.Resolve(params); err != nil {
				return false, err
			}
		}
		bounds = append(bounds, bound)
	}
	base := condition.Operator.Base()
	is := false
	switch comparable := present && len(bounds) > 0 && bounds[0] != nil && accesspatterns.TypeOf(bounds[0]) == accesspatterns.TypeOf(value); {
	case strings.Contains(string(condition.Operator), "size "):
		return false, fmt.Errorf("filter on the size of %s: only a table can decide it", condition.Attribute)
	case base == expression.Exists:
		is = present
	case base == expression.NotExists:
		is = !present
	case base == expression.IsType:
		is = present && string(accesspatterns.TypeOf(value)) == accesspatterns.ScalarText(bounds[0])
	case base == expression.Equal:
		is = comparable && accesspatterns.Equal(bounds[0], value)
	case base == expression.NotEqual:
		is = !comparable || !accesspatterns.Equal(bounds[0], value)
	case base == expression.Contains:
		text, isText := value.(*types.AttributeValueMemberS)
		is = isText && strings.Contains(text.Value, accesspatterns.ScalarText(bounds[0])) || !isText && present && slices.Contains(members(value), accesspatterns.ScalarText(bounds[0]))
	case base == expression.BeginsWith:
		is = comparable && strings.HasPrefix(accesspatterns.ScalarText(value), accesspatterns.ScalarText(bounds[0]))
	case base == expression.Between:
		is = comparable && bounds[1] != nil && Compare(bounds[0], value) <= 0 && Compare(value, bounds[1]) <= 0
	default:
		is = comparable && holds(base, Compare(value, bounds[0]))
	}
	return is != strings.HasPrefix(string(condition.Operator), "NOT "), nil
}

// members are the texts of a set's or list's members.
func members(value types.AttributeValue) (all []string) {
	switch value := value.(type) {
	case *types.AttributeValueMemberSS:
		return value.Value
	case *types.AttributeValueMemberNS:
		return value.Value
	case *types.AttributeValueMemberL:
		for _, each := range value.Value {
			all = append(all, accesspatterns.ScalarText(each))
		}
	}
	return all
}

// Compare compares sort keys as DynamoDB does: Numbers by value, texts by
// their bytes.
func Compare(a, b types.AttributeValue) int {
	one, isNumber := a.(*types.AttributeValueMemberN)
	other, both := b.(*types.AttributeValueMemberN)
	if isNumber && both {
		x, errX := strconv.ParseFloat(one.Value, 64)
		y, errY := strconv.ParseFloat(other.Value, 64)
		if errX == nil && errY == nil {
			return cmp.Compare(x, y)
		}
	}
	return strings.Compare(accesspatterns.ScalarText(a), accesspatterns.ScalarText(b))
}
