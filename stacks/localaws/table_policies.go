package localaws

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"
)

// maxTablePolicy is the size of a resource policy in bytes, white space included.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/rbac-considerations.html
const maxTablePolicy = 20 * 1024

// tableARN is the ARN of a table. The real provider takes those of streams too; no program has one.
var tableARN = regexp.MustCompile(`^arn:[^:]+:dynamodb:[^:]*:[^:]*:table/[a-zA-Z0-9_.-]+$`)

// tablePolicies serves aws:dynamodb/resourcePolicy:ResourcePolicy. As with the real provider, putting a policy replaces
// the one that is there, the ARN is the id, and a policy that is gone is created anew.
type tablePolicies struct{}

var _ resourceType = tablePolicies{}

func (tablePolicies) Check(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	news, err := unmarshal("news", req.GetNews())
	if err != nil {
		return nil, err
	}
	failures := tablePolicyInputs.names(news)
	if len(failures) == 0 {
		if arn := news["resourceArn"]; !arn.ContainsUnknowns() && !tableARN.MatchString(text(arn)) {
			c := &checker{}
			c.fail("resourceArn", "expected the ARN of a table, found %q: set the table's arn", text(arn))
			failures = c.failures
		}
		failures = append(failures, tablePolicyInputs.document(news, maxTablePolicy, true)...)
	}
	return &pulumirpc.CheckResponse{Inputs: req.GetNews(), Failures: checkFailures(failures)}, nil
}

func (tablePolicies) Diff(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	state, inputs, err := statesOf(req.GetOlds(), req.GetNews())
	if err != nil {
		return nil, err
	}
	return tablePolicyInputs.diff(state, inputs), nil
}

func (tablePolicies) Create(ctx context.Context, req *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	inputs, err := unmarshal("inputs", req.GetProperties())
	if err != nil {
		return nil, err
	}
	if req.GetPreview() {
		planned, err := marshal("planned", tablePolicyInputs.planned(inputs, nil, "revisionId", "confirmRemoveSelfResourceAccess"))
		return &pulumirpc.CreateResponse{Properties: planned}, err
	}
	state, err := putPolicy(ctx, inputs)
	return &pulumirpc.CreateResponse{Id: text(inputs["resourceArn"]), Properties: state}, err
}

func (tablePolicies) Update(ctx context.Context, req *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
	state, inputs, err := statesOf(req.GetOlds(), req.GetNews())
	if err != nil {
		return nil, err
	}
	if req.GetPreview() {
		delete(state, "revisionId") // a new one comes with every change
		planned, err := marshal("planned", tablePolicyInputs.planned(inputs, state, "revisionId", "confirmRemoveSelfResourceAccess"))
		return &pulumirpc.UpdateResponse{Properties: planned}, err
	}
	reached, err := putPolicy(ctx, inputs)
	return &pulumirpc.UpdateResponse{Properties: reached}, err
}

func (tablePolicies) Read(ctx context.Context, req *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	c, err := sessionOf(ctx).configured()
	if err != nil {
		return nil, err
	}
	state, inputs, err := statesOf(req.GetProperties(), req.GetInputs())
	if err != nil {
		return nil, err
	}
	found, err := c.readPolicy(ctx, req.GetId())
	if err != nil {
		return nil, err
	}
	if found == nil {
		return &pulumirpc.ReadResponse{}, nil
	}
	if before := text(state["policy"]); sameDocument(before, found.policy) {
		found.policy = before // equal in effect: keep the program's own spelling
	}
	inputs["resourceArn"], inputs["policy"] = resource.NewProperty(found.arn), resource.NewProperty(found.policy)
	properties, err := marshal("state", found.outputs())
	if err != nil {
		return nil, err
	}
	now, err := marshal("inputs", inputs)
	return &pulumirpc.ReadResponse{Id: req.GetId(), Properties: properties, Inputs: now}, err
}

func (tablePolicies) Delete(ctx context.Context, req *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	c, err := sessionOf(ctx).configured()
	if err != nil {
		return nil, err
	}
	bounded, cancel := request(ctx)
	defer cancel()
	arn := req.GetId()
	_, err = c.api.DeleteResourcePolicy(bounded, &dynamodb.DeleteResourcePolicyInput{ResourceArn: &arn})
	if isNotFound(err) || isNoPolicy(err) || isUnknownOperation(err) { // an engine that does not know policies holds none
		return &emptypb.Empty{}, nil
	}
	return &emptypb.Empty{}, c.explain("DeleteResourcePolicy", arn, err)
}

// tablePolicy is a policy as the endpoint has it.
type tablePolicy struct{ arn, policy, revision string }

func (p *tablePolicy) outputs() resource.PropertyMap {
	return resource.PropertyMap{
		"id":                              resource.NewProperty(p.arn),
		"resourceArn":                     resource.NewProperty(p.arn),
		"policy":                          resource.NewProperty(p.policy),
		"revisionId":                      resource.NewProperty(p.revision),
		"confirmRemoveSelfResourceAccess": resource.NewProperty(false),
	}
}

// putPolicy puts a policy in place of the one that is there, and returns its state.
func putPolicy(ctx context.Context, inputs resource.PropertyMap) (*structpb.Struct, error) {
	c, err := sessionOf(ctx).configured()
	if err != nil {
		return nil, err
	}
	bounded, cancel := request(ctx)
	defer cancel()
	put := &tablePolicy{arn: text(inputs["resourceArn"]), policy: text(inputs["policy"])}
	answer, err := c.api.PutResourcePolicy(bounded, &dynamodb.PutResourcePolicyInput{ResourceArn: &put.arn, Policy: &put.policy})
	if isUnknownOperation(err) {
		return nil, fmt.Errorf("PutResourcePolicy of %s: the endpoint %s does not know this operation: use an engine that has it, or set dynaproof:guardrails to off", put.arn, c.config.Endpoint)
	}
	if err != nil {
		return nil, c.explain("PutResourcePolicy", put.arn, err)
	}
	put.revision = aws.ToString(answer.RevisionId)
	return marshal("state", put.outputs())
}

// readPolicy returns nil when there is no policy, or no table.
func (c *client) readPolicy(ctx context.Context, arn string) (*tablePolicy, error) {
	ctx, cancel := request(ctx)
	defer cancel()
	answer, err := c.api.GetResourcePolicy(ctx, &dynamodb.GetResourcePolicyInput{ResourceArn: &arn})
	if isNotFound(err) || isNoPolicy(err) || isUnknownOperation(err) {
		return nil, nil
	}
	if err != nil {
		return nil, c.explain("GetResourcePolicy", arn, err)
	}
	return &tablePolicy{arn: arn, policy: aws.ToString(answer.Policy), revision: aws.ToString(answer.RevisionId)}, nil
}

func isNoPolicy(err error) bool {
	var missing *types.PolicyNotFoundException
	return errors.As(err, &missing)
}
