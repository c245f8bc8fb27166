package osemladders

import ap "dynaproof/accesspatterns"

func policies() ap.Policies {
	const shared = "the document binds nobody to users, teams, assessments or reports of their own (finding roles-of-reads)"
	// What a role may change of an item, where it changes no more of it.
	profile := []string{"edit-user"} // lines 34-35: what Microsoft 365 says
	export := append([]string{"record-export"}, profile...)
	roles := ap.Line(36, "['admin', 'manager', 'team_member']")
	const pages = "the page size of a Scan is no condition key: keeping to pages is left to the client"
	const newRoles = "the values of an item are no condition key: that a first sign-in gives no other role than team_member is left to the client"
	return ap.Policies{
		// Three scans are documented and none is forbidden, so a stack has to ask.
		Cite: roles,
		Roles: []ap.Role{
			{
				ID: admin, Cite: roles.And(ap.Line(63, "admin only"), ap.Line(127, "admin only"), ap.Line(511, "admin only")).Chosen(byRoles),
				Unconfined: shared, Limits: []string{pages},
			},
			{ID: manager, Cite: roles.And(ap.Line(83, "User ID (admin or manager)")).Chosen(byRoles), Unconfined: shared, Limits: []string{newRoles}, Withheld: []string{"change-user-roles"}, Narrow: profile},
			{ID: member, Cite: roles.Chosen(byRoles), Unconfined: shared, Limits: []string{newRoles}, Withheld: []string{"change-user-roles"}, Narrow: export},
		},
	}
}
