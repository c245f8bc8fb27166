package replay

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/tabletest"
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
	lacking := map[string]wire.Fault{"ids": withoutIDs, "tags": withoutTags}
	for _, row := range tabletest.Read[[]struct {
		Name, Run, Problem string
		Without            []string
		Lost, Never, Ours  bool
		Before, After      []map[string]any
	}](t, "orphans.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			engine := started(t)
			theirs := target.NewClient(engine.URL(), DefaultRegion)
			at := inFront(t, engine.URL(), func(entry wire.Entry) (fault *wire.FaultResponse) {
				switch {
				case row.Never && entry.Operation == "CreateTable":
					return &wire.FaultResponse{Drop: true}
				case row.Lost && entry.Operation == "CreateTable":
					return &unheard
				}
				for _, lacks := range row.Without {
					fault = cmp.Or(lacking[lacks](entry), fault)
				}
				return fault
			})
			j := newJournal(t.TempDir(), target.NewClient(at, DefaultRegion))
			j.Run = row.Run
			proxy, err := wire.Start(wire.Options{Upstream: at})
			require.NoError(t, err)
			t.Cleanup(func() { _ = proxy.Close(context.Background()) })
			proxy.SetWarden(j)
			options := target.ClientOptions(proxy.URL(), DefaultRegion)
			options.RetryMaxAttempts = 1
			ours := dynamodb.New(options)
			create(t, theirs, "payroll-secret-project")
			designtest.SendAll(t, theirs, row.Before)
			_, err = ours.CreateTable(t.Context(), creation("made"))
			if failed := row.Lost || row.Never || row.Before != nil; (err != nil) != failed {
				t.Fatalf("expected CreateTable to fail: %v, found %v", failed, err)
			}
			designtest.SendAll(t, theirs, row.After)

			j, err = readJournal(strings.TrimSuffix(j.path, "/journal.json"), j.engine)
			require.NoError(t, err)
			proxy.SetWarden(j)
			table, err := j.find(t.Context(), "made")
			if row.Ours != (table != nil) || (row.Problem == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), row.Problem) {
				t.Errorf("expected a table of the stack's: %v, and a problem with %q, found %v, %v", row.Ours, row.Problem, table != nil, err)
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
				if err := request(); row.Problem != "" && (err == nil || !strings.Contains(err.Error(), "not the run's")) || row.Ours && err != nil {
					t.Errorf("%s: expected it to be let through: %v, found %v", operation, row.Ours, err)
				}
			}
			err = j.delete(t.Context(), []string{"made"})
			left, listing := target.TableNames(t.Context(), theirs)
			want := []string{"made", "payroll-secret-project"}
			if row.Problem == "" {
				want = want[1:]
			}
			if d := gocmp.Diff(want, left); d != "" || listing != nil || (err != nil) != (row.Problem != "") {
				t.Errorf("tables behind the deletion (-want +got):\n%s%v, %v", d, err, listing)
			}
			if text, err := os.ReadFile(j.path); err != nil || strings.Contains(string(text), "payroll") {
				t.Errorf("expected no table in the journal but the stack's, found %s, %v", text, err)
			}
		})
	}
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

// textItem is an item of texts, nil for none.
func textItem(of map[string]string) accesspatterns.Item {
	if of == nil {
		return nil
	}
	item := accesspatterns.Item{}
	for name, value := range of {
		item[name] = &types.AttributeValueMemberS{Value: value}
	}
	return item
}

// A run was killed after it had put an item into each of some tables, or while an update of one was on its way. A clean-up takes away what is
// the run's, and nothing else.
func TestCleanUps(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name     string
		Wrote    map[string]map[string]string // by table
		Update   map[string]string            // what an update of it makes, which was on its way; {} where that is not known
		Journal  map[string]string            // what stands in the place of what in the journal, by a regular expression
		Device   bool                         // stands in the place of the journal
		Cleanups []struct {
			Behind  []map[string]any // requests of others before
			Removed int
			Problem *string
			Holds   map[string]map[string]string
			Ends    bool // the journal
		}
	}](t, "cleanups.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			api := target.NewClient(started(t).URL(), DefaultRegion)
			names := slices.Sorted(maps.Keys(row.Wrote))
			for _, name := range names {
				create(t, api, name)
			}
			folder := filepath.Join(t.TempDir(), "state")
			tables, err := identities(t.Context(), api, append(names, "missing"))
			require.NoError(t, err)
			require.Len(t, tables, len(names))
			j, err := startItemJournal(folder, tables)
			require.NoError(t, err)
			for _, name := range names {
				item := textItem(row.Wrote[name])
				entry := safewrite.Entry{Change: safewrite.Put, Table: name, Key: accesspatterns.Item{"id": item["id"]}, Item: item}
				require.NoError(t, j.Announce(entry))
				_, err = api.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(name), Item: item})
				require.NoError(t, err)
				entry.Change = safewrite.Holds
				require.NoError(t, j.Settle(entry))
				if row.Update != nil {
					entry.Change, entry.Item = safewrite.Update, textItem(row.Update)
					if len(entry.Item) == 0 {
						entry.Item = nil
					}
					require.NoError(t, j.Announce(entry))
				}
			}
			require.NoError(t, j.close())
			path := itemJournalPath(folder)
			for from, to := range row.Journal {
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				changed := regexp.MustCompile(from).ReplaceAll(text, []byte(to))
				require.NotEqual(t, text, changed)
				require.NoError(t, os.WriteFile(path, changed, 0o600))
			}
			if row.Device {
				require.NoError(t, errors.Join(os.Remove(path), os.Symlink("/dev/zero", path)))
			}
			for _, cleanup := range row.Cleanups {
				designtest.SendAll(t, api, cleanup.Behind)
				removed, err := removeItems(t.Context(), api, folder)
				assert.Equal(t, cleanup.Removed, removed, "items that were removed")
				if cleanup.Problem == nil {
					assert.NoError(t, err)
				} else {
					assert.ErrorContains(t, err, *cleanup.Problem)
				}
				for table, want := range cleanup.Holds {
					key := accesspatterns.Item{"id": textItem(row.Wrote[table])["id"]}
					answer, err := api.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(table), Key: key, ConsistentRead: aws.Bool(true)})
					require.NoError(t, err)
					assert.Equal(t, dynamo.ShowItem(textItem(want)), dynamo.ShowItem(answer.Item), table)
				}
				_, gone := os.Lstat(path)
				assert.Equal(t, cleanup.Ends, errors.Is(gone, os.ErrNotExist), "expected the journal to end: %v, found %v", cleanup.Ends, gone)
			}
		})
	}
}
