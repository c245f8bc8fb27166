package guard_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/tabletest"
)

// wide is a design of n list patterns, n item patterns and the entities to go
// with them.
func wide(n int) *ap.Design {
	cite := designtest.Line(1, "x")
	design := &ap.Design{
		Name: "wide", Document: ap.Document{File: "wide.md"}, AccessPatterns: cite,
		Tables: []ap.Table{{ID: "T", Name: "T", Cite: cite, KeyCite: cite,
			PartitionKey: ap.Key{Attribute: "PK", Type: dynamo.String}, SortKey: &ap.Key{Attribute: "SK", Type: dynamo.String}}},
	}
	for i := range n {
		kind := fmt.Sprintf("KIND%d#", i)
		design.Patterns = append(design.Patterns,
			ap.Pattern{ID: fmt.Sprint("list-", i), Cite: cite, Roles: []string{"user"}, Steps: []ap.Step{{Name: "read", Cite: cite, Read: &ap.Read{
				Operation: dynamo.Query, Table: "T", Partition: designtest.Equals("PK", "USER#{userId}"), Sort: designtest.BeginsWith("SK", ap.KeyTemplate(kind)),
				Filter:     []ap.Condition{{Attribute: "owner", Operator: expression.Equal, Value: designtest.Text("{userId}")}},
				Projection: []string{"PK", "SK", "data.shared"}}}}},
			ap.Pattern{ID: fmt.Sprint("get-", i), Cite: cite, Roles: []string{"user"},
				Steps: []ap.Step{{Name: "read", Cite: cite, Read: designtest.Get("T", designtest.Equals("PK", "USER#{userId}"), designtest.Is("SK", ap.KeyTemplate(kind+"{id}")))}}})
		design.Entities = append(design.Entities, ap.Entity{ID: fmt.Sprint("entity-", i), Table: "T", Cite: cite, Keys: []ap.KeyAttribute{
			{Attribute: "PK", Template: "USER#{userId}"}, {Attribute: "SK", Template: ap.KeyTemplate(kind + "{id}")}}})
	}
	return design
}

func text(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }

func wideQuery(i int) *dynamodb.QueryInput {
	return &dynamodb.QueryInput{
		TableName:                 aws.String("T"),
		KeyConditionExpression:    aws.String("(#n0 = :v0) AND (begins_with (#n1, :v1))"),
		FilterExpression:          aws.String("#n2 = :v2"),
		ProjectionExpression:      aws.String("#n0, #n1, #n3.#n4"),
		ExpressionAttributeNames:  map[string]string{"#n0": "PK", "#n1": "SK", "#n2": "owner", "#n3": "data", "#n4": "shared"},
		ExpressionAttributeValues: map[string]types.AttributeValue{":v0": text("USER#u-1"), ":v1": text(fmt.Sprintf("KIND%d#", i)), ":v2": text("u-1")},
	}
}

func wideGet(i int) *dynamodb.GetItemInput {
	return &dynamodb.GetItemInput{TableName: aws.String("T"),
		Key: map[string]types.AttributeValue{"PK": text("USER#u-1"), "SK": text(fmt.Sprintf("KIND%d#7", i))}}
}

func wideGuard(tb testing.TB, n int) *guard.Guard {
	tb.Helper()
	return tabletest.Must(guard.New(wide(n), guard.ForRole("user")))(tb)
}

var patternCounts = []int{1, 10, 100, 1000}

// BenchmarkCall sends the same calls over the same transport, bare and guarded
// by designs of 2 to 2,000 patterns: the difference is the guard's cost.
func BenchmarkCall(b *testing.B) {
	ctx := context.Background()
	call := func(b *testing.B, client *dynamodb.Client, query *dynamodb.QueryInput, get *dynamodb.GetItemInput) {
		b.ReportAllocs()
		for b.Loop() {
			var err error
			if query != nil {
				_, err = client.Query(ctx, query)
			} else {
				_, err = client.GetItem(ctx, get)
			}
			require.NoError(b, err)
		}
	}
	b.Run("Query/bare", func(b *testing.B) { call(b, newClient(answering(`{}`)), wideQuery(0), nil) })
	for _, n := range patternCounts {
		b.Run(fmt.Sprintf("Query/guarded/%d", 2*n), func(b *testing.B) {
			call(b, newClient(answering(`{}`), wideGuard(b, n).Attach), wideQuery(n-1), nil)
		})
	}
	b.Run("GetItem/bare", func(b *testing.B) { call(b, newClient(answering(`{}`)), nil, wideGet(0)) })
	for _, n := range patternCounts {
		b.Run(fmt.Sprintf("GetItem/guarded/%d", 2*n), func(b *testing.B) {
			call(b, newClient(answering(`{}`), wideGuard(b, n).Attach), nil, wideGet(n-1))
		})
	}
}

// BenchmarkCheck is the guard alone.
func BenchmarkCheck(b *testing.B) {
	ctx := context.Background()
	for _, n := range patternCounts {
		g := wideGuard(b, n)
		for name, input := range map[string]any{"Query": wideQuery(n - 1), "GetItem": wideGet(n - 1)} {
			b.Run(fmt.Sprintf("%s/%d", name, 2*n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_, err := g.Check(ctx, input)
					require.NoError(b, err)
				}
			})
		}
	}
}

// TestCostInAllocations holds the guard to at most 5 allocations more than the
// bare call, whatever the number of patterns. Time is left to BenchmarkCall:
// a test of it would depend on the machine.
func TestCostInAllocations(t *testing.T) {
	measure := func(client *dynamodb.Client, query bool, i int) float64 {
		q, g := wideQuery(i), wideGet(i)
		return testing.AllocsPerRun(200, func() {
			var err error
			if query {
				_, err = client.Query(t.Context(), q)
			} else {
				_, err = client.GetItem(t.Context(), g)
			}
			require.NoError(t, err)
		})
	}
	bare := map[bool]float64{}
	for _, query := range []bool{true, false} {
		bare[query] = measure(newClient(answering(`{}`)), query, 0)
	}
	for _, n := range patternCounts[:3] { // the guard of the last takes longer to make than all tests here together
		g := wideGuard(t, n)
		for query, bare := range bare {
			guarded := measure(newClient(answering(`{}`), g.Attach), query, n-1)
			assert.True(t, guarded-bare <= 5, "query %v, %d patterns: expected at most 5 allocations more than %v, found %v", query, 2*n, bare, guarded)
		}
	}
}
