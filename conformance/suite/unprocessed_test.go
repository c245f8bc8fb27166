package suite

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/conformance/evidence"
)

// A batch that was throttled in part says nothing about what is missing from it.
func TestAnUnprocessedBatchDecidesNothing(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".BatchGetItem") {
			_, _ = io.WriteString(w, `{"Responses":{"T":[]},"UnprocessedKeys":{"T":{"Keys":[{"id":{"S":"a"}}]}}}`)
			return
		}
		_, _ = io.WriteString(w, `{"UnprocessedItems":{"T":[{"DeleteRequest":{"Key":{"id":{"S":"a"}}}}]}}`)
	}))
	defer server.Close()
	client := newClient(&Input{Endpoint: server.URL, Deployment: Deployment{Region: "us-east-1"}})
	for _, input := range []any{
		&dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{}},
		&dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{}},
	} {
		o := &Observation{session: &Session{}}
		_, err := send(t.Context(), client, input)
		if err == nil {
			t.Errorf("%T: expected what was left unprocessed to be an error, found none", input)
			continue
		}
		if o.request("here", err); o.result().Verdict != evidence.Indeterminate {
			t.Errorf("%T: expected indeterminate, found %s: %v", input, o.result().Verdict, err)
		}
	}
}
