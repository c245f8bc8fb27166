package commitcollect

import ap "dynaproof/accesspatterns"

// Writes, retries and deletions.
func writeFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "idempotency-without-ttl", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "Idempotency records never expire",
			Cite:     ap.Lines(147, 159, "IdempotencyKey (PK)", "Safe replay capability").And(ap.Line(133, "TTL: 90 days")),
			Literal:  "The table has no TTL, unlike sessions and audit, and grows by one item for every event for ever.",
			Resolved: "None is deployed, because none is documented.",
			Static:   "growth without an end cannot be shown by a request",
			Claims:   []string{"table/CommitCollectIdempotency/ttl"},
		},
		{
			ID: "idempotency-key-undefined", Kind: ap.Gap, Severity: ap.High,
			Title:    "What an idempotency key is made of is not documented",
			Cite:     ap.Line(149, "IdempotencyKey (PK)").And(ap.Lines(153, 158, "Webhook ingestion deduplication", "No duplicate ingestion")),
			Literal:  "With the activity's id as the key, the later update of an activity is dropped as a duplicate of its creation.",
			Resolved: "The key is opaque to the contract; it must tell events apart, not activities.",
			Claims:   []string{"entity/idempotency-record", "pattern/ingest-workout"},
		},
		{
			ID: "owner-orphaned-by-deletion", Kind: ap.Hazard, Severity: ap.High,
			Title:    "Only the connection leads from a user to the owner item of its athlete",
			Cite:     ap.Lines(67, 68, "STRAVA#ATHLETE#{athleteId}", "OWNER").And(ap.Line(47, "STRAVA#CONNECTION"), ap.Line(186, "Deletion flows safe to re-run")),
			Literal:  "A deletion that removes the connection and stops leaves an owner item that names a deleted user, and nothing that a second run could find it by.",
			Resolved: "Connection and owner are deleted last, in one transaction.",
			Claims:   []string{"pattern/delete-account"},
		},
		{
			ID: "relink-orphans-owner", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "A user has one connection; linking another athlete overwrites it",
			Cite:     ap.Line(47, "SK = STRAVA#CONNECTION").And(ap.Lines(67, 68, "OWNER"), ap.Line(86, "OAuth linking")),
			Literal:  "After the connection was replaced, the owner item of the former athlete still names the user.",
			Resolved: "Linking requires that the user has no connection.",
			Claims:   []string{"pattern/link-strava"},
		},
		{
			ID: "unlink-missing", Kind: ap.Gap, Severity: ap.Low,
			Title:    "How a Strava link ends is not documented",
			Cite:     ap.Line(86, "OAuth linking").And(ap.Line(47, "STRAVA#CONNECTION"), ap.Lines(109, 112, "Logout", "Account deletion")),
			Literal:  "Linking is named, unlinking and a revoked authorisation are not; only the deletion of the account ends a link.",
			Resolved: "No flow is invented; the last step of account deletion shows how connection and owner would go together.",
			Static:   "the text is absent",
			Claims:   []string{"pattern/delete-account"},
		},
		{
			ID: "ingestion-during-deletion", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "As long as the link stands, a webhook can write into a partition that is being deleted",
			Cite:     ap.Line(112, "Account deletion").And(ap.Line(186, "Deletion flows safe to re-run"), ap.Line(86, "ingestion"), ap.Lines(67, 68, "OWNER")),
			Literal:  "A workout that arrives after the workouts were deleted, and before the link is, stays under a deleted user.",
			Resolved: "The link goes last so that a run can be repeated; a run after the link is gone meets no new workouts and removes what came late.",
			Claims:   []string{"guardrail/deletion-safe-to-re-run"},
		},
		{
			ID: "batch-writes-have-no-conditions", Kind: ap.Hazard, Severity: ap.High,
			Title:    "BatchWriteItem is allowed, and carries no conditions",
			Cite:     ap.Line(171, "BatchWriteItem (25-item chunks)").And(ap.Line(183, "Optimistic concurrency"), ap.Line(158, "No duplicate ingestion")),
			Literal:  "A batch puts an older version of a milestone over the newer one without an error.",
			Resolved: "Milestones, awards, owners and idempotency records are written under conditions; batches are for deletions, and what they leave unprocessed is retried.",
			Claims:   []string{"guardrail/optimistic-concurrency"},
		},
		{
			ID: "partial-transaction-failure", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "A transaction that fails in part is listed as a failure mode, and DynamoDB has none",
			Cite:     ap.Line(206, "Partial transaction failure").And(ap.Line(170, "TransactWriteItems")),
			Literal:  "When one of two actions fails, the other is not written either.",
			Resolved: "Transactions are whole; what can stop half-way is a sequence of them, such as account deletion.",
			Claims:   []string{"guardrail/transactions-are-whole", "guardrail/deletion-safe-to-re-run"},
		},
		{
			ID: "version-only-on-milestones", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "State transitions are monotonic, and only milestones have something to compare",
			Cite:     ap.Line(220, "Monotonic state transitions").And(ap.Line(183, "version attribute (milestones)"), ap.Line(48, "WORKOUT#STRAVA#{activityId}")),
			Literal:  "No state is named, and a workout has no version: events that arrive in the wrong order leave the older data.",
			Resolved: "The version of a milestone only moves on from the one that was read; nothing is asserted of other states.",
			Static:   "the text is absent; a workout has no documented attribute that could go back",
			Claims:   []string{"guardrail/optimistic-concurrency"},
		},
		{
			ID: "version-start-and-step", Kind: ap.Gap, Severity: ap.Low,
			Title:    "The first version and its step are not documented, nor is its type",
			Cite:     ap.Line(183, "version attribute (milestones)"),
			Literal:  "A milestone without a version refuses every update that compares one.",
			Resolved: "A Number that every milestone carries from the start; an update names the version that was read and adds one.",
			Claims:   []string{"attribute/milestone/version", "pattern/update-milestone"},
		},
	}
}
