//go:build unix

package cli_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
