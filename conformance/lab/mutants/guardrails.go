package mutants

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/fixtures"
)

// guardrails generates the mutants of the flows that keep guardrails.
func (g *generator) guardrails() {
	for pattern := range lists.Each(g.design.Patterns) {
		for n := range pattern.Steps {
			(&stepBreaker{g, pattern, n, &pattern.Steps[n]}).all()
		}
	}
}

// stepBreaker generates the mutants of the nth step of a flow.
type stepBreaker struct {
	*generator
	pattern *ap.Pattern
	n       int
	step    *ap.Step
}

// flow adds a mutant that changes the steps of a flow; without claims, the pattern's own must fail.
func (b *stepBreaker) flow(id, operator, what string, change func(*ap.Pattern), expect ...string) *Mutant {
	name := b.pattern.ID
	if len(expect) == 0 {
		expect = []string{"pattern/" + name}
	}
	return b.generator.add(Mutant{Kind: Guardrails, Operator: operator, What: name + ", step " + b.step.Name + what, amend: amending(name, change)},
		"flow/"+name+"/"+b.step.Name+"-"+id, expect...)
}

func (b *stepBreaker) change(id, operator, words string, change func(*ap.Step), expect ...string) *Mutant {
	return b.flow(id, operator, ": "+words, func(p *ap.Pattern) { change(&p.Steps[b.n]) }, expect...)
}

func (b *stepBreaker) all() {
	var actions []actionBreaker
	for a := range b.step.Write {
		actions = append(actions, actionBreaker{b, a, &b.step.Write[a]})
	}
	if b.step.MayFail && len(actions) > 0 {
		b.change("must-not-fail", "failure ends the flow", "its failure ends the flow", func(s *ap.Step) { s.MayFail = false })
	}
	for _, action := range actions {
		action.conditions()
	}
	if len(actions) > 1 {
		b.split()
	}
	for _, action := range actions {
		action.effects()
	}
	for _, action := range actions {
		action.ties()
	}
	b.stops()
	if b.step.Batch > 0 {
		b.batch()
	}
}

// batch sends one write more in a batch than DynamoDB takes. The invariants of
// the flow run it over enough items.
func (b *stepBreaker) batch() {
	const tooMany = sdk.MaxBatch + 1
	of := lists.Where(b.design.Invariants, func(i ap.Invariant) bool { return i.Flow == b.pattern.ID })
	b.change(fmt.Sprintf("batch-of-%d", tooMany), "batch of too many writes", fmt.Sprintf("up to %d writes in one BatchWriteItem", tooMany),
		func(s *ap.Step) { s.Batch = tooMany }, lists.Map(of, func(i ap.Invariant) string { return "invariant/" + i.ID })...)
}

// split sends the actions of a transaction one by one.
func (b *stepBreaker) split() {
	n := b.n
	b.flow("split", "transaction split into single writes", fmt.Sprintf(": %d single writes", len(b.step.Write)), func(p *ap.Pattern) {
		var singles []ap.Step
		for i, action := range p.Steps[n].Write {
			single := p.Steps[n]
			single.Write = []ap.Action{action}
			if i > 0 { // what happens before the step happens before its first write
				single.Name = fmt.Sprintf("%s %d", single.Name, i+1)
			}
			singles = append(singles, single)
		}
		p.Steps = slices.Replace(slices.Clone(p.Steps), n, n+1, singles...)
	})
}

// actionBreaker generates the mutants of one action of a step.
type actionBreaker struct {
	*stepBreaker
	a      int
	action *ap.Action
}

// change adds a mutant that changes the action; nil leaves it out.
func (b actionBreaker) change(id, operator, words string, change func(*ap.Action)) *Mutant {
	return b.flow(fmt.Sprintf("%d-%s", b.a+1, id), operator, fmt.Sprintf(", %s %d: %s", b.action.Kind, b.a+1, words), func(p *ap.Pattern) {
		write := slices.Clone(p.Steps[b.n].Write)
		if change == nil {
			write = slices.Delete(write, b.a, b.a+1)
		} else {
			change(&write[b.a])
		}
		p.Steps[b.n].Write = write
	})
}

// conditions removes each condition, and a condition check as a whole.
func (b actionBreaker) conditions() {
	if b.action.Kind == ap.ConditionCheck {
		if len(b.step.Write) == 1 {
			return // a transaction needs an action
		}
		b.change("check-removed", "condition check removed", "removed", nil)
		if len(b.action.Condition) == 1 {
			return // a check without a condition is none
		}
	}
	for c, condition := range b.action.Condition {
		b.change(fmt.Sprintf("condition-%d-removed", c+1), "condition removed", fmt.Sprintf("without %s on %s", condition.Operator, condition.Attribute), func(of *ap.Action) {
			of.Condition = slices.Delete(slices.Clone(of.Condition), c, c+1)
		})
	}
}

// effects leaves out an action of a transaction, and of an Update each attribute that it may change, assigns or removes; it
// assigns other values too.
func (b actionBreaker) effects() {
	if b.action.Kind != ap.ConditionCheck && len(b.step.Write) > 1 {
		b.change("left-out", "action left out", "left out", nil)
	}
	for e, name := range b.action.Edits {
		b.change("edit-"+name+"-left-out", "edit left out", "without "+name, func(of *ap.Action) { of.Edits = slices.Delete(slices.Clone(of.Edits), e, e+1) })
	}
	for e, name := range b.action.Remove {
		b.change("remove-"+name+"-left-out", "removal left out", "without REMOVE "+name, func(of *ap.Action) { of.Remove = slices.Delete(slices.Clone(of.Remove), e, e+1) })
	}
	for e, set := range b.action.Set {
		b.change("set-"+set.Attribute+"-left-out", "assignment left out", "without SET "+set.Attribute, func(of *ap.Action) { of.Set = slices.Delete(slices.Clone(of.Set), e, e+1) })
		other := set.Value
		switch other.Type {
		case dynamo.String:
			other.Template = otherName
		case dynamo.Number:
			other.Template = "987654"
		default:
			continue
		}
		b.change("set-"+set.Attribute+"-changed", "assignment changed", "with another value of "+set.Attribute, func(of *ap.Action) {
			of.Set = slices.Clone(of.Set)
			of.Set[e].Value = other
		})
	}
}

// guards switches off each rule of the guard that a guardrail of the design
// rests on: where a trial expects a refusal for a rule, the guardrail's claim must
// notice that the guard lets such requests through.
func (g *generator) guards() {
	for _, guardrail := range g.design.Guardrails {
		for _, rule := range g.refusedFor(guardrail.ID) {
			g.add(Mutant{
				Kind: Guardrails, Operator: "rule of the guard switched off",
				What:    fmt.Sprintf("guardrail %s: the guard lets through what it would refuse for %s", guardrail.ID, rule),
				lenient: rule,
			}, "guard/"+guardrail.ID+"/"+string(rule), "guardrail/"+guardrail.ID)
		}
	}
}

// refusedFor lists the rules for which trials of a guardrail expect the guard to refuse.
func (g *generator) refusedFor(guardrail string) []guard.Rule {
	requests := slices.Concat(lists.Map(g.set.TrialsOf("guardrail/"+guardrail), func(trial fixtures.Trial) []fixtures.Request { return trial.Requests })...)
	return lists.Where(guard.Rules(), func(rule guard.Rule) bool {
		return slices.ContainsFunc(requests, func(request fixtures.Request) bool { return request.Expect.Refused == string(rule) })
	})
}

// lacking returns what makes a guarded client lack a rule: what the guard refuses for
// the rule is sent all the same, with the bare client.
func lacking(rule guard.Rule) func(*dynamodb.Client) func(*dynamodb.Options) {
	return func(bare *dynamodb.Client) func(*dynamodb.Options) {
		lenient := middleware.InitializeMiddlewareFunc("GuardWithoutRule",
			func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
				out, metadata, err := next.HandleInitialize(ctx, in)
				var refusal *guard.Refusal
				if errors.As(err, &refusal) && refusal.Rule == rule {
					out.Result, err = sdk.Send(middleware.ClearStackValues(ctx), bare, in.Parameters)
				}
				return out, metadata, err
			})
		return func(options *dynamodb.Options) {
			options.APIOptions = append(options.APIOptions, func(stack *middleware.Stack) error { return stack.Initialize.Add(lenient, middleware.Before) })
		}
	}
}
