package wire

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type answering string

func (a answering) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(a)))}, nil
}

// The ledger keeps what it may, and the client gets the whole answer.
func TestLedgerKeepsWhatItMay(t *testing.T) {
	const whole, kept = `{"Item":{"secret":{"S":"x"}}}`, `{"Item":{}}`
	send := func(through interface {
		RoundTrip(*http.Request) (*http.Response, error)
	}, url string) string {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader([]byte(`{"TableName":"t"}`)))
		require.NoError(t, err)
		request.Header.Set("X-Amz-Target", "DynamoDB_20120810.GetItem")
		response, err := through.RoundTrip(request)
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return string(body)
	}
	recorder := NewRecorder(answering(whole))
	recorder.SetKeep(func(operation string, request, response []byte) []byte {
		if operation != "GetItem" || string(request) != `{"TableName":"t"}` || string(response) != whole {
			t.Errorf("expected the request and its answer, found %s, %s and %s", operation, request, response)
		}
		return []byte(kept)
	})
	if got := send(recorder, "http://127.0.0.1:1"); got != whole {
		t.Errorf("expected the client to get %s, found %s", whole, got)
	}
	recorder.SetKeep(nil)
	send(recorder, "http://127.0.0.1:1")
	for i, want := range []string{kept, whole} {
		assert.Equal(t, want, string(recorder.Ledger().Entries(0)[i].Response), "entry %d", i+1)
	}
}
