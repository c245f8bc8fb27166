package explore

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/guard"
)

// Variants explores one claim of contracts that differ from a design in patterns alone. Requests of the other patterns and what they lead to
// are those of the design, and are not made and tried anew: a contract with one condition less takes a small part of the time that [One] takes.
type Variants struct {
	items  []Item
	budget Budget
	law    *Law
	// judged is what the formula says of the design's states.
	judged *search
	// x is the explorer of the design, as it was behind the exploration.
	x *explorer
	// patterns are those of the design as text.
	patterns []string
	// kept are the requests by what they were made of.
	kept map[string]*keptMoves
	// moves are the patterns of each request, starts the states that the search began with.
	moves  map[string]string
	starts map[string]bool
	begun  []state
}

// keptMoves are the requests of one step, and what each of them writes: kinds and entities.
type keptMoves struct {
	moves  []*move
	writes [][][]string
	cut    bool
}

// NewVariants explores a claim of a design.
func NewVariants(d *ap.Design, items []Item, b Budget, claim string) (*Variants, error) {
	x, err := newExplorer(d, items)
	if err != nil {
		return nil, err
	}
	v := &Variants{items: items, budget: b, x: x, kept: map[string]*keptMoves{}, moves: map[string]string{}, starts: map[string]bool{}}
	for i := range d.Patterns {
		v.patterns = append(v.patterns, jsonOf(d.Patterns[i]))
	}
	x.keep = v
	v.law, err = x.one(claim, b)
	return v, err
}

// Law is what was found of the design itself.
func (v *Variants) Law() *Law { return v.law }

// Of explores the claim of a contract that has the design's patterns in the same order, some of them changed. Broken and ByFlow of
// the law are those of the design and what the changed patterns add. Further counts the requests that the guard admits and did not admit
// of the design. It may be called from several goroutines.
func (v *Variants) Of(d *ap.Design) (law *Law, further int, err error) {
	x := *v.x
	x.design, x.steps, x.keep, x.variant, x.changed, x.near = d, stepsOf(d), nil, v, nil, map[string]bool{}
	x.universe = variantUniverse(d, v.x.universe)
	x.guards, x.judged = map[client]*guard.Guard{}, map[string][]string{}
	x.writes, x.of, x.keyTables, x.items = slices.Clone(x.writes), slices.Clone(x.of), slices.Clone(x.keyTables), slices.Clone(x.items)
	x.keyItems, x.effects = slices.Clone(x.keyItems), slices.Clone(x.effects)
	for i := range x.effects {
		x.effects[i] = slices.Clone(x.effects[i])
	}
	x.writeIDs, x.keyIDs, x.itemIDs = maps.Clone(x.writeIDs), maps.Clone(x.keyIDs), maps.Clone(x.itemIDs)
	x.made, x.valid = maps.Clone(x.made), maps.Clone(x.valid)
	for i := range d.Patterns {
		p := &d.Patterns[i]
		if jsonOf(*p) == v.patterns[i] {
			continue
		}
		x.changed = append(x.changed, p.ID)
		for j := range p.Steps {
			for k := range p.Steps[j].Write {
				a := &p.Steps[j].Write[k]
				for _, e := range x.universe.entitiesOf(a) {
					x.near[string(a.Kind)+" "+e.ID] = true
				}
			}
		}
	}
	law, err = x.one(v.law.Claim, v.budget)
	return law, x.further, err
}

func jsonOf(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// text says which values the universe has.
func (u *universe) text() string {
	return fmt.Sprint(u.kinds, u.values, u.named, u.together, u.notation, u.asked, u.summed)
}

// forget forgets the items that were made of the values of another universe.
func (x *explorer) forget() {
	text := x.universe.text()
	if x.variant == nil || x.valued != text {
		clear(x.made)
		clear(x.valid)
	}
	x.valued = text
}

// madeOf says what the requests of a step are made of.
func (x *explorer) madeOf(w *patternStep, c *cone, by client, users bool) string {
	text := fmt.Sprint(w.pattern.ID, jsonOf(w.step), by, users, c.few, x.valued)
	for i := range w.step.Write {
		for _, e := range x.universe.entitiesOf(&w.step.Write[i]) {
			text += fmt.Sprint(e.ID, c.holds(e.ID), c.of[e.ID])
		}
	}
	return text
}

// keepMoves keeps the requests of a step.
func (v *Variants) keepMoves(of string, moves []*move, cut bool) {
	kept := &keptMoves{moves: moves, cut: cut}
	for _, m := range moves {
		var all [][]string
		for _, number := range m.writes {
			w := &v.x.writes[number]
			var entities []string
			for _, e := range v.x.of[number] {
				entities = append(entities, string(w.Kind)+" "+e.ID)
			}
			if w.Kind != ap.ConditionCheck {
				all = append(all, entities)
			}
		}
		kept.writes = append(kept.writes, all)
	}
	v.kept[of] = kept
}

// recall makes the requests of a step out of the design's.
func (x *explorer) recall(w *patternStep, by client, known *keptMoves) (moves []*move) {
	for i, m := range known.moves {
		same := *m
		same.step = w
		if x.mayAdmit(m, known.writes[i]) {
			if same.patterns = x.admits(by, m.input, moveText(m)); len(same.patterns) == 0 {
				continue
			}
		}
		moves = append(moves, &same)
	}
	return moves
}

// mayAdmit reports whether a changed pattern may admit a request, or may no longer do so.
func (x *explorer) mayAdmit(m *move, writes [][]string) bool {
	if slices.ContainsFunc(m.patterns, func(p string) bool { return slices.Contains(x.changed, p) }) {
		return true
	}
	return !slices.ContainsFunc(writes, func(of []string) bool {
		return !slices.ContainsFunc(of, func(one string) bool { return x.near[one] })
	})
}

// note keeps what the search of a design begins with, or says of a variant's which requests and starts are not the design's.
func (x *explorer) note(moves []*move, starts []state) (fresh []bool, freshStart []bool) {
	text := func(m *move) string { return m.client.role + "\x00" + m.client.user + "\x00" + moveText(m) }
	switch {
	case x.keep != nil:
		for _, m := range moves {
			x.keep.moves[text(m)] = fmt.Sprint(m.patterns, m.tied)
		}
		for _, s := range starts {
			x.keep.starts[s.text()], x.keep.begun = true, append(x.keep.begun, slices.Clone(s))
		}
	case x.variant != nil:
		for _, m := range moves {
			fresh = append(fresh, x.variant.moves[text(m)] != fmt.Sprint(m.patterns, m.tied))
			if fresh[len(fresh)-1] {
				x.further++
			}
		}
		for _, s := range starts {
			freshStart = append(freshStart, !x.variant.starts[s.text()])
		}
	}
	return fresh, freshStart
}
