package wire

import (
	"errors"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// recorded returns a client whose transport is a recorder.
func recorded(t *testing.T, url string, dropResponses bool) (*dynamodb.Client, *Recorder) {
	t.Helper()
	transport := &http.Transport{}
	recorder := NewRecorder(transport, dropResponses)
	t.Cleanup(func() {
		if err := recorder.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(url), Region: testRegion, Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
		HTTPClient: &http.Client{Transport: recorder},
	}), recorder
}

// The recorder sees what the proxy sees: one request passes both, and their entries
// agree in all but the time.
func TestRecorderAgreesWithTheProxy(t *testing.T) {
	proxy := startProxy(t, Options{Upstream: engineURL(t)})
	client, recorder := recorded(t, proxy.URL(), false)
	name := aws.String("recorded")
	create := &dynamodb.CreateTableInput{
		TableName: name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: "S"}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
	}
	if _, err := client.CreateTable(t.Context(), create); err != nil {
		t.Fatal(err)
	}
	item := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "1"}}
	put := &dynamodb.PutItemInput{TableName: name, Item: item, ConditionExpression: aws.String("attribute_not_exists(pk)"), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal}
	if _, err := client.PutItem(t.Context(), put); err != nil {
		t.Fatal(err)
	}
	var refused *types.ConditionalCheckFailedException
	if _, err := client.PutItem(t.Context(), put); !errors.As(err, &refused) {
		t.Fatalf("expected the second put to be refused, found %v", err)
	}
	if _, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: name, Limit: aws.Int32(1)}); err != nil {
		t.Fatal(err)
	}
	seen, witnessed := recorder.Ledger().Entries(0), proxy.Ledger().Entries(0)
	if len(seen) != 4 {
		t.Fatalf("expected 4 entries, found %d", len(seen))
	}
	if d := cmp.Diff(witnessed, seen, cmpopts.IgnoreFields(Entry{}, "Started", "Duration")); d != "" {
		t.Errorf("ledgers (-proxy +recorder):\n%s", d)
	}
}

func TestRecorderKeepsWhatWasNotAnswered(t *testing.T) {
	client, recorder := recorded(t, "http://127.0.0.1:1", false)
	client = dynamodb.New(client.Options(), func(o *dynamodb.Options) { o.RetryMaxAttempts = 1 })
	if _, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{}); err == nil {
		t.Fatal("expected no answer")
	}
	entries := recorder.Ledger().Entries(0)
	if len(entries) != 1 || entries[0].Operation != "ListTables" || entries[0].Failure == "" || entries[0].Status != 0 {
		t.Errorf("expected one failed entry, found %+v", entries)
	}
}

func TestRecorderFaults(t *testing.T) {
	client, recorder := recorded(t, "http://127.0.0.1:1", false)
	recorder.SetFault(func(entry Entry) *FaultResponse {
		return &FaultResponse{Status: http.StatusBadRequest, ErrorType: "ValidationException", Message: "no " + entry.Operation}
	})
	_, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	entries := recorder.Ledger().Entries(0)
	if err == nil || len(entries) != 1 || !entries[0].Injected || entries[0].ErrorMessage != "no ListTables" {
		t.Errorf("expected the fault's answer and its entry, found %v, %+v", err, entries)
	}
	recorder.SetFault(func(Entry) *FaultResponse { return &FaultResponse{Drop: true} })
	if _, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{}); !errors.Is(err, errDropped) {
		t.Errorf("expected the connection to be dropped, found %v", err)
	}
}

func TestRecorderLeavesResponsesOut(t *testing.T) {
	client, recorder := recorded(t, engineURL(t), true)
	if _, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{}); err != nil {
		t.Fatal(err)
	}
	if entries := recorder.Ledger().Entries(0); len(entries) != 1 || entries[0].Response != nil || entries[0].ResponseBytes == 0 {
		t.Errorf("expected the answer's length alone, found %+v", entries)
	}
}
