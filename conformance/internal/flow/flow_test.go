package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/internal/batch"
	"dynaproof/conformance/internal/test/standin"
	"dynaproof/conformance/target"
)

// script keeps what was asked.
type script struct {
	mu    sync.Mutex
	asked []string
}

// shop is a table of orders by customer, with sessions that expire.
func shop() *ap.Design {
	return &ap.Design{Name: "shop", Tables: []ap.Table{{
		ID: "Orders", PartitionKey: ap.Key{Attribute: "PK", Type: dynamo.String}, SortKey: &ap.Key{Attribute: "SK", Type: dynamo.String},
	}}}
}

// runner returns a runner whose requests are answered with the status and the body that answer has for the n-th of them, counted from 0.
func runner(answer func(n int, operation, body string) (int, string)) (*Runner, *script) {
	s := &script{}
	service := standin.Service(func(w http.ResponseWriter, operation, asked string) {
		s.mu.Lock()
		n := len(s.asked)
		s.asked = append(s.asked, operation+" "+asked)
		s.mu.Unlock()
		status, text := answer(n, operation, asked)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	})
	once := func(options *dynamodb.Options) { options.RetryMaxAttempts = 1 }
	return &Runner{
		Design: shop(), Client: service.Client(once), Poll: time.Microsecond, Now: 100,
		TableName: func(id string) (string, error) { return "deployed-" + id, nil },
	}, s
}

func key(partition, sort ap.KeyTemplate) []ap.Equality {
	return []ap.Equality{*designtest.Equals("PK", partition), *designtest.Equals("SK", sort)}
}

func list() *ap.Read {
	return &ap.Read{Operation: dynamo.Query, Table: "Orders", Partition: designtest.Equals("PK", "C#{id}"), Expires: "ttl"}
}

// clear deletes all orders of a customer in batches.
func clearing() *ap.Pattern {
	return &ap.Pattern{ID: "clear", Steps: []ap.Step{
		{Name: "orders", Read: list(), StopWhenEmpty: true},
		{Name: "delete", Batch: sdk.MaxBatch, ForEach: &ap.ForEach{Step: "orders", Bind: []ap.Binding{{Attribute: "SK", Parameter: "order"}}},
			Write: []ap.Action{{Kind: ap.Delete, Table: "Orders", Key: key("C#{id}", "{order}")}}},
	}}
}

func orders(sortKeys ...string) string {
	var items []string
	for _, sk := range sortKeys {
		items = append(items, fmt.Sprintf(`{"PK":{"S":"C#1"},"SK":{"S":%q}}`, sk))
	}
	return fmt.Sprintf(`{"Items":[%s],"Count":%d,"ScannedCount":%[2]d}`, strings.Join(items, ","), len(items))
}

// deleted returns the sort keys that a BatchWriteItem body deletes.
func deleted(t *testing.T, body string) []string {
	t.Helper()
	return tabletest.As[[]string](t, tabletest.JQ(t, `.RequestItems["deployed-Orders"] | map(.DeleteRequest.Key.SK.S)`, json.RawMessage(body)))
}

// unprocessed is an answer that leaves the deletions of these orders undone.
func unprocessed(sortKeys ...string) string {
	var left []string
	for _, sk := range sortKeys {
		left = append(left, fmt.Sprintf(`{"DeleteRequest":{"Key":{"PK":{"S":"C#1"},"SK":{"S":%q}}}}`, sk))
	}
	return fmt.Sprintf(`{"UnprocessedItems":{"deployed-Orders":[%s]}}`, strings.Join(left, ","))
}

func TestUnprocessedWritesAreSentAgain(t *testing.T) {
	var all []string
	for i := range 30 {
		all = append(all, "ORDER#"+string(rune('A'+i)))
	}
	applied := map[string]int{}
	r, s := runner(func(n int, operation, body string) (int, string) {
		if operation == "Query" {
			return 200, orders(all...)
		}
		keys := deleted(t, body)
		if len(keys) > 25 {
			return 400, `{"__type":"ValidationException"}`
		}
		done := (len(keys) + 1) / 2 // the engine does the first half and leaves the rest
		for _, sk := range keys[:done] {
			applied[sk]++
		}
		return 200, unprocessed(keys[done:]...)
	})
	done, err := r.Execute(t.Context(), Execution{Pattern: clearing(), Params: ap.Params{"id": "1"}})
	require.NoError(t, err)
	assert.Len(t, done.Written, 2, "expected 30 deletions as 2 batches")
	assert.Len(t, applied, len(all), "expected all 30 orders to be deleted")
	for _, sk := range all {
		assert.Equal(t, 1, applied[sk], "deletions of %s", sk)
	}
	assert.GreaterOrEqual(t, len(s.asked), 5, "expected the unprocessed deletions in further requests")
}

func TestUnprocessedForEver(t *testing.T) {
	r, s := runner(func(_ int, operation, body string) (int, string) {
		if operation == "Query" {
			return 200, orders("ORDER#A")
		}
		return 200, unprocessed("ORDER#A")
	})
	_, err := r.Execute(t.Context(), Execution{Pattern: clearing(), Params: ap.Params{"id": "1"}})
	assert.ErrorIs(t, err, batch.ErrUnprocessed)
	assert.Len(t, s.asked, batch.Attempts+1, "a Query and the attempts")
}

func cancelled(codes ...string) string {
	return fmt.Sprintf(`{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","message":"cancelled","CancellationReasons":[{"Code":"%s"}]}`, strings.Join(codes, `"},{"Code":"`))
}

// move deletes one order and puts another in one transaction.
func moving() *ap.Pattern {
	return &ap.Pattern{ID: "move", Steps: []ap.Step{{Name: "move", Write: []ap.Action{
		{Kind: ap.Delete, Table: "Orders", Key: key("C#{id}", "ORDER#{from}"), Condition: []ap.Condition{{Attribute: "PK", Operator: "attribute_exists"}}},
		{Kind: ap.Put, Table: "Orders", Item: "order", Condition: []ap.Condition{{Attribute: "PK", Operator: "attribute_not_exists"}}},
	}}}}
}

func anOrder(string) ([]ap.Item, error) {
	return []ap.Item{{"PK": &types.AttributeValueMemberS{Value: "C#1"}, "SK": &types.AttributeValueMemberS{Value: "ORDER#B"}}}, nil
}

func TestConflictsAreSentAgainAndRefusalsAreNot(t *testing.T) {
	for _, row := range []struct {
		name    string
		answers []string
		asked   int
		refused bool
	}{
		{name: "two conflicts", answers: []string{cancelled("TransactionConflict", "None"), cancelled("None", "TransactionConflict"), "{}"}, asked: 3},
		{name: "a condition", answers: []string{cancelled("None", "ConditionalCheckFailed"), "{}"}, asked: 1, refused: true},
		{name: "a condition beside a conflict", answers: []string{cancelled("TransactionConflict", "ConditionalCheckFailed"), "{}"}, asked: 1, refused: true},
		{name: "no reason that is known", answers: []string{cancelled("None", "None"), "{}"}, asked: 1, refused: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, s := runner(func(n int, _, _ string) (int, string) {
				if row.answers[n] == "{}" {
					return 200, "{}"
				}
				return 400, row.answers[n]
			})
			_, err := r.Execute(t.Context(), Execution{Pattern: moving(), Params: ap.Params{"id": "1", "from": "A"}, Items: anOrder})
			assert.Equal(t, row.refused, err != nil, "found %v", err)
			assert.Len(t, s.asked, row.asked)
			tokens := map[any]bool{}
			for _, asked := range s.asked {
				_, body, _ := strings.Cut(asked, " ")
				token := tabletest.JQ(t, ".ClientRequestToken", json.RawMessage(body))
				assert.NotEmpty(t, token, "expected an idempotency token in %s", asked)
				tokens[token] = true
			}
			assert.Len(t, tokens, 1, "expected one idempotency token for one logical write")
		})
	}
}

func TestExpiredItemsEndAFlow(t *testing.T) {
	r, s := runner(func(_ int, operation, _ string) (int, string) {
		return 200, `{"Items":[{"PK":{"S":"C#1"},"SK":{"S":"ORDER#A"},"ttl":{"N":"100"}}],"Count":1,"ScannedCount":1}`
	})
	done, err := r.Execute(t.Context(), Execution{Pattern: clearing(), Params: ap.Params{"id": "1"}})
	require.NoError(t, err)
	assert.Equal(t, "orders", done.Stopped, "the step at which the flow ends")
	assert.Len(t, s.asked, 1)
	r.Now = 99
	done, err = r.Execute(t.Context(), Execution{Pattern: clearing(), Params: ap.Params{"id": "1"}})
	require.NoError(t, err)
	assert.Empty(t, done.Stopped, "expected an item that expires a second later to be seen")
}

// TestPagesThatGoRound answers pages that end at two places by turns.
func TestPagesThatGoRound(t *testing.T) {
	r, s := runner(func(n int, _, _ string) (int, string) {
		return 200, fmt.Sprintf(`{"Items":[],"Count":0,"ScannedCount":0,"LastEvaluatedKey":{"PK":{"S":"C#1"},"SK":{"S":"ORDER#%d"}}}`, n%2)
	})
	_, err := r.Read(t.Context(), list(), []ap.Params{{"id": "1"}}, 0)
	_, strange := errors.AsType[*target.StrangeAnswer](err)
	assert.True(t, strange && len(s.asked) == 3, "expected a strange answer at the third page, found %v after %d", err, len(s.asked))
}

func TestDieAfter(t *testing.T) {
	pages := func(n int, operation, _ string) (int, string) {
		if operation == "Query" && n == 0 {
			return 200, `{"Items":[{"PK":{"S":"C#1"},"SK":{"S":"ORDER#A"}}],"Count":1,"ScannedCount":1,"LastEvaluatedKey":{"PK":{"S":"C#1"},"SK":{"S":"ORDER#A"}}}`
		}
		if operation == "Query" {
			return 200, orders("ORDER#B")
		}
		return 200, "{}"
	}
	for after := range 4 {
		r, s := runner(pages)
		r.Before = DieAfter(after)
		done, err := r.Execute(t.Context(), Execution{Pattern: clearing(), Params: ap.Params{"id": "1"}})
		assert.Equal(t, after < 3, errors.Is(err, ErrDead), "after %d: expected death before the third request, found %v", after, err)
		assert.Len(t, s.asked, after, "after %d", after)
		assert.Equal(t, after >= 2, len(done.Written) > 0, "after %d: expected a write to be noted before it is sent", after)
		again := r.Before(nil)
		assert.True(t, after >= 3 || errors.Is(again, ErrDead), "after %d: expected a dead client to stay dead, found %v", after, again)
	}
}

// raced lets runs race in the order of a seed.
func raced(t *testing.T, r *Runner, seed uint64, clients int, runs []Execution, retry bool) []Outcome {
	t.Helper()
	outcomes, _ := r.Race(t.Context(), BySeed(seed), Shares(seed, clients, runs), runs, retry)
	return outcomes
}

func TestRace(t *testing.T) {
	var runs []Execution
	for i := range 20 {
		runs = append(runs, Execution{Pattern: moving(), Params: ap.Params{"id": "1", "from": string(rune('A' + i))}, Items: anOrder})
	}
	order := func(seed uint64) []string {
		r, s := runner(func(int, string, string) (int, string) { return 200, "{}" })
		for _, outcome := range raced(t, r, seed, 1, runs, false) {
			assert.True(t, outcome.Err == nil && outcome.Attempts == 1 && len(outcome.Written) == 1, "expected every run to succeed once, found %+v", outcome)
		}
		var froms []string
		for _, asked := range s.asked {
			at := strings.Index(asked, "ORDER#")
			froms = append(froms, asked[at:at+7])
		}
		return froms
	}
	first, again, other := order(1), order(1), order(2)
	assert.Equal(t, first, again, "expected the seed to decide the order")
	assert.NotEqual(t, first, other, "expected the seed to decide the order")
	assert.Len(t, slices.Compact(slices.Sorted(slices.Values(first))), len(runs), "expected each run once")
	// Twice as many clients as runs, and all of them refused for ever.
	r, s := runner(func(int, string, string) (int, string) { return 400, cancelled("ConditionalCheckFailed", "None") })
	for _, outcome := range raced(t, r, 1, 6, runs[:3], true) {
		require.Error(t, outcome.Err)
		assert.Equal(t, 4, outcome.Attempts, "expected a run to begin once more than there are runs")
	}
	assert.Len(t, s.asked, 12, "expected 12 requests")
}

// A write that may fail is followed by what comes behind it, whatever became of it;
// a client that dies there is dead all the same.
func TestAWriteMayFail(t *testing.T) {
	pattern := moving()
	pattern.Steps[0].MayFail = true
	pattern.Steps = append(pattern.Steps, ap.Step{Name: "behind", Write: []ap.Action{{Kind: ap.Delete, Table: "Orders", Key: key("C#{id}", "LOG")}}})
	run := Execution{Pattern: pattern, Params: ap.Params{"id": "1", "from": "A"}, Items: anOrder}
	for _, row := range []struct {
		name, first string
		status      int
		failed      bool
	}{
		{"refused", cancelled("None", "ConditionalCheckFailed"), 400, true},
		{"throttled", `{"__type": "com.amazonaws.dynamodb.v20120810#ThrottlingException", "message": "slow down"}`, 400, true},
		{"out of order", "{}", 500, true},
		{"written", "{}", 200, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, s := runner(func(n int, _, _ string) (int, string) {
				if n == 0 {
					return row.status, row.first
				}
				return 200, "{}"
			})
			done, err := r.Execute(t.Context(), run)
			require.NoError(t, err)
			require.True(t, len(s.asked) == 2 && strings.HasPrefix(s.asked[1], "DeleteItem"), "expected the step behind to be sent, found %q", s.asked)
			told := len(done.Failed) == 1 && done.Failed[0].Step == "move" && done.Failed[0].Err != nil
			assert.Equal(t, row.failed, told, "expected a failure to be told, found %v", done.Failed)
		})
	}
	r, s := runner(func(int, string, string) (int, string) { return 400, cancelled("None", "ConditionalCheckFailed") })
	r.Before = DieAfter(0)
	done, err := r.Execute(t.Context(), run)
	assert.True(t, errors.Is(err, ErrDead) && len(s.asked)+len(done.Failed) == 0, "expected a dead client, found %v, %q and %v", err, s.asked, done.Failed)
	r.Before = nil
	done, err = r.Execute(t.Context(), run)
	assert.True(t, err != nil && len(done.Failed) == 1, "expected the step behind to end the run, found %v and %v", err, done.Failed)
}

// steps is a flow that reads and deletes one order, so often.
func steps(times int) *ap.Pattern {
	pattern := &ap.Pattern{ID: "steps"}
	for i := range times {
		pattern.Steps = append(pattern.Steps, ap.Step{Name: fmt.Sprint("delete", i), Write: []ap.Action{{Kind: ap.Delete, Table: "Orders", Key: key("C#{id}", "ORDER#{order}")}}})
	}
	return pattern
}

// tryAll goes through all orders of two clients and returns each as the clients that sent, but for those that come to the same as an earlier one.
func tryAll(t *testing.T, r *Runner, runs []Execution) (orders []string) {
	t.Helper()
	explorer := &Explorer{}
	for more := true; more; more = explorer.Advance() {
		_, sent := r.Race(t.Context(), explorer.Next, [][]int{{0}, {1}}, runs, false)
		var order strings.Builder
		for _, request := range sent {
			fmt.Fprint(&order, request.Client+1)
		}
		if !explorer.Redundant {
			orders = append(orders, order.String())
		}
		require.NoError(t, explorer.Err)
		require.LessOrEqual(t, len(orders), 1000, "expected the orders to come to an end")
	}
	return orders
}

func TestEveryOrderIsTried(t *testing.T) {
	run := func(order string, times int) Execution {
		return Execution{Pattern: steps(times), Params: ap.Params{"id": "1", "order": order}}
	}
	reads := Execution{Pattern: &ap.Pattern{ID: "reads", Steps: []ap.Step{{Name: "a", Read: list()}, {Name: "b", Read: list()}}}, Params: ap.Params{"id": "1"}}
	for name, row := range map[string]struct {
		one, other Execution
		want       int
	}{
		"one request each on one item":                {run("A", 1), run("A", 1), 2},
		"three requests each on one item: 6 over 3":   {run("A", 3), run("A", 3), 20},
		"two and four requests on one item: 6 over 2": {run("A", 2), run("A", 4), 15},
		"other items": {run("A", 3), run("B", 3), 1},
		"reads alone": {reads, reads, 1},
		"two reads of the table and one write into it": {reads, run("A", 1), 3},
	} {
		r, _ := runner(func(int, string, string) (int, string) { return 200, "{}" })
		orders := tryAll(t, r, []Execution{row.one, row.other})
		assert.Len(t, orders, row.want, name)
		slices.Sort(orders)
		assert.Len(t, slices.Compact(orders), row.want, "%s: expected each order once", name)
	}
}

// A counter that is read and then written loses an update in two of the four
// orders of two clients that differ, and a sample can miss both.
func TestALostUpdateIsFound(t *testing.T) {
	stored, orders := 0, map[int]int{}
	var mu sync.Mutex
	r, _ := runner(func(_ int, operation, body string) (int, string) {
		mu.Lock()
		defer mu.Unlock()
		if operation == "Query" {
			return 200, fmt.Sprintf(`{"Items":[{"PK":{"S":"C#1"},"SK":{"S":"ORDER#1"},"n":{"N":"%d"}}],"Count":1,"ScannedCount":1}`, stored)
		}
		at := strings.Index(body, `"N":"`) + len(`"N":"`)
		stored = int(body[at]-'0') + 1
		return 200, "{}"
	})
	count := &ap.Pattern{ID: "count", Steps: []ap.Step{
		{Name: "now", Read: list()},
		{Name: "next", ForEach: &ap.ForEach{Step: "now", Bind: []ap.Binding{{Attribute: "n", Parameter: "n"}}}, Write: []ap.Action{{Kind: ap.Update, Table: "Orders", Key: key("C#{id}", "ORDER#1"), Set: []ap.Assignment{{Attribute: "n", Value: designtest.Digits("{n}")}}}}},
	}}
	runs := []Execution{{Pattern: count, Params: ap.Params{"id": "1"}}, {Pattern: count, Params: ap.Params{"id": "1"}}}
	explorer := &Explorer{}
	for more := true; more; more = explorer.Advance() {
		stored = 0
		r.Race(t.Context(), explorer.Next, [][]int{{0}, {1}}, runs, false)
		if !explorer.Redundant {
			orders[stored]++
		}
	}
	assert.Equal(t, map[int]int{1: 2, 2: 2}, orders, "expected 2 orders that lose an update and 2 that do not")
}

// The order in which requests arrive is the seed's, however many clients race.
func TestASeedMakesTheSameOrder(t *testing.T) {
	var runs []Execution
	for i := range 24 {
		runs = append(runs, Execution{Pattern: turning(), Params: ap.Params{"id": "1", "run": string(rune('A' + i))}})
	}
	arrived := func(seed uint64) string {
		r, s := runner(func(_ int, operation, _ string) (int, string) {
			if operation == "Query" {
				return 200, orders("ORDER#1")
			}
			return 200, "{}"
		})
		_, sent := r.Race(t.Context(), BySeed(seed), Shares(seed, 8, runs), runs, false)
		require.Len(t, sent, len(s.asked), "expected %d requests to arrive", len(sent))
		var order strings.Builder
		for i, request := range sent {
			fmt.Fprintln(&order, request.Client, request.Execution, request.Operation, request.Place)
			require.True(t, strings.HasPrefix(s.asked[i], request.Operation+" "), "request %d: expected %s to arrive, found %s", i, request.Operation, s.asked[i])
		}
		return order.String()
	}
	first := arrived(1)
	for range 20 {
		require.Equal(t, first, arrived(1), "expected the same seed to make the same order")
	}
	assert.NotEqual(t, first, arrived(2), "expected another seed to make another order")
}

// A race ends with its context, whoever waits for whom.
func TestARaceEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, _ := runner(func(int, string, string) (int, string) { cancel(); return 200, "{}" })
	var runs []Execution
	for range 6 {
		runs = append(runs, Execution{Pattern: steps(3), Params: ap.Params{"id": "1", "order": "A"}, Turn: WhenAllRead})
	}
	outcomes, _ := r.Race(ctx, BySeed(1), Shares(1, 6, runs), runs, true)
	for i, outcome := range outcomes {
		assert.Error(t, outcome.Err, "run %d: expected the end of the context, found success", i)
	}
}

// turning reads the orders of a customer and deletes one of them.
func turning() *ap.Pattern {
	return &ap.Pattern{ID: "turn", Steps: []ap.Step{
		{Name: "orders", Read: list(), StopWhenEmpty: true},
		{Name: "delete", Write: []ap.Action{{Kind: ap.Delete, Table: "Orders", Key: key("C#{id}", "ORDER#{run}")}}},
	}}
}

func TestRunsWriteWhenItIsTheirTurn(t *testing.T) {
	turns := func(turns ...Turn) []Execution {
		var runs []Execution
		for i, turn := range turns {
			runs = append(runs, Execution{Pattern: turning(), Params: ap.Params{"id": "1", "run": string(rune('A' + i))}, Turn: turn})
		}
		return runs
	}
	asked := func(runs []Execution) string {
		r, s := runner(func(_ int, operation, body string) (int, string) {
			if operation == "Query" {
				return 200, orders("ORDER#1")
			}
			return 200, "{}"
		})
		for i, outcome := range raced(t, r, 1, 2, runs, false) {
			assert.NoError(t, outcome.Err, "run %d", i)
		}
		var order strings.Builder
		for _, line := range s.asked {
			if strings.HasPrefix(line, "Query") {
				order.WriteByte('?')
				continue
			}
			order.WriteByte(line[strings.Index(line, "ORDER#")+len("ORDER#")])
		}
		return order.String()
	}
	for range 20 {
		got := asked(turns(WhenAllRead, WhenAllRead, WhenAllRead, WhenAllRead))
		require.True(t, strings.HasPrefix(got, "????") && strings.Count(got, "?") == 4, "expected all reads before the first write, found %s", got)
		got = asked(turns(AfterWriters, WhenAllRead, AfterWriters))
		require.True(t, strings.HasPrefix(got, "???B") && len(got) == 6, "expected all reads, then the write of the run that is ahead, found %s", got)
	}
}

// A run that ends before its writes must not hold the others back.
func TestRunsThatDoNotWriteAreNotWaitedFor(t *testing.T) {
	r, s := runner(func(_ int, operation, body string) (int, string) {
		if strings.Contains(body, "C#2") {
			return 200, orders()
		}
		if operation == "Query" {
			return 200, orders("ORDER#1")
		}
		return 200, "{}"
	})
	runs := []Execution{
		{Pattern: turning(), Params: ap.Params{"id": "1", "run": "A"}, Turn: AfterWriters},
		{Pattern: turning(), Params: ap.Params{"id": "2", "run": "B"}, Turn: WhenAllRead},
	}
	outcomes := raced(t, r, 1, 1, runs, false)
	require.NoError(t, outcomes[0].Err)
	assert.Equal(t, []string{"", "orders"}, []string{outcomes[0].Stopped, outcomes[1].Stopped}, "expected the first run to write and the second to end")
	assert.Len(t, s.asked, 3)
}

// Two requests for one item meet, however a Number of its key is written; those for two items do not.
func TestRequestsMeetByTheValueOfAKey(t *testing.T) {
	r := &Runner{Design: &ap.Design{Tables: []ap.Table{{ID: "orders", PartitionKey: ap.Key{Attribute: "id", Type: dynamo.Number}}}}, TableName: func(id string) (string, error) { return id, nil }}
	write := func(id string) *Request {
		return r.describe(&dynamodb.DeleteItemInput{TableName: aws.String("orders"), Key: ap.Item{"id": &types.AttributeValueMemberN{Value: id}}})
	}
	for other, commutes := range map[string]bool{"1": false, "1.0": false, "10e-1": false, "1.1": true} {
		assert.Equal(t, commutes, write("1").commutes(write(other)), "1 and %s: expected that they commute", other)
	}
}
