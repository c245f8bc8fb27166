package suite_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

const (
	nullCondition = `"Null":{"dynamodb:LeadingKeys":["false"]}`
	ownKeys       = `"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":["USER#${aws:PrincipalTag/userId}","USER_PRIVATE#${aws:PrincipalTag/userId}"]}`
	onlyByNames   = `"StringEquals":{"dynamodb:Select":["SPECIFIC_ATTRIBUTES"]}`
)

func brokenPolicies() []breakage {
	return []breakage{
		{
			name: "the refusal of scans left out", design: "roll-model",
			policies: replacing("RollModel", `"Action":["dynamodb:Scan"]`, `"Action":["dynamodb:DescribeTable"]`),
			fails: map[string]string{
				"policy/no-scan/RollModel": "expected dynamodb:Scan denied explicitly, found allowed",
			},
		},
		{
			name: "the refusal of scans leaves the indexes out", design: "commit-collect",
			policies: replacing("CommitCollect", `"Action":["dynamodb:Scan"],"Resource":["`, `"Action":["dynamodb:Scan"],"Resource":["arn:aws:dynamodb:x:1:table/x","`, `table/CommitCollect/index/*"`, `table/CommitCollect/index/none"`),
			fails: map[string]string{
				"policy/no-scan/CommitCollect/GSI1": "index/GSI1, a principal without the tag role: expected dynamodb:Scan denied explicitly, found allowed",
			},
		},
		{
			name: "PartiQL full scans refused when they are none", design: "commit-collect",
			policies: replacing("CommitCollectSessions", `"dynamodb:FullTableScan":["true"]`, `"dynamodb:FullTableScan":["false"]`),
			fails: map[string]string{
				"policy/no-scan/CommitCollectSessions": "expected dynamodb:PartiQLSelect denied explicitly, found allowed",
			},
		},
		{
			name: "a waived scan left to another role too", design: "osem-ladders",
			policies: replacing("Users", `"aws:PrincipalTag/role":["admin"]`, `"aws:PrincipalTag/role":["admin","manager"]`),
			fails: map[string]string{
				"policy/no-scan/Users": "role manager: expected dynamodb:Scan denied explicitly, found allowed",
			},
		},
		{
			name: "scans refused only without a projection", design: "commit-collect",
			policies: replacing("CommitCollectIdempotency", `"Action":["dynamodb:Scan"],`, `"Action":["dynamodb:Scan"],"Condition":{"Null":{"dynamodb:Attributes":["true"]}},`),
			fails: map[string]string{
				"policy/no-scan/CommitCollectIdempotency": "with dynamodb:attributes = mentioned-nowhere: expected dynamodb:Scan denied explicitly, found allowed",
			},
		},
		{
			name: "scans refused but for one kind of answer", design: "osem-ladders",
			policies: replacing("ConfigVersions", `"Action":["dynamodb:Scan"],`, `"Action":["dynamodb:Scan"],"Condition":{"StringNotEquals":{"dynamodb:Select":["SPECIFIC_ATTRIBUTES"]}},`),
			fails: map[string]string{
				"policy/no-scan/ConfigVersions/isActive-index": "index/isActive-index, a principal without the tag role, with dynamodb:select = SPECIFIC_ATTRIBUTES",
				"policy/no-scan/ConfigVersions":                "with dynamodb:select = SPECIFIC_ATTRIBUTES: expected dynamodb:Scan denied explicitly, found allowed",
			},
		},
		{
			name: "scans refused only to principals without a user", design: "commit-collect",
			policies: replacing("CommitCollectAudit", `"Action":["dynamodb:Scan"],`, `"Action":["dynamodb:Scan"],"Condition":{"Null":{"aws:PrincipalTag/userId":["true"]}},`),
			fails: map[string]string{
				"policy/no-scan/CommitCollectAudit":      "with aws:principaltag/userid = mentioned-nowhere: expected dynamodb:Scan denied explicitly, found allowed",
				"policy/no-scan/CommitCollectAudit/GSI1": "with aws:principaltag/userid = mentioned-nowhere: expected dynamodb:Scan denied explicitly, found allowed",
				"policy/no-scan/CommitCollectAudit/GSI2": "with aws:principaltag/userid = mentioned-nowhere: expected dynamodb:Scan denied explicitly, found allowed",
			},
		},
		{
			name: "the table allows to everybody", design: "osem-ladders",
			policies: replacing("Assessments", `"Statement":[`, `"Statement":[{"Sid":"Open","Effect":"Allow","Principal":"*","Action":["dynamodb:GetItem","dynamodb:PutItem"],"Resource":["arn:aws:dynamodb:x:1:table/Assessments"],"Condition":{"Null":{"aws:PrincipalTag/role":["true"]}}},`),
			fails: map[string]string{
				"policy/no-scan/Assessments":                           "expected statements that deny, found statement Open, which allows to everybody",
				"policy/no-scan/Assessments/planId-teamMemberId-index": "expected statements that deny, found statement Open, which allows to everybody",
				"policy/no-scan/Assessments/teamMemberId-index":        "expected statements that deny, found statement Open, which allows to everybody",
			},
		},
		{
			name: "a policy exchanged behind Pulumi's back", design: "personal-os",
			stranger: []any{
				&dynamodb.DescribeTableInput{TableName: aws.String("personal-os-dev")},
				&dynamodb.PutResourcePolicyInput{
					ResourceArn: aws.String("arn:aws:dynamodb:us-east-1:000000000000:table/personal-os-dev"), Policy: aws.String(`{"Version": "2012-10-17", "Statement": []}`),
				},
			},
			fails: map[string]string{
				"policy/no-scan/personal-os":      "expected the policy of the stack's outputs, found another one attached",
				"policy/no-scan/personal-os/GSI1": "expected the policy of the stack's outputs, found another one attached",
				"policy/no-scan/personal-os/GSI2": "expected the policy of the stack's outputs, found another one attached",
				"ledger/agreement":                "expected only requests of this client, found DescribeTable",
				"ledger/documented-requests":      "PutResourcePolicy that no claim sent",
			},
		},
		{
			name: "a prefix in place of the user's id", design: "personal-os",
			policies: replacing("personal-os-user", `"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":["USER#${aws:PrincipalTag/userId}"]}`,
				`"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["USER#${aws:PrincipalTag/userId}*"]}`),
			fails: map[string]string{
				"policy/role/user":        "the partition of a user whose id begins with the own one",
				"policy/confinement/user": "the partition of a user whose id begins with the own one",
			},
		},
	}
}

// Each of these makes exactly the claims about policies fail that it names, where a session takes it for what was deployed.
func mistakenPolicies() []breakage {
	return []breakage{
		{
			name: "the coach may read like the athlete", design: "roll-model",
			policies: replacing("roll-model-coach", `,`+onlyByNames, ``),
			fails: map[string]string{
				"policy/role/coach": "role coach, pattern list-own-entries of athlete: expected a step that is denied, found every step allowed by statement ByProjection",
			},
		},
		{
			name: "the coach may write what a link consists of", design: "roll-model",
			policies: replacing("roll-model-coach", `"gapId"`, `"gapId","athleteId","coachId"`),
			fails: map[string]string{
				"policy/role/coach": "pattern link-coach of athlete",
			},
		},
		{
			name: "administration that no pattern needs", design: "roll-model",
			policies: replacing("roll-model-coach", `"Statement":[`, `"Statement":[{"Sid":"Rest","Effect":"Allow","Action":["dynamodb:GetRecords","dynamodb:RestoreTableFromBackup","dynamodb:EnableKinesisStreamingDestination"],"Resource":["*"]},`),
			fails: map[string]string{
				"policy/role/coach": "which no pattern needs it for: expected GetRecords on RollModel to be denied, found allowed by statement Rest",
			},
		},
		{
			name: "all attributes of any table", design: "commit-collect",
			policies: replacing("commit-collect-operator", `"Statement":[`, `"Statement":[{"Sid":"Rest","Effect":"Allow","Action":["dynamodb:GetItem"],"Resource":["*"],"Condition":{"StringEquals":{"dynamodb:Select":["ALL_ATTRIBUTES"]}}},`),
			fails: map[string]string{
				"policy/role/operator": "which no pattern needs it for, with dynamodb:Select = ALL_ATTRIBUTES: expected GetItem on a table of others",
			},
		},
		{
			name: "the tables of others", design: "roll-model",
			policies: replacing("roll-model-athlete", `"Statement":[`, `"Statement":[{"Sid":"Rest","Effect":"Allow","Action":["dynamodb:GetItem"],"Resource":["arn:aws:dynamodb:*:*:table/mentioned-*"]},`),
			fails: map[string]string{
				"policy/role/athlete": "which no pattern needs it for: expected GetItem on a table of others, arn:aws:dynamodb:",
			},
		},
		{
			name: "a permission that a pattern needs left out", design: "roll-model",
			policies: replacing("roll-model-coach", `dynamodb:ConditionCheckItem`, `dynamodb:DescribeTable`),
			fails: map[string]string{
				"policy/role/coach": "step write: expected ConditionCheckItem on RollModel in partition ENTRY#entry-abc to be allowed, found denied because nothing allows it",
			},
		},
		{
			name: "a waived scan refused to the role that needs it", design: "osem-ladders",
			policies: replacing("Teams", `"aws:PrincipalTag/role":["admin"]`, `"aws:PrincipalTag/role":["administrator"]`),
			fails: map[string]string{
				"policy/no-scan/Teams/managerId-index": "another one attached", // in this session alone
				"policy/no-scan/Teams":                 "role admin: expected dynamodb:Scan allowed, found denied explicitly by statement NoScan",
				"policy/role/admin":                    "case list-teams the active ones, step read: expected Scan on Teams to be allowed, found denied explicitly by statement NoScan",
			},
		},
		{
			name: "any action in place of one", design: "osem-ladders",
			policies: replacing("osem-ladders-admin", `"Action":["dynamodb:Scan"]`, `"Action":["dynamodb:*"]`),
			fails: map[string]string{
				"policy/role/admin": "DeleteItem on Users to be denied, found allowed by statement ListUsersAndTeams",
			},
		},
		{
			name: "any resource in place of one", design: "commit-collect",
			policies: replacing("commit-collect-operator", `"Resource":["`, `"Resource":["*","`),
			fails: map[string]string{
				"policy/role/operator": "Query on CommitCollectSessions in partition ",
			},
		},
		{
			name: "the guard against an absent key left out", design: "roll-model",
			policies: replacing("roll-model-athlete", ownKeys+","+nullCondition, ownKeys),
			fails: map[string]string{
				"policy/role/athlete":        "outside the partitions of its patterns: expected DeleteItem on RollModel to be denied, found allowed by statement OwnPartitions",
				"policy/confinement/athlete": "no partition key, outside the partitions of its patterns: expected Query on RollModel to be denied, found allowed by statement OwnPartitions",
			},
		},
		{
			name: "the partition left out", design: "roll-model",
			policies: replacing("roll-model-athlete", `,"Condition":{`+ownKeys+","+nullCondition+`}`, ``),
			fails: map[string]string{
				"policy/role/athlete":        "outside the partitions of its patterns: expected DeleteItem on RollModel to be denied, found allowed by statement OwnPartitions",
				"policy/confinement/athlete": "expected DeleteItem on RollModel to be denied, found allowed by statement OwnPartitions",
			},
		},
		{
			name: "one own partition is enough", design: "roll-model",
			policies: replacing("roll-model-athlete", ownKeys, strings.Replace(ownKeys, "ForAllValues", "ForAnyValue", 1)),
			fails: map[string]string{
				"policy/role/athlete":        "expected DeleteItem on RollModel in partition STRANGER#somebody, USER#somebody to be denied",
				"policy/confinement/athlete": "another user's partition, with aws:PrincipalTag/userId = somebody: expected DeleteItem on RollModel in partition USER#athlete-123, USER#somebody to be denied",
			},
		},
		{
			name: "one listed attribute is enough for all others", design: "roll-model",
			policies: replacing("roll-model-coach", `"ForAllValues:StringEquals":{"dynamodb:Attributes":["PK","SK","entityType","commentId"`, `"ForAnyValue:StringEquals":{"dynamodb:Attributes":["PK","SK","entityType","commentId"`),
			fails: map[string]string{
				"policy/role/coach": "with an attribute that the patterns do not name, with dynamodb:Attributes = PK, athleteId",
			},
		},
		{
			name: "attributes need not be named", design: "roll-model",
			policies: replacing("roll-model-user", `"dynamodb:Attributes":["false"],"dynamodb:LeadingKeys":["false"]`, `"dynamodb:LeadingKeys":["false"]`),
			fails: map[string]string{
				"policy/role/user": "condition key dynamodb:Attributes, naming none",
			},
		},
		{
			name: "one listed partition is enough for all others", design: "commit-collect",
			policies: replacing("commit-collect-operator", `"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["CORR#*"]}`, `"ForAnyValue:StringLike":{"dynamodb:LeadingKeys":["CORR#*"]}`),
			fails: map[string]string{
				"policy/role/operator": "expected Query on CommitCollectAudit/GSI1 in partition STRANGER#somebody, CORR#corr-1 to be denied",
			},
		},
		{
			name: "a read of all attributes where its patterns name theirs", design: "commit-collect",
			policies: replacing("commit-collect-operator", `"StringEquals":{"dynamodb:Select":["SPECIFIC_ATTRIBUTES"]}`, `"StringLike":{"dynamodb:Select":["*"]}`),
			fails: map[string]string{
				"policy/role/operator": "a read of its own without the projection, with dynamodb:Select = ALL_ATTRIBUTES: expected Query on CommitCollectAudit",
			},
		},
		{
			name: "a statement without its partitions", design: "roll-model",
			policies: replacing("roll-model-coach", `"Sid":"LinkAndMeta","Effect":"Allow","Action":["dynamodb:GetItem"],`, `"Sid":"LinkAndMeta","Effect":"Allow","Action":["dynamodb:GetItem"],"Resource":["*"]},{"Sid":"Rest","Effect":"Allow","Action":["dynamodb:GetItem"],`),
			fails: map[string]string{
				"policy/role/coach": "outside the partitions of its patterns: expected GetItem on RollModel to be denied, found allowed by statement LinkAndMeta",
			},
		},
		{
			name: "an attribute that the pattern does not name", design: "osem-ladders",
			policies: replacing("osem-ladders-team_member", `["reportId","exportedAt"]`, `["reportId","exportedAt","stranger"]`),
			fails: map[string]string{
				"policy/role/team_member": "with an attribute that the patterns do not name, with dynamodb:Attributes = stranger: expected UpdateItem on AssessmentReports",
			},
		},
		{
			name: "every action but the one that is needed", design: "personal-os",
			policies: replacing("personal-os-user", `"Sid":"ByArea","Effect":"Allow","Action"`, `"Sid":"ByArea","Effect":"Allow","NotAction"`),
			fails: map[string]string{
				"policy/role/user":        "expected DeleteItem on personal-os/GSI2 to be denied, found allowed by statement ByArea",
				"policy/confinement/user": "expected DeleteItem on personal-os/GSI2 in partition USER#",
			},
		},
		{
			name: "a policy for a role that is not documented", design: "roll-model",
			amend: func(d *accesspatterns.Design, _ *fixtures.Set) { d.Policies.Roles = d.Policies.Roles[:2] },
			fails: map[string]string{
				"policy/roles": "roles with a policy: expected athlete, coach, found athlete, coach, system, user",
			},
		},
	}
}

// A stack without guardrails passes none of the claims about policies: it fails
// them where its document demands guardrails, and else nothing can be told.
func TestWithoutGuardrails(t *testing.T) {
	for design, want := range map[string]evidence.Verdict{"commit-collect": evidence.Fail, "roll-model": evidence.Indeterminate} {
		t.Run(design, func(t *testing.T) {
			ctx := t.Context()
			run, err := replay.Start(ctx, replay.Options{Designs: []string{design}, Documents: documents(), Bounds: impatient, Guardrails: "off"})
			require.NoError(t, err)
			defer func() {
				assert.NoError(t, run.Close(context.WithoutCancel(ctx)))
			}()
			session, err := run.Open(ctx, run.Designs()[0])
			require.NoError(t, err)
			seen := 0
			for _, spec := range suite.Specs(run.Designs()[0]) {
				if spec.Claim.Kind != manifest.KindPolicy {
					continue
				}
				seen++
				result := spec.Run(ctx, session, nil)
				if result.Verdict != want || !strings.Contains(suite.Message(result), "off") {
					t.Errorf("%s: expected %s, found %s", result.ID, want, suite.Message(result))
				}
			}
			if seen == 0 {
				t.Error("expected claims about policies, found none")
			}
		})
	}
}

// One replay of each design serves all that is said of its policies: what no session sends does not depend on what another found.
func TestPolicies(t *testing.T) {
	bases := map[string]*session.Session{}
	for _, name := range designs.Names() {
		_, _, bases[name] = opened(t, replay.Options{Designs: []string{name}, Documents: documents(), Bounds: impatient})
	}
	t.Run("graded static", func(t *testing.T) { gradedStatic(t, bases["roll-model"]) })
	for _, each := range mistakenPolicies() {
		t.Run(each.name, func(t *testing.T) {
			base := bases[each.design]
			design, err := designs.Find(each.design)
			require.NoError(t, err)
			set := base.Fixtures.Clone()
			if each.amend != nil {
				each.amend(design, set)
			}
			again := base.Again(design, set)
			again.Deployment.RolePolicies, again.Deployment.TablePolicies = maps.Clone(base.Deployment.RolePolicies), maps.Clone(base.Deployment.TablePolicies)
			if each.policies != nil {
				for role, document := range base.Deployment.RolePolicies {
					again.Deployment.RolePolicies[role] = each.policies(each.design+"-"+role, document)
				}
				for table, document := range base.Deployment.TablePolicies {
					again.Deployment.TablePolicies[table] = each.policies(table, document)
				}
			}
			each.judge(t, again, func(claim manifest.Claim) bool { return claim.Kind == manifest.KindPolicy })
		})
	}
	addedStatements(t, bases)
}

// No answer of an engine makes a policy look enforced.
func gradedStatic(t *testing.T, base *session.Session) {
	for _, spec := range suite.Specs(base.Design) {
		if spec.Claim.Kind != manifest.KindPolicy {
			continue
		}
		result := spec.Run(t.Context(), base, nil)
		if result.Verdict != evidence.Pass || result.Grade != evidence.Static || !strings.Contains(result.Notes[0], "that AWS enforces it was not observed") {
			t.Errorf("%s: expected pass, static, and the words, found %s, %s, %v", result.ID, result.Verdict, result.Grade, result.Notes)
		}
		if asked := strings.Contains(result.ID, "/no-scan/"); asked != (len(result.Requests) > 0) {
			t.Errorf("%s: expected the requests that it asked, found %v", result.ID, result.Requests)
		}
	}
}

// replacing exchanges texts in the policy document of one resource.
func replacing(resource string, oldnew ...string) func(string, string) string {
	return func(name, document string) string {
		if name != resource {
			return document
		}
		for i := 0; i < len(oldnew); i += 2 {
			if !strings.Contains(document, oldnew[i]) {
				panic("no " + oldnew[i] + " in " + document)
			}
		}
		return strings.NewReplacer(oldnew...).Replace(document)
	}
}
