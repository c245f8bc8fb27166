package document_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/document/coverage"
)

// A title above cited lines accounts for itself, and nothing else does.
func TestHeadings(t *testing.T) {
	const text = `# Notes x

## 1. Access patterns
### Reading
notes are listed by user
**Administrators**:
| who | how |
|-----|-----|
| admins | notes are scanned |
| nobody | notes are burned |

| more | words |
|------|-------|
| neither | row |

### Notes are never deleted
in pages of 25
## Kept 30 days
## By ` + "`noteId`" + `
### Closing
why there are notes
~~~
# Example
~~~
## Not transcribed
nothing here
`
	document := source(t, text)
	design := designtest.Whole()
	design.Document = accesspatterns.Document{File: "d.md", SHA256: document.SHA256}
	design.Patterns[0].Cite = designtest.Line(5, "listed by user")
	design.Patterns[1].Cite = designtest.Line(9, "scanned")
	design.Waivers[0].Cite = designtest.Line(17, "pages of 25").And(designtest.Line(21, "why"))
	generated := map[int]string{3: "heading", 4: "heading", 6: "label", 7: "header row", 20: "heading"}
	check := func(t *testing.T, covered *coverage.Coverage, generated map[int]string) {
		t.Helper()
		for _, line := range covered.Lines {
			want, is := generated[line.Line]
			if found := strings.HasPrefix(line.Reason, coverage.Generated+want); found != is || is && line.Status != coverage.LineNarrative {
				t.Errorf("line %d, %q: expected generated %q, found %s: %s", line.Line, document.Line(line.Line), want, line.Status, line.Reason)
			}
		}
	}
	covered := coverage.Of(design, document, document.LineDigests())
	check(t, covered, generated)
	for _, number := range []int{10, 12, 14, 16, 18, 19, 23, 25, 26} {
		if line := covered.Lines[number-1]; line.Status != coverage.LineUnaccounted {
			t.Errorf("line %d, %q: expected it to be unaccounted, found %s: %s", number, document.Line(number), line.Status, line.Reason)
		}
	}

	// What somebody wrote stands in the place of what is generated.
	design.Narrative = designtest.Narrates("read and found empty", 4, 20)
	covered = coverage.Of(design, document, document.LineDigests())
	delete(generated, 4)
	delete(generated, 20)
	check(t, covered, generated)

	// A title that changed is to be read again.
	before := source(t, strings.Replace(text, "## 1. Access patterns", "## 1. Access", 1))
	design.Document.SHA256 = before.SHA256
	covered = coverage.Of(design, document, before.LineDigests())
	delete(generated, 3)
	check(t, covered, generated)
}

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
