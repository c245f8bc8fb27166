package personalos

import (
	"slices"

	ap "dynaproof/accesspatterns"
)

// habitEntities are habits and the days on which they were kept.
func habitEntities() []ap.Entity {
	return []ap.Entity{
		{
			ID: "habit", Title: "Habit", Table: table, Cite: ap.Line(397, "Habit"),
			Keys: []ap.KeyAttribute{
				{Attribute: "pk", Template: "USER#{userId}", Cite: ap.Line(401, "`pk`", "String", "USER#{userId}")},
				{Attribute: "sk", Template: "HABIT#{habitId}", Binds: map[string]string{"habitId": "id"}, Cite: ap.Line(402, "`sk`", "String", "HABIT#{habitId}")},
				// Added by a ruling: habits write the keys of GSI2 like tasks.
				{Attribute: "gsi2pk", Template: "{area}", Optional: true, Cite: ap.Line(66, "`{area}`", "GSI2").And(ap.Line(86, "gsi2pk", "Optional"))},
				{Attribute: "gsi2sk", Template: "HABIT#{createdAt}", Optional: true, Cite: ap.Line(66, "{entityType}#{createdAt}").And(ap.Line(87, "gsi2sk", "Optional"))},
			},
			Attributes: slices.Concat([]ap.Attribute{
				{Name: "entityType", Type: ap.String, Presence: ap.Required, Allowed: []string{"HABIT"}, Cite: ap.Line(403, "`entityType`", "String", `"HABIT"`).And(ap.Line(80, "entityType: str"))},
				{Name: "id", Type: ap.String, Presence: ap.Required, Cite: ap.Line(404, "`id`", "String")},
				{Name: "name", Type: ap.String, Presence: ap.Required, Cite: ap.Line(405, "`name`", "String")},
				{Name: "description", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(406, "`description`", "String")},
				{Name: "area", Type: ap.String, Presence: ap.Required, Cite: ap.Line(407, "`area`", "String")},
				{Name: "subCategory", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(408, "`subCategory`", "String")},
				{Name: "habitType", Type: ap.String, Presence: ap.Optional, Allowed: []string{"Build", "Maintain", "Reduce", "Quit"}, Cite: ap.Line(409, "`habitType`", "String", "Build", "Maintain", "Reduce", "Quit")},
				{Name: "frequency", Type: ap.String, Presence: ap.Optional, Allowed: []string{"Daily", "Weekly", "Monthly", "Custom"}, Cite: ap.Line(410, "`frequency`", "String", "Daily", "Weekly", "Monthly", "Custom")},
				{Name: "trigger", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(411, "`trigger`", "String")},
				{Name: "action", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(412, "`action`", "String")},
				{Name: "reward", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(413, "`reward`", "String")},
				{Name: "frictionUp", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(414, "`frictionUp`", "String")},
				{Name: "frictionDown", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(415, "`frictionDown`", "String")},
				{Name: "status", Type: ap.String, Presence: ap.Required, Allowed: []string{"Active", "Paused", "Archived"}, Cite: ap.Line(416, "`status`", "String", "Active", "Paused", "Archived")},
				{Name: "cachedStreak", Type: ap.Number, Presence: ap.Optional, Cite: ap.Line(417, "`cachedStreak`", "Number")},
				{Name: "cachedLongestStreak", Type: ap.Number, Presence: ap.Optional, Cite: ap.Line(418, "`cachedLongestStreak`", "Number")},
				{Name: "goalIds", Type: ap.List, Presence: ap.Optional, Cite: ap.Line(419, "`goalIds`", "List[String]")},
				{Name: "goalIds[]", Type: ap.String, Presence: ap.Required, Cite: ap.Line(419, "List[String]")},
			}, base()),
		},
		{
			ID: "habit-log", Title: "Habit Log", Table: table, Cite: ap.Line(423, "Habit Log"),
			Keys: []ap.KeyAttribute{
				{Attribute: "pk", Template: "HABIT#{habitId}", Cite: ap.Line(427, "`pk`", "String", "HABIT#{habitId}")},
				{Attribute: "sk", Template: "LOG#{date}", Cite: ap.Line(428, "`sk`", "String", "LOG#{date}")},
			},
			Attributes: slices.Concat([]ap.Attribute{
				{Name: "entityType", Type: ap.String, Presence: ap.Required, Allowed: []string{"HABIT_LOG"}, Cite: ap.Line(429, "`entityType`", "String", `"HABIT_LOG"`).And(ap.Line(80, "entityType: str"))},
				{Name: "habitId", Type: ap.String, Presence: ap.Required, Cite: ap.Line(430, "`habitId`", "String")},
				{Name: "date", Type: ap.String, Presence: ap.Required, Format: ap.ISODate, Cite: ap.Line(431, "`date`", "String", "YYYY-MM-DD")},
				{Name: "completed", Type: ap.Boolean, Presence: ap.Required, Cite: ap.Line(432, "`completed`", "Boolean")},
				{Name: "notes", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(433, "`notes`", "String", "Optional")},
			}, base()),
		},
	}
}
