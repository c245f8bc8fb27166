package flow

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
)

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
		_, sent := r.Race(t.Context(), explorer, [][]int{{0}, {1}}, runs, false)
		var order strings.Builder
		for _, request := range sent {
			fmt.Fprint(&order, request.Client+1)
		}
		if !explorer.Redundant() {
			orders = append(orders, order.String())
		}
		require.NoError(t, explorer.Err())
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
		{Name: "next", ForEach: designtest.Each("now", "n", "n"), Write: []ap.Action{{Kind: ap.Update, Table: "Orders", Key: key("C#{id}", "ORDER#1"), Set: []ap.Assignment{{Attribute: "n", Value: designtest.Digits("{n}")}}}}},
	}}
	runs := []Execution{{Pattern: count, Params: ap.Params{"id": "1"}}, {Pattern: count, Params: ap.Params{"id": "1"}}}
	explorer := &Explorer{}
	for more := true; more; more = explorer.Advance() {
		stored = 0
		r.Race(t.Context(), explorer, [][]int{{0}, {1}}, runs, false)
		if !explorer.Redundant() {
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
