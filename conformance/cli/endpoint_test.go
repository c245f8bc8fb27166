//go:build unix

package cli_test

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	neturl "net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/conformance/evidence"
)

// foreign makes a table that no stack owns, with an item, and returns what a
// reader sees of both.
func foreign(t *testing.T, url, name string) (snapshot func() string) {
	t.Helper()
	api := client(url)
	_, err := api.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String(name), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("theirs"), AttributeType: "S"}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("theirs"), KeyType: types.KeyTypeHash}},
	})
	require.NoError(t, err)
	key := map[string]types.AttributeValue{"theirs": &types.AttributeValueMemberS{Value: "1"}, "kept": &types.AttributeValueMemberS{Value: "yes"}}
	_, err = api.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(name), Item: key})
	require.NoError(t, err)
	return func() string {
		t.Helper()
		table, err := api.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(name)})
		require.NoError(t, err)
		items, err := api.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(name)})
		require.NoError(t, err)
		text, err := json.Marshal([]any{table.Table, items.Items})
		require.NoError(t, err)
		return string(text)
	}
}

func same(t *testing.T, what, before, after string) {
	t.Helper()
	assert.Empty(t, cmp.Diff(before, after), "%s changed (-before +after)", what)
}

// A table in the way stays as it is, and nothing of the run is left beside it.
func TestTableInTheWay(t *testing.T) {
	t.Parallel()
	url := engine(t).URL()
	snapshot := foreign(t, url, "osem-dev-Teams")
	before := snapshot()
	c := run(t, "", 3, "verify", "osem-ladders", "--endpoint", url)
	says(t, "summary", c.stdout.String(), "osem-ladders could not be examined", `"osem-dev-Teams" exists already at `+url, "not owned by this stack", "namePrefix")
	if told := strings.Count(c.stdout.String(), "exists already"); told != 1 {
		t.Errorf("expected the reason once, found it %d times", told)
	}
	same(t, "the foreign table", before, snapshot())
	assert.Empty(t, cmp.Diff([]string{"osem-dev-Teams"}, tables(t, url)), "tables (-want +got)")

	run(t, "", 3, "deploy", "osem-ladders", "--endpoint", url).oneError(t, "osem-dev-Teams", "exists already")
	same(t, "the foreign table", before, snapshot())

	// A prefix gets out of its way. A run that ended leaves no state.
	c = run(t, "", 0, "verify", "osem-ladders", "--endpoint", url, "--prefix", "x-", "--label-filter", "kind:schema")
	same(t, "the foreign table", before, snapshot())
	for _, path := range files(t, filepath.Join(c.Dir, "build", "state")) {
		if filepath.Ext(path) != ".lock" {
			t.Errorf("expected no state of a run that has ended, found %s", path)
		}
	}
}

// verify never takes a deployment that somebody keeps for what it left itself.
func TestDeployedTablesAreNotVerifys(t *testing.T) {
	t.Parallel()
	url, folder := engine(t).URL(), t.TempDir()
	run(t, folder, 0, "deploy", "fus-main", "--endpoint", url, "--config", "dynaproof:protect=false")
	put(t, url, "fus-main")
	c := run(t, folder, 3, "verify", "fus-main", "--endpoint", url)
	says(t, "summary", c.stdout.String(), `"fus-main" exists already`)
	if !loaded(t, url) {
		t.Error("expected the item of the kept deployment to be there still")
	}
	run(t, folder, 0, "verify", "fus-main", "--endpoint", url, "--prefix", "x-", "--label-filter", "kind:schema")
	run(t, folder, 0, "destroy", "fus-main", "--endpoint", url)
	if left := tables(t, url); len(left) > 0 {
		t.Errorf("expected destroy to remove the deployment, found %v", left)
	}
}

// put writes an item with the primary key of fus-main.
func put(t *testing.T, url, table string) {
	t.Helper()
	description, err := client(url).DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(table)})
	require.NoError(t, err)
	item := map[string]types.AttributeValue{}
	for _, key := range description.Table.KeySchema {
		item[aws.ToString(key.AttributeName)] = &types.AttributeValueMemberS{Value: "kept"}
	}
	_, err = client(url).PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(table), Item: item})
	require.NoError(t, err)
}

// An interrupt, a request to end and a terminal that closes end a run in good order.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	for _, ends := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP} {
		t.Run(ends.String(), func(t *testing.T) { t.Parallel(); interrupted(t, ends) })
	}
}

func interrupted(t *testing.T, ends syscall.Signal) {
	t.Helper()
	signal.Notify(make(chan os.Signal, 1), ends) // what this process ignores, as under nohup, the run would ignore too
	engine := engine(t)
	snapshot := foreign(t, engine.URL(), "theirs")
	before := snapshot()
	c := prepare(t, nil, "verify", "commit-collect", "personal-os", "--endpoint", engine.URL(), "--label-filter", everyClaim)
	c.starts(t)
	ours := func() bool { return len(tables(t, engine.URL())) > 1 }
	c.signalled(t, ends, "a deployed table", ours)
	c.interrupted(t)
	assert.Empty(t, cmp.Diff([]string{"theirs"}, tables(t, engine.URL())), "tables after the interrupt (-want +got)")
	same(t, "the foreign table", before, snapshot())
	seen := read(t, c)
	onceEach(t, seen, claims(t, of("commit-collect", "personal-os")))
	if counts := evidence.Count(seen.Results()); counts[evidence.Indeterminate]+counts[evidence.Error] == 0 {
		t.Errorf("expected claims that could not be told, found %v", counts)
	}
	lacks(t, "everything printed", c.stdout.String()+c.stderr.String(), "{{", "SDK 20")
}

// What a killed run had in the temporary directory a later one removes.
func TestKilledLeavesNoFolder(t *testing.T) {
	t.Parallel()
	temporary := t.TempDir()
	there := func() []string {
		found, err := filepath.Glob(filepath.Join(temporary, "*"))
		require.NoError(t, err)
		return found
	}
	c := prepare(t, []string{"TMPDIR=" + temporary}, "verify", "roll-model")
	c.starts(t)
	c.signalled(t, syscall.SIGKILL, "a folder with the state of a stack", func() bool {
		state, err := filepath.Glob(filepath.Join(temporary, "*", ".pulumi"))
		return err == nil && len(state) > 0
	})
	c.ends(t)
	if len(there()) == 0 {
		t.Fatal("expected the killed run to leave a folder, found none")
	}
	prepare(t, []string{"TMPDIR=" + temporary}, "verify", "roll-model", "--label-filter", "kind:schema").expect(t, 0)
	if left := there(); len(left) > 0 {
		t.Errorf("expected an empty temporary directory, found %v", left)
	}
}

// What a killed run left is removed by the next one, or by destroy.
func TestKilledRunIsCleanedUp(t *testing.T) {
	t.Parallel()
	for _, next := range []string{"verify", "destroy"} {
		t.Run(next, func(t *testing.T) {
			url, folder := engine(t).URL(), t.TempDir()
			snapshot := foreign(t, url, "osem-dev-theirs-too")
			before := snapshot()
			c := prepare(t, nil, "verify", "commit-collect", "--endpoint", url)
			c.Dir = folder
			c.starts(t)
			c.signalled(t, syscall.SIGKILL, "all four tables and an item", func() bool { return len(tables(t, url)) == 5 && holdsItem(t, url, "CommitCollect") })
			c.ends(t)
			if left := tables(t, url); len(left) != 5 {
				t.Fatalf("expected the killed run to leave its tables, found %v", left)
			}
			args := []string{next, "commit-collect", "--endpoint", url}
			if next == "verify" {
				args = append(args, "--label-filter", "kind:entity")
			}
			c = run(t, folder, 0, args...)
			if next == "destroy" {
				says(t, "destroy", c.stdout.String(), "what an interrupted verify of commit-collect.dev left")
			}
			assert.Empty(t, cmp.Diff([]string{"osem-dev-theirs-too"}, tables(t, url)), "tables (-want +got)")
			same(t, "the foreign table", before, snapshot())
		})
	}
}

func holdsItem(t *testing.T, url, table string) bool {
	t.Helper()
	page, err := client(url).Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(table), Limit: aws.Int32(1)})
	return err == nil && page.Count > 0
}

// inFrontOf passes requests on to an engine.
func inFrontOf(t *testing.T, engineURL string) *httputil.ReverseProxy {
	t.Helper()
	upstream, err := neturl.Parse(engineURL)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(upstream)
	proxy.ErrorLog = log.New(io.Discard, "", 0) // clients that were killed
	return proxy
}

// stall stands in front of an engine and keeps the answers to an operation back: with CreateTable the
// table is there, and the run does not know it yet.
func stall(t *testing.T, engineURL, operation string) (url string, came <-chan struct{}, let func()) {
	t.Helper()
	first, open := make(chan struct{}), make(chan struct{})
	var once, release sync.Once
	proxy := inFrontOf(t, engineURL)
	proxy.ModifyResponse = func(answer *http.Response) error {
		if strings.HasSuffix(answer.Request.Header.Get("X-Amz-Target"), "."+operation) {
			once.Do(func() { close(first) })
			<-open
		}
		return nil
	}
	server := httptest.NewServer(proxy)
	let = func() { release.Do(func() { close(open) }) }
	t.Cleanup(func() { let(); server.Close() })
	return server.URL, first, let
}

// arrives waits for a request.
func arrives(t *testing.T, came <-chan struct{}) {
	t.Helper()
	select {
	case <-came:
	case <-time.After(patience):
		t.Fatal("expected the request that is waited for, found none")
	}
}

// killedWhileCreating kills a run whose table was created and is not in its
// state, and returns the run's working folder.
func killedWhileCreating(t *testing.T, engineURL string) (url, folder string) {
	t.Helper()
	url, created, let := stall(t, engineURL, "CreateTable")
	c := prepare(t, nil, "verify", "fus-main", "--endpoint", url)
	c.starts(t)
	arrives(t, created)
	require.NoError(t, c.Process.Kill())
	c.ends(t)
	let()
	require.Empty(t, cmp.Diff([]string{"fus-main"}, tables(t, engineURL)), "expected the killed run to leave its table (-want +got)")
	return url, c.Dir
}

// A table that was created and never got into the state is still the run's.
func TestKilledWhileCreating(t *testing.T) {
	t.Parallel()
	for _, next := range []string{"verify", "destroy"} {
		t.Run(next, func(t *testing.T) {
			engineURL := engine(t).URL()
			url, folder := killedWhileCreating(t, engineURL)
			args := []string{next, "fus-main", "--endpoint", url}
			if next == "verify" {
				args = append(args, "--label-filter", "kind:schema")
			}
			run(t, folder, 0, args...)
			if left := tables(t, engineURL); len(left) > 0 {
				t.Errorf("expected no table, found %v", left)
			}
		})
	}
}

// before calls a function before each CreateTable of fus-main reaches an engine; when it says
// so the request goes no further.
func before(t *testing.T, engineURL string, creating func() (ends bool)) (url string) {
	t.Helper()
	proxy := inFrontOf(t, engineURL)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if strings.HasSuffix(request.Header.Get("X-Amz-Target"), ".CreateTable") && creating() {
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, request)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Somebody's table of the run's name, made at whatever moment, is theirs: a name is not enough, and
// neither is a date.
func TestTableOfTheSameNameIsNotTheRuns(t *testing.T) {
	t.Parallel()
	unchanged := func(t *testing.T, engineURL, before string) {
		t.Helper()
		same(t, "their table", before, everything(t, engineURL))
	}
	for _, operation := range []string{"verify", "deploy", "scale"} {
		t.Run("between the look of "+operation+" and its CreateTable", func(t *testing.T) {
			t.Parallel()
			engineURL := engine(t).URL()
			var theirs string
			url := before(t, engineURL, func() bool {
				if theirs == "" {
					theirs = madeByThem(t, engineURL, map[string]string{"scale": "dynaproof-scale-fus-main"}[operation]+map[bool]string{true: "fus-main"}[operation != "scale"])
				}
				return false
			})
			args := []string{operation, "fus-main", "--endpoint", url}
			c := run(t, "", 3, args...)
			says(t, "what is printed", c.stdout.String()+c.stderr.String(), "exists already", "not changed")
			unchanged(t, engineURL, theirs)
			if operation == "deploy" {
				run(t, c.Dir, 0, "destroy", "fus-main", "--endpoint", url)
			}
			unchanged(t, engineURL, theirs)
		})
	}
	for _, next := range []string{"cleanup", "verify", "destroy"} {
		t.Run(next+" after a run that was killed at its CreateTable", func(t *testing.T) {
			t.Parallel()
			engineURL := engine(t).URL()
			var c *child
			killed := false
			url := before(t, engineURL, func() bool {
				if killed {
					return false
				}
				killed = true
				_ = c.Process.Kill()
				return true
			})
			c = prepare(t, nil, "verify", "fus-main", "--endpoint", url)
			c.starts(t)
			c.ends(t)
			if left := tables(t, engineURL); len(left) > 0 {
				t.Fatalf("expected no table, found %v", left)
			}
			theirs := madeByThem(t, engineURL, "fus-main")
			for range 2 { // and again
				later := run(t, c.Dir, 3, next, "fus-main", "--endpoint", url)
				says(t, "what is printed", later.stdout.String()+later.stderr.String(), `table "fus-main"`, "which is not the run's", "not changed")
				unchanged(t, engineURL, theirs)
			}
		})
	}
	t.Run("exchanged after a run that was killed", func(t *testing.T) {
		t.Parallel()
		engineURL := engine(t).URL()
		url, folder := killedWhileCreating(t, engineURL)
		_, err := client(engineURL).DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("fus-main")})
		require.NoError(t, err)
		theirs := madeByThem(t, engineURL, "fus-main")
		run(t, folder, 3, "cleanup", "fus-main", "--endpoint", url).oneError(t, `table "fus-main"`, "which is not the run's", "not changed")
		unchanged(t, engineURL, theirs)
	})
	// What is the run's goes, although another table of the stack is somebody else's.
	t.Run("one of four", func(t *testing.T) {
		t.Parallel()
		engineURL := engine(t).URL()
		folder := t.TempDir()
		c := prepare(t, nil, "verify", "commit-collect", "--endpoint", engineURL)
		c.Dir = folder
		c.starts(t)
		c.signalled(t, syscall.SIGKILL, "an item", func() bool { return holdsItem(t, engineURL, "CommitCollect") })
		c.ends(t)
		_, err := client(engineURL).DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("CommitCollectAudit")})
		require.NoError(t, err)
		madeByThem(t, engineURL, "CommitCollectAudit")
		later := run(t, folder, 3, "cleanup", "commit-collect", "--endpoint", engineURL)
		says(t, "cleanup", later.stdout.String()+later.stderr.String(), "3 tables", `table "CommitCollectAudit"`, "not the run's")
		if d := cmp.Diff([]string{"CommitCollectAudit"}, tables(t, engineURL)); d != "" || !holdsItem(t, engineURL, "CommitCollectAudit") {
			t.Errorf("tables (-want +got):\n%s", d)
		}
	})
}

// An engine that answers nothing that can be read says nothing about what was left.
func TestCleanupOfWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, strange := range []string{"ListTables", "DescribeTable"} {
		t.Run(strange, func(t *testing.T) {
			t.Parallel()
			engineURL := engine(t).URL()
			_, folder := killedWhileCreating(t, engineURL)
			proxy := inFrontOf(t, engineURL)
			var answering atomic.Bool
			state := filepath.Join(folder, "build", "state")
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
				if answering.Load() && strings.HasSuffix(request.Header.Get("X-Amz-Target"), "."+strange) {
					_, _ = io.WriteString(w, "{}")
					return
				}
				proxy.ServeHTTP(w, request)
			}))
			t.Cleanup(server.Close)
			url := server.URL
			places, err := os.ReadDir(state)
			if err != nil || len(places) != 1 {
				t.Fatalf("expected the state of one endpoint, found %v, %v", places, err)
			}
			at := strings.TrimPrefix(strings.ReplaceAll(url, ":", "-"), "http-//")
			require.NoError(t, os.Rename(filepath.Join(state, places[0].Name()), filepath.Join(state, at)))
			answering.Store(true)
			c := run(t, folder, 3, "cleanup", "fus-main", "--endpoint", url)
			lacks(t, "cleanup", c.stdout.String(), "removed")
			answering.Store(false)
			says(t, "cleanup", run(t, folder, 0, "cleanup", "fus-main", "--endpoint", url).stdout.String(), "deployed: 1 tables")
		})
	}
}

// Two runs of one stack would delete each other's tables.
func TestSecondRunIsRefused(t *testing.T) {
	t.Parallel()
	url, created, let := stall(t, engine(t).URL(), "CreateTable")
	folder := t.TempDir()
	first := prepare(t, nil, "verify", "roll-model", "--endpoint", url, "--label-filter", "kind:schema")
	first.Dir = folder
	first.starts(t)
	arrives(t, created) // and the first run waits for the answer
	second := run(t, folder, 3, "verify", "roll-model", "--endpoint", url, "--report", "second")
	says(t, "summary", second.stdout.String(), "expected no other run on this endpoint")
	run(t, folder, 3, "destroy", "roll-model", "--endpoint", url).oneError(t, "expected no other run")
	let()
	if code := first.ends(t); code != 0 {
		t.Errorf("expected the first run to pass, found exit code %d\n%s", code, first.stdout.String())
	}
}

// An endpoint that goes away decides nothing, and the state says what is left.
func TestEndpointGoesAway(t *testing.T) {
	t.Parallel()
	engine := engine(t)
	c := prepare(t, nil, "verify", "commit-collect", "personal-os", "--endpoint", engine.URL(), "--label-filter", everyClaim)
	c.starts(t)
	c.catch(t, "an item", func() bool { return holdsItem(t, engine.URL(), "CommitCollect") }, func() error { return engine.Close(t.Context()) })
	if code := c.ends(t); code != 3 {
		t.Fatalf("expected exit code 3, found %d\n%s%s", code, c.stdout.String(), c.stderr.String())
	}
	seen := read(t, c)
	onceEach(t, seen, claims(t, of("commit-collect", "personal-os")))
	if counts := evidence.Count(seen.Results()); counts[evidence.Fail] > 0 || counts[evidence.Error] == 0 {
		t.Errorf("expected errors and no failures, found %v", counts)
	}
	if told := strings.Count(c.stdout.String(), "connection refused"); told != 1 {
		t.Errorf("expected the reason once, found it %d times in\n%s", told, c.stdout.String())
	}
	says(t, "error output", c.stderr.String(), "removing commit-collect", "dynaproof cleanup commit-collect")
}

func TestAudit(t *testing.T) {
	t.Parallel()
	url, folder := engine(t).URL(), t.TempDir()
	run(t, folder, 0, "deploy", "personal-os", "--endpoint", url)
	c := run(t, folder, 0, "audit", "personal-os", "--endpoint", url)
	says(t, "summary", c.stdout.String(), "PASS", "were not run")
	readOnly(t, folder)

	// Break the deployment in three ways: each is named.
	api := client(url)
	_, err := api.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName:               aws.String("personal-os-dev"),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("ttl"), Enabled: aws.Bool(false)},
	})
	require.NoError(t, err)
	_, err = api.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
		TableName:                   aws.String("personal-os-dev"),
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: aws.String("GSI2")}}},
	})
	require.NoError(t, err)
	_, err = api.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{TableName: aws.String("personal-os-dev"), DeletionProtectionEnabled: aws.Bool(true)})
	require.NoError(t, err)
	c = run(t, folder, 1, "audit", "personal-os", "--endpoint", url)
	says(t, "summary", c.stdout.String(), "does not conform", "time to live", "on, by attribute ttl", "GSI1, GSI2", "no such index", "personal-os.md:")
	var failed []string
	for _, result := range readOnly(t, folder).Results() {
		if result.Verdict == evidence.Fail {
			failed = append(failed, result.ID)
		}
	}
	slices.Sort(failed)
	for _, want := range []string{"personal-os/index/personal-os/GSI2", "personal-os/table/personal-os/indexes", "personal-os/table/personal-os/ttl"} {
		assert.Contains(t, failed, want)
	}

	// Tables that are not there are differences too.
	c = run(t, folder, 1, "audit", "osem-ladders", "--endpoint", url)
	says(t, "summary", c.stdout.String(), "osem-dev-Users", "no such table")
	readOnly(t, folder)
}

// readOnly checks that an audit's ledger holds Describe and List alone.
// A table under a configured name is audited under that name.
func TestAuditOfAnotherTableName(t *testing.T) {
	t.Parallel()
	url, folder := engine(t).URL(), t.TempDir()
	run(t, folder, 0, "deploy", "fus-main", "--endpoint", url, "--config", "dynaproof:tableName=fus-test")
	run(t, folder, 0, "audit", "fus-main", "--endpoint", url, "--table", "fus-main=fus-test")
	c := run(t, folder, 1, "audit", "fus-main", "--endpoint", url)
	says(t, "summary", c.stdout.String(), "no such table", "fus-main.md:3")
}

func readOnly(t *testing.T, folder string) *evidence.Run {
	t.Helper()
	seen, err := evidence.Read(filepath.Join(folder, "build", "report", "audit.json"))
	require.NoError(t, err)
	if len(seen.Ledger) == 0 {
		t.Error("expected requests in the ledger")
	}
	for _, entry := range seen.Ledger {
		if !strings.HasPrefix(entry.Operation, "Describe") && !strings.HasPrefix(entry.Operation, "List") {
			t.Errorf("request %d: expected Describe or List, found %s", entry.Seq, entry.Operation)
		}
	}
	return seen
}

// The life of a deployment without the Pulumi command.
func TestDeployPreviewRefreshDestroy(t *testing.T) {
	t.Parallel()
	url, folder := engine(t).URL(), t.TempDir()
	on := func(command string, more ...string) string {
		t.Helper()
		return run(t, folder, 0, append([]string{command, "personal-os", "--endpoint", url, "--config", "dynaproof:protect=false"}, more...)...).stdout.String()
	}
	says(t, "preview", on("preview"), "+ aws:dynamodb/table:Table", `"personal-os-dev"`, "create 3")
	if found := tables(t, url); len(found) > 0 {
		t.Errorf("expected preview to create nothing, found %v", found)
	}
	says(t, "deploy", on("deploy"), "create 3", "personal-os = personal-os-dev")
	again := on("deploy")
	says(t, "second deploy", again, "same 3")
	lacks(t, "second deploy", again, "create", "update", "{")
	says(t, "preview", on("preview", "--config", "dynaproof:billingMode=PROVISIONED"), `~ billingMode`, `"PAY_PER_REQUEST" => "PROVISIONED"`, "update 1")

	_, err := client(url).UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName:               aws.String("personal-os-dev"),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("ttl"), Enabled: aws.Bool(false)},
	})
	require.NoError(t, err)
	says(t, "refresh", on("refresh"), "~ enabled", "true => false", "update 1")
	says(t, "repair", on("deploy"), "false => true", "update 1")
	var destroyed struct {
		Operation, Stack string
		Changes          map[string]int
	}
	if err := json.Unmarshal([]byte(on("destroy", "--json")), &destroyed); err != nil || destroyed.Operation != "destroy" || destroyed.Stack != "personal-os.dev" || destroyed.Changes["delete"] != 3 {
		t.Errorf("expected three deletions of personal-os.dev as JSON, found %+v, %v", destroyed, err)
	}
	says(t, "second destroy", on("destroy"), "nothing to do")
	says(t, "deployed tables as JSON", on("deploy", "--json"), `"personal-os": "personal-os-dev"`, `"create": 3`)
	on("destroy")
	if found := tables(t, url); len(found) > 0 {
		t.Errorf("expected no table, found %v", found)
	}
}
