package suite

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/onsi/gomega"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/internal/flow"
)

// answer is what one logical read returned, with the SDK invocations that asked
// for it.
type answer struct {
	flow.Answer
	invocations []string
}

// runner sends the requests of patterns for the session.
func (s *Session) runner() *flow.Runner {
	return &flow.Runner{Design: s.Design, Client: s.Client, TableName: s.TableName, Now: s.Fixtures.At.Unix(), Poll: s.Bounds.Poll}
}

// read runs one read for each set of parameters. pageSize 0 keeps the documented
// page size; another value replays the same read in pages of that many items.
func (s *Session) read(ctx context.Context, read *accesspatterns.Read, repetitions []accesspatterns.Params, pageSize int32) (*answer, error) {
	before := s.recorder.len()
	got, err := s.runner().ReadAll(ctx, read, repetitions, pageSize)
	return &answer{*got, s.recorder.invocations(before)}, err
}

// awaited repeats a look until it shows the expected items and no others, because
// index reads are eventually consistent: an index that lags behind its table lacks
// an item, shows what was deleted or changed since, or shows, where the read has a
// limit, the next item in place of one that it lacks. The last answer is returned
// in either case, for the caller to judge.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.Writes
func (s *Session) awaited(ctx context.Context, expected []expectedItem, look func() (*answer, error)) (*answer, error) {
	return s.awaitedUntil(ctx, look, func(last *answer) bool {
		compared := compare(expected, last.Items, false)
		return len(compared.missing)+len(compared.unexpected) == 0
	})
}

// awaitedAmong repeats a look until it shows the expected items, or any of others:
// a measurement has other data rightly among the expected items, and where the read
// has a limit in their place.
func (s *Session) awaitedAmong(ctx context.Context, expected []expectedItem, look func() (*answer, error)) (*answer, error) {
	return s.awaitedUntil(ctx, look, func(last *answer) bool {
		compared := compare(expected, last.Items, false)
		return len(compared.missing) == 0 || len(compared.unexpected) > 0
	})
}

// awaitedCount repeats a look until it shows so many items.
func (s *Session) awaitedCount(ctx context.Context, count int, look func() (*answer, error)) (*answer, error) {
	return s.awaitedUntil(ctx, look, func(last *answer) bool { return len(last.Items) == count })
}

func (s *Session) awaitedUntil(ctx context.Context, look func() (*answer, error), shown func(last *answer) bool) (*answer, error) {
	var last *answer
	var failure error
	await := gomega.NewGomega(func(string, ...int) {}) // the caller judges the last answer
	await.Eventually(func() (bool, error) {
		last, failure = look()
		if failure != nil {
			return false, gomega.StopTrying("the request failed").Wrap(failure)
		}
		return shown(last), nil
	}).WithContext(ctx).WithTimeout(s.Bounds.IndexRead).WithPolling(s.Bounds.Poll).Should(gomega.BeTrue())
	return last, failure
}

// touched returns the primary keys that a write request writes to.
func (s *Session) touched(input any) []touchedKey {
	var keys []touchedKey
	s.written(input, func(table *accesspatterns.Table, item accesspatterns.Item) {
		keys = append(keys, touchedKey{table, s.keyOf(table, item)})
	})
	return keys
}

// written calls each for every item that a write request writes: the whole item of
// a put, the key of any other write.
func (s *Session) written(input any, each func(*accesspatterns.Table, accesspatterns.Item)) {
	add := func(tableName *string, item accesspatterns.Item) {
		for i := range s.Design.Tables {
			table := &s.Design.Tables[i]
			if name, err := s.TableName(table.ID); err == nil && name == aws.ToString(tableName) {
				each(table, item)
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
