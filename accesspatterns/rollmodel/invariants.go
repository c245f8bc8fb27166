package rollmodel

import ap "dynaproof/accesspatterns"

// What the flows must keep under retry, race and failure.
func invariants() []ap.Invariant {
	return []ap.Invariant{
		{
			ID: "entry-created-once", Flow: "create-entry-once", Layer: ap.LayerEngine,
			Rule: "an entry, its meta and its keyword items come into being together, and an entry id belongs to one athlete",
			Cite: ap.Line(90, "createEntry").And(ap.Lines(22, 28, "SK = META", "KW#{token}")).Chosen("finding entry-id-of-two-athletes"),
		},
		{
			ID: "no-lost-entry-update", Flow: "update-entry-as-read", Layer: ap.LayerEngine,
			Rule: "of several updates that rest on one state of an entry one is written, with its keyword items and without those of the old text",
			Cite: ap.Line(90, "updateEntry").And(ap.Line(33, "updatedAt"), ap.Lines(27, 28, "KW#{token}")).Chosen("finding concurrent-updates"),
		},
		{
			ID: "no-comment-after-unlinking", Flow: "post-comment", Layer: ap.LayerEngine,
			Rule: "a comment never lands after the link is gone, although the coach read the link before",
			Cite: ap.Line(201, "validate", "ENTRY#{entryId}/META", "USER#{athleteId}/COACH#{coachId}").Implied("what is validated must still be there when the comment is written (ruling roll-model 3)"),
		},
		{
			ID: "no-override-after-unlinking", Flow: "coach-sets-gap-priority", Layer: ap.LayerEngine,
			Rule: "a coach's override never lands after the link is gone, although the coach read the link before",
			Cite: ap.Line(58, "athlete|coach").And(ap.Line(200, "link validation")).Implied("coaches write overrides, and their access is bound to the link everywhere else"),
		},
		{
			ID: "link-made-once", Flow: "link-coach-once", Layer: ap.LayerEngine,
			Rule: "a link that stands is not made anew, so its date is that of the first",
			Cite: ap.Line(42, "createdAt").And(ap.Line(21, "SK = COACH#{coachId}")).Chosen("finding link-without-life-cycle"),
		},
		{
			ID: "message-moves-its-thread", Flow: "store-ai-message-once", Layer: ap.LayerEngine,
			Rule: "a message is stored once, together with the time at which its thread was last active",
			Cite: ap.Line(203, "store threads/messages").And(ap.Line(48, "lastActiveAt")).Chosen("finding threads-not-by-activity"),
		},
	}
}
