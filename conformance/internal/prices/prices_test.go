package prices

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoad(t *testing.T) {
	list, err := Load()
	require.NoError(t, err)
	own := list.In("us-east-1")
	if own.Region != "us-east-1" || own.ReadPerMillion != 0.125 || own.WritePerMillion != 0.625 {
		t.Errorf("expected the prices of us-east-1, found %+v", own)
	}
	if other := list.In("mars-north-1"); other.Region != list.Reference {
		t.Errorf("expected the price of a region that is not listed to name the region that it is of, found %+v", other)
	}
	if cost := own.Cost(2e6, 1e6); math.Abs(cost-0.875) > 1e-9 {
		t.Errorf("expected 0.875 for two million reads and a million writes, found %v", cost)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, row := range []struct{ name, text, problem string }{
		{"a list without a date", `{"reference": "a", "regions": {"a": {"readPerMillion": 1, "writePerMillion": 1}}}`, "expected a date"},
		{"a reference without prices", `{"date": "2026-01-31", "reference": "a", "regions": {}}`, "reference region"},
		{"a price of nothing", `{"date": "2026-01-31", "reference": "a", "regions": {"a": {"readPerMillion": 1}}}`, "above 0"},
		{"a misspelt field", `{"dated": "2026-01-31"}`, "unknown field"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, err := parse([]byte(row.text)); err == nil || !strings.Contains(err.Error(), row.problem) {
				t.Errorf("expected an error with %q, found %v", row.problem, err)
			}
		})
	}
}
