package personalos

import (
	"slices"

	ap "dynaproof/accesspatterns"
)

// logbookEntities are the daily entries of a logbook.
func logbookEntities() []ap.Entity {
	one, ten := ap.Between(1, 10)
	return []ap.Entity{
		{
			ID: "logbook-entry", Title: "Logbook Entry", Table: table, Cite: ap.Line(472, "Logbook Entry"),
			Keys: []ap.KeyAttribute{
				{Attribute: "pk", Template: "USER#{userId}", Cite: ap.Line(476, "`pk`", "String", "USER#{userId}")},
				{Attribute: "sk", Template: "LOGBOOK#{date}", Cite: ap.Line(477, "`sk`", "String", "LOGBOOK#{date}")},
			},
			Attributes: slices.Concat([]ap.Attribute{
				{Name: "entityType", Type: ap.String, Presence: ap.Required, Allowed: []string{"LOGBOOK"}, Cite: ap.Line(478, "`entityType`", "String", `"LOGBOOK"`).And(ap.Line(80, "entityType: str"))},
				{Name: "id", Type: ap.String, Presence: ap.Required, Cite: ap.Line(479, "`id`", "String")},
				{Name: "date", Type: ap.String, Presence: ap.Required, Format: ap.ISODate, Cite: ap.Line(480, "`date`", "String", "YYYY-MM-DD")},
				{Name: "title", Type: ap.String, Presence: ap.Required, Cite: ap.Line(481, "`title`", "String")},
				{Name: "notes", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(482, "`notes`", "String")},
				{Name: "mood", Type: ap.String, Presence: ap.Optional, Allowed: []string{"Low", "Steady", "High"}, Cite: ap.Line(483, "`mood`", "String", "Low", "Steady", "High")},
				{Name: "energy", Type: ap.Number, Presence: ap.Optional, Minimum: one, Maximum: ten, Cite: ap.Line(484, "`energy`", "Number", "1-10")},
				{Name: "linkedTaskIds", Type: ap.List, Presence: ap.Optional, Cite: ap.Line(485, "`linkedTaskIds`", "List[String]")},
				{Name: "linkedTaskIds[]", Type: ap.String, Presence: ap.Required, Cite: ap.Line(485, "List[String]")},
				{Name: "linkedGoalIds", Type: ap.List, Presence: ap.Optional, Cite: ap.Line(486, "`linkedGoalIds`", "List[String]")},
				{Name: "linkedGoalIds[]", Type: ap.String, Presence: ap.Required, Cite: ap.Line(486, "List[String]")},
				{Name: "linkedHabitIds", Type: ap.List, Presence: ap.Optional, Cite: ap.Line(487, "`linkedHabitIds`", "List[String]")},
				{Name: "linkedHabitIds[]", Type: ap.String, Presence: ap.Required, Cite: ap.Line(487, "List[String]")},
				{Name: "linkedProjectIds", Type: ap.List, Presence: ap.Optional, Cite: ap.Line(488, "`linkedProjectIds`", "List[String]")},
				{Name: "linkedProjectIds[]", Type: ap.String, Presence: ap.Required, Cite: ap.Line(488, "List[String]")},
			}, base()),
		},
	}
}
