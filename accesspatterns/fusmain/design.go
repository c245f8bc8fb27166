// Package fusmain is the contract of fus-main.md: one table for a catalog of
// rated sites, custom groups, user profiles and squash matches.
package fusmain

import ap "dynaproof/accesspatterns"

// Design returns the contract.
func Design() *ap.Design {
	return &ap.Design{
		Name:  "fus-main",
		Title: "DynamoDB single-table design",
		Document: ap.Document{
			File:   "fus-main.md",
			SHA256: "1338857886dbdb16f595f2a00b29b95edfe3f5bc7ef7a19be4ae0b3e3c8ceb98",
		},
		AccessPatterns: ap.Lines(17, 114, "## Item types and access patterns"),
		Tables:         tables(),
		Entities:       entities(),
		Examples:       examples(),
		Patterns:       patterns(),
		Guardrails:     guardrails(),
		Invariants:     invariants(),
		Policies:       policies(),
		Findings:       findings(),
		// No Scan is documented as a pattern, so no waiver is needed.
		Waivers: nil,
		Answers: []ap.Answer{
			{Objection: "unclaimed/line/23", Because: "The line says who writes and reads sites; the patterns' roles rest on lines 120 and 121."},
			{Objection: "unclaimed/line/58", Because: "The pattern is put off by line 60, so that no pattern rests on it (finding comments-for-site-deferred)."},
		},
		Narrative: narrative(),
	}
}
