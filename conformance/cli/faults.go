package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/lab/faults"
)

func faultsCommand() *cobra.Command {
	options := faults.Options{Seed: 1}
	var kinds []string
	known := texts(faults.Kinds())
	c := laboratory(help("faults", &cobra.Command{}, "{kinds}", strings.Join(known, ", ")), "", &options.Options, func(ctx context.Context, _ string) (*findings, error) {
		if options.Runs < 1 {
			return nil, outcome{evidence.WrongUsage, fmt.Errorf("--runs: expected at least 1, found %d", options.Runs)}
		}
		for _, name := range kinds {
			if !slices.Contains(known, name) {
				return nil, outcome{evidence.WrongUsage, fmt.Errorf("--fault: expected one of %s, found %q", strings.Join(known, ", "), name)}
			}
			options.Kinds = append(options.Kinds, faults.Kind(name))
		}
		report, err := faults.Run(ctx, options)
		if err != nil {
			return nil, err
		}
		found := &findings{all: report, paper: report.Paper()}
		if bad := report.Bad(); len(bad) > 0 {
			found.code, found.why = evidence.DoesNotConform, fmt.Errorf("%d of %d runs show a defect; the first has seed %d", len(bad), options.Runs, bad[0].Seed)
		}
		return found, nil
	})
	c.Flags().Uint64Var(&options.Seed, "seed", 1, "seed of the first run; each further run has the next")
	c.Flags().IntVar(&options.Runs, "runs", 500, "number of runs")
	c.Flags().StringArrayVar(&kinds, "fault", nil, "inject only this kind of fault; may be given several times")
	return c
}
