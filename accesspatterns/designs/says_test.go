package designs_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
)

// Every claim says what it asserts, in more than its title: types and values, key forms, the formula of a rule, the steps of a flow.
func TestEveryClaimSaysWhatItAsserts(t *testing.T) {
	for _, design := range designs.All() {
		for _, claim := range manifest.Claims(design) {
			facts := map[string]string{}
			for _, fact := range manifest.Says(design, claim, "") {
				facts[fact.Name] += fact.Text
			}
			var want []string
			switch claim.Kind {
			case manifest.KindExample:
				continue // what its fixture holds
			case manifest.KindAttribute:
				want = []string{"type", "presence"}
				for name, text := range facts {
					assert.Contains(t, claim.Title, text, "%s: %s", claim.ID, name)
				}
			case manifest.KindEntity:
				entity, _ := design.Entity(claim.Subject)
				for _, key := range entity.Keys {
					want = append(want, "key "+key.Attribute)
				}
			case manifest.KindRule:
				want = []string{"rule", "attribute"}
				if facts["has the form"]+facts["equals"]+facts["holds when"] == "" {
					t.Errorf("%s: expected what decides the rule, found %v", claim.ID, facts)
				}
			case manifest.KindPattern:
				pattern, _ := design.Pattern(claim.Subject)
				for _, step := range pattern.Steps {
					want = append(want, "step "+step.Name)
				}
			case manifest.KindInvariant:
				want = []string{"rule", "enforced by", "flow"}
			case manifest.KindGuardrail:
				want = []string{"rule", "enforced by", "shown by"}
			default:
				if len(facts) == 0 {
					t.Errorf("%s: expected what the claim asserts, found nothing", claim.ID)
				}
			}
			for _, name := range want {
				if facts[name] == "" {
					t.Errorf("%s: expected it to say its %s, found %v", claim.ID, name, facts)
				}
			}
		}
	}
}

// What a flow demands stands in its steps: the condition of a write, the key of a read and its bounds.
func TestStepsSayWhatTheyDemand(t *testing.T) {
	for _, design := range designs.All() {
		for _, claim := range manifest.Claims(design) {
			if claim.Kind != manifest.KindPattern {
				continue
			}
			pattern, _ := design.Pattern(claim.Subject)
			said := ""
			for _, fact := range manifest.Says(design, claim, "") {
				said += fact.Name + " " + fact.Text + "\n"
			}
			demand := func(conditions []accesspatterns.Condition) {
				for _, condition := range conditions {
					for _, one := range condition.Alternatives() {
						assert.Contains(t, said, one.Attribute, claim.ID)
					}
				}
			}
			for _, step := range pattern.Steps {
				for _, action := range step.Write {
					demand(action.Condition)
				}
				if step.Read == nil && !strings.Contains(said, "step "+step.Name+" "+string(step.WriteOperations()[0])) {
					t.Errorf("%s: expected the operations of step %s before its actions, found %s", claim.ID, step.Name, said)
				}
				if read := step.Read; read != nil {
					demand(read.Filter)
					if read.Partition != nil && !strings.Contains(said, read.Partition.Attribute+" = ") {
						t.Errorf("%s: expected the partition of step %s, found %s", claim.ID, step.Name, said)
					}
				}
			}
		}
	}
}
