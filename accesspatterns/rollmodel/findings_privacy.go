package rollmodel

import ap "dynaproof/accesspatterns"

// What coaches can see and do that they should not.
func privacyFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "coach-sees-private-text", Kind: ap.Hazard, Severity: ap.High,
			Title:    "The coach's query is the athlete's own, and its items hold the private section",
			Cite:     ap.Line(200, "same query").And(ap.Line(34, "sections.private"), ap.Line(74, "private")),
			Literal:  "The same query returns every entry with its private text to the coach.",
			Resolved: "The coach's query projects sections.private out, and no response on that path may contain the text.",
			Claims:   []string{"pattern/coach-lists-entries"},
		},
		{
			ID: "partition-mixes-visibility", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "Only private keywords have a private partition; private text, chats and links share the athlete's",
			Cite:     ap.Lines(21, 29, "USER_PRIVATE#{athleteId}", "USER#{athleteId}", "USER#{userId}").And(ap.Line(34, "sections.private")),
			Literal:  "A query by partition alone, which a policy on leading keys cannot tell from the documented one, returns links, entries with private text, chat threads, overrides and keywords together.",
			Resolved: "Every pattern bounds the sort key to one kind of item, and the coach's path projects; a policy on leading keys is not taken for a privacy boundary.",
			Claims:   []string{"pattern/coach-lists-entries"},
		},
		{
			ID: "coach-read-race", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "A link that is removed between validation and query does not stop the query",
			Cite:     ap.Line(200, "same query after link validation"),
			Literal:  "The link is found, another client removes it, and the query that follows still answers: a query cannot carry a condition on another item.",
			Resolved: "Every read begins with its own strongly consistent link check, which is not kept for later reads: the first read after the removal stops. A read that is already under way is accepted. That the check was made is up to the client: neither the guard nor a policy nor the table knows of it when the query comes.",
			Claims:   []string{"pattern/coach-lists-entries"},
		},
		{
			ID: "comment-link-race", Kind: ap.Hazard, Severity: ap.High,
			Title:    "A link that is removed between validation and write does not stop the comment",
			Cite:     ap.Line(201, "validate", "USER#{athleteId}/COACH#{coachId}"),
			Literal:  "Meta and link are found, the link is removed, and the comment is stored all the same.",
			Resolved: "The comment is put in one transaction with a condition check on the meta item and one on the link; the removal cancels it.",
			Claims:   []string{"pattern/post-comment"},
		},
		{
			ID: "comment-on-any-athlete", Kind: ap.Gap, Severity: ap.High,
			Title:    "Nothing says that the link must be to the athlete whose entry is commented on",
			Cite:     ap.Line(201, "ENTRY#{entryId}/META", "USER#{athleteId}/COACH#{coachId}").And(ap.Line(39, "athleteId")),
			Literal:  "With both items validated one by one, a coach who is linked with one athlete comments on the entry of another.",
			Resolved: "The condition check on the meta item can require its athleteId to be the one in the link's key.",
			Claims:   []string{"pattern/post-comment-to-athlete"},
		},
		{
			ID: "no-way-from-coach-to-athletes", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "A coach cannot find the athletes that he or she is linked with",
			Cite:     ap.Line(200, "linked athlete").And(ap.Line(21, "PK = USER#{athleteId}", "SK = COACH#{coachId}"), ap.Lines(3, 7, "Primary key")),
			Literal:  "The coach id stands only in the sort key and no index is documented: a query without the partition key is rejected, and only a scan would answer.",
			Resolved: "The coach names the athlete and the link is checked; no index is added, because an undocumented one fails.",
			Claims:   []string{"pattern/get-coach-link", "table/RollModel/indexes"},
		},
		{
			ID: "link-without-life-cycle", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "Who makes and removes a link, and what makes it valid, is not said",
			Cite:     ap.Lines(41, 42, "Coach-athlete link", "createdAt").And(ap.Lines(198, 204, "link validation", "validate")),
			Literal:  "The document validates links and never writes them; there is no status, no consent and no end.",
			Resolved: "A link is valid while it exists. Creating and removing it are implied patterns for the athlete; an athlete who links a coach twice may keep the date of the first time.",
			Claims:   []string{"pattern/link-coach", "pattern/link-coach-once", "pattern/unlink-coach"},
			Static:   "The access patterns do not contain a write of a link, and a request cannot show an absence of text.",
		},
		{
			ID: "privacy-model-elsewhere", Kind: ap.Gap, Severity: ap.High,
			Title:    "The privacy model is in a document that is not here",
			Cite:     ap.Line(207, "docs/privacy.md", "coach limitations", "AI visibility rules").And(ap.Line(45, "visibility"), ap.Line(51, "visibilityScope")),
			Literal:  "Who may see a comment by its visibility and a message by its visibilityScope cannot be known.",
			Resolved: "Nothing is asserted about it beyond the private section, the private keywords and the ownership of chats.",
			Open:     []string{"rule/comment/visibility", "rule/ai-message/visibilityScope"},
			Static:   "The rules are absent from the text; no request can show what they would be.",
		},
		{
			ID: "technique-mentions-without-scope", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "Mentions and tags do not say whether they come from private text",
			Cite:     ap.Lines(34, 36, "sections.private", "sessionMetrics.tags", "rawTechniqueMentions"),
			Literal:  "A mention that was taken from the private section would reach the coach beside the shared one.",
			Resolved: "Both are shown to coaches, as only sections.private is named private; writers must take mentions from shared text alone.",
			Static:   "Where the values come from is up to the writer; the stored item does not tell.",
		},
		{
			ID: "coach-reads-no-comments", Kind: ap.Gap, Severity: ap.Low,
			Title:    "A coach can write comments and has no pattern to read them or a single entry",
			Cite:     ap.Lines(200, 202, "Coach lists linked athlete entries", "Post comment", "comments by entry"),
			Literal:  "Comments are read only by the athlete's export.",
			Resolved: "The athlete's reading of comments is implied by the export. A coach who comments sees the entry, without its private section, and the comments on it, after the link check: these patterns are the project's.",
			Claims:   []string{"pattern/list-comments-of-entry", "pattern/coach-lists-comments", "pattern/coach-gets-entry"},
			Static:   "The list of access patterns is silent, and a request cannot show an absence of text.",
		},
	}
}
