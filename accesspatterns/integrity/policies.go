package integrity

import (
	"slices"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/guard"
)

// policies reports roles that patterns name and the policies do not, or the
// other way round, and what does not fit together in a role.
func (c *checker) policies() {
	named := map[string]bool{}
	for i := range c.design.Patterns {
		c.at = c.design.Patterns[i].Written.OfName()
		for _, role := range c.design.Patterns[i].Roles {
			if _, known := c.design.Role(role); !known && !named[role] {
				c.report("pattern %s: no role %s among the policies", c.design.Patterns[i].ID, role)
			}
			named[role] = true
		}
	}
	for _, role := range c.design.Policies.Roles {
		c.at = role.Written.OfName()
		owner := "role " + role.ID
		own := func(id string) bool {
			pattern, known := c.design.Pattern(id)
			return known && slices.Contains(pattern.Roles, role.ID)
		}
		if !named[role.ID] {
			c.report("%s: no pattern names it", owner)
		}
		if other := slices.IndexFunc(c.design.Policies.Roles, func(r accesspatterns.Role) bool { return r.Reach != nil }); role.Reach == nil && other >= 0 {
			c.report("%s: expected whose items it reaches (reaches), as role %s has it, found nothing", owner, c.design.Policies.Roles[other].ID)
		}
		if (role.Confined == nil) == (role.Unconfined == "") {
			c.report("%s: expected either confined or unconfined", owner)
		}
		if role.Confined != nil {
			for _, form := range role.Confined.Partitions {
				if !slices.Equal(form.Parameters(), []string{role.Confined.Tag}) {
					c.report("%s: expected {%s} as the only parameter of %s", owner, role.Confined.Tag, form)
				}
			}
			c.each(role.Confined.Except, own, "%s: it has no pattern %s", owner)
			for _, id := range guard.Unneeded(c.design, &role) {
				c.report("%s: no request of pattern %s can be in a partition of another user or filter for one's items, so that the exception (except) lets nothing through; take it out", owner, id)
			}
		}
		if role.Actor != "" && !names(c.design, &role) {
			c.report("%s: none of its patterns has the parameter {%s} of who acts", owner, role.Actor)
		}
		c.each(role.Narrow, own, "%s: it has no pattern %s to be narrow", owner)
		for _, id := range role.Withheld {
			if _, known := c.design.Pattern(id); !known {
				c.report("%s: no pattern %s", owner, id)
			} else if own(id) {
				c.report("%s: pattern %s is its own", owner, id)
			}
		}
	}
}

// names reports whether a request of the role's patterns has the parameter of who
// acts.
func names(d *accesspatterns.Design, role *accesspatterns.Role) bool {
	return slices.ContainsFunc(d.Patterns, func(p accesspatterns.Pattern) bool {
		return slices.Contains(p.Roles, role.ID) && slices.ContainsFunc(p.Steps, func(step accesspatterns.Step) bool {
			var names []string
			if step.Read != nil {
				names = step.Read.Parameters()
			}
			for _, action := range step.Write {
				names = append(names, action.Parameters()...)
			}
			return slices.Contains(names, role.Actor)
		})
	})
}
