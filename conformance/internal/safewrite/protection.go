package safewrite

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
)

// Table is a table that the client may write items to.
type Table struct {
	// Name is the deployed name.
	Name string
	// Keys are the attributes of the primary key, the partition key first.
	Keys []string
	// Indexes maps the names of indexes to the attributes of their keys, the
	// partition key first.
	Indexes map[string][]string
	// Shared says why a partition of an index, or of the table with an empty index, is
	// one that readers share whatever it holds, so that an item of the run would show in
	// their answers; empty for any other. Nil means that none is.
	Shared func(index string, value types.AttributeValue) string
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

// Options are what a protection needs to know.
type Options struct {
	Tables  []Table
	Journal Journal
	// Read reads one item with a consistent read; nil when there is none. It is
	// asked right before each write.
	Read func(ctx context.Context, table string, key accesspatterns.Item) (accesspatterns.Item, error)
	// Look says whether a partition of a table, or of an index, holds items under other
	// keys than the given ones. It is asked where an answer leaves that open.
	Look func(ctx context.Context, table, index string, value types.AttributeValue, known func(key accesspatterns.Item) bool) (others bool, err error)
}

// longestAnswer is the longest wait for the answer to a write, in all its attempts: the end of the caller's own time does not give up a
// write that was begun, because it could still land.
const longestAnswer = 30 * time.Second

// Refusal says why a request was not sent, or why its answer may not be used. It
// is no answer of the engine, and no verdict about the deployment.
type Refusal struct {
	Operation, Reason string
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("%s on an existing stack: %s; verify it on an ephemeral stack", r.Operation, r.Reason)
}

// Protection is the middleware. It is safe for concurrent use.
type Protection struct {
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
	// ever holds everything that a planned key has held of this run's, or may have.
	ever map[string][]accesspatterns.Item
	// removed is the last key whose item of the run was gone when the run wrote there again.
	removed string
	// withheld says why a planned key is neither written nor read, and lacking why a
	// partition is not read: an item of the run was left out there.
	withheld, lacking map[string]string
	// secret is what hashes of keys are made with.
	secret [16]byte
	// mark is what every item of the run bears.
	mark types.AttributeValue
}

// New returns a protection that lets reads through, and no write.
func New(options Options) *Protection {
	p := &Protection{options: options, planned: map[string]bool{}, mine: map[string][]accesspatterns.Item{}, ever: map[string][]accesspatterns.Item{}, partitions: map[string]bool{}, withheld: map[string]string{}, lacking: map[string]string{}, mark: newMark()}
	_, _ = rand.Read(p.secret[:]) // it never fails
	p.tables = lists.Index(options.Tables, func(table Table) (string, Table) { return table.Name, table })
	return p
}

// Free notes that a key was looked at and is free. Only such keys are written.
func (p *Protection) Free(table string, key accesspatterns.Item) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.planned[keyID(table, key)] = true
}

// Partition notes that a partition of a table, or of one of its indexes, was
// looked at, and whether it holds items of others.
func (p *Protection) Partition(table, index string, value types.AttributeValue, occupied bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.partitions[partitionID(table, index, value)] = occupied
}

// Begin ends the looking and lets writes through. It cannot be undone.
func (p *Protection) Begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun = true
}

func (p *Protection) writing() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.begun
}

func keyID(table string, key accesspatterns.Item) string {
	return table + " " + dynamo.KeyID(key)
}

func partitionID(table, index string, value types.AttributeValue) string {
	return table + " " + index + " " + dynamo.KeyText(value)
}

// Attach adds the protection to a client: it is one of the client's APIOptions.
func (p *Protection) Attach(stack *middleware.Stack) error {
	return stack.Serialize.Add(middleware.SerializeMiddlewareFunc("DynaproofProtect", p.handle), middleware.Before)
}

// ownKey marks the contexts of the protection's own reads, which may pass the client that the
// protection is attached to.
type ownKey struct{}

func own(ctx context.Context) context.Context { return context.WithValue(ctx, ownKey{}, true) }

// held reads what a key holds now.
func (p *Protection) held(ctx context.Context, table string, key accesspatterns.Item) (accesspatterns.Item, error) {
	return p.options.Read(own(ctx), table, key)
}

func (p *Protection) handle(ctx context.Context, in middleware.SerializeInput, next middleware.SerializeHandler) (out middleware.SerializeOutput, metadata middleware.Metadata, err error) {
	operation := awsmiddleware.GetOperationName(ctx)
	if ctx.Value(ownKey{}) != nil {
		return next.HandleSerialize(ctx, in) // a read of the protection itself
	}
	switch in.Parameters.(type) {
	case *dynamodb.GetItemInput, *dynamodb.BatchGetItemInput, *dynamodb.TransactGetItemsInput, *dynamodb.QueryInput:
		out, metadata, err = p.read(ctx, operation, in, next)
		if p.writing() {
			p.unmarked(out.Result, err)
		}
		return out, metadata, err
	case *dynamodb.PutItemInput, *dynamodb.UpdateItemInput, *dynamodb.DeleteItemInput, *dynamodb.TransactWriteItemsInput:
		if !p.writing() {
			return out, metadata, &Refusal{operation, "nothing may be written before all keys were looked at"}
		}
		out, metadata, err = p.write(ctx, operation, in, next)
		p.unmarked(out.Result, err)
		return out, metadata, err
	}
	if reason := p.never(operation, in.Parameters); reason != "" {
		return out, metadata, &Refusal{operation, reason}
	}
	return next.HandleSerialize(ctx, in)
}

// never says why an operation other than reads and writes of single items is not sent,
// whatever it names; empty for one that only describes.
func (p *Protection) never(operation string, parameters any) string {
	switch parameters.(type) {
	case *dynamodb.BatchWriteItemInput:
		return "a batch takes no condition, so it could overwrite or delete items of others"
	case *dynamodb.ScanInput:
		return "a scan reads the whole table, with the items of others"
	}
	if Describes(operation) {
		return ""
	}
	return "only items are written there, and nothing else is changed"
}

// write sends a request that writes, when every key holds what this run knows of, under
// the condition that it still does.
func (p *Protection) write(ctx context.Context, operation string, in middleware.SerializeInput, next middleware.SerializeHandler) (out middleware.SerializeOutput, metadata middleware.Metadata, err error) {
	writes, err := p.takenApart(operation, in.Parameters)
	if err != nil {
		return out, metadata, err
	}
	var entries []Entry
	var conditioned []sdk.Write
	for _, w := range writes {
		if err := p.prepare(ctx, operation, w); err != nil {
			return out, metadata, err
		}
		if w.change != check {
			require(&w.sent, p.tables[w.table].Keys[0], w.before)
			entries = append(entries, Entry{Change: w.change, Table: w.table, Key: w.key, Item: w.after})
		}
		conditioned = append(conditioned, w.sent)
	}
	if err := ctx.Err(); err != nil {
		return out, metadata, err
	}
	// A write that was begun is waited for: given up half-way it could still land
	// after the clean-up has looked for it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longestAnswer)
	defer cancel()
	if err := p.options.Journal.Announce(entries...); err != nil {
		return out, metadata, Unsent{fmt.Errorf("%s was not sent: the journal of the run cannot be written: %w", operation, err)}
	}
	in.Parameters = withConditions(in.Parameters, conditioned)
	out, metadata, err = next.HandleSerialize(ctx, in)
	open := unanswered(metadata)
	if operation == "TransactWriteItems" { // its token lets it be carried out once
		open = 0
	}
	if err != nil && retried(metadata) && p.landed(ctx, writes, err) {
		err = nil
		open--
		if out.Result = carriedOut(in.Parameters, writes); out.Result == nil {
			err = &Refusal{operation, "the answer of the attempt that carried it out was lost, and with it the item that it asked for"}
		}
	} else if err != nil {
		return out, metadata, errors.Join(p.taken(ctx, operation, writes, err), p.failed(writes, err, retried(metadata)))
	}
	return out, metadata, errors.Join(err, p.settled(writes, open > 0, func(w *write) accesspatterns.Item { return w.after }))
}

// prepare reads what a key holds, refuses the write unless that is this run's, and
// computes what the write makes of it.
func (p *Protection) prepare(ctx context.Context, operation string, w *write) error {
	if reason := p.barred(w); reason != "" {
		return &Refusal{operation, reason}
	}
	before, err := p.held(ctx, w.table, w.key)
	if err != nil {
		return fmt.Errorf("reading %s before %s: %w", w.id(), operation, err)
	}
	if before != nil && !p.isOurs(w.id(), before) {
		return p.somebody(operation, w)
	}
	p.mu.Lock()
	if before == nil && len(p.mine[w.id()]) > 0 {
		p.removed = w.id()
	}
	p.mu.Unlock()
	if w.before = before; w.before != nil && !dynamo.Equal(before[Mark], p.mark) {
		return &Refusal{operation, "no condition tells what " + w.id() + " holds from an item of somebody else"}
	}
	w.mark(p.mark)
	if err := w.computed(before); err != nil {
		return &Refusal{operation, "it is not known what it makes of " + w.id() + ": " + err.Error()}
	}
	if reason := p.shows(w); reason != "" {
		return &Refusal{operation, reason}
	}
	return nil
}

// Disturbed names a key of the run's that does not hold what the run left there: since it was asked last somebody has removed or changed that.
// It is empty where there is none.
func (p *Protection) Disturbed(ctx context.Context) (key string, err error) {
	p.mu.Lock()
	key, p.removed = p.removed, ""
	mine := maps.Clone(p.mine)
	p.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(mine)) {
		if key != "" {
			break
		} else if len(mine[id]) == 0 {
			continue
		}
		name, _, _ := strings.Cut(id, " ")
		now, err := p.held(ctx, name, keyOf(p.tables[name], mine[id][0]))
		if err != nil {
			return "", err
		}
		if now == nil || !p.isOurs(id, now) {
			key = id
		}
	}
	return key, nil
}

// barred says why a key is not written, whatever it holds; empty when it may be.
func (p *Protection) barred(w *write) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if reason := p.withheld[w.id()]; reason != "" {
		return reason
	}
	if !p.planned[w.id()] {
		return "key " + w.id() + " was not among those that were found to be free before the first write"
	}
	return ""
}

func (p *Protection) isOurs(id string, item accesspatterns.Item) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.mine[id], func(known accesspatterns.Item) bool { return dynamo.EqualItems(known, item) })
}

func (p *Protection) somebody(operation string, w *write) error {
	return &Refusal{operation, "somebody else wrote " + w.id() + " during the run, and it was left as it is"}
}

// refused reports whether an answer says that nothing was written.
func refused(err error) bool {
	var answer *smithyhttp.ResponseError
	return errors.As(err, &answer) && answer.HTTPStatusCode() >= http.StatusBadRequest && answer.HTTPStatusCode() < http.StatusInternalServerError
}

// failed notes what a request without a success has written: nothing when it was
// refused, and perhaps something when its answer was lost.
func (p *Protection) failed(writes []*write, err error, retried bool) error {
	if !retried && refused(err) {
		return p.settled(writes, false, func(w *write) accesspatterns.Item { return w.before })
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range writes {
		if w.change != check {
			p.holds(w.id(), w.before, w.after)
		}
	}
	return nil
}

// settled notes what each key holds once it is known what became of a request. Where an attempt before the last may put an item yet, as soon
// as its key is free again, the journal is not told that.
func (p *Protection) settled(writes []*write, open bool, holds func(*write) accesspatterns.Item) error {
	var outcomes []Entry
	p.mu.Lock()
	for _, w := range writes {
		if w.change != check {
			p.holds(w.id(), holds(w))
			if open && w.before == nil && w.after != nil {
				continue
			}
			outcomes = append(outcomes, Entry{Change: Holds, Table: w.table, Key: w.key, Item: holds(w)})
		}
	}
	p.mu.Unlock()
	return p.options.Journal.Settle(outcomes...)
}

// holds notes what a key holds of this run's, or may hold; nil for nothing.
func (p *Protection) holds(id string, items ...accesspatterns.Item) {
	p.mine[id] = nil
	for _, item := range items {
		if item != nil {
			p.mine[id], p.ever[id] = appendItem(p.mine[id], item), appendItem(p.ever[id], item)
		}
	}
}

// retried reports whether a request was sent more than once: then the last answer
// says nothing about the attempts before it.
func retried(metadata middleware.Metadata) bool {
	attempts, counted := retry.GetAttemptResults(metadata)
	return counted && len(attempts.Results) > 1
}

// unanswered counts the attempts of a request of which no answer tells what became of them.
func unanswered(metadata middleware.Metadata) (count int) {
	attempts, _ := retry.GetAttemptResults(metadata)
	for _, attempt := range attempts.Results {
		if attempt.Err != nil && !refused(attempt.Err) {
			count++
		}
	}
	return count
}

// landed reports whether an earlier attempt of a request carried it out: then its condition fails
// the next one, and every key holds what the request makes of it. A mark tells that from what
// others wrote.
func (p *Protection) landed(ctx context.Context, writes []*write, err error) bool {
	if !IsConditionFailure(err) && !errors.As(err, new(*types.TransactionCanceledException)) {
		return false
	}
	changed := false
	for _, w := range writes {
		if now, err := p.held(ctx, w.table, w.key); err != nil || !dynamo.EqualItems(now, w.after) {
			return false
		}
		changed = changed || !dynamo.EqualItems(w.before, w.after)
	}
	return changed
}

// taken turns a failure that the protection's own condition may have caused into a refusal,
// where somebody else has written the key since it was read. The failure of a condition
// of the caller's stays what it is.
func (p *Protection) taken(ctx context.Context, operation string, writes []*write, err error) error {
	var cancelled *types.TransactionCanceledException
	var suspects []*write
	switch {
	case IsConditionFailure(err):
		suspects = writes
	case errors.As(err, &cancelled) && len(cancelled.CancellationReasons) == len(writes):
		for i, reason := range cancelled.CancellationReasons {
			if aws.ToString(reason.Code) == "ConditionalCheckFailed" {
				suspects = append(suspects, writes[i])
			}
		}
	}
	for _, w := range suspects {
		now, readErr := p.held(ctx, w.table, w.key)
		if readErr != nil {
			return fmt.Errorf("reading %s after %s was refused: %w", w.id(), operation, readErr)
		}
		// What is still as it was read failed the caller's own condition; what the write
		// would make is the work of an attempt whose answer was lost.
		if !(w.conditional && dynamo.EqualItems(w.before, now)) && !dynamo.EqualItems(w.after, now) {
			return p.somebody(operation, w)
		}
	}
	return err
}

func appendItem(items []accesspatterns.Item, item accesspatterns.Item) []accesspatterns.Item {
	if slices.ContainsFunc(items, func(known accesspatterns.Item) bool { return dynamo.EqualItems(known, item) }) {
		return items
	}
	return append(slices.Clone(items), item)
}

// Change is what a write does to an item.
type Change string

// The changes.
const (
	// Put: the key will hold exactly the entry's item, or what it held before.
	Put Change = "put"
	// Update: the same; the item is what the update makes of what the key held.
	Update Change = "update"
	// Delete: the key will hold nothing, or what it held before.
	Delete Change = "delete"
	// Holds: the outcome of the writes before is known, and the key holds exactly
	// the entry's item of this run's, or nothing of this run's when there is none.
	Holds Change = "holds"
	// check: nothing is written; a condition check in a transaction.
	check Change = "check"
)

// Entry is one write to one key, announced before it is sent, or its outcome.
type Entry struct {
	Change Change
	// Table is the deployed name.
	Table string
	// Key is the primary key.
	Key accesspatterns.Item
	// Item is the whole item that a put or an update makes, or what the key holds.
	Item accesspatterns.Item
}
