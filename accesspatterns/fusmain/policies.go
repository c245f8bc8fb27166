package fusmain

import ap "dynaproof/accesspatterns"

func policies() ap.Policies {
	own := func() *ap.Confinement {
		return &ap.Confinement{
			Tag: "userId", Partitions: []ap.KeyTemplate{"USER#{userId}"},
			Cite: ap.Line(46, `USER#\<id\>`).And(ap.Line(120, "their own ratings and comments"), ap.Line(42, "Logged-in users write their own")),
		}
	}
	// A membership is what the squash section asks for (line 121).
	const forged = "a PutItem of a rating cannot be told from one under a membership's key with the same attributes (lines 46, 75), so a user could write a membership"
	memberships := own() // which an admin writes for all users
	memberships.Except = []string{"add-member", "remove-member"}
	section := ap.Line(121, "users in the Squash custom group", "SuperAdmin", "managers")
	return ap.Policies{
		// Scanning is to be avoided at scale (line 59), which forbids nothing.
		Cite: ap.Line(120, "**Roles:**"),
		Roles: []ap.Role{
			{
				ID: anyone, Cite: ap.Line(21, "everyone can read"),
				Unconfined: "no user is known before the login",
			},
			{ID: user, Cite: ap.Line(120, "any logged-in user"), Confined: own(), Limits: []string{forged}},
			{
				ID: admin, Cite: ap.Line(120, "Admins create/update sites"),
				Confined: memberships, Limits: []string{forged},
			},
			{ID: squash, Cite: section, Confined: own(), Limits: []string{forged}},
			{ID: squashBoss, Cite: section, Confined: own(), Limits: []string{forged}},
			{ID: superAdmin, Cite: section, Confined: own(), Limits: []string{forged}},
		},
	}
}
