package rollmodel

import "dynaproof/stacks/policy"

// The partitions of roll-model.md:21-29. Those of entries and threads are named by an id that says nothing about the
// user, so IAM cannot confine anybody to their own of these.
const (
	userPartitions   = "USER#*"
	entryPartitions  = "ENTRY#*"
	threadPartitions = "AI_THREAD#*"
)

// Guardrails give each role of roll-model.md:199-203 its policy.
func Guardrails() policy.Guardrails {
	return policy.Guardrails{
		Roles: []policy.Role{
			{Name: "athlete", Statements: athlete}, // roll-model.md:199
			{Name: "user", Statements: user},       // roll-model.md:203
			{Name: "coach", Statements: coach},     // roll-model.md:200
			{Name: "system", Statements: system},   // roll-model.md:203
		},
	}
}

// athlete owns entries, links, threads, keywords and overrides (roll-model.md:199, 202-204).
func athlete(tables policy.Tables) []policy.Statement {
	table := tables.Table("RollModel")
	return []policy.Statement{
		// roll-model.md:21-22, 25, 27-29
		policy.Permit("OwnPartitions", "Query PutItem DeleteItem", policy.Partitions("USER#"+policy.UserTag, "USER_PRIVATE#"+policy.UserTag), table),
		// roll-model.md:21-22, 25, 27, 29; keywords are neither read by key nor changed
		policy.Permit("OwnItems", "GetItem UpdateItem", policy.Partitions("USER#"+policy.UserTag), table),
		policy.Permit("Entries", "GetItem Query PutItem DeleteItem", policy.PartitionsLike(entryPartitions), table), // roll-model.md:23-24, 202
		policy.Permit("ThreadMessages", "Query PutItem DeleteItem", policy.PartitionsLike(threadPartitions), table), // roll-model.md:26, 203
	}
}

// user chats under the own id, whoever it is: a coach has this role beside that of the coach (roll-model.md:25-26, 203).
func user(tables policy.Tables) []policy.Statement {
	table := tables.Table("RollModel")
	return []policy.Statement{
		policy.Permit("OwnThreads", "GetItem Query DeleteItem", policy.Partitions("USER#"+policy.UserTag), table), // roll-model.md:25
		// roll-model.md:203; the attributes are those of 48
		policy.Permit("WriteThreads", "PutItem UpdateItem", policy.Partitions("USER#"+policy.UserTag).And(policy.Attributes("PK", "SK", "entityType",
			"threadId", "title", "createdAt", "lastActiveAt")),
			table),
		policy.Permit("ThreadMessages", "Query PutItem DeleteItem", policy.PartitionsLike(threadPartitions), table), // roll-model.md:26, 203
	}
}

// coach reads linked athletes' entries, comments on them and sets overrides (roll-model.md:58, 200-201). Which athletes
// are linked stands in items, which IAM does not see.
func coach(tables policy.Tables) []policy.Statement {
	table := tables.Table("RollModel")
	return []policy.Statement{
		policy.Permit("LinkAndMeta", "GetItem", policy.PartitionsLike(userPartitions, entryPartitions), table), // roll-model.md:201
		// roll-model.md:58, 200, 204; the attributes are those of 33-36, 54, 57-59
		policy.Permit("ByProjection", "Query", policy.PartitionsLike(userPartitions).And(policy.Projected()).And(policy.Attributes("PK", "SK",
			"entityType", "entryId", "athleteId", "schemaVersion", "createdAt", "updatedAt", "sections", "sessionMetrics", "rawTechniqueMentions",
			"visibilityScope", "gapId", "status", "manualPriority", "note", "updatedBy", "updatedByRole")),
			table),
		policy.Permit("CommentsOfEntry", "Query DeleteItem", policy.PartitionsLike(entryPartitions), table), // roll-model.md:24
		// roll-model.md:201
		policy.Permit("ValidationInTransaction", "ConditionCheckItem", policy.PartitionsLike(userPartitions, entryPartitions), table),
		// roll-model.md:201; the attributes are those of 45
		policy.Permit("Comment", "PutItem", policy.PartitionsLike(entryPartitions).And(policy.Written("PK", "SK", "entityType", "commentId", "entryId",
			"coachId", "createdAt", "body", "visibility")),
			table),
		// roll-model.md:45
		policy.Permit("EditComment", "UpdateItem", policy.PartitionsLike(entryPartitions).And(policy.Written("PK", "SK", "coachId", "body", "visibility")),
			table),
		// roll-model.md:58; the attributes are those of 57-59
		policy.Permit("GapPriority", "PutItem UpdateItem", policy.PartitionsLike(userPartitions).And(policy.Attributes("PK", "SK", "entityType", "gapId",
			"status", "manualPriority", "note", "updatedAt", "updatedBy", "updatedByRole", "createdAt")),
			table),
	}
}

// system is the AI side: it reads threads and messages, and stores messages (roll-model.md:203).
func system(tables policy.Tables) []policy.Statement {
	table := tables.Table("RollModel")
	return []policy.Statement{
		// roll-model.md:25; the attributes are those of 48, so that no private text is read
		policy.Permit("Threads", "Query", policy.PartitionsLike(userPartitions).And(policy.Projected()).And(policy.Attributes("PK", "SK", "threadId",
			"title", "createdAt", "lastActiveAt")),
			table),
		// roll-model.md:48; the attributes are the key and lastActiveAt
		policy.Permit("ThreadIsActive", "UpdateItem", policy.PartitionsLike(userPartitions).And(policy.Written("PK", "SK", "lastActiveAt")), table),
		policy.Permit("ThreadMessages", "Query", policy.PartitionsLike(threadPartitions), table), // roll-model.md:26, 203
		// roll-model.md:203; the attributes are those of 51
		policy.Permit("StoreMessage", "PutItem", policy.PartitionsLike(threadPartitions).And(policy.Written("PK", "SK", "entityType", "messageId",
			"threadId", "role", "content", "visibilityScope", "createdAt")),
			table),
	}
}
