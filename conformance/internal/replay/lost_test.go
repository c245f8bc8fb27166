package replay

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

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
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := proxy.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	for verdict, asks := range map[evidence.Verdict]bool{evidence.Pass: false, evidence.Fail: false, evidence.Error: true, evidence.Indeterminate: true} {
		before := asked
		if err := (&Replay{site: site{wire: proxy}, options: Options{Endpoint: answering.URL}}).lostWith(verdict); err != nil || (asked > before) != asks {
			t.Errorf("%s: expected the endpoint to be asked %v and to be there, found %d requests and %v", verdict, asks, asked-before, err)
		}
		err := (&Replay{site: site{wire: proxy}, options: Options{Endpoint: gone.URL}}).lostWith(verdict)
		var unavailable *target.UnavailableError
		if errors.As(err, &unavailable) != asks {
			t.Errorf("%s: expected an endpoint that is gone to be noticed %v, found %v", verdict, asks, err)
		}
	}
}
