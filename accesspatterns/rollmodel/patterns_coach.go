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
	return []ap.Pattern{
		{
			ID: "coach-lists-entries", Title: "Coach lists a linked athlete's entries, without the private text",
			Cite:  ap.Line(200, "Coach lists linked athlete entries", "same query after link validation").And(ap.Line(34, "sections.private")),
			Roles: []string{coach}, Returns: []string{"entry", "entry-legacy"},
			Flow: []ap.Step{
				{Name: "link", Cite: ap.Line(200, "link validation"), Read: oneLink(), StopWhenEmpty: true},
				{Name: "entries", Cite: ap.Line(200, "same query"), Read: view},
			},
		},
		{
			ID: "post-comment", Title: "Coach comments on a linked athlete's entry",
			Cite:  ap.Line(201, "Post comment", "ENTRY#{entryId}/META", "USER#{athleteId}/COACH#{coachId}"),
			Roles: []string{coach}, Returns: []string{"coach-athlete-link"},
			Flow: []ap.Step{
				{Name: "meta", Cite: ap.Line(201, "ENTRY#{entryId}/META"), Read: oneMeta(), StopWhenEmpty: true},
				{Name: "link", Cite: ap.Line(201, "USER#{athleteId}/COACH#{coachId}"), Read: oneLink(), StopWhenEmpty: true},
				{Name: "write", Cite: ap.Line(201, "Post comment", "validate"), Write: []ap.Action{
					// The entry must be this athlete's, or a link to one athlete
					// would open the entries of all.
					{Kind: ap.ConditionCheck, Table: table, Key: key("ENTRY#{entryId}", "META"), Condition: []ap.WriteCondition{
						{Attribute: "athleteId", Operator: ap.ConditionEquals, Value: ap.Text("{athleteId}")},
					}},
					linkStands(),
					{Kind: ap.Put, Table: table, Entity: "comment", Item: "comment", Condition: ap.IfAbsent("PK")},
				}},
			},
		},
		{
			ID: "get-coach-link", Title: "Is this coach linked with this athlete?",
			Cite:  ap.Line(201, "USER#{athleteId}/COACH#{coachId}").And(ap.Line(200, "link validation"), ap.Line(21, "SK = COACH#{coachId}")).Implied("two listed patterns begin with this read"),
			Roles: []string{athlete, coach, system}, Read: oneLink(), Returns: []string{"coach-athlete-link"},
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
			Flow: []ap.Step{{Name: "write", Cite: ap.Line(21, "Coach-athlete link"), Write: []ap.Action{
				{Kind: ap.Put, Table: table, Entity: "coach-athlete-link", Item: "link", Condition: ap.IfAbsent("PK")},
			}}},
		},
		{
			ID: "unlink-coach", Title: "Remove the link between a coach and an athlete",
			Cite:  ap.Line(21, "Coach-athlete link", "SK = COACH#{coachId}").And(ap.Lines(200, 201, "link validation", "validate")).Implied("a validation that can only succeed would be none: links must be removable"),
			Roles: []string{athlete},
			Flow: []ap.Step{{Name: "write", Cite: ap.Line(21, "Coach-athlete link"), Write: []ap.Action{
				{Kind: ap.Delete, Table: table, Key: key("USER#{athleteId}", "COACH#{coachId}"), Condition: ap.IfPresent("PK")},
			}}},
		},
	}
}
