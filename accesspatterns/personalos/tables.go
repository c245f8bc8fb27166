package personalos

import ap "dynaproof/accesspatterns"

// table is the logical id of the only table.
const table = "personal-os"

func tables() []ap.Table {
	return []ap.Table{{
		ID:           table,
		Name:         "personal-os-{stage}",
		Cite:         ap.Lines(3, 4, "Single-Table Design", "personal-os-{stage}", "personal-os-dev", "personal-os-prod"),
		PartitionKey: ap.Key{Attribute: "pk", Type: ap.String},
		SortKey:      &ap.Key{Attribute: "sk", Type: ap.String},
		KeyCite: ap.Lines(14, 15, "`pk`", "`sk`", "String", "Partition Key", "Sort Key").And(
			ap.Lines(78, 79, "pk: str", "sk: str")),
		Indexes: []ap.Index{
			{
				Name:         "GSI1",
				PartitionKey: ap.Key{Attribute: "gsi1pk", Type: ap.String},
				SortKey:      &ap.Key{Attribute: "gsi1sk", Type: ap.String},
				// Not documented: see finding index-projection-undocumented.
				Projection: ap.ProjectAll,
				Cite:       ap.Lines(19, 26, "GSI1", "`gsi1pk`", "`gsi1sk`", "String", "{status}#{createdAt}"),
			},
			{
				Name:         "GSI2",
				PartitionKey: ap.Key{Attribute: "gsi2pk", Type: ap.String},
				SortKey:      &ap.Key{Attribute: "gsi2sk", Type: ap.String},
				Projection:   ap.ProjectAll,
				Cite:         ap.Lines(28, 35, "GSI2", "`gsi2pk`", "`gsi2sk`", "String", "{entityType}#{createdAt}"),
			},
		},
		IndexesCite: ap.Lines(17, 33, "Global Secondary Indexes", "GSI1", "GSI2"),
		// Provisioned capacity is an option of the stack, off by default.
		Billing:     ap.OnDemand,
		BillingCite: ap.Line(587, "On-Demand Mode").And(ap.Line(589, "Pay per request"), ap.Line(605, "Start with On-Demand")),
		TTL:         &ap.TTL{Attribute: "ttl", Cite: ap.Line(88, "ttl", "epoch seconds").And(ap.Line(393, "`ttl`", "Number", "DynamoDB auto-delete"))},
	}}
}
