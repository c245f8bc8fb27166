package osemladders

import (
	"slices"

	ap "dynaproof/accesspatterns"
)

func patterns() []ap.Pattern {
	return slices.Concat(
		userPatterns(), teamPatterns(), planPatterns(),
		assessmentPatterns(), reportPatterns(), configPatterns(),
		userForms(), teamForms(), planForms(), assessmentForms(), reportForms(), configForms(),
		teamWrites(), planWrites(), assessmentWrites(), reportWrites(), configWrites(),
	)
}

// The roles of line 36. The document names a role only for its three Scans and for
// who creates a team; where it is silent every role may read (finding
// roles-of-reads), and who may write what is chosen (finding roles-of-writes).
const (
	admin   = "admin"
	manager = "manager"
	member  = "team_member"
)

func everyone() []string { return []string{admin, manager, member} }

// pageOfScan is the Limit with which replays read every page of a waived Scan. The
// document says "paginated" without a size (finding page-size).
const pageOfScan = 25

func userPatterns() []ap.Pattern {
	return []ap.Pattern{
		{
			ID: "get-user", Title: "a user by its Cognito sub",
			Cite:    ap.Line(62, "GetItem(userId)"),
			Roles:   everyone(),
			Read:    ap.Get("Users", ap.Equals("userId", "{userId}")),
			Returns: []string{"user"},
		},
		{
			ID: "list-users", Title: "all users, for admins, page by page",
			Cite:    ap.Line(63, "List all users", "Scan", "admin only", "paginated"),
			Roles:   []string{admin},
			Read:    &ap.Read{Operation: ap.OpScan, Table: "Users", PageSize: pageOfScan},
			Returns: []string{"user"},
			Waiver:  "scan-users",
		},
	}
}

func teamPatterns() []ap.Pattern {
	return []ap.Pattern{
		{
			ID: "get-team", Title: "a team by its id",
			Cite:    ap.Line(125, "GetItem(teamId)"),
			Roles:   everyone(),
			Read:    ap.Get("Teams", ap.Equals("teamId", "{teamId}")),
			Returns: []string{"team"},
		},
		{
			ID: "list-teams-of-manager", Title: "the teams that a user manages, soft-deleted ones included",
			Cite:  ap.Line(126, "Query(managerId-index, managerId = X)").And(ap.Line(93, "all teams managed by a user")),
			Roles: everyone(),
			Read: &ap.Read{
				Operation: ap.OpQuery, Table: "Teams", Index: "managerId-index",
				Partition: ap.Equals("managerId", "{managerId}"),
			},
			Returns: []string{"team"},
		},
		{
			ID: "list-teams", Title: "all teams that are not soft-deleted, for admins, page by page",
			Cite:  ap.Line(127, "List all teams", "Scan", "admin only", "paginated", "filter isActive=true"),
			Roles: []string{admin},
			Read: &ap.Read{
				Operation: ap.OpScan, Table: "Teams", PageSize: pageOfScan,
				Filter: []ap.FilterCondition{{Attribute: "isActive", Operator: ap.FilterEquals, Value: ap.Truth(true)}},
			},
			Returns: []string{"team"},
			Waiver:  "scan-teams",
		},
	}
}

func planPatterns() []ap.Pattern {
	return []ap.Pattern{
		{
			ID: "get-plan", Title: "an assessment plan by its id",
			Cite:    ap.Line(205, "GetItem(planId)"),
			Roles:   everyone(),
			Read:    ap.Get("AssessmentPlans", ap.Equals("planId", "{planId}")),
			Returns: []string{"plan"},
		},
		{
			ID: "list-plans-of-team", Title: "all plans of a team",
			Cite:  ap.Line(206, "Query(teamId-index, teamId = X)").And(ap.Line(160, "all plans for a team")),
			Roles: everyone(),
			Read: &ap.Read{
				Operation: ap.OpQuery, Table: "AssessmentPlans", Index: "teamId-index",
				Partition: ap.Equals("teamId", "{teamId}"),
			},
			Returns: []string{"plan"},
		},
		{
			ID: "list-active-plans", Title: "all active plans, over all teams",
			Cite:    ap.Line(207, "Query(status-index, status = 'active')"),
			Roles:   everyone(),
			Read:    plansByStatus("active"),
			Returns: []string{"plan"},
		},
		{
			ID: "list-completed-plans", Title: "all completed plans, over all teams",
			Cite:    ap.Line(208, "Query(status-index, status = 'completed')"),
			Roles:   everyone(),
			Read:    plansByStatus("completed"),
			Returns: []string{"plan"},
		},
		{
			ID: "list-archived-plans", Title: "all archived plans, over all teams",
			Cite:    ap.Line(165, "all active/archived plans").And(ap.Line(149, "'archived'")).Implied("the purpose of status-index; the list of access patterns leaves it out"),
			Roles:   everyone(),
			Read:    plansByStatus("archived"),
			Returns: []string{"plan"},
		},
	}
}

func plansByStatus(status ap.KeyTemplate) *ap.Read {
	return &ap.Read{
		Operation: ap.OpQuery, Table: "AssessmentPlans", Index: "status-index",
		Partition: ap.Equals("status", status),
	}
}

func assessmentPatterns() []ap.Pattern {
	return []ap.Pattern{
		{
			ID: "get-assessment", Title: "an assessment by its id",
			Cite:    ap.Line(323, "GetItem(assessmentId)"),
			Roles:   everyone(),
			Read:    ap.Get("Assessments", ap.Equals("assessmentId", "{assessmentId}")),
			Returns: []string{"assessment"},
		},
		{
			ID: "list-assessments-of-plan-member", Title: "the assessments of one member in one plan, by self and by manager",
			Cite: ap.Line(324, "Query(planId-teamMemberId-index, planId = X, teamMemberId = Y)").And(
				ap.Line(277, "both self and manager")),
			Roles:   everyone(),
			Read:    assessmentsOfPlanMember(),
			Returns: []string{"assessment"},
		},
		{
			ID: "list-assessments-of-user", Title: "all assessments of a user, over all plans",
			Cite: ap.Line(325, "Query(teamMemberId-index, teamMemberId = X)").And(
				ap.Line(282, "across all plans")),
			Roles: everyone(),
			Read: &ap.Read{
				Operation: ap.OpQuery, Table: "Assessments", Index: "teamMemberId-index",
				Partition: ap.Equals("teamMemberId", "{teamMemberId}"),
			},
			Returns: []string{"assessment"},
		},
		{
			ID: "list-assessments-of-plan", Title: "all assessments of a plan, over all members",
			Cite:  ap.Lines(273, 275, "planId-teamMemberId-index", "`planId` (String)", "`teamMemberId` (String)").Chosen("finding assessments-of-a-team"),
			Roles: everyone(),
			Read: &ap.Read{
				Operation: ap.OpQuery, Table: "Assessments", Index: "planId-teamMemberId-index",
				Partition: ap.Equals("planId", "{planId}"),
			},
			Returns: []string{"assessment"},
		},
		{
			// The application parts the two by assessmentType after the query, so
			// both come back and no filter is sent.
			ID: "tell-self-from-manager-assessment", Title: "self and manager assessments of a plan's member, both returned and told apart by the application",
			Cite:    ap.Line(326, "Application-level filter on `assessmentType` after query"),
			Roles:   everyone(),
			Read:    assessmentsOfPlanMember(),
			Returns: []string{"assessment"},
		},
	}
}

func assessmentsOfPlanMember() *ap.Read {
	return &ap.Read{
		Operation: ap.OpQuery, Table: "Assessments", Index: "planId-teamMemberId-index",
		Partition: ap.Equals("planId", "{planId}"),
		Sort:      ap.Is("teamMemberId", "{teamMemberId}"),
	}
}

func reportPatterns() []ap.Pattern {
	return []ap.Pattern{
		{
			ID: "get-report", Title: "a report by its id",
			Cite:    ap.Line(422, "GetItem(reportId)"),
			Roles:   everyone(),
			Read:    ap.Get("AssessmentReports", ap.Equals("reportId", "{reportId}")),
			Returns: []string{"report"},
		},
		{
			ID: "list-reports-of-plan", Title: "all reports of a plan",
			Cite:  ap.Line(423, "Query(planId-index, planId = X)").And(ap.Line(377, "all reports for a plan")),
			Roles: everyone(),
			Read: &ap.Read{
				Operation: ap.OpQuery, Table: "AssessmentReports", Index: "planId-index",
				Partition: ap.Equals("planId", "{planId}"),
			},
			Returns: []string{"report"},
		},
		{
			// No order: the index has no sort key (finding report-history-unordered).
			ID: "list-reports-of-user", Title: "all reports of a user, for the career's progression",
			Cite:  ap.Line(424, "Query(teamMemberId-index, teamMemberId = X)", "career progression").And(ap.Line(382, "all reports for a user")),
			Roles: everyone(),
			Read: &ap.Read{
				Operation: ap.OpQuery, Table: "AssessmentReports", Index: "teamMemberId-index",
				Partition: ap.Equals("teamMemberId", "{teamMemberId}"),
			},
			Returns: []string{"report"},
		},
		{
			ID: "read-report-with-assessments", Title: "a report, then the two assessments that it refers to",
			Cite:  ap.Lines(344, 345, "selfAssessmentId", "managerAssessmentId", "Reference to self Assessment", "Reference to manager Assessment").Implied("the report holds references to its two assessments; no access pattern follows them"),
			Roles: everyone(),
			Flow: []ap.Step{
				{
					Name: "report", Cite: ap.Line(422, "GetItem(reportId)"),
					Read:          ap.Get("AssessmentReports", ap.Equals("reportId", "{reportId}")),
					StopWhenEmpty: true,
				},
				{
					Name: "self", Cite: ap.Line(344, "selfAssessmentId").And(ap.Line(323, "GetItem(assessmentId)")),
					Read:    ap.Get("Assessments", ap.Equals("assessmentId", "{selfAssessmentId}")),
					ForEach: ap.Each("report", "selfAssessmentId", "selfAssessmentId"),
				},
				{
					Name: "manager", Cite: ap.Line(345, "managerAssessmentId").And(ap.Line(323, "GetItem(assessmentId)")),
					Read:    ap.Get("Assessments", ap.Equals("assessmentId", "{managerAssessmentId}")),
					ForEach: ap.Each("report", "managerAssessmentId", "managerAssessmentId"),
				},
			},
			Returns: []string{"assessment"},
		},
	}
}
