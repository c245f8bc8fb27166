package catalog_test

// fusMainTable is what fus-main.md:3-15 asks for, written out from the document. An input that is not here is not documented.
func fusMainTable(name string) map[string]map[string]any {
	return map[string]map[string]any{"fus-main": asked(name, "PK SK",
		"PK S, SK S, entityType S, entitySk S, tag S, siteId S, starRating N, groupName S, userId S, squashDate S, matchId S",
		[]string{"byEntity entityType entitySk", "byTag tag siteId", "byStars starRating siteId", "byGroup groupName userId", "bySquashDate squashDate matchId"},
	)}
}

var fusMain = documented{
	registers: []registered{
		{"no configuration", "fus-main.dev", nil, fusMainTable("fus-main"), nil},
		{"the name holds no environment", "fus-main.prod", nil, fusMainTable("fus-main"), nil},
		{"a table name of one's own", "fus-main.dev", map[string]string{"dynaproof:tableName": "fus-dev"}, fusMainTable("fus-dev"), nil},
		{"ephemeral run", "fus-main.dev", ephemeral, fusMainTable("run7-fus-main"), nil},
		{"both", "fus-main.dev", map[string]string{"dynaproof:tableName": "fus-dev", "dynaproof:namePrefix": "run7-"}, fusMainTable("run7-fus-dev"), nil},
	},
	exports: exported{
		stack: "fus-main.dev", settings: map[string]string{"aws:region": "eu-west-1", "dynaproof:tableName": "fus-dev"}, region: "eu-west-1",
		names:   map[string]any{"fus-main": "fus-dev"},
		indexes: map[string]any{"fus-main": []any{"byEntity", "byGroup", "bySquashDate", "byStars", "byTag"}},
	},
	refuses: []refused{
		{"an unusable table name", "fus-main.dev", map[string]string{"dynaproof:tableName": "fus main"}, []string{`found "fus main"`}},
		{"provisioned capacity", "fus-main.dev", map[string]string{"dynaproof:billingMode": "PROVISIONED"}, []string{"fus-main.md:5"}},
		{"a stack of another design", "roll-model.dev", nil, []string{"expected a stack of the design fus-main"}},
	},
}
