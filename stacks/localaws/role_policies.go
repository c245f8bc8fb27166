package localaws

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	iamtypes "github.com/aws/aws-sdk-go-v2/service/iam/types"
	"github.com/aws/smithy-go"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Limits of IAM on a customer managed policy, in characters; white space does not count in the document.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
const (
	maxRolePolicy      = 6144
	maxRolePolicyName  = 128
	maxRolePolicyWords = 1000
)

var (
	rolePolicyName = regexp.MustCompile(`^[\w+=,.@-]+$`)
	rolePolicyPath = regexp.MustCompile(`^/([\x21-\x7E]{0,510}/)?$`)
)

// noIAM is what a user is told once in an operation that writes an IAM policy down.
const noIAM = "IAM policies are kept in the state alone: the endpoint is no AWS account, so nothing enforces them here"

// rolePolicies serves aws:iam/policy:Policy. A loopback endpoint has no IAM, so a policy lives in the state alone: it is
// checked and compared as the real provider does, and no request is sent. Its ARN names the account 000000000000.
//
// Where the configuration names an account the endpoint has one, and a policy is created and deleted there. As with the
// real provider, a CreatePolicy that is refused, or that is never answered, makes no policy the stack's. What changes a
// policy that is there is refused: whoever deploys to such an endpoint makes all anew.
type rolePolicies struct{}

var _ resourceType = rolePolicies{}

func (rolePolicies) check(req *pulumirpc.CheckRequest, olds, inputs resource.PropertyMap) ([]failure, error) {
	if err := named(req, olds, inputs, maxRolePolicyName); err != nil {
		return nil, err
	}
	if _, ok := inputs["path"]; !ok {
		inputs["path"] = resource.NewProperty("/")
	}
	if failures := rolePolicyInputs.names(inputs); len(failures) > 0 {
		return failures, nil
	}
	c := &checker{}
	if name := inputs["name"]; !name.ContainsUnknowns() && (!rolePolicyName.MatchString(text(name)) || len(text(name)) > maxRolePolicyName) {
		c.fail("name", "expected at most %d letters, digits and characters of +=,.@_-, found %q: correct the policy's name", maxRolePolicyName, text(name))
	}
	if path := inputs["path"]; !path.ContainsUnknowns() && !rolePolicyPath.MatchString(text(path)) {
		c.fail("path", "expected a path that begins and ends with '/', found %q: correct the policy's path", text(path))
	}
	if words := text(inputs["description"]); len(words) > maxRolePolicyWords {
		c.fail("description", "expected at most %d characters, found %d: shorten it", maxRolePolicyWords, len(words))
	}
	c.document(inputs, maxRolePolicy, false)
	return c.failures, nil
}

func (rolePolicies) diff(state, inputs resource.PropertyMap, _ []string) (*pulumirpc.DiffResponse, error) {
	response := rolePolicyInputs.diff(state, inputs)
	response.DeleteBeforeReplace = deletesFirst(response.Replaces, inputs)
	return response, nil
}

func (rolePolicies) planned(state, inputs resource.PropertyMap, _ []string) (resource.PropertyMap, error) {
	if len(state) > 0 {
		return rolePolicyOutputs(inputs), nil
	}
	return planned(nil, inputs, "arn", "policyId"), nil
}

// iamOf returns the client of the account's IAM, nil where policies are kept in the state alone.
func iamOf(ctx context.Context) *iam.Client {
	if c, err := sessionOf(ctx).configured(); err == nil {
		return c.iam
	}
	return nil // a test calls the provider without an endpoint
}

func (rolePolicies) create(ctx context.Context, urn string, inputs resource.PropertyMap) (string, resource.PropertyMap, error) {
	state := rolePolicyOutputs(inputs)
	api := iamOf(ctx)
	if api == nil {
		return text(state["arn"]), state, sessionOf(ctx).tell(ctx, urn, noIAM)
	}
	input := &iam.CreatePolicyInput{PolicyName: aws.String(text(inputs["name"])), Path: aws.String(text(inputs["path"])), PolicyDocument: aws.String(text(inputs["policy"]))}
	if words := text(inputs["description"]); words != "" {
		input.Description = &words
	}
	for _, key := range object(inputs["tags"]).StableKeys() {
		input.Tags = append(input.Tags, iamtypes.Tag{Key: aws.String(string(key)), Value: aws.String(text(inputs["tags"].ObjectValue()[key]))})
	}
	bounded, cancel := request(ctx)
	defer cancel()
	answer, err := api.CreatePolicy(bounded, input)
	if err == nil && (answer.Policy == nil || aws.ToString(answer.Policy.Arn) == "") {
		err = errors.New("expected the policy with its ARN, found an answer without")
	}
	if err != nil {
		return "", nil, policyError("CreatePolicy", *input.PolicyName, err)
	}
	arn := resource.NewProperty(*answer.Policy.Arn)
	state["id"], state["arn"], state["policyId"] = arn, arn, resource.NewProperty(aws.ToString(answer.Policy.PolicyId))
	return arn.StringValue(), state, nil
}

func (rolePolicies) update(ctx context.Context, req *pulumirpc.UpdateRequest, inputs resource.PropertyMap) (resource.PropertyMap, error) {
	if iamOf(ctx) != nil {
		return nil, fmt.Errorf("policy %q: localaws changes no policy of an account: destroy the stack and deploy it again", text(inputs["name"]))
	}
	return rolePolicyOutputs(inputs), sessionOf(ctx).tell(ctx, req.GetUrn(), noIAM)
}

// read returns what the state holds, unless the account's IAM has no such policy any more.
func (rolePolicies) read(ctx context.Context, arn string, state, inputs resource.PropertyMap) (is, asked resource.PropertyMap, err error) {
	if api := iamOf(ctx); api != nil {
		bounded, cancel := request(ctx)
		defer cancel()
		if _, err := api.GetPolicy(bounded, &iam.GetPolicyInput{PolicyArn: &arn}); err != nil {
			return nil, nil, policyError("GetPolicy", arn, err)
		}
	}
	return state, inputs, nil
}

func (rolePolicies) remove(ctx context.Context, arn string) error {
	api := iamOf(ctx)
	if api == nil {
		return nil
	}
	bounded, cancel := request(ctx)
	defer cancel()
	_, err := api.DeletePolicy(bounded, &iam.DeletePolicyInput{PolicyArn: &arn})
	return policyError("DeletePolicy", arn, err)
}

// policyError turns an error of the SDK into one clear line. A policy that is gone is no error.
func policyError(operation, name string, err error) error {
	var missing *iamtypes.NoSuchEntityException
	var answered smithy.APIError
	switch {
	case err == nil || errors.As(err, &missing):
		return nil
	case errors.As(err, &answered):
		return fmt.Errorf("%s of policy %q: %s: %s", operation, name, answered.ErrorCode(), answered.ErrorMessage())
	}
	return fmt.Errorf("%s of policy %q: %w", operation, name, err)
}

// rolePolicyOutputs is the state of a policy. It has no policyId, because nobody gave it one.
func rolePolicyOutputs(inputs resource.PropertyMap) resource.PropertyMap {
	arn := "arn:aws:iam::000000000000:policy" + text(inputs["path"]) + text(inputs["name"])
	outputs := resource.NewPropertyMapFromMap(map[string]any{
		"id":              arn,
		"arn":             arn,
		"attachmentCount": 0,
		"policyId":        "",
		"tagsAll":         map[string]any{},
	})
	if tags, ok := inputs["tags"]; ok {
		outputs["tags"], outputs["tagsAll"] = tags, tags
	}
	for _, name := range rolePolicyInputs.implemented {
		key := resource.PropertyKey(name)
		if value, ok := inputs[key]; ok {
			outputs[key] = value
		}
	}
	return outputs
}

// tell says something to the user, once in an operation.
func (s *session) tell(ctx context.Context, urn, message string) error {
	s.mu.Lock()
	engine := s.engine
	s.mu.Unlock()
	if engine == "" {
		return nil // no engine listens: a test calls the provider itself
	}
	var failed error
	s.told.Do(func() {
		connection, err := grpc.NewClient(engine, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			failed = err
			return
		}
		defer func() { _ = connection.Close() }()
		_, failed = pulumirpc.NewEngineClient(connection).Log(ctx, &pulumirpc.LogRequest{
			Severity: pulumirpc.LogSeverity_WARNING, Urn: urn, Message: message,
		})
	})
	if failed != nil {
		return fmt.Errorf("telling Pulumi's engine at %s: %w", engine, failed)
	}
	return nil
}
