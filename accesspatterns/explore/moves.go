package explore

import (
	"cmp"
	"context"
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
)

// client is who sends requests.
type client struct{ role, user string }

// String is the client as its requests name it; empty for everybody.
func (c client) String() string { return strings.TrimSpace(c.role + " " + c.user) }

// sends is a request that somebody sends.
func sends(by string, input any, of []string) Request {
	return Request{By: by, Of: of, Sends: Show(input), Input: input}
}

// move is one request that the guard admits.
type move struct {
	// writes and keys are those of the request, as the explorer numbers them.
	writes, keys []int32
	// patterns are all that admit the request, sorted.
	patterns []string
	client   client
	input    any
	// step and params are those that the request was made of; tied says that it has all of its step's
	// ties, as a client sends it that follows the flow.
	step   *patternStep
	params ap.Params
	tied   bool
}

// guardOf is the guard of a client; of everybody where it has no role.
func (x *explorer) guardOf(c client) (*guard.Guard, error) {
	if known, has := x.guards[c]; has {
		return known, nil
	}
	tables := lists.Index(x.design.Tables, func(table ap.Table) (string, string) { return table.ID, table.ID })
	options := []guard.Option{guard.WithTables(tables), guard.AnyRole(), guard.WithItems(x.violations)}
	if c.role != "" {
		options[1] = guard.ForRole(c.role)
	}
	if role, known := x.design.Role(c.role); c.user != "" && known && (role.Confined != nil || role.Actor != "") {
		options = append(options, guard.ForUser(c.user))
	}
	g, err := guard.New(x.design, options...)
	if err != nil {
		return nil, err
	}
	x.guards[c] = g
	return g, nil
}

// admits returns the patterns that admit a request, none where the guard refuses it.
func (x *explorer) admits(c client, input any, text string) []string {
	return lists.Once(x.judged, c.role+"\x00"+c.user+"\x00"+text, func() []string {
		g, err := x.guardOf(c)
		if err != nil {
			return nil
		}
		ctx, _ := guard.NewRead(context.Background())
		decision, _ := g.Check(ctx, input) // of no step where it is refused
		return lists.Sorted(lists.Map(decision.All, func(admission guard.Admission) string { return admission.Pattern }))
	})
}

// assignment gives each place of a request its value.
type assignment struct {
	groups ap.Params
	// of is what each occurrence has.
	of []chosen
}

// chosen is what one occurrence has: parameters that differ from the group's, its attributes, those that an update sends, and the number
// of the item from which its own is made.
type chosen struct {
	own   ap.Params
	attrs values
	edits []string
	base  int
}

func (a *assignment) clone() *assignment {
	b := &assignment{groups: maps.Clone(a.groups), of: slices.Clone(a.of)}
	for i := range b.of {
		b.of[i].own, b.of[i].attrs = maps.Clone(a.of[i].own), maps.Clone(a.of[i].attrs)
	}
	return b
}

func (a *assignment) edit(at int, choice values) {
	a.of[at].edits, a.of[at].attrs = slices.Sorted(maps.Keys(choice)), maps.Clone(choice)
}

// variable is one place of a request with its possible values; the first leaves the usual one.
type variable struct {
	n   int
	set func(to *assignment, value int)
	// loosens says that another value than the first may part what the step ties.
	loosens bool
	// alone says that its values are tried one at a time, with the usual one of every other.
	alone bool
	// group says that it is a parameter of the whole request.
	group bool
	// base says that it is the item from which that of the occurrence at is made. Where no rule ties the
	// attributes of an entity to each other it stays as it is once the guard admits it.
	base bool
	at   int
}

// first is the first value beside the usual one, which of a parameter of the whole request may be any.
func (v *variable) first() int {
	if v.group {
		return 0
	}
	return 1
}

// maxProduct bounds the combinations of one shape of a step. Beyond it all pairs of variables are tried.
const maxProduct = 128

// maxPairs bounds the pairs.
const maxPairs = 192

// maker makes the moves of one step for one law.
type maker struct {
	x      *explorer
	w      *patternStep
	cone   *cone
	client client
	// users says that the ids of users vary.
	users bool
	moves map[string]*move
	order []string
	cut   bool
	// written are the writes of each action, by what they are made of.
	written map[*ap.Action]map[string]int32
	buffer  []byte
}

// movesOf returns the requests of a step that vary what the cone holds, and whether some were left out.
func (x *explorer) movesOf(w *patternStep, c *cone, by client, users bool) (moves []*move, cut bool) {
	m := &maker{x: x, w: w, cone: c, client: by, users: users, moves: map[string]*move{}, written: map[*ap.Action]map[string]int32{}}
	shape := make([]int, len(w.step.Write))
	m.shapes(0, shape)
	for _, text := range m.order {
		moves = append(moves, m.moves[text])
	}
	return moves, m.cut
}

// shapes goes through how often each action may stand in a request: one that the cone does not hold as seldom as it
// may, any other none, one and two times.
func (m *maker) shapes(at int, counts []int) {
	if at == len(counts) {
		m.shape(counts)
		return
	}
	a := &m.w.step.Write[at]
	options := []int{1}
	if in := inCone(m.cone, m.x.universe.entitiesOf(a)); !in && !a.Times.Needed() {
		options = []int{0}
	} else if in {
		options = nil
		for n := range 3 {
			if a.Times.Allows(n) && (n < 2 || !m.cone.few) {
				options = append(options, n)
			}
		}
	}
	for _, n := range options {
		counts[at] = n
		m.shapes(at+1, counts)
	}
}

// occurrence is one time that an action stands in a request.
type occurrence struct {
	action *ap.Action
	entity *ap.Entity
	params []string
	again  bool
}

func (m *maker) shape(counts []int) {
	var all []occurrence
	for i, n := range counts {
		a := &m.w.step.Write[i]
		entities := m.x.universe.entitiesOf(a)
		for k := range n {
			o := occurrence{action: a, again: k > 0, params: a.Parameters()}
			if len(entities) > 0 {
				o.entity = entities[0]
			}
			if a.Kind == ap.Put && o.entity != nil {
				o.params = append(o.params, m.x.universe.idsOf(o.entity)...)
			}
			o.params = lists.Sorted(o.params)
			all = append(all, o)
		}
	}
	if len(all) == 0 {
		return
	}
	usual := &assignment{groups: ap.Params{}}
	for i := range all {
		usual.of = append(usual.of, chosen{own: ap.Params{}, attrs: values{}})
		for _, p := range all[i].params {
			usual.groups[p] = m.x.universe.of(p)[0]
		}
	}
	m.part(usual.groups)
	variables := m.variables(all, usual)
	start := m.admitted(all, usual, slices.Concat(variables, m.rest(all, usual)))
	if start == nil {
		return
	}
	for i := range all {
		variables = append(variables, m.loose(all, i, start)...)
	}
	m.combine(all, start, variables)
	m.mutate(all, start)
}

// part gives the parameters of one kind different values where one item names several ids of the kind.
func (m *maker) part(groups ap.Params) {
	n := map[string]int{}
	for _, p := range slices.Sorted(maps.Keys(groups)) {
		kind := m.x.universe.kind(p)
		if values := m.x.universe.of(p); m.x.universe.together[kind] > 1 {
			groups[p] = values[min(n[kind], len(values)-1)]
			n[kind]++
		}
	}
}

// variables are the groups of parameters that matter, and what the cone holds of the items and edits.
func (m *maker) variables(all []occurrence, usual *assignment) (variables []variable) {
	for _, p := range slices.Sorted(maps.Keys(usual.groups)) {
		if m.matters(all, p) && (m.users || m.x.universe.kind(p) != m.x.user) {
			variables = append(variables, m.ofParameter(p, true))
		}
	}
	for i := range all {
		switch o := &all[i]; {
		case o.entity == nil:
		case o.action.Kind == ap.Put:
			variables = append(variables, m.attributes(o, i)...)
			variables = append(variables, variable{n: len(m.x.universe.basesOf(o.entity)), base: true, at: i, set: func(to *assignment, value int) { to.of[i].base = value }})
		case len(o.action.Edits) > 0:
			if v, some := m.edits(o, i, usual); some {
				variables = append(variables, v)
			}
		}
	}
	return variables
}

// ofParameter is a parameter of the whole request; group says that it matters.
func (m *maker) ofParameter(p string, group bool) variable {
	values := m.x.universe.of(p)
	return variable{n: len(values), group: group, set: func(to *assignment, value int) { to.groups[p] = values[value] }}
}

// rest are the groups of parameters that do not matter, which may keep the usual request from being admitted.
func (m *maker) rest(all []occurrence, usual *assignment) (variables []variable) {
	for _, p := range slices.Sorted(maps.Keys(usual.groups)) {
		if !m.matters(all, p) && m.x.universe.kind(p) != m.x.user {
			variables = append(variables, m.ofParameter(p, false))
		}
	}
	for i := range all {
		o := &all[i]
		if o.entity != nil && len(usual.of[i].edits) == 1 && m.cone.of[o.entity.ID][usual.of[i].edits[0]] == 0 {
			variables = append(variables, edited(i, m.others(o))) // other attributes that it may edit
		}
	}
	return variables
}

// others are the attributes that an update edits, each with a value that an item has.
func (m *maker) others(o *occurrence) (all []values) {
	for _, name := range o.action.Edits {
		for _, base := range m.x.universe.bases[o.entity.ID] {
			if base.item[name] != nil {
				all = append(all, values{name: base.item[name]})
				break
			}
		}
	}
	return all
}

// edited is what an update edits: the usual, or one of some choices.
func edited(at int, choices []values) variable {
	return variable{n: len(choices) + 1, set: func(to *assignment, value int) {
		if value > 0 {
			to.edit(at, choices[value-1])
		}
	}}
}

// matters reports whether a parameter stands in a key, in a condition, or in what the cone holds.
func (m *maker) matters(all []occurrence, p string) bool {
	for o := range lists.Each(all) {
		held := func(attribute string) bool {
			name, rest, _ := strings.Cut(attribute, ".")
			_, isKey := o.entity.Key(name)
			return m.cone.of[o.entity.ID][name] != 0 || isKey && m.x.design.PrimaryKey(o.entity).Has(name) || strings.Contains(rest, "{"+p+"}") && m.cone.holds(o.entity.ID)
		}
		if o.entity == nil || !m.cone.holds(o.entity.ID) {
			if o.action.Kind != ap.Put {
				continue
			}
		}
		if o.action.Kind == ap.Put && slices.Contains(m.x.universe.idsOf(o.entity), p) {
			return true
		}
		for _, of := range operandsOf(o.action) {
			has, given := slices.Contains(of.value.Template.Parameters(), p), !of.key && !of.compared
			if has && !given || given && (has || strings.Contains(of.attribute, "{"+p+"}")) && held(of.attribute) {
				return true
			}
		}
	}
	return false
}

// attributes are those of an item that is put which the cone holds.
func (m *maker) attributes(o *occurrence, at int) (variables []variable) {
	u := m.x.universe
	for _, name := range slices.Sorted(maps.Keys(m.cone.of[o.entity.ID])) {
		var values []types.AttributeValue
		if key, is := o.entity.Key(name); is {
			values = u.keyDomain(o.entity, key)
			if key.Optional {
				values = append(values, nil)
			}
		} else if !u.boundToKey(o.entity, name) {
			values = u.domain(o.entity, name)
		}
		if len(values) == 0 {
			continue
		}
		tied := slices.ContainsFunc(o.action.With, func(with ap.Equality) bool { return with.Attribute == name })
		variables = append(variables, variable{n: len(values) + 1, loosens: tied, alone: m.cone.of[o.entity.ID][name] == ofCondition, set: func(to *assignment, value int) {
			if value > 0 {
				to.of[at].attrs[name] = values[value-1]
			}
		}})
	}
	return variables
}

// boundToKey reports whether the primary key of an entity gives an attribute its value.
func (u *universe) boundToKey(e *ap.Entity, name string) bool {
	return slices.ContainsFunc(u.primaryKeys(e), func(key *ap.KeyAttribute) bool {
		return slices.ContainsFunc(key.Template.Parameters(), func(p string) bool { return key.Bound(p) == name })
	})
}

// maxKeys bounds the values of one index key.
const maxKeys = 6

// keyDomain are values of an index key.
func (u *universe) keyDomain(e *ap.Entity, key *ap.KeyAttribute) (values []types.AttributeValue) {
	if named := u.named[e.ID+"."+key.Attribute]; string(key.Template) == "{"+key.Attribute+"}" && len(named) > 0 {
		values = scalars(key.ValueType(), slices.Sorted(maps.Keys(named)))
	}
	texts := u.formed(key.Template)
	return append(values, scalars(key.ValueType(), texts[:min(len(texts), maxKeys)])...)
}

// formed are the texts that a form makes of the values of its parameters.
func (u *universe) formed(form ap.KeyTemplate) []string {
	texts := []string{string(form)}
	for _, p := range form.Parameters() {
		var more []string
		for _, text := range texts {
			more = append(more, lists.Map(u.of(p), func(value string) string { return strings.ReplaceAll(text, "{"+p+"}", value) })...)
		}
		texts = more
	}
	return texts
}

// takesFrom stands before the name of a set of which an edit takes members away.
const takesFrom = "DELETE "

// edits are the attributes that an update edits: each alone with every value that the cone gives it, with the index
// keys that repeat it, and pairs.
func (m *maker) edits(o *occurrence, at int, usual *assignment) (variable, bool) {
	u := m.x.universe
	var single []values
	held := slices.DeleteFunc(slices.Clone(o.action.Edits), func(name string) bool { return m.cone.of[o.entity.ID][name] == 0 })
	for _, name := range held {
		if key, is := o.entity.Key(name); is {
			for _, value := range append(u.keyDomain(o.entity, key), nil) {
				single = append(single, values{name: value})
			}
			continue
		}
		for _, value := range u.domain(o.entity, name) {
			single = append(single, values{name: value})
			if dynamo.TypeOf(value) == dynamo.StringSet {
				single = append(single, values{takesFrom + name: value})
			}
		}
	}
	all := slices.Clone(single)
	for _, repeated := range []bool{true, false} { // an index key with what it repeats first
		for i, one := range single {
			for _, other := range single[i+1:] {
				both := maps.Clone(one)
				maps.Copy(both, other)
				names := slices.Sorted(maps.Keys(both))
				if len(both) != 2 || repeats(o.entity, names[0], names[1]) != repeated {
					continue
				}
				if len(all) == maxProduct {
					m.cut = true
					continue
				}
				all = append(all, both)
			}
		}
	}
	if len(o.action.Set)+len(o.action.Remove) == 0 {
		if len(all) == 0 { // it changes nothing that the cone holds
			others := m.others(o)
			for _, value := range append(u.domain(o.entity, o.action.Edits[0]), nil) { // where no item has any of them
				others = append(others, values{o.action.Edits[0]: value})
			}
			usual.edit(at, others[0])
			return variable{}, false
		}
		usual.edit(at, all[0])
	}
	return edited(at, all), len(all) > 0
}

// repeats reports whether one of two attributes is an index key that is made of the other.
func repeats(e *ap.Entity, a, b string) bool {
	of := func(key, attribute string) bool {
		form, is := e.Key(key)
		return is && slices.ContainsFunc(form.Template.Parameters(), func(p string) bool { return form.Bound(p) == attribute })
	}
	return of(a, b) || of(b, a)
}

// admitted finds an assignment that the guard admits: the usual one, or one that differs in one or two places.
func (m *maker) admitted(all []occurrence, usual *assignment, variables []variable) *assignment {
	// A further item of one action differs in a parameter of its own.
	starts := []*assignment{usual}
	for i := range all {
		if !all[i].again {
			continue
		}
		var next []*assignment
		for _, start := range starts {
			for _, p := range all[i].params {
				if values := m.x.universe.of(p); len(values) > 1 {
					with := start.clone()
					with.of[i].own[p] = values[1]
					next = append(next, with)
				}
			}
		}
		starts = next
	}
	for places := range 3 {
		for _, start := range starts {
			if found := differing(start, variables, places, func(so *assignment) bool { return m.try(all, so, true) }); found != nil {
				return found
			}
		}
	}
	return nil
}

// differing finds what is admitted and differs from an assignment in so many of some variables; nil where there is none.
func differing(from *assignment, variables []variable, places int, admits func(*assignment) bool) *assignment {
	if places == 0 {
		if admits(from) {
			return from
		}
		return nil
	}
	for i, v := range variables {
		for value := 1; value < v.n; value++ {
			one := from.clone()
			v.set(one, value)
			if found := differing(one, variables[i+1:], places-1, admits); found != nil {
				return found
			}
		}
	}
	return nil
}

// loose are the parameters of an occurrence that the guard admits with another value than the step's other
// actions have.
func (m *maker) loose(all []occurrence, at int, start *assignment) (variables []variable) {
	for _, p := range all[at].params {
		shared := all[at].again || slices.ContainsFunc(all[at].action.With, func(w ap.Equality) bool { return slices.Contains(w.Value.Template.Parameters(), p) })
		for i := range all {
			shared = shared || i != at && slices.Contains(all[i].params, p)
		}
		values := m.x.universe.of(p)
		if !shared || !m.users && m.x.universe.kind(p) == m.x.user || !m.matters(all, p) {
			continue
		}
		for _, value := range values {
			with := start.clone()
			if value == cmp.Or(start.of[at].own[p], start.groups[p]) {
				continue
			}
			with.of[at].own[p] = value
			if m.try(all, with, false) {
				variables = append(variables, variable{n: len(values) + 1, loosens: true, set: func(to *assignment, n int) {
					if n > 0 {
						to.of[at].own[p] = values[n-1]
					}
				}})
				break
			}
		}
	}
	return variables
}

// ruled reports whether an entity has a rule between attributes that no template gives.
func ruled(e *ap.Entity) bool {
	return slices.ContainsFunc(e.Rules, func(r ap.Rule) bool { return r.Check != nil })
}

// combine tries all combinations of the variables or, where these are too many, all pairs.
func (m *maker) combine(all []occurrence, start *assignment, variables []variable) {
	variables = slices.Clone(variables)
	for _, v := range variables {
		for value := 1; v.alone && value < v.n; value++ {
			one := start.clone()
			v.set(one, value)
			m.try(all, one, !v.loosens)
			for _, w := range variables { // with another id
				for other := w.first(); w.group && other < w.n; other++ {
					two := one.clone()
					w.set(two, other)
					m.try(all, two, !v.loosens)
				}
			}
		}
	}
	variables = slices.DeleteFunc(variables, func(v variable) bool { return v.alone || v.base && !ruled(all[v.at].entity) })
	product := 1
	for _, v := range variables {
		product = min(product*v.n, maxProduct+1)
	}
	if product <= maxProduct {
		var each func(at int, so *assignment, tied bool)
		each = func(at int, so *assignment, tied bool) {
			if at == len(variables) {
				m.try(all, so, tied)
				return
			}
			for value := range variables[at].n {
				next := so.clone()
				variables[at].set(next, value)
				each(at+1, next, tied && !(variables[at].loosens && value > 0))
			}
		}
		each(0, start, true)
		return
	}
	m.cut = true
	pairs := 0
	for i, v := range variables {
		for value := range v.n {
			one := start.clone()
			v.set(one, value)
			tied := !(v.loosens && value > 0)
			m.try(all, one, tied)
			for _, w := range variables[i+1:] {
				for other := w.first(); other < w.n && pairs < maxPairs; other++ {
					pairs++
					two := one.clone()
					w.set(two, other)
					m.try(all, two, tied && !w.loosens)
				}
			}
		}
	}
}

// mutate tries the usual request once without each condition, and once without each action.
func (m *maker) mutate(all []occurrence, start *assignment) {
	for i := range all {
		if without := slices.Delete(slices.Clone(all), i, i+1); len(without) > 0 {
			less := start.clone()
			less.of = slices.Delete(less.of, i, i+1)
			m.try(without, less, false)
		}
		for j := range all[i].action.Condition {
			weaker := slices.Clone(all)
			action := *all[i].action
			action.Condition = slices.Delete(slices.Clone(action.Condition), j, j+1)
			weaker[i].action = &action
			m.try(weaker, start, false)
		}
	}
}

// try makes a request and keeps it where the guard admits it.
func (m *maker) try(all []occurrence, so *assignment, tied bool) bool {
	writes, sent := make([]int32, len(all)), make([]sdk.Write, len(all))
	var numbers []byte
	for i := range all {
		if writes[i] = m.writeOf(&all[i], so, i); writes[i] == refused {
			return false
		}
		sent[i] = m.x.writes[writes[i]].Write
		numbers = binary.LittleEndian.AppendUint32(numbers, uint32(writes[i]))
	}
	text := string(numbers)
	if known, has := m.moves[text]; has {
		if tied && !known.tied {
			known.tied, known.params = true, maps.Clone(so.groups)
		}
		return true
	}
	input := RequestOf(sent)
	patterns := m.x.admits(m.client, input, text)
	if len(patterns) == 0 {
		return false
	}
	found := &move{writes: writes, patterns: patterns, client: m.client, input: input, step: m.w, params: maps.Clone(so.groups), tied: tied}
	for i := range sent {
		key := m.x.keyOf(sent[i].Table, sent[i].Place())
		if slices.Contains(found.keys, key) {
			return false // DynamoDB refuses it
		}
		found.keys = append(found.keys, key)
	}
	m.moves[text] = found
	m.order = append(m.order, text)
	return true
}

// RequestOf is the request that sends writes: of several a transaction.
func RequestOf(writes []sdk.Write) any {
	if len(writes) == 1 {
		return writes[0].Input()
	}
	return &dynamodb.TransactWriteItemsInput{TransactItems: sdk.Elements(writes)}
}

// writeOf makes one write of a request, once; it is refused where the values give none.
func (m *maker) writeOf(o *occurrence, so *assignment, at int) int32 {
	params := ap.Params{}
	text := m.buffer[:0]
	for _, p := range o.params {
		own, parted := so.of[at].own[p]
		params[p] = so.groups[p]
		if parted {
			params[p], text = own, append(text, 0)
		}
		text = appendText(text, params[p])
	}
	text = append(text, byte(so.of[at].base), byte(len(so.of[at].edits)))
	for _, edit := range so.of[at].edits {
		text = appendText(text, edit)
	}
	text = appendItem(text, so.of[at].attrs)
	m.buffer = text
	if known, has := m.written[o.action][string(text)]; has {
		return known
	}
	made := refused
	if w, ok := m.write(o, so, at, params); ok {
		made = m.x.intern(&w)
	}
	lists.Inner(m.written, o.action)[string(text)] = made
	return made
}

// write makes one write of a request of an action's parameters; it says no where the values give none.
func (m *maker) write(o *occurrence, so *assignment, at int, params ap.Params) (sdk.Write, bool) {
	if o.action.Kind != ap.Put {
		edits := slices.DeleteFunc(slices.Clone(so.of[at].edits), func(name string) bool { return strings.HasPrefix(name, takesFrom) })
		w, err := sdk.ActionWrite(o.action, o.action.Table, so.of[at].attrs, params, edits)
		if err != nil {
			return w, false
		}
		for _, edit := range so.of[at].edits {
			name, takes := strings.CutPrefix(edit, takesFrom)
			if !takes || w.Values[":less"] != nil {
				continue
			}
			w.Update = aws.String(strings.TrimSpace(aws.ToString(w.Update) + " DELETE #less :less"))
			names, given := map[string]string{"#less": name}, values{":less": so.of[at].attrs[edit]}
			maps.Copy(names, w.Names)
			maps.Copy(given, w.Values)
			w.Names, w.Values = names, given
		}
		return w, true
	}
	attributes := maps.Clone(so.of[at].attrs)
	own := maps.Clone(params)
	for _, with := range o.action.With {
		value, err := with.Value.Resolve(params)
		if err != nil {
			return sdk.Write{}, false
		}
		if key, is := o.entity.Key(with.Attribute); is && m.x.design.PrimaryKey(o.entity).Has(with.Attribute) {
			parsed, err := key.Template.Parse(dynamo.ScalarText(value))
			if err != nil {
				return sdk.Write{}, false
			}
			for name, text := range parsed {
				if _, parted := so.of[at].own[name]; !parted {
					own[name] = text
				}
			}
			continue
		}
		if _, varied := attributes[with.Attribute]; !varied {
			attributes[with.Attribute] = value
		}
	}
	for _, name := range o.action.Without {
		attributes[name] = nil
	}
	item, valid := m.x.itemOf(o.entity, so.of[at].base, own, attributes)
	if !valid {
		return sdk.Write{}, false
	}
	w, err := sdk.ActionWrite(o.action, o.action.Table, item, params, nil)
	return w, err == nil
}
