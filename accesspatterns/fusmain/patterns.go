package fusmain

import (
	"slices"

	ap "dynaproof/accesspatterns"
)

func patterns() []ap.Pattern {
	return slices.Concat(
		siteReads(), siteWrites(),
		userReads(), userWrites(),
		squashReads(), squashWrites(),
	)
}

// The roles that lines 21, 42, 120 and 121 name. The document says nothing about
// who reads or changes groups, memberships and profiles (finding
// roles-undefined): changing groups is taken to be an admin's work, and a user
// to see its own.
const (
	anyone     = "everyone"
	user       = "user" // logged in
	admin      = "admin"
	squash     = "squash-member" // in the custom group of that name
	squashBoss = "manager"       // when in that group
	superAdmin = "superadmin"
)

// The parts that items of a case play in writes.
const (
	putSite     = "site"
	putTag      = "tag"
	putRating   = "rating"
	putComment  = "comment"
	putGroup    = "group"
	putMember   = "membership"
	putPlayer   = "player"
	putMatch    = "match"
	putPlayedA1 = "participation-a1"
	putPlayedA2 = "participation-a2"
	putPlayedB1 = "participation-b1"
	putPlayedB2 = "participation-b2"
)

func all() []string           { return []string{anyone, user, admin, squash, squashBoss, superAdmin} }
func loggedIn() []string      { return []string{user, admin, squash, squashBoss, superAdmin} }
func admins() []string        { return []string{admin} }
func squashSection() []string { return []string{squash, squashBoss, superAdmin} }
func squashEditors() []string { return []string{squashBoss, superAdmin} }

// key is the whole primary key of an item.
func key(pk, sk ap.KeyTemplate) []ap.Equality {
	return []ap.Equality{*ap.Equals("PK", pk), *ap.Equals("SK", sk)}
}

// set assigns a parameter to the attribute of its own name.
func set(attribute string) ap.Assignment {
	return ap.Assignment{Attribute: attribute, Value: ap.Text(ap.KeyTemplate("{" + attribute + "}"))}
}
