package wire

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/conformance/target"
)

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
			if proxy.Ledger().Len() != before {
				t.Fatalf("a request that the client could not send is on record: %v", err)
			}
			return // not a header that HTTP can carry
		}
		defer response.Body.Close()
		found, err := io.ReadAll(response.Body)
		if err != nil || !bytes.Equal(found, body) {
			t.Fatalf("expected the answer %q, found %q, %v", body, found, err)
		}
		entries := proxy.Ledger().Entries(before)
		if len(entries) != 1 || entries[0].RequestBytes != len(body) || entries[0].ResponseBytes != len(body) {
			t.Fatalf("expected one entry of %d bytes, found %+v", len(body), entries)
		}
		if _, err := json.Marshal(entries[0]); err != nil {
			t.Fatalf("the entry has no JSON form: %v", err)
		}
	})
}
