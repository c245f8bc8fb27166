package suite_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/internal/trail"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/cloud"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/session"
)

// began is when the run of these tests began.
var began = time.Date(2026, 3, 3, 12, 0, 0, 500_000_000, time.UTC)

const analyst = "arn:aws:sts::111122223333:assumed-role/analyst/eve"

// event is CloudTrail's record of a request to the table things-x, half a minute after the run began, with what a row gives of it. What
// is no record is a text.
func event(t *testing.T, given any) string {
	t.Helper()
	fields, is := given.(map[string]any)
	if !is {
		return fmt.Sprint(given)
	}
	record := map[string]any{
		"eventVersion": "1.08", "userIdentity": map[string]any{"type": "AssumedRole", "arn": analyst}, "eventTime": "2026-03-03T12:00:30Z",
		"eventSource": "dynamodb.amazonaws.com", "awsRegion": "us-east-1", "requestParameters": map[string]any{"tableName": "things-x"},
		"eventID": fmt.Sprint("event-of-", fields["requestID"]), "readOnly": true, "recipientAccountId": "111122223333",
		"resources": []any{map[string]any{"accountId": "111122223333", "type": "AWS::DynamoDB::Table", "ARN": "arn:aws:dynamodb:us-east-1:111122223333:table/things-x"}},
	}
	maps.Copy(record, fields)
	return string(tabletest.Must(json.Marshal(record))(t))
}

func sent(operation, request string) wire.Entry {
	return wire.Entry{Operation: operation, RequestID: request, Tables: []string{"things-x"}, Status: 200}
}

// journal is a journal of writes that nobody makes.
type journal struct{ safewrite.Journal }

// trailed returns a session whose trail gives these answers, one after the other.
func trailed(t *testing.T, ledger []wire.Entry, searches ...search) *session.Session {
	t.Helper()
	client, _ := serve(t, searches...)
	design := &accesspatterns.Design{
		Name:     "d",
		Tables:   []accesspatterns.Table{{ID: "things", PartitionKey: accesspatterns.Key{Attribute: "PK"}, Indexes: []accesspatterns.Index{{Name: "by-colour", PartitionKey: accesspatterns.Key{Attribute: "colour"}}}}},
		Patterns: []accesspatterns.Pattern{{ID: "list", Waiver: "all-things", Steps: []accesspatterns.Step{{Name: "read", Read: &accesspatterns.Read{Operation: dynamo.Scan, Table: "things", PageSize: 25}}}}},
		Waivers:  []accesspatterns.Waiver{{ID: "all-things"}},
	}
	return &session.Session{Opened: began, Waived: map[string]int{}, Input: session.Input{
		Design: design, Ledger: wire.LedgerOf(ledger...), Trail: trail.New(client, group(t, "the-trail")), Account: "111122223333", Grade: evidence.AWS,
		Deployment: session.Deployment{Tables: map[string]string{"things": "things-x"}, Region: "us-east-1"},
		Bounds:     session.Bounds{TrailPoll: time.Minute, Trail: 15 * time.Minute},
	}}
}

// trailRow is a trail with what it must lead to. The clock of its test is the bubble's own, for what comes late.
type trailRow struct {
	Name     string
	Ledger   []map[string]any
	Searches []struct {
		Pages [][]any // of records
		Error string
	}
	Existing bool
	Want     evidence.Verdict
	Words    []string // of the first problem
	Notes    []string // of the notes
	Waived   map[string]int
}

// ledger is what the run sent.
func (row trailRow) ledger(t *testing.T) []wire.Entry {
	t.Helper()
	if row.Ledger == nil {
		return []wire.Entry{sent("Query", "Q1"), sent("PutItem", "P1")}
	}
	return tabletest.As[[]wire.Entry](t, row.Ledger)
}

func (row trailRow) searches(t *testing.T) []search {
	t.Helper()
	var all []search
	for _, given := range row.Searches {
		one := search{Error: given.Error}
		for _, page := range given.Pages {
			messages := []string{}
			for _, record := range page {
				messages = append(messages, event(t, record))
			}
			one.Pages = append(one.Pages, messages)
		}
		all = append(all, one)
	}
	return all
}

func (row trailRow) decide(t *testing.T, s *session.Session) evidence.Result {
	t.Helper()
	o := &observe.Observation{Claim: manifest.Claim{ID: "no-scan"}, Session: s}
	cloud.CheckTrail(t.Context(), s, o)
	result := o.Result()
	assert.Equal(t, row.Want, result.Verdict, "expected %s, found %s: %+v, %q", row.Want, result.Verdict, result.Problems, result.Notes)
	told := ""
	if len(result.Problems) > 0 {
		told = result.Problems[0].Where + " | " + result.Problems[0].Found + " | " + result.Problems[0].Do
	}
	for _, word := range row.Words {
		assert.Contains(t, told, word)
	}
	for _, word := range row.Notes {
		assert.Contains(t, strings.Join(result.Notes, "\n"), word)
	}
	assert.Equal(t, fmt.Sprint(row.Waived), fmt.Sprint(s.Waived), "expected waived %v, found %v", row.Waived, s.Waived)
	return result
}

// The trail decides only when it shows the run's own requests, and then it finds every
// request of anybody that read without a key.
func TestCheckTrail(t *testing.T) {
	for _, row := range tabletest.Read[[]trailRow](t, "trails.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := trailed(t, row.ledger(t), row.searches(t)...)
				if row.Existing {
					s.Existing = journal{}
				}
				row.decide(t, s)
			})
		})
	}
}

// PartiQL that names the partitions that it reads is no scan. What may read others is one, and so is what cannot be told.
func TestPartiQLByKey(t *testing.T) {
	for text, by := range tabletest.Read[map[string]bool](t, "statements.yaml") {
		s := trailed(t, nil, search{Pages: [][]string{{event(t, map[string]any{"eventName": "ExecuteStatement", "requestID": "S1", "requestParameters": map[string]any{"statement": text}})}}})
		s.ReadOnly, s.TrailSince = true, began.Add(-time.Hour)
		o := &observe.Observation{Claim: manifest.Claim{ID: "no-scan"}, Session: s}
		cloud.CheckTrail(t.Context(), s, o)
		assert.Equal(t, by, len(o.Problems) == 0, "%s: %+v", text, o.Problems)
	}
}

// An audit sends nothing that a trail must show: a read by anybody tells that the trail
// sees the table, and without one nothing is said.
func TestCheckTrailOfAnAudit(t *testing.T) {
	for _, row := range tabletest.Read[[]trailRow](t, "audited_trails.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			s := trailed(t, nil, row.searches(t)...)
			s.ReadOnly, s.TrailSince = true, began.Add(-24*time.Hour)
			result := row.decide(t, s)
			assert.False(t, (result.Verdict == evidence.Pass || result.Verdict == evidence.Fail) && result.Grade != evidence.AWS,
				"expected the grade of who answered, found %s", result.Grade)
		})
	}
}

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
	for _, row := range tabletest.Read[[]struct {
		Name   string
		Ledger map[string]int   // the status of a request of each operation
		Looks  []map[string]int // counts by operation
		Error  string
		Want   evidence.Verdict
		Word   string
	}](t, "metrics.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &session.Session{Input: session.Input{Deployment: session.Deployment{Tables: map[string]string{"things": "things"}}, Bounds: session.Bounds{Poll: 15 * time.Second, Metrics: 10 * time.Minute}}}
				var ledger []wire.Entry
				for operation, status := range row.Ledger {
					operation, _, _ = strings.Cut(operation, " ")
					ledger = append(ledger, wire.Entry{Operation: operation, Tables: []string{"things"}, Status: status})
				}
				counted := &figures{looks: row.Looks}
				if row.Error != "" {
					counted.err = errors.New(row.Error)
				}
				if s.Ledger = wire.LedgerOf(ledger...); row.Looks != nil || row.Error != "" {
					s.Metrics = counted.Successes
				}
				o := &observe.Observation{Claim: manifest.Claim{ID: "no-scan"}, Session: s}
				o.Saw() // the ledger
				cloud.CheckMetrics(t.Context(), s, o)
				result := o.Result()
				require.Equal(t, row.Want, result.Verdict, "%+v", result.Problems)
				if row.Word != "" {
					assert.Contains(t, result.Problems[0].Found, row.Word)
				}
			})
		})
	}
}

// Who waits minutes for CloudWatch and CloudTrail reads for what, and for how much longer. The clock is the bubble's own.
func TestWaitsAreTold(t *testing.T) {
	shown := event(t, map[string]any{"eventName": "GetItem", "requestID": "1"})
	client, _ := serve(t, search{}, search{Pages: [][]string{{shown}}})
	for name, row := range map[string]struct {
		input session.Input
		check func(context.Context, *session.Session, *observe.Observation)
		want  []string
	}{
		"CloudWatch, in time": {
			session.Input{Metrics: (&figures{looks: []map[string]int{{}, {}, {"GetItem": 1}}}).Successes, Bounds: session.Bounds{Poll: 15 * time.Second, Metrics: 10 * time.Minute}}, cloud.CheckMetrics,
			[]string{
				"d: waiting for CloudWatch's figures of table things (0 of 1 GetItem), for 10m0s more at most",
				"d: waiting for CloudWatch's figures of table things (0 of 1 GetItem), for 9m45s more at most",
			},
		},
		"CloudWatch, complete at once": {
			session.Input{Metrics: (&figures{looks: []map[string]int{{"GetItem": 1}}}).Successes, Bounds: session.Bounds{Poll: 15 * time.Second, Metrics: 10 * time.Minute}}, cloud.CheckMetrics, nil,
		},
		"CloudTrail": {
			session.Input{Trail: trail.New(client, group(t, "the-trail")), Bounds: session.Bounds{TrailPoll: time.Minute, Trail: 15 * time.Minute}}, cloud.CheckTrail,
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
				row.input.Ledger, row.input.Progress = wire.LedgerOf(sent("GetItem", "1")), func(line string) { told = append(told, line) }
				s := &session.Session{Input: row.input, Opened: time.Now()}
				row.check(t.Context(), s, &observe.Observation{Claim: manifest.Claim{ID: "no-scan"}, Session: s})
				assert.True(t, slices.Equal(told, row.want), "expected %q, found %q", row.want, told)
			})
		})
	}
}
