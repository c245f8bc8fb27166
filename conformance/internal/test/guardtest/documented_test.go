package guardtest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns/guard"
)

// TestDocumentedRequestsPass sends every request of every documented case past a
// guard for each role of its pattern.
func TestDocumentedRequestsPass(t *testing.T) {
	eachRequest(t, func(t *testing.T, r documentedRequest) {
		for _, role := range r.pattern.Roles {
			g := guardFor(t, r.design, role)
			ctx := t.Context()
			if r.step.Read != nil && r.step.Read.InspectBudget == 0 {
				ctx, _ = guard.NewRead(ctx, r.pattern.ID)
			}
			_, err := g.Check(ctx, r.input)
			assert.NoError(t, err, "%s, role %s: expected it to pass", r.where, role)
		}
	})
}

// TestOtherRolesAreRefused sends every documented request as every other role.
// It must be refused, or be a documented request of that role as well.
func TestOtherRolesAreRefused(t *testing.T) {
	refused := 0
	eachRequest(t, func(t *testing.T, r documentedRequest) {
		for i := range r.design.Patterns {
			for _, role := range r.design.Patterns[i].Roles {
				if slices.Contains(r.pattern.Roles, role) {
					continue
				}
				decision, err := guardFor(t, r.design, role).Check(t.Context(), r.input)
				if err != nil {
					assert.ErrorIs(t, err, guard.ErrRefused, "%s, role %s", r.where, role)
					refused++
					continue
				}
				if decision.Pattern == "" {
					t.Errorf("%s, role %s: expected a refusal or a documented request, found it open", r.where, role)
					continue
				}
				pattern, _ := r.design.Pattern(decision.Pattern)
				if !slices.Contains(pattern.Roles, role) {
					t.Errorf("%s, role %s: passed as %s, which is documented for %s", r.where, role, pattern.ID, joined(pattern.Roles))
				}
			}
		}
	})
	if refused == 0 {
		t.Error("expected refusals, found none")
	}
}
