package rollmodel

import ap "dynaproof/accesspatterns"

func entryPatterns() []ap.Pattern {
	return []ap.Pattern{
		{
			ID: "list-own-entries", Title: "Athlete lists own entries",
			Cite:  ap.Line(199, "PK = USER#{athleteId}", "begins_with(SK, ENTRY#)"),
			Roles: []string{athlete}, Read: allEntries(), Returns: []string{"entry", "entry-legacy"},
		},
		{
			ID: "export-athlete", Title: "Export: the athlete's entries, then the comments of each",
			Cite:  ap.Line(202, "Export", "query entries by athlete", "then comments by entry"),
			Roles: []string{athlete}, Returns: []string{"comment"},
			Flow: []ap.Step{
				{Name: "entries", Cite: ap.Line(202, "query entries by athlete"), Read: allEntries(), StopWhenEmpty: true},
				{Name: "comments", Cite: ap.Line(202, "comments by entry"), Read: commentsOfEntry(),
					ForEach: ap.Each("entries", "entryId", "entryId")},
			},
		},
		{
			ID: "list-comments-of-entry", Title: "The comments of one entry",
			Cite:  ap.Line(202, "comments by entry").And(ap.Line(24, "SK = COMMENT#{ISODate}#{commentId}")).Implied("the export reads the comments of an entry; an athlete reads them one entry at a time as well"),
			Roles: []string{athlete}, Read: commentsOfEntry(), Returns: []string{"comment"},
		},
		{
			ID: "get-entry", Title: "One entry by its whole key",
			Cite:  ap.Line(22, "PK = USER#{athleteId}", "SK = ENTRY#{ISODate}#{entryId}").And(ap.Line(90, "updateEntry")).Implied("an update needs the entry that it changes, and the key template leads to it when the date is known"),
			Roles: []string{athlete}, Read: oneEntry(), Returns: []string{"entry", "entry-legacy"},
		},
		{
			ID: "get-entry-meta", Title: "Whose entry it is, and its date",
			Cite:  ap.Line(201, "ENTRY#{entryId}/META").And(ap.Line(23, "SK = META")).Implied("posting a comment validates this item; other readers that have only an entry id need it too"),
			Roles: []string{athlete, coach, system}, Read: oneMeta(), Returns: []string{"entry-meta"},
		},
		{
			ID: "get-own-entry-by-id", Title: "Athlete's own entry when only its id is known",
			Cite:  ap.Line(39, "athleteId", "createdAt").And(ap.Lines(22, 23, "ENTRY#{ISODate}#{entryId}", "SK = META")).Implied("the meta item repeats the date that an entry's key needs; without it an id leads nowhere. The owner is the caller, so another athlete's entry is not found"),
			Roles: []string{athlete}, Returns: []string{"entry", "entry-legacy"},
			Flow: []ap.Step{
				{Name: "meta", Cite: ap.Line(39, "createdAt"), Read: oneMeta(), StopWhenEmpty: true},
				{Name: "entry", Cite: ap.Line(22, "SK = ENTRY#{ISODate}#{entryId}"), Read: oneEntry(),
					ForEach: ap.Each("meta", "createdAt", "ISODate")},
			},
		},
		{
			ID: "create-entry", Title: "Create an entry with its meta and keyword items",
			Cite:  ap.Line(90, "createEntry", "always persist").And(ap.Lines(22, 28, "SK = META", "KW#{token}#TS#{createdAt}#ENTRY#{entryId}")).Implied("the versioning section names the write; that the items are written together follows from their being copies of one entry. One shared and one private token stand for any number"),
			Roles: []string{athlete},
			Flow: []ap.Step{{
				Name: "write", Cite: ap.Line(90, "createEntry"),
				Write: []ap.Action{
					{Kind: ap.Put, Table: table, Entity: "entry", Item: "entry", Condition: ap.IfAbsent("PK")},
					{Kind: ap.Put, Table: table, Entity: "entry-meta", Item: "meta", Condition: ap.IfAbsent("PK")},
					{Kind: ap.Put, Table: table, Entity: "keyword-shared", Item: "sharedKeyword"},
					{Kind: ap.Put, Table: table, Entity: "keyword-private", Item: "privateKeyword"},
				},
			}},
		},
		{
			ID: "update-entry", Title: "Update an entry and its keyword items, and store the current version",
			Cite:  ap.Line(90, "updateEntry", "always persist").And(ap.Line(104, "write-through behavior on update"), ap.Lines(91, 94, "legacy v0"), ap.Lines(27, 28, "KW#{token}#TS#{createdAt}#ENTRY#{entryId}")).Implied("the versioning section names the write; a reader leaves a legacy entry as it is, so the update is what brings the stored item to the current version. The keyword items that the old text had and the new one has not go in the same transaction; how text becomes tokens is not said, so the writer names them. The time of the last change must be the one that was read"),
			Roles: []string{athlete}, Returns: []string{"entry", "entry-legacy"},
			Flow: []ap.Step{
				{Name: "entry", Cite: ap.Line(22, "SK = ENTRY#{ISODate}#{entryId}").And(ap.Lines(91, 95, "legacy v0", "fail closed")), Read: oneEntry(), StopWhenEmpty: true},
				{Name: "write", Cite: ap.Line(90, "updateEntry"), ForEach: ap.Each("entry", "updatedAt", "updatedAtRead"), Write: []ap.Action{
					{Kind: ap.Put, Table: table, Entity: "entry", Item: "entry", Condition: []ap.WriteCondition{
						// An entry that became one of a later version since it was
						// read is not taken back to this one.
						ap.AnyOf(
							ap.WriteCondition{Attribute: "schemaVersion", Operator: ap.ConditionEquals, Value: ap.Digits("1")},
							ap.WriteCondition{Attribute: "schemaVersion", Operator: ap.AttributeNotExists},
						),
						{Attribute: "updatedAt", Operator: ap.ConditionEquals, Value: ap.Text("{updatedAtRead}")},
					}},
					{Kind: ap.Delete, Table: table, Key: key("USER#{athleteId}", "KW#{staleSharedToken}#TS#{ISODate}#ENTRY#{entryId}")},
					{Kind: ap.Put, Table: table, Entity: "keyword-shared", Item: "sharedKeyword"},
					{Kind: ap.Delete, Table: table, Key: key("USER_PRIVATE#{athleteId}", "KW#{stalePrivateToken}#TS#{ISODate}#ENTRY#{entryId}")},
					{Kind: ap.Put, Table: table, Entity: "keyword-private", Item: "privateKeyword"},
				}},
			},
		},
	}
}
