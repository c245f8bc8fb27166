// Package personalos is the contract of personal-os.md: a planner of tasks,
// goals, metrics, habits and rewards, with all of its items in one table.
package personalos

import ap "dynaproof/accesspatterns"

// Design returns the contract.
func Design() *ap.Design {
	return &ap.Design{
		Name:  "personal-os",
		Title: "DynamoDB Data Models",
		Document: ap.Document{
			File:   "personal-os.md",
			SHA256: "d5feb929439e9d133b12ef4e38682f13d2806f37bf951316c1b2947cd178cbb2",
		},
		AccessPatterns: ap.Lines(39, 66, "Access Patterns", "Pattern", "Index").And(ap.Lines(544, 581, "Query Examples")),
		Tables:         tables(),
		Entities:       entities(),
		Examples:       examples(),
		Patterns:       patterns(),
		Guardrails:     guardrails(),
		Policies:       policies(),
		Invariants:     invariants(),
		Findings:       findings(),
		Answers: []ap.Answer{
			{Objection: "unclaimed/line/552", Because: "The line takes the answer of a request apart and is no request itself (finding first-page-only)."},
			{Objection: "unclaimed/line/570", Because: "The line takes the answer of a request apart and is no request itself (finding first-page-only)."},
			{Objection: "unclaimed/line/580", Because: "The line takes the answer of a request apart and is no request itself (finding first-page-only)."},
		},
		Narrative: narrative(),
	}
}
