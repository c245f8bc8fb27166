package contract_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
)

// doubled is a value of CEL whose parts are 2^40, made in 40 steps.
func doubled(variable string) string {
	return "[[1]]" + strings.Repeat(".map("+variable+", ["+variable+", "+variable+"])", 40)
}

// A formula that would escape what it speaks of is a mistake when it is loaded.
func TestFormulasAreReadStrictly(t *testing.T) {
	for _, row := range []struct{ name, formula, want string }{
		{"an attribute that an item may lack", "items.note.all(n, n.stars < 6)", "attribute stars of entity note is not in every item; ask for it with has(n.stars)"},
		{"a question beside the wrong variable", "items.note.all(n, items.note.all(m, has(m.stars) && n.stars < 6))", "attribute stars of entity note"},
		{"an attribute that is unknown", "items.note.all(n, n.star == 1)", "entity note has no attribute star"},
		{"a parameter that is unknown", `items.note.all(n, n.key.star == "1")`, "no key of entity note has the parameter {star}"},
		{"a value that no item has", `items.note.all(n, !has(n.tags) || !("green" in n.tags))`, "expected one of the values that tags of note may have, red, blue, found green"},
		{"an entity that is unknown", "items.notes.all(n, true)", "items.notes: the contract has no entity of this name"},
		{"whole items", "items.note.all(n, items.note.exists(m, n == m))", "found whole items"},
		{"an item by another name", "items.note.all(n, cel.bind(m, n, m.stars < 6))", "attribute stars of entity note"},
		{"an item behind its place", "items.note.all(i, n, n.stars < 6)", "attribute stars of entity note"},
		{"a comparison without an end", "items.note.all(n, false) && " + doubled("a") + " == " + doubled("b"), "expected an expression that ends after 100000 steps"},
		{"a list that holds values without an end", "items.note.all(n, false) && " + doubled("a") + " in [" + doubled("b") + "]", "expected an expression that ends after 100000 steps"},
		{"a list that is added to itself without an end", "items.note.all(n, false) && [[1]]" + strings.Repeat(".map(a, a + a)", 40) + "[0].sum() > 0", "expected an expression that ends after 100000 steps"},
		{"a text that is searched again and again", `items.note.all(n, false) && cel.bind(s, ["a"]` + strings.Repeat(".map(a, a + a)", 14) + `[0], cel.bind(t, s + s, cel.bind(u, s + "b", ` +
			`[0,1,2,3,4,5,6,7,8,9].all(x, [0,1,2,3,4,5,6,7,8,9].all(y, t.indexOf(u) < 0)))))`, "expected an expression that ends after 100000 steps"},
		{"the greatest of a long list again and again", `items.note.all(n, false) && cel.bind(l, [[1]]` + strings.Repeat(".map(a, a + a)", 16) +
			`[0], [0,1,2,3,4,5,6,7,8,9].all(x, [0,1,2,3,4,5,6,7,8,9].all(y, math.greatest(l) == 1)))`, "expected an expression that ends after 100000 steps"},
		{"a list of any length", "items.note.all(n, lists.range(1000000000).size() > 0)", "expected an expression without lists.range"},
		{"lists of any depth", "items.note.all(n, " + doubled("a") + ".flatten(40).size() > 0)", "expected an expression without flatten"},
		{"no items", "1 < 2", "expected the items of an entity"},
		{"no truth", "items.note.size()", "expected an expression that is true or false"},
		{"no expression", "items.note.all(", "at character"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := loadFormula(t, row.formula)
			if err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), "archive.yaml:") {
				t.Errorf("expected %q with its file and line, found %v", row.want, err)
			}
		})
	}
}

// loadFormula loads the notes with another formula in the place of one.
func loadFormula(t *testing.T, formula string) (*accesspatterns.Design, error) {
	t.Helper()
	files := fstest.MapFS{}
	for _, name := range []string{"contract.yaml", "archive.yaml"} {
		text, err := os.ReadFile("testdata/notes/" + name)
		require.NoError(t, err)
		written := strings.Replace(string(text), `items.note.all(n, has(n.stars) ? n.stars < 6 : n.?layout.orValue("") == "")`, formula, 1)
		files[name] = &fstest.MapFile{Data: []byte(written)}
	}
	return contract.Load(files)
}

// Where a formula comes by items in a way that is not followed, it cannot be decided.
func TestNothingIsReadUnseen(t *testing.T) {
	for _, row := range []struct{ name, formula string }{
		{"an item among items", "items.note.all(n, n in items.note)"},
		{"how many attributes an item has", "items.note.all(n, n.size() > 3)"},
		{"an attribute of any name", `items.note.all(n, n["te" + "xt"] != "")`},
		{"an item by its place", "items.note.all(n, has(items.note.filter(m, true)[0].stars))"},
		{"the first item", "items.note.all(n, items.note.first().optMap(m, m.stars < 6).orValue(true))"},
		{"an item by a choice", `items.note.all(n, items.note.all(m, has((n.open ? n : m).stars)))`},
		{"items by a choice", "items.note.all(n, (1 < 2 ? items.note : items.archived).all(m, has(m.stars)))"},
		{"a choice by another name", "items.note.all(n, cel.bind(m, 1 < 2 ? n : n, has(m.stars)))"},
		{"items of two entities", "items.note.all(n, (items.note + items.archived).all(m, has(m.stars)))"},
		{"an item in a map that is made", "items.note.all(n, has(items.note.transformMap(i, m, m)[0].stars))"},
		{"an item under a name in a map that is made", `items.note.all(n, has(items.note.transformMapEntry(i, m, {m.noteId: m})["1"].stars))`},
		{"items of items", "items.note.all(n, items.note.map(m, items.archived).all(l, l.all(a, has(a.stars))))"},
		{"the attributes of an item", "items.note.all(n, n.all(name, name != \"stars\"))"},
		{"an item in a list", "items.note.all(n, has([n][0].stars))"},
		{"an item in a map", `items.note.all(n, has({"a": n}["a"].stars))`},
		{"an entity by its text", `items.note.all(n, items["note"].all(m, has(m.stars)))`},
		{"all items by another name", "items.note.all(n, cel.bind(all, items, all.note.all(m, has(m.stars))))"},
		{"lists of items that are compared", "items.note.filter(n, n.open) == items.note.filter(n, n.open)"},
		{"lists of items that are compared by other names", "cel.bind(was, items.note, cel.bind(is, items.note, was == is))"},
		{"items in lists that are compared", "items.note.all(n, items.note.exists(m, [m] == [n]))"},
		{"an attribute by its name", "items.note.all(n, \"stars\" in items.note.first().value())"},
		{"an item as an attribute", "items.note.map(n, {\"noteId\": n}).all(m, has(m.noteId.stars))"},
		{"an item by its id", "items.note.all(n, has(items.note.transformMapEntry(i, m, {m.noteId: m})[n.noteId].stars))"},
		{"a name that is taken", "items.note.all(items, has(items.note))"},
	} {
		t.Run(row.name, func(t *testing.T) {
			design, err := loadFormula(t, row.formula)
			require.NoError(t, err)
			law := design.Invariants[slices.IndexFunc(design.Invariants, func(i accesspatterns.Invariant) bool { return i.Law != nil })].Law
			items := map[string][]any{}
			for _, e := range design.Entities {
				item := accesspatterns.Item{}
				for _, name := range []string{"noteId", "open", "stars", "note"} {
					item[name] = &types.AttributeValueMemberS{Value: "1"}
				}
				item["open"] = &types.AttributeValueMemberBOOL{Value: true}
				items[e.ID] = []any{law.See(e.ID, item)}
			}
			_, err = law.Holds(nil, items, "", "")
			require.ErrorContains(t, err, "it looks at")
		})
	}
}

// Formulas whose items can be followed are taken.
func TestFormulasAreFollowed(t *testing.T) {
	for _, formula := range []string{
		"cel.bind(k, items.note.size(), k >= 0)",
		"cel.bind(all, items.note, all.all(n, n.read >= 0))",
		"cel.bind(fine, items.note.all(n, n.read >= 0), fine || items.archived.size() > 0)",
		"items.note.map(n, n.read).sum() >= 0",
		"items.note.map(n, n.read).all(r, r >= 0)",
		"items.note.filter(n, n.open).reverse().all(n, n.read >= 0)",
		"(items.note" + strings.Repeat(" + items.note", 30) + ").all(n, n.read >= 0)",
		"items.note.sortBy(n, n.read).all(n, n.read >= 0)",
		`items.note.all(n, [n.noteId].map(id, {"id": id}).all(m, m.id == n.noteId))`,
	} {
		_, err := loadFormula(t, formula)
		require.NoError(t, err, formula)
	}
}
