package replay

import (
	"slices"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/evidence"
)

// modelOf keeps what a contract promises to be deployed, so that a report needs
// the evidence alone.
func modelOf(design *accesspatterns.Design) *evidence.Model {
	model := &evidence.Model{Title: design.Title}
	for i := range design.Tables {
		model.Tables = append(model.Tables, tableOf(design, &design.Tables[i]))
	}
	for i := range design.Entities {
		entity := &design.Entities[i]
		shown := evidence.Entity{
			ID: entity.ID, Title: entity.Title, Table: entity.Table, Cite: design.Document.Cite(entity.Cite), Addition: entity.Cite.Basis.Because,
		}
		for _, key := range entity.Keys {
			shown.Keys = append(shown.Keys, evidence.EntityKey{
				Attribute: key.Attribute, Template: string(key.Template), Optional: key.Optional,
				Type: string(key.ValueType()),
			})
		}
		model.Entities = append(model.Entities, shown)
	}
	return model
}

func tableOf(design *accesspatterns.Design, table *accesspatterns.Table) evidence.Table {
	shown := evidence.Table{
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
	for i := range table.Indexes {
		index := &table.Indexes[i]
		shown.Indexes = append(shown.Indexes, evidence.Index{
			Name: index.Name, Cite: design.Document.Cite(index.Cite), Keys: keysOf(slices.Concat(index.AllKeys())),
			Projection: string(index.Projection), NonKeyAttributes: index.NonKeyAttributes,
		})
	}
	return shown
}

func keysOf(keys []accesspatterns.Key) []evidence.Key {
	var shown []evidence.Key
	for _, key := range keys {
		shown = append(shown, evidence.Key{Attribute: key.Attribute, Type: string(key.Type)})
	}
	return shown
}
