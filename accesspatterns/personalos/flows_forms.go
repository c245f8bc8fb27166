package personalos

import (
	"slices"

	ap "dynaproof/accesspatterns"
)

// The plain forms in which a service stores, changes and deletes what a user owns.
// The document gives no condition for them, and the contract adds none but one: an
// UpdateItem changes an item that is there, because it would otherwise make one
// that lacks its key's attributes (finding writes-undocumented).
func formFlows() []ap.Pattern {
	return slices.Concat(
		forms("user-profile", "user profile", "PROFILE", ap.Line(93, "User Profile"),
			"email", "displayName", "preferences"),
		forms("task", "task", "TASK#{taskId}", ap.Line(124, "Task"),
			"title", "description", "extendedDescription", "area", "subCategory", "priority", "status", "size", "dueDate", "scheduledDate", "completedDate", "isRecurring", "recurrenceRule", "pointValue", "pointsAwarded", "notes", "goalIds", "projectIds", "gsi1pk", "gsi1sk", "gsi2pk", "gsi2sk"),
		forms("goal", "goal", "GOAL#{goalId}", ap.Line(214, "Goal"),
			"title", "description", "area", "subCategory", "timeHorizon", "priority", "status", "targetDate", "completedDate", "successCriteria", "progressConfig", "cachedProgress", "parentGoalId", "lastActivityAt", "notes", "gsi1pk", "gsi1sk", "gsi2pk", "gsi2sk"),
		forms("metric", "metric", "METRIC#{metricId}", ap.Line(310, "Metric"),
			"name", "description", "area", "subCategory", "unit", "customUnit", "direction", "targetValue", "thresholdLow", "thresholdHigh", "source", "status", "cachedStreak", "cachedTrend", "gsi2pk", "gsi2sk"),
		forms("habit", "habit", "HABIT#{habitId}", ap.Line(397, "Habit"),
			"name", "description", "area", "subCategory", "habitType", "frequency", "trigger", "action", "reward", "frictionUp", "frictionDown", "status", "cachedStreak", "cachedLongestStreak", "goalIds", "gsi2pk", "gsi2sk"),
		forms("project", "project", "PROJECT#{projectId}", ap.Line(437, "Project"),
			"name", "description", "area", "subCategory", "priority", "status", "impact", "startDate", "endDate", "completedDate", "notes", "cachedHealth", "cachedProgress", "goalIds", "gsi2pk", "gsi2sk"),
		forms("logbook-entry", "logbook entry", "LOGBOOK#{date}", ap.Line(472, "Logbook Entry"),
			"title", "notes", "mood", "energy", "linkedTaskIds", "linkedGoalIds", "linkedHabitIds", "linkedProjectIds"),
		forms("reward", "reward", "REWARD#{rewardId}", ap.Line(492, "Reward"),
			"title", "description", "category", "pointCost", "icon", "imageUrl", "isAutomated", "automationInstructions", "cooldownHours", "maxRedemptionsPerDay", "status"),
	)
}

// forms stores an entity of the user's own partition whole, edits it, and deletes it.
func forms(entity, title string, sort ap.KeyTemplate, cite ap.Citation, edits ...string) []ap.Pattern {
	const why = "finding writes-undocumented"
	flow := func(id, what string, cite ap.Citation, action ap.Action) ap.Pattern {
		return ap.Pattern{
			ID: id + "-" + entity, Title: what, Roles: user, Cite: cite.Chosen(why), Returns: []string{entity},
			Flow: []ap.Step{{Name: id, Cite: cite, Write: []ap.Action{action}}},
		}
	}
	changed := cite.And(ap.Line(83, "updatedAt: str"))
	return []ap.Pattern{
		flow("put", "a "+title+" is stored whole", cite, ap.Action{Kind: ap.Put, Table: table, Entity: entity, Item: entity}),
		flow("change", "attributes of a "+title+" change", changed, ap.Action{
			Kind: ap.Update, Table: table, Key: ofUserKey(sort), Item: entity, Edits: edits, Condition: ap.IfPresent("pk"),
			Set: []ap.Assignment{{Attribute: "updatedAt", Value: ap.Text("{now}")}},
		}),
		flow("remove", "a "+title+" is deleted", cite, ap.Action{Kind: ap.Delete, Table: table, Key: ofUserKey(sort)}),
	}
}
