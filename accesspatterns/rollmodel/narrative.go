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
			{First: 98, Last: 103, Reason: "rules for whoever changes the shape of an entry one day: there is one version, so no change to judge; reading version 0 and refusing versions above 1 are cited at 91 to 95"},
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
