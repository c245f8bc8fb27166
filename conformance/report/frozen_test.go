package report

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/document/review"
)

var update = flag.Bool("update", false, "write testdata/reports.txt anew")

// What is made of one run is frozen, byte for byte, as the digest of each report: a step that only moves code
// moves none of them. `make frozen` writes the list anew; the commit says what a reader sees otherwise.
func TestReportsAreFrozen(t *testing.T) {
	reports := map[string]string{PageFile: render(t, sample(), shopDocument), "terminal": summary(sample())}
	names := []string{PageFile, "terminal"}
	for _, format := range Formats() {
		names = append(names, format.File)
		reports[format.File] = written(t, sample(), format.Write)
	}
	var lines []string
	for _, name := range names {
		lines = append(lines, fmt.Sprintf("%s %x", name, sha256.Sum256([]byte(reports[name]))))
	}
	designtest.Frozen(t, "testdata/reports.txt", lines, *update)
}

// Each format as text: of a run with every verdict, a problem that each must escape, and an account that none may show.
func TestFormatsAreFrozen(t *testing.T) {
	run := sample()
	pattern := &run.Designs[0].Results[1]
	pattern.Microseconds = 1500
	pattern.Problems[0].Found = "a|b `c` <d> & arn:aws:dynamodb:eu-west-1:123456789012:table/T\x01"
	pattern.Problems = append(pattern.Problems, pattern.Problems[0])
	run.Designs[0].Results[5].Waiver = "scan-orders"
	run.Designs[0].Results[3].Finding.Instead = "Write 01 instead of 1."
	frozen(t, "terminal.txt", summary(run))
	for _, format := range Formats() {
		frozen(t, format.File, written(t, run, format.Write))
	}
}

// frozen compares a text with a committed file.
func frozen(t *testing.T, file, text string) {
	t.Helper()
	designtest.Frozen(t, "testdata/"+file, strings.Split(strings.TrimSpace(text), "\n"), *update)
}

const reviewed = "# Shop\n\nTable name: `shop`\n" +
	"Partition key: **PK** (String). Sort key: **SK** (String).\n\n" +
	"- **User <b>one</b>**: `PK = USER#{id}`, `SK = PROFILE`\n" +
	"- a stray\x1b[31m `SK = OTHER`\n\n" +
	"## Access patterns\n\n" +
	"- Get a user: `GetItem(PK=USER#{id})`\n" +
	"- Everything of a user: `Query(PK)`\n"

// A review as text and as SARIF; its page shows what the document says, and obeys none of it.
func TestReviewsAreFrozen(t *testing.T) {
	document, err := reader.Read([]byte(reviewed))
	require.NoError(t, err)
	r := &Review{File: "docs/shop.md", Document: document, Hits: review.Look(document)}
	var text, log, page bytes.Buffer
	r.Paper().Text(&text)
	frozen(t, "review.txt", text.String())
	require.NoError(t, ReviewSARIF(&log, r, "docs/shop.md", "v1"))
	frozen(t, "review.sarif", log.String())
	require.NoError(t, r.Paper().HTML(&page))
	assert.Contains(t, page.String(), "get-without-whole-key: ")
	assert.NotContains(t, page.String(), "<b>one")
}
