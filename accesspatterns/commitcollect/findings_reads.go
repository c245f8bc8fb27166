package commitcollect

import ap "dynaproof/accesspatterns"

// Rules for reads that are not sharp.
func readFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "scan-rule-scope", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "Scans are forbidden in production request paths, in request paths, and altogether",
			Cite:     ap.Line(18, "production request paths").And(ap.Line(175, "Full table scans"), ap.Line(223, "No scans in request paths")),
			Literal:  "By the first sentence a maintenance job may scan, by the list of forbidden patterns nothing may; no request path is defined.",
			Resolved: "Nothing scans; no waiver exists.",
			Static:   "three sentences of the document differ in scope",
			Claims:   []string{"guardrail/no-scans"},
		},
		{
			ID: "single-item-calls-not-listed", Kind: ap.Gap, Severity: ap.Low,
			Title:    "The list of allowed operations has no GetItem, PutItem, UpdateItem or DeleteItem",
			Cite:     ap.Lines(165, 171, "Allowed:", "Query by PK", "Projection-only reads", "TransactWriteItems", "BatchWriteItem"),
			Literal:  "Sessions, owners and idempotency records are items with a known key, and reading one by GetItem is not listed.",
			Resolved: "A GetItem with a projection counts as a projection-only read; single writes are transactions of one action.",
			Static:   "the text is absent",
			Claims:   []string{"pattern/resolve-session", "pattern/get-idempotency-record"},
		},
		{
			ID: "projection-undefined", Kind: ap.Gap, Severity: ap.Low,
			Title:    "A projection is enforced, but no read says which attributes it projects, or whether GetItem is meant",
			Cite:     ap.Line(194, "Projection expression enforced").And(ap.Line(169, "Projection-only reads")),
			Literal:  "DynamoDB enforces no projection; a query without one is answered in full.",
			Resolved: "Every query projects the documented attributes that its reader needs; each GetItem does too, though only queries are held to it.",
			Claims:   []string{"guardrail/projection-enforced"},
		},
		{
			ID: "pagination-bound-for-workouts-only", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "Unbounded pagination is forbidden, and only workouts have a bound",
			Cite:     ap.Lines(192, 193, "MaxWorkoutsToInspect = 3000", "No unbounded pagination").And(ap.Line(130, "EVENT#{eventType}#{yyyyMM}"), ap.Lines(49, 50, "MILESTONE#")),
			Literal:  "Milestones, awards and audit partitions grow too, and no number bounds their reading.",
			Resolved: "The budget of 3,000 is checked where it is documented; no other number is invented.",
			Static:   "the text is absent",
			Claims:   []string{"guardrail/max-workouts-to-inspect"},
		},
		{
			ID: "budget-and-deletion", Kind: ap.Contradiction, Severity: ap.Medium,
			Title:    "Deleting an account must find every workout, and no read may inspect more than 3,000",
			Cite:     ap.Line(192, "MaxWorkoutsToInspect = 3000").And(ap.Line(112, "Account deletion"), ap.Line(186, "Deletion flows safe to re-run")),
			Literal:  "A deletion that stops at the budget leaves workouts behind without an owner.",
			Resolved: "The budget binds the list that users see; deletion reads keys alone, to the end, and can be run again.",
			Static:   "the two sentences clash only by what they do not say",
			Claims:   []string{"pattern/delete-account"},
		},
		{
			ID: "roles-missing", Kind: ap.Gap, Severity: ap.Low,
			Title:    "Access patterns have no roles",
			Cite:     ap.Lines(163, 177, "Access Patterns (Production-Safe)", "Allowed:").And(ap.Line(105, "BFF session resolution")),
			Literal:  "Nothing says who may read the audit trail or resolve an athlete.",
			Resolved: "Three roles: the user through the BFF, the system, and an operator for audit reads.",
			Static:   "the text is absent",
		},
	}
}

// Sessions.
func sessionFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "sessions-of-user-unreachable", Kind: ap.Gap, Severity: ap.High,
			Title:    "Account deletion removes a user's sessions, and no key leads from a user to them",
			Cite:     ap.Lines(109, 112, "Account deletion").And(ap.Lines(94, 99, "PK = SESSION#{sessionId}", "userId"), ap.Line(18, "No scans")),
			Literal:  "A query of the sessions table by userId is refused, and a scan is forbidden.",
			Resolved: "The user's partition keeps one reference per session, written and deleted with it in one transaction; an addition.",
			Claims:   []string{"entity/session-reference", "pattern/list-session-references", "pattern/create-session", "pattern/delete-account"},
		},
		{
			ID: "session-references-outlive-sessions", Kind: ap.Hazard, Severity: ap.Low,
			Title:    "Time to live removes a session, not its reference",
			Cite:     ap.Line(101, "expiresAtUtc (TTL attribute)").And(ap.Lines(24, 30, "Table Configuration")),
			Literal:  "The primary table has no TTL; the reference to a session that expired stays in the user's partition.",
			Resolved: "Whoever follows a reference treats a missing session as ended; account deletion deletes both whether they are there or not.",
			Claims:   []string{"pattern/delete-account"},
		},
		{
			ID: "expires-at-utc-type", Kind: ap.Contradiction, Severity: ap.High,
			Title:    "expiresAtUtc reads like a text timestamp, and time to live needs a Number",
			Cite:     ap.Lines(100, 101, "createdAtUtc", "expiresAtUtc (TTL attribute)"),
			Literal:  "A session with expiresAtUtc as ISO 8601 text is stored without complaint and would never expire.",
			Resolved: "expiresAtUtc is a Number in epoch seconds; createdAtUtc, which has no such duty, is ISO 8601 text.",
			Claims:   []string{"attribute/session/expiresAtUtc", "attribute/session/createdAtUtc", "table/CommitCollectSessions/ttl"},
		},
		{
			ID: "expired-session-readable", Kind: ap.Hazard, Severity: ap.High,
			Title:    "An expired session is readable until DynamoDB gets round to deleting it",
			Cite:     ap.Line(101, "TTL attribute").And(ap.Line(105, "BFF session resolution")),
			Literal:  "GetItem returns a session whose expiresAtUtc is past.",
			Resolved: "The reader compares expiresAtUtc with its clock and treats an expired session as absent; a write on its behalf carries that as a condition.",
			Claims:   []string{"pattern/resolve-session"},
		},
	}
}
