package accesspatterns

import (
	"regexp"
	"slices"
	"strings"

	"dynaproof/accesspatterns/dynamo"
)

// Key is an attribute of a primary key or of an index key, with its type in the
// attribute definitions: String, Number or Binary.
type Key struct {
	Attribute string
	Type      dynamo.Type
}

// Capacity is provisioned throughput, in read and write capacity units a second.
type Capacity struct{ ReadUnits, WriteUnits int64 }

// Table is one documented table.
type Table struct {
	// ID is the logical name: the documented name without placeholders. Stack
	// outputs, patterns and fixtures use it.
	ID string
	// Name is the documented name; {env} stands for the environment. It is
	// the default where the document allows another name by configuration.
	Name NameTemplate
	// Renamable says that the document allows another name by configuration.
	Renamable bool
	// Cite is where the document names the table.
	Cite Citation

	PartitionKey Key
	// SortKey is nil where the primary key is the partition key alone.
	SortKey *Key
	KeyCite Citation
	// TypesCite is where the document gives the types of the key attributes, where
	// that is another place than KeyCite, or has another basis.
	TypesCite *Citation
	Indexes   []Index
	// IndexesCite is where the document says which indexes the table has, or
	// that it has none.
	IndexesCite Citation
	// SettingsCite is where the document gives the table's settings, so that what does
	// not stand there is not set; nil for Cite.
	SettingsCite *Citation

	// Billing is empty where the document is silent; then it is not asserted.
	Billing     dynamo.Billing
	BillingCite Citation
	// Later is nil, or the provisioned capacity of the table that the document
	// offers in place of on-demand billing: a table in either mode is as documented.
	Later *Capacity

	// TTL is nil where no TTL is documented; then none may be enabled.
	TTL *TTL
	// Units are the documented read and write capacity units of a provisioned table;
	// nil where the document gives none.
	Units *Capacity
	// Stream is nil where no stream is documented; then none may be enabled.
	Stream *StreamPromise
	// Protection says that deletion protection is documented, and Class which table
	// class. Nil where the document is silent; then what is set is noted.
	Protection *Promise
	Class      *ClassPromise
	// ReadOnly says that no access pattern writes the table, because the document says
	// so. Nil where it is silent.
	ReadOnly *Promise
	// PITR is nil where the document is silent; then it is not asserted.
	PITR *Promise
	// Region is nil where the document is silent; then it is not asserted.
	Region *RegionPromise
	// Encryption is nil where the document is silent; then it is not asserted.
	Encryption *Promise
	// Tags are exactly the documented tags; {env} in a value stands for the
	// environment. Empty means that no tag may be present.
	Tags     map[string]NameTemplate
	TagsCite Citation
}

// Promise is a documented property that is on.
type Promise struct{ Cite Citation }

// StreamPromise is a documented stream, with its view type: KEYS_ONLY, NEW_IMAGE,
// OLD_IMAGE or NEW_AND_OLD_IMAGES. Any will do where the document gives none.
type StreamPromise struct {
	View string
	Cite Citation
}

// ClassPromise is a documented table class: STANDARD or STANDARD_INFREQUENT_ACCESS.
type ClassPromise struct {
	Class string
	Cite  Citation
}

// RegionPromise is a documented AWS region.
type RegionPromise struct {
	Region string
	Cite   Citation
}

// TTL is a documented time to live. Values are Numbers in epoch seconds.
type TTL struct {
	Attribute string
	Cite      Citation
}

// Index is a documented secondary index.
type Index struct {
	Name string
	// Local says that it is a local one, whose partition key is the table's.
	Local        bool
	PartitionKey Key
	SortKey      *Key
	// MorePartition and MoreSort are the further attributes of a key of several, in
	// their order: DynamoDB has up to four of each. Such an index is compared with what
	// is deployed, and no pattern reads it.
	MorePartition, MoreSort []Key
	Projection              dynamo.Projection
	// NonKeyAttributes are the included attributes of an INCLUDE projection.
	NonKeyAttributes []string
	Cite             Citation
	// ProjectionCite is where the document gives the projection, where that is
	// another place than Cite, or has another basis.
	ProjectionCite *Citation
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
func (i *Index) AllKeys() (partition, sort []Key) {
	keys := i.Keys()
	return append(keys[:1:1], i.MorePartition...), slices.Concat(keys[1:], i.MoreSort)
}

// Composite reports whether the index has a key of several attributes.
func (i *Index) Composite() bool { return len(i.MorePartition)+len(i.MoreSort) > 0 }

// Keys returns the primary key's attributes, partition key first.
func (t *Table) Keys() []Key { return keysOf(t.PartitionKey, t.SortKey) }

// KeyOf returns the primary key of an item, with a nil value for what the item lacks of it.
func (t *Table) KeyOf(item Item) Item {
	key := Item{}
	for _, attribute := range t.Keys() {
		key[attribute.Attribute] = item[attribute.Attribute]
	}
	return key
}

// Keys returns the index key's attributes, partition key first.
func (i *Index) Keys() []Key { return keysOf(i.PartitionKey, i.SortKey) }

func keysOf(partition Key, sort *Key) []Key {
	if sort == nil {
		return []Key{partition}
	}
	return []Key{partition, *sort}
}

// ShowKey writes the primary key with its types: "HASH PK (S), RANGE SK (S)".
func (t *Table) ShowKey() string { return showKey(t.Keys()[:1], t.Keys()[1:]) }

// ShowKey writes the key of the index, which may have several attributes in each of its two
// parts: those of the partition key by name, because no request tells their order.
func (i *Index) ShowKey() string { return showKey(i.AllKeys()) }

func showKey(partition, sort []Key) string {
	var parts []string
	for _, key := range partition {
		parts = append(parts, "HASH "+key.Attribute+" ("+string(key.Type)+")")
	}
	slices.Sort(parts)
	for _, key := range sort {
		parts = append(parts, "RANGE "+key.Attribute+" ("+string(key.Type)+")")
	}
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

// KeysOf returns the key of the table, or of one of its indexes when index is
// not empty.
func (t *Table) KeysOf(index string) ([]Key, bool) {
	if index == "" {
		return t.Keys(), true
	}
	found, ok := t.Index(index)
	if !ok {
		return nil, false
	}
	return found.Keys(), true
}
