package replay

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/target"
)

// An endpoint that went silent is found out by the first claim that could not be told,
// so that no further one waits for it; one that answers is left alone.
func TestAClaimThatCannotBeToldAsksTheEndpoint(t *testing.T) {
	asked := 0
	answering := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		_, _ = w.Write([]byte(`{"TableNames":[]}`))
	}))
	defer answering.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	proxy, err := wire.Start(wire.Options{Upstream: answering.URL})
	require.NoError(t, err)
	defer func() {
		assert.NoError(t, proxy.Close(context.Background()))
	}()
	for verdict, asks := range map[evidence.Verdict]bool{evidence.Pass: false, evidence.Fail: false, evidence.Error: true, evidence.Indeterminate: true} {
		before := asked
		if err := (&Replay{site: site{wire: proxy, proxy: proxy}, options: Options{Endpoint: answering.URL}}).lostWith(verdict); err != nil || (asked > before) != asks {
			t.Errorf("%s: expected the endpoint to be asked %v and to be there, found %d requests and %v", verdict, asks, asked-before, err)
		}
		err := (&Replay{site: site{wire: proxy, proxy: proxy}, options: Options{Endpoint: gone.URL}}).lostWith(verdict)
		var unavailable *target.UnavailableError
		if errors.As(err, &unavailable) != asks {
			t.Errorf("%s: expected an endpoint that is gone to be noticed %v, found %v", verdict, asks, err)
		}
	}
}

// A claim may have hundreds of requests left when an endpoint goes away. The first that is not answered, or of which a
// warden could not learn whose table it changes, is the last one that waits.
func TestOneUnansweredRequestIsEnough(t *testing.T) {
	for name, warden := range map[string]wire.Warden{"no answer": nil, "nothing learnt": refuses{"InternalServerError"}, "somebody else's": refuses{"ValidationException"}} {
		engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"TableNames":[]}`)) }))
		r := &Replay{options: Options{Endpoint: engine.URL}}
		var err error
		if r.site, err = r.startSite(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		r.proxy.SetWarden(warden)
		engine.Close()
		for range 3 {
			answer, err := http.Post(r.endpoint(), "application/x-amz-json-1.0", strings.NewReader("{}"))
			require.NoError(t, err)
			_ = answer.Body.Close()
		}
		var unavailable *target.UnavailableError
		if lost := errors.As(r.Lost(), &unavailable); lost != (name != "somebody else's") {
			t.Errorf("%s: expected a refusal of somebody else's table alone to say nothing of the endpoint, found %v", name, r.Lost())
		}
		for i, entry := range r.wire.Ledger().Entries(0) {
			if told := strings.Contains(entry.ErrorMessage, "expected an engine that listens there"); told != (i > 0 && r.Lost() != nil) {
				t.Errorf("%s, request %d: found %q", name, i, entry.ErrorMessage)
			}
		}
		assert.NoError(t, r.close(context.Background()))
	}
}

// refuses is a warden that admits nothing, by an error of a type.
type refuses struct{ of string }

func (r refuses) Admit(wire.Entry, []byte) ([]byte, *wire.FaultResponse) {
	return nil, &wire.FaultResponse{Status: http.StatusBadRequest, ErrorType: r.of, Message: "refused"}
}

func (refuses) Answered(_ wire.Entry, body []byte) ([]byte, *wire.FaultResponse) { return body, nil }

// The journal itself tells a table that is somebody else's from one of which it could learn nothing.
func TestNothingLearntIsNoRefusal(t *testing.T) {
	there := true
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !there {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		_, _ = w.Write([]byte(`{"Table":{"TableName":"orders","TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/orders","TableId":"theirs","TableStatus":"ACTIVE","CreationDateTime":1,"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}]}}`))
	}))
	defer engine.Close()
	j := newJournal(t.TempDir(), target.NewClient(engine.URL, "us-east-1"))
	for _, want := range []string{"ValidationException", wire.Unanswered} {
		_, refusal := j.Admit(wire.Entry{Operation: "PutItem", Tables: []string{"orders"}}, nil)
		if refusal == nil || refusal.ErrorType != want {
			t.Errorf("expected a refusal of type %s, found %+v", want, refusal)
		}
		there = false
	}
}
