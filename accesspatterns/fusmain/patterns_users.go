package fusmain

import ap "dynaproof/accesspatterns"

func userReads() []ap.Pattern {
	return []ap.Pattern{
		{
			ID: "list-groups", Title: "List all groups", Roles: admins(),
			Cite:    ap.Line(68, "**byEntity**", "`entityType=GROUP`").And(ap.Line(11, "`entityType=GROUP`")),
			Read:    &ap.Read{Operation: ap.OpQuery, Table: table, Index: "byEntity", Partition: ap.Equals("entityType", "GROUP")},
			Returns: []string{"group"},
		},
		{
			ID: "get-group", Title: "Get group", Roles: admins(),
			Cite:    ap.Line(69, `GetItem(PK=GROUP#\<name\>, SK=METADATA)`),
			Read:    ap.Get(table, ap.Equals("PK", "GROUP#{name}"), ap.Is("SK", "METADATA")),
			Returns: []string{"group"},
		},
		{
			ID: "custom-groups-of-user", Title: "User's custom groups", Roles: loggedIn(),
			Cite: ap.Line(77, `PK=USER#\<sub\>`, "`SK begins_with MEMBERSHIP#`"),
			Read: &ap.Read{
				Operation: ap.OpQuery, Table: table,
				Partition: ap.Equals("PK", "USER#{userId}"), Sort: ap.BeginsWith("SK", "MEMBERSHIP#"),
			},
			Returns: []string{"membership"},
		},
		{
			ID: "check-membership", Title: "Is a user in a custom group", Roles: loggedIn(),
			Cite:    ap.Line(121, "users in the Squash custom group").And(ap.Line(75, `USER#\<cognitoSub\>`, `MEMBERSHIP#\<groupName\>`)).Implied("The squash section is shown to a group's members, which asks for one membership by its key."),
			Read:    ap.Get(table, ap.Equals("PK", "USER#{userId}"), ap.Is("SK", "MEMBERSHIP#{groupName}")),
			Returns: []string{"membership"},
		},
		{
			ID: "group-members", Title: "Group members", Roles: admins(),
			Cite:    ap.Line(78, "**byGroup**", `groupName=\<name\>`).And(ap.Line(14, "List users in custom group")),
			Read:    &ap.Read{Operation: ap.OpQuery, Table: table, Index: "byGroup", Partition: ap.Equals("groupName", "{groupName}")},
			Returns: []string{"membership"},
		},
		{
			ID: "get-profile", Title: "Get profile", Roles: loggedIn(),
			Cite:    ap.Line(86, `GetItem(PK=USER#\<sub\>, SK=PROFILE)`),
			Read:    ap.Get(table, ap.Equals("PK", "USER#{userId}"), ap.Is("SK", "PROFILE")),
			Returns: []string{"profile"},
		},
	}
}

func userWrites() []ap.Pattern {
	return []ap.Pattern{
		{
			ID: "create-group", Title: "Create a custom group", Roles: admins(),
			Cite: ap.Line(66, `GROUP#\<name\>`, "createdAt, updatedAt").Implied("The item section describes what is stored; nobody is said to write it."),
			Flow: []ap.Step{{
				Name: "create", Cite: ap.Line(66, "METADATA"),
				Write: []ap.Action{{Kind: ap.Put, Table: table, Entity: "group", Item: putGroup, Condition: ap.IfAbsent("PK")}},
			}},
			Returns: []string{"group"},
		},
		{
			ID: "add-member", Title: "Add a user to a custom group that exists", Roles: admins(),
			Cite: ap.Line(75, "addedAt, addedBy").And(ap.Line(66, `GROUP#\<name\>`)).Implied("A membership says who added it and when; the group is checked in the same transaction, so that nobody joins what is not there."),
			Flow: []ap.Step{{
				Name: "add", Cite: ap.Line(75, `MEMBERSHIP#\<groupName\>`),
				Write: []ap.Action{
					{Kind: ap.ConditionCheck, Table: table, Key: key("GROUP#{groupName}", "METADATA"), Condition: ap.IfPresent("PK")},
					{Kind: ap.Put, Table: table, Entity: "membership", Item: putMember},
				},
			}},
			Returns: []string{"membership"},
		},
		{
			ID: "remove-member", Title: "Remove a user from a custom group", Roles: admins(),
			Cite: ap.Line(75, `USER#\<cognitoSub\>`, `MEMBERSHIP#\<groupName\>`).And(ap.Line(14, "List users in custom group")).Implied("One item is behind both lookups of a membership, so that ending it is one delete."),
			Flow: []ap.Step{{
				Name: "remove", Cite: ap.Line(75, `MEMBERSHIP#\<groupName\>`),
				Write: []ap.Action{{Kind: ap.Delete, Table: table, Key: key("USER#{userId}", "MEMBERSHIP#{groupName}")}},
			}},
			Returns: []string{"membership"},
		},
		{
			ID: "record-login", Title: "Note a user's last login", Roles: loggedIn(),
			Cite: ap.Line(84, "lastLoginAt, lastLoginIp").And(ap.Line(80, "last login")).Implied("Only an update keeps avatar and description; it makes the profile at the first login."),
			Flow: []ap.Step{{
				Name: "record", Cite: ap.Line(84, "lastLoginAt, lastLoginIp"),
				Write: []ap.Action{{
					Kind: ap.Update, Table: table, Key: key("USER#{userId}", "PROFILE"),
					Set: []ap.Assignment{set("lastLoginAt"), set("lastLoginIp")},
				}},
			}},
			Returns: []string{"profile"},
		},
		{
			ID: "change-profile", Title: "Change avatar and description of a profile", Roles: loggedIn(),
			Cite: ap.Line(84, "avatarKey (S3 key), description, updatedAt").And(ap.Line(80, "avatar, description")).Implied("Avatar and description are the user's own, and stand beside what each login writes."),
			Flow: []ap.Step{{
				Name: "change", Cite: ap.Line(84, "PROFILE"),
				Write: []ap.Action{{
					Kind: ap.Update, Table: table, Key: key("USER#{userId}", "PROFILE"),
					Set: []ap.Assignment{set("avatarKey"), set("description"), set("updatedAt")},
				}},
			}},
			Returns: []string{"profile"},
		},
	}
}
