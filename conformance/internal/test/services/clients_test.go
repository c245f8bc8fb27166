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

// primary is a primary key of PK and SK.
func primary(pk, sk string) Item { return plainValues(plainAny{"PK": pk, "SK": sk}) }

// keyOf is the primary key of an item.
func keyOf(i Item) Item { return Item{"PK": i["PK"], "SK": i["SK"]} }

// with is an item: a key, and more attributes.
func with(key Item, more plainAny) Item {
	item := plainValues(more)
	maps.Copy(item, key)
	return item
}

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

// product is the client of one document at work, on one of its tables.
type product struct {
	ctx   context.Context
	c     *dynamodb.Client
	table string
}

// on is the client on another table.
func (p product) on(table string) product {
	p.table = table
	return p
}

// at is a GetItem of one primary key, with a projection of some paths or of everything.
func (p product) at(pk, sk string, paths ...string) *dynamodb.GetItemInput {
	in := &dynamodb.GetItemInput{TableName: new(p.table), Key: primary(pk, sk), ProjectionExpression: projection(paths)}
	if len(paths) > 0 {
		in.ExpressionAttributeNames = names(paths...)
	}
	return in
}

// prefix is a Query of the items of one partition whose sort key begins with a prefix.
func (p product) prefix(pk, prefix string, paths ...string) *dynamodb.QueryInput {
	return &dynamodb.QueryInput{
		TableName:                 new(p.table),
		KeyConditionExpression:    new("#PK = :PK AND begins_with(#SK, :SK)"),
		ProjectionExpression:      projection(paths),
		ExpressionAttributeNames:  names(append([]string{"PK", "SK"}, paths...)...),
		ExpressionAttributeValues: plainValues(plainAny{":PK": pk, ":SK": prefix}),
	}
}

// partition is a Query of one partition of an index, or of the table where index is "".
func (p product) partition(index, attribute string, value any, paths ...string) *dynamodb.QueryInput {
	in := &dynamodb.QueryInput{
		TableName:                 new(p.table),
		KeyConditionExpression:    new("#" + attribute + " = :partition"),
		ProjectionExpression:      projection(paths),
		ExpressionAttributeNames:  names(append([]string{attribute}, paths...)...),
		ExpressionAttributeValues: plainValues(plainAny{":partition": value}),
	}
	if index != "" {
		in.IndexName = new(index)
	}
	return in
}

// fresh makes a GetItem see every write that came before it.
func fresh(in *dynamodb.GetItemInput) *dynamodb.GetItemInput {
	in.ConsistentRead = new(true)
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

// pages reads a list to its end, and counts its pages.
func (p product) pages(in *dynamodb.QueryInput) (items []Item, pages int, err error) {
	for pages = 1; pages <= mostPages; pages++ {
		out, err := p.c.Query(p.ctx, in)
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

// list reads a list to its end.
func (p product) list(in *dynamodb.QueryInput) ([]Item, error) {
	items, _, err := p.pages(in)
	return items, err
}

// several reads a list that must have so many items.
func (p product) several(in *dynamodb.QueryInput, want int) ([]Item, error) {
	items, err := p.list(in)
	if err == nil && len(items) != want {
		return nil, fmt.Errorf("a list of %v: expected %d items, found %d", plainText(&types.AttributeValueMemberM{Value: in.ExpressionAttributeValues}), want, len(items))
	}
	return items, err
}

// counts reads a list and wants so many items.
func (p product) counts(in *dynamodb.QueryInput, want int) error {
	_, err := p.several(in, want)
	return err
}

// expect reads a list and wants exactly these Strings in an attribute of its items, in this order.
func (p product) expect(in *dynamodb.QueryInput, attribute string, want ...string) error {
	items, pages, err := p.pages(in)
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

// bothWays expects a list by pages of a size, and then from its end.
func (p product) bothWays(in *dynamodb.QueryInput, size int32, attribute string, want ...string) error {
	back := *in
	return errors.Join(p.expect(paged(in, size), attribute, want...), p.expect(backwards(&back), attribute, reversed(want...)...))
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
func change(key Item, set plainAny, remove ...string) edit {
	e := edit{key: key, names: names(remove...), values: Item{}}
	var parts []string
	for _, p := range slices.Sorted(maps.Keys(set)) {
		value := ":" + strings.ReplaceAll(p, ".", "_")
		parts = append(parts, path(p)+" = "+value)
		maps.Copy(e.names, names(p))
		e.values[value] = plainValue(set[p])
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
func (e edit) first(set plainAny) edit {
	e.names, e.values = maps.Clone(e.names), maps.Clone(e.values)
	more := ""
	for _, p := range slices.Sorted(maps.Keys(set)) {
		more += path(p) + " = if_not_exists(" + path(p) + ", :" + p + "), "
		maps.Copy(e.names, names(p))
		e.values[":"+p] = plainValue(set[p])
	}
	e.expression = "SET " + more + strings.TrimPrefix(e.expression, "SET ")
	return e
}

// when gives the update a condition on attributes with values.
func (e edit) when(condition string, values plainAny, attributes ...string) edit {
	e.names, e.values = maps.Clone(e.names), maps.Clone(e.values)
	e.condition = aws.String(condition)
	maps.Copy(e.names, names(attributes...))
	maps.Copy(e.values, plainValues(values))
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
func (p product) putWrite(item Item) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{TableName: new(p.table), Item: item}}
}

// putWrites are the Puts of a transaction for some items.
func (p product) putWrites(items ...Item) (writes []types.TransactWriteItem) {
	for _, item := range items {
		writes = append(writes, p.putWrite(item))
	}
	return writes
}

// newWrite is a Put of a transaction for an item that must not be there yet; key is the partition key's name.
func (p product) newWrite(key string, item Item) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{TableName: new(p.table), Item: item,
		ConditionExpression: new("attribute_not_exists(#" + key + ")"), ExpressionAttributeNames: names(key)}}
}

// deleteWrite is a Delete of a transaction.
func (p product) deleteWrite(key Item) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{TableName: new(p.table), Key: key}}
}

// deleteIf is a Delete of a transaction under a condition on attributes.
func (p product) deleteIf(key Item, condition string, values plainAny, attributes ...string) types.TransactWriteItem {
	write := p.deleteWrite(key)
	write.Delete.ConditionExpression, write.Delete.ExpressionAttributeNames = &condition, names(attributes...)
	if len(values) > 0 {
		write.Delete.ExpressionAttributeValues = plainValues(values)
	}
	return write
}

// deleteWrites are the Deletes of a transaction for items that were read.
func (p product) deleteWrites(items ...Item) (writes []types.TransactWriteItem) {
	for _, item := range items {
		writes = append(writes, p.deleteWrite(keyOf(item)))
	}
	return writes
}

// there is a condition check of a transaction: the item exists.
func (p product) there(key Item) types.TransactWriteItem {
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: new(p.table), Key: key,
		ConditionExpression: new("attribute_exists(#PK)"), ExpressionAttributeNames: names("PK")}}
}

// transact sends one transaction.
func (p product) transact(writes ...types.TransactWriteItem) error {
	_, err := p.c.TransactWriteItems(p.ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes})
	return err
}

// each does something with one after the other, and stops at the first error.
func each[T any](all []T, do func(T) error) error {
	for _, one := range all {
		if err := do(one); err != nil {
			return err
		}
	}
	return nil
}

// put stores items one by one.
func (p product) put(items ...Item) error {
	return each(items, func(item Item) error {
		_, err := p.c.PutItem(p.ctx, &dynamodb.PutItemInput{TableName: new(p.table), Item: item})
		return err
	})
}

// putNew stores an item unless one is there; key is the partition key's name.
func (p product) putNew(key string, item Item) error {
	put := p.newWrite(key, item).Put
	_, err := p.c.PutItem(p.ctx, &dynamodb.PutItemInput{TableName: put.TableName, Item: put.Item,
		ConditionExpression: put.ConditionExpression, ExpressionAttributeNames: put.ExpressionAttributeNames})
	return err
}

// update changes items one by one.
func (p product) update(edits ...edit) error {
	return each(edits, func(e edit) error {
		_, err := p.c.UpdateItem(p.ctx, e.input(p.table))
		return err
	})
}

// remove deletes items one by one, and is content where there is none.
func (p product) remove(keys ...Item) error {
	return each(keys, func(key Item) error {
		_, err := p.c.DeleteItem(p.ctx, &dynamodb.DeleteItemInput{TableName: new(p.table), Key: key})
		return err
	})
}

// get reads one item, nil where there is none.
func (p product) get(in *dynamodb.GetItemInput) (Item, error) {
	out, err := p.c.GetItem(p.ctx, in)
	if err != nil || len(out.Item) == 0 {
		return nil, err
	}
	return out.Item, nil
}

// found reads one item that must be there.
func (p product) found(in *dynamodb.GetItemInput) (Item, error) {
	item, err := p.get(in)
	if err == nil && item == nil {
		err = fmt.Errorf("no item %s / %s", text(in.Key, "PK"), text(in.Key, "SK"))
	}
	return item, err
}

// gone reads one item that must not be there.
func (p product) gone(in *dynamodb.GetItemInput) error {
	item, err := p.get(in)
	if err == nil && item != nil {
		err = fmt.Errorf("item %s / %s is there", text(in.Key, "PK"), text(in.Key, "SK"))
	}
	return err
}

// holds reads one item that must be there with these attributes.
func (p product) holds(in *dynamodb.GetItemInput, want plainAny) error {
	item, err := p.found(in)
	if err != nil {
		return err
	}
	if wrong := plainHas(item, want); wrong != "" {
		return fmt.Errorf("item %s / %s: %s", text(in.Key, "PK"), text(in.Key, "SK"), wrong)
	}
	return nil
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

// batch writes requests to the table in chunks of 25, and what the table did not take again, a few times.
func (p product) batch(requests []types.WriteRequest) error {
	for chunk := range slices.Chunk(requests, 25) {
		left := map[string][]types.WriteRequest{p.table: chunk}
		for try := 0; len(left) > 0; try++ {
			if try == 10 {
				return fmt.Errorf("%d items were not taken", len(left[p.table]))
			}
			out, err := p.c.BatchWriteItem(p.ctx, &dynamodb.BatchWriteItemInput{RequestItems: left})
			if err != nil {
				return err
			}
			left = out.UnprocessedItems
		}
	}
	return nil
}
