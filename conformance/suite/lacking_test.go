package suite_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/target"
)

// lacking returns the address of a real engine that does not know an operation.
func lacking(t *testing.T, operation string) string {
	t.Helper()
	engine, err := target.Embedded(t.Context(), target.EmbeddedOptions{})
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := wire.Start(wire.Options{Upstream: engine.URL(), Fault: func(entry wire.Entry) *wire.FaultResponse {
		if entry.Operation != operation {
			return nil
		}
		return &wire.FaultResponse{Status: http.StatusBadRequest, ErrorType: "UnknownOperationException", Message: "unknown operation"}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.Background()
		if err := proxy.Close(ctx); err != nil {
			t.Error(err)
		}
		if err := engine.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return proxy.URL()
}

// What an engine lacks is unsupported: neither a pass nor, by what a write that
// never happened did not leave behind, a failure.
func TestAnEngineWithoutTransactions(t *testing.T) {
	ctx := t.Context()
	_, design, session := opened(t, replay.Options{Designs: []string{"roll-model"}, Endpoint: lacking(t, "TransactWriteItems"), Documents: documents(), Bounds: impatient})
	unsupported := 0
	for _, spec := range suite.Specs(design) {
		result := spec.Run(ctx, session, nil)
		if result.Verdict == evidence.Unsupported {
			unsupported++
			if !strings.Contains(suite.Message(result), "unknown operation") && strings.Contains(result.ID, "/pattern/") {
				t.Errorf("%s: expected the reason, found %s", result.ID, suite.Message(result))
			}
		} else if result.Verdict != evidence.Pass {
			t.Errorf("%s: expected pass or unsupported, found %s", result.ID, suite.Message(result))
		}
		if writes := strings.HasSuffix(result.ID, "/pattern/post-comment"); writes && result.Verdict != evidence.Unsupported {
			t.Errorf("%s: expected unsupported, found %s", result.ID, result.Verdict)
		}
	}
	if unsupported == 0 {
		t.Error("expected claims that this engine cannot answer, found none")
	}
}
