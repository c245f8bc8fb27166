package osemladders

import "dynaproof/stacks/policy"

// guardrails give each role of osem-ladders.md:36 its policy. Two tables are listed by Scan, by admins only
// (osem-ladders.md:63, 127); ConfigVersions is listed by its index instead (osem-ladders.md:471-475, 511).
//
// No role is confined to partitions of its own: the document restricts nobody to their own users, teams, assessments or
// reports, and says of its lists only which of them are for admins.
func guardrails() policy.Guardrails {
	return policy.Guardrails{
		Roles: []policy.Role{
			{Name: "admin", Statements: admin},            // osem-ladders.md:36, 63, 127, 511
			{Name: "manager", Statements: manager},        // osem-ladders.md:36, 93
			{Name: "team_member", Statements: teamMember}, // osem-ladders.md:36
		},
		Table: func(id string, tables policy.Tables) []policy.Statement {
			if id == "Users" || id == "Teams" { // osem-ladders.md:63, 127
				return policy.NoScansButBy("admin", tables.Table(id))
			}
			return policy.NoScans(tables.Table(id))
		},
	}
}

// everyone reads items by id, and the lists that are not for admins (osem-ladders.md:62, 125, 205-208, 323-326, 422-424,
// 509-510).
func everyone(tables policy.Tables) []policy.Statement {
	return []policy.Statement{
		{
			Sid: "ById", Effect: policy.Allow, // osem-ladders.md:62, 125, 205, 323, 422, 509
			Action: []string{"dynamodb:GetItem"},
			Resource: []string{
				tables.Table("Users"), tables.Table("Teams"), tables.Table("AssessmentPlans"),
				tables.Table("Assessments"), tables.Table("AssessmentReports"), tables.Table("ConfigVersions"),
			},
		},
		{
			Sid: "Lists", Effect: policy.Allow, // osem-ladders.md:206, 324-325, 423-424
			Action: []string{"dynamodb:Query"},
			Resource: []string{
				tables.Index("AssessmentPlans", "teamId-index"),
				tables.Index("Assessments", "planId-teamMemberId-index"),
				tables.Index("Assessments", "teamMemberId-index"),
				tables.Index("AssessmentReports", "planId-index"),
				tables.Index("AssessmentReports", "teamMemberId-index"),
			},
		},
		{
			Sid: "PlansByStatus", Effect: policy.Allow, // osem-ladders.md:165, 207-208; drafts are listed by no pattern
			Action:    []string{"dynamodb:Query"},
			Resource:  []string{tables.Index("AssessmentPlans", "status-index")},
			Condition: policy.Partitions("active", "completed", "archived"),
		},
		{
			Sid: "SignUp", Effect: policy.Allow, // osem-ladders.md:24, 33-38
			Action:   []string{"dynamodb:PutItem"},
			Resource: []string{tables.Table("Users")},
		},
		{
			Sid: "TeamsOfManager", Effect: policy.Allow, // osem-ladders.md:93, 126
			Action:   []string{"dynamodb:Query"},
			Resource: []string{tables.Index("Teams", "managerId-index")},
		},
		{
			Sid: "Assess", Effect: policy.Allow, // osem-ladders.md:223-236; the document says of no role whose assessments it writes
			Action:   []string{"dynamodb:PutItem", "dynamodb:UpdateItem"},
			Resource: []string{tables.Table("Assessments")},
		},
		{
			Sid: "AssessWithinPlanAndTeam", Effect: policy.Allow, // osem-ladders.md:224-225
			Action:   []string{"dynamodb:ConditionCheckItem"},
			Resource: []string{tables.Table("AssessmentPlans"), tables.Table("Teams")},
		},
	}
}

// profile is what a role other than admin changes of users: what Microsoft 365 says of them, and no role.
func profile(tables policy.Tables) policy.Statement {
	return policy.Statement{
		Sid: "Profile", Effect: policy.Allow, // osem-ladders.md:34-35, 38
		Action:    []string{"dynamodb:UpdateItem"},
		Resource:  []string{tables.Table("Users")},
		Condition: policy.Written("userId", "email", "name", "updatedAt"),
	}
}

// activeConfig is all that a role other than admin sees of the configurations' list.
func activeConfig(tables policy.Tables) policy.Statement {
	return policy.Statement{
		Sid: "ActiveConfig", Effect: policy.Allow, // osem-ladders.md:510
		Action:    []string{"dynamodb:Query"},
		Resource:  []string{tables.Index("ConfigVersions", "isActive-index")},
		Condition: policy.Partitions("1"),
	}
}

// teamMember does what everyone does, and changes nothing of a report but when it was exported.
func teamMember(tables policy.Tables) []policy.Statement {
	return append(everyone(tables), activeConfig(tables), profile(tables), policy.Statement{
		Sid: "NoteExport", Effect: policy.Allow, // osem-ladders.md:350
		Action:    []string{"dynamodb:UpdateItem"},
		Resource:  []string{tables.Table("AssessmentReports")},
		Condition: policy.Written("reportId", "exportedAt"),
	})
}

// manager leads teams, and sees the active configuration.
func manager(tables policy.Tables) []policy.Statement {
	return append(leading(tables), activeConfig(tables), profile(tables))
}

// leading makes, changes and closes teams besides, leads their plans and makes reports (osem-ladders.md:69, 83, 86, 149,
// 332).
func leading(tables policy.Tables) []policy.Statement {
	return append(everyone(tables),
		policy.Statement{
			Sid: "Teams", Effect: policy.Allow, // osem-ladders.md:69, 82-83, 86, 542
			Action:   []string{"dynamodb:PutItem", "dynamodb:UpdateItem"},
			Resource: []string{tables.Table("Teams")},
		},
		policy.Statement{
			Sid: "TeamsOfUsers", Effect: policy.Allow, // osem-ladders.md:81-82
			Action:   []string{"dynamodb:ConditionCheckItem"},
			Resource: []string{tables.Table("Users")},
		},
		policy.Statement{
			Sid: "Plans", Effect: policy.Allow, // osem-ladders.md:143, 149
			Action:   []string{"dynamodb:PutItem", "dynamodb:UpdateItem"},
			Resource: []string{tables.Table("AssessmentPlans")},
		},
		policy.Statement{
			Sid: "Reports", Effect: policy.Allow, // osem-ladders.md:332, 341-350
			Action:   []string{"dynamodb:PutItem", "dynamodb:UpdateItem"},
			Resource: []string{tables.Table("AssessmentReports")},
		},
		policy.Statement{
			Sid: "ReportsOfAssessments", Effect: policy.Allow, // osem-ladders.md:344-345
			Action:   []string{"dynamodb:ConditionCheckItem"},
			Resource: []string{tables.Table("Assessments")},
		},
	)
}

// admin lists everything besides, gives roles, and stores and activates configurations (osem-ladders.md:36, 63, 127, 445,
// 511).
func admin(tables policy.Tables) []policy.Statement {
	return append(leading(tables),
		policy.Statement{
			Sid: "ListUsersAndTeams", Effect: policy.Allow, // osem-ladders.md:63, 127
			Action:   []string{"dynamodb:Scan"},
			Resource: []string{tables.Table("Users"), tables.Table("Teams")},
		},
		policy.Statement{
			Sid: "ListConfigs", Effect: policy.Allow, // osem-ladders.md:472, 511
			Action:    []string{"dynamodb:Query"},
			Resource:  []string{tables.Index("ConfigVersions", "isActive-index")},
			Condition: policy.Partitions("0", "1"),
		},
		policy.Statement{
			Sid: "Roles", Effect: policy.Allow, // osem-ladders.md:36
			Action:   []string{"dynamodb:UpdateItem"},
			Resource: []string{tables.Table("Users")},
		},
		policy.Statement{
			Sid: "StoreAndActivateConfigs", Effect: policy.Allow, // osem-ladders.md:439, 445
			Action:   []string{"dynamodb:PutItem", "dynamodb:UpdateItem"},
			Resource: []string{tables.Table("ConfigVersions")},
		},
	)
}
