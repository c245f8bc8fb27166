package report

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designtest"
)

var update = flag.Bool("update", false, "write testdata/reports.txt anew")

// What is made of one run is frozen, byte for byte, as the digest of each report: a step that only moves code
// moves none of them. `make frozen` writes the list anew; the commit says what a reader sees otherwise.
func TestReportsAreFrozen(t *testing.T) {
	reports := map[string]string{PageFile: render(t, sample(), shopDocument), "terminal": summary(sample())}
	names := []string{PageFile, "terminal"}
	for _, format := range Formats() {
		var out bytes.Buffer
		require.NoError(t, format.Write(&out, sample()))
		names = append(names, format.File)
		reports[format.File] = out.String()
	}
	var lines []string
	for _, name := range names {
		lines = append(lines, fmt.Sprintf("%s %x", name, sha256.Sum256([]byte(reports[name]))))
	}
	designtest.Frozen(t, "testdata/reports.txt", lines, *update)
}
