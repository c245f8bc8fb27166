package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/spf13/cobra"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/lab"
	"dynaproof/conformance/lab/mutants"
	"dynaproof/conformance/lab/mutants/elements"
	"dynaproof/conformance/report"
)

func mutantsCommand() *cobra.Command {
	var options lab.Mutation
	var filter string
	var list, contract bool
	c := laboratory(help("mutants", &cobra.Command{}), "build/report", &options.Options, func(ctx context.Context, _ string) (*findings, error) {
		defer collectAt(200)() // thousands of short replays: time is scarcer than memory
		run := func() (*evidence.Mutants, error) { return mutants.Run(ctx, mutants.Options{Mutation: options}) }
		if contract {
			run = func() (*evidence.Mutants, error) { return elements.Run(ctx, options) }
		}
		seen, err := run()
		if errors.Is(err, lab.ErrNone) {
			return nil, outcome{evidence.WrongUsage, err}
		}
		if err != nil {
			return nil, err
		}
		seen = withoutNames(seen)
		return &findings{
			all: seen, paper: report.MutantsPaper(seen), json: "mutants.json", page: "mutants.html", code: seen.ExitCode(),
		}, nil
	})
	try := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if options.Filter, err = regexp.Compile(filter); err != nil {
			return outcome{evidence.WrongUsage, fmt.Errorf("--filter: expected a regular expression for ids: %w", err)}
		}
		if options.Sample < 0 {
			return outcome{evidence.WrongUsage, fmt.Errorf("--sample: expected a number of mutants, found %d", options.Sample)}
		}
		if contract && options.Sample > 0 {
			return outcome{evidence.WrongUsage, errors.New("--sample: the mutants of a contract need no engine, and all of them are tried; choose by --filter")}
		}
		if list {
			return listMutants(cmd.OutOrStdout(), args, &options, contract)
		}
		return try(cmd, args)
	}
	c.Flags().StringVar(&options.Only, "only", "", "try this one mutant, by its id, and show what the claim says")
	c.Flags().StringVar(&filter, "filter", "", "try the mutants whose id matches this regular expression")
	c.Flags().IntVar(&options.Sample, "sample", 0, "try so many of them, chosen by --seed (default all)")
	c.Flags().Uint64Var(&options.Seed, "seed", 1, "seed of the choice of --sample")
	c.Flags().IntVar(&options.Workers, "parallel", 0, "how many are tried at the same time (default one for each processor)")
	c.Flags().BoolVar(&contract, "contract", false, "break the elements of the contract, and ask what needs no engine")
	c.Flags().BoolVar(&list, "list", false, "print the ids, and try nothing")
	return c
}

// listMutants prints the ids of the chosen mutants with what each breaks.
func listMutants(out io.Writer, names []string, options *lab.Mutation, contract bool) error {
	chosen, err := designs.Chosen(names)
	if err != nil {
		return outcome{evidence.WrongUsage, err}
	}
	for _, design := range chosen {
		if contract {
			for _, mutant := range elements.Generate(design) {
				if options.Chosen(mutant.ID) {
					fmt.Fprintf(out, "%s\t%s\n", mutant.ID, mutant.Operator)
				}
			}
			continue
		}
		generated, err := mutants.Generate(design.Name)
		if err != nil {
			return outcome{evidence.WrongUsage, err}
		}
		for _, mutant := range generated {
			if options.Chosen(mutant.ID) {
				fmt.Fprintf(out, "%s\t%s\n", mutant.ID, mutant.What)
			}
		}
	}
	return nil
}
