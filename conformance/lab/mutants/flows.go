package mutants

import (
	"fmt"
	"slices"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/conformance/evidence"
	"dynaproof/fixtures"
)

// stops ends a flow at a read behind which a case goes on, and takes away the end that a
// read has.
func (g *generator) stops(pattern *accesspatterns.Pattern, n int, step accesspatterns.Step) {
	if step.Read == nil || n == len(pattern.Steps)-1 {
		return
	}
	one := accesspatterns.Operand{Type: dynamo.Number, Template: "1"}
	what := "step " + step.Name + ": "
	seen, unseen := g.goesOn(pattern, n)
	if seen && step.StopAt == nil {
		g.flow(pattern, step.Name+"-stop-at-one", "end of a flow added", what+"ends the flow when it sees an item", func(p *accesspatterns.Pattern) { p.Steps[n].StopAt = &one })
	}
	if unseen && !step.StopWhenEmpty {
		g.flow(pattern, step.Name+"-stop-when-empty", "end of a flow added", what+"ends the flow when it sees nothing", func(p *accesspatterns.Pattern) { p.Steps[n].StopWhenEmpty = true })
	}
	next := pattern.Steps[n+1].ForEach
	rests := func(each *accesspatterns.ForEach) bool { return each != nil && each.Step == step.Name }
	if repeated := rests(next) || next != nil && rests(next.And); step.StopWhenEmpty && !repeated && g.ends(pattern, n) { // else there is nothing to go on with
		g.flow(pattern, step.Name+"-goes-on-when-empty", "end of a flow left out", what+"goes on when it sees nothing", func(p *accesspatterns.Pattern) { p.Steps[n].StopWhenEmpty = false }).orError = true
	}
	if step.StopAt != nil {
		g.flow(pattern, step.Name+"-goes-on", "end of a flow left out", what+"goes on whatever it sees", func(p *accesspatterns.Pattern) { p.Steps[n].StopAt = nil })
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
func (g *generator) goesOn(pattern *accesspatterns.Pattern, n int) (seen, unseen bool) {
	step, next := &pattern.Steps[n], &pattern.Steps[n+1]
	for _, c := range g.set.CasesOf(pattern.ID) {
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
func (g *generator) ends(pattern *accesspatterns.Pattern, n int) bool {
	step, next := &pattern.Steps[n], &pattern.Steps[n+1]
	return slices.ContainsFunc(g.set.CasesOf(pattern.ID), func(c fixtures.Case) bool {
		names, reached := sees(c, step.Name)
		needs := next.Read == nil && slices.ContainsFunc(next.Write, func(a accesspatterns.Action) bool { return a.Item != "" && a.Times.Needed() })
		return reached && len(names) == 0 && (!needs || len(c.Items) > 0)
	})
}

// ties changes what a step says of the items that it puts and of how many there are. What
// plays in a case does not fit the contract then, which is an error of one of them.
func (g *generator) ties(pattern *accesspatterns.Pattern, n int, step accesspatterns.Step) {
	for a, action := range step.Write {
		at, what := fmt.Sprintf("%s-%d", step.Name, a+1), fmt.Sprintf("step %s, %s %d: ", step.Name, action.Kind, a+1)
		add := func(id, operator, words string, change func(*accesspatterns.Action)) {
			g.flow(pattern, at+"-"+id, operator, what+words, changing(n, a, change)).verdict = evidence.Error
		}
		for w, with := range action.With {
			add("with-"+with.Attribute+"-changed", "tie of an item changed", "put with another "+with.Attribute, func(of *accesspatterns.Action) {
				of.With = slices.Clone(of.With)
				of.With[w].Value = stringOperand(otherName)
			})
		}
		if action.Kind == accesspatterns.Put && action.Item != "" {
			if name := g.carried(pattern, action); name != "" {
				add("without-"+name, "tie of an item changed", "put without "+name, func(of *accesspatterns.Action) { of.Without = append(slices.Clone(of.Without), name) })
			}
		}
		if action.Times != accesspatterns.Once && g.otherThanOnce(pattern, action) {
			add("once", "number of actions changed", "exactly once", func(of *accesspatterns.Action) { of.Times = accesspatterns.Once })
		}
	}
}

// carried is an attribute that an item has which a case lets the action put, and that the
// contract does not ask for by a tie.
func (g *generator) carried(pattern *accesspatterns.Pattern, action accesspatterns.Action) string {
	entity, known := g.design.Entity(action.Entity)
	if !known {
		return ""
	}
	for _, c := range g.set.CasesOf(pattern.ID) {
		for _, player := range c.Items[action.Item] {
			item, known := g.set.Item(player)
			if !known || len(c.Steps) > 0 { // a flow that may end before
				continue
			}
			for i := range entity.Attributes {
				if name := entity.Attributes[i].Name; item.Item[name] != nil {
					return name
				}
			}
		}
	}
	return ""
}

// otherThanOnce reports whether a case has the action not exactly once.
func (g *generator) otherThanOnce(pattern *accesspatterns.Pattern, action accesspatterns.Action) bool {
	return slices.ContainsFunc(g.set.CasesOf(pattern.ID), func(c fixtures.Case) bool { return len(c.Items[action.Item]) != 1 })
}
