package access

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/iam/types"
)

// Sweeper deletes IAM policies that runs left.
type Sweeper struct {
	Client *iam.Client
	// Path is the path of the policies of runs, with a slash at both ends.
	Path string
	// Lost reports whether a tag of a policy says that it belongs to a lost run, by the
	// moment in which the policy was made.
	Lost func(key, value string, made time.Time) bool
}

// Sort returns the names of the policies below the path, those with such a tag apart from those of others.
func (s Sweeper) Sort(ctx context.Context) (lost, others []string, err error) {
	all, err := list(ctx, s.Client, s.Path)
	if err != nil {
		return nil, nil, err
	}
	for i := range all {
		name := aws.ToString(all[i].PolicyName)
		switch is, err := s.lost(ctx, &all[i]); {
		case gone(err):
		case err != nil:
			return nil, nil, fmt.Errorf("policy %s: %w", name, err)
		case is:
			lost = append(lost, name)
		default:
			others = append(others, name)
		}
	}
	return lost, others, nil
}

// lost reads a policy's tags.
func (s Sweeper) lost(ctx context.Context, policy *types.Policy) (is bool, err error) {
	tags := iam.NewListPolicyTagsPaginator(s.Client, &iam.ListPolicyTagsInput{PolicyArn: policy.Arn})
	for tags.HasMorePages() {
		page, err := tags.NextPage(ctx)
		if err != nil {
			return false, err
		}
		for _, tag := range page.Tags {
			is = is || s.Lost(aws.ToString(tag.Key), aws.ToString(tag.Value), aws.ToTime(policy.CreateDate))
		}
	}
	return is, nil
}

// Remove deletes the policies below the path with such a tag, which is read right before each deletion. A policy
// that is attached to somebody is left: who attached it may need it. It says what it did,
// a line each.
func (s Sweeper) Remove(ctx context.Context) (said []string, err error) {
	all, err := list(ctx, s.Client, s.Path)
	if err != nil {
		return nil, err
	}
	for i := range all {
		line, err := s.remove(ctx, &all[i])
		if err != nil {
			return said, fmt.Errorf("policy %s: %w", aws.ToString(all[i].PolicyName), err)
		}
		if line != "" {
			said = append(said, line)
		}
	}
	return said, nil
}

func (s Sweeper) remove(ctx context.Context, policy *types.Policy) (line string, err error) {
	name := aws.ToString(policy.PolicyName)
	switch lost, err := s.lost(ctx, policy); {
	case gone(err) || err == nil && !lost:
		return "", nil
	case err != nil:
		return "", err
	}
	if held := aws.ToInt32(policy.AttachmentCount) + aws.ToInt32(policy.PermissionsBoundaryUsageCount); held > 0 {
		return fmt.Sprintf("left policy %s of a lost run: it is attached %d times, and whoever attached it may need it", name, held), nil
	}
	versions := iam.NewListPolicyVersionsPaginator(s.Client, &iam.ListPolicyVersionsInput{PolicyArn: policy.Arn})
	for versions.HasMorePages() {
		page, err := versions.NextPage(ctx)
		if err != nil {
			return "", err
		}
		for _, version := range page.Versions {
			if version.IsDefaultVersion {
				continue
			}
			if _, err := s.Client.DeletePolicyVersion(ctx, &iam.DeletePolicyVersionInput{PolicyArn: policy.Arn, VersionId: version.VersionId}); err != nil {
				return "", err
			}
		}
	}
	// IAM itself refuses it where somebody has attached the policy since.
	if _, err := s.Client.DeletePolicy(ctx, &iam.DeletePolicyInput{PolicyArn: policy.Arn}); err != nil && !gone(err) {
		return "", err
	}
	return "removed policy " + name + " of a lost run", nil
}

func gone(err error) bool {
	return errors.As(err, new(*types.NoSuchEntityException))
}
