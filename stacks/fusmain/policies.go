package fusmain

import (
	"slices"

	"dynaproof/stacks/policy"
)

// The partitions of fus-main.md:25, 66, 93 and 102, those of all users, and the one of the user in front of the application
// (46, 56, 75, 84).
const (
	sitePartitions   = "SITE#*"
	groupPartitions  = "GROUP#*"
	playerPartitions = "SQUASH#PLAYER#*"
	matchPartitions  = "SQUASH#MATCH#*"
	userPartitions   = "USER#*"
	ownPartition     = "USER#" + policy.UserTag
)

// Guardrails give each role of fus-main.md:21, 42, 120 and 121 its policy. Roles other than everyone are logged in. Who looks after
// groups and their members the document does not say: admins and SuperAdmins do.
func Guardrails() policy.Guardrails {
	everyone := reach{ // fus-main.md:21
		get: []string{sitePartitions}, query: []string{sitePartitions}, // fus-main.md:27, 36
		lists: []string{"SITE"}, indexes: []string{"byTag"}, // fus-main.md:28, 38
	}
	loggedIn := everyone.and(reach{indexes: []string{"byStars"}, own: true}) // fus-main.md:50, 120
	admin := everyone.and(reach{                                             // fus-main.md:21, 120; what is the own, an admin reads and writes as a user
		get: []string{groupPartitions}, lists: []string{"GROUP"}, indexes: []string{"byGroup"}, // fus-main.md:68-69, 78
		write: []string{sitePartitions, groupPartitions}, check: []string{sitePartitions, groupPartitions}, // fus-main.md:32, 66
		members: true,
	})
	squash := reach{ // fus-main.md:121
		get: []string{playerPartitions, matchPartitions}, query: []string{playerPartitions}, // fus-main.md:96, 102, 114
		lists: []string{"SQUASH_PLAYER", "SQUASH_MATCH"}, indexes: []string{"bySquashDate"}, // fus-main.md:95, 105, 119
	}
	edits := reach{write: []string{playerPartitions, matchPartitions}} // fus-main.md:121
	return policy.Guardrails{
		Roles: []policy.Role{
			{Name: "everyone", Statements: everyone.statements},
			{Name: "user", Statements: loggedIn.statements},
			{Name: "admin", Statements: admin.statements},
			{Name: "squash-member", Statements: loggedIn.and(squash).statements},
			{Name: "manager", Statements: loggedIn.and(squash).and(edits).and(reach{checkOwn: true}).statements},
			{Name: "superadmin", Statements: admin.and(squash).and(edits).statements},
		},
	}
}

// reach is what a role may do. A statement takes a role's partitions together, so that the policy of a role of many parts stays
// below the size that AWS accepts.
type reach struct {
	// get, query, write and check are forms of partition keys.
	get, query, write, check []string
	// lists are partitions of byEntity, indexes the other indexes.
	lists, indexes []string
	// own lets a user read and write what is its own, and see what others show of themselves.
	own bool
	// checkOwn lets a transaction depend on the user's membership.
	checkOwn bool
	// members lets the role look after the members of groups.
	members bool
}

func (r reach) and(more reach) reach {
	return reach{
		get: slices.Concat(r.get, more.get), query: slices.Concat(r.query, more.query), write: slices.Concat(r.write, more.write),
		check: slices.Concat(r.check, more.check), lists: slices.Concat(r.lists, more.lists), indexes: slices.Concat(r.indexes, more.indexes),
		own: r.own || more.own, checkOwn: r.checkOwn || more.checkOwn, members: r.members || more.members,
	}
}

func (r reach) statements(tables policy.Tables) []policy.Statement {
	table := tables.Table("fus-main")
	var others []string
	for _, name := range r.indexes {
		others = append(others, tables.Index("fus-main", name))
	}
	all := []policy.Statement{
		policy.Permit("Items", "GetItem", policy.PartitionsLike(r.get...), table),
		policy.Permit("Partitions", "Query", policy.PartitionsLike(r.query...), table),
		policy.Permit("Lists", "Query", policy.Partitions(r.lists...), tables.Index("fus-main", "byEntity")),
		policy.Permit("Lookups", "Query", nil, others...),
	}
	if len(r.write) > 0 {
		all = append(all, policy.Permit("Writes", "PutItem UpdateItem DeleteItem", policy.PartitionsLike(r.write...), table))
	}
	if len(r.check) > 0 {
		all = append(all, policy.Permit("Checks", "ConditionCheckItem", policy.PartitionsLike(r.check...), table))
	}
	if r.own {
		all = append(all, own(table)...)
	}
	if r.checkOwn {
		all = append(all, policy.Permit("OwnMembership", "ConditionCheckItem", policy.Partitions(ownPartition), table)) // fus-main.md:75, 121
	}
	if r.members {
		all = append(all,
			// fus-main.md:77; IAM sees no sort keys, so that all of a user's partition can be queried and deleted from.
			policy.Permit("Members", "Query DeleteItem", policy.PartitionsLike(userPartitions), table),
			// fus-main.md:75, whose attributes these are
			policy.Permit("AddMembers", "PutItem", policy.PartitionsLike(userPartitions).And(policy.Written("PK", "SK", "groupName", "userId", "addedAt", "addedBy")), table))
	}
	return all
}

// own is what a logged-in user may do: rate and comment, and have memberships and a profile (fus-main.md:42, 120). Memberships stand
// in the user's own partition, and IAM does not see sort keys; but no user may write groupName and userId, without which an item
// there is no membership.
func own(table string) []policy.Statement {
	partition := policy.Partitions(ownPartition)
	return []policy.Statement{
		policy.Permit("Own", "GetItem Query DeleteItem", partition, table), // fus-main.md:48-49, 56, 77, 86
		// The attributes are those of fus-main.md:46, 56 and 84.
		policy.Permit("OwnItems", "PutItem UpdateItem", partition.And(policy.Written("PK", "SK", "stars", "note", "updatedAt", "starRating", "siteId",
			"body", "createdAt", "avatarKey", "description", "lastLoginAt", "lastLoginIp")), table),
		// The attributes are those of fus-main.md:84 that tell nothing of a login.
		policy.Permit("ProfilesOfOthers", "GetItem", policy.PartitionsLike(userPartitions).And(policy.Projected()).And(policy.Attributes("PK", "SK",
			"avatarKey", "description")), table),
	}
}
