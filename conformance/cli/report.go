package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/must"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/report"
)

func reportCommand() *cobra.Command {
	var format, folder, documentsURI string
	var all, passed bool
	var check, keyFile, author string
	var asJSON *bool
	formats := append([]string{"terminal", "json", "html"}, lists.Map(report.Formats(), func(known report.Format) string { return known.Name })...)
	c := help("report", &cobra.Command{
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case author != "" && check != "":
				return errors.New("report: expected --author or --verify, found both; leave one out")
			case author != "" && len(args) > 1:
				return fmt.Errorf("report: expected --author with one evidence.json.gz at most, found %d", len(args))
			case check != "" && len(args) > 0:
				return fmt.Errorf("report: expected --verify with its folder alone, found %d files too", len(args))
			case keyFile != "" && check == "":
				return errors.New("report: expected --key with --verify alone; leave it out")
			case author == "" && check == "" && len(args) != 1 && len(args) != 2:
				return fmt.Errorf("report: expected one evidence.json.gz to render, or an older and a newer one to compare, found %d", len(args))
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"json"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			defer collectAt(12)()
			switch {
			case *asJSON && (check != "" || author != ""):
				return misused("report: --json prints a run or a comparison; leave it out with --verify and --author")
			case *asJSON && cmd.Flags().Changed("format") && format != "json":
				return misused("report: expected --json or --format %s, found both; leave one out", format)
			case *asJSON:
				format = "json"
			}
			if check != "" {
				return checkFolder(cmd.OutOrStdout(), check, keyFile, documentsFolder())
			}
			if author != "" {
				return writeAuthor(cmd, author, args, format, folder, documentsFolder())
			}
			if !slices.Contains(formats, format) {
				return misused("--format: expected one of %s, found %q", strings.Join(formats, ", "), format)
			}
			var runs []*evidence.Run
			var doubts []string
			for _, path := range args {
				run, err := evidence.ReadValid(path)
				if err != nil {
					return outcome{evidence.WrongUsage, err}
				}
				runs = append(runs, named(run))
				if doubt := report.Unattested(path, run); doubt != "" && run.ID != "" {
					doubts = append(doubts, doubt)
				}
				if found := run.Contradicted(); found != nil {
					doubts = append(doubts, fmt.Sprintf("%s contradicts itself, so it is not as a run wrote it: %s: expected %s, found %s", path, found.Where, found.Expected, found.Found))
				}
			}
			last := runs[len(runs)-1]
			var err error
			switch {
			case len(runs) == 2 && folder != "":
				return misused("--out: expected one file to render, found two to compare; send the comparison to a file instead")
			case len(runs) == 2:
				err = compareRuns(cmd, runs[0], runs[1], format)
			case folder != "":
				if state, err := os.Stat(folder); err == nil && !state.IsDir() {
					return misused("--out: expected a folder to write to, found the file %s; choose another one", folder)
				}
				if err := replaces("--out", folder, report.Attested()); err != nil {
					return outcome{evidence.WrongUsage, err}
				}
				if err = announceOverwriting(cmd.ErrOrStderr(), folder, last.ID); err == nil {
					err = report.WriteFiles(folder, last, report.DocumentsIn(documentsFolder(), last))
				}
			default:
				err = render(cmd.OutOrStdout(), last, format, documentsFolder(), all, report.SARIFOptions{DocumentsURI: documentsURI, Passed: passed})
			}
			if err != nil {
				return err
			}
			for _, doubt := range doubts {
				fmt.Fprintln(cmd.ErrOrStderr(), "dynaproof:", doubt)
			}
			return exitWith(last.ExitCode())
		},
	})
	designFlag(c)
	asJSON = c.Flags().Bool("json", false, "the same as --format json")
	c.Flags().StringVar(&format, "format", "terminal", "one of "+strings.Join(formats, ", "))
	c.Flags().StringVar(&folder, "out", "", "write every format to this folder instead, without an attestation, which only the run itself makes")
	c.Flags().StringVar(&documentsURI, "documents-uri", "", "folder of the documents in the repository, for SARIF, such as designs/")
	c.Flags().StringVar(&author, "author", "", "DESIGN: write its document with its findings beside the lines, for its author, instead of the run")
	c.Flags().StringVar(&check, "verify", "", "check a report folder against itself, instead of rendering anything")
	c.Flags().StringVar(&keyFile, "key", "", "with --verify: file with the PEM of the key that must have signed the attestation")
	c.Flags().BoolVar(&passed, "passed", false, "list passed claims in SARIF too")
	c.Flags().BoolVar(&all, "all", false, "write out every claim that did not pass, on the terminal")
	offer(c, "format", formats)
	must.Do(c.RegisterFlagCompletionFunc("author", completeDesigns)) // it is declared above
	return c
}

// writeAuthor writes the document of one design with its findings.
func writeAuthor(cmd *cobra.Command, design string, args []string, format, folder, documents string) error {
	path := filepath.Join("build", "report", report.EvidenceFile)
	if len(args) > 0 {
		path = args[0]
	}
	run, err := evidence.ReadValid(path)
	if err != nil {
		return misused("--author: %w; dynaproof verify %s writes it", err, design)
	}
	run = named(run)
	known := report.DocumentsIn(documents, run)
	var lines []string
	if seen := run.Design(design); seen != nil {
		file := seen.Document
		if lines = known.Documents[file]; lines == nil {
			return misused("--author: expected %s as it was transcribed in %s, found none, or one of another SHA-256; name the folder of the documents in DYNAPROOF_DOCUMENTS, or of a design of your own with --design", file, documents)
		}
	}
	paper, err := report.AuthorOf(run, design, lines)
	if err != nil {
		return misused("--author: %w", err)
	}
	switch {
	case folder != "":
		paths, err := paper.WriteFiles(folder, design)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n%s\n", paper.File, paper.Words(), strings.Join(paths, "\n"))
		return err
	case format == "html":
		return paper.HTML(cmd.OutOrStdout())
	case format == "markdown", !cmd.Flags().Changed("format"):
		return paper.Markdown(cmd.OutOrStdout())
	}
	return misused("--format: expected markdown or html with --author, found %q", format)
}

// render writes a run in one format.
func render(out io.Writer, run *evidence.Run, format, documents string, all bool, options report.SARIFOptions) error {
	switch format {
	case "terminal":
		return printRun(out, run, false, all)
	case "json":
		return printJSON(out, run)
	case "sarif":
		return report.SARIF(out, run, options)
	}
	for _, known := range report.Formats() {
		if known.Name == format {
			return known.Write(out, run)
		}
	}
	return report.HTML(out, run, report.DocumentsIn(documents, run))
}

// printRun prints what a run has seen: as JSON, or its summary, with all claims that did not pass where they are asked for.
func printRun(out io.Writer, run *evidence.Run, asJSON, all bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(run)
	}
	report.Terminal(out, run, all)
	return nil
}

// checkFolder checks a report folder, and says what fits and what the signature means.
func checkFolder(out io.Writer, folder, keyFile, documents string) error {
	if state, err := os.Stat(folder); err != nil || !state.IsDir() {
		return outcome{evidence.WrongUsage, errors.Join(fmt.Errorf("--verify: expected the folder of a report, found %s", folder), err)}
	}
	checker := report.Checker{Documents: documents, Designs: lists.Index(designs.All(), func(d *accesspatterns.Design) (string, *accesspatterns.Design) { return d.Name, d })}
	var err error
	if keyFile != "" {
		if checker.Key, err = readKey("--key", keyFile); err != nil {
			return outcome{evidence.WrongUsage, err}
		}
	}
	if checker.Inputs, err = replay.Inputs(); err != nil {
		return err
	}
	checked, err := checker.Check(folder)
	if errors.As(err, new(*report.Mismatch)) {
		return outcome{evidence.DoesNotConform, fmt.Errorf("%s does not fit: %w", folder, err)}
	} else if err != nil {
		return err
	}
	return printText(out, "fits", checked)
}

// readKey reads the key that a flag or a variable of the environment names.
func readKey(name, path string) (*report.Key, error) {
	text := []byte(path)
	if !strings.Contains(path, "-----BEGIN ") {
		var err error
		if text, err = input.File(path, input.Text); err != nil {
			return nil, fmt.Errorf("%s: expected a file with a key in PEM: %w", name, err)
		}
	}
	key, err := report.ReadKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return key, nil
}

// signingKey reads the private key of --sign-key, or else of the environment; nil when there is none.
func signingKey(path string) (*report.Key, error) {
	name := "--sign-key"
	if path == "" {
		name, path = evidence.SignKeyVariable, os.Getenv(evidence.SignKeyVariable)
	}
	if path == "" {
		return nil, nil
	}
	key, err := readKey(name, path)
	if err == nil && !key.Private {
		return nil, fmt.Errorf("%s: expected a private key, found a public one", name)
	}
	return key, err
}

// announceOverwriting says in a line that a folder holds the evidence of another run, which is about to be written over.
func announceOverwriting(out io.Writer, folder, id string) error {
	path := filepath.Join(folder, report.EvidenceFile)
	held, err := evidence.ReadVerdicts(path)
	switch {
	case errors.Is(err, os.ErrNotExist), err == nil && held.ID == id && id != "":
		return nil
	case err != nil:
		_, err = fmt.Fprintf(out, "dynaproof: %s is not evidence that can be read; this run writes over it\n", path)
		return err
	}
	_, err = fmt.Fprintf(out, "dynaproof: %s holds run %s of %s; run %s writes over it\n", folder, cmp.Or(held.ID, "without an id"), held.Started.Format(time.RFC3339), id)
	return err
}

// collectAt has memory collected when it has grown by growth percent, in place of 100, until
// what it returns is called. Less spares memory: reports of a long run hold all of its
// requests, and are made of much that is thrown away. More spares time. Where GOGC says
// otherwise it stays so.
func collectAt(growth int) (usual func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(growth)
	return func() { debug.SetGCPercent(before) }
}

func compareRuns(cmd *cobra.Command, older, newer *evidence.Run, format string) error {
	comparison := report.Compare(older, newer)
	if format == "json" {
		return printJSON(cmd.OutOrStdout(), comparison)
	}
	write, known := map[string]func(io.Writer) error{"terminal": comparison.Write, "markdown": comparison.Markdown, "html": comparison.HTML}[format]
	if !known {
		return misused("--format: expected terminal, markdown, html or json for a comparison, found %q", format)
	}
	return write(cmd.OutOrStdout())
}
