package wire

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

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
	if _, err := client.PutItem(t.Context(), put); !errors.As(err, &refused) {
		t.Fatalf("expected the second put to be refused, found %v", err)
	}
	_, err = client.Scan(t.Context(), &dynamodb.ScanInput{TableName: name, Limit: aws.Int32(1)})
	require.NoError(t, err)
	seen, witnessed := recorder.Ledger().Entries(0), proxy.Ledger().Entries(0)
	require.Len(t, seen, 4, "expected 4 entries")
	assert.Empty(t, cmp.Diff(witnessed, seen, cmpopts.IgnoreFields(Entry{}, "Started", "Duration")), "ledgers (-proxy +recorder)")
}

func TestRecorderKeepsWhatWasNotAnswered(t *testing.T) {
	client, recorder := recorded(t, "http://127.0.0.1:1")
	client = dynamodb.New(client.Options(), func(o *dynamodb.Options) { o.RetryMaxAttempts = 1 })
	if _, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{}); err == nil {
		t.Fatal("expected no answer")
	}
	entries := recorder.Ledger().Entries(0)
	if len(entries) != 1 || entries[0].Operation != "ListTables" || entries[0].Failure == "" || entries[0].Status != 0 {
		t.Errorf("expected one failed entry, found %+v", entries)
	}
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
	if !given || len(entries) != 2 || entries[0].RequestID != id || entries[1].RequestID != refused.RequestID || id == refused.RequestID || refused.RequestID == "" {
		t.Errorf("expected the ids %q and %q, found %+v", id, refused.RequestID, entries)
	}
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
	if len(entries) != 1 || entries[0].Operation != "" || entries[0].Path != "POST / Logs_20140328.FilterLogEvents" || entries[0].Response != nil || entries[0].ResponseBytes != 2 {
		t.Errorf("expected one entry without an answer's body, found %+v", entries)
	}
}
