package evidence

import (
	"slices"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
)

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

// Promise has a design say what its contract says, whatever a run saw, so that a report needs the evidence alone.
func (d *Design) Promise(design *accesspatterns.Design) {
	d.Document, d.SHA256 = design.Document.File, design.Document.SHA256
	d.NotCheckable = lists.Map(design.NotCheckable, func(promise accesspatterns.NotCheckable) NotCheckable {
		return NotCheckable{ID: promise.ID, Cite: design.Document.Cite(promise.Cite), Says: promise.Says, Because: promise.Because}
	})
	if len(d.Waivers) > 0 {
		used := map[string]int{}
		for _, waiver := range d.Waivers {
			used[waiver.ID] = waiver.Requests
		}
		d.Waive(design, used)
	}
	model := &Model{Title: design.Title}
	for i := range design.Tables {
		model.Tables = append(model.Tables, tableOf(design, &design.Tables[i]))
	}
	for entity := range lists.Each(design.Entities) {
		shown := Entity{
			ID: entity.ID, Title: entity.Title, Table: entity.Table, Cite: design.Document.Cite(entity.Cite), Addition: entity.Cite.Basis.Because,
		}
		for _, key := range entity.Keys {
			shown.Keys = append(shown.Keys, EntityKey{
				Attribute: key.Attribute, Template: string(key.Template), Optional: key.Optional,
				Type: string(key.ValueType()),
			})
		}
		model.Entities = append(model.Entities, shown)
	}
	d.Model = model
}

// Waive keeps a contract's waivers with the requests that were made under each.
func (d *Design) Waive(design *accesspatterns.Design, used map[string]int) {
	d.Waivers = lists.Map(design.Waivers, func(waiver accesspatterns.Waiver) Waiver {
		return Waiver{
			ID: waiver.ID, Reason: waiver.Reason, Cite: design.Document.Cite(waiver.Cite), Requests: used[waiver.ID],
			Owner: waiver.Owner, Since: waiver.Since, Until: waiver.Until,
		}
	})
}

func tableOf(design *accesspatterns.Design, table *accesspatterns.Table) Table {
	shown := Table{
		ID: table.ID, Name: string(table.Name), Cite: design.Document.Cite(table.Cite), Keys: keysOf(table.Keys()),
		Billing: string(table.Billing), PITR: table.PITR != nil, Encryption: table.Encryption != nil,
	}
	if table.TTL != nil {
		shown.TTL = table.TTL.Attribute
	}
	if table.Region != nil {
		shown.Region = table.Region.Region
	}
	for name, value := range table.Tags {
		if shown.Tags == nil {
			shown.Tags = map[string]string{}
		}
		shown.Tags[name] = string(value)
	}
	for index := range lists.Each(table.Indexes) {
		shown.Indexes = append(shown.Indexes, Index{
			Name: index.Name, Cite: design.Document.Cite(index.Cite), Keys: keysOf(slices.Concat(index.AllKeys())),
			Projection: string(index.Projection), NonKeyAttributes: index.NonKeyAttributes,
		})
	}
	return shown
}

func keysOf(keys []accesspatterns.Key) []Key {
	return lists.Map(keys, func(key accesspatterns.Key) Key {
		return Key{Attribute: key.Attribute, Type: string(key.Type)}
	})
}
