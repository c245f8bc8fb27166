package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"

	"github.com/spf13/cobra"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/lab/mutants"
	"dynaproof/conformance/report"
)

func mutantsCommand() *cobra.Command {
	var options mutants.Options
	var reportDir, filter string
	var asJSON, list bool
	var own *ownDesign
	c := &cobra.Command{
		Use:   "mutants [DESIGN...] | mutants --design DIR",
		Short: "Break one thing at a time, and see the claim fail that must notice",
		Long: `Breaks deployments (by other inputs of the program, and once more behind Pulumi's back),
items, access patterns and guardrails, one thing at a time, each generated from
the contract. The contract names beforehand the claims of which one must fail; a
mutant that none of them notices has survived, and the suite lacks something.

Mutants that nothing can notice stand with a reason in equivalents.json, among
the design's fixtures. Writes mutants.json and mutants.html, the
kill matrix, to the report folder.

Exit codes: 0 all are killed or equivalent; 1 one survived, or an entry of the
equivalents is stale; 2 wrong usage; 3 one could not be tried.`,
		Example: `  dynaproof mutants
  dynaproof mutants osem-ladders --filter '/pattern/'
  dynaproof mutants --only roll-model/pulumi/RollModel/pitr-off
  dynaproof mutants --sample 200 --seed 7`,
		ValidArgsFunction: completeDesigns,
		PreRunE:           refuseEmpty,
		RunE: func(cmd *cobra.Command, args []string) error {
			options.Designs, options.Documents = args, own.documents()
			options.Command = commandLine()
			if filter != "" {
				matches, err := regexp.Compile(filter)
				if err != nil {
					return outcome{evidence.WrongUsage, fmt.Errorf("--filter: expected a regular expression for ids: %w", err)}
				}
				options.Filter = matches
			}
			if options.Sample < 0 {
				return outcome{evidence.WrongUsage, fmt.Errorf("--sample: expected a number of mutants, found %d", options.Sample)}
			}
			if list {
				return listMutants(cmd.OutOrStdout(), options)
			}
			if err := writable(reportDir); err != nil {
				return outcome{evidence.WrongUsage, err}
			}
			defer collectAt(200)() // thousands of short replays: time is scarcer than memory
			return tryMutants(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), options, reportDir, asJSON)
		},
	}
	own = designFlag(c)
	c.Flags().StringVar(&options.Only, "only", "", "try this one mutant, by its id, and show what the claim says")
	c.Flags().StringVar(&filter, "filter", "", "try the mutants whose id matches this regular expression")
	c.Flags().IntVar(&options.Sample, "sample", 0, "try so many of them, chosen by --seed (default all)")
	c.Flags().Uint64Var(&options.Seed, "seed", 1, "seed of the choice of --sample")
	c.Flags().IntVar(&options.Workers, "parallel", 0, "how many are tried at the same time (default one for each processor)")
	c.Flags().BoolVar(&list, "list", false, "print the ids, and try nothing")
	c.Flags().StringVar(&reportDir, "report", "build/report", "folder for mutants.json and mutants.html")
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON instead of a summary")
	return c
}

// listMutants prints the ids of the chosen mutants with what each breaks.
func listMutants(out io.Writer, options mutants.Options) error {
	chosen, err := designs.Chosen(options.Designs)
	if err != nil {
		return outcome{evidence.WrongUsage, err}
	}
	for _, design := range chosen {
		generated, err := mutants.Generate(design.Name)
		if err != nil {
			return outcome{evidence.WrongUsage, err}
		}
		for _, mutant := range generated {
			if options.Filter == nil || options.Filter.MatchString(mutant.ID) {
				fmt.Fprintf(out, "%s\t%s\n", mutant.ID, mutant.What)
			}
		}
	}
	return nil
}

func tryMutants(ctx context.Context, out, progressOut io.Writer, options mutants.Options, reportDir string, asJSON bool) error {
	progress := newProgress(progressOut)
	options.Progress = progress.note
	seen, err := mutants.Run(ctx, options)
	progress.clear()
	if errors.Is(err, mutants.ErrNone) {
		return outcome{evidence.WrongUsage, err}
	}
	if err != nil {
		return ran(err)
	}
	seen = withoutNames(seen)
	page := filepath.Join(reportDir, "mutants.html")
	var printed error
	if asJSON {
		printed = json.NewEncoder(out).Encode(seen)
	} else {
		report.TerminalMutants(out, seen)
	}
	if err := errors.Join(printed, seen.Write(filepath.Join(reportDir, "mutants.json")), report.WriteMutantsHTML(page, seen)); err != nil {
		return couldNotTell(err)
	}
	if !asJSON {
		fmt.Fprintf(out, "mutants: %s\nreport: %s\n", filepath.Join(reportDir, "mutants.json"), page)
	}
	return exitWith(seen.ExitCode())
}
