package personalos

import "dynaproof/stacks/policy"

// Guardrails give the one role of the document, the user who owns the items (personal-os.md:81), its policy.
func Guardrails() policy.Guardrails {
	return policy.Guardrails{
		Roles: []policy.Role{{Name: "user", Statements: user}}, // personal-os.md:81
	}
}

// user reads and writes the own partition, and what hangs on an id. The partitions of metrics, habits, goals, tasks and projects,
// and those of both indexes, hold the items of all users, and IAM cannot tell whose they are (personal-os.md:54-66).
func user(tables policy.Tables) []policy.Statement {
	table := tables.Table("personal-os")
	return []policy.Statement{
		// personal-os.md:43-53; tasks, links of habits, points
		policy.Permit("OwnPartition", "GetItem Query PutItem UpdateItem DeleteItem ConditionCheckItem", policy.Partitions("USER#"+policy.UserTag), table),
		// personal-os.md:54-55, 61-62
		policy.Permit("LogsOfMetricsAndHabits", "GetItem Query PutItem UpdateItem DeleteItem", policy.PartitionsLike("METRIC#*", "HABIT#*"), table),
		// personal-os.md:56-60, 63
		policy.Permit("LinksOfGoalsTasksAndProjects", "GetItem Query", policy.PartitionsLike("GOAL#*", "TASK#*", "PROJECT#*"), table),
		// personal-os.md:194-195, 273-290, 466-467
		policy.Permit("WriteLinks", "PutItem DeleteItem BatchWriteItem", policy.PartitionsLike("GOAL#*", "TASK#*", "PROJECT#*"), table),
		policy.Permit("OppositeDependency", "ConditionCheckItem", policy.PartitionsLike("TASK#*"), table),          // personal-os.md:197-198
		policy.Permit("ByStatus", "Query", policy.Partitions("TASK", "GOAL"), tables.Index("personal-os", "GSI1")), // personal-os.md:64-65
		policy.Permit("ByArea", "Query", nil, tables.Index("personal-os", "GSI2")),                                 // personal-os.md:66
	}
}
