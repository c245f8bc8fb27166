// Package access asks AWS, beside DynamoDB, who may reach tables and by which keys they are
// encrypted: KMS who manages a key, IAM which policies a stack made for its roles, and IAM's
// policy simulator how it would decide a request. It changes nothing, but for [Sweeper],
// which deletes the policies that lost runs left.
package access

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/iam/types"
	"github.com/aws/aws-sdk-go-v2/service/kms"
)

// Policies reads the IAM policies that a stack made for the roles of a design.
type Policies struct {
	Client *iam.Client
	// Path is the path of the stack's policies, with a slash at both ends.
	Path string
	// Design is how their names begin.
	Design string
}

// Where says where the policies are looked for.
func (p Policies) Where() string { return "IAM policies below " + p.Path }

// unique is what Pulumi puts behind a resource's name.
var unique = regexp.MustCompile(`-[0-9a-f]{7}$`)

// Roles returns the documents of the policies, by role, and the roles of those that IAM says are attached to nobody. A policy whose name is
// not of the stack's form is returned under its whole name.
func (p Policies) Roles(ctx context.Context) (documents map[string]string, unattached []string, err error) {
	documents = map[string]string{}
	all, err := list(ctx, p.Client, p.Path)
	if err != nil {
		return nil, nil, err
	}
	for _, each := range all {
		answer, err := p.Client.GetPolicyVersion(ctx, &iam.GetPolicyVersionInput{PolicyArn: each.Arn, VersionId: each.DefaultVersionId})
		if err != nil {
			return nil, nil, err
		}
		name := aws.ToString(each.PolicyName)
		role, ours := strings.CutPrefix(unique.ReplaceAllString(name, ""), p.Design+"-")
		if _, twice := documents[role]; !ours || role == "" || twice { // a second policy of one role is one that no contract has
			role = name
		}
		if answer.PolicyVersion == nil {
			return nil, nil, fmt.Errorf("GetPolicyVersion of %s: expected a document, found none", name)
		}
		// IAM gives documents as they stand in an address.
		if documents[role], err = url.QueryUnescape(aws.ToString(answer.PolicyVersion.Document)); err != nil {
			return nil, nil, fmt.Errorf("policy %s: %w", name, err)
		}
		if each.AttachmentCount != nil && *each.AttachmentCount == 0 {
			unattached = append(unattached, role)
		}
	}
	return documents, unattached, nil
}

// list returns the account's own policies below a path.
func list(ctx context.Context, client *iam.Client, path string) ([]types.Policy, error) {
	var all []types.Policy
	pages := iam.NewListPoliciesPaginator(client, &iam.ListPoliciesInput{PathPrefix: aws.String(path), Scope: types.PolicyScopeTypeLocal})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Policies...)
	}
	return all, nil
}

// Keys asks KMS about keys.
type Keys struct{ Client *kms.Client }

// Manager returns who manages a key: AWS, or CUSTOMER.
// https://docs.aws.amazon.com/kms/latest/APIReference/API_KeyMetadata.html
func (k Keys) Manager(ctx context.Context, arn string) (string, error) {
	answer, err := k.Client.DescribeKey(ctx, &kms.DescribeKeyInput{KeyId: aws.String(arn)})
	if err != nil {
		return "", err
	}
	if answer.KeyMetadata == nil {
		return "", fmt.Errorf("DescribeKey of %s: expected a description of the key, found none", arn)
	}
	return string(answer.KeyMetadata.KeyManager), nil
}

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

// Simulate returns the decisions, by action and resource. Where IAM decides an action on several resources, the decision of
// the result as a whole is the most restrictive of them, and says nothing of one.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_EvaluationResult.html
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
			action := aws.ToString(result.EvalActionName)
			if len(asked.Resources) == 1 {
				decisions[[2]string{action, asked.Resources[0]}] = result.EvalDecision
			}
			for _, one := range result.ResourceSpecificResults {
				decisions[[2]string{action, aws.ToString(one.EvalResourceName)}] = one.EvalResourceDecision
			}
		}
	}
	return decisions, nil
}
