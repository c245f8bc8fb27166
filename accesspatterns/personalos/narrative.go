package personalos

import (
	"slices"

	ap "dynaproof/accesspatterns"
)

// narrative lists the lines that promise nothing a check could decide.
func narrative() []ap.NarrativeLines {
	return slices.Concat(
		[]ap.NarrativeLines{
			{First: 1, Last: 1, Reason: "title of the document"},
			{First: 77, Last: 77, Reason: "names the base class, which is a way to write down the attributes that follow it"},
			{First: 591, Last: 592, Reason: "reasons for billing on demand, which is cited at 587 and 589; they say nothing about a table"},
			{First: 596, Last: 596, Reason: "introduces the estimate, whose rows are cited"},
		},
		headings(),
		ap.Narrates("comment that marks the example below it", 106, 156, 201, 349),
		ap.Narrates("opens the call that the example makes; what it asks for follows", 549, 558, 567, 576),
	)
}

func headings() []ap.NarrativeLines {
	return slices.Concat(
		ap.Narrates("heading of the sections on keys; the keys stand on lines of their own", 8, 10),
		ap.Narrates("heading of the sections on entities, each of which has a cited table or example", 70, 72),
		ap.Narrates("heading of an example of an embedded structure; the attribute that embeds it is cited at 231 and 232", 238, 253),
		ap.Narrates("heading of the link entities, each of which has a heading and a table of its own", 267),
		ap.Narrates("heading of a query example; the call below it is cited", 546, 555, 564),
		ap.Narrates("heading of the section on capacity, whose recommendation is cited at 605", 585),
		ap.Narrates("header row of a key table: names the columns, which every cited row fills", 12, 21, 30),
		ap.Narrates("header row of an attribute table: names the columns, which every cited row fills",
			95, 126, 192, 216, 271, 279, 287, 297, 312, 337, 368, 384, 399, 425, 439, 464, 474, 494, 516, 529),
		ap.Narrates("header row of the estimate: names the columns, which every cited row fills", 598),
	)
}
