package osemladders

import ap "dynaproof/accesspatterns"

func assessmentWrites() []ap.Pattern {
	assessment := idKey("assessmentId", "{assessmentId}")
	return []ap.Pattern{
		start("start-self-assessment", "a member starts the self assessment of an active plan, once under one id",
			"finding duplicate-assessments", everyone(), ap.Line(227, "'self'"), "self", "{teamMemberId}"),
		start("start-manager-assessment", "the team's manager starts the assessment of a member in an active plan, once under one id",
			"finding self-assessor", []string{admin, manager}, ap.Line(227, "'manager'"), "manager", "{assessorId}", is("managerId", ap.Text("{assessorId}"))),
		{
			ID: "save-assessment", Title: "the assessor saves selections and feedback, until they are submitted",
			Cite:  ap.Lines(228, 233, "assessorId", "selections", "feedback", "'in_progress'").And(ap.Line(236, "updatedAt")).Chosen("finding life-cycles"),
			Roles: everyone(),
			Flow: []ap.Step{
				{
					Name: "assessment", Cite: ap.Line(323, "GetItem(assessmentId)"), StopWhenEmpty: true,
					Read: ap.Get("Assessments", ap.Equals("assessmentId", "{assessmentId}")),
				},
				{
					// The whole item is put, because maps within maps are its
					// content: only in place of what was read.
					Name: "save", Cite: ap.Line(236, "updatedAt").And(ap.Line(233, "'in_progress'")),
					ForEach: ap.Each("assessment", "updatedAt", "readAt"),
					Write: []ap.Action{{
						Kind: ap.Put, Table: "Assessments", Entity: "assessment", Item: "assessment",
						With: []ap.Equality{*ap.Equals("assessmentId", "{assessmentId}")},
						Condition: []ap.WriteCondition{
							is("assessorId", ap.Text("{assessorId}")),
							is("updatedAt", ap.Digits("{readAt}")),
							{Attribute: "status", Operator: ap.ConditionDiffers, Value: ap.Text("submitted")},
						},
					}},
				},
			},
			Returns: []string{"assessment"},
		},
		{
			ID: "submit-assessment", Title: "the assessor submits what is in progress, once",
			Cite:  ap.Lines(233, 234, "'in_progress'", "'submitted'", "submittedAt", "only if submitted").Chosen("finding life-cycles"),
			Roles: everyone(),
			Flow: []ap.Step{{
				Name: "submit", Cite: ap.Line(234, "submittedAt", "only if submitted"),
				Write: []ap.Action{{
					Kind: ap.Update, Table: "Assessments", Key: assessment,
					Set: []ap.Assignment{
						assign("status", ap.Text("submitted")), assign("submittedAt", ap.Digits("{submittedAt}")),
						assign("updatedAt", ap.Digits("{submittedAt}")),
					},
					Condition: []ap.WriteCondition{is("status", ap.Text("in_progress")), is("assessorId", ap.Text("{assessorId}"))},
				}},
			}},
			Returns: []string{"assessment"},
		},
	}
}

// start stores a new assessment of a plan's member while the plan is active and the
// member is in its team. That there is one of each type is up to the id: two starts
// under one id are one assessment (finding duplicate-assessments).
func start(id, title, chosen string, roles []string, cite ap.Citation, kind, assessor ap.KeyTemplate, team ...ap.WriteCondition) ap.Pattern {
	return ap.Pattern{
		ID: id, Title: title, Roles: roles,
		Cite: cite.And(ap.Line(277, "both self and manager"), ap.Lines(223, 226, "assessmentId", "planId", "teamId", "teamMemberId")).Chosen(chosen),
		Flow: []ap.Step{{
			Name: "start", Cite: ap.Lines(223, 226, "assessmentId", "Reference to AssessmentPlan", "Team context", "User ID being assessed"),
			Write: []ap.Action{
				{
					Kind: ap.ConditionCheck, Table: "AssessmentPlans", Key: idKey("planId", "{planId}"),
					Condition: []ap.WriteCondition{is("status", ap.Text("active")), is("teamId", ap.Text("{teamId}"))},
				},
				{
					Kind: ap.ConditionCheck, Table: "Teams", Key: idKey("teamId", "{teamId}"),
					Condition: append([]ap.WriteCondition{has("memberIds", "{teamMemberId}")}, team...),
				},
				{
					Kind: ap.Put, Table: "Assessments", Entity: "assessment", Item: "assessment", Condition: ap.IfAbsent("assessmentId"),
					With: []ap.Equality{
						*ap.Equals("planId", "{planId}"), *ap.Equals("teamId", "{teamId}"), *ap.Equals("teamMemberId", "{teamMemberId}"),
						*ap.Equals("assessmentType", kind), *ap.Equals("assessorId", assessor),
					},
				},
			},
		}},
		Returns: []string{"assessment"},
	}
}

func reportWrites() []ap.Pattern {
	submitted := func(id, kind ap.KeyTemplate) ap.Action {
		return ap.Action{
			Kind: ap.ConditionCheck, Table: "Assessments", Key: idKey("assessmentId", id),
			Condition: []ap.WriteCondition{
				is("status", ap.Text("submitted")), is("assessmentType", ap.Text(kind)),
				is("planId", ap.Text("{planId}")), is("teamMemberId", ap.Text("{teamMemberId}")),
			},
		}
	}
	read := func(name string, line int, reference ap.KeyTemplate) ap.Step {
		return ap.Step{
			Name: name, Cite: ap.Line(line, "Reference to "+name+" Assessment").And(ap.Line(323, "GetItem(assessmentId)")), StopWhenEmpty: true,
			Read: ap.Get("Assessments", ap.Equals("assessmentId", reference)),
		}
	}
	return []ap.Pattern{
		{
			ID: "create-report", Title: "the report of a member in a plan, from two assessments that are submitted",
			Cite:  ap.Line(332, "final reports combining self and manager assessments").And(ap.Lines(344, 348, "selfAssessmentId", "managerAssessmentId", "variance")).Chosen("finding duplicate-reports"),
			Roles: []string{admin, manager},
			Flow: []ap.Step{
				{
					// Finds the two ids; the index may be late, so each is then
					// read by its key.
					Name: "both", Cite: ap.Line(324, "planId = X, teamMemberId = Y"), StopWhenEmpty: true,
					Read: assessmentsOfPlanMember(),
				},
				read("self", 344, "{selfAssessmentId}"),
				read("manager", 345, "{managerAssessmentId}"),
				{
					Name: "create", Cite: ap.Line(332, "final reports combining self and manager assessments"),
					Write: []ap.Action{
						submitted("{selfAssessmentId}", "self"),
						submitted("{managerAssessmentId}", "manager"),
						{
							Kind: ap.Put, Table: "AssessmentReports", Entity: "report", Item: "report", Condition: ap.IfAbsent("reportId"),
							With: []ap.Equality{
								*ap.Equals("planId", "{planId}"), *ap.Equals("teamMemberId", "{teamMemberId}"),
								*ap.Equals("selfAssessmentId", "{selfAssessmentId}"), *ap.Equals("managerAssessmentId", "{managerAssessmentId}"),
							},
						},
					},
				},
			},
			Returns: []string{"assessment"},
		},
		{
			ID: "record-export", Title: "a report was exported to PDF",
			Cite:  ap.Line(350, "exportedAt", "if exported to PDF").Implied("the attribute says when; no access pattern writes it"),
			Roles: everyone(),
			Flow: []ap.Step{{
				Name: "record", Cite: ap.Line(350, "exportedAt"),
				Write: []ap.Action{{
					Kind: ap.Update, Table: "AssessmentReports", Key: idKey("reportId", "{reportId}"), Condition: ap.IfPresent("reportId"),
					Set: []ap.Assignment{assign("exportedAt", ap.Digits("{exportedAt}"))},
				}},
			}},
			Returns: []string{"report"},
		},
	}
}
