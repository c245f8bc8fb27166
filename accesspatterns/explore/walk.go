package explore

import (
	"math/rand/v2"
	"slices"

	ap "dynaproof/accesspatterns"
)

// Walk is a list of requests that the guard admits, one after the other, and what becomes of the items in memory.
type Walk struct {
	// Before and After are the items by table.
	Before, After map[string][]ap.Item
	// Requests are the inputs of the SDK, with the ids of tables as their names; Refused says which of them DynamoDB refuses.
	Requests []any
	Refused  []bool
}

// Walks are so many walks through a design, each of so many requests, the same in every run.
func Walks(d *ap.Design, items []Item, n, length int) (all []Walk, err error) {
	x, err := newExplorer(d, BasesOf(d, items))
	if err != nil {
		return nil, err
	}
	moves := x.everyWrite(&Law{})
	starts := x.validStarts(moves)
	for i := range n {
		random := rand.New(rand.NewPCG(uint64(i), 0))
		now := starts[random.IntN(len(starts))]
		walk := Walk{Before: x.tables(now)}
		for len(walk.Requests) < length {
			m := moves[random.IntN(len(moves))]
			after, done := x.apply(now, m)
			if done {
				now = after
			}
			walk.Requests, walk.Refused = append(walk.Requests, m.input), append(walk.Refused, !done)
		}
		walk.After = x.tables(now)
		all = append(all, walk)
	}
	return all, nil
}

// tables are the items of a state by table, made once for each of those that are asked for one after the other.
func (x *explorer) tables(s state) map[string][]ap.Item {
	if x.shown != nil && slices.Equal(s, x.shownOf) {
		return x.shown
	}
	items := map[string][]ap.Item{}
	for _, p := range s {
		table := x.keyTables[p.key]
		items[table] = append(items[table], x.items[p.item].item)
	}
	x.shown, x.shownOf = items, slices.Clone(s)
	return items
}
