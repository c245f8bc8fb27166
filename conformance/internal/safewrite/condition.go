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
)

// write is one item that a request writes, or looks at with a condition check.
type write struct {
	change Change
	table  string
	key    accesspatterns.Item
	// put is the item of a put, update the expression of an update.
	put    accesspatterns.Item
	update UpdateExpression
	// where is the place of the condition; nil for a check, which takes none of the
	// guard's.
	where *clause
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
		w.after = w.put
	case Update:
		if w.after, err = w.update.Apply(w.key, before); errors.Is(err, errNotOfItem) {
			w.after, err = before, nil // DynamoDB refuses it, as the caller may expect
		}
	case check:
		w.after = before
	}
	return err
}

// images are what the key may hold once the request was sent: what it held, and what
// the write makes of that.
func (w *write) images() []accesspatterns.Item {
	var images []accesspatterns.Item
	for _, item := range []accesspatterns.Item{w.before, w.after} {
		if item != nil {
			images = appendItem(images, item)
		}
	}
	return images
}

// allowed are what the key may hold for the write to be carried out; nil among them
// says nothing. An attempt whose answer was lost may have put the item, or deleted it.
func (w *write) allowed() []accesspatterns.Item {
	switch w.change {
	case Put:
		return append(w.images(), nil)
	case Delete:
		return []accesspatterns.Item{w.before, nil}
	}
	return []accesspatterns.Item{w.before}
}

// takenApart returns a copy of a request, whose conditions can be replaced while the
// caller's request stays as it is, and what it writes.
func (g *Guard) takenApart(operation string, parameters any) (copied any, writes []*write, err error) {
	switch input := parameters.(type) {
	case *dynamodb.PutItemInput:
		own := *input
		if len(own.Expected) > 0 {
			return nil, nil, legacy(operation)
		}
		copied, writes = &own, []*write{putOf(own.TableName, own.Item, &clause{&own.ConditionExpression, &own.ExpressionAttributeNames, &own.ExpressionAttributeValues})}
	case *dynamodb.UpdateItemInput:
		own := *input
		if len(own.Expected) > 0 || len(own.AttributeUpdates) > 0 {
			return nil, nil, legacy(operation)
		}
		copied, writes = &own, []*write{updateOf(own.TableName, own.Key, own.UpdateExpression, &clause{&own.ConditionExpression, &own.ExpressionAttributeNames, &own.ExpressionAttributeValues})}
	case *dynamodb.DeleteItemInput:
		own := *input
		if len(own.Expected) > 0 {
			return nil, nil, legacy(operation)
		}
		copied, writes = &own, []*write{deleteOf(own.TableName, own.Key, &clause{&own.ConditionExpression, &own.ExpressionAttributeNames, &own.ExpressionAttributeValues})}
	case *dynamodb.TransactWriteItemsInput:
		own := *input
		own.TransactItems = slices.Clone(input.TransactItems)
		for i := range own.TransactItems {
			if w := transacted(&own.TransactItems[i]); w != nil {
				writes = append(writes, w)
			}
		}
		copied = &own
	default:
		return nil, nil, &Refusal{operation, "it is not known what it writes"}
	}
	for _, w := range writes {
		table, known := g.tables[w.table]
		if !known {
			return nil, nil, &Refusal{operation, "table " + w.table + " is not one of the design's"}
		}
		w.key = keyOf(table, w.key)
	}
	return copied, writes, nil
}

// transacted returns what one action of a transaction writes, and replaces it by a
// copy; nil for an action of no known kind, which the engine refuses.
func transacted(action *types.TransactWriteItem) *write {
	switch {
	case action.Put != nil:
		own := *action.Put
		action.Put = &own
		return putOf(own.TableName, own.Item, &clause{&own.ConditionExpression, &own.ExpressionAttributeNames, &own.ExpressionAttributeValues})
	case action.Update != nil:
		own := *action.Update
		action.Update = &own
		return updateOf(own.TableName, own.Key, own.UpdateExpression, &clause{&own.ConditionExpression, &own.ExpressionAttributeNames, &own.ExpressionAttributeValues})
	case action.Delete != nil:
		own := *action.Delete
		action.Delete = &own
		return deleteOf(own.TableName, own.Key, &clause{&own.ConditionExpression, &own.ExpressionAttributeNames, &own.ExpressionAttributeValues})
	case action.ConditionCheck != nil:
		return &write{change: check, table: plainName(aws.ToString(action.ConditionCheck.TableName)), key: action.ConditionCheck.Key, conditional: true}
	}
	return nil
}

func putOf(table *string, item accesspatterns.Item, where *clause) *write {
	return &write{change: Put, table: plainName(aws.ToString(table)), key: item, put: item, where: where, conditional: where.given()}
}

func updateOf(table *string, key accesspatterns.Item, expression *string, where *clause) *write {
	update := UpdateExpression{aws.ToString(expression), *where.names, *where.values}
	return &write{change: Update, table: plainName(aws.ToString(table)), key: key, update: update, where: where, conditional: where.given()}
}

func deleteOf(table *string, key accesspatterns.Item, where *clause) *write {
	return &write{change: Delete, table: plainName(aws.ToString(table)), key: key, where: where, conditional: where.given()}
}

func legacy(operation string) error {
	return &Refusal{operation, "its parameters from before expressions leave no room for the condition that protects items of others"}
}

// clause is where a request holds its condition expression and the placeholders.
type clause struct {
	condition **string
	names     *map[string]string
	values    *map[string]types.AttributeValue
}

// given reports whether the caller's request has a condition.
func (c clause) given() bool { return aws.ToString(*c.condition) != "" }

// require adds that the key holds one of the allowed items, nil for nothing, as far as
// a condition can say: that an item equals another in every attribute of the other.
// DynamoDB has no condition for "and no further attribute". The maps that the request
// held stay as they are: they may be the caller's.
func (c clause) require(partitionKey string, allowed []accesspatterns.Item) {
	names, values := maps.Clone(*c.names), maps.Clone(*c.values)
	if names == nil {
		names = map[string]string{}
	}
	places := map[string]string{}
	place := func(attribute string) string {
		if _, known := places[attribute]; !known {
			places[attribute] = fmt.Sprintf("#dynaproof%d", len(places))
			names[places[attribute]] = attribute
		}
		return places[attribute]
	}
	var alternatives []string
	count := 0
	for _, item := range allowed {
		if item == nil {
			if absent := "attribute_not_exists(" + place(partitionKey) + ")"; !slices.Contains(alternatives, absent) {
				alternatives = append(alternatives, absent)
			}
			continue
		}
		var equal []string
		for _, attribute := range slices.Sorted(maps.Keys(item)) {
			value := fmt.Sprintf(":dynaproof%d", count)
			count++
			if values == nil {
				values = map[string]types.AttributeValue{}
			}
			values[value] = item[attribute]
			equal = append(equal, place(attribute)+" = "+value)
		}
		alternatives = append(alternatives, strings.Join(equal, " AND "))
	}
	if len(alternatives) > 1 {
		for i, each := range alternatives {
			if strings.Contains(each, " AND ") {
				alternatives[i] = "(" + each + ")"
			}
		}
	}
	own := strings.Join(alternatives, " OR ")
	if theirs := aws.ToString(*c.condition); theirs != "" {
		own = enclosed(theirs) + " AND " + enclosed(own)
	}
	*c.condition, *c.names, *c.values = &own, names, values
}

// WithoutConditions takes the conditions that a guard added from a recorded request, and leaves those
// that the caller gave: what is left is what was asked for. Requests of other kinds stay as they are.
func WithoutConditions(input any) {
	switch own := input.(type) {
	case *dynamodb.PutItemInput:
		clause{&own.ConditionExpression, &own.ExpressionAttributeNames, &own.ExpressionAttributeValues}.release()
	case *dynamodb.UpdateItemInput:
		clause{&own.ConditionExpression, &own.ExpressionAttributeNames, &own.ExpressionAttributeValues}.release()
	case *dynamodb.DeleteItemInput:
		clause{&own.ConditionExpression, &own.ExpressionAttributeNames, &own.ExpressionAttributeValues}.release()
	case *dynamodb.TransactWriteItemsInput:
		for i := range own.TransactItems {
			switch action := &own.TransactItems[i]; {
			case action.Put != nil:
				clause{&action.Put.ConditionExpression, &action.Put.ExpressionAttributeNames, &action.Put.ExpressionAttributeValues}.release()
			case action.Update != nil:
				clause{&action.Update.ConditionExpression, &action.Update.ExpressionAttributeNames, &action.Update.ExpressionAttributeValues}.release()
			case action.Delete != nil:
				clause{&action.Delete.ConditionExpression, &action.Delete.ExpressionAttributeNames, &action.Delete.ExpressionAttributeValues}.release()
			}
		}
	}
}

// release takes back what require added.
func (c clause) release() {
	text := aws.ToString(*c.condition)
	at := strings.Index(text, "#dynaproof")
	if at < 0 {
		return
	}
	theirs := strings.TrimRight(strings.TrimSuffix(strings.TrimRight(text[:at], "("), "attribute_not_exists"), "(")
	if theirs = strings.TrimSuffix(theirs, " AND "); theirs == "" {
		*c.condition = nil
	} else {
		if bare := strings.TrimSuffix(strings.TrimPrefix(theirs, "("), ")"); enclosed(theirs) == theirs && strings.HasPrefix(theirs, "(") {
			theirs = bare
		}
		*c.condition = &theirs
	}
	*c.names = without(*c.names, "#dynaproof")
	*c.values = without(*c.values, ":dynaproof")
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

// OnlyWhile puts a condition on a deletion: that the item still is what was read.
func OnlyWhile(deletion *dynamodb.DeleteItemInput, item accesspatterns.Item) {
	where := clause{&deletion.ConditionExpression, &deletion.ExpressionAttributeNames, &deletion.ExpressionAttributeValues}
	for attribute := range deletion.Key {
		where.require(attribute, []accesspatterns.Item{item})
		break
	}
}

// IsConditionFailure reports whether a request failed because its condition did
// not hold.
func IsConditionFailure(err error) bool {
	var failed *types.ConditionalCheckFailedException
	return errors.As(err, &failed)
}

// plainName returns the name of a table that may be given as an ARN.
func plainName(given string) string {
	if _, resource, isARN := strings.Cut(given, ":table/"); isARN && strings.HasPrefix(given, "arn:") {
		return resource
	}
	return given
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
