package accesspatterns

// NarrativeLines are lines of a document that promise nothing a check could
// decide, with the reason. Whoever lists lines here has read them and says why
// no claim cites them.
//
// The list pins nothing of the text: [Document.SHA256] and the digests of the
// lines do.
type NarrativeLines struct {
	// First and Last are line numbers, counted from 1, both included. Neither
	// is a blank line; blank lines between them need no reason.
	First, Last int
	// Reason says what the lines are and, where they restate a promise, which
	// lines make it.
	Reason string
}

// String writes the lines as "24" or "24-26".
func (n NarrativeLines) String() string { return Citation{First: n.First, Last: n.Last}.String() }
