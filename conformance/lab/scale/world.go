package scale

import (
	"slices"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
)

// world holds the partitions in which items of others stand. It knows nothing of the engine.
type world map[place]bool

// place is a partition of a table, or of an index of it; of a table that is scanned, all of it.
type place struct{ table, index, key string }

// everything stands for all partitions of a table: a Scan reads them all. No key
// can be this text, for none is empty.
const everything = ""

// add puts an item in.
func (w world) add(table *accesspatterns.Table, item accesspatterns.Item) {
	names := []string{""}
	for i := range table.Indexes {
		names = append(names, table.Indexes[i].Name)
	}
	for _, name := range names {
		if keys, _ := table.KeysOf(name); inIndex(keys, item) {
			w[place{table.ID, name, dynamo.ScalarText(item[keys[0].Attribute])}] = true
		}
	}
}

// placeOf is the partition that a read addresses.
func placeOf(read *accesspatterns.Read, params accesspatterns.Params) (place, error) {
	if read.Partition == nil {
		return place{read.Table, read.Index, everything}, nil
	}
	value, err := read.Partition.Value.Resolve(params)
	if err != nil {
		return place{}, err
	}
	return place{read.Table, read.Index, dynamo.ScalarText(value)}, nil
}

func inIndex(keys []accesspatterns.Key, item accesspatterns.Item) bool {
	return !slices.ContainsFunc(keys, func(key accesspatterns.Key) bool {
		value := item[key.Attribute]
		return value == nil || dynamo.TypeOf(value) != key.Type
	})
}
