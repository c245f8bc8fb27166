package localaws

import (
	"context"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"
)

// provider answers the engine. It has no state of its own: what was configured belongs to the connection.
type provider struct {
	pulumirpc.UnimplementedResourceProviderServer
}

var _ pulumirpc.ResourceProviderServer = (*provider)(nil)

// unmarshal reads properties. Secrets arrive as plain values, because Configure declines them, and the engine marks
// the outputs that depend on them.
func unmarshal(label string, s *structpb.Struct) (resource.PropertyMap, error) {
	return plugin.UnmarshalProperties(s, plugin.MarshalOptions{Label: label, KeepUnknowns: true, SkipNulls: true})
}

func marshal(label string, m resource.PropertyMap) (*structpb.Struct, error) {
	return plugin.MarshalProperties(m, plugin.MarshalOptions{Label: label, KeepUnknowns: true, SkipNulls: true})
}

// Handshake notes where the engine listens to what its providers have to say.
func (*provider) Handshake(ctx context.Context, req *pulumirpc.ProviderHandshakeRequest) (*pulumirpc.ProviderHandshakeResponse, error) {
	sessionOf(ctx).engine.Store(new(req.GetEngineAddress()))
	return &pulumirpc.ProviderHandshakeResponse{}, nil
}

func (*provider) Attach(context.Context, *pulumirpc.PluginAttach) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

func (*provider) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: sdkVersion}, nil
}

// Cancel ends the waits of this connection.
func (*provider) Cancel(ctx context.Context, _ *emptypb.Empty) (*emptypb.Empty, error) {
	sessionOf(ctx).cancel()
	return &emptypb.Empty{}, nil
}

func (*provider) CheckConfig(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	props, err := unmarshal("config", req.GetNews())
	if err != nil {
		return nil, err
	}
	_, failures := parseConfig(props)
	return &pulumirpc.CheckResponse{Inputs: req.GetNews(), Failures: failures}, nil
}

// DiffConfig replaces the provider, and with it its tables, when the region changes, because a table lives in one
// region. Another endpoint or other credentials lead to the same tables.
func (*provider) DiffConfig(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	olds, news, err := both(req.GetOldInputs(), req.GetNews())
	if err != nil {
		return nil, err
	}
	d := differ{inputs: news, replacing: []string{"region"}}
	d.compareAll(acceptedConfig, olds, news)
	return d.response(), nil
}

func (*provider) Configure(ctx context.Context, req *pulumirpc.ConfigureRequest) (*pulumirpc.ConfigureResponse, error) {
	props, err := unmarshal("config", req.GetArgs())
	if err != nil {
		return nil, err
	}
	cfg, failures := parseConfig(props)
	if len(failures) > 0 {
		var reasons []string
		for _, f := range failures {
			reasons = append(reasons, f.GetProperty()+": "+f.GetReason())
		}
		return nil, status.Error(codes.InvalidArgument, strings.Join(reasons, "; "))
	}
	s := sessionOf(ctx)
	c := newClient(cfg, s.canceled)
	if err := c.dial(ctx); err != nil {
		return nil, status.Error(codes.Unavailable, err.Error())
	}
	s.client.Store(c)
	return &pulumirpc.ConfigureResponse{SupportsPreview: true}, nil
}

// Invoke refuses every function: no program of the designs calls one.
func (*provider) Invoke(_ context.Context, req *pulumirpc.InvokeRequest) (*pulumirpc.InvokeResponse, error) {
	return nil, status.Errorf(codes.Unimplemented, "localaws does not implement the function %s: remove the call, or deploy against AWS with the pulumi command", req.GetTok())
}
