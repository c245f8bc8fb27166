package scale

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/internal/batch"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// loaders is how many batches are under way at once.
const loaders = 8

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
	progress func(done int64)
	done     atomic.Int64
}

// growTo loads until there are so many items of others.
func (l *loader) growTo(ctx context.Context, total int) error {
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(loaders)
	open := map[*accesspatterns.Table][]accesspatterns.Item{}
	write := func(table *accesspatterns.Table) {
		items := open[table]
		delete(open, table)
		group.Go(func() error {
			if err := putAll(within, l.client, l.tables[table.ID], items); err != nil {
				return err
			}
			l.progress(l.done.Add(int64(len(items))))
			return nil
		})
	}
	var failed error
	for l.made < total && within.Err() == nil {
		member, err, more := l.next()
		if err != nil || !more {
			failed = err
			break
		}
		l.made++
		table, known := l.design.Table(member.Entity.Table)
		if !known {
			failed = fmt.Errorf("population of %s: no table %s in the contract", l.design.Name, member.Entity.Table)
			break
		}
		l.world.add(table, member.Item)
		if open[table] = append(open[table], member.Item); len(open[table]) == sdk.MaxBatch {
			write(table)
		}
	}
	for table := range open {
		write(table)
	}
	return cmp.Or(failed, group.Wait(), ctx.Err())
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
	sender := batch.Sender{Client: client, Poll: session.DefaultBounds().Poll}
	for chunk := range slices.Chunk(items, sdk.MaxBatch) {
		var requests []types.WriteRequest
		for _, item := range chunk {
			requests = append(requests, request(item))
		}
		if err := sender.Write(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: requests}}); err != nil {
			return fmt.Errorf("writing %d items to %s: %w", len(requests), table, err)
		}
	}
	return nil
}
