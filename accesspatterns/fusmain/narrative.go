package fusmain

import (
	"slices"

	ap "dynaproof/accesspatterns"
)

// narrative lists the lines that promise nothing a check could decide.
func narrative() []ap.NarrativeLines {
	return slices.Concat(
		ap.Narrates("title of the document", 1),
		ap.Narrates("header row of an item table: names the columns for both keys and for the attributes, which the row below fills", 34, 44, 54, 64, 73, 82, 91, 100, 110),
		ap.Narrates("heading of the summary, whose lines are cited one by one", 116),
	)
}
