package replay_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/conformance/internal/prices"
)

func TestLoad(t *testing.T) {
	list, err := prices.Load()
	require.NoError(t, err)
	_, err = time.Parse(time.DateOnly, list.Date)
	require.NoError(t, err, "the day on which the prices were looked up")
	for region, price := range list.Regions {
		assert.True(t, price.ReadPerMillion > 0 && price.WritePerMillion > 0, "%s: expected prices above 0, found %+v", region, price)
	}
	own := list.In("us-east-1")
	if own.Region != "us-east-1" || own.ReadPerMillion != 0.125 || own.WritePerMillion != 0.625 {
		t.Errorf("expected the prices of us-east-1, found %+v", own)
	}
	if other := list.In("mars-north-1"); other.Region != list.Reference || other.ReadPerMillion == 0 {
		t.Errorf("expected the price of a region that is not listed to name the region that it is of, found %+v", other)
	}
	if cost := own.Cost(2e6, 1e6); math.Abs(cost-0.875) > 1e-9 {
		t.Errorf("expected 0.875 for two million reads and a million writes, found %v", cost)
	}
}
