package cloud

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/internal/trail"
	"dynaproof/conformance/internal/trail/trailtest"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/ledgertest"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/session"
)

// opened is when the run of these tests began.
var opened = time.Date(2026, 3, 3, 12, 0, 0, 500_000_000, time.UTC)

const analyst = "arn:aws:sts::111122223333:assumed-role/analyst/eve"

// event is CloudTrail's record of a request to the table things-x, half a minute after
// the run began; more stands in its requestParameters.
func event(operation, request, more string) string {
	return `{"eventVersion": "1.08", "userIdentity": {"type": "AssumedRole", "arn": "` + analyst + `"}, "eventTime": "2026-03-03T12:00:30Z",
		"eventSource": "dynamodb.amazonaws.com", "eventName": "` + operation + `", "awsRegion": "us-east-1", "requestParameters": {"tableName": "things-x"` + more + `},
		"requestID": "` + request + `", "eventID": "event-of-` + request + `", "readOnly": true,
		"resources": [{"accountId": "111122223333", "type": "AWS::DynamoDB::Table", "ARN": "arn:aws:dynamodb:us-east-1:111122223333:table/things-x"}],
		"recipientAccountId": "111122223333"}`
}

// instead replaces parts of a record.
func instead(message string, pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(message)
}

func sent(operation, request string) wire.Entry {
	return wire.Entry{Operation: operation, RequestID: request, Tables: []string{"things-x"}, Status: 200}
}

// journal is a journal of writes that nobody makes.
type journal struct{ safewrite.Journal }

// trailed returns a session whose trail gives these answers, one after the other.
func trailed(t *testing.T, ledger ledgertest.Entries, searches ...trailtest.Search) *session.Session {
	t.Helper()
	group, err := trail.ParseGroup("the-trail")
	require.NoError(t, err)
	design := &accesspatterns.Design{
		Name:     "d",
		Patterns: []accesspatterns.Pattern{{ID: "list", Waiver: "all-things", Steps: []accesspatterns.Step{{Name: "read", Read: &accesspatterns.Read{Operation: dynamo.Scan, Table: "things", PageSize: 25}}}}},
		Waivers:  []accesspatterns.Waiver{{ID: "all-things"}},
	}
	return &session.Session{Opened: opened, Input: session.Input{
		Design: design, Ledger: ledger, Trail: trail.New(trailtest.Serve(t, searches...).Client(), group), Account: "111122223333", Grade: evidence.AWS,
		Deployment: session.Deployment{Tables: map[string]string{"things": "things-x"}, Region: "us-east-1"},
		Bounds:     session.Bounds{TrailPoll: time.Nanosecond, Trail: time.Minute},
	}}
}

func pages(pages ...[]string) trailtest.Search { return trailtest.Search{Pages: pages} }

// trailRow is a trail with what it must lead to.
type trailRow struct {
	name     string
	ledger   ledgertest.Entries
	searches []trailtest.Search
	existing bool
	bound    time.Duration // of the wait; a minute where nothing is waited for in vain
	want     evidence.Verdict
	words    []string // of the first problem
	notes    []string // of the notes
	waived   map[string]int
}

func (row trailRow) decide(t *testing.T, s *session.Session) evidence.Result {
	t.Helper()
	if row.bound > 0 {
		s.Bounds.Trail = row.bound
	}
	o := &observe.Observation{Claim: manifest.Claim{ID: "no-scan"}, Session: s}
	CheckTrail(t.Context(), s, o)
	result := o.Result()
	if result.Verdict != row.want {
		t.Errorf("expected %s, found %s: %+v, %q", row.want, result.Verdict, result.Problems, result.Notes)
	}
	told := ""
	if len(result.Problems) > 0 {
		told = result.Problems[0].Where + " | " + result.Problems[0].Found + " | " + result.Problems[0].Do
	}
	for _, word := range row.words {
		assert.Contains(t, told, word)
	}
	for _, word := range row.notes {
		assert.Contains(t, strings.Join(result.Notes, "\n"), word)
	}
	if fmt.Sprint(o.Left.Waived) != fmt.Sprint(row.waived) {
		t.Errorf("expected waived %v, found %v", row.waived, o.Left.Waived)
	}
	return result
}

// The trail decides only when it shows the run's own requests, and then it finds every
// request of anybody that read without a key.
func TestCheckTrail(t *testing.T) {
	ledger := ledgertest.Entries{sent("Query", "Q1"), sent("PutItem", "P1")}
	q, p := event("Query", "Q1", ""), event("PutItem", "P1", "")
	own := []string{q, p}
	with := func(messages ...string) []trailtest.Search {
		return []trailtest.Search{pages(append(messages, own...))}
	}
	none := trailtest.Search{Pages: [][]string{{}}}
	unanswered := wire.Entry{Operation: "Scan", Tables: []string{"things-x"}, Failure: "reset"}
	for _, row := range []trailRow{
		{name: "no scan", ledger: ledger, searches: with(), want: evidence.Pass},
		{
			name: "a scan by somebody else", ledger: ledger, searches: with(event("Scan", "S1", "")), want: evidence.Fail,
			words: []string{"CloudTrail, table things |", "Scan at 2026-03-03T12:00:30Z by " + analyst, "event event-of-S1, request S1", "Find the client"},
		},
		{
			name: "a scan of an index", ledger: ledger, searches: with(event("Scan", "S1", `, "indexName": "by-colour"`)), want: evidence.Fail,
			words: []string{"CloudTrail, table things, index by-colour |", "Scan at"},
		},
		{
			name: "a scan of three pages, on the second page of the log", ledger: ledger, want: evidence.Fail,
			searches: []trailtest.Search{pages(own, []string{}, []string{
				event("Scan", "S3", ""), instead(event("Scan", "S1", ""), "12:00:30", "12:00:10"), instead(event("Scan", "S2", ""), "12:00:30", "12:00:20"),
			})},
			words: []string{"Scan at 2026-03-03T12:00:10Z", "and 2 more until 2026-03-03T12:00:30Z"},
		},
		{name: "PartiQL", ledger: ledger, searches: with(event("ExecuteStatement", "S1", "")), want: evidence.Fail, words: []string{"ExecuteStatement at"}},
		{name: "a batch of PartiQL", ledger: ledger, searches: with(event("BatchExecuteStatement", "S1", "")), want: evidence.Fail, words: []string{"BatchExecuteStatement at"}},
		{name: "a transaction of PartiQL", ledger: ledger, searches: with(event("ExecuteTransaction", "S1", "")), want: evidence.Fail, words: []string{"ExecuteTransaction at"}},
		{name: "an export", ledger: ledger, searches: with(event("ExportTableToPointInTime", "S1", "")), want: evidence.Fail, words: []string{"ExportTableToPointInTime at"}},
		{
			name: "a refused scan", ledger: ledger, searches: with(instead(event("Scan", "S1", ""), `"eventID"`, `"errorCode": "AccessDenied", "eventID"`)), want: evidence.Pass,
			notes: []string{"refused with AccessDenied, and nothing was read: Scan at 2026-03-03T12:00:30Z by " + analyst},
		},
		{name: "a scan before the run", ledger: ledger, searches: with(instead(event("Scan", "S1", ""), "12:00:30", "11:59:59")), want: evidence.Pass},
		{name: "a scan in the second in which the run began", ledger: ledger, searches: with(instead(event("Scan", "S1", ""), "12:00:30", "12:00:00")), want: evidence.Fail},
		{name: "a scan of another table", ledger: ledger, searches: with(instead(event("Scan", "S1", ""), "things-x", "other-things-x")), want: evidence.Pass},
		{name: "a scan in another region", ledger: ledger, searches: with(instead(event("Scan", "S1", ""), "us-east-1", "eu-west-1")), want: evidence.Pass},
		{name: "a scan in another account", ledger: ledger, searches: with(instead(event("Scan", "S1", ""), "111122223333:table", "999988887777:table")), want: evidence.Pass},
		{
			name: "the run's own scan, which the ledger has judged", ledger: append(ledgertest.Entries{sent("Scan", "S1")}, ledger...), searches: with(event("Scan", "S1", "")), want: evidence.Pass,
			notes: []string{"1 requests without a key are in the ledger"},
		},
		{
			name: "delivered twice", ledger: append(ledgertest.Entries{sent("Scan", "S1")}, ledger...), searches: with(event("Scan", "S1", ""), event("Scan", "S1", "")), want: evidence.Pass,
			notes: []string{"1 requests without a key"},
		},
		{
			name: "the run's own scan is missing", ledger: append(ledgertest.Entries{sent("Scan", "S1")}, ledger...), searches: with(), bound: 20 * time.Millisecond, want: evidence.Indeterminate,
			words: []string{"0 of 1 Scan", "delivers late"},
		},
		{
			name: "a scan whose answer was lost", ledger: append(ledgertest.Entries{unanswered}, ledger...), searches: with(event("Scan", "S1", "")), want: evidence.Indeterminate,
			words: []string{"perhaps one of this run", "request S1"},
		},
		{
			name: "one answer lost, two scans", ledger: append(ledgertest.Entries{unanswered}, ledger...), searches: with(event("Scan", "S1", ""), event("Scan", "S2", "")), want: evidence.Fail,
			words: []string{"request S2"},
		},
		{
			name: "one answer lost, and a refused scan, which read nothing", ledger: append(ledgertest.Entries{unanswered}, ledger...), want: evidence.Pass,
			searches: with(instead(event("Scan", "S1", ""), `"eventID"`, `"errorCode": "AccessDenied", "eventID"`)), notes: []string{"refused with AccessDenied"},
		},
		{
			name: "nothing of the run", ledger: ledger, searches: []trailtest.Search{none}, bound: 20 * time.Millisecond, want: evidence.Indeterminate,
			words: []string{"table things: after 20ms the-trail shows 0 of 1 PutItem, 0 of 1 Query", "absence of scans says nothing yet", "does not see the table", "AWS::DynamoDB::Table"},
		},
		{
			name: "nothing of the run, and a scan", ledger: ledger, searches: []trailtest.Search{pages([]string{event("Scan", "S1", "")})}, bound: 20 * time.Millisecond, want: evidence.Fail,
			words: []string{"Scan at"}, notes: []string{"indeterminate: CloudTrail, table things"},
		},
		{
			name: "writes alone", ledger: ledger, searches: []trailtest.Search{pages([]string{p})}, bound: 20 * time.Millisecond, want: evidence.Indeterminate,
			words: []string{"1 of 1 PutItem, 0 of 1 Query", "logs writes alone"},
		},
		{
			name: "reads alone", ledger: ledger, searches: []trailtest.Search{pages([]string{q})}, bound: 20 * time.Millisecond, want: evidence.Indeterminate,
			words: []string{"0 of 1 PutItem, 1 of 1 Query", "logs reads alone"},
		},
		{
			name: "the last ones are missing", ledger: append(ledgertest.Entries{sent("Query", "Q0")}, ledger...), searches: with(), bound: 20 * time.Millisecond, want: evidence.Indeterminate,
			words: []string{"1 of 1 PutItem, 1 of 2 Query", "delivers late"},
		},
		{
			name: "late, and then there", ledger: ledger, searches: []trailtest.Search{none, pages([]string{q}), pages(own)}, want: evidence.Pass,
		},
		{
			name: "late, and then there with a scan", ledger: ledger, searches: []trailtest.Search{none, pages([]string{q}), pages(own), pages([]string{event("Scan", "S1", "")})}, want: evidence.Fail,
		},
		{
			name: "the run wrote and did not read", ledger: ledgertest.Entries{sent("PutItem", "P1")}, searches: with(), want: evidence.Indeterminate,
			words: []string{"no read of it with a request id stands in the ledger", "writes alone"},
		},
		{
			name: "the run read and did not write", ledger: ledgertest.Entries{sent("Query", "Q1")}, searches: with(), want: evidence.Indeterminate,
			words: []string{"no write of it with a request id stands in the ledger", "shows no PartiQL either"},
		},
		{
			name: "the run wrote in batches", ledger: ledgertest.Entries{sent("Query", "Q1"), sent("BatchWriteItem", "P1")}, want: evidence.Pass,
			searches: []trailtest.Search{pages([]string{q, instead(p, "PutItem", "BatchWriteItem", `{"tableName": "things-x"}`, "null")})},
		},
		{
			name: "the service gave no ids", ledger: ledgertest.Entries{sent("Query", "")}, searches: with(), want: evidence.Indeterminate,
			words: []string{"with a request id"},
		},
		{
			name: "a refused request need not be there", ledger: append(ledgertest.Entries{{Operation: "GetItem", RequestID: "G1", Tables: []string{"things-x"}, Status: 400}}, ledger...), searches: with(), want: evidence.Pass,
		},
		{
			name: "a log event that is no record", ledger: ledger, searches: with("END"), want: evidence.Indeterminate,
			words: []string{"CloudTrail, the-trail: expected CloudTrail records, found 1 log events that are none", "stream-1"},
		},
		{name: "one that is no record, and a scan", ledger: ledger, searches: with("END", event("Scan", "S1", "")), want: evidence.Fail, words: []string{"Scan at"}},
		{
			name: "access denied", ledger: ledger, searches: []trailtest.Search{{Error: "AccessDeniedException"}}, want: evidence.Indeterminate,
			words: []string{"CloudTrail, the-trail: not allowed to read it", "logs:FilterLogEvents"},
		},
		{
			name: "access denied afterwards", ledger: ledger, searches: append(with(), trailtest.Search{Error: "AccessDeniedException"}), want: evidence.Indeterminate,
			words: []string{"not allowed to read it"},
		},
		{
			name: "a waived scan by somebody on the run's own table", ledger: ledger, searches: with(event("Scan", "S1", `, "limit": 25`)), want: evidence.Fail,
		},
		{
			name: "a waived scan by somebody on an existing table", existing: true, ledger: ledger, searches: with(event("Scan", "S1", `, "limit": 25`)), want: evidence.Pass,
			notes: []string{"waiver all-things: 1 requests: Scan at 2026-03-03T12:00:30Z by " + analyst}, waived: map[string]int{"all-things": 1},
		},
		{
			name: "a waived scan without its limit", existing: true, ledger: ledger, searches: with(event("Scan", "S1", "")), want: evidence.Fail,
			words: []string{"waiver all-things allows pages of an explicit size, and its Limit is none"},
		},
		{
			name: "a waived scan in larger pages", existing: true, ledger: ledger, searches: with(event("Scan", "S1", `, "limit": 26`)), want: evidence.Pass,
			notes: []string{"waiver all-things: 1 requests: Scan at 2026-03-03T12:00:30Z by " + analyst}, waived: map[string]int{"all-things": 1},
		},
		{
			name: "a scan of an index of a table with a waiver", existing: true, ledger: ledger, searches: with(event("Scan", "S1", `, "limit": 25, "indexName": "by-colour"`)), want: evidence.Fail,
			words: []string{"waiver all-things allows none of an index"},
		},
		{
			name: "an export of a table with a waiver", existing: true, ledger: ledger, searches: with(event("ExportTableToPointInTime", "S1", "")), want: evidence.Fail,
			words: []string{"ExportTableToPointInTime at"},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := trailed(t, row.ledger, row.searches...)
			if row.existing {
				s.Existing = journal{}
			}
			row.decide(t, s)
		})
	}
}

// An audit sends nothing that a trail must show: a read by anybody tells that the trail
// sees the table, and without one nothing is said.
func TestCheckTrailOfAnAudit(t *testing.T) {
	read, write := event("GetItem", "G1", ""), event("PutItem", "P1", "")
	for _, row := range []trailRow{
		{
			name: "a read, a write and no scan", searches: []trailtest.Search{pages([]string{read, write})}, want: evidence.Pass,
			notes: []string{"from 2026-03-02T12:00:00Z to 2026-03-03T11:45:00Z", "a GetItem by " + analyst + " at 2026-03-03T12:00:30Z shows that its reads are logged", "a PutItem by " + analyst},
		},
		{
			name: "a read and no write", searches: []trailtest.Search{pages([]string{read})}, want: evidence.Indeterminate,
			words: []string{"shows no write of any table since 2026-03-02T12:00:00Z", "absence of PartiQL"},
		},
		{
			name: "a write before the window", searches: []trailtest.Search{pages([]string{read, instead(write, "2026-03-03T12:00:30Z", "2026-03-02T11:59:59Z")})}, want: evidence.Indeterminate,
			words: []string{"shows no write of any table"},
		},
		{
			name: "a read and a scan", searches: []trailtest.Search{pages([]string{read, event("Scan", "S1", "")})}, want: evidence.Fail,
			words: []string{"Scan at 2026-03-03T12:00:30Z by " + analyst, "event event-of-S1"},
		},
		{
			name: "a scan, and an event that is no record", searches: []trailtest.Search{pages([]string{"END", event("Scan", "S1", "")})}, want: evidence.Fail, words: []string{"Scan at"},
		},
		{
			name: "a scan alone", searches: []trailtest.Search{pages([]string{event("Scan", "S1", "")})}, want: evidence.Fail, words: []string{"Scan at"},
		},
		{
			name: "a waived scan, which is a read too", searches: []trailtest.Search{pages([]string{event("Scan", "S1", `, "limit": 10`), event("Scan", "S2", `, "limit": 10`), write})}, want: evidence.Pass,
			notes: []string{"waiver all-things: 2 requests", "a Scan by"}, waived: map[string]int{"all-things": 2},
		},
		{
			name: "nothing", searches: []trailtest.Search{pages([]string{})}, want: evidence.Indeterminate,
			words: []string{"table things: the-trail shows no read of it since 2026-03-02T12:00:00Z", "absence of scans says nothing", "get-event-selectors", "widen the window"},
		},
		{name: "a write", searches: []trailtest.Search{pages([]string{write})}, want: evidence.Indeterminate, words: []string{"shows no read of it"}},
		{
			name: "a read before the window", searches: []trailtest.Search{pages([]string{write, instead(read, "2026-03-03T12:00:30Z", "2026-03-02T11:59:59Z")})}, want: evidence.Indeterminate,
			words: []string{"shows no read of it"},
		},
		{name: "a read of another table", searches: []trailtest.Search{pages([]string{write, instead(read, "things-x", "other-things-x")})}, want: evidence.Indeterminate},
		{
			name: "a scan before the window", searches: []trailtest.Search{pages([]string{read, write, instead(event("Scan", "S1", ""), "2026-03-03T12:00:30Z", "2026-03-02T11:59:59Z")})}, want: evidence.Pass,
		},
		{name: "access denied", searches: []trailtest.Search{{Error: "AccessDeniedException"}}, want: evidence.Indeterminate, words: []string{"logs:FilterLogEvents"}},
		{
			name: "access denied at the third search", searches: []trailtest.Search{pages([]string{}), pages([]string{read}), {Error: "AccessDeniedException"}}, want: evidence.Indeterminate, words: []string{"table things: not allowed"},
		},
		{
			name: "access denied at the second search", searches: []trailtest.Search{pages([]string{}), {Error: "AccessDeniedException"}}, want: evidence.Indeterminate, words: []string{"table things: not allowed"},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := trailed(t, nil, row.searches...)
			s.ReadOnly, s.TrailSince = true, opened.Add(-24*time.Hour)
			result := row.decide(t, s)
			if (result.Verdict == evidence.Pass || result.Verdict == evidence.Fail) && result.Grade != evidence.AWS {
				t.Errorf("expected the grade of who answered, found %s", result.Grade)
			}
		})
	}
}
