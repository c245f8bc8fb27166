package suite

import (
	"context"
	"slices"
	"sync"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/target"
)

// newClient returns an SDK client for an engine on this machine, or for what the input
// connects to. It keeps the SDK's default retries unless these options chose others.
func newClient(input *Input, apiOptions ...func(*middleware.Stack) error) *dynamodb.Client {
	region := input.Deployment.Region
	options := target.ClientOptions(input.Endpoint, region)
	switch {
	case input.Connect != nil:
		options = input.Connect.Copy()
	case input.Transport != nil:
		options.HTTPClient = target.HTTPClient(input.Transport)
	}
	options.Region = region
	options.APIOptions = append(options.APIOptions, apiOptions...)
	return dynamodb.New(options)
}

// call is one operation that the client sent, as the client saw it.
type call struct {
	claim      string
	operation  string
	invocation string
}

// recorder is the client's own ledger. It joins requests to claims: the SDK
// sends an invocation id with every request, which the wire records too.
type recorder struct {
	mu    sync.Mutex
	calls []call
}

func (r *recorder) attach(stack *middleware.Stack) error {
	return stack.Finalize.Add(middleware.FinalizeMiddlewareFunc("DynaproofRecorder",
		func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
			if request, ok := in.Request.(*smithyhttp.Request); ok {
				request.Header.Set(wire.ClaimHeader, claimOf(ctx))
				if c, collects := ctx.Value(callsKey{}).(*calls); collects {
					c.add(request.Header.Get("Amz-Sdk-Invocation-Id"))
				}
				r.mu.Lock()
				r.calls = append(r.calls, call{
					claim:      claimOf(ctx),
					operation:  awsmiddleware.GetOperationName(ctx),
					invocation: request.Header.Get("Amz-Sdk-Invocation-Id"),
				})
				r.mu.Unlock()
			}
			return next.HandleFinalize(ctx, in)
		}), middleware.Before)
}

func (r *recorder) len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.calls)
}

// invocations returns the invocation ids of all calls after the first n.
func (r *recorder) invocations(n int) []string {
	var ids []string
	for _, c := range r.since(n) {
		ids = append(ids, c.invocation)
	}
	return ids
}

func (r *recorder) since(n int) []call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls[n:])
}

// calls collects the invocation ids of the requests of one context, where
// several run at once.
type calls struct {
	mu  sync.Mutex
	ids []string
}

type callsKey struct{}

func (c *calls) add(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ids = append(c.ids, id)
}

func withCalls(ctx context.Context, c *calls) context.Context {
	return context.WithValue(ctx, callsKey{}, c)
}

type claimKey struct{}

// Requests that serve all claims carry one of these in place of a claim.
const (
	loading     = "load"
	readingBack = "read back"
	describing  = "describe"
	restoring   = "restore"
	interfering = "interfere"
	surveying   = "survey"
	protecting  = "protect"
	settling    = "settle"
)

// lookingAfter stands behind a pattern's claim in requests that look at what the
// pattern left: the claim rests on them, and the pattern has not sent them.
const lookingAfter = ", looking"

func withClaim(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, claimKey{}, id)
}

func claimOf(ctx context.Context) string {
	id, _ := ctx.Value(claimKey{}).(string)
	return id
}
