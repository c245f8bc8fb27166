package rollmodel

import ap "dynaproof/accesspatterns"

// coachView is everything of an entry except sections.private.
var coachView = []string{
	"PK", "SK", "entityType", "entryId", "athleteId", "schemaVersion", "createdAt", "updatedAt",
	"sections.shared", "sessionMetrics", "rawTechniqueMentions",
}

func coachPatterns() []ap.Pattern {
	view := allEntries()
	view.Projection = append(view.Projection, coachView...)
	one := oneEntry()
	one.Projection = append(one.Projection, coachView...)
	return []ap.Pattern{
		{
			ID: "coach-lists-entries", Title: "Coach lists a linked athlete's entries, without the private text",
			Cite:  ap.Line(200, "Coach lists linked athlete entries", "same query after link validation").And(ap.Line(34, "sections.private"), ap.Line(207, "coach limitations")).Implied("the same query returns the private section, and coaches have limitations: by ruling roll-model 2 it is projected out"),
			Roles: []string{coach}, Returns: []string{"entry", "entry-legacy"},
			Flow: []ap.Step{
				linkFirst(),
				{Name: "entries", Cite: ap.Line(200, "same query"), Read: view},
			},
		},
		{
			ID: "coach-gets-entry", Title: "Coach opens one entry of a linked athlete, without the private text",
			Cite:  ap.Line(200, "Coach lists linked athlete entries").And(ap.Line(22, "SK = ENTRY#{ISODate}#{entryId}"), ap.Line(34, "sections.private")).Chosen("finding coach-reads-no-comments"),
			Roles: []string{coach}, Returns: []string{"entry", "entry-legacy"},
			Flow: []ap.Step{
				linkFirst(),
				{Name: "entry", Cite: ap.Line(22, "SK = ENTRY#{ISODate}#{entryId}"), Read: one},
			},
		},
		{
			ID: "coach-lists-comments", Title: "Coach reads the comments on a linked athlete's entry",
			Cite:  ap.Line(24, "SK = COMMENT#{ISODate}#{commentId}").And(ap.Lines(200, 202, "link validation", "comments by entry")).Chosen("finding coach-reads-no-comments"),
			Roles: []string{coach}, Returns: []string{"comment"},
			Flow: []ap.Step{
				linkFirst(),
				{Name: "comments", Cite: ap.Line(24, "PK = ENTRY#{entryId}"), Read: commentsOfEntry()},
			},
		},
		{
			ID: "post-comment", Title: "Coach comments on an entry, while entry and link stand",
			Cite:  ap.Line(201, "Post comment", "validate", "ENTRY#{entryId}/META", "USER#{athleteId}/COACH#{coachId}").And(ap.Line(45, "coachId")).Implied("what is validated must still be there when the comment is written (ruling roll-model 3), and the comment is the linked coach's"),
			Roles: []string{coach}, Returns: []string{"coach-athlete-link"},
			Flow: []ap.Step{
				metaFirst(), linkFirst(),
				{Name: "write", Cite: ap.Line(201, "Post comment", "validate"), Write: []ap.Action{metaStands(), linkStands(), comment(nil)}},
			},
		},
		{
			ID: "post-comment-to-athlete", Title: "Coach comments on an entry, while it is the linked athlete's",
			Cite:  ap.Line(201, "Post comment", "ENTRY#{entryId}/META", "USER#{athleteId}/COACH#{coachId}").And(ap.Line(39, "athleteId")).Chosen("finding comment-on-any-athlete"),
			Roles: []string{coach}, Returns: []string{"coach-athlete-link"},
			Flow: []ap.Step{
				metaFirst(), linkFirst(),
				{Name: "write", Cite: ap.Line(201, "Post comment", "validate"), Write: []ap.Action{
					{Kind: ap.ConditionCheck, Table: table, Key: key("ENTRY#{entryId}", "META"), Condition: []ap.WriteCondition{
						{Attribute: "athleteId", Operator: ap.ConditionEquals, Value: ap.Text("{athleteId}")},
					}},
					linkStands(), comment(ap.IfAbsent("PK")),
				}},
			},
		},
		{
			ID: "edit-comment", Title: "Coach changes the text or the visibility of a comment, while entry and link stand",
			Cite:  ap.Line(45, "body", "visibility").And(ap.Line(201, "validate")).Chosen("finding nothing-is-deleted"),
			Roles: []string{coach},
			Flow: []ap.Step{{Name: "write", Cite: ap.Line(45, "visibility"), Write: []ap.Action{
				metaStands(), linkStands(),
				{Kind: ap.Update, Table: table, Item: "comment", Key: key("ENTRY#{entryId}", "COMMENT#{ISODate}#{commentId}"), Edits: []string{"body", "visibility"}},
			}}},
		},
		{
			ID: "delete-comment", Title: "Coach takes a comment away",
			Cite:  ap.Line(24, "SK = COMMENT#{ISODate}#{commentId}").Chosen("finding nothing-is-deleted"),
			Roles: []string{coach},
			Flow: []ap.Step{{Name: "write", Cite: ap.Line(24, "Comment"), Write: []ap.Action{
				{Kind: ap.Delete, Table: table, Key: key("ENTRY#{entryId}", "COMMENT#{ISODate}#{commentId}")},
			}}},
		},
		{
			ID: "get-coach-link", Title: "Is this coach linked with this athlete?",
			Cite:  ap.Line(201, "USER#{athleteId}/COACH#{coachId}").And(ap.Line(200, "link validation"), ap.Line(21, "SK = COACH#{coachId}")).Implied("two listed patterns begin with this read"),
			Roles: []string{athlete, coach}, Read: oneLink(), Returns: []string{"coach-athlete-link"},
		},
		{
			ID: "list-coaches-of-athlete", Title: "The coaches linked with an athlete",
			Cite:  ap.Line(21, "PK = USER#{athleteId}", "SK = COACH#{coachId}").Implied("the key template collects an athlete's links in the athlete's partition, and whoever removes a link has to see them"),
			Roles: []string{athlete},
			Read: &ap.Read{Operation: ap.OpQuery, Table: table,
				Partition: ap.Equals("PK", "USER#{athleteId}"), Sort: ap.BeginsWith("SK", "COACH#")},
			Returns: []string{"coach-athlete-link"},
		},
		{
			ID: "link-coach", Title: "Link a coach with an athlete",
			Cite:  ap.Line(21, "Coach-athlete link", "SK = COACH#{coachId}").And(ap.Line(42, "createdAt")).Implied("links are validated, so something creates them; the document does not say who, the project takes the athlete"),
			Roles: []string{athlete},
			Flow:  []ap.Step{{Name: "write", Cite: ap.Line(21, "Coach-athlete link"), Write: []ap.Action{link(nil)}}},
		},
		{
			ID: "link-coach-once", Title: "Link a coach with an athlete, unless they are linked",
			Cite:  ap.Line(21, "Coach-athlete link", "SK = COACH#{coachId}").And(ap.Line(42, "createdAt")).Chosen("finding link-without-life-cycle"),
			Roles: []string{athlete},
			Flow:  []ap.Step{{Name: "write", Cite: ap.Line(21, "Coach-athlete link"), Write: []ap.Action{link(ap.IfAbsent("PK"))}}},
		},
		{
			ID: "unlink-coach", Title: "Remove the link between a coach and an athlete",
			Cite:  ap.Line(21, "Coach-athlete link", "SK = COACH#{coachId}").And(ap.Lines(200, 201, "link validation", "validate")).Implied("a validation that can only succeed would be none: links must be removable"),
			Roles: []string{athlete},
			Flow: []ap.Step{{Name: "write", Cite: ap.Line(21, "Coach-athlete link"), Write: []ap.Action{
				{Kind: ap.Delete, Table: table, Key: key("USER#{athleteId}", "COACH#{coachId}")},
			}}},
		},
	}
}

func linkFirst() ap.Step {
	return ap.Step{Name: "link", Cite: ap.Lines(200, 201, "link validation", "USER#{athleteId}/COACH#{coachId}"), Read: oneLink(), StopWhenEmpty: true}
}

func metaFirst() ap.Step {
	return ap.Step{Name: "meta", Cite: ap.Line(201, "ENTRY#{entryId}/META"), Read: oneMeta(), StopWhenEmpty: true}
}

// comment puts a comment of the linked coach on the entry.
func comment(condition []ap.WriteCondition) ap.Action {
	return ap.Action{Kind: ap.Put, Table: table, Entity: "comment", Item: "comment", Condition: condition,
		With: with("entryId", "{entryId}", "coachId", "{coachId}")}
}

func link(condition []ap.WriteCondition) ap.Action {
	return ap.Action{Kind: ap.Put, Table: table, Entity: "coach-athlete-link", Item: "link", Condition: condition}
}
