package rollmodel

import ap "dynaproof/accesspatterns"

func policies() ap.Policies {
	return ap.Policies{
		// The text says nothing about scans or policies, so a stack has to ask.
		Cite: ap.Lines(199, 200, "Athlete lists own entries", "Coach lists linked athlete entries"),
		Roles: []ap.Role{
			{
				ID: athlete, Cite: ap.Line(199, "Athlete lists own entries"),
				Confined: &ap.Confinement{
					Tag: "userId", Partitions: []ap.KeyTemplate{"USER#{userId}", "USER_PRIVATE#{userId}"},
					Cite: ap.Lines(21, 22, "USER#{athleteId}").And(ap.Line(28, "USER_PRIVATE#{athleteId}"), ap.Line(199, "own entries")),
				},
				Limits: []string{"partitions of entries and AI threads are named by an id that says nothing about the user (lines 23, 24, 26), so IAM lets an athlete into those of others"},
			},
			{
				ID: user, Cite: ap.Line(203, "USER#{userId}").And(ap.Line(25, "PK = USER#{userId}")).Implied("threads are a user's, and athletes and coaches are users"),
				Confined: &ap.Confinement{
					Tag: "userId", Partitions: []ap.KeyTemplate{"USER#{userId}"},
					Cite: ap.Line(25, "USER#{userId}").And(ap.Line(203, "USER#{userId}")),
				},
				Withheld: []string{"link-coach", "update-entry", "athlete-changes-gap-priority"},
				Limits: []string{
					"partitions of messages are named by an id that says nothing about the user (line 26), so IAM lets a user into those of others",
					"a query of threads cannot be told from one of the entries in the same partition, which are the user's own or nobody's",
				},
			},
			{
				ID: coach, Cite: ap.Line(200, "Coach lists linked athlete entries"),
				Unconfined: "a coach reads the partitions of linked athletes, and the links are items, which IAM does not see",
				Withheld:   []string{"link-coach", "store-ai-thread", "update-entry", "edit-ai-thread"},
				Limits: []string{
					"the GetItem that validates a link cannot be told from one of an entry, whose private text (line 34) it would return: projecting it out is left to the client",
					"a DeleteItem of a comment cannot be told from one of another coach's comment, nor of the entry's meta item",
					"a PutItem of an override cannot be told from one under a link's key with the same attributes, so a coach could write a link",
				},
			},
			{
				ID: system, Cite: ap.Line(203, "AI chat").Implied("the AI side of the service reads and stores what the line speaks of; the document does not name it"),
				Unconfined: "the service acts for every user",
			},
		},
	}
}
