package contract_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

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
		{"an entity that is unknown", "items.notes.all(n, true)", "items.notes: the contract has no entity of this name"},
		{"whole items", "items.note.all(n, items.note.exists(m, n == m))", "found whole items"},
		{"an item among items", "items.note.all(n, n in items.note)", "found whole items"},
		{"how many attributes an item has", "items.note.all(n, n.size() > 3)", "found whole items"},
		{"an attribute of any name", `items.note.all(n, n["te" + "xt"] != "")`, "found whole items"},
		{"an item by another name", "items.note.all(n, cel.bind(m, n, m.stars < 6))", "attribute stars of entity note"},
		{"an item behind its place", "items.note.all(i, n, n.stars < 6)", "attribute stars of entity note"},
		{"an item by its place", "items.note.all(n, has(items.note.filter(m, true)[0].stars))", "found them by their place"},
		{"the first item", "items.note.all(n, items.note.first().optMap(m, m.stars < 6).orValue(true))", "found them by their place"},
		{"an item by a choice", `items.note.all(n, items.note.all(m, has((n.key.noteId < m.key.noteId ? n : m).stars)))`, "found them by their place"},
		{"items by a choice", "items.note.all(n, (1 < 2 ? items.note : items.archived).all(m, has(m.stars)))", "found them by their place"},
		{"a choice by another name", "items.note.all(n, cel.bind(m, 1 < 2 ? n : n, has(m.stars)))", "found them by their place"},
		{"items of two entities", "items.note.all(n, (items.note + items.archived).all(m, has(m.stars)))", "found them by their place"},
		{"items of items", "items.note.all(n, items.note.map(m, items.archived).all(l, l.all(a, has(a.stars))))", "found them by their place"},
		{"the attributes of an item", "items.note.all(n, n.all(name, name != \"stars\"))", "found them by their place"},
		{"an item in a list", "items.note.all(n, has([n][0].stars))", "found them by their place"},
		{"an item in a map", `items.note.all(n, has({"a": n}["a"].stars))`, "found them by their place"},
		{"an entity by its text", `items.note.all(n, items["note"].all(m, has(m.stars)))`, "expected items.ENTITY"},
		{"all items by another name", "items.note.all(n, cel.bind(all, items, all.note.all(m, has(m.stars))))", "expected items.ENTITY"},
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
			err := loadFormula(t, row.formula)
			if err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), "archive.yaml:") {
				t.Errorf("expected %q with its file and line, found %v", row.want, err)
			}
		})
	}
}

// loadFormula loads the notes with another formula in the place of one.
func loadFormula(t *testing.T, formula string) error {
	t.Helper()
	files := fstest.MapFS{}
	for _, name := range []string{"contract.yaml", "archive.yaml"} {
		text, err := os.ReadFile("testdata/notes/" + name)
		require.NoError(t, err)
		written := strings.Replace(string(text), `items.note.all(n, has(n.stars) ? n.stars < 6 : n.?layout.orValue("") == "")`, formula, 1)
		files[name] = &fstest.MapFile{Data: []byte(written)}
	}
	_, err := contract.Load(files)
	return err
}

// Formulas whose items can be followed are taken.
func TestFormulasAreFollowed(t *testing.T) {
	for _, formula := range []string{
		"cel.bind(k, items.note.size(), k >= 0)",
		"cel.bind(all, items.note, all.all(n, n.read >= 0))",
		"cel.bind(fine, items.note.all(n, n.read >= 0), fine || items.archived.size() > 0)",
		"items.note.map(n, n.read).sum() >= 0",
		"items.note.filter(n, n.open).reverse().all(n, n.read >= 0)",
		"(items.note" + strings.Repeat(" + items.note", 30) + ").all(n, n.read >= 0)",
		"items.note.sortBy(n, n.read).all(n, n.read >= 0)",
		`items.note.all(n, [n.noteId].map(id, {"id": id}).all(m, m.id == n.noteId))`,
	} {
		require.NoError(t, loadFormula(t, formula), formula)
	}
}
