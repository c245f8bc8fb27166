//go:build unix

package cli_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	neturl "net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// dripping is an engine whose answers to an operation never come whole.
func dripping(t *testing.T, operation string) (url string) {
	t.Helper()
	upstream, err := neturl.Parse(engine(t).URL())
	require.NoError(t, err)
	pass, ended := httputil.NewSingleHostReverseProxy(upstream), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.Header.Get("X-Amz-Target"), "."+operation) {
			pass.ServeHTTP(w, r)
			return
		}
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write([]byte("{")) // and no more
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
		case <-ended:
		}
	}))
	t.Cleanup(func() {
		close(ended)
		server.Close()
	})
	return server.URL
}

// A run on an engine whose answers never end is over when its time is, and fails no
// claim.
func TestTimeoutEndsTheRun(t *testing.T) {
	t.Parallel()
	url := dripping(t, "Query")
	var c *child
	for timeout := 3 * time.Second; ; timeout *= 4 { // a machine that is busy deploys slowly
		c = run(t, "", 3, "verify", "roll-model", "--endpoint", url, "--timeout", timeout.String())
		says(t, "errors", c.stderr.String(), timeout.String()+" are over (--timeout)")
		if !strings.Contains(c.stdout.String(), "could not be examined") || timeout > patience {
			break
		}
	}
	says(t, "summary", c.stdout.String(), "not examined: the time of --timeout was over before", "INDETERMINATE")
	if seen := read(t, c); len(seen.Results()) == 0 {
		t.Error("expected a verdict on every claim, found none")
	} else {
		for _, result := range seen.Results() {
			if result.Verdict == "fail" {
				t.Errorf("expected no claim to fail, found %s", result.ID)
			}
		}
	}
}
