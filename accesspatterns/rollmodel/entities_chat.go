package rollmodel

import ap "dynaproof/accesspatterns"

func chatAndIndexEntities() []ap.Entity {
	return []ap.Entity{
		{
			ID: "ai-thread", Title: "AI thread", Table: table,
			Cite: ap.Line(14, "AI thread"),
			Keys: []ap.KeyAttribute{
				{Attribute: "PK", Template: "USER#{userId}", Cite: ap.Line(25, "PK = USER#{userId}").And(ap.Line(149, "USER#athlete-123"))},
				{Attribute: "SK", Template: "AI_THREAD#{threadId}", Cite: ap.Line(25, "SK = AI_THREAD#{threadId}").And(ap.Line(150, "AI_THREAD#thread-555"))},
			},
			Attributes: []ap.Attribute{
				{Name: "threadId", Type: ap.String, Cite: ap.Line(48, "threadId").And(ap.Line(152, "threadId"))},
				{Name: "title", Type: ap.String, Cite: ap.Line(48, "title").And(ap.Line(153, "title"))},
				{Name: "createdAt", Type: ap.String, Format: ap.ISOTimestamp, Cite: ap.Line(48, "createdAt").And(ap.Line(154, "createdAt")).Implied(isoByExample)},
				{Name: "lastActiveAt", Type: ap.String, Format: ap.ISOTimestamp, Cite: ap.Line(48, "lastActiveAt").And(ap.Line(155, "lastActiveAt")).Implied(isoByExample)},
				{Name: "entityType", Type: ap.String, Allowed: []string{"AI_THREAD"}, Cite: ap.Line(151, "entityType", "AI_THREAD").Chosen("finding entity-type-unlisted")},
			},
		},
		{
			ID: "ai-message", Title: "AI message", Table: table,
			Cite: ap.Line(15, "AI message").And(ap.Line(26, "MSG#{ISODate}"), ap.Lines(163, 170, "MSG#2026-02-19T12:11:00.000Z", "createdAt")).Implied(dateIsCreated),
			Keys: []ap.KeyAttribute{
				{Attribute: "PK", Template: "AI_THREAD#{threadId}", Cite: ap.Line(26, "PK = AI_THREAD#{threadId}").And(ap.Line(162, "AI_THREAD#thread-555"))},
				{Attribute: "SK", Template: "MSG#{ISODate}#{messageId}", Binds: map[string]string{"ISODate": "createdAt"},
					Cite: ap.Line(26, "SK = MSG#{ISODate}#{messageId}").And(ap.Line(163, "MSG#2026-02-19T12:11:00.000Z#msg-777"))},
			},
			Attributes: []ap.Attribute{
				{Name: "messageId", Type: ap.String, Cite: ap.Line(51, "messageId").And(ap.Line(165, "messageId"))},
				{Name: "threadId", Type: ap.String, Cite: ap.Line(51, "threadId").And(ap.Line(166, "threadId"))},
				// The only value shown is "assistant"; the document gives no list.
				{Name: "role", Type: ap.String, Cite: ap.Line(51, "role").And(ap.Line(167, "role", "assistant"))},
				// Opaque: the example is no JSON and is not parsed.
				{Name: "content", Type: ap.String, Cite: ap.Line(51, "content").And(ap.Line(168, "content"))},
				// The only value shown is "shared"; the document gives no list.
				{Name: "visibilityScope", Type: ap.String, Cite: ap.Line(51, "visibilityScope").And(ap.Line(169, "visibilityScope", "shared"))},
				{Name: "createdAt", Type: ap.String, Format: ap.ISOTimestamp, Cite: ap.Line(51, "createdAt").And(ap.Line(170, "createdAt")).Implied(isoByExample)},
				{Name: "entityType", Type: ap.String, Allowed: []string{"AI_MESSAGE"}, Cite: ap.Line(164, "entityType", "AI_MESSAGE").Chosen("finding entity-type-unlisted")},
			},
		},
		{
			ID: "keyword-shared", Title: "Keyword index (shared)", Table: table,
			Cite: ap.Line(16, "Keyword index (shared)"),
			Keys: []ap.KeyAttribute{
				{Attribute: "PK", Template: "USER#{athleteId}", Cite: ap.Line(27, "PK = USER#{athleteId}").And(ap.Line(177, "USER#athlete-123"))},
				{Attribute: "SK", Template: "KW#{token}#TS#{createdAt}#ENTRY#{entryId}",
					Cite: ap.Line(27, "SK = KW#{token}#TS#{createdAt}#ENTRY#{entryId}").And(ap.Line(178, "KW#guard#TS#2026-02-19T12:00:00.000Z#ENTRY#entry-abc"))},
			},
			Attributes: []ap.Attribute{
				{Name: "entryId", Type: ap.String, Cite: ap.Line(54, "entryId").And(ap.Line(181, "entryId"))},
				{Name: "createdAt", Type: ap.String, Format: ap.ISOTimestamp, Cite: ap.Line(54, "createdAt").And(ap.Line(182, "createdAt")).Implied(isoByExample)},
				{Name: "visibilityScope", Type: ap.String, Allowed: []string{"shared"}, Cite: ap.Line(54, "visibilityScope").And(ap.Line(180, "visibilityScope", "shared")).Implied("the partition of shared tokens holds what is shared")},
				{Name: "entityType", Type: ap.String, Allowed: []string{"KEYWORD_INDEX"}, Cite: ap.Line(179, "entityType", "KEYWORD_INDEX").Chosen("finding entity-type-unlisted")},
			},
		},
		{
			ID: "keyword-private", Title: "Keyword index (private)", Table: table,
			Cite: ap.Line(17, "Keyword index (private)"),
			Keys: []ap.KeyAttribute{
				{Attribute: "PK", Template: "USER_PRIVATE#{athleteId}", Cite: ap.Line(28, "PK = USER_PRIVATE#{athleteId}").And(ap.Line(189, "USER_PRIVATE#athlete-123"))},
				{Attribute: "SK", Template: "KW#{token}#TS#{createdAt}#ENTRY#{entryId}",
					Cite: ap.Line(28, "SK = KW#{token}#TS#{createdAt}#ENTRY#{entryId}").And(ap.Line(190, "KW#injury#TS#2026-02-19T12:00:00.000Z#ENTRY#entry-abc"))},
			},
			Attributes: []ap.Attribute{
				{Name: "entryId", Type: ap.String, Cite: ap.Line(54, "entryId").And(ap.Line(193, "entryId"))},
				{Name: "createdAt", Type: ap.String, Format: ap.ISOTimestamp, Cite: ap.Line(54, "createdAt").And(ap.Line(194, "createdAt")).Implied(isoByExample)},
				{Name: "visibilityScope", Type: ap.String, Allowed: []string{"private"}, Cite: ap.Line(54, "visibilityScope").And(ap.Line(192, "visibilityScope", "private")).Implied("the partition of private tokens holds what is private")},
				{Name: "entityType", Type: ap.String, Allowed: []string{"KEYWORD_INDEX"}, Cite: ap.Line(191, "entityType", "KEYWORD_INDEX").Chosen("finding entity-type-unlisted")},
			},
		},
	}
}
