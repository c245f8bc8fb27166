// Package file holds the form of a contract's files: the YAML that an author
// writes and an auditor reads. Its types are exported for the decoder and for the
// JSON Schema, which is generated from them and their comments.
package file

import (
	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/strict"
)

// At is the place of an element in the contract's files.
type At = strict.At

// Contract is a design's contract, or a part of it. All files of a folder
// together are one contract: what stands in which of them is for the reader alone.
type Contract struct {
	At        `yaml:"-"`
	ap.Design `yaml:",inline"`
	// The roles that patterns name.
	Roles []ap.Role `yaml:"roles"`
	// The tables, by logical id: the documented name without placeholders.
	Tables []Table `yaml:"tables"`
	// Reads that are used more than once, by a name that steps refer to with use.
	Reads []NamedRead `yaml:"reads"`
	// Condition expressions that are used more than once, by a name that stands in if.
	Conditions Pairs `yaml:"conditions"`
	// Schema versions that readers understand, by a name that reads refer to.
	Versions []ap.Versions `yaml:"versions"`
	// The access patterns, reads and writes, by id.
	Patterns []Pattern `yaml:"patterns"`
	// The lines that promise nothing a check could decide, each with the reason.
	Narrative []Narrative `yaml:"narrative"`
}

// Pair is a name and its text in a mapping.
type Pair struct {
	Name  string `yaml:",name"`
	At    `yaml:"-"`
	Value string `yaml:",value"`
}

// Pairs is a mapping of texts in its order.
type Pairs []Pair

// Names are the names in their order.
func (p Pairs) Names() (names []string) {
	return lists.Map(p, func(pair Pair) string { return pair.Name })
}

// Table is one documented table.
type Table struct {
	ap.Table `yaml:",inline"`
	// The partition key: its attribute and type.
	PartitionKey Pairs `yaml:"partition-key" jsonschema:"required"`
	// The sort key, if there is one.
	SortKey Pairs `yaml:"sort-key"`
	// The global secondary indexes, by name.
	Indexes []Index `yaml:"indexes"`
	// The local secondary indexes, by name. Their partition key is the table's.
	LocalIndexes []LocalIndex `yaml:"local-indexes"`
	// The capacity mode. Without it, it is not asserted.
	Billing *Billing `yaml:"billing"`
	// Exactly the documented tags.
	Tags *Tags `yaml:"tags"`
}

// Index is a documented global secondary index.
type Index struct {
	ap.Index `yaml:",inline"`
	// The partition key: its attribute and type, or up to four of them.
	PartitionKey Pairs `yaml:"partition-key" jsonschema:"required"`
	// The sort key, if there is one: its attribute and type, or up to four in their order.
	SortKey Pairs `yaml:"sort-key"`
}

// LocalIndex is a documented local secondary index.
type LocalIndex struct {
	ap.Index `yaml:",inline"`
	// The sort key: its attribute and type.
	SortKey Pairs `yaml:"sort-key" jsonschema:"required"`
}

// Billing is the read/write capacity mode.
type Billing struct {
	At   `yaml:"-"`
	Mode string `yaml:"mode" jsonschema:"required,enum=PAY_PER_REQUEST,enum=PROVISIONED"`
	// The provisioned capacity, beside PROVISIONED.
	Units *ap.Capacity `yaml:"units"`
	// The provisioned capacity that the document offers in place of on-demand billing.
	Later *ap.Capacity `yaml:"later"`
	Cite  ap.Citation  `yaml:"cite" jsonschema:"required"`
}

// Tags are documented tags.
type Tags struct {
	// The values by key; {env} or {stage} stands for the environment.
	Values Pairs       `yaml:"values" jsonschema:"required"`
	Cite   ap.Citation `yaml:"cite" jsonschema:"required"`
}

// NamedRead is a read that steps refer to.
type NamedRead struct {
	Name string `yaml:",name"`
	Read `yaml:",inline"`
}

// Read is one GetItem, Query or Scan.
type Read struct {
	At      `yaml:"-"`
	ap.Read `yaml:",inline"`
	// GetItem of an entity, or of a table when a key is given.
	Get string `yaml:"get"`
	// Query of a table, or of table/index.
	Query string `yaml:"query"`
	// Scan of a table, or of table/index.
	Scan string `yaml:"scan"`
	// The primary key, attribute by attribute. Without it, it is the key of the entity.
	Key Pairs `yaml:"key"`
	// The key condition, in DynamoDB's expression language with values in place: PK = USER#{userId} AND begins_with(SK, ENTRY#). A value has the attribute's type, unless it stands in single quotes: then it is text.
	Where string `yaml:"where"`
	// The filter, in DynamoDB's expression language with values in place.
	Filter string `yaml:"filter"`
	// The order that the document states or relies on: either is sorted by the sort key, in a direction that the document does not give. Without it, any.
	Order string `yaml:"order" jsonschema:"enum=ascending,enum=descending,enum=either"`
	// The documented number of items: one page, never followed.
	Limit int `yaml:"limit"`
	// The name of the schema versions that the reader understands.
	Versions string `yaml:"versions"`
}

// Pattern is one access pattern.
type Pattern struct {
	ap.Pattern `yaml:",inline"`
	// The requests, in order.
	Steps []Step `yaml:"steps" jsonschema:"required"`
}

// Step is one request, or one for each repetition: a read, a single write, or a transaction.
type Step struct {
	At `yaml:"-"`
	// Unique within the pattern. The only step of a pattern needs none.
	Name string `yaml:"name"`
	// The lines of the step, where they are not those of the pattern.
	Cite ap.Citation `yaml:"cite"`
	// A named read.
	Use    string `yaml:"use"`
	Read   `yaml:",inline"`
	Action `yaml:",inline"`
	// The writes of one TransactWriteItems.
	Transact []Action `yaml:"transact"`
	// Several writes of a batch. They are not atomic.
	Writes []Action `yaml:"writes"`
	// The writes of all repetitions are sent together, at most so many in one BatchWriteItem.
	Batch int `yaml:"batch"`
	// Repeats the step.
	ForEach *ap.ForEach `yaml:"for-each"`
	// The pattern goes on when this write fails: the failure is counted and reported.
	MayFail bool `yaml:"may-fail"`
	// Parameters of the writes with the one that is a higher Number: a version that was read, and the one that is written.
	Rises map[string]string `yaml:"rises"`
	// The pattern ends here when the read finds nothing.
	Required bool `yaml:"required"`
	// The pattern ends here when the read finds at least this many items: a Number, or a {parameter}.
	StopAt string `yaml:"stop-at"`
}

// Action is one write.
type Action struct {
	At `yaml:"-"`
	// PutItem of an entity.
	Put string `yaml:"put"`
	// UpdateItem of an entity, or of a table when a key is given.
	Update string `yaml:"update"`
	// DeleteItem of an entity, or of a table when a key is given.
	Delete string `yaml:"delete"`
	// ConditionCheck of an entity, or of a table when a key is given.
	Check string `yaml:"check"`
	// The name under which fixtures give the item: of a put, where it is not the entity's id; of another write, where an item gives the key or what is edited.
	As string `yaml:"as"`
	// How often the write stands in a request: once for each item that plays it. Without it, exactly once.
	Times string `yaml:"times" jsonschema:"enum=at most once,enum=at least once,enum=any number"`
	// Values that attributes of a put item have.
	With Pairs `yaml:"with"`
	// Attributes that a put item does not have.
	Without []string `yaml:"without,words"`
	// Further attributes that an update may change as their entity allows.
	Edits []string `yaml:"edits,words"`
	// The primary key, attribute by attribute. Without it, it is the key of the entity.
	Key Pairs `yaml:"key"`
	// The update expression, with values in place: SET isActive = 0 REMOVE note.
	Do string `yaml:"do"`
	// The condition expression with values in place, or names of conditions; several are joined by AND.
	If []string `yaml:"if,words"`
}

// Narrative lists lines that share one reason for promising nothing.
type Narrative struct {
	At `yaml:"-"`
	// What the lines are and, where they restate a promise, which lines make it.
	Reason string `yaml:"reason" jsonschema:"required"`
	// The lines, each 24 or 24-26.
	Lines []ap.NarrativeLines `yaml:"lines,words" jsonschema:"required"`
}
