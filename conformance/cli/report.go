package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/report"
)

func reportCommand() *cobra.Command {
	var format, folder, documentsURI string
	var all, passed bool
	formats := []string{"terminal", "json", "html"}
	for _, known := range report.Formats() {
		formats = append(formats, known.Name)
	}
	c := &cobra.Command{
		Use:   "report FILE [NEWER]",
		Short: "Render stored evidence again, or compare two runs",
		Long: `Renders stored evidence again, in one format to the terminal or in every format to
a folder. With two files, compares the runs: what is newly failing, still failing,
newly passing, gone and new, and what else differs between them. A file that does
not fit the published schema is refused.

The exit code is that of the evidence, of the newer one in a comparison, as
` + "`dynaproof verify`" + ` gives it.`,
		Example: `  dynaproof report build/report/evidence.json
  dynaproof report evidence.json --format sarif --documents-uri designs/ > results.sarif
  dynaproof report evidence.json --out build/report
  dynaproof report main.json branch.json --format markdown`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 && len(args) != 2 {
				return fmt.Errorf("report: expected one evidence.json to render, or an older and a newer one to compare, found %d", len(args))
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"json"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(formats, format) {
				return outcome{evidence.WrongUsage, fmt.Errorf("--format: expected one of %s, found %q", strings.Join(formats, ", "), format)}
			}
			var runs []*evidence.Run
			for _, path := range args {
				run, err := evidence.ReadValid(path)
				if err != nil {
					return outcome{evidence.WrongUsage, err}
				}
				runs = append(runs, named(run))
			}
			out := cmd.OutOrStdout()
			last := runs[len(runs)-1]
			var err error
			switch {
			case len(runs) == 2 && folder != "":
				return outcome{evidence.WrongUsage, fmt.Errorf("--out: expected one file to render, found two to compare; send the comparison to a file instead")}
			case len(runs) == 2:
				err = compareRuns(cmd, runs[0], runs[1], format)
			case folder != "":
				err = renderFolder(folder, last)
			default:
				err = render(out, cmd, last, format, all, report.SARIFOptions{DocumentsURI: documentsURI, Passed: passed})
			}
			if err != nil {
				return ran(err)
			}
			if code := last.ExitCode(); code != evidence.Conforms {
				return outcome{code: code}
			}
			return nil
		},
	}
	c.Flags().StringVar(&format, "format", "terminal", "one of "+strings.Join(formats, ", "))
	c.Flags().StringVar(&folder, "out", "", "write every format to this folder instead")
	c.Flags().StringVar(&documentsURI, "documents-uri", "", "folder of the documents in the repository, for SARIF, such as designs/")
	c.Flags().BoolVar(&passed, "passed", false, "list passed claims in SARIF too")
	c.Flags().BoolVar(&all, "all", false, "write out every claim that did not pass, on the terminal")
	offer(c, "format", formats)
	return c
}

// render writes a run in one format.
func render(out io.Writer, cmd *cobra.Command, run *evidence.Run, format string, all bool, options report.SARIFOptions) error {
	switch format {
	case "terminal":
		terminal := report.NewTerminal(out)
		if all {
			terminal.Problems = 0
		}
		terminal.Write(run)
		return nil
	case "json":
		return writeJSON(cmd, run)
	case "html":
		return report.HTML(out, run, report.DocumentsIn(documentsFolder(), run))
	case "sarif":
		return report.SARIF(out, run, options)
	}
	for _, known := range report.Formats() {
		if known.Name == format {
			return known.Write(out, run)
		}
	}
	return fmt.Errorf("no renderer for format %q", format)
}

// renderFolder writes a run in every format.
func renderFolder(folder string, run *evidence.Run) error {
	return errors.Join(report.WriteFiles(folder, run),
		report.WriteHTML(filepath.Join(folder, "index.html"), run, report.DocumentsIn(documentsFolder(), run)))
}

func compareRuns(cmd *cobra.Command, older, newer *evidence.Run, format string) error {
	comparison := report.Compare(older, newer)
	switch format {
	case "terminal":
		return comparison.Write(cmd.OutOrStdout())
	case "markdown":
		return comparison.Markdown(cmd.OutOrStdout())
	case "json":
		return writeJSON(cmd, comparison)
	}
	return outcome{evidence.WrongUsage, fmt.Errorf("--format: expected terminal, markdown or json for a comparison, found %q", format)}
}
