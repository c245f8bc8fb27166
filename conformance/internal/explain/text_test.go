package explain

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/conformance/evidence"
)

func TestSequence(t *testing.T) {
	got := sequence([]evidence.Sent{
		{Client: 1, Operation: "Query", Place: "Orders"},
		{Client: 2, Operation: "Query", Place: "Orders"},
		{Client: 2, Operation: "PutItem", Place: "put C#1 / A"},
		{Client: 1, Operation: "PutItem", Place: "put C#1 / A", Refused: "Conflict"},
	})
	want := "" +
		"      | client 1                       | client 2\n" +
		"   1  | Query Orders                   |\n" +
		"   2  |                                | Query Orders\n" +
		"   3  |                                | PutItem put C#1 / A\n" +
		"   4  | PutItem put C#1 / A: Conflict  |\n"
	assert.Empty(t, cmp.Diff(want, got), "chart (-want +got)")
}

// What a race broke is drawn beside the verdict of the last run.
func TestViolationIsDrawn(t *testing.T) {
	violation := []evidence.Sent{{Client: 1, Operation: "PutItem"}}
	e := &Explanation{Last: &Last{Result: evidence.Result{Invariant: &evidence.Invariant{Attempts: []evidence.Stress{{Kind: "race"}, {Kind: "race", Violation: violation}}}}}}
	var out strings.Builder
	require.NoError(t, e.Text(&out, false))
	require.Contains(t, out.String(), "attempt 2 was broken by requests in this order")
	assert.Contains(t, out.String(), sequence(violation), "expected the order of the broken race")
}
