package replay

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/target"
)

// A run was killed while an update was on its way. Its key holds what was there before or
// what the update makes of that, and clean-up takes either away. It takes nothing else: not
// what somebody else put there since, nor what has an attribute more.
func TestUpdateInDoubt(t *testing.T) {
	api := target.NewClient(started(t).URL(), DefaultRegion)
	name := aws.String("things")
	create(t, api, "things")
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
			is, err := identities(t.Context(), api, []string{"things"})
			require.NoError(t, err)
			j, err := startItemJournal(folder, is)
			require.NoError(t, err)
			old := item("v", "old")
			row.update.Change, row.update.Table, row.update.Key = safewrite.Update, "things", key
			err = errors.Join(
				j.Announce(safewrite.Entry{Change: safewrite.Put, Table: "things", Key: key, Item: old}),
				j.Settle(safewrite.Entry{Change: safewrite.Holds, Table: "things", Key: key, Item: old}),
				j.Announce(row.update), // killed here
				j.close())
			require.NoError(t, err)
			_, err = api.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: name, Item: row.found})
			require.NoError(t, err)
			removed, err := removeItems(t.Context(), api, folder)
			answer, readErr := api.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: name, Key: key, ConsistentRead: aws.Bool(true)})
			require.NoError(t, readErr)
			_, gone := os.Stat(folder)
			switch {
			case row.stays && (removed != 0 || !errors.Is(err, errChanged) || !dynamo.EqualItems(row.found, answer.Item) || gone != nil):
				t.Errorf("expected the item to stay and to be named, and the journal too, found %d removed, %v, item %s, journal %v", removed, err, dynamo.ShowItem(answer.Item), gone)
			case !row.stays && (removed != 1 || err != nil || answer.Item != nil || gone == nil):
				t.Errorf("expected the item to be removed, found %d removed, %v, item %s, journal %v", removed, err, dynamo.ShowItem(answer.Item), gone)
			}
		})
	}
}

// killed is the state of a run that was killed after it had put an item into each of the
// tables.
func killed(t *testing.T, api *dynamodb.Client, item accesspatterns.Item, names ...string) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "state")
	tables, err := identities(t.Context(), api, append(names, "missing"))
	if err != nil || len(tables) != len(names) {
		t.Fatalf("expected %d tables, found %v, %v", len(names), tables, err)
	}
	j, err := startItemJournal(folder, tables)
	require.NoError(t, err)
	for _, name := range names {
		entry := safewrite.Entry{Change: safewrite.Put, Table: name, Key: accesspatterns.Item{"id": item["id"]}, Item: item}
		require.NoError(t, j.Announce(entry))
		_, err = api.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(name), Item: item})
		require.NoError(t, err)
		entry.Change = safewrite.Holds
		require.NoError(t, j.Settle(entry))
	}
	require.NoError(t, j.close())
	return folder
}

func isThere(t *testing.T, api *dynamodb.Client, table string, item accesspatterns.Item) bool {
	t.Helper()
	answer, err := api.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(table), Key: accesspatterns.Item{"id": item["id"]}, ConsistentRead: aws.Bool(true)})
	require.NoError(t, err)
	return dynamo.EqualItems(item, answer.Item)
}

// A table that was deleted and made again between a run and its clean-up is somebody
// else's, and so is what stands in it, however it looks; a table that is gone keeps
// nobody from cleaning up the others.
func TestItemsOfATableMadeAgainStay(t *testing.T) {
	api := target.NewClient(started(t).URL(), DefaultRegion)
	item := accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: "a"}, "v": &types.AttributeValueMemberS{Value: "of the document's example"}}
	for _, name := range []string{"again", "gone", "kept"} {
		create(t, api, name)
	}
	folder := killed(t, api, item, "again", "gone", "kept")
	remove(t, api, "gone")
	remove(t, api, "again")
	create(t, api, "again")
	_, err := api.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("again"), Item: item})
	require.NoError(t, err)
	removed, err := removeItems(t.Context(), api, folder)
	if removed != 1 || !errors.Is(err, errChanged) || !strings.Contains(err.Error(), "found 1 that somebody changed since (the first: again ") {
		t.Errorf("expected the item of the table that was kept to be removed, and the one of the table made again to be named, found %d removed, %v", removed, err)
	}
	if !isThere(t, api, "again", item) || isThere(t, api, "kept", item) {
		t.Error("expected the item of somebody to stay, and the run's to be gone")
	}
	remove(t, api, "again")
	if removed, err := removeItems(t.Context(), api, folder); removed != 0 || err != nil {
		t.Errorf("expected nothing left to do, found %d removed, %v", removed, err)
	}
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("expected the journal to be gone, found %v", err)
	}
}

// An item that somebody puts in place of the run's is told from it by the mark alone. What bears none is
// deleted only where a condition can tell it: not one of key attributes alone.
func TestOnlyWhatAConditionCanTellIsRemoved(t *testing.T) {
	api := target.NewClient(started(t).URL(), DefaultRegion)
	create(t, api, "things")
	text := func(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }
	for name, row := range map[string]struct {
		ours, theirs accesspatterns.Item
		removed      int
	}{
		"the run's, with its mark":                {accesspatterns.Item{"id": text("a"), safewrite.Mark: text("m")}, nil, 1},
		"another's, which equals it but the mark": {accesspatterns.Item{"id": text("b"), "v": text("equal"), safewrite.Mark: text("m")}, accesspatterns.Item{"id": text("b"), "v": text("equal")}, 0},
		"one of key attributes alone":             {accesspatterns.Item{"id": text("c")}, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			folder := killed(t, api, row.ours, "things")
			stays := row.ours
			if row.theirs != nil {
				stays = row.theirs
				_, err := api.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("things"), Item: stays})
				require.NoError(t, err)
			}
			removed, err := removeItems(t.Context(), api, folder)
			if removed != row.removed || errors.Is(err, errChanged) != (removed == 0) || isThere(t, api, "things", stays) != (removed == 0) {
				t.Errorf("expected %d removed and what was left named, found %d, %v", row.removed, removed, err)
			}
		})
	}
}

// Of a journal that this version did not write whole, nothing is removed.
func TestJournalsOfItems(t *testing.T) {
	api := target.NewClient(started(t).URL(), DefaultRegion)
	create(t, api, "things")
	tables, err := identities(t.Context(), api, []string{"things"})
	require.NoError(t, err)
	key := accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: "a"}}
	item := accesspatterns.Item{"id": key["id"], "v": &types.AttributeValueMemberS{Value: "precious"}}
	_, err = api.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("things"), Item: item})
	require.NoError(t, err)
	for name, change := range map[string]func(path string, text []byte) error{
		"without the table's identity": func(path string, text []byte) error {
			_, rest, _ := bytes.Cut(text, []byte("\n"))
			return os.WriteFile(path, rest, 0o600)
		},
		"of another table": func(path string, text []byte) error {
			return os.WriteFile(path, bytes.Replace(text, []byte(tables["things"].ID), []byte("another"), 1), 0o600)
		},
		"of another version": func(path string, text []byte) error {
			return os.WriteFile(path, bytes.ReplaceAll(text, []byte(`{"change":"put"`), []byte(`{"unless":"x","change":"put"`)), 0o600)
		},
		"cut off in the middle": func(path string, text []byte) error {
			return os.WriteFile(path, bytes.Replace(text, []byte(`"item"`), nil, 1), 0o600)
		},
		"a device": func(path string, _ []byte) error { return errors.Join(os.Remove(path), os.Symlink("/dev/zero", path)) },
	} {
		folder := filepath.Join(t.TempDir(), "state")
		j, err := startItemJournal(folder, tables)
		if err == nil {
			err = errors.Join(j.Announce(safewrite.Entry{Change: safewrite.Put, Table: "things", Key: key, Item: item}), j.close())
		}
		var text []byte
		if err == nil {
			text, err = os.ReadFile(itemJournalPath(folder))
		}
		if err = errors.Join(err, change(itemJournalPath(folder), text)); err != nil {
			t.Fatal(err)
		}
		removed, err := removeItems(t.Context(), api, folder)
		answer, reading := api.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("things"), Key: key})
		if _, gone := os.Lstat(itemJournalPath(folder)); err == nil || removed != 0 || reading != nil || answer.Item == nil || gone != nil {
			t.Errorf("a journal %s: expected an error, and the item and the journal to stay, found %d removed, %v, %v, %v", name, removed, err, reading, gone)
		}
	}
}
