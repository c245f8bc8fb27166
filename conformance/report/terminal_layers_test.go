package report

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dynaproof/conformance/evidence"
)

func TestSummaryCountsGuardrailsByLayer(t *testing.T) {
	held := func(id, layer string, verdict evidence.Verdict) evidence.Result {
		return evidence.Result{ID: id, Design: "roll-model", Kind: "guardrail", Verdict: verdict, Guardrail: &evidence.Guardrail{Layer: layer}}
	}
	kept := func(id, layer string, verdict evidence.Verdict) evidence.Result {
		return evidence.Result{ID: id, Design: "roll-model", Kind: "invariant", Verdict: verdict, Invariant: &evidence.Invariant{Layer: layer}}
	}
	run := &evidence.Run{Designs: []evidence.Design{
		{Name: "roll-model", Results: []evidence.Result{
			held("roll-model/guardrail/a", "guard", evidence.Pass), held("roll-model/guardrail/b", "engine", evidence.Fail),
			held("roll-model/guardrail/c", "policy", evidence.Unsupported), kept("roll-model/invariant/d", "engine", evidence.Pass),
			held("roll-model/guardrail/e", "policy", evidence.Waived),
			{ID: "roll-model/document", Design: "roll-model", Kind: "document", Verdict: evidence.Pass},
		}},
		{Name: "fus-main", Results: []evidence.Result{{ID: "fus-main/document", Design: "fus-main", Kind: "document", Verdict: evidence.Pass}}},
	}}
	text := summary(run)
	begin, end := strings.Index(text, "guardrails"), strings.Index(text, "how many held")
	if begin < 0 || end < begin {
		t.Fatalf("expected a table of guardrails in\n%s", text)
	}
	rows := regexp.MustCompile(` +`).ReplaceAllString(text[begin:end], " ")
	const want = "guardrails invariants | guard engine contract deployment policy\n roll-model 1+1w/3 1 | 1 1/2 - - 0+1w\n"
	if rows != want {
		t.Errorf("expected\n%sfound\n%s", want, rows)
	}
	assert.NotContains(t, summary(&evidence.Run{Designs: run.Designs[1:]}), "guardrails")
}
