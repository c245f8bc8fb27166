package fusmain

import ap "dynaproof/accesspatterns"

func userEntities() []ap.Entity {
	return []ap.Entity{
		{
			ID: "group", Title: "Custom RBAC group (DynamoDB)", Table: table,
			Cite: ap.Lines(62, 66, "### 5. Custom RBAC group", "METADATA"),
			Keys: []ap.KeyAttribute{
				{Attribute: "PK", Template: "GROUP#{name}", Cite: ap.Line(66, `GROUP#\<name\>`)},
				{Attribute: "SK", Template: "METADATA", Cite: ap.Line(66, "METADATA")},
				{Attribute: "entityType", Template: "GROUP", Cite: ap.Line(66, "**entityType**=GROUP")},
				{Attribute: "entitySk", Template: "GROUP#{name}", Cite: ap.Line(66, `**entitySk**=GROUP#\<name\>`)},
			},
			Attributes: []ap.Attribute{
				{Name: "name", Type: ap.String, Cite: ap.Line(66, "name, description")},
				{Name: "description", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(66, "description")},
				// What the list holds is not said (finding undefined-values).
				{Name: "permissions", Type: ap.List, Cite: ap.Line(66, "permissions (list)")},
				{Name: "createdAt", Type: ap.String, Cite: ap.Line(66, "createdAt")},
				{Name: "updatedAt", Type: ap.String, Cite: ap.Line(66, "updatedAt")},
			},
		},
		{
			ID: "membership", Title: "User membership in custom group", Table: table,
			Cite: ap.Lines(71, 75, "### 6. User membership", `MEMBERSHIP#\<groupName\>`),
			Keys: []ap.KeyAttribute{
				{Attribute: "PK", Template: "USER#{userId}", Cite: ap.Line(75, `USER#\<cognitoSub\>`, "userId (cognito sub)")},
				{Attribute: "SK", Template: "MEMBERSHIP#{groupName}", Cite: ap.Line(75, `MEMBERSHIP#\<groupName\>`)},
				{Attribute: "groupName", Template: "{groupName}", Cite: ap.Line(75, "groupName, userId").And(ap.Line(14, "groupName (S)"))},
				{Attribute: "userId", Template: "{userId}", Cite: ap.Line(75, "userId (cognito sub)").And(ap.Line(14, "userId (S)"))},
			},
			Attributes: []ap.Attribute{
				{Name: "addedAt", Type: ap.String, Cite: ap.Line(75, "addedAt")},
				{Name: "addedBy", Type: ap.String, Cite: ap.Line(75, "addedBy")},
			},
		},
		{
			// Avatar, description and last login come about independently, so
			// that none of them is required.
			ID: "profile", Title: "User profile (avatar, description, last login)", Table: table,
			Cite: ap.Lines(80, 84, "### 7. User profile", "PROFILE"),
			Keys: []ap.KeyAttribute{
				{Attribute: "PK", Template: "USER#{userId}", Cite: ap.Line(84, `USER#\<cognitoSub\>`)},
				{Attribute: "SK", Template: "PROFILE", Cite: ap.Line(84, "PROFILE")},
			},
			Attributes: []ap.Attribute{
				{Name: "avatarKey", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(84, "avatarKey (S3 key)")},
				{Name: "description", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(84, "description")},
				{Name: "updatedAt", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(84, "updatedAt")},
				{Name: "lastLoginAt", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(84, "lastLoginAt")},
				{Name: "lastLoginIp", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(84, "lastLoginIp")},
			},
			Rules: []ap.Rule{{
				ID: "avatar-key-form", Statement: "avatarKey is in the user's own folder and names a UUID with an extension",
				Attribute: "avatarKey", Check: avatarKeyForm,
				Cite: ap.Line(87, "profile/avatars/{userId}/{uuid}.{ext}").And(ap.Line(84, "avatarKey (S3 key)")),
			}},
		},
	}
}
