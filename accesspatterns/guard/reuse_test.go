package guard_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/guard"
)

// The guard uses the space of one request for another: nothing of the first may
// count for the second.
func TestRequestsAreJudgedByThemselves(t *testing.T) {
	g := wideGuard(t, 1)
	whole := wideQuery(0)
	whole.ProjectionExpression = nil
	for range 100 {
		_, err := g.Check(t.Context(), wideQuery(0))
		require.NoError(t, err)
		var refusal *guard.Refusal
		if _, err := g.Check(t.Context(), whole); !errors.As(err, &refusal) || refusal.Rule != guard.RuleProjection {
			t.Fatalf("expected a refusal for want of the projection of the request before it, found %v", err)
		}
		_, err = g.Check(t.Context(), wideGet(0))
		require.NoError(t, err)
	}
}
