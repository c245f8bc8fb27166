package accesspatterns

import (
	"cmp"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns/dynamo"
)

// Item is one DynamoDB item, attribute by attribute, exactly typed.
type Item = map[string]types.AttributeValue

// Entity is one kind of item that a document describes.
type Entity struct {
	// ID is unique within the design, in lower-case words joined by hyphens.
	ID string
	// Title is the document's own name for the entity.
	Title string
	// Table is the logical id of the table that holds it.
	Table string
	// Cite is where the document introduces the entity.
	Cite Citation

	// Keys are the entity's key attributes: those of the table first, then
	// those of the indexes in which the entity appears.
	Keys []KeyAttribute
	// Attributes are all other attributes, in the document's order.
	Attributes []Attribute
	// Closed cites where the document says that an item has no other attributes.
	// Nil leaves the list open: others are noted in an item, and refused by the
	// guard, which lets nothing through that the contract does not hold.
	Closed *Citation
	// Rules hold between attributes.
	Rules []Rule
	// Owner says whose the items are; nil where the contract does not.
	Owner *Ownership
	// Written is where a contract says so, as file:line, for messages; empty for one that is written in Go.
	Written string `json:"-"`
}

// KeyAttribute says which form an entity's key attribute has.
type KeyAttribute struct {
	Attribute string
	// Template is the documented form. For an attribute that holds an id as it
	// is, the template is the parameter alone: {userId}.
	Template KeyTemplate
	// Type is the attribute's type; empty means String.
	Type dynamo.Type
	// Binds maps parameters to the attributes that must hold the same value
	// where the two have different names ({ISODate} and createdAt). A
	// parameter without an entry binds to the attribute of its own name, when
	// the entity has one. The empty string unbinds a parameter.
	Binds map[string]string
	// Refers maps parameters to others that have the same values, because both are ids of one thing.
	Refers map[string]string
	// Optional is true for index keys that an item may lack; then the item is
	// absent from that index.
	Optional bool
	Cite     Citation
	// Written is where a contract says so, as file:line, for messages; empty for one that is written in Go.
	Written string `json:"-"`
}

// ValueType is the attribute's type: String where none is given.
func (k *KeyAttribute) ValueType() dynamo.Type { return cmp.Or(k.Type, dynamo.String) }

// Bound is the attribute that must hold the same value as a parameter of the template;
// empty where the parameter is unbound.
func (k *KeyAttribute) Bound(parameter string) string {
	if bound, renamed := k.Binds[parameter]; renamed {
		return bound
	}
	return parameter
}

// Presence says whether an item must carry an attribute.
type Presence int

// The values of Presence.
const (
	// Required attributes are in every item.
	Required Presence = iota
	// Optional attributes may be absent.
	Optional
	// Nullable attributes may be absent, or present with type NULL, as the
	// document's examples show.
	Nullable
)

// Attribute is one documented attribute of an entity.
type Attribute struct {
	// Name is the attribute's name, or a path into it: "sections.private"
	// names a map's member, "*" any member of a map ("selections.*.*"), and
	// "[]" every element of a list ("categories[].name").
	Name string
	// Type is empty where the document gives none: then any fits.
	Type dynamo.Type
	// Presence holds for every parent that the item has.
	Presence Presence
	// Allowed lists the only values of a String, or of a String Set's
	// members. Empty means any value.
	Allowed []string
	// Minimum and Maximum bound a Number, both included. Nil means unbounded.
	Minimum, Maximum *float64
	// Format constrains a String or Number further. Empty means any value.
	Format Format
	// JSON says that a String holds a JSON object with these members, by name or dotted
	// path, each with the JSON type of its value: string, number, boolean, object, array,
	// null, or any. Empty means that it need be no JSON.
	JSON map[string]string
	// NotEmpty refuses the empty string, which DynamoDB stores in attributes that
	// are no keys.
	NotEmpty bool
	// Refers is the parameter of a key template whose values the attribute has, or its elements: it is
	// another item's id. Empty where the attribute has the parameter's name, or is no id.
	Refers string
	Cite   Citation
	// Written is where a contract says so, as file:line, for messages; empty for one that is written in Go.
	Written string `json:"-"`
}

// Format is a documented notation of a value.
type Format string

// The notations that the documents use.
const (
	// ISOTimestamp is an ISO 8601 date and time with its zone, such as
	// 2026-02-19T12:00:00.000Z; fractional seconds are optional, and an offset may
	// stand in place of Z.
	ISOTimestamp Format = "ISO 8601 timestamp"
	// ISODate is a calendar date, such as 2026-01-15.
	ISODate Format = "ISO 8601 date (YYYY-MM-DD)"
	// EpochMilliseconds is a Number of milliseconds since 1970.
	EpochMilliseconds Format = "Unix time in milliseconds"
	// EpochSeconds is a Number of seconds since 1970, as TTL requires.
	EpochSeconds Format = "Unix time in seconds"
	// UUID is the 36-character hexadecimal form of RFC 9562.
	UUID Format = "UUID"
	// Integer is a Number without a fraction.
	Integer Format = "integer"
)

// Rule is a documented relation between attributes of one item. Exactly one of
// Template, EqualTo and Check is set.
type Rule struct {
	// ID is unique within the entity.
	ID string
	// Statement says the rule in the project's words.
	Statement string
	// Attribute is the attribute that the rule constrains.
	Attribute string
	// Template, when set, is the form of the attribute's value; its parameters
	// are those that the item's keys parse to.
	Template KeyTemplate
	// EqualTo, when set, names an attribute whose value must be the same.
	EqualTo string
	// Check, when set, decides rules that no template can express. It returns
	// an error that says what was expected and what was found. CEL is the expression that it evaluates.
	Check func(Item) error `json:"-"`
	CEL   string
	Cite  Citation
	// Written is where a contract says so, as file:line, for messages; empty for one that is written in Go.
	Written string `json:"-"`
}

// Attribute returns the attribute of that name or path.
func (e *Entity) Attribute(name string) (*Attribute, bool) {
	return find(e.Attributes, func(each *Attribute) bool { return each.Name == name })
}

// TypeOf returns the type of an attribute, a key or not; empty where the document gives
// none.
func (e *Entity) TypeOf(name string) (of dynamo.Type, known bool) {
	if key, is := e.Key(name); is {
		return key.ValueType(), true
	}
	if attribute, is := e.Attribute(name); is {
		return attribute.Type, true
	}
	return "", false
}

// Rule returns the rule with the given id.
func (e *Entity) Rule(id string) (*Rule, bool) {
	return find(e.Rules, func(each *Rule) bool { return each.ID == id })
}

// Key returns the key attribute of that name.
func (e *Entity) Key(name string) (*KeyAttribute, bool) {
	return find(e.Keys, func(each *KeyAttribute) bool { return each.Attribute == name })
}
