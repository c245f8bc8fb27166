package commitcollect

import ap "dynaproof/accesspatterns"

// The audit table.
func auditFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "audit-ttl-unnamed", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "Audit records live for 90 days, by an attribute that has no name",
			Cite:     ap.Line(133, "TTL: 90 days").And(ap.Line(121, "{unixEpoch}")),
			Literal:  "A period is not something that DynamoDB takes; a record of the documented attributes alone is stored and would never expire.",
			Resolved: "expiresAt, a Number in epoch seconds, is unixEpoch plus 7,776,000.",
			Claims:   []string{"table/CommitCollectAudit/ttl", "attribute/audit-record/expiresAt", "rule/audit-record/expires-after-90-days"},
		},
		{
			ID: "audit-epoch-as-text", Kind: ap.Hazard, Severity: ap.Low,
			Title:    "unixEpoch is not padded and has no unit",
			Cite:     ap.Line(121, "AUDIT#{unixEpoch}#{requestId}").And(ap.Line(126, "{unixEpoch}"), ap.Line(131, "{unixEpoch}")),
			Literal:  "A time with fewer digits sorts as text: a record of nine digits, from before September 2001, comes after one of today.",
			Resolved: "Seconds with ten digits, which sort as text as they do in time until the year 2286.",
			Claims:   []string{"rule/audit-record/unix-epoch-seconds", "pattern/list-user-audit"},
		},
		{
			ID: "audit-key-collision", Kind: ap.Hazard, Severity: ap.High,
			Title:    "Two audit records of one request in one second have the same key",
			Cite:     ap.Lines(120, 121, "USER#{userId}", "AUDIT#{unixEpoch}#{requestId}").And(ap.Line(137, "Deterministic audit trail")),
			Literal:  "The second record, of another event, replaces the first.",
			Resolved: "A record is put only where none is; the writer makes requestId unique for each record.",
			Claims:   []string{"pattern/record-audit"},
		},
		{
			ID: "request-id-with-separator", Kind: ap.Hazard, Severity: ap.Low,
			Title:    "A request id may contain '#', and is a prefix of longer ones",
			Cite:     ap.Line(121, "AUDIT#{unixEpoch}#{requestId}").And(ap.Line(168, "begins_with(SK, prefix)")),
			Literal:  "begins_with on the key of request req-1 returns the record of req-10 too, and a record of req-1#retry.",
			Resolved: "A request id ends its key, so it cannot reach into another segment; one record is read by its whole sort key.",
			Claims:   []string{"entity/audit-record"},
		},
		{
			ID: "event-partition-grows", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "All users' records of one event in one month share one index partition",
			Cite:     ap.Line(130, "GSI2PK = EVENT#{eventType}#{yyyyMM}").And(ap.Line(193, "No unbounded pagination"), ap.Line(205, "Throttling")),
			Literal:  "A query for one event and month returns the records of different users; writes of a frequent event meet in one partition, and reads grow with all traffic.",
			Resolved: "The grouping is documented and kept; it is read page by page, by an operator only.",
			Grows:    []string{"list-event-month"},
			Claims:   []string{"pattern/list-event-month"},
		},
		{
			ID: "event-month-boundary", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "A period over the turn of a month lies in two partitions, and the month has no time zone",
			Cite:     ap.Line(130, "EVENT#{eventType}#{yyyyMM}").And(ap.Line(27, "ap-southeast-2"), ap.Line(176, "Cross-partition aggregation")),
			Literal:  "A query for this month misses the same user's event of an earlier month, and adding months up is a forbidden aggregation.",
			Resolved: "The month is that of unixEpoch in UTC; one query reads one month, and a user's trail over months is in one partition of the table.",
			Claims:   []string{"rule/audit-record/event-month", "guardrail/one-partition-per-query", "pattern/list-user-audit"},
		},
		{
			ID: "audit-needs-user", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "An event without a user has no partition",
			Cite:     ap.Line(120, "PK = USER#{userId}").And(ap.Line(207, "Duplicate webhook delivery")),
			Literal:  "A webhook of an unknown athlete or a failed login names no user; a record without PK is refused.",
			Resolved: "Only events of a known user are recorded; the document has no other partition.",
			Claims:   []string{"entity/audit-record"},
		},
		{
			ID: "audit-survives-account", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "Account deletion says nothing about audit and idempotency records",
			Cite:     ap.Line(112, "Account deletion").And(ap.Line(120, "PK = USER#{userId}"), ap.Line(149, "IdempotencyKey (PK)")),
			Literal:  "After a deletion the user's id stands in the audit trail for up to 90 days, and in idempotency keys if they name the user.",
			Resolved: "Deletion leaves both tables alone: the trail exists for compliance, and a late webhook must still be seen as a duplicate.",
			Static:   "the text is absent",
			Claims:   []string{"pattern/delete-account"},
		},
		{
			ID: "audit-in-transaction", Kind: ap.Hazard, Severity: ap.High,
			Title:    "Audit failures must not break business, and the allowed write is a transaction",
			Cite:     ap.Line(141, "Audit failures must never break").And(ap.Line(170, "TransactWriteItems"), ap.Line(222, "Transaction safety where required")),
			Literal:  "An audit record that fails inside the business transaction takes the workout with it.",
			Resolved: "An audit record is written by a request of its own, after the business items; its failure is swallowed, counted and logged.",
			Claims:   []string{"guardrail/audit-failure-is-harmless", "pattern/record-audit"},
		},
	}
}
