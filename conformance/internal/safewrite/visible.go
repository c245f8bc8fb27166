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
func (p *Protection) Visible(name string, item accesspatterns.Item) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	table := p.tables[name]
	for _, at := range table.places(item) {
		id := partitionID(table.Name, at.index, at.value)
		if table.Shared != nil {
			if why := table.Shared(at.index, at.value); why != "" {
				return fmt.Sprintf("an item of the run would show in partition %s, which %s", id, why)
			}
		}
		if p.partitions[id] {
			return "an item of the run would show in partition " + id + ", which holds items of others"
		}
	}
	return ""
}

// shows is [Protection.Visible] for what a write makes. What it takes away may go, wherever it
// stood.
func (p *Protection) shows(w *write) string {
	if w.change == check || w.change == Delete {
		return ""
	}
	return p.Visible(w.table, w.after)
}

// Withhold notes that an item of the run is not written because others would see it.
// What rests on it is refused from then on: its key, and the partitions in which it
// would show.
func (p *Protection) Withhold(table string, item accesspatterns.Item, reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.tables[table]
	p.withheld[keyID(table, keyOf(t, item))] = reason
	for _, at := range t.places(item) {
		if id := partitionID(table, at.index, at.value); p.lacking[id] == "" {
			p.lacking[id] = "partition " + id + " lacks an item of the run: " + reason
		}
	}
}

// KeyOf returns the primary key of an item.
func (p *Protection) KeyOf(table string, item accesspatterns.Item) accesspatterns.Item {
	return keyOf(p.tables[table], item)
}
