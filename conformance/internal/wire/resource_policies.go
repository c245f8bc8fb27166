package wire

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// maxResourcePolicy is the size of a resource policy in bytes, white space included.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/rbac-considerations.html
const maxResourcePolicy = 20 * 1024

// noPolicy is the revision that a request names when it expects the table to have no policy.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_PutResourcePolicy.html
const noPolicy = "NO_POLICY"

// resourcePolicies emulates the policies of tables: it keeps a policy and gives it back as AWS would. It enforces none,
// and it does not judge a statement: AWS refuses a policy whose grammar is wrong, this takes every JSON object.
type resourcePolicies struct {
	settings[attachedPolicy]
	// now is the clock.
	now func() time.Time
}

// attachedPolicy is a policy with its revision, which AWS writes as a number of milliseconds.
type attachedPolicy struct{ document, revision string }

var _ overlay = (*resourcePolicies)(nil)

// resourcePolicyAnswer is the answer of all three operations; each sets its own part.
type resourcePolicyAnswer struct {
	Policy     string `json:",omitempty"`
	RevisionId string `json:",omitempty"`
}

func (p *resourcePolicies) name() string { return "resource-policies" }

func (p *resourcePolicies) operations() []string {
	return []string{"PutResourcePolicy", "GetResourcePolicy", "DeleteResourcePolicy"}
}

func (p *resourcePolicies) answer(operation string, table tableKey, request []byte) (int, any) {
	var given struct {
		Policy             *string
		ExpectedRevisionId *string
	}
	if err := json.Unmarshal(request, &given); err != nil {
		return refusal("ValidationException", err.Error())
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	have, attached := p.of[table]
	if operation != "GetResourcePolicy" && given.ExpectedRevisionId != nil {
		// A deletion cannot expect that there is nothing to delete.
		expectsNone := operation == "PutResourcePolicy" && *given.ExpectedRevisionId == noPolicy
		if expectsNone == attached || !expectsNone && *given.ExpectedRevisionId != have.revision {
			return refusal("PolicyNotFoundException", "Resource-based policy not found for the provided RevisionId")
		}
	}
	switch operation {
	case "PutResourcePolicy":
		if problem := faultOf(given.Policy); problem != "" {
			return refusal("ValidationException", problem)
		}
		if !attached || have.document != *given.Policy {
			have = attachedPolicy{*given.Policy, p.nextRevision(have.revision)}
		}
		p.set(table, have)
		return http.StatusOK, resourcePolicyAnswer{RevisionId: have.revision}
	case "DeleteResourcePolicy":
		// Deleting what is not there is no error, and names no revision.
		delete(p.of, table)
		return http.StatusOK, resourcePolicyAnswer{RevisionId: have.revision}
	}
	if !attached {
		return refusal("PolicyNotFoundException", "Resource-based policy not found for the provided ResourceArn: "+table.name)
	}
	return http.StatusOK, resourcePolicyAnswer{Policy: have.document, RevisionId: have.revision}
}

// nextRevision returns a revision that differs from the last one.
func (p *resourcePolicies) nextRevision(last string) string {
	next := p.now().UnixMilli()
	if before, err := strconv.ParseInt(last, 10, 64); err == nil && next <= before {
		next = before + 1
	}
	return strconv.FormatInt(next, 10)
}

// faultOf returns what is wrong with a policy, or "".
func faultOf(policy *string) string {
	var object map[string]any
	switch {
	case policy == nil:
		return missing("policy")
	case json.Unmarshal([]byte(*policy), &object) != nil:
		return "Policy document is not a JSON object"
	case len(*policy) > maxResourcePolicy:
		return fmt.Sprintf("Policy document has %d bytes, and at most %d are allowed", len(*policy), maxResourcePolicy)
	}
	return ""
}

// refusal is an answer with an error of DynamoDB.
func refusal(kind, message string) (int, any) {
	return http.StatusBadRequest, json.RawMessage(dynamoDBError(kind, message))
}
