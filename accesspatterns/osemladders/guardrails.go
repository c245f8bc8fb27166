package osemladders

import ap "dynaproof/accesspatterns"

func guardrails() []ap.Guardrail {
	return []ap.Guardrail{
		{
			ID:    "one-active-config",
			Rule:  "a config version that takes over from the active one leaves exactly one active, also when activations race or repeat",
			Cite:  ap.Line(445, "one active config").Implied("one version takes over from another, so there is never none either"),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID:    "sets-are-never-empty",
			Rule:  "roles and memberIds hold at least one member: an empty set is refused",
			Cite:  ap.Line(36, "roles", "String Set", "Yes").And(ap.Line(82, "memberIds", "String Set", "Yes")).Implied("both sets are required, and DynamoDB cannot store an empty set"),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID:    "config-flag-is-a-number",
			Rule:  "isActive of a config version is a Number: any other type is refused",
			Cite:  ap.Line(472, "isActive", "Number: 0 or 1").And(ap.Line(487, "isActive", `"N"`)).Implied("isActive is a key of isActive-index, defined as a Number"),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID:    "soft-delete-only",
			Rule:  "no item is ever deleted; a team is deleted by its flag, and lists of active teams leave it out",
			Cite:  ap.Line(542, "Soft deletes", "isActive flag (no hard deletes)").And(ap.Line(86, "Soft delete flag")),
			Proof: ap.ByClaims, Layer: ap.LayerGuard,
			Claims: []string{"pattern/soft-delete-team", "pattern/list-teams", "pattern/get-team"},
		},
		{
			ID:    "no-undocumented-scan",
			Rule:  "every list other than the two waived ones goes through an index: no Scan and no PartiQL statement",
			Cite:  ap.Line(14, "for query access patterns").Implied("indexes are the documented way to list; only lists of all users and all teams have none"),
			Proof: ap.ByLedgerNoScan, Layer: ap.LayerGuard,
		},
		{
			ID:    "one-partition-per-query",
			Rule:  "every Query binds the partition key of its table or index to one value",
			Cite:  ap.Line(14, "query access patterns").And(ap.Line(126, "managerId = X"), ap.Line(510, "isActive = 1")).Implied("every documented Query equates the index's partition key with one value"),
			Proof: ap.ByLedgerOnePartition, Layer: ap.LayerGuard,
		},
		{
			ID:   "only-documented-requests",
			Rule: "a client sends what the document describes for its role, and nothing else",
			Cite: ap.Line(61, "Access Patterns").And(ap.Line(124, "Access Patterns"), ap.Line(204, "Access Patterns"),
				ap.Line(322, "Access Patterns"), ap.Line(421, "Access Patterns"), ap.Line(508, "Access Patterns"), ap.Line(510, "Limit = 1")).Implied("every table lists its access patterns, and its indexes are made for these"),
			Proof: ap.ByTrials, Layer: ap.LayerGuard,
		},
		{
			ID:    "admin-scans-are-paged",
			Rule:  "the two Scans are for admins alone, and each page carries an explicit Limit",
			Cite:  ap.Line(63, "admin only, paginated").And(ap.Line(127, "admin only, paginated")).Chosen("ruling all documents 1"),
			Proof: ap.ByClaims, Layer: ap.LayerGuard,
			Claims: []string{"pattern/list-users", "pattern/list-teams"},
		},
		{
			ID:    "application-tells-self-from-manager",
			Rule:  "self and manager assessments are told apart after the query, which carries no filter",
			Cite:  ap.Line(326, "Application-level filter", "after query"),
			Proof: ap.ByClaims, Layer: ap.LayerGuard,
			Claims: []string{"pattern/tell-self-from-manager-assessment", "attribute/assessment/assessmentType"},
		},
		{
			ID:    "six-tables-eight-indexes",
			Rule:  "six tables with eight indexes are deployed, and nothing else",
			Cite:  ap.Lines(517, 518, "Total Tables", "6", "Total GSIs", "8"),
			Proof: ap.ByClaims, Layer: ap.LayerDeployment,
			Claims: append([]string{"tables"}, ofTables("exists", "indexes")...),
		},
		{
			ID:    "verify-compares-keys-and-indexes",
			Rule:  "a verification compares partition keys, sort keys and the number of indexes with the document",
			Cite:  ap.Line(562, "partition keys, sort keys, and GSI count"),
			Proof: ap.ByClaims, Layer: ap.LayerDeployment,
			Claims: ofTables("key", "indexes"),
		},
		{
			ID:    "partition-key-alone",
			Rule:  "no base table has a sort key",
			Cite:  ap.Line(536, "No sort keys on base table").And(ap.Line(13, "Single-attribute partition keys (UUID strings)")),
			Proof: ap.ByClaims, Layer: ap.LayerDeployment,
			Claims: ofTables("key"),
		},
		{
			ID:    "on-demand-everywhere",
			Rule:  "all tables are billed on demand",
			Cite:  ap.Line(15, "On-demand billing mode").And(ap.Line(534, "All tables: On-demand billing")),
			Proof: ap.ByClaims, Layer: ap.LayerDeployment,
			Claims: ofTables("billing"),
		},
		{
			ID:    "encrypted-everywhere",
			Rule:  "all tables are encrypted at rest with a key that AWS holds",
			Cite:  ap.Line(18, "AWS-managed keys (default)").And(ap.Line(535, "All tables: AWS-managed encryption at rest")),
			Proof: ap.ByClaims, Layer: ap.LayerDeployment,
			Claims: ofTables("encryption"),
		},
		{
			ID:    "tagged-everywhere",
			Rule:  "all tables carry the environment and the application as their tags, and no other tag",
			Cite:  ap.Lines(54, 57, "Environment", "{env}", "Application", "osem-ladders").And(ap.Lines(501, 504, "Environment", "Application")).Implied("the six schemas carry the same two tags"),
			Proof: ap.ByClaims, Layer: ap.LayerDeployment,
			Claims: ofTables("tags"),
		},
		{
			ID:    "indexes-project-everything",
			Rule:  "all indexes carry whole items, so that no list goes back to its table",
			Cite:  ap.Line(533, "no base table lookups"),
			Proof: ap.ByClaims, Layer: ap.LayerDeployment,
			Claims: []string{
				"index/Teams/managerId-index",
				"index/AssessmentPlans/teamId-index", "index/AssessmentPlans/status-index",
				"index/Assessments/planId-teamMemberId-index", "index/Assessments/teamMemberId-index",
				"index/AssessmentReports/planId-index", "index/AssessmentReports/teamMemberId-index",
				"index/ConfigVersions/isActive-index",
			},
		},
		{
			ID:    "timestamps-in-milliseconds",
			Rule:  "all moments are Numbers of Unix milliseconds",
			Cite:  ap.Line(17, "Unix milliseconds (Number) for all timestamps").And(ap.Line(530, "All timestamps: Unix milliseconds (Number)")),
			Proof: ap.ByClaims, Layer: ap.LayerGuard,
			Claims: []string{
				"attribute/user/createdAt", "attribute/user/updatedAt",
				"attribute/team/createdAt", "attribute/team/updatedAt",
				"attribute/plan/startDate", "attribute/plan/endDate", "attribute/plan/createdAt", "attribute/plan/updatedAt",
				"attribute/assessment/submittedAt", "attribute/assessment/createdAt", "attribute/assessment/updatedAt",
				"attribute/report/generatedAt", "attribute/report/exportedAt",
				"rule/config/created-at-in-milliseconds",
			},
		},
		{
			ID:    "ids-are-uuids",
			Rule:  "all ids are Strings that hold a UUID",
			Cite:  ap.Line(531, "All IDs: UUID (String)").And(ap.Line(540, "All primary keys are String UUIDs")),
			Proof: ap.ByClaims, Layer: ap.LayerGuard,
			Claims: []string{
				"rule/user/user-id-is-a-uuid", "rule/team/ids-are-uuids", "rule/plan/ids-are-uuids",
				"rule/assessment/ids-are-uuids", "rule/report/ids-are-uuids", "rule/config/config-id-is-a-uuid",
				"attribute/team/memberIds", "attribute/team/createdBy", "attribute/plan/createdBy",
				"attribute/assessment/teamId", "attribute/assessment/assessorId",
				"attribute/report/selfAssessmentId", "attribute/report/managerAssessmentId", "attribute/config/createdBy",
			},
		},
	}
}

// ofTables names the given claims of all six tables.
func ofTables(aspects ...string) []string {
	var claims []string
	for _, table := range []string{"Users", "Teams", "AssessmentPlans", "Assessments", "AssessmentReports", "ConfigVersions"} {
		for _, aspect := range aspects {
			claims = append(claims, "table/"+table+"/"+aspect)
		}
	}
	return claims
}
