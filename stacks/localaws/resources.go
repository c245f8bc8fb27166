package localaws

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"
)

// resourceType serves the resources of one type. Inputs are what a program asks for, a state is what there is.
type resourceType interface {
	// check adds the defaults to the inputs, and says why they are refused. olds are the inputs before, if any.
	check(req *pulumirpc.CheckRequest, olds, inputs resource.PropertyMap) ([]*pulumirpc.CheckFailure, error)
	// diff compares the state with the inputs, but for the changes that the program ignores.
	diff(state, inputs resource.PropertyMap, ignored []string) (*pulumirpc.DiffResponse, error)
	// planned is the state that a preview shows: of a creation without a state, of an update with the present one.
	planned(state, inputs resource.PropertyMap, ignored []string) resource.PropertyMap
	create(ctx context.Context, c *client, urn string, inputs resource.PropertyMap) (id string, state resource.PropertyMap, err error)
	update(ctx context.Context, c *client, req *pulumirpc.UpdateRequest, state, inputs resource.PropertyMap) (now resource.PropertyMap, err error)
	// read reports the resource as it is, with the inputs that would give it; no state for one that is gone.
	read(ctx context.Context, c *client, id string, state, inputs resource.PropertyMap) (is, asked resource.PropertyMap, err error)
	// remove removes the resource that has a state. One that is gone already is no error.
	remove(ctx context.Context, c *client, id string, state resource.PropertyMap) error
}

// served are the types of resources, by token.
var served = map[string]resourceType{
	tableToken:       tables{},
	tablePolicyToken: tablePolicies{},
	rolePolicyToken:  rolePolicies{},
}

// typeOf returns what serves a resource, and refuses resources of other types by name.
func typeOf(urn string) (resourceType, error) {
	token := string(resource.URN(urn).Type())
	if found, ok := served[token]; ok {
		return found, nil
	}
	return nil, status.Errorf(codes.Unimplemented, "localaws does not implement the resource %s, only %s: remove it, or deploy against AWS with the pulumi command",
		token, strings.Join(slices.Sorted(maps.Keys(served)), ", "))
}

// received reads what a call says of a resource: its type, and the old and the new properties.
func received(urn string, olds, news *structpb.Struct) (t resourceType, old, now resource.PropertyMap, err error) {
	if t, err = typeOf(urn); err == nil {
		old, now, err = both(olds, news)
	}
	return t, old, now, err
}

// asked is [received] of a call that asks the endpoint.
func asked(ctx context.Context, urn string, olds, news *structpb.Struct) (c *client, t resourceType, old, now resource.PropertyMap, err error) {
	if t, old, now, err = received(urn, olds, news); err == nil {
		c, err = configured(ctx)
	}
	return c, t, old, now, err
}

// both reads the two sets of properties that a call compares.
func both(olds, news *structpb.Struct) (old, now resource.PropertyMap, err error) {
	if old, err = unmarshal("olds", olds); err == nil {
		now, err = unmarshal("news", news)
	}
	return old, now, err
}

// named gives inputs without a name the one that the resource has, or a new one of at most so many characters.
func named(req *pulumirpc.CheckRequest, olds, inputs resource.PropertyMap, limit int) error {
	if _, ok := inputs["name"]; ok {
		return nil
	}
	inputs[defaults] = resource.NewProperty([]resource.PropertyValue{resource.NewProperty("name")})
	if old, ok := olds["name"]; ok {
		inputs["name"] = old // a generated name stays
		return nil
	}
	name, err := resource.NewUniqueName(req.GetRandomSeed(), resource.URN(req.GetUrn()).Name()+"-", 7, limit, nil)
	inputs["name"] = resource.NewProperty(name)
	return err
}

func (*provider) Check(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	t, olds, inputs, err := received(req.GetUrn(), req.GetOlds(), req.GetNews())
	if err != nil {
		return nil, err
	}
	failures, err := t.check(req, olds, inputs)
	if err != nil {
		return nil, err
	}
	checked, err := marshal("inputs", inputs)
	return &pulumirpc.CheckResponse{Inputs: checked, Failures: failures}, err
}

func (*provider) Diff(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	t, state, inputs, err := received(req.GetUrn(), req.GetOlds(), req.GetNews())
	if err != nil {
		return nil, err
	}
	return t.diff(state, inputs, req.GetIgnoreChanges())
}

func (*provider) Create(ctx context.Context, req *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	c, t, _, inputs, err := asked(ctx, req.GetUrn(), nil, req.GetProperties())
	if err != nil {
		return nil, err
	}
	var id string
	var state resource.PropertyMap
	if req.GetPreview() {
		state = t.planned(nil, inputs, nil)
	} else {
		id, state, err = t.create(ctx, c, req.GetUrn(), inputs)
	}
	if err != nil {
		return nil, err
	}
	properties, err := marshal("state", state)
	return &pulumirpc.CreateResponse{Id: id, Properties: properties}, err
}

func (*provider) Update(ctx context.Context, req *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
	c, t, state, inputs, err := asked(ctx, req.GetUrn(), req.GetOlds(), req.GetNews())
	if err != nil {
		return nil, err
	}
	if req.GetPreview() {
		state = t.planned(state, inputs, req.GetIgnoreChanges())
	} else {
		state, err = t.update(ctx, c, req, state, inputs)
	}
	if err != nil {
		return nil, err
	}
	properties, err := marshal("state", state)
	return &pulumirpc.UpdateResponse{Properties: properties}, err
}

// Read reports the resource as it is. One that is gone has no id.
func (*provider) Read(ctx context.Context, req *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	c, t, state, inputs, err := asked(ctx, req.GetUrn(), req.GetProperties(), req.GetInputs())
	if err != nil {
		return nil, err
	}
	state, inputs, err = t.read(ctx, c, req.GetId(), state, inputs)
	if err != nil || len(state) == 0 {
		return &pulumirpc.ReadResponse{}, err
	}
	properties, err := marshal("state", state)
	if err != nil {
		return nil, err
	}
	asked, err := marshal("inputs", inputs)
	return &pulumirpc.ReadResponse{Id: req.GetId(), Properties: properties, Inputs: asked}, err
}

func (*provider) Delete(ctx context.Context, req *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	c, t, state, _, err := asked(ctx, req.GetUrn(), req.GetProperties(), nil)
	if err != nil {
		return nil, err
	}
	return &emptypb.Empty{}, t.remove(ctx, c, req.GetId(), state)
}

// planned completes what a preview shows by the computed outputs: those that the state knows, and unknown ones.
func planned(state, shown resource.PropertyMap, computed ...string) resource.PropertyMap {
	for _, name := range computed {
		key := resource.PropertyKey(name)
		shown[key] = resource.MakeComputed(resource.NewProperty(""))
		if old, ok := state[key]; ok {
			shown[key] = old
		}
	}
	return shown
}
