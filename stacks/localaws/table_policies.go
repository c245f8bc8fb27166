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

func (tablePolicies) check(_ *pulumirpc.CheckRequest, _, inputs resource.PropertyMap) ([]failure, error) {
	if failures := tablePolicyInputs.names(inputs); len(failures) > 0 {
		return failures, nil
	}
	c := &checker{}
	if arn := inputs["resourceArn"]; !arn.ContainsUnknowns() && !tableARN.MatchString(text(arn)) {
		c.fail("resourceArn", "expected the ARN of a table, found %q: set the table's arn", text(arn))
	}
	c.document(inputs, maxTablePolicy, true)
	return c.failures, nil
}

func (tablePolicies) diff(state, inputs resource.PropertyMap, _ []string) (*pulumirpc.DiffResponse, error) {
	return tablePolicyInputs.diff(state, inputs), nil
}

func (tablePolicies) planned(state, inputs resource.PropertyMap, _ []string) (resource.PropertyMap, error) {
	delete(state, "revisionId") // a new one comes with every change
	return planned(state, inputs, "revisionId", "confirmRemoveSelfResourceAccess"), nil
}

func (tablePolicies) create(ctx context.Context, _ string, inputs resource.PropertyMap) (string, resource.PropertyMap, error) {
	state, err := putPolicy(ctx, inputs)
	return text(inputs["resourceArn"]), state, err
}

func (tablePolicies) update(ctx context.Context, _ *pulumirpc.UpdateRequest, inputs resource.PropertyMap) (resource.PropertyMap, error) {
	return putPolicy(ctx, inputs)
}

func (tablePolicies) read(ctx context.Context, id string, state, inputs resource.PropertyMap) (is, asked resource.PropertyMap, err error) {
	c, err := sessionOf(ctx).configured()
	if err != nil {
		return nil, nil, err
	}
	found, err := c.readPolicy(ctx, id)
	if found == nil || err != nil {
		return nil, nil, err
	}
	if before := text(state["policy"]); sameDocument(before, found.policy) {
		found.policy = before // equal in effect: keep the program's own spelling
	}
	inputs["resourceArn"], inputs["policy"] = resource.NewProperty(found.arn), resource.NewProperty(found.policy)
	return found.outputs(), inputs, nil
}

func (tablePolicies) remove(ctx context.Context, arn string) error {
	c, err := sessionOf(ctx).configured()
	if err != nil {
		return err
	}
	bounded, cancel := request(ctx)
	defer cancel()
	_, err = c.api.DeleteResourcePolicy(bounded, &dynamodb.DeleteResourcePolicyInput{ResourceArn: &arn})
	if holdsNone(err) {
		return nil
	}
	return c.explain("DeleteResourcePolicy", arn, err)
}

// tablePolicy is a policy as the endpoint has it.
type tablePolicy struct{ arn, policy, revision string }

func (p *tablePolicy) outputs() resource.PropertyMap {
	return resource.NewPropertyMapFromMap(map[string]any{
		"id":                              p.arn,
		"resourceArn":                     p.arn,
		"policy":                          p.policy,
		"revisionId":                      p.revision,
		"confirmRemoveSelfResourceAccess": false,
	})
}

// putPolicy puts a policy in place of the one that is there, and returns its state.
func putPolicy(ctx context.Context, inputs resource.PropertyMap) (resource.PropertyMap, error) {
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
	return put.outputs(), nil
}

// readPolicy returns nil when there is no policy, or no table.
func (c *client) readPolicy(ctx context.Context, arn string) (*tablePolicy, error) {
	ctx, cancel := request(ctx)
	defer cancel()
	answer, err := c.api.GetResourcePolicy(ctx, &dynamodb.GetResourcePolicyInput{ResourceArn: &arn})
	if holdsNone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, c.explain("GetResourcePolicy", arn, err)
	}
	return &tablePolicy{arn: arn, policy: aws.ToString(answer.Policy), revision: aws.ToString(answer.RevisionId)}, nil
}

// holdsNone reports whether an error says that there is no policy: an engine that does not know policies holds none.
func holdsNone(err error) bool {
	var missing *types.PolicyNotFoundException
	return errors.As(err, &missing) || isNotFound(err) || isUnknownOperation(err)
}
