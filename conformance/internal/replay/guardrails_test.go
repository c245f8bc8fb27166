package replay_test

import (
	"testing"

	"dynaproof/accesspatterns/designs"
	"dynaproof/stacks/catalog"
	"dynaproof/stacks/dryrun"
	"dynaproof/stacks/environment"
)

// The programs and the contracts were transcribed separately: they must agree on
// which document demands guardrails.
func TestGuardrailsByDefault(t *testing.T) {
	for _, design := range designs.All() {
		program, err := catalog.Program(design.Name)
		if err != nil {
			t.Fatal(err)
		}
		result, err := dryrun.Run(program, design.Name+".dev", nil)
		if err != nil {
			t.Fatal(err)
		}
		want := environment.Off
		if design.Policies.Enforced {
			want = environment.Enforce
		}
		if got := result.Outputs["guardrails"]; got != want {
			t.Errorf("%s: the contract says %s by default (%s), the stack %v", design.Name, want, design.Document.Cite(design.Policies.Cite), got)
		}
	}
}
