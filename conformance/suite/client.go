package suite

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// newClient returns an SDK client for an engine on this machine. It keeps the
// SDK's default retries. Engines on loopback do not check credentials.
func newClient(endpoint, region string, recorder *recorder) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(endpoint),
		Region:       region,
		Credentials:  credentials.NewStaticCredentialsProvider("dynaproof", "dynaproof", ""),
		APIOptions:   []func(*middleware.Stack) error{recorder.attach},
	})
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

type claimKey struct{}

// Requests that serve all claims carry one of these in place of a claim.
const (
	loading     = "load"
	readingBack = "read back"
	describing  = "describe"
	restoring   = "restore"
	interfering = "interfere"
)

func withClaim(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, claimKey{}, id)
}

func claimOf(ctx context.Context) string {
	id, _ := ctx.Value(claimKey{}).(string)
	return id
}

// failure says what an error of a request means.
type failure int

const (
	// refused: the engine answered, and refused the request.
	refused failure = iota
	// unknownOperation: the engine does not know the operation.
	unknownOperation
	// throttled: the engine answered that it cannot answer now.
	throttled
	// broken: no answer, or the engine broke.
	broken
)

// classify tells a refusal, which decides a claim, from a request that was never
// really answered, which does not.
func classify(err error) failure {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return broken
	}
	switch api.ErrorCode() {
	case "UnknownOperationException":
		return unknownOperation
	case "ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded":
		return throttled
	case "InternalServerError", "InternalFailure", "ServiceUnavailable":
		return broken
	}
	var response *smithyhttp.ResponseError
	if errors.As(err, &response) && response.HTTPStatusCode() >= 500 {
		return broken
	}
	return refused
}

// codeOf returns the error code and message of a refusal.
func codeOf(err error) (code, message string) {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode(), api.ErrorMessage()
	}
	var network net.Error
	if errors.As(err, &network) {
		return "network", network.Error()
	}
	return "error", err.Error()
}
