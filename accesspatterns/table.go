package accesspatterns

import (
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/internal/place"
	"dynaproof/accesspatterns/lists"
)

// Key is an attribute of a primary key or of an index key, with its type in the
// attribute definitions: String, Number or Binary.
type Key struct {
	Attribute string      `yaml:",name"`
	Type      dynamo.Type `yaml:",value"`
}

// Keys are the attributes of the key of a table or an index, partition key first.
type Keys []Key

// Has reports whether an attribute is one of the key.
func (k Keys) Has(attribute string) bool {
	return slices.ContainsFunc(k, func(key Key) bool { return key.Attribute == attribute })
}

// Names are the attributes' names.
func (k Keys) Names() (names []string) {
	return lists.Map(k, func(key Key) string { return key.Attribute })
}

// In reports whether an item has a value for each attribute of the key, of its type and not empty: no other is in the index, and DynamoDB
// takes no other into the table.
func (k Keys) In(item Item) bool {
	return !slices.ContainsFunc(k, func(key Key) bool {
		text, is := item[key.Attribute].(*types.AttributeValueMemberS)
		return dynamo.TypeOf(item[key.Attribute]) != key.Type || is && text.Value == ""
	})
}

// Capacity is provisioned throughput, in capacity units a second.
type Capacity struct {
	ReadUnits  int64 `yaml:"read-units" jsonschema:"required"`
	WriteUnits int64 `yaml:"write-units" jsonschema:"required"`
}

// Table is one documented table.
type Table struct {
	// ID is the logical name: the documented name without placeholders. Stack
	// outputs, patterns and fixtures use it.
	ID      string   `yaml:",name"`
	Written place.At `yaml:"-" json:"-"`
	// The documented name, where it is not the logical id; {env}, or whatever else stands in braces, stands for the environment.
	Name NameTemplate `yaml:"name"`
	// The document allows another name by configuration.
	Renamable bool `yaml:"renamable"`
	// Where the document names the table.
	Cite Citation `yaml:"cite" jsonschema:"required"`

	// PartitionKey and SortKey are the primary key; SortKey is nil where it is the partition key alone.
	PartitionKey Key  `yaml:"-"`
	SortKey      *Key `yaml:"-"`
	// Where the document gives the primary key.
	KeyCite Citation `yaml:"key-cite" jsonschema:"required"`
	// Where the document gives the types of the key attributes, if that is another place or has another basis.
	TypesCite *Citation `yaml:"types-cite"`
	Indexes   []Index   `yaml:"-"`
	// Where the document says which indexes there are, or that there is none.
	IndexesCite Citation `yaml:"indexes-cite" jsonschema:"required"`
	// Where the document gives the table's settings: what does not stand there is not set. The table's own citation otherwise.
	SettingsCite *Citation `yaml:"settings-cite"`

	// Billing is empty where the document is silent; then it is not asserted.
	Billing     dynamo.Billing `yaml:"-"`
	BillingCite Citation       `yaml:"-"`
	// Later is nil, or the provisioned capacity of the table that the document
	// offers in place of on-demand billing: a table in either mode is as documented.
	Later *Capacity `yaml:"-"`

	// The time to live. Without it, none may be enabled.
	TTL *TTL `yaml:"ttl"`
	// Units are the documented read and write capacity units of a provisioned table;
	// nil where the document gives none.
	Units *Capacity `yaml:"-"`
	// The stream. Without it, none may be enabled.
	Stream *StreamPromise `yaml:"stream"`
	// Deletion protection is on. Without it, it is noted.
	Protection *Promise `yaml:"deletion-protection"`
	// The table class. Without it, another than STANDARD is noted.
	Class *ClassPromise `yaml:"table-class"`
	// No access pattern writes the table: its items come from elsewhere.
	ReadOnly *Promise `yaml:"read-only"`
	// Point-in-time recovery is on. Without it, it is not asserted.
	PITR *Promise `yaml:"pitr"`
	// The region. Without it, it is not asserted.
	Region *RegionPromise `yaml:"region"`
	// The table is encrypted with a key that AWS owns or manages. Without it, it is not asserted.
	Encryption *Promise `yaml:"encryption"`
	// Tags are exactly the documented tags; {env} in a value stands for the
	// environment. Empty means that no tag may be present.
	Tags     map[string]NameTemplate `yaml:"-"`
	TagsCite Citation                `yaml:"-"`
}

// Promise is a documented property that is on.
type Promise struct {
	Cite Citation `yaml:"cite" jsonschema:"required"`
}

// StreamPromise is a documented stream.
type StreamPromise struct {
	// What its records hold. Without it, any will do.
	View string   `yaml:"view" jsonschema:"enum=KEYS_ONLY,enum=NEW_IMAGE,enum=OLD_IMAGE,enum=NEW_AND_OLD_IMAGES"`
	Cite Citation `yaml:"cite" jsonschema:"required"`
}

// ClassPromise is a documented table class.
type ClassPromise struct {
	Class string   `yaml:"name" jsonschema:"required,enum=STANDARD,enum=STANDARD_INFREQUENT_ACCESS"`
	Cite  Citation `yaml:"cite" jsonschema:"required"`
}

// RegionPromise is a documented AWS region.
type RegionPromise struct {
	Region string   `yaml:"name" jsonschema:"required"`
	Cite   Citation `yaml:"cite" jsonschema:"required"`
}

// TTL is a documented time to live.
type TTL struct {
	// A Number in epoch seconds.
	Attribute string   `yaml:"attribute" jsonschema:"required"`
	Cite      Citation `yaml:"cite" jsonschema:"required"`
}

// Index is a documented secondary index.
type Index struct {
	Name    string   `yaml:",name"`
	Written place.At `yaml:"-" json:"-"`
	// Local says that it is a local one, whose partition key is the table's.
	Local        bool `yaml:"-"`
	PartitionKey Key  `yaml:"-"`
	SortKey      *Key `yaml:"-"`
	// MorePartition and MoreSort are the further attributes of a key of several, in
	// their order: DynamoDB has up to four of each. Such an index is compared with what
	// is deployed, and no pattern reads it.
	MorePartition, MoreSort Keys `yaml:"-"`
	// Which attributes the index carries.
	Projection dynamo.Projection `yaml:"projection" jsonschema:"required,enum=ALL,enum=KEYS_ONLY,enum=INCLUDE"`
	// The attributes of an INCLUDE projection that are no keys.
	NonKeyAttributes []string `yaml:"non-key-attributes,words"`
	// Where the document describes the index.
	Cite Citation `yaml:"cite" jsonschema:"required"`
	// Where the document gives the projection, if that is another place or has another basis.
	ProjectionCite *Citation `yaml:"projection-cite"`
}

// NameTemplate is a documented name in which what stands in braces stands for the
// environment, such as osem-{env}-Users.
type NameTemplate string

var placeholder = regexp.MustCompile(`\{[A-Za-z0-9_-]+\}`)

// In fills the environment in.
func (n NameTemplate) In(environment string) string {
	return placeholder.ReplaceAllLiteralString(string(n), environment)
}

// HasEnvironment reports whether the name differs between environments.
func (n NameTemplate) HasEnvironment() bool { return n.In("x") != string(n) }

// Around returns what stands before the first place of the environment, and behind the last; the whole name and nothing where it
// has none.
func (n NameTemplate) Around() (before, behind string) {
	places := placeholder.FindAllStringIndex(string(n), -1)
	if len(places) == 0 {
		return string(n), ""
	}
	return string(n[:places[0][0]]), string(n[places[len(places)-1][1]:])
}

// AllKeys returns every attribute of the index key, those of the partition key first.
func (i *Index) AllKeys() (partition, sort Keys) {
	keys := i.Keys()
	return append(keys[:1:1], i.MorePartition...), slices.Concat(keys[1:], i.MoreSort)
}

// Composite reports whether the index has a key of several attributes.
func (i *Index) Composite() bool { return len(i.MorePartition)+len(i.MoreSort) > 0 }

// Keys returns the primary key's attributes, partition key first.
func (t *Table) Keys() Keys { return keysOf(t.PartitionKey, t.SortKey) }

// KeyOf returns the primary key of an item, with a nil value for what the item lacks of it.
func (t *Table) KeyOf(item Item) Item {
	key := Item{}
	for _, attribute := range t.Keys() {
		key[attribute.Attribute] = item[attribute.Attribute]
	}
	return key
}

// Keys returns the index key's attributes, partition key first.
func (i *Index) Keys() Keys { return keysOf(i.PartitionKey, i.SortKey) }

func keysOf(partition Key, sort *Key) Keys {
	if sort == nil {
		return Keys{partition}
	}
	return Keys{partition, *sort}
}

// ShowKey writes the primary key with its types: "HASH PK (S), RANGE SK (S)".
func (t *Table) ShowKey() string { return showKey(t.Keys()[:1], t.Keys()[1:]) }

// ShowKey writes the key of the index, which may have several attributes in each of its two
// parts: those of the partition key by name, because no request tells their order.
func (i *Index) ShowKey() string { return showKey(i.AllKeys()) }

func showKey(partition, sort []Key) string {
	parts := lists.Map(partition, func(key Key) string { return "HASH " + key.Attribute + " (" + string(key.Type) + ")" })
	slices.Sort(parts)
	parts = append(parts, lists.Map(sort, func(key Key) string { return "RANGE " + key.Attribute + " (" + string(key.Type) + ")" })...)
	return strings.Join(parts, ", ")
}

// Index returns the index of that name.
func (t *Table) Index(name string) (*Index, bool) {
	return find(t.Indexes, func(each *Index) bool { return each.Name == name })
}

// AttributeDefinitions returns the type of every attribute that is part of the
// primary key or of an index key, by name: what DescribeTable must list.
func (t *Table) AttributeDefinitions() map[string]dynamo.Type {
	definitions := map[string]dynamo.Type{}
	for _, key := range t.Keys() {
		definitions[key.Attribute] = key.Type
	}
	for i := range t.Indexes {
		for _, key := range slices.Concat(t.Indexes[i].AllKeys()) {
			definitions[key.Attribute] = key.Type
		}
	}
	return definitions
}

// IndexNames are the names of the table's indexes.
func (t *Table) IndexNames() []string {
	return lists.Map(t.Indexes, func(index Index) string { return index.Name })
}

// KeysOf returns the key of the table, or of one of its indexes when index is
// not empty.
func (t *Table) KeysOf(index string) (Keys, bool) {
	if index == "" {
		return t.Keys(), true
	}
	found, ok := t.Index(index)
	if !ok {
		return nil, false
	}
	return found.Keys(), true
}
