package target

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

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
