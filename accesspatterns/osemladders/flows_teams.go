package osemladders

import ap "dynaproof/accesspatterns"

func teamWrites() []ap.Pattern {
	team := idKey("teamId", "{teamId}")
	return []ap.Pattern{
		{
			ID: "soft-delete-team", Title: "a team is deleted by its flag, and stays readable by its id",
			Cite:  ap.Line(86, "Soft delete flag").And(ap.Line(542, "Soft deletes", "isActive flag (no hard deletes)")).Chosen(byRoles),
			Roles: []string{admin, manager},
			Flow: []ap.Step{
				{
					Name: "deactivate", Cite: ap.Line(86, "isActive", "Boolean").And(ap.Line(85, "updatedAt")),
					Write: []ap.Action{{
						Kind: ap.Update, Table: "Teams", Key: []ap.Equality{*ap.Equals("teamId", "{teamId}")},
						Set: []ap.Assignment{
							{Attribute: "isActive", Value: ap.Truth(false)},
							{Attribute: "updatedAt", Value: ap.Digits("{updatedAt}")},
						},
						Condition: []ap.WriteCondition{{Attribute: "isActive", Operator: ap.ConditionEquals, Value: ap.Truth(true)}},
					}},
				},
				{
					Name: "team", Cite: ap.Line(125, "GetItem(teamId)"),
					Read: ap.Get("Teams", ap.Equals("teamId", "{teamId}")),
				},
			},
			Returns: []string{"team"},
		},
		{
			ID: "create-team", Title: "a new team with its members, of a manager who is a user",
			Cite:  ap.Lines(78, 86, "teamId", "managerId", "memberIds", "createdBy", "isActive").And(ap.Line(69, "membership")).Chosen("finding references-unchecked"),
			Roles: []string{admin, manager},
			Flow: []ap.Step{{
				Name: "create", Cite: ap.Line(81, "managerId", "User ID of manager").And(ap.Line(83, "User ID (admin or manager)")),
				Write: []ap.Action{
					{Kind: ap.ConditionCheck, Table: "Users", Key: idKey("userId", "{managerId}"), Condition: ap.IfPresent("userId")},
					{Kind: ap.Put, Table: "Teams", Entity: "team", Item: "team", Condition: ap.IfAbsent("teamId"), With: []ap.Equality{*ap.Equals("managerId", "{managerId}")}},
				},
			}},
			Returns: []string{"team"},
		},
		{
			// DynamoDB adds the member to the set as it is stored, so that no
			// reading of the team can be out of date.
			ID: "add-team-member", Title: "a user joins a team that is not soft-deleted",
			Cite:  ap.Line(82, "memberIds", "String Set", "User IDs").And(ap.Line(86, "Soft delete flag")).Chosen("finding references-unchecked"),
			Roles: []string{admin, manager},
			Flow: []ap.Step{{
				Name: "add", Cite: ap.Line(82, "memberIds", "String Set", "User IDs"),
				Write: []ap.Action{
					{Kind: ap.ConditionCheck, Table: "Users", Key: idKey("userId", "{userId}"), Condition: ap.IfPresent("userId")},
					{
						Kind: ap.Update, Table: "Teams", Key: team,
						Set:       []ap.Assignment{{Attribute: "memberIds", Operator: ap.Include, Value: ap.Member("{userId}")}, updatedAt()},
						Condition: []ap.WriteCondition{is("isActive", ap.Truth(true))},
					},
				},
			}},
			Returns: []string{"team"},
		},
		{
			// A set without members is removed with its attribute, which is
			// required. Removing a user who is no member changes nothing, so that
			// a removal can be repeated.
			ID: "remove-team-member", Title: "a user leaves a team, unless nobody would be left",
			Cite:  ap.Line(82, "memberIds", "String Set", "Yes").Chosen("finding last-member-removed"),
			Roles: []string{admin, manager},
			Flow: []ap.Step{{
				Name: "remove", Cite: ap.Line(82, "memberIds", "String Set", "Yes"),
				Write: []ap.Action{{
					Kind: ap.Update, Table: "Teams", Key: team,
					Set: []ap.Assignment{{Attribute: "memberIds", Operator: ap.Exclude, Value: ap.Member("{userId}")}, updatedAt()},
					Condition: []ap.WriteCondition{
						is("isActive", ap.Truth(true)),
						ap.AnyOf(
							ap.WriteCondition{Attribute: "memberIds", Operator: ap.ConditionSizeAbove, Value: ap.Digits("1")},
							ap.WriteCondition{Attribute: "memberIds", Operator: ap.ConditionLacks, Value: ap.Text("{userId}")},
						),
					},
				}},
			}},
			Returns: []string{"team"},
		},
	}
}
