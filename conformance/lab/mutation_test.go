package lab

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
)

// An entry of a reviewed list that means no mutant, a mutant that is noticed, or no survivor of a whole run, is named; so is one that says nothing.
func TestStaleReasons(t *testing.T) {
	generated := map[string][]string{"d": {"d/item/a", "d/item/b", "d/load/c"}}
	for _, row := range tabletest.Read[[]struct {
		Name, Only string
		Reasons    []Reason
		Want       []string
	}](t, "reasons.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			o := Mutation{Only: row.Only}
			trial, err := o.Start([]*accesspatterns.Design{{Name: "d"}}, generated, func(string) ([]Reason, error) { return row.Reasons, nil }, &evidence.Mutants{})
			require.NoError(t, err)
			for id, killer := range map[string]string{"d/item/a": "claim", "d/item/b": "", "d/load/c": NoContract} {
				if !trial.Tries(id) {
					continue
				}
				m := evidence.Mutant{ID: id, Design: "d", Killer: killer, Fate: evidence.Killed}
				if killer == "" {
					m.Fate = evidence.Survived
				}
				trial.Excuse(&m, func(check string) bool { return check == "yes" })
				trial.Add(m)
			}
			found := trial.End(t.Context()).Problems
			require.Len(t, found, len(row.Want), "expected %q", row.Want)
			assert.True(t, slices.EqualFunc(found, row.Want, strings.Contains), "expected %q", row.Want)
		})
	}
}

// A sample follows its seed and the filter, and a choice that leaves no mutant is an error.
func TestChoice(t *testing.T) {
	generated := map[string][]string{}
	for i := range 100 {
		generated["d"] = append(generated["d"], fmt.Sprint("d/", i))
	}
	none := func(string) ([]Reason, error) { return nil, nil }
	chosen := func(o Mutation) (ids []string) {
		trial := tabletest.Must(o.Start([]*accesspatterns.Design{{Name: "d"}}, generated, none, &evidence.Mutants{}))(t)
		for _, id := range generated["d"] {
			if trial.Tries(id) {
				ids = append(ids, id)
			}
		}
		return ids
	}
	sample := func(seed uint64) []string {
		return chosen(Mutation{Sample: 5, Seed: seed, Filter: regexp.MustCompile("[02468]$")})
	}
	one, again, other := sample(1), sample(1), sample(2)
	assert.True(t, len(one) == 5 && slices.Equal(one, again) && !slices.Equal(one, other), "expected five mutants that follow the seed, found %v, %v, %v", one, again, other)
	assert.False(t, slices.ContainsFunc(one, regexp.MustCompile("[13579]$").MatchString), "expected mutants that pass the filter, found %v", one)
	all := chosen(Mutation{Sample: 900})
	assert.Len(t, all, 100, "expected all of them")
	gone := Mutation{Only: "d/500"}
	_, err := gone.Start([]*accesspatterns.Design{{Name: "d"}}, generated, none, &evidence.Mutants{})
	assert.ErrorIs(t, err, ErrNone, "expected that no mutant is left")
}
