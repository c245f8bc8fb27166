//go:build unix

package cli_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/tabletest"
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
		text := content(t, folder, edit[0])
		require.Contains(t, text, edit[1], edit[0])
		write(t, folder, edit[0], strings.Replace(text, edit[1], edit[2], 1))
	}
	return folder
}

// The example is proven like the shipped designs, but what is read off tables that were
// made from the contract is no evidence about a deployment.
func TestVerifyOfTheExample(t *testing.T) {
	c := run(t, "", 0, "verify", "--design", example)
	says(t, "the summary", c.stdout.String(), "PASS", "note: the tables of tickets were made from its contract")
	// Its report fits: with the folder all of it is compared, and without it what is not is said.
	lacks(t, "check", run(t, c.Dir, 0, "report", "--verify", "build/report", "--design", example).stdout.String(), "not checked")
	says(t, "check without the folder", run(t, c.Dir, 0, "report", "--verify", "build/report").stdout.String(), "contract and fixtures were not compared: tickets is none of the designs here; name its folder with --design")
	other := changed(t, [3]string{"cases.json", "a customer whose id begins with 1", "another customer"})
	run(t, c.Dir, 1, "report", "--verify", "build/report", "--design", other).oneError(t, "inputs.fixtures: expected sha256:")
	proven(t, read(t, c), func(result evidence.Result) evidence.Grade {
		if slices.Contains([]string{"document", "schema", "index"}, result.Kind) {
			return evidence.Static
		}
		return evidence.Engine
	})
	says(t, "a claim about a table", strings.Join(verdicts(read(t, c))["tickets/table/Tickets/key"].Notes, "\n"), "made from the contract itself")

	run(t, c.Dir, 0, "explain", "--design", example, "pattern/close-ticket").prints(t, "5. Close a ticket", "printer-closed", "ConditionalCheckFailedException", "pass")

	wrong := changed(t, [3]string{"cases.json", `"expect": ["of-another", "printer"]`, `"expect": ["printer", "of-another"]`})
	c = run(t, "", 1, "verify", "--design", wrong, "--label-filter", "kind:pattern", "--json")
	text, err := json.Marshal(read(t, c))
	require.NoError(t, err)
	assert.JSONEq(t, string(text), c.stdout.String(), "evidence.json.gz and the standard output")
	decides(t, verdicts(read(t, c))["tickets/pattern/list-open"], evidence.Fail)
}

// Several items by one request, a table that nobody writes, and what nobody can check.
func TestVerifyOfParcels(t *testing.T) {
	c := run(t, "", 0, "verify", "--design", parcels)
	says(t, "the summary", c.stdout.String(), "not checkable: 1 promise of the documents that no check decides\n  parcels/paper-copies (parcels.md:9): ", "at level writes", "; promises that no check decides: 1")
	decided := verdicts(read(t, c))
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

	wrong := changedFrom(t, parcels, [3]string{"cases.json", `"parcels": ["lamp", "chair"]`, `"parcels": ["lamp", "elsewhere"]`},
		[3]string{"cases.json", `"present": ["tally-sent"`, `"present": ["tally-stored"`})
	c = run(t, "", 1, "verify", "--design", wrong, "--label-filter", "kind:pattern")
	says(t, "the summary of a wrong batch", c.stdout.String(), "parcels/pattern/weigh-parcels", "elsewhere")
	says(t, "the summary of a counter of another name", c.stdout.String(), "parcels/pattern/count-state", "in.transit")
}

// What is wrong with a contract is told line by line, as compilers do, and is wrong usage.
func TestMistakesOfAnOwnDesign(t *testing.T) {
	folder := changedFrom(t, orders, [3]string{"contract.yaml", "title:", "titel:"}, [3]string{"contract.yaml", "PAY_PER_REQUEST", "PER_REQUEST"})
	run(t, "", 2, "claims", "--design", folder).complains(t, "the design has 2 mistakes\n  contract.yaml:2: unknown name titel; expected title\n  contract.yaml:",
		"mode: expected one of PAY_PER_REQUEST, PROVISIONED, found PER_REQUEST")
	run(t, "", 2, "claims", "--design", filepath.Join(folder, "nowhere")).complains(t, "expected a folder with a contract (*.yaml), found none")
	run(t, "", 2, "claims", "--design", t.TempDir()).complains(t, "which end in .yaml")
}

func TestClaimsAndDocumentOfAnOwnDesign(t *testing.T) {
	all := listedClaims(t, "--design", orders)
	assert.GreaterOrEqual(t, len(all), 10, "claims about a table")
	for _, claim := range all {
		assert.True(t, strings.HasPrefix(claim.ID, "orders/"), "%s: expected the claims of the own design alone", claim.ID)
	}
	run(t, "", 0, "documents", "--design", orders).prints(t, "orders.md", "but for 2 lines that the contract's level does not need yet")
	assert.Equal(t, string(contract.Schema()), run(t, "", 0, "schema").stdout.String())
}

// Each mutant of the example is noticed, and without a decoy's key one is not.
func TestMutantsOfTheExample(t *testing.T) {
	run(t, "", 0, "mutants", "--design", example, "--filter", "/pattern/").prints(t, "PASS")
	without := changed(t, [3]string{"items.json", `"openedAt": {"S": "2026-01-09T09:00:00Z"}`, `"openedAt": {"S": "2026-02-01T09:00:00Z"}`})
	run(t, "", 1, "mutants", "--design", without, "--filter", "/pattern/list-open/").prints(t, "survived", "tickets/pattern/list-open/order-reversed")

	// The check names the same, and the item that is missing, without an engine.
	c := run(t, "", 0, "check", "--design", without)
	says(t, "the check", c.stdout.String(), "missing decoys, without which a wrong read would pass; where no item can tell, equivalents.json gives the id in brackets a reason:\n    pattern list-open: nothing tells the read from a wrong one (descending); load two items that one case expects, whose openedAt differ (tickets/pattern/list-open/order-reversed)\n  generated")
	run(t, "", 1, "check", "--design", without, "--strict", "--json").prints(t, `"id": "tickets/pattern/list-open/order-reversed"`)
}

// Mistakes beside a contract are told like those of the contract, by every command, and so is a document that cannot be read.
func TestMistakesBesideAContract(t *testing.T) {
	folder := changed(t, [3]string{"cases.json", `"expect": ["printer"]`, `"expects": ["printer"]`})
	for _, command := range []string{"claims", "documents", "verify", "mutants", "explain", "audit"} {
		run(t, "", 2, command, "--design", folder).
			complains(t, "dynaproof: --design "+folder+": the design has 1 mistake\n", "cases.json:2: unknown name expects; expected expect")
	}
	folder = changed(t)
	document := filepath.Join(folder, "tickets.md")
	require.NoError(t, os.Remove(document))
	run(t, "", 0, "check", "--design", folder).prints(t, "citations are not proven", "tickets.md")
	require.NoError(t, os.Mkdir(document, 0o700))
	c := prepare(t, nil, "verify", "--design", folder)
	c.apart(t, 2) // this process remembers that there is none
	c.complains(t, "tickets.md")
}

func TestCheck(t *testing.T) {
	c := run(t, "", 0, "check", "--design", example)
	says(t, "the check", c.stdout.String(), "tickets: 27 claims, level writes\n", "the next level, resilience, needs:\n    invariants", "PASS",
		"generated from the contract, unless written by hand:\n    2 lines of the document as narrative: headings, labels and header rows above cited lines\n    90 items without a required attribute")
	lacks(t, "the check", c.stdout.String(), "guard", "decoys")
	c = run(t, "", 0, "check", "--design", orders, "--json")
	var all []struct {
		Level, Next string
		Needs       []string
	}
	require.NoError(t, json.Unmarshal(c.stdout.Bytes(), &all))
	if len(all) != 1 || all[0].Level != "schema" || all[0].Next != "items" || len(all[0].Needs) != 3 {
		t.Errorf("expected what the level items needs, found %+v", all)
	}
	hazardous := changed(t, [3]string{"contract.yaml", "  hazard/constant-index-partition/by-status", "  hazard/constant-index-partition/by-state"})
	c = run(t, "", 0, "check", "--design", hazardous)
	says(t, "the hazards", c.stdout.String(), "hazards of the contract", "hazard/constant-index-partition/by-status: status of by-status has 2 values", "stale/hazard/constant-index-partition/by-state", "PASS")
	run(t, "", 1, "check", "--design", hazardous, "--strict")
}

// Each command that proves something tells the objections of the machine that reads the
// document. They decide no claim, fail check, and the others with --strict, and can be answered.
func TestObjections(t *testing.T) {
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
		for _, result := range verdicts(read(t, c)) {
			assert.Equal(t, evidence.Pass, result.Verdict, "%s: expected pass, since an objection decides no claim", result.ID)
		}
		for _, name := range []string{"index.html", "summary.md", "results.sarif"} {
			says(t, name, content(t, c.Dir, "build/report", name), id)
		}
	}
}

// The README shows the example as it is.
func TestReadmeShowsTheExample(t *testing.T) {
	files := content(t, example, "contract.yaml") + content(t, example, "cases.json")
	_, section, _ := strings.Cut(content(t, example, "../README.md"), "\n## The smallest one with reads and writes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := strings.Split(section, "```")
	require.Len(t, blocks, 5, "expected two blocks of the example")
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
	folder := t.TempDir()
	write(t, folder, "schema.json", `{"tables": [{
 "table_config": {"table_name": "Games", "partition_key": "game_id", "sort_key": "score"},
 "entities": {"Entry": {"entity_type": "ENTRY", "pk_template": "{game_id}", "sk_template": "{score}",
  "fields": [{"name": "game_id", "type": "string", "required": true},
   {"name": "score", "type": "integer", "required": true}]}}}]}`)
	write(t, folder, "usage_data.json", `{"entities": {"Entry": {"sample_data": {"game_id": "g1", "score": 7}}}}`)
	c := run(t, folder, 0, "import", "schema.json", "usage_data.json", "--out", "games")
	says(t, "the import", c.stdout.String(), "games: a schema of AWS's modelling tools, level items: contract.yaml, items.json, schema.json\n", "next: dynaproof check --design games")
	run(t, folder, 0, "check", "--design", "games")
	run(t, folder, 0, "verify", "--design", "games")

	shop := filepath.Join(example, "../contract/importer/testdata/shop.json")
	c = run(t, folder, 0, "import", shop, "--out", "shop")
	says(t, "the import of a data model", c.stdout.String(), "access patterns: 15 listed, 8 imported (reads: 2, writes: 6), 7 not checkable\n",
		"  not checkable: shop.json:26, All customers: it is a Scan, which needs a waiver: write the pattern with the step {scan: Shop, filter: 'vip = true'}")
	says(t, "the check of a data model", run(t, folder, 0, "check", "--design", "shop").stdout.String(), "level writes\n", "all-customers (shop.json:26): All customers; it is a Scan, which needs a waiver")
	says(t, "the proof of a data model", run(t, folder, 0, "verify", "--design", "shop").stdout.String(), "PASS", "promises that no check decides: 7", "no proof: shop: 12 cases have computed expectations and prove nothing")

	run(t, folder, 2, "import", "schema.json", "--out", "games").complains(t, "in games, found one; choose another folder")
	write(t, folder, "broken.json", "{\"Table\": {\"TableName\": \"Tab\",\n\"KeySchema\": [{\"AttributeName\": \"pk\", \"KeyType\": \"HASH\"}]}}")
	c = run(t, folder, 2, "import", "broken.json", "--out", "broken")
	says(t, "a broken source", c.stderr.String(), "import broken.json: the design has 1 mistake\n  broken.json:2: key attribute pk: expected it among the attribute definitions, found none")
	assert.NoDirExists(t, filepath.Join(folder, "broken"), "expected nothing written of a broken source")
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
	folder := t.TempDir()
	document := write(t, folder, "orders.md", "# Orders\n\n- Table name: `Orders-{env}`\n- Partition key: `pk` (String)\n- Sort key: `sk` (String)\n- Billing mode: on-demand\n- TTL attribute: `ttl`\n\n"+
		"## GSI: by-status\n\n- Partition key: `status` (String)\n- Projection: ALL\n")
	c := run(t, folder, 0, "init", "orders", "--document", document)
	says(t, "the draft", c.stdout.String(), "orders: 1 table, 0 kinds of items, 0 access patterns that read; 0 TODOs, 0 passages not read: orders/contract.yaml", "dynaproof audit --design orders")
	says(t, "the check of the draft", run(t, folder, 0, "check", "--design", "orders").stdout.String(), "no second witness", "6 lines of contract.yaml, the first is line ")
	url := engine(t).URL()
	deployed(t, url, "Orders-dev", func(*dynamodb.CreateTableInput) {})
	run(t, folder, 0, "audit", "--design", "orders", "--endpoint", url).prints(t, "PASS", "unconfirmed/contract.yaml: no second witness: the machine wrote 6 lines")
	deployed(t, url, "drifted", keysOnly)
	run(t, folder, 1, "audit", "--design", "orders", "--endpoint", url, "--table", "Orders=drifted").prints(t, "orders/index/Orders/by-status/projection", "KEYS_ONLY")

	run(t, folder, 2, "init", "orders", "--document", document).oneError(t, "init: expected no contract.yaml in orders, found one; choose another folder")
	gap := write(t, folder, "gap.md", "# Shop\n\nTable name: `shop`\n\n## Access patterns\n\n- Get a user by name\n") // a table, and not its key
	run(t, folder, 1, "init", "gap", "--document", gap).prints(t, "  contract.yaml:", "line 3: table shop: no line names its partition key", "next: decide on the TODOs")
	poem := write(t, folder, "poem.md", "# Roses\n\nare red.\n")
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

// Each mistake that an author can make in a contract's cases, or in a contract beside its cases and its document, is named by
// check, with file and line, and ends it: none waits for an engine. Those in one file alone stand in the tables of its package.
func TestCheckNamesMistakes(t *testing.T) {
	for name, row := range tabletest.Read[map[string]struct {
		Of, In, From, To string // of the example, where nothing else is said
		Code             int
		Found            string
	}](t, "check.yaml") {
		t.Run(name, func(t *testing.T) {
			folder := changedFrom(t, cmp.Or(map[string]string{"parcels": parcels}[row.Of], example), [3]string{row.In, row.From, row.To})
			flags := []string{"check"}
			if strings.Contains(row.Found, "no case is refused") {
				run(t, "", 0, "check", "--design", folder)
				flags = append(flags, "--strict") // it warns without
			}
			c := run(t, "", row.Code, append(flags, "--design", folder)...)
			says(t, "the check", c.stdout.String()+c.stderr.String(), row.Found)
			lacks(t, "the check", c.stdout.String(), "PASS", " fit each other")
		})
	}
}

// What no line of a document and no case can tell is not named by check, and verify passes it too: the contract alone says it. A
// person has to read it beside the document.
func TestWhatCheckCannotName(t *testing.T) {
	const contract, cases = "contract.yaml", "cases.json"
	for why, edit := range map[string][3]string{
		"a title is the contract's own":                                 {contract, "title: The tickets of a customer", "title: Tickets"},
		"no line says that a text may be empty":                         {contract, "subject: {type: S,", "subject: {type: S, not-empty: true,"},
		"no line says that the order is open":                           {contract, "where: 'pk = CUSTOMER#{customerId}'}", "where: 'pk = CUSTOMER#{customerId}', order: ascending}"},
		"every item has both attributes, or neither":                    {contract, "if: attribute_not_exists(pk)}", "if: attribute_not_exists(pk) AND attribute_not_exists(sk)}"},
		"one word that names the operation proves as much as all words": {contract, "cite: {19: [Get a ticket, GetItem]}", "cite: {19: GetItem}"},
		"the reason of a decoy is for people":                           {cases, "closed, and the oldest of all", "young"},
	} {
		t.Run(why, func(t *testing.T) {
			folder := changed(t, edit)
			says(t, "the check", run(t, "", 0, "check", "--design", folder).stdout.String(), "PASS")
			run(t, "", 0, "verify", "--design", folder)
		})
	}
}

// What a folder of a design leads to outside of it is not read, and what has no end is refused: in a line, with exit code 2, and
// without a word of what stands there.
func TestFoldersThatLeadElsewhere(t *testing.T) {
	const secret = "hunter2-of-somebody"
	elsewhere := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(elsewhere, []byte(secret+"\n"), 0o600))
	replaced := func(file string, by func(path string) error) func(t *testing.T, folder string) {
		return func(t *testing.T, folder string) {
			path := filepath.Join(folder, file)
			if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			require.NoError(t, by(path))
		}
	}
	to := func(target string) func(string) error {
		return func(path string) error { return os.Symlink(target, path) }
	}
	fifo := func(path string) error { return syscall.Mkfifo(path, 0o600) }
	for name, row := range map[string]struct {
		change func(t *testing.T, folder string)
		edits  [][3]string
		says   string
	}{
		"a document that is a link":      {replaced("tickets.md", to(elsewhere)), nil, "leads out of it"},
		"a document above the folder":    {func(*testing.T, string) {}, [][3]string{{"contract.yaml", "file: tickets.md", "file: ../../../../etc/passwd"}}, "leads out of it"},
		"a document by its whole name":   {func(*testing.T, string) {}, [][3]string{{"contract.yaml", "file: tickets.md", "file: " + elsewhere}}, "leads out of it"},
		"a document of a tool":           {func(*testing.T, string) {}, [][3]string{{"contract.yaml", "file: tickets.md", "file: .git/config"}}, "not hidden"},
		"a contract file that is one":    {replaced("more.yaml", to(elsewhere)), nil, "leads out of it"},
		"a fixture that is one":          {replaced("items.json", to(elsewhere)), nil, "leads out of it"},
		"a link that goes nowhere":       {replaced("items.json", to("/nowhere/at/all")), nil, "leads out of it"},
		"a contract file without end":    {replaced("more.yaml", to("/dev/zero")), nil, "leads out of it"},
		"a document that is a pipe":      {replaced("tickets.md", fifo), nil, "a pipe"},
		"a contract file that is a pipe": {replaced("more.yaml", fifo), nil, "a pipe"},
		"a fixture that is a pipe":       {replaced("cases.json", fifo), nil, "a pipe"},
		"a contract of 100 MB": {replaced("more.yaml", func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 100<<20))
		}), nil, "at most 8 MB"},
		"mistakes without number": {replaced("more.yaml", func(path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("a: 1\n", 100_000)), 0o600)
		}), nil, "and 99950 more"},
		"a comparison without an end": {func(*testing.T, string) {}, [][3]string{{"contract.yaml", "\npatterns:\n",
			"    rules:\n      doubled: {says: nothing, attribute: status, cel: '" + doubled("a") + " == " + doubled("b") + "', cite: {12: status}}\n\npatterns:\n"}}, "expected an expression that ends after 200000 steps"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := changed(t, row.edits...)
			require.NoError(t, os.MkdirAll(filepath.Join(folder, ".git"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(folder, ".git", "config"), []byte(secret), 0o600))
			row.change(t, folder)
			for _, command := range []string{"check", "verify"} {
				c := run(t, "", 2, command, "--design", folder)
				says(t, "the refusal", c.stderr.String(), row.says)
				if text := c.stdout.String() + c.stderr.String(); strings.Contains(text, secret) || strings.Contains(text, "root:") || strings.Count(text, "\n") > 60 {
					t.Errorf("%s: expected a line and nothing of what stands elsewhere, found %s", command, text[:min(len(text), 2000)])
				}
			}
		})
	}
}

// So are files that commands are given by name.
func TestFilesThatAreNone(t *testing.T) {
	folder := t.TempDir()
	pipe := filepath.Join(folder, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	verified := filepath.Join(folder, "report")
	require.NoError(t, os.Mkdir(verified, 0o700))
	for _, device := range []string{"/dev/zero", pipe} {
		_ = os.Remove(filepath.Join(verified, "evidence.json.gz"))
		require.NoError(t, os.Symlink(device, filepath.Join(verified, "evidence.json.gz")))
		for _, args := range [][]string{
			{"review", device},
			{"init", "new", "--document", device, "--out", filepath.Join(folder, "new")},
			{"import", device, "--out", filepath.Join(folder, "imported")},
			{"report", device},
			{"report", "--verify", verified},
			{"report", "--author", "roll-model", device},
			{"audit", "--environments", device},
			{"verify", "roll-model", "--sign-key", device},
			{"check", "--design", device},
			{"claims", "--report", verified},
			{"verify", "roll-model", "--status", device},
			{"report", "--verify", folder, "--key", device},
		} {
			c := run(t, "", 2, args...)
			if text := c.stderr.String(); strings.Count(text, "\n") != 1 {
				t.Errorf("%s: expected one line, found %q", strings.Join(args, " "), text)
			}
		}
	}
}

// doubled is a value of CEL whose parts are 2^40, made in 40 steps.
func doubled(variable string) string {
	return "[[1]]" + strings.Repeat(".map("+variable+", ["+variable+", "+variable+"])", 40)
}
