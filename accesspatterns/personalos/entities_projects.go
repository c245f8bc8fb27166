package personalos

import (
	"slices"

	ap "dynaproof/accesspatterns"
)

// projectEntities are projects and their links to tasks.
func projectEntities() []ap.Entity {
	one, five := ap.Between(1, 5)
	return []ap.Entity{
		{
			ID: "project", Title: "Project", Table: table, Cite: ap.Line(437, "Project"),
			Keys: []ap.KeyAttribute{
				{Attribute: "pk", Template: "USER#{userId}", Cite: ap.Line(441, "`pk`", "String", "USER#{userId}")},
				{Attribute: "sk", Template: "PROJECT#{projectId}", Binds: map[string]string{"projectId": "id"}, Cite: ap.Line(442, "`sk`", "String", "PROJECT#{projectId}")},
				// Added by a ruling: projects write the keys of GSI2 like tasks.
				{Attribute: "gsi2pk", Template: "{area}", Optional: true, Cite: ap.Line(66, "`{area}`", "GSI2").And(ap.Line(86, "gsi2pk", "Optional"))},
				{Attribute: "gsi2sk", Template: "PROJECT#{createdAt}", Optional: true, Cite: ap.Line(66, "{entityType}#{createdAt}").And(ap.Line(87, "gsi2sk", "Optional"))},
			},
			Attributes: slices.Concat([]ap.Attribute{
				{Name: "entityType", Type: ap.String, Presence: ap.Required, Allowed: []string{"PROJECT"}, Cite: ap.Line(443, "`entityType`", "String", `"PROJECT"`).And(ap.Line(80, "entityType: str"))},
				{Name: "id", Type: ap.String, Presence: ap.Required, Cite: ap.Line(444, "`id`", "String")},
				{Name: "name", Type: ap.String, Presence: ap.Required, Cite: ap.Line(445, "`name`", "String")},
				{Name: "description", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(446, "`description`", "String")},
				{Name: "area", Type: ap.String, Presence: ap.Required, Cite: ap.Line(447, "`area`", "String")},
				{Name: "subCategory", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(448, "`subCategory`", "String")},
				{Name: "priority", Type: ap.String, Presence: ap.Required, Allowed: []string{"P1", "P2", "P3", "P4"}, Cite: ap.Line(449, "`priority`", "String", "P1-P4").And(ap.Line(137, "P1, P2, P3, P4"))},
				{Name: "status", Type: ap.String, Presence: ap.Required, Allowed: []string{"Planning", "Active", "OnHold", "Completed", "Cancelled"}, Cite: ap.Line(450, "`status`", "String", "Planning", "Active", "OnHold", "Completed", "Cancelled")},
				{Name: "impact", Type: ap.Number, Presence: ap.Optional, Minimum: one, Maximum: five, Cite: ap.Line(451, "`impact`", "Number", "1-5")},
				{Name: "startDate", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(452, "`startDate`", "String")},
				{Name: "endDate", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(453, "`endDate`", "String")},
				{Name: "completedDate", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(454, "`completedDate`", "String")},
				{Name: "notes", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(455, "`notes`", "String")},
				{Name: "cachedHealth", Type: ap.String, Presence: ap.Optional, Allowed: []string{"green", "yellow", "red"}, Cite: ap.Line(456, "`cachedHealth`", "String", "green", "yellow", "red")},
				{Name: "cachedProgress", Type: ap.Number, Presence: ap.Optional, Cite: ap.Line(457, "`cachedProgress`", "Number")},
				{Name: "goalIds", Type: ap.List, Presence: ap.Optional, Cite: ap.Line(458, "`goalIds`", "List[String]")},
				{Name: "goalIds[]", Type: ap.String, Presence: ap.Required, Cite: ap.Line(458, "List[String]")},
			}, base()),
		},
		{
			ID: "project-task-link", Title: "Project → Task Link", Table: table, Cite: ap.Line(462, "Project → Task Link"),
			Keys: []ap.KeyAttribute{
				{Attribute: "pk", Template: "PROJECT#{projectId}", Cite: ap.Line(466, "`pk`", "String", "PROJECT#{projectId}")},
				{Attribute: "sk", Template: "TASK#{taskId}", Cite: ap.Line(467, "`sk`", "String", "TASK#{taskId}")},
			},
			Attributes: slices.Concat([]ap.Attribute{
				{Name: "entityType", Type: ap.String, Presence: ap.Required, Allowed: []string{"PROJECT_TASK"}, Cite: ap.Line(468, "`entityType`", "String", `"PROJECT_TASK"`).And(ap.Line(80, "entityType: str"))},
			}, base()),
		},
	}
}
