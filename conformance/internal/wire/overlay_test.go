package wire

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
)

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
					if problem, refused := answer.(refusal); refused || step.Refused != "" {
						assert.Contains(t, problem.message, step.Refused, where)
						assert.NotEmpty(t, step.Refused, "%s: expected an answer, found %s", where, problem.message)
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
