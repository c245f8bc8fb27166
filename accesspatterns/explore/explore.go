package explore

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/sdk"
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
	// Broken are the patterns that do not keep the law, each with the shortest list of requests.
	Broken []Counterexample `json:"broken,omitempty"`
	// ByFlow are those of which a single request does not keep the law, and the requests of a client that
	// follows the flow do.
	ByFlow []Counterexample `json:"byFlow,omitempty"`
	// Keepers are the patterns that change what the law reads, and keep it.
	Keepers []string `json:"keepers,omitempty"`
	// Unmoved are patterns in the cone of which no request could be carried out, and Unsure those of
	// which it is not known what a request does.
	Unmoved []string `json:"unmoved,omitempty"`
	Unsure  []string `json:"unsure,omitempty"`
	// Problem says why the formula could not be decided.
	Problem string `json:"problem,omitempty"`
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

	writes    []sdk.Write
	of        [][]*ap.Entity // the entities that each of the writes may be of
	writeIDs  map[string]int32
	keyIDs    map[string]int32
	keyTables []string
	keyItems  []int32 // how many items each key has had
	items     []held
	itemIDs   map[string]int32
	effects   [][]int32 // what each write leaves of each item of its key
	// made are the items of the universe, valid says of which entity those of them are that are valid.
	made  map[string]held
	valid map[uintptr]string
	// whole explores without a cone: every write, every attribute.
	whole bool
}

func newExplorer(d *ap.Design, items []Item, only ...string) (*explorer, error) {
	whole := d
	if only != nil {
		part := *d
		part.Patterns = slices.DeleteFunc(slices.Clone(d.Patterns), func(p ap.Pattern) bool { return !slices.Contains(only, p.ID) })
		d = &part
	}
	x := &explorer{
		design: d, universe: newUniverse(whole, items), steps: stepsOf(d), guards: map[client]*guard.Guard{}, judged: map[string][]string{},
		writeIDs: map[string]int32{}, keyIDs: map[string]int32{}, itemIDs: map[string]int32{}, made: map[string]held{}, valid: map[uintptr]string{},
		items: []held{{}},
	}
	x.user = x.universe.user()
	_, err := x.guardOf(client{})
	return x, err
}

// confined begins the id of the claim that a role reaches no further than it may, before the role.
const confined = "confinement/"

// Validity is the id of the claim that documented writes leave valid items.
const Validity = "validity"

// patternsOf are the patterns of all breaches.
func patternsOf(all []ap.Breach) (patterns []string) {
	for _, breach := range all {
		patterns = append(patterns, breach.Patterns...)
	}
	return patterns
}

// Claims are the ids of what is explored of a design, without its name: its laws, what each role reaches, and whether
// what is left is valid.
func Claims(d *ap.Design) []string {
	claims, _ := laws(d)
	for i := range d.Policies.Roles {
		if role := &d.Policies.Roles[i]; role.Reach.Explored() {
			claims = append(claims, confined+role.ID)
		}
	}
	if d.Valid() != "" {
		claims = append(claims, Validity)
	}
	return claims
}

// One explores one claim of a design. items are valid items of its entities, from which those of the universe are made.
func One(d *ap.Design, items []Item, b Budget, claim string) (*Law, error) {
	x, err := newExplorer(d, items, b.Only...)
	if err != nil {
		return nil, err
	}
	law, err := x.one(claim, b)
	if err == nil {
		law.Items, law.Universe = len(x.items)-1, x.valuesOf(law.Cone)
	}
	return law, err
}

// valuesOf lists the values of what a cone holds: "taskId: task1, task10", "task.status: Done, none".
func (x *explorer) valuesOf(cone []string) (all []string) {
	for _, of := range cone {
		id, attributes, _ := strings.Cut(of, ": ")
		e, _ := x.design.Entity(id)
		for _, parameter := range parametersOf(e) {
			all = append(all, parameter+": "+strings.Join(x.universe.of(parameter), ", "))
		}
		for _, name := range strings.Split(attributes, ", ") {
			var texts []string
			for _, value := range x.universe.domain(e, name) {
				texts = append(texts, showValue(value))
			}
			if len(texts) > 0 {
				all = append(all, id+"."+name+": "+strings.Join(texts, ", "))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (x *explorer) one(claim string, b Budget) (law *Law, err error) {
	d := x.design
	claims, all := laws(d)
	switch at := slices.Index(claims, claim); {
	case at >= 0:
		f := &formula{Law: all[at]}
		if f.reads, f.constants, f.acts, err = f.Law.Read(); err != nil {
			return nil, err
		}
		return x.explore(claim, f, b), nil
	case claim == Validity:
		return x.validity(), nil
	}
	for i := range d.Policies.Roles {
		if role := &d.Policies.Roles[i]; role.Reach.Explored() && confined+role.ID == claim {
			return x.confine(role), nil
		}
	}
	return nil, fmt.Errorf("nothing to explore of %s", claim)
}

// Run explores all claims of a design, as many at a time as there are processors.
func Run(d *ap.Design, items []Item, b Budget) (*Report, error) {
	claims := Claims(d)
	report := &Report{Design: d.Name, Laws: make([]*Law, len(claims))}
	problems := make([]error, len(claims))
	var running sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range claims {
		running.Add(1)
		go func() {
			defer running.Done()
			free <- struct{}{}
			defer func() { <-free }()
			report.Laws[i], problems[i] = One(d, items, b, claims[i])
		}()
	}
	running.Wait()
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
		for _, user := range users {
			all = append(all, client{role, user})
		}
	}
	return all
}

// asksUsers reports whether a formula tells users apart.
func (x *explorer) asksUsers(law *formula) bool {
	if law.acts {
		return true
	}
	for entity, names := range law.reads {
		e, _ := x.design.Entity(entity)
		for _, name := range names {
			parameter, isKey := strings.CutPrefix(name, "key.")
			if a, is := e.Attribute(name); is && a.Refers != "" {
				parameter, isKey = a.Refers, true
			}
			if (isKey || x.universe.isParameter(name)) && x.universe.kind(parameter) == x.user {
				return true
			}
		}
	}
	return false
}

// maxRounds bounds how often patterns are set aside and the search begins anew.

const maxRounds = 12

func (x *explorer) explore(claim string, law *formula, b Budget) *Law {
	c := x.coneOf(law.reads)
	if x.whole {
		c = x.everything(c)
	}
	x.narrow(law, c.steps)
	report := &Law{Claim: claim, Formula: law.Text, Cone: c.list()}
	s := &search{x: x, law: law, aside: map[string]bool{}, seen: map[string]int32{}, judged: map[judgement]bool{}}
	for i := range x.design.Invariants {
		if "invariant/"+x.design.Invariants[i].ID == claim {
			s.flow = x.design.Invariants[i].Flow
		}
	}
	users := x.asksUsers(law)
	relevant := map[string]bool{}
	seen := map[string]bool{}
	for _, w := range c.steps {
		if c.core[w] {
			relevant[w.pattern.ID] = true
		}
		for _, by := range x.clients(law, w.pattern) {
			moves, cut := x.movesOf(w, c, by, users)
			for _, m := range moves {
				text := by.role + "\x00" + by.user + "\x00" + moveText(m)
				if !seen[text] {
					seen[text] = true
					s.moves = append(s.moves, m)
				}
			}
			if cut && !slices.Contains(report.Cut, w.String()) {
				report.Cut = append(report.Cut, w.String())
			}
		}
	}
	starts := x.starts(s, c)
	report.Starts, report.Moves = len(starts), len(s.moves)
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
	report.States, report.Edges, report.Depth = len(s.nodes), s.edges, s.complete
	moved, unsure := map[string]bool{}, map[string]bool{}
	for i, m := range s.moves {
		for _, p := range m.patterns {
			moved[p] = moved[p] || s.applied[i]
			unsure[p] = unsure[p] || s.unsure[i]
		}
	}
	for _, p := range slices.Sorted(maps.Keys(relevant)) {
		switch {
		case s.aside[p]:
		case moved[p]:
			report.Keepers = append(report.Keepers, p)
		default:
			report.Unmoved = append(report.Unmoved, p)
		}
		if unsure[p] && !s.aside[p] {
			report.Unsure = append(report.Unsure, p)
		}
	}
	if s.problem != nil {
		report.Problem = s.problem.Error()
	}
	return report
}

func moveText(m *move) string {
	var text []byte
	for i := range m.writes {
		text = fmt.Appendf(text, "%d ", m.writes[i])
	}
	return string(text)
}

// starts are the states that a search begins with: none of the items, one of each entity, the same without one of
// them, two of each, one of each with what the first request of a step asks for, and one of each with another value of
// an attribute that the law reads. Those that break the law are no starts.
func (x *explorer) starts(s *search, c *cone) (all []state) {
	known := map[string]bool{}
	entities := slices.Sorted(maps.Keys(c.of))
	take := func(st state) (holds bool) {
		holds = s.law.Keeps || s.holds(nil, st, 0, 0)
		if text := st.text(); holds && !known[text] {
			known[text] = true
			all = append(all, st)
		}
		return holds
	}
	of := func(items map[string][]ap.Item) (st state) {
		for _, id := range slices.Sorted(maps.Keys(items)) {
			e, _ := x.design.Entity(id)
			for _, item := range items[id] {
				if item != nil {
					st = st.with(x.keyOf(e.Table, item), x.number(e.Table, item))
				}
			}
		}
		return st
	}
	add := func(items map[string][]ap.Item) { take(of(items)) }
	one := func(id string, params ap.Params, attributes map[string]types.AttributeValue) ap.Item {
		e, _ := x.design.Entity(id)
		item, valid := x.itemOf(e, 0, params, attributes)
		if !valid {
			return nil
		}
		return item
	}
	each := map[string][]ap.Item{}
	for _, id := range entities {
		each[id] = []ap.Item{one(id, nil, nil)}
	}
	add(nil)
	add(each)
	whole := of(each)
	beside := slices.DeleteFunc(slices.Clone(whole), func(p place) bool { // what the law does not read
		_, read := s.law.reads[x.items[p.item].entity.ID]
		return read
	})
	for _, id := range entities {
		without := maps.Clone(each)
		delete(without, id)
		add(without)
	}
	others := []bool{false} // whether the second of each kind is another user's
	if x.asksUsers(s.law) {
		others = append(others, true)
	}
	for _, users := range others {
		two := maps.Clone(each)
		for _, id := range entities {
			e, _ := x.design.Entity(id)
			params := ap.Params{}
			for _, p := range parametersOf(e) {
				if values := x.universe.of(p); len(values) > 1 && (users || x.universe.kind(p) != x.user) {
					params[p] = values[1]
				}
			}
			two[id] = append(slices.Clone(two[id]), one(id, params, nil))
		}
		add(two)
	}
	ready := map[*patternStep]bool{}
	for _, m := range s.moves {
		if ready[m.step] || !m.tied {
			continue
		}
		ready[m.step] = true
		from := x.readyFor(m, whole)
		if !take(from) { // one of each may break the law, and what the request asks for not
			from = x.readyFor(m, beside)
			take(from)
		}
		if !c.core[m.step] || slices.Equal(from, whole) {
			continue
		}
		for i, key := range m.keys { // what it changes or checks, with other values of what the law reads
			if h := &x.items[from.at(key)]; h.entity != nil && x.writes[m.writes[i]].Kind != ap.Put {
				for _, varied := range x.varied(s.law, h) {
					take(slices.Clone(from).with(key, x.number(h.entity.Table, varied)))
				}
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.law.reads)) {
		for _, item := range each[id] {
			if item == nil {
				continue
			}
			e, _ := x.design.Entity(id)
			for _, varied := range x.varied(s.law, &held{item: item, entity: e}) {
				with := maps.Clone(each)
				with[id] = []ap.Item{varied}
				add(with)
			}
		}
	}
	return all
}

// varied are an item with each other value of each attribute that the law reads.
func (x *explorer) varied(law *formula, h *held) (all []ap.Item) {
	params, _ := validate.ParseKeys(h.entity, h.item)
	attributes := map[string]types.AttributeValue{}
	for i := range h.entity.Attributes { // what conditions ask for stays
		name := h.entity.Attributes[i].Name
		if _, asked := x.universe.asked[h.entity.ID+"."+name]; asked || x.universe.named[h.entity.ID+"."+name] != nil {
			attributes[name] = h.item[name]
		}
	}
	for _, name := range law.reads[h.entity.ID] {
		for _, value := range x.universe.domain(h.entity, name) {
			with := maps.Clone(attributes)
			with[name] = value
			if item, valid := x.itemOf(h.entity, 0, params, with); valid {
				all = append(all, item)
			}
		}
	}
	return all
}

// readyFor adds a state in which a move can be carried out: one of each entity, with what its conditions ask for under its
// keys, as far as equalities tell.
func (x *explorer) readyFor(m *move, base state) state {
	ready := slices.Clone(base)
	for i, number := range m.writes {
		w := &x.writes[number]
		var condition expression.Conjunction
		source := expression.Source{Names: w.Names, Values: w.Values}
		if expression.ParseCondition(aws.ToString(w.Condition), source, &condition) != nil {
			condition = expression.Conjunction{}
		}
		entities := x.of[number]
		if len(entities) == 0 {
			continue
		}
		e := entities[0]
		attributes := map[string]types.AttributeValue{}
		absent := false
		for _, term := range condition.All() {
			name, known := source.TopLevel(term.Path)
			a, isAttribute := e.Attribute(name)
			if _, isKey := e.Key(name); isKey && !x.isKey(e, name) {
				isAttribute = true
			}
			switch {
			case !known || term.Group > 0 || !source.IsAttribute(term.Path, name):
			case term.Op == expression.NotExists && x.isKey(e, name):
				absent = true
			case term.Op == expression.NotExists && isAttribute:
				attributes[name] = nil
			case term.Op == expression.Equal && isAttribute && term.Low.Value != nil:
				attributes[name] = term.Low.Value
			case term.Op == expression.Contains && a != nil && a.Type == dynamo.StringSet && term.Low.Value != nil:
				attributes[name] = &types.AttributeValueMemberSS{Value: []string{dynamo.ScalarText(term.Low.Value)}}
			case term.Op == expression.Contains && a != nil && a.Type == dynamo.List && term.Low.Value != nil:
				attributes[name] = &types.AttributeValueMemberL{Value: []types.AttributeValue{term.Low.Value}}
			}
		}
		if absent {
			ready = ready.with(m.keys[i], none)
			continue
		}
		if w.Kind == ap.Put && len(attributes) == 0 {
			continue
		}
		params, _ := validate.ParseKeys(e, w.Place())
		if there := &x.items[base.at(m.keys[i])]; e.Owner != nil && there.entity == e { // it stays its owner's
			for _, name := range append(slices.Clone(e.Owner.By), e.Owner.Author) {
				if _, demanded := attributes[name]; !demanded && there.item[name] != nil && params[name] == "" {
					attributes[name] = there.item[name]
				}
			}
		}
		if item, valid := x.itemOf(e, 0, params, attributes); valid {
			ready = ready.with(m.keys[i], x.number(w.Table, item))
		}
	}
	return ready
}

// parametersOf are the parameters of an entity's primary and index keys.
func parametersOf(e *ap.Entity) (names []string) {
	for i := range e.Keys {
		names = append(names, e.Keys[i].Template.Parameters()...)
	}
	return names
}

// counterexample writes a list of moves down.
func (x *explorer) counterexample(patterns []string, trace []*move, start state, why string) Counterexample {
	c := Counterexample{Patterns: patterns, Why: why, Items: map[string][]ap.Item{}}
	for _, p := range start {
		table, item := x.keyTables[p.key], x.items[p.item].item
		c.Items[table] = append(c.Items[table], item)
		c.Before = append(c.Before, table+" "+showItem(item))
	}
	for _, m := range trace {
		by := m.client.role
		if m.client.user != "" {
			by += " " + m.client.user
		}
		c.Requests = append(c.Requests, Request{By: by, Of: m.patterns, Sends: Show(m.input), Input: m.input})
	}
	return c
}

// Breakers are the patterns that do not keep the law, sorted.
func (l *Law) Breakers() (all []string) {
	for _, one := range l.Broken {
		all = append(all, one.Patterns...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Problems says where what was found is not what the contract says of a law: who does not keep it. It names a pattern of
// which nothing was tried as well.
func (l *Law) Problems(says *ap.Law) (problems []string) {
	if l.Problem != "" {
		problems = append(problems, fmt.Sprintf("%s: the formula has no value for a state that was explored: %s", l.Claim, l.Problem))
	}
	for _, one := range l.Broken {
		if !slices.ContainsFunc(one.Patterns, func(p string) bool { return !slices.Contains(says.Broken, p) }) {
			continue
		}
		problems = append(problems, fmt.Sprintf("%s: %s does not keep it; give the pattern the condition that does, or name it under not-kept with a finding. %s", l.Claim, strings.Join(one.Patterns, ", "), one))
	}
	return append(problems, l.unfounded(says.Broken)...)
}

// unfounded are the patterns that a contract says break the law and of which no request was found that does, and those of
// which nothing is known.
func (l *Law) unfounded(says []string) (problems []string) {
	found := l.Breakers()
	for _, p := range says {
		if !slices.Contains(found, p) {
			problems = append(problems, fmt.Sprintf("%s: no request of %s was found that breaks it; take the pattern out of not-kept", l.Claim, p))
		}
	}
	for _, p := range l.Unmoved {
		problems = append(problems, fmt.Sprintf("%s: no request of %s could be carried out with the values of the universe, so nothing is known of it", l.Claim, p))
	}
	return problems
}

// reachProblems says where what was found of a role, or of what writes leave, is not what the contract says.
func (l *Law) reachProblems(says, byFlow []string) (problems []string) {
	for _, one := range l.Broken {
		if !slices.Contains(says, one.Patterns[0]) {
			problems = append(problems, fmt.Sprintf("%s: %s does not keep it; give the pattern the condition or the step that does, or name it under not-kept with a finding. %s", l.Claim, one.Patterns[0], one))
		}
	}
	for _, one := range l.ByFlow {
		if !slices.Contains(byFlow, one.Patterns[0]) {
			problems = append(problems, fmt.Sprintf("%s: a single request of %s reaches what it may not, its flow does not; name it under kept-by-flow. %s", l.Claim, one.Patterns[0], one))
		}
	}
	for _, p := range byFlow {
		if !slices.ContainsFunc(l.ByFlow, func(one Counterexample) bool { return one.Patterns[0] == p }) {
			problems = append(problems, fmt.Sprintf("%s: the flow of %s is not what keeps it; take the pattern out of kept-by-flow", l.Claim, p))
		}
	}
	return append(problems, l.unfounded(says)...)
}

// Begins begins the evidence of an exploration.
const Begins = "explored in memory: "

// Evidence says in lines how far the exploration went, what was left out, and the shortest requests that do not keep the claim.
func (l *Law) Evidence() (lines []string) {
	values := 0
	for _, of := range l.Universe {
		values += strings.Count(of, ", ") + 1
	}
	lines = append(lines,
		fmt.Sprintf(Begins+"%d requests that the guard admits, every order of %d of them", l.Moves, l.Depth),
		fmt.Sprintf("states: %d from %d starts, made of %d items and %d values; a request was tried in a state %d times", l.States, l.Starts, l.Items, values, l.Edges),
		"varied: "+strings.Join(l.Cone, "; "),
		fmt.Sprintf("patterns that keep it: %d", len(l.Keepers)))
	if found := l.Breakers(); len(found) > 0 {
		lines = append(lines, "patterns that do not keep it: "+strings.Join(found, ", "))
	}
	if len(l.ByFlow) > 0 {
		lines = append(lines, fmt.Sprintf("patterns of which the flow keeps it and a single request does not: %d", len(l.ByFlow)))
	}
	if len(l.Cut) > 0 {
		lines = append(lines, fmt.Sprintf("steps of which values were tried in pairs, not all with each other: %d", len(l.Cut)))
	}
	for _, one := range l.Broken[:min(len(l.Broken), maxExamples)] {
		lines = append(lines, strings.Join(one.Patterns, ", ")+" does not keep it: "+one.String())
	}
	for _, one := range l.ByFlow[:min(len(l.ByFlow), maxExamples)] {
		lines = append(lines, "a single request of "+strings.Join(one.Patterns, ", ")+" does not keep it: "+one.String())
	}
	return lines
}

// maxExamples bounds the counterexamples of one claim's evidence; `check --json` has all.
const maxExamples = 1

// maxShown bounds the items that a counterexample shows.
const maxShown = 4

// String is the counterexample as the list of its requests, one on each line.
func (c Counterexample) String() string {
	text := "From no items"
	switch n := len(c.Before); {
	case n > maxShown:
		text = fmt.Sprintf("From %d items", n)
	case n > 0:
		text = "From " + strings.Join(c.Before, ", ")
	}
	for i, r := range c.Requests {
		text += fmt.Sprintf("\n      %d. %s (%s)", i+1, r.Sends, strings.Join(r.Of, ", "))
	}
	if c.Why != "" {
		text += "\n      " + c.Why
	}
	return text
}

// Problems are those of all claims.
func (r *Report) Problems(d *ap.Design) (problems []string) {
	for _, l := range r.Laws {
		problems = append(problems, l.Unlike(d)...)
	}
	return problems
}

// Unlike says where what was found is not what the contract says of the claim.
func (l *Law) Unlike(d *ap.Design) []string {
	claims, all := laws(d)
	if at := slices.Index(claims, l.Claim); at >= 0 {
		return l.Problems(all[at])
	}
	if role, is := d.Role(strings.TrimPrefix(l.Claim, confined)); is {
		return l.reachProblems(patternsOf(role.Reach.Broken), role.Reach.ByFlow)
	}
	return l.reachProblems(patternsOf(d.Validity), nil)
}

// String says how far the exploration of the law went, and what it found.
func (l *Law) String() string {
	text := fmt.Sprintf("%s: %d requests from %d starts, %d items, %d states, every order of %d", l.Claim, l.Moves, l.Starts, l.Items, l.States, l.Depth)
	if found := l.Breakers(); len(found) > 0 {
		text += "; not kept by " + strings.Join(found, ", ")
	}
	if len(l.ByFlow) > 0 {
		text += fmt.Sprintf("; kept by the flows of %d patterns and not by their single requests", len(l.ByFlow))
	}
	return text
}
