package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"dynaproof/conformance/evidence"
)

// summarize writes a short summary for a pull request: what failed first, from
// cause to consequence, then figures by design, waivers, and what the verdicts
// rest on.
func summarize(w io.Writer, run *evidence.Run) error { return writeText(w, "summary.md.tmpl", run) }

// verdictFigures says how many claims have each verdict.
func verdictFigures(run *evidence.Run) string {
	counts := evidence.Count(run.Results())
	var figures []string
	for _, verdict := range evidence.Verdicts() {
		if counts[verdict] > 0 || verdict == evidence.Pass || verdict == evidence.Fail {
			figures = append(figures, fmt.Sprintf("%d %s", counts[verdict], verdict))
		}
	}
	return joined(figures)
}

// outcomeOf is the headline: what became of the run, and what is wrong with the documents.
func outcomeOf(run *evidence.Run) string {
	outcome := couldNotTell
	switch code := run.ExitCode(); {
	case code == evidence.Conforms:
		outcome = "conforms"
	case code == evidence.DoesNotConform:
		outcome = strings.TrimPrefix(failed(run), "the deployment ")
	case run.Interrupted:
		outcome = "interrupted, " + couldNotTell
	}
	return outcome + andFindings(run)
}

// andFindings continues a sentence with the findings that stand, "; the documents have 9 findings, 2 high"; "" where none does, as in a run
// that did not look.
func andFindings(run *evidence.Run) string {
	found, high := evidence.Findings(run.Results())
	if found == 0 {
		return ""
	}
	documents := 0
	for i := range run.Designs {
		if some, _ := evidence.Findings(run.Designs[i].Results); some > 0 {
			documents++
		}
	}
	return fmt.Sprintf("; the %s %s, %d high", either(documents, "document has", "documents have"), Plural(found, "finding"), high)
}

// either chooses the word for one or for several.
func either(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// Plural writes a number and what is counted: "1 claim", "3 claims".
func Plural(n int, what string) string {
	return strconv.Itoa(n) + " " + what + either(n, "", "s")
}

// notPassed lists what did not pass, causes first.
func notPassed(run *evidence.Run) []evidence.Result {
	open := slices.DeleteFunc(run.Results(), func(r evidence.Result) bool { return r.Verdict.Held() })
	slices.SortStableFunc(open, func(a, b evidence.Result) int { return depth(a) - depth(b) })
	return open
}

// rowOf is a row of the table of verdicts and grades.
type rowOf struct {
	Name    string
	Results []evidence.Result
	Counts  []int
}

func countedRow(name string, results []evidence.Result) rowOf {
	row, counts := rowOf{name, results, nil}, evidence.Count(results)
	for _, verdict := range evidence.Verdicts() {
		row.Counts = append(row.Counts, counts[verdict])
	}
	for _, grade := range evidence.Grades() {
		row.Counts = append(row.Counts, passedBy(results, grade))
	}
	return row
}

// lackAWS says how many of the claims that passed rest on no answer of AWS.
func lackAWS(run *evidence.Run) string {
	passed := evidence.Count(run.Results())[evidence.Pass]
	return fmt.Sprintf("%d of %d passed claims lack evidence from AWS", passed-passedBy(run.Results(), evidence.AWS), passed)
}

func passedBy(results []evidence.Result, grade evidence.Grade) int {
	return howMany(results, func(r evidence.Result) bool { return r.Verdict == evidence.Pass && r.Grade == grade })
}
