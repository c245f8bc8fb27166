package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/spf13/cobra"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/accesspatterns/document/witness"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/columns"
	"dynaproof/conformance/report"
)

func documentsCommand() *cobra.Command {
	var output documentsOutput
	var reportDir string
	var own *ownDesign
	c := help("documents", &cobra.Command{
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && !designs.Shipped() {
				return nil
			}
			if len(args) == 0 {
				return errors.New("documents: expected DIR, the folder of the design documents, found nothing")
			}
			for _, name := range args[1:] {
				if _, err := designs.Find(name); err != nil {
					return err
				}
			}
			return nil
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return nil, cobra.ShellCompDirectiveFilterDirs
			}
			return completeDesigns(cmd, args, toComplete)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			output.explicit = cmd.Flags().Changed("report")
			output.evidence = filepath.Join(reportDir, report.EvidenceFile)
			output.lines = output.lines || output.text
			if len(args) == 0 {
				args = []string{own.documents()}
			}
			return documents(cmd.OutOrStdout(), args[0], args[1:], output)
		},
	})
	own = designFlag(c)
	c.Flags().StringVar(&reportDir, "report", "build/report", "folder of the last run's evidence.json.gz, whose verdicts are shown")
	c.Flags().BoolVar(&output.lines, "lines", false, "print every line's number with its claims or its reason")
	c.Flags().BoolVar(&output.text, "text", false, "print every line's text too")
	c.Flags().BoolVar(&output.json, "json", false, "print JSON instead")
	c.Flags().BoolVar(&output.strict, "strict", false, "fail also where an objection is open")
	return c
}

type documentsOutput struct {
	evidence                  string
	explicit                  bool
	lines, text, json, strict bool
}

// examined is what was found out about one document.
type examined struct {
	*coverage.Coverage
	// Counts counts lines by status.
	Counts map[coverage.LineStatus]int `json:"counts"`
	// Holds says that the document is the transcribed one and wholly accounted
	// for. Problem says one by one why not.
	Holds   bool     `json:"holds"`
	Problem []string `json:"problems,omitempty"`
	// Missing says that the folder does not hold the document, so that nothing
	// is known.
	Missing string `json:"missing,omitempty"`
	// Objections are those of the machine that read the document.
	Objections []witness.Objection `json:"objections,omitempty"`

	source *coverage.Source
}

// examination is what the command prints as JSON.
type examination struct {
	Documents []*examined `json:"documents"`
	// Evidence is the file that the verdicts were read from; empty when there
	// are none, and EvidenceProblem says why.
	Evidence        string `json:"evidence,omitempty"`
	EvidenceProblem string `json:"evidenceProblem,omitempty"`
	// Verdicts maps the ids of claims to the verdicts of the last run.
	Verdicts map[string]evidence.Verdict `json:"verdicts,omitempty"`

	results map[string]evidence.Result
	// strict fails also where an objection is open.
	strict bool
}

func documents(out io.Writer, folder string, names []string, output documentsOutput) error {
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return outcome{evidence.WrongUsage, fmt.Errorf("documents: expected a folder of design documents, found none at %s", folder)}
	}
	x := &examination{strict: output.strict}
	if err := x.readVerdicts(output); err != nil {
		return err
	}
	for _, design := range designs.All() {
		if len(names) > 0 && !slices.Contains(names, design.Name) {
			continue
		}
		document, err := examine(folder, design)
		if err != nil {
			return outcome{evidence.CouldNotTell, err}
		}
		x.Documents = append(x.Documents, document)
	}
	if output.json {
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(x); err != nil {
			return outcome{evidence.CouldNotTell, err}
		}
	} else {
		x.write(out, output)
	}
	return exitWith(x.exitCode())
}

// examine reads one document and accounts for its lines.
func examine(folder string, design *accesspatterns.Design) (*examined, error) {
	source, err := coverage.Read(folder, design.Document)
	if errors.Is(err, coverage.ErrNoDocument) {
		missing := fmt.Sprintf("expected %s in %s, found no such file; nothing can be said about its lines", design.Document.File, folder)
		return &examined{
			Coverage: &coverage.Coverage{
				Design: design.Name, File: design.Document.File, Pinned: design.Document.SHA256,
				Lines: []coverage.LineAccount{}, Citations: []coverage.CitationProof{},
			},
			Counts: map[coverage.LineStatus]int{}, Missing: missing,
		}, nil
	}
	if err != nil {
		return nil, err
	}
	pinned, err := designs.Lines(design.Document)
	if err != nil {
		return nil, err
	}
	covered := coverage.Of(design, source, pinned)
	document := &examined{Coverage: covered, Counts: covered.Count(), source: source}
	if err := covered.Err(); err != nil {
		document.Problem = strings.Split(err.Error(), "\n")
	}
	document.Holds = len(document.Problem) == 0
	document.Objections, _, err = witness.Of(design, folder)
	return document, err
}

// readVerdicts reads the verdicts of the last run. Only a file that was asked
// for by name must be there.
func (x *examination) readVerdicts(output documentsOutput) error {
	run, err := evidence.Read(output.evidence)
	if err != nil {
		if output.explicit {
			return outcome{evidence.WrongUsage, fmt.Errorf("--report: %w", err)}
		}
		x.EvidenceProblem = "no verdicts: no evidence of a run at " + output.evidence + "; `dynaproof verify` writes it"
		if !errors.Is(err, os.ErrNotExist) {
			x.EvidenceProblem = "no verdicts: " + oneLine(err)
		}
		return nil
	}
	x.Evidence = output.evidence
	x.Verdicts, x.results = map[string]evidence.Verdict{}, map[string]evidence.Result{}
	for i := range run.Designs {
		seen := &run.Designs[i]
		if design, err := designs.Find(seen.Name); err != nil || design.Document.SHA256 != seen.SHA256 {
			x.EvidenceProblem = fmt.Sprintf("no verdicts of %s: %s is of another version of its document; run `dynaproof verify` again", seen.Name, output.evidence)
			continue
		}
		for _, result := range seen.Results {
			x.Verdicts[result.ID], x.results[result.ID] = result.Verdict, result
		}
	}
	return nil
}

// pending counts the lines that a contract's level does not need yet.
func (x *examination) pending() string {
	lines := 0
	for _, document := range x.Documents {
		lines += document.Counts[coverage.LinePending]
	}
	if lines == 0 {
		return ""
	}
	return fmt.Sprintf(", but for %s that the contract's level does not need yet", report.Plural(lines, "line"))
}

func (x *examination) exitCode() evidence.ExitCode {
	code := evidence.Conforms
	for _, document := range x.Documents {
		switch {
		case document.Missing != "":
			code = evidence.CouldNotTell
		case !document.Holds, x.strict && len(witness.Open(document.Objections)) > 0:
			return evidence.DoesNotConform
		}
	}
	return code
}

// notRun stands for the verdict of a claim that the evidence does not hold.
const notRun = "not run"

// byVerdict groups claims by their verdicts, in the order in which verdicts are
// reported: "pass: a, b; fail: c". Without verdicts it lists the claims.
func (x *examination) byVerdict(ids []string) string {
	if x.Verdicts == nil {
		return strings.Join(ids, ", ")
	}
	groups := map[evidence.Verdict][]string{}
	for _, id := range ids {
		verdict, known := x.Verdicts[id]
		if !known {
			verdict = notRun
		}
		groups[verdict] = append(groups[verdict], id)
	}
	var text []string
	for _, verdict := range append(evidence.Verdicts(), notRun) {
		if len(groups[verdict]) > 0 {
			text = append(text, string(verdict)+": "+strings.Join(groups[verdict], ", "))
		}
	}
	return strings.Join(text, "; ")
}

// standing decides how a cited line stands.
func (x *examination) standing(line coverage.LineAccount) report.Standing {
	var results []evidence.Result
	for _, id := range line.Claims {
		results = append(results, x.results[id])
	}
	return report.StandingOf(results)
}

// standings counts the cited lines of a document by how they stand.
func (x *examination) standings(document *examined) map[report.Standing]int {
	counts := map[report.Standing]int{}
	for _, line := range document.Lines {
		if line.Status == coverage.LineCited {
			counts[x.standing(line)]++
		}
	}
	return counts
}

func (x *examination) write(out io.Writer, output documentsOutput) {
	for _, document := range x.Documents {
		if output.lines && document.Missing == "" {
			x.writeLines(out, document, output.text)
		}
	}
	if slices.ContainsFunc(x.Documents, func(document *examined) bool { return document.Missing == "" }) {
		x.writeTable(out)
	}
	for _, document := range x.Documents {
		x.writeProblems(out, document)
		x.writeObjections(out, document)
	}
	fmt.Fprintln(out)
	if x.EvidenceProblem != "" {
		fmt.Fprintln(out, x.EvidenceProblem)
	}
	x.conclude(out)
}

func (x *examination) writeLines(out io.Writer, document *examined, text bool) {
	for _, line := range document.Lines {
		account := line.Reason
		if line.Status == coverage.LineCited {
			account = x.byVerdict(line.Claims)
			if x.Verdicts != nil {
				account = string(x.standing(line)) + "; " + account
			}
		}
		fmt.Fprintf(out, "%s:%d\t%s\t%s\n", document.File, line.Line, line.Status, account)
		if text {
			fmt.Fprintf(out, "\t%s\n", document.source.Line(line.Line))
		}
	}
	fmt.Fprintln(out)
}

func (x *examination) writeTable(out io.Writer) {
	table := columns.Right(out)
	header := []string{"document", "lines"}
	for _, status := range coverage.LineStatuses() {
		header = append(header, string(status))
	}
	header = append(header, "|", "citations", "stand", "changed")
	shown := slices.DeleteFunc(report.Standings(), func(standing report.Standing) bool {
		return !slices.ContainsFunc(x.Documents, func(document *examined) bool { return x.standings(document)[standing] > 0 })
	})
	if x.Verdicts != nil {
		header = append(header, "|")
		for _, standing := range shown {
			header = append(header, string(standing))
		}
	}
	table.Row(header...)
	for _, document := range x.Documents {
		if document.Missing != "" {
			continue
		}
		cells := []string{document.File, fmt.Sprint(len(document.Lines))}
		for _, status := range coverage.LineStatuses() {
			cells = append(cells, columns.Count(document.Counts[status]))
		}
		cells = append(cells, "|", fmt.Sprint(len(document.Citations)), fmt.Sprint(len(document.Citations)-len(document.Broken())), columns.Count(len(document.Changes)))
		if x.Verdicts != nil {
			cells = append(cells, "|")
			for _, standing := range shown {
				cells = append(cells, columns.Count(x.standings(document)[standing]))
			}
		}
		table.Row(cells...)
	}
	table.Flush()
	if x.Verdicts != nil {
		fmt.Fprintf(out, "right of the last bar: how the cited lines stand, by %s. held: what the line states passed; held otherwise: another form passed, and a finding says why;\n"+
			"implied: what passed is not stated there; contradicted, finding: nothing but findings rests on it\n", x.Evidence)
	}
}

// writeProblems says why a document does not hold: the changed lines first, each
// with its claims, then the claims whose tokens are gone, then the lines that
// nobody accounts for.
func (x *examination) writeProblems(out io.Writer, document *examined) {
	if document.Missing != "" {
		fmt.Fprintf(out, "\n%s\n", document.Missing)
		return
	}
	if document.Holds {
		return
	}
	fmt.Fprintf(out, "\n%s\n", document.File)
	if document.Found != document.Pinned {
		fmt.Fprintf(out, "  expected  SHA-256 %s\n  found     SHA-256 %s\n  do        read the changed lines, correct the contract, then pin the new digest\n", document.Pinned, document.Found)
	}
	for _, change := range document.Changes {
		fmt.Fprintf(out, "  %s\n", describe(change))
		if len(change.Claims) > 0 {
			fmt.Fprintf(out, "    cited by %s\n", x.byVerdict(change.Claims))
		}
	}
	x.writeCitations(out, document)
	for _, line := range document.Lines {
		if line.Status == coverage.LineUnaccounted {
			fmt.Fprintf(out, "  line %d is unaccounted: %s\n", line.Line, line.Reason)
			if len(line.Spanning) > 0 {
				fmt.Fprintf(out, "    within citations of %s\n", x.byVerdict(line.Spanning))
			}
		}
	}
	for _, stale := range document.Stale {
		fmt.Fprintf(out, "  %s\n", stale)
	}
}

// writeObjections lists the open objections, and counts those that the contract answers.
func (x *examination) writeObjections(out io.Writer, document *examined) {
	open := witness.Open(document.Objections)
	if answered := len(document.Objections) - len(open); answered > 0 {
		fmt.Fprintf(out, "%s: the contract answers %s of the machine that read it\n", document.File, report.Plural(answered, "objection"))
	}
	if len(open) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s: %s of the machine that read it, to be answered in the contract\n", document.File, report.Plural(len(open), "objection"))
	for _, objection := range open {
		place := ""
		if objection.Line > 0 {
			place = fmt.Sprintf("line %d, ", objection.Line)
		}
		fmt.Fprintf(out, "  %s%s: %s\n", place, objection.ID, objection.Message)
	}
}

// describe says a change in words.
func describe(change coverage.LineChange) string {
	switch change.Kind {
	case coverage.LineAdded:
		return fmt.Sprintf("line %d was added", change.Now)
	case coverage.LineRemoved:
		return fmt.Sprintf("line %d was removed", change.Was)
	case coverage.LineMoved:
		return fmt.Sprintf("line %d moved to line %d", change.Was, change.Now)
	}
	if change.Was != change.Now {
		return fmt.Sprintf("line %d changed (line %d before)", change.Now, change.Was)
	}
	return fmt.Sprintf("line %d changed", change.Now)
}

// writeCitations says of every citation that a change touches, or that does not
// stand, whether its tokens still stand. Citations whose lines merely have other
// numbers are counted.
func (x *examination) writeCitations(out io.Writer, document *examined) {
	renumbered := 0
	for _, proof := range document.Citations {
		switch {
		case proof.Problem != "":
			fmt.Fprintf(out, "  tokens gone   %s (%s): %s\n", proof.Element, proof.Cite, proof.Problem)
		case proof.Touched:
			place, warning := proof.Cite, ""
			if proof.Now != "" {
				place += ", now " + proof.Now
			}
			if len(proof.Within) > 0 {
				warning = fmt.Sprintf("; %q only within a longer word", proof.Within)
			}
			fmt.Fprintf(out, "  tokens stand  %s (%s)%s\n", proof.Element, place, warning)
		case proof.Now != "":
			renumbered++
		}
	}
	if renumbered > 0 {
		fmt.Fprintf(out, "  %d further citations stand on the same lines under other numbers\n", renumbered)
	}
}

func (x *examination) conclude(out io.Writer) {
	word := func(text, colour string) string {
		return lipgloss.NewRenderer(out).NewStyle().Bold(true).Foreground(lipgloss.Color(colour)).Render(text)
	}
	switch x.exitCode() {
	case evidence.Conforms:
		fmt.Fprintf(out, "%s  the documents are the transcribed ones, every citation stands, and every line is accounted for%s\n", word("PASS", "2"), x.pending())
	case evidence.DoesNotConform:
		why := "a document differs from what was transcribed, or is not wholly accounted for"
		if !slices.ContainsFunc(x.Documents, func(document *examined) bool { return document.Missing == "" && !document.Holds }) {
			why = "objections of the machine that read the documents are open"
		}
		fmt.Fprintf(out, "%s  %s\n", word("FAIL", "1"), why)
	default:
		missing := 0
		for _, document := range x.Documents {
			if document.Missing != "" {
				missing++
			}
		}
		fmt.Fprintf(out, "%s  %d of %d documents are missing\n", word("INDETERMINATE", "3"), missing, len(x.Documents))
	}
}
