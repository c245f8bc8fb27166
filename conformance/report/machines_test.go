package report

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/conformance/evidence"
)

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
	failed := &evidence.Run{Designs: []evidence.Design{{Name: "d", Failure: "no engine"}}}
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
	if err := log.Validate(); err == nil || !strings.Contains(err.Error(), "message is required") || !strings.Contains(err.Error(), "level must be one of") {
		t.Errorf("expected the schema to refuse a result without message and an unknown level, got %v", err)
	}
}

// A broken run must stay readable in a comment.
func TestMarkdownIsShort(t *testing.T) {
	run := sample()
	for range 500 {
		run.Designs[0].Results = append(run.Designs[0].Results, run.Designs[0].Results[0])
	}
	text := written(t, run, Formats()[2].Write)
	if len(text) > 8_000 || !strings.Contains(text, "… and 496 more in the evidence") {
		t.Errorf("expected at most 8,000 bytes and the number left out, got %d bytes", len(text))
	}
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
	newer.Target.Version = "1.3.0"
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
	if len(c.NewlyFailing)+len(c.NewlyPassing)+len(c.OtherVerdict)+len(c.OtherGrade)+len(c.Gone)+len(c.New)+len(c.Ground) > 0 || len(c.StillFailing) != 5 || c.Same != 68 {
		t.Errorf("expected 5 claims still failing and 68 the same, got %+v", c)
	}
}
