//go:build unix

package cli_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// The engine does what it is asked, and the first answer to each operation is lost: the run holds what it would have held, and leaves
// nothing. What others have beside it stays.
func TestFirstAnswersAreLost(t *testing.T) {
	t.Parallel()
	engineURL := engine(t).URL()
	before := madeByThem(t, engineURL, "fus-main-theirs")
	proxy := inFrontOf(t, engineURL)
	var one sync.Mutex
	lost := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		_, operation, _ := strings.Cut(request.Header.Get("X-Amz-Target"), ".")
		one.Lock()
		first := operation != "" && operation != "ListTables" && !lost[operation] // a run asks once whether an engine is there
		lost[operation] = true
		one.Unlock()
		if first {
			proxy.ServeHTTP(httptest.NewRecorder(), request)
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, request)
	}))
	t.Cleanup(server.Close)
	run(t, "", 0, "verify", "fus-main", "--endpoint", server.URL, "--prefix", "x-", "--label-filter", "kind:pattern || kind:schema")
	same(t, "what others have", before, everything(t, engineURL))
	for _, operation := range []string{"CreateTable", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems", "DeleteTable"} {
		if !lost[operation] {
			t.Errorf("expected an answer to %s to be lost, found none", operation)
		}
	}
}

// A run is killed at a request, before the engine gets it and behind, all along the run: clean-up removes what is the run's, nothing of
// others, and leaves nothing that it does not name.
func TestKilledAtARequest(t *testing.T) {
	t.Parallel()
	engineURL := engine(t).URL()
	madeByThem(t, engineURL, "fus-main-theirs")
	before := madeByThem(t, engineURL, "fus-main2")
	proxy := inFrontOf(t, engineURL)
	left := 0
	for _, at := range []int{1, 3, 4, 5, 7, 12, 20, 28, 30} {
		for _, behind := range []bool{false, true} {
			var c *child
			var one sync.Mutex
			seen := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
				one.Lock()
				seen++
				kills := seen == at
				one.Unlock()
				if kills && behind {
					proxy.ServeHTTP(httptest.NewRecorder(), request)
				}
				if kills {
					_ = c.Process.Kill()
					panic(http.ErrAbortHandler)
				}
				proxy.ServeHTTP(w, request)
			}))
			c = prepare(t, nil, "verify", "fus-main", "--endpoint", server.URL, "--label-filter", "kind:schema")
			c.starts(t)
			if code := c.ends(t); code != -1 {
				t.Fatalf("expected the run to be killed at request %d, found exit code %d\n%s%s", at, code, c.stdout.String(), c.stderr.String())
			}
			if slices.Contains(tables(t, engineURL), "fus-main") {
				left++
			}
			cleanup := prepare(t, nil, "cleanup", "fus-main", "--endpoint", server.URL)
			cleanup.Dir = c.Dir
			cleanup.starts(t)
			code := cleanup.ends(t)
			if known := !strings.Contains(cleanup.stderr.String(), "expected a run that is known"); code != 0 && known {
				t.Errorf("request %d, behind %v: expected clean-up to end with 0, found %d\n%s", at, behind, code, cleanup.stderr.String())
			}
			require.Empty(t, cmp.Diff(before, everything(t, engineURL)), "killed at request %d, behind %v: the tables (-want +got)", at, behind)
			server.Close()
		}
	}
	if left < 8 {
		t.Errorf("expected most kills to leave the run's table, found %d", left)
	}
}
