package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/columns"
	"dynaproof/conformance/internal/redact"
)

// problemsOfAClaim is how many problems of one claim are written out, unless
// everything is.
const problemsOfAClaim = 3

// NewTerminal returns a Terminal for an output.
func NewTerminal(out io.Writer) *Terminal {
	return &Terminal{Out: out, Renderer: lipgloss.NewRenderer(out), Problems: 10}
}

// Write writes the summary. Names of others and secrets are replaced.
func (t *Terminal) Write(run *evidence.Run) {
	whole := t.Out
	hidden := &hiding{out: whole}
	t.Out = hidden
	defer func() { t.Out = whole }()
	requests := run.Ledger
	run = withoutLedger(run)
	run.Ledger = requests // they are counted, not shown
	t.line("looked at: %s", targetInWords(run))
	if run.ID != "" {
		t.line("run: %s, %s", run.ID, run.Signature())
	}
	t.line("")
	t.subjects(run)
	t.line("")
	t.table(run)
	t.guardrails(run)
	groups := sharedReasons(run)
	shared := map[undecidedFor]bool{}
	for _, group := range groups {
		shared[group.why] = true
	}
	// What broke comes before what fails, and what no engine of this kind can
	// answer comes last.
	t.groups(groups, evidence.Error, evidence.Indeterminate)
	causes := rootCauses(run, openClaims(run, shared))
	for i := range run.Designs {
		t.problems(&run.Designs[i], causes, shared)
	}
	t.groups(groups, evidence.Unsupported)
	t.text("objections", run)
	t.text("lists", run)
	t.rests(run)
	if hidden.any {
		t.line("names in brackets, such as [table], stand for names that are not the run's own; --unredacted shows them")
	}
	t.line("")
	end := concluded(run)
	t.line("%s  %s", t.word(end.Verdict), end.Words)
}

// hiding notes whether what is written has a placeholder in place of a name.
type hiding struct {
	out io.Writer
	any bool
}

func (h *hiding) Write(text []byte) (int, error) {
	h.any = h.any || redact.Hides(string(text))
	return h.out.Write(text)
}

// text writes a text of the templates. What it writes to is a terminal, of which nobody asks whether it took all.
func (t *Terminal) text(name string, data any) {
	if err := writeText(t.Out, name, data); err != nil {
		t.line("%v", err)
	}
}

func (t *Terminal) table(run *evidence.Run) {
	table := columns.Right(t.Out)
	header := []string{"design", "claims"}
	for _, verdict := range evidence.Verdicts() {
		header = append(header, string(verdict))
	}
	header = append(header, "not run", "|")
	for _, grade := range evidence.Grades() {
		header = append(header, string(grade))
	}
	table.Row(header...)
	missing, total := notRun(run), notRunOf(run)
	for i := range run.Designs {
		levelRow(table, run.Designs[i].Name, run.Designs[i].Results, missing[run.Designs[i].Name])
	}
	if len(run.Designs) > 1 {
		levelRow(table, "total", run.Results(), total)
	}
	table.Flush()
	t.legend(run)
	if total > 0 {
		t.line("%s of the manifest %s not run, and nothing is said about %s", Plural(total, "claim"), either(total, "was", "were"), either(total, "it", "them"))
	}
}

func levelRow(table *columns.Table, name string, results []evidence.Result, missing int) {
	counts := evidence.Count(results)
	cells := []string{name, fmt.Sprint(len(results) + missing)}
	for _, verdict := range evidence.Verdicts() {
		cells = append(cells, columns.Count(counts[verdict]))
	}
	cells = append(cells, columns.Count(missing), "|")
	for _, grade := range evidence.Grades() {
		cells = append(cells, columns.Count(passedBy(results, grade)))
	}
	table.Row(cells...)
}

// undecidedFor is why claims could not be decided.
type undecidedFor struct {
	verdict evidence.Verdict
	found   string
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
	why    undecidedFor
	claims []string
	// do is what mends the first of them.
	do string
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
				same = &group{why: why, do: result.Problems[0].Do}
				byReason[why] = same
				groups = append(groups, same)
			}
			same.claims = append(same.claims, result.ID)
			same.examined = same.examined || run.Designs[i].Failure == ""
		}
	}
	return slices.DeleteFunc(groups, func(g *group) bool { return len(g.claims) < 2 || !g.examined })
}

// groups writes out each reason once.
func (t *Terminal) groups(groups []*group, verdicts ...evidence.Verdict) {
	for _, same := range groups {
		if slices.Contains(verdicts, same.why.verdict) {
			t.line("")
			t.line("%s  %s, such as %s", t.word(same.why.verdict), Plural(len(same.claims), "claim"), same.claims[0])
			t.line("  found     %s", same.why.found)
			if same.do != "" {
				t.line("  do        %s", same.do)
			}
		}
	}
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

// problems writes out the claims that did not pass, root causes first, each with
// the number of claims that fall with it.
func (t *Terminal) problems(design *evidence.Design, causes []cause, shared map[undecidedFor]bool) {
	if design.Failure != "" {
		if shared[undecidedFor{evidence.Error, design.Failure}] {
			return
		}
		t.line("")
		t.line("%s  %s could not be examined", t.word(evidence.Error), design.Name)
		t.line("  %s", design.Failure)
		return
	}
	written, left := 0, 0
	for _, cause := range causes {
		if cause.Claim.Design != design.Name {
			continue
		}
		if t.Problems > 0 && written == t.Problems {
			left += 1 + len(cause.Consequences)
			continue
		}
		written++
		t.problem(cause.Claim.Result)
		if word := riskOf(cause.Claim.Result).Word; word != "" {
			t.line("  at risk   %s", word)
		}
		writeConsequences(t.Out, cause.Consequences)
		if t.Problems == 0 {
			for _, consequence := range cause.Consequences {
				t.problem(consequence.Result)
			}
		}
	}
	if left > 0 {
		t.line("")
		t.line("  … and %s of %s more; see evidence.json.gz", Plural(left, "claim"), design.Name)
	}
}

func (t *Terminal) problem(result evidence.Result) {
	t.line("")
	t.line("%s  %s", t.word(result.Verdict), result.ID)
	t.line("  %s", result.Title)
	most := problemsOfAClaim
	if t.Problems == 0 {
		most = len(result.Problems)
	}
	writeProblems(t.Out, result.Problems, most)
}

func writeProblems(out io.Writer, problems []evidence.Problem, most int) {
	for n, problem := range problems {
		if n == most {
			fmt.Fprintf(out, "  … and %d more of the same claim\n", len(problems)-n)
			return
		}
		fmt.Fprintf(out, "  at        %s\n  expected  %s\n  found     %s\n  document  %s\n", problem.Where, problem.Expected, problem.Found, problem.Cite)
		if problem.Do != "" {
			fmt.Fprintf(out, "  do        %s\n", problem.Do)
		}
	}
}

func writeConsequences(out io.Writer, claims []*claimView) {
	if n := len(claims); n > 0 {
		fmt.Fprintf(out, "  with it   %s %s not hold, such as %s\n", Plural(n, "other claim"), either(n, "does", "do"), claims[0].ID)
	}
}

func (t *Terminal) word(verdict evidence.Verdict) string {
	colour := map[evidence.Verdict]string{evidence.Pass: "2", evidence.Fail: "1", evidence.Error: "1", evidence.Indeterminate: "3", evidence.Unsupported: "3", evidence.Waived: "6", evidence.Shown: "5", evidence.Told: "5"}[verdict]
	return t.Renderer.NewStyle().Bold(true).Foreground(lipgloss.Color(colour)).Render(strings.ToUpper(string(verdict)))
}

// rests says what a reader must know before trusting the verdicts.
func (t *Terminal) rests(run *evidence.Run) {
	t.line("")
	var phases []string
	var sum time.Duration
	for _, phase := range run.Phases {
		if phase.Microseconds < 1000 {
			continue // an audit deploys, loads and replays nothing
		}
		took := time.Duration(phase.Microseconds) * time.Microsecond
		sum += took
		phases = append(phases, fmt.Sprintf("%s %s", phase.Name, round(took)))
	}
	whole, together := run.Finished.Sub(run.Started), ""
	if sum > whole {
		together = ", of different designs at once"
	}
	t.line("time: %s in all (%s%s); %s", round(whole), strings.Join(phases, ", "), together, Plural(len(run.Ledger), "request"))
	if audited(run) {
		t.line("%s", sentInWords(run))
	}
	unread := 0
	for _, design := range run.Designs {
		if !design.Read && len(design.Tables) > 0 {
			unread++
		}
	}
	if passed := evidence.Count(run.Results())[evidence.Pass]; passed > 0 {
		t.line("%s", lackAWS(run))
		t.line("of the claims that passed %s", bases(run.Results()))
	}
	if unread > 0 {
		t.line("the documents of %s were not read, so that %s about their text could not be asked; set DYNAPROOF_DOCUMENTS to their folder", Plural(unread, "design"), Plural(howMany(run.Results(), unasked), "claim"))
	}
}

func round(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

// legend writes what the words of a summary mean: those of the verdicts and grades that occur in it.
func (t *Terminal) legend(run *evidence.Run) {
	table := columns.Left(t.Out)
	counts := evidence.Count(run.Results())
	for _, verdict := range evidence.Verdicts() {
		if counts[verdict] > 0 {
			table.Row(string(verdict), meanings[string(verdict)])
		}
	}
	for _, grade := range evidence.Grades() {
		if passedBy(run.Results(), grade) > 0 {
			table.Row(string(grade), "of what passed: "+meanings[string(grade)])
		}
	}
	table.Flush()
}

// subjects writes what the claims of the run are about.
func (t *Terminal) subjects(run *evidence.Run) {
	table := columns.Left(t.Out)
	for _, group := range bySubject(run.Results()) {
		table.Row("about "+string(group.Name), group.Figures())
	}
	table.Flush()
}
