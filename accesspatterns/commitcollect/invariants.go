package commitcollect

import ap "dynaproof/accesspatterns"

// What the flows must keep under retry, race and failure.
func invariants() []ap.Invariant {
	return []ap.Invariant{
		{
			ID: "one-workout-per-event", Flow: "ingest-workout", Layer: ap.LayerEngine,
			Rule: "an event that is delivered many times at once, or again after a failure, is ingested once",
			Cite: ap.Line(158, "No duplicate ingestion").And(ap.Line(207, "Duplicate webhook delivery"), ap.Line(213, "Retry-safe flows")),
		},
	}
}
