//go:build unix

package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/conformance/evidence"
)

// changed copies the example and replaces text in its files: name, old and new text.
func changed(t *testing.T, edits ...[3]string) string {
	t.Helper()
	return changedFrom(t, example, edits...)
}

func changedFrom(t *testing.T, from string, edits ...[3]string) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.CopyFS(folder, os.DirFS(from)))
	for _, edit := range edits {
		path := filepath.Join(folder, edit[0])
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		if !strings.Contains(string(text), edit[1]) {
			t.Fatalf("%s: expected %q to replace, found none", edit[0], edit[1])
		}
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), edit[1], edit[2], 1)), 0o600))
	}
	return folder
}

// The example is proven like the shipped designs, but what is read off tables that were
// made from the contract is no evidence about a deployment.
func TestVerifyOfTheExample(t *testing.T) {
	t.Parallel()
	c := prepare(t, nil, "verify", "--design", mustAbs(t, example))
	c.expect(t, 0)
	says(t, "the summary", c.stdout.String(), "PASS", "note: the tables of tickets were made from its contract")
	// Its report fits: with the folder all of it is compared, and without it what is not is said.
	lacks(t, "check", run(t, c.Dir, 0, "report", "--verify", "build/report", "--design", mustAbs(t, example)).stdout.String(), "not checked")
	says(t, "check without the folder", run(t, c.Dir, 0, "report", "--verify", "build/report").stdout.String(), "contract and fixtures were not compared: tickets is none of the designs here; name its folder with --design")
	other := changed(t, [3]string{"cases.json", "a customer whose id begins with 1", "another customer"})
	run(t, c.Dir, 1, "report", "--verify", "build/report", "--design", other).oneError(t, "inputs.fixtures: expected sha256:")
	decided := verdictsOf(t, c)
	assert.Len(t, decided, 27, "expected 27 verdicts")
	for id, result := range decided {
		want := evidence.Engine
		if result.Kind == "document" || result.Kind == "schema" || result.Kind == "index" {
			want = evidence.Static
		}
		if result.Verdict != evidence.Pass || result.Grade != want {
			t.Errorf("%s: expected pass of grade %s, found %s of grade %s", id, want, result.Verdict, result.Grade)
		}
	}
	says(t, "a claim about a table", strings.Join(decided["tickets/table/Tickets/key"].Notes, "\n"), "made from the contract itself")

	c = run(t, c.Dir, 0, "explain", "--design", mustAbs(t, example), "pattern/close-ticket")
	says(t, "the explanation", c.stdout.String(), "5. Close a ticket", "printer-closed", "ConditionalCheckFailedException", "pass")

	wrong := changed(t, [3]string{"cases.json", `"expect": ["of-another", "printer"]`, `"expect": ["printer", "of-another"]`})
	c = run(t, "", 1, "verify", "--design", wrong, "--label-filter", "kind:pattern")
	says(t, "the summary of a wrong order", c.stdout.String(), "tickets/pattern/list-open")
}

// Several items by one request, a table that nobody writes, and what nobody can check.
func TestVerifyOfParcels(t *testing.T) {
	t.Parallel()
	c := run(t, "", 0, "verify", "--design", mustAbs(t, "testdata/parcels"))
	says(t, "the summary", c.stdout.String(), "not checkable: 1 promise of the documents that no check decides\n  parcels/paper-copies (parcels.md:9): ", "at level writes", "; promises that no check decides: 1")
	decided := verdictsOf(t, c)
	for id, operation := range map[string]string{"weigh-parcels": "BatchGetItem", "leaving-parcel": "TransactGetItems"} {
		pattern := decided["parcels/pattern/"+id].Pattern
		if pattern == nil || !strings.Contains(fmt.Sprintf("%+v", *pattern), operation) {
			t.Errorf("%s: expected a request of %s in the evidence, found %+v", id, operation, pattern)
		}
	}
	says(t, "the document", strings.Join(decided["parcels/document"].Notes, "\n"), "generated as narrative: 2 headings, labels and header rows above cited lines")
	says(t, "an entity", strings.Join(decided["parcels/entity/parcel"].Notes, "\n"), "generated from the contract: 40 items without a required attribute or with one of another type, each held to be refused")
	if unwritten := decided["parcels/ledger/unwritten/Zones"]; unwritten.Verdict != evidence.Pass || unwritten.Grade != evidence.Library {
		t.Errorf("expected a pass that rests on the guard, found %s of grade %s", unwritten.Verdict, unwritten.Grade)
	}

	counted := decided["parcels/pattern/count-state"]
	if counted.Verdict != evidence.Pass || counted.Pattern == nil || len(counted.Pattern.Cases) != 3 {
		t.Errorf("expected three cases of a counter to pass, found %+v", counted)
	}

	wrong := changedFrom(t, "testdata/parcels", [3]string{"cases.json", `"parcels": ["lamp", "chair"]`, `"parcels": ["lamp", "elsewhere"]`},
		[3]string{"cases.json", `"present": ["tally-sent"`, `"present": ["tally-stored"`})
	c = run(t, "", 1, "verify", "--design", wrong, "--label-filter", "kind:pattern")
	says(t, "the summary of a wrong batch", c.stdout.String(), "parcels/pattern/weigh-parcels", "elsewhere")
	says(t, "the summary of a counter of another name", c.stdout.String(), "parcels/pattern/count-state", "in.transit")

	for edit, found := range map[[3]string]string{
		{"contract.yaml", "      - {get: zone}", "      - {put: zone}"}:                                               "contract.yaml:73: pattern rate-of-zone, step write: it writes Zones, which the contract calls read-only",
		{"contract.yaml", "together: TransactGetItems", "together: TransactWriteItems"}:                               "contract.yaml:83: together: expected one of BatchGetItem, TransactGetItems, found TransactWriteItems",
		{"contract.yaml", "      - {query: Parcels, where", "      - {query: Parcels, together: BatchGetItem, where"}: "contract.yaml:64: together has no meaning beside query; remove it",
		{"contract.yaml", "SET counts.{state} = counts", "SET counts.{state = counts"}:                                "contract.yaml:89: do: ",
		{"contract.yaml", "if: attribute_exists(depot)}", "if: 'counts.{state} < 9'}"}:                                "contract.yaml:89: if: ",
		{"contract.yaml", ", because: no request of DynamoDB shows paper", ""}:                                        "contract.yaml:92: because is missing; add it",
		{"contract.yaml", "cite: {9: [paper copy, ten years]}", "cite: {9: [paper copy, six years]}"}:                 "",
	} {
		folder, code := changedFrom(t, "testdata/parcels", edit), 2
		if found == "" {
			code, found = 1, `not-checkable/paper-copies`
		}
		c := run(t, "", code, "check", "--design", folder)
		says(t, "what is wrong after "+edit[2], c.stderr.String()+c.stdout.String(), found)
	}
}

// Each mutant of the example is noticed, and without a decoy's key one is not.
func TestMutantsOfTheExample(t *testing.T) {
	t.Parallel()
	c := run(t, "", 0, "mutants", "--design", mustAbs(t, example), "--filter", "/pattern/")
	says(t, "the summary", c.stdout.String(), "PASS")
	without := changed(t, [3]string{"items.json", `"openedAt": {"S": "2026-01-09T09:00:00Z"}`, `"openedAt": {"S": "2026-02-01T09:00:00Z"}`})
	c = run(t, "", 1, "mutants", "--design", without, "--filter", "/pattern/list-open/")
	says(t, "the summary without an order to see", c.stdout.String(), "survived", "tickets/pattern/list-open/order-reversed")

	// The check names the same, and the item that is missing, without an engine.
	c = run(t, "", 0, "check", "--design", without)
	says(t, "the check", c.stdout.String(), "missing decoys, without which a wrong read would pass; where no item can tell, equivalents.json gives the id in brackets a reason:\n    pattern list-open: nothing tells the read from a wrong one (descending); load two items that one case expects, whose openedAt differ (tickets/pattern/list-open/order-reversed)\n  generated")
	c = run(t, "", 1, "check", "--design", without, "--strict", "--json")
	says(t, "the check as JSON", c.stdout.String(), `"id": "tickets/pattern/list-open/order-reversed"`)
}

// Mistakes in fixtures and a document that cannot be read are told like those of the
// contract, by every command.
func TestMistakesBesideAContract(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		edit  [3]string
		found []string
	}{
		"an unknown name":           {[3]string{"cases.json", `"expect": ["printer"]`, `"expects": ["printer"]`}, []string{"cases.json:2: unknown name expects; expected expect"}},
		"an item that is not there": {[3]string{"cases.json", `"expect": ["printer"]`, `"expect": ["scanner"]`}, []string{`cases.json:2: case of get-ticket: no item "scanner"`}},
		"a pattern that is none":    {[3]string{"cases.json", `"pattern": "get-ticket", "name"`, `"pattern": "find-ticket", "name"`}, []string{"cases.json:3: case of find-ticket: no such pattern"}},
		"an item that breaks a key": {[3]string{"items.json", `"customerId": {"S": "10"}`, `"customerId": {"S": "11"}`}, []string{"items.json:6: item of-another: "}},
		"two items of one key":      {[3]string{"items.json", `"sk": {"S": "TICKET#10"}, "customerId": {"S": "1"}, "ticketId": {"S": "10"}`, `"sk": {"S": "TICKET#1"}, "customerId": {"S": "1"}, "ticketId": {"S": "1"}`}, []string{"items.json:4: items printer and screen have the same key"}},
		"no JSON":                   {[3]string{"items.json", `"own",`, `"own"`}, []string{"items.json:2: no JSON: "}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := changed(t, row.edit)
			c := run(t, "", 2, "claims", "--design", folder)
			says(t, "the mistakes", c.stderr.String(), append(row.found, "dynaproof: --design "+folder+": the design has 1 mistake\n")...)
		})
	}
	folder := changed(t)
	document := filepath.Join(folder, "tickets.md")
	require.NoError(t, os.Remove(document))
	c := run(t, "", 0, "check", "--design", folder)
	says(t, "the check without the document", c.stdout.String(), "citations are not proven", "tickets.md")
	require.NoError(t, os.Mkdir(document, 0o700))
	c = run(t, "", 2, "verify", "--design", folder)
	says(t, "a document that cannot be read", c.stderr.String(), "tickets.md")
}

func TestCheck(t *testing.T) {
	t.Parallel()
	c := run(t, "", 0, "check", "--design", mustAbs(t, example))
	says(t, "the check", c.stdout.String(), "tickets: 27 claims, level writes\n", "the next level, resilience, needs:\n    invariants", "PASS",
		"generated from the contract, unless written by hand:\n    2 lines of the document as narrative: headings, labels and header rows above cited lines\n    90 items without a required attribute")
	lacks(t, "the check", c.stdout.String(), "guard", "decoys")
	run(t, "", 2, "scale", "--design", mustAbs(t, example)).oneError(t, "population of tickets: expected population.json beside the contract, found no such file; write there what others have, to begin with: {", `"like":"printer"`)
	c = run(t, "", 0, "check", "--design", orders(t), "--json")
	var all []struct {
		Level, Next string
		Needs       []string
	}
	require.NoError(t, json.Unmarshal(c.stdout.Bytes(), &all))
	if len(all) != 1 || all[0].Level != "schema" || all[0].Next != "items" || len(all[0].Needs) != 3 {
		t.Errorf("expected what the level items needs, found %+v", all)
	}
	for name, row := range map[string]struct {
		edit  [3]string
		found []string
	}{
		"a token that is not there": {[3]string{"contract.yaml", "billed on demand", "billed by the hour"}, []string{"does not hold:\n", "billed by the hour"}},
		"another document":          {[3]string{"tickets.md", "who asks", "who asked"}, []string{"tickets.md: expected SHA-256 "}},
		"a pattern without a case":  {[3]string{"cases.json", `{"pattern": "list-open", "params": {}, "expect": ["of-another", "printer"],`, `{"pattern": "get-ticket", "name": "again", "params": {"customerId": "10", "ticketId": "1"}, "expect": ["of-another"],`}, []string{"missing for level writes:\n    pattern list-open: no case\n  generated"}},
		"a list without decoys":     {[3]string{"cases.json", `{"item": "of-another", "why": "a customer whose id begins with 1"}`, ``}, []string{"pattern list-tickets: no case names a decoy; put under decoys of one an item that a slightly wrong request would return too, and why\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := run(t, "", 1, "check", "--design", changed(t, row.edit))
			says(t, "the check", c.stdout.String(), row.found...)
			lacks(t, "the check", c.stdout.String(), "PASS")
		})
	}
	hazardous := changed(t, [3]string{"contract.yaml", "  hazard/constant-index-partition/by-status", "  hazard/constant-index-partition/by-state"})
	c = run(t, "", 0, "check", "--design", hazardous)
	says(t, "the hazards", c.stdout.String(), "hazards of the contract", "hazard/constant-index-partition/by-status: status of by-status has 2 values", "stale/hazard/constant-index-partition/by-state", "PASS")
	run(t, "", 1, "check", "--design", hazardous, "--strict")
}

// Each command that proves something tells the objections of the machine that reads the
// document. They decide no claim, fail check, and the others with --strict, and can be answered.
func TestObjections(t *testing.T) {
	t.Parallel()
	const id = "own-name/index/Tickets/by-status"
	without := [3]string{"contract.yaml", "[by-status, '`status`', '`openedAt`', copies all attributes]", "[secondary index, copies all attributes]"}
	objected := changed(t, without)
	answered := changed(t, without, [3]string{"contract.yaml", "\n  hazard/", "\n  " + id + ": the index is called so by everybody\n  hazard/"})
	for _, command := range [][]string{{"check"}, {"documents"}, {"verify", "--label-filter", "kind:schema"}} {
		ask := func(code int, folder string, flags ...string) *child {
			return run(t, t.TempDir(), code, append(append(command, flags...), "--design", folder)...)
		}
		if command[0] == "check" {
			says(t, "the objection", ask(1, objected).stdout.String(), id, "FAIL")
		} else {
			says(t, "the objection", ask(0, objected).stdout.String(), id, "PASS")
		}
		c := ask(1, objected, "--strict")
		says(t, "the objection, strictly", c.stdout.String(), id)
		lacks(t, "the objection, strictly", c.stdout.String(), "PASS  ")
		lacks(t, "the answer", ask(0, answered, "--strict").stdout.String(), id+": ")
		if command[0] != "verify" {
			continue
		}
		for _, result := range verdictsOf(t, c) {
			assert.Equal(t, evidence.Pass, result.Verdict, "%s: expected pass, since an objection decides no claim", result.ID)
		}
		for _, name := range []string{"index.html", "summary.md", "results.sarif"} {
			text, err := os.ReadFile(filepath.Join(c.Dir, "build/report", name))
			if err != nil || !strings.Contains(string(text), id) {
				t.Errorf("%s: expected the objection in it, found none (%v)", name, err)
			}
		}
	}
}

// The README shows the example as it is.
func TestReadmeShowsTheExample(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(text)
	}
	files := read(example+"/contract.yaml") + read(example+"/cases.json")
	_, section, _ := strings.Cut(read("../../accesspatterns/README.md"), "\n## The smallest one with reads and writes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := strings.Split(section, "```")
	if len(blocks) != 5 {
		t.Fatalf("expected two blocks of the example, found %d", len(blocks)/2)
	}
	for _, block := range []string{blocks[1], blocks[3]} {
		for _, line := range strings.Split(block, "\n")[1:] {
			shown, _, _ := strings.Cut(line, "  #")
			if shown = strings.TrimSpace(shown); !strings.Contains(files, shown) {
				t.Errorf("expected the example to have %q, found no such line", shown)
			}
		}
	}
}

// What is imported passes the check and can be verified and audited as it is.
func TestImport(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	write("schema.json", `{"tables": [{
 "table_config": {"table_name": "Games", "partition_key": "game_id", "sort_key": "score"},
 "entities": {"Entry": {"entity_type": "ENTRY", "pk_template": "{game_id}", "sk_template": "{score}",
  "fields": [{"name": "game_id", "type": "string", "required": true},
   {"name": "score", "type": "integer", "required": true}]}}}]}`)
	write("usage_data.json", `{"entities": {"Entry": {"sample_data": {"game_id": "g1", "score": 7}}}}`)
	c := run(t, folder, 0, "import", "schema.json", "usage_data.json", "--out", "games")
	says(t, "the import", c.stdout.String(), "games: a schema of AWS's modelling tools, level items: contract.yaml, items.json, schema.json\n", "next: dynaproof check --design games")
	run(t, folder, 0, "check", "--design", "games")
	run(t, folder, 0, "verify", "--design", "games")

	shop, err := filepath.Abs("../../accesspatterns/contract/importer/testdata/shop.json")
	require.NoError(t, err)
	c = run(t, folder, 0, "import", shop, "--out", "shop")
	says(t, "the import of a data model", c.stdout.String(), "access patterns: 15 listed, 8 imported (reads: 2, writes: 6), 7 not checkable\n",
		"  not checkable: shop.json:26, All customers: it is a Scan, which needs a waiver: write the pattern with the step {scan: Shop, filter: 'vip = true'}")
	says(t, "the check of a data model", run(t, folder, 0, "check", "--design", "shop").stdout.String(), "level writes\n", "all-customers (shop.json:26): All customers; it is a Scan, which needs a waiver")
	says(t, "the proof of a data model", run(t, folder, 0, "verify", "--design", "shop").stdout.String(), "PASS", "promises that no check decides: 7", "no proof: shop: 12 cases have computed expectations and prove nothing")

	c = run(t, folder, 2, "import", "schema.json", "--out", "games")
	says(t, "a second import", c.stderr.String(), "in games, found one; choose another folder")
	write("broken.json", "{\"Table\": {\"TableName\": \"Tab\",\n\"KeySchema\": [{\"AttributeName\": \"pk\", \"KeyType\": \"HASH\"}]}}")
	c = run(t, folder, 2, "import", "broken.json", "--out", "broken")
	says(t, "a broken source", c.stderr.String(), "import broken.json: the design has 1 mistake\n  broken.json:2: key attribute pk: expected it among the attribute definitions, found none")
	if _, err := os.Stat(filepath.Join(folder, "broken")); err == nil {
		t.Error("expected nothing written of a broken source, found a folder")
	}
	for found, args := range map[string][]string{
		"import: expected SOURCE":          {"--out", "x"},
		"import: expected --out":           {"schema.json"},
		"nowhere.json: no such file":       {"nowhere.json", "--out", "x"},
		"usage data belongs to schema.jso": {"broken.json", "usage_data.json", "--out", "x"},
	} {
		says(t, "the usage", run(t, folder, 2, append([]string{"import"}, args...)...).stderr.String(), found)
	}
}

// From a document to an audit of tables without a line written by hand.
func TestInit(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	document := filepath.Join(folder, "orders.md")
	require.NoError(t, os.WriteFile(document, []byte("# Orders\n\n- Table name: `Orders-{env}`\n- Partition key: `pk` (String)\n- Sort key: `sk` (String)\n- Billing mode: on-demand\n- TTL attribute: `ttl`\n\n"+
		"## GSI: by-status\n\n- Partition key: `status` (String)\n- Projection: ALL\n"), 0o600))
	c := run(t, folder, 0, "init", "orders", "--document", document)
	says(t, "the draft", c.stdout.String(), "orders: 1 table, 0 kinds of items, 0 access patterns that read; 0 TODOs, 0 passages not read: orders/contract.yaml", "dynaproof audit --design orders")
	says(t, "the check of the draft", run(t, folder, 0, "check", "--design", "orders").stdout.String(), "no second witness", "6 lines of contract.yaml, the first is line ")
	url := engine(t).URL()
	deployed(t, url, "Orders-dev", func(*dynamodb.CreateTableInput) {})
	c = run(t, folder, 0, "audit", "--design", "orders", "--endpoint", url)
	says(t, "the audit of the draft", c.stdout.String(), "PASS", "unconfirmed/contract.yaml: no second witness: the machine wrote 6 lines")
	deployed(t, url, "drifted", func(input *dynamodb.CreateTableInput) {
		input.GlobalSecondaryIndexes[0].Projection.ProjectionType = types.ProjectionTypeKeysOnly
	})
	c = run(t, folder, 1, "audit", "--design", "orders", "--endpoint", url, "--table", "Orders=drifted")
	says(t, "the audit of a drifted table", c.stdout.String(), "orders/index/Orders/by-status/projection", "KEYS_ONLY")

	c = run(t, folder, 2, "init", "orders", "--document", document)
	c.oneError(t, "init: expected no contract.yaml in orders, found one; choose another folder")
	c = run(t, folder, 1, "init", "gap", "--document", gap(t, folder))
	says(t, "the draft of a gap", c.stdout.String(), "  contract.yaml:", "line 3: table shop: no line names its partition key", "next: decide on the TODOs")
	poem := filepath.Join(folder, "poem.md")
	require.NoError(t, os.WriteFile(poem, []byte("# Roses\n\nare red.\n"), 0o600))
	for found, args := range map[string][]string{
		"init: expected NAME":               {"--document", document},
		"init: expected --document":         {"orders"},
		"nowhere.md: no such file":          {"other", "--document", "nowhere.md"},
		"expected a design document":        {"other", "--document", poem},
		`in lower-case words joined by hyp`: {"My Orders", "--document", document},
	} {
		run(t, folder, 2, append([]string{"init"}, args...)...).oneError(t, found)
	}
}

// gap writes a document that names a table and not its key.
func gap(t *testing.T, folder string) string {
	t.Helper()
	path := filepath.Join(folder, "gap.md")
	require.NoError(t, os.WriteFile(path, []byte("# Shop\n\nTable name: `shop`\n\n## Access patterns\n\n- Get a user by name\n"), 0o600))
	return path
}
