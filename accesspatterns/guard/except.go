package guard

import (
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/internal/template"
	"dynaproof/accesspatterns/lists"
)

// Unneeded returns the patterns that a contract excepts from the confinement of a role, which is confined, and whose documented requests need no exception: their keys
// lie in no partition of a user, and they filter for nobody's items. The forms of all roles count, because a client may have several.
// What has no form of its own, such as a tag, lies in a user's partition where an item of the table says so.
func Unneeded(design *accesspatterns.Design, role *accesspatterns.Role) (patterns []string) {
	var all []*accesspatterns.Confinement
	for i := range design.Policies.Roles {
		if c := design.Policies.Roles[i].Confined; c != nil {
			all = append(all, c)
		}
	}
	g := &Guard{design: design}
	for _, id := range role.Confined.Except {
		if pattern, known := design.Pattern(id); known && !g.reachesOthers(pattern, all) {
			patterns = append(patterns, id)
		}
	}
	return patterns
}

// reachesOthers reports whether a request of a pattern can have a key in a user's partition of these forms, or a filter for a user's items.
func (g *Guard) reachesOthers(pattern *accesspatterns.Pattern, all []*accesspatterns.Confinement) bool {
	filters := func(one accesspatterns.Condition) bool {
		return slices.ContainsFunc(one.Alternatives(), func(term accesspatterns.Condition) bool {
			return slices.ContainsFunc(all, func(c *accesspatterns.Confinement) bool { return string(term.Value.Template) == "{"+c.Tag+"}" })
		})
	}
	for step := range lists.Each(pattern.Steps) {
		if step.Read != nil && slices.ContainsFunc(step.Read.Filter, filters) {
			return true
		}
		for _, forms := range g.design.BoundForms(pattern, step.ForEach) {
			theirs := func(table string, key accesspatterns.Equality) bool {
				return g.inPartition(table, key.Attribute, key.Value.Template.Of(forms), all)
			}
			if read := step.Read; read != nil && read.Partition != nil && theirs(read.Table, *read.Partition) {
				return true
			}
			for action := range lists.Each(step.Write) {
				if slices.ContainsFunc(g.partitionsOf(action), func(key accesspatterns.Equality) bool { return theirs(action.Table, key) }) {
					return true
				}
			}
		}
	}
	return false
}

// inPartition reports whether a partition key of this form may be a user's.
func (g *Guard) inPartition(table, attribute string, of accesspatterns.KeyTemplate, all []*accesspatterns.Confinement) bool {
	formed := []accesspatterns.KeyTemplate{of}
	if strings.HasPrefix(string(of), "{") {
		for i := range g.design.Entities {
			if key, has := g.design.Entities[i].Key(attribute); has && g.design.Entities[i].Table == table && meet(key.Template, of) {
				formed = append(formed, key.Template)
			}
		}
	}
	return slices.ContainsFunc(all, func(c *accesspatterns.Confinement) bool {
		return slices.ContainsFunc(c.Partitions, func(form accesspatterns.KeyTemplate) bool {
			return slices.ContainsFunc(formed, func(of accesspatterns.KeyTemplate) bool {
				return meet(of, form) && strings.HasPrefix(string(of), "{") == strings.HasPrefix(string(form), "{")
			})
		})
	})
}

// partitionsOf are the partition keys, of the table and of its indexes, that an action gives to an item.
func (g *Guard) partitionsOf(action *accesspatterns.Action) (keys []accesspatterns.Equality) {
	table, known := g.design.Table(action.Table)
	if !known {
		return nil
	}
	partitions := lists.Map(table.Indexes, func(index accesspatterns.Index) string { return index.PartitionKey.Attribute })
	partitions = append(partitions, table.PartitionKey.Attribute)
	keys = slices.Clone(action.Key)
	for _, set := range action.Set {
		keys = append(keys, accesspatterns.Equality{Attribute: set.Attribute, Value: set.Value})
	}
	for entity := range lists.Each(g.design.Entities) {
		for _, key := range entity.Keys {
			if action.Kind == accesspatterns.Put && entity.ID == action.Entity || entity.Table == action.Table && slices.Contains(action.Edits, key.Attribute) {
				keys = append(keys, accesspatterns.Equality{Attribute: key.Attribute, Value: accesspatterns.Operand{Template: key.Template}})
			}
		}
	}
	return slices.DeleteFunc(keys, func(key accesspatterns.Equality) bool { return !slices.Contains(partitions, key.Attribute) })
}

// meet reports whether one text may have both forms. One that is malformed meets every other.
func meet(a, b accesspatterns.KeyTemplate) bool {
	one, err := template.Parse(string(a))
	other, also := template.Parse(string(b))
	return err != nil || also != nil || template.Meet(one, other)
}
