package scale

import (
	"context"
	"fmt"
	"slices"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/lists"
	"dynaproof/fixtures"
)

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
