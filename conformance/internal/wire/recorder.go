package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"dynaproof/conformance/target"
)

// Recorder is an HTTP transport that keeps a ledger of what one client sends. It stands in for a [Proxy] where none can stand
// between client and service: on AWS, where a request is signed for the host that it goes to. It sees every attempt as
// it was signed and every answer as it came, but only of the client that it is the transport of: the witness is the
// client's own.
type Recorder struct {
	transport target.Transport
	witness
}

var _ http.RoundTripper = (*Recorder)(nil)

// NewRecorder returns a recorder in front of a transport, whose attempts it bounds.
func NewRecorder(transport http.RoundTripper) *Recorder {
	return &Recorder{target.Bounded(transport, 0), witness{ledger: newLedger(nil), maxBody: keptBody}}
}

// WithoutResponses returns a recorder on the same transport and for the same ledger that keeps no bodies of answers.
func (r *Recorder) WithoutResponses() *Recorder {
	return &Recorder{r.transport, witness{ledger: r.ledger, maxBody: keptBody, dropResponses: true}}
}

// Close gives idle connections back.
func (r *Recorder) Close(context.Context) error {
	r.transport.CloseIdleConnections()
	return nil
}

// RoundTrip implements http.RoundTripper.
func (r *Recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	entry := &Entry{Started: time.Now()}
	body, err := takeBody(request)
	if err != nil {
		return nil, err
	}
	entry.readRequest(request, body)
	sent := request.Clone(request.Context())
	sent.Body = io.NopCloser(bytes.NewReader(body))
	response, err := r.transport.RoundTrip(sent)
	if err != nil {
		entry.Failure = "the service did not answer: " + err.Error()
		r.record(entry)
		return nil, err
	}
	content, err := io.ReadAll(response.Body)
	err = errors.Join(err, response.Body.Close())
	if err != nil {
		entry.Failure = "the answer did not come whole: " + err.Error()
		r.record(entry)
		return nil, err
	}
	entry.readResponse(response.StatusCode, response.Header, content)
	r.record(entry)
	response.Body = io.NopCloser(bytes.NewReader(content))
	return response, nil
}

// takeBody reads a request's body, which the transport then may not.
func takeBody(request *http.Request) ([]byte, error) {
	if request.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(request.Body)
	return body, errors.Join(err, request.Body.Close())
}
