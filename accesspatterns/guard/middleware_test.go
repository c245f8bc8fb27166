package guard_test

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/rollmodel"
	"dynaproof/accesspatterns/tabletest"
)

// bodies is a transport that keeps what was sent.
type bodies struct {
	*transport
	sent []string
}

func (b *bodies) Do(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	b.sent = append(b.sent, request.Header.Get("X-Amz-Target")+" "+string(body))
	return b.transport.Do(request)
}

// rewritten is the documented query of the tests below with another prefix.
func rewritten(input any) any {
	in := *input.(*dynamodb.QueryInput)
	in.ExpressionAttributeValues = values{":p": text("USER#a"), ":s": text("OTHER#")}
	return &in
}

// rewrittenBody is a request with another prefix in its body.
func rewrittenBody(request any) *smithyhttp.Request {
	r := request.(*smithyhttp.Request)
	if err := r.RewindStream(); err != nil {
		panic(err)
	}
	body, err := io.ReadAll(r.GetStream())
	if err != nil {
		panic(err)
	}
	changed, err := r.SetStream(bytes.NewReader(bytes.ReplaceAll(body, []byte("ENTRY#"), []byte("OTHER#"))))
	if err != nil {
		panic(err)
	}
	return changed
}

// intercepting rewrites a request as an interceptor of the SDK.
type intercepting struct{}

func (intercepting) BeforeSerialization(_ context.Context, in *smithyhttp.InterceptorContext) error {
	in.Input.(*dynamodb.QueryInput).ExpressionAttributeValues = values{":p": text("USER#a"), ":s": text("OTHER#")}
	return nil
}

func (intercepting) change(in *smithyhttp.InterceptorContext) error {
	*in.Request = *rewrittenBody(in.Request)
	return nil
}

func (i intercepting) AfterSerialization(_ context.Context, in *smithyhttp.InterceptorContext) error {
	return i.change(in)
}

func (i intercepting) BeforeRetryLoop(_ context.Context, in *smithyhttp.InterceptorContext) error {
	return i.change(in)
}

func (i intercepting) BeforeAttempt(_ context.Context, in *smithyhttp.InterceptorContext) error {
	return i.change(in)
}

func (i intercepting) BeforeSigning(_ context.Context, in *smithyhttp.InterceptorContext) error {
	return i.change(in)
}

// onStack is an option that changes the stack of each call.
func onStack(change func(*middleware.Stack) error) func(*dynamodb.Options) {
	return func(o *dynamodb.Options) { o.APIOptions = append(o.APIOptions, change) }
}

// effect is what becomes of a rewritten request.
type effect int

const (
	refused effect = iota // and nothing is sent
	without               // the SDK sends what it had before
	behind                // it is sent, with a signature that does not fit
)

// TestEveryPosition rewrites a documented query at every place of the SDK's stack, with
// an option before the guard's, behind it, and of one call. Up to the signature it is
// refused; what is changed behind it no longer fits the signature, for AWS to refuse.
func TestEveryPosition(t *testing.T) {
	initialize := middleware.InitializeMiddlewareFunc("rewrite", func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
		in.Parameters = rewritten(in.Parameters)
		return next.HandleInitialize(ctx, in)
	})
	serialize := middleware.SerializeMiddlewareFunc("rewrite", func(ctx context.Context, in middleware.SerializeInput, next middleware.SerializeHandler) (middleware.SerializeOutput, middleware.Metadata, error) {
		in.Parameters = rewritten(in.Parameters)
		return next.HandleSerialize(ctx, in)
	})
	serialized := middleware.SerializeMiddlewareFunc("rewrite", func(ctx context.Context, in middleware.SerializeInput, next middleware.SerializeHandler) (middleware.SerializeOutput, middleware.Metadata, error) {
		in.Request = rewrittenBody(in.Request)
		return next.HandleSerialize(ctx, in)
	})
	build := middleware.BuildMiddlewareFunc("rewrite", func(ctx context.Context, in middleware.BuildInput, next middleware.BuildHandler) (middleware.BuildOutput, middleware.Metadata, error) {
		in.Request = rewrittenBody(in.Request)
		return next.HandleBuild(ctx, in)
	})
	finalize := middleware.FinalizeMiddlewareFunc("rewrite", func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
		in.Request = rewrittenBody(in.Request)
		return next.HandleFinalize(ctx, in)
	})
	target := middleware.FinalizeMiddlewareFunc("rewrite", func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
		in.Request.(*smithyhttp.Request).Header.Set("X-Amz-Target", "DynamoDB_20120810.Scan")
		return next.HandleFinalize(ctx, in)
	})
	deserialize := middleware.DeserializeMiddlewareFunc("rewrite", func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
		in.Request = rewrittenBody(in.Request)
		return next.HandleDeserialize(ctx, in)
	})
	intercept := func(add func(*smithyhttp.InterceptorRegistry)) func(*dynamodb.Options) {
		return func(o *dynamodb.Options) { add(&o.Interceptors) }
	}
	for _, row := range []struct {
		name   string
		option func(*dynamodb.Options)
		effect effect
	}{
		{"Initialize, first", onStack(func(s *middleware.Stack) error { return s.Initialize.Add(initialize, middleware.Before) }), refused},
		{"Initialize, last", onStack(func(s *middleware.Stack) error { return s.Initialize.Add(initialize, middleware.After) }), refused},
		{"Serialize, first", onStack(func(s *middleware.Stack) error { return s.Serialize.Add(serialize, middleware.Before) }), refused},
		{"Serialize, directly before the serialiser", onStack(func(s *middleware.Stack) error {
			return s.Serialize.Insert(serialize, "OperationSerializer", middleware.Before)
		}), refused},
		{"Serialize, directly behind the serialiser", onStack(func(s *middleware.Stack) error {
			return s.Serialize.Insert(serialized, "OperationSerializer", middleware.After)
		}), refused},
		{"Serialize, last", onStack(func(s *middleware.Stack) error { return s.Serialize.Add(serialized, middleware.After) }), refused},
		{"Serialize, in the serialiser's place and then calling it", onStack(func(s *middleware.Stack) error {
			serializer, _ := s.Serialize.Get("OperationSerializer")
			_, err := s.Serialize.Swap("OperationSerializer", middleware.SerializeMiddlewareFunc("OperationSerializer", func(ctx context.Context, in middleware.SerializeInput, next middleware.SerializeHandler) (middleware.SerializeOutput, middleware.Metadata, error) {
				in.Parameters = rewritten(in.Parameters)
				return serializer.HandleSerialize(ctx, in, next)
			}))
			return err
		}), refused},
		{"Build, first", onStack(func(s *middleware.Stack) error { return s.Build.Add(build, middleware.Before) }), refused},
		{"Build, last", onStack(func(s *middleware.Stack) error { return s.Build.Add(build, middleware.After) }), refused},
		{"Finalize, first", onStack(func(s *middleware.Stack) error { return s.Finalize.Add(finalize, middleware.Before) }), refused},
		{"Finalize, within a retry", onStack(func(s *middleware.Stack) error { return s.Finalize.Insert(finalize, "Retry", middleware.After) }), refused},
		{"Finalize, directly before the signature", onStack(func(s *middleware.Stack) error { return s.Finalize.Insert(finalize, "Signing", middleware.Before) }), refused},
		{"Finalize, another operation", onStack(func(s *middleware.Stack) error { return s.Finalize.Insert(target, "Signing", middleware.Before) }), refused},
		{"interceptor before serialisation", intercept(func(r *smithyhttp.InterceptorRegistry) { r.AddBeforeSerialization(intercepting{}) }), refused},
		{"interceptor after serialisation", intercept(func(r *smithyhttp.InterceptorRegistry) { r.AddAfterSerialization(intercepting{}) }), refused},
		{"interceptor before the retry loop", intercept(func(r *smithyhttp.InterceptorRegistry) { r.AddBeforeRetryLoop(intercepting{}) }), refused},
		{"interceptor before an attempt", intercept(func(r *smithyhttp.InterceptorRegistry) { r.AddBeforeAttempt(intercepting{}) }), without},
		{"interceptor before the signature", intercept(func(r *smithyhttp.InterceptorRegistry) { r.AddBeforeSigning(intercepting{}) }), without},

		{"Finalize, behind the signature", onStack(func(s *middleware.Stack) error { return s.Finalize.Insert(finalize, "Signing", middleware.After) }), behind},
		{"Deserialize, last", onStack(func(s *middleware.Stack) error { return s.Deserialize.Add(deserialize, middleware.After) }), behind},
	} {
		t.Run(row.name, func(t *testing.T) {
			enforce := guard.Enforce(rollmodel.Design(), guard.ForRole("athlete"))
			for where, try := range map[string]struct{ client, call []func(*dynamodb.Options) }{
				"before the guard": {client: []func(*dynamodb.Options){row.option, enforce}},
				"behind the guard": {client: []func(*dynamodb.Options){enforce, row.option}},
				"of the call":      {client: []func(*dynamodb.Options){enforce}, call: []func(*dynamodb.Options){row.option}},
			} {
				wire := &bodies{transport: answering(`{}`)}
				client := newClient(wire.transport, append(try.client, func(o *dynamodb.Options) { o.HTTPClient = wire })...)
				_, err := client.Query(t.Context(), query("RollModel", prefix, "USER#a", "ENTRY#"), try.call...)
				sent := strings.Join(wire.sent, "\n")
				assert.Equal(t, row.effect == refused, err != nil, "%s: found %v", where, err)
				assert.Equal(t, row.effect == refused, sent == "", "%s: sent was %q", where, sent)
				assert.Equal(t, row.effect == behind, strings.Contains(sent, "OTHER#"), "%s: sent was %q", where, sent)
			}
		})
	}
}

// TestWhatChangesNothingPasses sends a documented query with options that rewrite
// nothing, or to another documented one, and retries it.
func TestWhatChangesNothingPasses(t *testing.T) {
	again := middleware.FinalizeMiddlewareFunc("again", func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
		_, _, _ = next.HandleFinalize(ctx, in)
		if err := in.Request.(*smithyhttp.Request).RewindStream(); err != nil {
			return middleware.FinalizeOutput{}, middleware.Metadata{}, err
		}
		return next.HandleFinalize(ctx, in)
	})
	mended := middleware.InitializeMiddlewareFunc("mend", func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
		in.Parameters = query("RollModel", prefix, "USER#a", "ENTRY#")
		return next.HandleInitialize(ctx, in)
	})
	for name, row := range map[string]struct {
		prefix string
		option func(*dynamodb.Options)
		sent   int
	}{
		"nothing":                    {"ENTRY#", func(*dynamodb.Options) {}, 1},
		"sent twice":                 {"ENTRY#", onStack(func(s *middleware.Stack) error { return s.Finalize.Insert(again, "Signing", middleware.Before) }), 2},
		"two guards":                 {"ENTRY#", guard.Enforce(rollmodel.Design(), guard.AnyRole()), 1},
		"rewritten to the right one": {"OTHER#", onStack(func(s *middleware.Stack) error { return s.Initialize.Add(mended, middleware.After) }), 1},
	} {
		wire := &bodies{transport: answering(`{}`)}
		client := newClient(wire.transport, guard.Enforce(rollmodel.Design(), guard.ForRole("athlete")), func(o *dynamodb.Options) { o.HTTPClient = wire }, row.option)
		_, err := client.Query(t.Context(), query("RollModel", prefix, "USER#a", row.prefix))
		assert.NoError(t, err, name)
		assert.Len(t, wire.sent, row.sent, name)
	}
}

// The guard uses the space of one request for another: nothing of the first may
// count for the second.
func TestRequestsAreJudgedByThemselves(t *testing.T) {
	g := wideGuard(t, 1)
	whole := wideQuery(0)
	whole.ProjectionExpression = nil
	for range 100 {
		tabletest.Must(g.Check(t.Context(), wideQuery(0)))(t)
		_, err := g.Check(t.Context(), whole)
		mustRefuse(t, err, guard.RuleProjection) // for want of the projection of the request before it
		tabletest.Must(g.Check(t.Context(), wideGet(0)))(t)
	}
}

// A reader who treats expired items as absent, or reads items of several schema versions, has to be told when an item expires and of which
// version it is: whatever else a projection leaves out, not these. A refusal says what to add.
func TestWhatIsJudgedByIsProjected(t *testing.T) {
	for _, row := range tabletest.Read[[]struct{ Name, Projection, Change, Expected string }](t, "projected.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			design := designtest.Whole()
			require.True(t, designtest.Amend(t, "patterns.0.steps.0.read", `.Expires = "ttl" | `+cmp.Or(row.Change, "."), design))
			g := tabletest.Must(guard.New(design, guard.ForRole("user")))(t)
			name := design.Tables[0].Name.In("")
			in := query(name, "PK = :p", "USER#u", "", func(q *dynamodb.QueryInput) {
				if row.Projection != "" {
					q.ProjectionExpression = aws.String(row.Projection)
				}
				if strings.Contains(row.Projection, "#t") {
					q.ExpressionAttributeNames = map[string]string{"#t": "ttl"}
				}
			})
			_, err := g.Check(t.Context(), in)
			if row.Expected == "" {
				require.NoError(t, err)
				return
			}
			mustRefuse(t, err, guard.RuleProjection)
			assert.ErrorContains(t, err, "expected "+row.Expected+", found")
		})
	}
}
