package suite

import (
	"context"
	"time"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/internal/flow"
)

// answer is what one logical read returned, with the SDK invocations that asked
// for it.
type answer struct {
	flow.Answer
	invocations []string
	// looked are the invocations of all looks, where an index was looked at several
	// times; invocations are those of the last.
	looked []string
}

// all returns the invocations of every look.
func (a *answer) all() []string {
	if len(a.looked) > 0 {
		return a.looked
	}
	return a.invocations
}

// runner sends the requests of patterns for the session.
func (s *Session) runner() *flow.Runner {
	return &flow.Runner{Design: s.Design, Client: s.Client, TableName: s.TableName, Now: s.Fixtures.At.Unix(), Poll: s.Bounds.Poll}
}

// read runs one read for each set of parameters. pageSize 0 keeps the documented
// page size; another value replays the same read in pages of that many items.
func (s waitingReader) read(ctx context.Context, read *accesspatterns.Read, repetitions []accesspatterns.Params, pageSize int32) (*answer, error) {
	before := s.recorder.len()
	got, err := s.runner().ReadAll(ctx, read, repetitions, pageSize)
	return &answer{Answer: *got, invocations: s.recorder.invocations(before)}, err
}

// awaited repeats a look until it shows the expected items and no others in several
// looks on end, because index reads are eventually consistent: an index that lags
// behind its table lacks an item, shows what was deleted or changed since, or shows,
// where the read has a limit, the next item in place of one that it lacks. The last
// answer is returned in either case, for the caller to judge.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.Writes
func (s waitingReader) awaited(ctx context.Context, expected []expectedItem, look func() (*answer, error)) (*answer, error) {
	return s.awaitedUntil(ctx, looksOnEnd, look, func(last *answer) bool {
		compared := compare(expected, last.Items, false)
		return len(compared.missing)+len(compared.unexpected) == 0
	})
}

// awaitedAmong repeats a look until it shows the expected items, or any of others:
// a measurement has other data rightly among the expected items, and where the read
// has a limit in their place.
func (s waitingReader) awaitedAmong(ctx context.Context, expected []expectedItem, look func() (*answer, error)) (*answer, error) {
	return s.awaitedUntil(ctx, 1, look, func(last *answer) bool {
		compared := compare(expected, last.Items, false)
		return len(compared.missing) == 0 || len(compared.unexpected) > 0
	})
}

// awaitedCount repeats a look until it shows so many items in several looks on end.
func (s waitingReader) awaitedCount(ctx context.Context, count int, look func() (*answer, error)) (*answer, error) {
	return s.awaitedUntil(ctx, looksOnEnd, look, func(last *answer) bool { return len(last.Items) == count })
}

// looksOnEnd is how often on end an index has to show what is expected: each copy of
// an index lags by itself.
const looksOnEnd = 3

func (s waitingReader) awaitedUntil(ctx context.Context, onEnd int, look func() (*answer, error), shown func(last *answer) bool) (last *answer, err error) {
	var looked []string
	err = s.until(ctx, func() (bool, error) {
		for range onEnd {
			var err error
			if last, err = look(); err != nil {
				return false, err
			}
			looked = append(looked, last.invocations...)
			if !shown(last) {
				return false, nil
			}
		}
		return true, nil
	})
	if last != nil {
		last.looked = looked
	}
	return last, err
}

// until repeats a look until it is done or fails, or until the bound for indexes is
// over. It returns the look's error, or why the context ended while it waited.
func (s waitingReader) until(ctx context.Context, look func() (done bool, err error)) error {
	deadline := time.Now().Add(s.Bounds.IndexRead)
	for {
		if done, err := look(); done || err != nil {
			return err
		}
		left := time.Until(deadline)
		if left <= 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(s.Bounds.Poll, left)):
		}
	}
}

// touched returns the primary keys that a write request writes to.
func (s *Input) touched(input any) []touchedKey {
	var keys []touchedKey
	s.written(input, func(table *accesspatterns.Table, item accesspatterns.Item) {
		keys = append(keys, touchedKey{table, table.KeyOf(item)})
	})
	return keys
}

// written calls each for every item that a write request writes: the whole item of
// a put, the key of any other write.
func (s *Input) written(input any, each func(*accesspatterns.Table, accesspatterns.Item)) {
	s.addressed(input, func(kind accesspatterns.ActionKind, table *accesspatterns.Table, item accesspatterns.Item) {
		if kind != accesspatterns.ConditionCheck {
			each(table, item)
		}
	})
}

// addressed is written for the keys too that a transaction looks at with a condition check.
func (s *Input) addressed(input any, each func(accesspatterns.ActionKind, *accesspatterns.Table, accesspatterns.Item)) {
	writes, err := sdk.Writes(input)
	if err != nil {
		return // no engine takes it
	}
	for i := range writes {
		for j := range s.Design.Tables {
			table := &s.Design.Tables[j]
			if name, err := s.TableName(table.ID); err == nil && name == writes[i].Table {
				each(writes[i].Kind, table, writes[i].Place())
			}
		}
	}
}
