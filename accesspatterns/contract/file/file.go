// Package file holds the form of a contract's files: the YAML that an author
// writes and an auditor reads. Its types are exported for the decoder and for the
// JSON Schema, which is generated from them and their comments.
package file

import (
	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/strict"
)

// At is the place of an element in the contract's files.
type At = strict.At

// Contract is a design's contract, or a part of it. All files of a folder
// together are one contract: what stands in which of them is for the reader alone.
type Contract struct {
	At `yaml:"-"`
	// The design's name on the command line, in lower-case words joined by hyphens.
	Design string `yaml:"design"`
	// The document's own title.
	Title string `yaml:"title"`
	// How far the contract goes; each level includes those before it: the tables, the items, the reads, the writes, and what stays true however writes race. Without it, all the way.
	Level string `yaml:"level" jsonschema:"enum=schema,enum=items,enum=reads,enum=writes,enum=resilience"`
	// The document that the contract was transcribed from.
	Document *ap.Document `yaml:"document"`
	// Where the document says how the tables are read.
	AccessPatterns ap.Citation `yaml:"access-patterns"`
	// What the document says about who may do what, as far as IAM can enforce it.
	Policies *ap.Policies `yaml:"policies"`
	// The roles that patterns name.
	Roles []ap.Role `yaml:"roles"`
	// Patterns of which a request may leave an item that is not valid by its entity, with the findings that say so.
	LeavesInvalid []ap.Breach `yaml:"leaves-invalid"`
	// Named exceptions for the Scans of patterns, counted and printed in every report.
	Waivers []ap.Waiver `yaml:"waivers"`
	// The tables, by logical id: the documented name without placeholders.
	Tables Ordered[Table] `yaml:"tables"`
	// The kinds of items, by id.
	Entities Ordered[Entity] `yaml:"entities"`
	// The items that the document itself writes out, by the name of the fixture item that holds each.
	Examples []ap.Example `yaml:"examples"`
	// Reads that are used more than once, by a name that steps refer to with use.
	Reads Ordered[Read] `yaml:"reads"`
	// Condition expressions that are used more than once, by a name that stands in if.
	Conditions Ordered[string] `yaml:"conditions"`
	// Schema versions that readers understand, by a name that reads refer to.
	Versions Ordered[Versions] `yaml:"versions"`
	// The access patterns, reads and writes, by id.
	Patterns Ordered[Pattern] `yaml:"patterns"`
	// What must stay true of the items that a pattern writes, by id.
	Invariants []ap.Invariant `yaml:"invariants"`
	// Documented rules about how the design is used, by id.
	Guardrails []ap.Guardrail `yaml:"guardrails"`
	// Contradictions, gaps and hazards of the document itself, by id.
	Findings []ap.Finding `yaml:"findings"`
	// Why objections that were made by reading the document by machine do not hold, by the objection's id.
	Answers Ordered[string] `yaml:"answers"`
	// How tables of the document are to be read, by their lines from the header on. Every row is compared with the contract, both ways.
	Readings []ap.Reading `yaml:"readings"`
	// What the document promises and no element of a contract can say, by id. It is reported as not checkable.
	NotCheckable []ap.NotCheckable `yaml:"not-checkable"`
	// The lines that promise nothing a check could decide, each with the reason.
	Narrative []Narrative `yaml:"narrative"`
}

// Table is one documented table.
type Table struct {
	At `yaml:"-"`
	// The documented name, where it is not the logical id; {env}, or whatever else stands in braces, stands for the environment.
	Name string `yaml:"name"`
	// The document allows another name by configuration.
	Renamable bool `yaml:"renamable"`
	// Where the document names the table.
	Cite ap.Citation `yaml:"cite" jsonschema:"required"`
	// The partition key: its attribute and type.
	PartitionKey Ordered[string] `yaml:"partition-key" jsonschema:"required"`
	// The sort key, if there is one.
	SortKey Ordered[string] `yaml:"sort-key"`
	// Where the document gives the primary key.
	KeyCite ap.Citation `yaml:"key-cite" jsonschema:"required"`
	// Where the document gives the types of the key attributes, if that is another place or has another basis.
	TypesCite ap.Citation `yaml:"types-cite"`
	// The global secondary indexes, by name.
	Indexes Ordered[Index] `yaml:"indexes"`
	// The local secondary indexes, by name. Their partition key is the table's.
	LocalIndexes Ordered[LocalIndex] `yaml:"local-indexes"`
	// Where the document says which indexes there are, or that there is none.
	IndexesCite ap.Citation `yaml:"indexes-cite" jsonschema:"required"`
	// Where the document gives the table's settings: what does not stand there is not set. The table's own citation otherwise.
	SettingsCite ap.Citation `yaml:"settings-cite"`
	// The capacity mode. Without it, it is not asserted.
	Billing *Billing `yaml:"billing"`
	// The time to live. Without it, none may be enabled.
	TTL *TTL `yaml:"ttl"`
	// The stream. Without it, none may be enabled.
	Stream *Stream `yaml:"stream"`
	// Deletion protection is on. Without it, it is noted.
	Protection *Promise `yaml:"deletion-protection"`
	// The table class. Without it, another than STANDARD is noted.
	Class *Class `yaml:"table-class"`
	// Point-in-time recovery is on. Without it, it is not asserted.
	PITR *Promise `yaml:"pitr"`
	// The region. Without it, it is not asserted.
	Region *Region `yaml:"region"`
	// The table is encrypted with a key that AWS owns or manages. Without it, it is not asserted.
	Encryption *Promise `yaml:"encryption"`
	// Exactly the documented tags.
	Tags *Tags `yaml:"tags"`
	// No access pattern writes the table: its items come from elsewhere.
	ReadOnly *Promise `yaml:"read-only"`
}

// Index is a documented global secondary index.
type Index struct {
	At `yaml:"-"`
	// The partition key: its attribute and type, or up to four of them.
	PartitionKey Ordered[string] `yaml:"partition-key" jsonschema:"required"`
	// The sort key, if there is one: its attribute and type, or up to four in their order.
	SortKey   Ordered[string] `yaml:"sort-key"`
	Projected `yaml:",inline"`
}

// LocalIndex is a documented local secondary index.
type LocalIndex struct {
	At `yaml:"-"`
	// The sort key: its attribute and type.
	SortKey   Ordered[string] `yaml:"sort-key" jsonschema:"required"`
	Projected `yaml:",inline"`
}

// Projected is what an index of either kind has beside its key.
type Projected struct {
	// Which attributes the index carries.
	Projection string `yaml:"projection" jsonschema:"required,enum=ALL,enum=KEYS_ONLY,enum=INCLUDE"`
	// The attributes of an INCLUDE projection that are no keys.
	NonKeyAttributes Words `yaml:"non-key-attributes"`
	// Where the document describes the index.
	Cite ap.Citation `yaml:"cite" jsonschema:"required"`
	// Where the document gives the projection, if that is another place or has another basis.
	ProjectionCite ap.Citation `yaml:"projection-cite"`
}

// Stream is a documented stream.
type Stream struct {
	At `yaml:"-"`
	// What its records hold. Without it, any will do.
	View string      `yaml:"view" jsonschema:"enum=KEYS_ONLY,enum=NEW_IMAGE,enum=OLD_IMAGE,enum=NEW_AND_OLD_IMAGES"`
	Cite ap.Citation `yaml:"cite" jsonschema:"required"`
}

// Class is a documented table class.
type Class struct {
	At   `yaml:"-"`
	Name string      `yaml:"name" jsonschema:"required,enum=STANDARD,enum=STANDARD_INFREQUENT_ACCESS"`
	Cite ap.Citation `yaml:"cite" jsonschema:"required"`
}

// Billing is the read/write capacity mode.
type Billing struct {
	At   `yaml:"-"`
	Mode string `yaml:"mode" jsonschema:"required,enum=PAY_PER_REQUEST,enum=PROVISIONED"`
	// The provisioned capacity, beside PROVISIONED.
	Units *Capacity `yaml:"units"`
	// The provisioned capacity that the document offers in place of on-demand billing.
	Later *Capacity   `yaml:"later"`
	Cite  ap.Citation `yaml:"cite" jsonschema:"required"`
}

// Capacity is provisioned throughput, in capacity units a second.
type Capacity struct {
	At         `yaml:"-"`
	ReadUnits  int `yaml:"read-units" jsonschema:"required"`
	WriteUnits int `yaml:"write-units" jsonschema:"required"`
}

// TTL is a documented time to live.
type TTL struct {
	At `yaml:"-"`
	// A Number in epoch seconds.
	Attribute string      `yaml:"attribute" jsonschema:"required"`
	Cite      ap.Citation `yaml:"cite" jsonschema:"required"`
}

// Promise is a documented property that is on.
type Promise struct {
	At   `yaml:"-"`
	Cite ap.Citation `yaml:"cite" jsonschema:"required"`
}

// Region is a documented AWS region.
type Region struct {
	At   `yaml:"-"`
	Name string      `yaml:"name" jsonschema:"required"`
	Cite ap.Citation `yaml:"cite" jsonschema:"required"`
}

// Tags are documented tags.
type Tags struct {
	At `yaml:"-"`
	// The values by key; {env} or {stage} stands for the environment.
	Values Ordered[string] `yaml:"values" jsonschema:"required"`
	Cite   ap.Citation     `yaml:"cite" jsonschema:"required"`
}

// Entity is one kind of item.
type Entity struct {
	At `yaml:"-"`
	// The document's own name for the entity.
	Title string `yaml:"title" jsonschema:"required"`
	// The logical id of the table that holds it.
	Table string `yaml:"table" jsonschema:"required"`
	// Where the document introduces the entity.
	Cite ap.Citation `yaml:"cite" jsonschema:"required"`
	// The key attributes: those of the table first, then those of the indexes in which the entity appears.
	Keys Ordered[Key] `yaml:"keys" jsonschema:"required"`
	// All other attributes, by name or path: sections.private is a map's member, a * stands for any member, tags[] for every element of a list. Several names that are alike stand together: 'title, body'.
	Attributes Ordered[Attribute] `yaml:"attributes"`
	// Where the document says that an item has no other attributes. Without it, others are noted.
	Closed ap.Citation `yaml:"closed"`
	// What holds between attributes, by id.
	Rules Ordered[Rule] `yaml:"rules"`
	// Whose the items are: exploration holds each role to what it reaches.
	Owner *ap.Ownership `yaml:"owner"`
}

// Key says which form a key attribute has.
type Key struct {
	At `yaml:"-"`
	// The documented form: ENTRY#{date}#{entryId}.
	Template string `yaml:"template" jsonschema:"required"`
	// String unless stated.
	Type string `yaml:"type" jsonschema:"enum=S,enum=N,enum=B"`
	// The attribute that holds the same value as a parameter, where the two have different names; an empty text where none does.
	Binds Ordered[string] `yaml:"binds"`
	// Parameters that are the id of something that another parameter names too: {coachId: userId}.
	Refers Ordered[string] `yaml:"refers"`
	// An item may lack this index key; then it is absent from that index.
	Optional bool        `yaml:"optional"`
	Cite     ap.Citation `yaml:"cite" jsonschema:"required"`
}

// Attribute is one documented attribute.
type Attribute struct {
	At `yaml:"-"`
	// Without it, the document gives none, and any fits.
	Type string `yaml:"type" jsonschema:"enum=S,enum=N,enum=B,enum=BOOL,enum=NULL,enum=M,enum=L,enum=SS,enum=NS,enum=BS"`
	// Required unless stated. A nullable attribute is absent or present with type NULL.
	Presence string `yaml:"presence" jsonschema:"enum=required,enum=optional,enum=nullable"`
	// The only values of a String, or of a set's members.
	Allowed Words `yaml:"allowed"`
	// The lowest Number.
	Minimum *float64 `yaml:"minimum"`
	// The highest Number.
	Maximum *float64 `yaml:"maximum"`
	// A notation of the value.
	Format string `yaml:"format" jsonschema:"enum=timestamp,enum=date,enum=epoch-seconds,enum=epoch-milliseconds,enum=uuid,enum=integer"`
	// The members of the JSON object that a String holds, by name or dotted path, each with its JSON type: string, number, boolean, object, array, null or any.
	JSON Ordered[string] `yaml:"json"`
	// The empty string, which DynamoDB stores, is refused.
	NotEmpty bool `yaml:"not-empty"`
	// The parameter of a key template whose values the attribute, or each of its elements, has: it is another item's id. An attribute with the parameter's own name needs none.
	Refers string      `yaml:"refers"`
	Cite   ap.Citation `yaml:"cite" jsonschema:"required"`
}

// Rule is a documented relation between attributes of one item: exactly one of template, equals and cel.
type Rule struct {
	At `yaml:"-"`
	// The rule in the project's words.
	Says string `yaml:"says" jsonschema:"required"`
	// The attribute that the rule constrains.
	Attribute string `yaml:"attribute" jsonschema:"required"`
	// The form of the attribute's value; its parameters are those of the item's keys.
	Template string `yaml:"template"`
	// An attribute whose value must be the same.
	Equals string `yaml:"equals"`
	// A CEL expression that must be true. item holds the item's attributes, key the parameters of its keys. It says nothing about an item whose named attributes are missing or broken by themselves.
	CEL  string      `yaml:"cel"`
	Cite ap.Citation `yaml:"cite" jsonschema:"required"`
}

// Read is one GetItem, Query or Scan.
type Read struct {
	At `yaml:"-"`
	// GetItem of an entity, or of a table when a key is given.
	Get string `yaml:"get"`
	// Query of a table, or of table/index.
	Query string `yaml:"query"`
	// Scan of a table, or of table/index.
	Scan string `yaml:"scan"`
	// The items of all repetitions of the step are asked for together, by as few requests of that operation as DynamoDB allows. Without it, each by a GetItem.
	Together string `yaml:"together" jsonschema:"enum=BatchGetItem,enum=TransactGetItems"`
	// The primary key, attribute by attribute. Without it, it is the key of the entity.
	Key Ordered[string] `yaml:"key"`
	// The key condition, in DynamoDB's expression language with values in place: PK = USER#{userId} AND begins_with(SK, ENTRY#). A value has the attribute's type, unless it stands in single quotes: then it is text.
	Where string `yaml:"where"`
	// The filter, in DynamoDB's expression language with values in place.
	Filter string `yaml:"filter"`
	// The attributes or paths that are returned. Without it, all.
	Project Words `yaml:"project"`
	// A request may return some of these attributes instead of all: the document demands a projection and does not say which.
	OrFewer bool `yaml:"or-fewer"`
	// The order that the document states or relies on: either is sorted by the sort key, in a direction that the document does not give. Without it, any.
	Order string `yaml:"order" jsonschema:"enum=ascending,enum=descending,enum=either"`
	// The documented number of items: one page, never followed.
	Limit int `yaml:"limit"`
	// The explicit limit of every page of a read that follows to the end.
	PageSize int `yaml:"page-size"`
	// The highest number of items that the read may inspect over all pages.
	InspectAtMost int `yaml:"inspect-at-most"`
	// The Number attribute from whose moment on the reader treats an item as absent.
	Expires string `yaml:"expires"`
	// The reader treats an item without such a Number as absent, too.
	MustExpire bool `yaml:"must-expire"`
	// The name of the schema versions that the reader understands.
	Versions string `yaml:"versions"`
}

// Versions say which schema versions a reader understands, and how it brings an earlier item to the current one.
type Versions struct {
	At `yaml:"-"`
	// The Number attribute that holds the version; items without it are of version 0.
	Attribute string `yaml:"attribute" jsonschema:"required"`
	// The version that writers store and readers see.
	Current int `yaml:"current" jsonschema:"required"`
	// What a reader adds to an earlier item, by attribute.
	Backfill Ordered[Backfill] `yaml:"backfill"`
	Cite     ap.Citation       `yaml:"cite" jsonschema:"required"`
}

// Backfill gives an attribute a value where an item lacks it.
type Backfill struct {
	At `yaml:"-"`
	// The value in DynamoDB's JSON.
	Value Value `yaml:"value" jsonschema:"required"`
	// The type that every element of a list must have.
	Elements string `yaml:"elements" jsonschema:"enum=S,enum=N,enum=B,enum=BOOL,enum=NULL,enum=M,enum=L,enum=SS,enum=NS,enum=BS"`
	// Items of the current version may lack the attribute too, because it was added within that version.
	SameVersion bool `yaml:"same-version"`
}

// Pattern is one access pattern.
type Pattern struct {
	At `yaml:"-"`
	// The pattern in the document's terms.
	Title string      `yaml:"title" jsonschema:"required"`
	Cite  ap.Citation `yaml:"cite" jsonschema:"required"`
	// The roles that may use it.
	Roles Words `yaml:"roles"`
	// The requests, in order.
	Steps []Step `yaml:"steps" jsonschema:"required"`
	// The entities that the last read returns.
	Returns Words `yaml:"returns"`
	// What the reader makes of the items that the steps returned, without a request.
	Views []ap.View `yaml:"views"`
	// The waiver that allows a Scan.
	Waiver string `yaml:"waiver"`
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
	ForEach *ForEach `yaml:"for-each"`
	// The pattern goes on when this write fails: the failure is counted and reported.
	MayFail bool `yaml:"may-fail"`
	// Parameters of the writes with the one that is a higher Number: a version that was read, and the one that is written.
	Rises Ordered[string] `yaml:"rises"`
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
	With Ordered[string] `yaml:"with"`
	// Attributes that a put item does not have.
	Without Words `yaml:"without"`
	// Further attributes that an update may change as their entity allows.
	Edits Words `yaml:"edits"`
	// The primary key, attribute by attribute. Without it, it is the key of the entity.
	Key Ordered[string] `yaml:"key"`
	// The update expression, with values in place: SET isActive = 0 REMOVE note.
	Do string `yaml:"do"`
	// The condition expression with values in place, or names of conditions; several are joined by AND.
	If Words `yaml:"if"`
}

// ForEach repeats a step, for each item of an earlier read step or for each day of a range.
type ForEach struct {
	At `yaml:"-"`
	// The earlier read step.
	Step string `yaml:"step"`
	// Parameters that each repetition binds, with the attribute of the item that gives the value.
	Bind Ordered[string] `yaml:"bind"`
	// The parameter that is bound to each day.
	Day string `yaml:"day"`
	// The parameter that holds the first day.
	From string `yaml:"from"`
	// The parameter that holds the last day.
	To string `yaml:"to"`
	// The highest number of days.
	AtMost int `yaml:"at-most"`
	// Binds further parameters for each item of another earlier read step: the step runs for each pair of items.
	And *ForEach `yaml:"and"`
	// Leaves out the repetitions whose values another earlier read step gives too.
	Except *ForEach `yaml:"except"`
}

// Narrative lists lines that share one reason for promising nothing.
type Narrative struct {
	At `yaml:"-"`
	// What the lines are and, where they restate a promise, which lines make it.
	Reason string `yaml:"reason" jsonschema:"required"`
	// The lines, each 24 or 24-26.
	Lines Lines `yaml:"lines" jsonschema:"required"`
}
