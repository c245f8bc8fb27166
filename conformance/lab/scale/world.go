package scale

import (
	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
)

// world is how the items of others are spread over the partitions of every table and index. It knows nothing of the engine.
type world struct {
	design *accesspatterns.Design
	spread map[source]map[string]partition
	bytes  int // of all items
}

// source is a table, or an index of it.
type source struct{ table, index string }

// place is a partition of a source; of a table that is scanned, all of it.
type place struct {
	source
	key string
}

// everything stands for all partitions of a table: a Scan reads them all. No key
// can be this text, for none is empty.
const everything = ""

// partition counts the items under one partition key.
type partition struct{ items, bytes int }

// sources are a table and its indexes, by name.
func sources(table *accesspatterns.Table) []string {
	return append([]string{""}, table.IndexNames()...)
}

// add puts an item in. Every documented index projects ALL, so that its entries are as large as the items.
func (w *world) add(table *accesspatterns.Table, item accesspatterns.Item) {
	bytes := dynamo.Size(item)
	w.bytes += bytes
	for _, name := range sources(table) {
		keys, _ := table.KeysOf(name)
		if !keys.In(item) {
			continue
		}
		partitions, key := lists.Inner(w.spread, source{table.ID, name}), dynamo.ScalarText(item[keys[0].Attribute])
		held := partitions[key]
		partitions[key] = partition{held.items + 1, held.bytes + bytes}
	}
}

// placeOf is the partition that a read addresses.
func placeOf(read *accesspatterns.Read, params accesspatterns.Params) (place, error) {
	in := source{read.Table, read.Index}
	if read.Partition == nil {
		return place{in, everything}, nil
	}
	value, err := read.Partition.Value.Resolve(params)
	if err != nil {
		return place{}, err
	}
	return place{in, dynamo.ScalarText(value)}, nil
}

// Spread says how the items of others are spread over the partitions of a table
// or index.
type Spread struct {
	Table string `json:"table"`
	Index string `json:"index,omitempty"`
	// Partitions is the number of partition keys, Items that of items.
	Partitions int `json:"partitions"`
	Items      int `json:"items"`
	// Largest is the number of items under one partition key, at most, and Key
	// that key.
	Largest int    `json:"largest"`
	Key     string `json:"key"`
	// Share is the part of all items that stands in the largest, from 0 to 1.
	Share float64 `json:"share"`
	// ItemBytes is the mean size of an item there, in bytes.
	ItemBytes int `json:"itemBytes"`
	// WritesPerSecond is how many such items the partition takes in a second,
	// and PageItems how many fill a page of 1 MB.
	WritesPerSecond float64 `json:"writesPerSecond"`
	PageItems       int     `json:"pageItems"`
}

// spreads returns the spread over every table and index, in the contract's order.
func (w *world) spreads() []Spread {
	var all []Spread
	for table := range lists.Each(w.design.Tables) {
		for _, name := range sources(table) {
			one := Spread{Table: table.ID, Index: name}
			bytes := 0
			for key, held := range w.spread[source{table.ID, name}] {
				one.Partitions++
				one.Items += held.items
				if held.items > one.Largest || held.items == one.Largest && key < one.Key {
					one.Largest, one.Key, bytes = held.items, key, held.bytes
				}
			}
			if one.Items == 0 {
				continue
			}
			one.Share = float64(one.Largest) / float64(one.Items)
			one.ItemBytes = bytes / one.Largest
			one.WritesPerSecond = partitionWrites / writeUnits(one.ItemBytes)
			one.PageItems = pageBytes / max(1, one.ItemBytes)
			all = append(all, one)
		}
	}
	return all
}
