package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/internal/batch"
	"dynaproof/conformance/suite/failures"
	"dynaproof/conformance/suite/recorder"
	"dynaproof/fixtures"
)

// loadItems puts every item that is not held. Items that the engine refuses one by
// one are remembered, not fatal: the claims that rest on them fail with the
// engine's own words.
func loadItems(ctx context.Context, s *Session) error {
	byTable := map[string][]*fixtures.Item{}
	for item := range lists.Each(s.Fixtures.Items) {
		if item.Held || s.LoadErrs[item.Name] != nil { // or left out beside the items of others
			continue
		}
		table, err := s.Fixtures.TableOf(s.Design, item)
		if err != nil {
			return err
		}
		byTable[table.ID] = append(byTable[table.ID], item)
	}
	for _, id := range slices.Sorted(maps.Keys(byTable)) {
		name, err := s.TableName(id)
		if err != nil {
			for _, item := range byTable[id] {
				s.LoadErrs[item.Name] = err
			}
			continue
		}
		for chunk := range slices.Chunk(byTable[id], sdk.MaxBatch) {
			if err := loadChunk(ctx, s, name, chunk); err != nil {
				return err
			}
			table, _ := s.Design.Table(id)
			for _, item := range chunk {
				if s.LoadErrs[item.Name] != nil {
					continue // refused: nothing to put back later, which would be refused again, with the items beside it
				}
				s.Loaded[evaluate.KeyIn(table, accesspatterns.Item(item.Item))] = accesspatterns.Item(item.Item)
				expectInIndexes(s, table, accesspatterns.Item(item.Item))
			}
		}
	}
	return nil
}

// loadChunk loads at most [sdk.MaxBatch] items into a table.
func loadChunk(ctx context.Context, s *Session, tableName string, chunk []*fixtures.Item) error {
	if s.Protection == nil {
		puts := lists.Map(chunk, func(item *fixtures.Item) sdk.Write { return putInto(tableName, item.Item) })
		if err := batchWrite(ctx, s, puts); err == nil {
			return nil
		} else if failures.Classify(err) != failures.Refused {
			return fmt.Errorf("loading %s: %w", tableName, err)
		}
	}
	// Beside the items of others no batch is sent; elsewhere one bad item refuses the whole batch: find out which.
	for _, item := range chunk {
		put := putInto(tableName, item.Item)
		_, err := sdk.Send(ctx, s.Client, put.Input())
		if err == nil {
			continue
		}
		switch failures.Classify(err) {
		case failures.Withheld:
			s.Protection.Withhold(tableName, item.Item, err.Error())
		case failures.Refused:
		default:
			return fmt.Errorf("loading item %s: %w", item.Name, err)
		}
		s.LoadErrs[item.Name] = err
	}
	return nil
}

// batchSender sends the session's batches.
func batchSender(s *Session) batch.Sender {
	return batch.Sender{Client: s.Client, Poll: s.Bounds.Poll}
}

func putInto(tableName string, item accesspatterns.Item) sdk.Write {
	return sdk.Write{Kind: accesspatterns.Put, Table: tableName, Item: item}
}

// batchWrite writes at most [sdk.MaxBatch] items of a table.
func batchWrite(ctx context.Context, s *Session, writes []sdk.Write) error {
	if s.Protection != nil {
		return existingTables{s}.oneByOne(ctx, writes)
	}
	input, err := sdk.Batch(writes)
	if err != nil {
		return err
	}
	return batchSender(s).Write(ctx, input)
}

// ReadBack reads a loaded item once, for the claims that look at items as the engine stores them; nil where the engine lost it.
func (s *Session) ReadBack(ctx context.Context, item *fixtures.Item) *cached[accesspatterns.Item] {
	what := "item " + item.Name
	answer := once(ctx, s, recorder.ReadingBack, what, func(ctx context.Context) (accesspatterns.Item, error) {
		table, err := s.Fixtures.TableOf(s.Design, item)
		if err != nil {
			return nil, err
		}
		return s.Get(ctx, table, table.KeyOf(accesspatterns.Item(item.Item)))
	})
	if answer.Err != nil && failures.Classify(answer.Err) != failures.Refused {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.answers, what) // the next claim asks again
	}
	return answer
}

// Get reads one item with a consistent read; nil when there is none.
func (s *Session) Get(ctx context.Context, table *accesspatterns.Table, key accesspatterns.Item) (accesspatterns.Item, error) {
	input, err := s.get(table, key)
	if err != nil {
		return nil, err
	}
	return s.Carrier().Get(ctx, input)
}

const (
	// restoreTime bounds how long items are put back.
	restoreTime = time.Minute
	// Grace bounds it after the end of the context: an engine that no longer answers
	// would else be waited for claim by claim.
	Grace = 10 * time.Second
)

// Afterwards is a context for what has to be done when a claim was decided, also when
// its own context is over: it ends after [restoreTime], and [graceTime] after the other.
func Afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreTime)
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(Grace, cancel) })
	return after, func() {
		stop()
		cancel()
	}
}

// Restore puts the tables' items back as they were loaded, for every key that
// was written, after an interrupt too.
func (s *Session) Restore(ctx context.Context, touched []TouchedKey) error {
	ctx, cancel := Afterwards(recorder.WithClaim(ctx, recorder.Restoring))
	defer cancel()
	byTable := map[string][]sdk.Write{}
	seen := map[string]bool{}
	for _, touch := range touched {
		id := evaluate.KeyIn(touch.Table, touch.Key)
		if seen[id] {
			continue // a batch must not name a key twice
		}
		seen[id] = true
		expectNoLonger(s, touch)
		write := sdk.Write{Kind: accesspatterns.Delete, Table: s.Deployment.Tables[touch.Table.ID], Key: touch.Key}
		if item := s.Loaded[id]; item != nil {
			write = putInto(write.Table, item)
		}
		byTable[touch.Table.ID] = append(byTable[touch.Table.ID], write)
	}
	var problems []error
	defer func() {
		if slices.ContainsFunc(problems, func(err error) bool { return failures.Classify(err) != failures.Refused }) {
			s.Unloaded = errors.Join(problems...)
		} // else the deployment refuses items, and the claims about it say so
	}()
	for _, id := range slices.Sorted(maps.Keys(byTable)) {
		name, err := s.TableName(id)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		for chunk := range slices.Chunk(byTable[id], sdk.MaxBatch) {
			var err error
			if s.Protection != nil {
				err = existingTables{s}.restoreBeside(ctx, name, chunk)
			} else {
				err = batchWrite(ctx, s, chunk)
			}
			if err != nil {
				problems = append(problems, fmt.Errorf("restoring %d items of %s: %w", len(chunk), id, err))
				continue
			}
			table, _ := s.Design.Table(id)
			for _, write := range chunk {
				if write.Kind == accesspatterns.Put {
					expectInIndexes(s, table, write.Item)
				}
			}
		}
	}
	return errors.Join(problems...)
}

// Bulk loads generated items.
func (s *Session) Bulk(ctx context.Context, bulk *fixtures.Bulk) ([]TouchedKey, error) {
	table, known := s.Design.Table(bulk.Table)
	if !known {
		return nil, fmt.Errorf("no table %s in the contract", bulk.Table)
	}
	name, err := s.TableName(table.ID)
	if err != nil {
		return nil, err
	}
	var touched []TouchedKey
	for chunk := range slices.Chunk(bulk.Items(), sdk.MaxBatch) {
		var puts []sdk.Write
		for _, item := range chunk {
			touched = append(touched, TouchedKey{table, table.KeyOf(item)})
			puts = append(puts, putInto(name, item))
		}
		if err := batchWrite(ctx, s, puts); err != nil {
			return touched, err
		}
	}
	return touched, nil
}

// LookAt returns a fixture item, and what its table holds under its key; nil for nothing.
func (s *Session) LookAt(ctx context.Context, name string) (item, got accesspatterns.Item, err error) {
	item, table, err := s.Fixture(name)
	if err == nil {
		got, err = s.Get(ctx, table, table.KeyOf(item))
	}
	return item, got, err
}
