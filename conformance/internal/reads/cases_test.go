package reads

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/fixtures"
)

// Every case of the five designs holds in memory too.
func TestCasesHold(t *testing.T) {
	for _, design := range designs.All() {
		set, err := fixtures.Load(design.Name, time.Now())
		require.NoError(t, err)
		for _, problem := range Cases(design, set) {
			t.Error(problem)
		}
	}
}
