package accesspatterns

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

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

// Narrates lists single lines that share one reason.
func Narrates(reason string, lines ...int) []NarrativeLines {
	var all []NarrativeLines
	for _, line := range lines {
		all = append(all, NarrativeLines{First: line, Last: line, Reason: reason})
	}
	return all
}

// String writes the lines as "24" or "24-26".
func (n NarrativeLines) String() string { return Lines(n.First, n.Last).String() }

// CheckNarrative reports every entry of the narrative list that is malformed by
// itself: no reason, a range backwards, lines that another entry lists too. It
// does not need the document.
func (d *Design) CheckNarrative() error {
	var problems []error
	report := func(lines NarrativeLines, format string, args ...any) {
		problems = append(problems, fmt.Errorf("%s:%s: narrative: "+format, append([]any{d.Document.File, lines}, args...)...))
	}
	listed := map[int]NarrativeLines{}
	for _, lines := range d.Narrative {
		if strings.TrimSpace(lines.Reason) == "" {
			report(lines, "expected a reason, found none")
		}
		if lines.First < 1 || lines.Last < lines.First {
			report(lines, "expected a first line of at least 1 and a last line not before it")
			continue
		}
		for number := lines.First; number <= lines.Last; number++ {
			if other, twice := listed[number]; twice {
				report(lines, "line %d is listed already, with %s; one line has one reason", number, other)
				break
			}
			listed[number] = lines
		}
	}
	return errors.Join(problems...)
}

// narrativeAt returns the entry of the narrative list that holds the line.
func (d *Design) narrativeAt(number int) (NarrativeLines, bool) {
	at := slices.IndexFunc(d.Narrative, func(lines NarrativeLines) bool {
		return lines.First <= number && number <= lines.Last
	})
	if at < 0 {
		return NarrativeLines{}, false
	}
	return d.Narrative[at], true
}
