package guard

import (
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// The middleware of the SDK that the guard takes the place of, and calls.
const (
	serializerID = "OperationSerializer"
	signerID     = "Signing"
)

// Attach adds the guard to a client's options.
func (g *Guard) Attach(options *dynamodb.Options) {
	options.APIOptions = append(options.APIOptions, g.Middleware)
}

// Middleware puts the guard into the stack of one call: around the SDK's serialiser, so
// that nothing stands between the input that the guard judges and the one that is
// serialised, wherever other middleware is or is added later; and around the signer,
// where the request must still be what was serialised. It is an element of
// dynamodb.Options.APIOptions.
func (g *Guard) Middleware(stack *middleware.Stack) error {
	serializer, has := stack.Serialize.Get(serializerID)
	if !has {
		return fmt.Errorf("guard of %s: expected the SDK's middleware %s in the stack, found none", g.design.Name, serializerID)
	}
	signer, has := stack.Finalize.Get(signerID)
	if !has {
		return fmt.Errorf("guard of %s: expected the SDK's middleware %s in the stack, found none", g.design.Name, signerID)
	}
	if of := reflect.TypeOf(serializer); !g.settings.observes && !slices.Contains(serializers, packageOf(of)) {
		return fmt.Errorf("guard of %s: expected the SDK's own serialiser to guard, found %s in its place: add the guard before what replaces it", g.design.Name, of)
	}
	c := &call{guard: g, serializer: serializer, signer: signer}
	if _, err := stack.Serialize.Swap(serializerID, c); err != nil {
		return err
	}
	_, err := stack.Finalize.Swap(signerID, (*signing)(c))
	return err
}

// serializers are the packages whose serialisers do nothing but serialise: the SDK's, and
// this one, of another guard.
var serializers = []string{packageOf(reflect.TypeFor[dynamodb.Client]()), packageOf(reflect.TypeFor[call]())}

func packageOf(of reflect.Type) string {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	return of.PkgPath()
}

// call is the guard in the place of the SDK's serialiser, with what it notes of one call, whose stack is its own.
type call struct {
	guard      *Guard
	serializer middleware.SerializeMiddleware
	signer     middleware.FinalizeMiddleware
	// serialized stands for what the serialiser made of the input that was judged; 0
	// until it has.
	serialized uint64
	hash       maphash.Hash
}

// Do judges a call, and sends it with send unless it is refused. What send returns is
// taken into the account of the logical read that the context holds. An observing guard
// refuses nothing.
func (g *Guard) Do(ctx context.Context, input any, send func() (result any, err error)) (any, error) {
	admitted, refusal := g.judge(ctx, input, nil)
	if err := g.settings.outcome(ctx, refusal); err != nil {
		return nil, err
	}
	if admitted.read == nil {
		return send()
	}
	var answered any // stays nil after an error, and after a panic further down
	defer func() { admitted.read.settle(admitted.reserved, answered) }()
	result, err := send()
	if err == nil {
		answered = result
	}
	return result, err
}

// outcome reports a refusal, and returns it where the guard enforces.
func (s *settings) outcome(ctx context.Context, refusal *Refusal) error {
	if refusal == nil {
		return nil
	}
	s.report(ctx, refusal)
	if s.observes {
		return nil
	}
	return refusal
}

// ID is that of the serialiser, so that what is inserted before or after it is.
func (c *call) ID() string { return serializerID }

// HandleSerialize judges the input that is serialised next, and notes what the serialiser made of it.
func (c *call) HandleSerialize(ctx context.Context, in middleware.SerializeInput, next middleware.SerializeHandler) (
	out middleware.SerializeOutput, metadata middleware.Metadata, err error,
) {
	c.serialized = 0
	noting := middleware.SerializeHandlerFunc(func(ctx context.Context, in middleware.SerializeInput) (middleware.SerializeOutput, middleware.Metadata, error) {
		c.serialized = c.fingerprint(in.Request)
		return next.HandleSerialize(ctx, in)
	})
	_, err = c.guard.Do(ctx, in.Parameters, func() (any, error) {
		out, metadata, err = c.serializer.HandleSerialize(ctx, in, noting)
		return out.Result, err
	})
	return out, metadata, err
}

// fingerprint stands for the operation and the body of a request; 0 for one that cannot
// be read twice.
func (c *call) fingerprint(request any) uint64 {
	r, is := request.(*smithyhttp.Request)
	if !is || r.RewindStream() != nil {
		return 0
	}
	c.hash.Reset()
	for _, text := range []string{r.Method, r.Header.Get("X-Amz-Target")} {
		_, _ = c.hash.WriteString(text)
		_ = c.hash.WriteByte('\n')
	}
	if body := r.GetStream(); body != nil {
		if _, err := io.Copy(&c.hash, body); err != nil || r.RewindStream() != nil {
			return 0
		}
	}
	return c.hash.Sum64() | 1
}

// signing is the guard in the place of the SDK's signer.
type signing call

// ID is that of the signer, so that what is inserted before or after it is.
func (m *signing) ID() string { return signerID }

// HandleFinalize refuses to sign another request than the one that was serialised.
func (m *signing) HandleFinalize(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
	middleware.FinalizeOutput, middleware.Metadata, error,
) {
	if m.serialized == 0 || (*call)(m).fingerprint(in.Request) != m.serialized {
		refusal := m.guard.refuse(operationOf(ctx, nil), "", "", breach{RuleRewritten, "the operation and the body that were serialised of the input which the guard judged", "others"})
		if err := m.guard.settings.outcome(ctx, refusal.citing(m.guard.design, m.guard.design.AccessPatterns)); err != nil {
			return middleware.FinalizeOutput{}, middleware.Metadata{}, err
		}
	}
	return m.signer.HandleFinalize(ctx, in, next)
}
