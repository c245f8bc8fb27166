package personalos

import (
	ap "dynaproof/accesspatterns"
)

// profileEntities are the items that describe a user.
func profileEntities() []ap.Entity {
	return []ap.Entity{
		{
			ID: "user-profile", Title: "User Profile", Table: table, Cite: ap.Line(93, "User Profile"),
			Keys: []ap.KeyAttribute{
				{Attribute: "pk", Template: "USER#{userId}", Cite: ap.Line(97, "`pk`", "String", "USER#{userId}")},
				{Attribute: "sk", Template: "PROFILE", Cite: ap.Line(98, "`sk`", "String", "PROFILE")},
			},
			Attributes: []ap.Attribute{
				{Name: "entityType", Type: ap.String, Presence: ap.Required, Allowed: []string{"USER"}, Cite: ap.Line(99, "`entityType`", "String", `"USER"`).And(ap.Line(80, "entityType: str"))},
				{Name: "email", Type: ap.String, Presence: ap.Required, Cite: ap.Line(100, "`email`", "String")},
				{Name: "displayName", Type: ap.String, Presence: ap.Required, Cite: ap.Line(101, "`displayName`", "String")},
				{Name: "preferences", Type: ap.Map, Presence: ap.Required, Cite: ap.Line(102, "`preferences`", "Map")},
				{Name: "preferences.theme", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(114, `"theme": "dark"`).And(ap.Line(102, "theme"))},
				// Named, but neither typed nor shown: see finding preferences-members.
				{Name: "preferences.notifications", Type: ap.Map, Presence: ap.Optional, Cite: ap.Line(102, "notifications")},
				// Only the example shows it.
				{Name: "preferences.defaultArea", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(115, `"defaultArea": "Health"`)},
				{Name: "createdAt", Type: ap.String, Presence: ap.Required, Format: ap.ISOTimestamp, Cite: ap.Line(103, "`createdAt`", "String").And(ap.Line(82, "createdAt", "ISO 8601 timestamp"))},
				{Name: "updatedAt", Type: ap.String, Presence: ap.Required, Format: ap.ISOTimestamp, Cite: ap.Line(83, "updatedAt: str", "ISO 8601 timestamp").And(ap.Line(118, "updatedAt"))},
				// The base class has it, the example has not: see finding base-attributes-contradicted.
				{Name: "userId", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(81, "userId: str")},
			},
		},
	}
}
