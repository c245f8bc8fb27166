package coverage_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/document/coverage"
)

// Whatever was edited, every line of both documents has exactly one fate, and a
// line that is not named as changed or added has the text that it had.
func TestChangesExplainEveryLine(t *testing.T) {
	design := designtest.Whole()
	line := rapid.SampledFrom([]string{"", "{", "a", "b", "c", "d", "e"})
	rapid.Check(t, func(r *rapid.T) {
		was := rapid.SliceOfN(line, 1, 12).Draw(r, "was")
		now := rapid.SliceOfN(line, 1, 12).Draw(r, "now")
		before, after := source(t, strings.Join(was, "\n")+"\n"), source(t, strings.Join(now, "\n")+"\n")
		design.Document.SHA256 = before.SHA256
		covered := coverage.Of(design, after, before.LineDigests())
		if slices.Equal(was, now) != (len(covered.Changes) == 0) {
			r.Fatalf("expected changes exactly when the lines differ, found %v", covered.Changes)
		}
		old := make([]int, before.Len()+1)
		edited := map[int]bool{}
		for _, change := range covered.Changes {
			if change.Was > 0 && change.Kind != coverage.LineChanged && change.Kind != coverage.LineMoved {
				old[change.Was]++
			}
			if change.Kind == coverage.LineChanged || change.Kind == coverage.LineAdded {
				edited[change.Now] = true
			}
		}
		for _, account := range covered.Lines {
			if account.Was > 0 {
				old[account.Was]++
			}
			if !edited[account.Line] && after.Line(account.Line) != before.Line(account.Was) {
				r.Fatalf("line %d (was %d) has another text and no change says so", account.Line, account.Was)
			}
		}
		for number, fates := range old[1:] {
			if fates != 1 {
				r.Fatalf("line %d of the transcribed document has %d fates", number+1, fates)
			}
		}
	})
}
