package explore

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/validate"
)

// Report is what the exploration of a design found.
type Report struct {
	Design string `json:"design"`
	Laws   []*Law `json:"laws,omitempty"`
}

// Law is what the exploration of one law found.
type Law struct {
	// Claim is the id of the claim, without the design's name.
	Claim   string `json:"claim"`
	Formula string `json:"formula"`
	// Cone is what was varied: entities, and of each the attributes.
	Cone []string `json:"cone"`
	// Lacks are the entities of which there is no item to make others from: what was not found says nothing then.
	Lacks []string `json:"lacks,omitempty"`
	// Starts, Moves, States and Edges count the states that the search began with, the requests that the
	// guard admitted, the states that it reached, and how often a request was tried in one of them.
	Starts int `json:"starts"`
	Moves  int `json:"moves"`
	States int `json:"states"`
	Edges  int `json:"edges"`
	// Items counts the items that the states are made of. Universe are the values of which requests and items were made: of
	// parameters, and of the attributes that the cone names.
	Items    int      `json:"items"`
	Universe []string `json:"universe,omitempty"`
	// Depth is the number of requests up to which every order of them was tried.
	Depth int `json:"depth"`
	// Cut names the steps of which pairs of values were tried in place of all combinations.
	Cut []string `json:"cut,omitempty"`
	// Sparse are the entities of which the formula reads more than three attributes that may be missing: they began with none of
	// these, each alone, all but each and all, and with others where a request leaves or asks for them.
	Sparse []string `json:"sparse,omitempty"`
	// Broken are the patterns that do not keep the law, each with the shortest list of requests.
	Broken []Counterexample `json:"broken,omitempty"`
	// ByFlow are those of which a single request does not keep the law, and the requests of a client that
	// follows the flow do.
	ByFlow []Counterexample `json:"byFlow,omitempty"`
	// Alone are those of which the requests of a client that follows the flow keep the law while no other client sends
	// any, with what two clients do that are interleaved. They are among Broken too.
	Alone []Counterexample `json:"alone,omitempty"`
	// Courses counts how far two clients came that go through flows, their requests interleaved in every order.
	Courses int `json:"courses,omitempty"`
	// Keepers are the patterns that change what the law reads, and keep it.
	Keepers []string `json:"keepers,omitempty"`
	// Unmoved are patterns in the cone of which no request could be carried out.
	Unmoved []string `json:"unmoved,omitempty"`
	// Problem says why the formula could not be decided, Undecided why it is not known what a request does, which is then explored as one
	// that is refused.
	Problem   string `json:"problem,omitempty"`
	Undecided string `json:"undecided,omitempty"`
	// Vacuous says that nothing breaks the formula: no request, and no item that it reads missing or with another value in any start.
	// It is not said where there was no such item to try, nor of a law that lacks the items of an entity or has a problem.
	Vacuous bool `json:"vacuous,omitempty"`
}

// Counterexample is a shortest list of requests that breaks a law.
type Counterexample struct {
	// Patterns are all that admit the request which breaks it.
	Patterns []string `json:"patterns"`
	// Before are the items that the tables hold, Requests what is sent then.
	Before   []string  `json:"before,omitempty"`
	Requests []Request `json:"requests"`
	// Why says what is wrong afterwards, where no formula does.
	Why string `json:"why,omitempty"`

	// Items are those of Before, by table.
	Items map[string][]ap.Item `json:"-"`
}

// Request is one request of a counterexample.
type Request struct {
	// By is the role and the user who send it, Of the patterns that admit it.
	By string   `json:"by,omitempty"`
	Of []string `json:"of"`
	// Sends is the request in a few words.
	Sends string `json:"sends"`
	// Input is the SDK's input, with the ids of tables as their names.
	Input any `json:"-"`
}

// explorer holds what all laws of a design share.
type explorer struct {
	design   *ap.Design
	universe *universe
	steps    []*patternStep
	user     string
	guards   map[client]*guard.Guard
	judged   map[string][]string

	writes    []written // also those that the guard refuses
	writeIDs  map[string]int32
	keyIDs    map[string]int32
	keyTables []string
	keyItems  []int32 // how many items each key has had
	items     []held
	itemIDs   map[string]int32
	undecided string // why it is not known what a write leaves, if that is so of one
	// made are the items of the universe, valid says of which entity those of them are that are valid.
	made  map[string]held
	valid map[uintptr]string
	// shown are the items of the state shownOf by table.
	shown   map[string][]ap.Item
	shownOf state
}

func newExplorer(d *ap.Design, bases *Bases, only ...string) (*explorer, error) {
	whole := d
	if only != nil {
		part := *d
		part.Patterns = slices.DeleteFunc(slices.Clone(d.Patterns), func(p ap.Pattern) bool { return !slices.Contains(only, p.ID) })
		d = &part
	}
	x := &explorer{
		design: d, universe: newUniverse(whole, bases), guards: map[client]*guard.Guard{}, judged: map[string][]string{},
		writeIDs: map[string]int32{}, keyIDs: map[string]int32{}, itemIDs: map[string]int32{}, made: map[string]held{}, valid: map[uintptr]string{},
		items: []held{{}},
	}
	x.user, x.steps = x.universe.kind(x.universe.users), x.universe.steps
	if only != nil {
		x.steps = slices.DeleteFunc(slices.Clone(x.steps), func(w *patternStep) bool { return !slices.Contains(only, w.pattern.ID) })
	}
	_, err := x.guardOf(client{})
	return x, err
}

// confined begins the id of the claim that a role reaches no further than it may, before the role.
const confined = "confinement/"

// Validity is the id of the claim that documented writes leave valid items.
const Validity = "validity"

// patternsOf are the patterns of all breaches.
func patternsOf(all []ap.Breach) []string {
	return slices.Concat(lists.Map(all, func(breach ap.Breach) []string { return breach.Patterns })...)
}

// subject is what a claim is about: a law, with the pattern that must keep it if any, or what a role reaches, or else whether what is
// left is valid.
type subject struct {
	claim string
	law   *ap.Law
	flow  string
	role  *ap.Role
}

// subjects are what is explored of a design.
func subjects(d *ap.Design) (all []subject) {
	for i := range d.Guardrails {
		if g := &d.Guardrails[i]; g.Law != nil {
			all = append(all, subject{claim: "guardrail/" + g.ID, law: g.Law})
		}
	}
	for i := range d.Invariants {
		if v := &d.Invariants[i]; v.Law != nil {
			all = append(all, subject{claim: "invariant/" + v.ID, law: v.Law, flow: v.Flow})
		}
	}
	for i := range d.Policies.Roles {
		if role := &d.Policies.Roles[i]; role.Reach.Explored() {
			all = append(all, subject{claim: confined + role.ID, role: role})
		}
	}
	if d.Valid() != "" {
		all = append(all, subject{claim: Validity})
	}
	return all
}

// Claims are the ids of what is explored of a design, without its name.
func Claims(d *ap.Design) []string {
	return lists.Map(subjects(d), func(s subject) string { return s.claim })
}

// One explores one claim of a design.
func One(d *ap.Design, bases *Bases, b Budget, claim string) (*Law, error) {
	x, err := newExplorer(d, bases, b.Only...)
	if err != nil {
		return nil, err
	}
	law, err := x.one(claim, b)
	if err == nil {
		law.Undecided = x.undecided
		law.Items, law.Universe, law.Lacks = len(x.items)-1, x.valuesOf(law.Cone), x.lacks(law)
		law.Vacuous = law.Vacuous && len(law.Lacks) == 0
	}
	return law, err
}

// ofCone are the entity and the attributes of an element of [Law.Cone].
func ofCone(element string) (entity string, attributes []string) {
	entity, names, _ := strings.Cut(element, ": ")
	return entity, strings.Split(names, ", ")
}

// valuesOf lists the values of what a cone holds: "taskId: task1, task10", "task.status: Done, none".
func (x *explorer) valuesOf(cone []string) (all []string) {
	for _, of := range cone {
		id, attributes := ofCone(of)
		e, _ := x.design.Entity(id)
		for _, parameter := range e.Parameters() {
			all = append(all, parameter+": "+strings.Join(x.universe.of(parameter), ", "))
		}
		for _, name := range attributes {
			if texts := lists.Map(x.universe.domain(e, name), showValue); len(texts) > 0 {
				all = append(all, id+"."+name+": "+strings.Join(texts, ", "))
			}
		}
	}
	return lists.Sorted(all)
}

// lacks are the entities of a law without an item; any of the design's matters to [Validity].
func (x *explorer) lacks(law *Law) (all []string) {
	for i := range x.design.Entities {
		id := x.design.Entities[i].ID
		in := law.Claim == Validity || slices.ContainsFunc(law.Cone, func(of string) bool { entity, _ := ofCone(of); return entity == id })
		if in && len(x.universe.bases[id]) == 0 {
			all = append(all, id)
		}
	}
	return all
}

func (x *explorer) one(claim string, b Budget) (law *Law, err error) {
	all := subjects(x.universe.design) // of the whole design, whichever patterns are tried
	at := slices.IndexFunc(all, func(s subject) bool { return s.claim == claim })
	switch {
	case at < 0:
		return nil, fmt.Errorf("nothing to explore of %s", claim)
	case all[at].role != nil:
		return x.confine(all[at].role), nil
	case all[at].law == nil:
		return x.validity(), nil
	}
	f := &formula{Law: all[at].law, flow: all[at].flow}
	if f.reads, f.constants, f.acts, err = f.Law.Read(); err != nil {
		return nil, err
	}
	return x.within(x.coneOf(f.reads), claim, f, b), nil
}

// Run explores all claims of a design, as many at a time as there are processors.
func Run(d *ap.Design, items []Item, b Budget) (*Report, error) {
	claims, bases := Claims(d), BasesOf(d, items)
	report := &Report{Design: d.Name, Laws: make([]*Law, len(claims))}
	problems := make([]error, len(claims))
	var running errgroup.Group
	running.SetLimit(runtime.GOMAXPROCS(0))
	for i := range claims {
		running.Go(func() error {
			report.Laws[i], problems[i] = One(d, bases, b, claims[i])
			return nil
		})
	}
	_ = running.Wait() // the problems of all are told
	return report, errors.Join(problems...)
}

// narrow leaves the values that a law and some steps name, and forgets the items that were made of others.
func (x *explorer) narrow(law *formula, steps []*patternStep) {
	x.universe.narrow(law, steps)
	clear(x.made)
	clear(x.valid)
}

// clients are who sends the requests of a law: everybody, or where the formula asks who acts each role with either
// user.
func (x *explorer) clients(law *formula, pattern *ap.Pattern) (all []client) {
	if !law.acts {
		return []client{{}}
	}
	users := []string{""}
	if x.user != "" {
		users = x.universe.of(x.user)
	}
	for _, role := range pattern.Roles {
		all = append(all, lists.Map(users, func(user string) client { return client{role, user} })...)
	}
	return all
}

// asksUsers reports whether a formula tells users apart, a step of its cone names several, or items of users stand beside others in the
// cone, in which these meet.
func (x *explorer) asksUsers(law *formula, c *cone) bool {
	if law.acts || slices.ContainsFunc(c.steps, x.namesUsers) {
		return true
	}
	refersToUser := func(e *ap.Entity, name string) bool {
		parameter, isKey := strings.CutPrefix(name, "key.")
		if a, is := e.Attribute(name); is && a.Refers != "" {
			parameter, isKey = a.Refers, true
		}
		return (isKey || x.universe.parameters[name]) && x.universe.kind(parameter) == x.user
	}
	of := map[bool]bool{}
	for entity, names := range c.of {
		e, _ := x.design.Entity(entity)
		users := slices.ContainsFunc(x.universe.idsOf(e), func(id string) bool { return x.universe.kind(id) == x.user })
		of[users] = true
		if len(of) > 1 || slices.ContainsFunc(slices.Concat(law.reads[entity], slices.Collect(maps.Keys(names))), func(name string) bool { return refersToUser(e, name) }) {
			return true
		}
	}
	return false
}

// namesUsers reports whether a request of a step names more than one user.
func (x *explorer) namesUsers(w *patternStep) bool {
	var names []string
	for a := range lists.Each(w.step.Write) {
		names = append(names, a.Parameters()...)
		for _, e := range x.universe.entitiesOf(a) {
			names = append(names, x.universe.keyParameters(a, e)...)
		}
	}
	return lists.Count(lists.Sorted(names), func(p string) bool { return x.universe.kind(p) == x.user }) > 1
}

// maxRounds bounds how often patterns are set aside and the search begins anew.
const maxRounds = 12

// within explores a law with the requests and the values of a cone.
func (x *explorer) within(c *cone, claim string, law *formula, b Budget) *Law {
	x.narrow(law, c.steps)
	report := &Law{Claim: claim, Formula: law.Text, Cone: c.list()}
	s := newSearch(x, law)
	users := x.asksUsers(law, c)
	relevant := map[string]bool{}
	for _, w := range c.steps {
		if c.core[w] {
			relevant[w.pattern.ID] = true
		}
		for _, by := range x.clients(law, w.pattern) {
			if s.flows[by] == nil {
				s.flows[by] = newFlows(x, by)
			}
			s.flows[by].gather(w, c, users, &s.gathered, report)
		}
	}
	starts := x.starts(s, c)
	report.Starts, report.Moves = len(starts), len(s.moves)
	for _, id := range slices.Sorted(maps.Keys(law.reads)) {
		e, _ := x.design.Entity(id)
		if n := len(slices.DeleteFunc(slices.Clone(law.reads[id]), func(name string) bool { return !slices.Contains(x.universe.domain(e, name), nil) })); n > 3 {
			report.Sparse = append(report.Sparse, id)
		}
	}
	var found []broken
	for range maxRounds {
		more, clean := s.run(starts, b)
		found = append(found, more...)
		if clean {
			break
		}
		if s.flow != "" && s.aside[s.flow] { // it breaks the law by itself: those that were blamed before it may keep it
			s.flow = ""
			found = slices.DeleteFunc(found, func(one broken) bool { return one.first })
			clear(s.aside)
			for _, one := range found {
				for _, p := range one.patterns {
					s.aside[p] = true
				}
			}
		}
	}
	for _, one := range found {
		report.Broken = append(report.Broken, x.counterexample(one.patterns, one.trace, s.shrunk(one.start, one.trace), ""))
	}
	s.byFlows(report, c, starts, found)
	report.States, report.Edges, report.Depth = len(s.nodes), s.edges, s.complete
	moved := map[string]bool{}
	for i, m := range s.moves {
		for _, p := range m.patterns {
			moved[p] = moved[p] || s.applied[i]
		}
	}
	maps.DeleteFunc(relevant, func(p string, _ bool) bool { return s.aside[p] })
	report.report(relevant, nil, nil, moved)
	if s.problem != nil {
		report.Problem = s.problem.Error()
	} else {
		report.Vacuous = s.vacuous(starts)
	}
	return report
}

// starts are the states that a search begins with: none of the items, one of each entity, with as few of the attributes that the
// law reads as may be, with all of them, and with all but one, the same without one of the entities, two of each, one of each, and
// two where one refers to another, with what the first request of a step asks for and, where that changes two of one kind, with a
// third, and one of each with another value of an attribute that the law reads, also where a condition then asks for other values
// beside it. Those that break the law are no starts.
func (x *explorer) starts(s *search, c *cone) (all []state) {
	known := map[mark]bool{}
	entities := slices.Sorted(maps.Keys(c.of))
	take := func(st state) (holds bool) {
		holds = s.law.Keeps || s.holds(nil, st, client{})
		if at := st.mark(); holds && !known[at] {
			known[at] = true
			all = append(all, st)
		}
		return holds
	}
	refers := false
	// The nth of an entity, under the nth ids of keys and with the nth of what it refers to.
	nth := func(e *ap.Entity, n int, users bool, law *formula) (st state) {
		params, attributes := ap.Params{}, map[string]types.AttributeValue{}
		value := func(p string) string {
			values := x.universe.of(p)
			if p == "" || n == 0 || len(values) < 2 || !users && x.universe.kind(p) == x.user {
				return ""
			}
			return append(values[1:2:2], further(values))[n-1]
		}
		for _, p := range e.Parameters() {
			if text := value(p); text != "" {
				params[p] = text
			}
		}
		for a := range lists.Each(e.Attributes) {
			if text := value(x.universe.idOf(e, a)); text != "" && law != nil && slices.Contains(law.reads[e.ID], a.Name) && a.Type == dynamo.String && !x.universe.boundToKey(e, a.Name) {
				attributes[a.Name], refers = dynamo.Scalar(a.Type, text), true
			}
		}
		if item, valid := x.filled(law, e, params, attributes); valid {
			st = x.put(st, e.Table, item)
		}
		return st
	}
	vary := func(st state, e *ap.Entity, p place) {
		for _, varied := range x.varied(s.law, &held{item: x.items[p.item].item, entity: e}) {
			take(slices.Clone(st).with(p.key, x.number(e.Table, varied)))
		}
	}
	add := func(st state, n int, users bool, law *formula) state {
		st = slices.Clone(st)
		for _, id := range entities {
			e, _ := x.design.Entity(id)
			for _, p := range nth(e, n, users, law) {
				st = st.with(p.key, p.item)
			}
		}
		take(st)
		return st
	}
	take(nil)
	whole := add(nil, 0, false, nil)
	wholeFull := add(nil, 0, false, s.law)
	apart := slices.DeleteFunc(slices.Clone(whole), func(p place) bool { // what the law does not read
		_, read := s.law.reads[x.items[p.item].entity.ID]
		return read
	})
	for _, id := range entities {
		take(slices.DeleteFunc(slices.Clone(whole), func(p place) bool { return x.items[p.item].entity.ID == id }))
	}
	add(whole, 1, false, nil)
	both := add(wholeFull, 1, false, s.law)
	if x.asksUsers(s.law, c) { // the second of each kind is another user's
		add(whole, 1, true, nil)
		add(wholeFull, 1, true, s.law)
	}
	ready, beside := map[*patternStep]bool{}, map[*patternStep]bool{}
	for _, m := range s.moves {
		if !m.tied {
			continue
		}
		if from := x.readyFor(m, whole, nil); c.core[m.step] && !beside[m.step] && len(from) == len(whole) && from.has(whole) { // what it puts comes beside what is there
			beside[m.step] = true
			take(from)
			if s.law.Keeps {
				take(x.readyFor(m, wholeFull, s.law))
			}
		}
		if ready[m.step] {
			continue
		}
		ready[m.step] = true
		from := x.readyFor(m, whole, nil)
		if !take(from) { // one of each may break the law, and what the request asks for not
			from = x.readyFor(m, apart, nil)
			take(from)
		}
		for _, id := range x.twice(m.step, s.law) { // and one that it does not name
			e, _ := x.design.Entity(id)
			for _, p := range nth(e, 2, false, s.law) {
				vary(from, e, p)
			}
		}
		if !c.core[m.step] || slices.Equal(from, whole) {
			continue
		}
		take(x.readyFor(m, wholeFull, s.law))
		if refers { // to one that is another than those of the request
			take(x.readyFor(m, both, s.law))
		}
		for i, key := range m.keys { // what it changes or checks, with other values of what the law reads
			if item := from.at(key); x.items[item].entity != nil && x.writes[m.writes[i]].Kind != ap.Put {
				vary(from, x.items[item].entity, place{key, item})
			}
		}
	}
	x.otherwise(s, c, whole, func(st state) { take(st) })
	for _, id := range slices.Sorted(maps.Keys(s.law.reads)) {
		e, _ := x.design.Entity(id)
		for n, law := range []*formula{nil, s.law} {
			for _, p := range nth(e, 0, false, law) {
				vary([]state{whole, wholeFull}[n], e, p)
			}
		}
	}
	return all
}

// twice are the entities of which a step changes what a law reads in two items.
func (x *explorer) twice(w *patternStep, law *formula) (all []string) {
	n, c := map[string]int{}, readBy(law.reads)
	for i := range w.step.Write {
		for _, e := range x.universe.entitiesOf(&w.step.Write[i]) {
			if c.changed(&w.step.Write[i], e) {
				if n[e.ID]++; n[e.ID] == 2 {
					all = append(all, e.ID)
				}
			}
		}
	}
	return all
}

// filled is an item with these attributes and with every other one that a law reads and the entity leaves open; without a law
// it has as few as its base, the first that gives a valid one.
func (x *explorer) filled(law *formula, e *ap.Entity, params ap.Params, attributes map[string]types.AttributeValue) (ap.Item, bool) {
	base := 0
	item, valid := x.itemOf(e, base, params, attributes)
	for n := 1; !valid && n < len(x.universe.basesOf(e)); n++ {
		if other, is := x.itemOf(e, n, params, attributes); is {
			item, valid, base = other, is, n
		}
	}
	if law == nil {
		return item, valid
	}
	for _, name := range law.reads[e.ID] {
		if _, given := attributes[name]; given || item[name] != nil {
			continue
		}
		for _, value := range x.universe.domain(e, name) {
			with := map[string]types.AttributeValue{name: value}
			maps.Copy(with, attributes)
			if more, is := x.itemOf(e, base, params, with); value != nil && is {
				item, valid, attributes = more, is, with
				break
			}
		}
	}
	return item, valid
}

// varied are an item with each other value of each attribute that the law reads.
func (x *explorer) varied(law *formula, h *held) (all []ap.Item) {
	params, _ := validate.ParseKeys(h.entity, h.item)
	asked := map[string]types.AttributeValue{} // what conditions ask for stays
	for i := range h.entity.Attributes {
		name := h.entity.Attributes[i].Name
		if _, is := x.universe.asked[h.entity.ID+"."+name]; is || x.universe.named[h.entity.ID+"."+name] != nil {
			asked[name] = h.item[name]
		}
	}
	kept := maps.Clone(asked) // and what the law reads
	for _, name := range law.reads[h.entity.ID] {
		if _, is := h.entity.Attribute(name); is {
			kept[name] = h.item[name]
		}
	}
	for _, name := range law.reads[h.entity.ID] {
		for _, value := range x.universe.domain(h.entity, name) {
			for _, beside := range []map[string]types.AttributeValue{kept, asked} { // where a rule ties it to what the law reads, that follows
				with := maps.Clone(beside)
				with[name] = value
				if item, valid := x.itemOf(h.entity, 0, params, with); valid {
					all = append(all, item)
					break
				}
			}
		}
	}
	return all
}

// counterexample writes a list of moves down.
func (x *explorer) counterexample(patterns []string, trace []*move, start state, why string) Counterexample {
	return Counterexample{
		Patterns: patterns, Why: why, Items: x.tables(start),
		Before:   lists.Map(start, func(p place) string { return x.keyTables[p.key] + " " + showItem(x.items[p.item].item) }),
		Requests: lists.Map(trace, func(m *move) Request { return sends(m.client.String(), m.input, m.patterns) }),
	}
}

// Breakers are the patterns that do not keep the law, sorted.
func (l *Law) Breakers() []string { return patternsIn(l.Broken) }

func patternsIn(list []Counterexample) []string {
	return lists.Sorted(slices.Concat(lists.Map(list, func(one Counterexample) []string { return one.Patterns })...))
}

// Problems are those of all claims.
func (r *Report) Problems(d *ap.Design) []string {
	return slices.Concat(lists.Map(r.Laws, func(l *Law) []string { return l.Unlike(d) })...)
}

// Unlike says where what was found is not what the contract says of the claim.
func (l *Law) Unlike(d *ap.Design) []string {
	for _, s := range subjects(d) {
		switch {
		case s.claim != l.Claim:
		case s.law != nil:
			return l.problems(s.law)
		case s.role != nil:
			return l.problems(&ap.Law{Broken: patternsOf(s.role.Reach.Broken), ByFlow: s.role.Reach.ByFlow})
		}
	}
	return l.problems(&ap.Law{Broken: patternsOf(d.Validity)})
}
