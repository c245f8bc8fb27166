package evaluate

import (
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
)

// Read returns the items that a read of a contract returns, out of all items of its table: in the order of the
// sort key, whole, and without regard to pages. What the reader makes of them stands in [ap.Read.Seen].
func Read(r *ap.Read, table *ap.Table, items []ap.Item, params ap.Params) ([]ap.Item, error) {
	keys, known := table.KeysOf(r.Index)
	if !known {
		return nil, fmt.Errorf("expected an index of table %s, found %s", table.ID, r.Index)
	}
	var partition types.AttributeValue
	if r.Partition != nil {
		var err error
		if partition, err = r.Partition.Value.Resolve(params); err != nil {
			return nil, err
		}
	}
	low, high, err := bounds(r.Sort, params)
	var found []ap.Item
	for _, item := range items {
		if partition != nil && !dynamo.Equal(item[keys[0].Attribute], partition) {
			continue
		}
		if !keys.In(item) {
			continue // it is not in the index
		}
		if err != nil {
			return nil, err
		}
		if r.Sort == nil || Holds(r.Sort.Operator, item[r.Sort.Attribute], low, high) {
			found = append(found, item)
		}
	}
	if len(keys) > 1 {
		slices.SortStableFunc(found, func(a, b ap.Item) int {
			by, _ := dynamo.Compare(a[keys[1].Attribute], b[keys[1].Attribute]) // Numbers by value, texts by their bytes
			if r.Order == ap.Descending {
				by = -by
			}
			return by
		})
	}
	if r.Limit > 0 && len(found) > int(r.Limit) {
		found = found[:r.Limit]
	}
	var passed []ap.Item
	index, _ := table.Index(r.Index)
	for _, item := range found {
		seen := item
		if index != nil && !index.Local { // a local index has the rest from its table
			seen = Carried(table, r.Index, item)
		}
		holds, err := FilterHolds(r.Filter, seen, params)
		if err != nil {
			return nil, err
		}
		if holds {
			passed = append(passed, item)
		}
	}
	return passed, nil
}

// Carried is what of an item stands where a read without a projection looks: all of it in the table, and in an index what that carries.
func Carried(table *ap.Table, index string, item ap.Item) ap.Item {
	if names, some := Copied(table, index); some {
		return Project(item, names)
	}
	return item
}

// Copied are the attributes that an index has of the items of its table. some is false where it has all of them, and for the table itself.
func Copied(table *ap.Table, index string) (names []string, some bool) {
	of, is := table.Index(index)
	if !is || of.Projection == dynamo.ProjectAll {
		return nil, false
	}
	return slices.Concat(of.NonKeyAttributes, table.Keys().Names(), of.Keys().Names()), true
}

// bounds are the values that a condition on a sort key compares with.
func bounds(condition *ap.SortCondition, params ap.Params) (low, high types.AttributeValue, err error) {
	if condition == nil {
		return nil, nil, nil
	}
	if low, err = condition.Value.Resolve(params); err == nil && condition.Operator == expression.Between {
		high, err = condition.High.Resolve(params)
	}
	return low, high, err
}

// FilterHolds says whether an item passes a declared filter. It fails where a parameter has no value.
func FilterHolds(filter []ap.Condition, item ap.Item, params ap.Params) (bool, error) {
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

// conditionHolds says whether an item fulfils a condition without alternatives.
func conditionHolds(condition *ap.Condition, item ap.Item, params ap.Params) (bool, error) {
	var bounds [2]types.AttributeValue
	for i, operand := range condition.Operands() {
		var err error
		if bounds[i] = at(item, operand.Attribute); operand.Attribute == "" {
			bounds[i], err = operand.Resolve(params)
		}
		if err != nil {
			return false, err
		}
	}
	return Holds(condition.Operator, at(item, condition.Attribute), bounds[0], bounds[1]), nil
}
