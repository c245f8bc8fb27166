package rollmodel

import ap "dynaproof/accesspatterns"

// Schema versions of entries.
func versionFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "legacy-entries-lack-version", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "Legacy entries have no schemaVersion, so a condition on it loses them",
			Cite:     ap.Lines(91, 93, "predate `schemaVersion`", "legacy v0", "schemaVersion: 1").And(ap.Line(33, "schemaVersion")),
			Literal:  "A query that asks for the current version drops the legacy entries, although readers see them as that version: what is backfilled in memory is not in the table.",
			Resolved: "The query has no condition on the version; the reader normalises what comes, and writes nothing.",
			Claims:   []string{"pattern/list-own-entries", "entity/entry-legacy"},
		},
		{
			ID: "future-version-is-returned", Kind: ap.Hazard, Severity: ap.High,
			Title:    "The table returns entries of a future version among the others",
			Cite:     ap.Line(95, "Unsupported future entry schema versions", "fail closed").And(ap.Line(199, "begins_with(SK, ENTRY#)")),
			Literal:  "The documented query answers with the future entry in the list; failing closed is left to each reader. Whether one entry fails the whole list is not said.",
			Resolved: "Every read that returns entries fails as a whole when one of them is of a later version, and the flow ends there, an update among them; a writer that must not rely on its read sends the version as a condition.",
			Claims:   []string{"attribute/entry/schemaVersion", "pattern/list-own-entries", "pattern/coach-lists-entries", "pattern/export-athlete", "pattern/update-entry", "pattern/update-entry-as-read"},
		},
		{
			ID: "version-zero-stored", Kind: ap.Gap, Severity: ap.Low,
			Title:    "Whether a stored schemaVersion of 0 is a legacy entry is not said",
			Cite:     ap.Lines(91, 91, "predate `schemaVersion`", "treated as legacy v0").And(ap.Line(90, "always persist the current version")),
			Literal:  "Legacy entries are those without the attribute, and they are called v0: an entry that says 0 is returned, and each reader decides.",
			Resolved: "No writer stores 0. A reader takes it for a legacy entry, and an update brings it to version 1 as it brings one without the attribute.",
			Claims:   []string{"pattern/get-entry", "pattern/update-entry-as-read"},
		},
		{
			ID: "invalid-mentions-undefined", Kind: ap.Gap, Severity: ap.Low,
			Title:    "When rawTechniqueMentions is invalid is not said",
			Cite:     ap.Line(94, "missing or invalid").And(ap.Line(36, "string[]")),
			Literal:  "The table keeps a legacy entry whose mentions are one String. Backfilling an empty list on the next update would throw them away.",
			Resolved: "Anything but a List of Strings is invalid, and a reader sees an empty list in its place.",
			Claims:   []string{"attribute/entry/rawTechniqueMentions", "attribute/entry/rawTechniqueMentions[]", "pattern/list-own-entries"},
		},
		{
			ID: "string-array-type", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "string[] may be a List or a String Set, and only one of them can be empty",
			Cite:     ap.Line(36, "string[]").And(ap.Line(94, "rawTechniqueMentions: []"), ap.Line(82, `"tags": [`)),
			Literal:  "As a String Set, the documented backfill cannot be stored: DynamoDB rejects an empty set.",
			Resolved: "Both arrays are Lists of Strings.",
			Claims:   []string{"attribute/entry/rawTechniqueMentions", "attribute/entry/sessionMetrics.tags"},
		},
	}
}
