package mutants

import (
	"fmt"
	"slices"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/lab"
	"dynaproof/fixtures"
)

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
