package personalos

import ap "dynaproof/accesspatterns"

func guardrails() []ap.Guardrail {
	return []ap.Guardrail{
		{
			ID: "single-table", Rule: "everything lives in one table",
			Cite: ap.Line(3, "Single-Table Design"), Proof: ap.ByClaims, Layer: ap.LayerDeployment,
			Claims: []string{"tables", "table/personal-os/exists"},
		},
		{
			ID: "stage-in-table-name", Rule: "each stage has a table of its own, with the stage in its name",
			Cite: ap.Line(4, "personal-os-{stage}", "personal-os-dev", "personal-os-prod"), Proof: ap.ByClaims, Layer: ap.LayerDeployment,
			Claims: []string{"table/personal-os/exists"},
		},
		{
			ID: "start-on-demand", Rule: "the table starts on demand, without planned capacity",
			Cite: ap.Line(587, "On-Demand Mode").And(ap.Line(605, "Start with On-Demand")), Proof: ap.ByClaims, Layer: ap.LayerDeployment,
			Claims: []string{"table/personal-os/billing"},
		},
		{
			ID: "no-scans", Rule: "no access pattern scans",
			Cite:  ap.Line(41, "Pattern", "PK", "SK", "Index").Implied("every listed pattern names a partition key"),
			Proof: ap.ByLedgerNoScan, Layer: ap.LayerGuard,
		},
		{
			ID: "one-partition-per-query", Rule: "a query reads exactly one partition",
			Cite:  ap.Line(41, "Pattern", "PK", "SK", "Index").Implied("every listed pattern gives one partition key"),
			Proof: ap.ByLedgerOnePartition, Layer: ap.LayerGuard,
		},
		{
			ID: "no-filter-without-key", Rule: "no request filters without a key condition",
			Cite:  ap.Lines(549, 577, "KeyConditionExpression").Implied("every query example has a key condition"),
			Proof: ap.ByLedgerKeyCondition, Layer: ap.LayerGuard,
		},
		{
			ID: "only-documented-requests", Rule: "a client sends what the document describes, and nothing else",
			Cite:  ap.Line(39, "Access Patterns").And(ap.Line(26, "sorted by creation date")).Implied("the keys are made for the listed access patterns, and for no others"),
			Proof: ap.ByTrials, Layer: ap.LayerGuard,
		},
		{
			ID: "keys-are-strings", Rule: "all keys of the table and of its indexes are Strings",
			Cite:  ap.Lines(14, 15, "`pk`", "`sk`", "String").And(ap.Lines(23, 24, "`gsi1pk`", "`gsi1sk`", "String"), ap.Lines(32, 33, "`gsi2pk`", "`gsi2sk`", "String")),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "index-key-never-null", Rule: "an unset index key is absent, never NULL and never empty",
			Cite:  ap.Lines(84, 87, "gsi1pk: Optional[str]", "gsi1sk: Optional[str]", "gsi2pk: Optional[str]", "gsi2sk: Optional[str]").Implied("the keys are optional, and DynamoDB takes only Strings for them"),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "index-keys-follow-attributes", Rule: "index keys hold the item's present status, area and creation time",
			Cite:  ap.Line(24, "{status}#{createdAt}").And(ap.Line(33, "{entityType}#{createdAt}"), ap.Lines(150, 153, "{status}#{createdAt}", "`{area}`", "TASK#{createdAt}")),
			Proof: ap.ByClaims, Layer: ap.LayerGuard,
			Claims: []string{"entity/task", "entity/goal", "entity/metric", "entity/habit", "entity/project"},
		},
		{
			ID: "ttl-is-epoch-seconds", Rule: "time to live is a Number of epoch seconds on cached insights",
			Cite:  ap.Line(88, "ttl", "cached data", "epoch seconds").And(ap.Line(393, "`ttl`", "Number", "epoch seconds")),
			Proof: ap.ByClaims, Layer: ap.LayerGuard,
			Claims: []string{"table/personal-os/ttl", "attribute/metric-insight/ttl", "rule/metric-insight/ttl-agrees-with-expiry"},
		},
		{
			ID: "links-are-unique", Rule: "two items are linked at most once",
			Cite:  ap.Lines(273, 274, "GOAL#{goalId}", "TASK#{taskId}").And(ap.Lines(194, 195, "TASK#{taskId}", "DEP#{dependsOnTaskId}"), ap.Lines(466, 467, "PROJECT#{projectId}", "TASK#{taskId}")).Implied("the key of a link is made of both ends"),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "wallet-never-below-zero", Rule: "nobody spends points that are not in the wallet",
			Cite:  ap.Lines(521, 523, "`balance`", "Current point balance", "`lifetimeSpent`").And(ap.Line(503, "`pointCost`")).Implied("rewards cost points, and a balance is what there is to spend"),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "wallet-and-transaction-together", Rule: "balance, lifetime figure and transaction are written together or not at all",
			Cite:  ap.Lines(521, 523, "`balance`", "`lifetimeEarned`", "`lifetimeSpent`").And(ap.Lines(532, 535, "WALLET_TXN#{timestamp}", "`amount`")).Implied("the wallet is the sum of its transactions"),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "points-awarded-once", Rule: "the points of a task are awarded once",
			Cite:  ap.Lines(145, 146, "`pointValue`", "`pointsAwarded`", "Whether points were awarded").Implied("the flag has no other use"),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
	}
}
