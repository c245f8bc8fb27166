package personalos

import ap "dynaproof/accesspatterns"

// readFindings are about the patterns and query examples.
func readFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "date-bounds-lose-last-day", Kind: ap.Hazard, Severity: ap.High,
			Title:    "a time range by dates loses the logs of its last day",
			Cite:     ap.Lines(573, 578, "Time Range", "LOG#{start_date}", "LOG#{end_date}").And(ap.Line(340, "LOG#{timestamp}")),
			Literal:  "The upper bound is a bare date, which sorts before every timestamp of that day.",
			Resolved: "Both bounds are full timestamps, the upper one the last second of the last day.",
			Claims:   []string{"pattern/list-metric-logs-in-range"},
		},
		{
			ID: "log-key-two-notations", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "LOG# is followed by a timestamp for metrics and by a date for habits",
			Cite:     ap.Line(340, "LOG#{timestamp}").And(ap.Line(428, "LOG#{date}"), ap.Lines(54, 55, "begins_with(LOG#)")),
			Literal:  "Bounds that are right for metrics lose the first day of a habit, because the bare date sorts before any of its timestamps.",
			Resolved: "A range of habit logs has dates as bounds, a range of metric logs timestamps.",
		},
		{
			ID: "wallet-is-a-prefix", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "the wallet's key is the beginning of its transactions' keys",
			Cite:     ap.Line(52, "Get wallet", "`WALLET`").And(ap.Line(532, "WALLET_TXN#{timestamp}")),
			Literal:  "begins_with WALLET, in the manner of the rows around it, returns all transactions too.",
			Resolved: "The wallet is read with GetItem, and its transactions with WALLET_TXN#.",
			Claims:   []string{"pattern/get-wallet", "pattern/list-wallet-transactions"},
		},
		{
			ID: "first-page-only", Kind: ap.Hazard, Severity: ap.High,
			Title:    "the query examples take one page for the whole answer",
			Cite:     ap.Lines(549, 552, "response['Items']").And(ap.Line(570, "response['Items']"), ap.Lines(576, 580, "response['Items']")),
			Literal:  "A response ends at 1 MB, or at Limit; what follows LastEvaluatedKey is never read. With a filter a page may even be empty before the end.",
			Resolved: "Every list follows LastEvaluatedKey to its end, and is replayed page by page with Limit 1.",
			Claims:   []string{"pattern/list-tasks", "pattern/list-goal-task-links", "pattern/list-metric-logs-in-range"},
		},
		{
			ID: "replace-corrupts-ids", Kind: ap.Hazard, Severity: ap.High,
			Title:    "the example takes every TASK# out of a sort key, not only the first",
			Cite:     ap.Line(570, "replace('TASK#', '')").And(ap.Line(274, "TASK#{taskId}")),
			Literal:  "An id that contains TASK# comes out shorter, and no task has it.",
			Resolved: "A key is parsed by its template, which takes the prefix off once.",
			Claims:   []string{"entity/goal-task-link", "pattern/get-task"},
		},
		{
			ID: "reverse-lookups-missing", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "links are stored in one direction, and no pattern reads them backwards",
			Cite:     ap.Lines(56, 60, "GOAL#{goalId}", "TASK#{taskId}", "PROJECT#{projectId}").And(ap.Lines(197, 198, "Blocked task ID", "Blocking task ID"), ap.Line(234, "`parentGoalId`")),
			Literal:  "Which tasks wait for a finished task, which goals a metric serves and which goals have a given parent cannot be asked.",
			Resolved: "Not added: no index or pattern is documented for it. The embedded goalIds and projectIds of a task are the only way back.",
			Claims:   []string{"pattern/list-task-dependencies"},
		},
		{
			ID: "goal-project-links-missing", Kind: ap.Gap, Severity: ap.Low,
			Title:    "projects name their goals, but goals have no link to projects",
			Cite:     ap.Line(458, "`goalIds`").And(ap.Lines(267, 291, "GOAL_TASK", "GOAL_METRIC", "GOAL_HABIT"), ap.Lines(56, 58, "goal→task", "goal→metric", "goal→habit")),
			Literal:  "The projects of a goal are found only by reading all of the user's projects.",
			Resolved: "Not added: three kinds of links are documented, and a project's list of goals is read with the project.",
			Static:   "the text is absent",
		},
		{
			ID: "reward-limits-have-no-lookup", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "a reward limits its redemptions, and no pattern counts them",
			Cite:     ap.Lines(508, 509, "`cooldownHours`", "`maxRedemptionsPerDay`").And(ap.Lines(532, 540, "WALLET_TXN#{timestamp}", "`rewardId`")),
			Literal:  "The last redemption of a reward stands somewhere among all wallet transactions of the user; nothing leads to it, and two redemptions at once cannot see each other.",
			Resolved: "The user's transactions of the cooldown and of the day are read with a declared filter on rewardId, and whoever redeems moves the reward's updatedAt under the condition that nobody did since it was read.",
			Claims:   []string{"pattern/redeem-limited-reward", "invariant/limits-hold"},
		},
		{
			ID: "dashboard-undefined", Kind: ap.Gap, Severity: ap.Low,
			Title:    "a dashboard is read ten times a day, and no pattern says what it reads",
			Cite:     ap.Line(603, "Read dashboard", "10/day").And(ap.Lines(43, 66, "Get user profile", "Query by area")),
			Literal:  "Its cost is estimated, but none of the listed patterns is a dashboard, and one query cannot read several of them.",
			Resolved: "Not added: a dashboard is made of the documented patterns.",
			Static:   "the text is absent",
		},
		{
			ID: "deletes-leave-orphans", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "what hangs on a deleted item stays",
			Cite:     ap.Lines(54, 63, "METRIC#{metricId}", "GOAL#{goalId}").And(ap.Line(315, "METRIC#{metricId}"), ap.Line(282, "METRIC#{metricId}")),
			Literal:  "Deleting a metric leaves its logs, milestones, insights and the links to it; no pattern deletes, and the children of a user's account cannot be found from the user.",
			Resolved: "An item is deleted with its partition and with the links to it; more than 100 items need several transactions, the item itself last.",
		},
		{
			ID: "reserved-words", Kind: ap.Hazard, Severity: ap.Low,
			Title:    "many documented attribute names are reserved words of DynamoDB",
			Cite:     ap.Line(138, "`status`").And(ap.Line(139, "`size`"), ap.Line(344, "`value`"), ap.Line(375, "`type`"), ap.Line(393, "`ttl`"), ap.Line(318, "`name`"), ap.Line(431, "`date`")),
			Literal:  "An expression that names such an attribute as it is gets refused.",
			Resolved: "Every expression gives its names by ExpressionAttributeNames.",
		},
	}
}
