package commitcollect

import ap "dynaproof/accesspatterns"

// What the flows must keep under retry, race and failure.
func invariants() []ap.Invariant {
	return []ap.Invariant{
		{
			ID: "one-owner-per-link", Flow: "link-strava", Layer: ap.LayerEngine,
			Rule: "of several users who link one athlete at once, one gets the connection and the owner item, and the others nothing",
			Cite: ap.Line(86, "OAuth linking").And(ap.Lines(67, 72, "OWNER", "user resolution"), ap.Line(212, "Transactional writes")).Implied("the athlete is resolved to the user, so there is one, by the connection and by the owner item"),
		},
		{
			ID: "one-workout-per-event", Flow: "ingest-workout", Layer: ap.LayerEngine,
			Rule: "an event that is delivered many times at once, or again after a failure, is ingested once",
			Cite: ap.Line(158, "No duplicate ingestion").And(ap.Line(207, "Duplicate webhook delivery"), ap.Line(213, "Retry-safe flows")),
		},
		{
			ID: "no-lost-milestone-update", Flow: "update-milestone", Layer: ap.LayerEngine,
			Rule: "of several updates that rest on one version of a milestone, one is written; the others are refused, and count when they are made anew from the version that they then read",
			Cite: ap.Line(183, "Optimistic concurrency via version attribute (milestones)").And(ap.Line(204, "Conditional check failed")),
		},
		{
			ID: "award-minted-once", Flow: "mint-award", Layer: ap.LayerEngine,
			Rule: "an award is minted once, with its milestone's next version, whoever races or retries",
			Cite: ap.Line(184, "Transactional writes for award minting").And(ap.Line(206, "Partial transaction failure"), ap.Line(221, "Idempotent write paths")),
		},
		{
			ID: "session-with-its-reference", Flow: "create-session", Layer: ap.LayerEngine,
			Rule: "a session is created together with the reference that account deletion finds it by, and takes the id of no other",
			Cite: ap.Lines(94, 101, "SESSION#{sessionId}", "Stores:").And(ap.Line(112, "Account deletion")).Implied("account deletion must find every session of a user"),
		},
		{
			ID: "logged-out-whole", Flow: "log-out", Layer: ap.LayerEngine,
			Rule: "a logout takes session and reference together, and may be sent several times",
			Cite: ap.Lines(109, 111, "Sessions are deleted on", "Logout").And(ap.Line(221, "Idempotent write paths")),
		},
		{
			ID: "audit-record-written-once", Flow: "record-audit", Layer: ap.LayerEngine,
			Rule: "an audit record is not replaced by another of the same key, and a retry leaves it as it was",
			Cite: ap.Line(137, "Deterministic audit trail").And(ap.Line(221, "Idempotent write paths")).Implied("a trail in which a later write replaces an earlier record is none"),
		},
		{
			ID: "deletion-ends-clean", Flow: "delete-account", Layer: ap.LayerContract,
			Rule: "an account deletion that stopped after any of its requests ends clean when it is run again, and the link to the athlete stands as long as anything else does",
			Cite: ap.Line(186, "Deletion flows safe to re-run").And(ap.Lines(109, 112, "Account deletion"), ap.Line(171, "25-item chunks")),
		},
	}
}
