package scale

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
)

// world is what the tables hold, as far as reads look at it: the sizes of the
// items in the partitions that patterns address, and how the items of every
// table and index are spread over partitions. It knows nothing of the engine, so
// that what it says a read must cost is an independent witness.
type world struct {
	design *accesspatterns.Design
	// addressed are the partitions whose items are kept one by one.
	addressed map[place][]held
	spread    map[source]map[string]*partition
	bytes     int // of all items of others
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

// held is an item of a partition.
type held struct {
	sort   types.AttributeValue
	within string // the primary key, where the sort key leaves the order open
	bytes  int
}

// partition counts the items under one partition key.
type partition struct{ items, bytes int }

func newWorld(design *accesspatterns.Design) *world {
	return &world{design: design, addressed: map[place][]held{}, spread: map[source]map[string]*partition{}}
}

// address makes the world keep the items that a read looks at.
func (w *world) address(at place) {
	if _, known := w.addressed[at]; !known {
		w.addressed[at] = nil
	}
}

// add puts an item in. others says that it counts for the spread.
func (w *world) add(table *accesspatterns.Table, item accesspatterns.Item, others bool) {
	bytes := SizeOf(item)
	if others {
		w.bytes += bytes
	}
	var primary strings.Builder
	for _, key := range table.Keys() {
		primary.WriteString(dynamo.ScalarText(item[key.Attribute]))
		primary.WriteByte(0)
	}
	w.put(source{table.ID, ""}, table.Keys(), item, primary.String(), bytes, others)
	if at := (place{source{table.ID, ""}, everything}); w.keeps(at) {
		w.addressed[at] = append(w.addressed[at], held{within: primary.String(), bytes: bytes})
	}
	for i := range table.Indexes {
		keys, _ := table.KeysOf(table.Indexes[i].Name)
		// Every documented index projects ALL, so that its entries are as large as
		// the items.
		w.put(source{table.ID, table.Indexes[i].Name}, keys, item, primary.String(), bytes, others)
	}
}

func (w *world) keeps(at place) bool {
	_, kept := w.addressed[at]
	return kept
}

func (w *world) put(in source, keys []accesspatterns.Key, item accesspatterns.Item, primary string, bytes int, others bool) {
	if !inIndex(keys, item) {
		return
	}
	key := dynamo.ScalarText(item[keys[0].Attribute])
	if others {
		if w.spread[in] == nil {
			w.spread[in] = map[string]*partition{}
		}
		if w.spread[in][key] == nil {
			w.spread[in][key] = &partition{}
		}
		w.spread[in][key].items++
		w.spread[in][key].bytes += bytes
	}
	if at := (place{in, key}); w.keeps(at) {
		one := held{within: primary, bytes: bytes}
		if len(keys) > 1 {
			one.sort = item[keys[1].Attribute]
		}
		w.addressed[at] = append(w.addressed[at], one)
	}
}

// snapshot returns how much there is of every addressed partition, for restore to
// forget what was added since.
func (w *world) snapshot() map[place]int {
	lengths := map[place]int{}
	for at, items := range w.addressed {
		lengths[at] = len(items)
	}
	return lengths
}

func (w *world) restore(lengths map[place]int) {
	for at, length := range lengths {
		w.addressed[at] = w.addressed[at][:length]
	}
}

// foresee calculates what a read costs: the sizes of the items that it looks at,
// page by page. It says no for a Scan of several pages, whose order no document
// gives.
func (w *world) foresee(read *accesspatterns.Read, params accesspatterns.Params) (Figures, bool) {
	at, err := placeOf(read, params)
	if err != nil || read.Operation == dynamo.Scan && read.PageSize > 0 && len(w.addressed[at]) > int(read.PageSize) {
		return Figures{}, false
	}
	items := slices.DeleteFunc(slices.Clone(w.addressed[at]), func(one held) bool {
		matches, err := evaluate.SortHolds(read.Sort, one.sort, params)
		return err != nil || !matches
	})
	slices.SortFunc(items, func(a, b held) int {
		order := cmp.Or(evaluate.Order(a.sort, b.sort), strings.Compare(a.within, b.within))
		if read.Order == accesspatterns.Descending {
			order = -order
		}
		return order
	})
	consistent := read.Index == ""
	if read.Operation == dynamo.GetItem {
		bytes := 0
		for _, one := range items {
			bytes += one.bytes
		}
		return Figures{ReadUnits: readUnits(bytes, consistent), Pages: 1}, true
	}
	return paged(items, int(read.Limit), int(read.PageSize), int(read.InspectBudget), consistent), true
}

// paged adds the pages of a read up. A page ends at its limit, or before the
// item that would make it larger than 1 MB. At its limit a page does not know
// that nothing follows, so that one more request is sent.
func paged(items []held, limit, pageSize, budget int, consistent bool) Figures {
	var all Figures
	for {
		most := cmp.Or(limit, pageSize)
		if budget > 0 {
			most = budget - all.Scanned
		}
		bytes, count := 0, 0
		for count < len(items) && (most == 0 || count < most) && (count == 0 || bytes+items[count].bytes <= pageBytes) {
			bytes += items[count].bytes
			count++
		}
		items = items[count:]
		all.ReadUnits += readUnits(bytes, consistent)
		all.Scanned += count
		all.Pages++
		full := most > 0 && count == most
		if len(items) == 0 && !full || limit > 0 || budget > 0 && all.Scanned >= budget {
			return all
		}
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
	for i := range w.design.Tables {
		table := &w.design.Tables[i]
		names := []string{""}
		for j := range table.Indexes {
			names = append(names, table.Indexes[j].Name)
		}
		for _, name := range names {
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

func inIndex(keys []accesspatterns.Key, item accesspatterns.Item) bool {
	return !slices.ContainsFunc(keys, func(key accesspatterns.Key) bool {
		value := item[key.Attribute]
		return value == nil || dynamo.TypeOf(value) != key.Type
	})
}
