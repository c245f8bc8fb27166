package access

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/iam/types"
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

// Roles returns the documents of the policies, by role. A policy whose name is not of the
// stack's form is returned under its whole name.
func (p Policies) Roles(ctx context.Context) (map[string]string, error) {
	documents := map[string]string{}
	all, err := list(ctx, p.Client, p.Path)
	if err != nil {
		return nil, err
	}
	for _, each := range all {
		answer, err := p.Client.GetPolicyVersion(ctx, &iam.GetPolicyVersionInput{PolicyArn: each.Arn, VersionId: each.DefaultVersionId})
		if err != nil {
			return nil, err
		}
		name := aws.ToString(each.PolicyName)
		role, ours := strings.CutPrefix(unique.ReplaceAllString(name, ""), p.Design+"-")
		if _, twice := documents[role]; !ours || role == "" || twice { // a second policy of one role is one that no contract has
			role = name
		}
		if answer.PolicyVersion == nil {
			return nil, fmt.Errorf("GetPolicyVersion of %s: expected a document, found none", name)
		}
		// IAM gives documents as they stand in an address.
		if documents[role], err = url.QueryUnescape(aws.ToString(answer.PolicyVersion.Document)); err != nil {
			return nil, fmt.Errorf("policy %s: %w", name, err)
		}
	}
	return documents, nil
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
