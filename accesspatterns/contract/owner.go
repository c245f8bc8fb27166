package contract

import (
	"slices"
	"strings"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract/file"
)

// owner reads whose the items of an entity are; nil where the contract does not say.
func (b *builder) owner(e *ap.Entity, from *file.Owner) *ap.Ownership {
	if from == nil {
		return nil
	}
	of := &ap.Ownership{By: list(from.By), Through: from.Through, Of: from.Of, Nobody: from.Nobody, Author: from.Author, Shown: list(from.Shown), Cite: cite(from.Cite)}
	if of.Through != "" && !slices.Contains(b.written.Entities.Names(), of.Through) {
		b.report(from.Errorf("through", "owner of entity %s: no entity %s%s", e.ID, of.Through, alike(of.Through, b.written.Entities.Names())))
	}
	if of.Cite.First == 0 {
		of.Cite = cited(e, append(slices.Clone(of.By), of.Of))
	}
	return of
}

// cited are the lines of the first of these attributes or parameters, which imply whose an item is; else the entity's.
func cited(e *ap.Entity, names []string) ap.Citation {
	const holds = "an item is of the user whose id it holds"
	for i := range e.Keys {
		if slices.Contains(e.Keys[i].Template.Parameters(), names[0]) {
			return e.Keys[i].Cite.Implied(holds)
		}
	}
	if a, is := e.Attribute(names[0]); is {
		return a.Cite.Implied(holds)
	}
	return e.Cite.Implied("no key and no attribute of it holds the id of a user who owns it")
}

// breaches reads who does not keep a promise.
func (b *builder) breaches(from []file.NotKept) (all []ap.Breach) {
	for _, broken := range from {
		all = append(all, ap.Breach{Patterns: list(broken.By), Finding: broken.Finding})
		if !slices.Contains(b.written.Findings.Names(), broken.Finding) {
			b.report(broken.Errorf("finding", "not-kept: no finding %s%s", broken.Finding, alike(broken.Finding, b.written.Findings.Names())))
		}
		for _, pattern := range broken.By {
			if known := b.written.Patterns.Names(); !slices.Contains(known, pattern) {
				b.report(broken.Errorf("by", "not-kept: no pattern %s%s", pattern, alike(pattern, known)))
			}
		}
	}
	return all
}

// reaches reads whose items a role reaches; nil where the contract does not say.
func (b *builder) reaches(role *ap.Role, from *file.Reach) *ap.Reach {
	if from == nil {
		return nil
	}
	of := &ap.Reach{Everybody: from.Everybody, AllOf: list(from.AllOf), ByFlow: list(from.KeptByFlow), Cite: cite(from.Cite)}
	if of.Cite.First == 0 {
		of.Cite = role.Cite
	}
	if of.Everybody != "" && len(of.AllOf)+len(from.Linked)+len(of.ByFlow)+len(from.NotKept) > 0 {
		b.report(from.Errorf("everybody", "role %s: a role that reaches the items of all users keeps nothing; take everybody away, or the rest", role.ID))
	}
	entity := func(field, id string) {
		if !slices.Contains(b.written.Entities.Names(), id) {
			b.report(from.Errorf(field, "role %s: no entity %s%s", role.ID, id, alike(id, b.written.Entities.Names())))
		}
	}
	for _, id := range of.AllOf {
		entity("all-of", id)
	}
	for _, link := range from.Linked {
		entity("linked", link.Name)
		of.Linked = append(of.Linked, struct{ Entity, From, To string }{link.Name, link.Value.From, link.Value.To})
		if e, known := b.design.Entity(link.Name); known {
			for _, name := range []string{link.Value.From, link.Value.To} {
				if _, is := e.TypeOf(name); !is && !slices.Contains(parametersOf(e), name) {
					b.report(link.Value.Errorf("", "role %s: entity %s has no parameter of its keys and no attribute %s", role.ID, e.ID, name))
				}
			}
		}
	}
	of.Broken = b.breaches(from.NotKept)
	var notKept []string
	for _, broken := range of.Broken {
		notKept = append(notKept, broken.Patterns...)
	}
	known := b.written.Patterns.Names()
	for _, pattern := range append(slices.Clone(of.ByFlow), notKept...) {
		at := slices.Index(known, pattern)
		if at < 0 && slices.Contains(of.ByFlow, pattern) {
			b.report(from.Errorf("kept-by-flow", "reaches of role %s: no pattern %s%s", role.ID, pattern, alike(pattern, known)))
		}
		if at < 0 {
			continue
		}
		if p := b.written.Patterns[at].Value; !slices.Contains(list(p.Roles), role.ID) {
			b.report(from.Errorf("", "reaches of role %s: pattern %s is of %s", role.ID, pattern, strings.Join(list(p.Roles), ", ")))
		}
	}
	return of
}
