package replay

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/target"
)

func started(t *testing.T) target.Target {
	t.Helper()
	engine, err := target.Embedded(t.Context(), target.EmbeddedOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, engine.Close(context.Background()))
	})
	return engine
}

// inFront is the address of an engine with which things go wrong.
func inFront(t *testing.T, engineURL string, fault wire.Fault) string {
	t.Helper()
	proxy, err := wire.Start(wire.Options{Upstream: engineURL})
	require.NoError(t, err)
	t.Cleanup(func() { _ = proxy.Close(context.Background()) })
	proxy.SetFault(fault)
	return proxy.URL()
}

// unheard is an answer of the engine's that does not arrive.
var unheard = wire.FaultResponse{Forward: true, Drop: true}

func withoutIDs(wire.Entry) *wire.FaultResponse {
	return &wire.FaultResponse{Forward: true, Amend: func(body []byte) []byte { return bytes.ReplaceAll(body, []byte("TableId"), []byte("NoTableId")) }}
}

func withoutTags(entry wire.Entry) *wire.FaultResponse {
	if entry.Operation != "ListTagsOfResource" {
		return nil
	}
	return &wire.FaultResponse{Status: http.StatusBadRequest, ErrorType: "UnknownOperationException"}
}

func creation(name string, tags ...types.Tag) *dynamodb.CreateTableInput {
	return &dynamodb.CreateTableInput{
		TableName: aws.String(name), BillingMode: types.BillingModePayPerRequest, Tags: tags,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: "S"}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
	}
}

func create(t *testing.T, api *dynamodb.Client, name string) {
	t.Helper()
	_, err := api.CreateTable(t.Context(), creation(name))
	require.NoError(t, err)
}

func remove(t *testing.T, api *dynamodb.Client, name string) {
	t.Helper()
	_, err := api.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String(name)})
	require.NoError(t, err)
}

// A table is a stack's own when the stack's CreateTable was answered with its id, or when it bears
// the tag of the run: no name and no date proves anything.
func TestOrphans(t *testing.T) {
	for _, row := range []struct {
		name   string
		engine []wire.Fault
		run    string
		// lost is the answer to the stack's CreateTable, and never says that the engine does not get it.
		lost, never   bool
		before, after func(*testing.T, *dynamodb.Client)
		ours          bool
		problem       string
	}{
		{name: "answered with its id", ours: true},
		{name: "answered, by a run with a tag", run: "r", ours: true},
		{name: "answered, and never there again", after: func(t *testing.T, theirs *dynamodb.Client) { remove(t, theirs, "made") }},
		{name: "made by somebody before, so that the request was refused", run: "r", before: func(t *testing.T, theirs *dynamodb.Client) { create(t, theirs, "made") }, problem: "was refused"},
		{name: "never asked for, and made by somebody", run: "r", never: true, after: func(t *testing.T, theirs *dynamodb.Client) { create(t, theirs, "made") }, problem: "the tag dynaproof:run=r"},
		{name: "the same of a stack without a tag", never: true, after: func(t *testing.T, theirs *dynamodb.Client) { create(t, theirs, "made") }, problem: "the tag dynaproof:run"},
		{name: "not answered, with the tag", run: "r", lost: true, ours: true},
		{name: "not answered, without a tag", lost: true, problem: "was sent"},
		{name: "answered, and exchanged by somebody", run: "r", after: exchanged, problem: "the one that the stack created"},
		{name: "answered, and exchanged by somebody who copied the tag", run: "r", after: func(t *testing.T, theirs *dynamodb.Client) {
			remove(t, theirs, "made")
			_, err := theirs.CreateTable(t.Context(), creation("made", types.Tag{Key: aws.String(RunTag), Value: aws.String("r")}))
			require.NoError(t, err)
		}, problem: "the one that the stack created"},
		{name: "not answered, exchanged by somebody with another run's tag", run: "r", lost: true, after: func(t *testing.T, theirs *dynamodb.Client) {
			remove(t, theirs, "made")
			_, err := theirs.CreateTable(t.Context(), creation("made", types.Tag{Key: aws.String(RunTag), Value: aws.String("another")}))
			require.NoError(t, err)
		}, problem: "the tag dynaproof:run=r"},
		{name: "on an engine without ids, with the tag", engine: []wire.Fault{withoutIDs}, run: "r", ours: true},
		{name: "on an engine without ids, exchanged", engine: []wire.Fault{withoutIDs}, run: "r", after: exchanged, problem: "not the run's"},
		{name: "on an engine without ids, and its tag was taken away", engine: []wire.Fault{withoutIDs}, run: "r", after: func(t *testing.T, theirs *dynamodb.Client) {
			is, err := theirs.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("made")})
			require.NoError(t, err)
			_, err = theirs.UntagResource(t.Context(), &dynamodb.UntagResourceInput{ResourceArn: is.Table.TableArn, TagKeys: []string{RunTag}})
			require.NoError(t, err)
		}, problem: "not the run's"},
		{name: "on an engine without ids and tags", engine: []wire.Fault{withoutIDs, withoutTags}, run: "r", ours: true},
		{name: "on an engine without tags, not answered", engine: []wire.Fault{withoutTags}, run: "r", lost: true, problem: "not the run's"},
	} {
		t.Run(row.name, func(t *testing.T) {
			engine := started(t)
			theirs := target.NewClient(engine.URL(), DefaultRegion)
			at := inFront(t, engine.URL(), func(entry wire.Entry) (fault *wire.FaultResponse) {
				switch {
				case row.never && entry.Operation == "CreateTable":
					return &wire.FaultResponse{Drop: true}
				case row.lost && entry.Operation == "CreateTable":
					return &unheard
				}
				for _, lacks := range row.engine {
					fault = cmp.Or(lacks(entry), fault)
				}
				return fault
			})
			j := newJournal(t.TempDir(), target.NewClient(at, DefaultRegion))
			j.Run = row.run
			proxy, err := wire.Start(wire.Options{Upstream: at})
			require.NoError(t, err)
			t.Cleanup(func() { _ = proxy.Close(context.Background()) })
			proxy.SetWarden(j)
			options := target.ClientOptions(proxy.URL(), DefaultRegion)
			options.RetryMaxAttempts = 1
			ours := dynamodb.New(options)
			create(t, theirs, "payroll-secret-project")
			if row.before != nil {
				row.before(t, theirs)
			}
			_, err = ours.CreateTable(t.Context(), creation("made"))
			if failed := row.lost || row.never || row.before != nil; (err != nil) != failed {
				t.Fatalf("expected CreateTable to fail: %v, found %v", failed, err)
			}
			if row.after != nil {
				row.after(t, theirs)
			}

			j, err = readJournal(strings.TrimSuffix(j.path, "/journal.json"), j.engine)
			require.NoError(t, err)
			proxy.SetWarden(j)
			table, err := j.find(t.Context(), "made")
			if row.ours != (table != nil) || (row.problem == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), row.problem) {
				t.Errorf("expected a table of the stack's: %v, and a problem with %q, found %v, %v", row.ours, row.problem, table != nil, err)
			}
			// Nothing but a read passes to a table that was never the stack's.
			for operation, request := range map[string]func() error{
				"PutItem": func() error {
					_, err := ours.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("made"), Item: map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: "x"}}})
					return err
				},
				"UpdateTable": func() error {
					_, err := ours.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{TableName: aws.String("made"), DeletionProtectionEnabled: aws.Bool(false)})
					return err
				},
			} {
				if err := request(); row.problem != "" && (err == nil || !strings.Contains(err.Error(), "not the run's")) || row.ours && err != nil {
					t.Errorf("%s: expected it to be let through: %v, found %v", operation, row.ours, err)
				}
			}
			err = j.delete(t.Context(), []string{"made"})
			left, listing := target.TableNames(t.Context(), theirs)
			want := []string{"made", "payroll-secret-project"}
			if row.problem == "" {
				want = want[1:]
			}
			if d := gocmp.Diff(want, left); d != "" || listing != nil || (err != nil) != (row.problem != "") {
				t.Errorf("tables behind the deletion (-want +got):\n%s%v, %v", d, err, listing)
			}
			if text, err := os.ReadFile(j.path); err != nil || strings.Contains(string(text), "payroll") {
				t.Errorf("expected no table in the journal but the stack's, found %s, %v", text, err)
			}
		})
	}
}

func exchanged(t *testing.T, theirs *dynamodb.Client) {
	t.Helper()
	remove(t, theirs, "made")
	create(t, theirs, "made")
}

// A table is written down before the request for it is sent, and what was answered before the
// client has the answer.
func TestJournalIsWrittenAhead(t *testing.T) {
	folder := t.TempDir()
	j := newJournal(folder, nil)
	j.Run = "r"
	entry := wire.Entry{Operation: "CreateTable", Tables: []string{"made"}}
	body, answer := j.Admit(entry, []byte(`{"TableName":"made","Tags":[{"Key":"a","Value":"b"}]}`))
	if want := `{"TableName":"made","Tags":[{"Key":"a","Value":"b"},{"Key":"dynaproof:run","Value":"r"}]}`; answer != nil || string(body) != want {
		t.Errorf("expected the request with the run's tag, found %s, %+v", body, answer)
	}
	kept, err := readJournal(folder, nil)
	if err != nil || len(kept.Creating) != 1 || kept.Creating["made"].IsZero() || len(kept.Made) != 0 {
		t.Errorf("expected the table in the journal on disk, found %+v, %v", kept, err)
	}
	entry.Status = http.StatusOK
	if _, answer = j.Answered(entry, []byte(`{"TableDescription":{"TableName":"made","TableId":"id","CreationDateTime":1.5}}`)); answer != nil {
		t.Errorf("expected the answer to pass, found %+v", answer)
	}
	kept, err = readJournal(folder, nil)
	if want := (identity{ID: "id", Created: time.UnixMilli(1500).UTC()}); err != nil || kept.Made["made"] != want {
		t.Errorf("expected %v in the journal on disk, found %+v, %v", want, kept, err)
	}
	// The run's own tag is in no list, and every other is.
	entry = wire.Entry{Operation: "ListTagsOfResource", Status: http.StatusOK}
	body, _ = j.Answered(entry, []byte(`{"NextToken":"n","Tags":[{"Key":"dynaproof:run","Value":"r"},{"Key":"dynaproof:run","Value":"other"},{"Key":"a","Value":"r"}]}`))
	assert.Equal(t, `{"NextToken":"n","Tags":[{"Key":"dynaproof:run","Value":"other"},{"Key":"a","Value":"r"}]}`, string(body))
	// An answer that describes another table says nothing of this one.
	entry = wire.Entry{Operation: "CreateTable", Tables: []string{"other"}, Status: http.StatusOK}
	_, _ = j.Admit(entry, []byte(`{}`))
	if _, answer := j.Answered(entry, []byte(`{"TableDescription":{"TableName":"made","TableId":"id"}}`)); answer != nil || j.Made["other"] != (identity{}) {
		t.Errorf("expected nothing to be noted of a table that was not described, found %+v, %+v", j.Made["other"], answer)
	}
	// What may change anything, and names no table, does not pass.
	for _, operation := range []string{"ExecuteStatement", "DeleteBackup", "ImportTable", "SomethingNew"} {
		if _, answer := j.Admit(wire.Entry{Operation: operation}, []byte(`{}`)); answer == nil {
			t.Errorf("%s: expected a refusal, found none", operation)
		}
	}
	// Without its word on disk the table could not be found again.
	j.path = "/dev/null/journal.json"
	if _, answer := j.Admit(wire.Entry{Operation: "CreateTable", Tables: []string{"lost"}}, []byte(`{}`)); answer == nil {
		t.Error("expected a request that cannot be written down to be refused")
	}
	if _, answer := j.Answered(wire.Entry{Operation: "CreateTable", Tables: []string{"lost"}, Status: http.StatusOK}, []byte(`{"TableDescription":{"TableName":"lost","TableId":"id"}}`)); answer == nil {
		t.Error("expected an answer that cannot be written down to be withheld")
	}
	if fresh, err := readJournal(t.TempDir(), nil); err != nil || len(fresh.Creating)+len(fresh.Made)+len(fresh.Existing) > 0 {
		t.Errorf("expected a journal that names no table and no error, found %v, %v", fresh, err)
	}
}

// The answer to a CreateTable is lost, and the SDK sends it again: the run's tag tells whose the table is, and nothing else does.
func TestALostCreationIsTheRuns(t *testing.T) {
	for name, row := range map[string]struct {
		run    string
		theirs bool
	}{"with a tag": {run: "r"}, "without": {}, "somebody was first": {"r", true}} {
		t.Run(name, func(t *testing.T) {
			engine := started(t)
			sent := 0
			at := inFront(t, engine.URL(), func(entry wire.Entry) *wire.FaultResponse {
				if entry.Operation == "CreateTable" {
					sent++
				}
				if entry.Operation != "CreateTable" || sent > 1 {
					return nil
				}
				return &unheard
			})
			j := newJournal(t.TempDir(), target.NewClient(engine.URL(), DefaultRegion))
			j.Run = row.run
			proxy, err := wire.Start(wire.Options{Upstream: at})
			require.NoError(t, err)
			t.Cleanup(func() { _ = proxy.Close(context.Background()) })
			proxy.SetWarden(j)
			if row.theirs {
				create(t, target.NewClient(engine.URL(), DefaultRegion), "made")
			}
			made, err := target.NewClient(proxy.URL(), DefaultRegion).CreateTable(t.Context(), creation("made"))
			ours, asking := j.own(t.Context())
			if is := row.run != "" && !row.theirs; is != (err == nil) || is != (len(ours) == 1) || asking != nil {
				t.Errorf("expected the table to be the run's: %v, found %v, %v, %v", is, err, ours, asking)
			}
			if there, _ := j.describe(t.Context(), "made"); err == nil && aws.ToString(made.TableDescription.TableId) != aws.ToString(there.TableId) {
				t.Errorf("expected the table's id in the answer, found %+v", made.TableDescription)
			}
		})
	}
}

// Beside others no run begins without the folder that says what it made.
func TestAStateIsNeededBesideOthers(t *testing.T) {
	for _, options := range []Options{{Endpoint: "http://127.0.0.1:1"}, {Cloud: &target.Account{}}} {
		if _, err := Start(t.Context(), options); err == nil || !strings.Contains(err.Error(), "--state: expected the folder") {
			t.Errorf("expected that a state is asked for, found %v", err)
		}
	}
}

// Nobody sends a deletion again whose answer was lost, nor waits for a table to go that somebody has made since: it is theirs.
func TestADeletionMeetsNoOtherTable(t *testing.T) {
	for _, answered := range []bool{true, false} {
		engine := started(t)
		theirs, sent := target.NewClient(engine.URL(), DefaultRegion), 0
		at := inFront(t, engine.URL(), func(entry wire.Entry) *wire.FaultResponse {
			if entry.Operation != "DeleteTable" {
				return nil
			}
			sent++
			remove(t, theirs, "made")
			create(t, theirs, "made")
			return &wire.FaultResponse{Drop: !answered, Status: http.StatusOK}
		})
		j := newJournal(t.TempDir(), target.NewClient(at, DefaultRegion))
		create(t, theirs, "made")
		ours, err := j.describe(t.Context(), "made")
		require.NoError(t, err)
		j.Creating["made"], j.Made["made"] = time.Now(), identityOf(ours)
		assert.NoError(t, j.delete(t.Context(), []string{"made"}), "answered %v: expected the deletion of the run's table to be done", answered)
		assert.Equal(t, 1, sent, "answered %v: deletions that were sent", answered)
		if left, err := j.describe(t.Context(), "made"); err != nil || left == nil || identityOf(left) == identityOf(ours) {
			t.Errorf("answered %v: expected the table that somebody made to stay, found %+v, %v", answered, left, err)
		}
	}
}

// An engine that answers nothing that can be read does not say that nothing is there.
func TestStrangeAnswersTellNothing(t *testing.T) {
	another := map[string]any{"TableName": "another", "TableStatus": "ACTIVE", "KeySchema": []any{map[string]any{}}}
	for row, table := range map[string]any{"none of DynamoDB's": nil, "found an answer without one": another} {
		t.Run(row, func(t *testing.T) {
			at := inFront(t, started(t).URL(), func(wire.Entry) *wire.FaultResponse {
				return &wire.FaultResponse{Status: http.StatusOK, Members: map[string]any{"Table": table}}
			})
			j := newJournal(t.TempDir(), target.NewClient(at, DefaultRegion))
			j.Creating["made"] = time.Now()
			if ours, err := j.own(t.Context()); err == nil || !strings.Contains(err.Error(), row) {
				t.Errorf("expected that it cannot be told, found %v, %v", ours, err)
			}
		})
	}
}

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
