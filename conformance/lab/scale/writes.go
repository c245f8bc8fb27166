package scale

import (
	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/internal/wire"
	"dynaproof/fixtures"
)

// written follows what a case writes, from the fixtures on, to calculate what
// each write must consume.
type written struct {
	design *accesspatterns.Design
	tables map[string]*accesspatterns.Table // by deployed name
	items  map[string]accesspatterns.Item   // fixtures and what the case wrote over them, by table and key
}

// writeForecast is what a write must consume after AWS's rules.
type writeForecast struct {
	// Table is of the tables, Indexes of their indexes.
	Table, Indexes float64
}

// foresee calculates what a write that succeeded must have consumed, and takes
// over what it wrote. It says no where an update does what this package cannot
// follow.
//
// AWS: "DynamoDB performs two underlying reads or writes of every item in the
// transaction", so that a table's units are doubled. An index is brought up to
// date outside of the transaction: an entry that appears, vanishes or changes
// costs one write of its size, one that moves to another key costs two, and one
// that stays as it is none.
func (w *written) foresee(entry wire.Entry) (writeForecast, bool) {
	var all writeForecast
	writes, err := writesOf(entry)
	if err != nil || entry.ErrorType != "" {
		return all, false
	}
	times := 1.0
	if entry.Operation == string(dynamo.TransactWriteItems) {
		times = 2
	}
	for i := range writes {
		table := w.tables[writes[i].Table]
		if table == nil {
			return all, false
		}
		before, after, id, err := w.apply(table, &writes[i])
		if err != nil {
			return all, false
		}
		all.Table += times * writeUnits(max(SizeOf(before), SizeOf(after)))
		if writes[i].Kind == accesspatterns.ConditionCheck {
			continue
		}
		for i := range table.Indexes {
			keys, _ := table.KeysOf(table.Indexes[i].Name)
			all.Indexes += indexUnits(keys, before, after)
		}
		w.items[id] = after
	}
	return all, true
}

// writesOf takes a write on the wire apart.
func writesOf(entry wire.Entry) ([]sdk.Write, error) {
	request := fixtures.Request{Operation: entry.Operation, Input: entry.Request}
	input, err := request.Decode(func(name string) (string, error) { return name, nil }, nil)
	if err != nil {
		return nil, err
	}
	return sdk.Writes(input)
}

// apply returns an item before and after a write.
func (w *written) apply(table *accesspatterns.Table, write *sdk.Write) (before, after accesspatterns.Item, id string, err error) {
	id = table.ID + dynamo.ShowItem(table.KeyOf(write.Place()))
	before = w.items[id]
	switch write.Kind {
	case accesspatterns.Put:
		after = write.Item
	case accesspatterns.Update:
		after, err = evaluate.Update(write, before)
	case accesspatterns.ConditionCheck:
		after = before
	}
	return before, after, id, err
}

// indexUnits is what bringing one index up to date consumes.
func indexUnits(keys []accesspatterns.Key, before, after accesspatterns.Item) float64 {
	was, is := inIndex(keys, before), inIndex(keys, after)
	switch {
	case !was && !is, was && is && dynamo.EqualItems(before, after):
		return 0
	case !was:
		return writeUnits(SizeOf(after))
	case !is:
		return writeUnits(SizeOf(before))
	}
	for _, key := range keys {
		if !dynamo.Equal(before[key.Attribute], after[key.Attribute]) {
			return writeUnits(SizeOf(before)) + writeUnits(SizeOf(after))
		}
	}
	return writeUnits(max(SizeOf(before), SizeOf(after)))
}

func inIndex(keys []accesspatterns.Key, item accesspatterns.Item) bool {
	for _, key := range keys {
		value := item[key.Attribute]
		if value == nil || dynamo.TypeOf(value) != key.Type {
			return false
		}
	}
	return true
}
