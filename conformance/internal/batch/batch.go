// Package batch sends what DynamoDB left undone again. A batch of which a part was
// left unprocessed is no error to the SDK, so that its retryer does nothing about
// it: whoever does not look at the answer loses items without a word.
//
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html
// asks for a pause before the next attempt that grows each time.
package batch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns/lists"
)

// Attempts bounds how often one request is sent.
const Attempts = 50

// ErrUnprocessed is an answer that leaves a part of a batch undone, as DynamoDB's does when it throttles, and the error after the last
// attempt: what is missing is not absent.
var ErrUnprocessed = errors.New("still unprocessed")

// Sender sends batches. It keeps no state, so that several goroutines may share it.
type Sender struct {
	Client *dynamodb.Client
	// Poll is the pause before the second attempt; see [Pause].
	Poll time.Duration
	// Before, if set, is called before each attempt. Its error ends the sending.
	Before func() error
}

// longestPause bounds the pause that doubles.
const longestPause = 5 * time.Second

// Pause waits after an attempt, counted from 0: as long as poll after the first,
// and then twice as long each time, up to 64 times and 5 seconds. It returns early
// with the context's error.
func Pause(ctx context.Context, poll time.Duration, attempt int) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(max(poll, min(poll<<min(attempt, 6), longestPause))):
		return nil
	}
}

// Write sends a batch of writes until nothing of it is left. The caller's request
// stays as it is. An error of the engine is returned as it is: nothing of that
// attempt was written.
func (s Sender) Write(ctx context.Context, batch *dynamodb.BatchWriteItemInput) error {
	rest := *batch
	return s.until(ctx, func() (map[string]int, error) {
		answer, err := s.Client.BatchWriteItem(ctx, &rest)
		if err != nil {
			return nil, err
		}
		rest.RequestItems = answer.UnprocessedItems
		return sizes(rest.RequestItems, func(requests []types.WriteRequest) int { return len(requests) }), nil
	})
}

// Get reads a batch of keys until none is left, and returns the items that are
// there, by table. The caller's request stays as it is. An error of the engine is
// returned as it is.
func (s Sender) Get(ctx context.Context, batch *dynamodb.BatchGetItemInput) (map[string][]map[string]types.AttributeValue, error) {
	rest, found := *batch, map[string][]map[string]types.AttributeValue{}
	err := s.until(ctx, func() (map[string]int, error) {
		answer, err := s.Client.BatchGetItem(ctx, &rest)
		if err != nil {
			return nil, err
		}
		for table, items := range answer.Responses {
			found[table] = append(found[table], items...)
		}
		rest.RequestItems = answer.UnprocessedKeys
		return sizes(rest.RequestItems, func(keys types.KeysAndAttributes) int { return len(keys.Keys) }), nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// sizes counts what is left of each table, and takes the tables out of which
// nothing is: DynamoDB refuses to be sent an empty list.
func sizes[T any](rest map[string]T, size func(T) int) map[string]int {
	left := map[string]int{}
	maps.DeleteFunc(rest, func(table string, part T) bool {
		if size(part) > 0 {
			left[table] = size(part)
		}
		return size(part) == 0
	})
	return left
}

// until sends until nothing is left.
func (s Sender) until(ctx context.Context, send func() (left map[string]int, err error)) error {
	var left map[string]int
	for attempt := range Attempts {
		if attempt > 0 {
			if err := Pause(ctx, s.Poll, attempt-1); err != nil {
				return fmt.Errorf("%s of a batch %w after %d attempts: %w", show(left), ErrUnprocessed, attempt, err)
			}
		}
		if s.Before != nil {
			if err := s.Before(); err != nil {
				return err
			}
		}
		var err error
		if left, err = send(); err != nil || len(left) == 0 {
			return err
		}
	}
	return fmt.Errorf("%s of a batch %w after %d attempts; the table is throttled: give it more capacity, or try again later", show(left), ErrUnprocessed, Attempts)
}

// show says what is left: "2 for table Orders and 1 for table Users".
func show(left map[string]int) string {
	parts := lists.Map(slices.Sorted(maps.Keys(left)), func(table string) string { return fmt.Sprintf("%d for table %s", left[table], table) })
	return strings.Join(parts, " and ")
}
