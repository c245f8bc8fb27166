package explore

import (
	"encoding/binary"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/accesspatterns/validate"
)

// appendText appends a text with its length, so that no two lists of texts look alike.
func appendText(to []byte, text string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}

// appendTexts appends texts by their names.
func appendTexts[M ~map[string]string](to []byte, texts M) []byte {
	to = binary.AppendUvarint(to, uint64(len(texts)))
	for _, name := range dynamo.Names(texts) {
		to = appendText(appendText(to, name), texts[name])
	}
	return to
}

// appendItem appends an item, the same for equal items.
func appendItem(to []byte, item ap.Item) []byte {
	to = binary.AppendUvarint(to, uint64(len(item)))
	for _, name := range dynamo.Names(item) {
		to = appendValue(appendText(to, name), item[name])
	}
	return to
}

func appendValue(to []byte, value types.AttributeValue) []byte {
	of := dynamo.TypeOf(value)
	to = appendText(to, string(of))
	switch value := value.(type) {
	case *types.AttributeValueMemberM:
		return appendItem(to, value.Value)
	case *types.AttributeValueMemberL:
		to = binary.AppendUvarint(to, uint64(len(value.Value)))
		for _, element := range value.Value {
			to = appendValue(to, element)
		}
		return to
	case *types.AttributeValueMemberS:
		return appendText(to, value.Value)
	case *types.AttributeValueMemberN:
		return appendText(to, value.Value)
	case *types.AttributeValueMemberBOOL:
		if value.Value {
			return append(to, 1)
		}
		return append(to, 0)
	case *types.AttributeValueMemberSS:
		to = binary.AppendUvarint(to, uint64(len(value.Value)))
		for _, member := range slices.Sorted(slices.Values(value.Value)) {
			to = appendText(to, member)
		}
		return to
	}
	return appendText(to, dynamo.Show(value))
}

// appendWrite appends a write, the same for equal writes.
func appendWrite(to []byte, w *sdk.Write) []byte {
	to = appendText(appendText(to, string(w.Kind)), w.Table)
	to = appendItem(appendItem(to, w.Item), w.Key)
	to = appendText(appendText(to, aws.ToString(w.Condition)), aws.ToString(w.Update))
	return appendItem(appendTexts(to, w.Names), w.Values)
}

// written is a write with the entities that it may be of, and what it leaves of each item of its key.
type written struct {
	sdk.Write
	of      []*ap.Entity
	effects []int32
}

// intern numbers a write.
func (x *explorer) intern(w *sdk.Write) int32 {
	text := string(appendWrite(nil, w))
	if known, has := x.writeIDs[text]; has {
		return known
	}
	write := int32(len(x.writes))
	x.writes = append(x.writes, written{Write: *w, of: x.design.EntitiesOf(w.Table, w.Place())})
	x.writeIDs[text] = write
	return write
}

// keyOf numbers the primary key of an item.
func (x *explorer) keyOf(table string, item ap.Item) int32 {
	of, _ := x.design.Table(table)
	text := evaluate.KeyIn(of, item)
	if known, has := x.keyIDs[text]; has {
		return known
	}
	key := int32(len(x.keyTables))
	x.keyIDs[text], x.keyTables, x.keyItems = key, append(x.keyTables, table), append(x.keyItems, 0)
	return key
}

// none is the number of no item, refused what DynamoDB makes of a write that it refuses, and a write that no values give; untried is what
// nobody has asked for.
const (
	none    int32 = 0
	refused int32 = -1
	untried int32 = -2
)

// held is an item that exists in some state.
type held struct {
	item   ap.Item
	entity *ap.Entity
	valid  bool
	// nth counts the items of one key, from 1; 0 is none.
	nth int32
	// seen is the item as formulas see it, and params are those of its keys, made when they are first asked for.
	seen   any
	params ap.Params
}

// number numbers an item; 0 is none.
func (x *explorer) number(table string, item ap.Item) int32 {
	if item == nil {
		return none
	}
	text := string(appendItem(appendText(nil, table), item))
	if known, has := x.itemIDs[text]; has {
		return known
	}
	key := x.keyOf(table, item)
	x.keyItems[key]++
	h := held{item: item, nth: x.keyItems[key]}
	for _, e := range x.design.EntitiesOf(table, item) {
		if h.entity == nil {
			h.entity = e
		}
		if x.universe.from.valid(e, item) {
			h.entity, h.valid = e, true
			break
		}
	}
	id := int32(len(x.items))
	x.items = append(x.items, h)
	x.itemIDs[text] = id
	return id
}

// effect is the item that a write leaves in the place of another one.
func (x *explorer) effect(write, before int32) int32 {
	if known, nth := x.writes[write].effects, x.items[before].nth; int(nth) < len(known) && known[nth] != untried {
		return known[nth]
	}
	return x.first(write, before)
}

// first carries out a write for the first time.
func (x *explorer) first(write, before int32) int32 {
	w, nth := &x.writes[write], int(x.items[before].nth)
	table, _ := x.design.Table(w.Table)
	item, err := evaluate.Stored(table, &w.Write, x.items[before].item)
	after := refused
	switch {
	case err == nil:
		after = x.number(w.Table, item)
	case !evaluate.Refused(err):
		x.undecided = err.Error()
	}
	for len(w.effects) <= nth {
		w.effects = append(w.effects, untried)
	}
	w.effects[nth] = after
	return after
}

// itemOf makes an item of an entity from one of its bases, once, with these parameters in its keys and these attributes, of which nil is
// none. It says no where that is not valid.
func (x *explorer) itemOf(e *ap.Entity, base int, params ap.Params, attributes map[string]types.AttributeValue) (ap.Item, bool) {
	text := appendItem(appendTexts(append(appendText(nil, e.ID), byte(base)), params), attributes)
	if known, has := x.made[string(text)]; has {
		return known.item, known.valid
	}
	var h held
	if bases := x.universe.basesOf(e); base < len(bases) {
		h.item = x.universe.made(e, bases[base], params, attributes)
		h.valid = x.universe.from.valid(e, h.item)
	}
	x.made[string(text)] = h
	if h.valid {
		x.valid[reflect.ValueOf(h.item).Pointer()] = e.ID
	}
	return h.item, h.valid
}

// violations are those of an item; an item of the universe was judged when it was made.
func (x *explorer) violations(e *ap.Entity, item ap.Item) []validate.Violation {
	if x.valid[reflect.ValueOf(item).Pointer()] == e.ID {
		return nil
	}
	return validate.Item(e, item)
}

// place is a key with the item that it holds.
type place struct{ key, item int32 }

// state is what the tables hold: the keys that hold an item, in the order of their numbers.
type state []place

// mark tells states apart: it is the sum of those of their items, so that what a move changes is taken away and added. Of 128 bits
// that are as good as random no two sums of a search are equal by chance.
type mark [2]uint64

// markOf is the mark of an item, which is under one key alone; that of none is zero.
func markOf(item int32) mark {
	if item == none {
		return mark{}
	}
	mix := func(n uint64) uint64 { // the finalizer of splitmix64
		n *= 0x9e3779b97f4a7c15
		n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
		n = (n ^ n>>27) * 0x94d049bb133111eb
		return n ^ n>>31
	}
	return mark{mix(2 * uint64(item)), mix(2*uint64(item) + 1)}
}

// with is the mark of a state in which one item is in the place of another one.
func (m mark) with(before, after mark) mark {
	return mark{m[0] - before[0] + after[0], m[1] - before[1] + after[1]}
}

func (s state) mark() (all mark) {
	for _, p := range s {
		all = all.with(mark{}, markOf(p.item))
	}
	return all
}

// byKey are the items of so many keys, made in what is given.
func (s state) byKey(into []int32, keys int) []int32 {
	into = slices.Grow(into[:0], keys)[:keys]
	clear(into)
	for _, p := range s {
		into[p.key] = p.item
	}
	return into
}

func (s state) at(key int32) int32 {
	for _, p := range s {
		if p.key == key {
			return p.item
		}
	}
	return none
}

// has reports whether there is an item under every key of another state.
func (s state) has(keys state) bool {
	return !slices.ContainsFunc(keys, func(p place) bool { return s.at(p.key) == none })
}

// with is the state with another item, or none, under a key.
func (s state) with(key, item int32) state {
	at := 0
	for at < len(s) && s[at].key < key {
		at++
	}
	has := at < len(s) && s[at].key == key
	switch {
	case has && item == none:
		return slices.Delete(s, at, at+1)
	case has:
		s[at].item = item
		return s
	case item == none:
		return s
	}
	return slices.Insert(s, at, place{key, item})
}

// put is a state with an item of a table under its key.
func (x *explorer) put(s state, table string, item ap.Item) state {
	return s.with(x.keyOf(table, item), x.number(table, item))
}

// have is a state with an item of an entity, where such a one is valid: see [explorer.itemOf].
func (x *explorer) have(s state, e *ap.Entity, base int, params ap.Params, attributes values) state {
	if item, valid := x.itemOf(e, base, params, attributes); valid {
		return x.put(s, e.Table, item)
	}
	return s
}

// leaves are the items that a move leaves under its keys, made in what is given. It says no where DynamoDB refuses the move.
func (x *explorer) leaves(s state, m *move, into []int32) ([]int32, bool) {
	into = into[:0]
	for i, write := range m.writes {
		item := x.effect(write, s.at(m.keys[i]))
		if item == refused {
			return into, false
		}
		into = append(into, item)
	}
	return into, true
}

// after is the state behind a move that leaves these items, made in what is given.
func (s state) after(m *move, left []int32, into state) state {
	into = append(into[:0], s...)
	for i, item := range left {
		into = into.with(m.keys[i], item)
	}
	return into
}

// apply carries out a move. It says no as [explorer.leaves] does.
func (x *explorer) apply(s state, m *move) (state, bool) {
	var few [8]int32
	left, done := x.leaves(s, m, few[:0])
	if !done {
		return nil, false
	}
	return s.after(m, left, make(state, 0, len(s)+len(left))), true
}
