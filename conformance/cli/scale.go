package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"dynaproof/conformance/lab/scale"
)

func scaleCommand() *cobra.Command {
	options := scale.Options{}
	c := laboratory(&cobra.Command{
		Use:   "scale [DESIGN...] | scale --design DIR",
		Short: "Prove that a pattern costs what its result costs, however much data others have",
		Long: `Loads a population beside the fixtures and replays every case while it grows:
nothing, 1x, 10x and 100x of others' data. Consumed capacity, scanned count and
pages may change only where a finding of the contract says so. Then each
pattern's own result grows, and the cost must grow with it. All figures are those
of the wire's ledger, compared with a calculation from the sizes of the items.

The engine holds everything in memory: 100x of all five designs is about 104,000
items, one design at a time.

What was loaded is removed at the end, also after an interrupt. The next run on
the same endpoint removes what a killed run left there.

Writes to the report folder: index.html and scale.json. Exit code 1 means that a
pattern grows without a finding that explains it.`,
		Example: `  dynaproof scale
  dynaproof scale osem-ladders --items 24165     # 1x is the documented year
  dynaproof scale fus-main --endpoint http://127.0.0.1:8000`,
	}, "build/scale", func(ctx context.Context, t trial) (*findings, error) {
		options.Designs, options.Documents, options.Command, options.Progress = t.designs, t.documents, commandLine(), t.note
		report, err := scale.Run(ctx, options)
		if err != nil {
			return nil, err
		}
		report = withoutNames(report)
		return &findings{
			all: report, text: func(out io.Writer) error { scale.WriteTerminal(out, report); return nil }, json: "scale.json", page: "index.html",
			pages: map[string]func(io.Writer) error{"index.html": report.WriteHTML}, code: report.ExitCode(),
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
