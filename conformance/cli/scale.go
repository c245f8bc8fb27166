package cli

import (
	"context"

	"github.com/spf13/cobra"

	"dynaproof/conformance/lab/scale"
)

func scaleCommand() *cobra.Command {
	options := scale.Options{}
	c := laboratory(help("scale", &cobra.Command{}), "build/scale", &options.Options, func(ctx context.Context, _ string) (*findings, error) {
		report, err := scale.Run(ctx, options)
		if err != nil {
			return nil, err
		}
		report = withoutNames(report)
		return &findings{
			all: report, paper: report.Paper(), json: "scale.json", page: "index.html", code: report.ExitCode(),
		}, nil
	})
	c.Flags().IntVar(&options.Items, "items", 0, "items of others at 1x, for each design (default: what its population says, about 200)")
	c.Flags().Uint64Var(&options.Seed, "seed", 1, "seed of the population")
	c.Flags().Float64Var(&options.Calls, "calls", 1e6, "traffic that costs are estimated for: calls of each pattern in a month")
	c.Flags().StringVar(&options.Endpoint, "endpoint", "", "URL of a DynamoDB-compatible engine on this machine (default: an embedded engine)")
	c.Flags().StringVar(&options.NamePrefix, "prefix", "dynaproof-scale-", "text before every table name (dynaproof:namePrefix), to get out of the way of other tables")
	c.Flags().StringVar(&options.Environment, "env", "scale", "environment, the second half of the stack's name")
	c.Flags().StringVar(&options.Region, "region", "", "region that requests are signed for and whose prices are used, where the document names none")
	c.Flags().StringVar(&options.StateDir, "state", "build/state", "folder of the state of a run on an endpoint")
	return c
}
