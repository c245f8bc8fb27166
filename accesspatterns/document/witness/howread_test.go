package witness_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/document/witness"
	"dynaproof/accesspatterns/dynamo"
)

const bookings = `# Bookings

Table name: ` + "`bookings`" + `
Partition key: **PK** (String). Sort key: **SK** (String).

### GSI1

- Partition key: ` + "`GSI1PK`" + ` (String)
- Projection: INCLUDE ` + "`room`, `state`" + `

### Booking

| Attribute | Type | Required | Values |
|---|---|---|---|
| PK | String | Yes | ` + "`GUEST#{guest}`" + ` |
| SK | String | Yes | ` + "`BOOKING#{id}`" + ` |
| room | String | Yes | the room |
| note | String | No | a remark |
| state | String | Yes | ` + "`open` or `paid`" + ` |

## Access patterns

| Pattern | Operation | Key condition | Order | Limit | Filter |
|---|---|---|---|---|---|
| Bookings of a guest | Query | PK = GUEST#{guest} | descending | 10 | state = open |
`

// TestEverythingReadIsCompared: whatever the reader reads and the contract says otherwise is one
// objection, and the right contract has none.
func TestEverythingReadIsCompared(t *testing.T) {
	document, err := reader.Read([]byte(bookings))
	require.NoError(t, err)
	at := func(line int, token string) ap.Citation {
		return ap.Citation{First: line, Last: line, Tokens: []string{token}, Basis: ap.Basis{Kind: ap.Stated}}
	}
	build := func() *ap.Design {
		key := func(name string) ap.Key { return ap.Key{Attribute: name, Type: dynamo.String} }
		sort := key("SK")
		return &ap.Design{
			Name: "bookings",
			Tables: []ap.Table{{
				ID: "bookings", Name: "bookings", PartitionKey: key("PK"), SortKey: &sort, Cite: at(3, "bookings"), KeyCite: ap.Citation{First: 4, Last: 4, Tokens: []string{"PK", "SK"}},
				Indexes: []ap.Index{{Name: "GSI1", PartitionKey: key("GSI1PK"), Projection: "INCLUDE", NonKeyAttributes: []string{"state", "room"}, Cite: at(6, "GSI1")}},
			}},
			Entities: []ap.Entity{{
				ID: "booking", Table: "bookings", Cite: at(11, "Booking"),
				Keys: []ap.KeyAttribute{{Attribute: "PK", Template: "GUEST#{guest}", Cite: at(15, "PK")}, {Attribute: "SK", Template: "BOOKING#{id}", Cite: at(16, "SK")}},
				Attributes: []ap.Attribute{
					{Name: "room", Type: dynamo.String, Cite: at(17, "room")}, {Name: "note", Type: dynamo.String, Presence: ap.Optional, Cite: at(18, "note")},
					{Name: "state", Type: dynamo.String, Allowed: []string{"paid", "open"}, Cite: at(19, "state")},
				},
			}},
			Patterns: []ap.Pattern{{
				ID: "bookings-of-a-guest", Cite: at(25, "Bookings of a guest"),
				Steps: []ap.Step{{Read: &ap.Read{Table: "bookings", Operation: dynamo.Query, Order: ap.Descending, Limit: 10, Filter: []ap.Condition{{Attribute: "state"}}}}},
			}},
		}
	}
	for name, test := range map[string]struct {
		change func(*ap.Design)
		want   []string
	}{
		"nothing":  {func(*ap.Design) {}, nil},
		"list":     {func(d *ap.Design) { d.Tables[0].Indexes[0].NonKeyAttributes = []string{"room"} }, []string{"differs/index/bookings/GSI1/projection"}},
		"required": {func(d *ap.Design) { d.Entities[0].Attributes[0].Presence = ap.Optional }, []string{"differs/attribute/booking/room/presence"}},
		"optional": {func(d *ap.Design) { d.Entities[0].Attributes[1].Presence = ap.Required }, []string{"differs/attribute/booking/note/presence"}},
		"values":   {func(d *ap.Design) { d.Entities[0].Attributes[2].Allowed = []string{"open", "void"} }, []string{"differs/attribute/booking/state/allowed"}},
		"order":    {func(d *ap.Design) { d.Patterns[0].Steps[0].Read.Order = ap.Ascending }, []string{"differs/pattern/bookings-of-a-guest/order"}},
		"limit":    {func(d *ap.Design) { d.Patterns[0].Steps[0].Read.Limit = 20 }, []string{"differs/pattern/bookings-of-a-guest/limit"}},
		"filter":   {func(d *ap.Design) { d.Patterns[0].Steps[0].Read.Filter = nil }, []string{"differs/pattern/bookings-of-a-guest/filter"}},
	} {
		t.Run(name, func(t *testing.T) {
			design := build()
			test.change(design)
			var got []string
			for _, o := range witness.Open(witness.Object(design, document)) {
				got = append(got, o.ID)
			}
			slices.Sort(got)
			assert.Empty(t, cmp.Diff(test.want, got), "(-want +got)")
		})
	}
}

// TestDeclared: every row of a table that the contract says how to read is compared, both ways.
func TestDeclared(t *testing.T) {
	crossed := strings.Replace(bookings, "| note | String | No |", "| note | String | ✗ |", 1) // a sign that the reader knows
	document, err := reader.Read([]byte(crossed + "\n### Stay\n\n| PK | SK | Attributes |\n|---|---|---|\n| ROOM#{room} | DAY#{day} | room, **note** (short, plain), colour |\n"))
	require.NoError(t, err)
	items := ap.Reading{First: 29, Last: 31, Entity: "booking", Columns: map[string]string{"PK": "key", "SK": "key", "Attributes": "names"}}
	build := func() *ap.Design {
		text := func(name string, line int) ap.Attribute {
			return ap.Attribute{Name: name, Type: dynamo.String, Cite: ap.Citation{First: line, Last: line, Tokens: []string{name}}}
		}
		room, note, state := text("room", 17), text("note", 18), text("state", 19)
		note.Presence, state.Allowed = ap.Optional, []string{"open", "paid"}
		return &ap.Design{
			Tables:   []ap.Table{{ID: "bookings", Name: "bookings", PartitionKey: ap.Key{Attribute: "PK", Type: dynamo.String}}},
			Entities: []ap.Entity{{ID: "booking", Table: "bookings", Keys: []ap.KeyAttribute{{Attribute: "PK"}, {Attribute: "SK"}}, Attributes: []ap.Attribute{room, note, state}}},
			Readings: []ap.Reading{{First: 13, Last: 19, Entity: "booking", Columns: map[string]string{"Attribute": "name", "Type": "type", "Required": "presence", "Values": "-"}}},
		}
	}
	for name, test := range map[string]struct {
		change func(*ap.Design)
		want   []string
	}{
		"nothing":     {func(*ap.Design) {}, nil},
		"left out":    {func(d *ap.Design) { d.Entities[0].Attributes = d.Entities[0].Attributes[1:] }, []string{"declared/attribute/booking/room"}},
		"without row": {func(d *ap.Design) { d.Entities[0].Attributes[0].Name = "suite" }, []string{"declared/attribute/booking/room", "declared/attribute/booking/suite"}},
		"type":        {func(d *ap.Design) { d.Entities[0].Attributes[0].Type = dynamo.Number }, []string{"declared/attribute/booking/room/type"}},
		"key type":    {func(d *ap.Design) { d.Entities[0].Keys[1].Type = dynamo.Number }, []string{"declared/attribute/booking/SK/type"}},
		"own types":   {func(d *ap.Design) { d.Readings[0].Types = map[string]string{"String": "N"} }, []string{"declared/attribute/booking/PK/type", "declared/attribute/booking/SK/type", "declared/attribute/booking/note/type", "declared/attribute/booking/room/type", "declared/attribute/booking/state/type"}},
		"presence":    {func(d *ap.Design) { d.Entities[0].Attributes[1].Presence = ap.Required }, []string{"declared/attribute/booking/note/presence"}},
		"an item": {func(d *ap.Design) {
			d.Readings[0] = items
			d.Entities[0].Keys[0].Template, d.Entities[0].Keys[1].Template = "ROOM#{room}", "DAY#{day}"
		}, []string{"declared/attribute/booking/colour"}},
		"other form": {func(d *ap.Design) {
			d.Readings[0] = items
			d.Entities[0].Keys[0].Template, d.Entities[0].Keys[1].Template = "ROOM#{room}", "ON#{day}"
		}, []string{"declared/attribute/booking/colour", "declared/entity/booking/key/SK"}},
		"undeclared": {func(d *ap.Design) { delete(d.Readings[0].Columns, "Values") }, []string{"declared/reading/13-19/column/Values"}},
		"no such":    {func(d *ap.Design) { d.Readings[0].Columns["Kind"] = "-" }, []string{"declared/reading/13-19/column/Kind"}},
		"no table":   {func(d *ap.Design) { d.Readings[0].First, d.Readings[0].Last = 1, 3 }, []string{"declared/reading/1-3"}},
		"other values": {func(d *ap.Design) {
			d.Readings[0].Columns["Values"] = "allowed"
			d.Entities[0].Attributes[2].Allowed = []string{"open"}
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			design := build()
			test.change(design)
			var got []string
			for _, o := range witness.Open(witness.Object(design, document)) {
				if o.Kind == witness.Declared {
					got = append(got, o.ID)
				}
			}
			slices.Sort(got)
			if name == "other values" {
				assert.Contains(t, got, "declared/attribute/booking/state/allowed")
				return
			}
			assert.Empty(t, cmp.Diff(test.want, got), "(-want +got)")
		})
	}
}

// TestOneOrderOfColumns: the columns that a declared table lacks are named in one order at each start.
func TestOneOrderOfColumns(t *testing.T) {
	document, err := reader.Read([]byte(bookings))
	if err != nil {
		t.Fatal(err)
	}
	design := &ap.Design{
		Name:     "bookings",
		Tables:   []ap.Table{{ID: "bookings", Name: "bookings"}},
		Entities: []ap.Entity{{ID: "booking"}},
		Readings: []ap.Reading{{First: 13, Last: 19, Entity: "booking", Columns: map[string]string{"a": "-", "b": "-", "c": "-", "d": "-", "e": "-", "f": "-", "g": "-", "h": "-"}}},
	}
	var got []string
	for _, o := range witness.Object(design, document) {
		if strings.HasPrefix(o.Message, "expected the column") {
			got = append(got, o.ID)
		}
	}
	if len(got) != 8 || !slices.IsSorted(got) {
		t.Errorf("expected the eight columns in their order, found %v", got)
	}
}
