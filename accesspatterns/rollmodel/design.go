// Package rollmodel is the contract of roll-model.md: one table in which
// athletes keep training entries, coaches comment on them, and an AI chat and a
// keyword index stand beside them.
package rollmodel

import ap "dynaproof/accesspatterns"

// Design returns the contract.
func Design() *ap.Design {
	return &ap.Design{
		Name:  "roll-model",
		Title: "Roll Model DynamoDB Single-Table Design",
		Document: ap.Document{
			File:   "roll-model.md",
			SHA256: "335284b0f322f4f71c3d563305010318be78949775376f3ab4d150bd838d6db1",
		},
		AccessPatterns: ap.Lines(198, 204, "Access patterns", "Athlete lists own entries", "Keyword retrieval"),
		Tables:         tables(),
		Entities:       entities(),
		Examples:       examples(),
		Patterns:       patterns(),
		Guardrails:     guardrails(),
		Invariants:     invariants(),
		Policies:       policies(),
		Findings:       findings(),
		Narrative:      narrative(),
	}
}
