//go:build unix

package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	made "dynaproof/conformance/internal/tables"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// everything returns all tables of an engine with all their items, byte for byte:
// each item on a line of its own.
func everything(t *testing.T, url string) string {
	t.Helper()
	var lines []string
	for _, name := range tables(t, url) {
		description, err := client(url).DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(name)})
		require.NoError(t, err)
		schema, err := json.Marshal([]any{description.Table.KeySchema, description.Table.GlobalSecondaryIndexes, description.Table.CreationDateTime, description.Table.TableId})
		require.NoError(t, err)
		lines = append(lines, name+" "+string(schema))
		pages := dynamodb.NewScanPaginator(client(url), &dynamodb.ScanInput{TableName: aws.String(name), ConsistentRead: aws.Bool(true)})
		for pages.HasMorePages() {
			page, err := pages.NextPage(t.Context())
			require.NoError(t, err)
			for _, item := range page.Items {
				lines = append(lines, name+" "+canonical(t, item))
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// canonical writes an item with the members of all its maps in order.
func canonical(t *testing.T, item map[string]types.AttributeValue) string {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal([]byte(dynamo.ShowItem(item)), &value))
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return string(text)
}

// makeTables makes the tables that a design documents, as somebody's stack would
// have: an engine without point-in-time recovery cannot take all stacks.
func makeTables(t *testing.T, url, name string) {
	t.Helper()
	design, err := designs.Find(name)
	require.NoError(t, err)
	for i := range design.Tables {
		design.Tables[i].PITR = nil
	}
	require.NoError(t, made.MakeAll(t.Context(), client(url), design, "dev", session.InEnvironment(design, nil, "dev").Deployment.Tables))
}

// theirs puts items of somebody else into each table of a design: beside the
// fixtures, and in the partition of one of them, under other keys.
func theirs(t *testing.T, url, name string) {
	t.Helper()
	design, err := designs.Find(name)
	require.NoError(t, err)
	set, err := fixtures.Load(name, time.Now())
	require.NoError(t, err)
	for i := range set.Items {
		fixture := &set.Items[i]
		table, err := set.TableOf(design, fixture)
		require.NoError(t, err)
		item := map[string]types.AttributeValue{}
		for name, value := range fixture.Item {
			item[name] = value
		}
		last := table.Keys()[len(table.Keys())-1].Attribute
		text, ok := item[last].(*types.AttributeValueMemberS)
		if !ok || i%7 != 0 || fixture.Held { // what is held may be what the table refuses
			continue
		}
		item[last] = &types.AttributeValueMemberS{Value: text.Value + "~theirs"}
		store(t, url, table.Name.In("dev"), item)
	}
}

func store(t *testing.T, url, table string, item map[string]types.AttributeValue) {
	t.Helper()
	_, err := client(url).PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(table), Item: item})
	require.NoError(t, err)
}

// reads are the operations that change nothing.
var reads = []string{"BatchGetItem", "DescribeContinuousBackups", "DescribeTable", "DescribeTimeToLive", "GetItem", "ListTables", "GetResourcePolicy", "ListTagsOfResource", "Query", "TransactGetItems"}

// writesOf returns the requests of a run that are no reads.
func writesOf(seen *evidence.Run) []wire.Entry {
	return slices.DeleteFunc(slices.Clone(seen.Ledger), func(entry wire.Entry) bool { return slices.Contains(reads, entry.Operation) })
}

// conditionedWrites checks that every write of a run carried the condition that
// protects items of others, on each action.
func conditionedWrites(t *testing.T, seen *evidence.Run) {
	t.Helper()
	writes := writesOf(seen)
	if len(writes) == 0 {
		t.Error("expected writes, found none")
	}
	for _, entry := range writes {
		var request struct {
			TransactItems []map[string]struct{ ConditionExpression string }
		}
		conditions := []string{entry.ConditionExpression}
		switch entry.Operation {
		case "PutItem", "UpdateItem", "DeleteItem":
		case "TransactWriteItems":
			require.NoError(t, json.Unmarshal(entry.Request, &request))
			conditions = nil
			for _, item := range request.TransactItems {
				for kind, action := range item {
					if kind != "ConditionCheck" {
						conditions = append(conditions, action.ConditionExpression)
					}
				}
			}
		default:
			t.Errorf("request %d: expected no %s on an existing stack", entry.Seq, entry.Operation)
			continue
		}
		for _, condition := range conditions {
			if !strings.Contains(condition, "attribute_not_exists(#dynaproof0)") && !strings.Contains(condition, "#dynaproof0 = :dynaproof0") {
				t.Errorf("request %d, %s: expected the condition that the key is free or holds what the run wrote, found %q", entry.Seq, entry.Operation, condition)
			}
		}
	}
}

// The 3,001 workouts of one claim of commit-collect are written one by one on an existing
// stack, which takes longer than all other claims together. It and those that rest on it
// are left out here; TestExistingWritesOneByOne tries it with fewer.
const withoutThousands = "!/max-workouts-to-inspect|no-unbounded-pagination|pagination-bound-for-workouts-only|workouts-in-order-of-ids/"

// What is written in batches elsewhere is written one by one on an existing stack, each
// under a condition of the run's own, and removed again.
func TestExistingWritesOneByOne(t *testing.T) {
	t.Parallel()
	const claim, count = "commit-collect/guardrail/max-workouts-to-inspect", 60
	url := engine(t).URL()
	makeTables(t, url, "commit-collect")
	foreign(t, url, "unrelated")
	before := everything(t, url)
	fewer := func(design *accesspatterns.Design, set *fixtures.Set) {
		list, _ := design.Pattern("list-workouts")
		list.Steps[0].Read.InspectBudget -= 3000 - count
		for i := range set.Trials {
			if trial := &set.Trials[i]; trial.Bulk != nil {
				trial.Bulk.Count -= 3000 - count
				trial.Inspected -= 3000 - count
			}
		}
	}
	replayedBeside(t, "commit-collect", url, fewer, func(one *suite.Spec) bool { return one.Claim.ID == claim }, func(result evidence.Result, sent []wire.Entry) {
		if result.Verdict != evidence.Pass {
			t.Errorf("expected pass, found %s", suite.Message(result))
		}
		seen := &evidence.Run{Ledger: sent}
		conditionedWrites(t, seen)
		if found := len(writesOf(seen)); found < 3*2*(count-1) {
			t.Errorf("expected each item of the three trials to be written and deleted by a request of its own, found %d requests", found)
		}
	})
	same(t, "what was there", before, everything(t, url))
}

// replayedBeside decides claims of a design on tables that are there, without exploring its contract, and gives each result with the requests
// that it sent.
func replayedBeside(t *testing.T, name, url string, amend func(*accesspatterns.Design, *fixtures.Set), which func(*suite.Spec) bool, decided func(evidence.Result, []wire.Entry)) {
	t.Helper()
	started, err := replay.Start(t.Context(), replay.Options{
		Designs: []string{name}, Environment: "dev", Endpoint: url, Lacks: []string{"DescribeContinuousBackups"}, Existing: true,
		StateDir: t.TempDir(), Documents: documents, Amend: amend, Orders: 3, Interruptions: 2,
	})
	require.NoError(t, err)
	plan, design := started.Plan(nil), started.Designs()[0]
	session, err := plan.Open(t.Context(), design)
	require.NoError(t, err)
	session.Unexplored = true
	for _, spec := range suite.Specs(design) {
		if which(&spec) {
			loaded := session.Ledger.Len()
			decided(spec.Run(t.Context(), session, nil), session.Ledger.Entries(loaded))
		}
	}
	require.NoError(t, errors.Join(plan.Close(t.Context(), design, session), started.Close(context.Background())))
}

// Each design replays beside the items of others, and leaves them byte for byte as
// they are, and nothing of its own. What cannot be told there is unsupported.
func TestExistingLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	for _, name := range designs.Names() {
		t.Run(name, func(t *testing.T) {
			url, folder := engine(t).URL(), t.TempDir()
			makeTables(t, url, name)
			theirs(t, url, name)
			foreign(t, url, "unrelated")
			before := everything(t, url)
			c := run(t, folder, 0, "verify", name, "--endpoint", url, "--label-filter", withoutThousands+" && "+unexplored, "--existing", "--env", "dev", "--confirm", "dev", "--unsupported", "DescribeContinuousBackups")
			same(t, "what was there", before, everything(t, url))
			seen := read(t, c)
			conditionedWrites(t, seen)
			counts := evidence.Count(seen.Results())
			if counts[evidence.Pass] == 0 || counts[evidence.Fail]+counts[evidence.Indeterminate]+counts[evidence.Error] != 0 {
				t.Errorf("expected every claim to pass or not to be told beside items of others, found %v", counts)
			}
			for _, path := range files(t, filepath.Join(folder, "build", "state")) {
				if filepath.Base(path) == "items.jsonl" {
					t.Errorf("expected no journal of a run that has ended, found %s", path)
				}
			}
		})
	}
}

// Without items of others in its partitions, an existing stack tells everything but what
// is declared before the first request; and what is declared, it does not tell. Who reads
// production by the documented queries sees production, whatever a run beside it writes:
// behind every single write of the run the shared partitions show what they showed before.
func TestExistingTellsWhatIsNotDeclared(t *testing.T) {
	t.Parallel()
	needsDocuments(t)
	for _, name := range designs.Names() {
		t.Run(name, func(t *testing.T) {
			engineURL, folder := engine(t).URL(), t.TempDir()
			makeTables(t, engineURL, name)
			url, invisible := inShared(t, engineURL, name)
			before := everything(t, engineURL)
			design, err := designs.Find(name)
			require.NoError(t, err)
			set, err := fixtures.Load(name, time.Now())
			require.NoError(t, err)
			declared, err := suite.Forecast(design, set, session.InEnvironment(design, nil, "dev").Deployment.Tables, false)
			require.NoError(t, err)
			reasons := map[string]string{}
			for _, each := range declared {
				reasons[each.Claim] = each.Reason
				if kind := strings.Split(each.Claim, "/")[1]; kind == string(manifest.KindConfinement) || kind == string(manifest.KindValidity) {
					t.Errorf("%s: expected nothing to be declared of what is explored in memory, found %s", each.Claim, each.Reason)
				}
			}
			// The command decides all claims of one design. Of the others all is replayed below but what exploration alone decides and sends nothing here.
			whole := name == "commit-collect"
			filter := map[bool]string{true: withoutThousands, false: "kind:schema"}[whole]
			c := run(t, folder, 0, "verify", name, "--endpoint", url, "--label-filter", filter, "--existing", "--env", "dev", "--confirm", "dev", "--unsupported", "DescribeContinuousBackups")
			results := read(t, c).Results()
			if !whole {
				sends := func(one *suite.Spec) bool {
					return one.Claim.Kind != manifest.KindConfinement && one.Claim.Kind != manifest.KindValidity
				}
				results = nil
				replayedBeside(t, name, url, nil, sends, func(result evidence.Result, _ []wire.Entry) { results = append(results, result) })
			}
			passed := 0
			for _, result := range results {
				reason, cannot := reasons[result.ID]
				switch {
				case result.Verdict.Held():
					passed++
					assert.False(t, cannot, "%s: expected what was declared (%s), found %s", result.ID, reason, result.Verdict)
				case result.Verdict == evidence.Unsupported && !cannot && strings.Contains(result.Problems[0].Found, "the engine") || strings.Contains(result.Problems[0].Found, "claim table/"):
					// The engine of this test lacks a table's setting, and claims rest on that.
				case result.Verdict != evidence.Unsupported || !cannot:
					t.Errorf("%s: expected a pass, found %s: %+v", result.ID, result.Verdict, result.Problems)
				}
			}
			t.Logf("%d claims are told, %d are not", passed, len(declared))
			if passed < len(design.Tables)*5 { // the tables themselves, at least
				t.Errorf("expected claims to be told on an existing stack, found %d beside %d that are not", passed, len(declared))
			}
			same(t, "what was there", before, everything(t, engineURL))
			invisible(c)
		})
	}
}

// A key that is taken stops the run before its first write.
func TestExistingKeyTaken(t *testing.T) {
	t.Parallel()
	url, folder := engine(t).URL(), t.TempDir()
	makeTables(t, url, "roll-model")
	set, err := fixtures.Load("roll-model", time.Now())
	require.NoError(t, err)
	// An item that only a flow would write is taken: it is not among those that
	// are loaded first.
	held := slices.IndexFunc(set.Items, func(item fixtures.Item) bool { return item.Held })
	item := map[string]types.AttributeValue{"PK": set.Items[held].Item["PK"], "SK": set.Items[held].Item["SK"], "kept": &types.AttributeValueMemberS{Value: "SECRET-HASH"}}
	store(t, url, "RollModel", item)
	before := everything(t, url)
	c := run(t, folder, 3, "verify", "roll-model", "--endpoint", url, "--existing", "--env", "dev", "--confirm", "dev", "--unsupported", "DescribeContinuousBackups")
	says(t, "summary", c.stdout.String(), "expected the run's keys to be free", "nothing was written", "dynaproof cleanup", dynamo.Show(item["SK"]))
	keepsNothing(t, folder, c, "SECRET-HASH") // the survey asks for keys alone
	if writes := writesOf(read(t, c)); len(writes) > 0 {
		t.Errorf("expected no write in the ledger, found %s and %d more", writes[0].Operation, len(writes)-1)
	}
	same(t, "what was there", before, everything(t, url))
}

// Readers of a stream would see the run, whatever it writes: so it writes nothing.
func TestExistingFollowedByAStream(t *testing.T) {
	t.Parallel()
	url, folder := engine(t).URL(), t.TempDir()
	makeTables(t, url, "roll-model")
	_, err := client(url).UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
		TableName: aws.String("RollModel"), StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewImage},
	})
	require.NoError(t, err)
	c := run(t, folder, 3, "verify", "roll-model", "--endpoint", url, "--existing", "--env", "dev", "--confirm", "dev", "--unsupported", "DescribeContinuousBackups")
	says(t, "summary", c.stdout.String(), "RollModel with a stream", "nothing was written")
	if writes := writesOf(read(t, c)); len(writes) > 0 {
		t.Errorf("expected no write in the ledger, found %s and %d more", writes[0].Operation, len(writes)-1)
	}
}

// killedWithItems kills a run on an existing stack in the middle, and returns what
// was there before it.
func killedWithItems(t *testing.T, url, folder string) (before string) {
	t.Helper()
	makeTables(t, url, "commit-collect")
	theirs(t, url, "commit-collect")
	before = everything(t, url)
	c := prepare(t, nil, "verify", "commit-collect", "--endpoint", url, "--existing", "--env", "dev", "--confirm", "dev", "--unsupported", "DescribeContinuousBackups")
	c.Dir = folder
	c.starts(t)
	c.signalled(t, syscall.SIGKILL, "items of the run in the last table", func() bool {
		page, err := client(url).Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("CommitCollectSessions")})
		return err == nil && strings.Count(everything(t, url), "\n") > strings.Count(before, "\n")+20 && page.Count > 0
	})
	if code := c.ends(t); code != -1 {
		t.Fatalf("expected the run to be killed in the middle, found exit code %d", code)
	}
	if everything(t, url) == before {
		t.Fatal("expected the killed run to leave items")
	}
	return before
}

// What a killed run wrote to an existing stack is removed by cleanup, or by the
// next run, and nothing else is.
func TestExistingKilled(t *testing.T) {
	t.Parallel()
	for next, args := range map[string][]string{
		"cleanup": {"cleanup", "commit-collect"},
		"verify":  {"verify", "commit-collect", "--existing", "--env", "dev", "--confirm", "dev", "--label-filter", "kind:entity"},
	} {
		t.Run(next, func(t *testing.T) {
			url, folder := engine(t).URL(), t.TempDir()
			before := killedWithItems(t, url, folder)
			c := run(t, folder, 0, append(args, "--endpoint", url)...)
			same(t, "what was there", before, everything(t, url))
			if next == "cleanup" {
				says(t, "cleanup", c.stdout.String(), "removed what an interrupted verify of commit-collect.dev wrote", "items")
				again := run(t, folder, 0, "cleanup", "commit-collect", "--endpoint", url)
				says(t, "second cleanup", again.stdout.String(), "no interrupted verify")
			}
		})
	}
}

// An item of the run that somebody changed since is not the run's any more.
func TestExistingKilledAndChanged(t *testing.T) {
	t.Parallel()
	url, folder := engine(t).URL(), t.TempDir()
	before := killedWithItems(t, url, folder)
	var ours map[string]types.AttributeValue
	page, err := client(url).Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("CommitCollect")})
	require.NoError(t, err)
	for _, item := range page.Items {
		if !strings.Contains(before, canonical(t, item)) {
			ours = item
		}
	}
	ours["changed"] = &types.AttributeValueMemberS{Value: "by somebody"}
	store(t, url, "CommitCollect", ours)
	c := run(t, folder, 3, "cleanup", "commit-collect", "--endpoint", url)
	says(t, "error", c.stderr.String(), "found 1 that somebody changed since", "left as they are")
	changed := "CommitCollect " + canonical(t, ours)
	expected := append(strings.Split(before, "\n"), changed)
	slices.Sort(expected)
	same(t, "what was there, and what somebody changed", strings.Join(expected, "\n"), everything(t, url))
}

// killedAt runs verify beside the items of others, kills it where its first request of an operation is held back before the engine sees it, and
// returns the address that it used, and the lines of its journal.
func killedAt(t *testing.T, engineURL, folder, operation string) (url string, journal [][]byte) {
	t.Helper()
	reached, closed := make(chan struct{}), make(chan struct{})
	var once sync.Once
	proxy := inFrontOf(t, engineURL)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if strings.HasSuffix(request.Header.Get("X-Amz-Target"), "."+operation) {
			once.Do(func() { close(reached) })
			<-closed
			return
		}
		proxy.ServeHTTP(w, request)
	}))
	t.Cleanup(func() { close(closed); server.Close() })
	c := prepare(t, nil, "verify", "roll-model", "--endpoint", server.URL, "--existing", "--env", "dev", "--confirm", "dev", "--unsupported", "DescribeContinuousBackups")
	c.Dir = folder
	c.starts(t)
	select {
	case <-reached:
	case <-time.After(patience):
		t.Fatal("expected a request of the operation ", operation)
	}
	require.NoError(t, c.Process.Kill())
	c.ends(t)
	journals, err := filepath.Glob(filepath.Join(folder, "build", "state", "*", "existing", "roll-model.dev", "items.jsonl"))
	require.NoError(t, err)
	require.Len(t, journals, 1)
	text, err := os.ReadFile(journals[0])
	require.NoError(t, err)
	return server.URL, bytes.Split(bytes.TrimSpace(text), []byte("\n"))
}

// A write that was announced and never came through is in the journal, and the
// item that somebody else then puts under that key is not the run's.
func TestExistingAnnouncedAndNotWritten(t *testing.T) {
	t.Parallel()
	engineURL, folder := engine(t).URL(), t.TempDir()
	makeTables(t, engineURL, "roll-model")
	url, journal := killedAt(t, engineURL, folder, "PutItem")
	require.Len(t, journal, 2, "expected the table and the one announced write in the journal")
	var line struct {
		Key struct{ PK, SK struct{ S string } }
	}
	if err := json.Unmarshal(journal[1], &line); err != nil || line.Key.PK.S == "" {
		t.Fatalf("expected a key in %s: %v", journal[1], err)
	}
	store(t, engineURL, "RollModel", map[string]types.AttributeValue{
		"PK": &types.AttributeValueMemberS{Value: line.Key.PK.S}, "SK": &types.AttributeValueMemberS{Value: line.Key.SK.S}, "owner": &types.AttributeValueMemberS{Value: "somebody"},
	})
	before := everything(t, engineURL)
	stopped := run(t, folder, 3, "cleanup", "roll-model", "--endpoint", url)
	says(t, "error", stopped.stderr.String(), "somebody changed since")
	same(t, "what was there", before, everything(t, engineURL))
}

// An interrupt in the middle leaves nothing of the run.
func TestExistingInterrupted(t *testing.T) {
	t.Parallel()
	url, folder := engine(t).URL(), t.TempDir()
	makeTables(t, url, "personal-os")
	before := everything(t, url)
	c := prepare(t, nil, "verify", "personal-os", "--endpoint", url, "--existing", "--env", "dev", "--confirm", "dev", "--unsupported", "DescribeContinuousBackups")
	c.Dir = folder
	c.starts(t)
	c.signalled(t, syscall.SIGINT, "items of the run", func() bool { return everything(t, url) != before })
	if code := c.ends(t); code != 3 {
		t.Fatalf("expected exit code 3, found %d\n%s%s", code, c.stdout.String(), c.stderr.String())
	}
	same(t, "what was there", before, everything(t, url))
}

// Tables that belong to nobody's stack are not made: what is missing fails.
func TestExistingTableMissing(t *testing.T) {
	t.Parallel()
	url := engine(t).URL()
	c := run(t, "", 1, "verify", "fus-main", "--endpoint", url, "--label-filter", "kind:schema", "--existing", "--env", "dev", "--confirm", "dev", "--unsupported", "DescribeContinuousBackups")
	says(t, "summary", c.stdout.String(), "no such table")
	if left := tables(t, url); len(left) > 0 {
		t.Errorf("expected no table to be made, found %v", left)
	}
}

func TestExistingMustBeAskedForByName(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		args []string
		word string
	}{
		"no environment":     {[]string{"verify", "fus-main", "--existing", "--endpoint", "http://127.0.0.1:1"}, "expected --env"},
		"no design":          {[]string{"verify", "--existing", "--env", "dev", "--confirm", "dev", "--endpoint", "http://127.0.0.1:1"}, "expected one design by name"},
		"two designs":        {[]string{"verify", "fus-main", "roll-model", "--existing", "--env", "dev", "--confirm", "dev", "--endpoint", "http://127.0.0.1:1"}, "found 2"},
		"no endpoint":        {[]string{"verify", "fus-main", "--existing", "--env", "dev", "--confirm", "dev"}, "leave --existing out"},
		"a table name":       {[]string{"verify", "fus-main", "--table", "fus-main=x"}, "--table works only with --existing or --deploy"},
		"cleanup of nowhere": {[]string{"cleanup", "fus-main"}, "expected --target aws, or --endpoint"},
	} {
		t.Run(name, func(t *testing.T) { run(t, "", 2, row.args...).oneError(t, row.word) })
	}
}

// An endpoint that accepts connections and never answers tells nothing, and the
// run says so instead of waiting for ever.
func TestEndpointNeverAnswers(t *testing.T) {
	t.Parallel()
	silent := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-silent }))
	t.Cleanup(func() { close(silent); server.CloseClientConnections(); server.Close() })
	for _, args := range [][]string{{"verify", "fus-main"}, {"audit", "fus-main"}, {"cleanup", "fus-main"}} {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			c := run(t, "", 3, append(args, "--endpoint", server.URL)...)
			c.oneError(t, fmt.Sprintf("endpoint %s", server.URL), "no answer within")
		})
	}
}
