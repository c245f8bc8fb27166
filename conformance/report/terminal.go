package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/charmbracelet/lipgloss"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/columns"
	"dynaproof/conformance/internal/redact"
)

// problemsOfAClaim is how many problems of one claim are written out, unless
// everything is.
const problemsOfAClaim = 3

// causesWritten is how many root causes of a design are written out, unless
// everything is.
const causesWritten = 10

// terminalView is all that the summary shows.
type terminalView struct {
	*evidence.Run
	// Shared are the reasons that several claims share, Failures what else did not pass.
	Shared   []*group
	Failures []failures
	End      conclusion
	// Hidden says that a placeholder stands in place of a name.
	Hidden bool
}

// failures are the claims of a design that did not pass, by their root causes; none where it could not be examined.
type failures struct {
	*evidence.Design
	Causes []cause
	// Left counts the claims that are not written out.
	Left int
}

// Terminal writes the summary of a run: a table of verdicts and grades, then what failed with the root cause first and a reason that many
// claims share once, then what the verdicts rest on; with all, every claim without a pass. Colours are left out where the output is no
// terminal. Names of others and secrets are replaced. Nobody asks a terminal whether it took all.
func Terminal(out io.Writer, run *evidence.Run, all bool) {
	requests := run.Ledger
	run = withoutLedger(run)
	run.Ledger = requests // they are counted, not shown
	view := terminalView{Run: run, Shared: sharedReasons(run), End: concluded(run)}
	shared := map[undecidedFor]bool{}
	for _, group := range view.Shared {
		shared[group.undecidedFor] = true
	}
	causes := rootCauses(run, openClaims(run, shared))
	for i := range run.Designs {
		if design := &run.Designs[i]; design.Failure == "" {
			view.Failures = append(view.Failures, failuresOf(design, causes, all))
		} else if !shared[undecidedFor{evidence.Error, design.Failure}] {
			view.Failures = append(view.Failures, failures{Design: design})
		}
	}
	renderer := lipgloss.NewRenderer(out)
	layout := template.Must(texts().Clone()).Funcs(template.FuncMap{"word": func(verdict evidence.Verdict) string {
		return renderer.NewStyle().Bold(true).Foreground(colours[verdict]).Render(strings.ToUpper(string(verdict)))
	}})
	if all {
		layout.Funcs(template.FuncMap{"most": func() int { return math.MaxInt }, "everything": func() bool { return true }})
	}
	var text strings.Builder
	err := layout.ExecuteTemplate(&text, "run", &view)
	view.Hidden = redact.Hides(text.String())
	if err == nil {
		err = layout.ExecuteTemplate(&text, "end", &view)
	}
	if err != nil {
		fmt.Fprintf(&text, "%v\n", err)
	}
	_, _ = io.WriteString(out, text.String())
}

var colours = map[evidence.Verdict]lipgloss.Color{
	evidence.Pass: "2", evidence.Fail: "1", evidence.Error: "1", evidence.Indeterminate: "3", evidence.Unsupported: "3", evidence.Waived: "6", evidence.Shown: "5", evidence.Told: "5",
}

// failuresOf are the root causes of a design that are written out, each with what falls with it.
func failuresOf(design *evidence.Design, causes []cause, all bool) failures {
	f := failures{Design: design}
	for _, cause := range causes {
		switch {
		case cause.Claim.Design != design.Name:
		case !all && len(f.Causes) == causesWritten:
			f.Left += 1 + len(cause.Consequences)
		default:
			f.Causes = append(f.Causes, cause)
		}
	}
	return f
}

// subjectRows are what the claims of the run are about.
func subjectRows(run *evidence.Run) (rows [][]string) {
	for _, group := range bySubject(run.Results()) {
		rows = append(rows, []string{"about " + string(group.Name), group.Figures()})
	}
	return rows
}

// verdictRows are the table of verdicts and grades, with a row for each design.
func verdictRows(run *evidence.Run) [][]string {
	header := []string{"design", "claims"}
	for _, verdict := range evidence.Verdicts() {
		header = append(header, string(verdict))
	}
	header = append(header, "not run", "|")
	for _, grade := range evidence.Grades() {
		header = append(header, string(grade))
	}
	rows, missing := [][]string{header}, notRun(run)
	for i, part := range partsOf(run) {
		left := notRunOf(run)
		if i < len(run.Designs) {
			left = missing[part.name]
		}
		cells := []string{part.name, strconv.Itoa(len(part.results) + left)}
		counts := evidence.Count(part.results)
		for _, verdict := range evidence.Verdicts() {
			cells = append(cells, columns.Count(counts[verdict]))
		}
		cells = append(cells, columns.Count(left), "|")
		for _, grade := range evidence.Grades() {
			cells = append(cells, columns.Count(passedBy(part.results, grade)))
		}
		rows = append(rows, cells)
	}
	return rows
}

// meaningRows say what the words of a summary mean: those of the verdicts and grades that occur in it.
func meaningRows(run *evidence.Run) (rows [][]string) {
	counts := evidence.Count(run.Results())
	for _, verdict := range evidence.Verdicts() {
		if counts[verdict] > 0 {
			rows = append(rows, []string{string(verdict), meanings[string(verdict)]})
		}
	}
	for _, grade := range evidence.Grades() {
		if passedBy(run.Results(), grade) > 0 {
			rows = append(rows, []string{string(grade), "of what passed: " + meanings[string(grade)]})
		}
	}
	return rows
}

// undecidedFor is why claims could not be decided.
type undecidedFor struct {
	Verdict evidence.Verdict
	Found   string
}

// reasonOf returns why a claim could not be decided. A claim that failed was
// decided and has none.
func reasonOf(result evidence.Result) (undecidedFor, bool) {
	switch result.Verdict {
	case evidence.Error, evidence.Indeterminate, evidence.Unsupported:
		if len(result.Problems) == 1 {
			return undecidedFor{result.Verdict, result.Problems[0].Found}, true
		}
	}
	return undecidedFor{}, false
}

// group is several claims that are undecided for one reason.
type group struct {
	undecidedFor
	Claims []string
	// Do is what mends the first of them.
	Do string
	// examined says that one of the designs could be examined: otherwise the
	// reason is already told as the failure of the design.
	examined bool
}

// sharedReasons returns the reasons that leave several claims undecided, in the
// order of their first claims.
func sharedReasons(run *evidence.Run) []*group {
	byReason := map[undecidedFor]*group{}
	var groups []*group
	for i := range run.Designs {
		for _, result := range run.Designs[i].Results {
			why, undecided := reasonOf(result)
			if !undecided || unasked(result) {
				continue
			}
			same := byReason[why]
			if same == nil {
				same = &group{undecidedFor: why, Do: result.Problems[0].Do}
				byReason[why] = same
				groups = append(groups, same)
			}
			same.Claims = append(same.Claims, result.ID)
			same.examined = same.examined || run.Designs[i].Failure == ""
		}
	}
	return slices.DeleteFunc(groups, func(g *group) bool { return len(g.Claims) < 2 || !g.examined })
}

// unasked reports whether a claim was not asked because its document was not there. One
// line says so for all of them.
func unasked(result evidence.Result) bool {
	return result.Verdict == evidence.Unsupported && result.Declared == "documents"
}

// openClaims returns the claims without a pass that no shared reason explains.
func openClaims(run *evidence.Run, shared map[undecidedFor]bool) []claimView {
	var open []claimView
	for _, result := range run.Results() {
		why, undecided := reasonOf(result)
		if result.Verdict.Held() || undecided && shared[why] || unasked(result) {
			continue
		}
		open = append(open, claimView{Result: result, Short: strings.TrimPrefix(result.ID, result.Design+"/")})
	}
	return open
}

// phases says how long a run took, and its parts.
func phases(run *evidence.Run) string {
	var parts []string
	var sum time.Duration
	for _, phase := range run.Phases {
		if phase.Microseconds < 1000 {
			continue // an audit deploys, loads and replays nothing
		}
		took := time.Duration(phase.Microseconds) * time.Microsecond
		sum += took
		parts = append(parts, fmt.Sprintf("%s %s", phase.Name, round(took)))
	}
	whole, together := run.Finished.Sub(run.Started), ""
	if sum > whole {
		together = ", of different designs at once"
	}
	return fmt.Sprintf("%s in all (%s%s)", round(whole), strings.Join(parts, ", "), together)
}

// unread counts the designs whose documents were not read, of those that were deployed.
func unread(run *evidence.Run) int {
	return run.Sum(func(d *evidence.Design) int {
		if d.Read || len(d.Tables) == 0 {
			return 0
		}
		return 1
	})
}

func round(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}
