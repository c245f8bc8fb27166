package mutants

import (
	"flag"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/report"
	"dynaproof/fixtures"
)

var update = flag.Bool("update", false, "write testdata/mutants.txt anew")

// The ids of all mutants are frozen, by design and operator: how many there are, and the digest of their
// sorted ids. `dynaproof mutants --list` of two builds shows which ids differ. That none survives is what
// the command's exit code says.
func TestMutantsAreFrozen(t *testing.T) {
	groups := map[string][]string{}
	for _, design := range designs.All() {
		for _, m := range tabletest.Must(Generate(design.Name))(t) {
			group := m.Design + ": " + string(m.Kind) + ": " + m.Operator
			groups[group] = append(groups[group], m.ID)
			assert.NotEmpty(t, m.Expect, "%s: a claim that must notice", m.ID)
		}
	}
	designtest.FrozenIDs(t, "testdata/mutants.txt", groups, *update)
}

// Keys are swapped in an item in which that makes a difference; where there is none, the
// mutant says so.
func TestKeysAreSwappedWhereTheyDiffer(t *testing.T) {
	design := &ap.Design{
		Name:   "d",
		Tables: []ap.Table{{ID: "T", PartitionKey: ap.Key{Attribute: "a", Type: dynamo.String}, SortKey: &ap.Key{Attribute: "b", Type: dynamo.String}}},
		Entities: []ap.Entity{{ID: "e", Table: "T", Keys: []ap.KeyAttribute{
			{Attribute: "a", Template: "{x}", Type: dynamo.String}, {Attribute: "b", Template: "{y}", Type: dynamo.String},
		}}},
		Patterns: []ap.Pattern{{ID: "p", Steps: []ap.Step{{Name: "read", Read: &ap.Read{Operation: dynamo.Query, Table: "T"}}}}},
	}
	const alike, unlike = `{"name": "alike", "entity": "e", "source": "own", "item": {"a": {"S": "1"}, "b": {"S": "1"}}}`, `{"name": "unlike", "entity": "e", "source": "own", "item": {"a": {"S": "1"}, "b": {"S": "2"}}}`
	for want, items := range map[string]string{"d/item/unlike/keys-swapped": alike + ", " + unlike, "d/item/alike/keys-swapped": alike} {
		name := strings.Split(want, "/")[2]
		restore := designs.Use(designs.Brought{Contract: func() *ap.Design { return design }, Fixtures: fstest.MapFS{
			"items.json": {Data: []byte("[" + items + "]")}, "cases.json": {Data: []byte(`[{"pattern": "p", "params": {}, "expect": ["` + name + `"]}]`)},
		}})
		set, err := fixtures.Load("d", time.Now())
		restore()
		require.NoError(t, err)
		g := &generator{design: design, set: set}
		g.itemMutants()
		at := slices.IndexFunc(g.mutants, func(m Mutant) bool { return m.Operator == "keys swapped" })
		require.True(t, at >= 0 && g.mutants[at].ID == want && slices.Equal(g.mutants[at].Expect, []string{"d/pattern/p"}),
			"expected %s to be noticed by the pattern that reads it, found %+v", want, g.mutants)
		needs := "an item of e whose a and b differ, which a case returns: in all of them the two have the same value"
		assert.Equal(t, needs, g.mutants[at].needs)
	}
}

// What lies between two texts is named by the one that sorts first: "12026" before "2026".
func TestWhatLiesBetweenIsInOrder(t *testing.T) {
	between, numbers := regexp.MustCompile(`lies between (.+) and (.+), beside`), regexp.MustCompile(`^[0-9.]+$`)
	texts := 0
	for _, name := range designs.Names() {
		for _, m := range tabletest.Must(Generate(name))(t) {
			if ends := between.FindStringSubmatch(m.needs); ends != nil && !numbers.MatchString(ends[1]) {
				texts++
				assert.LessOrEqual(t, ends[1], ends[2], m.ID)
			}
		}
	}
	assert.Positive(t, texts)
}

// Whatever claim notices a mutant has its place in the kill matrix.
func TestEveryKillerHasAPlaceInTheMatrix(t *testing.T) {
	run := &evidence.Mutants{Version: evidence.MutantsVersion}
	for _, name := range designs.Names() {
		for _, m := range tabletest.Must(Generate(name))(t) {
			for _, killer := range m.Expect {
				record := m.record()
				record.Fate, record.Killer = evidence.Killed, killer
				run.Mutants = append(run.Mutants, record)
			}
		}
	}
	assert.NoError(t, report.MutantsPaper(run).HTML(io.Discard))
}
