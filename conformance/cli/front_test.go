//go:build unix

package cli_test

import (
	"bytes"
	"context"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	neturl "net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// asked is a request on its way to an engine, or to a stand-in for AWS.
type asked struct {
	*http.Request
	body      []byte
	operation string
	// forward sends the request, as it is now, and takes the answer. The engine finishes what reached it, whether or not the client waits.
	forward func() *httptest.ResponseRecorder
}

// meeting decides what becomes of a request. The client gets its answer, or none where that is nil.
type meeting func(request *asked) (answer *httptest.ResponseRecorder)

// operationOf is the operation of a request to any service.
func operationOf(request *http.Request, body []byte) string {
	if target := request.Header.Get("X-Amz-Target"); target != "" {
		return target[strings.LastIndex(target, ".")+1:]
	}
	form, _ := neturl.ParseQuery(string(body)) // what is no form has no action
	return form.Get("Action")
}

// inFrontOf passes requests on to an engine.
func inFrontOf(t *testing.T, engineURL string) *httputil.ReverseProxy {
	t.Helper()
	upstream, err := neturl.Parse(engineURL)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(upstream)
	proxy.ErrorLog = log.New(io.Discard, "", 0) // clients that were killed
	return proxy
}

// through lets every request to an engine meet something on its way.
func through(t *testing.T, engineURL string, meet meeting) http.Handler {
	t.Helper()
	proxy := inFrontOf(t, engineURL)
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			panic(http.ErrAbortHandler) // its client was killed
		}
		one := &asked{Request: request, body: body, operation: operationOf(request, body)}
		one.forward = func() *httptest.ResponseRecorder {
			answer := httptest.NewRecorder()
			sent := request.Clone(context.WithoutCancel(request.Context()))
			sent.Body, sent.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			proxy.ServeHTTP(answer, sent)
			return answer
		}
		answer := meet(one)
		if answer == nil {
			panic(http.ErrAbortHandler)
		}
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes()) // its client may be gone
	})
}

// front is the address of what stands in front of an engine.
func front(t *testing.T, engineURL string, meet meeting) (url string) {
	t.Helper()
	server := httptest.NewServer(through(t, engineURL, meet))
	t.Cleanup(server.Close)
	return server.URL
}

// answering is an answer that no engine has given.
func answering(status int, text string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	answer.WriteHeader(status)
	answer.Body.WriteString(text)
	return answer
}

// behindEach calls after behind every answer to one of the operations, before the client gets it.
func behindEach(t *testing.T, engineURL string, after func(), operations ...string) (url string) {
	t.Helper()
	return front(t, engineURL, func(request *asked) *httptest.ResponseRecorder {
		answer := request.forward()
		if slices.Contains(operations, request.operation) {
			after()
		}
		return answer
	})
}

// stage stands in front of an engine. One request at a time goes through, since moto does not keep concurrent clients apart, and a rule may act
// on the n-th of an operation.
type stage struct {
	url, engine string

	mu   sync.Mutex
	seen map[string]int
	rule rule
	shut bool

	connections sync.Mutex
	open        map[net.Conn]bool
}

// rule acts on the n-th request of an operation, or on all where n is 0.
type rule struct {
	operation string
	n         int
	act       meeting
}

func newStage(t *testing.T, url string) *stage {
	t.Helper()
	g := &stage{engine: url, seen: map[string]int{}, open: map[net.Conn]bool{}}
	server := httptest.NewUnstartedServer(through(t, url, g.meets))
	server.Config.ConnState = func(connection net.Conn, state http.ConnState) {
		g.connections.Lock()
		defer g.connections.Unlock()
		if state == http.StateClosed {
			delete(g.open, connection)
		} else {
			g.open[connection] = true
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	g.url = server.URL
	return g
}

func (g *stage) meets(request *asked) *httptest.ResponseRecorder {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		return nil
	}
	g.seen[request.operation]++
	if g.rule.act != nil && g.rule.operation == request.operation && (g.rule.n == g.seen[request.operation] || g.rule.n == 0) {
		return g.rule.act(request)
	}
	return request.forward()
}

// expect sets the rule, and forgets what was counted.
func (g *stage) expect(r rule) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rule, g.seen = r, map[string]int{}
}

// moment is the n-th request of an operation: behind the engine's answer, or ahead of it, before the engine gets the request.
type moment struct {
	operation string
	n         int
	ahead     bool
}

// signals sends a run a signal at a moment. One that is killed there learns of no answer, and nothing of it goes through afterwards.
func (g *stage) signals(c *child, signal syscall.Signal, at moment) {
	g.connections.Lock()
	clear(g.open) // those of runs before, which may be used again
	g.connections.Unlock()
	g.expect(rule{at.operation, at.n, func(request *asked) (answer *httptest.ResponseRecorder) {
		if !at.ahead {
			answer = request.forward()
		}
		sent := c.Process.Signal(signal) == nil
		if signal != syscall.SIGKILL {
			return answer
		}
		g.shut = sent
		return nil
	}})
}

// dies starts a run, which is killed at a moment.
func (g *stage) dies(t *testing.T, c *child, at moment) {
	t.Helper()
	g.signals(c, syscall.SIGKILL, at)
	c.apart(t, -1)
	g.reopen(t)
}

// kills kills a command on the engine at a moment, and returns its folder.
func (g *stage) kills(t *testing.T, at moment, args ...string) (folder string) {
	t.Helper()
	c := prepare(t, nil, append(args, "--endpoint", g.url)...)
	g.dies(t, c, at)
	return c.Dir
}

// reopen waits until all that the run had started has gone too, and lets requests through.
func (g *stage) reopen(t *testing.T) {
	t.Helper()
	eventually(t, "the end of what the run had started", func() bool {
		g.connections.Lock()
		defer g.connections.Unlock()
		return len(g.open) == 0
	})
	g.mu.Lock()
	g.shut = false
	g.mu.Unlock()
	g.expect(rule{})
}

// stall keeps the answers to an operation back: with CreateTable the table is there, and the run does not know it yet.
func stall(t *testing.T, engineURL, operation string) (url string, came <-chan struct{}, let func()) {
	t.Helper()
	first, open := make(chan struct{}), make(chan struct{})
	begun, let := sync.OnceFunc(func() { close(first) }), sync.OnceFunc(func() { close(open) })
	url = behindEach(t, engineURL, func() {
		begun()
		<-open
	}, operation)
	t.Cleanup(let) // before the server is closed, which waits for its answers
	return url, first, let
}

// withheld answers nothing until it is let.
func withheld(t *testing.T, engineURL string) (url string, let func()) {
	t.Helper()
	answers := make(chan struct{})
	let = sync.OnceFunc(func() { close(answers) })
	url = front(t, engineURL, func(request *asked) *httptest.ResponseRecorder {
		<-answers
		return request.forward()
	})
	t.Cleanup(let)
	return url, let
}

// arrives waits for a request.
func arrives(t *testing.T, came <-chan struct{}) {
	t.Helper()
	select {
	case <-came:
	case <-time.After(patience):
		t.Fatal("expected the request that is waited for, found none")
	}
}
