package suite_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// breakAll tries breakages, those of one design together as far as they fail different
// claims: a whole replay for each would say no more, and take minutes. What fails must
// be what they name between them, so a breakage that hides another is seen; then each
// is tried alone, to say which.
func breakAll(t *testing.T, all []breakage) {
	t.Helper()
	for _, batch := range batches(all) {
		names := make([]string, len(batch))
		for i, each := range batch {
			names[i] = each.name
		}
		if t.Run(batch[0].design+": "+strings.Join(names, " + "), together(batch).run) || len(batch) == 1 {
			continue
		}
		for _, each := range batch {
			t.Run(each.name+", alone", each.run)
		}
	}
}

func batches(all []breakage) [][]breakage {
	var found [][]breakage
next:
	for _, each := range all {
		for i, batch := range found {
			if fits(batch, each) {
				found[i] = append(batch, each)
				continue next
			}
		}
		found = append(found, []breakage{each})
	}
	return found
}

func fits(batch []breakage, next breakage) bool {
	return !slices.ContainsFunc(batch, func(each breakage) bool {
		// What must fail nowhere stands beside its like alone, so that nothing else may fail there.
		return each.design != next.design || (len(each.fails) == 0) != (len(next.fails) == 0) ||
			slices.ContainsFunc(slices.Collect(maps.Keys(each.fails)), func(id string) bool { _, twice := next.fails[id]; return twice })
	})
}

func together(batch []breakage) breakage {
	if len(batch) == 1 {
		return batch[0]
	}
	whole := breakage{design: batch[0].design, parts: batch, fails: map[string]string{}}
	for _, each := range batch {
		maps.Copy(whole.fails, each.fails)
		whole.everywhere = whole.everywhere || each.everywhere
	}
	return whole
}
