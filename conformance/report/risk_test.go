package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
)

// What is at risk follows from what differs: an index that is missing loses answers, one too many costs, and a time to live that nobody
// documented loses items.
func TestRiskFollowsFromTheDifference(t *testing.T) {
	for _, row := range []struct {
		aspect, expected, found string
		want                    risk
	}{
		{"indexes", "GSI1, GSI2", "GSI1", riskReads},
		{"indexes", "GSI1", "none", riskReads},
		{"indexes", "GSI1", "GSI2", riskReads},
		{"indexes", "GSI1", "GSI1, GSI2", riskCost},
		{"indexes", "none", "GSI1", riskCost},
		{"ttl", "off", "on, by attribute ttl", riskData},
		{"ttl", "on, by attribute ttl", "off", riskCost},
		{"exists", "table Orders", "no such table", riskData},
		{"tags", "a", "b", riskNames},
	} {
		got := riskOf(evidence.Result{
			ID: "shop/table/Orders/" + row.aspect, Kind: "schema", Verdict: evidence.Fail,
			Problems: []evidence.Problem{{Expected: row.expected, Found: row.found}},
		})
		if got != row.want {
			t.Errorf("%s: expected %s, found %s: expected the risk %q, found %q", row.aspect, row.expected, row.found, row.want.Word, got.Word)
		}
	}
	committed, err := designs.Manifest()
	require.NoError(t, err)
	for _, claim := range committed {
		if got := riskOf(evidence.Result{ID: claim.ID, Kind: string(claim.Kind), Verdict: evidence.Fail}); claim.Kind == "schema" && got.Word == "" {
			t.Errorf("expected what a difference of %s puts at risk", claim.ID)
		}
	}
}
