package osemladders_test

import (
	"testing"

	"dynaproof/stacks/dryrun/programtest"
	"dynaproof/stacks/osemladders"
)

// tables is what osem-ladders.md:45-505 asks for, written out from the document. An input that is not here is not
// documented.
func tables(prefix, env string) map[string]map[string]any {
	return map[string]map[string]any{
		"Users": { // osem-ladders.md:45-58
			"name":    prefix + "osem-" + env + "-Users",
			"hashKey": "userId",
			"attributes": []any{
				map[string]any{"name": "userId", "type": "S"},
			},
			"billingMode": "PAY_PER_REQUEST",
			"tags":        map[string]any{"Environment": env, "Application": "osem-ladders"},
		},
		"Teams": { // osem-ladders.md:98-121
			"name":    prefix + "osem-" + env + "-Teams",
			"hashKey": "teamId",
			"attributes": []any{
				map[string]any{"name": "teamId", "type": "S"},
				map[string]any{"name": "managerId", "type": "S"},
			},
			"globalSecondaryIndexes": []any{
				map[string]any{"name": "managerId-index", "hashKey": "managerId", "projectionType": "ALL"},
			},
			"billingMode": "PAY_PER_REQUEST",
			"tags":        map[string]any{"Environment": env, "Application": "osem-ladders"},
		},
		"AssessmentPlans": { // osem-ladders.md:170-201
			"name":    prefix + "osem-" + env + "-AssessmentPlans",
			"hashKey": "planId",
			"attributes": []any{
				map[string]any{"name": "planId", "type": "S"},
				map[string]any{"name": "teamId", "type": "S"},
				map[string]any{"name": "status", "type": "S"},
			},
			"globalSecondaryIndexes": []any{
				map[string]any{"name": "teamId-index", "hashKey": "teamId", "projectionType": "ALL"},
				map[string]any{"name": "status-index", "hashKey": "status", "projectionType": "ALL"},
			},
			"billingMode": "PAY_PER_REQUEST",
			"tags":        map[string]any{"Environment": env, "Application": "osem-ladders"},
		},
		"Assessments": { // osem-ladders.md:287-319
			"name":    prefix + "osem-" + env + "-Assessments",
			"hashKey": "assessmentId",
			"attributes": []any{
				map[string]any{"name": "assessmentId", "type": "S"},
				map[string]any{"name": "planId", "type": "S"},
				map[string]any{"name": "teamMemberId", "type": "S"},
			},
			"globalSecondaryIndexes": []any{
				map[string]any{"name": "planId-teamMemberId-index", "hashKey": "planId", "rangeKey": "teamMemberId", "projectionType": "ALL"},
				map[string]any{"name": "teamMemberId-index", "hashKey": "teamMemberId", "projectionType": "ALL"},
			},
			"billingMode": "PAY_PER_REQUEST",
			"tags":        map[string]any{"Environment": env, "Application": "osem-ladders"},
		},
		"AssessmentReports": { // osem-ladders.md:387-418
			"name":    prefix + "osem-" + env + "-AssessmentReports",
			"hashKey": "reportId",
			"attributes": []any{
				map[string]any{"name": "reportId", "type": "S"},
				map[string]any{"name": "planId", "type": "S"},
				map[string]any{"name": "teamMemberId", "type": "S"},
			},
			"globalSecondaryIndexes": []any{
				map[string]any{"name": "planId-index", "hashKey": "planId", "projectionType": "ALL"},
				map[string]any{"name": "teamMemberId-index", "hashKey": "teamMemberId", "projectionType": "ALL"},
			},
			"billingMode": "PAY_PER_REQUEST",
			"tags":        map[string]any{"Environment": env, "Application": "osem-ladders"},
		},
		"ConfigVersions": { // osem-ladders.md:480-505
			"name":    prefix + "osem-" + env + "-ConfigVersions",
			"hashKey": "configId",
			"attributes": []any{
				map[string]any{"name": "configId", "type": "S"},
				map[string]any{"name": "isActive", "type": "N"},
				map[string]any{"name": "createdAt", "type": "N"},
			},
			"globalSecondaryIndexes": []any{
				map[string]any{"name": "isActive-index", "hashKey": "isActive", "rangeKey": "createdAt", "projectionType": "ALL"},
			},
			"billingMode": "PAY_PER_REQUEST",
			"tags":        map[string]any{"Environment": env, "Application": "osem-ladders"},
		},
	}
}

func TestProgramRegistersWhatTheDocumentSays(t *testing.T) {
	cases := []struct {
		reason, stack string
		settings      map[string]string
		prefix, env   string
	}{
		{"no configuration", "osem-ladders.dev", nil, "", "dev"},
		{"another environment", "osem-ladders.prod-2", nil, "", "prod-2"},
		{"an ephemeral run keeps its environment's tag", "osem-ladders.dev", map[string]string{"dynaproof:namePrefix": "run7-"}, "run7-", "dev"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			if err := programtest.Registers(osemladders.Program, c.stack, c.settings, tables(c.prefix, c.env)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestProgramExports(t *testing.T) {
	const arn = "arn:aws:dynamodb:mock-region-1:111122223333:table/"
	want := map[string]any{
		"tables": map[string]any{
			"Users":             "osem-dev-Users",
			"Teams":             "osem-dev-Teams",
			"AssessmentPlans":   "osem-dev-AssessmentPlans",
			"Assessments":       "osem-dev-Assessments",
			"AssessmentReports": "osem-dev-AssessmentReports",
			"ConfigVersions":    "osem-dev-ConfigVersions",
		},
		"tableArns": map[string]any{
			"Users":             arn + "osem-dev-Users",
			"Teams":             arn + "osem-dev-Teams",
			"AssessmentPlans":   arn + "osem-dev-AssessmentPlans",
			"Assessments":       arn + "osem-dev-Assessments",
			"AssessmentReports": arn + "osem-dev-AssessmentReports",
			"ConfigVersions":    arn + "osem-dev-ConfigVersions",
		},
		"indexes": map[string]any{
			"Users":             []any{},
			"Teams":             []any{"managerId-index"},
			"AssessmentPlans":   []any{"status-index", "teamId-index"},
			"Assessments":       []any{"planId-teamMemberId-index", "teamMemberId-index"},
			"AssessmentReports": []any{"planId-index", "teamMemberId-index"},
			"ConfigVersions":    []any{"isActive-index"},
		},
		"region":     "eu-west-1",
		"guardrails": "off",
	}
	if err := programtest.Exports(osemladders.Program, "osem-ladders.dev", map[string]string{"aws:region": "eu-west-1"}, want); err != nil {
		t.Error(err)
	}
}

func TestProgramRefuses(t *testing.T) {
	cases := []struct {
		reason, stack string
		settings      map[string]string
		want          string
	}{
		{"a table name of one's own", "osem-ladders.dev", map[string]string{"dynaproof:tableName": "Other"}, "osem-ladders.md:46,99,171,288,388,481"},
		{"provisioned capacity", "osem-ladders.dev", map[string]string{"dynaproof:billingMode": "PROVISIONED"}, "osem-ladders.md:15,534"},
		{"the document's placeholder", "osem-ladders.{env}", nil, `found "{env}"`},
		{"a stack of another design", "roll-model.dev", nil, "expected a stack of the design osem-ladders"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			if err := programtest.Refuses(osemladders.Program, c.stack, c.settings, c.want); err != nil {
				t.Error(err)
			}
		})
	}
}
