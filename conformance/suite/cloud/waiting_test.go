package cloud

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/internal/trail"
	"dynaproof/conformance/suite/ledgertest"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/session"
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
		input session.Input
		check func(context.Context, *session.Session, *observe.Observation)
		want  []string
	}{
		"CloudWatch, in time": {
			session.Input{Metrics: (&figures{looks: []map[string]int{{}, {}, {"GetItem": 1}}}).Successes, Bounds: session.Bounds{Poll: 15 * time.Second, Metrics: 10 * time.Minute}}, CheckMetrics,
			[]string{
				"d: waiting for CloudWatch's figures of table things (0 of 1 GetItem), for 10m0s more at most",
				"d: waiting for CloudWatch's figures of table things (0 of 1 GetItem), for 9m45s more at most",
			},
		},
		"CloudWatch, complete at once": {
			session.Input{Metrics: (&figures{looks: []map[string]int{{"GetItem": 1}}}).Successes, Bounds: session.Bounds{Poll: 15 * time.Second, Metrics: 10 * time.Minute}}, CheckMetrics, nil,
		},
		"CloudTrail": {
			session.Input{Trail: &lateTrail{request: "1"}, Bounds: session.Bounds{TrailPoll: time.Minute, Trail: 15 * time.Minute}}, CheckTrail,
			[]string{
				"d: waiting for CloudTrail's records of 1 of this run's requests in the-trail, for 15m0s more at most",
				"d: waiting for the search of CloudTrail's records in the-trail, for 15m0s more at most",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told []string
				row.input.Design, row.input.Deployment = &accesspatterns.Design{Name: "d"}, session.Deployment{Tables: map[string]string{"things": "things-x"}}
				row.input.Ledger, row.input.Progress = ledgertest.Entries{sent("GetItem", "1")}, func(line string) { told = append(told, line) }
				s := &session.Session{Input: row.input, Opened: time.Now()}
				row.check(t.Context(), s, &observe.Observation{Claim: manifest.Claim{ID: "no-scan"}, Session: s})
				if !slices.Equal(told, row.want) {
					t.Errorf("expected %q, found %q", row.want, told)
				}
			})
		})
	}
}
