package mutants

import (
	"slices"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/fixtures"
)

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
