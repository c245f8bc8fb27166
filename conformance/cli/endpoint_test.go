//go:build unix

package cli_test

import (
	"context"
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
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
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

// A table in the way stays as it is, and nothing of the run is left beside it.
func TestTableInTheWay(t *testing.T) {
	t.Parallel()
	url := engine(t).URL()
	snapshot := foreign(t, url, "osem-dev-Teams")
	before := snapshot()
	c := run(t, "", 3, "verify", "osem-ladders", "--endpoint", url)
	says(t, "summary", c.stdout.String(), "osem-ladders could not be examined", `"osem-dev-Teams" exists already at `+url, "not owned by this stack", "namePrefix")
	assert.Equal(t, 1, strings.Count(c.stdout.String(), "exists already"), "expected the reason once")
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

// An interrupt, a request to end and a terminal that closes end a run in good order.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	for ends, filter := range map[syscall.Signal]string{syscall.SIGINT: "kind:confinement", syscall.SIGHUP: few} {
		t.Run(ends.String(), func(t *testing.T) {
			t.Parallel()
			signal.Notify(make(chan os.Signal, 1), ends) // what this process ignores, as under nohup, the run would ignore too
			engine := engine(t)
			snapshot := foreign(t, engine.URL(), "theirs")
			before := snapshot()
			g := newStage(t, engine.URL())
			c := prepare(t, nil, "verify", "commit-collect", "personal-os", "--endpoint", g.url, "--label-filter", filter)
			g.signals(c, ends, moment{"CreateTable", 1, false})
			c.starts(t)
			c.interrupted(t)
			assert.Equal(t, []string{"theirs"}, tables(t, engine.URL()))
			same(t, "the foreign table", before, snapshot())
			seen := read(t, c)
			onceEach(t, seen, claims(t, func(claim manifest.Claim) bool {
				return of("commit-collect", "personal-os")(claim) && filter == "kind:"+string(claim.Kind)
			}))
			counts := evidence.Count(seen.Results())
			assert.NotZero(t, counts[evidence.Indeterminate]+counts[evidence.Error], "expected claims that could not be told")
			lacks(t, "everything printed", c.stdout.String()+c.stderr.String(), "{{", "SDK 20")
		})
	}
}

// cannotWork is a document that does not conform.
var cannotWork = absolute("../../accesspatterns/document/review/testdata/batch-cannot-update/breaks.md")

// Nobody need read the output to its end: a run whose reader has gone ends in good order, with its reports.
func TestReaderThatHasGone(t *testing.T) {
	t.Parallel()
	from, to, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, from.Close())
	c := prepare(t, nil, "verify", "fus-main")
	c.Stdout = to
	c.apart(t, 3)
	c.complains(t, "the output: ", "broken pipe")
	assert.Len(t, files(t, filepath.Join(c.Dir, "build", "report")), 7, "expected the reports, and no lock")
	c = prepare(t, nil, "review", cannotWork)
	c.Stdout = to
	c.apart(t, 1)
	c.complains(t, "the output: ", "broken pipe")
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
	c := prepare(t, []string{"TMPDIR=" + temporary}, "verify", "roll-model", "--label-filter", long)
	c.starts(t)
	c.signalled(t, syscall.SIGKILL, "a folder with the state of a stack", func() bool {
		state, err := filepath.Glob(filepath.Join(temporary, "*", ".pulumi"))
		return err == nil && len(state) > 0
	})
	c.endsWith(t, -1)
	require.NotEmpty(t, there(), "expected the killed run to leave a folder")
	prepare(t, []string{"TMPDIR=" + temporary}, "verify", "roll-model").apart(t, 0)
	assert.Empty(t, there(), "the temporary directory")
}

func holdsItem(t *testing.T, url, table string) bool {
	t.Helper()
	page, err := client(url).Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(table), Limit: aws.Int32(1)})
	return err == nil && page.Count > 0
}

// Somebody's table of the run's name, made at whatever moment, is theirs: a name is not enough, and
// neither is a date.
func TestTableOfTheSameNameIsNotTheRuns(t *testing.T) {
	t.Parallel()
	for _, operation := range []string{"verify", "deploy", "scale"} {
		t.Run("between the look of "+operation+" and its CreateTable", func(t *testing.T) {
			t.Parallel()
			engineURL := engine(t).URL()
			g, theirs := newStage(t, engineURL), ""
			g.expect(rule{"CreateTable", 1, func(request *asked) *httptest.ResponseRecorder {
				theirs = madeByThem(t, engineURL, map[string]string{"scale": "dynaproof-scale-"}[operation]+"fus-main")
				return request.forward()
			}})
			c := run(t, "", 3, operation, "fus-main", "--endpoint", g.url)
			says(t, "what is printed", c.stdout.String()+c.stderr.String(), "exists already", "not changed")
			same(t, "their table", theirs, everything(t, engineURL))
			if operation == "deploy" {
				run(t, c.Dir, 0, "destroy", "fus-main", "--endpoint", g.url)
				same(t, "their table", theirs, everything(t, engineURL))
			}
		})
	}
	for name, ahead := range map[string]bool{"after a run that was killed at its CreateTable": true, "exchanged after a run that was killed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engineURL := engine(t).URL()
			g := newStage(t, engineURL)
			folder := g.kills(t, moment{"CreateTable", 1, ahead}, "verify", "fus-main")
			require.Len(t, tables(t, engineURL), map[bool]int{true: 0, false: 1}[ahead], "tables of the killed run")
			if !ahead {
				remove(t, engineURL, "fus-main")
			}
			theirs := madeByThem(t, engineURL, "fus-main")
			for _, next := range []string{"cleanup", "verify", "destroy", "cleanup"} { // and again
				later := run(t, folder, 3, next, "fus-main", "--endpoint", g.url)
				says(t, next, later.stdout.String()+later.stderr.String(), `table "fus-main"`, "which is not the run's", "not changed")
				same(t, "their table", theirs, everything(t, engineURL))
			}
		})
	}
	// What is the run's goes, although another table of the stack is somebody else's.
	t.Run("one of four", func(t *testing.T) {
		t.Parallel()
		engineURL := engine(t).URL()
		g := newStage(t, engineURL)
		folder := g.kills(t, moment{"BatchWriteItem", 1, false}, "verify", "commit-collect")
		remove(t, engineURL, "CommitCollectAudit")
		madeByThem(t, engineURL, "CommitCollectAudit")
		later := run(t, folder, 3, "cleanup", "commit-collect", "--endpoint", g.url)
		says(t, "cleanup", later.stdout.String()+later.stderr.String(), "3 tables", `table "CommitCollectAudit"`, "not the run's")
		assert.Equal(t, []string{"CommitCollectAudit"}, tables(t, engineURL))
		assert.True(t, holdsItem(t, engineURL, "CommitCollectAudit"))
	})
}

// An engine that answers nothing that can be read says nothing about what was left.
func TestCleanupOfWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	engineURL := engine(t).URL()
	g := newStage(t, engineURL)
	folder := g.kills(t, moment{"CreateTable", 1, false}, "verify", "fus-main")
	for _, strange := range []string{"ListTables", "DescribeTable"} {
		g.expect(rule{strange, 0, func(*asked) *httptest.ResponseRecorder { return answering(http.StatusOK, "{}") }})
		lacks(t, strange, run(t, folder, 3, "cleanup", "fus-main", "--endpoint", g.url).stdout.String(), "removed")
	}
	g.expect(rule{})
	run(t, folder, 0, "cleanup", "fus-main", "--endpoint", g.url).prints(t, "removed what an interrupted verify of fus-main.dev deployed: 1 tables")
	folder = g.kills(t, moment{"CreateTable", 1, false}, "verify", "--design", example)
	own := prepare(t, nil, "cleanup", "--design", example, "--endpoint", g.url)
	own.Dir = folder
	own.apart(t, 0)
	own.prints(t, "removed what an interrupted verify of tickets.dev deployed: 1 tables")
	assert.Empty(t, tables(t, engineURL))
}

// Two runs of one stack would delete each other's tables, and two that deploy it forget each other's.
func TestSecondRunIsRefused(t *testing.T) {
	for operation, others := range map[string][][]string{
		"verify": {{"verify", "--report", "second"}, {"destroy"}, {"cleanup"}}, "deploy": {{"deploy"}, {"destroy"}},
	} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			url, created, let := stall(t, engine(t).URL(), "CreateTable")
			folder := t.TempDir()
			first := prepare(t, nil, operation, "roll-model", "--endpoint", url).in(folder)
			first.starts(t)
			arrives(t, created) // and the first run waits for the answer
			for _, other := range others {
				c := run(t, folder, 3, append(other, "roll-model", "--endpoint", url)...)
				says(t, other[0], c.stdout.String()+c.stderr.String(), "expected no other run on this endpoint")
			}
			let()
			assert.Zero(t, first.ends(t), "expected the first run to pass: %s", first.stdout.String())
		})
	}
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
	address, engineURL, again := exchange(t)
	g := newStage(t, address)
	folder := g.kills(t, moment{"BatchWriteItem", 1, false}, "scale", "roll-model", "--items", "5")
	again()
	before := madeByThem(t, engineURL(), "dynaproof-scale-RollModel")
	c := run(t, folder, 3, "scale", "roll-model", "--items", "5", "--endpoint", g.url)
	says(t, "summary", c.stdout.String()+c.stderr.String(), `"dynaproof-scale-RollModel"`, "is not the run's", "it was not changed")
	same(t, "their table", before, everything(t, engineURL()))
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
	through, engineURL, again := exchange(t)
	g := newStage(t, through)
	address, folder := g.url, g.kills(t, moment{"BatchWriteItem", 1, false}, "verify", "fus-main")
	journals, err := filepath.Glob(filepath.Join(folder, "build", "state", "*", "verify", "fus-main.dev", "journal.json"))
	require.NoError(t, err)
	require.Len(t, journals, 1)
	whole := content(t, journals[0])
	again()
	before := madeByThem(t, engineURL(), "fus-main")
	for _, row := range []struct{ journal, text, command string }{
		{"empty", "", "cleanup"}, {"empty", "", "verify"}, {"cut off", whole[:len(whole)-5], "cleanup"}, {"cut off", whole[:len(whole)-5], "verify"},
		{"of another version", `{"streams":["a"],` + whole[1:], "cleanup"}, {"twice", `{"made":{},` + whole[1:], "destroy"}, {"in other letters", `{"Made":{},` + whole[1:], "destroy"},
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
	engineURL := engine(t).URL()
	g := newStage(t, engineURL)
	folder := g.kills(t, moment{"BatchWriteItem", 1, false}, "verify", "fus-main")
	states, err := filepath.Glob(filepath.Join(folder, "build", "state", "*", "verify", "fus-main.dev", ".pulumi", "stacks", "dynaproof", "*.json"))
	require.NoError(t, err)
	require.Len(t, states, 1, "the state of one stack")
	require.NoError(t, os.WriteFile(states[0], nil, 0o600))
	snapshot := foreign(t, engineURL, "fus-main-theirs")
	before := snapshot()
	run(t, folder, 3, "cleanup", "fus-main", "--endpoint", g.url).complains(t, "unexpected end of JSON input", "were removed all the same", "fus-main.dev")
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

// A run is killed at its first request of each kind that changes something, ahead of the engine and behind its answer, and at one that only
// looks, before its table is there. Clean-up removes what is the run's, nothing of others, and leaves nothing that it does not name. So do the
// next verify and destroy: of a table that never got into the state, and of one that items are put into.
func TestKilledAtARequest(t *testing.T) {
	t.Parallel()
	engineURL := engine(t).URL()
	madeByThem(t, engineURL, "fus-main-theirs")
	before := madeByThem(t, engineURL, "fus-main2")
	g, left := newStage(t, engineURL), 0
	for _, operation := range []string{"DescribeTable", "CreateTable", "PutResourcePolicy", "BatchWriteItem", "DeleteResourcePolicy", "DeleteTable"} {
		for _, ahead := range []bool{true, false}[:map[bool]int{true: 1, false: 2}[operation == "DescribeTable"]] { // no engine does otherwise behind a look
			at, nexts := moment{operation, 1, ahead}, []string{"cleanup"}
			switch at {
			case moment{"CreateTable", 1, false}:
				nexts = []string{"cleanup", "verify", "destroy"}
			case moment{"BatchWriteItem", 1, true}:
				nexts = []string{"verify"}
			case moment{"BatchWriteItem", 1, false}:
				nexts = []string{"destroy"}
			}
			for _, next := range nexts {
				folder := g.kills(t, at, "verify", "fus-main")
				if slices.Contains(tables(t, engineURL), "fus-main") {
					left++
				}
				later := prepare(t, nil, next, "fus-main", "--endpoint", g.url).in(folder)
				want := map[string]int{"verify": 1}[next] // whose claims tell of tables that are named alike
				if at == (moment{"CreateTable", 1, true}) {
					want = 3 // the engine may carry it out yet, for all that anybody knows
					defer later.complains(t, `table "fus-main"`, "it may come yet: clean up again after")
				}
				if code := later.code(t); code != want && !strings.Contains(later.stderr.String(), "expected a run that is known") {
					t.Errorf("%+v: expected %s to end with %d, found %d\n%s", at, next, want, code, later.stderr.String())
				}
				if next == "destroy" {
					later.prints(t, "what an interrupted verify of fus-main.dev left")
				}
				require.Equal(t, before, everything(t, engineURL), "killed at %+v, and behind %s: the tables", at, next)
			}
		}
	}
	assert.GreaterOrEqual(t, left, 10, "expected most kills to leave the run's table")
}

// A deploy was cut off with a table that its state does not know. The next one says how to go on: by a removal where an answer proves that the
// stack made the table, and by hand where none does.
func TestDeployCutOff(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		at      moment
		destroy int
		words   []string
	}{
		{moment{"UpdateTimeToLive", 1, true}, 0, []string{"exists already", "a deploy of this stack that was cut off has made it", "`dynaproof destroy`"}},
		{moment{"CreateTable", 1, false}, 3, []string{"expected one with an answer that names it", "remove the table if nobody needs it"}},
	} {
		g := newStage(t, engine(t).URL())
		again := func(folder string, code int, command string) *child {
			return run(t, folder, code, on(g.url, command, "commit-collect", "--config", "dynaproof:protect=false")...)
		}
		folder := g.kills(t, row.at, "deploy", "commit-collect", "--config", "dynaproof:protect=false")
		before := tables(t, g.engine)
		require.NotEmpty(t, before, "tables of the deploy that was cut off")
		again(folder, 3, "deploy").complains(t, row.words...)
		assert.Subset(t, tables(t, g.engine), before)
		again(folder, row.destroy, "destroy")
		if row.destroy == 0 {
			again(folder, 0, "deploy")
		}
	}
}

// The next load removes what a killed one left and makes its table anew, so that it measures what any load measures. An interrupted load
// removes what it loaded. A table of the documented name, which a load does not take, stays.
func TestScaleAfterAKill(t *testing.T) {
	t.Parallel()
	g := newStage(t, engine(t).URL())
	before, loaded := madeByThem(t, g.engine, "RollModel"), moment{"BatchWriteItem", 1, false}
	folder := g.kills(t, loaded, "scale", "roll-model", "--items", "5")
	require.Len(t, tables(t, g.engine), 2, "expected the killed load to leave its table")
	c := prepare(t, nil, "scale", "roll-model", "--items", "5", "--endpoint", g.url).in(folder)
	g.signals(c, syscall.SIGINT, loaded)
	c.apart(t, 3)
	assert.Equal(t, 1, g.seen["CreateTable"], "tables that the next load makes")
	assert.Equal(t, 2, g.seen["DeleteTable"], "tables that it removes: that of the killed load, and its own")
	same(t, "what others have", before, everything(t, g.engine))
}
