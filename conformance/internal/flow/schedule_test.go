package flow

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	ap "dynaproof/accesspatterns"
)

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
		r, s := runner(t, func(_ int, operation, body string) (int, string) {
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
		if got := asked(turns(WhenAllRead, WhenAllRead, WhenAllRead, WhenAllRead)); !strings.HasPrefix(got, "????") || strings.Count(got, "?") != 4 {
			t.Fatalf("expected all reads before the first write, found %s", got)
		}
		if got := asked(turns(AfterWriters, WhenAllRead, AfterWriters)); !strings.HasPrefix(got, "???B") || len(got) != 6 {
			t.Fatalf("expected all reads, then the write of the run that is ahead, found %s", got)
		}
	}
}

// A run that ends before its writes must not hold the others back.
func TestRunsThatDoNotWriteAreNotWaitedFor(t *testing.T) {
	r, s := runner(t, func(_ int, operation, body string) (int, string) {
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
	if outcomes[0].Err != nil || outcomes[0].Stopped != "" || outcomes[1].Stopped != "orders" || len(s.asked) != 3 {
		t.Errorf("expected the first run to write and the second to end, found %+v after %d requests", outcomes, len(s.asked))
	}
}
