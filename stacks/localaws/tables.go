package localaws

import (
	"context"
	"errors"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil/rpcerror"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// tables serves aws:dynamodb/table:Table.
type tables struct{}

var _ resourceType = tables{}

func (tables) check(req *pulumirpc.CheckRequest, olds, inputs resource.PropertyMap) ([]*pulumirpc.CheckFailure, error) {
	if err := named(req, olds, inputs, 255); err != nil {
		return nil, err
	}
	if _, ok := inputs["billingMode"]; !ok {
		inputs["billingMode"] = resource.NewProperty(provisioned)
	}
	failures := append(checkTable(inputs), retyped(olds, inputs)...)
	if t := object(inputs["ttl"]); t != nil && len(failures) == 0 {
		if _, ok := t["enabled"]; !ok {
			t["enabled"] = resource.NewProperty(false)
		}
	}
	return failures, nil
}

func (tables) diff(state, inputs resource.PropertyMap, ignored []string) (*pulumirpc.DiffResponse, error) {
	for _, property := range ignored {
		if property != protection {
			return nil, status.Errorf(codes.Unimplemented, "localaws does not implement ignoreChanges of %s: remove it, or deploy against AWS with the pulumi command", property)
		}
	}
	have, want := tableFrom(state), tableFrom(inputs)
	want.leave(inputs, ignored, have)
	return compareTables(have, want, inputs).response(), nil
}

// planned leaves unknown what only the endpoint knows.
func (tables) planned(state, inputs resource.PropertyMap, ignored []string) resource.PropertyMap {
	want := tableFrom(inputs)
	want.leave(inputs, ignored, tableFrom(state))
	outputs := want.outputs()
	for key, value := range inputs {
		if value.ContainsUnknowns() {
			outputs[key] = value
		}
	}
	return planned(state, outputs, "id", "arn", "streamArn", "streamLabel")
}

func (tables) create(ctx context.Context, c *client, _ string, inputs resource.PropertyMap) (string, resource.PropertyMap, error) {
	want := tableFrom(inputs)
	made, err := c.create(ctx, want)
	if err != nil {
		return "", nil, err
	}
	// From here on the table exists and is ours: whatever fails, it must be recorded.
	state, err := c.reach(ctx, made, inputs, nil)
	return want.Name, state, err
}

func (tables) update(ctx context.Context, c *client, req *pulumirpc.UpdateRequest, state, inputs resource.PropertyMap) (resource.PropertyMap, error) {
	return c.reach(ctx, tableFrom(state).Made, inputs, req.GetIgnoreChanges())
}

// reach converges the table that was made so, but for the changes that the program ignores, and returns its state. When that fails the
// error carries the state that was reached, so that the engine records it and the next update starts from there.
func (c *client) reach(ctx context.Context, made string, inputs resource.PropertyMap, ignored []string) (resource.PropertyMap, error) {
	want := tableFrom(inputs)
	have, failed := c.converge(ctx, want, made, inputs, ignored)
	reached := table{Name: want.Name, BillingMode: want.BillingMode, Class: want.Class, Made: made}
	if have != nil {
		reached = have.table.inLine(want)
	}
	if failed == nil {
		return reached.outputs(), nil
	}
	state, err := marshal("state", reached.outputs())
	recorded, again := marshal("inputs", inputs)
	if err = errors.Join(err, again); err != nil {
		return nil, errors.Join(err, failed)
	}
	return nil, rpcerror.WithDetails(rpcerror.New(codes.Unknown, failed.Error()), &pulumirpc.ErrorResourceInitFailed{
		Id: want.Name, Properties: state, Inputs: recorded, Reasons: []string{failed.Error()},
	})
}

// read reports everything that a program can set. Where somebody has made another table of the name since, the stack's is gone.
func (tables) read(ctx context.Context, c *client, id string, state, before resource.PropertyMap) (is, asked resource.PropertyMap, err error) {
	found, err := c.read(ctx, id)
	if found == nil || err != nil || c.foreign(found, tableFrom(state).Made) != nil {
		return nil, nil, err
	}
	now := found.table.inLine(tableFrom(before))
	return now.outputs(), now.inputs(before), nil
}

func (tables) remove(ctx context.Context, c *client, id string, state resource.PropertyMap) error {
	return c.remove(ctx, id, tableFrom(state).Made)
}
