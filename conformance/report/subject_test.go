package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
)

// What fails among the items is not added up with what stands in the deployment.
func TestFiguresKeepSubjectsApart(t *testing.T) {
	of := func(kind manifest.Kind, verdict evidence.Verdict) evidence.Result {
		return evidence.Result{ID: "d/" + string(kind) + "/" + string(verdict), Design: "d", Kind: string(kind), Verdict: verdict}
	}
	run := &evidence.Run{Designs: []evidence.Design{{Name: "d", Results: []evidence.Result{
		of(manifest.KindSchema, evidence.Pass), of(manifest.KindPolicy, evidence.Waived), of(manifest.KindLedger, evidence.Pass),
		of(manifest.KindEntity, evidence.Fail), of(manifest.KindExample, evidence.Pass), of(manifest.KindFinding, evidence.Told),
	}}}}
	var markdown bytes.Buffer
	require.NoError(t, writeText(&markdown, "summary.md.tmpl", run))
	aligned := strings.Join(strings.Fields(summary(run)), " ")
	for _, words := range []string{"about deployment and access 3 claims: 2 pass, 1 waived", "about items 2 claims: 1 pass, 1 fail", "about the document 1 claim: 1 told"} {
		assert.Contains(t, aligned, words)
		listed := strings.Replace(strings.Replace(words, " 3 c", ": 3 c", 1), " 2 c", ": 2 c", 1)
		if listed = "- " + strings.Replace(listed, "document 1 c", "document: 1 c", 1); !strings.Contains(markdown.String(), listed) {
			t.Errorf("expected %q in the summary, found\n%s", listed, markdown.String())
		}
	}
}
