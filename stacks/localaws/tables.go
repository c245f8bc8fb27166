package localaws

import (
	"context"
	"errors"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil/rpcerror"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"
)

// tables serves aws:dynamodb/table:Table.
type tables struct{}

// Check adds the defaults and refuses what is not implemented.
func (tables) Check(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
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

func (tables) Diff(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	state, err := unmarshal("state", req.GetOlds())
	if err != nil {
		return nil, err
	}
	inputs, err := unmarshal("inputs", req.GetNews())
	if err != nil {
		return nil, err
	}
	if err := ignore(req.GetIgnoreChanges(), inputs, tableFrom(state)); err != nil {
		return nil, err
	}
	return diffTable(state, inputs), nil
}

// ignore gives an input whose changes a program ignores the value that the table has. Programs ignore those of deletion
// protection alone.
func ignore(properties []string, inputs resource.PropertyMap, have table) error {
	for _, property := range properties {
		if property != "deletionProtectionEnabled" {
			return status.Errorf(codes.Unimplemented, "localaws does not implement ignoreChanges of %s: remove it, or deploy against AWS with the pulumi command", property)
		}
		inputs["deletionProtectionEnabled"] = resource.NewProperty(have.Protection)
	}
	return nil
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

func (tables) Create(ctx context.Context, req *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
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

func (tables) Update(ctx context.Context, req *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
	inputs, err := unmarshal("inputs", req.GetNews())
	if err != nil {
		return nil, err
	}
	if req.GetPreview() {
		state, err := unmarshal("state", req.GetOlds())
		if err != nil {
			return nil, err
		}
		if err := ignore(req.GetIgnoreChanges(), inputs, tableFrom(state)); err != nil {
			return nil, err
		}
		planned, err := marshal("planned", preview(inputs, state))
		return &pulumirpc.UpdateResponse{Properties: planned}, err
	}
	c, err := sessionOf(ctx).configured()
	if err != nil {
		return nil, err
	}
	if len(req.GetIgnoreChanges()) > 0 { // the table as it is: the state may not know of a change yet
		have, err := c.describe(ctx, req.GetId())
		if err != nil {
			return nil, err
		}
		if have != nil {
			if err := ignore(req.GetIgnoreChanges(), inputs, have.table); err != nil {
				return nil, err
			}
		}
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
func (tables) Read(ctx context.Context, req *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
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

func (tables) Delete(ctx context.Context, req *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	c, err := sessionOf(ctx).configured()
	if err != nil {
		return nil, err
	}
	return &emptypb.Empty{}, c.remove(ctx, req.GetId())
}
