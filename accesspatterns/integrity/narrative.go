package integrity

import (
	"errors"
	"fmt"
	"strings"

	"dynaproof/accesspatterns"
)

// CheckNarrative reports every entry of the narrative list that is malformed by
// itself: no reason, a range backwards, lines that another entry lists too. It
// does not need the document.
func CheckNarrative(d *accesspatterns.Design) error {
	var problems []error
	report := func(lines accesspatterns.NarrativeLines, format string, args ...any) {
		problems = append(problems, fmt.Errorf("%s:%s: narrative: "+format, append([]any{d.Document.File, lines}, args...)...))
	}
	listed := map[int]accesspatterns.NarrativeLines{}
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
