package osemladders

import ap "dynaproof/accesspatterns"

func configPatterns() []ap.Pattern {
	return []ap.Pattern{
		{
			ID: "get-config", Title: "a config version by its id",
			Cite:    ap.Line(509, "GetItem(configId)"),
			Roles:   everyone(),
			Read:    ap.Get("ConfigVersions", ap.Equals("configId", "{configId}")),
			Returns: []string{"config"},
		},
		{
			ID: "get-active-config", Title: "the active config version: the newest item whose flag is 1",
			Cite: ap.Line(510, "Query(isActive-index, isActive = 1, SortKeyCondition = desc, Limit = 1)").And(
				ap.Line(475, "isActive=1, sort by createdAt desc, limit 1")),
			Roles: everyone(),
			Read: &ap.Read{
				Operation: ap.OpQuery, Table: "ConfigVersions", Index: "isActive-index",
				Partition: ap.EqualsNumber("isActive", "1"), Order: ap.Descending, Limit: 1,
			},
			Returns: []string{"config"},
		},
		{
			// The document's Scan cannot sort. Two queries on the index read the
			// same items, each in the order of createdAt.
			ID: "list-config-versions", Title: "all config versions, active and inactive, each sorted by createdAt, without a Scan",
			Cite: ap.Line(511, "List all config versions", "admin only", "sorted by createdAt").And(
				ap.Lines(471, 473, "isActive-index", "Number: 0 or 1", "createdAt")),
			Roles: []string{admin},
			Flow: []ap.Step{
				{Name: "active", Cite: ap.Line(472, "isActive", "1"), Read: configsByFlag("1")},
				{Name: "inactive", Cite: ap.Line(472, "isActive", "0"), Read: configsByFlag("0")},
			},
			Returns: []string{"config"},
		},
		{
			// The base table decides, not the index: a stale index read makes the
			// conditions fail instead of leaving two versions active.
			ID: "activate-config", Title: "another config version becomes the active one, and the former one stops in the same transaction",
			Cite:    ap.Line(445, "isActive", "one active config"),
			Implied: "the description of isActive; the list of access patterns only reads the active config",
			Roles:   []string{admin},
			Flow: []ap.Step{
				{
					Name: "current", Cite: ap.Line(475, "current active config", "isActive=1"),
					Read:          configsByFlag("1"),
					StopWhenEmpty: true,
				},
				{
					Name: "switch", Cite: ap.Line(445, "one active config").And(ap.Line(472, "0 or 1")),
					ForEach: ap.Each("current", "configId", "currentConfigId"),
					Write: []ap.Action{
						setFlag("{currentConfigId}", "1", "0"),
						setFlag("{configId}", "0", "1"),
					},
				},
				{
					// No limit, so that a second active version could not hide.
					Name: "active", Cite: ap.Line(445, "one active config"),
					Read: configsByFlag("1"),
				},
			},
			Returns: []string{"config"},
		},
	}
}

func configsByFlag(flag ap.KeyTemplate) *ap.Read {
	return &ap.Read{
		Operation: ap.OpQuery, Table: "ConfigVersions", Index: "isActive-index",
		Partition: ap.EqualsNumber("isActive", flag), Order: ap.Ascending,
	}
}

// setFlag changes isActive of one version, provided that it still has the value
// that the caller believes it has.
func setFlag(configID, from, to ap.KeyTemplate) ap.Action {
	return ap.Action{
		Kind: ap.Update, Table: "ConfigVersions", Key: []ap.Equality{*ap.Equals("configId", configID)},
		Set:       []ap.Assignment{{Attribute: "isActive", Value: ap.Digits(to)}},
		Condition: []ap.WriteCondition{{Attribute: "isActive", Operator: ap.ConditionEquals, Value: ap.Digits(from)}},
	}
}
