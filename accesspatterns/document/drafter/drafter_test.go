package drafter_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	require.NoError(t, err)
	result := drafter.Draft("draft", "document.md", "reads", content, document)
	if result.Level == "" {
		return result, nil, document
	}
	folder := t.TempDir()
	for name, text := range map[string][]byte{"contract.yaml": result.Contract, "document.md": content} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), text, 0o600))
	}
	design, err := contract.Load(os.DirFS(folder))
	if err != nil {
		t.Fatalf("expected a draft that loads, found %v in\n%s", err, result.Contract)
	}
	source, err := coverage.Read(folder, design.Document)
	require.NoError(t, err)
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
		require.NoError(t, err)
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
			if !slices.Equal(found.Keys(), want.Keys()) || found.TTL != nil && (want.TTL == nil || found.TTL.Attribute != want.TTL.Attribute) && !unnamed {
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
| Order | ` + "`USER#<id>` | `ORDER#<orderId>`" + ` | title |

## Access patterns

- Get a user: ` + "`GetItem(PK=USER#<id>, SK=PROFILE)`" + `
- Orders of a user, newest first: ` + "`Query(PK=USER#<id>, begins_with(SK, ORDER#))`" + `, limit 20
- Place an order: ` + "`PutItem(PK=USER#<id>, SK=ORDER#<orderId>)`" + `
- All orders: Scan
- One order: GetItem, or Query by the user
- Half a key: ` + "`GetItem(PK=USER#<id>)`" + `
`

// TestDraft: what is said is drafted, what is guessed is marked, and what a person has
// to decide is a TODO in its place.
func TestDraft(t *testing.T) {
	result, design, _ := draft(t, []byte(shop))
	text := string(result.Contract)
	for _, want := range []string{
		"name: 'shop-{stage}'  # by machine\n    cite: {3: 'shop-${stage}'}\n",
		"partition-key: {PK: S}  # by machine\n    sort-key: {SK: S}  # by machine\n    key-cite: {5: [PK, SK]}\n",
		"      by-state: {partition-key: {state: S}, projection: ALL, cite: {7: [by-state, state]}, projection-cite: {7: by-state, chosen: no line gives the projection}}  # by machine  # TODO line 7: no line gives the type of state: S is chosen  # TODO line 7: no line gives the projection: ALL is chosen\n",
		"PK: {template: 'USER#{id}', cite: {13: 'USER#<id>'}}  # by machine\n",
		"steps: [{get: shop, key: {PK: 'USER#{id}', SK: PROFILE}}]  # by machine\n    returns: user\n",
		"steps: [{query: shop, where: 'PK = USER#{id} AND begins_with(SK, ORDER#)', limit: 20}]  # by machine\n    returns: order\n",
		"  # TODO line 20: Place an order: PutItem, of level writes: write what it writes, under which condition\n",
		"  # TODO line 21: All orders: a Scan needs a waiver: who accepts it, and why\n",
		"  # TODO line 23: Half a key: a GetItem needs the whole key of the table, PK and SK; the lines give PK\n",
		"# TODO line 22: not read (",
	} {
		assert.Contains(t, text, want)
	}
	if result.Level != "reads" || result.Tables != 1 || result.Entities != 2 || result.Patterns != 2 || len(design.Patterns) != 2 {
		t.Errorf("expected one table, two entities and two patterns, found\n%s", text)
	}
	if marked := drafter.Marked(result.Contract); len(marked) != 12 {
		t.Errorf("expected 12 lines that the machine wrote, found %v in\n%s", marked, text)
	}
	// A person who has compared a line removes its mark; --level schema, the default, drafts tables alone.
	if left := drafter.Marked([]byte(strings.Replace(text, "  "+drafter.Mark, "", 1))); len(left) != 11 {
		t.Errorf("expected 11 lines left, found %v", left)
	}
	document, err := reader.Read([]byte(shop))
	require.NoError(t, err)
	if result = drafter.Draft("draft", "document.md", "schema", []byte(shop), document); result.Level != "schema" || result.Entities+result.Patterns > 0 {
		t.Errorf("expected tables alone, found\n%s", result.Contract)
	}
}

// TestDraftsOfAllForms: of each page of the reader's forms a draft loads, its citations stand, and the rules on contracts end.
func TestDraftsOfAllForms(t *testing.T) {
	pages, err := filepath.Glob("../reader/testdata/*.[mt]*")
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	asking := 0
	for _, page := range pages {
		content, err := os.ReadFile(page)
		require.NoError(t, err)
		t.Run(filepath.Base(page), func(t *testing.T) {
			if _, design, document := draft(t, content); design != nil {
				assert.NotPanics(t, func() {
					witness.Hazards(design)
					witness.Object(design, document)
				})
				asking += len(design.Patterns)
			}
		})
	}
	assert.Positive(t, asking)
}

// TestDraftOfATable: an item below the head of a table is cited by its keys, and a TTL is of the kinds that list it.
func TestDraftOfATable(t *testing.T) {
	result, _, _ := draft(t, []byte("# Shop\n\n## Table: `shop`\n\n- TTL attribute: `ttl`\n- GSIs: none\n\n| Attribute | Type | Key |\n|---|---|---|\n| PK | S | Partition Key = `USER#{id}` |\n| SK | S | Sort Key = `BASKET` |\n| ttl | N | |\n\n### Profile\n\n- `PK = USER#{id}`\n- `SK = PROFILE`\n"))
	text := string(result.Contract)
	if !strings.Contains(text, "cite: {10: 'USER#{id}', 11: BASKET}") || strings.Count(text, "      ttl: {") != 1 || !strings.Contains(text, "indexes-cite: {3: shop, 6:") {
		t.Errorf("expected the basket cited by its keys, one ttl, and no index, found\n%s", text)
	}
}

// TestDraftOfAnUnnamedIndex: an index without a name is put off, and so is a request of it.
func TestDraftOfAnUnnamedIndex(t *testing.T) {
	result, _, _ := draft(t, []byte("# Shop\n\n## Table: `shop`\n\n- Partition key: `id` (String)\n\n### Indexes\n\n- **GSI on `mail`**\n  - Partition key: `mail` (String)\n\n## Access patterns\n\n| Access pattern | Operation | Key condition |\n|---|---|---|\n| A customer by mail | Query | `mail = {mail}` |\n| A customer | GetItem | `id = {id}` |\n"))
	text := string(result.Contract)
	for _, want := range []string{"# TODO line 9: GSI on mail: no line gives the name of the index", "# TODO line 16: A customer by mail: no line gives the name of its index (GSI on mail)"} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, "shop/GSI on")
}

// TestDraftOfMore: what a line says of an attribute beside its name is drafted, a table is cited where its name stands, an index that
// not every item is in is sparse, and a request of which a part is not read is put off with what is read of it.
func TestDraftOfMore(t *testing.T) {
	result, _, _ := draft(t, []byte("# Shop\n\n## 1. Orders Table\n\n**Table Name:** `shop-orders`\n\n| Attribute | Type | Required | Description |\n|---|---|---|---|\n"+
		"| `order_id` (PK) | String | Yes | UUID, partition key |\n| `state` | String | No | how far it is |\n| `kind` | String | No | `gift` or `other` |\n| `made_at` | String | Yes | ISO 8601 timestamp |\n| `urgent` | Boolean | No | only while it is |\n| `due` | String | No | ISO 8601 |\n\n"+
		"**GSI: ByState**\n- PK: `state`\n- SK: `made_at`\n\n### GSI 2:\n\n- Index name: `Urgent`\n- PK: `urgent`\n\n## Access Patterns\n\n"+
		"| Access Pattern | Table | Index | Key Condition |\n|---|---|---|---|\n| Get order by ID | Orders | - | PK = order_id |\n| Orders of a state | Orders | ByState | PK = state, filter made_at |\n"+
		"| Urgent orders | Orders | Urgent | PK = \"urgent\" |\n| Open orders | Orders | ByState | PK = open |\n"))
	text := string(result.Contract)
	for _, want := range []string{
		"cite: {5: shop-orders}\n",
		"cite: {22: Urgent, 23: urgent}, projection-cite: {22: Urgent, chosen: no line gives the projection}}  # by machine  # TODO line 13: urgent is BOOL here, which no key can be: S is chosen",
		"state: {template: '{state}', optional: true, cite: {10: state}}  # by machine\n",
		"kind: {type: S, presence: optional, allowed: [gift, other], cite: {11: kind}}  # by machine\n",
		"due: {type: S, presence: optional, cite: {14: due}}  # by machine  # TODO line 14: ISO 8601, and no form reads whether it is a timestamp or a date: write its format\n",
		"made_at: {type: S, format: timestamp, cite: {12: made_at}}  # by machine\n",
		"# patterns:  # it begins with the first that you decide, and the level above is then reads\n  # TODO line 29: Get order by ID: the whole key is given, and no line says whether it is a GetItem or a Query\n",
		"  #     steps: [{get: shop-orders, key: {order_id: '{order_id}'}}]  # by machine\n",
		"  # TODO line 30: Orders of a state: no form reads all that its line says: compare the request with it\n",
		"  # TODO line 31: Urgent orders: no form reads the value of urgent\n",
		"  # TODO line 32: Open orders: no form reads the value of state\n",
		"  #     steps: [{query: shop-orders/ByState, where: 'state = {state}'}]  # by machine\n",
	} {
		assert.Contains(t, text, want)
	}
}

// TestDraftOfKindsWithoutTables: a kind of item of which no line names the table is none of the contract until somebody does.
func TestDraftOfKindsWithoutTables(t *testing.T) {
	const table = "## Table: `%s`\n\n- Partition key: `pk` (S)\n- Sort key: `sk` (S)\n\n"
	result, _, _ := draft(t, []byte("# Mill\n\n"+fmt.Sprintf(table, "sacks")+fmt.Sprintf(table, "carts")+"## Entity keys\n\n| Entity | PK | SK |\n|---|---|---|\n| Sack | `SACK#{id}` | `FLOUR#{kind}` |\n"))
	assert.Contains(t, string(result.Contract), "  # TODO line 17: Sack: no line names its table\n  #   sack:\n  #     title: Sack\n  #     cite: {17: Sack}\n")
}

// TestDraftOfNoName: a table without a name is cited where it begins, not where a word is the design's name by chance.
func TestDraftOfNoName(t *testing.T) {
	result, _, _ := draft(t, []byte("# Single table\n\n| Item | PK | SK |\n|---|---|---|\n| Basket | `USER#{id}` | `BASKET` |\n\nWho opens a draft fills it.\n"))
	assert.Contains(t, string(result.Contract), "cite: {3: Item, chosen: no line names the table}\n")
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

// TestDraftWithoutEnglish: a title without a letter of ASCII is one, and a pattern whose item is
// put off stays.
func TestDraftWithoutEnglish(t *testing.T) {
	result, design, _ := draft(t, []byte("# 注文\n\nTable name: `orders`\n\nPartition key: **PK** (String). Sort key: **SK** (String).\n\n## 属性\n\n| 属性 | 型 |\n|---|---|\n| `PK` | S |\n| `state` | S |\n\n"+
		"## 1.2 注文一覧\n\n```python\nt.query(\n    TableName=\"orders\",\n    KeyConditionExpression=\"PK = :pk\",\n    ExpressionAttributeValues={\":pk\": {\"S\": \"SHOP#1\"}},\n)\n```\n"))
	if text := string(result.Contract); len(design.Patterns) != 1 || !strings.Contains(text, "title: '注文一覧'") {
		t.Errorf("expected one pattern with its title, found\n%s", text)
	}
}

// TestDraftOfOwnKeys: a request that names a key gives its value where the key is the attribute as it stands, and two
// kinds of items with keys of one form are each compared with their own lines.
func TestDraftOfOwnKeys(t *testing.T) {
	result, _, _ := draft(t, []byte("# Shop\n\n## Table: `carts`\n\n- Partition key: `cartId` (String)\n\n### Access patterns\n\n- A cart: `GetItem(cartId)`\n"))
	if text := string(result.Contract); !strings.Contains(text, "steps: [{get: carts, key: {cartId: '{cartId}'}}]") {
		t.Errorf("expected the cart by its id, found\n%s", text)
	}
	fence := "```\nPK: USER#{%s}\nSK: PROFILE\nAttributes:\n  - name: string\n```\n\n"
	_, design, document := draft(t, []byte("# School\n\n## Table: `school`\n\n- Partition key: `PK` (String)\n- Sort key: `SK` (String)\n\n### Teacher\n\n"+
		strings.Replace(fence, "%s", "teacherId", 1)+"### Pupil\n\n"+strings.Replace(fence, "%s", "pupilId", 1)))
	for _, o := range witness.Object(design, document) {
		if o.Kind == witness.Elsewhere {
			t.Errorf("%s: %s", o.ID, o.Message)
		}
	}
}

// FuzzDraft reads any text as a design document. What is one gives a draft, and a draft that
// holds a table loads.
func FuzzDraft(f *testing.F) {
	documents, err := filepath.Glob("../reader/testdata/*.[mt]*")
	if err != nil || len(documents) == 0 {
		f.Fatal("expected the reader's documents", err)
	}
	for _, name := range documents {
		content, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		document, err := reader.Read(content)
		if err != nil {
			if !errors.Is(err, reader.ErrNoDocument) {
				t.Fatal(err)
			}
			return
		}
		drafter.Draft("draft", "document.md", "reads", content, document)
	})
}
