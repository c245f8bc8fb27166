package contract_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/strict"
	"dynaproof/accesspatterns/validate"
)

func notes(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/notes/contract.yaml")
	require.NoError(t, err)
	return string(text)
}

func load(t *testing.T, files map[string]string) (*ap.Design, error) {
	t.Helper()
	folder := fstest.MapFS{}
	for name, text := range files {
		folder[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return contract.Load(folder)
}

func pattern(t *testing.T, design *ap.Design, id string) *ap.Pattern {
	t.Helper()
	found, known := design.Pattern(id)
	require.True(t, known, "no pattern %s", id)
	return found
}

// unplaced leaves out where an element stands.
var unplaced = cmpopts.IgnoreTypes(strict.At{})

var equal = cmp.Options{cmp.Comparer(func(a, b strict.At) bool { return a.Line == 0 || b.Line == 0 || a.String() == b.String() }), cmpopts.IgnoreFields(ap.Law{}, "Read", "See", "Holds"), cmpopts.EquateEmpty(), cmp.Comparer(dynamo.Equal), cmp.Comparer(func(a, b func(ap.Item) error) bool { return (a == nil) == (b == nil) })}

func TestWhatIsWrittenIsRead(t *testing.T) {
	design, err := load(t, map[string]string{"contract.yaml": notes(t)})
	require.NoError(t, err)
	one, five := designtest.Between(1, 5)
	within := &ap.Read{
		Operation: dynamo.Query, Table: "Notes", Partition: designtest.Equals("PK", "CUSTOMER#{customerId}"), Sort: designtest.BeginsWith("SK", "NOTE#"),
		Order: ap.Descending, Expires: "expires", MustExpire: true,
	}
	for _, row := range []struct {
		name      string
		want, got any
	}{
		{"table", ap.Table{
			ID: "Notes", Name: "Notes", Cite: designtest.Line(4, "Notes"),
			PartitionKey: ap.Key{Attribute: "PK", Type: dynamo.String}, SortKey: &ap.Key{Attribute: "SK", Type: dynamo.String}, KeyCite: designtest.Line(5, "`PK`", "`SK`"),
			Indexes: []ap.Index{{Name: "by-state", PartitionKey: ap.Key{Attribute: "state", Type: dynamo.String}, Projection: dynamo.ProjectKeysOnly, Cite: designtest.Line(7, "by-state")}, {
				Name: "by-day", Local: true, PartitionKey: ap.Key{Attribute: "PK", Type: dynamo.String}, SortKey: &ap.Key{Attribute: "written", Type: dynamo.String},
				Projection: dynamo.ProjectInclude, NonKeyAttributes: []string{"text"}, Cite: designtest.Line(7, "by-day"), ProjectionCite: new(designtest.Line(7, "text")),
			}},
			IndexesCite: designtest.Line(7, "by-state"), Billing: dynamo.OnDemand, BillingCite: designtest.Line(6, "on demand"), Later: &ap.Capacity{ReadUnits: 2, WriteUnits: 1}, TTL: &ap.TTL{Attribute: "expires", Cite: designtest.Line(8, "expires")},
		}, design.Tables[0]},
		{"keys", []ap.KeyAttribute{
			{Attribute: "PK", Template: "CUSTOMER#{customerId}", Cite: designtest.Line(11, "CUSTOMER#{customerId}"), Written: strict.At{File: "contract.yaml", Line: 32}},
			{Attribute: "SK", Template: "NOTE#{day}#{noteId}", Binds: map[string]string{"day": "written"}, Refers: map[string]string{"noteId": "noteId"}, Cite: designtest.Line(12, "NOTE#{day}#{noteId}"), Written: strict.At{File: "contract.yaml", Line: 33}},
			{Attribute: "state", Template: "{state}", Optional: true, Cite: designtest.Line(7, "state"), Written: strict.At{File: "contract.yaml", Line: 34}},
		}, design.Entities[0].Keys},
		{"attributes", []ap.Attribute{
			{Name: "noteId", Type: dynamo.String, Cite: designtest.Line(13, "noteId")},
			{Name: "written", Type: dynamo.String, Format: ap.ISODate, Cite: designtest.Line(14, "written")},
			{Name: "text", Type: dynamo.String, NotEmpty: true, Cite: designtest.Line(15, "text")},
			{Name: "stars", Type: dynamo.Number, Presence: ap.Optional, Minimum: one, Maximum: five, Format: ap.Integer, Cite: designtest.Line(16, "stars")},
			{Name: "read", Type: dynamo.Number, Cite: designtest.Line(16, "read").Chosen("the type is not said")},
			{Name: "open", Type: dynamo.Boolean, Cite: designtest.Line(17, "open")},
			{Name: "tags", Type: dynamo.StringSet, Presence: ap.Optional, Allowed: []string{"red", "blue"}, Cite: designtest.Line(17, "tags")},
			{Name: "expires", Type: dynamo.Number, Presence: ap.Optional, Format: ap.EpochSeconds, Cite: designtest.Line(8, "expires")},
			{Name: "colour", Presence: ap.Optional, Refers: "noteId", Cite: designtest.Line(18, "colour")},
			{Name: "layout", Type: dynamo.String, Presence: ap.Optional, JSON: map[string]string{"font": "string", "size.width": "number"}, Cite: designtest.Line(18, "layout")},
		}, design.Entities[0].Attributes},
		{"closed", &ap.Citation{First: 19, Last: 19, Tokens: []string{"no other"}}, design.Entities[0].Closed},
		{"one read", ap.Pattern{
			ID: "list-notes", Title: "The notes of a customer, newest first", Cite: designtest.Line(21, "notes of a customer"), Roles: []string{"clerk"},
			Steps: []ap.Step{{Name: "read", Cite: designtest.Line(21, "notes of a customer"), Read: within}}, Returns: []string{"note"},
		}, *pattern(t, design, "list-notes")},
		{"one write", ap.Pattern{
			ID: "write-note", Title: "A new note", Cite: designtest.Line(22, "write a note"), Roles: []string{"clerk"},
			Steps: []ap.Step{{Name: "write", Cite: designtest.Line(22, "write a note"), Write: []ap.Action{{Kind: ap.Put, Table: "Notes", Entity: "note", Item: "note", Condition: designtest.IfAbsent("PK")}}}},
		}, *pattern(t, design, "write-note")},
		{"flow", []ap.Step{
			{Name: "notes", Cite: designtest.Line(23, "stars"), Read: within, StopWhenEmpty: true},
			{Name: "star", Cite: designtest.Line(16, "stars"), ForEach: designtest.Each("notes", "written", "day", "noteId", "noteId"), Write: []ap.Action{
				{
					Kind: ap.Update, Table: "Notes", Key: []ap.Equality{*designtest.Equals("PK", "CUSTOMER#{customerId}"), *designtest.Equals("SK", "NOTE#{day}#{noteId}")},
					Set: []ap.Assignment{
						{Attribute: "stars", Value: designtest.Digits("{stars}")},
						{Attribute: "read", Operator: "+", Value: designtest.Digits("1")},
						{Attribute: "text", Value: designtest.Text("it's starred")},
						{Attribute: "tags", Operator: ap.Include, Value: designtest.Member("red")},
					},
					Remove: []string{"expires"}, Condition: []ap.Condition{{Attribute: "open", Operator: expression.Equal, Value: designtest.True()}},
				},
				{
					Kind: ap.ConditionCheck, Table: "Notes", Key: []ap.Equality{*designtest.Equals("PK", "CUSTOMER#{customerId}"), *designtest.Equals("SK", "PROFILE")},
					Condition: append(designtest.IfPresent("PK"), designtest.AnyOf(
						ap.Condition{Attribute: "state", Operator: expression.Equal, Value: designtest.Text("1")},
						ap.Condition{Attribute: "tags", Operator: expression.NotContains, Value: designtest.Text("{tag}")},
					)),
				},
			}},
		}, pattern(t, design, "star-latest").Steps},
		{"edit", []ap.Action{
			{
				Kind: ap.Put, Table: "Notes", Entity: "note", Item: "copy", Times: ap.AnyNumber,
				With:    []ap.Equality{{Attribute: "noteId", Value: designtest.Text("{noteId}")}, {Attribute: "stars", Value: designtest.Digits("1")}, {Attribute: "colour", Value: designtest.Text("1")}, {Attribute: "tags", Value: designtest.Member("red")}},
				Without: []string{"expires"},
			},
			{
				Kind: ap.Update, Table: "Notes", Item: "edited", Key: []ap.Equality{*designtest.Equals("PK", "CUSTOMER#{customerId}"), *designtest.Equals("SK", "NOTE#{day}#{noteId}")},
				Set: []ap.Assignment{{Attribute: "written", Operator: ap.Keep, Value: designtest.Text("{today}")}}, Edits: []string{"text", "stars"},
			},
		}, pattern(t, design, "edit-note").Steps[0].Write},
		{"index", &ap.Read{
			Operation: dynamo.Query, Table: "Notes", Index: "by-state", Partition: designtest.Equals("state", "{state}"), Limit: 10, Projection: []string{"PK", "SK"}, OrFewer: true,
			Filter: []ap.Condition{
				{Attribute: "stars", Operator: expression.Greater, Value: designtest.Digits("3")}, {Attribute: "text", Operator: expression.Exists},
				{Attribute: "read", Operator: "NOT BETWEEN", Value: designtest.Digits("1"), High: designtest.Digits("{most}")}, {Attribute: "stars", Operator: expression.LessOrEqual, Value: ap.Operand{Attribute: "read"}},
			},
		}, pattern(t, design, "open-notes").Steps[0].Read},
		{"narrative", []ap.NarrativeLines{{First: 1, Last: 1, Reason: "title"}, {First: 2, Last: 2, Reason: "layout"}, {First: 25, Last: 26, Reason: "layout"}}, design.Narrative},
	} {
		assert.Empty(t, cmp.Diff(row.want, row.got, equal, unplaced), "%s (-want +got)", row.name)
	}
}

// The sections of a contract may stand in one file or in many, in any order.
func TestAnySplitLoadsTheSame(t *testing.T) {
	whole, err := load(t, map[string]string{"contract.yaml": notes(t)})
	require.NoError(t, err)
	// One file for each section, and of the patterns one for each.
	files, name := map[string]string{}, ""
	for number, line := range strings.SplitAfter(notes(t), "\n") {
		pattern := strings.HasPrefix(files[name], "patterns:\n  ")
		switch {
		case line == "" || line == "\n" || line[0] == '#':
			continue
		case line[0] != ' ' || pattern && line[2] != ' ':
			name = fmt.Sprintf("%c%d.yaml", 'z'-number%26, number)
			if line[0] == ' ' {
				files[name] = "patterns:\n"
			}
		}
		files[name] += line
	}
	split, err := load(t, files)
	require.NoError(t, err)
	if len(files) < 10 {
		t.Fatalf("expected many files, found %d", len(files))
	}
	assert.Empty(t, cmp.Diff(whole, split, equal, unplaced), "-one file +%d files", len(files))
}

// Each mistake is one change to a contract that is right.
func TestMistakesAreNamedWithTheirLine(t *testing.T) {
	for _, row := range []struct {
		name, from, to string
		// at is a text of the line that the mistake must be reported for.
		at, want string
	}{
		{"an unknown name", "    title: Note\n", "    titel: Note\n", "titel", "unknown name titel; expected title"},
		{"an unknown section", "narrative:", "narration:", "narration:", "unknown name narration; expected narrative"},
		{"a reading without names", "{Field: name, Kind", "{Field: '-', Kind", "40-44", "expected one column that gives the name, or all names, found 0"},
		{"a reading of no entity", "{entity: note, columns", "{entity: filed, columns", "40-44", `expected an entity of the contract, found "filed"`},
		{"a reading of one line", "  40-44: {entity", "  40: {entity", "  40: {entity", "expected the first and last line of a table"},
		{"a name twice", "      noteId: {type: S", "      written: {type: S", "format: date", "written stands twice"},
		{"a table twice", "entities:\n", "entities: {}\ntables: {}\nentities:\n", "entities:\n  note", "entities stands twice"},
		{"a missing name", "    table: Notes\n", "", "    title: Note\n", "table is missing"},
		{"a mapping for a text", "title: Notes of a shop", "title: {a: b}", "title: {a: b}", "expected text, found a mapping"},
		{"a number for a text", "title: Notes of a shop", "title: 7", "title: 7", "expected text, found 7; put it into quotes: '7'"},
		{"a text for a number", "limit: 10", "limit: ten", "limit: ten", `expected a whole number, found the text "ten"`},
		{"a text for a truth", "required: true", "required: maybe", "required: maybe", `expected true or false, found the text "maybe"`},
		{"a reason of white space", "implied: stars have to come from somewhere", "implied: ' '", "implied: ' '", "expected text, found white space alone"},
		{"a reason of no words", "chosen: the type is not said", "chosen: ''", "chosen: ''", "chosen: expected words, found none"},
		{"an answer of no words", "narrative:", "answers: {own-name/table/Notes: ''}\nnarrative:", "answers:", "own-name/table/Notes: expected words, found none"},
		{"a text that is required and empty", "title: Note\n", "title: ''\n", "title: ''", "title: expected words, found none"},
		{"nothing", "title: Notes of a shop", "title:", "title:", "expected text, found nothing"},
		{"a type", "{type: BOOL", "{type: Boolean", "type: Boolean", "type: expected one of S, N, B, BOOL"},
		{"a key's type", "sort-key: {SK: S}", "sort-key: {SK: M}", "sort-key", "expected the type S, N or B of key attribute SK, found M"},
		{"two sort keys", "sort-key: {SK: S}", "sort-key: {SK: S, SK2: S}", "SK2", "expected one attribute with its type"},
		{"too many parts of an index key", "{partition-key: {state: S}", "{partition-key: {a: S, b: S, c: S, d: S, e: S}", "e: S", "partition-key: expected at most 4 attributes, found 5"},
		{"a type of a part of an index key", "{partition-key: {state: S}", "{partition-key: {state: S, shop: M}", "shop: M", "expected the type S, N or B of key attribute shop, found M"},
		{"a read by a key of several attributes", "{partition-key: {state: S}", "{partition-key: {state: S, shop: S}", "by-state,", "index by-state has a key of several attributes, which is compared with what is deployed and cannot be replayed"},
		{"a type of JSON that is none", "json: {font: string", "json: {font: S", "font: S", "json: expected a type of JSON for font, one of [string number boolean object array null any], found S"},
		{"JSON in no String", "layout: {type: S", "layout: {type: M", "json: {font", `json: expected it beside the type S, found "M"`},
		{"values of a type that has no list of them", "tags: {type: SS", "tags: {type: L", "allowed", `allowed: expected it beside the type S or SS, found "L"`},
		{"a value twice", "allowed: [red, blue]", "allowed: [red, blue, red]", "allowed", "allowed: expected each value once, found red twice"},
		{"a bound of a text", "text: {type: S", "text: {type: S, minimum: 1", "minimum", `minimum: expected it beside the type N or NS, found "S"`},
		{"a notation of numbers in a text", "text: {type: S", "text: {type: S, format: integer", "format: integer", `format: expected it beside the type N or NS, found "S"`},
		{"a notation of texts in a number", "format: integer, cite", "format: date, cite", "format: date, cite: {16", `format: expected it beside the type S or SS, found "N"`},
		{"a number that is not empty", "stars: {type: N", "stars: {type: N, not-empty: true", "N, not-empty", `not-empty: expected it beside the type S, found "N"`},
		{"bounds that no number is between", "maximum: 5", "maximum: 0", "maximum", "maximum: expected at least the minimum 1, found 0"},
		{"a put of a value that the closed list lacks", "tags: red}, without", "tags: green}, without", "tags: green}", "with: expected one of the values that tags may have, red, blue, found green"},
		{"a member that the closed list of a set lacks", "ADD tags red", "ADD tags green", "ADD tags green", "do: expected one of the values that tags may have, red, blue, found green"},
		{"a line", "cite: {10: Note}", "cite: {ten: Note}", "ten: Note", "expected a line or a range of lines such as 24 or 24-26, implied or chosen, found ten"},
		{"a range backwards", "20-24", "24-20", "24-20", "expected a line or a range of lines"},
		{"a citation of nothing", "cite: {10: Note}", "cite: {implied: it is so}", "it is so", "a citation names at least one line"},
		{"two bases", "chosen: the type is not said", "chosen: a, implied: b", "implied: b", "expected implied or chosen, found both"},
		{"an indentation", "    title: Note\n", "   title: Note\n", "    table: Notes", "no YAML"},
		{"an anchor", "    title: Note\n", "    title: &t Note\n", "&t", "expected no anchor"},
		{"a second document", "narrative:", "---\nnarrative:", "---", "expected one YAML document"},
		{"an unknown table", "    table: Notes\n", "    table: Note\n", "table: Note\n", "entity note: no table Note; expected one of Notes"},
		{"a template", "NOTE#{day}#{noteId}', binds", "NOTE#{day}{noteId}', binds", "{day}{noteId}", "two parameters need literal text"},
		{"a binding", "binds: {day: written}", "binds: {date: written}", "binds: {date", "no parameter {date}"},
		{"an unknown entity", "{put: note, if", "{put: notes, if", "put: notes", "put: expected an entity, a table or table/index, found notes, but note"},
		{"an unknown index", "Notes/by-state", "Notes/by-stat", "by-stat,", "table Notes has no index by-stat, but by-state"},
		{"an unknown read", "      - use: notes-of-customer", "      - use: notes-of-custom", "use: notes-of-custom\n", "no read notes-of-custom, but notes-of-customer; define it under reads"},
		{"a key condition", "begins_with(SK, NOTE#)', order", "starts_with(SK, NOTE#)', order", "starts_with", "where: expected name ="},
		{"a key condition on no key", "where: 'state = {state}'", "where: 'stars = 1'", "stars = 1", "where: expected state = value"},
		{"an operator of a sort key", "begins_with(SK, NOTE#)', order", "SK <> NOTE#', order", "SK <> NOTE#", "expected =, <, <=, >, >=, begins_with or BETWEEN on SK, found <>"},
		{"no key condition", "where: 'state = {state}', ", "", "Notes/by-state", "a query needs where"},
		{"a filter on an unknown attribute", "filter: 'stars > 3", "filter: 'star > 3", "star > 3", "no entity of table Notes says which type star has"},
		{"a filter's number", "filter: 'stars > 3", "filter: 'stars > three", "stars > three", "expected a number for stars, found three"},
		{"an update expression", "SET stars = {stars}", "SETS stars = {stars}", "SETS", "do: expected SET, REMOVE, ADD and DELETE clauses"},
		{"a member of no set", "ADD tags red", "ADD text red", "ADD text red", "ADD and DELETE change a String Set, found text, a S"},
		{"a truth", "still-open: open = true", "still-open: open = yes", "update: note", "expected true or false for open, found yes"},
		{"an attribute without a type", "filter: 'stars > 3", "filter: 'colour = red", "colour = red", "quote the value if it is text"},
		{"an update of an attribute without a type", "read = read + 1", "colour = red", "colour = red", "no entity of table Notes says which type colour has"},
		{"a condition", "if: attribute_not_exists(PK)", "if: attribute_missing(PK)", "attribute_missing", "if: expected name ="},
		{"two heads", "{put: note, if", "{put: note, get: note, if", "get: note", "a step is one of check, delete, get, put, query"},
		{"no head", "{put: note, if", "{if", "{if", "found none of them"},
		{"a transaction of one", "          - {check: Notes, key: {PK: 'CUSTOMER#{customerId}', SK: PROFILE}, if: ['attribute_exists(PK)', 'state = ''1'' OR NOT contains(tags, {tag})']}\n", "", "- {update: note", "expected two writes or more"},
		{"an update without an expression", "{put: note, if", "{update: note, if", "update: note, if", "do is missing, the update expression"},
		{"a field of another request", "{put: note, if", "{put: note, limit: 3, if", "limit: 3", "limit has no meaning beside put"},
		{"a write that ends a flow", "{put: note, if", "{put: note, required: true, if", "required: true", "required has no meaning beside put"},
		{"a read that may fail", "      - use: notes-of-customer\n", "      - {use: notes-of-customer, may-fail: true}\n", "may-fail: true", "may-fail has no meaning beside use"},
		{"a put of nothing", "{put: note, if", "{put: '', if", "put: ''", "put: expected an entity, a table or table/index, found "},
		{"a put of a table", "{put: note, if", "{put: Notes, if", "put: Notes", "put: expected an entity, found table Notes"},
		{"a field beside a named read", "      - use: notes-of-customer\n", "      - {use: notes-of-customer, limit: 3}\n", "limit: 3", "limit has no meaning beside use"},
		{"a read in a transaction", "{check: Notes, key", "{get: Notes, key", "{get: Notes", "unknown name get"},
		{"a limit below one", "limit: 10", "limit: 0", "limit: 0", "expected a whole number from 1 to 2147483647"},
		{"a limit beyond an int32", "limit: 10", "limit: 4294967297", "limit: 4294967297", "expected a whole number from 1 to 2147483647"},
		{"a read that nobody uses", "reads:\n", "reads:\n  more: {get: note}\n", "more:", "read more is used nowhere"},
		{"a condition that nobody uses", "conditions:\n", "conditions:\n  more: x = 1\n", "more:", "condition more is used nowhere"},
		{"versions that nobody knows", "limit: 10", "versions: v1", "versions: v1", "no versions v1"},
		{"a number to stop at", "{name: notes, use: notes-of-customer, required: true}", "{name: notes, use: notes-of-customer, stop-at: many}", "stop-at: many", "expected a number or a {parameter}, found many"},
		{"a key's attribute", "SK: PROFILE}", "SRT: PROFILE}", "SRT", "SRT is no key attribute of table Notes"},
		{"a step without a name", "{name: notes, use", "{use", "{use: notes-of-customer, required", "a step needs a name where there are several"},
		{"CEL that does not parse", "item.stars <= item.read", "item.stars =< item.read", "=<", "cel: at character"},
		{"CEL of an unknown attribute", "item.stars <= item.read", "item.star <= item.read", "item.star <=", "entity note has no attribute star"},
		{"CEL of an unknown parameter", "item.stars <= item.read", "key.customer == 'x'", "key.customer", "no key of entity note has the parameter {customer}"},
		{"CEL of no truth", "item.stars <= item.read", "1 + 1", "1 + 1", "expected an expression that is true or false"},
		{"CEL without an end", "item.stars <= item.read", `"` + nested("[0,1,2,3,4,5,6,7,8,9]") + `"`, "[0,1,2", "expected an expression that ends after 200000 steps"},
		{"a comparison without an end", "item.stars <= item.read", `"` + doubled("a") + " == " + doubled("b") + `"`, "[[1]]", "expected an expression that ends after 200000 steps"},
		{"the greatest of a list without an end", "item.stars <= item.read", `"math.greatest([[1]]` + strings.Repeat(".map(a, a + a)", 40) + `[0]) > 0"`, "[[1]]", "expected an expression that ends after 200000 steps"},
		{"CEL that makes texts of any length", "item.stars <= item.read", `"item.colour.replace('', item.colour) == ''"`, "replace(", "expected an expression without replace"},
		{"a rule on no attribute", "attribute: stars, cel", "attribute: star, cel", "attribute: star,", "entity note has no attribute star"},
		{"writes of no batch", "        transact:\n          - {update", "        writes:\n          - {update", "- {update: note, do: 'SET stars", "writes are those of a batch"},
		{"a step to repeat for", "step: notes, bind", "step: note, bind", "  star-latest:", `no earlier read step "note" to repeat for`},
		{"a role", "roles: clerk", "roles: clark", "  list-notes:", "no role clark among the policies"},
		{"an entity that is returned", "    returns: note\n\n  write", "    returns: nota\n\n  write", "  list-notes:", "no entity nota"},
		{"a claim of a finding", "static: the text is absent", "claims: [pattern/x], static: absent", "state-unexplained", "no claim pattern/x"},
		{"a design that a shell would run", "design: shop-notes", "design: \"t'; touch PWNED; '\"", "design:", "expected a design's name of at most 64 letters"},
		{"a table elsewhere", "  Notes:\n    cite: {4: Notes}", "  Notes:\n    name: ../../../x\n    cite: {4: Notes}", "  Notes:\n    name", "table Notes: expected a name of 3 to 255 letters"},
		{"an owner whom no item names", "{by: customerId, author", "{by: customer, author", "  note:\n    title", "no parameter of its keys and no attribute customer"},
		{"an owner in two ways", "{by: customerId, author", "{by: customerId, nobody: all, author", "  note:\n    title", "expected exactly one of by, through with of, and nobody"},
		{"an owner through nothing", "{by: customerId, author: colour", "{through: nota, of: customerId, author: colour", "owner: {through", "no entity nota"},
		{"a role with nothing to keep", "reaches: {everybody: a clerk works for all}", "reaches: {everybody: all, kept-by-flow: write-note}", "clerk: {", "take everybody away"},
		{"a reach without its finding", "reaches: {everybody: a clerk works for all}", "reaches: {not-kept: [{by: write-note, finding: none}]}", "clerk: {", "no finding none"},
		{"no title", "title: Notes of a shop\n", "", "design:", "title is missing in all files"},
	} {
		t.Run(row.name, func(t *testing.T) {
			text := notes(t)
			if strings.Count(text, row.from) != 1 {
				t.Fatalf("expected %q once in the contract, found it %d times", row.from, strings.Count(text, row.from))
			}
			text = strings.Replace(text, row.from, row.to, 1)
			before, _, found := strings.Cut(text, row.at)
			require.True(t, found, "no %q in the changed contract", row.at)
			line := 1 + strings.Count(before, "\n")
			_, err := load(t, map[string]string{"contract.yaml": text})
			var problems []string
			for _, mistake := range mistakes(err) {
				if strings.Contains(mistake.Problem, row.want) && mistake.File == "contract.yaml" && mistake.Line == line {
					return
				}
				problems = append(problems, mistake.Error())
			}
			t.Errorf("expected contract.yaml:%d: %s, found\n%s", line, row.want, strings.Join(problems, "\n"))
		})
	}
}

func mistakes(err error) []*contract.Mistake {
	var all []*contract.Mistake
	var visit func(err error)
	visit = func(err error) {
		switch of := err.(type) { //nolint:errorlint // visits the tree of errors itself
		case *contract.Mistake:
			all = append(all, of)
		case interface{ Unwrap() []error }:
			for _, inner := range of.Unwrap() {
				visit(inner)
			}
		}
	}
	visit(err)
	return all
}

// All mistakes are reported at once, in the order of files and lines.
func TestAllMistakesAreReported(t *testing.T) {
	text := strings.NewReplacer("    title: Note\n", "    titel: Note\n", "{type: BOOL", "{type: Boolean", "limit: 10", "limit: ten").Replace(notes(t))
	_, err := load(t, map[string]string{"a.yaml": text, "b.yaml": "design: other\nnarrative: [{}]\n"})
	var places []string
	for _, mistake := range mistakes(err) {
		places = append(places, mistake.Error()[:strings.Index(mistake.Error(), ": ")])
	}
	want := []string{"a.yaml:27", "a.yaml:27", "a.yaml:41", "a.yaml:102", "b.yaml:1", "b.yaml:2", "b.yaml:2"}
	if !slices.Equal(places, want) {
		t.Errorf("expected mistakes at %q, found\n%v", want, err)
	}
}

// What is missing is named in one order, whatever the run.
func TestWhatIsMissingIsNamedInOneOrder(t *testing.T) {
	for range 20 {
		_, err := load(t, map[string]string{"a.yaml": "level: schema\n"})
		var missing []string
		for _, mistake := range mistakes(err) {
			name, _, _ := strings.Cut(mistake.Problem, " ")
			missing = append(missing, name)
		}
		if want := []string{"design", "title", "document", "tables"}; !slices.Equal(missing, want) {
			t.Fatalf("expected %q to be missing, found\n%v", want, err)
		}
	}
}

// Each mistake of the narrative is one of its own.
func TestMistakesOfTheNarrative(t *testing.T) {
	_, err := load(t, map[string]string{"contract.yaml": notes(t) + "  - {reason: again, lines: [1, 2]}\n"})
	all := mistakes(err)
	if len(all) != 2 || !strings.Contains(all[0].Problem, "line 1 is listed already") || !strings.Contains(all[1].Problem, "line 2 is listed already") {
		t.Errorf("expected a mistake for line 1 and one for line 2, found %d:\n%v", len(all), err)
	}
}

// A file that nobody would read is no part of a contract that passes; what another tool reads may lie beside.
func TestAFileOfAnotherEnd(t *testing.T) {
	_, err := load(t, map[string]string{"contract.yaml": notes(t), "template.yml": "Resources: {}\n", "broken.yml": "{", "empty.yml": ""})
	require.NoError(t, err)
	_, err = load(t, map[string]string{"contract.yaml": notes(t), "promises.yml": "invariants: {}\n"})
	assert.ErrorContains(t, err, "promises.yml:1: expected the contract's files to end in .yaml")
}

func TestAFolderWithoutContract(t *testing.T) {
	if _, err := load(t, map[string]string{"readme.md": "x"}); err == nil || !strings.Contains(err.Error(), "which end in .yaml") {
		t.Errorf("expected to be told which files a contract has, found %v", err)
	}
}

func TestRulesInCEL(t *testing.T) {
	text := func(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }
	number := func(value string) types.AttributeValue { return &types.AttributeValueMemberN{Value: value} }
	item := func(change ap.Item) ap.Item {
		item := ap.Item{
			"PK": text("CUSTOMER#c-1"), "SK": text("NOTE#2026-02-19#n-1"), "noteId": text("n-1"), "written": text("2026-02-19"), "text": text("x"),
			"stars": number("3"), "read": number("3"), "open": &types.AttributeValueMemberBOOL{Value: true},
		}
		for name, value := range change {
			item[name] = value
			if value == nil {
				delete(item, name)
			}
		}
		return item
	}
	for _, row := range []struct {
		name, cel string
		item      ap.Item
		broken    bool
	}{
		{"holds", "item.stars <= item.read", item(nil), false},
		{"is broken", "item.stars <= item.read", item(ap.Item{"read": number("2")}), true},
		{"a fraction beside a whole number", "item.stars <= item.read", item(ap.Item{"read": number("2.5")}), true},
		{"a number with an exponent", "item.stars <= item.read", item(ap.Item{"read": number("3E2")}), false},
		{"a missing attribute is another violation", "item.stars <= item.read", item(ap.Item{"read": nil}), false},
		{"a mistyped attribute is another violation", "item.stars <= item.read", item(ap.Item{"read": text("1")}), false},
		{"an attribute out of bounds is another violation", "item.stars < item.read", item(ap.Item{"stars": number("9")}), false},
		{"an absent attribute that the rule looks for", "!has(item.stars)", item(ap.Item{"stars": nil}), false},
		{"a present one", "!has(item.stars)", item(nil), true},
		{"a key's parameter", "key.noteId == item.noteId", item(nil), false},
		{"a key's parameter that differs", "key.day == '2026-02-20'", item(nil), true},
		{"a key that has not its form", "key.day == '2026-02-20'", item(ap.Item{"SK": text("NOTE")}), false},
		{"a date", "item.written.isDate()", item(nil), false},
		{"no timestamp", "item.written.isTimestamp()", item(nil), true},
		{"no UUID", "key.customerId.isUUID()", item(nil), true},
		{"a text that is no timestamp", "timestamp(item.noteId) == timestamp(item.written)", item(nil), true},
		{"a type that the operator does not take", "item.colour > 3", item(ap.Item{"colour": text("red")}), true},
		{"a text where a function takes another type", "item.colour.isUUID()", item(ap.Item{"colour": number("3")}), true},
		{"a division by zero", "item.stars / (item.stars - item.read) == 1", item(nil), true},
		{"one beside an absent attribute that the rule looks for", "item.stars / (item.stars - item.read) == 1 || has(item.colour)", item(nil), true},
		{"a member that nothing documents", "item.colour.shade == 'dark'", item(ap.Item{"colour": &types.AttributeValueMemberM{Value: ap.Item{}}}), true},
		{"an absent attribute of which nothing is required", "item.colour > 3", item(nil), false},
		{"an absent member that the document lets be absent", "item.place.town == 'Lund'", item(ap.Item{"place": &types.AttributeValueMemberM{Value: ap.Item{}}}), false},
		{"another member", "item.place.town == 'Lund'", item(ap.Item{"place": &types.AttributeValueMemberM{Value: ap.Item{"town": text("Oslo")}}}), true},
		{"a NULL that the document allows", "item.mark > 3", item(ap.Item{"mark": &types.AttributeValueMemberNULL{Value: true}}), false},
		{"one that takes too long with this item", nested("item.list"), item(ap.Item{"list": &types.AttributeValueMemberL{Value: slices.Repeat([]types.AttributeValue{number("1")}, 10)}}), true},
		{"one that does not", nested("item.list"), item(ap.Item{"list": &types.AttributeValueMemberL{Value: slices.Repeat([]types.AttributeValue{number("1")}, 2)}}), false},
		{"a NULL that it does not speak of", "item.colour > 3", item(ap.Item{"colour": &types.AttributeValueMemberNULL{Value: true}}), true},
	} {
		t.Run(row.name, func(t *testing.T) {
			changed := strings.NewReplacer(
				"cel: item.stars <= item.read", `cel: "`+row.cel+`"`, "      colour: {", `      mark: {presence: nullable, cite: {18: colour}}
      list: {type: L, presence: optional, cite: {18: colour}}
      place: {type: M, presence: optional, cite: {18: colour}}
      place.town: {type: S, presence: optional, cite: {18: colour}}
      colour: {`).Replace(notes(t))
			design, err := load(t, map[string]string{"contract.yaml": changed})
			require.NoError(t, err)
			violation := validate.Rule(&design.Entities[0].Rules[0], row.item, nil)
			if (violation != nil) != row.broken {
				t.Errorf("expected broken to be %v, found %v", row.broken, violation)
			}
			if violation != nil && !strings.Contains(violation.Message, "nobody gives more stars than there are readers") {
				t.Errorf("expected the rule's own words, found %s", violation.Message)
			}
		})
	}
}

// nested is an expression of eight loops over a list in each other.
func nested(list string) string {
	text := "true"
	for i := range 8 {
		text = fmt.Sprintf("%s.all(x%d, %s)", list, i, text)
	}
	return text
}

// Each kind of element that has a name is told with both places where two files have it.
func TestAnElementInTwoFiles(t *testing.T) {
	kinds, files := map[string]bool{}, map[string]string{}
	for _, name := range []string{"archive.yaml", "contract.yaml"} {
		text, err := os.ReadFile("testdata/notes/" + name)
		require.NoError(t, err)
		files[name] = string(text)
		for _, part := range regexp.MustCompile(`(?m)^[a-z-]+:.*\n(?:[ #].*\n|\n)*`).FindAllString(files[name], -1) {
			if kind, rest, _ := strings.Cut(part, ":"); strings.HasPrefix(rest, "\n  ") && !strings.HasPrefix(rest, "\n  -") {
				kinds[kind] = true
				files["z-"+name] += part
			}
		}
	}
	_, err := load(t, files)
	if err == nil || len(kinds) < 14 {
		t.Fatalf("expected mistakes of many kinds of elements, found %v: %v", kinds, err)
	}
	twice := regexp.MustCompile(`(?m)^z-[a-z]+\.yaml:[1-9]\d*: (\S+) \S+ stands twice, first in [a-z]+\.yaml:[1-9]\d*; keep one$`)
	found := map[string]bool{}
	for _, match := range twice.FindAllStringSubmatch(err.Error(), -1) {
		found[match[1]] = true
	}
	if len(found) != len(kinds) {
		t.Errorf("expected a mistake for each of %d kinds, found %v in:\n%v", len(kinds), slices.Sorted(maps.Keys(found)), err)
	}
}

// A contract that is part of the program is read once, and every caller may change
// what it gets.
func TestEmbedded(t *testing.T) {
	design := contract.Embedded(os.DirFS("testdata/notes"))
	first, second := design(), design()
	assert.Empty(t, cmp.Diff(first, second, equal), "-first +second")
	first.Tables[0].Indexes[0].Name = "changed"
	first.Entities[0].Attributes[6].Allowed[0] = "changed"
	first.Patterns[0].Roles[0] = "changed"
	first.Patterns[0].Cite.Tokens[0] = "changed"
	first.Patterns[0].Returns[0] = "changed"
	*first.Entities[0].Attributes[3].Minimum = 7
	pattern(t, first, "open-notes").Steps[0].Read.Projection[0] = "changed"
	loaded, err := contract.Load(os.DirFS("testdata/notes"))
	require.NoError(t, err)
	for name, other := range map[string]*ap.Design{"earlier": second, "later": design()} {
		assert.Empty(t, cmp.Diff(loaded, other, equal), "a change of one contract is seen in an %s one (-loaded +embedded)", name)
	}
}

func TestMistakeIsFound(t *testing.T) {
	_, err := load(t, map[string]string{"contract.yaml": "design: [x]\n"})
	var mistake *contract.Mistake
	if !errors.As(err, &mistake) || mistake.Line != 1 {
		t.Errorf("expected a Mistake at line 1, found %v", err)
	}
}

// Everything that a contract's types hold can be written in a file: the contract of
// notes has each of their fields at least once.
func TestEveryFieldCanBeWritten(t *testing.T) {
	design, err := contract.Load(os.DirFS("testdata/notes"))
	require.NoError(t, err)
	given := map[string]bool{}
	var visit func(value reflect.Value)
	visit = func(value reflect.Value) {
		switch value.Kind() {
		case reflect.Pointer, reflect.Interface:
			if !value.IsNil() {
				visit(value.Elem())
			}
		case reflect.Slice:
			for i := range value.Len() {
				visit(value.Index(i))
			}
		case reflect.Struct:
			if value.Type().PkgPath() != reflect.TypeFor[ap.Design]().PkgPath() {
				return
			}
			for i := range value.NumField() {
				name := value.Type().Name() + "." + value.Type().Field(i).Name
				given[name] = given[name] || !value.Field(i).IsZero()
				visit(value.Field(i))
			}
		}
	}
	visit(reflect.ValueOf(design))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !given[name] {
			t.Errorf("%s: nothing in the contract of notes gives it; give it a name in package file, and an example there", name)
		}
	}
	if len(given) < 100 {
		t.Errorf("expected all fields of a contract, found %d", len(given))
	}
}

// A folder that has the contract's folder, as an embed.FS has, is told from one without any.
func TestFolderOfTheFolder(t *testing.T) {
	for name, want := range map[string]string{
		"design/contract.yaml": "expected the contract's files, which end in .yaml, found none in this folder, and some in design; name that folder, in Go by fs.Sub",
		"design/orders.md":     "expected the contract's files, which end in .yaml, found none in this folder",
	} {
		if _, err := contract.Load(fstest.MapFS{name: {Data: []byte("design: orders")}}); err == nil || err.Error() != want {
			t.Errorf("%s: expected %s, found %v", name, want, err)
		}
	}
}
