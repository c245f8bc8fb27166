package contract_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/contract/file"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/strict"
	"dynaproof/accesspatterns/tabletest"
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
	require.GreaterOrEqual(t, len(files), 10, "expected many files")
	assert.Empty(t, cmp.Diff(whole, split, equal, unplaced), "-one file +%d files", len(files))
}

// mistaken is one change to a contract that is right, with a text of the line that the mistake must be reported for.
type mistaken struct{ Name, From, To, At, Want string }

// run makes the change in one of the files of the contract.
func (row mistaken) run(t *testing.T, names ...string) {
	t.Helper()
	files, changes := map[string]string{}, 0
	for _, name := range names {
		text, err := os.ReadFile("testdata/notes/" + name)
		require.NoError(t, err)
		changes += strings.Count(string(text), row.From)
		files[name] = strings.Replace(string(text), row.From, row.To, 1)
	}
	require.Equal(t, 1, changes, "%q in the contract", row.From)
	_, err := load(t, files)
	for _, mistake := range mistakes(err) {
		before, _, found := strings.Cut(files[mistake.File], row.At)
		if found && strings.Contains(mistake.Problem, row.Want) && mistake.Line == 1+strings.Count(before, "\n") {
			return
		}
	}
	t.Errorf("expected %s at %q, found\n%v", row.Want, row.At, err)
}

func TestMistakesAreNamedWithTheirLine(t *testing.T) {
	for _, row := range append(tabletest.Read[[]mistaken](t, "mistakes.yaml"), []mistaken{
		{"CEL without an end", "item.stars <= item.read", `"` + nested("[0,1,2,3,4,5,6,7,8,9]") + `"`, "[0,1,2", "expected an expression that ends after 200000 steps"},
		{"a comparison without an end", "item.stars <= item.read", `"` + doubled("a") + " == " + doubled("b") + `"`, "[[1]]", "expected an expression that ends after 200000 steps"},
		{"the greatest of a list without an end", "item.stars <= item.read", `"math.greatest([[1]]` + strings.Repeat(".map(a, a + a)", 40) + `[0]) > 0"`, "[[1]]", "expected an expression that ends after 200000 steps"},
	}...) {
		t.Run(row.Name, func(t *testing.T) { row.run(t, "contract.yaml") })
	}
}

// What package integrity finds is told at the element that it is about.
func TestWhatDoesNotFitTogetherIsNamedWithItsLine(t *testing.T) {
	for _, row := range tabletest.Read[[]mistaken](t, "unfit.yaml") {
		t.Run(row.Name, func(t *testing.T) { row.run(t, "contract.yaml", "archive.yaml") })
	}
}

func mistakes(err error) (all []*contract.Mistake) {
	for _, each := range strict.Each(err) {
		if of, is := errors.AsType[*contract.Mistake](each); is {
			all = append(all, of)
		}
	}
	return all
}

// A reason by a finding of the contract, and one in words that begin as such a one does, are both reasons.
func TestReasonsInWords(t *testing.T) {
	for _, reason := range []string{
		"finding state-unexplained", "finding state-unexplained.", "'finding state-unexplained; by hand'", "finding state-unexplained and the type", "'finding out, by hand'",
		"finding out and about", "finding the-type in the text", "findings of a review", "key", "GSI", "TTL", "id",
	} {
		text := strings.Replace(notes(t), "the type is not said", reason, 1)
		_, err := load(t, map[string]string{"contract.yaml": text})
		require.NoError(t, err, reason)
	}
}

// A reason by no finding is reported once, at the line on which it is written: of what the contract's elements are made of it, nothing is said.
func TestAReasonByNoFindingIsReportedOnce(t *testing.T) {
	line := regexp.MustCompile(`(?m)^ *billing: .*$`).FindString(notes(t))
	text := strings.Replace(notes(t), line, strings.Replace(line, "on demand}", "on demand, implied: finding nowhere}", 1), 1)
	_, err := load(t, map[string]string{"contract.yaml": text})
	all := strict.Each(err)
	require.Len(t, all, 1)
	at := strings.Count(text[:strings.Index(text, "finding nowhere")], "\n") + 1
	assert.ErrorContains(t, all[0], fmt.Sprintf("contract.yaml:%d: ", at))
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
	assert.True(t, slices.Equal(places, want), "expected mistakes at %q, found\n%v", want, err)
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
		want := []string{"design", "title", "document", "tables"}
		require.True(t, slices.Equal(missing, want), "expected %q to be missing, found\n%v", want, err)
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
	_, err := load(t, map[string]string{"readme.md": "x"})
	assert.ErrorContains(t, err, "which end in .yaml", "expected to be told which files a contract has")
}

func TestRulesInCEL(t *testing.T) {
	type row struct {
		Name, CEL string
		Change    map[string]any
		Broken    bool
	}
	list := func(length int) map[string]any {
		return map[string]any{"list": map[string]any{"L": slices.Repeat([]any{map[string]any{"N": "1"}}, length)}}
	}
	for _, row := range append(tabletest.Read[[]row](t, "rules.yaml"),
		row{"one that takes too long with this item", nested("item.list"), list(10), true}, row{"one that does not", nested("item.list"), list(2), false}) {
		t.Run(row.Name, func(t *testing.T) {
			changed := strings.NewReplacer(
				"cel: item.stars <= item.read", `cel: "`+row.CEL+`"`, "      colour: {", `      mark: {presence: nullable, cite: {18: colour}}
      list: {type: L, presence: optional, cite: {18: colour}}
      place: {type: M, presence: optional, cite: {18: colour}}
      place.town: {type: S, presence: optional, cite: {18: colour}}
      colour: {`).Replace(notes(t))
			design, err := load(t, map[string]string{"contract.yaml": changed})
			require.NoError(t, err)
			item := map[string]any{
				"PK": map[string]any{"S": "CUSTOMER#c-1"}, "SK": map[string]any{"S": "NOTE#2026-02-19#n-1"}, "noteId": map[string]any{"S": "n-1"}, "written": map[string]any{"S": "2026-02-19"},
				"text": map[string]any{"S": "x"}, "stars": map[string]any{"N": "3"}, "read": map[string]any{"N": "3"}, "open": map[string]any{"BOOL": true},
			}
			maps.Copy(item, row.Change)
			maps.DeleteFunc(item, func(_ string, value any) bool { return value == nil })
			violation := validate.Rule(&design.Entities[0].Rules[0], tabletest.Item(t, item), nil)
			assert.Equal(t, row.Broken, violation != nil, "expected broken to be %v, found %v", row.Broken, violation)
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
	require.Error(t, err, "expected mistakes of many kinds of elements, found %v", kinds)
	require.GreaterOrEqual(t, len(kinds), 14, "expected mistakes of many kinds of elements, found %v", kinds)
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
	require.ErrorAs(t, err, &mistake)
	assert.Equal(t, 1, mistake.Line, "expected a Mistake at line 1")
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
	assert.GreaterOrEqual(t, len(given), 100, "expected all fields of a contract")
}

// A folder that has the contract's folder, as an embed.FS has, is told from one without any.
func TestFolderOfTheFolder(t *testing.T) {
	for name, want := range map[string]string{
		"design/contract.yaml": "expected the contract's files, which end in .yaml, found none in this folder, and some in design; name that folder, in Go by fs.Sub",
		"design/orders.md":     "expected the contract's files, which end in .yaml, found none in this folder",
	} {
		_, err := contract.Load(fstest.MapFS{name: {Data: []byte("design: orders")}})
		assert.EqualError(t, err, want, "%s", name)
	}
}

// What is printed and read again is the same, for every file of every contract here.
func TestPrintedIsReadAgain(t *testing.T) {
	files, err := filepath.Glob("../*/*.yaml")
	more, _ := filepath.Glob("testdata/*/*.yaml")
	if files = append(files, more...); err != nil || len(files) < 20 {
		t.Fatalf("expected the contracts of this repository, found %d files: %v", len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		var first, second file.Contract
		if err := strict.YAML(name, text, &first); err != nil {
			continue // a contract with mistakes, for other tests
		}
		printed := file.Print(&first)
		if err := strict.YAML(name, printed, &second); err != nil {
			t.Errorf("%s: %v\n%s", name, err, printed)
			continue
		}
		assert.Empty(t, cmp.Diff(first, second, cmpopts.IgnoreTypes(strict.At{}), cmpopts.EquateEmpty(), cmp.Exporter(func(reflect.Type) bool { return true })), "%s (-written +printed)", name)
	}
}
