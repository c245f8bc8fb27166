package catalog_test

// onDemand is what personal-os.md:4-35, :88 and :587 ask for, written out from the document. An input that is not here
// is not documented.
func onDemand(name string) map[string]map[string]any {
	return map[string]map[string]any{"personal-os": asked(name, "pk sk", "pk S, sk S, gsi1pk S, gsi1sk S, gsi2pk S, gsi2sk S",
		[]string{"GSI1 gsi1pk gsi1sk", "GSI2 gsi2pk gsi2sk"}, expires("ttl"))}
}

// provisioned is the same table as personal-os.md:605 offers it for later.
func provisioned(name string) map[string]map[string]any {
	tables := onDemand(name)
	table := tables["personal-os"]
	table["billingMode"], table["readCapacity"], table["writeCapacity"] = "PROVISIONED", 1.0, 1.0
	for _, index := range table["globalSecondaryIndexes"].([]any) {
		index := index.(map[string]any)
		index["readCapacity"], index["writeCapacity"] = 1.0, 1.0
	}
	return tables
}

var personalOS = documented{
	registers: []registered{
		{"no configuration", "personal-os.dev", nil, onDemand("personal-os-dev"), nil},
		{"another environment", "personal-os.prod", nil, onDemand("personal-os-prod"), nil},
		{"ephemeral run", "personal-os.dev", ephemeral, onDemand("run7-personal-os-dev"), nil},
		{"on demand, said outright", "personal-os.dev", map[string]string{"dynaproof:billingMode": "PAY_PER_REQUEST"}, onDemand("personal-os-dev"), nil},
		{"provisioned", "personal-os.dev", map[string]string{"dynaproof:billingMode": "PROVISIONED"}, provisioned("personal-os-dev"), nil},
	},
	exports: exported{
		stack: "personal-os.prod", settings: map[string]string{"aws:region": "eu-west-1"}, region: "eu-west-1",
		names: map[string]any{"personal-os": "personal-os-prod"}, indexes: map[string]any{"personal-os": []any{"GSI1", "GSI2"}},
	},
	refuses: []refused{
		{"a table name of one's own", "personal-os.dev", map[string]string{"dynaproof:tableName": "Other"}, []string{"personal-os.md:4"}},
		{"an unknown billing mode", "personal-os.dev", map[string]string{"dynaproof:billingMode": "on-demand"}, []string{`found "on-demand"`}},
		{"the document's placeholder", "personal-os.{stage}", nil, []string{`found "{stage}"`}},
		{"a stack of another design", "roll-model.dev", nil, []string{"expected a stack of the design personal-os"}},
	},
}
