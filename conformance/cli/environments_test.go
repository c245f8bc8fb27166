//go:build unix

package cli_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/internal/environments"
)

// One account that does not answer holds up no other: those of the others are audited while it waits. One that never answers could not be told.
func TestOneSlowAccountHoldsUpNoOther(t *testing.T) {
	slow, let := withheld(t, engine(t).URL())
	quick := engine(t).URL()
	text := "environments:\n"
	for i, url := range []string{slow, slow, slow, slow, slow, slow, quick, quick, quick} {
		text += fmt.Sprintf("  - {stack: orders.dev, name: '%d', endpoint: '%s'}\n", i, url)
	}
	list := write(t, t.TempDir(), "environments.yaml", text)
	c := prepare(t, nil, "audit", "--design", orders, "--environments", list, "--report", "all")
	c.starts(t)
	audited := func(which string) []string {
		found, _ := filepath.Glob(filepath.Join(c.Dir, "all/environments", which, "audit.json")) // the form is right
		return found
	}
	eventually(t, "the audits of the account that answers", func() bool { return len(audited("[678]")) == 3 })
	assert.Empty(t, audited("[0-5]"), "audits of the account that does not answer")
	let()
	assert.Equal(t, 1, c.ends(t), "%s", c.stderr.String())
	c.prints(t, "0 of 9 environments conform")

	never, _ := withheld(t, quick)
	list = write(t, t.TempDir(), "environments.yaml", "environments:\n  - {stack: orders.dev, endpoint: '"+never+"'}\n")
	run(t, "", 3, "audit", "--design", orders, "--environments", list, "--environment-timeout", "100ms").
		prints(t, "expected it to be audited within 100ms, found it waiting for answers (--environment-timeout)")
	run(t, "", 2, "audit", "--design", orders, "--environments", list, "--environment-timeout", "0s").oneError(t, "--environment-timeout: expected a time above 0, such as 24h, found 0s")
}

// deployed makes the table of orders as some other tool would, with a change.
func deployed(t *testing.T, url, name string, change func(*dynamodb.CreateTableInput)) {
	t.Helper()
	input := tableOf(name, "pk", "sk")
	indexed(input, "by-status", "status")
	change(input)
	create(t, url, input)
	expire(t, url, name, "ttl", true)
}

// keysOnly lets the index copy the keys alone.
func keysOnly(input *dynamodb.CreateTableInput) {
	input.GlobalSecondaryIndexes[0].Projection.ProjectionType = types.ProjectionTypeKeysOnly
}

// expire lets items of a table expire by an attribute, or not.
func expire(t *testing.T, url, table, attribute string, enabled bool) {
	t.Helper()
	_, err := client(url).UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName: aws.String(table), TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String(attribute), Enabled: aws.Bool(enabled)},
	})
	require.NoError(t, err)
}

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
