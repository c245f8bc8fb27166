package wire

import (
	"context"
	"fmt"
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

	"dynaproof/conformance/target"
)

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
