package mutants

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/internal/reads"
	"dynaproof/fixtures"
)

// patterns generates every wrong form of each read of each access pattern.
func (g *generator) patterns() {
	for pattern := range lists.Each(g.design.Patterns) {
		for n := range pattern.Steps {
			read := pattern.Steps[n].Read
			if read == nil {
				continue
			}
			table, _ := g.design.Table(read.Table)
			b := &readBreaker{&stepBreaker{g, pattern, n, &pattern.Steps[n]}, table}
			for _, form := range reads.WrongForms(table, read) {
				b.add(form.ID, form.Operator, form.What, form.Change).needs = form.Needs
			}
			b.results()
			b.requests()
		}
	}
}

// readBreaker generates the mutants of one read.
type readBreaker struct {
	*stepBreaker
	table *ap.Table
}

func (b *readBreaker) add(id, operator, what string, change func(*ap.Read), expect ...string) *Mutant {
	return b.amend(id, operator, what, func(pattern *ap.Pattern) { change(pattern.Steps[b.n].Read) }, expect...)
}

// amend adds a mutant of the pattern; without claims, the pattern's own must
// fail.
func (b *readBreaker) amend(id, operator, what string, change func(*ap.Pattern), expect ...string) *Mutant {
	path, where := b.pattern.ID+"/"+id, b.pattern.ID
	if len(b.pattern.Steps) > 1 {
		path, where = b.pattern.ID+"/"+b.step.Name+"-"+id, b.pattern.ID+", step "+b.step.Name
	}
	claim := b.claim()
	if len(expect) == 0 {
		expect = []string{claim}
	}
	whole := b.design.Name + "/" + claim
	return b.generator.add(Mutant{
		Kind: Patterns, Operator: operator, What: where + ": " + what, amend: amending(b.pattern.ID, change),
		touches: func(claim manifest.Claim) bool { return claim.ID == whole },
	}, "pattern/"+path, expect...)
}

func (b *readBreaker) claim() string { return "pattern/" + b.pattern.ID }

// results changes what comes back otherwise: page size, budget, projection, schema
// versions, a filter more.
func (b *readBreaker) results() {
	read := b.step.Read
	if read.PageSize > 0 {
		// The pages of any size hold the same items: the guard tells them apart.
		refusing := b.guardrailsThat(func(of ap.Guardrail) bool { return slices.Contains(b.refusedFor(of.ID), guard.RuleLimit) })
		b.add("page-size-dropped", "page size dropped", fmt.Sprintf("without its pages of %d", read.PageSize), func(read *ap.Read) { read.PageSize = 0 }, refusing...)
	}
	if read.InspectBudget > 0 { // a trial replays the pattern up to it
		trials := lists.Where(b.set.Trials, func(t fixtures.Trial) bool { return t.Pattern == b.pattern.ID })
		budget := lists.With(nil, lists.Map(trials, func(t fixtures.Trial) string { return t.For })...)
		b.add("budget-dropped", "budget dropped", fmt.Sprintf("without the budget of %d items", read.InspectBudget), func(read *ap.Read) { read.InspectBudget = 0 }, budget...)
	}
	if len(read.Projection) > 0 {
		b.add("projection-dropped", "projection widened", "with all attributes", func(read *ap.Read) { read.Projection = nil }, b.projectionClaims()...)
		if other := b.unprojected(); other != "" {
			b.add("projection-widened", "projection widened", "with "+other, func(read *ap.Read) {
				read.Projection = append(read.Projection, other)
			})
		}
	}
	if read.Versions != nil {
		b.add("versions-ignored", "schema versions ignored", "with items of every schema version as they come", func(read *ap.Read) { read.Versions = nil })
	}
	if filter, found := b.filter(); found {
		b.add("filter-added", "filter added", "only items whose "+filter.Attribute+" is "+string(filter.Value.Template), func(read *ap.Read) {
			read.Filter = append(read.Filter, filter)
		})
	}
}

// guardrailsThat are the claims of the guardrails of which a condition is true.
func (g *generator) guardrailsThat(are func(ap.Guardrail) bool) []string {
	return lists.Map(lists.Where(g.design.Guardrails, are), func(of ap.Guardrail) string { return "guardrail/" + of.ID })
}

// projectionClaims are the pattern's own claim, and the guardrails by which every
// Query carries a projection.
func (b *readBreaker) projectionClaims() []string {
	return append([]string{b.claim()}, b.guardrailsThat(func(of ap.Guardrail) bool {
		return b.step.Read.Operation == dynamo.Query && of.Proof == ap.ByLedgerProjection
	})...)
}

// unprojected is an attribute of the items that the cases expect which the read
// leaves out.
func (b *readBreaker) unprojected() string {
	var missing []string
	for _, c := range b.set.CasesOf(b.pattern.ID) {
		for _, item := range b.named(c.Steps[b.step.Name]) {
			entity, known := b.design.Entity(item.Entity)
			if !known {
				continue
			}
			for _, attribute := range entity.Attributes {
				head, _, nested := strings.Cut(attribute.Name, ".")
				if !nested && !strings.HasSuffix(head, "[]") && attribute.Presence == ap.Required &&
					!slices.ContainsFunc(b.step.Read.Projection, func(path string) bool { return path == head || strings.HasPrefix(path, head+".") }) {
					missing = append(missing, head)
				}
			}
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return slices.Min(missing)
}

// filter is a filter that keeps some of the items that a case expects and throws
// others away; where each case expects one item, it throws that one away.
func (b *readBreaker) filter() (ap.Condition, bool) {
	var none ap.Condition
	if b.step.Read.Operation == dynamo.GetItem {
		return none, false
	}
	keys, _ := b.table.KeysOf(b.step.Read.Index)
	single := none
	for _, c := range b.set.CasesOf(b.pattern.ID) {
		expected := b.named(c.Steps[b.step.Name])
		for _, item := range expected {
			for _, attribute := range slices.Sorted(maps.Keys(item.Item)) {
				value := dynamo.ScalarText(item.Item[attribute])
				if isKey := keys.Has(attribute); isKey || value == "" || strings.ContainsAny(value, "{}#") {
					continue // DynamoDB filters by no key attribute
				}
				if single.Operator == "" {
					single = equalTo(attribute, dynamo.String, otherName)
				}
				if slices.ContainsFunc(expected, func(other *fixtures.Item) bool { return dynamo.ScalarText(other.Item[attribute]) != value }) {
					return equalTo(attribute, dynamo.TypeOf(item.Item[attribute]), value), true
				}
			}
		}
	}
	return single, single.Operator != ""
}

func equalTo(attribute string, of dynamo.Type, value string) ap.Condition {
	return ap.Condition{
		Attribute: attribute, Operator: expression.Equal, Value: ap.Operand{Type: of, Template: ap.KeyTemplate(value)},
	}
}

// requests changes what is sent: a Scan instead of a Query, one read more.
func (b *readBreaker) requests() {
	read := b.step.Read
	if read.Operation == dynamo.Query && b.pattern.Waiver == "" {
		b.add("scan", "query turned into a scan", "by a Scan that filters on the key", func(read *ap.Read) {
			filter := []ap.Condition{{Attribute: read.Partition.Attribute, Operator: expression.Equal, Value: read.Partition.Value}}
			if read.Sort != nil && read.Sort.Operator == expression.Equal {
				filter = append(filter, ap.Condition{Attribute: read.Sort.Attribute, Operator: expression.Equal, Value: read.Sort.Value})
			}
			*read = ap.Read{
				Operation: dynamo.Scan, Table: read.Table, Filter: append(filter, read.Filter...), Projection: read.Projection,
			}
		}, "ledger/"+manifest.LedgerNoScan)
	}
	if read.Operation != dynamo.Scan && read.Partition != nil {
		b.secondPartition()
	}
}

func (b *readBreaker) secondPartition() {
	b.amend("second-partition", "second partition read", "and another partition besides", func(pattern *ap.Pattern) {
		second := pattern.Steps[b.n]
		read := second.Read.WithOwnKeys()
		read.Partition.Value.Template = "2"
		if read.Partition.Value.Type == dynamo.String {
			read.Partition.Value.Template = "another#partition"
		}
		second.Name, second.Read, second.StopWhenEmpty = second.Name+" again", read, false
		pattern.Steps = slices.Insert(pattern.Steps, b.n+1, second)
	})
}

// together sends items that are documented to be read by one request otherwise: each
// alone, and by the other operation. The items are the same, so that the ledger alone
// can tell.
func (g *generator) together() {
	for i := range g.design.Patterns {
		for n := range g.design.Patterns[i].Steps {
			pattern, step := g.design.Patterns[i].ID, &g.design.Patterns[i].Steps[n]
			if step.Read == nil || step.Read.Together == "" {
				continue
			}
			for _, other := range others(step.Read.Together, "", dynamo.BatchGetItem, dynamo.TransactGetItems) {
				id, what := string(other), pattern+", step "+step.Name+": read by "+string(other)
				if other == "" {
					id, what = "GetItem", pattern+", step "+step.Name+": read by one GetItem for each"
				}
				g.add(Mutant{
					Kind: Patterns, Operator: "read together otherwise", What: what, undocumented: true,
					touches: func(claim manifest.Claim) bool { return claim.ID == g.design.Name+"/pattern/"+pattern },
					amend:   amending(pattern, func(of *ap.Pattern) { of.Steps[n].Read.Together = other }),
				}, "pattern/"+pattern+"/"+step.Name+"/together-"+id, "ledger/"+manifest.LedgerDocumented)
			}
		}
	}
}

// readOnly writes a table that nobody writes: an item of it as it is, by a pattern of
// its own, so that the requests alone can tell.
func (g *generator) readOnly() {
	const pattern = "mutant-writes"
	for table := range lists.Each(g.design.Tables) {
		at := slices.IndexFunc(g.set.Items, func(item fixtures.Item) bool {
			entity, known := g.design.Entity(item.Entity)
			return known && entity.Table == table.ID && !item.Held
		})
		if table.ReadOnly == nil || at < 0 {
			continue
		}
		item := &g.set.Items[at]
		for _, kind := range []ap.ActionKind{ap.Put, ap.Update} {
			g.add(Mutant{
				Kind: Patterns, Operator: "read-only table written", What: table.ID + ": written by a " + string(kind) + " that leaves its item as it is", undocumented: true,
				touches: func(claim manifest.Claim) bool { return claim.ID == g.design.Name+"/pattern/"+pattern },
				amend: func(design *ap.Design) {
					action := ap.Action{Kind: kind, Table: table.ID, Item: "item"}
					if kind == ap.Put {
						action.Entity = item.Entity
					} else {
						entity, _ := design.Entity(item.Entity)
						if name := attributeOf(entity, item); name != "" {
							action.Edits = []string{name}
						}
						for _, key := range table.Keys() {
							action.Key = append(action.Key, ap.Equality{Attribute: key.Attribute, Value: ap.Operand{Type: key.Type, Template: ap.KeyTemplate(dynamo.ScalarText(item.Item[key.Attribute]))}})
						}
					}
					design.Patterns = append(design.Patterns, ap.Pattern{
						ID: pattern, Title: "A write that nobody documents", Cite: table.ReadOnly.Cite, Returns: []string{item.Entity},
						Steps: []ap.Step{{Name: "write", Write: []ap.Action{action}}},
					})
				},
				refit: func(set *fixtures.Set) {
					set.Cases = append(set.Cases, fixtures.Case{
						Pattern: pattern, Params: ap.Params{}, Items: fixtures.Roles{"item": {item.Name}}, Present: []string{item.Name},
					})
				},
			}, "table/"+table.ID+"/written-by-"+string(kind), "ledger/"+manifest.LedgerUnwritten+"/"+table.ID)
		}
	}
}

// attributeOf is an attribute that an item has beside its key; empty where it has none.
func attributeOf(entity *ap.Entity, item *fixtures.Item) string {
	at := slices.IndexFunc(entity.Attributes, func(a ap.Attribute) bool { return item.Item[a.Name] != nil })
	if at < 0 {
		return ""
	}
	return entity.Attributes[at].Name
}
