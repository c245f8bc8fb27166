package commitcollect

import ap "dynaproof/accesspatterns"

const noRole = "the document names no role (finding roles-missing)"

func policies() ap.Policies {
	noScans := ap.Line(18, "No scans are permitted in production request paths").And(ap.Line(175, "Full table scans"))
	return ap.Policies{
		Enforced: true, Cite: noScans, NoScan: &noScans,
		Roles: []ap.Role{
			{
				ID: forUser[0], Cite: ap.Line(105, "BFF session resolution").Implied(noRole),
				Confined: &ap.Confinement{
					Tag: "userId", Partitions: []ap.KeyTemplate{"USER#{userId}"},
					Cite: ap.Line(42, "USER#{userId}").And(ap.Line(56, "Deterministic ownership boundaries")),
				},
				Limits: []string{"sessions are named by an id that says nothing about the user (line 94), and so are the owner items of athletes (line 67), so IAM lets a user into those of others"},
			},
			{
				ID: forSystem[0], Cite: ap.Line(86, "ingestion").Implied(noRole),
				Unconfined: "ingestion, minting, auditing and account deletion act for every user",
			},
			{
				ID: forOperator[0], Cite: ap.Lines(137, 139, "Deterministic audit trail", "Compliance grouping").Implied(noRole),
				Unconfined: "an operator reads the audit records of every user",
			},
		},
	}
}
