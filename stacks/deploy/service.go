package deploy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag/colors"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	"dynaproof"
	"dynaproof/accesspatterns/input"
)

// service is what the engine calls back during one operation, on one loopback port: the language host that runs the
// program, and the receiver of the engine's events. Both are the protocols that the Automation API uses for
// programs inside a process.
type service struct {
	pulumirpc.UnimplementedLanguageRuntimeServer
	pulumirpc.UnimplementedEventsServer
	op      operation
	program pulumi.RunFunc

	address string
	server  *grpc.Server
	served  chan error

	mu   sync.Mutex
	seen Result

	begun map[string]apitype.EngineEvent // of a refresh: the first event of each resource, by URN
}

func startService(op operation, program pulumi.RunFunc) (*service, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("deploy: no free port on 127.0.0.1 for the program's host: %w", err)
	}
	// Handlers are awaited so that no program outlives its operation.
	options := append(rpcutil.TracingServerInterceptorOptions(nil), grpc.WaitForHandlers(true))
	s := &service{
		op:      op,
		program: program,
		address: listener.Addr().String(),
		server:  grpc.NewServer(options...),
		served:  make(chan error, 1),
		seen:    Result{Result: dynaproof.Result{Changes: map[string]int{}}},
		begun:   map[string]apitype.EngineEvent{},
	}
	pulumirpc.RegisterLanguageRuntimeServer(s.server, s)
	pulumirpc.RegisterEventsServer(s.server, s)
	go func() { s.served <- s.server.Serve(listener) }()
	return s, nil
}

// stop ends the service and returns what it saw.
func (s *service) stop() *Result {
	s.server.Stop()
	<-s.served //nolint:errcheck // a server that was stopped has nothing to say
	s.mu.Lock()
	defer s.mu.Unlock()
	return &s.seen
}

func (*service) Handshake(context.Context, *pulumirpc.LanguageHandshakeRequest) (*pulumirpc.LanguageHandshakeResponse, error) {
	return &pulumirpc.LanguageHandshakeResponse{}, nil
}

// GetRequiredPackages names none: the provider is attached and nothing is to be installed.
func (*service) GetRequiredPackages(context.Context, *pulumirpc.GetRequiredPackagesRequest) (*pulumirpc.GetRequiredPackagesResponse, error) {
	return &pulumirpc.GetRequiredPackagesResponse{}, nil
}

func (*service) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: "1.0.0"}, nil
}

func (*service) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

// Run runs the program. What it returns or panics with becomes an error of the operation.
func (s *service) Run(ctx context.Context, req *pulumirpc.RunRequest) (*pulumirpc.RunResponse, error) {
	info := pulumi.RunInfo{
		MonitorAddr:      req.GetMonitorAddress(),
		Config:           req.GetConfig(),
		ConfigSecretKeys: req.GetConfigSecretKeys(),
		Project:          req.GetProject(),
		Stack:            req.GetStack(),
		Parallel:         req.GetParallel(),
		DryRun:           req.GetDryRun(),
		Organization:     req.GetOrganization(),
	}
	if len(req.GetArgs()) > 0 {
		info.EngineAddr = req.GetArgs()[0]
	}
	program, err := pulumi.NewContext(ctx, info)
	if err != nil {
		return nil, err
	}
	defer func() { _ = program.Close() }() // it only closes connections to the engine, which is done with them
	if err := s.recovered(program); err != nil {
		return &pulumirpc.RunResponse{Error: err.Error()}, nil
	}
	return &pulumirpc.RunResponse{}, nil
}

// recovered runs the program, and takes a panic for its error.
func (s *service) recovered(program *pulumi.Context) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the program panicked: %v", r)
		}
	}()
	return pulumi.RunWithContext(program, s.program)
}

// StreamEvents takes the engine's events.
func (s *service) StreamEvents(stream pulumirpc.Events_StreamEventsServer) error {
	for {
		req, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return stream.SendAndClose(&emptypb.Empty{})
		}
		if err != nil {
			return err
		}
		var event apitype.EngineEvent
		if err := input.Exactly([]byte(req.GetEvent()), &event); err != nil {
			return fmt.Errorf("deploy: expected an engine event, found %.80q: %w", req.GetEvent(), err)
		}
		s.observe(event)
	}
}

func (s *service) observe(event apitype.EngineEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case event.DiagnosticEvent != nil:
		s.diagnostic(event.DiagnosticEvent)
	case event.SummaryEvent != nil:
		for op, n := range event.SummaryEvent.ResourceChanges {
			s.seen.Changes[string(op)] += n
		}
	case event.ResourcePreEvent != nil:
		s.step(false, event, event.ResourcePreEvent.Metadata)
	case event.ResOutputsEvent != nil:
		s.step(true, event, event.ResOutputsEvent.Metadata)
	}
}

// step notes what differs of a resource. That is known before a step, except in a refresh, which knows it when it has
// read the resource.
func (s *service) step(done bool, event apitype.EngineEvent, step apitype.StepEventMetadata) {
	if s.op == refresh && !done && step.Op == apitype.OpRefresh {
		s.begun[step.URN] = event // the display needs it to render what follows
	}
	switch {
	case step.Op == apitype.OpSame, step.Op == apitype.OpRead, done != (s.op == refresh):
		return
	case s.op == refresh && step.Op != apitype.OpDelete && len(step.DetailedDiff) == 0:
		return
	}
	if begun, ok := s.begun[step.URN]; ok {
		s.seen.steps = append(s.seen.steps, begun)
	}
	s.seen.steps = append(s.seen.steps, event)
}

// summaries are errors in which the engine only says that something else failed, which is reported itself.
var summaries = regexp.MustCompile(`^(update failed|preview failed|refresh failed|destroy failed|update canceled|resource monitor shut down.*|.*Resource monitor is terminating.*)$`)

// wrappers are words that the engine and its error lists put before a cause.
var wrappers = strings.NewReplacer("error: ", "", "1 error occurred: ", "", "an unhandled error occurred: ", "the program failed: ")

func (s *service) diagnostic(d *apitype.DiagnosticEvent) {
	message := oneLine(colors.Never.Colorize(d.Message))
	switch {
	case d.Ephemeral || message == "":
	case d.Severity == "warning":
		s.seen.Warnings = append(s.seen.Warnings, message)
	case d.Severity == "error" && !summaries.MatchString(message):
		urn := resource.URN(d.URN)
		cause := Cause{Message: explainProtection(wrappers.Replace(message))}
		if urn.IsValid() && urn.QualifiedType() != resource.RootStackType {
			cause.Type, cause.Name = string(urn.Type()), urn.Name()
			cause.Message = strings.TrimPrefix(cause.Message, fmt.Sprintf("%s resource '%s': ", cause.Type, cause.Name))
		}
		if !slices.Contains(s.seen.causes, cause) {
			s.seen.causes = append(s.seen.causes, cause)
		}
	}
}
