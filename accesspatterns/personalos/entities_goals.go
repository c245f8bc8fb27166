package personalos

import (
	"slices"

	ap "dynaproof/accesspatterns"
)

// goalEntities are goals with what they embed, their links and their activities.
func goalEntities() []ap.Entity {
	zero, hundred := ap.Between(0, 100)
	return []ap.Entity{
		{
			ID: "goal", Title: "Goal", Table: table, Cite: ap.Line(214, "Goal"),
			Keys: []ap.KeyAttribute{
				{Attribute: "pk", Template: "USER#{userId}", Cite: ap.Line(218, "`pk`", "String", "USER#{userId}")},
				{Attribute: "sk", Template: "GOAL#{goalId}", Binds: map[string]string{"goalId": "id"}, Cite: ap.Line(219, "`sk`", "String", "GOAL#{goalId}")},
				// Added by a ruling: goals write the keys of GSI1 like tasks.
				{Attribute: "gsi1pk", Template: "GOAL", Optional: true, Cite: ap.Line(65, "`GOAL`", "GSI1").And(ap.Line(84, "gsi1pk", "Optional"))},
				{Attribute: "gsi1sk", Template: "{status}#{createdAt}", Optional: true, Cite: ap.Line(65, "{status}#{createdAt}").And(ap.Line(85, "gsi1sk", "Optional"))},
				// Added by a ruling: goals write the keys of GSI2 like tasks.
				{Attribute: "gsi2pk", Template: "{area}", Optional: true, Cite: ap.Line(66, "`{area}`", "GSI2").And(ap.Line(86, "gsi2pk", "Optional"))},
				{Attribute: "gsi2sk", Template: "GOAL#{createdAt}", Optional: true, Cite: ap.Line(66, "{entityType}#{createdAt}").And(ap.Line(87, "gsi2sk", "Optional"))},
			},
			Attributes: slices.Concat([]ap.Attribute{
				{Name: "entityType", Type: ap.String, Presence: ap.Required, Allowed: []string{"GOAL"}, Cite: ap.Line(220, "`entityType`", "String", `"GOAL"`).And(ap.Line(80, "entityType: str"))},
				{Name: "id", Type: ap.String, Presence: ap.Required, Cite: ap.Line(221, "`id`", "String")},
				{Name: "title", Type: ap.String, Presence: ap.Required, Cite: ap.Line(222, "`title`", "String")},
				{Name: "description", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(223, "`description`", "String")},
				{Name: "area", Type: ap.String, Presence: ap.Required, Cite: ap.Line(224, "`area`", "String")},
				{Name: "subCategory", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(225, "`subCategory`", "String")},
				{Name: "timeHorizon", Type: ap.String, Presence: ap.Optional, Allowed: []string{"Yearly", "Quarterly", "Monthly", "Weekly", "Daily"}, Cite: ap.Line(226, "`timeHorizon`", "String", "Yearly", "Quarterly", "Monthly", "Weekly", "Daily")},
				{Name: "priority", Type: ap.String, Presence: ap.Required, Allowed: []string{"P1", "P2", "P3", "P4"}, Cite: ap.Line(227, "`priority`", "String", "P1-P4").And(ap.Line(137, "P1, P2, P3, P4"))},
				{Name: "status", Type: ap.String, Presence: ap.Required, Allowed: []string{"Planning", "Active", "OnTrack", "AtRisk", "Achieved", "Abandoned"}, Cite: ap.Line(228, "`status`", "String", "Planning", "Active", "OnTrack", "AtRisk", "Achieved", "Abandoned")},
				{Name: "targetDate", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(229, "`targetDate`", "String")},
				{Name: "completedDate", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(230, "`completedDate`", "String")},
				{Name: "successCriteria", Type: ap.List, Presence: ap.Optional, Cite: ap.Line(231, "`successCriteria`", "List[Map]")},
				{Name: "successCriteria[]", Type: ap.Map, Presence: ap.Required, Cite: ap.Line(231, "List[Map]")},
				{Name: "successCriteria[].id", Type: ap.String, Presence: ap.Required, Cite: ap.Line(242, `"id": "criteria-1"`)},
				{Name: "successCriteria[].text", Type: ap.String, Presence: ap.Required, Cite: ap.Line(243, `"text": "Reach 180 lbs"`)},
				{Name: "successCriteria[].isCompleted", Type: ap.Boolean, Presence: ap.Required, Cite: ap.Line(244, `"isCompleted": False`)},
				{Name: "successCriteria[].completedAt", Type: ap.String, Presence: ap.Nullable, Cite: ap.Line(245, `"completedAt": None`)},
				{Name: "successCriteria[].linkedMetricId", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(246, `"linkedMetricId": "metric-weight"`)},
				{Name: "successCriteria[].linkedTaskId", Type: ap.String, Presence: ap.Nullable, Cite: ap.Line(247, `"linkedTaskId": None`)},
				{Name: "successCriteria[].targetDate", Type: ap.String, Presence: ap.Optional, Format: ap.ISODate, Cite: ap.Line(248, `"targetDate": "2026-06-01"`)},
				{Name: "successCriteria[].order", Type: ap.Number, Presence: ap.Required, Cite: ap.Line(249, `"order": 1`)},
				{Name: "progressConfig", Type: ap.Map, Presence: ap.Optional, Cite: ap.Line(232, "`progressConfig`", "Map")},
				{Name: "progressConfig.criteriaWeight", Type: ap.Number, Presence: ap.Required, Cite: ap.Line(257, `"criteriaWeight": 40`)},
				{Name: "progressConfig.tasksWeight", Type: ap.Number, Presence: ap.Required, Cite: ap.Line(258, `"tasksWeight": 30`)},
				{Name: "progressConfig.metricsWeight", Type: ap.Number, Presence: ap.Required, Cite: ap.Line(259, `"metricsWeight": 20`)},
				{Name: "progressConfig.habitsWeight", Type: ap.Number, Presence: ap.Required, Cite: ap.Line(260, `"habitsWeight": 10`)},
				// Only shown as None; a Number, as it overrides a percentage: see finding
				// embedded-types-undefined.
				{Name: "progressConfig.manualOverride", Type: ap.Number, Presence: ap.Nullable, Cite: ap.Line(261, `"manualOverride": None`)},
				{Name: "cachedProgress", Type: ap.Number, Presence: ap.Optional, Minimum: zero, Maximum: hundred, Cite: ap.Line(233, "`cachedProgress`", "Number", "0-100")},
				{Name: "parentGoalId", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(234, "`parentGoalId`", "String")},
				{Name: "lastActivityAt", Type: ap.String, Presence: ap.Optional, Format: ap.ISOTimestamp, Cite: ap.Line(235, "`lastActivityAt`", "String", "timestamp")},
				{Name: "notes", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(236, "`notes`", "String")},
			}, base()),
		},
		{
			ID: "goal-task-link", Title: "Goal → Task Link", Table: table, Cite: ap.Line(269, "Goal → Task Link"),
			Keys: []ap.KeyAttribute{
				{Attribute: "pk", Template: "GOAL#{goalId}", Cite: ap.Line(273, "`pk`", "String", "GOAL#{goalId}")},
				{Attribute: "sk", Template: "TASK#{taskId}", Cite: ap.Line(274, "`sk`", "String", "TASK#{taskId}")},
			},
			Attributes: slices.Concat([]ap.Attribute{
				{Name: "entityType", Type: ap.String, Presence: ap.Required, Allowed: []string{"GOAL_TASK"}, Cite: ap.Line(275, "`entityType`", "String", `"GOAL_TASK"`).And(ap.Line(80, "entityType: str"))},
			}, base()),
		},
		{
			ID: "goal-metric-link", Title: "Goal → Metric Link", Table: table, Cite: ap.Line(277, "Goal → Metric Link"),
			Keys: []ap.KeyAttribute{
				{Attribute: "pk", Template: "GOAL#{goalId}", Cite: ap.Line(281, "`pk`", "String", "GOAL#{goalId}")},
				{Attribute: "sk", Template: "METRIC#{metricId}", Cite: ap.Line(282, "`sk`", "String", "METRIC#{metricId}")},
			},
			Attributes: slices.Concat([]ap.Attribute{
				{Name: "entityType", Type: ap.String, Presence: ap.Required, Allowed: []string{"GOAL_METRIC"}, Cite: ap.Line(283, "`entityType`", "String", `"GOAL_METRIC"`).And(ap.Line(80, "entityType: str"))},
			}, base()),
		},
		{
			ID: "goal-habit-link", Title: "Goal → Habit Link", Table: table, Cite: ap.Line(285, "Goal → Habit Link"),
			Keys: []ap.KeyAttribute{
				{Attribute: "pk", Template: "GOAL#{goalId}", Cite: ap.Line(289, "`pk`", "String", "GOAL#{goalId}")},
				{Attribute: "sk", Template: "HABIT#{habitId}", Cite: ap.Line(290, "`sk`", "String", "HABIT#{habitId}")},
			},
			Attributes: slices.Concat([]ap.Attribute{
				{Name: "entityType", Type: ap.String, Presence: ap.Required, Allowed: []string{"GOAL_HABIT"}, Cite: ap.Line(291, "`entityType`", "String", `"GOAL_HABIT"`).And(ap.Line(80, "entityType: str"))},
			}, base()),
		},
		{
			ID: "goal-activity", Title: "Goal Activity", Table: table, Cite: ap.Line(295, "Goal Activity"),
			Keys: []ap.KeyAttribute{
				{Attribute: "pk", Template: "GOAL#{goalId}", Cite: ap.Line(299, "`pk`", "String", "GOAL#{goalId}")},
				{Attribute: "sk", Template: "ACTIVITY#{timestamp}", Binds: map[string]string{"timestamp": "createdAt"}, Cite: ap.Line(300, "`sk`", "String", "ACTIVITY#{timestamp}")},
			},
			Attributes: slices.Concat([]ap.Attribute{
				{Name: "entityType", Type: ap.String, Presence: ap.Required, Allowed: []string{"GOAL_ACTIVITY"}, Cite: ap.Line(301, "`entityType`", "String", `"GOAL_ACTIVITY"`).And(ap.Line(80, "entityType: str"))},
				// The list of values is open ("etc."), so any text is allowed.
				{Name: "type", Type: ap.String, Presence: ap.Required, Cite: ap.Line(302, "`type`", "String", "criterion_completed", "task_completed")},
				{Name: "title", Type: ap.String, Presence: ap.Required, Cite: ap.Line(303, "`title`", "String")},
				{Name: "description", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(304, "`description`", "String")},
				{Name: "relatedEntityType", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(305, "`relatedEntityType`", "String")},
				{Name: "relatedEntityId", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(306, "`relatedEntityId`", "String")},
			}, base()),
		},
	}
}
