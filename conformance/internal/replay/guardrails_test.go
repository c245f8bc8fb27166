package replay_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/replay"
	_ "dynaproof/conformance/internal/test/command" // it deploys the designs
)

// The programs and the contracts were transcribed separately: they must agree on
// which document demands guardrails.
func TestGuardrailsByDefault(t *testing.T) {
	for _, design := range designs.All() {
		asked, err := deploy.InputsOf(t.Context(), replay.StackOptions(design, replay.DefaultEnvironment, replay.DefaultRegion, ""))
		require.NoError(t, err)
		want := deploy.Off
		if design.Policies.Enforced {
			want = deploy.Enforce
		}
		if got := asked.Outputs["guardrails"]; got != want {
			t.Errorf("%s: the contract says %s by default (%s), the stack %v", design.Name, want, design.Document.Cite(design.Policies.Cite), got)
		}
	}
}
