package replay

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/target"
)

// A run was killed while an update was on its way. Its key holds what was there before or
// what the update makes of that, and clean-up takes either away. It takes nothing else: not
// what somebody else put there since, nor what has an attribute more.
func TestUpdateInDoubt(t *testing.T) {
	engine, err := target.Embedded(t.Context(), target.EmbeddedOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close(context.Background()) })
	api := target.NewClient(engine.URL(), DefaultRegion)
	name := aws.String("things")
	_, err = api.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: "S"}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		t.Fatal(err)
	}
	text := func(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
	item := func(pairs ...string) accesspatterns.Item {
		made := accesspatterns.Item{"id": text("a")}
		for i := 0; i < len(pairs); i += 2 {
			made[pairs[i]] = text(pairs[i+1])
		}
		return made
	}
	key := item()
	for _, row := range []struct {
		name   string
		update safewrite.Entry
		found  accesspatterns.Item
		stays  bool
	}{
		{"as it was before", safewrite.Entry{Item: item("v", "new")}, item("v", "old"), false},
		{"as the update makes it", safewrite.Entry{Item: item("v", "new")}, item("v", "new"), false},
		{"somebody's own", safewrite.Entry{Item: item("v", "new")}, item("customer", "precious"), true},
		{"as before, and an attribute of somebody's", safewrite.Entry{Item: item("v", "new")}, item("v", "old", "customer", "precious"), true},
		{"as the update makes it, and an attribute of somebody's", safewrite.Entry{Item: item("v", "new")}, item("v", "new", "customer", "precious"), true},
		{"something else after an update that a journal does not compute", safewrite.Entry{}, item("v", "new"), true},
	} {
		t.Run(row.name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "state")
			j, err := startItemJournal(folder)
			if err != nil {
				t.Fatal(err)
			}
			old := item("v", "old")
			row.update.Change, row.update.Table, row.update.Key = safewrite.Update, "things", key
			err = errors.Join(
				j.Announce(safewrite.Entry{Change: safewrite.Put, Table: "things", Key: key, Item: old}),
				j.Settle(safewrite.Entry{Change: safewrite.Holds, Table: "things", Key: key, Item: old}),
				j.Announce(row.update), // killed here
				j.close())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := api.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: name, Item: row.found}); err != nil {
				t.Fatal(err)
			}
			removed, err := removeItems(t.Context(), api, folder)
			answer, readErr := api.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: name, Key: key, ConsistentRead: aws.Bool(true)})
			if readErr != nil {
				t.Fatal(readErr)
			}
			var changed *ChangedError
			_, gone := os.Stat(folder)
			switch {
			case row.stays && (removed != 0 || !errors.As(err, &changed) || !accesspatterns.EqualItems(row.found, answer.Item) || gone != nil):
				t.Errorf("expected the item to stay and to be named, and the journal too, found %d removed, %v, item %s, journal %v", removed, err, accesspatterns.ShowItem(answer.Item), gone)
			case !row.stays && (removed != 1 || err != nil || answer.Item != nil || gone == nil):
				t.Errorf("expected the item to be removed, found %d removed, %v, item %s, journal %v", removed, err, accesspatterns.ShowItem(answer.Item), gone)
			}
		})
	}
}
