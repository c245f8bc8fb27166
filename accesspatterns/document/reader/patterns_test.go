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

	"dynaproof/accesspatterns/tabletest"
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
	for name, test := range tabletest.Read[map[string]struct{ Text, Said, Guess string }](t, "no_patterns.yaml") {
		says(t, name, test.Text, test.Said, test.Guess)
	}
}

// TestRequests: requests in words and calls, in the cell of a row or behind a title.
func TestRequests(t *testing.T) {
	for name, test := range tabletest.Read[map[string]struct{ Text, Said, Guess string }](t, "requests.yaml") {
		says(t, name, test.Text, test.Said, test.Guess)
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
	for name, test := range tabletest.Read[map[string]struct{ Text, Said, Guess string }](t, "purposes.yaml") {
		says(t, name, test.Text, test.Said, test.Guess)
	}
}

// TestNoRequests: what is said of indexes and requests in parts on access patterns, and asks nothing of them; and calls that are no requests.
func TestNoRequests(t *testing.T) {
	for name, test := range tabletest.Read[map[string]struct{ Text, Said, Guess string }](t, "no_requests.yaml") {
		says(t, name, test.Text, test.Said, test.Guess)
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
