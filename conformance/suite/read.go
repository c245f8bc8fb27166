package suite

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/onsi/gomega"

	"dynaproof/accesspatterns"
)

// answer is what one logical read returned over all of its pages.
type answer struct {
	items []accesspatterns.Item
	// pages, count and scanned are summed over all pages; scanned is what
	// DynamoDB inspected, count what was left after a filter.
	pages, count, scanned int
	// cut says that the read stopped at its budget although there was more.
	cut         bool
	invocations []string
}

// unsendable is a request that does not fit the contract's own keys, so that it
// was not sent.
type unsendable struct{ error }

// maxPages bounds a logical read: a read that needs more is not bounded as a
// documented read must be.
const maxPages = 20_000

// read runs one logical read to its end. pageSize 0 keeps the documented page
// size; another value replays the same read in pages of that many items.
func (s *Session) read(ctx context.Context, read *accesspatterns.Read, params accesspatterns.Params, pageSize int32) (*answer, error) {
	table, known := s.Design.Table(read.Table)
	if !known {
		return nil, fmt.Errorf("no table %s in the contract", read.Table)
	}
	name, err := s.TableName(read.Table)
	if err != nil {
		return nil, err
	}
	input, err := read.Compile(table, name, params)
	if err != nil {
		return nil, unsendable{err}
	}
	before := s.recorder.len()
	got := &answer{}
	defer func() { got.invocations = s.recorder.invocations(before) }()
	if get, ok := input.(*dynamodb.GetItemInput); ok {
		output, err := s.Client.GetItem(ctx, get)
		if err != nil {
			return got, err
		}
		got.pages = 1
		if output.Item != nil {
			got.items, got.count, got.scanned = append(got.items, output.Item), 1, 1
		}
		return got, nil
	}
	return got, s.pages(ctx, read, input, pageSize, got)
}

// pages follows LastEvaluatedKey until the read is complete: to the end, to the
// documented limit, or to the documented budget.
func (s *Session) pages(ctx context.Context, read *accesspatterns.Read, input any, pageSize int32, got *answer) error {
	var start accesspatterns.Item
	for {
		if got.pages == maxPages {
			return fmt.Errorf("the read did not end within %d pages", maxPages)
		}
		limit := pageLimit(read, pageSize, got)
		page, err := s.page(ctx, input, start, limit)
		if err != nil {
			return err
		}
		got.pages++
		got.count += int(page.count)
		got.scanned += int(page.scanned)
		got.items = append(got.items, page.items...)
		start = page.next
		switch {
		case len(start) == 0:
			return nil
		case read.Limit > 0 && len(got.items) >= int(read.Limit):
			return nil
		case read.Limit > 0 && pageSize == 0:
			return nil // a limited read is one page
		case read.InspectBudget > 0 && got.scanned >= int(read.InspectBudget):
			got.cut = true
			return nil
		}
	}
}

// pageLimit is the Limit of the next page; nil leaves it to DynamoDB.
func pageLimit(read *accesspatterns.Read, pageSize int32, got *answer) *int32 {
	limit := pageSize
	if limit == 0 {
		limit = max(read.Limit, read.PageSize)
	}
	if read.InspectBudget > 0 {
		remaining := read.InspectBudget - int32(got.scanned)
		if limit == 0 || limit > remaining {
			limit = remaining
		}
	}
	if limit == 0 {
		return nil
	}
	return aws.Int32(limit)
}

// page is one answer of a Query or Scan.
type page struct {
	items          []accesspatterns.Item
	count, scanned int32
	next           accesspatterns.Item
}

func (s *Session) page(ctx context.Context, input any, start accesspatterns.Item, limit *int32) (*page, error) {
	switch input := input.(type) {
	case *dynamodb.QueryInput:
		query := *input
		query.ExclusiveStartKey, query.Limit = start, limit
		output, err := s.Client.Query(ctx, &query)
		if err != nil {
			return nil, err
		}
		return &page{output.Items, output.Count, output.ScannedCount, output.LastEvaluatedKey}, nil
	case *dynamodb.ScanInput:
		scan := *input
		scan.ExclusiveStartKey, scan.Limit = start, limit
		output, err := s.Client.Scan(ctx, &scan)
		if err != nil {
			return nil, err
		}
		return &page{output.Items, output.Count, output.ScannedCount, output.LastEvaluatedKey}, nil
	}
	return nil, fmt.Errorf("expected a Query or a Scan, found %T", input)
}

// awaited repeats a look until it shows all expected items, because index reads
// are eventually consistent. It gives up at once when an unexpected item
// appears: waiting cannot make that right. The last answer is returned in
// either case, for the caller to judge.
func (s *Session) awaited(ctx context.Context, expected []expectedItem, look func() (*answer, error)) (*answer, error) {
	var last *answer
	var failure error
	await := gomega.NewGomega(func(string, ...int) {}) // the caller judges the last answer
	await.Eventually(func() (bool, error) {
		last, failure = look()
		if failure != nil {
			return false, gomega.StopTrying("the request failed").Wrap(failure)
		}
		compared := compare(expected, last.items, false)
		if len(compared.unexpected) > 0 {
			return false, gomega.StopTrying("an unexpected item")
		}
		return len(compared.missing) == 0, nil
	}).WithContext(ctx).WithTimeout(s.Bounds.IndexRead).WithPolling(s.Bounds.Poll).Should(gomega.BeTrue())
	return last, failure
}

// touched returns the primary keys that a write request writes to.
func (s *Session) touched(input any) []touchedKey {
	var keys []touchedKey
	add := func(tableName *string, item accesspatterns.Item) {
		for i := range s.Design.Tables {
			table := &s.Design.Tables[i]
			if name, err := s.TableName(table.ID); err == nil && name == aws.ToString(tableName) {
				keys = append(keys, touchedKey{table, s.keyOf(table, item)})
			}
		}
	}
	switch input := input.(type) {
	case *dynamodb.PutItemInput:
		add(input.TableName, input.Item)
	case *dynamodb.UpdateItemInput:
		add(input.TableName, input.Key)
	case *dynamodb.DeleteItemInput:
		add(input.TableName, input.Key)
	case *dynamodb.BatchWriteItemInput:
		for name, requests := range input.RequestItems {
			for _, request := range requests {
				if request.PutRequest != nil {
					add(&name, request.PutRequest.Item)
				}
				if request.DeleteRequest != nil {
					add(&name, request.DeleteRequest.Key)
				}
			}
		}
	case *dynamodb.TransactWriteItemsInput:
		for _, item := range input.TransactItems {
			addTransacted(item, add)
		}
	}
	return keys
}

func addTransacted(item types.TransactWriteItem, add func(*string, accesspatterns.Item)) {
	if item.Put != nil {
		add(item.Put.TableName, item.Put.Item)
	}
	if item.Update != nil {
		add(item.Update.TableName, item.Update.Key)
	}
	if item.Delete != nil {
		add(item.Delete.TableName, item.Delete.Key)
	}
}
