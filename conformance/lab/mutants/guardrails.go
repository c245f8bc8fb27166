package mutants

import (
	"fmt"
	"slices"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/sdk"
)

// guardrails generates the mutants of the flows that keep guardrails.
func (g *generator) guardrails() {
	for i := range g.design.Patterns {
		pattern := &g.design.Patterns[i]
		for n, step := range pattern.Steps {
			if len(step.Write) > 0 {
				g.conditions(pattern, n, step)
			}
			if len(step.Write) > 1 {
				g.split(pattern, n, step)
			}
			g.effects(pattern, n, step)
			g.ties(pattern, n, step)
			g.stops(pattern, n, step)
			if step.Batch > 0 {
				g.batch(pattern, n, step)
			}
		}
	}
}

// flow adds a mutant that changes the steps of a flow; without claims, the
// pattern's own must fail.
func (g *generator) flow(pattern *accesspatterns.Pattern, id, operator, what string, change func(*accesspatterns.Pattern), expect ...string) *Mutant {
	name := pattern.ID
	if len(expect) == 0 {
		expect = []string{"pattern/" + name}
	}
	return g.add(Mutant{Kind: Guardrails, Operator: operator, What: name + ", " + what, amend: amending(name, change)}, "flow/"+name+"/"+id, expect...)
}

// changing changes one action of a step.
func changing(step, action int, change func(*accesspatterns.Action)) func(*accesspatterns.Pattern) {
	return func(p *accesspatterns.Pattern) {
		write := slices.Clone(p.Steps[step].Write)
		change(&write[action])
		p.Steps[step].Write = write
	}
}

// batch sends one write more in a batch than DynamoDB takes. The invariants of
// the flow run it over enough items.
func (g *generator) batch(pattern *accesspatterns.Pattern, n int, step accesspatterns.Step) {
	const tooMany = sdk.MaxBatch + 1
	var invariants []string
	for _, invariant := range g.design.Invariants {
		if invariant.Flow == pattern.ID {
			invariants = append(invariants, "invariant/"+invariant.ID)
		}
	}
	g.flow(pattern, fmt.Sprintf("%s-batch-of-%d", step.Name, tooMany), "batch of too many writes",
		fmt.Sprintf("step %s: up to %d writes in one BatchWriteItem", step.Name, tooMany),
		func(p *accesspatterns.Pattern) { p.Steps[n].Batch = tooMany }, invariants...)
}

// conditions removes each condition of each write of a step, and each condition
// check as a whole.
func (g *generator) conditions(pattern *accesspatterns.Pattern, n int, step accesspatterns.Step) {
	if step.MayFail {
		g.flow(pattern, step.Name+"-must-not-fail", "failure ends the flow", fmt.Sprintf("step %s: its failure ends the flow", step.Name), func(p *accesspatterns.Pattern) {
			p.Steps[n].MayFail = false
		})
	}
	for a, action := range step.Write {
		at := fmt.Sprintf("%s-%d", step.Name, a+1)
		what := fmt.Sprintf("step %s, %s %d", step.Name, action.Kind, a+1)
		if action.Kind == accesspatterns.ConditionCheck {
			if len(step.Write) == 1 {
				continue // a transaction needs an action
			}
			g.flow(pattern, at+"-check-removed", "condition check removed", what+": removed", func(p *accesspatterns.Pattern) {
				p.Steps[n].Write = slices.Delete(slices.Clone(p.Steps[n].Write), a, a+1)
			})
			if len(action.Condition) == 1 {
				continue // a check without a condition is none
			}
		}
		for c, condition := range action.Condition {
			g.flow(pattern, fmt.Sprintf("%s-condition-%d-removed", at, c+1), "condition removed",
				fmt.Sprintf("%s: without %s on %s", what, condition.Operator, condition.Attribute), changing(n, a, func(of *accesspatterns.Action) {
					of.Condition = slices.Delete(slices.Clone(of.Condition), c, c+1)
				}))
		}
	}
}

// effects leaves out each action of a transaction, and of an Update each attribute that it may change, assigns or removes; it
// assigns other values too.
func (g *generator) effects(pattern *accesspatterns.Pattern, n int, step accesspatterns.Step) {
	for a, action := range step.Write {
		at, what := fmt.Sprintf("%s-%d", step.Name, a+1), fmt.Sprintf("step %s, %s %d", step.Name, action.Kind, a+1)
		add := func(id, operator, words string, change func(*accesspatterns.Action)) {
			g.flow(pattern, at+"-"+id, operator, what+": "+words, changing(n, a, change))
		}
		if action.Kind != accesspatterns.ConditionCheck && len(step.Write) > 1 {
			g.flow(pattern, at+"-left-out", "action left out", what+": left out", func(p *accesspatterns.Pattern) {
				p.Steps[n].Write = slices.Delete(slices.Clone(p.Steps[n].Write), a, a+1)
			})
		}
		for e, name := range action.Edits {
			add("edit-"+name+"-left-out", "edit left out", "without "+name, func(of *accesspatterns.Action) { of.Edits = slices.Delete(slices.Clone(of.Edits), e, e+1) })
		}
		for e, name := range action.Remove {
			add("remove-"+name+"-left-out", "removal left out", "without REMOVE "+name, func(of *accesspatterns.Action) { of.Remove = slices.Delete(slices.Clone(of.Remove), e, e+1) })
		}
		for e, set := range action.Set {
			add("set-"+set.Attribute+"-left-out", "assignment left out", "without SET "+set.Attribute, func(of *accesspatterns.Action) { of.Set = slices.Delete(slices.Clone(of.Set), e, e+1) })
			other := set.Value
			switch other.Type {
			case dynamo.String:
				other.Template = otherName
			case dynamo.Number:
				other.Template = "987654"
			default:
				continue
			}
			add("set-"+set.Attribute+"-changed", "assignment changed", "with another value of "+set.Attribute, func(of *accesspatterns.Action) {
				of.Set = slices.Clone(of.Set)
				of.Set[e].Value = other
			})
		}
	}
}

// split sends the actions of a transaction one by one.
func (g *generator) split(pattern *accesspatterns.Pattern, n int, step accesspatterns.Step) {
	g.flow(pattern, step.Name+"-split", "transaction split into single writes", fmt.Sprintf("step %s: %d single writes", step.Name, len(step.Write)), func(p *accesspatterns.Pattern) {
		var singles []accesspatterns.Step
		for i, action := range p.Steps[n].Write {
			single := p.Steps[n]
			single.Write = []accesspatterns.Action{action}
			if i > 0 { // what happens before the step happens before its first write
				single.Name = fmt.Sprintf("%s %d", step.Name, i+1)
			}
			singles = append(singles, single)
		}
		p.Steps = slices.Replace(slices.Clone(p.Steps), n, n+1, singles...)
	})
}
