package rollmodel

import ap "dynaproof/accesspatterns"

// table is the logical id of the only table.
const table = "RollModel"

func tables() []ap.Table {
	return []ap.Table{{
		ID:           table,
		Name:         "RollModel",
		Cite:         ap.Line(4, "Table name", "RollModel"),
		PartitionKey: ap.Key{Attribute: "PK", Type: ap.String},
		SortKey:      &ap.Key{Attribute: "SK", Type: ap.String},
		KeyCite:      ap.Line(5, "Primary key", "`PK` (string)", "`SK` (string)"),
		// The section on the table names no index, and no access pattern uses one.
		IndexesCite: ap.Lines(3, 7, "## Table", "Primary key"),
		Billing:     ap.OnDemand,
		BillingCite: ap.Line(6, "on-demand", "PAY_PER_REQUEST"),
		PITR:        &ap.Promise{Cite: ap.Line(7, "PITR", "enabled")},
	}}
}
