package personalos

import "dynaproof/stacks/policy"

// guardrails give the one role of the document, the user who owns the items (personal-os.md:81), its policy.
func guardrails() policy.Guardrails {
	return policy.Guardrails{
		Roles: []policy.Role{{Name: "user", Statements: user}}, // personal-os.md:81
		Table: func(id string, tables policy.Tables) []policy.Statement { return policy.NoScans(tables.Table(id)) },
	}
}

// user reads and writes the own partition, and what hangs on an id. The partitions of metrics, habits, goals, tasks and projects,
// and those of both indexes, hold the items of all users, and IAM cannot tell whose they are (personal-os.md:54-66).
func user(tables policy.Tables) []policy.Statement {
	table := tables.Table("personal-os")
	return []policy.Statement{
		{
			Sid: "OwnPartition", Effect: policy.Allow, // personal-os.md:43-53; tasks, links of habits, points
			Action: []string{
				"dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem",
			},
			Resource:  []string{table},
			Condition: policy.Partitions("USER#" + policy.UserTag),
		},
		{
			Sid: "LogsOfMetricsAndHabits", Effect: policy.Allow, // personal-os.md:54-55, 61-62
			Action:    []string{"dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"},
			Resource:  []string{table},
			Condition: policy.PartitionsLike("METRIC#*", "HABIT#*"),
		},
		{
			Sid: "LinksOfGoalsTasksAndProjects", Effect: policy.Allow, // personal-os.md:56-60, 63
			Action:    []string{"dynamodb:GetItem", "dynamodb:Query"},
			Resource:  []string{table},
			Condition: policy.PartitionsLike("GOAL#*", "TASK#*", "PROJECT#*"),
		},
		{
			Sid: "WriteLinks", Effect: policy.Allow, // personal-os.md:194-195, 273-290, 466-467
			Action:    []string{"dynamodb:PutItem", "dynamodb:DeleteItem", "dynamodb:BatchWriteItem"},
			Resource:  []string{table},
			Condition: policy.PartitionsLike("GOAL#*", "TASK#*", "PROJECT#*"),
		},
		{
			Sid: "OppositeDependency", Effect: policy.Allow, // personal-os.md:197-198
			Action:    []string{"dynamodb:ConditionCheckItem"},
			Resource:  []string{table},
			Condition: policy.PartitionsLike("TASK#*"),
		},
		{
			Sid: "ByStatus", Effect: policy.Allow, // personal-os.md:64-65
			Action:    []string{"dynamodb:Query"},
			Resource:  []string{tables.Index("personal-os", "GSI1")},
			Condition: policy.Partitions("TASK", "GOAL"),
		},
		{
			Sid: "ByArea", Effect: policy.Allow, // personal-os.md:66
			Action:   []string{"dynamodb:Query"},
			Resource: []string{tables.Index("personal-os", "GSI2")},
		},
	}
}
