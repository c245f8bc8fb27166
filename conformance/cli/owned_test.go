//go:build unix

package cli_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"path/filepath"
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

	"dynaproof/conformance/target"
)

// exchange ends an engine and starts another, empty one behind the same address, as
// somebody does who restarts an engine that keeps its tables in memory.
func exchange(t *testing.T) (address string, now func() (engineURL string), again func()) {
	t.Helper()
	start := func() target.Target {
		started, err := target.Embedded(t.Context(), target.EmbeddedOptions{})
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

// madeByThem makes a table of somebody's with one item.
func madeByThem(t *testing.T, url, name string) string {
	t.Helper()
	_, err := client(url).CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String(name), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("PK"), AttributeType: "S"}, {AttributeName: aws.String("SK"), AttributeType: "S"}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash}, {AttributeName: aws.String("SK"), KeyType: types.KeyTypeRange}},
	})
	require.NoError(t, err)
	store(t, url, name, decoded(t, `{"PK":{"S":"customer"},"SK":{"S":"precious"}}`))
	return everything(t, url)
}

// A load was killed, its engine was started anew, and a developer made a table of the same
// name there. The next load neither deletes it nor loads anything into it.
func TestScaleLeavesTheirTable(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		args  []string
		table string
		code  int
	}{
		"the name of its table":          {nil, "dynaproof-scale-RollModel", 3},
		"without a prefix":               {[]string{"--prefix="}, "RollModel", 3},
		"the documented name is not met": {nil, "RollModel", 0},
	} {
		t.Run(name, func(t *testing.T) {
			address, engineURL, again := exchange(t)
			folder := t.TempDir()
			args := append([]string{"scale", "roll-model", "--items", "5", "--endpoint", address}, row.args...)
			killed := prepare(t, nil, args...)
			killed.Dir = folder
			killed.starts(t)
			killed.signalled(t, syscall.SIGKILL, "items that are loaded", func() bool { return strings.Count(everything(t, engineURL()), "\n") > 50 })
			killed.ends(t)
			again()
			before := madeByThem(t, engineURL(), row.table)
			c := run(t, folder, row.code, args...)
			if row.code == 3 {
				says(t, "summary", c.stdout.String()+c.stderr.String(), strconv.Quote(row.table), "is not the run's", "it was not changed")
			}
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
					_, err := client(engineURL).DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String(name)})
					assert.NoError(t, err)
					theirs = madeByThem(t, engineURL, name)
				}
			}, row.writes)
			c := run(t, "", 3, row.operation, "fus-main", "--endpoint", url)
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
	killed := prepare(t, nil, "verify", "fus-main", "--endpoint", address)
	killed.Dir = folder
	killed.starts(t)
	killed.signalled(t, syscall.SIGKILL, "an item", func() bool { return len(tables(t, engineURL())) == 1 && holdsItem(t, engineURL(), "fus-main") })
	killed.ends(t)
	journals, err := filepath.Glob(filepath.Join(folder, "build", "state", "*", "verify", "fus-main.dev", "journal.json"))
	if err != nil || len(journals) != 1 {
		t.Fatalf("expected one journal, found %v, %v", journals, err)
	}
	whole, err := os.ReadFile(journals[0])
	require.NoError(t, err)
	again()
	before := madeByThem(t, engineURL(), "fus-main")
	for name, text := range map[string]string{
		"empty": "", "cut off": string(whole[:len(whole)-5]), "of another version": `{"streams":["a"],` + string(whole[1:]), "twice": `{"made":{},` + string(whole[1:]),
		"null": "null", "nothing": "{}", "null tables": `{"creating":null,"made":null}`, "and more": string(whole) + "{}",
	} {
		require.NoError(t, os.WriteFile(journals[0], []byte(text), 0o600))
		for _, command := range []string{"cleanup", "verify"} {
			c := run(t, folder, 3, command, "fus-main", "--endpoint", address)
			says(t, command+" with a journal that is "+name, c.stdout.String()+c.stderr.String(), "journal.json: expected the journal of an interrupted run", "nothing was changed")
			same(t, "their table behind "+command+" with a journal that is "+name, before, everything(t, engineURL()))
		}
	}
	require.NoError(t, os.WriteFile(journals[0], whole, 0o600))
	says(t, "cleanup", run(t, folder, 3, "cleanup", "fus-main", "--endpoint", address).stderr.String(), "is not the run's", "it was not changed")
	same(t, "their table", before, everything(t, engineURL()))
}

// The disk was full, so that the stack's state cannot be read: the journal proves which table is the run's, and it goes.
func TestAStateThatCannotBeRead(t *testing.T) {
	t.Parallel()
	engineURL, folder := engine(t).URL(), t.TempDir()
	killed := prepare(t, nil, "verify", "fus-main", "--endpoint", engineURL)
	killed.Dir = folder
	killed.starts(t)
	killed.signalled(t, syscall.SIGKILL, "an item", func() bool { return len(tables(t, engineURL)) == 1 && holdsItem(t, engineURL, "fus-main") })
	killed.ends(t)
	states, err := filepath.Glob(filepath.Join(folder, "build", "state", "*", "verify", "fus-main.dev", ".pulumi", "stacks", "dynaproof", "*.json"))
	if err != nil || len(states) != 1 {
		t.Fatalf("expected the state of one stack, found %v, %v", states, err)
	}
	require.NoError(t, os.WriteFile(states[0], nil, 0o600))
	before := madeByThem(t, engineURL, "fus-main-theirs")
	before = before[strings.Index(before, "fus-main-theirs "):]
	says(t, "cleanup", run(t, folder, 3, "cleanup", "fus-main", "--endpoint", engineURL).stderr.String(), "unexpected end of JSON input", "were removed all the same", "fus-main.dev")
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
	if left := tables(t, engineURL()); len(left) > 0 {
		t.Errorf("expected the stack's own tables to be gone, found %v", left)
	}
}
