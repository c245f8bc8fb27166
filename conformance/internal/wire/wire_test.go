package wire

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"dynaproof/conformance/target"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testTimeout bounds every wait in the tests of this package.
const testTimeout = 5 * time.Minute

// testRegion is the region that test clients sign for unless told otherwise.
const testRegion = "eu-central-1"

// sharedEngine is one engine for all tests: each uses tables of its own name. It is nil where the platform has none.
var sharedEngine target.Target

// errNoEngine is why sharedEngine is nil.
var errNoEngine error

// TestMain starts the engine once.
func TestMain(m *testing.M) {
	os.Exit(runWithEngine(m))
}

func runWithEngine(m *testing.M) int {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	engine, err := target.Embedded(ctx, func(line string) { fmt.Fprintln(os.Stderr, line) })
	switch {
	case errors.Is(err, target.ErrNoEngine):
		errNoEngine = err
	case err != nil:
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		return 1
	default:
		sharedEngine = engine
		defer func() { _ = engine.Close(ctx) }()
	}
	return m.Run()
}

// engineURL returns the shared engine's address, or skips where there is no engine for the platform.
func engineURL(t testing.TB) string {
	t.Helper()
	if sharedEngine == nil {
		t.Skip(errNoEngine)
	}
	return sharedEngine.URL()
}

// startProxy starts a proxy that ends with the test.
func startProxy(t testing.TB, options Options) *Proxy {
	t.Helper()
	proxy, err := Start(options)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
		defer cancel()
		assert.NoError(t, proxy.Close(ctx))
	})
	return proxy
}

// clientLedger is the client's own record: the invocation ids in the order in which requests were sent.
type clientLedger struct {
	transport http.RoundTripper

	mutex       sync.Mutex
	invocations []string
}

func (c *clientLedger) RoundTrip(request *http.Request) (*http.Response, error) {
	c.mutex.Lock()
	c.invocations = append(c.invocations, request.Header.Get("Amz-Sdk-Invocation-Id"))
	c.mutex.Unlock()
	return c.transport.RoundTrip(request)
}

// sent returns the invocation ids so far.
func (c *clientLedger) sent() []string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return append([]string(nil), c.invocations...)
}

// newClient returns an SDK client for an endpoint, and its record.
func newClient(t testing.TB, url, region string) (*dynamodb.Client, *clientLedger) {
	t.Helper()
	transport := target.NewTransport()
	t.Cleanup(transport.CloseIdleConnections)
	ledger := &clientLedger{transport: transport}
	return dynamodb.New(dynamodb.Options{
		Region:       region,
		BaseEndpoint: aws.String(url),
		HTTPClient:   &http.Client{Transport: ledger},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "key/with/slashes", SecretAccessKey: "secret"}, nil
		}),
	}), ledger
}

// creation is the request for a table with the partition key pk, the sort key sk and the index by-sk.
func creation(name string) *dynamodb.CreateTableInput {
	pk, sk := aws.String("pk"), aws.String("sk")
	return &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: pk, AttributeType: types.ScalarAttributeTypeS}, {AttributeName: sk, AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: pk, KeyType: types.KeyTypeHash}, {AttributeName: sk, KeyType: types.KeyTypeRange}},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String("by-sk"), KeySchema: []types.KeySchemaElement{{AttributeName: sk, KeyType: types.KeyTypeHash}},
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}},
	}
}

// createTable creates such a table, and deletes it with the test.
func createTable(t testing.TB, client *dynamodb.Client, name string) {
	t.Helper()
	_, err := client.CreateTable(t.Context(), creation(name))
	require.NoError(t, err)
	t.Cleanup(func() {
		direct, _ := newClient(t, engineURL(t), testRegion)
		ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
		defer cancel()
		var gone *types.ResourceNotFoundException
		_, err := direct.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String(name)})
		if err != nil && !errors.As(err, &gone) {
			t.Error(err)
		}
	})
}

// text returns a String attribute value.
func text(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }

// item returns an item with a key and a payload.
func item(pk, sk, payload string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"pk": text(pk), "sk": text(sk), "payload": text(payload)}
}

// key returns the key of an item.
func key(pk, sk string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"pk": text(pk), "sk": text(sk)}
}

// last returns the newest entry.
func last(t testing.TB, ledger *Ledger) Entry {
	t.Helper()
	entries := ledger.Entries(ledger.Len() - 1)
	require.Len(t, entries, 1, "expected an entry")
	return entries[0]
}
