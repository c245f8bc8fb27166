package wire

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dynaproof/conformance/target"
)

// A page of anybody's that is open in a browser on this machine reaches no engine, and learns nothing from one.
func TestPagesOfABrowserAreRefused(t *testing.T) {
	reached := 0
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached++
		w.Header().Set("Access-Control-Allow-Origin", "*")
		fmt.Fprint(w, `{"TableNames":["secret"]}`)
	}))
	defer engine.Close()
	proxy := startProxy(t, Options{Upstream: engine.URL})
	own := strings.TrimPrefix(proxy.URL(), "http://")
	for _, row := range []struct {
		name, method, origin, host string
		status                     int
	}{
		{"a page asks first", http.MethodOptions, "http://evil.example", own, http.StatusForbidden},
		{"a page posts", http.MethodPost, "http://evil.example", own, http.StatusForbidden},
		{"a file", http.MethodPost, "null", own, http.StatusForbidden},
		{"a name that points here", http.MethodPost, "", "evil.example:80", http.StatusForbidden},
		{"no host", http.MethodPost, "", "evil.example@127.0.0.1", http.StatusForbidden},
		{"a client", http.MethodPost, "", own, http.StatusOK},
		{"a client by name", http.MethodPost, "", "localhost:1", http.StatusOK},
	} {
		t.Run(row.name, func(t *testing.T) {
			before, entries := reached, proxy.Ledger().Len()
			request, err := http.NewRequestWithContext(t.Context(), row.method, proxy.URL(), strings.NewReader("{}"))
			require.NoError(t, err)
			request.Host = row.host
			request.Header.Set("X-Amz-Target", "DynamoDB_20120810.ListTables")
			if row.origin != "" {
				request.Header.Set("Origin", row.origin)
			}
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			passed := map[bool]int{true: 1}[row.status == http.StatusOK]
			if response.StatusCode != row.status || reached-before != passed || proxy.Ledger().Len()-entries != passed {
				t.Errorf("expected status %d and %d requests, found %d, %d at the engine and %d in the ledger", row.status, passed, response.StatusCode, reached-before, proxy.Ledger().Len()-entries)
			}
			if passed == 0 && strings.Contains(string(body), "secret") || response.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("expected nothing for a page, found %v %s", response.Header, body)
			}
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
		"bytes that drip": {"{", 50 * time.Millisecond, http.StatusGatewayTimeout, "deadline exceeded"},
		"a body for ever": {strings.Repeat("x", 1<<20), time.Minute, http.StatusBadGateway, "at most 32 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			proxy := startProxy(t, Options{Upstream: endless(t, row.chunk)})
			proxy.transport = target.Bounded(target.NewTransport(), row.time)
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, proxy.URL(), strings.NewReader("{}"))
			require.NoError(t, err)
			request.Header.Set("X-Amz-Target", "DynamoDB_20120810.GetItem")
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			defer response.Body.Close()
			if found := last(t, proxy.Ledger()).Failure; response.StatusCode != row.status || !strings.Contains(found, row.want) {
				t.Errorf("expected status %d and %q, found %d and %q", row.status, row.want, response.StatusCode, found)
			}
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
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("expected the connection to be closed, found it open")
			}
		})
	}
}
