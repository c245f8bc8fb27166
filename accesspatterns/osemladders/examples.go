package osemladders

import ap "dynaproof/accesspatterns"

// The document writes out no whole item, but four structures that are embedded
// in items. Each fixture item holds one of them to the letter.
func examples() []ap.Example {
	return []ap.Example{
		{
			ID: "assessment-1-selections-example", Entity: "assessment", Attribute: "selections",
			Cite: ap.Lines(242, 250, "Technical Execution", `"Coding": 3`, `"System Design": 4`, "Impact", `"Project Leadership": 3`),
		},
		{
			ID: "assessment-10-feedback-example", Entity: "assessment", Attribute: "feedback",
			Cite: ap.Lines(253, 268, "Technical Execution", `"3"`, `"4"`,
				"Led migration to microservices architecture...", "Demonstrate system design for distributed systems...",
				"Designed scalable data pipeline...", "Lead architectural discussions across teams..."),
		},
		{
			ID: "report-1-variance-example", Entity: "report", Attribute: "variance",
			Cite: ap.Lines(356, 369, `"selfScore": 3`, `"managerScore": 4`, `"difference": 1`, `"selfScore": 4`, `"difference": 0`),
		},
		{
			ID: "config-1-parsed-example", Entity: "config", Attribute: "parsedConfig",
			Cite: ap.Lines(451, 466, "categories", "Technical Execution", "competencies", "Coding", `"level": 1`, `"level": 2`, `"..."`),
		},
	}
}
