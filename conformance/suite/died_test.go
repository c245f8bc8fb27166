package suite_test

import (
	"encoding/json"
	"strings"
	"testing"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite"
)

// A client that was to die behind a request, and came to its end before, was not
// interrupted there, and nothing is told of it: the flow without interruption takes a
// page more than all that follow.
func TestAClientThatDoesNotDieDecidesNothing(t *testing.T) {
	run, design, session := opened(t, replay.Options{Designs: []string{"commit-collect"}, Documents: documents(), Bounds: impatient, Interruptions: everywhere})
	noticed := 0
	for _, spec := range suite.Specs(design) {
		if spec.Claim.Kind != manifest.KindInvariant {
			continue
		}
		longer := false
		run.Inject(func(entry wire.Entry) *wire.FaultResponse {
			if entry.Operation != "Query" || entry.Claim != spec.Claim.ID || longer {
				return nil
			}
			var request map[string]any
			if err := json.Unmarshal(entry.Request, &request); err != nil || request["Limit"] != nil {
				return nil
			}
			longer = true
			request["Limit"] = 1
			shorter, err := json.Marshal(request)
			if err != nil {
				return nil
			}
			return &wire.FaultResponse{Name: "short page", Forward: true, Request: shorter}
		})
		result := spec.Run(t.Context(), session, nil)
		run.Inject(nil)
		switch {
		case result.Verdict == evidence.Indeterminate && strings.Contains(suite.Message(result), "the client was to die there"):
			noticed++
		case result.Verdict != evidence.Pass:
			t.Errorf("%s: expected pass, or a client that did not die, found %s", result.ID, suite.Message(result))
		}
	}
	if noticed == 0 {
		t.Error("expected interruptions of which nothing can be told, found none")
	}
}
