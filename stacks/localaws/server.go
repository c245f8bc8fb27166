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

// Server is a running provider. One server serves any number of stacks, also at the same time: Pulumi's engine opens
// one connection for each provider of each operation, and each connection has its own configuration.
type Server struct {
	port int
	grpc *grpc.Server
	done chan error
}

// Serve starts the provider on a free port of 127.0.0.1 and returns at once. The caller closes the server.
func Serve() (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("localaws: no free port on 127.0.0.1 for the aws provider: %w", err)
	}
	options := append(rpcutil.TracingServerInterceptorOptions(nil), grpc.StatsHandler(sessions{}))
	s := &Server{
		port: listener.Addr().(*net.TCPAddr).Port,
		grpc: grpc.NewServer(options...),
		done: make(chan error, 1),
	}
	pulumirpc.RegisterResourceProviderServer(s.grpc, &provider{})
	go func() { s.done <- s.grpc.Serve(listener) }()
	return s, nil
}

// Port is the TCP port on 127.0.0.1, for PULUMI_DEBUG_PROVIDERS=aws:PORT.
func (s *Server) Port() int { return s.port }

// Close ends the server and its open connections. A second call does nothing.
func (s *Server) Close() error {
	s.grpc.Stop()
	err, open := <-s.done
	if open {
		close(s.done)
	}
	if errors.Is(err, grpc.ErrServerStopped) {
		return nil
	}
	return err
}

// session is the state of one connection, that is of one configured provider in one engine operation.
type session struct {
	client atomic.Pointer[client] // nil until Configure
	// engine is the address of the engine's own server, which takes what a provider has to say; nil when it named none.
	engine atomic.Pointer[string]
	// told is done once the user was told what IAM policies are here.
	told sync.Once

	// canceled is closed when the engine asks the provider to stop. Waits end then; a request that is under way is
	// left to finish, because its effect must be known and recorded.
	canceled chan struct{}
	once     sync.Once
}

func (s *session) cancel() { s.once.Do(func() { close(s.canceled) }) }

// configured returns the client that Configure made.
func (s *session) configured() (*client, error) {
	c := s.client.Load()
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
	return context.WithValue(ctx, sessionKey{}, &session{canceled: make(chan struct{})})
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
