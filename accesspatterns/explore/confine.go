package explore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/accesspatterns/validate"
)

// confinement is the search for a request by which a role reaches what it may not. One client acts; what the others
// have was there before its first request, and so is whose it is.
type confinement struct {
	*flows
	gathered

	role  *ap.Role
	law   *Law
	reads []*readRequest
	// gates are the entities whose items decide how a flow goes on, or whether a transaction does.
	gates map[string]bool
	// broken and byFlow are the first counterexample of each pattern, by single requests and by its flow.
	broken, byFlow map[string]Counterexample
	// touched are the patterns that have owned items, moved those of which a request was answered.
	touched, moved map[string]bool
}

// scene is a state of the tables, with the items that the client may not reach.
type scene struct {
	state state
	start state
	// hidden are the keys of items that must not be returned, fixed of those that must not change.
	hidden, fixed map[int32]bool
	// reached are the users whose items the client may.
	reached []string
	by      []*move
	// led says that an item of the client's own leads to another's; nothing is tried behind a request then.
	led bool
}

// trail are the requests of a flow so far, and the keys of what they returned.
type trail struct {
	requests []Request
	met      []int32
}

// maxScenes bounds the states behind one request of the client's own, from each start.
const maxScenes = 600

// confine explores what a role reaches.
func (x *explorer) confine(role *ap.Role) *Law {
	k := &confinement{
		flows: newFlows(x, client{role: role.ID}), gathered: gathered{texts: map[string]bool{}}, role: role, gates: map[string]bool{},
		broken: map[string]Counterexample{}, byFlow: map[string]Counterexample{}, touched: map[string]bool{}, moved: map[string]bool{},
		law: &Law{Claim: confined + role.ID, Formula: role.Confines(), Depth: 2},
	}
	k.still = true
	if role.Confined != nil || role.Actor != "" {
		k.by.user = x.universe.of(x.user)[0]
	}
	steps := lists.Where(x.steps, func(w *patternStep) bool { return slices.Contains(w.pattern.Roles, role.ID) })
	x.narrow(nil, steps)
	k.write(steps)
	k.read()
	k.law.Cone = lists.Sorted(k.law.Cone)
	k.explore()
	return k.law.report(k.touched, k.broken, k.byFlow, k.moved)
}

// owned reports whether an entity's items are some user's.
func owned(e *ap.Entity) bool { return e != nil && e.Owner != nil && e.Owner.Nobody == "" }

// write makes the writes of the role.
func (k *confinement) write(steps []*patternStep) {
	for _, w := range steps {
		c := &cone{of: map[string]map[string]role{}, few: true}
		for a := range lists.Each(w.step.Write) {
			for _, e := range k.x.universe.entitiesOf(a) {
				c.add(e.ID, ofLaw)
				if e.Owner != nil { // whose an item becomes
					c.add(e.ID, ofCondition, slices.DeleteFunc(append(slices.Clone(e.Owner.By), e.Owner.Author), func(name string) bool { _, is := e.Attribute(name); return !is })...)
				}
				k.law.Cone = append(k.law.Cone, e.ID)
				if owned(e) && a.Kind != ap.ConditionCheck {
					k.touched[w.pattern.ID] = true
				}
				if a.Kind == ap.ConditionCheck || len(a.Condition) > 0 && len(w.step.Write) > 1 {
					k.gates[e.ID] = true
				}
			}
		}
		k.x.conditions(w.step, c, ofCondition)
		k.gather(w, c, true, &k.gathered, k.law)
	}
}

// read makes the reads of the role.
func (k *confinement) read() {
	for p := range lists.Each(k.x.design.Patterns) {
		if !slices.Contains(p.Roles, k.role.ID) {
			continue
		}
		for at := range p.Steps {
			step := &p.Steps[at]
			if step.Read == nil {
				continue
			}
			for _, e := range k.x.design.ReturnedBy(step.Read) {
				k.law.Cone = append(k.law.Cone, e.ID)
				if owned(e) {
					k.touched[p.ID] = true
				}
				k.gates[e.ID] = k.gates[e.ID] || at < len(p.Steps)-1
			}
			k.reads = append(k.reads, lists.Where(k.requests(p, at, ap.Params{}), func(one *readRequest) bool { return one.input != nil })...)
		}
	}
}

// belongings are the items of an entity of every user: of an author of each kind, and in an item that leads from one user to another
// each with each. The ids beside the users' are each user's own, or each the other's.
func (k *confinement) belongings(e *ap.Entity, theirs bool) (all []ap.Item) {
	u := k.x.universe
	parameters := u.idsOf(e)
	isUser := func(name string) bool { return k.x.user != "" && u.kind(name) == k.x.user }
	var users []string // parameters and attributes that hold a user's id
	if e.Owner != nil {
		users = append(users, e.Owner.By...)
		if e.Owner.Author != "" {
			users = append(users, e.Owner.Author)
		}
	}
	users = lists.With(users, lists.Where(parameters, isUser)...)
	free := len(users)
	if e.Owner != nil && e.Owner.Through != "" {
		free++ // whose it is goes by the id of the item that says so
	}
	free = max(free, 1)
	ids := []string{"user1", "user10"}
	if k.x.user != "" {
		ids = u.of(k.x.user)
	}
	for n := range 1 << free {
		params, attributes := ap.Params{}, map[string]types.AttributeValue{}
		for i, name := range users {
			value := ids[n>>i&1]
			if slices.Contains(parameters, name) {
				params[name] = value
			}
			if of, is := e.TypeOf(name); is && (of == dynamo.String || of == "") {
				attributes[name] = dynamo.Scalar(dynamo.String, value)
			}
		}
		for _, p := range parameters {
			if params[p] != "" {
				continue
			}
			values, which := u.of(p), n&1
			if e.Owner != nil && e.Owner.Author != "" && p != e.Owner.Of {
				which = n >> (slices.Index(users, e.Owner.Author)) & 1
			} else if e.Owner != nil && p == e.Owner.Of {
				which = n >> (free - 1) & 1
			}
			switch {
			case theirs:
				which = 1 - which
			case k.fixedKind(p):
				which = 0
			}
			params[p] = values[min(which, len(values)-1)]
		}
		asked := maps.Clone(attributes) // what an index is asked for has its usual value
		for i := range e.Keys {
			for _, p := range e.Keys[i].Template.Parameters() {
				if name := e.Keys[i].Bound(p); !theirs && isUser(p) && params[p] == "" && asked[name] == nil { // and leads to the other user
					if of, is := e.TypeOf(name); is && (of == dynamo.String || of == "") {
						attributes[name] = dynamo.Scalar(dynamo.String, ids[1-n&1])
						asked[name] = attributes[name]
					}
				}
				if a, is := e.Attribute(e.Keys[i].Bound(p)); is && !isUser(p) && asked[a.Name] == nil && params[p] == "" {
					values := u.of(p)
					value := values[0]
					switch {
					case len(a.Allowed) > 0:
						value = a.Allowed[0]
					case theirs:
						value = values[min(1, len(values)-1)]
					}
					asked[a.Name] = dynamo.Scalar(a.Type, value)
				}
			}
		}
		bases := len(u.basesOf(e))
		for n := range 2 * bases { // the base with most attributes
			with := asked
			if n >= bases {
				with = attributes
			}
			if item, valid := k.x.itemOf(e, bases-1-n%bases, params, with); valid {
				all = append(all, item)
				break
			}
		}
	}
	return all
}

// starts are the states that the client begins with: all that all users have, the same with one of the links between users or
// none, what others have alone, the first with items of the client's own that name another's ids, the first with what each
// step's conditions ask for, and with what each list by a literal does.
func (k *confinement) starts() (all []*scene) {
	var whole state
	for e := range lists.Each(k.x.design.Entities) {
		for _, item := range k.belongings(e, false) {
			whole = k.x.put(whole, e.Table, item)
		}
	}
	known := map[mark]bool{}
	add := func(s state) {
		if at := s.mark(); !known[at] {
			known[at] = true
			all = append(all, k.scene(s))
		}
	}
	for _, r := range k.reads { // and what a read names by a key of its own
		read := r.pattern.Steps[r.at].Read
		table, _ := k.x.design.Table(read.Table)
		key, literal := keyRead(r, table), read.Sort != nil && len(read.Sort.Value.Template.Parameters()) == 0
		if key == nil || !literal || whole.at(k.x.keyOf(table.ID, key)) != none {
			continue
		}
		for _, e := range k.x.design.EntitiesOf(table.ID, key)[:min(1, len(k.x.design.EntitiesOf(table.ID, key)))] {
			if params, _ := validate.ParseKeys(e, key); owned(e) {
				whole = k.x.have(whole, e, 0, params, nil)
			}
		}
	}
	add(whole)
	asked := map[*ap.Read]bool{}
	for _, r := range k.reads {
		if read := r.pattern.Steps[r.at].Read; !asked[read] {
			asked[read] = true
			add(k.listed(whole, read))
		}
	}
	linked := func(p place) bool {
		e := k.x.items[p.item].entity
		return slices.ContainsFunc(k.role.Reach.Linked, func(l ap.Link) bool { return e != nil && l.Entity == e.ID })
	}
	for _, link := range whole { // one link alone, which leads one way
		if linked(link) {
			add(slices.DeleteFunc(slices.Clone(whole), func(p place) bool { return linked(p) && p != link }))
		}
	}
	add(slices.DeleteFunc(slices.Clone(whole), linked))
	add(slices.DeleteFunc(slices.Clone(whole), func(p place) bool {
		e := k.x.items[p.item].entity
		return owned(e) && slices.Contains(k.owners(whole, p, 0), k.by.user)
	}))
	for i := range k.x.design.Entities { // what is the client's own, and leads to what is another's
		e, led := &k.x.design.Entities[i], slices.Clone(whole)
		for _, item := range k.belongings(e, true) {
			p := place{k.x.keyOf(e.Table, item), k.x.number(e.Table, item)}
			if of := k.owners(whole, p, 0); len(of) > 0 && !slices.ContainsFunc(of, func(id string) bool { return id != k.by.user }) && !all[0].fixed[p.key] {
				led = led.with(p.key, p.item)
			}
		}
		n := len(all)
		add(led)
		for _, start := range all[n:] {
			start.led = true
		}
	}
	for _, w := range k.x.steps { // one that could not be carried out, and those by each of whose actions what is another's changes
		var first state
		shown := map[[2]int]bool{}
		shows := func(sc *scene, m *move) (more bool) {
			_, carried := k.x.apply(sc.state, m)
			for at := -1; carried && at < len(m.writes); at++ {
				if is := [2]int{len(m.writes), at}; !shown[is] && (at < 0 || k.changesAt(sc, m, at)) {
					shown[is], more = true, true
				}
			}
			return more
		}
		for _, m := range k.tied[w.String()] {
			shows(all[0], m)
		}
		for _, m := range k.tied[w.String()] {
			if len(k.x.readyFor(m, nil, nil)) == 0 {
				continue
			}
			ready := k.x.readyFor(m, whole, nil)
			if first == nil {
				first = ready
			}
			if shows(k.scene(ready), m) {
				add(ready)
			}
		}
		if len(shown) == 0 && first != nil {
			add(first)
		}
	}
	return all
}

// listed are the items of a state, those that a read may return with what its literals ask for. They stay their owners'.
func (k *confinement) listed(of state, read *ap.Read) state {
	asks := literals(read)
	table, _ := k.x.design.Table(read.Table)
	input, err := sdk.Read(&ap.Read{Operation: dynamo.Scan, Table: table.ID, Filter: asks}, table, table.ID, nil)
	if err != nil || len(asks) == 0 {
		return of
	}
	scan := input.(*dynamodb.ScanInput)
	with := slices.Clone(of)
	for _, p := range of {
		e, item := k.x.items[p.item].entity, k.x.items[p.item].item
		if e == nil || !read.MayReturn(e) {
			continue
		}
		stay, may := values{}, values{}
		for i := range e.Attributes {
			name := e.Attributes[i].Name
			if item[name] == nil || k.x.design.PrimaryKey(e).Has(name) {
				continue
			}
			if may[name] = item[name]; slices.Contains(e.Owner.Names(), name) {
				stay[name] = item[name]
			}
		}
		params, _ := validate.ParseKeys(e, item)
		for _, params := range append([]ap.Params{params}, literalsOfSort(read, e, params)...) {
			d := k.x.demandOf(&sdk.Write{Condition: scan.FilterExpression, Names: scan.ExpressionAttributeNames, Values: scan.ExpressionAttributeValues, Key: table.KeyOf(item)}, e, nil)
			d.params = params
			if met, _ := evaluate.Condition(&d.condition, d.source, item); met {
				break
			}
			if asked, is := d.item(stay, may); is {
				with = k.x.put(with, e.Table, asked)
				break
			}
		}
	}
	return with
}

// literals are the conditions of a read, on its key and of its filter, that name no parameter.
func literals(read *ap.Read) (all []ap.Condition) {
	for _, condition := range slices.Concat(read.KeyConditions(), read.Filter) {
		var literal []ap.Condition
		for _, one := range condition.Alternatives() {
			if !slices.ContainsFunc(one.Operands(), func(of ap.Operand) bool { return len(of.Template.Parameters()) > 0 }) {
				literal = append(literal, one)
			}
		}
		switch len(literal) {
		case 0:
		case 1:
			all = append(all, literal[0])
		default:
			all = append(all, ap.Condition{Any: literal})
		}
	}
	return all
}

// literalsOfSort are the parameters of an item with those of its sort key by which a read of the table finds it that asks for a literal there:
// first those with which it stays its owners', and then those where the literal names the owner.
func literalsOfSort(read *ap.Read, e *ap.Entity, params ap.Params) (all []ap.Params) {
	if read.Index != "" || read.Sort == nil || len(read.Sort.Value.Template.Parameters()) > 0 {
		return nil
	}
	key, _ := e.Key(read.Sort.Attribute)
	for _, text := range begun(key.Template, string(read.Sort.Value.Template)) {
		if parsed, err := key.Template.Parse(text); err == nil {
			with := maps.Clone(params)
			maps.Copy(with, parsed)
			owners := maps.Clone(with)
			for _, name := range e.Owner.Names() {
				if own, is := params[name]; is {
					owners[name] = own
				}
			}
			all = append(all, owners, with)
		}
	}
	return all
}

// keyRead is the primary key that a read names, nil where it names none.
func keyRead(r *readRequest, table *ap.Table) ap.Item {
	query, is := r.input.(*dynamodb.QueryInput)
	if !is {
		lookups, _ := sdk.Lookups(r.input) // which the guard has admitted
		return lookups[0].Key
	}
	key, err := sdk.BoundKeys(query)
	if err != nil || query.IndexName != nil || len(key) < len(table.Keys()) {
		return nil
	}
	return key
}

// value is the parameter or attribute of that name of an item.
func (k *confinement) value(p place, name string) string {
	h := &k.x.items[p.item]
	if h.entity == nil {
		return ""
	}
	if h.params == nil {
		h.params, _ = validate.ParseKeys(h.entity, h.item)
	}
	return cmp.Or(h.params[name], dynamo.ScalarText(h.item[name]))
}

// maxThrough bounds how many items lead to the owner of another.
const maxThrough = 4

// owners are the users whose an item is.
func (k *confinement) owners(s state, p place, through int) (all []string) {
	h := &k.x.items[p.item]
	if !owned(h.entity) || through == maxThrough {
		return nil
	}
	owner := h.entity.Owner
	for _, name := range owner.By {
		if id := k.value(p, name); id != "" {
			all = append(all, id)
		}
	}
	if owner.Through == "" {
		return all
	}
	of := k.value(p, owner.Of)
	for _, other := range s {
		if e := k.x.items[other.item].entity; e != nil && e.ID == owner.Through && k.value(other, owner.Of) == of {
			all = append(all, k.owners(s, other, through+1)...)
		}
	}
	return all
}

// scene says which items of a state the client must not reach.
func (k *confinement) scene(s state) *scene {
	sc := &scene{state: s, start: s, hidden: map[int32]bool{}, fixed: map[int32]bool{}}
	if k.by.user != "" {
		sc.reached = append(sc.reached, k.by.user)
	}
	for _, p := range s {
		for _, link := range k.role.Reach.Linked {
			if e := k.x.items[p.item].entity; e != nil && e.ID == link.Entity && k.value(p, link.From) == k.by.user {
				sc.reached = append(sc.reached, k.value(p, link.To))
			}
		}
	}
	for _, p := range s {
		e := k.x.items[p.item].entity
		if !owned(e) || slices.Contains(k.role.Reach.AllOf, e.ID) {
			continue
		}
		owners := k.owners(s, p, 0)
		if len(owners) == 0 {
			continue // nobody knows whose it is
		}
		author := ""
		if e.Owner.Author != "" {
			author = k.value(p, e.Owner.Author)
		}
		isReached := slices.ContainsFunc(owners, func(id string) bool { return slices.Contains(sc.reached, id) })
		own := k.by.user != "" && (author == k.by.user || slices.Contains(owners, k.by.user))
		sc.hidden[p.key] = !isReached && !own
		sc.fixed[p.key] = !own && (author != "" || !isReached)
	}
	return sc
}

// explore tries every request and every flow in the starts, and those of several requests or actions behind each request of the
// client's own that may change how they go.
func (k *confinement) explore() {
	starts := k.starts()
	k.law.Starts, k.law.Moves = len(starts), len(k.moves)+len(k.reads)
	known := lists.Set(starts, func(start *scene) mark { return start.state.mark() })
	for _, start := range starts {
		k.try(start, false)
		if start.led {
			continue
		}
		scenes := 0
		for _, m := range k.moves {
			if !k.opens(m) {
				continue
			}
			next, done := k.x.apply(start.state, m)
			if !done || k.changes(start, m) || known[next.mark()] {
				continue
			}
			if scenes++; scenes > maxScenes {
				k.law.Cut = append(k.law.Cut, fmt.Sprintf("%d states behind one request", maxScenes))
				break
			}
			known[next.mark()] = true
			k.try(&scene{state: next, start: start.start, hidden: start.hidden, fixed: start.fixed, reached: start.reached, by: []*move{m}}, true)
		}
	}
	k.law.States = len(known)
}

// opens reports whether a move writes an item that decides how a flow or a transaction goes.
func (k *confinement) opens(m *move) bool {
	for _, write := range m.writes {
		for _, e := range k.x.writes[write].of {
			if k.x.writes[write].Kind != ap.ConditionCheck && k.gates[e.ID] {
				return true
			}
		}
	}
	return false
}

// changes reports whether a move writes an item that the client must not change.
func (k *confinement) changes(sc *scene, m *move) bool {
	for at := range m.writes {
		if k.changesAt(sc, m, at) {
			return true
		}
	}
	return false
}

// changesAt reports whether one write of a move does.
func (k *confinement) changesAt(sc *scene, m *move, at int) bool {
	return k.x.writes[m.writes[at]].Kind != ap.ConditionCheck && sc.fixed[m.keys[at]]
}

// wrongs says what a move does that the client may not; empty where it may all of it.
func (k *confinement) wrongs(sc *scene, m *move, left []int32) string {
	if k.changes(sc, m) {
		return "changes or removes what is another's"
	}
	for i, key := range m.keys {
		item, was := left[i], sc.state.at(key)
		if item == was || item == none || len(sc.reached) == 0 {
			continue
		}
		e, p := k.x.items[item].entity, place{key, item}
		if !owned(e) || slices.Contains(k.role.Reach.AllOf, e.ID) {
			continue
		}
		if owners := k.owners(sc.state, p, 0); len(owners) > 0 && !slices.ContainsFunc(owners, func(id string) bool { return slices.Contains(sc.reached, id) }) {
			return "leaves an item that is another's"
		}
		if author := e.Owner.Author; author != "" && k.value(p, author) != k.by.user && k.value(p, author) != k.value(place{key, was}, author) {
			return "leaves an item in another's name"
		}
	}
	return ""
}

// try sends every request in a scene, and goes through every flow; behind a request of the client's own those of several
// actions or requests alone.
func (k *confinement) try(sc *scene, behind bool) {
	var left []int32
	for _, m := range k.moves {
		if behind && len(m.writes) == 1 {
			continue
		}
		k.law.Edges++
		var done bool
		if left, done = k.x.leaves(sc.state, m, left); !done {
			continue
		}
		for _, p := range m.patterns {
			k.moved[p] = true
		}
		if wrong := k.wrongs(sc, m, left); wrong != "" {
			k.note(k.broken, m.patterns, sc, wrong, m.input, m.patterns, trail{met: m.keys})
			k.note(k.byFlow, k.single(m.patterns), sc, wrong, m.input, m.patterns, trail{met: m.keys})
		}
	}
	if !behind {
		for _, r := range k.reads {
			k.look(sc, r, k.broken, r.patterns, trail{})
			k.look(sc, r, k.byFlow, k.single(r.patterns), trail{})
		}
	}
	for p := range lists.Each(k.x.design.Patterns) {
		if slices.Contains(p.Roles, k.role.ID) && k.touched[p.ID] && len(p.Steps) > 1 {
			if _, known := k.byFlow[p.ID]; known && k.moved[p.ID] {
				continue
			}
			k.follow(sc, k.begun(p), trail{}, map[string]bool{})
		}
	}
}

// single are those of some patterns that are one request, which is all of their flow.
func (k *confinement) single(patterns []string) []string {
	return slices.DeleteFunc(slices.Clone(patterns), func(id string) bool {
		p, _ := k.x.design.Pattern(id)
		return len(p.Steps) > 1
	})
}

// note keeps the first counterexample of each pattern: its requests, and of the items those that they met or that say whose one of
// them is.
func (k *confinement) note(in map[string]Counterexample, patterns []string, sc *scene, why string, input any, of []string, before trail) {
	patterns = slices.DeleteFunc(slices.Clone(patterns), func(p string) bool { _, known := in[p]; return known })
	if len(patterns) == 0 {
		return
	}
	keys := slices.Clone(before.met)
	for _, m := range sc.by {
		keys = append(keys, m.keys...)
	}
	for n := 0; n < len(keys); n++ {
		item := sc.start.at(keys[n])
		if e := k.x.items[item].entity; e != nil && e.Owner != nil && e.Owner.Through != "" {
			for _, other := range sc.start {
				of := k.x.items[other.item].entity
				if of != nil && of.ID == e.Owner.Through && k.value(other, e.Owner.Of) == k.value(place{keys[n], item}, e.Owner.Of) && !slices.Contains(keys, other.key) {
					keys = append(keys, other.key)
				}
			}
		}
	}
	start := slices.DeleteFunc(slices.Clone(sc.start), func(p place) bool { return !slices.Contains(keys, p.key) })
	c := k.x.counterexample(patterns, sc.by, start, why)
	c.Requests = append(c.Requests, before.requests...)
	c.Requests = append(c.Requests, sends(k.by.String(), input, of))
	for _, p := range patterns {
		in[p] = c
	}
}

// look carries out a read, notes what it returns of others, and gives the keys of all that it returns.
func (k *confinement) look(sc *scene, r *readRequest, in map[string]Counterexample, patterns []string, before trail) (met []int32) {
	k.law.Edges++
	found := k.returned(sc.state, r)
	if len(found) > 0 {
		for _, p := range r.patterns {
			k.moved[p] = true
		}
	}
	step := &r.pattern.Steps[r.at]
	table, _ := k.x.design.Table(step.Read.Table)
	met = lists.Map(found, func(item ap.Item) int32 { return k.x.keyOf(table.ID, item) })
	for i, key := range met {
		if sc.hidden[key] && k.discloses(step.Read, sc.state.at(key)) {
			k.note(in, patterns, sc, "returns of what is another's: "+dynamo.ShowItem(table.KeyOf(found[i])), r.input, r.patterns, trail{before.requests, append(slices.Clone(before.met), key)})
			break
		}
	}
	return met
}

// discloses reports whether a read returns more of an item than everybody may be returned.
func (k *confinement) discloses(read *ap.Read, item int32) bool {
	h := &k.x.items[item]
	names := read.Projection
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(h.item))
	}
	shown := h.entity.Owner.Shown
	return len(shown) == 0 || slices.ContainsFunc(names, func(name string) bool {
		top, _, _ := strings.Cut(name, ".")
		_, isKey := h.entity.Key(name)
		return !isKey && !slices.Contains(shown, name) && !slices.Contains(shown, top)
	})
}

// follow goes on through a flow in a scene, with every value of what the client chooses; what it writes does not change the scene.
func (k *confinement) follow(sc *scene, pr *process, before trail, known map[string]bool) {
	if text := string(pr.appendText(nil)); !known[text] {
		known[text] = true
		for _, t := range pr.next(sc.state) {
			sent := trail{slices.Clone(before.requests), slices.Clone(before.met)}
			if t.write != nil {
				left, done := k.x.leaves(sc.state, t.write, nil)
				if !done {
					continue
				}
				if wrong := k.wrongs(sc, t.write, left); wrong != "" {
					k.note(k.byFlow, []string{pr.p.ID}, sc, wrong, t.write.input, t.write.patterns, trail{sent.requests, slices.Concat(sent.met, t.write.keys)})
				}
			}
			for _, r := range t.reads {
				met := k.look(sc, r, k.byFlow, []string{pr.p.ID}, sent)
				sent.requests, sent.met = append(sent.requests, sends(k.by.String(), r.input, r.patterns)), append(sent.met, met...)
			}
			if t.then != nil {
				k.follow(sc, t.then, sent, known)
			}
		}
	}
}

// report says of patterns what was found: by their single requests, and by their flows.
func (l *Law) report(patterns map[string]bool, broken, byFlow map[string]Counterexample, moved map[string]bool) *Law {
	for _, p := range slices.Sorted(maps.Keys(patterns)) {
		one, by := broken[p]
		flow, byFlow := byFlow[p]
		one.Patterns, flow.Patterns = []string{p}, []string{p}
		switch {
		case byFlow:
			l.Broken = append(l.Broken, flow)
		case by:
			l.ByFlow = append(l.ByFlow, one)
		case moved[p]:
			l.Keepers = append(l.Keepers, p)
		default:
			l.Unmoved = append(l.Unmoved, p)
		}
	}
	return l
}
