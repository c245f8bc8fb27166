package rollmodel

import ap "dynaproof/accesspatterns"

func entryKeys() []ap.KeyAttribute {
	return []ap.KeyAttribute{
		{Attribute: "PK", Template: "USER#{athleteId}", Cite: ap.Line(22, "PK = USER#{athleteId}").And(ap.Line(65, "USER#athlete-123"))},
		{Attribute: "SK", Template: "ENTRY#{ISODate}#{entryId}", Binds: map[string]string{"ISODate": "createdAt"},
			Cite: ap.Line(22, "SK = ENTRY#{ISODate}#{entryId}").And(ap.Line(66, "ENTRY#2026-02-19T12:00:00.000Z#entry-abc"))},
	}
}

// What a stored entry carries, whatever its version. An athlete may have written
// nothing into a section.
func entryText() []ap.Attribute {
	return []ap.Attribute{
		{Name: "createdAt", Type: ap.String, Format: ap.ISOTimestamp, Cite: ap.Line(33, "createdAt").And(ap.Line(71, "createdAt")).Implied(isoByExample)},
		{Name: "updatedAt", Type: ap.String, Format: ap.ISOTimestamp, Cite: ap.Line(33, "updatedAt").And(ap.Line(72, "updatedAt")).Implied(isoByExample)},
		{Name: "sections", Type: ap.Map, Cite: ap.Line(34, "sections.").And(ap.Line(73, "sections"))},
		{Name: "sections.private", Type: ap.String, Cite: ap.Line(34, "sections.private").And(ap.Line(74, "private"))},
		{Name: "sections.shared", Type: ap.String, Cite: ap.Line(34, "sections.shared").And(ap.Line(75, "shared"))},
		{Name: "sessionMetrics", Type: ap.Map, Cite: ap.Line(35, "sessionMetrics.").And(ap.Line(77, "sessionMetrics"))},
		{Name: "sessionMetrics.durationMinutes", Type: ap.Number, Cite: ap.Line(35, "sessionMetrics.durationMinutes").And(ap.Line(78, "90"))},
		{Name: "sessionMetrics.intensity", Type: ap.Number, Cite: ap.Line(35, "sessionMetrics.intensity").And(ap.Line(79, "7"))},
		{Name: "sessionMetrics.rounds", Type: ap.Number, Cite: ap.Line(35, "sessionMetrics.rounds").And(ap.Line(80, "8"))},
		// The only value shown is "gi"; the document gives no list.
		{Name: "sessionMetrics.giOrNoGi", Type: ap.String, Cite: ap.Line(35, "sessionMetrics.giOrNoGi").And(ap.Line(81, `"gi"`))},
		{Name: "sessionMetrics.tags", Type: ap.List, Cite: ap.Line(35, "sessionMetrics.tags").And(ap.Line(82, `["guard", "sparring"]`))},
		{Name: "sessionMetrics.tags[]", Type: ap.String, Cite: ap.Line(82, `"guard"`, `"sparring"`)},
	}
}

func entry() ap.Entity {
	current, _ := ap.Between(1, 1)
	attributes := []ap.Attribute{
		{Name: "entryId", Type: ap.String, Cite: ap.Line(33, "entryId").And(ap.Line(68, "entryId"))},
		{Name: "athleteId", Type: ap.String, Cite: ap.Line(33, "athleteId").And(ap.Line(69, "athleteId"))},
		// Writers always store the current version, which is 1; anything above
		// is a future version that must not be read or written.
		{Name: "schemaVersion", Type: ap.Number, Format: ap.Integer, Minimum: current, Maximum: current,
			Cite: ap.Line(33, "schemaVersion").And(ap.Line(70, `"schemaVersion": 1`), ap.Lines(89, 90, "current: `1`", "always persist"), ap.Line(95, "fail closed"))},
	}
	attributes = append(attributes, entryText()...)
	attributes = append(attributes,
		// A List, not a String Set: line 94 stores it empty, which a set cannot be.
		ap.Attribute{Name: "rawTechniqueMentions", Type: ap.List, Cite: ap.Line(36, "rawTechniqueMentions", "string[]").And(ap.Line(84, `["knee cut", "crossface"]`))},
		ap.Attribute{Name: "rawTechniqueMentions[]", Type: ap.String, Cite: ap.Line(36, "string[]").And(ap.Line(84, `"knee cut"`))},
		ap.Attribute{Name: "entityType", Type: ap.String, Allowed: []string{"ENTRY"}, Cite: ap.Line(67, "entityType", "ENTRY").Chosen("finding entity-type-unlisted")},
	)
	return ap.Entity{
		ID: "entry", Title: "Entry", Table: table,
		Cite: ap.Line(10, "Entry").And(ap.Line(22, "ENTRY#{ISODate}"), ap.Lines(66, 71, "ENTRY#2026-02-19T12:00:00.000Z", "createdAt")).Implied(dateIsCreated),
		Keys: entryKeys(), Attributes: attributes,
	}
}

// legacyEntry is an entry from before schema versions: readers bring it into the
// current shape in memory and leave it in the table as it is. What it lacks beside
// its version is not said.
func legacyEntry() ap.Entity {
	attributes := []ap.Attribute{
		{Name: "entryId", Type: ap.String, Cite: ap.Line(33, "entryId")},
		{Name: "athleteId", Type: ap.String, Cite: ap.Line(33, "athleteId")},
	}
	attributes = append(attributes, entryText()...)
	for i := range attributes {
		attributes[i].Presence = ap.Optional
		attributes[i].Cite = attributes[i].Cite.Implied("a legacy entry is an entry; which of its attributes it has is not said")
	}
	none, _ := ap.Between(0, 0)
	attributes = append(attributes,
		ap.Attribute{Name: "schemaVersion", Type: ap.Number, Minimum: none, Maximum: none, Presence: ap.Optional, Cite: ap.Line(91, "legacy v0").Chosen("finding version-zero-stored")},
		ap.Attribute{Name: "rawTechniqueMentions", Presence: ap.Optional, Cite: ap.Line(94, "rawTechniqueMentions: []", "missing or invalid")},
		ap.Attribute{Name: "entityType", Type: ap.String, Allowed: []string{"ENTRY"}, Cite: ap.Line(67, "entityType", "ENTRY").Chosen("finding entity-type-unlisted")},
	)
	return ap.Entity{
		ID: "entry-legacy", Title: "Entry (legacy v0)", Table: table,
		Cite: ap.Lines(91, 94, "legacy v0", "predate `schemaVersion`", "rawTechniqueMentions: []").Implied("The document says that such items are stored and what is backfilled, but does not list their attributes: everything else is taken from the entry."),
		Keys: entryKeys(), Attributes: attributes,
	}
}
