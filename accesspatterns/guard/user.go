package guard

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
)

// confinement holds a client to the partitions of one user. A nil one holds to none.
type confinement struct {
	id    string
	tags  []string
	forms []operand
}

// confine prepares the confinement to the user that the options name, by what the
// contract says of the client's roles.
func (g *Guard) confine() error {
	if g.settings.user == nil {
		return nil
	}
	c := &confinement{id: *g.settings.user}
	if !utf8.ValidString(c.id) {
		return errors.New("guard.ForUser: expected an id in UTF-8, found other bytes, in whose place the SDK sends U+FFFD")
	}
	all, named, unconfined := true, false, "no policy is known for it"
	for _, id := range g.settings.actsAs(g.design) {
		role, known := g.design.Role(id)
		named = named || known && role.Actor != ""
		if !known || role.Confined == nil {
			if all = false; known {
				unconfined = role.Unconfined
			}
			continue
		}
		c.tags = append(c.tags, role.Confined.Tag)
		for _, form := range role.Confined.Partitions {
			if _, err := form.Format(accesspatterns.Params{role.Confined.Tag: c.id}); err != nil {
				return fmt.Errorf("guard.ForUser: %w", err)
			}
			compiled, err := compileOperand(dynamo.String, form, new(parameters))
			if err != nil {
				return err
			}
			c.forms = append(c.forms, compiled)
		}
	}
	if len(c.forms) == 0 {
		if named {
			return nil
		}
		return fmt.Errorf("expected a role that the contract confines to a user with guard.ForUser, found none: %s", unconfined)
	}
	g.user = c
	if all {
		g.openUser = c
	}
	return nil
}

// userOf returns what a pattern's requests are held to: nil where a role of the
// client may use the pattern for every user.
func (g *Guard) userOf(pattern *accesspatterns.Pattern) *confinement {
	for _, id := range g.settings.actsAs(g.design) {
		if !slices.Contains(pattern.Roles, id) {
			continue
		}
		role, known := g.design.Role(id)
		if !known || role.Confined == nil || slices.Contains(role.Confined.Except, pattern.ID) {
			return nil
		}
	}
	return g.user
}

// actor is the parameter of a read or step that must be the client's own user. A nil
// one is none.
type actor struct {
	slot     int
	name, id string
}

// actorOf returns who acts in a pattern with these parameters: nil without ForUser,
// and where a role of the client may use the pattern for whoever it names.
func (g *Guard) actorOf(pattern *accesspatterns.Pattern, params *parameters) *actor {
	if g.settings.user == nil {
		return nil
	}
	var found *actor
	for _, id := range g.settings.actsAs(g.design) {
		if !slices.Contains(pattern.Roles, id) {
			continue
		}
		role, known := g.design.Role(id)
		if !known || role.Actor == "" {
			return nil
		}
		slot := slices.Index(params.names, role.Actor)
		if slot < 0 || found != nil && found.slot != slot {
			return nil
		}
		found = &actor{slot, role.Actor, *g.settings.user}
	}
	return found
}

// bound are the bindings to begin with.
func (a *actor) bound() (bound bindings) {
	if a != nil {
		bound[a.slot] = a.id
	}
	return bound
}

func (a *actor) refused() breach {
	return breach{RuleUser, "the client's own user as {" + a.name + "}", "another"}
}

// foreign reports whether a key value lies in a partition of another user.
func (c *confinement) foreign(value types.AttributeValue) bool {
	matches := false
	for i := range c.forms {
		var bound bindings
		if value != nil && c.forms[i].matchValue(value, &bound) {
			if bound[0] == c.id {
				return false
			}
			matches = true
		}
	}
	return matches
}

func (c *confinement) refused(found string) breach {
	return breach{RuleUser, "a partition of the client's own user, such as " + string(c.forms[0].source), found}
}

// reads refuses a read of another user's partition, and one that filters an index
// which all users share for another user's items.
func (c *confinement) reads(d *documented, r *request) breach {
	if c == nil {
		return breach{}
	}
	if c.foreign(r.partition) {
		return c.refused("one of another user")
	}
	for _, want := range slices.Concat(d.filter...) {
		if !slices.ContainsFunc(c.tags, func(tag string) bool { return string(want.value.source) == "{"+tag+"}" }) {
			continue
		}
		for _, got := range r.filter.All() {
			if r.source.SamePath(got.Path, want.path) && got.Op == want.op && dynamo.ScalarText(got.Low.Value) != c.id {
				return c.refused("a filter for another user's items")
			}
		}
	}
	return breach{}
}

// reads refuses a read that names another user as who acts.
func (a *actor) reads(d *documented, r *request) breach {
	if a == nil {
		return breach{}
	}
	var v verdict
	if d.judge(r, &v, a.bound()); v.first != "" {
		return a.refused()
	}
	return breach{}
}

// holds refuses a write to another user's partition, of the table or of an index.
func (c *confinement) holds(w *write) breach {
	if c == nil {
		return breach{}
	}
	partitions := []string{w.table.keys[0].Attribute}
	for _, keys := range w.table.indexes {
		partitions = append(partitions, keys[0].Attribute)
	}
	for _, attribute := range partitions {
		if c.foreign(w.Place()[attribute]) {
			return c.refused("one of another user")
		}
	}
	for _, attribute := range partitions {
		for i := range w.changes {
			if change := &w.changes[i]; change.Clause == expression.Set && w.source.IsAttribute(change.Path, attribute) && c.foreign(given(*change)) {
				return c.refused("an index key that puts the item into another user's")
			}
		}
	}
	return breach{}
}
