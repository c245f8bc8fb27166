package accesspatterns

import "dynaproof/accesspatterns/dynamo"

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
	// attributes that they name and for no others: no pattern of the role reads or
	// writes anything else there. Of a flow that is its last step; condition checks
	// return nothing, and are left out.
	Narrow []string
	// Limits say what no policy can keep from the role, because IAM does not see
	// it: a sort key, an item, a nested attribute.
	Limits []string
	// Reach says whose items the role may reach; nil where the contract does not.
	Reach *Reach
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
	return find(d.Policies.Roles, func(each *Role) bool { return each.ID == id })
}

// ScanOf returns the pattern that scans a table under a waiver.
func (d *Design) ScanOf(table string) (*Pattern, bool) {
	return find(d.Patterns, func(p *Pattern) bool {
		read := p.OnlyRead()
		return p.Waiver != "" && read != nil && read.Operation == dynamo.Scan && read.Table == table && read.Index == ""
	})
}
