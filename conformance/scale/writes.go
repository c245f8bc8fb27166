package scale

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/wire"
)

// written follows what a case writes, from the fixtures on, to calculate what
// each transaction must consume.
type written struct {
	design *accesspatterns.Design
	tables map[string]*accesspatterns.Table // by deployed name
	items  map[string]accesspatterns.Item   // fixtures and what the case wrote over them, by table and key
}

// writeForecast is what a transaction must consume after AWS's rules.
type writeForecast struct {
	// Table is of the tables, Indexes of their indexes.
	Table, Indexes float64
}

// action is one action of a TransactWriteItems on the wire.
type action struct {
	TableName                 string
	Item, Key                 json.RawMessage
	UpdateExpression          string
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues json.RawMessage
}

// foresee calculates what a transaction that succeeded must have consumed, and
// takes over what it wrote. It says no where an update does what this package
// cannot follow.
//
// AWS: "DynamoDB performs two underlying reads or writes of every item in the
// transaction", so that a table's units are doubled. An index is brought up to
// date outside of the transaction: an entry that appears, vanishes or changes
// costs one write of its size, one that moves to another key costs two, and one
// that stays as it is none.
func (w *written) foresee(entry wire.Entry) (writeForecast, bool) {
	const transactional = 2
	var all writeForecast
	var body struct{ TransactItems []map[string]action }
	if entry.ErrorType != "" || json.Unmarshal(entry.Request, &body) != nil {
		return all, false
	}
	for _, actions := range body.TransactItems {
		for kind, one := range actions {
			table := w.tables[one.TableName]
			if table == nil {
				return all, false
			}
			before, after, id, err := w.apply(kind, table, one)
			if err != nil {
				return all, false
			}
			all.Table += transactional * writeUnits(max(SizeOf(before), SizeOf(after)))
			if kind == string(accesspatterns.ConditionCheck) {
				continue
			}
			for i := range table.Indexes {
				keys, _ := table.KeysOf(table.Indexes[i].Name)
				all.Indexes += indexUnits(keys, before, after)
			}
			w.items[id] = after
		}
	}
	return all, true
}

// apply returns an item before and after an action.
func (w *written) apply(kind string, table *accesspatterns.Table, one action) (before, after accesspatterns.Item, id string, err error) {
	text := one.Key
	if kind == string(accesspatterns.Put) {
		text = one.Item
	}
	given, err := attributevalue.UnmarshalMapJSON(text)
	if err != nil {
		return nil, nil, "", err
	}
	id = table.ID + accesspatterns.ShowItem(keyOf(table, given))
	before = w.items[id]
	switch accesspatterns.ActionKind(kind) {
	case accesspatterns.Put:
		return before, given, id, nil
	case accesspatterns.Delete:
		return before, nil, id, nil
	case accesspatterns.ConditionCheck:
		return before, before, id, nil
	case accesspatterns.Update:
		after, err = updated(before, given, one)
		return before, after, id, err
	}
	return nil, nil, "", fmt.Errorf("expected Put, Update, Delete or ConditionCheck, found %s", kind)
}

// updated follows an update that sets top-level attributes to values.
func updated(before, key accesspatterns.Item, one action) (accesspatterns.Item, error) {
	assignments, sets := strings.CutPrefix(one.UpdateExpression, "SET ")
	if !sets {
		return nil, fmt.Errorf("expected an update that sets, found %s", one.UpdateExpression)
	}
	values := accesspatterns.Item{}
	if len(one.ExpressionAttributeValues) > 0 {
		var err error
		if values, err = attributevalue.UnmarshalMapJSON(one.ExpressionAttributeValues); err != nil {
			return nil, err
		}
	}
	after := accesspatterns.Item{}
	for _, item := range []accesspatterns.Item{before, key} {
		for name, value := range item {
			after[name] = value
		}
	}
	for assignment := range strings.SplitSeq(assignments, ",") {
		name, value, _ := strings.Cut(assignment, "=")
		attribute, named := one.ExpressionAttributeNames[strings.TrimSpace(name)]
		given, known := values[strings.TrimSpace(value)]
		if !named || !known {
			return nil, fmt.Errorf("expected a name set to a value, found %s", assignment)
		}
		after[attribute] = given
	}
	return after, nil
}

// indexUnits is what bringing one index up to date consumes.
func indexUnits(keys []accesspatterns.Key, before, after accesspatterns.Item) float64 {
	was, is := inIndex(keys, before), inIndex(keys, after)
	switch {
	case !was && !is, was && is && accesspatterns.EqualItems(before, after):
		return 0
	case !was:
		return writeUnits(SizeOf(after))
	case !is:
		return writeUnits(SizeOf(before))
	}
	for _, key := range keys {
		if !accesspatterns.Equal(before[key.Attribute], after[key.Attribute]) {
			return writeUnits(SizeOf(before)) + writeUnits(SizeOf(after))
		}
	}
	return writeUnits(max(SizeOf(before), SizeOf(after)))
}

func inIndex(keys []accesspatterns.Key, item accesspatterns.Item) bool {
	for _, key := range keys {
		var value types.AttributeValue = item[key.Attribute]
		if value == nil || accesspatterns.TypeOf(value) != key.Type {
			return false
		}
	}
	return true
}
