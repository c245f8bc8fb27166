package mutants

import (
	"fmt"
	"maps"
	"slices"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/fixtures"
)

// indexAttributes drops each index attribute of an entity that an item may
// lack, and makes each one stale. The item is one that an access pattern reads
// by that index, where there is one.
func (g *generator) indexAttributes(entity *ap.Entity) {
	table, _ := g.design.Table(entity.Table)
	for key := range lists.Each(entity.Keys) {
		if !inIndex(entity, table, key.Attribute) || table.Keys().Has(key.Attribute) {
			continue // a primary key, or typed by an index in which the entity is not
		}
		subject := g.indexed(entity, key.Attribute)
		if subject == nil {
			continue // no item of the entity is in the index, so none can be wrong in it
		}
		b := &itemBreaker{g, entity, subject}
		if key.Optional {
			left := maps.Clone(ap.Item(subject.Item))
			delete(left, key.Attribute)
			b.move(key.Attribute+"-missing", "index attribute missing", "without index attribute "+key.Attribute, left, key.Attribute).needs =
				fmt.Sprintf("an item of %s with %s that a case expects of an index with that key", entity.ID, key.Attribute)
		}
		b.stale(key)
	}
}

// inIndex reports whether items of the entity are in an index with this key
// attribute.
func inIndex(entity *ap.Entity, table *ap.Table, attribute string) bool {
	return slices.ContainsFunc(table.Indexes, func(index ap.Index) bool {
		return index.Keys().Has(attribute) && !slices.ContainsFunc(index.Keys().Names(), func(name string) bool {
			_, has := entity.Key(name)
			return !has
		})
	})
}

// indexed returns the loaded item of the entity in which an index attribute is
// broken: the first that a pattern reads by an index with that attribute, else
// the first that has it.
func (g *generator) indexed(entity *ap.Entity, attribute string) *fixtures.Item {
	all := lists.Which(g.set.Items, func(item *fixtures.Item) bool {
		return item.Entity == entity.ID && !item.Held && item.Item[attribute] != nil
	})
	if len(all) == 0 {
		return nil
	}
	read := slices.IndexFunc(all, func(item *fixtures.Item) bool { return len((&itemBreaker{g, entity, item}).readers(attribute)) > 0 })
	return all[max(read, 0)]
}

// readers returns the claims of the access patterns that return the item, by an
// index with this key attribute; by any key when it is empty.
func (b *itemBreaker) readers(attribute string) []string {
	var claims []string
	for pattern := range lists.Each(b.design.Patterns) {
		for _, c := range b.set.CasesOf(pattern.ID) {
			for _, step := range pattern.Steps {
				if step.Read != nil && b.reads(step.Read, attribute) && slices.ContainsFunc(c.Steps[step.Name], b.is) {
					claims = lists.With(claims, "pattern/"+pattern.ID)
				}
			}
		}
	}
	return claims
}

// is reports whether a name is the item's, or that of a part of it which a
// projection returns.
func (b *itemBreaker) is(name string) bool {
	item, known := b.set.Item(name)
	table, _ := b.design.Table(b.entity.Table)
	return known && item.Entity == b.item.Entity && !slices.ContainsFunc(table.Keys(), func(key ap.Key) bool {
		return !dynamo.Equal(item.Item[key.Attribute], b.item.Item[key.Attribute])
	})
}

// reads reports whether a read uses an index with this key attribute.
func (b *itemBreaker) reads(read *ap.Read, attribute string) bool {
	if attribute == "" {
		return true
	}
	table, _ := b.design.Table(read.Table)
	keys, _ := table.KeysOf(read.Index)
	return read.Index != "" && keys.Has(attribute)
}

// stale gives an index attribute the value that it had before the item changed.
func (b *itemBreaker) stale(key *ap.KeyAttribute) {
	item := ap.Item(b.item.Item)
	id, operator, what := key.Attribute+"-stale", "index attribute stale", "index attribute "+key.Attribute+" of another value"
	was := dynamo.ScalarText(item[key.Attribute])
	names := key.Template.Parameters()
	if len(names) == 0 {
		b.add(id, operator, what, with(item, key.Attribute, "1"+was), b.entityClaim())
		return
	}
	params, err := key.Template.Parse(was)
	if err != nil {
		return // the fixtures' own check reports it
	}
	params[names[0]] = "1" + params[names[0]] // another number, or another id
	value, err := key.Template.Format(params)
	if err != nil {
		return
	}
	ends := []string{was, value}
	if key.Type != dynamo.Number {
		slices.Sort(ends) // as text, of which "12026" is before "2026"
	}
	b.move(id, operator, what, with(item, key.Attribute, value), key.Attribute).needs =
		fmt.Sprintf("an item whose %s lies between %s and %s, beside %s in a case by an index with %[1]s", key.Attribute, ends[0], ends[1], b.item.Name)
}
