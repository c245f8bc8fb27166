package accesspatterns

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/internal/place"
	"dynaproof/accesspatterns/lists"
)

// Item is one DynamoDB item, attribute by attribute, exactly typed.
type Item = map[string]types.AttributeValue

// Entity is one kind of item that a document describes.
type Entity struct {
	// ID is unique within the design, in lower-case words joined by hyphens.
	ID string `yaml:",name"`
	// The document's own name for the entity.
	Title string `yaml:"title" jsonschema:"required"`
	// The logical id of the table that holds it.
	Table string `yaml:"table" jsonschema:"required"`
	// Where the document introduces the entity.
	Cite Citation `yaml:"cite" jsonschema:"required"`

	// The key attributes: those of the table first, then those of the indexes in which the entity appears.
	Keys []KeyAttribute `yaml:"keys" jsonschema:"required"`
	// All other attributes, by name or path: sections.private is a map's member, a * stands for any member, tags[] for every element of a list. Several names that are alike stand together: 'title, body'.
	Attributes []Attribute `yaml:"attributes"`
	// Where the document says that an item has no other attributes. Without it, others are noted, and the guard refuses them.
	Closed *Citation `yaml:"closed"`
	// What holds between attributes, by id.
	Rules []Rule `yaml:"rules"`
	// Whose the items are: exploration holds each role to what it reaches.
	Owner *Ownership `yaml:"owner"`
	// Written is where a contract says so, for messages.
	Written place.At `yaml:"-" json:"-"`
}

// KeyAttribute says which form an entity's key attribute has.
type KeyAttribute struct {
	Attribute string `yaml:",name"`
	// The documented form: ENTRY#{date}#{entryId}. Of an attribute that holds an id as it is, the parameter alone: {userId}.
	Template KeyTemplate `yaml:"template" jsonschema:"required"`
	// String unless stated.
	Type dynamo.Type `yaml:"type" jsonschema:"enum=S,enum=N,enum=B"`
	// The attribute that holds the same value as a parameter, where the two have different names; an empty text where none does.
	Binds map[string]string `yaml:"binds"`
	// Parameters that are the id of something that another parameter names too: {coachId: userId}.
	Refers map[string]string `yaml:"refers"`
	// An item may lack this index key; then it is absent from that index.
	Optional bool     `yaml:"optional"`
	Cite     Citation `yaml:"cite" jsonschema:"required"`
	// Written is where a contract says so, for messages.
	Written place.At `yaml:"-" json:"-"`
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

var presences = []string{"required", "optional", "nullable"}

// UnmarshalText reads the word of a contract.
func (p *Presence) UnmarshalText(word []byte) error {
	*p = Presence(max(0, slices.Index(presences, string(word))))
	return nil
}

// Word is how a contract says it.
func (p Presence) Word() string { return presences[p] }

// Attribute is one documented attribute of an entity.
type Attribute struct {
	// Name is the attribute's name, or a path into it: "sections.private"
	// names a map's member, "*" any member of a map ("selections.*.*"), and
	// "[]" every element of a list ("categories[].name").
	Name string `yaml:",names"`
	// Without it, the document gives none, and any fits.
	Type dynamo.Type `yaml:"type" jsonschema:"enum=S,enum=N,enum=B,enum=BOOL,enum=NULL,enum=M,enum=L,enum=SS,enum=NS,enum=BS"`
	// Required unless stated, of every parent that the item has. A nullable attribute is absent or present with type NULL.
	Presence Presence `yaml:"presence" jsonschema:"enum=required,enum=optional,enum=nullable"`
	// The only values of a String, or of a set's members.
	Allowed []string `yaml:"allowed,words"`
	// The lowest Number.
	Minimum *float64 `yaml:"minimum"`
	// The highest Number.
	Maximum *float64 `yaml:"maximum"`
	// A notation of the value.
	Format Format `yaml:"format" jsonschema:"enum=timestamp,enum=date,enum=epoch-seconds,enum=epoch-milliseconds,enum=uuid,enum=integer"`
	// The members of the JSON object that a String holds, by name or dotted path, each with its JSON type: string, number, boolean, object, array, null or any.
	JSON map[string]string `yaml:"json"`
	// The empty string, which DynamoDB stores, is refused.
	NotEmpty bool `yaml:"not-empty"`
	// The parameter of a key template whose values the attribute, or each of its elements, has: it is another item's id. An attribute with the parameter's own name needs none.
	Refers string   `yaml:"refers"`
	Cite   Citation `yaml:"cite" jsonschema:"required"`
	// Written is where a contract says so, for messages.
	Written place.At `yaml:"-" json:"-"`
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

// formats are the notations by the words of a contract.
var formats = map[string]Format{
	"timestamp": ISOTimestamp, "date": ISODate, "epoch-seconds": EpochSeconds, "epoch-milliseconds": EpochMilliseconds, "uuid": UUID, "integer": Integer,
}

// UnmarshalText reads the word of a contract.
func (f *Format) UnmarshalText(word []byte) error {
	*f = formats[string(word)]
	return nil
}

// Word is how a contract says it.
func (f Format) Word() string {
	for word, format := range formats {
		if format == f {
			return word
		}
	}
	return ""
}

// Rule is a documented relation between attributes of one item. Exactly one of
// Template, EqualTo and Check is set.
type Rule struct {
	// ID is unique within the entity.
	ID string `yaml:",name"`
	// The rule in the project's words.
	Statement string `yaml:"says" jsonschema:"required"`
	// The attribute that the rule constrains.
	Attribute string `yaml:"attribute" jsonschema:"required"`
	// The form of the attribute's value; its parameters are those of the item's keys.
	Template KeyTemplate `yaml:"template"`
	// An attribute whose value must be the same.
	EqualTo string `yaml:"equals"`
	// Check, when set, decides rules that no template can express. It returns
	// an error that says what was expected and what was found.
	Check func(Item) error `yaml:"-" json:"-"`
	// A CEL expression that must be true. item holds the item's attributes, key the parameters of its keys. It says nothing about an item whose named attributes are missing or broken by themselves.
	CEL  string   `yaml:"cel"`
	Cite Citation `yaml:"cite" jsonschema:"required"`
	// Written is where a contract says so, for messages.
	Written place.At `yaml:"-" json:"-"`
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

// typeAt is the type of an attribute or of a place in one, where "*" stands for any member of a map that has no name of its own.
func (e *Entity) typeAt(path string) dynamo.Type {
	if of, known := e.TypeOf(path); known {
		return of
	}
	segments := strings.Split(path, ".")
	if a, is := find(e.Attributes, func(a *Attribute) bool {
		return slices.EqualFunc(strings.Split(a.Name, "."), segments, func(named, segment string) bool { return named == segment || named == "*" })
	}); is {
		return a.Type
	}
	return ""
}

// Parameters are those of all keys of the entity.
func (e *Entity) Parameters() []string {
	return slices.Concat(lists.Map(e.Keys, func(key KeyAttribute) []string { return key.Template.Parameters() })...)
}

// Rule returns the rule with the given id.
func (e *Entity) Rule(id string) (*Rule, bool) {
	return find(e.Rules, func(each *Rule) bool { return each.ID == id })
}

// Key returns the key attribute of that name.
func (e *Entity) Key(name string) (*KeyAttribute, bool) {
	return find(e.Keys, func(each *KeyAttribute) bool { return each.Attribute == name })
}
