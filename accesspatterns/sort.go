package accesspatterns

import (
	"cmp"
	"slices"
	"strings"
)

// SortByDocument brings the design's lists into the order of the lines that they
// cite, and of their ids where these are the same, so that it does not matter in
// which order they were written down. The attributes and rules of an entity and
// the steps of a pattern keep their order.
func (d *Design) SortByDocument() {
	byLine(d.Tables, func(t *Table) (Citation, string) { return t.Cite, t.ID })
	byLine(d.Entities, func(e *Entity) (Citation, string) { return e.Cite, e.ID })
	byLine(d.Examples, func(e *Example) (Citation, string) { return e.Cite, e.ID })
	byLine(d.Patterns, func(p *Pattern) (Citation, string) { return p.Cite, p.ID })
	byLine(d.Guardrails, func(g *Guardrail) (Citation, string) { return g.Cite, g.ID })
	byLine(d.Invariants, func(i *Invariant) (Citation, string) { return i.Cite, i.ID })
	byLine(d.Policies.Roles, func(r *Role) (Citation, string) { return r.Cite, r.ID })
	byLine(d.Findings, func(f *Finding) (Citation, string) { return f.Cite, f.ID })
	byLine(d.Waivers, func(w *Waiver) (Citation, string) { return w.Cite, w.ID })
	byLine(d.NotCheckable, func(n *NotCheckable) (Citation, string) { return n.Cite, n.ID })
	slices.SortStableFunc(d.Answers, func(a, b Answer) int { return strings.Compare(a.Objection, b.Objection) })
	byLine(d.Narrative, func(n *NarrativeLines) (Citation, string) { return Citation{First: n.First, Last: n.Last}, "" })
}

func byLine[T any](all []T, place func(*T) (Citation, string)) {
	slices.SortStableFunc(all, func(x, y T) int {
		a, idA := place(&x)
		b, idB := place(&y)
		return cmp.Or(a.First-b.First, strings.Compare(idA, idB))
	})
}
