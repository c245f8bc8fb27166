package osemladders

import ap "dynaproof/accesspatterns"

func planWrites() []ap.Pattern {
	return []ap.Pattern{
		{
			ID: "create-plan", Title: "a new assessment plan of a team that is not soft-deleted",
			Cite:  ap.Lines(142, 143, "planId", "UUID", "Team this plan belongs to").And(ap.Line(86, "Soft delete flag")).Chosen("finding references-unchecked"),
			Roles: []string{admin, manager},
			Flow: []ap.Step{{
				Name: "create", Cite: ap.Lines(142, 143, "planId", "Team this plan belongs to"),
				Write: []ap.Action{
					{
						Kind: ap.ConditionCheck, Table: "Teams", Key: idKey("teamId", "{teamId}"),
						Condition: []ap.WriteCondition{is("isActive", ap.Truth(true))},
					},
					{Kind: ap.Put, Table: "AssessmentPlans", Entity: "plan", Item: "plan", Condition: ap.IfAbsent("planId"), With: []ap.Equality{*ap.Equals("teamId", "{teamId}")}},
				},
			}},
			Returns: []string{"plan"},
		},
		planMove("activate-plan", "a draft becomes an active plan", "draft", "active", ap.Line(207, "List active plans", "status = 'active'")),
		planMove("complete-plan", "an active plan is completed", "active", "completed", ap.Line(208, "List completed plans", "status = 'completed'")),
		planMove("archive-plan", "a completed plan is archived", "completed", "archived", ap.Line(165, "all active/archived plans")),
	}
}

// planMove changes the status of a plan from the one that was read to the next.
// The item moves between the partitions of status-index with it.
func planMove(id, title string, from, to ap.KeyTemplate, cite ap.Citation) ap.Pattern {
	return ap.Pattern{
		ID: id, Title: title,
		Cite:  ap.Line(149, "status", "'draft', 'active', 'completed', 'archived'").And(cite).Chosen("finding life-cycles"),
		Roles: []string{admin, manager},
		Flow: []ap.Step{
			{
				Name: "plan", Cite: ap.Line(205, "GetItem(planId)"), StopWhenEmpty: true,
				Read: ap.Get("AssessmentPlans", ap.Equals("planId", "{planId}")),
			},
			{
				// The update holds only while the plan is as it was read.
				Name: "move", Cite: ap.Line(149, "status").And(ap.Line(153, "updatedAt")),
				ForEach: ap.Each("plan", "updatedAt", "readAt"),
				Write: []ap.Action{{
					Kind: ap.Update, Table: "AssessmentPlans", Key: idKey("planId", "{planId}"),
					Set:       []ap.Assignment{assign("status", ap.Text(to)), updatedAt()},
					Condition: []ap.WriteCondition{is("status", ap.Text(from)), is("updatedAt", ap.Digits("{readAt}"))},
				}},
			},
		},
		Returns: []string{"plan"},
	}
}
