package rollmodel

import ap "dynaproof/accesspatterns"

func guardrails() []ap.Guardrail {
	everyRead := ap.Lines(199, 206, "query `PK = USER#{athleteId}`", "same query", "query entries by athlete", "query `USER#{athleteId}`")
	return []ap.Guardrail{
		{
			ID: "no-scans", Rule: "No pattern scans the table",
			Cite:  everyRead.Implied("every listed pattern is a query or a read by key"),
			Proof: ap.ByLedgerNoScan, Layer: ap.LayerGuard,
		},
		{
			ID: "one-partition", Rule: "Every query binds the partition key to one value",
			Cite:  everyRead.Implied("every listed query names its partition"),
			Proof: ap.ByLedgerOnePartition, Layer: ap.LayerGuard,
		},
		{
			ID: "key-conditions", Rule: "Nothing is selected by a filter in place of a key condition",
			Cite:  everyRead.Implied("no listed pattern has a filter"),
			Proof: ap.ByLedgerKeyCondition, Layer: ap.LayerGuard,
		},
		{
			ID: "only-documented-requests", Rule: "A client sends what the document describes for its role, and nothing else",
			Cite:  ap.Line(198, "Access patterns").Implied("the keys are made for the listed access patterns, and for no others"),
			Proof: ap.ByTrials, Layer: ap.LayerGuard,
		},
		{
			ID: "coach-reads-need-link", Rule: "A coach's read of an athlete's data begins with the link and ends where there is none",
			Cite:  ap.Line(200, "after link validation"),
			Proof: ap.ByClaims, Claims: []string{"pattern/coach-lists-entries", "pattern/get-coach-link", "pattern/coach-gets-entry", "pattern/coach-lists-comments", "pattern/coach-finds-shared-keyword", "pattern/coach-lists-gap-priorities"}, Layer: ap.LayerContract,
		},
		{
			ID: "private-text-stays-private", Rule: "The coach's path never returns the private section of an entry",
			Cite:  ap.Line(34, "sections.private", "sections.shared").And(ap.Line(207, "coach limitations")).Implied("the two sections are told apart by name, and coaches are said to have limitations"),
			Proof: ap.ByClaims, Claims: []string{"pattern/coach-lists-entries", "pattern/coach-gets-entry", "attribute/entry/sections.private"}, Layer: ap.LayerGuard,
		},
		{
			ID: "comment-needs-entry-and-link", Rule: "A comment is written only on an existing entry of an athlete with whom the coach is linked",
			Cite:  ap.Line(201, "validate", "ENTRY#{entryId}/META", "USER#{athleteId}/COACH#{coachId}").Implied("what is validated must still be there when the comment is written (ruling roll-model 3)"),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "coach-override-needs-link", Rule: "A coach sets a gap priority override only while a link stands",
			Cite:  ap.Line(58, "athlete|coach").And(ap.Line(200, "link validation")).Implied("coaches write overrides, and their access is bound to the link everywhere else"),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "private-keywords-apart", Rule: "Tokens of private text are found in the private partition and nowhere else",
			Cite:  ap.Lines(27, 28, "PK = USER#{athleteId}", "PK = USER_PRIVATE#{athleteId}").And(ap.Line(204, "(shared)", "(private)")),
			Proof: ap.ByTrials, Layer: ap.LayerContract,
		},
		{
			ID: "writers-store-current-version", Rule: "Writers store schema version 1 and no other",
			Cite:  ap.Lines(89, 90, "current: `1`", "createEntry", "updateEntry", "always persist the current version"),
			Proof: ap.ByClaims, Claims: []string{"attribute/entry/schemaVersion", "pattern/create-entry", "pattern/update-entry", "pattern/replace-entry"},
			Layer: ap.LayerGuard,
		},
		{
			// The read side fails in the reader, after the engine has answered.
			ID: "future-version-is-not-overwritten", Rule: "An entry of a future version is not overwritten by an update of this version",
			Cite:  ap.Line(95, "Unsupported future entry schema versions", "fail closed").Implied("failing closed covers writes: an update rests on a read that must not succeed"),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "added-attributes-stay-readable", Rule: "An entry of this version with an attribute that came later is read like any other",
			Cite:  ap.Lines(98, 99, "Additive, backward-compatible entry changes", "keep the same `schemaVersion`").Implied("the version stays the same, so a reader of this version meets such entries and must not refuse them"),
			Proof: ap.ByClaims, Claims: []string{"pattern/list-own-entries", "pattern/get-entry"}, Layer: ap.LayerContract,
		},
		{
			ID: "legacy-entries-stay-readable", Rule: "Legacy entries are returned with the current ones, and stay as they are until updated",
			Cite:  ap.Lines(91, 92, "normalize legacy entries", "in-memory"),
			Proof: ap.ByClaims, Claims: []string{"pattern/list-own-entries", "pattern/get-entry", "entity/entry-legacy"}, Layer: ap.LayerGuard,
		},
		{
			ID: "entry-is-created-whole", Rule: "An entry, its meta and its keyword items come into being together or not at all",
			Cite:  ap.Line(90, "createEntry").And(ap.Lines(22, 28, "SK = META", "KW#{token}")).Implied("meta and keyword items are copies of one entry; a half-written one is validated or found although it is not there"),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "chat-belongs-to-its-user", Rule: "Messages are read and stored only after the thread was found under the user",
			Cite:  ap.Line(203, "USER#{userId}", "AI_THREAD#{threadId}").Implied("a thread belongs to a user, and its messages do not say to which"),
			Proof: ap.ByClaims, Claims: []string{"pattern/list-ai-messages", "pattern/store-ai-message", "pattern/store-ai-message-once"}, Layer: ap.LayerContract,
		},
	}
}
