//go:build unix

package cli_test

import (
	"encoding/json"
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

	"dynaproof/accesspatterns/contract"
	"dynaproof/conformance/evidence"
)

// orders is a contract of a table alone, with its document, outside of the packages
// of designs.
func orders(t *testing.T) string {
	t.Helper()
	folder, err := filepath.Abs("../testdata/ownmodule/orders")
	require.NoError(t, err)
	return folder
}

// deployed makes the table of orders as some other tool would, with a change.
func deployed(t *testing.T, url, name string, change func(*dynamodb.CreateTableInput)) {
	t.Helper()
	api := client(url)
	input := &dynamodb.CreateTableInput{
		TableName: aws.String(name), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("pk"), AttributeType: "S"}, {AttributeName: aws.String("sk"), AttributeType: "S"}, {AttributeName: aws.String("status"), AttributeType: "S"},
		},
		KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}, {AttributeName: aws.String("sk"), KeyType: types.KeyTypeRange}},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String("by-status"), KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("status"), KeyType: types.KeyTypeHash}},
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}},
	}
	change(input)
	if _, err := api.CreateTable(t.Context(), input); err != nil {
		t.Fatal(err)
	}
	_, err := api.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName: aws.String(name), TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("ttl"), Enabled: aws.Bool(true)},
	})
	require.NoError(t, err)
}

// namesNoTool looks at what a run tells people to do: it does not know with what they
// deployed.
func namesNoTool(t *testing.T, file string, atLeast int) {
	t.Helper()
	seen, err := evidence.Read(file)
	require.NoError(t, err)
	told := 0
	for _, result := range seen.Results() {
		for _, problem := range result.Problems {
			if problem.Do != "" {
				told++
			}
			lacks(t, result.ID, strings.ToLower(problem.Do), "pulumi", "terraform", "cloudformation")
		}
	}
	if told < atLeast {
		t.Errorf("%s: expected at least %d repairs, found %d", file, atLeast, told)
	}
}

// A contract of tables alone, without program, fixtures and roles, audits tables
// that another tool made, whatever their names.
func TestAuditOfTablesAlone(t *testing.T) {
	t.Parallel()
	url := engine(t).URL()
	deployed(t, url, "Orders-dev", func(*dynamodb.CreateTableInput) {})
	deployed(t, url, "prod-orders", func(*dynamodb.CreateTableInput) {})
	deployed(t, url, "drifted", func(input *dynamodb.CreateTableInput) {
		input.GlobalSecondaryIndexes[0].Projection.ProjectionType = types.ProjectionTypeKeysOnly
	})
	_, err := client(url).UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName: aws.String("drifted"), TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("ttl"), Enabled: aws.Bool(false)},
	})
	require.NoError(t, err)
	folder := t.TempDir()

	c := run(t, folder, 0, "audit", "--design", orders(t), "--endpoint", url)
	says(t, "the audit", c.stdout.String(), "orders", "PASS")
	seen, err := evidence.Read(filepath.Join(folder, "build/report/audit.json"))
	require.NoError(t, err)
	decided := map[string]evidence.Result{}
	for _, result := range seen.Results() {
		decided[result.ID] = result
		assert.Equal(t, evidence.Pass, result.Verdict, result.ID)
	}
	for _, id := range []string{"orders/document", "orders/tables", "orders/table/Orders/exists", "orders/table/Orders/key", "orders/table/Orders/ttl", "orders/table/Orders/billing", "orders/index/Orders/by-status", "orders/index/Orders/by-status/projection"} {
		if _, has := decided[id]; !has {
			t.Errorf("expected a verdict on %s, found none", id)
		}
	}
	says(t, "the document", strings.Join(decided["orders/document"].Notes, "\n"), "lines are not transcribed yet; the contract's level is schema")

	c = run(t, folder, 0, "audit", "orders", "--design", orders(t), "--endpoint", url, "--table", "Orders=prod-orders", "--json")
	says(t, "the audit of another name", c.stdout.String(), "the document names the table Orders-{env}; it is looked for as prod-orders")

	c = run(t, folder, 1, "audit", "--design", orders(t), "--endpoint", url, "--table", "Orders=drifted")
	says(t, "the audit of a drifted table", c.stdout.String(), "orders/index/Orders/by-status/projection", "KEYS_ONLY", "orders/table/Orders/ttl")
	namesNoTool(t, filepath.Join(folder, "build/report/audit.json"), 2)

	status := filepath.Join(folder, "status.yaml")
	require.NoError(t, os.WriteFile(status, []byte("accepted:\n  - {claim: orders/tables, by: Jane, until: 2999-12-31}\n"), 0o600))
	c = run(t, folder, 0, "audit", "--design", orders(t), "--endpoint", url, "--status", status, "--json")
	says(t, "the audit with a status file", c.stdout.String(), `"accepted":[{"claim":"orders/tables","by":"Jane","until":"2999-12-31"}]`)
	run(t, folder, 2, "audit", "fus-main", "--endpoint", url, "--status", status).oneError(t, "status.yaml:2: claim: expected the id of a claim, found orders/tables")

	list := filepath.Join(folder, "environments.yaml")
	text := fmt.Sprintf("environments:\n  - {stack: orders.dev, endpoint: '%[1]s'}\n  - {stack: orders.test, endpoint: '%[1]s', name: lost}\n  - {stack: orders.dev, endpoint: 'http://127.0.0.1:1', name: silent}\n", url)
	require.NoError(t, os.WriteFile(list, []byte(text), 0o600))
	c = run(t, folder, 1, "audit", "--design", orders(t), "--environments", list, "--report", "all")
	says(t, "the audits of several", c.stdout.String(), "1 of 3 environments conforms to the contract, 1 does not, 1 could not be audited", "in        lost", "A tool that keeps a state has to read the table into it first", "other claims do not hold, such as orders/tables", "connection refused", "first audit here")
	c = run(t, folder, 1, "audit", "--design", orders(t), "--environments", list, "--report", "all", "--json")
	says(t, "the same as JSON", c.stdout.String(), `"version": "dynaproof/audits/v1"`, `"orders/table/Orders/exists": "fail"`, `"newlyFailing": null`)
	namesNoTool(t, filepath.Join(folder, "all/environments/lost/audit.json"), 3)
	for _, name := range []string{"audits.json", "audits.html", "environments/lost/audit.json", "environments/orders.dev/audit.html"} {
		_, err = os.Stat(filepath.Join(folder, "all", name))
		assert.NoError(t, err)
	}
	run(t, folder, 2, "audit", "--design", orders(t), "--environments", list, "--env", "dev")
	run(t, folder, 2, "audit", "orders", "--design", orders(t), "--environments", list)
	c = run(t, folder, 2, "audit", "--environments", list)
	says(t, "a list of unknown designs", c.stderr.String(), "environments.yaml:2: stack: expected one of the designs roll-model", "environments.yaml:4:")

	objected := changedFrom(t, orders(t), [3]string{"contract.yaml", "[by-status, status, all attributes]", "[status, all attributes]"})
	c = run(t, folder, 0, "audit", "--design", objected, "--endpoint", url)
	says(t, "the audit of a contract that the document's reader objects to", c.stdout.String(), "1 objection of the machine that read the documents", "own-name/index/Orders/by-status", "PASS")
	c = run(t, folder, 1, "audit", "--design", objected, "--endpoint", url, "--strict")
	says(t, "the same, strictly", c.stdout.String(), "FAIL  1 objection of the machine that read the documents is open")

	c = run(t, folder, 2, "audit", "fus-main", "--design", orders(t), "--endpoint", url)
	says(t, "another design", c.stderr.String(), `unknown design "fus-main"; expected one of orders`)
}

// What is wrong with a contract is told line by line, as compilers do, and is wrong
// usage.
func TestMistakesOfAnOwnDesign(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(orders(t), "contract.yaml"))
	require.NoError(t, err)
	folder := t.TempDir()
	broken := strings.Replace(strings.Replace(string(text), "title:", "titel:", 1), "PAY_PER_REQUEST", "PER_REQUEST", 1)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "contract.yaml"), []byte(broken), 0o600))
	c := run(t, folder, 2, "claims", "--design", folder)
	says(t, "the mistakes", c.stderr.String(), "the design has 2 mistakes\n  contract.yaml:2: unknown name titel; expected title\n  contract.yaml:", "mode: expected one of PAY_PER_REQUEST, PROVISIONED, found PER_REQUEST")
	c = run(t, folder, 2, "claims", "--design", filepath.Join(folder, "nowhere"))
	says(t, "no folder", c.stderr.String(), "expected a folder with a contract (*.yaml), found none")
	c = run(t, folder, 2, "claims", "--design", t.TempDir())
	says(t, "an empty folder", c.stderr.String(), "which end in .yaml")
}

func TestClaimsAndDocumentOfAnOwnDesign(t *testing.T) {
	t.Parallel()
	c := run(t, "", 0, "claims", "--design", orders(t), "--json")
	var claims []struct {
		ID string `json:"id"`
	}
	require.NoError(t, json.Unmarshal(c.stdout.Bytes(), &claims))
	for _, claim := range claims {
		if !strings.HasPrefix(claim.ID, "orders/") {
			t.Errorf("expected the claims of the own design alone, found %s", claim.ID)
		}
	}
	if len(claims) < 10 {
		t.Errorf("expected the claims about a table, found %d", len(claims))
	}
	c = run(t, "", 0, "documents", "--design", orders(t))
	says(t, "the document", c.stdout.String(), "orders.md", "but for 2 lines that the contract's level does not need yet")
}

func TestSchemaIsPrinted(t *testing.T) {
	t.Parallel()
	c := run(t, "", 0, "schema")
	if c.stdout.String() != string(contract.Schema()) {
		t.Errorf("expected the schema of contracts, found %.200s", c.stdout.String())
	}
}
