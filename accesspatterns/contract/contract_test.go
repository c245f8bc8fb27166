package contract_test

import (
	"encoding/json"
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
	"dynaproof/accesspatterns/strict"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/accesspatterns/validate"
)

func notes(t *testing.T) string {
	t.Helper()
	return string(tabletest.Must(os.ReadFile("testdata/notes/contract.yaml"))(t))
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

// What the contract of notes says is read as testdata/notes.txt has it.
func TestWhatIsWrittenIsRead(t *testing.T) {
	design := tabletest.Must(load(t, map[string]string{"contract.yaml": notes(t)}))(t)
	designtest.Frozen(t, "testdata/notes.txt", said("", tabletest.As[map[string]any](t, design)), *update)
}

// said are lines of what a value holds, each short enough to be read. What is empty is left out.
func said(path string, value any) (lines []string) {
	text, _ := json.Marshal(full(value)) // of what JSON was read as
	if len(text) <= 150 {
		return []string{path + " " + string(text)}
	}
	switch of := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(of)) {
			if full(of[name]) != nil {
				lines = append(lines, said(path+"."+name, of[name])...)
			}
		}
	case []any:
		for i, element := range of {
			lines = append(lines, said(fmt.Sprintf("%s[%d]", path, i), element)...)
		}
	}
	return lines
}

// full is a value without what is empty in it, nil where nothing is left.
func full(value any) any {
	switch of := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, member := range of {
			if left := full(member); left != nil {
				kept[name] = left
			}
		}
		if len(kept) > 0 {
			return kept
		}
	case []any:
		kept := []any{}
		for _, element := range of {
			kept = append(kept, full(element))
		}
		if len(kept) > 0 {
			return kept
		}
	default:
		if value != nil && !reflect.ValueOf(value).IsZero() {
			return value
		}
	}
	return nil
}

// The sections of a contract may stand in one file or in many, in any order.
func TestAnySplitLoadsTheSame(t *testing.T) {
	whole := tabletest.Must(load(t, map[string]string{"contract.yaml": notes(t)}))(t)
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
	split := tabletest.Must(load(t, files))(t)
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
		text := tabletest.Must(os.ReadFile("testdata/notes/" + name))(t)
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
	assert.True(t, len(all) == 2 && strings.Contains(all[0].Problem, "line 1 is listed already") && strings.Contains(all[1].Problem, "line 2 is listed already"),
		"expected a mistake for line 1 and one for line 2, found %d:\n%v", len(all), err)
}

// A file that nobody would read is no part of a contract that passes; what another tool reads may lie beside.
func TestAFileOfAnotherEnd(t *testing.T) {
	tabletest.Must(load(t, map[string]string{"contract.yaml": notes(t), "template.yml": "Resources: {}\n", "broken.yml": "{", "empty.yml": ""}))(t)
	_, err := load(t, map[string]string{"contract.yaml": notes(t), "promises.yml": "invariants: {}\n"})
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
			design := tabletest.Must(load(t, map[string]string{"contract.yaml": changed}))(t)
			item := map[string]any{
				"PK": map[string]any{"S": "CUSTOMER#c-1"}, "SK": map[string]any{"S": "NOTE#2026-02-19#n-1"}, "noteId": map[string]any{"S": "n-1"}, "written": map[string]any{"S": "2026-02-19"},
				"text": map[string]any{"S": "x"}, "stars": map[string]any{"N": "3"}, "read": map[string]any{"N": "3"}, "open": map[string]any{"BOOL": true},
			}
			maps.Copy(item, row.Change)
			maps.DeleteFunc(item, func(_ string, value any) bool { return value == nil })
			violation := validate.Rule(&design.Entities[0].Rules[0], tabletest.Item(t, item), nil)
			assert.Equal(t, row.Broken, violation != nil, "expected broken to be %v, found %v", row.Broken, violation)
			assert.True(t, violation == nil || strings.Contains(violation.Message, "nobody gives more stars than there are readers"),
				"expected the rule's own words, found %v", violation)
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
		files[name] = string(tabletest.Must(os.ReadFile("testdata/notes/" + name))(t))
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
	assert.Len(t, found, len(kinds), "expected a mistake for each of %d kinds, found %v in:\n%v", len(kinds), slices.Sorted(maps.Keys(found)), err)
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
	first.Entities[0].Keys[1].Binds["day"] = "changed"
	*first.Entities[0].Attributes[3].Minimum = 7
	pattern(t, first, "open-notes").Steps[0].Read.Projection[0] = "changed"
	loaded := tabletest.Must(contract.Load(os.DirFS("testdata/notes")))(t)
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
	design := tabletest.Must(contract.Load(os.DirFS("testdata/notes")))(t)
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
		assert.True(t, given[name], "%s: nothing in the contract of notes gives it; give it a name in package file, and an example there", name)
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
		text := tabletest.Must(os.ReadFile(name))(t)
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
