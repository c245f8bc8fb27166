// Package commitcollect is the contract of commit-collect.md: a primary table
// for users, their Strava workouts and their milestones, and one table each for
// sessions, audit records and idempotency keys.
package commitcollect

import ap "dynaproof/accesspatterns"

// Design returns the contract.
func Design() *ap.Design {
	return &ap.Design{
		Name:  "commit-collect",
		Title: "10 --- Data Model: DynamoDB",
		Document: ap.Document{
			File:   "commit-collect.md",
			SHA256: "585ce0f0df0e31c0d8c0b75e0b4779e7062aaf11c250e5643cc6dbbcd5a438a1",
		},
		AccessPatterns: ap.Lines(163, 177, "Query by PK", "begins_with(SK, prefix)", "Forbidden:"),
		Tables:         tables(),
		Entities:       entities(),
		Examples:       examples(),
		Patterns:       patterns(),
		Guardrails:     guardrails(),
		Invariants:     invariants(),
		Policies:       policies(),
		Findings:       findings(),
		// No waiver: the document forbids scans without an exception.
		Answers: []ap.Answer{
			{Objection: "own-name/table/CommitCollectAudit/ttl", Because: "The text gives the period and no attribute: the name is the project's (finding audit-ttl-unnamed)."},
			{Objection: "own-name/attribute/audit-record/expiresAt", Because: "The text gives the period and no attribute: the name is the project's (finding audit-ttl-unnamed)."},
		},
		Narrative: narrative(),
	}
}
