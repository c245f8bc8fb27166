// Package policies evaluates the policies of roles and tables, and compares the outcome with IAM's simulator where there is one.
package policies

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/policy"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
)

// policyCheck is a check of policies that are attached.
type policyCheck struct {
	*observe.Observation
	// questions are what the policy simulator is asked about the claim, in order.
	questions []*question
	// pending are the demands on policies that were not decided here.
	pending []*demand
}

// Check evaluates the policies that a stack has deployed. No engine on this
// machine enforces one, so the evidence is static whatever answered.
func Check(ctx context.Context, s *session.Session, o *observe.Observation) {
	o.Rested = []evidence.Grade{evidence.Static} // whatever answers
	o.Report.Guardrail = &evidence.Guardrail{Layer: string(accesspatterns.LayerPolicy), Proof: "evaluation"}
	o.Note("evaluated by dynaproof from what the stack deployed; that AWS enforces it was not observed")
	c := &policyCheck{Observation: o}
	if !c.hasPolicies(ctx) {
		return
	}
	aspect, index, _ := strings.Cut(o.Claim.Aspect, "/")
	switch aspect {
	case manifest.PolicyRoles:
		c.rolesAndTables()
	case manifest.PolicyRole:
		c.role(o.Claim.Subject)
	case manifest.PolicyConfinement:
		c.confinement(o.Claim.Subject)
	case manifest.PolicyNoScan:
		c.noScan(ctx, o.Claim.Subject, index)
	default:
		o.Cannot(evidence.Error, "no check of policies for %q", o.Claim.Aspect)
	}
	c.simulate(ctx)
	c.undecidedPolicies()
}

// hasPolicies reports whether the stack has policies to judge.
func (o *policyCheck) hasPolicies(ctx context.Context) bool {
	s := o.Session
	switch {
	case s.Deployment.Guardrails == "" && s.Policies != nil:
		return o.foundAttached(ctx)
	case s.Deployment.Guardrails == deploy.Enforce:
		return true
	case s.Deployment.Guardrails == "":
		declared := observe.DeclaredStack // another tool made the tables
		if s.Protection != nil {
			declared = observe.DeclaredExisting // the run knows the documented tables alone
		}
		o.Unsupported(declared, observe.NeedsStack)
	case s.Design.Policies.Enforced:
		o.Refute("stack output guardrails", deploy.Enforce+", as the document demands", s.Deployment.Guardrails,
			remedy.NoSetting)
	default:
		o.Cannot(evidence.Indeterminate, "the stack was deployed with guardrails %s, so it has no policy to judge; set dynaproof:guardrails to %s",
			deploy.Off, deploy.Enforce)
	}
	return false
}

// foundAttached reads which policies are attached, and reports whether they are to be
// judged.
func (o *policyCheck) foundAttached(ctx context.Context) bool {
	s := o.Session
	answer := s.AttachedPolicies(ctx)
	o.Rests(answer.Invocations)
	if answer.Err != nil {
		o.Request("the policies that are attached", answer.Err)
		return false
	}
	found := append(slices.Sorted(maps.Keys(answer.Value.RolePolicies)), slices.Sorted(maps.Keys(answer.Value.TablePolicies))...)
	if len(found) == 0 && !s.Design.Policies.Enforced && !s.MustEnforce {
		o.Unsupported(observe.DeclaredOpen, "the document leaves open whether policies are attached, and none is; --guardrails enforce demands them")
		return false
	}
	o.Note("judged are the policies that are attached: %s; what a principal of a role has besides was not read, nor boundaries of permissions and policies of the organisation", observe.ShowNames(found))
	return true
}

// rolesAndTables compares the owners of the policies with the contract.
func (o *policyCheck) rolesAndTables() {
	roles := lists.Map(o.Session.Design.Policies.Roles, func(role accesspatterns.Role) string { return role.ID })
	tables := lists.Map(o.Session.Design.Tables, func(table accesspatterns.Table) string { return table.ID })
	o.Equal("roles with a policy", observe.ShowSet(roles), observe.ShowNames(slices.Sorted(maps.Keys(o.Session.Deployment.RolePolicies))), remedy.RepairPolicy)
	if loose := o.Session.Deployment.Unattached; len(loose) > 0 {
		o.Differs("IAM policies that are attached to nobody: %s", observe.ShowNames(loose))
	}
	o.Equal("tables with a policy", observe.ShowSet(tables), observe.ShowNames(slices.Sorted(maps.Keys(o.Session.Deployment.TablePolicies))), remedy.RepairPolicy)
}

// parsed reads a deployed policy, or reports why it cannot be judged.
func (o *policyCheck) parsed(where, text string, kind policy.Kind) (*policy.Document, bool) {
	none := "none in the stack's outputs"
	if o.Session.HasReadPolicies() {
		none = "none is attached; looked at were the tables, and " + o.Session.Policies.Where()
	}
	if !o.Must(text != "", where, "a policy document", none, remedy.RepairPolicy) {
		return nil, false
	}
	document, err := policy.Parse(text, kind)
	if err != nil {
		o.Fail(where, "a document that IAM accepts, and decides as it reads", strings.ReplaceAll(err.Error(), "\n", "; "), remedy.RepairPolicy)
		return nil, false
	}
	return document, true
}

// role holds a role to its patterns: what is its own must be allowed, and of what
// is not, everything that IAM can tell from it must be denied.
func (o *policyCheck) role(id string) {
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
		o.Note("not confined to a user: %s", p.role.Unconfined)
	}
	p.limits()
}

// confinement tries to leave a user's own partitions, by every action.
func (o *policyCheck) confinement(id string) {
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
		where := fmt.Sprintf("role %s, case %s, in the user's own partition", id, request.name)
		p.judge(where, request.authorisation, policy.Allowed)
		p.judge(where+", for any other user", p.moved(request.authorisation), policy.Allowed)
	}
	for _, pattern := range p.role.Confined.Except {
		o.Note("left out, because it reaches the partitions of all users: %s", pattern)
	}
	p.noMore(func(a authorisation) bool {
		keys := a.Context[leadingKeys]
		_, known := o.Session.Design.Table(a.table)
		return known && len(keys) == 0 && own[a.Resource] || known && slices.ContainsFunc(keys, func(key string) bool {
			_, users := p.role.Confined.User(key)
			return users && !p.owns(key, a.Context)
		})
	})
	p.limits()
}

// moved is a request of somebody, in the own partitions, in place of the user of a case.
func (p *principal) moved(a authorisation) authorisation {
	tag, keys := p.role.Confined.Tag, slices.Clone(a.Context[leadingKeys])
	for i, key := range keys {
		for _, form := range p.role.Confined.Partitions {
			if params, err := form.Parse(key); err == nil && p.owns(key, a.Context) {
				params[tag] = somebody
				keys[i], _ = form.Format(params) // of which the form has just read all
			}
		}
	}
	return a.with(leadingKeys, keys...).with(userTagPrefix+tag, somebody)
}

// everything is the policy of a principal that the table's own policy must hold.
const everything = `{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}}`

// noScan tries to scan a table or an index with every role and with none, as a
// principal that is allowed everything else.
func (o *policyCheck) noScan(ctx context.Context, table, index string) {
	document, ok := o.parsed("policy of table "+table, o.Session.Deployment.TablePolicies[table], policy.Resource)
	if !ok {
		return
	}
	o.attached(ctx, table)
	s := o.Session
	resource := s.Deployment.TableARNs[table]
	if index != "" {
		resource += "/index/" + index
	}
	all, _ := policy.Parse(everything, policy.Identity) // it is well-formed
	var excepted []string
	if pattern, waived := s.Design.ScanOf(table); waived && index == "" {
		excepted = pattern.Roles
	}
	// A table's policy that allowed anything would allow it to everybody.
	switch allowing, all := document.Allows(true), document.Allows(false); {
	case len(allowing) > 0:
		o.Refute("policy of table "+table, "statements that deny", strings.Join(allowing, ", ")+", which allows to everybody", remedy.RepairPolicy)
	case len(all) > 0:
		o.Differs("policy of table %s: statements that allow something to principals of whom the document does not speak: %s", table, strings.Join(all, ", "))
	}
	roles := lists.Map(s.Design.Policies.Roles, func(role accesspatterns.Role) string { return role.ID })
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
		contexts, cut := universe.Contexts(action, resource, document)
		if cut {
			o.Cannot(evidence.Indeterminate, "%s: the policy tells apart more requests than are tried; write fewer condition keys, and fewer patterns of one", action)
		}
		for _, context := range contexts {
			role, who, want := strings.Join(context[roleTag], ""), "a principal without the tag role", policy.ExplicitDeny
			if role != "" {
				who = "role " + role
			}
			if action == "dynamodb:Scan" && slices.Contains(excepted, role) {
				want = policy.Allowed
			}
			request := policy.Request{Action: action, Resource: resource, Context: context}
			outcome := policy.Evaluate(request, all, document)
			if found := len(o.Problems); !failed[who] {
				o.demands(demand{resource + ", " + who + showContext(context), action + " " + string(want), want, outcome}, everything, s.Deployment.TablePolicies[table], request)
				failed[who] = len(o.Problems) > found
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
func (o *policyCheck) attached(ctx context.Context, table string) {
	s := o.Session
	if s.HasReadPolicies() {
		return // it was read where it is attached
	}
	attached, err := session.PolicyOf(ctx, s.Client, s.Deployment.TableARNs[table])
	if err != nil {
		o.Request("policy of table "+table, err)
		return
	}
	if o.Must(attached != "", "policy of table "+table, "the policy of the stack's outputs", "none attached", remedy.PulumiPolicy) && !sameJSON(s.Deployment.TablePolicies[table], attached) {
		o.Fail("policy of table "+table, "the policy of the stack's outputs", "another one attached: "+attached, remedy.PulumiPolicy)
	}
}

func sameJSON(one, other string) bool {
	var a, b any
	err := errors.Join(input.Exactly([]byte(one), &a), input.Exactly([]byte(other), &b))
	return err == nil && reflect.DeepEqual(a, b)
}
