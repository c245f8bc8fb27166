package personalos

import ap "dynaproof/accesspatterns"

// wordingFindings are places at which a reader has to guess.
func wordingFindings() []ap.Finding {
	owned := []string{"user-profile", "task", "goal", "metric", "habit", "project", "logbook-entry", "reward"}
	var forms []string
	for _, entity := range owned {
		forms = append(forms, "pattern/put-"+entity, "pattern/change-"+entity, "pattern/remove-"+entity)
	}
	return []ap.Finding{
		{
			ID: "writes-undocumented", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "every access pattern is a read: how items are stored, changed and deleted is not said",
			Cite:     ap.Lines(43, 66, "Get user profile", "Query by area").And(ap.Lines(82, 83, "createdAt", "updatedAt")),
			Literal:  "Conditions, transactions and the order of writes are left to each implementation, and so is what a deletion takes along.",
			Resolved: "The contract holds plain forms of what a user owns: put whole, changed by any of its attributes, removed. Flows with conditions, which keep links and lists in step and two writers from undoing each other, stand beside them as the project's choice.",
			Claims:   forms,
			Open:     []string{"guardrail/deletion-takes-links-along"},
			Static:   "the text is absent",
		},
		{
			ID: "preferences-members", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "the preferences in the table and in the example are not the same",
			Cite:     ap.Line(102, "theme, notifications").And(ap.Lines(113, 116, "theme", "defaultArea")),
			Literal:  "Notifications are named and not shown; a default area is shown and not named.",
			Resolved: "All three are optional; notifications are a Map, as there may be several.",
			Claims:   []string{"attribute/user-profile/preferences.notifications", "attribute/user-profile/preferences.defaultArea"},
			Static:   "both places stand in the document",
		},
		{
			ID: "completed-date-two-notations", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "completedDate is a timestamp in a task and undefined elsewhere",
			Cite:     ap.Line(142, "`completedDate`", "ISO timestamp").And(ap.Line(230, "`completedDate`", "Actual completion date"), ap.Line(454, "`completedDate`", "Actual completion date")),
			Literal:  "The name says date, the task says timestamp, goals and projects say neither; the same holds for targetDate, startDate, endDate and achievedAt.",
			Resolved: "A task's is a timestamp; where the document gives no notation, none is asserted.",
			Claims:   []string{"attribute/task/completedDate"},
			Static:   "both places stand in the document",
		},
		{
			ID: "embedded-types-undefined", Kind: ap.Gap, Severity: ap.Low,
			Title:    "the types of some embedded members are not given",
			Cite:     ap.Line(144, "{frequency, interval, endDate}").And(ap.Line(261, "manualOverride", "None"), ap.Line(245, "completedAt", "None"), ap.Line(390, "AI result payload")),
			Literal:  "The recurrence rule is a list of three names, the override and the completion are only shown as None, and the payload of an insight is any map.",
			Resolved: "Frequency and end are Strings, interval and override Numbers, the completion a String without a notation; the payload is not looked into.",
			Static:   "the text is absent",
		},
		{
			ID: "open-value-lists", Kind: ap.Gap, Severity: ap.Low,
			Title:    "three lists of values end in etc.",
			Cite:     ap.Line(302, "etc.").And(ap.Line(322, "etc."), ap.Line(502, "etc.")),
			Literal:  "Activity types, units and reward categories are open, so no value of theirs is wrong.",
			Resolved: "Any text is allowed.",
			Static:   "the text leaves the lists open",
		},
		{
			ID: "progress-weights-unbound", Kind: ap.Gap, Severity: ap.Low,
			Title:    "whether the four weights of progress add up to 100 is not said",
			Cite:     ap.Lines(257, 261, "criteriaWeight", "40", "30", "20", "10", "manualOverride"),
			Literal:  "In the example they do; nothing requires it, or says what an override replaces.",
			Resolved: "No sum is asserted.",
			Static:   "the text is absent",
		},
		{
			ID: "user-id-form", Kind: ap.Gap, Severity: ap.Low,
			Title:    "a user id is said to be a Cognito sub, and the examples have none",
			Cite:     ap.Line(81, "Cognito sub").And(ap.Line(108, "USER#abc-123")),
			Literal:  "A Cognito sub is a UUID; abc-123 is not.",
			Resolved: "Any text is allowed as a user id.",
			Static:   "both places stand in the document",
		},
	}
}
