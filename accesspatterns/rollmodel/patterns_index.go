package rollmodel

import ap "dynaproof/accesspatterns"

func keywordPatterns() []ap.Pattern {
	// The documented prefix ends at the token and matches longer tokens too;
	// this one goes on to the next segment.
	const wholeToken = "KW#{token}#TS#"
	return []ap.Pattern{
		{
			ID: "find-shared-keyword", Title: "Keyword retrieval: shared text",
			Cite:  ap.Line(204, "Keyword retrieval", "USER#{athleteId}` (shared)", "KW#{token}").And(ap.Line(27, "KW#{token}#TS#{createdAt}#ENTRY#{entryId}")),
			Roles: []string{athlete},
			Read: &ap.Read{Operation: ap.OpQuery, Table: table,
				Partition: ap.Equals("PK", "USER#{athleteId}"), Sort: ap.BeginsWith("SK", wholeToken)},
			Returns: []string{"keyword-shared"},
		},
		{
			ID: "coach-finds-shared-keyword", Title: "Keyword retrieval: a linked coach in shared text",
			Cite:  ap.Line(204, "Keyword retrieval", "USER#{athleteId}` (shared)", "KW#{token}").And(ap.Line(200, "link validation")).Chosen("finding keyword-readers"),
			Roles: []string{coach}, Returns: []string{"keyword-shared"},
			Flow: []ap.Step{
				linkFirst(),
				{Name: "keywords", Cite: ap.Line(204, "USER#{athleteId}` (shared)"), Read: &ap.Read{Operation: ap.OpQuery, Table: table,
					Partition: ap.Equals("PK", "USER#{athleteId}"), Sort: ap.BeginsWith("SK", wholeToken),
					Projection: []string{"PK", "SK", "entityType", "entryId", "createdAt", "visibilityScope"}}},
			},
		},
		{
			ID: "find-private-keyword", Title: "Keyword retrieval: private text",
			Cite:  ap.Line(204, "Keyword retrieval", "USER_PRIVATE#{athleteId}` (private)", "KW#{token}").And(ap.Line(28, "KW#{token}#TS#{createdAt}#ENTRY#{entryId}")),
			Roles: []string{athlete},
			Read: &ap.Read{Operation: ap.OpQuery, Table: table,
				Partition: ap.Equals("PK", "USER_PRIVATE#{athleteId}"), Sort: ap.BeginsWith("SK", wholeToken)},
			Returns: []string{"keyword-private"},
		},
	}
}

func gapPatterns() []ap.Pattern {
	view := overrides()
	view.Projection = []string{"PK", "SK", "entityType", "gapId", "status", "manualPriority", "note", "updatedAt", "updatedBy", "updatedByRole", "createdAt"}
	return []ap.Pattern{
		{
			ID: "list-gap-priorities", Title: "The gap priority overrides of an athlete",
			Cite:  ap.Line(29, "PK = USER#{athleteId}", "SK = GAP_PRIORITY#{gapId}").Implied("the entity has a key template and attributes but no access pattern"),
			Roles: []string{athlete}, Read: overrides(), Returns: []string{"gap-priority-override"},
		},
		{
			ID: "coach-lists-gap-priorities", Title: "The gap priority overrides of a linked athlete",
			Cite:  ap.Line(29, "PK = USER#{athleteId}", "SK = GAP_PRIORITY#{gapId}").And(ap.Line(58, "athlete|coach"), ap.Line(200, "link validation")).Implied("updatedByRole says that coaches write overrides, and who changes one has seen it. The attributes are named, because the partition holds private text as well"),
			Roles: []string{coach}, Returns: []string{"gap-priority-override"},
			Flow: []ap.Step{
				linkFirst(),
				{Name: "overrides", Cite: ap.Line(29, "GAP_PRIORITY#{gapId}"), Read: view},
			},
		},
		{
			ID: "get-gap-priority", Title: "One gap priority override",
			Cite:    ap.Line(29, "PK = USER#{athleteId}", "SK = GAP_PRIORITY#{gapId}").Implied("the key template leads to one override for each gap"),
			Roles:   []string{athlete},
			Read:    ap.Get(table, ap.Equals("PK", "USER#{athleteId}"), ap.Is("SK", "GAP_PRIORITY#{gapId}")),
			Returns: []string{"gap-priority-override"},
		},
		{
			ID: "athlete-sets-gap-priority", Title: "Athlete sets a gap priority override",
			Cite:  bothWrite().Implied("updatedByRole says that athletes write overrides"),
			Roles: []string{athlete},
			Flow:  []ap.Step{{Name: "write", Cite: ap.Line(58, "athlete|coach"), Write: []ap.Action{override("athlete", "{athleteId}")}}},
		},
		{
			ID: "athlete-changes-gap-priority", Title: "Athlete changes a gap priority override, or makes a first one",
			Cite:  bothWrite().Implied("updatedByRole says that athletes write overrides; beside updatedAt the override keeps the createdAt that it has"),
			Roles: []string{athlete},
			Flow:  []ap.Step{{Name: "write", Cite: ap.Line(58, "athlete|coach"), Write: []ap.Action{overridden("athlete", "{athleteId}")}}},
		},
		{
			ID: "athlete-removes-gap-priority", Title: "Athlete takes a gap priority override away",
			Cite:  ap.Line(29, "SK = GAP_PRIORITY#{gapId}").Chosen("finding nothing-is-deleted"),
			Roles: []string{athlete},
			Flow: []ap.Step{{Name: "write", Cite: ap.Line(29, "Gap priority override"), Write: []ap.Action{
				{Kind: ap.Delete, Table: table, Key: key("USER#{athleteId}", "GAP_PRIORITY#{gapId}")},
			}}},
		},
		{
			ID: "coach-sets-gap-priority", Title: "Linked coach sets a gap priority override",
			Cite:  bothWrite().And(ap.Lines(200, 201, "link validation", "USER#{athleteId}/COACH#{coachId}")).Implied("updatedByRole says that coaches write overrides; everything else that a coach does begins with the link"),
			Roles: []string{coach}, Returns: []string{"coach-athlete-link"},
			Flow: []ap.Step{
				linkFirst(),
				{Name: "write", Cite: ap.Line(58, "athlete|coach"), Write: []ap.Action{linkStands(), override("coach", "{coachId}")}},
			},
		},
		{
			ID: "coach-changes-gap-priority", Title: "Linked coach changes a gap priority override, or makes a first one",
			Cite:  bothWrite().And(ap.Lines(200, 201, "link validation", "USER#{athleteId}/COACH#{coachId}")).Implied("updatedByRole says that coaches write overrides; everything else that a coach does begins with the link"),
			Roles: []string{coach}, Returns: []string{"coach-athlete-link"},
			Flow: []ap.Step{
				linkFirst(),
				{Name: "write", Cite: ap.Line(58, "athlete|coach"), Write: []ap.Action{linkStands(), overridden("coach", "{coachId}")}},
			},
		},
	}
}

func bothWrite() ap.Citation {
	return ap.Lines(57, 58, "status", "updatedBy", "athlete|coach").And(ap.Line(29, "SK = GAP_PRIORITY#{gapId}"))
}

// overrides reads all overrides of an athlete.
func overrides() *ap.Read {
	return &ap.Read{Operation: ap.OpQuery, Table: table,
		Partition: ap.Equals("PK", "USER#{athleteId}"), Sort: ap.BeginsWith("SK", "GAP_PRIORITY#")}
}

// override puts an override in the name of its writer.
func override(role, by ap.KeyTemplate) ap.Action {
	return ap.Action{Kind: ap.Put, Table: table, Entity: "gap-priority-override", Item: "override",
		With: with("PK", "USER#{athleteId}", "SK", "GAP_PRIORITY#{gapId}", "updatedBy", by, "updatedByRole", role)}
}

// overridden changes an override in the name of its writer.
func overridden(role, by ap.KeyTemplate) ap.Action {
	return ap.Action{Kind: ap.Update, Table: table, Item: "override", Key: key("USER#{athleteId}", "GAP_PRIORITY#{gapId}"),
		Set: []ap.Assignment{
			{Attribute: "gapId", Value: ap.Text("{gapId}")},
			{Attribute: "updatedAt", Value: ap.Text("{now}")},
			{Attribute: "updatedBy", Value: ap.Text(by)},
			{Attribute: "updatedByRole", Value: ap.Text(role)},
			{Attribute: "createdAt", Operator: ap.Keep, Value: ap.Text("{now}")},
		},
		Edits: []string{"status", "manualPriority", "note", "entityType"}}
}
