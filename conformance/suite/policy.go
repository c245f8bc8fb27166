package suite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/policy"
)

// The two values of a stack's output guardrails.
const (
	guardrailsEnforced = "enforce"
	guardrailsOff      = "off"
)

const (
	unobserved = "evaluated by dynaproof from what the stack deployed; that AWS enforces it was not observed"
)

// checkPolicy evaluates the policies that a stack has deployed. No engine on this
// machine enforces one, so the evidence is static whatever answered.
func checkPolicy(ctx context.Context, s *Session, o *Observation) {
	o.evaluated = true
	o.guardrail = &evidence.Guardrail{Layer: string(accesspatterns.LayerPolicy), Proof: "evaluation"}
	o.note("%s", unobserved)
	if !(policyCheck{o}).hasPolicies(ctx) {
		return
	}
	aspect, index, _ := strings.Cut(o.claim.Aspect, "/")
	switch aspect {
	case manifest.PolicyRoles:
		policyCheck{o}.rolesAndTables()
	case manifest.PolicyRole:
		policyCheck{o}.role(o.claim.Subject)
	case manifest.PolicyConfinement:
		policyCheck{o}.confinement(o.claim.Subject)
	case manifest.PolicyNoScan:
		policyCheck{o}.noScan(ctx, o.claim.Subject, index)
	default:
		o.cannot(evidence.Error, "no check of policies for %q", o.claim.Aspect)
	}
	policyCheck{o}.simulate(ctx)
	policyCheck{o}.undecidedPolicies()
}

// hasPolicies reports whether the stack has policies to judge.
func (o policyCheck) hasPolicies(ctx context.Context) bool {
	s := o.session
	if s.Deployment.Guardrails == "" && s.Policies != nil {
		return o.foundAttached(ctx)
	}
	switch {
	case s.Deployment.Guardrails == guardrailsEnforced:
		return true
	case s.Deployment.Guardrails == "":
		o.unsupported(existingTables{s}.withoutStack(), needsStack)
	case s.Design.Policies.Enforced:
		o.saw()
		o.fail("stack output guardrails", guardrailsEnforced+", as the document demands", s.Deployment.Guardrails,
			noSetting)
	default:
		o.cannot(evidence.Indeterminate, "the stack was deployed with guardrails %s, so it has no policy to judge; set dynaproof:guardrails to %s",
			guardrailsOff, guardrailsEnforced)
	}
	return false
}

// rolesAndTables compares the owners of the policies with the contract.
func (o policyCheck) rolesAndTables() {
	var roles, tables []string
	for _, role := range o.session.Design.Policies.Roles {
		roles = append(roles, role.ID)
	}
	for _, table := range o.session.Design.Tables {
		tables = append(tables, table.ID)
	}
	o.equal("roles with a policy", showSet(roles), showNames(slices.Sorted(maps.Keys(o.session.Deployment.RolePolicies))), repairPolicy)
	o.equal("tables with a policy", showSet(tables), showNames(slices.Sorted(maps.Keys(o.session.Deployment.TablePolicies))), repairPolicy)
}

// parsed reads a deployed policy, or reports why it cannot be judged.
func (o policyCheck) parsed(where, text string, kind policy.Kind) (*policy.Document, bool) {
	if !o.must(text != "", where, "a policy document", "none "+(descriptions{o.session}).policiesFrom(), repairPolicy) {
		return nil, false
	}
	document, err := policy.Parse(text, kind)
	if err != nil {
		o.fail(where, "a document that IAM accepts, and decides as it reads", strings.ReplaceAll(err.Error(), "\n", "; "), repairPolicy)
		return nil, false
	}
	return document, true
}

// role holds a role to its patterns: what is its own must be allowed, and of what
// is not, everything that IAM can tell from it must be denied.
func (o policyCheck) role(id string) {
	p, ok := o.principal(id)
	if !ok {
		return
	}
	for _, own := range p.requests {
		if !own.other {
			p.judge(fmt.Sprintf("role %s, case %s, step %s", id, own.name, own.step), own.authorisation, policy.Allowed)
		}
	}
	p.others()
	p.noMore(func(authorisation) bool { return true })
	if p.role.Unconfined != "" {
		o.note("not confined to a user: %s", p.role.Unconfined)
	}
	p.limits()
}

// confinement tries to leave a user's own partitions, by every action.
func (o policyCheck) confinement(id string) {
	p, ok := o.principal(id)
	if !ok {
		return
	}
	own := map[string]bool{} // tables and indexes with partitions of the user
	for _, request := range p.requests {
		if request.other || request.everybody || !slices.ContainsFunc(request.Context[leadingKeys], func(key string) bool { return p.owns(key, request.Context) }) {
			continue
		}
		own[request.Resource] = true
		p.judge(fmt.Sprintf("role %s, case %s, in the user's own partition", id, request.name), request.authorisation, policy.Allowed)
	}
	for _, pattern := range p.role.Confined.Except {
		o.note("left out, because it reaches the partitions of all users: %s", pattern)
	}
	p.noMore(func(a authorisation) bool {
		keys := a.Context[leadingKeys]
		_, known := o.session.Design.Table(a.table)
		return known && len(keys) == 0 && own[a.Resource] || known && slices.ContainsFunc(keys, func(key string) bool {
			_, users := p.role.Confined.User(key)
			return users && !p.owns(key, a.Context)
		})
	})
	p.limits()
}

// everything is the policy of a principal that the table's own policy must hold.
const everything = `{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}}`

// noScan tries to scan a table or an index with every role and with none, as a
// principal that is allowed everything else.
func (o policyCheck) noScan(ctx context.Context, table, index string) {
	document, ok := o.parsed("policy of table "+table, o.session.Deployment.TablePolicies[table], policy.Resource)
	if !ok {
		return
	}
	o.attached(ctx, table)
	s := o.session
	resource := s.Deployment.TableARNs[table]
	if index != "" {
		resource += "/index/" + index
	}
	all, err := policy.Parse(everything, policy.Identity)
	if err != nil {
		o.cannot(evidence.Error, "%v", err)
		return
	}
	var excepted []string
	if pattern, waived := s.Design.ScanOf(table); waived && index == "" {
		excepted = pattern.Roles
	}
	// A table's policy that allowed anything would allow it to everybody.
	if allowing := document.AllowsEverybody(); len(allowing) > 0 {
		o.saw()
		o.fail("policy of table "+table, "statements that deny", strings.Join(allowing, ", ")+", which allows to everybody", repairPolicy)
	}
	roles := []string{}
	for _, role := range s.Design.Policies.Roles {
		roles = append(roles, role.ID)
	}
	failed := map[string]bool{} // further contexts say the same
	for _, action := range []string{"dynamodb:Scan", "dynamodb:PartiQLSelect"} {
		universe := policy.Universe{
			Keys:   []string{roleTag},
			Values: func(key string, _ policy.Context) []string { return map[string][]string{roleTag: roles}[key] },
			Tell:   func(_, value string, _ policy.Context) (string, bool) { return value, true },
		}
		if action != "dynamodb:Scan" {
			universe.Fixed = policy.Context{fullTableScan: {"true"}}
		}
		for _, context := range universe.Contexts(action, resource, document) {
			role, who, want := strings.Join(context[roleTag], ""), "a principal without the tag role", policy.ExplicitDeny
			if role != "" {
				who = "role " + role
			}
			if action == "dynamodb:Scan" && slices.Contains(excepted, role) {
				want = policy.Allowed
			}
			request := policy.Request{Action: action, Resource: resource, Context: context}
			outcome, err := policy.Evaluate(request, all, document)
			if err != nil {
				o.cannot(evidence.Error, "%v", err)
				return
			}
			if found := len(o.problems); !failed[who] {
				o.demands(demand{resource + ", " + who + showContext(context), action + " " + string(want), want, outcome}, everything, s.Deployment.TablePolicies[table], request)
				failed[who] = len(o.problems) > found
			}
		}
	}
}

// showContext says in which context a request was tried; empty for none.
func showContext(context policy.Context) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(context)) {
		if key != fullTableScan && key != roleTag && key != leadingKeys { // told beside
			parts = append(parts, key+" = "+strings.Join(context[key], ", "))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ", with " + strings.Join(parts, " and ")
}

// attached sees that the policy which is judged is the one that is attached.
func (o policyCheck) attached(ctx context.Context, table string) {
	s := o.session
	if s.attached != nil {
		return // it was read where it is attached
	}
	attached, err := policyOf(ctx, s.Client, s.Deployment.TableARNs[table])
	if err != nil {
		o.request("policy of table "+table, err)
		return
	}
	if !o.must(attached != "", "policy of table "+table, "the policy of the stack's outputs", "none attached", pulumiPolicy) {
		return
	}
	if !sameJSON(s.Deployment.TablePolicies[table], attached) {
		o.fail("policy of table "+table, "the policy of the stack's outputs", "another one attached: "+attached, pulumiPolicy)
	}
}

func sameJSON(one, other string) bool {
	var a, b any
	err := errors.Join(json.Unmarshal([]byte(one), &a), json.Unmarshal([]byte(other), &b))
	return err == nil && reflect.DeepEqual(a, b)
}
