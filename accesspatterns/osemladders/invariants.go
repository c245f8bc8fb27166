package osemladders

import ap "dynaproof/accesspatterns"

// What the flows must keep under retry, race and failure.
func invariants() []ap.Invariant {
	return []ap.Invariant{
		{
			ID: "exactly-one-active-config", Flow: "activate-config", Layer: ap.LayerEngine,
			Rule: "exactly one config version is active, whoever races to activate another and wherever a client dies",
			Cite: ap.Line(445, "isActive", "Only one active config at a time").Implied("one version takes over from another, so there is never none either"),
		},
		{
			ID: "every-member-is-kept", Flow: "add-team-member", Layer: ap.LayerEngine,
			Rule: "members who are added at once by several clients are all in the set",
			Cite: ap.Line(82, "memberIds", "String Set", "User IDs").Implied("the set is the team's membership"),
		},
		{
			ID: "a-member-is-left", Flow: "remove-team-member", Layer: ap.LayerEngine,
			Rule: "a team keeps a member, also when several clients remove the last two at once",
			Cite: ap.Line(82, "memberIds", "String Set", "Yes").Chosen("finding last-member-removed"),
		},
		{
			ID: "deleted-once", Flow: "soft-delete-team", Layer: ap.LayerEngine,
			Rule: "a team is soft-deleted once, and its item stays",
			Cite: ap.Line(86, "Soft delete flag").And(ap.Line(542, "Soft deletes", "no hard deletes")).Implied("the flag has two values, and changes from the one to the other once"),
		},
		{
			ID: "plan-completed-once", Flow: "complete-plan", Layer: ap.LayerEngine,
			Rule: "a plan goes from one status to the next once, and is in the list of one status",
			Cite: ap.Line(149, "'draft', 'active', 'completed', 'archived'").And(ap.Lines(207, 208, "status = 'active'", "status = 'completed'")).Chosen("finding life-cycles"),
		},
		{
			ID: "one-self-assessment", Flow: "start-self-assessment", Layer: ap.LayerEngine,
			Rule: "a self assessment that several clients start under one id is stored once",
			Cite: ap.Line(277, "both self and manager").And(ap.Line(227, "'self'")).Chosen("finding duplicate-assessments"),
		},
		{
			ID: "submitted-once", Flow: "submit-assessment", Layer: ap.LayerEngine,
			Rule: "an assessment is submitted once, at one time",
			Cite: ap.Lines(233, 234, "'submitted'", "submittedAt", "only if submitted").Chosen("finding life-cycles"),
		},
		{
			ID: "one-report", Flow: "create-report", Layer: ap.LayerEngine,
			Rule: "a report that several clients create under one id is stored once",
			Cite: ap.Line(332, "final reports combining self and manager assessments").Chosen("finding duplicate-reports"),
		},
	}
}
