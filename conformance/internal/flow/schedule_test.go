package flow

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
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
	if outcomes[0].Err != nil || outcomes[0].Stopped != "" || outcomes[1].Stopped != "orders" || len(s.asked) != 3 {
		t.Errorf("expected the first run to write and the second to end, found %+v after %d requests", outcomes, len(s.asked))
	}
}

// Two requests for one item meet, however a Number of its key is written; those for two items do not.
func TestRequestsMeetByTheValueOfAKey(t *testing.T) {
	r := &Runner{Design: &ap.Design{Tables: []ap.Table{{ID: "orders", PartitionKey: ap.Key{Attribute: "id", Type: dynamo.Number}}}}, TableName: func(id string) (string, error) { return id, nil }}
	write := func(id string) *Request {
		return r.describe(&dynamodb.DeleteItemInput{TableName: aws.String("orders"), Key: ap.Item{"id": &types.AttributeValueMemberN{Value: id}}})
	}
	for other, commutes := range map[string]bool{"1": false, "1.0": false, "10e-1": false, "1.1": true} {
		if got := write("1").commutes(write(other)); got != commutes {
			t.Errorf("1 and %s: expected that they commute: %v, found %v", other, commutes, got)
		}
	}
}
