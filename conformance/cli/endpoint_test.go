//go:build unix

package cli_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/lab/scale"
	"dynaproof/conformance/target"
)

// foreign makes a table that no stack owns, with an item, and returns what a reader sees of both.
func foreign(t *testing.T, url, name string) (snapshot func() string) {
	t.Helper()
	create(t, url, tableOf(name, "PK", "SK"))
	store(t, url, name, decoded(t, `{"PK":{"S":"customer"},"SK":{"S":"precious"}}`))
	return func() string {
		t.Helper()
		return strings.Join(slices.DeleteFunc(strings.Split(everything(t, url), "\n"), func(line string) bool { return !strings.HasPrefix(line, name+" ") }), "\n")
	}
}

// madeByThem makes a table of somebody's with one item, and returns all that is there.
func madeByThem(t *testing.T, url, name string) string {
	t.Helper()
	foreign(t, url, name)
	return everything(t, url)
}

// caught runs to its end a run that gets a signal where a look wants it.
func (c *child) caught(t *testing.T, signal syscall.Signal, what string, look func() bool) {
	t.Helper()
	c.starts(t)
	c.signalled(t, signal, what, look)
	if code := c.ends(t); signal == syscall.SIGKILL {
		require.Equal(t, -1, code, "expected the run to be killed\n%s%s", c.stdout.String(), c.stderr.String())
	}
}

// killedWith kills a verify of a design, in a folder, when a table of its holds an item.
func killedWith(t *testing.T, engineURL, url, folder, design, table string) {
	t.Helper()
	prepare(t, nil, "verify", design, "--endpoint", url, "--label-filter", long).in(folder).
		caught(t, syscall.SIGKILL, "an item in "+table, func() bool { return holdsItem(t, engineURL, table) })
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
	assert.Equal(t, []string{"osem-dev-Teams"}, tables(t, url))

	run(t, "", 3, "deploy", "osem-ladders", "--endpoint", url).oneError(t, "osem-dev-Teams", "exists already")
	same(t, "the foreign table", before, snapshot())

	// A prefix gets out of its way. A run that ended leaves no state.
	c = run(t, "", 0, "verify", "osem-ladders", "--endpoint", url, "--prefix", "x-")
	same(t, "the foreign table", before, snapshot())
	for _, path := range files(t, filepath.Join(c.Dir, "build", "state")) {
		assert.Equal(t, ".lock", filepath.Ext(path), "expected no state of a run that has ended, found %s", path)
	}
}

// verify never takes a deployment that somebody keeps for what it left itself.
func TestDeployedTablesAreNotVerifys(t *testing.T) {
	t.Parallel()
	url, folder := engine(t).URL(), t.TempDir()
	run(t, folder, 0, "deploy", "fus-main", "--endpoint", url, "--config", "dynaproof:protect=false")
	store(t, url, "fus-main", decoded(t, `{"PK":{"S":"kept"},"SK":{"S":"kept"}}`))
	run(t, folder, 3, "verify", "fus-main", "--endpoint", url).prints(t, `"fus-main" exists already`)
	assert.True(t, loaded(t, url), "expected the item of the kept deployment to be there still")
	run(t, folder, 0, "destroy", "fus-main", "--endpoint", url)
	assert.Empty(t, tables(t, url), "expected destroy to remove the deployment")
}

// An interrupt, a request to end and a terminal that closes end a run in good order.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	for ends, filter := range map[syscall.Signal]string{syscall.SIGINT: everyClaim, syscall.SIGHUP: long} {
		t.Run(ends.String(), func(t *testing.T) {
			t.Parallel()
			signal.Notify(make(chan os.Signal, 1), ends) // what this process ignores, as under nohup, the run would ignore too
			engine := engine(t)
			snapshot := foreign(t, engine.URL(), "theirs")
			before := snapshot()
			c := prepare(t, nil, "verify", "commit-collect", "personal-os", "--endpoint", engine.URL(), "--label-filter", filter)
			c.starts(t)
			ours := func() bool { return len(tables(t, engine.URL())) > 1 }
			c.signalled(t, ends, "a deployed table", ours)
			c.interrupted(t)
			assert.Equal(t, []string{"theirs"}, tables(t, engine.URL()))
			same(t, "the foreign table", before, snapshot())
			seen := read(t, c)
			onceEach(t, seen, claims(t, func(claim manifest.Claim) bool {
				return of("commit-collect", "personal-os")(claim) && (filter == everyClaim || !explored(claim))
			}))
			if counts := evidence.Count(seen.Results()); counts[evidence.Indeterminate]+counts[evidence.Error] == 0 {
				t.Errorf("expected claims that could not be told, found %v", counts)
			}
			lacks(t, "everything printed", c.stdout.String()+c.stderr.String(), "{{", "SDK 20")
		})
	}
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
	prepare(t, []string{"TMPDIR=" + temporary}, "verify", "roll-model", "--label-filter", long).caught(t, syscall.SIGKILL, "a folder with the state of a stack", func() bool {
		state, err := filepath.Glob(filepath.Join(temporary, "*", ".pulumi"))
		return err == nil && len(state) > 0
	})
	require.NotEmpty(t, there(), "expected the killed run to leave a folder")
	prepare(t, []string{"TMPDIR=" + temporary}, "verify", "roll-model").apart(t, 0)
	assert.Empty(t, there(), "the temporary directory")
}

// What a killed run left is removed by the next one, or by destroy; so is a table that was created and never got into the state.
func TestKilledRunIsCleanedUp(t *testing.T) {
	t.Parallel()
	for _, next := range []string{"verify", "destroy"} {
		t.Run(next, func(t *testing.T) {
			url, folder := engine(t).URL(), t.TempDir()
			snapshot := foreign(t, url, "osem-dev-theirs-too")
			before := snapshot()
			killedWith(t, url, url, folder, "commit-collect", "CommitCollect")
			require.Len(t, tables(t, url), 5, "expected the killed run to leave its four tables")
			c := run(t, folder, 0, next, "commit-collect", "--endpoint", url)
			if next == "destroy" {
				says(t, "destroy", c.stdout.String(), "what an interrupted verify of commit-collect.dev left")
			}
			assert.Equal(t, []string{"osem-dev-theirs-too"}, tables(t, url))
			same(t, "the foreign table", before, snapshot())
		})
		t.Run(next+" of a table without state", func(t *testing.T) {
			engineURL := engine(t).URL()
			url, folder := killedWhileCreating(t, engineURL)
			run(t, folder, 0, next, "fus-main", "--endpoint", url)
			assert.Empty(t, tables(t, engineURL))
		})
	}
}

func holdsItem(t *testing.T, url, table string) bool {
	t.Helper()
	page, err := client(url).Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(table), Limit: aws.Int32(1)})
	return err == nil && page.Count > 0
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
	require.Equal(t, []string{"fus-main"}, tables(t, engineURL), "expected the killed run to leave its table")
	return url, c.Dir
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
					theirs = madeByThem(t, engineURL, map[string]string{"scale": "dynaproof-scale-"}[operation]+"fus-main")
				}
				return false
			})
			c := run(t, "", 3, operation, "fus-main", "--endpoint", url)
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
			c.apart(t, -1)
			require.Empty(t, tables(t, engineURL))
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
		remove(t, engineURL, "fus-main")
		theirs := madeByThem(t, engineURL, "fus-main")
		run(t, folder, 3, "cleanup", "fus-main", "--endpoint", url).oneError(t, `table "fus-main"`, "which is not the run's", "not changed")
		unchanged(t, engineURL, theirs)
	})
	// What is the run's goes, although another table of the stack is somebody else's.
	t.Run("one of four", func(t *testing.T) {
		t.Parallel()
		engineURL := engine(t).URL()
		folder := t.TempDir()
		killedWith(t, engineURL, engineURL, folder, "commit-collect", "CommitCollect")
		remove(t, engineURL, "CommitCollectAudit")
		madeByThem(t, engineURL, "CommitCollectAudit")
		later := run(t, folder, 3, "cleanup", "commit-collect", "--endpoint", engineURL)
		says(t, "cleanup", later.stdout.String()+later.stderr.String(), "3 tables", `table "CommitCollectAudit"`, "not the run's")
		assert.Equal(t, []string{"CommitCollectAudit"}, tables(t, engineURL))
		assert.True(t, holdsItem(t, engineURL, "CommitCollectAudit"))
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
			var strangely atomic.Bool
			state := filepath.Join(folder, "build", "state")
			url := front(t, engineURL, func(request *asked) *httptest.ResponseRecorder {
				if strangely.Load() && request.operation == strange {
					return answering(http.StatusOK, "{}")
				}
				return request.forward()
			})
			places, err := os.ReadDir(state)
			require.NoError(t, err)
			require.Len(t, places, 1, "the state of one endpoint")
			at := strings.TrimPrefix(strings.ReplaceAll(url, ":", "-"), "http-//")
			require.NoError(t, os.Rename(filepath.Join(state, places[0].Name()), filepath.Join(state, at)))
			strangely.Store(true)
			c := run(t, folder, 3, "cleanup", "fus-main", "--endpoint", url)
			lacks(t, "cleanup", c.stdout.String(), "removed")
			strangely.Store(false)
			says(t, "cleanup", run(t, folder, 0, "cleanup", "fus-main", "--endpoint", url).stdout.String(), "deployed: 1 tables")
		})
	}
}

// Two runs of one stack would delete each other's tables.
func TestSecondRunIsRefused(t *testing.T) {
	t.Parallel()
	url, created, let := stall(t, engine(t).URL(), "CreateTable")
	folder := t.TempDir()
	first := prepare(t, nil, "verify", "roll-model", "--endpoint", url).in(folder)
	first.starts(t)
	arrives(t, created) // and the first run waits for the answer
	run(t, folder, 3, "verify", "roll-model", "--endpoint", url, "--report", "second").prints(t, "expected no other run on this endpoint")
	run(t, folder, 3, "destroy", "roll-model", "--endpoint", url).oneError(t, "expected no other run")
	let()
	assert.Zero(t, first.ends(t), "expected the first run to pass: %s", first.stdout.String())
}

// An endpoint that goes away decides nothing, and the state says what is left.
func TestEndpointGoesAway(t *testing.T) {
	t.Parallel()
	engine := engine(t)
	c := prepare(t, nil, "verify", "commit-collect", "personal-os", "--endpoint", engine.URL(), "--label-filter", long)
	c.starts(t)
	c.catch(t, "an item", func() bool { return holdsItem(t, engine.URL(), "CommitCollect") }, func() error { return engine.Close(t.Context()) })
	c.lost(t, "connection refused", "commit-collect", "personal-os")
	says(t, "error output", c.stderr.String(), "removing commit-collect", "dynaproof cleanup commit-collect")
}

func TestAudit(t *testing.T) {
	t.Parallel()
	url, folder := engine(t).URL(), t.TempDir()
	run(t, folder, 0, "deploy", "personal-os", "--endpoint", url)
	c := run(t, folder, 0, "audit", "personal-os", "--endpoint", url)
	c.prints(t, "PASS", "were not run")
	readOnly(t, c)

	// Break the deployment in three ways: each is named.
	expire(t, url, "personal-os-dev", "ttl", false)
	for _, change := range []*dynamodb.UpdateTableInput{
		{GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: aws.String("GSI2")}}}},
		{DeletionProtectionEnabled: aws.Bool(true)},
	} {
		change.TableName = aws.String("personal-os-dev")
		_, err := client(url).UpdateTable(t.Context(), change)
		require.NoError(t, err)
	}
	c = run(t, folder, 1, "audit", "personal-os", "--endpoint", url)
	c.prints(t, "does not conform", "time to live", "on, by attribute ttl", "GSI1, GSI2", "no such index", "personal-os.md:")
	decided := verdicts(readOnly(t, c))
	for _, id := range []string{"personal-os/index/personal-os/GSI2", "personal-os/table/personal-os/indexes", "personal-os/table/personal-os/ttl"} {
		assert.Equal(t, evidence.Fail, decided[id].Verdict, id)
	}

	// Tables that are not there are differences too.
	c = run(t, folder, 1, "audit", "osem-ladders", "--endpoint", url)
	c.prints(t, "osem-dev-Users", "no such table")
	readOnly(t, c)
}

// readOnly checks that an audit's ledger holds Describe and List alone.
func readOnly(t *testing.T, c *child) *evidence.Run {
	t.Helper()
	seen := audited(t, c)
	assert.NotEmpty(t, seen.Ledger)
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
	assert.Empty(t, tables(t, url), "expected preview to create nothing")
	says(t, "deploy", on("deploy"), "create 3", "personal-os = personal-os-dev")
	again := on("deploy")
	says(t, "second deploy", again, "same 3")
	lacks(t, "second deploy", again, "create", "update", "{")
	says(t, "preview", on("preview", "--config", "dynaproof:billingMode=PROVISIONED"), `~ billingMode`, `"PAY_PER_REQUEST" => "PROVISIONED"`, "update 1")
	expire(t, url, "personal-os-dev", "ttl", false)
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
	assert.Empty(t, tables(t, url))
}

// exchange ends an engine and starts another, empty one behind the same address, as
// somebody does who restarts an engine that keeps its tables in memory.
func exchange(t *testing.T) (address string, now func() (engineURL string), again func()) {
	t.Helper()
	start := func() target.Target {
		started, err := starting(t, target.Embedded)
		require.NoError(t, err)
		t.Cleanup(func() { _ = started.Close(context.Background()) })
		return started
	}
	running := start()
	var upstream atomic.Pointer[httputil.ReverseProxy]
	upstream.Store(inFrontOf(t, running.URL()))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) { upstream.Load().ServeHTTP(w, request) }))
	t.Cleanup(server.Close)
	return server.URL, func() string { return running.URL() }, func() {
		running = start()
		upstream.Store(inFrontOf(t, running.URL()))
	}
}

// A load was killed, its engine was started anew, and a developer made a table of the same
// name there. The next load neither deletes it nor loads anything into it.
func TestScaleLeavesTheirTable(t *testing.T) {
	t.Parallel()
	for prefix, flags := range map[string][]string{"dynaproof-scale-": nil, "": {"--prefix="}} {
		t.Run("prefix "+prefix, func(t *testing.T) {
			address, engineURL, again := exchange(t)
			folder := t.TempDir()
			args := append([]string{"scale", "roll-model", "--items", "5", "--endpoint", address}, flags...)
			prepare(t, nil, args...).in(folder).caught(t, syscall.SIGKILL, "items that are loaded", func() bool { return holdsItem(t, engineURL(), prefix+"RollModel") })
			again()
			before := madeByThem(t, engineURL(), prefix+"RollModel")
			c := run(t, folder, 3, args...)
			says(t, "summary", c.stdout.String()+c.stderr.String(), strconv.Quote(prefix+"RollModel"), "is not the run's", "it was not changed")
			same(t, "their table", before, everything(t, engineURL()))
		})
	}
}

// Somebody exchanges a table while items are put into it: nothing more is put there, and it stays.
func TestExchangedWhileItemsArePut(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ operation, prefix, writes string }{{"scale", "dynaproof-scale-", "BatchWriteItem"}, {"verify", "", "PutItem"}} {
		t.Run(row.operation, func(t *testing.T) {
			t.Parallel()
			engineURL, name := engine(t).URL(), row.prefix+"fus-main"
			theirs, writes := "", 0
			var one sync.Mutex
			url := behindEach(t, engineURL, func() {
				one.Lock()
				defer one.Unlock()
				if writes++; writes == 3 {
					remove(t, engineURL, name)
					theirs = madeByThem(t, engineURL, name)
				}
			}, row.writes)
			args := []string{row.operation, "fus-main", "--endpoint", url}
			if row.operation == "verify" {
				args = append(args, "--label-filter", "kind:pattern")
			}
			c := run(t, "", 3, args...)
			says(t, "what is printed", c.stdout.String()+c.stderr.String(), strconv.Quote(name), "is not the run's", "it was not changed")
			same(t, "their table", theirs, everything(t, engineURL))
		})
	}
}

// A journal that cannot be read, or that another version wrote, says nothing of which tables are the run's: none is touched, whatever the
// state of the stack names, and each command says so, each time.
func TestJournalsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	address, engineURL, again := exchange(t)
	folder := t.TempDir()
	killedWith(t, engineURL(), address, folder, "fus-main", "fus-main")
	journals, err := filepath.Glob(filepath.Join(folder, "build", "state", "*", "verify", "fus-main.dev", "journal.json"))
	require.NoError(t, err)
	require.Len(t, journals, 1)
	whole := content(t, journals[0])
	again()
	before := madeByThem(t, engineURL(), "fus-main")
	for _, row := range []struct{ journal, text, command string }{
		{"empty", "", "cleanup"}, {"empty", "", "verify"}, {"cut off", whole[:len(whole)-5], "cleanup"}, {"cut off", whole[:len(whole)-5], "verify"},
		{"of another version", `{"streams":["a"],` + whole[1:], "cleanup"}, {"twice", `{"made":{},` + whole[1:], "destroy"},
		{"null", "null", "cleanup"}, {"nothing", "{}", "verify"}, {"null tables", `{"creating":null,"made":null}`, "destroy"}, {"and more", whole + "{}", "cleanup"},
	} {
		require.NoError(t, os.WriteFile(journals[0], []byte(row.text), 0o600))
		c := run(t, folder, 3, row.command, "fus-main", "--endpoint", address)
		says(t, row.command+" with a journal that is "+row.journal, c.stdout.String()+c.stderr.String(), "journal.json: expected the journal of an interrupted run", "nothing was changed")
		same(t, "their table behind "+row.command+" with a journal that is "+row.journal, before, everything(t, engineURL()))
	}
	require.NoError(t, os.WriteFile(journals[0], []byte(whole), 0o600))
	says(t, "cleanup", run(t, folder, 3, "cleanup", "fus-main", "--endpoint", address).stderr.String(), "is not the run's", "it was not changed")
	same(t, "their table", before, everything(t, engineURL()))
}

// The disk was full, so that the stack's state cannot be read: the journal proves which table is the run's, and it goes.
func TestAStateThatCannotBeRead(t *testing.T) {
	t.Parallel()
	engineURL, folder := engine(t).URL(), t.TempDir()
	killedWith(t, engineURL, engineURL, folder, "fus-main", "fus-main")
	states, err := filepath.Glob(filepath.Join(folder, "build", "state", "*", "verify", "fus-main.dev", ".pulumi", "stacks", "dynaproof", "*.json"))
	require.NoError(t, err)
	require.Len(t, states, 1, "the state of one stack")
	require.NoError(t, os.WriteFile(states[0], nil, 0o600))
	snapshot := foreign(t, engineURL, "fus-main-theirs")
	before := snapshot()
	run(t, folder, 3, "cleanup", "fus-main", "--endpoint", engineURL).complains(t, "unexpected end of JSON input", "were removed all the same", "fus-main.dev")
	same(t, "what is left", before, everything(t, engineURL))
}

// A stack was deployed, its engine was started anew, and a developer made a table of the
// same name there: destroy leaves it, and so does deploy.
func TestDestroyLeavesTheirTable(t *testing.T) {
	t.Parallel()
	address, engineURL, again := exchange(t)
	folder := t.TempDir()
	at := []string{"personal-os", "--endpoint", address, "--env", "dev"}
	run(t, folder, 0, append([]string{"deploy"}, at...)...)
	again()
	before := madeByThem(t, engineURL(), "personal-os-dev")
	for _, operation := range []string{"destroy", "deploy"} {
		run(t, folder, 3, append([]string{operation}, at...)...).oneError(t, "personal-os-dev", "is not the run's", "it was not changed")
		same(t, "their table", before, everything(t, engineURL()))
	}
	// Where the tables are the stack's own they go.
	again()
	own := t.TempDir()
	run(t, own, 0, append([]string{"deploy", "--config", "dynaproof:protect=false"}, at...)...)
	run(t, own, 0, append([]string{"destroy"}, at...)...)
	assert.Empty(t, tables(t, engineURL()), "expected the stack's own tables to be gone")
}

// The engine does what it is asked, and the first answer to each operation is lost: the run holds what it would have held, and leaves
// nothing. What others have beside it stays.
func TestFirstAnswersAreLost(t *testing.T) {
	t.Parallel()
	engineURL := engine(t).URL()
	before := madeByThem(t, engineURL, "fus-main-theirs")
	var one sync.Mutex
	lost := map[string]bool{}
	url := front(t, engineURL, func(request *asked) *httptest.ResponseRecorder {
		answer := request.forward()
		one.Lock()
		defer one.Unlock()
		if request.operation == "ListTables" || lost[request.operation] { // a run asks once whether an engine is there
			return answer
		}
		lost[request.operation] = true
		return nil
	})
	run(t, "", 0, "verify", "fus-main", "--endpoint", url, "--prefix", "x-", "--label-filter", "kind:schema || /pattern.(get|put|add|remove|edit|rate|delete)-/")
	same(t, "what others have", before, everything(t, engineURL))
	for _, operation := range []string{"CreateTable", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems", "DeleteTable"} {
		assert.True(t, lost[operation], "expected an answer to %s to be lost", operation)
	}
}

// A run is killed at its first request of each kind that changes something, before the engine gets it and behind, and at two that only look:
// clean-up removes what is the run's, nothing of others, and leaves nothing that it does not name.
func TestKilledAtARequest(t *testing.T) {
	t.Parallel()
	engineURL := engine(t).URL()
	madeByThem(t, engineURL, "fus-main-theirs")
	before := madeByThem(t, engineURL, "fus-main2")
	left := 0
	for _, at := range []string{"DescribeTable", "CreateTable", "ListTagsOfResource", "PutResourcePolicy", "BatchWriteItem", "DeleteResourcePolicy", "DeleteTable"} {
		behinds := []bool{false, true}
		if at == "DescribeTable" || at == "ListTagsOfResource" { // before the table is made, and behind that: no engine does otherwise for a look
			behinds = behinds[:1]
		}
		for _, behind := range behinds {
			var c *child
			var killed atomic.Bool
			url := front(t, engineURL, func(request *asked) *httptest.ResponseRecorder {
				if request.operation != at || !killed.CompareAndSwap(false, true) {
					return request.forward()
				}
				if behind {
					request.forward()
				}
				_ = c.Process.Kill()
				return nil
			})
			c = prepare(t, nil, "verify", "fus-main", "--endpoint", url)
			c.apart(t, -1)
			if slices.Contains(tables(t, engineURL), "fus-main") {
				left++
			}
			cleanup := prepare(t, nil, "cleanup", "fus-main", "--endpoint", url).in(c.Dir)
			code := cleanup.code(t)
			if known := !strings.Contains(cleanup.stderr.String(), "expected a run that is known"); code != 0 && known {
				t.Errorf("%s, behind %v: expected clean-up to end with 0, found %d\n%s", at, behind, code, cleanup.stderr.String())
			}
			require.Equal(t, before, everything(t, engineURL), "killed at %s, behind %v: the tables", at, behind)
		}
	}
	assert.GreaterOrEqual(t, left, 8, "expected most kills to leave the run's table")
}

// The next run removes what a killed load left, and then measures what a load that nobody
// killed measures. An interrupted load removes what it loaded. A table of the documented name, which a load does not take, stays.
func TestScaleAfterAKill(t *testing.T) {
	t.Parallel()
	running := engine(t)
	args := []string{"scale", "roll-model", "--items", "5", "--json"}
	folder := t.TempDir()
	before := madeByThem(t, running.URL(), "RollModel")
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		prepare(t, nil, append(args, "--endpoint", running.URL())...).in(folder).caught(t, signal, "items that are loaded", func() bool { return holdsItem(t, running.URL(), "dynaproof-scale-RollModel") })
		if left := tables(t, running.URL()); (len(left) > 1) != (signal == syscall.SIGKILL) {
			t.Errorf("%v: expected tables to be left by a kill alone, found %v", signal, left)
		}
	}
	var figures [2][]scale.Pattern
	for i, each := range [][]string{append(args, "--endpoint", running.URL()), args} {
		again := run(t, folder, 0, each...)
		var report scale.Report
		require.NoError(t, json.Unmarshal(again.stdout.Bytes(), &report))
		figures[i] = report.Designs[0].Patterns
	}
	assert.Equal(t, figures[1], figures[0], "figures of the run after a kill, and of an undisturbed one")
	same(t, "what others have", before, everything(t, running.URL()))
}
