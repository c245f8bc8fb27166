package osemladders

import ap "dynaproof/accesspatterns"

func assessment() ap.Entity {
	return ap.Entity{
		ID: "assessment", Title: "Assessment", Table: "Assessments",
		Cite: ap.Line(214, "individual assessment instances"),
		Keys: []ap.KeyAttribute{
			{Attribute: "assessmentId", Template: "{assessmentId}", Cite: ap.Line(223, "assessmentId", "String", "Yes", "UUID")},
			{Attribute: "planId", Template: "{planId}", Cite: ap.Line(224, "planId", "String", "Yes", "GSI key")},
			{Attribute: "teamMemberId", Template: "{teamMemberId}", Cite: ap.Line(226, "teamMemberId", "String", "Yes", "GSI key")},
		},
		Attributes: []ap.Attribute{
			id("teamId", 225, "teamId"),
			{Name: "assessmentType", Type: ap.String, Allowed: []string{"self", "manager"},
				Cite: ap.Line(227, "assessmentType", "String", "Yes", "'self'", "'manager'")},
			id("assessorId", 228, "assessorId", "User ID"),
			{Name: "selections", Type: ap.Map, Cite: ap.Line(229, "selections", "Map", "Yes").And(ap.Line(241, "selections", "DynamoDB Map"))},
			{Name: "selections.*", Type: ap.Map, Cite: ap.Line(229, "category: {", "competency: level").And(ap.Line(243, "Technical Execution", "{"))},
			{Name: "selections.*.*", Type: ap.Number, Cite: ap.Line(229, "level", "Numbers").And(ap.Lines(244, 245, `"Coding": 3`, `"System Design": 4`))},
			{Name: "feedback", Type: ap.Map, Cite: ap.Line(230, "feedback", "Map", "Yes").And(ap.Line(252, "feedback", "DynamoDB Map of Maps"))},
			{Name: "feedback.*", Type: ap.Map, Cite: ap.Line(254, "Technical Execution", "{").And(ap.Line(252, "Map of Maps")).Implied(nested)},
			{Name: "feedback.*.*", Type: ap.Map, Cite: ap.Line(255, "Coding", "{").And(ap.Line(252, "Map of Maps")).Implied(nested)},
			{Name: "feedback.*.*.*", Type: ap.Map, Cite: ap.Line(256, `"3": {`).And(ap.Line(252, "Map of Maps")).Implied(nested)},
			{Name: "feedback.*.*.*.evidence", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(257, "evidence").And(ap.Line(263, "evidence")).Implied(nested)},
			{Name: "feedback.*.*.*.nextLevelFeedback", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(258, "nextLevelFeedback").And(ap.Line(264, "nextLevelFeedback")).Implied(nested)},
			{Name: "currentLevel", Type: ap.Number, Cite: ap.Line(231, "currentLevel", "Number", "Yes")},
			{Name: "wayForward", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(232, "wayForward", "String", "No")},
			{Name: "status", Type: ap.String, Allowed: []string{"not_started", "in_progress", "submitted"},
				Cite: ap.Line(233, "status", "String", "Yes", "'not_started'", "'in_progress'", "'submitted'")},
			{Name: "submittedAt", Type: ap.Number, Presence: ap.Optional, Format: ap.EpochMilliseconds,
				Cite: ap.Line(234, "submittedAt", "Number", "No", "Unix timestamp (milliseconds)")},
			timestamp("createdAt", 235, "createdAt"),
			timestamp("updatedAt", 236, "updatedAt"),
		},
		Rules: []ap.Rule{
			uuidKeys("ids-are-uuids",
				ap.Line(223, "assessmentId", "UUID").And(ap.Line(224, "planId"), ap.Line(226, "teamMemberId", "User ID")),
				"assessmentId", "planId", "teamMemberId"),
			{
				ID:        "submitted-at-only-when-submitted",
				Statement: "submittedAt stands only on an assessment whose status is submitted",
				Attribute: "submittedAt",
				Check:     onlyWhen("submittedAt", "status", "submitted"),
				Cite:      ap.Line(234, "submittedAt", "only if submitted").And(ap.Line(233, "'submitted'")),
			},
		},
	}
}

// nested is why a member of a structure has its type and place: the attribute's row
// refers to the structure ("see below").
const nested = "the attribute's row refers to this structure, and the example gives its depth and types"

func report() ap.Entity {
	return ap.Entity{
		ID: "report", Title: "AssessmentReport", Table: "AssessmentReports",
		Cite: ap.Line(332, "final reports", "self and manager assessments"),
		Keys: []ap.KeyAttribute{
			{Attribute: "reportId", Template: "{reportId}", Cite: ap.Line(341, "reportId", "String", "Yes", "UUID")},
			{Attribute: "planId", Template: "{planId}", Cite: ap.Line(342, "planId", "String", "Yes", "GSI key")},
			{Attribute: "teamMemberId", Template: "{teamMemberId}", Cite: ap.Line(343, "teamMemberId", "String", "Yes", "GSI key")},
		},
		Attributes: []ap.Attribute{
			id("selfAssessmentId", 344, "selfAssessmentId"),
			id("managerAssessmentId", 345, "managerAssessmentId"),
			{Name: "finalLevel", Type: ap.Number, Cite: ap.Line(346, "finalLevel", "Number", "Yes")},
			{Name: "selfAssessedLevel", Type: ap.Number, Cite: ap.Line(347, "selfAssessedLevel", "Number", "Yes")},
			{Name: "variance", Type: ap.Map, Cite: ap.Line(348, "variance", "Map", "Yes").And(ap.Line(355, "variance", "DynamoDB Map"))},
			{Name: "variance.*", Type: ap.Map, Cite: ap.Line(357, "Technical Execution", "{").Implied(nested)},
			{Name: "variance.*.*", Type: ap.Map, Cite: ap.Line(358, "Coding", "{").Implied(nested)},
			{Name: "variance.*.*.selfScore", Type: ap.Number, Cite: ap.Line(359, "selfScore", "3").And(ap.Line(364, "selfScore", "4")).Implied(nested)},
			{Name: "variance.*.*.managerScore", Type: ap.Number, Cite: ap.Line(360, "managerScore", "4").And(ap.Line(365, "managerScore", "4")).Implied(nested)},
			{Name: "variance.*.*.difference", Type: ap.Number, Cite: ap.Line(361, "difference", "1", "Can be negative").And(ap.Line(366, "difference", "0")).Implied(nested)},
			timestamp("generatedAt", 349, "generatedAt"),
			{Name: "exportedAt", Type: ap.Number, Presence: ap.Optional, Format: ap.EpochMilliseconds,
				Cite: ap.Line(350, "exportedAt", "Number", "No", "Unix timestamp").And(ap.Line(530, "All timestamps", "Unix milliseconds"))},
		},
		Rules: []ap.Rule{
			uuidKeys("ids-are-uuids",
				ap.Line(341, "reportId", "UUID").And(ap.Line(342, "planId"), ap.Line(343, "teamMemberId", "User")),
				"reportId", "planId", "teamMemberId"),
			{
				// The sign is the example's: 3 by self and 4 by manager give 1.
				ID:        "difference-is-manager-minus-self",
				Statement: "every difference is managerScore minus selfScore",
				Attribute: "variance",
				Check:     varianceAddsUp,
				Cite:      ap.Lines(359, 361, `"selfScore": 3`, `"managerScore": 4`, `"difference": 1`).And(ap.Lines(364, 366, `"selfScore": 4`, `"managerScore": 4`, `"difference": 0`)).Implied("no other difference of the two scores gives both examples, and it can be negative"),
			},
		},
	}
}
