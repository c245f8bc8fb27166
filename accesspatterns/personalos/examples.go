package personalos

import ap "dynaproof/accesspatterns"

func examples() []ap.Example {
	return []ap.Example{
		{ID: "example-user-profile", Entity: "user-profile", Cite: ap.Lines(107, 119, "USER#abc-123", "PROFILE", "user@example.com")},
		{ID: "example-task", Entity: "task", Cite: ap.Lines(157, 185, "TASK#task-xyz-789", "Review Q1 financials", "InProgress#2026-01-10T10:00:00Z")},
		{ID: "example-task-dependency", Entity: "task-dependency", Cite: ap.Lines(202, 209, "TASK#task-A", "DEP#task-B")},
		{ID: "example-metric-log", Entity: "metric-log", Cite: ap.Lines(350, 361, "METRIC#metric-steps", "LOG#2026-01-10T18:00:00Z", "10500")},
		// Two structures that stand inside a goal; the goals around them are the
		// project's own.
		{ID: "example-success-criterion", Entity: "goal", Attribute: "successCriteria[0]", Cite: ap.Lines(241, 250, "criteria-1", "Reach 180 lbs", "metric-weight")},
		{ID: "example-progress-config", Entity: "goal", Attribute: "progressConfig", Cite: ap.Lines(256, 262, "criteriaWeight", "40", "manualOverride", "None")},
	}
}
