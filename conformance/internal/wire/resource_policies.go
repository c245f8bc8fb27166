package wire

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns/dynamo"
)

// maxResourcePolicy is the size of a resource policy in bytes, white space included.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/rbac-considerations.html
const maxResourcePolicy = 20 * 1024

// noPolicy is the revision that a request names when it expects the table to have no policy.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_PutResourcePolicy.html
const noPolicy = "NO_POLICY"

// attachedPolicy is a policy with its revision, which AWS writes as a number of milliseconds.
type attachedPolicy struct {
	Policy     string `json:",omitempty"`
	RevisionId string `json:",omitempty"`
}

// resourcePolicies emulates the policies of tables: it remembers the [attachedPolicy] of a table and gives it back as AWS would. It
// enforces none, and it does not judge a statement: AWS refuses a policy whose grammar is wrong, this takes every JSON object.
func resourcePolicies(clock func() time.Time) *feature {
	return &feature{"resource-policies", []string{"PutResourcePolicy", "GetResourcePolicy", "DeleteResourcePolicy"}, func(operation string, request []byte, was any) (is, answer any) {
		var given dynamodb.PutResourcePolicyInput // which has the members of the others too
		if err := json.Unmarshal(request, &given); err != nil {
			return was, invalid(err.Error())
		}
		have, attached := was.(attachedPolicy)
		if operation != "GetResourcePolicy" && given.ExpectedRevisionId != nil {
			// A deletion cannot expect that there is nothing to delete.
			expectsNone := operation == "PutResourcePolicy" && *given.ExpectedRevisionId == noPolicy
			if expectsNone == attached || !expectsNone && *given.ExpectedRevisionId != have.RevisionId {
				return was, refusal{"PolicyNotFoundException", "Resource-based policy not found for the provided RevisionId"}
			}
		}
		var object map[string]any
		switch {
		case operation == "DeleteResourcePolicy": // what is not there is no error, and has no revision
			return nil, attachedPolicy{RevisionId: have.RevisionId}
		case operation == "GetResourcePolicy" && !attached:
			return was, refusal{"PolicyNotFoundException", "Resource-based policy not found for the provided ResourceArn: " + dynamo.TableName(aws.ToString(given.ResourceArn))}
		case operation == "GetResourcePolicy":
			return was, have
		case given.Policy == nil:
			return was, missing("policy")
		case json.Unmarshal([]byte(*given.Policy), &object) != nil:
			return was, invalid("Policy document is not a JSON object")
		case len(*given.Policy) > maxResourcePolicy:
			return was, invalid(fmt.Sprintf("Policy document has %d bytes, and at most %d are allowed", len(*given.Policy), maxResourcePolicy))
		case !attached || have.Policy != *given.Policy:
			have = attachedPolicy{*given.Policy, nextRevision(clock(), have.RevisionId)}
		}
		return have, attachedPolicy{RevisionId: have.RevisionId}
	}}
}

// nextRevision returns a revision that differs from the last one.
func nextRevision(now time.Time, last string) string {
	next := now.UnixMilli()
	if before, err := strconv.ParseInt(last, 10, 64); err == nil && next <= before {
		next = before + 1
	}
	return strconv.FormatInt(next, 10)
}
