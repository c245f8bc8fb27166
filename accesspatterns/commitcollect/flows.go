package commitcollect

import ap "dynaproof/accesspatterns"

// Patterns of several requests. A step that writes several items is one
// transaction, so that they stand or fall together, unless it says that it is a
// batch: a deletion that may stop half-way, because it is run again.
func flows() []ap.Pattern {
	return []ap.Pattern{
		linkStrava(), ingestWorkout(),
		updateMilestone(), mintAward(),
		createSession(), logOut(),
		recordAudit(),
		deleteAccount(),
	}
}

func key(partition, sort ap.KeyTemplate) []ap.Equality {
	return []ap.Equality{*ap.Equals("PK", partition), *ap.Equals("SK", sort)}
}

func linkStrava() ap.Pattern {
	return ap.Pattern{
		ID: "link-strava", Title: "Link a Strava athlete to a user: connection and owner together",
		Cite:  ap.Line(86, "OAuth linking").And(ap.Line(47, "STRAVA#CONNECTION"), ap.Lines(67, 68, "OWNER"), ap.Line(212, "Transactional writes")).Implied("OAuth linking is named as a reader of GSI1; its two items must agree"),
		Roles: forUser, Returns: []string{"strava-connection"},
		Flow: []ap.Step{
			{Name: "lookup", Cite: ap.Lines(84, 86, "STRAVA#ATHLETE#{athleteId}", "OAuth linking"), Read: athleteLookup()},
			{
				// The index lags behind and cannot refuse a second owner; the
				// owner item's key can. A user who is linked already must
				// unlink first, or the old athlete would keep its owner item.
				Name: "link", Cite: ap.Line(170, "TransactWriteItems"),
				Write: []ap.Action{
					{Kind: ap.Put, Table: primary, Entity: "strava-connection", Item: "connection", Condition: ap.IfAbsent("PK")},
					{Kind: ap.Put, Table: primary, Entity: "athlete-owner", Item: "owner", Condition: ap.IfAbsent("PK")},
				},
			},
		},
	}
}

func ingestWorkout() ap.Pattern {
	return ap.Pattern{
		ID: "ingest-workout", Title: "Ingest a webhook event once: idempotency record and workout together",
		Cite:  ap.Line(185, "Idempotent ingestion events").And(ap.Lines(153, 158, "Webhook ingestion deduplication", "No duplicate ingestion"), ap.Line(86, "ingestion")).Implied("ingestion and its deduplication are described by their guarantees"),
		Roles: forSystem, Returns: []string{"strava-connection"},
		Flow: []ap.Step{
			{Name: "resolve", Cite: ap.Lines(84, 86, "STRAVA#ATHLETE#{athleteId}", "ingestion"), Read: athleteLookup(), StopWhenEmpty: true},
			{
				Name: "ingest", Cite: ap.Line(170, "TransactWriteItems").And(ap.Line(207, "Duplicate webhook delivery")),
				Write: []ap.Action{
					{Kind: ap.Put, Table: idempotency, Entity: "idempotency-record", Item: "receipt", Condition: ap.IfAbsent("IdempotencyKey")},
					{Kind: ap.Put, Table: primary, Entity: "workout", Item: "workout"},
				},
			},
		},
	}
}

func readMilestone() ap.Step {
	return ap.Step{
		Name: "milestone", Cite: ap.Line(49, "SK = MILESTONE#{milestoneId}"), StopWhenEmpty: true,
		Read: get(primary, ap.Equals("PK", "USER#{userId}"), ap.Is("SK", "MILESTONE#{milestoneId}"), "PK", "SK", "version"),
	}
}

// fromVersionRead binds the version that was read. A milestone without one
// repeats nothing, so it is not written.
func fromVersionRead() *ap.ForEach { return ap.Each("milestone", "version", "version") }

// bumpVersion moves a milestone from the version that was read to the next,
// which is one more: the document names no step (finding version-start-and-step).
func bumpVersion() ap.Action {
	return ap.Action{
		Kind: ap.Update, Table: primary, Key: key("USER#{userId}", "MILESTONE#{milestoneId}"),
		Set:       []ap.Assignment{{Attribute: "version", Operator: ap.Add, Value: ap.Digits("1")}},
		Condition: []ap.WriteCondition{{Attribute: "version", Operator: ap.ConditionEquals, Value: ap.Digits("{version}")}},
	}
}

func updateMilestone() ap.Pattern {
	return ap.Pattern{
		ID: "update-milestone", Title: "Update a milestone that nobody changed since it was read",
		Cite:  ap.Line(183, "Optimistic concurrency via version attribute (milestones)").And(ap.Line(204, "Conditional check failed")).Implied("the concurrency model describes the update by its condition"),
		Roles: forUser, Returns: []string{"milestone"},
		Flow: []ap.Step{
			readMilestone(),
			{Name: "update", Cite: ap.Line(183, "version attribute"), ForEach: fromVersionRead(), Write: []ap.Action{bumpVersion()}},
		},
	}
}

func mintAward() ap.Pattern {
	return ap.Pattern{
		ID: "mint-award", Title: "Mint an award with a copy of the model part, and move its milestone on",
		Cite:  ap.Line(184, "Transactional writes for award minting").And(ap.Line(74, "Award metadata copying"), ap.Line(50, "#AWARD#{partIndex}")).Implied("the concurrency model names the transaction, the global entities what is copied"),
		Roles: forSystem, Returns: []string{"milestone"},
		Flow: []ap.Step{
			{
				Name: "part", Cite: ap.Line(66, "SK = PART#{index}").And(ap.Line(74, "Award metadata copying")), StopWhenEmpty: true,
				Read: get(primary, ap.Equals("PK", "MODEL#{modelId}"), ap.Is("SK", "PART#{partIndex}"), "PK", "SK", "metadata"),
			},
			readMilestone(),
			{
				Name: "mint", Cite: ap.Line(184, "award minting"),
				ForEach: fromVersionRead(),
				Write: []ap.Action{
					bumpVersion(),
					{Kind: ap.Put, Table: primary, Entity: "award", Item: "award", Condition: ap.IfAbsent("PK")},
				},
			},
		},
	}
}

func createSession() ap.Pattern {
	return ap.Pattern{
		ID: "create-session", Title: "Create a session and the reference that account deletion finds it by",
		Cite:  ap.Lines(94, 101, "SESSION#{sessionId}", "Stores:").And(ap.Line(170, "TransactWriteItems")).Implied("sessions are stored, and account deletion must find them"),
		Roles: forUser,
		Flow: []ap.Step{{
			Name: "create", Cite: ap.Line(94, "SESSION#{sessionId}"),
			Write: []ap.Action{
				{Kind: ap.Put, Table: sessions, Entity: "session", Item: "session", Condition: ap.IfAbsent("PK")},
				{Kind: ap.Put, Table: primary, Entity: "session-reference", Item: "reference"},
			},
		}},
	}
}

func logOut() ap.Pattern {
	return ap.Pattern{
		ID: "log-out", Title: "Log out: session and reference go together",
		Cite:  ap.Lines(109, 111, "Sessions are deleted on", "Logout").Implied("logout deletes the session; the reference is an addition that goes with it"),
		Roles: forUser, Returns: []string{"session"},
		Flow: []ap.Step{
			// An expired session is deleted like a live one: nothing else would
			// remove its reference, which has no time to live.
			{Name: "session", Cite: ap.Lines(105, 106, "session resolution", "user lookup"), Read: getSession(), StopWhenEmpty: true},
			{
				Name: "end", Cite: ap.Line(111, "Logout"),
				ForEach: ap.Each("session", "userId", "userId"),
				Write: []ap.Action{
					{Kind: ap.Delete, Table: sessions, Key: key("SESSION#{sessionId}", "META")},
					{Kind: ap.Delete, Table: primary, Key: key("USER#{userId}", "SESSION#{sessionId}")},
				},
			},
		},
	}
}

// An audit record is written by a request of its own, never in a transaction
// with business items: when it fails, they stand.
func recordAudit() ap.Pattern {
	return ap.Pattern{
		ID: "record-audit", Title: "Write an audit record, apart from the business it records",
		Cite:  ap.Line(141, "Audit failures must never break").And(ap.Lines(120, 121, "USER#{userId}", "AUDIT#{unixEpoch}#{requestId}")).Implied("the audit table is written to, and the sentence says how it may fail"),
		Roles: forSystem,
		Flow: []ap.Step{{
			Name: "record", Cite: ap.Line(141, "Audit failures"),
			Write: []ap.Action{{Kind: ap.Put, Table: audit, Entity: "audit-record", Item: "record", Condition: ap.IfAbsent("PK")}},
		}},
	}
}

// deleteAccount can be run again from its beginning after it stopped anywhere:
// what is gone is not found, and deleting it twice does no harm. Workouts,
// milestones and awards go in batches of at most 25. A session and its reference
// go together, because the reference alone leads to the session, and a batch may
// stop between the two. The owner item goes last, together with the connection, because nothing else leads from the
// user to the athlete.
func deleteAccount() ap.Pattern {
	user := ap.Equals("PK", "USER#{userId}")
	return ap.Pattern{
		ID: "delete-account", Title: "Delete all that belongs to a user, the Strava link last",
		Cite:  ap.Line(186, "Deletion flows safe to re-run").And(ap.Lines(109, 112, "Account deletion"), ap.Line(44, "Entities under this partition")).Implied("account deletion is named; what it must find follows from the keys"),
		Roles: forBoth, Returns: []string{"strava-connection"},
		Flow: []ap.Step{
			{
				Name: "references", Cite: ap.Line(112, "Account deletion"),
				Read: query(primary, user, ap.BeginsWith("SK", "SESSION#"), "PK", "SK"),
			},
			{
				// A reference's sort key is the session's partition key.
				Name: "end-sessions", Cite: ap.Lines(109, 112, "Sessions are deleted on", "Account deletion"),
				ForEach: ap.Each("references", "SK", "session"),
				Write: []ap.Action{
					{Kind: ap.Delete, Table: sessions, Key: key("{session}", "META")},
					{Kind: ap.Delete, Table: primary, Key: key("USER#{userId}", "{session}")},
				},
			},
			{
				Name: "workouts", Cite: ap.Line(48, "WORKOUT#STRAVA#{activityId}"),
				Read: query(primary, user, ap.BeginsWith("SK", "WORKOUT#STRAVA#"), "PK", "SK"),
			},
			{
				Name: "delete-workouts", Cite: ap.Line(171, "BatchWriteItem (25-item chunks)").And(ap.Line(186, "Deletion flows")),
				Batch:   25,
				ForEach: ap.Each("workouts", "SK", "workout"),
				Write:   []ap.Action{{Kind: ap.Delete, Table: primary, Key: key("USER#{userId}", "{workout}")}},
			},
			{
				Name: "milestones", Cite: ap.Lines(49, 50, "MILESTONE#{milestoneId}"),
				Read: query(primary, user, ap.BeginsWith("SK", "MILESTONE#"), "PK", "SK"),
			},
			{
				Name: "delete-milestones", Cite: ap.Line(171, "BatchWriteItem (25-item chunks)").And(ap.Line(186, "Deletion flows")),
				Batch:   25,
				ForEach: ap.Each("milestones", "SK", "milestone"),
				Write:   []ap.Action{{Kind: ap.Delete, Table: primary, Key: key("USER#{userId}", "{milestone}")}},
			},
			{
				Name: "delete-profile", Cite: ap.Line(46, "PROFILE"),
				Write: []ap.Action{{Kind: ap.Delete, Table: primary, Key: key("USER#{userId}", "PROFILE")}},
			},
			{
				Name: "connection", Cite: ap.Line(47, "STRAVA#CONNECTION"),
				Read: get(primary, user, ap.Is("SK", "STRAVA#CONNECTION"), "PK", "SK", "GSI1PK"),
			},
			{
				// The connection's index key is the owner's partition key.
				Name: "delete-link", Cite: ap.Lines(67, 68, "STRAVA#ATHLETE#{athleteId}", "OWNER"),
				ForEach: ap.Each("connection", "GSI1PK", "athlete"),
				Write: []ap.Action{
					{Kind: ap.Delete, Table: primary, Key: key("USER#{userId}", "STRAVA#CONNECTION")},
					{Kind: ap.Delete, Table: primary, Key: key("{athlete}", "OWNER")},
				},
			},
		},
	}
}
