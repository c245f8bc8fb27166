package mutants

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/fixtures"
)

// declared generates the mutants of what reports print as observed: the entities that
// a pattern returns, the layer that keeps a rule, and the errors that must come.
func (g *generator) declared() {
	for i := range g.design.Patterns {
		g.returned(&g.design.Patterns[i])
	}
	for i := range g.design.Guardrails {
		guardrail := &g.design.Guardrails[i]
		g.layers("guardrail/"+guardrail.ID, guardrail.Layer, g.layersOf(guardrail), g.restsOn(guardrail), func(design *ap.Design, layer ap.Layer) {
			design.Guardrails[i].Layer = layer
		})
	}
	for i := range g.design.Invariants {
		invariant := &g.design.Invariants[i]
		// Whether a condition or the order of the steps keeps it may be both.
		may := []ap.Layer{ap.LayerEngine, ap.LayerContract}
		g.layers("invariant/"+invariant.ID, invariant.Layer, may, nil, func(design *ap.Design, layer ap.Layer) {
			design.Invariants[i].Layer = layer
		})
	}
	g.caseErrors()
	g.trialErrors()
}

// returned names an entity that no request of the pattern touches in addition, and
// leaves out each that the last read of a pattern without writes returns.
func (g *generator) returned(pattern *ap.Pattern) {
	claim := "pattern/" + pattern.ID
	add := func(id, operator, what string, change func(*ap.Pattern)) {
		g.add(Mutant{Kind: Patterns, Operator: operator, What: pattern.ID + ": " + what, amend: amending(pattern.ID, change)}, claim+"/"+id, claim)
	}
	of := func(names []string) []string {
		return lists.Map(g.named(names), func(item *fixtures.Item) string { return item.Entity })
	}
	last := pattern.Steps[len(pattern.Steps)-1].Name
	touched, expected := slices.Clone(pattern.Returns), []string{}
	for _, c := range g.set.CasesOf(pattern.ID) {
		players, read := slices.Collect(maps.Values(c.Items)), slices.Collect(maps.Values(c.Steps))
		touched = append(touched, of(slices.Concat(c.Present, c.Absent, slices.Concat(players...), slices.Concat(read...)))...)
		expected = append(expected, of(c.Steps[last])...)
	}
	for other := range lists.Each(g.design.Entities) {
		if !slices.ContainsFunc(touched, func(id string) bool { return g.alike(id, other) }) {
			add("returns-more", "returned entity added", "said to return "+other.ID+", too", func(p *ap.Pattern) { p.Returns = append(p.Returns, other.ID) })
			break
		}
	}
	for _, entity := range pattern.Returns {
		if pattern.Writes() || !slices.Contains(expected, entity) {
			continue
		}
		add("returns-no-"+entity, "returned entity left out", "not said to return "+entity, func(p *ap.Pattern) {
			p.Returns = slices.DeleteFunc(p.Returns, func(id string) bool { return id == entity })
		})
	}
}

// alike reports whether an entity is one, or has keys of the same form.
func (g *generator) alike(id string, other *ap.Entity) bool {
	entity, known := g.design.Entity(id)
	if !known || entity.ID == other.ID {
		return known
	}
	table, _ := g.design.Table(entity.Table)
	return entity.Table == other.Table && !slices.ContainsFunc(table.Keys(), func(key ap.Key) bool {
		one, _ := entity.Key(key.Attribute)
		two, _ := other.Key(key.Attribute)
		return one.Template != two.Template
	})
}

// layers names another layer, of those that the attempts on a rule do not show the one
// that is nearest.
func (g *generator) layers(claim string, declared ap.Layer, may []ap.Layer, rests []string, change func(*ap.Design, ap.Layer)) {
	for _, layer := range []ap.Layer{
		ap.LayerGuard, ap.LayerEngine, ap.LayerContract, ap.LayerDeployment, ap.LayerPolicy,
	} {
		if layer == declared || slices.Contains(may, layer) {
			continue
		}
		g.add(Mutant{
			Kind: Guardrails, Operator: "layer exchanged", What: fmt.Sprintf("%s: said to be kept by %s instead of %s", claim, layer, declared),
			amend:   func(design *ap.Design) { change(design, layer) },
			touches: func(claim manifest.Claim) bool { return slices.Contains(rests, claim.ID) },
		}, "layer/"+claim+"/"+string(layer), claim)
		return
	}
}

// layersOf are the layers that the fixtures let keep a guardrail: those that refuse an
// attempt, what an attempt without a refusal comes to, and what the claims speak of that
// show it.
func (g *generator) layersOf(guardrail *ap.Guardrail) []ap.Layer {
	var may []ap.Layer
	switch guardrail.Proof {
	case ap.ByTrials:
	case ap.ByClaims: // all but a policy, whose claims no guardrail rests on
		may = append(may, ap.LayerGuard, ap.LayerEngine, ap.LayerContract, ap.LayerDeployment)
	default:
		may = append(may, ap.LayerContract)
	}
	for _, trial := range g.set.TrialsOf("guardrail/" + guardrail.ID) {
		if trial.Form != fixtures.Attempt {
			continue
		}
		refused := false
		for i := range trial.Requests {
			switch want := trial.Requests[i].Expect; {
			case want.Refused != "":
				may, refused = append(may, ap.LayerGuard), true
			case want.Error != "":
				may, refused = append(may, ap.LayerEngine), true
			}
		}
		if !refused {
			may = append(may, ap.LayerEngine, ap.LayerContract)
		}
	}
	return may
}

// restsOn are the claims that a guardrail rests on, and those that these rest on; for one
// that is read off the ledger the patterns that have to send something.
func (g *generator) restsOn(guardrail *ap.Guardrail) []string {
	var all []string
	for _, id := range guardrail.Claims {
		all = append(all, g.design.Name+"/"+id)
		if other, known := g.design.Guardrail(strings.TrimPrefix(id, "guardrail/")); known && "guardrail/"+other.ID == id {
			all = append(all, g.restsOn(other)...)
		}
	}
	reads := slices.IndexFunc(g.design.Patterns, func(p ap.Pattern) bool { return p.OnlyRead() != nil })
	if guardrail.Proof == ap.ByLedgerNoScan && reads >= 0 {
		all = append(all, g.design.Name+"/pattern/"+g.design.Patterns[reads].ID)
	}
	return all
}

// otherError is an error that no fixture expects.
const otherError = "ItemCollectionSizeLimitExceededException"

// caseErrors changes what one case of each pattern expects: another error, none, and
// another reason of the first action where a case expects an error; an error where no
// case does.
func (g *generator) caseErrors() {
	for i := range g.design.Patterns {
		pattern := g.design.Patterns[i].ID
		of := func(c fixtures.Case) bool { return c.Pattern == pattern && c.ReaderError == "" }
		at := slices.IndexFunc(g.set.Cases, func(c fixtures.Case) bool { return of(c) && c.Error != "" })
		if at < 0 {
			if at = slices.IndexFunc(g.set.Cases, of); at < 0 {
				continue
			}
		}
		c := &g.set.Cases[at]
		add := func(id, operator, what string, change func(*fixtures.Case)) {
			g.add(Mutant{
				Kind: Patterns, Operator: operator, What: fmt.Sprintf("%s, case %s: %s", pattern, c.Name, what),
				refit: func(set *fixtures.Set) { change(&set.Cases[at]) },
			}, "case/"+pattern+"/"+id, "pattern/"+pattern)
		}
		if c.Error == "" {
			add("error-added", "error expected that never comes", "expects an error", func(c *fixtures.Case) { c.Error = otherError })
			continue
		}
		add("error-changed", "another error expected", "expects another error than "+c.Error, func(c *fixtures.Case) { c.Error = otherError })
		add("error-dropped", "no error expected", "expects no "+c.Error, func(c *fixtures.Case) { c.Error, c.Reasons, c.RefusedAt = "", nil, "" })
		if len(c.Reasons) > 0 {
			other := others(c.Reasons[0], "ConditionalCheckFailed", "None")[0]
			add("reason-changed", "another cancellation reason expected", "expects "+other+" of the first action", func(c *fixtures.Case) {
				c.Reasons = slices.Clone(c.Reasons)
				c.Reasons[0] = other
			})
		}
	}
}

// trialErrors expects another refusal by the engine, and one by the guard for another
// rule, of the first request of each claim's trials that expects one.
func (g *generator) trialErrors() {
	has := map[string]bool{}
	for i := range g.set.Trials {
		trial := &g.set.Trials[i]
		guardrail, known := g.design.Guardrail(strings.TrimPrefix(trial.For, "guardrail/"))
		if !known || guardrail.Proof != ap.ByTrials {
			continue // what rests on other claims, too, says nothing without them
		}
		for n := range trial.Requests {
			request := &trial.Requests[n]
			kind := fmt.Sprint(trial.For, request.Expect.Error != "")
			if request.Expect.Error == "" && request.Expect.Refused == "" || has[kind] {
				continue
			}
			has[kind] = true
			add := func(id, operator, what string, change func(*fixtures.Expectation)) {
				g.add(Mutant{
					Kind: Guardrails, Operator: operator, What: fmt.Sprintf("%s, %s %s: %s", trial.For, trial.Form, request.Operation, what),
					refit: func(set *fixtures.Set) {
						requests := slices.Clone(set.Trials[i].Requests)
						change(&requests[n].Expect)
						set.Trials[i].Requests = requests
					},
				}, "trial/"+trial.For+"/"+id, trial.For)
			}
			if request.Expect.Error != "" {
				add("error-changed", "another error expected", "another error than "+request.Expect.Error, func(e *fixtures.Expectation) { e.Error = otherError })
				continue
			}
			other := others(guard.Rule(request.Expect.Refused), guard.RuleConfiguration, guard.RuleStep)[0]
			add("rule-changed", "another rule of the guard expected", "refused for another rule than "+request.Expect.Refused, func(e *fixtures.Expectation) { e.Refused = string(other) })
		}
	}
}
