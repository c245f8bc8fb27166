package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/document/review"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/paper"
	"dynaproof/conformance/internal/wholefile"
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

// frozen compares a text with a committed file. One that is written to a file of its own replaces itself there.
func frozen(t *testing.T, file, text string) {
	t.Helper()
	if path := filepath.Join(t.TempDir(), file); filepath.Ext(file) != ".txt" {
		require.NoError(t, errors.Join(wholefile.Write(path, []byte(text), wholefile.Report), wholefile.Replaces(path, []byte(text))))
	}
	designtest.Frozen(t, "testdata/"+file, strings.Split(strings.TrimSpace(text), "\n"), *update)
}

//go:embed testdata/reviewed.txt
var reviewed []byte

// A review as text and as SARIF; its page shows what the document says, and obeys none of it.
func TestReviewsAreFrozen(t *testing.T) {
	document, err := reader.Read(reviewed)
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

//go:embed testdata/mutants.json
var mutants []byte

func someMutants() *evidence.Mutants { return stored[evidence.Mutants](mutants) }

// The matrix with what needs attention written out, and a single mutant with what the claim says.
func TestMutantsAreFrozen(t *testing.T) {
	var text bytes.Buffer
	MutantsPaper(someMutants()).Text(&text)
	one := someMutants()
	one.Mutants, one.Problems = one.Mutants[:1], nil
	MutantsPaper(one).Text(&text)
	frozen(t, "mutants.txt", text.String())
}

func TestMutantsHTML(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, MutantsPaper(someMutants()).HTML(&out))
	holds(t, out.String(),
		"<h1>FAIL  1 of 2 mutants survived", "Kill matrix", "deployment: PITR off", "<b class=\"fail\">survived</b>", "<b class=\"waived\">equivalent</b>", "there is one",
		"found &lt;b&gt;DISABLED&lt;/b&gt;", "…", "names no mutant", "4 of 10 claims are expected by no mutant", "Answered by dynoxide 1.2.1.", "sha256:abab",
	)
	lacks(t, out.String(), "<b>DISABLED", "<script", strings.Repeat("x", 500))
}

// A mutant is counted under the kind of the claim that noticed it, whatever the
// kind is.
func TestMutantsCountEveryKind(t *testing.T) {
	columns := tabletest.Read[[][2]string](t, "killers.yaml")
	known := map[manifest.Kind]bool{}
	run := someMutants()
	run.Mutants = nil
	for _, row := range columns {
		known[manifest.Kind(row[1])] = true
		run.Mutants = append(run.Mutants, evidence.Mutant{ID: row[0], Kind: "killed by", Operator: row[0], Fate: evidence.Killed, Killer: row[0]})
	}
	for _, kind := range manifest.Kinds() {
		assert.True(t, known[kind], "expected a row here for a killer of kind %s", kind)
	}
	sections := MutantsPaper(run).Sections
	matrix := sections[slices.IndexFunc(sections, func(s paper.Section) bool { return s.Heading == "Kill matrix" })]
	var counted [][2]string
	for _, row := range matrix.Rows {
		for i, count := range row[1:] {
			if count != "0" {
				counted = append(counted, [2]string{strings.TrimPrefix(row[0], "killed by: "), matrix.Columns[i+1]})
			}
		}
	}
	assert.Equal(t, columns, counted, "columns in which each is counted")
}

// older is evidence as the first release wrote it: see the schema's tests.
func older(t *testing.T) *evidence.Run {
	t.Helper()
	run, err := evidence.ReadValid("../evidence/testdata/evidence-v2-first.json")
	require.NoError(t, err)
	return run
}

// written is a run in a format.
func written(t *testing.T, run *evidence.Run, write func(io.Writer, *evidence.Run) error) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, write(&out, run))
	return out.String()
}

// The library holds the schema that OASIS publishes for SARIF 2.1.0.
func TestSARIFFitsTheSchema(t *testing.T) {
	empty := &evidence.Run{Version: evidence.Version}
	failed := &evidence.Run{Designs: []evidence.Design{{Name: "d", Document: "a design#1.md", Failure: "no engine"}}}
	assert.Contains(t, written(t, failed, Formats()[1].Write), `"uri": "a%20design%231.md"`)
	for name, run := range map[string]*evidence.Run{"sample": sample(), "older": older(t), "empty": empty, "failed": failed} {
		for _, options := range []SARIFOptions{{}, {DocumentsURI: "designs/", Passed: true}} {
			text := written(t, run, func(w io.Writer, run *evidence.Run) error { return SARIF(w, run, options) })
			log, err := sarif.FromBytes([]byte(text), sarif.WithStrictValidation())
			require.NoError(t, err)
			assert.NoError(t, log.Validate(), name)
			for _, artifact := range log.Runs[0].Artifacts {
				assert.True(t, strings.HasPrefix(*artifact.Location.URI, options.DocumentsURI), *artifact.Location.URI)
			}
		}
	}
	log, err := sarif.FromBytes([]byte(written(t, sample(), Formats()[1].Write)))
	require.NoError(t, err)
	log.Runs[0].Results[0].Message = nil
	log.Runs[0].Results[1].Level = "fatal"
	refused := log.Validate()
	assert.ErrorContains(t, refused, "message is required")
	assert.ErrorContains(t, refused, "level must be one of")
}

// A broken run must stay readable in a comment.
func TestMarkdownIsShort(t *testing.T) {
	run := sample()
	for range 500 {
		run.Designs[0].Results = append(run.Designs[0].Results, run.Designs[0].Results[0])
	}
	text := written(t, run, Formats()[2].Write)
	assert.LessOrEqual(t, len(text), 8_000)
	assert.Contains(t, text, "… and 496 more in the evidence", "expected the number left out")
}

func TestComparisonsAreFrozen(t *testing.T) {
	older, newer := sample(), sample()
	of := newer.Designs[0].Results
	of[0].Verdict, of[0].Problems = evidence.Pass, nil
	of[1].Problems[0].Found = "arn:aws:dynamodb:eu-west-1:123456789012:table/T"
	of[3].Grade = evidence.Emulated
	of[4].Verdict, of[4].Problems = evidence.Fail, of[1].Problems
	of[5].Verdict = evidence.Pass // waived before, which was no failure
	of[6].ID = "shop/another"
	of[7].Verdict = evidence.Unsupported
	newer.Designs[0].SHA256 = strings.Repeat("ef", 32)
	newer.Designs[0].Results = append(of, of[1])
	newer.Designs[0].Results[len(of)].ID = "shop/added"
	newer.Target.Version, newer.Strict, newer.Guardrails, newer.Inputs = "1.3.0", true, "off", map[string]string{"contract": "sha256:ab"}
	c := Compare(older, newer)
	var text bytes.Buffer
	require.NoError(t, c.Write(&text))
	require.NoError(t, c.Markdown(&text))
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", " ")
	require.NoError(t, encoder.Encode(c))
	frozen(t, "comparison.txt", text.String())
}

func TestCompareARunWithItself(t *testing.T) {
	c := Compare(older(t), older(t))
	assert.Zero(t, len(c.NewlyFailing)+len(c.NewlyPassing)+len(c.OtherVerdict)+len(c.OtherGrade)+len(c.Gone)+len(c.New)+len(c.Ground), "%+v", c)
	assert.Equal(t, []int{5, 68}, []int{len(c.StillFailing), c.Same}, "claims still failing, and the same")
}
