package reader

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// TestDocuments reads documents of different notations. What must be found was
// written down from the documents, by hand.
func TestDocuments(t *testing.T) {
	wants, err := filepath.Glob("testdata/*.want")
	if err != nil || len(wants) == 0 {
		t.Fatal("expected documents in testdata", err)
	}
	for _, name := range wants {
		t.Run(filepath.Base(name), func(t *testing.T) {
			want, err := os.ReadFile(name)
			require.NoError(t, err)
			paths, _ := filepath.Glob(strings.TrimSuffix(name, "want") + "[mt]*")
			text, err := os.ReadFile(paths[0])
			require.NoError(t, err)
			document, err := Read(text)
			require.NoError(t, err)
			if os.Getenv("UPDATE_WANT") != "" {
				require.NoError(t, os.WriteFile(name, []byte(facts(document)), 0o600))
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(facts(document), "\n")); diff != "" {
				t.Errorf("the facts of %s (-want +got):\n%s", paths[0], diff)
			}
			document, err = Read([]byte(strings.ReplaceAll(string(text), "\n", "\r\n")))
			require.NoError(t, err)
			assert.Equal(t, string(want), facts(document), "with the line ends of Windows")
		})
	}
}

// stride is how far a changed line is from the next one: near enough for a document to be read a few times and not once for each of its
// lines, and so far that each stands between lines that are as they were.
const stride = 8

// TestChangedLines: whatever lines of a document are gone, empty with the next, doubled or have another
// number, reading it ends.
func TestChangedLines(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.[mt]*")
	not, wrong := filepath.Glob("testdata/not/*.md")
	if paths = append(paths, not...); err != nil || wrong != nil || len(not) == 0 || len(paths) == len(not) {
		t.Fatal("expected documents in testdata and testdata/not", err, wrong)
	}
	renumbered := strings.NewReplacer("1", "9", "2", "9", "3", "9")
	for turn, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		lines := strings.SplitAfter(string(text), "\n")
		for what, change := range map[string]func(line, next string) (string, string){
			"gone":                func(_, next string) (string, string) { return "", next },
			"empty with the next": func(string, string) (string, string) { return "\n\n", "" },
			"doubled":             func(line, next string) (string, string) { return line + line, next },
			"renumbered":          func(line, next string) (string, string) { return renumbered.Replace(line), next },
		} {
			first := turn % stride // every document takes its turn in one of them
			changed := append(slices.Clone(lines), "")
			for i := first; i < len(lines); i += stride {
				changed[i], changed[i+1] = change(changed[i], changed[i+1])
			}
			assert.NotPanics(t, func() { _, _ = Read([]byte(strings.Join(changed, ""))) }, "%s with every %dth line from %d %s", path, stride, first+1, what)
		}
	}
}

// TestNotRead: texts that are like a form and are none give no fact, and every line of theirs that
// speaks of keys is named.
func TestNotRead(t *testing.T) {
	paths, err := filepath.Glob("testdata/not/*.md")
	if err != nil || len(paths) < 5 {
		t.Fatal("expected texts in testdata/not", err)
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		// A table before it gives the forms something to speak of.
		document, err := Read(append([]byte("# Table: known\n\n- Partition key: `id` (String)\n\n"), content...))
		require.NoError(t, err)
		if got := facts(document); strings.ReplaceAll(got, "entity known @9", "entity known @1") != "table known @1\n  HASH id S @3\nentity known @1\n  id = {id} @3\n" {
			t.Errorf("%s: expected no fact, found\n%s", path, got)
		}
	}
}

// TestAnnounced: a line that speaks of keys, items or requests, and gives no fact, is named.
func TestAnnounced(t *testing.T) {
	const before = "# Shop\n\n## Table: `shop`\n\n- PK: `PK` (String)\n- SK: `SK` (String)\n\n"
	for name, text := range map[string]string{
		"a label of a pattern in words":     "## Access patterns\n\n### Calls\n\n**Write pattern**: Count them by ferry <-\n",
		"a name of two words":               "## Table: `tills`\n\n- Partition key: `id` (S)\n\n| Attribute | Type |\n|---|---|\n| `id` | S |\n| `first name` | S | <-\n",
		"a name of two words without marks": "## Table: `tills`\n\n- Partition key: `id` (S)\n\n| Attribute | Type |\n|---|---|\n| `id` | S |\n| first name | S | <-\n",
		"a name with an apostrophe":         "## Table: `tills`\n\n- Partition key: `id` (S)\n\n| Attribute | Type |\n|---|---|\n| `id` | S |\n| `it's` | S | <-\n",
		"one of two names":                  "## Table: `tills`\n\n- Partition key: `id` (S)\n\n| Attribute | Type |\n|---|---|\n| `id` | S |\n| `from` / `to` | S | <-\n",
		"attributes of no kind":             "### Cart\n\n| Attribute | Type |\n|---|---|\n| `total` | Number | <-\n",
		"a tick in place of a key":          "| Table | Partition key | Sort key |\n|---|---|---|\n| `sacks` | `mill` | ✅ | <-\n| `mills` | `mill` | — |\n",
		"a sort key alone":                  "### Cart\n\n**Sort Key:** `CART#<id>` <-\n",
		"a query of an unknown index":       "### Access patterns\n\n- Carts of a day: query `GSI1` with the day <-\n",
		"a resource without keys":           "```hcl\nresource \"aws_dynamodb_table\" \"t\" {\n  replica { region_name = \"eu-west-1\" } <-\n}\n```\n",
		"a member of a key that is none":    "```python\ntable.get_item(Key={'PK': pk,\n'shop': shop}) <-\n```\n",
		"an index's key in an example":      "### GSI1\n\n- PK: `GSI1PK`\n- SK: `GSI1SK`\n\n### Example\n\n```json\n{\n\"PK\": \"CART#a-1\",\n\"GSI1PK\": \"DAY#2024-01-01\" <-\n}\n```\n",
		"a key of two words":                "### ByDay\n\n- GSI1: ByDayIndex\n  - PK: `day`, SK: `shop#CART` <-\n",
		"settings behind a table's name":    "**Table:** `shop` · on demand · PITR on <-\n",
		"a beginning that is no kind":       "## Access patterns\n\n| Entity | PK | SK |\n|---|---|---|\n| Cart | `CART#{id}` | `META` |\n| Lines | `CART#{id}` | `LINE#` | <-\n",
		"an example of a key":               "| Entity | PK | SK |\n|---|---|---|\n| Cart | `CART#C17` | `META` | <-\n",
		"a key that is cut off":             "| Entity | PK | SK |\n|---|---|---|\n| Cart | `CART#{id}` | `LINE#…` | <-\n",
		"a read of another database":        "### Access patterns\n\n| Pattern | Index | Key |\n|---|---|---|\n| Who paid | Postgres | `payments.id` | <-\n",
		"a value of names alone":            "### Access patterns\n\n| Pattern | Operation | Key |\n|---|---|---|\n| Carts | Query | `PK = shopId#day` | <-\n",
		"what items have below a pattern":   "### Access patterns\n\n#### Carts by day\n\n```text\nGSI1PK: DAY#{day}\nGSI1SK: CART#{time}#{id} <-\n```\n",
		"a filter of either":                "### Access patterns\n\n```js\nKeyConditionExpression: 'PK = :pk',\nFilterExpression: 'total < :most OR attribute_not_exists(paidAt)' <-\n```\n",
		"a filter by another function":      "```python\ntable.query(\n  KeyConditionExpression=Key('PK').eq(pk),\n  FilterExpression=Attr('total').size().gt(3) <-\n)\n```\n",
		"a key condition of a function":     "```python\ntable.query(\n  KeyConditionExpression=Key('PK').eq(pk) & Key('SK').contains(day), <-\n)\n```\n",
		"a name that nothing binds":         "```python\ntable.query(\n  KeyConditionExpression='PK = :pk AND #at BETWEEN :a AND :b', <-\n)\n```\n",
		"a key of variables":                "```js\nawait ddb.send(new DeleteCommand({ TableName: 'shop',\n  Key: { PK, SK }, <-\n}))\n```\n",
		"a filter and nothing else":         "### Access patterns\n\n```js\nFilterExpression: 'total < :most' <-\n```\n",
		"a value that is cut off":           "### Access patterns\n\n| Pattern | Key condition |\n|---|---|\n| Carts | `PK = CART#...` | <-\n",
		"a form in a column of two keys":    "| Entity | PK | SK | GSI1PK / GSI1SK |\n|---|---|---|---|\n| Shop | `SHOP#{id}` | `META` | — |\n| Cart | `CART#{id}` | `META` | `DAY#{day}` + `{time}` | <-\n",
		"a row without a request":           "### Access patterns\n\n| Access pattern | PK | SK condition |\n|---|---|---|\n| Carts by day | GSI `by-day` PK=`DAY#{day}` | — | <-\n",
		"an option of a command":            "```sh\naws dynamodb create-table --table-name shop \\\n  --key-schema AttributeName=PK,KeyType=HASH AttributeName=SK,KeyType=RANGE \\\n  --table-class STANDARD <-\n```\n",
		"a form in a sentence":              "### Cart\n\nIt lies under\n`PK = CART#<id>`. The rest is told there. <-\n",
		"a target that is two":              "### Access patterns\n\n| Pattern | Table/GSI/LSI | Key Condition |\n|---|---|---|\n| Carts | GSI2 and GSI3 | PK=`CART#<id>` | <-\n",
		"an index of no table":              "## Carts Table\n\n| Attribute | Type | Role |\n|---|---|---|\n| id | String | of the cart |\n\n**GSI2** (carts by day):\n- GSI2PK: `DAY#<day>` <-\n",
		"a filter in words beside a key":    "### Access patterns\n\n| Pattern | Operation | Key |\n|---|---|---|\n| Carts | Query | PK = CART#{id}, filter total | <-\n",
		"a constant in a row of a key":      "### Cart\n\n| Attribute | Type | Description |\n|---|---|---|\n| `total` | Number | of all lines |\n| `PK` | String | Constant value of all carts | <-\n",
		"a form with a range of numbers":    "### Attributes\n\n- `PK` (S) = `CART#{00..63}` <-\n",
		"a time to live that may be":        "## Table: `tills`\n\n- Partition key: `id` (S)\n\n### Attributes\n\n- `id` (S)\n- `gone_at` (N, optional TTL) <-\n",
		"the condition of a write":          "### Access patterns\n\n#### Pay a cart\n\nOperation:\n\n```\nPutItem\n```\n\nCondition:\n\n```\ntotal < limit <-\n```\n",
		"a part on another database":        "### Cassandra ledger <-\n\n- Partition key: `day`\n",
		"what nobody is to do":              "### Avoid <-\n\n- Carts: `Query(PK)`\n",
		"a form beside a generic key":       "### Notes Table\n\n- PK: `PK` (S) - Format: `NOTE#{shop}#{day}` <-\n- SK: `SK` (S)\n",
		"two forms of one key":              "### Tills Table\n\n- Partition key: `till` (S) - Format: `{shop}#{no}` or `{no}` <-\n",
		"the items of a list of tables":     "## Core tables\n\n- **sacks**: what a miller fills <-\n",
		"a heading in backticks":            "## `sacks_milled` <-\n",
		"a heading in one word":             "## OldCartsTable <-\n",
		"an index without a name":           "- GSI: partition key `mail` <-\n",
		"a setting in a list of tables":     "| Table | Partition key | Billing |\n|---|---|---|\n| `sacks` | `sack` | as the mill pays | <-\n",
		"a name with placeholders":          "El nombre:\n\n```\n{project}-{stage}-main <-\n```\n",
		"a form of a key among examples":    "## Entity: cart\n\n| Attribute | Type | Example |\n|---|---|---|\n| PK | string | CART#{id} |\n| SK | string | 01#{day}# | <-\n| hue | string | red |\n",
		"a scan that nothing follows":       "### Access patterns\n\n```\n// Scan for all carts <-\nconst all = {\n  TableName: 'shop',\n};\n```\n",
	} {
		lines := strings.Split(before+text, "\n")
		at := 0
		for n, line := range lines {
			if strings.HasSuffix(line, " <-") {
				at, lines[n] = n+1, strings.TrimSuffix(line, " <-")
			}
		}
		document, err := Read([]byte(strings.Join(lines, "\n")))
		require.NoError(t, err)
		if !slices.ContainsFunc(document.Unread, func(u Unread) bool { return u.Line == at }) {
			t.Errorf("%s: expected line %d (%s) to be named as not read, found %v", name, at, lines[at-1], document.Unread)
		}
	}
}

// TestAbsent: what a text may mean, and does not say, is no fact; what it says beside it is one.
func TestAbsent(t *testing.T) {
	const shop = "# Shop\n\n## Table: `shop`\n\n- **Partition key:** `pk` (String)\n- **Sort key:** `sk` (String)\n\n"
	for name, test := range map[string]struct{ text, said, guess string }{
		"values that nobody decided":                          {"# Mill\n\n## Table: `sacks`\n\n- Partition key: `sack` (String)\n- Sort key: `day` or `at` (String)\n- TTL: `gone` (maybe)\n- Billing: on-demand?\n- Stream: NEW_IMAGE (not yet)\n", "table sacks @3\n  HASH sack S @5\nentity", "RANGE"},
		"one of the values of a key":                          {"# Mill\n\n## Table: `kinds`\n\n- Partition key: `kind` (String)\n\nExamples:\n\n```\nkind: \"rye\", title: \"Rye\"\nkind: \"oats\", title: \"Oats\"\n```\n", "HASH kind S @5\nentity kinds", "rye"},
		"an index that is named after what it is for":         {"# Mill\n\n## Table: `sacks`\n\n- Partition key: `sack` (String)\n\n#### 🔹 GSI_MAIL — login by mail\n\n| Attribute | Key type |\n|---|---|\n| `mail` | HASH |\n", "index GSI_MAIL @7 \n    HASH mail", "none"},
		"a TTL that was dropped":                              {shop + "We dropped the TTL attribute `purgeAt`.\n\nUnlike tills, whose TTL attribute is `gone`, carts stay.\n\nWe thought about a TTL attribute `byeAt`.\n", "HASH pk", "ttl"},
		"a bill that a customer asks for":                     {shop + "### Facturation\n\nÀ la demande du client, nous relisons la facture.\n", "HASH pk", "billing"},
		"the cursor of a page":                                {shop + "### Keys\n\n```ts\nconst cursor = { pk: `CART#${id}`, sk: `DAY#${last}` };\nconst topicKey = (id) => ({ pk: `TOPIC#${id}`, sk: `META#${id}` });\n```\n", "entity topic @", "ursor"},
		"calls that are taken back":                           {shop + "## Access patterns\n\n```\nGetItem: pk = CART#<id>, sk = META\nQuery (removed): pk = TILL#<id>\nQuery: pk = SHELF#<id>   # planned\n```\n", "GetItem", "TILL"},
		"a global and a local index with the same keys":       {shop + "- GSI1: partition key `pk`, sort key `day`\n- LSI `by-day`: partition key `pk`, sort key `day`\n", "index GSI1 @8 \n    HASH pk S @8\n    RANGE day  @8\n  index by-day @9", "(GSI1)"},
		"a pair of keys by their names":                       {"# Mill\n\nThe mill uses one table with string partition and sort keys named `PK` and `SK`. It has two indexes:\n\n- `GSI1` (`GSI1PK`, `GSI1SK`) lists the sacks of a miller.\n- `GSI2` (`GSI2PK`, `GSI2SK`) lists those of a day.\n", "HASH PK S @3\n  RANGE SK S @3\n  index GSI1 @5 \n    HASH GSI1PK  @5\n", "none"},
		"a pair of keys that may be":                          {"# Mill\n\n## Table `sacks`\n\n- Partition key: `sack`\n\nEach table may use partition and sort keys named `PK` and `SK`.\n", "HASH sack", "PK"},
		"titles that end in the word for a table":             {"# Mill\n\n## 1. 📦 SackTable\n\n| Key | Pattern |\n|---|---|\n| **PK** | `SACK#<id>` |\n| **SK** | `META` |\n\n## 2. MillTable\n\n| Key | Pattern |\n|---|---|\n| **PK** | `MILL#<id>` |\n| **SK** | `META` |\n\n## 3. TimeTable\n\nOpen from six.\n", "table MillTable @10\n  HASH PK  @14\n", "TimeTable"},
		"a column of an index's key that no item has":         {shop + "## GSI1\n\n| Entity | GSI1PK | GSI1SK |\n|---|---|---|\n| Cart | `DAY#<day>` | - |\n", "HASH GSI1PK", "GSI1SK"},
		"forms of several kinds between bars":                 {shop + "### Carts\n\n- **Cart**: `pk: CART#{id}`, `sk: META|ITEM#{item}`\n- **Till**: `pk: TILL#{id}`, `sk: META`\n", "sk = META @11", "META|"},
		"the start of a page":                                 {shop + "## Access patterns\n\n| Pattern | Operation | Key condition |\n|---|---|---|\n| Carts of a till, by page | Query | pk = TILL#{till}, ExclusiveStartKey = cursor |\n", "pk = TILL#{till}", "cursor"},
		"an index with a number and a name":                   {"# Mill\n\n## Table: `sacks`\n\n- Partition key: `sack` (String)\n- GSI1: partition key `miller`\n\n## Definition\n\n```yaml\nSacks:\n  Type: AWS::DynamoDB::Table\n  Properties:\n    TableName: sacks\n    AttributeDefinitions:\n      - AttributeName: sack\n        AttributeType: S\n      - AttributeName: miller\n        AttributeType: S\n    KeySchema:\n      - AttributeName: sack\n        KeyType: HASH\n    GlobalSecondaryIndexes:\n      - IndexName: MillerIndex\n        KeySchema:\n          - AttributeName: miller\n            KeyType: HASH\n        Projection:\n          ProjectionType: ALL\n```\n", "index MillerIndex @6 ALL\n    HASH miller S", "index GSI1"},
		"a title of the code that reads a table":              {"# Mill\n\n## `mill-sacks` — the table now\n\n- Partition key: `sackId`\n\n## `SackService` — the code\n\n- Primary key: `serviceId`\n", "table mill-sacks @3", "SackService"},
		"a key that is the variable of a program":             {"# Mill\n\n## DynamoDB tables\n\n### `mill-writer`\n\n- Key: `KMS_KEY`\n\n### `mill-sacks`\n\n- Partition key: `sackId`\n", "HASH sackId", "KMS_KEY"},
		"an index that was deleted":                           {shop + "| Index | Keys | Notes |\n|---|---|---|\n| `by-day` | `day`, `at` | of a day |\n| `by-till` | `till` | deleted in May |\n", "index by-day @10", "by-till"},
		"one key below its title and in a label":              {"# Mill\n\n### **Sacks**\n\n**Primary key**:\n- `sack_id` (String, Partition Key - HASH)\n\n**Settings**:\n- Table name: `sacks`\n- Partition key: `sack_id` (String)\n", "HASH sack_id S", "RANGE"},
		"tables of a warehouse beside DynamoDB":               {shop + "## Reports\n\nRows come from DynamoDB.\n\n### Tables\n\n- `fact_carts` - a row each\n- `dim_tills` - tills\n\nAt night a job fills the table `fact_carts`.\n", "table shop", "fact_carts"},
		"tables that a script makes for tests":                {"# Mill on DynamoDB\n\n- Partition key: `id`\n\n## Local development\n\nThe script creates two tables:\n\n- `test-sacks`: sacks\n- `test-mills`: mills\n", "HASH id", "test-"},
		"the keys behind the names of a list":                 {"# Mill\n\nDynamoDB tables:\n\n- `sacks`: PK `sackId`\n- `mills`: PK `millId`\n\nTableName: `sacks`\n", "table sacks", "entity none"},
		"the items of a talk":                                 {"# Talk on DynamoDB\n\n- Sack: PK=SACK#{id}, SK=META\n", "no design document", "HASH"},
		"the items that had been":                             {"# Mill\n\nDynamoDB is gone. The items had been:\n\n- Sack: PK=SACK#{id}, SK=META\n", "no design document", "HASH"},
		"the items of another design":                         {"# Mill on DynamoDB\n\n## Design A: one table\n\n- Sack: PK=SACK#{id}, SK=META\n\n## Design B: by id\n", "no design document", "HASH"},
		"what the form below a head is made of":               {"# Mill\n\nDynamoDB table: `mill`\n\n| Item | PK (`sackId`) | SK (`at`) |\n|---|---|---|\n| Sack | `SACK#<sackId>` | `AT#<at>` |\n", "HASH PK", "HASH sackId"},
		"the word for a role in a head":                       {"# Mill\n\nDynamoDB table: `mill`\n\n| Item | PK (`hash`) | SK (`range`) |\n|---|---|---|\n| Sack | `SACK#<id>` | `AT#<day>` |\n", "HASH PK", "HASH hash"},
		"keys of lines and of a head":                         {"# Mill\n\nDynamoDB table: `mill`\n\n- Partition key: `PK`\n- Sort key: `SK`\n\n| Item | PK | SK (`day`) |\n|---|---|---|\n| Sack | `SACK#<id>` | `AT#<time>` |\n", "RANGE SK", "RANGE day"},
		"the tables of sources":                               {shop + "## Data sources\n\n| Source | Value |\n|---|---|\n| Table | `till_rows` (Oracle) |\n| Partition key | `depot` |\n", "HASH pk", "depot"},
		"a single table beside that of an app":                {"# Mill\n\nWe use a single table named `state` for Terraform; the app's table is `mill`.\n\n- Partition key: `LockID`\n", "HASH LockID", "table state"},
		"a single table beside one of Postgres":               {"# Mill on DynamoDB\n\nWe use a single table named `rows` in Postgres.\n\nUse a single table called `lines` for lines, with PK.\n\n- Sort key: `at`\n", "at", "table lines"},
		"an index that is deleted again":                      {shop + "```sh\naws dynamodb update-table --table-name shop --global-secondary-index-updates '[{\"Create\":{\"IndexName\":\"by-hue\",\"KeySchema\":[{\"AttributeName\":\"hue\",\"KeyType\":\"HASH\"}],\"Projection\":{\"ProjectionType\":\"ALL\"}}}]'\naws dynamodb update-table --table-name shop --global-secondary-index-updates '[{\"Delete\":{\"IndexName\":\"by-hue\"}}]'\n```\n", "HASH pk", "by-hue"},
		"two tables of a line":                                {"# Mill\n\nDynamoDB tables in Terraform: `sacks`, `mills`.\n\n- Sack: PK=SACK#{id}, SK=META\n- Mill: PK=MILL#{id}, SK=META\n", "no design document", "HASH"},
		"the single table of another account":                 {"# Mill on DynamoDB\n\nOur single table with `PK` and `SK` was split. The audit has a single table on `pk` and `sk`.\n", "no design document", "HASH pk"},
		"primary keys beside another database":                {"# Barges in DynamoDB and PostgreSQL\n\n### Barges\n\n- barge_id (primary key)\n\n### Trips\n\n- trip_id (primary key)\n- barge_id (primary key)\n", "no design document", "HASH"},
		"two tables that one sentence calls":                  {"# Mill on DynamoDB\n\n**Example: table `sacks` + `lines`**:\n\n- PK: `SACK#{id}`\n", "", "table sacks"},
		"the table of a lock":                                 {"# Mill on DynamoDB\n\n- PK: `SACK#{id}`\n- SK: `META`\n\nThe Terraform lock uses the `tf-lock` table.\n", "HASH PK", "tf-lock"},
		"a primary key among the fields of a table with keys": {"# Bookings on DynamoDB\n\nTable `bookings`.\n\n- Partition key: `PK`\n- Sort key: `SK`\n\nFields:\n\n- `bookingId` (primary key)\n- `clientId`\n", "HASH PK", "bookingId  @"},
		"primary keys of what is embedded, or a file":         {shop + "### Chapter (embedded in Book)\n\n- `chapterId` (primary key)\n\n### Cover (a file on disk)\n\n- `coverId` (primary key)\n", "HASH pk", "Chapter"},
		"a constant behind a point read":                      {shop + "## Access patterns\n\n- Config — point read on `CONFIG#{s}` / `LATEST`\n", "sk = LATEST", "LATEST ="},
		"a time to live of a type that is no item":            {shop + "## Query parameters\n\n```ts\ninterface ListParams {\n  ttl: number; // Time to live of the signed URL, epoch seconds\n}\n```\n", "HASH pk", "ttl"},
		"indexes that a remark takes back":                    {shop + "## Global secondary indexes\n\n- GSI2: by-tag (PK: tag, SK: at) — dropped in March\n- GSI8: deleted (PK: zone)\n", "HASH pk", "HASH tag"},
		"the type of an idea":                                 {shop + "### Season (idea for v2)\n\n```ts\ninterface Season {\n  PK: string;     // SEASON#<no>\n  SK: string;     // META\n  GSI3PK: string; // YEAR#<year>\n}\n```\n", "HASH pk", "SEASON"},
		"layouts that are compared":                           {"# Layouts of DynamoDB\n\nTable `orders`:\n\n```\nOption   PK            SK\nA        USER#<id>     ORDER#<id>\nB        ORDER#<id>    META\n```\n", "table orders", "entity"},
		"titles of what is replaced":                          {shop + "## Access patterns\n\n- Replace lines: pk = `CART#{id}`, sk begins_with `LINE#`\n- Borrar líneas: pk = `CART#{id}`, sk begins_with `LINE#`\n", "pattern Replace lines", "Query"},
		"a scan by a prefix of no key":                        {shop + "## Access patterns\n\n- Carts — scan (begins_with `CART#`)\n", "HASH pk", "sk, CART#"},
		"indexes of sentences that are to come":               {"# Meters on DynamoDB\n\nThe table `readings` is keyed by `meterId` (HASH) and `at` (RANGE). The GSI `by-city` with `city` as partition key is coming next quarter. Nobody uses the index `by-zone` on `zone`.\n", "HASH meterId", "index"},
		"a word for a member":                                 {shop + "```ts\ninterface Cart {\n  pk: string;      // CART#{id}\n  sk: string;      // META\n  GSI4PK: string;  // OPTIONAL\n}\n```\n", "index GSI4", "OPTIONAL"},
		"a bracket of keys behind a name":                     {shop + "## Global secondary indexes\n\n- GSI2: DriverIndex (PK: driverId; SK: startedAt; KEYS_ONLY)\n", "HASH pk", "HASH DriverIndex"},
		"what an API answers below a label":                   {"# Users on DynamoDB\n\nUsers:\n- id (PK)\n- at (SK)\n\nResponse:\n- id (PK)\n- items (SK)\n", "", "table Response"},
		"the keys of the table, in another order":             {shop + "## Indexes\n\n- GSI8: `SK` / `PK`\n", "HASH pk", "RANGE SK"},
		"the type of an index's key":                          {shop + "| Attribute | Type | Description |\n|---|---|---|\n| `GSI2-PK` | S | `AGENT#{id}` |\n", "HASH pk", "HASH S"},
		"a drawn table of what could be":                      {"# Hotel\n\nThe following is what a table could look like:\n\n```\nAttribute     Key            Type\nhotelId       Partition key  String\n```\n\n## Decision\n\nWe ended up with the DynamoDB table `rooms`.\n\n- Partition key: `room` (String)\n", "table rooms @12\n  HASH room S @14\n", "hotelId"},
		"a drawn table of an old design":                      {"# Chat\n\nThe old design, which we no longer use:\n\n```\nEntity      PK               SK\nAccount     ACC#{id}         META\n```\n\nDynamoDB table `chat`.\n", "table chat", "ACC#"},
		"all attributes but one":                              {"# Van\n\nThe DynamoDB table `vans` has the partition key `van`. The index `by-day` on `day`. It projects all attributes except `notes`.\n", "index by-day", "ALL"},
		"the sort key of a local index":                       {"# Van\n\nThe DynamoDB table `vans` has the partition key `van`. The LSI `by-date` on `at`.\n", "HASH van", "HASH at"},
		"an index that is to come with traffic":               {"# Van\n\nThe DynamoDB table `vans` has the partition key `van`. The GSI `by-day` on `day`, once traffic grows.\n", "HASH van", "HASH day"},
		"a composite key of staging":                          {"# Chat\n\nThe DynamoDB table `chat` has a composite key (`room`, `at`) in staging and `room` alone in production.\n\n## Table: `log`\n\n- Partition key: `day` (String)\n", "table log", "RANGE at"},
		"a table that the design is unlike":                   {"# Rooms\n\nUnlike the `users` table, rooms live in DynamoDB.\n\n| Entity | PK | SK |\n|---|---|---|\n| Room | ROOM#<id> | META |\n", "PK = ROOM#{id}", "table users"},
		"a title of a change in German":                       {shop + "## Zugriffsmuster\n\n- Posten ändern: pk = `CART#{id}`, sk begins_with `LINE#`\n", "pattern Posten ändern", "Query"},
		"a message of a queue":                                {shop + "```ts\ninterface JobMessage {\n  pk: string;   // JOB#{id}\n  sk: string;   // RUN#{n}\n  GSI1PK: string; // WORKER#{w}\n}\n```\n", "HASH pk", "WORKER"},
		"a label on shards":                                   {"# Kinesis and DynamoDB\n\n- Partition key (PK): decides the shard\n- Sort key (SK): decides the order\n\nThis table shows it:\n\n| PK | Shard |\n|---|---|\n| a | 1 |\n", "no design document", "HASH"},
		"a kind of another time":                              {shop + "| Entity | Keys |\n|---|---|\n| Cart | pk=CART#{id}, sk=META |\n| Old cart | pk=OLD#{id}, sk=META |\n", "pk = CART#{id}", "OLD#"},
		"indexes that are gone":                               {shop + "- Indexes: till-index, day-index (deleted)\n", "HASH pk", "till-index"},
		"no index, and a sort key":                            {"# Mill\n\n## Table `mill`\n\n- Index name: none\n- Partition key: `sack`\n- Sort key: `day`\n", "RANGE day", "index"},
		"recovery with a tick that is off":                    {shop + "- ✅ Point-in-time recovery: disabled\n", "pitr disabled", "enabled"},
		"recovery with a tick that is off for now":            {shop + "- ✅ PITR: 35 days (disabled for now)\n", "HASH pk", "enabled"},
		"a word for an index beside its number":               {shop + "## Indexes\n\n- **GSI1**: `GSI1PK`, `GSI1SK`\n\n## Cart\n\n- **Mirror index**: `GSI1PK=USER#<user>`, `GSI1SK=CART#<cart>`\n", "index GSI1", "index Mirror"},
		"examples of fields by the names of keys":             {shop + "#### Example fields:\n- `pk`: `\"cart_0311\"`\n- `total`: `7`\n", "HASH pk", "cart_0311"},
		"recovery with a tick that is off in one place":       {shop + "- ✅ PITR: off in development\n", "HASH pk", "enabled"},
		"recovery that is off in other words":                 {shop + "- PITR: выключен\n", "pitr disabled", "none"},
		"a mode of all tables but one":                        {shop + "Tutte le tabelle usano on-demand, tranne `shop`.\n", "HASH pk", "billing"},
		"constants of one kind":                               {shop + "| Entity | pk | sk |\n|---|---|---|\n| Limit | LIMIT | CARTS |\n| Limit | LIMIT | TILLS |\n", "entity Limit", "none"},
		"the word for a role over a definition":               {"# Mill\n\n## Sacks table\n\n| Item type | PK (`sack_id`) | SK |\n|---|---|---|\n| Sack | `sack_id` | `#META` |\n\n```ts\nnew TableV2(this, 'Sacks', {\n  tableName: 'Sacks',\n  partitionKey: { name: 'sack_id', type: AttributeType.STRING },\n});\n```\n", "HASH sack_id S", "RANGE"},
		"the head of a column that is empty":                  {"# Mill\n\n## Sacks table\n\n| Item type | PK (`sack_id`) | SK |\n|---|---|---|\n| Sack | `SACK#{id}` | *(none, one item)* |\n", "HASH sack_id", "RANGE"},
		"several items of one kind":                           {shop + "| pk | sk | Entity |\n|---|---|---|\n| TILL007 | CART#OPEN | Cart |\n| TILL007 | CART#PAID | Cart |\n| TILL008 | BILL#OPEN | Bill |\n", "HASH pk", "entity"},
		"the key of an index that an item names":              {"# Mill\n\nThe index has to be there:\n\n- **Index name:** `MillIndex`\n- **Partition key:** `millId`\n\n## Table: `sacks`\n\n- Partition key: `sackId`\n- Index name: `ByDay`\n- Partition key: `day` (String)\n- Projection: ALL\n", "table sacks @8\n  HASH sackId  @10\n  index ByDay @11 ALL\n    HASH day S @12\n", "millId"},
		"the form of an index in a fence":                     {shop + "```\npk: `SHOP#{shopId}`\nsk: `CART#{cartId}`\n\nAttributes:\n- made (String)\n\nGSI1:\npk: `SHOP#{shopId}#TYPE#{kind}`\nsk: `CART#{cartId}`\n```\n", "pk = SHOP#{shopId} ", "TYPE#"},
		"a picture behind a word":                             {"# Notes on DynamoDB\n\n- **partition key** of a table\n- **sort key** :point_up:\n\n## Table: `mill`\n\n- PK: `sack`\n", "HASH sack", "point_up"},
		"the tables of other designs":                         {"# Mill\n\n## Example\n\n```ts\nawait db.send(new GetCommand({ TableName: \"Carts\", Key: { cartId } }));\nawait db.send(new GetCommand({ TableName: \"Tills\", Key: { tillId } }));\n```\n\n```ts\nnew Table(this, 'T', { tableName: 'Sacks', partitionKey: { name: 'sackId', type: AttributeType.STRING } });\n```\n\n## Shop\n\n**Access patterns:**\n\n1. Get a till by id\n", "table Sacks", "HASH tillId"},
		"the sort key of another table":                       {"# Mill\n\n## Table: `sacks`\n\n- Partition key: `sackId` (String)\n\n## Access patterns\n\n- Get a miller: `PK=MILLER#{id} AND SK=PROFILE`\n", "HASH sackId", "sackId = MILLER"},
		"a word of another script as a value":                 {shop + "## Access patterns\n\n| Pattern | Operation | pk | sk |\n|---|---|---|---|\n| Keep a cart | PutItem | `SHOP#{id}` | 时间 |\n", "pk = SHOP#{id}", "时间 "},
		"rows PK and SK beside a reference":                   {"# Mill\n\n## Table: `mill-sacks`\n\n| Attribute | Type | Description |\n|---|---|---|\n| `PK` | S | `SACK#<sackId>` |\n| `SK` | S | `METADATA` |\n| `millId` | S | FK to a mill |\n\n## Summary\n\n| Access Pattern | Table | Key/GSI |\n|---|---|---|\n| Get a sack | sacks | PK |\n| Sacks of a mill | sacks | mill-index (PK=millId) |\n", "RANGE SK S @8\nentity mill-sacks @5\n  PK = SACK#{sackId} @7\n  SK = METADATA @8\npattern Get a sack @15 ", "METADATA{"},
		"what an attribute is like":                           {"# Mill\n\n## Table: `sacks`\n\n| Attribute | Type | Notes |\n|---|---|---|\n| `sackId` | String (PK) | UUID |\n| `day` | String (GSI PK) | `YYYY-MM-DD` — local time |\n\n**GSI:** `day-index` on `day`\n", "day = {day} @", "YYYY"},
		"what a value is like":                                {shop + "### Till\n\n- pk: `SHOP#{shopId}`\n- sk: `DAY#YYYY-MM-DD`\n", "sk = DAY#{YYYY-MM-DD}", "none"},
		"indexes of which some are to come":                   {shop + "- GSIs: by-day, by-till (to be added in May)\n- Secondary indexes: by-cart, by-sum (removed)\n", "HASH pk", "index"},
		"a line within a bracket":                             {"# Mill\n\nTable `sacks`: partition key `sackId`. Its index `ByDay` (`millId` HASH,\n`day` RANGE, projection ALL) serves the list of a mill.\n\n## Table: `carts`\n\n- Partition key: `cartId`\n", "HASH cartId", "RANGE day"},
		"a column of roles with forms":                        {"# Mill\n\n## Carts table\n\n| Attribute | Type | Role |\n|---|---|---|\n| PK | String | `CART#<cartId>` |\n| SK | String | `METADATA` |\n| millId | String | Who owns it |\n", "RANGE SK S @8", "none"},
		"the keys of a topic":                                 {shop + "### Kafka topic\n\n| Field | Type |\n|---|---|\n| depot | partition (hash) |\n| at | sort (range) |\n", "HASH pk S @5", "depot"},
		"items that another store keeps":                      {shop + "## Keys\n\n- Log (in S3, not in the table):\n  - pk = `LOG#{day}`, sk = `LINE#{n}`\n- Cart:\n  - pk = `CART#{id}`, sk = `META`\n", "pk = CART#{id}", "LOG#"},
		"keys that nobody is to give":                         {shop + "## Keys\n\n- Wrong:\n  - pk = `ALL`, sk = `{id}`\n- Cart:\n  - pk = `CART#{id}`, sk = `META`\n", "pk = CART#{id}", "ALL"},
		"a sort key that only some have":                      {"# Mill\n\n## Table: `racks`\n\n- Primary key: `rackId`\n- Sort key: `slot` or none\n", "HASH rackId", "RANGE slot"},
		"an index whose key has another's number":             {shop + "| Index | Partition key | Sort key |\n|---|---|---|\n| ByPort | GSI1PK | GSI1SK |\n| GSI1 | ship | loadedAt |\n", "index GSI1 @11 \n    HASH ship  @11", "HASH GSI1PK  @11"},
		"a resource that only sounds like the table":          {"# Shop\n\n## Carts table\n\n- **Partition key:** `cart` (String)\n\n```hcl\nresource \"aws_dynamodb_table\" \"carts\" {\n  name = \"state-locks\"\n  hash_key = \"lock\"\n}\n```\n", "table state-locks @9\n  HASH lock", "table Carts @3\n  HASH lock"},
		"tables of other stores":                              {shop + "## Other stores\n\n| Table | Primary key | Store |\n|---|---|---|\n| users | user_id | Cognito |\n| bills | bill_no | Postgres |\n", "HASH pk", "table users"},
		"entities with identifiers in a list":                 {"# Shop\n\n## Domain entities\n\n1. **Shelf** - where jars stand\n   - Primary key: `shelf`\n2. **Jar** - what is in it\n   - Primary key: `jar`\n\n## The table\n\n| Entity | PK | SK |\n|---|---|---|\n| Jar | `SHELF#{shelf}` | `JAR#{jar}` |\n", "entity Jar", "table Shelf"},
		"a check list":                                        {shop + "- ✅ Table name: `shop-test` dropped\n- ✅ Partition key: `till` tried, and given up\n- ✅ TTL: tested\n- ✅ Index: rebuilt\n- ✅ Billing: on-demand pricing reviewed, provisioned chosen\n", "HASH pk", "table shop @3\n  HASH pk S @5\n  RANGE sk S @6\n  "},
		"the TTL of a cache":                                  {shop + "### TTL configuration\n\nRedis keeps carts for a minute.\n\n- **Attribute**: `maxAge`\n", "HASH pk", "ttl"},
		"a TTL that may come":                                 {shop + "### TTL configuration\n\n- **Attribute**: `gone`\n\nWe may turn it on later.\n", "HASH pk", "ttl"},
		"the TTL of an answer":                                {shop + "### Record\n\n- Name: String\n- TTL: Number, seconds that a resolver keeps it\n", "HASH pk", "ttl"},
		"words in a bracket behind an index":                  {shop + "**GSIs:**\n\n- `ByDayIndex` (planned, later)\n- `ByTillIndex` (KEYS_ONLY, eventually)\n", "HASH pk", "HASH planned"},
		"roles in a bracket behind an index":                  {shop + "**GSIs:**\n\n- `ByDayIndex` (hash, range)\n", "HASH pk", "HASH ByDayIndex"},
		"a kind in the cell of a key":                         {shop + "| Index | Key |\n|---|---|\n| by-day | GSI |\n| by-till | till (planned) |\n", "HASH pk", "HASH GSI"},
		"a tool of the single-table design":                   {"# Shop\n\nSingle-table design using `TypeScript`.\n\n- PK: `PK` (String)\n", "HASH PK", "TypeScript"},
		"the variable of a name":                              {"# Shop\n\nThe table name is `TABLE_NAME`.\n\n- PK: `PK` (String)\n", "HASH PK", "TABLE_NAME"},
		"settings of other services":                          {shop + "## Deploy\n\n| | |\n|---|---|\n| TTL | `cacheFor` in CloudFront |\n| Billing | On-demand for the function |\n", "HASH pk", "ttl"},
		"a limit behind a filter":                             {shop + "## Access patterns\n\n- Open carts: `Query pk = CART#{id}` → filter on `state` in the app → limit 20\n", "pattern Open carts", "limit"},
		"measures of keys":                                    {shop + "## Seen last week\n\n| Record | Value |\n|---|---|\n| worst | `pk=ZONE#{zone}` |\n", "HASH pk", "entity worst"},
		"variables of a tool as examples":                     {shop + "## Variables\n\n| Attribute | Example |\n|---|---|\n| pk | {{baseUrl}} |\n", "HASH pk", "{baseUrl}"},
		"indexes that are not in use":                         {shop + "### Not in use\n\nGSIs: `GoneIndex`, `LostIndex`\n", "HASH pk", "index"},
		"values of one kind":                                  {shop + "### Visit\n\n- pk: `SHOP#{shop}`\n- sk: `VISIT#OPEN` or `VISIT#CLOSED`\n", "HASH pk", "entity"},
		"a form of another time":                              {shop + "### Log\n\n- pk: `SHOP#{shop}`\n- sk: `LOG#{day}` or `ENTRY#{day}` (before March)\n", "HASH pk", "ENTRY"},
		"what an index costs":                                 {shop + "## Costs\n\n- GSI4: write_units + read_units for every change\n", "HASH pk", "index"},
		"a table that another replaces":                       {"# Shop\n\n## `carts-v1` — replaced by carts-v2\n\n- **Partition key:** `cart` (String)\n\n## `carts-v2` — the carts\n\n- **Partition key:** `cart` (String)\n", "table carts-v2", "carts-v1"},
		"a key that begins with the table's name":             {"# Shop\n\n## Table: `shop`\n\n- PK: `PK` (String)\n- SK: `SK` (String)\n\n## Access patterns\n\n- A shop: `GetItem(\"SHOP#{id}\", \"META\")`\n", "PK = SHOP#{id}", "PK = META"},
		"the arguments of a module":                           {shop + "## Inputs\n\n| Name | Type | Description |\n|---|---|---|\n| `hash_key` | string | Partition key |\n", "HASH pk", "hash_key"},
		"tables with their indexes behind":                    {"# Shop\n\n| Table | Partition key | Sort key | GSI |\n|---|---|---|---|\n| `carts` | `cartId` | | `ByUserIndex` (userId, openedAt) |\n", "index ByUserIndex @5 \n    HASH userId", "HASH cartId  @5\n    RANGE"},
		"a table that is gone":                                {"# Shop\n\n## Removed Tables\n\n### `shop-old`\n\n- **Partition key:** `oldId` (String)\n\n## Table: `carts`\n\n- **Partition key:** `cartId` (String)\n", "table carts", "shop-old"},
		"expiry that is off for now":                          {shop + "- **TTL**: `gone` (currently disabled: all is kept)\n", "HASH pk", "ttl"},
		"a request for a diagnosis":                           {shop + "## Issue 2: old carts\n\n```sh\naws dynamodb query --table-name shop --key-condition-expression \"pk = :pk\" --expression-attribute-values '{\":pk\":{\"S\":\"CART#1\"}}'\n```\n", "HASH pk", "pattern"},
		"two tables in one cell":                              {shop + "## Table: `tills`\n\n- **Partition key:** `till` (String)\n\n## Access patterns\n\n| Pattern | Table | Operation |\n|---|---|---|\n| Close a till | shop + tills | PutItem + UpdateItem |\n", "HASH till", "till @15 PutItem"},
		"a command that verifies a table":                     {shop + "## Verification\n\n```sh\naws dynamodb query --table-name shop --key-condition-expression \"pk = :pk\" --expression-attribute-values '{\":pk\":{\"S\":\"CART#1\"}}'\n```\n", "HASH pk", "pattern"},
		"a request of a migration":                            {shop + "### Migration script\n\n```python\ntable.query(KeyConditionExpression=Key('pk').eq(cart))\n```\n", "HASH pk", "pattern"},
		"a value that is somebody's":                          {shop + "## Access patterns\n\n- Better carts: Query `GSI1` with total > till's total\n", "HASH pk", "total > till"},
		"a value that is cut off":                             {shop + "## Access patterns\n\n| Pattern | Key condition |\n|---|---|\n| Lines | `pk = CART#... AND sk begins_with LINE#` |\n", "begins_with(sk, LINE#)", "CART#.. "},
		"a choice of constants in a key":                      {shop + "### Cart\n\n- `pk`: `DAY#${'MON' | 'SUN'}`\n- `sk`: `CART#<id>`\n", "HASH pk", "MON"},
		"a constant of an index":                              {shop + "### GSI1\n\n- Partition key: `kind` (String)\n\n## Cart\n\n| Attribute | Type | Notes |\n|---|---|---|\n| `pk` | String | `CART#<id>` |\n| `kind` | String | always `cart` |\n", "HASH pk", "kind = {kind}"},
		"a projection of both of three indexes":               {shop + "- GSI1: `day` (PK)\n- GSI2: `till` (PK)\n- GSI3: `user` (PK)\n\nBoth GSIs project ALL.\n", "index GSI3", "ALL"},
		"a projection of all indexes but one":                 {shop + "- GSI1: `day` (PK)\n\nAll GSIs project ALL except GSI1.\n", "index GSI1", "ALL"},
		"a projection that all indexes should have":           {shop + "- GSI1: `day` (PK)\n\nAll GSIs should project ALL.\n", "index GSI1", "ALL"},
		"a projection that all indexes had":                   {shop + "- GSI1: `day` (PK)\n\n## Legacy\n\nAll GSIs project ALL.\n", "index GSI1", "ALL"},
		"expiry by an attribute that is text":                 {shop + "- `gone` (String): TTL attribute\n", "HASH pk", "ttl"},
		"expiry by no attribute":                              {shop + "- `gone` (Number): DynamoDB TTL attribute, not enabled\n", "HASH pk", "ttl"},
		"expiry by no attribute of a table of them":           {shop + "### Attributes\n\n| Attribute | Type | Remark |\n|---|---|---|\n| `gone` | N | DynamoDB TTL attribute, not enabled |\n", "HASH pk", "ttl"},
		"the TTL of a token in a table of attributes":         {shop + "### Attributes\n\n| Attribute | Type | Remark |\n|---|---|---|\n| `ttl` | N | seconds until a token expires |\n", "HASH pk", "ttl ttl"},
		"modes that are weighed":                              {shop + "## Modes\n\n- On-demand — while the load is unknown\n- Provisioned — once it is steady\n", "HASH pk", "billing"},
		"a sentence on who has access":                        {shop + "## Cart\n\n**Access:** `Query carts` for staff, `pk` for others.\n", "HASH pk", "pattern Cart"},
		"recovery in production":                              {shop + "Turn it on for production:\n\n```sh\naws dynamodb update-continuous-backups --table-name shop --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true\n```\n", "HASH pk", "pitr"},
		"a command for a table that nobody defines":           {shop + "```sh\naws dynamodb update-time-to-live --table-name carts --time-to-live-specification Enabled=true,AttributeName=gone\n```\n", "HASH pk", "ttl"},
		"expiry that a command turns off":                     {shop + "```sh\naws dynamodb update-time-to-live --table-name shop --time-to-live-specification Enabled=false,AttributeName=gone\n```\n", "HASH pk", "ttl"},
		"a command that is a comment":                         {shop + "```sh\n# aws dynamodb update-time-to-live --table-name shop --time-to-live-specification Enabled=true,AttributeName=gone\n```\n", "HASH pk", "ttl"},
		"recovery that a command turns off":                   {shop + "To roll back:\n\n```sh\naws dynamodb update-continuous-backups --table-name shop --point-in-time-recovery-specification PointInTimeRecoveryEnabled=false\n```\n", "HASH pk", "pitr"},
		"a comment for a linter":                              {shop + "## Query examples\n\n```js\n// eslint-disable-next-line no-await\nconst r = await ddb.send(new QueryCommand({ TableName: 'shop', KeyConditionExpression: 'pk = :p' }))\n```\n", "pattern Query examples", "eslint"},
		"a filter that takes out":                             {shop + "## Query examples\n\n```js\nconst r = await ddb.send(new QueryCommand({ TableName: 'shop', KeyConditionExpression: 'pk = :p', FilterExpression: 'NOT contains(tags, :t)' }))\n```\n", "pattern Query examples", "contains"},
		"an order that is not descending":                     {shop + "## Access patterns\n\n| Pattern | Operation | Key | Order |\n|---|---|---|---|\n| Carts | Query | `pk = CART#{id}` | not descending |\n", "pattern Carts", "descending"},
		"forms of an index that nobody is to use":             {shop + "### GSI1\n\n- Partition key: `GSI1PK` (String)\n- Sort key: `GSI1SK` (String)\n- Never use: `GSI1PK = OLD#{id}`, `GSI1SK = {at}`\n", "RANGE GSI1SK S", "OLD#"},
		"a title of what is gone with its forms":              {shop + "### Old cart (removed) — `pk=OLD#{id} sk=META`\n\nGone since May.\n", "HASH pk S", "OLD#"},
		"a filter of either value":                            {shop + "## Access patterns\n\n| Pattern | Operation | Key | Filter |\n|---|---|---|---|\n| Carts | Query | `pk = CART#{id}` | status = open or held |\n", "pattern Carts", "status = open"},
		"a comment on what comes back":                        {shop + "## Query examples\n\n```js\n// Returns the cart\nconst r = await ddb.send(new QueryCommand({ TableName: 'shop', KeyConditionExpression: 'pk = :p' }))\n```\n", "pattern Query examples", "Returns"},
		"expiry by a type":                                    {shop + "- TTL: Number (epoch seconds)\n", "HASH pk", "ttl Number"},
		"words before the marked name of a table":             {"# Shop\n\n## Table\n\n- Table name: environment-specific (`shop-<env>`)\n- Partition key: `pk` (String)\n", "HASH pk", "environment-specific"},
		"recovery that all tables lack":                       {shop + "All tables use PITR disabled and deletion protection enabled.\n", "HASH pk", "pitr"},
		"recovery that no table has":                          {shop + "All tables use on-demand billing, and no table has PITR enabled.\n", "HASH pk", "pitr"},
		"recovery of another store":                           {shop + "PITR is enabled on the Aurora cluster.\n", "HASH pk", "pitr"},
		"recovery to come":                                    {shop + "PITR is on hold.\n", "HASH pk", "pitr"},
		"recovery that is asked for":                          {shop + "PITR is enabled?\n", "HASH pk", "pitr"},
		"billing of a stream":                                 {shop + "Billing is on-demand for the Kinesis stream.\n", "HASH pk", "billing"},
		"billing of one stage":                                {shop + "Billing is on-demand in the sandbox; production is provisioned.\n", "HASH pk", "billing"},
		"expiry by a job":                                     {shop + "TTL by `cron`: a job deletes rows.\n", "HASH pk", "ttl"},
		"expiry of a collection":                              {shop + "TTL on the `sessions` collection.\n", "HASH pk", "ttl"},
		"a setting that is left to do":                        {shop + "## To do\n\nBilling is on-demand.\n", "HASH pk", "billing"},
		"an index on an attribute":                            {"# Shop\n\n## Table: `shop`\n\n- Partition key: `pk` (String)\n\n## Table: `tills`\n\n- Partition key: `no` (Number)\n\n## Table: `day`\n\n- Partition key: `id` (String)\n\n### GSI5: depends on `shop`\n\n- Partition key: `at` (String)\n", "table day @11\n  HASH id S @13\n  index GSI5", "none"},
		"recovery of one of two":                              {"# Shop\n\n## Table: `shop`\n\n- Partition key: `pk` (String)\n\n## Table: `tills`\n\n- Partition key: `no` (Number)\n\n## Backup\n\n- Point-in-time recovery: enabled on `tills`\n", "HASH pk", "pitr"},
		"capacity of a queue":                                 {"# Shop\n\n## Table: `shop`\n\n- Partition key: `pk` (String)\n\n## Table: `tills`\n\n- Partition key: `no` (Number)\n\n## Capacity of the queue\n\n- Capacity: on-demand\n", "HASH pk", "billing"},
		"keys of items that are gone":                         {shop + "## Old items\n\n- GSI2PK: `OLD#<id>`\n", "HASH pk", "index GSI2"},
		"a key that nobody writes":                            {shop + "### Cart\n\n| Attribute | Type | Note |\n|---|---|---|\n| GSI6PK | String | no longer written |\n", "HASH pk", "index GSI6"},
		"types of keys of items":                              {shop + "### GSI1\n\n- Partition key: `GSI1PK` (String)\n\n### Cart\n\n- PK: `CART#<id>`\n- SK: `META`\n- GSI1PK: S\n", "pk = CART#{id}", "GSI1PK = S"},
		"a title of an index that is gone":                    {shop + "**GSI4-ByDay**: dropped in March\n", "HASH pk", "index"},
		"a value below the title of an index":                 {shop + "### GSI1: by colour\n\n- Partition key: `colour` (String)\n- Of one: `colour = red_or_green`\n- Of two: `colour = \"red@till\"`\n", "HASH colour S", "colour ="},
		"half of the keys below the title of an index":        {shop + "### GSI1: by day\n\n- Partition key: `GSI1PK` (String)\n- Sort key: `GSI1SK` (String)\n- Carts of a day: `GSI1PK = DAY#{day}`\n", "RANGE GSI1SK S", "GSI1PK ="},
		"items of two tables":                                 {"# Shop\n\n## Cart table: `carts`\n\n- Partition key: `pk` (String)\n\n## Till table: `tills`\n\n- Partition key: `pk` (String)\n\n## Cart table and till table items\n\n```\npk: CART#{id}\n```\n", "table tills", "CART#{id}"},
		"a state before the key of an example":                {shop + "- GSI1: `GSI1PK` (PK), `GSI1SK` (SK)\n\n### Cart\n\n```json\n{\"pk\": \"CART#7\", \"sk\": \"META\", \"id\": \"7\", \"state\": \"OPEN\", \"GSI1PK\": \"CART#7\", \"GSI1SK\": \"OPEN#7\"}\n```\n", "GSI1PK = CART#{id}", "OPEN#"},
		"a sentence with ALL":                                 {shop + "- GSI1: `day` + `id` - ALL orders of a day\n", "index GSI1", "ALL"},
		"a member that is gone":                               {shop + "```ts\ninterface Cart {\n  x: string // GSI2 PK, no longer written\n}\n```\n", "HASH pk", "index GSI2"},
		"forms in brackets behind keys":                       {"# Shop\n\n## Table: `shop`\n\n- `PK` (partition key: `USER#<id>`)\n- `SK` (sort key: `ORDER#<id>`)\n", "RANGE SK", "none"},
		"a sort key that is none":                             {"# Shop\n\n## Table: till\n\n- **Partition Key**: `kind` (String)\n- **No Sort Key** - one item of each kind\n", "HASH kind S", "RANGE"},
		"a title that ends with a role":                       {"# Shop\n\n## Table: till\n\n- **Partition Key**: `kind` (String)\n- **Day Sort Key** - see below\n", "HASH kind S", "RANGE"},
		"a sort key that is none in Spanish":                  {"# Shop\n\n## Table: till\n\n- **Partition Key**: `kind` (String)\n- **Sort Key**: ninguna\n", "HASH kind S", "RANGE"},
		"a role and a sentence behind it":                     {"# Shop\n\n## Table: till\n\n| Attribute | Type | Notes |\n|---|---|---|\n| kind | S | PK. **Reserved** word |\n| day | S | SK |\n", "HASH kind S", "none"},
		"an index in a remark":                                {shop + "### GSI1\n\n- Partition key: `GSI1PK` (String)\n\n## Access patterns\n\n| Pattern | PK | Filter/GSI |\n|---|---|---|\n| Carts of a day | `DAY#{day}` | Using GSI1 |\n", "  GSI1PK = DAY#{day}", "none"},
		"an index that is not taken":                          {shop + "### GSI1\n\n- Partition key: `GSI1PK` (String)\n\n## Access patterns\n\n| Pattern | PK | Filter/GSI |\n|---|---|---|\n| Carts of a day | `DAY#{day}` | Not GSI1 |\n", "index GSI1", "Carts of a day @16  "},
		"a form in a sentence":                                {shop + "## Orders\n\nThe rows of an order stand under\n`pk = ORDER#<id>`. The sort key tells which.\n\nA pointer lies at\n`sk = CART#<id>`. Nothing else has it.\n", "HASH pk", "entity Orders"},
		"the values of one item":                              {shop + "## Till\n\n```\npk: TILL#NORTH\nsk: #META\ntillId: NORTH\n```\n", "HASH pk", "TILL#NORTH"},
		"constants of a kind of item":                         {shop + "## Settings\n\n```\npk: SETTINGS\nsk: GLOBAL\n```\n", "pk = SETTINGS", "none"},
		"values below an attribute":                           {shop + "## Cart\n\n- `pk = CART#<id>`\n- `sk = META`\n\nAttributes:\n\n- `total`\n- `state`:\n  - `open`\n  - `paid`\n", "attribute total", "attribute open"},
		"a target that is two":                                {shop + "## Access patterns\n\n| Pattern | Table/GSI/LSI | Key Condition |\n|---|---|---|\n| A cart | Table | pk=`CART#<id>` and sk=`META` |\n| Carts of a till | GSI2 and GSI3 | pk=`TILL#<id>` |\n", "pattern A cart", "Carts of a till @13 \n  "},
		"one of two operations":                               {shop + "## Access patterns\n\n| Pattern | Operation |\n|---|---|\n| A cart | `GetItem` |\n| Reserve a cart | `GetItem` / conditional `Put` |\n", "pattern A cart @12 GetItem", "Reserve a cart @13 GetItem"},
		"a request and another":                               {shop + "## Access patterns\n\n- **A cart** — `GetItem(pk=CART#<id>, sk=META)`\n- **Empty a cart** — `Query(pk=CART#<id>)` then `BatchWriteItem` deletes\n", "pattern A cart", "pattern Empty a cart @12 Query"},
		"half of a key":                                       {"# Log\n\n## Log table\n\n- `pk` (`S`) — the entity\n- `sk` is what its writer chose\n", "table", "HASH pk"},
		"a whole key with long remarks":                       {"# Log\n\n## Log table\n\n- `pk` (`S`) — the entity of which the row tells, whatever it is\n- `sk` (`N`) — its place in the order of events (`1, 2, 3, …`)\n", "RANGE sk N", "none"},
		"a role before a dash":                                {"# Visits\n\n## Tables\n\n### `visits`\n\n| Attribute | Type | Description |\n|---|---|---|\n| `patient` | S (String) | **Partition key** — a UUID |\n| `clinic` | S (String) | **Sort key** — of the clinic, and the visit |\n", "RANGE clinic S", "none"},
		"a name below a heading":                              {"# Films\n\n### 1. Persons Table\n\n**Name:** `films-person-{env}` (e.g., `films-person-dev`)\n\n| Attribute | Type | Role |\n|---|---|---|\n| `id` | String | Partition key |\n", "table films-person-{env}", "table Persons"},
		"the only capacity of a command":                      {"# Shop\n\n```sh\naws dynamodb create-table --table-name shop \\\n  --key-schema AttributeName=id,KeyType=HASH \\\n  --provisioned-throughput ReadCapacityUnits=5,WriteCapacityUnits=5\n```\n", "billing PROVISIONED", "none"},
		"a prefix in another spelling":                        {shop + "## Access patterns\n\n| Pattern | Key Condition |\n|---|---|\n| Lines of a cart | pk=`\"CART#${id}\"` and sk `startsWith(\"LINE#\")` |\n", "begins_with(sk, LINE#)", "none"},
		"words before an index's name":                        {shop + "**Global Secondary Indexes**:\n\n1. **Till-Day Index** (`till-day-index`)\n   - Partition Key: `till`\n   - Sort Key: `day`\n", "index till-day-index", "index Till-Day"},
		"an index's number and name":                          {shop + "### GSI1 — by till\n\n**Index name:** `gsi1-by-till`\n", "index gsi1-by-till", "index GSI1"},
		"one of two indexes":                                  {shop + "## Access patterns\n\n| Access pattern | Operation |\n|---|---|\n| A day | `Query` GSI1 by day |\n| Late carts | `Query` GSI1/GSI2 with a bound |\n", "pattern A day @12 Query", "Late carts @13 Query"},
		"a section of several kinds":                          {shop + "## All of our keys\n\n| Objeto | PK | SK |\n|---|---|---|\n| Till | `TILL#<id>` | `META` |\n| Cart | `TILL#<id>` | `CART#<id>` |\n", "entity cart", "entity All"},
		"sections of roles":                                   {"# Plays\n\n## daily_plays\n\n| Attribute | Key role | Type |\n|---|---|---|\n| `genre` | Partition key | S |\n| `day` | Sort key | S |\n\n## top_songs\n\n| Attribute | Key role | Type |\n|---|---|---|\n| `genre_day` | Partition key | S |\n", "table top_songs @10\n  HASH genre_day S", "none"},
		"a type behind a role":                                {"# W\n\n## Table\n\n- **Table Name**: `w-{env}`\n- **Primary Key**:\n  - **Hash Key (PK)**: String - Partition key of all\n  - **Range Key (SK)**: String - Sort key of all\n", "HASH PK S", "String"},
		"a sort key that has no forms":                        {"# Model\n\n## Table Designs\n\n### Parts Table\n\n- **Aggregate Boundary**: a part\n- **Partition Key**: `part` (String) - its number\n- **Sort Key**: none\n- **SK Taxonomy**: n/a.\n- **Access Patterns Served**: #1\n", "HASH part S", "none"},
		"a type with its letter":                              {"# W\n\n## Table: `w`\n\n- **Partition Key (PK)**: `String (S)`\n- **Sort Key (SK)**: `String (S)`\n", "HASH PK S @5\n  RANGE SK S", "String"},
		"marks between placeholders":                          {shop + "## Access patterns\n\n1. Carts by level\n   - GSI1PK: CART#__<till>__\n   - GSI1SK: __<level>__#__<day>__\n", "HASH pk", "GSI1PK"},
		"a row of two requests":                               {shop + "## Access patterns\n\n| Pattern | pk | sk | GSI1PK |\n|---|---|---|---|\n| A cart | `CART#<id>` | `META` | |\n| Carts | `CART#<id>` | `META` | `DAY#<day>` |\n", "pattern A cart", "pattern Carts @13 \n  "},
		"rows of numbers":                                     {shop + "## Access patterns\n\n| Patterns | pk | sk |\n|---|---|---|\n| 1. | `CART#<id>` | `META` |\n| 7+8 | `TILL#<id>` | `META` |\n", "HASH pk", "pattern"},
		"a function as a value":                               {shop + "## Access patterns\n\n- A cart: `GetItem(pk=\"CART#{id}\", sk=\"META\")`\n- Carts of a till: `Query(pk=\"TILL#{id}\", sk=\"begins_with\", \"CART#\")`\n", "pattern A cart", "@11 Query"},
		"a request far below its title":                       {shop + "## Backend\n\n### 1. Store a cart\n\n**Endpoint**: `PUT /carts`\n\n**Function**: stores what the till has\n\n```js\nconst cart = JSON.parse(body);\nawait db.send(new PutItemCommand({\n  TableName: 'shop',\n  Item: cart,\n}));\n```\n", "pattern Store a cart @10 PutItem", "@19"},
		"a request below its operation":                       {shop + "## Access patterns\n\n#### Carts of a till\n\n**Access Pattern**: Query main table\n\n```plain\npk = TILL#{id}\n```\n", "pattern Carts of a till @10 Query", "pattern Carts of a till @15"},
		"an example of a table without a name":                {"# Mail\n\n## Main table\n\n**Profile**\n\n```typescript\n{ PK: \"SUB#a\", SK: \"PROFILE\", id: \"a\" }\n```\n\n## Events table\n\n| PK | SK |\n|---|---|\n| `SUB#<id>` | `EVT#<at>` |\n", "Events", "entity Profile"},
		"values of one item in a row":                         {"# Law\n\n| Access pattern | PK | SK | Index |\n|---|---|---|---|\n| A clause | `STATE#MO` | `CLAUSE#ART09` | base |\n| Versions | `URN#<urn>` | `VERSION#2024-11-05` | base |\n", "pattern A clause @5 \n  PK = \n", "STATE#MO"},
		"a word that may be a parameter":                      {shop + "## Access patterns\n\n| Pattern | Key Condition |\n|---|---|\n| Best of a time | pk = BOARD#period, limit 5 |\n", "pk = \n", "BOARD#period"},
		"a value that a list gives":                           {shop + "```js\nconst a = await db.query({\n  TableName: 'shop',\n  KeyConditionExpression: 'pk = :till',\n  ExpressionAttributeValues: { ':till': found.Items[0].till },\n});\n```\n", "pk = {till}", "{Items}"},
		"a part of a value in quotes":                         {shop + "## Access patterns\n\n| Pattern | Operation | Partition key value | Sort key value |\n|---|---|---|---|\n| Join | PutItem | pk=\\<till\\> | sk=\"JOIN:\"\\<room\\> |\n", "pk = {till}", "JOIN"},
		"a sign in a value":                                   {shop + "## Access patterns\n\n```\nKeyConditionExpression: pk = TILL#NORTH AND sk begins_with CART#\n```\n", "begins_with(sk, CART#)", "TILL{NORTH}"},
		"a rule on names":                                     {shop + "## Conventions\n\n### Names\n\n- **pk format**: `{KIND}#{ID}`\n- **sk format**: one or more words\n", "HASH pk", "entity"},
		"a rule on names with one word":                       {shop + "## Conventions\n\n### Names\n\n- **pk format**: `{KIND}#{ID}`\n- **sk format**: `{SUBTYPE}` or `{KIND}#{ID}`\n", "HASH pk", "entity"},
		"a map for the name of a value":                       {shop + "## Carts Table\n\n```json\n{\n  \"meta\": {\n    \"M\": {\n      \"S\": { \"S\": \"x\" }  // PK\n    }\n  }\n}\n```\n", "HASH pk", "HASH M"},
		"types for the names of values":                       {shop + "## Carts Table\n\n```json\n{\n  \"cart_id\": {\n    \"S\": \"c-1\"  // PK\n  },\n  \"till\": {\n    \"S\": \"t-1\"  // SK (part), GSI1 PK\n  },\n  \"size\": { \"M\": { \"N\": \"1\" } }\n}\n```\n", "HASH cart_id S", "RANGE till"},
		"half a key of a kind of item":                        {shop + "### Till\n\n- `pk = TILL#<id>`\n- the rest is told there\n", "HASH pk", "entity"},
		"a composed value of a key":                           {"# Visits\n\n## Tables\n\n### `visits`\n\n| Attribute | Type | Description |\n|---|---|---|\n| `patient` | S | **Partition key** |\n| `clinic` | S | **Sort key** — composite: `{clinic}#{visit}` |\n", "patient = {patient}", "clinic = "},
		"attributes of all kinds":                             {"# Complaints\n\nTable: `complaints`\n\n- Partition key: `pk` (String)\n\n## Keys\n\n| PK | SK | Sample |\n|---|---|---|\n| C1 | meta | agent |\n\n- Global Secondary Indexes:\n\n  1. **By_Agent_GSI**\n     - Partition key: agent\n\n## Data model attributes\n\n- **pk**: Partition key\n- **agent** (String): who has it\n", "index By_Agent_GSI", "entity Complaints"},
		"words of the field for a name":                       {"# Guide\n\n**Entity-Key Table**:\n\n| Entity | PK | SK |\n|---|---|---|\n| Cart | `CART#<id>` | `META` |\n", "entity Cart", "Entity-Key"},
		"an object of types":                                  {shop + "## Cart\n\n```json\n{\n  \"id\": \"string (UUID)\",\n  \"state\": \"string\"\n}\n```\n", "HASH pk", "example"},
		"remarks that are roles elsewhere":                    {"# Shop\n\n## Table: `users`\n\n- Partition key: userId (String)\n\nAttributes:\n\n- password: hash\n- price: range\n", "HASH userId S", "password"},
		"a command behind a place":                            {shop + "## Access patterns\n\n| Pattern | Source | Key condition |\n|---|---|---|\n| A cart | shop (GetCommand) | pk=`CART#<id>` and sk=`META` |\n| Carts | shop (BatchGet) | pk=`CART#<id>` and sk=`META` |\n", "pattern Carts @13 BatchGetItem", "GetCommand"},
		"a word beside an index's number":                     {shop + "## GSIs\n\n- GSI1: sparse\n  - Partition key: `day`\n- GSI2: read-only\n  - Partition key: `at`\n- GSI3: cartsByDay\n  - Partition key: `of`\n", "index GSI1 @10 \n    HASH day  @11\n  index GSI2 @12 \n    HASH at  @13\n  index cartsByDay @14", "read-only"},
		"the costs of an index":                               {shop + "## Costs\n\n- GSI2: storage + writes\n", "HASH pk", "storage"},
		"outlines of what is not built":                       {shop + "## Storage\n\nWe rejected this:\n\n```\nTable: orders_v1\nPartition key: id\n```\n\n### Before\n\n```\nTable: orders_v2\nPartition key: id\n```\n\n### Avoid\n\nThis is hot.\n\n```\nTable: orders_v3\nPartition key: id\n```\n", "HASH pk", "orders_v"},
		"an index for another way":                            {shop + "### GSI2 - by day (alternative)\n\n- Partition key: `GSI2PK`\n", "HASH GSI2PK", "planned"},
		"both keys of an index in one column":                 {shop + "### GSI1\n\n- PK: `GSI1PK`\n- SK: `GSI1SK`\n\n## Items\n\n| Entity | pk | sk | GSI1PK / GSI1SK |\n|---|---|---|---|\n| Till | `TILL#<id>` | `META` | — |\n| Cart | `CART#<id>` | `META` | `TILL#<till>` / `DAY#<day>` |\n", "GSI1PK = TILL#{till} @18\n  GSI1SK = DAY#{day}", "none"},
		"an attribute beside a form of an index":              {shop + "### GSI1\n\n- PK: `GSI1PK`\n- SK: `GSI1SK`\n\n## Items\n\n| Entity | pk | sk | GSI1PK / GSI1SK |\n|---|---|---|---|\n| Till | `TILL#<id>` | `META` | `TYPE#TILL` / made_at |\n| Cart | `CART#<id>` | `META` | `TYPE#CART` / `open` |\n", "GSI1PK = TYPE#TILL @17\n  GSI1SK = {made_at}", "{open}"},
		"a column of more than both keys":                     {shop + "### GSI1\n\n- PK: `GSI1PK`\n- SK: `GSI1SK`\n\n## Items\n\n| Entity | pk | sk | GSI1PK / GSI1SK |\n|---|---|---|---|\n| Till | `TILL#<id>` | `META` | `A#<a>` |\n| Cart | `CART#<id>` | `META` | `TILL#<till>` / `DAY#<day>` |\n", "entity Cart", "GSI1PK = "},
		"a title of two things":                               {"# Shop - access patterns & schema\n\n| Entity | PK | SK |\n|---|---|---|\n| Cart | `CART#<id>` | `META` |\n\n**Till Item**\n\n```\nPK:  TILL#<id>\nSK:  META\n```\n", "entity Cart", "pattern"},
		"a word in the bracket of a title":                    {shop + "### 5b. CartLinks (new: a lookup of carts)\n\n```\npk: cart#till  (both)\nAttributes: cart\n```\n", "HASH pk", "pattern"},
		"sections of kinds of items":                          {"# Hall\n\n## Guest\n\n| Attribute | Key | Form |\n|---|---|---|\n| PK | PK | `GUEST#<id>` |\n\n## Seat\n\n| Attribute | Key | Form |\n|---|---|---|\n| PK | PK | `SEAT#<id>` |\n", "HASH PK", "table Guest"},
		"a range of numbers":                                  {"# Shop\n\n## Table: `carts`\n\n- Partition key: `id` (String)\n\n### Attributes\n\n- `id` (S)\n- `gsi1_pk` (S) = `STATE#{state}#{00..63}`\n- `gsi1_sk` (S) = `CART#{id}`\n\n### GSIs\n\n1. **GSI1 `by-state`** (`gsi1_pk`, `gsi1_sk`)\n", "gsi1_sk = CART#{id}", "gsi1_pk = "},
		"words joined by a sign":                              {"# Quiz\n\n## Questions Table\n\n| Attribute | Type | Key | Description |\n|---|---|---|---|\n| id | String | Partition Key | of the question |\n| subject | String | Sort Key | Subject#Level |\n| text | String | - | what is asked |\n", "RANGE subject S", "Subject#Level"},
		"what an update sets":                                 {shop + "## Access patterns\n\n| Pattern | Operation |\n|---|---|\n| Pay a cart | UpdateItem(pk=CART#<id>, sk=META) SET state=PAID with condition state=OPEN |\n", "sk = META", "state"},
		"an index in the column of a key":                     {shop + "## Access patterns\n\n| Access pattern | pk | sk |\n|---|---|---|\n| A cart | `CART#{id}` | `META` |\n| Carts of a day | GSI1 | |\n", "pattern A cart", "{GSI1}"},
		"a name and an arrow before keys":                     {shop + "- **GSI-1**: `by-day-index` → PK: `day`, SK: `at`\n", "index by-day-index @8 \n    HASH day  @8\n    RANGE at  @8", "HASH by-day-index"},
		"keys below the line of an index":                     {"# Shop\n\n## Carts Table\n\n**Table Name**: `carts`\n\n| Attribute | Type | Key |\n|---|---|---|\n| id | String | Partition Key |\n| day | String | - |\n\n**GSI 1**: day-index\n- Partition Key: day\n", "HASH id S @9\n  index day-index @12 \n    HASH day", "none"},
		"an index of the name of another":                     {"# Shop\n\n## Carts Table\n\n- Partition key: `id` (String)\n\n### GSI1\n\n- PK: `day`\n\n## Tills Table\n\n- Partition key: `id` (String)\n\n### GSI1\n\n- PK: `place`\n\n## Access patterns\n\n| Pattern | Table | Key condition |\n|---|---|---|\n| Tills of a place | Tills GSI1 | PK = `PLACE#{place}` |\n", "pattern Tills of a place @23 Query GSI1\n  place = PLACE#{place}", "  day = PLACE"},
		"a header that is no name":                            {"# Shop\n\nIn code the keys are `pk` and `sk`.\n\n| Entity | PK | SK |\n|---|---|---|\n| Cart | `CART#<id>` | `META` |\n\n## Table: `shop`\n\n- Partition key: `pk` (String)\n- Sort key: `sk` (String)\n", "HASH pk S", "PK"},
		"rows of single items":                                {"# Bank\n\n## Table: `bank`\n\n| PK | SK | Attribute |\n|---|---|---|\n| *month* | *id* | *text* |\n| 2020-12 | txn_1 | a |\n", "table bank", "HASH"},
		"names in one cell":                                   {"# Shop\n\n## Table: `tills`\n\n| Key | Attribute | Type |\n|---|---|---|\n| PK | `id` | S |\n| - | `width`, `height` | N |\n| - | `place` | S |\n", "attribute height", "none"},
		"a remark on TTL":                                     {shop + "## Attributes\n\n- `pk` (S)\n- `expires_at` (N, epoch sec, TTL)\n", "ttl expires_at", "none"},
		"a key that is the part of a value":                   {"# Queue\n\n| Table | Partition key |\n|---|---|\n| `Counters` | `event` (S) |\n\n### `Counters` holds two kinds\n\n```\nEVT#{event}        the event\nEVT#{event}#{n}    its shards\n```\n", "HASH event S", "event = {event}"},
		"a word with the end of a name":                       {shop + "## Access patterns\n\n| Pattern | Operation |\n|---|---|\n| Tokens | `Scan` + filter `kind=AccessToken` |\n", "pattern Tokens", "{AccessToken}"},
		"another number below an index of no table":           {"# Wishes\n\n### `wishes` table\n\n- Partition key: `pk` (String)\n\n### `locks` table\n\n- Partition key: `id` (String)\n\n## GSIs\n\n### GSI1 on `wishes`\n\n- `GSI1PK` = `ITEMS`\n- `GSI9SK` = `STATE#{state}`\n", "index GSI1 @13 \n    HASH GSI1PK", "GSI9SK"},
		"an operator in capitals in the cell of a key":        {shop + "## Access patterns\n\n| Pattern | pk | sk |\n|---|---|---|\n| Carts of days | `TILL#{id}` | BETWEEN `DAY#{from}` AND `DAY#{to}` |\n| Carts | `TILL#{id}` | BEGINS_WITH(`CART#`) |\n", "sk BETWEEN DAY#{from} AND DAY#{to}\npattern Carts @13 Query\n  pk = TILL#{id}\n  begins_with(sk, CART#)", "none"},
		"values of a key that are listed":                     {shop + "### GSI1\n\n- PK: `GSI1PK`\n\n## Cart\n\n- `pk = CART#<id>`\n- `sk = META`\n- `GSI1PK`: `OPEN`, `PAID`\n", "entity Cart", "GSI1PK = OPEN"},
		"keys below a label of a pattern":                     {shop + "## Access patterns\n\n### Carts of a till\n\n- **Operation**: `Query`\n- **Primary table key**:\n  - `pk = TILL#<id>`\n  - `sk` begins_with `CART#`\n", "pattern Carts of a till @10 Query\n  pk = TILL#{id}\n  begins_with(sk, CART#)", "entity"},
		"a request before its title":                          {shop + "## Access patterns\n\n- `Query(pk)` — the carts of a till\n", "pattern the carts of a till @10 Query\n  pk = ", "none"},
		"brackets of another width":                           {"# 店\n\n## Table: `carts`\n\n- **PK**: `shop`\n\n#### GSI: by_day（日ごと）\n\n- **GSI PK**: `day`\n", "index by_day @7 \n    HASH day", "HASH gsi"},
		"S3 in the title of a pattern":                        {shop + "## Access patterns\n\n### Confirm the S3 upload\n\n- **Operation**: UpdateItem(pk=CART#<id>, sk=META)\n\n## S3 keys\n\n- Picture: `PutItem(pk=PICTURE#<id>)`\n", "pattern Confirm the S3 upload @10 UpdateItem", "PICTURE"},
		"forms beside an access pattern":                      {shop + "## Access patterns\n\n| Access pattern | pk | sk |\n|---|---|---|\n| A cart | `CART#<id>` | `META` |\n| Lines of a cart | `CART#<id>` | `LINE#<line>` |\n", "pk = CART#{id}\n  sk = META", "LINE#"},
		"the section of a table":                              {"# Shop - access patterns\n\n### Carts Table (`carts`)\n\n- **Partition Key (PK)**: `shop` (String)\n- **Global Secondary Index (GSI)**: `DayIndex`\n  - PK: `shop` (String)\n  - SK: `day` (String)\n", "index DayIndex @6 \n    HASH shop S @7", "pattern"},
		"what a request returns":                              {shop + "## Access patterns\n\n- Empty a cart: `DeleteItem(ReturnValues=ALL_OLD)`\n", "pattern Empty a cart @10 DeleteItem", "ALL_OLD"},
		"a request below its title":                           {shop + "## Access patterns\n\nA cart:\n\n- `GetItem` with `pk = CART#<id>`, `sk = META`.\n\nRead by:\n\n- Query API\n", "pattern A cart @12 GetItem\n  pk = CART#{id}\n  sk = META", "Read by"},
		"what a stream is for":                                {shop + "- **Stream**: tells of each new image of a cart\n", "HASH pk", "NEW_IMAGE"},
		"a request of the command line":                       {shop + "## Carts of a till\n\n```sh\n# the first ones\naws dynamodb query --table-name shop \\\n  --key-condition-expression \"pk = :p AND begins_with(sk, :s)\" \\\n  --expression-attribute-values '{\":p\": {\"S\": \"TILL#7\"}, \":s\": {\"S\": \"CART#\"}}' \\\n  --limit 5\naws dynamodb scan --table-name shop\n```\n", "Query limit 5 code\n  pk = TILL#7\n  begins_with(sk, CART#)", "Scan"},
		"a kind of primary key":                               {"# Shop\n\n## Table: `shop`\n\n- **Primary Key**: Composite (PK + SK)\n", "table shop", "Composite"},
		"requests of an index":                                {shop + "## Access patterns\n\n### GSI1: carts of a day\n\n- GSI1PK: `DAY#{day}`\n", "HASH pk", "index GSI1"},
		"keys of items in a table without an index":           {shop + "- GSIs: none\n\n### Cart\n\n| Attribute | Type |\n|---|---|\n| GSI1PK | String |\n", "HASH pk", "GSI1PK"},
		"an index for items of a table":                       {"# Shop\n\n## Table: carts\n\n- Partition key: `id` (String)\n\n### GSI1 for tills\n\n- Partition key: `day` (String)\n\n## Table: tills\n\n- Partition key: `no` (Number)\n", "HASH id S @5\n  index GSI1 @7", "none"},
		"a remark on a numbered index":                        {shop + "**GSI1**: nobody uses it.\n\n- Partition key: `total` (Number)\n", "index GSI1", "HASH total N @9\nentity"},
		"the role of a key and its attribute":                 {"# Shop\n\n## Table: carts\n\n| Attribute | Type | Description |\n|---|---|---|\n| PK | `cartId` (String) | its number |\n| day | String | of the cart |\n", "table carts", "HASH PK"},
		"lists below numbers":                                 {"# Shop\n\n1) Carts\n\n- Partition key: `cart` (文字列)\n- GSI: by-day (PK: `day`, SK: `at`)\n\n2) Tills\n\n- Partition key: `till` (数値)\n", "table Carts @3\n  HASH cart S @5\n  index by-day @6 \n    HASH day  @6\n    RANGE at  @6\ntable Tills @8\n  HASH till N @10", "none"},
		"a time to live that is off":                          {shop + "- TTL: `gone` (currently disabled)\n- TTL on `left`, if it is asked for.\n\nTTL is computed from `made`. TTL is `30` days. TTL is enabled on `shop`.\n", "HASH pk", "ttl"},
		"a setting of some tables":                            {"# Shop\n\n## Carts Table\n\n- Partition key: `cart` (String)\n\n## Tills Table\n\n- Partition key: `till` (String)\n\n## Costs of tills\n\n- Billing: on demand\n\n## Capacity in production\n\n- Billing: PROVISIONED\n\n## Shared (except carts)\n\n- PITR: enabled\n", "HASH till S", "billing"},
		"billing of two tables in sentences":                  {"# Shop\n\n## Carts Table\n\n- Partition key: `cart` (String)\n\n## Tills Table\n\n- Partition key: `till` (String)\n\nBoth tables are cheap. All tables use on-demand billing — `carts` is the exception. We considered that all tables use on-demand billing.\n", "HASH till S", "billing"},
		"the key of some index":                               {shop + "- GSI PK = `day`\n- LSI SK = `at`\n", "RANGE sk S @6", "day"},
		"a name before the keys in its bracket":               {"# Shop\n\n## Tables of the shop\n\n- Partition key: `id` (String)\n- `days` (PK: `day`, SK: `till`)\n", "HASH id S", "days"},
		"a sort key in a list of indexes":                     {shop + "### Indexes\n\n- By day\n- Sort key: `day`\n", "RANGE sk", "RANGE day"},
		"a projection behind keys":                            {shop + "- GSI1: `day` (HASH), `at` (RANGE), all carts of a day\n- GSI2: `at` (HASH), Projection: KEYS_ONLY\n", "index GSI2 @9 KEYS_ONLY", "index GSI1 @8 ALL"},
		"a projection in brackets":                            {shop + "- GSI1: `day` + `at` (proyección ALL)\n- GSI2: `at` + `till` (Projektion: KEYS_ONLY)\n- GSI3: `till` + `at` (vista ALL)\n- GSI4: `day` (HASH), proyección: KEYS_ONLY\n", "index GSI1 @8 ALL\n    HASH day  @8\n    RANGE at  @8\n  index GSI2 @9 KEYS_ONLY\n    HASH at  @9\n    RANGE till  @9\n  index GSI3 @10 \n    HASH till  @10\n    RANGE at  @10\n  index GSI4 @11 KEYS_ONLY", "GSI3 @10 ALL"},
		"the form of a key behind its type":                   {"# Shop\n\n## Carts Table\n\n- **Partition Key**: `place` (String) - Format: `{shop}#{till}`\n- **Sort Key**: `at` (String) - Format: ISO 8601\n", "  place = {shop}#{till} @5\n  at = {at} @6", "{place}"},
		"roles behind the names in a sentence":                {"# Shop\n\nThe `carts` table is keyed by `shop` (HASH) and `cart` (RANGE).\n\nThe table `tills` uses `till` as the partition key and `at` as the sort key.\n\nIf the table `days` is keyed by `day` (HASH), it is hot. We rejected a table `weeks` with `week` (HASH).\n", "table carts @3\n  HASH shop  @3\n  RANGE cart  @3\ntable tills @5\n  HASH till  @5\n  RANGE at  @5\nentity", "table days"},
		"members without their braces":                        {"# Shop\n\n## Table: `carts`\n\n```json\n\"KeySchema\": [\n  {\"AttributeName\": \"shop\", \"KeyType\": \"HASH\"}\n],\n\"BillingMode\": \"PAY_PER_REQUEST\"\n```\n", "HASH shop  @7\n  billing PAY_PER_REQUEST @9", "none"},
		"recovery that may be":                                {shop + "- Point-in-time recovery available\n- PITR should be enabled.\n- Point-in-time recovery of `shop` takes hours\n", "HASH pk", "pitr"},
		"recovery without a colon":                            {shop + "- Point-in-time recovery enabled\n\nBilling is on-demand.\n\nThe billing mode is PROVISIONED in prod.\n", "  billing PAY_PER_REQUEST @10\n  pitr enabled @8", "PROVISIONED"},
		"a kind of item without a title":                      {"# Backend\n\n| pk | sk |\n|---|---|\n| `USER#{id}` | `SETTINGS` |\n| `USER#{id}` | `PACK#{n}` |\n", "entity settings", "entity Backend"},
	} {
		says(t, name, test.text, test.said, test.guess)
	}
}

// says fails a test where the facts of a text lack what it says, or have what it does not say.
func says(t *testing.T, name, text, said, guess string) {
	t.Helper()
	document, err := Read([]byte(text))
	if err != nil {
		document = &Document{}
	}
	got := facts(document)
	if err != nil {
		got = err.Error() // a document that is refused says nothing else
	}
	for _, e := range document.Entities {
		for _, a := range e.Attributes {
			got += "attribute " + a.Name + "\n"
		}
	}
	if !strings.Contains(got, said) || strings.Contains(got, guess) {
		t.Errorf("%s: expected %q, and no %q, found\n%s", name, said, guess, got)
	}
}

// TestGaps: lines that follow one another with one reason are one gap, with the first of them and their number.
func TestGaps(t *testing.T) {
	document := &Document{Unread: []Unread{{Line: 3, Text: "a", Why: "x"}, {Line: 4, Text: "b", Why: "y"}, {Line: 5, Text: "c", Why: "x"}, {Line: 5, Text: "d", Why: "x"}, {Line: 8, Text: "e", Why: "x"}}}
	want := []Gap{{First: 3, Last: 5, Lines: 2, Text: "a", Why: "x"}, {First: 4, Last: 4, Lines: 1, Text: "b", Why: "y"}, {First: 8, Last: 8, Lines: 1, Text: "e", Why: "x"}}
	assert.Empty(t, cmp.Diff(want, document.Gaps()))
}

// TestNotFlooded: bold words, tables and shell lines about other things are not named as not read.
func TestNotFlooded(t *testing.T) {
	document, err := Read([]byte("# Shop\n\n## Table: `shop`\n\n- Partition key: `id` (String)\n\n**Speed.** It is fast.\n\n- **Fun** for all\n\n| Colour | Taste |\n|---|---|\n| red | sweet |\n\n```sh\ncd shop\ndocker compose up\n```\n"))
	if err != nil || len(document.Unread) > 0 {
		t.Errorf("expected no line, found %v, %v", document.Unread, err)
	}
}

// facts writes what was read, a fact on each line.
func facts(d *Document) string {
	var out strings.Builder
	line := func(at At, format string, args ...any) {
		fmt.Fprintf(&out, format, args...)
		if at.Line > 0 {
			fmt.Fprintf(&out, " @%d", at.Line)
		}
		if at.Sure == Planned {
			out.WriteString(" planned")
		}
		out.WriteString("\n")
	}
	setting := func(name string, s *Setting) {
		if s != nil {
			line(s.At, "  %s %s", name, s.Value)
		}
	}
	for _, table := range d.Tables {
		line(table.At, "table %s", table.Name)
		for _, key := range table.Keys {
			line(key.At, "  %s %s %s", key.Role, key.Name, key.Type)
		}
		for _, index := range table.Indexes {
			fmt.Fprintf(&out, "  index %s @%d %s\n", index.Name, index.Line, index.Projection.Value)
			for _, key := range index.Keys {
				line(key.At, "    %s %s %s", key.Role, key.Name, key.Type)
			}
			for _, key := range index.Templates {
				line(key.At, "    %s = %s", key.Attribute, key.Template)
			}
		}
		setting("no indexes:", table.NoIndexes)
		setting("stream", table.Stream)
		setting("ttl", table.TTL)
		for _, mode := range table.Billing {
			setting("billing", &mode)
		}
		setting("pitr", table.PITR)
		setting("region", table.Region)
		for _, tag := range table.Tags {
			line(tag.At, "  tag %s=%s", tag.Name, tag.Value)
		}
	}
	for _, entity := range d.Entities {
		line(entity.At, "entity %s", entity.Title)
		for _, key := range entity.Keys {
			line(key.At, "  %s = %s", key.Attribute, key.Template)
		}
	}
	for _, p := range d.Patterns {
		fmt.Fprintf(&out, "pattern %s @%d %s", p.Title, p.Line, p.Operation)
		if p.Index != "" {
			out.WriteString(" " + p.Index)
		}
		if p.Order != "" {
			out.WriteString(" " + p.Order)
		}
		if p.Limit > 0 {
			fmt.Fprintf(&out, " limit %d", p.Limit)
		}
		if !p.Listed {
			out.WriteString(" code")
		}
		out.WriteString("\n")
		for _, c := range p.Conditions {
			out.WriteString("  " + c.String() + "\n")
		}
	}
	for _, x := range d.Examples {
		fmt.Fprintf(&out, "example @%d-%d", x.Line, x.Last)
		for _, m := range x.Members {
			out.WriteString(" " + m.Name + ":" + m.Type)
		}
		out.WriteString("\n")
	}
	return out.String()
}

func TestTemplates(t *testing.T) {
	for _, test := range []struct {
		raw, want string
	}{
		{"USER#{id}", "USER#{id}"},
		{"USER#<id>", "USER#{id}"},
		{"activity#{yyyy-MM-ddTHH:mm:ssZ}", "activity#{yyyy-MM-ddTHH:mm:ssZ}"},
		{"USER#${event.userId}", "USER#{userId}"},
		{"USER#[id]", "USER#{id}"},
		{"USER#:id", "USER#{id}"},
		{"user:{id}:profile", "user:{id}:profile"},
		{"{tenant}|{id}", "{tenant}|{id}"},
		{"{date}_{id}", "{date}_{id}"},
		{"/a/{b}/c", "/a/{b}/c"},
		{"f'LOG#{start_date}'", "LOG#{start_date}"},
		{"`<submittedAt iso8601>#<id>`", "{submittedAt}#{id}"},
		{"USER#userId", "USER#{userId}"},
		{"STRAVA#CONNECTION", "STRAVA#CONNECTION"},
		{"TASK#...", "TASK#"},
		{"%s#%013d", "{value}#{value}"},
	} {
		got, is := FormOf(test.raw)
		if !is || string(got) != test.want {
			t.Errorf("%q: expected %q, found %q (template %v)", test.raw, test.want, got, is)
		}
	}
	for _, raw := range []string{"", "a sentence of words", "none, so far", "what?", "SHOP${KEY_SEPARATOR}till"} {
		if got, is := FormOf(raw); is {
			t.Errorf("%q: expected no template, found %q", raw, got)
		}
	}
}

// TestLinesOfAList: an attribute of a data model stands where its name does.
func TestLinesOfAList(t *testing.T) {
	document, err := Read([]byte("# Model\n\n## Table Designs\n\n### Parts Table\n\n- **Aggregate Boundary**: a part\n- **Partition Key**: `part` (String)\n- **Attributes**: `part` S, `batch` S,\n  `made_at` S (ISO-8601)\n- **Access Patterns Served**: #1\n"))
	require.NoError(t, err)
	if a, has := document.Entities[0].Attribute("made_at"); !has || a.Line != 10 {
		t.Errorf("expected made_at in line 10, found %v in %+v", a, document.Entities[0])
	}
}

// TestRefused: what is no document costs one line, whatever its size.
func TestRefused(t *testing.T) {
	long := strings.Repeat("x", maxLine+1)
	for name, test := range map[string]struct{ content, want string }{
		"binary":    {"# Table: a\n\x00\x01", "zero byte at offset 11"},
		"latin":     {"# Table: \xe9t\xe9", "UTF-8"},
		"prose":     {"# A poem\n\nRoses are red.\n", "no table, key, index or access pattern of DynamoDB in 3 lines"},
		"words":     {"# Users\n\nThe partition key is the user.\n\nThe sort key is the day.\n", "in 5 lines, nothing is read for certain of a table, key, index or access pattern of DynamoDB; no form reads what is said of keys in lines 3, 5"},
		"many":      {"# Users\n" + strings.Repeat("\nThe partition key is the user.\n", 70), "119, 121 and 10 more"},
		"cells":     {"# Bank\n\n| PK | SK | Text |\n|---|---|---|\n| *month* | *id* | a |\n| 2020-12 | b_1 | c |\n", "said of keys in lines 5, 6"},
		"relations": {"# Schema\n\n## user_profile\n\n| Column | Type |\n|---|---|\n| `id` (PK) | uuid |\n| `account` (FK) | uuid |\n", "said of keys in lines 7"},
		"go":        {"package main\n\nfunc main() {}\n", "no table, key, index or access pattern"},
		"one line":  {"# Table: a\n" + long, "line 2"},
		"too large": {strings.Repeat("| PK | SK |\n", MaxBytes/12+2), "at most 1 MiB"},
		"lines":     {strings.Repeat("a\n", maxLines+1), "at most 20000 lines"},
		"empty":     {"", "no table"},
	} {
		_, err := Read([]byte(test.content))
		if !errors.Is(err, ErrNoDocument) || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: expected one line with %q, found %v", name, test.want, err)
		}
	}
}

// TestManyIndexesAndTables: reading takes time that grows with the lines, for what is read of tables and indexes has an end, which is said.
func TestManyIndexesAndTables(t *testing.T) {
	many := func(form string) string {
		var text strings.Builder
		for n := range maxTables + 2 {
			text.WriteString(strings.ReplaceAll(form, "N", strconv.Itoa(n)))
		}
		return text.String()
	}
	indexes, err := Read([]byte("# Shop\n\nTable `shop`\n\n- Partition key: `id` (String)\n" + many("- Index `by-N`: partition key `aN` (String).\n")))
	require.NoError(t, err)
	assert.Len(t, indexes.Tables[0].Indexes, maxIndexes)
	assert.Equal(t, 7+maxTables, indexes.Unread[len(indexes.Unread)-1].Line, "each line behind them is named")
	tables, err := Read([]byte(many("## Table: `shopN`\n\n- Partition key: `id` (String)\n\n")))
	require.NoError(t, err)
	assert.Len(t, tables.Tables, maxTables)
	for document, line := range map[*Document]int{indexes: 6 + maxIndexes, tables: 1 + 4*maxTables} {
		assert.True(t, slices.ContainsFunc(document.Unread, func(u Unread) bool { return u.Line == line && strings.Contains(u.Why, "no other is read") }), "expected line %d to be named: %v", line, document.Unread)
	}
}

// TestLongCode: reading a fence takes time that grows with its lines, however deep its values are nested and however many objects it assigns.
func TestLongCode(t *testing.T) {
	opened := "## Table: `orders`\n\n- Partition key: `id` (String)\n\n```go\nx := y.CreateTable(\n"
	for name, text := range map[string]string{
		"structures": opened + strings.Repeat("types.A{X: ", maxDepth) + "\n```\n",
		"calls":      opened + strings.Repeat("types.A({X: ", maxDepth) + "\n```\n",
		"lists":      opened + strings.Repeat("[]types.A{{X: ", maxDepth) + "\n```\n",
		"mixed":      opened + strings.Repeat("types.A{X: []types.B{", maxDepth) + "\n```\n",
		"assigned": "```js\n// " + strings.Repeat("-", maxLine/2) + "\nconst orders =\n  new dynamodb.Table({ tableName: 'orders', partitionKey: { name: 'id', type: 'S' } });\n" +
			strings.Repeat("x"+strings.Repeat(" ", 80)+"= {\n};\n", 9900) +
			"const users =\n  new dynamodb.Table({ tableName: 'users', partitionKey: { name: 'user', type: 'S' } });\n" +
			"orders.addGlobalSecondaryIndex({ indexName: 'by-day', partitionKey: { name: 'day', type: 'S' } });\n```\n",
	} {
		document, err := Read([]byte(text))
		require.NoError(t, err, name)
		assert.Equal(t, "orders", document.Tables[0].Name, name)
		if name == "assigned" {
			require.Len(t, document.Tables, 2)
			assert.Len(t, document.Tables[0].Indexes, 1, "the index is that of the variable it is added to, which stands in the line before the call")
		}
	}
}

func BenchmarkRead10000Lines(b *testing.B) {
	one, err := os.ReadFile("testdata/grid.md")
	require.NoError(b, err)
	content := []byte(strings.Repeat(string(one)+"\n", 10000/34+1))
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		_, err = Read(content)
		require.NoError(b, err)
	}
}

func FuzzRead(f *testing.F) {
	paths, _ := filepath.Glob("testdata/*.[mt]*")
	for _, path := range paths {
		if content, err := os.ReadFile(path); err == nil {
			f.Add(content)
		}
	}
	for _, empty := range []string{"*", "1.", "- **Orders table**:\n-", "- **Orders table**:\n  -", "- - a\n- **b**", "1. **a**\\\n", "```\n```", "| a |\n|---|\n", "#", "## Tables\n#", "```\nquery( IndexName=)"} {
		f.Add([]byte(empty)) // marks with nothing behind them
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		document, err := Read(content)
		if err != nil {
			return
		}
		for _, entity := range document.Entities {
			if entity.Line < 1 || entity.Line > document.Lines {
				t.Errorf("entity %q in line %d of %d", entity.Title, entity.Line, document.Lines)
			}
			for _, key := range entity.Keys {
				key.Template.Matches("x#y")
			}
		}
		for _, pattern := range document.Patterns {
			if pattern.Line < 1 || pattern.Last < pattern.Line {
				t.Errorf("pattern %q in lines %d to %d of %d", pattern.Title, pattern.Line, pattern.Last, document.Lines)
			}
		}
	})
}

// TestFeatures: what a list of features, or an introduction, says of all tables, and where it says nothing of them.
func TestFeatures(t *testing.T) {
	const mill = "# Mill\n\n## Sacks Table\n\n- Partition key: `sack` (String)\n\n"
	const two = mill + "## Carts Table\n\n- Partition key: `cart` (String)\n\n"
	for name, test := range map[string]struct{ text, said, guess string }{
		"a mode for a label":                   {two + "## Costs\n\n- **On-demand billing**: nobody plans capacity\n", "HASH cart S @9\n  billing PAY_PER_REQUEST @13\n", "none"},
		"a mode for a value":                   {mill + "## Benefits\n\n1. **Scales** - Pay-per-request billing\n", "billing PAY_PER_REQUEST @9\n", "none"},
		"a mode in the introduction":           {strings.Replace(mill, "# Mill\n", "# Mill\n\nScripts for the tables. On-demand billing (`PAY_PER_REQUEST`) — nothing to plan.\n", 1), "billing PAY_PER_REQUEST @3\n", "none"},
		"two modes":                            {mill + "## Costs\n\n- **On-demand billing**: for loads that nobody knows\n- **Provisioned capacity**: for steady ones\n", "HASH sack S", "billing"},
		"the bill of another service":          {mill + "## Lambda\n\n- **On-demand billing**: by the millisecond\n\n## Costs\n\n- **S3**: pay-per-request pricing\n", "HASH sack S", "billing"},
		"a mode that one may take":             {mill + "## Costs\n\nFor production, consider:\n\n- Reserved capacity\n- On-demand billing mode\n\n## Options\n\n### Option A\n\n- On-demand billing\n", "HASH sack S", "billing"},
		"an index on its key":                  {mill + "- **GSI**: `day-index` on `day`\n- **GSI**: `mill-index` on `mill` and `at` — for the mills\n- **GSI**: `old-index` on `Sacks`\n", "index day-index @7 \n    HASH day  @7\n  index mill-index @8 \n    HASH mill  @8\n    RANGE at  @8\n", "HASH Sacks"},
		"an index called after its keys":       {mill + "- GSI: MillDayIndex (mill, day)\n- GSI: MillIndex (mill)\n- GSI: NewIndex (planned)\n", "index MillDayIndex @7 \n    HASH mill  @7\n    RANGE day  @7\n  index MillIndex @8 \n    HASH mill  @8\n", "planned"},
		"an index called by what it finds":     {mill + "### Sack\n\n- GSI1 (id): `GSI1PK = SACK#{id}`; `GSI1SK = SACK#{id}`\n", "index GSI1 @9 \n    HASH GSI1PK  @9\n    RANGE GSI1SK  @9", "index id"},
		"a key below the name of an index":     {mill + "**Global Secondary Index (GSI) for the mills:**\n- **Index Name**: `mill-index`\n- **Partition Key**: `mill` (String)\n", "index mill-index @8 \n    HASH mill S @9\n", "HASH mill S @3"},
		"a primary key in a line":              {"# Moinho\n\n### 1. Sacos\n\nOs sacos.\n\n**Chave Primária**: `saco` (String)\n\n### 2. Carros\n\n**Chave Primária**: `carro` (String)\n", "table Sacos @3\n  HASH saco S @7\ntable Carros @9\n  HASH carro S @11\n", "none"},
		"primary keys of another database":     {"# Mill\n\nTables of PostgreSQL:\n\n### Sacks\n\n**Primary key**: `sack` (Number)\n\n| Column | Type |\n|---|---|\n| mill_id | bigint (FK) |\n\n### Carts\n\n**Primary key**: `cart` (Number)\n\n## Table: `log`\n\n- Partition key: `day` (String)\n", "table log", "table Sacks"},
		"the lines of a command":               {"# Mill\n\n```sh\naws dynamodb create-table --table-name mill-sacks \\\n  --key-schema \\\n    AttributeName=sack,KeyType=HASH \\\n    AttributeName=day,KeyType=RANGE \\\n  --global-secondary-indexes \\\n    '[{\"IndexName\": \"day-index\",\n      \"KeySchema\": [{\"AttributeName\": \"day\", \"KeyType\": \"HASH\"}]}]'\n```\n", "  HASH sack  @6\n  RANGE day  @7\n  index day-index @9 \n    HASH day  @10\n", "none"},
		"shorthand in quotes, and in lines":    {"# Mill\n\n```bash\naws dynamodb create-table --table-name sacks \\\n  --attribute-definitions AttributeName=sack,AttributeType=S AttributeName=day,AttributeType=S \\\n  --key-schema AttributeName=sack,KeyType=HASH \\\n  --global-secondary-indexes \\\n    IndexName=day-index,\\\n    KeySchema=[{AttributeName=day,KeyType=HASH}],\\\n    Projection={ProjectionType=ALL} \\\n    \"IndexName=late-index,KeySchema=[{AttributeName=day,KeyType=HASH}],Projection={ProjectionType=KEYS_ONLY},ProvisionedThroughput={ReadCapacityUnits=5,WriteCapacityUnits=5}\"\n```\n", "table sacks @4\n  HASH sack S @6\n  index day-index @8 ALL\n    HASH day S @9\n  index late-index @11 KEYS_ONLY\n    HASH day S @11\n", "table day"},
		"the shorthand of a command":           {"# Mill\n\n### sacks table\n\n```bash\n# Create sacks table\naws dynamodb create-table --table-name mill-sacks \\\n  --attribute-definitions AttributeName=sack,AttributeType=S AttributeName=day,AttributeType=S \\\n  --key-schema AttributeName=sack,KeyType=HASH \\\n  --global-secondary-indexes IndexName=day-index,KeySchema=[{AttributeName=day,KeyType=HASH}],Projection={ProjectionType=INCLUDE,NonKeyAttributes=[a,b]}\n```\n", "table mill-sacks @3\n  HASH sack S @9\n  index day-index @10 INCLUDE\n    HASH day S @10\n", "table sacks"},
		"words in the bracket of an index":     {mill + "- GSI: StateIndex (keys_only)\n- GSI: FlourIndex (read_heavy)\n- GSI: MillersIndex (millerId)\n", "index MillersIndex @9 \n    HASH millerId  @9\n", "keys_only"},
		"an index on what is no key":           {mill + "- GSI: `day-index` on `sacks-prod`\n- GSI: `mill-index` on `mill` (rejected)\n- GSI: `copy-index` on `replica`\n", "index copy-index", "HASH mill"},
		"keys in words of another index":       {mill + "### Indexes\n\n- `mill-index`: shares the range key `day` with the table\n- GSI1: instead of the hash key `miller`, which changed\n", "HASH sack S", "HASH miller"},
		"a mode of both tables":                {two + "## Design\n\n- **PAY_PER_REQUEST** billing for both tables (small loads)\n", "HASH cart S @9\n  billing PAY_PER_REQUEST @13\n", "none"},
		"modes in a table of tables":           {two + "## Capacity\n\n| Table | Mode | PITR |\n|---|---|---|\n| Sacks | On-demand | Enabled |\n| Carts | Provisioned | - |\n", "HASH sack S @5\n  billing PAY_PER_REQUEST @15\n  pitr enabled @15\n", "none"},
		"a mode in a table for all":            {two + "## 容量\n\n| テーブル | モード | 備考 |\n|---|---|---|\n| 全テーブル | オンデマンド | 予測が難しい |\n", "HASH cart S @9\n  billing PAY_PER_REQUEST @15\n", "none"},
		"modes of one environment in a table":  {two + "## Capacity in production\n\n| Table | Billing mode |\n|---|---|\n| All tables | Provisioned |\n\n## Alternatives considered\n\n| Table | Billing mode |\n|---|---|\n| All tables | On-demand |\n", "HASH cart S", "billing"},
		"a table of no table of ours":          {two + "## Capacity\n\n| Table | Mode |\n|---|---|\n| All tables but Carts | On-demand |\n| Barrels | On-demand |\n", "HASH cart S", "billing"},
		"a mode of both of one table":          {mill + "## Design\n\n- **PAY_PER_REQUEST** billing for both tables\n", "HASH sack S", "billing"},
		"a mode in a list of what costs":       {mill + "## Cost optimization\n\n1. **On-demand billing**: Pay only for actual reads (better for low traffic)\n", "billing PAY_PER_REQUEST @9\n", "none"},
		"a mode in a sentence on one table":    {mill + "All of it lives in one DynamoDB table with on-demand (pay-per-request) billing. So it costs little.\n", "billing PAY_PER_REQUEST @7\n", "none"},
		"a mode that is weighed":               {mill + "We may later use one DynamoDB table with on-demand billing.\n", "HASH sack S", "billing"},
		"a name and a mode behind a dash":      {"# Mill\n\nDynamoDB holds it.\n\n`MillTable` — on-demand billing.\n\n- Partition key: `PK` (string)\n", "table MillTable @5\n  HASH PK S @7\n  billing PAY_PER_REQUEST @5\n", "none"},
		"an attribute behind enabled":          {mill + "- TTL: Enabled (attribute: Gone)\n", "ttl Gone @7\n", "none"},
		"a time to live that is to be enabled": {mill + "## TTL configuration\n\nEnable TTL on `gone` attribute:\n- Old sacks (30 days)\n", "ttl gone @9\n", "none"},
		"a command among the next steps":       {mill + "## Next steps\n\nEnable TTL on `gone` attribute:\n- Old sacks (30 days)\n", "HASH sack S", "ttl"},
		"short words for roles in a bracket":   {mill + "- Global Secondary Index: `day-index` (partition: `state`, sort: `day`)\n", "  index day-index @7 \n    HASH state  @7\n    RANGE day  @7\n", "none"},
		"a mode of all tables but one":         {two + "## Design\n\n- On-demand mode for all tables but the carts\n\n## Cost optimization\n\n- **On-demand billing**: pay only for what you use\n", "HASH cart S", "billing"},
		"a mode, and what is said of each":     {two + "## Features\n\n- **Serverless**: Pay-per-request billing (no capacity planning needed)\n", "HASH cart S @9\n  billing PAY_PER_REQUEST @13\n", "none"},
		"a mode in Portuguese":                 {two + "Todas as tabelas usam modo **PAY_PER_REQUEST** (on-demand), sem necessidade de provisionar capacidade.\n", "HASH cart S @9\n  billing PAY_PER_REQUEST @11\n", "none"},
		"standards of all tables":              {two + "## 3) Table standards (apply to all tables)\n\n- **Billing mode**: `PAY_PER_REQUEST`\n- **PITR**: enabled\n", "HASH cart S @9\n  billing PAY_PER_REQUEST @13\n  pitr enabled @14\n", "none"},
		"settings of a resource":               {mill + "| Resource | Value |\n|---|---|\n| Billing mode | `PAY_PER_REQUEST` |\n| Recovery | of the mill |\n", "billing PAY_PER_REQUEST @9\n", "pitr"},
		"recovery in Spanish":                  {mill + "## Seguridad\n\n- Point-in-time recovery habilitado\n", "pitr enabled @9\n", "none"},
		"recovery of production alone":         {mill + "## Backups\n\n- Point-in-time recovery enabled in production\n- ✅ PITR enabled for disaster recovery tests only\n", "HASH sack S", "pitr"},
		"recovery behind a sign":               {mill + "## Safety\n\n- ✅ Point-in-time recovery enabled for data protection\n", "pitr enabled @9\n", "none"},
		"a time to live, and its attribute":    {mill + "- **TTL**: 30 days\n\nThe table is configured with TTL on the `gone` attribute.\n", "ttl gone @9\n", "none"},
		"a time to live of records":            {mill + "### Attributes\n\n- `weight` (Number)\n- `ttl` (Number): DNS TTL in seconds\n- ttl: expiry of the tokens in seconds, default 3600\n", "HASH sack S", "  ttl"},
		"a time to live that is off":           {mill + "The table is configured with TTL on the `gone` attribute (disabled for now).\n", "HASH sack S", "  ttl"},
		"a mode elsewhere":                     {mill + "### Staging\n\n- On-demand capacity\n\n## Ways to save\n\n- On-demand billing\n\n## Features\n\n- Pay-per-request pricing\n", "HASH sack S", "billing"},
		"index rows that are planned for days": {mill + "### Indexes\n\n| Index | PK | Use |\n|---|---|---|\n| `day-index` | `day` | Planned for a day |\n| `old-index` | `miller` | Deleted in May 2024 |\n", "index day-index @11 \n    HASH day", "miller"},
		"a hash of another kind":               {"# Mill\n\n## Table: `mill`\n\n```ts\ninterface Sack {\n  id: string; // partition key\n  digest: string; // hash: md5\n}\n```\n", "HASH id S", "digest"},
		"the format of a key":                  {mill + "- Sort key: `day` (String)\n- SK format: `year#day` (String)\n", "RANGE day S", "RANGE year"},
		"bars that tell of kinds alone":        {mill + "- Sort key: `day` (String)\n\n```\nSACK#sackId | META -> moved to the archive\nSACK#sackId | LINE#lineId -> eu-central-1\n```\n", "HASH sack S", "entity eu"},
		"the bill of another store":            {mill + "## Stores\n\n- **Aurora**: on-demand capacity\n- **DAX**: on-demand pricing\n\n## Monitoring\n\n- **On-demand billing**: watch the alarms\n", "HASH sack S", "billing"},
		"a time to live of another store":      {mill + "### Attributes\n\n- `weight` (Number)\n- ttl: expires the session in Redis\n", "HASH sack S", "  ttl"},
		"a table of another store":             {"# Molino\n\nA tabela `sacos` utiliza o PostgreSQL.\n\n- Partition key: `saco` (String)\n", "HASH saco", "table sacos"},
		"a topic in lines with bars":           {mill + "- Sort key: `day` (String)\n\n### Kafka\n\n```\nSACK#sackId | EVENTS -> topic of sacks\n```\n", "HASH sack", "EVENTS"},
		"a mode that is advised":               {mill + "## Best practices\n\n- **On-demand billing**: for new tables\n\n## Optional settings\n\n- **Backup**: PITR enabled\n", "HASH sack S", "PAY_PER"},
		"a mode in a wrapped sentence":         {two + "Two tables (as a mill of wood has),\nall `PAY_PER_REQUEST`, point-in-time\nrecovery and server-side encryption\nenabled. See the plan.\n", "HASH cart S @9\n  billing PAY_PER_REQUEST @11\n  pitr enabled @11\n", "none"},
		"a mode of each table":                 {two + "## Design\n\n1. **Scale:** Each table uses PAY_PER_REQUEST billing mode for peaks.\n", "HASH cart S @9\n  billing PAY_PER_REQUEST @13\n", "none"},
		"a mode of three of two":               {two + "Three tables, all on-demand billing. On-demand backups for all tables. All tables could use on-demand billing.\n", "HASH cart S @9\n", "PAY_PER"},
		"a mode in a title":                    {"## All tables use PAY_PER_REQUEST billing (no capacity planning needed).\n\n" + two, "billing PAY_PER_REQUEST @1\n", "none"},
		"recovery of all tables":               {two + "## Safety\n\n- Point-in-time recovery enabled for all tables\n", "HASH cart S @9\n  pitr enabled @13\n", "none"},
		"recovery, and why":                    {two + "## Data protection\n\n- **Point-in-time recovery**: Enabled for data recovery up to 35 days\n", "HASH cart S @9\n  pitr enabled @13\n", "none"},
		"recovery of one table":                {two + "## Data protection\n\n- **Point-in-time recovery**: Enabled for carts\n\nPoint-in-time recovery is not enabled for all tables.\n", "HASH cart S", "pitr"},
		"a feature of one table":               {mill + "- Backup: point-in-time recovery enabled\n\n## Carts Table\n\n- Partition key: `cart` (String)\n", "HASH sack S @5\n  pitr enabled @7\n", "HASH cart S @11\n  pitr"},
		"an attribute called ttl":              {mill + "### Attributes\n\n- `weight` (Number)\n- ttl (90 days auto-delete)\n", "ttl ttl @10", "none"},
		"an attribute called ttl of something": {mill + "### Attributes\n\n- `weight` (Number)\n- ttl (of the cache in the browser)\n", "HASH sack S", "  ttl"},
		"a table with a time to live":          {mill + "The table is configured with Time-To-Live (TTL) on the `gone` attribute.\n", "ttl gone @7", "none"},
		"a table by its word in any language":  {"# Molino\n\n### Tabla principal: `sacos`\n\n- Partition key: `saco` (String)\n", "table sacos @3\n  HASH saco", "none"},
		"a remark that is TTL":                 {mill + "### Attributes\n\n| Attribute | Type | Key | Note |\n|---|---|---|---|\n| `weight` | N | | |\n| `gone` | N | TTL | 30 days |\n", "ttl gone @12", "none"},
		"TTL with the time that is read":       {mill + "### Attributes\n\n| Attribute | Type | Note |\n|---|---|---|\n| `gone` | Number | TTL (epoch seconds) |\n", "ttl gone @11", "none"},
		"TTL of a request":                     {mill + "### POST /sacks\n\n| Field | Type | Note |\n|---|---|---|\n| `keep` | number | TTL |\n", "HASH sack S", "  ttl"},
		"TTL for what it does":                 {mill + "### Atributos\n\n| Campo | Tipo | Nota |\n|---|---|---|\n| `fin` | Number | TTL para auto-limpieza |\n| `cache` | Number | TTL para el navegador |\n", "ttl fin @11", "none"},
		"TTL in seconds":                       {mill + "### Attributes\n\n| Attribute | Type | Note |\n|---|---|---|\n| `kept` | N | TTL (seconds) |\n", "HASH sack S", "  ttl"},
		"settings behind signs":                {mill + "| Property | Value |\n|---|---|\n| Capacity mode | ⚡ On-demand |\n| PITR | ✅ Enabled |\n", "  billing PAY_PER_REQUEST @9\n  pitr enabled @10\n", "none"},
		"signs that take settings back":        {mill + "| Property | Value |\n|---|---|\n| Capacity mode | ❌ On-demand |\n| PITR | ❌ Enabled |\n", "HASH sack S", "enabled"},
		"a title with an article":              {"# Moulin\n\n## La table\n\nLa table `sacs` a deux clés :\n\n- Clé de partition : `sac` (chaîne)\n- Facturation : à la demande\n", "table sacs @5\n  HASH sac S @7\n  billing PAY_PER_REQUEST @8\n", "table La"},
		"a heading in Italian":                 {"# Mulino\n\n## 1. Tabella `sacchi`\n\n- Chiave di partizione: `sacco` (Stringa)\n", "table sacchi @3\n  HASH sacco S @5\n", "none"},
		"a mode behind a sentence":             {two + "## Overview\n\nThe mill has two DynamoDB tables. Billing mode: on-demand.\n", "HASH cart S @9\n  billing PAY_PER_REQUEST @13\n", "none"},
		"a mode of what is no table":           {two + "## Overview\n\nThe mill keeps sacks. Billing mode: on-demand.\n\nTables of other mills were moved. Billing mode: on-demand, but for the carts.\n", "HASH cart S @9\n", "billing"},
		"a mode and recovery of all tables":    {two + "All tables: on-demand. Alle Tabellen nutzen On-Demand.\n\nAll tables have point-in-time recovery.\n", "HASH cart S @9\n  billing PAY_PER_REQUEST @11\n  pitr enabled @13\n", "none"},
		"no recovery of all tables":            {two + "All tables: on-demand in development, provisioned in production.\n\nAll tables have point-in-time recovery turned off.\n", "HASH cart S @9\n", "PAY_PER"},
		"settings below titles of their own":   {mill + "### Billing mode\n\nOn-demand\n\n### PITR\n\nEnabled\n\n### Streams\n\nNEW_IMAGE\n", "  stream NEW_IMAGE @17\n  billing PAY_PER_REQUEST @9\n  pitr enabled @13\n", "none"},
		"sentences below titles of settings":   {mill + "### Billing\n\nWe bill on demand.\n\n### PITR\n\nEnabled in production\n\n### Streams\n\nA NEW_IMAGE stream costs too much.\n\n### Stream\n\nNEW_IMAGE was considered\n\n### TTL\n\nsession\n", "HASH sack S", "@1"},
		"what is used as another time to live": {mill + "`keep` is used as TTL of the cookie. `late` is not used as the TTL. `gone` was used as TTL. `dias` se usa como TTL en Redis.\n", "HASH sack S", "  ttl"},
		"a time to live of a cookie":           {mill + "`maxAge` is the TTL field of the cookie. Rows go by TTL on `sacks` table. The TTL attribute `gone` is not set.\n", "HASH sack S", "  ttl"},
		"indexes below an empty head":          {mill + "### Indexes\n\n| | Partition key | Sort key |\n|---|---|---|\n| **GSI1** (by day) | `day` (S) | `at` (N) |\n", "index GSI1 @11 \n    HASH day S @11\n    RANGE at N @11\n", "none"},
		"kinds below an empty head":            {mill + "### Keys\n\n| | Partition key | Sort key |\n|---|---|---|\n| Sack | `sack` (S) | `at` (N) |\n", "HASH sack S", "index"},
		"placeholders as HTML has them":        {"# Mill\n\n## Table: `mill`\n\n| Entity | PK | SK |\n|---|---|---|\n| Sack | SACK#&lt;id&gt; | META |\n", "PK = SACK#{id}", "none"},
		"a type behind a dash":                 {mill + "- Sort key: `at` – Number\n", "RANGE at N", "none"},
		"a remark behind a dash":               {mill + "- Sort key: `at` – number of the sack\n", "RANGE at  @7", "none"},
		"roles behind types":                   {mill + "- GSI1: `mill` (S) as partition key, `at` (N) as sort key\n- GSI2: keys `day`, `at`\n", "index GSI1 @7 \n    HASH mill S @7\n    RANGE at N @7\n  index GSI2 @8 \n    HASH day  @8\n    RANGE at N @8\n", "none"},
		"keys of an index in Spanish":          {mill + "## Índices\n\n- **GSI1**: clave de partición `molino`, clave de clasificación `hora`.\n", "index GSI1 @9 \n    HASH molino  @9\n    RANGE hora  @9\n", "none"},
		"a table by a number and its name":     {"# Mill\n\n## Table 1: Sacks\n\n- **Name:** `mill-sacks`\n- **Primary key:** `sack` (String)\n\n## Table 2: Carts\n\n- **Primary key:** `cart` (String)\n- Name: `old`\n", "table mill-sacks @3\n  HASH sack S @6\ntable Carts @8\n  HASH cart S @10\n", "table old"},
		"the name of an index below it":        {mill + "- GSI: `by-mill`\n  - Name: `by-mill-sacks`\n  - PK: `mill`\n", "table Sacks @3", "table by-mill"},
		"indexes with keys in words":           {mill + "Indexes: `by-day` (partition key `day`, sort key `at`, keys only), `by-mill` (partition key `mill`, projects `at`)\n", "index by-day @7 KEYS_ONLY\n    HASH day  @7\n    RANGE at  @7\n  index by-mill @7 \n    HASH mill  @7\n", "none"},
		"indexes that are gone or to come":     {mill + "Indexes: `by-day` (partition key `day`) — dropped in May\n\nIndexes: `by-mill` (planned: partition key `mill`)\n", "HASH sack S", "index"},
		"an index with signs of its keys":      {mill + "## Indexes\n\n* **GSI1** (PK=`mill`, SK=`at`, ALL) – sacks of a mill\n", "index GSI1 @9 ALL\n    HASH mill  @9\n    RANGE at  @9\n", "none"},
		"an attribute by which rows expire":    {mill + "**Attributes**:\n\n- weight (number)\n- gone (number) - TTL, epoch seconds\n", "ttl gone @10", "none"},
		"numbers that are no time to live":     {mill + "**Attributes**:\n\n- keep (number) - TTL of an answer in the cache\n- gone (number) - TTL, not used\n", "HASH sack S", "  ttl"},
		"types in a sentence":                  {"# Mill\n\nWe keep all in one DynamoDB table named `mill`, with keys `PK` (S) and `SK` (N).\n\n| Entity | PK | SK |\n|---|---|---|\n| Sack | `SACK#<id>` | `<at>` |\n", "table mill @3\n  HASH PK S @5\n  RANGE SK N @5\n", "none"},
		"types in a sentence on what was":      {"# Mill\n\nWe keep all in one DynamoDB table named `mill`. Before, the key was `PK` (N).\n\n| Entity | PK | SK |\n|---|---|---|\n| Sack | `SACK#<id>` | `<at>` |\n", "table mill @3\n  HASH PK  @5\n", "none"},
		"index keys of a kind":                 {"# Mill\n\n## Table: `mill`\n\n- PK: `PK` (S)\n- SK: `SK` (S)\n- GSI1: `GSI1PK` (S), `GSI1SK` (S)\n\n### Sack\n\n`PK = SACK#<id>`, `SK = META`\nIndex keys: `GSI1PK = MILL#<mill>`, `GSI1SK = SACK#<id>`\n", "GSI1SK = SACK#{id}", "none"},
		"roles of numbered indexes":            {mill + "### Attributes\n\n| Attribute | Type | Role |\n|---|---|---|\n| `sack` | S | PK |\n| `mill` | S | GSI1 PK |\n| `at` | N | GSI1 SK |\n| `state` | S | GSI2 PK (planned) |\n| `day` | S | GSI3 PK / GSI4 SK |\n", "index GSI1 @12 \n    HASH mill S @12\n    RANGE at N @13\n", "index GSI2"},
		"one table, and more of it":            {"# Mill\n\nOne table, `sacks`. Partition it by mill.\n\n- Partition key: `sack` (String)\n- Sort key: `day` (String)\n", "table sacks @3\n", "none"},
		"a table in a bracket":                 {"# Mill\n\nSingle table (`sacks-<env>`), one index.\n\n## Keys\n\n- Partition key: `sack` (String)\n", "table sacks-<env> @3\n", "none"},
		"an index with one key in its bracket": {"# Mill\n\n## Tables\n\n| Table | Partition key | GSI |\n|---|---|---|\n| `sacks` | `sack` (S) | `ByMillIndex` (millId) |\n| `carts` | `cart` (S) | `ByDayIndex` (planned) |\n", "index ByMillIndex @7 \n    HASH millId", "planned"},
		"forms of an index by kinds":           {"# Mill\n\n## Table: `mill`\n\n- Partition key: `PK` (String)\n- Sort key: `SK` (String)\n\n| Item | PK | SK |\n|---|---|---|\n| Sack | `SACK#{id}` | `META` |\n| Cart | `CART#{id}` | `META` |\n\n## GSI1\n\n- Partition key: `GSI1PK` (String)\n- Sack: `GSI1PK=MILL#{mill}` (only if it is there) → sacks of a mill\n- Cart: `GSI1PK=DAY#{day}` was removed → carts of a day\n", "entity Sack @10\n  PK = SACK#{id} @10\n  SK = META @10\n  GSI1PK = MILL#{mill} @16\n", "DAY#"},
	} {
		says(t, name, test.text, test.said, test.guess)
	}
}

// TestLongList: a document is read once, and not once for each of the names in a long list: four times as many of them, which no list before
// had, cost four times as much. What it costs is counted in bytes of memory and in those that expressions are asked about, for time differs from run to run.
func TestLongList(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties the pools of expressions, which are filled again
	const table, fence = "# Mill\n\n## Table: `sacks`\n\n- Partition key: `sackId`\n", "\n## Requests\n\n```js\nconst one = { TableName: 'sacks', Key: { sackId: id } }\n"
	const update = "aws dynamodb update-table --table-name sacks --attribute-definitions AttributeName=k%d,AttributeType=S --global-secondary-index-updates "
	for name, row := range map[string]struct{ head, line, end string }{
		"names of indexes":               {table, "- Index name: `i%d-index`\n- Partition key: `k%d`\n", ""},
		"calls that name tables":         {table + fence, "client.send(new GetCommand({ TableName: 'carts-%d', Key: { sackId: id } }))\n", ""},
		"commands that name tables":      {table + fence, "aws dynamodb get-item --table-name carts-%d --key '{\"sackId\": {\"S\": \"%d\"}}'\n", ""},
		"calls with an input each":       {table + fence, "const p%d = { TableName: 'sacks', Key: { sackId: id } }\nclient.get(p%d)\n", ""},
		"calls with one input":           {table + fence, "s%d = client.get(one)\n", ""},
		"commands that make indexes":     {table + fence, update + "'[{\"Create\": {\"IndexName\": \"i%d-index\", \"KeySchema\": [{\"AttributeName\": \"k%d\", \"KeyType\": \"HASH\"}]}}]'\n", ""},
		"commands that delete tables":    {table + fence, "aws dynamodb delete-table --table-name carts-%d\n", ""},
		"members of a type":              {table + "\n```ts\ninterface Sack {\n", "  GSI1PK: string; // MILL%d#{mill}\n  ttl: number; // epoch seconds\n", ""},
		"items called primary keys":      {table + "\nOn DynamoDB.\n\n### The table's fields\n\n", "- `k%d` (primary key)\n", ""},
		"keys that a program builds":     {table + "\n```ts\n", "const sack%dKey = (id) => ({ sackId: `SACK%d#${id}` });\n", ""},
		"objects that no line closes":    {table + "\n```ts\n", "const sack%d = {\n", ""},
		"requests of a line each":        {table + "\n## Access patterns\n\n```\n", "Sack of mill %d   GetItem sackId = SACK%d#{id}\n", ""},
		"kinds of a line each":           {table + "\n```\n", "Sack%d   PK=SACK%d#{id}   SK=META\n", ""},
		"lines of no form below a title": {table + "\n## GSI1\n\n```\n", "A line of words: %d.\n", ""},
		"kinds below their key":          {table + "- Sort key: `part` (String)\n", "  - Sack%d: `SACK%d#<id>`\n", ""},
		"kinds with their requests":      {table + "- Sort key: `part` (String)\n\n| Entity | PK | SK | Access patterns |\n|---|---|---|---|\n", "| Sack %d | `SACK%d#<id>` | `META` | `GetItem(PK=SACK%d#<id>)` (one) |\n", ""},
		"forms below keys":               {table + "\n### Sack\n\n", "- SK: short%d\n", ""},
		"lists of indexes":               {table + "\n### Indexes\n\n", "- GSI%d: `mill%d`\n", ""},
		"indexes without names":          {table + "\n### GSIs\n\n", "- GSI on `mail%d`\n", ""},
		"examples":                       {table + "- Sort key: `part` (String)\n\n", "```json\n{\"sackId\": \"SACK#%d\", \"part\": \"META\", \"n\": %d}\n```\n\n", ""},
		"roles beside indexes":           {table + "\n## Access patterns\n\n| Pattern | GSI | Query |\n|---|---|---|\n", "| Sacks of %d | Mill%dIndex | PK = mill |\n", ""},
		"tables with their keys":         {"# DynamoDB tables\n\n", "- `sacks`: PK `sackId`, SK `day`, on %d\n", ""},
		"kinds with signs":               {table + "\n### Kinds\n\n", "- Kind%d (PK: `KIND%d#<id>`, SK: `META`)\n", ""},
		"ticks":                          {table + "\n## Access patterns\n\n", "✅ Get the sacks of mill %d\n", ""},
		"keys of tables behind names":    {"# Rivers\n\nDynamoDB\n\n", "ship%d(hash), day%d(range)\n\n", "boats: ship(hash), day(range)\n\n## Table: `mill`\n"},
	} {
		number := 1000
		cost := func(lines int) (bytes uint64, asked int64) {
			text := row.head
			for range lines {
				number++
				text += strings.ReplaceAll(row.line, "%d", fmt.Sprint(number))
			}
			text += row.end
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			from := lazyregexp.Asked()
			document, err := Read([]byte(text))
			runtime.ReadMemStats(&after)
			require.NoError(t, err, name)
			require.Len(t, document.Tables, 1, name)
			return after.TotalAlloc - before.TotalAlloc, lazyregexp.Asked() - from
		}
		cost(400) // what is made once for all documents, and for documents of that length
		few, asked := cost(100)
		many, askedMore := cost(400)
		assert.Less(t, many, 5*few, name)
		assert.Less(t, askedMore, 5*asked, "%s: bytes that expressions are asked about", name)
	}
}

// TestLongDrawnTables: a line between bars is looked at once, and not once for each line above it that begins no table.
func TestLongDrawnTables(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for name, row := range map[string]struct{ head, line string }{
		"one column in a fence":            {"```\n", "| line |\n"},
		"several columns in a fence":       {"```\n", "| line | b |\n|---|---|\n| c |\n"},
		"several columns and no rule":      {"", "│ line │ b │\n"},
		"columns, and a last line of none": {"```\n", "PK    SK\n"},
		"columns of another row's number":  {"", "│ line │ b │\n├───┼───┤\n│ c │\n"},
	} {
		cost := func(lines int) uint64 {
			text := []byte(row.head + strings.Repeat(row.line, lines) + "PK  SK\n")
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			require.NotEmpty(t, parse(text), name)
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		cost(1)
		few, many := cost(100), cost(400)
		assert.Less(t, many, 5*few, name)
	}
}

// TestLinesNameKeys holds the law that the line of a key names it, in every page of the forms: a draft cites that line.
func TestLinesNameKeys(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.[mt]*")
	require.NoError(t, err)
	named := strings.NewReplacer("\\", "", "*", "", "`", "")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		document, err := Read(text)
		if errors.Is(err, ErrNoDocument) {
			continue
		}
		require.NoError(t, err, path)
		names := func(keys []Key) {
			for _, key := range keys {
				assert.Contains(t, named.Replace(document.Line(key.Line)), key.Name, "%s:%d", path, key.Line)
			}
		}
		for _, table := range document.Tables {
			names(table.Keys)
			for _, index := range table.Indexes {
				names(index.Keys)
			}
		}
	}
}

// TestNoHeading: a document may begin with any line of any page (every third is tried), and may have lists in place of its headings: nothing stands below a heading then.
func TestNoHeading(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.[mt]*")
	require.NoError(t, err)
	others, err := filepath.Glob("testdata/not/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, others)
	reads := func(text, what string) {
		assert.NotPanics(t, func() {
			_, err := Read([]byte(text))
			assert.True(t, err == nil || errors.Is(err, ErrNoDocument), "%s: %v", what, err)
		}, what)
	}
	for turn, path := range append(paths, others...) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		lines := strings.SplitAfter(string(text), "\n")
		nested := ""
		for n, line := range lines {
			if n%3 == turn%3 {
				reads(strings.Join(lines[n:min(n+12, len(lines))], ""), fmt.Sprintf("%s from line %d", path, n+1))
			}
			if title := strings.TrimLeft(line, "#"); title != line {
				nested += "- " + strings.TrimSpace(title) + ":\n"
			} else {
				nested += "  " + line
			}
		}
		reads(nested, path+" in lists")
		reads("- Access patterns:\n  "+strings.ReplaceAll(string(text), "\n", "\n  "), path+" below an item")
	}
	reads("- Access patterns:\n  - Carts of a till via GSI1\n", "a place behind a title")
	reads("```\n// Query GSI1\nKeyCondition: GSI1PK = :pk\n// Query GSI2\nKeyCondition: GSI2PK = :pk\n```\n", "a fence before anything else")
}
