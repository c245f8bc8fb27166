package accesspatterns

import (
	"fmt"
	"slices"
	"strings"
)

// Ownership says whose the items of an entity are. Exploration holds the roles to it, see [Reach].
type Ownership struct {
	// By are the parameters of the entity's keys and the attributes that hold the id of an owner. Each of
	// them is one.
	By []string
	// Through is an entity whose item has the same value of the parameter Of: its owners are those of the
	// item. The item is the one before the client's own requests.
	Through, Of string
	// Nobody says why the items are nobody's: everybody may be returned them, and change them.
	Nobody string
	// Author is the attribute or parameter with the id of who wrote the item: besides its owners nobody
	// else changes or removes it.
	Author string
	// Shown are the attributes that everybody may be returned, so that a reader can find out whose an item
	// is. Key attributes are of them where there are any.
	Shown []string
	Cite  Citation
}

// Reach says whose items a role may be returned, change and remove: those of the user whom it acts for, and these.
type Reach struct {
	// Everybody says why the items of all users are the role's; exploration has nothing to try then.
	Everybody string
	// AllOf are entities of which the items of all users are.
	AllOf []string
	// Linked are ways from one user to another: the items of the user in To are reached by the one in From, while the item
	// of the entity is there.
	Linked []struct{ Entity, From, To string }
	// ByFlow are the patterns of which a single request reaches the items of others, and the requests
	// one after the other, each with what was read before, do not. Broken are those that reach them either way.
	ByFlow []string
	Broken []Breach
	Cite   Citation
}

// Breach names patterns that do not keep a promise, and the finding that says so.
type Breach struct {
	Patterns []string
	Finding  string
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
	title := r.ID + ": no documented request that was explored returns, changes or removes "
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
