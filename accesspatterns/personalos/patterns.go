package personalos

import (
	"slices"

	ap "dynaproof/accesspatterns"
)

// user is the only role: the owner, known by the userId (line 81).
var user = []string{"user"}

// indexPage is the explicit number of items that one page of an index read
// inspects. The indexes hold the items of all users, and the filter on userId
// works after the read, so an unbounded page would bill a user for everybody.
const indexPage = 25

func patterns() []ap.Pattern {
	return slices.Concat(userPatterns(), childPatterns(), indexPatterns(), flows())
}

// ofUser is the partition that holds what belongs to one user.
func ofUser() *ap.Equality { return ap.Equals("pk", "USER#{userId}") }

// query reads one partition, or the part of it that the condition names.
func query(partition *ap.Equality, sort *ap.SortCondition) *ap.Read {
	return &ap.Read{Operation: ap.OpQuery, Table: table, Partition: partition, Sort: sort}
}

// cached makes a reader treat what is past its ttl as absent, which DynamoDB may
// return for days.
func cached(read *ap.Read) *ap.Read {
	read.Expires = "ttl"
	return read
}

// userPatterns read a user's own partition.
func userPatterns() []ap.Pattern {
	return []ap.Pattern{
		{
			ID: "get-user-profile", Title: "Get user profile", Roles: user,
			Cite:    ap.Line(43, "Get user profile", "USER#{userId}", "PROFILE", "Table"),
			Read:    ap.Get(table, ofUser(), ap.Is("sk", "PROFILE")),
			Returns: []string{"user-profile"},
		},
		{
			ID: "list-tasks", Title: "List user's tasks", Roles: user,
			Cite:    ap.Line(44, "List user's tasks", "USER#{userId}", "begins_with(TASK#)", "Table").And(ap.Lines(549, 552, "begins_with('TASK#')")),
			Read:    query(ofUser(), ap.BeginsWith("sk", "TASK#")),
			Returns: []string{"task"},
		},
		{
			ID: "get-task", Title: "Get single task", Roles: user,
			Cite:    ap.Line(45, "Get single task", "USER#{userId}", "TASK#{taskId}", "Table"),
			Read:    ap.Get(table, ofUser(), ap.Is("sk", "TASK#{taskId}")),
			Returns: []string{"task"},
		},
		{
			ID: "list-goals", Title: "List user's goals", Roles: user,
			Cite:    ap.Line(46, "List user's goals", "USER#{userId}", "begins_with(GOAL#)", "Table"),
			Read:    query(ofUser(), ap.BeginsWith("sk", "GOAL#")),
			Returns: []string{"goal"},
		},
		{
			ID: "get-goal", Title: "Get single goal", Roles: user,
			Cite:    ap.Line(47, "Get single goal", "USER#{userId}", "GOAL#{goalId}", "Table"),
			Read:    ap.Get(table, ofUser(), ap.Is("sk", "GOAL#{goalId}")),
			Returns: []string{"goal"},
		},
		{
			ID: "list-metrics", Title: "List user's metrics", Roles: user,
			Cite:    ap.Line(48, "List user's metrics", "USER#{userId}", "begins_with(METRIC#)", "Table"),
			Read:    query(ofUser(), ap.BeginsWith("sk", "METRIC#")),
			Returns: []string{"metric"},
		},
		{
			ID: "get-metric", Title: "Get single metric", Roles: user,
			Cite:    ap.Lines(314, 315, "USER#{userId}", "METRIC#{metricId}").Implied("the metric's own key, as for tasks and goals"),
			Read:    ap.Get(table, ofUser(), ap.Is("sk", "METRIC#{metricId}")),
			Returns: []string{"metric"},
		},
		{
			ID: "list-habits", Title: "List user's habits", Roles: user,
			Cite:    ap.Line(49, "List user's habits", "USER#{userId}", "begins_with(HABIT#)", "Table"),
			Read:    query(ofUser(), ap.BeginsWith("sk", "HABIT#")),
			Returns: []string{"habit"},
		},
		{
			ID: "get-habit", Title: "Get single habit", Roles: user,
			Cite:    ap.Lines(401, 402, "USER#{userId}", "HABIT#{habitId}").Implied("the habit's own key, as for tasks and goals"),
			Read:    ap.Get(table, ofUser(), ap.Is("sk", "HABIT#{habitId}")),
			Returns: []string{"habit"},
		},
		{
			ID: "list-projects", Title: "List user's projects", Roles: user,
			Cite:    ap.Line(50, "List user's projects", "USER#{userId}", "begins_with(PROJECT#)", "Table"),
			Read:    query(ofUser(), ap.BeginsWith("sk", "PROJECT#")),
			Returns: []string{"project"},
		},
		{
			ID: "get-project", Title: "Get single project", Roles: user,
			Cite:    ap.Lines(441, 442, "USER#{userId}", "PROJECT#{projectId}").Implied("the project's own key, as for tasks and goals"),
			Read:    ap.Get(table, ofUser(), ap.Is("sk", "PROJECT#{projectId}")),
			Returns: []string{"project"},
		},
		{
			ID: "list-logbook", Title: "List user's logbook", Roles: user,
			Cite:    ap.Line(51, "List user's logbook", "USER#{userId}", "begins_with(LOGBOOK#)", "Table"),
			Read:    query(ofUser(), ap.BeginsWith("sk", "LOGBOOK#")),
			Returns: []string{"logbook-entry"},
		},
		{
			ID: "get-logbook-entry", Title: "Get the logbook entry of a day", Roles: user,
			Cite:    ap.Lines(476, 477, "USER#{userId}", "LOGBOOK#{date}").Implied("the entry's own key, which is its day"),
			Read:    ap.Get(table, ofUser(), ap.Is("sk", "LOGBOOK#{date}")),
			Returns: []string{"logbook-entry"},
		},
		{
			// A GetItem, because WALLET is also the beginning of WALLET_TXN#.
			ID: "get-wallet", Title: "Get wallet", Roles: user,
			Cite:    ap.Line(52, "Get wallet", "USER#{userId}", "`WALLET`", "Table"),
			Read:    ap.Get(table, ofUser(), ap.Is("sk", "WALLET")),
			Returns: []string{"wallet"},
		},
		{
			ID: "list-wallet-transactions", Title: "List the user's wallet transactions", Roles: user,
			Cite:    ap.Lines(531, 532, "USER#{userId}", "WALLET_TXN#{timestamp}").Implied("the transactions' sort key, which begins with WALLET_TXN#"),
			Read:    query(ofUser(), ap.BeginsWith("sk", "WALLET_TXN#")),
			Returns: []string{"wallet-transaction"},
		},
		{
			ID: "list-rewards", Title: "List rewards", Roles: user,
			Cite:    ap.Line(53, "List rewards", "USER#{userId}", "begins_with(REWARD#)", "Table"),
			Read:    query(ofUser(), ap.BeginsWith("sk", "REWARD#")),
			Returns: []string{"reward"},
		},
		{
			ID: "get-reward", Title: "Get single reward", Roles: user,
			Cite:    ap.Lines(496, 497, "USER#{userId}", "REWARD#{rewardId}").Implied("the reward's own key, as for tasks and goals"),
			Read:    ap.Get(table, ofUser(), ap.Is("sk", "REWARD#{rewardId}")),
			Returns: []string{"reward"},
		},
	}
}

// childPatterns read the partitions that hang on a metric, habit, goal, task or
// project. Their keys name no user: see finding partitions-not-scoped-by-user.
func childPatterns() []ap.Pattern {
	ofMetric := func() *ap.Equality { return ap.Equals("pk", "METRIC#{metricId}") }
	ofHabit := func() *ap.Equality { return ap.Equals("pk", "HABIT#{habitId}") }
	ofGoal := func() *ap.Equality { return ap.Equals("pk", "GOAL#{goalId}") }
	return []ap.Pattern{
		{
			ID: "list-metric-logs", Title: "List metric logs", Roles: user,
			Cite:    ap.Line(54, "List metric logs", "METRIC#{metricId}", "begins_with(LOG#)", "Table"),
			Read:    query(ofMetric(), ap.BeginsWith("sk", "LOG#")),
			Returns: []string{"metric-log"},
		},
		{
			// Resolved form: from and to are full timestamps, both included.
			ID: "list-metric-logs-in-range", Title: "Get metric logs of a time range", Roles: user,
			Cite:    ap.Lines(573, 580, "Time Range", "METRIC#{metric_id}", "between", "LOG#{start_date}", "LOG#{end_date}").Implied("a query example, which the table of patterns lacks"),
			Read:    query(ofMetric(), ap.Within("sk", "LOG#{from}", "LOG#{to}")),
			Returns: []string{"metric-log"},
		},
		{
			ID: "get-metric-log", Title: "Get the metric log of a moment", Roles: user,
			Cite:    ap.Lines(339, 340, "METRIC#{metricId}", "LOG#{timestamp}").Implied("the log's own key"),
			Read:    ap.Get(table, ofMetric(), ap.Is("sk", "LOG#{timestamp}")),
			Returns: []string{"metric-log"},
		},
		{
			ID: "list-milestones", Title: "List milestones", Roles: user,
			Cite:    ap.Line(61, "List milestones", "METRIC#{metricId}", "begins_with(MILESTONE#)", "Table"),
			Read:    query(ofMetric(), ap.BeginsWith("sk", "MILESTONE#")),
			Returns: []string{"metric-milestone"},
		},
		{
			ID: "get-milestone", Title: "Get single milestone", Roles: user,
			Cite:    ap.Lines(370, 371, "METRIC#{metricId}", "MILESTONE#{milestoneId}").Implied("the milestone's own key"),
			Read:    ap.Get(table, ofMetric(), ap.Is("sk", "MILESTONE#{milestoneId}")),
			Returns: []string{"metric-milestone"},
		},
		{
			ID: "list-insights", Title: "List AI insights (cached)", Roles: user,
			Cite:    ap.Line(62, "List AI insights (cached)", "METRIC#{metricId}", "begins_with(INSIGHT#)", "Table"),
			Read:    cached(query(ofMetric(), ap.BeginsWith("sk", "INSIGHT#"))),
			Returns: []string{"metric-insight"},
		},
		{
			ID: "list-insights-of-type", Title: "List AI insights of one type", Roles: user,
			Cite:    ap.Lines(386, 389, "METRIC#{metricId}", "INSIGHT#{type}#{timestamp}", "pattern, anomaly, correlation, prediction").Implied("the insight's sort key, in which the type comes before the time"),
			Read:    cached(query(ofMetric(), ap.BeginsWith("sk", "INSIGHT#{type}#"))),
			Returns: []string{"metric-insight"},
		},
		{
			ID: "list-habit-logs", Title: "List habit logs", Roles: user,
			Cite:    ap.Line(55, "List habit logs", "HABIT#{habitId}", "begins_with(LOG#)", "Table"),
			Read:    query(ofHabit(), ap.BeginsWith("sk", "LOG#")),
			Returns: []string{"habit-log"},
		},
		{
			ID: "get-habit-log", Title: "Get the habit log of a day", Roles: user,
			Cite:    ap.Lines(427, 428, "HABIT#{habitId}", "LOG#{date}").Implied("the log's own key, which is its day"),
			Read:    ap.Get(table, ofHabit(), ap.Is("sk", "LOG#{date}")),
			Returns: []string{"habit-log"},
		},
		{
			ID: "list-goal-task-links", Title: "List goal→task links", Roles: user,
			Cite:    ap.Line(56, "List goal→task links", "GOAL#{goalId}", "begins_with(TASK#)", "Table").And(ap.Lines(567, 570, "GOAL#{goal_id}", "begins_with('TASK#')")),
			Read:    query(ofGoal(), ap.BeginsWith("sk", "TASK#")),
			Returns: []string{"goal-task-link"},
		},
		{
			ID: "list-goal-metric-links", Title: "List goal→metric links", Roles: user,
			Cite:    ap.Line(57, "List goal→metric links", "GOAL#{goalId}", "begins_with(METRIC#)", "Table"),
			Read:    query(ofGoal(), ap.BeginsWith("sk", "METRIC#")),
			Returns: []string{"goal-metric-link"},
		},
		{
			ID: "list-goal-habit-links", Title: "List goal→habit links", Roles: user,
			Cite:    ap.Line(58, "List goal→habit links", "GOAL#{goalId}", "begins_with(HABIT#)", "Table"),
			Read:    query(ofGoal(), ap.BeginsWith("sk", "HABIT#")),
			Returns: []string{"goal-habit-link"},
		},
		{
			ID: "list-goal-activities", Title: "List goal activities", Roles: user,
			Cite:    ap.Line(63, "List goal activities", "GOAL#{goalId}", "begins_with(ACTIVITY#)", "Table"),
			Read:    query(ofGoal(), ap.BeginsWith("sk", "ACTIVITY#")),
			Returns: []string{"goal-activity"},
		},
		{
			ID: "list-task-dependencies", Title: "List task dependencies", Roles: user,
			Cite:    ap.Line(59, "List task dependencies", "TASK#{taskId}", "begins_with(DEP#)", "Table"),
			Read:    query(ap.Equals("pk", "TASK#{taskId}"), ap.BeginsWith("sk", "DEP#")),
			Returns: []string{"task-dependency"},
		},
		{
			ID: "list-project-task-links", Title: "List project→task links", Roles: user,
			Cite:    ap.Line(60, "List project→task links", "PROJECT#{projectId}", "begins_with(TASK#)", "Table"),
			Read:    query(ap.Equals("pk", "PROJECT#{projectId}"), ap.BeginsWith("sk", "TASK#")),
			Returns: []string{"project-task-link"},
		},
	}
}

// indexPatterns read GSI1 and GSI2, whose partitions hold the items of all
// users. By a ruling they declare a filter on userId and an explicit page size.
func indexPatterns() []ap.Pattern {
	own := func() []ap.FilterCondition {
		return []ap.FilterCondition{{Attribute: "userId", Operator: ap.FilterEquals, Value: ap.Text("{userId}")}}
	}
	index := func(name string, partition *ap.Equality, sort *ap.SortCondition) *ap.Read {
		return &ap.Read{
			Operation: ap.OpQuery, Table: table, Index: name, Partition: partition, Sort: sort,
			Order: ap.EitherOrder, PageSize: indexPage, Filter: own(),
		}
	}
	byArea := []string{"goal", "habit", "metric", "project", "task"}
	return []ap.Pattern{
		{
			ID: "query-tasks-by-status", Title: "Query tasks by status, by creation date", Roles: user,
			Cite: ap.Line(64, "Query tasks by status", "`TASK`", "{status}#{createdAt}", "GSI1").And(
				ap.Line(26, "sorted by creation date"), ap.Lines(558, 561, "IndexName='GSI1'", "begins_with('InProgress#')")),
			Read:    index("GSI1", ap.Equals("gsi1pk", "TASK"), ap.BeginsWith("gsi1sk", "{status}#")),
			Returns: []string{"task"},
		},
		{
			ID: "query-goals-by-status", Title: "Query goals by status, by creation date", Roles: user,
			Cite: ap.Line(65, "Query goals by status", "`GOAL`", "{status}#{createdAt}", "GSI1").And(
				ap.Line(26, "sorted by creation date")),
			Read:    index("GSI1", ap.Equals("gsi1pk", "GOAL"), ap.BeginsWith("gsi1sk", "{status}#")),
			Returns: []string{"goal"},
		},
		{
			ID: "query-by-area", Title: "Query by area, by entity type and creation date", Roles: user,
			Cite: ap.Line(66, "Query by area", "`{area}`", "{entityType}#{createdAt}", "GSI2").And(
				ap.Line(35, "sorted by type and date")),
			Read:    index("GSI2", ap.Equals("gsi2pk", "{area}"), nil),
			Returns: byArea,
		},
		{
			ID: "query-by-area-and-type", Title: "Query one entity type of an area, by creation date", Roles: user,
			Cite: ap.Line(66, "Query by area", "`{area}`", "{entityType}#{createdAt}", "GSI2").And(
				ap.Line(28, "Area + Entity Type")).Implied("the row's sort key, in which the entity type comes before the date"),
			Read:    index("GSI2", ap.Equals("gsi2pk", "{area}"), ap.BeginsWith("gsi2sk", "{entityType}#")),
			Returns: byArea,
		},
	}
}
