package flow

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/internal/batch"
	"dynaproof/conformance/target"
)

// Answer is what one logical read returned over all of its pages.
type Answer struct {
	Items []accesspatterns.Item
	// Pages, Count and Scanned are summed over all pages; Scanned is what
	// DynamoDB inspected, Count what was left after a filter.
	Pages, Count, Scanned int
	// Miscounted is how many pages have another Count than items.
	Miscounted int
	// Cut says that the read stopped at its budget and did not see the end: there may
	// be more.
	Cut bool
	// next is where the page behind one of a Query or Scan begins.
	next accesspatterns.Item
}

func (a *Answer) add(b *Answer) {
	a.Items = append(a.Items, b.Items...)
	a.Pages += b.Pages
	a.Count += b.Count
	a.Scanned += b.Scanned
	a.Miscounted += b.Miscounted
	a.Cut = a.Cut || b.Cut
}

// AnswerOf is what one answer of the service holds: the items of a read, or those that a write returns.
func AnswerOf(output any) Answer {
	got := Answer{Pages: 1}
	page := func(items []accesspatterns.Item, count, scanned int32, next accesspatterns.Item) {
		got.Items, got.Count, got.Scanned, got.next = items, int(count), int(scanned), next
		if got.Count != len(items) {
			got.Miscounted = 1
		}
	}
	switch output := output.(type) {
	case *dynamodb.QueryOutput:
		page(output.Items, output.Count, output.ScannedCount, output.LastEvaluatedKey)
	case *dynamodb.ScanOutput:
		page(output.Items, output.Count, output.ScannedCount, output.LastEvaluatedKey)
	default:
		sdk.EachItem(output, func(item *accesspatterns.Item) {
			if *item != nil {
				got.Items = append(got.Items, *item)
			}
		})
		got.Count, got.Scanned = len(got.Items), len(got.Items)
	}
	return got
}

// Read runs one logical read to its end for each set of parameters, or for all of them together, and joins the answers. pageSize 0
// keeps the documented page size; another value replays the same read in pages of that many items. The answer holds what came
// before an error.
func (r *Runner) Read(ctx context.Context, read *accesspatterns.Read, repetitions []accesspatterns.Params, pageSize int32) (*Answer, error) {
	all := &Answer{}
	table, known := r.Design.Table(read.Table)
	if !known {
		return all, fmt.Errorf("no table %s in the contract", read.Table)
	}
	name, err := r.TableName(read.Table)
	if err != nil {
		return all, err
	}
	inputs, err := sdk.Reads(read, table, name, repetitions)
	if err != nil {
		return all, Unsendable{err}
	}
	for _, input := range inputs {
		got := &Answer{}
		switch input := input.(type) {
		case *dynamodb.GetItemInput:
			if err = r.before(input); err == nil {
				err = got.of(sdk.Send(ctx, r.Client, input))
			}
		case *dynamodb.TransactGetItemsInput:
			err = r.again(ctx, input, func() error { return got.of(sdk.Send(ctx, r.Client, input)) })
		case *dynamodb.BatchGetItemInput:
			err = r.batch(ctx, name, table, input, got)
		default:
			err = r.pages(ctx, read, input, pageSize, got)
		}
		all.add(got)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// Get reads one item; nil where there is none.
func (r *Runner) Get(ctx context.Context, input *dynamodb.GetItemInput) (accesspatterns.Item, error) {
	output, err := r.Client.GetItem(ctx, input)
	if err != nil {
		return nil, err
	}
	return output.Item, nil
}

// of is the answer to a request, unless there is none.
func (a *Answer) of(output any, err error) error {
	if err == nil {
		*a = AnswerOf(output)
	}
	return err
}

// batch reads items in the order in which they are asked for, which a BatchGetItem does not keep.
func (r *Runner) batch(ctx context.Context, name string, table *accesspatterns.Table, asked *dynamodb.BatchGetItemInput, got *Answer) error {
	sender := batch.Sender{Client: r.Client, Poll: r.Poll, Before: func() error { return r.before(asked) }}
	found, err := sender.Get(ctx, asked)
	if err != nil {
		return err
	}
	all := found[name]
	for _, key := range asked.RequestItems[name].Keys {
		at := slices.IndexFunc(all, func(item accesspatterns.Item) bool {
			return dynamo.EqualItems(table.KeyOf(item), key)
		})
		if at >= 0 {
			got.Items = append(got.Items, all[at])
			all = slices.Delete(all, at, at+1)
		}
	}
	got.Items = append(got.Items, all...) // what nobody asked for, or came without its key
	got.Pages, got.Count, got.Scanned = 1, len(got.Items), len(got.Items)
	return nil
}

// pages follows LastEvaluatedKey until the read is complete: to the end, to the
// documented limit, or to the documented budget.
func (r *Runner) pages(ctx context.Context, read *accesspatterns.Read, input any, pageSize int32, got *Answer) error {
	var start accesspatterns.Item
	ends := target.Ends{}
	for {
		limit := pageLimit(read, pageSize, got)
		page, err := r.page(ctx, input, start, limit)
		if err != nil {
			return err
		}
		got.add(&page)
		start = page.next
		if err := ends.Add(sdk.Operation(input), dynamo.ShowItem(start)); err != nil {
			return err
		}
		switch {
		case len(start) == 0:
			return nil
		case read.Limit > 0 && max(got.Scanned, len(got.Items)) >= int(read.Limit): // what a filter left out counts too
			return nil
		case read.Limit > 0 && pageSize == 0:
			return nil // a limited read is one page
		case read.InspectBudget > 0 && got.Scanned >= int(read.InspectBudget):
			got.Cut = true
			return nil
		}
	}
}

// pageLimit is the Limit of the next page; nil leaves it to DynamoDB.
func pageLimit(read *accesspatterns.Read, pageSize int32, got *Answer) *int32 {
	limit := cmp.Or(pageSize, max(read.Limit, read.PageSize))
	if read.InspectBudget > 0 {
		if remaining := read.InspectBudget - int32(got.Scanned); limit == 0 || limit > remaining {
			limit = remaining
		}
	}
	if limit == 0 {
		return nil
	}
	return aws.Int32(limit)
}

// page sends a Query or a Scan for one page.
func (r *Runner) page(ctx context.Context, input any, start accesspatterns.Item, limit *int32) (page Answer, err error) {
	if err := r.before(input); err != nil {
		return page, err
	}
	switch asked := input.(type) {
	case *dynamodb.QueryInput:
		query := *asked
		query.ExclusiveStartKey, query.Limit = start, limit
		input = &query
	case *dynamodb.ScanInput:
		scan := *asked
		scan.ExclusiveStartKey, scan.Limit = start, limit
		input = &scan
	default:
		return page, fmt.Errorf("expected a Query or a Scan, found %T", input)
	}
	err = page.of(sdk.Send(ctx, r.Client, input))
	return page, err
}
