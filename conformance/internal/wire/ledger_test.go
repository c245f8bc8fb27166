package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/target"
)

// judged compares entries by what a request and its answer say; the rest is checked apart.
var judged = cmpopts.IgnoreFields(Entry{}, "Seq", "Started", "Duration", "InvocationID", "Attempt", "SignedRegion",
	"RequestBytes", "ResponseBytes", "Request", "Response", "Capacity", "RequestID")

func TestLedgerTellsWhatWasAskedAndAnswered(t *testing.T) {
	proxy := startProxy(t, Options{Upstream: engineURL(t)})
	client, sent := newClient(t, proxy.URL(), testRegion)
	const table, second = "ledger-a", "ledger-b"
	createTable(t, client, table)
	createTable(t, client, second)
	for i := range 3 {
		_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(table), Item: item("user", fmt.Sprint(i), "x")})
		require.NoError(t, err)
	}
	for _, row := range tabletest.Read[[]struct {
		Name     string
		Request  map[string]any
		Expected map[string]any // by the names of the ledger's JSON
	}](t, "ledger.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			input, err := designtest.Input(row.Request)
			require.NoError(t, err)
			expected := tabletest.As[Entry](t, row.Expected)
			mark := proxy.Ledger().Len()
			_, err = designtest.Send(t.Context(), client, input)
			if _, failed := errors.AsType[*types.ConditionalCheckFailedException](err); failed != (expected.ErrorType != "") || err != nil && !failed {
				t.Fatalf("expected the client to see the engine's answer, found %v", err)
			}
			entries := proxy.Ledger().Entries(mark)
			require.Len(t, entries, 1, "expected one entry")
			found := entries[0]
			assert.Empty(t, cmp.Diff(expected, found, judged), "(-want +got)")
			assert.Equal(t, []any{mark + 1, 1, testRegion}, []any{found.Seq, found.Attempt, found.SignedRegion})
			assert.Positive(t, found.Duration)
			assert.WithinDuration(t, time.Now(), found.Started, testTimeout)
			invocations := sent.sent()
			require.NotEmpty(t, found.InvocationID)
			assert.Equal(t, invocations[len(invocations)-1], found.InvocationID, "the client's invocation id")
			assert.Equal(t, []int{found.RequestBytes, found.ResponseBytes}, []int{len(found.Request), len(found.Response)})
			assert.True(t, json.Valid(found.Request) && json.Valid(found.Response), "expected both bodies, found %s and %s", found.Request, found.Response)
		})
	}
	record, err := json.Marshal(proxy.Ledger().Entries(0))
	require.NoError(t, err)
	require.NotContains(t, string(record), "with/slashes", "expected neither key id nor signature, found %s", record)
	assert.NotContains(t, string(record), "Signature", "expected neither key id nor signature, found %s", record)
	var ids []string
	for _, entry := range proxy.Ledger().Entries(0) {
		ids = append(ids, entry.InvocationID)
	}
	assert.Equal(t, sent.sent(), ids, "expected both ledgers to agree")
}

func TestLedgerMarks(t *testing.T) {
	ledger := newLedger(nil)
	for _, id := range []string{"a", "b", "a", ""} {
		ledger.Add(&Entry{InvocationID: id})
	}
	for since, expected := range map[int][]int{-1: {1, 2, 3, 4}, 0: {1, 2, 3, 4}, 3: {4}, 4: {}, 9: {}} {
		found := []int{}
		for _, entry := range ledger.Entries(since) {
			found = append(found, entry.Seq)
		}
		assert.Equal(t, expected, found, "since %d", since)
	}
	found := ledger.Find("a")
	assert.True(t, len(found) == 2 && found[0].Seq == 1 && found[1].Seq == 3, "expected both attempts of a, found %+v", found)
	assert.Empty(t, ledger.Find(""), "expected no entry for no id")
}

// The ledgers of proxies that share a sequence are one record, in the order of the
// answers.
func TestMergeKeepsTheOrderOverSeveralLedgers(t *testing.T) {
	var sequence Sequence
	one, other := newLedger(&sequence), newLedger(&sequence)
	for _, each := range []struct {
		ledger    *Ledger
		operation string
	}{{one, "first"}, {other, "second"}, {other, "third"}, {one, "fourth"}} {
		each.ledger.Add(&Entry{Operation: each.operation})
	}
	var got []string
	for _, entry := range Merge(other, one) {
		got = append(got, fmt.Sprint(entry.Seq, " ", entry.Operation))
	}
	assert.Empty(t, cmp.Diff([]string{"1 first", "2 second", "3 third", "4 fourth"}, got), "merged (-want +got)")
	own := one.Entries(1)
	assert.True(t, len(own) == 1 && own[0].Operation == "fourth", "expected a mark to count the ledger's own entries, found %v", own)
}

// A body that is not rewritten is not copied: what the ledger keeps is the memory
// that was forwarded.
func TestBodiesAreNotCopied(t *testing.T) {
	body := []byte(`{"TableName":"t","Key":{"id":{"S":"1"}}}`)
	request := httptest.NewRequest(http.MethodPost, "/", nil)
	request.Header.Set("X-Amz-Target", targetPrefix+"GetItem")
	var entry Entry
	entry.readRequest(request, body)
	assert.Same(t, &body[0], &entry.Request[0], "expected the ledger to keep the request's own memory")
	answer := []byte(`{"Item":{"id":{"S":"1"}}}`)
	entry.readResponse(200, request.Header, answer)
	assert.Same(t, &answer[0], &entry.Response[0], "expected the ledger to keep the answer's own memory")
	allocated := testing.AllocsPerRun(100, func() { _ = retained(body, true) })
	assert.Zero(t, allocated, "expected to retain a body without an allocation")
}

type answering string

func (a answering) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(a)))}, nil
}

// The ledger keeps what it may, and the client gets the whole answer.
func TestLedgerKeepsWhatItMay(t *testing.T) {
	const whole, kept = `{"Item":{"secret":{"S":"x"}}}`, `{"Item":{}}`
	send := func(through interface {
		RoundTrip(*http.Request) (*http.Response, error)
	}, url string) string {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader([]byte(`{"TableName":"t"}`)))
		require.NoError(t, err)
		request.Header.Set("X-Amz-Target", "DynamoDB_20120810.GetItem")
		response, err := through.RoundTrip(request)
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return string(body)
	}
	recorder := NewRecorder(answering(whole))
	recorder.SetKeep(func(operation string, request, response []byte) []byte {
		assert.Equal(t, []string{"GetItem", `{"TableName":"t"}`, whole}, []string{operation, string(request), string(response)})
		return []byte(kept)
	})
	assert.Equal(t, whole, send(recorder, "http://127.0.0.1:1"), "expected the client to get %s", whole)
	recorder.SetKeep(nil)
	send(recorder, "http://127.0.0.1:1")
	for i, want := range []string{kept, whole} {
		assert.Equal(t, want, string(recorder.Ledger().Entries(0)[i].Response), "entry %d", i+1)
	}
}

func TestSignedRegion(t *testing.T) {
	for _, test := range []struct{ name, header, expected string }{
		{"SigV4", "AWS4-HMAC-SHA256 Credential=AKID/20260101/us-west-2/dynamodb/aws4_request, SignedHeaders=host, Signature=0", "us-west-2"},
		{"no space after commas", "AWS4-HMAC-SHA256 Credential=AKID/20260101/us-west-2/dynamodb/aws4_request,Signature=0", "us-west-2"},
		{"slashes in the key id", "AWS4-HMAC-SHA256 Credential=a/b/20260101/us-west-2/dynamodb/aws4_request", "us-west-2"},
		{"unsigned", "", ""},
		{"other scheme", "Bearer Credential=AKID/20260101/us-west-2/dynamodb/aws4_request", ""},
		{"scope too short", "AWS4-HMAC-SHA256 Credential=us-west-2/dynamodb/aws4_request", ""},
		{"no credential", "AWS4-HMAC-SHA256 Signature=0", ""},
	} {
		assert.Equal(t, test.expected, group(signedRegion, test.header), test.name)
	}
}

func TestErrorType(t *testing.T) {
	for _, test := range []struct{ body, header, expected string }{
		{"com.amazonaws.dynamodb.v20120810#ValidationException", "", "ValidationException"},
		{"ValidationException", "Other", "ValidationException"},
		{"", "ValidationException:http://internal.amazon.com/", "ValidationException"},
		{"", "", ""},
	} {
		assert.Equal(t, test.expected, errorType(test.body, test.header), "%q, %q", test.body, test.header)
	}
}

func TestBodiesOfAnyShape(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name, Request, Answer string
		Status                int
		Entry                 map[string]any
	}](t, "shapes.yaml") {
		var found Entry
		if row.Status > 0 {
			found.readResponse(row.Status, http.Header{}, []byte(row.Answer))
		} else {
			found.readRequest(&http.Request{Method: http.MethodPost, Header: http.Header{"X-Amz-Target": {targetPrefix + "Query"}}}, []byte(row.Request))
		}
		tabletest.Finds(t, row.Name, found, map[string]any{"del(.seq, .started, .durationNs)": row.Entry})
	}
}

// recorded returns a client whose transport is a recorder.
func recorded(t *testing.T, url string) (*dynamodb.Client, *Recorder) {
	t.Helper()
	recorder := NewRecorder(&http.Transport{})
	t.Cleanup(func() { assert.NoError(t, recorder.Close(t.Context())) })
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(url), Region: testRegion, Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
		HTTPClient: &http.Client{Transport: recorder},
	}), recorder
}

// The recorder sees what the proxy sees: one request passes both, and their entries
// agree in all but the time.
func TestRecorderAgreesWithTheProxy(t *testing.T) {
	proxy := startProxy(t, Options{Upstream: engineURL(t)})
	client, recorder := recorded(t, proxy.URL())
	name := aws.String("recorded")
	createTable(t, client, *name)
	put := &dynamodb.PutItemInput{TableName: name, Item: item("1", "2", "3"), ConditionExpression: aws.String("attribute_not_exists(pk)"), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal}
	_, err := client.PutItem(t.Context(), put)
	require.NoError(t, err)
	var refused *types.ConditionalCheckFailedException
	_, err = client.PutItem(t.Context(), put)
	require.ErrorAs(t, err, &refused, "expected the second put to be refused")
	_, err = client.Scan(t.Context(), &dynamodb.ScanInput{TableName: name, Limit: aws.Int32(1)})
	require.NoError(t, err)
	seen, witnessed := recorder.Ledger().Entries(0), proxy.Ledger().Entries(0)
	require.Len(t, seen, 4, "expected 4 entries")
	assert.Empty(t, cmp.Diff(witnessed, seen, cmpopts.IgnoreFields(Entry{}, "Started", "Duration")), "ledgers (-proxy +recorder)")
}

func TestRecorderKeepsWhatWasNotAnswered(t *testing.T) {
	client, recorder := recorded(t, "http://127.0.0.1:1")
	client = dynamodb.New(client.Options(), func(o *dynamodb.Options) { o.RetryMaxAttempts = 1 })
	_, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	require.Error(t, err, "expected no answer")
	entries := recorder.Ledger().Entries(0)
	require.Len(t, entries, 1)
	assert.Equal(t, "ListTables 0", fmt.Sprint(entries[0].Operation, " ", entries[0].Status))
	assert.NotEmpty(t, entries[0].Failure)
}

// The ledger knows a request by the id that the service gave it and the client got,
// also when the service refused it.
func TestRequestIDs(t *testing.T) {
	client, recorder := recorded(t, engineURL(t))
	answer, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	require.NoError(t, err)
	id, given := awsmiddleware.GetRequestIDMetadata(answer.ResultMetadata)
	_, err = client.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("none")})
	var refused *awshttp.ResponseError
	require.ErrorAs(t, err, &refused)
	entries := recorder.Ledger().Entries(0)
	require.True(t, given && refused.RequestID != "" && refused.RequestID != id, "expected two ids, found %q and %q", id, refused.RequestID)
	require.Len(t, entries, 2)
	assert.Equal(t, []string{id, refused.RequestID}, []string{entries[0].RequestID, entries[1].RequestID})
}

// Another service's operation stands in the path, and its answers are left out where
// they are none of the ledger's business.
func TestRecorderOfAnotherService(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, _ *http.Request) { _, _ = writer.Write([]byte("{}")) }))
	t.Cleanup(service.Close)
	_, recorder := recorded(t, service.URL)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, service.URL+"/", strings.NewReader("{}"))
	require.NoError(t, err)
	request.Header.Set("X-Amz-Target", "Logs_20140328.FilterLogEvents")
	answer, err := recorder.WithoutResponses().RoundTrip(request)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	entries := recorder.Ledger().Entries(0)
	require.Len(t, entries, 1)
	assert.Equal(t, []any{"", "POST / Logs_20140328.FilterLogEvents", 2}, []any{entries[0].Operation, entries[0].Path, entries[0].ResponseBytes})
	assert.Nil(t, entries[0].Response, "expected no answer's body")
}

// directClient is a client that sends its requests without a connection.
func directClient(proxy *Proxy) *dynamodb.Client {
	options := target.ClientOptions(proxy.URL(), testRegion)
	options.HTTPClient = target.HTTPClient(proxy.Transport())
	return dynamodb.New(options)
}

// A request without a connection leaves the same record as one over a connection, and has the same answer: one that
// succeeds, one that the engine refuses, and one that an overlay answers.
func TestTransportRecordsTheSame(t *testing.T) {
	proxy := startProxy(t, Options{Upstream: engineURL(t)})
	const table = "direct"
	createTable(t, target.NewClient(proxy.URL(), testRegion), table)
	ask := func(client *dynamodb.Client) (answers []any) {
		described, err := client.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(table)})
		require.NoError(t, err)
		answers = append(answers, described.Table)
		backups, err := client.DescribeContinuousBackups(t.Context(), &dynamodb.DescribeContinuousBackupsInput{TableName: aws.String(table)})
		require.NoError(t, err)
		answers = append(answers, backups.ContinuousBackupsDescription)
		_, err = client.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("nobody-has-this")})
		require.Error(t, err, "expected no such table")
		return answers
	}
	before := proxy.Ledger().Len()
	connected := ask(target.NewClient(proxy.URL(), testRegion))
	between := proxy.Ledger().Len()
	direct := ask(directClient(proxy))
	unexported := cmp.FilterPath(func(path cmp.Path) bool { return path.Last().String() == ".noSmithyDocumentSerde" }, cmp.Ignore())
	assert.Empty(t, cmp.Diff(connected, direct, unexported), "answers (-connected +direct)")
	entries := proxy.Ledger().Entries(0)
	require.Equal(t, []int{3, 3}, []int{between - before, len(entries) - between}, "expected three requests of each")
	varying := cmpopts.IgnoreFields(Entry{}, "Seq", "Started", "Duration", "InvocationID", "RequestID")
	assert.Empty(t, cmp.Diff(entries[before:between], entries[between:], varying), "records (-connected +direct)")
}

// What a fault does to a connection it does to such a client too, and a proxy that has ended takes nothing.
func TestTransportMeetsFaultsAndTheEnd(t *testing.T) {
	proxy := startProxy(t, Options{Upstream: engineURL(t)})
	client := directClient(proxy)
	once := func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }
	proxy.SetFault(func(Entry) *FaultResponse { return &FaultResponse{Name: "drop", Drop: true} })
	_, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{}, once)
	assert.Error(t, err, "expected the connection to be dropped")
	proxy.SetFault(nil)
	_, err = client.ListTables(t.Context(), &dynamodb.ListTablesInput{}, once)
	assert.NoError(t, err)
	require.NoError(t, proxy.Close(t.Context()))
	_, err = client.ListTables(t.Context(), &dynamodb.ListTablesInput{}, once)
	assert.ErrorIs(t, err, errEnded)
}

// A client that gives up does not wait for the engine, and its request is recorded with the engine's answer.
func TestTransportOfAClientThatGivesUp(t *testing.T) {
	asked, free := make(chan struct{}), make(chan struct{})
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(asked)
		<-free
		_, _ = w.Write([]byte(`{"TableNames":[]}`))
	}))
	t.Cleanup(engine.Close)
	proxy := startProxy(t, Options{Upstream: engine.URL})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	_, err := directClient(proxy).ListTables(ctx, &dynamodb.ListTablesInput{})
	assert.ErrorIs(t, err, context.Canceled, "expected to give up")
	close(free)
	require.NoError(t, proxy.Close(t.Context())) // waits for the engine
	entries := proxy.Ledger().Entries(0)
	assert.True(t, len(entries) == 1 && entries[0].Status == http.StatusOK, "expected one request with its answer, found %+v", entries)
}

// BenchmarkGetItem sends each request once past the proxy, once through it as the suite does, without a connection, and
// once through it over a connection, so that all see the same noise. It reports microseconds.
func BenchmarkGetItem(b *testing.B) {
	proxy := startProxy(b, Options{Upstream: engineURL(b)})
	direct, _ := newClient(b, engineURL(b), testRegion)
	connected, _ := newClient(b, proxy.URL(), testRegion)
	through, ledger := newClient(b, proxy.URL(), testRegion)
	ledger.transport = proxy.Transport()
	const table = "benchmark"
	createTable(b, direct, table)
	_, err := direct.PutItem(b.Context(), &dynamodb.PutItemInput{TableName: aws.String(table), Item: item("a", "b", strings.Repeat("x", 500))})
	require.NoError(b, err)
	timed := func(client *dynamodb.Client) time.Duration {
		start := time.Now()
		_, err := client.GetItem(b.Context(), &dynamodb.GetItemInput{TableName: aws.String(table), Key: key("a", "b")})
		require.NoError(b, err)
		return time.Since(start)
	}
	var without, with, over time.Duration
	for b.Loop() {
		without += timed(direct)
		with += timed(through)
		over += timed(connected)
	}
	perRequest := func(total time.Duration) float64 { return float64(total.Microseconds()) / float64(b.N) }
	b.ReportMetric(perRequest(without), "direct-µs/op")
	b.ReportMetric(perRequest(with), "wire-µs/op")
	b.ReportMetric(perRequest(over), "connected-µs/op")
	b.ReportMetric(0, "ns/op")
}
