// Package osemladders is the contract of osem-ladders.md: six tables and eight
// indexes of an assessment platform with users, teams, plans, assessments,
// reports and versioned career ladders.
package osemladders

import ap "dynaproof/accesspatterns"

// Design returns the contract.
func Design() *ap.Design {
	return &ap.Design{
		Name:  "osem-ladders",
		Title: "Data Model: DynamoDB Tables for OSEM Ladders",
		Document: ap.Document{
			File:   "osem-ladders.md",
			SHA256: "d6da9fbb6b4ba79cadcfae3889c8406759bb0d9dd9ac9c4498089d7f29e17372",
		},
		AccessPatterns: ap.Lines(61, 63, "Access Patterns", "GetItem(userId)", "Scan").And(
			ap.Lines(124, 127, "Access Patterns", "Query(managerId-index"),
			ap.Lines(204, 208, "Access Patterns", "Query(teamId-index", "Query(status-index"),
			ap.Lines(322, 326, "Access Patterns", "Query(planId-teamMemberId-index", "Query(teamMemberId-index"),
			ap.Lines(421, 424, "Access Patterns", "Query(planId-index", "Query(teamMemberId-index"),
			ap.Lines(508, 511, "Access Patterns", "Query(isActive-index", "Scan"),
		),
		Tables:     tables(),
		Entities:   entities(),
		Examples:   examples(),
		Patterns:   patterns(),
		Guardrails: guardrails(),
		Invariants: invariants(),
		Policies:   policies(),
		Findings:   findings(),
		Waivers:    waivers(),
		Narrative:  narrative(),
	}
}

func waivers() []ap.Waiver {
	return []ap.Waiver{
		{
			ID:     "scan-users",
			Reason: "the document lists all users by Scan and has no index that could: admins only, in pages of 25",
			Cite:   ap.Line(63, "Scan", "admin only", "paginated"),
		},
		{
			ID:     "scan-teams",
			Reason: "the document lists all teams by Scan and has no index that could: admins only, in pages of 25, with the documented filter on isActive",
			Cite:   ap.Line(127, "Scan", "admin only", "paginated", "isActive=true"),
		},
	}
}
