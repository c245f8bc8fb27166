package suite

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/iam/types"
	"github.com/aws/smithy-go"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/access"
	"dynaproof/conformance/internal/policy"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/policies"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

type rolePolicies struct {
	documents map[string]string
	err       error
}

func (p rolePolicies) Roles(context.Context) (map[string]string, error) { return p.documents, p.err }

func (rolePolicies) Where() string { return "IAM policies below /dynaproof/commit-collect.dev/" }

// Evaluator is evaluator, for tests that deploy.
type Evaluator = evaluator

// evaluator stands in for IAM's simulator: it decides as this project's evaluation does, but
// for one action.
type evaluator struct {
	wrong string
	err   error
	asked int
	// parsed are the documents of questions before, which are the same for most.
	parsed map[string]*policy.Document
}

func (e *evaluator) Simulate(_ context.Context, asked access.Simulation) (map[[2]string]types.PolicyEvaluationDecisionType, error) {
	e.asked++
	if e.err != nil {
		return nil, e.err
	}
	documents := []*policy.Document{}
	for text, kind := range map[string]policy.Kind{asked.Identity: policy.Identity, asked.Table: policy.Resource} {
		if text == "" {
			continue
		}
		if e.parsed[text] == nil {
			document, err := policy.Parse(text, kind)
			if err != nil {
				return nil, err
			}
			if e.parsed == nil {
				e.parsed = map[string]*policy.Document{}
			}
			e.parsed[text] = document
		}
		documents = append(documents, e.parsed[text])
	}
	decisions := map[[2]string]types.PolicyEvaluationDecisionType{}
	for _, action := range asked.Actions {
		for _, resource := range asked.Resources {
			outcome := policy.Evaluate(policy.Request{Action: action, Resource: resource, Context: asked.Context}, documents...)
			for said, decision := range policies.Simulated {
				if decision == outcome.Decision {
					decisions[[2]string{action, resource}] = said
				}
			}
			if action == e.wrong {
				decisions[[2]string{action, resource}] = types.PolicyEvaluationDecisionTypeAllowed
			}
		}
	}
	return decisions, nil
}

const denyScan = `{"Version":"2012-10-17","Statement":[{"Sid":"NoScan","Effect":"Deny","Principal":"*","Action":"dynamodb:Scan","Resource":"*"},` +
	`{"Sid":"NoFullScan","Effect":"Deny","Principal":"*","Action":"dynamodb:PartiQLSelect","Resource":"*","Condition":{"Bool":{"dynamodb:FullTableScan":"true"}}}]}`

// An audit judges the policies that are attached, and fails where one that the document
// demands is gone or lets a scan through.
func TestAuditOfAttachedPolicies(t *testing.T) {
	policies := map[string]string{}
	var refusal string
	answer := func(w http.ResponseWriter, operation, asked string) {
		switch operation {
		case "DescribeTable":
			described(fmt.Sprintf(`,"TableArn":"arn:aws:dynamodb:ap-southeast-2:111122223333:table/%s"`, tableAsked(asked)))(w, operation, asked)
		case "GetResourcePolicy":
			_, behind, _ := strings.Cut(asked, ":table/")
			name, _, _ := strings.Cut(behind, `"`)
			switch document := policies[name]; {
			case refusal != "":
				refuse(w, "AccessDeniedException", refusal)
			case document == "":
				refuse(w, "PolicyNotFoundException", "no policy")
			default:
				fmt.Fprintf(w, `{"Policy":%q,"RevisionId":"1"}`, document)
			}
		default:
			t.Errorf("expected descriptions alone, found %s", operation)
		}
	}
	begin := func(name string, change ...func(*session.Input)) *session.Session {
		t.Helper()
		return audited(t, found(t, name), answer, append([]func(*session.Input){func(i *session.Input) {
			i.Fixtures, i.Policies, i.Deployment.Region = &fixtures.Set{}, rolePolicies{}, "ap-southeast-2"
		}}, change...)...)
	}
	first := found(t, "commit-collect").Tables[0]
	claim, name := "policy/no-scan/"+first.ID, first.Name.In("dev")
	expect(t, "gone", ran(t, begin("commit-collect"), claim), evidence.Fail, "none is attached; looked at were the tables, and IAM policies below")
	expect(t, "no role's policy", ran(t, begin("commit-collect"), "policy/roles"), evidence.Fail, "tables with a policy")
	policies[name] = denyScan
	expect(t, "attached", ran(t, begin("commit-collect"), claim), evidence.Pass, "judged are the policies that are attached")
	policies[name] = strings.Replace(denyScan, `"dynamodb:Scan"`, `"dynamodb:DeleteTable"`, 1)
	expect(t, "changed", ran(t, begin("commit-collect"), claim), evidence.Fail, "dynamodb:Scan denied explicitly")
	refusal = "User: arn:aws:sts::111122223333:assumed-role/Auditor/jane is not authorized to perform: dynamodb:GetResourcePolicy on resource: arn:aws:dynamodb:ap-southeast-2:111122223333:table/x because no identity-based policy allows the dynamodb:GetResourcePolicy action"
	expect(t, "no permission", ran(t, begin("commit-collect"), claim), evidence.Indeterminate, "the permission dynamodb:GetResourcePolicy on table/x is missing")
	refusal = ""
	expect(t, "IAM gives no permission", ran(t, begin("commit-collect", func(i *session.Input) {
		i.Policies = rolePolicies{err: &smithy.OperationError{ServiceID: "IAM", OperationName: "ListPolicies", Err: &smithy.GenericAPIError{Code: "AccessDenied"}}}
	}), claim), evidence.Indeterminate, "the permission iam:ListPolicies is missing")

	// A document that leaves policies open demands none; who attaches one has chosen them.
	open, scans := "fus-main", "policy/no-scan/fus-main"
	expect(t, "none where none is demanded", ran(t, begin(open), scans), evidence.Unsupported, "the document leaves open whether policies are attached, and none is")
	expect(t, "none where the caller demands them", ran(t, begin(open, func(i *session.Input) { i.MustEnforce = true }), scans), evidence.Fail, "none is attached")
	expect(t, "a role's policy without that of its table", ran(t, begin(open, func(i *session.Input) {
		i.Policies = rolePolicies{documents: map[string]string{"player": `{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}}`}}
	}), scans), evidence.Fail, "none is attached")
	expect(t, "an engine without policies", ran(t, begin(open, func(i *session.Input) { i.Policies = nil }), scans), evidence.Unsupported, observe.NeedsStack)

	// The simulator is a second witness: with it the claim rests on AWS, unless the two differ.
	policies[name] = denyScan
	same := &evaluator{}
	seen := ran(t, begin("commit-collect", func(i *session.Input) { i.Simulator = same.Simulate }), claim)
	if expect(t, "simulated", seen, evidence.Pass, "in the same way"); seen.Grade != evidence.AWS || same.asked == 0 {
		t.Errorf("expected evidence of AWS from the simulator, found %s after %d questions", seen.Grade, same.asked)
	}
	expect(t, "simulated otherwise", ran(t, begin("commit-collect", func(i *session.Input) { i.Simulator = (&evaluator{wrong: "dynamodb:Scan"}).Simulate }), claim), evidence.Fail, "IAM's policy simulator, dynamodb:Scan")
	seen = ran(t, begin("commit-collect", func(i *session.Input) {
		denied := &evaluator{err: &smithy.OperationError{ServiceID: "IAM", OperationName: "SimulateCustomPolicy", Err: &smithy.GenericAPIError{Code: "AccessDenied"}}}
		i.Simulator = denied.Simulate
	}), claim)
	if expect(t, "no simulator", seen, evidence.Pass, "the permission iam:SimulateCustomPolicy is missing"); seen.Grade != evidence.Static {
		t.Errorf("expected evidence of an evaluation alone, found %s", seen.Grade)
	}
}
