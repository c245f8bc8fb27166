package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/target"
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
			require.ErrorAs(t, err, new(*target.ConfigError))
			require.NotContains(t, err.Error(), "\n", "expected one line")
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
	request.Header = http.Header{
		"X-Client": {"kept"}, "X-Forwarded-For": {"127.0.0.9"}, "User-Agent": {"aws-cli"},
		"Connection": {"Upgrade, X-Hop"}, "Upgrade": {"websocket"}, "X-Hop": {"of this connection"},
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	assert.Equal(t, "418 <html> kept", fmt.Sprint(response.StatusCode, " ", string(answer), " ", response.Header.Get("X-Engine")), "the engine's answer as it is")
	asked := []string{seen.Method, seen.RequestURI, string(body), "http://" + seen.Host}
	assert.Equal(t, []string{http.MethodPut, "/a%2Fb/c?d=e;f&g=%zz", "not json", proxy.URL()}, asked, "the client's request with its own host")
	for name, want := range map[string]string{"X-Client": "kept", "X-Forwarded-For": "127.0.0.9", "User-Agent": "aws-cli", "Connection": "", "Upgrade": "", "X-Hop": ""} {
		assert.Equal(t, want, seen.Header.Get(name), name)
	}
	entry := last(t, proxy.Ledger())
	assert.Equal(t, []any{"", "PUT /a/b/c", http.StatusTeapot}, []any{entry.Operation, entry.Path, entry.Status})
	assert.Equal(t, []string{`"not json"`, `"\u003chtml\u003e"`}, []string{string(entry.Request), string(entry.Response)})
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
	entry := last(t, proxy.Ledger())
	assert.True(t, entry.Truncated && entry.Request == nil && entry.Response != nil, "expected the request's body left out, found %+v", entry)
	assert.True(t, entry.RequestBytes >= len(large) && len(entry.Tables) == 1, "expected the rest kept, found %+v", entry)
	page, err := client.Query(t.Context(), &dynamodb.QueryInput{
		TableName: aws.String(table), KeyConditionExpression: aws.String("pk = :p"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":p": text("a")},
	})
	require.NoError(t, err)
	entry = last(t, proxy.Ledger())
	assert.True(t, entry.Truncated && entry.Request != nil && entry.Response == nil, "expected the page left out, found %+v", entry)
	assert.GreaterOrEqual(t, entry.ResponseBytes, len(page.Items)*len(large))
	assert.Equal(t, []any{len(page.Items), page.LastEvaluatedKey != nil}, []any{*entry.Count, entry.HasLastEvaluatedKey}, "the counts of the page")
	got := page.Items[0]["payload"].(*types.AttributeValueMemberS).Value
	assert.True(t, got == large, "expected the item whole, found %d of %d bytes", len(got), len(large))
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
	assert.Len(t, entries, workers*calls, "expected %d entries", workers*calls)
	for i, entry := range entries {
		assert.Equal(t, []int{mark + 1 + i, 200}, []int{entry.Seq, entry.Status})
	}
	for _, id := range sent.sent() {
		assert.Len(t, proxy.Ledger().Find(id), 1, "expected one entry of call %s", id)
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
	require.Len(t, found, 2, "attempts of one call")
	assert.Equal(t, []int{1, 500, 2, 200}, []int{found[0].Attempt, found[0].Status, found[1].Attempt, found[1].Status})
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

// posted sends a request, and tells when its answer has come whole, or what came instead.
func posted(proxy *Proxy) (ended <-chan error) {
	told := make(chan error, 1)
	go func() {
		response, err := http.Post(proxy.URL(), "application/json", strings.NewReader("{}"))
		if err == nil {
			_, err = io.ReadAll(response.Body)
			_ = response.Body.Close()
		}
		told <- err
	}()
	return told
}

func TestCloseWaitsForRequestsUnderWay(t *testing.T) {
	upstream, arrived, release := slowEngine(t)
	proxy := startProxy(t, Options{Upstream: upstream})
	answered := posted(proxy)
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
	_, err := http.Get(proxy.URL())
	assert.Error(t, err, "expected nobody to listen any more")
	assert.Equal(t, 1, proxy.Ledger().Len(), "expected the ledger to stay")
}

func TestAnswerIsSentBeforeTheRequestIsCountedOut(t *testing.T) {
	proxy := startProxy(t, Options{Upstream: engineURL(t)})
	recorder := httptest.NewRecorder()
	proxy.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/", nil))
	assert.True(t, recorder.Flushed, "expected the answer to be flushed: Close cuts connections off once no request is counted in")
}

func TestCloseGivesUpInTime(t *testing.T) {
	upstream, arrived, _ := slowEngine(t)
	proxy, err := Start(Options{Upstream: upstream})
	require.NoError(t, err)
	failed := posted(proxy)
	<-arrived
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	err = proxy.Close(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.ErrorContains(t, err, "found 1 still under way")
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
		assert.NoError(t, err)
		_, err = http.DefaultClient.Do(request)
		assert.ErrorIs(t, err, context.Canceled, "expected the client to give up")
	}()
	<-arrived
	cancel()
	<-gone
	close(release)
	require.NoError(t, proxy.Close(t.Context())) // waits for the request
	entry := last(t, proxy.Ledger())
	assert.True(t, entry.Status == 200 && entry.Failure == "", "expected what the engine answered on record, found %+v", entry)
}

func TestRequestThatBreaksOff(t *testing.T) {
	proxy := startProxy(t, Options{Upstream: engineURL(t)})
	for name, length := range map[string]int64{"in the middle": 100, "after announcing more than there is memory": 1 << 60} {
		t.Run(name, func(t *testing.T) {
			mark := proxy.Ledger().Len()
			connection, err := net.Dial("tcp4", strings.TrimPrefix(proxy.URL(), "http://"))
			require.NoError(t, err)
			defer connection.Close()
			_, err = fmt.Fprintf(connection, "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Amz-Target: DynamoDB_20120810.PutItem\r\nContent-Length: %d\r\n\r\n{", length)
			require.NoError(t, err)
			require.NoError(t, connection.(*net.TCPConn).CloseWrite())
			// The proxy closes its side once it has noticed.
			_, err = io.Copy(io.Discard, connection)
			require.NoError(t, err)
			entries := proxy.Ledger().Entries(mark)
			require.Len(t, entries, 1, "expected the broken request on record")
			assert.Equal(t, "PutItem 0", fmt.Sprint(entries[0].Operation, " ", entries[0].Status))
			assert.Contains(t, entries[0].Failure, "did not arrive whole")
		})
	}
}

// endless sends an answer's headers, and then bytes for as long as somebody reads.
func endless(t *testing.T, chunk string) string {
	t.Helper()
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, chunk); err != nil {
				return
			}
			if err := http.NewResponseController(w).Flush(); err != nil {
				return
			}
			if len(chunk) == 1 { // one byte, and no further one
				<-r.Context().Done()
			}
		}
	}))
	t.Cleanup(engine.Close)
	return engine.URL
}

// An answer that has no end ends at a bound, of time or of length, and the ledger says at which.
func TestAnswersHaveBounds(t *testing.T) {
	for name, row := range map[string]struct {
		chunk  string
		time   time.Duration
		status int
		want   string
	}{
		"bytes that drip": {"{", 50 * time.Millisecond, http.StatusGatewayTimeout, "no whole answer within 50ms"},
		"a body for ever": {strings.Repeat("x", 1<<20), time.Minute, http.StatusBadGateway, "at most 32 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			proxy := startProxy(t, Options{Upstream: endless(t, row.chunk)})
			proxy.transport = target.Bounded(target.NewTransport(), row.time)
			assert.Equal(t, row.status, post(t, proxy.URL(), "GetItem", "{}").StatusCode)
			assert.Contains(t, last(t, proxy.Ledger()).Failure, row.want, "expected status %d and %q", row.status, row.want)
		})
	}
}

// A client that does not send the whole of its request loses its connection, however it drips.
func TestSlowRequestsAreClosed(t *testing.T) {
	proxy := startProxy(t, Options{Upstream: "http://127.0.0.1:1", Whole: 100 * time.Millisecond})
	for name, sent := range map[string]string{
		"headers": "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n",
		"body":    "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{",
		"chunks":  "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(proxy.URL(), "http://"))
			require.NoError(t, err)
			defer connection.Close()
			_, err = io.WriteString(connection, sent)
			require.NoError(t, err)
			require.NoError(t, connection.SetReadDeadline(time.Now().Add(testTimeout)))
			_, err = io.Copy(io.Discard, connection) // ends when the connection does
			assert.NotErrorIs(t, err, os.ErrDeadlineExceeded, "expected the connection to be closed, found it open")
		})
	}
}

// watching is a warden that refuses DeleteTable, and changes every other request and answer.
type watching struct{ answers atomic.Int64 }

func (w *watching) Admit(entry Entry, body []byte) ([]byte, *FaultResponse) {
	if entry.Operation == "DeleteTable" {
		return nil, &FaultResponse{Status: http.StatusBadRequest, ErrorType: "ValidationException", Message: "not yours"}
	}
	return []byte(strings.ReplaceAll(string(body), "asked", "changed")), nil
}

func (w *watching) Answered(entry Entry, body []byte) ([]byte, *FaultResponse) {
	w.answers.Add(1)
	if entry.Status != http.StatusOK {
		return body, nil
	}
	return []byte(strings.ReplaceAll(string(body), "secret", "public")), nil
}

// A warden sees every answer before the client, whatever fault there is, and what it refuses reaches
// no engine.
func TestWarden(t *testing.T) {
	var got atomic.Pointer[string]
	upstream := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		text := string(body)
		got.Store(&text)
		writer.Header().Set("X-Amz-Crc32", "1")
		_, _ = io.WriteString(writer, `{"a":"secret"}`)
	}))
	t.Cleanup(upstream.Close)
	proxy := startProxy(t, Options{Upstream: upstream.URL})
	warden := &watching{}
	proxy.SetWarden(warden)
	const request = `{"TableName":"asked"}`
	made := ask(t, proxy.URL(), "CreateTable", testRegion, request, nil)
	assert.Equal(t, json.RawMessage(`{"a":"public"}`), made["body"], "expected a changed answer")
	assert.NotContains(t, made["header"], "X-Amz-Crc32", "expected it without its checksum")
	assert.Equal(t, `{"TableName":"changed"}`, *got.Load(), "expected a changed request")
	got.Store(nil)
	refused := ask(t, proxy.URL(), "DeleteTable", testRegion, request, nil)
	assert.Equal(t, http.StatusBadRequest, refused["status"])
	assert.Contains(t, fmt.Sprintf("%s", refused["body"]), "not yours")
	assert.Nil(t, got.Load(), "expected the warden's refusal to reach no engine")
	proxy.SetFault(func(Entry) *FaultResponse { return &FaultResponse{Forward: true, Drop: true} })
	assert.Contains(t, ask(t, proxy.URL(), "CreateTable", testRegion, request, nil), "failure", "expected no answer for the client")
	assert.EqualValues(t, 2, warden.answers.Load(), "answers that the warden has seen")
	entries := proxy.Ledger().Entries(0)
	require.Len(t, entries, 3)
	assert.Equal(t, request, string(entries[0].Request), "expected the request as the client sent it")
	assert.True(t, entries[1].Injected, "expected the refusal marked")
}

// FuzzProxy sends any body as any operation, and lets the engine answer with it:
// both pass unchanged, the entry is in the ledger and has a JSON form.
func FuzzProxy(f *testing.F) {
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		if len(body)%3 == 1 {
			w.WriteHeader(http.StatusBadRequest)
		}
		_, _ = w.Write(body)
	}))
	f.Cleanup(engine.Close)
	proxy := startProxy(f, Options{Upstream: engine.URL})
	transport := target.NewTransport()
	f.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport}
	for _, operation := range []string{"Query", "BatchWriteItem", "TransactWriteItems", "DescribeContinuousBackups", "", "é"} {
		for _, body := range []string{`{"TableName":"t","Limit":3,"ReturnConsumedCapacity":"TOTAL"}`, `{"Items":[],"Count":"x","ConsumedCapacity":{"CapacityUnits":1e400}}`,
			`{"RequestItems":{"t":null}}`, `{"TransactItems":[{"Put":{"TableName":7}}]}`, `{"__type":"x#y","message":{}}`, `[`, "", "\xff\x00", "null", `"text"`} {
			f.Add(operation, []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, operation string, body []byte) {
		request, err := http.NewRequest(http.MethodPost, proxy.URL(), bytes.NewReader(body))
		require.NoError(t, err)
		request.Header.Set("X-Amz-Target", targetPrefix+operation)
		before := proxy.Ledger().Len()
		response, err := client.Do(request)
		if err != nil {
			require.Equal(t, before, proxy.Ledger().Len(), "a request that the client could not send is on record: %v", err)
			return // not a header that HTTP can carry
		}
		defer response.Body.Close()
		found, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.Equal(t, string(body), string(found))
		entries := proxy.Ledger().Entries(before)
		require.Len(t, entries, 1)
		require.Equal(t, []int{len(body), len(body)}, []int{entries[0].RequestBytes, entries[0].ResponseBytes}, "bytes of %+v", entries[0])
		_, err = json.Marshal(entries[0])
		require.NoError(t, err, "the entry has no JSON form")
	})
}

// exchange is what passes between a client and an engine by way of a proxy.
type exchange struct {
	Name string
	// Engine has the answers of a fake engine by operation, which answers {} to all others; without it the engine is the embedded one. Gone
	// says that it has ended.
	Engine map[string]struct {
		Status int
		Body   string
	}
	Gone bool
	// LeavesOut says that answers are left out of the ledger, and Fault is what goes wrong with an operation.
	LeavesOut bool `yaml:"leaves-out"`
	Fault     struct {
		Operation     string
		FaultResponse `yaml:",inline"`
	}
	Steps []struct {
		// Past says that the request goes past the proxy, and Unfaulted that nothing goes wrong any more.
		Past, Unfaulted              bool
		Region, Method, Origin, Host string
		Sends                        map[string]any
		Finds                        map[string]any
	}
}

func TestExchanges(t *testing.T) {
	for _, row := range tabletest.Read[[]exchange](t, "exchanges.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			reached, upstream := 0, ""
			if row.Engine == nil {
				upstream = engineURL(t)
				t.Cleanup(func() { ask(t, upstream, "DeleteTable", testRegion, `{"TableName":"exchanged"}`, nil) })
			} else {
				engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					reached++
					// What an engine sends for its own body must not stay on another one, and what it lets pages read is not let on.
					w.Header().Set("X-Amz-Crc32", "1")
					w.Header().Set("X-Amzn-Requestid", "engine-id")
					w.Header().Set("Access-Control-Allow-Origin", "*")
					answer, told := row.Engine[strings.TrimPrefix(r.Header.Get("X-Amz-Target"), targetPrefix)]
					if !told {
						answer.Status, answer.Body = http.StatusOK, "{}"
					}
					w.WriteHeader(answer.Status)
					fmt.Fprint(w, answer.Body)
				}))
				t.Cleanup(engine.Close)
				if upstream = engine.URL; row.Gone {
					engine.Close()
				}
			}
			proxy := startProxy(t, Options{Upstream: upstream, DropResponses: row.LeavesOut})
			if row.Fault.Operation != "" {
				proxy.SetFault(func(entry Entry) *FaultResponse {
					if entry.Operation == row.Fault.Operation {
						return &row.Fault.FaultResponse
					}
					return nil
				})
			}
			for i, step := range row.Steps {
				if step.Unfaulted {
					proxy.SetFault(nil)
				}
				url, region := proxy.URL(), testRegion
				if step.Past {
					url = upstream
				}
				if step.Region != "" {
					region = step.Region
				}
				for operation, input := range step.Sends {
					body, err := json.Marshal(input)
					require.NoError(t, err)
					before := proxy.Ledger().Len()
					answer := ask(t, url, operation, region, string(body), func(r *http.Request) {
						if step.Method != "" {
							r.Method = step.Method
						}
						if step.Origin != "" {
							r.Header.Set("Origin", step.Origin)
						}
						if step.Host != "" {
							r.Host = step.Host
						}
					})
					entries := proxy.Ledger().Entries(before)
					answer["reached"], answer["new"] = reached, len(entries)
					if len(entries) > 0 {
						answer["entry"] = entries[0]
					}
					tabletest.Finds(t, fmt.Sprintf("step %d, %s", i+1, operation), answer, step.Finds)
				}
			}
		})
	}
}

// TestAmendedAnswers: an answer that a fault amends has no checksum of the body as it was, which SDKs would check.
func TestAmendedAnswers(t *testing.T) {
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Amz-Crc32", "1")
		fmt.Fprint(w, `{"Items":[]}`)
	}))
	defer engine.Close()
	proxy := startProxy(t, Options{Upstream: engine.URL})
	proxy.SetFault(func(Entry) *FaultResponse {
		return &FaultResponse{Forward: true, Amend: func([]byte) []byte { return []byte(`{}`) }}
	})
	answer := ask(t, proxy.URL(), "Scan", testRegion, `{"TableName":"amended"}`, nil)
	assert.Equal(t, json.RawMessage(`{}`), answer["body"])
	assert.NotContains(t, answer["header"], "X-Amz-Crc32")
}

// ask sends a request as a client signs it, and returns what came of it.
func ask(t *testing.T, url, operation, region, body string, change func(*http.Request)) map[string]any {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	request.Header = http.Header{
		"X-Amz-Target": {targetPrefix + operation}, "Content-Type": {"application/x-amz-json-1.0"}, "X-Amz-Date": {"20260601T000000Z"},
		"Authorization": {"AWS4-HMAC-SHA256 Credential=test/20260601/" + region + "/dynamodb/aws4_request, SignedHeaders=host, Signature=00"},
	}
	if change != nil {
		change(request)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return map[string]any{"failure": err.Error()}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	header := map[string]string{}
	for name := range response.Header {
		header[name] = response.Header.Get(name)
	}
	answer := map[string]any{"status": response.StatusCode, "header": header, "body": string(text)}
	if json.Valid(text) {
		answer["body"] = json.RawMessage(text)
	}
	return answer
}

// What the overlays say of a table, and what they refuse.
func TestFeatures(t *testing.T) {
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, row := range tabletest.Read[[]struct {
		Name  string
		Steps []struct {
			After   time.Duration
			Asks    map[string]any
			Answers map[string]any
			Refused string
		}
	}](t, "features.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			now := start
			clock := func() time.Time { return now }
			all := newOverlays(continuousBackups(clock), resourcePolicies(clock), timeToLive())
			var setting any
			for i, step := range row.Steps {
				now = start.Add(step.After)
				for operation, input := range step.Asks {
					where := fmt.Sprintf("step %d, %s", i+1, operation)
					body, err := json.Marshal(input)
					require.NoError(t, err)
					is, answer := all.byOperation[operation].answer(operation, body, setting)
					if problem, refused := answer.(*FaultResponse); refused || step.Refused != "" {
						require.True(t, refused && step.Refused != "", "%s: found %v", where, answer)
						assert.Contains(t, problem.Message, step.Refused, where)
						assert.Equal(t, setting, is, "%s: expected a refusal to change nothing", where)
						continue
					}
					tabletest.Finds(t, where, answer, step.Answers)
					setting = is
				}
			}
		})
	}
	_, answer := resourcePolicies(time.Now).answer("PutResourcePolicy", []byte(`{"Policy":"{\"a\": \"`+strings.Repeat("b", maxResourcePolicy)+`\"}"}`), nil)
	assert.Contains(t, fmt.Sprint(answer), "at most 20480")
}

// An answer that an overlay behind this proxy made is no answer of an engine either.
func TestAnOverlayBehindTheProxyIsSeen(t *testing.T) {
	const table = "overlay-behind"
	behind := startProxy(t, Options{Upstream: engineURL(t)})
	owner, _ := newClient(t, behind.URL(), testRegion)
	createTable(t, owner, table)
	proxy := startProxy(t, Options{Upstream: behind.URL()})
	audit, _ := newClient(t, proxy.URL(), testRegion)
	_, err := audit.DescribeContinuousBackups(t.Context(), &dynamodb.DescribeContinuousBackupsInput{TableName: aws.String(table)})
	require.NoError(t, err)
	entry := last(t, proxy.Ledger())
	assert.True(t, entry.Emulated, "expected the answer of the other proxy's overlay to be marked, found %+v", entry)
	_, err = audit.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(table)})
	require.NoError(t, err)
	assert.False(t, last(t, proxy.Ledger()).Emulated, "expected the engine's own answer not to be marked")
}

// post sends an unsigned operation.
func post(t *testing.T, url, operation, body string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("X-Amz-Target", targetPrefix+operation)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}
