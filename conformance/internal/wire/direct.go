package wire

import (
	"context"
	"errors"
	"net/http"
	"time"

	"dynaproof/conformance/target"
)

// errEnded is what a client gets whose request the proxy no longer takes.
var errEnded = errors.New("the wire has ended")

// Transport returns a transport for clients in this process. It hands their requests to the proxy without a connection
// and an HTTP server between them. The proxy does the same with them: it records them, asks the engine over the network,
// and lets overlays answer. Requests to other addresses go over a connection, and so do all while a fault is set,
// because faults act on connections.
func (p *Proxy) Transport() target.Transport {
	return &direct{p, target.Bounded(target.NewTransport(), 0)}
}

type direct struct {
	proxy *Proxy
	target.Transport
}

func (d *direct) RoundTrip(request *http.Request) (*http.Response, error) {
	p := d.proxy
	if request.URL.Host != p.address || p.faulted() != nil {
		return d.Transport.RoundTrip(request)
	}
	entry := &Entry{Started: time.Now()}
	body, err := takeBody(request)
	if err != nil {
		return nil, err
	}
	if !p.begin() {
		return nil, errEnded
	}
	// The client may be done with its request before the engine is.
	received := &http.Request{Method: request.Method, URL: request.URL, Host: p.address, Header: request.Header.Clone()}
	replied := make(chan *answer, 1)
	go func() {
		defer p.end()
		replied <- p.exchange(entry, received, body)
	}()
	select {
	case <-request.Context().Done():
		return nil, context.Cause(request.Context())
	case reply := <-replied:
		return reply.response(request)
	}
}
