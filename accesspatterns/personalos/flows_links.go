package personalos

import ap "dynaproof/accesspatterns"

// linkFlows tie tasks, goals, metrics, habits and projects to each other.
func linkFlows() []ap.Pattern {
	goal, project := ap.KeyTemplate("GOAL#{goalId}"), ap.KeyTemplate("PROJECT#{projectId}")
	ofGoal := ap.Lines(273, 274, "GOAL#{goalId}", "TASK#{taskId}").And(ap.Line(148, "`goalIds`", "embedded"))
	ofProject := ap.Lines(466, 467, "PROJECT#{projectId}", "TASK#{taskId}").And(ap.Line(149, "`projectIds`", "embedded"))
	const bothSides = "the link stands on both sides, as an item and in the task's list"
	return []ap.Pattern{
		{
			ID: "link-task-to-goal", Title: "Link a task to a goal, in the task's list too", Roles: user,
			Cite: ofGoal.Implied(bothSides), Returns: []string{"task"},
			Flow: []ap.Step{readTask(), withList("link", "task", ofGoal, exists(goal), put("goal-task-link"))},
		},
		{
			ID: "unlink-task-from-goal", Title: "Unlink a task from a goal, in the task's list too", Roles: user,
			Cite: ofGoal.Implied(bothSides), Returns: []string{"task"},
			Flow: []ap.Step{readTask(), withList("unlink", "task", ofGoal, remove(goal, "TASK#{taskId}"))},
		},
		{
			ID: "link-task-to-project", Title: "Link a task to a project, in the task's list too", Roles: user,
			Cite: ofProject.Implied(bothSides), Returns: []string{"task"},
			Flow: []ap.Step{readTask(), withList("link", "task", ofProject, exists(project), put("project-task-link"))},
		},
		{
			ID: "unlink-task-from-project", Title: "Unlink a task from a project, in the task's list too", Roles: user,
			Cite: ofProject.Implied(bothSides), Returns: []string{"task"},
			Flow: []ap.Step{readTask(), withList("unlink", "task", ofProject, remove(project, "TASK#{taskId}"))},
		},
		{
			ID: "link-habit-to-goal", Title: "Link a habit to a goal, in the habit's list too", Roles: user,
			Cite:    ap.Lines(289, 290, "GOAL#{goalId}", "HABIT#{habitId}").And(ap.Line(419, "`goalIds`", "embedded")).Implied("the link stands on both sides, as an item and in the habit's list"),
			Returns: []string{"habit"},
			Flow: []ap.Step{
				read("habit", ap.Lines(401, 402, "USER#{userId}", "HABIT#{habitId}"), "HABIT#{habitId}"),
				withList("link", "habit", ap.Lines(289, 290, "GOAL#{goalId}", "HABIT#{habitId}"), exists(goal), put("goal-habit-link")),
			},
		},
		{
			ID: "link-metric-to-goal", Title: "Link a metric to a goal", Roles: user,
			Cite:    ap.Lines(281, 282, "GOAL#{goalId}", "METRIC#{metricId}").Implied("the link is an item; both of its ends must be there"),
			Returns: []string{"goal-metric-link"},
			Flow: []ap.Step{{
				Name: "link", Cite: ap.Lines(281, 282, "GOAL#{goalId}", "METRIC#{metricId}"),
				Write: []ap.Action{exists(goal), exists("METRIC#{metricId}"), put("goal-metric-link")},
			}},
		},
		{
			// Both tasks are touched, so that a deletion that read one of them
			// before is refused and begins again.
			ID: "add-task-dependency", Title: "Let a task wait for another one that does not wait for it", Roles: user,
			Cite:    ap.Lines(194, 198, "TASK#{taskId}", "DEP#{dependsOnTaskId}", "Blocked task ID", "Blocking task ID").Implied("a dependency is an item; two tasks that wait for each other would wait for ever"),
			Returns: []string{"task-dependency"},
			Flow: []ap.Step{{
				Name: "add", Cite: ap.Lines(197, 198, "Blocked task ID", "Blocking task ID"),
				Write: []ap.Action{touch("TASK#{taskId}"), touch("TASK#{dependsOnTaskId}"), notOpposite(), put("task-dependency")},
			}},
		},
		{
			ID: "remove-task-dependency", Title: "Let a task no longer wait for another one", Roles: user,
			Cite:    ap.Lines(194, 195, "TASK#{taskId}", "DEP#{dependsOnTaskId}").Implied("a dependency is an item of its own"),
			Returns: []string{"task-dependency"},
			Flow: []ap.Step{{
				Name: "remove", Cite: ap.Line(195, "DEP#{dependsOnTaskId}"),
				Write: []ap.Action{remove("TASK#{taskId}", "DEP#{dependsOnTaskId}")},
			}},
		},
	}
}

// withList writes a link together with the next version of the item whose list
// repeats it, which nobody may have written since it was read.
func withList(name, entity string, cite ap.Citation, link ...ap.Action) ap.Step {
	return ap.Step{
		Name: name, Cite: cite, ForEach: ap.Each(entity, "updatedAt", "readAt"),
		Write: append([]ap.Action{replace(entity)}, link...),
	}
}
