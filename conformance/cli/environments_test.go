//go:build unix

package cli_test

import (
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

	"dynaproof/conformance/evidence"
)

// listed writes a list of environments, each on an endpoint.
func listed(t *testing.T, folder, url string, entries ...string) (path string) {
	t.Helper()
	text := "environments:\n"
	for _, entry := range entries {
		text += "  - {" + entry + ", endpoint: '" + url + "'}\n"
	}
	return write(t, folder, "environments.yaml", text)
}

// A list of environments may hold designs of the caller's beside the shipped ones, each in a folder as seen from the list. Reports have their documents.
func TestEnvironmentsOfOwnDesigns(t *testing.T) {
	url, folder := engine(t).URL(), t.TempDir()
	deployed(t, url, "Orders-dev", func(*dynamodb.CreateTableInput) {})
	require.NoError(t, os.CopyFS(filepath.Join(folder, "designs/orders"), os.DirFS(orders)))
	list := listed(t, folder, url, "stack: orders.dev, design: designs/orders", "stack: fus-main.dev", "stack: orders.test, design: ./designs/orders")
	c := run(t, "", 1, "audit", "--environments", list, "--report", "all")
	c.prints(t, "1 of 3 environments conforms to the contract, 2 do not", "orders.test", "fus-main.dev")
	says(t, "the page of the own design", content(t, c.Dir, "all/environments/orders.dev/audit.html"), "Orders-{env}")
	for entry, found := range map[string]string{
		"stack: fus-main.dev, design: designs/orders": "environments.yaml:2: stack: expected one of the designs orders, found fus-main",
		"stack: orders.dev, design: designs":          "environments.yaml:2: design: expected the contract's files, which end in .yaml, found none in this folder",
		"stack: orders.dev":                           "environments.yaml:2: stack: expected one of the designs roll-model",
	} {
		run(t, "", 2, "audit", "--environments", listed(t, folder, url, entry)).complains(t, found)
	}
	listed(t, folder, url, "stack: orders.dev, design: designs/orders")
	run(t, "", 2, "audit", "--environments", list, "--design", orders).
		complains(t, "environments.yaml:2: design: expected a design of another name than those that are here, found orders")
}

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
	list = listed(t, t.TempDir(), never, "stack: orders.dev")
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

// namesNoTool looks at what a run tells people to do: it does not know with what they
// deployed.
func namesNoTool(t *testing.T, seen *evidence.Run, atLeast int) {
	t.Helper()
	told := 0
	for _, result := range seen.Results() {
		for _, problem := range result.Problems {
			if problem.Do != "" {
				told++
			}
			lacks(t, result.ID, strings.ToLower(problem.Do), "pulumi", "terraform", "cloudformation")
		}
	}
	assert.GreaterOrEqual(t, told, atLeast, "repairs")
}

// A contract of tables alone, without program, fixtures and roles, audits tables
// that another tool made, whatever their names.
func TestAuditOfTablesAlone(t *testing.T) {
	url, folder := engine(t).URL(), t.TempDir()
	deployed(t, url, "Orders-dev", func(*dynamodb.CreateTableInput) {})
	deployed(t, url, "prod-orders", func(*dynamodb.CreateTableInput) {})
	deployed(t, url, "drifted", keysOnly)
	expire(t, url, "drifted", "ttl", false)
	audit := func(code int, args ...string) *child {
		return run(t, folder, code, append([]string{"audit", "--endpoint", url}, args...)...)
	}
	c := audit(0, "--design", orders)
	c.prints(t, "orders", "PASS")
	decided := verdicts(audited(t, c))
	for id, result := range decided {
		assert.Equal(t, evidence.Pass, result.Verdict, id)
	}
	for _, id := range []string{"document", "tables", "table/Orders/exists", "table/Orders/key", "table/Orders/ttl", "table/Orders/billing", "index/Orders/by-status", "index/Orders/by-status/projection"} {
		assert.Contains(t, decided, "orders/"+id)
	}
	says(t, "the document", strings.Join(decided["orders/document"].Notes, "\n"), "lines are not transcribed yet; the contract's level is schema")

	audit(0, "orders", "--design", orders, "--table", "Orders=prod-orders", "--json").prints(t, "the document names the table Orders-{env}; it is looked for as prod-orders")

	c = audit(1, "--design", orders, "--table", "Orders=drifted")
	c.prints(t, "orders/index/Orders/by-status/projection", "KEYS_ONLY", "orders/table/Orders/ttl")
	namesNoTool(t, audited(t, c), 2)

	status := write(t, folder, "status.yaml", "accepted:\n  - {claim: orders/tables, by: Jane, until: 2999-12-31}\n")
	audit(0, "--design", orders, "--status", status, "--json").prints(t, `"accepted":[{"claim":"orders/tables","by":"Jane","until":"2999-12-31"}]`)
	audit(2, "fus-main", "--status", status).oneError(t, "status.yaml:2: claim: expected the id of a claim, found orders/tables")
	audit(2, "fus-main", "--design", orders).complains(t, `unknown design "fus-main"; expected one of orders`)

	objected := changedFrom(t, orders, [3]string{"contract.yaml", "[by-status, status, all attributes]", "[status, all attributes]"})
	audit(0, "--design", objected).prints(t, "1 objection of the machine that read the documents", "own-name/index/Orders/by-status", "PASS")
	audit(1, "--design", objected, "--strict").prints(t, "FAIL  1 objection of the machine that read the documents is open")

	list := write(t, folder, "environments.yaml", fmt.Sprintf("environments:\n  - {stack: orders.dev, endpoint: '%[1]s'}\n"+
		"  - {stack: orders.test, endpoint: '%[1]s', name: lost}\n  - {stack: orders.dev, endpoint: '%[2]s', name: silent}\n", url, nobody))
	run(t, folder, 1, "audit", "--design", orders, "--environments", list, "--report", "all").
		prints(t, "1 of 3 environments conforms to the contract, 1 does not, 1 could not be audited", "in        lost",
			"A tool that keeps a state has to read the table into it first", "other claims do not hold, such as orders/tables", "connection refused", "first audit here")
	run(t, folder, 1, "audit", "--design", orders, "--environments", list, "--report", "all", "--json").
		prints(t, `"version": "dynaproof/audits/v1"`, `"orders/table/Orders/exists": "fail"`, `"newlyFailing": null`)
	namesNoTool(t, stored(t, folder, "all/environments/lost/audit.json"), 3)
	for _, name := range []string{"audits.json", "audits.html", "environments/lost/audit.json", "environments/orders.dev/audit.html"} {
		assert.FileExists(t, filepath.Join(folder, "all", name))
	}
	run(t, folder, 2, "audit", "--design", orders, "--environments", list, "--env", "dev")
	run(t, folder, 2, "audit", "orders", "--design", orders, "--environments", list)
	run(t, folder, 2, "audit", "--environments", list).complains(t, "environments.yaml:2: stack: expected one of the designs roll-model", "environments.yaml:4:")
}
