package suite_test

import (
	"testing"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite"
)

// A counterexample that the engine does not repeat fails the claim: its request is refused, or other items are there afterwards.
func TestCounterexamplesAreSeenOnTheEngine(t *testing.T) {
	run, design, session := opened(t, replay.Options{Designs: []string{"roll-model"}, Documents: documents(), Bounds: impatient})
	defer run.Inject(nil)
	for _, row := range []struct {
		name  string
		fault wire.Fault
		want  evidence.Verdict
	}{
		{"as it is", nil, evidence.Pass},
		{"refused", func(entry wire.Entry) *wire.FaultResponse {
			if entry.Operation != "UpdateItem" {
				return nil
			}
			return &wire.FaultResponse{Status: 400, ErrorType: "ConditionalCheckFailedException", Message: "The conditional request failed"}
		}, evidence.Fail},
		{"other items", func(entry wire.Entry) *wire.FaultResponse {
			if entry.Operation != "GetItem" {
				return nil
			}
			return &wire.FaultResponse{Forward: true, Amend: func([]byte) []byte { return []byte("{}") }}
		}, evidence.Fail},
	} {
		t.Run(row.name, func(t *testing.T) {
			run.Inject(row.fault)
			if result := verdictOn(t, design, session, "validity"); result.Verdict != row.want {
				t.Errorf("expected %s, found %s: %s", row.want, result.Verdict, suite.Message(result))
			}
		})
	}
}
