package localaws

import (
	"context"
	"fmt"
	"regexp"

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

func (rolePolicies) create(ctx context.Context, urn string, inputs resource.PropertyMap) (string, resource.PropertyMap, error) {
	state := rolePolicyOutputs(inputs)
	return text(state["arn"]), state, sessionOf(ctx).tell(ctx, urn, noIAM)
}

func (rolePolicies) update(ctx context.Context, req *pulumirpc.UpdateRequest, inputs resource.PropertyMap) (resource.PropertyMap, error) {
	return rolePolicyOutputs(inputs), sessionOf(ctx).tell(ctx, req.GetUrn(), noIAM)
}

// read returns what the state holds: there is nothing else to ask.
func (rolePolicies) read(_ context.Context, _ string, state, inputs resource.PropertyMap) (is, asked resource.PropertyMap, err error) {
	return state, inputs, nil
}

func (rolePolicies) remove(context.Context, string) error { return nil }

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
