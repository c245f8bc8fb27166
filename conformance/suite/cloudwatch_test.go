package suite

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
)

// entries is a ledger of fixed entries.
type entries []wire.Entry

func (e entries) Len() int                   { return len(e) }
func (e entries) Entries(n int) []wire.Entry { return e[n:] }
func (e entries) Find(string) []wire.Entry   { return nil }

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

// What CloudWatch has counted decides only when it is complete.
func TestCheckMetrics(t *testing.T) {
	get, scan := wire.Entry{Operation: "GetItem", Tables: []string{"things"}, Status: 200}, wire.Entry{Operation: "Scan", Tables: []string{"things"}, Status: 200}
	refused := wire.Entry{Operation: "GetItem", Tables: []string{"things"}, Status: 400}
	for _, row := range []struct {
		name    string
		ledger  entries
		metrics Metrics
		want    evidence.Verdict
		word    string
	}{
		{"no metrics", entries{get}, nil, evidence.Pass, ""},
		{"complete, and no scan", entries{get, refused}, &figures{looks: []map[string]int{{"GetItem": 1}}}, evidence.Pass, ""},
		{"complete at the second look", entries{get}, &figures{looks: []map[string]int{{}, {"GetItem": 1}}}, evidence.Pass, ""},
		{"late for ever", entries{get}, &figures{looks: []map[string]int{{}}}, evidence.Indeterminate, "0 of 1 GetItem"},
		{"a scan that the ledger does not hold", entries{get}, &figures{looks: []map[string]int{{"GetItem": 1, "Scan": 1}}}, evidence.Fail, "1"},
		{"as many scans as the ledger holds", entries{get, scan}, &figures{looks: []map[string]int{{"GetItem": 1, "Scan": 1}}}, evidence.Pass, ""},
		{"fewer scans than the ledger holds", entries{get, scan}, &figures{looks: []map[string]int{{"GetItem": 1}}}, evidence.Indeterminate, "0 of the ledger's 1 scans"},
		{"nothing to tell by", entries{scan}, &figures{looks: []map[string]int{{"Scan": 1}}}, evidence.Indeterminate, "says nothing"},
		{"no answer", entries{get}, &figures{err: errors.New("access denied")}, evidence.Indeterminate, "access denied"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := &Session{Input: Input{Ledger: row.ledger, Metrics: row.metrics, Deployment: Deployment{Tables: map[string]string{"things": "things"}}, Bounds: Bounds{Poll: time.Nanosecond, Metrics: 20 * time.Millisecond}}}
			o := &Observation{claim: manifest.Claim{ID: "no-scan"}, session: s}
			o.saw() // the ledger
			checkMetrics(t.Context(), s, o)
			result := o.result()
			if result.Verdict != row.want {
				t.Errorf("expected %s, found %s: %+v", row.want, result.Verdict, result.Problems)
			}
			if row.word != "" && (len(result.Problems) == 0 || !strings.Contains(result.Problems[0].Found, row.word)) {
				t.Errorf("expected %q, found %+v", row.word, result.Problems)
			}
		})
	}
}
