package mutants

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/must"
	"dynaproof/accesspatterns/validate"
	"dynaproof/conformance/lab"
	"dynaproof/fixtures"
)

// itemMutants generates every wrong item: of each example that the document
// writes out, and of the first loaded item of each entity for which it writes
// none.
func (g *generator) itemMutants() {
	for entity := range lists.Each(g.design.Entities) {
		for _, subject := range g.subjects(entity) {
			b := &itemBreaker{g, entity, subject}
			b.attributes()
			b.keys()
			b.units()
		}
		g.indexAttributes(entity)
	}
}

// subjects are the items of an entity whose attributes are broken one by one.
func (g *generator) subjects(entity *ap.Entity) []*fixtures.Item {
	all := g.set.LoadedOf(entity.ID)
	if examples := lists.Where(all, g.example); len(examples) > 0 {
		return examples
	}
	return all[:min(1, len(all))]
}

// example reports whether the document writes the whole item out.
func (g *generator) example(item *fixtures.Item) bool {
	return slices.ContainsFunc(g.design.Examples, func(e ap.Example) bool { return e.ID == item.Name && e.Attribute == "" })
}

// itemBreaker generates the mutants of one item.
type itemBreaker struct {
	*generator
	entity *ap.Entity
	item   *fixtures.Item
}

// add adds a mutant by which the item is another, unless the contract holds nothing that could notice it: an item in another place of an index
// that no pattern reads is as good. The id is unique for the item.
func (b *itemBreaker) add(id, operator, what string, changed ap.Item, expect ...string) *Mutant {
	if len(expect) == 0 {
		return &Mutant{} // none
	}
	name, entity := b.item.Name, b.entity.ID
	return b.generator.add(Mutant{
		Kind: Items, Operator: operator, What: "item " + name + ": " + what, needsDocument: slices.Equal(expect, []string{b.exampleClaim()}),
		items: func(item *fixtures.Item) bool { return item.Entity == entity },
		touches: func(claim manifest.Claim) bool {
			switch claim.Kind {
			case manifest.KindEntity, manifest.KindAttribute, manifest.KindRule:
				return claim.Subject == entity
			case manifest.KindExample:
				return claim.Subject == name
			}
			return false
		},
		refit: func(set *fixtures.Set) {
			if item, known := set.Item(name); known {
				item.Item = fixtures.Attributes(changed)
			}
			// What is made of the item would be wrong with it, and a claim could
			// fail without a look at what is stored.
			set.Invalid = slices.DeleteFunc(set.Invalid, func(invalid fixtures.Invalid) bool { return invalid.Of == name })
		},
	}, "item/"+name+"/"+id, expect...)
}

func (b *itemBreaker) entityClaim() string { return "entity/" + b.entity.ID }
func (b *itemBreaker) attributeClaim(attribute *ap.Attribute) string {
	return "attribute/" + b.entity.ID + "/" + attribute.Name
}
func (b *itemBreaker) exampleClaim() string { return "example/" + b.item.Name }

// attributes breaks each attribute that the item carries. An attribute that is
// a key besides is broken as a key: the table types it, and the engine refuses it before any claim about attributes can look at it.
func (b *itemBreaker) attributes() {
	item := ap.Item(b.item.Item)
	table, _ := b.design.Table(b.entity.Table)
	definitions := table.AttributeDefinitions()
	for attribute := range lists.Each(b.entity.Attributes) {
		values := attribute.Values(item)
		if len(values) == 0 || definitions[attribute.Name] != "" {
			continue
		}
		at := slices.Min(slices.Collect(maps.Keys(values))) // "sections.private", or "categories[0].name"
		value := values[at]
		claim := b.attributeClaim(attribute)
		if other := retyped(value, attribute.Type); other != nil && attribute.Type != "" { // where the document gives no type, any is as good
			b.change(at, attribute.Name+"-retyped", "attribute retyped", at+" of type "+string(dynamo.TypeOf(other)), "", other, claim)
		}
		// Any member of an open map, any element of a list may be missing.
		last := attribute.Name[strings.LastIndex(attribute.Name, ".")+1:]
		required := attribute.Presence == ap.Required && last != "*" && !strings.HasSuffix(last, "[]")
		missed := "" // without it it is another item, and as good
		switch {
		case required:
			missed = claim
		case b.example(b.item):
			missed = b.exampleClaim()
		}
		b.change(at, attribute.Name+"-dropped", "attribute dropped", "without "+at, "", nil, missed)
		if strings.HasSuffix(last, "[]") {
			continue // an element of a list has no name
		}
		if !strings.ContainsAny(at, ".[") && b.entity.Closed != nil { // where the list of attributes is open, the new name is noted, and the old one is missed
			missed = b.entityClaim()
		}
		b.change(at, attribute.Name+"-renamed", "attribute renamed", at+" renamed", at[strings.LastIndex(at, ".")+1:]+"Renamed", value, missed)
	}
}

// change adds a mutant that changes one place, unless no claim notices it.
func (b *itemBreaker) change(at, id, operator, what, name string, value types.AttributeValue, claim string) {
	if claim == "" {
		return
	}
	changed := must.Have(fixtures.Replaced(ap.Item(b.item.Item), at, name, value)) // the place comes from the item itself
	b.add(id, operator, what, changed, claim)
}

// keys breaks each key attribute that must be there, and the order of segments.
func (b *itemBreaker) keys() {
	item := ap.Item(b.item.Item)
	for key := range lists.Each(b.entity.Keys) {
		value, present := item[key.Attribute]
		if !present {
			continue
		}
		b.change(key.Attribute, key.Attribute+"-retyped", "key attribute retyped", key.Attribute+" of another type", "", retyped(value, dynamo.TypeOf(value)), b.entityClaim())
		missed := "" // under another name it is another item, in one index less, and as good
		switch {
		case !key.Optional || b.entity.Closed != nil:
			missed = b.entityClaim()
		case b.example(b.item):
			missed = b.exampleClaim()
		}
		b.change(key.Attribute, key.Attribute+"-renamed", "key attribute renamed", key.Attribute+" renamed", key.Attribute+"Renamed", value, missed)
		if !key.Optional {
			b.change(key.Attribute, key.Attribute+"-dropped", "key attribute dropped", "without "+key.Attribute, "", nil, b.entityClaim())
		}
		b.segments(key)
	}
	b.swappedKeys(item)
}

// segments swaps the first two segments of a key that can be told apart.
func (b *itemBreaker) segments(key *ap.KeyAttribute) {
	item := ap.Item(b.item.Item)
	params, err := key.Template.Parse(dynamo.ScalarText(item[key.Attribute]))
	if err != nil {
		return // the fixtures' own check reports it
	}
	names := key.Template.Parameters()
	for n := 1; n < len(names); n++ {
		one, two := names[n-1], names[n]
		swapped := maps.Clone(params)
		swapped[one], swapped[two] = params[two], params[one]
		if params[one] == params[two] || strings.Contains(swapped[one], "#") {
			continue
		}
		text, err := key.Template.Format(swapped)
		if err != nil {
			continue
		}
		b.move(key.Attribute+"-"+one+"-"+two+"-swapped", "key segments swapped", "{"+one+"} and {"+two+"} of "+key.Attribute+" swapped", with(item, key.Attribute, text), "")
	}
}

// move adds a mutant with another value of a key. Which rule of the contract the item breaks, the contract itself says; an item that breaks
// none is a good item in a wrong place, which the document's own example or an access pattern that returns it, by an index with a key attribute
// where one is named, must show. For that all items are loaded.
func (b *itemBreaker) move(id, operator, what string, changed ap.Item, byAttribute string) *Mutant {
	var expect []string
	if len(validate.Keys(b.entity, changed)) > 0 {
		expect = append(expect, b.entityClaim())
	}
	params, _ := validate.ParseKeys(b.entity, changed)
	for rule := range lists.Each(b.entity.Rules) {
		if validate.Rule(rule, changed, params) != nil {
			expect = append(expect, "rule/"+b.entity.ID+"/"+rule.ID)
		}
	}
	if len(expect) > 0 {
		return b.add(id, operator, what, changed, expect...)
	}
	expect = b.readers(byAttribute)
	if b.example(b.item) {
		expect = append(expect, b.exampleClaim())
	}
	m := b.add(id, operator, what, changed, expect...)
	m.items = func(*fixtures.Item) bool { return true }
	return m
}

// swappedKeys gives the sort key's value to the partition key and the other way
// round.
func (b *itemBreaker) swappedKeys(item ap.Item) {
	table, _ := b.design.Table(b.entity.Table)
	if table.SortKey == nil || table.SortKey.Type != table.PartitionKey.Type {
		return
	}
	hash, sort := table.PartitionKey.Attribute, table.SortKey.Attribute
	if dynamo.Equal(item[hash], item[sort]) { // swapped it is the same
		differing := lists.Where(b.set.LoadedOf(b.entity.ID), func(other *fixtures.Item) bool {
			return other.Item[hash] != nil && !dynamo.Equal(other.Item[hash], other.Item[sort])
		})
		if len(differing) > 0 {
			b = &itemBreaker{b.generator, b.entity, differing[0]}
			item = ap.Item(b.item.Item)
		}
	}
	changed := maps.Clone(item)
	changed[hash], changed[sort] = item[sort], item[hash]
	m := b.move("keys-swapped", "keys swapped", hash+" and "+sort+" swapped", changed, "")
	m.needs = fmt.Sprintf("an item of %s whose %s and %s differ, which a case returns: in all of them the two have the same value", b.entity.ID, hash, sort)
}

func (b *itemBreaker) units() {
	item := ap.Item(b.item.Item)
	table, _ := b.design.Table(b.entity.Table)
	for attribute := range lists.Each(b.entity.Attributes) {
		expires := table.TTL != nil && table.TTL.Attribute == attribute.Name
		number, isNumber := item[attribute.Name].(*types.AttributeValueMemberN)
		if !isNumber {
			continue
		}
		factor, operator := big.NewRat(1000, 1), "seconds turned to milliseconds"
		if attribute.Format == ap.EpochMilliseconds {
			factor, operator = big.NewRat(1, 1000), "milliseconds turned to seconds"
		} else if attribute.Format != ap.EpochSeconds && !expires {
			continue
		}
		value, ok := dynamo.Decimal(number.Value)
		if !ok {
			continue
		}
		other := value.Mul(value, factor).FloatString(0)
		b.add(attribute.Name+"-unit", operator, attribute.Name+" "+other, with(item, attribute.Name, other), b.attributeClaim(attribute))
	}
}

// with returns the item with another text in a String or Number attribute.
func with(item ap.Item, attribute, text string) ap.Item {
	changed := maps.Clone(item)
	changed[attribute] = dynamo.Scalar(dynamo.TypeOf(item[attribute]), text)
	return changed
}

// retyped returns a value of a type that is neither the present nor the
// documented one.
func retyped(value types.AttributeValue, documented dynamo.Type) types.AttributeValue {
	for _, other := range []types.AttributeValue{
		&types.AttributeValueMemberN{Value: "7"}, &types.AttributeValueMemberS{Value: "mutant"}, &types.AttributeValueMemberBOOL{Value: true},
	} {
		if kind := dynamo.TypeOf(other); kind != documented && kind != dynamo.TypeOf(value) {
			return other
		}
	}
	return nil
}

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
	all := lists.Where(g.set.LoadedOf(entity.ID), func(item *fixtures.Item) bool { return item.Item[attribute] != nil })
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

// extraItems puts one more item into the partitions that the patterns read: a copy, under
// another primary key, of an item that a case expects of a read that returns many.
func (g *generator) extraItems() {
	for pattern := range lists.Each(g.design.Patterns) {
		cases := g.set.CasesOf(pattern.ID)
		if pattern.Writes() ||
			slices.ContainsFunc(cases, func(c fixtures.Case) bool { return c.Interfere != nil }) {
			continue // its cases put the items back as they were loaded
		}
		for _, step := range pattern.Steps {
			if extra := g.extra(step, cases); extra != nil {
				where := pattern.ID + ", step " + step.Name
				g.add(Mutant{
					Kind: Items, Operator: "item too many in a partition", What: fmt.Sprintf("%s: a copy of %s under another key", where, extra.Note),
					refit: func(set *fixtures.Set) { set.Items = append(set.Items, *extra) },
					items: func(item *fixtures.Item) bool { return item.Name == extra.Name },
				}, "extra/"+pattern.ID+"/"+step.Name, "pattern/"+pattern.ID)
			}
		}
	}
}

// extra is an item that the read returns beside one that a case expects; nil where there
// is none.
func (g *generator) extra(step ap.Step, cases []fixtures.Case) *fixtures.Item {
	read := step.Read
	if read.Operation == dynamo.GetItem || read.Limit > 0 {
		return nil
	}
	if read.Index == "" && (read.Sort == nil || read.Sort.Operator != expression.BeginsWith) {
		return nil // another sort key is another item of the partition, or none
	}
	table, _ := g.design.Table(read.Table)
	for _, c := range cases {
		for _, item := range g.named(c.Steps[step.Name]) {
			copied := lab.Elsewhere(table, ap.Item(item.Item))
			if item.Held || copied == nil {
				continue
			}
			extra := *item
			extra.Name, extra.Note, extra.Item = item.Name+" once more", item.Name, fixtures.Attributes(copied)
			return &extra
		}
	}
	return nil
}
