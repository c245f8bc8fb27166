//go:build unix

package cli_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/conformance/target"
)

// exchange ends an engine and starts another, empty one behind the same address, as
// somebody does who restarts an engine that keeps its tables in memory.
func exchange(t *testing.T) (address string, now func() (engineURL string), again func()) {
	t.Helper()
	start := func() target.Target {
		started, err := target.Embedded(t.Context(), target.EmbeddedOptions{})
		if err != nil {
			t.Fatal(err)
		}
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
	if err != nil {
		t.Fatal(err)
	}
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
