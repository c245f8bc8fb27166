package replay

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/own"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/internal/test/tables"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/target"
)

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

// guarded is the address of a proxy in front of an engine, which asks a journal before each request, and passes it to another one then.
func guarded(t *testing.T, at string, j *journal) (url string, passes func(*journal)) {
	t.Helper()
	proxy, err := wire.Start(wire.Options{Upstream: at})
	require.NoError(t, err)
	t.Cleanup(func() { _ = proxy.Close(context.Background()) })
	proxy.SetWarden(j)
	return proxy.URL(), func(next *journal) { proxy.SetWarden(next) }
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
			engine := tables.Engine(t)
			theirs := target.NewClient(engine, DefaultRegion)
			at := inFront(t, engine, func(entry wire.Entry) (fault *wire.FaultResponse) {
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
			url, passes := guarded(t, at, j)
			options := target.ClientOptions(url, DefaultRegion)
			options.RetryMaxAttempts = 1
			ours := dynamodb.New(options)
			create(t, theirs, "payroll-secret-project")
			designtest.SendAll(t, theirs, row.Before)
			_, err := ours.CreateTable(t.Context(), creation("made"))
			failed := row.Lost || row.Never || row.Before != nil
			require.Equal(t, failed, err != nil, "expected CreateTable to fail, found %v", err)
			designtest.SendAll(t, theirs, row.After)

			j, err = readJournal(strings.TrimSuffix(j.path, "/journal.json"), j.engine)
			require.NoError(t, err)
			passes(j)
			table, err := j.find(t.Context(), "made")
			assert.Equal(t, row.Ours, table != nil, "a table of the stack's")
			refuses := func(err error, words string) {
				t.Helper()
				if row.Problem == "" {
					assert.NoError(t, err)
				} else {
					assert.ErrorContains(t, err, words)
				}
			}
			refuses(err, row.Problem)
			// Nothing but a read passes to a table that was never the stack's.
			for _, input := range []any{
				&dynamodb.PutItemInput{TableName: aws.String("made"), Item: textItem(map[string]string{"id": "x"})},
				&dynamodb.UpdateTableInput{TableName: aws.String("made"), DeletionProtectionEnabled: aws.Bool(false)},
			} {
				if _, err := designtest.Send(t.Context(), ours, input); row.Ours || row.Problem != "" {
					refuses(err, "not the run's")
				}
			}
			err = j.delete(t.Context(), []string{"made"})
			left, listing := target.TableNames(t.Context(), theirs)
			want := []string{"made", "payroll-secret-project"}
			if row.Problem == "" {
				want = want[1:]
			}
			require.NoError(t, listing)
			assert.Equal(t, want, left, "tables behind the deletion")
			refuses(err, "")
			text, err := os.ReadFile(j.path)
			require.NoError(t, err)
			assert.NotContains(t, string(text), "payroll", "expected no table in the journal but the stack's")
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
	assert.Nil(t, answer, "expected the request with the run's tag")
	assert.Equal(t, `{"TableName":"made","Tags":[{"Key":"a","Value":"b"},{"Key":"dynaproof:run","Value":"r"}]}`, string(body))
	kept, err := readJournal(folder, nil)
	require.NoError(t, err)
	assert.True(t, len(kept.Creating) == 1 && !kept.Creating["made"].IsZero() && len(kept.Made) == 0, "expected the table in the journal on disk, found %+v", kept)
	entry.Status = http.StatusOK
	_, answer = j.Answered(entry, []byte(`{"TableDescription":{"TableName":"made","TableId":"id","CreationDateTime":1.5}}`))
	assert.Nil(t, answer, "expected the answer to pass")
	kept, err = readJournal(folder, nil)
	require.NoError(t, err)
	assert.Equal(t, identity{ID: "id", Created: time.UnixMilli(1500).UTC()}, kept.Made["made"], "what is in the journal on disk")
	// The run's own tag is in no list, and every other is.
	entry = wire.Entry{Operation: "ListTagsOfResource", Status: http.StatusOK}
	body, _ = j.Answered(entry, []byte(`{"NextToken":"n","Tags":[{"Key":"dynaproof:run","Value":"r"},{"Key":"dynaproof:run","Value":"other"},{"Key":"a","Value":"r"}]}`))
	assert.Equal(t, `{"NextToken":"n","Tags":[{"Key":"dynaproof:run","Value":"other"},{"Key":"a","Value":"r"}]}`, string(body))
	// An answer that describes another table says nothing of this one.
	entry = wire.Entry{Operation: "CreateTable", Tables: []string{"other"}, Status: http.StatusOK}
	_, _ = j.Admit(entry, []byte(`{}`))
	_, answer = j.Answered(entry, []byte(`{"TableDescription":{"TableName":"made","TableId":"id"}}`))
	assert.Nil(t, answer)
	assert.Zero(t, j.Made["other"], "expected nothing to be noted of a table that was not described")
	assert.Equal(t, map[string]int{"made": 0, "other": 1}, j.Unanswered, "requests of which nothing tells what became of them")
	// What may change anything, and names no table, does not pass.
	for _, operation := range []string{"ExecuteStatement", "DeleteBackup", "ImportTable", "SomethingNew"} {
		_, answer = j.Admit(wire.Entry{Operation: operation}, []byte(`{}`))
		assert.NotNil(t, answer, "%s: expected a refusal", operation)
	}
	// Without its word on disk the table could not be found again.
	j.path = "/dev/null/journal.json"
	_, answer = j.Admit(wire.Entry{Operation: "CreateTable", Tables: []string{"lost"}}, []byte(`{}`))
	assert.NotNil(t, answer, "expected a request that cannot be written down to be refused")
	_, answer = j.Answered(wire.Entry{Operation: "CreateTable", Tables: []string{"lost"}, Status: http.StatusOK}, []byte(`{"TableDescription":{"TableName":"lost","TableId":"id"}}`))
	assert.NotNil(t, answer, "expected an answer that cannot be written down to be withheld")
	fresh, err := readJournal(t.TempDir(), nil)
	assert.True(t, err == nil && len(fresh.Creating)+len(fresh.Made)+len(fresh.Existing) == 0, "expected a journal that names no table and no error, found %v, %v", fresh, err)
}

// The answer to a CreateTable is lost, and the SDK sends it again: the run's tag tells whose the table is, and nothing else does.
func TestALostCreationIsTheRuns(t *testing.T) {
	for name, row := range map[string]struct {
		run    string
		theirs bool
	}{"with a tag": {run: "r"}, "without": {}, "somebody was first": {"r", true}} {
		t.Run(name, func(t *testing.T) {
			engine := tables.Engine(t)
			sent := 0
			at := inFront(t, engine, func(entry wire.Entry) *wire.FaultResponse {
				if entry.Operation == "CreateTable" {
					sent++
				}
				if entry.Operation != "CreateTable" || sent > 1 {
					return nil
				}
				return &unheard
			})
			j := newJournal(t.TempDir(), target.NewClient(engine, DefaultRegion))
			j.Run = row.run
			url, _ := guarded(t, at, j)
			if row.theirs {
				create(t, target.NewClient(engine, DefaultRegion), "made")
			}
			made, err := target.NewClient(url, DefaultRegion).CreateTable(t.Context(), creation("made"))
			ours, asking := j.own(t.Context())
			is := row.run != "" && !row.theirs
			assert.True(t, is == (err == nil) && is == (len(ours) == 1) && asking == nil, "expected the table to be the run's: %v, found %v, %v, %v", is, err, ours, asking)
			if there, _ := j.describe(t.Context(), "made"); err == nil {
				assert.Equal(t, there.TableId, made.TableDescription.TableId, "the table's id in the answer")
			}
		})
	}
}

// A CreateTable that was not answered may be carried out behind the clean-up: the journal stays until it came, or until none can come any more.
func TestATableThatComesLate(t *testing.T) {
	for name, comes := range map[string]bool{"it comes": true, "it never comes": false} {
		t.Run(name, func(t *testing.T) {
			engine, folder := tables.Engine(t), t.TempDir()
			api := target.NewClient(engine, DefaultRegion)
			opened := func() *OwnedStack {
				owned, err := OpenOwned(deploy.By(deploy.Options{}, deploy.Maker{}), folder, Place{Endpoint: engine}, DefaultRegion)
				require.NoError(t, err)
				return owned
			}
			owned := opened()
			owned.bear("r", "")
			lost := inFront(t, engine, func(wire.Entry) *wire.FaultResponse { return &wire.FaultResponse{Drop: true} })
			url, _ := guarded(t, lost, owned.journal)
			_, err := target.NewClient(url, DefaultRegion).CreateTable(t.Context(), creation("made"))
			require.Error(t, err)
			for n := range 3 {
				owned = opened()
				assert.False(t, owned.journal.Creating["made"].After(time.Now()), "expected a clock that was put back to be noticed")
				if n == 1 {
					owned.journal.Creating["made"] = time.Now().AddDate(1, 0, 0)
				}
				_, err = owned.Clear(t.Context())
				require.ErrorContains(t, err, `table "made": expected an answer to the request to create it, found none, so that it may come yet`)
			}
			if comes {
				_, err = api.CreateTable(t.Context(), creation("made", types.Tag{Key: aws.String(RunTag), Value: aws.String("r")}))
				require.NoError(t, err)
			}
			owned = opened()
			if !comes || owned.journal.Unanswered["made"] > 1 { // the SDK sent it again
				owned.journal.Creating["made"] = time.Now().Add(-longestLate)
			}
			removed, err := owned.Clear(t.Context())
			assert.NoError(t, err)
			assert.Equal(t, map[bool]int{true: 1}[comes], removed.Tables)
			left, err := target.TableNames(t.Context(), api)
			assert.True(t, err == nil && len(left) == 0, "%v, %v", left, err)
			assert.NoFileExists(t, owned.journal.path)
		})
	}
}

// Beside others no run begins without the folder that says what it made.
func TestAStateIsNeededBesideOthers(t *testing.T) {
	for _, options := range []Options{{Endpoint: "http://127.0.0.1:1"}, {Cloud: &target.Account{}}} {
		_, err := Start(t.Context(), options)
		assert.ErrorContains(t, err, "--state: expected the folder", "expected that a state is asked for")
	}
}

// What a contract of somebody else's asks for, and what its program says that it made, reaches no table beside the run's own, whatever it is
// called there: nothing of one is changed, and nothing is shown.
func TestAContractOfOthersReachesNoOtherTable(t *testing.T) {
	outputs := `{"tables":{"Tickets":"theirs"},"indexes":{},"region":"us-east-1","tableArns":{},"guardrails":"off"}`
	claims := func(requests io.Reader, answers io.Writer) error {
		for lines := bufio.NewScanner(requests); lines.Scan(); {
			var asked struct{ ID int }
			if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
				return err
			}
			fmt.Fprintf(answers, `{"id":%d,"outputs":%s}`+"\n", asked.ID, outputs)
		}
		return nil
	}
	for _, program := range []deploy.Program{nil, claims} {
		restore, err := own.Use(own.Design{Folder: os.DirFS("../../../accesspatterns/example"), Program: program})
		require.NoError(t, err)
		defer restore()
		engine := tables.Engine(t)
		create(t, target.NewClient(engine, DefaultRegion), "theirs")
		r, err := Start(t.Context(), Options{Endpoint: engine, Environment: "dev", StateDir: t.TempDir()})
		require.NoError(t, err)
		defer func() { assert.NoError(t, r.Close(context.Background())) }()
		s, err := r.Open(t.Context(), r.Designs()[0])
		if program != nil {
			assert.True(t, foreign(err), "a program that names a table which it did not make: found %v", err)
			continue
		}
		require.NoError(t, err)
		key := textItem(map[string]string{"id": "x"})
		for _, name := range []string{"theirs", "arn:aws:dynamodb:us-east-1:999999999999:table/Tickets-dev"} {
			for _, input := range []any{
				&dynamodb.GetItemInput{TableName: &name, Key: key}, &dynamodb.ScanInput{TableName: &name}, &dynamodb.PutItemInput{TableName: &name, Item: key},
				&dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{name: {Keys: []map[string]types.AttributeValue{key}}}},
				&dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{Delete: &types.Delete{TableName: &name, Key: key}}}},
				&dynamodb.ExecuteStatementInput{Statement: aws.String(`DELETE FROM "` + name + `" WHERE id = 'x'`)},
				&dynamodb.ExportTableToPointInTimeInput{TableArn: &name, S3Bucket: aws.String("bucket")}, &dynamodb.DeleteTableInput{TableName: &name},
			} {
				before := s.Ledger.Len()
				_, err := designtest.Send(t.Context(), s.Client, input)
				assert.ErrorContains(t, err, "not sent", "%T of %s", input, name)
				assert.Equal(t, before, s.Ledger.Len(), "requests that left for %T of %s", input, name)
			}
		}
		assert.NoError(t, r.Remove(t.Context(), r.Designs()[0], s))
		left, err := target.TableNames(t.Context(), target.NewClient(engine, DefaultRegion))
		assert.True(t, err == nil && len(left) == 1, "expected their table alone to be left, found %v, %v", left, err)
		for _, entry := range s.Replayed() {
			assert.NotEqual(t, "DeleteTable", entry.Operation, "expected the journal alone to delete, which looks right before")
		}
	}
}

// Nobody sends a deletion again whose answer was lost, nor waits for a table to go that somebody has made since: it is theirs.
func TestADeletionMeetsNoOtherTable(t *testing.T) {
	for _, answered := range []bool{true, false} {
		engine := tables.Engine(t)
		theirs, sent := target.NewClient(engine, DefaultRegion), 0
		at := inFront(t, engine, func(entry wire.Entry) *wire.FaultResponse {
			if entry.Operation != "DeleteTable" {
				return nil
			}
			sent++
			_, err := theirs.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("made")})
			require.NoError(t, err)
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
		left, err := j.describe(t.Context(), "made")
		require.NoError(t, err)
		require.NotNil(t, left, "answered %v: expected the table that somebody made to stay", answered)
		assert.NotEqual(t, identityOf(ours), identityOf(left), "answered %v: expected the table that somebody made", answered)
	}
}

// An engine that answers nothing that can be read does not say that nothing is there.
func TestStrangeAnswersTellNothing(t *testing.T) {
	another := map[string]any{"TableName": "another", "TableStatus": "ACTIVE", "KeySchema": []any{map[string]any{}}}
	for row, table := range map[string]any{"none of DynamoDB's": nil, "found an answer without one": another} {
		t.Run(row, func(t *testing.T) {
			at := inFront(t, tables.Engine(t), func(wire.Entry) *wire.FaultResponse {
				return &wire.FaultResponse{Status: http.StatusOK, Members: map[string]any{"Table": table}}
			})
			j := newJournal(t.TempDir(), target.NewClient(at, DefaultRegion))
			j.Creating["made"] = time.Now()
			_, err := j.own(t.Context())
			assert.ErrorContains(t, err, row, "expected that it cannot be told")
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
		Unheard  bool                         // no answer came to that, and it has not been carried out
		Update   map[string]string            // what an update of it makes, which was on its way; {} where that is not known
		Journal  map[string]string            // what stands in the place of what in the journal, by a regular expression
		Device   bool                         // stands in the place of the journal
		Cleanups []struct {
			Behind  []map[string]any // requests of others before
			Removed int
			Problem *string
			Holds   map[string]map[string]string
			Ends    bool // the journal
			Aged    bool // until no write can come any more
		}
	}](t, "cleanups.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			api := target.NewClient(tables.Engine(t), DefaultRegion)
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
				if row.Unheard {
					continue
				}
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
			for n, cleanup := range row.Cleanups {
				designtest.SendAll(t, api, cleanup.Behind)
				if cleanup.Aged {
					long := time.Now().Add(-longestLate)
					require.NoError(t, os.Chtimes(path, long, long))
				} else if n+1 < len(row.Cleanups) { // the clock is put back since, by more than the next one waits
					ahead := time.Now().Add(2 * longestLate)
					require.NoError(t, os.Chtimes(path, ahead, ahead))
				}
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
				if is, gone := os.Stat(path); gone == nil && n+1 < len(row.Cleanups) {
					assert.False(t, is.ModTime().After(time.Now()), "expected a clock that was put back to be noticed")
				}
				_, gone := os.Lstat(path)
				assert.Equal(t, cleanup.Ends, errors.Is(gone, os.ErrNotExist), "expected the journal to end: %v, found %v", cleanup.Ends, gone)
			}
		})
	}
}

// What a journal tells of a key: each write that was not answered, of one that may have been free, may be carried out yet, whatever was written there
// since. p is a put, u an update, d a deletion, each announced; capitals are what the key holds behind an answer, and - that it holds nothing.
func TestWritesThatMayComeYet(t *testing.T) {
	for lines, want := range map[string]int{"p": 1, "pP": 0, "p-": 0, "pPu": 0, "pPd": 0, "pPdp": 1, "pp": 2, "ppP": 1, "ppPd-": 1, "pdp": 2, "pd-": 1, "pPd-p": 1, "u": 1, "pPuU": 0, "puU": 1} {
		key := &listedKey{free: true}
		for _, line := range lines {
			entry := safewrite.Entry{Change: map[rune]safewrite.Change{'p': safewrite.Put, 'u': safewrite.Update, 'd': safewrite.Delete}[line]}
			if entry.Change == "" {
				entry.Change = safewrite.Holds
			}
			if line != '-' && line != 'd' {
				entry.Item = textItem(map[string]string{"id": "x"})
			}
			key.note(&entry)
		}
		key.note(&safewrite.Entry{})
		assert.Len(t, key.late, want, lines)
	}
}
