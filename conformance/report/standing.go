package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
)

// Standing says what became of the words of a line, after the claims that rest on it.
type Standing string

// The standings of a line beside the verdicts fail, error, indeterminate, unsupported and waived, which are those of its worst claim.
const (
	// Held: something that the line states passed, in the line's own form.
	Held Standing = "held"
	// HeldOtherwise: what passed asked for something else than the line says, because of a finding that rests on the line too.
	HeldOtherwise Standing = "held otherwise"
	// Implied: what passed is not stated by the line: it is implied, or chosen where the document is silent.
	Implied Standing = "implied"
	// Contradicted: nothing rests on the line but findings, and one of them is a contradiction.
	Contradicted Standing = "contradicted"
	// FindingOnly: nothing rests on the line but findings.
	FindingOnly Standing = "finding"
	// NotRun: a claim that rests on the line has no verdict.
	NotRun Standing = "not run"
)

// Standings lists all standings, the worst first.
func Standings() []Standing {
	all := lists.Map(undecided, func(verdict evidence.Verdict) Standing { return Standing(verdict) })
	return append(all, NotRun, Contradicted, HeldOtherwise, Standing(evidence.Waived), FindingOnly, Implied, Held)
}

// undecided are the verdicts of which one alone decides how a line stands, the worst first.
var undecided = []evidence.Verdict{evidence.Fail, evidence.Error, evidence.Indeterminate, evidence.Unsupported}

// StandingOf decides how a line stands, of the results of the claims that rest on it; one without a verdict has not run. It is ""
// where no claim does.
func StandingOf(results []evidence.Result) Standing {
	any := func(is func(evidence.Result) bool) bool { return slices.ContainsFunc(results, is) }
	for _, verdict := range undecided {
		if any(func(r evidence.Result) bool { return r.Verdict == verdict }) {
			return Standing(verdict)
		}
	}
	passed := func(r evidence.Result) bool { return r.Verdict == evidence.Pass }
	here := func(id string) bool { return any(func(r evidence.Result) bool { return r.ID == id }) }
	switch {
	case len(results) == 0:
		return ""
	case any(func(r evidence.Result) bool { return r.Verdict == "" }):
		return NotRun
	case any(func(r evidence.Result) bool { return passed(r) && slices.ContainsFunc(r.Departs, here) }):
		return HeldOtherwise
	case any(func(r evidence.Result) bool { return r.Verdict == evidence.Waived }):
		return Standing(evidence.Waived)
	case any(func(r evidence.Result) bool {
		return passed(r) && (r.Basis == accesspatterns.Stated.String() || r.Basis == "")
	}):
		return Held
	case any(passed):
		return Implied
	case any(func(r evidence.Result) bool {
		return r.Finding != nil && r.Finding.Kind == string(accesspatterns.Contradiction)
	}):
		return Contradicted
	}
	return FindingOnly
}

// worstFinding is the highest severity of the findings among some results; "" where there is none.
func worstFinding(results []evidence.Result) string {
	for _, severity := range severities {
		if slices.ContainsFunc(results, func(r evidence.Result) bool {
			return r.Verdict.Found() && r.Finding != nil && r.Finding.Severity == severity
		}) {
			return severity
		}
	}
	return ""
}

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
