//go:build unix

package cli_test

import (
	"bytes"
	"context"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	neturl "net/url"
	"slices"
	"strings"
	"sync"
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

// before calls a function before each CreateTable reaches an engine; when it says so the request goes no further.
func before(t *testing.T, engineURL string, creating func() (ends bool)) (url string) {
	t.Helper()
	return front(t, engineURL, func(request *asked) *httptest.ResponseRecorder {
		if request.operation == "CreateTable" && creating() {
			return nil
		}
		return request.forward()
	})
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
