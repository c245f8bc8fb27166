package exploretest

import (
	"errors"
	"flag"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/explore"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/internal/test/tables"
	"dynaproof/conformance/target"
	"dynaproof/fixtures"
)

var walks = flag.Int("walks", 60, "walks through each design; 500 take some minutes")

// A walk of random requests ends in the same items in memory and on an engine, and the same requests are refused: what the explorer says
// that DynamoDB does, it does.
func TestWalksEndAsOnTheEngine(t *testing.T) {
	engine := tables.Engine(t)
	client := target.NewClient(engine, "us-east-1")
	for _, d := range designs.All() {
		t.Run(d.Name, func(t *testing.T) {
			set, err := fixtures.Load(d.Name, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
			require.NoError(t, err)
			all, err := explore.Walks(d, set.Explored(), *walks, 8)
			require.NoError(t, err)
			w := &walker{client, tables.Create(t, engine, "us-east-1", "test", d), d}
			refused, changed := 0, 0
			for n, walk := range all {
				w.walk(t, n, walk)
				for _, is := range walk.Refused {
					if is {
						refused++
					} else {
						changed++
					}
				}
			}
			if refused == 0 || changed == 0 {
				t.Errorf("expected requests that are refused and others, found %d and %d", refused, changed)
			}
		})
	}
}

type walker struct {
	client *dynamodb.Client
	names  map[string]string
	design *ap.Design
}

// walk sends the requests of one walk from its items on, and takes what is left away.
func (w *walker) walk(t *testing.T, n int, walk explore.Walk) {
	t.Helper()
	for id, items := range walk.Before {
		for _, item := range items {
			_, err := w.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(w.names[id]), Item: item})
			require.NoError(t, err)
		}
	}
	for i, input := range walk.Requests {
		writes, err := sdk.Writes(input)
		require.NoError(t, err)
		for j := range writes {
			writes[j].Table = w.names[writes[j].Table]
		}
		_, err = designtest.Send(t.Context(), w.client, explore.RequestOf(writes))
		var api smithy.APIError
		if err != nil && !errors.As(err, &api) {
			t.Fatal(err)
		}
		if (err != nil) != walk.Refused[i] {
			t.Errorf("walk %d, request %d: expected refused %t as in memory, found %v: %s", n, i+1, walk.Refused[i], err, explore.Show(input))
		}
	}
	for i := range w.design.Tables {
		table := &w.design.Tables[i]
		name := aws.String(w.names[table.ID])
		found, err := w.client.Scan(t.Context(), &dynamodb.ScanInput{TableName: name, ConsistentRead: aws.Bool(true)})
		require.NoError(t, err)
		for _, item := range found.Items {
			if !slices.ContainsFunc(walk.After[table.ID], func(other ap.Item) bool { return dynamo.EqualItems(item, other) }) {
				t.Errorf("walk %d, table %s: the engine has an item that memory has not: %s", n, table.ID, dynamo.ShowItem(item))
			}
			_, err = w.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: name, Key: table.KeyOf(item)})
			require.NoError(t, err)
		}
		if len(found.Items) != len(walk.After[table.ID]) {
			t.Errorf("walk %d, table %s: expected %d items as in memory, found %d", n, table.ID, len(walk.After[table.ID]), len(found.Items))
		}
	}
}
