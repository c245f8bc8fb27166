package fusmain

import (
	"slices"

	"dynaproof/stacks/policy"
)

// The partitions of fus-main.md:25, 66, 93 and 102, and the one of the user in front of the application (46, 56, 75, 84).
const (
	sitePartitions   = "SITE#*"
	groupPartitions  = "GROUP#*"
	playerPartitions = "SQUASH#PLAYER#*"
	matchPartitions  = "SQUASH#MATCH#*"
	ownPartition     = "USER#" + policy.UserTag
)

// guardrails give each role of fus-main.md:21, 42, 120 and 121 its policy. Roles other than everyone are logged in.
func guardrails() policy.Guardrails {
	return policy.Guardrails{
		Roles: []policy.Role{
			{Name: "everyone", Statements: everyone},          // fus-main.md:21
			{Name: "user", Statements: user},                  // fus-main.md:42, 120
			{Name: "admin", Statements: admin},                // fus-main.md:21, 120
			{Name: "squash-member", Statements: squashMember}, // fus-main.md:121
			{Name: "manager", Statements: squashEditor},       // fus-main.md:121
			{Name: "superadmin", Statements: squashEditor},    // fus-main.md:121
		},
		Table: func(id string, tables policy.Tables) []policy.Statement { return policy.NoScans(tables.Table(id)) },
	}
}

// everyone reads sites (fus-main.md:21).
func everyone(tables policy.Tables) []policy.Statement {
	return []policy.Statement{
		{
			Sid: "Sites", Effect: policy.Allow, // fus-main.md:27, 36
			Action:    []string{"dynamodb:GetItem", "dynamodb:Query"},
			Resource:  []string{tables.Table("fus-main")},
			Condition: policy.PartitionsLike(sitePartitions),
		},
		{
			Sid: "SiteList", Effect: policy.Allow, // fus-main.md:28
			Action:    []string{"dynamodb:Query"},
			Resource:  []string{tables.Index("fus-main", "byEntity")},
			Condition: policy.Partitions("SITE"),
		},
		{
			Sid: "SitesByTag", Effect: policy.Allow, // fus-main.md:38
			Action:   []string{"dynamodb:Query"},
			Resource: []string{tables.Index("fus-main", "byTag")},
		},
	}
}

// user rates and comments, and has memberships and a profile (fus-main.md:42, 120). Memberships stand in the user's own
// partition, and IAM does not see sort keys: that a user writes none is left to the application.
func user(tables policy.Tables) []policy.Statement {
	return append(everyone(tables),
		policy.Statement{
			Sid: "OwnReads", Effect: policy.Allow, // fus-main.md:48-49, 56, 77, 86
			Action:    []string{"dynamodb:GetItem", "dynamodb:Query"},
			Resource:  []string{tables.Table("fus-main")},
			Condition: policy.Partitions(ownPartition),
		},
		policy.Statement{
			Sid: "OwnRatingsAndComments", Effect: policy.Allow, // fus-main.md:42, 120; the attributes are those of 46 and 56
			Action:   []string{"dynamodb:PutItem"},
			Resource: []string{tables.Table("fus-main")},
			Condition: policy.Partitions(ownPartition).And(policy.Attributes(
				"PK", "SK", "stars", "note", "updatedAt", "starRating", "siteId", "body", "createdAt")),
		},
		policy.Statement{
			Sid: "OwnCommentsAndProfile", Effect: policy.Allow, // fus-main.md:56, 120; the attributes are those of 56 and 84
			Action:   []string{"dynamodb:UpdateItem"},
			Resource: []string{tables.Table("fus-main")},
			Condition: policy.Partitions(ownPartition).And(policy.Attributes(
				"PK", "SK", "body", "updatedAt", "avatarKey", "description", "lastLoginAt", "lastLoginIp")),
		},
		policy.Statement{
			Sid: "RatingsByStars", Effect: policy.Allow, // fus-main.md:50
			Action:   []string{"dynamodb:Query"},
			Resource: []string{tables.Index("fus-main", "byStars")},
		},
	)
}

// admin creates and updates sites (fus-main.md:21, 120), and looks after groups and their members, of which the document
// does not say whose work it is.
func admin(tables policy.Tables) []policy.Statement {
	return append(user(tables),
		policy.Statement{
			Sid: "EditSites", Effect: policy.Allow, // fus-main.md:21, 32, 120
			Action:    []string{"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem"},
			Resource:  []string{tables.Table("fus-main")},
			Condition: policy.PartitionsLike(sitePartitions),
		},
		policy.Statement{
			Sid: "Groups", Effect: policy.Allow, // fus-main.md:66, 69
			Action:    []string{"dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:ConditionCheckItem"},
			Resource:  []string{tables.Table("fus-main")},
			Condition: policy.PartitionsLike(groupPartitions),
		},
		policy.Statement{
			Sid: "GroupList", Effect: policy.Allow, // fus-main.md:68
			Action:    []string{"dynamodb:Query"},
			Resource:  []string{tables.Index("fus-main", "byEntity")},
			Condition: policy.Partitions("GROUP"),
		},
		policy.Statement{
			Sid: "GroupMembers", Effect: policy.Allow, // fus-main.md:78
			Action:   []string{"dynamodb:Query"},
			Resource: []string{tables.Index("fus-main", "byGroup")},
		},
		policy.Statement{
			Sid: "AddMembers", Effect: policy.Allow, // fus-main.md:75, whose attributes these are
			Action:   []string{"dynamodb:PutItem"},
			Resource: []string{tables.Table("fus-main")},
			Condition: policy.PartitionsLike("USER#*").And(policy.Attributes(
				"PK", "SK", "groupName", "userId", "addedAt", "addedBy")),
		},
		policy.Statement{
			Sid: "RemoveMembers", Effect: policy.Allow, // fus-main.md:75
			Action:    []string{"dynamodb:DeleteItem"},
			Resource:  []string{tables.Table("fus-main")},
			Condition: policy.PartitionsLike("USER#*"),
		},
	)
}

// squashMember sees the squash section (fus-main.md:121).
func squashMember(tables policy.Tables) []policy.Statement {
	return append(user(tables),
		policy.Statement{
			Sid: "PlayersAndMatches", Effect: policy.Allow, // fus-main.md:96, 102, 114
			Action:    []string{"dynamodb:GetItem"},
			Resource:  []string{tables.Table("fus-main")},
			Condition: policy.PartitionsLike(playerPartitions, matchPartitions),
		},
		policy.Statement{
			Sid: "MatchesOfPlayer", Effect: policy.Allow, // fus-main.md:114
			Action:    []string{"dynamodb:Query"},
			Resource:  []string{tables.Table("fus-main")},
			Condition: policy.PartitionsLike(playerPartitions),
		},
		policy.Statement{
			Sid: "PlayerAndMatchLists", Effect: policy.Allow, // fus-main.md:95, 119
			Action:    []string{"dynamodb:Query"},
			Resource:  []string{tables.Index("fus-main", "byEntity")},
			Condition: policy.Partitions("SQUASH_PLAYER", "SQUASH_MATCH"),
		},
		policy.Statement{
			Sid: "MatchesByDate", Effect: policy.Allow, // fus-main.md:105-106
			Action:   []string{"dynamodb:Query"},
			Resource: []string{tables.Index("fus-main", "bySquashDate")},
		},
	)
}

// squashEditor adds, edits and deletes players and matches: managers in the Squash group, and SuperAdmin
// (fus-main.md:121).
func squashEditor(tables policy.Tables) []policy.Statement {
	return slices.Concat(squashMember(tables), []policy.Statement{{
		Sid: "EditPlayersAndMatches", Effect: policy.Allow, // fus-main.md:121
		Action:    []string{"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"},
		Resource:  []string{tables.Table("fus-main")},
		Condition: policy.PartitionsLike(playerPartitions, matchPartitions),
	}})
}
