package designs_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
)

// The table of obligations by basis in the README says what the contracts say.
func TestFiguresByBasisAreCommitted(t *testing.T) {
	const readme, begin, end = "../README.md", "<!-- obligations by basis -->\n", "<!-- end -->"
	var table strings.Builder
	table.WriteString("| design | stated | implied | chosen | in all |\n|---|--:|--:|--:|--:|\n")
	whole := map[accesspatterns.BasisKind]int{}
	row := func(name string, of map[accesspatterns.BasisKind]int) {
		all := 0
		fmt.Fprintf(&table, "| %s |", name)
		for _, kind := range accesspatterns.BasisKinds() {
			fmt.Fprintf(&table, " %d |", of[kind])
			all += of[kind]
		}
		fmt.Fprintf(&table, " %d |\n", all)
	}
	for _, design := range designs.All() {
		of := map[accesspatterns.BasisKind]int{}
		for _, claim := range manifest.Claims(design) {
			if claim.Kind != manifest.KindFinding {
				of[claim.Basis]++
				whole[claim.Basis]++
			}
		}
		row(design.Name, of)
	}
	row("all", whole)
	text, err := os.ReadFile(readme)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), begin)
	written, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s: expected the table between %q and %q", readme, begin, end)
	}
	if *update {
		require.NoError(t, os.WriteFile(readme, []byte(before+begin+table.String()+end+after), 0o644))
		return
	}
	if written != table.String() {
		t.Errorf("%s: the figures by basis differ from the contracts; run `make manifest`\nexpected\n%sfound\n%s", readme, table.String(), written)
	}
}
