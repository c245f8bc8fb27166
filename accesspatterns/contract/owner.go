package contract

import (
	"slices"
	"strings"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/strict"
)

// owner holds whose the items of an entity are to the rest of the contract.
func (b *builder) owner(e *ap.Entity) {
	of := e.Owner
	if of == nil {
		return
	}
	if of.Through != "" {
		b.known(of.Written, "through", "owner of entity "+e.ID+": no entity", names(b.design.Entities), of.Through)
	}
	if of.Cite.First == 0 {
		of.Cite = cited(e, append(slices.Clone(of.By), of.Of))
	}
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

// breaches holds who does not keep a promise to the contract's patterns and findings.
func (b *builder) breaches(all []ap.Breach) {
	for _, broken := range all {
		b.known(broken.Written, "finding", "not-kept: no finding", names(b.design.Findings), broken.Finding)
		b.known(broken.Written, "by", "not-kept: no pattern", names(b.written.Patterns), broken.Patterns...)
	}
}

// known reports names that are none of these.
func (b *builder) known(at strict.At, field, what string, known []string, wanted ...string) {
	for _, name := range wanted {
		if !slices.Contains(known, name) {
			b.report(at.Errorf(field, "%s %s%s", what, name, alike(name, known)))
		}
	}
}

// reaches holds whose items a role reaches to the rest of the contract.
func (b *builder) reaches(role *ap.Role) {
	of := role.Reach
	if of == nil {
		return
	}
	if of.Cite.First == 0 {
		of.Cite = role.Cite
	}
	if of.Everybody != "" && len(of.AllOf)+len(of.Linked)+len(of.ByFlow)+len(of.Broken) > 0 {
		b.report(of.Written.Errorf("everybody", "role %s: a role that reaches the items of all users keeps nothing; take everybody away, or the rest", role.ID))
	}
	entities := names(b.design.Entities)
	b.known(of.Written, "all-of", "role "+role.ID+": no entity", entities, of.AllOf...)
	for _, link := range of.Linked {
		b.known(of.Written, "linked", "role "+role.ID+": no entity", entities, link.Entity)
		if e, known := b.design.Entity(link.Entity); known {
			for _, name := range []string{link.From, link.To} {
				if _, is := e.TypeOf(name); !is && !slices.Contains(e.Parameters(), name) {
					b.report(link.Written.Errorf("", "role %s: entity %s has no parameter of its keys and no attribute %s", role.ID, e.ID, name))
				}
			}
		}
	}
	b.breaches(of.Broken)
	known := names(b.written.Patterns)
	b.known(of.Written, "kept-by-flow", "reaches of role "+role.ID+": no pattern", known, of.ByFlow...)
	further := slices.Clone(of.ByFlow)
	for _, broken := range of.Broken {
		further = append(further, broken.Patterns...)
	}
	for _, pattern := range further {
		if at := slices.Index(known, pattern); at >= 0 {
			if p := b.written.Patterns[at]; !slices.Contains(p.Roles, role.ID) {
				b.report(of.Written.Errorf("", "reaches of role %s: pattern %s is of %s", role.ID, pattern, strings.Join(p.Roles, ", ")))
			}
		}
	}
}
