package scale

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/lists"
	"dynaproof/fixtures"
)

// flatness compares what a pattern's cases cost at every size.
func (p *proof) flatness(pattern *accesspatterns.Pattern, cases []fixtures.Case) Pattern {
	judged := Pattern{
		ID: pattern.ID, Title: pattern.Title, Cite: p.design.Document.Cite(pattern.Cite), Waiver: pattern.Waiver, Verdict: Flat,
	}
	finding := slices.IndexFunc(p.design.Findings, func(f accesspatterns.Finding) bool { return slices.Contains(f.Grows, pattern.ID) })
	explained := finding >= 0 // a finding says why the pattern grows
	if explained {
		judged.Finding = p.design.Name + "/finding/" + p.design.Findings[finding].ID
	}
	grew := ""
	for n, c := range cases {
		curve, first := Case{Name: c.Name}, p.sizes[0][pattern.ID][n]
		for i, others := range p.result.Sizes {
			measured := p.sizes[i][pattern.ID][n]
			curve.Points = append(curve.Points, Point{others, measured.all()})
			judged.Problems = append(judged.Problems, strangers(c, measured, others, explained && mixes(pattern))...)
			if difference := differs(first, measured); difference != "" && grew == "" {
				grew = fmt.Sprintf("case %q: %s when %d items of others are added", c.Name, difference, others-p.result.Sizes[0])
			}
		}
		judged.Cases = append(judged.Cases, curve)
	}
	switch {
	case grew != "" && explained:
		judged.Verdict = Explained
	case grew != "":
		judged.Verdict = Grows
		judged.Problems = append(judged.Problems, grew+"; no finding of the contract explains it: read by a key of the caller's own, or record the finding with the pattern in Grows")
	}
	return judged
}

// mixes says whether a read of a pattern returns whatever shares its partition: a
// declared filter keeps others' items out, except from a Scan.
func mixes(pattern *accesspatterns.Pattern) bool {
	return slices.ContainsFunc(pattern.Steps, func(step accesspatterns.Step) bool {
		return step.Read != nil && (len(step.Read.Filter) == 0 || step.Read.Operation == dynamo.Scan)
	})
}

// strangers reports items of others in a result, and expected ones that are not
// there. Where a finding says that everybody's items share the partition, others'
// are a part of the result, which is then mixed.
func strangers(c fixtures.Case, measured caseMeasured, others int, mixed bool) []string {
	var problems []string
	for _, step := range measured {
		where := fmt.Sprintf("case %q, step %s, beside %d items of others", c.Name, step.step, others)
		if len(step.missing) > 0 {
			problems = append(problems, fmt.Sprintf("%s: expected %s too, found without", where, strings.Join(step.missing, ", ")))
		}
		if step.others > 0 && !mixed {
			problems = append(problems, fmt.Sprintf("%s: expected the case's own items alone, found %d of others", where, step.others))
		}
	}
	return problems
}

// differs says how the cost of a case changed between two sizes, in words.
func differs(before, after caseMeasured) string {
	if len(before) != len(after) {
		return fmt.Sprintf("%d steps become %d", len(before), len(after))
	}
	for i, step := range before {
		now := after[i]
		var changes []string
		change := func(what string, was, is float64) {
			if was != is {
				changes = append(changes, fmt.Sprintf("%s %g becomes %g", what, was, is))
			}
		}
		change("read units", step.ReadUnits, now.ReadUnits)
		change("write units", step.WriteUnits, now.WriteUnits)
		change("scanned count", float64(step.Scanned), float64(now.Scanned))
		change("pages", float64(step.Pages), float64(now.Pages))
		if len(changes) > 0 {
			return "step " + step.step + ": " + strings.Join(changes, ", ")
		}
	}
	return ""
}

// judgeOwn expects the cost to grow with the pattern's own result, and with
// nothing else: every item more is inspected once, up to the documented budget,
// and costs at most what a consistent read of its bytes costs.
func judgeOwn(read *accesspatterns.Read, points []OwnPoint, bytes []int) []string {
	var problems []string
	base := points[0]
	for n, point := range points[1:] {
		wanted := base.Scanned + point.Own
		if budget := int(read.InspectBudget); budget > 0 {
			wanted = min(wanted, budget)
		}
		// An engine may count the item twice at which a page ends.
		if point.Scanned < wanted || point.Scanned > wanted+point.Pages-1 {
			problems = append(problems, fmt.Sprintf("own result larger by %d: expected scanned count %d over %d pages, found %d", point.Own, wanted, point.Pages, point.Scanned))
		}
		if point.ReadUnits < base.ReadUnits {
			problems = append(problems, fmt.Sprintf("own result larger by %d: expected at least %g read units, found %g", point.Own, base.ReadUnits, point.ReadUnits))
		}
		// Engines may count the bytes of an item a little otherwise; a tenth, and a unit for each page, is no longer that.
		if most := base.ReadUnits + 1.1*float64(bytes[n+1])/readBytes + float64(point.Pages); point.ReadUnits > most {
			problems = append(problems, fmt.Sprintf("own result larger by %d: expected at most %.1f read units for %d bytes more, found %g", point.Own, most, bytes[n+1], point.ReadUnits))
		}
	}
	return problems
}

// neighbours replays, while one pattern's own result is large, the patterns that
// read another part of the same partition: a caller's entries must not cost more
// because the same caller has many comments. Patterns that return some of the
// items grow by right.
func (p *proof) neighbours(ctx context.Context, grown *accesspatterns.Pattern, table *accesspatterns.Table, items []accesspatterns.Item) error {
	last := p.sizes[len(p.sizes)-1]
	for pattern := range lists.Each(p.design.Patterns) {
		read := pattern.OnlyRead()
		if read == nil || pattern.ID == grown.ID || read.Table != table.ID {
			continue
		}
		for n, c := range p.set.CasesOf(pattern.ID) {
			beside, err := p.beside(read, c, table, items)
			if err != nil {
				return err
			}
			if !beside {
				continue
			}
			now, err := measureCase(ctx, p.session, pattern, c)
			if err != nil {
				return err
			}
			p.result.Neighbours++
			if difference := differs(last[pattern.ID][n], now); difference != "" {
				p.crowded[pattern.ID] = append(p.crowded[pattern.ID], fmt.Sprintf("case %q: %s when the result of %s grows by %d items, which this pattern does not return", c.Name, difference, grown.ID, len(items)))
			}
		}
	}
	return nil
}

// beside says whether items stand in the partition that a case reads, and the
// case returns none of them.
func (p *proof) beside(read *accesspatterns.Read, c fixtures.Case, table *accesspatterns.Table, items []accesspatterns.Item) (bool, error) {
	at, err := placeOf(read, c.Params)
	if err != nil || at.key == everything {
		return false, err
	}
	keys, _ := table.KeysOf(read.Index)
	near := slices.ContainsFunc(items, func(item accesspatterns.Item) bool {
		return keys.In(item) && dynamo.ScalarText(item[keys[0].Attribute]) == at.key
	})
	if !near {
		return false, nil
	}
	unlimited := *read
	unlimited.Limit = 0 // it cuts before the filter
	returned, err := evaluate.Read(&unlimited, table, items, c.Params)
	return err == nil && len(returned) == 0, err
}

// conclude adds what neighbours have made dearer to the patterns, and says which
// findings expect growth that did not show.
func (p *proof) conclude() {
	for judged := range lists.Each(p.result.Patterns) {
		problems := p.crowded[judged.ID]
		switch {
		case len(problems) > 0 && judged.Finding == "":
			judged.Verdict = Grows
			judged.Problems = slices.Concat(judged.Problems, problems)
		case len(problems) > 0:
			judged.Verdict, judged.Beside = Explained, problems[0]
		case judged.Finding != "" && judged.Verdict == Flat:
			p.result.Notes = append(p.result.Notes, fmt.Sprintf("%s says that %s grows, and it did not: load more, or take the pattern out of Grows", judged.Finding, judged.ID))
		}
	}
}
