package personalos

import ap "dynaproof/accesspatterns"

// keyFindings are about primary keys: whose they are, and when two items get
// the same one.
func keyFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "partitions-not-scoped-by-user", Kind: ap.Hazard, Severity: ap.High,
			Title: "the partitions of goals, tasks, metrics, habits and projects name no user",
			Cite: ap.Lines(54, 63, "METRIC#{metricId}", "HABIT#{habitId}", "GOAL#{goalId}", "TASK#{taskId}", "PROJECT#{projectId}").And(
				ap.Line(81, "Owner user ID")),
			Literal: "Where two users have the same goal id, the links of one stand among those of the other, and a link with the same other end overwrites. " +
				"A leading-keys policy cannot confine a user to these partitions either.",
			Resolved: "Ids that own a partition must be unique over all users, such as UUIDs. The fixtures give the same ids to several users where the user is in the key, and ids of its own to each user's children.",
			Claims:   []string{"pattern/list-goal-task-links", "pattern/list-metric-logs"},
		},
		{
			ID: "metric-log-same-second", Kind: ap.Hazard, Severity: ap.High,
			Title:    "two logs of a metric in one second are one item",
			Cite:     ap.Line(340, "LOG#{timestamp}").And(ap.Line(352, "LOG#2026-01-10T18:00:00Z")),
			Literal:  "The second log silently replaces the first, although each has an id.",
			Resolved: "A log is put only where its key is free or holds the same id; a key that is taken is tried again a millisecond later.",
			Claims:   []string{"pattern/log-metric", "invariant/no-log-lost"},
		},
		{
			ID: "wallet-transaction-same-second", Kind: ap.Hazard, Severity: ap.High,
			Title:    "two wallet transactions in one second are one item",
			Cite:     ap.Line(532, "WALLET_TXN#{timestamp}").And(ap.Line(534, "Transaction ID")),
			Literal:  "The second transaction silently replaces the first, while the balance has changed twice.",
			Resolved: "A transaction is put only where its key is free, in one transaction with the balance; a key that is taken is tried again a millisecond later.",
			Claims:   []string{"guardrail/wallet-and-transaction-together", "invariant/no-transaction-lost"},
		},
		{
			ID: "activity-same-second", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "two activities of a goal in one second are one item, and so are two insights of a type",
			Cite:     ap.Line(300, "ACTIVITY#{timestamp}").And(ap.Line(387, "INSIGHT#{type}#{timestamp}")),
			Literal:  "A task that completes a criterion makes two activities at once, and the second replaces the first.",
			Resolved: "An activity is put only where its key is free; a key that is taken is tried again a millisecond later.",
		},
		{
			ID: "logbook-one-entry-per-day", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "an entry has an id and a title of its own, but its day is its key",
			Cite:     ap.Line(477, "LOGBOOK#{date}").And(ap.Lines(479, 481, "Entry ID", "Entry date", "Entry title")),
			Literal:  "A second entry for a day silently replaces the first.",
			Resolved: "One entry a day, as the key has it: a new entry is put only where the day is free.",
		},
		{
			ID: "habit-log-one-per-day", Kind: ap.Hazard, Severity: ap.Low,
			Title:    "a habit has one log a day, whatever its frequency",
			Cite:     ap.Line(428, "LOG#{date}").And(ap.Line(410, "Custom")),
			Literal:  "A habit of several times a day keeps only its last log.",
			Resolved: "One log a day, as the key has it: a new log is put only where the day is free.",
		},
		{
			ID: "milestone-awarded-twice", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "nothing in a milestone's key says what was reached",
			Cite:     ap.Line(371, "MILESTONE#{milestoneId}").And(ap.Lines(375, 378, "streak", "streak_7", "`pointsAwarded`")),
			Literal:  "A retry that makes a new id stores the same milestone again, with its points.",
			Resolved: "An id made of type and value, of which streak_7 gives an example, put only where the key is free.",
		},
		{
			ID: "key-holds-editable-time", Kind: ap.Hazard, Severity: ap.Low,
			Title:    "what a user may want to correct is part of a key",
			Cite:     ap.Line(340, "LOG#{timestamp}").And(ap.Line(346, "When value was logged"), ap.Line(428, "LOG#{date}"), ap.Line(477, "LOGBOOK#{date}")),
			Literal:  "An update cannot change a key: DynamoDB refuses it.",
			Resolved: "The item moves: the old one deleted and the new one put in one transaction.",
		},
		{
			ID: "timestamp-source-undefined", Kind: ap.Gap, Severity: ap.Low,
			Title:    "which moment the timestamp in a key is, is not said",
			Cite:     ap.Line(300, "{timestamp}").And(ap.Line(340, "{timestamp}"), ap.Line(387, "{timestamp}"), ap.Line(532, "{timestamp}"), ap.Lines(352, 360, "loggedAt", "createdAt", "2026-01-10T18:00:00Z")),
			Literal:  "No entity has an attribute of that name; in the only example loggedAt and createdAt are equal.",
			Resolved: "It is loggedAt for logs, cachedAt for insights, and createdAt for activities and transactions, and the key must agree.",
			Claims:   []string{"entity/metric-log", "entity/metric-insight", "entity/goal-activity", "entity/wallet-transaction"},
			Static:   "the text is absent, and the example fits two readings",
		},
		{
			ID: "day-has-no-time-zone", Kind: ap.Gap, Severity: ap.Low,
			Title:    "whose day a date is, is not said",
			Cite:     ap.Line(431, "YYYY-MM-DD").And(ap.Line(480, "YYYY-MM-DD"), ap.Line(102, "preferences")),
			Literal:  "Timestamps are in UTC, dates are bare, and a profile has no time zone: the log of a late evening may belong to either of two days.",
			Resolved: "A date is taken as it was written and never derived from a timestamp.",
			Static:   "the text is absent",
		},
		{
			ID: "entity-type-is-not-prefix", Kind: ap.Gap, Severity: ap.Low,
			Title:    "the entity type and the prefix of the sort key differ for some entities",
			Cite:     ap.Lines(98, 99, "PROFILE", "USER").And(ap.Lines(532, 533, "WALLET_TXN#", "WALLET_TRANSACTION"), ap.Lines(340, 341, "LOG#", "METRIC_LOG"), ap.Line(33, "{entityType}#{createdAt}")),
			Literal:  "A reader who derives one from the other queries for WALLET_TRANSACTION# or USER and finds nothing.",
			Resolved: "Each template is transcribed as it stands. For the five entities of GSI2 the two are the same word.",
			Static:   "both places stand in the document, and neither is wrong alone",
		},
	}
}
