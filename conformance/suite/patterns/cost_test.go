package patterns

import (
	"testing"

	"dynaproof/conformance/internal/wire"
)

// A call counts once, however often the client asked.
func TestDecisive(t *testing.T) {
	carriedOut := wire.Entry{Seq: 2}
	for _, row := range []struct {
		name     string
		attempts []wire.Entry
		want     int
	}{
		{"one attempt", []wire.Entry{carriedOut}, 2},
		{"an answer that the client lost", []wire.Entry{carriedOut, {Seq: 3}}, 2},
		{"throttled before", []wire.Entry{{Seq: 1, ErrorType: "ThrottlingException"}, carriedOut}, 2},
		{"no connection before", []wire.Entry{{Seq: 1, Failure: "no answer"}, carriedOut}, 2},
		{"never carried out", []wire.Entry{{Seq: 1, Failure: "no answer"}, {Seq: 4, ErrorType: "ValidationException"}}, 4},
	} {
		if got := decisive(row.attempts); len(got) != 1 || got[0].Seq != row.want {
			t.Errorf("%s: expected attempt %d, found %+v", row.name, row.want, got)
		}
	}
	if got := decisive(nil); len(got) != 0 {
		t.Errorf("expected nothing of a call that never left, found %+v", got)
	}
}
