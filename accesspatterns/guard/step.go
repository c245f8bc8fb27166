package guard

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/internal/template"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/validate"
)

// step is one documented write step, prepared for comparison.
type step struct {
	placed
	actions []action
	rises   []rise
}

// rise says that the parameter in slot higher is a higher Number than the one in slot
// lower, or, where that is negative, than least.
type rise struct {
	lower, higher int
	least         string
}

// action is one documented write of a step.
type action struct {
	from  *accesspatterns.Action
	kind  accesspatterns.ActionKind
	table *table
	// entities are those that the action may write.
	entities []*entity
	keys     []operand
	// shared pairs the parameters of a put item's key with those of the same
	// name in the step's other actions.
	shared []sharedParameter
	times  accesspatterns.Times
	// changes are those of an update, its removals last.
	changes []documentedChange
	// edits are the further attributes that an update may change.
	edits []string
	// with are values that attributes of a put item have.
	with []documentedFilter
	// without are attributes that a put item does not have.
	without []string
	// conditions must all hold; of the terms of each, one.
	conditions [][]documentedFilter
	// local are the parameters that no other action of the step has: they may
	// differ between repetitions.
	local []int
}

// sharedParameter pairs the slot of an entity's parameter with that of the step's.
type sharedParameter struct{ item, step int }

// documentedChange is one change of an update, with its path and its value apart; a
// removal has none.
type documentedChange struct {
	change expression.Change
	path   documentedPath
	value  operand
}

// is reports whether a change that was sent is the documented one.
func (want *documentedChange) is(got *expression.Change, source expression.Source, bound *bindings) bool {
	value := got.Value.Value
	if got.Clause != want.change.Clause || got.Keeps != want.change.Keeps {
		return false
	}
	if got.Sign != want.change.Sign { // taking 5 away is adding -5
		number, is := value.(*types.AttributeValueMemberN)
		if got.Sign == "" || want.change.Sign == "" || !is {
			return false
		}
		negated, negative := strings.CutPrefix(number.Value, "-")
		if !negative {
			negated = "-" + negated
		}
		value = &types.AttributeValueMemberN{Value: negated}
	}
	before := *bound
	if want.path.matches(source, got.Path, bound) && (got.Clause == expression.Remove || want.value.matchValue(value, bound)) {
		return true
	}
	*bound = before
	return false
}

// folded writes the changes of an update another way that stores the same. What is added
// to a Number, or taken from it, is the Number that comes of it where the condition names
// the stored one: version + 1 is 4 if version = 3. ADD to a Number is a SET that adds
// where the condition is met by a stored item alone. It returns nil where there is nothing
// to fold.
func (w *write) folded() []expression.Change {
	stored := w.demands(func(t expression.Term) bool { return t.Op.ImpliesItem() })
	var changes []expression.Change
	for i := range w.changes {
		c := w.changes[i]
		number, is := c.Value.Value.(*types.AttributeValueMemberN)
		if !is || c.Sign == "" && c.Clause != expression.Add || !stored {
			continue
		}
		before, known := w.named(c.Path)
		if c.Clause == expression.Add {
			c.Clause, c.Sign = expression.Set, "+"
		} else if !known {
			continue
		}
		if known {
			by, ok := dynamo.Decimal(number.Value)
			if !ok {
				continue
			}
			if c.Sign == "-" {
				by.Neg(by)
			}
			text := strings.TrimSuffix(strings.TrimRight(by.Add(before, by).FloatString(38), "0"), ".")
			c = expression.Change{Clause: expression.Set, Path: c.Path, Value: expression.Operand{Value: &types.AttributeValueMemberN{Value: text}}}
		}
		if changes == nil {
			changes = slices.Clone(w.changes)
		}
		changes[i] = c
	}
	return changes
}

// named is the Number that the condition demands of an attribute, by path = :value.
func (w *write) named(path string) (*big.Rat, bool) {
	for _, t := range w.condition.All() {
		if number, is := t.Low.Value.(*types.AttributeValueMemberN); is && t.Group == 0 && t.Op == expression.Equal && w.source.Same(t.Path, path) {
			return dynamo.Decimal(number.Value)
		}
	}
	return nil, false
}

// documentedPath is the path of what an update changes.
type documentedPath struct {
	segments []string
	// names are the operands of the segments that a parameter names, by their place.
	names map[int]operand
}

func (p *preparing) path(path string) documentedPath {
	of := documentedPath{segments: strings.Split(path, "."), names: map[int]operand{}}
	for i, segment := range of.segments {
		if strings.HasPrefix(segment, "{") {
			of.names[i] = p.operand(accesspatterns.Operand{Type: dynamo.String, Template: accesspatterns.KeyTemplate(segment)})
		}
	}
	return of
}

// matches reports whether a path of a write is the documented one, and binds the
// parameters that name its members.
func (p *documentedPath) matches(source expression.Source, path string, bound *bindings) bool {
	if len(p.names) == 0 {
		return source.SamePath(path, p.segments)
	}
	segments, _ := source.Split(path)
	if len(segments) != len(p.segments) {
		return false
	}
	for i, segment := range segments {
		if name, is := p.names[i]; is {
			if !name.matchValue(&types.AttributeValueMemberS{Value: segment}, bound) {
				return false
			}
		} else if segment != p.segments[i] {
			return false
		}
	}
	return true
}

// edits notes the attributes that a documented update of the entity changes.
func (e *entity) edits(a *action) {
	for _, name := range a.edits {
		e.edited[name] = true
	}
	for i := range a.changes {
		e.edited[a.changes[i].path.segments[0]] = true
	}
}

// documentWrites prepares writes of a step that stand or fall together.
func (g *Guard) documentWrites(at placed, from *accesspatterns.Step, writes []accesspatterns.Action) error {
	s := &step{placed: at}
	used := make([][]int, len(writes))
	for i := range writes {
		write, p := &writes[i], preparing{placed: &s.placed}
		a := action{from: write, kind: write.Kind, table: g.byID[write.Table], times: write.Times, edits: write.Edits, without: write.Without}
		if a.table == nil {
			return fmt.Errorf("expected a table of the design, found %s", write.Table)
		}
		a.keys = lists.Map(write.Key, func(key accesspatterns.Equality) operand { return p.operand(key.Value) })
		if a.kind != accesspatterns.Put && len(a.keys) != len(a.table.keys) {
			return fmt.Errorf("expected the whole primary key of %s", write.Table)
		}
		for _, assignment := range write.Set {
			value := p.operand(assignment.Value)
			a.changes = append(a.changes, documentedChange{assignment.Change(), p.path(assignment.Attribute), value})
		}
		for _, removed := range write.Remove {
			a.changes = append(a.changes, documentedChange{change: expression.Change{Clause: expression.Remove}, path: p.path(removed)})
		}
		for _, with := range write.With {
			a.with = append(a.with, documentedFilter{path: []string{with.Attribute}, value: p.operand(with.Value)})
		}
		for _, condition := range write.Condition {
			terms := p.terms(condition)
			for t := range lists.Each(terms) {
				if existence := t.op == expression.Exists || t.op == expression.NotExists; existence && len(t.path) == 1 && a.table.keys.Has(t.path[0]) {
					t.keys = a.table.keys
				}
			}
			a.conditions = append(a.conditions, terms)
		}
		if p.problem != nil {
			return p.problem
		}
		if used[i] = p.slots; a.kind != accesspatterns.Put {
			a.entities = a.table.addressed(a.keys)
		} else if at := slices.IndexFunc(a.table.entities, func(e *entity) bool { return e.contract.ID == write.Entity }); at >= 0 {
			a.entities = []*entity{a.table.entities[at]}
		} else {
			return fmt.Errorf("expected a Put of an entity of table %s, found %q", write.Table, write.Entity)
		}
		s.actions = append(s.actions, a)
	}
	if err := s.shareParameters(used); err != nil {
		return err
	}
	for lower, higher := range from.Rises {
		r := rise{slices.Index(s.params.names, lower), slices.Index(s.params.names, higher), lower}
		if _, number := dynamo.Decimal(lower); r.lower < 0 && !number || r.higher < 0 {
			return fmt.Errorf("expected the parameters {%s} and {%s}, of which the second is higher, in its writes", lower, higher)
		}
		s.rises = append(s.rises, r)
	}
	s.actor = g.actorOf(s.pattern, &s.params)
	for i := range s.actions {
		for _, slot := range used[i] { // who acts is the same in every repetition
			acts := s.actor != nil && slot == s.actor.slot
			if elsewhere := slices.ContainsFunc(slices.Concat(used[:i], used[i+1:]), func(of []int) bool { return slices.Contains(of, slot) }); !elsewhere && !acts {
				s.actions[i].local = append(s.actions[i].local, slot)
			}
		}
	}
	g.steps = append(g.steps, s)
	return nil
}

// shareParameters ties the keys of put items to what else the step says: a parameter of one name has one value in the
// whole request. Keys of two puts, and the key of one with values of another action, are tied where one of the two stands there once at most:
// two players have a {playerId} each, and so have the words of two kinds of index. What a put says of a key by With stands
// in place of the entity's template. The slots are noted as used.
func (s *step) shareParameters(used [][]int) error {
	valued := lists.Map(used, slices.Clone[[]int])
	tied := func(i int, name string) bool {
		a, slot := &s.actions[i], slices.Index(s.params.names, name)
		for j := range s.actions {
			b := &s.actions[j]
			keyed := func(key operand) bool { return slices.Contains(key.slots, slot) }
			if j != i && slices.ContainsFunc(b.keys, keyed) {
				return true
			}
			if i != j && a.times.Repeats() && b.times.Repeats() {
				continue
			}
			if slices.Contains(valued[j], slot) || b.kind == accesspatterns.Put && b.entities[0] != a.entities[0] && b.names(name) {
				return true
			}
		}
		return false
	}
	for i := range s.actions {
		a := &s.actions[i]
		if a.kind != accesspatterns.Put {
			continue
		}
		for item, name := range a.entities[0].params.names {
			if !a.names(name) || !tied(i, name) {
				continue
			}
			slot, err := s.params.slot(name)
			if err != nil {
				return err
			}
			a.shared = append(a.shared, sharedParameter{item, slot})
			used[i] = append(used[i], slot)
		}
	}
	return nil
}

// names reports whether a key of the put item has the parameter, beside those that With
// gives.
func (a *action) names(parameter string) bool {
	for i, key := range a.entities[0].keys {
		if slices.Contains(key.source.Parameters(), parameter) && !slices.ContainsFunc(a.with, func(with documentedFilter) bool { return with.path[0] == a.table.keys[i].Attribute }) {
			return true
		}
	}
	return false
}

// addressed returns the entities that a key of these forms may be of. Keys of an
// entity's own form are of no entity whose form says more: a step that deletes
// MILESTONE#{id} deletes no MILESTONE#{id}#AWARD#{index}.
func (t *table) addressed(keys []operand) []*entity {
	var own, met []*entity
	for _, e := range t.entities {
		same, meet := true, true
		for i := range keys {
			same = same && keys[i].alike(&e.keys[i])
			meet = meet && keys[i].typ == e.keys[i].typ && template.Meet(keys[i].pieces, e.keys[i].pieces)
		}
		if same {
			own = append(own, e)
		}
		if meet {
			met = append(met, e)
		}
	}
	if len(own) > 0 {
		return own
	}
	return met
}

// maxTries bounds the search for an assignment of writes to actions. The
// documented steps need as many tries as they have writes.
const maxTries = 20_000

// matches reports whether the writes are the step: every action as often as it may
// stand there, and no other write. bound are the parameters that have their values
// already. The search goes back wherever a write may be one of several actions, or a
// change or condition one of several that are documented, so that the order of a
// transaction, which says nothing in DynamoDB, decides nothing here.
func (s *step) matches(writes []write, bound bindings) bool {
	needed := lists.Count(s.actions, func(a action) bool { return a.times.Needed() })
	if len(writes) < needed {
		return false
	}
	m := match{step: s, writes: writes, taken: make([]int, len(s.actions))}
	return m.assign(0, needed, bound)
}

// match is one search. taken counts how often each action stands for a write.
type match struct {
	step   *step
	writes []write
	taken  []int
	tries  int
}

// assign finds actions for the writes from the nth on, of which so many actions are
// still missing.
func (m *match) assign(n, missing int, bound bindings) bool {
	if n == len(m.writes) {
		return missing == 0
	}
	if len(m.writes)-n < missing {
		return false
	}
	if m.writes[n].beside && m.assign(n+1, missing, bound) {
		return true
	}
	for i := range m.step.actions {
		a := &m.step.actions[i]
		if m.tries++; m.tries > maxTries {
			return false
		}
		if m.taken[i] > 0 && !a.times.Repeats() || !a.mayBe(&m.writes[n]) {
			continue
		}
		now := bound
		for _, slot := range a.local {
			now[slot] = ""
		}
		if !a.matchesKey(&m.writes[n], &now) {
			continue
		}
		left := missing
		if m.taken[i] == 0 && a.times.Needed() {
			left--
		}
		m.taken[i]++
		if m.change(n, a, 0, 0, left, now) {
			return true
		}
		m.taken[i]--
	}
	return false
}

// change finds the documented changes of an update from the kth on among those of the
// write that are no edits; of these, used are found already.
func (m *match) change(n int, a *action, k int, used uint64, missing int, bound bindings) bool {
	if k == len(a.changes) {
		return demanded(&m.writes[n].condition, a.conditions, m.writes[n].source, bound, func(bound bindings) bool {
			return m.step.risen(&bound) && m.assign(n+1, missing, bound) // further terms only narrow the write
		})
	}
	w := &m.writes[n]
	for i, bit := 0, uint64(1); i < len(w.changes); i++ {
		c := &w.changes[i]
		if a.isEdit(w, c) {
			continue
		}
		now := bound
		if used&bit == 0 && a.changes[k].is(c, w.source, &now) && m.change(n, a, k+1, used|bit, missing, now) {
			return true
		}
		bit <<= 1
	}
	return false
}

// risen reports whether what must rise does, as far as the writes give both values.
func (s *step) risen(bound *bindings) bool {
	for _, r := range s.rises {
		lower, higher := r.least, bound[r.higher]
		if r.lower >= 0 {
			lower = bound[r.lower]
		}
		if lower == "" || higher == "" {
			continue
		}
		low, is := dynamo.Decimal(lower)
		if high, also := dynamo.Decimal(higher); !is || !also || high.Cmp(low) <= 0 {
			return false
		}
	}
	return true
}

// mayBe reports whether a write is of the action's kind, and has as many changes.
func (a *action) mayBe(w *write) bool {
	if w.Kind != a.kind || w.table != a.table || !a.writes(w) {
		return false
	}
	exact := 0
	for c := range lists.Each(w.changes) {
		if !a.isEdit(w, c) {
			exact++
		} else if a.computes(w, c) {
			return false
		}
	}
	return exact == len(a.changes)
}

// computes reports whether an edit computes with what is stored, so that what it leaves
// is not known: by SET, or by ADD to a Number. Members may be added to a set, which loses
// nothing. Members may be taken out of it where it may be absent, as an empty set is, or
// where the condition asks for more of them.
func (a *action) computes(w *write, c *expression.Change) bool {
	switch c.Clause {
	case expression.Add:
		_, number := c.Value.Value.(*types.AttributeValueMemberN)
		return number
	case expression.Delete:
		path, _ := w.source.Split(c.Path)
		required := slices.ContainsFunc(a.entities, func(e *entity) bool { return len(validate.Removal(e.contract, path)) > 0 })
		return required && !w.demands(func(t expression.Term) bool { return leavesMembers(t, c, w.source) })
	}
	return c.Sign != "" || c.Computed != "" && appended(c, w.source) == nil
}

// appended is the list that a SET puts before or behind the one that is stored, by
// list_append of the same path, or of if_not_exists of it with a list; nil for any other
// change. Like ADD to a set it loses nothing.
func appended(c *expression.Change, source expression.Source) types.AttributeValue {
	if c.Right.Function != "list_append" {
		return nil
	}
	for i := range c.Right.Of {
		stored, added := &c.Right.Of[i], &c.Right.Of[1-i]
		if stored.Function == "if_not_exists" && stored.Of[1].Function == "" && stored.Of[1].Operand.Value != nil {
			if list, is := stored.Of[1].Operand.Value.(*types.AttributeValueMemberL); !is || len(list.Value) > 0 {
				continue
			}
			stored = &stored.Of[0]
		}
		if list, is := added.Operand.Value.(*types.AttributeValueMemberL); is && added.Function == "" && stored.Function == "" && source.Same(stored.Operand.Path, c.Path) {
			return list
		}
	}
	return nil
}

// leavesMembers reports whether a term asks a set for more members than a DELETE names.
func leavesMembers(t expression.Term, c *expression.Change, source expression.Source) bool {
	if negation, size, op := t.Op.Parts(); negation || !size || op != expression.Greater || !source.Same(t.Path, c.Path) {
		return false
	}
	least, err := strconv.Atoi(dynamo.ScalarText(t.Low.Value))
	members, _ := dynamo.Length(c.Value.Value)
	return err == nil && members > 0 && least >= members && dynamo.TypeOf(c.Value.Value).IsSet()
}

// writes reports whether a write is of an entity of the action.
func (a *action) writes(w *write) bool {
	return slices.ContainsFunc(w.entities, func(e *entity) bool { return slices.Contains(a.entities, e) })
}

// isEdit reports whether a change is of what the action may edit, beside its documented
// changes. The changes are held to their entity already.
func (a *action) isEdit(w *write, c *expression.Change) bool {
	name, _ := w.source.TopLevel(c.Path)
	return slices.Contains(a.edits, name)
}

// matchesKey reports whether the key, or the item that is put, is the action's, and
// binds the parameters.
func (a *action) matchesKey(w *write, bound *bindings) bool {
	if a.kind != accesspatterns.Put {
		for i := range a.keys {
			if !a.keys[i].matchValue(w.Key[a.table.keys[i].Attribute], bound) {
				return false
			}
		}
		return true
	}
	if len(a.shared) > 0 {
		var own bindings
		if !a.entities[0].matchKey(a.table, w.Item, &own) {
			return false
		}
		for _, shared := range a.shared {
			if !bound.bind(shared.step, own[shared.item]) {
				return false
			}
		}
	}
	for _, with := range a.with {
		if value := w.Item[with.path[0]]; value == nil || !with.value.matchValue(value, bound) {
			return false
		}
	}
	return !slices.ContainsFunc(a.without, func(name string) bool { return w.Item[name] != nil })
}

// demands says which terms of a write's condition the step has.
func (s *step) demands(w *write) func(expression.Term) bool {
	return func(got expression.Term) bool {
		for a := range lists.Each(s.actions) {
			if a.kind != w.Kind || a.table != w.table || !a.writes(w) {
				continue
			}
			for _, alternatives := range a.conditions {
				if slices.ContainsFunc(alternatives, func(want documentedFilter) bool { return want.is(&got, w.source, new(bindings)) }) {
					return true
				}
			}
		}
		return false
	}
}

// is reports whether a term that was sent is the documented one.
func (want *documentedFilter) is(got *expression.Term, source expression.Source, bound *bindings) bool {
	if got.Op != want.op {
		return false
	}
	if slices.ContainsFunc(want.keys, func(key accesspatterns.Key) bool { return source.IsAttribute(got.Path, key.Attribute) }) {
		return true
	}
	if !source.SamePath(got.Path, want.path) {
		return false
	}
	if len(want.right) > 0 {
		return got.Low.Path != "" && source.SamePath(got.Low.Path, want.right)
	}
	before := *bound
	if got.Low.Path == "" && got.High.Path == "" &&
		(got.Low.Value == nil || want.value.matchValue(got.Low.Value, bound)) && (got.High.Value == nil || want.high.matchValue(got.High.Value, bound)) {
		return true
	}
	*bound = before
	return false
}

// demanded reports whether the terms sent demand each of the conditions, and what comes then holds with the parameters that they
// bind: a condition is demanded by a term that must hold, or by a group of which every term is one of its alternatives. The search goes
// back wherever a term may be one of several.
func demanded(sent *expression.Conjunction, conditions [][]documentedFilter, source expression.Source, bound bindings, then func(bindings) bool) bool {
	if len(conditions) == 0 {
		return then(bound)
	}
	var clause func(left []expression.Term, bound bindings) bool
	clause = func(left []expression.Term, bound bindings) bool {
		if len(left) == 0 {
			return demanded(sent, conditions[1:], source, bound, then)
		}
		for i := range conditions[0] {
			if now := bound; conditions[0][i].is(&left[0], source, &now) && clause(left[1:], now) {
				return true
			}
		}
		return false
	}
	for terms := range sent.Clauses() {
		if clause(terms, bound) {
			return true
		}
	}
	return false
}
