package witness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/document/internal/lazyregexp"
	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/document/review"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
)

// Hazard: what a contract says works on DynamoDB otherwise than it reads, by a rule
// of package review. The id goes on with the rule and what it is about.
const Hazard = "hazard"

// Hazards applies the rules of a review that rest on keys, templates, indexes and
// access patterns to a contract, where nothing is guessed, and returns what they say.
// Those that the contract answers, by a finding or with a reason, carry the answer.
func Hazards(design *ap.Design) []Objection {
	w := &witness{design: design, doc: &reader.Document{}}
	for _, hit := range review.OfKeys(described(design)) {
		if pattern, is := design.Pattern(hit.About); is && hit.ID == "scan" && pattern.Waiver != "" {
			continue
		}
		w.object(Hazard, hit.ID+"/"+strings.ReplaceAll(hit.About, " ", "-"), hit.Line, "%s", hit.Message)
	}
	w.expiredReads()
	w.staleCopies()
	w.unconditionalSubtractions()
	return w.answered(true)
}

// described is the contract in the form of a document that was read, in which every
// fact is said.
func described(design *ap.Design) *reader.Document {
	doc, tables := &reader.Document{Title: design.Title}, map[string]*reader.Table{}
	for own := range lists.Each(design.Tables) {
		table := &reader.Table{At: saidAt(own.Cite), Name: own.ID, Keys: keys(own.Keys(), own.KeyCite)}
		for _, index := range own.Indexes {
			at := saidAt(index.Cite)
			table.Indexes = append(table.Indexes, &reader.Index{At: at, Name: index.Name, Keys: keys(index.Keys(), index.Cite), Projection: reader.Setting{At: at, Value: string(index.Projection)}, Include: index.NonKeyAttributes})
		}
		if own.TTL != nil {
			table.TTL = &reader.Setting{At: saidAt(own.TTL.Cite), Value: own.TTL.Attribute}
		}
		tables[own.ID], doc.Tables = table, append(doc.Tables, table)
	}
	for own := range lists.Each(design.Entities) {
		entity := &reader.Entity{At: saidAt(own.Cite), Title: own.ID, Table: tables[own.Table], In: own.Table}
		for _, key := range own.Keys {
			entity.Keys = append(entity.Keys, reader.EntityKey{At: saidAt(key.Cite), Attribute: key.Attribute, Template: reader.Template(key.Template)})
		}
		for _, a := range own.Attributes {
			entity.Attributes = append(entity.Attributes, reader.Attribute{At: saidAt(a.Cite), Name: a.Name, Type: string(a.Type), Note: string(a.Format), Allowed: valuesOf(&a)})
		}
		doc.Entities = append(doc.Entities, entity)
	}
	for own := range lists.Each(design.Patterns) {
		reads := lists.Where(own.Steps, func(step ap.Step) bool { return step.Read != nil })
		doc.Patterns = append(doc.Patterns, lists.Map(reads, func(step ap.Step) *reader.Pattern { return asked(own, step) })...)
	}
	return doc
}

func saidAt(c ap.Citation) reader.At { return reader.At{Line: c.First, Sure: reader.Said} }

func keys(own []ap.Key, c ap.Citation) []reader.Key {
	var all []reader.Key
	for i, key := range own {
		all = append(all, reader.Key{At: saidAt(c), Name: key.Attribute, Type: string(key.Type), Role: []string{reader.Hash, reader.Range}[i]})
	}
	return all
}

// asked is a read of a pattern as a document lists it.
func asked(pattern *ap.Pattern, step ap.Step) *reader.Pattern {
	read, cite := step.Read, step.Cite
	p := &reader.Pattern{
		At: saidAt(cite), Title: pattern.ID, Listed: true, Operation: string(read.Operation), Table: read.Table, Index: read.Index,
		Limit: int(read.Limit), Last: cite.Last,
	}
	add := func(attribute, operator string, value, high ap.Operand, filter bool) {
		p.Conditions = append(p.Conditions, reader.Condition{
			Line: cite.First, Attribute: attribute, Operator: operator, Value: reader.Template(value.Template), High: reader.Template(high.Template), Filter: filter,
		})
	}
	if read.Partition != nil {
		add(read.Partition.Attribute, "=", read.Partition.Value, ap.Operand{}, false)
	}
	if read.Sort != nil {
		add(read.Sort.Attribute, string(read.Sort.Operator), read.Sort.Value, read.Sort.High, false)
	}
	for _, c := range read.Filter {
		for _, one := range c.Alternatives() {
			add(one.Attribute, string(one.Operator), one.Value, one.High, true)
		}
	}
	return p
}

// expiredReads: reads that may return items with a TTL, and do not leave expired
// ones out.
func (w *witness) expiredReads() {
	for table := range lists.Each(w.design.Tables) {
		if table.TTL == nil {
			continue
		}
		patterns := lists.Where(w.design.Patterns, func(pattern ap.Pattern) bool {
			return slices.ContainsFunc(pattern.Steps, func(step ap.Step) bool { return w.readsExpired(table, step.Read) })
		})
		if len(patterns) > 0 {
			w.object(Hazard, "expired-items-still-read/"+table.ID, patterns[0].Cite.First,
				"items of %s expire by %s, and DynamoDB deletes them days later: %s take them as they come", table.ID, table.TTL.Attribute, some(patterns))
		}
	}
}

// some names the first few of several.
func some(patterns []ap.Pattern) string {
	const shown = 5
	names := lists.Map(patterns, func(p ap.Pattern) string { return p.ID })
	if len(names) <= shown+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}

func (w *witness) readsExpired(table *ap.Table, read *ap.Read) bool {
	return read != nil && read.Table == table.ID && read.Expires == "" && slices.ContainsFunc(w.design.ReturnedBy(read), func(e *ap.Entity) bool {
		_, has := e.Attribute(table.TTL.Attribute)
		return has
	})
}

// valuesOf are the values that an attribute can have, as far as a rule counts them; nil where they are not
// counted.
func valuesOf(a *ap.Attribute) []string {
	if a.Type != dynamo.Number || a.Minimum == nil || a.Maximum == nil || a.Format != ap.Integer {
		return a.Allowed
	}
	var all []string
	for n := *a.Minimum; n <= *a.Maximum && len(all) < 100; n++ {
		all = append(all, fmt.Sprint(n))
	}
	return all
}

// staleCopies: an update of an attribute of which a key of the item is made, that
// leaves the key as it was.
func (w *witness) staleCopies() {
	w.eachUpdate(func(pattern *ap.Pattern, entity *ap.Entity, action *ap.Action) {
		changed := func(name string) bool { return slices.Contains(action.Changes(), name) }
		for _, key := range entity.Keys {
			if changed(key.Attribute) {
				continue
			}
			for _, parameter := range key.Template.Parameters() {
				name := cmp.Or(key.Binds[parameter], parameter)
				if _, has := entity.Attribute(name); has && name != key.Attribute && changed(name) && !asKeyed(action, name) {
					w.object(Hazard, "copy-goes-stale/"+entity.ID+"/"+key.Attribute, pattern.Cite.First,
						"%s changes %s of %s and not %s, which is made of it: the index still finds the old value", pattern.ID, name, entity.ID, key.Attribute)
				}
			}
		}
	})
}

// asKeyed reports whether an update gives an attribute the value that its own key
// has.
func asKeyed(action *ap.Action, name string) bool {
	return slices.ContainsFunc(action.Set, func(set ap.Assignment) bool {
		return set.Attribute == name && set.Operator == "" && slices.ContainsFunc(action.Key, func(key ap.Equality) bool {
			return strings.Contains(string(key.Value.Template), string(set.Value.Template)) && strings.HasPrefix(string(set.Value.Template), "{")
		})
	})
}

// unconditionalSubtractions: an update that takes from a Number with nothing that keeps
// it from falling below zero.
func (w *witness) unconditionalSubtractions() {
	w.eachUpdate(func(pattern *ap.Pattern, entity *ap.Entity, action *ap.Action) {
		for _, set := range action.Set {
			own, has := entity.Attribute(set.Attribute)
			if set.Operator != "-" || !has || own.Minimum == nil && !balanceName.MatchString(set.Attribute) {
				continue
			}
			if !slices.ContainsFunc(action.Condition, func(c ap.Condition) bool {
				return slices.ContainsFunc(c.Alternatives(), func(one ap.Condition) bool { return one.Attribute == set.Attribute })
			}) {
				w.object(Hazard, "balance-without-condition/"+pattern.ID+"/"+set.Attribute, pattern.Cite.First,
					"%s takes from %s of %s without a condition: two requests at once can take it below zero", pattern.ID, set.Attribute, entity.ID)
			}
		}
	})
}

var balanceName = lazyregexp.New(`(?i)(balance|stock|inventory|credits?|points|quantity|seats|available)`)

// eachUpdate calls a function for every Update of every pattern, with the entity that
// its key is that of.
func (w *witness) eachUpdate(each func(pattern *ap.Pattern, entity *ap.Entity, action *ap.Action)) {
	for pattern := range lists.Each(w.design.Patterns) {
		for _, step := range pattern.Steps {
			for action := range lists.Each(step.Write) {
				if action.Kind != ap.Update {
					continue
				}
				if acted := w.design.ActsOn(action); len(acted) > 0 {
					each(pattern, acted[0], action)
				}
			}
		}
	}
}
