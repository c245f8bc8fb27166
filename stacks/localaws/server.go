package localaws

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"

	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/stats"
)

// Serve starts the provider on a free port of 127.0.0.1, which it returns at once, for PULUMI_DEBUG_PROVIDERS=aws:PORT. It serves any
// number of stacks, also at the same time, until the process ends: Pulumi's engine opens one connection for each provider of each
// operation, and each connection has its own configuration.
func Serve() (port int, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("localaws: no free port on 127.0.0.1 for the aws provider: %w", err)
	}
	server := grpc.NewServer(append(rpcutil.TracingServerInterceptorOptions(nil), grpc.StatsHandler(sessions{}))...)
	pulumirpc.RegisterResourceProviderServer(server, &provider{})
	go func() { _ = server.Serve(listener) }() // it returns an error when the listener is closed, which nobody does
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// session is the state of one connection, that is of one configured provider in one engine operation.
type session struct {
	client atomic.Pointer[client] // nil until Configure
	// engine is the address of the engine's own server, which takes what a provider has to say; nil when it named none.
	engine atomic.Pointer[string]
	// told is done once the user was told what IAM policies are here.
	told sync.Once

	// canceled is closed when the engine asks the provider to stop, which cancel says. Waits end then; a request that is under
	// way is left to finish, because its effect must be known and recorded.
	canceled <-chan struct{}
	cancel   context.CancelFunc
}

// configured returns the client that Configure made for the connection.
func configured(ctx context.Context) (*client, error) {
	c := sessionOf(ctx).client.Load()
	if c == nil {
		return nil, errors.New("localaws: expected Configure before this call on the connection, found none: run the operation again")
	}
	return c, nil
}

type sessionKey struct{}

func sessionOf(ctx context.Context) *session { return ctx.Value(sessionKey{}).(*session) }

// sessions gives each connection its session.
type sessions struct{}

var _ stats.Handler = sessions{}

func (sessions) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context {
	canceled, cancel := context.WithCancel(ctx)
	return context.WithValue(ctx, sessionKey{}, &session{canceled: canceled.Done(), cancel: cancel})
}

// HandleConn stops what still waits when the engine is gone.
func (sessions) HandleConn(ctx context.Context, event stats.ConnStats) {
	if _, ended := event.(*stats.ConnEnd); ended {
		sessionOf(ctx).cancel()
	}
}

func (sessions) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }
func (sessions) HandleRPC(context.Context, stats.RPCStats)                       {}

// tell says something to the user, once in an operation.
func (s *session) tell(ctx context.Context, urn, message string) error {
	engine := s.engine.Load()
	if engine == nil || *engine == "" {
		return nil // no engine listens: a test calls the provider itself
	}
	var failed error
	s.told.Do(func() {
		connection, err := grpc.NewClient(*engine, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			failed = err
			return
		}
		defer func() { _ = connection.Close() }()
		_, failed = pulumirpc.NewEngineClient(connection).Log(ctx, &pulumirpc.LogRequest{
			Severity: pulumirpc.LogSeverity_WARNING, Urn: urn, Message: message,
		})
	})
	if failed != nil {
		return fmt.Errorf("telling Pulumi's engine at %s: %w", *engine, failed)
	}
	return nil
}
