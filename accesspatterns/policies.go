package accesspatterns

import (
	"slices"

	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/internal/place"
	"dynaproof/accesspatterns/lists"
)

// Policies is what a document says about who may do what, as far as IAM can
// enforce it: which roles there are, and which of them act for one user. What a
// role may do stands in the patterns.
type Policies struct {
	// A stack attaches its policies unless it is told otherwise, because the document demands what only a policy can refuse to every client.
	Enforced bool `yaml:"enforced"`
	// What demands the policies or, where nothing does, what the document says about its roles.
	Cite Citation `yaml:"cite" jsonschema:"required"`
	// Where the document forbids scans. Without it, the claims about scans are implied.
	NoScan *Citation `yaml:"no-scan"`
	Roles  []Role    `yaml:"-"`
}

// Role is one of the roles that patterns name.
type Role struct {
	// ID is the name that patterns use.
	ID      string   `yaml:",name"`
	Written place.At `yaml:"-" json:"-"`
	// Where the document names the role.
	Cite Citation `yaml:"cite" jsonschema:"required"`
	// Which partitions belong to the user whom the role acts for.
	Confined *Confinement `yaml:"confined"`
	// Why the role is bound to no partition, where it is not confined.
	Unconfined string `yaml:"unconfined"`
	// The parameter of the role's patterns that is the id of who acts, such as coachId. Empty where no pattern of the role names who acts beyond
	// the partition.
	Actor string `yaml:"actor"`
	// Patterns of other roles that IAM can withhold only by the names of the attributes that they write: action, table and partition are the
	// same as in a pattern of the role's own.
	Withheld []string `yaml:"withheld,words"`
	// Patterns of the role that may be sent for the attributes that they name and for no others. Of a flow that is its last step; condition
	// checks return nothing, and are left out.
	Narrow []string `yaml:"narrow,words"`
	// What no policy can keep from the role, because IAM does not see it: a sort key, an item, a nested attribute.
	Limits []string `yaml:"limits,words"`
	// Whose items the role may be returned, change and remove, beside those of the user whom it acts for.
	Reach *Reach `yaml:"reaches"`
}

// Confinement binds a role to the partitions of one user, whose id is a tag of
// the principal.
type Confinement struct {
	Written place.At `yaml:"-" json:"-"`
	// The name of the principal's tag.
	Tag string `yaml:"tag" jsonschema:"required"`
	// The templates of the partition keys, each with the tag's name as its only parameter: USER#{userId}.
	Partitions []KeyTemplate `yaml:"partitions,words" jsonschema:"required"`
	// Where the document says so.
	Cite Citation `yaml:"cite" jsonschema:"required"`
	// The role's patterns that reach the partitions of all users.
	Except []string `yaml:"except,words"`
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

// ActingRoles lists the roles of the patterns, sorted.
func (d *Design) ActingRoles() []string {
	return lists.Sorted(slices.Concat(lists.Map(d.Patterns, func(p Pattern) []string { return p.Roles })...))
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
