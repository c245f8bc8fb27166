package mutants

import (
	"slices"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/conformance/evidence"
	"dynaproof/fixtures"
)

// stops ends a flow at a read behind which a case goes on, and takes away the end that a
// read has.
func (b *stepBreaker) stops() {
	step := b.step
	if step.Read == nil || b.n == len(b.pattern.Steps)-1 {
		return
	}
	one := ap.Operand{Type: dynamo.Number, Template: "1"}
	seen, unseen := b.goesOn()
	if seen && step.StopAt == nil {
		b.change("stop-at-one", "end of a flow added", "ends the flow when it sees an item", func(s *ap.Step) { s.StopAt = &one })
	}
	if unseen && !step.StopWhenEmpty {
		b.change("stop-when-empty", "end of a flow added", "ends the flow when it sees nothing", func(s *ap.Step) { s.StopWhenEmpty = true })
	}
	next := b.pattern.Steps[b.n+1].ForEach
	rests := func(each *ap.ForEach) bool { return each != nil && each.Step == step.Name }
	if repeated := rests(next) || next != nil && rests(next.And); step.StopWhenEmpty && !repeated && b.ends() { // else there is nothing to go on with
		b.change("goes-on-when-empty", "end of a flow left out", "goes on when it sees nothing", func(s *ap.Step) { s.StopWhenEmpty = false }).orError = true
	}
	if step.StopAt != nil {
		b.change("goes-on", "end of a flow left out", "goes on whatever it sees", func(s *ap.Step) { s.StopAt = nil })
	}
}

// sees are the items that a case has a read see, as the reader interprets them; reached
// says whether it gets there.
func sees(c fixtures.Case, step string) (names []string, reached bool) {
	names, reached = c.Steps[step]
	if interpreted, known := c.Sees[step]; known {
		names = interpreted
	}
	return names, reached
}

// goesOn reports whether some case goes on behind a read that sees something, and behind
// one that sees nothing.
func (b *stepBreaker) goesOn() (seen, unseen bool) {
	step, next := b.step, &b.pattern.Steps[b.n+1]
	for _, c := range b.set.CasesOf(b.pattern.ID) {
		names, reached := sees(c, step.Name)
		if c.ReaderError != "" || !reached {
			continue
		}
		if _, read := c.Steps[next.Name]; next.Read != nil && !read {
			continue // it ends here
		}
		if step.StopWhenEmpty && len(names) == 0 || slices.Contains(c.Idle, next.Name) {
			continue
		}
		seen = seen || len(names) > 0
		unseen = unseen || len(names) == 0 && step.ForEach == nil
	}
	return seen, unseen
}

// ends reports whether some case ends at a read that sees nothing, and would have
// something to send behind it.
func (b *stepBreaker) ends() bool {
	next := &b.pattern.Steps[b.n+1]
	return slices.ContainsFunc(b.set.CasesOf(b.pattern.ID), func(c fixtures.Case) bool {
		names, reached := sees(c, b.step.Name)
		needs := next.Read == nil && slices.ContainsFunc(next.Write, func(a ap.Action) bool { return a.Item != "" && a.Times.Needed() })
		return reached && len(names) == 0 && (!needs || len(c.Items) > 0)
	})
}

// ties changes what an action says of the items that it puts and of how many there are. What
// plays in a case does not fit the contract then, which is an error of one of them.
func (b actionBreaker) ties() {
	action := b.action
	change := func(id, operator, words string, change func(*ap.Action)) {
		b.change(id, operator, words, change).verdict = evidence.Error
	}
	for w, with := range action.With {
		change("with-"+with.Attribute+"-changed", "tie of an item changed", "put with another "+with.Attribute, func(of *ap.Action) {
			of.With = slices.Clone(of.With)
			of.With[w].Value = ap.Operand{Type: dynamo.String, Template: otherName}
		})
	}
	if action.Kind == ap.Put && action.Item != "" {
		if name := b.carried(); name != "" {
			change("without-"+name, "tie of an item changed", "put without "+name, func(of *ap.Action) { of.Without = append(slices.Clone(of.Without), name) })
		}
	}
	otherThanOnce := slices.ContainsFunc(b.set.CasesOf(b.pattern.ID), func(c fixtures.Case) bool { return len(c.Items[action.Item]) != 1 })
	if action.Times != ap.Once && otherThanOnce {
		change("once", "number of actions changed", "exactly once", func(of *ap.Action) { of.Times = ap.Once })
	}
}

// carried is an attribute that an item has which a case lets the action put, and that the
// contract does not ask for by a tie.
func (b actionBreaker) carried() string {
	entity, known := b.design.Entity(b.action.Entity)
	if !known {
		return ""
	}
	for _, c := range b.set.CasesOf(b.pattern.ID) {
		for _, player := range b.named(c.Items[b.action.Item]) {
			if name := attributeOf(entity, player); len(c.Steps) == 0 && name != "" { // else the flow may end before
				return name
			}
		}
	}
	return ""
}
