package suite_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// wrongPolicy is a mistake in the policy documents of one resource: texts that are exchanged, and the claims that fail then.
type wrongPolicy struct {
	Name, Design, Policy string
	Replace, Fails       map[string]string
}

func wrongPolicies(rows []wrongPolicy) (all []breakage) {
	for _, row := range rows {
		all = append(all, breakage{name: row.Name, design: row.Design, policies: replacing(row.Policy, row.Replace), fails: row.Fails})
	}
	return all
}

func brokenPolicies(t *testing.T) []breakage {
	t.Helper()
	return append(wrongPolicies(tabletest.Read[[]wrongPolicy](t, "broken_policies.yaml")), breakage{
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
	})
}

// Each of these makes exactly the claims about policies fail that it names, where a session takes it for what was deployed.
func mistakenPolicies(t *testing.T) []breakage {
	t.Helper()
	return append(wrongPolicies(tabletest.Read[[]wrongPolicy](t, "mistaken_policies.yaml")), breakage{
		name: "a policy for a role that is not documented", design: "roll-model",
		amend: func(d *accesspatterns.Design, _ *fixtures.Set) { d.Policies.Roles = d.Policies.Roles[:2] },
		fails: map[string]string{
			"policy/roles": "roles with a policy: expected athlete, coach, found athlete, coach, system, user",
		},
	})
}

// A stack without guardrails passes none of the claims about policies: it fails
// them where its document demands guardrails, and else nothing can be told.
func TestWithoutGuardrails(t *testing.T) {
	for design, want := range map[string]evidence.Verdict{"commit-collect": evidence.Fail, "roll-model": evidence.Indeterminate} {
		t.Run(design, func(t *testing.T) {
			_, _, session := opened(t, replay.Options{Designs: []string{design}, Documents: documents(), Bounds: impatient, Guardrails: "off"})
			seen := 0
			for result := range decided(t, session, manifest.KindPolicy) {
				seen++
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
	for _, each := range mistakenPolicies(t) {
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
	for result := range decided(t, base, manifest.KindPolicy) {
		if result.Verdict != evidence.Pass || result.Grade != evidence.Static || !strings.Contains(result.Notes[0], "that AWS enforces it was not observed") {
			t.Errorf("%s: expected pass, static, and the words, found %s, %s, %v", result.ID, result.Verdict, result.Grade, result.Notes)
		}
		if asked := strings.Contains(result.ID, "/no-scan/"); asked != (len(result.Requests) > 0) {
			t.Errorf("%s: expected the requests that it asked, found %v", result.ID, result.Requests)
		}
	}
}

// replacing exchanges texts in the policy document of one resource.
func replacing(resource string, texts map[string]string) func(string, string) string {
	return func(name, document string) string {
		if name != resource {
			return document
		}
		for old, text := range texts {
			if !strings.Contains(document, old) {
				panic("no " + old + " in " + document)
			}
			document = strings.ReplaceAll(document, old, text)
		}
		return document
	}
}
