package wire

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A body that is not rewritten is not copied: what the ledger keeps is the memory
// that was forwarded.
func TestBodiesAreNotCopied(t *testing.T) {
	body := []byte(`{"TableName":"t","Key":{"id":{"S":"1"}}}`)
	request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(""))
	request.Header.Set("X-Amz-Target", targetPrefix+"GetItem")
	var entry Entry
	entry.readRequest(request, body)
	if &entry.Request[0] != &body[0] {
		t.Error("expected the ledger to keep the request's own memory, found a copy")
	}
	answer := []byte(`{"Item":{"id":{"S":"1"}}}`)
	entry.readResponse(200, request.Header, answer)
	if &entry.Response[0] != &answer[0] {
		t.Error("expected the ledger to keep the answer's own memory, found a copy")
	}
	allocated := testing.AllocsPerRun(100, func() { _ = retained(body, true) })
	if allocated != 0 {
		t.Errorf("expected to retain a body without an allocation, found %v", allocated)
	}
}
