package personalos

import ap "dynaproof/accesspatterns"

// logFlows record what was measured, kept or computed.
func logFlows() []ap.Pattern {
	metricLog := ap.Lines(339, 342, "METRIC#{metricId}", "LOG#{timestamp}", "Log ID")
	return []ap.Pattern{
		{
			// A second log of the same second has another id and is refused; the
			// same log again replaces itself.
			ID: "log-metric", Title: "Log a value of a metric, under a second that no other log has", Roles: user,
			Cite:    ap.Line(602, "Log metric", "20/day").And(metricLog, ap.Line(344, "`value`")).Implied("the capacity estimate counts the operation; a metric has no attribute that repeats its last value"),
			Returns: []string{"metric-log"},
			Flow: []ap.Step{{
				Name: "log", Cite: metricLog,
				Write: []ap.Action{
					exists("METRIC#{metricId}"),
					{Kind: ap.Put, Table: table, Entity: "metric-log", Item: "metric-log", Condition: []ap.WriteCondition{ap.AnyOf(
						ap.WriteCondition{Attribute: "pk", Operator: ap.AttributeNotExists},
						ap.WriteCondition{Attribute: "id", Operator: ap.ConditionEquals, Value: ap.Text("{logId}")},
					)}},
				},
			}},
		},
		{
			// How a streak is counted is not said (finding
			// cached-figures-have-no-source), so its two figures are parameters.
			// They are stored with the log that changed them, and only by who saw
			// the latest.
			ID: "log-habit", Title: "Log a day of a habit together with the streaks that it makes", Roles: user,
			Cite: ap.Lines(427, 432, "HABIT#{habitId}", "LOG#{date}", "`completed`").And(
				ap.Lines(417, 418, "`cachedStreak`", "Current streak", "`cachedLongestStreak`", "Longest streak")).Implied("a log is an item of its own, and the habit repeats the streaks that logs make"),
			Returns: []string{"habit-log"},
			Flow: []ap.Step{
				read("habit", ap.Lines(401, 402, "USER#{userId}", "HABIT#{habitId}"), "HABIT#{habitId}"),
				{
					Name: "logs", Cite: ap.Line(55, "List habit logs", "begins_with(LOG#)"),
					Read: query(ap.Equals("pk", "HABIT#{habitId}"), ap.BeginsWith("sk", "LOG#")),
				},
				{
					Name: "log", Cite: ap.Lines(427, 428, "HABIT#{habitId}", "LOG#{date}"), ForEach: ap.Each("habit", "updatedAt", "readAt"),
					Write: []ap.Action{
						put("habit-log"),
						{
							Kind: ap.Update, Table: table, Key: ofUserKey("HABIT#{habitId}"),
							Set: []ap.Assignment{
								{Attribute: "cachedStreak", Value: ap.Digits("{streak}")},
								{Attribute: "cachedLongestStreak", Value: ap.Digits("{longest}")},
								{Attribute: "updatedAt", Value: ap.Text("{now}")},
							},
							Condition: append(unchanged(), later()),
						},
					},
				},
			},
		},
		{
			ID: "cache-insight", Title: "Cache an AI insight until it expires", Roles: user,
			Cite:    ap.Lines(386, 393, "METRIC#{metricId}", "INSIGHT#{type}#{timestamp}", "When cached", "Cache expiration", "DynamoDB auto-delete").Implied("insights are results that were cached; the key must not take the place of another one"),
			Returns: []string{"metric-insight"},
			Flow: []ap.Step{{
				Name: "cache", Cite: ap.Line(387, "INSIGHT#{type}#{timestamp}"), Write: []ap.Action{put("metric-insight")},
			}},
		},
	}
}
