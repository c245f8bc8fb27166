package cli_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
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
	require.NoError(t, err)
	require.Len(t, list, 2)
	e := list[0]
	assert.Equal(t, []any{"osem-ladders.prod-eu-west-1", "osem-ladders", "prod", "123456789012", 2}, []any{e.Name, e.Design, e.Env, e.Account, e.Line})
	assert.Equal(t, "arn:aws:iam::123456789012:role/audit of the-trail", e.Role+" of "+e.Trail.Name)
	e = list[1]
	assert.Equal(t, []string{"mine", "orders.dev", "http://127.0.0.1:8000", "x-", "orders-dev"}, []string{e.Name, e.Stack(), e.Endpoint, e.Prefix, e.Tables["Orders"]})
}

// Each mistake is named with its line; none of them lets an audit begin.
func TestMistakesHaveLines(t *testing.T) {
	for name, row := range tabletest.Read[map[string]struct{ Text, Want string }](t, "environments.yaml") {
		_, err := readList(t, row.Text)
		assert.ErrorContains(t, err, row.Want, name)
	}
	_, err := readList(t, "environments:\n  - {stack: orders}\n  - {stack: orders.dev, region: x}\n")
	require.Error(t, err, "expected both mistakes")
	assert.Equal(t, 2, strings.Count(err.Error(), "list.yaml:"))
}
