package elements

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/lab"
)

var update = flag.Bool("update", false, "write the frozen list anew")

// The ids of all mutants are frozen, by design and operator. Which of them survive, the reasons say one by one, and the command's exit code holds
// them to it.
func TestMutantsAreFrozen(t *testing.T) {
	groups := map[string][]string{}
	for _, design := range designs.All() {
		for _, m := range Generate(design) {
			group := design.Name + ": " + m.Operator
			groups[group] = append(groups[group], m.ID)
		}
	}
	designtest.FrozenIDs(t, "testdata/mutants.txt", groups, *update)
}

func try(t *testing.T, o lab.Mutation) *evidence.Mutants {
	t.Helper()
	o.Documents = cmp.Or(os.Getenv("DYNAPROOF_DOCUMENTS"), "../../../../../shared/designs")
	return tabletest.Must(Run(t.Context(), o))(t)
}

// Each witness notices what it alone, or it first, can notice. These elements once stood without one.
func TestEachWitnessNotices(t *testing.T) {
	for id, by := range map[string]string{
		"commit-collect/patterns/mint-awards/steps/mint/rises:-version":                "requests", // a tie between the items of a transaction
		"roll-model/entities/gap-priority-override/attributes/status/allowed:+another": "requests", // a member of a closed list
		"fus-main/entities/match/attributes/teamAGames/maximum:none":                   "items",
		"roll-model/entities/entry/attributes/entryId/presence:optional":               "requests", // what an item needs
	} {
		t.Run(id, func(t *testing.T) {
			design, _, _ := strings.Cut(id, "/")
			seen := try(t, lab.Mutation{Options: lab.Options{Designs: []string{design}}, Only: id})
			m := seen.Mutants[0]
			assert.True(t, len(seen.Mutants) == 1 && m.Fate == evidence.Killed && m.Killer == by, "expected %s to notice, found %+v", by, seen.Mutants)
		})
	}
}

// A survivor without a reason ends the command with exit code 1.
func TestReasons(t *testing.T) {
	const survivor = "roll-model/entities/entry/cite:basis-chosen"
	for _, row := range []struct {
		listed []lab.Reason
		fate   evidence.Fate
		code   evidence.ExitCode
	}{
		{nil, evidence.Survived, evidence.DoesNotConform},
		{[]lab.Reason{{Why: "a test", Mutants: []string{"entities/*:basis-chosen"}}}, evidence.Equivalent, evidence.CouldNotTell}, // nothing was killed
	} {
		seen := try(t, lab.Mutation{Options: lab.Options{Designs: []string{"roll-model"}}, Only: survivor, Reasons: func(string) ([]lab.Reason, error) { return row.listed, nil }})
		assert.Equal(t, []any{row.fate, row.code}, []any{seen.Mutants[0].Fate, seen.ExitCode()})
		assert.Empty(t, seen.Problems)
	}
}

// Every committed reason means a mutant that there is, and a reason for any design one of some design, with a check that there is.
func TestReasonsNameMutants(t *testing.T) {
	meant := map[string]bool{}
	for _, design := range designs.All() {
		all := Generate(design)
		for _, reason := range tabletest.Must(Reasons(design.Name))(t) {
			assert.True(t, reason.Check == "" || checks[reason.Check] != nil, "no check %s", reason.Check)
			for _, form := range reason.Mutants {
				is := slices.ContainsFunc(all, func(m Mutant) bool { return lab.Meaning(design.Name, form).MatchString(m.ID) })
				meant[reason.Check+form] = meant[reason.Check+form] || is
				assert.True(t, is || reason.Check != "", "%s: %q means no mutant", design.Name, form)
			}
		}
	}
	assert.NotContains(t, slices.Collect(maps.Values(meant)), false, "%v", meant)
}

// Of a design that somebody brings the reasons that checks decide are true, too, and those among its fixtures.
func TestReasonsOfYourOwn(t *testing.T) {
	const folder, survivor = "../../../../accesspatterns/example", "tickets/patterns/list-open/steps/read/read/order:either"
	files := fstest.MapFS{"equivalents.json": {Data: []byte(`[{"why": "a test", "mutants": ["` + survivor + `", "tickets/pattern/of-reads"]}]`)}}
	for _, name := range []string{"contract.yaml", "items.json", "cases.json"} {
		files[name] = &fstest.MapFile{Data: tabletest.Must(os.ReadFile(filepath.Join(folder, name)))(t)}
	}
	defer designs.Use(designs.Brought{Contract: func() *accesspatterns.Design { return tabletest.Must(contract.Load(files))(t) }, Fixtures: files})()
	seen := tabletest.Must(Run(t.Context(), lab.Mutation{Options: lab.Options{Documents: folder}, Filter: regexp.MustCompile("basis-|order:either")}))(t)
	assert.Empty(t, seen.Problems)
	for _, m := range seen.Mutants {
		assert.True(t, m.Fate != evidence.Survived && m.Listed == "", "expected a reason for %+v", m)
	}
	assert.True(t, slices.ContainsFunc(seen.Mutants, func(m evidence.Mutant) bool { return m.ID == survivor && m.Reason == "a test" }), "%+v", seen.Mutants)
}

// What is broken is mended: the contract is the same after all mutants.
func TestMutantsAreMended(t *testing.T) {
	design := tabletest.Must(designs.Find("fus-main"))(t)
	before := tabletest.Must(json.Marshal(design))(t)
	all := Generate(design)
	for i := range all {
		all[i].apply(design)()
	}
	after, err := json.Marshal(design)
	assert.True(t, err == nil && bytes.Equal(before, after), "expected the contract as it was")
}

// A check of a reason is true of the mutants that the reason is for, and of no other of the kind.
func TestChecksDecide(t *testing.T) {
	subjects := map[string]*subject{}
	for _, row := range tabletest.Read[[]struct {
		Check, ID string
		Holds     bool
	}](t, "checks.yaml") {
		name, _, _ := strings.Cut(row.ID, "/")
		if subjects[name] == nil {
			subjects[name] = tabletest.Must(newSubject(name, t.TempDir()))(t)
		}
		all := Generate(subjects[name].design)
		at := slices.IndexFunc(all, func(m Mutant) bool { return m.ID == row.ID })
		require.GreaterOrEqual(t, at, 0, "no mutant %s", row.ID)
		assert.Equal(t, row.Holds, checks[row.Check](subjects[name], &all[at]), "%s of %s", row.Check, row.ID)
	}
	// A role that is bound to a user is held to the parameter by that.
	roll := subjects["roll-model"]
	pattern, _ := roll.design.Pattern("system-stores-ai-message")
	pattern.Roles = append(slices.Clone(pattern.Roles), "athlete")
	const id = "roll-model/patterns/system-stores-ai-message/steps/write/write/thread/key/PK/value/template:untied-userId"
	all := Generate(roll.design)
	at := slices.IndexFunc(all, func(m Mutant) bool { return m.ID == id })
	assert.True(t, at >= 0 && !checks["alone-in-its-request"](roll, &all[at]), "expected the check not to hold of %s for a role that acts for a user", id)
}
