package safewrite

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"dynaproof/accesspatterns"
)

// Table is a table that the client may write items to.
type Table struct {
	// Name is the deployed name.
	Name string
	// Keys are the attributes of the primary key, the partition key first.
	Keys []string
	// Indexes maps the names of indexes to their partition key attributes.
	Indexes map[string]string
}

// Journal is the word on disk of what a run is about to write.
type Journal interface {
	// Announce returns when the entries are on disk. A write whose entries cannot
	// be stored is not sent.
	Announce(entries ...Entry) error
	// Settle stores outcomes. They may be lost in a crash: then the journal lists
	// more than is there, never less.
	Settle(entries ...Entry) error
}

// Options are what a guard needs to know.
type Options struct {
	Tables  []Table
	Journal Journal
	// Read reads one item with a consistent read; nil when there is none. It
	// tells what an update has made of an item.
	Read func(ctx context.Context, table string, key accesspatterns.Item) (accesspatterns.Item, error)
}

// Refusal says why a request was not sent, or why its answer may not be used. It
// is no answer of the engine, and no verdict about the deployment.
type Refusal struct {
	Operation, Reason string
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("%s on an existing stack: %s; verify it on an ephemeral stack", r.Operation, r.Reason)
}

// Guard is the middleware. It is safe for concurrent use.
type Guard struct {
	options Options
	tables  map[string]Table

	mu    sync.Mutex
	begun bool
	// planned are the keys that were free before the first write.
	planned map[string]bool
	// mine holds what a planned key may hold of this run's: nothing before the
	// first write to it, several items where an answer was lost.
	mine map[string][]accesspatterns.Item
	// partitions says of each one that was looked at before the first write
	// whether it held items.
	partitions map[string]bool
}

// New returns a guard that lets reads through, and no write.
func New(options Options) *Guard {
	g := &Guard{options: options, tables: map[string]Table{}, planned: map[string]bool{}, mine: map[string][]accesspatterns.Item{}, partitions: map[string]bool{}}
	for _, table := range options.Tables {
		g.tables[table.Name] = table
	}
	return g
}

// Free notes that a key was looked at and is free. Only such keys are written.
func (g *Guard) Free(table string, key accesspatterns.Item) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.planned[keyID(table, key)] = true
}

// Partition notes that a partition of a table, or of one of its indexes, was
// looked at, and whether it holds items of others.
func (g *Guard) Partition(table, index string, value types.AttributeValue, occupied bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.partitions[partitionID(table, index, value)] = occupied
}

// Begin ends the looking and lets writes through. It cannot be undone.
func (g *Guard) Begin() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.begun = true
}

func (g *Guard) writing() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.begun
}

func keyID(table string, key accesspatterns.Item) string {
	return table + " " + accesspatterns.ShowItem(key)
}

func partitionID(table, index string, value types.AttributeValue) string {
	return table + " " + index + " " + accesspatterns.Show(value)
}

// Attach adds the guard to a client: it is one of the client's APIOptions.
func (g *Guard) Attach(stack *middleware.Stack) error {
	return stack.Serialize.Add(middleware.SerializeMiddlewareFunc("DynaproofProtect", g.handle), middleware.Before)
}

func (g *Guard) handle(ctx context.Context, in middleware.SerializeInput, next middleware.SerializeHandler) (middleware.SerializeOutput, middleware.Metadata, error) {
	operation := awsmiddleware.GetOperationName(ctx)
	refuse := func(reason string) (middleware.SerializeOutput, middleware.Metadata, error) {
		return middleware.SerializeOutput{}, middleware.Metadata{}, &Refusal{operation, reason}
	}
	switch in.Parameters.(type) {
	case *dynamodb.GetItemInput, *dynamodb.BatchGetItemInput, *dynamodb.TransactGetItemsInput, *dynamodb.QueryInput:
		return g.read(ctx, operation, in, next)
	case *dynamodb.PutItemInput, *dynamodb.UpdateItemInput, *dynamodb.DeleteItemInput, *dynamodb.TransactWriteItemsInput:
		if !g.writing() {
			return refuse("nothing may be written before all keys were looked at")
		}
		return g.write(ctx, operation, in, next)
	case *dynamodb.BatchWriteItemInput:
		return refuse("a batch takes no condition, so it could overwrite or delete items of others")
	case *dynamodb.ScanInput:
		return refuse("a scan reads the whole table, with the items of others")
	}
	if Describes(operation) || operation == "GetResourcePolicy" {
		return next.HandleSerialize(ctx, in)
	}
	return refuse("only items are written there, and nothing else is changed")
}

// write is one item that a request writes.
type write struct {
	change Change
	table  string
	key    accesspatterns.Item
	// item is what a put writes.
	item accesspatterns.Item
	// conditional says that the caller's request has a condition of its own.
	conditional bool
}

// write sends a request that writes, under the guard's condition.
func (g *Guard) write(ctx context.Context, operation string, in middleware.SerializeInput, next middleware.SerializeHandler) (out middleware.SerializeOutput, metadata middleware.Metadata, err error) {
	guarded, writes, err := g.guarded(operation, in.Parameters)
	if err != nil {
		return out, metadata, err
	}
	if err := ctx.Err(); err != nil {
		return out, metadata, err
	}
	// A write that was begun is waited for: given up half-way it could still land
	// after the clean-up has looked for it.
	ctx = context.WithoutCancel(ctx)
	var entries []Entry
	for _, w := range writes {
		if w.change != check {
			entries = append(entries, Entry{Change: w.change, Table: w.table, Key: w.key, Item: w.item})
		}
	}
	if err := g.options.Journal.Announce(entries...); err != nil {
		return out, metadata, fmt.Errorf("%s was not sent: the journal of the run cannot be written: %w", operation, err)
	}
	in.Parameters = guarded
	out, metadata, err = next.HandleSerialize(ctx, in)
	if err != nil {
		return out, metadata, errors.Join(taken(operation, writes, err), g.failed(writes, err, retried(metadata)))
	}
	return out, metadata, g.settled(ctx, writes)
}

// failed notes what a request without a success has written: nothing when it was
// refused, and perhaps something when its answer was lost.
func (g *Guard) failed(writes []write, err error, retried bool) error {
	var answer *smithyhttp.ResponseError
	refused := !retried && errors.As(err, &answer) && answer.HTTPStatusCode() < http.StatusInternalServerError
	g.mu.Lock()
	defer g.mu.Unlock()
	var outcomes []Entry
	for _, w := range writes {
		id := keyID(w.table, w.key)
		switch {
		case w.change == check:
		case refused && len(g.mine[id]) <= 1:
			outcome := Entry{Change: Holds, Table: w.table, Key: w.key}
			if len(g.mine[id]) == 1 {
				outcome.Item = g.mine[id][0]
			}
			outcomes = append(outcomes, outcome)
		case !refused && w.change == Put:
			g.mine[id] = appendItem(g.mine[id], w.item)
		}
	}
	return g.options.Journal.Settle(outcomes...)
}

// retried reports whether a request was sent more than once: then the last answer
// says nothing about the attempts before it.
func retried(metadata middleware.Metadata) bool {
	attempts, counted := retry.GetAttemptResults(metadata)
	return counted && len(attempts.Results) > 1
}

// settled notes what a request has written.
func (g *Guard) settled(ctx context.Context, writes []write) error {
	var outcomes []Entry
	for _, w := range writes {
		outcome := Entry{Change: Holds, Table: w.table, Key: w.key}
		switch w.change {
		case check:
			continue
		case Put:
			outcome.Item = w.item
		case Update:
			item, err := g.options.Read(ctx, w.table, w.key)
			if err != nil {
				return fmt.Errorf("reading what an update made of %s: %w", keyID(w.table, w.key), err)
			}
			outcome.Item = item
		}
		outcomes = append(outcomes, outcome)
	}
	g.mu.Lock()
	for _, outcome := range outcomes {
		id := keyID(outcome.Table, outcome.Key)
		g.mine[id] = nil
		if outcome.Item != nil {
			g.mine[id] = []accesspatterns.Item{outcome.Item}
		}
	}
	g.mu.Unlock()
	return g.options.Journal.Settle(outcomes...)
}

// taken turns the failure of the guard's own condition into a refusal. Where the
// caller has a condition too, the failure may be the caller's.
func taken(operation string, writes []write, err error) error {
	refusal := func(w write) error {
		return &Refusal{operation, "somebody else wrote " + keyID(w.table, w.key) + " during the run, and it was left as it is"}
	}
	var failed *types.ConditionalCheckFailedException
	if errors.As(err, &failed) && len(writes) == 1 && !writes[0].conditional {
		return refusal(writes[0])
	}
	var cancelled *types.TransactionCanceledException
	if errors.As(err, &cancelled) && len(cancelled.CancellationReasons) == len(writes) {
		for i, reason := range cancelled.CancellationReasons {
			if aws.ToString(reason.Code) == "ConditionalCheckFailed" && !writes[i].conditional {
				return refusal(writes[i])
			}
		}
	}
	return err
}

func appendItem(items []accesspatterns.Item, item accesspatterns.Item) []accesspatterns.Item {
	if slices.ContainsFunc(items, func(known accesspatterns.Item) bool { return accesspatterns.EqualItems(known, item) }) {
		return items
	}
	return append(slices.Clone(items), item)
}
