package suite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/iam/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/access"
	"dynaproof/conformance/internal/policy"
	"dynaproof/conformance/suite/ledgertest"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/policies"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

type keys struct {
	manager string
	err     error
}

func (k keys) Manager(context.Context, string) (string, error) { return k.manager, k.err }

// Who manages a table's key is what KMS says, and nothing where KMS does not say it.
func TestEncryptionByKMS(t *testing.T) {
	design, err := designs.Find("osem-ladders")
	require.NoError(t, err)
	const key = "arn:aws:kms:eu-west-1:111122223333:key/1234abcd"
	for _, row := range []struct {
		name, sse string
		keys      session.Keys
		verdict   evidence.Verdict
		words     string
	}{
		{"owned by AWS", "", nil, evidence.Pass, "the key that AWS owns"},
		{"managed by AWS", key, keys{manager: "AWS"}, evidence.Pass, "the key that AWS manages"},
		{"managed by the customer", key, keys{manager: "CUSTOMER"}, evidence.Fail, "which the customer manages"},
		{"a manager that nobody knows", key, keys{manager: "SOMEBODY"}, evidence.Indeterminate, `found "SOMEBODY"`},
		{"nobody to ask", key, nil, evidence.Indeterminate, "only KMS can say"},
		{"no permission", key, keys{err: &smithy.OperationError{ServiceID: "KMS", OperationName: "DescribeKey", Err: &smithy.GenericAPIError{
			Code: "AccessDeniedException", Message: "User: arn:aws:sts::111122223333:assumed-role/Auditor/jane is not authorized to perform: kms:DescribeKey on resource: " + key + " because no identity-based policy allows the kms:DescribeKey action",
		}}}, evidence.Indeterminate, "the permission kms:DescribeKey on key/1234abcd is missing"},
		{"a key that is gone", key, keys{err: &smithy.GenericAPIError{Code: "NotFoundException", Message: "Invalid keyId"}}, evidence.Indeterminate, "NotFoundException"},
		{"no answer", key, keys{err: errors.New("connection reset")}, evidence.Indeterminate, "connection reset"},
	} {
		t.Run(row.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/x-amz-json-1.0")
				sse := ""
				if row.sse != "" {
					sse = fmt.Sprintf(`,"SSEDescription":{"Status":"ENABLED","SSEType":"KMS","KMSMasterKeyArn":%q}`, row.sse)
				}
				fmt.Fprintf(w, `{"Table":{"TableName":"osem-dev-Users","TableStatus":"ACTIVE","KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}]%s}}`, sse)
			}))
			defer server.Close()
			session, err := session.Open(t.Context(), session.Input{
				Design: design, Environment: "dev", Endpoint: server.URL, Grade: evidence.AWS, Ledger: ledgertest.Entries{}, ReadOnly: true, Keys: row.keys,
				Deployment: session.Deployment{Region: "eu-west-1", Tables: map[string]string{"Users": "osem-dev-Users"}},
			})
			require.NoError(t, err)
			found := ran(t, session, "osem-ladders/table/Users/encryption")
			if text := Message(found) + strings.Join(found.Notes, "\n"); found.Verdict != row.verdict || !strings.Contains(text, row.words) || strings.Contains(text, "jane") {
				t.Errorf("expected %s with %q, found %s %s", row.verdict, row.words, found.Verdict, text)
			}
		})
	}
}

// ran decides a claim of a session's design.
func ran(t *testing.T, session *session.Session, claim string) evidence.Result {
	t.Helper()
	for _, spec := range AuditSpecs(session.Design) {
		if spec.Claim.ID == claim {
			return spec.Run(t.Context(), session, nil)
		}
	}
	t.Fatalf("no claim %s", claim)
	return evidence.Result{}
}

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
		document, err := policy.Parse(text, kind)
		if err != nil {
			return nil, err
		}
		documents = append(documents, document)
	}
	decisions := map[[2]string]types.PolicyEvaluationDecisionType{}
	for _, action := range asked.Actions {
		for _, resource := range asked.Resources {
			outcome, err := policy.Evaluate(policy.Request{Action: action, Resource: resource, Context: asked.Context}, documents...)
			if err != nil {
				return nil, err
			}
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
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ TableName, ResourceArn string }
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&asked))
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		switch _, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); operation {
		case "DescribeTable":
			fmt.Fprintf(w, `{"Table":{"TableName":%q,"TableStatus":"ACTIVE","KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}],"TableArn":"arn:aws:dynamodb:ap-southeast-2:111122223333:table/%[1]s"}}`, asked.TableName)
		case "GetResourcePolicy":
			name := asked.ResourceArn[strings.LastIndex(asked.ResourceArn, "/")+1:]
			switch document := policies[name]; {
			case refusal != "":
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprintf(w, `{"__type":"com.amazonaws.dynamodb.v20120810#AccessDeniedException","Message":%q}`, refusal)
			case document == "":
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, `{"__type":"com.amazonaws.dynamodb.v20120810#PolicyNotFoundException","message":"no policy"}`)
			default:
				fmt.Fprintf(w, `{"Policy":%q,"RevisionId":"1"}`, document)
			}
		default:
			t.Errorf("expected descriptions alone, found %s", operation)
		}
	}))
	defer server.Close()
	begin := func(name string, change func(*session.Input)) *session.Session {
		t.Helper()
		design, err := designs.Find(name)
		require.NoError(t, err)
		tables := session.InEnvironment(design, nil, "dev").Deployment.Tables
		input := session.Input{
			Design: design, Environment: "dev", Endpoint: server.URL, Grade: evidence.AWS, Ledger: ledgertest.Entries{}, ReadOnly: true, Fixtures: &fixtures.Set{}, Policies: rolePolicies{},
			Deployment: session.Deployment{Region: "ap-southeast-2", Tables: tables},
		}
		if change != nil {
			change(&input)
		}
		opened, err := session.Open(t.Context(), input)
		require.NoError(t, err)
		return opened
	}
	expect := func(what string, found evidence.Result, verdict evidence.Verdict, words string) {
		t.Helper()
		if text := Message(found) + strings.Join(found.Notes, "\n"); found.Verdict != verdict || !strings.Contains(text, words) {
			t.Errorf("%s: expected %s with %q, found %s: %s", what, verdict, words, found.Verdict, text)
		}
	}
	demanded, err := designs.Find("commit-collect")
	require.NoError(t, err)
	first := demanded.Tables[0]
	claim, name := "commit-collect/policy/no-scan/"+first.ID, first.Name.In("dev")
	expect("gone", ran(t, begin("commit-collect", nil), claim), evidence.Fail, "none is attached; looked at were the tables, and IAM policies below")
	expect("no role's policy", ran(t, begin("commit-collect", nil), "commit-collect/policy/roles"), evidence.Fail, "tables with a policy")
	policies[name] = denyScan
	expect("attached", ran(t, begin("commit-collect", nil), claim), evidence.Pass, "judged are the policies that are attached")
	policies[name] = strings.Replace(denyScan, `"dynamodb:Scan"`, `"dynamodb:DeleteTable"`, 1)
	expect("changed", ran(t, begin("commit-collect", nil), claim), evidence.Fail, "dynamodb:Scan denied explicitly")
	refusal = "User: arn:aws:sts::111122223333:assumed-role/Auditor/jane is not authorized to perform: dynamodb:GetResourcePolicy on resource: arn:aws:dynamodb:ap-southeast-2:111122223333:table/x because no identity-based policy allows the dynamodb:GetResourcePolicy action"
	expect("no permission", ran(t, begin("commit-collect", nil), claim), evidence.Indeterminate, "the permission dynamodb:GetResourcePolicy on table/x is missing")
	refusal = ""
	expect("IAM gives no permission", ran(t, begin("commit-collect", func(i *session.Input) {
		i.Policies = rolePolicies{err: &smithy.OperationError{ServiceID: "IAM", OperationName: "ListPolicies", Err: &smithy.GenericAPIError{Code: "AccessDenied"}}}
	}), claim), evidence.Indeterminate, "the permission iam:ListPolicies is missing")

	// A document that leaves policies open demands none; who attaches one has chosen them.
	open, scans := "fus-main", "fus-main/policy/no-scan/fus-main"
	expect("none where none is demanded", ran(t, begin(open, nil), scans), evidence.Unsupported, "the document leaves open whether policies are attached, and none is")
	expect("none where the caller demands them", ran(t, begin(open, func(i *session.Input) { i.MustEnforce = true }), scans), evidence.Fail, "none is attached")
	expect("a role's policy without that of its table", ran(t, begin(open, func(i *session.Input) {
		i.Policies = rolePolicies{documents: map[string]string{"player": `{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}}`}}
	}), scans), evidence.Fail, "none is attached")
	expect("an engine without policies", ran(t, begin(open, func(i *session.Input) { i.Policies = nil }), scans), evidence.Unsupported, observe.NeedsStack)

	// The simulator is a second witness: with it the claim rests on AWS, unless the two differ.
	policies[name] = denyScan
	same := &evaluator{}
	found := ran(t, begin("commit-collect", func(i *session.Input) { i.Simulator = same }), claim)
	if expect("simulated", found, evidence.Pass, "in the same way"); found.Grade != evidence.AWS || same.asked == 0 {
		t.Errorf("expected evidence of AWS from the simulator, found %s after %d questions", found.Grade, same.asked)
	}
	expect("simulated otherwise", ran(t, begin("commit-collect", func(i *session.Input) { i.Simulator = &evaluator{wrong: "dynamodb:Scan"} }), claim), evidence.Fail, "IAM's policy simulator, dynamodb:Scan")
	found = ran(t, begin("commit-collect", func(i *session.Input) {
		i.Simulator = &evaluator{err: &smithy.OperationError{ServiceID: "IAM", OperationName: "SimulateCustomPolicy", Err: &smithy.GenericAPIError{Code: "AccessDenied"}}}
	}), claim)
	if expect("no simulator", found, evidence.Pass, "the permission iam:SimulateCustomPolicy is missing"); found.Grade != evidence.Static {
		t.Errorf("expected evidence of an evaluation alone, found %s", found.Grade)
	}
}
