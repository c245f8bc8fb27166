package races

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
)

// A flow is interrupted after each of its requests, or at places that are spread over it,
// the first and the last among them.
func TestPlacesOfInterruptions(t *testing.T) {
	for _, row := range []struct {
		requests, most int
		after          []int
	}{
		{0, 0, []int{0}},
		{3, 0, []int{0, 1, 2, 3}},
		{3, 4, []int{0, 1, 2, 3}},
		{3, 9, []int{0, 1, 2, 3}},
		{40, 3, []int{0, 20, 40}},
		{5, 4, []int{0, 1, 3, 5}},
		{5, 2, []int{0, 5}},
		{5, 1, []int{0}},
	} {
		t.Run(fmt.Sprintf("%d of %d requests", row.most, row.requests), func(t *testing.T) {
			assert.Empty(t, cmp.Diff(row.after, places(row.requests, row.most)), "dies after (-want +got)")
		})
	}
}
