package drafter_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/accesspatterns/document/drafter"
	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/document/witness"
)

// draft drafts a document, and loads the draft beside it.
func draft(t *testing.T, content []byte) (*drafter.Result, *ap.Design, *reader.Document) {
	t.Helper()
	document, err := reader.Read(content)
	if err != nil {
		t.Fatal(err)
	}
	result, err := drafter.Draft("draft", "document.md", content, document)
	if err != nil {
		t.Fatal(err)
	}
	if result.Level == "" {
		return result, nil, document
	}
	folder := t.TempDir()
	for name, text := range map[string][]byte{"contract.yaml": result.Contract, "document.md": content} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	design, err := contract.Load(os.DirFS(folder))
	if err != nil {
		t.Fatalf("expected a draft that loads, found %v in\n%s", err, result.Contract)
	}
	source, err := coverage.Read(folder, design.Document)
	if err != nil {
		t.Fatal(err)
	}
	for _, proof := range coverage.Of(design, source, nil).Citations {
		if proof.Problem != "" {
			t.Errorf("%s: %s", proof.Element, proof.Problem)
		}
	}
	return result, design, document
}

// TestFive: the drafts of the five documents load, every citation stands, and the
// tables are those of the contracts that people wrote, but for what a draft marks.
func TestFive(t *testing.T) {
	folder := os.Getenv("DYNAPROOF_DOCUMENTS")
	if folder == "" {
		folder = "../../../../shared/designs"
	}
	for _, design := range designs.All() {
		content, err := os.ReadFile(filepath.Join(folder, design.Document.File))
		if errors.Is(err, os.ErrNotExist) {
			t.Skip("the design documents are not here; set DYNAPROOF_DOCUMENTS to their folder")
		}
		if err != nil {
			t.Fatal(err)
		}
		result, drafted, document := draft(t, content)
		unnamed := strings.Contains(string(result.Contract), "no line names the attribute of the TTL")
		result.Contract = nil
		t.Logf("%s: %+v", design.Name, *result)
		if len(drafted.Tables) != len(design.Tables) {
			t.Errorf("%s: expected %d tables, found %d", design.Name, len(design.Tables), len(drafted.Tables))
			continue
		}
		for i := range design.Tables {
			want := &design.Tables[i]
			at := slices.IndexFunc(drafted.Tables, func(found ap.Table) bool { return found.Name == want.Name })
			if at < 0 {
				t.Errorf("%s: expected the table %s, found none", design.Name, want.Name)
				continue
			}
			found := &drafted.Tables[at]
			if !slices.Equal(found.Keys(), want.Keys()) || (found.TTL == nil) != (want.TTL == nil) && !unnamed {
				t.Errorf("%s: expected the key %v and TTL %v, found %v and %v", want.Name, want.Keys(), want.TTL, found.Keys(), found.TTL)
			}
			for j := range found.Indexes {
				if own, has := want.Index(found.Indexes[j].Name); !has || !slices.Equal(own.Keys(), found.Indexes[j].Keys()) {
					t.Errorf("%s: the index %s is not that of the contract: %v", want.Name, found.Indexes[j].Name, found.Indexes[j].Keys())
				}
			}
		}
		// The reader, who drafted it, has nothing against it but what contradicts itself.
		for _, o := range witness.Open(witness.Object(drafted, document)) {
			known := slices.ContainsFunc(design.Findings, func(f ap.Finding) bool { return f.Cite.First <= o.Line && o.Line <= f.Cite.Last })
			if o.Kind == witness.Differs && !known {
				t.Errorf("%s: %s: %s", design.Name, o.ID, o.Message)
			}
		}
	}
}

const shop = `# Shop

Table name: ` + "`shop-${stage}`" + `

Partition key: **PK** (String). Sort key: **SK** (String).

GSI1 (by-state): partition key ` + "`state`" + `

## Items

| Entity | PK | SK | Attributes |
|---|---|---|---|
| User | ` + "`USER#<id>` | `PROFILE`" + ` | name |
| Order | ` + "`USER#<id>` | `ORDER#<orderId>`" + ` | total |

## Access patterns

- Get a user: ` + "`GetItem(PK=USER#<id>, SK=PROFILE)`" + `
- Orders of a user, newest first: ` + "`Query(PK=USER#<id>, begins_with(SK, ORDER#))`" + `, limit 20
- Place an order: ` + "`PutItem(PK=USER#<id>, SK=ORDER#<orderId>)`" + `
- All orders: Scan
- One order: GetItem by ` + "`USER#<id>` and `ORDER#<orderId>`" + `
`

// TestDraft: what is said is drafted, what is guessed is marked, and what a person has
// to decide is a TODO in its place.
func TestDraft(t *testing.T) {
	result, design, _ := draft(t, []byte(shop))
	text := string(result.Contract)
	for _, want := range []string{
		"name: 'shop-{stage}'\n    cite: {3: ['shop-${stage}']}\n",
		"partition-key: {PK: S}\n    sort-key: {SK: S}\n    key-cite: {5: [PK, SK]}\n",
		"PK: {template: 'USER#{id}', cite: {13: ['USER#<id>']}}\n",
		"- {get: shop, key: {PK: 'USER#{id}', SK: PROFILE}}\n    returns: [user]\n",
		"- {query: shop, where: 'PK = USER#{id} AND begins_with(SK, ORDER#)', order: descending, limit: 20}\n    returns: [order]\n",
		"- {get: shop, key: {PK: 'USER#{id}', SK: 'ORDER#{orderId}'}}\n",
		"    # TODO line 7: it speaks of an index, and no line gives the name and the key of one\n",
		"  # TODO line 20: Place an order: a PutItem: write what it writes, under which condition\n",
		"  #       - {put: order}\n",
		"  # TODO line 21: All orders: a Scan needs a waiver: who accepts it, and why\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("expected\n%s\nin\n%s", want, text)
		}
	}
	if result.Level != "reads" || result.Tables != 1 || result.Entities != 2 || result.Patterns != 3 || result.ToDo != 3 || len(design.Patterns) != 3 {
		t.Errorf("expected one table, two entities, three patterns and three TODOs, found\n%s", text)
	}
}

// TestDraftOfAGap: a table whose key nobody names is a TODO, and the draft says that it
// does not load yet.
func TestDraftOfAGap(t *testing.T) {
	result, _, _ := draft(t, []byte("# Shop\n\nTable name: `shop`\n\n## Access patterns\n\n- Get a user by name\n"))
	text := string(result.Contract)
	if result.Level != "" || !strings.Contains(text, "# TODO line 3: table shop: no line names its partition key") {
		t.Errorf("expected a TODO for the key, found level %q and\n%s", result.Level, text)
	}
	// A key that no contract can hold is put off with the loader's own words.
	broken := strings.Replace(shop, "`ORDER#<orderId>`", "`ORDER#<orderId><line>`", 1)
	result, _, _ = draft(t, []byte(broken))
	if text := string(result.Contract); !strings.Contains(text, "# TODO line 14: ") || !strings.Contains(text, "\n  user:\n") {
		t.Errorf("expected a TODO for the order and the user as before, found\n%s", text)
	}
}

// TestDraftOfLists: a list of tables gives indexes, TTLs and streams too, and what a cell leaves
// open is a TODO. That no line gives an index is said only where none does.
func TestDraftOfLists(t *testing.T) {
	content, err := os.ReadFile("../reader/testdata/fleet.md")
	if err != nil {
		t.Fatal(err)
	}
	result, design, _ := draft(t, content)
	text := string(result.Contract)
	for _, want := range []string{
		"      by-owner:\n        partition-key: {owner: S}  # guessed: no line gives the type\n        sort-key: {since: S}",
		"        partition-key: {town: S}  # guessed: no line gives the type\n        projection: KEYS_ONLY\n",
		"    # TODO line 5: the table has a stream, and no line gives its view\n",
		"      driver-index:\n        partition-key: {driver: S}  # guessed: by the name of the index, and no line gives the type\n",
		"    stream: {view: NEW_IMAGE, cite: {6: [NEW_IMAGE]}}\n",
		"    local-indexes:\n      by-day:\n        sort-key: {day: S}",
		"    ttl: {attribute: gone_at, cite: {7: [gone_at]}}\n",
		"    indexes-cite: {8: [fleet-notes]}\n",
		"    # TODO line 9: the table has indexes, 2, and no line names them\n    indexes-cite: {9: [",
		"  # TODO line 10: see the appendix for those (expected the name of an index, and its keys in brackets)\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("expected\n%s\nin\n%s", want, text)
		}
	}
	if len(design.Tables) != 6 {
		t.Errorf("expected six tables, found %d", len(design.Tables))
	}
}

// TestDraftWithoutEnglish: a title without a letter of ASCII is one, and a pattern whose item is
// put off stays.
func TestDraftWithoutEnglish(t *testing.T) {
	result, design, _ := draft(t, []byte("# 注文\n\nTable name: `orders`\n\nPartition key: **PK** (String). Sort key: **SK** (String).\n\n## 属性\n\n| 属性 | 型 |\n|---|---|\n| `PK` | S |\n| `state` | S |\n\n"+
		"## 1.2 注文一覧\n\n```python\nt.query(\n    TableName=\"orders\",\n    KeyConditionExpression=\"PK = :pk\",\n    ExpressionAttributeValues={\":pk\": {\"S\": \"SHOP#1\"}},\n)\n```\n"))
	if text := string(result.Contract); len(design.Patterns) != 1 || !strings.Contains(text, "title: '注文一覧'") {
		t.Errorf("expected one pattern with its title, found\n%s", text)
	}
}

// TestDraftOfForms: a form without the name of its attribute, a whole key without an operation and
// the attribute of a TTL that no list has are drafted, and marked.
func TestDraftOfForms(t *testing.T) {
	for file, wants := range map[string][]string{
		"forms": {
			"    partition-key: {PK: S}  # guessed: by the place or the role alone, and no line gives the type\n",
			"chosen: no line names the attribute of a key",
			"      sk: {template: 'RAW#{ride_id}#{timestamp}', cite: {18: ['RAW#ride_id#timestamp']}}",
		},
		"cloudformation": {"        non-key-attributes: [total, state]\n", "        non-key-attributes: [paid, by]\n", "    stream: {view: NEW_IMAGE, cite: {33: [NEW_IMAGE]}}\n"},
		"cells": {
			"      - {query: cats, where: 'PK = CAT#{cat} AND SK BETWEEN MEAL#{start} AND MEAL#{end}'}\n",
			"      - {query: cats, where: 'PK = HOME#{home} AND begins_with(SK, ALERT#)'}\n",
			"AP-06: Create a cat: it writes, by its title",
			"AP-07: List visits of a cat: no line says whether it is a GetItem or a Query: its title asks for several",
			"    sort-key: {SK: S}\n", "    ttl: {attribute: gone, cite: {3: [gone]}}\n",
		},
		"spelled":   {"  part:  # guessed: by its place or its example\n", "    returns: [part]\n", "      - {get: stock, key: {pk: 'PART#{id}', sk: META}}  # guessed: the whole key is given, and no line names the operation\n"},
		"terraform": {"name: 'logins-{environment}'", "      gone_at: {type: N, presence: optional, cite: {46: [gone_at]}}\n", "    local-indexes:\n      by-user-of-login:\n        sort-key: {user_id: S}\n        projection: KEYS_ONLY"},
	} {
		content, err := os.ReadFile("../reader/testdata/" + file + ".md")
		if err != nil {
			t.Fatal(err)
		}
		result, _, _ := draft(t, content)
		for _, want := range wants {
			if text := string(result.Contract); !strings.Contains(text, want) {
				t.Errorf("%s: expected\n%s\nin\n%s", file, want, text)
			}
		}
	}
}

// TestDraftOfAnIndexInPassing: a line that speaks of an index, of which no line gives the key, is a
// TODO, and "GSI-1 on a / b" gives one.
func TestDraftOfAnIndexInPassing(t *testing.T) {
	const table = "# Fleet\n\nTable name: `fleet`\n\nPartition key: `id` (String)\n\n"
	result, _, _ := draft(t, []byte(table+"- `GSI1` lists the cars of a driver.\n"))
	if text := string(result.Contract); !strings.Contains(text, "# TODO line 7: index GSI1: no line names its partition key") {
		t.Errorf("expected a TODO for the index, found\n%s", text)
	}
	result, _, _ = draft(t, []byte(table+"There are no GSIs.\n"))
	if text := string(result.Contract); strings.Contains(text, "# TODO line") {
		t.Errorf("expected no TODO, found\n%s", text)
	}
	result, design, _ := draft(t, []byte(table+"GSI-1 on `driver` / `since` lists the cars of a driver.\n"))
	if len(design.Tables[0].Indexes) != 1 || design.Tables[0].Indexes[0].PartitionKey.Attribute != "driver" {
		t.Errorf("expected one index, found\n%s", result.Contract)
	}
}
