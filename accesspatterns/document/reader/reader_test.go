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

	"dynaproof/accesspatterns/tabletest"
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
	for name, test := range tabletest.Read[map[string]struct{ Text, Said, Guess string }](t, "absent.yaml") {
		says(t, name, test.Text, test.Said, test.Guess)
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
			fmt.Fprintf(&out, "  index %s @%d %s%s\n", index.Name, index.Line, index.Projection.Value, map[bool]string{true: " local"}[index.Local])
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
	for name, test := range tabletest.Read[map[string]struct{ Text, Said, Guess string }](t, "features.yaml") {
		says(t, name, test.Text, test.Said, test.Guess)
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
