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

// guarded returns a copy of a request with the guard's conditions, and what it
// writes. The caller's request stays as it is.
func (g *Guard) guarded(operation string, parameters any) (guarded any, writes []write, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	add := func(change Change, tableName *string, keyed, item accesspatterns.Item, where clause) error {
		w := write{change: change, table: plainName(aws.ToString(tableName)), item: item, conditional: aws.ToString(*where.condition) != ""}
		table, known := g.tables[w.table]
		if !known {
			return &Refusal{operation, "table " + w.table + " is not one of the design's"}
		}
		w.key = keyOf(table, keyed)
		if !g.planned[keyID(w.table, w.key)] {
			return &Refusal{operation, "key " + keyID(w.table, w.key) + " was not among those that were found to be free before the first write"}
		}
		allowed := g.mine[keyID(w.table, w.key)]
		if change == Put {
			allowed = appendItem(allowed, item) // an attempt whose answer was lost may have written it
		}
		where.require(table.Keys[0], allowed)
		writes = append(writes, w)
		return nil
	}
	switch input := parameters.(type) {
	case *dynamodb.PutItemInput:
		own := *input
		if len(own.Expected) > 0 {
			return nil, nil, legacy(operation)
		}
		err = add(Put, own.TableName, own.Item, own.Item, clause{&own.ConditionExpression, &own.ExpressionAttributeNames, &own.ExpressionAttributeValues})
		guarded = &own
	case *dynamodb.UpdateItemInput:
		own := *input
		if len(own.Expected) > 0 || len(own.AttributeUpdates) > 0 {
			return nil, nil, legacy(operation)
		}
		err = add(Update, own.TableName, own.Key, nil, clause{&own.ConditionExpression, &own.ExpressionAttributeNames, &own.ExpressionAttributeValues})
		guarded = &own
	case *dynamodb.DeleteItemInput:
		own := *input
		if len(own.Expected) > 0 {
			return nil, nil, legacy(operation)
		}
		err = add(Delete, own.TableName, own.Key, nil, clause{&own.ConditionExpression, &own.ExpressionAttributeNames, &own.ExpressionAttributeValues})
		guarded = &own
	case *dynamodb.TransactWriteItemsInput:
		own := *input
		own.TransactItems = slices.Clone(input.TransactItems)
		for i := range own.TransactItems {
			if err = transacted(&own.TransactItems[i], add); err != nil {
				break
			}
			if own.TransactItems[i].ConditionCheck != nil {
				writes = append(writes, write{change: check, conditional: true})
			}
		}
		guarded = &own
	default:
		err = &Refusal{operation, "it is not known what it writes"}
	}
	return guarded, writes, err
}

// transacted puts the guard's condition on one action of a transaction.
func transacted(action *types.TransactWriteItem, add func(Change, *string, accesspatterns.Item, accesspatterns.Item, clause) error) error {
	switch {
	case action.Put != nil:
		own := *action.Put
		err := add(Put, own.TableName, own.Item, own.Item, clause{&own.ConditionExpression, &own.ExpressionAttributeNames, &own.ExpressionAttributeValues})
		action.Put = &own
		return err
	case action.Update != nil:
		own := *action.Update
		err := add(Update, own.TableName, own.Key, nil, clause{&own.ConditionExpression, &own.ExpressionAttributeNames, &own.ExpressionAttributeValues})
		action.Update = &own
		return err
	case action.Delete != nil:
		own := *action.Delete
		err := add(Delete, own.TableName, own.Key, nil, clause{&own.ConditionExpression, &own.ExpressionAttributeNames, &own.ExpressionAttributeValues})
		action.Delete = &own
		return err
	}
	return nil
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

// require adds that the item does not exist or equals one of the allowed ones in
// every attribute. The maps that the request held stay as they are: they may be
// the caller's.
func (c clause) require(partitionKey string, allowed []accesspatterns.Item) {
	names, values := maps.Clone(*c.names), maps.Clone(*c.values)
	if names == nil {
		names = map[string]string{}
	}
	if values == nil && len(allowed) > 0 {
		values = map[string]types.AttributeValue{}
	}
	places := map[string]string{}
	place := func(attribute string) string {
		if _, known := places[attribute]; !known {
			places[attribute] = fmt.Sprintf("#dynaproof%d", len(places))
			names[places[attribute]] = attribute
		}
		return places[attribute]
	}
	alternatives := []string{"attribute_not_exists(" + place(partitionKey) + ")"}
	count := 0
	for _, item := range allowed {
		var equal []string
		for _, attribute := range slices.Sorted(maps.Keys(item)) {
			value := fmt.Sprintf(":dynaproof%d", count)
			count++
			values[value] = item[attribute]
			equal = append(equal, place(attribute)+" = "+value)
		}
		alternatives = append(alternatives, "("+strings.Join(equal, " AND ")+")")
	}
	own := strings.Join(alternatives, " OR ")
	if theirs := aws.ToString(*c.condition); theirs != "" {
		own = enclosed(theirs) + " AND " + enclosed(own)
	}
	*c.condition, *c.names, *c.values = &own, names, values
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
