package contract_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/tabletest"
)

// doubled is a value of CEL whose parts are 2^40, made in 40 steps.
func doubled(variable string) string {
	return "[[1]]" + strings.Repeat(".map("+variable+", ["+variable+", "+variable+"])", 40)
}

// A formula that would escape what it speaks of is a mistake when it is loaded.
func TestFormulasAreReadStrictly(t *testing.T) {
	type row struct{ Name, Formula, Want string }
	for _, row := range append(tabletest.Read[[]row](t, "formulas.yaml"), []row{
		{"a comparison without an end", "items.note.all(n, false) && " + doubled("a") + " == " + doubled("b"), "expected an expression that ends after 100000 steps"},
		{"a list that holds values without an end", "items.note.all(n, false) && " + doubled("a") + " in [" + doubled("b") + "]", "expected an expression that ends after 100000 steps"},
		{"a list that is added to itself without an end", "items.note.all(n, false) && [[1]]" + strings.Repeat(".map(a, a + a)", 40) + "[0].sum() > 0", "expected an expression that ends after 100000 steps"},
		{"a text that is searched again and again", `items.note.all(n, false) && cel.bind(s, ["a"]` + strings.Repeat(".map(a, a + a)", 14) + `[0], cel.bind(t, s + s, cel.bind(u, s + "b", ` +
			`[0,1,2,3,4,5,6,7,8,9].all(x, [0,1,2,3,4,5,6,7,8,9].all(y, t.indexOf(u) < 0)))))`, "expected an expression that ends after 100000 steps"},
		{"the greatest of a long list again and again", `items.note.all(n, false) && cel.bind(l, [[1]]` + strings.Repeat(".map(a, a + a)", 16) +
			`[0], [0,1,2,3,4,5,6,7,8,9].all(x, [0,1,2,3,4,5,6,7,8,9].all(y, math.greatest(l) == 1)))`, "expected an expression that ends after 100000 steps"},
		{"lists of any depth", "items.note.all(n, " + doubled("a") + ".flatten(40).size() > 0)", "expected an expression without flatten"},
	}...) {
		t.Run(row.Name, func(t *testing.T) {
			_, err := loadFormula(t, row.Formula)
			require.ErrorContains(t, err, row.Want)
			assert.Contains(t, err.Error(), "archive.yaml:", "expected %q with its file and line", row.Want)
		})
	}
}

// loadFormula loads the notes with another formula in the place of one.
func loadFormula(t *testing.T, formula string) (*accesspatterns.Design, error) {
	t.Helper()
	files := fstest.MapFS{}
	for _, name := range []string{"contract.yaml", "archive.yaml"} {
		text := tabletest.Must(os.ReadFile("testdata/notes/" + name))(t)
		written := strings.Replace(string(text), `items.note.all(n, has(n.stars) ? n.stars < 6 : n.?layout.orValue("") == "")`, formula, 1)
		files[name] = &fstest.MapFile{Data: []byte(written)}
	}
	return contract.Load(files)
}

// Where a formula comes by items in a way that is not followed, it cannot be decided.
func TestNothingIsReadUnseen(t *testing.T) {
	for _, row := range tabletest.Read[[]struct{ Name, Formula string }](t, "unseen.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			design := tabletest.Must(loadFormula(t, row.Formula))(t)
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
			_, err := law.Holds(nil, items, "", "")
			require.ErrorContains(t, err, "it looks at")
		})
	}
}

// Formulas whose items can be followed are taken.
func TestFormulasAreFollowed(t *testing.T) {
	long := "(items.note" + strings.Repeat(" + items.note", 30) + ").all(n, n.read >= 0)"
	for _, formula := range append(tabletest.Read[[]string](t, "followed.yaml"), long) {
		_, err := loadFormula(t, formula)
		require.NoError(t, err, formula)
	}
}
