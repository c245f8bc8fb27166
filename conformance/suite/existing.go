package suite

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

	"dynaproof/accesspatterns"
	"dynaproof/conformance/internal/resend"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/fixtures"
)

// TakenError says that an existing stack holds items under keys of the run.
// Nothing was written.
type TakenError struct {
	// Keys are the taken keys, each behind its table's name.
	Keys []string
}

func (e *TakenError) Error() string {
	const shown = 5
	listed := e.Keys
	more := ""
	if len(listed) > shown {
		listed, more = listed[:shown], fmt.Sprintf(" and %d more", len(e.Keys)-shown)
	}
	return fmt.Sprintf("existing stack: expected the run's keys to be free, found items under %s%s; nothing was written: remove them if an earlier run left them (`dynaproof cleanup`), or verify on an ephemeral stack",
		strings.Join(listed, ", "), more)
}

// shielded returns the guard of a session on an existing stack.
func (s *Session) shielded(journal safewrite.Journal) *safewrite.Guard {
	var tables []safewrite.Table
	for i := range s.Design.Tables {
		table := &s.Design.Tables[i]
		name, err := s.TableName(table.ID)
		if err != nil {
			continue // no request can name it
		}
		shielded := safewrite.Table{Name: name, Indexes: map[string]string{}}
		for _, key := range table.Keys() {
			shielded.Keys = append(shielded.Keys, key.Attribute)
		}
		for j := range table.Indexes {
			shielded.Indexes[table.Indexes[j].Name] = table.Indexes[j].PartitionKey.Attribute
		}
		tables = append(tables, shielded)
	}
	return safewrite.New(safewrite.Options{Tables: tables, Journal: journal, Read: func(ctx context.Context, table string, key accesspatterns.Item) (accesspatterns.Item, error) {
		answer, err := s.Client.GetItem(withClaim(ctx, protecting), &dynamodb.GetItemInput{TableName: aws.String(table), Key: key, ConsistentRead: aws.Bool(true)})
		if err != nil {
			return nil, err
		}
		return answer.Item, nil
	}})
}

// planned is an item that the run may write, with its table.
type planned struct {
	table *accesspatterns.Table
	item  accesspatterns.Item
}

// plan lists everything that the run may write: the fixtures, what flows make of
// them, generated items, and the keys that trials write to.
func (s *Session) plan() ([]planned, error) {
	var all []planned
	for i := range s.Fixtures.Items {
		item := &s.Fixtures.Items[i]
		table, err := s.tableOf(item)
		if err != nil {
			return nil, err
		}
		all = append(all, planned{table, accesspatterns.Item(item.Item)})
	}
	for _, trial := range s.Fixtures.Trials {
		if trial.Bulk != nil {
			table, known := s.Design.Table(trial.Bulk.Table)
			if !known {
				return nil, fmt.Errorf("no table %s in the contract", trial.Bulk.Table)
			}
			for n := 1; n <= trial.Bulk.Count; n++ {
				all = append(all, planned{table, fixtures.Numbered(accesspatterns.Item(trial.Bulk.Item), n)})
			}
		}
		for i := range trial.Requests {
			input, err := trial.Requests[i].Decode(s.TableName, s.fixtureItem)
			if err != nil {
				continue // the claim that sends it reports it
			}
			s.written(input, func(table *accesspatterns.Table, item accesspatterns.Item) {
				all = append(all, planned{table, item})
			})
		}
	}
	return all, nil
}

// survey looks, before the first write, whether any key of the run is taken, and
// which of the partitions that the run reads hold items of others.
func (s *Session) survey(ctx context.Context) error {
	all, err := s.plan()
	if err != nil {
		return err
	}
	keys := map[string]map[string]accesspatterns.Item{} // by deployed table and text
	partitions := map[string]partition{}
	for _, each := range all {
		name, err := s.TableName(each.table.ID)
		if err != nil {
			continue // the claims about the table report it
		}
		key := s.keyOf(each.table, each.item)
		if !typed(each.table.Keys(), key) {
			continue // only a trial of a refusal has such a key; the guard does not let it through
		}
		if keys[name] == nil {
			keys[name] = map[string]accesspatterns.Item{}
		}
		keys[name][accesspatterns.ShowItem(key)] = key
		for _, at := range partitionsOf(name, each) {
			partitions[at.id()] = at
		}
	}
	var taken []string
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		found, err := s.lookUp(ctx, name, keys[name])
		if err != nil {
			return err
		}
		taken = append(taken, found...)
	}
	if len(taken) > 0 {
		return &TakenError{taken}
	}
	for _, id := range slices.Sorted(maps.Keys(partitions)) {
		at := partitions[id]
		answer, err := s.Client.Query(ctx, at.query())
		if err != nil {
			if classify(err) == refused {
				continue // the table or the index is not as documented; the claims about it report that
			}
			return fmt.Errorf("looking at partition %s before the first write: %w", id, err)
		}
		s.guard.Partition(at.table, at.index, at.value, answer.ScannedCount > 0)
	}
	s.guard.Begin()
	return nil
}

// typed reports whether a key has a value of the documented type for each
// attribute, and none is empty: an engine refuses any other.
func typed(keys []accesspatterns.Key, key accesspatterns.Item) bool {
	for _, attribute := range keys {
		value := key[attribute.Attribute]
		if text, ok := value.(*types.AttributeValueMemberS); accesspatterns.TypeOf(value) != attribute.Type || ok && text.Value == "" {
			return false
		}
	}
	return true
}

// partition is one partition of a table or of an index.
type partition struct {
	table, index, attribute string
	value                   types.AttributeValue
}

func (p partition) id() string {
	return strings.TrimSpace(p.table+" "+p.index) + " " + accesspatterns.Show(p.value)
}

func (p partition) query() *dynamodb.QueryInput {
	input := &dynamodb.QueryInput{
		TableName: aws.String(p.table), Limit: aws.Int32(1), Select: types.SelectCount,
		KeyConditionExpression:    aws.String("#partition = :partition"),
		ExpressionAttributeNames:  map[string]string{"#partition": p.attribute},
		ExpressionAttributeValues: map[string]types.AttributeValue{":partition": p.value},
	}
	if p.index != "" {
		input.IndexName = aws.String(p.index)
	}
	return input
}

// partitionsOf returns the partitions in which an item stands.
func partitionsOf(name string, each planned) []partition {
	found := []partition{{name, "", each.table.PartitionKey.Attribute, each.item[each.table.PartitionKey.Attribute]}}
	for i := range each.table.Indexes {
		index := &each.table.Indexes[i]
		if value, present := each.item[index.PartitionKey.Attribute]; present && typed([]accesspatterns.Key{index.PartitionKey}, accesspatterns.Item{index.PartitionKey.Attribute: value}) {
			found = append(found, partition{name, index.Name, index.PartitionKey.Attribute, value})
		}
	}
	return found
}

// lookUp returns the keys under which a table holds items, and tells the guard of
// the free ones.
func (s *Session) lookUp(ctx context.Context, name string, keys map[string]accesspatterns.Item) (taken []string, err error) {
	for chunk := range slices.Chunk(slices.Sorted(maps.Keys(keys)), resend.GetSize) {
		open := types.KeysAndAttributes{ConsistentRead: aws.Bool(true)}
		for _, id := range chunk {
			open.Keys = append(open.Keys, keys[id])
		}
		found, err := s.sender().Get(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{name: open}})
		var notFound *types.ResourceNotFoundException
		missing := errors.As(err, &notFound)
		if missing { // no such table: the engine refuses every write to it, and its claims report it
			open.Keys = slices.Collect(maps.Values(keys))
		} else if err != nil {
			return nil, fmt.Errorf("looking for the run's keys in %s before the first write: %w", name, err)
		}
		for _, item := range found[name] {
			key := accesspatterns.Item{}
			for attribute := range open.Keys[0] {
				key[attribute] = item[attribute]
			}
			taken = append(taken, name+" "+accesspatterns.ShowItem(key))
		}
		for _, key := range open.Keys {
			s.guard.Free(name, key) // nothing is written when one is taken
		}
		if missing {
			break
		}
	}
	return taken, nil
}

// oneByOne writes the requests of a batch as single writes, which take the
// guard's condition.
func (s *Session) oneByOne(ctx context.Context, tableName string, requests []types.WriteRequest) error {
	for _, request := range requests {
		var err error
		if request.PutRequest != nil {
			_, err = s.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(tableName), Item: request.PutRequest.Item})
		} else {
			_, err = s.Client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String(tableName), Key: request.DeleteRequest.Key})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// withoutStack is the declaration by which what only the outputs of a stack tell is
// unsupported: a run on an existing stack knows the documented tables alone.
func (s *Session) withoutStack() string {
	if s.guard != nil {
		return declaredExisting
	}
	return ""
}
