package report

import (
	"fmt"
	"strconv"
	"strings"
)

// lines is a range of lines of a document, both ends included, counted from 1.
type lines struct{ first, last int }

// cited takes a citation apart: "roll-model.md:24-26, 61" is a file and two
// ranges. A text that is no citation has no ranges.
func cited(cite string) (file string, ranges []lines) {
	file, places, found := strings.Cut(cite, ":")
	if !found {
		return cite, nil
	}
	for place := range strings.SplitSeq(places, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(place), "-")
		if !isRange {
			to = from
		}
		first, err := strconv.Atoi(from)
		if err != nil || first < 1 {
			continue
		}
		if last, err := strconv.Atoi(to); err == nil && last >= first {
			ranges = append(ranges, lines{first, last})
		}
	}
	return file, ranges
}

// String writes a range as "24" or "24-26".
func (l lines) String() string {
	if l.first == l.last {
		return strconv.Itoa(l.first)
	}
	return fmt.Sprintf("%d-%d", l.first, l.last)
}
