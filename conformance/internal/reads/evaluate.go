package reads

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/evaluate"
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
	var high types.AttributeValue
	if condition.Operator == expression.Between {
		if high, err = condition.High.Resolve(params); err != nil {
			return false, err
		}
	}
	return evaluate.Holds(condition.Operator, value, low, high), nil
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
	var bounds []types.AttributeValue
	for _, operand := range condition.Operands() {
		bound := at(item, operand.Attribute)
		if operand.Attribute == "" {
			var err error
			if bound, err = operand.Resolve(params); err != nil {
				return false, err
			}
		}
		bounds = append(bounds, bound)
	}
	if _, size, _ := condition.Operator.Parts(); size {
		return false, fmt.Errorf("filter on the size of %s: only a table can decide it", condition.Attribute)
	}
	bounds = append(bounds, nil, nil)
	return evaluate.Holds(condition.Operator, at(item, condition.Attribute), bounds[0], bounds[1]), nil
}

// at is what stands at the path of a contract: an attribute and members within it, joined
// by dots.
func at(item accesspatterns.Item, path string) types.AttributeValue {
	return evaluate.At(item, evaluate.Members(strings.Split(path, ".")...))
}

// Compare compares two sort keys as DynamoDB does: Numbers by value, texts by their bytes.
func Compare(a, b types.AttributeValue) int {
	by, _ := evaluate.Compare(a, b)
	return by
}
