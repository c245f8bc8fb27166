package accesspatterns

import (
	"fmt"
	"slices"
	"strings"

	"dynaproof/accesspatterns/internal/place"
)

// Ownership says whose the items of an entity are: exactly one of by, through and nobody. Exploration holds the roles to it.
type Ownership struct {
	Written place.At `yaml:"-" json:"-"`
	// Parameters of the entity's keys, or attributes, with the id of an owner. Each of them is one.
	By []string `yaml:"by,words"`
	// The entity whose item has the same value of a parameter, and with it the owners. The item is the one before the client's own requests.
	Through string `yaml:"through"`
	// That parameter.
	Of string `yaml:"of"`
	// Why the items are no user's: everybody may be returned them, and change them.
	Nobody string `yaml:"nobody"`
	// The parameter or attribute with the id of who wrote an item: besides the owners nobody else changes or removes it.
	Author string `yaml:"author"`
	// Attributes that everybody may be returned, to find out whose an item is. Key attributes are of them where there are any.
	Shown []string `yaml:"shown,words"`
	// Where the document says so; where there is none, the lines of the key, the attribute or the entity imply it.
	Cite Citation `yaml:"cite"`
}

// Names are the parameters and attributes that say whose an item is and who wrote it.
func (o *Ownership) Names() []string {
	if o == nil {
		return nil
	}
	return slices.DeleteFunc(append(slices.Clone(o.By), o.Of, o.Author), func(name string) bool { return name == "" })
}

// Reach says whose items a role reaches, beside those of the user whom it acts for.
type Reach struct {
	Written place.At `yaml:"-" json:"-"`
	// Why the items of all users are the role's; exploration has nothing to try then.
	Everybody string `yaml:"everybody"`
	// Entities of which the items of all users are the role's.
	AllOf []string `yaml:"all-of,words"`
	// Items that lead from one user to another, by entity: the items of the one are reached while the item is there.
	Linked []Link `yaml:"linked"`
	// Patterns of which a single request reaches further; sent one after the other, with what was read before, none does.
	ByFlow []string `yaml:"kept-by-flow,words"`
	// Patterns that reach further either way, with the findings that say so.
	Broken []Breach `yaml:"not-kept"`
	// Where the document says so; the role's own citation where there is none.
	Cite Citation `yaml:"cite"`
}

// Link is an item that leads from one user to another.
type Link struct {
	Entity  string   `yaml:",name"`
	Written place.At `yaml:"-" json:"-"`
	// The parameter or attribute with the id of the user who reaches the other.
	From string `yaml:"from" jsonschema:"required"`
	// The parameter or attribute with the id of the user who is reached.
	To string `yaml:"to" jsonschema:"required"`
}

// Breach names what does not keep a promise, and the finding that says so.
type Breach struct {
	Written  place.At `yaml:"-" json:"-"`
	Patterns []string `yaml:"by,words" jsonschema:"required"`
	Finding  string   `yaml:"finding" jsonschema:"required"`
}

// Explored reports whether there is something that the role may not reach.
func (r *Reach) Explored() bool { return r != nil && r.Everybody == "" }

// Valid says what exploration found of the items that documented writes leave: the title of the claim. It is empty where
// no pattern writes, and below the level resilience, where nothing is promised of all writes.
func (d *Design) Valid() string {
	if !d.Reaches(LevelResilience) || !slices.ContainsFunc(d.Patterns, func(p Pattern) bool { return p.Writes() }) {
		return ""
	}
	return "what a documented write that was explored leaves is valid by its entity" + butFor(d.Validity)
}

// butFor names the patterns of breaches with their findings.
func butFor(all []Breach) (text string) {
	for _, breach := range all {
		text += "; but for " + some(breach.Patterns) + " (finding " + breach.Finding + ")"
	}
	return text
}

// Confines says what exploration found of a role: the title of its claim.
func (r *Role) Confines() string {
	title := r.ID + ": no documented request that was explored returns, writes or removes "
	switch {
	case r.Confined == nil && r.Actor == "":
		title += "what is a user's"
	case len(r.Reach.Linked) > 0:
		title += "what is neither the own nor a linked user's"
	default:
		title += "what is another user's"
	}
	if len(r.Reach.AllOf) > 0 {
		title += ", beside every " + strings.Join(r.Reach.AllOf, " and ")
	}
	if n := len(r.Reach.ByFlow); n > 0 {
		title += "; of " + some(r.Reach.ByFlow) + " while each request is sent with what the ones before it returned"
	}
	return title + butFor(r.Reach.Broken)
}

// some names up to three patterns, or counts them.
func some(patterns []string) string {
	switch n := len(patterns); {
	case n > 3:
		return fmt.Sprintf("%d patterns", n)
	case n > 1:
		return strings.Join(patterns[:n-1], ", ") + " and " + patterns[n-1]
	}
	return strings.Join(patterns, "")
}
