package wire

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

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
	send := func(operation string) (*http.Response, string, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, proxy.URL(), strings.NewReader(`{"TableName":"asked"}`))
		require.NoError(t, err)
		request.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return nil, "", err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		return response, string(body), err
	}
	response, body, err := send("CreateTable")
	if err != nil || body != `{"a":"public"}` || response.Header.Get("X-Amz-Crc32") != "" || *got.Load() != `{"TableName":"changed"}` {
		t.Errorf("expected a changed request and a changed answer without its checksum, found %s, %s, %v", *got.Load(), body, err)
	}
	got.Store(nil)
	if response, body, err := send("DeleteTable"); err != nil || response.StatusCode != http.StatusBadRequest || !strings.Contains(body, "not yours") || got.Load() != nil {
		t.Errorf("expected the warden's refusal, found %s, %v", body, err)
	}
	proxy.SetFault(func(Entry) *FaultResponse { return &FaultResponse{Forward: true, Drop: true} })
	if _, _, err := send("CreateTable"); err == nil || warden.answers.Load() != 2 {
		t.Errorf("expected the warden to have seen 2 answers and the client 1, found %d, %v", warden.answers.Load(), err)
	}
	entries := proxy.Ledger().Entries(0)
	if len(entries) != 3 || !strings.Contains(string(entries[0].Request), "asked") || !entries[1].Injected {
		t.Errorf("expected the requests as the client sent them and the refusal marked, found %+v", entries)
	}
}
