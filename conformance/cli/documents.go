package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/accesspatterns/document/witness"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/columns"
	"dynaproof/conformance/report"
)

func documentsCommand() *cobra.Command {
	x := &examination{}
	var reportDir string
	var asJSON bool
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
			if len(args) == 0 {
				args = []string{documentsFolder()}
			}
			if info, err := os.Stat(args[0]); err != nil || !info.IsDir() {
				return misused("documents: expected a folder of design documents, found none at %s", args[0])
			}
			if err := x.readVerdicts(filepath.Join(reportDir, report.EvidenceFile), cmd.Flags().Changed("report")); err != nil {
				return outcome{evidence.WrongUsage, err}
			}
			if _, err := within(cmd, func() (any, error) { return nil, x.examine(args[0], args[1:]) }); err != nil {
				return err
			}
			var err error
			if asJSON {
				encoder := json.NewEncoder(cmd.OutOrStdout())
				encoder.SetEscapeHTML(false)
				err = encoder.Encode(x)
			} else {
				err = printText(cmd.OutOrStdout(), "documents", x)
			}
			if err != nil {
				return err
			}
			return exitWith(x.ExitCode())
		},
	})
	designFlag(c)
	c.Flags().StringVar(&reportDir, "report", "build/report", "folder of the last run's evidence.json.gz, whose verdicts are shown")
	c.Flags().BoolVar(&x.Lines, "lines", false, "print every line's number with its claims or its reason")
	c.Flags().BoolVar(&x.Text, "text", false, "print every line's text too")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON instead")
	c.Flags().BoolVar(&x.strict, "strict", false, "fail also where an objection is open")
	return c
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

// Line is the text of a line.
func (e *examined) Line(number int) string { return e.source.Line(number) }

// Open are the objections that the contract does not answer.
func (e *examined) Open() []witness.Objection { return witness.Open(e.Objections) }

// Answered counts those that it answers.
func (e *examined) Answered() int { return len(e.Objections) - len(e.Open()) }

// Renumbered counts the citations that stand on the same lines, which merely have other numbers.
func (e *examined) Renumbered() int {
	return lists.Count(e.Citations, func(proof coverage.CitationProof) bool {
		return proof.Problem == "" && !proof.Touched && proof.Now != ""
	})
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

	// Lines says that every line is printed too, and Text that its text is.
	Lines bool `json:"-"`
	Text  bool `json:"-"`

	results map[string]evidence.Result
	// strict fails also where an objection is open.
	strict bool
}

// HasRun says that there are verdicts of a run, if only of other documents.
func (x *examination) HasRun() bool { return x.Verdicts != nil }

// examine reads the documents of the named designs, all of them where none is named, and accounts for their lines.
func (x *examination) examine(folder string, names []string) error {
	for _, design := range designs.All() {
		if !among(names, design.Name) {
			continue
		}
		document := &examined{Counts: map[coverage.LineStatus]int{}}
		var err error
		document.Coverage, document.source, err = report.Accounted(folder, design)
		switch {
		case errors.Is(err, coverage.ErrNoDocument):
			document.Coverage = &coverage.Coverage{
				Design: design.Name, File: design.Document.File, Pinned: design.Document.SHA256, Lines: []coverage.LineAccount{}, Citations: []coverage.CitationProof{},
			}
			document.Missing = fmt.Sprintf("expected %s in %s, found no such file; nothing can be said about its lines", design.Document.File, folder)
		case err != nil:
			return err
		default:
			document.Counts = document.Count()
			if err := document.Err(); err != nil {
				document.Problem = strings.Split(err.Error(), "\n")
			}
			document.Holds = len(document.Problem) == 0
			if document.Objections, _, err = witness.Of(design, folder); err != nil {
				return err
			}
		}
		x.Documents = append(x.Documents, document)
	}
	return nil
}

// readVerdicts reads the verdicts of the last run. Only a file that was asked
// for by name must be there.
func (x *examination) readVerdicts(file string, named bool) error {
	run, err := evidence.Read(file)
	switch {
	case err != nil && named:
		return fmt.Errorf("--report: %w", err)
	case errors.Is(err, os.ErrNotExist):
		x.EvidenceProblem = "no verdicts: no evidence of a run at " + file + "; `dynaproof verify` writes it"
		return nil
	case err != nil:
		x.EvidenceProblem = "no verdicts: " + oneLine(err)
		return nil
	}
	x.Evidence = file
	x.Verdicts, x.results = map[string]evidence.Verdict{}, map[string]evidence.Result{}
	for seen := range lists.Each(run.Designs) {
		if design, err := designs.Find(seen.Name); err != nil || design.Document.SHA256 != seen.SHA256 {
			x.EvidenceProblem = fmt.Sprintf("no verdicts of %s: %s is of another version of its document; run `dynaproof verify` again", seen.Name, file)
			continue
		}
		for _, result := range seen.Results {
			x.Verdicts[result.ID], x.results[result.ID] = result.Verdict, result
		}
	}
	return nil
}

// Missing counts the documents that are not there.
func (x *examination) Missing() int {
	return lists.Count(x.Documents, func(d *examined) bool { return d.Missing != "" })
}

// Differ counts those that are not as they were transcribed, or not wholly accounted for.
func (x *examination) Differ() int {
	return lists.Count(x.Documents, func(d *examined) bool { return d.Missing == "" && !d.Holds })
}

// Pending counts the lines that a contract's level does not need yet.
func (x *examination) Pending() (lines int) {
	for _, document := range x.Documents {
		lines += document.Counts[coverage.LinePending]
	}
	return lines
}

// ExitCode says whether the documents are the transcribed ones.
func (x *examination) ExitCode() evidence.ExitCode {
	switch {
	case x.Differ() > 0, x.strict && slices.ContainsFunc(x.Documents, func(d *examined) bool { return len(d.Open()) > 0 }):
		return evidence.DoesNotConform
	case x.Missing() > 0:
		return evidence.CouldNotTell
	}
	return evidence.Conforms
}

// notRun stands for the verdict of a claim that the evidence does not hold.
const notRun = "not run"

// ByVerdict groups claims by their verdicts, in the order in which verdicts are
// reported: "pass: a, b; fail: c". Without verdicts it lists the claims.
func (x *examination) ByVerdict(ids []string) string {
	if !x.HasRun() {
		return strings.Join(ids, ", ")
	}
	groups := map[evidence.Verdict][]string{}
	for _, id := range ids {
		verdict := cmp.Or(x.Verdicts[id], notRun)
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

// Standing decides how a cited line stands.
func (x *examination) Standing(line coverage.LineAccount) report.Standing {
	results := lists.Map(line.Claims, func(id string) evidence.Result { return x.results[id] })
	return report.StandingOf(results)
}

// Rows count the lines and citations of each document that is there, and where there are verdicts how the cited lines stand; nil where
// no document is there.
func (x *examination) Rows() (rows [][]string) {
	standings := make([]map[report.Standing]int, len(x.Documents))
	all := map[report.Standing]int{}
	for i, document := range x.Documents {
		standings[i] = map[report.Standing]int{}
		for _, line := range document.Coverage.Lines {
			if line.Status == coverage.LineCited {
				standings[i][x.Standing(line)]++
				all[x.Standing(line)]++
			}
		}
	}
	header := append(append([]string{"document", "lines"}, lists.Texts(coverage.LineStatuses())...), "|", "citations", "stand", "changed")
	shown := slices.DeleteFunc(report.Standings(), func(standing report.Standing) bool { return all[standing] == 0 })
	if x.HasRun() {
		header = append(append(header, "|"), lists.Texts(shown)...)
	}
	for i, document := range x.Documents {
		if document.Missing != "" {
			continue
		}
		cells := []string{document.File, fmt.Sprint(len(document.Coverage.Lines))}
		for _, status := range coverage.LineStatuses() {
			cells = append(cells, columns.Count(document.Counts[status]))
		}
		cells = append(cells, "|", fmt.Sprint(len(document.Citations)), fmt.Sprint(len(document.Citations)-len(document.Broken())), columns.Count(len(document.Changes)))
		if x.HasRun() {
			cells = append(cells, "|")
			cells = append(cells, lists.Map(shown, func(standing report.Standing) string { return columns.Count(standings[i][standing]) })...)
		}
		rows = append(rows, cells)
	}
	if rows == nil {
		return nil
	}
	return slices.Insert(rows, 0, header)
}
