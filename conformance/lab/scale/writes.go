package scale

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math/big"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/internal/wire"
)

// written follows what a case writes, from the fixtures on, to calculate what
// each write must consume.
type written struct {
	design *accesspatterns.Design
	tables map[string]*accesspatterns.Table // by deployed name
	items  map[string]accesspatterns.Item   // fixtures and what the case wrote over them, by table and key
}

// writeForecast is what a write must consume after AWS's rules.
type writeForecast struct {
	// Table is of the tables, Indexes of their indexes.
	Table, Indexes float64
}

// action is one write on the wire.
type action struct {
	kind                      accesspatterns.ActionKind
	TableName                 string
	Item, Key                 json.RawMessage
	UpdateExpression          string
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues json.RawMessage
}

// foresee calculates what a write that succeeded must have consumed, and takes
// over what it wrote. It says no where an update does what this package cannot
// follow.
//
// AWS: "DynamoDB performs two underlying reads or writes of every item in the
// transaction", so that a table's units are doubled. An index is brought up to
// date outside of the transaction: an entry that appears, vanishes or changes
// costs one write of its size, one that moves to another key costs two, and one
// that stays as it is none.
func (w *written) foresee(entry wire.Entry) (writeForecast, bool) {
	var all writeForecast
	actions, times, err := actionsOf(entry)
	if err != nil || entry.ErrorType != "" {
		return all, false
	}
	for _, one := range actions {
		table := w.tables[one.TableName]
		if table == nil {
			return all, false
		}
		before, after, id, err := w.apply(one.kind, table, one)
		if err != nil {
			return all, false
		}
		all.Table += times * writeUnits(max(SizeOf(before), SizeOf(after)))
		if one.kind == accesspatterns.ConditionCheck {
			continue
		}
		for i := range table.Indexes {
			keys, _ := table.KeysOf(table.Indexes[i].Name)
			all.Indexes += indexUnits(keys, before, after)
		}
		w.items[id] = after
	}
	return all, true
}

// actionsOf takes a write on the wire apart, and says how often a table's units
// are counted.
func actionsOf(entry wire.Entry) (actions []action, times float64, err error) {
	single := map[accesspatterns.Operation]accesspatterns.ActionKind{
		accesspatterns.OpPutItem: accesspatterns.Put, accesspatterns.OpUpdateItem: accesspatterns.Update, accesspatterns.OpDeleteItem: accesspatterns.Delete,
	}
	switch operation := accesspatterns.Operation(entry.Operation); operation {
	case accesspatterns.OpTransactWriteItems:
		var body struct {
			TransactItems []map[accesspatterns.ActionKind]action
		}
		err = json.Unmarshal(entry.Request, &body)
		for _, item := range body.TransactItems {
			for kind, one := range item { // exactly one
				one.kind = kind
				actions = append(actions, one)
			}
		}
		return actions, 2, err
	case accesspatterns.OpBatchWriteItem:
		var body struct {
			RequestItems map[string][]struct{ PutRequest, DeleteRequest *action }
		}
		err = json.Unmarshal(entry.Request, &body)
		for table, requests := range body.RequestItems {
			for _, request := range requests {
				one := request.PutRequest
				kind := accesspatterns.Put
				if one == nil {
					one, kind = request.DeleteRequest, accesspatterns.Delete
				}
				if one == nil {
					return nil, 0, fmt.Errorf("expected a PutRequest or a DeleteRequest for %s, found neither", table)
				}
				one.kind, one.TableName = kind, table
				actions = append(actions, *one)
			}
		}
		return actions, 1, err
	default:
		one := action{kind: single[operation]}
		err = json.Unmarshal(entry.Request, &one)
		return []action{one}, 1, err
	}
}

// apply returns an item before and after an action.
func (w *written) apply(kind accesspatterns.ActionKind, table *accesspatterns.Table, one action) (before, after accesspatterns.Item, id string, err error) {
	text := one.Key
	if kind == accesspatterns.Put {
		text = one.Item
	}
	given, err := attributevalue.UnmarshalMapJSON(text)
	if err != nil {
		return nil, nil, "", err
	}
	id = table.ID + accesspatterns.ShowItem(keyOf(table, given))
	before = w.items[id]
	switch kind {
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

// updateForm is an update that sets and removes top-level attributes.
var updateForm = regexp.MustCompile(`^(?:SET (.+?))?(?: ?REMOVE (.+))?$`)

// updated follows an update that sets top-level attributes to values, adds to
// them, or removes them.
func updated(before, key accesspatterns.Item, one action) (accesspatterns.Item, error) {
	parts := updateForm.FindStringSubmatch(one.UpdateExpression)
	if parts == nil {
		return nil, fmt.Errorf("expected an update that sets and removes, found %s", one.UpdateExpression)
	}
	values := accesspatterns.Item{}
	if len(one.ExpressionAttributeValues) > 0 {
		var err error
		if values, err = attributevalue.UnmarshalMapJSON(one.ExpressionAttributeValues); err != nil {
			return nil, err
		}
	}
	after := accesspatterns.Item{}
	maps.Copy(after, before)
	maps.Copy(after, key)
	for assignment := range listed(parts[1]) {
		name, value, _ := strings.Cut(assignment, "=")
		attribute, named := one.ExpressionAttributeNames[strings.TrimSpace(name)]
		given, err := operated(strings.TrimSpace(value), strings.TrimSpace(name), after[attribute], values)
		if err != nil || !named {
			return nil, fmt.Errorf("expected a name set to a value, found %s: %w", assignment, err)
		}
		after[attribute] = given
	}
	for name := range listed(parts[2]) {
		attribute, named := one.ExpressionAttributeNames[strings.TrimSpace(name)]
		if !named {
			return nil, fmt.Errorf("expected the name of an attribute to remove, found %s", name)
		}
		delete(after, attribute)
	}
	return after, nil
}

func listed(text string) iter.Seq[string] {
	if text == "" {
		return func(func(string) bool) {}
	}
	return strings.SplitSeq(text, ",")
}

// operated is the value of an assignment: a value, or the attribute's own with
// one added or taken away.
func operated(expression, name string, stored types.AttributeValue, values accesspatterns.Item) (types.AttributeValue, error) {
	if given, known := values[expression]; known {
		return given, nil
	}
	parts := strings.Fields(expression)
	was, isNumber := stored.(*types.AttributeValueMemberN)
	if len(parts) != 3 || parts[0] != name || !isNumber {
		return nil, fmt.Errorf("expected a value, or a Number and a value, found %s", expression)
	}
	by, isNumber := values[parts[2]].(*types.AttributeValueMemberN)
	if !isNumber {
		return nil, fmt.Errorf("expected a Number, found %s", parts[2])
	}
	one, okOne := new(big.Rat).SetString(was.Value)
	other, okOther := new(big.Rat).SetString(by.Value)
	if !okOne || !okOther {
		return nil, fmt.Errorf("expected two Numbers, found %s and %s", was.Value, by.Value)
	}
	if parts[1] == string(accesspatterns.Subtract) {
		other.Neg(other)
	}
	const decimals = 38 // the precision of DynamoDB's Numbers
	return &types.AttributeValueMemberN{Value: strings.TrimRight(strings.TrimRight(one.Add(one, other).FloatString(decimals), "0"), ".")}, nil
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
