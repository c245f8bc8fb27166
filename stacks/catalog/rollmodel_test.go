package catalog_test

// rollModelTable is what roll-model.md:4-7 asks for, written out from the document. An input that is not here is not documented.
func rollModelTable(name string) map[string]map[string]any {
	return map[string]map[string]any{"RollModel": asked(name, "PK SK", "PK S, SK S", nil, map[string]any{"pointInTimeRecovery": map[string]any{"enabled": true}})}
}

var rollModel = documented{
	registers: []registered{
		{"no configuration", "roll-model.dev", nil, rollModelTable("RollModel"), nil},
		{"the name holds no environment", "roll-model.prod", nil, rollModelTable("RollModel"), nil},
		{"ephemeral run", "roll-model.dev", ephemeral, rollModelTable("run7-RollModel"), nil},
	},
	exports: exported{
		stack: "roll-model.dev", settings: map[string]string{"aws:region": "eu-west-1"}, region: "eu-west-1",
		names: map[string]any{"RollModel": "RollModel"}, indexes: map[string]any{"RollModel": []any{}},
	},
	refuses: []refused{
		{"a table name of one's own", "roll-model.dev", map[string]string{"dynaproof:tableName": "Other"}, []string{"roll-model.md:4"}},
		{"provisioned capacity", "roll-model.dev", map[string]string{"dynaproof:billingMode": "PROVISIONED"}, []string{"roll-model.md:6"}},
		{"a stack of another design", "fus-main.dev", nil, []string{"expected a stack of the design roll-model"}},
		{"a placeholder", "roll-model.{env}", nil, []string{`found "{env}"`}},
	},
}
