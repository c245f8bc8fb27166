package rollmodel

import ap "dynaproof/accesspatterns"

// Entries, their meta items and their comments.
func entryFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "entry-needs-its-date", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "An entry cannot be read by its id alone",
			Cite:     ap.Line(22, "ENTRY#{ISODate}#{entryId}").And(ap.Lines(38, 39, "Entry meta", "createdAt"), ap.Line(201, "ENTRY#{entryId}/META")),
			Literal:  "The date stands before the id, so a prefix with the id matches nothing; the meta item has the date and the owner but is documented only for validating comments.",
			Resolved: "An implied pattern reads the meta item first and takes the date from it.",
			Claims:   []string{"pattern/get-own-entry-by-id"},
		},
		{
			ID: "entry-id-of-two-athletes", Kind: ap.Hazard, Severity: ap.High,
			Title:    "Two athletes with the same entry id share one meta item and one partition of comments",
			Cite:     ap.Lines(22, 24, "PK = USER#{athleteId}", "PK = ENTRY#{entryId}"),
			Literal:  "Putting the second athlete's meta item overwrites the first's: the entry changes hands, and comments with it.",
			Resolved: "A new entry's meta item may be put on condition that none is there, in the transaction that creates the entry.",
			Claims:   []string{"pattern/create-entry-once"},
		},
		{
			ID: "meta-outlives-entry", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "The meta item validates comments on an entry that is gone",
			Cite:     ap.Line(201, "ENTRY#{entryId}/META").And(ap.Lines(22, 23, "SK = ENTRY#{ISODate}#{entryId}", "SK = META")),
			Literal:  "Entry and meta are two items in two partitions: with the entry removed, the validation still succeeds.",
			Resolved: "Both are written, and removed, in one transaction.",
			Claims:   []string{"pattern/create-entry", "pattern/delete-entry"},
		},
		{
			ID: "iso-date-undefined", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "ISODate is a date by name and a timestamp by example, and which time it is stays open",
			Cite:     ap.Line(22, "ENTRY#{ISODate}#{entryId}").And(ap.Line(24, "COMMENT#{ISODate}"), ap.Line(26, "MSG#{ISODate}"), ap.Line(27, "TS#{createdAt}"), ap.Line(66, "ENTRY#2026-02-19T12:00:00.000Z#")),
			Literal:  "Two readers build 2026-02-19 and 2026-02-19T12:00:00.000Z. That it is the time of creation, never of training, is only seen in the examples; the keyword templates name createdAt.",
			Resolved: "ISODate is the item's createdAt, character by character, and never changes.",
			Claims:   []string{"entity/entry", "entity/comment", "entity/ai-message"},
			Static:   "Two notations and two names in the text; an engine takes any text as a key.",
		},
		{
			ID: "timestamp-notation", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "Timestamps of different notation do not sort by time",
			Cite:     ap.Line(22, "{ISODate}").And(ap.Line(66, "12:00:00.000Z")),
			Literal:  "ISO 8601 allows a timestamp without fraction: 12:00:00Z sorts behind 12:00:00.500Z, although it is earlier. Offsets in place of Z are worse.",
			Resolved: "Writers use UTC with three digits of a second, as all examples do; then text order is time order.",
		},
		{
			ID: "ids-sort-as-text", Kind: ap.Hazard, Severity: ap.Low,
			Title:    "Items of the same millisecond sort by id as text",
			Cite:     ap.Line(24, "COMMENT#{ISODate}#{commentId}").And(ap.Line(22, "ENTRY#{ISODate}#{entryId}"), ap.Line(26, "MSG#{ISODate}#{messageId}")),
			Literal:  "Of two comments of one millisecond, comment-10 comes before comment-2.",
			Resolved: "No order is asserted between items of the same time.",
			Claims:   []string{"pattern/list-comments-of-entry"},
		},
		{
			ID: "concurrent-updates", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "Two updates of one entry: the last wins unseen",
			Cite:     ap.Line(90, "updateEntry").And(ap.Line(33, "schemaVersion", "updatedAt")),
			Literal:  "The document has no condition for updates, and schemaVersion is the version of the form, not of the content: both writes succeed. An UpdateItem on an entry that is gone makes a new, partial one.",
			Resolved: "Updates of some attributes or of the whole entry, without a condition, are as documented as any. A writer that must not lose an update requires updatedAt to be what was read.",
			Claims:   []string{"pattern/update-entry", "pattern/replace-entry", "pattern/update-entry-as-read"},
		},
		{
			ID: "unbounded-lists", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "No list has a limit, a page size or a range of dates",
			Cite:     ap.Lines(199, 204, "Athlete lists own entries", "Export", "Keyword retrieval"),
			Literal:  "Each read returns a user's whole history; entries carry their full text, and DynamoDB cuts every page at 1 MB.",
			Resolved: "Every list is read page by page to its end.",
			Claims:   []string{"pattern/list-own-entries"},
			Static:   "The text gives no bound that a request could exceed.",
		},
		{
			ID: "nothing-is-deleted", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "Nothing says how an entry, a comment, a chat or an athlete is removed, nor how a comment or a thread is changed",
			Cite:     ap.Lines(198, 204, "Access patterns", "Post comment", "Export").And(ap.Line(90, "createEntry", "updateEntry"), ap.Line(45, "visibility"), ap.Line(48, "title")),
			Literal:  "An entry's meta, comments and keyword items stand in other partitions or under other keys and stay behind. There is an export and no erasure, and no TTL. Whose comment a coach may hide or take away is not said, and the key does not hold it.",
			Resolved: "A journal with private text must be erasable, and what has a title or a visibility is edited: the project's own patterns remove an entry with all that stands beside it, a thread with its messages, a comment, an override; and edit a comment and a thread.",
			Claims:   []string{"pattern/delete-entry", "pattern/delete-ai-thread", "pattern/delete-comment", "pattern/edit-comment", "pattern/edit-ai-thread", "pattern/athlete-removes-gap-priority", "pattern/unlink-coach", "table/RollModel/ttl"},
			Static:   "The text is silent, and a request cannot show an absence of text.",
		},
		{
			ID: "export-undefined", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "The export covers entries and comments only",
			Cite:     ap.Line(202, "query entries by athlete", "comments by entry").And(ap.Lines(10, 18, "AI thread", "Gap priority override", "Coach-athlete link")),
			Literal:  "Chats, overrides, links and keyword items are left out of what an athlete gets. The comments take one query for each entry: an athlete with 1,000 entries costs 1,001 reads and more.",
			Resolved: "The pattern reads what is documented.",
			Claims:   []string{"pattern/export-athlete"},
			Static:   "What an export should hold beyond the two queries is absent from the text.",
		},
		{
			ID: "export-version-shares-its-name", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "The export's envelope has a schemaVersion of its own, which has no value and the name of the entry's",
			Cite:     ap.Line(106, "Export payload `schemaVersion` is separate", "not individual `Entry` records").And(ap.Line(89, "per-entry canonical schema version")),
			Literal:  "Who takes the outer number for that of the entries inside reads legacy entries as current ones, or refuses an export because its format moved on.",
			Resolved: "The entries of an export are those that every reader sees, each of version 1; one of a later version fails the export. The envelope is no item of the table, and its version is not asserted.",
			Claims:   []string{"pattern/export-athlete", "attribute/entry/schemaVersion"},
			Static:   "The envelope is never stored or requested; only its name stands in the text.",
		},
	}
}
