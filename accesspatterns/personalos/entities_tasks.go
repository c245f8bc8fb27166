package personalos

import (
	"slices"

	ap "dynaproof/accesspatterns"
)

// taskEntities are tasks and what blocks them.
func taskEntities() []ap.Entity {
	return []ap.Entity{
		{
			ID: "task", Title: "Task", Table: table, Cite: ap.Line(124, "Task"),
			Keys: []ap.KeyAttribute{
				{Attribute: "pk", Template: "USER#{userId}", Cite: ap.Line(128, "`pk`", "String", "USER#{userId}")},
				{Attribute: "sk", Template: "TASK#{taskId}", Cite: ap.Line(129, "`sk`", "String", "TASK#{taskId}")},
				{Attribute: "gsi1pk", Template: "TASK", Optional: true, Cite: ap.Line(150, "`gsi1pk`", "String", `"TASK"`).And(ap.Line(84, "Optional[str]"))},
				{Attribute: "gsi1sk", Template: "{status}#{createdAt}", Optional: true, Cite: ap.Line(151, "`gsi1sk`", "String", "{status}#{createdAt}").And(ap.Line(85, "Optional[str]"))},
				{Attribute: "gsi2pk", Template: "{area}", Optional: true, Cite: ap.Line(152, "`gsi2pk`", "String", "`{area}`").And(ap.Line(86, "Optional[str]"))},
				{Attribute: "gsi2sk", Template: "TASK#{createdAt}", Optional: true, Cite: ap.Line(153, "`gsi2sk`", "String", "TASK#{createdAt}").And(ap.Line(87, "Optional[str]"))},
			},
			Attributes: slices.Concat([]ap.Attribute{
				{Name: "entityType", Type: ap.String, Presence: ap.Required, Allowed: []string{"TASK"}, Cite: ap.Line(130, "`entityType`", "String", `"TASK"`).And(ap.Line(80, "entityType: str"))},
				{Name: "id", Type: ap.String, Presence: ap.Required, Cite: ap.Line(131, "`id`", "String", "same as in SK")},
				{Name: "title", Type: ap.String, Presence: ap.Required, Cite: ap.Line(132, "`title`", "String")},
				{Name: "description", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(133, "`description`", "String", "Optional")},
				{Name: "extendedDescription", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(134, "`extendedDescription`", "String")},
				{Name: "area", Type: ap.String, Presence: ap.Required, Cite: ap.Line(135, "`area`", "String", "Life area")},
				{Name: "subCategory", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(136, "`subCategory`", "String")},
				{Name: "priority", Type: ap.String, Presence: ap.Required, Allowed: []string{"P1", "P2", "P3", "P4"}, Cite: ap.Line(137, "`priority`", "String", "P1, P2, P3, P4")},
				{Name: "status", Type: ap.String, Presence: ap.Required, Allowed: []string{"NotStarted", "InProgress", "Blocked", "OnHold", "Done", "Cancelled"}, Cite: ap.Line(138, "`status`", "String", "NotStarted", "InProgress", "Blocked", "OnHold", "Done", "Cancelled")},
				{Name: "size", Type: ap.Number, Presence: ap.Optional, Cite: ap.Line(139, "`size`", "Number", "minutes")},
				{Name: "dueDate", Type: ap.String, Presence: ap.Optional, Format: ap.ISODate, Cite: ap.Line(140, "`dueDate`", "String", "ISO date")},
				{Name: "scheduledDate", Type: ap.String, Presence: ap.Optional, Format: ap.ISODate, Cite: ap.Line(141, "`scheduledDate`", "String", "ISO date")},
				{Name: "completedDate", Type: ap.String, Presence: ap.Nullable, Format: ap.ISOTimestamp, Cite: ap.Line(142, "`completedDate`", "String", "ISO timestamp").And(ap.Line(171, `"completedDate": None`))},
				{Name: "isRecurring", Type: ap.Boolean, Presence: ap.Required, Cite: ap.Line(143, "`isRecurring`", "Boolean")},
				{Name: "recurrenceRule", Type: ap.Map, Presence: ap.Nullable, Cite: ap.Line(144, "`recurrenceRule`", "Map", "{frequency, interval, endDate}").And(ap.Line(173, `"recurrenceRule": None`))},
				// The three members are named without types: see finding embedded-types-undefined.
				{Name: "recurrenceRule.frequency", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(144, "frequency")},
				{Name: "recurrenceRule.interval", Type: ap.Number, Presence: ap.Optional, Cite: ap.Line(144, "interval")},
				{Name: "recurrenceRule.endDate", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(144, "endDate")},
				{Name: "pointValue", Type: ap.Number, Presence: ap.Optional, Cite: ap.Line(145, "`pointValue`", "Number")},
				{Name: "pointsAwarded", Type: ap.Boolean, Presence: ap.Required, Cite: ap.Line(146, "`pointsAwarded`", "Boolean")},
				{Name: "notes", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(147, "`notes`", "String")},
				{Name: "goalIds", Type: ap.List, Presence: ap.Required, Cite: ap.Line(148, "`goalIds`", "List[String]")},
				{Name: "goalIds[]", Type: ap.String, NotEmpty: true, Presence: ap.Required, Cite: ap.Line(148, "List[String]")},
				{Name: "projectIds", Type: ap.List, Presence: ap.Required, Cite: ap.Line(149, "`projectIds`", "List[String]")},
				{Name: "projectIds[]", Type: ap.String, Presence: ap.Required, Cite: ap.Line(149, "List[String]")},
			}, base()),
			Rules: []ap.Rule{
				{
					ID: "id-repeats-key", Statement: "the id is the one in the sort key", Attribute: "id", Template: "{taskId}",
					Cite: ap.Line(131, "`id`", "same as in SK").And(ap.Line(129, "TASK#{taskId}")),
				},
			},
		},
		{
			ID: "task-dependency", Title: "Task Dependency", Table: table, Cite: ap.Line(190, "Task Dependency"),
			Keys: []ap.KeyAttribute{
				{Attribute: "pk", Template: "TASK#{taskId}", Cite: ap.Line(194, "`pk`", "String", "TASK#{taskId}")},
				{Attribute: "sk", Template: "DEP#{dependsOnTaskId}", Cite: ap.Line(195, "`sk`", "String", "DEP#{dependsOnTaskId}")},
			},
			Attributes: []ap.Attribute{
				{Name: "entityType", Type: ap.String, Presence: ap.Required, Allowed: []string{"TASK_DEPENDENCY"}, Cite: ap.Line(196, "`entityType`", "String", `"TASK_DEPENDENCY"`).And(ap.Line(80, "entityType: str"))},
				{Name: "taskId", Type: ap.String, Presence: ap.Required, Cite: ap.Line(197, "`taskId`", "String", "Blocked")},
				{Name: "dependsOnTaskId", Type: ap.String, Presence: ap.Required, Cite: ap.Line(198, "`dependsOnTaskId`", "String", "Blocking")},
				{Name: "createdAt", Type: ap.String, Presence: ap.Required, Format: ap.ISOTimestamp, Cite: ap.Line(82, "createdAt: str", "ISO 8601 timestamp").And(ap.Line(208, "createdAt"))},
				// The base class has these two, the example has not: see finding
				// base-attributes-contradicted.
				{Name: "userId", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(81, "userId: str")},
				{Name: "updatedAt", Type: ap.String, Presence: ap.Optional, Format: ap.ISOTimestamp, Cite: ap.Line(83, "updatedAt: str")},
			},
		},
	}
}
