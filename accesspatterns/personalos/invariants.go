package personalos

import ap "dynaproof/accesspatterns"

// What the flows must keep under retry, race and failure. The document states
// none of it; each follows from what it says that the attributes hold.
func invariants() []ap.Invariant {
	return []ap.Invariant{
		{
			ID: "index-keys-agree", Flow: "change-task-status", Layer: ap.LayerEngine,
			Rule: "a task is always in the index under the status and area that it has",
			Cite: ap.Lines(150, 153, "{status}#{createdAt}", "`{area}`", "TASK#{createdAt}").Implied("the keys are defined by the attributes"),
		},
		{
			ID: "completed-once", Flow: "complete-task", Layer: ap.LayerEngine,
			Rule: "the moment at which a task was completed does not move",
			Cite: ap.Line(142, "ISO timestamp when completed").Implied("there is one such moment"),
		},
		{
			ID: "task-created-whole", Flow: "create-task-with-links", Layer: ap.LayerEngine,
			Rule: "a task, its links and what it waits for are there together or not at all",
			Cite: taskLinks().Implied("the lists in the task and the links repeat each other"),
		},
		{
			ID: "no-orphans-of-task", Flow: "delete-task", Layer: ap.LayerContract,
			Rule: "while a link or dependency of a task is there, the task is there, and in the end none is",
			Cite: taskLinks().Implied("a dependency on a task that is gone would block for ever"),
		},
		{
			ID: "link-and-list-agree", Flow: "link-task-to-goal", Layer: ap.LayerEngine,
			Rule: "a link is there exactly when the task's list names it",
			Cite: ap.Lines(273, 274, "GOAL#{goalId}", "TASK#{taskId}").And(ap.Line(148, "`goalIds`")).Implied("list and links repeat each other"),
		},
		{
			ID: "never-mutual", Flow: "add-task-dependency", Layer: ap.LayerEngine,
			Rule: "two tasks never wait for each other",
			Cite: ap.Lines(197, 198, "Blocked task ID", "Blocking task ID").Implied("both would wait for ever"),
		},
		{
			ID: "no-log-lost", Flow: "log-metric", Layer: ap.LayerEngine,
			Rule: "a log is stored once however often it is sent, and never in the place of another one",
			Cite: ap.Lines(340, 342, "LOG#{timestamp}", "Log ID").Implied("a log has an id of its own, and its key has not"),
		},
		{
			ID: "streak-and-log-agree", Flow: "log-habit", Layer: ap.LayerEngine,
			Rule: "a day of a habit is logged once, together with the streaks that it makes",
			Cite: ap.Lines(427, 428, "HABIT#{habitId}", "LOG#{date}").And(ap.Lines(417, 418, "`cachedStreak`", "`cachedLongestStreak`")).Implied("the habit repeats what its logs say"),
		},
		{
			ID: "awarded-once", Flow: "award-task-points", Layer: ap.LayerEngine,
			Rule: "the points of a task reach the wallet once",
			Cite: ap.Line(146, "Whether points were awarded").Implied("the flag has no other use"),
		},
		{
			ID: "balance-never-negative", Flow: "redeem-reward", Layer: ap.LayerEngine,
			Rule: "no more points are spent than there are, and every point that was spent has its record",
			Cite: ap.Lines(521, 523, "Current point balance", "`lifetimeSpent`").And(ap.Line(503, "Cost in points")).Implied("a balance is what there is to spend"),
		},
		{
			ID: "no-transaction-lost", Flow: "redeem-reward", Layer: ap.LayerEngine,
			Rule: "a transaction never takes the place of another one, and the balance counts those that are kept",
			Cite: ap.Lines(532, 534, "WALLET_TXN#{timestamp}", "Transaction ID").Implied("a transaction has an id of its own, and its key has not"),
		},
		{
			ID: "limits-hold", Flow: "redeem-limited-reward", Layer: ap.LayerEngine,
			Rule: "a reward is not redeemed within its cooldown, nor more often in a day than it allows",
			Cite: ap.Lines(508, 509, "Cooldown between redemptions", "Max daily redemptions").Implied("the attributes are called limits by their names"),
		},
	}
}
