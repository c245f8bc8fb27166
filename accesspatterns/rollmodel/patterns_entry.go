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
			Roles: []string{athlete, coach}, Read: oneMeta(), Returns: []string{"entry-meta"},
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
			Cite:  ap.Line(90, "createEntry", "always persist").And(ap.Lines(22, 28, "SK = META", "KW#{token}#TS#{createdAt}#ENTRY#{entryId}")).Implied("the versioning section names the write; that the items are written together follows from their being copies of one entry, of which as many keyword items as it has words"),
			Roles: []string{athlete},
			Flow:  []ap.Step{{Name: "write", Cite: ap.Line(90, "createEntry"), Write: newEntry(nil)}},
		},
		{
			ID: "create-entry-once", Title: "Create an entry, unless there is one of that id",
			Cite:  ap.Line(90, "createEntry").And(ap.Line(23, "PK = ENTRY#{entryId}")).Chosen("finding entry-id-of-two-athletes"),
			Roles: []string{athlete},
			Flow:  []ap.Step{{Name: "write", Cite: ap.Line(90, "createEntry"), Write: newEntry(ap.IfAbsent("PK"))}},
		},
		{
			ID: "index-entry-keywords", Title: "Write keyword items of an entry that one transaction does not hold",
			Cite:  ap.Lines(27, 28, "KW#{token}#TS#{createdAt}#ENTRY#{entryId}").Chosen("finding keywords-exceed-a-transaction"),
			Roles: []string{athlete},
			Flow:  []ap.Step{{Name: "write", Cite: ap.Lines(27, 28, "KW#{token}"), Write: keywordsOfEntry(), Batch: ap.MaxBatch}},
		},
		{
			ID: "update-entry", Title: "Change what an athlete entered, and store the current version",
			Cite:  ap.Line(90, "updateEntry", "always persist").And(ap.Line(104, "write-through behavior on update"), ap.Lines(91, 94, "legacy v0"), ap.Lines(27, 28, "KW#{token}#TS#{createdAt}#ENTRY#{entryId}")).Implied("the versioning section names the write; what an athlete entered are the sections, the metrics and the mentions, and the time of the change is updatedAt. How text becomes tokens is not said, so the writer names the keyword items that go and come"),
			Roles: []string{athlete}, Returns: []string{"entry", "entry-legacy"},
			Flow: []ap.Step{readForUpdate(), {Name: "write", Cite: ap.Line(90, "updateEntry"), Write: append([]ap.Action{
				{Kind: ap.Update, Table: table, Item: "entry", Key: entryKey(),
					Set:   []ap.Assignment{{Attribute: "schemaVersion", Value: ap.Digits("1")}, {Attribute: "updatedAt", Value: ap.Text("{now}")}},
					Edits: []string{"sections", "sessionMetrics", "rawTechniqueMentions"}},
			}, movedKeywords()...)}},
		},
		{
			ID: "replace-entry", Title: "Store a whole entry anew, in the current version",
			Cite:  ap.Line(90, "updateEntry", "always persist").And(ap.Line(104, "write-through behavior on update"), ap.Lines(27, 28, "KW#{token}#TS#{createdAt}#ENTRY#{entryId}")).Implied("the versioning section names the write and not its operation; an update may store the whole item"),
			Roles: []string{athlete}, Returns: []string{"entry", "entry-legacy"},
			Flow: []ap.Step{readForUpdate(), {Name: "write", Cite: ap.Line(90, "updateEntry"), Write: append([]ap.Action{wholeEntry(nil)}, movedKeywords()...)}},
		},
		{
			ID: "update-entry-as-read", Title: "Store a whole entry anew, unless it was changed since it was read",
			Cite:  ap.Line(90, "updateEntry").And(ap.Line(33, "updatedAt"), ap.Line(95, "fail closed")).Chosen("finding concurrent-updates"),
			Roles: []string{athlete}, Returns: []string{"entry", "entry-legacy"},
			Flow: []ap.Step{
				readForUpdate(),
				{Name: "write", Cite: ap.Line(90, "updateEntry"), ForEach: ap.Each("entry", "updatedAt", "updatedAtRead"), Write: append([]ap.Action{
					wholeEntry([]ap.WriteCondition{
						// An entry that became one of a later version since it was read is
						// not taken back to this one.
						ap.AnyOf(
							ap.WriteCondition{Attribute: "schemaVersion", Operator: ap.ConditionBelow, Value: ap.Digits("2")},
							ap.WriteCondition{Attribute: "schemaVersion", Operator: ap.AttributeNotExists},
						),
						{Attribute: "updatedAt", Operator: ap.ConditionEquals, Value: ap.Text("{updatedAtRead}")},
					}),
				}, movedKeywords()...)},
			},
		},
		{
			ID: "delete-entry", Title: "Remove an entry with its meta, keyword items and comments",
			Cite:  ap.Lines(22, 24, "ENTRY#{ISODate}#{entryId}", "SK = META", "COMMENT#{ISODate}#{commentId}").And(ap.Lines(27, 28, "KW#{token}")).Chosen("finding nothing-is-deleted"),
			Roles: []string{athlete},
			Flow: []ap.Step{{Name: "write", Cite: ap.Lines(22, 28, "PK = ENTRY#{entryId}"), Write: append([]ap.Action{
				{Kind: ap.Delete, Table: table, Key: entryKey()},
				{Kind: ap.Delete, Table: table, Key: key("ENTRY#{entryId}", "META")},
				{Kind: ap.Delete, Table: table, Item: "comment", Times: ap.AnyNumber, Key: key("ENTRY#{entryId}", "COMMENT#{commentDate}#{commentId}")},
			}, staleKeywords()...)}},
		},
	}
}

func entryKey() []ap.Equality { return key("USER#{athleteId}", "ENTRY#{ISODate}#{entryId}") }

// wholeEntry puts the entry of a flow.
func wholeEntry(condition []ap.WriteCondition) ap.Action {
	return ap.Action{Kind: ap.Put, Table: table, Entity: "entry", Item: "entry", Condition: condition,
		With: with("PK", "USER#{athleteId}", "SK", "ENTRY#{ISODate}#{entryId}")}
}

// newEntry puts an entry, its meta item and its keyword items, all of one athlete,
// date and id.
func newEntry(condition []ap.WriteCondition) []ap.Action {
	return append([]ap.Action{
		wholeEntry(condition),
		{Kind: ap.Put, Table: table, Entity: "entry-meta", Item: "meta", Condition: condition,
			With: with("PK", "ENTRY#{entryId}", "athleteId", "{athleteId}", "createdAt", "{ISODate}")},
	}, keywordsOfEntry()...)
}

// keywordsOfEntry puts none, one or many tokens of each kind.
func keywordsOfEntry() []ap.Action {
	return []ap.Action{
		{Kind: ap.Put, Table: table, Entity: "keyword-shared", Item: "sharedKeyword", Times: ap.AnyNumber,
			With: with("PK", "USER#{athleteId}", "entryId", "{entryId}", "createdAt", "{ISODate}")},
		{Kind: ap.Put, Table: table, Entity: "keyword-private", Item: "privateKeyword", Times: ap.AnyNumber,
			With: with("PK", "USER_PRIVATE#{athleteId}", "entryId", "{entryId}", "createdAt", "{ISODate}")},
	}
}

// staleKeywords deletes none, one or many tokens of each kind.
func staleKeywords() []ap.Action {
	return []ap.Action{
		{Kind: ap.Delete, Table: table, Item: "staleShared", Times: ap.AnyNumber, Key: key("USER#{athleteId}", "KW#{staleSharedToken}#TS#{ISODate}#ENTRY#{entryId}")},
		{Kind: ap.Delete, Table: table, Item: "stalePrivate", Times: ap.AnyNumber, Key: key("USER_PRIVATE#{athleteId}", "KW#{stalePrivateToken}#TS#{ISODate}#ENTRY#{entryId}")},
	}
}

// movedKeywords are the keyword items that an update writes and deletes.
func movedKeywords() []ap.Action { return append(keywordsOfEntry(), staleKeywords()...) }

// readForUpdate is the read with which an update begins: an entry of a later version
// ends it.
func readForUpdate() ap.Step {
	return ap.Step{Name: "entry", Cite: ap.Line(22, "SK = ENTRY#{ISODate}#{entryId}").And(ap.Lines(91, 95, "legacy v0", "fail closed")), Read: oneEntry(), StopWhenEmpty: true}
}
