package access

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/iam/types"
)

// Simulation is what IAM's policy simulator is asked: how it decides each action on each
// resource.
type Simulation struct {
	// Identity is the policy of the principal, Table that of the table; Table may be empty.
	Identity, Table string
	// Context holds the values of condition keys.
	Context map[string][]string
	// Actions and Resources are asked for in all combinations.
	Actions, Resources []string
}

// Simulator asks IAM how it would decide requests.
type Simulator struct {
	Client *iam.Client
	// Caller is the ARN of an IAM user that principals of a table's policy are compared
	// with: one that no policy names.
	Caller string
}

// several are the condition keys of DynamoDB that hold several values of one request.
var several = []string{"dynamodb:attributes", "dynamodb:leadingkeys"}

// Simulate returns the decisions, by action and resource.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulateCustomPolicy.html
func (s Simulator) Simulate(ctx context.Context, asked Simulation) (map[[2]string]types.PolicyEvaluationDecisionType, error) {
	input := &iam.SimulateCustomPolicyInput{PolicyInputList: []string{asked.Identity}, ActionNames: asked.Actions, ResourceArns: asked.Resources}
	if asked.Table != "" {
		input.ResourcePolicy, input.CallerArn = aws.String(asked.Table), aws.String(s.Caller)
	}
	for _, key := range slices.Sorted(maps.Keys(asked.Context)) {
		if values := asked.Context[key]; len(values) > 0 { // an absent key is not named
			kind := types.ContextKeyTypeEnumString
			if len(values) > 1 || slices.Contains(several, strings.ToLower(key)) {
				kind = types.ContextKeyTypeEnumStringList
			}
			input.ContextEntries = append(input.ContextEntries, types.ContextEntry{ContextKeyName: aws.String(key), ContextKeyType: kind, ContextKeyValues: values})
		}
	}
	decisions := map[[2]string]types.PolicyEvaluationDecisionType{}
	pages := iam.NewSimulateCustomPolicyPaginator(s.Client, input)
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, result := range page.EvaluationResults {
			decisions[[2]string{aws.ToString(result.EvalActionName), aws.ToString(result.EvalResourceName)}] = result.EvalDecision
		}
	}
	return decisions, nil
}
