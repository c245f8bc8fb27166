package localaws

import (
	"context"
	"fmt"
	"regexp"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"
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

func (rolePolicies) Check(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	olds, news, err := statesOf(req.GetOlds(), req.GetNews())
	if err != nil {
		return nil, err
	}
	if _, ok := news["name"]; !ok {
		if old, ok := olds["name"]; ok {
			news["name"] = old // a generated name stays
		} else {
			name, err := resource.NewUniqueName(req.GetRandomSeed(), resource.URN(req.GetUrn()).Name()+"-", 7, maxRolePolicyName, nil)
			if err != nil {
				return nil, err
			}
			news["name"] = resource.NewProperty(name)
		}
	}
	if _, ok := news["path"]; !ok {
		news["path"] = resource.NewProperty("/")
	}
	failures := rolePolicyInputs.names(news)
	if len(failures) == 0 {
		c := &checker{}
		if name := news["name"]; !name.ContainsUnknowns() && (!rolePolicyName.MatchString(text(name)) || len(text(name)) > maxRolePolicyName) {
			c.fail("name", "expected at most %d letters, digits and characters of +=,.@_-, found %q: correct the policy's name", maxRolePolicyName, text(name))
		}
		if path := news["path"]; !path.ContainsUnknowns() && !rolePolicyPath.MatchString(text(path)) {
			c.fail("path", "expected a path that begins and ends with '/', found %q: correct the policy's path", text(path))
		}
		if words := text(news["description"]); len(words) > maxRolePolicyWords {
			c.fail("description", "expected at most %d characters, found %d: shorten it", maxRolePolicyWords, len(words))
		}
		failures = append(c.failures, rolePolicyInputs.document(news, maxRolePolicy, false)...)
	}
	inputs, err := marshal("inputs", news)
	return &pulumirpc.CheckResponse{Inputs: inputs, Failures: checkFailures(failures)}, err
}

func (rolePolicies) Diff(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	state, inputs, err := statesOf(req.GetOlds(), req.GetNews())
	if err != nil {
		return nil, err
	}
	response := rolePolicyInputs.diff(state, inputs)
	response.DeleteBeforeReplace = len(response.Replaces) > 0 && text(state["name"]) == text(inputs["name"]) // names are unique
	return response, nil
}

func (rolePolicies) Create(ctx context.Context, req *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	inputs, err := unmarshal("inputs", req.GetProperties())
	if err != nil {
		return nil, err
	}
	if req.GetPreview() {
		planned, err := marshal("planned", rolePolicyInputs.planned(inputs, nil, "arn", "policyId"))
		return &pulumirpc.CreateResponse{Properties: planned}, err
	}
	if err := sessionOf(ctx).tell(ctx, req.GetUrn(), noIAM); err != nil {
		return nil, err
	}
	kept := rolePolicyOutputs(inputs)
	state, err := marshal("state", kept)
	return &pulumirpc.CreateResponse{Id: text(kept["arn"]), Properties: state}, err
}

func (rolePolicies) Update(ctx context.Context, req *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
	inputs, err := unmarshal("inputs", req.GetNews())
	if err != nil {
		return nil, err
	}
	if !req.GetPreview() {
		if err := sessionOf(ctx).tell(ctx, req.GetUrn(), noIAM); err != nil {
			return nil, err
		}
	}
	state, err := marshal("state", rolePolicyOutputs(inputs))
	return &pulumirpc.UpdateResponse{Properties: state}, err
}

// Read returns what the state holds: there is nothing else to ask.
func (rolePolicies) Read(_ context.Context, req *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	return &pulumirpc.ReadResponse{Id: req.GetId(), Properties: req.GetProperties(), Inputs: req.GetInputs()}, nil
}

func (rolePolicies) Delete(context.Context, *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

// rolePolicyOutputs is the state of a policy. It has no policyId, because nobody gave it one.
func rolePolicyOutputs(inputs resource.PropertyMap) resource.PropertyMap {
	arn := "arn:aws:iam::000000000000:policy" + text(inputs["path"]) + text(inputs["name"])
	outputs := resource.PropertyMap{
		"id":              resource.NewProperty(arn),
		"arn":             resource.NewProperty(arn),
		"attachmentCount": resource.NewProperty(0.0),
		"policyId":        resource.NewProperty(""),
		"tagsAll":         resource.NewProperty(resource.PropertyMap{}),
	}
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
