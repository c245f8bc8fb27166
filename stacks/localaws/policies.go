package localaws

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	iamtypes "github.com/aws/aws-sdk-go-v2/service/iam/types"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// Limits of policies. White space counts in the document of a table's, in bytes, and not in that of IAM's, in characters.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/rbac-considerations.html
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
const (
	maxTablePolicy     = 20 * 1024
	maxRolePolicy      = 6144
	maxRolePolicyName  = 128
	maxRolePolicyWords = 1000
)

var (
	// tableARN is the ARN of a table. The real provider takes those of streams too; no program has one.
	tableARN       = regexp.MustCompile(`^arn:[^:]+:dynamodb:[^:]*:[^:]*:table/[a-zA-Z0-9_.-]+$`)
	rolePolicyName = regexp.MustCompile(`^[\w+=,.@-]+$`)
	rolePolicyPath = regexp.MustCompile(`^/([\x21-\x7E]{0,510}/)?$`)
)

// document checks the size of the input "policy" and that it is JSON; what its statements mean is AWS's to judge.
func (c *checker) document(props resource.PropertyMap, limit int, countsSpace bool) {
	v := props["policy"]
	if v.ContainsUnknowns() {
		return
	}
	document := text(v)
	if !countsSpace {
		document = strings.Join(strings.Fields(document), "")
	}
	var parsed map[string]any
	switch {
	case document == "":
		c.fail("policy", "expected a policy document, found none: set policy")
	case json.Unmarshal([]byte(text(v)), &parsed) != nil:
		c.fail("policy", "expected a JSON object, found %.60q: correct the policy document", text(v))
	case len(document) > limit:
		c.fail("policy", "expected at most %d characters, found %d: shorten the policy document", limit, len(document))
	}
}

// diff compares state and inputs. A policy document differs when it means something else.
func (r resourceInputs) diff(state, inputs resource.PropertyMap) *pulumirpc.DiffResponse {
	d := differ{inputs: inputs, replacing: r.replacing}
	if state = state.Copy(); sameDocument(text(state["policy"]), text(inputs["policy"])) {
		state["policy"] = inputs["policy"]
	}
	d.compareAll(r.implemented, state, inputs)
	return d.response()
}

// sameDocument reports whether two policy documents mean the same: the order of lists, and a text in place of a list of one, do not
// matter.
func sameDocument(one, other string) bool {
	var a, b any
	if json.Unmarshal([]byte(one), &a) != nil || json.Unmarshal([]byte(other), &b) != nil {
		return one == other
	}
	return reflect.DeepEqual(canonical(a), canonical(b))
}

// canonical sorts lists, and writes a list of one text as the text.
func canonical(v any) any {
	switch v := v.(type) {
	case map[string]any:
		sorted := map[string]any{}
		for key, value := range v {
			sorted[key] = canonical(value)
		}
		return sorted
	case []any:
		elements := make([]any, len(v))
		for i, element := range v {
			elements[i] = canonical(element)
		}
		if len(elements) == 1 {
			return elements[0]
		}
		slices.SortFunc(elements, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		return elements
	}
	return v
}

// tablePolicies serves aws:dynamodb/resourcePolicy:ResourcePolicy. As with the real provider, putting a policy replaces
// the one that is there, the ARN is the id, and a policy that is gone is created anew.
type tablePolicies struct{}

var _ resourceType = tablePolicies{}

func (tablePolicies) check(_ *pulumirpc.CheckRequest, _, inputs resource.PropertyMap) ([]*pulumirpc.CheckFailure, error) {
	c := &checker{}
	if tablePolicyInputs.check(c, inputs); len(c.failures) > 0 {
		return c.failures, nil
	}
	if arn := inputs["resourceArn"]; !arn.ContainsUnknowns() && !tableARN.MatchString(text(arn)) {
		c.fail("resourceArn", "expected the ARN of a table, found %q: set the table's arn", text(arn))
	}
	c.document(inputs, maxTablePolicy, true)
	return c.failures, nil
}

func (tablePolicies) diff(state, inputs resource.PropertyMap, _ []string) (*pulumirpc.DiffResponse, error) {
	return tablePolicyInputs.diff(state, inputs), nil
}

func (tablePolicies) planned(state, inputs resource.PropertyMap, _ []string) resource.PropertyMap {
	delete(state, "revisionId") // a new one comes with every change
	return planned(state, inputs, "id", "revisionId", "confirmRemoveSelfResourceAccess")
}

func (p tablePolicies) create(ctx context.Context, c *client, _ string, inputs resource.PropertyMap) (string, resource.PropertyMap, error) {
	state, err := p.update(ctx, c, nil, nil, inputs)
	return text(inputs["resourceArn"]), state, err
}

// update puts a policy in place of the one that the state speaks of.
func (tablePolicies) update(ctx context.Context, c *client, _ *pulumirpc.UpdateRequest, state, inputs resource.PropertyMap) (resource.PropertyMap, error) {
	arn, policy := text(inputs["resourceArn"]), text(inputs["policy"])
	answer, err := ask(ctx, c, arn, (*dynamodb.Client).PutResourcePolicy, &dynamodb.PutResourcePolicyInput{ResourceArn: &arn, Policy: &policy, ExpectedRevisionId: revision(state)})
	if isUnknownOperation(err) {
		return nil, fmt.Errorf("PutResourcePolicy of %s: the endpoint %s does not know this operation: use an engine that has it, or set dynaproof:guardrails to off", arn, c.config.Endpoint)
	}
	if _, another := errors.AsType[*types.PolicyNotFoundException](err); another && revision(state) != nil {
		// It may be the echo of an attempt that took effect and whose answer was lost.
		if now, asking := ask(ctx, c, arn, (*dynamodb.Client).GetResourcePolicy, &dynamodb.GetResourcePolicyInput{ResourceArn: &arn}); asking == nil && sameDocument(aws.ToString(now.Policy), policy) {
			return tablePolicyOutputs(arn, policy, aws.ToString(now.RevisionId)), nil
		}
		err = fmt.Errorf("policy of %s: expected revision %s, which this stack put there, found none or another; it was not changed: refresh the stack", arn, *revision(state))
	}
	if err != nil {
		return nil, err
	}
	return tablePolicyOutputs(arn, policy, aws.ToString(answer.RevisionId)), nil
}

func (tablePolicies) read(ctx context.Context, c *client, arn string, state, inputs resource.PropertyMap) (is, asked resource.PropertyMap, err error) {
	answer, err := ask(ctx, c, arn, (*dynamodb.Client).GetResourcePolicy, &dynamodb.GetResourcePolicyInput{ResourceArn: &arn})
	if err != nil {
		return nil, nil, unless(holdsNone, err)
	}
	policy := aws.ToString(answer.Policy)
	if before := text(state["policy"]); sameDocument(before, policy) {
		policy = before // equal in effect: keep the program's own spelling
	}
	inputs["resourceArn"], inputs["policy"] = resource.NewProperty(arn), resource.NewProperty(policy)
	return tablePolicyOutputs(arn, policy, aws.ToString(answer.RevisionId)), inputs, nil
}

func (tablePolicies) remove(ctx context.Context, c *client, arn string, state resource.PropertyMap) error {
	_, err := ask(ctx, c, arn, (*dynamodb.Client).DeleteResourcePolicy, &dynamodb.DeleteResourcePolicyInput{ResourceArn: &arn, ExpectedRevisionId: revision(state)})
	return unless(holdsNone, err)
}

// revision is the revision of the policy that a state speaks of: another one on the same ARN is of somebody else's, or of a table that
// was made since.
func revision(state resource.PropertyMap) *string {
	if id := text(state["revisionId"]); id != "" {
		return &id
	}
	return nil
}

func tablePolicyOutputs(arn, policy, revision string) resource.PropertyMap {
	return resource.NewPropertyMapFromMap(map[string]any{
		"id": arn, "resourceArn": arn, "policy": policy, "revisionId": revision, "confirmRemoveSelfResourceAccess": false,
	})
}

// holdsNone reports whether an error says that there is no policy: an engine that does not know policies holds none.
func holdsNone(err error) bool {
	return errors.As(err, new(*types.PolicyNotFoundException)) || isNotFound(err) || isUnknownOperation(err)
}

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

func (rolePolicies) check(req *pulumirpc.CheckRequest, olds, inputs resource.PropertyMap) ([]*pulumirpc.CheckFailure, error) {
	if err := named(req, olds, inputs, maxRolePolicyName); err != nil {
		return nil, err
	}
	if _, ok := inputs["path"]; !ok {
		inputs["path"] = resource.NewProperty("/")
	}
	c := &checker{}
	if rolePolicyInputs.check(c, inputs); len(c.failures) > 0 {
		return c.failures, nil
	}
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
	return rolePolicyInputs.diff(state, inputs), nil
}

func (rolePolicies) planned(state, inputs resource.PropertyMap, _ []string) resource.PropertyMap {
	if len(state) > 0 {
		return rolePolicyOutputs(inputs)
	}
	return planned(nil, inputs, "id", "arn", "policyId")
}

func (rolePolicies) create(ctx context.Context, c *client, urn string, inputs resource.PropertyMap) (string, resource.PropertyMap, error) {
	state := rolePolicyOutputs(inputs)
	if c.iam == nil {
		return text(state["arn"]), state, sessionOf(ctx).tell(ctx, urn, noIAM)
	}
	name := text(inputs["name"])
	input := &iam.CreatePolicyInput{PolicyName: &name, Path: aws.String(text(inputs["path"])), PolicyDocument: aws.String(text(inputs["policy"]))}
	if words := text(inputs["description"]); words != "" {
		input.Description = &words
	}
	for _, key := range object(inputs["tags"]).StableKeys() {
		input.Tags = append(input.Tags, iamtypes.Tag{Key: aws.String(string(key)), Value: aws.String(text(inputs["tags"].ObjectValue()[key]))})
	}
	answer, err := send(ctx, c, c.iam, policyNamed(name), (*iam.Client).CreatePolicy, input)
	if err == nil && (answer.Policy == nil || aws.ToString(answer.Policy.Arn) == "") {
		err = fmt.Errorf("CreatePolicy of %s: expected the policy with its ARN, found an answer without", policyNamed(name))
	}
	if err != nil {
		return "", nil, err
	}
	arn := resource.NewProperty(*answer.Policy.Arn)
	state["id"], state["arn"], state["policyId"] = arn, arn, resource.NewProperty(aws.ToString(answer.Policy.PolicyId))
	return arn.StringValue(), state, nil
}

func policyNamed(name string) string { return fmt.Sprintf("policy %q", name) }

func (rolePolicies) update(ctx context.Context, c *client, req *pulumirpc.UpdateRequest, _, inputs resource.PropertyMap) (resource.PropertyMap, error) {
	if c.iam != nil {
		return nil, fmt.Errorf("policy %q: localaws changes no policy of an account: destroy the stack and deploy it again", text(inputs["name"]))
	}
	return rolePolicyOutputs(inputs), sessionOf(ctx).tell(ctx, req.GetUrn(), noIAM)
}

// read returns what the state holds, unless the account's IAM has no such policy any more.
func (rolePolicies) read(ctx context.Context, c *client, arn string, state, inputs resource.PropertyMap) (is, asked resource.PropertyMap, err error) {
	if c.iam != nil {
		if _, err := send(ctx, c, c.iam, policyNamed(arn), (*iam.Client).GetPolicy, &iam.GetPolicyInput{PolicyArn: &arn}); err != nil {
			return nil, nil, unless(isGone, err)
		}
	}
	return state, inputs, nil
}

func (rolePolicies) remove(ctx context.Context, c *client, arn string, _ resource.PropertyMap) error {
	if c.iam == nil {
		return nil
	}
	_, err := send(ctx, c, c.iam, policyNamed(arn), (*iam.Client).DeletePolicy, &iam.DeletePolicyInput{PolicyArn: &arn})
	return unless(isGone, err)
}

func isGone(err error) bool { return errors.As(err, new(*iamtypes.NoSuchEntityException)) }

// rolePolicyOutputs is the state of a policy. It has no policyId, because nobody gave it one.
func rolePolicyOutputs(inputs resource.PropertyMap) resource.PropertyMap {
	arn := "arn:aws:iam::000000000000:policy" + text(inputs["path"]) + text(inputs["name"])
	outputs := resource.NewPropertyMapFromMap(map[string]any{"id": arn, "arn": arn, "attachmentCount": 0, "policyId": "", "tagsAll": map[string]any{}})
	for _, name := range rolePolicyInputs.implemented {
		if value, ok := inputs[resource.PropertyKey(name)]; ok {
			outputs[resource.PropertyKey(name)] = value
		}
	}
	if tags, ok := inputs["tags"]; ok {
		outputs["tagsAll"] = tags
	}
	return outputs
}
