package guardtest

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/internal/test/tables"
	"dynaproof/conformance/target"
)

// TestHonestRequestsAreTaken sends each honest request to an engine, on tables that are empty at first. What the guard admits must be a
// request that DynamoDB takes: it may fail because its condition does, or because an expression needs what is not stored, and for no other reason.
func TestHonestRequestsAreTaken(t *testing.T) {
	engine := tables.Engine(t)
	client := target.NewClient(engine, "us-east-1")
	for _, design := range designs.All() {
		all, err := designs.Requests(design.Name)
		require.NoError(t, err)
		tables.Create(t, engine, "us-east-1", "test", design)
		for i := range all {
			a := &all[i]
			if a.Honest == "" || a.Told != "" {
				continue
			}
			input, err := a.Input(design)
			require.NoError(t, err)
			if _, err := sdk.Send(context.Background(), client, input); err != nil && !isState(err) {
				t.Errorf("%s: %s (%s): %v", design.Name, a.Honest, a.Cite, err)
			}
		}
	}
}

// isState reports whether an error comes of what is stored, and not of the form of a request.
func isState(err error) bool {
	for _, reason := range []string{"ConditionalCheckFailed", "TransactionCanceledException", "document path provided in the update expression is invalid", "attribute that does not exist in the item"} {
		if strings.Contains(err.Error(), reason) {
			return true
		}
	}
	return false
}
