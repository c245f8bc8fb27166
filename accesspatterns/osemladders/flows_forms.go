package osemladders

import ap "dynaproof/accesspatterns"

// The plain forms in which a service stores and changes items. The document gives
// no condition for them, and the contract adds none but one: an UpdateItem changes
// an item that is there, because it would otherwise make one that lacks what is
// required. Flows with conditions, which are the project's, stand beside them
// (finding writes-undocumented).

// put stores an item whole, be it new or in place of what is stored.
func put(id, title, table, entity string, roles []string, cite ap.Citation, with ...ap.Equality) ap.Pattern {
	return ap.Pattern{
		ID: id, Title: title, Cite: cite, Roles: roles, Returns: []string{entity},
		Flow: []ap.Step{{
			Name: "put", Cite: plain(cite),
			Write: []ap.Action{{Kind: ap.Put, Table: table, Entity: entity, Item: entity, With: with}},
		}},
	}
}

// edit changes some attributes of an item that is there. What it sets beside them
// is the time of the change, where the entity has one.
func edit(id, title, table, key, entity string, roles []string, cite ap.Citation, set []ap.Assignment, edits ...string) ap.Pattern {
	return ap.Pattern{
		ID: id, Title: title, Cite: cite, Roles: roles, Returns: []string{entity},
		Flow: []ap.Step{{
			Name: "edit", Cite: plain(cite),
			Write: []ap.Action{{
				Kind: ap.Update, Table: table, Key: idKey(key, ap.KeyTemplate("{"+key+"}")), Item: entity,
				Set: set, Edits: edits, Condition: ap.IfPresent(key),
			}},
		}},
	}
}

// plain is the citation without its basis, which is the pattern's.
func plain(cite ap.Citation) ap.Citation {
	cite.Basis = ap.Basis{}
	return cite
}

// byRoles is the basis of a write whose roles the project chose.
const byRoles = "finding roles-of-writes"

func one() *ap.Operand {
	digit := ap.Digits("1")
	return &digit
}

// anyActiveConfig asks whether there is one: of several, in any order.
func anyActiveConfig() *ap.Read {
	read := configsByFlag("1")
	read.Order = ap.AnyOrder
	return read
}

func now() []ap.Assignment { return []ap.Assignment{updatedAt()} }

func userForms() []ap.Pattern {
	user := ap.Lines(33, 38, "userId", "email", "name", "roles", "createdAt", "updatedAt").And(ap.Line(24, "extending Cognito"))
	signUp := put("sign-up", "a user's first sign-in stores its profile as a team member", "Users", "user", everyone(), user.Chosen(byRoles),
		ap.Equality{Attribute: "roles", Value: ap.Member(member)})
	signUp.Flow[0].Write[0].Condition = ap.IfAbsent("userId")
	return []ap.Pattern{
		signUp,
		put("put-user", "a user is stored with any of the roles", "Users", "user", []string{admin}, user.Chosen(byRoles)),
		edit("edit-user", "a user's name or email changes", "Users", "userId", "user", everyone(),
			ap.Lines(34, 38, "From Cognito/Microsoft 365", "Display name from Microsoft 365", "updatedAt").Implied("both are copies of what Microsoft 365 says, and updatedAt says that users change"),
			now(), "email", "name"),
		edit("change-user-roles", "a user is given a role, or loses one", "Users", "userId", "user", []string{admin},
			ap.Lines(36, 38, "roles", "String Set", "updatedAt").Chosen(byRoles), now(), "roles"),
	}
}

func teamForms() []ap.Pattern {
	return []ap.Pattern{
		put("put-team", "a team is stored whole", "Teams", "team", []string{admin, manager},
			ap.Lines(78, 86, "teamId", "managerId", "memberIds", "isActive").And(ap.Line(83, "User ID (admin or manager)")).Implied("teams are created, and by an admin or a manager, as createdBy says")),
		edit("edit-team", "a team's name, description, manager, members or flag changes", "Teams", "teamId", "team", []string{admin, manager},
			ap.Lines(79, 86, "teamName", "description", "managerId", "memberIds", "updatedAt", "Soft delete flag").Chosen(byRoles),
			now(), "teamName", "description", "managerId", "memberIds", "isActive"),
	}
}

func planForms() []ap.Pattern {
	return []ap.Pattern{
		put("put-plan", "a plan is stored whole", "AssessmentPlans", "plan", []string{admin, manager},
			ap.Lines(142, 153, "planId", "teamId", "status", "createdBy").Chosen(byRoles)),
		edit("edit-plan", "a plan's name, description, season, days, config version or status changes", "AssessmentPlans", "planId", "plan", []string{admin, manager},
			ap.Lines(144, 153, "planName", "description", "season", "startDate", "endDate", "status", "configVersion", "updatedAt").Chosen(byRoles),
			now(), "planName", "description", "season", "startDate", "endDate", "status", "configVersion"),
	}
}

func assessmentForms() []ap.Pattern {
	assessment := ap.Lines(223, 236, "assessmentId", "planId", "teamMemberId", "assessorId", "selections", "feedback", "status", "updatedAt")
	return []ap.Pattern{
		put("put-assessment", "an assessment is stored whole, by member or manager", "Assessments", "assessment", everyone(),
			assessment.Implied("assessments are made and filled in; no access pattern writes them, and no line says by which role")),
		edit("edit-assessment", "an assessment's assessor, choices, feedback, level, notes, status or time of submission changes", "Assessments", "assessmentId", "assessment", everyone(),
			assessment.Implied("updatedAt says that assessments change; no access pattern writes them, and no line says by which role"),
			now(), "assessorId", "selections", "feedback", "currentLevel", "wayForward", "status", "submittedAt"),
	}
}

func reportForms() []ap.Pattern {
	report := ap.Lines(341, 350, "reportId", "finalLevel", "selfAssessedLevel", "variance", "generatedAt", "exportedAt")
	return []ap.Pattern{
		put("put-report", "a report is stored whole", "AssessmentReports", "report", []string{admin, manager}, report.Chosen(byRoles)),
		edit("remake-report", "a report is made anew after an assessment changed", "AssessmentReports", "reportId", "report", []string{admin, manager}, report.Chosen(byRoles),
			nil, "finalLevel", "selfAssessedLevel", "variance", "generatedAt", "exportedAt"),
	}
}

func configForms() []ap.Pattern {
	publish := put("publish-config", "a new config version is stored as the active one, and the former one stops in the same transaction", "ConfigVersions", "config", []string{admin},
		ap.Line(445, "one active config").And(ap.Lines(439, 445, "configId", "isActive")).Chosen(byRoles), *ap.EqualsNumber("isActive", "1"))
	publish.Flow[0].Write[0].Condition = ap.IfAbsent("configId")
	publish.Flow[0].Write = append(publish.Flow[0].Write, setFlag("{currentConfigId}", "1", "0"))
	return []ap.Pattern{
		publish,
		{
			// Nothing in the tables says that no other version is active, so no
			// condition can (finding first-activation).
			ID: "activate-first-config", Title: "the first config version becomes active, while none is",
			Cite:  ap.Line(445, "one active config").And(ap.Line(472, "0 or 1")).Chosen("finding first-activation"),
			Roles: []string{admin},
			Flow: []ap.Step{
				{Name: "active", Cite: ap.Line(475, "current active config", "isActive=1"), Read: anyActiveConfig(), StopAt: one()},
				{Name: "activate", Cite: ap.Line(472, "0 or 1"), Write: []ap.Action{setFlag("{configId}", "0", "1")}},
			},
			Returns: []string{"config"},
		},
		edit("parse-config-again", "the cached structure of a config version is written anew", "ConfigVersions", "configId", "config", []string{admin},
			ap.Line(442, "Cached parsed structure").And(ap.Line(439, "configId")).Chosen(byRoles), nil, "parsedConfig"),
	}
}
