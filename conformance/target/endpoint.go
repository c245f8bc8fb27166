package target

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/smithy-go"
)

// endpointTimeout bounds the question whether an endpoint answers. An engine on loopback that needs longer to list its
// tables would not get through a run either.
const endpointTimeout = 10 * time.Second

// probeRegion is the region that probes are signed for. Engines on loopback accept any.
const probeRegion = "us-east-1"

// external are targets that somebody else runs: their life is not known, and nothing of them is ours to close.
type external struct{ description Description }

var _ Target = (*external)(nil)

// Endpoint returns a target for an engine that already listens on this machine: DynamoDB Local, dynalite, a container's
// published port. It asks the engine for its tables once, so that a wrong address is noticed before a run starts.
//
// A URL that is malformed or not on loopback is a [*ConfigError]. An engine that does not answer, or does not answer as
// DynamoDB does, is an [*UnavailableError].
func Endpoint(ctx context.Context, rawURL string) (Target, error) {
	parsed, err := CheckLoopback(rawURL)
	if err != nil {
		return nil, err
	}
	url := parsed.String()
	bounded, cancel := context.WithTimeout(ctx, endpointTimeout)
	defer cancel()
	server, err := probe(bounded, NewClient(url, probeRegion))
	if err != nil {
		return nil, endpointError(url, err)
	}
	product, _, _ := strings.Cut(server, " ")
	name, version, _ := strings.Cut(product, "/")
	return &external{Description{Kind: KindEndpoint, Engine: name, Version: version, URL: url, Grade: GradeEngine}}, nil
}

// endpointError says why an endpoint cannot be used.
func endpointError(url string, err error) error {
	where := "endpoint " + url
	switch {
	case errors.Is(err, errNotLoopback):
		return configError(where, "an address on loopback", "a name that resolves elsewhere", "give 127.0.0.1 instead of a name", err)
	case errors.As(err, new(*smithy.DeserializationError)), errors.As(err, new(smithy.APIError)), errors.As(err, new(*StrangeAnswer)):
		return unavailable(where, "an engine that answers ListTables as DynamoDB does", fmt.Sprintf("the answer %q", err.Error()),
			"check that the port is the engine's", err)
	case errors.Is(err, context.DeadlineExceeded):
		return unavailable(where, "an engine that answers ListTables",
			fmt.Sprintf("no answer within %s, although the connection was taken", endpointTimeout),
			"check that the port is the engine's, and start the engine again if it hangs", err)
	}
	return unavailable(where, "an engine that listens there", rootCause(err).Error(),
		"start the engine, or name the address on which it listens", err)
}

// rootCause returns the innermost error: for a connection that failed, what the operating system said, without the
// layers of the SDK around it.
func rootCause(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

func (o *external) Description() Description  { return o.description }
func (o *external) URL() string               { return o.description.URL }
func (*external) Done() <-chan struct{}       { return nil }
func (*external) Err() error                  { return nil }
func (*external) Close(context.Context) error { return nil }
