package fusmain_test

import (
	"testing"

	"dynaproof/stacks/dryrun/programtest"
	"dynaproof/stacks/fusmain"
)

// table is what fus-main.md:3-15 asks for, written out from the document. An input that is not here is not documented.
func table(name string) map[string]map[string]any {
	return map[string]map[string]any{
		"fus-main": {
			"name":     name,
			"hashKey":  "PK",
			"rangeKey": "SK",
			"attributes": []any{
				map[string]any{"name": "PK", "type": "S"},
				map[string]any{"name": "SK", "type": "S"},
				map[string]any{"name": "entityType", "type": "S"},
				map[string]any{"name": "entitySk", "type": "S"},
				map[string]any{"name": "tag", "type": "S"},
				map[string]any{"name": "siteId", "type": "S"},
				map[string]any{"name": "starRating", "type": "N"},
				map[string]any{"name": "groupName", "type": "S"},
				map[string]any{"name": "userId", "type": "S"},
				map[string]any{"name": "squashDate", "type": "S"},
				map[string]any{"name": "matchId", "type": "S"},
			},
			"globalSecondaryIndexes": []any{
				map[string]any{"name": "byEntity", "hashKey": "entityType", "rangeKey": "entitySk", "projectionType": "ALL"},
				map[string]any{"name": "byTag", "hashKey": "tag", "rangeKey": "siteId", "projectionType": "ALL"},
				map[string]any{"name": "byStars", "hashKey": "starRating", "rangeKey": "siteId", "projectionType": "ALL"},
				map[string]any{"name": "byGroup", "hashKey": "groupName", "rangeKey": "userId", "projectionType": "ALL"},
				map[string]any{"name": "bySquashDate", "hashKey": "squashDate", "rangeKey": "matchId", "projectionType": "ALL"},
			},
			"billingMode": "PAY_PER_REQUEST",
		},
	}
}

func TestProgramRegistersWhatTheDocumentSays(t *testing.T) {
	cases := []struct {
		reason, stack string
		settings      map[string]string
		name          string
	}{
		{"no configuration", "fus-main.dev", nil, "fus-main"},
		{"the name holds no environment", "fus-main.prod", nil, "fus-main"},
		{"a table name of one's own", "fus-main.dev", map[string]string{"dynaproof:tableName": "fus-dev"}, "fus-dev"},
		{"ephemeral run", "fus-main.dev", map[string]string{"dynaproof:namePrefix": "run7-"}, "run7-fus-main"},
		{"both", "fus-main.dev", map[string]string{"dynaproof:tableName": "fus-dev", "dynaproof:namePrefix": "run7-"}, "run7-fus-dev"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			if err := programtest.Registers(fusmain.Program, c.stack, c.settings, table(c.name)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestProgramExports(t *testing.T) {
	want := map[string]any{
		"tables":     map[string]any{"fus-main": "fus-dev"},
		"tableArns":  map[string]any{"fus-main": "arn:aws:dynamodb:mock-region-1:111122223333:table/fus-dev"},
		"indexes":    map[string]any{"fus-main": []any{"byEntity", "byGroup", "bySquashDate", "byStars", "byTag"}},
		"region":     "eu-west-1",
		"guardrails": "off",
	}
	if err := programtest.Exports(fusmain.Program, "fus-main.dev", map[string]string{
		"aws:region": "eu-west-1", "dynaproof:tableName": "fus-dev",
	}, want); err != nil {
		t.Error(err)
	}
}

func TestProgramRefuses(t *testing.T) {
	cases := []struct {
		reason, stack string
		settings      map[string]string
		want          string
	}{
		{"an unusable table name", "fus-main.dev", map[string]string{"dynaproof:tableName": "fus main"}, `found "fus main"`},
		{"provisioned capacity", "fus-main.dev", map[string]string{"dynaproof:billingMode": "PROVISIONED"}, "fus-main.md:5"},
		{"a stack of another design", "roll-model.dev", nil, "expected a stack of the design fus-main"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			if err := programtest.Refuses(fusmain.Program, c.stack, c.settings, c.want); err != nil {
				t.Error(err)
			}
		})
	}
}
