package commitcollect

import ap "dynaproof/accesspatterns"

// The document states one access pattern by name, the athlete lookup (84), and
// otherwise the forms that reads may take (167-171). Every read therefore
// carries a projection: GetItem is not among the allowed forms, a
// projection-only read is (finding single-item-calls-not-listed).
func patterns() []ap.Pattern {
	var all []ap.Pattern
	all = append(all, userPatterns()...)
	all = append(all, globalPatterns()...)
	all = append(all, sessionPatterns()...)
	all = append(all, auditPatterns()...)
	all = append(all, idempotencyPatterns()...)
	return append(all, flows()...)
}

// The document names no role. The BFF serves the user; ingestion, auditing and
// award minting have no user in front of them.
var (
	forUser     = []string{"user"}
	forSystem   = []string{"system"}
	forBoth     = []string{"user", "system"}
	forOperator = []string{"operator"}
)

const itemSection = "the entity is listed, and Query by PK and projection-only reads are allowed"

// query reads one partition, or a part of it, and returns the attributes named.
func query(table string, partition *ap.Equality, sort *ap.SortCondition, projection ...string) *ap.Read {
	return &ap.Read{Operation: ap.OpQuery, Table: table, Partition: partition, Sort: sort, Projection: projection}
}

// get reads one item and returns the attributes named.
func get(table string, partition *ap.Equality, sort *ap.SortCondition, projection ...string) *ap.Read {
	return &ap.Read{Operation: ap.OpGetItem, Table: table, Partition: partition, Sort: sort, Projection: projection}
}

func userPatterns() []ap.Pattern {
	user := ap.Equals("PK", "USER#{userId}")
	workouts := query(primary, user, ap.BeginsWith("SK", "WORKOUT#STRAVA#"), "PK", "SK")
	workouts.InspectBudget = 3000
	return []ap.Pattern{
		{
			ID: "get-profile", Title: "Profile of a user",
			Cite:  ap.Line(46, "SK = PROFILE").Implied(itemSection),
			Roles: forUser, Returns: []string{"profile"},
			Read: get(primary, user, ap.Is("SK", "PROFILE"), "PK", "SK"),
		},
		{
			ID: "get-strava-connection", Title: "Strava connection of a user",
			Cite:  ap.Line(47, "SK = STRAVA#CONNECTION").Implied(itemSection),
			Roles: forBoth, Returns: []string{"strava-connection"},
			Read: get(primary, user, ap.Is("SK", "STRAVA#CONNECTION"), "PK", "SK", "GSI1PK"),
		},
		{
			ID: "list-workouts", Title: "Workouts of a user, at most 3,000 inspected",
			Cite:  ap.Line(192, "MaxWorkoutsToInspect = 3000").And(ap.Lines(167, 168, "begins_with(SK, prefix)"), ap.Line(48, "WORKOUT#STRAVA#")).Implied("the guardrail bounds this read, and the entity is listed"),
			Roles: forBoth, Returns: []string{"workout"},
			Read: workouts,
		},
		{
			ID: "get-workout", Title: "One workout of a user",
			Cite:  ap.Line(48, "SK = WORKOUT#STRAVA#{activityId}").Implied(itemSection),
			Roles: forBoth, Returns: []string{"workout"},
			Read: get(primary, user, ap.Is("SK", "WORKOUT#STRAVA#{activityId}"), "PK", "SK"),
		},
		{
			ID: "list-milestones-with-awards", Title: "Milestones of a user with their awards, told apart by the reader",
			Cite:  ap.Line(168, "begins_with(SK, prefix)").And(ap.Lines(49, 50, "MILESTONE#{milestoneId}")).Implied("a prefix that ends before the milestone's id matches milestones and awards alike"),
			Roles: forUser, Returns: []string{"milestone", "award"},
			Read: query(primary, user, ap.BeginsWith("SK", "MILESTONE#"), "PK", "SK", "version"),
		},
		{
			ID: "get-milestone", Title: "One milestone of a user, without its awards",
			Cite:  ap.Line(49, "SK = MILESTONE#{milestoneId}").Implied(itemSection),
			Roles: forBoth, Returns: []string{"milestone"},
			Read: get(primary, user, ap.Is("SK", "MILESTONE#{milestoneId}"), "PK", "SK", "version"),
		},
		{
			ID: "list-awards", Title: "Awards of one milestone",
			Cite:  ap.Line(50, "SK = MILESTONE#{milestoneId}#AWARD#{partIndex}").And(ap.Line(168, "begins_with(SK, prefix)")).Implied("the award's key is grouped under its milestone, and begins_with is allowed"),
			Roles: forUser, Returns: []string{"award"},
			Read: query(primary, user, ap.BeginsWith("SK", "MILESTONE#{milestoneId}#AWARD#"), "PK", "SK", "metadata"),
		},
		{
			ID: "get-award", Title: "One award of a milestone",
			Cite:  ap.Line(50, "#AWARD#{partIndex}").Implied(itemSection),
			Roles: forUser, Returns: []string{"award"},
			Read: get(primary, user, ap.Is("SK", "MILESTONE#{milestoneId}#AWARD#{partIndex}"), "PK", "SK", "metadata"),
		},
		{
			ID: "list-session-references", Title: "Sessions of a user, by reference",
			Cite:  ap.Lines(109, 112, "Sessions are deleted on", "Account deletion").Implied("account deletion must find a user's sessions; the references are an addition"),
			Roles: forSystem, Returns: []string{"session-reference"},
			Read: query(primary, user, ap.BeginsWith("SK", "SESSION#"), "PK", "SK"),
		},
		{
			ID: "list-user-partition", Title: "Keys of everything that belongs to a user",
			Cite:    ap.Line(167, "Query by PK").And(ap.Line(44, "Entities under this partition"), ap.Line(54, "Efficient aggregation queries")).Implied("a query by PK is allowed, and all that a user owns is under one PK"),
			Roles:   forSystem,
			Returns: []string{"profile", "strava-connection", "workout", "milestone", "award", "session-reference"},
			Read:    query(primary, user, nil, "PK", "SK"),
		},
	}
}

func globalPatterns() []ap.Pattern {
	model := ap.Equals("PK", "MODEL#{modelId}")
	athlete := ap.Equals("PK", "STRAVA#ATHLETE#{athleteId}")
	return []ap.Pattern{
		{
			ID: "resolve-athlete-by-index", Title: "User of a Strava athlete, by GSI1",
			Cite:  ap.Lines(80, 86, "Resolve Strava athleteId to internal userId", "Query by STRAVA#ATHLETE#{athleteId}"),
			Roles: forSystem, Returns: []string{"strava-connection"},
			Read: athleteLookup(),
		},
		{
			ID: "resolve-athlete-by-owner", Title: "User of a Strava athlete, by the owner item",
			Cite:  ap.Lines(67, 72, "PK = STRAVA#ATHLETE#{athleteId}", "SK = OWNER", "user resolution").Implied("the owner item enables the resolution, and its whole key is known"),
			Roles: forSystem, Returns: []string{"athlete-owner"},
			Read: get(primary, athlete, ap.Is("SK", "OWNER"), "PK", "SK", "userId"),
		},
		{
			ID: "get-model-meta", Title: "Definition of a model",
			Cite:  ap.Lines(64, 65, "PK = MODEL#{modelId}", "SK = META").Implied(itemSection),
			Roles: forBoth, Returns: []string{"model-meta"},
			Read: get(primary, model, ap.Is("SK", "META"), "PK", "SK"),
		},
		{
			ID: "list-model-parts", Title: "Parts of a model",
			Cite:  ap.Line(66, "SK = PART#{index}").And(ap.Line(168, "begins_with(SK, prefix)"), ap.Line(73, "Static model definitions")).Implied("parts are grouped under their model, and begins_with is allowed"),
			Roles: forBoth, Returns: []string{"model-part"},
			Read: query(primary, model, ap.BeginsWith("SK", "PART#"), "PK", "SK", "metadata"),
		},
		{
			ID: "get-model-part", Title: "One part of a model",
			Cite:  ap.Line(66, "SK = PART#{index}").And(ap.Line(74, "Award metadata copying")).Implied(itemSection),
			Roles: forBoth, Returns: []string{"model-part"},
			Read: get(primary, model, ap.Is("SK", "PART#{index}"), "PK", "SK", "metadata"),
		},
		{
			ID: "read-model", Title: "A model with its parts",
			Cite:  ap.Line(167, "Query by PK").And(ap.Lines(64, 66, "PK = MODEL#{modelId}", "SK = META", "SK = PART#{index}")).Implied("a query by PK is allowed, and a model's partition holds all of it"),
			Roles: forBoth, Returns: []string{"model-meta", "model-part"},
			Read: query(primary, model, nil, "PK", "SK", "metadata"),
		},
	}
}

// athleteLookup is the one access pattern that the document spells out. The
// user is in PK.
func athleteLookup() *ap.Read {
	read := query(primary, ap.Equals("GSI1PK", "STRAVA#ATHLETE#{athleteId}"), nil, "PK", "SK")
	read.Index = "GSI1"
	return read
}

func sessionPatterns() []ap.Pattern {
	live := getSession()
	live.Expires = "expiresAtUtc"
	return []ap.Pattern{{
		ID: "resolve-session", Title: "User of a session; the reader treats an expired session as absent",
		Cite:  ap.Lines(105, 106, "BFF session resolution", "Deterministic user lookup").And(ap.Line(101, "expiresAtUtc (TTL attribute)")).Implied("the table's purpose names the lookup; its whole key is known"),
		Roles: forUser, Returns: []string{"session"},
		Read: live,
	}}
}

func getSession() *ap.Read {
	return get(sessions, ap.Equals("PK", "SESSION#{sessionId}"), ap.Is("SK", "META"),
		"PK", "SK", "userId", "createdAtUtc", "expiresAtUtc")
}

// Audit records are read in the order of time: a trail and a trace rely on it,
// and the sort keys begin with the time for no other purpose.
func auditPatterns() []ap.Pattern {
	trail := func(index string, partition *ap.Equality) *ap.Read {
		read := query(audit, partition, nil, "PK", "SK", "GSI1PK", "GSI2PK")
		read.Index, read.Order = index, ap.Ascending
		return read
	}
	return []ap.Pattern{
		{
			ID: "list-user-audit", Title: "Audit trail of a user, oldest first",
			Cite:  ap.Lines(120, 121, "PK = USER#{userId}", "AUDIT#{unixEpoch}").And(ap.Line(137, "Deterministic audit trail")).Implied("the table's key and its purpose name the trail"),
			Roles: forOperator, Returns: []string{"audit-record"},
			Read: trail("", ap.Equals("PK", "USER#{userId}")),
		},
		{
			ID: "trace-correlation", Title: "Audit records of one correlation, oldest first",
			Cite:  ap.Lines(123, 126, "Correlation Index", "GSI1PK = CORR#{correlationId}").And(ap.Line(138, "Correlation tracing")).Implied("the index and the table's purpose name the trace"),
			Roles: forOperator, Returns: []string{"audit-record"},
			Read: trail("GSI1", ap.Equals("GSI1PK", "CORR#{correlationId}")),
		},
		{
			ID: "list-event-month", Title: "Audit records of one type of event in one month, oldest first",
			Cite:  ap.Lines(128, 131, "Event Index", "GSI2PK = EVENT#{eventType}#{yyyyMM}").And(ap.Line(139, "Compliance grouping")).Implied("the index and the table's purpose name the grouping; one query addresses one partition"),
			Roles: forOperator, Returns: []string{"audit-record"},
			Read: trail("GSI2", ap.Equals("GSI2PK", "EVENT#{eventType}#{yyyyMM}")),
		},
	}
}

func idempotencyPatterns() []ap.Pattern {
	return []ap.Pattern{{
		ID: "get-idempotency-record", Title: "Whether an event was ingested already",
		Cite:  ap.Lines(149, 154, "IdempotencyKey (PK)", "Safe retry handling").Implied("a retry learns from the record that its event was ingested"),
		Roles: forSystem, Returns: []string{"idempotency-record"},
		Read: get(idempotency, ap.Equals("IdempotencyKey", "{idempotencyKey}"), nil, "IdempotencyKey"),
	}}
}
