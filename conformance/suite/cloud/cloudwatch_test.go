package cloud

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/trail"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/ledgertest"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/session"
)

// figures are metrics of one table: counts by operation, one list for each look.
type figures struct {
	looks []map[string]int
	asked int
	err   error
}

func (f *figures) Successes(_ context.Context, _, operation string, _, _ time.Time) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	look := f.looks[min(f.asked, len(f.looks)-1)]
	f.asked++
	return look[operation], nil
}

// What CloudWatch has counted decides only when it is complete. The clock is the bubble's own.
func TestCheckMetrics(t *testing.T) {
	get, scan := wire.Entry{Operation: "GetItem", Tables: []string{"things"}, Status: 200}, wire.Entry{Operation: "Scan", Tables: []string{"things"}, Status: 200}
	refused := wire.Entry{Operation: "GetItem", Tables: []string{"things"}, Status: 400}
	for _, row := range []struct {
		name    string
		ledger  ledgertest.Entries
		metrics *figures
		want    evidence.Verdict
		word    string
	}{
		{"no metrics", ledgertest.Entries{get}, nil, evidence.Pass, ""},
		{"complete, and no scan", ledgertest.Entries{get, refused}, &figures{looks: []map[string]int{{"GetItem": 1}}}, evidence.Pass, ""},
		{"complete at the second look", ledgertest.Entries{get}, &figures{looks: []map[string]int{{}, {"GetItem": 1}}}, evidence.Pass, ""},
		{"late for ever", ledgertest.Entries{get}, &figures{looks: []map[string]int{{}}}, evidence.Indeterminate, "0 of 1 GetItem"},
		{"a scan that the ledger does not hold", ledgertest.Entries{get}, &figures{looks: []map[string]int{{"GetItem": 1, "Scan": 1}}}, evidence.Fail, "1"},
		{"as many scans as the ledger holds", ledgertest.Entries{get, scan}, &figures{looks: []map[string]int{{"GetItem": 1, "Scan": 1}}}, evidence.Pass, ""},
		{"fewer scans than the ledger holds", ledgertest.Entries{get, scan}, &figures{looks: []map[string]int{{"GetItem": 1}}}, evidence.Indeterminate, "0 of the ledger's 1 scans"},
		{"nothing to tell by", ledgertest.Entries{scan}, &figures{looks: []map[string]int{{"Scan": 1}}}, evidence.Indeterminate, "says nothing"},
		{"no answer", ledgertest.Entries{get}, &figures{err: errors.New("access denied")}, evidence.Indeterminate, "access denied"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &session.Session{Input: session.Input{Ledger: row.ledger, Deployment: session.Deployment{Tables: map[string]string{"things": "things"}}, Bounds: session.Bounds{Poll: 15 * time.Second, Metrics: 10 * time.Minute}}}
				if row.metrics != nil {
					s.Metrics = row.metrics.Successes
				}
				o := &observe.Observation{Claim: manifest.Claim{ID: "no-scan"}, Session: s}
				o.Saw() // the ledger
				CheckMetrics(t.Context(), s, o)
				result := o.Result()
				if result.Verdict != row.want {
					t.Errorf("expected %s, found %s: %+v", row.want, result.Verdict, result.Problems)
				}
				if row.word != "" && (len(result.Problems) == 0 || !strings.Contains(result.Problems[0].Found, row.word)) {
					t.Errorf("expected %q, found %+v", row.word, result.Problems)
				}
			})
		})
	}
}

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
