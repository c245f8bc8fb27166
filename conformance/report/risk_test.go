package report

import (
	"testing"

	"dynaproof/conformance/evidence"
)

// What is at risk follows from what differs: an index that is missing loses reads, one too many costs.
func TestRiskOfIndexes(t *testing.T) {
	for _, row := range []struct {
		expected, found string
		want            risk
	}{
		{"GSI1, GSI2", "GSI1", riskData},
		{"GSI1", "none", riskData},
		{"GSI1", "GSI2", riskData},
		{"GSI1", "GSI1, GSI2", riskCost},
		{"none", "GSI1", riskCost},
	} {
		got := riskOf(evidence.Result{
			ID: "shop/table/Orders/indexes", Kind: "schema", Verdict: evidence.Fail,
			Problems: []evidence.Problem{{Expected: row.expected, Found: row.found}},
		})
		if got != row.want {
			t.Errorf("expected %s, found %s: expected the risk %q, found %q", row.expected, row.found, row.want.Word, got.Word)
		}
	}
}
