package suite

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/internal/test/standin"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/recorder"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// Every Scan stands in the notes under the class that it belongs to; one of no class fails.
func TestEveryScanIsAccountedFor(t *testing.T) {
	design := &accesspatterns.Design{
		Name:     "d",
		Patterns: []accesspatterns.Pattern{{ID: "all", Waiver: "w", Steps: []accesspatterns.Step{{Name: "read", Read: &accesspatterns.Read{Operation: dynamo.Scan, Table: "T"}}}}, {ID: "other"}},
		Waivers:  []accesspatterns.Waiver{{ID: "w"}},
		Findings: []accesspatterns.Finding{{ID: "late", Kind: accesspatterns.Hazard}, {ID: "scans", Kind: accesspatterns.Contradiction}},
	}
	var ledger []wire.Entry
	var calls []recorder.Call
	s := &session.Session{Input: session.Input{Design: design, Grade: evidence.Engine, Deployment: session.Deployment{Tables: map[string]string{"T": "t"}}}}
	for i, claim := range []string{"d/pattern/all", "d/finding/late", "d/finding/scans", "d/pattern/other"} {
		id := string(rune('a' + i))
		ledger = append(ledger, wire.Entry{Operation: "Scan", Tables: []string{"t"}, InvocationID: id, Status: 200})
		calls = append(calls, recorder.Call{Claim: claim, Operation: "Scan", Invocation: id})
	}
	s.Ledger, s.Recorder = wire.LedgerOf(ledger...), recorder.New(calls...)
	o := &observe.Observation{Claim: manifest.Claim{ID: "d/ledger/no-scan"}, Session: s}
	checkNoScan(t.Context(), s, o)
	notes := strings.Join(o.Report.Notes, "\n")
	for _, want := range []string{"waived: 1 by waiver w", "hazard shown: request 2, Scan on t, of d/finding/late", "negative control: request 3, Scan on t, the documented form that d/finding/scans objects to"} {
		assert.Contains(t, notes, want)
	}
	assert.True(t, len(o.Problems) == 1 && strings.Contains(o.Problems[0].Where, "request 4 (d/pattern/other)"),
		"expected the Scan of no class to fail, found %+v", o.Problems)
}

// A table is whole when the request that created it named all of its indexes.
func TestTablesAreCreatedWhole(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name   string
		Ledger []map[string]any
		Want   evidence.Verdict
		Found  string
	}](t, "created.yaml") {
		entries := tabletest.As[[]wire.Entry](t, row.Ledger)
		for i := range entries {
			entries[i].Tables, entries[i].Status = []string{"t"}, cmp.Or(entries[i].Status, 200)
		}
		s := &session.Session{Input: session.Input{Ledger: wire.LedgerOf(entries...), Deployment: session.Deployment{Tables: map[string]string{"T": "t"}}, Grade: evidence.Engine}}
		o := &observe.Observation{Claim: manifest.Claim{ID: "d/guardrail/g"}, Session: s}
		createdWhole(o, &accesspatterns.Table{ID: "T", Indexes: []accesspatterns.Index{{Name: "a"}, {Name: "b"}, {Name: "c", Local: true}}})
		result := o.Result()
		assert.True(t, result.Verdict == row.Want && (row.Found == "" || strings.Contains(result.Problems[len(result.Problems)-1].Found, row.Found)),
			"%s: expected %s with %q, found %s: %+v", row.Name, row.Want, row.Found, result.Verdict, result.Problems)
	}
}

// A design that could not be deployed is an error of each claim, with the
// reason.
func TestRunWithoutASession(t *testing.T) {
	result := Decide(t.Context(), manifest.Claim{ID: "d/x"}, nil, errors.New("on purpose"))
	assert.True(t, result.Verdict == evidence.Error && strings.Contains(Message(result), "on purpose"), "expected an error with its reason, got %s", Message(result))
}

func TestNumbered(t *testing.T) {
	got := fixtures.Numbered(accesspatterns.Item{
		"SK": &types.AttributeValueMemberS{Value: "WORKOUT#{n}"}, "n": &types.AttributeValueMemberN{Value: "{n}"}, "ok": &types.AttributeValueMemberBOOL{Value: true},
	}, 7)
	want := accesspatterns.Item{
		"SK": &types.AttributeValueMemberS{Value: "WORKOUT#7"}, "n": &types.AttributeValueMemberN{Value: "7"}, "ok": &types.AttributeValueMemberBOOL{Value: true},
	}
	assert.Empty(t, dynamo.Differences(want, got))
}

// unwritten is a journal of a run that must not write.
type unwritten struct{ t *testing.T }

func (u unwritten) Announce(entries ...safewrite.Entry) error {
	u.t.Errorf("expected no write, found one announced: %v", entries)
	return nil
}

func (u unwritten) Settle(...safewrite.Entry) error { return nil }

// Where somebody follows what is written to a table that is there already, by a stream,
// in Kinesis or in another region, nothing is written; and nothing is where it cannot
// be told whether somebody does.
func TestNothingIsWrittenWhereSomebodyFollows(t *testing.T) {
	design := tabletest.Must(designs.Find("roll-model"))(t)
	set := tabletest.Must(fixtures.Load(design.Name, time.Now()))(t)
	for _, row := range tabletest.Read[[]struct {
		Name, Table, Kinesis, Want string
		Sharing                    bool
	}](t, "followed.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			var mu sync.Mutex
			var operations []string
			service := standin.Service(func(w http.ResponseWriter, operation, asked string) {
				mu.Lock()
				operations = append(operations, operation)
				mu.Unlock()
				switch {
				case operation == "DescribeTable":
					described(row.Table)(w, operation, asked)
				case operation == "DescribeKinesisStreamingDestination" && row.Kinesis != "":
					_, _ = io.WriteString(w, row.Kinesis)
				default: // whatever comes behind the look is refused
					refuse(w, "AccessDeniedException", "not authorized to perform: dynamodb:"+operation)
				}
			})
			_, err := session.Open(t.Context(), session.Input{
				Design: design, Fixtures: set, Environment: "dev", Ledger: wire.LedgerOf(), Grade: evidence.AWS, Existing: unwritten{t}, ShareCapacity: row.Sharing, Account: "111122223333",
				Deployment: session.Deployment{Region: "eu-west-1", Tables: map[string]string{"RollModel": "RollModel"}},
				Endpoint:   standin.Address, Transport: service,
			})
			if row.Want != "" {
				require.ErrorContains(t, err, row.Want)
			} else if err != nil {
				assert.NotRegexp(t, "whose writes nobody follows|has no bound", err.Error())
			}
			assert.NotRegexp(t, "Write|Put|Update|Delete", strings.Join(operations, " "), "expected no write")
		})
	}
}

// silencer is an engine that answers every request with success, so many times, and
// then takes requests and answers none.
type silencer struct {
	table string

	answers atomic.Int64
	ledger  *wire.Ledger
}

func (s *silencer) Do(request *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(request.Header.Get("X-Amz-Target"), ".")
	s.ledger.Add(&wire.Entry{Operation: operation, Tables: []string{s.table}, InvocationID: request.Header.Get("Amz-Sdk-Invocation-Id")})
	if s.answers.Add(-1) < 0 {
		<-request.Context().Done()
		return nil, request.Context().Err()
	}
	body := "{}"
	if operation == "DescribeTable" {
		body = `{"Table":{"TableName":"` + s.table + `","TableId":"1","TableStatus":"ACTIVE","KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}]}}`
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: request}, nil
}

// A claim ends soon after its context, wherever an engine falls silent in it, and is
// not decided. The clock is the test's own.
func TestNoClaimOutlivesItsContext(t *testing.T) {
	const patience = 5 * time.Second
	synctest.Test(t, func(t *testing.T) {
		design := tabletest.Must(designs.Find("roll-model"))(t)
		set := tabletest.Must(fixtures.Load(design.Name, time.Now()))(t)
		engine := &silencer{table: "RollModel", ledger: wire.LedgerOf()}
		engine.answers.Store(1 << 30)
		base, err := session.Open(t.Context(), session.Input{
			Design: design, Fixtures: set, Environment: "dev", Ledger: engine.ledger, Grade: evidence.Engine, Orders: 1,
			Deployment: session.Deployment{Region: "eu-west-1", Tables: map[string]string{"RollModel": "RollModel"}, TableARNs: map[string]string{"RollModel": "arn:aws:dynamodb:eu-west-1:111122223333:table/RollModel"}},
			Connect:    &dynamodb.Options{BaseEndpoint: aws.String("http://127.0.0.1:1"), HTTPClient: engine, Credentials: credentials.NewStaticCredentialsProvider("t", "t", "")},
			Bounds:     session.Bounds{IndexRead: time.Second, Poll: 100 * time.Millisecond},
		})
		require.NoError(t, err)
		waited := 0
		for _, claim := range manifest.InOrder(design) {
			for _, answered := range []int64{0, 1, 3, 10} {
				again := base.Again(design, set)
				engine.answers.Store(answered)
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				began := time.Now()
				result := Decide(ctx, claim, again, nil)
				took := time.Since(began)
				over := errors.Is(ctx.Err(), context.DeadlineExceeded)
				cancel()
				assert.True(t, took <= patience+2*session.Grace,
					"%s, silent after %d answers: expected it to end within %s of its context's end, found after %s", claim.ID, answered, 2*session.Grace, took-patience)
				if over {
					waited++
					assert.Equal(t, evidence.Indeterminate, result.Verdict, "%s, silent after %d answers: expected indeterminate, found %s", claim.ID, answered, Message(result))
				}
			}
		}
		assert.NotZero(t, waited, "expected claims whose context was over first")
	})
}
