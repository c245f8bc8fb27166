package rollmodel

import ap "dynaproof/accesspatterns"

// Why timestamps have a form, and why ISODate is the createdAt of the item.
const (
	isoByExample  = "every timestamp of the examples is an ISO 8601 date and time in UTC, and the keys call it ISODate"
	dateIsCreated = "every example shows the createdAt of the item in the place of ISODate, and the keyword keys call it createdAt"
)

// Attributes are Required unless the document marks them with a question mark
// (line 57): it marks optional ones there and nowhere else.
func entities() []ap.Entity {
	return append(trainingEntities(), chatAndIndexEntities()...)
}

func trainingEntities() []ap.Entity {
	return []ap.Entity{
		entry(),
		legacyEntry(),
		{
			ID: "entry-meta", Title: "Entry meta", Table: table,
			Cite: ap.Line(11, "Entry meta"),
			Keys: []ap.KeyAttribute{
				{Attribute: "PK", Template: "ENTRY#{entryId}", Cite: ap.Line(23, "PK = ENTRY#{entryId}").And(ap.Line(111, "ENTRY#entry-abc"))},
				{Attribute: "SK", Template: "META", Cite: ap.Line(23, "SK = META").And(ap.Line(112, "META"))},
			},
			Attributes: []ap.Attribute{
				{Name: "athleteId", Type: ap.String, Cite: ap.Line(39, "athleteId").And(ap.Line(114, "athleteId"))},
				{Name: "createdAt", Type: ap.String, Format: ap.ISOTimestamp, Cite: ap.Line(39, "createdAt").And(ap.Line(115, "createdAt")).Implied(isoByExample)},
				{Name: "entityType", Type: ap.String, Allowed: []string{"ENTRY_META"}, Cite: ap.Line(113, "entityType", "ENTRY_META").Chosen("finding entity-type-unlisted")},
			},
		},
		{
			ID: "coach-athlete-link", Title: "Coach-athlete link", Table: table,
			Cite: ap.Line(12, "Coach-athlete link"),
			Keys: []ap.KeyAttribute{
				{Attribute: "PK", Template: "USER#{athleteId}", Cite: ap.Line(21, "PK = USER#{athleteId}").And(ap.Line(122, "USER#athlete-123"))},
				{Attribute: "SK", Template: "COACH#{coachId}", Cite: ap.Line(21, "SK = COACH#{coachId}").And(ap.Line(123, "COACH#coach-999"))},
			},
			Attributes: []ap.Attribute{
				{Name: "athleteId", Type: ap.String, Cite: ap.Line(42, "athleteId").And(ap.Line(125, "athleteId"))},
				{Name: "coachId", Type: ap.String, Cite: ap.Line(42, "coachId").And(ap.Line(126, "coachId"))},
				{Name: "createdAt", Type: ap.String, Format: ap.ISOTimestamp, Cite: ap.Line(42, "createdAt").And(ap.Line(127, "createdAt")).Implied(isoByExample)},
				{Name: "entityType", Type: ap.String, Allowed: []string{"COACH_LINK"}, Cite: ap.Line(124, "entityType", "COACH_LINK").Chosen("finding entity-type-unlisted")},
			},
		},
		{
			ID: "comment", Title: "Comment", Table: table,
			Cite: ap.Line(13, "Comment").And(ap.Line(24, "COMMENT#{ISODate}"), ap.Lines(135, 140, "COMMENT#2026-02-19T12:30:00.000Z", "createdAt")).Implied(dateIsCreated),
			Keys: []ap.KeyAttribute{
				{Attribute: "PK", Template: "ENTRY#{entryId}", Cite: ap.Line(24, "PK = ENTRY#{entryId}").And(ap.Line(134, "ENTRY#entry-abc"))},
				{Attribute: "SK", Template: "COMMENT#{ISODate}#{commentId}", Binds: map[string]string{"ISODate": "createdAt"},
					Cite: ap.Line(24, "SK = COMMENT#{ISODate}#{commentId}").And(ap.Line(135, "COMMENT#2026-02-19T12:30:00.000Z#comment-456"))},
			},
			Attributes: []ap.Attribute{
				{Name: "commentId", Type: ap.String, Cite: ap.Line(45, "commentId").And(ap.Line(137, "commentId"))},
				{Name: "entryId", Type: ap.String, Cite: ap.Line(45, "entryId").And(ap.Line(138, "entryId"))},
				{Name: "coachId", Type: ap.String, Cite: ap.Line(45, "coachId").And(ap.Line(139, "coachId"))},
				{Name: "createdAt", Type: ap.String, Format: ap.ISOTimestamp, Cite: ap.Line(45, "createdAt").And(ap.Line(140, "createdAt")).Implied(isoByExample)},
				{Name: "body", Type: ap.String, Cite: ap.Line(45, "body").And(ap.Line(141, "body"))},
				// The only value shown is "visible"; the document gives no list.
				{Name: "visibility", Type: ap.String, Cite: ap.Line(45, "visibility").And(ap.Line(142, "visibility", "visible"))},
				{Name: "entityType", Type: ap.String, Allowed: []string{"COMMENT"}, Cite: ap.Line(136, "entityType", "COMMENT").Chosen("finding entity-type-unlisted")},
			},
		},
		{
			// No example item shows types or an entityType: both stay open.
			ID: "gap-priority-override", Title: "Gap priority override", Table: table,
			Cite: ap.Line(18, "Gap priority override"),
			Keys: []ap.KeyAttribute{
				{Attribute: "PK", Template: "USER#{athleteId}", Cite: ap.Line(29, "PK = USER#{athleteId}")},
				{Attribute: "SK", Template: "GAP_PRIORITY#{gapId}", Cite: ap.Line(29, "SK = GAP_PRIORITY#{gapId}")},
			},
			Attributes: []ap.Attribute{
				{Name: "gapId", Type: ap.String, Cite: ap.Line(57, "gapId").And(ap.Line(29, "GAP_PRIORITY#{gapId}"))},
				{Name: "status", Type: ap.String, Allowed: []string{"accepted", "watch", "dismissed"}, Cite: ap.Line(57, "status", "accepted|watch|dismissed")},
				{Name: "manualPriority", Presence: ap.Optional, Cite: ap.Line(57, "manualPriority?")},
				{Name: "note", Presence: ap.Optional, Cite: ap.Line(57, "note?")},
				{Name: "updatedAt", Cite: ap.Line(58, "updatedAt")},
				{Name: "updatedBy", Cite: ap.Line(58, "updatedBy")},
				{Name: "updatedByRole", Type: ap.String, Allowed: []string{"athlete", "coach"}, Cite: ap.Line(58, "updatedByRole", "athlete|coach")},
				{Name: "createdAt", Cite: ap.Line(59, "createdAt")},
				{Name: "entityType", Presence: ap.Optional, Cite: ap.Lines(57, 59, "gapId", "createdAt").And(ap.Line(67, "entityType")).Chosen("finding override-without-example")},
			},
		},
	}
}
