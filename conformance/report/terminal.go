package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/charmbracelet/lipgloss"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/columns"
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
			same := lists.Once(byReason, why, func() *group {
				groups = append(groups, &group{undecidedFor: why, Do: result.Problems[0].Do})
				return groups[len(groups)-1]
			})
			same.Claims = append(same.Claims, result.ID)
			same.examined = same.examined || run.Designs[i].Failure == ""
		}
	}
	return slices.DeleteFunc(groups, func(g *group) bool { return len(g.Claims) < 2 || !g.examined })
}

// layers are the places of enforcement, in the order in which a request meets
// them. A layer that the evidence names beside these gets a column behind them.
var layers = []string{
	string(accesspatterns.LayerGuard), string(accesspatterns.LayerEngine), string(accesspatterns.LayerContract), string(accesspatterns.LayerDeployment),
}

// layerOf returns what enforces a guardrail or an invariant, and whether the
// result is of one.
func layerOf(result evidence.Result) (string, bool) {
	switch {
	case result.Guardrail != nil:
		return result.Guardrail.Layer, true
	case result.Invariant != nil:
		return result.Invariant.Layer, true
	}
	return "", false
}

// tallied writes "6" where all of six rules held, "5+1w" where one of them is waived, and "5/6" where one did not hold.
func tallied(results []evidence.Result) string {
	if len(results) == 0 {
		return "-"
	}
	counts := evidence.Count(results)
	held, waived := counts[evidence.Pass], counts[evidence.Waived]
	text := fmt.Sprint(held)
	if waived > 0 {
		text += fmt.Sprintf("+%dw", waived)
	}
	if held+waived < len(results) {
		text += fmt.Sprintf("/%d", len(results))
	}
	return text
}

// guardrailRows count, for each design, the guardrails and invariants that held, and how many by what enforces them; nil where none was
// tried.
func guardrailRows(run *evidence.Run) (rows [][]string) {
	named := slices.Clone(layers)
	for _, result := range run.Results() {
		if layer, is := layerOf(result); is {
			named = lists.With(named, layer)
		}
	}
	for design := range lists.Each(run.Designs) {
		tried := lists.Where(design.Results, func(r evidence.Result) bool {
			_, is := layerOf(r)
			return is && r.Verdict != evidence.Unsupported
		})
		if len(tried) == 0 {
			continue
		}
		tally := func(is func(evidence.Result) bool) string { return tallied(lists.Where(tried, is)) }
		cells := []string{
			design.Name,
			tally(func(r evidence.Result) bool { return r.Guardrail != nil }), tally(func(r evidence.Result) bool { return r.Invariant != nil }), "|",
		}
		for _, layer := range named {
			cells = append(cells, tally(func(r evidence.Result) bool {
				by, _ := layerOf(r)
				return by == layer
			}))
		}
		rows = append(rows, cells)
	}
	if rows == nil {
		return nil
	}
	return append([][]string{append([]string{"design", "guardrails", "invariants", "|"}, named...)}, rows...)
}

// subjectRows are what the claims of the run are about.
func subjectRows(run *evidence.Run) (rows [][]string) {
	return lists.Map(bySubject(run.Results()), func(group about) []string { return []string{"about " + string(group.Name), group.Figures()} })
}

// verdictRows are the table of verdicts and grades, with a row for each design.
func verdictRows(run *evidence.Run) [][]string {
	header := slices.Concat([]string{"design", "claims"}, lists.Texts(evidence.Verdicts()), []string{"not run", "|"}, lists.Texts(evidence.Grades()))
	rows, missing := [][]string{header}, notRun(run)
	for i, part := range partsOf(run) {
		left := notRunOf(run)
		if i < len(run.Designs) {
			left = missing[part.name]
		}
		cells := []string{part.name, strconv.Itoa(len(part.results) + left)}
		counts := evidence.Count(part.results)
		cells = append(cells, lists.Map(evidence.Verdicts(), func(verdict evidence.Verdict) string { return columns.Count(counts[verdict]) })...)
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
