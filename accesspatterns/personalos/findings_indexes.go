package personalos

import ap "dynaproof/accesspatterns"

// indexFindings are about GSI1 and GSI2: whom they mix, who is missing in them
// and what they copy.
func indexFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "gsi1-mixes-users", Kind: ap.Hazard, Severity: ap.High,
			Title:    "the status index holds the tasks and goals of all users in one partition each",
			Cite:     ap.Lines(23, 26, "Entity type", "TASK", "Query all tasks").And(ap.Line(64, "`TASK`", "GSI1"), ap.Line(560, "Key('gsi1pk').eq('TASK')")),
			Literal:  "The documented query names no user, so it returns the tasks of every user in that status.",
			Resolved: "The pattern declares a filter on userId and an explicit page size. The filter works after the read: what others own is still read and billed.",
			Grows:    []string{"query-tasks-by-status", "query-goals-by-status"},
			Claims:   []string{"pattern/query-tasks-by-status", "pattern/query-goals-by-status"},
		},
		{
			ID: "gsi2-mixes-users", Kind: ap.Hazard, Severity: ap.High,
			Title:    "the area index holds the items of all users in one partition for each area",
			Cite:     ap.Lines(32, 35, "Life area", "Query all Health-related entities").And(ap.Line(66, "`{area}`", "GSI2")),
			Literal:  "The documented query names no user, so it returns the items of every user in that area.",
			Resolved: "The pattern declares a filter on userId and an explicit page size.",
			Grows:    []string{"query-by-area", "query-by-area-and-type"},
			Claims:   []string{"pattern/query-by-area", "pattern/query-by-area-and-type"},
		},
		{
			ID: "index-partitions-are-hot", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "all writes of an entity type meet in one index partition",
			Cite:     ap.Line(23, "`gsi1pk`", "Entity type").And(ap.Line(32, "`gsi2pk`", "Life area"), ap.Line(590, "Auto-scales")),
			Literal:  "Every task of every user is written to the partition TASK of GSI1. One partition takes at most 1,000 write units and 3,000 read units a second, and an index that throttles makes the table throttle.",
			Resolved: "The keys stay as documented. A userId in gsi1pk and gsi2pk would remove this and the mixing of users.",
			Static:   "the limit shows only under a load that no replay should produce",
		},
		{
			ID: "goals-lack-index-keys", Kind: ap.Contradiction, Severity: ap.High,
			Title:    "goals are queried by status, but their attributes have no index keys",
			Cite:     ap.Line(65, "Query goals by status", "`GOAL`", "GSI1").And(ap.Lines(216, 236, "`status`", "`area`", "`notes`")),
			Literal:  "A goal with the attributes of its own table is not in GSI1, so the query by status never finds it.",
			Resolved: "Goals write gsi1pk and gsi1sk like tasks.",
			Claims:   []string{"pattern/query-goals-by-status", "entity/goal"},
		},
		{
			ID: "area-index-lacks-entities", Kind: ap.Contradiction, Severity: ap.High,
			Title:    "an area is said to hold all entities, but only tasks have the keys of its index",
			Cite:     ap.Line(35, "all Health-related entities").And(ap.Line(66, "{entityType}#{createdAt}", "GSI2"), ap.Lines(152, 153, "`gsi2pk`", "`gsi2sk`"), ap.Lines(312, 331, "`area`", "`cachedTrend`"), ap.Lines(399, 419, "`area`", "`goalIds`"), ap.Lines(439, 458, "`area`", "`goalIds`")),
			Literal:  "A goal, metric, habit or project with the attributes of its own table is missing from its area.",
			Resolved: "Goals, metrics, habits and projects write gsi2pk and gsi2sk like tasks.",
			Claims:   []string{"pattern/query-by-area", "entity/goal", "entity/metric", "entity/habit", "entity/project"},
		},
		{
			ID: "gsi1-other-entity-types", Kind: ap.Gap, Severity: ap.Low,
			Title:    "which entity types the status index holds is left to examples",
			Cite:     ap.Line(23, "e.g.", "TASK", "GOAL").And(ap.Line(329, "`status`"), ap.Line(416, "`status`"), ap.Line(450, "`status`"), ap.Line(510, "`status`")),
			Literal:  "Metrics, habits, projects and rewards have a status too, and no pattern reads them by it.",
			Resolved: "Only tasks and goals write the keys of GSI1, because only they are queried there; the keys on any other entity are refused as undocumented.",
			Static:   "the text names two entity types and leaves the list open",
		},
		{
			ID: "null-index-key", Kind: ap.Contradiction, Severity: ap.Medium,
			Title:    "the examples write None for what is unset, and DynamoDB refuses NULL for an index key",
			Cite:     ap.Lines(84, 87, "gsi1pk: Optional[str]", "gsi2sk: Optional[str]").And(ap.Line(171, "None"), ap.Line(173, "None")),
			Literal:  "An optional key written as None, like the example's other unset attributes, makes the whole write fail.",
			Resolved: "None becomes NULL in ordinary attributes; an unset index key is left out.",
			Claims:   []string{"guardrail/index-key-never-null"},
		},
		{
			ID: "half-an-index-key", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "each index key is optional on its own, but one without the other is in no index",
			Cite:     ap.Lines(84, 87, "gsi1pk: Optional[str]", "gsi1sk: Optional[str]"),
			Literal:  "A task with gsi1pk and no gsi1sk is accepted and silently absent from GSI1.",
			Resolved: "The two keys of an index are written together or not at all.",
		},
		{
			ID: "index-keys-are-copies", Kind: ap.Hazard, Severity: ap.High,
			Title:    "a change of status or area leaves the index keys behind",
			Cite:     ap.Lines(150, 153, "{status}#{createdAt}", "`{area}`").And(ap.Line(138, "`status`"), ap.Line(135, "`area`")),
			Literal:  "Updating status alone keeps a task that is done among the tasks in progress; updating area alone keeps it in its old area.",
			Resolved: "The attribute and the key that repeats it change in one update; an item in which they differ is refused.",
			Claims:   []string{"entity/task", "entity/goal", "pattern/change-task-status", "pattern/change-task-area", "invariant/index-keys-agree"},
		},
		{
			ID: "index-projection-undocumented", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "the projection of the indexes is not documented",
			Cite:     ap.Lines(17, 35, "Global Secondary Indexes", "GSI1", "GSI2"),
			Literal:  "With KEYS_ONLY the documented queries would return keys and no userId, so that nobody could tell whose task it is.",
			Resolved: "Both indexes project ALL, because the queries stand for lists of whole entities.",
			Claims:   []string{"index/personal-os/GSI1", "index/personal-os/GSI2"},
			Static:   "the text is absent",
		},
		{
			ID: "index-reads-are-eventual", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "a status or area list may not show the write before it",
			Cite:     ap.Line(26, "Query all tasks").And(ap.Lines(558, 561, "IndexName='GSI1'")),
			Literal:  "A global secondary index cannot be read consistently: asking for it is refused.",
			Resolved: "Index reads are eventually consistent; what must be current is read by its primary key.",
		},
		{
			ID: "status-row-is-a-whole-key", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "the rows of the index patterns give a whole sort key where a prefix is meant",
			Cite:     ap.Lines(64, 66, "{status}#{createdAt}", "{entityType}#{createdAt}").And(ap.Line(560, "begins_with('InProgress#')")),
			Literal:  "Taken as it stands the key needs a creation time, and returns the items of that one second.",
			Resolved: "begins_with `{status}#`, as the query example has it; likewise `{entityType}#`.",
			Claims:   []string{"pattern/query-tasks-by-status", "pattern/query-by-area-and-type"},
		},
		{
			ID: "area-values-undefined", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "the life areas are a partition key, and their values are not listed",
			Cite:     ap.Line(32, "e.g.", "Health", "Wealth").And(ap.Line(135, "`area`", "Life area")),
			Literal:  "A writer who spells an area differently opens another partition, which the query for the usual spelling never reads.",
			Resolved: "Any text is accepted as an area, and fixtures spell it as the examples do. A list of values belongs in the document.",
		},
		{
			ID: "timestamps-sort-as-text", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "ISO 8601 allows notations that do not sort by time",
			Cite:     ap.Line(82, "createdAt", "ISO 8601 timestamp").And(ap.Line(24, "{status}#{createdAt}"), ap.Line(26, "sorted by creation date")),
			Literal:  "Keys sort as text: a fraction of a second sorts before the whole second, and an offset sorts by local time.",
			Resolved: "One notation: UTC with Z and the same number of decimals everywhere. The examples have whole seconds, and so have the fixtures.",
		},
	}
}
