package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/template"

	"github.com/charmbracelet/lipgloss"

	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/redact"
)

// causesWritten is how many root causes of a design are written out, unless
// everything is.
const causesWritten = 10

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
	shared := lists.Set(view.Shared, func(shared *group) undecidedFor { return shared.undecidedFor })
	causes := rootCauses(run, openClaims(run, shared))
	for design := range lists.Each(run.Designs) {
		if design.Failure == "" {
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
