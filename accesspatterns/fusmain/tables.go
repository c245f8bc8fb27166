package fusmain

import ap "dynaproof/accesspatterns"

// table is the logical id of the only table.
const table = "fus-main"

func tables() []ap.Table {
	return []ap.Table{{
		ID:           table,
		Name:         "fus-main",
		Renamable:    true,
		Cite:         ap.Line(3, "`fus-main`", "var.dynamoTableName"),
		PartitionKey: ap.Key{Attribute: "PK", Type: ap.String},
		SortKey:      &ap.Key{Attribute: "SK", Type: ap.String},
		KeyCite:      ap.Line(4, "**PK** (String)", "**SK** (String)"),
		Indexes:      indexes(),
		IndexesCite:  ap.Lines(7, 15, "## GSIs", "byEntity", "byTag", "byStars", "byGroup", "bySquashDate"),
		Billing:      ap.OnDemand,
		BillingCite:  ap.Line(5, "PAY_PER_REQUEST"),
	}}
}

// indexes project ALL: the document names no projection, and its patterns
// return whole items from every index (finding index-projections-undocumented).
func indexes() []ap.Index {
	return []ap.Index{
		{
			Name:         "byEntity",
			PartitionKey: ap.Key{Attribute: "entityType", Type: ap.String},
			SortKey:      &ap.Key{Attribute: "entitySk", Type: ap.String},
			Projection:   ap.ProjectAll,
			Cite:         ap.Line(11, "**byEntity**", "entityType (S)", "entitySk (S)"),
		},
		{
			Name:         "byTag",
			PartitionKey: ap.Key{Attribute: "tag", Type: ap.String},
			SortKey:      &ap.Key{Attribute: "siteId", Type: ap.String},
			Projection:   ap.ProjectAll,
			Cite:         ap.Line(12, "**byTag**", "tag (S)", "siteId (S)"),
		},
		{
			Name:         "byStars",
			PartitionKey: ap.Key{Attribute: "starRating", Type: ap.Number},
			SortKey:      &ap.Key{Attribute: "siteId", Type: ap.String},
			Projection:   ap.ProjectAll,
			Cite:         ap.Line(13, "**byStars**", "starRating (N)", "siteId (S)"),
		},
		{
			Name:         "byGroup",
			PartitionKey: ap.Key{Attribute: "groupName", Type: ap.String},
			SortKey:      &ap.Key{Attribute: "userId", Type: ap.String},
			Projection:   ap.ProjectAll,
			Cite:         ap.Line(14, "**byGroup**", "groupName (S)", "userId (S)"),
		},
		{
			Name:         "bySquashDate",
			PartitionKey: ap.Key{Attribute: "squashDate", Type: ap.String},
			SortKey:      &ap.Key{Attribute: "matchId", Type: ap.String},
			Projection:   ap.ProjectAll,
			Cite:         ap.Line(15, "**bySquashDate**", "squashDate (S)", "matchId (S)"),
		},
	}
}
