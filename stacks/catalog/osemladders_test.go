package catalog_test

// osemLaddersTables is what osem-ladders.md:45-505 asks for, written out from the document. An input that is not here is not
// documented.
func osemLaddersTables(prefix, env string) map[string]map[string]any {
	named := func(table string) string { return prefix + "osem-" + env + "-" + table }
	tags := map[string]any{"Environment": env, "Application": "osem-ladders"}
	return map[string]map[string]any{
		"Users": { // osem-ladders.md:45-58
			"name":        named("Users"),
			"hashKey":     "userId",
			"attributes":  attributes("userId S"),
			"billingMode": "PAY_PER_REQUEST",
			"tags":        tags,
		},
		"Teams": { // osem-ladders.md:98-121
			"name":       named("Teams"),
			"hashKey":    "teamId",
			"attributes": attributes("teamId S", "managerId S"),
			"globalSecondaryIndexes": []any{
				map[string]any{"name": "managerId-index", "hashKey": "managerId", "projectionType": "ALL"},
			},
			"billingMode": "PAY_PER_REQUEST",
			"tags":        tags,
		},
		"AssessmentPlans": { // osem-ladders.md:170-201
			"name":       named("AssessmentPlans"),
			"hashKey":    "planId",
			"attributes": attributes("planId S", "teamId S", "status S"),
			"globalSecondaryIndexes": []any{
				map[string]any{"name": "teamId-index", "hashKey": "teamId", "projectionType": "ALL"},
				map[string]any{"name": "status-index", "hashKey": "status", "projectionType": "ALL"},
			},
			"billingMode": "PAY_PER_REQUEST",
			"tags":        tags,
		},
		"Assessments": { // osem-ladders.md:287-319
			"name":       named("Assessments"),
			"hashKey":    "assessmentId",
			"attributes": attributes("assessmentId S", "planId S", "teamMemberId S"),
			"globalSecondaryIndexes": []any{
				map[string]any{"name": "planId-teamMemberId-index", "hashKey": "planId", "rangeKey": "teamMemberId", "projectionType": "ALL"},
				map[string]any{"name": "teamMemberId-index", "hashKey": "teamMemberId", "projectionType": "ALL"},
			},
			"billingMode": "PAY_PER_REQUEST",
			"tags":        tags,
		},
		"AssessmentReports": { // osem-ladders.md:387-418
			"name":       named("AssessmentReports"),
			"hashKey":    "reportId",
			"attributes": attributes("reportId S", "planId S", "teamMemberId S"),
			"globalSecondaryIndexes": []any{
				map[string]any{"name": "planId-index", "hashKey": "planId", "projectionType": "ALL"},
				map[string]any{"name": "teamMemberId-index", "hashKey": "teamMemberId", "projectionType": "ALL"},
			},
			"billingMode": "PAY_PER_REQUEST",
			"tags":        tags,
		},
		"ConfigVersions": { // osem-ladders.md:480-505
			"name":       named("ConfigVersions"),
			"hashKey":    "configId",
			"attributes": attributes("configId S", "isActive N", "createdAt N"),
			"globalSecondaryIndexes": []any{
				map[string]any{"name": "isActive-index", "hashKey": "isActive", "rangeKey": "createdAt", "projectionType": "ALL"},
			},
			"billingMode": "PAY_PER_REQUEST",
			"tags":        tags,
		},
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
