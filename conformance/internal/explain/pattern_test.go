package explain

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// A flow ends at a read that must return something and returns nothing: what comes
// behind it is not sent, so it is not explained.
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
				e := &explainer{Input: session.InEnvironment(design, set, "dev"), out: &Explanation{}}
				require.NoError(t, e.oneCase(pattern, c))
				for _, behind := range pattern.Steps[n+1:] {
					if at := slices.IndexFunc(e.out.Requests, func(r Request) bool { return strings.HasSuffix(r.Where, ", step "+behind.Name) }); at >= 0 {
						t.Errorf("%s: expected the flow to end at step %s, found a request of %s", pattern.ID, step.Name, behind.Name)
					}
				}
			}
		}
	}
	assert.True(t, tried, "no flow has such a step")
}
