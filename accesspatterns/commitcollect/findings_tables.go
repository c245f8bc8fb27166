package commitcollect

import ap "dynaproof/accesspatterns"

// What the document leaves open about tables, indexes and attributes.
func tableFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "gsi1-key-unnamed", Kind: ap.Gap, Severity: ap.High,
			Title:    "GSI1 of the primary table has no key attribute, sort key or projection",
			Cite:     ap.Lines(80, 84, "GSI1", "Query by STRAVA#ATHLETE#{athleteId}").And(ap.Line(67, "PK = STRAVA#ATHLETE#{athleteId}"), ap.Line(125, "GSI1PK")),
			Literal:  "The only attribute that the document gives this value to is PK; an index query on PK is refused.",
			Resolved: "The key is GSI1PK (String) without a sort key, projection ALL, as on the audit table; the Strava connection alone carries it.",
			Claims:   []string{"index/CommitCollect/GSI1", "entity/strava-connection", "pattern/resolve-athlete-by-index"},
		},
		{
			ID: "gsi1-duplicates-owner", Kind: ap.Hazard, Severity: ap.High,
			Title:    "An athlete is resolved by GSI1 and by the owner item, and nothing keeps the two in step",
			Cite:     ap.Lines(82, 84, "Resolve Strava athleteId", "STRAVA#ATHLETE#{athleteId}").And(ap.Lines(67, 72, "OWNER", "user resolution")),
			Literal:  "A second user's connection to the same athlete is stored; the index then answers two users, the owner item one.",
			Resolved: "Connection and owner are written and deleted in one transaction; the owner's key refuses a second user.",
			Claims:   []string{"pattern/link-strava", "guardrail/one-owner-per-athlete"},
		},
		{
			ID: "index-lags-behind-link", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "Ingestion resolves athletes by an index, which cannot be read consistently",
			Cite:     ap.Lines(84, 86, "Query by STRAVA#ATHLETE#{athleteId}", "during ingestion or OAuth linking"),
			Literal:  "A consistent read of GSI1 is refused; a webhook right after linking may find no user.",
			Resolved: "The owner item answers the same question by a consistent GetItem; ingestion that finds nobody writes nothing and may be retried.",
			Claims:   []string{"pattern/resolve-athlete-by-owner"},
		},
		{
			ID: "index-projections-missing", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "No index has a projection",
			Cite:     ap.Lines(80, 86, "GSI1").And(ap.Lines(123, 131, "GSI1SK", "GSI2SK"), ap.Line(194, "Projection expression")),
			Literal:  "A projection must be chosen when an index is created, and the document does not say which.",
			Resolved: "ALL on the three indexes.",
			Static:   "the text is absent; every deployment has some projection",
			Claims:   []string{"index/CommitCollect/GSI1", "index/CommitCollectAudit/GSI1", "index/CommitCollectAudit/GSI2"},
		},
		{
			ID: "index-name-reused", Kind: ap.Hazard, Severity: ap.Low,
			Title:    "GSI1 is the athlete lookup in one table and the correlation index in another, with different keys",
			Cite:     ap.Line(80, "GSI1 --- Athlete Ownership Lookup").And(ap.Line(123, "GSI1 --- Correlation Index")),
			Literal:  "Code written for GSI1 of one table compiles and fails on the other.",
			Resolved: "Names are kept; the contract speaks of an index only together with its table.",
			Static:   "two headings of the document use one name for two things",
			Claims:   []string{"index/CommitCollect/GSI1", "index/CommitCollectAudit/GSI1"},
		},
		{
			ID: "key-types-missing", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "No key has a type",
			Cite:     ap.Lines(28, 30, "PK (Partition Key)", "SK (Sort Key)").And(ap.Lines(94, 95, "PK", "SK"), ap.Lines(120, 131, "GSI1PK", "GSI2SK"), ap.Line(149, "IdempotencyKey (PK)")),
			Literal:  "Attribute definitions need a type for every key attribute.",
			Resolved: "String everywhere, which all templates need.",
			Static:   "the text is absent",
			Claims: []string{
				"table/CommitCollect/attributes", "table/CommitCollectSessions/attributes",
				"table/CommitCollectAudit/attributes", "table/CommitCollectIdempotency/attributes",
			},
		},
		{
			ID: "attributes-missing", Kind: ap.Gap, Severity: ap.High,
			Title:    "Most entities have keys and no attributes: no tokens, no workout data, no audit payload, no event types",
			Cite:     ap.Lines(44, 50, "Entities under this partition").And(ap.Lines(64, 68, "META", "OWNER"), ap.Lines(118, 131, "EVENT#{eventType}"), ap.Lines(147, 149, "Key Structure")),
			Literal:  "Only the session's three attributes and the milestone's version are named; two teams would build different items.",
			Resolved: "Nothing is invented but what a flow needs, and that is marked: metadata of model part and award, userId of the owner, expiresAt of an audit record.",
			Static:   "the text is absent",
		},
		{
			ID: "configuration-of-primary-only", Kind: ap.Gap, Severity: ap.Low,
			Title:    "Billing mode and region are configured for the primary table alone",
			Cite:     ap.Lines(24, 27, "Billing Mode: On-Demand", "Region: ap-southeast-2").And(ap.Lines(92, 95, "Configuration"), ap.Line(195, "On-demand billing")),
			Literal:  "The sections of the other three tables name neither; a guardrail repeats billing without naming a table.",
			Resolved: "On-demand billing and the region hold for all four tables.",
			Static:   "the text is absent",
			Claims: []string{
				"guardrail/on-demand-billing", "table/CommitCollect/region", "table/CommitCollectSessions/region",
				"table/CommitCollectAudit/region", "table/CommitCollectIdempotency/region",
			},
		},
		{
			ID: "names-without-environment", Kind: ap.Gap, Severity: ap.Low,
			Title:    "Table names have no environment in them",
			Cite:     ap.Line(5, "Production Data Layer").And(ap.Line(22, "CommitCollect"), ap.Line(90, "CommitCollectSessions"), ap.Line(116, "CommitCollectAudit"), ap.Line(145, "CommitCollectIdempotency")),
			Literal:  "Two environments cannot share an account and a region.",
			Resolved: "The documented names are deployed as they are; only an ephemeral run adds a prefix.",
			Static:   "a second deployment is needed to show the clash",
			Claims: []string{
				"table/CommitCollect/exists", "table/CommitCollectSessions/exists",
				"table/CommitCollectAudit/exists", "table/CommitCollectIdempotency/exists",
			},
		},
		{
			ID: "backup-and-encryption-missing", Kind: ap.Gap, Severity: ap.Low,
			Title:    "A production data layer with compliance needs says nothing about backup, encryption or deletion protection",
			Cite:     ap.Line(5, "Production Data Layer").And(ap.Line(139, "Compliance grouping"), ap.Lines(24, 30, "Table Configuration")),
			Literal:  "The table configuration ends with the keys.",
			Resolved: "None of them is asserted or switched on.",
			Static:   "the text is absent",
		},
	}
}

// Keys that reach further, sort otherwise or lead less far than they seem to.
func keyFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "milestone-prefix", Kind: ap.Hazard, Severity: ap.High,
			Title:    "A milestone's key is a prefix of its awards and of longer ids",
			Cite:     ap.Lines(49, 50, "MILESTONE#{milestoneId}", "MILESTONE#{milestoneId}#AWARD#{partIndex}").And(ap.Line(168, "begins_with(SK, prefix)")),
			Literal:  "begins_with on one milestone's key returns its awards, and milestone-10 with its awards, too.",
			Resolved: "One milestone is a GetItem; its awards begin with MILESTONE#{milestoneId}#AWARD#; the list of milestones is split by the reader.",
			Claims:   []string{"pattern/get-milestone", "pattern/list-awards", "pattern/list-milestones-with-awards"},
		},
		{
			ID: "milestone-id-with-separator", Kind: ap.Hazard, Severity: ap.High,
			Title:    "A milestone whose id contains #AWARD# takes the key of an award",
			Cite:     ap.Lines(49, 50, "MILESTONE#{milestoneId}", "#AWARD#{partIndex}"),
			Literal:  "A milestone with the id milestone-1#AWARD#1 overwrites the first award of milestone-1.",
			Resolved: "The id of a milestone has no '#', although its own key ends with it.",
			Claims:   []string{"rule/milestone/id-without-separator"},
		},
		{
			ID: "part-index-as-text", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "Part indexes are not padded, so parts and awards come in the order of text",
			Cite:     ap.Line(66, "PART#{index}").And(ap.Line(50, "AWARD#{partIndex}")),
			Literal:  "The parts come in the order 1, 10, 2.",
			Resolved: "No order is promised; a reader that needs one sorts by the number, and a single part is a GetItem.",
			Claims:   []string{"pattern/list-model-parts", "pattern/get-model-part"},
		},
		{
			ID: "workouts-in-order-of-ids", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "Workouts sort by activity id as text, not by time",
			Cite:     ap.Line(48, "WORKOUT#STRAVA#{activityId}").And(ap.Line(192, "MaxWorkoutsToInspect = 3000")),
			Literal:  "The workouts come in the order 1, 10, 2; beyond 3,000 it is the text order that decides which are left out.",
			Resolved: "No order is promised, and a read that is cut says so; any one workout is a GetItem.",
			Claims:   []string{"pattern/get-workout", "guardrail/max-workouts-to-inspect"},
		},
		{
			ID: "partition-mixes-entities", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "A query by PK alone returns every kind of item, workouts without their limit",
			Cite:     ap.Line(167, "Query by PK").And(ap.Lines(44, 50, "PROFILE", "WORKOUT#STRAVA#"), ap.Line(192, "MaxWorkoutsToInspect")),
			Literal:  "A query for the user's partition returns six kinds of items in one list.",
			Resolved: "Every list of one kind narrows the sort key by its prefix; the whole partition is read for its keys only.",
			Claims:   []string{"pattern/list-workouts", "pattern/list-user-partition"},
		},
		{
			ID: "milestone-has-no-model", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "Nothing leads from a milestone to the model whose parts its awards copy",
			Cite:     ap.Lines(49, 50, "MILESTONE#{milestoneId}", "{partIndex}").And(ap.Lines(64, 66, "MODEL#{modelId}", "PART#{index}"), ap.Line(74, "Award metadata copying")),
			Literal:  "Milestone keys hold no model id and no attribute does; partIndex and index are two names for what must be one number.",
			Resolved: "The caller of the minting flow names model, milestone and part; the award's partIndex is the part's index.",
			Static:   "the text is absent",
			Claims:   []string{"pattern/mint-award"},
		},
		{
			ID: "award-copies-go-stale", Kind: ap.Hazard, Severity: ap.Low,
			Title:    "An award keeps the metadata that it copied",
			Cite:     ap.Lines(73, 74, "Static model definitions", "Award metadata copying"),
			Literal:  "After a model part was changed, its awards still say what it said when they were minted.",
			Resolved: "Model definitions are static, as documented; an award is a snapshot of its minting.",
			Claims:   []string{"pattern/mint-award"},
		},
	}
}
