package suite

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/iam/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/access"
	"dynaproof/conformance/internal/policy"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/internal/test/standin"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/policies"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// found is the shipped design of a name, which a test may change.
func found(t *testing.T, name string) *accesspatterns.Design {
	t.Helper()
	return tabletest.Must(designs.Find(name))(t)
}

// audited opens a session that only describes the tables of a design in stage dev, as AWS would: answer answers each operation.
func audited(t *testing.T, design *accesspatterns.Design, answer standin.Service, change ...func(*session.Input)) *session.Session {
	t.Helper()
	input := session.Input{
		Design: design, Environment: "dev", Endpoint: standin.Address, Transport: answer, Grade: evidence.AWS, Ledger: wire.LedgerOf(), ReadOnly: true,
		Deployment: session.Deployment{Region: "eu-west-1", Tables: session.InEnvironment(design, nil, "dev").Deployment.Tables},
	}
	for _, each := range change {
		each(&input)
	}
	return tabletest.Must(session.Open(t.Context(), input))(t)
}

// described answers every request with an active table that has these members besides.
func described(members string) func(http.ResponseWriter, string, string) {
	return func(w http.ResponseWriter, _, asked string) {
		fmt.Fprintf(w, `{"Table":{"TableName":%q,"TableStatus":"ACTIVE","KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}]%s}}`, tableAsked(asked), members)
	}
}

// tableAsked is the name of the table that a request is about.
func tableAsked(asked string) string {
	_, behind, _ := strings.Cut(asked, `"TableName":"`)
	name, _, _ := strings.Cut(behind, `"`)
	return name
}

// refuse answers with an error.
func refuse(w http.ResponseWriter, code, message string) {
	w.WriteHeader(http.StatusBadRequest)
	fmt.Fprintf(w, `{"__type":"com.amazonaws.dynamodb.v20120810#%s","Message":%q}`, code, message)
}

// ran decides a claim of a session's design.
func ran(t *testing.T, session *session.Session, id string) evidence.Result {
	t.Helper()
	for _, claim := range AuditClaims(session.Design, false) {
		if claim.ID == session.Design.Name+"/"+id {
			return Decide(t.Context(), claim, session, nil)
		}
	}
	t.Fatalf("no claim %s", id)
	return evidence.Result{}
}

// expect sees how a claim was decided, and that its problems or notes have these words.
func expect(t *testing.T, what string, found evidence.Result, verdict evidence.Verdict, words string) {
	t.Helper()
	if text := Message(found) + strings.Join(found.Notes, "\n"); found.Verdict != verdict || !strings.Contains(text, words) || strings.Contains(text, "jane") {
		t.Errorf("%s: expected %s with %q, and nobody's name, found %s: %s", what, verdict, words, found.Verdict, text)
	}
}

// The client of an audit's session sends nothing but Describe and List.
func TestReadOnlySession(t *testing.T) {
	session := audited(t, found(t, "fus-main"), func(_ http.ResponseWriter, operation, _ string) { t.Errorf("expected no request, found %s", operation) })
	_, err := session.Client.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("fus-main")})
	var refused *safewrite.WriteError
	assert.ErrorAs(t, err, &refused)
}

// Of what a deployment did, only what the contract chose is waived: neither whether it is there, nor its status, nor a name that
// the document uses for something else.
func TestOnlyWhatWasChosenIsWaived(t *testing.T) {
	const primary, audit = "CommitCollect", "CommitCollectAudit"
	gsi := func(status, projection string, filling bool, keys ...string) string {
		kinds, schema := []string{"HASH", "RANGE"}, []string{}
		for i, key := range keys {
			schema = append(schema, fmt.Sprintf(`{"AttributeName":%q,"KeyType":%q}`, key, kinds[i]))
		}
		return fmt.Sprintf(`{"Backfilling":%t,"IndexName":"GSI1","IndexStatus":%q,"KeySchema":[%s],"Projection":{"ProjectionType":%q}}`, filling, status, strings.Join(schema, ","), projection)
	}
	documents := t.TempDir()
	text := "TTL: 90 days, by deleteAfter\n\nSessions of some days have createdAtUtc, `seen` and lastSeenAt.\n"
	require.NoError(t, os.WriteFile(filepath.Join(documents, "commit-collect.md"), []byte(text), 0o600))
	for _, row := range tabletest.Read[[]struct {
		Name, Claim, Status string
		State, Projection   string // of the index
		Keys                []string
		Filling             bool
		Also, TTL, Noted    string
		Want                evidence.Verdict
	}](t, "chosen.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			index := ""
			if row.Keys != nil {
				index = gsi(cmp.Or(row.State, "ACTIVE"), cmp.Or(row.Projection, "ALL"), row.Filling, row.Keys...)
			}
			want := cmp.Or(row.Want, evidence.Fail)
			answer := func(w http.ResponseWriter, operation, asked string) {
				switch operation {
				case "DescribeTable":
					var defined []string
					for _, name := range []string{"PK S", "SK S", row.Also} {
						if name, kind, _ := strings.Cut(name, " "); name != "" && !strings.HasPrefix(name, "-") && row.Also != "-"+name {
							defined = append(defined, fmt.Sprintf(`{"AttributeName":%q,"AttributeType":%q}`, name, strings.TrimSpace(kind + "S")[:1]))
						}
					}
					if slices.Contains(row.Keys, "GSI1PK") {
						defined = append(defined, `{"AttributeName":"GSI1PK","AttributeType":"S"}`)
					}
					fmt.Fprintf(w, `{"Table":{"TableName":%q,"TableStatus":%q,"TableArn":"arn:aws:dynamodb:us-east-1:111122223333:table/%[1]s","KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}],"AttributeDefinitions":[%[3]s],"GlobalSecondaryIndexes":[%[4]s]}}`,
						tableAsked(asked), cmp.Or(row.Status, "ACTIVE"), strings.Join(defined, ","), index)
				case "DescribeTimeToLive":
					fmt.Fprintf(w, `{"TimeToLiveDescription":{"TimeToLiveStatus":%q,"AttributeName":%q}}`, map[bool]string{true: "ENABLED", false: "DISABLED"}[row.TTL != ""], row.TTL)
				}
			}
			session := audited(t, found(t, "commit-collect"), answer, func(i *session.Input) {
				i.Documents, i.Deployment = documents, session.Deployment{Region: "us-east-1", Tables: map[string]string{primary: primary, audit: audit}}
			})
			result := ran(t, session, row.Claim)
			if noted := strings.Join(result.Noted, "\n"); result.Verdict != want || !strings.Contains(noted, row.Noted) || row.Noted == "" && noted != "" && want == evidence.Pass {
				t.Errorf("expected %s and %q noted, found %s and %q", want, row.Noted, Message(result), noted)
			}
		})
	}
}

// What the project chose is noted where somebody else deployed the tables, and
// fails the run's own deployment and whoever asks for it.
func TestChosenOtherwise(t *testing.T) {
	existing := session.Input{Existing: struct{ safewrite.Journal }{}}
	for _, row := range []struct {
		name  string
		input session.Input
		basis accesspatterns.BasisKind
		want  evidence.Verdict
	}{
		{"an audit", session.Input{ReadOnly: true}, accesspatterns.Chosen, evidence.Waived},
		{"an existing stack", existing, accesspatterns.Chosen, evidence.Waived},
		{"a strict audit", session.Input{ReadOnly: true, Strict: true}, accesspatterns.Chosen, evidence.Fail},
		{"a stack of the run's own", session.Input{}, accesspatterns.Chosen, evidence.Fail},
		{"what the document states", session.Input{ReadOnly: true}, accesspatterns.Stated, evidence.Fail},
		{"what it implies", session.Input{ReadOnly: true}, accesspatterns.Implied, evidence.Fail},
	} {
		t.Run(row.name, func(t *testing.T) {
			claim := manifest.Claim{Kind: manifest.KindIndex, Basis: row.basis, Because: "a finding"}
			o := &observe.Observation{Session: &session.Session{Input: row.input}, Claim: claim}
			o.Chosen("table T, index I, projection", "ALL", "KEYS_ONLY", remedy.Advice{})
			result := o.Result()
			assert.Equal(t, row.want, result.Verdict)
			assert.Equal(t, row.want == evidence.Waived, strings.Contains(strings.Join(result.Noted, ""), "ALL chosen here, KEYS_ONLY deployed"),
				"expected a note only in place of a failure, found %q", result.Noted)
			never := &observe.Observation{Session: &session.Session{Input: row.input}, Claim: claim}
			never.Equal("table T, index I", "there", "missing", remedy.Advice{})
			assert.Equal(t, evidence.Fail, never.Result().Verdict, "expected what is no part of the choice to fail")
		})
	}
}

// What answers in DynamoDB's place, such as a gateway, decides no claim about what is deployed.
func TestStrangeAnswersDecideNothing(t *testing.T) {
	for _, body := range []string{`{}`, ``} {
		for _, design := range designs.All() {
			session := audited(t, design, func(w http.ResponseWriter, _, _ string) { _, _ = io.WriteString(w, body) })
			for _, claim := range AuditClaims(design, false) {
				if claim.Kind != manifest.KindSchema && claim.Kind != manifest.KindIndex {
					continue
				}
				result := Decide(t.Context(), claim, session, nil)
				assert.Equal(t, evidence.Indeterminate, result.Verdict, "%q: expected indeterminate, found %s", body, Message(result))
			}
		}
	}
}

// What a document promises beyond keys and global indexes is compared with what is
// described, and one difference fails the claim that speaks of it.
func TestPromisedSettings(t *testing.T) {
	promised := tabletest.Read[struct {
		Table     map[string]any
		Claims    []string
		Described string
		Rows      []struct {
			Name, From, To, Claim, Words string
			Verdict                      evidence.Verdict
		}
	}](t, "promised.yaml")
	promises := tabletest.Must(json.Marshal(promised.Table))(t)
	for _, row := range promised.Rows {
		t.Run(row.Name, func(t *testing.T) {
			described := promised.Described
			if row.From != "" {
				require.Equal(t, 1, strings.Count(described, row.From), "times that %q is in the description", row.From)
				described = strings.Replace(described, row.From, row.To, 1)
			}
			design := found(t, "roll-model")
			require.NoError(t, json.Unmarshal(promises, &design.Tables[0]))
			session := audited(t, design, func(w http.ResponseWriter, _, _ string) {
				fmt.Fprintf(w, `{"Table":{"TableName":"RollModel","TableStatus":"ACTIVE",%s}}`, described)
			})
			for _, claim := range promised.Claims {
				switch found := ran(t, session, claim); {
				case claim == row.Claim:
					expect(t, claim, found, cmp.Or(row.Verdict, evidence.Fail), row.Words)
				case row.Claim == "":
					expect(t, claim, found, evidence.Pass, "")
				}
			}
		})
	}
}

// A table as AWS describes it, with settings and additions that no document knows.
func TestSettingsAndAdditions(t *testing.T) {
	const extras, named = "roll-model/table/RollModel/extras", "ListTables"
	const arn = "arn:aws:dynamodb:eu-west-1:111122223333:table/"
	const unknown = `,"FutureTier":{"Level":"deep"},"TableThroughputModeSummary":{"TableThroughputMode":"PAY_PER_REQUEST","LastUpdateToPayPerRequestDateTime":1.5,"Discount":1},` +
		`"BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST","Rebate":1},"SSEDescription":{"Status":"SHIMMERING"},"GlobalSecondaryIndexes":[{"IndexName":"x","Hue":null}]`
	// says are answers in place of the usual ones.
	type says map[string]string
	// keys say who manages every key, or why KMS does not say it.
	type keys struct{ Manager, Code, Message string }
	result := func(t *testing.T, claim, prefix string, answers says, strict bool, told *keys) evidence.Result {
		t.Helper()
		name, id, _ := strings.Cut(claim, "/")
		design := found(t, name)
		if answers["policy"] != "" { // of a document that speaks of no roles and no scans
			design.Policies = accesspatterns.Policies{}
		}
		says := says{named: `["RollModel"]`, "arn": arn + "%s", "tags": `[]`, "destinations": `[]`, "insights": "DISABLED", "recovery": "DISABLED"}
		maps.Copy(says, answers)
		answer := func(w http.ResponseWriter, operation, asked string) {
			switch operation {
			case named:
				fmt.Fprintf(w, `{"TableNames":%s}`, says[named])
			case "DescribeTable":
				members := says["table"] + `,"DeletionProtectionEnabled":true,"TableClassSummary":{"TableClass":"STANDARD_INFREQUENT_ACCESS"}`
				if says["arn"] != "" {
					members += fmt.Sprintf(`,"TableArn":%q`, strings.ReplaceAll(says["arn"], "%s", tableAsked(asked)))
				}
				described(members)(w, operation, asked)
			case "ListTagsOfResource":
				if strings.Contains(asked, "NextToken") {
					fmt.Fprintf(w, `{"Tags":%s}`, says["tags"])
					return
				}
				fmt.Fprint(w, `{"Tags":[{"Key":"aws:cloudformation:stack-name","Value":"x"}],"NextToken":"more"}`)
			case "DescribeKinesisStreamingDestination":
				fmt.Fprintf(w, `{"KinesisDataStreamDestinations":%s}`, says["destinations"])
			case "DescribeContinuousBackups":
				fmt.Fprintf(w, `{"ContinuousBackupsDescription":{"ContinuousBackupsStatus":"ENABLED","PointInTimeRecoveryDescription":{"PointInTimeRecoveryStatus":%q,"RecoveryPeriodInDays":7}}}`, says["recovery"])
			case "DescribeTimeToLive":
				fmt.Fprintf(w, `{"TimeToLiveDescription":{"TimeToLiveStatus":%q}}`, says["ttl"])
			case "GetResourcePolicy":
				if says["policy"] == "" {
					refuse(w, "PolicyNotFoundException", "")
					return
				}
				fmt.Fprintf(w, `{"Policy":%q}`, says["policy"])
			case "DescribeContributorInsights":
				fmt.Fprintf(w, `{"ContributorInsightsStatus":%q}`, says["insights"])
			}
		}
		return ran(t, audited(t, design, answer, func(i *session.Input) {
			i.NamePrefix = prefix
			for id, name := range i.Deployment.Tables {
				i.Deployment.Tables[id] = prefix + name
			}
			i.Strict = strict
			if told != nil {
				i.Keys = func(context.Context, string) (string, error) {
					switch {
					case told.Code != "":
						return "", &smithy.OperationError{ServiceID: "KMS", OperationName: "DescribeKey", Err: &smithy.GenericAPIError{Code: told.Code, Message: told.Message}}
					case told.Message != "":
						return "", errors.New(told.Message)
					}
					return told.Manager, nil
				}
			}
		}), id)
	}
	for _, row := range tabletest.Read[[]struct {
		Name, Claim, Prefix string
		Says                says
		Strict              bool
		Verdict             evidence.Verdict
		Words, Noted        string
		Keys                *keys
	}](t, "settings.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			found := result(t, row.Claim, row.Prefix, row.Says, row.Strict, row.Keys)
			expect(t, row.Claim, found, cmp.Or(row.Verdict, evidence.Pass), row.Words)
			noted := strings.Join(found.Noted, "\n")
			assert.True(t, strings.HasSuffix(noted, row.Noted), "expected the two of the same name to be noted, and nobody else's, found %q", noted)
		})
	}
	for _, strict := range []bool{false, true} {
		var told []string
		for _, line := range result(t, extras, "", says{"table": unknown}, strict, nil).Noted {
			if at, is := strings.CutSuffix(line, ": not known to this version, which cannot tell what it means"); is {
				told = append(told, strings.TrimPrefix(at, "table RollModel, DescribeTable, Table."))
			}
		}
		assert.Equal(t, []string{"BillingModeSummary.Rebate", "FutureTier", "GlobalSecondaryIndexes.Hue", `SSEDescription.Status "SHIMMERING"`, "TableThroughputModeSummary.Discount"}, told, "what nobody here knows")
	}
}

type rolePolicies struct {
	documents map[string]string
	loose     []string
	err       error
}

func (p rolePolicies) Roles(context.Context) (map[string]string, []string, error) {
	return p.documents, p.loose, p.err
}

func (rolePolicies) Where() string { return "IAM policies below /dynaproof/commit-collect.dev/" }

// Evaluator is evaluator, for tests that deploy.
type Evaluator = evaluator

// evaluator stands in for IAM's simulator: it decides as this project's evaluation does, but
// for one action, which it decides wrongly or leaves out.
type evaluator struct {
	wrong, left string
	err         error
	asked       int
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
				if decision == outcome.Decision && action != e.left {
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
	expect(t, "attached to nobody", ran(t, begin("commit-collect", func(i *session.Input) { i.Policies = rolePolicies{loose: []string{"operator"}} }), "policy/roles"), evidence.Fail, "attached to nobody: operator")
	policies[name] = denyScan
	expect(t, "attached", ran(t, begin("commit-collect"), claim), evidence.Pass, "judged are the policies that are attached")
	policies[name] = strings.Replace(denyScan, `"Statement":[`, `"Statement":[{"Sid": "Partner", "Effect": "Allow", "Principal": {"AWS": "210987654321"}, "Action": "dynamodb:GetItem", "Resource": "*"},`, 1)
	expect(t, "for another account", ran(t, begin("commit-collect"), claim), evidence.Pass, "principals of whom the document does not speak: statement Partner")
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
	seen = ran(t, begin("commit-collect", func(i *session.Input) { i.Simulator = (&evaluator{left: "dynamodb:Scan"}).Simulate }), claim)
	if expect(t, "simulated in part", seen, evidence.Pass, "and left out"); seen.Grade != evidence.Static {
		t.Errorf("expected evidence of an evaluation alone where IAM leaves requests out, found %s", seen.Grade)
	}
	seen = ran(t, begin("commit-collect", func(i *session.Input) {
		denied := &evaluator{err: &smithy.OperationError{ServiceID: "IAM", OperationName: "SimulateCustomPolicy", Err: &smithy.GenericAPIError{Code: "AccessDenied"}}}
		i.Simulator = denied.Simulate
	}), claim)
	if expect(t, "no simulator", seen, evidence.Pass, "the permission iam:SimulateCustomPolicy is missing"); seen.Grade != evidence.Static {
		t.Errorf("expected evidence of an evaluation alone, found %s", seen.Grade)
	}
}
