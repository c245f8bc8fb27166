package commitcollect

import ap "dynaproof/accesspatterns"

func guardrails() []ap.Guardrail {
	var all []ap.Guardrail
	all = append(all, readGuardrails()...)
	all = append(all, writeGuardrails()...)
	all = append(all, ownershipGuardrails()...)
	return append(all, deploymentGuardrails()...)
}

// What a read may look like.
func readGuardrails() []ap.Guardrail {
	return []ap.Guardrail{
		{
			ID: "no-scans", Rule: "nothing scans a table or an index",
			Cite:  ap.Line(18, "No scans").And(ap.Line(175, "Full table scans"), ap.Line(223, "No scans in request paths"), ap.Line(55, "No cross-user scans")),
			Proof: ap.ByLedgerNoScan, Layer: ap.LayerGuard,
		},
		{
			ID: "athlete-resolution-without-scan", Rule: "ingestion and OAuth linking find the user of an athlete without a scan",
			Cite:  ap.Line(86, "No scans required"),
			Proof: ap.ByClaims, Layer: ap.LayerGuard,
			Claims: []string{
				"pattern/resolve-athlete-by-index", "pattern/resolve-athlete-by-owner",
				"pattern/ingest-workout", "pattern/link-strava", "guardrail/no-scans",
			},
		},
		{
			ID: "query-by-partition-key", Rule: "a query names its partition key",
			Cite:  ap.Line(167, "Query by PK"),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "prefix-on-sort-key-only", Rule: "begins_with narrows the sort key, never the partition key",
			Cite:  ap.Line(168, "begins_with(SK, prefix)"),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "only-documented-requests", Rule: "a client sends what the document allows to its role, and nothing else",
			Cite:  ap.Line(163, "Access Patterns (Production-Safe)").And(ap.Line(165, "Allowed"), ap.Line(171, "25-item chunks"), ap.Line(176, "Cross-partition aggregation")).Implied("what is allowed is a list, and requests outside of it are not safe for production"),
			Proof: ap.ByTrials, Layer: ap.LayerGuard,
		},
		{
			ID: "projection-enforced", Rule: "every query names the attributes that it wants",
			Cite:  ap.Line(194, "Projection expression enforced").And(ap.Line(169, "Projection-only reads")),
			Proof: ap.ByLedgerProjection, Layer: ap.LayerGuard,
		},
		{
			ID: "no-cross-partition-aggregation", Rule: "no query reaches over several partitions",
			Cite:  ap.Line(176, "Cross-partition aggregation"),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "one-partition-per-query", Rule: "one query, those of the audit table included, addresses one partition of one index",
			Cite:  ap.Line(176, "Cross-partition aggregation").And(ap.Line(130, "EVENT#{eventType}#{yyyyMM}")).Implied("a loop over the months of an event would be the forbidden aggregation"),
			Proof: ap.ByLedgerOnePartition, Layer: ap.LayerGuard,
		},
		{
			ID: "no-ad-hoc-filter", Rule: "a filter alone is no query",
			Cite:  ap.Line(177, "Ad-hoc filtering without key condition"),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "no-filter-without-key-condition", Rule: "no request that is answered filters without a key condition",
			Cite:  ap.Line(177, "without key condition"),
			Proof: ap.ByLedgerKeyCondition, Layer: ap.LayerGuard,
		},
		{
			ID: "max-workouts-to-inspect", Rule: "listing workouts inspects at most 3,000 items over all pages and says when it was cut",
			Cite:  ap.Line(192, "MaxWorkoutsToInspect = 3000"),
			Proof: ap.ByBudget, Layer: ap.LayerContract,
		},
		{
			ID: "no-unbounded-pagination", Rule: "the list that grows with a user's activity is not paged without end",
			Cite:  ap.Line(193, "No unbounded pagination"),
			Proof: ap.ByClaims, Layer: ap.LayerGuard,
			Claims: []string{"guardrail/max-workouts-to-inspect", "pattern/list-workouts"},
		},
	}
}

// What a write must keep.
func writeGuardrails() []ap.Guardrail {
	return []ap.Guardrail{
		{
			ID: "transactions-are-whole", Rule: "a transaction writes all of its items or none",
			Cite:  ap.Line(170, "TransactWriteItems").And(ap.Line(212, "Transactional writes")),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "batches-of-25", Rule: "one BatchWriteItem holds at most 25 items",
			Cite:  ap.Line(171, "BatchWriteItem (25-item chunks)"),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "optimistic-concurrency", Rule: "a milestone is updated only from the version that was read",
			Cite:  ap.Line(183, "Optimistic concurrency via version attribute (milestones)").And(ap.Line(204, "Conditional check failed")),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "award-minting-in-one-transaction", Rule: "an award and its milestone's new version are written together, and once",
			Cite:  ap.Line(184, "Transactional writes for award minting"),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "no-duplicate-ingestion", Rule: "an event is ingested once, however often it is delivered",
			Cite:  ap.Line(158, "No duplicate ingestion").And(ap.Line(185, "Idempotent ingestion events"), ap.Line(207, "Duplicate webhook delivery"), ap.Line(211, "Idempotency table")),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "deletion-safe-to-re-run", Rule: "deleting what is gone succeeds and changes nothing",
			Cite:  ap.Line(186, "Deletion flows safe to re-run"),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "idempotent-writes", Rule: "writes may be repeated: ingestion, minting, linking and deletion take effect once",
			Cite:  ap.Line(221, "Idempotent write paths").And(ap.Line(159, "Safe replay capability"), ap.Line(213, "Retry-safe flows")),
			Proof: ap.ByClaims, Layer: ap.LayerEngine,
			Claims: []string{
				"guardrail/no-duplicate-ingestion", "guardrail/award-minting-in-one-transaction",
				"guardrail/one-owner-per-athlete", "guardrail/deletion-safe-to-re-run",
			},
		},
		{
			ID: "transactions-where-required", Rule: "items that must agree are written in one transaction",
			Cite:  ap.Line(222, "Transaction safety where required").And(ap.Line(212, "Transactional writes")),
			Proof: ap.ByClaims, Layer: ap.LayerGuard,
			Claims: []string{
				"guardrail/transactions-are-whole", "pattern/link-strava", "pattern/ingest-workout",
				"pattern/mint-award", "pattern/create-session", "pattern/log-out",
			},
		},
		{
			ID: "sessions-end", Rule: "a session is gone after logout and after account deletion",
			Cite:  ap.Lines(109, 112, "Sessions are deleted on", "Logout", "Account deletion"),
			Proof: ap.ByClaims, Layer: ap.LayerGuard,
			Claims: []string{"pattern/log-out", "pattern/delete-account"},
		},
		{
			ID: "audit-failure-is-harmless", Rule: "business items stand although their audit record could not be written",
			Cite:  ap.Line(141, "Audit failures must never break"),
			Proof: ap.ByTrials, Layer: ap.LayerContract,
		},
	}
}

// What belongs to whom.
func ownershipGuardrails() []ap.Guardrail {
	return []ap.Guardrail{
		{
			ID: "deterministic-ownership", Rule: "the same ids under two users are two items, and no write of one reaches the other",
			Cite:  ap.Line(56, "Deterministic ownership boundaries").And(ap.Line(219, "Deterministic ownership boundaries")),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "deterministic-partition-keys", Rule: "the partition key of every item follows from its owner's id",
			Cite:  ap.Line(196, "Deterministic PK grouping").And(ap.Line(38, "grouped by logical ownership")),
			Proof: ap.ByClaims, Layer: ap.LayerGuard,
			Claims: []string{
				"entity/profile", "entity/strava-connection", "entity/workout", "entity/milestone", "entity/award",
				"entity/session-reference", "entity/model-meta", "entity/model-part", "entity/athlete-owner",
				"entity/session", "entity/audit-record", "entity/idempotency-record",
			},
		},
		{
			ID: "one-owner-per-athlete", Rule: "an athlete has one owner, and both routes to it give the same user",
			Cite:  ap.Line(82, "Resolve Strava athleteId to internal userId").And(ap.Lines(67, 72, "OWNER", "user resolution")).Implied("the athlete is resolved to the user, by the index and by the owner item"),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
	}
}

// What is deployed.
func deploymentGuardrails() []ap.Guardrail {
	return []ap.Guardrail{{
		ID: "on-demand-billing", Rule: "all tables are billed on demand",
		Cite:  ap.Line(195, "On-demand billing (no capacity planning required)").And(ap.Line(26, "On-Demand")),
		Proof: ap.ByClaims, Layer: ap.LayerDeployment,
		Claims: []string{
			"table/CommitCollect/billing", "table/CommitCollectSessions/billing",
			"table/CommitCollectAudit/billing", "table/CommitCollectIdempotency/billing",
		},
	}}
}
