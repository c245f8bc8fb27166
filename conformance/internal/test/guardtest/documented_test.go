package guardtest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns/guard"
)

// TestDocumentedRequestsPass sends every request of every documented case past a guard for each role. It passes for those of its
// pattern; for every other it is refused, or is a documented request of that role as well. A step of one action is the same documented write
// as a transaction.
func TestDocumentedRequestsPass(t *testing.T) {
	refused, singles := 0, 0
	eachRequest(t, func(t *testing.T, r documentedRequest) {
		asked := map[string]bool{}
		for i := range r.design.Patterns {
			for _, role := range r.design.Patterns[i].Roles {
				if asked[role] {
					continue
				}
				asked[role] = true
				own, ctx := slices.Contains(r.pattern.Roles, role), t.Context()
				if own && r.step.Read != nil && r.step.Read.InspectBudget == 0 {
					ctx, _ = guard.NewRead(ctx, r.pattern.ID)
				}
				decision, err := guardFor(t, r.design, role).Check(ctx, r.input)
				pattern, _ := r.design.Pattern(decision.Pattern)
				switch {
				case own && r.step.Read == nil && len(r.step.Write) == 1:
					singles++
					as, alone := guardFor(t, r.design, role).Check(ctx, transaction(writesOf(t, r.input)))
					if err != nil || alone != nil || as.Pattern == "" {
						t.Errorf("%s, role %s: expected it to pass, alone and as a transaction, found %q, %v and %v", r.where, role, as.Pattern, err, alone)
					}
				case own:
					assert.NoError(t, err, "%s, role %s: expected it to pass", r.where, role)
				case err != nil:
					assert.ErrorIs(t, err, guard.ErrRefused, "%s, role %s", r.where, role)
					refused++
				case pattern == nil:
					t.Errorf("%s, role %s: expected a refusal or a documented request, found it open", r.where, role)
				case !slices.Contains(pattern.Roles, role):
					t.Errorf("%s, role %s: passed as %s, which is documented for %s", r.where, role, pattern.ID, joined(pattern.Roles))
				}
			}
		}
	})
	if refused == 0 || singles == 0 {
		t.Errorf("expected refusals and steps of one action, found %d and %d", refused, singles)
	}
}
