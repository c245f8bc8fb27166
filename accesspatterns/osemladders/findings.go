package osemladders

import (
	"slices"

	ap "dynaproof/accesspatterns"
)

func findings() []ap.Finding {
	return slices.Concat(contradictions(), gaps(), missingLookups(), hazards())
}

// bothPlaces is why a contradiction within the text needs no request.
const bothPlaces = "the two places contradict each other on paper; both are cited"

func contradictions() []ap.Finding {
	return []ap.Finding{
		{
			ID: "config-is-active-type", Kind: ap.Contradiction, Severity: ap.High,
			Title:    "isActive of a config version is a Boolean in the attribute table and a Number in the index",
			Cite:     ap.Line(445, "isActive", "Boolean", "GSI key").And(ap.Line(472, "isActive", "Number: 0 or 1"), ap.Line(487, "isActive", `"N"`)),
			Literal:  "an item with a Boolean isActive is refused, because the attribute is an index key of type Number",
			Resolved: "isActive is the Number 0 or 1 in ConfigVersions, and a Boolean in Teams, where it is no key",
			Claims:   []string{"index/ConfigVersions/isActive-index", "rule/config/is-active-is-0-or-1"},
		},
		{
			ID: "explicit-booleans", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "the summary counts isActive of ConfigVersions among the explicit booleans",
			Cite:     ap.Line(541, "Explicit booleans", "ConfigVersions").And(ap.Line(472, "Number: 0 or 1")),
			Literal:  "a reader of the summary writes true and false",
			Resolved: "the claim holds for Teams alone",
			Claims:   []string{"attribute/team/isActive"},
			Static:   bothPlaces,
		},
		{
			ID: "is-active-means-two-things", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "isActive marks a deleted team, but the one version in use among configs",
			Cite:     ap.Line(86, "Soft delete flag").And(ap.Line(445, "one active config"), ap.Line(542, "Soft deletes", "isActive flag")),
			Literal:  "read as a soft delete, every superseded config version would count as deleted",
			Resolved: "an inactive config version is kept and readable; only an inactive team is deleted",
			Claims:   []string{"pattern/list-config-versions", "pattern/list-teams"},
			Static:   "the same name with two meanings is a matter of the text",
		},
		{
			ID: "config-list-scans", Kind: ap.Contradiction, Severity: ap.Medium,
			Title:    "config versions are listed by Scan although an index holds all of them",
			Cite:     ap.Line(511, "Scan").And(ap.Line(14, "GSIs", "query access patterns"), ap.Lines(471, 473, "isActive-index", "0 or 1")),
			Literal:  "a Scan reads the whole table, also items that lack the required flag",
			Resolved: "one Query for each of the two values of isActive",
			Claims:   []string{"pattern/list-config-versions"},
		},
		{
			ID: "scan-has-no-order", Kind: ap.Contradiction, Severity: ap.Medium,
			Title:    "the list of config versions is to be sorted, and comes from a Scan, which has no order",
			Cite:     ap.Line(511, "Scan", "sorted by createdAt"),
			Literal:  "the sequence of a Scan follows the hash of the partition key",
			Resolved: "each Query on isActive-index is sorted by createdAt, ascending, since no direction is stated; the reader merges the two",
			Claims:   []string{"pattern/list-config-versions"},
			Static:   "a Scan request has no field for an order, and an order that happens to be right proves nothing",
		},
		{
			ID: "sort-key-condition-desc", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "descending order is written as a sort key condition",
			Cite:     ap.Line(510, "SortKeyCondition = desc").And(ap.Line(475, "sort by createdAt desc")),
			Literal:  "DynamoDB knows no such condition",
			Resolved: "ScanIndexForward is false and Limit is 1",
			Claims:   []string{"pattern/get-active-config"},
			Static:   "no request has a field of that name",
		},
		{
			ID: "lists-need-scans", Kind: ap.Contradiction, Severity: ap.Medium,
			Title:    "indexes are the principle for lists, and two lists are Scans",
			Cite:     ap.Line(14, "GSIs", "query access patterns").And(ap.Line(63, "Scan"), ap.Line(127, "Scan")),
			Literal:  "both lists read their whole table",
			Resolved: "a waiver each, for admins and in pages of 25, counted in every report",
			Grows:    []string{"list-users", "list-teams"},
			Claims:   []string{"pattern/list-users", "pattern/list-teams", "ledger/no-scan"},
			Static:   bothPlaces,
		},
		{
			ID: "users-are-not-only-looked-up", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "users are said to be looked up by userId only, and are listed as well",
			Cite:     ap.Line(40, "lookups by userId only").And(ap.Line(63, "List all users")),
			Literal:  "the index section gives no reason for the list",
			Resolved: "both access patterns are in the contract",
			Claims:   []string{"pattern/get-user", "pattern/list-users"},
			Static:   bothPlaces,
		},
		{
			ID: "audit-fields", Kind: ap.Contradiction, Severity: ap.Medium,
			Title:    "three audit fields are claimed for all tables, and four tables lack some",
			Cite:     ap.Line(539, "createdAt, updatedAt, createdBy (all tables)").And(ap.Lines(33, 38, "updatedAt"), ap.Lines(223, 236, "updatedAt"), ap.Lines(341, 350, "generatedAt"), ap.Lines(439, 445, "createdAt")),
			Literal:  "users and assessments have no createdBy, config versions no updatedAt, and reports none of the three",
			Resolved: "the attribute tables win: an item with such a field is refused as undocumented",
			Lacks:    []string{"user.createdBy", "assessment.createdBy", "report.createdAt", "report.updatedAt", "report.createdBy", "config.updatedAt"},
			Static:   bothPlaces,
		},
		{
			ID: "soft-delete-without-flag", Kind: ap.Contradiction, Severity: ap.Medium,
			Title:    "deletion is by isActive and never hard, but only teams have that flag",
			Cite:     ap.Line(542, "isActive flag (no hard deletes)").And(ap.Line(541, "isActive (Teams, ConfigVersions)"), ap.Lines(33, 38, "userId"), ap.Lines(142, 153, "planId"), ap.Lines(223, 236, "assessmentId"), ap.Lines(341, 350, "reportId")),
			Literal:  "users, plans, assessments and reports can be deleted in neither way",
			Resolved: "the attribute tables win: soft deletion exists for teams alone",
			Claims:   []string{"pattern/soft-delete-team"},
			Lacks:    []string{"user.isActive", "plan.isActive", "assessment.isActive", "report.isActive"},
			Static:   bothPlaces,
		},
		{
			ID: "reports-lack-the-team", Kind: ap.Contradiction, Severity: ap.Medium,
			Title:    "teamId is claimed for all assessment-related tables, and reports have none",
			Cite:     ap.Line(543, "teamId in all assessment-related tables").And(ap.Lines(341, 350, "reportId", "planId", "teamMemberId")),
			Literal:  "a team's reports cannot be asked for: there is neither the attribute nor an index",
			Resolved: "the team's plans first, then the reports of each plan",
			Lacks:    []string{"report.teamId"},
		},
		{
			ID: "nested-data-holds-lists", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "nested data is said to be Maps, and parsedConfig holds three levels of lists",
			Cite:     ap.Line(532, "All nested data: DynamoDB Map type").And(ap.Line(16, "DynamoDB Map type for nested structures"), ap.Line(452, "categories", "["), ap.Line(455, "competencies", "["), ap.Line(458, "levels", "[")),
			Literal:  "a document path that takes categories for a map is invalid",
			Resolved: "categories, competencies and levels are Lists of Maps, and paths carry an index",
			Claims:   []string{"attribute/config/parsedConfig.categories"},
		},
		{
			ID: "member-ids-set-or-array", Kind: ap.Contradiction, Severity: ap.Medium,
			Title:    "memberIds is a String Set by its type and an array by its description",
			Cite:     ap.Line(82, "memberIds", "String Set", "Array of User IDs"),
			Literal:  "a List is stored without complaint, and keeps duplicates",
			Resolved: "the type column wins; the contract refuses a List",
			Claims:   []string{"attribute/team/memberIds"},
		},
		{
			ID: "roles-notation", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "the three roles are written like an array's value where the allowed values of a set are meant",
			Cite:     ap.Line(36, "String Set", "['admin', 'manager', 'team_member']"),
			Literal:  "read as a value, every user would have all three roles",
			Resolved: "the three words are the allowed members of the set",
			Claims:   []string{"attribute/user/roles"},
			Static:   "which of two readings is meant is not a matter of requests",
		},
		{
			ID: "assessment-estimate", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "the estimate of assessments does not add up, and counts all teams into one plan",
			Cite:     ap.Line(550, "~400 rows/plan (10 teams * 10 members * 2 assessments)", "~16,000 rows/year").And(ap.Line(143, "Team this plan belongs to"), ap.Line(549, "~40 rows/year")),
			Literal:  "10 times 10 times 2 is 200, not 400; and a plan belongs to one team, so 20 rows for each of 40 plans make 800 a year, not 16,000",
			Resolved: "the figures are not used",
			Static:   "arithmetic on the cited lines",
		},
		{
			ID: "report-estimate", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "the estimate of reports does not add up, and counts all teams into one plan",
			Cite:     ap.Line(551, "~200 rows/plan (10 teams * 10 members)", "~8,000 rows/year").And(ap.Line(143, "Team this plan belongs to"), ap.Line(549, "~40 rows/year")),
			Literal:  "10 times 10 is 100, not 200; and a plan belongs to one team, so 10 rows for each of 40 plans make 400 a year, not 8,000",
			Resolved: "the figures are not used",
			Static:   "arithmetic on the cited lines",
		},
		{
			ID: "archived-plans", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "the index is for active and archived plans, the access patterns are for active and completed ones",
			Cite:     ap.Line(165, "active/archived").And(ap.Lines(207, 208, "'active'", "'completed'")),
			Literal:  "the query for archived plans works, and no access pattern allows it",
			Resolved: "archived plans are listed by a pattern that the index's purpose implies",
			Claims:   []string{"pattern/list-archived-plans"},
		},
		{
			ID: "feedback-level-is-text", Kind: ap.Contradiction, Severity: ap.Medium,
			Title:    "a level is a Number in selections and the text of a map key in feedback",
			Cite:     ap.Line(256, `"3": {`).And(ap.Line(244, `"Coding": 3`), ap.Line(229, "Numbers")),
			Literal:  "a selection compared with the key's text is never equal, and the keys sort as text, \"10\" before \"3\"",
			Resolved: "the key is the level in decimal digits; a reader converts it before comparing",
			Claims:   []string{"attribute/assessment/selections.*.*", "attribute/assessment/feedback.*.*.*"},
		},
		{
			ID: "required-before-start", Kind: ap.Contradiction, Severity: ap.Medium,
			Title:    "an assessment that has not started must already have selections, feedback and a level",
			Cite:     ap.Lines(229, 231, "selections", "feedback", "currentLevel", "Yes").And(ap.Line(233, "'not_started'")),
			Literal:  "currentLevel has no value for \"none yet\"",
			Resolved: "maps that are empty until then; the fixtures write level 0, which the document does not define",
			Static:   bothPlaces,
		},
		{
			ID: "encryption-key-owner", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "the default is called AWS-managed, but DynamoDB's default key is AWS owned",
			Cite:     ap.Line(18, "AWS-managed keys (default)").And(ap.Line(535, "AWS-managed encryption at rest")),
			Literal:  "the AWS managed key is a setting; the schemas set nothing",
			Resolved: "both keys are accepted and named in the report; a customer managed key fails",
			Claims:   []string{"table/Users/encryption", "table/ConfigVersions/encryption"},
			Static:   "the wording is at fault; the key in use is a claim of its own",
		},
		{
			ID: "base-table-lookups", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "whole items in the indexes are to make lookups needless, but items refer to each other by id",
			Cite:     ap.Line(533, "no base table lookups").And(ap.Lines(344, 345, "Reference to self Assessment", "Reference to manager Assessment"), ap.Line(82, "User IDs")),
			Literal:  "a report with its assessments takes three reads, a team with its members one more for each member",
			Resolved: "the claim is read as: no second read for the same item",
			Claims:   []string{"pattern/read-report-with-assessments", "guardrail/indexes-project-everything"},
			Static:   bothPlaces,
		},
	}
}
