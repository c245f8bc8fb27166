package explore

import (
	"slices"
	"strings"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/validate"
)

// validity tries whether what documented writes leave is valid: every write with each value of each attribute, beside
// no items and beside items of each kind.
func (x *explorer) validity() *Law {
	l := &Law{Claim: Validity, Formula: x.design.Valid(), Depth: 1}
	moves := x.everyWrite(l)
	l.Cone = lists.Sorted(l.Cone)
	starts := x.validStarts(moves)
	l.Starts, l.Moves = len(starts), len(moves)
	broken, moved, states := map[string]Counterexample{}, map[string]bool{}, map[mark]bool{}
	try := func(start state, m *move) (done bool) {
		l.Edges++
		after, done := x.apply(start, m)
		if !done {
			return false
		}
		states[after.mark()] = true
		for _, p := range m.patterns {
			moved[p] = true
		}
		for _, key := range m.keys {
			item := after.at(key)
			if item == none || x.items[item].valid {
				continue
			}
			for _, p := range m.patterns {
				if _, has := broken[p]; !has {
					near := slices.DeleteFunc(slices.Clone(start), func(p place) bool { return !slices.Contains(m.keys, p.key) })
					broken[p] = x.counterexample([]string{p}, []*move{m}, near, x.wrong(item))
				}
			}
		}
		return true
	}
	carried := map[*move]bool{}
	for _, start := range starts {
		for _, m := range moves {
			carried[m] = try(start, m) || carried[m]
		}
	}
	for _, m := range moves { // each by itself beside what it asks for, made of the first items that give it, where that is nowhere yet
		for _, near := range starts[:min(1+maxBases, len(starts))] {
			if m.tied && !carried[m] {
				carried[m] = try(x.readyFor(m, near, nil), m)
			}
		}
	}
	l.States = len(states)
	return l.report(lists.Set(x.steps, func(w *patternStep) string { return w.pattern.ID }), nil, broken, moved)
}

// everyWrite makes every write with each value of each attribute, and notes its entities and what was cut.
func (x *explorer) everyWrite(l *Law) (moves []*move) {
	x.narrow(nil, x.steps)
	f, all := newFlows(x, client{}), gathered{texts: map[string]bool{}}
	for _, w := range x.steps {
		c := &cone{of: map[string]map[string]role{}, few: true}
		for i := range w.step.Write {
			for _, e := range x.universe.entitiesOf(&w.step.Write[i]) {
				c.add(e.ID, ofCondition)
				if w.step.Write[i].Kind == ap.ConditionCheck {
					continue
				}
				l.Cone = append(l.Cone, e.ID)
				for j := range e.Attributes {
					c.add(e.ID, ofCondition, e.Attributes[j].Name)
				}
				for j := range e.Keys {
					if !x.design.PrimaryKey(e).Has(e.Keys[j].Attribute) {
						c.add(e.ID, ofCondition, e.Keys[j].Attribute)
					}
				}
			}
		}
		f.gather(w, c, x.namesUsers(w), &all, l)
	}
	return all.moves
}

// validStarts are no items, those of each kind made from each base, all but those of one kind, and the first of these with what each write asks for that
// was not carried out in it.
func (x *explorer) validStarts(moves []*move) (all []state) {
	all = append(all, nil)
	add := func(s state) {
		if !slices.ContainsFunc(all, func(other state) bool { return slices.Equal(other, s) }) {
			all = append(all, s)
		}
	}
	for base := range maxBases {
		var s state
		for e := range lists.Each(x.design.Entities) {
			of := min(base, len(x.universe.basesOf(e))-1)
			s = x.have(s, e, max(of, 0), nil, nil)
		}
		add(s)
	}
	whole := all[min(1, len(all)-1)]
	for i := range x.design.Entities { // what one is not there for shows where the others are
		e := &x.design.Entities[i]
		add(slices.DeleteFunc(slices.Clone(whole), func(p place) bool { return x.items[p.item].entity == e }))
	}
	done := map[*patternStep]bool{}
	for _, m := range moves {
		for _, start := range all {
			_, carried := x.apply(start, m)
			done[m.step] = done[m.step] || carried && m.tied
		}
	}
	for _, m := range moves {
		if m.tied && !done[m.step] {
			done[m.step] = true
			all = append(all, x.readyFor(m, whole, nil))
		}
	}
	return all
}

// wrong says why an item is invalid.
func (x *explorer) wrong(item int32) string {
	h := &x.items[item]
	if h.entity == nil {
		return "leaves an item of no entity"
	}
	return "leaves an invalid " + h.entity.ID + ": " + strings.Join(lists.Map(validate.Item(h.entity, h.item), validate.Violation.String), "; ")
}
