package session

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/conformance/internal/batch"
	"dynaproof/conformance/internal/flow"
	"dynaproof/conformance/target"
)

// Answer is what one logical read returned, with the SDK invocations that asked
// for it.
type Answer struct {
	flow.Answer
	Invocations []string
	// looked are the invocations of all looks, where an index was looked at several
	// times; invocations are those of the last.
	looked []string
}

// All returns the invocations of every look.
func (a *Answer) All() []string {
	if len(a.looked) > 0 {
		return a.looked
	}
	return a.Invocations
}

// Runner sends the requests of patterns for the session.
func (s *Session) Runner() *flow.Runner {
	return &flow.Runner{Design: s.Design, Client: s.Client, TableName: s.TableName, Now: s.Fixtures.At.Unix(), Poll: s.Bounds.Poll}
}

// Read runs one read for each set of parameters. pageSize 0 keeps the documented
// page size; another value replays the same read in pages of that many items.
func (s *Session) Read(ctx context.Context, read *accesspatterns.Read, repetitions []accesspatterns.Params, pageSize int32) (*Answer, error) {
	before := s.Recorder.Len()
	got, err := s.Carrier().Read(ctx, read, repetitions, pageSize)
	return &Answer{Answer: *got, Invocations: s.Recorder.Invocations(before)}, err
}

// Pages hands the items of a query over page by page, until no more are wanted.
func Pages(ctx context.Context, client *dynamodb.Client, query *dynamodb.QueryInput, more func(items []accesspatterns.Item) bool) error {
	pages, ends := dynamodb.NewQueryPaginator(client, query), target.Ends{}
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err == nil {
			err = ends.Add("Query", dynamo.ShowItem(page.LastEvaluatedKey))
		}
		if err != nil || !more(page.Items) {
			return err
		}
	}
	return nil
}

// Awaited repeats a look until it shows the expected items and no others in several
// looks on end, because index reads are eventually consistent: an index that lags
// behind its table lacks an item, shows what was deleted or changed since, or shows,
// where the read has a limit, the next item in place of one that it lacks. The last
// answer is returned in either case, for the caller to judge.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.Writes
func (s *Session) Awaited(ctx context.Context, expected []ExpectedItem, look func() (*Answer, error)) (*Answer, error) {
	return s.AwaitedUntil(ctx, LooksOnEnd, look, func(last *Answer) bool {
		compared := Compare(expected, last.Items, false)
		return len(compared.Missing)+len(compared.Unexpected) == 0
	})
}

// Shown looks once at a table, and at an index until it shows so many items, or where no count is given the expected ones and no others.
func (s *Session) Shown(ctx context.Context, index string, expected []ExpectedItem, count *int, look func() (*Answer, error)) (*Answer, error) {
	switch {
	case index == "":
		return look()
	case count != nil:
		return s.AwaitedUntil(ctx, LooksOnEnd, look, func(last *Answer) bool { return last.Count == *count })
	}
	return s.Awaited(ctx, expected, look)
}

// AwaitedAmong repeats a look until it shows the expected items, or any of others:
// a measurement has other data rightly among the expected items, and where the read
// has a limit in their place.
func (s *Session) AwaitedAmong(ctx context.Context, expected []ExpectedItem, look func() (*Answer, error)) (*Answer, error) {
	return s.AwaitedUntil(ctx, 1, look, func(last *Answer) bool {
		compared := Compare(expected, last.Items, false)
		return len(compared.Missing) == 0 || len(compared.Unexpected) > 0
	})
}

// LooksOnEnd is how often on end an index has to show what is expected: each copy of
// an index lags by itself.
const LooksOnEnd = 3

// AwaitedUntil repeats a look until it has shown what it must so many times on end, or the bound for indexes is over.
func (s *Session) AwaitedUntil(ctx context.Context, onEnd int, look func() (*Answer, error), shown func(last *Answer) bool) (last *Answer, err error) {
	var looked []string
	err = lookUntil(ctx, s, func() (bool, error) {
		for range onEnd {
			var err error
			if last, err = look(); err != nil {
				return false, err
			}
			looked = append(looked, last.Invocations...)
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

// fewestLooks is how often an index is looked at before it is said not to show something, however long the looks take: one of them may be
// late, or meet the one copy of an index that lags.
const fewestLooks = LooksOnEnd

// lookUntil repeats a look until it is done or fails, or until the bound for indexes is over and there were [fewestLooks]. It returns the
// look's error, or why the context ended while it waited.
func lookUntil(ctx context.Context, s *Session, look func() (done bool, err error)) error {
	deadline := time.Now().Add(s.Bounds.IndexRead)
	for looks := 1; ; looks++ {
		if done, err := look(); done || err != nil {
			return err
		}
		left, pause := time.Until(deadline), s.Bounds.Poll
		if left <= 0 && looks >= fewestLooks {
			return nil
		}
		if left > 0 {
			pause = min(pause, left)
		}
		if err := batch.Pause(ctx, pause, 0); err != nil {
			return err
		}
	}
}
