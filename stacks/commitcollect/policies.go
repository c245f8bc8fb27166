package commitcollect

import "dynaproof/stacks/policy"

// The partitions of commit-collect.md:42, 64, 67, 94, 120, 125 and 130. A session's id says nothing about its user.
const (
	userPartitions    = "USER#*"
	modelPartitions   = "MODEL#*"
	athletePartitions = "STRAVA#ATHLETE#*"
	sessionPartitions = "SESSION#*"
	ownPartition      = "USER#" + policy.UserTag
)

// guardrails are on unless a stack turns them off: the document forbids scans (commit-collect.md:18, 175). The document
// names no role; the BFF serves the user (105), and ingestion, minting and auditing have no user in front of them.
func guardrails() policy.Guardrails {
	return policy.Guardrails{
		Roles: []policy.Role{
			{Name: "user", Statements: user},         // commit-collect.md:105
			{Name: "system", Statements: system},     // commit-collect.md:86
			{Name: "operator", Statements: operator}, // commit-collect.md:135-139
		},
		Table: func(id string, tables policy.Tables) []policy.Statement { return policy.NoScans(tables.Table(id)) },
	}
}

// user is the BFF on behalf of one user (commit-collect.md:105): the user's own partition, models, the link to Strava and
// sessions. Every Query names its attributes (commit-collect.md:194).
func user(tables policy.Tables) []policy.Statement {
	primary, sessions := tables.Table("CommitCollect"), tables.Table("CommitCollectSessions")
	return []policy.Statement{
		{
			Sid: "OwnItems", Effect: policy.Allow, // commit-collect.md:42-50, 171, 183, 186
			Action:    []string{"dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:BatchWriteItem"},
			Resource:  []string{primary},
			Condition: policy.Partitions(ownPartition),
		},
		{
			Sid: "OwnLists", Effect: policy.Allow, // commit-collect.md:167-169, 194
			Action:    []string{"dynamodb:Query"},
			Resource:  []string{primary},
			Condition: policy.Partitions(ownPartition).And(policy.Projected()),
		},
		{
			Sid: "Model", Effect: policy.Allow, // commit-collect.md:64-66
			Action:    []string{"dynamodb:GetItem"},
			Resource:  []string{primary},
			Condition: policy.PartitionsLike(modelPartitions),
		},
		{
			Sid: "ModelParts", Effect: policy.Allow, // commit-collect.md:66, 73, 194
			Action:    []string{"dynamodb:Query"},
			Resource:  []string{primary},
			Condition: policy.PartitionsLike(modelPartitions).And(policy.Projected()),
		},
		{
			Sid: "AthleteLookup", Effect: policy.Allow, // commit-collect.md:84-86, 194
			Action:    []string{"dynamodb:Query"},
			Resource:  []string{tables.Index("CommitCollect", "GSI1")},
			Condition: policy.PartitionsLike(athletePartitions).And(policy.Projected()),
		},
		{
			Sid: "AthleteOwner", Effect: policy.Allow, // commit-collect.md:67-68, 186
			Action:    []string{"dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:DeleteItem"},
			Resource:  []string{primary},
			Condition: policy.PartitionsLike(athletePartitions),
		},
		{
			Sid: "Sessions", Effect: policy.Allow, // commit-collect.md:94, 105-112
			Action:    []string{"dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:DeleteItem"},
			Resource:  []string{sessions},
			Condition: policy.PartitionsLike(sessionPartitions),
		},
		{
			Sid: "Audit", Effect: policy.Allow, // commit-collect.md:120, 141
			Action:    []string{"dynamodb:PutItem"},
			Resource:  []string{tables.Table("CommitCollectAudit")},
			Condition: policy.Partitions(ownPartition),
		},
		{
			Sid: "Idempotency", Effect: policy.Allow, // commit-collect.md:149-154
			Action:   []string{"dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"},
			Resource: []string{tables.Table("CommitCollectIdempotency")},
		},
	}
}

// system ingests, mints, audits and deletes accounts (commit-collect.md:86, 141, 184-186), for any user.
func system(tables policy.Tables) []policy.Statement {
	primary, sessions := tables.Table("CommitCollect"), tables.Table("CommitCollectSessions")
	return []policy.Statement{
		{
			Sid: "UserItems", Effect: policy.Allow, // commit-collect.md:42-50, 171, 184-186
			Action:    []string{"dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:BatchWriteItem"},
			Resource:  []string{primary},
			Condition: policy.PartitionsLike(userPartitions),
		},
		{
			Sid: "Model", Effect: policy.Allow, // commit-collect.md:64-66, 74
			Action:    []string{"dynamodb:GetItem"},
			Resource:  []string{primary},
			Condition: policy.PartitionsLike(modelPartitions),
		},
		{
			Sid: "Lists", Effect: policy.Allow, // commit-collect.md:167-169, 194
			Action:    []string{"dynamodb:Query"},
			Resource:  []string{primary},
			Condition: policy.PartitionsLike(userPartitions, modelPartitions).And(policy.Projected()),
		},
		{
			Sid: "AthleteLookup", Effect: policy.Allow, // commit-collect.md:84-86, 194
			Action:    []string{"dynamodb:Query"},
			Resource:  []string{tables.Index("CommitCollect", "GSI1")},
			Condition: policy.PartitionsLike(athletePartitions).And(policy.Projected()),
		},
		{
			Sid: "AthleteOwner", Effect: policy.Allow, // commit-collect.md:67-68, 72, 186
			Action:    []string{"dynamodb:GetItem", "dynamodb:DeleteItem"},
			Resource:  []string{primary},
			Condition: policy.PartitionsLike(athletePartitions),
		},
		{
			Sid: "EndSessions", Effect: policy.Allow, // commit-collect.md:109-112
			Action:    []string{"dynamodb:DeleteItem"},
			Resource:  []string{sessions},
			Condition: policy.PartitionsLike(sessionPartitions),
		},
		{
			Sid: "Audit", Effect: policy.Allow, // commit-collect.md:120, 141
			Action:    []string{"dynamodb:PutItem"},
			Resource:  []string{tables.Table("CommitCollectAudit")},
			Condition: policy.PartitionsLike(userPartitions),
		},
		{
			Sid: "Idempotency", Effect: policy.Allow, // commit-collect.md:149-154
			Action:   []string{"dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"},
			Resource: []string{tables.Table("CommitCollectIdempotency")},
		},
	}
}

// operator reads the audit table, by user, correlation and event (commit-collect.md:120-139), and publishes models (73).
func operator(tables policy.Tables) []policy.Statement {
	return []policy.Statement{
		{
			Sid: "Models", Effect: policy.Allow, // commit-collect.md:64-66, 73, 171
			Action:    []string{"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:BatchWriteItem"},
			Resource:  []string{tables.Table("CommitCollect")},
			Condition: policy.PartitionsLike(modelPartitions),
		},
		{
			Sid: "Record", Effect: policy.Allow, // commit-collect.md:120-121
			Action:    []string{"dynamodb:GetItem"},
			Resource:  []string{tables.Table("CommitCollectAudit")},
			Condition: policy.PartitionsLike(userPartitions),
		},
		{
			Sid: "Trail", Effect: policy.Allow, // commit-collect.md:120, 137, 194
			Action:    []string{"dynamodb:Query"},
			Resource:  []string{tables.Table("CommitCollectAudit")},
			Condition: policy.PartitionsLike(userPartitions).And(policy.Projected()),
		},
		{
			Sid: "Correlation", Effect: policy.Allow, // commit-collect.md:125, 138, 194
			Action:    []string{"dynamodb:Query"},
			Resource:  []string{tables.Index("CommitCollectAudit", "GSI1")},
			Condition: policy.PartitionsLike("CORR#*").And(policy.Projected()),
		},
		{
			Sid: "Event", Effect: policy.Allow, // commit-collect.md:130, 139, 194
			Action:    []string{"dynamodb:Query"},
			Resource:  []string{tables.Index("CommitCollectAudit", "GSI2")},
			Condition: policy.PartitionsLike("EVENT#*").And(policy.Projected()),
		},
	}
}
