package personalos

import (
	"slices"

	ap "dynaproof/accesspatterns"
)

// entities lists all kinds of items. The document seldom says what an item must
// have; see finding presence-not-documented for what is required here.
func entities() []ap.Entity {
	return slices.Concat(
		profileEntities(), taskEntities(), goalEntities(), metricEntities(),
		habitEntities(), projectEntities(), logbookEntities(), rewardEntities(),
	)
}

// base are the attributes that all entities have by the document's base class.
// Entities whose example lacks one of them spell them out instead.
//
// The base class offers ttl and the index keys to every entity. Here only the
// entities for which the document or a ruling uses them have them: an item that
// expires by mistake is lost, and an index key on any other item would turn up
// in somebody's query (finding ttl-on-every-entity).
func base() []ap.Attribute {
	return []ap.Attribute{
		{Name: "userId", Type: ap.String, Presence: ap.Required, Cite: ap.Line(81, "userId: str").And(ap.Line(74, "All entities"))},
		{Name: "createdAt", Type: ap.String, Presence: ap.Required, Format: ap.ISOTimestamp, Cite: ap.Line(82, "createdAt: str", "ISO 8601 timestamp").And(ap.Line(74, "All entities"))},
		{Name: "updatedAt", Type: ap.String, Presence: ap.Required, Format: ap.ISOTimestamp, Cite: ap.Line(83, "updatedAt: str", "ISO 8601 timestamp").And(ap.Line(74, "All entities"))},
	}
}
