package explore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
)

// cone is what the exploration of a law varies: entities, and of each the attributes that do not stay as they are.
type cone struct {
	of map[string]map[string]role
	// steps are those that change what the law reads, and those that change what their conditions ask for.
	steps []*patternStep
	// core are the first of these.
	core map[*patternStep]bool
	// few says that no action stands in a request more than once.
	few bool
}

// role says why an attribute is in a cone.
type role int

const (
	// ofLaw are attributes that the law reads: all their values are tried with each other.
	ofLaw role = iota + 1
	// ofCondition are those that a condition reads: each value is tried alone.
	ofCondition
)

func (c *cone) add(entity string, why role, attributes ...string) {
	of := lists.Inner(c.of, entity)
	for _, a := range attributes {
		of[a] = cmp.Or(of[a], why)
	}
}

func (c *cone) holds(entity string) bool { return c.of[entity] != nil }

// list writes the cone for the evidence: "task: status, updatedAt".
func (c *cone) list() (all []string) {
	return lists.Map(slices.Sorted(maps.Keys(c.of)), func(entity string) string {
		text := entity
		if len(c.of[entity]) > 0 {
			text += ": " + strings.Join(slices.Sorted(maps.Keys(c.of[entity])), ", ")
		}
		return text
	})
}

// readBy is a cone of what a law reads.
func readBy(reads map[string][]string) *cone {
	c := &cone{of: map[string]map[string]role{}, core: map[*patternStep]bool{}}
	for entity, attributes := range reads {
		c.add(entity, ofLaw)
		for _, attribute := range attributes {
			if !strings.HasPrefix(attribute, "key.") {
				c.add(entity, ofLaw, attribute)
			}
		}
	}
	return c
}

// coneOf is what a law reads, closed over what the conditions and checks of the writes read that change it. The writes
// that change what such a condition reads, and that none of the first writes changes, come along; what their own
// conditions ask for is there in the starts.
func (x *explorer) coneOf(reads map[string][]string) *cone {
	c, whole := readBy(reads), readBy(reads)
	for _, w := range x.steps {
		if x.changes(w.step, whole) {
			c.steps, c.core[w] = append(c.steps, w), true
		}
	}
	for _, w := range c.steps {
		x.conditions(w.step, c, ofCondition)
	}
	enabling := lists.Where(x.steps, func(w *patternStep) bool { return !c.core[w] && x.changes(w.step, c) })
	for _, w := range enabling {
		x.conditions(w.step, c, 0)
	}
	c.steps = append(c.steps, enabling...)
	return c
}

// conditions adds what the conditions of a step read; without a reason their entities alone.
func (x *explorer) conditions(step *ap.Step, c *cone, why role) {
	for a := range lists.Each(step.Write) {
		entities := x.universe.entitiesOf(a)
		if !a.Times.Needed() && !inCone(c, entities) {
			continue // it stays out of the requests
		}
		for _, condition := range a.Condition {
			for _, e := range entities[:min(1, len(entities))] {
				c.add(e.ID, why)
				for _, path := range condition.Attributes() {
					if name, _, _ := strings.Cut(path, "."); why != 0 && !x.design.PrimaryKey(e).Has(name) {
						c.add(e.ID, why, name)
					}
				}
			}
		}
	}
}

// changes reports whether a step may change what a cone holds: an item that comes or goes, or an attribute.
func (x *explorer) changes(step *ap.Step, c *cone) bool {
	for a := range lists.Each(step.Write) {
		if slices.ContainsFunc(x.universe.entitiesOf(a), func(e *ap.Entity) bool { return c.changed(a, e) }) {
			return true
		}
	}
	return false
}

// changed reports whether an action of an item of an entity does.
func (c *cone) changed(a *ap.Action, e *ap.Entity) bool {
	if !c.holds(e.ID) || a.Kind == ap.ConditionCheck {
		return false
	}
	return a.Kind != ap.Update || !demandsItem(a) || slices.ContainsFunc(a.Changes(), func(path string) bool {
		name, _, _ := strings.Cut(path, ".")
		return c.of[e.ID][name] != 0
	})
}

func inCone(c *cone, entities []*ap.Entity) bool {
	return slices.ContainsFunc(entities, func(e *ap.Entity) bool { return c.holds(e.ID) })
}

// demandsItem reports whether the action's condition holds for a stored item alone.
func demandsItem(a *ap.Action) bool {
	return slices.ContainsFunc(a.Condition, func(c ap.Condition) bool {
		return !slices.ContainsFunc(c.Alternatives(), func(one ap.Condition) bool { return !one.Operator.ImpliesItem() })
	})
}

// patternStep is a write step of a pattern; a batch is one for each of its writes, which stand alone.
type patternStep struct {
	pattern *ap.Pattern
	at      int
	step    *ap.Step
	// part numbers the write of a batch. Steps of one part differ in the items whose keys were bound.
	part int
}

func (w *patternStep) String() string {
	if len(w.pattern.Steps) == 1 {
		return w.pattern.ID
	}
	return fmt.Sprintf("%s, step %s", w.pattern.ID, w.step.Name)
}

// stepsOf lists the write steps of a design. A key that is bound to the key of an item that was read has the form that this key has in
// an entity, for each that the read may return.
func stepsOf(d *ap.Design) (all []*patternStep) {
	for p := range lists.Each(d.Patterns) {
		for j := range p.Steps {
			for _, forms := range d.BoundForms(p, p.Steps[j].ForEach) {
				step := p.Steps[j]
				step.Write = slices.Clone(step.Write)
				formed := func(value *ap.Operand) { value.Template = value.Template.Of(forms) }
				for k := range step.Write {
					step.Write[k].Key, step.Write[k].With = slices.Clone(step.Write[k].Key), slices.Clone(step.Write[k].With)
					for n := range step.Write[k].With {
						formed(&step.Write[k].With[n].Value)
					}
					for n := range step.Write[k].Key {
						formed(&step.Write[k].Key[n].Value)
					}
				}
				for part, writes := range step.Together() {
					one := step
					one.Write, one.Batch = writes, 0
					all = append(all, &patternStep{p, j, &one, part})
				}
			}
		}
	}
	return all
}
