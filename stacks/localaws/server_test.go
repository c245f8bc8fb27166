package localaws

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/structpb"

	"dynaproof/accesspatterns/tabletest"
)

// dialServer starts a server and returns one connection to it.
func dialServer(t *testing.T, port int) pulumirpc.ResourceProviderClient {
	t.Helper()
	connection := tabletest.Must(grpc.NewClient(fmt.Sprintf("127.0.0.1:%d", port), grpc.WithTransportCredentials(insecure.NewCredentials())))(t)
	t.Cleanup(func() { _ = connection.Close() })
	return pulumirpc.NewResourceProviderClient(connection)
}

func structOf(t *testing.T, m map[string]any) *structpb.Struct {
	t.Helper()
	return tabletest.Must(marshal("test", resource.NewPropertyMapFromMap(m)))(t)
}

func configuration(endpoint string, change map[string]any) map[string]any {
	return with(map[string]any{
		"region": "eu-west-1", "accessKey": "a", "secretKey": "b", "version": sdkVersion,
		"endpoints":                 fmt.Sprintf(`[{"dynamodb":%q}]`, endpoint),
		"skipCredentialsValidation": "true", "skipMetadataApiCheck": "true", "skipRequestingAccountId": "true",
	}, change)
}

// TestConfigurationIsRefusedTwice holds CheckConfig and Configure to the same rules.
func TestConfigurationIsRefusedTwice(t *testing.T) {
	local := httptest.NewServer(nil)
	defer local.Close()
	s := tabletest.Must(Serve())(t)
	for _, row := range tabletest.Read[[]struct {
		Name, Words string
		Change      map[string]any
	}](t, "configurations.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			c := dialServer(t, s)
			text := tabletest.Must(json.Marshal(configuration("LOCAL", row.Change)))(t)
			var config map[string]any
			require.NoError(t, json.Unmarshal(bytes.ReplaceAll(text, []byte("LOCAL"), []byte(local.URL)), &config))
			props := structOf(t, config)
			checked := tabletest.Must(c.CheckConfig(t.Context(), &pulumirpc.CheckRequest{News: props}))(t)
			var reasons []string
			for _, f := range checked.Failures {
				reasons = append(reasons, f.Reason)
			}
			_, err := c.Configure(t.Context(), &pulumirpc.ConfigureRequest{Args: props})
			if row.Words == "" {
				require.NoError(t, err)
				assert.Empty(t, reasons, "expected it to be accepted")
				return
			}
			assert.Contains(t, strings.Join(reasons, "; "), row.Words, "CheckConfig")
			assert.ErrorContains(t, err, row.Words, "Configure: expected an error with %q", row.Words)
		})
	}
}

// TestConnectionsAreApart configures two connections of one server differently.
func TestConnectionsAreApart(t *testing.T) {
	s := tabletest.Must(Serve())(t)
	read := func(c pulumirpc.ResourceProviderClient) error {
		_, err := c.Read(t.Context(), &pulumirpc.ReadRequest{Id: "t", Urn: "urn:pulumi:s::p::" + tableToken + "::t"})
		return err
	}
	var connections []pulumirpc.ResourceProviderClient
	asked := make([]atomic.Int32, 2)
	for i := range asked {
		local := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked[i].Add(1)
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"}`)
		}))
		defer local.Close()
		c := dialServer(t, s)
		assert.ErrorContains(t, read(c), "Configure", "expected a call before Configure to be refused")
		tabletest.Must(c.Configure(t.Context(), &pulumirpc.ConfigureRequest{Args: structOf(t, configuration(local.URL, nil))}))(t)
		connections = append(connections, c)
	}
	for i, c := range connections {
		require.NoError(t, read(c), "expected connection %d to ask its own endpoint once", i)
		assert.Equal(t, int32(1), asked[i].Load(), "expected connection %d to ask its own endpoint once", i)
	}
}

// TestWhatIsNotServedIsRefused names what is refused.
func TestWhatIsNotServedIsRefused(t *testing.T) {
	c := dialServer(t, tabletest.Must(Serve())(t))
	const bucket = "urn:pulumi:s::p::aws:s3/bucket:Bucket::b"
	ctx := t.Context()
	_, check := c.Check(ctx, &pulumirpc.CheckRequest{Urn: bucket})
	_, diff := c.Diff(ctx, &pulumirpc.DiffRequest{Urn: bucket})
	_, create := c.Create(ctx, &pulumirpc.CreateRequest{Urn: bucket})
	_, read := c.Read(ctx, &pulumirpc.ReadRequest{Urn: bucket})
	_, update := c.Update(ctx, &pulumirpc.UpdateRequest{Urn: bucket})
	_, remove := c.Delete(ctx, &pulumirpc.DeleteRequest{Urn: bucket})
	for name, err := range map[string]error{"Check": check, "Diff": diff, "Create": create, "Read": read, "Update": update, "Delete": remove} {
		assert.ErrorContains(t, err, "does not implement the resource aws:s3/bucket:Bucket", "%s: expected the type to be refused by name", name)
	}
	_, err := c.Invoke(ctx, &pulumirpc.InvokeRequest{Tok: "aws:index/getCallerIdentity:getCallerIdentity"})
	assert.ErrorContains(t, err, "getCallerIdentity", "expected the function to be refused by name")
}

func TestCheckAddsDefaults(t *testing.T) {
	c := dialServer(t, tabletest.Must(Serve())(t))
	news := inputs(map[string]any{"name": nil, "billingMode": nil, "readCapacity": 1.0, "writeCapacity": 1.0,
		"globalSecondaryIndexes": index1(map[string]any{"readCapacity": 1.0, "writeCapacity": 1.0}), "ttl": map[string]any{}})
	given := tabletest.Must(marshal("news", news))(t)
	check := func(olds *structpb.Struct) resource.PropertyMap {
		answer, err := c.Check(t.Context(), &pulumirpc.CheckRequest{Urn: "urn:pulumi:s::p::" + tableToken + "::orders", News: given, Olds: olds, RandomSeed: []byte("seed")})
		require.NoError(t, err)
		require.Empty(t, answer.Failures, "expected no failure, found %v %v", answer.GetFailures(), err)
		return tabletest.Must(unmarshal("inputs", answer.Inputs))(t)
	}
	first := check(nil)
	name := text(first["name"])
	assert.True(t, strings.HasPrefix(name, "orders-"), "expected the resource's name with a suffix of 7 characters")
	assert.Len(t, name, len("orders-")+7, "expected the resource's name with a suffix of 7 characters")
	assert.True(t, namedByProvider(first), "expected the generated name to be listed as a default, found %v", first)
	assert.Equal(t, provisioned, text(first["billingMode"]), "expected the defaults of the real provider, found %v", first)
	assert.False(t, object(first["ttl"])["enabled"].IsNull(), "expected the defaults of the real provider, found %v", first)
	assert.Equal(t, name, text(check(tabletest.Must(marshal("olds", first))(t))["name"]), "expected the generated name %q to stay", name)
}

func TestDiffConfig(t *testing.T) {
	c := dialServer(t, tabletest.Must(Serve())(t))
	olds := structOf(t, configuration("http://127.0.0.1:1", nil))
	for _, row := range []struct {
		name     string
		news     map[string]any
		changes  pulumirpc.DiffResponse_DiffChanges
		replaces int
	}{
		{"nothing", configuration("http://127.0.0.1:1", nil), pulumirpc.DiffResponse_DIFF_NONE, 0},
		{"endpoint", configuration("http://127.0.0.1:2", nil), pulumirpc.DiffResponse_DIFF_SOME, 0},
		{"region", configuration("http://127.0.0.1:1", map[string]any{"region": "us-east-2"}), pulumirpc.DiffResponse_DIFF_SOME, 1},
	} {
		d, err := c.DiffConfig(t.Context(), &pulumirpc.DiffRequest{OldInputs: olds, News: structOf(t, row.news)})
		assert.True(t, err == nil && d.Changes == row.changes && len(d.Replaces) == row.replaces,
			"%s: expected %v and %d replacements, found %v %v", row.name, row.changes, row.replaces, d, err)
	}
}

// The provider sends nothing off this machine: not where a name resolves elsewhere, and not
// where an endpoint sends it.
func TestClientStaysOnLoopback(t *testing.T) {
	asked := 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer elsewhere.Close()
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", elsewhere.URL)
		w.WriteHeader(http.StatusTemporaryRedirect)
	}))
	defer engine.Close()
	ask := func(endpoint string) error {
		api := newClient(config{Endpoint: endpoint, Region: "us-east-1", AccessKey: "test", SecretKey: "test"}, nil).api
		_, err := api.ListTables(t.Context(), &dynamodb.ListTablesInput{}, func(o *dynamodb.Options) { o.RetryMaxAttempts = 1 })
		return err
	}
	require.Error(t, ask(engine.URL))
	assert.Zero(t, asked, "expected a redirect not to be followed")
	assert.ErrorContains(t, ask("http://192.0.2.1:8000"), "expected an address on loopback", "expected a connection off this machine to be refused")
}

// What a gateway answers in the endpoint's place is an error, and not a table without properties.
func TestStrangeAnswersAreErrors(t *testing.T) {
	for _, body := range []string{``, `{}`, `{"Table":{}}`, `{"Table":{"TableStatus":"ACTIVE"}}`} {
		engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
		c := newClient(config{Endpoint: engine.URL, Region: "us-east-1", AccessKey: "test", SecretKey: "test"}, nil)
		found, err := c.describe(t.Context(), "t")
		assert.ErrorContains(t, err, "look for what answers", "DescribeTable %q: expected an error, found %v, %v", body, found, err)
		assert.ErrorContains(t, c.readTTL(t.Context(), &live{}), "look for what answers", "DescribeTimeToLive %q: expected an error", body)
		engine.Close()
	}
}

// Pages of tags that end at two places by turns end at the third.
func TestTagsThatGoRound(t *testing.T) {
	asked := 0
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked > 9 {
			panic(http.ErrAbortHandler)
		}
		_, _ = fmt.Fprintf(w, `{"Tags":[{"Key":"a","Value":"b"}],"NextToken":"%d"}`, asked%2)
	}))
	defer engine.Close()
	c := newClient(config{Endpoint: engine.URL, Region: "us-east-1", AccessKey: "test", SecretKey: "test"}, nil)
	assert.ErrorContains(t, c.readTags(t.Context(), &live{}), "one that ends where another did")
	assert.Equal(t, 3, asked, "expected an error at the third page")
}

// A table that somebody makes of the name of one that was deleted is neither waited for nor deleted, also where the answer to the
// deletion was lost.
func TestADeletionMeetsNoOtherTable(t *testing.T) {
	for _, answered := range []bool{true, false} {
		made, deletions := "ours", 0
		engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			if strings.HasSuffix(request.Header.Get("X-Amz-Target"), ".DeleteTable") {
				made, deletions = "theirs", deletions+1
				if !answered {
					panic(http.ErrAbortHandler)
				}
			}
			_, _ = fmt.Fprintf(w, `{"Table":{"TableName":"t","TableId":%q,"TableStatus":"ACTIVE","KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}}`, made)
		}))
		c := newClient(config{Endpoint: engine.URL, Region: "us-east-1", AccessKey: "test", SecretKey: "test"}, nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		require.NoError(t, c.remove(ctx, "t", ""), "answered %v: expected one deletion, and no wait for somebody's table", answered)
		assert.Equal(t, 1, deletions, "answered %v: expected one deletion, and no wait for somebody's table", answered)
		cancel()
		engine.Close()
	}
}
