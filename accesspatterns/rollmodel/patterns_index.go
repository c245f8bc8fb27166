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
			Roles: []string{athlete, system},
			Read: &ap.Read{Operation: ap.OpQuery, Table: table,
				Partition: ap.Equals("PK", "USER#{athleteId}"), Sort: ap.BeginsWith("SK", wholeToken)},
			Returns: []string{"keyword-shared"},
		},
		{
			ID: "find-private-keyword", Title: "Keyword retrieval: private text",
			Cite:  ap.Line(204, "Keyword retrieval", "USER_PRIVATE#{athleteId}` (private)", "KW#{token}").And(ap.Line(28, "KW#{token}#TS#{createdAt}#ENTRY#{entryId}")),
			Roles: []string{athlete, system},
			Read: &ap.Read{Operation: ap.OpQuery, Table: table,
				Partition: ap.Equals("PK", "USER_PRIVATE#{athleteId}"), Sort: ap.BeginsWith("SK", wholeToken)},
			Returns: []string{"keyword-private"},
		},
	}
}

func gapPatterns() []ap.Pattern {
	return []ap.Pattern{
		{
			ID: "list-gap-priorities", Title: "The gap priority overrides of an athlete",
			Cite:  ap.Line(29, "PK = USER#{athleteId}", "SK = GAP_PRIORITY#{gapId}").Implied("the entity has a key template and attributes but no access pattern"),
			Roles: []string{athlete, system},
			Read: &ap.Read{Operation: ap.OpQuery, Table: table,
				Partition: ap.Equals("PK", "USER#{athleteId}"), Sort: ap.BeginsWith("SK", "GAP_PRIORITY#")},
			Returns: []string{"gap-priority-override"},
		},
		{
			ID: "get-gap-priority", Title: "One gap priority override",
			Cite:    ap.Line(29, "PK = USER#{athleteId}", "SK = GAP_PRIORITY#{gapId}").Implied("the key template leads to one override for each gap"),
			Roles:   []string{athlete, system},
			Read:    ap.Get(table, ap.Equals("PK", "USER#{athleteId}"), ap.Is("SK", "GAP_PRIORITY#{gapId}")),
			Returns: []string{"gap-priority-override"},
		},
		{
			ID: "athlete-sets-gap-priority", Title: "Athlete sets a gap priority override",
			Cite:  ap.Lines(57, 58, "status", "updatedBy", "athlete|coach").And(ap.Line(29, "SK = GAP_PRIORITY#{gapId}")).Implied("updatedByRole says that athletes write overrides"),
			Roles: []string{athlete},
			Flow: []ap.Step{{Name: "write", Cite: ap.Line(58, "athlete|coach"), Write: []ap.Action{
				{Kind: ap.Put, Table: table, Entity: "gap-priority-override", Item: "override"},
			}}},
		},
		{
			ID: "coach-sets-gap-priority", Title: "Linked coach sets a gap priority override",
			Cite:  ap.Lines(57, 58, "status", "updatedBy", "athlete|coach").And(ap.Lines(200, 201, "link validation", "USER#{athleteId}/COACH#{coachId}")).Implied("updatedByRole says that coaches write overrides; everything else that a coach does begins with the link"),
			Roles: []string{coach}, Returns: []string{"coach-athlete-link"},
			Flow: []ap.Step{
				{Name: "link", Cite: ap.Line(200, "link validation"), Read: oneLink(), StopWhenEmpty: true},
				{Name: "write", Cite: ap.Line(58, "athlete|coach"), Write: []ap.Action{
					linkStands(),
					{Kind: ap.Put, Table: table, Entity: "gap-priority-override", Item: "override"},
				}},
			},
		},
	}
}
