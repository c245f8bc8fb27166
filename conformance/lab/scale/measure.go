package scale

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/internal/batch"
	"dynaproof/conformance/suite/patterns"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// caseMeasured is one replay of a case, by its steps. A step that is repeated is several of them.
type caseMeasured []stepMeasured

func (c caseMeasured) all() (all Figures) {
	for _, step := range c {
		all.ReadUnits += step.ReadUnits
		all.WriteUnits += step.WriteUnits
		all.Scanned += step.Scanned
		all.Count += step.Count
		all.Pages += step.Pages
	}
	return all
}

// stepMeasured is what the wire saw of one step.
type stepMeasured struct {
	Figures
	step string
	// tableWriteUnits is the part of WriteUnits that is not of indexes.
	tableWriteUnits float64
	// mostUnits is the most that one request consumed on one table or index.
	mostUnits float64
	missing   []string
	others    int
}

// measureCase replays a case and returns what it cost.
func measureCase(ctx context.Context, session *session.Session, pattern *accesspatterns.Pattern, c fixtures.Case) (measured caseMeasured, err error) {
	steps, err := patterns.Measure(ctx, session, pattern, c)
	if err != nil {
		return nil, fmt.Errorf("pattern %s, case %q: %w", pattern.ID, c.Name, err)
	}
	return lists.Map(steps, measureStep), nil
}

func measureStep(step patterns.StepCost) stepMeasured {
	measured := stepMeasured{step: step.Step.Name, missing: step.Missing, others: step.Others}
	for _, entry := range step.Entries {
		measured.Pages++
		if entry.Operation != string(dynamo.GetItem) { // which looks at one item or at none, and either costs the same
			measured.Count += aws.ToInt(entry.Count)
			measured.Scanned += aws.ToInt(entry.ScannedCount)
		}
		for _, capacity := range entry.Capacity {
			parts := []float64{aws.ToFloat64(capacity.TableUnits)}
			for _, units := range capacity.GlobalIndexes {
				parts = append(parts, units)
			}
			measured.mostUnits = max(measured.mostUnits, slices.Max(parts))
			if step.Step.Read != nil {
				measured.ReadUnits += capacity.Units
				continue
			}
			measured.WriteUnits += capacity.Units
			measured.tableWriteUnits += aws.ToFloat64(capacity.TableUnits)
		}
	}
	return measured
}

// loaders is how many batches are under way at once.
const loaders = 8

// grow loads more items of others, batch by batch. It streams: what it holds is the batches under way.
func (p *proof) grow(ctx context.Context, next func() (fixtures.Member, error, bool), before, total int) error {
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(loaders)
	var done atomic.Int64
	open := map[*accesspatterns.Table][]accesspatterns.Item{}
	write := func(table *accesspatterns.Table) {
		items := open[table]
		delete(open, table)
		group.Go(func() error {
			if err := p.write(within, table, items, put); err != nil {
				return err
			}
			p.note("loading, %d of %d items of others", int64(before)+done.Add(int64(len(items))), p.unit*multiples[len(multiples)-1])
			return nil
		})
	}
	var failed error
	for range total - before {
		member, err, _ := next()
		if failed = err; err != nil || within.Err() != nil {
			break
		}
		table, _ := p.design.Table(member.Entity.Table)
		p.world.add(table, member.Item)
		if open[table] = append(open[table], member.Item); len(open[table]) == sdk.MaxBatch {
			write(table)
		}
	}
	for table := range open {
		write(table)
	}
	return cmp.Or(failed, group.Wait(), ctx.Err())
}

func put(item accesspatterns.Item) types.WriteRequest {
	return types.WriteRequest{PutRequest: &types.PutRequest{Item: item}}
}

// write puts items or deletes them, in batches.
func (p *proof) write(ctx context.Context, into *accesspatterns.Table, items []accesspatterns.Item, request func(accesspatterns.Item) types.WriteRequest) error {
	table, sender := p.session.Deployment.Tables[into.ID], batch.Sender{Client: p.client, Poll: session.DefaultBounds().Poll}
	for chunk := range slices.Chunk(items, sdk.MaxBatch) {
		requests := lists.Map(chunk, request)
		if err := sender.Write(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: requests}}); err != nil {
			return fmt.Errorf("writing %d items to %s: %w", len(requests), table, err)
		}
	}
	return nil
}
