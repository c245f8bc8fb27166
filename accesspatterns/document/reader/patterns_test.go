package reader

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestConditions: a comparison whose value does not end where its form says, or is one of several, has no value or is none.
func TestConditions(t *testing.T) {
	for text, want := range map[string]string{
		// An operator as a function in place of the value.
		"pk = CREW#{id}, sk=gte(day)":                      "pk = CREW#{id}; sk >= {day}",
		"pk = CREW#{id}, sk=lt(7)":                         "pk = CREW#{id}; sk < 7",
		"pk = CREW#{id} AND sk = begins_with(\"SHIFT#\")":  "pk = CREW#{id}; begins_with(sk, SHIFT#)",
		"pk = CREW#{id}, sk=beginsWith SHIFT#":             "pk = CREW#{id}; begins_with(sk, SHIFT#)",
		"pk = CREW#{id}, sk=between(DAY#{from}, DAY#{to})": "pk = CREW#{id}; sk BETWEEN DAY#{from} AND DAY#{to}",
		"PK = true, SK < threshold":                        "PK = true; SK < ",
		// Calls that are no operators.
		"pk = CREW#{id} AND NOT sk = REST":          "pk = CREW#{id}",
		"pk = CREW#{id}, sk = latest(day)":          "pk = CREW#{id}",
		"sk > now()":                                "",
		"begins_with(sk, upper(day))":               "",
		"sk between iso(from) and iso(to)":          "",
		"pk = CREW#{id}, shifts={\"of\": \"{day}\"": "pk = CREW#{id}",
		"pk = CREW#{id}, sk = [SHIFT#, REST#]":      "pk = CREW#{id}",
		// Signs of order between values.
		"DRAFT < OPEN < SHUT":              "",
		"pk = CREW#{id}, from <= sk <= to": "pk = CREW#{id}",
		"pk = CREW#<id> sk > SHIFT#<day>":  "pk = CREW#{id}; sk > SHIFT#{day}",
		"sk < SHIFT#<day> -> newest first": "sk < SHIFT#{day}",
		// One of several values, or a part of one.
		"pk = CREW#{id} | SHIP#{id}":            "pk = ",
		"pk = CREW#{id}|SHIP#{id}":              "pk = ",
		"pk = `CREW#{id}` or `SHIP#{id}`":       "pk = ",
		"begins_with(sk, SHIFT#|REST#)":         "begins_with(sk)",
		"sk begins_with \"SHIFT#\" / \"REST#\"": "begins_with(sk)",
		"pk = \"CREW#\" + id":                   "pk = CREW#{id}",
		"pk = \"CREW#\"+id":                     "",
		"pk = \"CREW#\" || id":                  "",
		"pk = \"CREW#\" . $id":                  "",
		"pk = `CREW#` + id":                     "",
		"pk = \"CREW#\" & id":                   "",
		"pk = \"CREW#\" & sk = \"REST\"":        "pk = CREW#; sk = REST",
		"pk = \"CREW#\" + id(7)":                "",
		"pk = \"CREW#7\" + sk = \"REST\"":       "pk = CREW#7; sk = REST",
		// Blanks in parameters.
		"pk = CREW#{crew id}, sk = <day of trip>": "pk = CREW#{crew}; sk = {day}",
		"pk = ${crew id}, sk = SHIFT#[day id]":    "pk = {crew}; sk = SHIFT#{day}",
		// Words for values.
		"day = YYYY-MM-DD":                   "day = {YYYY-MM-DD}",
		"day between firstTrip and lastTrip": "day BETWEEN {firstTrip} AND {lastTrip}",
		"pk = same, sk > now":                "pk = ; sk > ",
		"crew = ?":                           "crew = ",
		"pk = crew's ship":                   "pk = ",
		"at between 'SHIFT' and 'SHIFT#~'":   "at BETWEEN SHIFT AND SHIFT#~",
		// What stands between two comparisons, or before a remark.
		"pk = CREW#{id} + sk begins_with SHIFT#":  "pk = CREW#{id}; begins_with(sk, SHIFT#)",
		"pk = CREW#{id} | sk = SHIFT#{day}":       "pk = CREW#{id}; sk = SHIFT#{day}",
		"pk = CREW#{id} / begins_with(sk, REST#)": "pk = CREW#{id}; begins_with(sk, REST#)",
		"pk = \"CREW#7\" // the crew of a ship":   "pk = CREW#7",
	} {
		var all []string
		found, _ := conditions(text, 1)
		for _, c := range found {
			assert.False(t, c.Value == "" && c.written != "" && !strings.Contains(c.written, "#"), "%s: %s is no value", text, c.written)
			all = append(all, strings.Replace(c.String(), ", )", ")", 1))
		}
		assert.Equal(t, want, strings.Join(all, "; "), text)
	}
}

// TestComparedInPart: of a request that compares a key in a way that is not read the line is named.
func TestComparedInPart(t *testing.T) {
	const row = "# Harbour\n\n## Table: `harbour`\n\n- **Partition key:** `pk` (String)\n- **Sort key:** `sk` (String)\n\n## Access patterns\n\n| Pattern | Key conditions |\n|---|---|\n| Ships | pk=SHIP#{id}%s |\n"
	for text, named := range map[string]bool{
		"": false, ", sk=META": false, ", sk = latest(day)": true, ", sk != META": true, " AND NOT sk = META": true, ", sk in (META, TRIP#)": true, ", sk contains TRIP": true,
	} {
		document, err := Read([]byte(strings.Replace(row, "%s", text, 1)))
		require.NoError(t, err)
		assert.Equal(t, named, slices.ContainsFunc(document.Unread, func(u Unread) bool { return u.Line == 12 && u.Asked }), text)
		if assert.Len(t, document.Patterns, 1, text) {
			assert.Equal(t, "pk = SHIP#{id}", document.Patterns[0].Conditions[0].String(), text)
		}
	}
}

// TestNoPatterns: what is like a list of access patterns and is none gives none.
func TestNoPatterns(t *testing.T) {
	const harbour = "# Harbour\n\n## Table: `harbour`\n\n- **Partition key:** `pk` (String)\n- **Sort key:** `sk` (String)\n\n## Access patterns\n\n"
	for name, test := range map[string]struct{ text, said, guess string }{
		"how a program is written":               {strings.Replace(harbour, "Access patterns", "Code", 1) + "### Repository pattern with meaningful names\n\n```ts\nasync getShip(id) {\n  return client.send(new GetCommand({ TableName: 'harbour', Key: { pk: `SHIP#${id}`, sk: 'META' } }));\n}\n```\n", "HASH pk", "pattern"},
		"an item of which a line has a time":     {harbour + "```\n// Main table: a trip\npk = SHIP#7\nsk = META\ncreated_at = \"2026-02-19T10:30:00Z\"\n```\n", "HASH pk", "pattern"},
		"requirements and where they are met":    {strings.Replace(harbour, "## Access patterns", "## Requirements", 1) + "| AC | Requirement | Implementation | Status |\n|---|---|---|---|\n| 1 | Ships of a quay | `src/ships.py` | ok |\n", "HASH pk", "pattern"},
		"a label over the keys of the table":     {"# Harbour: access pattern design\n\nOne DynamoDB table.\n\n## Table design\n\nPrimary keys:\n\n- `pk` (partition key)\n", "", "pattern"},
		"what a request is worth":                {harbour + "### Trips of a ship\n\n- **Operation:** `Query`\n- **Key:** `pk = SHIP#<id>`\n- **Efficiency:** Direct query, scan-free.\n", "pattern Trips of a ship @10 Query\n  pk = SHIP#{id}\n", "Efficiency"},
		"the keys of several indexes":            {harbour + "### Active indexes\n\n**GSI1: Crew**\n- Keys: `GSI1PK = CREW#{id}`, `GSI1SK = META`\n\n**GSI2: Quay**\n- Keys: `GSI2PK = QUAY#{id}`, `GSI2SK = META`\n", "HASH pk", "GSI1PK = CREW#{id}\n  GSI1SK = META\n  GSI2PK"},
		"a request that is planned":              {harbour + "- Ships of a quay → Query pk = `QUAY#{id}`\n- Ships of a crew (planned) → Query pk = `CREW#{id}`\n- Ships of a flag (removed) → Query pk = `FLAG#{id}`\n", "pattern Ships of a quay @10", "FLAG"},
		"requests that comments take back":       {harbour + "```\n# Ships of a quay\npk = QUAY#{id}\n\n# rejected\npk = CREW#{id}\n\n// proposed for v2\npk = FLAG#{id}\n\n-- (not used)\npk = TUG#{id}\n\n# Rejected ships\npk = REJ#{id}\n```\n", "pattern Rejected ships @", "CREW"},
		"requests that comments propose":         {harbour + "```\n# Ships of a quay\npk = QUAY#{id}\n\n# rejected\npk = CREW#{id}\n\n// proposed for v2\npk = FLAG#{id}\n\n-- (not used)\npk = TUG#{id}\n\n# Rejected ships\npk = REJ#{id}\n```\n", "pattern Rejected ships @", "FLAG"},
		"operations below their title":           {harbour + "### Ships of a quay\n\n- GetItem: pk = QUAY#{id}, sk = META\n", "pattern Ships of a quay @12 GetItem", "pattern GetItem"},
		"requests that one may consider":         {harbour + "- Ships of a quay: `pk = QUAY#{id}`\n\nFor production, consider:\n\n1. Adding the crew: `pk = CREW#{id}`\n", "pattern Ships of a quay @10", "CREW"},
		"steps in comments of a fence":           {harbour + "### Pages\n\n```ts\n// Caller sends: pk = SHIP#{id}\n// Handler decodes: sk = TRIP#{day}\n```\n", "HASH pk", "pattern"},
		"titles over fences of other stores":     {strings.Replace(harbour, "## Access patterns", "## Common queries", 1) + "### Count ships in all ports\n\n```sql\nSELECT count(*) FROM port_export\n```\n\n### Find ships in Athena\n\n```\nPK = 'SHIP'\n```\n\n### Search ships by word\n\n```\nPOST /ships/_search\n```\n\n### Register a pilot\n\n```json\n{\"url\": \"/pilots\"}\n```\n", "HASH pk", "pattern"},
		"queries that a cluster answers":         {harbour + "The search cluster answers these queries:\n\n- ships by word\n", "HASH pk", "pattern"},
		"calls of what is no table":              {harbour + "```\nGetItem(bucket: \"flags\", name: \"7\")\n```\n", "HASH pk", "pattern"},
		"an index that no line gives":            {harbour + "```\nQuery(index: \"by-mast\", mast: \"M\")\n```\n", "HASH pk", "Query"},
		"a short word before a part of the key":  {harbour + "- Trips of a ship: GET pk = SHIP#{id}\n", "  pk = SHIP#{id}", "GetItem"},
		"titles of steps":                        {harbour + "1. Validate\n2. Book a berth\n3. Send an e-mail\n", "HASH pk", "pattern"},
		"titles that are no steps":               {harbour + "1. Book a berth\n2. Send a ship away\n", "pattern Send a ship away", "none"},
		"notes below a title of access patterns": {strings.Replace(harbour, "# Harbour", "# Access patterns of the harbour", 1) + "- Trips: Query `pk = SHIP#{id}`\n\n## Scaling notes\n\n- For busy ships add the year:\n  - `pk = BUSY#{id}#{year}`\n", "pk = SHIP#{id}", "BUSY"},
		"what a policy allows":                   {harbour + "| Function | Actions | Resource |\n|---|---|---|\n| `putShip` | `dynamodb:PutItem`, `dynamodb:UpdateItem` | table |\n| `getShip` | `dynamodb:GetItem` | table |\n", "HASH pk", "pattern"},
		"sentences that begin with no verb":      {harbour + "- Get a ship by its id.\n- All ships are in one table.\n", "HASH pk", "pattern"},
		"the roles of keys that lines dispute":   {"# Harbour\n\n## Table: `harbour`\n\n- **Partition key:** `quay` (String)\n- **Sort key:** `day` (String)\n\n**Access patterns**\n\n- *Ships of a quay* → `Query (PK=quay)`\n\n## Table: `harbour`\n\n- **Partition key:** `day` (String)\n- **Sort key:** `quay` (String)\n", "pattern Ships of a quay @10 Query\n", "PK ="},
		"steps below the title of a process":     {harbour + "### Berth search workflow\n\n1. Query ships by quay\n2. Apply filters using GSI1\n", "HASH pk", "pattern"},
		"requests in the steps of a process":     {harbour + "- Parse the form\n- Berth of a ship: Query `pk = SHIP#{id}`\n- Return it\n", "HASH pk", "pattern"},
	} {
		says(t, name, test.text, test.said, test.guess)
	}
}

// TestRequests: requests in words and calls, in the cell of a row or behind a title.
func TestRequests(t *testing.T) {
	const harbour = "# Harbour\n\n## Table: `harbour`\n\n- **Partition key:** `pk` (String)\n- **Sort key:** `sk` (String)\n\n## Access patterns\n\n"
	for name, test := range map[string]struct{ text, said, guess string }{
		"what an index is asked for":                          {harbour + "## GSI1 - ships by quay\n\n- **PK:** `GSI1PK`\n\n**Access patterns:**\n- List all ships of a quay, newest first (ScanIndexForward: false)\n- Used by the map\n- `GSI1PK = QUAY#<quay>` → all ships\n", "pattern List all ships of a quay, newest first @15  GSI1\n", "map"},
		"the example of a pattern in code":                    {harbour + "### Get all trips of a ship\n\n```\npk: SHIP#{id}\nsk: TRIP#{day}\n```\n\n**Query example:**\n\n```python\ntable.query(\n    KeyConditionExpression='pk = :pk AND begins_with(sk, :sk)',\n    ExpressionAttributeValues={':pk': 'SHIP#7', ':sk': 'TRIP#'},\n)\n```\n\n**Scaling considerations:**\n- Scan reads the whole table\n\n### Get all crews\n\n**Query example - Crews of a flag:**\n\n```python\ntable.query(KeyConditionExpression='pk = :pk', ExpressionAttributeValues={':pk': 'FLAG#7'})\n```\n", "pattern Get all trips of a ship @10 Query\n  pk = SHIP#{id}\n  begins_with(sk, TRIP#)\npattern Crews of a flag @34 Query code\n  pk = FLAG#7\n", "Scan"},
		"fields behind an arrow":                              {harbour + "1. Get a ship -> Index: Main table | pk: SHIP#<id> | sk: META\n2. Get trips of a ship -> pk: SHIP#<id> | sk begins_with TRIP# | Limit: 5\n", "pattern Get a ship @10 \n  pk = SHIP#{id}\n  sk = META\npattern Get trips of a ship @11 Query limit 5\n  pk = SHIP#{id}\n  begins_with(sk, TRIP#)\n", "none"},
		"what another line states again":                      {harbour + "- List trips of a ship\n- Name of a ship: `GetItem` pk = `SHIP#<id>`, sk = `META`\n\n## Queries\n\n### List trips of a ship\n\n```js\nclient.send(new QueryCommand({ TableName: 'harbour', KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': 'SHIP#7' } }))\n```\n\n### Name of a ship\n\n```js\nclient.send(new GetCommand({ TableName: 'harbour', Key: { pk: 'QUAY#7', sk: 'META' } }))\n```\n", "pattern List trips of a ship @10 Query\n  pk = SHIP#7\npattern Name of a ship @11 GetItem\n  pk = SHIP#{id}\n  sk = META\npattern Name of a ship @", "pattern List trips of a ship @15"},
		"queries of indexes by their names":                   {"# Harbour\n\n## Table: `ships`\n\n- **Partition key:** `id` (String)\n\n### GSI: `ByQuay`\n\n- **Partition key:** `quay`\n- **Sort key:** `day`\n\n## Access patterns\n\n### 1. Newest ship of a quay\n\n```\nQuery: ByQuay\nPK = quay\nLimit = 1\n```\n\n### 2. A ship\n\n```\nQuery: ships\nPK = id\n```\n\n### 3. Ships of a quay\n\n```\nQuery: ships.ByQuay\nPK = quay\n```\n", "pattern Newest ship of a quay @14 Query ByQuay limit 1\n  quay = \npattern A ship @22 Query\n  id = \npattern Ships of a quay @29 Query ByQuay\n  quay = \n", "none"},
		"one of two prefixes":                                 {harbour + "| Access pattern | How |\n|---|---|\n| Logs of a ship | Query `pk=SHIP#<id>`, `sk` begins with `DECK#` / `CREW#` |\n", "pattern Logs of a ship @12 Query\n  pk = SHIP#{id}\n", "begins_with"},
		"verbs in whole sentences":                            {harbour + "- Create/read a ship.\n- List the trips of a ship.\n", "pattern Create/read a ship @10 \npattern List the trips of a ship @11 \n", "none"},
		"a scan and what it keeps":                            {harbour + "1. **Get a ship**: `pk = SHIP#7`\n2. **Filter by flag**: `flag = \"green\"` (using scan + filter)\n", "pattern Filter by flag @11 Scan\n  flag = green\n", "none"},
		"an attribute behind its table":                       {"# Harbour\n\n## Table: `Ships`\n\n- **Partition key:** `id` (String)\n\n## Table: `Crews`\n\n- **Partition key:** `id` (String)\n\n## Access patterns\n\n1. **Get a crew**: Crews.id = ?\n", "pattern Get a crew @13 \n  id = \n", "Crews.id"},
		"what a label says an index is for":                   {strings.Replace(harbour, "Access patterns", "Indexes", 1) + "### GSI1 - Time lookup\n\n- **PK:** `GSI1PK`\n- **Use case**: Query ships by the day of arrival\n", "pattern Query ships by the day of arrival @13 Query GSI1\n", "Time lookup"},
		"a column of sort keys and their conditions":          {harbour + "| Operation | DDB Op | pk | sk / sk condition |\n|---|---|---|---|\n| Get a ship | GetItem | `SHIP#{id}` | `META` |\n", "pattern Get a ship @12 GetItem\n  pk = SHIP#{id}\n  sk = META\n", "none"},
		"the first item over a fence":                         {harbour + "### Common query patterns\n\n1. **Get daily costs**:\n```python\ntable.query(\n    KeyConditionExpression=Key('pk').eq('SHIP#7')\n)\n```\n", "pattern Get daily costs @12 Query code\n  pk = SHIP#7\n", "Common"},
		"requests before what they find in a program's fence": {strings.Replace(harbour, "Access patterns", "Common queries", 1) + "```java\n// Direct\nGET pk=\"SHIP#7\", sk=\"META\"   // Get a ship\nQUERY pk=\"SHIP#7\", sk begins_with \"TRIP#\"   // Trips of a ship\n```\n", "pattern Get a ship @12 GetItem\n  pk = SHIP#7\n  sk = META\npattern Trips of a ship @13 Query\n", "Direct"},
		"an operation with its condition":                     {strings.Replace(harbour, "Access patterns", "Booking a berth", 1) + "- Operation: PutItem with ConditionExpression `attribute_not_exists(pk)`\n", "pattern Booking a berth @8 PutItem", "none"},
		"a comparison of an index that no line gives":         {harbour + "| Pattern | Operation | pk | sk | Index |\n|---|---|---|---|---|\n| Ships by day | Query | `pk = :quay` | `arrived BETWEEN :a AND :b` | `quay-day-index` |\n", "  arrived BETWEEN {a} AND {b}\n", "none"},
		"access patterns in the bracket of a title":           {strings.Replace(harbour, "Access patterns", "操作（アクセスパターン）", 1) + "| 操作 | 場面 | DynamoDBの使い方 |\n|---|---|---|\n| 船の取得 | 窓口 | `GetItem` |\n", "pattern 船の取得 @12 GetItem\n", "none"},
		"an example that asks another table":                  {strings.Replace(harbour, "## Access patterns", "## Table: `trips`\n\n- **Partition key:** `pk` (String)\n\n### Access patterns", 1) + "#### Get all trips of a crew\n\n```\npk: CREW#{id}\n```\n\n**Example:**\n\n```js\nclient.send(new QueryCommand({ TableName: 'harbour', KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': 'CREW#7' } }))\n```\n", "pattern Get all trips of a crew @14 \n  pk = CREW#{id}\npattern Get all trips of a crew @23 Query code\n", "none"},
		"a pattern below the number of its row":               {harbour + "| # | Access pattern | Operation |\n|---|---|---|\n| AP-1 | Get a ship | GetItem |\n| AP-2 | Trips of a ship | Query |\n\n## Example operations\n\n### Access Pattern 1: Get one ship by id\n\n```\nGetItem:\n  TableName: harbour\n  Key:\n    pk: \"SHIP#7\"\n    sk: \"META\"\n```\n\n### Access Pattern 2: Days of a ship's trips\n\n```\nQuery:\n  TableName: harbour\n  KeyConditionExpression: \"pk = :ship\"\n  ExpressionAttributeValues:\n    \":ship\": \"SHIP#7\"\n```\n", "pattern Get a ship @12 GetItem\n  pk = SHIP#7\n  sk = META\npattern Trips of a ship @13 Query\n  pk = SHIP#7\n", "Days of"},
		"the example in code of what a list asks":             {harbour + "- Trips of a ship: Query `pk = SHIP#{id}`\n- Ships of a quay: Query `pk = QUAY#{id}`\n\n## Code\n\n### Find where it went\n\n```js\nconst params = { TableName: 'harbour', KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': 'SHIP#7' } };\nawait client.send(new QueryCommand(params));\n```\n", "pattern Ships of a quay @11", "Find where"},
		"another request in code":                             {harbour + "- Trips of a ship: Query `pk = SHIP#{id}`\n\n## Code\n\n### Find the last trip\n\n```js\nawait client.send(new QueryCommand({ TableName: 'harbour', KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': 'SHIP#7' }, Limit: 1 }));\n```\n", "Find the last trip", "none"},
		"a condition in the section of an index":              {harbour + "## GSI1: ByQuay\n\n| Setting | Value |\n|---|---|\n| Index name | by-quay |\n| Partition Key | quay |\n| Sort Key | day |\n\n**Query example:**\n\n```\nquay = \"Q1\" AND day BETWEEN \"2024-01-01\" AND \"2024-12-31\"\n```\n", "Query by-quay\n  quay = Q1\n", "none"},
		"a list of queries":                                   {harbour + "- Trips: Query `pk = SHIP#{id}`\n\n**Possible query patterns:**\n\n- Get a ship\n- List ships of a quay\n\n**Query patterns:**\n\n- Indexed\n- Get no ship\n- Small\n", "pattern Get a ship @14 \npattern List ships of a quay @15", "no ship"},
		"what is asked of the primary key":                    {harbour + "| Access pattern | Dynamo operation |\n|---|---|\n| Get a ship | Ship primary-key get |\n| Trips of a ship | primary-key query |\n| Rename a ship | primary-key tour |\n", "pattern Get a ship @12 GetItem\npattern Trips of a ship @13 Query\npattern Rename a ship @14 \n", "none"},
		"requests below a title on costs":                     {harbour + "### Cost operations\n\n| Operation | Query |\n|---|---|\n| Get costs of a ship | `Query: pk=COST#{ship}` |\n", "pattern Get costs of a ship @14 Query\n  pk = COST#{ship}", "none"},
		"an index behind an arrow":                            {harbour + "- ✅ Query ships by quay → Uses `by-quay`\n- ✅ Get the mast → Direct key lookup\n\n## GSI: `by-quay`\n\n- Partition key: `quay`\n", "pattern Query ships by quay @10 Query by-quay", "none"},
		"sections below a section by their numbers":           {"# Harbour\n\n## 1. Table: `harbour`\n\n- **Partition key:** `pk` (String)\n- **Sort key:** `sk` (String)\n\n## 2. Access pattern mapping\n\n## 2.1 Ships\n\n- Get a ship by its name:\n  - `GetItem(pk=SHIP#{id}, sk=META)`\n\n### Trips\n\n- Trips of a ship:\n  - `Query pk=SHIP#{id}`\n\n## 3. Costs\n\n- Trips of a crew:\n  - `Query pk=CREW#{id}`\n", "pattern Get a ship by its name @13 GetItem\n  pk = SHIP#{id}\n  sk = META\npattern Trips of a ship @18 Query\n  pk = SHIP#{id}\n", "CREW"},
		"a number with a unit":                                {harbour + "| Access pattern | Operation |\n|---|---|\n| Is a ship there | `GetItem` with `pk = SHIP#{id}, sk = META` (cached for <60s) |\n", "pattern Is a ship there @12 GetItem\n  pk = SHIP#{id}\n  sk = META\n", "60"},
		"an example of an index that a list asks":             {harbour + "- Ships of a quay: Query `by-quay` where `quay = {quay}`\n\n## GSI: `by-quay`\n\n- Partition key: `quay`\n- Sort key: `day`\n\n**Example Query**:\n\n```\nquay = \"Q7\"\nday begins_with \"2024\"\n```\n", "pattern Ships of a quay @10 Query by-quay\n  quay = {quay}\n", "day, 2024"},
		"requests in words below titles":                      {"# Harbour\n\n### Ships Table\n\n**Table Name**: `HarbourShips`\n\n- Partition Key: `ship` (String)\n\n### Trips Table\n\n**Table Name**: `HarbourTrips`\n\n- Partition Key: `ship` (String)\n- Sort Key: `day` (String)\n\n**GSI 1**: Quay Index\n\n- Partition Key: `quay` (String)\n\n## Access Patterns\n\n1. **Get a ship**\n\n   - Direct lookup on Ships table with ship\n\n2. **Get its trips**\n\n   - Query Trips table using ship as partition key\n   - Sort by day for the latest\n\n3. **Get one trip**\n   - Query Trips table using ship and day\n4. **Find how often a quay is used**\n   - Query Trips GSI 1 (Quay Index) with quay\n5. **Find all crews**\n   - Query Crews table using ship\n", "pattern Get a ship @24 \n  ship = \npattern Get its trips @28 Query\n  ship = \npattern Get one trip @32 Query\n  ship = \n  day = \npattern Find how often a quay is used @34 Query GSI1\n  quay = \npattern Find all crews @35 \n", "Crews"},
		"prefixes before the word":                            {harbour + "- Trips of a ship: Query `SHIP#<id>`, SK `TRIP#` prefix\n- A ship: Query `SHIP#<id>` SK `META`\n- Crew of a ship: base-table `Query` on `pk = SHIP#<id>` with `CREW#` sort-key prefix. Crews do not include cooks.\n- Ships of a quay: `Query` GSI1 with `QUAY#<id>` and `SHIP#` prefix, newest first\n- Ships by state: GSI1 Query `STATE#<state>`\n- Crew or cooks: Query `SHIP#<id>`, SK `CREW#` / `COOK#` prefix\n", "pattern Trips of a ship @10 Query\n  pk = SHIP#{id}\n  begins_with(sk, TRIP#)\npattern A ship @11 Query\n  pk = SHIP#{id}\n  sk = META\npattern Crew of a ship @12 Query\n  pk = SHIP#{id}\n  begins_with(sk, CREW#)\npattern Ships of a quay @13 Query GSI1\n", "COOK"},
		"requests beside kinds of items":                      {harbour + "| エンティティ | PK | SK | 主なアクセス |\n|---|---|---|---|\n| 埠頭 | `QUAY` | `<quay>` | `Query PK=QUAY`（全件）/ `GetItem` |\n| 船 | `SHIP` | `<ship>` | `GetItem` / `PutItem`、`ttl` 付与 |\n", "pattern 埠頭: 全件 @12 Query\n  pk = QUAY\npattern 埠頭: GetItem @12 GetItem\n  pk = QUAY\n  sk = {quay}\npattern 船: GetItem @13 GetItem\n  pk = SHIP\n  sk = {ship}\npattern 船: PutItem @13 PutItem\n", "none"},
		"two titles before one request":                       {harbour + "- Get a ship; list its trips (GSI1 `SHIP#<id>`)\n", "HASH pk", "SHIP#{id}"},
		"operations in a column of remarks":                   {harbour + "| Access pattern | Key condition | Notes |\n|---|---|---|\n| A ship | pk=SHIP#{id}, sk=META | GetItem |\n| Its trips | pk=SHIP#{id} | a GetItem for each |\n", "pattern A ship @12 GetItem\n  pk = SHIP#{id}\n  sk = META\npattern Its trips @13 \n", "none"},
		"values that a list has":                              {strings.Replace(harbour, "## Access", "- GSI1: `GSI1PK`, `GSI1SK`\n\n## Access", 1) + "| Access pattern | Index |\n|---|---|\n| Ships at the quay | GSI1 (PK=moored) |\n| Ships of a flag | GSI1 (PK=flag) |\n\n## Attributes\n\n- `state`: `moored` / `sailing`\n- `flag`: of its country / crew\n", "pattern Ships at the quay @14 Query GSI1\n  GSI1PK = moored\n", "GSI1PK = flag"},
		"methods of HTTP for titles":                          {harbour + "| Method | Endpoint | Description |\n|---|---|---|\n| `POST` | `/ships` | Create a ship |\n\n- A ship: `GetItem(pk, sk)`\n", "pattern A ship @14 GetItem\n", "POST"},
		"an example by the same words":                        {harbour + "- Get the trips of a ship: Query `pk = SHIP#<id>`, `sk begins_with TRIP#`\n\n### Example queries\n\n1. Get the Trips of a Ship:\n\n```\npk = \"SHIP#ship-7\"\nsk begins_with \"TRIP#\"\n```\n", "pattern Get the trips of a ship @10 Query\n  pk = SHIP#{id}\n  begins_with(sk, TRIP#)\n", "ship-7"},
		"an example below the name of its table":              {strings.Replace(harbour, "## Table: `harbour`", "## Table 1: harbour", 1) + "- Get a ship → `get_item()`\n\n## Table 1: harbour\n\n```python\ntable.get_item(Key={'pk': 'SHIP#7', 'sk': 'META'})\n```\n", "pattern Get a ship @10 GetItem\n", "Table 1"},
		"roles of an index by the names of attributes":        {harbour + "| Pattern | GSI | Query |\n|---|---|---|\n| Ships of a flag | FlagIndex | PK = flag |\n| Ships of a state | StateIndex | PK = state, SK = arrived |\n| Ships of a port | PlaceIndex | PK = moored |\n| Flags of ships | FlagshipIndex | PK = flag |\n| Ships by tons | FlagshipIndex | PK = flag, SK begins_with heavy |\n\n## Attributes\n\n- `state`: what it does\n", "pattern Ships of a flag @12 Query FlagIndex\n  flag = \npattern Ships of a state @13 Query StateIndex\n  state = \n  arrived = \npattern Ships of a port @14  PlaceIndex\npattern Flags of ships @15  FlagshipIndex\npattern Ships by tons @16  FlagshipIndex\n", "moored ="},
		"requests below routes":                               {harbour + "## `GET /me`\n\n- Query `pk = CREW#{id}` for `PROFILE` and `STATS`.\n\n## `GET /ships/{id}`\n\n- Get item `pk = SHIP#{id}`, `sk = META`.\n\n## `POST /trips`\n\n- Write the trip below its ship.\n", "pattern GET /me @12 Query\n  pk = CREW#{id}\npattern GET /ships/{id} @16 GetItem\n  pk = SHIP#{id}\n  sk = META\n", "STATS"},
		"patterns of a thing":                                 {strings.Replace(harbour, "## Access patterns", "- **GSI**: `by-quay` (`quay`, `day`)\n\n## Ships", 1) + "| Ship access pattern | Operation |\n|---|---|\n| Ships of a quay | Descending query on `by-quay` |\n| Ships at the quay | `Query(quay)` on GSI |\n| A ship | Consistent `GetItem` |\n", "pattern Ships of a quay @14 Query by-quay\npattern Ships at the quay @15 Query by-quay\n  quay = \npattern A ship @16 GetItem\n", "none"},
		"main queries in Korean":                              {strings.Replace(harbour, "Access patterns", "주요 쿼리", 1) + "| 작업 | API | 설명 |\n|---|---|---|\n| 배 조회 | `GetItem(pk, sk)` | 배 하나 |\n| 배 등록 | `PutItem` | 새로운 배 |\n", "pattern 배 조회 @12 GetItem\n  pk = \n  sk = \npattern 배 등록 @13 PutItem\n", "none"},
		"a value beside a TTL":                                {harbour + "- A cache of a ship: PK=`CACHE#<id>`, SK=`RESULT` + TTL\n", "pattern A cache of a ship @10 \n  pk = CACHE#{id}\n  sk = RESULT\n", "none"},
		"a number that counts":                                {harbour + "| Access pattern | Request |\n|---|---|\n| 1船を取得 | GetItem `pk = SHIP#7`, `sk = META` |\n", "pattern 1船を取得 @12 GetItem\n", "none"},
		"a fence below an item at the margin":                 {strings.Replace(harbour, "Access patterns", "Queries", 1) + "1. **Trips of a ship**\n```python\ntable.query(\n    KeyConditionExpression=Key('pk').eq(f'SHIP#{id}')\n)\n```\n", "pattern Trips of a ship @10 Query code\n  pk = SHIP#{id}\n", "Queries"},
		"values of both keys in one":                          {harbour + "| Access pattern | Request |\n|---|---|\n| A trip | GetItem `SHIP#7/TRIP#1` |\n", "pattern A trip @12 GetItem\n", "pk ="},
		"what is done before how":                             {harbour + "| Operation | Input | Access |\n|---|---|---|\n| Delete ship | its id | limit-1 queries on the trips |\n| Delete quay | its id | a limit-1 query |\n", "pattern Delete ship @12 \n", "limit-1"},
		"a request in lines below its title":                  {harbour + "### Long trips of a ship\n\n```\nQuery GSI1: GSI1PK = \"TRIPS#7\"\nFilter: GSI1SK begins_with \"LONG\"\n```\n", "pattern Long trips of a ship @10 Query GSI1\n  GSI1PK = TRIPS#7\n", "pattern Filter"},
		"names of both keys alone":                            {harbour + "| Access pattern | Keys used | Example |\n|---|---|---|\n| Trips of a ship | pk, sk | pk=`SHIP#7`, sk begins_with `TRIP#` |\n", "pattern Trips of a ship @12 Query\n  pk = \n  begins_with(sk, )\n", "SHIP#7"},
		"comparisons before what they find":                   {harbour + "- `pk = QUAY#<quay>` → ships of a quay\n- `pk = QUAY#<quay>` + `begins_with(sk, TRIP#)` → trips of a quay\n- `state = OPEN` → `state = DONE`\n- DRAFT → OPEN\n", "pattern ships of a quay @10 \n  pk = QUAY#{quay}\npattern trips of a quay @11 Query\n  pk = QUAY#{quay}\n  begins_with(sk, TRIP#)\n", "OPEN"},
		"names of keys behind a place":                        {"# Harbour\n\n### Ships\n\n- **Table name:** `HarbourShips`\n- **Partition key:** `quay` (String)\n- **Sort key:** `ship` (String)\n- **GSI:** `ByFlag` (PK: `flag`)\n\n### Trips\n\n- **Table name:** `HarbourTrips`\n- **Partition key:** `ship` (String)\n\n## Access patterns\n\n- Ships of a quay: Query `Ships` table with `quay` partition key ✅\n- A ship: Direct query on `Ships` with `quay` and `ship` ✅\n- Ships of a flag: Query `ByFlag` GSI with `flag` and sort by `tons` ✅\n- Cranes: Query `Cranes` table with `quay` partition key\n", "pattern Ships of a quay @17 Query\n  quay = \npattern A ship @18 Query\n  quay = \n  ship = \npattern Ships of a flag @19 Query ByFlag\n  flag = \n", "none"},
		"an operation beside its remark":                      {harbour + "| Access pattern | Notes | Operation |\n|---|---|---|\n| A ship | GetItem - where there is one | Query |\n", "pattern A ship @12 Query\n", "GetItem"},
		"a key by its name beside an order":                   {strings.Replace(harbour, "`sk`", "`left`", 1) + "| Access pattern | Keys |\n|---|---|\n| Top ships | `pk = QUAY#<quay>`, `left = <left>#<id>`, query desc |\n", "pattern Top ships @12 Query descending\n  pk = QUAY#{quay}\n", "left = {left}"},
		"a value before with":                                 {harbour + "| Access pattern | Operation |\n|---|---|\n| Trips of a ship | Query `SHIP#id` with `begins_with(sk, TRIP#)` |\n", "  pk = SHIP#{id}\n  begins_with(sk, TRIP#)\n", "none"},
		"calls with their options":                            {harbour + "- `Query(pk, ScanIndexForward=False, Limit=5)` — the newest trips\n- `Query(pk, Limit=5)` - five trips\n- `fetch(pk, limit=5)` — what a program calls\n", "pattern the newest trips @10 Query descending limit 5\n  pk = \npattern five trips @11 Query limit 5\n", "program"},
		"lists below the names of tables":                     {harbour + "### Harbour\n\n- Get a ship by its id\n- 船の一覧を取得する\n- Paint is dry\n\n### Layout\n\n- Get the colours right\n", "pattern Get a ship by its id @12 \npattern 船の一覧を取得する @13 \n", "colours"},
		"a part that validates":                               {"# Harbour\n\n## Table: `harbour`\n\n- **Partition key:** `pk` (String)\n\n## Validation: access patterns and queries\n\n### AP-01 - Paint a ship\n\n- `UpdateItem(pk=SHIP#<id>)`\n- Condition: `paintedAt < :now`\n\n### AP-02 - Ships\n\n- `Query(pk=SHIP#<id>)`\n- Operation: `GetItem`\n\n## Validation\n\n- `GetItem(pk=GATE#<id>)`\n", "pattern AP-01 - Paint a ship @11 UpdateItem\n  pk = SHIP#{id}\npattern AP-02 - Ships @14 GetItem\npattern AP-02 - Ships @16 Query\n  pk = SHIP#{id}\n", "GATE"},
		"the form of a key beside an order":                   {harbour + "| Access pattern | Keys |\n|---|---|\n| Top ships of a quay | `pk = QUAY#<quay>`, `sk = <tons:5>#<id>`, query desc |\n| A ship | `pk = SHIP#<id>`, `sk = <tons>` |\n", "pattern Top ships of a quay @12 Query descending\n  pk = QUAY#{quay}\npattern A ship @13 ", "sk = {tons}#"},
		"a comment over the one request":                      {harbour + "### **List the trips of a ship:**\n\n```js\n// Query all trips of ship 1\nconst params = {\n  TableName: 'harbour',\n  KeyConditionExpression: 'pk = :pk',\n  ExpressionAttributeValues: { ':pk': 'SHIP#1' },\n};\n```\n", "pattern List the trips of a ship @10 Query", "Query all trips"},
		"a comment below a title of code":                     {harbour + "### Repository\n\n```js\n// Query all trips of a ship\nconst params = {\n  TableName: 'harbour',\n  KeyConditionExpression: 'pk = :pk',\n  ExpressionAttributeValues: { ':pk': 'SHIP#1' },\n};\n```\n", "pattern Query all trips of a ship", "pattern Repository"},
		"calls of helpers in a column":                        {harbour + "| Access pattern | Method |\n|---|---|\n| A ship | `get_item(\"SHIP#{id}\", \"META\")` |\n| All of a ship | `query_pk(\"SHIP#{id}\")` → newest first, sort by sk desc, limit 5 |\n", "pattern A ship @12 GetItem\n  pk = SHIP#{id}\n  sk = META\npattern All of a ship @13 Query descending limit 5\n  pk = SHIP#{id}", "none"},
		"a column of calls without a word":                    {harbour + "| Access pattern | Calls |\n|---|---|\n| A ship | `get_item(\"SHIP#{id}\", \"META\")` |\n| Ships | `scan()` |\n", "pattern A ship @12 GetItem\n  pk = SHIP#{id}\n  sk = META\npattern Ships @13 Scan", "none"},
		"calls behind arrows":                                 {harbour + "- A ship → `get_item()`\n- Paint a ship → `update_item()`\n", "pattern A ship @10 GetItem\npattern Paint a ship @11 UpdateItem", "none"},
		"the table in other languages":                        {harbour + "| Patrón | Operación | Índice | Condición |\n|---|---|---|---|\n| Leer un barco | GetItem | Tabla | `pk = SHIP#{id}` y `sk = META` |\n| Crear un barco | PutItem | メインテーブル | - |\n| Barcos | Query | Tablas | - |\n", "pattern Leer un barco @12 GetItem\n  pk = SHIP#{id}\n  sk = META\npattern Crear un barco @13 PutItem\npattern Barcos @14 \n", "none"},
		"an index by its name":                                {harbour + "- Ships of a quay: Query `by-quay-index` with `quay` of the pier\n", "pattern Ships of a quay @10 Query", "none"},
		"a write, if there is none":                           {harbour + "- Register a ship (`PutItem` with `attribute_not_exists(pk)`)\n", "pattern Register a ship @10 PutItem", "none"},
		"titles in bold type":                                 {harbour + "**A ship.** `GetItem` with `pk = SHIP#{id}` and `sk = META`.\n\n**Never do this.** `Query` with `pk = ALL`.\n\n**Rejected.** `Scan` the table.\n\n**Step 2.** `PutItem` the ship.\n", "pattern A ship @10 GetItem\n  pk = SHIP#{id}\n  sk = META\n", "pattern Never"},
		"titles below a label in a list":                      {"# Harbour\n\n#### Ships Table\n- **Partition Key**: `ship` (String)\n- **Access Patterns**:\n  - List the trips of a ship\n  - Find a trip\n", "pattern List the trips of a ship @6 \npattern Find a trip @7 \n", "none"},
		"an operation behind the table":                       {harbour + "| Access pattern | Index |\n|---|---|\n| Crew of a ship | Table query on the ship |\n| Ships | main table scan |\n| Ships of a crew | Table query, or GSI1 |\n", "pattern Crew of a ship @12 Query\npattern Ships @13 Scan\npattern Ships of a crew @14 \n", "none"},
		"a kind behind an index":                              {harbour + "## GSI: `by-quay`\n\n- Partition key: `quay` (String)\n\n## Further access patterns\n\n| Pattern | Operation | Key used | Index used |\n|---|---|---|---|\n| Ships of a quay | Query | `quay = {quay}` | `by-quay` (GSI) |\n", "@18 Query by-quay\n  quay = {quay}", "none"},
		"two operations in a row":                             {harbour + "| Access pattern | Operation | Request |\n|---|---|---|\n| A ship | GetItem | `GetItem(pk=SHIP#{id}, sk=META)` |\n| New ships | PutItem | BatchWriteItem |\n", "pattern A ship @12 GetItem\n  pk = SHIP#{id}\n  sk = META\npattern New ships @13 \n", "none"},
		"an index in quotes":                                  {harbour + "### Ships of a quay\n\n```js\nIndexName: 'by-quay-index',\nKeyConditionExpression: 'quay = :quay',\nExpressionAttributeValues: {\n  ':quay': quayOfShip,\n}\n```\n", "Query by-quay-index\n  quay = {quayOfShip}", "none"},
		"an operator behind its value":                        {harbour + "| Access pattern | pk | sk |\n|---|---|---|\n| Trips | `SHIP#{id}` | `TRIP#` begins_with |\n| Crew | `SHIP#{id}` | `CREW#*` |\n", "  begins_with(sk, TRIP#)\npattern Crew @13 Query\n  pk = SHIP#{id}\n  begins_with(sk, CREW#)", "none"},
		"a sign for what follows":                             {harbour + "### Trips of a ship\n\n```\npk: SHIP#{id}\nsk: TRIP#*\n```\n", "begins_with(sk, TRIP#)", "sk = TRIP#"},
		"a cell of a key without a value":                     {harbour + "| Access pattern | Operation | pk | sk |\n|---|---|---|---|\n| Trips | Query | `SHIP#{id}` | any |\n", "@12 Query\n  pk = SHIP#{id}\n", "  sk"},
		"a request by its variable":                           {harbour + "### A ship\n\n```js\nconst other = { TableName: 'harbour', Key: { pk: 'QUAY#1' } };\nvar params = {\n  TableName: 'harbour',\n  Key: { pk: `SHIP#${id}`, sk: 'META' },\n};\nclient.get(params, function (err, ship) {});\n```\n", "pattern A ship @10 GetItem code\n  pk = SHIP#{id}\n  sk = META\n", "QUAY"},
		"operations without a title":                          {harbour + "- `GetItem` by `pk`.\n- `PutItem` on a new ship.\n- `Query` (not used yet) by `sk`\n- `DeleteItem` in the future\n", "pattern GetItem by pk @10 GetItem\npattern PutItem on a new ship @11 PutItem\n", "DeleteItem"},
		"a cache by a variable":                               {harbour + "### A ship\n\n```js\nconst entry = { Key: 'A', Item: 'B' };\ncache.put(entry);\n```\n", "HASH pk", "PutItem"},
		"a variable that is no request":                       {harbour + "### A ship\n\n```js\nconst ship = { name: 'Alba' };\nships.put(ship, () => {});\n```\n", "HASH pk", "PutItem"},
		"short words before keys":                             {harbour + "- A new ship\n  - Put - `pk = SHIP#{id}`\n- Less of it\n  - Delete - the ship\n", "pattern A new ship @11 PutItem\n  pk = SHIP#{id}\n", "DeleteItem"},
		"arguments with colons":                               {harbour + "- A ship → `GetItem(pk: \"SHIP#7\", sk: \"META\")`\n- Ships of a quay → `Query(GSI: by-quay-index, quay: \"Q7\", ScanIndexForward: false)`\n- A new ship → `PutItem(pk: \"SHIP#7\", ...)`\n", "pattern A ship @10 GetItem\n  pk = SHIP#7\n  sk = META\npattern Ships of a quay @11 Query by-quay-index descending\n  quay = Q7\npattern A new ship @12 PutItem\n", "none"},
		"calls alone in fences":                               {harbour + "### 1. Paint a ship\n\n```\nPutItem(pk: \"SHIP#7\", ...)\n```\n\n### 2. Ships of a quay\n\n```\nQuery(GSI: by-quay-index, quay: \"Q7\")\n```\n\n### 3. Health\n\n```\nGetItem + PutItem (probes)\n```\n", "pattern Paint a ship @13 PutItem\npattern Ships of a quay @19 Query by-quay-index\n  quay = Q7\n", "Health"},
		"a call with members":                                 {harbour + "### A ship\n\n```python\nGetItem(\n  TableName='harbour',\n  Key={'pk': 'SHIP#7', 'sk': 'META'}\n)\n```\n", "pattern A ship @10 GetItem code\n  pk = SHIP#7\n  sk = META\n", "none"},
		"words before an operation":                           {harbour + "| Access pattern | Operation | pk |\n|---|---|---|\n| Sink a ship | Conditional DeleteItem | `SHIP#{id}` |\n| Ships | 3x Query | `SHIPS` |\n", "pattern Sink a ship @12 DeleteItem\n  pk = SHIP#{id}\npattern Ships @13 \n", "none"},
		"a function behind its key":                           {harbour + "| Access pattern | Query |\n|---|---|\n| A ship | GET pk = SHIP#\\<id\\> AND sk = META |\n| Trips | QUERY pk = SHIP#\\<id\\> AND sk BeginsWith(TRIP#) |\n", "pattern A ship @12 GetItem\n  pk = SHIP#{id}\n  sk = META\npattern Trips @13 Query\n  pk = SHIP#{id}\n  begins_with(sk, TRIP#)\n", "none"},
		"commands that name no key":                           {harbour + "### All ships\n\n```bash\naws dynamodb scan --table-name harbour\n```\n\n## Checks\n\n```bash\naws dynamodb scan --table-name harbour --limit 5\n```\n", "pattern All ships @10 Scan code\n", "limit"},
		"titles over fences":                                  {harbour + "### 1. Get ships of a quay\n\n```\nGET /ships?quay=Q7\n```\n\n### 2. Sink ship\n\n```\nDELETE /ships/7\n```\n\n### 3. Delete ship\n\n```ts\nawait ships.delete({ pk: id })\n```\n", "pattern Get ships of a quay @10 \npattern Delete ship @22 \n", "Sink"},
		"titles that ask for nothing":                         {harbour + "### Update strategy\n\n```\nlast writer wins\n```\n\n### Get started\n\n```\nnpm install\n```\n\n### Query performance by month\n\n40 ms.\n\n### Create the table\n\n```\nmake tables\n```\n\n### Find ships by name (planned)\n\n```\nships.find(name)\n```\n", "HASH pk", "pattern"},
		"a key that no call takes":                            {harbour + "### Get a ship\n\n```js\nconst params = {\n  TableName: 'harbour',\n  Key: { pk: 'SHIP#7', sk: { S: 'META' } },\n};\n```\n", "pattern Get a ship @10 GetItem code\n  pk = SHIP#7\n  sk = META\n", "none"},
		"keys that say nothing by a title":                    {harbour + "### Get rid of a ship\n\n```js\nconst params = { TableName: 'harbour', Key: { pk: 'SHIP#7', sk: 'META' } };\n```\n\n### Get and lock a ship\n\n```js\nconst params = { TableName: 'harbour', Key: { pk: 'SHIP#7', sk: 'META' }, UpdateExpression: 'SET x = :x' };\n```\n", "HASH pk", "GetItem"},
		"a list below a label":                                {harbour + "## Notes\n\nThe table allows queries such as:\n\n- Ships of the last week\n- Longest ship of a quay\n\nIt has no queries like that.\n\n- Ships by name\n", "pattern Ships of the last week @14 \npattern Longest ship of a quay @15 \n", "by name"},
		"examples of querying":                                {harbour + "## Querying examples\n\n### All ships\n\n```bash\naws dynamodb scan --table-name harbour\n```\n", "pattern All ships @12 Scan code\n", "none"},
		"lines of a fence with requests":                      {harbour + "```\n# of ships\n1. Get a ship           GetItem  pk=SHIP#{id}, sk=META\n2. Trips of a ship      query    pk=SHIP#{id}, sk begins_with TRIP#\n3. Ships of a quay  ->  Query GSI1 GSI1PK=QUAY#{quay}\n4. Sink a ship:  DeleteItem pk=SHIP#{id} sk=META\n5. Ships by name (planned)   Query GSI2 GSI2PK=NAME#{name}\n6. Rejected: ships by weight   Scan pk=SHIP#{id}\n```\n", "pattern Get a ship @12 GetItem\n  pk = SHIP#{id}\n  sk = META\npattern Trips of a ship @13 Query\n  pk = SHIP#{id}\n  begins_with(sk, TRIP#)\npattern Ships of a quay @14 Query GSI1\n  GSI1PK = QUAY#{quay}\npattern Sink a ship @15 DeleteItem\n  pk = SHIP#{id}\n  sk = META\n", "by name"},
		"lines of a fence without some":                       {harbour + "```\nShips of a crew: Query pk=CREW#{id}\nLogs of a ship:  Loki stream of the ship\n```\n\n```\npk = SHIP#{id}      sk = META     -> Query of the ship\npk = CREW#{id}      sk = META     -> Query of the crew\n```\n", "HASH pk", "pattern Logs"},
		"lines below titles of a fence":                       {harbour + "```\nGet a ship:\n  GetItem\n  pk = SHIP#{id}, sk = META\n\nTrips of a ship:\n  pk = SHIP#{id} AND begins_with(sk, 'TRIP#')\n```\n\n```\nQuery(pk=CREW#{id}, sk begins_with WATCH#)   # watches of a crew\nGetItem(pk=CREW#{id}, sk=META)               # rejected: a crew\nGetItem(pk=QUAY#{id}, sk=META)               // a quay\n```\n", "pattern Get a ship @11 GetItem\n  pk = SHIP#{id}\n  sk = META\npattern Trips of a ship @15 Query\n  pk = SHIP#{id}\n  begins_with(sk, TRIP#)\npattern watches of a crew @20 Query\n  pk = CREW#{id}\n  begins_with(sk, WATCH#)\npattern a quay @22 GetItem\n  pk = QUAY#{id}\n  sk = META\n", "CREW#{id}\n  sk = META"},
		"requests below comments":                             {strings.Replace(harbour, "Access patterns", "Handlers", 1) + "```\n// Crew of a ship\nQuery { pk: SHIP#{id}, sk: begins_with(CREW#) }\n\n/** Paint a ship */\nUpdateItem: pk = SHIP#{id}, sk = META\n```\n\n**boards(quay)**\n\n```\nQuery on GSI1\nGSI1PK = QUAY#{quay}\n```\n\n## Rejected\n\n```\n// Rats of a ship\nQuery { pk: SHIP#{id}, sk: begins_with(RAT#) }\n```\n", "pattern Crew of a ship @12 Query\n  pk = SHIP#{id}\n  begins_with(sk, CREW#)\npattern Paint a ship @15 UpdateItem\n  pk = SHIP#{id}\n  sk = META\npattern boards(quay) @21 Query GSI1\n  GSI1PK = QUAY#{quay}\n", "RAT#"},
		"an operation over keys by itself":                    {strings.Replace(harbour, "Access patterns", "Handlers", 1) + "### A ship\n\nGetItem: pk = SHIP#{id}, sk = META\n\n**Trips of a ship**\n\n`Query`: `pk = SHIP#{id}`, `begins_with(sk, TRIP#)`\n\n### Ships of a quay\n\nQuery (GSI1): GSI1PK = QUAY#{quay}\n\n### Planned\n\nGetItem: pk = RAT#{id}, sk = META\n\n### Query examples\n\nGetItem: pk = RAT#{id}, sk = META\n\n### Cost\n\nGetItem: 0.5 RCU\n", "pattern A ship @12 GetItem\n  pk = SHIP#{id}\n  sk = META\npattern Trips of a ship @16 Query\n  pk = SHIP#{id}\n  begins_with(sk, TRIP#)\npattern Ships of a quay @20 Query GSI1\n  GSI1PK = QUAY#{quay}\n", "RAT"},
		"parts of a request below titles":                     {harbour + "### A ship\n\n#### DynamoDB operation\n\nGetItem\n\n#### Partition key\n\n`SHIP#{id}`\n\n#### Sort key\n\nMETA\n\n### Pattern 2: Trips of a ship\n\n**Key condition**\n\npk = SHIP#{id} AND begins_with(sk, TRIP#)\n\n**Operation**\n\n`Query`\n\n### Ships\n\n#### Key condition\n\nGSI1PK = QUAY#{quay}\n\n#### Index\n\nGSI1\n", "pattern A ship @10 GetItem\n  pk = SHIP#{id}\n  sk = META\npattern Trips of a ship @24 Query\n  pk = SHIP#{id}\n  begins_with(sk, TRIP#)\npattern Ships @34  GSI1\n  GSI1PK = QUAY#{quay}\n", "entity"},
		"an overview of the table":                            {"# Access patterns of a harbour\n\n## Table overview\n\n**Table name:** `harbour`\n\n**Key schema:**\n- **PK** (Partition Key): String\n- **SK** (Sort Key): String\n", "HASH PK S", "pattern"},
		"the key of an index not read":                        {harbour + "### Ships of a quay\n\n**Operation**\n\nQuery\n\n**Index**\n\nquays\n\n**Partition key**\n\nQUAY#{quay}\n\n### Ships\n\n**Operation**\n\nQuery\n\n**Partition key**\n\nquay\n", "pattern Ships of a quay @10 Query\npattern Ships @24 Query\n", "pk ="},
		"numbered patterns with parts":                        {"# Access patterns\n\n# Access pattern 1 – A ship\n\n## DynamoDB operation\n\nGetItem\n\n## Primary key\n\nshipId\n\n# Pattern 2: Paint a ship\n\n## Operation\n\nUpdateItem\n\n# Operation\n\nGetItem\n\n# Access pattern 3 – Sink a ship\n\n## Operation\n\nsink it\n", "table  @11\n  HASH shipId  @11\nentity the table @11\n  shipId = {shipId} @11\npattern A ship @3 GetItem\n  shipId = \npattern Paint a ship @13 UpdateItem\n", "Sink"},
		"roles beside an index":                               {harbour + "| Pattern | GSI | Query |\n|---|---|---|\n| Ships of a flag | FlagIndex | PK = flag, SK = arrived |\n| Moored ships | StateIndex | PK = moored |\n\n## Attributes\n\n- `flag`: of its country\n- `arrived`: when it came\n", "pattern Ships of a flag @12 Query FlagIndex\n  flag = \n  arrived = \npattern Moored ships @13  StateIndex\n", "moored ="},
		"comments over functions":                             {harbour + "```ts\n/**\n * 1. Ships of a quay\n * @param quay the quay\n */\nexport async function shipsOf(quay: string) {\n  return client.send(new QueryCommand({\n    TableName: TABLE,\n    KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :a AND :b',\n    ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk' },\n    ExpressionAttributeValues: { ':pk': `QUAY#${quay}`, ':a': `SHIP#${a}`, ':b': `SHIP#${b}` },\n  }));\n}\n\n// A ship\nconst ship = async (id) =>\n  docClient.get({ TableName: TABLE, Key: { pk: `SHIP#${id}`, sk: 'META' } });\n```\n\n```python\n# The crew\ndef crew(id):\n    return table.get_item(Key={'pk': f'CREW#{id}', 'sk': 'META'})\n\n# Crews\ntable.query(\n    KeyConditionExpression=Key('pk').eq('CREWS')\n)\n```\n", "pattern Ships of a quay @16 Query code\n  pk = QUAY#{quay}\n  sk BETWEEN SHIP#{a} AND SHIP#{b}\npattern A ship @26 GetItem code\n  pk = SHIP#{id}\n  sk = META\npattern The crew @32 GetItem code\n  pk = CREW#{id}\n  sk = META\npattern Crews @35 Query code\n  pk = CREWS\n", "none"},
		"comments that take calls back":                       {harbour + "```ts\n// Rejected: all ships\nawait client.send(new ScanCommand({ TableName: 'harbour' }));\n\n/*\n * Before (removed)\n */\nawait client.send(new GetCommand({ TableName: 'harbour', Key: { pk: 'RAT#1', sk: 'META' } }));\n\n// In the cache\ncache.get({ Key: id });\n```\n", "HASH pk", "pattern"},
		"commas of other languages":                           {harbour + "### 船を読む\n\nGetItem：pk = SHIP#{id}、sk = META\n\n### 航行\n\n`Query`: pk = SHIP#{id}，begins_with(sk, TRIP#)\n", "pattern 船を読む @12 GetItem\n  pk = SHIP#{id}\n  sk = META\npattern 航行 @14 Query\n  pk = SHIP#{id}\n  begins_with(sk, TRIP#)\n", "none"},
		"the index of an operation":                           {harbour + "### Ships of a quay\n\n- Query (by-quay-index): quay = {quay}\n\n### Ships by name\n\n`Query (GSI1)`: `GSI1PK = NAME#{name}`\n", "pattern Ships of a quay @10 Query by-quay-index\n  quay = {quay}\npattern Ships by name @14 Query GSI1\n  GSI1PK = NAME#{name}\n", "none"},
		"a prefix of the sort key":                            {harbour + "- Trips: Query by pk with SK prefix `TRIP#`\n- Ships of a flag: Query GSI1 with SK filter\n- All ships: Scan with sk = META filter\n", "pattern Trips @10 Query\n  pk = \n  begins_with(sk, TRIP#)\npattern Ships of a flag @11 Query GSI1\npattern All ships @12 Scan\n  sk = META\n", "GSI1SK"},
		"an exact look-up":                                    {harbour + "- **A ship** — exact primary-key lookup on `pk = SHIP#<id>`,\n  `sk = META`.\n- **A quay** — exact lookup `pk = QUAY#<id>`, `sk = META` (`quayOf`).\n- **A crane** — exact lookup in the list of cranes\n", "pattern A ship @10 \n  pk = SHIP#{id}\n  sk = META\npattern A quay @12 \n  pk = QUAY#{id}\n  sk = META\n", "none"},
		"values of placeholders in a row":                     {harbour + "| Access pattern | Key | Command |\n|---|---|---|\n| Trips | `pk = SHIP#{id}` | `Query(KeyConditionExpression: \"pk = :pk\")` |\n| Crew | `pk = :pk` | `Query(pk = CREW#{id})` |\n", "pattern Trips @12 Query\n  pk = SHIP#{id}\npattern Crew @13 Query\n  pk = CREW#{id}\n", "{pk}"},
		"commands below comments":                             {harbour + "### Useful commands\n\n```bash\n# What it is\naws dynamodb describe-table --table-name harbour\n\n# Trips of a ship\naws dynamodb query --table-name harbour --key-condition-expression \"pk = :pk\" --expression-attribute-values '{\":pk\":{\"S\":\"SHIP#7\"}}'\n```\n\n### Crew of a ship\n\n```bash\n# by the CLI\naws dynamodb query --table-name harbour --key-condition-expression \"pk = :pk\" --expression-attribute-values '{\":pk\":{\"S\":\"CREW#7\"}}'\n```\n", "pattern Trips of a ship @17 Query code\n  pk = SHIP#7\npattern Crew of a ship @20 Query code\n", "Useful"},
		"a title over members in a fence":                     {strings.Replace(harbour, "Access patterns", "Handlers", 1) + "### Ships of a quay\n\n```js\n// by GSI1\nconst query = {\n  IndexName: 'GSI1',\n  KeyConditionExpression: 'GSI1PK = :quay',\n  ExpressionAttributeValues: { ':quay': `QUAY#${id}` }\n};\n```\n\n### Query examples\n\n```js\nconst query = {\n  KeyConditionExpression: 'pk = :pk',\n  ExpressionAttributeValues: { ':pk': `SHIP#${id}` }\n};\n```\n", "pattern Ships of a quay @10 Query GSI1 code\n  GSI1PK = QUAY#{id}\npattern Query examples @21 Query\n", "none"},
		"keys of which two lines differ":                      {"# Harbour\n\n- Partition key: `quay`\n- Partition key: `crane`\n- Sort key: `SK`\n\n## Access patterns\n\n- A ship: Query `PK = SHIP#<id>`, `SK = META`\n", "pattern A ship @9 Query\n  SK = META\n", "PK ="},
		"titles of two requests":                              {harbour + "### Ships and quays\n\n- **Get a ship or tug**: Query `pk = SHIP#<id>` or `pk = TUG#<id>`\n- **Delete a quay** — `Query(pk=QUAY#<id>)` then `BatchWriteItem`\n- **Pagination**: Query with `limit` or `cursor`\n- **Get a rope**: Query `pk = ROPE#<id>` or `pk = LINE#<id>` (planned)\n- **Get a flag**: search in OpenSearch or `Query`\n", "pattern Get a ship or tug @12 \npattern Delete a quay @13 \n", "pattern Get a rope"},
		"titles with their functions":                         {strings.Replace(harbour, "Access patterns", "Writes", 1) + "- **Sink a tug** (`sinkTug`) — `TransactWriteItems`:\n  1. `Put` it\n- **Old one** (`sinkAll`) — `DeleteItem` (removed)\n", "pattern Sink a tug @10 TransactWriteItems\n", "Old one"},
		"titles beside requests":                              {harbour + "1. Get a mast: Query by pk\n2. Get ropes by length: sorted by the board\n3. Get knots by name: answered by the office\n4. Get started: read the wiki\n5. Ships of last year: from the archive\n\n## Access patterns of the board\n\n1. Get sails by length: sorted by the board\n", "pattern Get a mast @10 Query\n  pk = \npattern Get ropes by length @11 \n", "knots"},
		"a key condition in a fence":                          {strings.Replace(harbour, "Access patterns", "Flows", 1) + "### 航行の一覧\n\n1. Query the table `harbour`:\n   ```\n   KeyCondition: pk = \"SHIP#<今日>\" AND sk BETWEEN <最初+1> AND <最後>\n   FilterExpression: state = \"SUNK\"\n   ```\n\n### Removed\n\n```\nKeyCondition: pk = \"CREW#<id>\"\n```\n\n### Conditions of entry\n\n```\nCondition: pk = \"RAT#<id>\"\n```\n", "pattern Query the table harbour @12 Query code\n  pk = SHIP#{今日}\n  sk BETWEEN {最初+1} AND {最後}\n  state = SUNK\n", "CREW"},
		"access patterns in Chinese":                          {strings.Replace(harbour, "Access patterns", "訪問模式", 1) + "### 1. 獲取船隻\n\n- `pk = SHIP#<id>`, `sk = META`\n\n## 存取模式\n\n- 獲取航程: Query `pk = SHIP#<id>`\n\n## 棄用的訪問模式\n\n- 获取船员: Query `pk = CREW#<id>`\n", "pattern 獲取船隻 @10 \n  pk = SHIP#{id}\n  sk = META\npattern 獲取航程 @16 Query\n  pk = SHIP#{id}\n", "CREW"},
		"short words for operations":                          {harbour + "| Access pattern | Query type | Key condition |\n|---|---|---|\n| A ship | Get | pk=SHIP#{id}, sk=META |\n| Trips | Get | pk=SHIP#{id} |\n", "pattern A ship @12 GetItem\n  pk = SHIP#{id}\n  sk = META\npattern Trips @13 \n", "none"},
		"a strategy for each":                                 {harbour + "| Access pattern | Strategy |\n|---|---|\n| A ship | Direct key lookup |\n| Its mast | Direct key lookup |\n| Its crew | Direct key lookup |\n| Trips of a ship | Query on pk |\n", "pattern Trips of a ship @15 Query\n  pk = \n", "none"},
		"an input below its title":                            {harbour + "### 5.1 배 조회\n\n```ts\nconst params = {\n  TableName: 'harbour',\n  KeyConditionExpression: 'pk = :pk',\n  ExpressionAttributeValues: { ':pk': 'SHIP#7' },\n};\n```\n", "pattern 배 조회 @10 Query", "none"},
		"calls of Python without a client":                    {strings.NewReplacer("`pk`", "`shipId`", "`sk`", "`tripId`").Replace(harbour) + "```python\n# Get a trip\nget_item(Key={'shipId': ship_id, 'tripId': trip_id})\n\n# Trips of a ship\nquery(\n    KeyConditionExpression=Key('shipId').eq(ship_id)\n)\n```\n", "pattern Get a trip @12 GetItem code\n  shipId = {ship_id}\n  tripId = {trip_id}\npattern Trips of a ship @15 Query code\n  shipId = {ship_id}\n", "none"},
		"a key by the names of variables":                     {strings.NewReplacer("`pk`", "`shipId`", "`sk`", "`tripId`").Replace(harbour) + "### Get a trip\n\n```js\nawait client.send(new GetCommand({ TableName: 'harbour', Key: { shipId, tripId } }));\n```\n", "pattern Get a trip @10 GetItem code\n  shipId = {shipId}\n  tripId = {tripId}\n", "none"},
		"inputs below comments":                               {harbour + "```js\n// Get a ship\n{\n  TableName: 'harbour',\n  Key: { pk: 'SHIP#7', sk: 'META' }\n}\n\n// Trips of a ship\n{\n  TableName: 'harbour',\n  KeyConditionExpression: 'pk = :pk',\n  ExpressionAttributeValues: { ':pk': 'SHIP#7' }\n}\n\n// Sink a ship\n{\n  TableName: 'harbour',\n  Key: { pk: 'SHIP#7', sk: 'META' }\n}\n```\n", "pattern Get a ship @12 GetItem code\n  pk = SHIP#7\n  sk = META\npattern Trips of a ship @18 Query code\n  pk = SHIP#7\n", "Sink"},
		"an input below an example":                           {harbour + "### GSI1: ByFlag\n\n- **Partition key**: flag\n- **Query Example**: Find all ships of a flag\n\n  ```js\n  // AWS SDK for JavaScript v3\n  const params = {\n    TableName: 'harbour',\n    IndexName: 'ByFlag',\n    KeyConditionExpression: 'flag = :f',\n    ExpressionAttributeValues: { ':f': 'NO' },\n  };\n  ```\n", "pattern Find all ships of a flag @13 Query ByFlag code\n", "SDK"},
		"an input of an index by a purpose":                   {harbour + "### GSI1: ByFlag\n\n- **Purpose**: Find all ships of a flag.\n- **Partition key**: flag\n\n```js\nconst params = {\n  TableName: 'harbour',\n  IndexName: 'ByFlag',\n  KeyConditionExpression: 'flag = :f',\n  ExpressionAttributeValues: { ':f': 'NO' },\n};\n```\n", "pattern Find all ships of a flag @12 Query ByFlag code\n", "pattern GSI1"},
		"a comment below a numbered title":                    {harbour + "#### 2. Resolve a flag\n\n```js\n// Query GSI1 of the ships\nconst params = {\n  TableName: 'harbour',\n  KeyConditionExpression: 'pk = :pk',\n  ExpressionAttributeValues: { ':pk': 'FLAG#NO' },\n};\n```\n", "pattern Resolve a flag @10 Query code\n", "ships"},
		"one item whatever it is called":                      {harbour + "### A ship\n\n**Query:** Get item with `pk = SHIP#{id}` and `sk = META`\n", "pattern A ship @10 GetItem\n  pk = SHIP#{id}\n  sk = META\n", "Query"},
		"a constant called as its key":                        {strings.Replace(harbour, "`pk` (String)", "`_all` (constant string)", 1) + "| Access pattern | Keys |\n|---|---|\n| Ships | PK = \"_all\" |\n| Trips | PK = _all |\n| Crew | SK = \"sk\" |\n", "pattern Ships @12 \n  _all = _all\npattern Trips @13 \n  _all = \npattern Crew @14 \n  sk = \n", "none"},
		"a call behind a label":                               {harbour + "**Access pattern**: `GetItem(pk, sk)` — a ship for the pilot.\n", "pattern a ship for the pilot @10 GetItem\n", "none"},
		"a call before an arrow":                              {harbour + "**Access pattern**: `Query(pk = \"SHIP#7\")` → trips of a ship.\n", "pattern trips of a ship @10 Query\n  pk = SHIP#7\n", "none"},
		"a table in HTML":                                     {harbour + "<table>\n  <thead>\n    <th>Entity</th>\n    <th>Access Pattern</th>\n    <th>Index</th>\n    <th>Key condition</th>\n  </thead>\n  <tbody>\n    <tr>\n      <td rowspan=\"2\">Ship</td>\n      <td>A ship</td>\n      <td>Main Table</td>\n      <td>pk=SHIP#&lt;id> AND sk=META</td>\n    </tr>\n    <tr>\n      <td>Trips of a ship</td>\n      <td>Main Table</td>\n      <td><code>pk=SHIP#&lt;id></code></td>\n    </tr>\n  </tbody>\n</table>\n", "pattern A ship @19 \n  pk = SHIP#{id}\n  sk = META\npattern Trips of a ship @25 \n  pk = SHIP#{id}\n", "none"},
		"lines with ticks below parts":                        {harbour + "### Ships (3 patterns)\n\n✅ Get a ship by its id\n✅ Get the ships of a quay\n✅ Filter by tons\n\n### Notes\n\n- Fast\n- Get it right\n- Reads are cheap\n", "pattern Get a ship by its id @12 \npattern Get the ships of a quay @13 \n", "right"},
		"a title that names a tool":                           {harbour + "### Raising a ship\n\n#### Via AWS SDK (Node.js)\n\n```js\nawait client.send(new PutCommand({ TableName: 'harbour', Item: ship }));\n```\n", "pattern Raising a ship @10 PutItem", "SDK"},
		"calls of another kind":                               {harbour + "- A ship → `get_ship()`\n- Ships → `list_items()`\n", "HASH pk", "GetItem"},
	} {
		says(t, name, test.text, test.said, test.guess)
	}
}

// TestTablesOfPatterns: a pattern whose section is that of a table that is not read has no table, no index and no key of another one.
func TestTablesOfPatterns(t *testing.T) {
	const berths = "# Harbour\n\n## berths\n\n**Table Name:** `berths`\n\n- **PK**: `berth` (S)\n\n### GSIs\n\n- GSI1: `by_quay`\n  - PK: `quay` (S)\n\n"
	const asked = "- Of one: `GetItem(PK=A#{id})`\n- Of a quay: `Query(GSI1 PK=QUAY#{quay})`\n- Of a crew: `Query(crew=CREW#{id})`\n"
	for name, test := range map[string]struct {
		text         string
		table, index string
		conditions   []string
	}{
		"its own":                                   {berths + "### Access patterns\n\n" + asked, "berths", "by_quay", []string{"berth = A#{id}", "quay = QUAY#{quay}", "crew = CREW#{id}"}},
		"of a list apart":                           {berths + "## Access patterns\n\n" + asked, "berths", "by_quay", []string{"berth = A#{id}", "quay = QUAY#{quay}", "crew = CREW#{id}"}},
		"a section with its key":                    {berths + "## 2. crews\n\n### Ключ\n\n- PK: `crew` (S)\n\n### Access patterns\n\n" + asked, "", "GSI1", []string{"", "", "crew = CREW#{id}"}},
		"tables that requests name":                 {berths + "## Access patterns\n\n- Old ones: Query `berths-old` with `PK = A#{id}`\n- Those of a quay: Query `quay = QUAY#{quay}` on table `archive` by GSI1\n- Of a crew: `Query(crew=CREW#{id})` on the `crews` table\n", "", "GSI1", []string{"", "quay = QUAY#{quay}", "crew = CREW#{id}"}},
		"a name in code for a title":                {berths + "## Access patterns\n\n### `crew-lists`\n\n" + asked, "", "GSI1", []string{"", "", "crew = CREW#{id}"}},
		"a name in code within the table's section": {berths + "### `of-a-quay`\n\n#### Access patterns\n\n" + asked, "berths", "by_quay", []string{"berth = A#{id}", "quay = QUAY#{quay}", "crew = CREW#{id}"}},
		"a title without a key":                     {berths + "## Crews Table\n\n### Access patterns\n\n" + asked, "", "GSI1", []string{"PK = A#{id}", "PK = QUAY#{quay}", "crew = CREW#{id}"}},
	} {
		document, err := Read([]byte(test.text))
		require.NoError(t, err)
		if !assert.Len(t, document.Patterns, len(test.conditions), name) {
			continue
		}
		for n, p := range document.Patterns {
			said := ""
			for _, c := range p.Conditions {
				said += c.String()
			}
			assert.Equal(t, test.table, p.Table, "%s: %s", name, p.Title)
			assert.Equal(t, test.conditions[n], said, "%s: %s", name, p.Title)
		}
		assert.Equal(t, test.index, document.Patterns[1].Index, name)
	}
	paths, err := filepath.Glob("testdata/*.[mt]*")
	require.NoError(t, err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		if document, err := Read(text); err == nil {
			for _, p := range document.Patterns {
				assert.True(t, p.Table == "" || slices.ContainsFunc(document.Tables, func(t *Table) bool { return t.Name == p.Table }), "%s: line %d is of a table %s that is not read", path, p.Line, p.Table)
			}
		}
	}
}

// TestTableByItems: a request that gives values alone is of the only table whose items have them, and of no table that its name may mean as well as another.
func TestTableByItems(t *testing.T) {
	const two = "# Harbour\n\n## Table: `harbour`\n\n- **Partition key:** `pk` (String)\n- **Sort key:** `sk` (String)\n\n### Ship\n\n- `pk = SHIP#{id}`\n- `sk = TRIP#{day}`\n\n" +
		"### Buoy\n\n- `pk = BUOY#{no}`\n- `sk = {day}`\n\n## Table: `%`\n\n- **Partition key:** `PK` (String)\n- **Sort key:** `SK` (String)\n\n### Crane\n\n- `PK = CRANE#{id}`\n- `SK = {at}`\n\n### Buoy of stone\n\n- `PK = %#{no}`\n- `SK = {at}`\n\n## Access patterns\n\n"
	other := strings.Replace(strings.Replace(two, "%", "quays", 1), "%", "STONE", 1)
	both := strings.Replace(strings.Replace(two, "%", "quays", 1), "%", "BUOY", 1)
	for name, test := range map[string]struct{ text, table, said string }{
		"both values":             {other + "- A trip: `GetItem(\"SHIP#{ship}\", \"TRIP#{day}\")`\n", "harbour", "pk = SHIP#{ship}; sk = TRIP#{day}"},
		"one value":               {other + "- Of a ship: `query_pk(\"SHIP#{ship}\")`\n", "harbour", "pk = SHIP#{ship}"},
		"a parameter alone":       {other + "- Of a buoy: `get_item(\"BUOY#{no}\", \"{day}\")`\n", "harbour", "pk = BUOY#{no}; sk = {day}"},
		"values of another kind":  {other + "- A trip: `GetItem(\"SHIP#{ship}\", \"CREW#{day}\")`\n", "", ""},
		"values of two tables":    {both + "- A buoy: `get_item(\"BUOY#{no}\", \"{day}\")`\n", "", ""},
		"items that are not read": {strings.Replace(other, "SK = ", "or so: SK = ", 2) + "- A trip: `GetItem(\"SHIP#{ship}\", \"TRIP#{day}\")`\n", "", ""},
		"a variable for the name": {other + "```js\nconst a = await ddb.send(new GetCommand({ TableName: `${table}`, Key: { pk: 'SHIP#7' } }))\n```\n", "", "pk = SHIP#7"},
	} {
		document, err := Read([]byte(test.text))
		require.NoError(t, err)
		if !assert.Len(t, document.Patterns, 1, name) {
			continue
		}
		var all []string
		for _, c := range document.Patterns[0].Conditions {
			all = append(all, c.String())
		}
		assert.Equal(t, test.table, document.Patterns[0].Table, name)
		assert.Equal(t, test.said, strings.Join(all, "; "), name)
	}
}

// TestPurposes: what an index is for is asked of it, by the author's words; what its kind is, what nobody asks yet, and what another line
// asks of it is no further pattern.
func TestPurposes(t *testing.T) {
	const harbour = "# Harbour\n\n## Table: `harbour`\n\n- **Partition key:** `pk` (String)\n- **Sort key:** `sk` (String)\n\n### Indexes\n\n"
	const byQuay = harbour + "#### `by-quay-index`\n\n- Partition key: `quay` (String)\n"
	for name, test := range map[string]struct{ text, said, guess string }{
		"a remark on a sort key":             {byQuay + "- Sort key: `at` (String) — enables time-ordered queries per quay\n", "index by-quay-index", "pattern"},
		"behind the keys of an index":        {harbour + "- `by-quay-index` (quay, at) - For listing the ships of a quay.\n- `by-flag-index` (flag, at): ships by flag\n", "pattern listing the ships of a quay @10  by-quay-index\n", "by flag"},
		"what the keys are":                  {harbour + "- `by-quay-index` (quay, at) - sparse, for the ships that lie\n- `by-flag-index` (flag, at) - eventually consistent\n- `by-crew-index` (crew) - to be removed, for the old lookup\n", "index by-crew-index", "pattern"},
		"a label in its section":             {byQuay + "- **Use case**: Ships of a quay\n", "pattern Ships of a quay @13  by-quay-index\n", "none"},
		"in quotes below its keys":           {byQuay + "- Enables: \"ships of a quay\"\n", "pattern ships of a quay @13  by-quay-index\n", "none"},
		"queries of an index in its list":    {harbour + "#### GSI1 - Crew-based queries\n\n- **Partition key**: `GSI1PK`\n- **Use case**: Query all items of a crew\n- **Example queries**:\n  - All ships for a crew\n  - Crew history\n", "  index GSI1 @10 \n    HASH GSI1PK  @12\npattern All ships for a crew @15  GSI1\npattern Crew history @16  GSI1\n", "Use case"},
		"a title that says queries":          {harbour + "#### GSI1 — Crew-centric queries\n\n- **Partition key**: `GSI1PK`\n", "  index GSI1 @10 \n", "pattern"},
		"a column beside forms alone":        {harbour + "| Index | PK | SK | Usage |\n|---|---|---|---|\n| `GSI_Crew` | `CREW#<crew>` | `SHIP#<ship>` | Retrieve all ships of a crew. |\n", "pattern Retrieve all ships of a crew @12  GSI_Crew\n", "HASH CREW"},
		"a list below a label":               {byQuay + "- Used for:\n  - Ships of a quay\n  - Longest ship of a quay\n", "pattern Ships of a quay @14  by-quay-index\npattern Longest ship of a quay @15  by-quay-index\n", "none"},
		"aims below a label":                 {byQuay + "\nPurpose:\n\n- Clear bookkeeping\n- Listing the ships of a quay\n", "pattern Listing the ships of a quay @17  by-quay-index\n", "bookkeeping"},
		"a column":                           {harbour + "| Index | PK | SK | Usage |\n|---|---|---|---|\n| `by-quay-index` | `quay` | `at` | Ships of a quay |\n| `by-flag-index` | `flag` | — | Reserved for customs |\n| `by-crew-index` | `crew` | — | filters |\n", "pattern Ships of a quay @12  by-quay-index\n", "pattern Res"},
		"what an index is like":              {harbour + "- GSI1: fast and cheap\n- GSI2: Query cost of a ferry is 0.5 RCU\n", "  index GSI1 @10 \n  index GSI2 @11 \n", "pattern"},
		"a setting of an index":              {byQuay + "\n| Setting | Value |\n|---|---|\n| Use case | Ships of a quay in a year |\n| Notes | For a team of two |\n", "pattern Ships of a quay in a year @16  by-quay-index\n", "team"},
		"an example in a bracket":            {harbour + "- GSI1: Query ships by flag (e.g., all of Malta)\n", "pattern Query ships by flag", "none"},
		"to ask by what":                     {harbour + "- `by-quay-index` (quay, at)\n\nIndexes:\n\n- `by-flag-index` on `harbour` to query by flag\n", "pattern query by flag @14 Query by-flag-index\n", "none"},
		"in quotes behind its keys":          {harbour + "- GSI1 `by-owner-index`: PK `owner`, SK `at` → \"ships owned by a crew\"\n", "pattern ships owned by a crew @10  by-owner-index\n", "none"},
		"a word in a column":                 {harbour + "| Index | PK | SK | Usage |\n|---|---|---|---|\n| `by-crew-index` | `crew` | — | filters |\n", "index by-crew-index", "pattern"},
		"behind the forms of its keys":       {harbour + "- GSI1: `GSI1PK=QUAY#<quay>`, `GSI1SK=SHIP#<at>` → ships of a quay\n- GSI2: `GSI2PK=FLAG#MT` → ships of a flag\n", "pattern ships of a quay @10  GSI1\n  GSI1PK = QUAY#{quay}\n", "of a flag"},
		"an index that another line asks":    {byQuay + "- **Purpose**: Ships of a quay\n\n## Access patterns\n\n- All at a quay: Query `by-quay-index` where `quay = {quay}`\n", "pattern All at a quay @17 Query by-quay-index\n", "Ships of"},
		"a purpose before its key in a code": {harbour + "- **GSI1**: Ships by flag (`GSI1PK=FLAG#{flag}#SHIPS`)\n", "index GSI1", "none"},
		"no purposes behind keys":            {harbour + "- `by-quay-index` (quay, at) - for the migration only\n- `by-flag-index` (flag, at) → KEYS_ONLY\n- `by-crew-index` (crew, at) - to save writes\n- `by-day-index` (day, at) → next version\n", "index by-day-index", "pattern"},
		"no purposes in a column":            {harbour + "| Index | PK | SK | Use |\n|---|---|---|---|\n| `by-quay-index` | `quay` | `at` | High traffic |\n| `by-flag-index` | `flag` | `at` | 20% of the reads |\n| `by-crew-index` | `crew` | — | Very rare |\n", "index by-crew-index", "pattern"},
		"no purposes below labels":           {byQuay + "- **Used by**: the billing service\n- **Usage**: 300 requests a second\n- **Query**: `SELECT * FROM harbour`\n\nUse cases:\n\n- Pilots\n- Ships and crews\n", "index by-quay-index", "pattern"},
		"no purposes behind forms":           {harbour + "- GSI1: `GSI1PK=QUAY#<quay>`, `GSI1SK=SHIP#<at>` → eventually consistent\n- GSI2: `GSI2PK=FLAG#<flag>` → written by the stream consumer\n", "index GSI2", "pattern"},
		"no purposes in other words":         {byQuay + "- **Purpose**: Offload reports of a day from the table\n- **Usage**: low (a few reads per day)\n- **Zweck**: derzeit von niemandem genutzt\n- **Uso**: sin uso por ahora\n- **Purpose**: uniqueness of berths\n", "index by-quay-index", "pattern"},
		"an index that nobody uses":          {harbour + "#### Not in use\n\n- `by-quay-index` (quay, at) - For listing the ships of a quay.\n", "HASH pk", "pattern"},
		"a label in another script":          {harbour + "#### `by-quay-index`\n\n- Partition key: `quay` (String)\n- **用途**: 埠頭で船を検索\n", "pattern 埠頭で船を検索 @13  by-quay-index\n", "none"},
		"behind the name of an index":        {harbour + "- `by-quay-index` (quay, at)\n- **by-flag-index**: Quick ship lookup by flag\n- GSI3: Query ships by crew (crew of today)\n- **GSI 4**: dayIndex - Lookup trips by day\n", "pattern Quick ship lookup by flag @11  by-flag-index\npattern Query ships by crew (crew of today) @12 Query GSI3\npattern Lookup trips by day @13  dayIndex\n", "none"},
		"in brackets behind an index":        {harbour + "- `by-quay-index` → PK: `quay`, SK: `at` (list ships by quay)\n- GSI2 (Ships by flag): `GSI2PK=FLAG#<flag>`\n- GSI3 (crews by ship):\n  - PK: `ship`\n", "pattern list ships by quay @10  by-quay-index\npattern Ships by flag @11  GSI2\n  GSI2PK = FLAG#{flag}\npattern crews by ship @12  GSI3\n", "none"},
		"what an index is for":               {harbour + "- GSI: `by-quay-index` for quay lookups\n\n**Global secondary index (GSI) for flag lookup:**\n- **Index Name**: `by-flag-index`\n- **Partition Key**: `flag` (String)\n", "pattern quay lookups @10  by-quay-index\npattern flag lookup @12  by-flag-index\n", "none"},
		"lines on what an index is not for":  {harbour + "**GSI-2**: `flag` (PK) + `at` (SK)\n- Used to search ships by flag before 2021\n- Filter ships by flag in memory\n- Find out who sails by the flag\n- Serves lists of crews for everyone by noon\n- Find a better name in May\n- Lookup moved to a cluster for flags of ships\n- 将来の flag 検索用\n", "index GSI-2", "pattern"},
		"an index of another list":           {harbour + "- `by-quay-index` (quay, at)\n\n## Global Secondary Indexes\n\n- **by-quay-index**: Ships sorted by day\n- **by-mail-index**: Pilots sorted by name\n", "pattern Ships sorted by day @14  by-quay-index\n", "none"},
		"in a fence":                         {"# Harbour\n\n### harbour-crews Table\n```\nPrimary Key: crew (String)\n\nGlobal Secondary Indexes:\n- by-quay-index: Query by quay\n```\n", "pattern Query by quay @8 Query by-quay-index\n", "none"},
		"no purposes behind names":           {harbour + "- **by-crew-index**: Partition key for crews (String)\n- **by-flag-index**: Unique per flag\n- **by-port-index**: Hash of port by month\n- **GSI1**: Created by Terraform\n- **GSI2**: Costs 4 dollars per month\n- **GSI3**: Ownership by the ticket squad\n- **GSI4**: planned for search by name\n- **GSI5**: Do not use for lookups\n- **GSI6**: if one lists ships by name\n- **GSI7**: `flag` — unique flag / exact lookups\n", "index GSI5", "pattern"},
		"no purposes in brackets":            {harbour + "- **GSI1** (for sorting): `GSI1PK`\n- **GSI2** (backfilled by the importer): `at`\n- **GSI3** (removed): lookup by deck\n- **GSI4** (quota for tests)\n- **GSI5** for future lookups\n- GSI6 (optional for audits by day)\n", "index GSI1", "pattern"},
		"no purposes below an index":         {byQuay + "- Get the ARN by running the stack\n- List of decks by name is static\n- Enable it by setting a flag\n- Supports 3000 reads per second\n- Find out more by reading the wiki\n- Allows up to five decks per ship\n- Use for tests\n- Get 100 items of a page\n", "index by-quay-index", "pattern"},
		"bold titles with a remark":          {harbour + "## Access patterns\n\n1. **Ships of a quay** - a page at a time\n2. **Crew of a ship** - with their ranks\n", "pattern Ships of a quay @12 \npattern Crew of a ship @13 \n", "none"},
		"bold titles that call no request":   {harbour + "## Access patterns\n\n- **Pilot app** - lists and details\n- **Rate limits** - by the gateway\n- **Cold data** - last year\n", "HASH pk", "pattern"},
		"a bold title that another one asks": {harbour + "## Access patterns\n\n1. **Ships of a quay** - from OpenSearch\n2. **Crew of a ship** - with their ranks\n", "pattern Crew of a ship @13 \n", "of a quay"},
	} {
		says(t, name, test.text, test.said, test.guess)
	}
}

// TestNoRequests: what is said of indexes and requests in parts on access patterns, and asks nothing of them; and calls that are no requests.
func TestNoRequests(t *testing.T) {
	const harbour = "# Harbour\n\n## Table: `harbour`\n\n- **Partition key:** `pk` (String)\n- **Sort key:** `sk` (String)\n\n### Indexes\n\n- GSI1: `quay` (HASH)\n\n## Access patterns\n\n"
	const get = "### A ship\n\n```js\nconst params = { TableName: 'harbour', Key: { pk: `SHIP#${id}`, sk: 'META' } };\nawait client.get(params);\n"
	for name, test := range map[string]struct{ text, said, guess string }{
		"what befell an index":            {harbour + "- GSI1: throttled for an hour by the importer\n- GSI1: owned by the pilots of the harbour\n", "index GSI1", "pattern"},
		"a title of no request":           {harbour + "### Pagination\n\n- Query `pk = SHIP#{id}` returns at most 1 MB.\n\n### Rate limiting\n\n- `pk = LIMIT#{ip}`\n", "index GSI1", "pattern"},
		"what must not be there":          {harbour + "### Opening a quay\n\n- `pk = QUAY#{quay}` must not exist before.\n", "index GSI1", "pattern"},
		"another time":                    {harbour + "### Crew of a ship\n\n- After the migration: `pk = CREW#{id}`\n", "index GSI1", "migration"},
		"an index of another store":       {harbour + "- Ships of a quay via GSI1\n- Search of ships via `ships-search-index`\n", "pattern Ships of a quay @14  GSI1\n", "search-index"},
		"what is not supported":           {harbour + "### Access patterns that we will not support\n\n- Ships by length via GSI1\n", "index GSI1", "pattern"},
		"a request within a route":        {harbour + "```js\napp.get('/ships/:quay', async (req, res) => {\n  const command = new QueryCommand({\n    TableName: 'harbour',\n    IndexName: 'GSI1',\n    KeyConditionExpression: 'quay = :quay',\n    ExpressionAttributeValues: { ':quay': req.params.quay },\n  });\n});\n```\n", "Query GSI1 code\n  quay = {quay}\n", "GetItem"},
		"a value with a blank in it":      {harbour + "- A new ship: PutItem, `pk = SHIPS` and sk = SHIP# {{name}}\n- Ships: `pk = SHIPS`\n", "pk = SHIPS", "sk = SHIP"},
		"calls of others with the object": {harbour + get + "cache.put(params, ship);\naudit.update(params);\n```\n", "pattern A ship @14 GetItem", "UpdateItem"},
		"a parameter of the same name":    {harbour + get + "async function drop(params) {\n  await client.delete(params);\n}\n```\n", "pattern A ship @14 GetItem", "DeleteItem"},
		"a variable that is set again":    {harbour + get + "params = byState('OPEN');\nawait client.update(params);\n```\n", "pattern A ship @14 GetItem", "UpdateItem"},
		"who answers":                     {harbour + "- **Ships of a guest** - answered by the office\n- **Ships of a day** - to be discussed\n- **Ships of a quay** - the longest first\n", "pattern Ships of a quay @16", "guest"},
	} {
		says(t, name, test.text, test.said, test.guess)
	}
}

// TestVerbs: a verb before keys is an operation of one item where the whole key is given, and else of none.
func TestVerbs(t *testing.T) {
	document, err := Read([]byte("# Mill\n\n## Table: `mill`\n\n- Partition key: `PK` (String)\n- Sort key: `SK` (String)\n\n## Access patterns\n\n- A sack: `GET PK = SACK#{id}, SK = META`\n- Sacks of a cart: `GET PK = CART#{id}`\n- Clear a cart: `DELETE PK = CART#{id}`\n- Health of a cart: `Query PK = CART#{id}` and/or GSI1 by day\n"))
	require.NoError(t, err)
	require.Len(t, document.Patterns, 4)
	assert.Empty(t, document.Patterns[3].Index, "or another request")
	for n, want := range []string{"GetItem", "", ""} {
		assert.Equal(t, want, document.Patterns[n].Operation, document.Patterns[n].Title)
		assert.NotEmpty(t, document.Patterns[n].Conditions, document.Patterns[n].Title)
	}
}

// TestOtherTables: where requests name tables of which no line is read, a list that names none is not of the one that is read, and
// the roles of a pair of keys are none of a table without a sort key.
func TestOtherTables(t *testing.T) {
	const sacks = "# Mill\n\n```ts\nnew Table(this, 'T', { tableName: 'Sacks', partitionKey: { name: 'sackId', type: AttributeType.STRING } });\n```\n\n"
	const cells = "## Access patterns\n\n| Pattern | Table | Index |\n|---|---|---|\n| Get a till by id | %s | by-till |\n"
	const list = "## Shop\n\n**Access patterns:**\n\n1. Get a till by id\n"
	for name, test := range map[string]struct{ text, table string }{
		"one table":                 {sacks + list, "Sacks"},
		"a cell with another":       {sacks + fmt.Sprintf(cells, "Tills"), ""},
		"a cell with its name":      {sacks + fmt.Sprintf(cells, "Mill Sacks"), "Sacks"},
		"a cell with its last word": {strings.ReplaceAll(sacks, "'Sacks'", "'Mill-Sacks'") + strings.ReplaceAll(sacks, "'Sacks'", "'Mill-Carts'") + strings.Replace(fmt.Sprintf(cells, "Sacks"), "by-till", "-", 1), "Mill-Sacks"},
		"a cell with none":          {sacks + fmt.Sprintf(cells, "-"), "Sacks"},
		"copies of it":              {sacks + "```ts\nawait db.send(new GetCommand({ TableName: \"sacks-test\", Key: { sackId } }));\nawait db.send(new GetCommand({ TableName: \"old-sacks\", Key: { sackId } }));\n```\n\n" + list, "Sacks"},
		"other tables":              {sacks + "```ts\nawait db.send(new GetCommand({ TableName: \"Carts\", Key: { cartId } }));\nawait db.send(new GetCommand({ TableName: \"Tills\", Key: { tillId } }));\n```\n\n" + list, ""},
	} {
		document, err := Read([]byte(test.text))
		require.NoError(t, err)
		last := document.Patterns[len(document.Patterns)-1]
		assert.Equal(t, "Get a till by id", last.Title, name)
		assert.Equal(t, test.table, last.Table, name)
	}
}
