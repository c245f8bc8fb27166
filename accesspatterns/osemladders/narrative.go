package osemladders

import (
	"slices"

	ap "dynaproof/accesspatterns"
)

// narrative lists the lines that promise nothing a check could decide.
func narrative() []ap.NarrativeLines {
	return slices.Concat(
		[]ap.NarrativeLines{
			{First: 1, Last: 1, Reason: "title of the document"},
			{First: 3, Last: 4, Reason: "provenance: the feature and the date for which the text was written"},
			{First: 6, Last: 6, Reason: "state of the document, not of a table"},
			{First: 546, Last: 548, Reason: "estimates how many users and teams there will be; sets no limit that a write could exceed"},
			{First: 552, Last: 552, Reason: "estimates how many configurations there will be; sets no limit"},
			{First: 554, Last: 554, Reason: "estimates storage and its price tier; sets no limit"},
			{First: 560, Last: 560, Reason: "says in which order tables may be created; that they exist is claimed for each, whatever the order"},
			{First: 561, Last: 561, Reason: "says which request creates the indexes, for speed; that they exist is claimed for each, whichever request made them"},
			{First: 571, Last: 571, Reason: "refers to further reading"},
		},
		headings(),
		schemas(),
	)
}

// Headings and header rows, which recur for each of the six tables.
func headings() []ap.NarrativeLines {
	return slices.Concat(
		ap.Narrates("heading of the section that states principles, cited one by one", 8),
		ap.Narrates("heading of a table's primary key, which stands on the next line", 26, 71, 135, 216, 334, 432),
		ap.Narrates("heading of a table's attributes, each of which stands on a row of its own", 29, 74, 138, 219, 337, 435),
		ap.Narrates("header row of an attribute table: names the columns, which every cited row fills", 31, 76, 140, 221, 339, 437),
		ap.Narrates("heading of the examples of nested structures, which say by themselves what they are", 238, 352, 447),
		ap.Narrates("heading of a table's indexes, each of which is cited by its name", 88, 155, 271, 372, 469),
		ap.Narrates("heading of a table's schema in the form of a request", 42, 95, 167, 284, 384, 477),
		ap.Narrates("heading of a section whose lines are cited or listed one by one", 515, 529, 538, 558, 567),
		ap.Narrates("header row of the summary: names the columns, which every cited row fills", 520),
	)
}

// Member names of the CreateTable request that open a list; what they hold is
// cited on the lines that follow.
func schemas() []ap.NarrativeLines {
	return slices.Concat(
		ap.Narrates("opens the table's key schema, whose elements follow", 47, 100, 172, 289, 389, 482),
		ap.Narrates("opens the list of attribute definitions, which follow", 50, 103, 175, 292, 392, 485),
		ap.Narrates("opens the list of indexes, which follow", 107, 180, 297, 397, 490),
		ap.Narrates("opens an index's key schema, whose elements follow", 110, 183, 190, 300, 308, 400, 407, 493),
		ap.Narrates("opens the list of tags, which follow", 54, 117, 197, 315, 414, 501),
	)
}
