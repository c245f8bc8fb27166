package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/paper"
	"dynaproof/conformance/internal/wholefile"
	"dynaproof/conformance/lab"
)

// findings are what a laboratory has found.
type findings struct {
	// all is the whole of it, as JSON.
	all any
	// paper says it for people: on the terminal, and in the report folder as page and, where that has a name, as the Markdown summary.
	paper *paper.Paper
	// json is the name of the file of all in the report folder.
	json, page, summary string
	// code is the exit code, and why says it where the summary does not. unwritten is what could not be written meanwhile.
	code           evidence.ExitCode
	why, unwritten error
}

// laboratory completes a command that tests the tests: try tries what the command is for, with what it was told and the folder of the
// report, and the rest is the same for all of them. Folder is where reports go unless --report says otherwise; a laboratory without reports
// has none.
func laboratory(c *cobra.Command, folder string, told *lab.Options, try func(ctx context.Context, folder string) (*findings, error)) *cobra.Command {
	own, asJSON, reportDir := designFlag(c), false, ""
	c.ValidArgsFunction, c.PreRunE = completeDesigns, refuseWrongValues
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON instead of a summary")
	if folder != "" {
		c.Flags().StringVar(&reportDir, "report", folder, "folder for the report")
	}
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if _, err := designs.Chosen(args); err != nil {
			return outcome{evidence.WrongUsage, err}
		}
		if folder != "" {
			if err := writable(reportDir); err != nil {
				return outcome{evidence.WrongUsage, err}
			}
		}
		progress := newProgress(cmd.ErrOrStderr())
		told.Designs, told.Documents, told.Command, told.Progress = args, own.documents(), commandLine(), progress.note
		found, err := try(cmd.Context(), reportDir)
		progress.clear()
		if err != nil {
			return ran(err)
		}
		if asJSON {
			err = printJSON(cmd.OutOrStdout(), found.all)
		} else {
			found.paper.Text(cmd.OutOrStdout())
		}
		if err := errors.Join(err, found.unwritten, found.write(reportDir)); err != nil {
			return couldNotTell(err)
		}
		if !asJSON && found.page != "" {
			fmt.Fprintf(cmd.OutOrStdout(), "report: %s\n", filepath.Join(reportDir, found.page))
		}
		if found.why != nil {
			return outcome{found.code, found.why}
		}
		return exitWith(found.code)
	}
	return c
}

// write writes the files to the report folder. Each appears whole or not at all.
func (f *findings) write(folder string) error {
	var problems []error
	for name, write := range map[string]func(io.Writer) error{f.page: f.paper.HTML, f.summary: f.paper.Markdown} {
		if name != "" {
			problems = append(problems, wholefile.Render(filepath.Join(folder, name), wholefile.Report, write))
		}
	}
	if f.json != "" {
		text, err := json.MarshalIndent(f.all, "", " ")
		if err == nil {
			err = wholefile.Write(filepath.Join(folder, f.json), append(text, '\n'), wholefile.Report)
		}
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}
