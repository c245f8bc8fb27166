package personalos

import ap "dynaproof/accesspatterns"

// taskFlows create, change and delete tasks.
func taskFlows() []ap.Pattern {
	taskKeys := func() ap.Citation {
		return ap.Lines(128, 129, "USER#{userId}", "TASK#{taskId}")
	}
	return []ap.Pattern{
		{
			ID: "create-task", Title: "Create a task that nothing is linked to", Roles: user,
			Cite:    ap.Line(601, "Create task", "10/day").And(taskKeys()).Implied("the capacity estimate counts the operation; what it writes is the task"),
			Returns: []string{"task"},
			Flow: []ap.Step{{
				Name: "create", Cite: ap.Line(601, "Create task").And(taskKeys()), Write: []ap.Action{put("task")},
			}},
		},
		{
			ID: "create-task-with-links", Title: "Create a task with its links to a goal and a project and with what it waits for", Roles: user,
			Cite: ap.Line(601, "Create task").And(
				ap.Lines(148, 149, "`goalIds`", "`projectIds`"), ap.Line(195, "DEP#{dependsOnTaskId}"), ap.Line(274, "TASK#{taskId}"), ap.Line(467, "TASK#{taskId}")).Implied("a task names its goals and projects, which list it in items of their own"),
			Returns: []string{"task"},
			Flow: []ap.Step{{
				Name: "create", Cite: ap.Lines(148, 149, "`goalIds`", "`projectIds`"),
				Write: []ap.Action{
					exists("GOAL#{goalId}"), exists("PROJECT#{projectId}"),
					put("task"), put("goal-task-link"), put("project-task-link"),
					touch("TASK#{dependsOnTaskId}"), notOpposite(), put("task-dependency"),
				},
			}},
		},
		{
			ID: "edit-task", Title: "Edit a task that nobody changed since it was read", Roles: user,
			Cite:    ap.Line(83, "updatedAt: str").And(ap.Lines(132, 147, "`title`", "`notes`")).Implied("a task has attributes that its user edits, and a moment of its last change"),
			Returns: []string{"task"},
			Flow: []ap.Step{readTask(), {
				Name: "edit", Cite: ap.Line(83, "updatedAt: str"), ForEach: ap.Each("task", "updatedAt", "readAt"),
				Write: []ap.Action{replace("task")},
			}},
		},
		{
			ID: "change-task-status", Title: "Change the status of a task, and its place in GSI1 with it", Roles: user,
			Cite:    ap.Lines(150, 151, "`gsi1pk`", `"TASK"`, "`gsi1sk`", "{status}#{createdAt}").And(ap.Line(138, "`status`")).Implied("the index key repeats the status"),
			Returns: []string{"task"},
			Flow: []ap.Step{readTask(), {
				Name: "change", Cite: ap.Line(151, "{status}#{createdAt}"), ForEach: ap.Each("task", "createdAt", "createdAt"),
				Write: []ap.Action{changeTask(
					ap.Assignment{Attribute: "status", Value: ap.Text("{status}")},
					ap.Assignment{Attribute: "gsi1pk", Value: ap.Text("TASK")},
					ap.Assignment{Attribute: "gsi1sk", Value: ap.Text("{status}#{createdAt}")},
				)},
			}},
		},
		{
			ID: "complete-task", Title: "Complete a task once, with the moment and its place in GSI1", Roles: user,
			Cite:    ap.Line(142, "`completedDate`", "ISO timestamp when completed").And(ap.Line(138, "Done"), ap.Line(151, "{status}#{createdAt}")).Implied("the moment of completion has an attribute, which a second completion would move"),
			Returns: []string{"task"},
			Flow: []ap.Step{readTask(), {
				Name: "complete", Cite: ap.Line(142, "ISO timestamp when completed"), ForEach: ap.Each("task", "createdAt", "createdAt"),
				Write: []ap.Action{completeTask()},
			}},
		},
		{
			ID: "change-task-area", Title: "Move a task to another area, and in GSI2 with it", Roles: user,
			Cite:    ap.Lines(152, 153, "`gsi2pk`", "`{area}`", "`gsi2sk`", "TASK#{createdAt}").And(ap.Line(135, "`area`")).Implied("the index key repeats the area"),
			Returns: []string{"task"},
			Flow: []ap.Step{readTask(), {
				Name: "move", Cite: ap.Line(152, "`{area}`"), ForEach: ap.Each("task", "createdAt", "createdAt"),
				Write: []ap.Action{changeTask(
					ap.Assignment{Attribute: "area", Value: ap.Text("{area}")},
					ap.Assignment{Attribute: "gsi2pk", Value: ap.Text("{area}")},
					ap.Assignment{Attribute: "gsi2sk", Value: ap.Text("TASK#{createdAt}")},
				)},
			}},
		},
		deleteTask(),
	}
}

// changeTask assigns attributes of a task under the condition that it is the
// task that was read, not one that took its key since.
func changeTask(set ...ap.Assignment) ap.Action {
	return ap.Action{
		Kind: ap.Update, Table: table, Key: ofUserKey("TASK#{taskId}"),
		Set:       append(set, ap.Assignment{Attribute: "updatedAt", Value: ap.Text("{now}")}),
		Condition: []ap.WriteCondition{{Attribute: "createdAt", Operator: ap.ConditionEquals, Value: ap.Text("{createdAt}")}},
	}
}

func completeTask() ap.Action {
	complete := changeTask(
		ap.Assignment{Attribute: "status", Value: ap.Text("Done")},
		ap.Assignment{Attribute: "completedDate", Value: ap.Text("{now}")},
		ap.Assignment{Attribute: "gsi1pk", Value: ap.Text("TASK")},
		ap.Assignment{Attribute: "gsi1sk", Value: ap.Text("Done#{createdAt}")},
	)
	complete.Condition = append(complete.Condition, ap.WriteCondition{Attribute: "status", Operator: ap.ConditionDiffers, Value: ap.Text("Done")})
	return complete
}

// deleteTask can be run again from its beginning after it stopped anywhere: the
// task, which leads to everything else, goes last, and only when nobody linked
// it to anything since it was read. Who waits for the task cannot be asked
// (finding reverse-lookups-missing), so the dependency is deleted from each of
// the user's tasks, where most have none.
func deleteTask() ap.Pattern {
	return ap.Pattern{
		ID: "delete-task", Title: "Delete a task with its links and dependencies, the task last", Roles: user,
		Cite:    taskLinks().Implied("links and dependencies are items of their own, which no deletion of the task takes with it"),
		Returns: []string{"task-dependency"},
		Flow: []ap.Step{
			readTask(),
			{
				Name: "tasks", Cite: ap.Line(44, "List user's tasks", "begins_with(TASK#)"),
				Read: query(ofUser(), ap.BeginsWith("sk", "TASK#")),
			},
			{
				// The sort key of a task is the partition key of what it waits for.
				Name: "delete-waiting", Cite: ap.Line(195, "DEP#{dependsOnTaskId}"), Batch: ap.MaxBatch,
				ForEach: ap.Each("tasks", "sk", "waiting"),
				Write:   []ap.Action{remove("{waiting}", "DEP#{taskId}")},
			},
			{
				Name: "dependencies", Cite: ap.Line(59, "List task dependencies", "begins_with(DEP#)"),
				Read: query(ap.Equals("pk", "TASK#{taskId}"), ap.BeginsWith("sk", "DEP#")),
			},
			{
				Name: "delete-dependencies", Cite: ap.Line(194, "TASK#{taskId}"), Batch: ap.MaxBatch,
				ForEach: ap.Each("dependencies", "sk", "dependency"),
				Write:   []ap.Action{remove("TASK#{taskId}", "{dependency}")},
			},
			{
				Name: "delete-goal-links", Cite: ap.Line(148, "`goalIds`", "embedded"), Batch: ap.MaxBatch,
				ForEach: ap.Each("task", "goalIds", "goalId"),
				Write:   []ap.Action{remove("GOAL#{goalId}", "TASK#{taskId}")},
			},
			{
				Name: "delete-project-links", Cite: ap.Line(149, "`projectIds`", "embedded"), Batch: ap.MaxBatch,
				ForEach: ap.Each("task", "projectIds", "projectId"),
				Write:   []ap.Action{remove("PROJECT#{projectId}", "TASK#{taskId}")},
			},
			{
				Name: "delete", Cite: ap.Line(129, "TASK#{taskId}"), ForEach: ap.Each("task", "updatedAt", "readAt"),
				Write: []ap.Action{{Kind: ap.Delete, Table: table, Key: ofUserKey("TASK#{taskId}"), Condition: unchanged()}},
			},
		},
	}
}

func taskLinks() ap.Citation {
	return ap.Lines(194, 195, "TASK#{taskId}", "DEP#{dependsOnTaskId}").And(
		ap.Lines(273, 274, "GOAL#{goalId}", "TASK#{taskId}"), ap.Lines(466, 467, "PROJECT#{projectId}", "TASK#{taskId}"), ap.Lines(148, 149, "`goalIds`", "`projectIds`"))
}

// notOpposite refuses a task that waits for one that waits for it.
func notOpposite() ap.Action {
	return ap.Action{Kind: ap.ConditionCheck, Table: table, Key: key("TASK#{dependsOnTaskId}", "DEP#{taskId}"), Condition: ap.IfAbsent("pk")}
}
