package accesspatterns

import (
	"slices"
	"strings"
)

// Policies is what a document says about who may do what, as far as IAM can
// enforce it: which roles there are, and which of them act for one user. What a
// role may do stands in the patterns.
type Policies struct {
	// Enforced says that a stack attaches its policies unless it is told
	// otherwise, because the document demands what only a policy can refuse to
	// every client. Cite is what says so; where a document demands nothing of the
	// kind, it is cited for what it says about its roles.
	Enforced bool
	Cite     Citation
	// NoScan cites where the document forbids scans. Without it, the claims about
	// scans are implied.
	NoScan *Citation
	Roles  []Role
}

// Role is one of the roles that patterns name.
type Role struct {
	// ID is the name that patterns use.
	ID   string
	Cite Citation
	// Confined says which partitions belong to the user whom the role acts for.
	// Where it is nil, Unconfined says why the role is bound to no partition.
	Confined   *Confinement
	Unconfined string
	// Actor is the parameter of the role's patterns that is the id of who acts, such
	// as coachId: a client that acts for a user names that user there. Empty where no
	// pattern of the role names who acts beyond the partition.
	Actor string
	// Withheld are the ids of patterns of other roles that IAM can withhold from
	// this one only by the names of the attributes that they write: action, table
	// and partition are the same as in a pattern of its own.
	Withheld []string
	// Narrow are the ids of the role's own patterns that may be sent for the
	// attributes that they name and for no others: no pattern of the role writes
	// anything else there.
	Narrow []string
	// Limits say what no policy can keep from the role, because IAM does not see
	// it: a sort key, an item, a nested attribute.
	Limits []string
}

// Confinement binds a role to the partitions of one user, whose id is a tag of
// the principal.
type Confinement struct {
	// Tag is the name of the principal's tag.
	Tag string
	// Partitions are the forms of the partition keys, each with the tag's name as
	// its only parameter: USER#{userId}.
	Partitions []KeyTemplate
	Cite       Citation
	// Except are the ids of the role's patterns that reach the partitions of all
	// users.
	Except []string
}

// User returns the id of the user in whose partition a key lies.
func (c *Confinement) User(key string) (id string, own bool) {
	for _, form := range c.Partitions {
		if params, err := form.Parse(key); err == nil {
			return params[c.Tag], true
		}
	}
	return "", false
}

// Of returns the key of another user's partition of the same form as a key, or
// no when the key lies in no user's partition.
func (c *Confinement) Of(key, user string) (other string, own bool) {
	for _, form := range c.Partitions {
		if _, err := form.Parse(key); err == nil {
			other, err := form.Format(Params{c.Tag: user})
			return other, err == nil
		}
	}
	return "", false
}

// Role returns the role with the given id.
func (d *Design) Role(id string) (*Role, bool) {
	for i := range d.Policies.Roles {
		if d.Policies.Roles[i].ID == id {
			return &d.Policies.Roles[i], true
		}
	}
	return nil, false
}

// names reports whether a request of the role's patterns has the parameter of who
// acts.
func (d *Design) names(role *Role) bool {
	for i := range d.Patterns {
		if !slices.Contains(d.Patterns[i].Roles, role.ID) {
			continue
		}
		for _, step := range d.Patterns[i].Steps() {
			if step.Read != nil && slices.Contains(step.Read.Parameters(), role.Actor) {
				return true
			}
			for j := range step.Write {
				for _, key := range step.Write[j].Key {
					if slices.Contains(key.Value.Template.Parameters(), role.Actor) {
						return true
					}
				}
			}
		}
	}
	return false
}

// ScanOf returns the pattern that scans a table under a waiver.
func (d *Design) ScanOf(table string) (*Pattern, bool) {
	for i := range d.Patterns {
		read := d.Patterns[i].Read
		if d.Patterns[i].Waiver != "" && read != nil && read.Operation == OpScan && read.Table == table && read.Index == "" {
			return &d.Patterns[i], true
		}
	}
	return nil, false
}

// Aspects of policies that are claims of their own. The subject of the last two
// is a role or a table, and for a scan of an index the index stands behind the
// aspect.
const (
	PolicyRoles       = "roles"
	PolicyRole        = "role"
	PolicyConfinement = "confinement"
	PolicyNoScan      = "no-scan"
)

// policies adds the claims about the policies of a stack. They are decided by
// evaluating what the stack has deployed; only AWS enforces it.
func (d *Design) policies(add func(kind ClaimKind, path, subject, aspect, title string, cite Citation) *Claim) {
	if len(d.Policies.Roles) == 0 && d.Policies.NoScan == nil {
		return // a document that names no role and forbids no scan asks for no policy
	}
	const everyRole = "a role that patterns name can only be held to them by a policy of its own"
	add(KindPolicy, "policy/"+PolicyRoles, d.Name, PolicyRoles,
		"the stack has a policy for each role and each table, and no other", d.Policies.Cite.Implied(everyRole))
	for i := range d.Policies.Roles {
		role := &d.Policies.Roles[i]
		add(KindPolicy, "policy/"+PolicyRole+"/"+role.ID, role.ID, PolicyRole,
			"the policy of role "+role.ID+", as evaluated, allows each of its patterns, and none of others that IAM can tell from them", role.Cite)
		if role.Confined != nil {
			confined := role.Confined.Cite
			confined.Basis = confined.Basis.Weaker(role.Cite.Basis)
			add(KindPolicy, "policy/"+PolicyConfinement+"/"+role.ID, role.ID, PolicyConfinement,
				"the policy of role "+role.ID+", as evaluated, confines a user to partitions of its own", confined)
		}
	}
	cite := d.AccessPatterns.Implied("no scan is allowed on any table without a waiver")
	if d.Policies.NoScan != nil {
		cite = *d.Policies.NoScan
	}
	for i := range d.Tables {
		table := &d.Tables[i]
		claim := add(KindPolicy, "policy/"+PolicyNoScan+"/"+table.ID, table.ID, PolicyNoScan,
			"the policy of "+table.ID+", as evaluated, denies Scan and PartiQL full scans of the table to everybody", cite)
		if pattern, waived := d.ScanOf(table.ID); waived {
			claim.Waiver = pattern.Waiver
			claim.Title += " but " + strings.Join(pattern.Roles, ", ") + ", who may Scan"
		}
		for j := range table.Indexes {
			index := &table.Indexes[j]
			add(KindPolicy, "policy/"+PolicyNoScan+"/"+table.ID+"/"+index.Name, table.ID, PolicyNoScan+"/"+index.Name,
				"the policy of "+table.ID+", as evaluated, denies Scan and PartiQL full scans of "+index.Name+" to everybody", cite)
		}
	}
}

// policies reports roles that patterns name and the policies do not, or the
// other way round, and what does not fit together in a role.
func (c *checker) policies() {
	named := map[string]bool{}
	for i := range c.design.Patterns {
		for _, role := range c.design.Patterns[i].Roles {
			if _, known := c.design.Role(role); !known && !named[role] {
				c.report("pattern %s: no role %s among the policies", c.design.Patterns[i].ID, role)
			}
			named[role] = true
		}
	}
	for i := range c.design.Policies.Roles {
		role := &c.design.Policies.Roles[i]
		owner := "role " + role.ID
		if !named[role.ID] {
			c.report("%s: no pattern names it", owner)
		}
		if (role.Confined == nil) == (role.Unconfined == "") {
			c.report("%s: expected either Confined or Unconfined", owner)
		}
		if role.Confined != nil {
			for _, form := range role.Confined.Partitions {
				if !slices.Equal(form.Parameters(), []string{role.Confined.Tag}) {
					c.report("%s: expected {%s} as the only parameter of %s", owner, role.Confined.Tag, form)
				}
			}
			for _, id := range role.Confined.Except {
				if pattern, known := c.design.Pattern(id); !known || !slices.Contains(pattern.Roles, role.ID) {
					c.report("%s: it has no pattern %s", owner, id)
				}
			}
		}
		if role.Actor != "" && !c.design.names(role) {
			c.report("%s: none of its patterns has the parameter {%s} of who acts", owner, role.Actor)
		}
		for _, id := range role.Narrow {
			if pattern, known := c.design.Pattern(id); !known || !slices.Contains(pattern.Roles, role.ID) {
				c.report("%s: it has no pattern %s to be narrow", owner, id)
			}
		}
		for _, id := range role.Withheld {
			pattern, known := c.design.Pattern(id)
			switch {
			case !known:
				c.report("%s: no pattern %s", owner, id)
			case slices.Contains(pattern.Roles, role.ID):
				c.report("%s: pattern %s is its own", owner, id)
			}
		}
	}
}
