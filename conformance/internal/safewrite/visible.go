package safewrite

import (
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
)

// place is a partition in which an item shows: of the table, or of an index whose whole
// key the item has.
type place struct {
	index string
	value types.AttributeValue
}

func (t Table) places(item accesspatterns.Item) []place {
	if item == nil {
		return nil
	}
	var found []place
	if value := item[t.Keys[0]]; value != nil {
		found = append(found, place{"", value})
	}
	for _, name := range slices.Sorted(maps.Keys(t.Indexes)) {
		keys := t.Indexes[name]
		if !slices.ContainsFunc(keys, func(attribute string) bool { return item[attribute] == nil }) {
			found = append(found, place{name, item[keys[0]]})
		}
	}
	return found
}

// Visible says in which partition that others read an item of the run would show, and
// why others read it; empty where nobody but the run looks.
func (g *Guard) Visible(table string, item accesspatterns.Item) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.visible(g.tables[table], item)
}

func (g *Guard) visible(table Table, item accesspatterns.Item) string {
	for _, at := range table.places(item) {
		id := partitionID(table.Name, at.index, at.value)
		if table.Shared != nil {
			if why := table.Shared(at.index, at.value); why != "" {
				return fmt.Sprintf("an item of the run would show in partition %s, which %s", id, why)
			}
		}
		if g.partitions[id] {
			return "an item of the run would show in partition " + id + ", which holds items of others"
		}
	}
	return ""
}

// shows is [Guard.Visible] for what a write makes. What it takes away may go, wherever it
// stood.
func (g *Guard) shows(w *write) string {
	if w.change == check || w.change == Delete {
		return ""
	}
	return g.Visible(w.table, w.after)
}

// Withhold notes that an item of the run is not written because others would see it.
// What rests on it is refused from then on: its key, and the partitions in which it
// would show.
func (g *Guard) Withhold(table string, item accesspatterns.Item, reason string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.tables[table]
	g.withheld[keyID(table, keyOf(t, item))] = reason
	for _, at := range t.places(item) {
		if id := partitionID(table, at.index, at.value); g.lacking[id] == "" {
			g.lacking[id] = "partition " + id + " lacks an item of the run: " + reason
		}
	}
}

// KeyOf returns the primary key of an item.
func (g *Guard) KeyOf(table string, item accesspatterns.Item) accesspatterns.Item {
	return keyOf(g.tables[table], item)
}
