package designs_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/accesspatterns/tabletest"
)

// The gate: every line of every document is cited, narrative or layout.
func TestEveryLineIsAccountedFor(t *testing.T) {
	for _, design := range designs.All() {
		t.Run(design.Name, func(t *testing.T) {
			source, err := coverage.Read(documents(), design.Document)
			if errors.Is(err, coverage.ErrNoDocument) {
				t.Skipf("lines are not accounted for: %v", err)
			}
			require.NoError(t, err)
			assert.NoError(t, coverage.Of(design, source, tabletest.Must(designs.Lines(design.Document))(t)).Err())
		})
	}
}

// apart is how far apart lines are changed together, so that every line has its
// turn in few rounds.
const apart = 7

// Whichever line of a document gets another text, it is named, and nothing
// accounts for it any longer: no citation and no reason covers a text that
// nobody has read.
func TestNoLineMayChangeUnnoticed(t *testing.T) {
	for _, design := range designs.All() {
		t.Run(design.Name, func(t *testing.T) {
			source, err := coverage.Read(documents(), design.Document)
			if errors.Is(err, coverage.ErrNoDocument) {
				t.Skipf("no line is changed: %v", err)
			}
			require.NoError(t, err)
			digests := source.LineDigests()
			for first := 1; first <= apart; first++ {
				var lines []string
				for number := 1; number <= source.Len(); number++ {
					if number%apart == first%apart {
						lines = append(lines, "another text")
					} else {
						lines = append(lines, source.Line(number))
					}
				}
				folder := t.TempDir() // of its own, since a process reads each file once
				require.NoError(t, os.WriteFile(filepath.Join(folder, source.File), []byte(strings.Join(lines, "\n")+"\n"), 0o600))
				covered := coverage.Of(design, tabletest.Must(coverage.Read(folder, design.Document))(t), digests)
				named := map[int]bool{}
				for _, change := range covered.Changes {
					if change.Kind == coverage.LineChanged && change.Was == change.Now {
						named[change.Now] = true
					}
				}
				for number := first; number <= source.Len(); number += apart {
					assert.True(t, named[number], "line %d was changed, and no change says so", number)
					account := covered.Lines[number-1]
					assert.Equal(t, coverage.LineUnaccounted, account.Status, "line %d has another text and is still %s (%s%v)", number, account.Status, account.Reason, account.Claims)
				}
				assert.Len(t, named, len(covered.Changes), "expected %d changes", len(named))
			}
		})
	}
}
