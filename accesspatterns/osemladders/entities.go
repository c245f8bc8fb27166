package osemladders

import ap "dynaproof/accesspatterns"

func entities() []ap.Entity {
	return []ap.Entity{user(), team(), plan(), assessment(), report(), config()}
}

func user() ap.Entity {
	return ap.Entity{
		ID: "user", Title: "User", Table: "Users",
		Cite: ap.Line(24, "user profiles", "Cognito"),
		Keys: []ap.KeyAttribute{
			{Attribute: "userId", Template: "{userId}", Cite: ap.Line(33, "userId", "String", "Yes", "Cognito sub (UUID)")},
		},
		Attributes: []ap.Attribute{
			{Name: "email", Type: ap.String, Cite: ap.Line(34, "email", "String", "Yes")},
			{Name: "name", Type: ap.String, Cite: ap.Line(35, "name", "String", "Yes")},
			{Name: "roles", Type: ap.StringSet, Allowed: []string{"admin", "manager", "team_member"},
				Cite: ap.Line(36, "roles", "String Set", "Yes", "'admin'", "'manager'", "'team_member'").Implied("read as a value, every user would have all three roles")},
			timestamp("createdAt", 37, "createdAt"),
			timestamp("updatedAt", 38, "updatedAt"),
		},
		Rules: []ap.Rule{
			uuidKeys("user-id-is-a-uuid", ap.Line(33, "userId", "UUID"), "userId"),
		},
	}
}

func team() ap.Entity {
	return ap.Entity{
		ID: "team", Title: "Team", Table: "Teams",
		Cite: ap.Line(69, "team metadata", "membership"),
		Keys: []ap.KeyAttribute{
			{Attribute: "teamId", Template: "{teamId}", Cite: ap.Line(78, "teamId", "String", "Yes", "UUID")},
			{Attribute: "managerId", Template: "{managerId}", Cite: ap.Line(81, "managerId", "String", "Yes", "GSI key")},
		},
		Attributes: []ap.Attribute{
			{Name: "teamName", Type: ap.String, Cite: ap.Line(79, "teamName", "String", "Yes")},
			{Name: "description", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(80, "description", "String", "No")},
			{Name: "memberIds", Type: ap.StringSet, Format: ap.UUID,
				Cite: ap.Line(82, "memberIds", "String Set", "Yes", "User IDs").And(ap.Line(531, "UUID")).Chosen("finding member-ids-set-or-array")},
			id("createdBy", 83, "createdBy", "User ID"),
			timestamp("createdAt", 84, "createdAt"),
			timestamp("updatedAt", 85, "updatedAt"),
			{Name: "isActive", Type: ap.Boolean, Cite: ap.Line(86, "isActive", "Boolean", "Yes", "Soft delete").And(ap.Line(541, "isActive (Teams"))},
		},
		Rules: []ap.Rule{
			uuidKeys("ids-are-uuids", ap.Line(78, "teamId", "UUID").And(ap.Line(81, "managerId", "User ID")), "teamId", "managerId"),
		},
	}
}

func plan() ap.Entity {
	return ap.Entity{
		ID: "plan", Title: "AssessmentPlan", Table: "AssessmentPlans",
		Cite: ap.Line(133, "assessment plan metadata"),
		Keys: []ap.KeyAttribute{
			{Attribute: "planId", Template: "{planId}", Cite: ap.Line(142, "planId", "String", "Yes", "UUID")},
			{Attribute: "teamId", Template: "{teamId}", Cite: ap.Line(143, "teamId", "String", "Yes", "GSI key")},
			{Attribute: "status", Template: "{status}", Cite: ap.Line(149, "status", "String", "Yes", "GSI key")},
		},
		Attributes: []ap.Attribute{
			{Name: "planName", Type: ap.String, Cite: ap.Line(144, "planName", "String", "Yes")},
			{Name: "description", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(145, "description", "String", "No")},
			{Name: "season", Type: ap.String, Cite: ap.Line(146, "season", "String", "Yes")},
			timestamp("startDate", 147, "startDate"),
			timestamp("endDate", 148, "endDate"),
			{Name: "configVersion", Type: ap.String, Cite: ap.Line(150, "configVersion", "String", "Yes")},
			id("createdBy", 151, "createdBy", "User ID"),
			timestamp("createdAt", 152, "createdAt"),
			timestamp("updatedAt", 153, "updatedAt"),
		},
		Rules: []ap.Rule{
			uuidKeys("ids-are-uuids", ap.Line(142, "planId", "UUID").And(ap.Line(143, "teamId")), "planId", "teamId"),
			{
				ID:        "status-is-documented",
				Statement: "the status is draft, active, completed or archived",
				Attribute: "status",
				Check:     oneOf("status", "draft", "active", "completed", "archived"),
				Cite:      ap.Line(149, "status", "'draft'", "'active'", "'completed'", "'archived'"),
			},
		},
	}
}

func config() ap.Entity {
	return ap.Entity{
		ID: "config", Title: "ConfigVersion", Table: "ConfigVersions",
		Cite: ap.Line(430, "versioned career ladder configuration"),
		Keys: []ap.KeyAttribute{
			{Attribute: "configId", Template: "{configId}", Cite: ap.Line(439, "configId", "String", "Yes", "UUID")},
			{Attribute: "isActive", Template: "{isActive}", Type: ap.Number,
				Cite: ap.Line(472, "isActive", "Number: 0 or 1").And(ap.Line(445, "isActive", "Yes", "GSI key"))},
			{Attribute: "createdAt", Template: "{createdAt}", Type: ap.Number,
				Cite: ap.Line(473, "createdAt", "Number").And(ap.Line(444, "createdAt", "Number", "Yes", "milliseconds"))},
		},
		Attributes: []ap.Attribute{
			{Name: "version", Type: ap.String, Cite: ap.Line(440, "version", "String", "Yes")},
			{Name: "configContent", Type: ap.String, Cite: ap.Line(441, "configContent", "String", "Yes")},
			{Name: "parsedConfig", Type: ap.Map, Cite: ap.Line(442, "parsedConfig", "Map", "Yes").And(ap.Line(450, "parsedConfig", "DynamoDB Map"))},
			{Name: "parsedConfig.categories", Type: ap.List, Cite: ap.Line(452, "categories", "[").And(ap.Line(442, "categories array"))},
			{Name: "parsedConfig.categories[]", Type: ap.Map, Cite: ap.Lines(452, 453, "categories", "{").Implied(nested)},
			{Name: "parsedConfig.categories[].name", Type: ap.String, Cite: ap.Line(454, "name", "Technical Execution").Implied(nested)},
			{Name: "parsedConfig.categories[].competencies", Type: ap.List, Cite: ap.Line(455, "competencies", "[").Implied(nested)},
			{Name: "parsedConfig.categories[].competencies[]", Type: ap.Map, Cite: ap.Lines(455, 456, "competencies", "{").Implied(nested)},
			{Name: "parsedConfig.categories[].competencies[].name", Type: ap.String, Cite: ap.Line(457, "name", "Coding").Implied(nested)},
			{Name: "parsedConfig.categories[].competencies[].levels", Type: ap.List, Cite: ap.Line(458, "levels", "[").Implied(nested)},
			{Name: "parsedConfig.categories[].competencies[].levels[]", Type: ap.Map, Cite: ap.Lines(458, 459, "levels", "{").Implied(nested)},
			{Name: "parsedConfig.categories[].competencies[].levels[].level", Type: ap.Number, Cite: ap.Lines(459, 460, `"level": 1`, `"level": 2`).Implied(nested)},
			{Name: "parsedConfig.categories[].competencies[].levels[].description", Type: ap.String, Cite: ap.Lines(459, 460, `"description": "..."`).Implied(nested)},
			id("createdBy", 443, "createdBy", "User ID"),
		},
		Rules: []ap.Rule{
			uuidKeys("config-id-is-a-uuid", ap.Line(439, "configId", "UUID"), "configId"),
			{
				ID:        "is-active-is-0-or-1",
				Statement: "isActive is the Number 0 or the Number 1",
				Attribute: "isActive",
				Check:     oneOf("isActive", "0", "1"),
				Cite:      ap.Line(472, "isActive", "0 or 1"),
			},
			{
				ID:        "created-at-in-milliseconds",
				Statement: "createdAt is Unix time in milliseconds",
				Attribute: "createdAt",
				Check:     inMilliseconds("createdAt"),
				Cite:      ap.Line(444, "createdAt", "Unix timestamp (milliseconds)").And(ap.Line(530, "Unix milliseconds")),
			},
			{
				ID:        "version-is-semantic",
				Statement: "version is a semantic version, such as 1.0.0",
				Attribute: "version",
				Check:     semanticVersion("version"),
				Cite:      ap.Line(440, "version", "Semantic version", "1.0.0"),
			},
		},
	}
}

// id is a required attribute that holds the id of a user or an item: a UUID.
func id(name string, line int, tokens ...string) ap.Attribute {
	return ap.Attribute{Name: name, Type: ap.String, Format: ap.UUID,
		Cite: ap.Line(line, append(tokens, "String", "Yes")...).And(ap.Line(531, "All IDs", "UUID"))}
}

// timestamp is a required attribute in Unix milliseconds.
func timestamp(name string, line int, tokens ...string) ap.Attribute {
	return ap.Attribute{Name: name, Type: ap.Number, Format: ap.EpochMilliseconds,
		Cite: ap.Line(line, append(tokens, "Number", "Yes", "Unix timestamp (milliseconds)")...).And(
			ap.Line(17, "Unix milliseconds", "Number"), ap.Line(530, "All timestamps"))}
}
