package suite_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/session"
)

// added are statements beside those of a stack, TABLE for the ARN of its first table: what is added to each role's policy, the
// claims that must not pass, and how they end.
var added = []struct {
	name, design, role, statement string
	claims                        []string
	verdict                       evidence.Verdict
}{
	{"another partition by name", "roll-model", "athlete", allowing(`"GetItem","dynamodb:Query"`, `"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"USER#victim-12345"}`), bothOf("athlete"), evidence.Fail},
	{"other partitions by pattern", "roll-model", "athlete", allowing(`"GetItem","dynamodb:Query"`, `"ForAllValues:StringLike":{"dynamodb:LeadingKeys":"USER#v*"}`), bothOf("athlete"), evidence.Fail},
	{"another tag", "roll-model", "athlete", allowing(`"GetItem","dynamodb:Query","dynamodb:PutItem"`, `"StringEquals":{"aws:PrincipalTag/vip":"true"}`), bothOf("athlete"), evidence.Fail},
	{"one kind of consumed capacity", "roll-model", "athlete", allowing(`"GetItem","dynamodb:Query"`, `"StringEquals":{"dynamodb:ReturnConsumedCapacity":"INDEXES"}`), bothOf("athlete"), evidence.Fail},
	{"one kind of returned values", "roll-model", "athlete", allowing(`"UpdateItem","dynamodb:PutItem"`, `"StringEquals":{"dynamodb:ReturnValues":"ALL_OLD"}`), bothOf("athlete"), evidence.Fail},
	{"one enclosing operation", "roll-model", "athlete", allowing(`"GetItem"`, `"StringEquals":{"dynamodb:EnclosingOperation":"TransactGetItems"}`), bothOf("athlete"), evidence.Fail},
	{"another attribute", "roll-model", "coach", allowing(`"Query"`, `"ForAllValues:StringEquals":{"dynamodb:Attributes":["PK","private"]},"StringEquals":{"dynamodb:Select":"SPECIFIC_ATTRIBUTES"}`), []string{"policy/role/coach"}, evidence.Fail},
	{"one Select of those beyond a projection, met by three patterns", "roll-model", "coach", allowing(`"Query"`, `"StringLike":{"dynamodb:Select":"A*D_*"},"ForAllValues:StringLike":{"dynamodb:Select":"*_PRO*"},"ForAnyValue:StringLike":{"dynamodb:Select":"*BUTES"}`), []string{"policy/role/coach"}, evidence.Fail},
	{"a count, met by three patterns", "roll-model", "coach", allowing(`"Query"`, `"StringLike":{"dynamodb:Select":"C*"},"ForAllValues:StringLike":{"dynamodb:Select":"*OU*"},"ForAnyValue:StringLike":{"dynamodb:Select":"*T"}`), []string{"policy/role/coach"}, evidence.Fail},
	{"a write of some attributes that returns the item", "roll-model", "system", allowing(`"UpdateItem"`, `"ForAllValues:StringEquals":{"dynamodb:Attributes":["PK","SK","lastActiveAt"]},"Null":{"dynamodb:Attributes":"false"},"ForAnyValue:StringLike":{"dynamodb:LeadingKeys":"USER#*"}`), []string{"policy/role/system"}, evidence.Fail},
	{"what all of no Select are", "roll-model", "athlete", allowing(`"GetItem"`, `"ForAllValues:StringEquals":{"dynamodb:Select":"COUNT"}`), bothOf("athlete"), evidence.Fail},
	{"a partition that two patterns meet in", "roll-model", "athlete", allowing(`"GetItem"`, `"ForAllValues:StringLike":{"dynamodb:LeadingKeys":"USER#v*5"},"ForAnyValue:StringLike":{"dynamodb:LeadingKeys":"US*-12345"}`), bothOf("athlete"), evidence.Fail},
	{"a partition beside two others", "roll-model", "athlete", allowing(`"GetItem"`, `"ForAnyValue:StringEquals":{"dynamodb:LeadingKeys":"ENTRY#a"},"ForAnyValue:StringLike":{"dynamodb:LeadingKeys":"ENTRY#b*"}`), bothOf("athlete"), evidence.Fail},
	{"all partitions but one", "roll-model", "athlete", allowing(`"GetItem"`, `"ForAllValues:StringNotEquals":{"dynamodb:LeadingKeys":"USER#another"}`), bothOf("athlete"), evidence.Fail},
	{"a user by name", "roll-model", "athlete", allowing(`"GetItem"`, `"StringEquals":{"aws:PrincipalTag/userId":"root"}`), bothOf("athlete"), evidence.Fail},
	{"a default in place of the user", "roll-model", "athlete", allowing(`"GetItem"`, `"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"USER#${aws:PrincipalTag/userId, 'victim-12345'}"},"Null":{"dynamodb:LeadingKeys":"false"}`), bothOf("athlete"), evidence.Fail},
	{"another user regardless of case", "roll-model", "athlete", allowing(`"GetItem"`, `"ForAllValues:StringEqualsIgnoreCase":{"dynamodb:LeadingKeys":"USER#VICTIM"},"Null":{"dynamodb:LeadingKeys":"false"}`), bothOf("athlete"), evidence.Fail},
	{"where a key exists", "roll-model", "athlete", allowing(`"GetItem"`, `"ForAllValues:StringEqualsIfExists":{"dynamodb:LeadingKeys":"USER#${aws:PrincipalTag/userId}"}`), bothOf("athlete"), evidence.Fail},
	{"every resource but one", "roll-model", "athlete", `{"Effect":"Allow","Action":"dynamodb:GetItem","NotResource":"TABLE"}`, []string{"policy/role/athlete"}, evidence.Fail},
	{"every action but one", "roll-model", "athlete", `{"Effect":"Allow","NotAction":"dynamodb:GetItem","Resource":"TABLE"}`, bothOf("athlete"), evidence.Fail},
	{"an index that is not there", "roll-model", "athlete", `{"Effect":"Allow","Action":"dynamodb:Query","Resource":"TABLE/index/*"}`, []string{"policy/role/athlete"}, evidence.Fail},
	{"the table in another account", "roll-model", "athlete", `{"Effect":"Allow","Action":"dynamodb:GetItem","Resource":"arn:aws:dynamodb:*:*:table/RollModel"}`, []string{"policy/role/athlete"}, evidence.Fail},
	{"what is withheld by its attributes, for one kind of consumed capacity", "roll-model", "user", allowing(`"PutItem"`,
		`"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"USER#${aws:PrincipalTag/userId}"},"Null":{"dynamodb:LeadingKeys":"false"},"StringEquals":{"dynamodb:ReturnConsumedCapacity":"TOTAL"}`), []string{"policy/role/user"}, evidence.Fail},
	{"another partition of several tables", "commit-collect", "user", allowing(`"GetItem","dynamodb:Query","dynamodb:UpdateItem"`, `"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"USER#victim-12345"}`), bothOf("user"), evidence.Fail},
	{"all of others' profiles", "fus-main", "user", allowing(`"GetItem"`, `"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"USER#victim-12345"}`), bothOf("user"), evidence.Fail},

	{"another user by one pattern regardless of case and another that is not", "roll-model", "athlete", allowing(`"GetItem"`, `"ForAllValues:StringEqualsIgnoreCase":{"dynamodb:LeadingKeys":"user#victim"},"ForAnyValue:StringLike":{"dynamodb:LeadingKeys":"USER#v*"}`), bothOf("athlete"), evidence.Fail},
	{"two partitions and two attributes, asked for one by one", "roll-model", "coach", allowing(`"BatchGetItem"`, `"ForAnyValue:StringEquals":{"dynamodb:LeadingKeys":"USER#a","dynamodb:Attributes":"PK"},"ForAnyValue:StringLike":{"dynamodb:LeadingKeys":"USER#b*","dynamodb:Attributes":"pri*"}`), []string{"policy/role/coach"}, evidence.Fail},
	{"a user whom another tag names", "roll-model", "athlete", allowing(`"GetItem"`, `"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"USER#${aws:PrincipalTag/manages}"},"Null":{"dynamodb:LeadingKeys":"false"}`), bothOf("athlete"), evidence.Fail},
	{"users but those of three forms", "roll-model", "coach", allowing(`"BatchGetItem"`, `"ForAllValues:StringLike":{"dynamodb:LeadingKeys":"USER#*"},"ForAnyValue:StringNotLike":{"dynamodb:LeadingKeys":["USER#?","USER#*-*","USER#*0"]},"Null":{"dynamodb:LeadingKeys":"false"}`), []string{"policy/role/coach"}, evidence.Fail},
	{"users but those whom another statement denies", "roll-model", "coach", allowing(`"BatchGetItem"`, `"ForAllValues:StringLike":{"dynamodb:LeadingKeys":"USER#*"},"Null":{"dynamodb:LeadingKeys":"false"}`) +
		`,{"Effect":"Deny","Action":"dynamodb:BatchGetItem","Resource":"TABLE","Condition":{"ForAnyValue:StringNotLike":{"dynamodb:LeadingKeys":"*vip*"}}}`, []string{"policy/role/coach"}, evidence.Fail},
	{"every region but one", "roll-model", "athlete", `{"Effect":"Allow","Action":"dynamodb:GetItem","NotResource":"arn:aws:dynamodb:REGION:*:*"}`, []string{"policy/role/athlete"}, evidence.Fail},
	{"every account but one", "roll-model", "athlete", `{"Effect":"Allow","Action":"dynamodb:GetItem","NotResource":"arn:aws:dynamodb:*:ACCOUNT:*"}`, []string{"policy/role/athlete"}, evidence.Fail},
	{"every partition of AWS but one", "roll-model", "athlete", `{"Effect":"Allow","Action":"dynamodb:GetItem","NotResource":"arn:aws:*:*:*:*"}`, []string{"policy/role/athlete"}, evidence.Fail},
	{"what is no table", "roll-model", "athlete", `{"Effect":"Allow","Action":"dynamodb:*","NotResource":"arn:aws:dynamodb:*:*:table/*"}`, []string{"policy/role/athlete"}, evidence.Fail},
	{"the streams of a table", "roll-model", "athlete", `{"Effect":"Allow","Action":"dynamodb:GetRecords","Resource":"TABLE/stream/*"}`, []string{"policy/role/athlete"}, evidence.Fail},
	{"an export", "roll-model", "athlete", `{"Effect":"Allow","Action":"dynamodb:ExportTableToPointInTime","Resource":"TABLE"}`, bothOf("athlete"), evidence.Fail},
	{"a copy of the table in another account", "roll-model", "athlete", `{"Effect":"Allow","Action":"dynamodb:Associate*","Resource":"TABLE"}`, bothOf("athlete"), evidence.Fail},
	{"a witness of a global table, and errors in an experiment", "roll-model", "athlete", `{"Effect":"Allow","Action":["dynamodb:*Witness","dynamodb:Inject*"],"Resource":"*"}`, bothOf("athlete"), evidence.Fail},
	{"what no action is called like yet", "roll-model", "athlete", `{"Effect":"Allow","Action":"dynamodb:Frob*","Resource":"TABLE"}`, bothOf("athlete"), evidence.Fail},
	{"PartiQL but full scans", "roll-model", "athlete", allowing(`"PartiQLSelect"`, `"BoolIfExists":{"dynamodb:FullTableScan":"false"}`), bothOf("athlete"), evidence.Fail},

	{"what its own policies say", "roll-model", "athlete", `{"Effect":"Allow","Action":"iam:Put*","Resource":"arn:aws:iam::ACCOUNT:role/athlete"}`, bothOf("athlete"), evidence.Fail},
	{"all of IAM but one action", "roll-model", "athlete", `{"Effect":"Allow","NotAction":["dynamodb:*","iam:TagRole"],"Resource":"*"}`, bothOf("athlete"), evidence.Fail},
	{"a cluster of DAX", "roll-model", "athlete", `{"Effect":"Allow","Action":"dax:GetItem","Resource":"*"}`, bothOf("athlete"), evidence.Fail},

	{"another role", "roll-model", "athlete", `{"Effect":"Allow","Action":"sts:AssumeRole","Resource":"arn:aws:iam::ACCOUNT:role/admin"}`, bothOf("athlete"), evidence.Fail},
	{"all of STS", "roll-model", "athlete", `{"Effect":"Allow","Action":"sts:*","Resource":"*"},{"Effect":"Deny","Action":"sts:AssumeRole","Resource":"arn:aws:iam::*:role/admin"}`, bothOf("athlete"), evidence.Fail},
	{"a session with tags of its own", "roll-model", "athlete", `{"Effect":"Allow","Action":["sts:GetFederationToken","sts:TagSession"],"Resource":"*"}`, bothOf("athlete"), evidence.Fail},
	{"a role that a service is given", "roll-model", "athlete", `{"Effect":"Allow","Action":["iam:PassRole","lambda:*"],"Resource":"*"}`, bothOf("athlete"), evidence.Fail},
	{"the keys of another user", "roll-model", "athlete", `{"Effect":"Allow","Action":"iam:CreateAccessKey","Resource":"*"}`, bothOf("athlete"), evidence.Fail},
	{"tables but those whose names another statement denies", "roll-model", "athlete", `{"Effect":"Allow","Action":"dynamodb:GetItem","Resource":"arn:aws:dynamodb:*:*:table/prod-*"},{"Effect":"Deny","Action":"dynamodb:GetItem","Resource":"arn:aws:dynamodb:*:*:table/prod-m*"}`, []string{"policy/role/athlete"}, evidence.Fail},
	{"resources but those of three forms", "roll-model", "athlete", `{"Effect":"Allow","Action":"dynamodb:GetItem","NotResource":["arn:*:dynamodb:*:*:table/RollModel*","arn:*:dynamodb:*:*:m*","arn:*:dynamodb:*:*:table/m*"]}`, []string{"policy/role/athlete"}, evidence.Fail},

	// What only AWS can judge is no deviation, and no proof.
	{"from some addresses", "roll-model", "athlete", allowing(`"GetItem"`, `"IpAddress":{"aws:SourceIp":"10.0.0.0/8"}`), bothOf("athlete"), evidence.Indeterminate},
	{"a variable in the resource", "roll-model", "athlete", `{"Effect":"Allow","Action":"dynamodb:GetItem","Resource":"TABLE${aws:PrincipalTag/userId}"}`, bothOf("athlete"), evidence.Indeterminate},
	{"denied from some addresses", "roll-model", "athlete", `{"Effect":"Deny","Action":"dynamodb:GetItem","Resource":"TABLE","Condition":{"NotIpAddress":{"aws:SourceIp":"10.0.0.0/8"}}}`, bothOf("athlete"), evidence.Indeterminate},

	{"no set operator on a key of several values", "roll-model", "athlete", allowing(`"GetItem"`, `"StringEquals":{"dynamodb:LeadingKeys":"USER#victim-12345"}`), bothOf("athlete"), evidence.Indeterminate},

	// What is told apart by more than is tried.
	{"everything by patterns of everything", "roll-model", "athlete", byPatterns(24), bothOf("athlete"), evidence.Indeterminate},
	{"by twenty tags", "roll-model", "athlete", byTags(20), bothOf("athlete"), evidence.Indeterminate},

	// What cannot matter decides as before.
	{"another role, denied again", "roll-model", "athlete", `{"Effect":"Allow","Action":"sts:*","Resource":"arn:aws:iam::*:role/*"},{"Effect":"Deny","Action":"sts:*","Resource":"arn:aws:iam::*:role/*"}`, bothOf("athlete"), evidence.Pass},
	{"a service with a role of its own", "roll-model", "athlete", `{"Effect":"Allow","Action":["lambda:InvokeFunction","cloudformation:*"],"Resource":"*"}`, bothOf("athlete"), evidence.Pass},
	{"another service", "roll-model", "athlete", `{"Effect":"Allow","Action":["s3:*","kms:Decrypt"],"Resource":["*","arn:aws:s3:::bucket/*"]}`, bothOf("athlete"), evidence.Pass},
	{"IAM, denied again", "roll-model", "athlete", `{"Effect":"Allow","Action":["iam:*","dax:*"],"Resource":"*"},{"Effect":"Deny","Action":["iam:*","dax:*"],"Resource":"*"}`, bothOf("athlete"), evidence.Pass},
	{"from some addresses, within what is allowed", "roll-model", "athlete", allowing(`"GetItem"`, `"IpAddress":{"aws:SourceIp":"10.0.0.0/8"},"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"USER#${aws:PrincipalTag/userId}"},"Null":{"dynamodb:LeadingKeys":"false"}`), bothOf("athlete"), evidence.Pass},
	{"a denial of what nobody needs, from some addresses", "roll-model", "athlete", `{"Effect":"Deny","Action":"dynamodb:DeleteTable","Resource":"*","Condition":{"IpAddress":{"aws:SourceIp":"10.0.0.0/8"}}}`, bothOf("athlete"), evidence.Pass},
	{"a denial of all but DynamoDB", "roll-model", "athlete", `{"Effect":"Deny","NotAction":"dynamodb:*","Resource":"*"}`, bothOf("athlete"), evidence.Pass},
}

func bothOf(role string) []string {
	return []string{"policy/role/" + role, "policy/confinement/" + role}
}

// byTags are statements that allow what is allowed already, by one tag each.
func byTags(n int) string {
	var all []string
	for i := range n {
		all = append(all, allowing(`"GetItem"`, fmt.Sprintf(`"StringEquals":{"aws:PrincipalTag/t%d":"a"},"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"USER#${aws:PrincipalTag/userId}"},"Null":{"dynamodb:LeadingKeys":"false"}`, i)))
	}
	return strings.Join(all, ",")
}

// byPatterns are statements that allow everything, each by patterns of every key.
func byPatterns(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"Effect":"Allow","Action":"dynamodb:*","Resource":"*","Condition":{"StringLike":{"aws:PrincipalTag/t%d":"*a%[1]d*","dynamodb:Select":"*b%[1]d*"},
			"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["USER#*%[1]d*","*v%[1]d*x*"],"dynamodb:Attributes":["*%[1]d*","a*%[1]d*"]},"ForAnyValue:StringNotLike":{"dynamodb:LeadingKeys":"*z%[1]d*"}}}`, i))
	}
	return strings.Join(all, ",")
}

// allowing is a statement that allows actions on the table under a condition.
func allowing(actions, condition string) string {
	return `{"Effect":"Allow","Action":["dynamodb:` + strings.TrimPrefix(actions, `"`) + `],"Resource":"TABLE","Condition":{` + condition + `}}`
}

type attachedRoles map[string]string

func (a attachedRoles) Roles(context.Context) (map[string]string, error) { return a, nil }
func (attachedRoles) Where() string                                      { return "the test" }

// An allowing statement beside those of the stack is seen, also where the role uses its actions: in what a stack deployed, and
// in what is attached, where IAM's simulator is asked the same questions.
func addedStatements(t *testing.T, bases map[string]*session.Session) {
	for _, row := range added {
		base := bases[row.design]
		document := base.Deployment.RolePolicies[row.role]
		arn := base.Deployment.TableARNs[base.Design.Tables[0].ID]
		parts := strings.Split(arn, ":")
		changed := strings.TrimSuffix(document, "]}") + "," + strings.NewReplacer("TABLE", arn, "REGION", parts[3], "ACCOUNT", parts[4]).Replace(row.statement) + "]}"
		if !json.Valid([]byte(changed)) {
			t.Fatalf("%s: no JSON: %s", row.name, changed)
		}
		policies := maps.Clone(base.Deployment.RolePolicies)
		policies[row.role] = changed
		for lane, session := range map[string]*session.Session{"evaluated": base.Again(base.Design, base.Fixtures), "attached": base.Again(base.Design, base.Fixtures)} {
			session.Deployment.RolePolicies = policies
			if lane == "attached" {
				session.Deployment.Guardrails, session.Policies, session.Simulator = "", attachedRoles(policies), new(suite.Evaluator).Simulate
			}
			for _, claim := range manifest.InOrder(session.Design) {
				if claim.Kind != manifest.KindPolicy || !slices.Contains(row.claims, strings.TrimPrefix(claim.ID, row.design+"/")) {
					continue
				}
				result := suite.Decide(t.Context(), claim, session, nil)
				if result.Verdict != row.verdict {
					t.Errorf("%s, %s: %s: expected %s, found %s", row.name, lane, claim.ID, row.verdict, suite.Message(result))
				}
				t.Log(row.name, lane, claim.ID, result.Microseconds/1000, result.Notes)
			}
		}
	}
}
