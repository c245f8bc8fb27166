package catalog_test

// osemLaddersTables is what osem-ladders.md:45-505 asks for, written out from the document. An input that is not here is not
// documented.
func osemLaddersTables(prefix, env string) map[string]map[string]any {
	named := func(table string) string { return prefix + "osem-" + env + "-" + table }
	tags := map[string]any{"tags": map[string]any{"Environment": env, "Application": "osem-ladders"}}
	return map[string]map[string]any{
		"Users":             asked(named("Users"), "userId", "userId S", nil, tags),                                                                                                                                      // osem-ladders.md:45-58
		"Teams":             asked(named("Teams"), "teamId", "teamId S, managerId S", []string{"managerId-index managerId"}, tags),                                                                                       // osem-ladders.md:98-121
		"AssessmentPlans":   asked(named("AssessmentPlans"), "planId", "planId S, teamId S, status S", []string{"teamId-index teamId", "status-index status"}, tags),                                                     // osem-ladders.md:170-201
		"Assessments":       asked(named("Assessments"), "assessmentId", "assessmentId S, planId S, teamMemberId S", []string{"planId-teamMemberId-index planId teamMemberId", "teamMemberId-index teamMemberId"}, tags), // osem-ladders.md:287-319
		"AssessmentReports": asked(named("AssessmentReports"), "reportId", "reportId S, planId S, teamMemberId S", []string{"planId-index planId", "teamMemberId-index teamMemberId"}, tags),                             // osem-ladders.md:387-418
		"ConfigVersions":    asked(named("ConfigVersions"), "configId", "configId S, isActive N, createdAt N", []string{"isActive-index isActive createdAt"}, tags),                                                      // osem-ladders.md:480-505
	}
}

var osemLadders = documented{
	registers: []registered{
		{"no configuration", "osem-ladders.dev", nil, osemLaddersTables("", "dev"), nil},
		{"another environment", "osem-ladders.prod-2", nil, osemLaddersTables("", "prod-2"), nil},
		{"an ephemeral run keeps its environment's tag", "osem-ladders.dev", ephemeral, osemLaddersTables("run7-", "dev"), nil},
	},
	exports: exported{
		stack: "osem-ladders.dev", settings: map[string]string{"aws:region": "eu-west-1"}, region: "eu-west-1",
		names: map[string]any{
			"Users": "osem-dev-Users", "Teams": "osem-dev-Teams", "AssessmentPlans": "osem-dev-AssessmentPlans",
			"Assessments": "osem-dev-Assessments", "AssessmentReports": "osem-dev-AssessmentReports", "ConfigVersions": "osem-dev-ConfigVersions",
		},
		indexes: map[string]any{
			"Users":             []any{},
			"Teams":             []any{"managerId-index"},
			"AssessmentPlans":   []any{"status-index", "teamId-index"},
			"Assessments":       []any{"planId-teamMemberId-index", "teamMemberId-index"},
			"AssessmentReports": []any{"planId-index", "teamMemberId-index"},
			"ConfigVersions":    []any{"isActive-index"},
		},
	},
	refuses: []refused{
		{"a table name of one's own", "osem-ladders.dev", map[string]string{"dynaproof:tableName": "Other"}, []string{"osem-ladders.md:46,99,171,288,388,481"}},
		{"provisioned capacity", "osem-ladders.dev", map[string]string{"dynaproof:billingMode": "PROVISIONED"}, []string{"osem-ladders.md:15,534"}},
		{"the document's placeholder", "osem-ladders.{env}", nil, []string{`found "{env}"`}},
		{"a stack of another design", "roll-model.dev", nil, []string{"expected a stack of the design osem-ladders"}},
	},
}
