// Package recorder is the client's own ledger. It joins each request to the claim that it is sent for.
package recorder

import (
	"context"
	"slices"
	"sync"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/internal/wire"
)

// Call is one operation that the client sent, as the client saw it.
type Call struct {
	Claim      string
	Operation  string
	Invocation string
}

// Recorder is the client's own ledger. It joins requests to claims: the SDK
// sends an invocation id with every request, which the wire records too.
type Recorder struct {
	mu    sync.Mutex
	calls []Call
}

// New returns a recorder that has seen these calls.
func New(calls ...Call) *Recorder { return &Recorder{calls: calls} }

// Attach has every request of a client recorded, and bear its claim.
func (r *Recorder) Attach(stack *middleware.Stack) error {
	return stack.Finalize.Add(middleware.FinalizeMiddlewareFunc("DynaproofRecorder",
		func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
			if request, ok := in.Request.(*smithyhttp.Request); ok {
				request.Header.Set(wire.ClaimHeader, ClaimOf(ctx))
				call := Call{ClaimOf(ctx), awsmiddleware.GetOperationName(ctx), request.Header.Get("Amz-Sdk-Invocation-Id")}
				r.add(call)
				if also, is := ctx.Value(alsoKey{}).(*Recorder); is {
					also.add(call)
				}
			}
			return next.HandleFinalize(ctx, in)
		}), middleware.Before)
}

func (r *Recorder) add(call Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, call)
}

// Len is the number of calls so far.
func (r *Recorder) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.calls)
}

// Invocations returns the invocation ids of all calls after the first n.
func (r *Recorder) Invocations(n int) []string {
	return lists.Map(r.Since(n), func(c Call) string { return c.Invocation })
}

// Since returns the calls after the first n.
func (r *Recorder) Since(n int) []Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls[n:])
}

type alsoKey struct{}

// Also is a context whose requests another recorder sees too, where several run at once.
func Also(ctx context.Context, other *Recorder) context.Context {
	return context.WithValue(ctx, alsoKey{}, other)
}

type claimKey struct{}

// Requests that serve all claims carry one of these in place of a claim.
const (
	Loading     = "load"
	ReadingBack = "read back"
	Describing  = "describe"
	Restoring   = "restore"
	Interfering = "interfere"
	Surveying   = "survey"
	Protecting  = "protect"
	Settling    = "settle"
)

// LookingAfter stands behind a pattern's claim in requests that look at what the
// pattern left: the claim rests on them, and the pattern has not sent them.
const LookingAfter = ", looking"

// WithClaim is a context whose requests are sent for a claim.
func WithClaim(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, claimKey{}, id)
}

// ClaimOf is the claim that requests of a context are sent for.
func ClaimOf(ctx context.Context) string {
	id, _ := ctx.Value(claimKey{}).(string)
	return id
}
