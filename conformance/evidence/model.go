package evidence

// Model is what a design promises to be deployed: tables, and the entities that
// live in them.
type Model struct {
	// Title is the document's own title.
	Title    string   `json:"title"`
	Tables   []Table  `json:"tables"`
	Entities []Entity `json:"entities"`
}

// Table is one documented table.
type Table struct {
	// ID is the logical id, Name the documented name with its placeholders.
	ID   string `json:"id"`
	Name string `json:"name"`
	Cite string `json:"cite"`
	// Keys are the partition key and the sort key, if any.
	Keys    []Key   `json:"keys"`
	Indexes []Index `json:"indexes,omitempty"`
	// Billing is "PAY_PER_REQUEST" or "PROVISIONED".
	Billing string `json:"billing"`
	// TTL is the attribute of the time to live; empty when none is documented.
	TTL string `json:"ttl,omitempty"`
	// PITR says that point-in-time recovery is documented, Encryption that
	// encryption is.
	PITR       bool `json:"pitr,omitempty"`
	Encryption bool `json:"encryption,omitempty"`
	// Region is the documented region, if any.
	Region string            `json:"region,omitempty"`
	Tags   map[string]string `json:"tags,omitempty"`
}

// Key is a key attribute with its DynamoDB type.
type Key struct {
	Attribute string `json:"attribute"`
	Type      string `json:"type"`
}

// Index is one documented global secondary index.
type Index struct {
	Name string `json:"name"`
	Cite string `json:"cite"`
	Keys []Key  `json:"keys"`
	// Projection is "ALL", "KEYS_ONLY" or "INCLUDE".
	Projection       string   `json:"projection"`
	NonKeyAttributes []string `json:"nonKeyAttributes,omitempty"`
}

// Entity is one kind of item.
type Entity struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Table is the logical id of the table that holds it.
	Table string `json:"table"`
	Cite  string `json:"cite"`
	// Addition says why the project adds an entity that the document implies.
	Addition string `json:"addition,omitempty"`
	// Keys are the key attributes of the table, then those of the indexes in
	// which the entity appears.
	Keys []EntityKey `json:"keys"`
}

// EntityKey is the form of an entity's key attribute.
type EntityKey struct {
	Attribute string `json:"attribute"`
	// Template is the documented form, such as ENTRY#{date}#{entryId}.
	Template string `json:"template"`
	// Type is the DynamoDB type.
	Type string `json:"type"`
	// Optional is true for index keys that an item may lack; then the item is
	// absent from that index.
	Optional bool `json:"optional,omitempty"`
}
