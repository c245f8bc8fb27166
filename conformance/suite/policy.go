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

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

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
	repairPolicy = "correct the statements in the stack's program"
	unobserved   = "evaluated by dynaproof from what the stack deployed; that AWS enforces it was not observed"
)

// checkPolicy evaluates the policies that a stack has deployed. No engine on this
// machine enforces one, so the evidence is static whatever answered.
func checkPolicy(ctx context.Context, s *Session, o *Observation) {
	o.evaluated = true
	o.guardrail = &evidence.Guardrail{Layer: string(accesspatterns.LayerPolicy), Proof: "evaluation"}
	o.note("%s", unobserved)
	if !o.hasPolicies(ctx) {
		return
	}
	aspect, index, _ := strings.Cut(o.claim.Aspect, "/")
	switch aspect {
	case manifest.PolicyRoles:
		o.rolesAndTables()
	case manifest.PolicyRole:
		o.role(o.claim.Subject)
	case manifest.PolicyConfinement:
		o.confinement(o.claim.Subject)
	case manifest.PolicyNoScan:
		o.noScan(ctx, o.claim.Subject, index)
	default:
		o.cannot(evidence.Error, "no check of policies for %q", o.claim.Aspect)
	}
	o.simulate(ctx)
}

// hasPolicies reports whether the stack has policies to judge.
func (o *Observation) hasPolicies(ctx context.Context) bool {
	s := o.session
	if s.Deployment.Guardrails == "" && s.Policies != nil {
		return o.foundAttached(ctx)
	}
	switch {
	case s.Deployment.Guardrails == guardrailsEnforced:
		return true
	case s.Deployment.Guardrails == "":
		o.unsupported(s.withoutStack(), needsStack)
	case s.Design.Policies.Enforced:
		o.saw()
		o.fail("stack output guardrails", guardrailsEnforced+", as the document demands", s.Deployment.Guardrails,
			"remove the setting dynaproof:guardrails, and run `pulumi up` again")
	default:
		o.cannot(evidence.Indeterminate, "the stack was deployed with guardrails %s, so it has no policy to judge; set dynaproof:guardrails to %s",
			guardrailsOff, guardrailsEnforced)
	}
	return false
}

// rolesAndTables compares the owners of the policies with the contract.
func (o *Observation) rolesAndTables() {
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
func (o *Observation) parsed(where, text string, kind policy.Kind) (*policy.Document, bool) {
	if !o.must(text != "", where, "a policy document", "none "+o.session.policiesFrom(), repairPolicy) {
		return nil, false
	}
	document, err := policy.Parse(text, kind)
	if err != nil {
		o.fail(where, "a document of elements that the evaluator knows", strings.ReplaceAll(err.Error(), "\n", "; "), repairPolicy)
		return nil, false
	}
	return document, true
}

// principal decides requests of one role, with the policies of all tables.
type principal struct {
	o      *Observation
	role   *accesspatterns.Role
	own    *policy.Document
	tables map[string]*policy.Document
	// keys holds partition keys of the design's requests, one of each form.
	keys map[string]string
	// requests are the role's own, one of each that IAM can tell from the others.
	requests map[string]ownRequest
}

// ownRequest is a request of one of the role's own patterns, with what IAM sees of
// it and the user whom it was for.
type ownRequest struct {
	authorisation
	seen sees
	user string
}

func (o *Observation) principal(id string) (*principal, bool) {
	role, known := o.session.Design.Role(id)
	if !known {
		o.cannot(evidence.Error, "no role %s in the contract", id)
		return nil, false
	}
	p := &principal{o: o, role: role, tables: map[string]*policy.Document{}, keys: map[string]string{strangersForm: strangersKey}, requests: map[string]ownRequest{}}
	var readable bool
	if p.own, readable = o.parsed("policy of role "+id, o.session.Deployment.RolePolicies[id], policy.Identity); !readable {
		return nil, false
	}
	for _, table := range o.session.Design.Tables {
		document, err := policy.Parse(o.session.Deployment.TablePolicies[table.ID], policy.Resource)
		if err != nil {
			o.note("the policy of table %s was left out: its own claim says why", table.ID)
			continue
		}
		p.tables[table.ID] = document
	}
	return p, true
}

// somebody is a user in whose partition no request lies.
const somebody = "somebody"

// user returns the user whom a case acts for: the one in whose partition it
// reads or writes.
func (p *principal) user(sent []authorisation) string {
	if p.role.Confined == nil {
		return somebody
	}
	for _, a := range sent {
		for _, key := range a.Context[leadingKeys] {
			if id, own := p.role.Confined.User(key); own {
				return id
			}
		}
	}
	return somebody
}

// documents are the role's own policy and those of all tables.
func (p *principal) documents() []*policy.Document {
	all := []*policy.Document{p.own}
	for _, id := range slices.Sorted(maps.Keys(p.tables)) {
		all = append(all, p.tables[id])
	}
	return all
}

// decide evaluates a request of the role on behalf of a user, and has IAM's simulator
// decide it too where there is one.
func (p *principal) decide(a authorisation, user string) policy.Outcome {
	outcome := p.outcome(a, user)
	deployment := p.o.session.Deployment
	p.o.ask(deployment.RolePolicies[p.role.ID], deployment.TablePolicies[a.table], p.request(a, user), outcome)
	return outcome
}

// outcome evaluates a request of the role on behalf of a user.
func (p *principal) outcome(a authorisation, user string) policy.Outcome {
	documents := []*policy.Document{p.own}
	if document := p.tables[a.table]; document != nil {
		documents = append(documents, document)
	}
	outcome, err := policy.Evaluate(p.request(a, user), documents...)
	if err != nil {
		p.o.cannot(evidence.Error, "%v", err)
	}
	return outcome
}

// request is what the role asks for on behalf of a user.
func (p *principal) request(a authorisation, user string) policy.Request {
	request := a.Request
	request.Context = maps.Clone(a.Context)
	request.Context[roleTag] = []string{p.role.ID}
	if p.role.Confined != nil && user != "" {
		request.Context[userTagPrefix+p.role.Confined.Tag] = []string{user}
	}
	return request
}

// role holds a role to its patterns: what is its own must be allowed, and of what
// is not, everything that IAM can tell from it must be denied.
func (o *Observation) role(id string) {
	p, ok := o.principal(id)
	if !ok {
		return
	}
	s := o.session
	own, whole := o.ownSight(p)
	if !whole {
		return // what the role needs is not known
	}
	var alike []string
	denied := 0
	for i := range s.Design.Patterns {
		pattern := &s.Design.Patterns[i]
		if slices.Contains(pattern.Roles, id) {
			continue
		}
		attempts, ok := o.attempts(pattern)
		if !ok {
			continue
		}
		for _, one := range attempts {
			for _, a := range one.all() {
				p.keep(a)
			}
		}
		o.saw()
		step, by := p.refuses(pattern, attempts)
		switch {
		case step != "":
			denied++
		case s.separable(pattern, attempts, own) || slices.Contains(p.role.Withheld, pattern.ID):
			o.fail("role "+id+", pattern "+pattern.ID+" of "+strings.Join(pattern.Roles, ", "), "a step that is denied", "every step "+by.String(), repairPolicy)
		default:
			alike = append(alike, pattern.ID)
		}
	}
	o.note("%d patterns of other roles are denied", denied)
	o.ownResources(p)
	o.noMore(p, own)
	o.nowhereElse(p)
	o.noEscape(p)
	o.noWiderReads(p, own)
	if len(alike) > 0 {
		o.note("IAM sees no difference between patterns of the role and these of others, so they are allowed too: %s", strings.Join(alike, ", "))
	}
	if p.role.Unconfined != "" {
		o.note("not confined to a user: %s", p.role.Unconfined)
	}
	for _, limit := range p.role.Limits {
		o.note("beyond what a policy can do: %s", limit)
	}
}

// attempts compiles a pattern's cases, or points at the claim that says why they
// do not compile.
func (o *Observation) attempts(pattern *accesspatterns.Pattern) ([]attempt, bool) {
	o.saw()
	attempts, err := o.session.attempts(pattern)
	if err != nil {
		o.fail("claim "+o.session.Design.Name+"/pattern/"+pattern.ID, "requests that can be evaluated", err.Error(), "correct the access pattern, or its cases")
	}
	return attempts, err == nil
}

// ownSight checks that the role's own patterns are allowed, and returns what IAM
// sees of them, and whether it is all of them.
func (o *Observation) ownSight(p *principal) (own []sees, whole bool) {
	s := o.session
	whole = true
	allowed := 0
	for i := range s.Design.Patterns {
		pattern := &s.Design.Patterns[i]
		if !slices.Contains(pattern.Roles, p.role.ID) {
			continue
		}
		attempts, ok := o.attempts(pattern)
		if !ok {
			whole = false
			continue
		}
		for _, one := range attempts {
			sent := one.all()
			user := p.user(sent)
			if p.role.Confined != nil && slices.Contains(p.role.Confined.Except, pattern.ID) {
				user = somebody
			}
			for i, step := range pattern.Steps {
				last := i == len(pattern.Steps)-1
				for _, a := range one.steps[step.Name] {
					seen := s.sight(a, fixedKey(step))
					own = append(own, seen)
					p.keep(a)
					p.requests[fmt.Sprint(seen, a.Context[attributesKey])] = ownRequest{a, seen, user}
					if last && slices.Contains(p.role.Narrow, pattern.ID) && a.Action != "dynamodb:ConditionCheckItem" {
						o.narrow(p, one.name, a, user)
					}
					o.saw()
					if outcome := p.decide(a, user); outcome.Denied() {
						o.fail(fmt.Sprintf("role %s, case %s, step %s", p.role.ID, one.name, step.Name), a.String()+" to be allowed", outcome.String(), repairPolicy)
						continue
					}
					allowed++
				}
			}
		}
	}
	o.note("%d requests of the role's own patterns are allowed", allowed)
	return own, whole
}

const (
	// strangersKey is a partition key of a form that no entity has.
	strangersForm = "STRANGER#{}"
	strangersKey  = "STRANGER#" + somebody
)

// keep remembers the partition keys of a request, one of each form.
func (p *principal) keep(a authorisation) {
	for _, key := range a.Context[leadingKeys] {
		form := p.o.session.formOf(a.table, a.index, key)
		if form == anyKey {
			form = key // nothing says what other keys are like it
		}
		if _, known := p.keys[form]; !known {
			p.keys[form] = key
		}
	}
}

// owner returns the user in whose partition a key lies, or else the given one.
func (p *principal) owner(key, user string) string {
	if p.role.Confined != nil {
		if id, own := p.role.Confined.User(key); own {
			return id
		}
	}
	return user
}

// noMore tries every action on every table and index where no pattern of the role
// needs it, and on a table of others, in every class of contexts that the policies
// tell apart.
func (o *Observation) noMore(p *principal, own []sees) {
	s := o.session
	denied := 0
	documents := p.documents()
	mentioned := policy.Context{leadingKeys: slices.Sorted(maps.Values(p.keys)), selectKey: {"SPECIFIC_ATTRIBUTES", "ALL_ATTRIBUTES", "COUNT"}}
	tags := []string{roleTag}
	if p.role.Confined != nil {
		tags = append(tags, userTagPrefix+p.role.Confined.Tag)
	}
	contexts := policy.Contexts(mentioned, tags, documents...)
	try := func(table, index, resource, action string) {
		if slices.ContainsFunc(own, func(mine sees) bool { return mine.action == action && mine.table == table && mine.index == index }) {
			return
		}
		o.saw()
		denied++
		if !slices.ContainsFunc(documents, func(d *policy.Document) bool { return d.MayAllow(action, resource) }) {
			return // whatever the context
		}
		a := authorisation{table: table, index: index, Request: policy.Request{Action: action, Resource: resource}}
		for _, context := range contexts {
			a.Context = maps.Clone(context)
			users := []string{somebody, ""}
			if keys := context[strings.ToLower(leadingKeys)]; len(keys) > 0 {
				a.Context[leadingKeys] = keys
				delete(a.Context, strings.ToLower(leadingKeys))
				users = append(users, p.owner(keys[0], somebody))
			}
			for _, user := range users {
				if outcome := p.decide(a, user); !outcome.Denied() {
					o.fail("role "+p.role.ID+", which no pattern needs it for", a.String()+" to be denied", outcome.String(), repairPolicy)
					denied--
					return
				}
			}
		}
	}
	actions := policy.ServiceActions()
	for _, document := range documents {
		for _, action := range document.Actions() {
			if !slices.ContainsFunc(actions, func(known string) bool { return strings.EqualFold(known, action) }) {
				actions = append(actions, action)
			}
		}
	}
	for _, action := range actions {
		for i := range s.Design.Tables {
			table := &s.Design.Tables[i]
			arn := s.Deployment.TableARNs[table.ID]
			try(table.ID, "", arn, action)
			for j := range table.Indexes {
				try(table.ID, table.Indexes[j].Name, arn+"/index/"+table.Indexes[j].Name, action)
			}
		}
		for what, arn := range s.foreign() {
			try(what, "", arn, action)
		}
	}
	o.note("%d actions that no pattern of the role needs are denied on tables, indexes and a table of others, in each of %d classes of contexts", denied, len(contexts))
}

// foreign are resources that are not the design's, by what they are.
func (s *Session) foreign() map[string]string {
	if len(s.Design.Tables) == 0 {
		return nil
	}
	arn := s.Deployment.TableARNs[s.Design.Tables[0].ID]
	at := strings.LastIndex(arn, "/")
	if at < 0 {
		return nil
	}
	return map[string]string{"a table of others": arn[:at+1] + policy.Fresh, "an index of a table of others": arn[:at+1] + policy.Fresh + "/index/" + policy.Fresh}
}

// ownResources checks that a role's policy speaks of the stack's own tables and
// indexes, each by its full name.
func (o *Observation) ownResources(p *principal) {
	var known []string
	for i := range o.session.Design.Tables {
		table := &o.session.Design.Tables[i]
		arn := o.session.Deployment.TableARNs[table.ID]
		known = append(known, arn)
		for j := range table.Indexes {
			known = append(known, arn+"/index/"+table.Indexes[j].Name)
		}
	}
	for _, resource := range p.own.Resources() {
		o.must(slices.Contains(known, resource), "policy of role "+p.role.ID, "ARNs of this stack's tables and indexes alone", resource, repairPolicy)
	}
}

// nowhereElse moves each of the role's own requests to partitions of kinds that no
// pattern of the role reaches by the same action, and to none.
func (o *Observation) nowhereElse(p *principal) {
	s := o.session
	denied, said := 0, map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(p.requests)) {
		request := p.requests[name]
		if p.reaches(request.seen, "", anyKey) {
			continue // partitions that only their ids tell apart, or none: IAM cannot tell them apart
		}
		targets := [][]string{nil}
		for _, form := range slices.Sorted(maps.Keys(p.keys)) {
			key := p.keys[form]
			if !p.reaches(request.seen, key, s.formOf(request.table, request.index, key)) {
				targets = append(targets, []string{key}, append(slices.Clone(request.Context[leadingKeys]), key))
			}
		}
		for _, keys := range targets {
			moved := request.authorisation
			moved.Context = maps.Clone(request.Context)
			moved.Context[leadingKeys] = keys
			user := request.user
			if len(keys) == 1 {
				user = p.owner(keys[0], user)
			}
			o.saw()
			outcome := p.decide(moved, user)
			if outcome.Denied() {
				denied++
				continue
			}
			if what := moved.String(); !said[what] { // requests that differ in their attributes alone
				o.fail("role "+p.role.ID+", outside the partitions of its patterns", what+" to be denied", outcome.String(), repairPolicy)
				said[what] = true
			}
			break
		}
	}
	o.note("%d requests of the role's own, moved to partitions where no pattern of the role sends them, are denied", denied)
}

// narrow sends a request for one more attribute than its pattern names.
func (o *Observation) narrow(p *principal, name string, a authorisation, user string) {
	wider := a.with(attributesKey, append(slices.Clone(a.Context[attributesKey]), "stranger"))
	outcome := p.decide(wider, user)
	o.must(outcome.Denied(), fmt.Sprintf("role %s, case %s, with an attribute that the pattern does not name", p.role.ID, name),
		wider.String()+" to be denied", outcome.String(), repairPolicy)
}

// noWiderReads sends the role's own queries without their projection, where none of its
// patterns queries without one there. A GetItem reads one item, whose key it knows.
func (o *Observation) noWiderReads(p *principal, own []sees) {
	denied := 0
	for _, name := range slices.Sorted(maps.Keys(p.requests)) {
		request := p.requests[name]
		wider := request.seen
		wider.projected = false
		if request.Action != "dynamodb:Query" || !request.seen.projected || slices.ContainsFunc(own, func(mine sees) bool { return mine.covers(wider) }) {
			continue
		}
		o.saw()
		denied++
		for _, selects := range []types.Select{types.SelectAllAttributes, types.SelectAllProjectedAttributes, ""} {
			var values []string
			if selects != "" {
				values = []string{string(selects)}
			}
			if outcome := p.decide(request.with(selectKey, values), request.user); !outcome.Denied() {
				o.fail("role "+p.role.ID+", a query of its own without the projection", request.authorisation.String()+" to be denied", outcome.String(), repairPolicy)
				denied--
				break
			}
		}
	}
	o.note("%d queries of the role's own are denied without their projection", denied)
}

// reaches reports whether a pattern of the role sends the same action to a
// partition of the given key or form.
func (p *principal) reaches(seen sees, key, form string) bool {
	for _, own := range p.requests {
		if own.seen.alike(seen) && (own.seen.form == key || slices.Contains(strings.Fields(own.seen.form), form)) {
			return true
		}
	}
	return false
}

// fixedKey reports whether a step reads one partition that the document names.
func fixedKey(step accesspatterns.Step) bool {
	return step.Read != nil && step.Read.Partition != nil && len(step.Read.Partition.Value.Template.Parameters()) == 0
}

// String says what is asked for, as a policy's author would look for it.
func (a authorisation) String() string {
	text := strings.TrimPrefix(a.Action, "dynamodb:") + " on " + a.table
	if a.index != "" {
		text += "/" + a.index
	}
	if keys := a.Context[leadingKeys]; len(keys) > 0 {
		text += " in partition " + strings.Join(keys, ", ")
	}
	return text
}

// refuses returns the step of a pattern that is denied in every case that comes
// to it, or how the pattern was allowed.
func (p *principal) refuses(pattern *accesspatterns.Pattern, attempts []attempt) (step string, allowed policy.Outcome) {
	for _, step := range pattern.Steps {
		open := false
		for _, one := range attempts {
			sent, reached := one.steps[step.Name]
			if !reached {
				continue
			}
			user := p.user(one.all())
			denied := slices.ContainsFunc(sent, func(a authorisation) bool {
				outcome := p.decide(a, user)
				if !outcome.Denied() {
					allowed = outcome
				}
				return outcome.Denied()
			})
			open = open || !denied
		}
		if !open {
			return step.Name, policy.Outcome{}
		}
	}
	return "", allowed
}

// separable reports whether IAM can tell a pattern from everything that the role
// may do: whether one of its requests is covered by none of the role's own.
func (s *Session) separable(pattern *accesspatterns.Pattern, attempts []attempt, own []sees) bool {
	for _, step := range pattern.Steps {
		for _, one := range attempts {
			for _, a := range one.steps[step.Name] {
				seen := s.sight(a, fixedKey(step))
				if !slices.ContainsFunc(own, func(mine sees) bool { return mine.covers(seen) }) {
					return true
				}
			}
		}
	}
	return false
}

// confinement tries to leave a user's own partitions with every request of the
// role's patterns that lies in one.
func (o *Observation) confinement(id string) {
	p, ok := o.principal(id)
	if !ok {
		return
	}
	s := o.session
	tried := 0
	for i := range s.Design.Patterns {
		pattern := &s.Design.Patterns[i]
		if !slices.Contains(pattern.Roles, id) {
			continue
		}
		if slices.Contains(p.role.Confined.Except, pattern.ID) {
			o.note("left out, because it reaches the partitions of all users: %s", pattern.ID)
			continue
		}
		attempts, ok := o.attempts(pattern)
		if !ok {
			continue
		}
		for _, one := range attempts {
			for _, a := range one.all() {
				if o.confined(p, one.name, a) {
					tried++
				}
			}
		}
	}
	o.note("%d requests within a user's own partitions; each was tried on another's, on both, and on none", tried)
	for _, limit := range p.role.Limits {
		o.note("beyond what a policy can do: %s", limit)
	}
}

// confined varies one request, and reports whether it lies in a user's partition.
func (o *Observation) confined(p *principal, name string, a authorisation) bool {
	keys := a.Context[leadingKeys]
	if len(keys) != 1 || a.index != "" {
		return false
	}
	user, own := p.role.Confined.User(keys[0])
	if !own {
		return false
	}
	others, _ := p.role.Confined.Of(keys[0], somebody)
	longer, _ := p.role.Confined.Of(keys[0], user+"0")
	where := fmt.Sprintf("role %s, user %s, case %s", p.role.ID, user, name)
	outcome := p.decide(a, user)
	o.must(!outcome.Denied(), where, a.String()+", the user's own, to be allowed", outcome.String(), repairPolicy)
	for _, leave := range []struct {
		what string
		keys []string
		user string
	}{
		{"another user's partition", []string{others}, user},
		{"the partition of a user whose id begins with the own one", []string{longer}, user},
		{"the own and another user's partition", []string{keys[0], others}, user},
		{"no partition key", nil, user},
		{"a partition of a user, for a principal without the tag " + p.role.Confined.Tag, keys, ""},
	} {
		moved := a
		moved.Context = maps.Clone(a.Context)
		moved.Context[leadingKeys] = leave.keys
		outcome := p.decide(moved, leave.user)
		o.must(outcome.Denied(), where+", "+leave.what, moved.String()+" to be denied", outcome.String(), repairPolicy)
	}
	return true
}

// everything is the policy of a principal that the table's own policy must hold.
const everything = `{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}}`

// noScan tries to scan a table or an index with every role and with none, as a
// principal that is allowed everything else.
func (o *Observation) noScan(ctx context.Context, table, index string) {
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
	if allowing := document.Allows(); len(allowing) > 0 {
		o.saw()
		o.fail("policy of table "+table, "statements that deny", strings.Join(allowing, ", ")+", which allows to everybody", repairPolicy)
	}
	try := func(action, role string, given policy.Context, want policy.Decision) {
		who := "a principal without the tag role"
		context := maps.Clone(given)
		if role != "" {
			who = "role " + role
			context[roleTag] = []string{role}
		}
		request := policy.Request{Action: action, Resource: resource, Context: context}
		outcome, err := policy.Evaluate(request, all, document)
		if err != nil {
			o.cannot(evidence.Error, "%v", err)
			return
		}
		o.ask(everything, s.Deployment.TablePolicies[table], request, outcome)
		o.must(outcome.Decision == want, resource+", "+who+showContext(given), action+" "+string(want), outcome.String(), repairPolicy)
	}
	roles := []string{""}
	for _, role := range s.Design.Policies.Roles {
		roles = append(roles, role.ID)
	}
	contexts := policy.Contexts(policy.Context{}, []string{roleTag, fullTableScan}, document)
	for _, role := range append(roles, policy.Fresh) {
		want := policy.ExplicitDeny
		if slices.Contains(excepted, role) {
			want = policy.Allowed
		}
		problems := len(o.problems)
		for _, context := range contexts {
			try("dynamodb:Scan", role, context, want)
			full := maps.Clone(context)
			full[fullTableScan] = []string{"true"}
			try("dynamodb:PartiQLSelect", role, full, policy.ExplicitDeny)
			if len(o.problems) > problems {
				break // further contexts say the same
			}
		}
	}
}

// showContext says in which context a request was tried; empty for none.
func showContext(context policy.Context) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(context)) {
		if key != fullTableScan {
			parts = append(parts, key+" = "+strings.Join(context[key], ", "))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ", with " + strings.Join(parts, " and ")
}

// attached sees that the policy which is judged is the one that is attached.
func (o *Observation) attached(ctx context.Context, table string) {
	s := o.session
	if s.attached != nil {
		return // it was read where it is attached
	}
	attached, err := policyOf(ctx, s.Client, s.Deployment.TableARNs[table])
	if err != nil {
		o.request("policy of table "+table, err)
		return
	}
	if !o.must(attached != "", "policy of table "+table, "the policy of the stack's outputs", "none attached", "run `pulumi up` again") {
		return
	}
	if !sameJSON(s.Deployment.TablePolicies[table], attached) {
		o.fail("policy of table "+table, "the policy of the stack's outputs", "another one attached: "+attached, "run `pulumi up` again")
	}
}

func sameJSON(one, other string) bool {
	var a, b any
	err := errors.Join(json.Unmarshal([]byte(one), &a), json.Unmarshal([]byte(other), &b))
	return err == nil && reflect.DeepEqual(a, b)
}
