package policies

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/policy"
	"dynaproof/conformance/suite/remedy"
)

// principal decides requests of one role, with the policies of all tables.
type principal struct {
	o         *policyCheck
	role      *accesspatterns.Role
	own       *policy.Document
	tables    map[string]*policy.Document
	documents []*policy.Document
	// requests are those of all patterns' cases.
	requests []ownRequest
	// kinds are the role's own requests by action, table and index, one of each kind that IAM can tell apart by more than the
	// attributes it names; it stands for all of its kind and names the attributes of all.
	kinds map[[3]string][]*ownRequest
	// keys holds partition keys of the requests, one of each form.
	keys []string
	// forms are those of partition keys, by table, index and key.
	forms map[[3]string]string
	// over says that the policies tell apart more requests than are tried.
	over bool
}

// ownRequest is what IAM sees of a request of a pattern.
type ownRequest struct {
	authorisation
	pattern *accesspatterns.Pattern
	// name is the case, step the step.
	name, step string
	// other says that no pattern of the role sends it.
	other bool
	// fixed says that the document names the one partition that it reads.
	fixed bool
	// everybody says that the pattern reaches the partitions of all users, narrow that it may be sent for the attributes that
	// it names alone.
	everybody, narrow bool
}

func (o *policyCheck) principal(id string) (*principal, bool) {
	s := o.Session
	role, known := s.Design.Role(id)
	if !known {
		o.Cannot(evidence.Error, "no role %s in the contract", id)
		return nil, false
	}
	p := &principal{o: o, role: role, tables: map[string]*policy.Document{}, keys: []string{strangersKey}, forms: map[[3]string]string{}, kinds: map[[3]string][]*ownRequest{}}
	var readable bool
	if p.own, readable = o.parsed("policy of role "+id, s.Deployment.RolePolicies[id], policy.Identity); !readable {
		return nil, false
	}
	p.documents = []*policy.Document{p.own}
	for _, table := range s.Design.Tables {
		document, err := policy.Parse(s.Deployment.TablePolicies[table.ID], policy.Resource)
		if err != nil {
			o.Note("the policy of table %s was left out: its own claim says why", table.ID)
			continue
		}
		p.tables[table.ID] = document
		p.documents = append(p.documents, document)
	}
	whole := true
	seen := map[string]bool{}
	for pattern := range lists.Each(s.Design.Patterns) {
		own := slices.Contains(pattern.Roles, id)
		attempts, err := authoriser{s}.attempts(pattern)
		if !o.Must(err == nil, "claim "+s.Design.Name+"/pattern/"+pattern.ID, "requests that can be evaluated", fmt.Sprint(err), remedy.EvaluatePattern) {
			whole = whole && !own // what the role needs is not known
		}
		for _, one := range attempts {
			user := p.user(one)
			everybody := role.Confined != nil && slices.Contains(role.Confined.Except, pattern.ID)
			if everybody {
				user = somebody
			}
			for at, step := range pattern.Steps {
				narrow := at == len(pattern.Steps)-1 && slices.Contains(role.Narrow, pattern.ID)
				for _, a := range one.steps[step.Name] {
					a.Context = maps.Clone(a.Context)
					a.Context[roleTag] = []string{id}
					if role.Confined != nil {
						a.Context[userTagPrefix+role.Confined.Tag] = []string{user}
					}
					request := ownRequest{
						authorisation: a, pattern: pattern, name: one.name, step: step.Name, other: !own, fixed: fixedKey(step), everybody: everybody,
						narrow: narrow && a.Action != "dynamodb:ConditionCheckItem",
					}
					p.requests = append(p.requests, request)
					if own {
						p.learn(request)
					}
					for _, key := range a.Context[leadingKeys] {
						form := p.form(a, key)
						if form == anyKey || form == "" {
							form = key // nothing says what other keys are like it
						}
						if !seen[form] {
							seen[form] = true
							p.keys = append(p.keys, key)
						}
					}
				}
			}
		}
	}
	return p, whole
}

// learn adds an own request to its kind.
func (p *principal) learn(r ownRequest) {
	kind := func(r *ownRequest) string {
		forms := []string{fmt.Sprint(r.fixed, r.everybody, r.narrow, r.projected())}
		for _, key := range r.Context[leadingKeys] {
			if !r.fixed {
				forms = append(forms, fmt.Sprint(p.role.Confined != nil && p.owns(key, r.Context)))
				key = p.form(r.authorisation, key)
			}
			forms = append(forms, key)
		}
		return strings.Join(forms, " ")
	}
	at := [3]string{r.Action, r.table, r.index}
	for _, known := range p.kinds[at] {
		if kind(known) == kind(&r) {
			known.Context[attributesKey] = append(known.Context[attributesKey], r.Context[attributesKey]...)
			return
		}
	}
	r.Context = maps.Clone(r.Context)
	r.Context[attributesKey] = slices.Clone(r.Context[attributesKey])
	p.kinds[at] = append(p.kinds[at], &r)
}

const (
	// somebody is a user in whose partition no request lies, and another one is anybody else.
	somebody = "somebody"
	another  = "another"
	// strangersKey is a partition key of a form that no entity has.
	strangersKey = "STRANGER#" + somebody
)

// user returns the user whom a case acts for: the one in whose partition it
// reads or writes.
func (p *principal) user(sent attempt) string {
	if p.role.Confined == nil {
		return somebody
	}
	for _, step := range slices.Sorted(maps.Keys(sent.steps)) {
		for _, a := range sent.steps[step] {
			for _, key := range a.Context[leadingKeys] {
				if id, own := p.role.Confined.User(key); own {
					return id
				}
			}
		}
	}
	return somebody
}

// owns reports whether a partition is the own one of the user whom a request is for.
func (p *principal) owns(key string, context policy.Context) bool {
	id, users := p.role.Confined.User(key)
	return users && slices.Equal(context[userTagPrefix+p.role.Confined.Tag], []string{id})
}

// form is the form of a partition key.
func (p *principal) form(a authorisation, key string) string {
	at := [3]string{a.table, a.index, key}
	if _, known := p.forms[at]; !known {
		p.forms[at] = authoriser{p.o.Session}.formOf(a.table, a.index, key)
	}
	return p.forms[at]
}

// decide are the policies that decide a request: the role's, and that of the table.
func (p *principal) decide(a authorisation) []*policy.Document {
	if document := p.tables[a.table]; document != nil {
		return []*policy.Document{p.own, document}
	}
	return []*policy.Document{p.own}
}

// outcome evaluates a request by the policies that decide it: the role's, and that of the table.
func (p *principal) outcome(a authorisation) policy.Outcome {
	return policy.Evaluate(a.Request, p.decide(a)...)
}

// judge holds a request to what must be decided.
func (p *principal) judge(where string, a authorisation, want policy.Decision) {
	deployment := p.o.Session.Deployment
	expected := a.String() + " to be denied"
	if want == policy.Allowed {
		expected = a.String() + " to be allowed"
	}
	p.o.demands(demand{where, expected, want, p.outcome(a)}, deployment.RolePolicies[p.role.ID], deployment.TablePolicies[a.table], a.Request)
}

// limits notes what no policy can do.
func (p *principal) limits() {
	for _, limit := range p.role.Limits {
		p.o.Note("beyond what a policy can do: %s", limit)
	}
}

// reaches reports whether a request goes to a partition, as far as IAM can tell: ids stand for one another, but for those of
// users.
func (r *ownRequest) reaches(p *principal, key string, context policy.Context) bool {
	keys := r.Context[leadingKeys]
	if r.fixed {
		return slices.Contains(keys, key)
	}
	if len(keys) == 0 {
		return true
	}
	if p.role.Confined != nil && !r.everybody && !p.owns(key, context) {
		if _, users := p.role.Confined.User(key); users && slices.ContainsFunc(keys, func(own string) bool { return p.owns(own, r.Context) }) {
			return false
		}
	}
	form := p.form(r.authorisation, key)
	return slices.ContainsFunc(keys, func(own string) bool {
		mine := p.form(r.authorisation, own)
		return mine == anyKey || mine == form && form != ""
	})
}

// projected reports whether a read names its attributes.
func (a authorisation) projected() bool {
	return slices.Equal(a.Context[selectKey], []string{specific})
}

// reads are the actions that return items.
var reads = []string{"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:Scan"}

// beyond says why a request must be denied: no pattern of the role sends one that IAM cannot tell from it. It is empty where a
// pattern does.
func (p *principal) beyond(a authorisation) string {
	alike := p.kinds[[3]string{a.Action, a.table, a.index}]
	if len(alike) == 0 {
		return "which no pattern needs it for"
	}
	keys := a.Context[leadingKeys]
	if len(keys) == 0 {
		if !slices.ContainsFunc(alike, func(r *ownRequest) bool {
			return len(r.Context[leadingKeys]) == 0 || !r.fixed && p.form(r.authorisation, r.Context[leadingKeys][0]) == anyKey
		}) {
			return "no partition key, outside the partitions of its patterns"
		}
		return "" // partitions that only their ids tell apart: IAM cannot tell them apart
	}
	for _, key := range keys {
		var here []*ownRequest
		var named []string
		narrow, whole := false, false
		for _, r := range alike {
			if r.reaches(p, key, a.Context) {
				here = append(here, r)
				named = append(named, r.Context[attributesKey]...)
				narrow = narrow || r.narrow && !(r.everybody && p.owns(key, a.Context)) // in the own partition others' patterns bind nobody
				whole = whole || !r.projected()
			}
		}
		switch {
		case len(here) == 0:
			return p.outside(key, a.Context)
		case slices.Contains(reads, a.Action) && !a.projected() && !whole && (narrow || a.Action == "dynamodb:Query"):
			return "a read of its own without the projection" // a GetItem reads one item, whose key it knows
		case narrow && slices.ContainsFunc(a.Context[attributesKey], func(name string) bool { return !slices.Contains(named, name) }):
			return "with an attribute that the patterns do not name"
		case narrow && strings.HasPrefix(strings.Join(a.Context[returnKey], ""), "ALL_"):
			return "that returns the whole item"
		}
	}
	return ""
}

// outside says in which partition no request of the role lies.
func (p *principal) outside(key string, context policy.Context) string {
	if p.role.Confined != nil {
		user := strings.Join(context[userTagPrefix+p.role.Confined.Tag], "")
		switch id, users := p.role.Confined.User(key); {
		case users && user == "":
			return "the partition of a user, for a principal without the tag " + p.role.Confined.Tag
		case users && id != user && strings.HasPrefix(id, user):
			return "the partition of a user whose id begins with the own one"
		case users && id != user:
			return "another user's partition"
		}
	}
	return "outside the partitions of its patterns"
}

// escapes says why a set of values must be denied although a pattern may need a request like it: one of its values is denied by
// itself, or none is named although one that no policy mentions is denied. ForAllValues is met by a request that names none,
// and ForAnyValue by one that names a listed value beside any other.
func (p *principal) escapes(a authorisation) string {
	for _, key := range setKeys {
		values := a.Context[key]
		if len(values) == 0 && p.outcome(a.with(key, policy.Fresh)).Denied() {
			return "condition key " + key + ", naming none"
		}
		for _, value := range values {
			if len(values) > 1 && p.outcome(a.with(key, value)).Denied() {
				return fmt.Sprintf("condition key %s, naming %s although %s alone is denied", key, strings.Join(values, ", "), value)
			}
		}
	}
	return ""
}

// setKeys are the condition keys that hold several values at once.
var setKeys = []string{leadingKeys, attributesKey}

// with is a request with other values of a condition key.
func (a authorisation) with(key string, values ...string) authorisation {
	a.Context = maps.Clone(a.Context)
	a.Context[key] = values
	return a
}

// universe are the requests that the role may try, beside those that the policies mention: a user's, in partitions of the user,
// of others, and of each form.
func (p *principal) universe(a authorisation) policy.Universe {
	u := policy.Universe{Keys: []string{leadingKeys, attributesKey, selectKey}}
	if !slices.Contains(reads, a.Action) {
		u.Keys = append(slices.Clone(setKeys), returnKey)
	}
	tag := ""
	if p.role.Confined != nil {
		tag = userTagPrefix + p.role.Confined.Tag
		u.Keys = append(slices.Clone(u.Keys), tag)
	}
	names := lists.Sorted(slices.Concat(lists.Map(p.requests, func(own ownRequest) []string { return own.Context[attributesKey] })...))
	u.Values = func(key string, tags policy.Context) []string {
		switch key {
		case tag:
			return []string{somebody}
		case strings.ToLower(roleTag): // where a policy mentions it
			return []string{p.role.ID}
		case attributesKey:
			return names
		case returnKey:
			return []string{"NONE", "ALL_OLD", "ALL_NEW"}
		case selectKey:
			return []string{specific, "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "COUNT"}
		case leadingKeys:
			keys := slices.Clone(p.keys)
			if p.role.Confined != nil {
				user := strings.Join(tags[tag], "")
				for _, id := range []string{user, another, user + "0"} {
					for _, form := range p.role.Confined.Partitions {
						if own, err := form.Format(accesspatterns.Params{p.role.Confined.Tag: id}); err == nil && id != "" {
							keys = append(keys, own)
						}
					}
				}
			}
			return keys
		}
		return nil
	}
	alike := p.kinds[[3]string{a.Action, a.table, a.index}]
	u.Tell = func(key, value string, tags policy.Context) (string, bool) {
		told, placed := &strings.Builder{}, true
		switch key {
		case selectKey:
			fmt.Fprint(told, value == specific)
		case returnKey:
			fmt.Fprint(told, strings.HasPrefix(value, "ALL_"))
		case tag:
			fmt.Fprint(told, value)
		case leadingKeys, attributesKey:
			for _, r := range alike {
				if key == leadingKeys {
					fmt.Fprint(told, r.reaches(p, value, tags))
				} else if r.narrow {
					fmt.Fprint(told, slices.Contains(r.Context[key], value))
				}
			}
			if key == leadingKeys && p.role.Confined != nil {
				_, users := p.role.Confined.User(value)
				fmt.Fprint(told, users, p.owns(value, tags))
			}
			placed = key == attributesKey || slices.Contains(p.keys, value) || p.form(a, value) != ""
		}
		return told.String(), placed
	}
	return u
}

// noMore tries every action on every table and index, on those of others, and on what the policies mention, in every class of
// requests that the policies or the patterns tell apart. What no pattern of the role needs must be denied.
func (p *principal) noMore(asked func(authorisation) bool) {
	o, s := p.o, p.o.Session
	actions := policy.ServiceActions()
	var resources []authorisation
	for table := range lists.Each(s.Design.Tables) {
		arn := s.Deployment.TableARNs[table.ID]
		resources = append(resources, authorisation{table: table.ID, Request: policy.Request{Resource: arn}})
		for j := range table.Indexes {
			index := table.Indexes[j].Name
			resources = append(resources, authorisation{table: table.ID, index: index, Request: policy.Request{Resource: arn + "/index/" + index}})
		}
	}
	mentioned, cut := p.own.Resources()
	if cut {
		o.Cannot(evidence.Indeterminate, "role %s: the policy has more patterns of resources than are tried together; write fewer", p.role.ID)
	}
	for _, arn := range append((authoriser{s}).foreign(), mentioned...) {
		if !slices.ContainsFunc(resources, func(known authorisation) bool { return known.Resource == arn }) {
			resources = append(resources, authorisation{table: "a table of others, " + arn, Request: policy.Request{Resource: arn}})
		}
	}
	for _, document := range p.documents {
		for _, action := range document.Actions() {
			if !slices.ContainsFunc(actions, func(known string) bool { return strings.EqualFold(known, action) }) {
				actions = append(actions, action)
			}
		}
	}
	if lifts := p.own.Lifts(); len(lifts) > 0 {
		o.Fail("role "+p.role.ID, "a policy that leaves no way around it", "one that allows "+strings.Join(lifts, ", "), remedy.RepairPolicy)
	}
	if beside := p.own.Beside(); len(beside) > 0 {
		o.Note("not looked at, because other services decide it: %s; a service that has a role of its own may reach the tables with it", strings.Join(beside, ", "))
	}
	tried, allowed := 0, map[string]policy.Decision{}
	for _, action := range actions {
		for _, a := range resources {
			if p.over {
				return // it is not known what is allowed besides
			}
			a.Action = action
			documents := p.decide(a)
			if !slices.ContainsFunc(documents, func(d *policy.Document) bool { return d.MayAllow(action, a.Resource) }) {
				o.Saw()
				tried++
				continue // whatever the context
			}
			contexts, cut := p.universe(a).Contexts(action, a.Resource, documents...)
			p.leftOut(action, cut)
			for _, a.Context = range contexts {
				if !asked(a) || p.elses(a.Context) {
					continue
				}
				tried++
				o.Saw()
				outcome := p.outcome(a)
				if outcome.Denied() && (s.Simulator == nil || strings.HasPrefix(a.Resource, "arn:"+otherPartition)) {
					continue // whether IAM's simulator takes an ARN of no partition of AWS is not documented
				}
				why := p.beyond(a)
				if why == "" && !outcome.Denied() {
					why = p.escapes(a)
				}
				kind, _, _ := strings.Cut(why, ", naming ") // further values say the same, but that one is allowed says more than that one is not decided
				what := fmt.Sprint(kind, action, a.Resource)
				if why == "" || allowed[what] == policy.Allowed || allowed[what] == outcome.Decision || outcome.Denied() && slices.ContainsFunc(setKeys, func(key string) bool { return len(a.Context[key]) > 1 }) {
					continue
				}
				if !outcome.Denied() {
					allowed[what] = outcome.Decision
				}
				p.judge("role "+p.role.ID+", "+why+showContext(a.Context), a, policy.ImplicitDeny)
			}
		}
	}
	o.Note("%d classes of requests were tried, told apart by action, table, index, partition keys, attributes and every condition key that the policies mention: what no pattern needs is denied", tried)
}

// elses reports whether a context is that of a principal of another role of the contract, whose own claim speaks of it: all roles may have one
// policy, which tells them apart by their tag.
func (p *principal) elses(context policy.Context) bool {
	id := strings.Join(context[strings.ToLower(roleTag)], "")
	_, known := p.o.Session.Design.Role(id)
	return known && id != p.role.ID
}

const otherPartition = "aws-elsewhere"

// foreign are resources that are not the design's: other tables, its own table's name in another partition, region and account,
// and what is no table.
func (s authoriser) foreign() []string {
	arn := s.Deployment.TableARNs[s.Design.Tables[0].ID]
	at := strings.LastIndex(arn, "/")
	if at < 0 {
		return nil
	}
	all := []string{arn[:at+1] + policy.Fresh, arn[:at+1] + policy.Fresh + "/index/" + policy.Fresh}
	for part, other := range map[int]string{1: otherPartition, 3: "eu-west-3", 4: "210987654321", 5: policy.Fresh + "/" + policy.Fresh} {
		parts := strings.SplitN(arn, ":", 6)
		parts[part] = other
		all = append(all, strings.Join(parts, ":"))
	}
	slices.Sort(all)
	return all
}

// others tries the patterns of other roles. Of each that IAM can tell from the role's own, or that it can withhold by the names
// of its attributes, a step must be denied, whatever a request names besides.
func (p *principal) others() {
	var alike []string
	denied := 0
	for pattern := range lists.Each(p.o.Session.Design.Patterns) {
		if slices.Contains(pattern.Roles, p.role.ID) {
			continue
		}
		sent := slices.DeleteFunc(slices.Clone(p.requests), func(r ownRequest) bool { return r.pattern != pattern })
		p.o.Saw()
		var open policy.Outcome
		refused := slices.ContainsFunc(pattern.Steps, func(step accesspatterns.Step) bool {
			cases, allowed := map[string]bool{}, map[string]policy.Outcome{}
			for _, r := range sent {
				if r.step == step.Name {
					outcome := p.anyhow(r.authorisation)
					cases[r.name] = cases[r.name] || outcome.Denied()
					if !outcome.Denied() {
						allowed[r.name] = outcome
					}
				}
			}
			for name, denied := range cases {
				if !denied {
					open = allowed[name]
					return false
				}
			}
			return len(cases) > 0
		})
		where, what := "role "+p.role.ID+", pattern "+pattern.ID+" of "+strings.Join(pattern.Roles, ", "), "a step that is denied"
		switch {
		case refused:
			denied++
		case !slices.Contains(p.role.Withheld, pattern.ID) && !slices.ContainsFunc(sent, func(r ownRequest) bool { return p.beyond(r.authorisation) != "" }):
			alike = append(alike, pattern.ID)
		case open.Decision == policy.Undecided:
			p.o.pending = append(p.o.pending, &demand{where, what, policy.ImplicitDeny, open})
		default:
			p.o.Fail(where, what, "every step "+open.String(), remedy.RepairPolicy)
		}
	}
	p.o.Note("%d patterns of other roles are denied", denied)
	if len(alike) > 0 {
		p.o.Note("IAM sees no difference between patterns of the role and these of others, so they are allowed too: %s", strings.Join(alike, ", "))
	}
}

// leftOut says that not all requests are tried, and that none need be any more.
func (p *principal) leftOut(action string, cut bool) {
	if cut && !p.over {
		p.over = true
		p.o.Cannot(evidence.Indeterminate, "role %s, %s: the policies tell apart more requests than are tried; write fewer condition keys, and fewer patterns of one", p.role.ID, action)
	}
}

// anyhow evaluates a request with all that it may name besides, such as what it wants returned, and returns the most that is
// allowed.
func (p *principal) anyhow(a authorisation) policy.Outcome {
	if p.over {
		return p.outcome(a)
	}
	fixed := maps.Clone(a.Context)
	for _, key := range []string{leadingKeys, attributesKey, selectKey} {
		if _, has := fixed[key]; !has {
			fixed[key] = nil
		}
	}
	var most policy.Outcome
	contexts, cut := (policy.Universe{Fixed: fixed}).Contexts(a.Action, a.Resource, p.decide(a)...)
	p.leftOut(a.Action, cut)
	for _, a.Context = range contexts {
		switch outcome := p.outcome(a); {
		case outcome.Decision == policy.Allowed:
			return outcome
		case most.Decision == "" || outcome.Decision == policy.Undecided:
			most = outcome
		}
	}
	return most
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
