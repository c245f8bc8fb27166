package wire

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"dynaproof/conformance/target"
)

const (
	// keptBody is the longest body that a ledger keeps, in bytes. DynamoDB's pages hold 1 MB of items at most, which JSON makes
	// longer. A longer one is left out and the entry is marked Truncated; it is forwarded all the same.
	keptBody = 2 << 20
	// headerTimeout bounds the wait for a request's headers once its first byte is there.
	headerTimeout = 30 * time.Second
	// requestTimeout bounds the wait for a whole request. DynamoDB's longest has 16 MB.
	requestTimeout = time.Minute
)

// Options are the choices for [Start].
type Options struct {
	// Upstream is the URL of the engine. It must be on loopback.
	Upstream string
	// Port is the port to listen on, on 127.0.0.1; 0 takes a free one.
	Port int
	// DropResponses leaves the bodies of answers out of the ledger, to bound the memory of long runs. All other fields are
	// kept.
	DropResponses bool
	// Whole bounds the wait for a whole request of a client, whose connection is then closed; 0 means a minute.
	Whole time.Duration
	// Sequence numbers the entries of several proxies through. Nil numbers those of this proxy from 1.
	Sequence *Sequence
	// Unanswered is called when the engine did not answer a request, before the client is told. It may set a fault.
	// Nil is not called.
	Unanswered func()
}

// Proxy records what passes between clients and an engine.
type Proxy struct {
	upstream  *url.URL
	options   Options
	transport target.Transport
	// reverse takes requests off connections and sends answers out to them.
	reverse  *httputil.ReverseProxy
	server   *http.Server
	address  string
	overlays *overlays
	fault    atomic.Pointer[Fault]
	warden   atomic.Pointer[Warden]
	witness

	// life ends when requests that are still under way have to be given up.
	life   context.Context
	giveUp context.CancelFunc

	mutex    sync.Mutex
	inFlight int
	closing  bool
	// idle is closed when the proxy is closing and no request is under way.
	idle chan struct{}
}

// answer is what a client gets.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// with is the answer with another body.
func (a *answer) with(body []byte) *answer {
	changed := &answer{a.status, a.header.Clone(), body}
	changed.header.Del("X-Amz-Crc32") // of the body as it was
	return changed
}

// errDropped is what a client gets in place of an answer that a fault dropped.
var errDropped = errors.New("the connection was dropped by an injected fault")

// response returns the answer in the form that transports return: an error where the client gets none.
func (a *answer) response(request *http.Request) (*http.Response, error) {
	if a == nil {
		return nil, errDropped
	}
	a.header.Set("Content-Length", strconv.Itoa(len(a.body)))
	return &http.Response{
		StatusCode: a.status, Status: fmt.Sprintf("%d %s", a.status, http.StatusText(a.status)), Header: a.header, Request: request,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		ContentLength: int64(len(a.body)), Body: io.NopCloser(bytes.NewReader(a.body)),
	}, nil
}

// Start listens on loopback and returns a proxy that runs until Close. An upstream that is not on loopback and a port
// that is taken are a [*target.ConfigError]. The engine is not contacted: whether it answers shows with the first request.
func Start(options Options) (*Proxy, error) {
	upstream, err := target.CheckLoopback(options.Upstream)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(options.Port)))
	if err != nil {
		return nil, listenError(options.Port, err)
	}
	p := &Proxy{
		upstream:  upstream,
		options:   options,
		transport: target.Bounded(target.NewTransport(), 0),
		address:   listener.Addr().String(),
		overlays:  newOverlays(continuousBackups(time.Now), resourcePolicies(time.Now), timeToLive()),
		idle:      make(chan struct{}),
		witness:   witness{ledger: newLedger(options.Sequence), maxBody: keptBody, dropResponses: options.DropResponses},
	}
	p.reverse = &httputil.ReverseProxy{
		Rewrite:      passOn,
		Transport:    taking{p},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	p.life, p.giveUp = context.WithCancel(context.Background())
	whole := cmp.Or(options.Whole, requestTimeout)
	p.server = &http.Server{
		Handler: p, ReadHeaderTimeout: min(headerTimeout, whole), ReadTimeout: whole,
		IdleTimeout: -1, // clients keep connections for the whole of a run
	}
	go func() { _ = p.server.Serve(listener) }() // ends with Close, always with ErrServerClosed
	return p, nil
}

// listenError says why the proxy cannot listen.
func listenError(port int, err error) error {
	found := err.Error()
	if errors.Is(err, syscall.EADDRINUSE) {
		found = "another program that listens on it"
	}
	return &target.ConfigError{Problem: target.Problem{
		Where:    "proxy",
		Expected: fmt.Sprintf("port %d on 127.0.0.1 to be free", port),
		Found:    found,
		Instead:  "choose another port, or 0 for any free one",
		Err:      err,
	}}
}

// URL returns the address that clients use as DynamoDB's endpoint.
func (p *Proxy) URL() string { return "http://" + p.address }

// Close stops listening, waits for the requests under way and returns when the last answer is sent. When ctx ends first
// they are given up and the error says how many there were. The engine keeps running. Close may be called again.
func (p *Proxy) Close(ctx context.Context) error {
	p.mutex.Lock()
	if !p.closing {
		p.closing = true
		if p.inFlight == 0 {
			close(p.idle)
		}
	}
	p.mutex.Unlock()

	var late error
	select {
	case <-p.idle:
	case <-ctx.Done():
		p.mutex.Lock()
		left := p.inFlight
		p.mutex.Unlock()
		if left > 0 {
			late = fmt.Errorf("proxy: expected all requests to end in time, found %d still under way, which were given up: %w",
				left, ctx.Err())
		}
	}
	p.giveUp()
	// Not Shutdown: it waits seconds for connections on which a client never sent anything, and nothing is under way.
	closed := p.server.Close()
	p.transport.CloseIdleConnections()
	return errors.Join(late, closed)
}

// begin counts a request in, unless the proxy is closing.
func (p *Proxy) begin() bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.closing {
		return false
	}
	p.inFlight++
	return true
}

// end counts a request out.
func (p *Proxy) end() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.inFlight--
	if p.closing && p.inFlight == 0 {
		close(p.idle)
	}
}

// ServeHTTP implements http.Handler: it records one request, and forwards it unless a fault answers.
func (p *Proxy) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	if !p.begin() {
		panic(http.ErrAbortHandler) // closes the connection, as if the proxy were gone already
	}
	defer p.end()
	request.Body = http.MaxBytesReader(writer, request.Body, target.MaxAnswer)
	p.reverse.ServeHTTP(writer, request)
	// Sent before the request is counted out, so that Close cannot cut the answer off.
	_ = http.NewResponseController(writer).Flush()
}

// passOn lets pass what the library would change of a request, and nothing that would make another protocol of its connection.
func passOn(request *httputil.ProxyRequest) {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values, found := request.In.Header[name]; found {
			request.Out.Header[name] = values
		}
	}
	for _, name := range []string{"Connection", "Upgrade", "Te"} {
		request.Out.Header.Del(name)
	}
	request.Out.URL.RawQuery = request.In.URL.RawQuery
}

// taking is the transport of requests that came over a connection.
type taking struct{ *Proxy }

func (t taking) RoundTrip(request *http.Request) (*http.Response, error) {
	if refusal := t.foreign(request); refusal != "" {
		// It goes nowhere, so it is in no ledger.
		return (&FaultResponse{Status: http.StatusForbidden, ErrorType: "AccessDeniedException", Message: refusal}).answer().response(request)
	}
	entry := &Entry{Started: time.Now()}
	body, err := takeBody(request)
	if err != nil {
		entry.readRequest(request, body)
		entry.Failure = "the request's body did not arrive whole: " + err.Error()
		t.record(entry)
		return nil, err
	}
	return t.exchange(entry, request, body).response(request)
}

// exchange finds the answer to a request and puts both on record. Nil means that the client gets none.
func (p *Proxy) exchange(entry *Entry, request *http.Request, body []byte) *answer {
	entry.readRequest(request, body)
	reply := p.reply(entry, request, body)
	p.record(entry)
	return reply
}

// foreign says why a request is not one of a client of DynamoDB on this machine, or nothing. A browser sends Origin for a page
// of anybody's, and a name that somebody points at this machine stands in Host.
func (p *Proxy) foreign(request *http.Request) string {
	if origin := request.Header.Get("Origin"); origin != "" {
		return "expected a client of DynamoDB, found a page of a browser (Origin " + strconv.Quote(origin) + ")"
	}
	// A proxy before this one passes its own host on, which the signature covers; it is on this machine too.
	if _, err := target.CheckLoopback("http://" + request.Host); err != nil {
		return fmt.Sprintf("expected a host on this machine such as %s, found %q", p.address, request.Host)
	}
	return ""
}

// reply finds the answer to a request and completes its entry. Nil means that the client gets none.
func (p *Proxy) reply(entry *Entry, request *http.Request, body []byte) *answer {
	if fault := p.faulted(); fault != nil {
		if injected := fault(*entry); injected != nil {
			entry.Injected, entry.Fault = true, injected.Name
			return p.faulty(injected, entry, request, body)
		}
	}
	return p.answered(entry, request, body)
}

// faulty finds the answer to a request with which something goes wrong.
func (p *Proxy) faulty(fault *FaultResponse, entry *Entry, request *http.Request, body []byte) *answer {
	if fault.Delay > 0 {
		select {
		case <-p.life.Done():
		case <-time.After(fault.Delay):
		}
	}
	var engine *answer
	if fault.Forward {
		if fault.Request != nil {
			body = fault.Request
		}
		engine = p.answered(entry, request, body)
	}
	switch {
	case fault.Drop:
		entry.Status, entry.Response = 0, nil
		entry.Failure = errDropped.Error()
		if fault.Forward {
			entry.Failure += ", after the engine had answered"
		}
		return nil
	case fault.Status != 0:
		engine = fault.answer()
	case engine != nil && fault.Amend != nil && engine.status == http.StatusOK:
		engine = engine.with(fault.Amend(engine.body))
	default:
		return engine
	}
	entry.readResponse(engine.status, engine.header, engine.body)
	return engine
}

// answered lets the engine, or an overlay for what it lacks, answer.
func (p *Proxy) answered(entry *Entry, request *http.Request, body []byte) *answer {
	reply, err := p.admitted(entry, func(body []byte) (*answer, error) { return p.forward(request, body) }, body)
	if err != nil {
		entry.Failure = "the engine did not answer: " + err.Error()
		status := http.StatusBadGateway
		if errors.Is(err, context.DeadlineExceeded) {
			status = http.StatusGatewayTimeout
		}
		reply = (&FaultResponse{Status: status, ErrorType: Unanswered, Message: entry.Failure}).answer()
		entry.readResponse(reply.status, reply.header, reply.body)
		p.unanswered()
		return reply
	}
	entry.readResponse(reply.status, reply.header, reply.body)
	entry.Emulated = reply.header.Get(EmulatedHeader) != "" // by an overlay behind this one
	p.overlays.observe(entry)
	if emulated := p.overlays.replace(entry, reply, body); emulated != nil {
		reply = emulated
		entry.Emulated = true
		entry.ErrorType, entry.ErrorMessage = "", ""
		entry.readResponse(reply.status, reply.header, reply.body)
	}
	return reply
}

// unanswered tells that the engine did not answer.
func (p *Proxy) unanswered() {
	if p.options.Unanswered != nil {
		p.options.Unanswered()
	}
}

// forward sends a request to the engine and reads its answer whole. It does not end with the client: the engine carries a
// request out whether or not somebody waits, and the ledger has to tell what came of it.
func (p *Proxy) forward(request *http.Request, body []byte) (*answer, error) {
	destination := *p.upstream
	destination.Path, destination.RawPath, destination.RawQuery = request.URL.Path, request.URL.RawPath, request.URL.RawQuery
	outgoing, err := http.NewRequestWithContext(p.life, request.Method, destination.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	outgoing.Header = request.Header
	// The signature covers the host that the client addressed.
	outgoing.Host = request.Host
	response, err := p.transport.RoundTrip(outgoing)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	for name := range response.Header { // what an engine allows to pages of a browser is not its to allow here
		if strings.HasPrefix(name, "Access-Control-") {
			response.Header.Del(name)
		}
	}
	return &answer{response.StatusCode, response.Header, content}, nil
}
