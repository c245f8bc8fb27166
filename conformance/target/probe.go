package target

import (
	"context"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// probeRegion is the region that probes are signed for. Engines on loopback accept any.
const probeRegion = "us-east-1"

// prober asks an engine the smallest question that proves that it speaks DynamoDB's protocol.
type prober struct {
	client    *dynamodb.Client
	transport *http.Transport
	// server is the Server header of the last answer.
	server string
}

// newProber returns a prober for an engine's URL. It is not safe for concurrent use; close it after use.
func newProber(url string) *prober {
	p := &prober{transport: NewTransport()}
	options := ClientOptions(url, probeRegion)
	options.RetryMaxAttempts = 1
	options.HTTPClient = HTTPClient(p)
	p.client = dynamodb.New(options)
	return p
}

// refuseRedirect keeps an answer as it is: an engine has no reason to send a client elsewhere.
func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// RoundTrip sends the request and remembers how the engine named itself.
func (p *prober) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := p.transport.RoundTrip(request)
	if err == nil {
		p.server = response.Header.Get("Server")
	}
	return response, err
}

// ask sends one ListTables. A nil error means that the engine is ready.
func (p *prober) ask(ctx context.Context) error {
	_, err := p.client.ListTables(ctx, &dynamodb.ListTablesInput{Limit: aws.Int32(1)})
	return err
}

// product splits the Server header of the last answer into a name and a version; either may be empty.
func (p *prober) product() (name, version string) {
	first, _, _ := strings.Cut(p.server, " ")
	name, version, _ = strings.Cut(first, "/")
	return name, version
}

// close gives the prober's connections back, so that they do not keep the engine busy.
func (p *prober) close() { p.transport.CloseIdleConnections() }
