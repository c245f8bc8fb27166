package suite

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/internal/trail"
)

// lateTrail shows a request at its second look.
type lateTrail struct {
	request string
	looks   int
}

func (*lateTrail) Group() string { return "the-trail" }

func (*lateTrail) Unkeyed(context.Context, time.Time) ([]trail.Record, error) { return nil, nil }

func (l *lateTrail) Keyed(_ context.Context, _ string, _ []string, _ time.Time, more func(trail.Record) bool) error {
	if l.looks++; l.looks > 1 {
		more(trail.Record{Request: l.request})
	}
	return nil
}

// Who waits minutes for CloudWatch and CloudTrail reads for what, and for how much longer. The clock is the bubble's own.
func TestWaitsAreTold(t *testing.T) {
	for name, row := range map[string]struct {
		input Input
		check func(context.Context, *Session, *Observation)
		want  []string
	}{
		"CloudWatch, in time": {
			Input{Metrics: &figures{looks: []map[string]int{{}, {}, {"GetItem": 1}}}, Bounds: Bounds{Poll: 15 * time.Second, Metrics: 10 * time.Minute}}, checkMetrics,
			[]string{
				"d: waiting for CloudWatch's figures of table things (0 of 1 GetItem), for 10m0s more at most",
				"d: waiting for CloudWatch's figures of table things (0 of 1 GetItem), for 9m45s more at most",
			},
		},
		"CloudWatch, complete at once": {
			Input{Metrics: &figures{looks: []map[string]int{{"GetItem": 1}}}, Bounds: Bounds{Poll: 15 * time.Second, Metrics: 10 * time.Minute}}, checkMetrics, nil,
		},
		"CloudTrail": {
			Input{Trail: &lateTrail{request: "1"}, Bounds: Bounds{TrailPoll: time.Minute, Trail: 15 * time.Minute}}, checkTrail,
			[]string{
				"d: waiting for CloudTrail's records of 1 of this run's requests in the-trail, for 15m0s more at most",
				"d: waiting for the search of CloudTrail's records in the-trail, for 15m0s more at most",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told []string
				row.input.Design, row.input.Deployment = &accesspatterns.Design{Name: "d"}, Deployment{Tables: map[string]string{"things": "things-x"}}
				row.input.Ledger, row.input.Progress = entries{sent("GetItem", "1")}, func(line string) { told = append(told, line) }
				s := &Session{Input: row.input, opened: time.Now()}
				row.check(t.Context(), s, &Observation{claim: manifest.Claim{ID: "no-scan"}, session: s})
				if !slices.Equal(told, row.want) {
					t.Errorf("expected %q, found %q", row.want, told)
				}
			})
		})
	}
}
