package session

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/fixtures"
)

// A flow ends at a read that must return something and returns nothing: what comes
// behind it is not sent, so it is not planned.
func TestAFlowStopsWhereItMust(t *testing.T) {
	tried := false
	for _, design := range designs.All() {
		set, err := fixtures.Load(design.Name, time.Now())
		require.NoError(t, err)
		for i := range design.Patterns {
			pattern := &design.Patterns[i]
			for n, step := range pattern.Steps {
				if !step.StopWhenEmpty || n+1 == len(pattern.Steps) || step.ForEach != nil {
					continue
				}
				tried = true
				c := set.CasesOf(pattern.ID)[0]
				c.Steps[step.Name] = nil
				delete(c.Sees, step.Name)
				input := InEnvironment(design, set, "dev")
				run, err := planner{&input}.caseRun(pattern, &c)
				require.NoError(t, err)
				for _, planned := range run.Steps {
					if planned.Step != nil && slices.ContainsFunc(pattern.Steps[n+1:], func(behind accesspatterns.Step) bool { return behind.Name == planned.Name }) {
						t.Errorf("%s: expected the flow to end at step %s, found a request of %s", pattern.ID, step.Name, planned.Name)
					}
				}
			}
		}
	}
	assert.True(t, tried, "no flow has such a step")
}

// A run that cannot be planned tells why, and those behind it are planned all the same.
func TestARunThatCannotBePlanned(t *testing.T) {
	design, err := designs.Find("roll-model")
	require.NoError(t, err)
	set, err := fixtures.Load(design.Name, time.Now())
	require.NoError(t, err)
	input := InEnvironment(design, set, "dev")
	tried := 0
	for _, claim := range manifest.Claims(design) {
		runs, err := input.Plan(claim)
		require.NoError(t, err, claim.ID)
		trials := slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return r.Trial == nil })
		if len(trials) < 2 || len(trials[0].Steps) == 0 {
			continue
		}
		tried++
		at := slices.IndexFunc(set.Trials, func(trial fixtures.Trial) bool { return trial.For == trials[0].Trial.For })
		requests := set.Trials[at].Requests
		set.Trials[at].Requests = append(slices.Clone(requests), fixtures.Request{Operation: "Nothing"})
		broken, err := input.Plan(claim)
		set.Trials[at].Requests = requests
		require.ErrorContains(t, err, trials[0].Where)
		require.Len(t, broken, len(runs))
		require.Len(t, broken[0].Steps, len(runs[0].Steps))
		require.Len(t, broken[1].Steps, len(runs[1].Steps))
	}
	assert.NotZero(t, tried, "no claim has two trials")
}
