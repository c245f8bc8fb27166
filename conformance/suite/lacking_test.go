package suite_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	require.NoError(t, err)
	proxy, err := wire.Start(wire.Options{Upstream: engine.URL(), Fault: func(entry wire.Entry) *wire.FaultResponse {
		if entry.Operation != operation {
			return nil
		}
		return &wire.FaultResponse{Status: http.StatusBadRequest, ErrorType: "UnknownOperationException", Message: "unknown operation"}
	}})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx := context.Background()
		assert.NoError(t, proxy.Close(ctx))
		assert.NoError(t, engine.Close(ctx))
	})
	return proxy.URL()
}

// What an engine lacks is unsupported where its target declares it, and else
// indeterminate: neither a pass nor, by what a write that never happened did not
// leave behind, a failure.
func TestAnEngineWithoutTransactions(t *testing.T) {
	ctx := t.Context()
	for _, row := range []struct {
		name  string
		lacks []string
		want  evidence.Verdict
	}{{"declared", []string{"TransactWriteItems"}, evidence.Unsupported}, {"not declared", nil, evidence.Indeterminate}} {
		t.Run(row.name, func(t *testing.T) {
			_, design, session := opened(t, replay.Options{
				Designs: []string{"roll-model"}, Endpoint: lacking(t, "TransactWriteItems"), StateDir: t.TempDir(), Documents: documents(), Bounds: impatient, Lacks: row.lacks,
			})
			lacking := 0
			for _, spec := range suite.Specs(design) {
				result := spec.Run(ctx, session, nil)
				documents := result.Declared == "documents"
				if result.Verdict == row.want && !documents {
					lacking++
					if result.Declared != strings.Join(row.lacks, "") && result.Declared != "operation "+strings.Join(row.lacks, "") {
						t.Errorf("%s: expected the declared operation, found %q", result.ID, result.Declared)
					}
					if !strings.Contains(suite.Message(result), "unknown operation") && strings.Contains(result.ID, "/pattern/") {
						t.Errorf("%s: expected the reason, found %s", result.ID, suite.Message(result))
					}
				} else if !result.Verdict.Held() && !documents {
					t.Errorf("%s: expected pass or %s, found %s", result.ID, row.want, suite.Message(result))
				}
				if strings.HasSuffix(result.ID, "/pattern/post-comment") && result.Verdict != row.want {
					t.Errorf("%s: expected %s, found %s", result.ID, row.want, result.Verdict)
				}
			}
			if lacking == 0 {
				t.Error("expected claims that this engine cannot answer, found none")
			}
		})
	}
}
