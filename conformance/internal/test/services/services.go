// Package services holds, for each document, a small client that does what the product behind the document needs, written from the document alone: its author has seen neither contract nor fixtures.
//
// The steps of a service build on one another: they are to be sent in order, against empty tables, on an engine whose indexes have caught up
// when a write returns. A Send that is refused leaves the client as it was.
package services

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Caller is who sends a request: a role in the document's own words, and the id of the user that it acts for ("" where it acts for nobody).
type Caller struct{ Role, User string }

// Step is one thing that somebody does. Send must never be refused when As sends it.
// Every request that Send makes must be refused when one of Not sends it.
type Step struct {
	What string // in plain words
	Cite string // line or lines of the document: "24-26, 61"
	As   Caller
	Not  []Caller // the wrong role, or the right role for somebody else's data; empty where the document lets everybody
	Send func(ctx context.Context, c *dynamodb.Client, t Tables) error
}

// Tables gives the deployed name of a documented table name.
type Tables func(documented string) string

// Service is the client of one document.
type Service struct {
	Design string
	Days   []Step
}

// Item is an item, a key, or the values of an expression.
type Item = map[string]types.AttributeValue

// S is a String.
func S(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }

// N is a Number.
func N[T int | int64 | float64 | string](v T) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: fmt.Sprint(v)}
}

// BOOL is a Boolean.
func BOOL(v bool) types.AttributeValue { return &types.AttributeValueMemberBOOL{Value: v} }

// M is a Map.
func M(v Item) types.AttributeValue { return &types.AttributeValueMemberM{Value: v} }

// L is a List.
func L(v ...types.AttributeValue) types.AttributeValue {
	if v == nil {
		v = []types.AttributeValue{}
	}
	return &types.AttributeValueMemberL{Value: v}
}

// SS is a String Set.
func SS(v ...string) types.AttributeValue { return &types.AttributeValueMemberSS{Value: v} }

// texts is a List of Strings.
func texts(v []string) types.AttributeValue {
	list := make([]types.AttributeValue, len(v))
	for i, one := range v {
		list[i] = S(one)
	}
	return L(list...)
}

// text is the String in an attribute, or "".
func text(i Item, attribute string) string {
	if v, ok := i[attribute].(*types.AttributeValueMemberS); ok {
		return v.Value
	}
	return ""
}

// number is the Number in an attribute as it was written, or "".
func number(i Item, attribute string) string {
	if v, ok := i[attribute].(*types.AttributeValueMemberN); ok {
		return v.Value
	}
	return ""
}

// under is the map in an attribute, or nil.
func under(i Item, attribute string) Item {
	if v, ok := i[attribute].(*types.AttributeValueMemberM); ok {
		return v.Value
	}
	return nil
}

// length is the length of the list in an attribute, or -1 where there is no list.
func length(i Item, attribute string) int {
	if v, ok := i[attribute].(*types.AttributeValueMemberL); ok {
		return len(v.Value)
	}
	return -1
}

// primary is a primary key of PK and SK.
func primary(pk, sk string) Item { return Item{"PK": S(pk), "SK": S(sk)} }

// keyOf is the primary key of an item.
func keyOf(i Item) Item { return Item{"PK": i["PK"], "SK": i["SK"]} }

// names gives every attribute of some document paths its placeholder: #attribute.
func names(paths ...string) map[string]string {
	all := map[string]string{}
	for _, path := range paths {
		for _, attribute := range strings.Split(path, ".") {
			all["#"+attribute] = attribute
		}
	}
	return all
}

// path writes a document path with placeholders: sections.shared becomes #sections.#shared.
func path(p string) string { return "#" + strings.ReplaceAll(p, ".", ".#") }

// projection is the projection expression of some document paths, nil for none.
func projection(paths []string) *string {
	if len(paths) == 0 {
		return nil
	}
	written := make([]string, len(paths))
	for i, p := range paths {
		written[i] = path(p)
	}
	return aws.String(strings.Join(written, ", "))
}

// getInput is a GetItem of one primary key, with a projection of some paths or of everything.
func getInput(table, pk, sk string, paths ...string) *dynamodb.GetItemInput {
	in := &dynamodb.GetItemInput{TableName: aws.String(table), Key: primary(pk, sk), ProjectionExpression: projection(paths)}
	if len(paths) > 0 {
		in.ExpressionAttributeNames = names(paths...)
	}
	return in
}

// prefixInput is a Query of the items of one partition whose sort key begins with a prefix.
func prefixInput(table, pk, prefix string, paths ...string) *dynamodb.QueryInput {
	return &dynamodb.QueryInput{
		TableName:                 aws.String(table),
		KeyConditionExpression:    aws.String("#PK = :PK AND begins_with(#SK, :SK)"),
		ProjectionExpression:      projection(paths),
		ExpressionAttributeNames:  names(append([]string{"PK", "SK"}, paths...)...),
		ExpressionAttributeValues: Item{":PK": S(pk), ":SK": S(prefix)},
	}
}

// partitionInput is a Query of one partition of an index, or of the table where index is "".
func partitionInput(table, index, attribute string, value types.AttributeValue, paths ...string) *dynamodb.QueryInput {
	in := &dynamodb.QueryInput{
		TableName:                 aws.String(table),
		KeyConditionExpression:    aws.String("#" + attribute + " = :partition"),
		ProjectionExpression:      projection(paths),
		ExpressionAttributeNames:  names(append([]string{attribute}, paths...)...),
		ExpressionAttributeValues: Item{":partition": value},
	}
	if index != "" {
		in.IndexName = aws.String(index)
	}
	return in
}

// backwards turns a Query round: the last sort key first.
func backwards(in *dynamodb.QueryInput) *dynamodb.QueryInput {
	in.ScanIndexForward = aws.Bool(false)
	return in
}

// paged gives a Query a page size, and says the direction that it would have anyway.
func paged(in *dynamodb.QueryInput, size int32) *dynamodb.QueryInput {
	in.Limit = aws.Int32(size)
	if in.ScanIndexForward == nil {
		in.ScanIndexForward = aws.Bool(true)
	}
	return in
}

// current makes a Query of a table see every write that came before it.
func current(in *dynamodb.QueryInput) *dynamodb.QueryInput {
	in.ConsistentRead = aws.Bool(true)
	return in
}

// mostPages bounds every list: more pages than that is an error.
const mostPages = 200

// query reads a list to its end, and counts its pages.
func query(ctx context.Context, c *dynamodb.Client, in *dynamodb.QueryInput) (items []Item, pages int, err error) {
	for pages = 1; pages <= mostPages; pages++ {
		out, err := c.Query(ctx, in)
		if err != nil {
			return nil, pages, err
		}
		items = append(items, out.Items...)
		if len(out.LastEvaluatedKey) == 0 {
			return items, pages, nil
		}
		next := *in
		next.ExclusiveStartKey = out.LastEvaluatedKey
		in = &next
	}
	return nil, pages, fmt.Errorf("a list of more than %d pages", mostPages)
}

// expect reads a list and wants exactly these Strings in an attribute of its items, in this order.
func expect(ctx context.Context, c *dynamodb.Client, in *dynamodb.QueryInput, attribute string, want ...string) error {
	items, pages, err := query(ctx, c, in)
	if err != nil {
		return err
	}
	got := make([]string, len(items))
	for i, item := range items {
		got[i] = text(item, attribute)
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("%s of the list: expected %q, found %q", attribute, want, got)
	}
	if in.Limit != nil && len(want) > int(*in.Limit) && pages < 2 {
		return fmt.Errorf("a list of %d items by %d: expected several pages, found one", len(want), *in.Limit)
	}
	return nil
}

// reversed is a list the other way round.
func reversed(v ...string) []string {
	other := slices.Clone(v)
	slices.Reverse(other)
	return other
}

// edit is an update of one item: SET and REMOVE, with or without a condition.
type edit struct {
	key        Item
	expression string
	condition  *string
	names      map[string]string
	values     Item
}

// change sets attributes (document paths) of an item and removes others.
func change(key, set Item, remove ...string) edit {
	e := edit{key: key, names: names(remove...), values: Item{}}
	var parts []string
	for _, p := range slices.Sorted(maps.Keys(set)) {
		value := ":" + strings.ReplaceAll(p, ".", "_")
		parts = append(parts, path(p)+" = "+value)
		maps.Copy(e.names, names(p))
		e.values[value] = set[p]
	}
	e.expression = "SET " + strings.Join(parts, ", ")
	for i, p := range remove {
		if i == 0 {
			e.expression += " REMOVE " + path(p)
		} else {
			e.expression += ", " + path(p)
		}
	}
	return e
}

// first sets attributes that keep the value they have: createdAt of an item that may be new or old.
func (e edit) first(set Item) edit {
	e.names, e.values = maps.Clone(e.names), maps.Clone(e.values)
	more := ""
	for _, p := range slices.Sorted(maps.Keys(set)) {
		more += path(p) + " = if_not_exists(" + path(p) + ", :" + p + "), "
		maps.Copy(e.names, names(p))
		e.values[":"+p] = set[p]
	}
	e.expression = "SET " + more + strings.TrimPrefix(e.expression, "SET ")
	return e
}

// when gives the update a condition on attributes with values.
func (e edit) when(condition string, values Item, attributes ...string) edit {
	e.names, e.values = maps.Clone(e.names), maps.Clone(e.values)
	e.condition = aws.String(condition)
	maps.Copy(e.names, names(attributes...))
	maps.Copy(e.values, values)
	return e
}

func (e edit) input(table string) *dynamodb.UpdateItemInput {
	return &dynamodb.UpdateItemInput{TableName: aws.String(table), Key: e.key, UpdateExpression: aws.String(e.expression),
		ConditionExpression: e.condition, ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values}
}

func (e edit) write(table string) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{TableName: aws.String(table), Key: e.key, UpdateExpression: aws.String(e.expression),
		ConditionExpression: e.condition, ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values}}
}

// putWrite is a Put of a transaction.
func putWrite(table string, item Item) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{TableName: aws.String(table), Item: item}}
}

// newWrite is a Put of a transaction for an item that must not be there yet; key is the partition key's name.
func newWrite(table, key string, item Item) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{TableName: aws.String(table), Item: item,
		ConditionExpression: aws.String("attribute_not_exists(#" + key + ")"), ExpressionAttributeNames: names(key)}}
}

// deleteWrite is a Delete of a transaction.
func deleteWrite(table string, key Item) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{TableName: aws.String(table), Key: key}}
}

// there is a condition check of a transaction: the item exists.
func there(table string, key Item) types.TransactWriteItem {
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: aws.String(table), Key: key,
		ConditionExpression: aws.String("attribute_exists(#PK)"), ExpressionAttributeNames: names("PK")}}
}

// transact sends one transaction.
func transact(ctx context.Context, c *dynamodb.Client, writes ...types.TransactWriteItem) error {
	_, err := c.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes})
	return err
}

// get reads one item, nil where there is none.
func get(ctx context.Context, c *dynamodb.Client, in *dynamodb.GetItemInput) (Item, error) {
	out, err := c.GetItem(ctx, in)
	if err != nil {
		return nil, err
	}
	if len(out.Item) == 0 {
		return nil, nil
	}
	return out.Item, nil
}

// found reads one item that must be there.
func found(ctx context.Context, c *dynamodb.Client, in *dynamodb.GetItemInput) (Item, error) {
	item, err := get(ctx, c, in)
	if err == nil && item == nil {
		err = fmt.Errorf("no item %s / %s", text(in.Key, "PK"), text(in.Key, "SK"))
	}
	return item, err
}

// gone reads one item that must not be there.
func gone(ctx context.Context, c *dynamodb.Client, in *dynamodb.GetItemInput) error {
	item, err := get(ctx, c, in)
	if err == nil && item != nil {
		err = fmt.Errorf("item %s / %s is there", text(in.Key, "PK"), text(in.Key, "SK"))
	}
	return err
}

// conditionFailed wants that an error is a failed condition of a single write.
func conditionFailed(err error) error {
	var failed *types.ConditionalCheckFailedException
	if errors.As(err, &failed) {
		return nil
	}
	if err == nil {
		return errors.New("expected a failed condition, found a write that went through")
	}
	return err
}

// cancelled wants that an error is a transaction cancelled by a failed condition of its write number n.
func cancelled(err error, n int) error {
	var stopped *types.TransactionCanceledException
	if !errors.As(err, &stopped) {
		if err == nil {
			return errors.New("expected a cancelled transaction, found one that went through")
		}
		return err
	}
	if n >= len(stopped.CancellationReasons) || aws.ToString(stopped.CancellationReasons[n].Code) != "ConditionalCheckFailed" {
		return fmt.Errorf("expected that condition %d failed: %w", n, err)
	}
	return nil
}

// batch writes requests to one table in chunks of 25, and what the table did not take again, a few times.
func batch(ctx context.Context, c *dynamodb.Client, table string, requests []types.WriteRequest) error {
	for chunk := range slices.Chunk(requests, 25) {
		left := map[string][]types.WriteRequest{table: chunk}
		for try := 0; len(left) > 0; try++ {
			if try == 10 {
				return fmt.Errorf("%d items were not taken", len(left[table]))
			}
			out, err := c.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: left})
			if err != nil {
				return err
			}
			left = out.UnprocessedItems
		}
	}
	return nil
}
