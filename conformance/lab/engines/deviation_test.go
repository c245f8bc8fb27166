package engines

import (
	"testing"

	"dynaproof/conformance/evidence"
)

// A failure is the engine's own where each of its problems is a listed one; of a design
// that was brought along, where each shows as a listed one does.
func TestDeviating(t *testing.T) {
	failed := func(id string, problems ...evidence.Problem) evidence.Result {
		return evidence.Result{ID: id, Verdict: evidence.Fail, Problems: problems}
	}
	elsewhere := refusal("success")
	elsewhere.Where = "trial 7, request 2, PutItem"
	read := elsewhere
	read.Where = "trial 7, request 2, GetItem"
	for name, row := range map[string]struct {
		engine  string
		shipped bool
		result  evidence.Result
		is      bool
	}{
		"a listed problem":                        {"second", true, failed("d/guardrail/b", refusal("success")), true},
		"of another engine":                       {"third", true, failed("d/guardrail/b", refusal("success")), false},
		"of another claim":                        {"second", true, failed("d/guardrail/c", refusal("success")), false},
		"another finding":                         {"second", true, failed("d/guardrail/b", refusal("ResourceNotFoundException")), false},
		"a listed problem and another":            {"second", true, failed("d/guardrail/b", refusal("success"), read), false},
		"brought along, alike":                    {"second", false, failed("own/guardrail/x", elsewhere), true},
		"brought along, of another operation":     {"second", false, failed("own/guardrail/x", read), false},
		"brought along, with another finding":     {"second", false, failed("own/guardrail/x", refusal("other")), false},
		"brought along, a claim that it rests on": {"second", false, failed("own/finding/x", evidence.Problem{Where: "claim guardrail/y", Expected: "pass", Found: "fail"}), false},
	} {
		says := deviating(row.engine, "2.0", known(), row.shipped)(row.result)
		if (says != "") != row.is || row.is && says != "second 2.0 accepts it; AWS refuses it (second-accepts, https://example.org)" {
			t.Errorf("%s: expected an explanation: %t, found %q", name, row.is, says)
		}
	}
}
