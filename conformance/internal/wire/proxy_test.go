package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dynaproof/conformance/target"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStartRefuses(t *testing.T) {
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	for _, test := range []struct {
		name    string
		options Options
		words   []string
	}{
		{"an engine that is not on loopback", Options{Upstream: "https://dynamodb.us-east-1.amazonaws.com"}, []string{"not loopback"}},
		{"no engine", Options{}, []string{"http://"}},
		{"a port that is taken", Options{Upstream: "http://127.0.0.1:1", Port: port}, []string{strconv.Itoa(port), "another program", "choose another port"}},
		{"a port that does not exist", Options{Upstream: "http://127.0.0.1:1", Port: 70000}, []string{"70000", "choose another port"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Start(test.options)
			var refusal *target.ConfigError
			if !errors.As(err, &refusal) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("expected one line of a %T, found %v", refusal, err)
			}
			for _, word := range test.words {
				assert.Contains(t, err.Error(), word)
			}
		})
	}
}

func TestProxyListensOnLoopbackAndTheGivenPort(t *testing.T) {
	port := 0
	for port == 0 { // below the ports that the system hands out, so that nobody is given it meanwhile
		wanted := 20_000 + rand.N(10_000)
		if free, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", wanted)); err == nil {
			port = wanted
			_ = free.Close()
		}
	}
	proxy := startProxy(t, Options{Upstream: engineURL(t), Port: port})
	assert.Equal(t, fmt.Sprintf("http://127.0.0.1:%d", port), proxy.URL())
}

func TestEverythingElsePassesAndIsRecorded(t *testing.T) {
	var seen *http.Request
	var body []byte
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("X-Engine", "kept")
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, "<html>")
	}))
	defer engine.Close()
	proxy := startProxy(t, Options{Upstream: engine.URL})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, proxy.URL()+"/a%2Fb/c?d=e;f&g=%zz", strings.NewReader("not json"))
	require.NoError(t, err)
	request.Header.Set("X-Client", "kept")
	request.Header.Set("Connection", "Upgrade, X-Hop")
	request.Header.Set("Upgrade", "websocket")
	request.Header.Set("X-Hop", "of this connection")
	request.Header.Set("X-Forwarded-For", "127.0.0.9")
	request.Header.Set("User-Agent", "aws-cli")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	if response.StatusCode != http.StatusTeapot || string(answer) != "<html>" || response.Header.Get("X-Engine") != "kept" {
		t.Errorf("expected the engine's answer as it is, found %d %q %v", response.StatusCode, answer, response.Header)
	}
	address, err := url.Parse(proxy.URL())
	require.NoError(t, err)
	if seen.RequestURI != "/a%2Fb/c?d=e;f&g=%zz" || seen.Method != http.MethodPut || string(body) != "not json" ||
		seen.Header.Get("X-Client") != "kept" || seen.Host != address.Host ||
		seen.Header.Get("X-Forwarded-For") != "127.0.0.9" || seen.Header.Get("User-Agent") != "aws-cli" ||
		seen.Header.Get("Connection")+seen.Header.Get("Upgrade")+seen.Header.Get("X-Hop") != "" {
		t.Errorf("expected the client's request with its own host, found %+v with %q", seen, body)
	}
	entry := last(t, proxy.Ledger())
	if entry.Operation != "" || entry.Path != "PUT /a/b/c" || string(entry.Request) != `"not json"` || entry.Status != http.StatusTeapot ||
		string(entry.Response) != `"\u003chtml\u003e"` {
		t.Errorf("found %+v", entry)
	}
}

func TestEngineThatIsGone(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	proxy := startProxy(t, Options{Upstream: gone.URL})
	client, _ := newClient(t, proxy.URL(), testRegion)
	_, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{}, func(o *dynamodb.Options) { o.RetryMaxAttempts = 1 })
	if err == nil || !strings.Contains(err.Error(), "the engine did not answer") {
		t.Errorf("expected the client to learn why, found %v", err)
	}
	if entry := last(t, proxy.Ledger()); entry.Status != http.StatusBadGateway || !strings.Contains(entry.Failure, "connection refused") {
		t.Errorf("expected the failure on record, found %+v", entry)
	}
}

func TestLargeBodies(t *testing.T) {
	proxy := startProxy(t, Options{Upstream: engineURL(t)})
	proxy.maxBody = 1000
	client, _ := newClient(t, proxy.URL(), testRegion)
	const table = "proxy-large"
	createTable(t, client, table)
	large := strings.Repeat("x", 390_000)
	for i := range 3 {
		_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(table), Item: item("a", fmt.Sprint(i), large)})
		require.NoError(t, err)
	}
	if entry := last(t, proxy.Ledger()); !entry.Truncated || entry.Request != nil || entry.Response == nil ||
		entry.RequestBytes < len(large) || len(entry.Tables) != 1 {
		t.Errorf("expected the body left out and the rest kept, found %+v", entry)
	}
	page, err := client.Query(t.Context(), &dynamodb.QueryInput{
		TableName: aws.String(table), KeyConditionExpression: aws.String("pk = :p"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":p": text("a")},
	})
	require.NoError(t, err)
	entry := last(t, proxy.Ledger())
	if !entry.Truncated || entry.Request == nil || entry.Response != nil || entry.ResponseBytes < len(page.Items)*len(large) ||
		*entry.Count != len(page.Items) || entry.HasLastEvaluatedKey != (page.LastEvaluatedKey != nil) {
		t.Errorf("expected the counts of a page that is left out, found %+v", entry)
	}
	if got := page.Items[0]["payload"].(*types.AttributeValueMemberS).Value; got != large {
		t.Errorf("expected the item whole, found %d of %d bytes", len(got), len(large))
	}
}

func TestResponsesCanBeLeftOut(t *testing.T) {
	proxy := startProxy(t, Options{Upstream: engineURL(t), DropResponses: true})
	client, _ := newClient(t, proxy.URL(), testRegion)
	_, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	require.NoError(t, err)
	if entry := last(t, proxy.Ledger()); entry.Response != nil || entry.Request == nil || entry.ResponseBytes == 0 || entry.Truncated {
		t.Errorf("expected the request alone, found %+v", entry)
	}
}

func TestManyClientsAtOnce(t *testing.T) {
	proxy := startProxy(t, Options{Upstream: engineURL(t)})
	client, sent := newClient(t, proxy.URL(), testRegion)
	const table, workers, calls = "proxy-many", 8, 25
	createTable(t, client, table)
	mark := proxy.Ledger().Len()
	var all sync.WaitGroup
	for worker := range workers {
		all.Go(func() {
			for call := range calls {
				name := fmt.Sprint(worker, "-", call)
				_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(table), Item: item(name, name, name)})
				assert.NoError(t, err)
				ids := sent.sent()
				_ = proxy.Ledger().Find(ids[len(ids)-1])
				_ = proxy.Ledger().Entries(mark)
			}
		})
	}
	all.Wait()
	entries := proxy.Ledger().Entries(mark)
	if len(entries) != workers*calls {
		t.Errorf("expected %d entries, found %d", workers*calls, len(entries))
	}
	for i, entry := range entries {
		if entry.Seq != mark+1+i || entry.Status != 200 {
			t.Errorf("expected entry %d with status 200, found %d with %d", mark+1+i, entry.Seq, entry.Status)
		}
	}
	for _, id := range sent.sent() {
		if len(proxy.Ledger().Find(id)) != 1 {
			t.Errorf("expected one entry of call %s, found %d", id, len(proxy.Ledger().Find(id)))
		}
	}
}

func TestConnectionsToTheEngineAreReused(t *testing.T) {
	var connections atomic.Int32
	engine := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") }))
	engine.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	engine.Start()
	defer engine.Close()
	proxy := startProxy(t, Options{Upstream: engine.URL})
	for range 20 {
		response := post(t, proxy.URL(), "ListTables", `{}`)
		_, err := io.Copy(io.Discard, response.Body)
		require.NoError(t, err)
	}
	assert.Equal(t, int32(1), connections.Load(), "expected one connection for requests one after the other")
}

func TestFaults(t *testing.T) {
	for _, test := range []struct {
		name          string
		fault         FaultResponse
		code, failure string // of the error that the client gets, and in the ledger
	}{
		{"throttling", FaultResponse{Status: 400, ErrorType: "ProvisionedThroughputExceededException", Message: "slow down"}, "ProvisionedThroughputExceededException: slow down", ""},
		{"internal error", FaultResponse{Status: 500, ErrorType: "InternalServerError", Message: "boom"}, "InternalServerError: boom", ""},
		{"dropped connection", FaultResponse{Drop: true}, "EOF", "injected"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var reached atomic.Int32
			engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				reached.Add(1)
				fmt.Fprint(w, "{}")
			}))
			defer engine.Close()
			proxy := startProxy(t, Options{Upstream: engine.URL})
			proxy.SetFault(func(entry Entry) *FaultResponse {
				if entry.Operation == "GetItem" && entry.Tables[0] == "t" {
					return &test.fault
				}
				return nil
			})
			client, _ := newClient(t, proxy.URL(), testRegion)
			get := func() error {
				_, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("t"), Key: key("a", "b")},
					func(o *dynamodb.Options) { o.RetryMaxAttempts = 1 })
				return err
			}
			err := get()
			entry := last(t, proxy.Ledger())
			if err == nil || !strings.Contains(err.Error(), test.code) {
				t.Errorf("expected %s, found %v", test.code, err)
			}
			if entry.Status != test.fault.Status || entry.ErrorType != test.fault.ErrorType || entry.ErrorMessage != test.fault.Message || !strings.Contains(entry.Failure, test.failure) {
				t.Errorf("expected the fault on record, found %+v", entry)
			}
			if !entry.Injected || reached.Load() != 0 {
				t.Errorf("expected the engine not to see the request, found %d requests, injected %t", reached.Load(), entry.Injected)
			}
			if _, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{}); err != nil || last(t, proxy.Ledger()).Injected {
				t.Errorf("expected other requests to pass, found %v", err)
			}
			proxy.SetFault(nil)
			if err := get(); err != nil || last(t, proxy.Ledger()).Injected {
				t.Errorf("expected requests to pass once the fault is gone, found %v", err)
			}
		})
	}
}

func TestRetriesAreOneCall(t *testing.T) {
	var asked atomic.Int32
	proxy := startProxy(t, Options{Upstream: engineURL(t)})
	proxy.SetFault(func(Entry) *FaultResponse {
		if asked.Add(1) == 1 {
			return &FaultResponse{Status: 500, ErrorType: "InternalServerError"}
		}
		return nil
	})
	client, sent := newClient(t, proxy.URL(), testRegion)
	atOnce := func(o *dynamodb.Options) {
		o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) { o.MaxBackoff = time.Nanosecond })
	}
	_, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{}, atOnce)
	require.NoError(t, err)
	found := proxy.Ledger().Find(sent.sent()[0])
	if len(found) != 2 || found[0].Attempt != 1 || found[0].Status != 500 || found[1].Attempt != 2 || found[1].Status != 200 {
		t.Errorf("expected two attempts of one call, found %+v", found)
	}
}

// slowEngine answers when told to. arrived gets one value for every request.
func slowEngine(t *testing.T) (url string, arrived, release chan struct{}) {
	t.Helper()
	arrived, release = make(chan struct{}), make(chan struct{})
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The body has to be read for the server to notice that its client is gone.
		_, _ = io.Copy(io.Discard, r.Body)
		arrived <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
		fmt.Fprint(w, "{}")
	}))
	t.Cleanup(engine.Close)
	return engine.URL, arrived, release
}

func TestCloseWaitsForRequestsUnderWay(t *testing.T) {
	upstream, arrived, release := slowEngine(t)
	proxy := startProxy(t, Options{Upstream: upstream})
	answered := make(chan error, 1)
	go func() {
		response, err := http.Post(proxy.URL(), "application/json", strings.NewReader("{}"))
		if err == nil {
			_, err = io.ReadAll(response.Body)
			_ = response.Body.Close()
		}
		answered <- err
	}()
	<-arrived
	closed := make(chan error, 1)
	go func() { closed <- proxy.Close(t.Context()) }()
	// Close has begun once the proxy takes no request any more.
	for proxy.begin() {
		proxy.end()
		runtime.Gosched()
	}
	select {
	case err := <-closed:
		t.Fatalf("expected Close to wait, found %v", err)
	default:
	}
	close(release)
	assert.NoError(t, <-closed)
	require.NoError(t, <-answered, "expected the answer in full")
	if _, err := http.Get(proxy.URL()); err == nil {
		t.Error("expected nobody to listen any more")
	}
	if proxy.Ledger().Len() != 1 {
		t.Errorf("expected the ledger to stay, found %d entries", proxy.Ledger().Len())
	}
}

func TestAnswerIsSentBeforeTheRequestIsCountedOut(t *testing.T) {
	proxy := startProxy(t, Options{Upstream: engineURL(t)})
	recorder := httptest.NewRecorder()
	proxy.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/", nil))
	if !recorder.Flushed {
		t.Error("expected the answer to be flushed: Close cuts connections off once no request is counted in")
	}
}

func TestCloseGivesUpInTime(t *testing.T) {
	upstream, arrived, _ := slowEngine(t)
	proxy, err := Start(Options{Upstream: upstream})
	require.NoError(t, err)
	failed := make(chan error, 1)
	go func() {
		response, err := http.Post(proxy.URL(), "application/json", strings.NewReader("{}"))
		if err == nil {
			_ = response.Body.Close()
		}
		failed <- err
	}()
	<-arrived
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := proxy.Close(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "found 1 still under way") {
		t.Errorf("expected the request that was given up, found %v", err)
	}
	select {
	case <-failed: //nolint:errcheck // that it ended is what is asked
	case <-time.After(testTimeout):
		t.Error("expected the client's request to end")
	}
}

func TestRequestGoesOnWithoutItsClient(t *testing.T) {
	upstream, arrived, release := slowEngine(t)
	proxy := startProxy(t, Options{Upstream: upstream})
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, proxy.URL(), strings.NewReader("{}"))
		if err != nil {
			t.Error(err)
			return
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close()
			t.Error("expected the client to give up")
		}
	}()
	<-arrived
	cancel()
	<-gone
	close(release)
	if err := proxy.Close(t.Context()); err != nil { // waits for the request
		t.Fatal(err)
	}
	if entry := last(t, proxy.Ledger()); entry.Status != 200 || entry.Failure != "" {
		t.Errorf("expected what the engine answered on record, found %+v", entry)
	}
}

func TestRequestThatBreaksOff(t *testing.T) {
	proxy := startProxy(t, Options{Upstream: engineURL(t)})
	for _, test := range []struct {
		name   string
		length int64
	}{
		{"in the middle", 100},
		{"after announcing more than there is memory", 1 << 60},
	} {
		t.Run(test.name, func(t *testing.T) {
			mark := proxy.Ledger().Len()
			connection, err := net.Dial("tcp4", strings.TrimPrefix(proxy.URL(), "http://"))
			require.NoError(t, err)
			defer connection.Close()
			_, err = fmt.Fprintf(connection, "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Amz-Target: DynamoDB_20120810.PutItem\r\nContent-Length: %d\r\n\r\n{", test.length)
			require.NoError(t, err)
			require.NoError(t, connection.(*net.TCPConn).CloseWrite())
			// The proxy closes its side once it has noticed.
			_, err = io.Copy(io.Discard, connection)
			require.NoError(t, err)
			entries := proxy.Ledger().Entries(mark)
			if len(entries) != 1 || entries[0].Status != 0 || !strings.Contains(entries[0].Failure, "did not arrive whole") || entries[0].Operation != "PutItem" {
				t.Errorf("expected the broken request on record, found %+v", entries)
			}
		})
	}
}
