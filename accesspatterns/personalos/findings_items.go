package personalos

import ap "dynaproof/accesspatterns"

// itemFindings are about attributes: missing, doubled or expired.
func itemFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "base-attributes-contradicted", Kind: ap.Contradiction, Severity: ap.Medium,
			Title: "the examples lack attributes that all entities are said to have",
			Cite: ap.Line(74, "All entities").And(
				ap.Lines(81, 83, "userId: str", "createdAt: str", "updatedAt: str"),
				ap.Lines(107, 119, "USER#abc-123", "updatedAt"), ap.Lines(202, 209, "TASK_DEPENDENCY", "createdAt"), ap.Lines(350, 361, "METRIC_LOG", "createdAt")),
			Literal:  "The profile has no userId, the dependency neither userId nor updatedAt, the metric log no updatedAt: a reader who filters by owner loses the dependency.",
			Resolved: "These four attributes are optional on these three entities and required on all others.",
			Claims:   []string{"example/example-user-profile", "example/example-task-dependency", "example/example-metric-log", "attribute/task-dependency/userId"},
		},
		{
			ID: "updated-at-is-no-version", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "the only attribute that tells two versions of an item apart is a moment",
			Cite:     ap.Line(83, "updatedAt: str", "ISO 8601 timestamp"),
			Literal:  "Two changes in one second leave the same updatedAt, so a writer who read between them does not see that the item changed, and overwrites the second.",
			Resolved: "A change that rests on updatedAt must bring another moment than the one that is stored; one that does not is refused and made again later.",
			Claims:   []string{"invariant/no-orphans-of-task", "invariant/link-and-list-agree"},
		},
		{
			ID: "presence-not-documented", Kind: ap.Gap, Severity: ap.Low,
			Title:    "the attribute tables do not say what an item must have",
			Cite:     ap.Lines(133, 134, "Optional description", "Extended notes").And(ap.Line(147, "Additional notes"), ap.Lines(157, 185, "task-xyz-789")),
			Literal:  "A few attributes are called optional; the example task leaves out two that are not.",
			Resolved: "Required are the base attributes, what the examples show and nothing calls optional, the same-named attributes of other entities (id, title or name, area, priority, status), what a key repeats, and the figures that an entity is for. All else is optional.",
			Static:   "the text is absent",
		},
		{
			ID: "links-and-lists-drift", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "the same link is kept as an item and in an embedded list",
			Cite:     ap.Lines(148, 149, "`goalIds`", "`projectIds`", "embedded").And(ap.Lines(273, 275, "GOAL#{goalId}", "GOAL_TASK"), ap.Lines(466, 468, "PROJECT_TASK"), ap.Line(419, "`goalIds`"), ap.Lines(246, 247, "linkedMetricId", "linkedTaskId")),
			Literal:  "Removing the link item leaves the goal in the task's list, and neither says which one counts.",
			Resolved: "Both change in one transaction.",
		},
		{
			ID: "lists-without-bound", Kind: ap.Hazard, Severity: ap.Low,
			Title:    "embedded lists grow without a stated bound",
			Cite:     ap.Lines(148, 149, "List[String]").And(ap.Line(231, "List[Map]"), ap.Lines(485, 488, "List[String]")),
			Literal:  "An item ends at 400 KB, keys and names included; an update that exceeds it is refused, and every read pays for the whole list.",
			Resolved: "No bound is asserted, because none is documented.",
			Static:   "the text is absent",
		},
		{
			ID: "links-hold-keys-only", Kind: ap.Gap, Severity: ap.Low,
			Title:    "the tables of the links list three attributes, none of them an owner or a time",
			Cite:     ap.Lines(271, 275, "`pk`", "`sk`", "`entityType`").And(ap.Lines(464, 468, "`pk`", "`sk`", "`entityType`"), ap.Line(74, "All entities")),
			Literal:  "Read alone, the tables allow a link that belongs to nobody, in a partition that names no user; and whoever lists links has one further read for each of them.",
			Resolved: "Links have the base attributes of all entities, userId among them.",
			Claims:   []string{"attribute/goal-task-link/userId", "attribute/project-task-link/userId"},
			Static:   "both places stand in the document",
		},
		{
			ID: "separate-items-without-id", Kind: ap.Gap, Severity: ap.Low,
			Title:    "insights and activities have no id, and an insight does not name its metric",
			Cite:     ap.Lines(384, 393, "METRIC#{metricId}", "`type`", "`cachedAt`").And(ap.Lines(297, 306, "GOAL#{goalId}", "`type`"), ap.Lines(373, 374, "`id`", "`metricId`")),
			Literal:  "Their neighbours, logs and milestones, have id and metricId; here only the key identifies the item.",
			Resolved: "Not added: the key is parsed where the id is needed.",
			Lacks:    []string{"metric-insight.id", "metric-insight.metricId", "goal-activity.id"},
			Static:   "the attributes are absent from the tables",
		},
		{
			ID: "dependency-cycles", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "nothing keeps tasks from waiting for each other",
			Cite:     ap.Lines(194, 198, "TASK#{taskId}", "DEP#{dependsOnTaskId}"),
			Literal:  "A dependency and its opposite are two ordinary items, and both tasks are blocked for ever; a task may also wait for itself.",
			Resolved: "A dependency is written with a condition check on its opposite. Longer cycles need a walk by the writer, and are not ruled out.",
			Claims:   []string{"pattern/add-task-dependency", "invariant/never-mutual"},
		},
		{
			ID: "ttl-on-every-entity", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "the base class offers ttl to every entity",
			Cite:     ap.Line(88, "ttl: Optional[int]", "cached data").And(ap.Line(74, "All entities"), ap.Line(393, "DynamoDB auto-delete")),
			Literal:  "A task, wallet or profile that gets a ttl is accepted, and deleted without a word.",
			Resolved: "Only insights, the cached data of this design, have ttl; on any other entity it is refused as undocumented.",
			Claims:   []string{"attribute/metric-insight/ttl", "entity/task"},
		},
		{
			ID: "expired-insight-still-returned", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "an expired insight is returned until DynamoDB gets round to deleting it",
			Cite:     ap.Line(62, "List AI insights (cached)").And(ap.Line(393, "DynamoDB auto-delete")),
			Literal:  "TTL deletes within days, not at the second: the documented query shows results that are out of date.",
			Resolved: "Readers compare ttl with the present and treat an expired insight as absent. Nothing asserts that it is gone.",
			Claims:   []string{"pattern/list-insights", "pattern/list-insights-of-type"},
		},
		{
			ID: "insight-expires-twice", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "an insight has two expiries, a text and a Number",
			Cite:     ap.Lines(392, 393, "`expiresAt`", "String", "Cache expiration", "`ttl`", "Number"),
			Literal:  "Where they differ, DynamoDB deletes by one, and a reader may go by the other.",
			Resolved: "Both are the same moment, to the second.",
			Claims:   []string{"rule/metric-insight/ttl-agrees-with-expiry"},
		},
		{
			ID: "cached-figures-have-no-source", Kind: ap.Gap, Severity: ap.Low,
			Title:    "what refreshes a cached figure is not said",
			Cite:     ap.Line(233, "`cachedProgress`").And(ap.Lines(330, 331, "`cachedStreak`", "`cachedTrend`"), ap.Lines(417, 418, "`cachedStreak`", "`cachedLongestStreak`"), ap.Lines(456, 457, "`cachedHealth`", "`cachedProgress`")),
			Literal:  "A new log changes no streak and a finished task no progress, unless its writer thinks of it; nothing says when a figure was computed.",
			Resolved: "The figures are transcribed and never relied on.",
			Static:   "the text is absent",
		},
	}
}
