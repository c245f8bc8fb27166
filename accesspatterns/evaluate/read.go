package evaluate

import (
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
)

// Read returns the items that a read of a contract returns, out of all items of its table: in the order of the
// sort key, whole, and without regard to pages. What the reader makes of them stands in [ap.Read.Seen].
func Read(r *ap.Read, table *ap.Table, items []ap.Item, params ap.Params) ([]ap.Item, error) {
	keys, known := table.KeysOf(r.Index)
	if !known {
		return nil, fmt.Errorf("expected an index of table %s, found %s", table.ID, r.Index)
	}
	found, err := passing(r.KeyConditions(), lists.Where(items, keys.In), params)
	if err != nil {
		return nil, err
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
	return passing(r.Filter, found, params)
}

// passing are the items that fulfil conditions.
func passing(conditions []ap.Condition, items []ap.Item, params ap.Params) (found []ap.Item, err error) {
	for _, item := range items {
		holds, err := FilterHolds(conditions, item, params)
		if err != nil {
			return nil, err
		}
		if holds {
			found = append(found, item)
		}
	}
	return found, nil
}

// Carried is what of an item stands where a read without a projection looks: all of it in the table, and in an index what that carries.
func Carried(table *ap.Table, index string, item ap.Item) ap.Item {
	of, is := table.Index(index)
	if !is || of.Projection == dynamo.ProjectAll {
		return item
	}
	return Project(item, slices.Concat(of.NonKeyAttributes, table.Keys().Names(), of.Keys().Names()))
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
