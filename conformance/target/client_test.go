package target

import (
	"context"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/logging"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An engine that sends a client elsewhere is not followed, and the SDK's warnings reach
// no terminal.
func TestClientStaysWhereItIs(t *testing.T) {
	asked := 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer elsewhere.Close()
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", elsewhere.URL)
		w.WriteHeader(http.StatusTemporaryRedirect)
	}))
	defer engine.Close()
	client := NewClient(engine.URL, "us-east-1")
	if _, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{}); err == nil || asked > 0 {
		t.Errorf("expected an error and nothing sent to the other server, found %v and %d requests", err, asked)
	}
	if _, silent := client.Options().Logger.(logging.Nop); !silent {
		t.Errorf("expected a client without the SDK's warnings, found the logger %T", client.Options().Logger)
	}
	outside := NewClient("http://192.0.2.1:8000", "us-east-1")
	if _, err := outside.ListTables(t.Context(), &dynamodb.ListTablesInput{}); err == nil || !strings.Contains(err.Error(), "not a loopback address") {
		t.Errorf("expected a connection off this machine to be refused, found %v", err)
	}
}

// Clients are made here alone, and tables are listed and waited for in one way: a client
// that somebody makes by hand follows redirects, heeds proxies and waits for ever.
func TestClientsAreMadeInOnePlace(t *testing.T) {
	alone := map[string][]string{
		"dynamodb.Options{":       {"target/client.go", "internal/explain/serialise.go"}, // which sends nothing
		"dynamodb.NewFromConfig(": {"target/cloud.go"},
		"NewListTablesPaginator(": {"target/client.go"},
		"NewTableExistsWaiter(":   {"internal/tables/operator.go"},
	}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(path), "../")
		for made, places := range alone {
			if strings.Contains(string(text), made) && !slices.Contains(places, name) && !strings.HasPrefix(name, "internal/trail/trailtest/") && !strings.HasPrefix(name, "internal/test/standin/") { // which send nothing over a wire
				t.Errorf("%s: expected %s in %v alone", name, made, places)
			}
		}
		return nil
	})
	require.NoError(t, err)
}

// An answer that drips, and one without an end, end with an error.
func TestAttemptsEnd(t *testing.T) {
	gone := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		switch r.URL.Path {
		case "/drips":
			select {
			case <-r.Context().Done():
			case <-gone:
			}
		case "/endless":
			for chunk := make([]byte, 1<<20); ; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}
	}))
	defer server.Close()
	defer close(gone)
	for _, row := range []struct {
		path    string
		attempt time.Duration
		want    error
	}{
		{"/drips", 50 * time.Millisecond, context.DeadlineExceeded},
		{"/endless", 0, ErrAnswerTooLong},
		{"/whole", 0, nil},
	} {
		client := &http.Client{Transport: Bounded(NewTransport(), row.attempt)}
		response, err := client.Get(server.URL + row.path)
		if err == nil { // on a busy machine the attempt may be over before the answer begins
			_, err = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close() // what it held was looked at
		}
		assert.ErrorIs(t, err, row.want, row.path)
		client.CloseIdleConnections()
	}
}
