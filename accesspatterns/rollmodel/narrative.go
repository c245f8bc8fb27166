package rollmodel

import (
	"slices"

	ap "dynaproof/accesspatterns"
)

// narrative lists the lines that promise nothing a check could decide.
func narrative() []ap.NarrativeLines {
	return slices.Concat(
		headings(),
		[]ap.NarrativeLines{
			{First: 92, Last: 92, Reason: "introduces the two values that lines 93 and 94 fill in"},
			{First: 100, Last: 100, Reason: "asks whoever adds an attribute to give readers a default for it; none was added yet, and what line 94 backfills for version 0 is cited there"},
			{First: 101, Last: 103, Reason: "asks the author of version 2 for a migration, which does not exist yet; that version 1 refuses version 2 is cited at 95"},
			{First: 105, Last: 105, Reason: "asks the next version's author to write it down, in a document that does not exist yet"},
		},
	)
}

func headings() []ap.NarrativeLines {
	return slices.Concat(
		ap.Narrates("title of the document", 1),
		ap.Narrates("heading of the list of entities, each of which stands on a line of its own", 9),
		ap.Narrates("heading of the key templates, each of which names its entity", 20),
		ap.Narrates("heading of an attribute list; the entity is cited where the list of entities and the key templates name it", 44, 47, 50, 56),
		ap.Narrates("heading of an example item, which says by itself what it is", 62, 119, 131, 146, 159, 174),
		ap.Narrates("heading of a pointer to another document; what it points at is cited at 207", 206),
	)
}
