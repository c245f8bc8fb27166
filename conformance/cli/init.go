package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dynaproof/accesspatterns/document/drafter"
	"dynaproof/accesspatterns/input"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/report"
)

func initCommand() *cobra.Command {
	var document, folder, level string
	c := help("init", &cobra.Command{
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("init: expected NAME, the design's name in lower-case words joined by hyphens, found %q", strings.Join(args, " "))
			}
			return nil
		},
		PreRunE: refuseWrongValues,
		RunE: func(cmd *cobra.Command, args []string) error {
			if designName(args[0]) != args[0] {
				return outcome{evidence.WrongUsage, fmt.Errorf("init: expected NAME, the design's name in lower-case words joined by hyphens, found %q", args[0])}
			}
			if document == "" {
				return outcome{evidence.WrongUsage, errors.New("init: expected --document, the design document, found none; `dynaproof import` drafts from tables that exist")}
			}
			if !slices.Contains(drafter.Levels, level) {
				return outcome{evidence.WrongUsage, fmt.Errorf("init: expected --level %s, found %q", strings.Join(drafter.Levels, ", "), level)}
			}
			return draftDesign(cmd, args[0], document, cmp.Or(folder, args[0]), level)
		},
	}, "{mark}", drafter.Mark)
	c.Flags().StringVar(&document, "document", "", "the design document: Markdown, or plain text with the same marks")
	c.Flags().StringVar(&folder, "out", "", "folder to write to; it must not hold a contract yet (default NAME)")
	c.Flags().StringVar(&level, "level", drafter.Levels[0], "how far to draft: "+strings.Join(drafter.Levels, ", "))
	if err := c.MarkFlagFilename("document"); err != nil {
		panic(err) // it is declared above
	}
	return c
}

func draftDesign(cmd *cobra.Command, name, path, folder, level string) error {
	read, content, err := readDocument("init", path)
	if err != nil {
		return err
	}
	file := filepath.Base(path)
	result := drafter.Draft(name, file, level, content, read)
	files := map[string][]byte{"contract.yaml": result.Contract, file: content}
	if there, err := input.File(filepath.Join(folder, file), input.Text); err == nil && bytes.Equal(there, content) {
		delete(files, file) // the document is in its place already
	}
	if err := writeDesign("init", folder, files); err != nil {
		return outcome{evidence.WrongUsage, err}
	}
	var todos []string
	for n, line := range strings.Split(string(result.Contract), "\n") {
		if _, todo, is := strings.Cut(line, "# TODO "); is {
			todos = append(todos, fmt.Sprintf("  contract.yaml:%d: %s\n", n+1, todo))
		}
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%s: %s, %s of items, %s that read; %s, %s not read: %s\n", name, report.Plural(result.Tables, "table"), report.Plural(result.Entities, "kind"),
		report.Plural(result.Patterns, "access pattern"), report.Plural(result.ToDo, "TODO"), report.Plural(len(todos)-result.ToDo, "passage"), filepath.Join(folder, "contract.yaml"))
	fmt.Fprint(out, strings.Join(todos, ""))
	if result.Level == "" {
		fmt.Fprintf(out, "next: decide on the TODOs above, then dynaproof check --design %s\n", folder)
		return outcome{code: evidence.DoesNotConform}
	}
	fmt.Fprintf(out, "next: read the draft beside the document, then dynaproof check --design %s; dynaproof audit --design %s compares tables that are deployed\n", folder, folder)
	return nil
}
