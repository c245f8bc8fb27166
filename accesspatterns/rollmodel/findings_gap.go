package rollmodel

import ap "dynaproof/accesspatterns"

// The gap priority override, which the document lists and then leaves alone.
func gapFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "override-without-pattern", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "No access pattern reads or writes the gap priority override",
			Cite:     ap.Line(29, "Gap priority override", "GAP_PRIORITY#{gapId}").And(ap.Lines(198, 204, "Access patterns", "Keyword retrieval")),
			Literal:  "Of the listed reads in the athlete's partition none returns an override.",
			Resolved: "Implied patterns follow the key template: list, get, and set or change by athlete or linked coach.",
			Claims:   []string{"pattern/list-gap-priorities", "pattern/coach-lists-gap-priorities", "pattern/get-gap-priority", "pattern/athlete-sets-gap-priority", "pattern/athlete-changes-gap-priority", "pattern/coach-sets-gap-priority", "pattern/coach-changes-gap-priority"},
			Static:   "The list of access patterns does not name the entity, and a request cannot show an absence of text.",
		},
		{
			ID: "override-without-example", Kind: ap.Gap, Severity: ap.Low,
			Title:    "The gap priority override has no example, so types, notations and entityType are unknown",
			Cite:     ap.Lines(57, 59, "gapId", "manualPriority?", "updatedBy").And(ap.Lines(61, 196, "Example items", "KEYWORD_INDEX")),
			Literal:  "Every other entity shows entityType; this one shows nothing. What a gap is, and whether manualPriority is a number and which end of it is urgent, is not said, nor the notation of its times.",
			Resolved: "Types stay open but for gapId, which is text in the key, and the two listed sets of values; entityType may be there or not. The fixtures are the project's own.",
			Claims:   []string{"attribute/gap-priority-override/manualPriority", "attribute/gap-priority-override/entityType"},
			Open:     []string{"rule/gap-priority-override/entityType", "rule/gap-priority-override/times"},
			Static:   "The example is absent from the text; an engine takes any type for an attribute that is no key.",
		},
		{
			ID: "reserved-words", Kind: ap.Hazard, Severity: ap.Low,
			Title:    "Documented attribute names are reserved words",
			Cite:     ap.Line(57, "status").And(ap.Line(34, "sections.private", "sections.shared"), ap.Line(51, "role")),
			Literal:  "An expression that names status, or sections.shared, as it is gets rejected.",
			Resolved: "Every name in an expression is given by ExpressionAttributeNames.",
		},
	}
}
