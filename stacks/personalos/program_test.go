package personalos_test

import (
	"testing"

	"dynaproof/stacks/dryrun/programtest"
	"dynaproof/stacks/personalos"
)

// onDemand is what personal-os.md:4-35, :88 and :587 ask for, written out from the document. An input that is not here
// is not documented.
func onDemand(name string) map[string]map[string]any {
	return map[string]map[string]any{
		"personal-os": {
			"name":     name,
			"hashKey":  "pk",
			"rangeKey": "sk",
			"attributes": []any{
				map[string]any{"name": "pk", "type": "S"},
				map[string]any{"name": "sk", "type": "S"},
				map[string]any{"name": "gsi1pk", "type": "S"},
				map[string]any{"name": "gsi1sk", "type": "S"},
				map[string]any{"name": "gsi2pk", "type": "S"},
				map[string]any{"name": "gsi2sk", "type": "S"},
			},
			"globalSecondaryIndexes": []any{
				map[string]any{"name": "GSI1", "hashKey": "gsi1pk", "rangeKey": "gsi1sk", "projectionType": "ALL"},
				map[string]any{"name": "GSI2", "hashKey": "gsi2pk", "rangeKey": "gsi2sk", "projectionType": "ALL"},
			},
			"billingMode": "PAY_PER_REQUEST",
			"ttl":         map[string]any{"attributeName": "ttl", "enabled": true},
		},
	}
}

// provisioned is the same table as personal-os.md:605 offers it for later.
func provisioned(name string) map[string]map[string]any {
	return map[string]map[string]any{
		"personal-os": {
			"name":     name,
			"hashKey":  "pk",
			"rangeKey": "sk",
			"attributes": []any{
				map[string]any{"name": "pk", "type": "S"},
				map[string]any{"name": "sk", "type": "S"},
				map[string]any{"name": "gsi1pk", "type": "S"},
				map[string]any{"name": "gsi1sk", "type": "S"},
				map[string]any{"name": "gsi2pk", "type": "S"},
				map[string]any{"name": "gsi2sk", "type": "S"},
			},
			"globalSecondaryIndexes": []any{
				map[string]any{
					"name": "GSI1", "hashKey": "gsi1pk", "rangeKey": "gsi1sk", "projectionType": "ALL",
					"readCapacity": 1.0, "writeCapacity": 1.0,
				},
				map[string]any{
					"name": "GSI2", "hashKey": "gsi2pk", "rangeKey": "gsi2sk", "projectionType": "ALL",
					"readCapacity": 1.0, "writeCapacity": 1.0,
				},
			},
			"billingMode":   "PROVISIONED",
			"readCapacity":  1.0,
			"writeCapacity": 1.0,
			"ttl":           map[string]any{"attributeName": "ttl", "enabled": true},
		},
	}
}

func TestProgramRegistersWhatTheDocumentSays(t *testing.T) {
	cases := []struct {
		reason, stack string
		settings      map[string]string
		want          map[string]map[string]any
	}{
		{"no configuration", "personal-os.dev", nil, onDemand("personal-os-dev")},
		{"another environment", "personal-os.prod", nil, onDemand("personal-os-prod")},
		{"ephemeral run", "personal-os.dev", map[string]string{"dynaproof:namePrefix": "run7-"}, onDemand("run7-personal-os-dev")},
		{"on demand, said outright", "personal-os.dev", map[string]string{"dynaproof:billingMode": "PAY_PER_REQUEST"}, onDemand("personal-os-dev")},
		{"provisioned", "personal-os.dev", map[string]string{"dynaproof:billingMode": "PROVISIONED"}, provisioned("personal-os-dev")},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			if err := programtest.Registers(personalos.Program, c.stack, c.settings, c.want); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestProgramExports(t *testing.T) {
	want := map[string]any{
		"tables":     map[string]any{"personal-os": "personal-os-prod"},
		"tableArns":  map[string]any{"personal-os": "arn:aws:dynamodb:mock-region-1:111122223333:table/personal-os-prod"},
		"indexes":    map[string]any{"personal-os": []any{"GSI1", "GSI2"}},
		"region":     "eu-west-1",
		"guardrails": "off",
	}
	if err := programtest.Exports(personalos.Program, "personal-os.prod", map[string]string{"aws:region": "eu-west-1"}, want); err != nil {
		t.Error(err)
	}
}

func TestProgramRefuses(t *testing.T) {
	cases := []struct {
		reason, stack string
		settings      map[string]string
		want          string
	}{
		{"a table name of one's own", "personal-os.dev", map[string]string{"dynaproof:tableName": "Other"}, "personal-os.md:4"},
		{"an unknown billing mode", "personal-os.dev", map[string]string{"dynaproof:billingMode": "on-demand"}, `found "on-demand"`},
		{"the document's placeholder", "personal-os.{stage}", nil, `found "{stage}"`},
		{"a stack of another design", "roll-model.dev", nil, "expected a stack of the design personal-os"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			if err := programtest.Refuses(personalos.Program, c.stack, c.settings, c.want); err != nil {
				t.Error(err)
			}
		})
	}
}
