package scale

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/internal/batch"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// loaders is how many batches are under way at once.
const loaders = 8

// sender sends batches of the load.
func sender(client *dynamodb.Client) batch.Sender {
	return batch.Sender{Client: client, Poll: session.DefaultBounds().Poll}
}

// loader writes generated items into the tables, batch by batch. It streams: what it
// holds is the batches under way.
type loader struct {
	client *dynamodb.Client
	design *accesspatterns.Design
	tables map[string]string // deployed names, by logical id
	world  *world
	next   func() (fixtures.Member, error, bool)
	stop   func()
	made   int // items that were made
	// progress is told how many items are there.
	progress func(done int)

	mu   sync.Mutex
	done int
}

func newLoader(client *dynamodb.Client, design *accesspatterns.Design, tables map[string]string, generator *fixtures.Generator, world *world) *loader {
	l := &loader{client: client, design: design, tables: tables, world: world}
	l.next, l.stop = iter.Pull2(generator.Members())
	return l
}

// chunk is a number of items for one table.
type chunk struct {
	table *accesspatterns.Table
	items []accesspatterns.Item
}

// growTo loads until there are so many items of others.
func (l *loader) growTo(ctx context.Context, total int) error {
	ready := make(chan chunk)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(ready)
		return l.fill(ctx, total, ready)
	})
	for range loaders {
		group.Go(func() error {
			for one := range ready {
				if err := putAll(ctx, l.client, l.tables[one.table.ID], one.items); err != nil {
					return err
				}
				l.written(len(one.items))
			}
			return nil
		})
	}
	return group.Wait()
}

// written counts items that are there now.
func (l *loader) written(items int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done += items
	l.progress(l.done)
}

// fill makes the batches.
func (l *loader) fill(ctx context.Context, total int, ready chan<- chunk) error {
	open := map[string][]accesspatterns.Item{}
	flush := func(id string) error {
		table, known := l.design.Table(id)
		if !known {
			return fmt.Errorf("population of %s: no table %s in the contract", l.design.Name, id)
		}
		select {
		case ready <- chunk{table, open[id]}:
		case <-ctx.Done():
			return ctx.Err()
		}
		delete(open, id)
		return nil
	}
	for l.made < total {
		member, err, more := l.next()
		if err != nil || !more {
			return err
		}
		l.made++
		id := member.Entity.Table
		if table, known := l.design.Table(id); known {
			l.world.add(table, member.Item, true)
		}
		if open[id] = append(open[id], member.Item); len(open[id]) == batch.WriteSize {
			if err := flush(id); err != nil {
				return err
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(open)) {
		if err := flush(id); err != nil {
			return err
		}
	}
	return nil
}

// putAll puts items, in batches.
func putAll(ctx context.Context, client *dynamodb.Client, table string, items []accesspatterns.Item) error {
	return inBatches(ctx, client, table, items, func(item accesspatterns.Item) types.WriteRequest {
		return types.WriteRequest{PutRequest: &types.PutRequest{Item: item}}
	})
}

// deleteAll deletes items by their keys, in batches.
func deleteAll(ctx context.Context, client *dynamodb.Client, name string, table *accesspatterns.Table, items []accesspatterns.Item) error {
	return inBatches(ctx, client, name, items, func(item accesspatterns.Item) types.WriteRequest {
		return types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: table.KeyOf(item)}}
	})
}

func inBatches(ctx context.Context, client *dynamodb.Client, table string, items []accesspatterns.Item, request func(accesspatterns.Item) types.WriteRequest) error {
	for chunk := range slices.Chunk(items, batch.WriteSize) {
		var requests []types.WriteRequest
		for _, item := range chunk {
			requests = append(requests, request(item))
		}
		if err := sender(client).Write(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: requests}}); err != nil {
			return fmt.Errorf("writing %d items to %s: %w", len(requests), table, err)
		}
	}
	return nil
}
