package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/charmbracelet/lipgloss"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/evidence"
)

// Terminal writes the summary of a run: a table of verdicts and grades, then
// what failed with the root cause first, then what the verdicts rest on. Colours
// follow the renderer, which turns them off where the output is no terminal.
type Terminal struct {
	Out      io.Writer
	Renderer *lipgloss.Renderer
	// Problems is how many claims without a pass are written out for each
	// design; 0 means all.
	Problems int
}

// problemsOfAClaim is how many problems of one claim are written out, unless
// everything is.
const problemsOfAClaim = 3

// NewTerminal returns a Terminal for an output.
func NewTerminal(out io.Writer) *Terminal {
	return &Terminal{Out: out, Renderer: lipgloss.NewRenderer(out), Problems: 10}
}

// Write writes the summary.
func (t *Terminal) Write(run *evidence.Run) {
	t.line("%s", t.target(run))
	t.line("")
	t.table(run)
	for i := range run.Designs {
		t.problems(&run.Designs[i])
	}
	t.waivers(run)
	t.rests(run)
	t.line("")
	t.line("%s", t.conclusion(run))
}

func (t *Terminal) line(format string, args ...any) { fmt.Fprintf(t.Out, format+"\n", args...) }

func (t *Terminal) target(run *evidence.Run) string {
	name := strings.TrimSpace(run.Target.Engine + " " + run.Target.Version)
	if name == "" {
		name = "an unnamed engine at " + run.Target.URL
	}
	return fmt.Sprintf("target: %s, %s", run.Target.Kind, name)
}

func (t *Terminal) table(run *evidence.Run) {
	table := tabwriter.NewWriter(t.Out, 0, 0, 2, ' ', tabwriter.AlignRight)
	header := []string{"design", "claims"}
	for _, verdict := range evidence.Verdicts() {
		header = append(header, string(verdict))
	}
	header = append(header, "|")
	for _, grade := range evidence.Grades() {
		header = append(header, string(grade))
	}
	fmt.Fprintln(table, strings.Join(header, "\t")+"\t")
	for i := range run.Designs {
		row(table, run.Designs[i].Name, run.Designs[i].Results)
	}
	if len(run.Designs) > 1 {
		row(table, "total", run.Results())
	}
	table.Flush()
	t.line("verdicts to the left of the bar; to the right, the evidence behind what passed")
}

func row(out io.Writer, name string, results []evidence.Result) {
	counts := evidence.Count(results)
	cells := []string{name, fmt.Sprint(len(results))}
	for _, verdict := range evidence.Verdicts() {
		cells = append(cells, dash(counts[verdict]))
	}
	cells = append(cells, "|")
	for _, grade := range evidence.Grades() {
		passed := 0
		for _, result := range results {
			if result.Verdict == evidence.Pass && result.Grade == grade {
				passed++
			}
		}
		cells = append(cells, dash(passed))
	}
	fmt.Fprintln(out, strings.Join(cells, "\t")+"\t")
}

func dash(count int) string {
	if count == 0 {
		return "-"
	}
	return fmt.Sprint(count)
}

// problems writes out the claims that did not pass, schemas first: what rests on
// a broken schema fails too, and the schema is the cause.
func (t *Terminal) problems(design *evidence.Design) {
	if design.Failure != "" {
		t.line("")
		t.line("%s  %s could not be examined", t.word(evidence.Error), design.Name)
		t.line("  %s", design.Failure)
		return
	}
	open := slices.DeleteFunc(slices.Clone(design.Results), func(result evidence.Result) bool {
		return result.Verdict == evidence.Pass || result.Verdict == evidence.Waived
	})
	slices.SortStableFunc(open, func(a, b evidence.Result) int { return depth(a) - depth(b) })
	for i, result := range open {
		if t.Problems > 0 && i == t.Problems {
			t.line("")
			t.line("  … and %d more claims of %s; see evidence.json", len(open)-i, design.Name)
			return
		}
		t.line("")
		t.line("%s  %s", t.word(result.Verdict), result.ID)
		t.line("  %s", result.Title)
		for n, problem := range result.Problems {
			if t.Problems > 0 && n == problemsOfAClaim {
				t.line("  … and %d more of the same claim", len(result.Problems)-n)
				break
			}
			t.line("  at        %s", problem.Where)
			t.line("  expected  %s", problem.Expected)
			t.line("  found     %s", problem.Found)
			t.line("  document  %s", problem.Cite)
			if problem.Do != "" {
				t.line("  do        %s", problem.Do)
			}
		}
	}
}

// depth orders kinds from cause to consequence. Failures come before claims that
// merely could not be decided.
func depth(result evidence.Result) int {
	undecided := 0
	if result.Verdict != evidence.Fail {
		undecided = 100
	}
	order := []accesspatterns.ClaimKind{
		accesspatterns.KindDocument, accesspatterns.KindSchema, accesspatterns.KindIndex, accesspatterns.KindExample,
		accesspatterns.KindEntity, accesspatterns.KindAttribute, accesspatterns.KindRule, accesspatterns.KindPattern,
		accesspatterns.KindGuardrail, accesspatterns.KindFinding, accesspatterns.KindLedger,
	}
	return undecided + slices.Index(order, accesspatterns.ClaimKind(result.Kind))
}

func (t *Terminal) word(verdict evidence.Verdict) string {
	colour := map[evidence.Verdict]string{evidence.Pass: "2", evidence.Fail: "1", evidence.Error: "1", evidence.Indeterminate: "3", evidence.Unsupported: "3", evidence.Waived: "6"}[verdict]
	return t.Renderer.NewStyle().Bold(true).Foreground(lipgloss.Color(colour)).Render(strings.ToUpper(string(verdict)))
}

func (t *Terminal) waivers(run *evidence.Run) {
	first := true
	for _, design := range run.Designs {
		for _, waiver := range design.Waivers {
			if first {
				t.line("")
				t.line("waivers")
				first = false
			}
			t.line("  %s/%s (%s): %d requests; %s", design.Name, waiver.ID, waiver.Cite, waiver.Requests, waiver.Reason)
		}
	}
}

// rests says what a reader must know before trusting the verdicts.
func (t *Terminal) rests(run *evidence.Run) {
	t.line("")
	var phases []string
	for _, phase := range run.Phases {
		phases = append(phases, fmt.Sprintf("%s %s", phase.Name, round(time.Duration(phase.Microseconds)*time.Microsecond)))
	}
	t.line("time: %s in all (%s); %d requests", round(run.Finished.Sub(run.Started)), strings.Join(phases, ", "), len(run.Ledger))
	weak, unread := 0, 0
	for _, result := range run.Results() {
		if result.Verdict == evidence.Pass && result.Grade != evidence.AWS {
			weak++
		}
	}
	for _, design := range run.Designs {
		if !design.Read && design.Failure == "" {
			unread++
		}
	}
	t.line("%d of %d passed claims lack evidence from AWS", weak, evidence.Count(run.Results())[evidence.Pass])
	if unread > 0 {
		t.line("the documents of %d designs were not read, so their citations are unproven; set DYNAPROOF_DOCUMENTS", unread)
	}
}

func round(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

func (t *Terminal) conclusion(run *evidence.Run) string {
	switch run.ExitCode() {
	case evidence.Conforms:
		return t.word(evidence.Pass) + "  what is deployed is what the documents promise, as far as this target can tell"
	case evidence.DoesNotConform:
		return t.word(evidence.Fail) + "  the deployment does not conform"
	}
	if run.Interrupted {
		return t.word(evidence.Indeterminate) + "  the run was interrupted"
	}
	return t.word(evidence.Indeterminate) + "  could not tell"
}
