package suite

import (
	"context"

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
	writes, err := accesspatterns.Writes(input)
	if err != nil {
		return // no engine takes it
	}
	for i := range writes {
		if writes[i].Kind == accesspatterns.ConditionCheck {
			continue
		}
		for j := range s.Design.Tables {
			table := &s.Design.Tables[j]
			if name, err := s.TableName(table.ID); err == nil && name == writes[i].Table {
				each(table, writes[i].Place())
			}
		}
	}
}
