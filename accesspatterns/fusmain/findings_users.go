package fusmain

import ap "dynaproof/accesspatterns"

func userFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "user-id-or-cognito-sub", Kind: ap.Contradiction, Severity: ap.Medium,
			Title:    "The partition of a user is named by an id, a userId, a sub and a cognitoSub",
			Cite:     ap.Line(46, `USER#\<id\>`).And(ap.Line(48, `USER#\<userId\>`), ap.Line(75, `USER#\<cognitoSub\>`), ap.Line(77, `USER#\<sub\>`), ap.Line(87, "{userId}")),
			Literal:  "If the id of ratings is not the sub, a user has two partitions, and ratings cannot be joined with memberships.",
			Resolved: "They are one: the bare Cognito sub, called userId.",
			Static:   "Keys are text: the engine cannot tell what an id stands for. All places are cited.",
		},
		{
			ID: "squash-group-name", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "Access hangs on a group whose key is not written out",
			Cite:     ap.Line(121, "Squash custom group").And(ap.Line(66, `GROUP#\<name\>`)),
			Literal:  "A check for the membership squash finds nothing when the group is called Squash.",
			Resolved: "The name is Squash, letter by letter as in the sentence.",
			Claims:   []string{"pattern/check-membership"},
		},
		{
			ID: "group-rename", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "The name of a group is its key, and every membership repeats it",
			Cite:     ap.Line(66, `GROUP#\<name\>`, "name, description").And(ap.Line(75, `MEMBERSHIP#\<groupName\>`, "groupName")),
			Literal:  "After an update of the attribute name, the group is found under its old name only.",
			Resolved: "The attribute name must equal the key's; a group is not renamed in place.",
			Claims:   []string{"entity/group"},
		},
		{
			ID: "members-without-names", Kind: ap.Gap, Severity: ap.Low,
			Title:    "Members of a group come as subs, and a profile holds no name either",
			Cite:     ap.Line(78, "**Group members:**").And(ap.Line(75, "groupName, userId (cognito sub), addedAt, addedBy"), ap.Line(84, "avatarKey (S3 key), description")),
			Literal:  "The list of members shows ids alone; names are in Cognito, which the document leaves to the reader.",
			Resolved: "Taken as documented.",
			Lacks:    []string{"membership.name", "profile.name"},
			Static:   "The text is absent.",
		},
		{
			ID: "profile-holds-personal-data", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "A profile holds the address of the last login, and Get profile has no reader",
			Cite:     ap.Line(84, "lastLoginIp").And(ap.Line(86, "**Get profile:**")),
			Literal:  "Who may see an avatar sees when and from where its owner logged in.",
			Resolved: "The read stays as documented; a projection expression keeps login data from others.",
		},
		{
			ID: "whole-profile-write-loses-login", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "Login data and the user's own data share one item",
			Cite:     ap.Line(84, "avatarKey (S3 key), description, updatedAt, lastLoginAt, lastLoginIp"),
			Literal:  "A put of avatar and description removes the last login, and the other way about.",
			Resolved: "Each writer updates its own attributes.",
			Claims:   []string{"pattern/record-login", "pattern/change-profile"},
		},
	}
}
