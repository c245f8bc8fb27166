package mutants

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/internal/reads"
	"dynaproof/fixtures"
)

// Whoever leaves out an effect of a write, or changes it, finds a case that tells: in memory already, where no engine is asked.
func TestEveryEffectIsNoticed(t *testing.T) {
	tried := map[string]int{}
	for _, name := range designs.Names() {
		generated, err := Generate(name)
		require.NoError(t, err)
		listed, err := fixtures.Equivalents(name)
		require.NoError(t, err)
		equivalent := map[string]bool{}
		for _, entry := range listed {
			for _, id := range entry.Mutants {
				equivalent[id] = true
			}
		}
		design, err := designs.Find(name)
		require.NoError(t, err)
		set, err := fixtures.Load(name, time.Now())
		require.NoError(t, err)
		for i := range generated {
			m := &generated[i]
			switch m.Operator {
			case "action left out", "assignment left out", "assignment changed", "removal left out", "edit left out":
			default:
				continue
			}
			tried[m.Operator]++
			// Only the pattern that is changed is copied: to read a contract anew takes longer than all of this.
			id, _, _ := strings.Cut(strings.TrimPrefix(m.ID, name+"/flow/"), "/")
			broken := *design
			broken.Patterns = slices.Clone(design.Patterns)
			pattern, _ := broken.Pattern(id)
			pattern.Steps = slices.Clone(pattern.Steps)
			m.amend(&broken)
			if len(reads.CasesOf(&broken, set, pattern)) == 0 && !equivalent[m.ID] {
				t.Errorf("%s: no case notices: %s", m.ID, m.What)
			}
		}
	}
	t.Logf("%v", tried)
	if len(tried) < 4 { // no contract of the five removes an attribute but by an edit
		t.Errorf("expected four ways to change an effect, found %v", tried)
	}
}
