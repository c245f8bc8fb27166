package guardtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
)

// BenchmarkWrites judges every documented write, and tells all steps that it is.
func BenchmarkWrites(b *testing.B) {
	for _, design := range designs.All() {
		b.Run(design.Name, func(b *testing.B) {
			g := guardFor(b, design)
			var inputs []any
			for _, r := range requestsOf(b, design) {
				if r.step.Read == nil {
					inputs = append(inputs, r.input)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, in := range inputs {
					_, err := g.Check(b.Context(), in)
					require.NoError(b, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(len(inputs)), "us/check")
		})
	}
}
