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
)

// resourceType serves the resources of one type.
type resourceType interface {
	Check(context.Context, *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error)
	Diff(context.Context, *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error)
	Create(context.Context, *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error)
	Update(context.Context, *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error)
	Read(context.Context, *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error)
	Delete(context.Context, *pulumirpc.DeleteRequest) (*emptypb.Empty, error)
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

// Check adds the defaults and refuses what is not implemented.
func (*provider) Check(ctx context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	t, err := typeOf(req.GetUrn())
	if err != nil {
		return nil, err
	}
	return t.Check(ctx, req)
}

// Diff compares the state with the inputs that a program asks for.
func (*provider) Diff(ctx context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	t, err := typeOf(req.GetUrn())
	if err != nil {
		return nil, err
	}
	return t.Diff(ctx, req)
}

// Create makes the resource, or says what it will be.
func (*provider) Create(ctx context.Context, req *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	t, err := typeOf(req.GetUrn())
	if err != nil {
		return nil, err
	}
	return t.Create(ctx, req)
}

// Update changes the resource in place, or says what it will be.
func (*provider) Update(ctx context.Context, req *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
	t, err := typeOf(req.GetUrn())
	if err != nil {
		return nil, err
	}
	return t.Update(ctx, req)
}

// Read reports the resource as it is. One that is gone has no id.
func (*provider) Read(ctx context.Context, req *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	t, err := typeOf(req.GetUrn())
	if err != nil {
		return nil, err
	}
	return t.Read(ctx, req)
}

// Delete removes the resource. One that is gone already is no error.
func (*provider) Delete(ctx context.Context, req *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	t, err := typeOf(req.GetUrn())
	if err != nil {
		return nil, err
	}
	return t.Delete(ctx, req)
}
