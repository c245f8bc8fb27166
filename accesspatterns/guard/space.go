package guard

import (
	"fmt"
	"iter"
	"slices"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/lists"
)

// spaceKey names the reads of one operation on one table or index.
type spaceKey struct {
	operation dynamo.Operation
	index     string
}

// headKey names the reads whose key condition begins alike. An empty head stands
// for templates that begin with a parameter.
type headKey struct {
	sort                expression.Operator
	partition, sortHead string
}

// space holds the documented reads of the client's roles by what their key
// conditions begin with, so that a request is compared with the few that it may
// be, however many there are.
type space map[headKey][]*documented

func (s space) add(d *documented) {
	key := headKey{partition: d.partition.head()}
	if d.read.Sort != nil {
		key.sort, key.sortHead = d.read.Sort.Operator, d.low.head()
	}
	// Reads with a budget come first: they govern requests of their shape.
	at := len(s[key])
	if d.read.InspectBudget > 0 {
		at = 0
	}
	s[key] = slices.Insert(s[key], at, d)
}

// candidates are all reads that the request may be.
func (s space) candidates(r *request) iter.Seq[*documented] {
	return func(yield func(*documented) bool) {
		partition, sort := headOf(dynamo.ScalarText(r.partition)), headOf(dynamo.ScalarText(r.low))
		for i, key := range [...]headKey{{r.sortOp, partition, sort}, {r.sortOp, "", sort}, {r.sortOp, partition, ""}, {r.sortOp, "", ""}} {
			if i%2 > 0 && partition == "" || i > 1 && sort == "" {
				continue // the same as one before
			}
			for _, d := range s[key] {
				if !yield(d) {
					return
				}
			}
		}
	}
}

// documentPatterns prepares every step of the design: the reads by what they begin with, and the writes by the entities that the design
// says how to write.
func (g *Guard) documentPatterns() error {
	for pattern := range lists.Each(g.design.Patterns) {
		for j := range pattern.Steps {
			if err := g.documentStep(pattern, &pattern.Steps[j]); err != nil {
				return fmt.Errorf("pattern %s, step %s: %w", pattern.ID, pattern.Steps[j].Name, err)
			}
		}
	}
	for _, d := range g.reads {
		if !d.allowed {
			continue
		}
		d.byNameOnly = d.read.InspectBudget == 0 && slices.ContainsFunc(g.reads, func(other *documented) bool {
			return other.allowed && other.read.InspectBudget > 0 && other.sameShape(d)
		})
		key := spaceKey{d.read.Operation, d.read.Index}
		if d.table.spaces[key] == nil {
			d.table.spaces[key] = space{}
		}
		d.table.spaces[key].add(d)
	}
	for _, s := range g.steps {
		for a := range lists.Each(s.actions) {
			for _, e := range a.entities {
				e.put = e.put || a.kind == accesspatterns.Put
				e.changed = e.changed || a.kind == accesspatterns.Update || a.kind == accesspatterns.Delete
				e.edits(a)
				if n := len(e.steps); n == 0 || e.steps[n-1] != s {
					e.steps = append(e.steps, s)
				}
			}
		}
	}
	return nil
}

// documentStep prepares one step, once for each form of what its flow binds.
func (g *Guard) documentStep(pattern *accesspatterns.Pattern, from *accesspatterns.Step) error {
	if _, waived := g.design.Waiver(pattern.Waiver); from.Read != nil && from.Read.Operation == dynamo.Scan && !waived {
		return nil
	}
	for _, forms := range g.design.BoundForms(pattern, from.ForEach) {
		at := placed{pattern: pattern, name: from.Name, cite: from.Cite, allowed: g.settings.allows(pattern.Roles), user: g.userOf(pattern), forms: forms}
		if from.Read != nil {
			if err := g.documentRead(at, from); err != nil {
				return err
			}
			continue
		}
		for _, writes := range from.Together() {
			if err := g.documentWrites(at, from, writes); err != nil {
				return err
			}
		}
	}
	return nil
}
