package rollmodel_test

import (
	"testing"

	"dynaproof/stacks/dryrun/programtest"
	"dynaproof/stacks/rollmodel"
)

// table is what roll-model.md:4-7 asks for, written out from the document. An input that is not here is not documented.
func table(name string) map[string]map[string]any {
	return map[string]map[string]any{
		"RollModel": {
			"name":     name,
			"hashKey":  "PK",
			"rangeKey": "SK",
			"attributes": []any{
				map[string]any{"name": "PK", "type": "S"},
				map[string]any{"name": "SK", "type": "S"},
			},
			"billingMode":         "PAY_PER_REQUEST",
			"pointInTimeRecovery": map[string]any{"enabled": true},
		},
	}
}

func TestProgramRegistersWhatTheDocumentSays(t *testing.T) {
	cases := []struct {
		reason, stack string
		settings      map[string]string
		name          string
	}{
		{"no configuration", "roll-model.dev", nil, "RollModel"},
		{"the name holds no environment", "roll-model.prod", nil, "RollModel"},
		{"ephemeral run", "roll-model.dev", map[string]string{"dynaproof:namePrefix": "run7-"}, "run7-RollModel"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			if err := programtest.Registers(rollmodel.Program, c.stack, c.settings, table(c.name)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestProgramExports(t *testing.T) {
	want := map[string]any{
		"tables":     map[string]any{"RollModel": "RollModel"},
		"tableArns":  map[string]any{"RollModel": "arn:aws:dynamodb:mock-region-1:111122223333:table/RollModel"},
		"indexes":    map[string]any{"RollModel": []any{}},
		"region":     "eu-west-1",
		"guardrails": "off",
	}
	if err := programtest.Exports(rollmodel.Program, "roll-model.dev", map[string]string{"aws:region": "eu-west-1"}, want); err != nil {
		t.Error(err)
	}
}

func TestProgramRefuses(t *testing.T) {
	cases := []struct {
		reason, stack string
		settings      map[string]string
		want          string
	}{
		{"a table name of one's own", "roll-model.dev", map[string]string{"dynaproof:tableName": "Other"}, "roll-model.md:4"},
		{"provisioned capacity", "roll-model.dev", map[string]string{"dynaproof:billingMode": "PROVISIONED"}, "roll-model.md:6"},
		{"a stack of another design", "fus-main.dev", nil, "expected a stack of the design roll-model"},
		{"a placeholder", "roll-model.{env}", nil, `found "{env}"`},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			if err := programtest.Refuses(rollmodel.Program, c.stack, c.settings, c.want); err != nil {
				t.Error(err)
			}
		})
	}
}
