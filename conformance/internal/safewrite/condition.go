package safewrite

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/sdk"
)

// write is one item that a request writes, or looks at with a condition check.
type write struct {
	// sent is the write as it is sent: the caller's, and with [write.require] under a
	// condition of the protection's.
	sent sdk.Write
	// change is check for a condition check, which takes none of the protection's conditions.
	change Change
	// table is the name of the table, key the primary key.
	table string
	key   accesspatterns.Item
	// conditional says that the caller's request has a condition of its own.
	conditional bool
	// before is what the key holds, and after what the write makes of it; nil where
	// that is nothing.
	before, after accesspatterns.Item
}

func (w *write) id() string { return keyID(w.table, w.key) }

// computed notes what the key holds, and what the write makes of that.
func (w *write) computed(before accesspatterns.Item) (err error) {
	w.before, w.after = before, nil
	switch w.change {
	case Put:
		w.after = w.sent.Item
	case Update:
		if w.after, err = evaluate.Update(&w.sent, before); errors.Is(err, evaluate.ErrNotOfItem) {
			w.after, err = before, nil // DynamoDB refuses it, as the caller may expect
		}
	case check:
		w.after = before
	}
	return err
}

// changes are what the writes of a request do.
var changes = map[accesspatterns.ActionKind]Change{
	accesspatterns.Put: Put, accesspatterns.Update: Update, accesspatterns.Delete: Delete, accesspatterns.ConditionCheck: check,
}

// takenApart returns what a request writes.
func (p *Protection) takenApart(operation string, parameters any) ([]*write, error) {
	sent, err := sdk.Writes(parameters)
	switch {
	case err != nil:
		return nil, &Refusal{operation, err.Error()}
	case len(sent) == 0:
		return nil, &Refusal{operation, "it is not known what it writes"}
	}
	writes := make([]*write, len(sent))
	for i := range sent {
		w := &write{sent: sent[i], change: changes[sent[i].Kind], table: dynamo.TableName(sent[i].Table), conditional: aws.ToString(sent[i].Condition) != ""}
		if w.sent.Legacy != "" {
			return nil, &Refusal{operation, "its parameters from before expressions leave no room for the condition that protects items of others"}
		}
		table, known := p.tables[w.table]
		if !known {
			return nil, &Refusal{operation, "table " + w.table + " is not one of the design's"}
		}
		w.key = keyOf(table, w.sent.Place())
		writes[i] = w
	}
	return writes, nil
}

// withConditions returns a copy of a request whose conditions and items are those of the writes
// that it was taken apart into. The caller's request stays as it is.
func withConditions(parameters any, writes []sdk.Write) any {
	switch input := parameters.(type) {
	case *dynamodb.PutItemInput:
		own, w := *input, writes[0]
		own.Item = w.Item
		own.ConditionExpression, own.ExpressionAttributeNames, own.ExpressionAttributeValues = w.Condition, w.Names, w.Values
		return &own
	case *dynamodb.UpdateItemInput:
		own, w := *input, writes[0]
		own.UpdateExpression = w.Update
		own.ConditionExpression, own.ExpressionAttributeNames, own.ExpressionAttributeValues = w.Condition, w.Names, w.Values
		return &own
	case *dynamodb.DeleteItemInput:
		own, w := *input, writes[0]
		own.ConditionExpression, own.ExpressionAttributeNames, own.ExpressionAttributeValues = w.Condition, w.Names, w.Values
		return &own
	case *dynamodb.TransactWriteItemsInput:
		own := *input
		own.TransactItems = sdk.Elements(writes)
		return &own
	}
	return parameters // a batch, which takes no condition, or no write
}

// require adds that the key holds what it held, nil for nothing, as far as
// a condition can say: that an item equals another in every attribute of the other.
// DynamoDB has no condition for "and no further attribute". The maps that the write
// held stay as they are: they may be the caller's.
func require(w *sdk.Write, partitionKey string, held accesspatterns.Item) {
	names, values := copied(w.Names), w.Values
	var own string
	if held == nil {
		names["#dynaproof0"] = partitionKey
		own = "attribute_not_exists(#dynaproof0)"
	} else {
		values = copied(values)
	}
	for i, attribute := range slices.Sorted(maps.Keys(held)) {
		name, value := fmt.Sprintf("#dynaproof%d", i), fmt.Sprintf(":dynaproof%d", i)
		names[name], values[value] = attribute, held[attribute]
		own += " AND " + name + " = " + value
	}
	own = strings.TrimPrefix(own, " AND ")
	if theirs := aws.ToString(w.Condition); theirs != "" {
		own = enclosed(theirs) + " AND " + own
	}
	w.Condition, w.Names, w.Values = &own, names, values
}

// copied returns a copy of a map, empty where there is none.
func copied[T any](all map[string]T) map[string]T {
	made := maps.Clone(all)
	if made == nil {
		made = map[string]T{}
	}
	return made
}

// WithoutConditions returns a recorded request without the conditions and marks that a protection added, and
// with those that the caller gave: what is left is what was asked for. Requests of other kinds
// come back as they are.
func WithoutConditions(input any) any {
	writes, err := sdk.Writes(input)
	if err != nil || len(writes) == 0 {
		return input
	}
	for i := range writes {
		release(&writes[i])
	}
	return withConditions(input, writes)
}

// release takes back what require and mark added.
func release(w *sdk.Write) {
	unmark(w)
	w.Names, w.Values = without(w.Names, "#dynaproof"), without(w.Values, ":dynaproof")
	theirs, _, added := strings.Cut(aws.ToString(w.Condition), "#dynaproof")
	if !added {
		return
	}
	theirs = strings.TrimSuffix(strings.TrimSuffix(theirs, "attribute_not_exists("), " AND ")
	theirs = strings.TrimSuffix(strings.TrimPrefix(theirs, "("), ")") // as [enclosed] left it
	if w.Condition = &theirs; theirs == "" {
		w.Condition = nil
	}
}

// without returns a copy of a map without the names that begin so, nil where nothing is left.
func without[T any](all map[string]T, begin string) map[string]T {
	left := maps.Clone(all)
	maps.DeleteFunc(left, func(name string, _ T) bool { return strings.HasPrefix(name, begin) })
	if len(left) == 0 {
		return nil
	}
	return left
}

// enclosed puts an expression into parentheses, unless it stands in a pair already:
// DynamoDB refuses a second pair as redundant.
func enclosed(expression string) string {
	trimmed, depth := strings.TrimSpace(expression), 0
	for i, letter := range trimmed {
		switch letter {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i < len(trimmed)-1 {
			return "(" + trimmed + ")" // the first pair ends before the expression does, or there is none
		}
	}
	return trimmed
}

// Deletion returns a request that deletes an item only while it still is what was read.
func Deletion(table string, key, item accesspatterns.Item) *dynamodb.DeleteItemInput {
	w := sdk.Write{Kind: accesspatterns.Delete, Table: table, Key: key}
	require(&w, "", item)
	return &dynamodb.DeleteItemInput{
		TableName: &w.Table, Key: w.Key, ConditionExpression: w.Condition, ExpressionAttributeNames: w.Names, ExpressionAttributeValues: w.Values,
	}
}

// IsConditionFailure reports whether a request failed because its condition did
// not hold.
func IsConditionFailure(err error) bool {
	return errors.As(err, new(*types.ConditionalCheckFailedException))
}

func keyOf(table Table, item accesspatterns.Item) accesspatterns.Item {
	key := accesspatterns.Item{}
	for _, attribute := range table.Keys {
		if value, present := item[attribute]; present {
			key[attribute] = value
		}
	}
	return key
}
