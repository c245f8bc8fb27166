package localaws

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil/rpcerror"
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

func (*provider) Handshake(context.Context, *pulumirpc.ProviderHandshakeRequest) (*pulumirpc.ProviderHandshakeResponse, error) {
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

func checkFailures(failures []failure) []*pulumirpc.CheckFailure {
	var list []*pulumirpc.CheckFailure
	for _, f := range failures {
		list = append(list, &pulumirpc.CheckFailure{Property: f.property, Reason: f.reason})
	}
	return list
}

func (*provider) CheckConfig(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	props, err := unmarshal("config", req.GetNews())
	if err != nil {
		return nil, err
	}
	_, failures := parseConfig(props)
	return &pulumirpc.CheckResponse{Inputs: req.GetNews(), Failures: checkFailures(failures)}, nil
}

// DiffConfig replaces the provider, and with it its tables, when the region changes, because a table lives in one
// region. Another endpoint or other credentials lead to the same tables.
func (*provider) DiffConfig(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	olds, err := unmarshal("olds", req.GetOldInputs())
	if err != nil {
		return nil, err
	}
	news, err := unmarshal("news", req.GetNews())
	if err != nil {
		return nil, err
	}
	d := &differ{inputs: news, detail: map[string]*pulumirpc.PropertyDiff{}}
	for _, name := range acceptedConfig {
		key := resource.PropertyKey(name)
		old, had := olds[key]
		now, has := news[key]
		if had == has && old.DeepEquals(now) {
			continue
		}
		d.note(name, kindOf(had, has))
		if name == "region" {
			d.replaces = append(d.replaces, name)
			d.detail[name] = &pulumirpc.PropertyDiff{Kind: pulumirpc.PropertyDiff_UPDATE_REPLACE}
		}
	}
	changes := pulumirpc.DiffResponse_DIFF_NONE
	if len(d.diffs) > 0 {
		changes = pulumirpc.DiffResponse_DIFF_SOME
	}
	return &pulumirpc.DiffResponse{
		Changes: changes, Diffs: d.diffs, Replaces: d.replaces, DetailedDiff: d.detail, HasDetailedDiff: true,
	}, nil
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
			reasons = append(reasons, f.String())
		}
		return nil, status.Error(codes.InvalidArgument, strings.Join(reasons, "; "))
	}
	s := sessionOf(ctx)
	c := newClient(cfg, s.canceled)
	if err := c.dial(ctx); err != nil {
		return nil, status.Error(codes.Unavailable, err.Error())
	}
	s.configure(c)
	return &pulumirpc.ConfigureResponse{SupportsPreview: true}, nil
}

// Invoke answers getRegion; no other function is served.
func (*provider) Invoke(ctx context.Context, req *pulumirpc.InvokeRequest) (*pulumirpc.InvokeResponse, error) {
	if req.GetTok() != regionToken {
		return nil, status.Errorf(codes.Unimplemented, "localaws does not implement the function %s, only %s: remove the call, or deploy against AWS with the pulumi command", req.GetTok(), regionToken)
	}
	c, err := sessionOf(ctx).configured()
	if err != nil {
		return nil, err
	}
	args, err := unmarshal("args", req.GetArgs())
	if err != nil {
		return nil, err
	}
	for _, key := range args.StableKeys() {
		if name := string(key); name != "id" && (name != "name" || text(args[key]) != c.config.Region) {
			return &pulumirpc.InvokeResponse{Failures: checkFailures([]failure{{name,
				fmt.Sprintf("localaws knows the provider's own region %q only: call getRegion without arguments", c.config.Region)}})}, nil
		}
	}
	answer, err := marshal("region", resource.PropertyMap{
		"id":          resource.NewProperty(c.config.Region),
		"name":        resource.NewProperty(c.config.Region),
		"description": resource.NewProperty(c.config.Region + " at " + c.config.Endpoint),
		"endpoint":    resource.NewProperty(c.config.Endpoint),
	})
	return &pulumirpc.InvokeResponse{Return: answer}, err
}

// onlyTables refuses resources of other types by name.
func onlyTables(urn string) error {
	if t := string(resource.URN(urn).Type()); t != tableToken {
		return status.Errorf(codes.Unimplemented, "localaws does not implement the resource %s, only %s: remove it, or deploy against AWS with the pulumi command", t, tableToken)
	}
	return nil
}

// Check adds the defaults and refuses what is not implemented.
func (*provider) Check(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	if err := onlyTables(req.GetUrn()); err != nil {
		return nil, err
	}
	olds, err := unmarshal("olds", req.GetOlds())
	if err != nil {
		return nil, err
	}
	news, err := unmarshal("news", req.GetNews())
	if err != nil {
		return nil, err
	}
	if _, ok := news["name"]; !ok {
		if old, ok := olds["name"]; ok {
			news["name"] = old // a generated name stays
		} else {
			name, err := resource.NewUniqueName(req.GetRandomSeed(), resource.URN(req.GetUrn()).Name()+"-", 7, 255, nil)
			if err != nil {
				return nil, err
			}
			news["name"] = resource.NewProperty(name)
		}
	}
	if _, ok := news["billingMode"]; !ok {
		news["billingMode"] = resource.NewProperty(provisioned)
	}
	failures := checkTable(news)
	if t := object(news["ttl"]); t != nil && len(failures) == 0 {
		if _, ok := t["enabled"]; !ok {
			t["enabled"] = resource.NewProperty(false)
		}
	}
	inputs, err := marshal("inputs", news)
	return &pulumirpc.CheckResponse{Inputs: inputs, Failures: checkFailures(failures)}, err
}

func (*provider) Diff(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	if err := onlyTables(req.GetUrn()); err != nil {
		return nil, err
	}
	state, err := unmarshal("state", req.GetOlds())
	if err != nil {
		return nil, err
	}
	inputs, err := unmarshal("inputs", req.GetNews())
	if err != nil {
		return nil, err
	}
	return diffTable(state, inputs), nil
}

// preview is the state that a table with these inputs will have; what only the endpoint knows is unknown.
func preview(inputs, state resource.PropertyMap) resource.PropertyMap {
	planned := tableFrom(inputs).outputs()
	for key, value := range inputs {
		if value.ContainsUnknowns() {
			planned[key] = value
		}
	}
	for _, name := range append([]string{"id"}, computed...) {
		key := resource.PropertyKey(name)
		switch old, ok := state[key]; {
		case name == "tagsAll" || name == "streamViewType":
		case ok:
			planned[key] = old
		default:
			planned[key] = resource.MakeComputed(resource.NewProperty(""))
		}
	}
	return planned
}

func (*provider) Create(ctx context.Context, req *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	if err := onlyTables(req.GetUrn()); err != nil {
		return nil, err
	}
	inputs, err := unmarshal("inputs", req.GetProperties())
	if err != nil {
		return nil, err
	}
	if req.GetPreview() {
		planned, err := marshal("planned", preview(inputs, nil))
		return &pulumirpc.CreateResponse{Properties: planned}, err
	}
	c, err := sessionOf(ctx).configured()
	if err != nil {
		return nil, err
	}
	want := tableFrom(inputs)
	if err := c.create(ctx, want); err != nil {
		return nil, err
	}
	// From here on the table exists and is ours: whatever fails, it must be recorded.
	state, err := c.reach(ctx, want, inputs)
	if err != nil {
		return nil, err
	}
	return &pulumirpc.CreateResponse{Id: want.Name, Properties: state}, nil
}

func (*provider) Update(ctx context.Context, req *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
	if err := onlyTables(req.GetUrn()); err != nil {
		return nil, err
	}
	inputs, err := unmarshal("inputs", req.GetNews())
	if err != nil {
		return nil, err
	}
	if req.GetPreview() {
		state, err := unmarshal("state", req.GetOlds())
		if err != nil {
			return nil, err
		}
		planned, err := marshal("planned", preview(inputs, state))
		return &pulumirpc.UpdateResponse{Properties: planned}, err
	}
	c, err := sessionOf(ctx).configured()
	if err != nil {
		return nil, err
	}
	state, err := c.reach(ctx, tableFrom(inputs), inputs)
	if err != nil {
		return nil, err
	}
	return &pulumirpc.UpdateResponse{Properties: state}, nil
}

// reach converges the table and returns its state. When that fails the error carries the state that was reached, so that
// the engine records it and the next update starts from there.
func (c *client) reach(ctx context.Context, want table, inputs resource.PropertyMap) (*structpb.Struct, error) {
	have, failed := c.converge(ctx, want)
	reached := table{Name: want.Name, BillingMode: want.BillingMode, Class: want.Class}
	if have != nil {
		reached = have.table.inLine(want)
	}
	state, err := marshal("state", reached.outputs())
	if err != nil || failed == nil {
		return state, errors.Join(err, failed)
	}
	recorded, err := marshal("inputs", inputs)
	if err != nil {
		return nil, errors.Join(err, failed)
	}
	return nil, rpcerror.WithDetails(rpcerror.New(codes.Unknown, failed.Error()), &pulumirpc.ErrorResourceInitFailed{
		Id: want.Name, Properties: state, Inputs: recorded, Reasons: []string{failed.Error()},
	})
}

// Read reports the table as it is, everything that a program can set included. A table that is gone has no id.
func (*provider) Read(ctx context.Context, req *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	if err := onlyTables(req.GetUrn()); err != nil {
		return nil, err
	}
	c, err := sessionOf(ctx).configured()
	if err != nil {
		return nil, err
	}
	before, err := unmarshal("inputs", req.GetInputs())
	if err != nil {
		return nil, err
	}
	state, err := unmarshal("state", req.GetProperties())
	if err != nil {
		return nil, err
	}
	found, err := c.read(ctx, req.GetId())
	if err != nil {
		return nil, err
	}
	if found == nil {
		return &pulumirpc.ReadResponse{}, nil
	}
	like := tableFrom(before)
	if len(before) == 0 {
		before, like = nil, tableFrom(state)
	}
	now := found.table.inLine(like)
	properties, err := marshal("state", now.outputs())
	if err != nil {
		return nil, err
	}
	inputs, err := marshal("inputs", now.inputs(before))
	return &pulumirpc.ReadResponse{Id: req.GetId(), Properties: properties, Inputs: inputs}, err
}

func (*provider) Delete(ctx context.Context, req *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	if err := onlyTables(req.GetUrn()); err != nil {
		return nil, err
	}
	c, err := sessionOf(ctx).configured()
	if err != nil {
		return nil, err
	}
	return &emptypb.Empty{}, c.remove(ctx, req.GetId())
}
