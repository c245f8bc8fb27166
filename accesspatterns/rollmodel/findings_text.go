package rollmodel

import ap "dynaproof/accesspatterns"

// Contradictions and gaps of the text itself.
func textFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "entity-type-unlisted", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "Every example has an entityType, and no attribute list has",
			Cite:     ap.Lines(31, 59, "## Attributes", "### Entry").And(ap.Line(67, "entityType"), ap.Line(113, "entityType"), ap.Line(124, "entityType"), ap.Line(136, "entityType"), ap.Line(151, "entityType"), ap.Line(164, "entityType"), ap.Line(179, "entityType"), ap.Line(191, "entityType")),
			Literal:  "Whoever builds from the lists leaves it out; whoever builds from the examples writes it.",
			Resolved: "The examples win: it is required where an example shows it, with the value shown.",
			Claims:   []string{"attribute/entry/entityType", "attribute/entry-meta/entityType", "attribute/coach-athlete-link/entityType", "attribute/comment/entityType", "attribute/ai-thread/entityType", "attribute/ai-message/entityType", "attribute/keyword-shared/entityType", "attribute/keyword-private/entityType"},
			Static:   "Lists and examples disagree in the text; an engine takes the item with and without.",
		},
		{
			ID: "types-and-values-unstated", Kind: ap.Gap, Severity: ap.Low,
			Title:    "Types stand in examples only, and sets of values are known for the override alone",
			Cite:     ap.Lines(33, 54, "sessionMetrics.giOrNoGi", "visibility", "role", "visibilityScope").And(ap.Line(81, `"gi"`), ap.Line(142, `"visible"`), ap.Line(167, `"assistant"`), ap.Line(169, `"shared"`)),
			Literal:  "giOrNoGi, visibility, role and the scope of a message each show one value; what hides a comment, or the range of intensity, cannot be known.",
			Resolved: "Types are those of the examples; values are restricted only where the document lists them or the partition implies them.",
			Static:   "The lists of values are absent from the text.",
		},
		{
			ID: "examples-out-of-place", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "Seven of eight examples stand in the section on version policy",
			Cite:     ap.Line(61, "Example items").And(ap.Lines(88, 108, "## Entry Schema Versioning", "## Version Bump / Compatibility Policy", "### Entry meta"), ap.Line(186, "### Keyword index (private)")),
			Literal:  "Two sections are set between the first example and the others, so the headings put the rest under version policy.",
			Resolved: "All eight are examples of their entities.",
			Claims:   []string{"example/entry-abc-meta", "example/link-coach-999", "example/comment-456", "example/thread-555", "example/msg-777", "example/keyword-guard", "example/keyword-injury"},
			Static:   "It is the order of headings, which no request touches.",
		},
		{
			ID: "name-without-environment", Kind: ap.Hazard, Severity: ap.Low,
			Title:    "The table's name leaves room for one environment in an account and region",
			Cite:     ap.Line(4, "`RollModel`"),
			Literal:  "A second environment beside the first asks for a table that exists.",
			Resolved: "The name is deployed as documented; a prefix for short-lived runs is an option of the stack.",
			Claims:   []string{"table/RollModel/exists"},
			Static:   "Showing it would take creating a table under a documented name, which no pattern allows.",
		},
		{
			ID: "one-prefix-two-roles", Kind: ap.Hazard, Severity: ap.Low,
			Title:    "ENTRY# and AI_THREAD# begin sort keys in one partition and partition keys in another",
			Cite:     ap.Lines(22, 26, "SK = ENTRY#{ISODate}", "PK = ENTRY#{entryId}", "SK = AI_THREAD#{threadId}", "PK = AI_THREAD#{threadId}"),
			Literal:  "Asking for the entries in the partition of an entry, or for its comments in the athlete's, gives an empty answer and no error.",
			Resolved: "Every pattern names the partition and the sort key of one template.",
			Claims:   []string{"pattern/list-own-entries", "pattern/list-comments-of-entry"},
		},
	}
}
