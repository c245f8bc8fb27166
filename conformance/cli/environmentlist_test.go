package cli_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/internal/environments"
)

var known = []string{"orders", "osem-ladders"}

func readList(t *testing.T, text string) ([]environments.Environment, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "list.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return environments.Read(path, known, func(folder string) (string, error) {
		if filepath.Base(folder) != "own" || !filepath.IsAbs(folder) {
			return "", errors.New("expected a folder with a contract, found none")
		}
		return "own", nil
	})
}

func TestRead(t *testing.T) {
	list, err := readList(t, `environments:
  - {stack: osem-ladders.prod, account: "123456789012", region: eu-west-1, role: 'arn:aws:iam::123456789012:role/audit', cloudtrail-logs: the-trail}
  - stack: orders.dev
    name: mine
    endpoint: http://127.0.0.1:8000
    prefix: x-
    tables: {Orders: orders-dev}
`)
	if err != nil || len(list) != 2 {
		t.Fatalf("expected two environments, found %v, %v", list, err)
	}
	if e := list[0]; e.Name != "osem-ladders.prod-eu-west-1" || e.Design != "osem-ladders" || e.Env != "prod" || e.Account != "123456789012" || !strings.HasSuffix(e.Role, "role/audit") || e.Trail == nil || e.Trail.Name != "the-trail" || e.Line != 2 {
		t.Errorf("found %+v", e)
	}
	if e := list[1]; e.Name != "mine" || e.Stack() != "orders.dev" || e.Endpoint == "" || e.Prefix != "x-" || e.Tables["Orders"] != "orders-dev" {
		t.Errorf("found %+v", e)
	}
}

// Each mistake is named with its line; none of them lets an audit begin.
func TestMistakesHaveLines(t *testing.T) {
	for name, row := range tabletest.Read[map[string]struct{ Text, Want string }](t, "environments.yaml") {
		if _, err := readList(t, row.Text); err == nil || !strings.Contains(err.Error(), row.Want) {
			t.Errorf("%s: expected %q, found %v", name, row.Want, err)
		}
	}
	_, err := readList(t, "environments:\n  - {stack: orders}\n  - {stack: orders.dev, region: x}\n")
	if err == nil || strings.Count(err.Error(), "list.yaml:") != 2 {
		t.Errorf("expected both mistakes, found %v", err)
	}
}
