package suite_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/session"
)

// A stack without guardrails passes none of the claims about policies: it fails
// them where its document demands guardrails, and else nothing can be told.
func TestWithoutGuardrails(t *testing.T) {
	for design, want := range map[string]evidence.Verdict{"commit-collect": evidence.Fail, "roll-model": evidence.Indeterminate} {
		t.Run(design, func(t *testing.T) {
			_, _, session := opened(t, replay.Options{Designs: []string{design}, Documents: documents(), Bounds: impatient, Guardrails: "off"})
			seen := 0
			for result := range decided(t, session, manifest.KindPolicy) {
				seen++
				assert.True(t, result.Verdict == want && strings.Contains(suite.Message(result), "off"), "%s: expected %s, found %s", result.ID, want, suite.Message(result))
			}
			assert.NotZero(t, seen, "expected claims about policies")
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
	for _, each := range tabletest.Read[[]breakage](t, "mistaken_policies.yaml") {
		t.Run(each.Name, func(t *testing.T) {
			base := bases[each.Design]
			design := tabletest.Must(designs.Find(each.Design))(t)
			set := base.Fixtures.Clone()
			each.amend(t, design, set)
			again := base.Again(design, set)
			again.Deployment.RolePolicies, again.Deployment.TablePolicies = maps.Clone(base.Deployment.RolePolicies), maps.Clone(base.Deployment.TablePolicies)
			for role, document := range base.Deployment.RolePolicies {
				again.Deployment.RolePolicies[role] = each.policy(t, each.Design+"-"+role, document)
			}
			for table, document := range base.Deployment.TablePolicies {
				again.Deployment.TablePolicies[table] = each.policy(t, table, document)
			}
			each.judge(t, again, func(claim manifest.Claim) bool { return claim.Kind == manifest.KindPolicy })
		})
	}
	addedStatements(t, bases)
}

// No answer of an engine makes a policy look enforced.
func gradedStatic(t *testing.T, base *session.Session) {
	for result := range decided(t, base, manifest.KindPolicy) {
		assert.True(t, result.Verdict == evidence.Pass && result.Grade == evidence.Static && strings.Contains(result.Notes[0], "that AWS enforces it was not observed"),
			"%s: expected pass, static, and the words, found %s, %s, %v", result.ID, result.Verdict, result.Grade, result.Notes)
		asked := strings.Contains(result.ID, "/no-scan/")
		assert.Equal(t, len(result.Requests) > 0, asked, "%s: expected the requests that it asked, found %v", result.ID, result.Requests)
	}
}

// addedStatement is a row of added_policies.yaml.
type addedStatement struct {
	Name, Design, Role, Statement string
	Allow                         []string
	Where                         string
	Alone, Confinement            bool // only one of the two claims
	Verdict                       evidence.Verdict
}

// added are the statements of the file, and those that tell more apart than is tried.
func added(t *testing.T) []addedStatement {
	t.Helper()
	return append(tabletest.Read[[]addedStatement](t, "added_policies.yaml"),
		addedStatement{Name: "everything by patterns of everything", Role: "athlete", Statement: byPatterns(24), Verdict: evidence.Indeterminate},
		addedStatement{Name: "by twenty tags", Role: "athlete", Statement: byTags(20), Verdict: evidence.Indeterminate})
}

// byTags are statements that allow what is allowed already, by one tag each.
func byTags(n int) string {
	var all []string
	for i := range n {
		all = append(all, allowing([]string{"GetItem"}, fmt.Sprintf(`"StringEquals":{"aws:PrincipalTag/t%d":"a"},"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"USER#${aws:PrincipalTag/userId}"},"Null":{"dynamodb:LeadingKeys":"false"}`, i)))
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
func allowing(actions []string, condition string) string {
	return `{"Effect":"Allow","Action":["dynamodb:` + strings.Join(actions, `","dynamodb:`) + `"],"Resource":"TABLE","Condition":{` + condition + `}}`
}

type attachedRoles map[string]string

func (a attachedRoles) Roles(context.Context) (map[string]string, []string, error) {
	return a, nil, nil
}
func (attachedRoles) Where() string { return "the test" }

// An allowing statement beside those of the stack is seen, also where the role uses its actions: in what a stack deployed, and
// in what is attached, where IAM's simulator is asked the same questions.
func addedStatements(t *testing.T, bases map[string]*session.Session) {
	for _, row := range added(t) {
		name, verdict, claims := cmp.Or(row.Design, "roll-model"), cmp.Or(row.Verdict, evidence.Fail), []string{"policy/role/" + row.Role}
		if row.Confinement {
			claims = nil
		}
		if !row.Alone {
			claims = append(claims, "policy/confinement/"+row.Role)
		}
		base := bases[name]
		document := base.Deployment.RolePolicies[row.Role]
		arn := base.Deployment.TableARNs[base.Design.Tables[0].ID]
		parts := strings.Split(arn, ":")
		changed := strings.TrimSuffix(document, "]}") + "," + strings.NewReplacer("TABLE", arn, "REGION", parts[3], "ACCOUNT", parts[4]).Replace(cmp.Or(row.Statement, allowing(row.Allow, row.Where))) + "]}"
		require.True(t, json.Valid([]byte(changed)), "%s: no JSON: %s", row.Name, changed)
		policies := maps.Clone(base.Deployment.RolePolicies)
		policies[row.Role] = changed
		for lane, session := range map[string]*session.Session{"evaluated": base.Again(base.Design, base.Fixtures), "attached": base.Again(base.Design, base.Fixtures)} {
			session.Deployment.RolePolicies = policies
			if lane == "attached" {
				session.Deployment.Guardrails, session.Policies, session.Simulator = "", attachedRoles(policies), new(suite.Evaluator).Simulate
			}
			for _, claim := range manifest.InOrder(session.Design) {
				if claim.Kind != manifest.KindPolicy || !slices.Contains(claims, strings.TrimPrefix(claim.ID, name+"/")) {
					continue
				}
				result := suite.Decide(t.Context(), claim, session, nil)
				assert.Equal(t, verdict, result.Verdict, "%s, %s: %s: expected %s, found %s", row.Name, lane, claim.ID, verdict, suite.Message(result))
				t.Log(row.Name, lane, claim.ID, result.Microseconds/1000, result.Notes)
			}
		}
	}
}
