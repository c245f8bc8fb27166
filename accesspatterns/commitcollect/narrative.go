package commitcollect

import (
	"slices"

	ap "dynaproof/accesspatterns"
)

// narrative lists the lines that promise nothing a check could decide.
func narrative() []ap.NarrativeLines {
	return slices.Concat(
		[]ap.NarrativeLines{
			{First: 1, Last: 1, Reason: "title of the document"},
			{First: 3, Last: 4, Reason: "provenance: version and date of the text, not of a table"},
			{First: 11, Last: 12, Reason: "purpose of the document: it lists the topics of the sections below"},
			{First: 107, Last: 107, Reason: "tells how the web front end carries the session's id; cookies are none of the database"},
			{First: 227, Last: 231, Reason: "history of the document"},
		},
		headings(),
	)
}

func headings() []ap.NarrativeLines {
	return slices.Concat(
		ap.Narrates("heading of a section that gives the purpose of the document", 9),
		ap.Narrates("heading of the sections on keys; the keys stand on lines of their own", 36, 40, 60, 62, 118),
		ap.Narrates("introduces the primary key, whose two attributes stand on lines 29 and 30", 28),
		ap.Narrates("introduces a list whose items are cited one by one", 52, 70, 103, 135, 151, 156, 202, 209),
		ap.Narrates("heading of a list whose items are cited one by one", 181, 190, 200, 217),
	)
}
