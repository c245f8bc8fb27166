package personalos

import ap "dynaproof/accesspatterns"

func policies() ap.Policies {
	owner := ap.Line(43, "Get user profile", "USER#{userId}")
	return ap.Policies{
		// The text says nothing about scans or policies, so a stack has to ask.
		Cite: owner,
		Roles: []ap.Role{{
			ID: user[0], Cite: owner.Implied("the document knows users by their id alone"),
			Confined: &ap.Confinement{
				Tag: "userId", Partitions: []ap.KeyTemplate{"USER#{userId}"},
				Cite: owner.And(ap.Line(44, "List user's tasks", "USER#{userId}")),
			},
			Limits: []string{
				"partitions of metrics, habits, goals, tasks and projects are named by an id that says nothing about the user (lines 54 to 63), so IAM lets a user into those of others",
				"the partitions of both indexes hold the items of all users (lines 64 to 66), so IAM lets a user see those of others",
			},
		}},
	}
}
