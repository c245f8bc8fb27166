package rollmodel

import "dynaproof/stacks/policy"

// The partitions of roll-model.md:21-29. Those of entries and threads are named by an id that says nothing about the
// user, so IAM cannot confine anybody to their own of these.
const (
	userPartitions   = "USER#*"
	entryPartitions  = "ENTRY#*"
	threadPartitions = "AI_THREAD#*"
)

func guardrails() policy.Guardrails {
	return policy.Guardrails{
		Roles: []policy.Role{
			{Name: "athlete", Statements: athlete}, // roll-model.md:199
			{Name: "user", Statements: user},       // roll-model.md:203
			{Name: "coach", Statements: coach},     // roll-model.md:200
			{Name: "system", Statements: system},   // roll-model.md:203
		},
		Table: func(id string, tables policy.Tables) []policy.Statement { return policy.NoScans(tables.Table(id)) },
	}
}

// athlete owns entries, links, threads, keywords and overrides (roll-model.md:199, 202-204).
func athlete(tables policy.Tables) []policy.Statement {
	table := tables.Table("RollModel")
	return []policy.Statement{
		{
			Sid: "OwnPartitions", Effect: policy.Allow, // roll-model.md:21-22, 25, 27-29
			Action:    []string{"dynamodb:Query", "dynamodb:PutItem", "dynamodb:DeleteItem"},
			Resource:  []string{table},
			Condition: policy.Partitions("USER#"+policy.UserTag, "USER_PRIVATE#"+policy.UserTag),
		},
		{
			Sid: "OwnItems", Effect: policy.Allow, // roll-model.md:21-22, 25, 27, 29; keywords are neither read by key nor changed
			Action:    []string{"dynamodb:GetItem", "dynamodb:UpdateItem"},
			Resource:  []string{table},
			Condition: policy.Partitions("USER#" + policy.UserTag),
		},
		{
			Sid: "Entries", Effect: policy.Allow, // roll-model.md:23-24, 202
			Action:    []string{"dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:DeleteItem"},
			Resource:  []string{table},
			Condition: policy.PartitionsLike(entryPartitions),
		},
		{
			Sid: "ThreadMessages", Effect: policy.Allow, // roll-model.md:26, 203
			Action:    []string{"dynamodb:Query", "dynamodb:PutItem", "dynamodb:DeleteItem"},
			Resource:  []string{table},
			Condition: policy.PartitionsLike(threadPartitions),
		},
	}
}

// user chats under the own id, whoever it is: a coach has this role beside that of the coach (roll-model.md:25-26, 203).
func user(tables policy.Tables) []policy.Statement {
	table := tables.Table("RollModel")
	return []policy.Statement{
		{
			Sid: "OwnThreads", Effect: policy.Allow, // roll-model.md:25
			Action:    []string{"dynamodb:GetItem", "dynamodb:Query", "dynamodb:DeleteItem"},
			Resource:  []string{table},
			Condition: policy.Partitions("USER#" + policy.UserTag),
		},
		{
			Sid: "WriteThreads", Effect: policy.Allow, // roll-model.md:203; the attributes are those of 48
			Action:    []string{"dynamodb:PutItem", "dynamodb:UpdateItem"},
			Resource:  []string{table},
			Condition: policy.Partitions("USER#" + policy.UserTag).And(policy.Attributes("PK", "SK", "entityType", "threadId", "title", "createdAt", "lastActiveAt")),
		},
		{
			Sid: "ThreadMessages", Effect: policy.Allow, // roll-model.md:26, 203
			Action:    []string{"dynamodb:Query", "dynamodb:PutItem", "dynamodb:DeleteItem"},
			Resource:  []string{table},
			Condition: policy.PartitionsLike(threadPartitions),
		},
	}
}

// coach reads linked athletes' entries, comments on them and sets overrides (roll-model.md:58, 200-201). Which athletes
// are linked stands in items, which IAM does not see.
func coach(tables policy.Tables) []policy.Statement {
	table := tables.Table("RollModel")
	return []policy.Statement{
		{
			Sid: "LinkAndMeta", Effect: policy.Allow, // roll-model.md:201
			Action:    []string{"dynamodb:GetItem"},
			Resource:  []string{table},
			Condition: policy.PartitionsLike(userPartitions, entryPartitions),
		},
		{
			Sid: "ByProjection", Effect: policy.Allow, // roll-model.md:58, 200, 204; the attributes are those of 33-36, 54, 57-59
			Action:   []string{"dynamodb:Query"},
			Resource: []string{table},
			Condition: policy.PartitionsLike(userPartitions).And(policy.Projected()).And(policy.Attributes(
				"PK", "SK", "entityType", "entryId", "athleteId", "schemaVersion", "createdAt", "updatedAt",
				"sections", "sessionMetrics", "rawTechniqueMentions", "visibilityScope",
				"gapId", "status", "manualPriority", "note", "updatedBy", "updatedByRole")),
		},
		{
			Sid: "CommentsOfEntry", Effect: policy.Allow, // roll-model.md:24
			Action:    []string{"dynamodb:Query", "dynamodb:DeleteItem"},
			Resource:  []string{table},
			Condition: policy.PartitionsLike(entryPartitions),
		},
		{
			Sid: "ValidationInTransaction", Effect: policy.Allow, // roll-model.md:201
			Action:    []string{"dynamodb:ConditionCheckItem"},
			Resource:  []string{table},
			Condition: policy.PartitionsLike(userPartitions, entryPartitions),
		},
		{
			Sid: "Comment", Effect: policy.Allow, // roll-model.md:201; the attributes are those of 45
			Action:   []string{"dynamodb:PutItem"},
			Resource: []string{table},
			Condition: policy.PartitionsLike(entryPartitions).And(policy.Written(
				"PK", "SK", "entityType", "commentId", "entryId", "coachId", "createdAt", "body", "visibility")),
		},
		{
			Sid: "EditComment", Effect: policy.Allow, // roll-model.md:45
			Action:    []string{"dynamodb:UpdateItem"},
			Resource:  []string{table},
			Condition: policy.PartitionsLike(entryPartitions).And(policy.Written("PK", "SK", "coachId", "body", "visibility")),
		},
		{
			Sid: "GapPriority", Effect: policy.Allow, // roll-model.md:58; the attributes are those of 57-59
			Action:   []string{"dynamodb:PutItem", "dynamodb:UpdateItem"},
			Resource: []string{table},
			Condition: policy.PartitionsLike(userPartitions).And(policy.Attributes(
				"PK", "SK", "entityType", "gapId", "status", "manualPriority", "note",
				"updatedAt", "updatedBy", "updatedByRole", "createdAt")),
		},
	}
}

// system is the AI side: it reads threads and messages, and stores messages (roll-model.md:203).
func system(tables policy.Tables) []policy.Statement {
	table := tables.Table("RollModel")
	return []policy.Statement{
		{
			Sid: "Threads", Effect: policy.Allow, // roll-model.md:25; the attributes are those of 48, so that no private text is read
			Action:   []string{"dynamodb:Query"},
			Resource: []string{table},
			Condition: policy.PartitionsLike(userPartitions).And(policy.Projected()).And(policy.Attributes(
				"PK", "SK", "threadId", "title", "createdAt", "lastActiveAt")),
		},
		{
			Sid: "ThreadIsActive", Effect: policy.Allow, // roll-model.md:48; the attributes are the key and lastActiveAt
			Action:    []string{"dynamodb:UpdateItem"},
			Resource:  []string{table},
			Condition: policy.PartitionsLike(userPartitions).And(policy.Written("PK", "SK", "lastActiveAt")),
		},
		{
			Sid: "ThreadMessages", Effect: policy.Allow, // roll-model.md:26, 203
			Action:    []string{"dynamodb:Query"},
			Resource:  []string{table},
			Condition: policy.PartitionsLike(threadPartitions),
		},
		{
			Sid: "StoreMessage", Effect: policy.Allow, // roll-model.md:203; the attributes are those of 51
			Action:   []string{"dynamodb:PutItem"},
			Resource: []string{table},
			Condition: policy.PartitionsLike(threadPartitions).And(policy.Written(
				"PK", "SK", "entityType", "messageId", "threadId", "role", "content", "visibilityScope", "createdAt")),
		},
	}
}
