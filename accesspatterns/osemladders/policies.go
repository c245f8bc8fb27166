package osemladders

import ap "dynaproof/accesspatterns"

func policies() ap.Policies {
	const shared = "the document binds nobody to users, teams, assessments or reports of their own (finding roles-of-reads)"
	narrow := []string{"record-export"} // line 350: a report is never changed, but for when it was exported
	roles := ap.Line(36, "['admin', 'manager', 'team_member']")
	const pages = "the page size of a Scan is no condition key: keeping to pages is left to the client"
	return ap.Policies{
		// Three scans are documented and none is forbidden, so a stack has to ask.
		Cite: roles,
		Roles: []ap.Role{
			{
				ID: admin, Cite: roles.And(ap.Line(63, "admin only"), ap.Line(127, "admin only"), ap.Line(511, "admin only")),
				Unconfined: shared, Limits: []string{pages}, Narrow: narrow,
			},
			{ID: manager, Cite: roles.And(ap.Line(93, "all teams managed by a user")), Unconfined: shared, Narrow: narrow},
			{ID: member, Cite: roles, Unconfined: shared, Narrow: narrow},
		},
	}
}
