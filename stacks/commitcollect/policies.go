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

// Guardrails are on unless a stack turns them off: the document forbids scans (commit-collect.md:18, 175). The document
// names no role; the BFF serves the user (105), and ingestion, minting and auditing have no user in front of them.
func Guardrails() policy.Guardrails {
	return policy.Guardrails{
		Roles: []policy.Role{
			{Name: "user", Statements: user},         // commit-collect.md:105
			{Name: "system", Statements: system},     // commit-collect.md:86
			{Name: "operator", Statements: operator}, // commit-collect.md:135-139
		},
	}
}

// user is the BFF on behalf of one user (commit-collect.md:105): the user's own partition, models, the link to Strava and
// sessions. Every Query names its attributes (commit-collect.md:194).
func user(tables policy.Tables) []policy.Statement {
	primary, sessions := tables.Table("CommitCollect"), tables.Table("CommitCollectSessions")
	return []policy.Statement{
		// commit-collect.md:42-50, 171, 183, 186
		policy.Permit("OwnItems", "GetItem PutItem UpdateItem DeleteItem BatchWriteItem", policy.Partitions(ownPartition), primary),
		policy.Permit("OwnLists", "Query", policy.Partitions(ownPartition).And(policy.Projected()), primary), // commit-collect.md:167-169, 194
		policy.Permit("Model", "GetItem", policy.PartitionsLike(modelPartitions), primary),                   // commit-collect.md:64-66
		// commit-collect.md:66, 73, 194
		policy.Permit("ModelParts", "Query", policy.PartitionsLike(modelPartitions).And(policy.Projected()), primary),
		// commit-collect.md:84-86, 194
		policy.Permit("AthleteLookup", "Query", policy.PartitionsLike(athletePartitions).And(policy.Projected()), tables.Index("CommitCollect", "GSI1")),
		// commit-collect.md:67-68, 186
		policy.Permit("AthleteOwner", "GetItem PutItem DeleteItem", policy.PartitionsLike(athletePartitions), primary),
		policy.Permit("Sessions", "GetItem PutItem DeleteItem", policy.PartitionsLike(sessionPartitions), sessions), // commit-collect.md:94, 105-112
		policy.Permit("Audit", "PutItem", policy.Partitions(ownPartition), tables.Table("CommitCollectAudit")),      // commit-collect.md:120, 141
		policy.Permit("Idempotency", "GetItem PutItem UpdateItem", nil, tables.Table("CommitCollectIdempotency")),   // commit-collect.md:149-154
	}
}

// system ingests, mints, audits and deletes accounts (commit-collect.md:86, 141, 184-186), for any user.
func system(tables policy.Tables) []policy.Statement {
	primary, sessions := tables.Table("CommitCollect"), tables.Table("CommitCollectSessions")
	return []policy.Statement{
		// commit-collect.md:42-50, 171, 184-186
		policy.Permit("UserItems", "GetItem PutItem UpdateItem DeleteItem BatchWriteItem", policy.PartitionsLike(userPartitions), primary),
		policy.Permit("Model", "GetItem", policy.PartitionsLike(modelPartitions), primary), // commit-collect.md:64-66, 74
		// commit-collect.md:167-169, 194
		policy.Permit("Lists", "Query", policy.PartitionsLike(userPartitions, modelPartitions).And(policy.Projected()), primary),
		// commit-collect.md:84-86, 194
		policy.Permit("AthleteLookup", "Query", policy.PartitionsLike(athletePartitions).And(policy.Projected()), tables.Index("CommitCollect", "GSI1")),
		policy.Permit("AthleteOwner", "GetItem DeleteItem", policy.PartitionsLike(athletePartitions), primary),       // commit-collect.md:67-68, 72, 186
		policy.Permit("EndSessions", "DeleteItem", policy.PartitionsLike(sessionPartitions), sessions),               // commit-collect.md:109-112
		policy.Permit("Audit", "PutItem", policy.PartitionsLike(userPartitions), tables.Table("CommitCollectAudit")), // commit-collect.md:120, 141
		policy.Permit("Idempotency", "GetItem PutItem UpdateItem", nil, tables.Table("CommitCollectIdempotency")),    // commit-collect.md:149-154
	}
}

// operator reads the audit table, by user, correlation and event (commit-collect.md:120-139), and publishes models (73).
func operator(tables policy.Tables) []policy.Statement {
	return []policy.Statement{
		// commit-collect.md:64-66, 73, 171
		policy.Permit("Models", "PutItem UpdateItem DeleteItem BatchWriteItem", policy.PartitionsLike(modelPartitions), tables.Table("CommitCollect")),
		policy.Permit("Record", "GetItem", policy.PartitionsLike(userPartitions), tables.Table("CommitCollectAudit")), // commit-collect.md:120-121
		// commit-collect.md:120, 137, 194
		policy.Permit("Trail", "Query", policy.PartitionsLike(userPartitions).And(policy.Projected()), tables.Table("CommitCollectAudit")),
		// commit-collect.md:125, 138, 194
		policy.Permit("Correlation", "Query", policy.PartitionsLike("CORR#*").And(policy.Projected()), tables.Index("CommitCollectAudit", "GSI1")),
		// commit-collect.md:130, 139, 194
		policy.Permit("Event", "Query", policy.PartitionsLike("EVENT#*").And(policy.Projected()), tables.Index("CommitCollectAudit", "GSI2")),
	}
}
