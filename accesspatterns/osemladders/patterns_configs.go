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
			// No limit, so that a second active version could not hide.
			ID: "list-active-configs", Title: "every config version whose flag is 1: there must be exactly one",
			Cite:    ap.Line(445, "isActive", "Only one active config at a time").And(ap.Line(472, "0 or 1")).Implied("only a read without the limit of 1 can tell that the active version is alone; lists of versions are for admins"),
			Roles:   []string{admin},
			Read:    configsByFlag("1"),
			Returns: []string{"config"},
		},
		{
			// The document's Scan cannot sort. Two queries on the index read the
			// same items, each in the order of createdAt.
			ID: "list-config-versions", Title: "all config versions, active and inactive, each sorted by createdAt, without a Scan",
			Cite: ap.Line(511, "List all config versions", "admin only", "sorted by createdAt").And(
				ap.Lines(471, 473, "isActive-index", "Number: 0 or 1", "createdAt")).Chosen("ruling all documents 1"),
			Roles: []string{admin},
			Flow: []ap.Step{
				{Name: "active", Cite: ap.Line(472, "isActive", "1"), Read: configsByFlag("1")},
				{Name: "inactive", Cite: ap.Line(472, "isActive", "0"), Read: configsByFlag("0")},
			},
			Returns: []string{"config"},
		},
	}
}

// configsByFlag reads in the order of createdAt; the document does not say in which
// direction.
func configsByFlag(flag ap.KeyTemplate) *ap.Read {
	return &ap.Read{
		Operation: ap.OpQuery, Table: "ConfigVersions", Index: "isActive-index",
		Partition: ap.EqualsNumber("isActive", flag), Order: ap.EitherOrder,
	}
}
