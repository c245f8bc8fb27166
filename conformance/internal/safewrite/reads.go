package safewrite

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/sdk"
)

// read sends a read, and refuses it where the answer holds, or may hold, items of
// others.
func (p *Protection) read(ctx context.Context, operation string, in middleware.SerializeInput, next middleware.SerializeHandler) (out middleware.SerializeOutput, metadata middleware.Metadata, err error) {
	if !p.writing() {
		return next.HandleSerialize(ctx, in) // the caller is looking
	}
	at, reason := p.unaskable(in.Parameters)
	if reason != "" {
		return out, metadata, &Refusal{operation, reason}
	}
	out, metadata, err = next.HandleSerialize(ctx, in)
	if err != nil {
		return out, metadata, err
	}
	if answer, ok := out.Result.(*dynamodb.QueryOutput); ok {
		others, err := p.meets(ctx, at, answer)
		switch {
		case err != nil:
			return out, metadata, fmt.Errorf("looking at partition %s again: %w", at.id, err)
		case others && at.looked:
			return out, metadata, &Refusal{operation, "partition " + at.id + " holds an item that somebody else wrote during the run"}
		case others:
			return out, metadata, &Refusal{operation, "partition " + at.id + " was not looked at before the first write, and holds items"}
		}
		return out, metadata, nil
	}
	for _, found := range itemsFound(in.Parameters, out.Result) {
		foreign, err := p.foreign(ctx, found)
		if err != nil {
			return out, metadata, fmt.Errorf("reading %s again: %w", keyID(found.table, found.key), err)
		}
		if foreign {
			return out, metadata, &Refusal{operation, "item " + keyID(found.table, found.key) + " is another's"}
		}
	}
	return out, metadata, nil
}

// unaskable says why a read is not sent; empty where it is. at is what a query reads.
func (p *Protection) unaskable(parameters any) (at partition, reason string) {
	if query, is := parameters.(*dynamodb.QueryInput); is {
		at = p.partitionOf(query)
		return at, p.unreadable(at)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, asked := range keysAsked(parameters) {
		if reason := p.withheld[keyID(asked.table, asked.key)]; reason != "" {
			return at, reason
		}
	}
	return at, ""
}

// found is an item of an answer; key is empty where the answer does not tell it.
type found struct {
	table     string
	key, item accesspatterns.Item
}

// meets reports whether the answer to a query rests on items of others.
func (p *Protection) meets(ctx context.Context, at partition, answer *dynamodb.QueryOutput) (bool, error) {
	table := p.tables[at.table]
	plain := int(answer.ScannedCount) == len(answer.Items)
	for _, item := range answer.Items {
		key := keyOf(table, item)
		if len(key) < len(table.Keys) {
			plain = false // a projection left the key out
			continue
		}
		if foreign, err := p.foreign(ctx, found{table.Name, key, item}); foreign || err != nil {
			return foreign, err
		}
	}
	if plain || at.value == nil {
		return false, nil
	}
	// Items were looked at that the answer does not show whole.
	others, err := p.options.Look(own(ctx), at.table, at.index, at.value, func(key accesspatterns.Item) bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.planned[keyID(at.table, keyOf(table, key))]
	})
	if others {
		p.Partition(at.table, at.index, at.value, true)
	}
	return others, err
}

// foreign reports whether an item of an answer is another's: its key is none of the run's,
// or it holds what the run did not write there. An answer may be older than the last
// write, or hold a part of the item; then the key is read.
func (p *Protection) foreign(ctx context.Context, answered found) (bool, error) {
	id := keyID(answered.table, answered.key)
	p.mu.Lock()
	planned, known := p.planned[id], p.part(id, answered.item)
	p.mu.Unlock()
	if !planned || known {
		return !planned, nil
	}
	now, err := p.held(ctx, answered.table, answered.key)
	return err == nil && now != nil && !p.isOurs(id, now), err
}

// part reports whether every attribute of an answer is one of an item that the key has
// held of this run's.
func (p *Protection) part(id string, answered accesspatterns.Item) bool {
	return slices.ContainsFunc(p.ever[id], func(ours accesspatterns.Item) bool { return dynamo.PartOf(answered, ours) })
}

// partition is what a query reads. value is nil where the request names none, and the
// engine refuses it.
type partition struct {
	id, table, index string
	value            types.AttributeValue
	// looked says that it was looked at before the first write.
	looked bool
}

// partitionOf returns the partition that a query reads.
func (p *Protection) partitionOf(query *dynamodb.QueryInput) partition {
	name, index := dynamo.TableName(aws.ToString(query.TableName)), aws.ToString(query.IndexName)
	at := partition{id: "of " + name, table: name, index: index}
	table, known := p.tables[name]
	if !known {
		return at
	}
	attribute := table.Keys[0]
	if index != "" {
		attribute = ""
		if keys := table.Indexes[index]; len(keys) > 0 {
			attribute = keys[0]
		}
	}
	// The engine refuses a query whose key condition is none.
	if bound, err := sdk.BoundKeys(query); err == nil && bound[attribute] != nil {
		at.value = bound[attribute]
		at.id = partitionID(table.Name, index, at.value)
		p.mu.Lock()
		_, at.looked = p.partitions[at.id]
		p.mu.Unlock()
	}
	return at
}

// unreadable says why the answer to a query could not be told from a wrong one, or
// could hold items of others; empty where it may be asked.
func (p *Protection) unreadable(at partition) string {
	table, known := p.tables[at.table]
	if !known {
		return "partition " + at.id + " is not of the design's tables"
	}
	if at.value != nil && table.Shared != nil {
		if why := table.Shared(at.index, at.value); why != "" {
			return "partition " + at.id + " " + why + ", so that the run writes nothing there"
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.partitions[at.id] {
		return "partition " + at.id + " holds items of others, which cannot be told from wrong answers"
	}
	return p.lacking[at.id]
}

// keysAsked returns the keys that a read names.
func keysAsked(parameters any) (asked []found) {
	lookups, _ := sdk.Lookups(parameters) // DynamoDB takes no transaction with an element that reads nothing
	for i := range lookups {
		if l := &lookups[i]; l.Operation == dynamo.GetItem {
			asked = append(asked, found{table: dynamo.TableName(l.Table), key: l.Key})
		}
	}
	return asked
}

// itemsFound returns the items of an answer with the keys under which they stand. A
// batch with a projection may leave the keys out: then each key that was asked for stands for
// whatever came back.
func itemsFound(parameters, result any) (items []found) {
	asked := keysAsked(parameters)
	switch answer := result.(type) {
	case *dynamodb.GetItemOutput, *dynamodb.TransactGetItemsOutput:
		at := 0
		sdk.EachItem(answer, func(item *accesspatterns.Item) {
			if *item != nil && at < len(asked) {
				items = append(items, found{asked[at].table, asked[at].key, *item})
			}
			at++
		})
	case *dynamodb.BatchGetItemOutput:
		for name, responses := range answer.Responses {
			for _, key := range asked {
				if key.table != dynamo.TableName(name) {
					continue
				}
				for _, item := range responses {
					if told := keyOf(Table{Keys: slices.Collect(maps.Keys(key.key))}, item); len(told) < len(key.key) || dynamo.EqualItems(told, key.key) {
						items = append(items, found{key.table, key.key, item})
					}
				}
			}
		}
	}
	return items
}
