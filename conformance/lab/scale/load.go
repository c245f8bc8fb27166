package scale

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/internal/batch"
	"dynaproof/conformance/suite"
	"dynaproof/fixtures"
)

// loaders is how many batches are under way at once.
const loaders = 8

// sender sends batches of the load.
func sender(client *dynamodb.Client) batch.Sender {
	return batch.Sender{Client: client, Poll: suite.DefaultBounds().Poll}
}

// loader writes generated items into the tables, batch by batch. It streams: what it
// holds is the batches under way.
type loader struct {
	client  *dynamodb.Client
	design  *accesspatterns.Design
	tables  map[string]string // deployed names, by logical id
	kept    *checkpoint
	world   *world
	next    func() (fixtures.Member, error, bool)
	stop    func()
	made    int // items that were made
	batches int
	// progress is told how many items are there.
	progress func(done int)

	mu   sync.Mutex
	done int
}

func newLoader(client *dynamodb.Client, design *accesspatterns.Design, tables map[string]string, generator *fixtures.Generator, kept *checkpoint, world *world) *loader {
	l := &loader{client: client, design: design, tables: tables, kept: kept, world: world}
	l.next, l.stop = iter.Pull2(generator.Members())
	return l
}

// chunk is a number of items for one table.
type chunk struct {
	number int
	table  *accesspatterns.Table
	items  []accesspatterns.Item
}

// growTo loads until there are so many items of others. Batches are numbered in
// the order in which they are made, which the seed and the sizes decide.
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
				if err := l.write(ctx, one); err != nil {
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
	if l.done += items; l.progress != nil {
		l.progress(l.done)
	}
}

// fill makes the batches.
func (l *loader) fill(ctx context.Context, total int, ready chan<- chunk) error {
	open := map[string][]accesspatterns.Item{}
	flush := func(id string) error {
		table, known := l.design.Table(id)
		if !known {
			return fmt.Errorf("population of %s: no table %s in the contract", l.design.Name, id)
		}
		l.batches++
		select {
		case ready <- chunk{l.batches, table, open[id]}:
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

// write writes a batch, unless an earlier process did. Of a batch whose answer
// nobody saw it writes what is not there.
func (l *loader) write(ctx context.Context, one chunk) error {
	if l.kept.isDone(one.number) {
		return nil
	}
	items := one.items
	if l.kept.inDoubt(one.number) {
		var err error
		if items, err = l.absent(ctx, one); err != nil {
			return err
		}
	} else if err := l.kept.begin(one.number); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if err := putAll(ctx, l.client, l.tables[one.table.ID], items); err != nil {
		return err
	}
	if err := l.kept.end(one.number); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// absent returns the items of a batch that are not in the table.
func (l *loader) absent(ctx context.Context, one chunk) ([]accesspatterns.Item, error) {
	name := l.tables[one.table.ID]
	request := types.KeysAndAttributes{ConsistentRead: aws.Bool(true)}
	for _, item := range one.items {
		request.Keys = append(request.Keys, one.table.KeyOf(item))
	}
	found, err := sender(l.client).Get(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{name: request}})
	if err != nil {
		return nil, fmt.Errorf("looking for the items of batch %d in %s: %w", one.number, name, err)
	}
	there := map[string]bool{}
	for _, item := range found[name] {
		there[accesspatterns.ShowItem(one.table.KeyOf(item))] = true
	}
	return slices.DeleteFunc(slices.Clone(one.items), func(item accesspatterns.Item) bool {
		return there[accesspatterns.ShowItem(one.table.KeyOf(item))]
	}), nil
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
