package conformance_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/explain"
)

// explainedAsSent looks whether what is explained is what a run sends: every request of a pattern stands in the
// ledger of that claim, and every step that the run reached is explained. Requests
// that hold relative times are left out, because they differ from call to call.
func explainedAsSent(t *testing.T, seen *evidence.Run) {
	t.Helper()
	bodies := map[int]map[string]any{}
	for _, entry := range seen.Ledger {
		var body map[string]any
		if json.Unmarshal(entry.Request, &body) == nil { // other bodies match nothing
			delete(body, "ClientRequestToken") // each request that is sent has one of its own
			bodies[entry.Seq] = body
		}
	}
	at := time.Date(2026, 2, 19, 12, 0, 0, 0, time.UTC)
	now := explain.New(explain.Options{Environment: "dev", At: at})
	later := explain.New(explain.Options{Environment: "dev", At: at.AddDate(0, 1, 1)})
	compared := 0
	for _, result := range seen.Results() {
		if result.Kind != string(manifest.KindPattern) {
			continue
		}
		if result.Pattern == nil {
			t.Errorf("%s: expected the cases that were replayed in the evidence", result.ID)
			continue
		}
		explained, err := now.Claim(result.ID)
		require.NoError(t, err)
		another, err := later.Claim(result.ID)
		require.NoError(t, err)
		steps := map[string]bool{}
		for i, request := range explained.Requests {
			where, _, _ := strings.Cut(request.Where, " = ")
			steps[strings.Split(where, ", after another client")[0]] = true
			if !bytes.Equal(request.Input, another.Requests[i].Input) {
				continue
			}
			var body map[string]any
			require.NoError(t, json.Unmarshal(request.Input, &body))
			if !slices.ContainsFunc(result.Requests, func(seq int) bool { return reflect.DeepEqual(bodies[seq], body) }) {
				t.Errorf("%s, %s: the run sent no such request: %s", result.ID, request.Where, request.Input)
			}
			compared++
		}
		for _, replayed := range result.Pattern.Cases {
			for _, step := range replayed.Steps {
				where := strings.TrimSpace("case " + replayed.Name)
				explained := steps[where] || slices.ContainsFunc(slices.Collect(maps.Keys(steps)), func(known string) bool {
					named := where + ", step " + step.Name
					repeated := strings.HasPrefix(known, where+", ") && !strings.Contains(known, ", step ") // of a pattern of one step
					return known == named || strings.HasPrefix(known, named+", ") || repeated
				})
				if step.Request != 0 && !explained {
					t.Errorf("%s, %s: the run reached step %s, which is not explained", result.ID, where, step.Name)
				}
			}
		}
	}
	if compared < 200 {
		t.Errorf("expected at least 200 requests to compare, found %d", compared)
	}
}
