package osemladders

import "dynaproof/stacks/policy"

// Guardrails give each role of osem-ladders.md:36 its policy. Two tables are listed by Scan, by admins only
// (osem-ladders.md:63, 127); ConfigVersions is listed by its index instead (osem-ladders.md:471-475, 511).
//
// No role is confined to partitions of its own: the document restricts nobody to their own users, teams, assessments or
// reports, and says of its lists only which of them are for admins.
func Guardrails() policy.Guardrails {
	return policy.Guardrails{
		Roles: []policy.Role{
			{Name: "admin", Statements: admin},            // osem-ladders.md:36, 63, 127, 511
			{Name: "manager", Statements: manager},        // osem-ladders.md:36, 93
			{Name: "team_member", Statements: teamMember}, // osem-ladders.md:36
		},
		ScannedBy: map[string]string{"Users": "admin", "Teams": "admin"}, // osem-ladders.md:63, 127
	}
}

// everyone reads items by id, and the lists that are not for admins (osem-ladders.md:62, 125, 205-208, 323-326, 422-424,
// 509-510).
func everyone(tables policy.Tables) []policy.Statement {
	return []policy.Statement{
		// osem-ladders.md:62, 125, 205, 323, 422, 509
		policy.Permit("ById", "GetItem", nil,
			tables.Table("Users"), tables.Table("Teams"), tables.Table("AssessmentPlans"), tables.Table("Assessments"), tables.Table("AssessmentReports"),
			tables.Table("ConfigVersions")),
		// osem-ladders.md:206, 324-325, 423-424
		policy.Permit("Lists", "Query", nil,
			tables.Index("AssessmentPlans", "teamId-index"), tables.Index("Assessments", "planId-teamMemberId-index"), tables.Index("Assessments",
				"teamMemberId-index"), tables.Index("AssessmentReports", "planId-index"), tables.Index("AssessmentReports", "teamMemberId-index")),
		// osem-ladders.md:165, 207-208; drafts are listed by no pattern
		policy.Permit("PlansByStatus", "Query", policy.Partitions("active", "completed", "archived"), tables.Index("AssessmentPlans", "status-index")),
		policy.Permit("SignUp", "PutItem", nil, tables.Table("Users")),                          // osem-ladders.md:24, 33-38
		policy.Permit("TeamsOfManager", "Query", nil, tables.Index("Teams", "managerId-index")), // osem-ladders.md:93, 126
		// osem-ladders.md:223-236; the document says of no role whose assessments it writes
		policy.Permit("Assess", "PutItem UpdateItem", nil, tables.Table("Assessments")),
		// osem-ladders.md:224-225
		policy.Permit("AssessWithinPlanAndTeam", "ConditionCheckItem", nil, tables.Table("AssessmentPlans"), tables.Table("Teams")),
	}
}

// profile is what a role other than admin changes of users: what Microsoft 365 says of them, and no role.
func profile(tables policy.Tables) policy.Statement {
	// osem-ladders.md:34-35, 38
	return policy.Permit("Profile", "UpdateItem", policy.Written("userId", "email", "name", "updatedAt"), tables.Table("Users"))
}

// activeConfig is all that a role other than admin sees of the configurations' list.
func activeConfig(tables policy.Tables) policy.Statement {
	return policy.Permit("ActiveConfig", "Query", policy.Partitions("1"), tables.Index("ConfigVersions", "isActive-index")) // osem-ladders.md:510
}

// teamMember does what everyone does, and changes nothing of a report but when it was exported.
func teamMember(tables policy.Tables) []policy.Statement {
	// osem-ladders.md:350
	return append(everyone(tables), activeConfig(tables), profile(tables), policy.Permit("NoteExport", "UpdateItem", policy.Written("reportId",
		"exportedAt"), tables.Table("AssessmentReports")))
}

// manager leads teams, and sees the active configuration.
func manager(tables policy.Tables) []policy.Statement {
	return append(leading(tables), activeConfig(tables), profile(tables))
}

// leading makes, changes and closes teams besides, leads their plans and makes reports (osem-ladders.md:69, 83, 86, 149,
// 332).
func leading(tables policy.Tables) []policy.Statement {
	return append(everyone(tables),
		policy.Permit("Teams", "PutItem UpdateItem", nil, tables.Table("Teams")),                      // osem-ladders.md:69, 82-83, 86, 542
		policy.Permit("TeamsOfUsers", "ConditionCheckItem", nil, tables.Table("Users")),               // osem-ladders.md:81-82
		policy.Permit("Plans", "PutItem UpdateItem", nil, tables.Table("AssessmentPlans")),            // osem-ladders.md:143, 149
		policy.Permit("Reports", "PutItem UpdateItem", nil, tables.Table("AssessmentReports")),        // osem-ladders.md:332, 341-350
		policy.Permit("ReportsOfAssessments", "ConditionCheckItem", nil, tables.Table("Assessments")), // osem-ladders.md:344-345
	)
}

// admin lists everything besides, gives roles, and stores and activates configurations (osem-ladders.md:36, 63, 127, 445,
// 511).
func admin(tables policy.Tables) []policy.Statement {
	return append(leading(tables),
		policy.Permit("ListUsersAndTeams", "Scan", nil, tables.Table("Users"), tables.Table("Teams")), // osem-ladders.md:63, 127
		// osem-ladders.md:472, 511
		policy.Permit("ListConfigs", "Query", policy.Partitions("0", "1"), tables.Index("ConfigVersions", "isActive-index")),
		policy.Permit("Roles", "UpdateItem", nil, tables.Table("Users")),                                    // osem-ladders.md:36
		policy.Permit("StoreAndActivateConfigs", "PutItem UpdateItem", nil, tables.Table("ConfigVersions")), // osem-ladders.md:439, 445
	)
}
