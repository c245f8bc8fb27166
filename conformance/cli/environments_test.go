//go:build unix

package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"
)

// A list of environments may hold designs of the caller's beside the shipped ones, each in a folder as seen from the list. Reports have their documents.
func TestEnvironmentsOfOwnDesigns(t *testing.T) {
	t.Parallel()
	url, folder := engine(t).URL(), t.TempDir()
	deployed(t, url, "Orders-dev", func(*dynamodb.CreateTableInput) {})
	require.NoError(t, os.CopyFS(filepath.Join(folder, "designs/orders"), os.DirFS(orders(t))))
	list := filepath.Join(folder, "environments.yaml")
	write := func(entries ...string) {
		t.Helper()
		text := "environments:\n"
		for _, entry := range entries {
			text += "  - {" + entry + ", endpoint: '" + url + "'}\n"
		}
		require.NoError(t, os.WriteFile(list, []byte(text), 0o600))
	}
	write("stack: orders.dev, design: designs/orders", "stack: fus-main.dev", "stack: orders.test, design: ./designs/orders")
	c := run(t, t.TempDir(), 1, "audit", "--environments", list, "--report", "all")
	says(t, "the audits of both", c.stdout.String(), "1 of 3 environments conforms to the contract, 2 do not", "orders.test", "fus-main.dev")
	says(t, "the page of the own design", string(must(os.ReadFile(filepath.Join(c.Dir, "all/environments/orders.dev/audit.html")))), "Orders-{env}")
	for entry, found := range map[string]string{
		"stack: fus-main.dev, design: designs/orders": "environments.yaml:2: stack: expected one of the designs orders, found fus-main",
		"stack: orders.dev, design: designs":          "environments.yaml:2: design: expected the contract's files, which end in .yaml, found none in this folder",
		"stack: orders.dev":                           "environments.yaml:2: stack: expected one of the designs roll-model",
	} {
		write(entry)
		c := run(t, "", 2, "audit", "--environments", list)
		says(t, entry, c.stderr.String(), found)
	}
	write("stack: orders.dev, design: designs/orders")
	c = run(t, "", 2, "audit", "--environments", list, "--design", orders(t))
	says(t, "the same design twice", c.stderr.String(), "environments.yaml:2: design: expected a design of another name than those that are here, found orders")
}

// withheld is an engine that answers nothing until it is let.
func withheld(t *testing.T) (url string, let func()) {
	t.Helper()
	pass, answers := inFrontOf(t, engine(t).URL()), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-answers:
			pass.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	}))
	let = sync.OnceFunc(func() { close(answers) })
	t.Cleanup(func() {
		let()
		server.Close()
	})
	return server.URL, let
}

// One account that does not answer holds up no other: those of the others are audited while it waits. One that never answers could not be told.
func TestOneSlowAccountHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	slow, let := withheld(t)
	quick := engine(t).URL()
	text := "environments:\n"
	for i := range 6 {
		text += fmt.Sprintf("  - {stack: orders.dev, name: slow%d, endpoint: '%s'}\n", i, slow)
	}
	for i := range 3 {
		text += fmt.Sprintf("  - {stack: orders.dev, name: quick%d, endpoint: '%s'}\n", i, quick)
	}
	list := filepath.Join(t.TempDir(), "environments.yaml")
	require.NoError(t, os.WriteFile(list, []byte(text), 0o600))
	c := prepare(t, nil, "audit", "--design", orders(t), "--environments", list, "--report", "all")
	c.starts(t)
	audited := func(which string) []string {
		found, _ := filepath.Glob(filepath.Join(c.Dir, "all/environments", which, "audit.json")) // the form is right
		return found
	}
	eventually(t, "the audits of the account that answers", func() bool { return len(audited("quick*")) == 3 })
	if found := audited("slow*"); len(found) > 0 {
		t.Errorf("expected no audit of the account that does not answer, found %v", found)
	}
	let()
	if code := c.ends(t); code != 1 {
		t.Errorf("expected exit code 1, found %d\n%s", code, c.stderr.String())
	}
	says(t, "the audits", c.stdout.String(), "0 of 9 environments conform")

	never, _ := withheld(t)
	require.NoError(t, os.WriteFile(list, []byte("environments:\n  - {stack: orders.dev, endpoint: '"+never+"'}\n"), 0o600))
	c = run(t, "", 3, "audit", "--design", orders(t), "--environments", list, "--environment-timeout", "100ms")
	says(t, "the audit of one that never answers", c.stdout.String(), "expected it to be audited within 100ms, found it waiting for answers (--environment-timeout)")
	run(t, "", 2, "audit", "--design", orders(t), "--environments", list, "--environment-timeout", "0s").oneError(t, "--environment-timeout: expected a time above 0, such as 24h, found 0s")
}
