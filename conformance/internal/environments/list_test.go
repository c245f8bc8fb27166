package environments_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/conformance/internal/environments"
)

var known = []string{"orders", "osem-ladders"}

func read(t *testing.T, text string) ([]environments.Environment, error) {
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
	list, err := read(t, `environments:
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
	for name, row := range map[string]struct{ text, want string }{
		"empty":             {"", "list.yaml:1: environments: expected a list"},
		"no list":           {"environments: 3\n", "list.yaml:1: expected a list, found 3"},
		"empty list":        {"environments: []\n", "list.yaml:1: environments: expected a list"},
		"unknown at top":    {"environment:\n  - {stack: orders.dev}\n", "list.yaml:1: unknown name environment; expected environments"},
		"unknown member":    {"environments:\n  - stack: orders.dev\n    acount: '1'\n", "list.yaml:3: unknown name acount; expected account"},
		"twice":             {"environments:\n  - stack: orders.dev\n    stack: orders.prod\n", "list.yaml"},
		"no stack":          {"environments:\n  - region: eu-west-1\n", "list.yaml:2: expected stack"},
		"no environment":    {"environments:\n  - stack: orders\n", "list.yaml:2: stack: expected DESIGN.ENV"},
		"unknown design":    {"environments:\n  - stack: other.dev\n", "list.yaml:2: stack: expected one of the designs orders, osem-ladders, found other"},
		"account of 2":      {"environments:\n  - stack: orders.dev\n    account: '12'\n", "list.yaml:3: account: expected the 12 digits"},
		"account":           {"environments:\n  - stack: orders.dev\n    account: 12\n", "list.yaml:3: expected text, found 12; put it into quotes"},
		"region":            {"environments:\n  - stack: orders.dev\n    region: Frankfurt\n", "list.yaml:3: region: expected a region such as eu-west-1"},
		"role":              {"environments:\n  - stack: orders.dev\n    role: audit\n", "list.yaml:3: role: expected the ARN"},
		"role of another":   {"environments:\n  - {stack: orders.dev, account: '123456789012', role: 'arn:aws:iam::210987654321:role/audit'}\n", "list.yaml:2: role: expected one of account 123456789012"},
		"two places":        {"environments:\n  - {stack: orders.dev, account: '123456789012', endpoint: 'http://127.0.0.1:1'}\n", "list.yaml:2: expected an endpoint, or an account"},
		"trail":             {"environments:\n  - {stack: orders.dev, cloudtrail-logs: 'a b'}\n", "list.yaml:2: cloudtrail-logs: expected the name of a log group"},
		"trail of no AWS":   {"environments:\n  - {stack: orders.dev, endpoint: 'http://127.0.0.1:1', cloudtrail-logs: g}\n", "list.yaml:2: cloudtrail-logs: expected it of an environment on AWS"},
		"no URL":            {"environments:\n  - {stack: orders.dev, endpoint: here}\n", "list.yaml:2: endpoint: expected a URL"},
		"name with slash":   {"environments:\n  - {stack: orders.dev, name: ../x}\n", "list.yaml:2: name: expected letters"},
		"name with account": {"environments:\n  - {stack: orders.dev, name: a-123456789012}\n", "list.yaml:2: name: expected one without the number of an account"},
		"one name twice":    {"environments:\n  - {stack: orders.dev}\n  - {stack: orders.dev}\n", "list.yaml:3: the name orders.dev is that of line 2"},
		"tables":            {"environments:\n  - stack: orders.dev\n    tables: [a]\n", "list.yaml:3: expected a mapping (name: value), found a list"},
		"no design":         {"environments:\n  - {stack: own.dev, design: nowhere}\n", "list.yaml:2: design: expected a folder with a contract, found none"},
		"another design":    {"environments:\n  - {stack: orders.dev, design: own}\n", "list.yaml:2: stack: expected one of the designs own, found orders"},
		"no YAML":           {"environments: [\n", "list.yaml:1: no YAML"},
	} {
		if _, err := read(t, row.text); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: expected %q, found %v", name, row.want, err)
		}
	}
	_, err := read(t, "environments:\n  - {stack: orders}\n  - {stack: orders.dev, region: x}\n")
	if err == nil || strings.Count(err.Error(), "list.yaml:") != 2 {
		t.Errorf("expected both mistakes, found %v", err)
	}
}
